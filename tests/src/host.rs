//! Where the pinned host and the built extension are.

use std::{
    env,
    path::{Path, PathBuf},
};

/// The Node binary and Pi's entry that the tests run.
#[derive(Clone, Debug)]
pub struct Host {
    /// The Node binary (`PALIMPSEST_NODE`).
    pub node: PathBuf,
    /// Pi's `cli.js` (`PALIMPSEST_PI`).
    pub pi: PathBuf,
}

impl Host {
    /// Finds Node and Pi where the environment says, else where `cargo xtask` installs them.
    ///
    /// # Panics
    ///
    /// When one of them is missing.
    pub fn find() -> Host {
        let host = workspace_root().join("target/host");
        Host {
            node: located("PALIMPSEST_NODE", host.join("bin/node")),
            pi: located("PALIMPSEST_PI", host.join("node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js")),
        }
    }

    /// Where Node keeps compiled code between runs: shared by all sandboxes, because a cold start takes twice as long.
    pub(crate) fn compile_cache() -> PathBuf {
        workspace_root().join("target/node-compile-cache")
    }

    /// The folder of Pi's npm package.
    ///
    /// # Panics
    ///
    /// When Pi's entry does not lie in a package.
    pub fn package(&self) -> &Path {
        let found = self.pi.ancestors().find(|folder| folder.join("package.json").exists());
        found.unwrap_or_else(|| panic!("no package.json above {}", self.pi.display()))
    }
}

/// The folder of the built extension (`PALIMPSEST_EXTENSION`), with the test-only exports.
///
/// # Panics
///
/// When it is missing.
pub fn extension_folder() -> PathBuf {
    located("PALIMPSEST_EXTENSION", workspace_root().join("target/e2e/pi-palimpsest"))
}

fn located(variable: &str, default: PathBuf) -> PathBuf {
    let path = env::var_os(variable).filter(|value| !value.is_empty()).map_or(default, PathBuf::from);
    assert!(
        path.exists(),
        "{} does not exist: run `cargo xtask test e2e` or `cargo xtask demo`, which make it, or set {variable}",
        path.display()
    );
    path
}

fn workspace_root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a workspace around this package")
}
