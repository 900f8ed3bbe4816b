//! Other sessions of the project, as the host stored them.

use palimpsest_tests::{Model, Sandbox};
use serde_json::{Value, json};

use super::{contents, say};
use crate::extension::{make_call, make_calls, with_tools};

/// Says something in a session of its own, in a folder below the sandbox, and returns the session's id.
fn in_a_session(sandbox: &Sandbox, model: &Model, folder: &str, words: &str) -> String {
    let folder = sandbox.root().join(folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    let mut pi = sandbox.rpc_in(&folder);
    say(&mut pi, model, words, "noted");
    let id = pi.session_id();
    pi.finish();
    id
}

/// D3 lines 104 and 105: sessions of the repository and its worktree are found, newest first, and read by their ids; those
/// of another project are not there. With a session in memory as with one in a file.
#[test]
fn sessions_of_the_project_are_found() {
    let model = Model::start([]);
    let mut sandbox = with_tools(&model)
        .file("work/.git/HEAD", "ref: refs/heads/main\n")
        .file("work/.git/worktrees/side/HEAD", "ref: refs/heads/side\n")
        .file("side/.git", "gitdir: ../work/.git/worktrees/side\n")
        .build();
    let old = in_a_session(&sandbox, &model, "work", "a heron at work");
    let linked = in_a_session(&sandbox, &model, "side", "a heron aside");
    let foreign = in_a_session(&sandbox, &model, "elsewhere", "a heron elsewhere");

    for args in [&[][..], &["--no-session"]] {
        let mut pi = sandbox.rpc_with(args);
        say(&mut pi, &model, "a heron here", "noted");
        let live = pi.session_id();
        let ends = make_calls(
            &mut pi,
            &model,
            &[
                ("history_search", json!({ "query": "a heron", "scope": "project", "roles": ["user"], "limit": 1 })),
                ("history_search", json!({ "query": "a heron", "roles": ["user"] })),
                ("history_list", json!({ "session_id": linked })),
                ("history_read", json!({ "session_id": old, "seq": 1, "offset_chars": 2 })),
                ("history_read", json!({ "session_id": foreign, "seq": 1 })),
                ("history_search", json!({ "query": "a heron", "scope": "project", "session_id": linked })),
            ],
        );
        pi.finish();
        let found = &ends[0].structured;
        let hits = |page: &Value| {
            let hits = page["items"].as_array().expect("items").iter();
            hits.map(|hit| (hit["session_id"].clone(), hit["content"].clone())).collect::<Vec<_>>()
        };
        let hit = |id: &str, words: &str| (json!(id), json!(words));
        let mut expected =
            vec![hit(&live, "a heron here"), hit(&linked, "a heron aside"), hit(&old, "a heron at work")];
        // The first round has left one more session in the project.
        if !args.is_empty() {
            let before = found["items"][1]["session_id"].as_str().expect("a session").to_owned();
            expected.insert(1, hit(&before, "a heron here"));
        }
        assert_eq!(hits(found), expected, "{args:?}");
        assert_eq!(
            json!([found["older_before"], found["newer_after"], found["sessions_more"]]),
            json!([null, null, 0])
        );
        assert_eq!(found.get("sessions_unavailable"), None);
        assert_eq!(contents(&ends[1]), ["a heron here"]);
        assert_eq!(contents(&ends[2]), ["a heron aside", "noted"]);
        assert!(ends[3].text.ends_with("\n\nheron at work"), "{}", ends[3].text);
        assert_eq!((ends[4].is_error, &ends[4].structured["code"]), (true, &json!("unknown_session_id")));
        assert_eq!(hits(&ends[5].structured), [hit(&linked, "a heron aside")]);
    }

    // A folder of the person's own holds sessions of all projects side by side.
    let own = sandbox.root().join("own sessions");
    sandbox.set_env("PI_CODING_AGENT_SESSION_DIR", own.clone());
    in_a_session(&sandbox, &model, "elsewhere", "a heron elsewhere");
    let near = in_a_session(&sandbox, &model, "side", "a heron nearby");
    let mut pi = sandbox.rpc();
    let end = make_call(
        &mut pi,
        &model,
        "history_search",
        json!({ "query": "a heron", "scope": "project", "roles": ["user"] }),
    );
    pi.finish();
    assert_eq!(contents(&end), ["a heron nearby"]);
    assert_eq!(end.structured["items"][0]["session_id"], near.as_str());
}

/// D3 line 106: what cannot be read is named.
#[test]
fn broken_sessions_are_named() {
    let model = Model::start([]);
    let sandbox = with_tools(&model).build();
    in_a_session(&sandbox, &model, "work", "a heron");
    let broken = super::sessions_of(&sandbox, "work").join("2026-01-01T00-00-00-000Z_broken-id.jsonl");
    std::fs::write(&broken, "{\"type\":\"sess").expect("a broken file");
    let mut pi = sandbox.rpc();
    let end = make_call(
        &mut pi,
        &model,
        "history_search",
        json!({ "query": "a heron", "scope": "project", "roles": ["user"] }),
    );
    pi.finish();
    assert_eq!(contents(&end), ["a heron"]);
    assert_eq!(end.structured["sessions_unavailable"], json!(["broken-id"]));
}
