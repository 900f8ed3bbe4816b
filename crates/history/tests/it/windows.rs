//! Windows and their markers.

use palimpsest_history::{Role, Selection, Window};
use serde_json::json;

use crate::support::{Log, ROOT, all, everything, page, with_roles};

fn window(id: &str, first: Option<u64>, last: Option<u64>, items: u64) -> Window {
    let created_at = (id != ROOT).then(|| format!("time of {id}"));
    Window { id: id.into(), created_at, first_seq: first, last_seq: last, items }
}

/// Lines 61, 62, 108: what bounds a window, and what its figures are.
#[test]
fn markers_bound_windows() {
    let mut log = Log::new();
    log.user("one");
    log.calls(&[("c", "t", json!({}))]);
    log.result("c", "t", "out");
    log.entry(json!({"type": "compaction", "summary": "", "details": {"windowId": "no"}}));
    let fork = log.marker("w1");
    log.entry(json!({"type": "custom_message", "customType": "pi-context/boot", "content": "boot"}));
    log.user("in w1");
    let broken = [
        json!({"type": "custom", "customType": "pi-context/reset-marker"}),
        json!({"type": "custom", "customType": "pi-context/reset-marker", "data": {"windowId": ""}}),
        json!({"type": "custom", "customType": "pi-context/reset-marker", "data": {"windowId": 5}}),
        json!({"type": "custom", "customType": "pi-context/reset-marker", "data": ["windowId"]}),
        json!({"type": "custom", "customType": "pi-context/other", "data": {"windowId": "no"}}),
        json!({"type": "custom_message", "customType": "pi-context/reset-marker", "data": {"windowId": "no"}}),
        json!({"type": "compaction", "customType": "pi-context/reset-marker", "data": {"windowId": "no"}}),
    ];
    for entry in broken {
        log.entry(entry);
    }
    log.marker("any text");
    let session = log.session();
    let expected =
        [window(ROOT, Some(1), Some(5), 4), window("w1", Some(6), Some(9), 4), window("any text", None, None, 0)];
    assert_eq!(session.windows(), expected);
    assert_eq!((session.current_window(), session.previous_window()), ("any text", Some("w1")));
    let boundary: Vec<_> = all(&session).into_iter().map(|item| (item.seq, item.role, item.window_id)).collect();
    assert_eq!(boundary[3], (5, Role::Context, ROOT.to_owned()), "the checkpoint is in the old window");
    assert_eq!(boundary[4], (6, Role::Context, "w1".to_owned()), "the boot in the new one");

    // A marker on another branch bounds nothing here.
    log.go(&fork);
    log.user("on another branch");
    assert_eq!(log.session().windows(), [window(ROOT, Some(1), Some(5), 4), window("w1", Some(10), Some(10), 1)]);
}

/// Line 100 and the filter by window.
#[test]
fn a_window_can_be_asked_for() {
    let mut log = Log::new();
    log.user("root needle");
    let refused = log.session().list(&in_window("@previous")).expect_err("in the root window");
    assert_eq!(refused.code(), "unknown_window_id");
    log.marker("w1");
    log.user("first needle");
    log.assistant("w1");
    log.marker("w2");
    log.user("second needle");
    let session = log.session();
    for (asked, expected) in [
        ("@previous", &["2 user first needle", "3 assistant w1"][..]),
        ("w1", &["2 user first needle", "3 assistant w1"]),
        (ROOT, &["1 user root needle"]),
        ("w2", &["4 user second needle"]),
    ] {
        let listed = session.list(&in_window(asked)).expect("list");
        assert_eq!(page(&listed), (expected.iter().map(ToString::to_string).collect(), None, None), "{asked}");
        let found = session.search(&["needle"], &in_window(asked)).expect("search");
        assert_eq!(found.items.len(), 1, "{asked}");
    }
    let refused = session.search(&["needle"], &in_window("w3")).expect_err("no such window");
    assert_eq!(refused.to_string(), format!("unknown window \"w3\"; the newest of 3 known: {ROOT}, w1, w2"));
    // A window without events, and bounds that leave nothing of one.
    log.marker("empty");
    let session = log.session();
    assert_eq!(page(&session.list(&in_window("empty")).expect("list")), (vec![], None, None));
    let below = Selection { before: Some(2), ..in_window("w1") };
    assert_eq!(page(&session.list(&below).expect("list")), (vec![], None, None));
}

/// C2: two markers with the same id are one window to a filter.
#[test]
fn windows_may_share_an_id() {
    let mut log = Log::new();
    log.marker("w");
    log.user("a");
    log.marker("v");
    log.user("b");
    log.marker("w");
    log.user("c");
    let listed = log.session().list(&Selection { window: Some("w".into()), ..with_roles([Role::User]) }).expect("list");
    assert_eq!(page(&listed).0, ["1 user a", "3 user c"]);
}

/// Line 63: the root window's id has the first eight characters of the session's.
#[test]
fn the_root_window() {
    for (id, root) in
        [("12345678-rest", "pcw:12345678:root"), ("ab", "pcw:ab:root"), ("ééééééééé", "pcw:éééééééé:root")]
    {
        let session = palimpsest_history::Session::from_entries(&json!({"type": "session", "id": id}).to_string());
        assert_eq!(session.windows(), [window_of(root)]);
    }
}

fn window_of(id: &str) -> Window {
    Window { id: id.into(), created_at: None, first_seq: None, last_seq: None, items: 0 }
}

fn in_window(id: &str) -> Selection {
    Selection { window: Some(id.into()), ..everything() }
}
