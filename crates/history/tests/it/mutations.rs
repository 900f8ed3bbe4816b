//! Damaged at random: nothing panics, every line that is still a record is delivered, and search agrees with reading.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use palimpsest_history::{Leaf, Session};
use serde_json::{Value, json};

use crate::model;
use crate::support::{Log, TempFile, all, everything, figure, rounds};

const THREADS: usize = 2;

#[test]
fn mutated_files() {
    let files = rounds(1_000_000, 4_000);
    let run = |thread: usize| {
        let file = TempFile::new("");
        let bases = bases();
        for number in (thread..files).step_by(THREADS) {
            let mut random = Random(number as u64 * 2 + 1);
            let mut bytes = bases[random.below(bases.len())].clone();
            for _ in 0..1 + random.below(4) {
                mutate(&mut bytes, &mut random);
            }
            let checked = catch_unwind(AssertUnwindSafe(|| check(&file, &bytes)));
            assert!(checked.is_ok(), "file {number}: {:?}", String::from_utf8_lossy(&bytes));
        }
    };
    thread::scope(|scope| {
        (0..THREADS).for_each(|thread| {
            scope.spawn(move || run(thread));
        });
    });
    figure(&format!("{files} mutated files, every line that is still a record delivered"));
}

fn check(file: &TempFile, bytes: &[u8]) {
    file.write(bytes);
    let session = file.open();
    let records = bytes.split(|&byte| byte == b'\n').filter_map(|line| {
        let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
        serde_json::from_slice::<Value>(line).ok().filter(|value| value["type"].is_string())
    });
    let (mut seqs, mut damaged) = (0, bytes.split(|&byte| byte == b'\n').count());
    for record in records {
        seqs += model::seqs(&record);
        damaged -= 1;
    }
    // Records glued together or found behind damage come on top.
    assert!(session.highest_seq() >= seqs, "{} of {seqs} seqs", session.highest_seq());
    let rejects = session.rejects();
    assert!(rejects.is_sorted_by_key(|reject| (reject.offset, reject.line)));
    if damaged == 0 && session.header().is_some() {
        assert_eq!(session.highest_seq(), seqs);
    }
    let events = all(&session);
    assert!(events.is_sorted_by_key(|item| item.seq));
    // One text a file: making a search ready takes longer than searching. Decomposed spellings, which lower-casing would not
    // find, are in none of these files.
    let query = ["needle", "é", "put \"x"][bytes.len() % 3];
    let found = session.search(&[query], &everything()).expect("search").items;
    let expected = events.iter().filter(|item| item.content.to_lowercase().contains(query)).map(|item| item.seq);
    assert_eq!(found.iter().map(|item| item.seq).collect::<Vec<_>>(), expected.collect::<Vec<_>>(), "{query}");
    let mut handed = Session::from_entries(&String::from_utf8_lossy(bytes));
    assert_eq!(handed.windows().len(), session.windows().len());
    // Any way from leaf to leaf leads to what reading the branch alone shows.
    for id in ["e1", "e5", "e2", "e6", "e3", "e4"] {
        if handed.set_leaf(Leaf::Entry(id)).is_ok() {
            let moved = all(&handed);
            handed.set_leaf(Leaf::Root).expect("always");
            handed.set_leaf(Leaf::Entry(id)).expect("it exists");
            assert_eq!(moved, all(&handed));
        }
    }
}

fn mutate(bytes: &mut Vec<u8>, random: &mut Random) {
    const PIECES: [&[u8]; 12] = [
        b"\0\0\0",
        b"\n",
        b"\"",
        b"{",
        b"}",
        b"\\",
        b"\\ud800",
        b"\xff",
        b"\xEF\xBB\xBF",
        b"\r\n",
        b"[[[[",
        b",\"id\":\"e3\"",
    ];
    let at = random.below(bytes.len() + 1);
    let end = bytes.len().min(at + random.below(60));
    match random.below(7) {
        0 => bytes.truncate(at),
        1 => drop(bytes.drain(at..end)),
        2 => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= 1 << random.below(7);
            }
        }
        3 => drop(bytes.splice(at..at, PIECES[random.below(PIECES.len())].iter().copied())),
        4 => {
            let copy = bytes[at..end].to_vec();
            let to = random.below(bytes.len() + 1);
            bytes.splice(to..to, copy);
        }
        5 => {
            // A whole line somewhere else, or gone.
            let mut lines: Vec<Vec<u8>> = bytes.split(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
            let line = lines.remove(random.below(lines.len()));
            if random.below(3) > 0 {
                lines.insert(random.below(lines.len() + 1), line);
            }
            *bytes = lines.join(&b'\n');
        }
        _ => {
            // Two lines become one.
            if let Some(at) = bytes.iter().skip(at).position(|&byte| byte == b'\n').map(|skipped| at + skipped) {
                bytes.remove(at);
            }
        }
    }
}

/// Sessions to damage: formats 3 and 1, with most kinds of entries and a branch.
fn bases() -> Vec<Vec<u8>> {
    let mut log = Log::new();
    log.user("needle \"x\"");
    log.calls(&[("c1", "read", json!({"path": "é"})), ("c2", "ls", json!({}))]);
    log.result("c2", "ls", "an output with a Needle");
    log.result("c1", "read", "plain");
    let fork = log.marker("w1");
    log.assistant("left");
    log.go(&fork);
    log.context("boot");
    log.message(json!({"role": "bashExecution", "command": "x", "output": "needle", "exitCode": 0}));
    log.user("é 😀");
    let current = log.text();
    let old = current.replace(r#""version":3,"#, "");
    vec![current.into_bytes(), old.into_bytes()]
}

/// A sequence that is the same for the same seed.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % bound.max(1) as u64).expect("below a usize")
    }
}
