//! Windows: `history_windows`, and pages of one window.

use serde_json::{Value, json};

use super::desk::{Desk, keys, none};

/// Lines 61 to 63 and 108: the root window, markers, what a marker divides.
#[test]
fn markers_divide_a_session() {
    let mut desk = Desk::with(|log| drop(log.user("one")));
    let root =
        json!({ "window_id": "pcw:12345678:root", "created_at": null, "first_seq": 1, "last_seq": 1, "item_count": 1 });
    let expected = json!({ "session_id": "12345678-live", "windows": [root] });
    assert_eq!(desk.data("history_windows", none()).to_string(), expected.to_string());

    desk.log.assistant("two");
    desk.log.summary("");
    desk.log.marker("w1");
    desk.log.injected("boot");
    desk.log.user("three");
    desk.log.marker("w2");
    // Not a boundary: no id.
    desk.log.entry(json!({ "type": "custom", "customType": "pi-context/reset-marker", "data": { "windowId": "" } }));
    let windows = desk.data("history_windows", none());
    assert_eq!(keys(&windows), ["session_id", "windows"]);
    let row = |id: &str, at: Value, first: Value, last: Value, count: u64| json!({ "window_id": id, "created_at": at, "first_seq": first, "last_seq": last, "item_count": count });
    let expected = json!([
        row("pcw:12345678:root", Value::Null, json!(1), json!(3), 3),
        row("w1", json!("2026-01-02T00:00:04.000Z"), json!(4), json!(5), 2),
        row("w2", json!("2026-01-02T00:00:07.000Z"), Value::Null, Value::Null, 0),
    ]);
    assert_eq!(windows["windows"], expected);

    // The checkpoint is the old window's, what boots the new one is the new one's.
    let context = |desk: &mut Desk, window: &str| {
        desk.page("history_list", json!({ "window_id": window, "roles": ["context"] })).0
    };
    assert_eq!(context(&mut desk, "pcw:12345678:root"), ["3 context "]);
    assert_eq!(context(&mut desk, "w1"), ["4 context boot"]);
}

/// Line 100.
#[test]
fn the_previous_window() {
    let mut desk = Desk::with(|log| drop(log.user("needle one")));
    let page = || json!({ "window_id": "@previous" });
    let refusal = desk.refused("history_list", page());
    assert_eq!((&refusal["code"], &refusal["window_id"]), (&json!("unknown_window_id"), &json!("@previous")));
    assert_eq!(refusal["known_windows"], json!(["pcw:12345678:root"]));

    desk.log.marker("w1");
    desk.log.user("needle two");
    desk.log.marker("w2");
    desk.log.user("needle three");
    assert_eq!(desk.page("history_list", page()).0, ["2 user needle two"]);
    let found = desk.page("history_search", json!({ "query": "needle", "window_id": "@previous" })).0;
    assert_eq!(found, ["2 user needle two"]);
}

/// Line 102: of many windows the newest that fit.
#[test]
fn many_windows() {
    let mut desk = Desk::with(|log| {
        for number in 0..300 {
            log.marker(&format!("window-{number}"));
        }
    });
    let answer = desk.ok("history_windows", none());
    let page = &answer.structured;
    assert_eq!(keys(page), ["session_id", "windows", "more"]);
    let windows = page["windows"].as_array().expect("windows");
    assert_eq!(page["more"], 301 - windows.len());
    assert_eq!(windows.last().expect("a window")["window_id"], "window-299");
    assert!(
        answer.text.len() + 200 > palimpsest_pi_bridge::BUDGET,
        "{} bytes leave room for one more",
        answer.text.len()
    );

    desk.log.marker(&"w".repeat(40_000));
    desk.log.user("here");
    assert_eq!(desk.refused("history_windows", none())["code"], "output_too_large");
    assert_eq!(desk.refused("history_list", none())["code"], "output_too_large");
    assert_eq!(desk.refused("history_search", json!({ "query": "here" }))["code"], "output_too_large");
    assert_eq!(desk.refused("history_read", json!({ "seq": 1 }))["code"], "output_too_large");
}
