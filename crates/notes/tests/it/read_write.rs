//! Writing and reading whole notes.

use palimpsest_notes::{Address, EditOptions, Origin, Query, WriteOptions};

use crate::support::{Fixture, SESSION, START, START_ISO, address, replace, wastebasket};

/// Lines 1 and 28: both spellings, the first count, the origin; the exact file of a fresh session note.
#[test]
fn a_fresh_note_has_a_block_and_the_exact_body() {
    let fixture = Fixture::new();
    let meta =
        fixture.store.write(&address("plan"), "one\r\ntwo", WriteOptions { origin: Origin::User }).expect("write");
    assert_eq!((meta.created_at, meta.updated_at, meta.last_accessed), (START, START, START));
    let expected = format!(
        "---\norigin: user\ncreatedAt: {START_ISO}\nupdatedAt: {START_ISO}\nlastAccessed: {START_ISO}\naccessCount: 0\n\
         project: app-1234abcd\n---\n\none\r\ntwo"
    );
    assert_eq!(fixture.text(&format!("{SESSION}/plan.md")), expected);

    fixture.advance(1000);
    let note = fixture.read("plan.md");
    assert_eq!(note.body, "one\r\ntwo");
    assert_eq!((note.meta.access_count, note.meta.origin), (1.0, Origin::User));
    assert_eq!(note.text, fixture.text(&format!("{SESSION}/plan.md")));
    assert_eq!(
        note.text,
        expected
            .replace("accessCount: 0", "accessCount: 1")
            .replace(&format!("lastAccessed: {START_ISO}"), "lastAccessed: 2026-03-01T12:00:01.000+02:00")
    );
}

/// Line 2: reading an absent note gives nothing, and nothing appears on disk.
#[test]
fn an_absent_note_is_no_failure() {
    let fixture = Fixture::new();
    for at in ["plan", "@project/a/b", "@agents/other/x"] {
        assert_eq!(fixture.store.read(&address(at)).expect("read"), None);
        assert_eq!(fixture.store.read_slice(&address(at), 5, 10).expect("read"), None);
    }
    assert!(fixture.tree().is_empty(), "nothing was created");
}

/// Lines 7 and 5: a write to a crumpled address gives a live note; a second crumpling keeps the first time.
#[test]
fn writing_smooths_a_crumpled_note() {
    let fixture = Fixture::new();
    fixture.write("plan", "old");
    fixture.crumple("plan", true);
    assert_eq!(fixture.rows(), []);
    fixture.write("plan", "new");
    assert_eq!(fixture.list("plan.md"), ["plan.md"]);
    assert_eq!(fixture.store.list(&wastebasket()).expect("list"), []);
    assert!(!fixture.text(&format!("{SESSION}/plan.md")).contains("crumpledAt"));
}

/// Line 13: stores with other roots and agents do not see each other; listings show concrete names.
#[test]
fn stores_of_other_roots_and_agents_are_apart() {
    let (one, two) = (Fixture::new(), Fixture::new());
    one.write("@self/style", "mine");
    assert_eq!(two.rows(), []);
    assert_eq!(one.list("@self/*"), ["@agents/tester/style.md"]);
    let other = one.store_of("s1", "app-1234abcd", "someone-else", "model-1");
    assert_eq!(other.list(&Query::default()).expect("list"), []);
}

/// Line 19: the project of a session note is that of its first write; other homes have none; odd values stay.
#[test]
fn a_session_note_keeps_its_project() {
    let fixture = Fixture::new();
    let elsewhere = fixture.store_of("s1", "other-00000000", "tester", "model-1");
    fixture.write("plan", "x");
    fixture.write("@project/plan", "x");
    fixture.put(&format!("{SESSION}/odd.md"), "---\nproject: 17\n---\n\nx");
    for at in ["plan", "odd"] {
        elsewhere.write(&address(at), "y", WriteOptions::default()).expect("write");
        elsewhere.read(&address(at)).expect("read");
        elsewhere.edit(&address(at), &[replace("y", "z")], EditOptions::default()).expect("edit");
    }
    let project = |file: &str| fixture.text(file).lines().find(|line| line.starts_with("project")).map(str::to_owned);
    assert_eq!(project(&format!("{SESSION}/plan.md")).as_deref(), Some("project: app-1234abcd"));
    assert_eq!(project(&format!("{SESSION}/odd.md")).as_deref(), Some("project: 17"));
    assert_eq!(project("project/app-1234abcd/plan.md"), None);
}

/// Line 25: the caps on path and size, for write and edit.
#[test]
fn caps_name_limit_and_size() {
    let fixture = Fixture::new();
    let long = ["a".repeat(200), "b".repeat(200), "c".repeat(110)].join("/");
    assert_eq!(long.len(), 512);
    fixture.write(&long, "fits");
    let error = fixture.store.write(&address(&format!("{long}d")), "x", WriteOptions::default()).expect_err("too long");
    assert_eq!((error.code(), error.to_string().contains("512")), ("too_large", true));

    fixture.write("big", "");
    let overhead = fixture.bytes(&format!("{SESSION}/big.md")).len();
    fixture.write("big", &"x".repeat(1_000_000 - overhead));
    for refused in [
        fixture.store.write(&address("big"), &"x".repeat(1_000_001 - overhead), WriteOptions::default()).map(drop),
        fixture
            .store
            .edit(&address("big"), &[replace("x", "yy")], EditOptions { replace_all: true, ..Default::default() })
            .map(drop),
    ] {
        let error = refused.expect_err("too large");
        assert_eq!((error.code(), error.to_string().contains("1000000")), ("too_large", true), "{error}");
    }
    assert!(fixture.store.read(&address(&format!("{long}d"))).expect("no cap on reading").is_none());
}

/// Line 26: no temporary file stays, and a read changes the access lines only.
#[test]
fn a_read_changes_the_access_lines_only() {
    let fixture = Fixture::new();
    fixture.write("plan", "x");
    fixture.edit("plan", "x", "y").expect("edit");
    let before = fixture.text(&format!("{SESSION}/plan.md"));
    fixture.advance(5);
    fixture.read("plan");
    let after = fixture.text(&format!("{SESSION}/plan.md"));
    let changed: Vec<&str> = before
        .lines()
        .zip(after.lines())
        .filter(|(a, b)| a != b)
        .map(|(a, _)| a.split(':').next().unwrap_or(a))
        .collect();
    assert_eq!(changed, ["lastAccessed", "accessCount"]);
    assert_eq!(fixture.tree().into_keys().collect::<Vec<_>>(), [".notes.lock", &format!("{SESSION}/plan.md")]);
}

/// Line 85: only offset 0 counts.
#[test]
fn slices_count_only_at_the_start() {
    let fixture = Fixture::new();
    fixture.write("plan", "héllo 🌍!");
    let file = format!("{SESSION}/plan.md");
    let before = fixture.text(&file);
    let total = before.chars().count();
    for (offset, limit, expected) in [(-3, 2, "🌍"), (-3, 100, "🌍!"), (i64::MAX, 5, ""), (1, 2, "--")] {
        let slice = fixture.store.read_slice(&address("plan"), offset, limit).expect("read").expect("exists");
        let expected = if offset == -3 && limit == 2 {
            " 🌍"
        } else if offset == -3 {
            " 🌍!"
        } else {
            expected
        };
        assert_eq!((slice.text.as_str(), slice.total), (expected, total), "offset {offset}, limit {limit}");
        assert_eq!(slice.end - slice.start, slice.text.chars().count());
    }
    assert_eq!(fixture.text(&file), before);
    let slice = fixture.store.read_slice(&address("plan"), 0, 3).expect("read").expect("exists");
    assert_eq!((slice.text.as_str(), slice.start, slice.end), ("---", 0, 3));
    assert!(fixture.text(&file).contains("accessCount: 1\n"));
    let slice = fixture.store.read_slice(&address("plan"), i64::MIN, usize::MAX).expect("read").expect("exists");
    assert_eq!(slice.text, fixture.text(&file));
}

/// Line 71: a damaged note is shown, never touched by reads, not editable, and replaced whole by a write.
#[test]
fn a_note_that_is_not_utf8_loses_no_byte() {
    let fixture = Fixture::new();
    let file = format!("{SESSION}/odd.md");
    let bytes = b"---\ntitle: caf\xe9\nkeep: 1.10\n---\n\nb\xff\xfed needle\n";
    fixture.put(&file, bytes);
    for _ in 0..3 {
        let note = fixture.read("odd");
        assert!(note.meta.not_utf8);
        assert_eq!(note.body, "b\u{fffd}\u{fffd}d needle\n");
        assert_eq!(fixture.bytes(&file), bytes);
    }
    assert!(fixture.rows()[0].meta.not_utf8);
    let hit = &fixture.store.search(&["NEEDLE"], &Query::default()).expect("search")[0];
    assert!(hit.meta.not_utf8);
    assert_eq!(hit.matches[0].offset_chars, hit.matches[0].offset_on_disk);
    let at = hit.matches[0].offset_on_disk as i64;
    let slice = fixture.store.read_slice(&address("odd"), at, 6).expect("read").expect("exists");
    assert_eq!((slice.text.as_str(), slice.not_utf8), ("needle", true));

    let error = fixture.edit("odd", "needle", "pin").expect_err("not editable");
    assert_eq!(error.code(), "not_utf8");
    assert_eq!(fixture.bytes(&file), bytes);
    fixture.crumple_is_refused("odd");

    let meta = fixture.write("odd", "new\n");
    assert!(!meta.not_utf8);
    let text = fixture.text(&file);
    assert!(text.contains("keep: 1.10\n") && !text.contains("title"), "{text}");
    assert!(text.ends_with("---\n\nnew\n"));
}

/// A10: an address is checked before anything else, and refusals leave no trace.
#[test]
fn refused_addresses_create_nothing() {
    let fixture = Fixture::new();
    assert_eq!(Address::parse("@nobody/x").expect_err("unknown prefix").code(), "invalid_address");
    assert!(fixture.tree().is_empty());
}

impl Fixture {
    fn crumple_is_refused(&self, at: &str) {
        let options = EditOptions { crumpled: Some(true), ..Default::default() };
        assert_eq!(self.store.edit(&address(at), &[], options).expect_err("refused").code(), "not_utf8");
    }
}
