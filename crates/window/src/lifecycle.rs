//! What is pending: the reducers that decide when a window ends.

use alloc::string::{String, ToString};

use crate::vocabulary::Cause;

/// What is pending, and where a chain of overflows stands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct State {
    request: Request,
    overflow: Overflow,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
enum Request {
    #[default]
    None,
    /// The budget's warning stands; the model may save notes over several turns.
    CloseOut { window: String },
    /// The window ends with the next successful turn.
    TurnEnd { window: String, origin: Origin },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    Tool,
    Budget,
    Manual,
}

/// `cut_short`: the answer that overflowed was not complete, so that there is something to retry.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Overflow {
    #[default]
    Idle,
    Pending {
        cut_short: bool,
    },
    PendingSpent,
    Spent,
}

/// What a boundary leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    Nothing,
    Commit {
        cause: Cause,
        proceed: bool,
    },
    /// A request of a person is dropped.
    ManualLost,
    /// The growth guard kept a reset back.
    Held,
}

/// What a turn's end says.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Turn {
    pub(crate) aborted: bool,
    pub(crate) overflow: bool,
    pub(crate) cut_short: bool,
    pub(crate) failed: bool,
    pub(crate) enabled: bool,
    pub(crate) tools: bool,
}

/// What a settlement says.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Settlement {
    pub(crate) aborted: bool,
    pub(crate) failed: bool,
    pub(crate) enabled: bool,
}

/// Facts that cost something to find out: read only where a row asks.
pub(crate) trait Lazy {
    fn queued(&mut self) -> bool;
    fn automatic(&mut self) -> bool;
    fn hard_reserve(&mut self) -> bool;
    fn guard_holds(&mut self) -> bool;
    fn may_continue(&mut self) -> bool;
}

impl State {
    /// The warning stands: the window closes out, unless more than that is pending.
    pub(crate) fn arm_close_out(&mut self, window: &str) {
        if *self.effective(window) == Request::None {
            self.request = Request::CloseOut { window: window.to_string() };
        }
    }

    /// The model asks for a wipe. Says whether that is new.
    pub(crate) fn request_by_tool(&mut self, window: &str) -> bool {
        let origin = match self.effective(window) {
            Request::TurnEnd { .. } => return false,
            Request::CloseOut { .. } => Origin::Budget,
            Request::None => Origin::Tool,
        };
        self.request = Request::TurnEnd { window: window.to_string(), origin };
        true
    }

    /// A person asks for a wipe. Says whether that is new.
    pub(crate) fn request_by_person(&mut self, window: &str) -> bool {
        if self.manual_pending(window) {
            return false;
        }
        self.request = Request::TurnEnd { window: window.to_string(), origin: Origin::Manual };
        true
    }

    pub(crate) fn manual_pending(&self, window: &str) -> bool {
        matches!(self.effective(window), Request::TurnEnd { origin: Origin::Manual, .. })
    }

    /// Whether the settlement can end the window.
    pub(crate) fn armed(&self, window: &str) -> bool {
        let requested = match self.effective(window) {
            Request::CloseOut { .. } | Request::TurnEnd { origin: Origin::Manual, .. } => true,
            Request::TurnEnd { origin: Origin::Tool | Origin::Budget, .. } | Request::None => false,
        };
        requested || self.overflow.is_pending()
    }

    /// The turn in `window` has ended: the first row that matches.
    pub(crate) fn turn_end(&mut self, window: &str, turn: Turn, facts: &mut impl Lazy) -> Effect {
        if turn.aborted {
            *self = State::default();
            return Effect::Nothing;
        }
        if turn.overflow {
            let lost = self.drop_request(window);
            let spent = self.overflow.is_spent();
            let recover = !facts.queued() && turn.enabled && facts.automatic();
            self.overflow = match (recover, spent) {
                (true, true) => Overflow::PendingSpent,
                (true, false) => Overflow::Pending { cut_short: turn.cut_short },
                (false, true) => Overflow::Spent,
                (false, false) => Overflow::Idle,
            };
            return lost;
        }
        if turn.failed {
            return self.drop_request(window);
        }
        if !turn.enabled {
            *self = State::default();
            return Effect::Nothing;
        }
        if let Request::TurnEnd { origin, .. } = self.effective(window) {
            let effect = Effect::Commit { cause: origin.cause(), proceed: *origin != Origin::Manual };
            *self = State::default();
            return effect;
        }
        if facts.hard_reserve() {
            *self = State::default();
            if facts.guard_holds() {
                return Effect::Held;
            }
            return Effect::Commit { cause: Cause::Reserve, proceed: turn.tools };
        }
        self.overflow = Overflow::Idle;
        self.keep_effective(window);
        Effect::Nothing
    }

    /// The run is about to settle: the first row that matches.
    pub(crate) fn before_settle(&mut self, window: &str, settled: Settlement, facts: &mut impl Lazy) -> Effect {
        if settled.aborted {
            *self = State::default();
            return Effect::Nothing;
        }
        if self.overflow.is_pending() {
            return self.settle_overflow(window, settled, facts);
        }
        let manual = match self.effective(window) {
            Request::CloseOut { .. } if settled.enabled => false,
            Request::TurnEnd { origin: Origin::Manual, .. } if settled.enabled => true,
            Request::CloseOut { .. } | Request::TurnEnd { .. } | Request::None => {
                self.request = Request::None;
                return Effect::Nothing;
            }
        };
        if settled.failed {
            if !manual {
                self.request = Request::None;
            }
            return Effect::Nothing;
        }
        if facts.queued() {
            return Effect::Nothing;
        }
        if manual {
            *self = State::default();
            return Effect::Commit { cause: Cause::Manual, proceed: false };
        }
        if !facts.automatic() {
            self.request = Request::None;
            return Effect::Nothing;
        }
        if facts.guard_holds() {
            self.request = Request::None;
            return Effect::Held;
        }
        *self = State::default();
        Effect::Commit { cause: Cause::Budget, proceed: facts.may_continue() }
    }

    fn settle_overflow(&mut self, window: &str, settled: Settlement, facts: &mut impl Lazy) -> Effect {
        let overflow = self.overflow;
        if facts.queued() {
            self.keep_over_failure(window, settled.failed);
            return Effect::Nothing;
        }
        if !settled.enabled || !facts.automatic() {
            self.keep_over_failure(window, settled.failed);
            self.overflow = if overflow == Overflow::PendingSpent { Overflow::Spent } else { Overflow::Idle };
            return Effect::Nothing;
        }
        let lost = self.drop_request(window);
        self.overflow = Overflow::Spent;
        match overflow {
            Overflow::Pending { cut_short } => {
                Effect::Commit { cause: Cause::Overflow, proceed: cut_short && facts.may_continue() }
            }
            Overflow::PendingSpent | Overflow::Idle | Overflow::Spent => lost,
        }
    }

    /// A request of another window counts as none.
    fn effective(&self, current: &str) -> &Request {
        match &self.request {
            Request::CloseOut { window } | Request::TurnEnd { window, .. } if window == current => &self.request,
            Request::CloseOut { .. } | Request::TurnEnd { .. } | Request::None => &Request::None,
        }
    }

    fn keep_effective(&mut self, window: &str) {
        self.request = self.effective(window).clone();
    }

    /// A failed attempt ends a close-out; what a person or the model asked for stays.
    fn keep_over_failure(&mut self, window: &str, failed: bool) {
        self.keep_effective(window);
        if failed && matches!(self.request, Request::CloseOut { .. }) {
            self.request = Request::None;
        }
    }

    /// Drops what is pending, and says so if a person asked for it.
    pub(crate) fn drop_request(&mut self, window: &str) -> Effect {
        let manual = self.manual_pending(window);
        self.request = Request::None;
        if manual { Effect::ManualLost } else { Effect::Nothing }
    }
}

impl Origin {
    fn cause(self) -> Cause {
        match self {
            Origin::Tool => Cause::Tool,
            Origin::Budget => Cause::Budget,
            Origin::Manual => Cause::Manual,
        }
    }
}

impl Overflow {
    fn is_pending(self) -> bool {
        match self {
            Overflow::Pending { .. } | Overflow::PendingSpent => true,
            Overflow::Idle | Overflow::Spent => false,
        }
    }

    fn is_spent(self) -> bool {
        match self {
            Overflow::PendingSpent | Overflow::Spent => true,
            Overflow::Idle | Overflow::Pending { .. } => false,
        }
    }
}
