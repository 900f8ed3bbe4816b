//! The mark in the transcript where memory was wiped.

use serde::Deserialize;

use super::lines::{Line, Screen, plain};

/// A mark to draw.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MarkView {
    /// The window that begins here.
    pub window_id: String,
    /// Cells of a line.
    pub width: usize,
}

/// One line that runs through the transcript.
pub(crate) fn render_mark(text: &str, width: usize) -> Vec<Line> {
    let screen = Screen { width, expanded: false, expand_key: "" };
    vec![screen.cut(vec![plain("── ", "borderMuted"), plain(text, "accent"), plain(" ──", "borderMuted")])]
}
