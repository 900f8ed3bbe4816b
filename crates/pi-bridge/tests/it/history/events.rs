//! What an event shows: calls with their results, shell commands, what is withheld.

use serde_json::{Value, json};

use super::desk::{Desk, keys, none};

/// The items of a page of tool events.
fn tools(desk: &mut Desk) -> Vec<Value> {
    desk.data("history_list", json!({ "roles": ["tool"] }))["items"].as_array().expect("items").clone()
}

/// Lines 55 and 99: errors, calls without a result, results without a call.
#[test]
fn calls_and_results() {
    let mut desk = Desk::with(|log| {
        log.calls(
            "",
            &[("a", "read", json!({ "z": 1.0, "a": "x" })), ("b", "write", json!({})), ("c", "late", json!({}))],
        );
        log.result("a", "read", "it failed", true);
        log.result("b", "write", "", false);
        log.result("gone", "orphan", "nobody asked", false);
    });
    let item = |seq: u64, entry: u64, tool: &str, error: bool, status: &str, content: &str| {
        let mut item = json!({
            "seq": seq, "window_id": "pcw:12345678:root", "role": "tool",
            "created_at": format!("2026-01-02T00:00:0{entry}.000Z"), "tool": tool,
        });
        if error {
            item["tool_error"] = true.into();
        }
        item["tool_status"] = status.into();
        item["truncated"] = false.into();
        item["total_chars"] = content.chars().count().into();
        item["content"] = content.into();
        item.to_string()
    };
    let shown: Vec<_> = tools(&mut desk).iter().map(Value::to_string).collect();
    let expected = [
        item(2, 1, "read", true, "error", "read {\"z\":1,\"a\":\"x\"}\n--- output ---\nit failed"),
        item(3, 1, "write", false, "ok", "write {}\n--- output ---\n"),
        item(4, 1, "late", false, "unfinished", "late {}"),
        item(7, 4, "orphan", false, "ok", "orphan {}\n--- output ---\nnobody asked"),
    ];
    assert_eq!(shown, expected);

    for query in ["it FAILED", "\"z\":1", "read"] {
        let hit = desk.data("history_search", json!({ "query": query }))["items"][0].clone();
        assert_eq!(hit["seq"], 2, "{query}");
        // The result's own seq leads to its call, and so does the offset of the hit.
        let read = desk.data("history_read", json!({ "seq": 5, "offset_chars": hit["offset_chars"] }));
        assert_eq!((&read["seq"], &read["content"]), (&json!(2), &hit["content"]));
    }
}

/// Lines 56 and 99: shell commands of the person, with the exact keys of one that was cut.
#[test]
fn shell_commands() {
    let mut desk = Desk::with(|log| {
        log.bash("make", "all made", json!({}));
        log.bash("make", "no rule", json!({ "exitCode": 2 }));
        log.bash("make", "", json!({ "cancelled": true }));
        log.bash("make", "half", json!({ "exitCode": null }));
        log.bash("cat", "the end", json!({ "truncated": true, "fullOutputPath": "/tmp/out" }));
        log.bash("cat", "the end", json!({ "truncated": true }));
    });
    let shown = tools(&mut desk);
    let statuses: Vec<_> = shown.iter().map(|item| item["tool_status"].as_str().expect("a status")).collect();
    assert_eq!(statuses, ["ok", "error", "unfinished", "unfinished", "ok", "ok"]);
    assert!(shown.iter().all(|item| item.get("tool_error").is_none() && item["tool"] == "bash"));
    assert_eq!(shown[0]["content"], "bash {\"command\":\"make\"}\n--- output ---\nall made");
    let expected = [
        "seq",
        "window_id",
        "role",
        "created_at",
        "tool",
        "output_truncated",
        "full_output_path",
        "tool_status",
        "truncated",
        "total_chars",
        "content",
    ];
    assert_eq!(keys(&shown[4]), expected);
    assert_eq!((&shown[4]["output_truncated"], &shown[4]["full_output_path"]), (&json!(true), &json!("/tmp/out")));
    assert_eq!((keys(&shown[5]), &shown[5]["full_output_path"]), (expected.to_vec(), &Value::Null));

    let hit = desk.data("history_search", json!({ "query": "no rule" }))["items"][0].clone();
    let read = desk.data("history_read", json!({ "seq": hit["seq"], "offset_chars": hit["offset_chars"] }));
    assert_eq!(read["content"], "no rule");
}

/// Line 101: what the person kept from the model stays with the person.
#[test]
fn excluded_output_is_withheld() {
    let mut desk = Desk::with(|log| {
        let secret = json!({ "excludeFromContext": true, "truncated": true, "fullOutputPath": "/tmp/secret" });
        log.bash("cat token", "s3cret", secret);
        log.user("next");
    });
    let shown = tools(&mut desk);
    assert_eq!(shown[0]["seq"], 1);
    let text =
        "bash {\"command\":\"cat token\"}\n--- output ---\n[output withheld: the user excluded it from the context]";
    assert_eq!(shown[0]["content"], text);
    let expected =
        ["seq", "window_id", "role", "created_at", "tool", "tool_status", "truncated", "total_chars", "content"];
    assert_eq!(keys(&shown[0]), expected);
    assert_eq!(desk.data("history_read", json!({ "seq": 1 }))["content"], text);
    for hidden in ["s3cret", "/tmp/secret"] {
        assert_eq!(desk.page("history_search", json!({ "query": hidden })), (vec![], Value::Null, Value::Null));
    }
    assert_eq!(desk.page("history_search", json!({ "query": "cat token" })).0.len(), 1);
    assert_eq!(desk.page("history_list", none()).0, ["1-1×1", "2 user next"]);
}
