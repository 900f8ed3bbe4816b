//! Where a call is made: the live values of the host from which the identity of the notes store follows.

use std::path::{Path, PathBuf};

use palimpsest_notes::{Identity, NoteError, SessionId, Slug, project_key, slugify};
use palimpsest_window::Names;
use serde::Deserialize;

/// The live values of the host. They are taken anew at every call: a switch of model retargets `@model/` at once.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Place {
    /// The session's working directory.
    pub cwd: PathBuf,
    /// The session's id.
    pub session_id: String,
    /// The id of the model in use, if one is.
    pub model: Option<String>,
    /// The user's home directory.
    pub home: PathBuf,
    /// `PI_NOTES_HOME`, if set.
    pub notes_home: Option<PathBuf>,
    /// `PI_NOTES_AGENT`, if set.
    pub notes_agent: Option<String>,
}

impl Place {
    /// The root of all notes: `PI_NOTES_HOME` if it names one, else `.agents/notes` in the user's home.
    pub fn notes_root(&self) -> PathBuf {
        match &self.notes_home {
            Some(root) if !root.as_os_str().is_empty() => absolute(root),
            _ => self.home.join(".agents").join("notes"),
        }
    }

    /// Whose notes the bare and relative addresses mean.
    ///
    /// # Errors
    ///
    /// `invalid_identity` where the host's session id cannot name a directory.
    pub fn identity(&self) -> Result<Identity, NoteError> {
        let (agent, model) = self.slugs();
        let session = SessionId::parse(&self.session_id)?;
        Identity::new(self.notes_root(), session, project_key(&self.cwd), agent, model)
    }

    /// Who works here, as addresses of notes name them.
    pub fn names(&self) -> Names {
        let (agent, model) = self.slugs();
        Names { agent: agent.as_str().to_owned(), model: model.as_str().to_owned() }
    }

    fn slugs(&self) -> (Slug, Slug) {
        let agent = self.notes_agent.as_deref().filter(|name| !name.is_empty()).unwrap_or("anonymous");
        let model = self.model.as_deref().map_or("default", |id| id.rsplit('/').next().unwrap_or(id));
        (slugify(agent), slugify(model))
    }
}

/// A path as seen from the directory the host was started in; that directory may be gone.
fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}
