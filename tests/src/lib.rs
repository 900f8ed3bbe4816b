//! End-to-end harness: the real Pi, isolated, with a scripted model, driven and read from Rust.
//!
//! A test starts a [`Model`] with a script, builds a [`Sandbox`] around it and runs Pi in it: over RPC ([`Rpc`]), for
//! one printed answer ([`Sandbox::print`]), or in a terminal ([`Terminal`]). Afterwards it compares what the model was
//! asked ([`wire`]), what the session file holds ([`Session`]) and what lies in the sandbox.
//!
//! Every wait ends by an event or, after [`PATIENCE`], by a panic that tells what was seen last; nothing sleeps for luck.

mod host;
mod model;
mod models;
mod process;
mod rpc;
mod sandbox;
mod session;
mod terminal;
pub mod wire;

pub use host::{Host, extension_folder};
pub use model::{Gate, Model, Request, Script, Step, ToolCall, Usage, text_of};
pub use models::{ModelSpec, PROVIDER};
pub use process::Exit;
pub use rpc::{Notice, Rpc, Run, ToolEnd};
pub use sandbox::{JsonRun, Sandbox, SandboxBuilder};
pub use session::{Session, ToolResult};
pub use terminal::Terminal;

use std::time::Duration;

/// How long any single wait may take: far longer than a slow machine needs, short enough to end a hung test.
pub const PATIENCE: Duration = Duration::from_secs(60);
