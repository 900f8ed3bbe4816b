//! What a start completes, and what it leaves alone.

use palimpsest_window::*;

use crate::world::World;

/// G3.2, G2.4: a session starts with the boot of its root window, hidden, silent, once; a reload adds nothing.
#[test]
fn a_session_starts_with_its_boot() {
    let mut world = World::new();
    world.play(
        "
        start
            forget settings
            keep cancel root
            build pcw:01987a2f:root
            append boot(root)
        start
            forget settings
            keep cancel root
        shutdown
            forget settings
        start
            forget settings
            keep cancel root
        tree
            forget settings
            keep cancel root
        entries
            boot
        ",
    );
    let Some(Draft::Message { window_id, content, .. }) = world.written.first() else { panic!("a boot was due") };
    assert_eq!(window_id.as_deref(), Some("pcw:01987a2f:root"));
    let head = "<context_window>\nagent: anonymous, on the model m-1\nfirst window: pcw:01987a2f:root\n\
                current window: pcw:01987a2f:root\n</context_window>\n\n<context_window_protocol>\n";
    assert!(content.starts_with(head), "{content}");
}

/// B19, G2.28, G3.5, G3.6, G3.7: the program ends between any two drafts, in the root window and in a later one; the next
/// start completes the reset without a word and without a run, once. What was wiped is not sent at any point.
#[test]
fn a_crash_between_any_two_drafts() {
    for later in [false, true] {
        for survived in 0..=4 {
            for metadata in [false, true] {
                check_crash(later, survived, metadata);
            }
        }
    }
}

fn check_crash(later: bool, survived: usize, metadata: bool) {
    let mut world = if later { World::wiped() } else { World::started() };
    let windows = world.branch.ordinal();
    world.material.payload.data = Some("{\"kept\":true}".into());
    world.step("user");
    world.step("result notes_write");
    world.slow = true;
    world.step("wipe-tool");
    world.step("turn ok tools");
    let build = world.open.take().expect("a reset was due");
    let material = Ok(Box::new(world.material.clone()));
    let before = world.branch.entries().len();
    let mut proposed = world.clone();
    proposed.happens(Event::Built { build, material, aborted: false });
    let drafts: Vec<Draft> = proposed.written[world.written.len()..].to_vec();
    assert_eq!(drafts.len(), 4);

    for draft in &drafts[..survived] {
        world.append(draft);
        if metadata {
            world.step("metadata");
        }
    }
    world.windows = World::new().windows;
    let mut carried = world.material.clone();
    carried.payload.carry.request = Some(Quote { text: "port the parser".into(), seq: None });
    world.material = carried;
    world.slow = false;
    let case = format!("later {later}, survived {survived}, metadata {metadata}");
    let started = world.step("start");
    assert!(started.iter().all(|line| !line.starts_with("Info") && !line.starts_with("send")), "{case}: {started:?}");
    let written = world.written.len();

    let id = if later { "pcw:01987a2f:00000002" } else { "pcw:01987a2f:00000001" };
    if survived == 0 {
        assert_eq!(world.branch.entries().len(), before, "{case}");
        assert_eq!(world.branch.ordinal(), windows, "{case}");
    } else {
        assert_eq!(world.branch.window_id(), id, "{case}");
        assert!(world.branch.committed(id) && world.branch.checkpoint_backed(), "{case}: {started:?}");
        assert_eq!(world.branch.cause_of(id), Some("tool"), "{case}");
        assert_eq!(world.branch.checkpoint_data(), Some("{\"kept\":true}"), "{case}");
        let tags = world.branch.entries()[before..].iter().filter(|entry| !matches!(entry.kind, EntryKind::Metadata));
        assert_eq!(tags.count(), 4, "{case}");
        let carries = world.newest(Tag::Boot).contains("port the parser");
        assert_eq!(carries, survived < 3, "{case}: a boot that is made again carries the task");
        assert!(!world.newest(Tag::Boot).contains("No note was written"), "{case}: one was, in the window that ended");
    }
    world.step("start");
    assert_eq!(world.written.len(), written, "{case}: a second start adds nothing");
    let request = world.step("request");
    let sent = request.iter().find(|line| line.starts_with("request")).expect("an answer");
    if survived > 0 {
        assert_eq!(sent, "request [1, 2]", "{case}: boot and continuation, nothing before them");
    }
}

/// While windows are off a crash is not completed; what was wiped stays out of sight, and on completes it.
#[test]
fn off_completes_nothing() {
    let mut world = World::started();
    world.step("user");
    world.append(&Draft::Checkpoint {
        window_id: "pcw:01987a2f:0000abcd".into(),
        cause: Cause::Budget,
        data: None,
        usage: None,
    });
    world.play(
        "
        start disabled
            forget settings
            keep allow root
        request
            request []
        toggle on
            keep cancel root
            build pcw:01987a2f:0000abcd wants Some(Budget) Now
            append marker(0000abcd)
            append boot(0000abcd)
            append continuation
            keep cancel reset
            status
        entries
            boot user checkpoint marker(pcw:01987a2f:0000abcd) boot continuation
        ",
    );
}

/// G2.28: a message behind the checkpoint refuses completion.
#[test]
fn a_message_behind_a_checkpoint_refuses_completion() {
    let mut world = World::started();
    let window_id = "pcw:01987a2f:0000abcd".to_owned();
    world.append(&Draft::Checkpoint { window_id, cause: Cause::Budget, data: None, usage: None });
    world.play(
        "
        user
        start
            forget settings
            keep cancel root
            build pcw:01987a2f:root
            append boot(root)
        start
            forget settings
            keep cancel root
        entries
            boot checkpoint user boot
        ",
    );
}

/// G3.6, G3.7, G3.8, G1.25: legacy markers are repaired alike; behind conversation the boot alone is sent, carrying nothing.
#[test]
fn legacy_markers_are_repaired() {
    World::started().play(
        "
        user
        legacy-marker old
        metadata
        start
            forget settings
            keep cancel reset
            build old wants None Now
            append boot(old)
            append continuation
        start
            forget settings
            keep cancel reset
        request
            request [2, 3]
        ",
    );
    let mut world = World::started();
    world.material.payload.carry.request = Some(Quote { text: "port the parser".into(), seq: None });
    world.play(
        "
        user
        legacy-marker old
        user
        start
            forget settings
            keep cancel reset
            build old
            append boot(old)
        start
            forget settings
            keep cancel reset
        entries
            boot user marker(old) user boot
        ",
    );
    let boot = world.newest(Tag::Boot);
    assert!(boot.contains("previous window: pcw:01987a2f:root\n") && !boot.contains("port the parser"), "{boot}");
}

/// G2.27, B19: the host compacted while windows were off; on shows a boot again, once, and the next reset is a normal one.
#[test]
fn on_behind_a_compaction_of_the_host() {
    World::wiped().play(
        "
        user
        toggle off
            keep allow reset
            status
        compact manual
        host-compaction
        user
        request
            request [0, 1]
        assistant used 30,000
        turn ok
        toggle on
            keep cancel reset
            build pcw:01987a2f:00000001
            append boot(00000001)
            status
        toggle on
            keep cancel reset
            status
        request
            request [0, 1, 2, 3]
        wipe-tool
            reply { \"status\": \"rollover_requested\", \"notes_written\": 0 } terminate
        turn ok tools
            build pcw:01987a2f:00000002 wants Some(Tool) Open
            keep cancel reset
            boundary [checkpoint(tool 00000002), marker(00000002), boot(00000002), continuation], continue true
        turn-start
            Info: memory was cleared; the new window is pcw:01987a2f:00000002. notes and history are all there
        entries
            boot user assistant checkpoint marker(pcw:01987a2f:00000001) boot continuation user compaction user assistant boot checkpoint marker(pcw:01987a2f:00000002) boot continuation
        ",
    );
}

/// A9: navigation onto a checkpoint, onto a boot's parent and onto a continuation's parent.
#[test]
fn navigation_is_repaired() {
    for (onto, appended) in [(3, 3), (4, 2), (5, 1), (6, 0)] {
        let mut world = World::wiped();
        assert_eq!(
            world.step("entries"),
            ["boot user assistant checkpoint marker(pcw:01987a2f:00000001) boot continuation"]
        );
        world.step(&format!("rewind {onto}"));
        let followed = world.step("tree");
        assert_eq!(followed.iter().filter(|line| line.starts_with("append")).count(), appended, "{followed:?}");
        assert!(world.branch.committed("pcw:01987a2f:00000001"));
    }
}

/// G3.4, G3.14, A8: a build that is stale, aborted or failed appends nothing; the next start tries again.
#[test]
fn stale_repairs_append_nothing() {
    for meanwhile in ["tree", "start", "toggle off", "toggle on", "shutdown", "legacy-marker other"] {
        let mut world = World::new();
        world.slow = true;
        world.step("start");
        let build = world.open.take();
        world.step(meanwhile);
        world.open = build;
        assert_eq!(world.step("built"), Vec::<String>::new(), "{meanwhile}");
        world.open = None;
        world.slow = false;
    }
    World::new().play(
        "
        slow
        start
            forget settings
            keep cancel root
            build pcw:01987a2f:root
        built aborted
        start
            forget settings
            keep cancel root
            build pcw:01987a2f:root
        built failed
            Error: the boot of this window could not be built: disk on fire. /pi-context on tries again
        start
            forget settings
            keep cancel root
            build pcw:01987a2f:root
        built
            append boot(root)
        start
            forget settings
            keep cancel root
        ",
    );
    let mut world = World::started();
    let window_id = "pcw:01987a2f:0000abcd".to_owned();
    world.append(&Draft::Checkpoint { window_id, cause: Cause::Budget, data: None, usage: None });
    world.play(
        "
        slow
        start
            forget settings
            keep cancel root
            build pcw:01987a2f:0000abcd wants Some(Budget) Now
        user
        built
        ",
    );
}

/// A8: a checkpoint that appears while a boot is built makes the boot stale: its window is about to end.
#[test]
fn a_checkpoint_overtakes_a_boot() {
    let mut world = World::new();
    world.slow = true;
    world.step("start");
    world.append(&Draft::Checkpoint { window_id: "open".into(), cause: Cause::Tool, data: None, usage: None });
    assert_eq!(world.step("built"), Vec::<String>::new());
}

/// B17: unreadable homes are told once for a window, a boot over its limit once until the next start.
#[test]
fn what_boots_lack_is_told_once() {
    let mut world = World::started();
    world.material.snapshot.homes = vec![HomeNotes { home: Home::Human, notes: None }];
    world.material.context_window = Some(40);
    let mut again = |step: &str| {
        world.step("tool-loses-boots");
        let told = world.step(step);
        ["Warning: the boot lacks", "Warning: the boot of the fresh"]
            .map(|text| told.iter().any(|line| line.starts_with(text)))
    };
    assert_eq!(again("toggle on"), [true, true]);
    assert_eq!(again("toggle on"), [false, false]);
    assert_eq!(again("start"), [false, true]);
}

/// A8: conversation that begins while a repair is built makes it a boot alone, without payload.
#[test]
fn a_repair_that_conversation_overtakes() {
    let mut world = World::started();
    world.material.payload.carry.request = Some(Quote { text: "port the parser".into(), seq: None });
    world.play(
        "
        user
        legacy-marker old
        slow
        start
            forget settings
            keep cancel reset
            build old wants None Now
        user
        built
            append boot(old)
        ",
    );
    assert!(!world.newest(Tag::Boot).contains("port the parser"));
}

/// A9, G4: a fork of a root-only branch has another root id, so it gets its own boot; one with markers keeps them.
#[test]
fn forks() {
    let fork = |world: &World| {
        let mut forked = World::new();
        forked.branch = Branch::new("fffe0000-fork", 0);
        for entry in world.branch.entries() {
            forked.push(entry.kind.clone());
        }
        forked.written = world.written.clone();
        forked
    };
    let mut root = World::started();
    root.step("user");
    fork(&root).play(
        "
        start
            forget settings
            keep cancel root
            build pcw:fffe0000:root
            append boot(root)
        request
            request [2, 1]
        start
            forget settings
            keep cancel root
        ",
    );
    let mut reset = fork(&World::wiped());
    reset.play(
        "
        start
            forget settings
            keep cancel reset
        wipe-tool
            reply { \"status\": \"rollover_requested\", \"notes_written\": 0 } terminate
        turn ok tools
            build pcw:fffe0000:00000001 wants Some(Tool) Open
            keep cancel reset
            boundary [checkpoint(tool 00000001), marker(00000001), boot(00000001), continuation], continue true
        ",
    );
    let boot = reset.newest(Tag::Boot);
    let ids = "first window: pcw:fffe0000:root\ncurrent window: pcw:fffe0000:00000001\nprevious window: pcw:01987a2f:00000001\n";
    assert!(boot.contains(ids), "{boot}");
}

/// The host cannot say what it shows: nothing is appended on a guess.
#[test]
fn an_unknown_projection_appends_nothing() {
    let mut world = World::new();
    world.host.projected = None;
    world.play(
        "
        start
            forget settings
            keep cancel root
        ",
    );
}
