//! Session files: growing, replaced, unreadable, and how they are found.

use std::fs;
use std::path::Path;

use palimpsest_history::{Header, HistoryError, Leaf, Refresh, Session, discover};
use serde_json::json;

use crate::support::{Log, SESSION, TIME, TempFile, all, rows};

/// What is appended is read, also where the writer was met in the middle of it; nothing else is read again.
#[test]
fn a_file_may_grow_at_any_byte() {
    let mut log = Log::new();
    log.user("één");
    log.calls(&[("c", "t", json!({"a": 1}))]);
    log.marker("w");
    log.result("c", "t", "out");
    log.entry(json!({"type": "session_info", "name": " A name "}));
    let text = log.text();
    let whole = TempFile::new(&text).open();
    for cut in 0..=text.len() {
        let file = TempFile::new(&text.as_bytes()[..cut]);
        let mut session = file.open();
        assert_eq!(session.refresh().expect("refresh"), Refresh::Unchanged);
        file.append(&text.as_bytes()[cut..]);
        let grown = if cut == text.len() { Refresh::Unchanged } else { Refresh::Appended };
        assert_eq!(session.refresh().expect("refresh"), grown);
        assert_eq!(all(&session), all(&whole), "{cut}");
        assert_eq!((session.rejects(), session.windows()), (vec![], whole.windows()), "{cut}");
    }
    assert_eq!((whole.id(), whole.name()), (SESSION, Some("A name")));
}

/// Long files are read in pieces, which may end anywhere in a line.
#[test]
fn pieces_may_end_anywhere() {
    // Records of 64 KiB, so that one begins at every boundary of any piece that is a multiple of that; then moved by some bytes.
    const SIZE: usize = 64 << 10;
    let record = |number: usize, size: usize| {
        let parent = number.checked_sub(1).map(|parent| format!("r{parent}"));
        let fill = |fill: &str| {
            json!({"type": "message", "id": format!("r{number}"), "parentId": parent,
                "message": {"role": "user", "content": format!("{number} {fill}")}})
            .to_string()
        };
        fill(&"x".repeat(size - 1 - fill("").len()))
    };
    for moved in [0, 1, 2, 100, SIZE - 1] {
        let mut lines = vec![record(0, SIZE + moved)];
        lines.extend((1..100).map(|number| record(number, SIZE)));
        let bad = lines[70].len();
        lines[70].replace_range(bad - 1.., "?");
        let text = lines.join("\n") + "\n";
        let session = TempFile::new(&text).open();
        assert_eq!(session.highest_seq(), 99, "{moved}");
        let handed = Session::from_entries(&text);
        assert_eq!(session.rejects(), handed.rejects(), "{moved}");
        let seqs = |session: &Session| -> Vec<u64> { all(session).into_iter().map(|item| item.seq).collect() };
        assert_eq!(seqs(&session), seqs(&handed), "{moved}");
    }
}

/// Line 97: the same for a file that grows record by record, with a leaf that follows or stays.
#[test]
fn the_leaf_follows_or_stays() {
    let mut log = Log::new();
    let first = log.user("one");
    let file = TempFile::new(log.text());
    let mut session = file.open();
    let mut staying = file.open();
    staying.set_leaf(Leaf::Entry(&first)).expect("it exists");
    for number in 2..6 {
        let before = log.text().len();
        if number == 4 {
            log.go(&first);
        }
        log.user(&number.to_string());
        file.append(&log.text()[before..]);
        for session in [&mut session, &mut staying] {
            assert_eq!(session.refresh().expect("refresh"), Refresh::Appended);
        }
        assert_eq!(all(&session), all(&file.open()));
        assert_eq!(rows(&staying), ["1 user one"]);
    }
    assert_eq!(rows(&session), ["1 user one", "4 user 4", "5 user 5"]);
    let tips: Vec<_> = session.tips().expect("read").into_iter().map(|tip| (tip.id, tip.seq, tip.active)).collect();
    assert_eq!(tips, [(Some("e3".into()), 3, false), (Some("e5".into()), 5, true)]);
    assert_eq!(session.last_entry_at().expect("read").as_deref(), Some(TIME));
}

/// A file that shrank, was replaced or rewritten in place is read anew; one that is gone is an error, and what is known stays.
#[test]
fn a_file_that_is_another_is_read_anew() {
    let text = |words: &[&str]| {
        let mut log = Log::new();
        words.iter().for_each(|word| {
            log.user(word);
        });
        log.text()
    };
    let file = TempFile::new(text(&["one", "two"]));
    let mut session = file.open();
    let mut check = |expected: &[&str]| {
        assert_eq!(session.refresh().expect("refresh"), Refresh::Reread);
        assert_eq!(rows(&session), expected);
    };
    file.write(text(&["one"]));
    check(&["1 user one"]);
    file.write(text(&["two"]));
    check(&["1 user two"]);
    file.write(text(&["another", "and", "longer"]));
    check(&["1 user another", "2 user and", "3 user longer"]);
    let other = file.path().with_extension("new");
    fs::write(&other, text(&["another", "and", "longer", "file"])).expect("write");
    fs::rename(&other, file.path()).expect("rename");
    check(&["1 user another", "2 user and", "3 user longer", "4 user file"]);
    fs::remove_file(file.path()).expect("remove");
    assert!(matches!(session.refresh().expect_err("gone"), HistoryError::Io { path, .. } if path == file.path()));
    assert_eq!(rows(&session).len(), 4, "it is still open");
}

/// A read that meets other bytes than were indexed says so.
#[test]
fn a_read_of_a_changed_file_fails() {
    let mut log = Log::new();
    log.user("one");
    log.user("two");
    let file = TempFile::new(log.text());
    let session = file.open();
    for content in [Vec::new(), vec![b' '; log.text().len()]] {
        file.write(content);
        let refused = session.read(2, 0, 9).expect_err("changed");
        assert_eq!(refused.code(), "changed");
        assert!(refused.to_string().contains("session.jsonl"), "{refused}");
        assert_eq!(session.list(&Default::default()).expect_err("changed").code(), "changed");
    }
}

/// Entries handed over one by one tell the same as those handed over at once.
#[test]
fn entries_are_handed_over_one_by_one() {
    let mut log = Log::new();
    log.calls(&[("c", "t", json!({}))]);
    log.marker("w");
    log.result("c", "t", "out");
    log.user("x");
    let mut session = Session::from_entries("");
    for line in log.text().lines() {
        session.append(line);
    }
    let whole = log.session();
    assert_eq!((all(&session), session.windows()), (all(&whole), whole.windows()));
    assert_eq!(session.refresh().expect("nothing to do"), Refresh::Unchanged);
    assert_eq!(session.id(), SESSION);
    assert!(session.contains("e4") && !session.contains("e5") && !session.contains(""));
    // A session in a file takes none.
    let file = TempFile::new(log.text());
    let mut session = file.open();
    session.append(r#"{"type":"message","message":{"role":"user","content":"x"}}"#);
    assert_eq!(all(&session), all(&whole));
}

/// Labels, the name, the header.
#[test]
fn facts_of_a_session() {
    let mut log = Log::new();
    let one = log.user("one");
    let two = log.user("two");
    for (target, label) in [(&one, json!("first")), (&two, json!("gone")), (&two, json!(null)), (&one, json!("start"))]
    {
        log.entry(json!({"type": "label", "targetId": target, "label": label}));
    }
    for name in [json!("old"), json!("new"), json!(" ")] {
        log.entry(json!({"type": "session_info", "name": name}));
    }
    let session = log.session();
    assert_eq!(session.labels().iter().collect::<Vec<_>>(), [(&one, &"start".to_owned())]);
    assert_eq!(session.name(), None, "it was cleared");
    let header = Header {
        id: SESSION.into(),
        timestamp: Some(TIME.into()),
        cwd: Some("/work/app".into()),
        parent_session: None,
        format: 3,
    };
    assert_eq!(session.header(), Some(&header));
    assert_eq!(session.highest_seq(), 2);
}

/// Lines 104 and 106: the sessions of a folder, newest first, and what is none.
#[test]
fn sessions_are_found() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let put = |name: &str, content: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("create");
        fs::write(path, content).expect("write");
    };
    let session = |id: &str, times: &[&str]| {
        let mut lines =
            vec![json!({"type": "session", "version": 3, "id": id, "timestamp": "2026-01-01T00:00:00Z"}).to_string()];
        lines.extend(times.iter().map(|time| json!({"type": "custom", "timestamp": time}).to_string()));
        lines.join("\n")
    };
    put("--a--/1_old.jsonl", &session("old-1", &["2026-01-02T00:00:00Z"]));
    put("--a--/2_new.jsonl", &session("new-2", &["2025-01-02T00:00:00Z", "2026-01-03T00:30:00Z"]));
    put("--b--/3.jsonl", &session("old-3", &["2026-01-03T01:00:00+01:00"]));
    put("4.jsonl", &format!("broken\n\u{feff}{}\n{{\"type\":\"cust", session("old-4", &["2026-01-02T00:00:00.000Z"])));
    put("--b--/5_empty-5.jsonl", &session("empty-5", &[]));
    put("--b--/6_x.jsonl", "{\"type\":\"custom\",\"timestamp\":\"t\"}\n");
    put("--b--/empty.jsonl", "");
    put("--b--/notes.md", "x");
    put("--b--/deeper/7.jsonl", &session("deeper", &[]));
    fs::create_dir(folder.path().join("--a--/8_folder.jsonl")).expect("create");
    // The last record of a session may be long.
    let long = json!({"type": "custom", "data": "x".repeat(100_000), "timestamp": "2026-01-05T00:00:00Z"});
    put("--c--/9.jsonl", &format!("{}\n{long}\n", session("long-9", &[])));
    let found = discover(folder.path()).expect("discover");
    let name = |path: &Path| path.file_name().expect("a name").to_string_lossy().into_owned();
    let ids: Vec<_> = found.sessions.iter().map(|session| session.header.id.as_str()).collect();
    assert_eq!(ids, ["long-9", "new-2", "old-3", "old-1", "old-4", "empty-5"]);
    assert_eq!(found.sessions[1].last_entry_at.as_deref(), Some("2026-01-03T00:30:00Z"));
    let missing: Vec<_> = found.unavailable.iter().map(|file| (name(&file.path), file.id.as_deref())).collect();
    assert_eq!(
        missing,
        [
            ("8_folder.jsonl".to_owned(), Some("folder")),
            ("6_x.jsonl".to_owned(), Some("x")),
            ("empty.jsonl".to_owned(), None),
        ]
    );
    assert_eq!(
        found.by_id_prefix("old").map(|file| name(&file.path)).collect::<Vec<_>>(),
        ["3.jsonl", "1_old.jsonl", "4.jsonl"]
    );
    assert_eq!(discover(&folder.path().join("none")).expect_err("no folder").code(), "io");
}

/// A folder and a pipe are no session files, and nothing waits for them.
#[test]
fn what_is_no_file() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let pipe = folder.path().join("pipe.jsonl");
    assert_eq!(Session::open(folder.path()).err().expect("a folder").code(), "io");
    assert_eq!(Session::open(&pipe).err().expect("nothing there").code(), "io");
    if std::process::Command::new("mkfifo").arg(&pipe).status().is_ok_and(|status| status.success()) {
        assert_eq!(Session::open(&pipe).err().expect("a pipe").to_string(), format!("{}: not a file", pipe.display()));
        assert_eq!(discover(folder.path()).expect("discover").unavailable.len(), 1);
    }
}

/// As a user to whom things can be forbidden: the present one, or as root another in a child process.
#[cfg(unix)]
#[test]
fn what_may_not_be_read() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::os::unix::process::CommandExt;
    const NOBODY: u32 = 65_534;
    let probe = tempfile::tempdir().expect("a temporary folder");
    let set = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("set a mode");
    if fs::metadata(probe.path()).expect("metadata").uid() == 0 {
        // The binary may lie where the other user cannot reach it.
        let binary = probe.path().join("it");
        fs::copy(std::env::current_exe().expect("this binary"), &binary).expect("copy");
        set(probe.path(), 0o755);
        let mut command = std::process::Command::new(&binary);
        command.args(["--exact", "files::what_may_not_be_read"]).env("TMPDIR", "/tmp").current_dir("/");
        let output = command.gid(NOBODY).uid(NOBODY).output().expect("run as another user");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && text.contains("1 passed"), "{text}");
        return;
    }
    let secret = probe.path().join("1_secret.jsonl");
    let locked = probe.path().join("--locked--");
    fs::write(&secret, Log::new().text()).expect("write");
    fs::create_dir(&locked).expect("create");
    set(&secret, 0o000);
    set(&locked, 0o000);
    let refused = Session::open(&secret).err().expect("forbidden");
    assert!(
        matches!(&refused, HistoryError::Io { path, source } if *path == secret && source.kind() == std::io::ErrorKind::PermissionDenied)
    );
    let found = discover(probe.path()).expect("the folder itself can be read");
    let missing: Vec<_> = found.unavailable.iter().map(|file| (&file.path, file.id.as_deref())).collect();
    assert_eq!(missing, [(&locked, None), (&secret, Some("secret"))]);
    set(&locked, 0o755);
}
