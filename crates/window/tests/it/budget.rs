//! Lines, stages, estimates: when the model is told that room gets scarce.

use palimpsest_window::*;

use crate::world::{SESSION, World};

/// G4.14, G4.8, C1: shares are rounded down, and change nothing in large windows.
#[test]
fn the_lines() {
    let check = |reserve: u64, margin: u64, size: u64, [warning, reminder]: [u64; 2], stages: bool| {
        let lines = Lines::of(&Policy { reserve, automatic: true, margin }, size);
        assert_eq!(lines, Lines { reserve, warning, reminder, stages }, "reserve {reserve}, window {size}");
    };
    check(16_384, 24_576, 200_000, [28_672, 40_960], true);
    check(2_000, 24_576, 122_880, [2_000 + 12_288, 2_000 + 24_576], true);
    check(2_000, 24_576, 122_879, [2_000 + 12_287, 2_000 + 24_575], true);
    check(2_000, 24_576, 32_768, [2_000 + 3_276, 2_000 + 6_553], true);
    check(30_000, 20_000, 200_000, [42_288, 50_000], true);
    check(100_000, 24_576, 200_000, [112_288, 124_576], false);
    check(99_999, 24_576, 200_000, [112_287, 124_575], true);
    check(u64::MAX, u64::MAX, 200_000, [u64::MAX, u64::MAX], false);
    check(0, 1, 0, [0, 0], false);
}

/// G4.1, G4.4, C5: the reminder is staged and durable at the end of the turn; once in a window.
#[test]
fn the_reminder() {
    World::started().play(
        "
        user
        assistant used 1,000
        used 159,039
        request
            request [0, 1, 2]
        turn ok
        used 159,040
        request
            request [0, 1, 2]
        request
            request [0, 1, 2]
        turn ok
            boundary [guidance]
        turn-start
        request
            request [0, 1, 2, 3]
        turn ok
        ",
    );
}

/// G4.5, G4.13: other lines in other windows.
#[test]
fn reminders_at_other_lines() {
    for (reserve, margin, silent, fires) in [(50_000, 40_000, 309_999, 310_000), (100_000, 30_000, 269_999, 270_000)] {
        let mut world = World::started();
        world.host.policy = Policy { reserve, automatic: true, margin };
        world.host.context_window = Some(400_000);
        for (used, drafts) in [(silent, &[][..]), (fires, &["boundary [guidance]"][..])] {
            world.host.tokens = Some(Some(used));
            world.step("request");
            assert_eq!(world.step("turn ok"), drafts, "used {used}");
        }
    }
}

/// G4.7, G5.4: a jump across both lines gives the warning alone, and no reminder follows, also behind a reload.
#[test]
fn a_jump_across_both_lines() {
    World::started().play(
        "
        user
        assistant used 1,000
        used 171,328
        request
            request [0, 1, 2] + warning
            subscribe
        turn ok tools
            boundary [warning]
        start
            forget settings
            keep cancel root
            unsubscribe
        used 165,000
        request
            request [0, 1, 2, 3]
        turn ok
        toggle off
            keep allow root
            status
        toggle on
            keep cancel root
            status
        used 171,328
        request
            request [0, 1, 2, 3]
            subscribe
        turn ok tools
        ",
    );
}

/// B16, B17: a start tells again what a window was told before.
#[test]
fn a_start_tells_again_that_a_window_is_held() {
    let mut world = World::started();
    for step in ["user", "assistant used 168,000", "used 172,095"] {
        world.step(step);
    }
    for (step, told) in [("run", true), ("run", false), ("start", true), ("tree", true), ("toggle on", false)] {
        world.step(step);
        assert_eq!(world.step("request").iter().any(|line| line.starts_with("Warning")), told, "{step}");
    }
}

/// C5.3: a warning takes the place of a reminder that is staged.
#[test]
fn a_warning_displaces_a_staged_reminder() {
    World::started().play(
        "
        user
        assistant used 1,000
        used 165,000
        request
            request [0, 1, 2]
        used 172,000
        request
            request [0, 1, 2] + warning
            subscribe
        turn ok tools
            boundary [warning]
        ",
    );
}

/// G2.1, C5: with automatic off only the reminder is there, below the warning's line too.
#[test]
fn without_automatic_there_is_only_the_reminder() {
    World::started().play(
        "
        automatic no
        user
        assistant used 1,000
        used 180,000
        run
        request
            request [0, 1, 2]
        turn aborted
        settled aborted
        request
            request [0, 1, 2]
        turn ok
            boundary [guidance]
        turn-start
        used 190,000
        turn ok tools
        ",
    );
}

/// G2.2, G2.21: an aborted warning leaves nothing durable, and reaches the model with the retry too.
#[test]
fn an_aborted_warning_is_given_again() {
    World::started().play(
        "
        user
        assistant used 1,000
        used 171,328
        request
            request [0, 1, 2] + warning
            subscribe
        turn aborted
            unsubscribe
        run-end aborted
        settled aborted
        request
            request [0, 1, 2] + warning
            subscribe
        turn ok tools
            boundary [warning]
        turn-start
            Warning: the context is almost full, and the model was told to save its work: close out now, the wipe follows
        turn-start
        request
            request [0, 1, 2, 3]
        turn error
            unsubscribe
        settle error
        settled
        request
            request [0, 1, 2, 3]
            subscribe
        turn ok
        settle ok
            build pcw:01987a2f:00000001 wants Some(Budget) Now
            keep cancel reset
            boundary [checkpoint(budget 00000001), marker(00000001), boot(00000001), continuation], continue true
            unsubscribe
        ",
    );
}

/// A failed request drops what was staged for it.
#[test]
fn settlement_drops_what_is_staged() {
    World::started().play(
        "
        user
        assistant used 1,000
        used 159,040
        request
            request [0, 1, 2]
        settled
        turn ok
        ",
    );
    for transition in ["model", "tree", "start", "toggle off"] {
        let mut world = World::started();
        for step in ["user", "assistant used 1,000", "used 159,040", "request", transition, "toggle on"] {
            world.step(step);
        }
        assert_eq!(world.step("turn ok"), Vec::<String>::new(), "{transition}");
    }
}

/// B20.5, C6, B17: a warning that did not become durable before the settlement is not announced later.
#[test]
fn what_settlement_drops_is_not_announced() {
    for end in ["settled", "tree", "toggle off", "nothing"] {
        let mut world = World::started();
        for step in ["user", "assistant used 1,000", "used 171,328"] {
            world.step(step);
        }
        let injected = world.windows.handle(Event::BeforeRun, &world.branch, &mut world.host);
        let [Action::Inject(warning)] = injected.as_slice() else { panic!("a warning was due") };
        if end != "nothing" {
            world.step(end);
        }
        if end == "nothing" {
            // The host lost the message: the warning is staged again, and still announced once.
            let mut again = world.clone();
            for step in ["request", "turn ok tools"] {
                again.step(step);
            }
            assert_eq!([again.step("turn-start").len(), again.step("turn-start").len()], [1, 0]);
        }
        let mut elsewhere = Branch::new(&format!("{}-elsewhere", &SESSION[..8]), 0);
        elsewhere.push(warning.to_entry("e", 0));
        std::mem::swap(&mut world.branch, &mut elsewhere);
        assert_eq!(world.step("turn-start"), Vec::<String>::new(), "another session's warning");
        std::mem::swap(&mut world.branch, &mut elsewhere);
        world.append(warning);
        assert_eq!(world.step("turn-start").len(), usize::from(end == "nothing"), "{end}");
    }
}

/// G2.23, C5: due before a run, the warning is durable ahead of the first request, and stays after an abort.
#[test]
fn a_warning_before_a_run() {
    World::started().play(
        "
        user
        assistant used 1,000
        used 171,328
        user
        run
            inject warning
        request
            request [0, 1, 2, 3, 4]
            subscribe
        turn-start
            Warning: the context is almost full, and the model was told to save its work: close out now, the wipe follows
        turn aborted
            unsubscribe
        settled aborted
        run
        entries
            boot user assistant user warning
        ",
    );
}

/// C5: nothing is said where usage is unknown, windows are off, or before the first start.
#[test]
fn without_facts_nothing_is_said() {
    World::started().play(
        "
        used unknown
        run
        request
            request [0]
        turn ok
        used 190,000
        toggle off
            keep allow root
            status
        run
        request
            request [0]
        turn ok tools
        ",
    );
    World::new().play(
        "
        used 190,000
        run
        request
            request []
        turn ok tools
        ",
    );
}

/// G4.15, C1: a reserve of half the window or more turns the stages off, with one notice until either changes.
#[test]
fn a_large_reserve_turns_the_stages_off() {
    World::started().play(
        "
        user
        assistant used 1,000
        reserve 100,000
        used 199,000
        run
        request
            Warning: the reserve of 100,000 tokens takes half or more of the context window of 200,000: no reminder, warning or automatic wipe. lower compaction.reserveTokens; /wipe-memory works
            request [0, 1, 2]
        request
            request [0, 1, 2]
        turn ok tools
        turn overflow
            subscribe
        settle error
            build pcw:01987a2f:00000001 wants Some(Overflow) Now
            keep cancel reset
            boundary [checkpoint(overflow 00000001), marker(00000001), boot(00000001), continuation], continue true
            unsubscribe
        context-window 100,000
        request
            Warning: the reserve of 100,000 tokens takes half or more of the context window of 100,000: no reminder, warning or automatic wipe. lower compaction.reserveTokens; /wipe-memory works
            request [1, 2]
        request
            request [1, 2]
        reserve 99,999
        context-window 200,000
        assistant used 99,000
        assistant used 199,000
        request
            request [1, 2, 3, 4] + warning
            subscribe
        ",
    );
}

/// C1, B17: what changed in between and is back is told again.
#[test]
fn stages_that_come_and_go() {
    let mut world = World::started();
    for (reserve, told) in [(100_000, true), (100_000, false), (99_999, false), (100_000, true), (100_001, true)] {
        world.host.policy.reserve = reserve;
        assert_eq!(world.step("request").iter().any(|line| line.starts_with("Warning")), told, "{reserve}");
    }
}

/// G2.25: small windows and a model that only stops: a bounded number of requests and one notice of each kind.
#[test]
fn small_windows_do_not_loop() {
    let sizes = [8_192, 16_384, 32_768, 65_536];
    let cases = sizes.into_iter().flat_map(|size| [(size, 16_384, false), (size, 1_000, false), (size, 1_000, true)]);
    for (size, reserve, grows) in cases {
        let mut world = World::started();
        if grows {
            world.step("assistant used 100");
        }
        world.host.context_window = Some(size);
        world.host.policy.reserve = reserve;
        let mut notices = Vec::new();
        let mut requests = 0;
        world.push(EntryKind::User);
        let mut proceed = true;
        while proceed {
            requests += 1;
            assert!(requests < 10, "window {size}, reserve {reserve}: {notices:?}");
            proceed = false;
            notices.extend(world.step("request"));
            let input = size - size / 20;
            let usage = TokenUsage { input, ..TokenUsage::default() };
            world.push(EntryKind::Assistant { calls: false, text: true, stop: Stop::Stop, usage });
            world.host.tokens = Some(Some(input));
            for step in ["turn ok", "settle ok"] {
                let followed = world.step(step);
                proceed |= followed.iter().any(|line| line.ends_with("continue true"));
                notices.extend(followed);
            }
        }
        let warnings = notices.iter().filter(|line| line.starts_with("Warning")).count();
        assert!(requests <= 2 && warnings <= 1, "window {size}, reserve {reserve}: {requests} requests, {notices:?}");
    }
}
