//! The entries of the live session as the host hands them over, and the branch that they make.

use palimpsest_window::{Branch, Compaction, Entry, EntryKind, Stop, TokenUsage};
use serde::Deserialize;

/// A stretch of the active branch, in order, root first.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Stretch {
    /// The session's id.
    pub(super) session: String,
    /// When the session began, in milliseconds since 1970.
    pub(super) started_at: Option<f64>,
    /// The entry behind which the stretch begins; nothing where it begins at the root.
    pub(super) after: Option<String>,
    pub(super) entries: Vec<EntryValue>,
}

#[derive(Debug, Deserialize)]
pub(super) struct EntryValue {
    id: String,
    /// Not a number where the session holds no time.
    at: Option<f64>,
    kind: KindValue,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
enum KindValue {
    User,
    Assistant { calls: bool, text: bool, stop: String, usage: UsageValue },
    ToolResult { tool: String, failed: bool },
    OtherMessage,
    CustomMessage { tag: String, display: bool, window_id: Option<String> },
    Custom { tag: String, window_id: Option<String> },
    Compaction(CompactionValue),
    BranchSummary,
    Metadata,
}

/// What an answer cost, as the host stores it.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct UsageValue {
    input: f64,
    output: f64,
    cache_read: f64,
    cache_write: f64,
    total_tokens: f64,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct CompactionValue {
    empty: bool,
    keeps_itself: bool,
    by: Option<String>,
    window_id: Option<String>,
    cause: Option<String>,
    data: Option<String>,
}

impl Stretch {
    /// Brings a branch up to date; one that the stretch does not continue is made anew.
    pub(super) fn continue_or_replace(self, branch: &mut Option<Branch>) {
        let known = branch.take().filter(|known| known.session() == self.session);
        let continued = known.filter(|known| self.after.is_some() && leaf(known) == self.after.as_deref());
        let started_at = self.started_at.map_or(0, |at| at as i64);
        let branch = branch.insert(continued.unwrap_or_else(|| Branch::new(&self.session, started_at)));
        for entry in self.entries {
            branch.push(entry.into());
        }
    }
}

/// The id of a branch's last entry.
pub(super) fn leaf(branch: &Branch) -> Option<&str> {
    branch.entries().last().map(|entry| entry.id.as_str())
}

impl From<EntryValue> for Entry {
    fn from(EntryValue { id, at, kind }: EntryValue) -> Entry {
        let kind = match kind {
            KindValue::User => EntryKind::User,
            KindValue::Assistant { calls, text, stop, usage } => {
                EntryKind::Assistant { calls, text, stop: Stop::parse(&stop), usage: usage.into() }
            }
            KindValue::ToolResult { tool, failed } => EntryKind::ToolResult { tool, failed },
            KindValue::OtherMessage => EntryKind::OtherMessage,
            KindValue::CustomMessage { tag, display, window_id } => {
                EntryKind::CustomMessage { tag, display, window_id }
            }
            KindValue::Custom { tag, window_id } => EntryKind::Custom { tag, window_id },
            KindValue::Compaction(CompactionValue { empty, keeps_itself, by, window_id, cause, data }) => {
                EntryKind::Compaction(Compaction { empty, keeps_itself, by, window_id, cause, data })
            }
            KindValue::BranchSummary => EntryKind::BranchSummary,
            KindValue::Metadata => EntryKind::Metadata,
        };
        Entry { id, at: at.map_or(0, |at| at as i64), kind }
    }
}

impl From<UsageValue> for TokenUsage {
    fn from(usage: UsageValue) -> TokenUsage {
        // The host's numbers are floating point; a cast saturates.
        TokenUsage {
            input: usage.input as u64,
            output: usage.output as u64,
            cache_read: usage.cache_read as u64,
            cache_write: usage.cache_write as u64,
            reported_total: usage.total_tokens as u64,
        }
    }
}
