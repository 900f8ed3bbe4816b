//! Two ways to cut text, both counted in code points.

/// The first `keep` code points of a text.
pub fn prefix(text: &str, keep: usize) -> &str {
    match text.char_indices().nth(keep) {
        Some((end, _)) => &text[..end],
        None => text,
    }
}

/// A text with its middle replaced by a marker, so that `keep` of its code points remain.
///
/// The larger half stays in front. A text of at most `keep` code points comes back unchanged.
///
/// ```
/// use palimpsest_pi_bridge::middle_truncated;
/// assert_eq!(middle_truncated("abcdefgh", 3), "ab…[truncated 5 chars]…h");
/// assert_eq!(middle_truncated("abc", 3), "abc");
/// ```
pub fn middle_truncated(text: &str, keep: usize) -> String {
    let total = text.chars().count();
    if total <= keep {
        return text.to_owned();
    }
    let tail = keep / 2;
    let head = prefix(text, keep - tail);
    let rest = &text[prefix(text, total - tail).len()..];
    format!("{head}…[truncated {} chars]…{rest}", total - keep)
}
