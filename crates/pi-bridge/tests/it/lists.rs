//! `notes_list` and `notes_search`: rows, order, limits, budget.

use std::collections::BTreeSet;
use std::fs;

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::bench::{Bench, content};

fn addresses(answer: &Value) -> Vec<&str> {
    answer["files"].as_array().expect("files").iter().map(|row| row["address"].as_str().expect("address")).collect()
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().expect("object").keys().map(String::as_str).collect()
}

/// A note with a time of its own, as another program may have written it.
fn dated(minute: u32, body: &str) -> String {
    format!("---\norigin: self\nupdatedAt: 2026-01-01T00:{minute:02}:00.000+00:00\n---\n\n{body}")
}

/// Lines 36 and 49.
#[test]
fn rows_and_their_order() {
    let bench = Bench::new();
    bench.put("pi/session/session-1/b.md", dated(5, "x"));
    bench.put("pi/session/session-1/a.md", dated(5, "x"));
    bench.put("pi/session/session-1/deep/c.md", dated(9, "x"));
    bench.put("project/app-12345678/p.md", dated(7, "x"));
    bench.put("human/h.md", dated(1, "x"));
    let list = |pattern: Value| bench.data("notes_list", json!({ "pattern": pattern }));

    let all = list(Value::Null);
    assert_eq!(addresses(&all), ["deep/c.md", "@project/p.md", "a.md", "b.md", "@human/h.md"]);
    assert_eq!((keys(&all), keys(&all["files"][0])), (vec!["files", "more"], vec!["address", "updated_at"]));
    let instant = |text: &Value| text.as_str().expect("time").parse::<jiff::Timestamp>().expect("RFC 3339");
    assert_eq!(instant(&all["files"][0]["updated_at"]), "2026-01-01T00:09:00Z".parse().expect("time"));

    assert_eq!(addresses(&list(json!("*.md"))), ["a.md", "b.md"]);
    assert_eq!(addresses(&list(json!("@project/**"))), ["@project/p.md"]);
    assert_eq!(addresses(&list(json!("@human/**"))), ["@human/h.md"]);
    assert_eq!(list(json!("nothing-*")), json!({ "files": [], "more": 0 }));

    bench.ok("notes_edit", json!({ "address": "a", "crumpled": true }));
    let basket = bench.data("notes_list", json!({ "wastebasket": true }));
    assert_eq!(addresses(&basket), ["a.md"]);
    assert_eq!(keys(&basket["files"][0]), ["address", "updated_at", "crumpled_at"]);
    assert_eq!(addresses(&list(json!("*.md"))), ["b.md"]);
}

/// Line 37.
#[test]
fn limits_and_the_budget_leave_a_count() {
    let bench = Bench::new();
    for n in 0..400 {
        bench.put(&format!("pi/session/session-1/{:0>60}.md", n), dated(n % 60, "x"));
    }
    let all = bench.data("notes_list", json!({}));
    let delivered = addresses(&all).len();
    assert!(delivered < 400);
    assert_eq!(all["more"], 400 - delivered);
    assert_eq!(keys(&all), ["files", "more"]);
    let times: Vec<&str> =
        all["files"].as_array().expect("rows").iter().filter_map(|r| r["updated_at"].as_str()).collect();
    assert!(times.is_sorted_by(|a, b| a >= b));

    let some = bench.data("notes_list", json!({ "pattern": "*00[1-9].md", "limit": 2 }));
    assert_eq!(some, json!({ "files": [], "more": 0 }), "brackets are literal");
    let some = bench.data("notes_list", json!({ "pattern": "*39?.md", "limit": 2 }));
    assert_eq!((addresses(&some).len(), &some["more"]), (2, &json!(8)));
}

/// Line 37: `limit` 2 of 3; and for search as well.
#[test]
fn two_of_three() {
    let bench = Bench::new();
    for name in ["a", "b", "c"] {
        bench.write(name, "needle");
    }
    let list = bench.data("notes_list", json!({ "limit": 2 }));
    assert_eq!((addresses(&list), &list["more"]), (vec!["c.md", "b.md"], &json!(1)));
    let found = bench.data("notes_search", json!({ "query": "NEEDLE", "limit": 2 }));
    assert_eq!((addresses(&found), &found["more"]), (vec!["c.md", "b.md"], &json!(1)));
}

/// B6: only the first row is shrunk, in the middle of its address, and by no more than is needed.
#[test]
fn a_row_that_does_not_fit_alone_is_shrunk() {
    let bench = Bench::new();
    let folder = "d".repeat(200);
    let deep = [folder.as_str(); 10].join("/");
    bench.put(&format!("human/{deep}/n.md"), dated(3, "needle"));
    let whole = bench.data("notes_list", json!({ "pattern": "@human/**" }));
    assert_eq!(whole["files"][0].get("address_truncated"), None, "2 KB fit");

    let row = palimpsest_pi_bridge::FileRow {
        address: "水".repeat(20_000),
        address_truncated: false,
        updated_at: "2026-01-01T00:00:00.000+00:00".into(),
        crumpled_at: None,
        not_utf8: false,
    };
    let rows = [row.clone(), row];
    let answer = palimpsest_pi_bridge::Page::deliver(&rows, None, &[]);
    crate::bench::check_answer("notes_list", &answer);
    assert_eq!(answer.structured["more"], 1);
    let shown = answer.structured["files"][0]["address"].as_str().expect("address");
    assert_eq!(keys(&answer.structured["files"][0])[..2], ["address", "address_truncated"]);
    let (head, rest) = shown.split_once("…[truncated ").expect("marker");
    let (removed, tail) = rest.split_once(" chars]…").expect("marker");
    let (head, tail) = (head.chars().count(), tail.chars().count());
    assert_eq!(head + tail + removed.parse::<usize>().expect("number"), 20_000);
    assert!(head == tail || head == tail + 1);
    assert!(answer.text.len() + 3 > palimpsest_pi_bridge::BUDGET, "{}", answer.text.len());
}

/// Lines 40 and 41: homes are apart; another agent's and model's notes are read by their own address, never written.
#[test]
fn homes_do_not_mix() {
    let bench = Bench::new();
    for (address, text) in [("n", "session"), ("@project/n", "project"), ("@human/n", "human"), ("@model/n", "opus")] {
        bench.write(address, text);
    }
    for (address, text) in [("n", "session"), ("@project/n", "project"), ("@human/n", "human")] {
        let read = bench.ok("notes_read", json!({ "address": address }));
        assert!(read.text.ends_with(&format!("\n\n{text}")));
    }
    bench.write("@human/only", "x");
    for address in ["only", "@project/only", "@self/only"] {
        assert_eq!(bench.refused("notes_read", json!({ "address": address }))["code"], "not_found");
    }

    let switched = Bench { store: Bench::store_in(&bench.home, "coder", "haiku", "session-1"), home: bench.home };
    assert_eq!(switched.refused("notes_read", json!({ "address": "@model/n" }))["code"], "not_found");
    let read = switched.ok("notes_read", json!({ "address": "@models/opus/n" }));
    assert!(read.text.ends_with("opus"));
    let refusal = switched.refused("notes_write", json!({ "address": "@models/opus/n", "content": "mine" }));
    assert_eq!(refusal["code"], "invalid_scope");
    assert!(!addresses(&switched.data("notes_list", json!({}))).contains(&"@models/opus/n.md"));
}

/// Line 38: `**` crosses folders, `*` does not; sessions do not see each other.
#[test]
fn patterns_and_sessions() {
    let bench = Bench::new();
    bench.write("@project/ü/ノート", "水 🦀");
    bench.write("here", "x");
    let later = Bench { store: Bench::store_in(&bench.home, "coder", "opus", "session-2"), home: bench.home };
    let list = |pattern: &str| later.data("notes_list", json!({ "pattern": pattern }));
    assert_eq!(addresses(&list("@project/**")), ["@project/ü/ノート.md"]);
    assert_eq!(addresses(&list("@project/*")), Vec::<&str>::new());
    assert_eq!(addresses(&list("**")), ["@project/ü/ノート.md"]);
    assert!(later.ok("notes_read", json!({ "address": "@project/ü/ノート" })).text.ends_with("水 🦀"));
}

/// Lines 43, 47 and 88: what a match says, and that a read at its offset starts there.
#[test]
fn a_match_leads_to_its_text() {
    let bench = Bench::new();
    bench.put("human/bare.md", "🦀 first\nthe Needle, the thread");
    bench.write("n", "é 🦀\r\nthread and needle\nnothing");
    for _ in 0..9 {
        bench.ok("notes_read", json!({ "address": "n" }));
    }
    for (address, query, line, text, from) in [
        ("@human/bare.md", json!("needle"), 2, "the Needle, the thread", "Needle, the thread"),
        ("n.md", json!("needle"), 2, "thread and needle", "needle\nnothing"),
        ("n.md", json!(["needle", "AND"]), 2, "thread and needle", "and needle\nnothing"),
        ("n.md", json!("🦀"), 1, "é 🦀\r", "🦀\r\nthread and needle\nnothing"),
    ] {
        let found = bench.data("notes_search", json!({ "query": query, "pattern": address }));
        let row = &found["files"][0];
        assert_eq!(keys(row), ["address", "updated_at", "matches_total", "matches"]);
        let hit = &row["matches"][0];
        let expected = json!({ "line": line, "text": text, "truncated": false, "offset_chars": hit["offset_chars"] });
        assert_eq!(*hit, expected);
        let read = bench.ok("notes_read", json!({ "address": row["address"], "offset_chars": hit["offset_chars"] }));
        assert_eq!(content(&read.text), from, "{address} {query}");
    }
}

/// Line 43: one line that fills the budget.
#[test]
fn an_oversized_line_is_cut_to_a_prefix() {
    let bench = Bench::new();
    bench.put("human/small.md", dated(1, "needle"));
    let line = format!("{}needle\"🦀", "水\"".repeat(30_000));
    bench.put("human/big.md", dated(2, &format!("first\n{line}\nneedle")));
    let found = bench.ok("notes_search", json!({ "query": "needle" }));
    let row = &found.structured["files"][0];
    let hit = &row["matches"][0];
    assert_eq!((&row["matches_total"], &hit["line"], &hit["truncated"]), (&json!(2), &json!(2), &json!(true)));
    assert!(line.starts_with(hit["text"].as_str().expect("text")));
    assert_eq!((found.structured["files"].as_array().expect("rows").len(), &found.structured["more"]), (1, &json!(1)));
    assert!(found.text.len() + 4 > palimpsest_pi_bridge::BUDGET, "{}", found.text.len());
    let read = bench.ok("notes_read", json!({ "address": row["address"], "offset_chars": hit["offset_chars"] }));
    assert!(content(&read.text).starts_with("needle\"🦀"));
}

/// Line 44.
#[test]
fn many_matches_are_counted_and_some_delivered() {
    let bench = Bench::new();
    bench.put("human/many.md", dated(1, &"needle\n".repeat(8_000)));
    let found = bench.data("notes_search", json!({ "query": "needle" }));
    let row = &found["files"][0];
    let delivered = row["matches"].as_array().expect("matches").len();
    assert_eq!(row["matches_total"], 8_000);
    assert!(delivered > 100 && delivered < 8_000, "{delivered}");
    let three = bench.data("notes_search", json!({ "query": "needle", "max_matches_per_file": 3 }));
    let row = &three["files"][0];
    assert_eq!((row["matches"].as_array().expect("matches").len(), &row["matches_total"]), (3, &json!(8_000)));

    let wide = Bench::new();
    wide.put("human/wide.md", dated(1, &format!("needle{}\n", "x".repeat(45_000)).repeat(4)));
    let found = wide.data("notes_search", json!({ "query": "needle" }));
    let matches = found["files"][0]["matches"].as_array().expect("matches");
    assert_eq!((matches.len(), &matches[0]["truncated"]), (1, &json!(true)));
    assert_eq!(found["files"][0]["matches_total"], 4);
}

/// Line 92.
#[test]
fn a_failing_home_is_named_and_the_others_arrive() {
    let bench = Bench::new();
    bench.write("n", "needle");
    fs::write(bench.path("human"), "a file where a folder should be").expect("file");
    for (tool, params) in [("notes_list", json!({})), ("notes_search", json!({ "query": "needle" }))] {
        let answer = bench.data(tool, params);
        assert_eq!(addresses(&answer), ["n.md"]);
        assert_eq!((&answer["homes_unavailable"], &answer["more"]), (&json!(["@human"]), &json!(0)));
        assert_eq!(keys(&answer), ["files", "more", "homes_unavailable"]);
    }
    let names: Vec<String> = (0..30).map(|n| format!("@agents/a{n}")).collect();
    let rows: [palimpsest_pi_bridge::FileRow; 0] = [];
    let answer = palimpsest_pi_bridge::Page::deliver(&rows, None, &names);
    crate::bench::check_answer("notes_list", &answer);
    assert_eq!(answer.structured["homes_unavailable"], json!(names[..20]));
    assert_eq!(answer.structured["homes_unavailable_more"], 10);
}

/// A value that another program left as `crumpledAt` cannot fill the page.
#[test]
fn a_foreign_crumpled_at_stays_small() {
    let bench = Bench::new();
    bench.put("human/a.md", "---\ncrumpledAt: true\n---\n\nx");
    bench.put("human/b.md", format!("---\ncrumpledAt: {}\n---\n\nx", "z".repeat(50_000)));
    let basket = bench.data("notes_list", json!({ "wastebasket": true }));
    let found: BTreeSet<&str> = addresses(&basket).into_iter().collect();
    assert_eq!(found, BTreeSet::from(["@human/a.md", "@human/b.md"]));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever the rows, the page fits, holds a prefix of them unless the first had to be shrunk, and counts the rest.
    #[test]
    fn every_page_fits(
        sizes in prop::collection::vec((1usize..9_000, 1usize..9_000, 1usize..6), 1..12),
        unit in "[a-z\"\u{1}水🦀]{1,4}", limit in prop::option::of(1usize..15),
    ) {
        let rows: Vec<palimpsest_pi_bridge::SearchRow> = sizes.iter().map(|&(address, line, matches)| {
            palimpsest_pi_bridge::SearchRow {
                file: palimpsest_pi_bridge::FileRow {
                    address: unit.repeat(address),
                    address_truncated: false,
                    updated_at: "2026-01-01T00:00:00.000+00:00".into(),
                    crumpled_at: None,
                    not_utf8: false,
                },
                matches_total: matches,
                matches: (1..=matches).map(|n| palimpsest_pi_bridge::MatchRow {
                    line: n, text: unit.repeat(line).into(), truncated: false, offset_chars: n,
                }).collect(),
            }
        }).collect();
        let answer = palimpsest_pi_bridge::Page::deliver(&rows, limit, &[]);
        crate::bench::check_answer("notes_search", &answer);
        let files = answer.structured["files"].as_array().expect("files");
        prop_assert!(!files.is_empty());
        prop_assert!(files.len() <= limit.unwrap_or(usize::MAX));
        prop_assert_eq!(&answer.structured["more"], &json!(rows.len() - files.len()));
        for (file, row) in files.iter().zip(&rows) {
            let whole = json!(row);
            prop_assert!(*file == whole || files.len() == 1);
        }
    }
}
