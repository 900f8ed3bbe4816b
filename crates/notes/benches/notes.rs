//! Search, list and write beside what else does the work, in one run: ripgrep and a Node reader on the same folder, the
//! two syncs that a durable write cannot do without. Prints Markdown; `cargo xtask bench notes` keeps it.
//!
//! Whole processes are compared with whole processes: this program starts itself for ours. Files are in the page cache.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use palimpsest_notes::{Address, Clock, Identity, Query, Store, WriteOptions};

/// A word that stands in one note of a thousand, in mixed case there.
const RARE: &str = "palimpsest";
const ROUNDS: usize = 11;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let mut out = std::io::stdout();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[1..] {
        ["child", "search", home] => {
            let hits = store(home.as_ref()).search(&[RARE], &Query::default()).expect("search");
            writeln!(out, "{}", hits.len()).expect("print");
        }
        ["child", list, home] => {
            let query = Query { omit_bodies: list == "list", ..Query::default() };
            writeln!(out, "{}", store(home.as_ref()).list(&query).expect("list").len()).expect("print");
        }
        _ => report(&mut out),
    }
}

fn report(out: &mut impl Write) {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    writeln!(
        out,
        "Whole processes, files in the page cache, {threads} cores, median of {ROUNDS} runs taken in turn; the ratios are ours \
         to ripgrep's search and our list to our search. Notes of 0.3 to 6 KB in folders of 100.\n\n\
         | Notes | `rg -l -i -F -j2` | our search | ratio | Node, 32 in flight | our list | to our search | our list with bodies | to our search |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    )
    .expect("print");
    for count in [1_000, 10_000, 100_000] {
        let home = tempfile::tempdir().expect("a temporary folder");
        generate(home.path(), count);
        writeln!(out, "{}", compare(home.path(), count)).expect("print");
    }
    let home = tempfile::tempdir().expect("a temporary folder");
    writeln!(out, "\n{}", write_cost(home.path())).expect("print");
}

fn compare(home: &Path, count: usize) -> String {
    let expected = count / 1000;
    let script = home.join("reader.mjs");
    fs::write(&script, NODE_READER).expect("write");
    let this = std::env::current_exe().expect("this program");
    let node = std::env::var_os("PALIMPSEST_NODE").unwrap_or_else(|| "node".into());
    let mut rg = Command::new("rg");
    rg.args(["-l", "-i", "-F", "-j2", "--no-ignore", RARE]).arg(home.join("project"));
    let mut search = Command::new(&this);
    search.args(["child", "search"]).arg(home);
    let mut list = Command::new(&this);
    list.args(["child", "list"]).arg(home);
    let mut bodies = Command::new(&this);
    bodies.args(["child", "list-with-bodies"]).arg(home);
    let mut reader = Command::new(node);
    reader.arg(&script).arg(home.join("project")).arg(RARE);

    let mut times = [const { Vec::new() }; 5];
    // The first round warms the cache and checks that all find what is there.
    for round in 0..=ROUNDS {
        let commands = [
            (&mut rg, expected),
            (&mut search, expected),
            (&mut reader, expected),
            (&mut list, count),
            (&mut bodies, count),
        ];
        for ((command, expected), times) in commands.into_iter().zip(&mut times) {
            let started = Instant::now();
            // A rival that is not installed leaves its column empty.
            let Ok(output) = command.stderr(Stdio::inherit()).output() else { continue };
            let time = started.elapsed();
            if round > 0 {
                times.push(time);
                continue;
            }
            let text = String::from_utf8_lossy(&output.stdout);
            let found = text.trim().parse().unwrap_or_else(|_| text.lines().count());
            assert_eq!(found, expected, "{command:?}");
        }
    }
    let [rg, search, reader, list, bodies] = times.map(|mut times| median(&mut times));
    let ratio = |a: Option<Duration>, b: Option<Duration>| match (a, b) {
        (Some(a), Some(b)) => format!("{:.2}", a.as_secs_f64() / b.as_secs_f64()),
        _ => "–".to_owned(),
    };
    format!(
        "| {count} | {} | {} | {} | {} | {} | {} | {} | {} |",
        show(rg),
        show(search),
        ratio(search, rg),
        show(reader),
        show(list),
        ratio(list, search),
        show(bodies),
        ratio(bodies, search)
    )
}

/// One durable write of a note beside a bare file that is synced, renamed and whose folder is synced.
fn write_cost(home: &Path) -> String {
    const WRITES: usize = 200;
    let store = store(home);
    let at = Address::parse("@project/note").expect("an address");
    let body = "a line of some forty characters or so\n".repeat(50);
    let folder = home.join("bare");
    fs::create_dir(&folder).expect("create");
    store.write(&at, &body, WriteOptions::default()).expect("write");
    let (mut ours, mut bare) = (Vec::new(), Vec::new());
    for _ in 0..WRITES {
        let started = Instant::now();
        store.write(&at, &body, WriteOptions::default()).expect("write");
        ours.push(started.elapsed());
        let started = Instant::now();
        let temp = folder.join("note.tmp");
        let mut file = File::create(&temp).expect("create");
        file.write_all(body.as_bytes()).expect("write");
        file.sync_all().expect("sync");
        fs::rename(&temp, folder.join("note.md")).expect("rename");
        File::open(&folder).and_then(|folder| folder.sync_all()).expect("sync");
        bare.push(started.elapsed());
    }
    let (ours, bare) = (median(&mut ours).expect("some"), median(&mut bare).expect("some"));
    format!(
        "One write of a 2 KB note over an old one: {} µs; a bare file written, synced, renamed, folder synced: {} µs; ratio {:.2} \
         (medians of {WRITES} in turn).",
        ours.as_micros(),
        bare.as_micros(),
        ours.as_secs_f64() / bare.as_secs_f64()
    )
}

fn store(home: &Path) -> Store {
    let identity = Identity::from_parts(home, "s", "app-1234abcd", "anonymous", "default").expect("an identity");
    Store::new(identity, Clock::system())
}

/// Notes as they come: prose in lines, sizes that vary, every thousandth with the rare word.
fn generate(home: &Path, count: usize) {
    let words =
        ["the", "window", "note", "agent", "context", "of", "task", "keeps", "Kelvin", "session", "naïve", "and"];
    let mut seed: u64 = 7;
    let mut random = move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize
    };
    for index in 0..count {
        let folder: PathBuf = home.join("project/app-1234abcd").join(format!("f{}", index / 100));
        if index % 100 == 0 {
            fs::create_dir_all(&folder).expect("create");
        }
        let mut text = format!(
            "---\norigin: self\ncreatedAt: 2026-01-01T00:00:00.000+00:00\nupdatedAt: 2026-01-01T00:00:{:02}.{:03}+00:00\n\
             lastAccessed: 2026-01-01T00:00:00.000+00:00\naccessCount: {}\n---\n\n",
            index / 1000 % 60,
            index % 1000,
            index % 12
        );
        for line in 0..4 + random() % 70 {
            for _ in 0..6 + random() % 10 {
                text.push_str(words[random() % if index % 10 == 0 { words.len() } else { 9 }]);
                text.push(' ');
            }
            if line == 3 && index % 1000 == 500 {
                text.push_str("PalimpSest");
            }
            text.push('\n');
        }
        fs::write(folder.join(format!("n{index}.md")), text).expect("write");
    }
}

fn median(times: &mut [Duration]) -> Option<Duration> {
    times.sort_unstable();
    times.get(times.len() / 2).copied()
}

fn show(time: Option<Duration>) -> String {
    time.map_or("not here".to_owned(), |time| format!("{:.1} ms", time.as_secs_f64() * 1000.0))
}

const NODE_READER: &str = "
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
const [root, query] = process.argv.slice(2);
const files = (await readdir(root, { recursive: true })).filter((name) => name.endsWith('.md'));
let next = 0, found = 0;
await Promise.all(Array.from({ length: 32 }, async () => {
  while (next < files.length) {
    const text = await readFile(join(root, files[next++]), 'utf8');
    if (text.toLowerCase().includes(query)) found++;
  }
}));
console.log(found);
";
