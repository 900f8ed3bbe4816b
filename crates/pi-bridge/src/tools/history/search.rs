//! A search of all sessions of a project: hits session by session, newest first, until the answer is full.

use palimpsest_history::{HistoryError, Page, Selection, Session, SessionFile, Verdict};

use super::call::{Stop, open, verdict};
use crate::history::ProjectSessions;
use crate::wire::{Delivery, HistoryPage};

/// Searches the live session and the others of its project.
pub(super) fn search_project(
    live: &Session,
    project: ProjectSessions,
    queries: &[&str],
    selection: &Selection,
) -> Result<Delivery, Stop> {
    let most = project.files.len() + 1;
    let mut found = Found { pages: Vec::new(), full: false, more: 0, most, unavailable: project.unavailable };
    let mut unknown_window = None;
    let mut known = false;
    for source in in_order(live.id(), project.files) {
        let searched = match &source {
            None => found.search(live, queries, selection),
            Some(file) => open(&file.path).and_then(|session| found.search(&session, queries, selection)),
        };
        match (searched, source) {
            (Ok(()), _) => known = true,
            // A session without that window contributes nothing. If none has it, the live one's are named.
            (Err(HistoryError::UnknownWindow { .. }), Some(_)) => {}
            (Err(error @ HistoryError::UnknownWindow { .. }), None) => unknown_window = Some(error),
            (Err(_), Some(file)) => found.unavailable.push(file.header.id),
            (Err(error), None) => return Err(error.into()),
        }
    }
    match unknown_window.filter(|_| !known) {
        Some(error) => Err(error.into()),
        None => Ok(found.page(None, found.more).deliver()),
    }
}

/// The live session (nothing) at its place among the others: by its file, or first where it has none.
fn in_order(live: &str, files: Vec<SessionFile>) -> Vec<Option<SessionFile>> {
    let mut order: Vec<_> = files.into_iter().map(|file| (file.header.id != live).then_some(file)).collect();
    if order.iter().all(Option::is_some) {
        order.insert(0, None);
    }
    order
}

/// The hits so far.
struct Found {
    pages: Vec<(String, Page)>,
    full: bool,
    /// Sessions with hits of which none is in the pages, and how many there can be at most.
    more: usize,
    most: usize,
    unavailable: Vec<String>,
}

impl Found {
    /// Adds the hits of one more session, or counts it where there is no room.
    fn search(&mut self, session: &Session, queries: &[&str], selection: &Selection) -> Result<(), HistoryError> {
        if self.full {
            let any = Selection { limit: 1, max_chars: 1, ..selection.clone() };
            self.more += usize::from(!session.search(queries, &any)?.items.is_empty());
            return Ok(());
        }
        let mut full = false;
        let page = session.search_while(queries, selection, |page| {
            // How many sessions will be left out shows only at the end; the largest number takes the most room.
            let fits = self.page(Some((session.id(), page)), self.most).fits();
            let verdict = verdict(page, self.pages.is_empty(), fits);
            full |= !matches!(verdict, Verdict::Keep);
            verdict
        })?;
        self.full = full;
        if !page.items.is_empty() {
            self.pages.push((session.id().to_owned(), page));
        } else if full {
            self.more += 1;
        }
        Ok(())
    }

    fn page<'a>(&'a self, last: Option<(&'a str, &'a Page)>, more: usize) -> HistoryPage<'a> {
        let before = self.pages.iter().map(|(id, page)| (id.as_str(), page));
        let pages = before.chain(last).map(|(id, page)| (Some(id), page));
        HistoryPage::across(pages).with_others(more, &self.unavailable)
    }
}
