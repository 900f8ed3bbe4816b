//! A boot in the making: what was true when it was asked for, so that stale work is recognised.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::action::Draft;
use crate::branch::{Branch, count_written};
use crate::entry::{Entry, EntryKind};
use crate::material::Names;
use crate::vocabulary::Cause;

/// A boot that the caller collects the [`Material`](crate::Material) for. Hand it back with
/// [`Event::Built`](crate::Event::Built).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Build {
    pub(crate) purpose: Purpose,
    pub(crate) session: String,
    pub(crate) first: String,
    pub(crate) window: String,
    pub(crate) previous: Option<String>,
    pub(crate) names: Names,
    pub(crate) generation: u64,
    pub(crate) ended: Option<Ended>,
    pub(crate) wanted: Option<Wanted>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// A reset of the window `old`, with the drafts that stand before it.
    Reset { old: String, cause: Cause, proceed: bool, kept: Vec<Draft> },
    /// The window of a checkpoint was never opened; the checkpoint's entry.
    Complete { checkpoint: String },
    /// The window does not show its boot.
    Ensure,
}

/// What the caller is asked to hand on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// Why the window ended; unknown where its checkpoint does not say.
    pub cause: Option<Cause>,
    /// How long it may take.
    pub deadline: Deadline,
    /// What the checkpoint keeps for the caller, as JSON, where the wipe happened earlier.
    pub data: Option<String>,
}

/// How long collecting may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deadline {
    /// The caller may ask a model, within its own limit, ended with the run.
    Open,
    /// Only what is at hand.
    Now,
}

/// The window that ended just before the one that a boot is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// Its id.
    pub window: String,
    /// When it began, in milliseconds since 1970.
    pub started_at: i64,
    /// The model wrote or edited a note in it, with success.
    pub wrote_note: bool,
    /// The id of its first message's entry.
    pub first: Option<String>,
    /// The id of its last message's entry.
    pub last: Option<String>,
}

impl Build {
    /// The window that the boot is for.
    pub fn window(&self) -> &str {
        &self.window
    }

    /// The window before it; none for a root window.
    pub fn previous(&self) -> Option<&str> {
        self.previous.as_deref()
    }

    /// Who works there.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// Whether a boundary of the host waits for it.
    pub fn is_boundary(&self) -> bool {
        matches!(self.purpose, Purpose::Reset { .. })
    }

    /// What to hand on; nothing where the boot does not directly follow a wipe.
    pub fn wanted(&self) -> Option<&Wanted> {
        self.wanted.as_ref()
    }

    /// The window that ended; only where something is wanted.
    pub fn ended(&self) -> Option<&Ended> {
        self.ended.as_ref()
    }
}

impl Ended {
    /// The window with this number, as one that ended.
    pub(crate) fn of(branch: &Branch, ordinal: usize) -> Ended {
        let entries = &branch.entries()[branch.range(ordinal)];
        let id = |entry: &Entry| entry.id.to_string();
        Ended {
            window: branch.windows().nth(ordinal - 1).unwrap_or(branch.root_id()).to_string(),
            started_at: branch.started_at(ordinal),
            wrote_note: count_written(entries) > 0,
            first: entries.iter().find(|entry| is_message(entry)).map(id),
            last: entries.iter().rfind(|entry| is_message(entry)).map(id),
        }
    }
}

fn is_message(entry: &Entry) -> bool {
    match entry.kind {
        EntryKind::User | EntryKind::Assistant { .. } | EntryKind::ToolResult { .. } | EntryKind::OtherMessage => true,
        EntryKind::CustomMessage { .. }
        | EntryKind::Custom { .. }
        | EntryKind::Compaction(_)
        | EntryKind::BranchSummary
        | EntryKind::Metadata => false,
    }
}
