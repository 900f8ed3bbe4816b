//! A tool call: which note or which part of the history, and what is about to happen to it.

use serde::Deserialize;
use serde_json::Value;

use super::lines::{Line, Screen, Segment, plain, title};

/// Lines of a note's new body that are shown before a person expands.
const PREVIEW: usize = 8;

/// A call to draw. Its arguments may still be arriving, so any of them may be missing or incomplete.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CallView {
    /// The tool's name.
    pub tool: String,
    /// The arguments so far.
    #[serde(default)]
    pub args: Value,
    /// Whether the person asked for all of it.
    pub expanded: bool,
    /// The key that expands.
    pub expand_key: String,
    /// Cells of a line.
    pub width: usize,
}

/// The lines for a call.
pub fn render_call(view: &CallView) -> Vec<Line> {
    let screen = Screen { width: view.width, expanded: view.expanded, expand_key: &view.expand_key };
    let args = &view.args;
    let mut head = vec![title(&view.tool)];
    head.extend(subject(args));
    let remarks = remarks(args);
    if !remarks.is_empty() {
        head.push(plain(&format!(" {}", remarks.join(", ")), "muted"));
    }
    let mut lines = vec![screen.cut(head)];
    if let Some(content) = args["content"].as_str() {
        lines.extend(screen.block(content.lines().map(|line| (line, "toolOutput")), PREVIEW, "line"));
    }
    lines
}

/// What the call is about: an address, a seq, a query, a pattern.
fn subject(args: &Value) -> Vec<Segment> {
    let mut parts = Vec::new();
    if let Some(address) = args["address"].as_str() {
        parts.push(plain(&format!(" {address}"), "accent"));
    }
    if let Some(seq) = args["seq"].as_u64() {
        parts.push(plain(&format!(" {seq}"), "accent"));
    }
    let queries: Vec<String> = match &args["query"] {
        Value::String(one) => vec![format!("\"{one}\"")],
        Value::Array(many) => many.iter().filter_map(Value::as_str).map(|one| format!("\"{one}\"")).collect(),
        _ => Vec::new(),
    };
    if !queries.is_empty() {
        parts.push(plain(&format!(" {}", queries.join(" or ")), "accent"));
    }
    if let Some(pattern) = args["pattern"].as_str() {
        let word = if queries.is_empty() { "" } else { " in" };
        parts.push(plain(word, "muted"));
        parts.push(plain(&format!(" {pattern}"), "accent"));
    }
    parts
}

/// What else a person may want to know of the arguments.
fn remarks(args: &Value) -> Vec<String> {
    let mut remarks = Vec::new();
    if let Some(edits) = args["edits"].as_array() {
        remarks.push(format!("{} edit{}", edits.len(), if edits.len() == 1 { "" } else { "s" }));
    }
    match args["crumpled"].as_bool() {
        Some(true) => remarks.push("into the wastebasket".to_owned()),
        Some(false) => remarks.push("out of the wastebasket".to_owned()),
        None => {}
    }
    if args["replace_all"] == true {
        remarks.push("every occurrence".to_owned());
    }
    if let Some(origin) = args["origin"].as_str() {
        remarks.push(format!("origin {origin}"));
    }
    if let Some(offset) = args["offset_chars"].as_i64() {
        remarks.push(format!("from {offset}"));
    }
    if args["wastebasket"] == true {
        remarks.push("wastebasket".to_owned());
    }
    remarks.extend(history_remarks(args));
    remarks
}

/// Which part of which history.
fn history_remarks(args: &Value) -> Vec<String> {
    let mut remarks = Vec::new();
    if let Some(roles) = args["roles"].as_array() {
        remarks.push(roles.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" and "));
    }
    for key in ["after", "before"] {
        if let Some(seq) = args[key].as_u64() {
            remarks.push(format!("{key} {seq}"));
        }
    }
    if let Some(window) = args["window_id"].as_str() {
        remarks.push(format!("window {window}"));
    }
    if let Some(session) = args["session_id"].as_str() {
        remarks.push(format!("session {session}"));
    }
    if args["scope"] == "project" {
        remarks.push("whole project".to_owned());
    }
    remarks
}
