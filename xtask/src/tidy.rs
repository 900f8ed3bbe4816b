//! The rules of the house that no compiler knows: crate edges, leaf crates, first lines, names, the host's lock file.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::cargo::{self, Member, cargo};
use crate::{root, step, tools};

/// Crates that know nothing of each other, and act only on what they are handed.
const LEAVES: [&str; 4] = ["notes", "history", "window", "ctxvars"];

/// Which leaves a crate above them may use; every other edge between crates is forbidden.
const EDGES: [(&str, &[&str]); 3] = [
    ("dream", &["notes"]),
    ("inspect", &["notes", "history", "ctxvars"]),
    ("pi-bridge", &["notes", "history", "window", "ctxvars", "dream", "inspect"]),
];

/// What the sources of a leaf never say: callers hand in roots and settings, and show what there is to show.
const NOT_IN_LEAVES: [&str; 7] = ["env::", "home_dir", "println!", "eprintln!", "print!(", "eprint!(", "dbg!("];

/// What no file says. Each is put together here, or this file would be its own first finding.
const NOWHERE: [(&str, &str); 6] = [
    (concat!("TO", "DO"), "do it, or open an issue"),
    (concat!("FIX", "ME"), "fix it, or open an issue"),
    (concat!("todo", "!("), "write it"),
    (concat!("unimpl", "emented!("), "write it"),
    (concat!("#[ig", "nore"), "make the test run, or delete it"),
    (concat!("..", "/shared"), "only .ci/run may name that folder"),
];

/// Checks every rule and shows what breaks one.
///
/// # Errors
/// When a rule is broken, or the files of the project cannot be read.
pub(crate) fn check() -> Result<()> {
    let mut findings = Vec::new();
    let architecture = fs::read_to_string(root().join("ARCHITECTURE.md")).context("cannot read ARCHITECTURE.md")?;
    for member in cargo::members()? {
        findings.extend(forbidden_edges(&member));
        findings.extend(unexplained_dependencies(&member, &architecture));
    }
    for path in files()? {
        // A file that is not text has no lines to check.
        if let Ok(text) = fs::read_to_string(root().join(&path)) {
            findings.extend(check_file(&path, &text));
        }
    }
    deny()?;
    for finding in &findings {
        eprintln!("  {finding}");
    }
    match findings.len() {
        0 => Ok(()),
        count => bail!("{count} findings; they are above"),
    }
}

/// Whether a package is one of the crates, rather than tests, examples or xtask.
pub(crate) fn is_crate(member: &Member) -> bool {
    short_name(member).is_some()
}

/// The folder of a crate below `crates/`, which is its name without the prefix.
fn short_name(member: &Member) -> Option<&str> {
    let folder = member.folder.strip_prefix(root().join("crates")).ok()?;
    folder.to_str()
}

fn forbidden_edges(member: &Member) -> Vec<String> {
    let Some(name) = short_name(member) else {
        return Vec::new();
    };
    let allowed = EDGES.iter().find_map(|(above, below)| (*above == name).then_some(*below));
    let Some(allowed) = allowed.or_else(|| LEAVES.contains(&name).then_some(&[])) else {
        return vec![format!("crates/{name}: a new crate. say in xtask/src/tidy.rs which crates it may use")];
    };
    let used = member.uses.iter().filter_map(|used| used.strip_prefix("palimpsest-"));
    used.filter(|used| !allowed.contains(used)).map(|used| format!("crates/{name} must not use {used}")).collect()
}

/// A library stands in the table of ARCHITECTURE.md with its reason, or it should not be there.
fn unexplained_dependencies(member: &Member, architecture: &str) -> Vec<String> {
    let unexplained = member.depends_on.iter().filter(|name| !architecture.contains(&format!("`{name}`")));
    unexplained.map(|name| format!("{}: say in ARCHITECTURE.md why it needs `{name}`", member.name)).collect()
}

/// The files that git tracks or would track, relative to the root.
fn files() -> Result<Vec<String>> {
    let arguments = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    let output = tools::GIT.command().args(arguments).current_dir(root()).output().context("cannot start git")?;
    if !output.status.success() {
        bail!("git cannot list the files of the project: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    let listing = String::from_utf8_lossy(&output.stdout);
    Ok(listing.split_terminator('\0').map(str::to_owned).collect())
}

fn check_file(path: &str, text: &str) -> Vec<String> {
    let mut findings = Vec::new();
    let extension = Path::new(path).extension().and_then(|extension| extension.to_str());
    let first_line = text.lines().next().unwrap_or_default();
    let purpose = match extension {
        Some("rs") => Some("//!"),
        Some("ts") => Some("//"),
        _ => None,
    };
    if let Some(purpose) = purpose.filter(|purpose| !first_line.starts_with(purpose)) {
        findings.push(format!("{path}:1: begin with a `{purpose}` line that says what the file is for"));
    }
    let in_leaf = extension == Some("rs") && LEAVES.iter().any(|leaf| path.starts_with(&format!("crates/{leaf}/src/")));
    for (number, line) in text.lines().enumerate() {
        let at = format!("{path}:{}", number + 1);
        for (word, remedy) in NOWHERE.iter().filter(|(word, _)| line.contains(word)) {
            if !(path == ".ci/run" && word.ends_with("shared")) {
                findings.push(format!("{at}: `{word}`: {remedy}"));
            }
        }
        // What a comment or an example in the documentation says is not done.
        if in_leaf && !line.trim_start().starts_with("//") {
            let words = NOT_IN_LEAVES.iter().filter(|word| line.contains(*word));
            findings.extend(
                words.map(|word| format!("{at}: `{word}`: a leaf crate is handed what it needs, and prints nothing")),
            );
        }
    }
    if path == "xtask/host/package-lock.json" {
        findings.extend(check_host_lock(path, text));
    }
    findings
}

/// The host installs anywhere only if each package names the public registry and the digest of its content.
fn check_host_lock(path: &str, text: &str) -> Vec<String> {
    let lock: Value = serde_json::from_str(text).unwrap_or_default();
    let Some(packages) = lock["packages"].as_object() else {
        return vec![format!("{path}: it has no packages")];
    };
    let installed = packages.iter().filter(|(name, _)| !name.is_empty());
    let wrong = installed.filter(|(_, package)| {
        let address = package["resolved"].as_str().unwrap_or_default();
        !address.starts_with("https://registry.npmjs.org/") || !package["integrity"].is_string()
    });
    let remedy = "lock it again with npm install --package-lock-only --omit-lockfile-registry-resolved=false and npm's own registry";
    wrong
        .map(|(name, _)| format!("{path}: {name} has no address at registry.npmjs.org or no digest: {remedy}"))
        .collect()
}

/// Licences, sources and doubled crates, where cargo-deny is installed.
fn deny() -> Result<()> {
    let installed = cargo(["deny", "--version"]).output().is_ok_and(|output| output.status.success());
    if !installed {
        eprintln!(
            "  cargo-deny is not installed: licences and sources of crates are not checked (cargo install cargo-deny)"
        );
        return Ok(());
    }
    let mut command: Command = cargo(["deny", "check", "bans", "licenses", "sources"]);
    step::run("cargo deny", &mut command)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(name: &str, uses: &[&str], depends_on: &[&str]) -> Member {
        Member {
            name: format!("palimpsest-{name}"),
            folder: root().join("crates").join(name),
            uses: uses.iter().map(|used| format!("palimpsest-{used}")).collect(),
            depends_on: depends_on.iter().map(|&name| name.to_owned()).collect(),
        }
    }

    fn edges(name: &str, uses: &[&str]) -> Vec<String> {
        forbidden_edges(&member(name, uses, &[]))
    }

    #[test]
    fn a_dependency_without_a_reason_is_found() {
        let found =
            unexplained_dependencies(&member("notes", &[], &["serde", "serde_json"]), "| `serde_json` | JSON |");
        assert_eq!(found, ["palimpsest-notes: say in ARCHITECTURE.md why it needs `serde`"]);
    }

    #[test]
    fn only_the_edges_of_the_design_are_allowed() {
        assert_eq!(edges("pi-bridge", &["notes", "window"]), [""; 0]);
        assert_eq!(edges("dream", &["notes"]), [""; 0]);
        assert_eq!(edges("dream", &["notes", "history"]), ["crates/dream must not use history"]);
        assert_eq!(edges("notes", &["tests"]), ["crates/notes must not use tests"]);
        assert_eq!(edges("window", &["notes"]), ["crates/window must not use notes"]);
        assert_eq!(edges("new", &[]), ["crates/new: a new crate. say in xtask/src/tidy.rs which crates it may use"]);
    }

    #[test]
    fn each_rule_of_a_file_finds_its_breach() {
        let [to_do, _, _, _, ignore, shared] = NOWHERE.map(|(word, _)| word);
        let cases = [
            ("a.rs", "//! what\n".to_owned(), vec![]),
            ("a.rs", String::new(), vec!["a.rs:1: begin with a `//!` line that says what the file is for".to_owned()]),
            (
                "a.ts",
                "let a;".to_owned(),
                vec!["a.ts:1: begin with a `//` line that says what the file is for".to_owned()],
            ),
            ("a.md", format!("\n{to_do} x"), vec![format!("a.md:2: `{to_do}`: do it, or open an issue")]),
            ("a.rs", format!("//!\n{ignore}]"), vec![format!("a.rs:2: `{ignore}`: make the test run, or delete it")]),
            ("a.sh", shared.to_owned(), vec![format!("a.sh:1: `{shared}`: only .ci/run may name that folder")]),
            (".ci/run", shared.to_owned(), vec![]),
            (
                "crates/notes/src/a.rs",
                "//!\n/// println!(\nstd::env::var(\"A\")".to_owned(),
                vec![
                    "crates/notes/src/a.rs:3: `env::`: a leaf crate is handed what it needs, and prints nothing"
                        .to_owned(),
                ],
            ),
            ("crates/notes/tests/it/a.rs", "//!\nstd::env::var(\"A\")".to_owned(), vec![]),
        ];
        for (path, text, expected) in cases {
            assert_eq!(check_file(path, &text), expected, "{path}: {text}");
        }
    }

    #[test]
    fn the_host_comes_from_the_public_registry_only() {
        let lock = |address: &str| {
            let text = format!(
                r#"{{"packages":{{"":{{}},"node_modules/a":{{"resolved":"{address}","integrity":"sha512-x"}}}}}}"#
            );
            check_host_lock("lock", &text).len()
        };
        assert_eq!(lock("https://registry.npmjs.org/a/-/a-1.0.0.tgz"), 0);
        assert_eq!(lock("http://mirror.example/a/-/a-1.0.0.tgz"), 1);
        assert_eq!(check_host_lock("lock", "{}"), ["lock: it has no packages"]);
    }
}
