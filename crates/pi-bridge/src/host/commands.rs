//! The commands that people type.

use serde::Serialize;

/// A command as the host wants it declared, and the event that it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CommandDefinition {
    /// What a person types behind the slash.
    pub name: &'static str,
    /// One line for the host's list.
    pub description: &'static str,
    /// The name of the event that the engine gets.
    pub event: &'static str,
    /// Arguments that the host offers.
    pub completions: Vec<Completion>,
}

/// An argument that the host offers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Completion {
    /// What is typed.
    pub value: &'static str,
    /// What is shown.
    pub label: &'static str,
    /// What it does.
    pub description: &'static str,
}

/// All commands, in the order in which they are declared.
pub fn command_definitions() -> Vec<CommandDefinition> {
    let completion = |value, description| Completion { value, label: value, description };
    vec![
        CommandDefinition {
            name: "wipe-memory",
            description: "Start a fresh context window after one more turn; session, notes and history stay",
            event: "wipeCommand",
            completions: Vec::new(),
        },
        CommandDefinition {
            name: "pi-context",
            description: "Context windows: on, off, or their state",
            event: "toggle",
            completions: vec![
                completion("on", "windows end and begin again as room gets scarce"),
                completion("off", "the host compacts by itself; what was wiped stays out of sight"),
                completion("status", "which window this is, and how much room is left"),
            ],
        },
    ]
}
