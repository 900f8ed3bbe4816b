//! Notes about the person used to live in `personal/`; they are `human/` now.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

/// Renames `personal/` to `human/` where only the former exists. Says what a person has to do where that cannot be done.
pub(super) fn migrate(root: &Path) -> Result<(), String> {
    let (old, new) = (root.join("personal"), root.join("human"));
    if !old.is_dir() {
        return Ok(());
    }
    if new.symlink_metadata().is_ok() {
        return Err(format!(
            "notes about you lie in two folders, {} and {}; only the second is used. move what you need from the first \
             and delete it",
            old.display(),
            new.display()
        ));
    }
    match fs::rename(&old, &new) {
        Ok(()) => Ok(()),
        // Another session was faster.
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(format!(
            "cannot rename {} to {}, so notes about you are not found: {error}. rename it yourself",
            old.display(),
            new.display()
        )),
    }
}
