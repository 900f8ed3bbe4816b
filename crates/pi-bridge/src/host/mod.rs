//! The host's side of things as plain values: where a call is made, what a session starts with, what is to be done.

mod action;
mod commands;
mod migration;
mod place;
mod session;
mod start;
mod version;

pub use action::{Action, Level};
pub use commands::{CommandDefinition, Completion, command_definitions};
pub use place::Place;
pub use session::{Handed, SessionFacts};
pub use start::{HostTool, SourceInfo, StartFacts, start_session};
pub use version::Installation;
