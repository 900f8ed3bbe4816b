//! How much room a window has left, and where its lines are.

use alloc::format;
use alloc::string::String;

/// The host's reserve where no setting says otherwise, in tokens.
const DEFAULT_RESERVE: u64 = 16_384;
/// Room between reminder and reserve where no setting says otherwise, in tokens.
pub(crate) const DEFAULT_MARGIN: u64 = 24_576;
/// Room between warning and reserve, in tokens.
const RUNWAY: u64 = 12_288;
/// A window that has grown by less is not reset by the budget, in tokens.
pub(crate) const GROWTH_GUARD: u64 = 4_096;

/// What the settings say about the budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policy {
    /// Tokens that the host keeps free.
    pub reserve: u64,
    /// Windows end by themselves when room gets scarce.
    pub automatic: bool,
    /// Tokens between the reminder and the reserve, before the context window's share limits them.
    pub margin: u64,
}

impl Default for Policy {
    fn default() -> Policy {
        Policy { reserve: DEFAULT_RESERVE, automatic: true, margin: DEFAULT_MARGIN }
    }
}

/// What the host says about the room.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HostUsage {
    /// Tokens in use, where the host knows.
    pub tokens: Option<u64>,
    /// Size of the context window of the model that answers, in tokens; else of the model that is selected.
    pub context_window: Option<u64>,
}

/// Tokens left at which something happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lines {
    /// At this much room left, a completed turn ends the window.
    pub reserve: u64,
    /// At this much room left, the model gets its last call.
    pub warning: u64,
    /// At this much room left, the model is reminded.
    pub reminder: u64,
    /// The reserve leaves a window room to work in; without it there are no stages at all.
    pub stages: bool,
}

impl Lines {
    /// The lines of a context window of this size in tokens.
    pub fn of(policy: &Policy, context_window: u64) -> Lines {
        let runway = RUNWAY.min(context_window / 10);
        let margin = policy.margin.min(context_window / 5);
        Lines {
            reserve: policy.reserve,
            warning: policy.reserve.saturating_add(runway),
            reminder: policy.reserve.saturating_add(margin),
            stages: policy.reserve.saturating_mul(2) < context_window,
        }
    }
}

/// Room of a window whose size and use are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// Size of the context window in tokens.
    pub context_window: u64,
    /// Tokens in use.
    pub used: u64,
    /// Its lines.
    pub lines: Lines,
}

impl Room {
    /// Tokens left.
    pub fn remaining(&self) -> u64 {
        self.context_window.saturating_sub(self.used)
    }

    /// Tokens left before the warning.
    pub fn to_warning(&self) -> u64 {
        self.remaining().saturating_sub(self.lines.warning)
    }

    /// Tokens left before the host's reserve.
    pub fn to_reserve(&self) -> u64 {
        self.remaining().saturating_sub(self.lines.reserve)
    }
}

/// What `get_context_remaining` answers, as JSON.
pub(crate) fn countdown(room: Option<Room>) -> String {
    let (remaining, reserve) = match room {
        Some(room) => (format!("{}", room.to_warning()), format!("{}", room.to_reserve())),
        None => ("null".into(), "null".into()),
    };
    format!("{{\n  \"remaining_tokens\": {remaining},\n  \"until_reserve_tokens\": {reserve}\n}}")
}
