//! The one error type of the crate. Every operation documents which of its codes it raises.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crate::origin::Origin;

/// How many line numbers a message spells out; [`NoteError::line_numbers`] always holds all of them.
const LINES_IN_MESSAGE: usize = 20;

/// Why an operation was refused or failed. A failed operation has changed no note, with one exception: if the last step
/// of a write or edit fails with `io`, which is to make the file's new name durable, the new text is there, and a crash of
/// the machine may bring back the old one. New folders may stay behind.
///
/// [`code`](NoteError::code) gives the stable name that programs branch on; the message is for people and models.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NoteError {
    /// `not_found`: the note to edit does not exist.
    #[error("note not found: {address}")]
    NotFound {
        /// The address as rendered for this store.
        address: String,
    },
    /// `ambiguous_edit`: an edit's old text stands in several places and `replace_all` was not asked for.
    #[error("{}", ambiguous_message(*edit_index, line_numbers))]
    AmbiguousEdit {
        /// 0-based index of the edit in its batch.
        edit_index: usize,
        /// 1-based start lines of all matches in the body that the edit met.
        line_numbers: Vec<usize>,
    },
    /// `no_match`: an edit's old text is empty or stands nowhere in the body.
    #[error("edit {edit_index}: {reason}")]
    NoMatch {
        /// 0-based index of the edit in its batch.
        edit_index: usize,
        /// Which of the causes it was.
        reason: NoMatchReason,
    },
    /// `nothing_to_do`: an edit call with no edits and no setter.
    #[error("nothing to do: give at least one edit, or set origin or crumpled")]
    NothingToDo,
    /// `too_large`: the path of the address or the serialized note is over its cap, or a batch of edits makes the body
    /// a hundred times larger than that on the way.
    #[error("{what} is too large: {actual} bytes, the limit is {limit} bytes")]
    TooLarge {
        /// What was measured.
        what: &'static str,
        /// The cap in UTF-8 bytes.
        limit: usize,
        /// The actual size in UTF-8 bytes.
        actual: usize,
    },
    /// `invalid_scope`: a write to a home of somebody else, or a query whose scope and names do not go together.
    #[error("{0}")]
    InvalidScope(String),
    /// `invalid_origin`: not one of the three origins.
    #[error("invalid origin {given:?}: use {}, {} or {}", Origin::User, Origin::SelfMade, Origin::External)]
    InvalidOrigin {
        /// What was given.
        given: String,
    },
    /// `invalid_address`: the text is no address of a note.
    #[error(
        "invalid address {given:?}: {reason}; legal prefixes are @project/, @human/, @self/, @model/, \
         bare names belong to this session"
    )]
    InvalidAddress {
        /// What was given.
        given: String,
        /// Which rule it breaks.
        reason: &'static str,
    },
    /// `invalid_pattern`: the text is no pattern.
    #[error("invalid pattern {given:?}: {reason}")]
    InvalidPattern {
        /// What was given.
        given: String,
        /// Which rule it breaks.
        reason: &'static str,
    },
    /// `invalid_identity`: a field of the identity breaks its rule.
    #[error("invalid identity: {field} {reason}, got {given:?}")]
    InvalidIdentity {
        /// The offending field: `home`, `sessionId`, `projectKey`, `agent` or `model`; `slug` where a [`Slug`](crate::Slug) was
        /// parsed on its own.
        field: &'static str,
        /// Which rule it breaks.
        reason: &'static str,
        /// What was given.
        given: String,
    },
    /// `outside_home`: the path of the note leads through a link out of the root.
    #[error("{address} leads through a link out of the notes home; write to a note that lies inside it")]
    OutsideHome {
        /// The address as rendered for this store.
        address: String,
    },
    /// `not_utf8`: the note's bytes are not UTF-8, so an edit could damage it.
    #[error("{address} is not UTF-8 text and cannot be edited; write it anew to replace it")]
    NotUtf8 {
        /// The address as rendered for this store.
        address: String,
    },
    /// `busy`: another process held the store's lock for the whole wait.
    #[error("the notes are busy: {} was held for {} ms; nothing was changed, try again", lock.display(), waited.as_millis())]
    Busy {
        /// The lock file.
        lock: PathBuf,
        /// How long was waited.
        waited: Duration,
    },
    /// `io`: the file system failed.
    #[error("{}: {source}", path.display())]
    Io {
        /// The path the failing call was about.
        path: PathBuf,
        /// The failure; its kind and code are the operating system's.
        source: io::Error,
    },
}

/// Why an edit matched nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoMatchReason {
    /// The old text is empty.
    #[error("oldText is empty")]
    EmptyOldText,
    /// The old text occurs nowhere in the body.
    #[error("oldText does not occur in the note's body")]
    ZeroMatches,
}

impl NoteError {
    /// The stable name of the failure, for example `ambiguous_edit`.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotFound { .. } => "not_found",
            Self::AmbiguousEdit { .. } => "ambiguous_edit",
            Self::NoMatch { .. } => "no_match",
            Self::NothingToDo => "nothing_to_do",
            Self::TooLarge { .. } => "too_large",
            Self::InvalidScope(_) => "invalid_scope",
            Self::InvalidOrigin { .. } => "invalid_origin",
            Self::InvalidAddress { .. } => "invalid_address",
            Self::InvalidPattern { .. } => "invalid_pattern",
            Self::InvalidIdentity { .. } => "invalid_identity",
            Self::OutsideHome { .. } => "outside_home",
            Self::NotUtf8 { .. } => "not_utf8",
            Self::Busy { .. } => "busy",
            Self::Io { .. } => "io",
        }
    }

    /// The 1-based start lines of every match of an ambiguous edit; empty for any other failure.
    pub fn line_numbers(&self) -> &[usize] {
        match self {
            Self::AmbiguousEdit { line_numbers, .. } => line_numbers,
            _ => &[],
        }
    }

    /// The 0-based index of the edit that failed, where one did.
    pub fn edit_index(&self) -> Option<usize> {
        match self {
            Self::AmbiguousEdit { edit_index, .. } | Self::NoMatch { edit_index, .. } => Some(*edit_index),
            _ => None,
        }
    }

    pub(crate) fn io(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { path, source }
    }
}

fn ambiguous_message(edit_index: usize, lines: &[usize]) -> String {
    let shown = lines.iter().take(LINES_IN_MESSAGE).map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let rest = match lines.len().saturating_sub(LINES_IN_MESSAGE) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!(
        "edit {edit_index}: oldText occurs {} times (lines {shown}{rest}); give more of the surrounding text, or set replace_all",
        lines.len()
    )
}
