//! The five kinds of homes, and the homes that addresses name.

use std::fmt;
use std::str::FromStr;

use crate::error::NoteError;
use crate::identity::Slug;

/// The five kinds of homes a note can live in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// Notes of one session.
    Session,
    /// Notes of one project, shared by its sessions.
    Project,
    /// Notes about the person, shared by everything.
    Human,
    /// Notes of one named agent.
    Agent,
    /// Notes of one model.
    Model,
}

/// A home as an address names it. The relative forms follow the store's identity.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Home {
    /// This session's.
    Session,
    /// This project's.
    Project,
    /// The person's.
    Human,
    /// The current agent's (`@self/`).
    CurrentAgent,
    /// The current model's (`@model/`).
    CurrentModel,
    /// A named agent's.
    Agent(Slug),
    /// A named model's.
    Model(Slug),
}

impl Scope {
    /// All scopes in canonical order, which is the order of traversal.
    pub const ALL: [Self; 5] = [Self::Session, Self::Project, Self::Human, Self::Agent, Self::Model];

    /// The stable name: `session`, `project`, `human`, `agent` or `model`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Project => "project",
            Self::Human => "human",
            Self::Agent => "agent",
            Self::Model => "model",
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Scope {
    type Err = NoteError;

    /// Reads the stable name; anything else is `invalid_scope`.
    fn from_str(text: &str) -> Result<Self, NoteError> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == text).ok_or_else(|| {
            NoteError::InvalidScope(format!("invalid scope {text:?}: use session, project, human, agent or model"))
        })
    }
}

impl Home {
    /// The scope this home belongs to.
    pub fn scope(&self) -> Scope {
        match self {
            Self::Session => Scope::Session,
            Self::Project => Scope::Project,
            Self::Human => Scope::Human,
            Self::CurrentAgent | Self::Agent(_) => Scope::Agent,
            Self::CurrentModel | Self::Model(_) => Scope::Model,
        }
    }

    /// The identity's own home of a scope.
    pub(crate) fn current(scope: Scope) -> Self {
        match scope {
            Scope::Session => Self::Session,
            Scope::Project => Self::Project,
            Scope::Human => Self::Human,
            Scope::Agent => Self::CurrentAgent,
            Scope::Model => Self::CurrentModel,
        }
    }
}
