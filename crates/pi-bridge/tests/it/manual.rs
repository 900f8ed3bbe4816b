//! What the model is told: names, schemas, descriptions and their cost.

use palimpsest_pi_bridge::{ToolDefinition, tool_definitions, tool_names};
use serde_json::{Value, json};

fn named(name: &str) -> ToolDefinition {
    tool_definitions().into_iter().find(|tool| tool.name == name).expect("a tool of ours")
}

fn accepts(name: &str, params: Value) -> bool {
    jsonschema::is_valid(&named(name).parameters, &params)
}

/// Line 31.
#[test]
fn five_tools_of_which_two_are_sequential() {
    let modes: Vec<_> = tool_definitions().iter().map(|tool| (tool.name, tool.execution_mode)).collect();
    let expected = [
        ("notes_write", Some("sequential")),
        ("notes_edit", Some("sequential")),
        ("notes_read", None),
        ("notes_list", None),
        ("notes_search", None),
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

/// The five tools' share of the 6,000 tokens that all of the product may cost, at four characters a token.
#[test]
fn the_manual_is_short() {
    let cost = |tool: &ToolDefinition| {
        let sent = json!({ "name": tool.name, "description": tool.description, "parameters": tool.parameters });
        (sent.to_string().chars().count() + tool.prompt_snippet.chars().count()).div_ceil(4)
    };
    let costs: Vec<_> = tool_definitions().iter().map(|tool| (tool.name, cost(tool))).collect();
    assert!(costs.iter().map(|(_, cost)| cost).sum::<usize>() <= 1_400, "{costs:?}");
}
