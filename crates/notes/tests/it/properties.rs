//! Laws that hold for any input. `PROPTEST_CASES` sets the number of cases; soak runs many.

use std::collections::BTreeMap;

use palimpsest_notes::{Address, Edit, EditOptions, Origin, Query, WriteOptions};
use proptest::prelude::*;

use crate::support::{Fixture, SESSION, address};

const OWN: [&str; 6] = ["origin", "crumpledAt", "createdAt", "updatedAt", "lastAccessed", "accessCount"];

/// One step of a random history of a note.
#[derive(Debug, Clone)]
enum Step {
    Write(String, Origin),
    Replace(String),
    Crumple(bool),
    Read,
}

fn step() -> impl Strategy<Value = Step> {
    let origin = prop_oneof![Just(Origin::User), Just(Origin::SelfMade), Just(Origin::External)];
    prop_oneof![
        ("[a-z\r\n é🌍-]{0,40}", origin).prop_map(|(text, origin)| Step::Write(text, origin)),
        "[a-zA\r\n]{0,10}".prop_map(Step::Replace),
        any::<bool>().prop_map(Step::Crumple),
        Just(Step::Read),
    ]
}

/// Lines of a block: foreign entries, comments, noise, and our own keys in all states.
fn block_line() -> impl Strategy<Value = String> {
    let own = prop::sample::select(OWN.to_vec());
    let value =
        prop::sample::select(vec!["", "1", "'17'", "1.10", "user", "2024-02-03", "nonsense", "[1, 2]", "\"x\""]);
    prop_oneof![
        "[a-z_][a-z0-9_-]{0,5}: [ -~]{0,12}",
        (own, value).prop_map(|(key, value)| format!("{key}: {value}")),
        "#[ -~]{0,12}",
        Just(String::new()),
        " {0,2}- [ -~]{1,8}",
        "[ -~é]{0,12}",
    ]
    .prop_filter("a closing line ends the block", |line| line.trim() != "---")
}

/// The lines of a block that are not ours: no own key, no list item of one, no `scope`.
fn foreign_lines(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut ours = false;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    for line in text.split_inclusive('\n').skip(1).take_while(|line| line.trim() != "---") {
        let key = line.split_once(':').map(|(key, _)| key);
        let empty = line.split_once(':').is_some_and(|(_, value)| value.trim().is_empty());
        let item =
            line.trim_start().strip_prefix('-').is_some_and(|rest| rest.starts_with(' ') && !rest.trim().is_empty());
        if item && ours {
            continue;
        }
        let own = key.is_some_and(|key| OWN.contains(&key) || key == "scope");
        ours = own && empty;
        if !own {
            lines.push(line.to_owned());
        }
    }
    lines
}

proptest! {
    /// What is not ours survives any sequence of operations byte for byte.
    #[test]
    fn foreign_lines_survive_any_history(
        lines in prop::collection::vec(block_line(), 0..8),
        crlf in any::<bool>(),
        bom in any::<bool>(),
        separated in any::<bool>(),
        body in "[a-z\r\n é-]{0,30}",
        steps in prop::collection::vec(step(), 1..8),
    ) {
        let newline = if crlf { "\r\n" } else { "\n" };
        let mut text = String::from(if bom { "\u{feff}" } else { "" });
        for line in std::iter::once("---").chain(lines.iter().map(String::as_str)).chain(["---"]) {
            text.push_str(line);
            text.push_str(newline);
        }
        if separated {
            text.push_str(newline);
        }
        text.push_str(&body);
        let fixture = Fixture::new();
        let file = format!("{SESSION}/n.md");
        fixture.put(&file, &text);
        let at = address("n");
        let query = |wastebasket| Query { wastebasket, ..Query::default() };
        let body_now = || {
            let rows = [false, true].map(|basket| fixture.store.list(&query(basket)).expect("list"));
            rows.into_iter().flatten().next().expect("the note").body
        };
        let foreign = foreign_lines(&text);
        for step in steps {
            let before = body_now();
            let expected = match step {
                Step::Write(content, origin) => {
                    fixture.store.write(&at, &content, WriteOptions { origin }).expect("write");
                    content
                }
                Step::Replace(new) if !before.is_empty() => {
                    let edit = Edit { old_text: before.clone(), new_text: new.clone() };
                    let edited = fixture.store.edit(&at, &[edit], EditOptions::default()).expect("edit");
                    prop_assert_eq!(edited.applied, 1);
                    body_now()
                }
                Step::Crumple(crumpled) => {
                    fixture.store.edit(&at, &[], EditOptions { crumpled: Some(crumpled), ..Default::default() }).expect("edit");
                    before
                }
                Step::Read | Step::Replace(_) => {
                    let note = fixture.store.read(&at).expect("read").expect("exists");
                    prop_assert_eq!(&note.text, &fixture.text(&file));
                    before
                }
            };
            prop_assert_eq!(body_now(), expected);
            prop_assert_eq!(foreign_lines(&fixture.text(&file)), foreign.clone());
            prop_assert_eq!(fixture.text(&file).starts_with('\u{feff}'), bom);
        }
    }

    /// Any bytes as a note: no panic, and a counted read keeps the body.
    #[test]
    fn any_bytes_are_a_note(bytes in prop_oneof![
        prop::collection::vec(any::<u8>(), 0..200),
        "(---|\r|\n|: |- |#|[a-z]|é|\u{feff}|origin|accessCount){0,60}".prop_map(String::into_bytes),
    ]) {
        let fixture = Fixture::new();
        let file = format!("{SESSION}/n.md");
        fixture.put(&file, &bytes);
        let rows = [false, true].map(|wastebasket| fixture.store.list(&Query { wastebasket, ..Query::default() }).expect("list"));
        let row = rows.concat().remove(0);
        let note = fixture.store.read(&address("n")).expect("read").expect("exists");
        prop_assert_eq!(&note.body, &row.body);
        if String::from_utf8(bytes.clone()).is_ok() {
            prop_assert!(fixture.text(&file).ends_with(&row.body));
        } else {
            prop_assert_eq!(fixture.bytes(&file), bytes);
        }
        fixture.store.search(&["a", "é", ""], &Query::default()).expect("search");
        fixture.store.write(&address("n"), "new", WriteOptions::default()).expect("write");
        prop_assert_eq!(fixture.store.read(&address("n")).expect("read").expect("exists").body, "new");
    }

    /// What parses as an address renders to one that parses to the same note.
    #[test]
    fn what_parses_renders_back(text in "(@project/|@human/|@self/|@model/|@agents/[a-z-]{1,3}/|@models/[a-z]/|@)?[a-zé/.@: \\\\\u{1}-]{0,12}") {
        let fixture = Fixture::new();
        if let Ok(parsed) = Address::parse(&text) {
            let rendered = parsed.render(fixture.store.identity());
            let again = Address::parse(&rendered).expect("a rendered address parses");
            prop_assert_eq!(again.render(fixture.store.identity()), rendered.clone());
            prop_assert_eq!(again.path(), parsed.path());
            prop_assert_eq!(Address::parse(&parsed.to_string()).expect("the given form parses"), parsed);
        }
    }

    /// Nothing that parses leaves the root, whatever links lie there.
    #[cfg(unix)]
    #[test]
    fn nothing_that_parses_leaves_the_root(
        links in prop::collection::vec(("[ab]{1,2}", prop::sample::select(vec!["..", "../..", "../../../..", "/", "a", "../b", "OUT", "OUT/a.md", "b/../a/../aa/a.md"])), 0..4),
        path in "(@project/|@human/|)[ab]{1,2}(/[ab]{1,2}){0,2}",
    ) {
        let fixture = Fixture::new();
        let outside = tempfile::tempdir().expect("a temporary folder");
        std::fs::write(outside.path().join("a.md"), "theirs").expect("write");
        for home in [SESSION, "human", "project/app-1234abcd"] {
            std::fs::create_dir_all(fixture.path(home)).expect("create");
            for (name, target) in &links {
                let target = target.replace("OUT", &outside.path().to_string_lossy());
                for name in [name.clone(), format!("{name}.md")] {
                    let _ = std::os::unix::fs::symlink(&target, fixture.path(&format!("{home}/{name}")));
                }
            }
        }
        let at = address(&path);
        let written = fixture.store.write(&at, "mine", WriteOptions::default());
        let _ = fixture.store.edit(&at, &[Edit { old_text: "theirs".into(), new_text: "x".into() }], EditOptions::default());
        let _ = fixture.store.read(&at);
        let left: BTreeMap<_, _> = std::fs::read_dir(outside.path()).expect("read").map(|entry| {
            let path = entry.expect("an entry").path();
            (path.file_name().expect("a name").to_owned(), std::fs::read(&path).expect("read"))
        }).collect();
        prop_assert_eq!(left, BTreeMap::from([("a.md".into(), b"theirs".to_vec())]));
        if written.is_ok() {
            prop_assert_eq!(fixture.store.read(&at).expect("read").expect("exists").body, "mine");
        }
    }

    /// Offsets of a search slice the text that matches, for any Unicode.
    #[test]
    fn search_offsets_slice_the_match(
        before in "[a-zé\u{301}\u{323}🌍İ가\u{1100}\u{1161}\n]{0,20}",
        query in "[a-zA-Zé🌍\u{1e9e}ς가][a-zé🌍]{0,4}",
        after in "[a-z \n]{0,10}",
        block in prop_oneof![Just(""), Just("---\naccessCount: 9\n---\n\n"), Just("---\r\nx: é\r\n---\r\n")],
    ) {
        let fixture = Fixture::new();
        fixture.put(&format!("{SESSION}/n.md"), format!("{block}{before}{query}{after}"));
        let hits = fixture.store.search(&[&query], &Query::default()).expect("search");
        prop_assert!(!hits.is_empty(), "the query is there");
        let on_disk = fixture.text(&format!("{SESSION}/n.md"));
        let next = fixture.store.read(&address("n")).expect("read").expect("exists").text;
        let fold = |text: &str| text.to_lowercase();
        for found in &hits[0].matches {
            for (text, offset) in [(&on_disk, found.offset_on_disk), (&next, found.offset_chars)] {
                let there: String = text.chars().skip(offset).collect();
                let line: String = there.split('\n').next().unwrap_or_default().to_owned();
                prop_assert!(found.text.ends_with(&line), "{:?} is the rest of {:?}", line, found.text);
                let composed = |text: &str| { use unicode_normalization::UnicodeNormalization; text.nfc().collect::<String>() };
                let matches = fold(&line).starts_with(&fold(&query)) || fold(&composed(&line)).starts_with(&fold(&composed(&query)))
                    || query.contains(['\u{1e9e}', 'ς']);
                prop_assert!(matches, "{line:?} starts with {query:?}");
            }
        }
    }
}
