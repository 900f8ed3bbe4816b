//! What is wrong in a session file, as values beside everything that is right.

use std::fmt;

/// A place in a session that could not be taken as it stands. Everything else of the session is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reject {
    /// 1-based number of the line; of an entry that was handed over, its number.
    pub line: u64,
    /// Byte offset from the start of the file, or of all that was handed over.
    pub offset: u64,
    /// What is wrong there.
    pub reason: Reason,
}

/// What is wrong at a place in a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// JSON, but no object with a string `type`.
    NotARecord,
    /// Not JSON: a damaged record, or what is left of a line beside its intact records.
    Damaged,
    /// The last line has no line ending and stops inside a record, as after a crash; it may still be being written.
    Torn,
    /// A second header; the first one counts.
    SecondHeader,
    /// A later record has the same id and counts. This one keeps the seqs it took and lies on no branch.
    DuplicateId,
    /// The parent that the entry names does not exist; its branch begins here.
    MissingParent,
    /// Following parents from the leaf leads back to the leaf's branch; the branch begins here.
    Cycle,
}

impl fmt::Display for Reason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::NotARecord => "not an object with a string type",
            Self::Damaged => "damaged: not JSON",
            Self::Torn => "torn: the last line stops inside a record",
            Self::SecondHeader => "a second session header; the first one counts",
            Self::DuplicateId => "the id is used again further down; the last record with it counts",
            Self::MissingParent => "the parent does not exist; the branch begins here",
            Self::Cycle => "the parents lead in a circle; the branch begins here",
        })
    }
}

impl fmt::Display for Reject {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "line {}, byte {}: {}", self.line, self.offset, self.reason)
    }
}
