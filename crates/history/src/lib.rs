//! Pi sessions: listed, read and searched across resets, branches and damage, at a cost that depends on what is asked and
//! not on how long the session is.
//!
//! A [`Session`] is a session file, of which only an index is kept in memory, or entries that a host hands over. What
//! happened in it are *events*: what the user and the assistant said, tool calls with their results, and what was put into
//! the context. Every event has a *seq*, a number that is the same for as long as the session exists. Questions are about
//! the *active branch*, from the leaf to its root: its [windows](Session::windows), [pages](Session::list) of it, a
//! [search](Session::search), a [read](Session::read) of one event.
//!
//! ```
//! use palimpsest_history::{Role, Selection, Session};
//!
//! let session = Session::from_entries(
//!     r#"{"type":"session","version":3,"id":"01234567-89ab","timestamp":"2026-03-01T12:00:00Z","cwd":"/work/app"}
//!     {"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"what is in it?"}}
//!     {"type":"message","id":"b","parentId":"a","message":{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"ls","arguments":{"path":"."}}]}}"#,
//! );
//!
//! let tools = Selection { roles: Some([Role::Tool].into_iter().collect()), ..Selection::default() };
//! let page = session.list(&tools)?;
//! assert_eq!(page.items[0].content, r#"ls {"path":"."}"#);
//! assert_eq!(session.search(&["WHAT"], &Selection::default())?.items[0].seq, 1);
//! assert_eq!(session.windows()[0].id, "pcw:01234567:root");
//! # Ok::<(), palimpsest_history::HistoryError>(())
//! ```
//!
//! - Formats 1, 2 and 3 are read as they are. Nothing is ever written.
//! - What is damaged hides nothing: intact records are there, the rest are [rejects](Session::rejects).
//! - Offsets and lengths are code points; a page's anchors lead through everything once, in order, whatever fits on a page.
//! - Memory grows with the number of entries, plus a bounded [cache](Options::cache_bytes) of text for repeated searches.
//!
//! What this crate is not: it knows no agent host but by the format of its files, finds no folders of its own accord, reads no
//! environment and no clock, prints nothing, and holds no budget: how much fits on a page is decided by
//! [who asks](Session::list_while).

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
