//! What a boundary proposes, and what is left of it when the world moves on meanwhile.

use palimpsest_window::*;

use crate::world::{SESSION, World};

/// G1.6: a build that fails keeps what other parts proposed, and says why once.
#[test]
fn a_failed_build_keeps_the_budgets_drafts() {
    World::started().play(
        "
        user
        assistant used 1,000
        used 171,328
        slow
        request
            request [0, 1, 2] + warning
            subscribe
        wipe-tool
            reply { \"status\": \"rollover_requested\", \"notes_written\": 0 } terminate
            unsubscribe
        turn ok tools
            build pcw:01987a2f:00000001 wants Some(Budget) Open
        built failed
            Warning: memory was not wiped, because the boot could not be built: disk on fire. ask again with /wipe-memory
            boundary [warning]
        turn ok
        ",
    );
    World::started().play(
        "
        slow
        wipe-tool
            reply { \"status\": \"rollover_requested\", \"notes_written\": 0 } terminate
        turn ok tools
            build pcw:01987a2f:00000001 wants Some(Tool) Open
        built failed
            Warning: memory was not wiped, because the boot could not be built: disk on fire. ask again with /wipe-memory
            boundary []
        turn-start
        ",
    );
}

/// G1.7, G1.29, G1.31, G2.31, G3.14, B10, B20.11: stale and aborted builds return what others proposed, and no word.
#[test]
fn a_stale_build_resets_nothing() {
    for meanwhile in ["tree", "start", "toggle off", "toggle on", "legacy-marker elsewhere", "aborted", "shutdown"] {
        for failed in ["", " failed"] {
            let mut world = World::started();
            for step in
                ["user", "assistant used 1,000", "used 171,328", "slow", "request", "wipe-tool", "turn ok tools"]
            {
                world.step(step);
            }
            let answer = if meanwhile == "aborted" {
                world.step(&format!("built aborted{failed}"))
            } else {
                let build = world.open.take();
                world.step(meanwhile);
                world.open = build;
                world.step(&format!("built{failed}"))
            };
            assert_eq!(answer, ["boundary [warning]"], "{meanwhile}{failed}");
            assert!(world.branch.windows().all(|window| !window.ends_with(":00000001")), "{meanwhile}");
        }
    }
}

/// B16: work of one session is stale in another.
#[test]
fn a_build_of_another_session_resets_nothing() {
    let mut world = World::started();
    for step in ["slow", "wipe-tool", "turn ok tools"] {
        world.step(step);
    }
    let mut other = Branch::new(&format!("{}-other", &SESSION[..8]), 0);
    std::mem::swap(&mut world.branch, &mut other);
    assert_eq!(world.step("built"), ["boundary []"]);
}

/// G1.28, G1.33, A2: what the caller gives stands in the checkpoint, byte for byte, and nowhere else.
#[test]
fn data_and_usage_go_into_the_checkpoint() {
    let mut world = World::started();
    world.material.payload.data = Some("{\"ctxvars\": {\"v\":1,  \"x\":[1.10]}}".into());
    world.material.payload.usage = Some("{\"input\":12}".into());
    world.play(
        "
        wipe-tool
            reply { \"status\": \"rollover_requested\", \"notes_written\": 0 } terminate
        turn ok tools
            build pcw:01987a2f:00000001 wants Some(Tool) Open
            keep cancel reset
            boundary [checkpoint(tool 00000001 data {\"ctxvars\": {\"v\":1,  \"x\":[1.10]}} usage {\"input\":12}), marker(00000001), boot(00000001), continuation], continue true
        ",
    );
    assert_eq!(world.branch.checkpoint_data(), Some("{\"ctxvars\": {\"v\":1,  \"x\":[1.10]}}"));
    assert_eq!(world.branch.cause_of(world.branch.window_id()), Some("tool"));
}

/// G1.20, G2.3, B1, B20.4: reminder and warning stand before the checkpoint, the warning's notice comes all the same.
#[test]
fn drafts_stand_in_the_closed_order() {
    World::started().play(
        "
        user
        assistant used 1,000
        used 159,040
        request
            request [0, 1, 2]
        wipe-tool
            reply { \"status\": \"rollover_requested\", \"notes_written\": 0 } terminate
        turn ok tools
            build pcw:01987a2f:00000001 wants Some(Tool) Open
            keep cancel reset
            boundary [guidance, checkpoint(tool 00000001), marker(00000001), boot(00000001), continuation], continue true
        turn-start
            Info: memory was cleared; the new window is pcw:01987a2f:00000001. notes and history are all there
        ",
    );
    World::started().play(
        "
        user
        assistant calls used 1,000
        used 171,328
        request
            request [0, 1, 2] + warning
            subscribe
        used 183,616
        turn ok tools
            build pcw:01987a2f:00000001 wants Some(Reserve) Open
            keep cancel reset
            boundary [warning, checkpoint(reserve 00000001), marker(00000001), boot(00000001), continuation], continue true
            unsubscribe
        turn-start
            Info: memory was cleared; the new window is pcw:01987a2f:00000001. notes and history are all there
            Warning: the context is almost full, and the model was told to save its work: close out now, the wipe follows
        turn-start
        settled
        ",
    );
}

/// G1.29: the payload is asked for once, and its absence costs only itself.
#[test]
fn a_missing_payload_costs_only_itself() {
    let mut world = World::started();
    world.material.payload.carry.request = Some(Quote { text: "port the parser".into(), seq: Some(3) });
    world.material.payload.pins =
        vec![Pin { label: "var_7".into(), text: "the invariant".into(), chars: 13, decayable: true }];
    for step in ["user", "wipe-tool"] {
        world.step(step);
    }
    let ended = world.step("turn ok tools");
    assert_eq!(ended.iter().filter(|line| line.starts_with("build")).count(), 1);
    let boot = world.newest(Tag::Boot);
    assert!(boot.contains("port the parser") && boot.contains("the invariant") && !boot.contains("Summary"), "{boot}");
}

/// B10, D6: what the caller is told about the window that ended, at a reset, at a repair and at a completion.
#[test]
fn the_window_that_ended() {
    let mut world = World::wiped();
    for step in ["metadata", "foreign", "user", "result notes_write", "metadata", "slow", "wipe-tool", "turn ok tools"]
    {
        world.step(step);
    }
    let ids = |world: &World| {
        let entries = world.branch.entries();
        let id =
            |wanted: fn(&EntryKind) -> bool| entries.iter().rfind(|entry| wanted(&entry.kind)).map(|it| it.id.clone());
        let started = entries.iter().find(|entry| entry.marker_id().is_some()).expect("a marker").at;
        (id(|kind| matches!(kind, EntryKind::User)), id(|kind| matches!(kind, EntryKind::ToolResult { .. })), started)
    };
    let (first, last, started_at) = ids(&world);
    let window = "pcw:01987a2f:00000001".to_owned();
    let expected = Ended { window: window.clone(), started_at, wrote_note: true, first, last };
    let build = world.open.take().expect("a reset was due");
    assert_eq!((build.ended(), build.previous()), (Some(&expected), Some(window.as_str())));
    assert_eq!(build.names(), &Names { agent: "anonymous".into(), model: "m-1".into() });
    let material = Ok(Box::new(world.material.clone()));
    let mut reset = world.clone();
    reset.happens(Event::Built { build, material, aborted: false });
    for survived in 1..=2 {
        let mut crashed = world.clone();
        let drafts = reset.written[world.written.len()..].iter();
        drafts.take(survived).for_each(|draft| crashed.append(draft));
        crashed.step("start");
        let build = crashed.open.take().expect("a boot was due");
        assert_eq!((build.ended(), build.previous()), (Some(&expected), Some(window.as_str())), "survived {survived}");
        assert_eq!(build.window(), "pcw:01987a2f:00000002");
        let wanted = Wanted { cause: Some(Cause::Tool), deadline: Deadline::Now, data: None };
        assert_eq!((build.wanted(), build.is_boundary()), (Some(&wanted), false));
    }
}

/// G2.10: unreadable homes are named in the boot and once to people; the reset happens.
#[test]
fn unreadable_homes_do_not_keep_a_reset_back() {
    let mut world = World::started();
    let homes = [Home::Session, Home::Project, Home::Human, Home::Agent, Home::Model];
    world.material.snapshot.homes = homes.map(|home| HomeNotes { home, notes: None }).into();
    world.play(
        "
        wipe-tool
            reply { \"status\": \"rollover_requested\", \"notes_written\": 0 } terminate
        turn ok tools
            build pcw:01987a2f:00000001 wants Some(Tool) Open
            Warning: the boot lacks notes that could not be read: @human, @self, @model, @project, this session. the model can retry with notes_list
            keep cancel reset
            boundary [checkpoint(tool 00000001), marker(00000001), boot(00000001), continuation], continue true
        ",
    );
    let boot = world.newest(Tag::Boot);
    assert_eq!(boot.matches("These notes could not be read; notes_list can retry.").count(), 5, "{boot}");
    assert!(boot.contains("<context_window_protocol>"));
}

/// G3.17, B17: a boot that stays over its limit is accepted, with one notice.
#[test]
fn a_boot_over_its_limit_is_accepted() {
    let mut world = World::started();
    world.material.context_window = Some(400);
    world.play(
        "
        wipe-tool
            reply { \"status\": \"rollover_requested\", \"notes_written\": 0 } terminate
        turn ok tools
            build pcw:01987a2f:00000001 wants Some(Tool) Open
            Warning: the boot of the fresh window takes 2,140 bytes, over its limit of 64 KiB and 100 tokens; it was sent as it is. unpin or shorten what it quotes
            keep cancel reset
            boundary [checkpoint(tool 00000001), marker(00000001), boot(00000001), continuation], continue true
        ",
    );
}

/// B20.2: whoever asks for a wipe while one is being built has it; nothing is pending in the fresh window.
#[test]
fn a_request_during_a_build_is_satisfied_by_it() {
    World::started().play(
        "
        user
        slow
        wipe-tool
            reply { \"status\": \"rollover_requested\", \"notes_written\": 0 } terminate
        turn ok tools
            build pcw:01987a2f:00000001 wants Some(Tool) Open
        wipe-command running
            Info: the wipe is queued for the end of the running turn
            subscribe
        built
            keep cancel reset
            boundary [checkpoint(tool 00000001), marker(00000001), boot(00000001), continuation], continue true
            unsubscribe
        turn ok
        ",
    );
    let mut world = World::started();
    world.append(&Draft::Checkpoint { window_id: "open".into(), cause: Cause::Tool, data: None, usage: None });
    world.play(
        "
        slow
        start
            forget settings
            keep cancel root
            build open wants Some(Tool) Now
        wipe-command running
            Info: the wipe is queued for the end of the running turn
            subscribe
        built
            append marker(open)
            append boot(open)
            append continuation
            keep cancel reset
            unsubscribe
        turn ok
        ",
    );
}

/// B16: a start or a change of branch drops the announcement of a reset; so do off and a settlement without it.
#[test]
fn announcements_do_not_outlive_their_branch() {
    for (step, told) in [("start", false), ("tree", false), ("toggle off", false), ("metadata", true)] {
        let mut world = World::started();
        for step in ["wipe-tool", "turn ok tools", step] {
            world.step(step);
        }
        assert_eq!(world.step("turn-start").len(), usize::from(told), "{step}");
    }
    // The host did not append what was proposed.
    let mut world = World::started();
    world.slow = true;
    for step in ["wipe-tool", "turn ok tools"] {
        world.step(step);
    }
    let build = world.open.take().expect("a reset was due");
    let material = Ok(Box::new(world.material.clone()));
    let built = Event::Built { build, material, aborted: false };
    let actions = world.windows.handle(built, &world.branch, &mut world.host);
    let Some(Action::Boundary(boundary)) = actions.last() else { panic!("a boundary was due") };
    assert_eq!(world.step("turn-start"), Vec::<String>::new());
    assert_eq!(world.step("settled"), Vec::<String>::new());
    boundary.drafts.iter().for_each(|draft| world.append(draft));
    assert_eq!(world.step("turn-start"), Vec::<String>::new());
}

/// A2: only a person's wipe repairs; the model's own keeps its cause in a window that has lost its boot.
#[test]
fn a_window_without_its_boot_ends_with_its_own_cause() {
    let mut world = World::wiped();
    for step in ["tool-loses-boots", "wipe-tool"] {
        world.step(step);
    }
    let ended = world.step("turn ok tools");
    assert!(ended[2].starts_with("boundary [checkpoint(tool 00000002)"), "{ended:?}");
}

/// A1: an id that the branch has is not drawn again.
#[test]
fn ids_are_drawn_until_unused() {
    let mut world = World::wiped();
    world.host.drawn = 0;
    for step in ["wipe-tool", "turn ok tools"] {
        world.step(step);
    }
    let windows: Vec<_> = world.branch.windows().collect();
    assert_eq!(windows, ["pcw:01987a2f:root", "pcw:01987a2f:00000001", "pcw:01987a2f:00000002"]);
}
