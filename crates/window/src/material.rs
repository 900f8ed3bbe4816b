//! What the caller collects for a boot: notes, and what it wants to hand on to the next window.

use alloc::string::String;
use alloc::vec::Vec;

/// Whose notes a home holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Home {
    /// The human's, for all projects.
    Human,
    /// The agent's.
    Agent,
    /// The model's.
    Model,
    /// The project's.
    Project,
    /// The session's.
    Session,
}

impl Home {
    /// In the order of the boot.
    pub(crate) const ALL: [Home; 5] = [Home::Human, Home::Agent, Home::Model, Home::Project, Home::Session];

    /// How notices name it.
    pub(crate) fn label(self) -> &'static str {
        match self {
            Home::Human => "@human",
            Home::Agent => "@self",
            Home::Model => "@model",
            Home::Project => "@project",
            Home::Session => "this session",
        }
    }

    /// How many recent notes the boot lists.
    pub(crate) fn pocket(self) -> usize {
        match self {
            Home::Model => 3,
            Home::Human | Home::Agent | Home::Project | Home::Session => 5,
        }
    }
}

/// Everything a boot is made of. The same material gives the same bytes.
#[derive(Debug, Clone, PartialEq)]
pub struct Material {
    /// The notes.
    pub snapshot: Snapshot,
    /// What goes on to the next window; only read where [`Build::wanted`](crate::Build::wanted) asks for it.
    pub payload: Payload,
    /// The setting `bootCarryover`.
    pub carry_over: bool,
    /// Size of the context window in tokens, where it is known.
    pub context_window: Option<u64>,
}

/// The notes of all homes at one instant.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// The instant, in milliseconds since 1970, taken before the first home was read.
    pub taken_at: i64,
    /// The homes; one that is missing is empty.
    pub homes: Vec<HomeNotes>,
}

/// The notes of one home.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HomeNotes {
    /// Whose they are.
    pub home: Home,
    /// The notes in the store's order (newest first); none if they could not be read.
    pub notes: Option<Vec<NoteRow>>,
}

/// One note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteRow {
    /// Its address as the store lists it.
    pub address: String,
    /// Its path within its home.
    pub path: String,
    /// Its text.
    pub body: String,
    /// When it was last written, in milliseconds since 1970.
    pub updated_at: i64,
    /// It was marked as no longer needed.
    pub crumpled: bool,
}

/// What the caller hands on across a wipe. Every part may be missing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Payload {
    /// Texts to keep word for word, oldest first.
    pub pins: Vec<Pin>,
    /// A summary of what is not kept word for word.
    pub summary: Option<Summary>,
    /// What was said last.
    pub carry: Carry,
    /// JSON that the checkpoint keeps for the caller, never read here.
    pub data: Option<String>,
    /// JSON of what a model call for this payload cost; the host stores and counts it.
    pub usage: Option<String>,
}

/// A text that is kept word for word, or named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pin {
    /// The variable's name.
    pub label: String,
    /// The text.
    pub text: String,
    /// Its length in code points.
    pub chars: usize,
    /// It may go before those that may not.
    pub decayable: bool,
}

/// A summary in parts, so that the boot can take less of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    /// Before the topics.
    pub head: String,
    /// The topics, in their order.
    pub topics: Vec<Topic>,
    /// Behind the topics.
    pub tail: String,
}

/// A part of a summary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Topic {
    /// The text.
    pub text: String,
    /// The topic with the highest rank goes first.
    pub rank: u32,
}

/// What was said last. [`Branch::last_said`](crate::Branch::last_said) names the entries.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Carry {
    /// The last message of the user.
    pub request: Option<Quote>,
    /// The message of the user before that; shown where the last one is short.
    pub before: Option<Quote>,
    /// The last message of the model that holds text.
    pub answer: Option<Answer>,
    /// First and last seq of the window that ended.
    pub seqs: Option<(u64, u64)>,
}

/// Something the user said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quote {
    /// The text.
    pub text: String,
    /// Its number in the history.
    pub seq: Option<u64>,
}

/// Something the model said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The text.
    pub text: String,
    /// How it ended, in the host's word.
    pub stop: String,
    /// Its number in the history.
    pub seq: Option<u64>,
}

/// Who works in a window: slugs, as addresses of notes name them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Names {
    /// The agent.
    pub agent: String,
    /// The model.
    pub model: String,
}
