//! What people are told: one line each, without the product's name, which the caller puts before it.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// How much a notice matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// For information.
    Info,
    /// Something did not go as it should.
    Warning,
    /// Something does not work.
    Error,
}

/// One line for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// How much it matters.
    pub level: Level,
    /// The line.
    pub text: String,
}

/// Why windows are off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Off {
    Command,
    Setting,
    /// These tools are not active.
    Tools(Vec<String>),
    /// Another extension owns a name of ours; the way out.
    StandDown(String),
}

impl Off {
    /// What to do to have windows on.
    pub(crate) fn remedy(&self) -> String {
        match self {
            Off::Command | Off::Setting => "/pi-context on turns context windows on".to_string(),
            Off::Tools(missing) => format!("allow the tools {} and start again", missing.join(", ")),
            Off::StandDown(way_out) => way_out.clone(),
        }
    }
}

impl Notice {
    /// A notice of one line: whatever a cause holds, line ends become blanks.
    pub(crate) fn new(level: Level, text: &str) -> Notice {
        Notice { level, text: text.split_whitespace().collect::<Vec<_>>().join(" ") }
    }
}

pub(crate) fn info(text: &str) -> Notice {
    Notice::new(Level::Info, text)
}

pub(crate) fn warning(text: &str) -> Notice {
    Notice::new(Level::Warning, text)
}

pub(crate) fn error(text: &str) -> Notice {
    Notice::new(Level::Error, text)
}

pub(crate) fn cleared(window: &str) -> Notice {
    info(&format!("memory was cleared; the new window is {window}. notes and history are all there"))
}

pub(crate) fn almost_full() -> Notice {
    warning("the context is almost full, and the model was told to save its work: close out now, the wipe follows")
}

pub(crate) fn unreadable_homes(labels: &[&str]) -> Notice {
    warning(&format!(
        "the boot lacks notes that could not be read: {}. the model can retry with notes_list",
        labels.join(", ")
    ))
}

pub(crate) fn oversized(size: usize, limit: &str) -> Notice {
    warning(&format!(
        "the boot of the fresh window takes {} bytes, over its limit of {limit}; it was sent as it is. unpin or shorten what \
         it quotes",
        thousands(size as u64)
    ))
}

pub(crate) fn reset_failed(cause: &str) -> Notice {
    warning(&format!("memory was not wiped, because the boot could not be built: {cause}. ask again with /wipe-memory"))
}

pub(crate) fn boot_failed(cause: &str) -> Notice {
    error(&format!("the boot of this window could not be built: {cause}. /pi-context on tries again"))
}

pub(crate) fn wipe_follows(idle: bool) -> Notice {
    info(if idle {
        "the wipe was received: the model saves its work in one turn, then memory is wiped"
    } else {
        "the wipe is queued for the end of the running turn"
    })
}

pub(crate) fn wipe_refused(off: &Off) -> Notice {
    error(&format!("nothing was wiped: context windows are off. {}", off.remedy()))
}

pub(crate) fn send_failed(cause: &str) -> Notice {
    error(&format!("nothing was wiped: the turn before the wipe could not be started: {cause}. try /wipe-memory again"))
}

/// Why a person's request was dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lost {
    Overflow,
    Failure,
    Settled,
}

pub(crate) fn manual_lost(why: Lost) -> Notice {
    let why = match why {
        Lost::Overflow => "the request did not fit the model's context window",
        Lost::Failure => "the turn failed",
        Lost::Settled => "the run ended without a turn that could be followed by a wipe",
    };
    warning(&format!("memory was not wiped: {why}. ask again with /wipe-memory"))
}

pub(crate) fn held(context_window: u64) -> Notice {
    warning(&format!(
        "a context window of {} tokens leaves this work too little room: a wipe now would free next to nothing, so it is held \
         back. use a model with a larger window, or lower compaction.reserveTokens",
        thousands(context_window)
    ))
}

pub(crate) fn stages_off(context_window: u64, reserve: u64) -> Notice {
    warning(&format!(
        "the reserve of {} tokens takes half or more of the context window of {}: no reminder, warning or automatic wipe. \
         lower compaction.reserveTokens; /wipe-memory works",
        thousands(reserve),
        thousands(context_window)
    ))
}

pub(crate) fn compaction_cancelled(off: Option<&Off>) -> Notice {
    let remedy = match off {
        None => "use /wipe-memory: it starts a fresh window, and nothing is lost".to_string(),
        Some(off @ (Off::Command | Off::Setting)) => {
            format!("it would bring back text that was wiped. {}, then use /wipe-memory", off.remedy())
        }
        Some(off) => format!("it would bring back text that was wiped. {}", off.remedy()),
    };
    warning(&format!("compaction was cancelled: {remedy}"))
}

pub(crate) fn summary_skipped() -> Notice {
    info("no summary of the branch: it would bring back text that was wiped. the navigation goes on")
}

pub(crate) fn fail_safe(window: &str, off: Option<&Off>) -> Notice {
    let remedy = match off {
        None => "use /wipe-memory to start a fresh window".to_string(),
        Some(off) => off.remedy(),
    };
    error(&format!(
        "the request was cancelled safely: window {window} has lost its boot, and what was wiped must not be sent. {remedy}"
    ))
}

pub(crate) fn tools_missing(missing: &[String]) -> Notice {
    warning(&format!(
        "context windows are off: the tools {} are not active. allow them (--tools, --exclude-tools) and start again; the \
         other tools work",
        missing.join(", ")
    ))
}

pub(crate) fn on_refused(off: &Off) -> Notice {
    error(&format!("context windows stay off. {}", off.remedy()))
}

pub(crate) fn unknown_argument(argument: &str) -> Notice {
    error(&format!("/pi-context does not know `{argument}`: use on, off or status"))
}

pub(crate) fn fault(text: &str) -> Notice {
    error(&format!("a fault of palimpsest, the session goes on without this step: {text}. please report it"))
}

/// A number with commas between thousands.
pub(crate) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
