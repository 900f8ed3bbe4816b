//! The walk over homes: folders and files shared out among a few threads, each file read once.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::error::NoteError;
use crate::identity::Identity;
use crate::query::Listing;
use crate::queue;
use crate::scope::{Home, Scope};

/// More threads than this gain nothing: the file system is the limit.
const MAX_THREADS: usize = 8;
/// Files that one thread takes at a time.
const BATCH: usize = 128;

/// A file met on a walk.
pub(crate) struct NoteFile<'a> {
    home: &'a WalkedHome,
    /// Path below the home, with the separator of the system.
    relative: &'a Path,
}

/// What a walk gave.
pub(crate) struct Found<T> {
    pub(crate) rows: Vec<T>,
    /// The first failure of each home that had one, in the order of the homes.
    pub(crate) failures: Vec<Failure>,
}

/// A home that could not be walked to its end.
pub(crate) struct Failure {
    pub(crate) home: String,
    pub(crate) error: NoteError,
}

impl<T> Found<T> {
    /// All rows, or the first failure.
    pub(crate) fn strict(self) -> Result<Vec<T>, NoteError> {
        match self.failures.into_iter().next() {
            Some(failure) => Err(failure.error),
            None => Ok(self.rows),
        }
    }

    pub(crate) fn lenient(self) -> Listing<T> {
        Listing { rows: self.rows, unavailable: self.failures.into_iter().map(|failure| failure.home).collect() }
    }
}

impl NoteFile<'_> {
    pub(crate) fn scope(&self) -> Scope {
        self.home.scope
    }

    /// The path in the home, `/`-separated; control characters are escaped, since no address can hold them.
    pub(crate) fn path(&self) -> String {
        let mut path = String::new();
        self.push_path(&mut path);
        path
    }

    /// The rendered address.
    pub(crate) fn address(&self) -> String {
        let mut address = String::with_capacity(self.home.prefix.len() + self.relative.as_os_str().len());
        address.push_str(&self.home.prefix);
        self.push_path(&mut address);
        address
    }

    fn push_path(&self, out: &mut String) {
        for (index, component) in self.relative.iter().enumerate() {
            if index > 0 {
                out.push('/');
            }
            let name = component.to_string_lossy();
            if !name.contains(|c: char| c.is_ascii_control()) {
                out.push_str(&name);
                continue;
            }
            for c in name.chars() {
                if c.is_ascii_control() {
                    out.push_str(&format!("\\u{:04x}", u32::from(c)));
                } else {
                    out.push(c);
                }
            }
        }
    }
}

/// Walks homes in parallel and gives the bytes of each selected note to `row`. A home that fails gives no rows.
pub(crate) fn visit<T: Send>(
    identity: &Identity,
    homes: &[Home],
    selected: impl Fn(&NoteFile<'_>) -> bool + Sync,
    row: impl Fn(&NoteFile<'_>, &[u8]) -> Option<T> + Sync,
) -> Found<T> {
    let homes: Vec<WalkedHome> = homes.iter().map(|home| WalkedHome::of(identity, home)).collect();
    let first = (0..homes.len()).rev().map(|home| Job::Folder { home, relative: PathBuf::new() }).collect();
    let pool = Pool::new(first);
    let work = || {
        let mut rows: Vec<(usize, T)> = Vec::new();
        let mut buffer = Buffer::new();
        while let Some(mut taken) = pool.take() {
            let at = taken.job.home();
            let home = &homes[at];
            taken.result = match &taken.job {
                Job::Folder { relative, .. } => read_folder(home, at, relative).map(|jobs| pool.add(jobs)),
                Job::Files { names, relative, .. } => names.iter().try_for_each(|name| {
                    let relative = relative.join(name);
                    let file = NoteFile { home, relative: &relative };
                    if selected(&file) && read_note(&home.folder.join(&relative), &mut buffer)? {
                        rows.extend(row(&file, buffer.content()).map(|row| (at, row)));
                    }
                    Ok(())
                }),
            };
        }
        rows
    };
    let threads = thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS);
    let rows: Vec<(usize, T)> = thread::scope(|scope| {
        // Where the system gives no more threads, those there are do the work.
        let spawn = |_| thread::Builder::new().spawn_scoped(scope, work).ok();
        let others: Vec<_> = (1..threads).map_while(spawn).collect();
        let mut rows = work();
        for other in others {
            match other.join() {
                Ok(more) => rows.extend(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        rows
    });
    let failures = pool.into_failures();
    let rows = rows.into_iter().filter(|(home, _)| !failures.contains_key(home)).map(|(_, row)| row).collect();
    let failures =
        failures.into_iter().map(|(home, error)| Failure { home: homes[home].name.clone(), error }).collect();
    Found { rows, failures }
}

/// Names of the folders directly in a folder; none if it does not exist. Links are not folders here.
pub(crate) fn subfolders(folder: &Path) -> io::Result<Vec<OsString>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            names.push(entry.file_name());
        }
    }
    Ok(names)
}

/// A home with what its rows need.
struct WalkedHome {
    folder: PathBuf,
    prefix: String,
    scope: Scope,
    /// How messages call it.
    name: String,
}

impl WalkedHome {
    fn of(identity: &Identity, home: &Home) -> Self {
        let prefix = identity.prefix(home);
        let name = if prefix.is_empty() { "this session".to_owned() } else { prefix.trim_end_matches('/').to_owned() };
        Self { folder: identity.folder(home), prefix, scope: home.scope(), name }
    }
}

/// A piece of work: a folder to look into, or some files of one folder to read.
enum Job {
    Folder { home: usize, relative: PathBuf },
    Files { home: usize, relative: PathBuf, names: Vec<OsString> },
}

impl Job {
    fn home(&self) -> usize {
        match self {
            Self::Folder { home, .. } | Self::Files { home, .. } => *home,
        }
    }
}

/// The jobs that are waiting, and how many are not done.
struct Pool {
    state: Mutex<PoolState>,
    changed: Condvar,
}

struct PoolState {
    jobs: Vec<Job>,
    open: usize,
    failures: BTreeMap<usize, NoteError>,
}

/// A job in work. It is done when this is dropped, also by a panic: the other threads would wait for it for ever.
struct Taken<'a> {
    pool: &'a Pool,
    job: Job,
    result: Result<(), NoteError>,
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        let mut state = self.pool.hold();
        if let Err(error) = std::mem::replace(&mut self.result, Ok(())) {
            state.failures.entry(self.job.home()).or_insert(error);
        }
        self.pool.close(&mut state);
    }
}

impl Pool {
    fn new(jobs: Vec<Job>) -> Self {
        let open = jobs.len();
        Self { state: Mutex::new(PoolState { jobs, open, failures: BTreeMap::new() }), changed: Condvar::new() }
    }

    fn add(&self, jobs: Vec<Job>) {
        let mut state = self.hold();
        state.open += jobs.len();
        state.jobs.extend(jobs);
        self.changed.notify_all();
    }

    /// The next job, or nothing when all are done. Jobs of a home that has failed are passed over.
    fn take(&self) -> Option<Taken<'_>> {
        let mut state = self.hold();
        loop {
            match state.jobs.pop() {
                Some(job) if state.failures.contains_key(&job.home()) => self.close(&mut state),
                Some(job) => return Some(Taken { pool: self, job, result: Ok(()) }),
                None if state.open == 0 => return None,
                None => state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }

    /// Counts one job as done.
    fn close(&self, state: &mut PoolState) {
        state.open -= 1;
        if state.open == 0 {
            self.changed.notify_all();
        }
    }

    fn into_failures(self) -> BTreeMap<usize, NoteError> {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner).failures
    }

    fn hold(&self) -> MutexGuard<'_, PoolState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn read_folder(home: &WalkedHome, index: usize, relative: &Path) -> Result<Vec<Job>, NoteError> {
    let folder = home.folder.join(relative);
    let at = |error| NoteError::io(&folder)(error);
    let entries = match fs::read_dir(&folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(at)?,
    };
    let mut jobs = Vec::new();
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.map_err(at)?;
        let kind = match entry.file_type() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            kind => kind.map_err(at)?,
        };
        let name = entry.file_name();
        if kind.is_dir() {
            jobs.push(Job::Folder { home: index, relative: relative.join(name) });
        } else if kind.is_file() && name.as_encoded_bytes().ends_with(b".md") {
            names.push(name);
            if names.len() == BATCH {
                let names = std::mem::take(&mut names);
                jobs.push(Job::Files { home: index, relative: relative.to_path_buf(), names });
            }
        }
    }
    if !names.is_empty() {
        jobs.push(Job::Files { home: index, relative: relative.to_path_buf(), names });
    }
    Ok(jobs)
}

/// Reads a file into the buffer, after pending operations on it; `false` if it is gone.
fn read_note(path: &Path, buffer: &mut Buffer) -> Result<bool, NoteError> {
    queue::wait_for_pending(path);
    match File::open(path).and_then(|file| buffer.fill(file)) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(NoteError::io(path)(error)),
    }
}

/// A buffer for one file after the other. It stays initialised, so that a small file costs two reads and nothing else;
/// the standard way asks for size and position first, which a walk over many files feels.
struct Buffer {
    bytes: Vec<u8>,
    filled: usize,
}

impl Buffer {
    const START: usize = 64 * 1024;

    fn new() -> Self {
        Self { bytes: vec![0; Self::START], filled: 0 }
    }

    fn fill(&mut self, mut file: File) -> io::Result<()> {
        self.filled = 0;
        loop {
            if self.filled == self.bytes.len() {
                self.bytes.resize(self.bytes.len() * 2, 0);
            }
            match file.read(&mut self.bytes[self.filled..]) {
                Ok(0) => return Ok(()),
                Ok(read) => self.filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn content(&self) -> &[u8] {
        &self.bytes[..self.filled]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Line 77: a file that goes between being met and being read is passed over.
    #[test]
    fn a_file_that_vanishes_is_passed_over() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("human")).unwrap();
        for name in ["gone.md", "there.md"] {
            fs::write(dir.path().join("human").join(name), "x").unwrap();
        }
        let identity = Identity::from_parts(dir.path(), "s", "p", "a", "m").unwrap();
        let selected =
            |file: &NoteFile<'_>| file.path() != "gone.md" || fs::remove_file(dir.path().join("human/gone.md")).is_ok();
        let found = visit(&identity, &[Home::Human], selected, |file, _| Some(file.path()));
        assert_eq!((found.rows, found.failures.len()), (vec!["there.md".to_owned()], 0));
    }

    /// A panic in one thread ends the walk; nobody waits for the job that will never be done.
    #[test]
    fn a_panic_ends_the_walk() {
        let dir = tempfile::tempdir().unwrap();
        for folder in ["a", "b", "c", "d"] {
            let folder = dir.path().join("human").join(folder);
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("n.md"), "x").unwrap();
        }
        let identity = Identity::from_parts(dir.path(), "s", "p", "a", "m").unwrap();
        for panicking in ["a", "b", "c", "d"] {
            let walk = std::panic::AssertUnwindSafe(|| {
                let row = |file: &NoteFile<'_>, _: &[u8]| {
                    assert!(!file.path().starts_with(panicking), "on purpose");
                    Some(file.path())
                };
                visit(&identity, &[Home::Human], |_| true, row).rows
            });
            assert!(std::panic::catch_unwind(walk).is_err());
        }
    }
}
