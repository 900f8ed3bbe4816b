//! Finding queries in text: case-insensitive literals, composed and decomposed spellings alike, exact positions.

use regex::bytes::{Regex as BytesRegex, RegexBuilder as BytesRegexBuilder};
use regex::{Regex, RegexBuilder};
use unicode_normalization::char::{canonical_combining_class, compose, decompose_canonical};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use crate::error::HistoryError;
use crate::event::OUTPUT;

const VALID: &str = "escaped literals make a regular expression";

/// A set of queries, any of which may match.
///
/// A query matches a text if the text contains it, or if the NFC form of the text contains the NFC form of the query; case
/// is folded by Unicode simple folding, which never changes lengths.
pub(crate) struct Matcher {
    stored: Regex,
    /// The queries in NFC, for texts in NFC; nothing if they are the same.
    composed: Option<Regex>,
    pub(crate) sieve: Sieve,
    /// A query may match what stands in every tool event and in no record.
    pub(crate) in_every_tool: bool,
}

/// What tells cheaply that a record cannot hold a match.
pub(crate) enum Sieve {
    /// A match needs a match of this in the record as it stands in the session, unless it is respelled there.
    Fragments(BytesRegex),
    /// The same, but only for records in NFC: a query has no ASCII to go by.
    Composed(BytesRegex),
    /// Nothing does.
    Open,
}

impl Matcher {
    /// # Errors
    /// `invalid_query` where there is no query, or an empty one.
    pub(crate) fn new<Q: AsRef<str>>(queries: &[Q]) -> Result<Self, HistoryError> {
        if queries.is_empty() {
            return Err(HistoryError::InvalidQuery("give at least one text to search for"));
        }
        let queries: Vec<&str> = queries.iter().map(AsRef::as_ref).collect();
        if queries.contains(&"") {
            return Err(HistoryError::InvalidQuery("an empty text is everywhere; give one to search for"));
        }
        let composed: Vec<String> = queries.iter().map(|query| query.nfc().collect()).collect();
        let same = queries.iter().zip(&composed).all(|(query, composed)| query == composed);
        let regex = |pattern: String| {
            RegexBuilder::new(&pattern).case_insensitive(true).size_limit(usize::MAX).build().expect(VALID)
        };
        let (sieve, in_every_tool) = Sieve::new(&queries, &composed);
        Ok(Self {
            stored: regex(alternatives(queries.iter().copied())),
            composed: (!same).then(|| regex(alternatives(composed.iter().map(String::as_str)))),
            sieve,
            in_every_tool,
        })
    }

    /// The byte offset of the earliest occurrence of any query.
    pub(crate) fn find(&self, text: &str) -> Option<usize> {
        let stored = self.stored.find(text).map(|found| found.start());
        let composed = if text.is_ascii() || is_nfc_quick(text.chars()) == IsNormalized::Yes {
            self.composed.as_ref().and_then(|composed| composed.find(text)).map(|found| found.start())
        } else {
            self.find_composed(text)
        };
        match (stored, composed) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }

    fn find_composed(&self, text: &str) -> Option<usize> {
        let composed: String = text.nfc().collect();
        let found = self.composed.as_ref().unwrap_or(&self.stored).find(&composed)?;
        let index = composed[..found.start()].chars().count();
        nfc_with_sources(text).get(index).map(|&(_, source)| source)
    }
}

impl Sieve {
    /// The sieve, and whether the words of the separator pass it: every call with a result holds them.
    fn new(queries: &[&str], composed: &[String]) -> (Self, bool) {
        let build = |fragments: &[&str]| {
            let pattern = alternatives(fragments.iter().copied());
            BytesRegexBuilder::new(&pattern).case_insensitive(true).size_limit(usize::MAX).build().expect(VALID)
        };
        let in_separator = |fragments: &[&str]| fragments.iter().any(|f| OUTPUT.contains(&f.to_ascii_lowercase()));
        let ascii: Option<Vec<&str>> = composed.iter().map(|query| fragment(query, is_stable)).collect();
        if let Some(fragments) = ascii {
            return (Self::Fragments(build(&fragments)), in_separator(&fragments));
        }
        let all = queries.iter().copied().chain(composed.iter().map(String::as_str));
        let fragments: Option<Vec<&str>> = all.map(|query| fragment(query, |c| is_stable(c) || is_plain(c))).collect();
        match fragments {
            Some(fragments) => (Self::Composed(build(&fragments)), in_separator(&fragments)),
            None => (Self::Open, true),
        }
    }
}

/// Whether bytes are surely UTF-8 text in NFC. Plain ASCII, by far the most, is told apart by a scan alone.
pub(crate) fn is_composed(bytes: &[u8]) -> bool {
    bytes.is_ascii() || std::str::from_utf8(bytes).is_ok_and(|text| is_nfc_quick(text.chars()) == IsNormalized::Yes)
}

/// The longest part of a query that, where the query matches, stands in a record byte for byte, but for case.
fn fragment(query: &str, fits: impl Fn(char) -> bool) -> Option<&str> {
    let parts = query.split(|c| !fits(c)).map(|part| part.trim_matches(' '));
    parts.filter(|part| !part.is_empty()).max_by_key(|part| part.len())
}

/// Characters that are written in one way unless the record is respelled, that stand side by side in a record if they do in
/// an event (where a brace may follow a tool's name), and that no other character becomes in NFC (U+037E and U+1FEF
/// become `;` and a backtick; U+212A becomes K, but matches k anyway).
fn is_stable(c: char) -> bool {
    (c == ' ' || c.is_ascii_graphic()) && !matches!(c, '"' | '\\' | '{' | ';' | '`')
}

/// The same but for NFC. What could not be decoded has become U+FFFD.
fn is_plain(c: char) -> bool {
    !c.is_ascii() && c != char::REPLACEMENT_CHARACTER
}

fn alternatives<'a>(queries: impl Iterator<Item = &'a str>) -> String {
    let mut escaped: Vec<String> = queries.map(regex::escape).collect();
    escaped.sort_unstable();
    escaped.dedup();
    escaped.join("|")
}

/// The NFC form of a text, each character with the byte offset of the first stored character that it is made of: the
/// canonical algorithm, which libraries offer only without the offsets.
fn nfc_with_sources(text: &str) -> Vec<(char, usize)> {
    let mut parts: Vec<(char, usize)> = Vec::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        decompose_canonical(c, |part| parts.push((part, at)));
    }
    for marks in parts.split_mut(|&(c, _)| canonical_combining_class(c) == 0) {
        marks.sort_by_key(|&(c, _)| canonical_combining_class(c));
    }
    let mut composed: Vec<(char, usize)> = Vec::with_capacity(parts.len());
    let mut starter: Option<usize> = None;
    for (c, at) in parts {
        let class = canonical_combining_class(c);
        // What stands between a character and its starter keeps them apart unless its class is lower.
        if let Some(index) = starter
            && (index + 1 == composed.len() || last_class(&composed) < class)
            && let Some(whole) = compose(composed[index].0, c)
        {
            composed[index] = (whole, composed[index].1.min(at));
            continue;
        }
        if class == 0 {
            starter = Some(composed.len());
        }
        composed.push((c, at));
    }
    composed
}

fn last_class(text: &[(char, usize)]) -> u8 {
    text.last().map_or(0, |&(c, _)| canonical_combining_class(c))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Our form is that of the library, and every stretch of the text comes from where the offsets say.
        #[test]
        fn sources_belong_to_the_composed_form(
            text in prop_oneof![
                "[a-zé\u{301}\u{323}\u{302}\u{344}\u{958}\u{93c}\u{212b}\u{1100}\u{1161}\u{11a8}가\u{f71}\u{f72}\u{fb2c}]{0,12}",
                any::<String>(),
            ],
        ) {
            let composed = nfc_with_sources(&text);
            prop_assert_eq!(composed.iter().map(|&(c, _)| c).collect::<String>(), text.nfc().collect::<String>());
            for (c, source) in composed {
                let first = text[source..].chars().next().expect("a character is stored there");
                let parts: Vec<char> = first.nfd().collect();
                prop_assert!(c.nfd().any(|part| parts.contains(&part)), "{:?} comes from {:?}", c, first);
            }
        }
    }
}
