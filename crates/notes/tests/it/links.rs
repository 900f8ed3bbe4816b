//! Line 78: links and special files.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;

use palimpsest_notes::{EditOptions, Query};

use crate::support::{Fixture, SESSION, address, replace};

struct Linked {
    fixture: Fixture,
    outside: tempfile::TempDir,
}

impl Linked {
    fn new() -> Self {
        let linked = Self { fixture: Fixture::new(), outside: tempfile::tempdir().expect("a temporary folder") };
        linked.fixture.write("real", "inside");
        linked
    }

    fn link(&self, target: impl AsRef<std::path::Path>, relative: &str) {
        let path = self.fixture.path(relative);
        fs::create_dir_all(path.parent().expect("a folder")).expect("create");
        symlink(target, path).expect("link");
    }

    fn is_link(&self, relative: &str) -> bool {
        self.fixture.path(relative).is_symlink()
    }
}

/// A link inside the root is read, edited and written through, and stays a link.
#[test]
fn links_inside_are_followed() {
    let linked = Linked::new();
    let fixture = &linked.fixture;
    fixture.write("folder/note", "x");
    linked.link("real.md", &format!("{SESSION}/relative.md"));
    linked.link(fixture.path(&format!("{SESSION}/real.md")), "human/absolute.md");
    linked.link("folder", &format!("{SESSION}/linked"));
    linked.link("../../pi/session/s1/folder", "project/app-1234abcd/up");
    for (at, link, real) in [
        ("relative", format!("{SESSION}/relative.md"), format!("{SESSION}/real.md")),
        ("@human/absolute", "human/absolute.md".to_owned(), format!("{SESSION}/real.md")),
        ("linked/note", format!("{SESSION}/linked"), format!("{SESSION}/folder/note.md")),
        ("@project/up/note", "project/app-1234abcd/up".to_owned(), format!("{SESSION}/folder/note.md")),
        ("linked/new/deep", format!("{SESSION}/linked"), format!("{SESSION}/folder/new/deep.md")),
    ] {
        fixture.write(at, "written");
        assert!(fixture.text(&real).ends_with("\nwritten"), "{at}");
        fixture.edit(at, "written", "edited").expect("edit");
        let count = fixture.read(at).meta.access_count;
        assert_eq!(fixture.read(at).meta.access_count, count + 1.0, "{at}: reads count");
        assert!(fixture.text(&real).ends_with("\nedited"), "{at}");
        assert!(linked.is_link(&link), "{at}: the link stays");
    }
    // Traversal passes links over.
    assert_eq!(fixture.list("**").len(), 3);
}

/// A link that leads out is read without counting, and never written through; nothing is created outside.
#[test]
fn links_to_the_outside_are_read_only() {
    let linked = Linked::new();
    let fixture = &linked.fixture;
    let outside = linked.outside.path();
    fs::write(outside.join("x.md"), "theirs").expect("write");
    linked.link(outside.join("x.md"), &format!("{SESSION}/x.md"));
    linked.link(outside, &format!("{SESSION}/out"));
    linked.link(outside.join("missing.md"), &format!("{SESSION}/dangling.md"));
    linked.link("missing/../out/new.md", &format!("{SESSION}/detour.md"));
    for at in ["x", "out/x"] {
        assert_eq!(fixture.read(at).text, "theirs");
        let error = fixture.edit(at, "theirs", "mine").expect_err("outside");
        assert_eq!(error.code(), "outside_home");
        assert!(error.to_string().contains(&format!("{at}.md")));
    }
    for at in ["x", "out/x", "out/new/deep", "dangling", "detour"] {
        assert_eq!(
            fixture.store.write(&address(at), "mine", Default::default()).expect_err("outside").code(),
            "outside_home"
        );
    }
    assert_eq!(fixture.store.read(&address("dangling")).expect("read"), None);
    assert_eq!(fixture.edit("dangling", "a", "b").expect_err("missing").code(), "not_found");
    assert_eq!(fs::read(outside.join("x.md")).expect("read"), b"theirs");
    assert_eq!(fs::read_dir(outside).expect("read").count(), 1);
    assert_eq!(fixture.list("**"), ["real.md"]);
}

/// A7: the lock comes before the check of the target, and after that of a note's existence.
#[test]
fn a_held_lock_is_met_before_the_target_is_judged() {
    let linked = Linked::new();
    let fixture = &linked.fixture;
    fs::write(linked.outside.path().join("x.md"), "theirs").expect("write");
    linked.link(linked.outside.path().join("x.md"), &format!("{SESSION}/x.md"));
    let holder = fs::File::open(fixture.path(".notes.lock")).expect("open");
    holder.lock().expect("lock");
    let store = fixture.store.clone().with_lock_wait(std::time::Duration::ZERO);
    let edit = |at: &str| store.edit(&address(at), &[replace("theirs", "mine")], EditOptions::default());
    assert_eq!(store.write(&address("x"), "mine", Default::default()).expect_err("locked").code(), "busy");
    assert_eq!(edit("x").expect_err("locked").code(), "busy");
    assert_eq!(edit("absent").expect_err("absent").code(), "not_found");
    assert_eq!(store.read(&address("x")).expect("no count, no lock").expect("exists").text, "theirs");
}

/// A dangling link whose target lies inside is missing until a write creates the target; loops fail.
#[test]
fn dangling_links_and_loops() {
    let linked = Linked::new();
    let fixture = &linked.fixture;
    linked.link("sub/later.md", &format!("{SESSION}/soon.md"));
    assert_eq!(fixture.store.read(&address("soon")).expect("read"), None);
    let crumple = EditOptions { crumpled: Some(true), ..EditOptions::default() };
    assert_eq!(fixture.store.edit(&address("soon"), &[], crumple).expect_err("missing").code(), "not_found");
    fixture.write("soon", "here");
    assert!(linked.is_link(&format!("{SESSION}/soon.md")));
    assert_eq!(fixture.read("sub/later").body, "here");

    linked.link("b.md", &format!("{SESSION}/a.md"));
    linked.link("a.md", &format!("{SESSION}/b.md"));
    assert_eq!(fixture.store.read(&address("a")).expect_err("a loop").code(), "io");
    assert_eq!(fixture.edit("a", "x", "y").expect_err("a loop").code(), "io");
}

/// A linked home is walked; linked agents are not enumerated; a linked root is the root.
#[test]
fn linked_homes() {
    let linked = Linked::new();
    let fixture = &linked.fixture;
    fs::write(linked.outside.path().join("h.md"), "from a linked home").expect("write");
    linked.link(linked.outside.path(), "human");
    linked.link(linked.outside.path(), "agents/linked");
    assert_eq!(fixture.list("@human/*"), ["@human/h.md"]);
    assert_eq!(fixture.list("@agents/*/*"), Vec::<String>::new());
    assert_eq!(fixture.list("@agents/linked/*"), ["@agents/linked/h.md"]);

    let root = linked.outside.path().join("root");
    symlink(fixture.home(), &root).expect("link");
    let store = palimpsest_notes::Store::new(
        crate::support::identity(&root, "s1", "app-1234abcd", "tester", "model-1"),
        palimpsest_notes::Clock::system(),
    );
    store.edit(&address("real"), &[replace("inside", "through")], EditOptions::default()).expect("edit");
    assert_eq!(fixture.read("real").body, "through");
}

/// Special files are failures at once, never opened; folders too.
#[test]
fn special_files() {
    let linked = Linked::new();
    let fixture = &linked.fixture;
    let fifo = fixture.path(&format!("{SESSION}/fifo.md"));
    let made = std::process::Command::new("mkfifo").arg(&fifo).status().expect("mkfifo runs");
    assert!(made.success());
    let socket = std::os::unix::net::UnixListener::bind(fixture.path(&format!("{SESSION}/sock.md"))).expect("bind");
    fs::create_dir(fixture.path(&format!("{SESSION}/dir.md"))).expect("create");
    for at in ["fifo", "sock", "dir"] {
        assert_eq!(fixture.store.read(&address(at)).expect_err(at).code(), "io");
        assert_eq!(fixture.store.read_slice(&address(at), 5, 5).expect_err(at).code(), "io");
        assert_eq!(fixture.store.write(&address(at), "x", Default::default()).expect_err(at).code(), "io");
        assert_eq!(fixture.edit(at, "x", "y").expect_err(at).code(), "io");
    }
    assert_eq!(fixture.store.list(&Query::default()).expect("list").len(), 1);
    drop(socket);
}
