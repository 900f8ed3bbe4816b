//! What happens to a session, as the machine hears it.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use crate::action::Wait;
use crate::branch::Branch;
use crate::build::Build;
use crate::entry::Stop;
use crate::material::Material;
use crate::message::Message;

/// One thing that happened. Bring the [`Branch`] up to date first.
#[derive(Debug)]
pub enum Event<'a> {
    /// A session starts: a new one, a resumed one, a fork, a reload.
    Start(Start),
    /// Another branch was selected.
    Tree,
    /// The instance ends.
    Shutdown,
    /// Another model was selected.
    ModelSelect,
    /// The settings were read, with these complaints.
    Complaints(Vec<String>),
    /// A run is about to begin.
    BeforeRun,
    /// A request is about to be sent.
    Context {
        /// What the host would send.
        messages: &'a [Message],
        /// The run was aborted.
        aborted: bool,
    },
    /// A turn begins.
    TurnStart,
    /// A turn has ended, and entries can be appended.
    TurnEnd(TurnEnd),
    /// A run is about to settle, and entries can be appended.
    BeforeSettle(BeforeSettle),
    /// A run has ended.
    RunEnd {
        /// Its signal is aborted.
        aborted: bool,
    },
    /// All activity has ended.
    Settled {
        /// It was aborted.
        aborted: bool,
    },
    /// The host wants to compact.
    BeforeCompact {
        /// A person asked for it.
        manual: bool,
        /// It was aborted already.
        aborted: bool,
    },
    /// The host is about to select another branch.
    BeforeTree {
        /// The user wants a summary of the branch that is left.
        wants_summary: bool,
        /// The branch that ends at the target.
        target: &'a Branch,
    },
    /// The model calls `wipe_memory`.
    WipeTool,
    /// The model calls `get_context_remaining`.
    RemainingTool,
    /// A person's `/wipe-memory`.
    WipeCommand {
        /// The host does nothing.
        idle: bool,
        /// A run is there that can be aborted.
        running: bool,
    },
    /// The host is idle, as [`Action::WaitIdle`](crate::Action::WaitIdle) wanted.
    Idle(Wait),
    /// [`Action::SendAndRun`](crate::Action::SendAndRun) failed, with this cause.
    SendFailed(String),
    /// A person's `/pi-context` with its argument.
    Toggle(&'a str),
    /// The material of a build is there, or could not be collected for this cause.
    Built {
        /// The build.
        build: Box<Build>,
        /// Its material.
        material: Result<Box<Material>, String>,
        /// The run was aborted meanwhile.
        aborted: bool,
    },
    /// A handler failed with this text.
    Fault(String),
}

/// How an instance starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Start {
    /// The setting `enabled`.
    pub enabled: bool,
    /// Those of [`NEEDED_TOOLS`](crate::NEEDED_TOOLS) that are not active.
    pub missing: Vec<String>,
    /// Another extension owns a name of ours: nothing was registered. A clause that says the way out.
    pub stand_down: Option<String>,
}

/// How an activity came out, in the host's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It was completed.
    Completed,
    /// It was aborted.
    Aborted,
    /// It failed.
    Error,
}

/// The end of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TurnEnd {
    /// How it came out.
    pub outcome: Outcome,
    /// How the model's message ended; none if the turn's message is not the model's.
    pub stop: Option<Stop>,
    /// The run's signal is aborted.
    pub aborted: bool,
    /// The host takes the message for a context overflow, or for one whose length can be recovered.
    pub overflow: bool,
    /// The turn made tool calls.
    pub tools: bool,
}

/// The end of a run, before it settles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BeforeSettle {
    /// How it came out.
    pub outcome: Outcome,
    /// There is a signal, and it is aborted.
    pub aborted: bool,
}
