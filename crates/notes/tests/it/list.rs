//! Listing: order, scopes, names, what is invisible.

use std::fs;

use palimpsest_notes::{Query, Scope, Slug};

use crate::support::{Fixture, SESSION, matching};

/// Line 74 and A7.4: newest first, ties by code points of the address; two writes never tie.
#[test]
fn order_is_newest_first() {
    let fixture = Fixture::new();
    for at in ["b", "a", "c"] {
        fixture.write(at, "x");
    }
    assert_eq!(fixture.list("*"), ["c.md", "a.md", "b.md"]);
    for name in ["é", "z", "Z", "@project/m", "\u{10000}", "\u{ffee}"] {
        let file = name.replace("@project/", "project/app-1234abcd/");
        let file = if file == name { format!("{SESSION}/t/{name}.md") } else { format!("{file}.md") };
        fixture.put(&file, "---\nupdatedAt: 5\n---\nx");
    }
    assert_eq!(
        fixture.list("**")[3..],
        ["@project/m.md", "t/Z.md", "t/z.md", "t/é.md", "t/\u{ffee}.md", "t/\u{10000}.md"]
    );
}

/// Lines 18 and 77: absent homes are empty, odd ones fail or are passed over.
#[test]
fn homes_that_are_absent_or_odd() {
    let fixture = Fixture::new();
    assert_eq!(fixture.rows(), []);
    fixture.put("agents/Not A Slug/x.md", "x");
    fixture.put("agents/good/x.md", "x");
    assert_eq!(fixture.list("@agents/*/*"), ["@agents/good/x.md"]);
    assert_eq!(fixture.list("@models/*/*").len(), 0, "an absent namespace is empty");

    fixture.put("human", "a file where a folder belongs");
    fixture.write("plan", "x");
    let error = fixture.store.list(&Query::default()).expect_err("a broken home");
    assert_eq!(error.code(), "io");
    assert!(error.to_string().contains("human"), "{error}");
    assert_eq!(fixture.store.search(&["x"], &Query::default()).expect_err("a broken home").code(), "io");
    let listing = fixture.store.list_available(&Query::default()).expect("the others");
    assert_eq!(listing.unavailable, ["@human"]);
    assert_eq!(listing.rows.len(), 1);

    fs::remove_dir_all(fixture.path("agents")).expect("remove");
    fixture.put("agents", "a file");
    assert_eq!(fixture.store.list(&matching("@agents/*/*")).expect_err("not a folder").code(), "io");
    let listing = fixture.store.search_available(&["x"], &matching("@agents/*/*")).expect("named");
    assert_eq!(listing.unavailable, ["@agents"]);
    let listing = fixture.store.list_available(&Query::default()).expect("named");
    assert_eq!(listing.unavailable, ["@human", "@agents/tester"]);
}

/// A5: a pattern is tried on the homes that it can reach only; others may be broken, and are not looked at.
#[test]
fn patterns_narrow_the_homes() {
    let homes = ["project", "human", "agents", "models"];
    for (pattern, address, sound) in [
        ("@project/*", "@project/n.md", "project"),
        ("@human/**", "@human/n.md", "human"),
        ("@self/*", "@agents/tester/n.md", "agents"),
        ("@agents/*/n.md", "@agents/tester/n.md", "agents"),
        ("@model/?.md", "@models/model-1/n.md", "models"),
    ] {
        let fixture = Fixture::new();
        fixture.write(address, "needle");
        fixture.put("pi/session/s1", "a file where a folder belongs");
        for home in homes.iter().filter(|home| **home != sound) {
            fixture.put(home, "a file where a folder belongs");
        }
        assert_eq!(fixture.list(pattern), [address]);
        assert_eq!(fixture.store.search(&["needle"], &matching(pattern)).expect("search").len(), 1);
        assert_eq!(fixture.store.list(&Query::default()).expect_err("broken homes").code(), "io");
    }
    let fixture = Fixture::new();
    for home in homes {
        fixture.put(home, "a file where a folder belongs");
    }
    for nothing in ["@nobody/*", "@*/**", "@hum?n/x", "@project", "@agents"] {
        assert_eq!(fixture.list(nothing), Vec::<String>::new(), "{nothing}");
    }
}

/// A7.4: combinations of scope and names.
#[test]
fn scopes_and_names() {
    let fixture = Fixture::new();
    for at in ["s", "@project/p", "@human/h", "@self/a", "@model/m"] {
        fixture.write(at, "x");
    }
    for (scope, expected) in [
        (Scope::Session, "s.md"),
        (Scope::Project, "@project/p.md"),
        (Scope::Human, "@human/h.md"),
        (Scope::Agent, "@agents/tester/a.md"),
        (Scope::Model, "@models/model-1/m.md"),
    ] {
        let query = Query { scope: Some(scope), ..Query::default() };
        let rows = fixture.store.list(&query).expect("list");
        assert_eq!(rows.iter().map(|row| row.address.as_str()).collect::<Vec<_>>(), [expected]);
        assert_eq!((rows[0].scope, rows[0].meta.scope), (scope, scope));
        let both = Query { scope: Some(scope), ..matching("@project/**") };
        assert_eq!(fixture.store.list(&both).expect("list").len(), usize::from(scope == Scope::Project));
    }
    let name = Some(Slug::parse("tester").expect("a slug"));
    for scope in [None, Some(Scope::Session), Some(Scope::Project), Some(Scope::Human)] {
        let query = Query { scope, who: name.clone(), ..Query::default() };
        assert_eq!(fixture.store.list(&query).expect_err("no named homes").code(), "invalid_scope");
        assert_eq!(fixture.store.search(&["x"], &query).expect_err("no named homes").code(), "invalid_scope");
        assert_eq!(fixture.store.search(&[""; 0], &query).expect_err("no named homes").code(), "invalid_scope");
    }
    for (scope, folder, expected) in
        [(Scope::Agent, "agents", ["@agents/other/o.md"]), (Scope::Model, "models", ["@models/other/o.md"])]
    {
        fixture.put(&format!("{folder}/other/o.md"), "x");
        let query = Query::named(scope, "other").expect("a named home");
        let rows = fixture.store.list(&query).expect("list");
        assert_eq!(rows.iter().map(|row| row.address.as_str()).collect::<Vec<_>>(), expected);
        let hits = fixture.store.search(&["x"], &query).expect("search");
        assert_eq!(hits.iter().map(|hit| hit.address.as_str()).collect::<Vec<_>>(), expected);
    }
    // A search that can find nothing is refused and fails like any other.
    fs::remove_dir_all(fixture.path("models")).expect("remove");
    fixture.put("models", "a file");
    for queries in [vec![], vec!["a\nb"]] {
        let search = |pattern| fixture.store.search_available(&queries, &matching(pattern));
        assert_eq!(search("@agents/Bad/*").expect_err("no slug").code(), "invalid_scope");
        let found = search("@models/*/*").expect("the failing home is named");
        assert_eq!((found.rows, found.unavailable), (vec![], vec!["@models".to_owned()]));
    }
    // Line 16: a name that is no slug, and one for a scope without names.
    assert_eq!(Query::named(Scope::Agent, "Not A Slug").expect_err("no slug").code(), "invalid_scope");
    assert_eq!(Query::named(Scope::Project, "tester").expect_err("no names").code(), "invalid_scope");
    assert_eq!("homes".parse::<Scope>().expect_err("unknown").code(), "invalid_scope");
}

/// A7.4 and A4: only notes count, in any depth; control characters in names are shown escaped.
#[test]
fn only_notes_are_listed() {
    let fixture = Fixture::new();
    for file in ["a.md", "deep/er/b.md", "x.txt", "y.MD", "z.md.1.2.tmp", "md", "odd\u{1}name.md", "with@at.md"] {
        fixture.put(&format!("{SESSION}/{file}"), "---\nupdatedAt: 1\n---\nneedle");
    }
    fs::create_dir_all(fixture.path(&format!("{SESSION}/folder.md"))).expect("create");
    let expected = ["a.md", "deep/er/b.md", "odd\\u0001name.md", "with@at.md"];
    assert_eq!(fixture.list("**"), expected);
    assert_eq!(fixture.search("NEEDLE"), expected);
    let row = &fixture.rows()[1];
    assert_eq!((row.path.as_str(), row.body.as_str(), row.size_bytes), ("deep/er/b.md", "needle", 6));
}

/// Line 27: listing and searching change no byte.
#[test]
fn looking_changes_nothing() {
    let fixture = Fixture::new();
    fixture.write("a", "x");
    fixture.put(&format!("{SESSION}/plain.md"), "x");
    let before = fixture.tree();
    fixture.rows();
    fixture.search("x");
    assert_eq!(fixture.tree(), before);
}

/// A7.4: neither the number of notes in a folder nor the size of one has a limit.
#[test]
fn many_and_large_notes_are_all_there() {
    let fixture = Fixture::new();
    for number in 0..300 {
        fixture.put(&format!("human/many/{number}.md"), "---\nupdatedAt: 1\n---\nx");
    }
    let body = "é\n".repeat(100_000) + "needle";
    fixture.put("human/large.md", &body);
    let rows = fixture.rows();
    assert_eq!((rows.len(), rows[0].body == body, rows[0].size_bytes), (301, true, 300_006));
    let found = fixture.store.search(&["NEEDLE"], &Query::default()).expect("search").remove(0).matches.remove(0);
    assert_eq!((found.line, found.offset_on_disk), (100_001, 200_000));
}
