//! One record of a session file: the fields that mean something to history, still as they stand in the file.
//!
//! The format is Pi's (its `docs/session-format.md`); keys may come in any order, a repeated key counts once, the last.

use std::ops::Range;

use crate::json::{Cursor, Parsed, Text};

/// The type and custom type of the entry that opens a new window.
const MARKER: &str = "pi-context/reset-marker";

/// Fields of a record. What has the wrong shape is as if it were absent.
#[derive(Debug, Default)]
pub(crate) struct Record<'a> {
    pub(crate) kind: Option<Text<'a>>,
    pub(crate) id: Option<Text<'a>>,
    pub(crate) parent: Option<Text<'a>>,
    pub(crate) timestamp: Option<Text<'a>>,
    /// A header's.
    pub(crate) version: Option<&'a [u8]>,
    pub(crate) cwd: Option<Text<'a>>,
    pub(crate) parent_session: Option<Text<'a>>,
    /// A label's.
    pub(crate) target: Option<Text<'a>>,
    pub(crate) label: Option<Text<'a>>,
    /// A session info's.
    pub(crate) name: Option<Text<'a>>,
    pub(crate) custom_type: Option<Text<'a>>,
    pub(crate) data: Option<&'a [u8]>,
    pub(crate) message: Option<Message<'a>>,
    /// Of a custom message, a compaction or a branch summary, which are no `message`.
    pub(crate) body: Body<'a>,
    /// Some text in it may be spelled otherwise than events spell it, beyond the escapes JSON demands.
    pub(crate) respelled: bool,
}

/// What carries the text of an entry.
#[derive(Debug, Default)]
pub(crate) struct Body<'a> {
    pub(crate) content: Content<'a>,
    pub(crate) summary: Option<Text<'a>>,
}

/// The message of a `message` entry.
#[derive(Debug, Default)]
pub(crate) struct Message<'a> {
    pub(crate) role: Option<Text<'a>>,
    pub(crate) body: Body<'a>,
    /// Of a tool result.
    pub(crate) tool_call_id: Option<Text<'a>>,
    pub(crate) tool_name: Option<Text<'a>>,
    pub(crate) is_error: bool,
    /// Of a bash execution.
    pub(crate) command: Option<Text<'a>>,
    pub(crate) output: Option<Text<'a>>,
    pub(crate) exit_code: Option<&'a [u8]>,
    pub(crate) cancelled: bool,
    pub(crate) truncated: bool,
    pub(crate) full_output_path: Option<Text<'a>>,
    pub(crate) excluded: bool,
}

/// The content of a message.
#[derive(Debug, Default, Clone)]
pub(crate) enum Content<'a> {
    #[default]
    Nothing,
    Text(Text<'a>),
    /// A range of the record's [`Parts`].
    Parts(Range<usize>),
}

/// A part of a content array that is text or a tool call; the others say nothing to history.
#[derive(Debug)]
pub(crate) enum Part<'a> {
    Text(Text<'a>),
    Call(Call<'a>),
}

/// A tool call in an assistant's message.
#[derive(Debug)]
pub(crate) struct Call<'a> {
    pub(crate) id: Option<Text<'a>>,
    pub(crate) name: Option<Text<'a>>,
    pub(crate) arguments: Option<&'a [u8]>,
}

/// The parts of a record's content; one vector serves many records.
pub(crate) type Parts<'a> = Vec<Part<'a>>;

impl<'a> Record<'a> {
    /// Reads the object that begins at the cursor.
    pub(crate) fn read(cursor: &mut Cursor<'a>, parts: &mut Parts<'a>) -> Parsed<Self> {
        let mut record = Self::default();
        parts.clear();
        cursor.respelled = false;
        cursor.object(|cursor, key| {
            match &*key.bytes() {
                b"type" => record.kind = cursor.text()?,
                b"id" => record.id = cursor.text()?,
                b"parentId" => record.parent = cursor.text()?,
                b"timestamp" => record.timestamp = cursor.text()?,
                b"message" => record.message = message(cursor, parts, &mut record.respelled)?,
                b"content" => record.body.content = content(cursor, parts, &mut record.respelled)?,
                b"summary" => record.body.summary = cursor.text()?,
                b"customType" => record.custom_type = cursor.text()?,
                b"data" => record.data = Some(cursor.raw()?),
                b"version" => record.version = Some(cursor.raw()?),
                b"cwd" => record.cwd = cursor.text()?,
                b"parentSession" => record.parent_session = cursor.text()?,
                b"targetId" => record.target = cursor.text()?,
                b"label" => record.label = cursor.text()?,
                b"name" => record.name = cursor.text()?,
                _ => cursor.skip()?,
            }
            Some(())
        })?;
        record.respelled |= cursor.respelled;
        if !record.is("message") {
            record.message = None;
        }
        Some(record)
    }

    /// Reads a record from its own bytes; nothing if they hold none.
    pub(crate) fn parse(bytes: &'a [u8], parts: &mut Parts<'a>) -> Option<Self> {
        let mut cursor = Cursor::new(bytes);
        (cursor.peek() == Some(b'{')).then(|| Self::read(&mut cursor, parts))?
    }

    pub(crate) fn is(&self, kind: &str) -> bool {
        self.kind.is_some_and(|text| text.is(kind))
    }

    /// Whether its text is a summary.
    pub(crate) fn is_summary(&self) -> bool {
        let Some(message) = &self.message else {
            return self.is("compaction") || self.is("branch_summary");
        };
        message.role.is_some_and(|role| role.is("compactionSummary") || role.is("branchSummary"))
    }

    /// The id of the window that this entry opens, if it does.
    pub(crate) fn window_id(&self) -> Option<String> {
        if !self.is("custom") || !self.custom_type.is_some_and(|text| text.is(MARKER)) {
            return None;
        }
        let mut cursor = Cursor::new(self.data.filter(|data| data.starts_with(b"{"))?);
        let mut id = None;
        let object = cursor.object(|cursor, key| {
            if key.is("windowId") {
                id = cursor.text()?;
                return Some(());
            }
            cursor.skip()
        });
        object?;
        id.filter(|id| !id.is_empty()).map(Text::to_owned)
    }

    /// The session format that a header names; 1 where it names none.
    pub(crate) fn format(&self) -> u8 {
        let version = self.version.and_then(|raw| std::str::from_utf8(raw).ok());
        match version.and_then(|raw| raw.trim_matches('"').parse::<f64>().ok()) {
            Some(version) if version >= 3.0 => 3,
            Some(version) if version >= 2.0 => 2,
            _ => 1,
        }
    }
}

impl<'a> Content<'a> {
    /// The text parts in order.
    pub(crate) fn texts<'p>(&self, parts: &'p [Part<'a>]) -> impl Iterator<Item = Text<'a>> + 'p {
        let (alone, range) = match self {
            Self::Nothing => (None, 0..0),
            Self::Text(text) => (Some(*text), 0..0),
            Self::Parts(range) => (None, range.clone()),
        };
        alone.into_iter().chain(parts[range].iter().filter_map(|part| match part {
            Part::Text(text) => Some(*text),
            Part::Call(_) => None,
        }))
    }

    /// The tool calls in order.
    pub(crate) fn calls<'p>(&self, parts: &'p [Part<'a>]) -> impl Iterator<Item = &'p Call<'a>> + use<'a, 'p> {
        let range = if let Self::Parts(range) = self { range.clone() } else { 0..0 };
        parts[range].iter().filter_map(|part| match part {
            Part::Call(call) => Some(call),
            Part::Text(_) => None,
        })
    }

    /// Whether the text is empty: its parts are joined by line feeds, so two empty ones are not.
    pub(crate) fn has_text(&self, parts: &[Part<'a>]) -> bool {
        let mut texts = self.texts(parts);
        texts.next().is_some_and(|first| !first.is_empty() || texts.next().is_some())
    }
}

fn message<'a>(cursor: &mut Cursor<'a>, parts: &mut Parts<'a>, respelled: &mut bool) -> Parsed<Option<Message<'a>>> {
    if cursor.peek() != Some(b'{') {
        cursor.skip()?;
        return Some(None);
    }
    let mut message = Message::default();
    cursor.object(|cursor, key| {
        match &*key.bytes() {
            b"role" => message.role = cursor.text()?,
            b"content" => message.body.content = content(cursor, parts, respelled)?,
            b"summary" => message.body.summary = cursor.text()?,
            b"toolCallId" => message.tool_call_id = cursor.text()?,
            b"toolName" => message.tool_name = cursor.text()?,
            b"isError" => message.is_error = cursor.raw()? == b"true",
            b"command" => message.command = cursor.text()?,
            b"output" => message.output = cursor.text()?,
            b"exitCode" => message.exit_code = Some(cursor.raw()?),
            b"cancelled" => message.cancelled = cursor.raw()? == b"true",
            b"truncated" => message.truncated = cursor.raw()? == b"true",
            b"fullOutputPath" => message.full_output_path = cursor.text()?,
            b"excludeFromContext" => message.excluded = cursor.raw()? == b"true",
            _ => cursor.skip()?,
        }
        Some(())
    })?;
    // A result without a name is shown under one that is nowhere in the file.
    *respelled |= message.tool_name.is_none() && message.role.is_some_and(|role| role.is("toolResult"));
    Some(Some(message))
}

fn content<'a>(cursor: &mut Cursor<'a>, parts: &mut Parts<'a>, respelled: &mut bool) -> Parsed<Content<'a>> {
    match cursor.peek() {
        Some(b'"') => Some(cursor.text()?.map_or(Content::Nothing, Content::Text)),
        Some(b'[') => {
            let start = parts.len();
            cursor.array(|cursor| part(cursor, parts, respelled))?;
            Some(Content::Parts(start..parts.len()))
        }
        _ => cursor.skip().map(|()| Content::Nothing),
    }
}

fn part<'a>(cursor: &mut Cursor<'a>, parts: &mut Parts<'a>, respelled: &mut bool) -> Parsed<()> {
    if cursor.peek() != Some(b'{') {
        return cursor.skip();
    }
    let (mut kind, mut text) = (None, None);
    let mut call = Call { id: None, name: None, arguments: None };
    let mut reprinted = false;
    cursor.object(|cursor, key| {
        match &*key.bytes() {
            b"type" => kind = cursor.text()?,
            b"text" => text = cursor.text()?,
            b"id" => call.id = cursor.text()?,
            b"name" => call.name = cursor.text()?,
            b"arguments" => {
                cursor.peek();
                cursor.reprinted = false;
                call.arguments = Some(cursor.raw()?);
                reprinted = cursor.reprinted;
            }
            _ => cursor.skip()?,
        }
        Some(())
    })?;
    let Some(kind) = kind else { return Some(()) };
    if kind.is("toolCall") {
        // An object may be printed as it stands in the record; anything else would run into the name before it.
        let plain = call.arguments.is_none_or(|arguments| arguments.starts_with(b"{") && !reprinted);
        *respelled |= call.name.is_none() || !plain;
        parts.push(Part::Call(call));
    } else if let (true, Some(text)) = (kind.is("text"), text) {
        parts.push(Part::Text(text));
    }
    Some(())
}
