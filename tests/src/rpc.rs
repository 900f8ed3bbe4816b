//! Drives `pi --mode rpc`: commands, events, bounded waits.

use std::{
    io::{BufRead, BufReader, Read, Write},
    path::{Path, PathBuf},
    process::{ChildStdin, Command, Stdio},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread::{self, JoinHandle},
    time::Instant,
};

use serde_json::{Value, json};

use crate::{
    Exit, PATIENCE, PROVIDER,
    process::{Collected, Owned},
    text_of,
};

/// A running Pi in RPC mode; dropped, it is killed.
#[derive(Debug)]
pub struct Rpc {
    child: Owned,
    stdin: Option<ChildStdin>,
    feed: Arc<Feed>,
    reader: JoinHandle<()>,
    stderr: Collected,
    next_id: u64,
    cursor: usize,
}

/// What an extension told the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// `info`, `warning` or `error`.
    pub level: String,
    /// The text.
    pub message: String,
}

/// The events from a prompt until the host had settled.
#[derive(Clone, Debug)]
pub struct Run {
    /// The events, in order; the last one is `agent_settled`.
    pub events: Vec<Value>,
}

/// The end of a tool's execution.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolEnd {
    /// The id of the call.
    pub call_id: String,
    /// The tool's name.
    pub name: String,
    /// The text for the model.
    pub text: String,
    /// The structured content; null when there is none.
    pub structured: Value,
    /// What the tool stores in the session; null when nothing.
    pub details: Value,
    /// Whether it counts as an error.
    pub is_error: bool,
}

impl Rpc {
    pub(crate) fn start(mut command: Command) -> Rpc {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = Owned(command.spawn().unwrap_or_else(|error| panic!("cannot start {command:?}: {error}")));
        let stdin = child.0.stdin.take();
        let stdout = child.0.stdout.take().expect("a piped stdout");
        let stderr = Collected::start(child.0.stderr.take().expect("a piped stderr"));
        let feed = Arc::new(Feed::default());
        let reader = thread::spawn({
            let feed = Arc::clone(&feed);
            move || feed.read_from(stdout)
        });
        Rpc { child, stdin, feed, reader, stderr, next_id: 0, cursor: 0 }
    }

    /// Sends a prompt and waits until the host has settled.
    ///
    /// # Panics
    ///
    /// When the prompt starts no run, or the run does not settle.
    pub fn prompt(&mut self, message: &str) -> Run {
        self.start_prompt(message);
        self.wait_settled()
    }

    /// Sends a prompt that starts a run, and returns as soon as it is accepted.
    ///
    /// # Panics
    ///
    /// When no run is started.
    pub fn start_prompt(&mut self, message: &str) {
        let disposition = self.submit(message);
        assert_eq!(disposition, "started", "the prompt {message:?} should start a run\n{}", self.report());
    }

    /// Runs a command of an extension, such as `/name args`.
    ///
    /// # Panics
    ///
    /// When no extension handles it.
    pub fn command(&mut self, command: &str) {
        let disposition = self.submit(command);
        assert_eq!(disposition, "handled", "{command:?} should be a command\n{}", self.report());
    }

    /// Waits until the host has settled, counted from the latest prompt, command or earlier wait.
    pub fn wait_settled(&mut self) -> Run {
        let start = self.cursor;
        let end = self.wait_index(start, "agent_settled", |event| event["type"] == "agent_settled");
        self.cursor = end + 1;
        Run { events: self.feed.lock().records[start..=end].to_vec() }
    }

    /// Follows a run event by event, as they come, until the host has settled.
    ///
    /// # Panics
    ///
    /// When the next event does not come within [`PATIENCE`].
    pub fn follow(&mut self, mut see: impl FnMut(&Value)) {
        loop {
            let index = self.wait_index(self.cursor, "the next event", |_| true);
            self.cursor = index + 1;
            let event = self.feed.lock().records[index].clone();
            see(&event);
            if event["type"] == "agent_settled" {
                return;
            }
        }
    }

    /// Queues a message that is delivered after the current turn.
    pub fn steer(&mut self, message: &str) {
        self.request(json!({ "type": "steer", "message": message }));
    }

    /// Queues a message that is delivered when the run would end.
    pub fn follow_up(&mut self, message: &str) {
        self.request(json!({ "type": "follow_up", "message": message }));
    }

    /// Aborts the run and waits until the host is idle.
    pub fn abort(&mut self) {
        self.request(json!({ "type": "abort" }));
    }

    /// Selects another scripted model.
    pub fn set_model(&mut self, id: &str) {
        self.request(json!({ "type": "set_model", "provider": PROVIDER, "modelId": id }));
    }

    /// Starts a fresh session.
    pub fn new_session(&mut self) {
        self.replace_session(json!({ "type": "new_session" }));
    }

    /// Loads another session file.
    pub fn switch_session(&mut self, path: &Path) {
        self.replace_session(json!({ "type": "switch_session", "sessionPath": path }));
    }

    /// Forks before the user message with that entry id; the host stays in the fork.
    pub fn fork(&mut self, entry_id: &str) {
        self.replace_session(json!({ "type": "fork", "entryId": entry_id }));
    }

    /// Copies the active branch into a new session; the host stays in the copy.
    pub fn clone_session(&mut self) {
        self.replace_session(json!({ "type": "clone" }));
    }

    /// The user messages that can be forked from: entry id and text, in order.
    pub fn fork_messages(&mut self) -> Vec<(String, String)> {
        let data = self.request(json!({ "type": "get_fork_messages" }));
        let item = |it: &Value| Some((it["entryId"].as_str()?.to_owned(), it["text"].as_str()?.to_owned()));
        data["messages"].as_array().into_iter().flatten().filter_map(item).collect()
    }

    /// The host's state (`get_state`).
    pub fn state(&mut self) -> Value {
        self.request(json!({ "type": "get_state" }))
    }

    /// The id of the live session.
    pub fn session_id(&mut self) -> String {
        self.state()["sessionId"].as_str().expect("a session id").to_owned()
    }

    /// The file of the live session, which exists once there is a message in it.
    pub fn session_file(&mut self) -> PathBuf {
        PathBuf::from(self.state()["sessionFile"].as_str().expect("a session file"))
    }

    /// All entries of the live session, abandoned branches included (`get_entries`).
    pub fn entries(&mut self) -> Vec<Value> {
        match self.request(json!({ "type": "get_entries" }))["entries"].take() {
            Value::Array(entries) => entries,
            other => panic!("get_entries answered {other}"),
        }
    }

    /// Sends any command and returns its `data`, null when it has none.
    ///
    /// # Panics
    ///
    /// When the host refuses it or does not answer.
    pub fn request(&mut self, command: Value) -> Value {
        match self.try_request(command.clone()) {
            Ok(data) => data,
            Err(error) => panic!("{command} failed: {error}\n{}", self.report()),
        }
    }

    /// Sends any command and returns its `data`.
    ///
    /// # Errors
    ///
    /// The host's refusal.
    ///
    /// # Panics
    ///
    /// When the host does not answer.
    pub fn try_request(&mut self, mut command: Value) -> Result<Value, String> {
        self.next_id += 1;
        let id = format!("request-{}", self.next_id);
        command["id"] = json!(id);
        let start = self.feed.lock().records.len();
        self.send(&command);
        let is_answer = |record: &Value| record["type"] == "response" && record["id"] == id.as_str();
        let index = self.wait_index(start, &format!("the answer to {command}"), is_answer);
        let answer = self.feed.lock().records[index].clone();
        if answer["success"] == true {
            return Ok(answer["data"].clone());
        }
        Err(answer["error"].as_str().unwrap_or("no error text").to_owned())
    }

    /// Sends a record that has no answer, such as an `extension_ui_response`.
    ///
    /// # Panics
    ///
    /// When the host is gone.
    pub fn send(&mut self, record: &Value) {
        let line = format!("{record}\n");
        let stdin = self.stdin.as_mut().expect("an open stdin");
        let sent = stdin.write_all(line.as_bytes()).and_then(|()| stdin.flush());
        if let Err(error) = sent {
            panic!("cannot send {record}: {error}\n{}", self.report());
        }
    }

    /// Waits for an event, counted from the latest prompt or command, and returns it; `what` names it in a failure.
    ///
    /// # Panics
    ///
    /// When it does not come within [`PATIENCE`].
    pub fn wait_for(&mut self, what: &str, matches: impl Fn(&Value) -> bool) -> Value {
        let index = self.wait_index(self.cursor, what, matches);
        self.feed.lock().records[index].clone()
    }

    /// Waits for a notice that contains `text`, counted from the start of the process.
    ///
    /// # Panics
    ///
    /// When it does not come within [`PATIENCE`].
    pub fn wait_for_notice(&mut self, text: &str) -> Notice {
        let matches = |record: &Value| notice_of(record).is_some_and(|notice| notice.message.contains(text));
        let index = self.wait_index(0, &format!("a notice with {text:?}"), matches);
        notice_of(&self.feed.lock().records[index]).expect("the notice just found")
    }

    /// Every notice so far.
    pub fn notices(&self) -> Vec<Notice> {
        self.feed.lock().records.iter().filter_map(notice_of).collect()
    }

    /// Every record so far.
    pub fn records(&self) -> Vec<Value> {
        self.feed.lock().records.clone()
    }

    /// What extensions threw so far.
    pub fn extension_errors(&self) -> Vec<Value> {
        self.feed.lock().records.iter().filter(|it| it["type"] == "extension_error").cloned().collect()
    }

    /// What the process has written to standard error so far.
    pub fn stderr(&self) -> String {
        self.stderr.so_far()
    }

    /// Ends the session in order and checks that nothing went wrong.
    ///
    /// # Panics
    ///
    /// When the host does not end, ends with another code than 0, or an extension threw.
    pub fn finish(self) -> Exit {
        let errors = self.extension_errors();
        let exit = self.close();
        assert_eq!(exit.code, Some(0), "pi ended with an error\nstderr:\n{}", exit.stderr);
        assert!(errors.is_empty(), "an extension threw: {errors:?}");
        exit
    }

    /// Ends the session in order: closes standard input and waits.
    ///
    /// # Panics
    ///
    /// When the host does not end within [`PATIENCE`].
    pub fn close(mut self) -> Exit {
        drop(self.stdin.take());
        self.wait_end()
    }

    /// Waits for a process that ends by itself.
    ///
    /// # Panics
    ///
    /// When it does not end within [`PATIENCE`].
    pub fn wait_end(mut self) -> Exit {
        let Some(code) = self.child.wait() else {
            panic!("pi did not end\n{}", self.report());
        };
        let Rpc { reader, stderr, .. } = self;
        reader.join().expect("a reader that does not panic");
        Exit { code, stdout: String::new(), stderr: stderr.finish() }
    }

    /// Kills the process at once, as a crash would.
    pub fn kill(self) {
        drop(self);
    }

    fn submit(&mut self, message: &str) -> String {
        self.cursor = self.feed.lock().records.len();
        let data = self.request(json!({ "type": "prompt", "message": message }));
        data["disposition"].as_str().unwrap_or_default().to_owned()
    }

    fn replace_session(&mut self, command: Value) {
        let data = self.request(command);
        assert_eq!(data["cancelled"], false, "the session was not replaced\n{}", self.report());
        self.cursor = self.feed.lock().records.len();
    }

    fn wait_index(&self, start: usize, what: &str, matches: impl Fn(&Value) -> bool) -> usize {
        let deadline = Instant::now() + PATIENCE;
        let mut records = self.feed.lock();
        let mut next = start;
        loop {
            if let Some(found) = records.records[next..].iter().position(&matches) {
                return next + found;
            }
            next = records.records.len();
            let left = deadline.saturating_duration_since(Instant::now());
            if records.ended || left.is_zero() {
                let why = if records.ended { "pi ended" } else { "time ran out" };
                drop(records);
                panic!("{why} while waiting for {what}\n{}", self.report());
            }
            records = self.feed.changed.wait_timeout(records, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// The last events and the standard error, for a failure.
    fn report(&self) -> String {
        const EVENTS: usize = 15;
        const CHARACTERS: usize = 400;
        let records = self.feed.lock();
        let skipped = records.records.len().saturating_sub(EVENTS);
        let mut report = format!("last events ({skipped} earlier ones left out):\n");
        for record in &records.records[skipped..] {
            let line: String = record.to_string().chars().take(CHARACTERS).collect();
            report.push_str(&format!("  {line}\n"));
        }
        for line in &records.strays {
            report.push_str(&format!("  not a record: {line}\n"));
        }
        report.push_str(&format!("stderr:\n{}", self.stderr.so_far()));
        report
    }
}

impl Run {
    /// The events of that type.
    pub fn of_type(&self, kind: &str) -> Vec<&Value> {
        self.events.iter().filter(|event| event["type"] == kind).collect()
    }

    /// The messages of that role which ended in this run.
    pub fn messages(&self, role: &str) -> Vec<&Value> {
        self.of_type("message_end").into_iter().map(|event| &event["message"]).filter(|it| it["role"] == role).collect()
    }

    /// The text of the last answer; empty when it has none.
    pub fn text(&self) -> String {
        self.messages("assistant").last().map(|message| text_of(message)).unwrap_or_default()
    }

    /// The error of the last answer, if it ended with one.
    pub fn error(&self) -> Option<&str> {
        self.messages("assistant").last()?["errorMessage"].as_str()
    }

    /// Whether the run was aborted.
    pub fn aborted(&self) -> bool {
        self.of_type("agent_settled").last().is_some_and(|event| event["aborted"] == true)
    }

    /// The ends of tool calls, in the order in which they ended.
    pub fn tools(&self) -> Vec<ToolEnd> {
        self.of_type("tool_execution_end").into_iter().map(ToolEnd::of).collect()
    }

    /// The end of the only tool call.
    ///
    /// # Panics
    ///
    /// When there were more or none.
    pub fn tool(&self) -> ToolEnd {
        let mut tools = self.tools();
        assert_eq!(tools.len(), 1, "exactly one tool call expected: {tools:?}");
        tools.remove(0)
    }
}

impl ToolEnd {
    /// Reads a `tool_execution_end` event.
    pub fn of(event: &Value) -> ToolEnd {
        ToolEnd {
            call_id: event["toolCallId"].as_str().unwrap_or_default().to_owned(),
            name: event["toolName"].as_str().unwrap_or_default().to_owned(),
            text: text_of(&event["result"]),
            structured: event["result"]["structuredContent"].clone(),
            details: event["result"]["details"].clone(),
            is_error: event["isError"] == true,
        }
    }
}

/// The records that a thread reads from the process.
#[derive(Debug, Default)]
struct Feed {
    records: Mutex<Records>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Records {
    records: Vec<Value>,
    strays: Vec<String>,
    ended: bool,
}

impl Feed {
    fn lock(&self) -> MutexGuard<'_, Records> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read_from(&self, stdout: impl Read) {
        let mut lines = BufReader::new(stdout);
        let mut line = Vec::new();
        while matches!(lines.read_until(b'\n', &mut line), Ok(1..)) {
            let mut records = self.lock();
            match serde_json::from_slice(&line) {
                Ok(record) => records.records.push(record),
                Err(_) => records.strays.push(String::from_utf8_lossy(&line).into_owned()),
            }
            self.changed.notify_all();
            line.clear();
        }
        self.lock().ended = true;
        self.changed.notify_all();
    }
}

fn notice_of(record: &Value) -> Option<Notice> {
    if record["type"] != "extension_ui_request" || record["method"] != "notify" {
        return None;
    }
    Some(Notice {
        level: record["notifyType"].as_str().unwrap_or("info").to_owned(),
        message: record["message"].as_str().unwrap_or_default().to_owned(),
    })
}
