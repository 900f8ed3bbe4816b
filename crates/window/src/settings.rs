//! The product's settings: values in, checked settings and complaints out.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::budget::DEFAULT_MARGIN;
use crate::vocabulary::SETTINGS_KEY;

/// The largest integer that every JSON reader keeps.
const LARGEST_INTEGER: f64 = 9_007_199_254_740_991.0;

/// The value of one key in one scope.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Value {
    /// The key is not there.
    #[default]
    Absent,
    /// A boolean.
    Bool(bool),
    /// A number.
    Number(f64),
    /// A string.
    Text(String),
    /// Null, a list or an object.
    Other,
}

/// The keys below `pi-context` in one settings file. A file where that is no plain object counts as empty.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SettingsScope {
    /// `enabled`.
    pub enabled: Value,
    /// `reminderMarginTokens`.
    pub reminder_margin_tokens: Value,
    /// `bootCarryover`.
    pub boot_carryover: Value,
    /// `dreamer`.
    pub dreamer: Value,
}

/// Checked settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Windows are on when a session starts.
    pub enabled: bool,
    /// Tokens between the reminder and the reserve.
    pub reminder_margin_tokens: u64,
    /// A boot quotes what was said last.
    pub boot_carryover: bool,
    /// The model that dreams, if one is named.
    pub dreamer: Option<String>,
}

impl Settings {
    /// The settings of both scopes, the project's key by key before the global ones, and a complaint for each value that
    /// cannot be used (for [`Event::Complaints`](crate::Event::Complaints)).
    pub fn resolve(global: &SettingsScope, project: &SettingsScope) -> (Settings, Vec<String>) {
        let mut complaints = Vec::new();
        let enabled = switch(&mut complaints, "enabled", over(&project.enabled, &global.enabled));
        let margin = over(&project.reminder_margin_tokens, &global.reminder_margin_tokens);
        let margin = match margin {
            Value::Absent => DEFAULT_MARGIN,
            Value::Number(number) if *number >= 1.0 && *number <= LARGEST_INTEGER && is_whole(*number) => {
                *number as u64
            }
            Value::Bool(_) | Value::Number(_) | Value::Text(_) | Value::Other => {
                complaints.push(complaint("reminderMarginTokens", "a whole number above zero", "the default is used"));
                DEFAULT_MARGIN
            }
        };
        let carryover = over(&project.boot_carryover, &global.boot_carryover);
        let boot_carryover = switch(&mut complaints, "bootCarryover", carryover);
        let dreamer = match over(&project.dreamer, &global.dreamer) {
            Value::Absent => None,
            Value::Text(text) if !text.trim().is_empty() => Some(text.trim().to_string()),
            Value::Bool(_) | Value::Number(_) | Value::Text(_) | Value::Other => {
                complaints.push(complaint("dreamer", "the name of a model", "it is ignored"));
                None
            }
        };
        (Settings { enabled, reminder_margin_tokens: margin, boot_carryover, dreamer }, complaints)
    }

    /// The complaint when the settings could not be read at all; defaults are used then.
    pub fn unreadable(cause: &str) -> String {
        format!("the settings cannot be read, and defaults are used: {cause}. correct the settings file")
    }
}

fn over<'a>(project: &'a Value, global: &'a Value) -> &'a Value {
    if *project == Value::Absent { global } else { project }
}

fn switch(complaints: &mut Vec<String>, key: &str, value: &Value) -> bool {
    match value {
        Value::Absent => true,
        Value::Bool(value) => *value,
        Value::Number(_) | Value::Text(_) | Value::Other => {
            complaints.push(complaint(key, "true or false", "the default, true, is used"));
            true
        }
    }
}

fn complaint(key: &str, wanted: &str, instead: &str) -> String {
    format!("the setting {SETTINGS_KEY}.{key} must be {wanted}; {instead}")
}

fn is_whole(number: f64) -> bool {
    number % 1.0 == 0.0
}
