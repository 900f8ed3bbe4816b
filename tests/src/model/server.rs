//! The HTTP side of the scripted model: records requests and streams answers as server-sent events.

use std::{
    convert::Infallible,
    net::TcpListener,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use axum::serve::ListenerExt;
use axum::{
    Router,
    body::{Body, Bytes},
    extract::{DefaultBodyLimit, State},
    http::{HeaderMap, Method, StatusCode, Uri, header::CONTENT_TYPE},
    response::Response,
    routing::post,
};
use serde_json::{Value, json};
use tokio::{
    sync::{mpsc, oneshot},
    time::sleep,
};
use tokio_stream::{StreamExt, wrappers::ReceiverStream};

use super::{Request, Script, Step, Usage};

/// What the server's thread and the test share.
#[derive(Debug)]
pub(super) struct Shared {
    records: Mutex<Records>,
    changed: Condvar,
}

/// The script and what has been asked so far.
#[derive(Debug)]
pub(super) struct Records {
    script: Option<Script>,
    pub(super) requests: Vec<Request>,
    problems: Vec<String>,
}

impl Shared {
    pub(super) fn new(script: Script) -> Shared {
        let records = Records { script: Some(script), requests: Vec::new(), problems: Vec::new() };
        Shared { records: Mutex::new(records), changed: Condvar::new() }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Records> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn wait<'a>(&self, records: MutexGuard<'a, Records>, at_most: Duration) -> MutexGuard<'a, Records> {
        self.changed.wait_timeout(records, at_most).unwrap_or_else(PoisonError::into_inner).0
    }

    pub(super) fn push(&self, steps: impl IntoIterator<Item = Step>) {
        match &mut self.lock().script {
            Some(Script::List(list)) => list.extend(steps),
            _ => panic!("steps can only be pushed to a script that is a list"),
        }
    }

    /// Records the request and finds its step; the step is an HTTP error where the script has none.
    fn accept(&self, headers: &HeaderMap, body: &Bytes) -> (usize, Step) {
        let mut records = self.lock();
        let index = records.requests.len();
        let text = String::from_utf8_lossy(body).into_owned();
        let body = serde_json::from_str(&text).unwrap_or(Value::Null);
        let name_and_value = |(name, value): (&axum::http::HeaderName, &axum::http::HeaderValue)| {
            (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned())
        };
        let headers = headers.iter().map(name_and_value).collect();
        let request = Request { index, headers, text, body, aborted: false, answered: false };
        records.requests.push(request.clone());
        self.changed.notify_all();
        let step = match records.script.as_mut() {
            Some(Script::List(steps)) => steps.pop_front(),
            Some(Script::Function(function)) => {
                // A failed assertion inside a script must reach the test as a sentence, not as a dropped connection.
                catch_unwind(AssertUnwindSafe(|| function(&request))).ok()
            }
            None => None,
        };
        let Some(step) = step else {
            let problem = match records.script {
                Some(Script::List(_)) => {
                    format!("the script is exhausted: request {index} found no step")
                }
                _ => format!("the script's function panicked at request {index}"),
            };
            records.problems.push(problem.clone());
            return (index, Step::error(400, &problem));
        };
        (index, step)
    }

    fn complain(&self, problem: String) {
        self.lock().problems.push(problem);
        self.changed.notify_all();
    }

    fn finish(&self, index: usize, in_full: bool) {
        let mut records = self.lock();
        let request = &mut records.requests[index];
        request.answered = in_full;
        request.aborted = !in_full;
        self.changed.notify_all();
    }
}

impl Records {
    pub(super) fn all_problems(&self) -> Vec<String> {
        let mut problems = self.problems.clone();
        if let Some(Script::List(steps)) = &self.script
            && !steps.is_empty()
        {
            problems.push(format!(
                "{} steps were never asked for; the next one is {:?}; there were {} requests",
                steps.len(),
                steps[0],
                self.requests.len()
            ));
        }
        problems
    }

    pub(super) fn take_problems(&mut self) -> Vec<String> {
        let problems = self.all_problems();
        self.problems.clear();
        if let Some(Script::List(steps)) = &mut self.script {
            steps.clear();
        }
        problems
    }
}

/// Serves until told to stop; answers that still hang are dropped then.
pub(super) fn run(listener: TcpListener, shared: Arc<Shared>, stopped: oneshot::Receiver<()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a tokio runtime");
    runtime.block_on(async {
        listener.set_nonblocking(true).expect("a listener that does not block");
        let listener = tokio::net::TcpListener::from_std(listener).expect("a listener inside tokio");
        let app = Router::new()
            .route("/v1/chat/completions", post(chat))
            .fallback(unexpected)
            .layer(DefaultBodyLimit::disable())
            .with_state(shared);
        // A small chunk behind an unacknowledged one would wait up to 40 ms for the other side's delayed acknowledgement.
        let listener = listener.tap_io(|connection| drop(connection.set_nodelay(true)));
        tokio::spawn(async { axum::serve(listener, app).await });
        // An error means that the owner is gone, which is as good as being told.
        let _ = stopped.await;
    });
}

async fn unexpected(State(shared): State<Arc<Shared>>, method: Method, uri: Uri) -> StatusCode {
    shared.complain(format!("unexpected request: {method} {uri}"));
    StatusCode::NOT_FOUND
}

async fn chat(State(shared): State<Arc<Shared>>, headers: HeaderMap, body: Bytes) -> Response {
    let (index, step) = shared.accept(&headers, &body);
    let answer = Answer { shared, index, model: model_of(&body), complete: false };
    if let Some((status, message)) = step.failure.clone() {
        return answer.fail(step, status, &message).await;
    }
    let usage = step.usage.unwrap_or(Usage { prompt: body.len() as u64 / 4, completion: 10, cached: 0 });
    let (sender, receiver) = mpsc::channel(1);
    tokio::spawn(answer.stream(step, usage, sender));
    let events = ReceiverStream::new(receiver).map(Ok::<_, Infallible>);
    Response::builder()
        .header(CONTENT_TYPE, "text/event-stream")
        .body(Body::from_stream(events))
        .expect("a response of fixed headers")
}

fn model_of(body: &Bytes) -> Value {
    serde_json::from_slice::<Value>(body).map_or(Value::Null, |body| body["model"].clone())
}

/// An answer in progress; dropped before it is complete, it marks its request as aborted.
struct Answer {
    shared: Arc<Shared>,
    index: usize,
    model: Value,
    complete: bool,
}

/// The client is gone: nothing more can be sent.
struct Gone;

impl Answer {
    async fn fail(mut self, step: Step, status: u16, message: &str) -> Response {
        hold_back(&step).await;
        self.complete = true;
        let body = json!({ "error": { "message": message, "type": "scripted", "code": status } });
        Response::builder()
            .status(status)
            .header(CONTENT_TYPE, "application/json")
            .body(Body::from(body.to_string()))
            .expect("a response of fixed headers")
    }

    async fn stream(mut self, step: Step, usage: Usage, sender: mpsc::Sender<String>) {
        // Whichever comes first: the step's turn, or a client that leaves while it waits.
        tokio::select! {
            () = sender.closed() => return,
            () = hold_back(&step) => {}
        }
        self.complete = self.send_all(&step, usage, &sender).await.is_ok();
    }

    async fn send_all(&self, step: &Step, usage: Usage, sender: &mpsc::Sender<String>) -> Result<(), Gone> {
        self.send_delta(sender, json!({ "role": "assistant", "content": "" })).await?;
        for chunk in &step.chunks {
            sleep(step.chunk_delay).await;
            self.send_delta(sender, json!({ "content": chunk })).await?;
        }
        for (position, call) in step.tools.iter().enumerate() {
            let id = call.id.clone().unwrap_or_else(|| format!("call_{}_{position}", self.index));
            // Real providers stream arguments in pieces; two are enough to make the host assemble them.
            let middle = call.arguments.char_indices().nth(call.arguments.chars().count() / 2).map_or(0, |(at, _)| at);
            let (first, second) = call.arguments.split_at(middle);
            let head = json!({ "index": position, "id": id, "type": "function", "function": { "name": call.name, "arguments": "" } });
            self.send_delta(sender, json!({ "tool_calls": [head] })).await?;
            for part in [first, second] {
                sleep(step.chunk_delay).await;
                let part = json!({ "index": position, "function": { "arguments": part } });
                self.send_delta(sender, json!({ "tool_calls": [part] })).await?;
            }
        }
        if step.hangs {
            sender.closed().await;
            return Err(Gone);
        }
        let reason = if step.tools.is_empty() { "stop" } else { "tool_calls" };
        self.send(sender, json!([{ "index": 0, "delta": {}, "finish_reason": reason }]), Value::Null).await?;
        let usage = json!({
            "prompt_tokens": usage.prompt,
            "completion_tokens": usage.completion,
            "total_tokens": usage.prompt + usage.completion,
            "prompt_tokens_details": { "cached_tokens": usage.cached },
        });
        self.send(sender, json!([]), usage).await?;
        sender.send("data: [DONE]\n\n".to_owned()).await.map_err(|_| Gone)
    }

    async fn send_delta(&self, sender: &mpsc::Sender<String>, delta: Value) -> Result<(), Gone> {
        let choices = json!([{ "index": 0, "delta": delta, "finish_reason": null }]);
        self.send(sender, choices, Value::Null).await
    }

    async fn send(&self, sender: &mpsc::Sender<String>, choices: Value, usage: Value) -> Result<(), Gone> {
        let event = json!({
            "id": format!("answer-{}", self.index),
            "object": "chat.completion.chunk",
            "created": 0,
            "model": self.model,
            "choices": choices,
            "usage": usage,
        });
        sender.send(format!("data: {event}\n\n")).await.map_err(|_| Gone)
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        self.shared.finish(self.index, self.complete);
    }
}

async fn hold_back(step: &Step) {
    sleep(step.delay).await;
    if let Some(gate) = &step.gate {
        gate.passed().await;
    }
}
