//! The tools: what the model is told about them, and what a call does.

mod call;
mod definition;
mod history;
mod output;
mod params;
mod windows;

pub use call::call_tool;
pub use definition::{ToolDefinition, tool_definitions, tool_names};
pub(crate) use history::Within;
pub use history::{History, Reply};
