//! The one place where files are written: every step of a change to the disk is a method here, so that a test can record
//! the order of the steps and break any of them.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The steps that change the disk.
pub(crate) trait Files: Send + Sync {
    /// Creates a new file with mode `0666 & ~umask`; fails if there is one.
    fn create_new(&self, path: &Path) -> io::Result<File> {
        OpenOptions::new().write(true).create_new(true).open(path)
    }

    fn set_permissions(&self, file: &File, permissions: Permissions) -> io::Result<()> {
        file.set_permissions(permissions)
    }

    fn write_all(&self, mut file: &File, bytes: &[u8]) -> io::Result<()> {
        file.write_all(bytes)
    }

    fn sync(&self, file: &File) -> io::Result<()> {
        file.sync_all()
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn create_dir(&self, path: &Path) -> io::Result<()> {
        fs::create_dir(path)
    }

    /// Makes the entries of a folder durable. Windows has no such call and needs none for renames.
    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        if cfg!(unix) { File::open(path)?.sync_all() } else { Ok(()) }
    }
}

/// The real file system.
pub(crate) struct Disk;

impl Files for Disk {}

/// A failure with the path it is about.
pub(crate) type At<T> = Result<T, (PathBuf, io::Error)>;

/// Whether a change must have reached the disk before it is acknowledged.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Durability {
    Flushed,
    /// Atomic all the same; a crash of the machine may bring back the old file.
    Atomic,
}

/// Replaces a file, or creates it and the folders above it: after a crash at any step the old or the new file is there,
/// whole. A replaced file keeps its mode.
pub(crate) fn replace(files: &dyn Files, target: &Path, bytes: &[u8], durability: Durability) -> At<()> {
    let folder = target.parent().unwrap_or(Path::new("/"));
    let created = create_folders(files, folder)?;
    let temp = temp_name(target);
    if let Err(failure) = write_and_rename(files, &temp, target, bytes, durability) {
        let _ = files.remove(&temp);
        return Err(failure);
    }
    if durability == Durability::Flushed {
        sync_dir(files, folder)?;
        for new_folder in created.iter().rev() {
            sync_dir(files, new_folder.parent().unwrap_or(folder))?;
        }
    }
    Ok(())
}

/// Creates a folder and those above it; gives the ones that were missing, outermost first.
pub(crate) fn create_folders(files: &dyn Files, folder: &Path) -> At<Vec<PathBuf>> {
    let mut missing: Vec<PathBuf> =
        folder.ancestors().take_while(|ancestor| !ancestor.is_dir()).map(Path::to_path_buf).collect();
    missing.reverse();
    for path in &missing {
        match files.create_dir(path) {
            // Somebody else was faster, which is as good.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => {}
            Err(error) => return Err((path.clone(), error)),
            Ok(()) => {}
        }
    }
    Ok(missing)
}

fn write_and_rename(files: &dyn Files, temp: &Path, target: &Path, bytes: &[u8], durability: Durability) -> At<()> {
    let at = |path: &Path| {
        let path = path.to_path_buf();
        move |error| (path, error)
    };
    let file = files.create_new(temp).map_err(at(temp))?;
    match fs::metadata(target) {
        Ok(old) => files.set_permissions(&file, old.permissions()).map_err(at(temp))?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err((target.to_path_buf(), error)),
    }
    files.write_all(&file, bytes).map_err(at(temp))?;
    if durability == Durability::Flushed {
        files.sync(&file).map_err(at(temp))?;
    }
    drop(file);
    files.rename(temp, target).map_err(at(target))
}

fn sync_dir(files: &dyn Files, folder: &Path) -> At<()> {
    files.sync_dir(folder).map_err(|error| (folder.to_path_buf(), error))
}

/// `<final name>.<pid>.<uuid-v4>.tmp` beside the target. A final name that would make it longer than a file name may be
/// is cut.
fn temp_name(target: &Path) -> PathBuf {
    const NAME_MAX: usize = 255;
    let suffix = format!(".{}.{}.tmp", std::process::id(), uuid::Uuid::new_v4());
    let mut name = target.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    name.truncate(name.floor_char_boundary(NAME_MAX - suffix.len()));
    target.with_file_name(name + &suffix)
}
