//! Reminder and warning: when they are due, and that each stands once in its window.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::mem;

use crate::action::Draft;
use crate::branch::Branch;
use crate::facts::Asked;
use crate::lifecycle::Lazy;
use crate::notices::{self, Notice};
use crate::texts::{reminder, warning};
use crate::vocabulary::{Tag, ToolNames};

/// What is staged for the end of a turn, and what people have yet to hear.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stages {
    /// A window and the text for it.
    reminder: Option<(String, String)>,
    warning: Option<(String, String)>,
    /// Sessions and windows whose warning is announced once it is durable.
    due: Vec<(String, String)>,
    /// The context window and the reserve that left no room for stages, as people were told.
    told_off: Option<(u64, u64)>,
}

/// What a request leads to.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// The window closes out from here on.
    pub(crate) close_out: bool,
    /// The growth guard keeps the warning back.
    pub(crate) held: bool,
    pub(crate) notice: Option<Notice>,
    pub(crate) append: Option<Draft>,
}

impl Stages {
    /// Drops what is staged and what would be announced.
    pub(crate) fn clear(&mut self) {
        self.reminder = None;
        self.warning = None;
        self.due.clear();
    }

    /// The warning, if it is due before a run.
    pub(crate) fn before_run(&mut self, mut asked: Asked<'_>, tools: &ToolNames) -> Option<Draft> {
        asked.room().filter(|room| room.lines.stages && room.remaining() <= room.lines.warning)?;
        if !asked.automatic() || asked.guard_holds() || self.warned(asked.branch) {
            return None;
        }
        self.announce_later(asked.branch);
        Some(Draft::Message { tag: Tag::Warning, content: warning(tools), window_id: None })
    }

    /// What is due with a request.
    pub(crate) fn request(&mut self, mut asked: Asked<'_>, tools: &ToolNames) -> Seen {
        let notice = self.stages_off(&mut asked);
        let mut seen = Seen { notice, ..Seen::default() };
        let Some(room) = asked.room().filter(|room| room.lines.stages) else {
            return seen;
        };
        let window = asked.branch.window_id();
        if room.remaining() <= room.lines.warning && asked.automatic() {
            if asked.guard_holds() {
                seen.held = true;
                return seen;
            }
            seen.close_out = true;
            if self.warned(asked.branch) {
                return seen;
            }
            let content = warning(tools);
            self.reminder = None;
            self.warning = Some((window.to_string(), content.clone()));
            seen.append = Some(Draft::Message { tag: Tag::Warning, content, window_id: None });
            return seen;
        }
        let reminded = asked.branch.holds(Tag::Guidance) || is_for(&self.reminder, window);
        if room.remaining() <= room.lines.reminder && !reminded && !self.warned(asked.branch) {
            self.reminder = Some((window.to_string(), reminder(room.to_warning(), tools)));
        }
        seen
    }

    /// What was staged for the current window, at the end of a turn. If it is not accepted it is dropped.
    pub(crate) fn drain(&mut self, branch: &Branch, accepted: bool) -> Vec<Draft> {
        let reminder = mem::take(&mut self.reminder).map(|staged| (Tag::Guidance, staged));
        let warning = mem::take(&mut self.warning).map(|staged| (Tag::Warning, staged));
        let mut drafts = Vec::new();
        for (tag, (window, content)) in reminder.into_iter().chain(warning) {
            if !accepted || window != branch.window_id() {
                continue;
            }
            if tag == Tag::Warning {
                self.announce_later(branch);
            }
            drafts.push(Draft::Message { tag, content, window_id: None });
        }
        drafts
    }

    /// A notice for each warning that is durable by now.
    pub(crate) fn announce(&mut self, branch: &Branch) -> impl Iterator<Item = Notice> + use<> {
        let before = self.due.len();
        self.due.retain(|(session, window)| session != branch.session() || !branch.window_holds(window, Tag::Warning));
        (self.due.len()..before).map(|_| notices::almost_full())
    }

    fn warned(&self, branch: &Branch) -> bool {
        branch.holds(Tag::Warning) || is_for(&self.warning, branch.window_id())
    }

    fn announce_later(&mut self, branch: &Branch) {
        let key = (branch.session().to_string(), branch.window_id().to_string());
        if !self.due.contains(&key) {
            self.due.push(key);
        }
    }

    /// A notice if the reserve leaves no room for stages, once until the context window or the reserve changes.
    fn stages_off(&mut self, asked: &mut Asked<'_>) -> Option<Notice> {
        let context_window = asked.facts.usage().context_window?;
        let policy = asked.facts.policy();
        let lines = crate::budget::Lines::of(&policy, context_window);
        let found = (!lines.stages).then_some((context_window, policy.reserve));
        let new = found.filter(|_| self.told_off != found);
        self.told_off = found;
        new.map(|(context_window, reserve)| notices::stages_off(context_window, reserve))
    }
}

fn is_for(staged: &Option<(String, String)>, window: &str) -> bool {
    staged.as_ref().is_some_and(|(staged, _)| staged == window)
}
