//! `notes_read`: the READ WINDOW block, paging, counting.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::bench::{Bench, content};

/// Follows the cursor from the first page and returns all content, with the number of pages.
fn walk(bench: &Bench, address: &str, limit: Option<usize>) -> (String, usize) {
    let (mut whole, mut pages, mut offset) = (String::new(), 0, Value::Null);
    loop {
        let mut params = json!({ "address": address });
        if !offset.is_null() {
            params["offset_chars"] = offset;
        }
        if let Some(limit) = limit {
            params["limit_chars"] = limit.into();
        }
        let page = bench.ok("notes_read", params);
        whole.push_str(page.structured["content"].as_str().expect("content"));
        pages += 1;
        assert!(pages < 100, "the cursor does not end");
        offset = page.structured["next_offset_chars"].clone();
        if offset.is_null() {
            return (whole, pages);
        }
    }
}

/// Lines 35 and 42: the exact header, the exact details, no scope.
#[test]
fn a_read_is_a_header_and_the_text() {
    let bench = Bench::new();
    bench.write("plan", "first\nsecond");
    let read = bench.ok("notes_read", json!({ "address": "plan" }));
    let disk = bench.on_disk("pi/session/session-1/plan.md");
    let total = disk.chars().count();
    let expected =
        format!("--- READ WINDOW ---\naddress: plan\nchars: [0,{total}) of {total}\nnext_offset_chars: null\n\n{disk}");
    assert_eq!(read.text, expected);
    let details = json!({ "address": "plan", "offset_chars": 0, "total_chars": total, "next_offset_chars": null });
    assert_eq!(read.details, Some(details));

    let part = bench.ok("notes_read", json!({ "address": "plan", "offset_chars": 2, "limit_chars": 5 }));
    let slice: String = disk.chars().skip(2).take(5).collect();
    let expected =
        format!("--- READ WINDOW ---\naddress: plan\nchars: [2,7) of {total}\nnext_offset_chars: 7\n\n{slice}");
    assert_eq!(part.text, expected);
}

/// Line 42: a 64 KiB note in pages within the budget, without a marker anywhere.
#[test]
fn a_cursor_walk_gives_the_whole_note() {
    for body in ["x".repeat(65_536), "🦀".repeat(65_536 / 4), "\u{1}\"\\".repeat(20_000)] {
        let bench = Bench::new();
        bench.write("big", &body);
        for limit in [None, Some(50_000)] {
            let (whole, pages) = walk(&bench, "big", limit);
            assert_eq!(whole, bench.on_disk("pi/session/session-1/big.md"));
            assert!(pages > 1);
        }
    }
}

/// Line 45.
#[test]
fn notes_of_every_script_and_size_are_reconstructed() {
    for unit in ["a", "水", "🦀"] {
        for size in [12_000, 12_001, 20_000, 30_000, 40_000] {
            for end in ["", "\n"] {
                let bench = Bench::new();
                bench.write("n", &format!("{}{end}", unit.repeat(size)));
                assert_eq!(walk(&bench, "n", None).0, bench.on_disk("pi/session/session-1/n.md"), "{unit} {size}");
            }
        }
    }
    let bench = Bench::new();
    bench.write("empty", "");
    let read = bench.data("notes_read", json!({ "address": "empty" }));
    assert_eq!(read["content"], bench.on_disk("pi/session/session-1/empty.md"));
    assert_eq!(read["next_offset_chars"], Value::Null);
}

/// Lines 38 and 46.
#[test]
fn negative_offsets_count_from_the_end() {
    let bench = Bench::new();
    bench.write("日本/メモ", "…結論は🦀です");
    let tail = bench.data("notes_read", json!({ "address": "日本/メモ", "offset_chars": -4 }));
    assert_eq!(tail["content"], "は🦀です");
    let total = tail["total_chars"].as_u64().expect("total");
    assert_eq!(tail["offset_chars"], total - 4);

    let cut = bench.data("notes_read", json!({ "address": "日本/メモ", "offset_chars": -10, "limit_chars": 4 }));
    let rest = bench.data("notes_read", json!({ "address": "日本/メモ", "offset_chars": cut["next_offset_chars"] }));
    assert_eq!(rest["offset_chars"], cut["next_offset_chars"]);
    let joined = format!("{}{}", cut["content"].as_str().expect("text"), rest["content"].as_str().expect("text"));
    assert_eq!(joined.chars().count(), 10);

    let all = bench.data("notes_read", json!({ "address": "日本/メモ", "offset_chars": -1_000_000 }));
    assert_eq!((&all["offset_chars"], &all["next_offset_chars"]), (&json!(0), &Value::Null));
}

/// B5: an offset at the end is an empty page; one past it is refused, however large the number.
#[test]
fn offsets_at_and_past_the_end() {
    let bench = Bench::new();
    bench.write("n", "text");
    let total = bench.data("notes_read", json!({ "address": "n" }))["total_chars"].clone();
    let end = bench.data("notes_read", json!({ "address": "n", "offset_chars": total }));
    assert_eq!((&end["content"], &end["next_offset_chars"]), (&json!(""), &Value::Null));

    let past = bench.refused("notes_read", json!({ "address": "n", "offset_chars": 900 }));
    let message = format!(
        "offset_chars 900 lies past the end: the note has {total} code points, so {total} is the largest legal offset"
    );
    let expected = json!({
        "error": message, "code": "invalid_offset", "address": "n", "offset_chars": 900, "total_chars": total,
    });
    assert_eq!(past, expected);
    let huge = bench.refused("notes_read", json!({ "address": "n", "offset_chars": 1e300 }));
    assert_eq!(huge["code"], "invalid_offset");
}

/// Line 87: only a read from the start counts; a walk across the digit 9 → 10 of the count still gives the first page's
/// text.
#[test]
fn only_a_read_from_the_start_counts() {
    let bench = Bench::new();
    let file = "pi/session/session-1/n.md";
    bench.write("n", &"word ".repeat(6_000));
    for _ in 0..9 {
        bench.ok("notes_read", json!({ "address": "n" }));
    }
    assert!(bench.on_disk(file).contains("accessCount: 9\n"));
    let before = bench.on_disk(file);
    for offset in [1, 500, -3, 99_999] {
        bench.call("notes_read", json!({ "address": "n", "offset_chars": offset }));
        assert_eq!(bench.on_disk(file), before, "offset {offset}");
    }
    let (whole, pages) = walk(&bench, "n", None);
    assert_eq!(pages, 3);
    assert_eq!(whole, bench.on_disk(file));
    assert!(whole.contains("accessCount: 10\n"));

    // After an edit the cursor addresses the new text.
    let cursor = bench.data("notes_read", json!({ "address": "n" }))["next_offset_chars"].clone();
    let edits = json!([{ "oldText": "word ", "newText": "WORDS " }]);
    bench.ok("notes_edit", json!({ "address": "n", "edits": edits, "replace_all": true }));
    let next = bench.ok("notes_read", json!({ "address": "n", "offset_chars": cursor, "limit_chars": 50 }));
    let from = cursor.as_u64().expect("cursor") as usize;
    assert_eq!(content(&next.text), bench.on_disk(file).chars().skip(from).take(50).collect::<String>());
}

/// A6.5: bytes that are not UTF-8 are shown and flagged, and never touched.
#[test]
fn a_note_that_is_not_utf8_says_so() {
    let bench = Bench::new();
    bench.put("human/old.md", b"caf\xe9 needle");
    let read = bench.ok("notes_read", json!({ "address": "@human/old" }));
    assert!(read.text.starts_with("--- READ WINDOW ---\naddress: @human/old\nnot_utf8: true\nchars: [0,11) of 11\n"));
    assert_eq!(content(&read.text), "caf\u{fffd} needle");
    assert_eq!(std::fs::read(bench.path("human/old.md")).expect("file"), b"caf\xe9 needle");
    let row = &bench.data("notes_list", json!({}))["files"][0];
    assert_eq!(row["not_utf8"], true);
    assert_eq!(bench.refused("notes_edit", json!({ "address": "@human/old", "crumpled": true }))["code"], "not_utf8");
}

/// B5: where the header leaves no room, the read is refused, and the refusal fits.
#[test]
fn a_header_that_fills_the_budget_is_refused() {
    let identity = serde_json::Map::from_iter([("address".to_owned(), json!("a".repeat(40_000)))]);
    let window = palimpsest_pi_bridge::ReadWindow { identity: &identity, text: "text", start: 0, total: 4 };
    let answer = window.deliver();
    crate::bench::check_answer("notes_read", &answer);
    assert_eq!(answer.structured["code"], "output_too_large");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    /// The law of B5: content parts joined in cursor order are the text; and each page is the longest that fits.
    #[test]
    fn pages_join_to_the_text(
        unit in "[a-z\"\\\\\u{1}\n水🦀]{1,12}", repeat in 1usize..9_000, name in "[a-z\"🦀]{1,2000}", limit in 1usize..60_000,
    ) {
        let source = unit.repeat(repeat);
        let total = source.chars().count();
        let identity = serde_json::Map::from_iter([("address".to_owned(), json!(name))]);
        let (mut whole, mut start) = (String::new(), 0);
        loop {
            let text: String = source.chars().skip(start).take(limit.min(50_000)).collect();
            let page = palimpsest_pi_bridge::ReadWindow { identity: &identity, text: &text, start, total }.deliver();
            crate::bench::check_answer("notes_read", &page);
            let content = page.structured["content"].as_str().expect("content");
            let kept = content.chars().count();
            if kept < text.chars().count() {
                // One more code point is at most 6 bytes of JSON, and the numbers of the header can grow by a digit.
                let size = page.text.len().max(page.structured.to_string().len());
                prop_assert!(size + 16 > palimpsest_pi_bridge::BUDGET, "cut at {size} bytes");
            }
            whole.push_str(content);
            let Some(next) = page.structured["next_offset_chars"].as_u64() else { break };
            prop_assert!(next as usize > start);
            start = next as usize;
        }
        prop_assert_eq!(whole, source);
    }
}
