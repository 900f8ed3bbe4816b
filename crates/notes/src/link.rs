//! Where an addressed note really is: links resolved by hand, because the end of the path need not exist yet.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

/// As many links as Linux follows before it gives up.
const MAX_LINKS: usize = 40;

/// What stands at the end of an addressed path.
#[derive(Debug)]
pub(crate) struct Target {
    /// The path with all links resolved.
    pub(crate) real: PathBuf,
    /// Whether it lies inside the real root.
    pub(crate) inside: bool,
    pub(crate) exists: bool,
}

/// Finds the real target of a file name below a root.
///
/// # Errors
/// The failure of looking at the path, with the path; a target that is no regular file is a failure too.
pub(crate) fn target_of(root: &Path, file: &Path) -> Result<Target, (PathBuf, io::Error)> {
    let at = |error| (file.to_path_buf(), error);
    let (real_root, _) = resolve(root).map_err(at)?;
    let (real, metadata) = resolve(file).map_err(at)?;
    if let Some(metadata) = &metadata
        && !metadata.is_file()
    {
        let (kind, what) = if metadata.is_dir() {
            (io::ErrorKind::IsADirectory, "is a folder, not a note")
        } else {
            (io::ErrorKind::InvalidInput, "is not a regular file")
        };
        return Err(at(io::Error::new(kind, what)));
    }
    Ok(Target { inside: real.starts_with(&real_root), exists: metadata.is_some(), real })
}

/// Resolves an absolute path, component by component. A missing one counts as a folder still to be created, so that `..`
/// behind it leads back to what is there, links included.
fn resolve(path: &Path) -> io::Result<(PathBuf, Option<fs::Metadata>)> {
    let mut real = PathBuf::new();
    let mut rest: VecDeque<OsString> = components(path);
    let mut links = 0;
    while let Some(name) = rest.pop_front() {
        if name == ".." {
            real.pop();
            continue;
        }
        real.push(&name);
        if !metadata_of(&real)?.is_some_and(|metadata| metadata.is_symlink()) {
            continue;
        }
        links += 1;
        if links > MAX_LINKS {
            return Err(io::Error::other("too many levels of links"));
        }
        let target = fs::read_link(&real)?;
        real.pop();
        for name in components(&target).into_iter().rev() {
            rest.push_front(name);
        }
    }
    let metadata = metadata_of(&real)?;
    Ok((real, metadata))
}

/// What is at a path, links not followed; nothing if it is missing.
fn metadata_of(path: &Path) -> io::Result<Option<fs::Metadata>> {
    match fs::symlink_metadata(path) {
        Ok(metadata) => Ok(Some(metadata)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// The components as names; a root or prefix component starts the path anew when it is pushed.
fn components(path: &Path) -> VecDeque<OsString> {
    path.components().filter(|c| *c != Component::CurDir).map(|c| c.as_os_str().to_owned()).collect()
}
