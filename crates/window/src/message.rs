//! What the host would send, as weights, and how many tokens that is.

use alloc::string::String;

use crate::entry::{Stop, TokenUsage};
use crate::vocabulary::Tag;

/// What an image, or any block that is no text, weighs in UTF-16 units.
const BLOCK_UNITS: u64 = 4_800;

/// One message of those that the host would send.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// Its timestamp in milliseconds.
    pub at: i64,
    /// What it is.
    pub body: Body,
}

/// What a message is. Lengths are UTF-16 units of the form that the provider gets.
#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    /// System prompt and tools, or a change of them.
    System {
        /// Length of the text.
        text: usize,
        /// Length of the JSON of the tools added; 0 without any.
        added: usize,
        /// Length of the JSON of the tools removed; 0 without any.
        removed: usize,
    },
    /// A message of the user.
    User(Weight),
    /// The result of a tool call.
    ToolResult(Weight),
    /// A message of the model.
    Assistant {
        /// Length of texts, thoughts, and names and JSON arguments of calls.
        units: usize,
        /// How it ended.
        stop: Stop,
        /// What it cost.
        usage: TokenUsage,
    },
    /// A message that an extension wrote.
    Custom {
        /// Its type.
        tag: String,
        /// `details.windowId`, where it is a string.
        window_id: Option<String>,
        /// Its weight.
        weight: Weight,
    },
    /// The host's wrapper around a compaction's summary.
    Summary {
        /// The summary is empty: the wrapper says nothing.
        empty: bool,
        /// Its weight, wrapper included.
        weight: Weight,
    },
    /// Any other message that reaches the model.
    Other(Weight),
    /// A message that the host does not send.
    Unsent,
}

/// The weight of a message's content.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Weight {
    /// Length of its texts in UTF-16 units.
    pub text: usize,
    /// Blocks that are no text.
    pub blocks: usize,
}

/// Tokens of these messages: what the last answer cost, and an estimate of what came after it; without such an answer an
/// estimate of all. The same number as that of Pi's AI layer (3.5 UTF-16 units a token).
pub fn estimate<'a>(messages: impl IntoIterator<Item = &'a Message>) -> u64 {
    let mut latest = i64::MIN;
    let mut tokens = 0u64;
    for message in messages {
        if message.body == Body::Unsent {
            continue;
        }
        match &message.body {
            // An older answer cannot tell what a newer message before it cost.
            Body::Assistant { stop, usage, .. } if message.at >= latest && !stop.is_failure() && usage.total() > 0 => {
                tokens = usage.total();
            }
            body => tokens = tokens.saturating_add(body.tokens()),
        }
        latest = latest.max(message.at);
    }
    tokens
}

impl Message {
    /// Whether it is the boot of this window.
    pub fn is_boot_of(&self, window: &str) -> bool {
        matches!(&self.body, Body::Custom { tag, window_id: Some(id), .. } if tag == Tag::Boot.as_str() && id == window)
    }

    pub(crate) fn is_custom(&self, wanted: Tag) -> bool {
        matches!(&self.body, Body::Custom { tag, .. } if tag == wanted.as_str())
    }

    pub(crate) fn is_system(&self) -> bool {
        matches!(self.body, Body::System { .. })
    }

    pub(crate) fn is_empty_summary(&self) -> bool {
        matches!(self.body, Body::Summary { empty: true, .. })
    }

    pub(crate) fn is_assistant(&self) -> bool {
        matches!(self.body, Body::Assistant { .. })
    }
}

impl Body {
    fn tokens(&self) -> u64 {
        match self {
            Body::System { text, added, removed } => {
                tokens(*text as u64) + tokens(*added as u64) + tokens(*removed as u64)
            }
            Body::Assistant { units, .. } => tokens(*units as u64),
            Body::User(weight)
            | Body::ToolResult(weight)
            | Body::Custom { weight, .. }
            | Body::Summary { weight, .. }
            | Body::Other(weight) => tokens(weight.text as u64 + weight.blocks as u64 * BLOCK_UNITS),
            Body::Unsent => 0,
        }
    }
}

/// Units / 3.5, rounded up.
fn tokens(units: u64) -> u64 {
    (units * 2).div_ceil(7)
}
