//! `cargo xtask`: every command of the workspace, from the demo to the package, each doing its own set-up.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "this program talks to the person who started it")]

mod cargo;
mod checks;
mod extension;
mod figures;
mod host;
mod measure;
mod pi;
mod step;
mod tidy;
mod tools;

use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

/// Build, run, check and measure Palimpsest.
///
/// Each command installs what it needs under `target/` first; a second run repeats nothing that is done.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run the real Pi with the extension through a short story, with a scripted model: no key, nothing in your home
    Demo {
        /// Keep the folder in which the demo ran, and print its path
        #[arg(long)]
        keep: bool,
    },
    /// Start your own interactive Pi, with your models and keys, with the extension loaded
    Pi {
        /// Arguments for Pi, after `--`
        #[arg(last = true, value_name = "ARGS")]
        args: Vec<String>,
    },
    /// Check everything, or only the parts named; ends with a line of counts
    Test {
        /// The parts to run; all of them if none is named
        #[arg(value_enum)]
        parts: Vec<checks::Part>,
    },
    /// Run properties, kills and races at full counts; figures go to docs/soak.md
    Soak {
        /// The parts to run; all of them if none is named
        #[arg(value_parser = measure::soak_names())]
        parts: Vec<String>,
    },
    /// Measure speed; results go to docs/benchmarks.md
    Bench {
        /// The parts to run; all of them if none is named
        #[arg(value_parser = measure::bench_names())]
        parts: Vec<String>,
    },
    /// Write the installable npm package to target/package/pi-palimpsest
    Package,
    /// Check the rules of the house: crate edges, leaf crates, first lines, names, the host's lock file
    Tidy,
}

fn main() -> ExitCode {
    match run(Cli::parse().command) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<ExitCode> {
    match command {
        Command::Demo { keep } => pi::demo(keep),
        Command::Pi { args } => pi::interactive(&args),
        Command::Test { parts } => checks::run(&parts),
        Command::Soak { parts } => measure::soak(&parts),
        Command::Bench { parts } => measure::bench(&parts),
        Command::Package => {
            let folder = extension::build(extension::Flavour::Package, &host::install()?)?;
            println!("the package is in {0}\ntry it: pi -e {0}", folder.display());
            Ok(ExitCode::SUCCESS)
        }
        Command::Tidy => checks::run(&[checks::Part::Tidy]),
    }
}

/// The root of the workspace.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace")
}
