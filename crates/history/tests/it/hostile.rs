//! Sessions made to mislead or to take long: what stands inside of records stays there, and the work stays in proportion
//! to the bytes.

use std::fmt::Write;
use std::time::{Duration, Instant};

use palimpsest_history::{Leaf, Reason, Refresh, Selection, Session};
use serde_json::json;

use crate::support::{Log, TempFile, everything, rows};

const HEADER: &str = r#"{"type":"session","version":3,"id":"12345678"}"#;

/// What takes a fraction of it takes many times as long where the work grows with the square of the size.
const SOON: Duration = Duration::from_secs(10);

#[track_caller]
fn soon<T>(work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = work();
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
    result
}

fn reasons(session: &Session) -> Vec<(u64, Reason)> {
    session.rejects().iter().map(|reject| (reject.line, reject.reason)).collect()
}

/// Line 96: a record that is being written may hold what looks like one. Nothing of it is read before it is complete.
#[test]
fn a_record_inside_of_one_that_is_being_written() {
    let mut log = Log::new();
    log.user("one");
    let before = log.text();
    let inner = json!({"type": "message", "id": "x", "timestamp": "t", "message": {"role": "user", "content": "in"}});
    log.calls(&[("c", "log", json!({"entries": [inner], "then": "more"}))]);
    log.user("two");
    let text = log.text();
    let whole = log.session();
    for cut in before.len() + 1..text.len() {
        let file = TempFile::new(&text.as_bytes()[..cut]);
        let mut session = file.open();
        assert!(!session.contains("x"), "{cut}");
        file.append(&text.as_bytes()[cut..]);
        assert_eq!(session.refresh().expect("refresh"), Refresh::Appended);
        assert_eq!((rows(&session), session.rejects()), (rows(&whole), vec![]), "{cut}");
    }
    // The same behind damage on the line.
    let line = text[before.len()..].lines().next().expect("a line");
    let file = TempFile::new(format!("{before}nonsense {}", &line[..line.len() - 9]));
    let mut session = file.open();
    assert_eq!(rows(&session), ["1 user one"]);
    assert_eq!(reasons(&session), [(3, Reason::Damaged), (3, Reason::Torn)]);
    file.append(&line[line.len() - 9..]);
    session.refresh().expect("refresh");
    assert_eq!((rows(&session), reasons(&session)), (rows(&whole)[..3].to_vec(), vec![(3, Reason::Damaged)]));
}

/// Line 96: a list is no record, and what is in it is none either.
#[test]
fn a_list_of_records_is_no_record() {
    let entry = json!({"type": "message", "id": "x", "timestamp": "t", "message": {"role": "user", "content": "in"}});
    let mut log = Log::new();
    log.user("one");
    log.line(&format!("[{entry},{entry}]"));
    log.line(&json!({"entries": [entry]}).to_string());
    log.line(&format!("[{entry}"));
    let session = log.session();
    assert_eq!(rows(&session), ["2 user in"], "that of the broken line alone, which no seq precedes but the first");
    assert_eq!(reasons(&session), [(3, Reason::NotARecord), (4, Reason::NotARecord), (5, Reason::Damaged)]);
}

/// Line 96: a leaf that was set goes on as the record that counts.
#[test]
fn a_leaf_that_is_written_again() {
    let mut log = Log::new();
    log.user("one");
    let leaf = log.user("two");
    log.user("three");
    let mut session = log.session();
    session.set_leaf(Leaf::Entry(&leaf)).expect("it exists");
    let again =
        json!({"type": "message", "id": leaf, "parentId": "e1", "message": {"role": "user", "content": "again"}});
    session.append(&again.to_string());
    assert_eq!(rows(&session), ["1 user one", "4 user again"]);
    let tips: Vec<_> = session.tips().expect("read").into_iter().map(|tip| (tip.seq, tip.active)).collect();
    assert_eq!(tips, [(3, false)], "the third is the child of what was written again");
}

#[test]
fn many_strings_in_one_call() {
    let mut log = Log::new();
    log.calls(&[("c", "t", json!(vec!["ab\n"; 500_000]))]);
    let session = Session::from_entries(&log.text());
    assert_eq!(soon(|| session.read(2, -3, 9)).expect("read").text, "n\"]");
}

#[test]
fn many_windows_of_one_name() {
    const WINDOWS: usize = 50_000;
    let mut text = HEADER.to_owned();
    let mut parent = "null".to_owned();
    for number in 0..WINDOWS {
        write!(
            text,
            r#"
{{"type":"custom","customType":"pi-context/reset-marker","data":{{"windowId":"w"}},"id":"m{number}","parentId":{parent}}}
{{"type":"message","message":{{"role":"user","content":"x"}},"id":"u{number}","parentId":"m{number}"}}"#
        )
        .expect("memory");
        parent = format!("\"u{number}\"");
    }
    let session = Session::from_entries(&text);
    let selection = Selection { window: Some("w".into()), ..everything() };
    assert_eq!(soon(|| session.list(&selection)).expect("list").items.len(), WINDOWS);
    assert_eq!(soon(|| session.search(&["y"], &selection)).expect("search").items.len(), 0);
}

#[test]
fn one_id_again_and_again() {
    const TIMES: usize = 50_000;
    let mut text = HEADER.to_owned();
    for number in 0..TIMES {
        write!(
            text,
            r#"
{{"type":"custom","id":"same","parentId":null}}
{{"type":"custom","id":"child-{number}","parentId":"same"}}"#
        )
        .expect("memory");
    }
    let mut session = Session::from_entries(&text);
    assert_eq!(soon(|| session.tips()).expect("tips").len(), TIMES);
    soon(|| session.set_leaf(Leaf::Entry("child-0"))).expect("it exists");
    assert_eq!(session.rejects().len(), TIMES - 1);
}

/// Ids of eight bytes that crowd one place of a table whose hash is only a known multiplication, as that of `rustc-hash` is.
#[test]
fn ids_that_would_collide() {
    const IDS: usize = 100_000;
    const FACTOR: u64 = 0xf135_7aea_2e62_a9c5;
    let inverse = (0..6).fold(FACTOR, |x, _| x.wrapping_mul(2_u64.wrapping_sub(FACTOR.wrapping_mul(x))));
    let plain = |bytes: &[u8; 8]| bytes.iter().all(|&byte| byte >= b' ' && byte != b'"' && byte != b'\\');
    let ids = (1..).map(|hash: u64| hash.wrapping_mul(inverse).to_le_bytes()).filter(plain).take(IDS);
    let mut text = HEADER.as_bytes().to_vec();
    for id in ids {
        text.extend(b"\n{\"type\":\"custom\",\"parentId\":null,\"id\":\"");
        text.extend(id);
        text.extend(b"\"}");
    }
    let session = soon(|| TempFile::new(&text).open());
    assert_eq!((session.tips().expect("read").len(), session.rejects()), (IDS, vec![]));
}

/// Ids are told apart to the last byte, those of eight zeros too.
#[test]
fn ids_that_are_alike() {
    let mut log = Log::new();
    for id in ["\0\0\0\0\0\0\0\0", "\u{1}\0\0\0\0\0\0\0", "\0\0\0\0\0\0\0", "\0\0\0\0\0\0\0\0\0"] {
        log.entry(json!({"type": "message", "id": id, "message": {"role": "user", "content": "x"}}));
    }
    let session = log.session();
    assert_eq!((rows(&session).len(), session.rejects()), (4, vec![]));
}

/// Line 96: a parent that comes late is no parent of what has been written again meanwhile.
#[test]
fn a_parent_that_comes_too_late() {
    let user = |id: &str, parent: Option<&str>, text: &str| {
        let message = json!({"role": "user", "content": text});
        json!({"type": "message", "id": id, "parentId": parent, "message": message}).to_string()
    };
    let lines = [
        HEADER.to_owned(),
        user("a", None, "a"),
        user("x", Some("late"), "x"),
        user("child", Some("x"), "child"),
        user("x", Some("a"), "again"),
        user("late", None, "late"),
    ];
    let mut session = Session::from_entries(&lines.join("\n"));
    session.set_leaf(Leaf::Entry("child")).expect("it exists");
    assert_eq!(rows(&session), ["1 user a", "3 user child", "4 user again"]);
    assert_eq!(reasons(&session), [(3, Reason::DuplicateId)]);
}

/// A file that was rewritten in place to the same size, far from its ends, is noticed by its time.
#[test]
fn the_same_size_is_not_the_same_file() {
    let text = |word: &str| {
        let mut log = Log::new();
        for said in [&"x".repeat(9000), word, &"y".repeat(9000)] {
            log.user(said);
        }
        log.text()
    };
    let file = TempFile::new(text("one"));
    let mut session = file.open();
    file.write(text("two"));
    let later = std::time::SystemTime::now() + Duration::from_secs(5);
    let opened = std::fs::OpenOptions::new().write(true).open(file.path()).expect("open");
    opened.set_modified(later).expect("set the time");
    assert_eq!(session.refresh().expect("refresh"), Refresh::Reread);
    assert_eq!(session.search(&["two"], &everything()).expect("search").items[0].seq, 2);
    assert_eq!(session.refresh().expect("refresh"), Refresh::Unchanged);
}
