//! Print mode, JSON mode and the terminal; what the sandbox keeps out.

use palimpsest_tests::{Model, Sandbox, Step};
use serde_json::json;

#[test]
fn print_mode_prints_the_last_answer() {
    let model = Model::start([Step::tool("read", json!({ "path": "a.txt" })), Step::text("it says text")]);
    let sandbox = Sandbox::builder(&model).file("work/a.txt", "text").build();
    let exit = sandbox.print(&["what does it say?"]);
    assert_eq!((exit.code, exit.stdout.as_str(), exit.stderr.as_str()), (Some(0), "it says text\n", ""));
}

#[test]
fn print_mode_fails_with_the_model() {
    let model = Model::start([Step::error(400, "broken on purpose")]);
    let exit = Sandbox::plain(&model).print(&["hello"]);
    assert_eq!((exit.code, exit.stdout.as_str()), (Some(1), ""));
    assert!(exit.stderr.contains("broken on purpose"), "{}", exit.stderr);
}

#[test]
fn json_mode_prints_the_header_and_the_events() {
    let model = Model::start([Step::text("fine")]);
    let sandbox = Sandbox::plain(&model);
    let run = sandbox.json(&["how are you?"]);
    let types: Vec<_> = run.records.iter().map(|record| record["type"].as_str().unwrap_or_default()).collect();
    assert_eq!((run.exit.code, types.first(), types.last()), (Some(0), Some(&"session"), Some(&"agent_settled")));
    assert_eq!(run.records[0]["id"], sandbox.session().id());
}

#[test]
fn the_terminal_shows_what_is_typed_and_answered() {
    let model = Model::start([Step::text("an answer for the **screen**")]);
    let sandbox = Sandbox::plain(&model);
    let mut terminal = sandbox.terminal(40, 100);
    terminal.wait_ready();
    terminal.wait_for("scripted-1");
    terminal.type_text("a question from the keyboard");
    terminal.wait_for("a question from the keyboard");
    terminal.type_text("\r");
    terminal.wait_for("an answer for the screen");
    assert!(terminal.color_of("an answer").is_some(), "{}", terminal.text());
    terminal.type_text("/quit\r");
    assert!(terminal.wait_end());
    assert_eq!(sandbox.session().texts("user"), ["a question from the keyboard"]);
}

#[test]
fn the_sandbox_lets_nothing_in_and_nothing_out() {
    let model = Model::start([
        Step::tool("bash", json!({ "command": "env | cut -d= -f1 | sort | tr '\\n' ' '; pwd" })),
        Step::text("done"),
    ]);
    let sandbox = Sandbox::builder(&model).env("EXTRA", "1").build();
    let mut pi = sandbox.rpc();
    let environment = pi.prompt("look around").tool().text;
    pi.finish();
    assert!(environment.contains("EXTRA HOME LANG"), "{environment}");
    assert!(!environment.contains("CARGO"), "{environment}");
    assert!(environment.trim_end().ends_with(&sandbox.work().display().to_string()), "{environment}");
    let root = sandbox.root().to_owned();
    drop(sandbox);
    assert!(!root.exists());
}
