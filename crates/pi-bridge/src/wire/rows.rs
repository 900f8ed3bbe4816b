//! Pages of a listing or a search: rows in order until the budget is full, and a count of the rest.

use std::borrow::Cow;

use serde::Serialize;

use super::{
    Delivery, fits, is_false, is_zero, largest,
    truncate::{middle_truncated, prefix},
};

/// Names of failing homes in one answer.
const HOMES: usize = 20;

/// One note of a listing.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FileRow {
    /// The rendered address, unless `address_truncated`.
    pub address: String,
    /// Whether the middle of the address was left out, so that it cannot be used as one.
    #[serde(skip_serializing_if = "is_false")]
    pub address_truncated: bool,
    /// Local ISO time of the last change.
    pub updated_at: String,
    /// When the note was put into the wastebasket.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crumpled_at: Option<String>,
    /// Whether the note's bytes are not UTF-8.
    #[serde(skip_serializing_if = "is_false")]
    pub not_utf8: bool,
}

/// One note of a search, with its matching lines.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SearchRow<'a> {
    /// The keys that it shares with a listing.
    #[serde(flatten)]
    pub file: FileRow,
    /// Matching lines of the note, delivered or not.
    pub matches_total: usize,
    /// The first of them, in line order.
    pub matches: Vec<MatchRow<'a>>,
}

/// One matching line.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MatchRow<'a> {
    /// 1-based line of the body.
    pub line: usize,
    /// The line, or a prefix of it where `truncated`.
    pub text: Cow<'a, str>,
    /// Whether the line was cut.
    pub truncated: bool,
    /// Where `notes_read` finds the match, in code points of the file as it is now.
    pub offset_chars: usize,
}

/// A row that can be made smaller when even the first one does not fit.
pub trait Shrink: Serialize + Clone {
    /// The largest form of the row for which `fits` holds.
    fn shrunk(&self, fits: &dyn Fn(&Self) -> bool) -> Self;
}

/// An answer made of rows.
#[derive(Debug, Clone, Serialize)]
pub struct Page<'a, R: Clone> {
    files: Cow<'a, [R]>,
    more: usize,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    homes_unavailable: &'a [String],
    #[serde(skip_serializing_if = "is_zero")]
    homes_unavailable_more: usize,
}

impl<'a, R: Shrink> Page<'a, R> {
    /// The rows that fit, in order and at most `limit`, out of `rows`; names the homes that could not be read.
    pub fn deliver(rows: &'a [R], limit: Option<usize>, unavailable: &'a [String]) -> Delivery {
        let page = |files: Cow<'a, [R]>| Page {
            more: rows.len() - files.len(),
            files,
            homes_unavailable: &unavailable[..unavailable.len().min(HOMES)],
            homes_unavailable_more: unavailable.len().saturating_sub(HOMES),
        };
        let wanted = limit.unwrap_or(usize::MAX).min(rows.len());
        let taken = largest(wanted, |count| fits(&page(Cow::Borrowed(&rows[..count])))).unwrap_or(0);
        if taken > 0 || wanted == 0 {
            return Delivery::json(&page(Cow::Borrowed(&rows[..taken])));
        }
        let first = rows[0].shrunk(&|row| fits(&page(Cow::Owned(vec![row.clone()]))));
        Delivery::json(&page(Cow::Owned(vec![first])))
    }
}

impl Shrink for FileRow {
    fn shrunk(&self, fits: &dyn Fn(&FileRow) -> bool) -> FileRow {
        let cut =
            |keep| FileRow { address: middle_truncated(&self.address, keep), address_truncated: true, ..self.clone() };
        let kept = largest(self.address.chars().count(), |keep| fits(&cut(keep)));
        cut(kept.unwrap_or(0))
    }
}

impl Shrink for SearchRow<'_> {
    fn shrunk(&self, fits: &dyn Fn(&Self) -> bool) -> Self {
        let first = |count: usize| SearchRow { matches: self.matches[..count].to_vec(), ..self.bare() };
        let whole = largest(self.matches.len(), |count| fits(&first(count))).unwrap_or(0);
        if whole > 0 || self.matches.is_empty() {
            return first(whole);
        }
        let line = self.matches[0].text.chars().count();
        let with_text = |keep: usize| {
            let mut row = first(1);
            let text = prefix(&self.matches[0].text, keep).to_owned();
            row.matches[0] = MatchRow { text: Cow::Owned(text), truncated: true, ..row.matches[0].clone() };
            row
        };
        if let Some(kept) = largest(line, |keep| fits(&with_text(keep))) {
            return with_text(kept);
        }
        let row = with_text(0);
        let file = row.file.shrunk(&|file| fits(&SearchRow { file: file.clone(), ..row.clone() }));
        SearchRow { file, ..row }
    }
}

impl SearchRow<'_> {
    /// The row without its matches, for building smaller ones without copying all of them.
    fn bare(&self) -> Self {
        SearchRow { file: self.file.clone(), matches_total: self.matches_total, matches: Vec::new() }
    }
}
