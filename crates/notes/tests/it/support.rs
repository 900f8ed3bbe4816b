//! A notes home in a temporary folder, a clock that stands still until moved, and short ways to look at files.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use jiff::Timestamp;
use jiff::tz::{Offset, TimeZone};
use palimpsest_notes::{
    Address, Clock, Edit, EditOptions, Edited, Identity, Meta, Note, NoteError, Pattern, Query, Row, Store,
    WriteOptions,
};
use tempfile::TempDir;

/// 2026-03-01T12:00:00.000+02:00, where the clocks of all fixtures start.
pub(crate) const START: i64 = 1_772_359_200_000;
pub(crate) const START_ISO: &str = "2026-03-01T12:00:00.000+02:00";
/// Where the notes of the default session lie.
pub(crate) const SESSION: &str = "pi/session/s1";

pub(crate) struct Fixture {
    dir: TempDir,
    time: Arc<AtomicI64>,
    clock: Clock,
    pub(crate) store: Store,
}

impl Fixture {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let time = Arc::new(AtomicI64::new(START));
        let clock = clock(Arc::clone(&time));
        let store = Store::new(identity(dir.path(), "s1", "app-1234abcd", "tester", "model-1"), clock.clone());
        Self { dir, time, clock, store }
    }

    /// Another store on the same folder and clock.
    pub(crate) fn store_of(&self, session: &str, project: &str, agent: &str, model: &str) -> Store {
        Store::new(identity(self.home(), session, project, agent, model), self.clock.clone())
    }

    pub(crate) fn home(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.dir.path().join(relative)
    }

    pub(crate) fn advance(&self, ms: i64) {
        self.time.fetch_add(ms, Ordering::SeqCst);
    }

    pub(crate) fn put(&self, relative: &str, content: impl AsRef<[u8]>) {
        let path = self.path(relative);
        fs::create_dir_all(path.parent().expect("a file has a folder")).expect("create folders");
        fs::write(path, content).expect("write a file");
    }

    pub(crate) fn bytes(&self, relative: &str) -> Vec<u8> {
        fs::read(self.path(relative)).expect("read a file")
    }

    pub(crate) fn text(&self, relative: &str) -> String {
        String::from_utf8(self.bytes(relative)).expect("the file is UTF-8")
    }

    /// Every file below the root with its bytes.
    pub(crate) fn tree(&self) -> BTreeMap<String, Vec<u8>> {
        let mut files = BTreeMap::new();
        collect(self.home(), self.home(), &mut files);
        files
    }

    pub(crate) fn write(&self, at: &str, content: &str) -> Meta {
        self.store.write(&address(at), content, WriteOptions::default()).expect("write a note")
    }

    pub(crate) fn read(&self, at: &str) -> Note {
        self.store.read(&address(at)).expect("read a note").expect("the note exists")
    }

    pub(crate) fn edit(&self, at: &str, old: &str, new: &str) -> Result<Edited, NoteError> {
        self.store.edit(&address(at), &[replace(old, new)], EditOptions::default())
    }

    pub(crate) fn crumple(&self, at: &str, crumpled: bool) -> Edited {
        let options = EditOptions { crumpled: Some(crumpled), ..EditOptions::default() };
        self.store.edit(&address(at), &[], options).expect("set the wastebasket")
    }

    pub(crate) fn list(&self, pattern: &str) -> Vec<String> {
        self.store.list(&matching(pattern)).expect("list").into_iter().map(|row| row.address).collect()
    }

    pub(crate) fn rows(&self) -> Vec<Row> {
        self.store.list(&Query::default()).expect("list")
    }

    /// The addresses of the notes in which a query is found.
    pub(crate) fn search(&self, query: &str) -> Vec<String> {
        let hits = self.store.search(&[query], &Query::default()).expect("search");
        hits.into_iter().map(|hit| hit.address).collect()
    }
}

pub(crate) fn identity(home: &Path, session: &str, project: &str, agent: &str, model: &str) -> Identity {
    Identity::from_parts(home, session, project, agent, model).expect("a valid identity")
}

pub(crate) fn address(text: &str) -> Address {
    Address::parse(text).unwrap_or_else(|error| panic!("{text:?} is an address: {error}"))
}

pub(crate) fn matching(pattern: &str) -> Query {
    Query { pattern: Some(Pattern::parse(pattern).expect("a pattern")), ..Query::default() }
}

pub(crate) fn wastebasket() -> Query {
    Query { wastebasket: true, ..Query::default() }
}

pub(crate) fn replace(old: &str, new: &str) -> Edit {
    Edit { old_text: old.to_owned(), new_text: new.to_owned() }
}

/// How often a test repeats what the soak run does `full` times.
pub(crate) fn rounds(full: usize, in_tests: usize) -> usize {
    if std::env::var_os("PALIMPSEST_SOAK").is_some() { full } else { in_tests }
}

/// Says what a test ran, for the figures that a soak run keeps.
pub(crate) fn figure(text: &str) {
    use std::io::Write;
    writeln!(std::io::stdout(), "figure: {text}").expect("standard output is open");
}

fn clock(time: Arc<AtomicI64>) -> Clock {
    let zone = TimeZone::fixed(Offset::from_hours(2).expect("two hours"));
    Clock::new(move || {
        let now = Timestamp::from_millisecond(time.load(Ordering::SeqCst)).expect("a time in range");
        now.to_zoned_datetime(zone.clone())
    })
}

fn collect(root: &Path, folder: &Path, files: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(folder).expect("read a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() && !path.is_symlink() {
            collect(root, &path, files);
        } else {
            let name = path.strip_prefix(root).expect("below the root").to_string_lossy().into_owned();
            files.insert(name, fs::read(&path).unwrap_or_default());
        }
    }
}
