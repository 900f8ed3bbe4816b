//! Always the active branch: through navigation, reload, fork, clone, new sessions, restarts, with and without a file.

use palimpsest_tests::{Model, Rpc};
use serde_json::{Value, json};

use super::{said, say, text};
use crate::extension::{make_call, with_tools};

/// Commands that move the session the way a person does at the keyboard.
const MOVES: &str = r#"export default pi => {
    pi.registerCommand("reload-it", { handler: async (_, ctx) => ctx.reload() });
    pi.registerCommand("go-to", { handler: async (id, ctx) => ctx.navigateTree(id, { summarize: false }) });
}"#;

/// The id of the entry with the answer of that text.
fn answer_id(pi: &mut Rpc, answer: &str) -> String {
    let is_it =
        |entry: &Value| entry["message"]["role"] == "assistant" && entry["message"]["content"][0]["text"] == answer;
    let entry = pi.entries().into_iter().find(is_it).unwrap_or_else(|| panic!("no answer {answer:?}"));
    entry["id"].as_str().expect("an id").to_owned()
}

/// D3 line 51, C5: navigation back and forth, then reload, clone, fork and a new session.
#[test]
fn history_follows_the_session() {
    for args in [&[][..], &["--no-session"]] {
        let model = Model::start([]);
        let sandbox = with_tools(&model).extension_file("moves.js", MOVES).args(args.iter().copied()).build();
        let mut pi = sandbox.rpc();
        say(&mut pi, &model, "one", "first");
        say(&mut pi, &model, "two", "second");
        let both = ["one", "first", "two", "second"];
        assert_eq!(said(&mut pi, &model), both, "{args:?}");
        let windows = make_call(&mut pi, &model, "history_windows", json!({}));
        let seqs_before = windows.structured["windows"][0]["last_seq"].as_u64().expect("a seq");

        let (first, second) = (answer_id(&mut pi, "first"), answer_id(&mut pi, "second"));
        pi.command(&format!("/go-to {first}"));
        say(&mut pi, &model, "three", "third");
        let left = make_call(&mut pi, &model, "history_read", json!({ "seq": 4 }));
        assert_eq!(left.structured["code"], "not_on_branch", "{args:?}: {}", left.text);
        assert!(!left.text.contains("second"), "content of another branch leaks: {}", left.text);
        assert_eq!(said(&mut pi, &model), ["one", "first", "three", "third"], "{args:?}");
        let list = make_call(&mut pi, &model, "history_list", json!({ "limit": 1_000 }));
        let third = super::seq_of(&list, "three").as_u64().expect("a seq");
        assert!(third > seqs_before, "{args:?}: {third} was taken by an event of the other branch");

        pi.command(&format!("/go-to {second}"));
        assert_eq!(said(&mut pi, &model), both, "{args:?}");
        pi.command("/reload-it");
        assert_eq!(said(&mut pi, &model), both, "{args:?}");

        let id = pi.session_id();
        pi.clone_session();
        assert_ne!(pi.session_id(), id);
        assert_eq!(said(&mut pi, &model), both, "{args:?}");
        let forked_at = pi.fork_messages().into_iter().find(|(_, text)| text == "two").expect("the second prompt").0;
        pi.fork(&forked_at);
        assert_eq!(said(&mut pi, &model), ["one", "first"], "{args:?}");
        let forked = pi.session_id();
        let windows = make_call(&mut pi, &model, "history_windows", json!({}));
        assert_eq!(windows.structured["session_id"], forked);
        assert_eq!(windows.structured["windows"][0]["window_id"], format!("pcw:{}:root", &forked[..8]));

        pi.new_session();
        assert_eq!(said(&mut pi, &model), Vec::<String>::new(), "{args:?}");
        assert_eq!((pi.notices(), pi.extension_errors()), (vec![], vec![]), "{args:?}");
        pi.finish();
    }
}

/// A session that is opened again, by the command line or by a switch, has its history.
#[test]
fn history_survives_a_restart() {
    let model = Model::start([]);
    let sandbox = with_tools(&model).build();
    let mut pi = sandbox.rpc();
    say(&mut pi, &model, "one", "first");
    let file = pi.session_file();
    pi.finish();

    let mut pi = sandbox.rpc_with(&["-c"]);
    assert_eq!(said(&mut pi, &model), ["one", "first"]);
    pi.finish();
    let mut pi = sandbox.rpc();
    say(&mut pi, &model, "elsewhere", "there");
    pi.switch_session(&file);
    assert_eq!(said(&mut pi, &model), ["one", "first"]);
    pi.finish();
    let mut pi = sandbox.rpc_with(&["--session", text(&file)]);
    assert_eq!(said(&mut pi, &model), ["one", "first"]);
    pi.finish();
}

/// A file that somebody deletes while the session runs: the host has what it held.
#[test]
fn a_deleted_file_is_no_loss() {
    let model = Model::start([]);
    let sandbox = with_tools(&model).build();
    let mut pi = sandbox.rpc();
    say(&mut pi, &model, "one", "first");
    assert_eq!(said(&mut pi, &model), ["one", "first"]);
    std::fs::remove_file(pi.session_file()).expect("the session's file");
    assert_eq!(said(&mut pi, &model), ["one", "first"]);
    pi.finish();
}
