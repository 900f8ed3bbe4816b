//! How many tokens messages take, and how far a window has grown.

use palimpsest_window::*;

use crate::world::World;

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
