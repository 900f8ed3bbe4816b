//! What the model is told: each text carries what the specification lists.

use palimpsest_window::*;

use crate::world::World;

#[track_caller]
fn carries(text: &str, needed: &[&str]) {
    for needed in needed {
        assert!(text.contains(needed), "`{needed}` is missing in:\n{text}");
    }
}

fn text(steps: &[&str], tag: Tag) -> String {
    let mut world = World::started();
    world.step("user");
    world.step("assistant used 1,000");
    for step in steps {
        world.step(step);
    }
    world.newest(tag).to_owned()
}

/// C10, G2.2: the reminder.
#[test]
fn the_reminder() {
    let reminder = text(&["used 165,000", "request", "used 166,000", "request", "turn ok"], Tag::Guidance);
    carries(
        &reminder,
        &[
            "About 6328 tokens are left",
            "your memory is wiped",
            "Save to notes now, while there is room",
            "move into notes whatever exists only in this context",
            "Crumple notes that are no longer true",
            "Keep each MAP.md truthful",
            "call wipe_memory yourself",
        ],
    );
    assert!(reminder.starts_with("<context_window_guidance>\n") && reminder.ends_with("\n</context_window_guidance>"));
    let late = text(&["automatic no", "used 190,000", "request", "turn ok"], Tag::Guidance);
    carries(&late, &["About 0 tokens are left"]);
}

/// C10: the warning reads right for a close-out of several turns and for the end of this very turn.
#[test]
fn the_warning() {
    let warning = text(&["used 172,000", "run"], Tag::Warning);
    carries(
        &warning,
        &[
            "Last call",
            "at the latest when you stop, and perhaps at the end of this very turn",
            "Write the current state to a note (notes_write): the goal, what you changed, blockers, the next step, skills",
            "which notes and documents your successor must read",
            "Update notes that are true and crumple those that are false",
            "Each MAP.md must be truthful",
            "leave their history seqs",
            "History is an archive to search",
            "not a substitute for notes",
            "Whatever stays only in this context is lost",
        ],
    );
    assert!(warning.starts_with("<context_window_guidance>\n") && warning.ends_with("\n</context_window_guidance>"));
    assert_eq!(text(&["used 172,000", "request", "turn ok"], Tag::Warning), warning);
    assert_eq!(text(&["wipe-command idle"], Tag::ManualWipe), warning);
}

/// C10: the continuation.
#[test]
fn the_continuation() {
    carries(
        CONTINUATION,
        &[
            "Your memory was just erased",
            "your notes and the recorded history still exist",
            "already finished, say so and stop",
        ],
    );
    assert!(!CONTINUATION.contains('<') && !CONTINUATION.contains('\n'));
    for step in ["wipe-tool", "wipe-command running"] {
        assert_eq!(text(&[step, "turn ok"], Tag::Continuation), CONTINUATION);
    }
}

/// D5: what every boot teaches, point by point.
#[test]
fn the_protocol() {
    let boot = text(&["toggle on"], Tag::Boot);
    let (_, protocol) = boot.split_once("<context_window_protocol>\n").expect("the protocol");
    let (protocol, _) = protocol.split_once("\n</context_window_protocol>").expect("its end");
    carries(
        protocol,
        &[
            // 1
            "it is wiped when the window ends. Only your notes and the recorded history survive",
            // 2
            "write, read, update, list and search them",
            "Keep them current while you work; crumple (notes_edit) what is no longer needed",
            // 3
            "dig up anything from before a wipe",
            "The first two give a seq; history_read takes one",
            "Put the seqs of important buried things into your notes",
            // 4
            "The goal, decisions, results, blockers, the next step, the method, skills needed, and pointers to other notes and to seqs",
            "a matter of content, in whatever notes it fits, not of one sacred file",
            // 5
            "Name a note by its content. Generic names (notes, progress, todo) are bad",
            // 6
            "get_context_remaining shows how many tokens are left; at zero the wipe happens. Look before an ambitious step",
            // 7
            "You may call wipe_memory yourself at a good moment",
            // 8
            "- A bare path (plan.md) belongs to this session and dies with it",
            "- @project/ holds durable knowledge of this project: no daily log, no copies of documents that exist",
            "- @human/ holds lasting preferences of your human, for all projects. When unsure, ask",
            "- @self/ is your own",
            "- @model/ holds quirks of the model that you run on; when the model is switched, it follows",
            // 9
            "Any other form with @ is invalid, and no @ address is a path in the file system",
            // 10
            "MAP.md in @project/, @human/, @self/ and @model/ is shown at every boot",
            "one line for each durable note, with its unambiguous address and a short gist",
        ],
    );
}

/// D5: a host may give the tools other names.
#[test]
fn tools_by_other_names() {
    let tools = ToolNames {
        notes_write: "w1",
        notes_read: "w2",
        notes_edit: "w3",
        notes_list: "w4",
        notes_search: "w5",
        history_list: "w6",
        history_search: "w7",
        history_read: "w8",
        context_read: "w9",
        get_context_remaining: "wa",
        wipe_memory: "wb",
    };
    let mut world = World::new();
    world.windows = Windows::new(tools);
    world.material.payload.pins = vec![Pin { label: "p".into(), text: "x".repeat(70_000), chars: 1, decayable: true }];
    world.material.payload.summary = Some(Summary {
        head: String::new(),
        topics: vec![Topic { text: "y".repeat(70_000), rank: 0 }],
        tail: String::new(),
    });
    for step in ["start", "user", "assistant used 1,000", "used 165,000", "request", "turn ok", "used 172,000", "run"] {
        world.step(step);
    }
    world.step("wipe-tool");
    world.step("turn ok");
    let all = [Tag::Boot, Tag::Guidance, Tag::Warning].map(|tag| world.newest(tag).to_owned()).join("\n");
    for name in ["notes_", "history_", "context_read", "get_context", "wipe_memory"] {
        assert!(!all.contains(name), "{name}: {all}");
    }
    for name in ["w1", "w2", "w3", "w4", "w5", "w6", "w7", "w8", "w9", "wa", "wb"] {
        assert!(all.contains(name), "{name}: {all}");
    }
}

/// README: the boot of an empty store, of what all definitions and it may cost together (6,000 tokens).
#[test]
fn what_an_empty_boot_costs() {
    let boot = text(&["toggle on"], Tag::Boot);
    let tokens = boot.encode_utf16().count().div_ceil(4);
    assert!(tokens <= 800, "{tokens} tokens");
}
