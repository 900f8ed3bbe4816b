//! Runs Pi with the extension: the demo's story, or the user's own interactive session.

use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result};

use crate::extension::{self, Flavour};
use crate::host::{self, Host};
use crate::{cargo, tools};

/// Builds everything and tells the demo's story on the real Pi.
///
/// # Errors
/// When a tool is missing or something cannot be built or started.
pub(crate) fn demo(keep: bool) -> Result<ExitCode> {
    let mut command = prepare_demo()?;
    if keep {
        command.arg("--keep");
    }
    run(&mut command)
}

/// The demo, built and ready to start with the package that users install.
///
/// # Errors
/// As [`demo`].
pub(crate) fn prepare_demo() -> Result<Command> {
    tools::need(&[&tools::GIT, &tools::C_COMPILER])?;
    let host = host::install()?;
    cargo::fetch()?;
    let package = extension::build(Flavour::Package, &host)?;
    let demo = cargo::build("building the demo", "demo", &["--package=palimpsest-tests", "--bin=demo"])?;
    let mut command = Command::new(demo);
    tell(&mut command, &host, &package);
    Ok(command)
}

/// Builds the extension and starts the user's own Pi with it, in the folder the user is in.
///
/// # Errors
/// When a tool is missing or something cannot be built or started.
pub(crate) fn interactive(arguments: &[String]) -> Result<ExitCode> {
    tools::need(&[&tools::C_COMPILER])?;
    let host = host::install()?;
    cargo::fetch()?;
    let package = extension::build(Flavour::Package, &host)?;
    let mut command = Command::new(&host.node);
    command.arg(&host.pi).arg("-e").arg(&package).args(arguments);
    // What cargo set for this program is not meant for the commands that the user's agent will run.
    for name in ["CARGO", "CARGO_MANIFEST_DIR", "CARGO_MANIFEST_PATH", "RUSTUP_TOOLCHAIN", "RUST_RECURSION_COUNT"] {
        command.env_remove(name);
    }
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("CARGO_PKG_")) {
        command.env_remove(name);
    }
    become_program(&mut command)
}

/// Tells the end-to-end harness which Node, Pi and extension to use.
pub(crate) fn tell(command: &mut Command, host: &Host, extension: &Path) {
    command.env("PALIMPSEST_NODE", &host.node);
    command.env("PALIMPSEST_PI", &host.pi);
    command.env("PALIMPSEST_EXTENSION", extension);
}

/// Replaces this process, so that the keys and signals of the terminal reach Pi alone.
#[cfg(unix)]
fn become_program(command: &mut Command) -> Result<ExitCode> {
    use std::os::unix::process::CommandExt;
    Err(command.exec()).with_context(|| cannot_start(command))
}

#[cfg(not(unix))]
fn become_program(command: &mut Command) -> Result<ExitCode> {
    run(command)
}

fn run(command: &mut Command) -> Result<ExitCode> {
    let status = command.status().with_context(|| cannot_start(command))?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn cannot_start(command: &Command) -> String {
    format!("cannot start {}", Path::new(command.get_program()).display())
}
