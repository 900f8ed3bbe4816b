//! Prints the story for a person; colours only where a terminal shows them and `NO_COLOR` is not set.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anstream::println;
use anstyle::{AnsiColor, Style};
use palimpsest_tests::{Request, ToolEnd, text_of};
use serde_json::Value;

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const USER: Style = AnsiColor::Cyan.on_default().bold();
const TOOL: Style = AnsiColor::Yellow.on_default();
const GONE: Style = AnsiColor::Red.on_default();
const COME: Style = AnsiColor::Green.on_default();

/// The longest line of a note's or an argument's text that is shown whole, in characters.
const WIDTH: usize = 96;

/// The printer.
#[derive(Clone, Copy)]
pub(crate) struct Show;

impl Show {
    pub(crate) fn title(self, text: &str) {
        println!("\n{BOLD}{text}{BOLD:#}");
    }

    pub(crate) fn stage(self, text: &str) {
        println!("\n       {DIM}~ {text} ~{DIM:#}");
    }

    pub(crate) fn user(self, text: &str) {
        println!("\n{USER}you  {USER:#}  {text}");
    }

    /// Shows the events that mean something to a person: answers, tool calls and their outcomes.
    pub(crate) fn event(self, event: &Value) {
        match event["type"].as_str() {
            Some("tool_execution_start") => {
                let name = event["toolName"].as_str().unwrap_or_default();
                println!("{TOOL}model{TOOL:#}  {TOOL}{name}{TOOL:#} {}", arguments(&event["args"]));
            }
            Some("tool_execution_end") => outcome(&ToolEnd::of(event)),
            Some("message_end") if event["message"]["role"] == "assistant" => {
                let text = text_of(&event["message"]);
                if !text.is_empty() {
                    println!("{TOOL}model{TOOL:#}  {text}");
                }
            }
            _ => {}
        }
    }

    /// Shows a request to the provider: its size, and each message in a line.
    pub(crate) fn request(self, name: &str, request: &Request) {
        let messages = request.messages();
        let characters: usize = messages.iter().map(|message| message.to_string().chars().count()).sum();
        println!("\n       {BOLD}{name}{BOLD:#}: {} messages, {characters} characters", messages.len());
        for message in messages {
            let role = message["role"].as_str().unwrap_or_default();
            let text = text_of(message);
            let calls = message["tool_calls"].as_array().into_iter().flatten();
            let calls: Vec<_> = calls.filter_map(|call| call["function"]["name"].as_str()).collect();
            let text = if text.is_empty() { format!("calls {}", calls.join(", ")) } else { text };
            println!(
                "         {DIM}{role:9}{DIM:#} {}",
                shortened(&text.split_whitespace().collect::<Vec<_>>().join(" "))
            );
        }
    }

    /// Shows every note below a folder as tree and text; returns the sorted file names.
    pub(crate) fn notes(self, home: &Path) -> Vec<String> {
        let mut files = notes_below(home);
        files.sort();
        for file in &files {
            let relative = file.strip_prefix(home).unwrap_or(file);
            println!("\n  {BOLD}{}{BOLD:#}", relative.display());
            let text =
                fs::read_to_string(file).unwrap_or_else(|error| panic!("cannot read {}: {error}", file.display()));
            let mut in_block = false;
            for (index, line) in text.lines().enumerate() {
                let fence = line == "---";
                in_block = if index == 0 { fence } else { in_block && !fence };
                let style = if in_block || fence { DIM } else { Style::new() };
                println!("  │ {style}{line}{style:#}");
            }
        }
        let mut names: Vec<_> =
            files.iter().filter_map(|file| Some(file.file_name()?.to_string_lossy().into_owned())).collect();
        names.sort();
        names
    }
}

/// The arguments that matter, on one line.
fn arguments(args: &Value) -> String {
    let Some(args) = args.as_object() else {
        return args.to_string();
    };
    let shown = args.iter().map(|(key, value)| match value.as_str() {
        Some(text) if key == "address" => text.to_owned(),
        Some(text) => format!("{key}={}", quoted(text)),
        None => format!("{key}={}", shortened(&value.to_string())),
    });
    shown.collect::<Vec<_>>().join("  ")
}

/// One line for what came of a call; an edit shows its diff.
fn outcome(end: &ToolEnd) {
    let result = &end.structured;
    let line = match end.name.as_str() {
        _ if end.is_error => {
            let (code, error) = (result["code"].as_str(), result["error"].as_str());
            let text = format!("{}: {}", code.unwrap_or("refused"), error.unwrap_or(&end.text));
            println!("       {GONE}✗ {text}{GONE:#}");
            return;
        }
        "notes_write" => "written".to_owned(),
        "notes_edit" => match result["applied"].as_u64() {
            Some(0) => "metadata changed".to_owned(),
            Some(1) => "edited".to_owned(),
            count => format!("{} edits", count.unwrap_or_default()),
        },
        "notes_read" => format!("{} characters", result["total_chars"]),
        "notes_list" => found(&result["files"], |row| plain(&row["address"])),
        "wipe_memory" => "the context is wiped once this is answered".to_owned(),
        "history_search" => found(&result["items"], |row| {
            let session = plain(&row["session_id"]);
            let place = if session.is_empty() { "this session".to_owned() } else { format!("session {session}") };
            format!(
                "{place}, {} {}: {}",
                row["role"].as_str().unwrap_or_default(),
                row["seq"],
                quoted(&plain(&row["content"]))
            )
        }),
        "notes_search" => found(&result["files"], |row| {
            let first = &row["matches"][0];
            format!("{} line {}: {}", plain(&row["address"]), first["line"], quoted(&plain(&first["text"])))
        }),
        _ => shortened(&end.text),
    };
    println!("       {COME}✓{COME:#} {line}");
    for line in plain(&result["diff"]).lines() {
        let style = match line.chars().next() {
            Some('-') => GONE,
            Some('+') => COME,
            _ => DIM,
        };
        println!("         {style}{line}{style:#}");
    }
}

fn found(rows: &Value, describe: impl Fn(&Value) -> String) -> String {
    let rows: Vec<_> = rows.as_array().into_iter().flatten().map(describe).collect();
    match rows.len() {
        0 => "nothing".to_owned(),
        count => format!("{count} found: {}", rows.join(" · ")),
    }
}

fn plain(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn quoted(text: &str) -> String {
    shortened(&format!("{text:?}"))
}

fn shortened(text: &str) -> String {
    if text.chars().count() <= WIDTH {
        return text.to_owned();
    }
    text.chars().take(WIDTH - 1).chain(['…']).collect()
}

fn notes_below(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut notes = Vec::new();
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            notes.extend(notes_below(&path));
        } else if path.extension().is_some_and(|extension| extension == "md") {
            notes.push(path);
        }
    }
    notes
}
