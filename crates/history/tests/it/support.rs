//! Sessions written record by record, and short ways to look at them.

use std::fs;
use std::path::PathBuf;

use palimpsest_history::{Item, Page, Role, Roles, Selection, Session};
use serde_json::{Value, json};
use tempfile::TempDir;

pub(crate) const SESSION: &str = "12345678-aaaa-bbbb-cccc-1234567890ab";
pub(crate) const ROOT: &str = "pcw:12345678:root";
/// The time of every record, but for markers.
pub(crate) const TIME: &str = "2026-03-01T12:00:00.000Z";

/// A session as Pi writes it: each record is a child of the one before, unless the log is moved.
pub(crate) struct Log {
    lines: Vec<String>,
    leaf: Option<String>,
    next: usize,
}

impl Log {
    pub(crate) fn new() -> Self {
        let header = json!({"type": "session", "version": 3, "id": SESSION, "timestamp": TIME, "cwd": "/work/app"});
        Self { lines: vec![header.to_string()], leaf: None, next: 1 }
    }

    /// Adds an entry and returns its id: `e1`, `e2` and so on.
    pub(crate) fn entry(&mut self, mut entry: Value) -> String {
        let id = format!("e{}", self.next);
        self.next += 1;
        let object = entry.as_object_mut().expect("an object");
        object.entry("id").or_insert(json!(id));
        object.entry("parentId").or_insert(json!(self.leaf));
        object.entry("timestamp").or_insert(json!(TIME));
        let id = object["id"].as_str().expect("a text").to_owned();
        self.lines.push(entry.to_string());
        self.leaf = Some(id.clone());
        id
    }

    pub(crate) fn message(&mut self, message: Value) -> String {
        self.entry(json!({"type": "message", "message": message}))
    }

    pub(crate) fn user(&mut self, text: &str) -> String {
        self.message(json!({"role": "user", "content": text}))
    }

    pub(crate) fn assistant(&mut self, text: &str) -> String {
        self.message(json!({"role": "assistant", "content": [{"type": "text", "text": text}]}))
    }

    /// An assistant's message without text that calls tools: id, name, arguments.
    pub(crate) fn calls(&mut self, calls: &[(&str, &str, Value)]) -> String {
        let part = |(id, name, arguments): &(&str, &str, Value)| json!({"type": "toolCall", "id": id, "name": name, "arguments": arguments});
        self.message(json!({"role": "assistant", "content": calls.iter().map(part).collect::<Vec<_>>()}))
    }

    pub(crate) fn result(&mut self, call: &str, name: &str, text: &str) -> String {
        let content = json!([{"type": "text", "text": text}]);
        self.message(
            json!({"role": "toolResult", "toolCallId": call, "toolName": name, "content": content, "isError": false}),
        )
    }

    pub(crate) fn context(&mut self, text: &str) -> String {
        self.entry(json!({"type": "custom_message", "customType": "x", "content": text, "display": false}))
    }

    pub(crate) fn marker(&mut self, window: &str) -> String {
        let time = format!("time of {window}");
        let data = json!({"windowId": window});
        self.entry(json!({"type": "custom", "customType": "pi-context/reset-marker", "data": data, "timestamp": time}))
    }

    /// The next entry is a child of this one.
    pub(crate) fn go(&mut self, id: &str) {
        self.leaf = Some(id.to_owned());
    }

    /// Adds a line as it is.
    pub(crate) fn line(&mut self, line: &str) {
        self.lines.push(line.to_owned());
    }

    pub(crate) fn text(&self) -> String {
        self.lines.join("\n") + "\n"
    }

    /// The session as a host hands it over, after a look at whether its file says the same.
    pub(crate) fn session(&self) -> Session {
        let handed = Session::from_entries(&self.text());
        let file = TempFile::new(self.text());
        assert_eq!(all(&Session::open(file.path()).expect("open")), all(&handed));
        handed
    }
}

/// A session file in a temporary folder.
pub(crate) struct TempFile {
    folder: TempDir,
}

impl TempFile {
    pub(crate) fn new(content: impl AsRef<[u8]>) -> Self {
        let file = Self { folder: tempfile::tempdir().expect("a temporary folder") };
        file.write(content);
        file
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("session.jsonl")
    }

    pub(crate) fn write(&self, content: impl AsRef<[u8]>) {
        fs::write(self.path(), content).expect("write");
    }

    pub(crate) fn append(&self, content: impl AsRef<[u8]>) {
        use std::io::Write;
        let mut file = fs::OpenOptions::new().append(true).open(self.path()).expect("open");
        file.write_all(content.as_ref()).expect("append");
    }

    pub(crate) fn open(&self) -> Session {
        Session::open(self.path()).expect("open")
    }
}

/// A selection without bounds on what is shown.
pub(crate) fn everything() -> Selection {
    Selection { limit: usize::MAX, max_chars: usize::MAX, ..Selection::default() }
}

pub(crate) fn with_roles(roles: impl IntoIterator<Item = Role>) -> Selection {
    Selection { roles: Some(roles.into_iter().collect()), ..everything() }
}

/// Every event of the active branch.
pub(crate) fn all(session: &Session) -> Vec<Item> {
    let selection = Selection { roles: Some(Roles::ALL), ..everything() };
    session.list(&selection).expect("list").items.into()
}

/// Every event as `seq role content`.
pub(crate) fn rows(session: &Session) -> Vec<String> {
    all(session).iter().map(row).collect()
}

pub(crate) fn row(item: &Item) -> String {
    format!("{} {} {}", item.seq, item.role, item.content)
}

/// A page as its rows in order of seq, its folds among them, and its anchors.
pub(crate) fn page(page: &Page) -> (Vec<String>, Option<u64>, Option<u64>) {
    let mut rows: Vec<(u64, String)> = page.items.iter().map(|item| (item.seq, row(item))).collect();
    for fold in &page.folds {
        let tools: Vec<String> = fold.tools.iter().map(|(name, count)| format!("{name}:{count}")).collect();
        let text = format!("fold {}-{} {} [{}]", fold.first_seq, fold.last_seq, fold.count, tools.join(" "));
        rows.push((fold.first_seq, text));
    }
    let in_order = |rows: &[(u64, String)]| rows.is_sorted_by_key(|(seq, _)| *seq);
    assert!(in_order(&rows[..page.items.len()]) && in_order(&rows[page.items.len()..]));
    rows.sort();
    (rows.into_iter().map(|(_, row)| row).collect(), page.older_before, page.newer_after)
}

/// How often a test repeats what the soak run does `full` times.
pub(crate) fn rounds(full: usize, in_tests: usize) -> usize {
    if std::env::var_os("PALIMPSEST_SOAK").is_some() { full } else { in_tests }
}

/// Says what a test ran, for the figures that a soak run keeps.
pub(crate) fn figure(text: &str) {
    use std::io::Write;
    writeln!(std::io::stdout(), "figure: {text}").expect("standard output is open");
}
