//! From bytes to heads: what the index keeps of each record, and what is no record.
//!
//! Stretches of a file are scanned on their own, several at once; nothing here depends on what came before.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

use crate::json::{Cursor, Text};
use crate::record::{Message, Parts, Record};
use crate::reject::{Reason, Reject};

/// What an entry is to history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    User,
    Assistant,
    ToolResult,
    Bash,
    /// A message that was put into the context, or a summary.
    Context,
    /// A custom message by its name in formats 1 and 2; nothing in format 3.
    Hook,
    /// Opens a window.
    Marker,
    /// Takes no seq.
    Other,
}

/// An id of an entry or of a tool call, as [`Keys`] make it; 0 is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct Id(pub(crate) u64);

impl Id {
    pub(crate) const NONE: Self = Self(0);
}

/// What makes ids of a session's own. They are not known outside, so nobody can write a session whose ids crowd one place
/// of a table.
#[derive(Debug, Clone)]
pub(crate) struct Keys {
    hasher: RandomState,
    factor: u64,
}

impl Default for Keys {
    fn default() -> Self {
        let hasher = RandomState::new();
        let factor = hasher.hash_one(0) | 1;
        Self { hasher, factor }
    }
}

impl Keys {
    /// Ids as short as the host's stay different from each other; long ones become a hash.
    pub(crate) fn id(&self, bytes: &[u8]) -> Id {
        if bytes.is_empty() {
            return Id::NONE;
        }
        match <[u8; 8]>::try_from(bytes).map(u64::from_le_bytes) {
            // Multiplying by an odd number can be undone, so it keeps apart what is different.
            Ok(short) if short != 0 => Id(short.wrapping_mul(self.factor)),
            _ => Id(self.hasher.hash_one(bytes).max(1)),
        }
    }
}

/// A tool call or a result: its call's id and the tool's name, as an index into the names.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ToolRef {
    pub(crate) id: Id,
    pub(crate) name: u32,
}

/// What is kept of one record.
#[derive(Debug)]
pub(crate) struct Head {
    pub(crate) offset: u64,
    pub(crate) length: u32,
    /// Lines before it in the stretch.
    pub(crate) line: u64,
    pub(crate) kind: Kind,
    pub(crate) has_text: bool,
    pub(crate) respelled: bool,
    pub(crate) id: Id,
    pub(crate) parent: Id,
    /// How many of the stretch's tool references are its own.
    pub(crate) tools: u32,
    pub(crate) extra: Option<Box<Extra>>,
}

/// What few records have.
#[derive(Debug)]
pub(crate) enum Extra {
    Header { header: Header },
    Marker { window: String, created_at: Option<String> },
    Label { target: String, label: Option<String> },
    Name(Option<String>),
}

/// The first record of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// The session's id.
    pub id: String,
    /// When it began, as stored.
    pub timestamp: Option<String>,
    /// The folder it was started in.
    pub cwd: Option<String>,
    /// The file it was forked or cloned from.
    pub parent_session: Option<String>,
    /// The format of the file: 1, 2 or 3.
    pub format: u8,
}

/// What a stretch of a session holds.
#[derive(Debug, Default)]
pub(crate) struct Stretch {
    pub(crate) heads: Vec<Head>,
    /// Their lines are counted within the stretch, from 0.
    pub(crate) rejects: Vec<Reject>,
    pub(crate) tools: Vec<ToolRef>,
    pub(crate) names: Names,
    /// Line feeds.
    pub(crate) lines: u64,
    /// Behind the last byte that need not be looked at again when more is appended; 0 where no line begins.
    pub(crate) done: u64,
}

/// Tool names, each kept once.
#[derive(Debug, Default)]
pub(crate) struct Names {
    pub(crate) list: Vec<Box<str>>,
    numbers: HashMap<Box<str>, u32>,
}

impl Names {
    pub(crate) fn number(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = u32::try_from(self.list.len()).unwrap_or(u32::MAX);
        self.list.push(name.into());
        self.numbers.insert(name.into(), number);
        number
    }
}

/// The name of a tool that has none.
pub(crate) const UNKNOWN_TOOL: &str = "unknown";

/// Scans the lines of `bytes`, which begin at `offset` in the session. A last line without a line ending is the last of all.
pub(crate) fn scan(bytes: &[u8], offset: u64, keys: &Keys) -> Stretch {
    let stretch = Stretch { done: offset, ..Stretch::default() };
    let mut scanner = Scanner { bytes, offset, keys, cursor: Cursor::new(bytes), parts: Vec::new(), stretch };
    while scanner.cursor.at() < bytes.len() {
        scanner.line();
    }
    scanner.stretch
}

struct Scanner<'a> {
    bytes: &'a [u8],
    offset: u64,
    keys: &'a Keys,
    cursor: Cursor<'a>,
    parts: Parts<'a>,
    stretch: Stretch,
}

impl<'a> Scanner<'a> {
    /// Reads the records of one line, glued ones too, and goes to the next line.
    fn line(&mut self) {
        const MARK: &[u8] = b"\xEF\xBB\xBF";
        if self.bytes[self.cursor.at()..].starts_with(MARK) {
            self.cursor.go(self.cursor.at() + MARK.len());
        }
        loop {
            match self.cursor.peek() {
                None => break,
                Some(b'{') => {
                    let start = self.cursor.at();
                    match Record::read(&mut self.cursor, &mut self.parts) {
                        Some(record) => self.keep(start, &record),
                        None => return self.recover(start, self.cursor.cut),
                    }
                }
                Some(_) => {
                    let start = self.cursor.at();
                    let whole = self.cursor.skip().is_some();
                    if !whole || self.cursor.peek().is_some() {
                        return self.recover(start, !whole && self.cursor.cut);
                    }
                    // What is in a list of records is as little a record of its own as what is in an object.
                    self.push_reject(start, Reason::NotARecord);
                    break;
                }
            }
        }
        // At a line feed or at the end.
        self.stretch.done = self.offset + self.cursor.at() as u64;
        self.next_line(self.cursor.at());
    }

    fn next_line(&mut self, at: usize) {
        self.cursor.go(at);
        if at < self.bytes.len() {
            self.stretch.lines += 1;
            self.cursor.go(at + 1);
            self.stretch.done = self.offset + at as u64 + 1;
        }
    }

    /// Delivers the intact records of a damaged line from `start` on, where the first value is broken or no object.
    /// `cut`: the line ends inside that value.
    ///
    /// A record must have a string `timestamp` to be found behind damage: without it, a part of a message whose own
    /// record is broken would pass for one.
    fn recover(&mut self, start: usize, cut: bool) {
        let end = memchr::memchr(b'\n', &self.bytes[start..]).map_or(self.bytes.len(), |length| start + length);
        // Without a line ending, more of a value that is cut may still come. Until then nothing in it is a record.
        let open = end == self.bytes.len();
        if open && cut {
            return self.tear(start);
        }
        // Candidates nest, so each could run to the end of a long line.
        let mut work = 16 * (end - start) + 4096;
        let mut damage = start;
        let mut at = start + 1;
        while let Some(next) = memchr::memchr(b'{', &self.bytes[at.min(end)..end]) {
            let candidate = at + next;
            self.cursor.go(candidate);
            let record = Record::read(&mut self.cursor, &mut self.parts);
            let behind = self.cursor.at();
            let Some(left) = work.checked_sub(behind - candidate) else { break };
            work = left;
            at = match record {
                Some(record) if record.kind.is_some() && record.timestamp.is_some() => {
                    self.reject(damage, candidate, Reason::Damaged);
                    self.keep(candidate, &record);
                    damage = behind;
                    behind
                }
                Some(_) => behind,
                None if open && self.cursor.cut => {
                    self.reject(damage, candidate, Reason::Damaged);
                    return self.tear(candidate);
                }
                None => candidate + 1,
            };
        }
        self.cursor.go(damage);
        if open && self.cursor.peek().is_some() && self.cursor.skip().is_none() && self.cursor.cut {
            return self.tear(damage);
        }
        self.reject(damage, end, Reason::Damaged);
        self.stretch.done = self.offset + end as u64;
        self.next_line(end);
    }

    /// Leaves the end of the last line, from `start` on, for when more of it has come.
    fn tear(&mut self, start: usize) {
        self.stretch.done = self.offset + start as u64;
        self.reject(start, self.bytes.len(), Reason::Torn);
        self.cursor.go(self.bytes.len());
    }

    /// Names a stretch of damage, unless nothing but white space is there.
    fn reject(&mut self, start: usize, end: usize, reason: Reason) {
        let text = String::from_utf8_lossy(&self.bytes[start..end]);
        let blank = |c: char| c.is_whitespace() || c == '\u{feff}';
        // White space is valid text, so it takes as many bytes here as there.
        let first = start + text.len() - text.trim_start_matches(blank).len();
        let end = end + text.trim_end_matches(blank).len() - text.len();
        if first >= end {
            return;
        }
        // A whole value of the wrong shape is better called so.
        let mut cursor = Cursor::new(&self.bytes[first..end]);
        let whole = cursor.skip().is_some() && cursor.peek().is_none();
        let reason = if whole { Reason::NotARecord } else { reason };
        self.push_reject(first, reason);
    }

    fn push_reject(&mut self, at: usize, reason: Reason) {
        let reject = Reject { line: self.stretch.lines, offset: self.offset + at as u64, reason };
        self.stretch.rejects.push(reject);
    }

    fn keep(&mut self, start: usize, record: &Record<'a>) {
        let length = u32::try_from(self.cursor.at() - start);
        let (Some(_), Ok(length)) = (record.kind, length) else {
            return self.push_reject(start, Reason::NotARecord);
        };
        let (kind, has_text) = self.kind(record);
        let first_tool = self.stretch.tools.len();
        self.keep_tools(record, kind);
        let id = |text: Option<Text<'_>>| text.map_or(Id::NONE, |id| self.keys.id(&id.bytes()));
        let head = Head {
            offset: self.offset + start as u64,
            length,
            line: self.stretch.lines,
            kind,
            has_text,
            respelled: record.respelled,
            id: id(record.id),
            parent: id(record.parent),
            tools: u32::try_from(self.stretch.tools.len() - first_tool).unwrap_or(u32::MAX),
            extra: extra(record, kind),
        };
        self.stretch.heads.push(head);
        self.stretch.done = self.offset + self.cursor.at() as u64;
    }

    fn kind(&self, record: &Record<'a>) -> (Kind, bool) {
        let Some(kind) = record.kind else { return (Kind::Other, false) };
        match &*kind.bytes() {
            b"message" => {}
            b"compaction" | b"branch_summary" | b"custom_message" => return (Kind::Context, true),
            b"custom" if record.window_id().is_some() => return (Kind::Marker, false),
            _ => return (Kind::Other, false),
        }
        let Some(Message { role: Some(role), body, .. }) = &record.message else { return (Kind::Other, false) };
        let kind = match &*role.bytes() {
            b"user" => Kind::User,
            b"assistant" => Kind::Assistant,
            b"toolResult" => Kind::ToolResult,
            b"bashExecution" => Kind::Bash,
            b"custom" | b"compactionSummary" | b"branchSummary" => Kind::Context,
            b"hookMessage" => Kind::Hook,
            _ => Kind::Other,
        };
        (kind, body.content.has_text(&self.parts))
    }

    fn keep_tools(&mut self, record: &Record<'a>, kind: Kind) {
        let Some(message) = &record.message else { return };
        let Stretch { tools, names, .. } = &mut self.stretch;
        let mut keep = |id: Option<Text<'_>>, name: Option<Text<'_>>| {
            let id = id.map_or(Id::NONE, |id| self.keys.id(&id.bytes()));
            let name = name.map_or(UNKNOWN_TOOL.into(), Text::decode);
            tools.push(ToolRef { id, name: names.number(&name) });
        };
        match kind {
            Kind::Assistant => {
                for call in message.body.content.calls(&self.parts) {
                    keep(call.id, call.name);
                }
            }
            Kind::ToolResult => keep(message.tool_call_id, message.tool_name),
            _ => {}
        }
    }
}

/// The header in a record.
pub(crate) fn header_of(record: &Record<'_>) -> Header {
    let text = |text: Option<Text<'_>>| text.map(Text::to_owned);
    Header {
        id: text(record.id).unwrap_or_default(),
        timestamp: text(record.timestamp),
        cwd: text(record.cwd),
        parent_session: text(record.parent_session),
        format: record.format(),
    }
}

fn extra(record: &Record<'_>, kind: Kind) -> Option<Box<Extra>> {
    let text = |text: Option<Text<'_>>| text.map(Text::to_owned);
    let extra = if kind == Kind::Marker {
        Extra::Marker { window: record.window_id()?, created_at: text(record.timestamp) }
    } else if kind != Kind::Other {
        return None;
    } else if record.is("label") {
        Extra::Label { target: text(record.target)?, label: text(record.label).filter(|label| !label.is_empty()) }
    } else if record.is("session_info") {
        Extra::Name(text(record.name).map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()))
    } else if record.is("session") {
        Extra::Header { header: header_of(record) }
    } else {
        return None;
    };
    Some(Box::new(extra))
}
