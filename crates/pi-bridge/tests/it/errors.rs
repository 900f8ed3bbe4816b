//! Refusals: error objects, never anything else.

use serde_json::{Value, json};

use crate::bench::Bench;

/// Lines 39 and 93: addresses that lead elsewhere, before anything is created.
#[test]
fn addresses_that_escape_are_refused() {
    let bench = Bench::new();
    let bad = [
        "",
        "../x",
        "/abs",
        "a\\b",
        "a//b",
        "a/",
        "a/../b",
        "./a",
        "a/.",
        "@other/x",
        "@Project/x",
        "@project",
        "@project/",
        "@self",
        "@agents/x",
        "@agents/Not A Slug/x",
        "bad@name",
        "@human/a@b",
        "a\nb",
        "a\u{7f}",
    ];
    for address in bad {
        for (tool, params) in [
            ("notes_write", json!({ "address": address, "content": "x" })),
            ("notes_edit", json!({ "address": address, "crumpled": true })),
            ("notes_read", json!({ "address": address })),
            ("notes_read", json!({ "address": address, "offset_chars": 5 })),
        ] {
            let refusal = bench.refused(tool, params);
            assert_eq!(refusal["code"], "invalid_address", "{tool} {address:?}");
        }
    }
    let message = bench.refused("notes_write", json!({ "address": "@other/x", "content": "" }))["error"].clone();
    let message = message.as_str().expect("text");
    let at = |prefix: &str| message.find(prefix).unwrap_or_else(|| panic!("{prefix} in {message}"));
    assert!(at("@project/") < at("@human/") && at("@human/") < at("@self/") && at("@self/") < at("@model/"));
    for pattern in ["a\\b", "a\u{0}b"] {
        assert_eq!(bench.refused("notes_list", json!({ "pattern": pattern }))["code"], "invalid_pattern");
        let refusal = bench.refused("notes_search", json!({ "query": "x", "pattern": pattern }));
        assert_eq!(refusal["code"], "invalid_pattern");
    }
    assert_eq!(bench.files(), Vec::<String>::new());
}

/// Line 93: the remaining causes, each with its code and keys.
#[test]
fn every_failure_is_an_error_object() {
    let bench = Bench::new();
    bench.put("human/d.md/inside.md", "a folder where a note should be");
    let cases: Vec<(&str, Value, &str, &[&str])> = vec![
        ("notes_read", json!({ "address": "n" }), "not_found", &["address"]),
        ("notes_edit", json!({ "address": "n", "crumpled": true }), "not_found", &[]),
        ("notes_search", json!({ "query": [] }), "invalid_query", &[]),
        ("notes_search", json!({ "query": ["a", 1] }), "invalid_query", &[]),
        ("notes_search", json!({ "query": ["a", ""] }), "invalid_query", &[]),
        ("notes_search", json!({ "query": "" }), "invalid_query", &[]),
        ("notes_write", json!({ "address": "n", "content": "x", "origin": "me" }), "invalid_origin", &[]),
        ("notes_write", json!({ "address": "@agents/other/n", "content": "x" }), "invalid_scope", &[]),
        ("notes_edit", json!({ "address": "@models/other/n", "crumpled": true }), "invalid_scope", &[]),
        ("notes_list", json!({ "pattern": "@agents/No Slug/*" }), "invalid_scope", &[]),
        ("notes_write", json!({ "address": "n", "content": "x".repeat(1_000_001) }), "too_large", &[]),
        ("notes_write", json!({ "address": "n".repeat(513), "content": "x" }), "too_large", &[]),
        ("notes_read", json!({ "address": "@human/d" }), "io", &[]),
        ("notes_write", json!({ "address": "@human/d", "content": "x" }), "io", &[]),
        ("notes_write", json!({ "address": "n" }), "invalid_arguments", &[]),
        ("notes_write", json!({ "address": "n", "content": "x", "crumpled": true }), "invalid_arguments", &[]),
        ("notes_read", json!({ "address": "n", "limit_chars": 0 }), "invalid_arguments", &[]),
        ("notes_read", json!({ "address": "n", "offset_chars": 0.5 }), "invalid_arguments", &[]),
        ("notes_list", json!({ "limit": 0 }), "invalid_arguments", &[]),
    ];
    for (tool, params, code, further) in cases {
        let shown: String = params.to_string().chars().take(80).collect();
        let refusal = bench.refused(tool, params);
        let keys: Vec<&str> = refusal.as_object().expect("object").keys().map(String::as_str).collect();
        assert_eq!(refusal["code"], code, "{tool} {shown}: {refusal}");
        assert_eq!(keys, [&["error", "code"], further].concat(), "{tool} {shown}");
    }
    let missing = bench.refused("notes_read", json!({ "address": "n.md" }));
    assert_eq!(missing, json!({ "error": "note not found", "code": "not_found", "address": "n.md" }));
}

/// Line 93: a lock that another process holds. What needs no lock still works.
#[test]
fn a_busy_lock_is_an_error_object() {
    let mut bench = Bench::new();
    bench.write("n", "needle");
    let before = bench.files();
    let lock = std::fs::File::options().write(true).open(bench.path(".notes.lock")).expect("lock file");
    lock.lock().expect("lock");
    bench.store = bench.store.clone().with_lock_wait(std::time::Duration::from_millis(20));
    for (tool, params) in [
        ("notes_write", json!({ "address": "m", "content": "x" })),
        ("notes_edit", json!({ "address": "n", "crumpled": true })),
        ("notes_read", json!({ "address": "n" })),
    ] {
        assert_eq!(bench.refused(tool, params)["code"], "busy", "{tool}");
    }
    bench.ok("notes_read", json!({ "address": "n", "offset_chars": 1 }));
    assert_eq!(bench.data("notes_list", json!({}))["files"][0]["address"], "n.md");
    assert_eq!(bench.data("notes_search", json!({ "query": "needle" }))["files"][0]["matches_total"], 1);
    assert_eq!(bench.files(), before);
}

/// Line 93: an oversized address is cut in the error object that quotes it.
#[test]
fn a_refusal_fits_whatever_it_quotes() {
    let bench = Bench::new();
    for unit in ["n", "水", "\"", "\u{1}", "🦀/"] {
        let long = unit.repeat(40_000);
        for (tool, params) in [
            ("notes_read", json!({ "address": long })),
            ("notes_write", json!({ "address": long, "content": "x" })),
            ("notes_list", json!({ "pattern": format!("{long}\\") })),
            ("notes_write", json!({ "address": "n", "content": "x", "origin": long })),
        ] {
            bench.refused(tool, params);
        }
    }
    let quoted = bench.refused("notes_read", json!({ "address": format!("@{}", "x".repeat(40_000)) }));
    assert_eq!(quoted["code"], "invalid_address");
}
