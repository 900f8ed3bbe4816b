//! Which version of Pi is running, without asking Pi: importing its package at start would cost more than we do.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

/// What tells where the running host is installed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Installation {
    /// `PI_PACKAGE_DIR`, which the host itself obeys.
    pub package_dir: Option<PathBuf>,
    /// The script that Node was started with.
    pub script: Option<PathBuf>,
    /// The program that is running; for a compiled host, the host.
    pub program: Option<PathBuf>,
}

impl Installation {
    /// The host's version, or nothing where the process is someone else's program that embeds Pi.
    pub fn version(&self) -> Option<String> {
        let package = self.package_dir.as_deref().map(Path::to_owned);
        let script = self.script.as_deref().and_then(|path| fs::canonicalize(path).ok());
        let program = self.program.as_deref().and_then(|path| fs::canonicalize(path).ok());
        [package, script, program].into_iter().flatten().find_map(|path| path.ancestors().find_map(version_in))
    }
}

/// The version of the host whose package has its root at `directory`.
fn version_in(directory: &Path) -> Option<String> {
    #[derive(Deserialize)]
    struct Manifest {
        name: String,
        version: String,
    }

    let text = fs::read_to_string(directory.join("package.json")).ok()?;
    let manifest: Manifest = serde_json::from_str(&text).ok()?;
    // Pi was published under another scope before.
    manifest.name.ends_with("/pi-coding-agent").then_some(manifest.version)
}

/// Whether a version is older than the first that has what we need. An unknown one is not.
pub(super) fn is_too_old(version: &str) -> bool {
    version.split('.').next().and_then(|major| major.parse::<u64>().ok()) == Some(0)
}
