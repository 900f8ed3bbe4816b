//! What the machine asks its caller to do.

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::build::Build;
use crate::entry::{Compaction, Entry, EntryKind};
use crate::notices::Notice;
use crate::projection::Projection;
use crate::vocabulary::{CHECKPOINT_AUTHOR, Cause, MARKER_TAG, Tag};

/// One thing to carry out. A list is carried out in order, within the handler that got it, nothing awaited in between.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Tell a person.
    Notify(Notice),
    /// Answer the start of a run with this hidden message.
    Inject(Draft),
    /// Answer a request to the model.
    Request(Projection),
    /// Abort the run.
    Abort,
    /// Answer a boundary.
    Boundary(Boundary),
    /// Collect material, then hand both back.
    Build(Box<Build>),
    /// Append this to the session now, starting no run.
    Append(Draft),
    /// Send this message and start a run with it.
    SendAndRun(Draft),
    /// Wait until the host is idle, then hand this back.
    WaitIdle(Wait),
    /// Answer a tool call.
    Reply(ToolReply),
    /// Cancel the host's compaction.
    CancelCompaction,
    /// Answer the host's question for a branch summary with an empty one.
    SkipSummary,
    /// Listen to settlements from now on, or no longer.
    ListenSettle(bool),
    /// Drop the settings' values; read them again when they are asked for.
    ForgetSettings,
    /// Show a person the state of windows: [`View::status`](crate::View::status), as information.
    Status,
    /// Keep this for the case that the machine cannot answer.
    Keep(Closed),
}

/// The answer to a boundary: entries that other extensions proposed come first, and are kept whatever happens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Boundary {
    /// What to append behind them.
    pub drafts: Vec<Draft>,
    /// Whether one more request follows; none: the decision of the others stands.
    pub proceed: Option<bool>,
}

/// An entry to append.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Draft {
    /// The host's cut: an empty compaction that keeps nothing before it.
    Checkpoint {
        /// `details.windowId`: the window that it opens.
        window_id: String,
        /// `details.cause`.
        cause: Cause,
        /// `details.data`, as JSON; left out where there is none.
        data: Option<String>,
        /// `usage`, as JSON; left out where there is none.
        usage: Option<String>,
    },
    /// A custom entry of [`MARKER_TAG`](crate::MARKER_TAG) that opens a window.
    Marker {
        /// `data.windowId`, and nothing else.
        window_id: String,
    },
    /// A custom message that people do not see.
    Message {
        /// Its type.
        tag: Tag,
        /// What the model reads.
        content: String,
        /// `details.windowId`; without it there are no details.
        window_id: Option<String>,
    },
}

impl Draft {
    /// The entry that the session holds once the draft is appended under this id, at this time in milliseconds since 1970.
    pub fn to_entry(&self, id: &str, at: i64) -> Entry {
        let kind = match self {
            Draft::Checkpoint { window_id, cause, data, usage: _ } => EntryKind::Compaction(Compaction {
                empty: true,
                keeps_itself: true,
                by: Some(CHECKPOINT_AUTHOR.to_string()),
                window_id: Some(window_id.clone()),
                cause: Some(cause.as_str().to_string()),
                data: data.clone(),
            }),
            Draft::Marker { window_id } => {
                EntryKind::Custom { tag: MARKER_TAG.to_string(), window_id: Some(window_id.clone()) }
            }
            Draft::Message { tag, content: _, window_id } => {
                EntryKind::CustomMessage { tag: tag.as_str().to_string(), display: false, window_id: window_id.clone() }
            }
        };
        Entry { id: id.to_string(), at, kind }
    }
}

/// The result of a tool call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolReply {
    /// The result: JSON, two blanks an indent.
    pub json: String,
    /// The result is an error.
    pub failed: bool,
    /// The run ends with this batch of calls.
    pub terminate: bool,
}

/// A command that waits until the host is idle. Hand it back with [`Event::Idle`](crate::Event::Idle).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wait {
    pub(crate) window: String,
    pub(crate) generation: u64,
}

/// What a caller needs to know to answer safely without the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Closed {
    /// The host's compaction is cancelled.
    pub cancel_compaction: bool,
    /// The window is not the root window: what stands before it must not be sent.
    pub reset_window: bool,
}
