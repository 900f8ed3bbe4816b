//! Pages: which events are asked for, and how a page fills with them one by one.

use std::collections::{HashMap, VecDeque};
use std::ops::Range;

use crate::branch::Event;
use crate::error::HistoryError;
use crate::event::{Tool, tell};
use crate::role::{Role, Roles};
use crate::session::Session;
use crate::text::{byte_offset, length};

/// Which events are asked for, and how much of each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection {
    /// Events of these roles, empty ones too. Without roles a listing shows the conversation (what user and assistant
    /// said, the rest folded) and a search looks everywhere.
    pub roles: Option<Roles>,
    /// Only events below this seq.
    pub before: Option<u64>,
    /// Only events above this seq; the page then begins with the oldest of them, not with the newest.
    pub after: Option<u64>,
    /// Only events of this window, by its id; `@previous` is the window before the current one.
    pub window: Option<String>,
    /// Most items on the page.
    pub limit: usize,
    /// Most code points of an item's content.
    pub max_chars: usize,
}

impl Default for Selection {
    fn default() -> Self {
        Self { roles: None, before: None, after: None, window: None, limit: 20, max_chars: 1200 }
    }
}

/// Some events, ascending by seq, and where to go on.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Page {
    /// The events.
    pub items: VecDeque<Item>,
    /// What lies between and, where nothing else follows, beside them; only in the conversation.
    pub folds: VecDeque<Fold>,
    /// There is more below: ask for it with this as [`Selection::before`].
    pub older_before: Option<u64>,
    /// There is more above: ask for it with this as [`Selection::after`].
    pub newer_after: Option<u64>,
}

/// An event on a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// The event's number, the same for as long as the session exists.
    pub seq: u64,
    /// The window it belongs to.
    pub window_id: String,
    /// Who or what it is from.
    pub role: Role,
    /// When, as stored.
    pub created_at: Option<String>,
    /// Facts of a tool event.
    pub tool: Option<Tool>,
    /// There is more text than `content` has.
    pub truncated: bool,
    /// Code points of the whole text.
    pub total_chars: usize,
    /// The text's start; in a search, the text from the match on.
    pub content: String,
    /// In a search, where the content begins in the text, in code points.
    pub offset_chars: Option<usize>,
}

/// A run of tool and context events in a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fold {
    /// The lowest seq in it.
    pub first_seq: u64,
    /// The highest seq in it.
    pub last_seq: u64,
    /// How many events.
    pub count: u64,
    /// How many events of each tool, in the order of their first appearance.
    pub tools: Vec<(String, u64)>,
}

/// What becomes of a page to which a candidate has been added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Keep the candidate and go on.
    Keep,
    /// Keep the candidate; the page is full.
    KeepAndStop,
    /// Take the candidate back; the page is full.
    Stop,
}

/// The events of a branch that a selection admits, as places in the branch.
#[derive(Debug, Clone)]
pub(crate) struct Chosen {
    pub(crate) range: Range<u32>,
    /// Ascending.
    windows: Option<Vec<u32>>,
    /// No roles: the conversation.
    roles: Option<Roles>,
    pub(crate) forward: bool,
}

/// An event that is to be on a page.
pub(crate) struct Candidate {
    pub(crate) at: u32,
    /// Where a search matched, in bytes of the text that was searched.
    pub(crate) matched: Option<(usize, crate::event::Told)>,
}

impl Session {
    /// A page of the active branch; see [`Selection`] and [`Page`].
    ///
    /// # Errors
    /// `unknown_window_id`, `io`, `changed`.
    ///
    /// ```
    /// use palimpsest_history::{Selection, Session};
    ///
    /// let session = Session::from_entries(
    ///     r#"{"type":"session","version":3,"id":"0123456789","cwd":"/app"}
    ///     {"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"measure twice"}}
    ///     {"type":"message","id":"b","parentId":"a","message":{"role":"user","content":"cut once"}}"#,
    /// );
    /// let newest = session.list(&Selection { limit: 1, ..Selection::default() })?;
    /// assert_eq!(newest.items[0].content, "cut once");
    /// let older = session.list(&Selection { before: newest.older_before, ..Selection::default() })?;
    /// assert_eq!(older.items[0].content, "measure twice");
    /// # Ok::<(), palimpsest_history::HistoryError>(())
    /// ```
    pub fn list(&self, selection: &Selection) -> Result<Page, HistoryError> {
        self.list_while(selection, |_| Verdict::Keep)
    }

    /// A page that is as long as the caller has room for.
    ///
    /// Candidates are added one by one, newest first, with `after` oldest first. `fits` sees the page as it would be
    /// with the latest one, complete with folds and anchors, and decides. A selection that admits nothing does not ask.
    ///
    /// # Errors
    /// As [`list`](Session::list).
    pub fn list_while(&self, selection: &Selection, fits: impl FnMut(&Page) -> Verdict) -> Result<Page, HistoryError> {
        let chosen = self.choose(selection, selection.roles)?;
        let mut places = chosen.places();
        let next = || {
            let at = places.by_ref().find(|&at| chosen.admits(self, at));
            Ok(at.map(|at| Candidate { at, matched: None }))
        };
        self.fill(selection, &chosen, selection.roles.is_none(), next, fits)
    }

    pub(crate) fn choose(&self, selection: &Selection, roles: Option<Roles>) -> Result<Chosen, HistoryError> {
        let branch = self.branch();
        let windows = selection.window.as_deref().map(|window| self.windows_named(window)).transpose()?;
        let end = u32::try_from(branch.events.len()).unwrap_or(u32::MAX);
        let mut first = selection.after.map_or(0, |after| branch.first_from(self.index(), after.saturating_add(1)));
        let mut behind = selection.before.map_or(end, |before| branch.first_from(self.index(), before));
        if let Some(windows) = &windows {
            let all = windows.iter().map(|&window| &branch.windows[window as usize]);
            let lowest = all.clone().filter_map(|window| window.first_seq).min();
            let highest = all.filter_map(|window| window.last_seq).max();
            first = first.max(lowest.map_or(end, |seq| branch.first_from(self.index(), seq)));
            behind = behind.min(highest.map_or(0, |seq| branch.first_from(self.index(), seq + 1)));
        }
        Ok(Chosen { range: first..behind.max(first), windows, roles, forward: selection.after.is_some() })
    }

    fn windows_named(&self, name: &str) -> Result<Vec<u32>, HistoryError> {
        let windows = &self.branch().windows;
        let wanted = if name == "@previous" { self.previous_window() } else { Some(name) };
        let named: Vec<u32> = (0..).zip(windows).filter(|(_, w)| Some(&*w.id) == wanted).map(|(at, _)| at).collect();
        if named.is_empty() {
            let known = windows.iter().map(|window| window.id.clone()).collect();
            return Err(HistoryError::UnknownWindow { window: name.to_owned(), known });
        }
        Ok(named)
    }

    /// Fills a page with candidates, each of which must lie behind the one before it.
    pub(crate) fn fill(
        &self,
        selection: &Selection,
        chosen: &Chosen,
        folding: bool,
        mut next: impl FnMut() -> Result<Option<Candidate>, HistoryError>,
        mut fits: impl FnMut(&Page) -> Verdict,
    ) -> Result<Page, HistoryError> {
        let mut page = Page::default();
        if selection.limit == 0 {
            return Ok(page);
        }
        let fold = |range| if folding { self.fold(chosen, range) } else { None };
        let Some(mut candidate) = next()? else {
            page.folds.extend(fold(chosen.range.clone()));
            return Ok(page);
        };
        // What lies between the bound that paging starts from and the latest item is folded already.
        let mut edge = if chosen.forward { chosen.range.start } else { chosen.range.end };
        loop {
            let at = candidate.at;
            let following = next()?;
            let (gap, rest) = if chosen.forward {
                (fold(edge..at), following.is_none().then(|| fold(at + 1..chosen.range.end)).flatten())
            } else {
                (fold(at + 1..edge), following.is_none().then(|| fold(chosen.range.start..at)).flatten())
            };
            let added = usize::from(gap.is_some()) + usize::from(rest.is_some());
            let item = self.item(candidate, selection.max_chars)?;
            let anchor = following.as_ref().map(|_| item.seq);
            page.push(chosen.forward, item, gap.into_iter().chain(rest));
            page.set_anchor(chosen.forward, anchor);
            match fits(&page) {
                Verdict::Keep => {}
                Verdict::KeepAndStop => return Ok(page),
                Verdict::Stop => {
                    page.pop(chosen.forward, added);
                    return Ok(page);
                }
            }
            match following {
                Some(following) if page.items.len() < selection.limit => candidate = following,
                _ => return Ok(page),
            }
            edge = at;
        }
    }

    fn item(&self, candidate: Candidate, max_chars: usize) -> Result<Item, HistoryError> {
        let event = self.branch().events[candidate.at as usize];
        let (matched, told) = match candidate.matched {
            Some((at, told)) => (Some(at), told),
            None => (None, tell(self.source(), self.index(), event)?),
        };
        let start = matched.unwrap_or(0);
        let end = start + byte_offset(&told.text[start..], max_chars);
        Ok(Item {
            seq: event.seq(self.index()),
            window_id: self.branch().windows[event.window as usize].id.clone(),
            role: event.role(self.index()),
            created_at: told.created_at,
            tool: told.tool,
            truncated: start > 0 || end < told.text.len(),
            total_chars: length(&told.text),
            content: told.text[start..end].to_owned(),
            offset_chars: matched.map(|at| length(&told.text[..at])),
        })
    }

    fn fold(&self, chosen: &Chosen, range: Range<u32>) -> Option<Fold> {
        let mut fold: Option<Fold> = None;
        let mut places: HashMap<&str, usize> = HashMap::new();
        for at in range {
            let event = self.branch().events[at as usize];
            let role = event.role(self.index());
            if !matches!(role, Role::Tool | Role::Context) || !chosen.in_window(&event) {
                continue;
            }
            let seq = event.seq(self.index());
            let fold = fold.get_or_insert(Fold { first_seq: seq, last_seq: seq, count: 0, tools: Vec::new() });
            fold.last_seq = seq;
            fold.count += 1;
            if role == Role::Tool {
                let name = event.tool(self.index());
                let place = *places.entry(name).or_insert(fold.tools.len());
                if place == fold.tools.len() {
                    fold.tools.push((name.to_owned(), 0));
                }
                fold.tools[place].1 += 1;
            }
        }
        fold
    }
}

impl Page {
    fn push(&mut self, forward: bool, item: Item, folds: impl Iterator<Item = Fold>) {
        for fold in folds {
            if forward {
                self.folds.push_back(fold);
            } else {
                self.folds.push_front(fold);
            }
        }
        if forward {
            self.items.push_back(item);
        } else {
            self.items.push_front(item);
        }
    }

    /// Takes back the latest item; what it was is where to go on.
    fn pop(&mut self, forward: bool, folds: usize) {
        for _ in 0..folds {
            if forward {
                self.folds.pop_back();
            } else {
                self.folds.pop_front();
            }
        }
        let last = if forward {
            self.items.pop_back();
            self.items.back()
        } else {
            self.items.pop_front();
            self.items.front()
        };
        let anchor = last.map(|item| item.seq);
        self.set_anchor(forward, anchor);
    }

    fn set_anchor(&mut self, forward: bool, anchor: Option<u64>) {
        if forward {
            self.newer_after = anchor;
        } else {
            self.older_before = anchor;
        }
    }
}

impl Chosen {
    /// The places in the order of paging.
    pub(crate) fn places(&self) -> impl Iterator<Item = u32> + use<> {
        let Range { start, end } = self.range;
        let forward = self.forward;
        (0..end - start).map(move |step| if forward { start + step } else { end - 1 - step })
    }

    pub(crate) fn admits(&self, session: &Session, at: u32) -> bool {
        let event = session.branch().events[at as usize];
        if !self.in_window(&event) {
            return false;
        }
        let role = event.role(session.index());
        match self.roles {
            Some(roles) => roles.contains(role),
            None => {
                matches!(role, Role::User | Role::Assistant) && session.index().entries[event.entry as usize].has_text
            }
        }
    }

    fn in_window(&self, event: &Event) -> bool {
        self.windows.as_ref().is_none_or(|windows| windows.binary_search(&event.window).is_ok())
    }
}
