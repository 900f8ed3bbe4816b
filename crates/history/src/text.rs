//! Code points of text: lengths and offsets as users count them.

/// How many code points a text has.
pub(crate) fn length(text: &str) -> usize {
    text.chars().count()
}

/// The byte offset of a code point, or the length of the text if it is past the end.
pub(crate) fn byte_offset(text: &str, code_point: usize) -> usize {
    if text.is_ascii() {
        return code_point.min(text.len());
    }
    text.char_indices().nth(code_point).map_or(text.len(), |(at, _)| at)
}
