//! What tools answer: text, structured content and details, each within the output budget.
//!
//! Everything here is pure. Text and structure of an answer come from one value, so they cannot disagree.

mod diff;
mod error;
mod history;
mod rows;
mod truncate;
mod window;
mod windows;

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Value;

pub use diff::line_diff;
pub use error::Failure;
pub use history::HistoryPage;
pub use rows::{FileRow, MatchRow, Page, SearchRow, Shrink};
pub use truncate::{middle_truncated, prefix};
pub use window::ReadWindow;
pub use windows::WindowPage;

/// The largest text, and the largest structured content as compact JSON, that a tool delivers, in UTF-8 bytes.
pub const BUDGET: usize = 32 * 1024;

/// One answer of a tool, in the parts that the host tells apart.
#[derive(Debug, Clone, PartialEq)]
pub struct Delivery {
    /// What the model reads.
    pub text: String,
    /// The same as data, for programmatic callers; matches the tool's output schema.
    pub structured: Value,
    /// What the host keeps beside the text in the session; never content.
    pub details: Option<Value>,
    /// Whether the host is to flag the answer as an error.
    pub is_error: bool,
}

impl Delivery {
    /// An answer whose text is its structure as pretty JSON; `output_too_large` where that is over the budget.
    pub fn json(answer: &impl Serialize) -> Delivery {
        if !fits(answer) {
            return Failure::too_large_to_deliver().deliver();
        }
        Delivery { text: pretty(answer), structured: to_value(answer), details: None, is_error: false }
    }

    /// An answer around one text that may be long: `build` gets the longest prefix of it for which the answer fits, and
    /// whether that is all of it.
    pub fn json_with_prefix<T: Serialize>(text: &str, build: impl Fn(&str, bool) -> T) -> Delivery {
        // More code points than the budget has bytes never fit, so a huge text is not counted in full.
        let countable = text.chars().take(BUDGET + 1).count();
        let answer = |keep: usize| {
            let kept = prefix(text, keep);
            build(kept, kept.len() == text.len())
        };
        let kept = largest(countable, |keep| fits(&answer(keep))).unwrap_or(0);
        Delivery::json(&answer(kept))
    }

    /// The result in the form of the host's tool interface.
    pub fn to_host(&self) -> Value {
        let mut result = serde_json::Map::new();
        result.insert("content".into(), serde_json::json!([{ "type": "text", "text": self.text }]));
        result.insert("structuredContent".into(), self.structured.clone());
        if let Some(details) = &self.details {
            result.insert("details".into(), details.clone());
        }
        if self.is_error {
            result.insert("isError".into(), Value::Bool(true));
        }
        Value::Object(result)
    }
}

/// Whether a value fits the budget as pretty JSON, which is never shorter than its compact form.
fn fits(value: &impl Serialize) -> bool {
    serde_json::to_writer_pretty(Allowance(BUDGET), value).is_ok()
}

/// Whether a value fits the budget as compact JSON.
fn fits_compact(value: &impl Serialize) -> bool {
    serde_json::to_writer(Allowance(BUDGET), value).is_ok()
}

/// The largest count up to `max` that fits, given that whatever fits at a count also fits below it.
///
/// The full count is asked about on its own: leaving nothing out can be shorter than leaving out a little.
fn largest(max: usize, fits: impl Fn(usize) -> bool) -> Option<usize> {
    if fits(max) {
        return Some(max);
    }
    let (mut low, mut high) = (0, max);
    while low < high {
        let middle = low + (high - low) / 2;
        if fits(middle) { low = middle + 1 } else { high = middle }
    }
    low.checked_sub(1)
}

fn pretty(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

fn to_value(value: &impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands fields by reference")]
fn is_false(flag: &bool) -> bool {
    !flag
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands fields by reference")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// A sink that refuses more bytes than it was given, so that measuring a huge value costs no more than the budget.
struct Allowance(usize);

impl Write for Allowance {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.checked_sub(bytes.len()).ok_or(io::ErrorKind::FileTooLarge)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
