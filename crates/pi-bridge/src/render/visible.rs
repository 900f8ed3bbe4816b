//! Text of others made safe to show: no escape sequence reaches the terminal, no line is wider than it claims.

use std::borrow::Cow;

use unicode_width::UnicodeWidthChar;

/// A text with tabs as blanks, control characters as their pictures, and what reorders text as U+FFFD.
pub(super) fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(needs_showing) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\t' => shown.push_str("    "),
            '\0'..='\u{1f}' => shown.extend(char::from_u32(0x2400 + c as u32)),
            '\u{7f}' => shown.push('\u{2421}'),
            c if needs_showing(c) => shown.push(char::REPLACEMENT_CHARACTER),
            c => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

fn needs_showing(c: char) -> bool {
    c.is_control()
        // Line and paragraph separators, and the marks that change the direction of text.
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{61c}')
}

/// The cells that a character takes, or more.
///
/// The host counts clusters and refuses a line that is too wide. Counting every character, marks and joiners
/// included, as one cell at least is never less than its count, whatever the cluster.
pub(super) fn cells(c: char) -> usize {
    match c {
        // Flags: a lone regional indicator may be drawn as wide as a pair.
        '\u{1f1e6}'..='\u{1f1ff}' => 2,
        c => c.width().unwrap_or(1).max(1),
    }
}

/// The longest prefix of a text that takes at most `width` cells, and the rest. Never empty where the text is not, so
/// that cutting a text again and again comes to an end.
pub(super) fn split_at_width(text: &str, width: usize) -> (&str, &str) {
    let mut taken = 0;
    for (at, c) in text.char_indices() {
        taken += cells(c);
        if taken > width && at > 0 {
            return text.split_at(at);
        }
    }
    (text, "")
}
