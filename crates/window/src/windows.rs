//! The machine: everything that changes about windows in one instance, and what follows from each event.

use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::action::{Action, Boundary, Closed, Draft, ToolReply, Wait};
use crate::branch::Branch;
use crate::budget::countdown;
use crate::build::Deadline;
use crate::entry::Stop;
use crate::event::{BeforeSettle, Event, Outcome, Start, TurnEnd};
use crate::facts::{Asked, Facts};
use crate::lifecycle::{Effect, Settlement, State, Turn};
use crate::message::Message;
use crate::notices::{self, Lost, Off};
use crate::projection::{Verdict, project};
use crate::stages::Stages;
use crate::texts::{warning, windows_off};
use crate::view::View;
use crate::vocabulary::{Tag, ToolNames};

/// Context windows of one instance of an agent.
#[derive(Debug, Clone)]
pub struct Windows {
    pub(crate) tools: ToolNames,
    /// False before the first start and after the end.
    active: bool,
    /// Why windows are off, if they are.
    off: Option<Off>,
    /// The generation: work begun under an older one is stale. It changes with every start, change of branch, end and
    /// switch, so that it serves as the specification's runtime and lifecycle generation in one.
    pub(crate) generation: u64,
    pub(crate) state: State,
    listening: bool,
    stages: Stages,
    /// Windows whose reset was proposed and not yet announced.
    pub(crate) resets: Vec<String>,
    pub(crate) told: Told,
}

/// What people were told already.
#[derive(Debug, Clone, Default)]
pub(crate) struct Told {
    fail_safe: BTreeSet<String>,
    held: BTreeSet<String>,
    pub(crate) oversized: BTreeSet<String>,
    complaints: BTreeSet<String>,
    /// For the whole life of the instance.
    pub(crate) unreadable: BTreeSet<String>,
    faults: BTreeSet<String>,
}

impl Windows {
    /// A machine that waits for [`Event::Start`]. The names are those that the texts for the model mention.
    pub fn new(tools: ToolNames) -> Windows {
        Windows {
            tools,
            active: false,
            off: None,
            generation: 0,
            state: State::default(),
            listening: false,
            stages: Stages::default(),
            resets: Vec::new(),
            told: Told::default(),
        }
    }

    /// Whether windows are on.
    pub fn is_on(&self) -> bool {
        self.off.is_none()
    }

    /// What to keep for the case that the machine cannot answer.
    pub fn closed(&self, branch: &Branch) -> Closed {
        let reset_window = !branch.is_root();
        let legacy = reset_window && !branch.checkpoint_backed();
        Closed { cancel_compaction: self.is_on() || legacy, reset_window }
    }

    /// What people see of the current window.
    pub fn view(&self, branch: &Branch, facts: &mut dyn Facts) -> View {
        View::new(branch, self.off.as_ref(), Asked { branch, facts }.room())
    }

    /// Takes in what happened on the branch, and says what to do.
    pub fn handle(&mut self, event: Event<'_>, branch: &Branch, facts: &mut dyn Facts) -> Vec<Action> {
        let mut out = Vec::new();
        match event {
            Event::Start(start) => self.start(start, branch, facts, &mut out),
            Event::Tree => self.renew(branch, facts, &mut out),
            Event::Shutdown => {
                self.transition(&mut out);
                self.active = false;
            }
            Event::ModelSelect => self.budget_transition(&mut out),
            Event::Complaints(complaints) => {
                for complaint in complaints {
                    if self.told.complaints.insert(complaint.clone()) {
                        out.push(Action::Notify(notices::warning(&complaint)));
                    }
                }
            }
            Event::BeforeRun => {
                // The turn that a person's wipe started says the same already.
                if self.works() && !self.state.manual_pending(branch.window_id()) {
                    let asked = Asked { branch, facts };
                    out.extend(self.stages.before_run(asked, &self.tools).map(Action::Inject));
                }
            }
            Event::Context { messages, aborted } => self.context(messages, aborted, branch, facts, &mut out),
            Event::TurnStart => self.announce(branch, &mut out),
            Event::TurnEnd(turn) => self.turn_end(turn, branch, facts, &mut out),
            Event::BeforeSettle(settled) => self.before_settle(settled, branch, facts, &mut out),
            Event::RunEnd { aborted } => {
                if aborted {
                    self.state = State::default();
                }
            }
            Event::Settled { aborted } => self.settled(aborted, branch, &mut out),
            Event::BeforeCompact { manual, aborted } => self.before_compact(manual, aborted, branch, &mut out),
            Event::BeforeTree { wants_summary, target } => {
                if wants_summary && !(branch.is_root() && target.is_root()) {
                    out.extend([Action::Notify(notices::summary_skipped()), Action::SkipSummary]);
                }
            }
            Event::WipeTool => out.push(Action::Reply(self.wipe_tool(branch))),
            Event::RemainingTool => {
                let json = countdown(Asked { branch, facts }.room());
                out.push(Action::Reply(ToolReply { json, failed: false, terminate: false }));
            }
            Event::WipeCommand { idle, running } => self.wipe_command(idle, running, branch, &mut out),
            Event::Idle(wait) => {
                let current = self.works() && wait.generation == self.generation && wait.window == branch.window_id();
                if current {
                    self.wipe_command(true, false, branch, &mut out);
                }
            }
            Event::SendFailed(cause) => {
                self.state = State::default();
                out.push(Action::Notify(notices::send_failed(&cause)));
            }
            Event::Toggle(argument) => self.toggle(argument, branch, facts, &mut out),
            Event::Built { build, material, aborted } => self.built(build, material, aborted, branch, facts, &mut out),
            Event::Fault(text) => {
                if self.told.faults.insert(text.clone()) {
                    out.push(Action::Notify(notices::fault(&text)));
                }
            }
        }
        self.listen(branch, &mut out);
        out
    }

    pub(crate) fn works(&self) -> bool {
        self.active && self.is_on()
    }

    fn start(&mut self, start: Start, branch: &Branch, facts: &mut dyn Facts, out: &mut Vec<Action>) {
        self.active = true;
        self.off = match (start.stand_down, start.missing, start.enabled) {
            (Some(way_out), _, _) => Some(Off::StandDown(way_out)),
            (None, missing, _) if !missing.is_empty() => {
                out.push(Action::Notify(notices::tools_missing(&missing)));
                Some(Off::Tools(missing))
            }
            (None, _, true) => None,
            (None, _, false) => Some(Off::Setting),
        };
        self.renew(branch, facts, out);
    }

    /// Another session or another branch: nothing that was going on counts any more.
    fn renew(&mut self, branch: &Branch, facts: &mut dyn Facts, out: &mut Vec<Action>) {
        self.transition(out);
        self.told.fail_safe.clear();
        self.told.held.clear();
        self.told.oversized.clear();
        self.resets.clear();
        out.push(Action::Keep(self.closed(branch)));
        self.ensure_boot(branch, facts, out);
    }

    fn transition(&mut self, out: &mut Vec<Action>) {
        self.budget_transition(out);
        self.generation += 1;
        self.state = State::default();
    }

    fn budget_transition(&mut self, out: &mut Vec<Action>) {
        self.stages.clear();
        self.told.complaints.clear();
        out.push(Action::ForgetSettings);
    }

    /// The host copies the branch for whoever listens to settlements: only done while one could end the window.
    fn listen(&mut self, branch: &Branch, out: &mut Vec<Action>) {
        let armed = self.active && self.state.armed(branch.window_id());
        if armed != self.listening {
            self.listening = armed;
            out.push(Action::ListenSettle(armed));
        }
    }

    fn context(
        &mut self,
        messages: &[Message],
        aborted: bool,
        branch: &Branch,
        facts: &mut dyn Facts,
        out: &mut Vec<Action>,
    ) {
        let mut append = None;
        if self.works() {
            let seen = self.stages.request(Asked { branch, facts }, &self.tools);
            if seen.close_out {
                self.state.arm_close_out(branch.window_id());
            }
            if seen.held {
                self.tell_held(branch, facts, out);
            }
            out.extend(seen.notice.map(Action::Notify));
            append = seen.append;
        }
        let window = branch.window_id();
        let manual = !aborted && self.state.manual_pending(window);
        match project(messages, branch, append, manual) {
            Verdict::Send(projection) => out.push(Action::Request(projection)),
            Verdict::FailSafe(projection) => {
                if self.told.fail_safe.insert(window.to_string()) {
                    out.push(Action::Notify(notices::fail_safe(window, self.off.as_ref())));
                }
                out.extend([Action::Abort, Action::Request(projection)]);
            }
        }
    }

    fn turn_end(&mut self, turn: TurnEnd, branch: &Branch, facts: &mut dyn Facts, out: &mut Vec<Action>) {
        if !self.active {
            return;
        }
        let window = branch.window_id();
        let aborted = turn.aborted || turn.outcome == Outcome::Aborted || turn.stop == Some(Stop::Aborted);
        let failed = turn.outcome == Outcome::Error;
        let accepted = self.is_on() && !aborted && !failed;
        let drafts = self.stages.drain(branch, accepted);
        let overflow = !aborted && turn.stop.is_some() && turn.overflow;
        let turn = Turn {
            aborted,
            overflow,
            cut_short: matches!(turn.stop, Some(Stop::Error | Stop::Length)),
            failed,
            enabled: self.is_on(),
            tools: turn.tools,
        };
        let effect = self.state.turn_end(window, turn, &mut Asked { branch, facts });
        let lost = if overflow { Lost::Overflow } else { Lost::Failure };
        self.carry_out(effect, lost, Deadline::Open, drafts, branch, facts, out);
    }

    fn before_settle(&mut self, settled: BeforeSettle, branch: &Branch, facts: &mut dyn Facts, out: &mut Vec<Action>) {
        if !self.active {
            return;
        }
        let settlement = Settlement {
            aborted: settled.aborted || settled.outcome == Outcome::Aborted,
            failed: settled.outcome == Outcome::Error,
            enabled: self.is_on(),
        };
        let effect = self.state.before_settle(branch.window_id(), settlement, &mut Asked { branch, facts });
        self.carry_out(effect, Lost::Overflow, Deadline::Now, Vec::new(), branch, facts, out);
    }

    #[expect(clippy::too_many_arguments, reason = "the two boundaries differ in these alone")]
    fn carry_out(
        &mut self,
        effect: Effect,
        lost: Lost,
        deadline: Deadline,
        drafts: Vec<Draft>,
        branch: &Branch,
        facts: &mut dyn Facts,
        out: &mut Vec<Action>,
    ) {
        match effect {
            Effect::Nothing => {}
            Effect::ManualLost => out.push(Action::Notify(notices::manual_lost(lost))),
            Effect::Held => self.tell_held(branch, facts, out),
            Effect::Commit { cause, proceed } => {
                let build = self.reset(cause, proceed, deadline, drafts, branch, facts);
                out.push(Action::Build(Box::new(build)));
                return;
            }
        }
        if !drafts.is_empty() {
            out.push(Action::Boundary(Boundary { drafts, proceed: None }));
        }
    }

    /// Announces what the session has made durable.
    fn announce(&mut self, branch: &Branch, out: &mut Vec<Action>) {
        if !self.active {
            return;
        }
        self.resets.retain(|window| {
            let committed = branch.committed(window);
            if committed {
                out.push(Action::Notify(notices::cleared(window)));
            }
            !committed
        });
        out.extend(self.stages.announce(branch).map(Action::Notify));
    }

    fn settled(&mut self, aborted: bool, branch: &Branch, out: &mut Vec<Action>) {
        if !self.active {
            return;
        }
        self.announce(branch, out);
        self.resets.clear();
        self.stages.clear();
        if self.state.manual_pending(branch.window_id()) && !aborted {
            out.push(Action::Notify(notices::manual_lost(Lost::Settled)));
        }
        self.state = State::default();
    }

    fn before_compact(&self, manual: bool, aborted: bool, branch: &Branch, out: &mut Vec<Action>) {
        if !self.active {
            return;
        }
        let cancel = self.closed(branch).cancel_compaction;
        if cancel && manual && !aborted {
            out.push(Action::Notify(notices::compaction_cancelled(self.off.as_ref())));
        }
        if cancel || aborted {
            out.push(Action::CancelCompaction);
        }
    }

    fn wipe_tool(&mut self, branch: &Branch) -> ToolReply {
        if let Some(off) = &self.off {
            let error = windows_off(off);
            let json = format!("{{\n  \"error\": \"{error}\",\n  \"code\": \"windows_off\"\n}}");
            return ToolReply { json, failed: true, terminate: false };
        }
        let new = self.state.request_by_tool(branch.window_id());
        let status = if new { "rollover_requested" } else { "rollover_already_pending" };
        let written = branch.notes_written();
        let json = format!("{{\n  \"status\": \"{status}\",\n  \"notes_written\": {written}\n}}");
        ToolReply { json, failed: false, terminate: true }
    }

    fn wipe_command(&mut self, idle: bool, running: bool, branch: &Branch, out: &mut Vec<Action>) {
        if let Some(off) = &self.off {
            out.push(Action::Notify(notices::wipe_refused(off)));
            return;
        }
        let window = branch.window_id();
        if !idle && !running {
            out.push(Action::WaitIdle(Wait { window: window.to_string(), generation: self.generation }));
            return;
        }
        if !self.state.request_by_person(window) {
            return;
        }
        out.push(Action::Notify(notices::wipe_follows(idle)));
        if idle {
            let content = warning(&self.tools);
            out.push(Action::SendAndRun(Draft::Message { tag: Tag::ManualWipe, content, window_id: None }));
        }
    }

    fn toggle(&mut self, argument: &str, branch: &Branch, facts: &mut dyn Facts, out: &mut Vec<Action>) {
        match argument.trim().to_lowercase().as_str() {
            "on" => {
                if let Some(off @ (Off::Tools(_) | Off::StandDown(_))) = &self.off {
                    out.push(Action::Notify(notices::on_refused(off)));
                    return;
                }
                self.off = None;
                self.generation += 1;
                out.push(Action::Keep(self.closed(branch)));
                self.ensure_boot(branch, facts, out);
            }
            "off" => {
                self.off.get_or_insert(Off::Command);
                self.generation += 1;
                self.resets.clear();
                self.stages.clear();
                self.state = State::default();
                out.push(Action::Keep(self.closed(branch)));
            }
            "" | "status" => {}
            unknown => {
                out.push(Action::Notify(notices::unknown_argument(unknown)));
                return;
            }
        }
        out.push(Action::Status);
    }

    fn tell_held(&mut self, branch: &Branch, facts: &mut dyn Facts, out: &mut Vec<Action>) {
        let Some(context_window) = facts.usage().context_window else {
            return;
        };
        if self.told.held.insert(branch.window_id().to_string()) {
            out.push(Action::Notify(notices::held(context_window)));
        }
    }
}
