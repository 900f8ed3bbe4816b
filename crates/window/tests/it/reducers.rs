//! When a window ends: the reducers row by row, as scripts.

use crate::world::World;

/// G1.1, G1.2, G1.3, G3.3, G3.10, B5 row 5.
#[test]
fn the_models_wipe_commits_at_the_end_of_its_turn() {
    World::started().play(
        "
        user
        assistant calls
        wipe-tool
            reply { \"status\": \"rollover_requested\", \"notes_written\": 0 } terminate
        wipe-tool
            reply { \"status\": \"rollover_already_pending\", \"notes_written\": 0 } terminate
        result other
        turn ok tools
            build pcw:01987a2f:00000001 wants Some(Tool) Open
            keep cancel reset
            boundary [checkpoint(tool 00000001), marker(00000001), boot(00000001), continuation], continue true
        turn-start
            Info: memory was cleared; the new window is pcw:01987a2f:00000001. notes and history are all there
        turn-start
        entries
            boot user assistant other checkpoint marker(pcw:01987a2f:00000001) boot continuation
        ",
    );
}

/// G1.9: B4 arm, B5 row 8, B6 rows 7 and 11.
#[test]
fn a_close_out_survives_turns_and_ends_the_window_at_settlement() {
    World::started().play(
        "
        user
        assistant used 1,000
        used 171,328
        request
            request [0, 1, 2] + warning
            subscribe
        request
            request [0, 1, 2]
        turn ok tools
            boundary [warning]
        used 171,400
        request
            request [0, 1, 2, 3]
        turn ok
        queued yes
        settle ok
        queued no
        settle ok
            build pcw:01987a2f:00000001 wants Some(Budget) Now
            keep cancel reset
            boundary [checkpoint(budget 00000001), marker(00000001), boot(00000001), continuation], continue true
            unsubscribe
        settled
            Info: memory was cleared; the new window is pcw:01987a2f:00000001. notes and history are all there
            Warning: the context is almost full, and the model was told to save its work: close out now, the wipe follows
        entries
            boot user assistant warning checkpoint marker(pcw:01987a2f:00000001) boot continuation
        ",
    );
}

/// G1.10: a wipe by the model within a close-out has the cause `budget` and continues.
#[test]
fn the_model_may_end_a_close_out_itself() {
    World::started().play(
        "
        user
        assistant used 1,000
        used 171,328
        request
            request [0, 1, 2] + warning
            subscribe
        wipe-tool
            reply { \"status\": \"rollover_requested\", \"notes_written\": 0 } terminate
            unsubscribe
        turn ok tools
            build pcw:01987a2f:00000001 wants Some(Budget) Open
            keep cancel reset
            boundary [warning, checkpoint(budget 00000001), marker(00000001), boot(00000001), continuation], continue true
        ",
    );
}

/// G1.11: arming does not displace what the model or a person asked for.
#[test]
fn a_close_out_displaces_nothing() {
    World::started().play(
        "
        user
        assistant used 1,000
        used 171,328
        wipe-tool
            reply { \"status\": \"rollover_requested\", \"notes_written\": 0 } terminate
        request
            request [0, 1, 2] + warning
        turn ok tools
            build pcw:01987a2f:00000001 wants Some(Tool) Open
            keep cancel reset
            boundary [warning, checkpoint(tool 00000001), marker(00000001), boot(00000001), continuation], continue true
        ",
    );
    World::started().play(
        "
        user
        assistant used 1,000
        used 171,328
        wipe-command running
            Info: the wipe is queued for the end of the running turn
            subscribe
        request
            request [0, 1, 2] + warning
        turn ok
            build pcw:01987a2f:00000001 wants Some(Manual) Open
            keep cancel reset
            boundary [warning, checkpoint(manual 00000001), marker(00000001), boot(00000001), continuation], continue false
            unsubscribe
        ",
    );
}

/// G1.12: B6 row 9.
#[test]
fn a_close_out_needs_the_automatic_policy() {
    World::started().play(
        "
        user
        assistant used 1,000
        used 171,328
        request
            request [0, 1, 2] + warning
            subscribe
        turn ok
            boundary [warning]
        automatic no
        settle ok
            unsubscribe
        automatic yes
        settle ok
        ",
    );
}

/// G1.13, G1.24, G1.26: B5 rows 6 and 7, the growth guard at its edge.
#[test]
fn the_hard_reserve_ends_a_window_that_has_grown() {
    for (grown, tools) in [(true, true), (true, false), (false, true)] {
        let mut world = World::started();
        world.step("user");
        world.step(if grown { "assistant calls used 179,520" } else { "assistant calls used 179,521" });
        world.step("used 183,616");
        let ended = world.step(if tools { "turn ok tools" } else { "turn ok" });
        let [first, ..] = ended.as_slice() else { panic!("nothing happened") };
        match grown {
            true => {
                assert!(first.ends_with("wants Some(Reserve) Open"), "{ended:?}");
                assert!(ended[2].ends_with(&format!(", continue {tools}")), "{ended:?}");
            }
            false => {
                let held = "Warning: a context window of 200,000 tokens leaves this work too little room";
                assert!(ended.len() == 1 && first.starts_with(held), "{ended:?}");
                assert_eq!(world.step("turn ok tools"), Vec::<String>::new(), "one notice a window");
            }
        }
    }
}

/// G1.24: the guard holds back the close-out, its warning and its fallback; never a wipe that someone asked for.
#[test]
fn the_guard_holds_back_the_budget_alone() {
    World::started().play(
        "
        user
        assistant used 168,000
        used 172,095
        run
        request
            Warning: a context window of 200,000 tokens leaves this work too little room: a wipe now would free next to nothing, so it is held back. use a model with a larger window, or lower compaction.reserveTokens
            request [0, 1, 2]
        turn ok
        settle ok
        wipe-tool
            reply { \"status\": \"rollover_requested\", \"notes_written\": 0 } terminate
        turn ok tools
            build pcw:01987a2f:00000001 wants Some(Tool) Open
            keep cancel reset
            boundary [checkpoint(tool 00000001), marker(00000001), boot(00000001), continuation], continue true
        ",
    );
    World::started().play(
        "
        user
        assistant used 168,000
        used 172,096
        request
            request [0, 1, 2] + warning
            subscribe
        turn ok
            boundary [warning]
        used 172,095
        settle ok
            Warning: a context window of 200,000 tokens leaves this work too little room: a wipe now would free next to nothing, so it is held back. use a model with a larger window, or lower compaction.reserveTokens
            unsubscribe
        settle ok
        wipe-command running
            Info: the wipe is queued for the end of the running turn
            subscribe
        turn ok
            build pcw:01987a2f:00000001 wants Some(Manual) Open
            keep cancel reset
            boundary [checkpoint(manual 00000001), marker(00000001), boot(00000001), continuation], continue false
            unsubscribe
        ",
    );
}

/// G1.14, G1.15, G1.23: B5 rows 1 and 3, B6 rows 1 and 6, B7.
#[test]
fn failure_and_abort_drop_what_is_pending() {
    for end in ["turn aborted", "turn marked-aborted", "turn ok signal", "run-end aborted", "settled aborted"] {
        let mut world = World::started();
        world.step("wipe-command running");
        assert_eq!(world.step(end), ["unsubscribe"], "{end}: a user's abort is silent");
        assert_eq!(world.step("turn ok"), Vec::<String>::new(), "{end}");
    }
    World::started().play(
        "
        wipe-command running
            Info: the wipe is queued for the end of the running turn
            subscribe
        turn error
            Warning: memory was not wiped: the turn failed. ask again with /wipe-memory
            unsubscribe
        turn ok
        ",
    );
    World::started().play(
        "
        wipe-command running
            Info: the wipe is queued for the end of the running turn
            subscribe
        turn overflow
            Warning: memory was not wiped: the request did not fit the model's context window. ask again with /wipe-memory
        ",
    );
    World::started().play(
        "
        wipe-tool
            reply { \"status\": \"rollover_requested\", \"notes_written\": 0 } terminate
        turn error
        turn ok
        ",
    );
    World::started().play(
        "
        wipe-command running
            Info: the wipe is queued for the end of the running turn
            subscribe
        settle error
        settled
            Warning: memory was not wiped: the run ended without a turn that could be followed by a wipe. ask again with /wipe-memory
            unsubscribe
        settled
        ",
    );
    World::started().play(
        "
        wipe-command running
            Info: the wipe is queued for the end of the running turn
            subscribe
        settle aborted
            unsubscribe
        settled aborted
        ",
    );
    World::started().play(
        "
        user
        assistant used 1,000
        used 171,328
        request
            request [0, 1, 2] + warning
            subscribe
        settle error
            unsubscribe
        settle ok
        ",
    );
    World::started().play(
        "
        wipe-tool
            reply { \"status\": \"rollover_requested\", \"notes_written\": 0 } terminate
        settled
        turn ok
        ",
    );
}

/// G1.19: facts are read where a row asks, and not before.
#[test]
fn facts_are_read_lazily() {
    World::started().play(
        "
        user
        reads
            queued 0, policy 0, usage 0, projection 2
        turn overflow
            subscribe
        reads
            queued 1, policy 1, usage 0, projection 0
        queued yes
        settle error
        reads
            queued 1, policy 0, usage 0, projection 0
        settled aborted
            unsubscribe
        turn aborted
        reads
            queued 0, policy 0, usage 0, projection 0
        turn error
        reads
            queued 0, policy 0, usage 0, projection 0
        turn ok
        reads
            queued 0, policy 2, usage 1, projection 0
        ",
    );
    World::started().play(
        "
        reads
            queued 0, policy 0, usage 0, projection 2
        toggle off
            keep allow root
            status
        turn ok
        reads
            queued 0, policy 0, usage 0, projection 0
        ",
    );
}

/// G1.21, G1.22: B4 manual rows, B5 row 5, B6 row 8.
#[test]
fn a_persons_wipe_is_deduplicated_upgrades_and_does_not_continue() {
    World::started().play(
        "
        wipe-command running
            Info: the wipe is queued for the end of the running turn
            subscribe
        wipe-command running
        turn ok tools
            build pcw:01987a2f:00000001 wants Some(Manual) Open
            keep cancel reset
            boundary [checkpoint(manual 00000001), marker(00000001), boot(00000001), continuation], continue false
            unsubscribe
        ",
    );
    World::started().play(
        "
        wipe-tool
            reply { \"status\": \"rollover_requested\", \"notes_written\": 0 } terminate
        wipe-command running
            Info: the wipe is queued for the end of the running turn
            subscribe
        wipe-tool
            reply { \"status\": \"rollover_already_pending\", \"notes_written\": 0 } terminate
        turn ok tools
            build pcw:01987a2f:00000001 wants Some(Manual) Open
            keep cancel reset
            boundary [checkpoint(manual 00000001), marker(00000001), boot(00000001), continuation], continue false
            unsubscribe
        ",
    );
    World::started().play(
        "
        user
        assistant
        turn ok
        wipe-command running
            Info: the wipe is queued for the end of the running turn
            subscribe
        settle ok
            build pcw:01987a2f:00000001 wants Some(Manual) Now
            keep cancel reset
            boundary [checkpoint(manual 00000001), marker(00000001), boot(00000001), continuation], continue false
            unsubscribe
        settled
            Info: memory was cleared; the new window is pcw:01987a2f:00000001. notes and history are all there
        ",
    );
    World::started().play(
        "
        user
        assistant
        turn ok
        wipe-command running
            Info: the wipe is queued for the end of the running turn
            subscribe
        queued yes
        settle ok
        queued no
        assistant
        turn ok
            build pcw:01987a2f:00000001 wants Some(Manual) Open
            keep cancel reset
            boundary [checkpoint(manual 00000001), marker(00000001), boot(00000001), continuation], continue false
            unsubscribe
        ",
    );
}

/// G1.25, G1.27, B20.10: a window that an automatic continue opened goes on only after work of its own.
#[test]
fn a_window_that_only_talks_ends_without_a_continue() {
    let script = |between: &[&str]| {
        let mut world = World::wiped();
        for step in between.iter().chain(&["assistant used 30,000", "assistant used 175,000", "request", "turn ok"]) {
            world.step(step);
        }
        let restarted = {
            let mut restarted = world.clone();
            restarted.windows = World::new().windows;
            for step in ["start", "request"] {
                restarted.step(step);
            }
            restarted.step("settle ok")
        };
        let ended = world.step("settle ok");
        assert_eq!(restarted, ended, "a restart changes nothing");
        ended
    };
    for (between, proceed) in [
        (&[][..], false),
        (&["user"][..], true),
        (&["result read"][..], true),
        (&["assistant calls used 29,000"][..], true),
    ] {
        let ended = script(between);
        let boundary = ended.iter().find(|line| line.starts_with("boundary")).expect("the window ended");
        assert!(boundary.ends_with(&format!("continue {proceed}")), "{between:?}: {boundary}");
    }
}

/// B3: a request of another window counts as none, and is gone with the next transition.
#[test]
fn a_request_ends_with_its_window() {
    for transition in ["turn ok", "settle ok"] {
        let mut world = World::started();
        for step in ["user", "wipe-command running", "legacy-marker elsewhere"] {
            world.step(step);
        }
        assert_eq!(world.step(transition), ["unsubscribe"]);
        assert_eq!(world.step("turn ok"), Vec::<String>::new());
        world.step("rewind 1");
        assert_eq!(world.step("turn ok"), Vec::<String>::new(), "{transition}");
    }
}

/// G1.30: settlements are listened to only while one could end the window.
#[test]
fn settlements_are_listened_to_while_armed() {
    World::started().play(
        "
        wipe-tool
            reply { \"status\": \"rollover_requested\", \"notes_written\": 0 } terminate
        settled
        wipe-command running
            Info: the wipe is queued for the end of the running turn
            subscribe
        shutdown
            forget settings
            unsubscribe
        ",
    );
    World::started().play(
        "
        assistant error
        turn overflow
            subscribe
        tree
            forget settings
            keep cancel root
            unsubscribe
        ",
    );
}
