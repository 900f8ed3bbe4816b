//! The start of a session: look for obstacles, then register.

use serde::Deserialize;

use super::{
    action::{Action, Level},
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
}

/// A tool that the host knows.
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
    if let Some(rival) = rival(&facts.tools) {
        return vec![tell(Level::Warning, &stand_down(rival))];
    }
    let mut actions = vec![Action::Register { tools: tool_definitions() }];
    if let Err(text) = migrate(&facts.place.notes_root()) {
        actions.push(tell(Level::Warning, &text));
    }
    actions
}

/// The tool of another extension that has a name of ours. The host's own tools give way to extensions.
fn rival(tools: &[HostTool]) -> Option<&HostTool> {
    let ours = tool_names();
    tools.iter().find(|tool| tool.source_info.source != "builtin" && ours.contains(&tool.name.as_str()))
}

fn stand_down(rival: &HostTool) -> String {
    let HostTool { name, source_info: SourceInfo { path, source, origin, scope } } = rival;
    let registered = "nothing was registered";
    if origin != "package" || scope == "temporary" {
        return format!(
            "{registered}: the tool {name} already belongs to the extension {path}. to use palimpsest, start pi without \
             it or delete it"
        );
    }
    let local = if scope == "project" { " --local" } else { "" };
    format!(
        "{registered}: the tool {name} already belongs to the package {source}. to use palimpsest, run \
         \"pi remove {source}{local}\" and restart pi"
    )
}
