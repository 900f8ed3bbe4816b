//! Searching a branch: records that cannot match are passed over as they stand in the session, the rest are decoded.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::cache::Decoded;
use crate::error::HistoryError;
use crate::event::{tell, write_searchable};
use crate::index::{Index, NONE};
use crate::matcher::{Matcher, Sieve, is_composed};
use crate::page::{Candidate, Chosen, Page, Selection, Verdict};
use crate::record::{Parts, Record};
use crate::role::{Role, Roles};
use crate::scan::Kind;
use crate::session::Session;

/// Most blocks that are looked at together. It begins with one: the newest may hold all that is wanted.
const MOST_BLOCKS: usize = 32;
/// Most blocks that one search decodes for later ones.
const DECODED_BLOCKS: usize = 8;

impl Session {
    /// A page of the events of the active branch in which any of the queries stands.
    ///
    /// Queries are literals; case is ignored, composed and decomposed spellings are alike. An item's content begins at the
    /// earliest match. Without [`Selection::roles`] all roles are searched.
    ///
    /// # Errors
    /// `invalid_query` without a query or with an empty one; `unknown_window_id`, `io`, `changed`.
    ///
    /// ```
    /// # use palimpsest_history::{Selection, Session};
    /// # let session = Session::from_entries(
    /// #     r#"{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"measure twice"}}"#);
    /// let page = session.search(&["TWICE", "thrice"], &Selection::default())?;
    /// assert_eq!((page.items[0].content.as_str(), page.items[0].offset_chars), ("twice", Some(8)));
    /// # Ok::<(), palimpsest_history::HistoryError>(())
    /// ```
    pub fn search<Q: AsRef<str>>(&self, queries: &[Q], selection: &Selection) -> Result<Page, HistoryError> {
        self.search_while(queries, selection, |_| Verdict::Keep)
    }

    /// A search whose page is as long as the caller has room for; see [`list_while`](Session::list_while).
    ///
    /// # Errors
    /// As [`search`](Session::search).
    pub fn search_while<Q: AsRef<str>>(
        &self,
        queries: &[Q],
        selection: &Selection,
        fits: impl FnMut(&Page) -> Verdict,
    ) -> Result<Page, HistoryError> {
        // A window that does not exist is the graver mistake.
        let chosen = self.choose(selection, Some(selection.roles.unwrap_or(Roles::ALL)))?;
        let matcher = Matcher::new(queries)?;
        let mut search = Search::new(self, &chosen, &matcher);
        self.fill(selection, &chosen, false, || search.next(), fits)
    }
}

/// A search on its way through a branch.
struct Search<'s> {
    session: &'s Session,
    chosen: &'s Chosen,
    matcher: &'s Matcher,
    places: Box<dyn Iterator<Item = u32>>,
    /// The blocks in which the events lie.
    blocks: Range<usize>,
    /// Which blocks have been looked at.
    known: Vec<bool>,
    /// A bit for each entry that may match.
    marks: Vec<u64>,
    /// How many blocks to look at next.
    step: usize,
    buffers: Vec<Vec<u8>>,
    /// How many blocks this search may still decode for later ones.
    to_decode: AtomicUsize,
    /// The block of the latest event, and its entries.
    here: (usize, Range<u32>),
}

impl<'s> Search<'s> {
    fn new(session: &'s Session, chosen: &'s Chosen, matcher: &'s Matcher) -> Self {
        let index = session.index();
        let events = &session.branch().events[chosen.range.start as usize..chosen.range.end as usize];
        let blocks = match events {
            [first, .., last] => index.block_of(first.entry)..index.block_of(last.entry) + 1,
            [only] => index.block_of(only.entry)..index.block_of(only.entry) + 1,
            [] => 0..0,
        };
        Self {
            session,
            chosen,
            matcher,
            places: Box::new(chosen.places()),
            blocks,
            known: vec![false; index.blocks.len()],
            marks: vec![0; index.entries.len() / 64 + 1],
            step: 1,
            buffers: Vec::new(),
            to_decode: AtomicUsize::new(DECODED_BLOCKS),
            here: (0, 0..0),
        }
    }

    fn next(&mut self) -> Result<Option<Candidate>, HistoryError> {
        while let Some(at) = self.places.next() {
            if !self.chosen.admits(self.session, at) || !self.may_match(at)? {
                continue;
            }
            let event = self.session.branch().events[at as usize];
            let told = tell(self.session.source(), self.session.index(), event)?;
            if let Some(found) = self.matcher.find(&told.text) {
                return Ok(Some(Candidate { at, matched: Some((found, told)) }));
            }
        }
        Ok(None)
    }

    fn may_match(&mut self, at: u32) -> Result<bool, HistoryError> {
        if matches!(self.matcher.sieve, Sieve::Open) {
            return Ok(true);
        }
        let event = self.session.branch().events[at as usize];
        if self.matcher.in_every_tool && event.role(self.session.index()) == Role::Tool {
            return Ok(true);
        }
        if !self.here.1.contains(&event.entry) {
            let block = self.session.index().block_of(event.entry);
            self.here = (block, self.session.index().block(block));
            if !self.known[block] {
                self.look(block)?;
            }
        }
        if self.is_marked(event.entry) {
            return Ok(true);
        }
        if event.result == NONE {
            return Ok(false);
        }
        let known = self.here.1.contains(&event.result) || self.known[self.session.index().block_of(event.result)];
        Ok(!known || self.is_marked(event.result))
    }

    fn is_marked(&self, entry: u32) -> bool {
        self.marks[entry as usize / 64] & (1 << (entry % 64)) != 0
    }

    /// Looks at a block and, more and more as nothing is found, at those that follow in the order of the search.
    fn look(&mut self, block: usize) -> Result<(), HistoryError> {
        let group: Vec<usize> = if self.chosen.forward {
            (block..self.blocks.end.max(block + 1)).take(self.step).collect()
        } else {
            (self.blocks.start.min(block)..=block).rev().take(self.step).collect()
        };
        self.step = (self.step * 4).min(MOST_BLOCKS);
        let threads = thread::available_parallelism().map_or(1, usize::from).min(group.len());
        self.buffers.resize_with(threads.max(self.buffers.len()), Vec::new);
        let (session, matcher, next) = (self.session, self.matcher, AtomicUsize::new(0));
        let to_decode = &self.to_decode;
        let work = |buffer: &mut Vec<u8>| {
            let mut marks = Vec::new();
            while let Some(&block) = group.get(next.fetch_add(1, Ordering::Relaxed)) {
                look_at(session, matcher, block, to_decode, buffer, &mut marks)?;
            }
            Ok(marks)
        };
        let results: Vec<Result<Vec<u32>, HistoryError>> = match &mut self.buffers[..threads] {
            [buffer] => vec![work(buffer)],
            buffers => thread::scope(|scope| {
                let threads: Vec<_> = buffers.iter_mut().map(|buffer| scope.spawn(|| work(buffer))).collect();
                let join = |thread: thread::ScopedJoinHandle<'_, _>| {
                    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
                };
                threads.into_iter().map(join).collect()
            }),
        };
        for marks in results {
            for entry in marks? {
                self.marks[entry as usize / 64] |= 1 << (entry % 64);
            }
        }
        for block in group {
            self.known[block] = true;
        }
        Ok(())
    }
}

/// Marks the entries of a block that may match.
fn look_at(
    session: &Session,
    matcher: &Matcher,
    block: usize,
    to_decode: &AtomicUsize,
    buffer: &mut Vec<u8>,
    marks: &mut Vec<u32>,
) -> Result<(), HistoryError> {
    let index = session.index();
    let entries = index.block(block);
    let (cached, wanted) = {
        let mut cache = session.cache();
        let cached = cache.get(block);
        // The last block is still growing.
        let wanted = cached.is_none() && block + 1 < index.blocks.len() && cache.is_wanted(block);
        let less = |left: usize| left.checked_sub(1);
        (cached, wanted && to_decode.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok())
    };
    if let Some(decoded) = cached {
        mark_decoded(matcher, &decoded, entries, marks);
        return Ok(());
    }
    let (first, last) = (&index.entries[entries.start as usize], &index.entries[entries.end as usize - 1]);
    let length = usize::try_from(last.offset - first.offset).unwrap_or(usize::MAX) + last.length as usize;
    let bytes = session.source().bytes(first.offset, length, buffer)?;
    if wanted {
        let decoded = decode(index, entries.clone(), bytes, first.offset);
        mark_decoded(matcher, &decoded, entries, marks);
        session.cache().keep(block, decoded);
        return Ok(());
    }
    let mut parts = Parts::new();
    let mut text = String::new();
    let mut confirm = |entry: u32, regex: &regex::bytes::Regex| {
        // Names of fields match as well, so what is decoded decides.
        text.clear();
        let known = &index.entries[entry as usize];
        let Some(record) = Record::parse(record_of(index, entry, bytes, first.offset), &mut parts) else { return true };
        write_searchable(&record, &parts, known.kind, &mut text);
        regex.is_match(text.as_bytes())
    };
    match &matcher.sieve {
        Sieve::Open => marks.extend(entries),
        Sieve::Fragments(regex) => {
            let mut at = 0;
            let mut next = entries.start;
            while let Some(found) = regex.find_at(bytes, at) {
                let offset = first.offset + found.start() as u64;
                let behind = index.entries[next as usize..entries.end as usize].partition_point(|e| e.offset <= offset);
                next += u32::try_from(behind).unwrap_or(0);
                if confirm(next - 1, regex) {
                    marks.push(next - 1);
                }
                if next == entries.end {
                    break;
                }
                at = usize::try_from(index.entries[next as usize].offset - first.offset).unwrap_or(usize::MAX);
            }
            marks.extend(entries.filter(|&entry| is_odd(index, entry)));
        }
        Sieve::Composed(regex) => {
            for entry in entries {
                let record = record_of(index, entry, bytes, first.offset);
                if is_odd(index, entry) || !is_composed(record) || (regex.is_match(record) && confirm(entry, regex)) {
                    marks.push(entry);
                }
            }
        }
    }
    Ok(())
}

/// Whether an entry's text is spelled otherwise in its record, or not there.
fn is_odd(index: &Index, entry: u32) -> bool {
    let entry = &index.entries[entry as usize];
    entry.respelled || entry.kind == Kind::Bash
}

fn record_of<'a>(index: &Index, entry: u32, bytes: &'a [u8], offset: u64) -> &'a [u8] {
    let entry = &index.entries[entry as usize];
    let start = usize::try_from(entry.offset - offset).unwrap_or(usize::MAX);
    bytes.get(start..start + entry.length as usize).unwrap_or_default()
}

fn decode(index: &Index, entries: Range<u32>, bytes: &[u8], offset: u64) -> Decoded {
    let mut decoded = Decoded::default();
    let mut parts = Parts::new();
    for entry in entries {
        let kind = index.entries[entry as usize].kind;
        if !matches!(kind, Kind::Marker | Kind::Other | Kind::Hook)
            && let Some(record) = Record::parse(record_of(index, entry, bytes, offset), &mut parts)
        {
            write_searchable(&record, &parts, kind, &mut decoded.text);
        }
        decoded.ends.push(u32::try_from(decoded.text.len()).unwrap_or(u32::MAX));
    }
    decoded.text.shrink_to_fit();
    decoded
}

fn mark_decoded(matcher: &Matcher, decoded: &Decoded, entries: Range<u32>, marks: &mut Vec<u32>) {
    match &matcher.sieve {
        Sieve::Open => marks.extend(entries),
        Sieve::Fragments(regex) => {
            let mut at = 0;
            while let Some(found) = regex.find_at(decoded.text.as_bytes(), at) {
                let place = decoded.ends.partition_point(|&end| end as usize <= found.start());
                marks.push(entries.start + u32::try_from(place).unwrap_or(0));
                at = decoded.ends[place] as usize;
            }
        }
        Sieve::Composed(regex) => {
            let mut start = 0;
            for (entry, &end) in entries.zip(&decoded.ends) {
                let text = &decoded.text.as_bytes()[start..end as usize];
                if regex.is_match(text) || !is_composed(text) {
                    marks.push(entry);
                }
                start = end as usize;
            }
        }
    }
}
