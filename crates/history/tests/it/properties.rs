//! What is JSON is decided as others decide it.

use palimpsest_history::{Reason, Session};
use proptest::prelude::*;
use serde::de::IgnoredAny;

use crate::support::TempFile;

fn json_like() -> impl Strategy<Value = String> {
    let token = prop::sample::select(vec![
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "\"a\"",
        "\"b\":",
        "\\",
        "\\n",
        "\\u00e9",
        "\\ud83d",
        "\\x",
        "\\u12",
        "0",
        "1",
        "-",
        "-0",
        "1.",
        ".5",
        "e5",
        "E+",
        "12",
        "true",
        "fals",
        "null",
        " ",
        "\t",
        "\r",
        "é",
        "\u{0}",
        "\u{1f}",
        "{}",
        "[]",
        "[1,2]",
        "{\"a\":{\"b\":[]}}",
        "\"\\\"\"",
        "\"x\"",
        "\u{7f}",
        "\u{2028}",
    ]);
    let soup = prop::collection::vec(token, 0..8).prop_map(|tokens| tokens.concat());
    prop_oneof![soup, prop::string::string_regex("[-+0-9.eE]{1,6}").expect("a pattern")]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn json_is_what_is_json(value in json_like()) {
        let line = format!("{{\"type\":\"x\",\"value\":{value}}}");
        let expected = serde_json::from_str::<IgnoredAny>(&line).is_ok();
        let session = TempFile::new(format!("{line}\n")).open();
        prop_assert_eq!(session.rejects().is_empty(), expected, "{}", line);
        let session = Session::from_entries(&format!("{value}\n"));
        // White space that JSON does not know is blank all the same.
        let value = value.trim();
        let is_json = serde_json::from_str::<IgnoredAny>(value).is_ok();
        let blank = value.is_empty();
        let reasons: Vec<Reason> = session.rejects().iter().map(|reject| reject.reason).collect();
        prop_assert_eq!(reasons == [Reason::NotARecord], is_json, "{} {:?}", value, reasons);
        prop_assert_eq!(reasons.is_empty(), blank, "{}", value);
    }
}
