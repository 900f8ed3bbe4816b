//! Room that gets scarce: reminder, last call, reset; overflow; models with little room.

use palimpsest_tests::{Model, ModelSpec, Script, Step, Usage};
use serde_json::json;

use super::super::{make_call, with_extension};
use super::{BOOT, GUIDANCE, WARNING, causes, kinds, said};

fn used(prompt: u64) -> Usage {
    Usage { prompt, completion: 10, cached: 0 }
}

/// A step that goes on working and reports so many tokens.
fn working(prompt: u64) -> Step {
    Step::tool("notes_list", json!({})).usage(used(prompt))
}

/// G4.1, G4.2, G2.3, G2.22: one reminder that stands behind the turn, one warning that stands in the request, and a model
/// that ignores both is reset when it stops.
#[test]
fn scarce_room_ends_in_a_reset() {
    let model = Model::start([
        working(5_000),
        working(160_000),
        working(172_000),
        Step::text("I am through").usage(used(173_000)),
        Step::text("fresh").usage(used(6_000)),
    ]);
    let spec = ModelSpec::new("roomy").context_window(200_000);
    let sandbox = with_extension(&model).models([spec]).build();
    let mut pi = sandbox.rpc();
    let run = pi.prompt("the violet anchor");
    assert_eq!(run.text(), "fresh");
    pi.wait_for_notice("memory was");
    let levels: Vec<_> = pi.notices().into_iter().map(|notice| notice.level).collect();
    // Both are durable when the fresh window's turn begins; success is told first.
    assert_eq!(levels, ["info", "warning"], "{:?}", pi.notices());
    pi.finish();
    let session = sandbox.session();
    assert_eq!([session.custom(GUIDANCE).len(), session.custom(WARNING).len()], [1, 1]);
    assert_eq!(causes(&session), ["budget"]);
    let requests = model.requests();
    assert_eq!(requests.len(), 5);
    let guided: Vec<_> =
        requests.iter().map(|request| said(request).matches("<context_window_guidance>").count()).collect();
    assert_eq!(guided, [0, 0, 0, 2, 0], "{}", said(&requests[3]));
    assert!(said(&requests[3]).trim_end().ends_with("</context_window_guidance>"), "the warning stands last");
}

/// G2.23: due before a run, the warning is stored ahead of the first request and stays where it is.
#[test]
fn the_last_call_before_a_run() {
    let model = Model::start([working(5_000), Step::text("done").usage(used(175_000))]);
    let spec = ModelSpec::new("roomy").context_window(200_000);
    let sandbox = with_extension(&model).models([spec]).build();
    let mut pi = sandbox.rpc();
    pi.prompt("the violet anchor");
    model.push([working(176_000), Step::text("saved").usage(used(177_000)), Step::text("fresh").usage(used(6_000))]);
    pi.prompt("one more thing");
    pi.finish();
    let session = sandbox.session();
    let kinds = kinds(&session);
    let at = kinds.iter().position(|kind| kind == WARNING).expect("a warning");
    assert_eq!(kinds[at - 1], "user");
    assert_eq!(session.custom(WARNING).len(), 1);
    let requests = model.requests();
    palimpsest_tests::wire::assert_prefixes(&requests[..4]);
    assert_eq!(causes(&session), ["budget"]);
}

/// G1.13, G1.26: a turn that reaches the reserve ends the window; with tool calls the work goes on, without it stops.
#[test]
fn the_hard_reserve() {
    for (last, cause, requests) in
        [(working(190_000), "reserve", 3), (Step::text("stop").usage(used(190_000)), "reserve", 2)]
    {
        let goes_on = requests == 3;
        let mut steps = vec![working(5_000), last];
        steps.extend(goes_on.then(|| Step::text("fresh").usage(used(6_000))));
        let model = Model::start(steps);
        let spec = ModelSpec::new("roomy").context_window(200_000);
        let sandbox = with_extension(&model).models([spec]).build();
        let mut pi = sandbox.rpc();
        pi.prompt("the violet anchor");
        pi.finish();
        assert_eq!(causes(&sandbox.session()), [cause]);
        assert_eq!(model.requests().len(), requests);
    }
}

/// G2.17: a request that does not fit is answered by one reset and one retry, however often it happens.
#[test]
fn overflow_is_recovered_once() {
    let too_long = || Step::error(400, "prompt is too long: 210000 tokens > 200000 maximum");
    let model = Model::start([too_long(), Step::text("fits now")]);
    let sandbox = with_extension(&model).build();
    let mut pi = sandbox.rpc();
    assert_eq!(pi.prompt("the violet anchor").text(), "fits now");
    assert_eq!(causes(&sandbox.session()), ["overflow"]);
    model.push([too_long(), too_long()]);
    pi.prompt("again");
    assert_eq!(causes(&sandbox.session()), ["overflow", "overflow"]);
    assert_eq!(model.requests().len(), 4);
    pi.finish();
}

/// G2.25: with little room there is no loop of resets and one notice at most of each kind.
#[test]
fn little_room_makes_no_loop() {
    const PROMPTS: usize = 6;
    for size in [8_192, 16_384, 32_768, 65_536] {
        for settings in [json!({}), json!({ "compaction": { "reserveTokens": 2_000 } })] {
            let model = Model::start(Script::from_fn(|_| Step::text("a stop. ".repeat(200))));
            let spec = ModelSpec::new("small").context_window(size).max_tokens(1_000);
            let sandbox = with_extension(&model).models([spec]).settings(settings.clone()).build();
            let mut pi = sandbox.rpc();
            for n in 0..PROMPTS {
                pi.prompt(&format!("question {n}"));
            }
            let mut warnings: Vec<_> =
                pi.notices().into_iter().filter(|notice| notice.message.contains("context window of")).collect();
            pi.finish();
            let asked = model.requests().len();
            assert!(asked <= 2 * PROMPTS, "{size} with {settings}: {asked} requests");
            let told = warnings.len();
            warnings.dedup();
            assert_eq!(told, warnings.len(), "{size} with {settings}: {warnings:?}");
        }
    }
}

/// G4.3, C7: what the model is told about its room, in the root window.
#[test]
fn the_countdown() {
    let model = Model::start([Step::text("hello").usage(used(50_000))]);
    let spec = ModelSpec::new("roomy").context_window(200_000);
    let sandbox = with_extension(&model).models([spec]).build();
    let mut pi = sandbox.rpc();
    pi.prompt("hi");
    let end = make_call(&mut pi, &model, "get_context_remaining", json!({}));
    pi.finish();
    let [remaining, reserve] = ["remaining_tokens", "until_reserve_tokens"].map(|key| end.structured[key].as_u64());
    assert_eq!(reserve.zip(remaining).map(|(reserve, remaining)| reserve - remaining), Some(12_288));
    assert!(reserve.is_some_and(|left| left < 200_000), "{end:?}");
    assert_eq!(sandbox.session().custom(BOOT).len(), 1);
}
