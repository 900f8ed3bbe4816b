//! A host made of plain values: scripts of what happens, with what follows from each step below it.

use palimpsest_window::*;

use crate::support::{show, show_draft};

pub(crate) const SESSION: &str = "01987a2f-7c11-7abc-8def-001122334455";

/// A session, a host and the machine on it.
#[derive(Clone)]
pub(crate) struct World {
    pub(crate) branch: Branch,
    pub(crate) windows: Windows,
    pub(crate) host: Host,
    pub(crate) material: Material,
    /// Builds stay open until the script answers them.
    pub(crate) slow: bool,
    pub(crate) open: Option<Box<Build>>,
    waiting: Option<Wait>,
    /// Texts of drafts that reached the session, with what holds them.
    pub(crate) written: Vec<Draft>,
    clock: i64,
}

/// What the machine may ask.
#[derive(Clone)]
pub(crate) struct Host {
    pub(crate) queued: bool,
    pub(crate) policy: Policy,
    pub(crate) tokens: Option<Option<u64>>,
    pub(crate) context_window: Option<u64>,
    pub(crate) drawn: u32,
    /// Messages of the branch as the host projects them.
    pub(crate) projected: Option<Vec<Message>>,
    pub(crate) reads: Reads,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reads {
    pub(crate) queued: usize,
    pub(crate) policy: usize,
    pub(crate) usage: usize,
    pub(crate) projection: usize,
}

impl Facts for Host {
    fn queued(&mut self) -> bool {
        self.reads.queued += 1;
        self.queued
    }

    fn policy(&mut self) -> Policy {
        self.reads.policy += 1;
        self.policy
    }

    fn usage(&mut self) -> HostUsage {
        self.reads.usage += 1;
        let estimated = self.projected.as_ref().map(estimate);
        HostUsage { tokens: self.tokens.unwrap_or(estimated), context_window: self.context_window }
    }

    fn projection(&mut self) -> Option<Vec<Message>> {
        self.reads.projection += 1;
        self.projected.clone()
    }

    fn names(&mut self) -> Names {
        Names { agent: "anonymous".into(), model: "m-1".into() }
    }

    fn draw(&mut self) -> u32 {
        self.drawn += 1;
        self.drawn
    }
}

impl World {
    /// A world before its start: a context window of 200,000 tokens, nothing said yet.
    pub(crate) fn new() -> World {
        World {
            branch: Branch::new(SESSION, 0),
            windows: Windows::new(ToolNames::default()),
            host: Host {
                queued: false,
                policy: Policy::default(),
                tokens: None,
                context_window: Some(200_000),
                drawn: 0,
                projected: Some(Vec::new()),
                reads: Reads::default(),
            },
            material: Material {
                snapshot: Snapshot::default(),
                payload: Payload::default(),
                carry_over: true,
                context_window: Some(200_000),
            },
            slow: false,
            open: None,
            waiting: None,
            written: Vec::new(),
            clock: 0,
        }
    }

    /// A world whose session has started and shows the boot of its root window.
    pub(crate) fn started() -> World {
        let mut world = World::new();
        world.step("start");
        world
    }

    /// A world in the window behind one wipe by the model.
    pub(crate) fn wiped() -> World {
        let mut world = World::started();
        for step in ["user", "assistant calls", "wipe-tool", "turn ok tools", "turn-start"] {
            world.step(step);
        }
        world
    }

    /// Plays a script: each line that is not indented is a step, and the indented lines below it are all that follows.
    #[track_caller]
    pub(crate) fn play(&mut self, script: &str) {
        let script: Vec<&str> = script.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
        let indent = script.iter().map(|line| line.len() - line.trim_start().len()).min().unwrap_or(0);
        let script: Vec<&str> = script.iter().map(|line| &line[indent..]).collect();
        let mut played = Vec::new();
        for line in script.iter().filter(|line| !line.starts_with(' ')) {
            played.push((*line).to_owned());
            played.extend(self.step(line).iter().map(|line| format!("    {line}")));
        }
        let (played, script) = (played.join("\n"), script.join("\n"));
        assert!(played == script, "this happened:\n{played}\n\ninstead of:\n{script}\n");
    }

    /// Does one step and says what followed.
    pub(crate) fn step(&mut self, step: &str) -> Vec<String> {
        let words: Vec<&str> = step.split_whitespace().collect();
        let has = |word: &str| words.contains(&word);
        let number = |at: usize| words[at].replace(',', "").parse::<u64>().expect("a number");
        match words[0] {
            // What the session gains.
            "user" => self.push(EntryKind::User),
            "assistant" => {
                let input = words.iter().position(|word| *word == "used").map_or(0, |at| number(at + 1));
                let usage = TokenUsage { input, ..TokenUsage::default() };
                let stop = words.iter().map(|word| Stop::parse(word)).find(|stop| *stop != Stop::Other);
                let stop = stop.unwrap_or(if has("calls") { Stop::ToolUse } else { Stop::Stop });
                self.push(EntryKind::Assistant { calls: has("calls"), text: true, stop, usage })
            }
            "result" => self.push(EntryKind::ToolResult { tool: words[1].into(), failed: has("failed") }),
            "metadata" => self.push(EntryKind::Metadata),
            "foreign" => self.push(EntryKind::CustomMessage { tag: "other".into(), display: true, window_id: None }),
            "legacy-marker" => {
                self.push(EntryKind::Custom { tag: MARKER_TAG.into(), window_id: Some(words[1].into()) })
            }
            "host-compaction" => {
                self.push(EntryKind::Compaction(Compaction { keeps_itself: true, ..Compaction::default() }))
            }
            "tool-loses-boots" => {
                let shown = self.host.projected.as_mut().expect("the host can say");
                shown.retain(|message| !matches!(&message.body, Body::Custom { tag, .. } if tag == Tag::Boot.as_str()));
                Vec::new()
            }
            "rewind" => {
                let id = self.branch.entries()[number(1) as usize].id.clone();
                self.branch.rewind(Some(&id));
                self.project();
                Vec::new()
            }
            // What the host says.
            "queued" => self.set(|host| host.queued = words[1] == "yes"),
            "automatic" => self.set(|host| host.policy.automatic = words[1] == "yes"),
            "reserve" => self.set(|host| host.policy.reserve = number(1)),
            "used" if words[1] == "unknown" => self.set(|host| host.tokens = Some(None)),
            "used" => self.set(|host| host.tokens = Some(Some(number(1)))),
            "context-window" => self.set(|host| host.context_window = Some(number(1))),
            "slow" => {
                self.slow = true;
                Vec::new()
            }
            "reads" => {
                let Reads { queued, policy, usage, projection } = std::mem::take(&mut self.host.reads);
                vec![format!("queued {queued}, policy {policy}, usage {usage}, projection {projection}")]
            }
            "entries" => vec![self.entries()],
            // What happens.
            "start" => {
                let missing = if has("missing") { vec![words[2].into()] } else { Vec::new() };
                let stand_down = has("stand-down").then(|| "remove the other extension".into());
                self.happens(Event::Start(Start { enabled: !has("disabled"), missing, stand_down }))
            }
            "tree" => self.happens(Event::Tree),
            "shutdown" => self.happens(Event::Shutdown),
            "model" => self.happens(Event::ModelSelect),
            "run" => self.happens(Event::BeforeRun),
            "request" => {
                let messages = self.host.projected.clone().expect("the host can say");
                self.happens(Event::Context { messages: &messages, aborted: has("aborted") })
            }
            "turn-start" => self.happens(Event::TurnStart),
            "turn" => {
                let stop = match words[1] {
                    "overflow" | "error" => Stop::Error,
                    "length" => Stop::Length,
                    "marked-aborted" => Stop::Aborted,
                    _ if has("tools") => Stop::ToolUse,
                    _ => Stop::Stop,
                };
                self.happens(Event::TurnEnd(TurnEnd {
                    outcome: outcome(words[1]),
                    stop: Some(stop),
                    aborted: has("signal"),
                    overflow: matches!(words[1], "overflow" | "length" | "silent"),
                    tools: has("tools"),
                }))
            }
            "settle" => {
                self.happens(Event::BeforeSettle(BeforeSettle { outcome: outcome(words[1]), aborted: has("signal") }))
            }
            "run-end" => self.happens(Event::RunEnd { aborted: has("aborted") }),
            "settled" => self.happens(Event::Settled { aborted: has("aborted") }),
            "compact" => self.happens(Event::BeforeCompact { manual: has("manual"), aborted: has("aborted") }),
            "wipe-tool" => self.happens(Event::WipeTool),
            "remaining-tool" => self.happens(Event::RemainingTool),
            "wipe-command" => self.happens(Event::WipeCommand { idle: has("idle"), running: has("running") }),
            "idle" => {
                let wait = self.waiting.take().expect("something waits");
                self.happens(Event::Idle(wait))
            }
            "send-failed" => self.happens(Event::SendFailed("no model".into())),
            "toggle" => self.happens(Event::Toggle(step.trim_start_matches("toggle").trim_start())),
            "built" => {
                let build = self.open.take().expect("a build is open");
                self.answer(build, has("failed"), has("aborted"))
            }
            "fault" => self.happens(Event::Fault(words[1].into())),
            unknown => panic!("no such step: {unknown}"),
        }
    }

    /// Whether a command waits until the host is idle.
    pub(crate) fn waits(&self) -> bool {
        self.waiting.is_some()
    }

    /// Tells the machine, and carries out what it says.
    pub(crate) fn happens(&mut self, event: Event<'_>) -> Vec<String> {
        let actions = self.windows.handle(event, &self.branch, &mut self.host);
        let mut lines = Vec::new();
        for action in actions {
            lines.push(show(&action));
            match action {
                Action::Boundary(boundary) => boundary.drafts.iter().for_each(|draft| self.append(draft)),
                Action::Append(draft) | Action::Inject(draft) | Action::SendAndRun(draft) => self.append(&draft),
                Action::WaitIdle(wait) => self.waiting = Some(wait),
                Action::Build(build) if self.slow => self.open = Some(build),
                Action::Build(build) => lines.extend(self.answer(build, false, false)),
                Action::Notify(_)
                | Action::Request(_)
                | Action::Abort
                | Action::Reply(_)
                | Action::CancelCompaction
                | Action::SkipSummary
                | Action::ListenSettle(_)
                | Action::ForgetSettings
                | Action::Status
                | Action::Keep(_) => {}
            }
        }
        lines
    }

    fn answer(&mut self, build: Box<Build>, failed: bool, aborted: bool) -> Vec<String> {
        let material = if failed { Err("disk on fire".into()) } else { Ok(Box::new(self.material.clone())) };
        self.happens(Event::Built { build, material, aborted })
    }

    pub(crate) fn append(&mut self, draft: &Draft) {
        self.clock += 1;
        self.branch.push(draft.to_entry(&format!("e{}", self.clock), self.clock));
        self.written.push(draft.clone());
        self.project();
    }

    pub(crate) fn push(&mut self, kind: EntryKind) -> Vec<String> {
        self.clock += 1;
        let id = format!("e{}", self.clock);
        self.branch.push(Entry { id, at: self.clock, kind });
        self.project();
        Vec::new()
    }

    fn set(&mut self, change: impl FnOnce(&mut Host)) -> Vec<String> {
        change(&mut self.host);
        Vec::new()
    }

    /// The host's projection: everything behind the last compaction, with its wrapper.
    fn project(&mut self) {
        let entries = self.branch.entries();
        let cut = entries.iter().rposition(|entry| matches!(entry.kind, EntryKind::Compaction(_))).unwrap_or(0);
        self.host.projected = Some(entries[cut..].iter().filter_map(|entry| message(entry, &self.written)).collect());
    }

    /// The tags and kinds on the branch.
    fn entries(&self) -> String {
        let kinds = self.branch.entries().iter().map(|entry| match &entry.kind {
            EntryKind::User => "user".to_owned(),
            EntryKind::Assistant { .. } => "assistant".into(),
            EntryKind::ToolResult { tool, .. } => tool.clone(),
            EntryKind::Metadata => "metadata".into(),
            EntryKind::Custom { .. } => format!("marker({})", entry.marker_id().unwrap_or("invalid")),
            EntryKind::CustomMessage { tag, .. } => tag.trim_start_matches("pi-context/").to_owned(),
            EntryKind::Compaction(compaction) if compaction.empty => "checkpoint".into(),
            EntryKind::Compaction(_) => "compaction".into(),
            EntryKind::OtherMessage | EntryKind::BranchSummary => "other".into(),
        });
        kinds.collect::<Vec<_>>().join(" ")
    }

    /// The text of the newest message of this kind that reached the session.
    #[track_caller]
    pub(crate) fn newest(&self, wanted: Tag) -> &str {
        let texts = self.written.iter().rev().filter_map(|draft| match draft {
            Draft::Message { tag, content, .. } if *tag == wanted => Some(content.as_str()),
            _ => None,
        });
        texts.into_iter().next().expect("one was written")
    }
}

/// An entry as the host shows it to the model.
fn message(entry: &Entry, written: &[Draft]) -> Option<Message> {
    let weight = Weight { text: 7, blocks: 0 };
    let body = match &entry.kind {
        EntryKind::User => Body::User(weight),
        EntryKind::Assistant { stop, usage, .. } => Body::Assistant { units: 7, stop: *stop, usage: *usage },
        EntryKind::ToolResult { .. } => Body::ToolResult(weight),
        EntryKind::CustomMessage { tag, window_id, .. } => {
            let text = written.iter().rev().find_map(|draft| match draft {
                Draft::Message { content, .. }
                    if show_draft(draft).starts_with(tag.trim_start_matches("pi-context/")) =>
                {
                    Some(content.encode_utf16().count())
                }
                _ => None,
            });
            let weight = Weight { text: text.unwrap_or(7), blocks: 0 };
            Body::Custom { tag: tag.clone(), window_id: window_id.clone(), weight }
        }
        EntryKind::Compaction(compaction) => Body::Summary { empty: compaction.empty, weight },
        EntryKind::OtherMessage | EntryKind::BranchSummary => Body::Other(weight),
        EntryKind::Custom { .. } | EntryKind::Metadata => return None,
    };
    Some(Message { at: entry.at, body })
}

fn outcome(word: &str) -> Outcome {
    match word {
        "aborted" => Outcome::Aborted,
        "error" | "overflow" => Outcome::Error,
        "ok" | "silent" | "length" | "marked-aborted" => Outcome::Completed,
        unknown => panic!("no such outcome: {unknown}"),
    }
}
