//! The engine as the addon drives it: calls in order, off the calling thread, and faults contained.

use std::sync::mpsc::channel;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use palimpsest_pi_bridge::{Engine, Handed, Place, SessionFacts, ToolCall};
use serde_json::{Value, json};
use tempfile::TempDir;

fn call(home: &TempDir, tool: &str, params: Value) -> ToolCall {
    ToolCall {
        tool: tool.into(),
        params: params.to_string(),
        place: Place {
            cwd: home.path().into(),
            session_id: "s-1".into(),
            model: None,
            home: home.path().into(),
            notes_home: None,
            notes_agent: None,
        },
        session: SessionFacts::default(),
        has_ui: true,
    }
}

/// Tests of this file take turns: the panic that one of them asks for must not hit a call of another.
fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs calls one after the other without waiting, and returns their answers in the order in which they came.
fn answers(engine: &Engine, calls: Vec<ToolCall>) -> Vec<(usize, Value)> {
    let caller = thread::current().id();
    let (sender, receiver) = channel();
    for (index, call) in calls.into_iter().enumerate() {
        let sender = sender.clone();
        engine.call(call, move |answer| {
            assert_ne!(thread::current().id(), caller, "slow work blocks the host");
            let answer: Value = serde_json::from_str(&answer).expect("JSON");
            sender.send((index, answer)).expect("receiver");
        });
    }
    drop(sender);
    receiver.iter().collect()
}

#[test]
fn calls_are_done_in_the_order_in_which_they_are_made() {
    let _turn = turn();
    let home = tempfile::tempdir().expect("temp dir");
    let engine = Engine::new();
    let mut calls = vec![call(&home, "notes_write", json!({ "address": "n", "content": "0" }))];
    for n in 0..50 {
        let edits = json!([{ "oldText": n.to_string(), "newText": (n + 1).to_string() }]);
        calls.push(call(&home, "notes_edit", json!({ "address": "n", "edits": edits })));
    }
    let answers = answers(&engine, calls);
    assert_eq!(answers.iter().map(|(index, _)| *index).collect::<Vec<_>>(), (0..51).collect::<Vec<_>>());
    for (index, answer) in &answers {
        assert_eq!(answer["result"].get("isError"), None, "{index}: {answer}");
        assert_eq!(answer["actions"], json!([]));
    }
    let note = home.path().join(".agents/notes/pi/session/s-1/n.md");
    assert!(std::fs::read_to_string(note).expect("note").ends_with("\n\n50"));
}

/// The host's form of an answer: content, structure, details for a read, the flag for a refusal.
#[test]
fn an_answer_has_the_hosts_form() {
    let _turn = turn();
    let home = tempfile::tempdir().expect("temp dir");
    let engine = Engine::new();
    let answers = answers(
        &engine,
        vec![
            call(&home, "notes_write", json!({ "address": "n", "content": "x" })),
            call(&home, "notes_read", json!({ "address": "n", "offset_chars": -1 })),
            call(&home, "notes_read", json!({ "address": "gone" })),
        ],
    );
    let result = |index: usize| answers[index].1["result"].clone();
    let written = json!({ "address": "n", "written": true });
    let text = serde_json::to_string_pretty(&written).expect("pretty");
    assert_eq!(result(0), json!({ "content": [{ "type": "text", "text": text }], "structuredContent": written }));
    let keys = |value: Value| value.as_object().expect("object").keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(result(1)), ["content", "structuredContent", "details"]);
    assert_eq!(keys(result(2)), ["content", "structuredContent", "isError"]);
}

/// Entries that the session's file does not hold are asked for, and the same call with them is answered.
#[test]
fn missing_entries_are_asked_for() {
    let _turn = turn();
    let home = tempfile::tempdir().expect("temp dir");
    let engine = Engine::new();
    let mut list = call(&home, "history_list", json!({}));
    list.session.leaf = Some("e1".into());
    let asked = answers(&engine, vec![list.clone()]).remove(0).1;
    assert_eq!(asked, json!({ "handOver": { "after": null } }));
    list.session.handed = Some(Handed {
        after: None,
        header: json!({ "type": "session", "version": 3, "id": "s-1" }).to_string(),
        entries:
            json!({ "type": "message", "id": "e1", "parentId": null, "message": { "role": "user", "content": "hi" } })
                .to_string(),
        last: Some("e1".into()),
    });
    let answer = answers(&engine, vec![list.clone()]).remove(0).1;
    assert_eq!(answer["result"]["structuredContent"]["items"][0]["content"], "hi");
    assert_eq!(answer["actions"], json!([]));

    // They are kept until the session ends.
    list.session.handed = None;
    let again = answers(&engine, vec![list.clone()]).remove(0).1;
    assert_eq!(again["result"], answer["result"]);
    engine.session_end();
    assert_eq!(answers(&engine, vec![list]).remove(0).1, asked);
}

/// History does not wait behind notes: a write that waits for its store does not hold it up.
#[test]
fn history_does_not_wait_for_notes() {
    let _turn = turn();
    let home = tempfile::tempdir().expect("temp dir");
    let notes = home.path().join(".agents/notes");
    std::fs::create_dir_all(&notes).expect("folders");
    let lock = std::fs::File::create(notes.join(".notes.lock")).expect("the lock file");
    lock.lock().expect("the lock");
    let engine = Engine::new();
    let (sender, receiver) = channel();
    for (index, call) in [
        call(&home, "notes_write", json!({ "address": "n", "content": "x" })),
        call(&home, "history_windows", json!({})),
    ]
    .into_iter()
    .enumerate()
    {
        let sender = sender.clone();
        engine.call(call, move |_| sender.send(index).expect("receiver"));
    }
    assert_eq!(receiver.recv(), Ok(1));
    lock.unlock().expect("the lock");
    assert_eq!(receiver.recv(), Ok(0));
}

/// Work that was asked for is done, also when the instance is gone before its turn.
#[test]
fn a_dropped_engine_finishes_its_work() {
    let _turn = turn();
    let home = tempfile::tempdir().expect("temp dir");
    let engine = Engine::new();
    let (sender, receiver) = channel();
    for n in 0..20 {
        let sender = sender.clone();
        let write = call(&home, "notes_write", json!({ "address": format!("n{n}"), "content": "x" }));
        engine.call(write, move |answer| sender.send(answer).expect("receiver"));
    }
    drop((engine, sender));
    assert_eq!(receiver.iter().count(), 20);
}

/// A session id that the host made up badly is an error object like any other.
#[test]
fn a_bad_place_is_an_error_object() {
    let _turn = turn();
    let home = tempfile::tempdir().expect("temp dir");
    let mut bad = call(&home, "notes_list", json!({}));
    bad.place.session_id = "a/b".into();
    let answer = answers(&Engine::new(), vec![bad]).remove(0).1;
    assert_eq!(answer["result"]["structuredContent"]["code"], "invalid_identity");
    assert_eq!(answer["result"]["isError"], true);
}

/// A panic is an error object and one notice; the calls behind it are done as if nothing had happened.
#[cfg(feature = "test-exports")]
#[test]
fn a_panic_is_contained() {
    let _turn = turn();
    let home = tempfile::tempdir().expect("temp dir");
    let engine = Engine::new();
    for round in 0..2 {
        palimpsest_pi_bridge::panic_at_next_call();
        let calls = (0..2).map(|_| call(&home, "notes_write", json!({ "address": "n", "content": "x" }))).collect();
        let answers = answers(&engine, calls);
        let text =
            "notes_write failed because of a fault of palimpsest: a panic that a test asked for. please report it";
        let failure = json!({ "error": text, "code": "internal" });
        assert_eq!(answers[0].1["result"]["structuredContent"], failure);
        assert_eq!(answers[0].1["result"]["isError"], true);
        // The same text is told once.
        let notice = json!([{ "do": "notify", "level": "error", "message": format!("palimpsest: {text}") }]);
        assert_eq!(answers[0].1["actions"], if round == 0 { notice } else { json!([]) });
        assert_eq!(answers[1].1["result"]["structuredContent"]["written"], true);
    }
}
