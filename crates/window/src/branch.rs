//! A session's active branch as plain values, and what it says about windows.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::ops::Range;

use crate::entry::{Compaction, Entry, EntryKind};
use crate::vocabulary::{CHECKPOINT_AUTHOR, MARKER_TAG, Tag, WRITING_TOOLS};

/// Letters that a window's id takes from its session's.
const PREFIX_UNITS: usize = 8;

/// The entries from a session's root to its active leaf, in order.
///
/// Keep one and [push](Branch::push) what is new: every lookup costs at most the length of a window.
#[derive(Debug, Clone, PartialEq)]
pub struct Branch {
    session: String,
    started_at: i64,
    root_id: String,
    entries: Vec<Entry>,
    /// Where the valid markers are.
    markers: Vec<usize>,
}

/// What stands behind a marker whose window could still be completed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tail {
    /// The window's boot is there.
    pub boot: bool,
    /// The continuation is there.
    pub continuation: bool,
}

/// The entries that hold what was said last. Each is an entry's id.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Said<'a> {
    /// The last message of the user.
    pub request: Option<&'a str>,
    /// The message of the user before that.
    pub before: Option<&'a str>,
    /// The last message of the model that holds text.
    pub answer: Option<&'a str>,
}

/// A checkpoint whose window was never opened: the program ended between two entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenCheckpoint<'a> {
    /// The id of the checkpoint's entry.
    pub entry: &'a str,
    /// The id of the window that it was to open.
    pub window: &'a str,
    /// Why the window before it ended, as the checkpoint says.
    pub cause: Option<&'a str>,
    /// JSON that the checkpoint keeps for the caller.
    pub data: Option<&'a str>,
}

impl Branch {
    /// The empty branch of a session that began at `started_at` (milliseconds since 1970).
    pub fn new(session: &str, started_at: i64) -> Branch {
        Branch {
            session: session.to_string(),
            started_at,
            root_id: format!("pcw:{}:root", prefix(session)),
            entries: Vec::new(),
            markers: Vec::new(),
        }
    }

    /// Adds an entry behind the leaf.
    pub fn push(&mut self, entry: Entry) {
        if entry.marker_id().is_some() {
            self.markers.push(self.entries.len());
        }
        self.entries.push(entry);
    }

    /// Makes the entry with this id the leaf, or with `None` leaves nothing. Says whether the branch has it; without it
    /// nothing changes.
    pub fn rewind(&mut self, id: Option<&str>) -> bool {
        let kept = match id {
            None => Some(0),
            Some(id) => self.entries.iter().rposition(|entry| entry.id == id).map(|at| at + 1),
        };
        let Some(kept) = kept else {
            return false;
        };
        self.entries.truncate(kept);
        self.markers.retain(|marker| *marker < kept);
        true
    }

    /// The session's id.
    pub fn session(&self) -> &str {
        &self.session
    }

    /// The entries, from the root to the leaf.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The id of the session's root window.
    pub fn root_id(&self) -> &str {
        &self.root_id
    }

    /// The id of the current window.
    pub fn window_id(&self) -> &str {
        self.markers.last().map_or(&self.root_id, |marker| self.id_at(*marker))
    }

    /// Whether the current window is the root window.
    pub fn is_root(&self) -> bool {
        self.markers.is_empty()
    }

    /// The number of the current window: the root window is 1.
    pub fn ordinal(&self) -> usize {
        self.markers.len() + 1
    }

    /// The number of the window with this id, the newest of that id.
    pub fn ordinal_of(&self, window: &str) -> Option<usize> {
        match self.markers.iter().rposition(|marker| self.id_at(*marker) == window) {
            Some(at) => Some(at + 2),
            None => (window == self.root_id).then_some(1),
        }
    }

    /// The ids of the windows on the branch, oldest first.
    pub fn windows(&self) -> impl Iterator<Item = &str> {
        core::iter::once(self.root_id.as_str()).chain(self.markers.iter().map(|marker| self.id_at(*marker)))
    }

    /// The id of the window before the current one; none in the root window.
    pub fn previous_id(&self) -> Option<&str> {
        let (_, before) = self.markers.split_last()?;
        Some(before.last().map_or(&self.root_id, |marker| self.id_at(*marker)))
    }

    /// Whether a message of ours of this kind stands in the current window.
    pub fn holds(&self, tag: Tag) -> bool {
        self.current().iter().any(|entry| entry.is_message(tag))
    }

    /// Whether a message of ours of this kind stands in the window with this id.
    pub fn window_holds(&self, window: &str, tag: Tag) -> bool {
        let Some(ordinal) = self.ordinal_of(window) else {
            return false;
        };
        self.entries[self.range(ordinal)].iter().any(|entry| entry.is_message(tag))
    }

    /// A checkpoint that nothing but metadata stands behind, and whose window was never opened.
    pub fn open_checkpoint(&self) -> Option<OpenCheckpoint<'_>> {
        let entry = self.entries.iter().rev().find(|entry| !entry.is_metadata())?;
        let EntryKind::Compaction(checkpoint) = &entry.kind else {
            return None;
        };
        let window = checkpoint.window_id.as_deref().filter(|id| !id.is_empty())?;
        let ours = is_checkpoint(checkpoint) && checkpoint.by.as_deref() == Some(CHECKPOINT_AUTHOR);
        let opened = self.markers.iter().any(|marker| self.id_at(*marker) == window);
        (ours && !opened).then_some(OpenCheckpoint {
            entry: &entry.id,
            window,
            cause: checkpoint.cause.as_deref(),
            data: checkpoint.data.as_deref(),
        })
    }

    /// Whether the host has cut off what stands before the current window: an empty checkpoint stands before its marker.
    /// False in the root window, and in windows that an earlier product opened with the marker alone.
    pub fn checkpoint_backed(&self) -> bool {
        self.markers.last().is_some_and(|marker| self.checkpoint_of(*marker).is_some())
    }

    /// Why the window with this id was opened, as its checkpoint says.
    pub fn cause_of(&self, window: &str) -> Option<&str> {
        let marker = self.markers.iter().rev().find(|marker| self.id_at(**marker) == window)?;
        self.checkpoint_of(*marker)?.cause.as_deref()
    }

    /// What the checkpoint of the current window keeps for the caller, as JSON.
    pub fn checkpoint_data(&self) -> Option<&str> {
        self.checkpoint_of(*self.markers.last()?)?.data.as_deref()
    }

    /// Whether the reset to this window stands on the branch in its whole closed shape.
    pub fn committed(&self, window: &str) -> bool {
        let Some(marker) = self.markers.iter().copied().rev().find(|marker| self.id_at(*marker) == window) else {
            return false;
        };
        if self.checkpoint_of(marker).is_none() {
            return false;
        }
        let mut booted = false;
        for entry in &self.entries[marker + 1..] {
            match &entry.kind {
                EntryKind::CustomMessage { display, .. } if entry.is_boot_of(window) => {
                    if booted || *display {
                        return false;
                    }
                    booted = true;
                }
                EntryKind::CustomMessage { display, .. } if entry.is_message(Tag::Continuation) => {
                    return booted && !display;
                }
                _ if entry.is_metadata() => {}
                _ => return false,
            }
        }
        false
    }

    /// What stands behind the current marker, if nothing stands there but what may be completed; none in the root window.
    pub fn tail(&self) -> Option<Tail> {
        let marker = *self.markers.last()?;
        let window = self.id_at(marker);
        let mut tail = Tail { boot: false, continuation: false };
        for entry in &self.entries[marker + 1..] {
            if entry.is_boot_of(window) {
                if tail.boot {
                    return None;
                }
                tail.boot = true;
            } else if entry.is_message(Tag::Continuation) {
                if tail.continuation || !tail.boot {
                    return None;
                }
                tail.continuation = true;
            } else if !entry.is_metadata() {
                return None;
            }
        }
        Some(tail)
    }

    /// Whether the host compacted within the current window.
    pub fn compacted_since(&self) -> bool {
        !self.is_root() && self.current().iter().any(|entry| matches!(entry.kind, EntryKind::Compaction(_)))
    }

    /// Whether there is work that the model could go on with: always in the root window, later only after a message of
    /// the user or a tool call.
    pub fn may_continue(&self) -> bool {
        self.is_root()
            || self.current().iter().any(|entry| {
                matches!(
                    entry.kind,
                    EntryKind::User | EntryKind::ToolResult { .. } | EntryKind::Assistant { calls: true, .. }
                )
            })
    }

    /// How often the model wrote or edited a note in the current window, with success.
    pub fn notes_written(&self) -> usize {
        count_written(self.current())
    }

    /// The entries that hold what was said last, across windows.
    pub fn last_said(&self) -> Said<'_> {
        let mut users = self.ids(|entry| matches!(entry.kind, EntryKind::User));
        let request = users.next();
        let before = users.next();
        let mut answers = self.ids(|entry| matches!(entry.kind, EntryKind::Assistant { text: true, .. }));
        Said { request, before, answer: answers.next() }
    }

    /// Tokens of the first request of the current window that was answered, where the answer says so.
    pub(crate) fn opening_tokens(&self) -> Option<u64> {
        self.current().iter().find_map(|entry| match &entry.kind {
            EntryKind::Assistant { usage, stop, .. } if usage.total() > 0 && !stop.is_failure() => Some(usage.prompt()),
            _ => None,
        })
    }

    /// Whether the model has said anything in the current window.
    pub(crate) fn answered(&self) -> bool {
        self.current().iter().any(|entry| matches!(entry.kind, EntryKind::Assistant { .. }))
    }

    /// Where the entries of a window are; the marker belongs to neither side.
    pub(crate) fn range(&self, ordinal: usize) -> Range<usize> {
        let start = ordinal.checked_sub(2).and_then(|at| self.markers.get(at)).map_or(0, |marker| marker + 1);
        let end = self.markers.get(ordinal - 1).copied().unwrap_or(self.entries.len());
        start..end
    }

    /// When a window began, in milliseconds since 1970.
    pub(crate) fn started_at(&self, ordinal: usize) -> i64 {
        let marker = ordinal.checked_sub(2).and_then(|at| self.markers.get(at));
        marker.map_or(self.started_at, |marker| self.entries[*marker].at)
    }

    /// The first letters of the session's id, for ids of new windows.
    pub(crate) fn prefix(&self) -> &str {
        prefix(&self.session)
    }

    fn current(&self) -> &[Entry] {
        &self.entries[self.range(self.ordinal())]
    }

    fn id_at(&self, marker: usize) -> &str {
        self.entries[marker].marker_id().unwrap_or_default()
    }

    /// The checkpoint that backs a marker. Metadata may stand between the two only where the checkpoint says that it is
    /// ours and names the marker's window.
    fn checkpoint_of(&self, marker: usize) -> Option<&Compaction> {
        let before = &self.entries[..marker];
        let at = before.iter().rposition(|entry| !entry.is_metadata())?;
        let EntryKind::Compaction(compaction) = &before[at].kind else {
            return None;
        };
        let adjacent = at + 1 == marker;
        let named = compaction.by.as_deref() == Some(CHECKPOINT_AUTHOR)
            && compaction.window_id.as_deref() == Some(self.id_at(marker));
        (is_checkpoint(compaction) && (adjacent || named)).then_some(compaction)
    }

    fn ids(&self, wanted: impl Fn(&Entry) -> bool) -> impl Iterator<Item = &str> {
        self.entries.iter().rev().filter(move |entry| wanted(entry)).map(|entry| entry.id.as_str())
    }
}

pub(crate) fn count_written(entries: &[Entry]) -> usize {
    let written = entries.iter().filter(|entry| match &entry.kind {
        EntryKind::ToolResult { tool, failed } => !failed && WRITING_TOOLS.contains(&tool.as_str()),
        _ => false,
    });
    written.count()
}

fn is_checkpoint(compaction: &Compaction) -> bool {
    compaction.empty && compaction.keeps_itself
}

/// The first eight UTF-16 units of a session's id, never half a character.
fn prefix(session: &str) -> &str {
    let mut units = 0;
    let end = session.char_indices().find(|(_, letter)| {
        units += letter.len_utf16();
        units > PREFIX_UNITS
    });
    end.map_or(session, |(at, _)| &session[..at])
}

impl Entry {
    /// The window that this entry opens, if it is a valid marker.
    pub fn marker_id(&self) -> Option<&str> {
        match &self.kind {
            EntryKind::Custom { tag, window_id: Some(id) } if tag == MARKER_TAG && !id.is_empty() => Some(id),
            _ => None,
        }
    }

    /// Whether this is a message of ours of this kind.
    pub(crate) fn is_message(&self, wanted: Tag) -> bool {
        matches!(&self.kind, EntryKind::CustomMessage { tag, .. } if tag == wanted.as_str())
    }

    fn is_boot_of(&self, window: &str) -> bool {
        matches!(&self.kind, EntryKind::CustomMessage { tag, window_id: Some(id), .. }
            if tag == Tag::Boot.as_str() && id == window)
    }

    /// Whether lookups pass over it: nothing that the model could see, and no marker.
    fn is_metadata(&self) -> bool {
        match &self.kind {
            EntryKind::Metadata => true,
            EntryKind::Custom { .. } => self.marker_id().is_none(),
            EntryKind::User
            | EntryKind::Assistant { .. }
            | EntryKind::ToolResult { .. }
            | EntryKind::OtherMessage
            | EntryKind::CustomMessage { .. }
            | EntryKind::Compaction(_)
            | EntryKind::BranchSummary => false,
        }
    }
}
