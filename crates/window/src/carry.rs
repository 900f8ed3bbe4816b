//! The part of a boot that carries the task over: what was said last, the last note, or that there is none.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::boot::Frame;
use crate::build::Ended;
use crate::material::{Carry, Home, Material, NoteRow};
use crate::notes_index::MAP;
use crate::quote::{chars, note_pointer, quoted, quoted_up_to};

/// Caps in code points.
const REQUEST: usize = 2_000;
const SHORT_REQUEST: usize = 20;
const ANSWER: usize = 1_000;
const NOTE: usize = 4_096;
const REDUCED: usize = 500;

/// What is carried over, each part as often as it can be shorter.
pub(crate) struct CarryOver {
    /// What was said, in full and reduced.
    said: Vec<(String, String)>,
    /// The last note: in full, if it is shown, and as a pointer.
    note: Option<(Option<String>, String)>,
    no_note: Option<String>,
}

impl CarryOver {
    pub(crate) fn new(frame: &Frame<'_>, material: &Material) -> CarryOver {
        let Some(ended) = frame.ended else {
            return CarryOver { said: Vec::new(), note: None, no_note: None };
        };
        let carry = &material.payload.carry;
        let no_note = (!ended.wrote_note).then(|| no_note(frame, carry));
        if !material.carry_over {
            return CarryOver { said: Vec::new(), note: None, no_note };
        }
        let note = last_note(material, ended).map(|note| {
            let label = "The last note";
            let shown = chars(&note.body) <= NOTE;
            let full = shown.then(|| quoted(&format!("{label}, {}", note.address), &note.body));
            (full, note_pointer(label, &note.address, &note.body, frame.tools))
        });
        CarryOver { said: said(frame, carry), note, no_note }
    }

    /// Whether a note is shown in full.
    pub(crate) fn has_note(&self) -> bool {
        matches!(self.note, Some((Some(_), _)))
    }

    /// The paragraphs, with the note as a pointer and what was said reduced where that is asked for.
    pub(crate) fn pieces(&self, pointer: bool, reduced: bool) -> Vec<Cow<'_, str>> {
        let mut pieces: Vec<Cow<'_, str>> = Vec::new();
        pieces.extend(self.said.iter().map(|(full, short)| Cow::from(if reduced { short } else { full })));
        pieces.extend(self.note.iter().map(|(full, short)| match full {
            Some(full) if !pointer => Cow::from(full),
            Some(_) | None => Cow::from(short),
        }));
        pieces.extend(self.no_note.iter().map(Cow::from));
        if !pieces.is_empty() {
            pieces.insert(0, "## Where the work stands".into());
        }
        pieces
    }
}

fn said(frame: &Frame<'_>, carry: &Carry) -> Vec<(String, String)> {
    let mut said = Vec::new();
    let mut add = |cap: usize, label: &str, text: &str, seq: Option<u64>| {
        let quote = |cap| quoted_up_to(cap, label, text, seq, frame.tools);
        said.push((quote(cap), quote(REDUCED)));
    };
    if let Some(request) = &carry.request {
        add(REQUEST, "The last request of the user", &request.text, request.seq);
        let before = carry.before.as_ref().filter(|_| chars(&request.text) <= SHORT_REQUEST);
        if let Some(before) = before {
            add(REQUEST, "The request before it", &before.text, before.seq);
        }
    }
    if let Some(answer) = &carry.answer {
        let label = format!("Your last answer, which ended with {}", answer.stop);
        add(ANSWER, &label, &answer.text, answer.seq);
    }
    said
}

/// The session's note that was written last in the window that ended.
fn last_note<'a>(material: &'a Material, ended: &Ended) -> Option<&'a NoteRow> {
    let session = material.snapshot.homes.iter().find(|found| found.home == Home::Session)?;
    let mut last: Option<&NoteRow> = None;
    for note in session.notes.iter().flatten() {
        let eligible = !note.crumpled && note.path != MAP && note.updated_at >= ended.started_at;
        if eligible && last.is_none_or(|last| note.updated_at > last.updated_at) {
            last = Some(note);
        }
    }
    last
}

fn no_note(frame: &Frame<'_>, carry: &Carry) -> String {
    let read = frame.tools.history_read;
    let place = match carry.seqs {
        Some((first, last)) if first == last => format!("seq {first} of the history; {read} gives it back"),
        Some((first, last)) => format!("seqs {first} to {last} of the history; {read} gives it back"),
        None => "the history".to_string(),
    };
    format!("No note was written in the previous window. Its unsaved work is only in {place}.")
}
