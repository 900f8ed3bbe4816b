//! Search: what matches, where, and which page of it.

use palimpsest_history::{Role, Selection, Session};
use serde_json::json;

use crate::support::{Log, everything, page, with_roles};

fn find(session: &Session, queries: &[&str]) -> Vec<(u64, usize)> {
    let found = session.search(queries, &everything()).expect("search").items;
    found.iter().map(|item| (item.seq, item.offset_chars.expect("a search has offsets"))).collect()
}

/// Lines 58, and 47 for events: all roles, the earliest of several queries, pages as in a listing.
#[test]
fn all_roles_are_searched() {
    let mut log = Log::new();
    log.user("a Needle");
    log.message(json!({"role": "assistant", "content": [{"type": "text", "text": "nEEdle"},
        {"type": "toolCall", "id": "c", "name": "needle-tool", "arguments": {"x": "needle"}}]}));
    log.result("c", "needle-tool", "no");
    log.context("its needle");
    let session = log.session();
    assert_eq!(find(&session, &["needle"]), [(1, 2), (2, 0), (3, 0), (5, 4)]);
    assert_eq!(find(&session, &["nothing", "needle", "a n"]), [(1, 0), (2, 0), (3, 0), (5, 4)]);
    assert_eq!(find(&session, &["nothing"]), []);
    let users = session.search(&["needle"], &with_roles([Role::User])).expect("search");
    assert_eq!(page(&users), (vec!["1 user Needle".into()], None, None));
    let item = &users.items[0];
    assert_eq!((item.truncated, item.total_chars), (true, 8), "what comes before the match is left out");
    let pages = |after| {
        let selection = Selection { limit: 1, after: Some(after), before: Some(5), ..everything() };
        let found = session.search(&["needle"], &selection).expect("search");
        (found.items[0].seq, found.older_before, found.newer_after)
    };
    assert_eq!([pages(0), pages(1), pages(2)], [(1, None, Some(1)), (2, None, Some(2)), (3, None, None)]);
    let newest = session.search(&["needle"], &Selection { limit: 1, ..everything() }).expect("search");
    assert_eq!((newest.items[0].seq, newest.older_before, newest.newer_after), (5, Some(5), None));
    for none in [&[] as &[&str], &["x", ""]] {
        assert_eq!(session.search(none, &everything()).expect_err("no query").code(), "invalid_query");
    }
}

/// Lines 58 and 107, A7.5: folding and forms, with offsets into the text as it is.
#[test]
fn letters_match() {
    for (text, query, offset) in [
        ("x \u{212a}elvin", "KELVIN", Some(2)),
        ("xſ", "S", Some(1)),
        ("ẞ", "ß", Some(0)),
        ("ὈΔΥΣΣΕΎΣ", "ς", Some(3)),
        ("İ", "i", None),
        ("ß", "ss", None),
        ("caf\u{e9} x", "cafe\u{301} X", Some(0)),
        ("xx cafe\u{301} x", "caf\u{e9}", Some(3)),
        ("e\u{301}e\u{301} caf\u{e9}", "cafe\u{301}", Some(5)),
        ("xq\u{344}", "\u{301}", Some(2)),
        ("x\u{958}", "\u{93c}", Some(1)),
        ("a\u{323}\u{307}", "\u{1ea1}\u{307}", Some(0)),
        ("a\u{307}\u{323}", "\u{1ea1}\u{307}", Some(0)),
        ("\u{2126}hm", "ω", Some(0)),
        ("\u{37e}", ";", Some(0)),
        ("\u{1fef}", "`", Some(0)),
        ("\u{f900}", "\u{8c48}", Some(0)),
        ("中文 text", "文", Some(1)),
        ("a\u{212b}b", "\u{e5}", Some(1)),
        ("line\nbreak", "e\nB", Some(3)),
        ("tab\tquote\"back\\slash/", "\t", Some(3)),
        ("tab\tquote\"back\\slash/", "E\"B", Some(8)),
        ("tab\tquote\"back\\slash/", "\\S", Some(14)),
        ("tab\tquote\"back\\slash/", "h/", Some(19)),
        ("😀😀needle", "NEEDLE", Some(2)),
        ("type", "message", None),
        ("type", "content", None),
    ] {
        let mut log = Log::new();
        log.user(text);
        // In a longer session the text lies beside others.
        log.assistant("between");
        let session = log.session();
        let expected: Vec<(u64, usize)> = offset.map(|offset| (1, offset)).into_iter().collect();
        assert_eq!(find(&session, &[query]), expected, "{query:?} in {text:?}");
    }
}

/// Line 59: the preview begins at the match, and a read there gives the same.
#[test]
fn a_preview_begins_at_the_match() {
    let text = format!("{}needle and more", "😀İ".repeat(1000));
    let mut log = Log::new();
    log.user(&text);
    let session = log.session();
    let found = session.search(&["NEEDLE"], &Selection { max_chars: 10, ..everything() }).expect("search");
    let item = &found.items[0];
    assert_eq!((item.offset_chars, item.total_chars, item.truncated), (Some(2000), 2015, true));
    assert_eq!(item.content, "needle and");
    assert_eq!(session.read(1, 2000, 10).expect("read").text, "needle and");
}

/// Text that stands in no record: separators, names and notices of our own, arguments spelled otherwise.
#[test]
fn text_of_our_own_is_found() {
    let mut log = Log::new();
    log.line(r#"{"type":"message","id":"a","parentId":null,"message":{"role":"assistant","content":[{"type":"toolCall","id":"1","name":"read","arguments":{ "n" : 1.0, "list": [ 1, 2 ], "x": "\u0041\/b" }},{"type":"toolCall","id":"2"}]}}"#);
    log.go("a");
    log.result("1", "read", "out");
    log.message(json!({"role": "toolResult", "toolCallId": "9", "content": "lost"}));
    log.message(json!({"role": "bashExecution", "command": "pwd", "output": "/"}));
    let session = log.session();
    for (query, expected) in [
        ("--- OUTPUT", &[(2, 36), (5, 11), (6, 23)][..]),
        ("put -", &[(2, 43), (5, 18), (6, 30)]),
        ("ut", &[(2, 41), (5, 16), (6, 28)]),
        ("unknown", &[(3, 0), (5, 0)]),
        ("{\"n\":1,", &[(2, 5)]),
        ("[1,2]", &[(2, 19)]),
        ("A/B", &[(2, 30)]),
        ("read {", &[(2, 0)]),
        ("{}", &[(3, 8), (5, 8)]),
        ("command", &[(6, 7)]),
    ] {
        assert_eq!(find(&session, &[query]), expected, "{query:?}");
    }
}

/// A record may spell what an event says in many ways; each is found as the event says it.
#[test]
fn spellings_of_a_record() {
    for (arguments, query, offset) in [
        (r#"{"x":"a\u000ab\u0009\u000C"}"#, r"a\nb\t\f", 8),
        (r#"{"x":"a\u000ab"}"#, "nb", 10),
        (r#"{"x":"\u001Bm"}"#, r"\u001bM", 8),
        (r#"{"x":-0,"y":[-0,1]}"#, "0,1]", 14),
        (r#"{"x":-0,"y":[-0,1]}"#, r#"x":0,"#, 4),
        (r#"{"x": [1, 2]}"#, "[1,2]", 7),
        (r#"{"x" :true}"#, r#"":true"#, 5),
        (r#"{"x":1e2}"#, ":100}", 6),
        (r#"{"x":1}"#, "t {", 0),
        (r#"{"x":[]}"#, ":[]}", 6),
        (r#"[1]"#, "t [1", 0),
        (r#""a""#, "t \"A", 0),
        ("true", "t true", 0),
        (r#"{"u":"http://x/y"}"#, "HTTP://X/Y", 8),
        (r#"{"u":"http:\/\/x\/y"}"#, "HTTP://X/Y", 8),
        (r#"{"u":"\u006eeedle"}"#, "needle", 8),
    ] {
        let mut log = Log::new();
        log.line(&format!(
            r#"{{"type":"message","id":"a","parentId":null,"message":{{"role":"assistant","content":[{{"type":"toolCall","name":"t","arguments":{arguments}}}]}}}}"#
        ));
        assert_eq!(find(&log.session(), &[query]), [(2, offset)], "{query} in {arguments}");
    }
    // The separator stands in no record.
    let mut log = Log::new();
    log.calls(&[("c", "t", json!({}))]);
    log.result("c", "t", "x");
    for query in ["--- OUTPUT", "put -", "中", "ut"] {
        let expected: &[_] = if query == "中" { &[] } else { &[2] };
        let found: Vec<u64> = find(&log.session(), &[query]).into_iter().map(|(seq, _)| seq).collect();
        assert_eq!(found, expected, "{query}");
    }
    // A text of the user's that looks like it does not need it.
    let mut log = Log::new();
    log.user("my output");
    log.user("no");
    let users = log.session().search(&["OUTPUT"], &with_roles([Role::User])).expect("search");
    assert_eq!(page(&users).0, ["1 user output"]);
}

/// A result may lie far behind its call, and beyond the bounds of a search.
#[test]
fn results_far_away_are_found() {
    let mut log = Log::new();
    log.calls(&[("c", "t", json!({})), ("d", "t", json!({}))]);
    for _ in 0..4 {
        log.user(&"x".repeat(1 << 20));
    }
    log.result("c", "t", "a needle");
    log.result("d", "t", "nothing");
    let session = log.session();
    for (before, after) in [(None, None), (None, Some(0)), (Some(4), None), (Some(4), Some(1))] {
        let selection = Selection { before, after, limit: 1, ..everything() };
        let found = session.search(&["NEEDLE"], &selection).expect("search").items;
        assert_eq!(found.iter().map(|item| item.seq).collect::<Vec<_>>(), [2], "{before:?} {after:?}");
    }
}

/// The cache changes no answer, whatever its size, nor does growth between searches.
#[test]
fn a_repeated_search_says_the_same() {
    use palimpsest_history::Options;
    let mut log = Log::new();
    for number in 0..300 {
        let quoted = if number % 50 == 0 { "\u{1b}[0m \"quoted\" \u{f900}" } else { "" };
        log.user(&format!("message {number} {quoted}{}", "filler ".repeat(1300)));
        if number % 50 == 7 {
            log.calls(&[("c", "read", json!({"path": format!("needle {number} é")}))]);
            log.result("c", "read", "an answer");
        }
    }
    let queries: [&[&str]; 6] =
        [&["needle"], &["\u{8c48}"], &["\"QUOTED\""], &["É"], &["message 29"], &["an answer", "needle 7"]];
    let once = |session: &Session| queries.map(|queries| find(session, queries));
    let expected = once(&log.session());
    assert_eq!(expected.each_ref().map(Vec::len), [6, 6, 6, 6, 11, 6]);
    for cache_bytes in [0, 1_500_000, usize::MAX] {
        let mut session = Session::from_entries_with(&log.text(), Options { cache_bytes });
        for _ in 0..3 {
            assert_eq!(once(&session), expected, "{cache_bytes}");
        }
        session.append(r#"{"type":"message","id":"z","parentId":null,"message":{"role":"user","content":"needle"}}"#);
        assert_eq!(find(&session, &["needle"]).len(), 1, "another branch");
    }
}
