//! Error objects: a failure as the model and programs see it.

use palimpsest_history::HistoryError;
use palimpsest_notes::NoteError;
use serde_json::{Map, Value};

use super::{Delivery, fits, largest, pretty, truncate::middle_truncated};

/// Line numbers named in one error object.
const LINE_NUMBERS: usize = 20;

/// Windows named in one error object.
const KNOWN_WINDOWS: usize = 25;

/// A failure of a tool: a message, a code, and further keys that depend on the code.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure(Map<String, Value>);

impl Failure {
    /// A failure with the two keys that every error object begins with.
    pub fn new(code: &str, message: impl Into<String>) -> Failure {
        let mut object = Map::new();
        object.insert("error".into(), Value::String(message.into()));
        object.insert("code".into(), code.into());
        Failure(object)
    }

    /// An answer that cannot be made to fit the budget.
    pub fn too_large_to_deliver() -> Failure {
        Failure::new(
            "output_too_large",
            format!(
                "the answer does not fit the {} bytes of one tool result, however short its text; a name in it is too long",
                super::BUDGET
            ),
        )
    }

    /// The same failure with one more key, after those it has.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Failure {
        self.0.insert(key.into(), value.into());
        self
    }

    /// The error object as an answer, cut to the budget in the middle of its long strings: those quote the caller.
    pub fn deliver(self) -> Delivery {
        let longest = self.0.values().filter_map(Value::as_str).map(|text| text.chars().count()).max().unwrap_or(0);
        let keep = largest(longest, |keep| fits(&self.cut(keep))).unwrap_or(0);
        let object = self.cut(keep);
        Delivery { text: pretty(&object), structured: Value::Object(object), details: None, is_error: true }
    }

    /// The object with at most `keep` code points of each of its strings.
    fn cut(&self, keep: usize) -> Map<String, Value> {
        let shorten = |value: &Value| match value {
            Value::String(text) => Value::String(middle_truncated(text, keep)),
            other => other.clone(),
        };
        self.0.iter().map(|(key, value)| (key.clone(), shorten(value))).collect()
    }

    /// The same failure with the newest of these windows that fit, and a count of the rest.
    fn with_known_windows(self, known: &[String]) -> Failure {
        let newest = |count: usize| {
            let (rest, named) = known.split_at(known.len() - count);
            let failure = self.clone().with("known_windows", named);
            if rest.is_empty() { failure } else { failure.with("known_windows_more", rest.len()) }
        };
        // The caller's strings can be cut, the ids of windows cannot: those would be of no use.
        let count = largest(known.len().min(KNOWN_WINDOWS), |count| fits(&newest(count).cut(0)));
        newest(count.unwrap_or(0))
    }
}

impl From<NoteError> for Failure {
    fn from(error: NoteError) -> Failure {
        let mut failure = Failure::new(error.code(), error.to_string());
        let lines = error.line_numbers();
        if !lines.is_empty() {
            let first: Vec<Value> = lines.iter().take(LINE_NUMBERS).map(|&line| line.into()).collect();
            failure = failure.with("line_numbers", first).with("line_numbers_total", lines.len());
        }
        if let Some(index) = error.edit_index() {
            failure = failure.with("edit_index", index);
        }
        failure
    }
}

impl From<HistoryError> for Failure {
    fn from(error: HistoryError) -> Failure {
        let failure = Failure::new(error.code(), error.to_string());
        match error {
            HistoryError::UnknownWindow { window, known } => {
                failure.with("window_id", window).with_known_windows(&known)
            }
            HistoryError::InvalidOffset { seq, window_id, offset, total } => failure
                .with("seq", seq)
                .with("window_id", window_id)
                .with("offset_chars", offset)
                .with("total_chars", total),
            _ => failure,
        }
    }
}
