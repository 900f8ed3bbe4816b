//! A session: where its bytes are, what is known of them, and the branch that is looked at.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;

use crate::branch::{Branch, Window};
use crate::cache::Cache;
use crate::error::HistoryError;
use crate::event::tell;
use crate::index::Index;
use crate::json::Text;
use crate::record::{Parts, Record};
use crate::reject::{Reason, Reject};
use crate::scan::Header;
use crate::source::{Fate, SessionFile, Source};
use crate::text::{byte_offset, length};

/// A session of Pi, read-only.
///
/// Its bytes are in a file, of which only an index is kept in memory, or in memory, handed over by a host. All questions
/// are about the *active branch*: the path from the leaf to its root.
pub struct Session {
    source: Source,
    index: Index,
    branch: Branch,
    /// Nothing: the last entry, whichever that is.
    leaf: Option<Option<u32>>,
    cache: Mutex<Cache>,
}

/// How a session is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Most bytes of decoded text that searches keep for later searches. 0 keeps none.
    pub cache_bytes: usize,
}

impl Default for Options {
    /// 64 MiB of decoded text.
    fn default() -> Self {
        Self { cache_bytes: 64 << 20 }
    }
}

/// Where the active branch ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leaf<'a> {
    /// At the last entry of the session, also when more are added.
    Last,
    /// At the entry with this id.
    Entry(&'a str),
    /// Before the first entry: the branch is empty.
    Root,
}

/// What a look at the file brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refresh {
    /// The file is as it was.
    Unchanged,
    /// The file has grown; what is new was read.
    Appended,
    /// The file shrank or was replaced; it was read anew, and the leaf is the last entry again.
    Reread,
}

/// The end of a branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tip {
    /// The id of its last entry; nothing in format 1.
    pub id: Option<String>,
    /// When its last entry was written, as stored.
    pub created_at: Option<String>,
    /// The highest seq that was given when it was written.
    pub seq: u64,
    /// It is the leaf.
    pub active: bool,
}

/// A stretch of an event's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slice {
    /// The event's seq; for the seq of a result, that of its call.
    pub seq: u64,
    /// The event's window.
    pub window_id: String,
    /// The text from `start` to `end`.
    pub text: String,
    /// Where it begins, in code points.
    pub start: usize,
    /// Where it ends, in code points.
    pub end: usize,
    /// Code points of the whole text.
    pub total: usize,
}

impl Session {
    /// Indexes a session file.
    ///
    /// Damage is no failure: what is intact is there, and [`rejects`](Session::rejects) names the rest. A file without a
    /// usable header has no [`header`](Session::header).
    ///
    /// # Errors
    /// `io`; `changed` if the file shrinks meanwhile.
    ///
    /// ```
    /// use palimpsest_history::{Selection, Session};
    ///
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let path = folder.path().join("session.jsonl");
    /// # std::fs::write(&path, concat!(
    /// #     r#"{"type":"session","version":3,"id":"0123456789","cwd":"/app"}"#, "\n",
    /// #     r#"{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"hello"}}"#, "\n",
    /// #     r#"{"type":"mess"#,
    /// # )).unwrap();
    /// let session = Session::open(&path)?;
    /// assert_eq!(session.list(&Selection::default())?.items[0].content, "hello");
    /// for reject in session.rejects() {
    ///     println!("{reject}");
    /// }
    /// # assert_eq!(session.rejects().len(), 1);
    /// # Ok::<(), palimpsest_history::HistoryError>(())
    /// ```
    pub fn open(path: impl AsRef<Path>) -> Result<Self, HistoryError> {
        Self::open_with(path, Options::default())
    }

    /// [`open`](Session::open) with options.
    ///
    /// # Errors
    /// As [`open`](Session::open).
    pub fn open_with(path: impl AsRef<Path>, options: Options) -> Result<Self, HistoryError> {
        let mut session = Self::of(Source::File(SessionFile::open(path.as_ref())?), options);
        session.read_on()?;
        Ok(session)
    }

    /// A session whose records a host hands over, as lines of JSON: the header, then entries.
    pub fn from_entries(lines: &str) -> Self {
        Self::from_entries_with(lines, Options::default())
    }

    /// [`from_entries`](Session::from_entries) with options.
    pub fn from_entries_with(lines: &str, options: Options) -> Self {
        let mut session = Self::of(Source::Entries(Vec::new()), options);
        session.append(lines);
        session
    }

    /// Takes entries that were added to a session that was handed over; a session in a file has
    /// [`refresh`](Session::refresh) instead and takes nothing. Costs what is appended.
    ///
    /// ```
    /// use palimpsest_history::{Selection, Session};
    ///
    /// let mut session = Session::from_entries(r#"{"type":"session","version":3,"id":"0123456789"}"#);
    /// session.append(r#"{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"hello"}}"#);
    /// assert_eq!(session.list(&Selection::default())?.items.len(), 1);
    /// # Ok::<(), palimpsest_history::HistoryError>(())
    /// ```
    pub fn append(&mut self, lines: &str) {
        let Source::Entries(bytes) = &mut self.source else { return };
        bytes.extend_from_slice(lines.as_bytes());
        if !lines.ends_with('\n') {
            bytes.push(b'\n');
        }
        // Memory does not fail.
        let _read = self.read_on();
    }

    /// Looks at the file again and reads what was appended; all of it if it is no longer the file that was read.
    ///
    /// # Errors
    /// `io`, `changed`. The session then answers as before.
    pub fn refresh(&mut self) -> Result<Refresh, HistoryError> {
        let Source::File(file) = &mut self.source else { return Ok(Refresh::Unchanged) };
        match file.look()? {
            Fate::Same => Ok(Refresh::Unchanged),
            Fate::Grown => {
                let read = self.read_on();
                if let (Err(_), Source::File(file)) = (&read, &mut self.source) {
                    // Part of what is new may be missing.
                    file.distrust();
                }
                read.map(|()| Refresh::Appended)
            }
            Fate::Replaced => {
                let file = SessionFile::open(&file.path)?;
                let options = Options { cache_bytes: self.cache().limit() };
                let mut session = Self::of(Source::File(file), options);
                session.read_on()?;
                *self = session;
                Ok(Refresh::Reread)
            }
        }
    }

    /// Moves the end of the active branch. Reads nothing; a branch that goes on costs only what is new on it.
    ///
    /// # Errors
    /// `unknown_entry`; the leaf then stays where it was.
    pub fn set_leaf(&mut self, leaf: Leaf<'_>) -> Result<(), HistoryError> {
        let leaf = match leaf {
            Leaf::Last => None,
            Leaf::Root => Some(None),
            Leaf::Entry(id) => {
                let entry = self.index.find(id);
                Some(Some(entry.ok_or_else(|| HistoryError::UnknownEntry { id: id.to_owned() })?))
            }
        };
        self.leaf = leaf;
        self.branch.follow(&self.index, leaf.unwrap_or(self.index.last()));
        Ok(())
    }

    /// Whether an entry with this id has been read.
    pub fn contains(&self, id: &str) -> bool {
        self.index.find(id).is_some()
    }

    /// The session's id; empty without a usable header.
    pub fn id(&self) -> &str {
        self.index.header.as_ref().map_or("", |header| &header.id)
    }

    /// The session's header, if it has a usable one.
    pub fn header(&self) -> Option<&Header> {
        self.index.header.as_ref().filter(|header| !header.id.is_empty())
    }

    /// The name that the user gave the session last.
    pub fn name(&self) -> Option<&str> {
        self.index.name.as_deref()
    }

    /// Names of entries by their ids.
    pub fn labels(&self) -> &BTreeMap<String, String> {
        &self.index.labels
    }

    /// What is wrong in the session, by place.
    pub fn rejects(&self) -> Vec<Reject> {
        let mut rejects = self.index.rejects();
        rejects.extend(self.branch.circle.map(|entry| self.index.reject_of(entry, Reason::Cycle)));
        rejects.sort_by_key(|reject| reject.offset);
        rejects
    }

    /// The highest seq given so far, on any branch; 0 before the first.
    pub fn highest_seq(&self) -> u64 {
        self.index.highest_seq()
    }

    /// The ends of all branches, in the order of the session. Passing one's id to [`set_leaf`](Session::set_leaf) makes it
    /// the active one.
    ///
    /// # Errors
    /// `io`, `changed`.
    pub fn tips(&self) -> Result<Vec<Tip>, HistoryError> {
        let tip = |entry: u32| {
            let (id, created_at) = self.peek(entry)?;
            let seq = self.index.seqs_to(entry);
            Ok(Tip { id, created_at, seq, active: self.branch.leaf() == Some(entry) })
        };
        self.index.tips().into_iter().map(tip).collect()
    }

    /// When the last entry was written, as stored.
    ///
    /// # Errors
    /// `io`, `changed`.
    pub fn last_entry_at(&self) -> Result<Option<String>, HistoryError> {
        let Some(last) = self.index.last() else { return Ok(None) };
        Ok(self.peek(last)?.1)
    }

    /// The windows of the active branch, oldest first.
    pub fn windows(&self) -> &[Window] {
        &self.branch.windows
    }

    /// The id of the window that the branch ends in.
    pub fn current_window(&self) -> &str {
        self.branch.windows.last().map_or("", |window| &window.id)
    }

    /// The id of the window before the current one; nothing in the root window.
    pub fn previous_window(&self) -> Option<&str> {
        self.branch.windows.iter().rev().nth(1).map(|window| &*window.id)
    }

    /// Reads a stretch of an event's text. `offset` and `limit` are code points; a negative offset counts from the end.
    /// The seq of a result reads its call.
    ///
    /// # Errors
    /// `unknown_seq`, `not_on_branch`, `invalid_offset`, `io`, `changed`.
    ///
    /// ```
    /// # use palimpsest_history::Session;
    /// # let session = Session::from_entries(
    /// #     r#"{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"measure twice"}}"#);
    /// let tail = session.read(1, -5, 100)?;
    /// assert_eq!((tail.text.as_str(), tail.start, tail.total), ("twice", 8, 13));
    /// assert_eq!(session.read(2, 0, 100).unwrap_err().code(), "unknown_seq");
    /// # Ok::<(), palimpsest_history::HistoryError>(())
    /// ```
    pub fn read(&self, seq: u64, offset: i64, limit: usize) -> Result<Slice, HistoryError> {
        let highest = self.highest_seq();
        if seq == 0 || seq > highest {
            return Err(HistoryError::UnknownSeq { seq, highest });
        }
        let at = self.branch.event_of(&self.index, seq).ok_or(HistoryError::NotOnBranch { seq })?;
        let event = self.branch.events[at as usize];
        let text = tell(&self.source, &self.index, event)?.text;
        let (seq, window_id) = (event.seq(&self.index), self.branch.windows[event.window as usize].id.clone());
        let total = length(&text);
        let distance = usize::try_from(offset.unsigned_abs()).unwrap_or(usize::MAX);
        if offset > 0 && distance > total {
            return Err(HistoryError::InvalidOffset { seq, window_id, offset, total });
        }
        let start = if offset < 0 { total.saturating_sub(distance) } else { distance };
        let end = start.saturating_add(limit).min(total);
        let from = byte_offset(&text, start);
        let to = from + byte_offset(&text[from..], end - start);
        Ok(Slice { seq, window_id, text: text[from..to].to_owned(), start, end, total })
    }

    pub(crate) fn source(&self) -> &Source {
        &self.source
    }

    pub(crate) fn index(&self) -> &Index {
        &self.index
    }

    pub(crate) fn branch(&self) -> &Branch {
        &self.branch
    }

    pub(crate) fn cache(&self) -> std::sync::MutexGuard<'_, Cache> {
        // What is in the cache is right also where a thread that held it has panicked.
        self.cache.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn of(source: Source, options: Options) -> Self {
        let index = Index::default();
        let branch = Branch::of(&index, None);
        Self { source, index, branch, leaf: None, cache: Mutex::new(Cache::new(options.cache_bytes)) }
    }

    fn read_on(&mut self) -> Result<(), HistoryError> {
        let had_header = self.index.header.is_some();
        let read = self.index.read(&self.source);
        // The leaf may have been written again.
        self.leaf = self.leaf.map(|leaf| leaf.map(|entry| self.index.current(entry)));
        let leaf = self.leaf.unwrap_or(self.index.last());
        // What was read may have changed what lies on the branch, and where its root window gets its id from.
        if std::mem::take(&mut self.index.rewired) || self.index.header.is_some() != had_header {
            self.branch = Branch::of(&self.index, leaf);
        } else {
            self.branch.follow(&self.index, leaf);
        }
        read
    }

    /// The id and the timestamp of an entry.
    fn peek(&self, entry: u32) -> Result<(Option<String>, Option<String>), HistoryError> {
        let entry = &self.index.entries[entry as usize];
        let mut buffer = Vec::new();
        let bytes = self.source.bytes(entry.offset, entry.length as usize, &mut buffer)?;
        let mut parts = Parts::new();
        let record = Record::parse(bytes, &mut parts).ok_or_else(|| self.source.changed())?;
        Ok((record.id.map(Text::to_owned), record.timestamp.map(Text::to_owned)))
    }
}
