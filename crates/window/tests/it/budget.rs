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

fn message(at: i64, body: Body) -> Message {
    Message { at, body }
}

fn answer(at: i64, stop: Stop, usage: TokenUsage) -> Message {
    message(at, Body::Assistant { units: 7, stop, usage })
}

/// C9: the same number as the host's AI layer, on messages whose estimate it gave.
#[test]
fn the_estimate() {
    let used = |input| TokenUsage { input, output: 10, cache_read: 100, cache_write: 1_000, reported_total: 0 };
    let user = |at, text| message(at, Body::User(Weight { text, blocks: 0 }));
    let check = |messages: &[Message], expected: u64| assert_eq!(estimate(messages), expected, "{messages:?}");
    check(&[], 0);
    // 3.5 units a token, rounded up for each message; 4,800 units a block that is no text.
    for (units, tokens) in [(0, 0), (1, 1), (3, 1), (4, 2), (7, 2), (8, 3), (3_500, 1_000), (3_501, 1_001)] {
        check(&[user(1, units)], tokens);
    }
    check(&[user(1, 1), user(1, 1)], 2);
    check(&[message(1, Body::ToolResult(Weight { text: 1, blocks: 2 }))], 2_744);
    check(&[message(1, Body::System { text: 1, added: 1, removed: 1 })], 3);
    check(&[message(1, Body::System { text: 8, added: 0, removed: 0 })], 3);
    check(&[message(1, Body::Unsent)], 0);
    check(&[message(1, Body::Summary { empty: true, weight: Weight { text: 7, blocks: 0 } })], 2);
    // What an answer cost counts for all before it, the last one wins, and what follows is estimated.
    check(&[user(1, 9_000), answer(2, Stop::Stop, used(5)), user(3, 7)], 1_115 + 2);
    check(&[answer(2, Stop::Stop, used(5)), answer(3, Stop::ToolUse, used(6)), user(4, 7)], 1_116 + 2);
    check(&[answer(2, Stop::Stop, TokenUsage { reported_total: 50, ..used(5) })], 50);
    // Failures, answers without a cost, and answers older than what stands before them do not count.
    for (at, stop, usage) in [
        (2, Stop::Aborted, used(5)),
        (2, Stop::Error, used(5)),
        (2, Stop::Stop, TokenUsage::default()),
        (0, Stop::Stop, used(5)),
    ] {
        check(&[user(1, 7), answer(at, stop, usage), user(3, 7)], 6);
    }
    check(&[user(2, 7), answer(2, Stop::Stop, used(5))], 1_115);
    check(&[user(9, 7), user(1, 7), answer(5, Stop::Stop, used(5))], 6);
    // A message that is not sent does not age the answers behind it.
    check(&[message(9, Body::Unsent), answer(2, Stop::Stop, used(5))], 1_115);
}

/// C8: usage of a reset window is an estimate of what is sent; behind a marker alone, from its boot on.
#[test]
fn usage_of_reset_windows() {
    let boot = |window: &str| Body::Custom {
        tag: Tag::Boot.as_str().into(),
        window_id: Some(window.into()),
        weight: Weight { text: 3_500, blocks: 0 },
    };
    let user = |text| Body::User(Weight { text, blocks: 0 });
    let system = || Body::System { text: 350, added: 0, removed: 0 };
    let wrapper = || Body::Summary { empty: true, weight: Weight { text: 35, blocks: 0 } };
    let used = |world: &mut World, bodies: &[Body]| {
        world.host.projected = Some(bodies.iter().map(|body| message(1, body.clone())).collect());
        world.windows.view(&world.branch, &mut world.host).room.map(|room| room.used)
    };
    let mut world = World::wiped();
    world.host.tokens = Some(None);
    let id = world.branch.window_id().to_owned();
    assert_eq!(used(&mut world, &[system(), wrapper(), boot(&id), user(7)]), Some(100 + 1_000 + 2));
    assert_eq!(used(&mut world, &[system(), wrapper(), user(7)]), Some(100 + 2), "a hidden boot is not sent");
    let mut world = World::started();
    world.step("legacy-marker old");
    world.host.tokens = Some(Some(77));
    assert_eq!(used(&mut world, &[system(), user(99_999), boot("old"), user(7)]), Some(100 + 1_000 + 2));
    assert_eq!(used(&mut world, &[system(), user(99_999), user(7)]), None, "the slice fails");
    world.step("host-compaction");
    assert_eq!(used(&mut world, &[system(), user(35)]), Some(100 + 10));
    world.host.projected = None;
    assert_eq!(world.windows.view(&world.branch, &mut world.host).room, None);
    let mut root = World::started();
    root.host.tokens = Some(Some(77));
    assert_eq!(used(&mut root, &[user(35)]), Some(77), "the host's own number in the root window");
}

/// B8: the baseline of growth.
#[test]
fn growth_begins_at_the_first_request() {
    let held = |world: &mut World, used: u64| {
        world.host.tokens = Some(Some(used));
        let mut world = world.clone();
        world.step("turn ok").iter().any(|line| line.starts_with("Warning"))
    };
    // The first answer that says what its request cost.
    let mut world = World::started();
    for step in ["user", "assistant error used 5", "assistant used 185,000", "assistant used 10"] {
        world.step(step);
    }
    assert_eq!([held(&mut world, 189_095), held(&mut world, 189_096)], [true, false]);
    // No such answer: an estimate of what stood before the first one.
    let mut world = World::started();
    world.step("user");
    let opening = estimate(world.host.projected.as_ref().expect("the host can say"));
    world.step("assistant");
    world.host.policy.reserve = opening + 4_094;
    world.host.context_window = Some(2 * (opening + 4_094) + 1);
    assert_eq!([held(&mut world, opening + 4_095), held(&mut world, opening + 4_096)], [true, false]);
    // No answer at all: nothing has grown.
    let mut world = World::started();
    world.step("user");
    assert!(held(&mut world, 199_000));
}
