//! Reads session files for assertions; a line that is not JSON is a failure here.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;

use crate::text_of;

/// A session file, read whole.
#[derive(Clone, Debug)]
pub struct Session {
    /// The file.
    pub path: PathBuf,
    /// The first record.
    pub header: Value,
    /// All later records, in file order.
    pub entries: Vec<Value>,
}

/// A tool's result as the session keeps it.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolResult {
    /// The id of the call.
    pub call_id: String,
    /// The tool's name.
    pub name: String,
    /// The text that went to the model.
    pub text: String,
    /// Whether it counts as an error.
    pub is_error: bool,
    /// What the tool stored for itself; null when nothing.
    pub details: Value,
}

impl Session {
    /// Reads the file.
    ///
    /// # Panics
    ///
    /// When it cannot be read, or a line of it is not JSON.
    pub fn read(path: &Path) -> Session {
        let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display()));
        let mut records = text.split_terminator('\n').enumerate().map(|(index, line)| {
            serde_json::from_str(line).unwrap_or_else(|error| panic!("{}, line {}: {error}", path.display(), index + 1))
        });
        let header = records.next().unwrap_or_else(|| panic!("{} is empty", path.display()));
        Session { path: path.to_owned(), header, entries: records.collect() }
    }

    /// The session's id.
    pub fn id(&self) -> &str {
        self.header["id"].as_str().unwrap_or_default()
    }

    /// The entries from the root to the last entry of the file.
    pub fn branch(&self) -> Vec<&Value> {
        let by_id: HashMap<&str, &Value> =
            self.entries.iter().filter_map(|entry| Some((entry["id"].as_str()?, entry))).collect();
        let mut branch = Vec::new();
        let mut next = self.entries.last();
        while let Some(entry) = next {
            branch.push(entry);
            next = entry["parentId"].as_str().and_then(|parent| by_id.get(parent).copied());
        }
        branch.reverse();
        branch
    }

    /// The messages with that role, in file order.
    pub fn messages(&self, role: &str) -> Vec<&Value> {
        self.of_type("message").into_iter().map(|entry| &entry["message"]).filter(|it| it["role"] == role).collect()
    }

    /// The texts of the messages with that role, in file order.
    pub fn texts(&self, role: &str) -> Vec<String> {
        self.messages(role).into_iter().map(text_of).collect()
    }

    /// The results of tools, in file order.
    pub fn tool_results(&self) -> Vec<ToolResult> {
        let result = |message: &Value| ToolResult {
            call_id: message["toolCallId"].as_str().unwrap_or_default().to_owned(),
            name: message["toolName"].as_str().unwrap_or_default().to_owned(),
            text: text_of(message),
            is_error: message["isError"] == true,
            details: message["details"].clone(),
        };
        self.messages("toolResult").into_iter().map(result).collect()
    }

    /// The entries of a type, such as `compaction`, in file order.
    pub fn of_type(&self, kind: &str) -> Vec<&Value> {
        self.entries.iter().filter(|entry| entry["type"] == kind).collect()
    }

    /// The entries, state or messages, that an extension stored under that name.
    pub fn custom(&self, custom_type: &str) -> Vec<&Value> {
        self.entries.iter().filter(|entry| entry["customType"] == custom_type).collect()
    }
}
