//! What a person sees in the terminal: which note was written or edited, with a coloured diff, and no JSON.

use palimpsest_tests::{Model, Step, Terminal};
use serde_json::json;
use vt100::Color;

use super::with_tools;

/// Show: the terminal names the note, shows its text and the diff in colours; a session that is opened again shows the
/// same.
#[test]
fn writes_and_edits_are_seen_at_a_glance() {
    let model = Model::start([
        Step::tool("notes_write", json!({ "address": "@project/port", "content": "alpha line\nport 5433\n" })),
        Step::tool(
            "notes_edit",
            json!({ "address": "@project/port", "edits": [{ "oldText": "port 5433", "newText": "port 5432" }] }),
        ),
        Step::tool("notes_read", json!({ "address": "missing" })),
        Step::text("all is well"),
    ]);
    let sandbox = with_tools(&model).build();
    let mut terminal = sandbox.terminal(60, 100);
    terminal.wait_ready();
    terminal.type_text("keep the port\r");
    terminal.wait_for("all is well");
    assert_seen(&terminal);
    terminal.type_text("/quit\r");
    assert!(terminal.wait_end());

    let terminal = sandbox.terminal_with(&["-c"], 60, 100);
    terminal.wait_for("all is well");
    assert_seen(&terminal);
}

fn assert_seen(terminal: &Terminal) {
    let text = terminal.text();
    for seen in [
        "notes_write @project/port",
        "alpha line",
        "notes_edit @project/port",
        "-2 port 5433",
        "+2 port 5432",
        "note not found",
    ] {
        assert!(text.contains(seen), "{seen:?} is not on the screen:\n{text}");
    }
    for json in ["\"written\"", "\"applied\"", "\"error\"", "oldText"] {
        assert!(!text.contains(json), "{json:?} is on the screen:\n{text}");
    }
    let tint = |text: &str| match terminal.color_of(text) {
        Some(Color::Idx(1 | 9)) => "red",
        Some(Color::Idx(2 | 10)) => "green",
        Some(Color::Rgb(red, green, _)) if red > green => "red",
        Some(Color::Rgb(red, green, _)) if green > red => "green",
        other => panic!("{text:?} has the colour {other:?}"),
    };
    assert_eq!([tint("-2 port"), tint("+2 port"), tint("note not found")], ["red", "green", "red"]);
}

/// Show: the terminal says what was looked up and what came of it, in words.
#[test]
fn a_search_is_seen_at_a_glance() {
    let model = Model::start([
        Step::text("a grey heron"),
        Step::tool("history_search", json!({ "query": "heron" })),
        Step::tool("history_read", json!({ "seq": 1, "offset_chars": 4 })),
        Step::tool("history_read", json!({ "seq": 99 })),
        Step::text("all is well"),
    ]);
    let sandbox = with_tools(&model).build();
    let mut terminal = sandbox.terminal(60, 100);
    terminal.wait_ready();
    terminal.type_text("the heron\r");
    terminal.wait_for("a grey heron");
    terminal.type_text("what bird was it?\r");
    terminal.wait_for("all is well");
    let text = terminal.text();
    for seen in [
        "history_search \"heron\"",
        "3 hits",
        "1 user: heron",
        "2 assistant: heron",
        "history_read 1 from 4",
        "characters [4,9) of 9",
        "history_read 99",
    ] {
        assert!(text.contains(seen), "{seen:?} is not on the screen:\n{text}");
    }
    for json in ["\"items\"", "\"error\"", "READ WINDOW"] {
        assert!(!text.contains(json), "{json:?} is on the screen:\n{text}");
    }
}
