//! Lossless rewriting: a new text of a note in which only the lines of our own keys and the changed body differ.

use serde_json::Value;

use crate::block::{Block, Document, LineKind};
use crate::clock::local_iso;
use crate::meta::{Normalize, valid_origin};
use crate::origin::Origin;

/// Own keys in their order; the store sets the first six.
const OWN_KEYS: [&str; 10] = [
    "origin",
    "crumpledAt",
    "createdAt",
    "updatedAt",
    "lastAccessed",
    "accessCount",
    "sourceWindow",
    "supersedes",
    "recurrenceCount",
    "recurrenceWindows",
];

/// What a rewrite changes; everything left at its default stays as it is.
#[derive(Debug, Default)]
pub(crate) struct Changes<'a> {
    pub(crate) origin: Option<Origin>,
    pub(crate) updated_at: Option<i64>,
    pub(crate) last_accessed: Option<i64>,
    pub(crate) access_count: Option<f64>,
    pub(crate) crumpled: Crumple,
    /// Written once, last in the block of a new note.
    pub(crate) project: Option<&'a str>,
    pub(crate) body: Option<&'a str>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Crumple {
    #[default]
    Keep,
    /// Sets the time, in epoch milliseconds, unless there is one.
    Set(i64),
    Remove,
}

/// Applies changes to a document and normalises our own keys on the way.
pub(crate) fn rewrite(document: &Document<'_>, changes: &Changes<'_>, context: &Normalize<'_>) -> String {
    let body = changes.body.unwrap_or_else(|| document.body());
    let values = own_values(document, changes, context);
    let mut text = String::with_capacity(document.text.len() + body.len() + 256);
    match &document.block {
        Some(block) => {
            edit_block(&mut text, document.text, block, &values);
            separate(&mut text, document.text, block, body);
        }
        None => create_block(&mut text, &values, changes.project),
    }
    text.push_str(body);
    text
}

/// What becomes of an own key.
#[derive(Debug, PartialEq)]
enum OwnValue {
    /// Its line stays as it stands, or there is none and none is due.
    Keep,
    Set(String),
    Remove,
}

fn own_values(document: &Document<'_>, changes: &Changes<'_>, context: &Normalize<'_>) -> [OwnValue; 6] {
    let stored = |wanted: &str| document.entries().filter(|(key, _)| *key == wanted).last().map(|(_, value)| value);
    let time = |key: &str, change: Option<i64>| {
        let old = stored(key).and_then(|value| context.instant(value));
        match (old, change) {
            (Some(old), Some(new)) if old == new => OwnValue::Keep,
            (Some(_), None) => OwnValue::Keep,
            (_, change) => OwnValue::Set(local_iso(change.unwrap_or(context.now), context.zone)),
        }
    };
    let origin = match (stored("origin").and_then(valid_origin), changes.origin) {
        (Some(old), new) if new.is_none_or(|new| new == old) => OwnValue::Keep,
        (_, new) => OwnValue::Set(new.unwrap_or_default().as_str().to_owned()),
    };
    let count = match (stored("accessCount").and_then(Value::as_f64), changes.access_count) {
        (Some(old), new) if new.is_none_or(|new| new == old) => OwnValue::Keep,
        (_, new) => OwnValue::Set(number(new.unwrap_or(0.0))),
    };
    let crumpled = match changes.crumpled {
        Crumple::Set(at) if stored("crumpledAt").is_none() => OwnValue::Set(local_iso(at, context.zone)),
        Crumple::Remove => OwnValue::Remove,
        Crumple::Set(_) | Crumple::Keep => OwnValue::Keep,
    };
    [
        origin,
        crumpled,
        time("createdAt", None),
        time("updatedAt", changes.updated_at),
        time("lastAccessed", changes.last_accessed),
        count,
    ]
}

fn create_block(text: &mut String, values: &[OwnValue; 6], project: Option<&str>) {
    text.push_str("---\n");
    for (key, value) in OWN_KEYS.iter().zip(values) {
        if let OwnValue::Set(value) = value {
            push_entry(text, key, value, "\n");
        }
    }
    if let Some(project) = project {
        push_entry(text, "project", &encode(project), "\n");
    }
    text.push_str("---\n\n");
}

/// One piece of the block to be written: an old stretch of text or a line of ours.
struct Piece<'a> {
    key: Option<&'a str>,
    /// Whether this is a list item of the entry before it.
    item: bool,
    text: std::borrow::Cow<'a, str>,
}

fn edit_block(out: &mut String, source: &str, block: &Block<'_>, values: &[OwnValue; 6]) {
    let newline = line_ending(&source[block.open.clone()]);
    let mut pieces: Vec<Piece<'_>> = block
        .lines
        .iter()
        .map(|line| {
            let text = source[line.range.clone()].into();
            match line.kind {
                LineKind::Entry { key, .. } => Piece { key: Some(key), item: false, text },
                LineKind::Item => Piece { key: None, item: true, text },
                LineKind::Other => Piece { key: None, item: false, text },
            }
        })
        .collect();
    remove_entries(&mut pieces, "scope");
    for (key, value) in OWN_KEYS.into_iter().zip(values) {
        match value {
            OwnValue::Keep => {}
            OwnValue::Remove => remove_entries(&mut pieces, key),
            OwnValue::Set(value) => set_entry(&mut pieces, key, value, newline),
        }
    }
    out.push_str(&source[..block.open.end]);
    for piece in &pieces {
        out.push_str(&piece.text);
    }
    out.push_str(&source[block.close.clone()]);
}

fn set_entry<'a>(pieces: &mut Vec<Piece<'a>>, key: &'a str, value: &str, newline: &str) {
    if let Some(at) = pieces.iter().rposition(|piece| piece.key == Some(key)) {
        let mut line = String::new();
        push_entry(&mut line, key, value, line_ending(&pieces[at].text));
        pieces[at].text = line.into();
        let end = end_of_entry(pieces, at);
        pieces.drain(at + 1..end);
        return;
    }
    let mut line = String::new();
    push_entry(&mut line, key, value, newline);
    pieces.insert(place_for(pieces, key), Piece { key: Some(key), item: false, text: line.into() });
}

fn remove_entries(pieces: &mut Vec<Piece<'_>>, key: &str) {
    while let Some(at) = pieces.iter().rposition(|piece| piece.key == Some(key)) {
        let end = end_of_entry(pieces, at);
        pieces.drain(at..end);
    }
}

/// Where a new own key goes: behind the nearest own key before it in our order, else ahead of the nearest after it, else
/// at the end.
fn place_for(pieces: &[Piece<'_>], key: &str) -> usize {
    let rank = OWN_KEYS.iter().position(|own| *own == key).unwrap_or(OWN_KEYS.len());
    let before = OWN_KEYS[..rank].iter().rev().find_map(|own| pieces.iter().rposition(|p| p.key == Some(*own)));
    if let Some(at) = before {
        return end_of_entry(pieces, at);
    }
    let after = OWN_KEYS[rank..].iter().find_map(|own| pieces.iter().position(|p| p.key == Some(*own)));
    after.unwrap_or(pieces.len())
}

/// The index behind an entry and its list items.
fn end_of_entry(pieces: &[Piece<'_>], at: usize) -> usize {
    at + 1 + pieces[at + 1..].iter().take_while(|piece| piece.item).count()
}

/// Keeps what separates block and body, and completes it where the body would not parse back unchanged.
fn separate(out: &mut String, source: &str, block: &Block<'_>, body: &str) {
    let newline = line_ending(&source[block.open.clone()]);
    out.push_str(&source[block.separator.clone()]);
    if body.is_empty() || !block.separator.is_empty() {
        return;
    }
    if !source[block.close.clone()].ends_with('\n') {
        out.push_str(newline);
    }
    if body.starts_with('\n') || body.starts_with("\r\n") {
        out.push_str(newline);
    }
}

fn push_entry(out: &mut String, key: &str, value: &str, newline: &str) {
    out.push_str(key);
    out.push_str(": ");
    out.push_str(value);
    out.push_str(newline);
}

fn line_ending(line: &str) -> &'static str {
    if line.ends_with("\r\n") { "\r\n" } else { "\n" }
}

/// A string as an entry's value: bare where that reads back as the same string, a JSON string otherwise.
fn encode(text: &str) -> String {
    let plain = !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.+-:/".contains(&byte))
        && !["true", "false", "null", "yes", "no", "on", "off", "~"].iter().any(|word| text.eq_ignore_ascii_case(word))
        && serde_json::from_str::<Value>(text).is_err();
    if plain { text.to_owned() } else { Value::from(text).to_string() }
}

/// Compact JSON; an integral value has no fraction.
fn number(value: f64) -> String {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if value.fract() == 0.0 && value.abs() <= EXACT { format!("{value:.0}") } else { Value::from(value).to_string() }
}
