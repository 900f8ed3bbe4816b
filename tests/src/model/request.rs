//! One recorded request of the host to the model.

use serde_json::{Value, value::RawValue};

/// A chat request as it came over the wire.
#[derive(Clone, Debug)]
pub struct Request {
    /// The request's number, counted from 0.
    pub index: usize,
    /// The HTTP headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body, byte for byte.
    pub text: String,
    /// The body, parsed; keys keep their order.
    pub body: Value,
    /// Whether the client closed the connection before the answer was complete.
    pub aborted: bool,
    /// Whether the answer has been sent in full.
    pub answered: bool,
}

impl Request {
    /// The id of the model that was asked.
    pub fn model(&self) -> &str {
        self.body["model"].as_str().unwrap_or_default()
    }

    /// The conversation.
    pub fn messages(&self) -> &[Value] {
        self.body["messages"].as_array().map_or(&[], Vec::as_slice)
    }

    /// The tool definitions.
    pub fn tools(&self) -> &[Value] {
        self.body["tools"].as_array().map_or(&[], Vec::as_slice)
    }

    /// The names of the defined tools, in order.
    pub fn tool_names(&self) -> Vec<&str> {
        self.tools().iter().filter_map(|tool| tool["function"]["name"].as_str()).collect()
    }

    /// The definition (`function`) of the tool with that name.
    pub fn tool(&self, name: &str) -> Option<&Value> {
        self.tools().iter().map(|tool| &tool["function"]).find(|function| function["name"] == name)
    }

    /// Each message as the JSON text that was sent, byte for byte.
    pub fn message_texts(&self) -> Vec<&str> {
        self.raw_items("messages")
    }

    /// Each tool definition as the JSON text that was sent, byte for byte.
    pub fn tool_texts(&self) -> Vec<&str> {
        self.raw_items("tools")
    }

    /// The text of the leading system message; empty when there is none.
    pub fn system(&self) -> String {
        match self.messages().first() {
            Some(first) if is_system(first) => text_of(first),
            _ => String::new(),
        }
    }

    /// The text of every message with that role, in order.
    pub fn texts(&self, role: &str) -> Vec<String> {
        self.messages().iter().filter(|message| message["role"] == role).map(text_of).collect()
    }

    /// The text that answers the tool call with that id.
    pub fn tool_result(&self, call_id: &str) -> Option<String> {
        let found = |message: &&Value| message["role"] == "tool" && message["tool_call_id"] == call_id;
        self.messages().iter().find(found).map(text_of)
    }

    fn raw_items(&self, key: &str) -> Vec<&str> {
        #[derive(serde::Deserialize)]
        struct Fields<'a> {
            #[serde(borrow, default)]
            messages: Vec<&'a RawValue>,
            #[serde(borrow, default)]
            tools: Vec<&'a RawValue>,
        }
        let Ok(fields) = serde_json::from_str::<Fields<'_>>(&self.text) else {
            return Vec::new();
        };
        let items = if key == "messages" { fields.messages } else { fields.tools };
        items.into_iter().map(RawValue::get).collect()
    }
}

/// The text of a chat message: its content string, or the texts of its parts joined by line ends.
pub fn text_of(message: &Value) -> String {
    match &message["content"] {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n"),
        _ => String::new(),
    }
}

fn is_system(message: &Value) -> bool {
    message["role"] == "system" || message["role"] == "developer"
}
