//! The scripted model: an OpenAI-compatible endpoint on loopback that answers what a test tells it to.

mod request;
mod script;
mod server;

pub use request::{Request, text_of};
pub use script::{Gate, Script, Step, ToolCall, Usage};

use std::{
    net::SocketAddr,
    sync::Arc,
    thread::{self, JoinHandle},
    time::Instant,
};

use server::Shared;
use tokio::sync::oneshot;

use crate::PATIENCE;

/// A model server with a script.
///
/// Dropping it ends the server and panics (unless the test is panicking already) when the script ran out, a step was
/// never asked for, or the host called a URL that is not the chat endpoint.
#[derive(Debug)]
pub struct Model {
    address: SocketAddr,
    shared: Arc<Shared>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Model {
    /// Starts a server on a free loopback port; it answers one step of the script for each request.
    ///
    /// # Panics
    ///
    /// When no loopback port can be opened.
    pub fn start(script: impl Into<Script>) -> Model {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a loopback port for the scripted model");
        let address = listener.local_addr().expect("the address of the scripted model");
        let shared = Arc::new(Shared::new(script.into()));
        let (stop, stopped) = oneshot::channel();
        let thread = thread::spawn({
            let shared = Arc::clone(&shared);
            move || server::run(listener, shared, stopped)
        });
        Model { address, shared, stop: Some(stop), thread: Some(thread) }
    }

    /// The base URL for models.json, ending in `/v1`.
    pub fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Adds steps to the end of a script that is a list.
    ///
    /// # Panics
    ///
    /// When the script is a function.
    pub fn push(&self, steps: impl IntoIterator<Item = Step>) {
        self.shared.push(steps);
    }

    /// Every chat request so far, in order of arrival, as a snapshot.
    pub fn requests(&self) -> Vec<Request> {
        self.shared.lock().requests.clone()
    }

    /// The request with that number, counted from 0.
    ///
    /// # Panics
    ///
    /// When there were fewer requests.
    pub fn request(&self, index: usize) -> Request {
        let requests = self.requests();
        let count = requests.len();
        requests
            .into_iter()
            .nth(index)
            .unwrap_or_else(|| panic!("no request {index}: the model was asked {count} times"))
    }

    /// The latest request.
    ///
    /// # Panics
    ///
    /// When the model was never asked.
    pub fn last_request(&self) -> Request {
        self.requests().pop().expect("the model was never asked")
    }

    /// Waits until the model has been asked `count` times.
    ///
    /// # Panics
    ///
    /// When that does not happen within [`PATIENCE`].
    pub fn wait_for_requests(&self, count: usize) {
        self.wait(&format!("{count} requests"), |requests| requests.len() >= count);
    }

    /// Waits until the client has abandoned the answer to the request with that number, counted from 0.
    ///
    /// # Panics
    ///
    /// When that does not happen within [`PATIENCE`].
    pub fn wait_for_abort(&self, index: usize) {
        self.wait(&format!("an abort of request {index}"), |requests| requests.get(index).is_some_and(|it| it.aborted));
    }

    /// What went wrong so far: an exhausted script, unused steps, unexpected URLs.
    pub fn problems(&self) -> Vec<String> {
        self.shared.lock().all_problems()
    }

    /// Takes note of the problems so far: what is returned here no longer fails the test when the server is dropped.
    pub fn take_problems(&self) -> Vec<String> {
        self.shared.lock().take_problems()
    }

    fn wait(&self, what: &str, met: impl Fn(&[Request]) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        let mut state = self.shared.lock();
        while !met(&state.requests) {
            let left = deadline.saturating_duration_since(Instant::now());
            assert!(
                !left.is_zero(),
                "the model waited in vain for {what}; it was asked {} times",
                state.requests.len()
            );
            state = self.shared.wait(state, left);
        }
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        let problems = self.problems();
        if let Some(stop) = self.stop.take() {
            // The server may have ended already; there is nobody to tell then.
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            let ended = thread.join();
            assert!(ended.is_ok() || thread::panicking(), "the scripted model panicked");
        }
        assert!(problems.is_empty() || thread::panicking(), "scripted model: {}", problems.join("; "));
    }
}
