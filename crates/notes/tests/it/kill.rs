//! Line 82: killed at any instant, a note is wholly old or wholly new, and what was acknowledged is there.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::Duration;

use palimpsest_notes::{EditOptions, WriteOptions};

use crate::race::store_at;
use crate::support::{Fixture, address, figure, replace, rounds};

/// The body of a version: long enough that a torn write would show.
fn body(version: u64) -> String {
    format!("version {version}\n").repeat(3000)
}

/// Kills a writer at random instants; 300 rounds in soak. The writer writes, edits and reads in turn, and says what
/// was acknowledged.
#[test]
fn a_killed_writer_leaves_old_or_new() {
    if let Ok(home) = std::env::var("PALIMPSEST_CHILD") {
        write_until_killed(home);
    }
    let fixture = Fixture::new();
    let mut seed: u64 = 0x9e37_79b9_7f4a_7c15;
    let rounds = rounds(300, 6);
    for round in 0..rounds {
        let first = fixture.store.read(&address("plan")).expect("read").map_or(0, |note| version_of(&note.body));
        let mut child = Command::new(std::env::current_exe().expect("this binary"))
            .args(["--exact", "kill::a_killed_writer_leaves_old_or_new", "--nocapture"])
            .env("PALIMPSEST_CHILD", format!("{first} {}", fixture.home().display()))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("start a writer");
        let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        let mut acknowledged = first;
        // At least one acknowledgement, so that the kill falls into the writer's work and not into its start.
        for line in lines.by_ref() {
            if let Some(version) = acknowledgement(&line.expect("a line")) {
                acknowledged = version;
                break;
            }
        }
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        std::thread::sleep(Duration::from_micros(seed >> 50));
        child.kill().expect("kill the writer");
        child.wait().expect("the writer ends");
        for line in lines.map_while(Result::ok) {
            acknowledged = acknowledgement(&line).unwrap_or(acknowledged);
        }
        let listed: Vec<String> = fixture.list("**");
        assert_eq!(listed, ["plan.md"], "round {round}: no leftover is listed");
        let note = fixture.read("plan");
        let version = version_of(&note.body);
        assert_eq!(note.body, body(version), "round {round}: one version, whole");
        assert!(version >= acknowledged, "round {round}: {acknowledged} was acknowledged, {version} is there");
    }
    let version = version_of(&fixture.read("plan").body);
    figure(&format!("{rounds} kills of a writer over {version} versions, none torn, none lost"));
}

fn write_until_killed(child: String) -> ! {
    let (first, home) = child.split_once(' ').expect("a version and a home");
    let store = store_at(home.into());
    let at = address("plan");
    let mut version: u64 = first.parse().expect("a version");
    loop {
        version += 1;
        store.write(&at, &body(version), WriteOptions::default()).expect("write");
        acknowledge(version);
        store.read(&at).expect("read");
        let all = EditOptions { replace_all: true, ..EditOptions::default() };
        let edit = replace(&format!("version {version}\n"), &format!("version {}\n", version + 1));
        store.edit(&at, &[edit], all).expect("edit");
        version += 1;
        acknowledge(version);
    }
}

fn acknowledge(version: u64) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "acknowledged {version}").and_then(|()| out.flush()).expect("the test reads on");
}

fn acknowledgement(line: &str) -> Option<u64> {
    line.split_once("acknowledged ")?.1.parse().ok()
}

fn version_of(body: &str) -> u64 {
    let first = body.lines().next().expect("a first line");
    first.strip_prefix("version ").and_then(|text| text.parse().ok()).expect("a version")
}
