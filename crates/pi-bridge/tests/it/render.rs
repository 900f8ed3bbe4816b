//! What a person sees.

use palimpsest_pi_bridge::{CallView, Line, ResultView, render_call, render_result};
use proptest::prelude::*;
use serde_json::{Value, json};

fn call(tool: &str, args: Value, expanded: bool) -> Vec<String> {
    let view = CallView { tool: tool.into(), args, expanded, expand_key: "ctrl+o".into(), width: 60 };
    render_call(&view).iter().map(flat).collect()
}

fn result_view(tool: &str, text: &str, is_error: bool, expanded: bool) -> ResultView {
    ResultView { tool: tool.into(), text: text.into(), is_error, expanded, expand_key: "ctrl+o".into(), width: 60 }
}

fn result(tool: &str, answer: Value, expanded: bool) -> Vec<String> {
    render_result(&result_view(tool, &answer.to_string(), false, expanded)).iter().map(flat).collect()
}

fn flat(line: &Line) -> String {
    line.iter().map(|segment| segment.text.as_str()).collect()
}

/// The colour of the first segment that holds a text.
fn color_of(lines: &[Line], text: &str) -> &'static str {
    lines.iter().flatten().find(|segment| segment.text.contains(text)).expect("such a segment").color
}

#[test]
fn a_call_says_which_note_and_what_for() {
    let cases = [
        ("notes_read", json!({ "address": "@project/plan" }), "notes_read @project/plan"),
        ("notes_read", json!({ "address": "plan", "offset_chars": 12000 }), "notes_read plan from 12000"),
        ("notes_edit", json!({ "address": "n", "edits": [{}, {}] }), "notes_edit n 2 edits"),
        ("notes_edit", json!({ "address": "n", "crumpled": true }), "notes_edit n into the wastebasket"),
        ("notes_list", json!({ "pattern": "@human/**" }), "notes_list @human/**"),
        ("notes_list", json!({}), "notes_list"),
        ("notes_search", json!({ "query": "tea" }), "notes_search \"tea\""),
        ("notes_search", json!({ "query": ["a", "b"], "pattern": "*.md" }), "notes_search \"a\" or \"b\" in *.md"),
        ("history_windows", json!({}), "history_windows"),
        ("history_list", json!({ "before": 40, "roles": ["user", "tool"] }), "history_list user and tool, before 40"),
        ("history_list", json!({ "window_id": "@previous" }), "history_list window @previous"),
        ("history_search", json!({ "query": "tea", "scope": "project" }), "history_search \"tea\" whole project"),
        ("history_read", json!({ "seq": 7, "offset_chars": 9, "session_id": "s" }), "history_read 7 from 9, session s"),
        // Arguments that are still arriving.
        ("notes_write", Value::Null, "notes_write"),
        ("notes_edit", json!({ "address": 7, "edits": null }), "notes_edit"),
    ];
    for (tool, args, expected) in cases {
        assert_eq!(call(tool, args, false), [expected]);
    }
}

#[test]
fn a_write_shows_what_is_written() {
    let content: String = (1..=12).map(|n| format!("line {n}\n")).collect();
    let args = json!({ "address": "plan", "content": content, "origin": "user" });
    let short = call("notes_write", args.clone(), false);
    assert_eq!((short.len(), short[0].as_str()), (10, "notes_write plan origin user"));
    assert_eq!((short[1].as_str(), short[8].as_str()), ("line 1", "line 8"));
    assert_eq!(short[9], "… 4 more lines (ctrl+o to expand)");
    assert_eq!(call("notes_write", args, true).len(), 13);
}

#[test]
fn an_edit_is_a_coloured_diff() {
    let answer = json!({ "address": "n", "applied": 1, "diff": " 1 a\n-2 b\n+2 c\n   ..." });
    assert_eq!(result("notes_edit", answer.clone(), false), [" 1 a", "-2 b", "+2 c", "   ..."]);
    let lines = render_result(&result_view("notes_edit", &answer.to_string(), false, false));
    let colors: Vec<_> = [" 1", "-2", "+2"].iter().map(|text| color_of(&lines, text)).collect();
    assert_eq!(colors, ["toolDiffContext", "toolDiffRemoved", "toolDiffAdded"]);
    assert_eq!(result("notes_edit", json!({ "applied": 0, "diff": "" }), false), ["nothing changed"]);
}

#[test]
fn lists_and_searches_are_counts_and_rows() {
    let row = |name: &str| json!({ "address": name, "updated_at": "2026-01-02T03:04:05.678+01:00" });
    let list = json!({ "files": [row("a.md"), row("@human/b.md")], "more": 3, "homes_unavailable": ["@project"] });
    let expected = [
        "2 notes, 3 more not listed",
        "2026-01-02 03:04  a.md",
        "2026-01-02 03:04  @human/b.md",
        "could not be read: @project",
    ];
    assert_eq!(result("notes_list", list, false), expected);

    let mut found = row("a.md");
    found["matches_total"] = 3.into();
    found["matches"] = json!([{ "line": 4, "text": "tea\tand more" }, { "line": 9, "text": "tea" }]);
    let search = json!({ "files": [found], "more": 0 });
    let expected = ["3 matching lines in 1 note", "a.md", "  4: tea    and more", "  9: tea"];
    assert_eq!(result("notes_search", search, false), expected);
}

#[test]
fn history_is_counts_and_first_lines() {
    let event = |seq: u64, role: &str, content: &str| json!({ "seq": seq, "role": role, "content": content });
    let mut failed = event(3, "tool", "bash {}\n--- output ---\nno");
    failed["tool"] = "bash".into();
    failed["tool_status"] = "error".into();
    let fold = json!({ "folded": true, "first_seq": 4, "last_seq": 6, "count": 2, "tools": {} });
    let list = json!({
        "items": [event(1, "user", "\n\nhello\tyou\nthere"), failed, fold, event(7, "assistant", "")],
        "older_before": 1, "newer_after": null,
    });
    let expected = [
        "3 events, 2 folded, older ones before 1",
        "1 user: hello    you",
        "3 bash: bash {}",
        "  … 2 events, 4–6",
        "7 assistant: ",
    ];
    assert_eq!(result("history_list", list.clone(), false), expected);
    let lines = render_result(&result_view("history_list", &list.to_string(), false, false));
    assert_eq!([color_of(&lines, "bash {}"), color_of(&lines, "hello")], ["error", "toolOutput"]);

    let mut hit = event(5, "user", "tea");
    hit["session_id"] = "0123456789".into();
    let found = json!({
        "items": [hit], "older_before": null, "newer_after": null, "sessions_more": 2, "sessions_unavailable": ["x.jsonl"],
    });
    let expected = ["1 hit, more in 2 sessions", "01234567 5 user: tea", "could not be read: x.jsonl"];
    assert_eq!(result("history_search", found, false), expected);
    assert_eq!(result("history_search", json!({ "items": [] }), false), ["0 hits"]);

    let many: Vec<_> = (1..=12).map(|seq| event(seq, "user", "x")).collect();
    let many = json!({ "items": many });
    assert_eq!(
        result("history_list", many.clone(), false).last().map(String::as_str),
        Some("… 2 more rows (ctrl+o to expand)")
    );
    assert_eq!(result("history_list", many, true).len(), 13);

    let window = |id: &str, first: Value, last: Value, count: u64| json!({ "window_id": id, "first_seq": first, "last_seq": last, "item_count": count });
    let windows = json!({
        "windows": [window("r", json!(1), json!(9), 7), window("w", Value::Null, Value::Null, 0)], "more": 3,
    });
    let expected = ["2 windows, 3 more not listed", "r  7 events, 1–9", "w  0 events"];
    assert_eq!(result("history_windows", windows, false), expected);

    let text = "--- READ WINDOW ---\nseq: 3\nwindow_id: w\nchars: [0,3) of 3\nnext_offset_chars: null\n\none";
    let lines: Vec<String> = render_result(&result_view("history_read", text, false, false)).iter().map(flat).collect();
    assert_eq!(lines, ["characters [0,3) of 3", "one"]);
}

#[test]
fn a_read_says_which_part_and_shows_some() {
    let text = "--- READ WINDOW ---\naddress: n\nchars: [0,10) of 24\nnext_offset_chars: 10\n\none\n\ntwo";
    let lines: Vec<String> = render_result(&result_view("notes_read", text, false, false)).iter().map(flat).collect();
    assert_eq!(lines, ["characters [0,10) of 24, goes on at 10", "one", "", "two"]);

    // The metadata block shows only when a person expands.
    let note = text.replace("one\n", "---\norigin: self\n---\n\none\n");
    let shown = |expanded| render_result(&result_view("notes_read", &note, false, expanded)).len();
    assert_eq!((shown(false), shown(true)), (4, 8));
}

#[test]
fn an_error_is_its_message_in_red() {
    let error = json!({ "error": "note not found", "code": "not_found" }).to_string();
    for (text, shown) in
        [(error.as_str(), "note not found"), ("Validation failed:\n- address: missing", "Validation failed:")]
    {
        let lines = render_result(&result_view("notes_read", text, true, false));
        assert_eq!((flat(&lines[0]).as_str(), lines[0][0].color), (shown, "error"));
    }
}

#[test]
fn no_control_character_reaches_the_terminal() {
    let nasty = "\u{1b}[2Jgone\u{7}\u{9b}1m\u{202e}abc\r";
    let shown = call("notes_write", json!({ "address": nasty, "content": nasty }), false);
    assert_eq!(shown[1], "␛[2Jgone␇\u{fffd}1m\u{fffd}abc␍");
    assert!(shown.concat().chars().all(|c| !c.is_control()));
}

/// What the host counts as wider than the width tables do: half a flag takes two cells.
#[test]
fn half_a_flag_takes_two_cells() {
    let args = json!({ "content": "a🇩" });
    let shown = |width| {
        let view = CallView { tool: "t".into(), args: args.clone(), expanded: false, expand_key: String::new(), width };
        flat(&render_call(&view)[1])
    };
    assert_eq!((shown(3), shown(2)), ("a🇩".to_owned(), "a…".to_owned()));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// No line is wider than the terminal, whatever the text and however narrow, and none holds a control character.
    #[test]
    fn lines_fit(text in "([a-z\t\u{1b}水🦀é\u{301}\u{200d}\u{fe0f}🇩]|\n){0,80}", width in 0usize..50, expanded: bool) {
        let view = CallView {
            tool: "notes_write".into(),
            args: json!({ "address": text, "content": text, "origin": text }),
            expanded, expand_key: "ctrl+o".into(), width,
        };
        let mut lines = render_call(&view);
        for tool in [
            "notes_edit", "notes_list", "notes_search", "notes_read", "history_windows", "history_list", "history_search", "other",
        ] {
            let answer = json!({
                "windows": [{ "window_id": text }], "sessions_unavailable": [text],
                "items": [{ "seq": 1, "role": "user", "tool": text, "session_id": text, "content": text }, { "folded": true }],
                "diff": text, "diff_truncated": true, "more": 1, "homes_unavailable": [text],
                "files": [{ "address": text, "updated_at": text, "matches": [{ "line": 1, "text": text }] }],
            });
            for (text, is_error) in [(answer.to_string(), false), (text.clone(), true), (text.clone(), false)] {
                let view = ResultView { width, ..result_view(tool, &text, is_error, expanded) };
                lines.extend(render_result(&view));
            }
        }
        for line in &lines {
            let flat = flat(line);
            let cells = unicode_width::UnicodeWidthStr::width(flat.as_str());
            prop_assert!(cells <= width, "{cells} cells in {width}: {flat:?}");
            prop_assert!(flat.chars().all(|c| !c.is_control()));
        }
    }

    /// Expanded, nothing of a body is lost: what is shown, joined, is the body.
    #[test]
    fn expanding_shows_everything(text in "[a-z水🦀]{1,200}", width in 2usize..50) {
        let view = CallView {
            tool: "notes_write".into(), args: json!({ "content": text }), expanded: true,
            expand_key: String::new(), width,
        };
        let shown: String = render_call(&view)[1..].iter().map(flat).collect();
        prop_assert_eq!(shown, text);
    }
}
