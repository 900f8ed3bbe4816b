//! The start of a session: obstacles first, then the tools, then the move of old notes.

use std::fs;
use std::path::Path;

use palimpsest_pi_bridge::{Engine, tool_names};
use serde_json::{Value, json};
use tempfile::TempDir;

/// Facts of a session that has nothing in its way.
fn facts(home: &Path) -> Value {
    json!({
        "hasUi": true,
        "place": { "cwd": home, "sessionId": "s-1", "model": "m", "home": home },
        "host": {},
        "tools": [tool("read", "builtin", "builtin:read", "top-level", "temporary")],
    })
}

fn tool(name: &str, source: &str, path: &str, origin: &str, scope: &str) -> Value {
    json!({ "name": name, "sourceInfo": { "source": source, "path": path, "origin": origin, "scope": scope } })
}

fn start(facts: &Value) -> Vec<Value> {
    serde_json::from_str(&Engine::new().session_start(&facts.to_string())).expect("actions")
}

fn registered(action: &Value) -> Vec<&str> {
    let tools = action["tools"].as_array().expect("tools");
    tools.iter().map(|tool| tool["name"].as_str().expect("name")).collect()
}

/// The one notice of a start that registered nothing.
fn notice(actions: &[Value]) -> (&str, &str) {
    assert_eq!(actions.len(), 1, "{actions:?}");
    assert_eq!(actions[0]["do"], "notify");
    (actions[0]["level"].as_str().expect("level"), actions[0]["message"].as_str().expect("message"))
}

#[test]
fn a_free_start_registers_the_tools_and_says_nothing() {
    let home = tempfile::tempdir().expect("temp dir");
    let actions = start(&facts(home.path()));
    let done: Vec<_> = actions.iter().map(|action| action["do"].as_str().expect("what to do")).collect();
    assert_eq!(done, ["register", "commands", "marks", "windows"]);
    assert_eq!(registered(&actions[0]), tool_names());
    assert_eq!(fs::read_dir(home.path()).expect("home").count(), 0, "starting creates nothing");
}

/// Window-dream 0.5, stand-down: one notice, the rival and the way out by name.
#[test]
fn a_rival_makes_us_stand_down() {
    let home = tempfile::tempdir().expect("temp dir");
    let cases = [
        (
            tool("notes_read", "npm:pi-notes", "/x/index.js", "package", "user"),
            "palimpsest: nothing was registered: the tool notes_read already belongs to the package npm:pi-notes. to use \
             palimpsest, run \"pi remove npm:pi-notes\" and restart pi",
        ),
        (
            tool("notes_list", "git:host/x", "/x/index.js", "package", "project"),
            "palimpsest: nothing was registered: the tool notes_list already belongs to the package git:host/x. to use \
             palimpsest, run \"pi remove git:host/x --local\" and restart pi",
        ),
        (
            tool("notes_write", "local", "/home/me/.pi/agent/extensions/mine.ts", "top-level", "user"),
            "palimpsest: nothing was registered: the tool notes_write already belongs to the extension \
             /home/me/.pi/agent/extensions/mine.ts. to use palimpsest, start pi without it or delete it",
        ),
        (
            tool("notes_write", "npm:once", "/tmp/once/index.js", "package", "temporary"),
            "palimpsest: nothing was registered: the tool notes_write already belongs to the extension \
             /tmp/once/index.js. to use palimpsest, start pi without it or delete it",
        ),
    ];
    for (rival, expected) in cases {
        let mut facts = facts(home.path());
        facts["tools"].as_array_mut().expect("tools").push(rival);
        // What an earlier session wiped stays wiped: windows are handed the events all the same.
        let way_out = expected.split_once("to use palimpsest, ").expect("a way out").1;
        let windows = json!({ "do": "windows", "standDown": way_out });
        let mut actions = start(&facts);
        assert_eq!(actions.pop(), Some(windows.clone()));
        assert_eq!(notice(&actions), ("warning", expected));
        facts["hasUi"] = false.into();
        assert_eq!(start(&facts), [json!({ "do": "stderr", "line": expected }), windows]);
    }
    // A command gives a rival away as well.
    let mut with_command = facts(home.path());
    with_command["commands"] = json!([tool("wipe-memory", "npm:rival", "/x/index.js", "package", "user")]);
    let message = start(&with_command)[0]["message"].clone();
    assert!(message.as_str().is_some_and(|text| text.contains("the command wipe-memory already belongs")), "{message}");
    // The host's own tools give way.
    let mut facts = facts(home.path());
    facts["tools"].as_array_mut().expect("tools").push(tool(
        "notes_read",
        "builtin",
        "builtin:x",
        "top-level",
        "temporary",
    ));
    assert_eq!(registered(&start(&facts)[0]), tool_names());
}

/// A folder that looks like an installed host.
fn installed(name: &str, version: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("temp dir");
    fs::create_dir_all(folder.path().join("dist/bundle")).expect("folders");
    fs::write(folder.path().join("dist/bundle/cli.js"), "").expect("script");
    fs::write(folder.path().join("package.json"), json!({ "name": name, "version": version }).to_string())
        .expect("json");
    folder
}

#[test]
fn an_old_host_is_told_to_upgrade() {
    let home = tempfile::tempdir().expect("temp dir");
    let check = |name: &str, version: &str, old: bool| {
        let host = installed(name, version);
        let script = host.path().join("dist/bundle/cli.js");
        let link = home.path().join("pi");
        std::os::unix::fs::symlink(&script, &link).expect("link");
        for place in [json!({ "script": script }), json!({ "script": link }), json!({ "packageDir": host.path() })] {
            let mut facts = facts(home.path());
            facts["host"] = place;
            // Such a host does not say where tools come from, or which there are.
            facts["tools"] = json!([{ "name": "read" }]);
            let actions = start(&facts);
            if old {
                let expected = format!(
                    "palimpsest: pi {version} is too old, nothing was registered. upgrade pi to 1.0.0 or later, then \
                     restart it; /reload is not enough"
                );
                assert_eq!(notice(&actions), ("error", expected.as_str()));
            } else {
                assert_eq!(registered(&actions[0]), tool_names(), "{name} {version}");
            }
        }
        fs::remove_file(link).expect("link");
    };
    check("@mariozechner/pi-coding-agent", "0.73.1", true);
    check("@earendil-works/pi-coding-agent", "0.99.2", true);
    check("@earendil-works/pi-coding-agent", "1.0.0", false);
    check("@earendil-works/pi-coding-agent", "1.6.0", false);
    check("@earendil-works/pi-coding-agent", "10.0.0-rc.1", false);
    // Someone else's program that embeds the host.
    check("my-agent", "0.1.0", false);
}

/// A1: the move of `personal/` to `human/`.
#[test]
fn old_notes_about_the_person_are_moved() {
    let home = tempfile::tempdir().expect("temp dir");
    let root = home.path().join("notes");
    let mut facts = facts(home.path());
    facts["place"]["notesHome"] = json!(root);
    fs::create_dir_all(root.join("personal/deep")).expect("folders");
    fs::write(root.join("personal/deep/me.md"), "tea").expect("note");

    assert!(start(&facts).iter().all(|action| action["do"] != "notify"));
    assert_eq!(fs::read_to_string(root.join("human/deep/me.md")).expect("moved"), "tea");
    assert!(!root.join("personal").exists());

    // Both: nothing changes, and a person is told.
    fs::create_dir(root.join("personal")).expect("folder");
    let actions = start(&facts);
    assert_eq!(registered(&actions[0]), tool_names());
    let told = actions.iter().find(|action| action["do"] == "notify").expect("a notice");
    assert_eq!(told["level"], "warning");
    let message = told["message"].as_str().expect("message");
    for path in [root.join("personal"), root.join("human")] {
        assert!(message.contains(path.to_str().expect("path")), "{message}");
    }
    assert!(root.join("personal").is_dir() && root.join("human/deep/me.md").is_file());
}

/// Standing down leaves the disk alone as well.
#[test]
fn a_stand_down_moves_nothing() {
    let home = tempfile::tempdir().expect("temp dir");
    let mut facts = facts(home.path());
    facts["place"]["notesHome"] = json!(home.path());
    facts["tools"] = json!([tool("notes_edit", "npm:other", "/x", "package", "user")]);
    fs::create_dir(home.path().join("personal")).expect("folder");
    start(&facts);
    assert!(home.path().join("personal").is_dir());
}

/// What cannot be understood is one notice, never a failure.
#[test]
fn broken_facts_are_a_notice() {
    let actions = start(&json!({ "hasUi": true }));
    let (level, message) = notice(&actions);
    assert_eq!(level, "error");
    assert!(message.starts_with("palimpsest: nothing was registered, because of a fault of palimpsest: "), "{message}");
}
