//! What a person sees of windows: a footer, a panel, a mark in the transcript. Nothing depends on it.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::branch::Branch;
use crate::budget::Room;
use crate::notices::{Notice, Off, info, thousands};
use crate::vocabulary::Cause;

/// Cells of the bar in the panel.
const BAR: u64 = 40;

/// The state of the current window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View {
    /// What turns windows on, if they are off.
    pub off: Option<String>,
    /// The id of the current window.
    pub window: String,
    /// Its number: the root window is 1.
    pub ordinal: usize,
    /// The ids of all windows of the branch, oldest first.
    pub windows: Vec<String>,
    /// Why it was opened, in words; none in the root window.
    pub cause: Option<&'static str>,
    /// Its room, where it is known.
    pub room: Option<Room>,
}

/// Versions, as people are told them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Versions {
    /// The product's.
    pub product: String,
    /// Which build of it, where that is known.
    pub build: Option<String>,
    /// The host's.
    pub host: String,
}

impl View {
    pub(crate) fn new(branch: &Branch, off: Option<&Off>, room: Option<Room>) -> View {
        let window = branch.window_id();
        View {
            off: off.map(Off::remedy),
            window: window.to_string(),
            ordinal: branch.ordinal(),
            windows: branch.windows().map(str::to_string).collect(),
            cause: (!branch.is_root()).then(|| in_words(branch.cause_of(window))),
            room,
        }
    }

    /// A few words for the host's status line.
    pub fn footer(&self) -> String {
        let window = format!("window {}", self.ordinal);
        match (&self.off, self.room) {
            (Some(_), _) => format!("{window}, windows off"),
            (None, Some(room)) => format!("{window}, {} tokens left", thousands(room.to_warning())),
            (None, None) => window,
        }
    }

    /// The state in one line.
    pub fn status(&self, versions: &Versions) -> Notice {
        let switch = if self.off.is_some() { "off" } else { "on" };
        let mut text = format!("context windows are {switch}; {}; window {}", versions.to_text(), self.window);
        if let Some(room) = self.room {
            text += &format!(
                "; {} tokens left before memory is wiped, {} before the reserve",
                thousands(room.to_warning()),
                thousands(room.to_reserve())
            );
        }
        info(&text)
    }

    /// The state in some lines, for a panel.
    pub fn panel(&self, versions: &Versions) -> Vec<String> {
        let mut lines = Vec::new();
        lines.push(match &self.off {
            None => "context windows: on".to_string(),
            Some(remedy) => format!("context windows: off. {remedy}"),
        });
        lines.push(match self.cause {
            Some(cause) => format!("window {}: {} (memory was wiped before it: {cause})", self.ordinal, self.window),
            None => format!("window {}: {} (nothing was wiped yet)", self.ordinal, self.window),
        });
        if self.windows.len() > 1 {
            lines.push(format!("windows so far: {}", self.windows.join(", ")));
        }
        match &self.room {
            Some(room) => lines.extend(bar(room)),
            None => lines.push("room: not known before the next answer".to_string()),
        }
        lines.push(versions.to_text());
        lines
    }
}

/// What the transcript shows where this window begins.
pub fn reset_mark(branch: &Branch, window: &str) -> String {
    let cause = in_words(branch.cause_of(window));
    match branch.ordinal_of(window) {
        Some(ordinal) => format!("memory was wiped here: {cause}. window {ordinal} begins"),
        None => format!("memory was wiped here: {cause}"),
    }
}

impl Versions {
    fn to_text(&self) -> String {
        let build = self.build.as_deref().unwrap_or("unknown build");
        format!("palimpsest {} ({build}), pi {}", self.product, self.host)
    }
}

fn in_words(cause: Option<&str>) -> &'static str {
    match cause.and_then(Cause::parse) {
        Some(Cause::Tool) => "the model asked for it",
        Some(Cause::Budget) => "room had run out after the last call",
        Some(Cause::Manual) => "by /wipe-memory",
        Some(Cause::Reserve) => "a turn had reached the reserve",
        Some(Cause::Overflow) => "a request did not fit",
        Some(Cause::Repair) => "by /wipe-memory, in a window that had lost its boot",
        None => "cause unknown",
    }
}

/// A bar of what is used, with the places of reminder, warning and reserve.
fn bar(room: &Room) -> [String; 2] {
    let size = room.context_window.max(1);
    let cell = |tokens: u64| (u128::from(tokens.min(size)) * u128::from(BAR) / u128::from(size)) as u64;
    let lines = &room.lines;
    let marks = [(lines.reserve, 'X'), (lines.warning, 'w'), (lines.reminder, 'r')];
    let at = |left: u64| cell(size.saturating_sub(left)).min(BAR - 1);
    let cells = (0..BAR).map(|here| {
        let mark = marks.iter().find(|(left, mark)| (lines.stages || *mark == 'X') && at(*left) == here);
        match mark {
            Some((_, mark)) => *mark,
            None if here < cell(room.used) => '#',
            None => '.',
        }
    });
    let legend = if lines.stages { "r reminder, w last call, X reserve" } else { "X reserve, no stages before it" };
    [
        format!("[{}] {} of {} tokens used", cells.collect::<String>(), thousands(room.used), thousands(size)),
        format!(
            "{legend}; {} tokens to the last call, {} to the reserve",
            thousands(room.to_warning()),
            thousands(room.to_reserve())
        ),
    ]
}
