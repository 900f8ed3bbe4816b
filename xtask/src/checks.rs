//! `cargo xtask test`: the parts, in an order that fails early, and the line of counts at the end.

use std::process::{Command, ExitCode};
use std::time::Instant;

use anyhow::{Result, bail, ensure};
use clap::ValueEnum;

use crate::cargo::{self, cargo};
use crate::extension::{self, Flavour};
use crate::{host, pi, step, tidy, tools};

/// One part of the test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Part {
    /// Rust is formatted
    Fmt,
    /// The rules of the house: crate edges, leaf crates, first lines, names, the host's lock file
    Tidy,
    /// Clippy and the compiler have nothing to say about any target
    Clippy,
    /// Unit, property and integration tests of every crate
    Unit,
    /// Examples in the documentation run, and the documentation builds without a warning
    Doc,
    /// Each crate builds alone, with its default features and with none
    Alone,
    /// The extension's TypeScript fits Pi's own types
    Types,
    /// The extension in the real Pi
    E2e,
    /// The installable package, tried by the demo
    Package,
}

/// Runs the parts given, or all; a part that fails does not keep the others from running.
///
/// # Errors
/// When a tool is missing or the crates cannot be fetched.
pub(crate) fn run(parts: &[Part]) -> Result<ExitCode> {
    let started = Instant::now();
    tools::need(&[&tools::GIT, &tools::C_COMPILER])?;
    cargo::fetch()?;
    let chosen = Part::value_variants().iter().filter(|part| parts.is_empty() || parts.contains(part));

    let mut counts = Vec::new();
    let mut failed = Vec::new();
    let mut tests = 0;
    for part in chosen {
        let name = part.name();
        eprintln!("{name}");
        match part.check() {
            Ok(0) => counts.push(name),
            Ok(count) => {
                tests += count;
                counts.push(format!("{name} {count}"));
            }
            Err(error) => {
                eprintln!("  error: {error:#}");
                failed.push(name);
            }
        }
    }

    let time = step::human(started.elapsed());
    let passed = counts.join(", ");
    if failed.is_empty() {
        println!("ok: {passed} · {tests} tests passed · {time}");
        return Ok(ExitCode::SUCCESS);
    }
    println!("failed: {} · passed: {passed} · {tests} tests passed · {time}", failed.join(", "));
    for name in failed {
        println!("run this part alone: cargo xtask test {name}");
    }
    Ok(ExitCode::FAILURE)
}

/// Runs `cargo test` and returns how many tests passed.
///
/// # Errors
/// When a test fails, is ignored, or none runs.
pub(crate) fn count_tests(what: &str, command: &mut Command) -> Result<(u64, Vec<String>)> {
    let output = step::run(what, command)?;
    let (passed, ignored) = output.iter().filter_map(|line| summary(line)).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
    ensure!(ignored == 0, "{what}: {ignored} tests are ignored. make them run, or delete them");
    ensure!(passed > 0, "{what}: no test ran");
    Ok((passed, output))
}

/// What tests measured: the rest of each line that has `figure: `.
pub(crate) fn figures(output: &[String]) -> impl Iterator<Item = &str> {
    output.iter().filter_map(|line| Some(line.split_once("figure: ")?.1))
}

impl Part {
    fn name(self) -> String {
        let value = self.to_possible_value().expect("no part is hidden");
        value.get_name().to_owned()
    }

    /// Runs the part and returns how many tests passed, 0 where it has none to count.
    fn check(self) -> Result<u64> {
        match self {
            Self::Fmt => {
                let format = step::run("looking at the format", &mut cargo(["fmt", "--all", "--check"]));
                step::with_remedy(format.map(|_| 0), "`cargo fmt --all` puts it right")
            }
            Self::Tidy => tidy::check().map(|()| 0),
            Self::Clippy => {
                let arguments = ["clippy", "--workspace", "--all-targets", "--all-features", "--", "-D", "warnings"];
                step::run("clippy", &mut cargo(arguments)).map(|_| 0)
            }
            Self::Unit => {
                let targets = ["--lib", "--bins", "--tests", "--examples"];
                let mut command = cargo(["test", "--workspace", "--exclude=palimpsest-tests", "--all-features"]);
                count_tests("tests of the crates", command.args(targets)).map(|(passed, _)| passed)
            }
            Self::Doc => {
                let mut documentation = cargo(["doc", "--workspace", "--no-deps"]);
                step::run("documentation", documentation.env("RUSTDOCFLAGS", "-D warnings"))?;
                count_tests("examples in the documentation", &mut cargo(["test", "--workspace", "--doc"]))
                    .map(|(passed, _)| passed)
            }
            Self::Alone => alone(),
            Self::Types => extension::check_types(&host::install()?).map(|()| 0),
            Self::E2e => {
                let host = host::install()?;
                let extension = extension::build(Flavour::EndToEnd, &host)?;
                let mut command = cargo(["test", "--package=palimpsest-tests", "--", "--show-output"]);
                pi::tell(&mut command, &host, &extension);
                let (passed, output) = count_tests("tests in the real Pi", &mut command)?;
                figures(&output).for_each(|figure| eprintln!("  {figure}"));
                Ok(passed)
            }
            Self::Package => step::run("the demo with the package", &mut pi::prepare_demo()?).map(|_| 0),
        }
    }
}

/// Builds each crate by itself, so that none leans on a feature that another one switched on.
fn alone() -> Result<u64> {
    let members = cargo::members()?;
    let crates = members.iter().filter(|member| tidy::is_crate(member));
    let mut failed = Vec::new();
    for member in crates {
        for features in ["", " without features"] {
            let package = format!("--package={}", member.name);
            let mut command = cargo(["check", &package]);
            if !features.is_empty() {
                command.arg("--no-default-features");
            }
            let what = format!("{}{features}", member.name);
            if step::run(&what, &mut command).is_err() {
                failed.push(what);
            }
        }
    }
    if !failed.is_empty() {
        bail!("does not build alone: {}", failed.join(", "));
    }
    Ok(0)
}

/// What a line such as `test result: ok. 12 passed; 0 failed; 1 ignored; …` says: passed and ignored.
fn summary(line: &str) -> Option<(u64, u64)> {
    let counts = line.strip_prefix("test result: ok. ")?;
    let count = |word: &str| {
        let part = counts.split("; ").find_map(|part| part.strip_suffix(word))?;
        part.trim().parse().ok()
    };
    Some((count("passed")?, count("ignored")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_of_cargo_test_is_counted() {
        let cases = [
            (
                "test result: ok. 12 passed; 0 failed; 3 ignored; 0 measured; 1 filtered out; finished in 0.01s",
                Some((12, 3)),
            ),
            ("test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out", None),
            ("running 12 tests", None),
        ];
        for (line, expected) in cases {
            assert_eq!(summary(line), expected, "{line}");
        }
    }

    #[test]
    fn a_run_with_an_ignored_test_or_none_at_all_fails() {
        let echo = |line: &str| {
            count_tests("tests", Command::new("echo").arg(line))
                .map(|(passed, _)| passed)
                .map_err(|error| error.to_string())
        };
        assert_eq!(echo("test result: ok. 2 passed; 0 failed; 0 ignored"), Ok(2));
        assert_eq!(
            echo("test result: ok. 2 passed; 0 failed; 1 ignored"),
            Err("tests: 1 tests are ignored. make them run, or delete them".to_owned())
        );
        assert_eq!(echo("test result: ok. 0 passed; 0 failed; 0 ignored"), Err("tests: no test ran".to_owned()));
    }
}
