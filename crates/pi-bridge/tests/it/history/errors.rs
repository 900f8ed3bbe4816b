//! Refusals of the history tools: the object, its keys and what comes first.

use serde_json::{Value, json};

use super::desk::Desk;

/// Lines 51 and 93: each refusal with the keys that its code brings, in their order.
#[test]
fn refusals_say_what_is_there() {
    let mut desk = Desk::with(|log| {
        let first = log.user("one");
        log.assistant("left");
        log.leaf = Some(first);
        log.assistant("taken");
        // A system prompt takes no seq.
        log.entry(json!({ "type": "message", "message": { "role": "system", "content": "x" } }));
    });
    let cases: [(&str, Value, &str, Value, &[&str]); 9] = [
        ("history_read", json!({ "seq": 4 }), "unknown_seq", json!({}), &["4", "1", "3"]),
        ("history_read", json!({ "seq": 1e300 }), "unknown_seq", json!({}), &["3"]),
        ("history_read", json!({ "seq": 2 }), "not_on_branch", json!({}), &["2", "branch"]),
        (
            "history_read",
            json!({ "seq": 1, "offset_chars": 4 }),
            "invalid_offset",
            json!({ "seq": 1, "window_id": "pcw:12345678:root", "offset_chars": 4, "total_chars": 3 }),
            &["4", "3"],
        ),
        (
            "history_list",
            json!({ "window_id": "w" }),
            "unknown_window_id",
            json!({ "window_id": "w", "known_windows": ["pcw:12345678:root"] }),
            &["\"w\""],
        ),
        ("history_search", json!({ "query": "" }), "invalid_query", json!({}), &["empty"]),
        ("history_search", json!({ "query": ["a", 1] }), "invalid_query", json!({}), &["1"]),
        (
            "history_search",
            json!({ "query": "", "window_id": "w" }),
            "unknown_window_id",
            json!({ "window_id": "w", "known_windows": ["pcw:12345678:root"] }),
            &["\"w\""],
        ),
        (
            "history_search",
            json!({ "query": "", "window_id": "w", "session_id": "s" }),
            "unknown_session_id",
            json!({ "session_id": "s" }),
            &["\"s\""],
        ),
    ];
    for (tool, params, code, more, says) in cases {
        let refusal = desk.refused(tool, params.clone());
        let mut expected = json!({ "error": refusal["error"], "code": code });
        expected.as_object_mut().expect("object").extend(more.as_object().expect("object").clone());
        assert_eq!(refusal.to_string(), expected.to_string(), "{tool} {params}");
        let error = refusal["error"].as_str().expect("a message");
        for fact in says {
            assert!(error.contains(fact), "{tool} {params}: {error:?} does not say {fact}");
        }
        assert!(!error.contains("left"), "content of another branch leaks: {error}");
    }
}

/// What the input schema excludes and gets here all the same.
#[test]
fn arguments_that_the_host_lets_through() {
    let mut desk = Desk::with(|log| drop(log.user("one")));
    for (tool, params) in [
        ("history_windows", json!({ "limit": 1 })),
        ("history_list", json!({ "roles": [] })),
        ("history_list", json!({ "roles": ["person"] })),
        ("history_list", json!({ "before": 0 })),
        ("history_list", json!({ "limit": 0 })),
        ("history_list", json!({ "query": "x" })),
        ("history_search", json!({ "query": "x", "scope": "world" })),
        ("history_search", json!({ "query": "x", "around": 3 })),
        ("history_read", json!({})),
        ("history_read", json!({ "seq": 0 })),
        ("history_read", json!({ "seq": 1.5 })),
    ] {
        assert_eq!(desk.refused(tool, params.clone())["code"], "invalid_arguments", "{tool} {params}");
    }
}

/// Line 102: of many windows 25 are named, fewer where their ids are long; the caller's id is cut where it must be.
#[test]
fn an_unknown_window_names_the_known_ones() {
    let mut desk = Desk::with(|log| {
        for number in 1..40 {
            log.marker(&format!("w{number}"));
        }
    });
    let refusal = desk.refused("history_list", json!({ "window_id": "nope" }));
    let known: Vec<String> = (15..40).map(|number| format!("w{number}")).collect();
    assert_eq!((&refusal["known_windows"], &refusal["known_windows_more"]), (&json!(known), &json!(15)));

    let refusal = desk.refused("history_list", json!({ "window_id": "x".repeat(40_000) }));
    assert_eq!((&refusal["known_windows"], &refusal["known_windows_more"]), (&json!(known), &json!(15)));
    assert!(refusal["window_id"].as_str().is_some_and(|id| id.contains("…[truncated ")), "{refusal:.300}");

    desk.log.marker(&"y".repeat(20_000));
    desk.log.marker(&"z".repeat(20_000));
    let refusal = desk.refused("history_list", json!({ "window_id": "nope" }));
    assert_eq!(refusal["known_windows"], json!(["z".repeat(20_000)]));
    assert_eq!(refusal["known_windows_more"], 41);
}
