//! The extension in the real Pi. Tests name the acceptance lines of the specification that they prove.

mod errors;
mod history;
mod identity;
mod installs;
mod modes;
mod obstacles;
mod screen;
mod tools;
mod windows;

use std::{fs, path::Path};

use palimpsest_tests::{Model, Rpc, Run, Sandbox, SandboxBuilder, Step, ToolEnd, extension_folder};
use serde_json::{Value, json};

/// The tools that the extension registers, in order.
const TOOLS: [&str; 11] = [
    "notes_write",
    "notes_edit",
    "notes_read",
    "notes_list",
    "notes_search",
    "history_windows",
    "history_list",
    "history_search",
    "history_read",
    "wipe_memory",
    "get_context_remaining",
];

/// A sandbox with the extension.
fn with_extension(model: &Model) -> SandboxBuilder {
    Sandbox::builder(model).extension(extension_folder())
}

/// A sandbox with the extension, and windows off: nothing is in the session but what the test puts there.
fn with_tools(model: &Model) -> SandboxBuilder {
    with_extension(model).settings(json!({ "pi-context": { "enabled": false } }))
}

/// The steps that make these calls, one an answer, and then say `done`.
fn steps(calls: &[(&str, Value)]) -> Vec<Step> {
    let call = |(name, arguments): &(&str, Value)| Step::tool(name, arguments.clone());
    calls.iter().map(call).chain([Step::text("done")]).collect()
}

/// Makes these calls in a run of its own and returns their ends.
fn make_calls(pi: &mut Rpc, model: &Model, calls: &[(&str, Value)]) -> Vec<ToolEnd> {
    model.push(steps(calls));
    let run: Run = pi.prompt("go on");
    assert_eq!(run.text(), "done");
    let ends = run.tools();
    let (made, wanted): (Vec<_>, Vec<_>) =
        (ends.iter().map(|end| end.name.as_str()).collect(), calls.iter().map(|(name, _)| *name).collect());
    assert_eq!(made, wanted);
    ends
}

/// Makes one call and returns its end.
fn make_call(pi: &mut Rpc, model: &Model, name: &str, arguments: Value) -> ToolEnd {
    make_calls(pi, model, &[(name, arguments)]).remove(0)
}

/// The keys of an object, in order.
fn keys(object: &Value) -> Vec<&str> {
    object.as_object().map(|object| object.keys().map(String::as_str).collect()).unwrap_or_default()
}

/// Copies a folder with all it holds.
fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder to copy to");
    for entry in fs::read_dir(from).expect("a folder to copy from") {
        let entry = entry.expect("an entry of the folder");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("a file to copy");
        }
    }
}
