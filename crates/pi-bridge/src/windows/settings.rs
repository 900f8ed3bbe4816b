//! The settings as the host's manager has them, checked.

use palimpsest_window::{Policy, Settings, SettingsScope, Value};
use serde::Deserialize;

/// What the host's settings manager says.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SettingsFacts {
    /// The manager was handed to us: it may change at any time, so nothing of it is kept.
    live: bool,
    /// Why it could not be asked.
    error: Option<String>,
    #[serde(default)]
    automatic: bool,
    #[serde(default)]
    reserve: f64,
    /// The value of our key in the global scope, and in the project's.
    #[serde(default)]
    global: serde_json::Value,
    #[serde(default)]
    project: serde_json::Value,
}

/// Settings that can be used.
#[derive(Debug, Clone)]
pub(super) struct Resolved {
    pub(super) settings: Settings,
    pub(super) policy: Policy,
    pub(super) complaints: Vec<String>,
    pub(super) live: bool,
}

impl SettingsFacts {
    pub(super) fn resolve(&self) -> Resolved {
        let defaults = || Settings::resolve(&SettingsScope::default(), &SettingsScope::default()).0;
        if let Some(cause) = &self.error {
            let complaints = vec![Settings::unreadable(cause)];
            return Resolved { settings: defaults(), policy: Policy::default(), complaints, live: self.live };
        }
        let (settings, complaints) = Settings::resolve(&scope(&self.global), &scope(&self.project));
        let policy =
            Policy { reserve: self.reserve as u64, automatic: self.automatic, margin: settings.reminder_margin_tokens };
        Resolved { settings, policy, complaints, live: self.live }
    }

    /// For a host that cannot be asked at all.
    pub(super) fn unreadable(cause: &str) -> SettingsFacts {
        SettingsFacts {
            live: false,
            error: Some(cause.to_owned()),
            automatic: true,
            reserve: 0.0,
            global: serde_json::Value::Null,
            project: serde_json::Value::Null,
        }
    }
}

fn scope(keys: &serde_json::Value) -> SettingsScope {
    let value = |key: &str| match keys.as_object().and_then(|keys| keys.get(key)) {
        None => Value::Absent,
        Some(serde_json::Value::Bool(value)) => Value::Bool(*value),
        Some(serde_json::Value::Number(number)) => number.as_f64().map_or(Value::Other, Value::Number),
        Some(serde_json::Value::String(text)) => Value::Text(text.clone()),
        Some(_) => Value::Other,
    };
    SettingsScope {
        enabled: value("enabled"),
        reminder_margin_tokens: value("reminderMarginTokens"),
        boot_carryover: value("bootCarryover"),
        dreamer: value("dreamer"),
    }
}
