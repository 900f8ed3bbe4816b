//! The grammar of note addresses: `plan`, `@project/decisions`, `@agents/reviewer/style.md`.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::path::PathBuf;

use crate::error::NoteError;
use crate::identity::{Identity, Slug};
use crate::scope::Home;

/// A parsed address: a home and the path of a note in it.
///
/// ```
/// use palimpsest_notes::Address;
/// assert_eq!(Address::parse("a/b")?, Address::parse("a/b.md")?); // `.md` is implied
/// assert!(Address::parse("@project/../secret").is_err()); // nothing that parses leaves its home
/// assert!(Address::parse("@nobody/x").is_err());
/// # Ok::<(), palimpsest_notes::NoteError>(())
/// ```
///
/// An address is not a path and not a pattern:
///
/// ```compile_fail
/// use palimpsest_notes::{Address, Pattern, Query};
/// let query = Query { pattern: Some(Address::parse("a")?), ..Query::default() };
/// # Ok::<(), palimpsest_notes::NoteError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Address {
    home: Home,
    /// UTF-8 bytes of the path as given, before any `.md` was appended: what the length cap measures. Two spellings of
    /// one note are equal all the same.
    given_len: usize,
    /// The path with `.md`, `/`-separated.
    path: String,
}

impl Address {
    /// Parses an address.
    ///
    /// # Errors
    /// `invalid_address`, with the rule it breaks and the legal prefixes. Nothing is created on disk.
    pub fn parse(text: &str) -> Result<Self, NoteError> {
        let refuse = |reason| NoteError::InvalidAddress { given: text.to_owned(), reason };
        let (home, path) = split_home(text).map_err(refuse)?;
        check_path(path).map_err(refuse)?;
        let suffix = if path.ends_with(".md") { "" } else { ".md" };
        Ok(Self { home, given_len: path.len(), path: format!("{path}{suffix}") })
    }

    /// The home it names.
    pub fn home(&self) -> &Home {
        &self.home
    }

    /// The path in that home, `/`-separated, always with `.md`.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The absolute form for an identity, as listings show it: never `@self/` or `@model/`, always with `.md`.
    pub fn render(&self, identity: &Identity) -> String {
        identity.prefix(&self.home) + &self.path
    }

    /// UTF-8 bytes of the path before `.md` was appended.
    pub(crate) fn given_len(&self) -> usize {
        self.given_len
    }

    /// The physical file name before links are resolved.
    pub(crate) fn file(&self, identity: &Identity) -> PathBuf {
        let mut file = identity.folder(&self.home);
        file.extend(self.path.split('/'));
        file
    }
}

impl PartialEq for Address {
    fn eq(&self, other: &Self) -> bool {
        (&self.home, &self.path) == (&other.home, &other.path)
    }
}

impl Eq for Address {}

impl Hash for Address {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.home, &self.path).hash(state);
    }
}

impl fmt::Display for Address {
    /// The form it was parsed from, completed by `.md`; relative homes stay relative.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = &self.path;
        match &self.home {
            Home::Session => write!(f, "{path}"),
            Home::Project => write!(f, "@project/{path}"),
            Home::Human => write!(f, "@human/{path}"),
            Home::CurrentAgent => write!(f, "@self/{path}"),
            Home::CurrentModel => write!(f, "@model/{path}"),
            Home::Agent(name) => write!(f, "@agents/{name}/{path}"),
            Home::Model(name) => write!(f, "@models/{name}/{path}"),
        }
    }
}

fn split_home(text: &str) -> Result<(Home, &str), &'static str> {
    if !text.starts_with('@') {
        return Ok((Home::Session, text));
    }
    let (head, rest) = text.split_once('/').unwrap_or((text, ""));
    let named = |make: fn(Slug) -> Home| {
        let (name, path) = rest.split_once('/').unwrap_or((rest, ""));
        match Slug::parse(name) {
            Ok(slug) => Ok((make(slug), path)),
            Err(_) => Err("the name after @agents/ or @models/ must be runs of a-z and 0-9 joined by single hyphens"),
        }
    };
    match head {
        "@project" => Ok((Home::Project, rest)),
        "@human" => Ok((Home::Human, rest)),
        "@self" => Ok((Home::CurrentAgent, rest)),
        "@model" => Ok((Home::CurrentModel, rest)),
        "@agents" => named(Home::Agent),
        "@models" => named(Home::Model),
        _ => Err("unknown prefix"),
    }
}

fn check_path(path: &str) -> Result<(), &'static str> {
    if path.is_empty() {
        return Err("the path of the note is missing");
    }
    if path.contains('@') {
        return Err("@ is allowed only in the prefix");
    }
    if path.contains(|c: char| c.is_ascii_control()) {
        return Err("control characters are not allowed");
    }
    if path.contains('\\') {
        return Err("backslashes are not allowed, separate folders by /");
    }
    if path.starts_with('/') {
        return Err("absolute paths are not allowed");
    }
    if path.split('/').any(|component| matches!(component, "" | "." | "..")) {
        return Err("no part of the path may be empty, . or ..");
    }
    Ok(())
}
