//! What the model is told about the two tools for context windows.

use serde_json::{Value, json};

use super::definition::{ToolDefinition, object};
use super::output;

pub(super) fn wipe() -> ToolDefinition {
    ToolDefinition {
        name: "wipe_memory",
        label: "Wipe memory",
        description: "Clear your in-context memory and go on in a fresh context window, once all calls of this message are \
            done. The session, your notes and the history survive; whatever is only in context is lost. Save goal, state and \
            next step with notes_write first. Call it at a good moment: a task is finished, or the context is full of what \
            is no longer needed.",
        prompt_snippet: "Clear in-context memory and go on in a fresh context window; notes and history survive",
        parameters: object(json!({}), &[]),
        output_schema: output::admit_or(
            json!({
                "status": { "enum": ["rollover_requested", "rollover_already_pending"] },
                "notes_written": output::count(),
            }),
            json!({}),
        ),
        execution_mode: None,
        event: Some("wipeTool"),
    }
}

pub(super) fn remaining() -> ToolDefinition {
    ToolDefinition {
        name: "get_context_remaining",
        label: "Context remaining",
        description: "How much room this context window has: remaining_tokens, estimated tokens left before memory is wiped, \
            and until_reserve_tokens, tokens left before the reserve; null if unknown. Check before ambitious steps.",
        prompt_snippet: "See how many tokens are left before memory is wiped",
        parameters: object(json!({}), &[]),
        output_schema: output::admit_or(
            json!({ "remaining_tokens": tokens(), "until_reserve_tokens": tokens() }),
            json!({}),
        ),
        execution_mode: None,
        event: Some("remainingTool"),
    }
}

fn tokens() -> Value {
    json!({ "type": ["integer", "null"], "minimum": 0 })
}
