//! The programs that must be on the machine: looked for, named with the remedy, installed where that is ours to do.

use std::env;
use std::process::{Command, Stdio};

use anyhow::{Result, bail};

use crate::step;

/// A program and how to get it.
pub(crate) struct Tool {
    program: &'static str,
    needed_for: &'static str,
    debian_package: &'static str,
    elsewhere: &'static str,
}

pub(crate) const GIT: Tool = Tool {
    program: "git",
    needed_for: "to list the files of the project and to test with",
    debian_package: "git",
    elsewhere: "https://git-scm.com",
};

pub(crate) const C_COMPILER: Tool = Tool {
    program: "cc",
    needed_for: "to link Rust programs",
    debian_package: "gcc",
    elsewhere: "the compiler of your system, such as gcc or clang",
};

pub(crate) const NPM: Tool = Tool {
    program: if cfg!(windows) { "npm.cmd" } else { "npm" },
    needed_for: "to install Pi and its Node below target/",
    debian_package: "npm",
    elsewhere: "Node.js 20 or newer with its npm, https://nodejs.org",
};

pub(crate) const RIPGREP: Tool = Tool {
    program: "rg",
    needed_for: "to compare speed with",
    debian_package: "ripgrep",
    elsewhere: "https://github.com/BurntSushi/ripgrep",
};

/// Makes sure that every tool is there: as root in CI missing Debian packages are installed, elsewhere they are named.
///
/// # Errors
/// Names each missing tool, what it is needed for and how to get it.
pub(crate) fn need(tools: &[&Tool]) -> Result<()> {
    let missing: Vec<_> = tools.iter().filter(|tool| !tool.is_there()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    if may_install(env::var("CI").ok().as_deref(), is_root()) {
        let packages = missing.iter().map(|tool| tool.debian_package);
        apt_get("refreshing the list of Debian packages", ["update"])?;
        let install = ["install", "--yes", "--no-install-recommends"];
        apt_get("installing Debian packages", install.into_iter().chain(packages))?;
    }
    let remedies: Vec<_> = missing.iter().filter(|tool| !tool.is_there()).map(|tool| tool.remedy()).collect();
    if !remedies.is_empty() {
        bail!("{}", remedies.join("\n       "));
    }
    Ok(())
}

impl Tool {
    /// A command that starts this tool.
    pub(crate) fn command(&self) -> Command {
        Command::new(self.program)
    }

    /// Whether the tool can be started.
    pub(crate) fn is_there(&self) -> bool {
        // Whatever it answers to the argument: all that counts is that it starts.
        self.command()
            .arg("--version")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok()
    }

    fn remedy(&self) -> String {
        let Self { program, needed_for, debian_package, elsewhere } = self;
        format!(
            "{program} is missing: it is needed {needed_for}. \
             install it (Debian, Ubuntu: apt-get install {debian_package}; elsewhere: {elsewhere}) and run the command again"
        )
    }
}

/// Packages are installed only where nobody is asked: as root, with `CI` set and not switched off.
fn may_install(ci: Option<&str>, root: bool) -> bool {
    root && !matches!(ci, None | Some("" | "0" | "false"))
}

fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

fn apt_get<'a>(what: &str, arguments: impl IntoIterator<Item = &'a str>) -> Result<()> {
    step::run(what, Command::new("apt-get").args(arguments).env("DEBIAN_FRONTEND", "noninteractive"))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_installed_only_as_root_in_ci() {
        let cases = [
            (Some("true"), true, true),
            (Some("1"), true, true),
            (Some("true"), false, false),
            (Some("0"), true, false),
            (Some("false"), true, false),
            (Some(""), true, false),
            (None, true, false),
        ];
        for (ci, root, expected) in cases {
            assert_eq!(may_install(ci, root), expected, "CI={ci:?}, root {root}");
        }
    }

    #[test]
    fn a_missing_tool_is_named_with_its_remedy() {
        let tool = Tool {
            program: "no-such-program",
            needed_for: "to test this",
            debian_package: "a-package",
            elsewhere: "a place",
        };
        assert!(!tool.is_there());
        assert_eq!(
            tool.remedy(),
            "no-such-program is missing: it is needed to test this. install it (Debian, Ubuntu: apt-get install a-package; \
             elsewhere: a place) and run the command again"
        );
    }
}
