//! What people and the model can ask for: commands, tools, compaction, branch summaries.

use palimpsest_window::*;

use crate::world::World;

/// G1.5, G2.7, B12: a person's wipe while idle starts one turn with the shared warning.
#[test]
fn a_persons_wipe_while_idle_starts_a_turn() {
    let mut world = World::started();
    world.play(
        "
        user
        assistant
        wipe-command idle
            Info: the wipe was received: the model saves its work in one turn, then memory is wiped
            send manual-wipe
            subscribe
        wipe-command idle
        run
        request
            request [0, 1, 2, 3]
        turn ok
            build pcw:01987a2f:00000001 wants Some(Manual) Open
            keep cancel reset
            boundary [checkpoint(manual 00000001), marker(00000001), boot(00000001), continuation], continue false
            unsubscribe
        entries
            boot user assistant manual-wipe checkpoint marker(pcw:01987a2f:00000001) boot continuation
        ",
    );
    let manual = world.newest(Tag::ManualWipe).to_owned();
    let mut warned = World::started();
    for step in ["user", "assistant used 1,000", "used 171,328", "run"] {
        warned.step(step);
    }
    assert_eq!(manual, warned.newest(Tag::Warning));
}

/// C5: the run that a person's wipe starts is not warned a second time before it begins.
#[test]
fn a_persons_wipe_is_warning_enough() {
    World::started().play(
        "
        user
        assistant used 1,000
        used 171,328
        wipe-command idle
            Info: the wipe was received: the model saves its work in one turn, then memory is wiped
            send manual-wipe
            subscribe
        run
        turn ok
            build pcw:01987a2f:00000001 wants Some(Manual) Open
            keep cancel reset
            boundary [checkpoint(manual 00000001), marker(00000001), boot(00000001), continuation], continue false
            unsubscribe
        ",
    );
}

/// G3.11, B12: a command during work that is no run waits once, and gives up when the window changes meanwhile.
#[test]
fn a_persons_wipe_waits_for_other_work() {
    World::started().play(
        "
        wipe-command
            wait
        idle
            Info: the wipe was received: the model saves its work in one turn, then memory is wiped
            send manual-wipe
            subscribe
        ",
    );
    for meanwhile in ["legacy-marker elsewhere", "toggle off", "tree", "shutdown"] {
        let mut world = World::started();
        assert_eq!(world.step("wipe-command"), ["wait"]);
        world.step(meanwhile);
        assert_eq!(world.step("idle"), Vec::<String>::new(), "{meanwhile}");
    }
}

/// B7, B17: a send that fails leaves nothing pending.
#[test]
fn a_failed_send_clears_the_request() {
    World::started().play(
        "
        wipe-command idle
            Info: the wipe was received: the model saves its work in one turn, then memory is wiped
            send manual-wipe
            subscribe
        send-failed
            Error: nothing was wiped: the turn before the wipe could not be started: no model. try /wipe-memory again
            unsubscribe
        turn ok
        ",
    );
}

/// G3.12, G1.4, B15: off refuses, cancels nothing and keeps nothing; on starts clean and shows the boot.
#[test]
fn windows_are_switched_off_and_on() {
    World::new().play(
        "
        start
            forget settings
            keep cancel root
            build pcw:01987a2f:root
            append boot(root)
        user
        assistant used 1,000
        used 171,328
        request
            request [0, 1, 2] + warning
            subscribe
        toggle  OFF
            keep allow root
            status
            unsubscribe
        toggle off
            keep allow root
            status
        request
            request [0, 1, 2]
        wipe-tool
            reply { \"error\": \"context windows are off, so nothing was wiped. tell your human: /pi-context on turns context windows on\", \"code\": \"windows_off\" } failed
        wipe-command idle
            Error: nothing was wiped: context windows are off. /pi-context on turns context windows on
        turn ok
        settled
        compact manual
        compact
        remaining-tool
            reply { \"remaining_tokens\": 0, \"until_reserve_tokens\": 12288 }
        tool-loses-boots
        toggle On
            keep cancel root
            build pcw:01987a2f:root
            append boot(root)
            status
        request
            request [3, 1, 2] + warning
            subscribe
        toggle status
            status
        toggle
            status
        toggle maybe
            Error: /pi-context does not know `maybe`: use on, off or status
        compact manual
            Warning: compaction was cancelled: use /wipe-memory: it starts a fresh window, and nothing is lost
            cancel compaction
        ",
    );
}

/// G1.4: after a reset, off leaves compaction to the host.
#[test]
fn off_behind_a_checkpoint_allows_compaction() {
    World::wiped().play(
        "
        toggle off
            keep allow reset
            status
        compact manual
        compact
        compact aborted
            cancel compaction
        turn ok tools
        ",
    );
}

/// G3.9, B13: off with a marker that no checkpoint backs still cancels.
#[test]
fn off_behind_a_legacy_marker_cancels_compaction() {
    World::started().play(
        "
        legacy-marker old
        toggle off
            keep cancel reset
            status
        compact manual
            Warning: compaction was cancelled: it would bring back text that was wiped. /pi-context on turns context windows on, then use /wipe-memory
            cancel compaction
        compact
            cancel compaction
        compact aborted
            cancel compaction
        ",
    );
}

/// G3.21, HF20: a person hears about each cancelled compaction, the host's own attempts are silent.
#[test]
fn cancelled_thresholds_are_silent() {
    let mut world = World::started();
    for _ in 0..10 {
        assert_eq!(world.step("compact"), ["cancel compaction"]);
    }
    let notice = "Warning: compaction was cancelled: use /wipe-memory: it starts a fresh window, and nothing is lost";
    for _ in 0..2 {
        assert_eq!(world.step("compact manual"), [notice, "cancel compaction"]);
    }
    assert_eq!(world.step("compact manual aborted"), ["cancel compaction"]);
    world.step("shutdown");
    assert_eq!(world.step("compact manual"), Vec::<String>::new(), "an instance that has ended answers nothing");
}

/// B14: a summary is skipped where a marker stands on either branch, on or off.
#[test]
fn branch_summaries_are_skipped_behind_markers() {
    let skipped = [
        "Info: no summary of the branch: it would bring back text that was wiped. the navigation goes on",
        "skip summary",
    ];
    let root = World::started().branch;
    let reset = World::wiped().branch;
    for (here, target, skips) in [(&root, &root, false), (&root, &reset, true), (&reset, &root, true)] {
        for toggle in ["toggle on", "toggle off"] {
            let mut world = World::started();
            world.step(toggle);
            world.branch = here.clone();
            let answer = world.happens(Event::BeforeTree { wants_summary: true, target });
            assert_eq!(answer, if skips { &skipped[..] } else { &[] }, "{toggle}");
            let unasked = world.happens(Event::BeforeTree { wants_summary: false, target });
            assert_eq!(unasked, Vec::<String>::new());
        }
    }
}

/// G4.16, G5.13, G5.9, 0.5: why windows are off decides who can turn them on.
#[test]
fn windows_off_from_the_start() {
    World::new().play(
        "
        start disabled
            forget settings
            keep allow root
        wipe-command idle
            Error: nothing was wiped: context windows are off. /pi-context on turns context windows on
        toggle on
            keep cancel root
            build pcw:01987a2f:root
            append boot(root)
            status
        start disabled
            forget settings
            keep allow root
        wipe-command idle
            Error: nothing was wiped: context windows are off. /pi-context on turns context windows on
        ",
    );
    World::new().play(
        "
        start missing notes_write
            Warning: context windows are off: the tools notes_write are not active. allow them (--tools, --exclude-tools) and start again; the other tools work
            forget settings
            keep allow root
        wipe-tool
            reply { \"error\": \"context windows are off, so nothing was wiped. tell your human: allow the tools notes_write and start again\", \"code\": \"windows_off\" } failed
        wipe-command idle
            Error: nothing was wiped: context windows are off. allow the tools notes_write and start again
        toggle on
            Error: context windows stay off. allow the tools notes_write and start again
        toggle off
            keep allow root
            status
        toggle on
            Error: context windows stay off. allow the tools notes_write and start again
        legacy-marker old
        compact manual
            Warning: compaction was cancelled: it would bring back text that was wiped. allow the tools notes_write and start again
            cancel compaction
        request
            Error: the request was cancelled safely: window old has lost its boot, and what was wiped must not be sent. allow the tools notes_write and start again
            abort
            request []
        ",
    );
    World::new().play(
        "
        start stand-down
            forget settings
            keep allow root
        legacy-marker old
        request
            Error: the request was cancelled safely: window old has lost its boot, and what was wiped must not be sent. remove the other extension
            abort
            request []
        compact manual
            Warning: compaction was cancelled: it would bring back text that was wiped. remove the other extension
            cancel compaction
        ",
    );
}

/// B11: the refusal is JSON, whatever the way out says.
#[test]
fn refusals_are_json() {
    let mut world = World::new();
    let stand_down = Some("delete \"C:\\pi\\x.ts\"\nor start without it".into());
    world.happens(Event::Start(Start { enabled: true, missing: Vec::new(), stand_down }));
    let refusal = "reply { \"error\": \"context windows are off, so nothing was wiped. tell your human: \
                   delete \\\"C:\\\\pi\\\\x.ts\\\" or start without it\", \"code\": \"windows_off\" } failed";
    assert_eq!(world.step("wipe-tool"), [refusal]);
}

/// B11: what `notes_written` counts.
#[test]
fn the_wipe_tool_counts_notes() {
    World::wiped().play(
        "
        result notes_write
        result notes_edit
        result notes_edit failed
        result notes_read
        wipe-tool
            reply { \"status\": \"rollover_requested\", \"notes_written\": 2 } terminate
        turn ok tools
            build pcw:01987a2f:00000002 wants Some(Tool) Open
            keep cancel reset
            boundary [checkpoint(tool 00000002), marker(00000002), boot(00000002), continuation], continue true
        wipe-tool
            reply { \"status\": \"rollover_requested\", \"notes_written\": 0 } terminate
        ",
    );
}

/// G4.3, G4.12, C7: both numbers of the countdown.
#[test]
fn the_countdown() {
    let check = |reserve: u64, used: Option<u64>, expected: [&str; 2]| {
        let mut world = World::started();
        world.host.policy.reserve = reserve;
        world.host.tokens = Some(used);
        let [remaining, until_reserve] = expected;
        let json = format!("{{ \"remaining_tokens\": {remaining}, \"until_reserve_tokens\": {until_reserve} }}");
        assert_eq!(world.step("remaining-tool"), [format!("reply {json}")], "reserve {reserve}, used {used:?}");
        world.step("toggle off");
        assert_eq!(world.step("remaining-tool"), [format!("reply {json}")], "also while off");
    };
    check(32_768, Some(72_563), ["82381", "94669"]);
    check(16_384, Some(72_563), ["98765", "111053"]);
    check(32_768, Some(167_232), ["0", "0"]);
    check(16_384, Some(200_001), ["0", "0"]);
    check(16_384, None, ["null", "null"]);
    check(16_384, Some(200_000 - 28_673), ["1", "12289"]);
    check(16_384, Some(200_000 - 16_384), ["0", "0"]);
    let mut world = World::started();
    world.host.context_window = None;
    let json = "reply { \"remaining_tokens\": null, \"until_reserve_tokens\": null }";
    assert_eq!(world.step("remaining-tool"), [json]);
}

/// 0.6, B17: a fault is told once for each text.
#[test]
fn faults_are_told_once() {
    World::started().play(
        "
        fault boom
            Error: a fault of palimpsest, the session goes on without this step: boom. please report it
        fault boom
        fault bang
            Error: a fault of palimpsest, the session goes on without this step: bang. please report it
        tree
            forget settings
            keep cancel root
        fault boom
        ",
    );
}

/// C2, C4, B17: a complaint is told once a transition.
#[test]
fn complaints_are_told_once_a_transition() {
    let mut world = World::started();
    let complain =
        |world: &mut World| world.happens(Event::Complaints(vec!["a is wrong".into(), "b\nis wrong".into()]));
    let told = ["Warning: a is wrong", "Warning: b is wrong"];
    assert_eq!(complain(&mut world), told);
    assert_eq!(complain(&mut world), Vec::<String>::new());
    for transition in ["model", "tree", "start", "shutdown"] {
        world.step(transition);
        assert_eq!(complain(&mut world), told, "{transition}");
    }
}
