//! One record of a session, reduced to what windows ask about.

use alloc::string::String;

/// One record of a session's branch.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The record's id.
    pub id: String,
    /// When it was written, in milliseconds since 1970.
    pub at: i64,
    /// What it is.
    pub kind: EntryKind,
}

/// What a record is.
#[derive(Debug, Clone, PartialEq)]
pub enum EntryKind {
    /// A message of the user.
    User,
    /// A message of the model.
    Assistant {
        /// It calls tools.
        calls: bool,
        /// It holds text.
        text: bool,
        /// How it ended.
        stop: Stop,
        /// What it cost.
        usage: TokenUsage,
    },
    /// The result of a tool call.
    ToolResult {
        /// The tool's name.
        tool: String,
        /// The result is an error.
        failed: bool,
    },
    /// A message of any other role.
    OtherMessage,
    /// A message that an extension wrote.
    CustomMessage {
        /// Its type.
        tag: String,
        /// People see it.
        display: bool,
        /// `details.windowId`, where `details` is an object and that a string.
        window_id: Option<String>,
    },
    /// An extension's record that no model sees.
    Custom {
        /// Its type.
        tag: String,
        /// `data.windowId`, where `data` is an object and that a string.
        window_id: Option<String>,
    },
    /// The host cut the branch here.
    Compaction(Compaction),
    /// The summary of a branch that was left.
    BranchSummary,
    /// Every other record, of unknown types too.
    Metadata,
}

/// A place where the host cut the branch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Compaction {
    /// Its summary is the empty string.
    pub empty: bool,
    /// The first entry that it keeps is itself.
    pub keeps_itself: bool,
    /// `details.by`, where it is a string.
    pub by: Option<String>,
    /// `details.windowId`, where it is a string.
    pub window_id: Option<String>,
    /// `details.cause`, where it is a string.
    pub cause: Option<String>,
    /// `details.data` as JSON, where it is there.
    pub data: Option<String>,
}

/// How a message of the model ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// It was complete.
    Stop,
    /// It reached a limit of length.
    Length,
    /// It asked for tools.
    ToolUse,
    /// It was aborted.
    Aborted,
    /// It failed.
    Error,
    /// Anything else.
    Other,
}

impl Stop {
    /// The reason as Pi names it.
    pub fn parse(text: &str) -> Stop {
        match text {
            "stop" => Stop::Stop,
            "length" => Stop::Length,
            "toolUse" => Stop::ToolUse,
            "aborted" => Stop::Aborted,
            "error" => Stop::Error,
            _ => Stop::Other,
        }
    }

    /// Whether what the message cost says nothing.
    pub(crate) fn is_failure(self) -> bool {
        matches!(self, Stop::Aborted | Stop::Error)
    }
}

/// Tokens of one answer, as the provider reported them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TokenUsage {
    /// Sent, and read by the model anew.
    pub input: u64,
    /// Answered.
    pub output: u64,
    /// Sent, and read from the provider's cache.
    pub cache_read: u64,
    /// Sent, and written to the provider's cache.
    pub cache_write: u64,
    /// The provider's own sum; 0 where it gave none.
    pub reported_total: u64,
}

impl TokenUsage {
    /// The provider's sum, or ours.
    pub fn total(&self) -> u64 {
        if self.reported_total > 0 { self.reported_total } else { self.prompt().saturating_add(self.output) }
    }

    /// What was sent.
    pub fn prompt(&self) -> u64 {
        self.input.saturating_add(self.cache_read).saturating_add(self.cache_write)
    }
}
