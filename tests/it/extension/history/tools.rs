//! Each history tool over the wire: results, text against structure, what the person keeps to themselves.

use palimpsest_tests::{Model, Step, wire};
use serde_json::{Value, json};

use super::{say, seq_of};
use crate::extension::{keys, make_call, make_calls, steps, with_tools};

/// D3 lines 52, 54, 58, 60 and 61, D2 lines 89 and 110: what each tool answers, and what of it the model, the events and
/// the session file get. The call itself is on the branch already.
#[test]
fn results_of_every_tool() {
    let model = Model::start([]);
    let sandbox = with_tools(&model).build();
    let mut pi = sandbox.rpc();
    say(&mut pi, &model, "Remember the blue HERON.", "A heron 🎉, noted.");
    say(&mut pi, &model, "And the red fox.", "Noted.");
    let calls = [
        ("history_windows", json!({})),
        ("history_list", json!({ "limit": 2, "before": 4 })),
        ("history_list", json!({ "roles": ["tool"], "max_chars_per_item": 12 })),
        ("history_search", json!({ "query": ["heron", "FOX"], "roles": ["user", "assistant"] })),
        ("history_read", json!({ "seq": 2, "offset_chars": -8 })),
    ];
    model.push(steps(&calls));
    let run = pi.prompt("What did I say?");
    let id = pi.session_id();
    pi.finish();
    let ends = run.tools();
    assert_eq!(ends.len(), calls.len());
    for (end, stored) in ends.iter().zip(sandbox.session().tool_results()) {
        assert!(!end.is_error, "{end:?}");
        assert_eq!(model.last_request().tool_result(&end.call_id).as_ref(), Some(&end.text), "text for the model");
        assert_eq!(
            (&stored.text, &stored.details, stored.is_error),
            (&end.text, &end.details, false),
            "in the session"
        );
        if end.name == "history_read" {
            assert_eq!(keys(&end.details), ["seq", "window_id", "offset_chars", "total_chars", "next_offset_chars"]);
        } else {
            assert_eq!(end.details, Value::Null);
            assert_eq!(end.text, serde_json::to_string_pretty(&end.structured).expect("JSON"));
        }
    }
    let window = format!("pcw:{}:root", &id[..8]);
    let windows = &ends[0].structured;
    assert_eq!((keys(windows), &windows["session_id"]), (vec!["session_id", "windows"], &json!(id)));
    // Four messages, the question, the answer that calls, and the call.
    let root = json!({ "window_id": window, "created_at": null, "first_seq": 1, "last_seq": 7, "item_count": 7 });
    assert_eq!(windows["windows"], json!([root]));

    let list = &ends[1].structured;
    assert_eq!((seq_of(&ends[1], "A heron 🎉, noted."), seq_of(&ends[1], "And the red fox.")), (json!(2), json!(3)));
    assert_eq!((&list["older_before"], &list["newer_after"]), (&json!(2), &Value::Null));
    assert_eq!(
        keys(&list["items"][0]),
        ["seq", "window_id", "role", "created_at", "truncated", "total_chars", "content"]
    );

    let tools = ends[2].structured["items"].as_array().expect("items");
    let shown: Vec<_> = tools.iter().map(|row| (row["tool"].as_str(), row["tool_status"].as_str())).collect();
    let (windows, list) = (Some("history_windows"), Some("history_list"));
    assert_eq!(shown, [(windows, Some("ok")), (list, Some("ok")), (list, Some("unfinished"))]);
    assert_eq!(tools[0]["content"], "history_wind");

    let hits = &ends[3].structured["items"];
    let found: Vec<_> = hits
        .as_array()
        .expect("items")
        .iter()
        .map(|hit| json!([hit["seq"], hit["offset_chars"], hit["content"]]))
        .collect();
    let expected = [json!([1, 18, "HERON."]), json!([2, 2, "heron 🎉, noted."]), json!([3, 12, "fox."])];
    assert_eq!(found, expected);

    let block = format!(
        "--- READ WINDOW ---\nseq: 2\nwindow_id: {window}\nchars: [9,17) of 17\nnext_offset_chars: null\n\n, noted."
    );
    assert_eq!(ends[4].text, block);
    wire::assert_prefixes(&model.requests());
}

/// D3 lines 51 and 105, D2 line 110: refusals are error objects with the host's flag.
#[test]
fn refusals_have_the_error_flag() {
    let model = Model::start([]);
    let sandbox = with_tools(&model).build();
    let mut pi = sandbox.rpc();
    let cases = [
        ("history_read", json!({ "seq": 999 }), "unknown_seq", "999"),
        ("history_read", json!({ "seq": 1, "offset_chars": 6 }), "invalid_offset", "5"),
        ("history_list", json!({ "window_id": "@previous" }), "unknown_window_id", "@previous"),
        ("history_search", json!({ "query": "" }), "invalid_query", "empty"),
        ("history_search", json!({ "query": "x", "session_id": "nobody" }), "unknown_session_id", "nobody"),
    ];
    let ends = make_calls(&mut pi, &model, &cases.clone().map(|(tool, arguments, ..)| (tool, arguments)));
    pi.finish();
    for (end, (tool, arguments, code, says)) in ends.iter().zip(cases) {
        let error = end.structured["error"].as_str().unwrap_or_default();
        assert!(error.contains(says), "{tool} {arguments}: {error:?} does not say {says}");
        assert_eq!((end.is_error, &end.structured["code"], &end.details), (true, &json!(code), &Value::Null));
        assert_eq!(keys(&end.structured)[..2], ["error", "code"]);
    }
    for (end, stored) in ends.iter().zip(sandbox.session().tool_results()) {
        assert_eq!((&stored.text, stored.is_error), (&end.text, true), "as stored");
    }
}

/// Calls of one message run side by side and all see the branch, in a file and in memory.
#[test]
fn calls_of_one_message() {
    for args in [&[][..], &["--no-session"]] {
        let list = || json!({ "roles": ["user"] });
        let all = (1..6).fold(Step::tool("history_list", list()), |step, _| step.and_tool("history_list", list()));
        let model = Model::start([all.clone(), all, Step::text("done")]);
        let sandbox = with_tools(&model).args(args.iter().copied()).build();
        let mut pi = sandbox.rpc();
        let run = pi.prompt("the first words");
        pi.finish();
        let order: Vec<_> = run
            .events
            .iter()
            .filter_map(|event| event["type"].as_str()?.strip_prefix("tool_execution_"))
            .take(7)
            .collect();
        assert_eq!(order, ["start", "start", "start", "start", "start", "start", "end"], "{args:?}");
        for end in run.tools() {
            assert_eq!(super::contents(&end), ["the first words"], "{args:?}");
        }
    }
}

/// D3 line 101: the output of a `!!` command stays with the person, that of a `!` command does not.
#[test]
fn hidden_commands_stay_hidden() {
    let model = Model::start([]);
    let sandbox = with_tools(&model).build();
    let mut pi = sandbox.rpc();
    say(&mut pi, &model, "hello", "hi");
    let shell =
        |command: &str, hidden: bool| json!({ "type": "bash", "command": command, "excludeFromContext": hidden });
    pi.request(shell("printf 's3%s' cret", true));
    pi.request(shell("printf 'pub%s' lic", false));
    let ends = make_calls(
        &mut pi,
        &model,
        &[
            ("history_list", json!({ "roles": ["tool"], "after": 2, "before": 5 })),
            ("history_search", json!({ "query": "s3cret" })),
            ("history_search", json!({ "query": "public" })),
            ("history_read", json!({ "seq": 3 })),
        ],
    );
    pi.finish();
    let withheld = "bash {\"command\":\"printf 's3%s' cret\"}\n--- output ---\n[output withheld: the user excluded it from the context]";
    let shown = "bash {\"command\":\"printf 'pub%s' lic\"}\n--- output ---\npublic";
    assert_eq!(super::contents(&ends[0]), [withheld, shown]);
    assert_eq!(ends[0].structured["items"][1]["tool_status"], "ok");
    // The word is found where the model itself wrote it, in its own calls, and nowhere else.
    let roles: Vec<_> = ends[1].structured["items"].as_array().expect("items").iter().map(|hit| &hit["tool"]).collect();
    assert!(roles.iter().all(|tool| *tool == "history_search"), "{}", ends[1].text);
    assert_eq!(ends[2].structured["items"][0]["content"], "public");
    assert!(ends[3].text.ends_with(withheld), "{}", ends[3].text);
}

/// Scripts of the host's codemode page through history.
#[test]
fn scripts_get_structured_pages() {
    let script = r#"
        const found = await tools.history_search({ query: "heron", roles: ["user"] });
        const { seq, offset_chars } = found.items[0];
        return [found.items.length, (await tools.history_read({ seq, offset_chars })).content];
    "#;
    let model = Model::start([Step::tool("codemode", json!({ "code": script })), Step::text("done")]);
    let sandbox = with_tools(&model).args(["--tools", "+codemode"]).build();
    let mut pi = sandbox.rpc();
    let run = pi.prompt("a blue heron");
    pi.finish();
    let end = run.tools().into_iter().find(|end| end.name == "codemode").expect("the script's end");
    assert_eq!(end.text.lines().last(), Some("[1,\"heron\"]"), "{}", end.text);
}

/// D3 line 98: half a surrogate pair, which a model can write, is one replacement character, from a file and from memory.
#[test]
fn half_a_pair_is_one_character() {
    for args in [&[][..], &["--no-session"]] {
        let note = r#"{"address":"n","content":"a\ud83eb"}"#;
        let model = Model::start([Step::default().and_raw_tool("notes_write", note)]);
        model.push(steps(&[
            ("history_search", json!({ "query": "a\u{fffd}b" })),
            ("history_read", json!({ "seq": 3 })),
        ]));
        let sandbox = with_tools(&model).args(args.iter().copied()).build();
        let mut pi = sandbox.rpc();
        let ends = pi.prompt("go").tools();
        pi.finish();
        let call = "notes_write {\"address\":\"n\",\"content\":\"a\u{fffd}b\"}";
        let hit = &ends[1].structured["items"][0];
        assert_eq!(json!([hit["seq"], hit["offset_chars"]]), json!([3, call.chars().count() - 5]), "{args:?}: {hit}");
        let read = ends[2].structured["content"].as_str().unwrap_or_default();
        assert!(read.starts_with(call), "{args:?}: {}", ends[2].text);
    }
}

/// A call in the very first answer of a session.
#[test]
fn the_first_answer_may_look_back() {
    let model = Model::start([]);
    let sandbox = with_tools(&model).build();
    let mut pi = sandbox.rpc();
    let end = make_call(&mut pi, &model, "history_list", json!({}));
    pi.finish();
    assert_eq!(end.structured["items"][0]["content"], "go on");
}
