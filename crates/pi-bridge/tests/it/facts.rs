//! Where the sessions of a project are looked for.

use std::path::{Path, PathBuf};

use palimpsest_pi_bridge::SessionFacts;

#[test]
fn the_folder_of_the_sessions() {
    let some = |path: &str| Some(PathBuf::from(path));
    let facts = |dir: &str, agent_dir: Option<PathBuf>, sessions_dir: Option<PathBuf>| SessionFacts {
        dir: dir.into(),
        agent_dir,
        sessions_dir,
        ..SessionFacts::default()
    };
    let cases = [
        // The standard layout: the folder of the working directory lies beside those of its worktrees.
        (facts("/a/sessions/--work-app--", None, None), "/a/sessions"),
        // A folder of the person's own holds the sessions itself; what lies around it is none of ours.
        (facts("/home/me/sessions", None, None), "/home/me/sessions"),
        (facts("/home/me/--", None, None), "/home/me/--"),
        (facts("/a/sessions/--work-app--", some("/b"), some("/c")), "/a/sessions"),
        // A session in memory has none: where the host would put it.
        (facts("", None, None), "/home/me/.pi/agent/sessions"),
        (facts("", some("/b"), None), "/b/sessions"),
        (facts("", some("~/b"), some("")), "/home/me/b/sessions"),
        (facts("", some("/b"), some("~/c")), "/home/me/c"),
    ];
    for (facts, folder) in cases {
        assert_eq!(facts.sessions_folder(Path::new("/home/me")), Path::new(folder), "{facts:?}");
    }
}
