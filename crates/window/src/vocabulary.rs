//! Words that sessions and settings hold for good: tags, causes, names.

/// Who wrote a checkpoint of ours: `details.by`.
pub const CHECKPOINT_AUTHOR: &str = "pi-context";

/// The type of the custom entry that opens a window.
pub const MARKER_TAG: &str = "pi-context/reset-marker";

/// The key of the product's settings.
pub const SETTINGS_KEY: &str = "pi-context";

/// Tools without which windows stay off: what they save could not be written, read or asked for.
pub const NEEDED_TOOLS: [&str; 3] = ["notes_write", "notes_read", "wipe_memory"];

/// Tools whose success means that the model wrote something down.
pub(crate) const WRITING_TOOLS: [&str; 2] = ["notes_write", "notes_edit"];

/// A kind of message of ours in a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tag {
    /// What a fresh window begins with.
    Boot,
    /// The prose after a boot that says what happened.
    Continuation,
    /// The reminder that room gets scarce.
    Guidance,
    /// The last call before the wipe.
    Warning,
    /// The message by which a person's command starts the last turn of a window.
    ManualWipe,
}

impl Tag {
    /// Every tag.
    pub const ALL: [Tag; 5] = [Tag::Boot, Tag::Continuation, Tag::Guidance, Tag::Warning, Tag::ManualWipe];

    /// The tag as sessions hold it.
    pub fn as_str(self) -> &'static str {
        match self {
            Tag::Boot => "pi-context/boot",
            Tag::Continuation => "pi-context/continuation",
            Tag::Guidance => "pi-context/guidance",
            Tag::Warning => "pi-context/warning",
            Tag::ManualWipe => "pi-context/manual-wipe",
        }
    }
}

/// Why a window ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cause {
    /// The model called `wipe_memory` of its own accord.
    Tool,
    /// The budget's warning ended in a wipe, by the model or without it.
    Budget,
    /// A person's command.
    Manual,
    /// A completed turn left no more than the host's reserve.
    Reserve,
    /// A request did not fit.
    Overflow,
    /// A person's command in a window that could not be presented.
    Repair,
}

impl Cause {
    /// Every cause.
    pub const ALL: [Cause; 6] =
        [Cause::Tool, Cause::Budget, Cause::Manual, Cause::Reserve, Cause::Overflow, Cause::Repair];

    /// The cause as checkpoints hold it.
    pub fn as_str(self) -> &'static str {
        match self {
            Cause::Tool => "tool",
            Cause::Budget => "budget",
            Cause::Manual => "manual",
            Cause::Reserve => "reserve",
            Cause::Overflow => "overflow",
            Cause::Repair => "repair",
        }
    }

    /// The cause that a checkpoint holds, if it is one that we know.
    pub fn parse(text: &str) -> Option<Cause> {
        Cause::ALL.into_iter().find(|cause| cause.as_str() == text)
    }
}

/// The names of the tools that texts for the model mention: a host may give them others.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "each field is the tool of that name")]
pub struct ToolNames {
    pub notes_write: &'static str,
    pub notes_read: &'static str,
    pub notes_edit: &'static str,
    pub notes_list: &'static str,
    pub notes_search: &'static str,
    pub history_list: &'static str,
    pub history_search: &'static str,
    pub history_read: &'static str,
    pub context_read: &'static str,
    pub get_context_remaining: &'static str,
    pub wipe_memory: &'static str,
}

impl Default for ToolNames {
    fn default() -> ToolNames {
        ToolNames {
            notes_write: "notes_write",
            notes_read: "notes_read",
            notes_edit: "notes_edit",
            notes_list: "notes_list",
            notes_search: "notes_search",
            history_list: "history_list",
            history_search: "history_search",
            history_read: "history_read",
            context_read: "context_read",
            get_context_remaining: "get_context_remaining",
            wipe_memory: "wipe_memory",
        }
    }
}
