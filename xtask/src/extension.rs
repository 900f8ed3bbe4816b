//! Builds the Pi extension, addon and TypeScript, and lays it out as the folder that Pi loads.

use std::collections::BTreeSet;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{self, Command};

use anyhow::{Context, Result};

use crate::cargo;
use crate::host::{self, Host};
use crate::{root, step};

/// Which extension to build.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flavour {
    /// What users install: `target/package/pi-palimpsest`.
    Package,
    /// What the end-to-end tests load, with exports only they call: `target/e2e/pi-palimpsest`.
    EndToEnd,
}

/// Builds the extension and returns the folder to load; what has not changed is neither built nor copied again.
///
/// # Errors
/// When a compiler fails or a file cannot be written.
pub(crate) fn build(flavour: Flavour, host: &Host) -> Result<PathBuf> {
    let (folder, what, arguments): (_, _, &[&str]) = match flavour {
        Flavour::Package => ("package", "building the addon", &["--profile=addon"]),
        Flavour::EndToEnd => ("e2e", "building the addon for tests", &["--features=test-exports"]),
    };
    let folder = root().join("target").join(folder).join("pi-palimpsest");
    let package = ["--package=palimpsest-pi-bridge", "--lib"];
    let addon = cargo::build(what, "palimpsest_pi_bridge", &[&package, arguments].concat())?;
    let _lock = host::lock()?;
    let scripts = compile_typescript(host)?;

    let source = sources();
    let mut layout = vec![
        (source.join("package.json"), "package.json".into()),
        (root().join("README.md"), "README.md".into()),
        (root().join("LICENSE"), "LICENSE".into()),
        (addon, format!("palimpsest.{}-{}.node", host::node_platform(), host::node_architecture())),
    ];
    for script in files_in(&scripts)? {
        layout.push((scripts.join(&script), format!("dist/{script}")));
    }
    lay_out(&folder, &layout)?;
    Ok(folder)
}

/// Checks the extension's TypeScript against Pi's own types, without writing anything.
///
/// # Errors
/// When the compiler finds a fault.
pub(crate) fn check_types(host: &Host) -> Result<()> {
    step::run("checking TypeScript against Pi's types", tsc(host).args(["--strict", "--noEmit"]))?;
    Ok(())
}

fn sources() -> PathBuf {
    root().join("crates/pi-bridge/npm")
}

fn tsc(host: &Host) -> Command {
    let mut command = Command::new(&host.node);
    command.arg(&host.typescript).arg("--project").arg(sources()).current_dir(root());
    command
}

/// Compiles the extension's TypeScript and returns the folder of the scripts.
fn compile_typescript(host: &Host) -> Result<PathBuf> {
    let output = root().join("target").join("extension");
    let scripts = output.join("dist");
    let stamp = output.join("compiled");
    let wanted = fingerprint()?;
    if fs::read_to_string(&stamp).is_ok_and(|compiled| compiled == wanted) {
        return Ok(scripts);
    }
    // What a removed source left behind must not be packed.
    let _ = fs::remove_dir_all(&output);
    step::run("compiling TypeScript", tsc(host).arg("--outDir").arg(&scripts))?;
    fs::write(&stamp, wanted).with_context(|| format!("cannot write {}", stamp.display()))?;
    Ok(scripts)
}

/// Changes with everything that the compiled scripts depend on. It may also change with the Rust that built xtask: then the
/// scripts are compiled once more.
fn fingerprint() -> Result<String> {
    let mut hasher = DefaultHasher::new();
    let typescript = sources().join("src");
    let files = files_in(&typescript)?.into_iter().map(|name| typescript.join(name));
    let settings = [sources().join("tsconfig.json"), root().join("xtask/host/package-lock.json")];
    for file in files.chain(settings) {
        file.hash(&mut hasher);
        fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?.hash(&mut hasher);
    }
    Ok(format!("{:016x}", hasher.finish()))
}

/// The files below a folder, as sorted paths relative to it, with `/` between names.
fn files_in(folder: &Path) -> Result<BTreeSet<String>> {
    let mut found = BTreeSet::new();
    let mut pending = vec![String::new()];
    while let Some(relative) = pending.pop() {
        let path = folder.join(&relative);
        let entries = fs::read_dir(&path).with_context(|| format!("cannot read the folder {}", path.display()))?;
        for entry in entries {
            let entry = entry.with_context(|| format!("cannot read the folder {}", path.display()))?;
            let name = format!("{relative}{}", entry.file_name().to_string_lossy());
            if entry.path().is_dir() {
                pending.push(name + "/");
            } else {
                found.insert(name);
            }
        }
    }
    Ok(found)
}

/// Makes `folder` hold exactly these files. A file that is already right is not touched; any other is replaced by a
/// rename, because a running Pi has the addon mapped and would crash if its bytes changed.
fn lay_out(folder: &Path, layout: &[(PathBuf, String)]) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    for (source, name) in layout {
        let bytes = fs::read(source).with_context(|| format!("cannot read {}", source.display()))?;
        let target = folder.join(name);
        if fs::read(&target).is_ok_and(|present| present == bytes) {
            continue;
        }
        let parent = target.parent().expect("a file lies in a folder");
        fs::create_dir_all(parent).with_context(|| format!("cannot create {}", parent.display()))?;
        let temporary = folder.join(format!(".{}.tmp", process::id()));
        fs::write(&temporary, bytes).with_context(|| format!("cannot write {}", temporary.display()))?;
        fs::rename(&temporary, &target).with_context(|| format!("cannot replace {}", target.display()))?;
    }
    for name in files_in(folder)? {
        if !layout.iter().any(|(_, wanted)| *wanted == name) {
            let stale = folder.join(name);
            fs::remove_file(&stale).with_context(|| format!("cannot remove {}", stale.display()))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layout_holds_exactly_its_files_and_leaves_right_ones_alone() {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("source");
        let target = folder.path().join("target");
        fs::create_dir_all(target.join("dist")).unwrap();
        fs::create_dir(&source).unwrap();
        fs::write(source.join("a"), "new").unwrap();
        fs::write(source.join("b"), "same").unwrap();
        fs::write(target.join("a"), "old").unwrap();
        fs::write(target.join("dist/b"), "same").unwrap();
        fs::write(target.join("dist/stale"), "").unwrap();
        // Whoever has the old file open, as Pi has the addon, keeps the old bytes.
        let open = fs::File::open(target.join("a")).unwrap();
        let kept = fs::metadata(target.join("dist/b")).unwrap().modified().unwrap();

        lay_out(&target, &[(source.join("a"), "a".into()), (source.join("b"), "dist/b".into())]).unwrap();

        assert_eq!(std::io::read_to_string(open).unwrap(), "old");
        assert_eq!(fs::read_to_string(target.join("a")).unwrap(), "new");
        assert_eq!(fs::metadata(target.join("dist/b")).unwrap().modified().unwrap(), kept);
        assert_eq!(files_in(&target).unwrap().into_iter().collect::<Vec<_>>(), ["a", "dist/b"]);
    }
}
