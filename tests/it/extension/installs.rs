//! The ways in which people load the extension.

use palimpsest_tests::{Model, Sandbox, extension_folder};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{copy_folder, make_call, with_extension};

/// An installed package works without `-e`, is listed, and is gone after its removal.
#[test]
fn it_can_be_installed_listed_and_removed() {
    let model = Model::start([]);
    let sandbox = Sandbox::plain(&model);
    let folder = extension_folder();
    let path = folder.to_str().expect("a UTF-8 path");
    assert_eq!(sandbox.pi(&["install", path]).code, Some(0));
    let listed = sandbox.pi(&["list"]);
    assert!(listed.stdout.contains("pi-palimpsest"), "{listed:?}");
    assert_eq!(write_something(&sandbox, &model), (json!({ "address": "a", "written": true }), vec![]));
    assert_eq!(sandbox.pi(&["remove", path]).code, Some(0));
    let (structured, _) = write_something(&sandbox, &model);
    assert_eq!(structured, Value::Null, "the tool should be unknown now");
}

/// Dropped into the agent folder's `extensions`, it is found by itself.
#[test]
fn it_is_discovered_in_the_agent_folder() {
    let model = Model::start([]);
    let sandbox = Sandbox::plain(&model);
    copy_folder(&extension_folder(), &sandbox.agent_dir().join("extensions/pi-palimpsest"));
    assert_eq!(write_something(&sandbox, &model), (json!({ "address": "a", "written": true }), vec![]));
}

/// Two copies get along: one works, the other stands down and names it.
#[test]
fn a_second_copy_stands_down() {
    let model = Model::start([]);
    let copy = TempDir::new().expect("a folder");
    copy_folder(&extension_folder(), copy.path());
    let sandbox = with_extension(&model).extension(copy.path()).build();
    let (structured, notices) = write_something(&sandbox, &model);
    assert_eq!(structured, json!({ "address": "a", "written": true }));
    assert_eq!(notices.len(), 1, "{notices:?}");
    let first = extension_folder().join("dist/palimpsest.js").display().to_string();
    assert!(notices[0].contains(&first), "{notices:?} should name {first}");
}

/// Writes a note: the structured result, and the notices by then.
fn write_something(sandbox: &Sandbox, model: &Model) -> (Value, Vec<String>) {
    let mut pi = sandbox.rpc();
    let end = make_call(&mut pi, model, "notes_write", json!({ "address": "a", "content": "x" }));
    let notices = pi.notices().into_iter().map(|notice| notice.message).collect();
    pi.finish();
    (end.structured, notices)
}
