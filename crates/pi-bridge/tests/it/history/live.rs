//! The live session between calls: growth, navigation, other sessions, a file that lags behind.

use std::fs;

use palimpsest_pi_bridge::Reply;
use serde_json::{Value, json};

use super::desk::{Desk, none};
use super::log::Log;

/// What the active branch says.
fn branch(desk: &mut Desk) -> Vec<String> {
    desk.page("history_list", none()).0
}

/// Line 51 and C5: seqs stay, an abandoned branch is unreadable until it is taken again; in a file as in memory.
#[test]
fn the_active_branch_is_what_the_host_says() {
    for mut desk in [Desk::new(), Desk::in_memory()] {
        let first = desk.log.user("one");
        desk.log.assistant("left");
        let left = desk.log.user("further left");
        assert_eq!(branch(&mut desk), ["1 user one", "2 assistant left", "3 user further left"]);
        desk.log.leaf = Some(first);
        assert_eq!(branch(&mut desk), ["1 user one"]);
        assert_eq!(desk.refused("history_read", json!({ "seq": 3 }))["code"], "not_on_branch");
        desk.log.assistant("right");
        assert_eq!(branch(&mut desk), ["1 user one", "4 assistant right"]);
        desk.log.leaf = Some(left);
        desk.log.assistant("back");
        let expected = ["1 user one", "2 assistant left", "3 user further left", "5 assistant back"];
        assert_eq!(branch(&mut desk), expected);
        desk.log.leaf = None;
        assert_eq!(branch(&mut desk), Vec::<String>::new());
        // Nothing crosses for a session whose file has it all; else each entry crosses once.
        let crossed = if desk.persisted { vec![] } else { vec![3, 1, 1] };
        assert_eq!(desk.handed, crossed);
    }
}

/// A file without the leaf: what it lacks is handed over; once it has caught up, nothing is.
#[test]
fn a_file_that_lags_behind() {
    let mut desk = Desk::with(|log| drop(log.user("one")));
    let file = desk.facts().file.expect("a file");
    desk.log.assistant("two");
    let leaf = desk.log.leaf.clone();
    let place = desk.place();
    let call = |desk: &mut Desk, handed| {
        let facts = palimpsest_pi_bridge::SessionFacts {
            file: Some(file.clone()),
            leaf: leaf.clone(),
            handed,
            ..Default::default()
        };
        desk.history.call("history_list", "{}", &place, &facts)
    };
    assert_eq!(call(&mut desk, None), Reply::HandOver { after: None });
    let handed = desk.hand_over(None);
    let Reply::Answer(answer) = call(&mut desk, Some(handed)) else { panic!("nothing more can be asked for") };
    assert_eq!(answer.structured["items"].as_array().map(Vec::len), Some(2));
    assert!(matches!(call(&mut desk, None), Reply::Answer(_)), "what was handed over is kept");

    fs::remove_file(&file).expect("the file");
    desk.persisted = false;
    desk.log.user("three");
    assert_eq!(branch(&mut desk), ["1 user one", "2 assistant two", "3 user three"]);
    desk.persisted = true;
    assert_eq!(branch(&mut desk), ["1 user one", "2 assistant two", "3 user three"]);
}

/// Two calls that both found entries missing hand them over one after the other; nothing is taken twice.
#[test]
fn entries_handed_over_twice_count_once() {
    let mut desk = Desk::in_memory();
    desk.log.user("one");
    assert_eq!(branch(&mut desk), ["1 user one"]);
    let known = desk.log.leaf.clone();
    desk.log.assistant("two");
    let (place, mut early) = (desk.place(), desk.facts());
    early.handed = Some(desk.hand_over(known.as_deref()));
    desk.log.user("three");
    let mut late = desk.facts();
    late.handed = Some(desk.hand_over(known.as_deref()));
    let count = |reply| match reply {
        Reply::Answer(answer) => answer.structured["items"].as_array().map(Vec::len),
        Reply::HandOver { .. } => None,
    };
    assert_eq!(count(desk.history.call("history_list", "{}", &place, &early)), Some(2));
    let last = early.leaf.clone();
    assert_eq!(desk.history.call("history_list", "{}", &place, &late), Reply::HandOver { after: last });
    assert_eq!(count(desk.history.call("history_list", "{}", &place, &early)), Some(2));
    assert_eq!(branch(&mut desk), ["1 user one", "2 assistant two", "3 user three"]);
}

/// An entry that the host gave up (its file could not be written) is not kept either.
#[test]
fn an_entry_that_was_given_up() {
    let mut desk = Desk::in_memory();
    desk.log.user("one");
    desk.log.assistant("two");
    assert_eq!(branch(&mut desk).len(), 2);
    let given_up = desk.log.entries.pop().expect("an entry");
    desk.log.leaf = given_up["parentId"].as_str().map(str::to_owned);
    desk.log.entry(json!({ "type": "custom", "customType": "x" }));
    desk.log.entries[1]["id"] = "other".into();
    desk.log.leaf = Some("other".into());
    desk.log.user("three");
    assert_eq!(branch(&mut desk), ["1 user one", "2 user three"]);
}

/// A leaf that nobody knows is an error, not an endless question.
#[test]
fn a_leaf_that_does_not_exist() {
    let mut desk = Desk::in_memory();
    desk.log.user("one");
    for _ in 0..2 {
        let leaf = desk.log.leaf.replace("nowhere".into());
        assert_eq!(desk.refused("history_list", none())["code"], "unknown_entry");
        desk.log.leaf = leaf;
        assert_eq!(branch(&mut desk), ["1 user one"]);
    }
}

/// C5: a fork has a session id of its own and seqs recounted; what was kept of the one before does not show.
#[test]
fn another_session_is_another_history() {
    for mut desk in [Desk::new(), Desk::in_memory()] {
        desk.log.user("one");
        desk.log.marker("w1");
        desk.log.assistant("two");
        assert_eq!(branch(&mut desk), ["1 user one", "2 assistant two"]);
        let mut fork = Log::new("87654321-fork", "/elsewhere");
        fork.entries = desk.log.entries.split_off(1);
        fork.entries[0]["parentId"] = Value::Null;
        fork.leaf = desk.log.leaf.take();
        desk.log = fork;
        assert_eq!(branch(&mut desk), ["1 assistant two"]);
        let windows = desk.data("history_windows", none());
        assert_eq!(windows["session_id"], "87654321-fork");
        let ids: Vec<_> = windows["windows"].as_array().expect("windows").iter().map(|row| &row["window_id"]).collect();
        assert_eq!(ids, ["pcw:87654321:root", "w1"]);
    }
}

/// A copy of a session has its id, and a file of its own.
#[test]
fn a_copy_of_a_session_is_not_the_session() {
    let mut desk = Desk::with(|log| drop(log.user("one")));
    assert_eq!(branch(&mut desk), ["1 user one"]);
    let mut copy = desk.facts();
    let text = desk.log.text().replace("one", "uno");
    desk.put("work", "copy.jsonl", text);
    copy.file = Some(desk.folder("work").join("copy.jsonl"));
    let Reply::Answer(answer) = desk.history.call("history_list", "{}", &desk.place(), &copy) else {
        panic!("the copy has it all");
    };
    assert_eq!(answer.structured["items"][0]["content"], "uno");
}

/// Forks share the ids of entries: a file of another session is not taken for the live one because it has the leaf.
#[test]
fn a_file_of_another_session() {
    let mut desk = Desk::with(|log| drop(log.user("one")));
    let facts = desk.facts();
    let mut fork = Log::new("87654321-fork", "/elsewhere");
    fork.user("other");
    desk.put("work", "9_live.jsonl", fork.text());
    let reply = desk.history.call("history_list", "{}", &desk.place(), &facts);
    assert_eq!(reply, Reply::HandOver { after: None });
}
