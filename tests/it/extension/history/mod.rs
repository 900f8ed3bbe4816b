//! The history tools in the real Pi: what the model finds again, whichever way the session went.

mod live;
mod project;
mod tools;
mod windows;

use std::path::{Path, PathBuf};

use palimpsest_tests::{Model, Rpc, Sandbox, Step, ToolEnd};
use serde_json::{Value, json};

/// Says something and gets that answer.
fn say(pi: &mut Rpc, model: &Model, prompt: &str, answer: &str) {
    model.push([Step::text(answer)]);
    assert_eq!(pi.prompt(prompt).text(), answer);
}

/// The contents of a page, what the helpers of these tests say left out.
fn contents(end: &ToolEnd) -> Vec<String> {
    assert!(!end.is_error, "{}", end.text);
    let rows = end.structured["items"].as_array().expect("items");
    let said = rows.iter().filter_map(|row| row["content"].as_str());
    said.filter(|text| !["go on", "done"].contains(text)).map(str::to_owned).collect()
}

/// Everything that was said on the active branch, from a call of its own.
fn said(pi: &mut Rpc, model: &Model) -> Vec<String> {
    contents(&super::make_call(pi, model, "history_list", json!({ "limit": 1_000 })))
}

/// The seq of the event with that text.
fn seq_of(end: &ToolEnd, content: &str) -> Value {
    let rows = end.structured["items"].as_array().expect("items");
    let row = rows.iter().find(|row| row["content"] == content);
    row.unwrap_or_else(|| panic!("{content:?} is not in {}", end.text))["seq"].clone()
}

/// The folder in which the host keeps the sessions of a working folder.
fn sessions_of(sandbox: &Sandbox, folder: &str) -> PathBuf {
    let cwd = sandbox.root().canonicalize().expect("the sandbox").join(folder).display().to_string();
    sandbox.agent_dir().join("sessions").join(format!("--{}--", cwd.trim_start_matches('/').replace('/', "-")))
}

/// A path as an argument.
fn text(path: &Path) -> &str {
    path.to_str().expect("a UTF-8 path")
}
