//! Which session a call means: the live one as the host has it now, or another one of its project.

mod live;
mod project;

pub(crate) use live::{Live, Reached};
pub(crate) use project::ProjectSessions;
