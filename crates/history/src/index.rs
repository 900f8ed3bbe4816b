//! What is kept in memory of every record: where it stands, whose child it is, which seqs it took.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::error::HistoryError;
use crate::reject::{Reason, Reject};
use crate::scan::{Extra, Head, Header, Id, Keys, Kind, Names, Stretch, ToolRef};
use crate::source::Source;
use crate::sweep::sweep;

/// Bytes of records that are read and searched at once.
const BLOCK: u64 = 1 << 20;

/// No entry.
pub(crate) const NONE: u32 = u32::MAX;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry {
    pub(crate) offset: u64,
    pub(crate) length: u32,
    line: u32,
    /// The parent, or the entry that replaced this one if it is superseded.
    parent: u32,
    /// The first seq it took, or would have.
    pub(crate) seq: u32,
    /// Its first tool reference.
    pub(crate) tool: u32,
    pub(crate) kind: Kind,
    pub(crate) has_text: bool,
    pub(crate) respelled: bool,
    superseded: bool,
}

/// The entry that opens a window.
#[derive(Debug)]
pub(crate) struct Marker {
    pub(crate) window: String,
    pub(crate) created_at: Option<String>,
}

#[derive(Debug, Default)]
pub(crate) struct Index {
    pub(crate) header: Option<Header>,
    /// Known with the header or the first entry.
    format: Option<u8>,
    pub(crate) entries: Vec<Entry>,
    ids: FxHashMap<u64, u32>,
    pub(crate) tools: Vec<ToolRef>,
    pub(crate) names: Names,
    pub(crate) markers: FxHashMap<u32, Marker>,
    pub(crate) labels: BTreeMap<String, String>,
    pub(crate) name: Option<String>,
    rejects: Vec<Reject>,
    /// Entries whose parent has not been met, with the parent's id.
    waiting: Vec<(u32, Id)>,
    next_seq: u32,
    lines: u64,
    done: u64,
    /// The first entry of each block.
    pub(crate) blocks: Vec<u32>,
    /// A record that was read has changed the parents of earlier ones, so what lies on a branch may have changed.
    pub(crate) rewired: bool,
    keys: Keys,
}

impl Index {
    /// Reads what the source holds beyond what was read before.
    pub(crate) fn read(&mut self, source: &Source) -> Result<(), HistoryError> {
        // More of a torn line may have come.
        if self.rejects.last().is_some_and(|reject| reject.reason == Reason::Torn) {
            self.rejects.pop();
        }
        let keys = self.keys.clone();
        sweep(source, self.done, &keys, |stretch| self.take(stretch))?;
        let waiting = std::mem::take(&mut self.waiting);
        let waited = waiting.len();
        self.waiting = waiting.into_iter().filter(|&(entry, parent)| !self.connect(entry, parent)).collect();
        self.rewired |= self.waiting.len() < waited;
        self.entries.shrink_to(self.entries.len() + self.entries.len() / 8);
        Ok(())
    }

    pub(crate) fn highest_seq(&self) -> u64 {
        u64::from(self.next_seq)
    }

    /// The first seq of an entry as users know it.
    pub(crate) fn seq(&self, entry: u32) -> u64 {
        u64::from(self.entries[entry as usize].seq) + 1
    }

    /// The highest seq given when an entry had been read.
    pub(crate) fn seqs_to(&self, entry: u32) -> u64 {
        self.entries.get(entry as usize + 1).map_or(u64::from(self.next_seq), |next| u64::from(next.seq))
    }

    /// The entry that took a seq.
    pub(crate) fn entry_of(&self, seq: u64) -> Option<u32> {
        let seq = seq.checked_sub(1).filter(|&seq| seq < u64::from(self.next_seq))?;
        // Entries that take no seq share the number of the next one that does.
        let behind = self.entries.partition_point(|entry| u64::from(entry.seq) <= seq);
        u32::try_from(behind.checked_sub(1)?).ok()
    }

    pub(crate) fn find(&self, id: &str) -> Option<u32> {
        let id = self.keys.id(id.as_bytes());
        if id == Id::NONE { None } else { self.ids.get(&id.0).copied() }
    }

    /// The tool calls of an assistant's entry, or the call that a result names.
    pub(crate) fn tools_of(&self, entry: u32) -> &[ToolRef] {
        let at = entry as usize;
        let end = self.entries.get(at + 1).map_or(self.tools.len(), |next| next.tool as usize);
        &self.tools[self.entries[at].tool as usize..end]
    }

    pub(crate) fn parent(&self, entry: u32) -> Option<u32> {
        let parent = self.entries[entry as usize].parent;
        (parent != NONE).then(|| self.current(parent))
    }

    /// The entry itself, or the one that counts in its place.
    pub(crate) fn current(&self, mut entry: u32) -> u32 {
        while self.entries[entry as usize].superseded {
            entry = self.entries[entry as usize].parent;
        }
        entry
    }

    pub(crate) fn last(&self) -> Option<u32> {
        u32::try_from(self.entries.len().checked_sub(1)?).ok()
    }

    /// Entries that are nobody's parent and count.
    pub(crate) fn tips(&self) -> Vec<u32> {
        // An entry is superseded by a later one, so those that count in its place are known when it is met.
        let mut current: Vec<u32> = (0..).take(self.entries.len()).collect();
        for (number, entry) in self.entries.iter().enumerate().rev().filter(|(_, entry)| entry.superseded) {
            current[number] = current[entry.parent as usize];
        }
        let mut parents = vec![false; self.entries.len()];
        let counting = || (0..).zip(&self.entries).filter(|(_, entry)| !entry.superseded);
        for (_, entry) in counting().filter(|(_, entry)| entry.parent != NONE) {
            parents[current[entry.parent as usize] as usize] = true;
        }
        counting().map(|(number, _)| number).filter(|&entry: &u32| !parents[entry as usize]).collect()
    }

    /// The block that an entry lies in.
    pub(crate) fn block_of(&self, entry: u32) -> usize {
        self.blocks.partition_point(|&first| first <= entry).saturating_sub(1)
    }

    /// The entries of a block.
    pub(crate) fn block(&self, block: usize) -> std::ops::Range<u32> {
        let end = self.blocks.get(block + 1).copied();
        self.blocks[block]..end.unwrap_or(u32::try_from(self.entries.len()).unwrap_or(NONE))
    }

    /// All that is wrong, but for circles, which only a branch shows.
    pub(crate) fn rejects(&self) -> Vec<Reject> {
        let counting = self.waiting.iter().filter(|(entry, _)| !self.entries[*entry as usize].superseded);
        let missing = counting.map(|&(entry, _)| self.reject_of(entry, Reason::MissingParent));
        let mut rejects: Vec<Reject> = self.rejects.iter().cloned().chain(missing).collect();
        rejects.sort_by_key(|reject| reject.offset);
        rejects
    }

    pub(crate) fn reject_of(&self, entry: u32, reason: Reason) -> Reject {
        let entry = &self.entries[entry as usize];
        Reject { line: u64::from(entry.line), offset: entry.offset, reason }
    }

    fn take(&mut self, stretch: Stretch) {
        let names: Vec<u32> = stretch.names.list.iter().map(|name| self.names.number(name)).collect();
        let mut tools = stretch.tools.iter();
        for head in stretch.heads {
            let first_tool = self.tools.len();
            let own = tools.by_ref().take(head.tools as usize);
            self.tools.extend(own.map(|tool| ToolRef { name: names[tool.name as usize], ..*tool }));
            self.take_head(head, first_tool);
        }
        let lines = self.lines;
        self.rejects
            .extend(stretch.rejects.into_iter().map(|reject| Reject { line: lines + reject.line + 1, ..reject }));
        self.lines += stretch.lines;
        if stretch.done > 0 {
            self.done = stretch.done;
        }
    }

    fn take_head(&mut self, head: Head, first_tool: usize) {
        let line = self.lines + head.line + 1;
        let number = u32::try_from(self.entries.len()).unwrap_or(NONE);
        if let Some(extra) = head.extra {
            match *extra {
                Extra::Header { header } => {
                    if self.header.is_some() {
                        self.rejects.push(Reject { line, offset: head.offset, reason: Reason::SecondHeader });
                        return;
                    }
                    self.format.get_or_insert(header.format);
                    self.header = Some(header);
                    return;
                }
                Extra::Marker { window, created_at } => {
                    self.markers.insert(number, Marker { window, created_at });
                }
                Extra::Label { target, label: Some(label) } => {
                    self.labels.insert(target, label);
                }
                Extra::Label { target, label: None } => {
                    self.labels.remove(&target);
                }
                Extra::Name(name) => self.name = name,
            }
        }
        // A file that lost its header still shows by its entries whether they have ids.
        let format = *self.format.get_or_insert(if head.id == Id::NONE { 1 } else { 3 });
        let kind = match head.kind {
            Kind::Hook if format < 3 => Kind::Context,
            Kind::Hook => Kind::Other,
            kind => kind,
        };
        let seqs = match kind {
            Kind::Marker | Kind::Other | Kind::Hook => 0,
            Kind::Assistant => 1 + head.tools,
            Kind::User | Kind::ToolResult | Kind::Bash | Kind::Context => 1,
        };
        let starts_block = self
            .blocks
            .last()
            .is_none_or(|&first| head.offset + u64::from(head.length) - self.entries[first as usize].offset > BLOCK);
        if starts_block {
            self.blocks.push(number);
        }
        self.entries.push(Entry {
            offset: head.offset,
            length: head.length,
            line: u32::try_from(line).unwrap_or(u32::MAX),
            parent: NONE,
            seq: self.next_seq,
            tool: u32::try_from(first_tool).unwrap_or(u32::MAX),
            kind,
            has_text: head.has_text,
            respelled: head.respelled,
            superseded: false,
        });
        self.next_seq += seqs;
        if format == 1 {
            self.entries[number as usize].parent = number.checked_sub(1).unwrap_or(NONE);
            return;
        }
        if head.id != Id::NONE {
            self.take_id(number, head.id);
        }
        if head.parent != Id::NONE && !self.connect(number, head.parent) {
            self.waiting.push((number, head.parent));
        }
    }

    fn take_id(&mut self, number: u32, id: Id) {
        let Some(earlier) = self.ids.insert(id.0, number) else { return };
        let reject = self.reject_of(earlier, Reason::DuplicateId);
        self.rejects.push(reject);
        let earlier = &mut self.entries[earlier as usize];
        earlier.superseded = true;
        earlier.parent = number;
        self.rewired = true;
    }

    /// Makes an entry the child of the one with this id, if there is one.
    fn connect(&mut self, entry: u32, parent: Id) -> bool {
        let Some(&parent) = self.ids.get(&parent.0) else { return false };
        if !self.entries[entry as usize].superseded {
            self.entries[entry as usize].parent = parent;
        }
        true
    }
}
