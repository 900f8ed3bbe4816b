//! What the TypeScript side is asked to do.

use serde::Serialize;

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
#[serde(tag = "do", rename_all = "lowercase")]
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
}

impl Action {
    /// A notice where it is seen: in the user interface, or on standard error where there is none.
    pub fn tell(has_ui: bool, level: Level, text: &str) -> Action {
        // Notices are one line; a path or a message of someone else's may hold more.
        let line = format!("palimpsest: {}", text.split_whitespace().collect::<Vec<_>>().join(" "));
        if has_ui { Action::Notify { level, message: line } } else { Action::Stderr { line } }
    }
}
