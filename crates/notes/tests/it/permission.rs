//! Lines 79 and 83, and a full disk: modes, read-only stores, size limits. As root these run in a child process of another
//! user, since nothing is forbidden to root.

#![cfg(unix)]

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::process::Command;

use palimpsest_notes::{EditOptions, NoteError, Query};

use crate::support::{Fixture, SESSION, address, matching, replace};

/// An id that is nobody's on common systems.
const NOBODY: u32 = 65_534;

/// Runs a test as a user to whom things can be forbidden: the present one, or as root another in a child process.
fn as_ordinary_user(test: &str, body: impl FnOnce()) {
    let probe = tempfile::tempdir().expect("a temporary folder");
    if fs::metadata(probe.path()).expect("metadata").uid() != 0 {
        return body();
    }
    // The binary may lie where the other user cannot reach it.
    let binary = probe.path().join("it");
    fs::copy(std::env::current_exe().expect("this binary"), &binary).expect("copy");
    fs::set_permissions(probe.path(), Permissions::from_mode(0o755)).expect("set a mode");
    let output = Command::new(&binary)
        .args(["--exact", test])
        .env("TMPDIR", "/tmp")
        .current_dir("/")
        .gid(NOBODY)
        .uid(NOBODY)
        .output()
        .expect("run as another user");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}{}", String::from_utf8_lossy(&output.stderr));
}

/// Whether this process runs under limits that a shell set. Where it does not, the test runs again in one that does.
fn limited(test: &str, limits: &str) -> bool {
    if std::env::var_os("PALIMPSEST_LIMITED").is_some() {
        return true;
    }
    let output = Command::new("bash")
        .args(["-c", &format!(r#"{limits}; exec "$0" "$@""#)])
        .arg(std::env::current_exe().expect("this binary"))
        .args(["--exact", test])
        .env("PALIMPSEST_LIMITED", "1")
        .output()
        .expect("run under limits");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}{}", String::from_utf8_lossy(&output.stderr));
    false
}

fn set_mode(fixture: &Fixture, relative: &str, mode: u32) {
    fs::set_permissions(fixture.path(relative), Permissions::from_mode(mode)).expect("set a mode");
}

/// Line 83: on a store that may not be written, looking works and says nothing, changing is `io`.
#[test]
fn a_read_only_store_can_be_read() {
    as_ordinary_user("permission::a_read_only_store_can_be_read", || {
        for locked in [true, false] {
            let fixture = Fixture::new();
            fixture.write("plan", "needle");
            if !locked {
                fs::remove_file(fixture.path(".notes.lock")).expect("remove");
            }
            let before = fixture.tree();
            for folder in [SESSION, ""] {
                set_mode(&fixture, folder, 0o555);
            }
            let note = fixture.read("plan");
            assert_eq!((note.body.as_str(), note.meta.access_count), ("needle", 0.0));
            assert_eq!(fixture.list("*"), ["plan.md"]);
            assert_eq!(fixture.search("needle"), ["plan.md"]);
            let refused = fixture.store.write(&address("plan"), "x", Default::default()).expect_err("read-only");
            assert!(
                matches!(refused, NoteError::Io { ref source, .. } if source.kind() == std::io::ErrorKind::PermissionDenied)
            );
            assert_eq!(fixture.edit("plan", "needle", "x").expect_err("read-only").code(), "io");
            assert_eq!(fixture.tree(), before);
            for folder in ["", SESSION] {
                set_mode(&fixture, folder, 0o755);
            }
        }
    });
}

/// A9: a lock file that another user made may only be read, which is enough to lock it.
#[test]
fn a_lock_file_of_another_user_locks() {
    as_ordinary_user("permission::a_lock_file_of_another_user_locks", || {
        let fixture = Fixture::new();
        fixture.put(".notes.lock", "");
        set_mode(&fixture, ".notes.lock", 0o444);
        fixture.write("plan", "x");
        assert_eq!(fixture.read("plan").meta.access_count, 1.0);
        let holder = fs::File::open(fixture.path(".notes.lock")).expect("open");
        holder.lock().expect("lock");
        let store = fixture.store.clone().with_lock_wait(std::time::Duration::ZERO);
        assert_eq!(store.read(&address("plan")).expect_err("locked").code(), "busy");
    });
}

/// A7.4: a folder or note that may not be read fails the strict forms and is named by the others.
#[test]
fn unreadable_homes_are_named() {
    as_ordinary_user("permission::unreadable_homes_are_named", || {
        let fixture = Fixture::new();
        fixture.write("plan", "needle");
        fixture.write("@human/x", "needle");
        fixture.write("@project/deep/x", "needle");
        fixture.write("@project/readable", "needle");
        set_mode(&fixture, "human/x.md", 0o000);
        set_mode(&fixture, "project/app-1234abcd/deep", 0o000);
        assert_eq!(fixture.store.list(&Query::default()).expect_err("unreadable").code(), "io");
        let listing = fixture.store.search_available(&["needle"], &Query::default()).expect("the rest");
        assert_eq!(listing.unavailable, ["@project", "@human"]);
        let rows: Vec<&str> = listing.rows.iter().map(|row| row.address.as_str()).collect();
        assert_eq!(rows, ["plan.md"], "a home that fails in part gives no rows");
        assert_eq!(fixture.store.read(&address("@human/x")).expect_err("unreadable").code(), "io");
        set_mode(&fixture, "project/app-1234abcd/deep", 0o755);

        let names = ["c", "a-1", "b", "a"].map(|name| format!("agents/{name}"));
        for home in &names {
            fs::create_dir_all(fixture.path(home)).expect("create");
            set_mode(&fixture, home, 0o000);
        }
        let listing = fixture.store.list_available(&matching("@agents/*/*")).expect("named");
        assert_eq!(listing.unavailable, ["@agents/a", "@agents/a-1", "@agents/b", "@agents/c"]);
        for home in &names {
            set_mode(&fixture, home, 0o755);
        }
    });
}

/// Line 79: the umask decides a new note's mode; a replaced note keeps its own, also over a counted read.
#[test]
fn modes_are_kept() {
    let fixture = Fixture::new();
    fixture.put("reference", "created by the standard library");
    fixture.write("plan", "x");
    let file = format!("{SESSION}/plan.md");
    let mode = |relative: &str| fs::metadata(fixture.path(relative)).expect("metadata").mode() & 0o7777;
    assert_eq!(mode(&file), mode("reference"));
    for wanted in [0o600, 0o640, 0o666, 0o444] {
        set_mode(&fixture, &file, wanted);
        fixture.write("plan", "x");
        assert_eq!(mode(&file), wanted, "write");
        fixture.edit("plan", "x", "y").expect("edit");
        assert_eq!(mode(&file), wanted, "edit");
        fixture.read("plan");
        assert_eq!(mode(&file), wanted, "read");
    }
}

/// A limit on file sizes stands in for a full disk: the write fails half-way, the old note stays, no leftover.
#[test]
fn a_write_that_does_not_fit_leaves_the_old_note() {
    const TEST: &str = "permission::a_write_that_does_not_fit_leaves_the_old_note";
    // The shell ignores the signal that would end the process at the limit, so that writing fails instead.
    if !limited(TEST, "trap '' XFSZ; ulimit -f 64") {
        return;
    }
    let fixture = Fixture::new();
    fixture.write("plan", "old");
    let before = fixture.tree();
    let big = "x".repeat(300_000);
    let refused = fixture.store.write(&address("plan"), &big, Default::default()).expect_err("does not fit");
    assert!(
        matches!(refused, NoteError::Io { ref source, .. } if source.kind() == std::io::ErrorKind::FileTooLarge),
        "{refused}"
    );
    let refused = fixture.store.edit(&address("plan"), &[replace("old", &big)], EditOptions::default());
    assert_eq!(refused.expect_err("does not fit").code(), "io");
    assert_eq!(
        fixture.store.write(&address("deep/new"), &big, Default::default()).expect_err("does not fit").code(),
        "io"
    );
    assert_eq!(fixture.tree(), before, "old text, no temporary file");
    fixture.write("plan", "a smaller one fits");
}

/// A walk spreads over threads only where the system gives some.
#[test]
fn a_walk_needs_no_further_threads() {
    const TEST: &str = "permission::a_walk_needs_no_further_threads";
    as_ordinary_user(TEST, || {
        if !limited(TEST, "ulimit -u 1") {
            return;
        }
        assert!(std::thread::Builder::new().spawn(|| ()).is_err(), "the limit holds");
        let fixture = Fixture::new();
        fixture.write("plan", "needle");
        assert_eq!(fixture.list("*"), ["plan.md"]);
        assert_eq!(fixture.search("needle"), ["plan.md"]);
    });
}
