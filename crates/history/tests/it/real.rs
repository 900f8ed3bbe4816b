//! Real sessions, where `PALIMPSEST_SESSIONS` names a folder with some.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use palimpsest_history::{Role, Session};
use serde_json::Value;

use crate::model;
use crate::support::{all, everything, with_roles};

/// The counts of events are those of plain JSON parsing, nothing is rejected, and every event can be read and found.
#[test]
fn real_sessions() {
    let Some(folder) = std::env::var_os("PALIMPSEST_SESSIONS").map(PathBuf::from) else {
        let mut err = std::io::stderr();
        return writeln!(err, "skipped: PALIMPSEST_SESSIONS names no folder with session files").expect("print");
    };
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let sessions: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|end| end == "jsonl")).collect();
    assert!(!sessions.is_empty(), "{} holds no session files", folder.display());
    for path in sessions {
        let text = fs::read_to_string(&path).expect("read");
        let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("json")).collect();
        let session = Session::open(&path).expect("open");
        assert_eq!(session.rejects(), []);
        assert_eq!(session.highest_seq(), lines.iter().map(model::seqs).sum::<u64>());
        let is = |role: &'static str| move |line: &&Value| line["message"]["role"] == role;
        let events = all(&session);
        let count = |role| events.iter().filter(|item| item.role == role).count();
        assert_eq!(count(Role::User), lines.iter().filter(is("user")).count(), "{}", path.display());
        assert_eq!(count(Role::Assistant), lines.iter().filter(is("assistant")).count(), "{}", path.display());
        // Each call is an event, and so is each result that pairs with none.
        let calls = |line: &Value| model::seqs(line) - 1;
        let called: u64 = lines.iter().filter(is("assistant")).map(calls).sum();
        let mut ids: Vec<&str> = Vec::new();
        let mut orphans = 0;
        for line in &lines {
            match line["message"]["role"].as_str() {
                Some("assistant") => {
                    let parts = line["message"]["content"].as_array().into_iter().flatten();
                    ids.extend(parts.filter(|part| part["type"] == "toolCall").filter_map(|part| part["id"].as_str()));
                }
                Some("toolResult") => {
                    let id = line["message"]["toolCallId"].as_str().expect("an id");
                    match ids.iter().position(|known| *known == id) {
                        Some(at) => drop(ids.remove(at)),
                        None => orphans += 1,
                    }
                }
                Some("bashExecution") => orphans += 1,
                _ => {}
            }
        }
        assert_eq!(count(Role::Tool) as u64, called + orphans, "{}", path.display());
        for item in events.iter().step_by(17) {
            let read = session.read(item.seq, 0, usize::MAX).expect("read");
            assert_eq!((&read.text, read.total), (&item.content, item.total_chars));
            let Some(line) = item.content.lines().find(|line| line.len() > 12) else { continue };
            let found = session.search(&[line.to_uppercase()], &with_roles([item.role])).expect("search").items;
            let special = line.to_uppercase().to_lowercase() != line.to_lowercase();
            assert!(special || found.iter().any(|hit| hit.seq == item.seq), "{line}");
        }
        assert!(session.search(&["no such text 8c1f"], &everything()).expect("search").items.is_empty());
    }
}
