//! The sessions of a project: those whose working directory has its key, linked worktrees included.

use std::collections::{HashMap, HashSet};
use std::io::ErrorKind;
use std::path::Path;

use palimpsest_history::{Discovery, HistoryError, SessionFile, Unavailable, discover, project_folder};
use palimpsest_notes::project_key;

/// Session files of one project.
pub(crate) struct ProjectSessions {
    /// Newest first, one for each session id.
    pub(crate) files: Vec<SessionFile>,
    /// Names of those that cannot be read: the session id, else the name of the file.
    pub(crate) unavailable: Vec<String>,
}

impl ProjectSessions {
    /// The sessions in a folder and its sub-folders that belong to the project of a working directory.
    pub(crate) fn find(folder: &Path, cwd: &Path) -> Result<ProjectSessions, HistoryError> {
        let found = match discover(folder) {
            // A host that never stored a session has no folder for them.
            Err(HistoryError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => Discovery::default(),
            found => found?,
        };
        let key = project_key(cwd);
        let mut ours = HashMap::new();
        let mut is_ours = |cwd: &str| *ours.entry(cwd.to_owned()).or_insert_with(|| project_key(Path::new(cwd)) == key);
        let mut ids = HashSet::new();
        let files: Vec<SessionFile> = found
            .sessions
            .into_iter()
            .filter(|session| session.header.cwd.as_deref().is_some_and(&mut is_ours))
            .filter(|session| ids.insert(session.header.id.clone()))
            .collect();

        // What cannot be read tells no project; where it lies does.
        let standard = folder.join(project_folder(cwd));
        let mut folders: HashSet<&Path> = files.iter().filter_map(|session| session.path.parent()).collect();
        folders.extend([folder, &standard]);
        let lies_in = |path: &Path| {
            let is_file = path.extension().is_some_and(|extension| extension == "jsonl");
            if is_file { path.parent().is_some_and(|parent| folders.contains(parent)) } else { folders.contains(path) }
        };
        let unavailable = found.unavailable.iter().filter(|file| lies_in(&file.path)).map(name).collect();
        Ok(ProjectSessions { files, unavailable })
    }
}

fn name(file: &Unavailable) -> String {
    let named = || file.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    file.id.clone().unwrap_or_else(named)
}
