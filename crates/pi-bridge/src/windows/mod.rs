//! Context windows in the host: its events handed to the machine, the machine's actions handed back.
//!
//! Nothing is decided here: this translates, keeps what crosses twice, and reads what a boot is made of.

mod draft;
mod entry;
mod event;
mod facts;
mod material;
mod message;
mod settings;

use std::collections::HashMap;
use std::mem;

use palimpsest_window::{
    Action as Asked, Branch, Build, Event, Level as Weight, Material, Message, Notice, Start, Stop, ToolNames,
    Versions, Wait, Windows, reset_mark,
};
use serde_json::{Value, json};

use crate::host::{Action, Level};
use entry::leaf;
use event::{EventValue, Happening};
use facts::HostFacts;
use settings::Resolved;

pub use facts::Ask;
pub(crate) use material::{Collected, Supplies, collect};

/// Tools without which windows stay off, and what else the machine is told of them.
pub(crate) use palimpsest_window::NEEDED_TOOLS;

/// The windows of one instance of the extension.
pub(crate) struct WindowHost {
    machine: Windows,
    branch: Option<Branch>,
    settings: Option<Resolved>,
    /// What waits for the host, by the number that the host was given for it.
    builds: HashMap<u64, Box<Build>>,
    materials: HashMap<u64, Result<Box<Material>, String>>,
    waits: HashMap<u64, Wait>,
    next: u64,
    /// The footer as the host shows it, and the window that it is of.
    footer: Option<(String, String)>,
    versions: Versions,
}

impl Default for WindowHost {
    fn default() -> WindowHost {
        WindowHost {
            machine: Windows::new(ToolNames::default()),
            branch: None,
            settings: None,
            builds: HashMap::new(),
            materials: HashMap::new(),
            waits: HashMap::new(),
            next: 0,
            footer: None,
            versions: Versions {
                product: env!("CARGO_PKG_VERSION").to_owned(),
                build: option_env!("PALIMPSEST_BUILD").map(str::to_owned),
                host: "of unknown version".to_owned(),
            },
        }
    }
}

impl WindowHost {
    /// Takes the version of the host.
    pub(crate) fn host_version(&mut self, version: String) {
        self.versions.host = version;
    }

    /// Takes in an event (JSON of a happening) and says what to do.
    pub(crate) fn handle(&mut self, happening: &str, ask: &mut Ask<'_>) -> Result<Vec<Action>, String> {
        #[cfg(feature = "test-exports")]
        crate::panics::panic_if_asked_at(happening);
        let happening: Happening = serde_json::from_str(happening).map_err(|error| error.to_string())?;
        let mut settings = self.settings.take();
        let mut facts = HostFacts::new(ask, &mut settings);
        let handled = self.handle_with(happening, &mut facts);
        self.settings = settings;
        handled
    }

    /// Says once that a handler failed.
    pub(crate) fn fault(&mut self, has_ui: bool, text: &str) -> Vec<Action> {
        let branch = self.branch.get_or_insert_with(|| Branch::new("", 0));
        let (mut silent, mut settings) = (|_: &str| None, None);
        let mut facts = HostFacts::new(&mut silent, &mut settings);
        let asked = self.machine.handle(Event::Fault(text.to_owned()), branch, &mut facts);
        let notices = asked.into_iter().filter_map(|asked| match asked {
            Asked::Notify(notice) => tell(has_ui, false, &notice),
            _ => None,
        });
        notices.collect()
    }

    /// A boot that is being made, and how the last answer of its branch ended.
    pub(crate) fn build(&self, number: u64) -> Option<(Build, Option<&'static str>)> {
        let build = Build::clone(self.builds.get(&number)?);
        let branch = self.branch.as_ref()?;
        let answer = branch.last_said().answer;
        let entry = branch.entries().iter().rfind(|entry| Some(entry.id.as_str()) == answer);
        let stop = entry.and_then(|entry| match entry.kind {
            palimpsest_window::EntryKind::Assistant { stop, .. } => Some(word(stop)),
            _ => None,
        });
        Some((build, stop))
    }

    /// Keeps the material of a boot until the host says that it is there.
    pub(crate) fn supply(&mut self, number: u64, material: Result<Box<Material>, String>) {
        if self.builds.contains_key(&number) {
            self.materials.insert(number, material);
        }
    }

    /// What the transcript shows where a window begins.
    pub(crate) fn mark(&self, window: &str) -> Option<String> {
        Some(reset_mark(self.branch.as_ref()?, window))
    }

    fn handle_with(&mut self, happening: Happening, facts: &mut HostFacts<'_>) -> Result<Vec<Action>, String> {
        let Happening { has_ui, in_terminal, session, leaf, event } = happening;
        self.follow(&session, leaf.as_deref(), facts)?;
        let shows = self.shows(&event);
        let starts = matches!(event, EventValue::Start { .. });
        let mut answers = Answers { has_ui, in_terminal, starts, ..Answers::default() };
        let asked = self.dispatch(event, facts, &mut answers)?;
        self.translate(asked, facts, &mut answers);
        if starts {
            // The machine forgets them at a start, when they were read for this very start.
            facts.settings();
        }
        let complaints = mem::take(&mut facts.complaints);
        if !complaints.is_empty() {
            answers.starts = false;
            let asked = self.machine.handle(Event::Complaints(complaints), self.branch.as_ref().ok_or(LOST)?, facts);
            self.translate(asked, facts, &mut answers);
        }
        if has_ui && shows {
            answers.actions.extend(self.footer(facts));
        }
        Ok(answers.actions)
    }

    /// Brings the branch to where the host has it.
    fn follow(&mut self, session: &str, leaf: Option<&str>, facts: &mut HostFacts<'_>) -> Result<(), String> {
        let mut after = None;
        if let Some(known) = self.branch.as_mut().filter(|branch| branch.session() == session) {
            if self::leaf(known) == leaf || known.rewind(leaf) {
                return Ok(());
            }
            after = self::leaf(known).map(str::to_owned);
        }
        let stretch = facts.stretch(leaf, after.as_deref()).ok_or("the host does not say what its session holds")?;
        stretch.continue_or_replace(&mut self.branch);
        Ok(())
    }

    fn dispatch(
        &mut self,
        event: EventValue,
        facts: &mut HostFacts<'_>,
        answers: &mut Answers,
    ) -> Result<Vec<Asked>, String> {
        let branch = self.branch.as_ref().ok_or(LOST)?;
        let messages: Vec<Message>;
        let target: Branch;
        let event = match event {
            EventValue::Start { active, stand_down } => {
                facts.forget_settings();
                let enabled = facts.settings().settings.enabled;
                let missing = NEEDED_TOOLS.iter().filter(|tool| !active.iter().any(|known| known == *tool));
                Event::Start(Start { enabled, missing: missing.map(|tool| (*tool).to_owned()).collect(), stand_down })
            }
            EventValue::Tree => Event::Tree,
            EventValue::Shutdown => Event::Shutdown,
            EventValue::ModelSelect => Event::ModelSelect,
            EventValue::BeforeRun => Event::BeforeRun,
            EventValue::Context { messages: values, aborted } => {
                messages = values.into_iter().map(Message::from).collect();
                answers.messages = messages.len();
                facts.present(messages.clone());
                Event::Context { messages: &messages, aborted }
            }
            EventValue::TurnStart => Event::TurnStart,
            EventValue::TurnEnd { outcome, stop, aborted, overflow, tools } => {
                Event::TurnEnd(event::turn_end(outcome, stop.as_deref(), [aborted, overflow, tools]))
            }
            EventValue::BeforeSettle { outcome, aborted } => {
                Event::BeforeSettle(event::before_settle(outcome, aborted))
            }
            EventValue::RunEnd { aborted } => Event::RunEnd { aborted },
            EventValue::Settled { aborted } => Event::Settled { aborted },
            EventValue::BeforeCompact { manual, aborted } => Event::BeforeCompact { manual, aborted },
            EventValue::BeforeTree { wants_summary, target: id } => {
                let stretch = if wants_summary { facts.stretch(Some(&id), None) } else { None };
                let mut ending = None;
                if let Some(stretch) = stretch {
                    stretch.continue_or_replace(&mut ending);
                }
                target = ending.unwrap_or_else(|| Branch::new(branch.session(), 0));
                Event::BeforeTree { wants_summary, target: &target }
            }
            EventValue::WipeTool => Event::WipeTool,
            EventValue::RemainingTool => Event::RemainingTool,
            EventValue::WipeCommand { idle, running } => Event::WipeCommand { idle, running },
            EventValue::Idle { wait } => match self.waits.remove(&wait) {
                Some(wait) => Event::Idle(wait),
                None => return Ok(Vec::new()),
            },
            EventValue::SendFailed { cause } => Event::SendFailed(cause),
            EventValue::Toggle { ref argument } => {
                return Ok(self.machine.handle(Event::Toggle(argument), branch, facts));
            }
            EventValue::Built { build, aborted } => {
                let material = self.materials.remove(&build);
                let Some(known) = self.builds.remove(&build) else {
                    return Ok(Vec::new());
                };
                let material = material.unwrap_or_else(|| Err("the host did not collect what a boot needs".to_owned()));
                Event::Built { build: known, material, aborted }
            }
        };
        Ok(self.machine.handle(event, branch, facts))
    }

    fn translate(&mut self, asked: Vec<Asked>, facts: &mut HostFacts<'_>, answers: &mut Answers) {
        for asked in asked {
            let action = match asked {
                Asked::Notify(notice) => tell(answers.has_ui, answers.starts, &notice),
                Asked::Inject(draft) => answer(json!({ "message": draft::message(&draft) })),
                Asked::Request(projection) => draft::request(&projection, answers.messages)
                    .and_then(|request| answer(json!({ "request": request }))),
                Asked::Abort => Some(Action::Abort),
                Asked::Boundary(boundary) => answer(json!({ "boundary": draft::boundary(&boundary) })),
                Asked::Build(build) => Some(Action::Build { build: self.keep(|host| &mut host.builds, build) }),
                Asked::Append(draft @ palimpsest_window::Draft::Message { .. }) => {
                    Some(Action::Message { message: draft::message(&draft) })
                }
                Asked::Append(draft) => Some(Action::Entry { entry: draft::entry(&draft) }),
                Asked::SendAndRun(draft) => Some(Action::Run { message: draft::message(&draft) }),
                Asked::WaitIdle(wait) => Some(Action::WaitIdle { wait: self.keep(|host| &mut host.waits, wait) }),
                Asked::Reply(reply) => answer(json!({ "result": draft::result(&reply) })),
                Asked::CancelCompaction => answer(json!({ "cancel": true })),
                Asked::SkipSummary => answer(json!({ "summary": { "summary": "" } })),
                Asked::ListenSettle(on) => Some(Action::ListenSettle { on }),
                Asked::ForgetSettings => {
                    facts.forget_settings();
                    None
                }
                Asked::Keep(closed) => Some(Action::Keep {
                    cancel_compaction: closed.cancel_compaction,
                    reset_window: closed.reset_window,
                }),
                Asked::Status => self.status(facts, answers),
            };
            answers.actions.extend(action);
        }
    }

    /// Keeps something under a number that the host can hand back.
    fn keep<T>(&mut self, shelf: impl Fn(&mut WindowHost) -> &mut HashMap<u64, T>, item: T) -> u64 {
        self.next += 1;
        let number = self.next;
        shelf(self).insert(number, item);
        number
    }

    fn status(&self, facts: &mut HostFacts<'_>, answers: &Answers) -> Option<Action> {
        let view = self.machine.view(self.branch.as_ref()?, facts);
        if answers.in_terminal {
            return Some(Action::Panel { lines: view.panel(&self.versions) });
        }
        tell(answers.has_ui, false, &view.status(&self.versions))
    }

    /// Whether the footer may be another one after this event, without asking the host for more than the event did.
    fn shows(&self, event: &EventValue) -> bool {
        match event {
            EventValue::Start { .. }
            | EventValue::Tree
            | EventValue::ModelSelect
            | EventValue::Toggle { .. }
            | EventValue::TurnEnd { .. } => true,
            EventValue::TurnStart | EventValue::Settled { .. } => {
                let window = self.branch.as_ref().map(Branch::window_id);
                self.footer.as_ref().map(|(of, _)| of.as_str()) != window
            }
            _ => false,
        }
    }

    fn footer(&mut self, facts: &mut HostFacts<'_>) -> Option<Action> {
        let branch = self.branch.as_ref()?;
        let text = self.machine.view(branch, facts).footer();
        let shown = (branch.window_id().to_owned(), text.clone());
        if self.footer.as_ref() == Some(&shown) {
            return None;
        }
        self.footer = Some(shown);
        Some(Action::Footer { text })
    }
}

const LOST: &str = "the session's branch is not known";

/// What becomes of one event.
#[derive(Default)]
struct Answers {
    actions: Vec<Action>,
    has_ui: bool,
    in_terminal: bool,
    /// Obstacles at a start are told on standard error where there is no user interface.
    starts: bool,
    /// Messages of the request that the event is about.
    messages: usize,
}

fn answer(answer: Value) -> Option<Action> {
    Some(Action::Answer { answer })
}

fn tell(has_ui: bool, is_obstacle: bool, notice: &Notice) -> Option<Action> {
    let level = match notice.level {
        Weight::Info => Level::Info,
        Weight::Warning => Level::Warning,
        Weight::Error => Level::Error,
    };
    (has_ui || is_obstacle).then(|| Action::tell(has_ui, level, &notice.text))
}

/// The host's word for how an answer ended.
fn word(stop: Stop) -> &'static str {
    match stop {
        Stop::Stop => "stop",
        Stop::Length => "length",
        Stop::ToolUse => "toolUse",
        Stop::Aborted => "aborted",
        Stop::Error => "error",
        Stop::Other => "unknown",
    }
}
