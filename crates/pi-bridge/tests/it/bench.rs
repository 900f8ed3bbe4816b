//! A store in a temporary home, called as the host calls it. Every answer is checked against what holds for all.

use std::fs;
use std::path::PathBuf;

use palimpsest_notes::{Clock, Identity, Store};
use palimpsest_pi_bridge::{BUDGET, Delivery, call_tool, tool_definitions};
use serde_json::{Value, json};
use tempfile::TempDir;

pub(crate) struct Bench {
    pub(crate) home: TempDir,
    pub(crate) store: Store,
}

impl Bench {
    pub(crate) fn new() -> Bench {
        Bench::of("coder", "opus", "session-1")
    }

    pub(crate) fn of(agent: &str, model: &str, session: &str) -> Bench {
        let home = tempfile::tempdir().expect("temp dir");
        let store = Bench::store_in(&home, agent, model, session);
        Bench { home, store }
    }

    /// Another store over the same files.
    pub(crate) fn store_in(home: &TempDir, agent: &str, model: &str, session: &str) -> Store {
        let identity = Identity::from_parts(home.path(), session, "app-12345678", agent, model).expect("identity");
        Store::new(identity, Clock::system())
    }

    /// An answer that has to be a result.
    pub(crate) fn ok(&self, tool: &str, params: Value) -> Delivery {
        let answer = self.call(tool, params);
        assert!(!answer.is_error, "{tool}: {}", answer.text);
        answer
    }

    /// The structured content of a result.
    pub(crate) fn data(&self, tool: &str, params: Value) -> Value {
        self.ok(tool, params).structured
    }

    /// The structured content of a refusal.
    pub(crate) fn refused(&self, tool: &str, params: Value) -> Value {
        let answer = self.call(tool, params);
        assert!(answer.is_error, "{tool}: {}", answer.text);
        answer.structured
    }

    /// Lines 89 and 110 for whatever is called.
    pub(crate) fn call(&self, tool: &str, params: Value) -> Delivery {
        let answer = call_tool(&self.store, tool, &params.to_string());
        check_answer(tool, &answer);
        answer
    }

    pub(crate) fn write(&self, address: &str, content: &str) {
        self.ok("notes_write", json!({ "address": address, "content": content }));
    }

    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.home.path().join(relative)
    }

    /// A file as another program would have put it there.
    pub(crate) fn put(&self, relative: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(relative);
        fs::create_dir_all(path.parent().expect("parent")).expect("folders");
        fs::write(path, bytes).expect("file");
    }

    pub(crate) fn on_disk(&self, relative: &str) -> String {
        fs::read_to_string(self.path(relative)).expect("note file")
    }

    /// Every file below the home.
    pub(crate) fn files(&self) -> Vec<String> {
        let mut files = Vec::new();
        let mut folders = vec![self.home.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).expect("folder") {
                let path = entry.expect("entry").path();
                if path.is_dir() { folders.push(path) } else { files.push(path.display().to_string()) }
            }
        }
        files
    }
}

pub(crate) fn check_answer(tool: &str, answer: &Delivery) {
    assert!(answer.text.len() <= BUDGET, "{tool}: text of {} bytes", answer.text.len());
    let compact = answer.structured.to_string();
    assert!(compact.len() <= BUDGET, "{tool}: structure of {} bytes", compact.len());
    let definition = tool_definitions().into_iter().find(|known| known.name == tool).expect("known tool");
    jsonschema::validate(&definition.output_schema, &answer.structured).expect("output schema");

    let keys: Vec<&String> = answer.structured.as_object().expect("object").keys().collect();
    assert_eq!(answer.is_error, keys.starts_with(&[&"error".to_owned(), &"code".to_owned()]), "{tool}: {keys:?}");
    match &answer.details {
        None => assert_eq!(answer.text, serde_json::to_string_pretty(&answer.structured).expect("pretty")),
        Some(details) => {
            let mut whole = details.clone();
            whole["content"] = content(&answer.text).into();
            assert_eq!(whole, answer.structured);
        }
    }
    let host = answer.to_host();
    assert_eq!(host["isError"] == true, answer.is_error);
    assert_eq!(host["structuredContent"], answer.structured);
}

/// What follows the header of a READ WINDOW.
pub(crate) fn content(text: &str) -> &str {
    text.split_once("\n\n").expect("a blank line after the header").1
}
