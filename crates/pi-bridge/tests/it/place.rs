//! Where a call is made decides which notes are meant.

use std::path::{Path, PathBuf};

use palimpsest_pi_bridge::Place;

fn place() -> Place {
    Place {
        cwd: "/work/app".into(),
        session_id: "s-1".into(),
        model: Some("vendor/Opus 4.5".into()),
        home: "/home/me".into(),
        notes_home: None,
        notes_agent: None,
    }
}

/// Line 41 and the table in A1.
#[test]
fn the_identity_follows_the_host() {
    let who = |place: Place| {
        let identity = place.identity().expect("identity");
        (identity.agent().as_str().to_owned(), identity.model().as_str().to_owned())
    };
    let owned = |agent: &str, model: &str| (agent.to_owned(), model.to_owned());
    assert_eq!(who(place()), owned("anonymous", "opus-4-5"));
    assert_eq!(who(Place { notes_agent: Some(String::new()), ..place() }), owned("anonymous", "opus-4-5"));
    assert_eq!(
        who(Place { notes_agent: Some("Test Agent".into()), model: None, ..place() }),
        owned("test-agent", "default")
    );
    assert_eq!(who(Place { model: Some("local".into()), ..place() }), owned("anonymous", "local"));

    let identity = place().identity().expect("identity");
    assert_eq!((identity.session().as_str(), identity.home()), ("s-1", Path::new("/home/me/.agents/notes")));
    assert!(identity.project().as_str().starts_with("app-"));
}

#[test]
fn the_root_is_absolute() {
    let root = |notes_home: &str| Place { notes_home: Some(notes_home.into()), ..place() }.notes_root();
    assert_eq!(root("/data/notes"), PathBuf::from("/data/notes"));
    assert_eq!(root(""), PathBuf::from("/home/me/.agents/notes"));
    assert_eq!(root("notes"), std::env::current_dir().expect("cwd").join("notes"));
}

#[test]
fn a_session_id_that_names_no_folder_is_refused() {
    let refusal = Place { session_id: "a/b".into(), ..place() }.identity().expect_err("a slash");
    assert_eq!(refusal.code(), "invalid_identity");
}
