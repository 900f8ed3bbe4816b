//! Opening, searching and paging generated sessions beside what else does the work, in one run: Pi's own session manager,
//! ripgrep, a JavaScript walk. Prints Markdown; `cargo xtask bench history` keeps it.
//!
//! This program starts itself for ours, so that every figure of memory is the peak of a process that did nothing else.
//! Files are in the page cache. `generate <megabytes> <path>` writes one of the sessions.

mod session;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use palimpsest_history::{Leaf, Options, Selection, Session};

/// A word that stands in one record of some thousands, in mixed case.
const RARE: &str = "palimpsest";
const SIZES: [u64; 3] = [10, 100, 1000];

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let mut out = std::io::stdout();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[1..] {
        ["child", "index", path] => {
            let (time, session) = timed(|| open(path, 0));
            finish(&mut out, &[time], usize::try_from(session.highest_seq()).expect("small"));
        }
        ["child", "search", path] => {
            let session = open(path, 0);
            let times: Vec<_> = (0..5).map(|_| timed(|| search(&session))).collect();
            finish(&mut out, &times.iter().map(|(time, _)| *time).collect::<Vec<_>>(), times[0].1);
        }
        ["child", "repeat", path] => {
            let session = open(path, Options::default().cache_bytes);
            let times: Vec<_> = (0..30).map(|_| timed(|| search(&session))).collect();
            finish(&mut out, &times.iter().map(|(time, _)| *time).collect::<Vec<_>>(), times[0].1);
        }
        ["child", "live", path] => {
            let session = Session::from_entries(&fs::read_to_string(path).expect("read"));
            let times: Vec<_> = (0..30).map(|_| timed(|| search(&session))).collect();
            finish(&mut out, &times.iter().map(|(time, _)| *time).collect::<Vec<_>>(), times[0].1);
        }
        ["generate", megabytes, path] => {
            let bytes = megabytes.parse::<u64>().expect("a number of megabytes") * 1_000_000;
            session::generate(path.as_ref(), bytes, RARE).expect("write a session");
        }
        ["child", "page", path] => page(&mut out, path),
        _ => report(&mut out),
    }
}

fn report(out: &mut impl Write) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let files: Vec<(u64, PathBuf)> = SIZES
        .into_iter()
        .map(|megabytes| {
            let path = folder.path().join(format!("{megabytes}.jsonl"));
            session::generate(&path, megabytes * 1_000_000, RARE).expect("write a session");
            (megabytes, path)
        })
        .collect();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    writeln!(
        out,
        "Generated sessions of format 3 with branches, resets, big tool results and lines in the key order of migrated ones; \
         {threads} cores, files in the page cache, medians of 5 runs taken in turn (3 at 1,000 MB), peak memory of each process \
         in MB. Ratios are the rival's time to ours for Pi and the walk, ours to the rival's for ripgrep.\n\n\
         | Open | ours | memory | whole process | Pi's `SessionManager.open` | memory | times faster | `rg -c` | ours to it |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    )
    .expect("print");
    for (megabytes, path) in &files {
        writeln!(out, "{}", compare_open(*megabytes, path)).expect("print");
    }
    writeln!(
        out,
        "\n| Search, once | ours, session open | memory | with opening it | `rg -i -F` | search to it | with opening to it |\n\
         | --- | --- | --- | --- | --- | --- | --- |"
    )
    .expect("print");
    for (megabytes, path) in &files {
        writeln!(out, "{}", compare_search(*megabytes, path)).expect("print");
    }
    writeln!(
        out,
        "\n| Search again, session live | first | second | 21st and on | memory | handed over: first | 21st and on | JavaScript walk over entries in memory | times faster |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    )
    .expect("print");
    for (megabytes, path) in &files[..2] {
        writeln!(out, "{}", compare_repeat(*megabytes, path, folder.path())).expect("print");
    }
    writeln!(
        out,
        "\n| Session open | newest page | page in the middle | read | other leaf | 1 entry appended and found |\n\
         | --- | --- | --- | --- | --- | --- |"
    )
    .expect("print");
    for (megabytes, path) in &files {
        let run = child("page", path);
        let cells: Vec<String> = run.times.iter().map(|time| show(*time)).collect();
        writeln!(out, "| {megabytes} MB | {} |", cells.join(" | ")).expect("print");
    }
}

fn rounds(megabytes: u64) -> usize {
    if megabytes >= 1000 { 3 } else { 5 }
}

fn compare_open(megabytes: u64, path: &Path) -> String {
    let (mut ours, mut whole, mut pi, mut rg) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut memory, mut pi_memory) = (0, 0);
    let script = path.with_extension("mjs");
    write_pi_script(&script);
    for _ in 0..rounds(megabytes) {
        let (time, run) = timed(|| child("index", path));
        whole.push(time);
        ours.extend(run.times);
        memory = memory.max(run.peak);
        if let Some(run) = node(&script, path) {
            pi.extend(run.times);
            pi_memory = pi_memory.max(run.peak);
        }
        rg.extend(ripgrep(&["-c", "-F", "\"type\":\"message\""], path));
    }
    let [ours, whole, pi, rg] = [ours, whole, pi, rg].map(median);
    format!(
        "| {megabytes} MB | {} | {memory} | {} | {} | {pi_memory} | {} | {} | {} |",
        cell(ours),
        cell(whole),
        cell(pi),
        ratio(pi, ours),
        cell(rg),
        ratio(ours, rg)
    )
}

fn compare_search(megabytes: u64, path: &Path) -> String {
    let (mut ours, mut whole, mut rg) = (Vec::new(), Vec::new(), Vec::new());
    let mut memory = 0;
    for _ in 0..rounds(megabytes) {
        let opened = child("index", path);
        let run = child("search", path);
        // The first search of the process, and what it took to get there.
        ours.push(run.times[0]);
        whole.push(opened.times[0] + run.times[0]);
        memory = memory.max(run.peak);
        rg.extend(ripgrep(&["-i", "-F", "-c", RARE], path));
    }
    let [ours, whole, rg] = [ours, whole, rg].map(median);
    format!(
        "| {megabytes} MB | {} | {memory} | {} | {} | {} | {} |",
        cell(ours),
        cell(whole),
        cell(rg),
        ratio(ours, rg),
        ratio(whole, rg)
    )
}

fn compare_repeat(megabytes: u64, path: &Path, folder: &Path) -> String {
    let script = folder.join("walk.mjs");
    fs::write(&script, WALK).expect("write");
    let (mut first, mut second, mut later, mut walk) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut handed, mut handed_later, mut memory) = (Vec::new(), Vec::new(), 0);
    for _ in 0..rounds(megabytes) {
        let run = child("repeat", path);
        first.push(run.times[0]);
        second.push(run.times[1]);
        later.extend(&run.times[20..]);
        memory = memory.max(run.peak);
        let live = child("live", path);
        handed.push(live.times[0]);
        handed_later.extend(&live.times[20..]);
        if let Some(walked) = node(&script, path) {
            assert_eq!(walked.count, run.count, "both find the same");
            walk.extend(walked.times);
        }
    }
    let [first, second, later, handed, handed_later, walk] =
        [first, second, later, handed, handed_later, walk].map(median);
    format!(
        "| {megabytes} MB | {} | {} | {} | {memory} | {} | {} | {} | {} |",
        cell(first),
        cell(second),
        cell(later),
        cell(handed),
        cell(handed_later),
        cell(walk),
        ratio(walk, later)
    )
}

/// Times of what a live session is asked for again and again.
fn page(out: &mut impl Write, path: &str) {
    let copy = tempfile::NamedTempFile::new().expect("a temporary file");
    fs::copy(path, copy.path()).expect("copy");
    let mut session = open(copy.path(), 0);
    let highest = session.highest_seq();
    let tip = session.tips().expect("read").into_iter().find(|tip| !tip.active).expect("it has branches");
    let list = |session: &Session, before| {
        let selection = Selection { before, ..Selection::default() };
        let listed = session.list(&selection).expect("list");
        assert_eq!(listed.items.len(), 20);
        listed.items[0].seq
    };
    let middle = list(&session, Some(highest / 2));
    let mut times = Vec::new();
    let mut measure = |work: &mut dyn FnMut()| {
        let all: Vec<Duration> = (0..21).map(|_| timed(&mut *work).0).collect();
        times.push(median(all).expect("some"));
    };
    measure(&mut || assert!(list(&session, None) > middle));
    measure(&mut || assert!(list(&session, Some(middle)) < middle));
    measure(&mut || drop(session.read(middle, 0, 12_000).expect("read")));
    let id = tip.id.expect("format 3 has ids");
    measure(&mut || {
        session.set_leaf(Leaf::Entry(&id)).expect("it exists");
        session.set_leaf(Leaf::Last).expect("always");
    });
    let mut number = 0;
    let mut file = fs::OpenOptions::new().append(true).open(copy.path()).expect("open");
    measure(&mut || {
        number += 1;
        let parent = session::last_id(number - 1);
        let id = session::last_id(number);
        writeln!(
            file,
            r#"{{"type":"message","id":"{id}","parentId":"{parent}","timestamp":"2026-03-01T12:00:00.000Z","message":{{"role":"user","content":"appended {number}"}}}}"#
        )
        .expect("append");
        session.refresh().expect("refresh");
        let newest = session.list(&Selection { limit: 1, ..Selection::default() }).expect("list");
        assert_eq!(newest.items[0].content, format!("appended {number}"));
    });
    finish(out, &times, 0);
}

fn open(path: impl AsRef<Path>, cache_bytes: usize) -> Session {
    Session::open_with(path, Options { cache_bytes }).expect("open")
}

fn search(session: &Session) -> usize {
    let everywhere = Selection { limit: usize::MAX, ..Selection::default() };
    session.search(&[RARE], &everywhere).expect("search").items.len()
}

/// What a child process reports: times, what it counted, its peak memory in MB.
struct Run {
    times: Vec<Duration>,
    count: usize,
    peak: u64,
}

fn finish(out: &mut impl Write, times: &[Duration], count: usize) {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).map_or("0 kB", str::trim);
    let peak: u64 = peak.trim_end_matches(" kB").parse().unwrap_or(0);
    let micros: Vec<String> = times.iter().map(|time| time.as_nanos().to_string()).collect();
    writeln!(out, "{count} {peak} {}", micros.join(" ")).expect("print");
}

fn child(what: &str, path: &Path) -> Run {
    let this = std::env::current_exe().expect("this program");
    run(Command::new(this).args(["child", what]).arg(path)).expect("a child of this program runs")
}

fn run(command: &mut Command) -> Option<Run> {
    let output = command.stderr(Stdio::inherit()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut numbers = text.split_whitespace().filter_map(|number| number.parse::<u64>().ok());
    let count = usize::try_from(numbers.next()?).ok()?;
    let peak = numbers.next()? / 1000;
    Some(Run { times: numbers.map(Duration::from_nanos).collect(), count, peak })
}

/// Runs a script of a rival, if there is a Node.
fn node(script: &Path, path: &Path) -> Option<Run> {
    let node = std::env::var_os("PALIMPSEST_NODE").unwrap_or_else(|| "node".into());
    run(Command::new(node).arg("--max-old-space-size=8192").arg(script).arg(path))
}

/// The whole process's time, if ripgrep is there.
fn ripgrep(arguments: &[&str], path: &Path) -> Option<Duration> {
    let (time, status) = timed(|| Command::new("rg").args(arguments).arg(path).stdout(Stdio::null()).status());
    status.ok().map(|_| time)
}

fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let started = Instant::now();
    let done = work();
    (started.elapsed(), done)
}

fn median(mut times: Vec<Duration>) -> Option<Duration> {
    times.sort_unstable();
    times.get(times.len() / 2).copied()
}

fn cell(time: Option<Duration>) -> String {
    time.map_or("not here".to_owned(), show)
}

fn show(time: Duration) -> String {
    let ms = time.as_secs_f64() * 1000.0;
    if ms < 10.0 { format!("{ms:.2} ms") } else { format!("{ms:.0} ms") }
}

fn ratio(a: Option<Duration>, b: Option<Duration>) -> String {
    match (a, b) {
        (Some(a), Some(b)) => format!("{:.1}", a.as_secs_f64() / b.as_secs_f64()),
        _ => "–".to_owned(),
    }
}

/// Writes a script that opens a session as Pi does.
fn write_pi_script(script: &Path) {
    let pi = std::env::var_os("PALIMPSEST_PI").map_or_else(
        || {
            let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
            root.join("target/host/node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js")
        },
        PathBuf::from,
    );
    let index = pi.parent().and_then(Path::parent).expect("Pi's program lies in dist/bundle").join("index.js");
    fs::write(script, OPEN.replace("PI", &index.to_string_lossy())).expect("write");
}

const OPEN: &str = "
import { readFileSync } from 'node:fs';
import { SessionManager } from 'PI';
const started = process.hrtime.bigint();
const manager = SessionManager.open(process.argv[2]);
const time = process.hrtime.bigint() - started;
const peak = /VmHWM:\\s*(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? 0;
console.log(manager.getEntries().length, peak, String(time));
";

/// Finds a text in the events of the active branch: path, text of each entry, lower case, includes.
const WALK: &str = "
import { readFileSync } from 'node:fs';
const [path] = process.argv.slice(2);
const entries = readFileSync(path, 'utf8').split('\\n').filter(Boolean).map((line) => JSON.parse(line));
const text = (content) => typeof content === 'string' ? content
  : (content ?? []).filter((part) => part.type === 'text').map((part) => part.text).join('\\n');
function search(query) {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const branch = [];
  for (let entry = entries.at(-1); entry; entry = byId.get(entry.parentId)) branch.push(entry);
  branch.reverse();
  const results = new Map();
  for (const { message } of branch) {
    if (message?.role === 'toolResult' && !results.has(message.toolCallId)) results.set(message.toolCallId, message);
  }
  const taken = new Set();
  const hits = [];
  const look = (id, text) => { if (text.toLowerCase().includes(query)) hits.push(id); };
  for (const { id, type, message, content, summary } of branch) {
    if (type === 'compaction' || type === 'branch_summary') look(id, summary ?? '');
    else if (type === 'custom_message') look(id, text(content));
    else if (message?.role === 'user') look(id, text(message.content));
    else if (message?.role === 'assistant') {
      look(id, text(message.content));
      for (const call of message.content) {
        if (call.type !== 'toolCall') continue;
        const result = results.get(call.id);
        taken.add(call.id);
        const output = result ? '\\n--- output ---\\n' + text(result.content) : '';
        look(id, call.name + ' ' + JSON.stringify(call.arguments) + output);
      }
    } else if (message?.role === 'toolResult' && !taken.has(message.toolCallId)) look(id, text(message.content));
  }
  return hits.length;
}
const times = [];
let count = 0;
for (let round = 0; round < 7; round++) {
  const started = process.hrtime.bigint();
  count = search('palimpsest');
  times.push(process.hrtime.bigint() - started);
}
console.log(count, 0, times.slice(2).map(String).join(' '));
";
