//! Output schemas: each admits the tool's result and the error object, and nothing else.

use serde_json::{Value, json};

pub(super) fn write() -> Value {
    admit(json!({
        "address": string(),
        "written": { "const": true },
    }))
}

pub(super) fn edit() -> Value {
    admit(json!({
        "address": string(),
        "applied": count(),
        "diff": string(),
        "diff_truncated?": { "const": true },
    }))
}

pub(super) fn read() -> Value {
    admit(json!({
        "address": string(),
        "not_utf8?": { "const": true },
        "offset_chars": count(),
        "total_chars": count(),
        "next_offset_chars": { "type": ["integer", "null"], "minimum": 0 },
        "content": string(),
    }))
}

pub(super) fn list() -> Value {
    page(json!({}))
}

pub(super) fn search() -> Value {
    let one_match = object(json!({
        "line": { "type": "integer", "minimum": 1 },
        "text": string(),
        "truncated": { "type": "boolean" },
        "offset_chars": count(),
    }));
    page(json!({
        "matches_total": { "type": "integer", "minimum": 1 },
        "matches": { "type": "array", "items": one_match },
    }))
}

/// A page of notes whose rows have some keys beyond those of a listing.
fn page(further: Value) -> Value {
    let mut row = json!({
        "address": string(),
        "address_truncated?": { "const": true },
        "updated_at": string(),
        "crumpled_at?": string(),
        "not_utf8?": { "const": true },
    });
    if let (Value::Object(row), Value::Object(further)) = (&mut row, further) {
        row.extend(further);
    }
    admit(json!({
        "files": { "type": "array", "items": object(row) },
        "more": count(),
        "homes_unavailable?": { "type": "array", "items": string(), "minItems": 1 },
        "homes_unavailable_more?": { "type": "integer", "minimum": 1 },
    }))
}

fn admit(result: Value) -> Value {
    admit_or(
        result,
        json!({
            "address?": string(),
            "offset_chars?": { "type": "integer" },
            "total_chars?": count(),
            "line_numbers?": { "type": "array", "items": { "type": "integer", "minimum": 1 } },
            "line_numbers_total?": count(),
            "edit_index?": count(),
        }),
    )
}

/// A result, or an error object with some further keys.
pub(super) fn admit_or(result: Value, further: Value) -> Value {
    let mut error = json!({ "error": string(), "code": string() });
    if let (Value::Object(error), Value::Object(further)) = (&mut error, further) {
        error.extend(further);
    }
    json!({ "anyOf": [object(result), object(error)] })
}

/// A closed object; a `?` behind a key makes it optional.
pub(super) fn object(properties: Value) -> Value {
    let mut declared = serde_json::Map::new();
    let mut required = Vec::new();
    for (key, schema) in properties.as_object().into_iter().flatten() {
        let name = key.trim_end_matches('?');
        if name == key {
            required.push(name.to_owned());
        }
        declared.insert(name.to_owned(), schema.clone());
    }
    json!({ "type": "object", "properties": declared, "required": required, "additionalProperties": false })
}

pub(super) fn string() -> Value {
    json!({ "type": "string" })
}

pub(super) fn count() -> Value {
    json!({ "type": "integer", "minimum": 0 })
}
