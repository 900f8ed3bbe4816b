//! The answer of `history_windows`: the newest windows that fit.

use palimpsest_history::Window;
use serde::Serialize;

use super::{Delivery, fits, is_zero, largest};

/// The windows of a session, oldest first.
#[derive(Debug, Clone, Serialize)]
pub struct WindowPage<'a> {
    session_id: &'a str,
    windows: Vec<WindowRow<'a>>,
    #[serde(skip_serializing_if = "is_zero")]
    more: usize,
}

#[derive(Debug, Clone, Serialize)]
struct WindowRow<'a> {
    window_id: &'a str,
    created_at: Option<&'a str>,
    first_seq: Option<u64>,
    last_seq: Option<u64>,
    item_count: u64,
}

impl<'a> WindowPage<'a> {
    /// The newest of these windows that fit, and a count of the rest; `output_too_large` where none does.
    pub fn deliver(session_id: &'a str, windows: &'a [Window]) -> Delivery {
        let newest = |count: usize| {
            let more = windows.len() - count;
            WindowPage { session_id, windows: windows[more..].iter().map(row).collect(), more }
        };
        // Without a single window there is no answer, so none that fits counts as one that does not.
        let count = largest(windows.len(), |count| fits(&newest(count))).unwrap_or(0).max(1);
        Delivery::json(&newest(count.min(windows.len())))
    }
}

fn row(window: &Window) -> WindowRow<'_> {
    WindowRow {
        window_id: &window.id,
        created_at: window.created_at.as_deref(),
        first_seq: window.first_seq,
        last_seq: window.last_seq,
        item_count: window.items,
    }
}
