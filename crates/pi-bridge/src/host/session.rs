//! The live session as the host has it at the moment of a call: where it is kept, and which entry is its leaf.

use std::path::{Path, PathBuf};

use serde::Deserialize;

/// The live values of the host from which the history of the live session, and of its project, follows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SessionFacts {
    /// The file that the host keeps the session in; nothing where the session lives in memory only.
    pub file: Option<PathBuf>,
    /// The folder that such files go to; empty where the session lives in memory only.
    pub dir: PathBuf,
    /// The id of the entry that is the leaf; nothing at the root of an empty branch.
    pub leaf: Option<String>,
    /// `PI_CODING_AGENT_DIR`, if set.
    pub agent_dir: Option<PathBuf>,
    /// `PI_CODING_AGENT_SESSION_DIR`, if set.
    pub sessions_dir: Option<PathBuf>,
    /// Entries that the answer to an earlier form of this call asked for.
    pub handed: Option<Handed>,
}

/// Entries of the live session that its file does not hold, in the order in which the host has them.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Handed {
    /// The entry behind which they begin; nothing where they are all that there are.
    pub after: Option<String>,
    /// The session's header as JSON.
    pub header: String,
    /// The entries as JSON, one a line.
    pub entries: String,
    /// The id of the last of them; nothing where there are none.
    pub last: Option<String>,
}

impl SessionFacts {
    /// The folder that holds the sessions of the project, in itself or in its sub-folders.
    pub fn sessions_folder(&self, home: &Path) -> PathBuf {
        let dir = self.dir.as_path();
        if !dir.as_os_str().is_empty() {
            // The standard layout has a folder for each working directory, and a project may have several of those.
            let name = dir.file_name().unwrap_or_default().to_string_lossy();
            let is_standard = name.len() >= 4 && name.starts_with("--") && name.ends_with("--");
            return dir.parent().filter(|_| is_standard).unwrap_or(dir).to_owned();
        }
        let named = |path: &Option<PathBuf>| {
            let path = path.as_deref().filter(|path| !path.as_os_str().is_empty())?;
            // The host takes a tilde for the home directory.
            Some(path.strip_prefix("~").map_or_else(|_| path.to_owned(), |below| home.join(below)))
        };
        named(&self.sessions_dir).unwrap_or_else(|| {
            named(&self.agent_dir).unwrap_or_else(|| home.join(".pi").join("agent")).join("sessions")
        })
    }
}
