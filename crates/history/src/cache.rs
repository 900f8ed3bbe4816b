//! Decoded text that searches keep for later searches, within a bound.
//!
//! The unit is a block: some consecutive entries, about a mebibyte of the session. A block is decoded when it is searched
//! again, some blocks a search, so that no search takes much longer than reading; the newest blocks have precedence.

use std::collections::BTreeMap;
use std::sync::Arc;

/// The text of a block's entries, one behind the other.
#[derive(Debug, Default)]
pub(crate) struct Decoded {
    pub(crate) text: String,
    /// Where the text of each entry ends.
    pub(crate) ends: Vec<u32>,
}

pub(crate) struct Cache {
    limit: usize,
    used: usize,
    blocks: BTreeMap<usize, Arc<Decoded>>,
    /// Which blocks have been searched.
    searched: Vec<bool>,
    /// Blocks below this one have found no room.
    full_below: usize,
}

impl Cache {
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, used: 0, blocks: BTreeMap::new(), searched: Vec::new(), full_below: 0 }
    }

    pub(crate) fn limit(&self) -> usize {
        self.limit
    }

    pub(crate) fn get(&self, block: usize) -> Option<Arc<Decoded>> {
        self.blocks.get(&block).map(Arc::clone)
    }

    /// Takes note that a block is searched, and says whether its text is worth keeping.
    pub(crate) fn is_wanted(&mut self, block: usize) -> bool {
        if self.searched.len() <= block {
            self.searched.resize(block + 1, false);
        }
        std::mem::replace(&mut self.searched[block], true) && block >= self.full_below && self.limit > 0
    }

    /// Keeps the text of a block, in place of that of older ones where there is no room.
    pub(crate) fn keep(&mut self, block: usize, decoded: Decoded) {
        let size = decoded.size();
        while self.used + size > self.limit {
            match self.blocks.first_entry() {
                Some(oldest) if *oldest.key() < block => {
                    self.full_below = self.full_below.max(*oldest.key() + 1);
                    self.used -= oldest.remove().size();
                }
                _ => {
                    self.full_below = self.full_below.max(block + 1);
                    return;
                }
            }
        }
        self.used += size;
        if let Some(before) = self.blocks.insert(block, Arc::new(decoded)) {
            self.used -= before.size();
        }
    }
}

impl Decoded {
    fn size(&self) -> usize {
        self.text.capacity() + self.ends.capacity() * size_of::<u32>()
    }
}
