//! What a call does: arguments in, one answer out. No failure leaves as anything but an error object.

use std::borrow::Cow;

use jiff::tz::TimeZone;
use palimpsest_notes::{Address, Edit, EditOptions, Hit, Meta, Store, WriteOptions, local_iso};
use serde_json::{Map, Value, json};

use super::params::{self, EditParams, ListParams, ReadParams, SearchParams, WriteParams};
use crate::wire::{Delivery, Failure, FileRow, MatchRow, Page, ReadWindow, SearchRow, line_diff, middle_truncated};

/// The longest form of a foreign `crumpledAt` value that a row carries, in code points; a time has 29.
const CRUMPLED_AT: usize = 64;

/// Runs one tool on a store. `params` is the JSON text of the arguments.
///
/// ```
/// use palimpsest_notes::{Clock, Identity, Store};
/// use palimpsest_pi_bridge::call_tool;
///
/// let home = tempfile::tempdir()?;
/// let identity = Identity::from_parts(home.path(), "s1", "app-12345678", "coder", "opus")?;
/// let store = Store::new(identity, Clock::system());
/// let answer = call_tool(&store, "notes_write", r#"{"address":"plan","content":"ship it"}"#);
/// assert_eq!(answer.text, "{\n  \"address\": \"plan\",\n  \"written\": true\n}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn call_tool(store: &Store, tool: &str, params: &str) -> Delivery {
    let answer = match tool {
        "notes_write" => params::parse(tool, params).and_then(|params| write(store, &params)),
        "notes_edit" => params::parse(tool, params).and_then(|params| edit(store, &params)),
        "notes_read" => params::parse(tool, params).and_then(|params| read(store, &params)),
        "notes_list" => params::parse(tool, params).and_then(|params| list(store, &params)),
        "notes_search" => params::parse(tool, params).and_then(|params| search(store, &params)),
        _ => Err(Failure::new("invalid_arguments", format!("there is no tool {tool}"))),
    };
    answer.unwrap_or_else(Failure::deliver)
}

fn write(store: &Store, params: &WriteParams) -> Result<Delivery, Failure> {
    let address = Address::parse(&params.address)?;
    let origin = params::origin(params.origin.as_deref())?.unwrap_or_default();
    store.write(&address, &params.content, WriteOptions { origin })?;
    Ok(Delivery::json(&json!({ "address": params.address, "written": true })))
}

fn edit(store: &Store, params: &EditParams) -> Result<Delivery, Failure> {
    let address = Address::parse(&params.address)?;
    let edits: Vec<Edit> = params
        .edits
        .iter()
        .map(|edit| Edit { old_text: edit.old_text.clone(), new_text: edit.new_text.clone() })
        .collect();
    let options = EditOptions {
        origin: params::origin(params.origin.as_deref())?,
        crumpled: params.crumpled,
        replace_all: params.replace_all,
    };
    let edited = store.edit(&address, &edits, options)?;
    let diff = line_diff(&edited.change.before, &edited.change.after);
    Ok(edit_answer(&params.address, edited.applied, &diff))
}

/// The answer of `notes_edit`, its diff cut to the longest prefix that fits.
fn edit_answer(address: &str, applied: usize, diff: &str) -> Delivery {
    Delivery::json_with_prefix(diff, |diff, whole| {
        let mut answer = json!({ "address": address, "applied": applied, "diff": diff });
        if !whole {
            answer["diff_truncated"] = true.into();
        }
        answer
    })
}

fn read(store: &Store, params: &ReadParams) -> Result<Delivery, Failure> {
    let address = Address::parse(&params.address)?;
    let Some(slice) = store.read_slice(&address, params.offset_chars, params.limit_chars)? else {
        return Err(Failure::new("not_found", "note not found").with("address", params.address.as_str()));
    };
    if usize::try_from(params.offset_chars).is_ok_and(|offset| offset > slice.total) {
        let message = format!(
            "offset_chars {} lies past the end: the note has {total} code points, so {total} is the largest legal offset",
            params.offset_chars,
            total = slice.total
        );
        return Err(Failure::new("invalid_offset", message)
            .with("address", params.address.as_str())
            .with("offset_chars", params.offset_chars)
            .with("total_chars", slice.total));
    }
    let mut identity = Map::new();
    identity.insert("address".into(), params.address.as_str().into());
    if slice.not_utf8 {
        identity.insert("not_utf8".into(), Value::Bool(true));
    }
    let window = ReadWindow { identity: &identity, text: &slice.text, start: slice.start, total: slice.total };
    Ok(window.deliver())
}

fn list(store: &Store, params: &ListParams) -> Result<Delivery, Failure> {
    let listing = store.list_available(&params.query()?)?;
    let zone = TimeZone::system();
    let rows: Vec<FileRow> = listing.rows.into_iter().map(|row| file_row(row.address, &row.meta, &zone)).collect();
    Ok(Page::deliver(&rows, params.limit, &listing.unavailable))
}

fn search(store: &Store, params: &SearchParams) -> Result<Delivery, Failure> {
    let mut listing = store.search_available(&params.queries()?, &params.query()?)?;
    listing.rows.sort_by(|a, b| b.meta.updated_at.cmp(&a.meta.updated_at).then_with(|| a.address.cmp(&b.address)));
    let zone = TimeZone::system();
    let rows: Vec<SearchRow> =
        listing.rows.iter().map(|hit| search_row(hit, params.max_matches_per_file, &zone)).collect();
    Ok(Page::deliver(&rows, params.limit, &listing.unavailable))
}

fn search_row<'a>(hit: &'a Hit, max_matches: Option<usize>, zone: &TimeZone) -> SearchRow<'a> {
    let shown = hit.matches.iter().take(max_matches.unwrap_or(usize::MAX));
    SearchRow {
        file: file_row(hit.address.clone(), &hit.meta, zone),
        matches_total: hit.matches.len(),
        matches: shown
            .map(|found| MatchRow {
                line: found.line,
                text: Cow::Borrowed(&found.text),
                truncated: false,
                offset_chars: found.offset_on_disk,
            })
            .collect(),
    }
}

fn file_row(address: String, meta: &Meta, zone: &TimeZone) -> FileRow {
    FileRow {
        address,
        address_truncated: false,
        updated_at: local_iso(meta.updated_at, zone),
        crumpled_at: meta.crumpled_at.as_ref().map(crumpled_at),
        not_utf8: meta.not_utf8,
    }
}

/// The time as stored. Any value makes a note crumpled, so one that is no string shows as its JSON text, and none may
/// fill the page.
fn crumpled_at(value: &Value) -> String {
    match value {
        Value::String(time) => middle_truncated(time, CRUMPLED_AT),
        other => middle_truncated(&other.to_string(), CRUMPLED_AT),
    }
}
