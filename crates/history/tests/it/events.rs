//! Seqs, roles, tool events and their text.

use palimpsest_history::{CutOutput, Leaf, Role, Session, Tool, ToolStatus};
use serde_json::{Value, json};

use crate::support::{Log, TIME, all, everything, row, rows, with_roles};

/// Line 51: seqs do not depend on the branch; what was left is refused, what never was names the range.
#[test]
fn seqs_are_stable_across_branches() {
    let mut log = Log::new();
    let first = log.user("one");
    let left = log.assistant("abandoned");
    log.go(&first);
    log.assistant("three");
    let mut session = log.session();
    assert_eq!(rows(&session), ["1 user one", "3 assistant three"]);
    let refused = session.read(2, 0, 10).expect_err("another branch");
    assert_eq!(refused.code(), "not_on_branch");
    assert!(!refused.to_string().contains("abandoned"));
    for seq in [0, 4, u64::MAX] {
        let refused = session.read(seq, 0, 10).expect_err("no such seq");
        assert_eq!(refused.code(), "unknown_seq");
        assert!(refused.to_string().contains("1..3"), "{refused}");
    }
    session.set_leaf(Leaf::Entry(&left)).expect("it exists");
    assert_eq!(rows(&session), ["1 user one", "2 assistant abandoned"]);
    session.set_leaf(Leaf::Root).expect("before all");
    assert_eq!(rows(&session), [""; 0]);
    assert_eq!(session.read(1, 0, 1).expect_err("not on it").code(), "not_on_branch");
    assert_eq!(session.set_leaf(Leaf::Entry("nobody")).expect_err("no entry").code(), "unknown_entry");
    assert_eq!(rows(&session), [""; 0], "the leaf stays");
    session.set_leaf(Leaf::Last).expect("the last");
    assert_eq!(rows(&session), ["1 user one", "3 assistant three"]);
}

/// C3: how many seqs each kind takes, and which role and text it has. Lines 54, 57, 63.
#[test]
fn every_kind_of_entry() {
    let parts = json!([{"type": "text", "text": "a"}, {"type": "image", "data": "x"}, {"type": "text", "text": ""},
        {"type": "thinking", "thinking": "t"}, {"type": "text", "text": 5}, {"type": "text", "text": "b"}, 7]);
    let message = |message: Value| json!({"type": "message", "message": message});
    for (entry, expected) in [
        (message(json!({"role": "user", "content": "x"})), &["1 user x"][..]),
        (message(json!({"role": "user", "content": parts})), &["1 user a\n\nb"]),
        (message(json!({"role": "user"})), &["1 user "]),
        (message(json!({"role": "user", "content": {"text": "x"}})), &["1 user "]),
        (message(json!({"role": "assistant", "content": []})), &["1 assistant "]),
        (message(json!({"role": "custom", "content": "x"})), &["1 context x"]),
        (message(json!({"role": "compactionSummary", "summary": "x", "content": "y"})), &["1 context x"]),
        (message(json!({"role": "branchSummary", "summary": "x"})), &["1 context x"]),
        (message(json!({"role": "system", "content": "x"})), &[]),
        (message(json!({"role": "hookMessage", "content": "x"})), &[]),
        (message(json!({"content": "x"})), &[]),
        (message(json!("x")), &[]),
        (json!({"type": "compaction", "summary": "x"}), &["1 context x"]),
        (json!({"type": "compaction"}), &["1 context "]),
        (json!({"type": "branch_summary", "summary": "x", "message": {"content": "y"}}), &["1 context x"]),
        (json!({"type": "custom_message", "customType": "pi-context/boot", "content": parts}), &["1 context a\n\nb"]),
        (json!({"type": "custom", "customType": "x", "content": "x"}), &[]),
        (json!({"type": "model_change"}), &[]),
        (json!({"type": "thinking_level_change"}), &[]),
        (json!({"type": "label", "targetId": "x", "label": "y"}), &[]),
        (json!({"type": "session_info", "name": "x"}), &[]),
        (json!({"type": "usage"}), &[]),
        (json!({"type": "context_edit", "replacement": null}), &[]),
        (json!({"type": "something new", "message": {"role": "user", "content": "x"}}), &[]),
    ] {
        let mut log = Log::new();
        log.entry(entry.clone());
        log.user("next");
        let mut expected: Vec<String> = expected.iter().map(ToString::to_string).collect();
        expected.push(format!("{} user next", expected.len() + 1));
        assert_eq!(rows(&log.session()), expected, "{entry}");
    }
}

/// Lines 54 and 55, C3's example: calls take the seqs behind their message's; a pair is one event.
#[test]
fn calls_and_results_are_paired() {
    let mut log = Log::new();
    log.user("go");
    log.message(json!({"role": "assistant", "content": [
        {"type": "toolCall", "id": "c1", "name": "read", "arguments": {"path": "a", "n": 1.0}},
        {"type": "text", "text": "two at once"},
        {"type": "toolCall", "id": "c2", "name": "bash", "arguments": {}},
        {"type": "toolCall", "id": "c3"},
    ]}));
    log.result("c2", "bash", "");
    log.message(json!({"role": "toolResult", "toolCallId": "c1", "toolName": "read", "isError": true,
        "content": [{"type": "text", "text": "no"}, {"type": "text", "text": "file"}]}));
    log.result("c1", "read", "second");
    log.message(json!({"role": "toolResult", "content": "orphan"}));
    let session = log.session();
    assert_eq!(
        rows(&session),
        [
            "1 user go",
            "2 assistant two at once",
            "3 tool read {\"path\":\"a\",\"n\":1}\n--- output ---\nno\nfile",
            "4 tool bash {}\n--- output ---\n",
            "5 tool unknown {}",
            "8 tool read {}\n--- output ---\nsecond",
            "9 tool unknown {}\n--- output ---\norphan",
        ]
    );
    let tool = |name: &str, error, status| Tool { name: name.to_owned(), error, status, cut_output: None };
    let facts: Vec<_> = all(&session).into_iter().filter_map(|item| item.tool).collect();
    assert_eq!(
        facts,
        [
            tool("read", true, ToolStatus::Error),
            tool("bash", false, ToolStatus::Ok),
            tool("unknown", false, ToolStatus::Unfinished),
            tool("read", false, ToolStatus::Ok),
            tool("unknown", false, ToolStatus::Ok),
        ]
    );
    // A result's seq reads its call; the message's own seq does not.
    for (seq, call) in [(3, 3), (4, 4), (6, 4), (7, 3), (8, 8), (2, 2)] {
        assert_eq!(session.read(seq, 0, 9).expect("on the branch").seq, call);
    }
    for query in ["READ", "\"path\":\"a\"", "no\nfile"] {
        let found = session.search(&[query], &everything()).expect("search").items;
        assert_eq!(found[0].seq, 3, "{query}");
    }
}

/// C4: the first result of an id is the one that counts, and only for a call before it.
#[test]
fn results_that_come_first_pair_with_nothing() {
    let mut log = Log::new();
    log.result("c", "read", "early");
    log.calls(&[("c", "read", json!({}))]);
    log.result("c", "read", "late");
    log.calls(&[("d", "ls", json!({"n": 1}))]);
    log.calls(&[("d", "ls", json!({"n": 2}))]);
    log.result("d", "ls", "for the first");
    log.calls(&[("d", "ls", json!({"n": 3}))]);
    let tools: Vec<_> = log.session().list(&with_roles([Role::Tool])).expect("list").items.iter().map(row).collect();
    assert_eq!(
        tools,
        [
            "1 tool read {}\n--- output ---\nearly",
            "3 tool read {}",
            "4 tool read {}\n--- output ---\nlate",
            "6 tool ls {\"n\":1}\n--- output ---\nfor the first",
            "8 tool ls {\"n\":2}",
            "11 tool ls {\"n\":3}",
        ]
    );
}

/// A result pairs with a call in an earlier window and belongs there; one on another branch does not count.
#[test]
fn pairs_cross_windows_and_not_branches() {
    let mut log = Log::new();
    let call = log.calls(&[("c", "read", json!({}))]);
    log.marker("w");
    log.result("c", "read", "in w");
    let crossing = all(&log.session());
    assert_eq!(row(&crossing[1]), "2 tool read {}\n--- output ---\nin w");
    assert_eq!(crossing[1].window_id, crate::support::ROOT);
    assert_eq!(crossing.len(), 2);
    log.go(&call);
    log.user("elsewhere");
    assert_eq!(rows(&log.session()), ["1 assistant ", "2 tool read {}", "4 user elsewhere"]);
}

/// Lines 56, 99 and 101: commands that the person ran.
#[test]
fn bash_executions() {
    let bash = |more: Value| {
        let mut message = json!({"role": "bashExecution", "command": "ls \"x\"", "output": "out"});
        message.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        let mut log = Log::new();
        log.message(message);
        log.session()
    };
    let event = |session: &Session| all(session).remove(0);
    for (more, status) in [
        (json!({"exitCode": 0}), ToolStatus::Ok),
        (json!({"exitCode": 2}), ToolStatus::Error),
        (json!({"exitCode": 2, "cancelled": true}), ToolStatus::Unfinished),
        (json!({"exitCode": 0, "cancelled": true}), ToolStatus::Unfinished),
        (json!({"exitCode": null}), ToolStatus::Unfinished),
        (json!({}), ToolStatus::Unfinished),
    ] {
        let session = bash(more);
        let item = event(&session);
        assert_eq!(row(&item), "1 tool bash {\"command\":\"ls \\\"x\\\"\"}\n--- output ---\nout");
        assert_eq!(item.tool, Some(Tool { name: "bash".into(), error: false, status, cut_output: None }));
        let found = session.search(&["OUT"], &everything()).expect("search").items;
        // The separator holds the word as well.
        assert_eq!(found[0].offset_chars, Some(32));
    }
    let session = bash(json!({"exitCode": 0, "truncated": true, "fullOutputPath": "/tmp/all", "output": "needle"}));
    let cut = |path: Option<&str>| Some(CutOutput { full_output_path: path.map(str::to_owned) });
    assert_eq!(event(&session).tool.expect("a tool").cut_output, cut(Some("/tmp/all")));
    let found = session.search(&["needle"], &everything()).expect("search").items[0].offset_chars.expect("an offset");
    let read = session.read(1, i64::try_from(found).expect("small"), 100).expect("read");
    assert_eq!(read.text, "needle");
    let item = event(&bash(json!({"truncated": true})));
    assert_eq!(item.tool.expect("a tool").cut_output, cut(None));

    let session = bash(json!({"exitCode": 0, "truncated": true, "fullOutputPath": "/tmp/x", "output": "secret",
        "excludeFromContext": true}));
    let item = event(&session);
    let withheld = "[output withheld: the user excluded it from the context]";
    assert_eq!(row(&item), format!("1 tool bash {{\"command\":\"ls \\\"x\\\"\"}}\n--- output ---\n{withheld}"));
    assert_eq!(item.tool.expect("a tool").cut_output, None);
    assert!(session.search(&["secret"], &everything()).expect("search").items.is_empty());
    assert_eq!(session.search(&["WITHHELD"], &everything()).expect("search").items.len(), 1);
}

/// Line 98: how JSON becomes text. Lone surrogates are one code point, keys keep their order, floats that are whole are
/// printed as integers.
#[test]
fn json_becomes_text() {
    for (arguments, expected) in [
        (
            r#"{ "b" : 1.0 , "a" : [ 1 , 2.50, -0.0, 1e2, 1e400, 12345678901234567890 ] }"#,
            r#"{"b":1,"a":[1,2.50,0,100,1e400,12345678901234567890]}"#,
        ),
        (r#"{"x":"\u00e9\/\u001b\ud83d\ude00\ud800\n\"\\"}"#, "{\"x\":\"é/\\u001b😀\u{fffd}\\n\\\"\\\\\"}"),
        (r#""text""#, r#""text""#),
        ("null", "null"),
        (r#"{"1":true,"0":false,"":{}}"#, r#"{"1":true,"0":false,"":{}}"#),
    ] {
        let mut log = Log::new();
        log.line(&format!(
            r#"{{"type":"message","id":"a","parentId":null,"timestamp":"{TIME}","message":{{"role":"assistant","content":[{{"type":"toolCall","id":"c","name":"t","arguments":{arguments}}}]}}}}"#
        ));
        let session = log.session();
        assert_eq!(rows(&session)[1], format!("2 tool t {expected}"));
        assert_eq!(session.read(2, 2, 1000).expect("read").text, expected);
    }
    let mut log = Log::new();
    log.line(r#"{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"\ud800é\udc00\ud83d\ude00needle\u006e"}}"#);
    let session = log.session();
    let item = all(&session).remove(0);
    assert_eq!((item.content.as_str(), item.total_chars), ("\u{fffd}é\u{fffd}😀needlen", 11));
    assert_eq!(session.search(&["needleN"], &everything()).expect("search").items[0].offset_chars, Some(4));
    assert_eq!(session.search(&["\u{fffd}é"], &everything()).expect("search").items[0].offset_chars, Some(0));
}

/// A timestamp is passed on as it is stored; anything but a text is none.
#[test]
fn timestamps_are_passed_on() {
    let mut log = Log::new();
    log.entry(json!({"type": "message", "timestamp": "whenever", "message": {"role": "user", "content": "x"}}));
    log.entry(json!({"type": "message", "timestamp": 5, "message": {"role": "user", "content": "x"}}));
    log.calls(&[("c", "t", json!({}))]);
    log.entry(json!({"type": "message", "timestamp": "later", "message": {"role": "toolResult", "toolCallId": "c"}}));
    let times: Vec<_> = all(&log.session()).into_iter().map(|item| item.created_at).collect();
    assert_eq!(times, [Some("whenever".into()), None, Some(TIME.into()), Some(TIME.into())]);
}

/// Line 95: formats 1, 2 and 3, and any order of keys, tell the same.
#[test]
fn formats_and_key_orders() {
    let conversation = [
        json!({"type": "message", "message": {"role": "user", "content": "go"}}),
        json!({"type": "message", "message": {"role": "assistant", "content": [
            {"type": "text", "text": "yes"}, {"type": "toolCall", "id": "c", "name": "t", "arguments": {"b": 1, "a": 2}}]}}),
        json!({"type": "message", "message": {"role": "toolResult", "toolCallId": "c", "toolName": "t", "content": "done"}}),
        json!({"type": "compaction", "summary": "sum", "tokensBefore": 5}),
        json!({"type": "custom", "customType": "pi-context/reset-marker", "data": {"windowId": "w"}}),
        json!({"type": "message", "message": {"role": "custom", "content": "injected"}}),
    ];
    let write = |format: Option<u64>, reverse: bool, strings: bool| {
        let header = match format {
            Some(format) if strings => json!({"type": "session", "id": "s", "version": format.to_string()}),
            Some(format) => json!({"type": "session", "id": "s", "version": format}),
            None => json!({"type": "session", "id": "s"}),
        };
        let mut lines = vec![ordered(&header, reverse)];
        for (number, entry) in conversation.iter().enumerate() {
            let mut entry = entry.clone();
            let object = entry.as_object_mut().expect("an object");
            object.insert("timestamp".into(), json!(TIME));
            if format.is_some_and(|format| format > 1) {
                object.insert("id".into(), json!(format!("id-that-is-long-{number}")));
                let parent = number.checked_sub(1).map(|parent| format!("id-that-is-long-{parent}"));
                object.insert("parentId".into(), json!(parent));
            }
            if format.is_none_or(|format| format < 3)
                && object.get("message").is_some_and(|message| message["role"] == "custom")
            {
                object["message"]["role"] = json!("hookMessage");
            }
            lines.push(ordered(&entry, reverse));
        }
        all(&Session::from_entries(&lines.join("\n")))
    };
    let expected = write(Some(3), false, false);
    assert_eq!(
        expected.iter().map(row).collect::<Vec<_>>(),
        [
            "1 user go",
            "2 assistant yes",
            "3 tool t {\"b\":1,\"a\":2}\n--- output ---\ndone",
            "5 context sum",
            "6 context injected",
        ]
    );
    assert_eq!(expected[4].window_id, "w");
    for format in [None, Some(1), Some(2), Some(3), Some(4)] {
        for reverse in [false, true] {
            assert_eq!(write(format, reverse, false), expected, "{format:?} {reverse}");
        }
    }
    assert_eq!(write(Some(2), false, true), expected);
}

/// JSON with the keys of every object in their order or in the reverse one, but for arguments, whose order means something.
fn ordered(value: &Value, reverse: bool) -> String {
    match value {
        Value::Object(object) => {
            let field = |(key, value): (&String, &Value)| {
                let reverse = reverse && key != "arguments";
                format!("{}:{}", json!(key), ordered(value, reverse))
            };
            let mut fields: Vec<String> = object.iter().map(field).collect();
            if reverse {
                fields.reverse();
            }
            format!("{{{}}}", fields.join(","))
        }
        Value::Array(items) => {
            format!("[{}]", items.iter().map(|item| ordered(item, reverse)).collect::<Vec<_>>().join(","))
        }
        other => other.to_string(),
    }
}
