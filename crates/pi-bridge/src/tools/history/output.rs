//! Output schemas of the history tools: each admits the tool's result and the error object, and nothing else.

use serde_json::{Value, json};

use crate::tools::output::{admit_or, count, object, string};

pub(super) fn windows() -> Value {
    let window = object(json!({
        "window_id": string(),
        "created_at": nullable("string"),
        "first_seq": nullable("integer"),
        "last_seq": nullable("integer"),
        "item_count": count(),
    }));
    admit(json!({
        "session_id": string(),
        "windows": { "type": "array", "items": window },
        "more?": number(),
    }))
}

pub(super) fn list() -> Value {
    let fold = object(json!({
        "folded": { "const": true },
        "first_seq": number(),
        "last_seq": number(),
        "count": number(),
        "tools": { "type": "object", "additionalProperties": number() },
        "omitted_tools?": number(),
    }));
    admit(json!({
        "items": { "type": "array", "items": { "anyOf": [object(event(json!({}))), fold] } },
        "older_before": nullable("integer"),
        "newer_after": nullable("integer"),
    }))
}

pub(super) fn search() -> Value {
    let hit = object(event(json!({ "session_id?": string(), "offset_chars": count() })));
    admit(json!({
        "items": { "type": "array", "items": hit },
        "older_before": nullable("integer"),
        "newer_after": nullable("integer"),
        "sessions_more?": count(),
        "sessions_unavailable?": { "type": "array", "items": string(), "minItems": 1 },
        "sessions_unavailable_more?": number(),
    }))
}

pub(super) fn read() -> Value {
    admit(json!({
        "seq": number(),
        "window_id": string(),
        "offset_chars": count(),
        "total_chars": count(),
        "next_offset_chars": nullable("integer"),
        "content": string(),
    }))
}

/// The keys of an event, and some further ones.
fn event(further: Value) -> Value {
    let mut event = json!({
        "seq": number(),
        "window_id": string(),
        "role": { "enum": ["user", "assistant", "tool", "context"] },
        "created_at": nullable("string"),
        "tool?": string(),
        "output_truncated?": { "const": true },
        "full_output_path?": nullable("string"),
        "tool_error?": { "const": true },
        "tool_status?": { "enum": ["ok", "error", "unfinished"] },
        "truncated": { "type": "boolean" },
        "total_chars": count(),
        "content": string(),
    });
    if let (Value::Object(event), Value::Object(further)) = (&mut event, further) {
        event.extend(further);
    }
    event
}

fn admit(result: Value) -> Value {
    admit_or(
        result,
        json!({
            "session_id?": string(),
            "seq?": number(),
            "window_id?": string(),
            "known_windows?": { "type": "array", "items": string() },
            "known_windows_more?": number(),
            "offset_chars?": { "type": "integer" },
            "total_chars?": count(),
        }),
    )
}

fn number() -> Value {
    json!({ "type": "integer", "minimum": 1 })
}

fn nullable(kind: &str) -> Value {
    json!({ "type": [kind, "null"] })
}
