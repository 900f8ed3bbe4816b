//! What of the host's messages is sent: what a marker has cut off stays cut off.

use alloc::vec::Vec;

use crate::action::Draft;
use crate::branch::Branch;
use crate::message::{Body, Message};
use crate::vocabulary::Tag;

/// The messages of a request, told by what the host would have sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Projection {
    /// The system messages, by index, to fold into one that leads; none if empty.
    pub fold: Vec<usize>,
    /// The messages that follow, by index.
    pub keep: Vec<usize>,
    /// A message at the end.
    pub append: Option<Draft>,
}

/// A request as it should be, or the fail-safe.
pub(crate) enum Verdict {
    Send(Projection),
    /// The window cannot be presented: nothing but the system's state may be sent.
    FailSafe(Projection),
}

impl Projection {
    /// Whether it is what the host would have sent, `len` messages.
    pub fn is_unchanged(&self, len: usize) -> bool {
        self.fold.is_empty() && self.append.is_none() && self.keep.iter().copied().eq(0..len)
    }

    /// Nothing but the system's state.
    pub fn fail_safe(messages: &[Message]) -> Projection {
        Projection { fold: systems(messages, 0..messages.len()), keep: Vec::new(), append: None }
    }
}

/// The messages to send for the branch. `manual` says that a person's wipe is pending in this window.
pub(crate) fn project(messages: &[Message], branch: &Branch, append: Option<Draft>, manual: bool) -> Verdict {
    let mut keep: Vec<usize> = (0..messages.len()).filter(|at| !messages[*at].is_empty_summary()).collect();
    if let Some(first) = keep.iter().position(|at| messages[*at].is_system()) {
        // The host appends its first system message behind what was there before the first prompt.
        keep[..=first].rotate_right(1);
    }
    let window = branch.window_id();
    if branch.is_root() {
        return Verdict::Send(Projection { fold: Vec::new(), keep: one_boot(messages, keep, window), append });
    }
    let boot = keep.iter().position(|at| messages[*at].is_boot_of(window));
    if boot.is_none() && !branch.compacted_since() {
        return fail_safe(messages, manual);
    }
    let Some(boot) = boot.filter(|_| !branch.checkpoint_backed()) else {
        return Verdict::Send(Projection { fold: Vec::new(), keep, append });
    };
    let fold = systems(messages, keep.drain(..boot));
    Verdict::Send(Projection { fold, keep, append })
}

/// In a root window the newest boot stands where the first one stood, and no other: a fork copies that of its parent.
fn one_boot(messages: &[Message], mut keep: Vec<usize>, window: &str) -> Vec<usize> {
    let Some(active) = keep.iter().copied().rfind(|at| messages[*at].is_boot_of(window)) else {
        return keep;
    };
    if let Some(first) = keep.iter_mut().find(|at| messages[**at].is_custom(Tag::Boot)) {
        *first = active;
    }
    let mut seen = false;
    keep.retain(|at| !messages[*at].is_custom(Tag::Boot) || !core::mem::replace(&mut seen, true));
    keep
}

fn fail_safe(messages: &[Message], manual: bool) -> Verdict {
    let mut projection = Projection::fail_safe(messages);
    // Messages that other extensions add to the run do not make the person's an older one.
    let newest = messages
        .iter()
        .rposition(|message| message.is_custom(Tag::ManualWipe) || !matches!(message.body, Body::Custom { .. }));
    let Some(wipe) = newest.filter(|at| manual && messages[*at].is_custom(Tag::ManualWipe)) else {
        return Verdict::FailSafe(projection);
    };
    projection.keep.push(wipe);
    Verdict::Send(projection)
}

fn systems(messages: &[Message], among: impl Iterator<Item = usize>) -> Vec<usize> {
    among.filter(|at| messages[*at].is_system()).collect()
}
