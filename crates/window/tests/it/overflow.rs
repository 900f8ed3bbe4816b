//! Overflows: recovered once in a chain, and only where that is wanted.

use palimpsest_window::*;

use crate::world::World;

/// B8: only a message of the model can overflow.
#[test]
fn a_turn_without_an_answer_does_not_overflow() {
    for (stop, armed) in [(None, false), (Some(Stop::Error), true)] {
        let turn = TurnEnd { outcome: Outcome::Completed, stop, aborted: false, overflow: true, tools: false };
        assert_eq!(World::started().happens(Event::TurnEnd(turn)).len(), usize::from(armed));
    }
}

/// G1.8, G1.16, G1.17: B5 row 2, B6 rows 2 and 4.
#[test]
fn an_overflow_is_recovered_once_in_a_chain() {
    World::started().play(
        "
        user
        assistant error
        turn overflow
            subscribe
        settle error
            build pcw:01987a2f:00000001 wants Some(Overflow) Now
            keep cancel reset
            boundary [checkpoint(overflow 00000001), marker(00000001), boot(00000001), continuation], continue true
            unsubscribe
        assistant error
        turn overflow
            subscribe
        settle error
            unsubscribe
        settle error
        assistant
        turn ok
        user
        assistant error
        turn overflow
            subscribe
        settle error
            build pcw:01987a2f:00000002 wants Some(Overflow) Now
            keep cancel reset
            boundary [checkpoint(overflow 00000002), marker(00000002), boot(00000002), continuation], continue true
            unsubscribe
        ",
    );
    World::started().play(
        "
        user
        assistant error
        turn overflow
            subscribe
        queued yes
        settle error
        settle error
        queued no
        user
        assistant
        turn ok
            unsubscribe
        settle ok
        ",
    );
    World::started().play(
        "
        user
        assistant error
        queued yes
        turn overflow
        queued no
        settle error
        ",
    );
    World::started().play(
        "
        user
        assistant length
        turn length
            subscribe
        settle ok
            build pcw:01987a2f:00000001 wants Some(Overflow) Now
            keep cancel reset
            boundary [checkpoint(overflow 00000001), marker(00000001), boot(00000001), continuation], continue true
            unsubscribe
        ",
    );
    World::started().play(
        "
        user
        assistant
        turn silent
            subscribe
        settle ok
            build pcw:01987a2f:00000001 wants Some(Overflow) Now
            keep cancel reset
            boundary [checkpoint(overflow 00000001), marker(00000001), boot(00000001), continuation], continue false
            unsubscribe
        ",
    );
}

/// G1.16: a request made while the second recovery of a chain is refused is lost, with a word.
#[test]
fn a_spent_chain_drops_a_request() {
    World::started().play(
        "
        user
        assistant error
        turn overflow
            subscribe
        settle error
            build pcw:01987a2f:00000001 wants Some(Overflow) Now
            keep cancel reset
            boundary [checkpoint(overflow 00000001), marker(00000001), boot(00000001), continuation], continue true
            unsubscribe
        assistant error
        turn overflow
            subscribe
        wipe-command running
            Info: the wipe is queued for the end of the running turn
        settle error
            Warning: memory was not wiped: the request did not fit the model's context window. ask again with /wipe-memory
            unsubscribe
        ",
    );
}

/// G1.16, B5 row 2, B6 row 3: what defers or forbids a recovery does not end the chain.
#[test]
fn a_spent_chain_stays_spent() {
    World::started().play(
        "
        user
        assistant error
        turn overflow
            subscribe
        settle error
            build pcw:01987a2f:00000001 wants Some(Overflow) Now
            keep cancel reset
            boundary [checkpoint(overflow 00000001), marker(00000001), boot(00000001), continuation], continue true
            unsubscribe
        user
        queued yes
        assistant error
        turn overflow
        queued no
        assistant error
        turn overflow
            subscribe
        automatic no
        settle error
            unsubscribe
        automatic yes
        assistant error
        turn overflow
            subscribe
        settle error
            unsubscribe
        turn error
        turn overflow
            subscribe
        settle error
            unsubscribe
        ",
    );
}

/// G1.17, B6 row 2: a deferred recovery keeps a close-out, unless the attempt failed.
#[test]
fn a_deferred_recovery_and_a_close_out() {
    for (settle, ends) in [("settle ok", true), ("settle error", false)] {
        let mut world = World::started();
        for step in ["user", "assistant used 1,000", "turn overflow", "used 171,328", "request", "queued yes", settle] {
            world.step(step);
        }
        for step in ["queued no", "turn ok"] {
            world.step(step);
        }
        let ended = world.step("settle ok");
        assert_eq!(
            ended.iter().any(|line| line.starts_with("boundary [checkpoint(budget ")),
            ends,
            "{settle}: {ended:?}"
        );
    }
}

/// G1.18: B6 rows 1 and 3.
#[test]
fn an_overflow_is_not_recovered_when_nothing_is_automatic() {
    World::started().play(
        "
        user
        automatic no
        assistant error
        turn overflow
        automatic yes
        settle error
        ",
    );
    World::started().play(
        "
        user
        assistant error
        turn overflow
            subscribe
        automatic no
        settle error
            unsubscribe
        automatic yes
        settle error
        ",
    );
    World::started().play(
        "
        user
        assistant error
        turn overflow
            subscribe
        settle aborted
            unsubscribe
        settle error
        ",
    );
    World::started().play(
        "
        user
        assistant error
        turn overflow
            subscribe
        toggle off
            keep allow root
            status
            unsubscribe
        settle error
        ",
    );
}
