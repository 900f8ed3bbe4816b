//! The advisory lock that keeps mutations of all processes on one root apart.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::error::NoteError;
use crate::files::{Files, create_folders};
use crate::queue::{self, Turn};

/// Name of the lock file in the root. It stays empty and is never deleted, so that all processes lock the same file.
pub(crate) const LOCK_FILE: &str = ".notes.lock";

/// How long a mutation waits for other processes by default.
pub(crate) const LOCK_WAIT: Duration = Duration::from_secs(5);

/// How often a held lock is tried again.
const RETRY: Duration = Duration::from_micros(500);

/// The lock, held. Within the process its holders queue up in order, so only one of them polls the file; the time in the
/// queue is part of the wait.
pub(crate) struct StoreLock {
    // Dropped in this order: the file's lock goes before the next one in the process tries it.
    _file: File,
    _turn: Turn,
}

impl StoreLock {
    /// Takes the lock of a root, creating root and lock file if they are missing.
    ///
    /// # Errors
    /// `busy` after the wait; `io` where the lock file cannot be created or opened.
    pub(crate) fn acquire(files: &dyn Files, root: &Path, wait: Duration) -> Result<Self, NoteError> {
        let path = root.join(LOCK_FILE);
        let started = Instant::now();
        let turn = queue::enter(&path);
        create_folders(files, root).map_err(|(path, error)| NoteError::io(path)(error))?;
        let file = open(&path).map_err(NoteError::io(&path))?;
        loop {
            match file.try_lock() {
                Ok(()) => {
                    return Ok(Self { _file: file, _turn: turn });
                }
                Err(TryLockError::WouldBlock) if started.elapsed() >= wait => {
                    return Err(NoteError::Busy { lock: path, waited: wait });
                }
                Err(TryLockError::WouldBlock) => std::thread::sleep(RETRY),
                Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(TryLockError::Error(error)) => return Err(NoteError::io(path)(error)),
            }
        }
    }
}

/// Opens the lock file. Where another user created it and it may only be read, reading is enough to lock it.
fn open(path: &PathBuf) -> io::Result<File> {
    match OpenOptions::new().create(true).truncate(false).write(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => File::open(path).map_err(|_| error),
        opened => opened,
    }
}
