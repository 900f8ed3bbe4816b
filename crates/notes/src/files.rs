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
    create_folders(files, folder)?;
    let temp = temp_name(target);
    if let Err(failure) = write_and_rename(files, &temp, target, bytes) {
        let _ = files.remove(&temp);
        return Err(failure);
    }
    if durability == Durability::Flushed {
        sync_dir(files, folder)?;
    }
    Ok(())
}

/// Creates a folder and those above it, durably: each new one is made known to its parent on disk.
pub(crate) fn create_folders(files: &dyn Files, folder: &Path) -> At<()> {
    let missing: Vec<&Path> = folder.ancestors().take_while(|ancestor| !ancestor.is_dir()).collect();
    for path in missing.into_iter().rev() {
        match files.create_dir(path) {
            // Somebody else was faster, which is as good; whether it is on disk yet is not known.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => {}
            Err(error) => return Err((path.to_path_buf(), error)),
            Ok(()) => {}
        }
        if let Some(parent) = path.parent() {
            sync_dir(files, parent)?;
        }
    }
    Ok(())
}

fn write_and_rename(files: &dyn Files, temp: &Path, target: &Path, bytes: &[u8]) -> At<()> {
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
    // Without this a crash of the machine may leave an empty file under the final name, whatever was durable before.
    files.sync(&file).map_err(at(temp))?;
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

#[cfg(test)]
mod tests {
    //! The order of the steps, and what is left when each of them fails.

    use std::collections::BTreeMap;
    use std::sync::Mutex;

    use super::*;

    /// Does what the disk does, writes down each step, and fails at a chosen one.
    #[derive(Default)]
    struct Recorder {
        steps: Mutex<Vec<String>>,
        fail_at: Option<&'static str>,
    }

    impl Recorder {
        fn step(&self, what: &str, path: &Path) -> io::Result<()> {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let name = if name.ends_with(".tmp") { "temp".into() } else { name };
            self.steps.lock().unwrap().push(format!("{what} {name}"));
            if self.fail_at == Some(what) { Err(io::Error::from(io::ErrorKind::StorageFull)) } else { Ok(()) }
        }
    }

    impl Files for Recorder {
        fn create_new(&self, path: &Path) -> io::Result<File> {
            self.step("create", path)?;
            Disk.create_new(path)
        }

        fn set_permissions(&self, file: &File, permissions: Permissions) -> io::Result<()> {
            self.step("mode", Path::new("temp"))?;
            Disk.set_permissions(file, permissions)
        }

        fn write_all(&self, file: &File, bytes: &[u8]) -> io::Result<()> {
            if let Err(error) = self.step("write", Path::new("temp")) {
                // A short write: half of it reached the disk.
                Disk.write_all(file, &bytes[..bytes.len() / 2])?;
                return Err(error);
            }
            Disk.write_all(file, bytes)
        }

        fn sync(&self, file: &File) -> io::Result<()> {
            self.step("sync", Path::new("temp"))?;
            Disk.sync(file)
        }

        fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
            self.step("rename", to)?;
            Disk.rename(from, to)
        }

        fn remove(&self, path: &Path) -> io::Result<()> {
            self.step("remove", path)?;
            Disk.remove(path)
        }

        fn create_dir(&self, path: &Path) -> io::Result<()> {
            self.step("folder", path)?;
            Disk.create_dir(path)
        }

        fn sync_dir(&self, path: &Path) -> io::Result<()> {
            self.step("sync-folder", path)?;
            Disk.sync_dir(path)
        }
    }

    struct Root {
        _dir: tempfile::TempDir,
        path: PathBuf,
    }

    fn root() -> Root {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("root");
        fs::create_dir(&path).unwrap();
        Root { _dir: dir, path }
    }

    fn files_in(folder: &Path) -> BTreeMap<String, String> {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        entries.map(|p| (p.file_name().unwrap().to_string_lossy().into(), fs::read_to_string(&p).unwrap())).collect()
    }

    /// A9: flushed before the rename, the folder after it, the parents of new folders too.
    #[test]
    fn a_new_file_is_flushed_in_order() {
        let root = root();
        let files = Recorder::default();
        replace(&files, &root.path.join("a/b/n.md"), b"x", Durability::Flushed).unwrap();
        let steps = [
            "folder a",
            "sync-folder root",
            "folder b",
            "sync-folder a",
            "create temp",
            "write temp",
            "sync temp",
            "rename n.md",
            "sync-folder b",
        ];
        assert_eq!(*files.steps.lock().unwrap(), steps);
    }

    #[test]
    fn a_replaced_file_keeps_its_mode_and_the_folder_waits_after_a_counted_read() {
        let root = root();
        fs::write(root.path.join("n.md"), "old").unwrap();
        for (durability, steps) in [
            (
                Durability::Flushed,
                vec!["create temp", "mode temp", "write temp", "sync temp", "rename n.md", "sync-folder root"],
            ),
            (Durability::Atomic, vec!["create temp", "mode temp", "write temp", "sync temp", "rename n.md"]),
        ] {
            let files = Recorder::default();
            replace(&files, &root.path.join("n.md"), b"new", durability).unwrap();
            assert_eq!(*files.steps.lock().unwrap(), steps);
        }
    }

    /// Whatever step fails, the file is wholly old or wholly new, and no temporary file stays.
    #[test]
    fn a_failing_step_leaves_old_or_new() {
        for (fail_at, left) in [
            ("create", "old"),
            ("mode", "old"),
            ("write", "old"),
            ("sync", "old"),
            ("rename", "old"),
            ("sync-folder", "new"),
        ] {
            let root = root();
            fs::write(root.path.join("n.md"), "old").unwrap();
            let files = Recorder { fail_at: Some(fail_at), ..Recorder::default() };
            let (path, error) = replace(&files, &root.path.join("n.md"), b"new", Durability::Flushed).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::StorageFull, "{fail_at}");
            assert!(path.starts_with(&root.path), "{fail_at} names a path: {}", path.display());
            assert_eq!(files_in(&root.path), BTreeMap::from([("n.md".into(), left.into())]), "{fail_at}");
        }
    }

    /// The first failure is the one reported, also when cleaning up fails.
    #[test]
    fn the_original_failure_is_reported() {
        struct NoRemove;
        impl Files for NoRemove {
            fn write_all(&self, _: &File, _: &[u8]) -> io::Result<()> {
                Err(io::Error::from(io::ErrorKind::WriteZero))
            }
            fn remove(&self, _: &Path) -> io::Result<()> {
                Err(io::Error::from(io::ErrorKind::PermissionDenied))
            }
        }
        let root = root();
        let (_, error) = replace(&NoRemove, &root.path.join("n.md"), b"new", Durability::Flushed).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::WriteZero);
    }

    #[test]
    fn temporary_names_fit_and_follow_the_pattern() {
        for name in ["n.md".to_owned(), format!("{}.md", "ü".repeat(126))] {
            let temp = temp_name(Path::new("/x").join(&name).as_path());
            let temp = temp.file_name().unwrap().to_str().unwrap();
            let parts: Vec<&str> = temp.rsplitn(4, '.').collect();
            assert_eq!((parts[0], parts[2]), ("tmp", std::process::id().to_string().as_str()));
            assert_eq!(uuid::Uuid::parse_str(parts[1]).unwrap().get_version_num(), 4);
            assert!(name.starts_with(parts[3]) && temp.len() <= 255, "{temp}");
        }
    }
}
