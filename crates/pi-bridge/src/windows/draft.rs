//! Drafts of the machine in the host's form.

use palimpsest_window::{Boundary, Draft, MARKER_TAG, Projection, ToolReply};
use serde_json::{Value, json};

/// An entry to append at a boundary.
pub(super) fn entry(draft: &Draft) -> Value {
    match draft {
        Draft::Checkpoint { window_id, cause, data, usage } => {
            let mut details = json!({ "by": "pi-context", "windowId": window_id, "cause": cause.as_str() });
            if let Some(data) = data.as_deref().and_then(parsed) {
                details["data"] = data;
            }
            let mut checkpoint =
                json!({ "type": "compaction", "summary": "", "firstKeptEntryId": null, "details": details });
            if let Some(usage) = usage.as_deref().and_then(parsed) {
                checkpoint["usage"] = usage;
            }
            checkpoint
        }
        Draft::Marker { window_id } => {
            json!({ "type": "custom", "customType": MARKER_TAG, "data": { "windowId": window_id } })
        }
        Draft::Message { .. } => {
            let mut entry = message(draft);
            entry["type"] = "custom_message".into();
            entry
        }
    }
}

/// A message to send; null for a draft that is none.
pub(super) fn message(draft: &Draft) -> Value {
    let Draft::Message { tag, content, window_id } = draft else {
        return Value::Null;
    };
    let mut message = json!({ "customType": tag.as_str(), "content": content, "display": false });
    if let Some(id) = window_id {
        message["details"] = json!({ "windowId": id });
    }
    message
}

/// The answer to a boundary.
pub(super) fn boundary(boundary: &Boundary) -> Value {
    let mut answer = json!({ "entries": boundary.drafts.iter().map(entry).collect::<Vec<_>>() });
    if let Some(proceed) = boundary.proceed {
        answer["continue"] = proceed.into();
    }
    answer
}

/// The answer to a request of `len` messages; nothing where it may go out as it is.
pub(super) fn request(projection: &Projection, len: usize) -> Option<Value> {
    if projection.is_unchanged(len) {
        return None;
    }
    let append: Vec<Value> = projection.append.iter().map(message).collect();
    Some(json!({ "fold": projection.fold, "keep": projection.keep, "append": append }))
}

/// The result of a tool call.
pub(super) fn result(reply: &ToolReply) -> Value {
    let mut result = json!({ "content": [{ "type": "text", "text": reply.json }] });
    if let Some(structured) = parsed(&reply.json) {
        result["structuredContent"] = structured;
    }
    if reply.failed {
        result["isError"] = true.into();
    }
    if reply.terminate {
        result["terminate"] = true.into();
    }
    result
}

fn parsed(json: &str) -> Option<Value> {
    serde_json::from_str(json).ok()
}
