//! Arguments of the history tools, parsed once into checked types.

use palimpsest_history::{Role, Roles, Selection};
use serde::{Deserialize, Deserializer, de::Error as _};
use serde_json::{Map, Value};

use crate::tools::params::{self, at_least_one, integer, limit_chars, window};
use crate::wire::Failure;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WindowsParams {}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ListParams {
    #[serde(default, deserialize_with = "at_least_one")]
    limit: Option<usize>,
    #[serde(default, deserialize_with = "roles")]
    roles: Option<Roles>,
    #[serde(default, deserialize_with = "bound")]
    before: Option<u64>,
    #[serde(default, deserialize_with = "bound")]
    after: Option<u64>,
    window_id: Option<String>,
    #[serde(default, deserialize_with = "at_least_one")]
    max_chars_per_item: Option<usize>,
    pub(super) session_id: Option<String>,
}

/// Those of `history_list`, and two of its own.
pub(super) struct SearchParams {
    pub(super) page: ListParams,
    pub(super) scope: Scope,
    query: Value,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Scope {
    #[default]
    Session,
    Project,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ReadParams {
    #[serde(deserialize_with = "seq")]
    pub(super) seq: u64,
    #[serde(default, deserialize_with = "integer")]
    pub(super) offset_chars: i64,
    #[serde(default = "limit_chars", deserialize_with = "window")]
    pub(super) limit_chars: usize,
    pub(super) session_id: Option<String>,
}

impl ListParams {
    pub(super) fn selection(&self) -> Selection {
        let default = Selection::default();
        Selection {
            roles: self.roles,
            before: self.before,
            after: self.after,
            window: self.window_id.clone(),
            limit: self.limit.unwrap_or(default.limit),
            max_chars: self.max_chars_per_item.unwrap_or(default.max_chars),
        }
    }
}

impl SearchParams {
    pub(super) fn parse(tool: &str, text: &str) -> Result<SearchParams, Failure> {
        let mut object: Map<String, Value> = params::parse(tool, text)?;
        let query = object.remove("query").unwrap_or_default();
        let scope =
            object.remove("scope").map_or(Ok(Scope::default()), |scope| params::parse(tool, &scope.to_string()))?;
        let page = params::parse(tool, &Value::Object(object).to_string())?;
        Ok(SearchParams { page, scope, query })
    }

    /// The texts to look for.
    pub(super) fn queries(&self) -> Result<Vec<&str>, Failure> {
        params::queries(&self.query)
    }
}

fn roles<'de, D: Deserializer<'de>>(input: D) -> Result<Option<Roles>, D::Error> {
    let names = Vec::<String>::deserialize(input)?;
    if names.is_empty() {
        return Err(D::Error::custom("roles is empty; leave it out or name at least one"));
    }
    let parse = |name: &String| {
        name.parse::<Role>()
            .map_err(|_| D::Error::custom(format!("{name:?} is not a role: user, assistant, tool, context")))
    };
    names.iter().map(parse).collect::<Result<Roles, _>>().map(Some)
}

fn seq<'de, D: Deserializer<'de>>(input: D) -> Result<u64, D::Error> {
    let number = integer(input)?;
    match u64::try_from(number) {
        Ok(seq) if seq > 0 => Ok(seq),
        _ => Err(D::Error::custom(format!("{number} is less than 1"))),
    }
}

fn bound<'de, D: Deserializer<'de>>(input: D) -> Result<Option<u64>, D::Error> {
    seq(input).map(Some)
}
