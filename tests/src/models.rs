//! The scripted models as Pi's models.json describes them.

use serde_json::{Value, json};

/// The provider under which the scripted models are registered.
pub const PROVIDER: &str = "scripted";

/// One model of the scripted provider.
#[derive(Clone, Debug)]
pub struct ModelSpec {
    id: String,
    context_window: u64,
    max_tokens: u64,
    mid_conversation: bool,
    reasoning: bool,
}

impl ModelSpec {
    /// A model of 128,000 tokens that takes system messages only at the start of a conversation.
    pub fn new(id: &str) -> ModelSpec {
        ModelSpec {
            id: id.to_owned(),
            context_window: 128_000,
            max_tokens: 4_096,
            mid_conversation: false,
            reasoning: false,
        }
    }

    /// Sets the context window, in tokens.
    #[must_use]
    pub fn context_window(mut self, tokens: u64) -> ModelSpec {
        self.context_window = tokens;
        self
    }

    /// Sets the longest answer, in tokens.
    #[must_use]
    pub fn max_tokens(mut self, tokens: u64) -> ModelSpec {
        self.max_tokens = tokens;
        self
    }

    /// Accepts system messages and tool additions in the middle of a conversation, so that the host sends changes there
    /// instead of folding them into the first message.
    #[must_use]
    pub fn mid_conversation(mut self) -> ModelSpec {
        self.mid_conversation = true;
        self
    }

    /// Supports thinking levels.
    #[must_use]
    pub fn reasoning(mut self) -> ModelSpec {
        self.reasoning = true;
        self
    }

    /// The model's id.
    pub fn id(&self) -> &str {
        &self.id
    }

    fn to_json(&self) -> Value {
        json!({
            "id": self.id,
            "name": self.id,
            "contextWindow": self.context_window,
            "maxTokens": self.max_tokens,
            "input": ["text"],
            "reasoning": self.reasoning,
            "cost": { "input": 1, "output": 2, "cacheRead": 0.1, "cacheWrite": 0 },
            "compat": {
                "supportsMidConvoSystemMessages": self.mid_conversation,
                "supportsMidConvoToolAdditions": self.mid_conversation,
            },
        })
    }
}

/// The text of a models.json that points these models at a scripted server.
pub(crate) fn models_json(url: &str, models: &[ModelSpec]) -> String {
    let models: Vec<_> = models.iter().map(ModelSpec::to_json).collect();
    let provider = json!({ "baseUrl": url, "api": "openai-completions", "apiKey": "not-a-real-key", "models": models });
    json!({ "providers": { PROVIDER: provider } }).to_string()
}
