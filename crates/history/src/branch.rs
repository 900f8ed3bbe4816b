//! The active branch: the events on the path from the leaf to its root, their windows, calls paired with results.

use std::collections::hash_map;

use rustc_hash::FxHashMap;

use crate::index::{Index, Marker, NONE};
use crate::role::Role;
use crate::scan::{Id, Kind};

/// Something that happened, as history shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Event {
    pub(crate) entry: u32,
    /// 0 for the entry itself, n for the nth tool call in it.
    pub(crate) part: u32,
    /// The entry of the call's result.
    pub(crate) result: u32,
    pub(crate) window: u32,
}

/// A stretch of the branch that a model saw in one piece.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    /// The id that its marker gives it; of the root window `pcw:<start of the session's id>:root`.
    pub id: String,
    /// When its marker was written, as stored; nothing for the root window.
    pub created_at: Option<String>,
    /// The lowest seq of its events.
    pub first_seq: Option<u64>,
    /// The highest seq of its events.
    pub last_seq: Option<u64>,
    /// How many events it has; a tool call and its result are one.
    pub items: u64,
}

/// The pairing of a tool-call id: an event that waits for its result, or that has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pairing {
    Waiting(u32),
    Done(u32),
    /// The first result came before any call; no call gets one.
    Lost,
}

#[derive(Debug, Default)]
pub(crate) struct Branch {
    leaf: Option<u32>,
    /// Ascending by seq.
    pub(crate) events: Vec<Event>,
    pub(crate) windows: Vec<Window>,
    pairings: FxHashMap<Id, Pairing>,
    /// The entry whose parent would have closed a circle.
    pub(crate) circle: Option<u32>,
    /// Parents stand before their children, so a longer branch only adds events at the end.
    ordered: bool,
}

impl Branch {
    /// The branch that ends at a leaf.
    pub(crate) fn of(index: &Index, leaf: Option<u32>) -> Self {
        let root = Window { id: root_window(index), created_at: None, first_seq: None, last_seq: None, items: 0 };
        let mut branch = Self { leaf, windows: vec![root], ordered: true, ..Self::default() };
        let mut path = Vec::new();
        let mut seen = vec![0_u64; index.entries.len() / 64 + 1];
        let mut next = leaf;
        while let Some(entry) = next {
            let (word, bit) = (entry as usize / 64, 1 << (entry % 64));
            if seen[word] & bit != 0 {
                branch.circle = path.last().copied();
                break;
            }
            seen[word] |= bit;
            path.push(entry);
            next = index.parent(entry);
        }
        path.reverse();
        branch.walk(index, &path);
        branch
    }

    /// Follows to another leaf. Where it continues the branch, only what is new is looked at.
    pub(crate) fn follow(&mut self, index: &Index, leaf: Option<u32>) {
        if leaf == self.leaf {
            return;
        }
        match self.continuation(index, leaf) {
            Some(path) => {
                self.leaf = leaf;
                self.walk(index, &path);
            }
            None => *self = Self::of(index, leaf),
        }
    }

    pub(crate) fn leaf(&self) -> Option<u32> {
        self.leaf
    }

    /// The event of a seq, also where the seq is that of a call's result.
    pub(crate) fn event_of(&self, index: &Index, seq: u64) -> Option<u32> {
        let at = self.first_from(index, seq);
        if self.events.get(at as usize).is_some_and(|event| event.seq(index) == seq) {
            return Some(at);
        }
        let entry = index.entry_of(seq)?;
        let id =
            if index.entries[entry as usize].kind == Kind::ToolResult { index.tools_of(entry)[0].id } else { Id::NONE };
        match self.pairings.get(&id) {
            Some(&Pairing::Done(event)) if self.events[event as usize].result == entry => Some(event),
            _ => None,
        }
    }

    /// The place of the first event with this seq or a higher one.
    pub(crate) fn first_from(&self, index: &Index, seq: u64) -> u32 {
        count(self.events.partition_point(|event| event.seq(index) < seq))
    }

    /// The new part of the path, root first, if the leaf continues this branch at its end.
    fn continuation(&self, index: &Index, leaf: Option<u32>) -> Option<Vec<u32>> {
        let end = self.leaf.filter(|_| self.ordered && self.circle.is_none())?;
        let mut path = Vec::new();
        let mut next = leaf?;
        while next > end {
            path.push(next);
            next = index.parent(next)?;
            // What does not stand behind its parent may lead anywhere.
            if *path.last()? <= next {
                return None;
            }
        }
        path.reverse();
        (next == end).then_some(path)
    }

    fn walk(&mut self, index: &Index, path: &[u32]) {
        self.events.reserve(path.len());
        if path.is_sorted() {
            for &entry in path {
                let window = self.window_of(index, entry);
                self.add_entry(index, entry, window);
            }
            return;
        }
        // Windows follow the path, events their seqs.
        self.ordered = false;
        let mut steps: Vec<(u32, u32)> = path.iter().map(|&entry| (entry, self.window_of(index, entry))).collect();
        steps.sort_unstable();
        for (entry, window) in steps {
            self.add_entry(index, entry, window);
        }
    }

    /// The window of the next entry of the path, which may open one.
    fn window_of(&mut self, index: &Index, entry: u32) -> u32 {
        if let Some(Marker { window: id, created_at }) = index.markers.get(&entry) {
            let (id, created_at) = (id.clone(), created_at.clone());
            self.windows.push(Window { id, created_at, first_seq: None, last_seq: None, items: 0 });
        }
        count(self.windows.len() - 1)
    }

    fn add_entry(&mut self, index: &Index, entry: u32, window: u32) {
        let event = Event { entry, part: 0, result: NONE, window };
        match index.entries[entry as usize].kind {
            Kind::Marker | Kind::Other | Kind::Hook => {}
            Kind::User | Kind::Bash | Kind::Context => self.add(index, event),
            Kind::Assistant => {
                self.add(index, event);
                for (part, tool) in (1..).zip(index.tools_of(entry)) {
                    if tool.id != Id::NONE {
                        self.pairings.entry(tool.id).or_insert(Pairing::Waiting(count(self.events.len())));
                    }
                    self.add(index, Event { part, ..event });
                }
            }
            Kind::ToolResult => self.add_result(index, event),
        }
    }

    fn add_result(&mut self, index: &Index, event: Event) {
        let id = index.tools_of(event.entry)[0].id;
        if id == Id::NONE {
            return self.add(index, event);
        }
        match self.pairings.entry(id) {
            hash_map::Entry::Occupied(mut pairing) => {
                if let Pairing::Waiting(call) = *pairing.get() {
                    pairing.insert(Pairing::Done(call));
                    self.events[call as usize].result = event.entry;
                    return;
                }
            }
            hash_map::Entry::Vacant(pairing) => {
                pairing.insert(Pairing::Lost);
            }
        }
        self.add(index, event);
    }

    fn add(&mut self, index: &Index, event: Event) {
        let seq = event.seq(index);
        let window = &mut self.windows[event.window as usize];
        window.first_seq = Some(window.first_seq.map_or(seq, |first| first.min(seq)));
        window.last_seq = Some(window.last_seq.map_or(seq, |last| last.max(seq)));
        window.items += 1;
        self.events.push(event);
    }
}

impl Event {
    pub(crate) fn seq(&self, index: &Index) -> u64 {
        index.seq(self.entry) + u64::from(self.part)
    }

    pub(crate) fn role(&self, index: &Index) -> Role {
        match index.entries[self.entry as usize].kind {
            Kind::User => Role::User,
            Kind::Assistant if self.part == 0 => Role::Assistant,
            Kind::Assistant | Kind::ToolResult | Kind::Bash => Role::Tool,
            Kind::Context | Kind::Hook | Kind::Marker | Kind::Other => Role::Context,
        }
    }

    /// The tool's name, of a tool event.
    pub(crate) fn tool<'i>(&self, index: &'i Index) -> &'i str {
        let tools = index.tools_of(self.entry);
        match index.entries[self.entry as usize].kind {
            Kind::Assistant => &index.names.list[tools[self.part as usize - 1].name as usize],
            Kind::ToolResult => &index.names.list[tools[0].name as usize],
            _ => "bash",
        }
    }
}

fn root_window(index: &Index) -> String {
    let id = index.header.as_ref().map_or("", |header| header.id.as_str());
    let start = id.char_indices().nth(8).map_or(id, |(end, _)| &id[..end]);
    format!("pcw:{start}:root")
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(NONE)
}
