//! The messages of a request as the host weighs them.

use palimpsest_window::{Body, Message, Stop, Weight};
use serde::Deserialize;

use super::entry::UsageValue;

/// One message; lengths are UTF-16 units of the form that the provider gets.
#[derive(Debug, Deserialize)]
pub(super) struct MessageValue {
    at: Option<f64>,
    body: BodyValue,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
enum BodyValue {
    System { text: usize, added: usize, removed: usize },
    User(WeightValue),
    ToolResult(WeightValue),
    Assistant { units: usize, stop: String, usage: UsageValue },
    Custom { tag: String, window_id: Option<String>, weight: WeightValue },
    Summary { empty: bool, weight: WeightValue },
    Other(WeightValue),
    Unsent,
}

#[derive(Debug, Deserialize)]
struct WeightValue {
    text: usize,
    blocks: usize,
}

impl From<MessageValue> for Message {
    fn from(MessageValue { at, body }: MessageValue) -> Message {
        let body = match body {
            BodyValue::System { text, added, removed } => Body::System { text, added, removed },
            BodyValue::User(weight) => Body::User(weight.into()),
            BodyValue::ToolResult(weight) => Body::ToolResult(weight.into()),
            BodyValue::Assistant { units, stop, usage } => {
                Body::Assistant { units, stop: Stop::parse(&stop), usage: usage.into() }
            }
            BodyValue::Custom { tag, window_id, weight } => Body::Custom { tag, window_id, weight: weight.into() },
            BodyValue::Summary { empty, weight } => Body::Summary { empty, weight: weight.into() },
            BodyValue::Other(weight) => Body::Other(weight.into()),
            BodyValue::Unsent => Body::Unsent,
        };
        Message { at: at.map_or(0, |at| at as i64), body }
    }
}

impl From<WeightValue> for Weight {
    fn from(WeightValue { text, blocks }: WeightValue) -> Weight {
        Weight { text, blocks }
    }
}
