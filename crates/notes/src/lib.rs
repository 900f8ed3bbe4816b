//! Notes that agents keep: real markdown files with a little frontmatter, in five homes below one root folder.
//!
//! A *session* has its notes, and so have a *project*, the *human*, each *agent* and each *model*. A [`Store`] is bound to
//! one [`Identity`] and offers five operations: [`write`](Store::write), [`read`](Store::read), [`edit`](Store::edit),
//! [`list`](Store::list) and [`search`](Store::search).
//!
//! ```
//! use palimpsest_notes::{Address, Clock, Edit, EditOptions, Identity, Query, Store, WriteOptions};
//!
//! # let home = tempfile::tempdir().unwrap();
//! # let home = home.path();
//! let identity = Identity::from_parts(home, "session-1", "app-1234abcd", "anonymous", "default")?;
//! let store = Store::new(identity, Clock::system());
//!
//! let plan = Address::parse("@project/plan")?;
//! store.write(&plan, "measure once, cut twice", WriteOptions::default())?;
//! let swap = |old: &str, new: &str| Edit { old_text: old.into(), new_text: new.into() };
//! store.edit(&plan, &[swap("once", "twice"), swap("cut twice", "cut once")], EditOptions::default())?;
//!
//! assert_eq!(store.read(&plan)?.expect("it was written").body, "measure twice, cut once");
//! assert_eq!(store.list(&Query::default())?[0].address, "@project/plan.md");
//! assert_eq!(store.search(&["CUT"], &Query::default())?[0].matches[0].line, 1);
//! # Ok::<(), palimpsest_notes::NoteError>(())
//! ```
//!
//! What people put into these files is safe: comments, keys that are not ours, byte-order marks and line endings survive
//! every operation byte for byte; a crash leaves the old or the new note, never half of one; processes take turns.
//!
//! What this crate is not: it knows no agent host and no model, reads no environment and no clock of its own accord, prints
//! nothing, and protects against mistakes, not against other programs that write into the folder.

mod address;
mod block;
mod clock;
mod edit;
mod error;
mod files;
mod identity;
mod link;
mod lock;
mod matcher;
mod meta;
mod origin;
mod pattern;
mod project;
mod query;
mod queue;
mod read;
mod rewrite;
mod scope;
mod store;
mod walk;
mod write;

pub use address::Address;
pub use clock::{Clock, local_iso};
pub use error::{NoMatchReason, NoteError};
pub use identity::{Identity, ProjectKey, SessionId, Slug, slugify};
pub use meta::Meta;
pub use origin::Origin;
pub use pattern::Pattern;
pub use project::project_key;
pub use query::{Hit, Listing, Match, Query, Row};
pub use scope::{Home, Scope};
pub use store::{Change, ChangeKind, Edit, EditOptions, Edited, Note, Slice, Store, WriteOptions};
