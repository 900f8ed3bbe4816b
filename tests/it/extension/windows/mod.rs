//! Context windows in the real Pi: what the provider is sent, what the session keeps, what a person is told.

mod budget;
mod closed;
mod command;
mod host;
mod prefix;
mod repair;
mod screen;
mod wipe;

use palimpsest_tests::{Request, Session, text_of};
use serde_json::Value;

const BOOT: &str = "pi-context/boot";
const CONTINUATION: &str = "pi-context/continuation";
const MARKER: &str = "pi-context/reset-marker";
const MANUAL: &str = "pi-context/manual-wipe";
const WARNING: &str = "pi-context/warning";
const GUIDANCE: &str = "pi-context/guidance";

/// The four entries of a reset, in their order.
const RESET: [&str; 4] = ["compaction", MARKER, BOOT, CONTINUATION];

/// The roles of a request's messages, in order.
fn roles(request: &Request) -> Vec<&str> {
    request.messages().iter().filter_map(|message| message["role"].as_str()).collect()
}

/// Everything that a request says to the model, tool definitions aside.
fn said(request: &Request) -> String {
    request.messages().iter().map(text_of).collect::<Vec<_>>().join("\n")
}

/// The kinds of the branch's entries, in order: the type, the role, or the tag of ours. What the host keeps of its own
/// state is left out.
fn kinds(session: &Session) -> Vec<String> {
    let kind = |entry: &&Value| match entry["customType"].as_str() {
        Some(tag) => tag.to_owned(),
        None if entry["type"] == "message" => entry["message"]["role"].as_str().unwrap_or_default().to_owned(),
        None => entry["type"].as_str().unwrap_or_default().to_owned(),
    };
    let kinds = session.branch().iter().map(kind).collect::<Vec<_>>();
    kinds.into_iter().filter(|kind| !["system", "model_change", "thinking_level_change"].contains(&&**kind)).collect()
}

/// The text of a custom message.
fn content(entry: &Value) -> &str {
    entry["content"].as_str().unwrap_or_default()
}

/// The causes of the branch's resets, in order.
fn causes(session: &Session) -> Vec<&str> {
    session.of_type("compaction").iter().filter_map(|entry| entry["details"]["cause"].as_str()).collect()
}
