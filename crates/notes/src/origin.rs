//! Where a note's words come from.

use std::fmt;
use std::str::FromStr;

use crate::error::NoteError;

/// Where a note's words come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Origin {
    /// The person wrote it or asked for these words (`user`).
    User,
    /// The agent's own words (`self`).
    #[default]
    SelfMade,
    /// Anything else: web pages, command output, other parties (`external`).
    External,
}

impl Origin {
    /// All origins, in the order that messages name them.
    pub const ALL: [Self; 3] = [Self::User, Self::SelfMade, Self::External];

    /// The stored form.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::SelfMade => "self",
            Self::External => "external",
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Origin {
    type Err = NoteError;

    /// Reads the stored form; anything else is `invalid_origin`.
    fn from_str(text: &str) -> Result<Self, NoteError> {
        Self::ALL
            .into_iter()
            .find(|origin| origin.as_str() == text)
            .ok_or_else(|| NoteError::InvalidOrigin { given: text.to_owned() })
    }
}
