//! Line 75: every code of A10, raised by its cause, with its message facts and extras.

use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use palimpsest_notes::{Address, EditOptions, Identity, NoteError, Origin, Pattern, Query, Scope, Store};

use crate::support::{Fixture, SESSION, address, replace};

#[test]
fn every_code_is_raised_by_its_cause() {
    let fixture = Fixture::new();
    let store = &fixture.store;
    fixture.write("plan", "a a");
    fixture.put(&format!("{SESSION}/odd.md"), b"\xff");
    fixture.put(&format!("{SESSION}/folder.md/x"), b"");
    let edit = |at: &str, old: &str| store.edit(&address(at), &[replace(old, "b")], EditOptions::default()).map(drop);
    let write = |at: &str| store.write(&address(at), "x", Default::default()).map(drop);
    for (result, code, says) in [
        (edit("none", "a"), "not_found", vec!["note not found"]),
        (edit("plan", "a"), "ambiguous_edit", vec!["edit 0", "occurs 2 times", "1, 1", "replace_all"]),
        (edit("plan", "z"), "no_match", vec!["edit 0"]),
        (
            store.edit(&address("plan"), &[], EditOptions::default()).map(drop),
            "nothing_to_do",
            vec!["origin", "crumpled"],
        ),
        (write(&"x".repeat(513)), "too_large", vec!["512", "513"]),
        (write("@agents/other/x"), "invalid_scope", vec!["@agents/other/"]),
        ("me".parse::<Origin>().map(drop), "invalid_origin", vec!["user", "self", "external", "\"me\""]),
        (Address::parse("@x/y").map(drop), "invalid_address", vec!["@x/y"]),
        (Pattern::parse("\\").map(drop), "invalid_pattern", vec!["backslashes"]),
        (Identity::from_parts(Path::new("/x"), "a:b", "p", "a", "m").map(drop), "invalid_identity", vec!["sessionId"]),
        (edit("odd", "a"), "not_utf8", vec!["odd.md"]),
        (write("folder"), "io", vec!["folder.md"]),
        (Query::named(Scope::Human, "x").map(drop), "invalid_scope", vec!["human", "\"x\""]),
    ] {
        let error = result.expect_err(code);
        assert_eq!(error.code(), code);
        for fact in says {
            assert!(error.to_string().contains(fact), "{fact:?} in {error}");
        }
    }
}

/// `io` carries path and kind; a note below a file is a failure, not an absent note.
#[test]
fn io_names_path_and_kind() {
    let fixture = Fixture::new();
    fixture.write("plan", "x");
    let error = fixture.store.read(&address("plan.md/x")).expect_err("below a file");
    let NoteError::Io { path, source } = &error else { panic!("{error}") };
    assert_eq!((path.ends_with("plan.md/x.md"), source.kind()), (true, io::ErrorKind::NotADirectory));
    let long = fixture.store.read(&address(&"n".repeat(300))).expect_err("a name over the system's limit");
    assert_eq!(long.code(), "io");
}

/// Line 80: the lock file, and `busy` while somebody else holds it.
#[test]
fn a_held_lock_is_busy() {
    let fixture = Fixture::new();
    fixture.store.read(&address("none")).expect("read");
    assert!(fixture.tree().is_empty(), "reading an absent note creates nothing");
    fixture.write("plan", "x");
    fixture.put(&format!("{SESSION}/odd.md"), b"\xff");
    let lock = fixture.path(".notes.lock");
    assert_eq!(std::fs::metadata(&lock).expect("the lock file").len(), 0);
    assert_eq!(fixture.rows().len(), 2);

    let holder = std::fs::File::open(&lock).expect("open");
    holder.lock().expect("lock");
    let wait = Duration::from_millis(50);
    let store: Store = fixture.store.clone().with_lock_wait(wait);
    let before = fixture.tree();
    for result in [
        store.write(&address("plan"), "y", Default::default()).map(drop),
        store.edit(&address("plan"), &[replace("x", "y")], EditOptions::default()).map(drop),
        store.read(&address("plan")).map(drop),
        store.read_slice(&address("plan"), 0, 5).map(drop),
    ] {
        let error = result.expect_err("busy");
        assert_eq!(error.code(), "busy");
        assert!(error.to_string().contains(".notes.lock") && error.to_string().contains("50 ms"), "{error}");
    }
    assert_eq!(store.list(&Query::default()).expect("list").len(), 2);
    assert_eq!(store.search(&["x"], &Query::default()).expect("search").len(), 1);
    assert!(store.read_slice(&address("plan"), 1, 5).expect("read").is_some());
    assert!(store.read(&address("odd")).expect("a read that does not count").is_some());
    assert_eq!(fixture.tree(), before);
    drop(holder);
    assert_eq!(store.read(&address("plan")).expect("read").expect("exists").body, "x");
}

/// Line 80: nobody waits longer than the wait, however many wait; unless set it is five seconds.
#[test]
fn the_wait_for_the_lock_is_bounded() {
    let fixture = Fixture::new();
    fixture.write("first", "x");
    let holder = std::fs::File::open(fixture.path(".notes.lock")).expect("open");
    holder.lock().expect("lock");
    std::thread::scope(|scope| {
        for at in ["a", "b", "c"] {
            let store = &fixture.store;
            scope.spawn(move || {
                let started = Instant::now();
                let error = store.write(&address(at), "x", Default::default()).expect_err("busy");
                assert_eq!(error.code(), "busy");
                let waited = started.elapsed().as_secs_f64();
                assert!((5.0..9.0).contains(&waited), "{waited} s");
            });
        }
    });
}
