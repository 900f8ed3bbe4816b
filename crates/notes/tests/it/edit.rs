//! Editing: matching, batches, wastebasket, and what is reported.

use palimpsest_notes::{ChangeKind, EditOptions, Origin, Query};

use crate::support::{Fixture, SESSION, START, address, replace, wastebasket};

/// Line 3: a body edit reports the exact bodies.
#[test]
fn a_body_edit_reports_before_and_after() {
    let fixture = Fixture::new();
    fixture.write("plan", "a\nb\n");
    let edited = fixture.edit("plan", "b", "c").expect("edit");
    assert_eq!((edited.change.kind, edited.applied), (ChangeKind::Body, 1));
    assert_eq!((edited.change.before.as_str(), edited.change.after.as_str()), ("a\nb\n", "a\nc\n"));
}

/// Lines 4 and 5: the wastebasket and its reports.
#[test]
fn crumpling_and_smoothing() {
    let fixture = Fixture::new();
    fixture.write("plan", "secret needle");
    fixture.advance(10);
    let edited = fixture.crumple("plan", true);
    assert_eq!((edited.change.kind, edited.applied), (ChangeKind::Metadata, 0));
    assert!(!edited.change.before.contains("crumpledAt") && edited.change.after.contains("crumpledAt"));
    for text in [&edited.change.before, &edited.change.after] {
        assert!(text.starts_with("---\n") && text.ends_with("\n---") && !text.contains("needle"), "{text}");
    }
    assert_eq!(edited.meta.updated_at, START);
    assert_eq!((fixture.rows().len(), fixture.search("needle").len()), (0, 0));
    assert_eq!(fixture.store.list(&wastebasket()).expect("list").len(), 1);
    assert_eq!(fixture.store.search(&["needle"], &wastebasket()).expect("search").len(), 1);
    assert_eq!(fixture.read("plan").body, "secret needle");

    let first = fixture.read("plan").meta.crumpled_at;
    fixture.advance(10);
    let again = fixture.crumple("plan", true);
    assert_eq!(again.change.kind, ChangeKind::None);
    assert_eq!((again.change.before.as_str(), again.change.after.as_str()), ("", ""));
    assert_eq!(again.meta.crumpled_at, first);

    fixture.crumple("plan", false);
    assert_eq!(fixture.rows().len(), 1);
    assert_eq!(fixture.store.list(&wastebasket()).expect("list"), []);
}

/// A7.3: a metadata change shows the block and nothing around it; it is empty where there was none.
#[test]
fn a_metadata_change_shows_the_block_alone() {
    for (text, before) in
        [("\u{feff}---\r\nk: v\r\n---\r\n\r\nx", "---\r\nk: v\r\n---"), ("---\nk: v\n---", "---\nk: v\n---"), ("x", "")]
    {
        let fixture = Fixture::new();
        fixture.put(&format!("{SESSION}/plan.md"), text);
        let change = fixture.crumple("plan", true).change;
        assert_eq!((change.kind, change.before.as_str()), (ChangeKind::Metadata, before), "{text:?}");
        let lines: Vec<&str> = change.after.split('\n').map(str::trim_end).collect();
        assert_eq!((lines[0], lines[lines.len() - 1]), ("---", "---"), "{:?}", change.after);
    }
}

/// Line 6: body and wastebasket in one call; editing a crumpled note does not smooth it.
#[test]
fn a_combined_edit_reports_the_file() {
    let fixture = Fixture::new();
    fixture.write("plan", "a");
    let raw = fixture.text(&format!("{SESSION}/plan.md"));
    let options = EditOptions { crumpled: Some(true), ..EditOptions::default() };
    let edited = fixture.store.edit(&address("plan"), &[replace("a", "b")], options).expect("edit");
    assert_eq!(edited.change.kind, ChangeKind::File);
    assert_eq!(edited.change.before, raw);
    assert_eq!(edited.change.after, fixture.text(&format!("{SESSION}/plan.md")));
    fixture.edit("plan", "b", "c").expect("edit");
    assert_eq!(fixture.store.list(&wastebasket()).expect("list").len(), 1);
}

/// A7.3: the time of update follows body and origin, nothing else.
#[test]
fn updated_at_follows_body_and_origin() {
    let fixture = Fixture::new();
    fixture.write("plan", "a");
    let options = |origin| EditOptions { origin: Some(origin), ..EditOptions::default() };
    for (edits, options, moves) in [
        (vec![], options(Origin::SelfMade), false),
        (vec![], options(Origin::External), true),
        (vec![replace("a", "a")], EditOptions::default(), false),
        (vec![replace("a", "b")], EditOptions::default(), true),
    ] {
        fixture.advance(1000);
        let before = fixture.rows()[0].meta.updated_at;
        let edited = fixture.store.edit(&address("plan"), &edits, options).expect("edit");
        assert_eq!(edited.meta.updated_at > before, moves, "{edits:?} {options:?}");
        let kind = match (edits.is_empty(), moves) {
            (true, true) => ChangeKind::Metadata,
            (false, true) => ChangeKind::Body,
            (_, false) => ChangeKind::None,
        };
        assert_eq!(edited.change.kind, kind);
    }
}

/// Lines 17, 24 and A10: refusals name edit, cause and lines, leave the file alone, and later operations work.
#[test]
fn refused_edits_change_nothing() {
    let fixture = Fixture::new();
    fixture.write("plan", "x\nab\nx\naaa x\n");
    let file = format!("{SESSION}/plan.md");
    let before = fixture.bytes(&file);
    let all = EditOptions { replace_all: true, ..EditOptions::default() };
    let one = EditOptions::default();
    for (edits, options, code, index, lines, says) in [
        (vec![replace("x", "y")], one, "ambiguous_edit", Some(0), vec![1, 3, 4], "occurs 3 times"),
        (vec![replace("ab", "y"), replace("zz", "y")], one, "no_match", Some(1), vec![], "does not occur"),
        (vec![replace("", "y")], one, "no_match", Some(0), vec![], "empty"),
        (vec![replace("zz", "y")], all, "no_match", Some(0), vec![], "does not occur"),
        (vec![replace("AB", "y")], one, "no_match", Some(0), vec![], "does not occur"),
        (vec![replace("origin", "y")], one, "no_match", Some(0), vec![], "does not occur"),
        (vec![], one, "nothing_to_do", None, vec![], "nothing to do"),
    ] {
        let error = fixture.store.edit(&address("plan"), &edits, options).expect_err("refused");
        assert_eq!((error.code(), error.edit_index(), error.line_numbers()), (code, index, lines.as_slice()));
        assert!(error.to_string().contains(says), "{error}");
        assert_eq!(fixture.bytes(&file), before);
    }
    // `aa` occurs once in `aaa`.
    assert_eq!(fixture.edit("plan", "aa", "b").expect("edit").change.after, "x\nab\nx\nba x\n");
    let nothing = fixture.store.edit(&address("none"), &[], one).expect_err("refused before existence");
    assert_eq!(nothing.code(), "nothing_to_do");
}

/// Line 2: editing an absent note is `not_found`, also for metadata; it creates nothing.
#[test]
fn an_absent_note_cannot_be_edited() {
    let fixture = Fixture::new();
    let crumple = EditOptions { crumpled: Some(true), ..EditOptions::default() };
    for (edits, options) in [(vec![replace("a", "b")], EditOptions::default()), (vec![], crumple)] {
        let error = fixture.store.edit(&address("none"), &edits, options).expect_err("absent");
        assert_eq!(error.code(), "not_found");
        assert!(error.to_string().contains("note not found"));
    }
    assert!(fixture.tree().is_empty());
}

/// Line 23: replacement text is literal.
#[test]
fn replacements_are_literal() {
    for literal in ["$&", "$`", "$'", "$1", "$$", r"\0\n"] {
        let fixture = Fixture::new();
        fixture.write("plan", "a-b-a");
        assert_eq!(fixture.edit("plan", "b", literal).expect("edit").change.after, format!("a-{literal}-a"));
        let all = EditOptions { replace_all: true, ..EditOptions::default() };
        let edited = fixture.store.edit(&address("plan"), &[replace("a", literal)], all).expect("edit");
        assert_eq!(edited.change.after, format!("{literal}-{literal}-{literal}"));
    }
}

/// Line 69: line endings of the body decide how texts are matched and stored.
#[test]
fn line_endings_of_the_body_are_kept() {
    for (body, old, new, expected) in [
        ("a\r\nb\r\n", "a\nb", "x\ny", Some("x\r\ny\r\n")),
        ("a\r\nb\r\n", "a\r\nb", "x\ny", Some("x\r\ny\r\n")),
        ("a\r\nb\r\n", "a\r\nb", "x\r\ny", Some("x\r\ny\r\n")),
        ("a\nb\n", "a\nb", "x\r\ny", Some("x\r\ny\n")),
        ("a\nb\n", "a\r\nb", "x", None),
        ("a\r\nb\nc", "a\nb", "x", None),
        ("a\r\nb\nc", "a\r\nb", "x\ny", Some("x\ny\nc")),
        ("no line end", "no", "a\nb", Some("a\nb line end")),
    ] {
        let fixture = Fixture::new();
        fixture.write("plan", body);
        assert_eq!(fixture.read("plan").body, body);
        let after = fixture.edit("plan", old, new).map(|edited| edited.change.after);
        assert_eq!(after.as_deref().ok(), expected, "{body:?} {old:?} {new:?}");
    }
}

/// Line 14 and A8: homes of others can be read and never be written.
#[test]
fn homes_of_others_are_read_only() {
    let fixture = Fixture::new();
    let other = fixture.store_of("s1", "app-1234abcd", "other", "model-2");
    for (theirs, mine) in [("@self/x", "@agents/other/x"), ("@model/x", "@models/model-2/x")] {
        other.write(&address(theirs), "theirs", Default::default()).expect("write");
        assert_eq!(fixture.read(mine).body, "theirs");
        let crumple = EditOptions { crumpled: Some(true), ..EditOptions::default() };
        for error in [
            fixture.store.write(&address(mine), "x", Default::default()).expect_err("foreign"),
            fixture.store.edit(&address(mine), &[], crumple).expect_err("foreign"),
        ] {
            assert_eq!(error.code(), "invalid_scope");
            let text = error.to_string();
            let names = [mine.trim_end_matches('x'), "this session", "@project/", "@human/", "@self/", "@model/"];
            assert!(names.iter().all(|name| text.contains(name)), "{text}");
        }
    }
    // One's own home may be named in full.
    fixture.write("@agents/tester/y", "mine");
    assert_eq!(fixture.list("@self/*"), ["@agents/tester/y.md"]);
    assert_eq!(
        fixture.store.list(&Query::named(palimpsest_notes::Scope::Agent, "other").expect("query")).expect("list").len(),
        1
    );
}

/// A7.3: the size is judged by the outcome, so a batch may be larger on the way; never so large that memory runs out.
#[test]
fn a_batch_may_grow_and_shrink() {
    let fixture = Fixture::new();
    fixture.write("plan", &"x".repeat(900_000));
    let all = EditOptions { replace_all: true, ..EditOptions::default() };
    let batch = [replace("x", "yyy"), replace("yyy", "z")];
    let edited = fixture.store.edit(&address("plan"), &batch, all).expect("it fits in the end");
    assert_eq!((edited.applied, edited.change.after), (2, "z".repeat(900_000)));
    let before = fixture.tree();
    let batch = [replace("z", &"y".repeat(1_000_000)), replace("y", "")];
    let error = fixture.store.edit(&address("plan"), &batch, all).expect_err("a terabyte");
    assert_eq!((error.code(), error.to_string().contains("900000000000")), ("too_large", true), "{error}");
    assert_eq!(fixture.tree(), before);
}

/// Line 91 (library part): all lines are reported, the message names twenty.
#[test]
fn an_ambiguous_edit_reports_every_line() {
    let fixture = Fixture::new();
    fixture.write("plan", &"x\n".repeat(30));
    let error = fixture.edit("plan", "x", "y").expect_err("ambiguous");
    assert_eq!(error.line_numbers(), (1..=30).collect::<Vec<_>>());
    assert!(error.to_string().contains("19, 20 and 10 more") && error.to_string().contains("replace_all"), "{error}");
}
