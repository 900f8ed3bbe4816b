//! Events of the host as it tells them.

use palimpsest_window::{BeforeSettle, Outcome, Stop, TurnEnd};
use serde::Deserialize;

use super::message::MessageValue;

/// Something that happened in the host.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Happening {
    /// Whether the host can show notices.
    pub(super) has_ui: bool,
    /// Whether it shows them in a terminal.
    pub(super) in_terminal: bool,
    /// The live session.
    pub(super) session: String,
    /// The leaf of its active branch; nothing where the branch is empty.
    pub(super) leaf: Option<String>,
    pub(super) event: EventValue,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub(super) enum EventValue {
    Start { active: Vec<String>, stand_down: Option<String> },
    Tree,
    Shutdown,
    ModelSelect,
    BeforeRun,
    Context { messages: Vec<MessageValue>, aborted: bool },
    TurnStart,
    TurnEnd { outcome: OutcomeValue, stop: Option<String>, aborted: bool, overflow: bool, tools: bool },
    BeforeSettle { outcome: OutcomeValue, aborted: bool },
    RunEnd { aborted: bool },
    Settled { aborted: bool },
    BeforeCompact { manual: bool, aborted: bool },
    BeforeTree { wants_summary: bool, target: String },
    WipeTool,
    RemainingTool,
    WipeCommand { idle: bool, running: bool },
    Idle { wait: u64 },
    SendFailed { cause: String },
    Toggle { argument: String },
    Built { build: u64, aborted: bool },
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum OutcomeValue {
    Completed,
    Aborted,
    Error,
}

impl From<OutcomeValue> for Outcome {
    fn from(outcome: OutcomeValue) -> Outcome {
        match outcome {
            OutcomeValue::Completed => Outcome::Completed,
            OutcomeValue::Aborted => Outcome::Aborted,
            OutcomeValue::Error => Outcome::Error,
        }
    }
}

pub(super) fn turn_end(outcome: OutcomeValue, stop: Option<&str>, [aborted, overflow, tools]: [bool; 3]) -> TurnEnd {
    TurnEnd { outcome: outcome.into(), stop: stop.map(Stop::parse), aborted, overflow, tools }
}

pub(super) fn before_settle(outcome: OutcomeValue, aborted: bool) -> BeforeSettle {
    BeforeSettle { outcome: outcome.into(), aborted }
}
