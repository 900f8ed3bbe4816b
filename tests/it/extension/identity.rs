//! Whose notes they are: sessions, projects, models, agents, homes; read anew at every call.

use std::{
    fs,
    path::{Path, PathBuf},
};

use palimpsest_tests::{Model, ModelSpec, Notice, Rpc, ToolEnd};
use serde_json::{Value, json};

use super::{make_call, make_calls, with_extension};

const RELOAD: &str =
    r#"export default pi => pi.registerCommand("reload-it", { handler: async (_, ctx) => ctx.reload() })"#;

/// Show: reload, new, fork, clone, switch and restart keep the session's notes in the session's folder.
#[test]
fn session_notes_follow_the_live_session() {
    let model = Model::start([]);
    let sandbox = with_extension(&model).extension_file("reload.js", RELOAD).build();
    let mut pi = sandbox.rpc();
    let mut places: Vec<(String, &str)> = Vec::new();
    let mut write_here = |pi: &mut Rpc, body: &'static str| {
        let end = make_call(pi, &model, "notes_write", json!({ "address": "here", "content": body }));
        assert!(!end.is_error, "{end:?}");
        places.push((pi.session_id(), body));
    };
    write_here(&mut pi, "started");
    let original = pi.session_file();
    let first = pi.fork_messages().remove(0).0;

    pi.command("/reload-it");
    write_here(&mut pi, "reloaded");
    pi.new_session();
    write_here(&mut pi, "new");
    pi.switch_session(&original);
    let read = make_call(&mut pi, &model, "notes_read", json!({ "address": "here" }));
    assert!(read.text.ends_with("\nreloaded"), "{}", read.text);
    pi.fork(&first);
    write_here(&mut pi, "forked");
    pi.clone_session();
    write_here(&mut pi, "cloned");
    assert_eq!((pi.notices(), pi.extension_errors()), (vec![], vec![]));
    pi.finish();

    let mut pi = sandbox.rpc_with(&["--session", original.to_str().expect("a UTF-8 path")]);
    write_here(&mut pi, "restarted");
    pi.finish();

    // The original session was written three times; the last one stays.
    assert_eq!(places[0].0, places[1].0);
    assert_eq!(places[0].0, places[5].0);
    let mut expected: Vec<_> = places[2..].iter().map(|(id, body)| (id.clone(), (*body).to_owned())).collect();
    expected.sort();
    assert_eq!(bodies(&sandbox.notes_home().join("pi/session"), "here.md"), expected);
}

/// D2 line 41: a switch of model retargets `@model/`; the notes of the other model can be read, not written.
#[test]
fn model_notes_follow_the_selected_model() {
    let model = Model::start([]);
    let specs = [ModelSpec::new("vendor/Model-A.1"), ModelSpec::new("b")];
    let sandbox = with_extension(&model).models(specs).build();
    let mut pi = sandbox.rpc();
    let write = ("notes_write", json!({ "address": "@model/style", "content": "of a" }));
    let list = ("notes_list", json!({ "pattern": "@model/**" }));
    let before = make_calls(&mut pi, &model, &[write, list.clone()]);
    pi.set_model("b");
    let after = make_calls(
        &mut pi,
        &model,
        &[
            list,
            ("notes_read", json!({ "address": "@models/model-a-1/style" })),
            ("notes_write", json!({ "address": "@models/model-a-1/style", "content": "of b" })),
            ("notes_write", json!({ "address": "@model/style", "content": "of b" })),
        ],
    );
    pi.finish();
    let first_address = |end: &ToolEnd| end.structured["files"][0]["address"].clone();
    assert_eq!(
        (first_address(&before[1]), first_address(&after[0])),
        (json!("@models/model-a-1/style.md"), Value::Null)
    );
    assert!(after[1].text.ends_with("\nof a"), "{}", after[1].text);
    assert_eq!(after[2].structured["code"], "invalid_scope");
    let written = [("b".to_owned(), "of b".to_owned()), ("model-a-1".to_owned(), "of a".to_owned())];
    assert_eq!(bodies(&sandbox.notes_home().join("models"), "style.md"), written);
}

/// A1, D2 line 41: where `PI_NOTES_AGENT` and `PI_NOTES_HOME` send notes.
#[test]
fn the_environment_names_agent_and_home() {
    let cases: [(&[(&str, &str)], &str); 5] = [
        (&[], "home/.agents/notes/agents/anonymous/me.md"),
        (&[("PI_NOTES_AGENT", "")], "home/.agents/notes/agents/anonymous/me.md"),
        (&[("PI_NOTES_AGENT", "Test Agent")], "home/.agents/notes/agents/test-agent/me.md"),
        (&[("PI_NOTES_HOME", "")], "home/.agents/notes/agents/anonymous/me.md"),
        (&[("PI_NOTES_HOME", "../elsewhere")], "elsewhere/agents/anonymous/me.md"),
    ];
    for (variables, path) in cases {
        let model = Model::start([]);
        let builder = variables.iter().fold(with_extension(&model), |builder, (name, value)| builder.env(name, *value));
        let sandbox = builder.build();
        let mut pi = sandbox.rpc();
        make_call(&mut pi, &model, "notes_write", json!({ "address": "@self/me", "content": "I" }));
        pi.finish();
        assert!(sandbox.root().join(path).exists(), "{variables:?} should write {path}");
    }
}

/// A3: linked folders of one repository share a project, and the session's folder is the key.
#[test]
fn project_notes_follow_the_repository() {
    let model = Model::start([]);
    // A linked worktree as git lays it out, with the main checkout in the working folder's place.
    let sandbox = with_extension(&model)
        .file("work/.git/HEAD", "ref: refs/heads/main\n")
        .file("work/.git/worktrees/side/HEAD", "ref: refs/heads/side\n")
        .file("side/.git", "gitdir: ../work/.git/worktrees/side\n")
        .build();
    let mut pi = sandbox.rpc();
    make_call(&mut pi, &model, "notes_write", json!({ "address": "@project/shared", "content": "from work" }));
    pi.finish();
    let side = sandbox.rpc_in(&sandbox.root().join("side"));
    let mut pi = side;
    let read = make_call(&mut pi, &model, "notes_read", json!({ "address": "@project/shared" }));
    pi.finish();
    assert!(read.text.ends_with("\nfrom work"), "{}", read.text);
    let homes: Vec<_> = fs::read_dir(sandbox.notes_home().join("project")).expect("projects").flatten().collect();
    assert_eq!(homes.len(), 1);
    assert!(homes[0].file_name().to_string_lossy().starts_with("work-"), "{homes:?}");
}

/// A1: `personal/` becomes `human/` where there is no `human/` yet; both are left alone, and a person is told.
#[test]
fn personal_notes_become_human_notes() {
    let personal = "home/.agents/notes/personal/about.md";
    let human = "home/.agents/notes/human/about.md";
    for (files, read, told) in [
        (&[personal][..], Some("about personal"), false),
        (&[human], Some("about human"), false),
        (&[personal, human], Some("about human"), true),
        (&[], None, false),
    ] {
        let model = Model::start([]);
        let text = |path: &str| if path == personal { "about personal" } else { "about human" };
        let sandbox = files.iter().fold(with_extension(&model), |builder, path| builder.file(path, text(path))).build();
        let mut pi = sandbox.rpc();
        let end = make_call(&mut pi, &model, "notes_read", json!({ "address": "@human/about" }));
        match read {
            Some(body) => assert!(end.text.ends_with(body), "{files:?}: {}", end.text),
            None => assert_eq!(end.structured["code"], "not_found", "{files:?}"),
        }
        let notices = pi.notices();
        pi.finish();
        assert_eq!(sandbox.notes_home().join("personal").exists(), told, "{files:?}");
        assert_eq!(notices.len(), usize::from(told), "{files:?}: {notices:?}");
        for Notice { level, message } in notices {
            assert_eq!(level, "warning");
            for folder in ["personal", "human"] {
                let path = sandbox.notes_home().join(folder).display().to_string();
                assert!(message.contains(&path), "{message}");
            }
        }
    }
}

/// The bodies of the notes with that name, by folder, sorted.
fn bodies(parent: &Path, name: &str) -> Vec<(String, String)> {
    let folders = fs::read_dir(parent).unwrap_or_else(|error| panic!("cannot read {}: {error}", parent.display()));
    let mut bodies: Vec<_> = folders
        .flatten()
        .map(|folder| {
            let path: PathBuf = folder.path().join(name);
            let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let body = text.split_once("---\n\n").map_or(text.as_str(), |(_, body)| body);
            (folder.file_name().to_string_lossy().into_owned(), body.to_owned())
        })
        .collect();
    bodies.sort();
    bodies
}
