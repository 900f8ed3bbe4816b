//! Pi sessions: listed, read and searched across resets, branches and damage.

mod branch;
mod cache;
mod error;
mod event;
mod index;
mod json;
mod locate;
mod matcher;
mod page;
mod record;
mod reject;
mod role;
mod scan;
mod search;
mod session;
mod source;
mod sweep;
mod text;

pub use branch::Window;
pub use error::HistoryError;
pub use event::{CutOutput, Tool, ToolStatus};
pub use locate::{Discovery, SessionFile, Unavailable, discover, project_folder};
pub use page::{Fold, Item, Page, Selection, Verdict};
pub use reject::{Reason, Reject};
pub use role::{Role, Roles, UnknownRole};
pub use scan::Header;
pub use session::{Leaf, Options, Refresh, Session, Slice, Tip};
