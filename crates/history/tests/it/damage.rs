//! Line 96 and what else happens to files: everything intact is delivered, everything else is named with line, byte and
//! reason.

use palimpsest_history::{Leaf, Reason, Session};
use serde_json::json;

use crate::support::{Log, TempFile, rows};

const HEADER: &str = r#"{"type":"session","version":3,"id":"12345678","cwd":"/work/app"}"#;

fn user(id: &str, parent: Option<&str>) -> String {
    let message = json!({"role": "user", "content": id});
    json!({"type": "message", "id": id, "parentId": parent, "timestamp": "t", "message": message}).to_string()
}

/// Both sources must deliver these events and name these places: line, byte offset, reason.
#[track_caller]
fn check(text: impl AsRef<[u8]>, expected: &[&str], places: &[(u64, u64, Reason)]) -> Session {
    let text = text.as_ref();
    let session = TempFile::new(text).open();
    assert_eq!(rows(&session), expected);
    let found: Vec<_> = session.rejects().iter().map(|reject| (reject.line, reject.offset, reject.reason)).collect();
    assert_eq!(found, places);
    if let Ok(text) = std::str::from_utf8(text)
        && (text.is_empty() || text.ends_with('\n'))
    {
        let handed = Session::from_entries(text);
        assert_eq!((rows(&handed), handed.rejects()), (rows(&session), session.rejects()));
    }
    session
}

const A_AND_B: &[&str] = &["1 user a", "2 user b"];

fn at(text: &str, part: &str) -> u64 {
    text.find(part).expect("the part is in the text") as u64
}

#[test]
fn lines_that_are_no_records() {
    let (a, b) = (user("a", None), user("b", Some("a")));
    for (bad, reason) in [
        ("{\"type\":\"message\",", Reason::Damaged),
        ("nonsense", Reason::Damaged),
        ("{\"type\":\"mess\u{0}age\"}", Reason::Damaged),
        ("\u{0}\u{0}\u{0}", Reason::Damaged),
        ("{\"type\":\"x\\q\"}", Reason::Damaged),
        ("{\"type\":\"x\\u12g4\"}", Reason::Damaged),
        ("{\"type\":01}", Reason::Damaged),
        ("{\"type\":\"x\",\"parentId\":\"b\"} trailing", Reason::Damaged),
        ("{'type':'x'}", Reason::Damaged),
        ("{\"type\":\"x\",}", Reason::Damaged),
        ("{\"type\":5}", Reason::NotARecord),
        ("{}", Reason::NotARecord),
        ("[1,{\"type\":\"x\"}]", Reason::NotARecord),
        ("5e3", Reason::NotARecord),
        ("\"{\\\"type\\\":\\\"x\\\"}\"", Reason::NotARecord),
        ("null", Reason::NotARecord),
        (HEADER, Reason::SecondHeader),
    ] {
        let text = format!("{HEADER}\n{a}\n  {bad}\n{b}\n");
        let offset = at(&text, &format!("  {bad}")) + 2 + bad.find("trailing").unwrap_or(0) as u64;
        check(&text, A_AND_B, &[(3, offset, reason)]);
        // At the end of the file a line feed makes it damage as well.
        let text = format!("{HEADER}\n{a}\n{b}\n  {bad}\n");
        let offset =
            text.rfind(&format!("  {bad}")).expect("there") as u64 + 2 + bad.find("trailing").unwrap_or(0) as u64;
        check(&text, A_AND_B, &[(4, offset, reason)]);
    }
    for blank in ["", " \t ", "\r", "\u{a0}\u{feff}"] {
        check(format!("{HEADER}\n{a}\n{blank}\n{b}\n"), A_AND_B, &[]);
    }
}

#[test]
fn a_torn_end_is_told_apart() {
    let (a, b) = (user("a", None), user("b", Some("a")));
    let whole = format!("{HEADER}\n{a}\n{b}");
    let start = at(&whole, &b);
    check(&whole, A_AND_B, &[]);
    for cut in 1..b.len() {
        let session = TempFile::new(&whole[..whole.len() - cut]).open();
        assert_eq!(rows(&session), ["1 user a"], "{cut}");
        let places: Vec<_> = session.rejects().iter().map(|r| (r.line, r.offset, r.reason)).collect();
        assert_eq!(places, [(3, start, Reason::Torn)], "{cut}");
    }
    // With a line feed it is damage, and so is nonsense without one.
    check(format!("{}\n", &whole[..whole.len() - 5]), &["1 user a"], &[(3, start, Reason::Damaged)]);
    check(format!("{HEADER}\n{a}\nnonsense"), &["1 user a"], &[(3, start, Reason::Damaged)]);
}

#[test]
fn glued_records_are_taken_apart() {
    let (a, b, c) = (user("a", None), user("b", Some("a")), user("c", Some("b")));
    let all = &["1 user a", "2 user b", "3 user c"];
    check(format!("{HEADER}{a} {b}\t{c}\n"), all, &[]);
    // A record that broke off, and the next one written behind it.
    let torn = &a[..a.len() - 9];
    let text = format!("{HEADER}\n{torn}{b}{c}\n");
    let session = check(
        &text,
        &["1 user b", "2 user c"],
        &[(2, at(&text, torn), Reason::Damaged), (2, at(&text, &b), Reason::MissingParent)],
    );
    assert!(session.contains("b") && !session.contains("a"));
    let text = format!("{HEADER}\n\u{0}\u{0}{a}\u{0}{b}}}{c}]\n");
    check(
        &text,
        all,
        &[
            (2, at(&text, "\u{0}"), Reason::Damaged),
            (2, at(&text, &b) - 1, Reason::Damaged),
            (2, at(&text, &c) - 1, Reason::Damaged),
            (2, at(&text, "]"), Reason::Damaged),
        ],
    );
    // Parts of a broken record are no records, whatever they look like.
    let broken = r#"{"type":"message","id":"x","parentId":"a","timestamp":"t","message":{"role":"assistant","content":[{"type":"toolCall","id":"y","name":"n","arguments":{}},{"type":"te"#;
    let text = format!("{HEADER}\n{a}\n{broken}\n{b}\n");
    check(&text, A_AND_B, &[(3, at(&text, broken), Reason::Damaged)]);
    let text = format!("{HEADER}\n{a}\n{broken}{b}\n");
    check(&text, A_AND_B, &[(3, at(&text, broken), Reason::Damaged)]);
}

/// The last record with an id counts; seqs that were given stay, also when it comes later.
#[test]
fn duplicate_ids() {
    let mut log = Log::new();
    log.user("one");
    let twice = log.calls(&[("c", "t", json!({}))]);
    log.user("child");
    let mut session = log.session();
    assert_eq!(rows(&session), ["1 user one", "2 assistant ", "3 tool t {}", "4 user child"]);
    let text = log.text();
    let again =
        json!({"type": "message", "id": twice, "parentId": "e1", "message": {"role": "user", "content": "again"}});
    session.append(&again.to_string());
    assert_eq!(rows(&session), ["1 user one", "5 user again"], "it is the last entry");
    session.set_leaf(Leaf::Entry("e3")).expect("it exists");
    assert_eq!(rows(&session), ["1 user one", "4 user child", "5 user again"], "the child has a new parent");
    assert_eq!(session.read(2, 0, 9).expect_err("superseded").code(), "not_on_branch");
    let rejects: Vec<_> = session.rejects().iter().map(|r| (r.line, r.offset, r.reason)).collect();
    assert_eq!(rejects, [(3, at(&text, r#"{"type":"message","message":{"role":"assistant""#), Reason::DuplicateId)]);
    session.append(&again.to_string());
    session.set_leaf(Leaf::Entry("e3")).expect("it exists");
    assert_eq!(rows(&session), ["1 user one", "4 user child", "6 user again"]);
    assert_eq!(session.rejects().len(), 2);
}

#[test]
fn parents_that_are_missing_or_go_round() {
    let (a, b) = (user("a", None), user("b", Some("a")));
    let text = format!("{HEADER}\n{a}\n{}\n{}\n", user("x", Some("lost")), user("y", Some("x")));
    check(&text, &["2 user x", "3 user y"], &[(3, at(&text, r#"{"type":"message","id":"x""#), Reason::MissingParent)]);

    // A parent may come later; events are in the order of their seqs all the same.
    let text = format!("{HEADER}\n{b}\n{a}\n{}\n", user("c", Some("b")));
    check(&text, &["1 user b", "2 user a", "3 user c"], &[]);
    let mut session = Session::from_entries(&format!("{HEADER}\n{b}\n"));
    assert_eq!(session.rejects().len(), 1);
    session.set_leaf(Leaf::Entry("b")).expect("it exists");
    session.append(&a);
    assert_eq!((rows(&session), session.rejects()), (vec!["1 user b".into(), "2 user a".into()], vec![]));

    for (parent_of_a, leaf, expected) in [
        (Some("c"), "c", &["1 user a", "2 user b", "3 user c"][..]),
        (Some("a"), "c", &["1 user a", "2 user b", "3 user c"]),
    ] {
        let text = format!("{HEADER}\n{}\n{b}\n{}\n", user("a", parent_of_a), user(leaf, Some("b")));
        check(&text, expected, &[(2, at(&text, r#"{"type":"message","id":"a""#), Reason::Cycle)]);
    }
}

/// From a leaf before a circle into it, and on from there.
#[test]
fn a_leaf_may_move_into_a_circle() {
    let entries =
        [user("a", None), user("b", Some("c")), user("c", Some("b")), user("d", Some("b")), user("e", Some("e"))];
    let mut session = Session::from_entries(&format!("{HEADER}\n{}\n", entries.join("\n")));
    for (leaf, expected, circles) in [
        ("a", &["1 user a"][..], 0),
        ("c", &["2 user b", "3 user c"], 1),
        ("b", &["2 user b", "3 user c"], 1),
        ("d", &["2 user b", "3 user c", "4 user d"], 1),
        ("a", &["1 user a"], 0),
        ("e", &["5 user e"], 1),
        ("a", &["1 user a"], 0),
    ] {
        session.set_leaf(Leaf::Entry(leaf)).expect("it exists");
        assert_eq!(
            (rows(&session), session.rejects().len()),
            (expected.iter().map(ToString::to_string).collect(), circles)
        );
    }
}

/// An entry without an id is read like any other; it is nobody's parent.
#[test]
fn wrong_shapes() {
    let (a, b) = (user("a", None), user("b", Some("a")));
    let odd = r#"{"type":"message","id":7,"parentId":"a","timestamp":[],"message":{"role":"user","content":"odd"}}"#;
    check(format!("{HEADER}\n{a}\n{odd}\n"), &["1 user a", "2 user odd"], &[]);
    check(format!("{HEADER}\n{a}\n{odd}\n{b}\n"), &["1 user a", "3 user b"], &[]);
    let keys = r#"{"type":"x","type":"message","id":"z","id":"b","parentId":"a","message":3,"message":{"role":"system","role":"user","content":["no"],"content":"twice"}}"#;
    check(format!("{HEADER}\n{a}\n{keys}\n"), &["1 user a", "2 user twice"], &[]);
    let escaped = r#"{"\u0074ype":"mess\u0061ge","id":"\u0062","parentId":"\u0061","message":{"role":"us\u0065r","content":"x"}}"#;
    let session = check(format!("{HEADER}\n{a}\n{escaped}\n"), &["1 user a", "2 user x"], &[]);
    assert!(session.contains("b"));
}

#[test]
fn encodings_and_line_endings() {
    let (a, b) = (user("a", None), user("b", Some("a")));
    check(format!("\u{feff}{HEADER}\r\n{a}\r\n{b}\r\n"), A_AND_B, &[]);
    check(format!("{HEADER}\n{a}\n\u{feff}{b}"), A_AND_B, &[]);
    let mut bytes = format!("{HEADER}\n{a}\n").into_bytes();
    bytes.extend(b"{\"type\":\"message\",\"id\":\"b\",\"parentId\":\"a\",\"message\":{\"role\":\"user\",\"content\":\"b\xff\xe2\x82!\"}}\n");
    check(bytes, &["1 user a", "2 user b\u{fffd}\u{fffd}!"], &[]);
    let utf16: Vec<u8> = a.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let session = TempFile::new(utf16).open();
    assert!(rows(&session).is_empty() && !session.rejects().is_empty());
}

/// JSON over several lines is no session: each line is named, nothing is made of them.
#[test]
fn pretty_printed_json() {
    let value: serde_json::Value = serde_json::from_str(&user("a", None)).expect("json");
    let text = serde_json::to_string_pretty(&value).expect("json");
    let session = TempFile::new(&text).open();
    assert_eq!((rows(&session), session.highest_seq(), session.header()), (vec![], 0, None));
    let lines: Vec<u64> = session.rejects().iter().map(|reject| reject.line).collect();
    assert_eq!(lines, (1..=text.lines().count() as u64).collect::<Vec<_>>());
}

/// A session that lost its header shows its entries, in the format that they show.
#[test]
fn without_a_header() {
    let (a, b, c) = (user("a", None), user("b", Some("a")), user("c", Some("a")));
    let session =
        check(format!("{}\n{a}\n{b}\n{c}\n", &HEADER[..30]), &["1 user a", "3 user c"], &[(1, 0, Reason::Damaged)]);
    assert_eq!((session.header(), session.id(), session.current_window()), (None, "", "pcw::root"));
    let old = |text: &str| json!({"type": "message", "message": {"role": "user", "content": text}}).to_string();
    check(format!("{}\n{}\n", old("a"), old("b")), A_AND_B, &[]);
    check("", &[], &[]);
    check("\n\n", &[], &[]);
}

/// A line of 13 MB, in one record and in two, and one that never ends.
#[test]
fn long_lines() {
    let filler = "x".repeat(13 << 20);
    let long = json!({"type": "message", "id": "l", "parentId": "a", "timestamp": "t",
        "message": {"role": "user", "content": filler}});
    let (a, b) = (user("a", None), user("b", Some("l")));
    let file = TempFile::new(format!("{HEADER}\n{a}\n{long}\n{b}\n"));
    let session = file.open();
    assert_eq!(session.read(2, -3, 9).expect("read").start, filler.len() - 3);
    assert_eq!((session.highest_seq(), session.rejects().len()), (3, 0));
    let long = long.to_string();
    file.write(format!("{HEADER}\n{a}\n{}{b}\n", &long[..long.len() - 9]));
    let session = file.open();
    assert_eq!(rows(&session), ["2 user b"]);
    assert_eq!(session.rejects().len(), 2);
    // Every brace could begin a record; the work on one line is bounded.
    file.write(format!("{HEADER}\n{a}\n{}\n{}\n", "{\"a\":".repeat(100_000), user("b", Some("a"))));
    assert_eq!(rows(&file.open()), A_AND_B);
}

/// Depth is no limit where the value is only passed over.
#[test]
fn deep_json() {
    let depth = 100_000;
    let arguments = format!("{{\"x\":{}{}}}", "[".repeat(depth), "]".repeat(depth));
    let call = format!(
        r#"{{"type":"message","id":"a","parentId":null,"message":{{"role":"assistant","content":[{{"type":"toolCall","name":"t","arguments":{arguments}}}]}}}}"#
    );
    let session = TempFile::new(format!("{HEADER}\n{call}\n")).open();
    assert_eq!(rows(&session)[1], format!("2 tool t {arguments}"));
}
