//! The live session, kept between calls: read from its file, or from the host where the file lags behind.

use std::path::PathBuf;

use palimpsest_history::{HistoryError, Leaf, Session};

use crate::host::{Handed, SessionFacts};

/// What is known of the live session. It follows the host from session to session.
#[derive(Default)]
pub(crate) struct Live {
    id: String,
    path: Option<PathBuf>,
    file: Option<Session>,
    handed: Option<HandedOver>,
}

/// A session that the host keeps in memory, as far as it was handed over.
struct HandedOver {
    session: Session,
    last: Option<String>,
}

/// The live session at its leaf, or what is missing to get there.
pub(crate) enum Reached<'a> {
    /// Ready to be asked.
    Session(&'a Session),
    /// The host has to hand over the entries behind that one; all of them where there is none.
    Lacks {
        /// The last entry that is known.
        after: Option<String>,
    },
}

impl Live {
    /// The session with that id, with its leaf where the host has it now.
    pub(crate) fn reach(&mut self, id: &str, facts: &SessionFacts) -> Result<Reached<'_>, HistoryError> {
        if self.id != id || self.path != facts.file {
            *self = Live { id: id.to_owned(), path: facts.file.clone(), ..Live::default() };
        }
        let leaf = facts.leaf.as_deref();
        let in_file = self.file_reaches(leaf);
        if !in_file && !self.handed_reaches(leaf, facts.handed.as_ref()) {
            return Ok(Reached::Lacks { after: self.handed.as_ref().and_then(|handed| handed.last.clone()) });
        }
        let handed = self.handed.as_mut().map(|handed| &mut handed.session);
        let Some(session) = (if in_file { self.file.as_mut() } else { handed }) else {
            return Ok(Reached::Lacks { after: None });
        };
        session.set_leaf(leaf.map_or(Leaf::Root, Leaf::Entry))?;
        Ok(Reached::Session(session))
    }

    /// Whether the session's file, as it is now, is of this session and has the leaf.
    fn file_reaches(&mut self, leaf: Option<&str>) -> bool {
        let Some(path) = &self.path else { return false };
        // A file that cannot be read is no failure: the host has what it would hold.
        self.file = match self.file.take() {
            Some(mut file) => file.refresh().is_ok().then_some(file),
            None => Session::open(path).ok(),
        };
        self.file.as_ref().is_some_and(|file| file.id() == self.id && has(file, leaf))
    }

    /// Whether what was handed over, now or before, has the leaf.
    fn handed_reaches(&mut self, leaf: Option<&str>, handed: Option<&Handed>) -> bool {
        if self.handed.as_ref().is_some_and(|known| has(&known.session, leaf)) {
            return true;
        }
        let Some(handed) = handed else { return false };
        let Some(after) = &handed.after else {
            let session = Session::from_entries(&format!("{}\n{}", handed.header, handed.entries));
            self.handed = Some(HandedOver { session, last: handed.last.clone() });
            // There is nothing more to ask for: a leaf that is still unknown is an error, not a lack.
            return true;
        };
        // Another call may have continued meanwhile what these entries continue; then the host is asked again.
        let Some(known) = self.handed.as_mut().filter(|known| known.last.as_ref() == Some(after)) else { return false };
        known.session.append(&handed.entries);
        known.last = handed.last.clone().or_else(|| known.last.take());
        if has(&known.session, leaf) {
            return true;
        }
        // The host gave up an entry that it had: only all of them can tell.
        self.handed = None;
        false
    }
}

fn has(session: &Session, leaf: Option<&str>) -> bool {
    leaf.is_none_or(|leaf| session.contains(leaf))
}
