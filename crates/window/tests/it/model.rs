//! A second opinion on what ends a window: the specification's tables, with every fact read beforehand.

use crate::histories::End;
use crate::world::World;
use palimpsest_window::*;

/// What is pending, as the specification's tables say it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) enum Request {
    #[default]
    None,
    CloseOut,
    Tool,
    Budget,
    Manual,
}

/// A second opinion on what ends a window.
#[derive(Debug, Default)]
pub(crate) struct Model {
    pub(crate) on: bool,
    pub(crate) active: bool,
    pub(crate) request: (Request, String),
    /// The overflow axis: pending, spent.
    pending: bool,
    spent: bool,
    cut_short: bool,
    /// Changes whenever work in flight becomes stale.
    pub(crate) generation: usize,
    /// Generation, window and expected outcome of the build that is open.
    pub(crate) building: Option<(usize, String, String, (Cause, bool))>,
}

impl Model {
    pub(crate) fn effective(&self, window: &str) -> Request {
        if self.request.1 == window { self.request.0 } else { Request::None }
    }

    pub(crate) fn clear(&mut self) {
        self.request = Default::default();
        (self.pending, self.spent) = (false, false);
    }

    pub(crate) fn armed(&self, window: &str) -> bool {
        self.active && (self.pending || matches!(self.effective(window), Request::CloseOut | Request::Manual))
    }

    pub(crate) fn turn(&mut self, world: &World, end: End, tools: bool) -> Option<(Cause, bool)> {
        let window = world.branch.window_id();
        let request = self.effective(window);
        if !self.active {
            return None;
        }
        match end {
            End::Aborted | End::Signal => self.clear(),
            End::Overflow | End::Silent => {
                self.request = Default::default();
                self.spent |= false;
                self.pending = !world.host.queued && self.on && world.host.policy.automatic;
                self.cut_short = end == End::Overflow;
            }
            End::Error => self.request = Default::default(),
            End::Ok if !self.on => self.clear(),
            End::Ok => {
                let commit = match request {
                    Request::Tool => Some((Cause::Tool, true)),
                    Request::Budget => Some((Cause::Budget, true)),
                    Request::Manual => Some((Cause::Manual, false)),
                    Request::None | Request::CloseOut => {
                        let reached = hard_reserve(world);
                        if reached && held(world) {
                            self.clear();
                        }
                        (reached && !held(world)).then_some((Cause::Reserve, tools))
                    }
                };
                match commit {
                    Some(_) => self.clear(),
                    None => (self.pending, self.spent) = (false, false),
                }
                return commit;
            }
        }
        None
    }

    pub(crate) fn settle(&mut self, world: &World, end: End) -> Option<(Cause, bool)> {
        let window = world.branch.window_id();
        let request = self.effective(window);
        let failed = matches!(end, End::Error | End::Overflow);
        let automatic = world.host.policy.automatic;
        if !self.active {
            return None;
        }
        if matches!(end, End::Aborted | End::Signal) {
            self.clear();
            return None;
        }
        if self.pending {
            if world.host.queued || !self.on || !automatic {
                self.pending &= world.host.queued;
                if failed && request == Request::CloseOut {
                    self.request = Default::default();
                }
                return None;
            }
            self.request = Default::default();
            let first = !self.spent;
            (self.pending, self.spent) = (false, true);
            return first.then_some((Cause::Overflow, self.cut_short && may_continue(world)));
        }
        if !self.on || !matches!(request, Request::CloseOut | Request::Manual) {
            self.request = Default::default();
            return None;
        }
        let manual = request == Request::Manual;
        if !manual && (failed || (!world.host.queued && (!automatic || held(world)))) {
            self.request = Default::default();
            return None;
        }
        if failed || world.host.queued {
            return None;
        }
        self.clear();
        Some(if manual { (Cause::Manual, false) } else { (Cause::Budget, may_continue(world)) })
    }
}

fn current(world: &World) -> &[Entry] {
    let entries = world.branch.entries();
    let start = entries.iter().rposition(|entry| entry.marker_id().is_some()).map_or(0, |at| at + 1);
    &entries[start..]
}

fn may_continue(world: &World) -> bool {
    world.branch.is_root()
        || current(world).iter().any(|entry| match &entry.kind {
            EntryKind::User | EntryKind::ToolResult { .. } => true,
            EntryKind::Assistant { calls, .. } => *calls,
            _ => false,
        })
}

pub(crate) fn used(world: &World) -> u64 {
    match world.branch.is_root() {
        true => world.host.tokens.flatten().unwrap_or(0),
        false => {
            let shown = world.host.projected.as_ref().expect("the host can say");
            estimate(shown.iter().filter(|message| !matches!(message.body, Body::Summary { empty: true, .. })))
        }
    }
}

fn hard_reserve(world: &World) -> bool {
    let Policy { reserve, automatic, .. } = world.host.policy;
    automatic && reserve < 100_000 && used(world) + reserve >= 200_000
}

pub(crate) fn held(world: &World) -> bool {
    let mut baseline = None;
    for entry in current(world) {
        if let EntryKind::Assistant { usage, .. } = &entry.kind {
            baseline = baseline.or((usage.input > 0).then_some(usage.input));
        }
    }
    // Every answer of these histories says what it cost, but those that failed.
    let opening = || {
        let shown = world.host.projected.as_ref().expect("the host can say");
        let shown = shown.iter().filter(|message| !matches!(message.body, Body::Summary { empty: true, .. }));
        estimate(shown.take_while(|message| !matches!(message.body, Body::Assistant { .. })))
    };
    let answered = current(world).iter().any(|entry| matches!(entry.kind, EntryKind::Assistant { .. }));
    let baseline = baseline.unwrap_or_else(|| if answered { opening() } else { used(world) });
    used(world) < baseline + 4_096
}
