//! The grammar of addresses and the dialect of patterns.

use palimpsest_notes::{Address, Pattern, Query};

use crate::support::{Fixture, address, matching};

/// A4: legal forms and what they render as.
#[test]
fn legal_addresses_render_in_full() {
    let fixture = Fixture::new();
    for (text, rendered) in [
        ("plan", "plan.md"),
        ("plan.md", "plan.md"),
        ("a/b c/d.e", "a/b c/d.e.md"),
        ("x.MD", "x.MD.md"),
        (".md", ".md"),
        ("a:b", "a:b.md"),
        ("日本/naïve", "日本/naïve.md"),
        ("...", "....md"),
        ("@project/x", "@project/x.md"),
        ("@human/x", "@human/x.md"),
        ("@self/x", "@agents/tester/x.md"),
        ("@model/x", "@models/model-1/x.md"),
        ("@agents/other/a/b", "@agents/other/a/b.md"),
        ("@models/m-2/x.md", "@models/m-2/x.md"),
    ] {
        assert_eq!(address(text).render(fixture.store.identity()), rendered, "{text:?}");
    }
}

/// Lines 16, 39 and 72: refused addresses, with the legal prefixes named, from every operation.
#[test]
fn illegal_addresses_are_refused() {
    for text in [
        "",
        "@",
        "@project",
        "@project/",
        "@self",
        "@agents",
        "@agents/",
        "@agents/x",
        "@agents/x/",
        "@agents/X/y",
        "@agents/a--b/y",
        "@agents//y",
        "@Project/x",
        "@projects/x",
        "@nobody/x",
        "@../x",
        "bad@name.md",
        "@project/a@b",
        "/abs",
        "@project//x",
        "a//b",
        "a/",
        "a/./b",
        "./a",
        "../x",
        "@project/../x",
        "a/..",
        "a\\b",
        "a\nb",
        "a\0b",
        "a\u{7f}b",
        "@human/a\tb",
    ] {
        let error = Address::parse(text).expect_err(text);
        assert_eq!(error.code(), "invalid_address", "{text:?}");
        let message = error.to_string();
        let mut at = 0;
        for prefix in ["@project/", "@human/", "@self/", "@model/"] {
            at += message[at..].rfind(prefix).unwrap_or_else(|| panic!("{prefix} in order in {message}"));
        }
        assert!(message.contains("bare names belong to this session"), "{message}");
    }
}

/// A5 and line 73: the dialect as a table, each row a pattern with what it matches and what it does not.
#[test]
fn the_pattern_dialect() {
    let fixture = Fixture::new();
    for (pattern, matching_notes, others) in [
        ("", vec!["a", "d/a", "@project/a"], vec![]),
        ("*.md", vec!["a", "b.md"], vec!["d/a", "@project/a"]),
        ("*", vec!["a"], vec!["d/a"]),
        ("d/*", vec!["d/a"], vec!["a", "d/e/a"]),
        ("d/**", vec!["d/a", "d/e/a"], vec!["a"]),
        ("**/a.md", vec!["a", "d/a", "d/e/a", "@project/a"], vec!["ba"]),
        ("d**a.md", vec!["d/e/a", "da"], vec!["xd/a"]),
        ("?.md", vec!["a", "ü"], vec!["ab", "d/a"]),
        ("d?a.md", vec!["dxa"], vec!["d/a"]),
        ("[ab].md", vec!["[ab]"], vec!["a"]),
        ("{a,b}+.md", vec!["{a,b}+"], vec!["a", "b"]),
        ("A.md", vec!["A"], vec!["a"]),
        ("a.md", vec!["a"], vec!["axmd", "xa"]),
        ("@human/*", vec!["@human/a"], vec!["@human/d/a", "a"]),
        ("@human/**", vec!["@human/a", "@human/d/a"], vec!["@project/a"]),
        ("@self/*", vec!["@self/a"], vec!["@model/a"]),
        ("@model/*", vec!["@model/a"], vec!["@self/a"]),
        ("@agents/*/a.md", vec!["@self/a"], vec!["@model/a"]),
        ("@agents/test?r/a.md", vec!["@self/a"], vec!["@self/b"]),
        ("@agents/**", vec!["@self/d/a"], vec!["a"]),
        ("@agents/tester/*", vec!["@self/a"], vec!["@self/d/a"]),
        ("@*/a.md", vec![], vec!["@human/a"]),
        ("@nobody/*", vec![], vec!["a"]),
        ("@agents", vec![], vec!["@self/a"]),
    ] {
        let fixture_for_row = Fixture::new();
        for at in matching_notes.iter().chain(&others) {
            fixture_for_row.write(at, "needle");
        }
        let mut expected: Vec<String> =
            matching_notes.iter().map(|at| address(at).render(fixture.store.identity())).collect();
        expected.sort();
        let mut listed = fixture_for_row.list(pattern);
        listed.sort();
        assert_eq!(listed, expected, "list {pattern:?}");
        // Line 15: list and search see the same notes.
        let hits = fixture_for_row.store.search(&["needle"], &matching(pattern)).expect("search");
        assert_eq!(hits.into_iter().map(|hit| hit.address).collect::<Vec<_>>(), expected, "search {pattern:?}");
    }
    for refused in ["a\\b", "a\0b"] {
        let error = Pattern::parse(refused).expect_err("refused");
        assert_eq!(error.code(), "invalid_pattern");
        assert!(error.to_string().contains("backslashes"), "{error}");
    }
}

/// A5: a name that is no slug is refused, named homes of others are reached by name only.
#[test]
fn patterns_reach_named_homes() {
    let fixture = Fixture::new();
    let other = fixture.store_of("s1", "app-1234abcd", "other", "model-2");
    other.write(&address("@self/a"), "x", Default::default()).expect("write");
    fixture.write("@self/a", "x");
    assert_eq!(fixture.list("**"), ["@agents/tester/a.md"], "all-matching patterns bring in no foreign home");
    assert_eq!(fixture.list("@agents/other/*"), ["@agents/other/a.md"]);
    assert_eq!(fixture.list("@agents/*/*").len(), 2);
    assert_eq!(fixture.list("@agents/absent/*").len(), 0);
    for pattern in ["@agents/Other/*", "@models/a--b/**"] {
        let error = fixture.store.list(&matching(pattern)).expect_err("no slug");
        assert_eq!(error.code(), "invalid_scope");
    }
    assert_eq!(fixture.store.list(&Query::default()).expect("list").len(), 1);
}
