//! Palimpsest as an extension of Pi: the note tools, the history tools and context windows, from what the model is told about them to what a person sees.
//!
//! The addon exports one class, [`Engine`], that speaks JSON strings: the TypeScript side turns an event of the host
//! into a value, hands it over, and carries out the [`Action`]s that come back. Every text, limit and decision is here.
//!
//! ```
//! use palimpsest_pi_bridge::{tool_definitions, tool_names};
//!
//! let declared: Vec<_> = tool_definitions().iter().map(|tool| tool.name).collect();
//! assert_eq!(declared, tool_names());
//! ```
//!
//! It is neither a notes store (that is `palimpsest-notes`) nor a reader of sessions (`palimpsest-history`) nor the rules of windows
//! (`palimpsest-window`), and nothing outside `addon` knows of Node.

mod addon;
mod engine;
mod history;
mod host;
#[cfg(feature = "test-exports")]
mod panics;
mod queue;
mod render;
mod tools;
mod windows;
mod wire;

pub use engine::{Engine, ToolCall};
pub use host::{
    Action, CommandDefinition, Completion, Handed, HostTool, Installation, Level, Place, SessionFacts, SourceInfo,
    StartFacts, command_definitions, start_session,
};
#[cfg(feature = "test-exports")]
pub use panics::{panic_at_events, panic_at_next_call};
pub use render::{CallView, Line, MarkView, ResultView, Segment, render_call, render_result};
pub use tools::{History, Reply, ToolDefinition, call_tool, tool_definitions, tool_names};
pub use windows::Ask;
pub use wire::{
    BUDGET, Delivery, Failure, FileRow, HistoryPage, MatchRow, Page, ReadWindow, SearchRow, Shrink, WindowPage,
    line_diff, middle_truncated, prefix,
};
