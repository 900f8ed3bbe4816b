//! `history_list` and `history_search`: which rows, folds, anchors, budget.

use palimpsest_pi_bridge::BUDGET;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::desk::{Desk, keys, none, short};
use super::log::Log;

/// A conversation of that many messages, `m1` and so on.
fn messages(log: &mut Log, count: usize) {
    for number in 1..=count {
        let text = format!("m{number}");
        if number % 2 == 1 {
            log.user(&text)
        } else {
            log.assistant(&text)
        };
    }
}

fn rows(numbers: impl IntoIterator<Item = usize>) -> Vec<String> {
    let row = |n| format!("{n} {} m{n}", if n % 2 == 1 { "user" } else { "assistant" });
    numbers.into_iter().map(row).collect()
}

/// Line 52: the newest page, pages by `before` and `after`, a bounded range in three pages; appends disturb no older page.
#[test]
fn anchors_lead_from_page_to_page() {
    let mut desk = Desk::with(|log| messages(log, 10));
    let null = || Value::Null;
    assert_eq!(desk.page("history_list", none()), (rows(1..=10), null(), null()));
    assert_eq!(desk.page("history_list", json!({ "limit": 3 })), (rows(8..=10), json!(8), null()));
    let older = || json!({ "limit": 3, "before": 8 });
    assert_eq!(desk.page("history_list", older()), (rows(5..=7), json!(5), null()));
    assert_eq!(desk.page("history_list", json!({ "limit": 3, "after": 7 })), (rows(8..=10), null(), null()));
    assert_eq!(desk.page("history_list", json!({ "limit": 20, "before": 3 })), (rows(1..=2), null(), null()));
    let bounded = |after: u64| json!({ "limit": 2, "after": after, "before": 8 });
    assert_eq!(desk.page("history_list", bounded(2)), (rows(3..=4), null(), json!(4)));
    assert_eq!(desk.page("history_list", bounded(4)), (rows(5..=6), null(), json!(6)));
    assert_eq!(desk.page("history_list", bounded(6)), (rows(7..=7), null(), null()));
    assert_eq!(desk.page("history_list", json!({ "after": 5, "before": 6 })), (vec![], null(), null()));

    messages(&mut desk.log, 2);
    assert_eq!(desk.page("history_list", older()), (rows(5..=7), json!(5), null()));
}

/// Lines 53 and 54: what the conversation view folds, and what the roles open.
#[test]
fn runs_of_tools_and_context_are_folded() {
    let mut desk = Desk::with(|log| {
        log.user("go");
        log.calls("", &[("a", "read", json!({ "path": "x" })), ("b", "read", json!({})), ("c", "edit", json!({}))]);
        log.result("a", "read", "text of x", false);
        log.injected("by the way");
        log.assistant("done");
        log.summary("all in all");
    });
    let page = desk.data("history_list", none());
    assert_eq!(keys(&page), ["items", "older_before", "newer_after"]);
    let event = |seq: u64, role: &str, entry: u64, content: &str| {
        json!({
            "seq": seq, "window_id": "pcw:12345678:root", "role": role, "created_at": format!("2026-01-02T00:00:0{entry}.000Z"),
            "truncated": false, "total_chars": content.len(), "content": content,
        })
    };
    let expected = json!([
        event(1, "user", 1, "go"),
        { "folded": true, "first_seq": 3, "last_seq": 7, "count": 4, "tools": { "read": 2, "edit": 1 } },
        event(8, "assistant", 5, "done"),
        { "folded": true, "first_seq": 9, "last_seq": 9, "count": 1, "tools": {} },
    ]);
    assert_eq!(page["items"].to_string(), expected.to_string(), "the order of keys is part of the format");

    let only_hidden = desk.page("history_list", json!({ "after": 2, "before": 8 }));
    assert_eq!(only_hidden, (vec!["3-7×4".into()], Value::Null, Value::Null));
    let opened = desk.page("history_list", json!({ "after": 2, "before": 8, "roles": ["tool", "context"] }));
    let rows = [
        "3 tool read {\"path\":\"x\"}\n--- output ---\ntext of x",
        "4 tool read {}",
        "5 tool edit {}",
        "7 context by the way",
    ];
    assert_eq!(opened.0, rows);
    // Line 57, and an answer without text, which the conversation view does not show.
    assert_eq!(desk.page("history_list", json!({ "roles": ["assistant"] })).0, ["2 assistant ", "8 assistant done"]);
    assert_eq!(desk.page("history_list", json!({ "roles": ["context"], "after": 7 })).0, ["9 context all in all"]);
}

/// Line 103: a fold names 20 tools with names of at most 120 code points, and counts the others.
#[test]
fn a_fold_names_the_first_tools() {
    let name = |n: usize| format!("tool{n}");
    let mut desk = Desk::with(|log| {
        let mut calls: Vec<(String, String)> = (0..25).map(|n| (format!("c{n}"), name(n))).collect();
        calls.insert(3, ("long".into(), "水".repeat(121)));
        calls.push(("again".into(), name(0)));
        let calls: Vec<_> = calls.iter().map(|(id, tool)| (id.as_str(), tool.as_str(), json!({}))).collect();
        log.calls("go", &calls);
    });
    let fold = desk.data("history_list", none())["items"][1].clone();
    assert_eq!((&fold["count"], &fold["omitted_tools"]), (&json!(27), &json!(6)));
    assert_eq!(keys(&fold["tools"]), (0..20).map(name).collect::<Vec<_>>());
    assert_eq!(fold["tools"]["tool0"], 2);
    assert_eq!(keys(&fold), ["folded", "first_seq", "last_seq", "count", "tools", "omitted_tools"]);

    let mut desk = Desk::with(|log| drop(log.calls("go", &[("a", &"水".repeat(120), json!({}))])));
    let fold = desk.data("history_list", none())["items"][1].clone();
    assert_eq!((keys(&fold["tools"]), fold.get("omitted_tools")), (vec!["水".repeat(120).as_str()], None));
}

/// Line 58, line 107: every role is searched, or those asked for; every hit has its offset; bounds page.
#[test]
fn a_search_covers_every_role() {
    let mut desk = Desk::with(|log| {
        log.user("the Needle");
        log.calls("a needle", &[("a", "needle_tool", json!({ "x": "needle" }))]);
        log.result("a", "needle_tool", "café NEEDLE", false);
        log.injected("needle");
        log.summary("no such thing");
        log.user("cafe\u{301}");
    });
    let page = desk.data("history_search", json!({ "query": "needle" }));
    let hits: Vec<_> =
        page["items"].as_array().expect("items").iter().map(|hit| (short(hit), hit["offset_chars"].clone())).collect();
    let expected = [
        ("1 user Needle", 4),
        ("2 assistant needle", 2),
        ("3 tool needle_tool {\"x\":\"needle\"}\n--- output ---\ncafé NEEDLE", 0),
        ("5 context needle", 0),
    ];
    assert_eq!(hits, expected.map(|(row, offset)| (row.to_owned(), json!(offset))));
    assert_eq!((&page["items"][0]["truncated"], &page["items"][3]["truncated"]), (&json!(true), &json!(false)));
    assert_eq!(page["items"][0]["total_chars"], 10);

    let search = |more: Value| {
        let mut params = json!({ "query": ["needle", "nowhere"], "limit": 2 });
        params.as_object_mut().expect("object").extend(more.as_object().expect("object").clone());
        params
    };
    let mut seqs = |more: Value| {
        let page = desk.data("history_search", search(more));
        let seqs: Vec<_> = page["items"].as_array().expect("items").iter().map(|hit| hit["seq"].clone()).collect();
        json!([seqs, page["older_before"], page["newer_after"]])
    };
    assert_eq!(seqs(none()), json!([[3, 5], 3, null]));
    assert_eq!(seqs(json!({ "before": 3 })), json!([[1, 2], null, null]));
    assert_eq!(seqs(json!({ "roles": ["tool", "context"] })), json!([[3, 5], null, null]));
    assert_eq!(seqs(json!({ "after": 1, "before": 5, "limit": 1 })), json!([[2], null, 2]));
    assert_eq!(seqs(json!({ "after": 2, "before": 5, "limit": 1 })), json!([[3], null, null]));
    assert_eq!(seqs(json!({ "query": "no such word at all" })), json!([[], null, null]));

    for query in ["CAFÉ", "CAFE\u{301}"] {
        let found = desk.page("history_search", json!({ "query": query })).0;
        assert_eq!(found, ["3 tool café NEEDLE", "7 user cafe\u{301}"]);
    }
}

/// Line 64: a page of addresses; and a preview is a plain prefix.
#[test]
fn a_preview_is_a_plain_prefix() {
    let mut desk = Desk::with(|log| drop(log.user("🦀水a")));
    for (limit, content, truncated) in
        [(1, "🦀", true), (2, "🦀水", true), (3, "🦀水a", false), (9_999, "🦀水a", false)]
    {
        let page = desk.data("history_list", json!({ "max_chars_per_item": limit }));
        let item = &page["items"][0];
        let expected = (&json!(content), &json!(truncated), &json!(3));
        assert_eq!((&item["content"], &item["truncated"], &item["total_chars"]), expected);
    }
}

/// C8: there is no largest `limit` and no longest preview.
#[test]
fn numbers_may_be_huge() {
    let mut desk = Desk::with(|log| messages(log, 4));
    let huge = |key: &str| json!({ "query": "m", key: 1e300 });
    for key in ["limit", "max_chars_per_item", "before"] {
        let mut list = huge(key);
        list.as_object_mut().expect("an object").remove("query");
        assert_eq!(desk.page("history_list", list), (rows(1..=4), Value::Null, Value::Null), "{key}");
        assert_eq!(desk.page("history_search", huge(key)), (rows(1..=4), Value::Null, Value::Null), "{key}");
    }
    assert_eq!(desk.page("history_search", huge("after")), (vec![], Value::Null, Value::Null));
}

/// C8: only the very first event is shrunk: its content to the longest prefix that fits; else its tool's name; else both.
#[test]
fn an_event_that_does_not_fit_alone_is_shrunk() {
    let full = |answer: &palimpsest_pi_bridge::Delivery| {
        assert!(answer.text.len() + 8 > BUDGET, "{} bytes are less than can be", answer.text.len());
    };
    let mut desk = Desk::with(|log| {
        log.user("first");
        log.user(&"\"水\u{1}".repeat(20_000));
    });
    let answer = desk.ok("history_list", json!({ "max_chars_per_item": 100_000 }));
    let item = &answer.structured["items"][0];
    assert_eq!((&item["seq"], &item["truncated"], &item["total_chars"]), (&json!(2), &json!(true), &json!(60_000)));
    assert!("\"水\u{1}".repeat(20_000).starts_with(item["content"].as_str().expect("content")));
    assert_eq!(answer.structured["older_before"], 2);
    full(&answer);

    let name = "n".repeat(40_000);
    let list = |chars: usize| json!({ "roles": ["tool"], "max_chars_per_item": chars });
    let mut desk = Desk::with(|log| drop(log.calls("", &[("a", &name, json!({}))])));
    let answer = desk.ok("history_list", list(50));
    let item = &answer.structured["items"][0];
    assert_eq!((&item["content"], &item["truncated"]), (&json!("n".repeat(50)), &json!(true)));
    assert!(item["tool"].as_str().is_some_and(|tool| tool.contains("…[truncated ")), "{item:.200}");
    full(&answer);
    let answer = desk.ok("history_list", list(100_000));
    let item = &answer.structured["items"][0];
    assert_eq!(
        (&item["content"], &item["truncated"], &item["total_chars"]),
        (&json!(""), &json!(true), &json!(40_003))
    );
    full(&answer);
}

/// One step of a random session.
#[derive(Debug, Clone)]
enum Step {
    User(usize),
    Assistant(usize, Vec<usize>),
    Result(usize),
    Injected(usize),
    Marker,
    Back(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let size = || prop_oneof![8 => 0usize..40, 1 => 0usize..3_000, 1 => 0usize..40_000];
    prop_oneof![
        4 => size().prop_map(Step::User),
        4 => (size(), prop::collection::vec(prop_oneof![4 => 1usize..30, 1 => 1usize..40_000], 0..4))
            .prop_map(|(text, calls)| Step::Assistant(text, calls)),
        3 => size().prop_map(Step::Result),
        1 => size().prop_map(Step::Injected),
        1 => Just(Step::Marker),
        1 => (0usize..100).prop_map(Step::Back),
    ]
}

fn play(log: &mut Log, steps: &[Step]) {
    let mut calls = 0;
    for (number, step) in steps.iter().enumerate() {
        let text = |size: usize| "\"水\u{1}a".chars().cycle().take(size).collect::<String>();
        match step {
            Step::User(size) => drop(log.user(&text(*size))),
            Step::Assistant(size, names) => {
                let made: Vec<_> = names
                    .iter()
                    .map(|size| {
                        calls += 1;
                        (format!("c{calls}"), "tool".chars().cycle().take(*size).collect::<String>())
                    })
                    .collect();
                let made: Vec<_> = made.iter().map(|(id, name)| (id.as_str(), name.as_str(), json!({}))).collect();
                log.calls(&text(*size), &made);
            }
            Step::Result(size) => drop(log.result(&format!("c{calls}"), "tool", &text(*size), false)),
            Step::Injected(size) => drop(log.injected(&text(*size))),
            Step::Marker => drop(log.marker(&format!("w{number}"))),
            Step::Back(entry) => {
                let count = log.entries.len();
                log.leaf = (count > 0).then(|| log.entries[entry % count]["id"].as_str().expect("an id").to_owned());
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    /// Line 65: walking the anchors, older or newer, gives the expected set once and in order, each page within the
    /// budget (which every call checks), and each fold once.
    #[test]
    fn walks_give_everything_once(
        steps in prop::collection::vec(step(), 1..30), limit in 1usize..6, chars in prop_oneof![1usize..50, 1usize..50_000],
        older: bool, view in 0usize..3,
    ) {
        let mut desk = Desk::in_memory();
        play(&mut desk.log, &steps);
        let (tool, mut params) = match view {
            0 => ("history_list", json!({})),
            1 => ("history_list", json!({ "roles": ["user", "assistant", "tool", "context"] })),
            _ => ("history_search", json!({ "query": ["a", "t"] })),
        };
        params["limit"] = limit.into();
        params["max_chars_per_item"] = chars.into();
        if !older {
            // The lowest bound there is: nothing lies at 0.
            params["after"] = 1.into();
        }
        let (anchor, bound) = if older { ("older_before", "before") } else { ("newer_after", "after") };
        let (mut walked, mut folded) = (Vec::new(), 0);
        loop {
            let page = desk.data(tool, params.clone());
            let items = page["items"].as_array().expect("items");
            let starts: Vec<u64> = items.iter().filter_map(|row| row["seq"].as_u64().or(row["first_seq"].as_u64())).collect();
            prop_assert!(starts.is_sorted_by(|a, b| a < b), "{starts:?}");
            let seqs: Vec<u64> = items.iter().filter_map(|row| row["seq"].as_u64()).collect();
            folded += items.iter().filter_map(|row| row["count"].as_u64()).sum::<u64>();
            if older { walked.splice(0..0, seqs.clone()); } else { walked.extend(seqs.clone()); }
            let Some(next) = page[anchor].as_u64() else { break };
            prop_assert_eq!(Some(next), if older { seqs.first().copied() } else { seqs.last().copied() });
            params[bound] = next.into();
        }
        prop_assert!(walked.is_sorted_by(|a, b| a < b), "{walked:?}");

        // In one page of the smallest previews, which fits, everything is there.
        let mut whole = params.clone();
        for (key, value) in [("limit", json!(10_000)), ("max_chars_per_item", json!(1))] {
            whole[key] = value;
        }
        let object = whole.as_object_mut().expect("an object");
        object.remove("before");
        if !older { object["after"] = 1.into(); }
        let page = desk.data(tool, whole);
        prop_assume!(page["older_before"].is_null() && page["newer_after"].is_null());
        let items = page["items"].as_array().expect("items");
        let expected: Vec<u64> = items.iter().filter_map(|row| row["seq"].as_u64()).collect();
        prop_assert_eq!(walked, expected);
        prop_assert_eq!(folded, items.iter().filter_map(|row| row["count"].as_u64()).sum::<u64>());
    }
}
