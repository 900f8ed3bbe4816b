//! Everything one instance of the extension keeps, behind JSON strings: what the addon exports, without the addon.

use std::any::Any;
use std::collections::HashSet;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard};

use palimpsest_notes::{Clock, Store};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::host::{Action, Level, Place, SessionFacts, StartFacts, start_session};
use crate::queue::Queue;
use crate::render::{CallView, Line, MarkView, ResultView, render_call, render_mark, render_result};
use crate::tools::{History, Reply, call_tool};
use crate::windows::{Ask, Collected, Supplies, WindowHost, collect};
use crate::wire::Failure;

/// A tool call as the host made it.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolCall {
    /// The tool's name.
    pub tool: String,
    /// JSON text of the arguments.
    pub params: String,
    /// Where the call is made.
    pub place: Place,
    /// The live session; only the history tools ask for it.
    #[serde(default)]
    pub session: SessionFacts,
    /// Whether the host can show notices.
    pub has_ui: bool,
}

/// One instance of the extension. No panic and no error leaves it but as an action or an error object.
#[derive(Default)]
pub struct Engine {
    notes: Queue,
    history: Queue,
    sessions: Arc<Mutex<History>>,
    windows: Arc<Mutex<WindowHost>>,
    told: Arc<Mutex<HashSet<String>>>,
}

impl Engine {
    /// An engine that has done nothing yet and has no thread.
    pub fn new() -> Engine {
        Engine::default()
    }

    /// Answers the start of a session (JSON of [`StartFacts`]) with a JSON list of actions.
    pub fn session_start(&self, facts: &str) -> String {
        let has_ui = serde_json::from_str::<Value>(facts).is_ok_and(|facts| facts["hasUi"] == true);
        let started = guarded(|| {
            let facts: StartFacts = serde_json::from_str(facts).map_err(|error| error.to_string())?;
            if let Some(version) = facts.host.version() {
                lock(&self.windows).host_version(version);
            }
            Ok(start_session(&facts))
        });
        let actions = started.unwrap_or_else(|cause| {
            let text = format!("nothing was registered, because of a fault of palimpsest: {cause}. please report it");
            self.told.tell_once(has_ui, &text).into_iter().collect()
        });
        json!(actions).to_string()
    }

    /// Answers an event of the session (JSON of the event and where it is) with `{ actions }`, as JSON; after a fault with
    /// `{ fault: true, actions }`, and the host has to answer the closed way. Facts that it turns out to need are asked
    /// for while it runs.
    pub fn window(&self, happening: &str, ask: &mut Ask<'_>) -> String {
        let handled = guarded(|| lock(&self.windows).handle(happening, ask));
        let (fault, actions) = match handled {
            Ok(actions) => (false, actions),
            Err(cause) => {
                let has_ui = serde_json::from_str::<Value>(happening).is_ok_and(|known| known["hasUi"] == true);
                (true, guarded(|| Ok(lock(&self.windows).fault(has_ui, &cause))).unwrap_or_default())
            }
        };
        json!({ "fault": fault, "actions": actions }).to_string()
    }

    /// Collects what a boot is made of (JSON of its number and where it is), off the calling thread, and hands `done`
    /// the JSON of `{}`, or of `{ handOver: { after } }` as [`call`](Engine::call) does.
    ///
    /// # Errors
    ///
    /// What is no such JSON.
    pub fn collect(&self, supplies: &str, done: impl FnOnce(String) + Send + 'static) -> Result<(), String> {
        let supplies: Supplies = serde_json::from_str(supplies).map_err(|error| error.to_string())?;
        let sessions = Arc::clone(&self.sessions);
        let windows = Arc::clone(&self.windows);
        // In turn with calls of the history tools: they share what is known of the session.
        self.history.run(move || {
            let number = supplies.build;
            let build = lock(&windows).build(number);
            let collected = guarded(|| {
                let (build, stop) = build.ok_or("nobody waits for this boot")?;
                let mut history = mem::take(&mut *lock(&sessions));
                let collected = collect(&supplies, &build, stop, &mut history);
                *lock(&sessions) = history;
                Ok(collected)
            });
            let answer = match collected {
                Ok(Collected::Lacks { after }) => json!({ "handOver": { "after": after } }),
                Ok(Collected::Done(material)) => {
                    lock(&windows).supply(number, material);
                    json!({})
                }
                Err(cause) => {
                    lock(&windows).supply(number, Err(cause));
                    json!({})
                }
            };
            done(answer.to_string());
        });
        Ok(())
    }

    /// The lines that mark where a window begins (JSON of [`MarkView`]), as JSON; nothing where they cannot be drawn.
    pub fn render_mark(&self, view: &str) -> Option<String> {
        drawn(|| {
            let view: MarkView = serde_json::from_str(view).map_err(|error| error.to_string())?;
            let text = lock(&self.windows).mark(&view.window_id).ok_or("no session yet")?;
            Ok(render_mark(&text, view.width))
        })
    }

    /// Lets go of what is kept of the session that ends: the host may hold on to this instance for long.
    pub fn session_end(&self) {
        let sessions = Arc::clone(&self.sessions);
        self.history.run(move || *lock(&sessions) = History::default());
    }

    /// Runs a tool off the calling thread, after the calls of its kind made before, and hands `done` the JSON of
    /// `{ result, actions }`; or of `{ handOver: { after } }` where the same call has to be made again with the entries of
    /// the live session behind that one.
    ///
    /// Notes and history do not wait for each other.
    pub fn call(&self, call: ToolCall, done: impl FnOnce(String) + Send + 'static) {
        let told = Arc::clone(&self.told);
        let sessions = Arc::clone(&self.sessions);
        let queue = if is_history(&call.tool) { &self.history } else { &self.notes };
        queue.run(move || {
            let (reply, fault) = match guarded(|| Ok(run(&call, &sessions))) {
                Ok(reply) => (reply, None),
                Err(cause) => {
                    let text =
                        format!("{} failed because of a fault of palimpsest: {cause}. please report it", call.tool);
                    let failure = Failure::new("internal", &text).deliver();
                    (Reply::Answer(failure), told.tell_once(call.has_ui, &text))
                }
            };
            let actions: Vec<Action> = fault.into_iter().collect();
            let answer = match reply {
                Reply::Answer(result) => json!({ "result": result.to_host(), "actions": actions }),
                Reply::HandOver { after } => json!({ "handOver": { "after": after } }),
            };
            done(answer.to_string());
        });
    }

    /// The lines for a tool call (JSON of [`CallView`]), as JSON; nothing where they cannot be drawn.
    pub fn render_call(&self, view: &str) -> Option<String> {
        drawn(|| Ok(render_call(&serde_json::from_str::<CallView>(view).map_err(|error| error.to_string())?)))
    }

    /// The lines for a tool result (JSON of [`ResultView`]), as JSON; nothing where they cannot be drawn.
    pub fn render_result(&self, view: &str) -> Option<String> {
        drawn(|| Ok(render_result(&serde_json::from_str::<ResultView>(view).map_err(|error| error.to_string())?)))
    }
}

fn is_history(tool: &str) -> bool {
    tool.starts_with("history_")
}

fn run(call: &ToolCall, sessions: &Mutex<History>) -> Reply {
    #[cfg(feature = "test-exports")]
    crate::panics::panic_if_asked();
    if is_history(&call.tool) {
        // A panic on the way leaves nothing behind, rather than something half done.
        let mut history = mem::take(&mut *lock(sessions));
        let reply = history.call(&call.tool, &call.params, &call.place, &call.session);
        *lock(sessions) = history;
        return reply;
    }
    Reply::Answer(match call.place.identity() {
        Ok(identity) => call_tool(&Store::new(identity, Clock::system()), &call.tool, &call.params),
        Err(error) => Failure::from(error).deliver(),
    })
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

fn drawn(draw: impl FnOnce() -> Result<Vec<Line>, String>) -> Option<String> {
    guarded(draw).ok().map(|lines| json!(lines).to_string())
}

/// The outcome of some work, with a panic as one more way to fail.
fn guarded<T>(work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(panic_text(&*panic)))
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("a panic without a message").to_owned()
}

trait TellOnce {
    /// A notice of an error, unless the same text was told before.
    fn tell_once(&self, has_ui: bool, text: &str) -> Option<Action>;
}

impl TellOnce for Mutex<HashSet<String>> {
    fn tell_once(&self, has_ui: bool, text: &str) -> Option<Action> {
        lock(self).insert(text.to_owned()).then(|| Action::tell(has_ui, Level::Error, text))
    }
}
