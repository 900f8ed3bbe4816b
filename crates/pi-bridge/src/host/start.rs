//! The start of a session: look for obstacles, then register.

use palimpsest_window::MARKER_TAG;
use serde::Deserialize;

use super::{
    action::{Action, Level},
    commands::command_definitions,
    migration::migrate,
    place::Place,
    version::{Installation, is_too_old},
};
use crate::tools::{tool_definitions, tool_names};

/// What is known when a session starts.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StartFacts {
    /// Whether the host can show notices.
    pub has_ui: bool,
    /// Where the session is.
    pub place: Place,
    /// Where the host is installed.
    pub host: Installation,
    /// All tools known to the host, ours not among them. A host that is too old may not say.
    #[serde(default)]
    pub tools: Vec<HostTool>,
    /// All commands of extensions that the host knows, ours not among them.
    #[serde(default)]
    pub commands: Vec<HostTool>,
}

/// A tool or a command that the host knows.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HostTool {
    /// Its name.
    pub name: String,
    /// Where it comes from. A host that is too old may not say.
    #[serde(default)]
    pub source_info: SourceInfo,
}

/// Where the host found an extension.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SourceInfo {
    /// The extension's file.
    pub path: String,
    /// The package it came with, or how it was found.
    pub source: String,
    /// `package`, or something else for a loose file.
    pub origin: String,
    /// `user`, `project`, or `temporary` for what only this start of the host loads.
    pub scope: String,
}

/// What a session that starts needs done: tools registered, or one notice that says why not.
pub fn start_session(facts: &StartFacts) -> Vec<Action> {
    let tell = |level, text: &str| Action::tell(facts.has_ui, level, text);
    if let Some(version) = facts.host.version().filter(|version| is_too_old(version)) {
        let text = format!(
            "pi {version} is too old, nothing was registered. upgrade pi to 1.0.0 or later, then restart it; /reload is \
             not enough"
        );
        return vec![tell(Level::Error, &text)];
    }
    if let Some((kind, rival)) = rival(facts) {
        let way_out = way_out(rival);
        let text = stand_down(kind, rival, &way_out);
        return vec![tell(Level::Warning, &text), Action::Windows { stand_down: Some(way_out) }];
    }
    let mut actions =
        vec![Action::Register { tools: tool_definitions() }, Action::Commands { commands: command_definitions() }];
    if let Err(text) = migrate(&facts.place.notes_root()) {
        actions.push(tell(Level::Warning, &text));
    }
    actions.extend([Action::Marks { tag: MARKER_TAG }, Action::Windows { stand_down: None }]);
    actions
}

/// What another extension has under a name of ours, with the word for it. The host's own tools give way to extensions.
fn rival(facts: &StartFacts) -> Option<(&'static str, &HostTool)> {
    let (tools, commands) = (tool_names(), command_definitions());
    let tool = facts.tools.iter().find(|tool| tool.source_info.source != "builtin" && tools.contains(&&*tool.name));
    // Skills and prompts are commands too, under names that an extension may share.
    let command = || facts.commands.iter().find(|rival| commands.iter().any(|ours| ours.name == rival.name));
    tool.map(|tool| ("tool", tool)).or_else(|| Some(("command", command()?)))
}

fn stand_down(kind: &str, rival: &HostTool, way_out: &str) -> String {
    let HostTool { name, source_info: SourceInfo { path, source, .. } } = rival;
    let owner = if is_package(rival) { format!("package {source}") } else { format!("extension {path}") };
    format!("nothing was registered: the {kind} {name} already belongs to the {owner}. to use palimpsest, {way_out}")
}

fn way_out(rival: &HostTool) -> String {
    if !is_package(rival) {
        return "start pi without it or delete it".to_owned();
    }
    let SourceInfo { source, scope, .. } = &rival.source_info;
    let local = if scope == "project" { " --local" } else { "" };
    format!("run \"pi remove {source}{local}\" and restart pi")
}

fn is_package(rival: &HostTool) -> bool {
    let SourceInfo { origin, scope, .. } = &rival.source_info;
    origin == "package" && scope != "temporary"
}
