//! Every refusal over the wire: an error object, the host's error flag, nothing thrown, nothing written.

use palimpsest_tests::{Model, ModelSpec};
use serde_json::{Value, json};

use super::{make_calls, with_extension};

/// D2 lines 34, 39, 91, 93 and 110: each refusal with its code and the keys that the code brings.
#[test]
fn refusals_are_error_objects_with_the_error_flag() {
    let prefixes = "@project/, @human/, @self/, @model/";
    let write = |address: &str| json!({ "address": address, "content": "x" });
    let edit = |old: &str| json!({ "address": "note", "edits": [{ "oldText": old, "newText": "y" }] });
    let thirty = "x\n".repeat(30);
    let cases: &[(&str, Value, &str, Value, &str)] = &[
        ("notes_write", write("../x"), "invalid_address", json!({}), ""),
        ("notes_write", write("/abs"), "invalid_address", json!({}), ""),
        ("notes_write", write("a\\b"), "invalid_address", json!({}), ""),
        ("notes_write", write("@nobody/x"), "invalid_address", json!({}), prefixes),
        ("notes_write", write("a@b"), "invalid_address", json!({}), prefixes),
        ("notes_edit", json!({ "address": "../x", "crumpled": true }), "invalid_address", json!({}), ""),
        ("notes_read", json!({ "address": "../x" }), "invalid_address", json!({}), ""),
        ("notes_list", json!({ "pattern": "a\\*" }), "invalid_pattern", json!({}), "backslash"),
        ("notes_search", json!({ "query": "x", "pattern": "a\\*" }), "invalid_pattern", json!({}), "backslash"),
        ("notes_search", json!({ "query": "" }), "invalid_query", json!({}), ""),
        ("notes_search", json!({ "query": ["x", ""] }), "invalid_query", json!({}), ""),
        ("notes_list", json!({ "pattern": "@agents/No Slug/**" }), "invalid_scope", json!({}), "No Slug"),
        ("notes_write", write("@agents/other/x"), "invalid_scope", json!({}), "@agents/other/"),
        (
            "notes_edit",
            json!({ "address": "@models/other/x", "crumpled": true }),
            "invalid_scope",
            json!({}),
            "@models/other/",
        ),
        ("notes_read", json!({ "address": "missing" }), "not_found", json!({ "address": "missing" }), "note not found"),
        ("notes_edit", json!({ "address": "missing", "crumpled": true }), "not_found", json!({}), "note not found"),
        ("notes_edit", json!({ "address": "note" }), "nothing_to_do", json!({}), "nothing to do"),
        ("notes_edit", json!({ "address": "note", "edits": [] }), "nothing_to_do", json!({}), "nothing to do"),
        ("notes_edit", edit("createdAt"), "no_match", json!({ "edit_index": 0 }), ""),
        (
            "notes_edit",
            edit("x"),
            "ambiguous_edit",
            json!({ "line_numbers": (1..=20).collect::<Vec<_>>(), "line_numbers_total": 30, "edit_index": 0 }),
            "occurs 30 times",
        ),
        (
            "notes_write",
            json!({ "address": "big", "content": "x".repeat(1_000_001) }),
            "too_large",
            json!({}),
            "1000000",
        ),
        ("notes_write", write(&"a".repeat(513)), "too_large", json!({}), "512"),
    ];
    let model = Model::start([]);
    // The note that is too large would otherwise fill the context, and the host would compact.
    let roomy = ModelSpec::new("roomy-1").context_window(10_000_000);
    let sandbox = with_extension(&model).models([roomy]).build();
    let mut pi = sandbox.rpc();
    let mut calls = vec![("notes_write", json!({ "address": "note", "content": thirty }))];
    calls.extend(cases.iter().map(|(tool, arguments, ..)| (*tool, arguments.clone())));
    calls.push(("notes_read", json!({ "address": "note", "offset_chars": 100_000 })));
    calls.push(("notes_list", json!({ "pattern": "**" })));
    let ends = make_calls(&mut pi, &model, &calls);
    pi.finish();

    for ((tool, arguments, code, more, says), end) in cases.iter().zip(&ends[1..]) {
        let what = format!("{tool} {:.200}: {}", arguments.to_string(), end.text);
        let mut expected = json!({ "error": end.structured["error"], "code": code });
        for (key, value) in more.as_object().into_iter().flatten() {
            expected[key] = value.clone();
        }
        // Compared as text, because the order of the keys is part of the format.
        assert_eq!(end.structured.to_string(), expected.to_string(), "{what}");
        assert_eq!(end.text, serde_json::to_string_pretty(&expected).expect("JSON"), "{what}");
        assert_eq!((end.is_error, &end.details), (true, &Value::Null), "{what}");
        let digits_only = |text: &str| text.replace([',', '_', ' '], "");
        let error = end.structured["error"].as_str().unwrap_or_default();
        assert!(error.contains(says) || digits_only(error).contains(says), "{what}");
    }
    let past = &ends[ends.len() - 2];
    let total = past.structured["total_chars"].as_u64().expect("a total");
    let expected = json!({
        "error": past.structured["error"], "code": "invalid_offset", "address": "note", "offset_chars": 100_000, "total_chars": total
    });
    assert_eq!((past.structured.to_string(), past.is_error), (expected.to_string(), true));

    // Nothing but the first write has left a trace.
    let listed = ends.last().expect("a listing");
    assert_eq!(listed.structured["files"].as_array().map(Vec::len), Some(1), "{}", listed.text);
    for (end, stored) in ends.iter().zip(sandbox.session().tool_results()) {
        assert_eq!((end.is_error, &end.text), (stored.is_error, &stored.text), "as stored");
    }
}

/// D2 line 32, D3 line 50: the host refuses what the schemas do not allow, before the extension is asked.
#[test]
fn schemas_refuse_unknown_properties_and_wrong_values() {
    let write = |key: &str| json!({ "address": "a", "content": "x", key: true });
    let cases = [
        ("notes_write", write("crumpled")),
        ("notes_write", write("stale")),
        ("notes_write", write("status")),
        ("notes_write", write("scope")),
        ("notes_write", json!({ "address": "a", "content": "x", "origin": "me" })),
        ("notes_write", json!({ "address": "a" })),
        ("notes_edit", json!({ "address": "a", "stale": true })),
        ("notes_edit", json!({ "address": "a", "status": "x" })),
        ("notes_edit", json!({ "address": "a", "edits": [{ "oldText": "a", "newText": "b", "all": true }] })),
        ("notes_read", json!({ "address": "a", "limit_chars": 50_001 })),
        ("notes_read", json!({ "address": "a", "limit_chars": 0 })),
        ("notes_list", json!({ "status": "x" })),
        ("notes_list", json!({ "cursor": "x" })),
        ("notes_list", json!({ "limit": 0 })),
        ("notes_search", json!({ "query": [] })),
        ("notes_search", json!({ "query": "x", "status": "x" })),
        ("history_windows", json!({ "limit": 1 })),
        ("history_list", json!({ "roles": [] })),
        ("history_list", json!({ "roles": ["developer"] })),
        ("history_list", json!({ "scope": "project" })),
        ("history_search", json!({ "query": "x", "before": 0 })),
        ("history_search", json!({ "query": "x", "around": 3 })),
        ("history_read", json!({})),
        ("history_read", json!({ "seq": 0 })),
    ];
    let model = Model::start([]);
    let sandbox = with_extension(&model).build();
    let mut pi = sandbox.rpc();
    let ends = make_calls(&mut pi, &model, &cases);
    pi.finish();
    for (end, (tool, arguments)) in ends.iter().zip(&cases) {
        assert!(end.is_error && end.text.starts_with("Validation failed"), "{tool} {arguments}: {}", end.text);
    }
    assert!(!sandbox.notes_home().exists(), "a refused call wrote something");
}
