//! Random histories: what happens is as the model says, and the invariants of B20 hold.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};

use palimpsest_window::*;
use proptest::prelude::*;

use crate::model::{Model, Request, held, used};
use crate::world::World;

/// Set for a run at full counts.
const SOAK: &str = "PALIMPSEST_SOAK";

/// One thing that happens.
#[derive(Debug, Clone, Copy)]
enum Op {
    User,
    Note,
    Metadata,
    Foreign,
    Queued(bool),
    Automatic(bool),
    Reserve(u64),
    Start(bool),
    Tree(usize),
    Shutdown,
    Run,
    Request {
        boots_lost: bool,
    },
    TurnStart,
    /// The model answers with this many tokens used, and the turn ends.
    Turn {
        end: End,
        used: u64,
        tools: bool,
    },
    Settle(End),
    RunEnd(bool),
    Settled(bool),
    WipeTool,
    WipeCommand {
        idle: bool,
        running: bool,
    },
    Idle,
    SendFailed,
    Toggle(bool),
    Compact,
    Slow(bool),
    Built {
        failed: bool,
        aborted: bool,
    },
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum End {
    Ok,
    Error,
    Aborted,
    /// The outcome is fine, the signal says otherwise.
    Signal,
    Overflow,
    Silent,
}

fn op() -> impl Strategy<Value = Op> {
    let end = prop_oneof![
        6 => Just(End::Ok),
        1 => Just(End::Error),
        1 => Just(End::Aborted),
        1 => Just(End::Signal),
        3 => Just(End::Overflow),
        1 => Just(End::Silent),
    ];
    let used = prop_oneof![1_000..200_000u64, Just(159_040), Just(171_328), Just(183_616), 179_000..184_000u64];
    let turn = (end.clone(), used, any::<bool>()).prop_map(|(end, used, tools)| Op::Turn { end, used, tools });
    prop_oneof![
        3 => Just(Op::User),
        1 => Just(Op::Note),
        1 => Just(Op::Metadata),
        1 => Just(Op::Foreign),
        2 => any::<bool>().prop_map(Op::Queued),
        2 => prop::bool::weighted(0.8).prop_map(Op::Automatic),
        1 => prop::sample::select(vec![16_384, 99_999, 100_000]).prop_map(Op::Reserve),
        2 => prop::bool::weighted(0.9).prop_map(Op::Start),
        2 => (0..40usize).prop_map(Op::Tree),
        1 => Just(Op::Shutdown),
        2 => Just(Op::Run),
        8 => prop::bool::weighted(0.1).prop_map(|boots_lost| Op::Request { boots_lost }),
        3 => Just(Op::TurnStart),
        12 => turn,
        8 => end.prop_map(Op::Settle),
        1 => any::<bool>().prop_map(Op::RunEnd),
        3 => any::<bool>().prop_map(Op::Settled),
        3 => Just(Op::WipeTool),
        3 => (any::<bool>(), any::<bool>()).prop_map(|(idle, running)| Op::WipeCommand { idle, running }),
        1 => Just(Op::Idle),
        1 => Just(Op::SendFailed),
        2 => prop::bool::weighted(0.7).prop_map(Op::Toggle),
        1 => Just(Op::Compact),
        1 => any::<bool>().prop_map(Op::Slow),
        3 => (prop::bool::weighted(0.2), prop::bool::weighted(0.2))
            .prop_map(|(failed, aborted)| Op::Built { failed, aborted }),
    ]
}

impl Op {
    fn is_activity(self) -> bool {
        match self {
            Op::User
            | Op::Note
            | Op::Run
            | Op::Request { .. }
            | Op::TurnStart
            | Op::Turn { .. }
            | Op::Settle(_)
            | Op::RunEnd(_)
            | Op::Settled(_)
            | Op::WipeTool => true,
            Op::Metadata
            | Op::Foreign
            | Op::Queued(_)
            | Op::Automatic(_)
            | Op::Reserve(_)
            | Op::Start(_)
            | Op::Tree(_)
            | Op::Shutdown
            | Op::WipeCommand { .. }
            | Op::Idle
            | Op::SendFailed
            | Op::Toggle(_)
            | Op::Compact
            | Op::Slow(_)
            | Op::Built { .. } => false,
        }
    }
}

static EVENTS: AtomicUsize = AtomicUsize::new(0);
static RESETS: AtomicUsize = AtomicUsize::new(0);

/// Everything that was said and done so far, for what must hold across steps.
#[derive(Default)]
struct Past {
    announced: BTreeSet<String>,
    warned: usize,
    listening: bool,
    /// Whether the last automatic continue has been followed by work.
    worked: bool,
}

fn play(ops: &[Op]) -> Result<(), TestCaseError> {
    let mut world = World::new();
    world.host.tokens = Some(Some(1_000));
    let mut model = Model::default();
    let mut past = Past { worked: true, ..Past::default() };
    for op in std::iter::once(&Op::Start(true)).chain(ops) {
        // A host that waits for a boundary begins nothing else.
        if world.open.as_ref().is_some_and(|build| build.is_boundary()) && op.is_activity() {
            continue;
        }
        EVENTS.fetch_add(1, Ordering::Relaxed);
        let before = world.clone();
        let mut expected = None;
        let window = world.branch.window_id().to_owned();
        let happened: Vec<String> = match *op {
            Op::User => world.step("user"),
            Op::Note => world.step("result notes_write"),
            Op::Metadata => world.step("metadata"),
            Op::Foreign => world.step("foreign"),
            Op::Queued(queued) => {
                world.host.queued = queued;
                continue;
            }
            Op::Automatic(automatic) => {
                world.host.policy.automatic = automatic;
                continue;
            }
            Op::Reserve(reserve) => {
                world.host.policy.reserve = reserve;
                continue;
            }
            Op::Start(enabled) => {
                (model.on, model.active) = (enabled, true);
                model.generation += 1;
                model.clear();
                world.step(if enabled { "start" } else { "start disabled" })
            }
            Op::Tree(back) => {
                let kept = world.branch.entries().len().saturating_sub(back);
                if kept > 0 {
                    world.step(&format!("rewind {}", kept - 1));
                }
                model.generation += 1;
                model.clear();
                world.step("tree")
            }
            Op::Shutdown => {
                model.active = false;
                model.generation += 1;
                model.clear();
                world.step("shutdown")
            }
            Op::Run => world.step("run"),
            Op::Request { boots_lost } => {
                if boots_lost {
                    world.step("tool-loses-boots");
                }
                let shown = world.host.projected.clone().expect("the host can say");
                let actions = world.step("request");
                check_request(&world, &shown, &actions)?;
                let room = 200_000u64.saturating_sub(used(&before));
                let Policy { reserve, automatic, .. } = world.host.policy;
                let due = model.on && model.active && reserve < 100_000 && automatic && room <= reserve + 12_288;
                if due && !held(&before) && model.effective(&window) == Request::None {
                    model.request = (Request::CloseOut, window.clone());
                }
                actions
            }
            Op::TurnStart => world.step("turn-start"),
            Op::Turn { end, used, tools } => {
                world.host.tokens = Some(Some(used));
                let failed = matches!(end, End::Error | End::Aborted | End::Overflow);
                let words = match (failed, tools) {
                    (true, _) => "assistant error".to_owned(),
                    (false, true) => format!("assistant calls used {used}"),
                    (false, false) => format!("assistant used {used}"),
                };
                world.step(&words);
                let step = match end {
                    End::Ok => "turn ok",
                    End::Error => "turn error",
                    End::Aborted => "turn aborted",
                    End::Signal => "turn ok signal",
                    End::Overflow => "turn overflow",
                    End::Silent => "turn silent",
                };
                let tools = tools && !failed;
                expected = Some(model.turn(&world, end, tools));
                world.step(&format!("{step}{}", if tools { " tools" } else { "" }))
            }
            Op::Settle(end) => {
                let step = match end {
                    End::Ok | End::Silent => "settle ok",
                    End::Error | End::Overflow => "settle error",
                    End::Aborted => "settle aborted",
                    End::Signal => "settle ok signal",
                };
                expected = Some(model.settle(&world, end));
                world.step(step)
            }
            Op::RunEnd(aborted) => {
                if aborted {
                    model.clear();
                }
                world.step(if aborted { "run-end aborted" } else { "run-end" })
            }
            Op::Settled(aborted) => {
                if model.active {
                    model.clear();
                }
                world.step(if aborted { "settled aborted" } else { "settled" })
            }
            Op::WipeTool => {
                if model.on {
                    match model.effective(&window) {
                        Request::None => model.request = (Request::Tool, window.clone()),
                        Request::CloseOut => model.request = (Request::Budget, window.clone()),
                        Request::Tool | Request::Budget | Request::Manual => {}
                    }
                }
                world.step("wipe-tool")
            }
            Op::WipeCommand { idle, running } => {
                if model.on && (idle || running) {
                    model.request = (Request::Manual, window.clone());
                }
                match (idle, running) {
                    (true, _) => world.step("wipe-command idle"),
                    (false, true) => world.step("wipe-command running"),
                    (false, false) => world.step("wipe-command"),
                }
            }
            Op::Idle => {
                if !world.waits() {
                    continue;
                }
                let actions = world.step("idle");
                if actions.iter().any(|line| line.starts_with("send")) {
                    prop_assert!(model.on && model.active);
                    model.request = (Request::Manual, window.clone());
                }
                actions
            }
            Op::SendFailed => {
                model.clear();
                world.step("send-failed")
            }
            Op::Toggle(on) => {
                model.on = on;
                model.generation += 1;
                if !on {
                    model.clear();
                }
                world.step(if on { "toggle on" } else { "toggle off" })
            }
            Op::Compact => world.step("compact"),
            Op::Slow(slow) => {
                world.slow = slow;
                continue;
            }
            Op::Built { failed, aborted } => {
                let Some(build) = &world.open else { continue };
                let boundary = build.is_boundary();
                let words =
                    format!("built{}{}", if failed { " failed" } else { "" }, if aborted { " aborted" } else { "" });
                let actions = world.step(&words);
                if world.branch.window_id() != window {
                    model.request = Default::default();
                }
                if boundary {
                    let (generation, old, session, outcome) = model.building.take().expect("the model saw it");
                    let stands = generation == model.generation
                        && model.on
                        && model.active
                        && old == window
                        && session == world.branch.session();
                    check_boundary(&actions, (stands && !failed && !aborted).then_some(outcome))?;
                }
                actions
            }
        };
        if let Some(outcome) = expected {
            let built = happened.iter().any(|line| line.starts_with("build "));
            prop_assert_eq!(built, outcome.is_some(), "{:?}: {:?} {:?}", op, happened, model);
            match outcome {
                Some(outcome) if world.slow => {
                    model.building = Some((model.generation, window.clone(), world.branch.session().into(), outcome));
                }
                outcome => check_boundary(&happened, outcome.filter(|_| !world.slow))?,
            }
        }
        check_step(&mut past, &before, &world, &happened)?;
        prop_assert_eq!(
            past.listening,
            model.armed(world.branch.window_id()) && listens(op, &model, &past),
            "{:?}",
            op
        );
    }
    Ok(())
}

/// Steps that only change the session are no events: the machine hears of them with the next one.
fn listens(op: &Op, model: &Model, past: &Past) -> bool {
    match op {
        Op::User | Op::Note | Op::Metadata | Op::Foreign => past.listening,
        _ => model.active,
    }
}

/// B20.1, B20.3, B20.4, B20.11: a boundary proposes the closed shape as a whole, or none of it.
fn check_boundary(happened: &[String], expected: Option<(Cause, bool)>) -> Result<(), TestCaseError> {
    let boundaries: Vec<_> = happened.iter().filter(|line| line.starts_with("boundary")).collect();
    prop_assert!(boundaries.len() <= 1, "{:?}", happened);
    let proposed = boundaries.first().map_or("boundary []".to_owned(), |line| (*line).clone());
    let Some((cause, proceed)) = expected else {
        prop_assert!(!proposed.contains("checkpoint") && !proposed.contains("continue"), "{}", proposed);
        return Ok(());
    };
    RESETS.fetch_add(1, Ordering::Relaxed);
    let (before, reset) = proposed.split_once("checkpoint(").expect("a reset was due");
    let budget = ["boundary [", "boundary [guidance, ", "boundary [warning, ", "boundary [guidance, warning, "];
    prop_assert!(budget.contains(&before), "{}", proposed);
    let names: Vec<&str> = reset.split(['(', ')', ' ', ',']).filter(|word| !word.is_empty()).collect();
    let [made, id, marker, again, boot, once_more, continuation, ..] = names.as_slice() else {
        return Err(TestCaseError::fail(proposed.clone()));
    };
    let repaired = cause == Cause::Manual && *made == "repair";
    prop_assert!(*made == cause.as_str() || repaired, "{} instead of {:?}", proposed, cause);
    prop_assert_eq!((*marker, *boot, *continuation), ("marker", "boot", "continuation]"));
    prop_assert_eq!((id, id), (again, once_more));
    prop_assert!(reset.ends_with(&format!(", continue {proceed}")), "{} instead of {}", proposed, proceed);
    Ok(())
}

/// E: no wrapper of an empty summary is sent; of a reset window without its boot, nothing but a person's wish to end it.
fn check_request(world: &World, shown: &[Message], actions: &[String]) -> Result<(), TestCaseError> {
    let sent: Vec<_> = actions.iter().filter(|line| line.starts_with("request")).collect();
    prop_assert_eq!(sent.len(), 1);
    let (_, kept) = sent[0].rsplit_once('[').expect("indices");
    let kept: Vec<usize> = kept
        .trim_end_matches(" + warning")
        .trim_end_matches(']')
        .split(", ")
        .filter_map(|at| at.parse().ok())
        .collect();
    let wrapper = |at: &usize| matches!(shown[*at].body, Body::Summary { empty: true, .. });
    prop_assert!(!kept.iter().any(wrapper));
    if world.branch.is_root() {
        let boots = |at: &&usize| matches!(&shown[**at].body, Body::Custom { tag, .. } if tag == Tag::Boot.as_str());
        prop_assert!(kept.iter().filter(boots).count() <= 1);
        return Ok(());
    }
    match shown.iter().find(|message| message.is_boot_of(world.branch.window_id())) {
        // The host has cut at the checkpoint already.
        Some(_) => prop_assert!(kept.len() >= shown.len() - 1, "{:?}", sent),
        None if world.branch.compacted_since() => {}
        None => {
            let manual =
                |at: &usize| matches!(&shown[*at].body, Body::Custom { tag, .. } if tag == Tag::ManualWipe.as_str());
            prop_assert!(kept.len() <= 1 && kept.iter().all(manual), "{:?}", sent);
        }
    }
    Ok(())
}

fn check_step(past: &mut Past, before: &World, world: &World, happened: &[String]) -> Result<(), TestCaseError> {
    for line in happened {
        // B20.5: only what is durable is announced, once.
        if let Some(rest) = line.strip_prefix("Info: memory was cleared; the new window is ") {
            let id = rest.split('.').next().expect("an id");
            prop_assert!(before.branch.committed(id) && past.announced.insert(id.to_owned()), "{}", line);
        }
        past.warned += usize::from(line.starts_with("Warning: the context is almost full"));
        match line.as_str() {
            "subscribe" => prop_assert!(!std::mem::replace(&mut past.listening, true)),
            "unsubscribe" => prop_assert!(std::mem::replace(&mut past.listening, false)),
            _ => {}
        }
    }
    let written = |tag: Tag| {
        world.written.iter().filter(move |draft| matches!(draft, Draft::Message { tag: found, .. } if *found == tag))
    };
    prop_assert!(past.warned <= written(Tag::Warning).count());

    // B20.4: reminder and warning once in a window, and nothing of a window behind its successor's marker.
    for part in world.branch.entries().split(|entry| entry.marker_id().is_some()) {
        for wanted in [Tag::Guidance, Tag::Warning] {
            let count = part
                .iter()
                .filter(|entry| matches!(&entry.kind, EntryKind::CustomMessage { tag, .. } if tag == wanted.as_str()));
            prop_assert!(count.count() <= 1, "{:?} twice in a window", wanted);
        }
    }

    // B20.10: between two automatic continues there is work.
    let windows = |world: &World| world.branch.windows().map(str::to_owned).collect::<Vec<_>>();
    let work = |entry: &Entry| match &entry.kind {
        EntryKind::User | EntryKind::ToolResult { .. } => true,
        EntryKind::Assistant { calls, .. } => *calls,
        _ => false,
    };
    let new = world.branch.entries().len().saturating_sub(before.branch.entries().len());
    past.worked |= world.branch.entries().iter().rev().take(new).any(work);
    past.worked |= windows(world).len() < windows(before).len();
    let reset = happened.iter().find(|line| line.starts_with("boundary") && line.ends_with("continue true"));
    if let Some(reset) = reset.filter(|line| !line.contains("checkpoint(tool")) {
        let asked = reset.contains("checkpoint(budget") && happened.iter().any(|line| line.ends_with("Open"));
        prop_assert!(asked || past.worked || before.branch.is_root(), "{}", reset);
        past.worked = false;
    }
    Ok(())
}

/// B20.
#[test]
fn random_histories() {
    let mut config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    if std::env::var_os(SOAK).is_some() {
        config.cases = 100_000;
    }
    let cases = config.cases;
    let mut runner = proptest::test_runner::TestRunner::new(config);
    let histories = prop::collection::vec(op(), 1..60);
    if let Err(error) = runner.run(&histories, |ops| play(&ops)) {
        panic!("{error}");
    }
    let [events, resets] = [&EVENTS, &RESETS].map(|count| count.load(Ordering::Relaxed));
    assert!(resets > cases as usize / 10, "the histories reach resets: {resets}");
    // The test harness keeps what goes through `print!` to itself, and lints forbid it.
    let figure = format!("{cases} histories of {events} events with {resets} resets, each as the model says");
    writeln!(std::io::stdout(), "figure: {figure}").expect("standard output is open");
}
