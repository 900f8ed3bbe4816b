//! What the scripted model sends and records.

use std::time::{Duration, Instant};

use palimpsest_tests::{Gate, Model, ModelSpec, Sandbox, Script, Step, Usage};
use serde_json::json;

#[test]
fn text_in_chunks_arrives_in_pieces_and_whole() {
    let model = Model::start([Step::chunks(["one ", "two ", "drei ✓"]).chunk_delay(Duration::from_millis(1))]);
    let sandbox = Sandbox::plain(&model);
    let mut pi = sandbox.rpc();
    let run = pi.prompt("count");
    let deltas: Vec<_> = run
        .of_type("message_update")
        .iter()
        .filter(|event| event["assistantMessageEvent"]["type"] == "text_delta")
        .map(|event| event["assistantMessageEvent"]["delta"].as_str().unwrap_or_default().to_owned())
        .collect();
    assert_eq!(
        (deltas.as_slice(), run.text().as_str()),
        (["one ", "two ", "drei ✓"].map(String::from).as_slice(), "one two drei ✓")
    );
    pi.finish();
    assert_eq!(sandbox.session().texts("user"), ["count"]);
    assert_eq!(sandbox.session().texts("assistant"), ["one two drei ✓"]);
}

#[test]
fn several_tool_calls_in_one_answer_run_and_return() {
    let model = Model::start([
        Step::text("looking")
            .and_tool("read", json!({ "path": "ä.txt" }))
            .and_tool("read", json!({ "path": "missing.txt" }))
            .with_id("second")
            .and_raw_tool("read", "{not json"),
        Step::text("done"),
    ]);
    let sandbox = Sandbox::builder(&model).file("work/ä.txt", "inhalt").build();
    let mut pi = sandbox.rpc();
    let run = pi.prompt("read");
    pi.finish();
    let ends: Vec<_> = run.tools().into_iter().map(|end| (end.call_id, end.name, end.is_error)).collect();
    let mut sorted = ends.clone();
    sorted.sort();
    let end = |id: &str, is_error| (id.to_owned(), "read".to_owned(), is_error);
    assert_eq!(sorted, [end("call_0_0", false), end("call_0_2", true), end("second", true)]);
    let last = model.last_request();
    assert_eq!(last.tool_result("call_0_0").as_deref(), Some("inhalt"));
    assert!(last.tool_result("second").is_some_and(|text| text.contains("missing.txt")));
    let stored: Vec<_> = sandbox.session().tool_results().into_iter().map(|it| (it.call_id, it.is_error)).collect();
    assert_eq!(stored, [("call_0_0".to_owned(), false), ("second".to_owned(), true), ("call_0_2".to_owned(), true)]);
}

#[test]
fn usage_numbers_reach_the_session() {
    let usage = Usage { prompt: 1_000, completion: 20, cached: 900 };
    let model = Model::start([Step::text("ok").usage(usage)]);
    let sandbox = Sandbox::plain(&model);
    let mut pi = sandbox.rpc();
    pi.prompt("go");
    pi.finish();
    let session = sandbox.session();
    let stored = &session.messages("assistant")[0]["usage"];
    assert_eq!((&stored["input"], &stored["output"], &stored["cacheRead"]), (&json!(100), &json!(20), &json!(900)));
}

#[test]
fn http_errors_are_retried_or_reported() {
    let model = Model::start([
        Step::error(500, "overloaded"),
        Step::text("better").delay(Duration::from_millis(1)),
        Step::error(400, "no such thing"),
    ]);
    let sandbox = Sandbox::plain(&model);
    let mut pi = sandbox.rpc();
    let retried = pi.prompt("first");
    assert_eq!((retried.text().as_str(), retried.of_type("auto_retry_start").len()), ("better", 1));
    let failed = pi.prompt("second");
    assert!(failed.error().is_some_and(|error| error.contains("no such thing")), "{:?}", failed.error());
    pi.finish();
    assert_eq!(model.requests().len(), 3);
}

#[test]
fn an_answer_that_hangs_ends_with_the_abort_and_is_recorded_so() {
    let model = Model::start([Step::hang(), Step::chunks(["half"]).then_hang(), Step::text("whole")]);
    let sandbox = Sandbox::plain(&model);
    let mut pi = sandbox.rpc();
    for (index, what) in ["before the first byte", "in the middle"].iter().enumerate() {
        pi.start_prompt(what);
        model.wait_for_requests(index + 1);
        if index == 1 {
            pi.wait_for("the first half", |event| event["assistantMessageEvent"]["delta"] == "half");
        }
        pi.abort();
        assert!(pi.wait_settled().aborted());
        model.wait_for_abort(index);
    }
    assert_eq!(pi.prompt("again").text(), "whole");
    pi.finish();
    let ends: Vec<_> = model.requests().iter().map(|it| (it.aborted, it.answered)).collect();
    assert_eq!(ends, [(true, false), (true, false), (false, true)]);
}

#[test]
fn delays_hold_an_answer_back() {
    let delay = Duration::from_millis(60);
    let model = Model::start([Step::chunks(["a", "b"]).delay(delay).chunk_delay(delay)]);
    let sandbox = Sandbox::plain(&model);
    let mut pi = sandbox.rpc();
    let start = Instant::now();
    pi.prompt("slowly");
    assert!(start.elapsed() >= 3 * delay);
    pi.finish();
}

#[test]
fn a_gate_holds_an_answer_back_until_it_opens() {
    let gate = Gate::new();
    let model = Model::start([Step::text("open").gate(&gate)]);
    let sandbox = Sandbox::plain(&model);
    let mut pi = sandbox.rpc();
    pi.start_prompt("knock");
    model.wait_for_requests(1);
    assert_eq!(pi.state()["isStreaming"], true);
    gate.open();
    assert_eq!(pi.wait_settled().text(), "open");
    pi.finish();
}

#[test]
fn a_script_can_be_a_function_of_the_request() {
    let model = Model::start(Script::from_fn(|request| {
        let asked = request.texts("user").pop().unwrap_or_default();
        Step::text(format!("{} to {} says {asked}", request.index, request.model()))
    }));
    let sandbox = Sandbox::builder(&model).models([ModelSpec::new("echo-1")]).build();
    let mut pi = sandbox.rpc();
    assert_eq!(pi.prompt("hello").text(), "0 to echo-1 says hello");
    assert_eq!(pi.prompt("bye").text(), "1 to echo-1 says bye");
    pi.finish();
}

#[test]
fn an_exhausted_script_unused_steps_and_strange_urls_are_problems() {
    let model = Model::start([Step::text("only")]);
    let sandbox = Sandbox::plain(&model);
    let mut pi = sandbox.rpc();
    pi.prompt("one");
    assert_eq!(model.problems(), [""; 0]);
    let run = pi.prompt("two");
    assert!(run.error().is_some_and(|error| error.contains("the script is exhausted")), "{:?}", run.error());
    pi.finish();
    assert_eq!(model.take_problems(), ["the script is exhausted: request 1 found no step"]);

    model.push([Step::text("never")]);
    let problems = model.take_problems();
    assert!(problems.len() == 1 && problems[0].starts_with("1 steps were never asked for"), "{problems:?}");

    let other = Sandbox::plain(&model);
    let text = std::fs::read_to_string(other.agent_dir().join("models.json")).expect("models.json");
    std::fs::write(other.agent_dir().join("models.json"), text.replace("/v1", "/v2")).expect("models.json");
    other.print(&["hello"]);
    assert_eq!(model.take_problems(), ["unexpected request: POST /v2/chat/completions"]);
}

#[test]
fn a_model_that_goes_with_problems_fails_its_test() {
    let unused = std::panic::catch_unwind(|| drop(Model::start([Step::text("never")])));
    let message = unused.expect_err("a panic");
    let message = message.downcast_ref::<String>().expect("a text");
    assert!(message.starts_with("scripted model: 1 steps were never asked for"), "{message}");
}

#[test]
fn compat_flags_decide_where_a_later_system_message_goes() {
    // An extension that adds a tool after the first prompt: the host must tell the model somehow.
    let source = r#"export default pi => pi.registerCommand("grow", { handler: async () => pi.registerTool({
        name: "grown", label: "Grown", description: "grown", parameters: { type: "object", properties: {} },
        execute: async () => ({ content: [{ type: "text", text: "ok" }] }) }) });"#;
    for mid_conversation in [false, true] {
        let spec = ModelSpec::new("flags-1");
        let spec = if mid_conversation { spec.mid_conversation() } else { spec };
        let model = Model::start([Step::text("one"), Step::text("two")]);
        let sandbox = Sandbox::builder(&model).models([spec]).extension_file("grow.js", source).build();
        let mut pi = sandbox.rpc();
        pi.prompt("first");
        pi.command("/grow");
        pi.prompt("second");
        pi.finish();
        let roles: Vec<_> =
            model.request(1).messages().iter().map(|it| it["role"].as_str().unwrap_or_default().to_owned()).collect();
        let systems = roles.iter().filter(|role| *role == "system").count();
        assert_eq!(systems > 1, mid_conversation, "roles {roles:?}");
        let told = model.request(1).text.contains("grown");
        assert!(told, "the new tool is in the request");
    }
}
