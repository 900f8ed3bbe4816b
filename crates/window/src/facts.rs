//! What the machine asks its caller for, and only when it needs it.

use alloc::vec::Vec;

use crate::branch::Branch;
use crate::budget::{GROWTH_GUARD, HostUsage, Lines, Policy, Room};
use crate::lifecycle::Lazy;
use crate::material::Names;
use crate::message::{Message, estimate};

/// Facts about the host that cost something to find out. Each is read lazily; find a fact out at most once an event.
pub trait Facts {
    /// Messages of the user wait for the model.
    fn queued(&mut self) -> bool;
    /// What the settings say about the budget.
    fn policy(&mut self) -> Policy;
    /// What the host says about the room.
    fn usage(&mut self) -> HostUsage;
    /// The messages that the host would send for the branch; none if it cannot say.
    fn projection(&mut self) -> Option<Vec<Message>>;
    /// Who works here.
    fn names(&mut self) -> Names;
    /// A random number, for the id of a window.
    fn draw(&mut self) -> u32;
}

/// The facts as the reducers ask for them.
pub(crate) struct Asked<'a> {
    pub(crate) branch: &'a Branch,
    pub(crate) facts: &'a mut dyn Facts,
}

impl Lazy for Asked<'_> {
    fn queued(&mut self) -> bool {
        self.facts.queued()
    }

    fn automatic(&mut self) -> bool {
        self.facts.policy().automatic
    }

    fn hard_reserve(&mut self) -> bool {
        self.automatic() && self.room().is_some_and(|room| room.lines.stages && room.remaining() <= room.lines.reserve)
    }

    fn guard_holds(&mut self) -> bool {
        match self.room() {
            Some(room) => self.growth(room.used) < GROWTH_GUARD,
            None => false,
        }
    }

    fn may_continue(&mut self) -> bool {
        self.branch.may_continue()
    }
}

impl Asked<'_> {
    /// The room of the current window, where it is known.
    pub(crate) fn room(&mut self) -> Option<Room> {
        let policy = self.facts.policy();
        let usage = self.facts.usage();
        let context_window = usage.context_window?;
        let used = if self.branch.is_root() { usage.tokens } else { self.presented().map(|shown| estimate(&shown)) };
        Some(Room { context_window, used: used?, lines: Lines::of(&policy, context_window) })
    }

    /// Whether the boot of this window is among what the host would send; unknown if the host cannot say.
    pub(crate) fn shows_boot_of(&mut self, window: &str) -> Option<bool> {
        Some(self.facts.projection()?.iter().any(|message| message.is_boot_of(window)))
    }

    /// Tokens that the window has grown by since its first request.
    fn growth(&mut self, used: u64) -> u64 {
        let baseline = match self.branch.opening_tokens() {
            Some(tokens) => Some(tokens),
            None if self.branch.answered() => self.presented().map(|shown| {
                let opening = shown.iter().take_while(|message| !message.is_assistant());
                estimate(opening)
            }),
            None => None,
        };
        used.saturating_sub(baseline.unwrap_or(used))
    }

    /// The messages of the current window as they are sent: without the wrapper of an empty summary, and in a window
    /// without a checkpoint from its boot on.
    fn presented(&mut self) -> Option<Vec<Message>> {
        let mut messages = self.facts.projection()?;
        messages.retain(|message| !message.is_empty_summary());
        if self.branch.is_root() || self.branch.checkpoint_backed() {
            return Some(messages);
        }
        let window = self.branch.window_id();
        let Some(boot) = messages.iter().position(|message| message.is_boot_of(window)) else {
            return self.branch.compacted_since().then_some(messages);
        };
        let mut at = 0;
        messages.retain(|message| {
            at += 1;
            at > boot || message.is_system()
        });
        Some(messages)
    }
}
