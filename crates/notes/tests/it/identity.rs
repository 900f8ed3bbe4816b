//! Who a store works for: names, slugs, project keys.

use std::fs;

use palimpsest_notes::{Identity, Store, project_key, slugify};

use crate::support::Fixture;

/// Lines 12 and 16: construction checks every field and creates nothing.
#[test]
fn identities_are_checked_field_by_field() {
    let fixture = Fixture::new();
    let home = fixture.home();
    let build = |session, project, agent, model| Identity::from_parts(home, session, project, agent, model);
    for (identity, field) in [
        (build("", "p", "a", "m"), "sessionId"),
        (build("a/b", "p", "a", "m"), "sessionId"),
        (build("..", "p", "a", "m"), "sessionId"),
        (build("s", "a\\b", "a", "m"), "projectKey"),
        (build("s", "a:b", "a", "m"), "projectKey"),
        (build("s", ".", "a", "m"), "projectKey"),
        (build("s\0", "p", "a", "m"), "sessionId"),
        (build("s", "p", "Agent", "m"), "agent"),
        (build("s", "p", "a--b", "m"), "agent"),
        (build("s", "p", "a", "-m"), "model"),
        (build("s", "p", "a", ""), "model"),
        (Identity::from_parts("".as_ref(), "s", "p", "a", "m"), "home"),
    ] {
        let error = identity.expect_err(field);
        assert_eq!(error.code(), "invalid_identity");
        assert!(error.to_string().contains(field), "{error}");
    }
    for odd in ["Ünder Score", ".hidden", "A B"] {
        assert!(build(odd, odd, "a-1", "m").is_ok());
    }
    let lexical = Identity::from_parts(&home.join("x/../y"), "s", "p", "a", "m").expect("valid");
    assert_eq!(lexical.home(), home.join("y"));
    Store::new(lexical, palimpsest_notes::Clock::system());
    assert!(fixture.tree().is_empty() && !home.join("y").exists());
}

/// A2: examples of slugs.
#[test]
fn slugs() {
    for (text, slug) in [
        ("Test Agent", "test-agent"),
        ("Second.Model", "second-model"),
        ("", "root"),
        ("***", "root"),
        ("--a--b--", "a-b"),
        ("ÄÖ x", "x"),
        ("İx", "i-x"),
    ] {
        assert_eq!(slugify(text).as_str(), slug, "{text:?}");
    }
}

/// Line 22 and A3: worktrees share their main checkout's key, everything else keeps its own.
#[test]
fn project_keys() {
    let fixture = Fixture::new();
    let root = fixture.home();
    let folder = |name: &str| {
        let path = root.join(name);
        fs::create_dir_all(&path).expect("create");
        path
    };
    let main = folder("main");
    folder("main/.git/worktrees/wt");
    folder("main/sub/deep");
    let pointer = |name: &str, text: String| fs::write(folder(name).join(".git"), text).expect("write");
    pointer("wt", format!("gitdir: {}\n", main.join(".git/worktrees/wt").display()));
    pointer("relative", "junk\n  \ngitdir:   ../main/.git/worktrees/relative  \n".to_owned());
    pointer("submodule", "gitdir: ../main/.git/modules/submodule\n".to_owned());
    pointer("of-submodule", "gitdir: ../main/.git/modules/submodule/worktrees/x\n".to_owned());
    pointer("empty", "gitdir:\n".to_owned());
    pointer("no-name", "gitdir: ../main/.git/worktrees\n".to_owned());
    pointer("too-deep", "gitdir: ../main/.git/worktrees/a/b\n".to_owned());
    folder("worktrees/main");
    pointer("twice", "gitdir: ../worktrees/main/.git/worktrees/twice\n".to_owned());
    folder("plain/deeper");
    #[cfg(unix)]
    std::os::unix::fs::symlink(root.join("nowhere"), folder("dangling").join(".git")).expect("link");
    // Opening a pipe would wait for a writer for ever.
    #[cfg(unix)]
    std::process::Command::new("mkfifo").arg(folder("pipe").join(".git")).status().expect("mkfifo runs");

    let key = |name: &str| project_key(&root.join(name)).as_str().to_owned();
    for same in ["main/sub/deep", "wt", "wt/not/there", "relative", "main/x/..", "main/."] {
        assert_eq!(key(same), key("main"), "{same}");
    }
    for own in
        ["submodule", "of-submodule", "empty", "no-name", "too-deep", "dangling", "pipe", "plain", "plain/deeper"]
    {
        let base = own.rsplit('/').next().expect("a name");
        assert!(key(own).starts_with(&format!("{base}-")), "{}", key(own));
    }
    assert_ne!(key("plain"), key("plain/deeper"));
    assert_eq!(key("twice"), key("worktrees/main"), "the last worktrees counts");
    let hex = key("main").strip_prefix("main-").expect("the base name").to_owned();
    assert!(hex.len() == 8 && hex.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b)), "{hex}");
}

/// Line 76: odd base names make valid keys; the digest is that of the unchanged path.
#[test]
fn odd_project_folders() {
    // SHA-1 of the paths, computed independently.
    for (path, key) in
        [("/", "-42099b4a"), ("/tmp/palimpsest-no-such/a:b\\c", "a-b-c-d831bd8d"), ("/tmp/a\0b", "a-b-f8f4296e")]
    {
        assert_eq!(project_key(path.as_ref()).as_str(), key);
        assert!(palimpsest_notes::ProjectKey::parse(key).is_ok());
    }
}
