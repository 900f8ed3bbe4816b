//! What of the host's messages is sent.

use palimpsest_window::*;

use crate::world::World;

const ROOT: &str = "pcw:01987a2f:root";

fn custom(tag: Tag, window: Option<&str>) -> Body {
    Body::Custom { tag: tag.as_str().into(), window_id: window.map(Into::into), weight: Weight::default() }
}

fn system() -> Body {
    Body::System { text: 9, added: 9, removed: 0 }
}

fn user() -> Body {
    Body::User(Weight::default())
}

fn wrapper(empty: bool) -> Body {
    Body::Summary { empty, weight: Weight::default() }
}

fn foreign() -> Body {
    Body::Custom { tag: "other".into(), window_id: None, weight: Weight::default() }
}

#[track_caller]
fn check(world: &mut World, messages: &[Body], expected: &[&str]) {
    let messages: Vec<Message> = messages.iter().map(|body| Message { at: 5, body: body.clone() }).collect();
    assert_eq!(world.happens(Event::Context { messages: &messages, aborted: false }), expected);
}

/// E1, E2, A9, G2.32: a root window shows one boot, in the place of the first; the first system message leads.
#[test]
fn a_root_window() {
    let mut world = World::started();
    let boot = || custom(Tag::Boot, Some(ROOT));
    let others = || custom(Tag::Boot, Some("pcw:parent00:root"));
    let world = &mut world;
    check(world, &[system(), user()], &["request [0, 1]"]);
    check(world, &[system(), others(), user()], &["request [0, 1, 2]"]);
    check(world, &[boot(), system(), user()], &["request [1, 0, 2]"]);
    check(world, &[system(), boot(), user()], &["request [0, 1, 2]"]);
    check(world, &[system(), others(), user(), boot()], &["request [0, 3, 2]"]);
    check(world, &[boot(), others(), system(), user(), boot(), user()], &["request [2, 4, 3, 5]"]);
    check(world, &[system(), wrapper(true), user(), wrapper(false)], &["request [0, 2, 3]"]);
    check(world, &[boot(), user(), system(), user(), system()], &["request [2, 0, 1, 3, 4]"]);
    check(world, &[user()], &["request [0]"]);
    check(world, &[], &["request []"]);
    world.step("toggle off");
    check(world, &[others(), system(), wrapper(true), boot(), user()], &["request [1, 3, 4]"]);
}

/// E3: behind a checkpoint the host has cut already; the wrapper goes, everything else stays.
#[test]
fn a_reset_window_behind_a_checkpoint() {
    let mut world = World::wiped();
    let boot = custom(Tag::Boot, Some("pcw:01987a2f:00000001"));
    let world = &mut world;
    check(world, &[system(), wrapper(true), boot.clone(), user(), system()], &["request [0, 2, 3, 4]"]);
    check(world, &[wrapper(true), boot.clone(), system(), user()], &["request [2, 1, 3]"]);
    world.step("toggle off");
    check(world, &[system(), wrapper(true), boot, user()], &["request [0, 2, 3]"]);
}

/// E3, G2.27: the host compacted while windows were off; its summary and what it kept are sent.
#[test]
fn a_reset_window_that_the_host_compacted() {
    for legacy in [false, true] {
        let mut world = if legacy { World::started() } else { World::wiped() };
        if legacy {
            world.step("legacy-marker old");
        }
        world.step("toggle off");
        world.step("host-compaction");
        check(&mut world, &[system(), wrapper(false), user()], &["request [0, 1, 2]"]);
        // Such a window is presentable: a person's wipe repairs nothing.
        world.slow = true;
        for step in ["toggle on", "wipe-command running"] {
            world.step(step);
        }
        world.slow = false;
        let ended = world.step("turn ok");
        assert!(ended.iter().any(|line| line.starts_with("boundary [checkpoint(manual ")), "{ended:?}");
    }
}

/// E3, G2.11: behind a marker alone the request is cut at the boot; the system's state before it leads, folded.
#[test]
fn a_legacy_window() {
    let mut world = World::started();
    world.step("legacy-marker old");
    let boot = || custom(Tag::Boot, Some("old"));
    let world = &mut world;
    check(
        world,
        &[system(), user(), system(), boot(), system(), user(), boot()],
        &["request fold [0, 2] [3, 4, 5, 6]"],
    );
    check(world, &[user(), boot(), user()], &["request [1, 2]"]);
    check(world, &[user(), boot(), system(), user()], &["request fold [2] [1, 3]"]);
    world.step("toggle off");
    check(world, &[system(), wrapper(true), user(), boot(), user()], &["request fold [0] [3, 4]"]);
}

/// E4, G2.15: without its boot nothing of a reset window is sent but the system's state; one notice a window.
#[test]
fn the_fail_safe() {
    for legacy in [false, true] {
        let mut world = if legacy { World::started() } else { World::wiped() };
        let window = if legacy { "old" } else { "pcw:01987a2f:00000001" };
        if legacy {
            world.step("legacy-marker old");
        }
        let world = &mut world;
        let raw = [system(), user(), system(), user()];
        let text = format!(
            "Error: the request was cancelled safely: window {window} has lost its boot, and what was wiped must not be sent. \
             use /wipe-memory to start a fresh window"
        );
        check(world, &raw, &[&text, "abort", "request fold [0, 2] []"]);
        check(world, &raw, &["abort", "request fold [0, 2] []"]);
        check(world, &[user()], &["abort", "request []"]);
        world.step("tool-loses-boots");
        world.slow = true;
        world.step("tree");
        check(world, &raw, &[&text, "abort", "request fold [0, 2] []"]);
        world.step("toggle off");
        world.step("tree");
        let text = text.replace("use /wipe-memory to start a fresh window", "/pi-context on turns context windows on");
        check(world, &raw, &[&text, "abort", "request fold [0, 2] []"]);
    }
}

/// E4, G2.26, B19: a person's wipe gets out of it: one request with that message alone, and the cause is `repair`.
#[test]
fn a_persons_wipe_gets_out_of_the_fail_safe() {
    let mut world = World::wiped();
    world.play(
        "
        user
        tool-loses-boots
        request
            Error: the request was cancelled safely: window pcw:01987a2f:00000001 has lost its boot, and what was wiped must not be sent. use /wipe-memory to start a fresh window
            abort
            request []
        wipe-command idle
            Info: the wipe was received: the model saves its work in one turn, then memory is wiped
            send manual-wipe
            subscribe
        tool-loses-boots
        ",
    );
    let manual = || custom(Tag::ManualWipe, None);
    let warning = || custom(Tag::Warning, None);
    check(&mut world, &[system(), user(), manual()], &["request fold [0] [2]"]);
    check(&mut world, &[system(), user(), manual(), foreign(), warning()], &["request fold [0] [2]"]);
    check(&mut world, &[system(), manual(), user()], &["abort", "request fold [0] []"]);
    check(&mut world, &[system(), manual(), user(), foreign()], &["abort", "request fold [0] []"]);
    let messages = [Message { at: 1, body: manual() }];
    assert_eq!(world.happens(Event::Context { messages: &messages, aborted: true }), ["abort", "request []"]);
    let ended = world.step("turn ok");
    assert!(ended[2].starts_with("boundary [checkpoint(repair 00000002)"), "{ended:?}");
}

/// E5, B20.12, G2.24: between two cuts each request begins with the one before, but for the warning at its end.
#[test]
fn requests_grow_at_the_end() {
    let mut world = World::started();
    let mut before: Vec<Message> = Vec::new();
    for turn in 0..20 {
        world.push(if turn % 3 == 0 {
            EntryKind::User
        } else {
            EntryKind::ToolResult { tool: "read".into(), failed: false }
        });
        if turn == 4 {
            world.step("toggle off");
            world.step("toggle on");
        }
        world.host.tokens = Some(Some(if turn == 0 { 1_000 } else { 130_000 + turn * 2_500 }));
        let messages = world.host.projected.clone().expect("the host can say");
        let actions = world.windows.clone().handle(
            Event::Context { messages: &messages, aborted: false },
            &world.branch,
            &mut world.host,
        );
        let projection = actions.iter().find_map(|action| match action {
            Action::Request(projection) => Some(projection),
            _ => None,
        });
        let projection = projection.expect("a request is answered");
        let sent: Vec<Message> = projection.keep.iter().map(|at| messages[*at].clone()).collect();
        assert!(sent.starts_with(&before), "turn {turn}");
        before = sent;
        world.step("request");
        world.push(EntryKind::Assistant {
            calls: true,
            text: true,
            stop: Stop::ToolUse,
            usage: TokenUsage { input: 1_000, ..TokenUsage::default() },
        });
        world.step("turn ok tools");
        world.step("turn-start");
    }
    let count = |tag| {
        world.branch.entries().iter().filter(|entry| matches!(&entry.kind, EntryKind::CustomMessage { tag: found, .. } if *found == Tag::as_str(tag))).count()
    };
    assert_eq!([count(Tag::Guidance), count(Tag::Warning)], [1, 1]);
}

/// G1.32, 0.6: the two values beside the engine.
#[test]
fn what_is_kept_for_the_case_of_a_fault() {
    let mut world = World::started();
    let closed = |world: &World| {
        let Closed { cancel_compaction, reset_window } = world.windows.closed(&world.branch);
        (cancel_compaction, reset_window)
    };
    assert_eq!(closed(&world), (true, false));
    world.step("toggle off");
    assert_eq!(closed(&world), (false, false));
    world.step("legacy-marker old");
    assert_eq!(closed(&world), (true, true));
    world = World::wiped();
    assert_eq!(closed(&world), (true, true));
    world.step("toggle off");
    assert_eq!(closed(&world), (false, true));
    let messages = [system(), user(), system()].map(|body| Message { at: 0, body });
    assert_eq!(Projection::fail_safe(&messages), Projection { fold: vec![0, 2], keep: vec![], append: None });
    assert!(Projection { fold: vec![], keep: vec![0, 1], append: None }.is_unchanged(2));
    assert!(!Projection { fold: vec![], keep: vec![0, 1], append: None }.is_unchanged(3));
    assert!(!Projection { fold: vec![], keep: vec![1, 0], append: None }.is_unchanged(2));
}
