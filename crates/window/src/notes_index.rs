//! The part of a boot that shows which notes there are.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::boot::Frame;
use crate::material::{Home, NoteRow, Snapshot};
use crate::quote::{chars, note_pointer, quoted};

pub(crate) const NO_NOTES: &str = "There are no notes yet.";

/// The note that every boot shows, in each home.
pub(crate) const MAP: &str = "MAP.md";

/// A longer map is named, not shown, in code points.
const MAP_CAP: usize = 4_096;

/// What a boot shows of one home.
pub(crate) struct HomeSection {
    pub(crate) text: String,
    /// The same with a pointer for the map, if the map is shown.
    pub(crate) without_map: Option<String>,
}

/// The homes that have something to show, in order, and the labels of those that could not be read.
pub(crate) fn home_sections(frame: &Frame<'_>, snapshot: &Snapshot) -> (Vec<HomeSection>, Vec<&'static str>) {
    let mut sections = Vec::new();
    let mut unreadable = Vec::new();
    for home in Home::ALL {
        let Some(found) = snapshot.homes.iter().find(|found| found.home == home) else {
            continue;
        };
        match &found.notes {
            Some(notes) => sections.extend(section(frame, home, notes, snapshot.taken_at)),
            None => {
                unreadable.push(home.label());
                let heading = heading(frame, home);
                let text = format!("{heading}\nThese notes could not be read; {} can retry.", frame.tools.notes_list);
                sections.push(HomeSection { text, without_map: None });
            }
        }
    }
    (sections, unreadable)
}

fn section(frame: &Frame<'_>, home: Home, notes: &[NoteRow], taken_at: i64) -> Option<HomeSection> {
    let current = || notes.iter().filter(|note| !note.crumpled);
    let map = current().find(|note| note.path == MAP && !note.body.is_empty());
    let recent = current().filter(|note| note.path != MAP).take(home.pocket());
    let recent: Vec<String> = recent.map(|note| row(note, taken_at)).collect();
    let heading = heading(frame, home);
    let compose = |map: Option<String>| {
        let mut lines = Vec::from([heading.clone()]);
        lines.extend(map);
        if !recent.is_empty() {
            lines.push(format!("Recent:\n{}", recent.join("\n")));
        }
        lines.join("\n")
    };
    let Some(map) = map else {
        return (!recent.is_empty()).then(|| HomeSection { text: compose(None), without_map: None });
    };
    let pointer = compose(Some(note_pointer(MAP, &map.address, &map.body, frame.tools)));
    if chars(&map.body) > MAP_CAP {
        return Some(HomeSection { text: pointer, without_map: None });
    }
    let shown = compose(Some(quoted(&format!("{MAP}, {}", map.address), &map.body)));
    Some(HomeSection { text: shown, without_map: Some(pointer) })
}

fn heading(frame: &Frame<'_>, home: Home) -> String {
    match home {
        Home::Human => "## Notes in @human".into(),
        Home::Agent => format!("## Notes in @self (@agents/{})", frame.names.agent),
        Home::Model => format!("## Notes in @model (@models/{})", frame.names.model),
        Home::Project => "## Notes in @project".into(),
        Home::Session => "## Notes of this session".into(),
    }
}

fn row(note: &NoteRow, taken_at: i64) -> String {
    format!("- {} | {} chars | {}", note.address, chars(&note.body), relative_time(note.updated_at, taken_at))
}

/// How long before or after `now` something happened (both in milliseconds), in whole units.
fn relative_time(then: i64, now: i64) -> String {
    const UNITS: [(u64, &str); 4] = [(86_400, "d"), (3_600, "h"), (60, "m"), (1, "s")];
    let seconds = then.saturating_sub(now) / 1_000;
    let size = seconds.unsigned_abs();
    let Some((unit, name)) = UNITS.into_iter().find(|(unit, _)| size >= *unit) else {
        return "just now".into();
    };
    let amount = size / unit;
    if seconds < 0 { format!("{amount}{name} ago") } else { format!("in {amount}{name}") }
}
