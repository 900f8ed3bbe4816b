//! The READ WINDOW block: a slice of a longer text, with a header that says which slice and how to go on.

use serde_json::{Map, Value, json};

use super::{BUDGET, Delivery, Failure, fits_compact, largest, truncate::prefix};

/// A slice of a text, ready to be delivered. All positions are code points.
#[derive(Debug, Clone, Copy)]
pub struct ReadWindow<'a> {
    /// What the text is: the first lines of the header, and the first keys of details and structure.
    pub identity: &'a Map<String, Value>,
    /// The slice asked for; what does not fit the budget is left to the next page.
    pub text: &'a str,
    /// Where the slice begins in the source.
    pub start: usize,
    /// The length of the source.
    pub total: usize,
}

impl ReadWindow<'_> {
    /// The longest prefix of the slice that fits, as an answer.
    ///
    /// Where the header leaves no room for a single code point of a slice that has some, the answer is
    /// `output_too_large`: a cursor that does not advance would keep the model reading for ever.
    pub fn deliver(self) -> Delivery {
        let length = self.text.chars().count();
        let page = |keep: usize| {
            let content = prefix(self.text, keep);
            let text = format!("{}{content}", self.header(keep));
            let details = self.details(keep);
            let mut structured = details.clone();
            structured.insert("content".into(), content.into());
            (text, details, structured)
        };
        let kept = largest(length, |keep| {
            // Text over the budget needs no measuring of its structure, which is longer still.
            if prefix(self.text, keep).len() > BUDGET {
                return false;
            }
            let (text, _, structured) = page(keep);
            text.len() <= BUDGET && fits_compact(&structured)
        });
        let Some(kept) = kept.filter(|&kept| kept > 0 || length == 0) else {
            return Failure::too_large_to_deliver().deliver();
        };
        let (text, details, structured) = page(kept);
        Delivery { text, structured: Value::Object(structured), details: Some(Value::Object(details)), is_error: false }
    }

    fn header(&self, kept: usize) -> String {
        let mut header = String::from("--- READ WINDOW ---\n");
        for (field, value) in self.identity {
            match value {
                Value::String(text) => header.push_str(&format!("{field}: {text}\n")),
                other => header.push_str(&format!("{field}: {other}\n")),
            }
        }
        let (start, end, total) = (self.start, self.start + kept, self.total);
        header.push_str(&format!("chars: [{start},{end}) of {total}\n"));
        header.push_str(&format!("next_offset_chars: {}\n\n", self.next(kept)));
        header
    }

    fn details(&self, kept: usize) -> Map<String, Value> {
        let mut details = self.identity.clone();
        details.insert("offset_chars".into(), self.start.into());
        details.insert("total_chars".into(), self.total.into());
        details.insert("next_offset_chars".into(), self.next(kept));
        details
    }

    fn next(&self, kept: usize) -> Value {
        let end = self.start + kept;
        if end < self.total { json!(end) } else { Value::Null }
    }
}
