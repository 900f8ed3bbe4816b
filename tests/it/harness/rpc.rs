//! The RPC driver: queues, sessions, restarts, notices.

use palimpsest_tests::{Gate, Model, ModelSpec, Notice, Sandbox, Session, Step};
use serde_json::json;

#[test]
fn steering_and_follow_ups_are_delivered_in_their_turn() {
    let gate = Gate::new();
    let model = Model::start([
        Step::tool("read", json!({ "path": "a.txt" })).gate(&gate),
        Step::text("after steering"),
        Step::text("after follow-up"),
    ]);
    let sandbox = Sandbox::builder(&model).file("work/a.txt", "text").build();
    let mut pi = sandbox.rpc();
    pi.start_prompt("start");
    model.wait_for_requests(1);
    pi.follow_up("later");
    pi.steer("now");
    gate.open();
    assert_eq!(pi.wait_settled().text(), "after follow-up");
    pi.finish();
    assert_eq!(model.request(1).texts("user"), ["start", "now"]);
    assert_eq!(model.request(2).texts("user"), ["start", "now", "later"]);
}

#[test]
fn new_switch_fork_and_clone_change_the_session() {
    let model = Model::start(["one", "two", "fork", "clone", "new", "back"].map(Step::text));
    let sandbox = Sandbox::plain(&model);
    let mut pi = sandbox.rpc();
    pi.prompt("first");
    pi.prompt("second");
    let (original, original_file) = (pi.session_id(), pi.session_file());

    let messages = pi.fork_messages();
    assert_eq!(messages.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>(), ["first", "second"]);
    pi.fork(&messages[1].0);
    pi.prompt("second, differently");
    assert_eq!(model.last_request().texts("user"), ["first", "second, differently"]);
    let forked = pi.session_id();

    pi.clone_session();
    pi.prompt("third");
    assert_eq!(model.last_request().texts("user"), ["first", "second, differently", "third"]);
    let cloned = pi.session_id();

    pi.new_session();
    pi.prompt("fresh");
    assert_eq!(model.last_request().texts("user"), ["fresh"]);
    let fresh = pi.session_id();

    pi.switch_session(&original_file);
    assert_eq!(pi.session_id(), original);
    pi.prompt("third");
    assert_eq!(model.last_request().texts("user"), ["first", "second", "third"]);
    let entries = pi.entries();
    pi.finish();

    let mut ids: Vec<_> = sandbox.session_files().iter().map(|path| Session::read(path).id().to_owned()).collect();
    let mut expected = vec![original, forked, cloned, fresh];
    ids.sort();
    expected.sort();
    assert_eq!(ids, expected);
    assert_eq!(Session::read(&original_file).entries, entries);
}

#[test]
fn a_restart_goes_on_with_the_latest_or_a_named_session() {
    let model = Model::start(["one", "two", "three", "four"].map(Step::text));
    let sandbox = Sandbox::plain(&model);
    let mut pi = sandbox.rpc();
    pi.prompt("first");
    let first = pi.session_file();
    pi.new_session();
    pi.prompt("second");
    let second = pi.session_id();
    pi.finish();

    let mut pi = sandbox.rpc_with(&["-c"]);
    assert_eq!(pi.session_id(), second);
    pi.prompt("more");
    assert_eq!(model.last_request().texts("user"), ["second", "more"]);
    // A crash in place of an orderly end: what was answered is in the file.
    pi.kill();

    let mut pi = sandbox.rpc_with(&["--session", first.to_str().expect("a UTF-8 path")]);
    pi.prompt("again");
    assert_eq!(model.last_request().texts("user"), ["first", "again"]);
    pi.finish();
    assert_eq!(Session::read(&sandbox.session_files()[1]).texts("user"), ["second", "more"]);
}

#[test]
fn another_model_can_be_selected() {
    let model = Model::start(["one", "two"].map(Step::text));
    let specs = [ModelSpec::new("small-1").context_window(32_000), ModelSpec::new("large-1")];
    let sandbox = Sandbox::builder(&model).models(specs).build();
    let mut pi = sandbox.rpc();
    assert_eq!(pi.state()["model"]["contextWindow"], 32_000);
    pi.prompt("first");
    pi.set_model("large-1");
    assert_eq!(pi.state()["model"]["contextWindow"], 128_000);
    pi.prompt("second");
    assert!(pi.try_request(json!({ "type": "set_model", "provider": "scripted", "modelId": "none" })).is_err());
    pi.finish();
    assert_eq!(model.requests().iter().map(|it| it.model().to_owned()).collect::<Vec<_>>(), ["small-1", "large-1"]);
}

#[test]
fn notices_commands_and_errors_of_extensions_are_seen() {
    let source = r#"export default pi => {
        pi.on("session_start", (event, ctx) => ctx.ui.notify("hello from " + event.reason, "warning"));
        pi.registerCommand("say", { handler: async (args, ctx) => ctx.ui.notify(args, "error") });
        pi.registerCommand("reload-it", { handler: async (args, ctx) => ctx.reload() });
        pi.on("turn_end", () => { throw new Error("thrown on purpose"); });
    }"#;
    let model = Model::start([Step::text("ok")]);
    let sandbox = Sandbox::builder(&model).extension_file("talk.js", source).build();
    let mut pi = sandbox.rpc();
    pi.wait_for_notice("hello from startup");
    pi.command("/say one thing");
    pi.wait_for_notice("one thing");
    pi.command("/reload-it");
    pi.wait_for_notice("hello from reload");
    let notice = |level: &str, message: &str| Notice { level: level.into(), message: message.into() };
    assert_eq!(
        pi.notices(),
        [notice("warning", "hello from startup"), notice("error", "one thing"), notice("warning", "hello from reload"),]
    );
    assert_eq!(pi.extension_errors(), [json!(null); 0]);
    pi.prompt("go");
    let errors = pi.extension_errors();
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert_eq!(errors[0]["error"], "thrown on purpose");
    assert_eq!(pi.close().code, Some(0));
}

#[test]
fn a_failure_shows_what_was_seen_last() {
    let model = Model::start([]);
    let sandbox = Sandbox::builder(&model).extension_file("broken.js", "throw new Error('at load')").build();
    let mut pi = sandbox.rpc();
    let failed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| pi.wait_for("anything", |_| false)));
    let message = failed.expect_err("a panic");
    let message = message.downcast_ref::<String>().expect("a text");
    assert!(message.starts_with("pi ended while waiting for anything"), "{message}");
    assert!(message.contains("at load"), "{message}");
    assert_eq!(pi.wait_end().code, Some(1));
}
