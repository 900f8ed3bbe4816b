//! Sessions as the host writes them: a tree of entries, in file order.

use serde_json::{Value, json};

/// A session under construction. New entries are children of the leaf.
pub(super) struct Log {
    pub(super) header: Value,
    pub(super) entries: Vec<Value>,
    pub(super) leaf: Option<String>,
}

impl Log {
    pub(super) fn new(id: &str, cwd: &str) -> Log {
        let header = json!({ "type": "session", "version": 3, "id": id, "timestamp": time(0), "cwd": cwd });
        Log { header, entries: Vec::new(), leaf: None }
    }

    pub(super) fn id(&self) -> &str {
        self.header["id"].as_str().expect("an id")
    }

    /// The file, a record a line.
    pub(super) fn text(&self) -> String {
        std::iter::once(&self.header).chain(&self.entries).map(|record| format!("{record}\n")).collect()
    }

    /// Adds an entry; the id it gets names its place.
    pub(super) fn entry(&mut self, mut entry: Value) -> String {
        let number = self.entries.len() + 1;
        let id = format!("{number:08x}");
        entry["id"] = id.as_str().into();
        entry["parentId"] = json!(self.leaf);
        entry["timestamp"] = time(number).into();
        self.entries.push(entry);
        self.leaf = Some(id.clone());
        id
    }

    pub(super) fn user(&mut self, text: &str) -> String {
        self.entry(json!({ "type": "message", "message": { "role": "user", "content": text } }))
    }

    pub(super) fn assistant(&mut self, text: &str) -> String {
        self.calls(text, &[])
    }

    /// An answer with calls: id, name, arguments.
    pub(super) fn calls(&mut self, text: &str, calls: &[(&str, &str, Value)]) -> String {
        let mut content = vec![json!({ "type": "text", "text": text })];
        content.extend(calls.iter().map(
            |(id, name, arguments)| json!({ "type": "toolCall", "id": id, "name": name, "arguments": arguments }),
        ));
        self.entry(json!({ "type": "message", "message": { "role": "assistant", "content": content } }))
    }

    pub(super) fn result(&mut self, call: &str, name: &str, text: &str, is_error: bool) -> String {
        let content = json!([{ "type": "text", "text": text }]);
        let message = json!({ "role": "toolResult", "toolCallId": call, "toolName": name, "content": content, "isError": is_error });
        self.entry(json!({ "type": "message", "message": message }))
    }

    /// A shell command of the person; the further keys are those of the message.
    pub(super) fn bash(&mut self, command: &str, output: &str, further: Value) -> String {
        let mut message = json!({
            "role": "bashExecution", "command": command, "output": output,
            "exitCode": 0, "cancelled": false, "truncated": false,
        });
        for (key, value) in further.as_object().into_iter().flatten() {
            message[key] = value.clone();
        }
        self.entry(json!({ "type": "message", "message": message }))
    }

    pub(super) fn injected(&mut self, text: &str) -> String {
        self.entry(json!({ "type": "custom_message", "customType": "x", "content": text, "display": false }))
    }

    pub(super) fn summary(&mut self, text: &str) -> String {
        self.entry(json!({ "type": "compaction", "summary": text, "firstKeptEntryId": "x", "tokensBefore": 1 }))
    }

    pub(super) fn marker(&mut self, window: &str) -> String {
        let data = json!({ "windowId": window });
        self.entry(json!({ "type": "custom", "customType": "pi-context/reset-marker", "data": data }))
    }
}

/// Times that grow with the number of the entry.
fn time(number: usize) -> String {
    format!("2026-01-02T{:02}:{:02}:{:02}.000Z", number / 3600, number / 60 % 60, number % 60)
}
