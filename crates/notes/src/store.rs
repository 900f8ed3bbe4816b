//! The store: what it is bound to, the values its operations take and give, and what they share.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use jiff::tz::TimeZone;

use crate::address::Address;
use crate::clock::Clock;
use crate::error::NoteError;
use crate::files::{self, Disk, Durability, Files};
use crate::identity::Identity;
use crate::link::{self, Target};
use crate::lock::{LOCK_WAIT, StoreLock};
use crate::meta::{Meta, Normalize};
use crate::origin::Origin;

/// Largest serialized note that a write or edit may produce, in UTF-8 bytes, frontmatter included.
pub(crate) const NOTE_CAP: usize = 1_000_000;
/// Longest path of an address that a write or edit accepts, in UTF-8 bytes, before any `.md` is appended.
const PATH_CAP: usize = 512;

/// The notes that one identity sees: five homes below one root folder.
///
/// All operations block; the store is `Send` and `Sync`, and clones share everything. Operations on one file run in the
/// order in which they were called, across all stores of the process; mutations of several processes on one root
/// exclude each other by a lock file. Nothing is created before the first write.
#[derive(Clone)]
pub struct Store {
    pub(crate) identity: Arc<Identity>,
    pub(crate) clock: Clock,
    pub(crate) files: Arc<dyn Files>,
    pub(crate) lock_wait: Duration,
}

/// Options of [`Store::write`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WriteOptions {
    /// Where the words come from; the note's former origin is not kept.
    pub origin: Origin,
}

/// One replacement in a batch of [`Store::edit`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// Text of the body that is to be replaced; must not be empty.
    pub old_text: String,
    /// What stands there afterwards, taken literally; empty deletes.
    pub new_text: String,
}

/// Options of [`Store::edit`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EditOptions {
    /// Sets the origin.
    pub origin: Option<Origin>,
    /// `true` puts the note into the wastebasket, `false` takes it out.
    pub crumpled: Option<bool>,
    /// Replaces every occurrence instead of refusing several; holds for the whole batch.
    pub replace_all: bool,
}

/// A note as a counted read leaves it on disk.
#[derive(Debug, Clone, PartialEq)]
pub struct Note {
    /// Its metadata.
    pub meta: Meta,
    /// What follows the frontmatter, byte for byte.
    pub body: String,
    /// The whole file as text.
    pub text: String,
}

/// A stretch of a note's whole text; all numbers are code points.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slice {
    /// The stretch.
    pub text: String,
    /// Where it starts.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// Length of the whole text.
    pub total: usize,
    /// Whether the file is not UTF-8 and the text shows U+FFFD in places.
    pub not_utf8: bool,
}

/// The outcome of an edit.
#[derive(Debug, Clone, PartialEq)]
pub struct Edited {
    /// The metadata afterwards.
    pub meta: Meta,
    /// How many replacements were asked for; 0 if only metadata was.
    pub applied: usize,
    /// What changed.
    pub change: Change,
}

/// What an edit changed, as two texts to be compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Which part changed, and so what the texts are.
    pub kind: ChangeKind,
    /// The part as it was.
    pub before: String,
    /// The part as it is.
    pub after: String,
}

/// Which part of a note an edit changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeKind {
    /// Only the body; the texts are the bodies.
    Body,
    /// Only origin or wastebasket; the texts are the frontmatter blocks without a final line ending.
    Metadata,
    /// Both; the texts are the whole files.
    File,
    /// Nothing; the texts are empty.
    None,
}

impl Store {
    /// Binds a store. Touches nothing on disk.
    ///
    /// ```
    /// use palimpsest_notes::{Clock, Identity, Store};
    /// let identity = Identity::from_parts("/tmp/notes".as_ref(), "session-1", "app-1234abcd", "anonymous", "default")?;
    /// let store = Store::new(identity, Clock::system());
    /// # Ok::<(), palimpsest_notes::NoteError>(())
    /// ```
    pub fn new(identity: Identity, clock: Clock) -> Self {
        Self { identity: Arc::new(identity), clock, files: Arc::new(Disk), lock_wait: LOCK_WAIT }
    }

    /// Sets how long a mutation waits for other processes before it fails with `busy`; five seconds unless set.
    pub fn with_lock_wait(mut self, wait: Duration) -> Self {
        self.lock_wait = wait;
        self
    }

    /// What the store is bound to.
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    pub(crate) fn lock(&self) -> Result<StoreLock, NoteError> {
        StoreLock::acquire(&*self.files, self.identity.home(), self.lock_wait)
    }

    pub(crate) fn target(&self, file: &Path) -> Result<Target, NoteError> {
        link::target_of(self.identity.home(), file).map_err(into_io)
    }

    pub(crate) fn replace(&self, target: &Path, text: &str, durability: Durability) -> Result<(), NoteError> {
        files::replace(&*self.files, target, text.as_bytes(), durability).map_err(into_io)
    }

    /// The checks of an address that write and edit begin with.
    pub(crate) fn check_writable(&self, address: &Address) -> Result<(), NoteError> {
        if address.given_len() > PATH_CAP {
            let what = "the path of the address";
            return Err(NoteError::TooLarge { what, limit: PATH_CAP, actual: address.given_len() });
        }
        if !self.identity.may_write(address.home()) {
            let home = self.identity.prefix(address.home());
            let model = self.identity.model();
            return Err(NoteError::InvalidScope(format!(
                "{home} belongs to another agent or model and can only be read; writable are this session (bare names), \
                 @project/, @human/, @self/ and @model/ (now @models/{model}/)"
            )));
        }
        Ok(())
    }

    pub(crate) fn check_inside(&self, address: &Address, target: &Target) -> Result<(), NoteError> {
        if target.inside {
            return Ok(());
        }
        Err(NoteError::OutsideHome { address: address.render(&self.identity) })
    }

    pub(crate) fn not_found(&self, address: &Address) -> NoteError {
        NoteError::NotFound { address: address.render(&self.identity) }
    }
}

pub(crate) fn check_size(text: &str) -> Result<(), NoteError> {
    if text.len() > NOTE_CAP {
        return Err(NoteError::TooLarge { what: "the note with its frontmatter", limit: NOTE_CAP, actual: text.len() });
    }
    Ok(())
}

/// A note's file as text, with U+FFFD for each maximal invalid sequence.
pub(crate) struct Content {
    pub(crate) bytes: Vec<u8>,
    pub(crate) text: String,
    pub(crate) not_utf8: bool,
}

impl Content {
    pub(crate) fn decode(bytes: Vec<u8>) -> Self {
        match String::from_utf8(bytes) {
            Ok(text) => Self { bytes: Vec::new(), text, not_utf8: false },
            Err(error) => {
                let bytes = error.into_bytes();
                Self { text: String::from_utf8_lossy(&bytes).into_owned(), bytes, not_utf8: true }
            }
        }
    }

    /// Reads a file; nothing if it is not there.
    pub(crate) fn read(path: &Path) -> Result<Option<Self>, NoteError> {
        match fs::read(path) {
            Ok(bytes) => Ok(Some(Self::decode(bytes))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(NoteError::io(path)(error)),
        }
    }
}

/// One reading of the clock.
pub(crate) struct Instant {
    pub(crate) now: i64,
    pub(crate) zone: TimeZone,
}

impl Instant {
    pub(crate) fn of(clock: &Clock) -> Self {
        let now = clock.now();
        Self { now: now.timestamp().as_millisecond(), zone: now.time_zone().clone() }
    }

    /// The same reading as a write stamp.
    pub(crate) fn stamped(clock: &Clock) -> Self {
        let read = Self::of(clock);
        Self { now: clock.write_stamp(read.now), zone: read.zone }
    }

    pub(crate) fn context(&self) -> Normalize<'_> {
        Normalize { now: self.now, zone: &self.zone }
    }
}

pub(crate) fn into_io((path, source): (PathBuf, io::Error)) -> NoteError {
    NoteError::Io { path, source }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").field("identity", &self.identity).finish_non_exhaustive()
    }
}
