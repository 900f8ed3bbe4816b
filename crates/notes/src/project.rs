//! The key of a project's home, shared by all worktrees of one checkout.

use std::fs;
use std::path::{Component, Path, PathBuf};

use sha1::{Digest, Sha1};

use crate::identity::{ProjectKey, normalize};

/// Derives the key of the project that a folder belongs to: `<base name>-<8 hex digits>`.
///
/// The project is the nearest folder upwards that holds `.git`, or the folder itself. A linked worktree has the key of
/// its main checkout; a submodule, a bare or a separate git folder has its own. The folder need not exist. Two link
/// spellings of one folder give two keys.
pub fn project_key(cwd: &Path) -> ProjectKey {
    let absolute = std::path::absolute(cwd).unwrap_or_else(|_| cwd.to_path_buf());
    let absolute = normalize(&absolute);
    let root = project_root(&absolute);
    // No folder has a NUL in its name, but a path that never existed may.
    let base = root.file_name().map(|name| name.to_string_lossy().replace([':', '\\', '\0'], "-")).unwrap_or_default();
    let digest = Sha1::digest(root.as_os_str().as_encoded_bytes());
    let hex: String = digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
    let key = format!("{base}-{hex}");
    ProjectKey::parse(&key).expect("a base name without separators and a digest make a folder name")
}

fn project_root(absolute: &Path) -> PathBuf {
    let Some(folder) = absolute.ancestors().find(|folder| folder.join(".git").exists()) else {
        return absolute.to_path_buf();
    };
    main_checkout(folder).unwrap_or_else(|| folder.to_path_buf())
}

/// The main checkout behind a linked worktree's `.git` file, whose `gitdir:` has the form `<main>/.git/worktrees/<name>`.
fn main_checkout(folder: &Path) -> Option<PathBuf> {
    let pointer = folder.join(".git");
    if !fs::metadata(&pointer).ok()?.is_file() {
        return None;
    }
    let bytes = fs::read(&pointer).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let target = text.lines().find_map(|line| Some(line.strip_prefix("gitdir:")?.trim()).filter(|t| !t.is_empty()))?;
    let git_dir = normalize(&folder.join(target));
    let names: Vec<Component<'_>> = git_dir.components().collect();
    let last = names.iter().rposition(|name| name.as_os_str() == "worktrees")?;
    if last == 0 || last + 2 != names.len() {
        return None;
    }
    let common: PathBuf = names[..last].iter().collect();
    if common.file_name()? != ".git" {
        return None;
    }
    common.parent().map(Path::to_path_buf)
}
