//! Frontmatter as text: where its lines are and what they hold. Parsing keeps every byte in reach, so that
//! [`rewrite`](crate::rewrite) can leave alone what it does not change.

use std::ops::Range;

use serde_json::Value;

/// A note's text taken apart: the frontmatter block, if there is one, and the body.
#[derive(Debug)]
pub(crate) struct Document<'a> {
    pub(crate) text: &'a str,
    pub(crate) block: Option<Block<'a>>,
    /// Byte offset at which the body starts; 0 without a block.
    pub(crate) body_start: usize,
}

/// The lines between (and with) the two `---` lines. Ranges are byte offsets into the text, line endings included.
#[derive(Debug)]
pub(crate) struct Block<'a> {
    pub(crate) open: Range<usize>,
    pub(crate) lines: Vec<Line<'a>>,
    pub(crate) close: Range<usize>,
    /// The one empty line that separates block and body; empty where there is none.
    pub(crate) separator: Range<usize>,
}

/// One line inside the block.
#[derive(Debug)]
pub(crate) struct Line<'a> {
    pub(crate) range: Range<usize>,
    pub(crate) kind: LineKind<'a>,
}

#[derive(Debug)]
pub(crate) enum LineKind<'a> {
    /// `key: value`; the value includes that of the list items that follow.
    Entry { key: &'a str, value: Value },
    /// A list item that belongs to the entry before it.
    Item,
    /// Comments, blank lines and everything else: carries no value and is kept.
    Other,
}

impl<'a> Document<'a> {
    pub(crate) fn parse(text: &'a str) -> Self {
        let Some((block, body_start)) = Block::find(text) else {
            return Self { text, block: None, body_start: 0 };
        };
        Self { text, block: Some(block), body_start }
    }

    pub(crate) fn body(&self) -> &'a str {
        &self.text[self.body_start..]
    }

    /// The entries in order; of a repeated key the last one counts.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (&'a str, &Value)> {
        self.block.iter().flat_map(|block| &block.lines).filter_map(|line| match &line.kind {
            LineKind::Entry { key, value } => Some((*key, value)),
            LineKind::Item | LineKind::Other => None,
        })
    }

    /// The block from the opening to the closing `---`, without the line ending after it; empty where there is none.
    pub(crate) fn block_text(&self) -> &'a str {
        let Some(block) = &self.block else { return "" };
        let start = block.open.start + if self.text.starts_with(BOM) { BOM.len_utf8() } else { 0 };
        self.text[start..block.close.end].trim_end_matches(['\n', '\r'])
    }
}

impl<'a> Block<'a> {
    fn find(text: &'a str) -> Option<(Self, usize)> {
        let mut lines = Lines { text, at: 0 };
        let open = lines.next()?;
        let first = &text[open.clone()];
        if first.strip_prefix(BOM).unwrap_or(first).trim() != "---" {
            return None;
        }
        let mut inner = Vec::new();
        let close = loop {
            let line = lines.next()?;
            if text[line.clone()].trim() == "---" {
                break line;
            }
            inner.push(line);
        };
        let separator =
            lines.next().filter(|line| matches!(&text[line.clone()], "\n" | "\r\n")).unwrap_or(close.end..close.end);
        let body_start = separator.end;
        Some((Self { open, lines: classify(text, inner), close, separator }, body_start))
    }
}

/// Drops a leading block from content that a caller supplies, if it is frontmatter beyond doubt: closed, at least one
/// entry, and nothing but entries, list items, comments and blank lines.
pub(crate) fn strip_supplied_block(content: &str) -> &str {
    let document = Document::parse(content);
    let Some(block) = &document.block else {
        return content;
    };
    let has_entry = block.lines.iter().any(|line| matches!(line.kind, LineKind::Entry { .. }));
    let only_frontmatter = block.lines.iter().all(|line| {
        let text = &content[line.range.clone()];
        !matches!(line.kind, LineKind::Other)
            || text.trim().is_empty()
            || text.trim_start().starts_with('#')
            || list_item(text).is_some()
    });
    if has_entry && only_frontmatter { document.body() } else { content }
}

/// The text of a note whose bytes are not UTF-8, reduced to the lines that are: what a rewrite may keep of its block.
pub(crate) fn utf8_lines(bytes: &[u8]) -> String {
    bytes.split_inclusive(|&byte| byte == b'\n').filter_map(|line| std::str::from_utf8(line).ok()).collect()
}

const BOM: char = '\u{feff}';

/// Ranges of lines, each with its LF. Only LF ends a line.
struct Lines<'a> {
    text: &'a str,
    at: usize,
}

impl Iterator for Lines<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let rest = &self.text[self.at..];
        if rest.is_empty() {
            return None;
        }
        let start = self.at;
        self.at += rest.find('\n').map_or(rest.len(), |lf| lf + 1);
        Some(start..self.at)
    }
}

fn classify(text: &str, ranges: Vec<Range<usize>>) -> Vec<Line<'_>> {
    let mut lines: Vec<Line<'_>> = Vec::with_capacity(ranges.len());
    let mut list: Option<usize> = None;
    for range in ranges {
        let line = &text[range.clone()];
        if let Some(owner) = list
            && let Some(item) = list_item(line)
        {
            if let LineKind::Entry { value: Value::Array(items), .. } = &mut lines[owner].kind {
                items.push(scalar(item));
            }
            lines.push(Line { range, kind: LineKind::Item });
            continue;
        }
        list = None;
        let kind = match entry(line) {
            Some((key, "")) => {
                list = Some(lines.len());
                LineKind::Entry { key, value: Value::Array(Vec::new()) }
            }
            Some((key, value)) => LineKind::Entry { key, value: scalar(value) },
            None => LineKind::Other,
        };
        lines.push(Line { range, kind });
    }
    lines
}

/// `key: value` at column 0; the value comes trimmed.
fn entry(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(':')?;
    let mut chars = key.chars();
    let first = chars.next()?;
    let fits = (first.is_ascii_alphabetic() || first == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    fits.then(|| (key, value.trim()))
}

/// Optional space, `-`, at least one space, item; the item comes trimmed.
fn list_item(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches([' ', '\t']).strip_prefix('-')?;
    let item = rest.trim();
    (rest.starts_with([' ', '\t']) && !item.is_empty()).then_some(item)
}

fn scalar(text: &str) -> Value {
    if may_be_json(text)
        && let Ok(value) = serde_json::from_str(text)
    {
        return value;
    }
    let unquoted = ['"', '\''].iter().find_map(|&quote| text.strip_prefix(quote)?.strip_suffix(quote));
    Value::String(unquoted.unwrap_or(text).to_owned())
}

/// Whether a text could be JSON, by its first character and, for numbers, by all: most values are dates and words, and a
/// parser that fails is slow.
fn may_be_json(text: &str) -> bool {
    match text.bytes().next() {
        Some(b'0'..=b'9' | b'-') => text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte)),
        Some(b'"' | b'{' | b'[' | b't' | b'f' | b'n') => true,
        _ => false,
    }
}
