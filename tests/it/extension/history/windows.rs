//! Behind a wipe of the context: the model does not see it any more and finds it all the same.

use std::fs;

use palimpsest_tests::{Model, Step};
use serde_json::{Value, json};

use super::{contents, sessions_of, text};
use crate::extension::{make_calls, steps, with_tools};

/// A session with a wipe in the middle, as the host writes it.
fn wiped_session(cwd: &str) -> String {
    let message = |role: &str, text: &str| {
        let content = json!([{ "type": "text", "text": text }]);
        let mut message = json!({ "role": role, "content": content, "timestamp": 1 });
        if role == "assistant" {
            let usage = json!({
                "input": 1, "output": 1, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 2,
                "cost": { "input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0 },
            });
            let further = json!({
                "api": "openai-completions", "provider": "scripted", "model": "scripted-1", "usage": usage, "stopReason": "stop",
            });
            message.as_object_mut().expect("object").extend(further.as_object().expect("object").clone());
        }
        json!({ "type": "message", "message": message })
    };
    let hidden = |kind: &str, text: &str| json!({ "type": "custom_message", "customType": format!("pi-context/{kind}"), "content": text, "display": false, "details": { "windowId": "pcw:crafted0:0000002a" } });
    let entries = [
        message("user", "The password of the vault is heron."),
        message("assistant", "I will not forget the heron."),
        json!({ "type": "compaction", "summary": "", "firstKeptEntryId": "entry-2", "tokensBefore": 9, "fromHook": true }),
        json!({ "type": "custom", "customType": "pi-context/reset-marker", "data": { "windowId": "pcw:crafted0:0000002a" } }),
        hidden("boot", "You woke up."),
        hidden("continuation", "Go on."),
        message("user", "Good morning."),
        message("assistant", "Good morning!"),
    ];
    let header = json!({ "type": "session", "version": 3, "id": "crafted0-session", "timestamp": "2026-01-01T00:00:00.000Z", "cwd": cwd });
    let mut lines = vec![header.to_string()];
    for (number, mut entry) in entries.into_iter().enumerate() {
        entry["id"] = format!("entry-{number}").into();
        entry["parentId"] = number.checked_sub(1).map_or(Value::Null, |before| format!("entry-{before}").into());
        entry["timestamp"] = format!("2026-01-01T00:00:{number:02}.000Z").into();
        lines.push(entry.to_string());
    }
    lines.join("\n") + "\n"
}

/// D3 lines 57, 61, 62, 100 and 108; the demand of the whole: what was wiped is found again.
#[test]
fn what_was_wiped_is_found() {
    let calls = [
        ("history_windows", json!({})),
        ("history_search", json!({ "query": "vault" })),
        ("history_list", json!({ "window_id": "@previous" })),
        ("history_list", json!({ "roles": ["context"] })),
        ("history_read", json!({ "seq": 1 })),
    ];
    let model = Model::start(steps(&calls));
    let sandbox = with_tools(&model).build();
    let folder = sessions_of(&sandbox, "work");
    fs::create_dir_all(&folder).expect("a folder");
    let cwd = sandbox.work().canonicalize().expect("the working folder").display().to_string();
    let file = folder.join("2026-01-01T00-00-00-000Z_crafted0-session.jsonl");
    fs::write(&file, wiped_session(&cwd)).expect("a session");
    let mut pi = sandbox.rpc_with(&["--session", text(&file)]);
    let run = pi.prompt("What was the word?");
    pi.finish();

    let first = &model.request(0);
    assert!(!first.text.contains("heron"), "the context was not wiped: {}", first.text);
    assert!(first.text.contains("You woke up."), "{}", first.text);

    let ends = run.tools();
    let windows = &ends[0].structured;
    assert_eq!(windows["session_id"], "crafted0-session");
    let row = |id: &str, at: Value, first: u64, last: u64| json!({ "window_id": id, "created_at": at, "first_seq": first, "last_seq": last, "item_count": last + 1 - first });
    // In the second: two hidden messages, three of the conversation, the answer that calls, and the call.
    let expected = [
        row("pcw:crafted0:root", Value::Null, 1, 3),
        row("pcw:crafted0:0000002a", json!("2026-01-01T00:00:03.000Z"), 4, 10),
    ];
    assert_eq!(windows["windows"], json!(expected));

    let hit = &ends[1].structured["items"][0];
    assert_eq!(
        json!([hit["seq"], hit["window_id"], hit["content"]]),
        json!([1, "pcw:crafted0:root", "vault is heron."])
    );
    assert_eq!(contents(&ends[2]), ["The password of the vault is heron.", "I will not forget the heron."]);
    assert_eq!(ends[2].structured["items"][2]["folded"], true, "the checkpoint is folded: {}", ends[2].text);
    assert_eq!(contents(&ends[3]), ["", "You woke up.", "Go on."]);
    assert!(ends[4].text.ends_with("\n\nThe password of the vault is heron."), "{}", ends[4].text);
    assert!(model.last_request().text.contains("heron"), "the model knows it again");
}

/// The host's own compaction shows its summary as context, and what it took away stays readable.
#[test]
fn what_the_host_compacted_is_found() {
    let model = Model::start([]);
    let sandbox = with_tools(&model).settings(json!({ "compaction": { "keepRecentTokens": 500 } })).build();
    let mut pi = sandbox.rpc();
    for number in 0..3 {
        super::say(&mut pi, &model, &format!("heron number {number} {}", "x ".repeat(2_000)), "noted");
    }
    model.push([Step::text("a summary without the bird")]);
    pi.request(json!({ "type": "compact" }));
    let ends = make_calls(
        &mut pi,
        &model,
        &[
            ("history_search", json!({ "query": "heron number 0", "roles": ["user"] })),
            ("history_list", json!({ "roles": ["context"] })),
            ("history_windows", json!({})),
        ],
    );
    pi.finish();
    assert_eq!(ends[0].structured["items"].as_array().map(Vec::len), Some(1), "{}", ends[0].text);
    let summary = contents(&ends[1]).remove(0);
    assert!(summary.contains("a summary without the bird"), "{summary}");
    assert_eq!(ends[2].structured["windows"].as_array().map(Vec::len), Some(1), "a compaction is no boundary");
}
