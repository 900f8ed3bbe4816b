//! What the TypeScript side is asked to do.

use serde::Serialize;
use serde_json::Value;

use super::commands::CommandDefinition;
use crate::tools::ToolDefinition;

/// How much a notice matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// For information.
    Info,
    /// Something does not work as it should.
    Warning,
    /// Something does not work at all.
    Error,
}

/// One thing for the TypeScript side to carry out.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "do", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Action {
    /// Show a notice in the host's user interface.
    Notify {
        /// How much it matters.
        level: Level,
        /// One line of text.
        message: String,
    },
    /// Write one line to standard error, for a host without a user interface.
    Stderr {
        /// The line, without its end.
        line: String,
    },
    /// Register these tools.
    Register {
        /// Their definitions, in order.
        tools: Vec<ToolDefinition>,
    },
    /// Register these commands.
    Commands {
        /// Their definitions, in order.
        commands: Vec<CommandDefinition>,
    },
    /// Hand every further event of the session over, the start of the session first.
    Windows {
        /// Why nothing was registered, as the way out of it; nothing where all was.
        stand_down: Option<String>,
    },
    /// Draw the entries of this type.
    Marks {
        /// The type of the custom entries.
        tag: &'static str,
    },
    /// Answer the event with this, beside what other actions of the same event answer.
    Answer {
        /// Keys of the answer.
        answer: Value,
    },
    /// Append this entry, which no model sees.
    Entry {
        /// The entry: its `customType` and `data`.
        entry: Value,
    },
    /// Append this message, and start no run.
    Message {
        /// The message in the host's form.
        message: Value,
    },
    /// Send this message, and start a run with it.
    Run {
        /// The message in the host's form.
        message: Value,
    },
    /// Abort the run.
    Abort,
    /// Collect what a boot is made of, then say that it is there.
    Build {
        /// The number of the boot.
        build: u64,
    },
    /// Wait until the host is idle, then say so.
    WaitIdle {
        /// The number of the waiting.
        wait: u64,
    },
    /// Listen to settlements from now on, or no longer.
    ListenSettle {
        /// From now on.
        on: bool,
    },
    /// Keep this for the case that the engine cannot answer.
    Keep {
        /// The host's compaction is cancelled.
        cancel_compaction: bool,
        /// What stands before the current window must not be sent.
        reset_window: bool,
    },
    /// Show this in the host's status line.
    Footer {
        /// A few words.
        text: String,
    },
    /// Show these lines once.
    Panel {
        /// The lines.
        lines: Vec<String>,
    },
}

impl Action {
    /// A notice where it is seen: in the user interface, or on standard error where there is none.
    pub fn tell(has_ui: bool, level: Level, text: &str) -> Action {
        // Notices are one line; a path or a message of someone else's may hold more.
        let line = format!("palimpsest: {}", text.split_whitespace().collect::<Vec<_>>().join(" "));
        if has_ui { Action::Notify { level, message: line } } else { Action::Stderr { line } }
    }
}
