//! A session in the terminal: its windows, pages of it, one event in full, a search.
//!
//! ```text
//! cargo run --example history -- sessions
//! cargo run --example history -- list 0193
//! cargo run --example history -- search session.jsonl "exit code"
//! ```

use std::env;
use std::fmt::Write as _;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};
use clap::{Args, Parser, Subcommand};
use palimpsest_history::{Fold, HistoryError, Item, Leaf, Page, Role, Selection, Session, discover};

/// Most branches that are listed.
const BRANCHES: usize = 10;
const DIM: Style = Style::new().dimmed();
const BAD: Style = AnsiColor::Red.on_default();

/// Looks into sessions of Pi: lists, reads and searches them, whatever happened to them. Changes nothing.
#[derive(Parser)]
#[command(name = "history")]
struct Command {
    #[command(subcommand)]
    what: What,
    /// Folder in which sessions are looked for by id [default: Pi's own]
    #[arg(long, global = true, value_name = "FOLDER")]
    sessions: Option<PathBuf>,
    /// Entry at which the branch ends [default: the last one of the session]
    #[arg(long, global = true, value_name = "ID")]
    leaf: Option<String>,
}

#[derive(Subcommand)]
enum What {
    /// List the sessions that there are, newest first
    Sessions,
    /// Show the windows and the branches of a session
    Windows {
        #[command(flatten)]
        of: Which,
    },
    /// Show a page of a session: the conversation, or events of the roles asked for
    List {
        #[command(flatten)]
        of: Which,
        #[command(flatten)]
        choice: Choice,
    },
    /// Show where texts stand in a session, upper and lower case alike
    Search {
        #[command(flatten)]
        of: Which,
        #[arg(required = true)]
        texts: Vec<String>,
        #[command(flatten)]
        choice: Choice,
    },
    /// Show one event in full
    Read {
        #[command(flatten)]
        of: Which,
        /// Its number, as the other commands show it
        seq: u64,
        /// First code point; negative from the end
        #[arg(long, default_value_t = 0, allow_negative_numbers = true)]
        offset: i64,
        /// Most code points
        #[arg(long, default_value_t = usize::MAX, hide_default_value = true)]
        limit: usize,
    },
}

#[derive(Args)]
struct Which {
    /// A session file, or the start of a session's id
    session: String,
}

#[derive(Args)]
struct Choice {
    /// Only these: user, assistant, tool, context
    #[arg(long, value_delimiter = ',')]
    roles: Vec<Role>,
    /// Only events below this number
    #[arg(long, value_name = "SEQ")]
    before: Option<u64>,
    /// Only events above this number, beginning with the oldest
    #[arg(long, value_name = "SEQ")]
    after: Option<u64>,
    /// Only this window; @previous is the one before the current one
    #[arg(long, value_name = "ID")]
    window: Option<String>,
    /// Most events
    #[arg(long, default_value_t = 20)]
    limit: usize,
    /// Most code points of each
    #[arg(long, default_value_t = 400)]
    chars: usize,
}

fn main() -> ExitCode {
    let command = Command::parse();
    let mut text = String::new();
    let done = command.run(&mut text);
    // A pipe that was closed has seen enough.
    match anstream::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => return fail(&error.to_string()),
        _ => {}
    }
    match done {
        Ok(notes) if notes.is_empty() => ExitCode::SUCCESS,
        Ok(notes) => warn(&notes).map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS),
        Err(message) => fail(&message),
    }
}

impl Command {
    /// Writes what was asked for, and gives what should be said beside it.
    fn run(&self, out: &mut String) -> Result<Vec<String>, String> {
        match &self.what {
            What::Sessions => self.list_sessions(out),
            What::Windows { of } => self.with(of, |session| write_windows(session, out)),
            What::List { of, choice } => self.with(of, |session| {
                write_page(&session.list(&choice.selection())?, "nothing here", out);
                Ok(())
            }),
            What::Search { of, texts, choice } => self.with(of, |session| {
                write_page(&session.search(texts, &choice.selection())?, "found nowhere", out);
                Ok(())
            }),
            What::Read { of, seq, offset, limit } => self.with(of, |session| {
                let slice = session.read(*seq, *offset, *limit)?;
                let _ = writeln!(
                    out,
                    "{DIM}{} · {} · code points {} to {} of {}{DIM:#}\n{}",
                    slice.seq,
                    plain(&slice.window_id),
                    slice.start,
                    slice.end,
                    slice.total,
                    plain(&slice.text)
                );
                Ok(())
            }),
        }
    }

    fn with(
        &self,
        which: &Which,
        look: impl FnOnce(&Session) -> Result<(), HistoryError>,
    ) -> Result<Vec<String>, String> {
        let told = |error: HistoryError| error.to_string();
        let mut session = Session::open(self.find(&which.session)?).map_err(told)?;
        if let Some(leaf) = &self.leaf {
            session.set_leaf(Leaf::Entry(leaf)).map_err(told)?;
        }
        look(&session).map_err(told)?;
        let missing = session.header().is_none().then(|| "the file has no session header".to_owned());
        Ok(missing.into_iter().chain(session.rejects().iter().map(ToString::to_string)).collect())
    }

    /// The file that a path or the start of an id names.
    fn find(&self, session: &str) -> Result<PathBuf, String> {
        let path = PathBuf::from(session);
        if path.exists() || session.contains(std::path::MAIN_SEPARATOR) {
            return Ok(path);
        }
        let folder = self.folder()?;
        let found = discover(&folder).map_err(|error| format!("no file {session} here, and {error}"))?;
        let ids: Vec<_> = found.by_id_prefix(session).collect();
        match ids.as_slice() {
            [only] => Ok(only.path.clone()),
            [] => {
                Err(format!("no file {session} here, and no session in {} has an id that begins so", folder.display()))
            }
            many => {
                let ids: Vec<&str> = many.iter().map(|file| file.header.id.as_str()).collect();
                Err(format!("{} sessions begin with {session}: {}; give more of the id", many.len(), ids.join(", ")))
            }
        }
    }

    fn folder(&self) -> Result<PathBuf, String> {
        if let Some(folder) = &self.sessions {
            return Ok(folder.clone());
        }
        if let Some(pi) = env::var_os("PI_CODING_AGENT_DIR").filter(|pi| !pi.is_empty()) {
            return Ok(Path::new(&pi).join("sessions"));
        }
        let home = env::home_dir().ok_or("there is no home folder; name the sessions' folder with --sessions")?;
        Ok(home.join(".pi/agent/sessions"))
    }

    fn list_sessions(&self, out: &mut String) -> Result<Vec<String>, String> {
        let folder = self.folder()?;
        let found = discover(&folder).map_err(|error| format!("{error}; name another folder with --sessions"))?;
        for file in &found.sessions {
            let (time, cwd) = (file.last_entry_at.as_deref(), file.header.cwd.as_deref());
            let _ = writeln!(
                out,
                "{}  {DIM}{}  {}{DIM:#}",
                plain(&file.header.id),
                plain(time.unwrap_or("no time")),
                plain(cwd.unwrap_or("no folder"))
            );
        }
        if found.sessions.is_empty() {
            let _ = writeln!(out, "no sessions in {}", folder.display());
        }
        Ok(found.unavailable.iter().map(|file| format!("{}: {}", file.path.display(), file.reason)).collect())
    }
}

impl Choice {
    fn selection(&self) -> Selection {
        Selection {
            roles: (!self.roles.is_empty()).then(|| self.roles.iter().copied().collect()),
            before: self.before,
            after: self.after,
            window: self.window.clone(),
            limit: self.limit,
            max_chars: self.chars,
        }
    }
}

fn write_windows(session: &Session, out: &mut String) -> Result<(), HistoryError> {
    let name = session.name().map(|name| format!(" · {}", plain(name))).unwrap_or_default();
    let _ = writeln!(out, "session {}{name}", plain(session.id()));
    for window in session.windows() {
        let seqs = match (window.first_seq, window.last_seq) {
            (Some(first), Some(last)) => format!("{first} to {last}, {} events", window.items),
            _ => "no events".to_owned(),
        };
        let since = window.created_at.as_deref().map(|time| format!("  since {}", plain(time))).unwrap_or_default();
        let _ = writeln!(out, "  {}  {seqs}{DIM}{since}{DIM:#}", plain(&window.id));
    }
    let tips = session.tips()?;
    if tips.len() > 1 {
        let _ = writeln!(out, "{} branches, by the entry at their end; the newest:", tips.len());
        for tip in &tips[tips.len().saturating_sub(BRANCHES)..] {
            let (id, active) = (tip.id.as_deref(), if tip.active { "  shown here" } else { "" });
            let _ = writeln!(out, "  {}  up to {}{active}", plain(id.unwrap_or("without an id")), tip.seq);
        }
    }
    Ok(())
}

fn write_page(page: &Page, nothing: &str, out: &mut String) {
    if page.items.is_empty() && page.folds.is_empty() {
        let _ = writeln!(out, "{nothing}");
    }
    if let Some(before) = page.older_before {
        let _ = writeln!(out, "{DIM}… older: --before {before}{DIM:#}");
    }
    let mut folds = page.folds.iter().peekable();
    for item in &page.items {
        while let Some(fold) = folds.next_if(|fold| fold.first_seq < item.seq) {
            write_fold(fold, out);
        }
        write_item(item, out);
    }
    folds.for_each(|fold| write_fold(fold, out));
    if let Some(after) = page.newer_after {
        let _ = writeln!(out, "{DIM}… newer: --after {after}{DIM:#}");
    }
}

fn write_item(item: &Item, out: &mut String) {
    let color = match item.role {
        Role::User => AnsiColor::Green,
        Role::Assistant => AnsiColor::Cyan,
        Role::Tool => AnsiColor::Yellow,
        Role::Context => AnsiColor::Magenta,
    };
    let style = color.on_default().bold();
    let status = item.tool.as_ref().map(|tool| format!(" {}", tool.status.as_str())).unwrap_or_default();
    let at = item.offset_chars.filter(|&at| at > 0).map(|at| format!(" from {at}")).unwrap_or_default();
    let time = item.created_at.as_deref().map(|time| format!("  {}", plain(time))).unwrap_or_default();
    let (seq, role) = (item.seq, item.role);
    let _ = writeln!(out, "{style}{seq} {role}{style:#}{status}{DIM}{time}{at}{DIM:#}");
    for line in plain(&item.content).lines() {
        let _ = writeln!(out, "  {line}");
    }
    if item.truncated {
        let _ = writeln!(out, "  {DIM}… {} code points in all: read {seq}{DIM:#}", item.total_chars);
    }
}

fn write_fold(fold: &Fold, out: &mut String) {
    let tools: Vec<String> = fold.tools.iter().map(|(name, count)| format!("{} {count}", plain(name))).collect();
    let tools = if tools.is_empty() { String::new() } else { format!(": {}", tools.join(", ")) };
    let events = if fold.count == 1 { "1 event".to_owned() } else { format!("{} events", fold.count) };
    let _ = writeln!(out, "{DIM}{} to {}: {events} of tools and context{tools}{DIM:#}", fold.first_seq, fold.last_seq);
}

/// Text in which nothing steers the terminal.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\t' => plain.push(c),
            c if c.is_control() => plain.extend(c.escape_unicode()),
            c => plain.push(c),
        }
    }
    plain
}

fn warn(notes: &[String]) -> io::Result<()> {
    const SHOWN: usize = 10;
    let mut err = anstream::stderr();
    for note in notes.iter().take(SHOWN) {
        writeln!(err, "{DIM}note: {note}{DIM:#}")?;
    }
    match notes.len().saturating_sub(SHOWN) {
        0 => Ok(()),
        more => writeln!(err, "{DIM}note: and {more} more{DIM:#}"),
    }
}

fn fail(message: &str) -> ExitCode {
    // Where standard error is closed there is nobody to tell.
    let _ = writeln!(anstream::stderr(), "{BAD}error:{BAD:#} {message}");
    ExitCode::FAILURE
}
