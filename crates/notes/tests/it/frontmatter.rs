//! Frontmatter: what is parsed, what is kept byte for byte, what is stripped from supplied content.

use palimpsest_notes::{Meta, Origin};
use serde_json::json;

use crate::support::{Fixture, SESSION, START, START_ISO};

fn file() -> String {
    format!("{SESSION}/n.md")
}

/// A note's metadata as it stands on disk, without counting a read.
fn meta_of(text: &str) -> Meta {
    let fixture = Fixture::new();
    fixture.put(&file(), text);
    let listed = fixture.rows().into_iter().next();
    listed.unwrap_or_else(|| fixture.store.list(&crate::support::wastebasket()).expect("list").remove(0)).meta
}

const OWN: &str = "origin: self\ncreatedAt: 2020-01-01T00:00:00.000+00:00\nupdatedAt: 1700000000000\n\
                   lastAccessed: 2020-01-01T00:00:00.000+00:00\naccessCount: 9\n";

/// Lines 9, 66 and 67: everything that is not ours survives every operation byte for byte.
#[test]
fn what_is_not_ours_survives_byte_for_byte() {
    let foreign = "# a comment\ntitle: '17'\nversion: 1.10\n  indented: yes\n\nsourceWindow: pcw:12345678:root\n\
                   recurrenceCount: 3\nrecurrenceWindows:\n  - one\n  - 'two'\n__proto__: {\"a\": 1}\nno entry at all\n";
    for newline in ["\n", "\r\n"] {
        for bom in ["", "\u{feff}"] {
            let block = format!("{foreign}{OWN}").replace('\n', newline);
            let text = format!("{bom}---{newline}{block}---{newline}{newline}body{newline}");
            let fixture = Fixture::new();
            fixture.put(&file(), &text);
            fixture.advance(1000);
            let now = "2026-03-01T12:00:01.000+02:00";

            fixture.read("n");
            let mut expected = text
                .replace("lastAccessed: 2020-01-01T00:00:00.000+00:00", &format!("lastAccessed: {now}"))
                .replace("accessCount: 9", "accessCount: 10");
            assert_eq!(fixture.text(&file()), expected, "a counted read");

            fixture.edit("n", "body", "text").expect("edit");
            expected =
                expected.replace("updatedAt: 1700000000000", &format!("updatedAt: {now}")).replace("body", "text");
            assert_eq!(fixture.text(&file()), expected, "an edit");

            fixture.crumple("n", true);
            let with = expected.replace(
                &format!("origin: self{newline}"),
                &format!("origin: self{newline}crumpledAt: 2026-03-01T12:00:01.001+02:00{newline}"),
            );
            assert_eq!(fixture.text(&file()), with, "crumpled: the key lands behind its neighbour");
            fixture.crumple("n", false);
            assert_eq!(fixture.text(&file()), expected, "smoothed: only its line goes");

            fixture.write("n", "new\n");
            expected = expected.replace(&format!("updatedAt: {now}"), "updatedAt: 2026-03-01T12:00:01.003+02:00");
            expected = expected.replace(&format!("text{newline}"), "new\n");
            assert_eq!(fixture.text(&file()), expected, "a write");
        }
    }
    let meta = meta_of(&format!("---\n{foreign}{OWN}---\n\nx"));
    assert_eq!(
        serde_json::Value::Object(meta.extras),
        json!({
            "title": "17", "version": 1.1, "sourceWindow": "pcw:12345678:root", "recurrenceCount": 3,
            "recurrenceWindows": ["one", "two"], "__proto__": {"a": 1}
        })
    );
}

/// Line 67: where added keys go.
#[test]
fn added_keys_find_their_place() {
    let now = START_ISO;
    for (block, expected) in [
        (
            "title: x\n",
            format!(
                "title: x\norigin: self\ncreatedAt: {now}\nupdatedAt: {now}\nlastAccessed: {now}\naccessCount: 1\n"
            ),
        ),
        (
            "accessCount: 4\ntitle: x\n",
            format!(
                "origin: self\ncreatedAt: {now}\nupdatedAt: {now}\nlastAccessed: {now}\naccessCount: 5\ntitle: x\n"
            ),
        ),
        (
            "recurrenceCount: 2\ntitle: x\norigin: user\n",
            format!(
                "recurrenceCount: 2\ntitle: x\norigin: user\ncreatedAt: {now}\nupdatedAt: {now}\nlastAccessed: {now}\naccessCount: 1\n"
            ),
        ),
        (
            "updatedAt:\n  - odd\n  - list\ncreatedAt: nonsense\n",
            format!("updatedAt: {now}\nlastAccessed: {now}\naccessCount: 1\norigin: self\ncreatedAt: {now}\n"),
        ),
        (
            "title: x\ncrumpledAt:\n  - odd\n- list\ncreatedAt: 2020-01-01\ncreatedAt: nonsense\n",
            format!(
                "title: x\norigin: self\ncrumpledAt:\n  - odd\n- list\ncreatedAt: 2020-01-01\ncreatedAt: {now}\n\
                 updatedAt: {now}\nlastAccessed: {now}\naccessCount: 1\n"
            ),
        ),
        (
            "crumpledAt:\n  - odd\norigin: user\n",
            format!(
                "crumpledAt:\n  - odd\ncreatedAt: {now}\nupdatedAt: {now}\nlastAccessed: {now}\naccessCount: 1\norigin: user\n"
            ),
        ),
        (
            "origin: user\r\naccessCount: 4\r\ntitle: x\n",
            format!(
                "origin: user\r\ncreatedAt: {now}\nupdatedAt: {now}\nlastAccessed: {now}\naccessCount: 5\r\ntitle: x\n"
            ),
        ),
        (
            "origin: nobody\norigin: user\ncreatedAt:\ncreatedAt: 2020-01-01\nupdatedAt: x\nupdatedAt: 5\n",
            format!(
                "origin: nobody\norigin: user\ncreatedAt:\ncreatedAt: 2020-01-01\nupdatedAt: x\nupdatedAt: 5\n\
                 lastAccessed: {now}\naccessCount: 1\n"
            ),
        ),
        (
            "accessCount: 1\naccessCount: 2\nscope: human\nscope:\n - a\n",
            format!(
                "origin: self\ncreatedAt: {now}\nupdatedAt: {now}\nlastAccessed: {now}\naccessCount: 1\naccessCount: 3\n"
            ),
        ),
    ] {
        let fixture = Fixture::new();
        fixture.put(&file(), format!("---\n{block}---\n\nbody"));
        fixture.read("n");
        assert_eq!(fixture.text(&file()), format!("---\n{expected}---\n\nbody"), "{block}");
    }
}

/// Lines 20, 21 and 86: normalisation, foreign spellings, date forms.
#[test]
fn values_are_normalised() {
    let created = |value: &str| meta_of(&format!("---\ncreatedAt: {value}\n---\n\nx")).created_at;
    for (value, expected) in [
        ("2024-02-03T04:05:06Z", 1_706_933_106_000),
        ("2024-02-03T04:05:06.789Z", 1_706_933_106_789),
        ("2024-02-03T04:05:06.789123+01:00", 1_706_929_506_789),
        ("\"2024-02-03t04:05:06z\"", 1_706_933_106_000),
        ("2024-02-03", 1_706_918_400_000),
        ("2024-02-03T04:05:06", 1_706_925_906_000),
        ("2024-02-03 04:05", 1_706_925_900_000),
        ("1700000000000", 1_700_000_000_000),
        ("1700000000000.5", 1_700_000_000_000),
        ("-5", -5),
        ("yesterday", START),
        ("2024-02-30", START),
        ("2024-02-03T25:00:00Z", START),
        ("2024-02-03T04:05:06[Europe/Rome]", START),
        ("20240203", 20_240_203),
        ("2024-02", START),
        ("2024-02-03T04:05:06.", START),
        ("true", START),
        ("", START),
        ("null", START),
    ] {
        assert_eq!(created(value), expected, "{value:?}");
    }
    let meta = meta_of("---\norigin: nobody\naccessCount: many\nscope: human\ncreated_at: 5\nstatus: stale\n---\n\nx");
    assert_eq!((meta.origin, meta.access_count, meta.scope.as_str()), (Origin::SelfMade, 0.0, "session"));
    assert_eq!(serde_json::Value::Object(meta.extras), json!({"created_at": 5, "status": "stale"}));
    for crumpled in ["false", "", "2024-02-03", "nonsense"] {
        assert!(meta_of(&format!("---\ncrumpledAt: {crumpled}\n---\n\nx")).is_crumpled(), "{crumpled:?}");
    }
}

/// A6.2: what is a block, and what its lines hold.
#[test]
fn blocks_and_bodies() {
    let fixture = Fixture::new();
    for (text, body, extras) in [
        ("---\na: 1\n---\n\nx", "x", json!({"a": 1})),
        ("---\na: 1\n---\nx", "x", json!({"a": 1})),
        ("---\na: 1\n---\n\n\nx", "\nx", json!({"a": 1})),
        ("---\na: 1\n---", "", json!({"a": 1})),
        ("\u{feff}---\na: 1\n---\nx", "x", json!({"a": 1})),
        ("  --- \r\na: 1\r\n --- \r\n\r\nx\r\n", "x\r\n", json!({"a": 1})),
        ("---\na: 1\n\nx", "---\na: 1\n\nx", json!({})),
        ("x\n---\na: 1\n---\n", "x\n---\na: 1\n---\n", json!({})),
        ("\u{feff}\r\nx", "\u{feff}\r\nx", json!({})),
        ("", "", json!({})),
        ("---\n---\n", "", json!({})),
        ("---\na: 1\na: 2\n---\n", "", json!({"a": 2})),
        ("---\na:\n- 1\n-  \"b\"\n-c\n- d\n---\n", "", json!({"a": [1, "b"]})),
        ("---\na: x\n - 1\nb:\n---\n", "", json!({"a": "x", "b": []})),
        ("---\n1a: x\n-a: x\na b: x\nä: x\n_: x\na-b_3:x\n---\n", "", json!({"_": "x", "a-b_3": "x"})),
        ("---\na: 'it''s'\nb: \"x\nc: \"\nd: ''\n---\n", "", json!({"a": "it''s", "b": "\"x", "c": "\"", "d": ""})),
        (
            "---\na: null\nb: true\nc: false\nd: -1.5e3\ne: [1, {}]\nf: \"\\u00e9\"\ng: {\"a\": null}\nh: nul\ni: 1-2\nj: [\n---\n",
            "",
            json!({
                "a": null, "b": true, "c": false, "d": -1500.0, "e": [1, {}], "f": "é", "g": {"a": null}, "h": "nul",
                "i": "1-2", "j": "["
            }),
        ),
        ("---\na: l\u{2028}m\n---\n", "", json!({"a": "l\u{2028}m"})),
    ] {
        fixture.put(&file(), text);
        let row = fixture.rows().remove(0);
        assert_eq!((row.body.as_str(), serde_json::Value::Object(row.meta.extras)), (body, extras), "{text:?}");
        assert_eq!(row.size_bytes, body.len() as u64);
    }
}

/// Lines 27 and A6.4: a note without a block is normalised by a counted read only, its raw text kept whole.
#[test]
fn a_note_without_a_block_gains_one() {
    let fixture = Fixture::new();
    let raw = "\u{feff}plain\r\ntext";
    fixture.put(&file(), raw);
    fixture.rows();
    assert_eq!(fixture.text(&file()), raw);
    let note = fixture.read("n");
    let block = format!(
        "---\norigin: self\ncreatedAt: {START_ISO}\nupdatedAt: {START_ISO}\nlastAccessed: {START_ISO}\naccessCount: 1\n---\n\n"
    );
    assert_eq!((note.body.as_str(), note.text), (raw, format!("{block}{raw}")));
}

/// Line 68: what separates block and body is kept, and completed only where it must be.
#[test]
fn the_separator_is_kept_or_completed() {
    for (tail, body, expected) in [
        ("---\nold", "new", "---\nnew"),
        ("---\nold", "\nnew", "---\n\n\nnew"),
        ("---\n\nold", "\nnew", "---\n\n\nnew"),
        ("---", "new", "---\nnew"),
        ("---", "", "---"),
        ("---", "\nnew", "---\n\n\nnew"),
        ("---\r\nold", "\r\nnew", "---\r\n\n\r\nnew"),
    ] {
        let fixture = Fixture::new();
        fixture.put(&file(), format!("---\n{OWN}{tail}"));
        if tail == "---\nold" {
            fixture.read("n");
            assert!(fixture.text(&file()).ends_with("\n---\nold"), "a read adds nothing");
        }
        fixture.write("n", body);
        assert!(
            fixture.text(&file()).ends_with(&format!("\n{expected}")),
            "{tail:?} {body:?}: {:?}",
            fixture.text(&file())
        );
        assert_eq!(fixture.read("n").body, body);
    }
}

/// Line 70: what counts as frontmatter in supplied content.
#[test]
fn supplied_frontmatter_is_stripped_if_it_is_some() {
    for (content, stored) in [
        ("---\norigin: user\nevil: 1\n---\n\nbody", "body"),
        ("---\na:\n  - b\n# c\n\nd: e\n---\nbody", "body"),
        ("\u{feff}---\na: 1\n---\r\n\r\nbody", "body"),
        ("---\na: 1\n- b\n  - c\n---\nbody", "body"),
        ("---\na: 1\nsome prose\n---\nbody", "---\na: 1\nsome prose\n---\nbody"),
        ("---\n# only a comment\n---\nbody", "---\n# only a comment\n---\nbody"),
        ("---\na: 1\nbody", "---\na: 1\nbody"),
        ("---\n\nchapter\n\n---\nbody", "---\n\nchapter\n\n---\nbody"),
        ("---\na: 1\n---\n---\nb: 2\n---\nbody", "---\nb: 2\n---\nbody"),
        ("a\r\nb", "a\r\nb"),
    ] {
        let fixture = Fixture::new();
        fixture.write("n", content);
        let note = fixture.read("n");
        assert_eq!(note.body, stored, "{content:?}");
        assert!(!note.meta.extras.contains_key("evil"));
    }
}

/// Line 76: a key that would parse as JSON is quoted and reads back as a string.
#[test]
fn odd_project_keys_are_quoted() {
    for (key, line) in [
        ("-12345678", "project: \"-12345678\""),
        ("my app-12345678", "project: \"my app-12345678\""),
        ("Null", "project: \"Null\""),
        ("ünder-12345678", "project: \"ünder-12345678\""),
        ("a.b_c-12345678", "project: a.b_c-12345678"),
    ] {
        let fixture = Fixture::new();
        let store = fixture.store_of("s1", key, "tester", "model-1");
        store.write(&crate::support::address("n"), "x", Default::default()).expect("write");
        assert!(fixture.text(&file()).contains(&format!("\n{line}\n---\n")), "{}", fixture.text(&file()));
        assert_eq!(fixture.read("n").meta.extras["project"], json!(key));
    }
}

/// Line 29: stored times always have the one shape, with a numeric offset, and round-trip; times that no four-digit year
/// can hold are moved to the nearest that one can.
#[test]
fn times_round_trip() {
    const HOUR: i32 = 3600;
    for (ms, offset, expected, stored) in [
        (0, 0, "1970-01-01T00:00:00.000+00:00", 0),
        (1_700_000_000_123, 5 * HOUR, "2023-11-15T03:13:20.123+05:00", 1_700_000_000_123),
        (-1, -3 * HOUR, "1969-12-31T20:59:59.999-03:00", -1),
        (-3_000_000_000_000, 1172, "1874-12-07T18:59:00.000+00:19", -3_000_000_000_000),
        (0, -2670, "1969-12-31T23:16:00.000-00:44", 0),
        (i64::MAX, 14 * HOUR, "9999-12-30T14:00:00.000+14:00", 253_402_128_000_000),
        (i64::MIN, -12 * HOUR, "0000-01-02T12:00:00.000-12:00", -62_167_046_400_000),
    ] {
        let zone = jiff::tz::TimeZone::fixed(jiff::tz::Offset::from_seconds(offset).expect("an offset"));
        assert_eq!(palimpsest_notes::local_iso(ms, &zone), expected);
        assert_eq!(meta_of(&format!("---\ncreatedAt: {expected}\n---\n")).created_at, stored);
    }
}
