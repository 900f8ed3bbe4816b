//! What the model is told about its windows. Short and imperative, for a reader that knows nothing yet.

use alloc::format;
use alloc::string::String;

use crate::notices::Off;
use crate::vocabulary::ToolNames;

/// The text that stands once in each fresh window, behind its boot.
pub const CONTINUATION: &str = "\
Your memory was just erased. Nothing that you wrote down is lost: your notes and the recorded history still exist. Read \
the notes that the boot above lists before you act, then go on with the task at its next step. If the task is already \
finished, say so and stop.";

/// The reminder, with the tokens left before the warning.
pub(crate) fn reminder(tokens: u64, tools: &ToolNames) -> String {
    let ToolNames { notes_write, notes_edit, wipe_memory, .. } = tools;
    guidance(&format!(
        "About {tokens} tokens are left before the last call; then your memory is wiped.\n\
         Save to notes now, while there is room ({notes_write}, {notes_edit}): move into notes whatever exists only in this \
         context. Crumple notes that are no longer true. Keep each MAP.md truthful.\n\
         You need not wait for the wipe: at a good moment, with everything saved, call {wipe_memory} yourself.",
    ))
}

/// The last call, by the budget or by a person's command.
pub(crate) fn warning(tools: &ToolNames) -> String {
    let ToolNames { notes_write, notes_edit, history_search, history_read, wipe_memory, .. } = tools;
    guidance(&format!(
        "Last call: your memory is about to be wiped, at the latest when you stop, and perhaps at the end of this very turn. \
         Do this first, in this turn.\n\
         1. Write the current state to a note ({notes_write}): the goal, what you changed, blockers, the next step, skills \
         still needed, and which notes and documents your successor must read.\n\
         2. Update notes that are true and crumple those that are false ({notes_edit}). Each MAP.md must be truthful.\n\
         3. For facts that are buried in the past, leave their history seqs in the note. History is an archive to search \
         ({history_search}, {history_read}), not a substitute for notes.\n\
         Whatever stays only in this context is lost. When all is saved, call {wipe_memory} or stop."
    ))
}

/// What every boot teaches.
pub(crate) fn protocol(tools: &ToolNames) -> String {
    let ToolNames {
        notes_write,
        notes_read,
        notes_edit,
        notes_list,
        notes_search,
        history_list,
        history_search,
        history_read,
        get_context_remaining,
        wipe_memory,
        ..
    } = tools;
    format!(
        "<context_window_protocol>\n\
         Your memory is this context window, and it is wiped when the window ends. Only your notes and the recorded history \
         survive.\n\
         \n\
         Notes\n\
         - {notes_write}, {notes_read}, {notes_edit}, {notes_list} and {notes_search} write, read, update, list and search \
         them. Keep them current while you work; crumple ({notes_edit}) what is no longer needed.\n\
         - Before a window ends, write a checkpoint: what your successor needs to go on. The goal, decisions, results, \
         blockers, the next step, the method, skills needed, and pointers to other notes and to seqs. That is a matter of \
         content, in whatever notes it fits, not of one sacred file.\n\
         - Name a note by its content. Generic names (notes, progress, todo) are bad: nobody finds anything in them.\n\
         - A bare path (plan.md) belongs to this session and dies with it.\n\
         - @project/ holds durable knowledge of this project: no daily log, no copies of documents that exist.\n\
         - @human/ holds lasting preferences of your human, for all projects. When unsure, ask.\n\
         - @self/ is your own, as this agent.\n\
         - @model/ holds quirks of the model that you run on; when the model is switched, it follows.\n\
         - Any other form with @ is invalid, and no @ address is a path in the file system.\n\
         - MAP.md in @project/, @human/, @self/ and @model/ is shown at every boot. Keep it current: one line for each durable \
         note, with its unambiguous address and a short gist.\n\
         \n\
         History\n\
         - {history_list}, {history_search} and {history_read} dig up anything from before a wipe. The first two give a seq; \
         {history_read} takes one. Put the seqs of important buried things into your notes.\n\
         \n\
         Room\n\
         - {get_context_remaining} shows how many tokens are left; at zero the wipe happens. Look before an ambitious step.\n\
         - You may call {wipe_memory} yourself at a good moment: a step is done, and all that matters is in notes.\n\
         </context_window_protocol>"
    )
}

/// What `wipe_memory` answers while windows are off, for the inside of a JSON string.
pub(crate) fn windows_off(off: &Off) -> String {
    let text = format!("context windows are off, so nothing was wiped. tell your human: {}", off.remedy());
    let mut escaped = String::new();
    for letter in text.chars() {
        match letter {
            '"' | '\\' => escaped.extend(['\\', letter]),
            control if control.is_control() => escaped.push(' '),
            letter => escaped.push(letter),
        }
    }
    escaped
}

fn guidance(text: &str) -> String {
    format!("<context_window_guidance>\n{text}\n</context_window_guidance>")
}
