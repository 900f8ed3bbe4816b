//! Cargo as xtask calls it, and what it says about the workspace and about what it built.

use std::env;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::{root, step};

/// `cargo`, started in the root of the workspace.
pub(crate) fn cargo<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(root());
    command
}

/// Downloads the crates of the lock file, so that a failing network shows here, once, with its remedy.
///
/// # Errors
/// When crates.io cannot be reached.
pub(crate) fn fetch() -> Result<()> {
    step::with_remedy(
        step::run("fetching crates", &mut cargo(["fetch"])).map(drop),
        "check that crates.io can be reached, and run the command again",
    )
}

/// A package of this workspace and the packages that its manifest names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Member {
    pub(crate) name: String,
    pub(crate) folder: PathBuf,
    /// Packages of this workspace.
    pub(crate) uses: Vec<String>,
    /// Packages of others.
    pub(crate) depends_on: Vec<String>,
}

/// The packages of this workspace, by name.
///
/// # Errors
/// When cargo cannot read the manifests.
pub(crate) fn members() -> Result<Vec<Member>> {
    let output =
        cargo(["metadata", "--no-deps", "--format-version=1"]).output().context("cannot start `cargo metadata`")?;
    let metadata: Value = serde_json::from_slice(&output.stdout)
        .with_context(|| format!("`cargo metadata` failed: {}", String::from_utf8_lossy(&output.stderr)))?;
    let mut members: Vec<_> = array(&metadata["packages"]).filter_map(member).collect();
    members.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(members)
}

fn member(package: &Value) -> Option<Member> {
    let manifest = PathBuf::from(package["manifest_path"].as_str()?);
    // Only a package of this workspace is named by a path.
    let (own, foreign): (Vec<_>, Vec<_>) =
        array(&package["dependencies"]).partition(|dependency| dependency["path"].is_string());
    let names = |dependencies: Vec<&Value>| {
        let names = dependencies.into_iter().filter_map(|dependency| dependency["name"].as_str());
        names.map(str::to_owned).collect()
    };
    Some(Member {
        name: package["name"].as_str()?.to_owned(),
        folder: manifest.parent()?.to_owned(),
        uses: names(own),
        depends_on: names(foreign),
    })
}

/// Builds with cargo and returns the file that `target` became: an executable, or the shared library of a cdylib.
///
/// # Errors
/// When the build fails, or builds no such file.
pub(crate) fn build(what: &str, target: &str, arguments: &[&str]) -> Result<PathBuf> {
    let mut command = cargo(["build", "--message-format=json-render-diagnostics"]);
    let messages = step::run(what, command.args(arguments))?;
    messages
        .iter()
        .filter_map(|line| serde_json::from_str(line).ok())
        .filter(|message: &Value| message["reason"] == "compiler-artifact" && message["target"]["name"] == target)
        .find_map(|message| built_file(&message))
        .with_context(|| format!("{what}: cargo built no `{target}`"))
}

fn built_file(message: &Value) -> Option<PathBuf> {
    if let Some(executable) = message["executable"].as_str() {
        return Some(executable.into());
    }
    let mut files = array(&message["filenames"]).filter_map(Value::as_str).map(PathBuf::from);
    files.find(|file| file.extension().is_some_and(|extension| extension == env::consts::DLL_EXTENSION))
}

fn array(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_executable_or_a_shared_library_is_what_was_built() {
        let library = format!("/t/libx.{}", env::consts::DLL_EXTENSION);
        let cases = [
            (r#"{"executable":"/t/demo","filenames":["/t/demo"]}"#.to_owned(), Some("/t/demo")),
            (format!(r#"{{"executable":null,"filenames":["/t/libx.rlib","{library}"]}}"#), Some(library.as_str())),
            (r#"{"executable":null,"filenames":["/t/libx.rlib"]}"#.to_owned(), None),
        ];
        for (message, expected) in cases {
            assert_eq!(built_file(&serde_json::from_str(&message).unwrap()), expected.map(PathBuf::from));
        }
    }

    #[test]
    fn this_package_is_a_member_without_edges() {
        let members = members().unwrap();
        let xtask = members.iter().find(|member| member.name == "xtask");
        let expected = Member {
            name: "xtask".into(),
            folder: root().join("xtask"),
            uses: Vec::new(),
            depends_on: ["anyhow", "clap", "serde_json", "tempfile"].map(str::to_owned).to_vec(),
        };
        assert_eq!(xtask, Some(&expected));
    }
}
