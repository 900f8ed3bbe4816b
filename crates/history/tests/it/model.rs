//! History in its plainest form, for comparison: the whole session parsed into values, the rules of the specification
//! (part C) followed one by one, nothing indexed, nothing skipped.

use std::collections::HashSet;

use palimpsest_history::{Fold, Role, Selection};
use regex::RegexBuilder;
use serde_json::Value;
use unicode_normalization::UnicodeNormalization;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Event {
    pub(crate) seq: u64,
    pub(crate) window: String,
    pub(crate) role: Role,
    pub(crate) tool: Option<String>,
    pub(crate) text: String,
}

/// The events of the branch that ends at the last entry. Parents stand before their children.
pub(crate) fn events(lines: &[Value]) -> Vec<Event> {
    let id = lines[0]["id"].as_str().expect("a header");
    let mut window = format!("pcw:{}:root", id.chars().take(8).collect::<String>());
    let entries = numbered(&lines[1..]);
    let mut path = Vec::new();
    let mut next = entries.last().map(|(_, entry)| entry["id"].clone());
    while let Some(id) = next.filter(|id| !id.is_null()) {
        let (seq, entry) = entries.iter().find(|(_, entry)| entry["id"] == id).expect("parents exist");
        path.push((*seq, *entry));
        next = Some(entry["parentId"].clone());
    }
    path.reverse();

    let results: Vec<(u64, &Value)> =
        path.iter().filter(|(_, entry)| entry["message"]["role"] == "toolResult").copied().collect();
    let mut taken = HashSet::new();
    let mut events = Vec::new();
    for &(seq, entry) in &path {
        let message = &entry["message"];
        let mut add = |seq, role, tool: Option<&str>, text| {
            let (window, tool) = (window.clone(), tool.map(str::to_owned));
            events.push(Event { seq, window, role, tool, text });
        };
        match (entry["type"].as_str().expect("a type"), message["role"].as_str()) {
            ("message", Some("user")) => add(seq, Role::User, None, content(&message["content"])),
            ("message", Some("custom")) | ("custom_message", _) => {
                let holder = if message.is_null() { entry } else { message };
                add(seq, Role::Context, None, content(&holder["content"]));
            }
            ("compaction" | "branch_summary", _) => {
                add(seq, Role::Context, None, entry["summary"].as_str().unwrap_or_default().to_owned());
            }
            ("message", Some("assistant")) => {
                add(seq, Role::Assistant, None, content(&message["content"]));
                for (call, seq) in calls(message).zip(seq + 1..) {
                    let name = call["name"].as_str().unwrap_or("unknown");
                    let mut text = format!("{name} {}", call["arguments"]);
                    let first = results.iter().find(|(_, result)| result["message"]["toolCallId"] == call["id"]);
                    if let Some((at, result)) = first.filter(|(at, _)| *at > seq && !taken.contains(at)) {
                        taken.insert(*at);
                        text += &format!("\n--- output ---\n{}", content(&result["message"]["content"]));
                    }
                    add(seq, Role::Tool, Some(name), text);
                }
            }
            ("message", Some("toolResult")) => {
                let name = message["toolName"].as_str().unwrap_or("unknown");
                let text = format!("{name} {{}}\n--- output ---\n{}", content(&message["content"]));
                add(seq, Role::Tool, Some(name), text);
            }
            ("message", Some("bashExecution")) => {
                let command = &message["command"];
                let output = if message["excludeFromContext"] == true {
                    "[output withheld: the user excluded it from the context]"
                } else {
                    message["output"].as_str().unwrap_or_default()
                };
                let text = format!("bash {{\"command\":{command}}}\n--- output ---\n{output}");
                add(seq, Role::Tool, Some("bash"), text);
            }
            ("custom", _) if entry["customType"] == "pi-context/reset-marker" => {
                window = entry["data"]["windowId"].as_str().expect("markers are valid").to_owned();
            }
            _ => {}
        }
    }
    events.retain(|event| !taken.contains(&event.seq));
    events
}

/// How many seqs an entry takes.
pub(crate) fn seqs(entry: &Value) -> u64 {
    let message = &entry["message"];
    match (entry["type"].as_str(), message["role"].as_str()) {
        (Some("message"), Some("assistant")) => 1 + calls(message).count() as u64,
        (Some("message"), Some(role)) => {
            let counted =
                ["user", "toolResult", "bashExecution", "custom", "compactionSummary", "branchSummary"].contains(&role);
            u64::from(counted)
        }
        (Some("compaction" | "branch_summary" | "custom_message"), _) => 1,
        _ => 0,
    }
}

/// What a selection shows of the events, without its limit.
pub(crate) fn visible<'e>(events: &'e [Event], selection: &Selection, conversation: bool) -> Vec<&'e Event> {
    let shown = |event: &&Event| match selection.roles {
        Some(roles) => roles.contains(event.role),
        None if conversation => matches!(event.role, Role::User | Role::Assistant) && !event.text.is_empty(),
        None => true,
    };
    events.iter().filter(|event| in_bounds(event, selection)).filter(shown).collect()
}

/// What a listing without roles folds away within the bounds: count and tools.
pub(crate) fn folded(events: &[Event], selection: &Selection) -> (u64, Vec<String>) {
    let foldable = |event: &&Event| matches!(event.role, Role::Tool | Role::Context);
    let folded: Vec<&Event> = events.iter().filter(|event| in_bounds(event, selection)).filter(foldable).collect();
    let mut tools: Vec<String> = folded.iter().filter_map(|event| event.tool.clone()).collect();
    tools.sort();
    (folded.len() as u64, tools)
}

/// The same of fold rows.
pub(crate) fn unfolded<'f>(folds: impl Iterator<Item = &'f Fold>) -> (u64, Vec<String>) {
    let (mut count, mut tools) = (0, Vec::new());
    for fold in folds {
        count += fold.count;
        for (name, times) in &fold.tools {
            tools.extend((0..*times).map(|_| name.clone()));
        }
    }
    tools.sort();
    (count, tools)
}

/// Where any of the queries stands in a text, in code points, if its spelling is composed.
pub(crate) fn position(text: &str, queries: &[String]) -> Option<usize> {
    let spellings = queries.iter().flat_map(|query| [query.clone(), query.nfc().collect()]);
    let found = spellings.filter_map(|query| {
        let regex = RegexBuilder::new(&regex::escape(&query)).case_insensitive(true).build().expect("a literal");
        regex.find(text).map(|found| found.start())
    });
    found.min().map(|at| text[..at].chars().count())
}

fn in_bounds(event: &Event, selection: &Selection) -> bool {
    selection.after.is_none_or(|after| event.seq > after)
        && selection.before.is_none_or(|before| event.seq < before)
        && selection.window.as_ref().is_none_or(|window| event.window == *window)
}

fn numbered(entries: &[Value]) -> Vec<(u64, &Value)> {
    let mut next = 1;
    let number = |entry| {
        let seq = next;
        next += seqs(entry);
        (seq, entry)
    };
    entries.iter().map(number).collect()
}

fn calls(message: &Value) -> impl Iterator<Item = &Value> {
    message["content"].as_array().into_iter().flatten().filter(|part| part["type"] == "toolCall")
}

fn content(content: &Value) -> String {
    if let Some(text) = content.as_str() {
        return text.to_owned();
    }
    let parts = content.as_array().into_iter().flatten().filter(|part| part["type"] == "text");
    parts.filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n")
}
