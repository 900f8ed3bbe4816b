//! Facts of the host, asked for by a call back into it: at most once an event, and only when the machine wants them.

use palimpsest_window::{Facts, HostUsage, Message, Names, Policy};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use uuid::Uuid;

use super::entry::Stretch;
use super::message::MessageValue;
use super::settings::{Resolved, SettingsFacts};
use crate::host::Place;

/// The host, for as long as one event is handled: a question as JSON in, an answer as JSON out; nothing where it fails.
pub type Ask<'a> = dyn FnMut(&str) -> Option<String> + 'a;

/// What is known of the host while one event is handled.
pub(super) struct HostFacts<'a> {
    ask: &'a mut Ask<'a>,
    /// The settings, as far as they are kept from event to event.
    settings: &'a mut Option<Resolved>,
    /// Complaints about settings that were read during this event.
    pub(super) complaints: Vec<String>,
    fresh: Option<Resolved>,
    queued: Option<bool>,
    usage: Option<HostUsage>,
    projection: Option<Option<Vec<Message>>>,
}

impl<'a> HostFacts<'a> {
    pub(super) fn new(ask: &'a mut Ask<'a>, settings: &'a mut Option<Resolved>) -> HostFacts<'a> {
        let complaints = Vec::new();
        HostFacts { ask, settings, complaints, fresh: None, queued: None, usage: None, projection: None }
    }

    /// Takes these messages for what the host would send.
    pub(super) fn present(&mut self, messages: Vec<Message>) {
        self.projection = Some(Some(messages));
    }

    /// The stretch of the branch from behind `after` to `leaf`.
    pub(super) fn stretch(&mut self, leaf: Option<&str>, after: Option<&str>) -> Option<Stretch> {
        self.answer(&json!({ "what": "branch", "leaf": leaf, "after": after }))
    }

    /// The settings, as kept or read now.
    pub(super) fn settings(&mut self) -> Resolved {
        if let Some(known) = self.fresh.as_ref().or(self.settings.as_ref()) {
            return known.clone();
        }
        let facts: Option<SettingsFacts> = self.answer(&json!({ "what": "settings" }));
        let resolved = facts.unwrap_or_else(|| SettingsFacts::unreadable("the host does not answer")).resolve();
        self.complaints.extend(resolved.complaints.iter().cloned());
        if resolved.live {
            self.fresh = Some(resolved.clone());
        } else {
            *self.settings = Some(resolved.clone());
        }
        resolved
    }

    /// Drops the settings' values.
    pub(super) fn forget_settings(&mut self) {
        self.fresh = None;
        *self.settings = None;
    }

    fn answer<T: DeserializeOwned>(&mut self, question: &Value) -> Option<T> {
        serde_json::from_str(&(self.ask)(&question.to_string())?).ok()
    }
}

impl Facts for HostFacts<'_> {
    fn queued(&mut self) -> bool {
        if let Some(known) = self.queued {
            return known;
        }
        // Where the host does not say, nothing is taken for granted: a reset waits.
        let queued = self.answer(&json!({ "what": "queued" })).unwrap_or(true);
        *self.queued.insert(queued)
    }

    fn policy(&mut self) -> Policy {
        self.settings().policy
    }

    fn usage(&mut self) -> HostUsage {
        #[derive(Deserialize, Default)]
        #[serde(rename_all = "camelCase", default)]
        struct Usage {
            tokens: Option<f64>,
            context_window: Option<f64>,
        }

        if let Some(known) = self.usage {
            return known;
        }
        let Usage { tokens, context_window } = self.answer(&json!({ "what": "usage" })).unwrap_or_default();
        let context_window = context_window.map(|size| size as u64).filter(|size| *size > 0);
        *self.usage.insert(HostUsage { tokens: tokens.map(|tokens| tokens as u64), context_window })
    }

    fn projection(&mut self) -> Option<Vec<Message>> {
        if let Some(known) = &self.projection {
            return known.clone();
        }
        let messages: Option<Vec<MessageValue>> = self.answer(&json!({ "what": "projection" }));
        let messages = messages.map(|messages| messages.into_iter().map(Message::from).collect());
        self.projection.insert(messages).clone()
    }

    fn names(&mut self) -> Names {
        let place: Option<Place> = self.answer(&json!({ "what": "place" }));
        place.map_or_else(|| Names { agent: "anonymous".into(), model: "default".into() }, |place| place.names())
    }

    fn draw(&mut self) -> u32 {
        Uuid::new_v4().as_fields().0
    }
}
