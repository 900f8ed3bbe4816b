//! What a call of a history tool does: which session, which events, one answer.

use std::path::{Path, PathBuf};

use palimpsest_history::{HistoryError, Options, Page, Selection, Session, Verdict};
use serde_json::Map;

use super::params::{ListParams, ReadParams, Scope, SearchParams, WindowsParams};
use crate::history::{Live, ProjectSessions, Reached};
use crate::host::{Place, SessionFacts};
use crate::tools::params;
use crate::wire::{Delivery, Failure, HistoryPage, ReadWindow, WindowPage};

/// Decoded text kept for a session that is not the live one: such a session is asked once or twice.
const OTHER_CACHE_BYTES: usize = 4 << 20;

/// The history tools, with what they keep between calls.
#[derive(Default)]
pub struct History {
    live: Live,
    other: Option<(PathBuf, Session)>,
}

/// What comes of a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    /// The answer.
    Answer(Delivery),
    /// The host has to make the same call again and hand over entries of the live session that its file lacks.
    HandOver {
        /// The entry behind which they begin; nothing where all are wanted.
        after: Option<String>,
    },
}

/// What comes of a question to the live session.
pub(crate) enum Within<T> {
    /// The answer.
    Reached(T),
    /// The host has to hand over entries, as for [`Reply::HandOver`].
    Lacks {
        /// The entry behind which they begin; nothing where all are wanted.
        after: Option<String>,
    },
}

/// Why there is no answer.
pub(super) enum Stop {
    Failed(Failure),
    /// A file was rewritten while it was read: asked again, it answers.
    Changed(Failure),
    Lacks {
        after: Option<String>,
    },
}

impl History {
    /// Runs one tool. `params` is the JSON text of the arguments.
    ///
    /// ```
    /// use palimpsest_pi_bridge::{Handed, History, Place, Reply, SessionFacts};
    ///
    /// let place = Place {
    ///     cwd: "/work/app".into(),
    ///     session_id: "0123456789".into(),
    ///     model: None,
    ///     home: "/home/me".into(),
    ///     notes_home: None,
    ///     notes_agent: None,
    /// };
    /// let mut session = SessionFacts { leaf: Some("e1".into()), ..SessionFacts::default() };
    /// let mut history = History::default();
    /// let Reply::HandOver { after: None } = history.call("history_list", "{}", &place, &session) else {
    ///     panic!("nothing is known of a session in memory");
    /// };
    /// session.handed = Some(Handed {
    ///     after: None,
    ///     header: r#"{"type":"session","version":3,"id":"0123456789"}"#.into(),
    ///     entries: r#"{"type":"message","id":"e1","parentId":null,"message":{"role":"user","content":"hello"}}"#.into(),
    ///     last: Some("e1".into()),
    /// });
    /// let Reply::Answer(page) = history.call("history_list", "{}", &place, &session) else {
    ///     panic!("there is nothing more to hand over");
    /// };
    /// assert_eq!(page.structured["items"][0]["content"], "hello");
    /// ```
    pub fn call(&mut self, tool: &str, params: &str, place: &Place, session: &SessionFacts) -> Reply {
        let call = Call { tool, params, place, session };
        let answer = match self.answer(call) {
            Err(Stop::Changed(_)) => self.answer(call),
            answer => answer,
        };
        match answer {
            Ok(delivery) => Reply::Answer(delivery),
            Err(Stop::Failed(failure) | Stop::Changed(failure)) => Reply::Answer(failure.deliver()),
            Err(Stop::Lacks { after }) => Reply::HandOver { after },
        }
    }

    /// Asks the live session something, at its leaf.
    pub(crate) fn within<T>(
        &mut self,
        place: &Place,
        facts: &SessionFacts,
        ask: impl FnOnce(&Session) -> Result<T, HistoryError>,
    ) -> Result<Within<T>, HistoryError> {
        match self.live.reach(&place.session_id, facts)? {
            Reached::Session(session) => Ok(Within::Reached(ask(session)?)),
            Reached::Lacks { after } => Ok(Within::Lacks { after }),
        }
    }

    fn answer(&mut self, call: Call) -> Result<Delivery, Stop> {
        match call.tool {
            "history_windows" => self.windows(call),
            "history_list" => self.list(call),
            "history_search" => self.search(call),
            "history_read" => self.read(call),
            tool => Err(Failure::new("invalid_arguments", format!("there is no tool {tool}")).into()),
        }
    }

    fn windows(&mut self, call: Call) -> Result<Delivery, Stop> {
        let WindowsParams {} = params::parse(call.tool, call.params)?;
        let session = self.session(call, None)?;
        Ok(WindowPage::deliver(session.id(), session.windows()))
    }

    fn list(&mut self, call: Call) -> Result<Delivery, Stop> {
        let params: ListParams = params::parse(call.tool, call.params)?;
        let session = self.session(call, params.session_id.as_deref())?;
        let page =
            session.list_while(&params.selection(), |page| verdict(page, true, HistoryPage::of(page, None).fits()))?;
        Ok(HistoryPage::of(&page, None).deliver())
    }

    fn search(&mut self, call: Call) -> Result<Delivery, Stop> {
        let params = SearchParams::parse(call.tool, call.params)?;
        let queries = params.queries();
        // An unknown window is told before a bad query, so there is a search in either case.
        let asked = queries.as_deref().unwrap_or(&["."]);
        let answer = match (params.scope, params.page.session_id.as_deref()) {
            (Scope::Project, None) => self.search_project(call, asked, &params.page.selection())?,
            (scope, session_id) => {
                let session = self.session(call, session_id)?;
                let named = (scope == Scope::Project).then(|| session.id());
                let fits = |page: &Page| verdict(page, true, answer_of(page, named).fits());
                let page = session.search_while(asked, &params.page.selection(), fits)?;
                answer_of(&page, named).deliver()
            }
        };
        Ok(queries.map(|_| answer)?)
    }

    fn read(&mut self, call: Call) -> Result<Delivery, Stop> {
        let params: ReadParams = params::parse(call.tool, call.params)?;
        let session = self.session(call, params.session_id.as_deref())?;
        let slice = session.read(params.seq, params.offset_chars, params.limit_chars)?;
        let mut identity = Map::new();
        identity.insert("seq".into(), slice.seq.into());
        identity.insert("window_id".into(), slice.window_id.into());
        let window = ReadWindow { identity: &identity, text: &slice.text, start: slice.start, total: slice.total };
        Ok(window.deliver())
    }

    /// The live session, or another one of its project.
    fn session(&mut self, call: Call, session_id: Option<&str>) -> Result<&Session, Stop> {
        match session_id.filter(|id| *id != call.place.session_id) {
            None => live(&mut self.live, call),
            Some(id) => self.other(call, id),
        }
    }

    fn other(&mut self, call: Call, id: &str) -> Result<&Session, Stop> {
        let unknown = || {
            let message = format!(
                "there is no session {id:?} in this project that can be read; history_search with scope \"project\" names \
                 those with hits"
            );
            Failure::new("unknown_session_id", message).with("session_id", id)
        };
        let project = call.project().map_err(|_| unknown())?;
        let file = project.files.into_iter().find(|file| file.header.id == id).ok_or_else(unknown)?;
        let kept = self.other.take().filter(|(path, _)| *path == file.path);
        let kept = kept.and_then(|(path, mut session)| session.refresh().is_ok().then_some((path, session)));
        self.other = kept.or_else(|| open(&file.path).ok().map(|session| (file.path, session)));
        Ok(self.other.as_ref().map(|(_, session)| session).ok_or_else(unknown)?)
    }

    fn search_project(&mut self, call: Call, queries: &[&str], selection: &Selection) -> Result<Delivery, Stop> {
        super::search::search_project(live(&mut self.live, call)?, call.project()?, queries, selection)
    }
}

/// One call, as the host made it.
#[derive(Clone, Copy)]
pub(super) struct Call<'a> {
    tool: &'a str,
    params: &'a str,
    place: &'a Place,
    session: &'a SessionFacts,
}

impl Call<'_> {
    fn project(&self) -> Result<ProjectSessions, HistoryError> {
        ProjectSessions::find(&self.session.sessions_folder(&self.place.home), &self.place.cwd)
    }
}

fn live<'a>(live: &'a mut Live, call: Call) -> Result<&'a Session, Stop> {
    match live.reach(&call.place.session_id, call.session)? {
        Reached::Session(session) => Ok(session),
        Reached::Lacks { after } => Err(Stop::Lacks { after }),
    }
}

/// A session that is not the live one, along the path to its last entry.
pub(super) fn open(path: &Path) -> Result<Session, HistoryError> {
    Session::open_with(path, Options { cache_bytes: OTHER_CACHE_BYTES })
}

/// A page of one session; where the scope is the project, the session is named and there is no other.
fn answer_of<'a>(page: &'a Page, session_id: Option<&'a str>) -> HistoryPage<'a> {
    let answer = HistoryPage::of(page, session_id);
    if session_id.is_some() { answer.with_others(0, &[]) } else { answer }
}

/// Whether a page that has grown by one event is to grow further. The very first event is kept in any case, and shrunk.
pub(super) fn verdict(page: &Page, nothing_before: bool, fits: bool) -> Verdict {
    match (fits, nothing_before && page.items.len() == 1) {
        (true, _) => Verdict::Keep,
        (false, true) => Verdict::KeepAndStop,
        (false, false) => Verdict::Stop,
    }
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Stop {
        Stop::Failed(failure)
    }
}

impl From<HistoryError> for Stop {
    fn from(error: HistoryError) -> Stop {
        let stop = if matches!(error, HistoryError::Changed { .. }) { Stop::Changed } else { Stop::Failed };
        stop(error.into())
    }
}
