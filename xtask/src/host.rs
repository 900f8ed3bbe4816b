//! The pinned host below `target/host`: Pi, the Node that runs it, and the TypeScript compiler.

use std::env;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::{root, step, tools};

/// Where the programs of the installed host lie.
pub(crate) struct Host {
    pub(crate) node: PathBuf,
    pub(crate) pi: PathBuf,
    pub(crate) typescript: PathBuf,
}

/// Installs the host, unless exactly these versions are installed already.
///
/// # Errors
/// When npm is missing or fails, or there is no packaged Node for this platform.
pub(crate) fn install() -> Result<Host> {
    let pinned = root().join("xtask").join("host");
    let folder = root().join("target").join("host");
    let modules = folder.join("node_modules");
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let host = Host {
        node: folder.join("bin").join(format!("node{}", env::consts::EXE_SUFFIX)),
        pi: modules.join("@earendil-works/pi-coding-agent/dist/bundle/cli.js"),
        typescript: modules.join("typescript/bin/tsc"),
    };
    let _lock = lock()?;

    let lock_file =
        fs::read_to_string(pinned.join("package-lock.json")).context("cannot read xtask/host/package-lock.json")?;
    let stamp = folder.join("installed");
    let wanted = format!("{} {}\n{lock_file}", node_platform(), env::consts::ARCH);
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) && host.pi.exists() && host.node.exists() {
        return Ok(host);
    }

    tools::need(&[&tools::NPM])?;
    let _ = fs::remove_file(&stamp);
    for name in ["package.json", "package-lock.json"] {
        fs::copy(pinned.join(name), folder.join(name))
            .with_context(|| format!("cannot copy {name} to {}", folder.display()))?;
    }
    // Without install scripts nothing but the packages of the lock file is fetched or run.
    let arguments = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
    let mut npm = tools::NPM.command();
    step::with_remedy(
        step::run("installing Pi and Node into target/host", npm.args(arguments).current_dir(&folder)),
        "check that npm can reach its registry (`npm config get registry`, `npm ping`), and run the command again",
    )?;
    link_node(&modules, &host.node)?;
    fs::write(&stamp, wanted).with_context(|| format!("cannot write {}", stamp.display()))?;
    Ok(host)
}

/// The platform as Node calls it in `process.platform`.
pub(crate) fn node_platform() -> &'static str {
    match env::consts::OS {
        "macos" => "darwin",
        "windows" => "win32",
        other => other,
    }
}

/// The processor as Node calls it in `process.arch`.
pub(crate) fn node_architecture() -> &'static str {
    match env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => other,
    }
}

/// Waits until no other command installs the host or writes a package; the lock ends with the returned file.
///
/// # Errors
/// When the lock file cannot be created or locked.
pub(crate) fn lock() -> Result<File> {
    let path = root().join("target").join("xtask.lock");
    let file = File::create(&path).with_context(|| format!("cannot create {}", path.display()))?;
    match file.try_lock() {
        Ok(()) => return Ok(file),
        Err(TryLockError::WouldBlock) => eprintln!("  waiting for another `cargo xtask` to end"),
        Err(TryLockError::Error(error)) => {
            return Err(error).with_context(|| format!("cannot lock {}", path.display()));
        }
    }
    file.lock().with_context(|| format!("cannot lock {}", path.display()))?;
    Ok(file)
}

/// Links the one Node that npm chose for this platform to a path that is the same everywhere.
fn link_node(modules: &Path, link: &Path) -> Result<()> {
    let platform = if cfg!(windows) { "win" } else { node_platform() };
    // The package for Apple's processors is named differently from all others.
    let packages = ["node", "node-bin"].map(|prefix| format!("{prefix}-{platform}-{}", node_architecture()));
    let binary = packages
        .iter()
        .map(|package| modules.join(package).join("bin").join(format!("node{}", env::consts::EXE_SUFFIX)))
        .find(|path| path.exists());
    let Some(binary) = binary else {
        bail!(
            "npm has no Node 22 for {platform}-{}: xtask/host/package.json lists the platforms that can run the host",
            node_architecture()
        );
    };
    let folder = link.parent().expect("the link lies in a folder");
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let _ = fs::remove_file(link);
    fs::hard_link(&binary, link).with_context(|| format!("cannot link {} to {}", link.display(), binary.display()))
}
