//! A tool result: what happened to which note, what was found, not the JSON that says so.

use serde::Deserialize;
use serde_json::Value;

use super::history;
use super::lines::{Line, Screen, plain};

/// Lines of a diff, of a note and rows of a listing that are shown before a person expands.
const DIFF: usize = 24;
const CONTENT: usize = 8;
const ROWS: usize = 10;

/// A result to draw, also one that an earlier run of the program stored.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResultView {
    /// The tool's name.
    pub tool: String,
    /// What the model reads.
    pub text: String,
    /// Whether the host flagged it as an error.
    pub is_error: bool,
    /// Whether the person asked for all of it.
    pub expanded: bool,
    /// The key that expands.
    pub expand_key: String,
    /// Cells of a line.
    pub width: usize,
}

/// The lines for a result.
pub fn render_result(view: &ResultView) -> Vec<Line> {
    let screen = Screen { width: view.width, expanded: view.expanded, expand_key: &view.expand_key };
    let answer: Value = serde_json::from_str(&view.text).unwrap_or_default();
    if view.is_error {
        // What the host itself refuses is no error object.
        return screen.wrapped(answer["error"].as_str().unwrap_or(&view.text), "error");
    }
    match view.tool.as_str() {
        "notes_write" => vec![screen.cut(vec![plain("saved", "success")])],
        "notes_edit" => edited(&screen, &answer),
        "notes_read" | "history_read" => window(&screen, &view.text),
        "notes_list" => listed(&screen, &answer),
        "notes_search" => found(&screen, &answer),
        "history_windows" => history::windows(&screen, &answer),
        "history_list" => history::events(&screen, &answer, "event"),
        "history_search" => history::events(&screen, &answer, "hit"),
        _ => screen.block(view.text.lines().map(|line| (line, "toolOutput")), CONTENT, "line"),
    }
}

fn edited(screen: &Screen, answer: &Value) -> Vec<Line> {
    let diff = answer["diff"].as_str().unwrap_or_default();
    if diff.is_empty() {
        return vec![screen.cut(vec![plain("nothing changed", "muted")])];
    }
    let colored = diff.split('\n').map(|line| match line.as_bytes().first() {
        Some(b'-') => (line, "toolDiffRemoved"),
        Some(b'+') => (line, "toolDiffAdded"),
        _ => (line, "toolDiffContext"),
    });
    let mut lines = screen.block(colored, DIFF, "line");
    if answer["diff_truncated"] == true {
        lines.push(screen.cut(vec![plain("… the rest of the diff was too long to keep", "muted")]));
    }
    lines
}

fn window(screen: &Screen, text: &str) -> Vec<Line> {
    let (header, content) = text.split_once("\n\n").unwrap_or((text, ""));
    let field = |name: &str| header.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
    let mut says = format!("characters {}", field("chars: "));
    let next = field("next_offset_chars: ");
    if next != "null" {
        says.push_str(&format!(", goes on at {next}"));
    }
    // At a glance a person wants the text, not the metadata above it.
    let body = content.strip_prefix("---\n").and_then(|block| block.split_once("\n---\n")).map(|(_, body)| body);
    let content = body.filter(|_| !screen.expanded).map_or(content, |body| body.trim_start_matches('\n'));
    let mut lines = vec![screen.cut(vec![plain(&says, "muted")])];
    lines.extend(screen.block(content.lines().map(|line| (line, "toolOutput")), CONTENT, "line"));
    lines
}

fn listed(screen: &Screen, answer: &Value) -> Vec<Line> {
    let files = rows(&answer["files"]);
    let mut lines = vec![screen.cut(vec![plain(&counted(files.len(), "note"), "muted"), left_out(answer)])];
    let shown = if screen.expanded { files.len() } else { ROWS.min(files.len()) };
    for file in &files[..shown] {
        let time = file["updated_at"].as_str().unwrap_or_default().replace('T', " ");
        let time = time.get(..16).unwrap_or(&time);
        lines.push(screen.cut(vec![plain(&format!("{time}  "), "muted"), address(file)]));
    }
    lines.extend(screen.hint(files.len() - shown, "note"));
    lines.extend(names(screen, answer, "homes_unavailable"));
    lines
}

fn found(screen: &Screen, answer: &Value) -> Vec<Line> {
    let files = rows(&answer["files"]);
    let matches: u64 = files.iter().filter_map(|file| file["matches_total"].as_u64()).sum();
    let matching = format!("{} in {}", counted(matches as usize, "matching line"), counted(files.len(), "note"));
    let mut lines = vec![screen.cut(vec![plain(&matching, "muted"), left_out(answer)])];
    let mut body = Vec::new();
    for file in files {
        body.push(screen.cut(vec![address(file)]));
        for hit in rows(&file["matches"]) {
            let text = hit["text"].as_str().unwrap_or_default();
            body.push(screen.cut(vec![plain(&format!("  {}: ", hit["line"]), "muted"), plain(text, "toolOutput")]));
        }
    }
    let hidden = if screen.expanded { 0 } else { body.len().saturating_sub(ROWS) };
    body.truncate(body.len() - hidden);
    lines.append(&mut body);
    lines.extend(screen.hint(hidden, "line"));
    lines.extend(names(screen, answer, "homes_unavailable"));
    lines
}

pub(super) fn rows(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn address(file: &Value) -> super::Segment {
    plain(file["address"].as_str().unwrap_or_default(), "accent")
}

pub(super) fn counted(count: usize, unit: &str) -> String {
    format!("{count} {unit}{}", if count == 1 { "" } else { "s" })
}

pub(super) fn left_out(answer: &Value) -> super::Segment {
    match answer["more"].as_u64() {
        Some(more) if more > 0 => plain(&format!(", {more} more not listed"), "muted"),
        _ => plain("", "muted"),
    }
}

/// What could not be read, under a key and with the count that goes with it.
pub(super) fn names(screen: &Screen, answer: &Value, key: &str) -> Vec<Line> {
    let names: Vec<&str> = rows(&answer[key]).iter().filter_map(Value::as_str).collect();
    let rest = answer[format!("{key}_more")].as_u64().map_or(String::new(), |more| format!(" and {more} more"));
    let says = format!("could not be read: {}{rest}", names.join(", "));
    if names.is_empty() { Vec::new() } else { screen.wrapped(&says, "warning") }
}
