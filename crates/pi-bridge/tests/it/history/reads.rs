//! `history_read`: the READ WINDOW block of one event.

use serde_json::{Value, json};

use super::desk::{Desk, keys};
use crate::bench::content;

/// Line 60: header, details, cursor.
#[test]
fn an_event_is_read_in_windows() {
    let text: String = (0..6_000).map(|n| format!("línea {n} 🦀\n")).collect();
    let total = text.chars().count();
    assert!(text.len() > 65_536);
    let mut desk = Desk::with(|log| {
        log.user("first");
        log.user(&text);
    });
    let first = desk.ok("history_read", json!({ "seq": 2 }));
    let header = format!(
        "--- READ WINDOW ---\nseq: 2\nwindow_id: pcw:12345678:root\nchars: [0,12000) of {total}\nnext_offset_chars: 12000\n\n"
    );
    assert!(first.text.starts_with(&header), "{:.200}", first.text);
    let details = first.details.expect("details");
    assert_eq!(keys(&details), ["seq", "window_id", "offset_chars", "total_chars", "next_offset_chars"]);

    for limit in [json!(12_000), json!(50_000)] {
        let (mut walked, mut next, mut pages) = (String::new(), json!(0), 0);
        while !next.is_null() {
            let page = desk.ok("history_read", json!({ "seq": 2, "offset_chars": next, "limit_chars": limit }));
            walked.push_str(content(&page.text));
            next = page.structured["next_offset_chars"].clone();
            pages += 1;
            assert!(pages < 20, "the cursor does not end");
        }
        assert!(walked == text, "a walk of {pages} pages gives another text");
    }
    let tail = desk.data("history_read", json!({ "seq": 2, "offset_chars": -7 }));
    assert_eq!((&tail["content"], &tail["next_offset_chars"]), (&json!("5999 🦀\n"), &Value::Null));
    let end = desk.data("history_read", json!({ "seq": 2, "offset_chars": total }));
    assert_eq!((&end["content"], &end["next_offset_chars"]), (&json!(""), &Value::Null));
}

/// Line 59: a match behind characters that fold to another length.
#[test]
fn a_match_leads_to_its_text() {
    let text = format!("{}needle and thread", "🦀İ".repeat(1_000));
    let mut desk = Desk::with(|log| drop(log.user(&text)));
    let hit = desk.data("history_search", json!({ "query": "NEEDLE", "max_chars_per_item": 6 }))["items"][0].clone();
    let facts = (&hit["offset_chars"], &hit["content"], &hit["total_chars"], &hit["truncated"]);
    assert_eq!(facts, (&json!(2_000), &json!("needle"), &json!(2_017), &json!(true)));
    let read = desk.data("history_read", json!({ "seq": 1, "offset_chars": 2_000, "limit_chars": 6 }));
    assert_eq!(read["content"], hit["content"]);
}
