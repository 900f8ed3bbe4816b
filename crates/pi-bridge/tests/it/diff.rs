//! The line diff of `notes_edit`.

use palimpsest_pi_bridge::line_diff;
use proptest::prelude::*;

fn numbered(range: std::ops::RangeInclusive<usize>) -> Vec<String> {
    range.map(|n| format!("l{n}\n")).collect()
}

/// A body of `length` lines with the given 1-based lines replaced.
fn changed(length: usize, lines: &[usize]) -> (String, String) {
    let old = numbered(1..=length);
    let new = old.iter().enumerate().map(|(i, line)| if lines.contains(&(i + 1)) { "new\n" } else { line }).collect();
    (old.concat(), new)
}

#[test]
fn shapes() {
    let cases: &[(&str, &str, &str)] = &[
        ("", "", ""),
        ("same\n", "same\n", ""),
        ("", "a\nb\n", "+1 a\n+2 b"),
        ("a\nb\n", "", "-1 a\n-2 b"),
        // The same line with and without its end is a change.
        ("a", "a\n", "-1 a\n+1 a"),
        ("a\nb\nc\n", "a\nX\nY\nc\n", " 1 a\n-2 b\n+2 X\n+3 Y\n 3 c"),
        // A CR belongs to its line.
        ("a\r\nb\r\n", "a\r\nc\r\n", " 1 a\r\n-2 b\r\n+2 c\r"),
        // Only LF ends a line.
        ("a\u{2028}b\n", "a\u{2028}c\n", "-1 a\u{2028}b\n+1 a\u{2028}c"),
    ];
    for (before, after, expected) in cases {
        assert_eq!(line_diff(before, after), *expected, "{before:?} to {after:?}");
    }
}

#[test]
fn context_and_elision() {
    let (before, after) = changed(20, &[10]);
    let expected =
        "    ...\n  6 l6\n  7 l7\n  8 l8\n  9 l9\n-10 l10\n+10 new\n 11 l11\n 12 l12\n 13 l13\n 14 l14\n    ...";
    assert_eq!(line_diff(&before, &after), expected);

    // Exactly four lines of context on either side: nothing to leave out.
    let (before, after) = changed(9, &[5]);
    assert!(!line_diff(&before, &after).contains("..."));

    // Eight lines between two changes stay, nine do not.
    let (before, after) = changed(10, &[1, 10]);
    assert!(!line_diff(&before, &after).contains("..."));
    let (before, after) = changed(11, &[1, 11]);
    let expected =
        "- 1 l1\n+ 1 new\n  2 l2\n  3 l3\n  4 l4\n  5 l5\n    ...\n  7 l7\n  8 l8\n  9 l9\n 10 l10\n-11 l11\n+11 new";
    assert_eq!(line_diff(&before, &after), expected);
}

/// Two bodies as large as a note may be, without one common line, take a bounded time.
#[test]
fn the_worst_case_ends() {
    let before: String = (0..90_000).map(|n| format!("old {n}\n")).collect();
    let after: String = (0..90_000).map(|n| format!("new {n}\n")).collect();
    let start = std::time::Instant::now();
    assert_eq!(line_diff(&before, &after).lines().count(), 180_000);
    assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// Removals with their numbers are lines of the old text, additions of the new one, context of both.
    #[test]
    fn every_line_is_where_it_says(before in "([abc]{0,2}\n){0,30}[abc]?", after in "([abc]{0,2}\n){0,30}[abc]?") {
        let diff = line_diff(&before, &after);
        prop_assert_eq!(diff.is_empty(), before == after);
        let (old, new): (Vec<_>, Vec<_>) = (before.split('\n').collect(), after.split('\n').collect());
        let width = before.matches('\n').count().max(after.matches('\n').count()).saturating_add(1).to_string().len();
        let (mut removed, mut added) = (0, 0);
        for line in diff.split('\n').filter(|line| !line.is_empty()) {
            let (sign, number, text) = (&line[..1], line[1..=width].trim(), &line[width + 2..]);
            let Ok(number) = number.parse::<usize>() else {
                prop_assert_eq!(text, "...");
                continue;
            };
            let source = if sign == "+" { &new } else { &old };
            prop_assert_eq!(source[number - 1], text);
            removed += usize::from(sign == "-");
            added += usize::from(sign == "+");
        }
        let lines = |text: &str| text.split_inclusive('\n').count();
        prop_assert_eq!(lines(&before) + added, lines(&after) + removed);
    }
}
