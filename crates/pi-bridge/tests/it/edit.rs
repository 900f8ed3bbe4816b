//! `notes_write` and `notes_edit`.

use serde_json::json;

use crate::bench::Bench;

/// Line 33.
#[test]
fn write_answers_with_two_keys() {
    let bench = Bench::new();
    for address in ["plan", "plan.md", "@project/a/b", "@human/me", "@self/x", "@model/y", "@agents/coder/z"] {
        let answer = bench.data("notes_write", json!({ "address": address, "content": "x", "origin": "user" }));
        assert_eq!(answer, json!({ "address": address, "written": true }));
    }
    assert!(bench.on_disk("pi/session/session-1/plan.md").contains("origin: user\n"));
}

/// Line 48.
#[test]
fn a_diff_shows_what_changed_and_no_more() {
    let bench = Bench::new();
    bench.write("n", "one\ntwo\nthree");
    let change = json!([{ "oldText": "two", "newText": "2" }]);
    let body = bench.data("notes_edit", json!({ "address": "n", "edits": change }));
    assert_eq!(body, json!({ "address": "n", "applied": 1, "diff": " 1 one\n-2 two\n+2 2\n 3 three" }));

    let metadata = bench.data("notes_edit", json!({ "address": "n", "crumpled": true }));
    let diff = metadata["diff"].as_str().expect("diff");
    assert!(diff.contains("crumpledAt: ") && !diff.contains("three"), "{diff}");
    assert_eq!(diff.lines().filter(|line| line.starts_with('+')).count(), 1, "{diff}");
    assert_eq!(metadata["applied"], 0);

    let both = bench.data(
        "notes_edit",
        json!({
            "address": "n", "edits": [{ "oldText": "2", "newText": "two" }], "crumpled": false,
        }),
    );
    let diff = both["diff"].as_str().expect("diff");
    assert!(diff.contains("crumpledAt: ") && diff.contains("two"), "{diff}");

    let none = bench.data("notes_edit", json!({ "address": "n", "crumpled": false }));
    assert_eq!(none, json!({ "address": "n", "applied": 0, "diff": "" }));
}

/// Line 34.
#[test]
fn refused_edits_say_where() {
    let bench = Bench::new();
    bench.write("n", "a\nb\na");
    let edit = |edits: serde_json::Value| bench.refused("notes_edit", json!({ "address": "n", "edits": edits }));

    let twice = edit(json!([{ "oldText": "b", "newText": "B" }, { "oldText": "a", "newText": "A" }]));
    assert_eq!((&twice["code"], &twice["edit_index"]), (&json!("ambiguous_edit"), &json!(1)));
    assert_eq!((&twice["line_numbers"], &twice["line_numbers_total"]), (&json!([1, 3]), &json!(2)));

    let frontmatter = edit(json!([{ "oldText": "origin: self", "newText": "origin: user" }]));
    assert_eq!((&frontmatter["code"], &frontmatter["edit_index"]), (&json!("no_match"), &json!(0)));
    let nothing = edit(json!([{ "oldText": "", "newText": "x" }]));
    assert_eq!((&nothing["code"], &nothing["edit_index"]), (&json!("no_match"), &json!(0)));

    for params in [json!({ "address": "n" }), json!({ "address": "n", "edits": [] })] {
        let refusal = bench.refused("notes_edit", params);
        assert_eq!(refusal["code"], "nothing_to_do");
        assert!(refusal["error"].as_str().expect("text").contains("nothing to do"), "{refusal}");
    }
    assert!(bench.on_disk("pi/session/session-1/n.md").ends_with("\n\na\nb\na"));
}

/// Line 91.
#[test]
fn of_many_matches_twenty_lines_are_named() {
    let bench = Bench::new();
    bench.write("n", &"same\n".repeat(30));
    let edits = json!([{ "oldText": "same", "newText": "other" }]);
    let refusal = bench.refused("notes_edit", json!({ "address": "n", "edits": edits }));
    assert_eq!(refusal["line_numbers"], json!((1..=20).collect::<Vec<_>>()));
    assert_eq!(refusal["line_numbers_total"], 30);
}

/// Line 90: the longest prefix of a large diff, and the key only then.
#[test]
fn a_large_diff_is_cut_to_the_budget() {
    let bench = Bench::new();
    bench.write("n", &"old 水 \"line\"\n".repeat(5_000));
    let edits = json!([{ "oldText": "old", "newText": "new" }]);
    let answer = bench.ok("notes_edit", json!({ "address": "n", "edits": edits, "replace_all": true }));
    assert_eq!(answer.structured["diff_truncated"], true);
    // The longest: one more character is at most 6 bytes.
    assert!(answer.text.len() + 6 > palimpsest_pi_bridge::BUDGET, "{}", answer.text.len());

    let whole = palimpsest_pi_bridge::line_diff(&"old 水 \"line\"\n".repeat(5_000), &"new 水 \"line\"\n".repeat(5_000));
    assert!(whole.starts_with(answer.structured["diff"].as_str().expect("diff")));
}
