//! What a boot is made of: the notes of all homes at one instant, and what was said last.

use jiff::Timestamp;
use palimpsest_history::{HistoryError, Role, Selection, Session};
use palimpsest_notes::{Clock, Identity, NoteError, Query, Scope, Store};
use palimpsest_window::{Answer, Build, Carry, Home, HomeNotes, Material, NoteRow, Payload, Quote, Snapshot};
use serde::Deserialize;

use super::settings::SettingsFacts;
use crate::host::{Place, SessionFacts};
use crate::tools::{History, Within};

/// What the host hands over for a boot.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Supplies {
    /// Which boot.
    pub(crate) build: u64,
    place: Place,
    session: SessionFacts,
    settings: SettingsFacts,
    /// Size of the context window in tokens, where it is known.
    context_window: Option<f64>,
}

/// How far collecting came.
pub(crate) enum Collected {
    Done(Result<Box<Material>, String>),
    /// The host has to hand over the entries behind that one, then ask again.
    Lacks {
        after: Option<String>,
    },
}

/// Collects the material of a boot. Slow: it reads notes, and the session.
pub(crate) fn collect(
    supplies: &Supplies,
    build: &Build,
    answer_stop: Option<&str>,
    history: &mut History,
) -> Collected {
    let carry = match (build.wanted(), build.ended()) {
        (Some(_), Some(ended)) => {
            let said = |session: &Session| carry(session, &ended.window, answer_stop);
            match history.within(&supplies.place, &supplies.session, said) {
                Ok(Within::Reached(carry)) => carry,
                Ok(Within::Lacks { after }) => return Collected::Lacks { after },
                // A boot without what was said last is better than a reset that does not happen.
                Err(_) => Carry::default(),
            }
        }
        (None | Some(_), _) => Carry::default(),
    };
    let payload = Payload { carry, ..Payload::default() };
    let material = |snapshot| {
        Box::new(Material {
            snapshot,
            payload,
            carry_over: supplies.settings.resolve().settings.boot_carryover,
            context_window: supplies.context_window.map(|size| size as u64),
        })
    };
    Collected::Done(notes(&supplies.place).map(material))
}

fn notes(place: &Place) -> Result<Snapshot, String> {
    let identity: Identity = place.identity().map_err(|error| error.to_string())?;
    let store = Store::new(identity, Clock::system());
    let taken_at = Timestamp::now().as_millisecond();
    let homes = [
        (Home::Session, Scope::Session),
        (Home::Project, Scope::Project),
        (Home::Human, Scope::Human),
        (Home::Agent, Scope::Agent),
        (Home::Model, Scope::Model),
    ];
    let homes = homes.map(|(home, scope)| home_notes(&store, home, scope)).into_iter().collect::<Result<_, _>>();
    Ok(Snapshot { taken_at, homes: homes? })
}

fn home_notes(store: &Store, home: Home, scope: Scope) -> Result<HomeNotes, String> {
    let rows = match store.list(&Query { scope: Some(scope), ..Query::default() }) {
        Ok(rows) => rows,
        Err(NoteError::Io { .. }) => return Ok(HomeNotes { home, notes: None }),
        Err(error) => return Err(error.to_string()),
    };
    let notes = rows.into_iter().map(|row| NoteRow {
        address: row.address,
        path: row.path,
        body: row.body,
        updated_at: row.meta.updated_at,
        crumpled: row.meta.crumpled_at.is_some(),
    });
    Ok(HomeNotes { home, notes: Some(notes.collect()) })
}

/// What was said last on the branch, across windows, and where the work of a window is found.
fn carry(session: &Session, window: &str, answer_stop: Option<&str>) -> Result<Carry, HistoryError> {
    /// Answers without text stand between calls; this many are looked through for one that says something.
    const ANSWERS: usize = 50;
    let newest = |role: Role, limit: usize| {
        let roles = Some([role].into_iter().collect());
        session.list(&Selection { roles, limit, max_chars: usize::MAX, ..Selection::default() })
    };
    let mut users = newest(Role::User, 2)?.items;
    let quote = |item: palimpsest_history::Item| Quote { text: item.content, seq: Some(item.seq) };
    let request = users.pop_back().map(quote);
    let before = users.pop_back().map(quote);
    let answers = newest(Role::Assistant, ANSWERS)?.items;
    let answer = answers.into_iter().rfind(|item| !item.content.trim().is_empty()).map(|item| Answer {
        text: item.content,
        stop: answer_stop.unwrap_or("unknown").to_owned(),
        seq: Some(item.seq),
    });
    let ended = session.windows().iter().rfind(|known| known.id == window);
    let seqs = ended.and_then(|ended| Some((ended.first_seq?, ended.last_seq?)));
    Ok(Carry { request, before, answer, seqs })
}
