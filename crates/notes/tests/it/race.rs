//! Lines 10, 11, 81: many writers, in threads and in processes, lose nothing.
//!
//! A test that needs other processes starts its own binary with only itself selected and `PALIMPSEST_CHILD` set.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use palimpsest_notes::{Clock, EditOptions, Store, WriteOptions};

use crate::support::{Fixture, SESSION, address, figure, identity, replace, rounds};

/// Line 10: two stores and both spellings of a name; every edit and every count is there.
#[test]
fn threads_lose_nothing() {
    let fixture = Fixture::new();
    fixture.write("plan", "start\n");
    let other = fixture.store_of("s1", "other-00000000", "tester", "model-1");
    std::thread::scope(|scope| {
        for (store, at) in
            [(&fixture.store, "plan"), (&other, "plan.md"), (&fixture.store, "plan.md"), (&other, "plan")]
        {
            scope.spawn(move || {
                for round in 0..25 {
                    let id = format!("{at}-{round}-{:?}\n", std::thread::current().id());
                    let edit = replace("start\n", &format!("start\n{id}"));
                    store.edit(&address(at), &[edit], EditOptions::default()).expect("edit");
                    store.read(&address(at)).expect("read");
                }
            });
        }
    });
    let note = fixture.read("plan");
    let mut lines: Vec<&str> = note.body.lines().collect();
    lines.sort_unstable();
    lines.dedup();
    assert_eq!((lines.len(), note.meta.access_count), (101, 101.0));
}

/// A9: what an operation builds on is read under the lock: a change that another process made meanwhile is kept.
#[test]
fn what_changed_during_the_wait_is_kept() {
    type Operation = fn(&Store);
    let operations: [Operation; 3] = [
        |store| drop(store.write(&address("plan"), "new", WriteOptions::default()).expect("write")),
        |store| drop(store.edit(&address("plan"), &[replace("old", "new")], EditOptions::default()).expect("edit")),
        |store| drop(store.read(&address("plan")).expect("read")),
    ];
    for operation in operations {
        let fixture = Fixture::new();
        let file = format!("{SESSION}/plan.md");
        fixture.write("plan", "old");
        let holder = std::fs::File::open(fixture.path(".notes.lock")).expect("open");
        holder.lock().expect("lock");
        std::thread::scope(|scope| {
            scope.spawn(|| operation(&fixture.store));
            std::thread::sleep(std::time::Duration::from_millis(100));
            fixture.put(&file, fixture.text(&file).replacen("origin", "theirs: 1\norigin", 1));
            drop(holder);
        });
        assert!(fixture.text(&file).contains("theirs: 1\n"), "{}", fixture.text(&file));
    }
}

/// Line 11: the arguments belong to the caller again after the call.
#[test]
fn arguments_are_not_kept() {
    let fixture = Fixture::new();
    fixture.write("plan", "a");
    let mut edits = vec![replace("a", "b")];
    fixture.store.edit(&address("plan"), &edits, EditOptions::default()).expect("edit");
    edits[0].new_text.push_str("changed");
    assert_eq!(fixture.read("plan").body, "b");
}

/// Line 81: eight processes edit and read one note; in soak 200 times each.
#[test]
fn processes_lose_no_edit_and_no_count() {
    let edits = rounds(200, 10);
    if let Some((home, name)) = child() {
        let store = store_at(home);
        for round in 0..edits {
            let edit = replace("start\n", &format!("start\n{name}-{round}\n"));
            store.edit(&address("plan"), &[edit], EditOptions::default()).expect("edit");
            store.read(&address("plan")).expect("read");
        }
        return;
    }
    let fixture = Fixture::new();
    fixture.write("plan", "start\n");
    let children: Vec<Child> =
        (0..8).map(|name| spawn("race::processes_lose_no_edit_and_no_count", &fixture, &name.to_string())).collect();
    for child in children {
        finish(child);
    }
    let note = fixture.read("plan");
    let mut lines: Vec<&str> = note.body.lines().collect();
    lines.sort_unstable();
    lines.dedup();
    assert_eq!((lines.len(), note.meta.access_count), (8 * edits + 1, (8 * edits + 1) as f64));
    assert_eq!(fixture.tree().into_keys().collect::<Vec<_>>(), [".notes.lock", &format!("{SESSION}/plan.md")]);
    figure(&format!("8 processes × {edits} edits and reads of one note, all there"));
}

/// Eight processes create the same names; in soak 50 each. Every outcome is clear: one of the texts, whole.
#[test]
fn processes_create_the_same_names() {
    let names = rounds(50, 10);
    if let Some((home, name)) = child() {
        let store = store_at(home);
        for round in 0..names {
            let at = format!("new/folder-{round}/note");
            store.write(&address(&at), &format!("{name}\n").repeat(500), WriteOptions::default()).expect("write");
        }
        return;
    }
    let fixture = Fixture::new();
    let children: Vec<Child> =
        (0..8).map(|name| spawn("race::processes_create_the_same_names", &fixture, &name.to_string())).collect();
    for child in children {
        finish(child);
    }
    assert_eq!(fixture.tree().len(), names + 1, "one file a name, and the lock");
    for round in 0..names {
        let body = fixture.read(&format!("new/folder-{round}/note")).body;
        let first = &body[..2];
        assert_eq!(body, first.repeat(500), "one writer's text, whole");
    }
    figure(&format!("8 processes × {names} creations of the same names, each one writer's text"));
}

/// The home and name given to a child process, in one.
fn child() -> Option<(PathBuf, String)> {
    let value = std::env::var("PALIMPSEST_CHILD").ok()?;
    let (name, home) = value.split_once(' ')?;
    Some((home.into(), name.to_owned()))
}

pub(crate) fn store_at(home: PathBuf) -> Store {
    Store::new(identity(&home, "s1", "app-1234abcd", "tester", "model-1"), Clock::system())
        .with_lock_wait(std::time::Duration::from_secs(120))
}

fn spawn(test: &str, fixture: &Fixture, name: &str) -> Child {
    Command::new(std::env::current_exe().expect("this binary"))
        .args(["--exact", test])
        .env("PALIMPSEST_CHILD", format!("{name} {}", fixture.home().display()))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("start a process")
}

fn finish(child: Child) {
    let output = child.wait_with_output().expect("the process ends");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}{}", String::from_utf8_lossy(&output.stderr));
}
