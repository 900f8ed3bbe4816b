//! Who a store works for: the root folder and the four names that select the five homes.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::error::NoteError;
use crate::scope::{Home, Scope};

/// A session's id as the host gives it: any text that is one safe folder name.
///
/// Kinds of names do not mix, so a session id cannot land where a project key belongs:
///
/// ```compile_fail
/// use palimpsest_notes::{Identity, ProjectKey, SessionId, Slug};
/// let session = SessionId::parse("0198-ab")?;
/// let project = ProjectKey::parse("app-1234abcd")?;
/// let name = Slug::parse("anonymous")?;
/// Identity::new("/notes", project, session, name.clone(), name)?; // session and project swapped
/// # Ok::<(), palimpsest_notes::NoteError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SessionId(String);

/// The name of a project's home; [`project_key`](crate::project_key) derives it from a folder.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ProjectKey(String);

/// The name of an agent or a model: runs of `a-z0-9` joined by single hyphens.
///
/// ```
/// use palimpsest_notes::{Slug, slugify};
/// assert!(Slug::parse("claude-4-5").is_ok());
/// assert!(Slug::parse("Claude 4.5").is_err());
/// assert_eq!(slugify("Claude 4.5").as_str(), "claude-4-5");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slug(String);

/// The root folder and the four names that a store is bound to. Checked once, here; never changes afterwards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    home: PathBuf,
    session: SessionId,
    project: ProjectKey,
    agent: Slug,
    model: Slug,
}

/// Makes a [`Slug`] of any text: lower case, every other run of characters one hyphen, `root` if nothing is left.
///
/// ```
/// # use palimpsest_notes::slugify;
/// assert_eq!(slugify("Second.Model").as_str(), "second-model");
/// assert_eq!(slugify("***").as_str(), "root");
/// ```
pub fn slugify(text: &str) -> Slug {
    let mut slug = String::new();
    for c in text.to_lowercase().chars() {
        if c.is_ascii_lowercase() || c.is_ascii_digit() {
            slug.push(c);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.truncate(slug.trim_end_matches('-').len());
    if slug.is_empty() {
        slug.push_str("root");
    }
    Slug(slug)
}

impl SessionId {
    /// Checks a session id: not empty, not `.` or `..`, none of `/`, `\`, `:` and NUL; else `invalid_identity`.
    pub fn parse(text: &str) -> Result<Self, NoteError> {
        check_folder_name("sessionId", text).map(Self)
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl ProjectKey {
    /// Checks a project key: not empty, not `.` or `..`, none of `/`, `\`, `:` and NUL; else `invalid_identity`.
    pub fn parse(text: &str) -> Result<Self, NoteError> {
        check_folder_name("projectKey", text).map(Self)
    }

    /// The key as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Slug {
    /// Checks a slug; anything else is `invalid_identity` (field `slug`).
    pub fn parse(text: &str) -> Result<Self, NoteError> {
        Self::parse_field("slug", text)
    }

    /// The slug as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn is_slug(text: &str) -> bool {
        text.split('-').all(|run| !run.is_empty() && run.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()))
    }

    fn parse_field(field: &'static str, text: &str) -> Result<Self, NoteError> {
        if !Self::is_slug(text) {
            let reason = "must be runs of a-z and 0-9 joined by single hyphens";
            return Err(NoteError::InvalidIdentity { field, reason, given: text.to_owned() });
        }
        Ok(Self(text.to_owned()))
    }
}

impl Identity {
    /// Binds a root folder and the four names. The folder is made absolute now (lexically, links are not resolved) and
    /// created only by the first write.
    ///
    /// # Errors
    /// `invalid_identity` if `home` is empty or cannot be made absolute.
    pub fn new(
        home: impl AsRef<Path>,
        session: SessionId,
        project: ProjectKey,
        agent: Slug,
        model: Slug,
    ) -> Result<Self, NoteError> {
        let home = home.as_ref();
        let absolute = std::path::absolute(home).map_err(|_| NoteError::InvalidIdentity {
            field: "home",
            reason: "must be a path that can be made absolute",
            given: home.display().to_string(),
        })?;
        Ok(Self { home: normalize(&absolute), session, project, agent, model })
    }

    /// The same from plain text, field by field.
    ///
    /// # Errors
    /// `invalid_identity`, naming the first field that breaks its rule.
    pub fn from_parts(
        home: &Path,
        session_id: &str,
        project_key: &str,
        agent: &str,
        model: &str,
    ) -> Result<Self, NoteError> {
        Self::new(
            home,
            SessionId::parse(session_id)?,
            ProjectKey::parse(project_key)?,
            Slug::parse_field("agent", agent)?,
            Slug::parse_field("model", model)?,
        )
    }

    /// The absolute root folder.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// The session whose notes bare addresses name.
    pub fn session(&self) -> &SessionId {
        &self.session
    }

    /// The project of `@project/`.
    pub fn project(&self) -> &ProjectKey {
        &self.project
    }

    /// The agent of `@self/`.
    pub fn agent(&self) -> &Slug {
        &self.agent
    }

    /// The model of `@model/`.
    pub fn model(&self) -> &Slug {
        &self.model
    }

    /// The concrete name behind a home: the current agent or model for the relative ones.
    pub(crate) fn concrete(&self, home: &Home) -> Home {
        match home {
            Home::CurrentAgent => Home::Agent(self.agent.clone()),
            Home::CurrentModel => Home::Model(self.model.clone()),
            other => other.clone(),
        }
    }

    /// The folder of a home below the root.
    pub(crate) fn folder(&self, home: &Home) -> PathBuf {
        let root = &self.home;
        match home {
            Home::Session => root.join("pi").join("session").join(&self.session.0),
            Home::Project => root.join("project").join(&self.project.0),
            Home::Human => root.join("human"),
            Home::CurrentAgent => root.join("agents").join(&self.agent.0),
            Home::CurrentModel => root.join("models").join(&self.model.0),
            Home::Agent(name) => root.join("agents").join(&name.0),
            Home::Model(name) => root.join("models").join(&name.0),
        }
    }

    /// What stands before the path of a note of this home in its rendered address.
    pub(crate) fn prefix(&self, home: &Home) -> String {
        match home {
            Home::Session => String::new(),
            Home::Project => "@project/".to_owned(),
            Home::Human => "@human/".to_owned(),
            Home::CurrentAgent => format!("@agents/{}/", self.agent),
            Home::CurrentModel => format!("@models/{}/", self.model),
            Home::Agent(name) => format!("@agents/{name}/"),
            Home::Model(name) => format!("@models/{name}/"),
        }
    }

    /// The five homes of this identity in traversal order.
    pub(crate) fn homes(&self) -> [Home; 5] {
        Scope::ALL.map(|scope| self.concrete(&Home::current(scope)))
    }

    /// Whether this identity may write there: its own homes, not those of other agents and models.
    pub(crate) fn may_write(&self, home: &Home) -> bool {
        match home {
            Home::Agent(name) => *name == self.agent,
            Home::Model(name) => *name == self.model,
            _ => true,
        }
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for ProjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for Slug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Resolves `.` and `..` without touching the disk, so that one folder has one spelling.
pub(crate) fn normalize(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            std::path::Component::CurDir => {}
            std::path::Component::ParentDir => {
                normal.pop();
            }
            other => normal.push(other),
        }
    }
    normal
}

fn check_folder_name(field: &'static str, text: &str) -> Result<String, NoteError> {
    let reason = if text.is_empty() {
        "must not be empty"
    } else if text == "." || text == ".." {
        "must not be . or .."
    } else if text.contains(['/', '\\', ':', '\0']) {
        "must not contain /, \\, : or NUL"
    } else {
        return Ok(text.to_owned());
    };
    Err(NoteError::InvalidIdentity { field, reason, given: text.to_owned() })
}
