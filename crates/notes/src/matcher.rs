//! Finding queries in lines: case-insensitive literals, composed and decomposed spellings alike, exact positions.

use regex::bytes::{Regex as BytesRegex, RegexBuilder as BytesRegexBuilder};
use regex::{Regex, RegexBuilder};
use unicode_normalization::char::{canonical_combining_class, compose, decompose_canonical};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// A set of queries, any of which may match.
///
/// A query matches a line if the line contains it, or if the NFC form of the line contains the NFC form of the query;
/// case is folded by Unicode simple folding, which never changes lengths.
pub(crate) struct Matcher {
    /// The queries as given and in NFC, over raw bytes: what a file without decomposed text is searched by.
    bytes: BytesRegex,
    /// The queries as given.
    stored: Regex,
    /// The queries in NFC, for lines in NFC.
    composed: Regex,
}

impl Matcher {
    /// Nothing matches where no query can: there is none, or each holds a line feed, which no line does.
    pub(crate) fn new<Q: AsRef<str>>(queries: &[Q]) -> Option<Self> {
        let queries: Vec<&str> = queries.iter().map(AsRef::as_ref).filter(|query| !query.contains('\n')).collect();
        if queries.is_empty() {
            return None;
        }
        let composed: Vec<String> = queries.iter().map(|query| query.nfc().collect()).collect();
        let stored = alternatives(queries.iter().copied());
        let both = alternatives(queries.iter().copied().chain(composed.iter().map(String::as_str)));
        let composed = alternatives(composed.iter().map(String::as_str));
        const VALID: &str = "escaped literals make a regular expression";
        Some(Self {
            bytes: BytesRegexBuilder::new(&both).case_insensitive(true).size_limit(usize::MAX).build().expect(VALID),
            stored: RegexBuilder::new(&stored).case_insensitive(true).size_limit(usize::MAX).build().expect(VALID),
            composed: RegexBuilder::new(&composed).case_insensitive(true).size_limit(usize::MAX).build().expect(VALID),
        })
    }

    /// Whether a file could hold a match; `false` is certain. Only looks at the raw bytes where these decide.
    pub(crate) fn may_match(&self, bytes: &[u8]) -> bool {
        self.bytes.is_match(bytes) || !is_composed(bytes)
    }

    /// The byte offset of the earliest occurrence of any query in a line.
    pub(crate) fn find(&self, line: &str) -> Option<usize> {
        let stored = self.stored.find(line).map(|found| found.start());
        let composed = if line.is_ascii() || is_nfc_quick(line.chars()) == IsNormalized::Yes {
            self.composed.find(line).map(|found| found.start())
        } else {
            self.find_composed(line)
        };
        match (stored, composed) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }

    fn find_composed(&self, line: &str) -> Option<usize> {
        let composed: String = line.nfc().collect();
        let found = self.composed.find(&composed)?;
        let index = composed[..found.start()].chars().count();
        nfc_with_sources(line).get(index).map(|&(_, source)| source)
    }
}

/// Whether bytes are surely UTF-8 text in NFC. Plain ASCII, by far the most, is told apart by a scan alone.
fn is_composed(bytes: &[u8]) -> bool {
    bytes.is_ascii() || std::str::from_utf8(bytes).is_ok_and(|text| is_nfc_quick(text.chars()) == IsNormalized::Yes)
}

fn alternatives<'a>(queries: impl Iterator<Item = &'a str>) -> String {
    let mut escaped: Vec<String> = queries.map(regex::escape).collect();
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
