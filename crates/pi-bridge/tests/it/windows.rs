//! Context windows as the addon drives them: happenings in, actions out, facts asked for in between.

use std::sync::mpsc::channel;

use palimpsest_pi_bridge::Engine;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A host of a session in memory, with the answers that it gives.
struct Host {
    home: TempDir,
    engine: Engine,
    entries: Vec<Value>,
    asked: Vec<String>,
}

impl Host {
    fn new() -> Host {
        let home = tempfile::tempdir().expect("temp dir");
        Host { home, engine: Engine::new(), entries: Vec::new(), asked: Vec::new() }
    }

    fn place(&self) -> Value {
        json!({ "cwd": self.home.path(), "sessionId": "0123456789", "model": "m", "home": self.home.path() })
    }

    fn push(&mut self, kind: Value) {
        self.entries.push(json!({ "id": format!("e{}", self.entries.len()), "at": self.entries.len(), "kind": kind }));
    }

    fn settings() -> Value {
        json!({ "live": false, "automatic": true, "reserve": 16_384, "global": {}, "project": null })
    }

    /// Hands an event over; the actions that come back.
    fn send(&mut self, event: Value) -> Vec<Value> {
        let leaf = self.entries.last().map(|entry| entry["id"].clone());
        let happening =
            json!({ "hasUi": true, "inTerminal": false, "session": "0123456789", "leaf": leaf, "event": event });
        let (place, entries) = (self.place(), self.entries.clone());
        let mut asked = Vec::new();
        let mut ask = |question: &str| {
            let question: Value = serde_json::from_str(question).expect("a question");
            let what = question["what"].as_str().expect("what");
            asked.push(what.to_owned());
            let answer = match what {
                "branch" => {
                    let after = question["after"].as_str();
                    let known = entries.iter().position(|entry| entry["id"].as_str() == after).map_or(0, |at| at + 1);
                    let after = if known > 0 { question["after"].clone() } else { Value::Null };
                    json!({ "session": "0123456789", "startedAt": 0, "after": after, "entries": entries[known..] })
                }
                "settings" => Host::settings(),
                "usage" => json!({ "tokens": 1_000, "contextWindow": 200_000 }),
                "projection" => json!([]),
                "queued" => json!(false),
                _ => place.clone(),
            };
            Some(answer.to_string())
        };
        let answer: Value = serde_json::from_str(&self.engine.window(&happening.to_string(), &mut ask)).expect("JSON");
        self.asked = asked;
        assert_eq!(answer["fault"], false, "{answer}");
        answer["actions"].as_array().expect("actions").clone()
    }

    /// Collects what a boot is made of.
    fn collect(&self, build: &Value) {
        let session = json!({ "dir": "", "leaf": self.entries.last().map(|entry| entry["id"].clone()) });
        let lines: Vec<_> = self
            .entries
            .iter()
            .map(|entry| json!({ "type": "custom", "customType": "x", "id": entry["id"] }))
            .collect();
        let lines = lines.iter().map(Value::to_string).collect::<Vec<_>>().join("\n");
        let handed =
            json!({ "after": null, "header": r#"{"type":"session","version":3,"id":"0123456789"}"#, "entries": lines });
        for session in [session.clone(), {
            let mut with = session;
            with["handed"] = handed;
            with
        }] {
            let supplies = json!({
                "build": build, "place": self.place(), "session": session, "settings": Host::settings(), "contextWindow": 200_000,
            });
            let (sender, answers) = channel();
            self.engine
                .collect(&supplies.to_string(), move |answer| sender.send(answer).expect("receiver"))
                .expect("supplies");
            if answers.recv().expect("an answer") == "{}" {
                return;
            }
        }
        panic!("the engine asks for ever more entries");
    }
}

fn find<'a>(actions: &'a [Value], what: &str) -> &'a Value {
    actions.iter().find(|action| action["do"] == what).unwrap_or_else(|| panic!("no {what} in {actions:?}"))
}

/// A start builds the root's boot, a wipe is committed at the turn's end, and the branch is asked for once an entry.
#[test]
fn a_wipe_in_the_host_s_form() {
    let mut host = Host::new();
    let active = ["notes_write", "notes_read", "wipe_memory"];
    let started = host.send(json!({ "start": { "active": active, "standDown": null } }));
    assert_eq!(find(&started, "keep"), &json!({ "do": "keep", "cancelCompaction": true, "resetWindow": false }));
    assert!(find(&started, "footer")["text"].as_str().is_some_and(|text| text.starts_with("window 1")));
    let build = &find(&started, "build")["build"];
    host.collect(build);
    let built = host.send(json!({ "built": { "build": build, "aborted": false } }));
    let boot = &find(&built, "message")["message"];
    assert_eq!(boot["details"], json!({ "windowId": "pcw:01234567:root" }));
    assert_eq!((&boot["customType"], &boot["display"]), (&json!("pi-context/boot"), &json!(false)));
    host.push(
        json!({ "customMessage": { "tag": "pi-context/boot", "display": false, "windowId": "pcw:01234567:root" } }),
    );
    host.push(json!("user"));
    let usage = json!({ "input": 10, "output": 1, "totalTokens": 11 });
    host.push(json!({ "assistant": { "calls": true, "text": false, "stop": "toolUse", "usage": usage } }));

    let reply = host.send(json!("wipeTool"));
    assert_eq!(host.asked, ["branch"], "what is known is not asked for");
    assert_eq!(find(&reply, "answer")["answer"]["result"]["terminate"], true);
    host.push(json!({ "toolResult": { "tool": "wipe_memory", "failed": false } }));
    let turn = json!({ "outcome": "completed", "stop": "toolUse", "aborted": false, "overflow": false, "tools": true });
    let ended = host.send(json!({ "turnEnd": turn }));
    let build = &find(&ended, "build")["build"];
    host.collect(build);
    let built = host.send(json!({ "built": { "build": build, "aborted": false } }));
    let boundary = &find(&built, "answer")["answer"]["boundary"];
    assert_eq!(boundary["continue"], true);
    let entries = boundary["entries"].as_array().expect("entries");
    let types: Vec<_> = entries.iter().map(|entry| entry["type"].as_str().expect("a type")).collect();
    assert_eq!(types, ["compaction", "custom", "custom_message", "custom_message"]);
    let id = &entries[1]["data"]["windowId"];
    let details = json!({ "by": "pi-context", "windowId": id, "cause": "tool" });
    let checkpoint = json!({ "type": "compaction", "summary": "", "firstKeptEntryId": null, "details": details });
    assert_eq!(entries[0], checkpoint);
    assert_eq!(entries[2]["details"], json!({ "windowId": id }));
    assert_eq!(entries[3].get("details"), None);
    // Handed back a second time the boot is stale, and nothing comes of it.
    assert_eq!(host.send(json!({ "built": { "build": build, "aborted": false } })), [] as [Value; 0]);
}

/// What cannot be understood is a fault: the host is told to answer the closed way, and a person hears of it once.
#[test]
fn a_fault_is_told_once() {
    let engine = Engine::new();
    let faulty = json!({ "hasUi": true, "event": "unheard of" }).to_string();
    let mut ask = |_: &str| None;
    let first: Value = serde_json::from_str(&engine.window(&faulty, &mut ask)).expect("JSON");
    assert_eq!((&first["fault"], &first["actions"][0]["level"]), (&json!(true), &json!("error")));
    let second: Value = serde_json::from_str(&engine.window(&faulty, &mut ask)).expect("JSON");
    assert_eq!(second, json!({ "fault": true, "actions": [] }));
}
