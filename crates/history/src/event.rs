//! The text of an event, and the facts beside it, made from its records.

use crate::branch::Event;
use crate::error::HistoryError;
use crate::index::{Index, NONE};
use crate::json::{self, Text};
use crate::record::{Content, Message, Part, Parts, Record};
use crate::scan::{Kind, UNKNOWN_TOOL};
use crate::source::Source;

/// Stands between what a tool was asked and what it answered.
pub(crate) const OUTPUT: &str = "--- output ---";
const WITHHELD: &str = "[output withheld: the user excluded it from the context]";

/// What is known of a tool event beyond its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tool {
    /// The tool's name, `bash` for a command that the person ran.
    pub name: String,
    /// The result was flagged as an error.
    pub error: bool,
    /// How it ended.
    pub status: ToolStatus,
    /// The output of a command that the person ran was cut.
    pub cut_output: Option<CutOutput>,
}

/// How a tool call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ToolStatus {
    /// With a result that is no error, or with exit code 0.
    Ok,
    /// With an error, or with another exit code.
    Error,
    /// Not, as far as is known: without a result, cancelled, or without an exit code.
    Unfinished,
}

impl ToolStatus {
    /// `ok`, `error` or `unfinished`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Error => "error",
            Self::Unfinished => "unfinished",
        }
    }
}

/// Output of a command that was too long to be kept in the session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CutOutput {
    /// The file that holds all of it.
    pub full_output_path: Option<String>,
}

/// An event in full.
#[derive(Debug, Default)]
pub(crate) struct Told {
    pub(crate) text: String,
    pub(crate) created_at: Option<String>,
    pub(crate) tool: Option<Tool>,
}

/// Makes the text of an event.
pub(crate) fn tell(source: &Source, index: &Index, event: Event) -> Result<Told, HistoryError> {
    let mut told = Told::default();
    with_record(source, index, event.entry, |record, parts| {
        told.created_at = record.timestamp.map(Text::to_owned);
        told.tool = tell_call(record, parts, index.entries[event.entry as usize].kind, event.part, &mut told.text);
    })?;
    if event.result != NONE {
        with_record(source, index, event.result, |record, parts| {
            let Some(message) = &record.message else { return };
            tell_output(&mut told.text, |text| write_texts(&message.body.content, parts, text));
            if let Some(tool) = &mut told.tool {
                tool.error = message.is_error;
                tool.status = status_of(message);
            }
        })?;
    }
    Ok(told)
}

/// All text in a record, in the order of its events; what a search in it may find, but for what is the same in all.
pub(crate) fn write_searchable(record: &Record<'_>, parts: &[Part<'_>], kind: Kind, text: &mut String) {
    let calls = match (&record.message, kind) {
        (Some(message), Kind::Assistant) => message.body.content.calls(parts).count(),
        _ => 0,
    };
    for part in 0..=u32::try_from(calls).unwrap_or(u32::MAX) {
        tell_call(record, parts, kind, part, text);
        text.push('\n');
    }
}

/// Writes the text of a record's event, the result of a call left out.
fn tell_call(record: &Record<'_>, parts: &[Part<'_>], kind: Kind, part: u32, text: &mut String) -> Option<Tool> {
    let body = record.message.as_ref().map_or(&record.body, |message| &message.body);
    let tool = |name: String, status| Some(Tool { name, error: false, status, cut_output: None });
    match (kind, &record.message) {
        (Kind::Assistant, _) if part > 0 => {
            let call = body.content.calls(parts).nth(part as usize - 1)?;
            let name = call.name.map_or_else(|| UNKNOWN_TOOL.to_owned(), Text::to_owned);
            text.push_str(&name);
            text.push(' ');
            json::write_compact(call.arguments.unwrap_or(b"{}"), text);
            tool(name, ToolStatus::Unfinished)
        }
        (Kind::ToolResult, Some(message)) => {
            let name = message.tool_name.map_or_else(|| UNKNOWN_TOOL.to_owned(), Text::to_owned);
            text.push_str(&name);
            text.push_str(" {}");
            tell_output(text, |text| write_texts(&body.content, parts, text));
            let status = status_of(message);
            Some(Tool { name, error: message.is_error, status, cut_output: None })
        }
        (Kind::Bash, Some(message)) => {
            text.push_str("bash {\"command\":");
            json::write_quoted(&message.command.map(Text::decode).unwrap_or_default(), text);
            text.push('}');
            tell_output(text, |text| match message.output {
                _ if message.excluded => text.push_str(WITHHELD),
                Some(output) => text.push_str(&output.decode()),
                None => {}
            });
            let cut = message.truncated && !message.excluded;
            let cut_output = cut.then(|| CutOutput { full_output_path: message.full_output_path.map(Text::to_owned) });
            let status = match message.exit_code {
                _ if message.cancelled => ToolStatus::Unfinished,
                Some(b"0") => ToolStatus::Ok,
                None | Some(b"null") => ToolStatus::Unfinished,
                Some(_) => ToolStatus::Error,
            };
            Some(Tool { name: "bash".to_owned(), error: false, status, cut_output })
        }
        (Kind::Context, _) => {
            match body.summary {
                Some(summary) if record.is_summary() => text.push_str(&summary.decode()),
                _ if record.is_summary() => {}
                _ => write_texts(&body.content, parts, text),
            }
            None
        }
        _ => {
            write_texts(&body.content, parts, text);
            None
        }
    }
}

fn tell_output(text: &mut String, write: impl FnOnce(&mut String)) {
    text.push('\n');
    text.push_str(OUTPUT);
    text.push('\n');
    write(text);
}

fn status_of(result: &Message<'_>) -> ToolStatus {
    if result.is_error { ToolStatus::Error } else { ToolStatus::Ok }
}

fn write_texts(content: &Content<'_>, parts: &[Part<'_>], text: &mut String) {
    for (number, part) in content.texts(parts).enumerate() {
        if number > 0 {
            text.push('\n');
        }
        text.push_str(&part.decode());
    }
}

fn with_record(
    source: &Source,
    index: &Index,
    entry: u32,
    look: impl FnOnce(&Record<'_>, &[Part<'_>]),
) -> Result<(), HistoryError> {
    let entry = &index.entries[entry as usize];
    let mut buffer = Vec::new();
    let bytes = source.bytes(entry.offset, entry.length as usize, &mut buffer)?;
    let mut parts = Parts::new();
    let Some(record) = Record::parse(bytes, &mut parts) else { return Err(source.changed()) };
    look(&record, &parts);
    Ok(())
}
