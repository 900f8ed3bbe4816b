//! Arguments of the tools, parsed once into checked types.
//!
//! The host refuses what the input schemas exclude. What gets here all the same ends as an error object.

use palimpsest_notes::{Origin, Pattern, Query};
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::wire::Failure;

/// The largest window of a read, in code points.
const LIMIT_CHARS_MAX: usize = 50_000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WriteParams {
    pub(super) address: String,
    pub(super) content: String,
    pub(super) origin: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EditParams {
    pub(super) address: String,
    #[serde(default)]
    pub(super) edits: Vec<EditParam>,
    pub(super) origin: Option<String>,
    pub(super) crumpled: Option<bool>,
    #[serde(default)]
    pub(super) replace_all: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct EditParam {
    pub(super) old_text: String,
    pub(super) new_text: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ReadParams {
    pub(super) address: String,
    #[serde(default, deserialize_with = "integer")]
    pub(super) offset_chars: i64,
    #[serde(default = "limit_chars", deserialize_with = "window")]
    pub(super) limit_chars: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ListParams {
    pattern: Option<String>,
    #[serde(default, deserialize_with = "at_least_one")]
    pub(super) limit: Option<usize>,
    #[serde(default)]
    wastebasket: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SearchParams {
    query: Value,
    pattern: Option<String>,
    #[serde(default, deserialize_with = "at_least_one")]
    pub(super) limit: Option<usize>,
    #[serde(default, deserialize_with = "at_least_one")]
    pub(super) max_matches_per_file: Option<usize>,
    #[serde(default)]
    wastebasket: bool,
}

pub(super) fn parse<T: DeserializeOwned>(tool: &str, params: &str) -> Result<T, Failure> {
    serde_json::from_str(params)
        .map_err(|error| Failure::new("invalid_arguments", format!("{tool} cannot take these arguments: {error}")))
}

pub(super) fn origin(given: Option<&str>) -> Result<Option<Origin>, Failure> {
    Ok(given.map(str::parse).transpose()?)
}

impl ListParams {
    pub(super) fn query(&self) -> Result<Query, Failure> {
        query(self.pattern.as_deref(), self.wastebasket)
    }
}

impl SearchParams {
    pub(super) fn query(&self) -> Result<Query, Failure> {
        query(self.pattern.as_deref(), self.wastebasket)
    }

    /// The texts to look for.
    pub(super) fn queries(&self) -> Result<Vec<&str>, Failure> {
        queries(&self.query)
    }
}

/// The texts to look for; a list may hold strings only, and none of them may be empty.
pub(super) fn queries(query: &Value) -> Result<Vec<&str>, Failure> {
    let refuse = |message: String| Failure::new("invalid_query", message);
    let given = match query {
        Value::Array(items) if items.is_empty() => {
            return Err(refuse("query is an empty list; give at least one text to look for".into()));
        }
        Value::Array(items) => items.as_slice(),
        one => std::slice::from_ref(one),
    };
    given
        .iter()
        .enumerate()
        .map(|(index, item)| match item.as_str() {
            None => Err(refuse(format!("query {index} is not a string"))),
            Some("") => Err(refuse(format!("query {index} is empty; it would match everything"))),
            Some(text) => Ok(text),
        })
        .collect()
}

fn query(pattern: Option<&str>, wastebasket: bool) -> Result<Query, Failure> {
    let pattern = pattern.filter(|text| !text.is_empty()).map(Pattern::parse).transpose()?;
    Ok(Query { pattern, wastebasket, omit_bodies: true, ..Query::default() })
}

pub(super) fn limit_chars() -> usize {
    12_000
}

/// Any JSON number without a fraction, however large: the schema's `integer` admits 1e300 as well.
pub(super) fn integer<'de, D: Deserializer<'de>>(input: D) -> Result<i64, D::Error> {
    let number = serde_json::Number::deserialize(input)?;
    if let Some(exact) = number.as_i64() {
        return Ok(exact);
    }
    match number.as_f64() {
        // The cast saturates.
        Some(float) if float.fract() == 0.0 => Ok(float as i64),
        _ => Err(D::Error::custom(format!("{number} is not an integer"))),
    }
}

fn positive<'de, D: Deserializer<'de>>(input: D) -> Result<usize, D::Error> {
    let number = integer(input)?;
    match usize::try_from(number) {
        Ok(count) if count > 0 => Ok(count),
        _ => Err(D::Error::custom(format!("{number} is less than 1"))),
    }
}

pub(super) fn at_least_one<'de, D: Deserializer<'de>>(input: D) -> Result<Option<usize>, D::Error> {
    positive(input).map(Some)
}

pub(super) fn window<'de, D: Deserializer<'de>>(input: D) -> Result<usize, D::Error> {
    positive(input).map(|limit| limit.min(LIMIT_CHARS_MAX))
}
