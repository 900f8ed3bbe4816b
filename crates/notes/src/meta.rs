//! The metadata of a note: what its frontmatter says, normalised.

use jiff::tz::TimeZone;
use serde_json::{Map, Value};

use crate::block::Document;
use crate::clock::parse_date;
use crate::origin::Origin;
use crate::scope::Scope;

/// The metadata of a note. Odd or missing values are normalised, never an error.
#[derive(Debug, Clone, PartialEq)]
pub struct Meta {
    /// The kind of home the note lives in; derived from the folder, never stored.
    pub scope: Scope,
    /// Where the words come from; `self` if missing or unknown.
    pub origin: Origin,
    /// Epoch milliseconds of the first write; the current time if missing or unreadable.
    pub created_at: i64,
    /// Epoch milliseconds of the last change of the body or origin; the current time if missing or unreadable.
    pub updated_at: i64,
    /// Epoch milliseconds of the last counted read; the current time if missing or unreadable.
    pub last_accessed: i64,
    /// How often the note was read; 0 if missing or no number. People may have written a fraction.
    pub access_count: f64,
    /// Present on a note that is in the wastebasket: when it was crumpled, as stored (normally a local ISO string).
    pub crumpled_at: Option<Value>,
    /// Whether the file is not UTF-8 and the text shows U+FFFD in places. Never stored.
    pub not_utf8: bool,
    /// Every other entry under its own key, value intact, `project`, `sourceWindow` and the like included.
    pub extras: Map<String, Value>,
}

impl Meta {
    /// Whether the note is in the wastebasket.
    pub fn is_crumpled(&self) -> bool {
        self.crumpled_at.is_some()
    }

    pub(crate) fn of(document: &Document<'_>, scope: Scope, context: &Normalize<'_>) -> Self {
        let now = context.now;
        let mut meta = Self {
            scope,
            origin: Origin::default(),
            created_at: now,
            updated_at: now,
            last_accessed: now,
            access_count: 0.0,
            crumpled_at: None,
            not_utf8: false,
            extras: Map::new(),
        };
        // A repeated key overwrites what came before it, invalid values included.
        for (key, value) in document.entries() {
            match key {
                "origin" => meta.origin = valid_origin(value).unwrap_or_default(),
                "createdAt" => meta.created_at = context.instant(value).unwrap_or(now),
                "updatedAt" => meta.updated_at = context.instant(value).unwrap_or(now),
                "lastAccessed" => meta.last_accessed = context.instant(value).unwrap_or(now),
                "accessCount" => meta.access_count = value.as_f64().unwrap_or(0.0),
                "crumpledAt" => meta.crumpled_at = Some(value.clone()),
                "scope" => {}
                _ => {
                    meta.extras.insert(key.to_owned(), value.clone());
                }
            }
        }
        meta
    }
}

/// What normalising needs besides the text.
pub(crate) struct Normalize<'a> {
    /// Epoch milliseconds that stand in for missing and unreadable times.
    pub(crate) now: i64,
    /// The zone of dates without an offset.
    pub(crate) zone: &'a TimeZone,
}

impl Normalize<'_> {
    /// A stored time in epoch milliseconds, if it is one.
    pub(crate) fn instant(&self, value: &Value) -> Option<i64> {
        match value {
            Value::Number(number) => number.as_i64().or_else(|| number.as_f64().map(|ms| ms as i64)),
            Value::String(text) => parse_date(text, self.zone),
            _ => None,
        }
    }
}

pub(crate) fn valid_origin(value: &Value) -> Option<Origin> {
    value.as_str()?.parse().ok()
}
