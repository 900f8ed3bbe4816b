//! What may be in the way: panics, a missing addon, rivals, an old host, tool lists. Pi lives, and a person is told once.

use std::{fs, os::unix::fs::symlink, path::Path};

use palimpsest_tests::{Host, Model, Notice, Sandbox, Step, extension_folder};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{TOOLS, copy_folder, make_call, make_calls, with_extension};

const RIVAL: &str = r#"export default pi => pi.registerTool({
    name: "notes_read", label: "Rival", description: "the rival's", parameters: { type: "object", properties: {} },
    execute: async () => ({ content: [{ type: "text", text: "the rival answers" }] }) });"#;

/// Show: a panic in Rust is an error of its call; Pi lives, the next call works, a person is told once.
#[test]
fn a_panic_ends_its_call_only() {
    let model = Model::start([]);
    let sandbox = with_extension(&model).extension_file("panic.js", &panic_source()).build();
    let mut pi = sandbox.rpc();
    for round in 0..2 {
        pi.command("/panic-next");
        let ends = make_calls(
            &mut pi,
            &model,
            &[
                ("notes_write", json!({ "address": "a", "content": "x" })),
                ("notes_write", json!({ "address": "a", "content": "x" })),
            ],
        );
        let code = &ends[0].structured["code"];
        assert_eq!((ends[0].is_error, code), (true, &json!("internal")), "round {round}: {}", ends[0].text);
        assert_eq!(ends[1].structured, json!({ "address": "a", "written": true }), "round {round}");
    }
    let notices = pi.notices();
    assert_eq!(notices.len(), 1, "{notices:?}");
    assert_eq!(notices[0].level, "error");
    assert!(notices[0].message.contains("notes_write"), "{notices:?}");
    // A panic message would tear the screen of the interactive mode.
    assert_eq!(pi.finish().stderr, "");
}

/// Show: the same where no one sees notices: one line on standard error.
#[test]
fn a_panic_in_print_mode_is_one_line() {
    let call = || Step::tool("notes_list", json!({}));
    let model = Model::start([call(), call(), Step::text("still here")]);
    // There are no commands in print mode, so the first tool call of the run asks for the panic.
    let source = panic_source().replace(
        "pi.registerCommand(\"panic-next\", { handler: async () => addon.panicAtNextCall() })",
        "pi.on(\"tool_call\", () => { addon.panicAtNextCall(); })",
    );
    let sandbox = with_extension(&model).extension_file("panic.js", &source).build();
    let exit = sandbox.print(&["go"]);
    assert_eq!((exit.code, exit.stdout.as_str()), (Some(0), "still here\n"));
    assert_eq!(exit.stderr.lines().count(), 1, "{}", exit.stderr);
    assert!(exit.stderr.starts_with("palimpsest: notes_list failed"), "{}", exit.stderr);
}

/// Show, 0.5: an addon that is missing or cannot be loaded is one notice with its path; Pi works without the tools.
#[test]
fn without_its_addon_it_says_so_and_offers_nothing() {
    for (what, content) in [("missing", None), ("damaged", Some("no library"))] {
        let copy = TempDir::new().expect("a folder");
        copy_folder(&extension_folder(), copy.path());
        let addon = addon_in(copy.path());
        fs::remove_file(&addon).expect("an addon to delete");
        if let Some(content) = content {
            fs::write(&addon, content).expect("an addon that is none");
        }
        let model = Model::start(["interactive", "printed"].map(Step::text));
        let sandbox = Sandbox::builder(&model).extension(copy.path()).build();
        let mut pi = sandbox.rpc();
        assert_eq!(pi.prompt("hello").text(), "interactive");
        let told = one_notice(pi.notices(), "error");
        assert!(told.contains(&addon.display().to_string()), "{what}: {told}");
        assert_eq!(pi.finish().stderr, "", "{what}");
        let exit = sandbox.print(&["hello"]);
        assert_eq!((exit.code, exit.stdout.as_str()), (Some(0), "printed\n"), "{what}");
        assert_eq!(exit.stderr, format!("{told}\n"), "{what}");
        for request in model.requests() {
            assert_eq!(ours(&request.tool_names()), [""; 0], "{what}");
        }
    }
}

/// 0.5: a rival that is a file is named with its path, whether it is loaded before us or after.
#[test]
fn it_stands_down_for_a_rival_that_is_a_file() {
    for rival_first in [true, false] {
        let model = Model::start([]);
        let folder = TempDir::new().expect("a folder");
        let rival = folder.path().join("rival.js");
        fs::write(&rival, RIVAL).expect("a rival");
        let order = if rival_first { [rival.clone(), extension_folder()] } else { [extension_folder(), rival.clone()] };
        let [first, second] = order;
        let sandbox = Sandbox::builder(&model).extension(first).extension(second).build();
        let mut pi = sandbox.rpc();
        let end = make_call(&mut pi, &model, "notes_read", json!({}));
        assert_eq!(end.text, "the rival answers");
        let told = one_notice(pi.notices(), "warning");
        assert!(told.contains("notes_read") && told.contains(&rival.display().to_string()), "{told}");
        pi.finish();
        assert_eq!(ours(&model.request(0).tool_names()), ["notes_read"], "rival first: {rival_first}");
        model.push([Step::text("printed")]);
        let exit = sandbox.print(&["hello"]);
        assert_eq!(
            (exit.code, exit.stdout.as_str(), exit.stderr.as_str()),
            (Some(0), "printed\n", format!("{told}\n").as_str())
        );
    }
}

/// 0.5: a rival that is a package is named with its source and the line that removes it; and that line works.
#[test]
fn it_stands_down_for_a_package_and_the_way_out_works() {
    let model = Model::start([]);
    let sandbox = with_extension(&model)
        .file("work/rival/index.js", RIVAL)
        .file("work/rival/package.json", r#"{"name":"rival","type":"module","pi":{"extensions":["./index.js"]}}"#)
        .build();
    let installed = sandbox.pi(&["install", "./rival"]);
    assert_eq!(installed.code, Some(0), "{installed:?}");
    let mut pi = sandbox.rpc();
    assert_eq!(make_call(&mut pi, &model, "notes_read", json!({})).text, "the rival answers");
    let told = one_notice(pi.notices(), "warning");
    pi.finish();

    let command = told.split('"').find(|part| part.starts_with("pi remove ")).unwrap_or_else(|| panic!("{told}"));
    let removed = sandbox.pi(&command.split(' ').skip(1).collect::<Vec<_>>());
    assert_eq!(removed.code, Some(0), "{command}: {removed:?}");
    let mut pi = sandbox.rpc();
    let end = make_call(&mut pi, &model, "notes_list", json!({}));
    assert_eq!((end.structured, pi.notices()), (json!({ "files": [], "more": 0 }), vec![]));
    pi.finish();
}

/// 0.5: an old host gets one notice that names its version; nothing is registered.
#[test]
fn an_old_host_is_told_to_upgrade() {
    // The real host under another version: its package folder with a changed package.json.
    let host = Host::find();
    let package = TempDir::new().expect("a folder");
    for entry in fs::read_dir(host.package()).expect("the host's package").flatten() {
        let target = package.path().join(entry.file_name());
        if entry.file_name() != "package.json" {
            symlink(entry.path(), target).expect("a link");
            continue;
        }
        let text = fs::read_to_string(entry.path()).expect("package.json");
        let mut manifest: Value = serde_json::from_str(&text).expect("JSON");
        manifest["version"] = json!("0.99.3");
        fs::write(target, manifest.to_string()).expect("package.json");
    }
    let model = Model::start(["interactive", "printed"].map(Step::text));
    let sandbox = with_extension(&model).env("PI_PACKAGE_DIR", package.path()).build();
    let mut pi = sandbox.rpc();
    assert_eq!(pi.prompt("hello").text(), "interactive");
    let told = one_notice(pi.notices(), "error");
    assert!(told.contains("0.99.3") && told.contains("restart") && told.contains("reload"), "{told}");
    pi.finish();
    let exit = sandbox.print(&["hello"]);
    assert_eq!((exit.code, exit.stderr.as_str()), (Some(0), format!("{told}\n").as_str()));
    for request in model.requests() {
        assert_eq!(ours(&request.tool_names()), [""; 0]);
    }
}

/// HF28: the host's tool lists apply to our tools as to any.
#[test]
fn tool_lists_are_obeyed() {
    let cases: [(&[&str], &[&str]); 3] = [
        (&["--tools", "read,notes_read,notes_list"], &["notes_read", "notes_list"]),
        (&["--exclude-tools", "notes_write,notes_edit"], &TOOLS[2..]),
        (&["--no-tools"], &[]),
    ];
    for (args, expected) in cases {
        let model = Model::start([Step::text("ok")]);
        let sandbox = with_extension(&model).args(args.iter().copied()).build();
        let mut pi = sandbox.rpc();
        pi.prompt("hello");
        pi.finish();
        assert_eq!(ours(&model.request(0).tool_names()), expected, "{args:?}");
    }
}

/// An extension that asks the addon for a panic; it is the same addon, because the path is the same.
fn panic_source() -> String {
    let addon = json!(addon_in(&extension_folder()));
    format!(
        r#"import {{ createRequire }} from "node:module";
        const addon = createRequire(import.meta.url)({addon});
        export default pi => pi.registerCommand("panic-next", {{ handler: async () => addon.panicAtNextCall() }});"#
    )
}

pub(super) fn addon_in(folder: &Path) -> std::path::PathBuf {
    let is_addon = |path: &std::path::PathBuf| path.extension().is_some_and(|extension| extension == "node");
    let mut entries = fs::read_dir(folder).expect("the extension's folder").flatten().map(|entry| entry.path());
    entries.find(is_addon).unwrap_or_else(|| panic!("no addon in {}", folder.display()))
}

fn one_notice(mut notices: Vec<Notice>, level: &str) -> String {
    assert_eq!(notices.len(), 1, "exactly one notice expected: {notices:?}");
    let notice = notices.remove(0);
    assert_eq!(notice.level, level, "{notice:?}");
    notice.message
}

fn ours<'a>(names: &[&'a str]) -> Vec<&'a str> {
    names.iter().copied().filter(|name| TOOLS.contains(name)).collect()
}
