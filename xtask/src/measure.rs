//! `cargo xtask soak` and `cargo xtask bench`: tables of what there is to run, and where the figures go.

use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Result, bail};

use crate::cargo::{self, cargo};
use crate::extension::{self, Flavour};
use crate::tools::{self, Tool};
use crate::{checks, figures, host, pi, step};

/// Tests that also run at full counts. They read `PALIMPSEST_SOAK` (set: full counts) and print each figure on a line
/// of standard output that begins with `figure: `; properties read `PROPTEST_CASES`.
struct Soak {
    name: &'static str,
    what: &'static str,
    package: &'static str,
    /// The tests whose path begins so.
    filter: &'static str,
}

const SOAKS: &[Soak] = &[
    Soak {
        name: "notes-kill",
        what: "processes killed at any instant of a write, edit or counted read",
        package: "palimpsest-notes",
        filter: "kill::",
    },
    Soak {
        name: "notes-race",
        what: "processes that edit and read the same notes at once",
        package: "palimpsest-notes",
        filter: "race::",
    },
    Soak {
        name: "notes-properties",
        what: "laws of addresses, patterns, frontmatter and edits on random input",
        package: "palimpsest-notes",
        filter: "properties::",
    },
    Soak {
        name: "history-paging",
        what: "random sessions walked page by page, in a list and in a search",
        package: "palimpsest-history",
        filter: "walks::",
    },
    Soak {
        name: "history-mutations",
        what: "session files damaged at random",
        package: "palimpsest-history",
        filter: "mutations::",
    },
    Soak {
        name: "window-model",
        what: "random histories of windows against a model, with the invariants of the specification",
        package: "palimpsest-window",
        filter: "histories::",
    },
];

/// Cases of each property: a test run does proptest's 256.
const PROPERTY_CASES: &str = "25600";

/// Programs that measure. What one prints on standard output, as Markdown, becomes its section.
struct Bench {
    name: &'static str,
    what: &'static str,
    needs: &'static [&'static Tool],
    /// Whether it runs Pi with the extension.
    in_pi: bool,
    arguments: &'static [&'static str],
}

const BENCHES: &[Bench] = &[
    Bench {
        name: "notes",
        what: "listing, searching, reading and writing notes",
        needs: &[&tools::RIPGREP],
        in_pi: false,
        arguments: &["bench", "--package=palimpsest-notes", "--bench=notes"],
    },
    Bench {
        name: "history",
        what: "opening, searching and paging sessions",
        needs: &[&tools::RIPGREP],
        in_pi: true,
        arguments: &["bench", "--package=palimpsest-history", "--bench=history"],
    },
    Bench {
        name: "startup",
        what: "start-up of Pi with the extension and without",
        needs: &[],
        in_pi: true,
        arguments: &["run", "--package=palimpsest-tests", "--bin=startup"],
    },
    Bench {
        name: "overhead",
        what: "a prompt in Pi with the extension and without, in an empty and in a long session",
        needs: &[],
        in_pi: true,
        arguments: &["run", "--package=palimpsest-tests", "--bin=overhead"],
    },
];

const SOAK_FILE: &str = "docs/soak.md";
const EMPTY_SOAK_FILE: &str = "\
# Soak

The tests of `cargo xtask test` that also run at full counts, about a hundred times as many, with `cargo xtask soak`.
That command writes a part's newest row here.

| Part | What ran | Figures | Time | Where |
| --- | --- | --- | --- | --- |
";

const BENCH_FILE: &str = "docs/benchmarks.md";
const EMPTY_BENCH_FILE: &str = "\
# Benchmarks

`cargo xtask bench` measures and writes a part's newest section here. Compare figures of one run with each other: the
same program on the same machine moves from minute to minute.
";

/// The names of the soak's parts.
pub(crate) fn soak_names() -> Vec<&'static str> {
    SOAKS.iter().map(|soak| soak.name).collect()
}

/// The names of the benchmark's parts.
pub(crate) fn bench_names() -> Vec<&'static str> {
    BENCHES.iter().map(|bench| bench.name).collect()
}

/// Runs the parts given, or all, at full counts, and keeps their figures in docs/soak.md.
///
/// # Errors
/// When a tool is missing or the crates cannot be fetched.
pub(crate) fn soak(parts: &[String]) -> Result<ExitCode> {
    tools::need(&[&tools::GIT, &tools::C_COMPILER])?;
    cargo::fetch()?;
    each("soak", SOAKS, parts, |soak| soak.name, Soak::run)
}

/// Runs the parts given, or all, and keeps what they print in docs/benchmarks.md.
///
/// # Errors
/// When a tool is missing or the crates cannot be fetched.
pub(crate) fn bench(parts: &[String]) -> Result<ExitCode> {
    tools::need(&[&tools::GIT, &tools::C_COMPILER])?;
    cargo::fetch()?;
    each("bench", BENCHES, parts, |bench| bench.name, Bench::run)
}

/// Runs the rows chosen; one that fails does not keep the others from running.
fn each<T>(
    command: &str,
    rows: &[T],
    chosen: &[String],
    name: impl Fn(&T) -> &'static str,
    run: impl Fn(&T) -> Result<()>,
) -> Result<ExitCode> {
    let mut code = ExitCode::SUCCESS;
    for row in rows {
        let name = name(row);
        if !chosen.is_empty() && !chosen.iter().any(|chosen| chosen == name) {
            continue;
        }
        eprintln!("{name}");
        if let Err(error) = run(row) {
            eprintln!("  error: {error:#}");
            println!("failed: {name} (run it alone: cargo xtask {command} {name})");
            code = ExitCode::FAILURE;
        }
    }
    Ok(code)
}

impl Soak {
    fn run(&self) -> Result<()> {
        let Self { name, what, package, filter } = self;
        let arguments = ["--release", "--package", package, "--test=it", "--", "--nocapture", filter];
        let mut command = cargo(["test"]);
        command.args(arguments).env("PALIMPSEST_SOAK", "1").env("PROPTEST_CASES", PROPERTY_CASES);
        let started = Instant::now();
        let (passed, output) = checks::count_tests(what, &mut command)?;
        let time = step::human(started.elapsed());

        let figures: Vec<_> = checks::figures(&output).collect();
        let figures = match figures.as_slice() {
            [] => format!("{passed} properties, {PROPERTY_CASES} cases each"),
            figures => figures.join("; "),
        };
        println!("{name}: {figures} ({time})");
        let row = [*name, *what, &figures, &time, &figures::machine()];
        figures::update(SOAK_FILE, EMPTY_SOAK_FILE, |text| figures::set_row(text, &row))
    }
}

impl Bench {
    fn run(&self) -> Result<()> {
        let Self { name, what, needs, in_pi, arguments } = self;
        tools::need(needs)?;
        let mut command = cargo(arguments.iter().copied());
        if *in_pi {
            let host = host::install()?;
            pi::tell(&mut command, &host, &extension::build(Flavour::Package, &host)?);
        }
        let printed = step::run(what, &mut command)?.join("\n");
        if printed.trim().is_empty() {
            bail!("{name} printed nothing to keep");
        }
        println!("{printed}");
        let section = format!("{printed}\n\n({})", figures::machine());
        figures::update(BENCH_FILE, EMPTY_BENCH_FILE, |text| figures::set_section(text, name, &section))
    }
}
