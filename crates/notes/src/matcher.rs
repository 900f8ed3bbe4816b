//! Finding queries in lines: case-insensitive literals, composed and decomposed spellings alike, exact positions.

use regex::bytes::{Regex as BytesRegex, RegexBuilder as BytesRegexBuilder};
use regex::{Regex, RegexBuilder};
use unicode_normalization::char::{canonical_combining_class, decompose_canonical};
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
        Some(stored_offset(line, found.start()))
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

/// Translates a byte offset in the NFC form of a line into one in the line itself: the first stored character of the
/// sequence that the character there is composed from.
fn stored_offset(line: &str, composed_offset: usize) -> usize {
    let mut composed_at = 0;
    for segment in Segments(line) {
        let composed: String = segment.nfc().collect();
        if composed_offset < composed_at + composed.len() {
            let inside = composed_offset - composed_at;
            return offset_of(line, segment) + source_of(segment, &composed, inside);
        }
        composed_at += composed.len();
    }
    line.len()
}

/// Within one segment: where the character at a byte offset of its NFC form comes from.
fn source_of(segment: &str, composed: &str, inside: usize) -> usize {
    let Some(wanted) = composed[inside..].chars().next().filter(|_| inside > 0) else {
        return 0;
    };
    let mut first = None;
    decompose_canonical(wanted, |part| {
        first.get_or_insert(part);
    });
    let comes_from = |c: char| {
        let mut start = None;
        decompose_canonical(c, |part| {
            start.get_or_insert(part);
        });
        start == first
    };
    // The same character may occur again in the segment; equal ones keep their order under normalization.
    let nth = composed[..inside].chars().skip(1).filter(|&c| c == wanted).count();
    segment.char_indices().skip(1).filter(|&(_, c)| comes_from(c)).nth(nth).map_or(0, |(at, _)| at)
}

fn offset_of(line: &str, part: &str) -> usize {
    part.as_ptr() as usize - line.as_ptr() as usize
}

/// Stretches of text that compose on their own: each begins at a character that joins with nothing before it.
struct Segments<'a>(&'a str);

impl<'a> Iterator for Segments<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let mut chars = self.0.char_indices();
        chars.next()?;
        let end = chars.find(|&(_, c)| starts_segment(c)).map_or(self.0.len(), |(at, _)| at);
        let (segment, rest) = self.0.split_at(end);
        self.0 = rest;
        Some(segment)
    }
}

fn starts_segment(c: char) -> bool {
    c.is_ascii() || (canonical_combining_class(c) == 0 && is_nfc_quick(std::iter::once(c)) == IsNormalized::Yes)
}
