//! Other sessions of the project: by scope and by id.

use std::fs;

use serde_json::{Value, json};

use super::desk::{Desk, keys};

/// A desk in a project with a linked worktree, three sessions of it and one of another project.
fn project() -> Desk {
    let mut desk = Desk::new();
    let root = desk.root.path();
    fs::create_dir_all(root.join("work/.git/worktrees/side")).expect("a repository");
    fs::create_dir_all(root.join("side")).expect("a worktree");
    fs::write(root.join("work/.git/worktrees/side/HEAD"), "ref: refs/heads/side\n").expect("a head");
    fs::write(root.join("side/.git"), format!("gitdir: {}\n", root.join("work/.git/worktrees/side").display()))
        .expect("a link");

    // The order of the last entries' times is that of their number.
    desk.another("old", "work", |log| drop(log.user("needle old")));
    desk.another("linked", "side", |log| {
        log.user("needle linked 1");
        log.assistant("needle linked 2");
        let left = log.leaf.clone();
        log.user("needle linked 3");
        log.leaf = left;
        log.user("needle linked 4");
    });
    desk.another("foreign", "elsewhere", |log| drop(log.user("needle foreign")));
    for _ in 0..7 {
        desk.log.injected("haystack");
    }
    desk.log.user("needle live");
    desk
}

fn hits(page: &Value) -> Vec<String> {
    let row = |hit: &Value| format!("{} {} {}", hit["session_id"].as_str().unwrap_or("-"), hit["seq"], hit["content"]);
    page["items"].as_array().expect("items").iter().map(|hit| row(hit).replace('"', "")).collect()
}

/// Line 104: every session of the project, newest first; none of another.
#[test]
fn a_search_of_the_project() {
    let mut desk = project();
    let search = |more: Value| {
        let mut params = json!({ "query": "needle", "scope": "project" });
        params.as_object_mut().expect("object").extend(more.as_object().expect("object").clone());
        params
    };
    let page = desk.data("history_search", search(json!({})));
    let all = [
        "12345678-live 8 needle live",
        "linked 1 needle linked 1",
        "linked 2 needle linked 2",
        "linked 4 needle linked 4",
        "old 1 needle old",
    ];
    assert_eq!(hits(&page), all);
    assert_eq!(keys(&page), ["items", "older_before", "newer_after", "sessions_more"]);
    assert_eq!(json!([page["older_before"], page["newer_after"], page["sessions_more"]]), json!([null, null, 0]));
    let expected =
        ["session_id", "seq", "window_id", "role", "created_at", "truncated", "total_chars", "content", "offset_chars"];
    assert_eq!(keys(&page["items"][0]), expected);

    let one = desk.data("history_search", search(json!({ "limit": 1 })));
    assert_eq!(hits(&one), ["12345678-live 8 needle live", "linked 4 needle linked 4", "old 1 needle old"]);
    let window = desk.data("history_search", search(json!({ "window_id": "pcw:old:root" })));
    assert_eq!(hits(&window), ["old 1 needle old"]);
    let nowhere = desk.refused("history_search", search(json!({ "window_id": "nope" })));
    assert_eq!(
        (&nowhere["code"], &nowhere["known_windows"]),
        (&json!("unknown_window_id"), &json!(["pcw:12345678:root"]))
    );
    let bad = desk.refused("history_search", search(json!({ "query": "", "window_id": "pcw:old:root" })));
    assert_eq!(bad["code"], "invalid_query");
    let after = desk.data("history_search", search(json!({ "after": 1, "before": 8, "limit": 1 })));
    assert_eq!(hits(&after), ["linked 2 needle linked 2"]);

    // A session in memory is of the project as well.
    desk.persisted = false;
    fs::remove_file(desk.folder("work").join("9_live.jsonl")).expect("the file");
    assert_eq!(hits(&desk.data("history_search", search(json!({})))), all);
}

/// Line 104: what does not fit is counted by session.
#[test]
fn sessions_beyond_the_budget_are_counted() {
    let mut desk = project();
    for number in 0..6 {
        desk.another(&format!("more{number}"), "work", |log| {
            log.user("nothing");
            for _ in 0..10 {
                log.user(&format!("needle {}", "x".repeat(900)));
            }
        });
    }
    desk.another("barren", "work", |log| drop(log.user("nothing")));
    for limit in 5..=10 {
        let page = desk.data("history_search", json!({ "query": "needle", "scope": "project", "limit": limit }));
        let mut sessions: Vec<String> =
            hits(&page).iter().map(|hit| hit.split(' ').next().expect("an id").to_owned()).collect();
        sessions.dedup();
        let delivered = sessions.len();
        assert_eq!(sessions, ["more0", "more1", "more2", "more3", "more4", "more5"][..delivered]);
        assert_eq!(page["sessions_more"], 9 - delivered, "limit {limit}");
        assert!(page["items"].as_array().expect("items").iter().all(|hit| hit["truncated"] == false), "one is shrunk");
    }

    // The very first hit is shrunk, and then all others are counted.
    desk.another("huge", "work", |log| {
        for _ in 0..12 {
            log.user("nothing");
        }
        log.user(&format!("needle {}", "x".repeat(50_000)));
    });
    let params = json!({ "query": "needle", "scope": "project", "max_chars_per_item": 50_000 });
    let page = desk.data("history_search", params);
    assert_eq!((page["items"].as_array().map(Vec::len), &page["sessions_more"]), (Some(1), &json!(9)));
    assert_eq!((&page["items"][0]["session_id"], &page["items"][0]["truncated"]), (&json!("huge"), &json!(true)));
}

/// Line 105: one other session, along the path to its last entry.
#[test]
fn another_session_by_its_id() {
    let mut desk = project();
    let listed = desk.page("history_list", json!({ "session_id": "linked", "limit": 2 }));
    let rows = vec!["2 assistant needle linked 2".to_owned(), "4 user needle linked 4".to_owned()];
    assert_eq!(listed, (rows, json!(2), Value::Null));
    let read = desk.data("history_read", json!({ "session_id": "linked", "seq": 4 }));
    assert_eq!((&read["window_id"], &read["content"]), (&json!("pcw:linked:root"), &json!("needle linked 4")));
    assert_eq!(desk.refused("history_read", json!({ "session_id": "linked", "seq": 3 }))["code"], "not_on_branch");

    assert_eq!(desk.page("history_list", json!({ "session_id": "old" })).0, ["1 user needle old"]);

    let search = |scope: &str| json!({ "query": "needle", "session_id": "linked", "limit": 1, "scope": scope });
    let page = desk.data("history_search", search("session"));
    assert_eq!(
        (hits(&page), keys(&page)),
        (vec!["- 4 needle linked 4".to_owned()], vec!["items", "older_before", "newer_after"])
    );
    let page = desk.data("history_search", search("project"));
    assert_eq!(
        (hits(&page), &page["older_before"], &page["sessions_more"]),
        (vec!["linked 4 needle linked 4".to_owned()], &json!(4), &json!(0))
    );

    let own = json!({ "query": "needle", "session_id": "12345678-live", "scope": "project" });
    let page = desk.data("history_search", own);
    assert_eq!(hits(&page), ["12345678-live 8 needle live"]);

    // The live session by its id is the active branch, not its file's last entry.
    let mut early = desk.log.entries.iter().map(|entry| entry["id"].as_str().expect("an id").to_owned());
    desk.log.leaf = early.next();
    let own = desk.page("history_list", json!({ "session_id": "12345678-live", "roles": ["context"] })).0;
    assert_eq!(own, ["1 context haystack"]);

    desk.put("work", "broken.jsonl", "{\"type\":\"session\",\"version\":3,\"id\":\"half");
    for id in ["nobody", "foreign", "link", "half"] {
        for (tool, params) in [
            ("history_list", json!({ "session_id": id })),
            ("history_search", json!({ "session_id": id, "query": "needle" })),
            ("history_read", json!({ "session_id": id, "seq": 1 })),
        ] {
            let refusal = desk.refused(tool, params);
            assert_eq!(
                (&refusal["code"], &refusal["session_id"]),
                (&json!("unknown_session_id"), &json!(id)),
                "{tool}"
            );
            assert!(refusal["error"].as_str().is_some_and(|error| error.contains(id)), "{refusal}");
        }
    }
}

/// A session that grows between two questions is read on.
#[test]
fn another_session_may_grow() {
    let mut desk = project();
    let log = desk.another("busy", "work", |log| drop(log.user("one")));
    let list = || json!({ "session_id": "busy" });
    assert_eq!(desk.page("history_list", list()).0, ["1 user one"]);
    let mut text = log.text();
    text.push_str("{\"type\":\"message\",\"id\":\"x\",\"parentId\":\"00000001\",\"timestamp\":\"t\",\"message\":{\"role\":\"user\",\"content\":\"two\"}}\n");
    desk.put("work", "1_busy.jsonl", &text);
    assert_eq!(desk.page("history_list", list()).0, ["1 user one", "2 user two"]);
}

/// Line 106: a file without a usable header is named, one with a broken line is searched.
#[test]
fn damaged_sessions() {
    let mut desk = project();
    desk.put("work", "headless.jsonl", "not JSON\n");
    desk.put("elsewhere", "not-ours.jsonl", "not JSON\n");
    let mut damaged = desk.another("damaged", "work", |log| drop(log.user("needle damaged"))).text();
    damaged.push_str("{ broken\n");
    desk.put("work", "1_damaged.jsonl", &damaged);
    let search = || json!({ "query": "needle", "scope": "project" });
    let page = desk.data("history_search", search());
    assert!(hits(&page).contains(&"damaged 1 needle damaged".to_owned()), "{page}");
    assert_eq!(page["sessions_unavailable"], json!(["headless.jsonl"]));
    assert_eq!(keys(&page).last(), Some(&"sessions_unavailable"));

    // A copy of a session is that session.
    let copy = fs::read(desk.folder("work").join("1_old.jsonl")).expect("a session");
    desk.put("side", "copy.jsonl", copy);
    assert_eq!(hits(&desk.data("history_search", search())), hits(&page));

    for number in 0..29 {
        desk.put("side", &format!("bad{number:02}.jsonl"), "");
    }
    let page = desk.data("history_search", search());
    assert_eq!(page["sessions_unavailable"].as_array().map(Vec::len), Some(20));
    assert_eq!(page["sessions_unavailable_more"], 10);
}

/// Where the first session of a project lives in memory, what is broken in its folder is named all the same.
#[test]
fn a_folder_with_nothing_but_damage() {
    let mut desk = Desk::in_memory();
    desk.log.user("needle");
    let search = || json!({ "query": "needle", "scope": "project" });
    assert_eq!(keys(&desk.data("history_search", search())).last(), Some(&"sessions_more"), "there is no folder");
    desk.put("work", "1_broken.jsonl", "");
    desk.put("elsewhere", "1_foreign.jsonl", "");
    let page = desk.data("history_search", search());
    assert_eq!((hits(&page).len(), &page["sessions_unavailable"]), (1, &json!(["broken"])));
}

/// Names of broken sessions are left out before hits are.
#[test]
fn names_leave_room_for_hits() {
    let mut desk = Desk::with(|log| drop(log.user(&format!("needle {}", "x".repeat(5_000)))));
    for number in 0..20 {
        // JSON takes six bytes for each of these characters.
        desk.put("work", &format!("{}{number:02}.jsonl", "\u{1}".repeat(240)), "");
    }
    let params = json!({ "query": "needle", "scope": "project", "max_chars_per_item": 9_999 });
    let page = desk.data("history_search", params);
    assert_eq!((&page["items"][0]["truncated"], page["items"].as_array().map(Vec::len)), (&json!(false), Some(1)));
    let named = page["sessions_unavailable"].as_array().expect("names").len();
    assert!((10..20).contains(&named), "{named}");
    assert_eq!(page["sessions_unavailable_more"], 20 - named);
}
