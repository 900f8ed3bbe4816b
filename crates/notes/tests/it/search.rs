//! Searching: case, spellings, and offsets that slice the right text.

use palimpsest_notes::{Query, Store};

use crate::support::{Fixture, SESSION, address};

fn file() -> String {
    format!("{SESSION}/n.md")
}

/// The text at a hit's offset into the next counted read, and at its offset on disk.
fn texts_at_hit(store: &Store, query: &str, length: usize) -> (String, String) {
    let hits = store.search(&[query], &Query::default()).expect("search");
    let found = hits[0].matches[0].clone();
    let on_disk = i64::try_from(found.offset_on_disk).expect("small");
    let slice = |offset| store.read_slice(&address("n"), offset, length).expect("read").expect("exists").text;
    // Offset 0 would count; only a note without a block can have a match there.
    let disk = if on_disk == 0 { found.text.chars().take(length).collect() } else { slice(on_disk) };
    let note = store.read(&address("n")).expect("read").expect("exists");
    (note.text.chars().skip(found.offset_chars).take(length).collect(), disk)
}

/// Lines 8, 27 and 30: offsets are right with emoji around, over a growing access count and without a block.
#[test]
fn offsets_slice_the_match() {
    for (content, query, expected) in [
        ("🌍 İ x\nfoo 👩‍👩‍👧 NeEdLe.* bar", "needle.*", "NeEdLe.*"),
        ("🌍NEEDLE", "needle", "NEEDLE"),
        ("a🌍b", "🌍", "🌍"),
        ("---\naccessCount: 9\n---\n\nx needle", "needle", "needle"),
        ("---\naccessCount: 99\nscope: human\n---\nx needle", "needle", "needle"),
        ("---\r\nupdatedAt: 5\r\n---\r\n\r\nx\r\nneedle", "needle", "needle"),
        ("needle at the start, no block", "needle", "needle"),
        ("\u{feff}needle", "needle", "needle"),
    ] {
        let fixture = Fixture::new();
        fixture.put(&file(), content);
        let length = expected.chars().count();
        assert_eq!(
            texts_at_hit(&fixture.store, query, length),
            (expected.to_owned(), expected.to_owned()),
            "{content:?}"
        );
    }
}

/// Lines 30 and 84, A7.5: which texts find which.
#[test]
fn folding_and_spellings() {
    for (line, query, position) in [
        ("NeEdLe.*", "needle.*", Some(0)),
        ("NeEdLe.*", "needle.+", None),
        ("STRASSE", "straße", None),
        ("ẞ", "ß", Some(0)),
        ("ß", "ss", None),
        ("\u{212a}elvin", "kelvin", Some(0)),
        ("kelvin", "\u{212a}", Some(0)),
        ("ſharp", "Sharp", Some(0)),
        ("ΟΔΟΣ", "οδος", Some(0)),
        ("οδοσ", "ΟΔΟς", Some(0)),
        ("İ", "i", None),
        ("e\u{301}tude", "étude", Some(0)),
        ("étude", "E\u{301}TUDE", Some(0)),
        ("x É", "e\u{301}", Some(2)),
        ("e\u{301}e\u{301} É", "tude", None),
        ("o\u{302}e\u{301}x", "éx", Some(2)),
        ("e\u{301} é", "é", Some(0)),
        ("é e\u{301}", "e\u{301}", Some(0)),
        ("cafe\u{301}", "e", Some(3)),
        ("cafe\u{301}", "é", Some(3)),
        ("a\u{323}\u{307}b", "\u{1ea1}\u{307}b", Some(0)),
        ("q\u{307}\u{323}x", "q\u{323}\u{307}X", Some(0)),
        ("\u{1112}\u{1161}\u{11ab}글", "한글", Some(0)),
        ("x\u{1112}\u{1161}\u{11ab}", "한", Some(1)),
        ("\u{1100}\u{1161}\u{11a8}\u{11a8}", "\u{11a8}", Some(2)),
        ("\u{ac00}\u{11a8}\u{11a8}", "각\u{11a8}", Some(0)),
        ("xq\u{344}", "\u{301}", Some(2)),
        ("x\u{958}", "\u{93c}", Some(1)),
        ("\u{37e}", ";", Some(0)),
        ("a", "", Some(0)),
        ("a", "a\nb", None),
        ("carriage\r", "e\r", Some(7)),
    ] {
        let fixture = Fixture::new();
        fixture.put(&file(), format!("---\nkeep: {{}}\n---\n\n{line}"));
        let hits = fixture.store.search(&[query], &Query::default()).expect("search");
        let prefix = "---\nkeep: {}\n---\n\n".len();
        let found = hits.first().map(|hit| hit.matches[0].offset_on_disk - prefix);
        assert_eq!(found, position, "{line:?} {query:?}");
    }
}

/// Line 47 and A7.5: several queries are one search; each line once, at its earliest match.
#[test]
fn several_queries() {
    let fixture = Fixture::new();
    fixture.put(&file(), "one two\nnothing\ntwo one\nTWO\n");
    let hits = fixture.store.search(&["two", "one"], &Query::default()).expect("search");
    let lines: Vec<(usize, usize)> = hits[0].matches.iter().map(|found| (found.line, found.offset_on_disk)).collect();
    assert_eq!(lines, [(1, 0), (3, 16), (4, 24)]);
    assert_eq!(hits[0].matches[1].text, "two one");
    assert_eq!(fixture.store.search::<&str>(&[], &Query::default()).expect("search"), []);
    assert_eq!(fixture.store.search(&[""], &Query::default()).expect("search")[0].matches.len(), 5);
}

/// A7.5: frontmatter is not searched, rows come by address.
#[test]
fn only_bodies_are_searched() {
    let fixture = Fixture::new();
    for at in ["b", "a", "@project/c"] {
        fixture.write(at, "needle");
    }
    fixture.put(&file(), "---\ntitle: needle\n---\n\nx");
    assert_eq!(fixture.search("needle"), ["@project/c.md", "a.md", "b.md"]);
    assert_eq!(fixture.search("accessCount"), Vec::<String>::new());
}
