//! What the model is told: names, schemas, descriptions and their cost.

use palimpsest_pi_bridge::{ToolDefinition, tool_definitions, tool_names};
use serde_json::{Value, json};

fn named(name: &str) -> ToolDefinition {
    tool_definitions().into_iter().find(|tool| tool.name == name).expect("a tool of ours")
}

fn accepts(name: &str, params: Value) -> bool {
    jsonschema::is_valid(&named(name).parameters, &params)
}

/// Line 31; the other tools have the host's default.
#[test]
fn eleven_tools_of_which_two_are_sequential() {
    let modes: Vec<_> = tool_definitions().iter().map(|tool| (tool.name, tool.execution_mode)).collect();
    let expected = [
        ("notes_write", Some("sequential")),
        ("notes_edit", Some("sequential")),
        ("notes_read", None),
        ("notes_list", None),
        ("notes_search", None),
        ("history_windows", None),
        ("history_list", None),
        ("history_search", None),
        ("history_read", None),
        ("wipe_memory", None),
        ("get_context_remaining", None),
    ];
    assert_eq!(modes, expected);
    assert_eq!(tool_names().to_vec(), modes.iter().map(|(name, _)| *name).collect::<Vec<_>>());
}

/// Line 32.
#[test]
fn schemas_take_what_they_name_and_nothing_else() {
    let write = |key: &str, value: Value| accepts("notes_write", json!({ "address": "a", "content": "", key: value }));
    assert!(write("origin", json!("external")));
    assert!(!write("origin", json!("me")) && !write("stale", json!(true)) && !write("crumpled", json!(true)));

    let edit = |key: &str, value: Value| accepts("notes_edit", json!({ "address": "a", key: value }));
    assert!(edit("crumpled", json!(true)) && edit("replace_all", json!(true)) && edit("edits", json!([])));
    assert!(edit("edits", json!([{ "oldText": "a", "newText": "" }])));
    assert!(!edit("stale", json!(true)) && !edit("status", json!("x")));
    assert!(!edit("edits", json!([{ "oldText": "a" }])));
    assert!(!edit("edits", json!([{ "oldText": "a", "newText": "", "line": 1 }])));

    let read = |key: &str, value: Value| accepts("notes_read", json!({ "address": "a", key: value }));
    assert!(read("offset_chars", json!(-3)) && read("limit_chars", json!(50_000)));
    assert!(!read("limit_chars", json!(0)) && !read("limit_chars", json!(50_001)) && !read("cursor", json!("x")));

    for name in ["notes_list", "notes_search"] {
        let list = |key: &str, value: Value| accepts(name, json!({ "query": "q", key: value }));
        let alone = |key: &str, value: Value| accepts(name, json!({ key: value }));
        let takes = |key, value| if name == "notes_list" { alone(key, value) } else { list(key, value) };
        assert!(
            takes("wastebasket", json!(true)) && takes("pattern", Value::Null) && takes("limit", json!(1)),
            "{name}"
        );
        assert!(
            !takes("status", json!("x")) && !takes("scope", json!("human")) && !takes("cursor", json!("x")),
            "{name}"
        );
        assert!(!takes("limit", json!(0)), "{name}");
    }
    assert!(accepts("notes_search", json!({ "query": ["a", "b"], "max_matches_per_file": 1 })));
    assert!(!accepts("notes_search", json!({ "query": [] })) && !accepts("notes_search", json!({})));
}

/// Line 94.
#[test]
fn the_manual_says_what_a_model_needs() {
    for name in ["notes_write", "notes_edit", "notes_read"] {
        let manual = json!(named(name)).to_string().to_lowercase();
        for fact in [
            "bare path",
            "@project/",
            "@human/",
            "@self/",
            "@model/",
            "any other @ is refused",
            "no fall-back between prefixes",
            "..",
            "leading",
            "backslash",
            "control character",
        ] {
            assert!(manual.contains(fact), "{name} does not say {fact}");
        }
    }
    let write = json!(named("notes_write")).to_string();
    for fact in
        ["@agents/<name>/", "@models/<name>/", "read-only", "512 bytes", ".md", "the person", "your own", "elsewhere"]
    {
        assert!(write.contains(fact), "notes_write does not say {fact}");
    }
    let list = json!(named("notes_list")).to_string();
    for fact in ["**/", "homes_unavailable", "more", "crumpled", "backslash"] {
        assert!(list.contains(fact), "notes_list does not say {fact}");
    }
}

/// Line 50.
#[test]
fn schemas_of_the_history_tools() {
    assert!(accepts("history_windows", json!({})) && !accepts("history_windows", json!({ "limit": 1 })));

    let read = |params: Value| accepts("history_read", params);
    assert!(read(json!({ "seq": 1 })) && read(json!({ "seq": 1, "offset_chars": -3, "limit_chars": 50_000 })));
    assert!(read(json!({ "seq": 1, "session_id": "s" })));
    assert!(!read(json!({})) && !read(json!({ "seq": 0 })) && !read(json!({ "seq": 1, "window_id": "w" })));
    assert!(!read(json!({ "seq": 1, "limit_chars": 50_001 })) && !read(json!({ "seq": 1, "scope": "project" })));

    for (name, query) in [("history_list", json!({})), ("history_search", json!({ "query": ["a", "b"] }))] {
        let takes = |key: &str, value: Value| {
            let mut params = query.clone();
            params[key] = value;
            accepts(name, params)
        };
        for key in ["limit", "before", "after", "max_chars_per_item"] {
            assert!(takes(key, json!(1)) && !takes(key, json!(0)) && !takes(key, json!("1")), "{name} {key}");
        }
        for key in ["window_id", "session_id"] {
            assert!(takes(key, json!("x")) && !takes(key, json!("")), "{name} {key}");
        }
        assert!(takes("roles", json!(["user", "assistant", "tool", "context"])), "{name}");
        assert!(!takes("roles", json!(["developer"])) && !takes("roles", json!([])), "{name}");
        for key in ["around", "tool_name", "custom_type", "cursor"] {
            assert!(!takes(key, json!("x")), "{name} {key}");
        }
        assert_eq!(takes("scope", json!("project")), name == "history_search");
        assert!(!takes("scope", json!("world")), "{name}");
    }
    assert!(accepts("history_search", json!({ "query": "x" })) && accepts("history_list", json!({})));
    assert!(!accepts("history_search", json!({})) && !accepts("history_search", json!({ "query": [] })));
}

/// Line 109.
#[test]
fn the_manual_of_history_says_what_a_model_needs() {
    let says = |name: &str, facts: &[&str]| {
        let manual = json!(named(name)).to_string();
        for fact in facts {
            assert!(manual.contains(fact), "{name} does not say {fact}");
        }
    };
    let all = [
        "seq",
        "fixed",
        "history_read",
        "var_<seq>",
        "result's",
        "user; assistant; tool (",
        "context (",
        "stay readable",
    ];
    for name in ["history_windows", "history_list", "history_search", "history_read"] {
        says(name, &all);
    }
    says("history_windows", &["A window runs", "root window", ":root", "more"]);
    says(
        "history_list",
        &[
            "newest page",
            "folded",
            "roles opens",
            "older_before as before",
            "newer_after as after",
            "other arguments",
            "preview",
            "truncated",
            "total_chars",
            "tool_status",
            "@previous",
            "session_id",
        ],
    );
    says(
        "history_search",
        &[
            "literal",
            "case ignored",
            "by OR",
            "Tool names, arguments and outputs",
            "begins at the match",
            "offset_chars",
            "scope",
            "sessions_more",
            "more hits than shown",
            "Paging",
        ],
    );
    says(
        "history_read",
        &["complete text", "code points", "negative", "next_offset_chars", "A result's seq", "withheld"],
    );
}

/// The nine tools' share of the 6,000 tokens that all of the product may cost, at four characters a token.
#[test]
fn the_manual_is_short() {
    let cost = |tool: &ToolDefinition| {
        let sent = json!({ "name": tool.name, "description": tool.description, "parameters": tool.parameters });
        (sent.to_string().chars().count() + tool.prompt_snippet.chars().count()).div_ceil(4)
    };
    let costs: Vec<_> = tool_definitions().iter().map(|tool| (tool.name, cost(tool))).collect();
    let sum =
        |names: &str| costs.iter().filter(|(name, _)| name.starts_with(names)).map(|(_, cost)| cost).sum::<usize>();
    assert!(sum("notes_") <= 1_400 && sum("") <= 2_800, "{costs:?}");
}
