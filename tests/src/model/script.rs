//! What the scripted model answers: steps, tool calls, usage numbers, gates.

use std::{collections::VecDeque, fmt, sync::Arc, time::Duration};

use serde_json::Value;
use tokio::sync::watch;

use super::Request;

/// The answers of a model: a list that is used up, or a function of the request.
pub enum Script {
    /// One step for each request, in order.
    List(VecDeque<Step>),
    /// A step computed from each request.
    Function(Box<dyn FnMut(&Request) -> Step + Send>),
}

impl Script {
    /// A script that computes each step from its request.
    pub fn from_fn(function: impl FnMut(&Request) -> Step + Send + 'static) -> Script {
        Script::Function(Box::new(function))
    }
}

impl<I: IntoIterator<Item = Step>> From<I> for Script {
    fn from(steps: I) -> Script {
        Script::List(steps.into_iter().collect())
    }
}

impl fmt::Debug for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Script::List(steps) => f.debug_tuple("List").field(steps).finish(),
            Script::Function(_) => f.write_str("Function"),
        }
    }
}

/// One answer of the model.
#[derive(Clone, Debug, Default)]
pub struct Step {
    pub(super) chunks: Vec<String>,
    pub(super) tools: Vec<ToolCall>,
    pub(super) usage: Option<Usage>,
    pub(super) failure: Option<(u16, String)>,
    pub(super) delay: Duration,
    pub(super) chunk_delay: Duration,
    pub(super) gate: Option<Gate>,
    pub(super) hangs: bool,
}

impl Step {
    /// An answer of text, sent in one chunk.
    pub fn text(text: impl Into<String>) -> Step {
        Step { chunks: vec![text.into()], ..Step::default() }
    }

    /// An answer of text, sent in these chunks.
    pub fn chunks<T: Into<String>>(chunks: impl IntoIterator<Item = T>) -> Step {
        Step { chunks: chunks.into_iter().map(Into::into).collect(), ..Step::default() }
    }

    /// An answer that calls one tool.
    pub fn tool(name: &str, arguments: Value) -> Step {
        Step::default().and_tool(name, arguments)
    }

    /// An answer with an HTTP error status.
    pub fn error(status: u16, message: &str) -> Step {
        Step { failure: Some((status, message.to_owned())), ..Step::default() }
    }

    /// An answer that sends nothing until the client gives up.
    pub fn hang() -> Step {
        Step { hangs: true, ..Step::default() }
    }

    /// Calls a further tool in the same answer.
    #[must_use]
    pub fn and_tool(self, name: &str, arguments: Value) -> Step {
        self.and_raw_tool(name, arguments.to_string())
    }

    /// Calls a further tool with arguments as they stand, which need not be JSON.
    #[must_use]
    pub fn and_raw_tool(mut self, name: &str, arguments: impl Into<String>) -> Step {
        self.tools.push(ToolCall { name: name.to_owned(), arguments: arguments.into(), id: None });
        self
    }

    /// Gives the tool call that was added last an id, instead of `call_<request>_<position>`.
    ///
    /// # Panics
    ///
    /// When the step calls no tool.
    #[must_use]
    pub fn with_id(mut self, id: &str) -> Step {
        self.tools.last_mut().expect("a tool call to give an id to").id = Some(id.to_owned());
        self
    }

    /// Reports these usage numbers, instead of a quarter of the request's bytes.
    #[must_use]
    pub fn usage(mut self, usage: Usage) -> Step {
        self.usage = Some(usage);
        self
    }

    /// Waits so long before it answers.
    #[must_use]
    pub fn delay(mut self, delay: Duration) -> Step {
        self.delay = delay;
        self
    }

    /// Waits so long before each chunk.
    #[must_use]
    pub fn chunk_delay(mut self, delay: Duration) -> Step {
        self.chunk_delay = delay;
        self
    }

    /// Answers only once the gate is open.
    #[must_use]
    pub fn gate(mut self, gate: &Gate) -> Step {
        self.gate = Some(gate.clone());
        self
    }

    /// Sends its chunks and then neither ends nor goes on, until the client gives up.
    #[must_use]
    pub fn then_hang(mut self) -> Step {
        self.hangs = true;
        self
    }
}

/// One tool call within an answer.
#[derive(Clone, Debug)]
pub struct ToolCall {
    /// The tool's name.
    pub name: String,
    /// The arguments as JSON text.
    pub arguments: String,
    /// The call's id; without one it is `call_<request>_<position>`.
    pub id: Option<String>,
}

/// Token counts that an answer reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// Tokens of the prompt, cached ones included.
    pub prompt: u64,
    /// Tokens of the answer.
    pub completion: u64,
    /// Prompt tokens served from the provider's cache.
    pub cached: u64,
}

/// Holds an answer back until the test opens it: order without sleeping.
#[derive(Clone, Debug)]
pub struct Gate {
    open: Arc<watch::Sender<bool>>,
}

impl Gate {
    /// A closed gate.
    pub fn new() -> Gate {
        Gate { open: Arc::new(watch::Sender::new(false)) }
    }

    /// Lets every step behind the gate answer, now and later.
    pub fn open(&self) {
        self.open.send_replace(true);
    }

    pub(super) async fn passed(&self) {
        let mut open = self.open.subscribe();
        // The sender lives as long as `self`, so waiting can only end by opening.
        let _ = open.wait_for(|open| *open).await;
    }
}

impl Default for Gate {
    fn default() -> Gate {
        Gate::new()
    }
}
