//! The one error type of the crate. Every operation documents which of its codes it raises.

use std::io;
use std::path::PathBuf;

/// How many windows a message spells out; the variant holds all of them.
const WINDOWS_IN_MESSAGE: usize = 5;

/// Why a question about a session cannot be answered.
///
/// [`code`](HistoryError::code) gives the stable name that programs branch on; the message is for people and models.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HistoryError {
    /// `io`: the file system failed.
    #[error("{}: {source}", path.display())]
    Io {
        /// The path the failing call was about.
        path: PathBuf,
        /// The failure as the operating system gave it.
        source: io::Error,
    },
    /// `changed`: the session file is no longer what was indexed.
    #[error("{} was rewritten while it was read; refresh the session and ask again", path.display())]
    Changed {
        /// The session file.
        path: PathBuf,
    },
    /// `unknown_entry`: no entry has the id that a leaf should have.
    #[error("no entry has the id {id:?}")]
    UnknownEntry {
        /// What was given.
        id: String,
    },
    /// `unknown_window_id`: the active branch has no such window.
    #[error("unknown window {window:?}; the newest of {} known: {}", known.len(), newest(known))]
    UnknownWindow {
        /// What was given.
        window: String,
        /// The ids of the branch's windows, oldest first.
        known: Vec<String>,
    },
    /// `invalid_query`: nothing to search for.
    #[error("invalid query: {0}")]
    InvalidQuery(&'static str),
    /// `unknown_seq`: no event of the session has had this seq yet.
    #[error("unknown seq {seq}; {}", legal_seqs(*highest))]
    UnknownSeq {
        /// What was given.
        seq: u64,
        /// The highest seq given so far.
        highest: u64,
    },
    /// `not_on_branch`: the seq belongs to another branch than the active one.
    #[error("seq {seq} is on another branch of the session; nothing of it can be read from here")]
    NotOnBranch {
        /// What was given.
        seq: u64,
    },
    /// `invalid_offset`: the offset lies behind the end of the event's text.
    #[error("offset {offset} is past the end: the text has {total} code points, {total} is the largest legal offset")]
    InvalidOffset {
        /// The event's seq.
        seq: u64,
        /// The event's window.
        window_id: String,
        /// What was given.
        offset: i64,
        /// Code points of the event's text.
        total: usize,
    },
}

impl HistoryError {
    /// The stable name of the failure, for example `unknown_seq`.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Io { .. } => "io",
            Self::Changed { .. } => "changed",
            Self::UnknownEntry { .. } => "unknown_entry",
            Self::UnknownWindow { .. } => "unknown_window_id",
            Self::InvalidQuery(_) => "invalid_query",
            Self::UnknownSeq { .. } => "unknown_seq",
            Self::NotOnBranch { .. } => "not_on_branch",
            Self::InvalidOffset { .. } => "invalid_offset",
        }
    }

    pub(crate) fn io(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { path, source }
    }
}

fn newest(known: &[String]) -> String {
    known[known.len().saturating_sub(WINDOWS_IN_MESSAGE)..].join(", ")
}

fn legal_seqs(highest: u64) -> String {
    match highest {
        0 => "the session has no events yet".to_owned(),
        highest => format!("legal are 1..{highest}"),
    }
}
