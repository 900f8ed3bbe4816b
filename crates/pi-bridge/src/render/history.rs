//! Results of the history tools: which part of the session, and the first line of what was found.

use serde_json::Value;

use super::lines::{Line, Screen, Segment, plain};
use super::result::{counted, left_out, names, rows};

/// Rows that are shown before a person expands.
const ROWS: usize = 10;

/// The windows of a session: id, seqs, count.
pub(super) fn windows(screen: &Screen, answer: &Value) -> Vec<Line> {
    let windows = rows(&answer["windows"]);
    let mut lines = vec![screen.cut(vec![plain(&counted(windows.len(), "window"), "muted"), left_out(answer)])];
    let shown = if screen.expanded { windows.len() } else { ROWS.min(windows.len()) };
    // The newest matter most.
    let hidden = windows.len() - shown;
    lines.extend(screen.hint(hidden, "older window"));
    for window in &windows[hidden..] {
        let items = counted(window["item_count"].as_u64().unwrap_or_default() as usize, "event");
        let id = window["window_id"].as_str().unwrap_or_default();
        lines.push(screen.cut(vec![plain(id, "accent"), plain(&format!("  {items}{}", seqs(window)), "muted")]));
    }
    lines
}

/// Events of a page or hits of a search, with the runs of events that are folded away.
pub(super) fn events(screen: &Screen, answer: &Value, unit: &str) -> Vec<Line> {
    let items = rows(&answer["items"]);
    let events = items.iter().filter(|item| item["folded"] != true).count();
    let folded: u64 =
        items.iter().filter(|item| item["folded"] == true).filter_map(|fold| fold["count"].as_u64()).sum();
    let mut says = counted(events, unit);
    if folded > 0 {
        says.push_str(&format!(", {folded} folded"));
    }
    for (key, what) in [("older_before", "older ones before"), ("newer_after", "newer ones after")] {
        if let Some(seq) = answer[key].as_u64() {
            says.push_str(&format!(", {what} {seq}"));
        }
    }
    if let Some(more @ 1..) = answer["sessions_more"].as_u64() {
        says.push_str(&format!(", more in {}", counted(more as usize, "session")));
    }
    let mut lines = vec![screen.cut(vec![plain(&says, "muted")])];
    let shown = if screen.expanded { items.len() } else { ROWS.min(items.len()) };
    lines.extend(items[..shown].iter().map(|item| screen.cut(row(item))));
    lines.extend(screen.hint(items.len() - shown, "row"));
    lines.extend(names(screen, answer, "sessions_unavailable"));
    lines
}

fn row(item: &Value) -> Vec<Segment> {
    if item["folded"] == true {
        let count = counted(item["count"].as_u64().unwrap_or_default() as usize, "event");
        return vec![plain(&format!("  … {count}{}", seqs(item)), "muted")];
    }
    let text = |key: &str| item[key].as_str().unwrap_or_default();
    let who = if text("tool").is_empty() { text("role") } else { text("tool") };
    let session = text("session_id").get(..8).unwrap_or_default();
    let color = if item["tool_status"] == "error" { "error" } else { "toolOutput" };
    let first = text("content").lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    vec![
        plain(&format!("{session}{}{} ", if session.is_empty() { "" } else { " " }, item["seq"]), "muted"),
        plain(&format!("{who}: "), "accent"),
        plain(first, color),
    ]
}

/// The range that a window or a fold covers.
fn seqs(range: &Value) -> String {
    match (range["first_seq"].as_u64(), range["last_seq"].as_u64()) {
        (Some(first), Some(last)) if first == last => format!(", {first}"),
        (Some(first), Some(last)) => format!(", {first}–{last}"),
        _ => String::new(),
    }
}
