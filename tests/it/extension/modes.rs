//! The extension in print, JSON and RPC mode, with models of either kind; what it costs to be there.

use palimpsest_tests::{Model, ModelSpec, Request, Sandbox, Step, wire};
use serde_json::json;

use super::{TOOLS, keys, make_call, with_extension};

/// The tools and their lines in the system prompt are complete in the first request of every mode, whether the model
/// takes system messages in mid-conversation or not; and every later request starts with the one before.
#[test]
fn the_first_request_is_complete_in_every_mode() {
    for mid_conversation in [false, true] {
        let spec = ModelSpec::new("flags-1");
        let spec = if mid_conversation { spec.mid_conversation() } else { spec };
        let write = || Step::tool("notes_write", json!({ "address": "@project/a", "content": "x" }));
        let model =
            Model::start([write(), Step::text("printed"), write(), Step::text("json"), write(), Step::text("rpc")]);
        let sandbox = with_extension(&model).models([spec]).build();

        let exit = sandbox.print(&["go"]);
        assert_eq!((exit.code, exit.stdout.as_str(), exit.stderr.as_str()), (Some(0), "printed\n", ""));
        let run = sandbox.json(&["go"]);
        assert_eq!(run.exit.code, Some(0));
        let end = run.records.iter().find(|record| record["type"] == "tool_execution_end").expect("a tool's end");
        assert_eq!(end["result"]["structuredContent"], json!({ "address": "@project/a", "written": true }));
        let mut pi = sandbox.rpc();
        assert_eq!(pi.prompt("go").text(), "rpc");
        pi.finish();

        let requests = model.requests();
        assert_eq!(requests.len(), 6);
        for pair in requests.chunks(2) {
            assert_complete(&pair[0]);
            wire::assert_prefixes(pair);
        }
    }
}

/// A restart goes on with the same tools and the same beginning of every request.
#[test]
fn a_restart_does_not_break_the_prefix() {
    for mid_conversation in [false, true] {
        let spec = ModelSpec::new("flags-1");
        let spec = if mid_conversation { spec.mid_conversation() } else { spec };
        let model = Model::start([]);
        let sandbox = with_extension(&model).models([spec]).build();
        let mut pi = sandbox.rpc();
        make_call(&mut pi, &model, "notes_write", json!({ "address": "a", "content": "x" }));
        pi.finish();
        let mut pi = sandbox.rpc_with(&["-c"]);
        make_call(&mut pi, &model, "notes_read", json!({ "address": "a" }));
        pi.finish();
        wire::assert_prefixes(&model.requests());
    }
}

/// The nine tools cost no more than their share of the 6,000 tokens (characters / 4) that seventeen may cost.
#[test]
fn the_cost_of_being_there() {
    let model = Model::start(["with", "without"].map(Step::text));
    assert_eq!(with_extension(&model).build().print(&["hello"]).code, Some(0));
    assert_eq!(Sandbox::plain(&model).print(&["hello"]).code, Some(0));
    let characters = |request: &Request| {
        let tools: usize = request.tool_texts().iter().map(|text| text.chars().count()).sum();
        tools + request.system().chars().count()
    };
    let added = (characters(&model.request(0)) - characters(&model.request(1))) / 4;
    assert!((1..=6_000 * 9 / 17).contains(&added), "the nine tools cost {added} tokens");
}

fn assert_complete(request: &Request) {
    assert_eq!(request.messages()[0]["role"], "system");
    let system = request.system();
    for name in TOOLS {
        let tool = request.tool(name).unwrap_or_else(|| panic!("{name} is missing: {:?}", request.tool_names()));
        assert!(tool["description"].as_str().is_some_and(|text| !text.is_empty()), "{tool}");
        assert_eq!(tool["parameters"]["additionalProperties"], false, "{tool}");
        let has_scope = keys(&tool["parameters"]["properties"]).contains(&"scope");
        assert_eq!(has_scope, name == "history_search", "{tool}");
        assert!(system.contains(&format!("- {name}: ")), "{name} is not in the system prompt");
    }
}
