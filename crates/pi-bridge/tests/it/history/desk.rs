//! A live session, called as the host calls: in a file or in memory, among the sessions of its project.

use std::fs;
use std::path::PathBuf;

use palimpsest_pi_bridge::{Delivery, Handed, History, Place, Reply, SessionFacts};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::log::Log;
use crate::bench::check_answer;

pub(super) struct Desk {
    pub(super) root: TempDir,
    pub(super) log: Log,
    /// Whether the host keeps the session in a file.
    pub(super) persisted: bool,
    pub(super) history: History,
    /// How often entries had to be handed over, and how many.
    pub(super) handed: Vec<usize>,
}

impl Desk {
    pub(super) fn new() -> Desk {
        let root = tempfile::tempdir().expect("temp dir");
        let log = Log::new("12345678-live", &root.path().join("work").display().to_string());
        Desk { root, log, persisted: true, history: History::default(), handed: Vec::new() }
    }

    /// A session that lives in memory only.
    pub(super) fn in_memory() -> Desk {
        Desk { persisted: false, ..Desk::new() }
    }

    /// A desk whose session these steps have made.
    pub(super) fn with(steps: impl FnOnce(&mut Log)) -> Desk {
        let mut desk = Desk::new();
        steps(&mut desk.log);
        desk
    }

    pub(super) fn sessions(&self) -> PathBuf {
        self.root.path().join("agent/sessions")
    }

    /// The folder for the sessions of one working directory, as the host names it.
    pub(super) fn folder(&self, work: &str) -> PathBuf {
        let cwd = self.root.path().join(work).display().to_string();
        self.sessions().join(format!("--{}--", cwd.trim_start_matches('/').replace('/', "-")))
    }

    /// Another session, in the folder of its working directory.
    pub(super) fn another(&self, id: &str, work: &str, steps: impl FnOnce(&mut Log)) -> Log {
        let mut log = Log::new(id, &self.root.path().join(work).display().to_string());
        steps(&mut log);
        self.put(work, &format!("1_{id}.jsonl"), log.text());
        log
    }

    pub(super) fn put(&self, work: &str, name: &str, text: impl AsRef<[u8]>) {
        fs::create_dir_all(self.folder(work)).expect("a folder");
        fs::write(self.folder(work).join(name), text).expect("a file");
    }

    /// Lines 89 and 110 for whatever is called; entries are handed over as often as they are asked for.
    pub(super) fn call(&mut self, tool: &str, params: Value) -> Delivery {
        let mut facts = self.facts();
        let place = self.place();
        for _ in 0..3 {
            match self.history.call(tool, &params.to_string(), &place, &facts) {
                Reply::Answer(answer) => {
                    check_answer(tool, &answer);
                    return answer;
                }
                Reply::HandOver { after } => facts.handed = Some(self.hand_over(after.as_deref())),
            }
        }
        panic!("{tool} asks for entries again and again");
    }

    /// What the TypeScript side hands over.
    pub(super) fn hand_over(&mut self, after: Option<&str>) -> Handed {
        let entries = &self.log.entries;
        let known = entries.iter().rposition(|entry| entry["id"].as_str() == after).map_or(0, |at| at + 1);
        let lines: Vec<String> = entries[known..].iter().map(Value::to_string).collect();
        self.handed.push(lines.len());
        Handed {
            after: after.filter(|_| known > 0).map(str::to_owned),
            header: self.log.header.to_string(),
            last: entries[known..].last().map(|entry| entry["id"].as_str().expect("an id").to_owned()),
            entries: lines.join("\n"),
        }
    }

    /// The facts of a call; the file is brought up to date with the session first, as the host does.
    pub(super) fn facts(&self) -> SessionFacts {
        let mut facts = SessionFacts {
            leaf: self.log.leaf.clone(),
            agent_dir: Some(self.root.path().join("agent")),
            ..SessionFacts::default()
        };
        if self.persisted {
            self.put("work", "9_live.jsonl", self.log.text());
            facts.dir = self.folder("work");
            facts.file = Some(facts.dir.join("9_live.jsonl"));
        }
        facts
    }

    pub(super) fn place(&self) -> Place {
        Place {
            cwd: self.root.path().join("work"),
            session_id: self.log.id().into(),
            model: None,
            home: self.root.path().join("home"),
            notes_home: None,
            notes_agent: None,
        }
    }

    /// An answer that has to be a result.
    pub(super) fn ok(&mut self, tool: &str, params: Value) -> Delivery {
        let answer = self.call(tool, params);
        assert!(!answer.is_error, "{tool}: {}", answer.text);
        answer
    }

    /// The structured content of a result.
    pub(super) fn data(&mut self, tool: &str, params: Value) -> Value {
        self.ok(tool, params).structured
    }

    /// The structured content of a refusal.
    pub(super) fn refused(&mut self, tool: &str, params: Value) -> Value {
        let answer = self.call(tool, params);
        assert!(answer.is_error, "{tool}: {}", answer.text);
        answer.structured
    }

    /// A page as its rows in short, and its anchors.
    pub(super) fn page(&mut self, tool: &str, params: Value) -> (Vec<String>, Value, Value) {
        let page = self.data(tool, params);
        let rows = page["items"].as_array().expect("items").iter().map(short).collect();
        (rows, page["older_before"].clone(), page["newer_after"].clone())
    }
}

/// `seq role content`, or `first-last×count` for a fold.
pub(super) fn short(row: &Value) -> String {
    let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
    if row["folded"] == true {
        return format!("{}-{}×{}", row["first_seq"], row["last_seq"], row["count"]);
    }
    format!("{} {} {}", row["seq"], text("role"), text("content"))
}

pub(super) fn keys(value: &Value) -> Vec<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

pub(super) fn none() -> Value {
    json!({})
}
