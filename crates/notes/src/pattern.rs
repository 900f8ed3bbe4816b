//! Glob patterns over rendered addresses, and the homes they can reach.

use regex::Regex;

use crate::error::NoteError;
use crate::identity::Identity;

/// A pattern that selects notes by their rendered address.
///
/// Anchored at both ends, case-sensitive:
///
/// | Token | Matches |
/// | --- | --- |
/// | `*` | any run of characters but `/`, the empty one included |
/// | `**/` | nothing, or any run that ends in `/` |
/// | `**` elsewhere | any run of any characters |
/// | `?` | exactly one character but `/` |
/// | anything else | itself, `.`, `[`, `{` and `+` included |
///
/// `@self/` and `@model/` at the start stand for the current agent's and model's home. The empty pattern selects every
/// note.
///
/// ```
/// use palimpsest_notes::Pattern;
/// assert!(Pattern::parse("@project/**/*.md").is_ok());
/// assert!(Pattern::parse(r"a\b").is_err());
/// # Ok::<(), palimpsest_notes::NoteError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern(String);

/// The homes a pattern can reach.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Reach<'a> {
    /// The five current ones.
    Current,
    Project,
    Human,
    /// One or all of the named homes of agents or models.
    Named(Namespace, Names<'a>),
    Nothing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Namespace {
    Agents,
    Models,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Names<'a> {
    One(&'a str),
    All,
}

impl Pattern {
    /// Checks a pattern.
    ///
    /// # Errors
    /// `invalid_pattern` if it contains a NUL or a backslash.
    pub fn parse(text: &str) -> Result<Self, NoteError> {
        if text.contains(['\0', '\\']) {
            let reason = "NUL and backslashes are not allowed in patterns; * and ? cannot be escaped, folders are separated by /";
            return Err(NoteError::InvalidPattern { given: text.to_owned(), reason });
        }
        Ok(Self(text.to_owned()))
    }

    /// The pattern as it was given.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The pattern with a relative home replaced by the concrete one.
    pub(crate) fn concrete(&self, identity: &Identity) -> Self {
        if let Some(rest) = self.0.strip_prefix("@self/") {
            return Self(format!("@agents/{}/{rest}", identity.agent()));
        }
        if let Some(rest) = self.0.strip_prefix("@model/") {
            return Self(format!("@models/{}/{rest}", identity.model()));
        }
        self.clone()
    }

    /// Which homes a concrete pattern can match in, judged before any file is read.
    pub(crate) fn reach(&self) -> Reach<'_> {
        let Some(text) = self.0.strip_prefix('@') else {
            return Reach::Current;
        };
        let Some((head, rest)) = text.split_once('/') else {
            return Reach::Nothing;
        };
        let namespace = match head {
            "project" => return Reach::Project,
            "human" => return Reach::Human,
            "agents" => Namespace::Agents,
            "models" => Namespace::Models,
            _ => return Reach::Nothing,
        };
        let name = rest.split('/').next().unwrap_or_default();
        let names = if name.is_empty() || name.contains(['*', '?']) { Names::All } else { Names::One(name) };
        Reach::Named(namespace, names)
    }

    /// The matcher over addresses.
    pub(crate) fn matcher(&self) -> Regex {
        let mut source = String::from(r"(?s)\A");
        let mut rest = self.0.as_str();
        while let Some(c) = rest.chars().next() {
            let (token, matcher) = match c {
                '*' if rest.starts_with("**/") => ("**/", "(?:.*/)?"),
                '*' if rest.starts_with("**") => ("**", ".*"),
                '*' => ("*", "[^/]*"),
                '?' => ("?", "[^/]"),
                _ => {
                    let literal = &rest[..rest.find(['*', '?']).unwrap_or(rest.len())];
                    source.push_str(&regex::escape(literal));
                    rest = &rest[literal.len()..];
                    continue;
                }
            };
            source.push_str(matcher);
            rest = &rest[token.len()..];
        }
        source.push_str(r"\z");
        regex::RegexBuilder::new(&source)
            .size_limit(usize::MAX)
            .build()
            .expect("escaped literals and four fixed forms make a regular expression")
    }
}
