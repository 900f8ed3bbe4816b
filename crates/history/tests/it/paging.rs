//! Pages, folds and anchors.

use palimpsest_history::{Page, Role, Selection, Session, Verdict};
use serde_json::json;

use crate::support::{Log, everything, page, with_roles};

type Shown = (Vec<String>, Option<u64>, Option<u64>);

fn shown(rows: &[&str], older: Option<u64>, newer: Option<u64>) -> Shown {
    (rows.iter().map(ToString::to_string).collect(), older, newer)
}

fn list(session: &Session, selection: Selection) -> Shown {
    page(&session.list(&selection).expect("list"))
}

fn limit(limit: usize) -> Selection {
    Selection { limit, ..everything() }
}

/// Line 52: anchors lead through the conversation, and appends do not disturb older pages.
#[test]
fn anchors_lead_through_the_conversation() {
    let mut log = Log::new();
    for number in 1..=5 {
        log.user(&number.to_string());
    }
    let mut session = log.session();
    let newest = shown(&["4 user 4", "5 user 5"], Some(4), None);
    let middle = shown(&["2 user 2", "3 user 3"], Some(2), None);
    let oldest = shown(&["1 user 1"], None, None);
    assert_eq!(list(&session, limit(2)), newest);
    for id in ["e6", "e7"] {
        assert_eq!(list(&session, Selection { before: Some(4), ..limit(2) }), middle);
        assert_eq!(list(&session, Selection { before: Some(2), ..limit(2) }), oldest);
        let entry = json!({"type": "message", "id": id, "parentId": "e5", "message": {"role": "user", "content": id}});
        session.append(&entry.to_string());
    }
    assert_eq!(
        list(&session, Selection { after: Some(0), ..limit(2) }),
        shown(&["1 user 1", "2 user 2"], None, Some(2))
    );
    assert_eq!(list(&session, Selection { after: Some(4), ..limit(2) }), shown(&["5 user 5", "7 user e7"], None, None));
    // A bounded range in three pages.
    let between = |after| Selection { after: Some(after), before: Some(6), ..limit(2) };
    assert_eq!(list(&session, between(0)), shown(&["1 user 1", "2 user 2"], None, Some(2)));
    assert_eq!(list(&session, between(2)), shown(&["3 user 3", "4 user 4"], None, Some(4)));
    assert_eq!(list(&session, between(4)), shown(&["5 user 5"], None, None));
    for (after, before) in [(3, 4), (9, 20), (5, 2), (u64::MAX, u64::MAX)] {
        let nothing = Selection { after: Some(after), before: Some(before), ..everything() };
        assert_eq!(list(&session, nothing), shown(&[], None, None));
    }
    assert_eq!(list(&session, limit(0)), shown(&[], None, None));
}

/// Lines 53 and 103: what is folded, and where fold rows stand.
#[test]
fn the_rest_is_folded() {
    let mut log = Log::new();
    log.context("boot");
    log.user("go");
    log.calls(&[("1", "read", json!({})), ("2", "ls", json!({}))]);
    log.result("1", "read", "x");
    log.result("2", "ls", "y");
    log.context("injected");
    log.calls(&[("3", "read", json!({}))]);
    log.assistant("done");
    log.message(json!({"role": "bashExecution", "command": "x", "output": "y"}));
    let session = log.session();
    let before = "fold 1-1 1 []";
    let between = "fold 4-10 4 [read:2 ls:1]";
    let after = "fold 12-12 1 [bash:1]";
    assert_eq!(
        list(&session, everything()),
        shown(&[before, "2 user go", between, "11 assistant done", after], None, None)
    );
    // Every fold is on one page only, whichever way.
    assert_eq!(list(&session, limit(1)), shown(&["11 assistant done", after], Some(11), None));
    assert_eq!(
        list(&session, Selection { before: Some(11), ..limit(1) }),
        shown(&[before, "2 user go", between], None, None)
    );
    assert_eq!(list(&session, Selection { after: Some(0), ..limit(1) }), shown(&[before, "2 user go"], None, Some(2)));
    assert_eq!(
        list(&session, Selection { after: Some(2), ..limit(1) }),
        shown(&[between, "11 assistant done", after], None, None)
    );
    // Bounds cut them; a range without conversation is one row.
    let range = Selection { after: Some(4), before: Some(8), ..everything() };
    assert_eq!(list(&session, range), shown(&["fold 5-5 1 [ls:1]"], None, None));
    // With roles nothing is folded, and empty texts are shown.
    assert_eq!(
        list(&session, with_roles([Role::Assistant])),
        shown(&["3 assistant ", "9 assistant ", "11 assistant done"], None, None)
    );
    assert_eq!(list(&session, with_roles([])), shown(&[], None, None));
}

/// Lines 53 and 64: previews are plain prefixes in code points.
#[test]
fn previews() {
    let mut log = Log::new();
    log.user("é😀x");
    let session = log.session();
    for (max_chars, content, truncated) in
        [(0, "", true), (1, "é", true), (2, "é😀", true), (3, "é😀x", false), (9, "é😀x", false)]
    {
        let listed = session.list(&Selection { max_chars, ..everything() }).expect("list");
        let item = &listed.items[0];
        assert_eq!((item.content.as_str(), item.truncated, item.total_chars), (content, truncated, 3));
        assert_eq!(item.offset_chars, None);
    }
}

/// C8: a page that is full ends with anchors and folds that are right for what is on it.
#[test]
fn a_full_page_is_exact() {
    let mut log = Log::new();
    for number in 1..=4 {
        log.user(&format!("u{number}"));
        log.calls(&[("x", "read", json!({}))]);
    }
    // Users have 1, 4, 7, 10; calls 3, 6, 9, 12.
    let session = log.session();
    let room = |rows: usize| move |page: &Page| if page.items.len() > rows { Verdict::Stop } else { Verdict::Keep };
    let fold = |seq: u64| format!("fold {seq}-{seq} 1 [read:1]");
    let take = |selection: &Selection, rows| page(&session.list_while(selection, room(rows)).expect("list"));
    assert_eq!(take(&everything(), 2), shown(&["7 user u3", &fold(9), "10 user u4", &fold(12)], Some(7), None));
    assert_eq!(take(&Selection { before: Some(7), ..everything() }, 2), {
        shown(&["1 user u1", &fold(3), "4 user u2", &fold(6)], None, None)
    });
    // The last candidate would have brought the fold at the far edge along.
    assert_eq!(take(&Selection { after: Some(1), ..everything() }, 2), {
        shown(&[&fold(3), "4 user u2", &fold(6), "7 user u3"], None, Some(7))
    });
    assert_eq!(take(&everything(), 0), shown(&[], None, None));
    // The first may be kept although it does not fit.
    let mut asked = 0;
    let kept = session.list_while(&everything(), |page| {
        asked += 1;
        if page.items.len() == 1 { Verdict::KeepAndStop } else { Verdict::Stop }
    });
    assert_eq!(page(&kept.expect("list")), shown(&["10 user u4", &fold(12)], Some(10), None));
    assert_eq!(asked, 1);
    // Each look at the page is a look at what would be delivered.
    let mut looks = Vec::new();
    let done = session.list_while(&limit(2), |page| {
        looks.push(page.clone());
        Verdict::Keep
    });
    assert_eq!(looks.last(), Some(&done.expect("list")));
    assert_eq!(page(&looks[0]), shown(&["10 user u4", &fold(12)], Some(10), None));
    let mut asked = false;
    session
        .list_while(&Selection { before: Some(1), ..everything() }, |_| {
            asked = true;
            Verdict::Keep
        })
        .expect("list");
    assert!(!asked, "nothing to ask about");
}
