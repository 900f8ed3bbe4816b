//! The four kinds of events that users of history tell apart.

use std::fmt;
use std::str::FromStr;

/// Who or what an event is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// What the person said.
    User,
    /// What the model said.
    Assistant,
    /// A tool call with its result, or a command that the person ran.
    Tool,
    /// What was put into the context from elsewhere: summaries, messages of extensions.
    Context,
}

/// The text is no role.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown role {0:?}: use user, assistant, tool or context")]
pub struct UnknownRole(String);

impl Role {
    /// All roles.
    pub const ALL: [Self; 4] = [Self::User, Self::Assistant, Self::Tool, Self::Context];

    /// The role's name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
            Self::Context => "context",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(self.as_str())
    }
}

impl FromStr for Role {
    type Err = UnknownRole;

    fn from_str(name: &str) -> Result<Self, UnknownRole> {
        Self::ALL.into_iter().find(|role| role.as_str() == name).ok_or_else(|| UnknownRole(name.to_owned()))
    }
}

/// A set of roles.
///
/// ```
/// use palimpsest_history::{Role, Roles};
/// let said: Roles = [Role::User, Role::Assistant].into_iter().collect();
/// assert!(said.contains(Role::User) && !said.contains(Role::Tool));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Roles(u8);

impl Roles {
    /// Every role.
    pub const ALL: Self = Self(0b1111);

    /// Whether the role is one of these.
    pub fn contains(self, role: Role) -> bool {
        self.0 & (1 << role as u8) != 0
    }
}

impl FromIterator<Role> for Roles {
    fn from_iter<I: IntoIterator<Item = Role>>(roles: I) -> Self {
        Self(roles.into_iter().fold(0, |set, role| set | 1 << role as u8))
    }
}
