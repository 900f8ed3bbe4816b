//! Keeps measured figures in Markdown files: one row or one section each, replaced by its newest measurement.

use std::env;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::thread;

use anyhow::{Context, Result};

use crate::{root, tools};

/// Changes the Markdown file at `path`, relative to the root; it starts as `empty` where it is missing.
///
/// # Errors
/// When the file cannot be read or written.
pub(crate) fn update(path: &str, empty: &str, change: impl FnOnce(&str) -> String) -> Result<()> {
    let file = root().join(path);
    let text = match fs::read_to_string(&file) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => empty.to_owned(),
        Err(error) => return Err(error).with_context(|| format!("cannot read {}", file.display())),
    };
    fs::create_dir_all(file.parent().unwrap_or(Path::new("")))
        .with_context(|| format!("cannot create the folder of {path}"))?;
    fs::write(&file, change(&text)).with_context(|| format!("cannot write {}", file.display()))
}

/// Replaces the row of a table that begins with the first cell, or adds it behind the last row.
pub(crate) fn set_row(text: &str, cells: &[&str]) -> String {
    let cells: Vec<_> = cells.iter().map(|cell| cell.replace('|', "\\|").replace('\n', " ")).collect();
    let row = format!("| {} |", cells.join(" | "));
    let mut lines: Vec<_> = text.lines().collect();
    let key = format!("| {} |", cells[0]);
    match lines.iter().position(|line| line.starts_with(&key)) {
        Some(at) => lines[at] = &row,
        None => {
            let end = lines.iter().rposition(|line| line.starts_with('|')).map_or(lines.len(), |last| last + 1);
            lines.insert(end, &row);
        }
    }
    lines.join("\n") + "\n"
}

/// Replaces the body of the section with this heading, or adds the section at the end.
pub(crate) fn set_section(text: &str, heading: &str, body: &str) -> String {
    let heading = format!("## {heading}");
    let section = format!("{heading}\n\n{}\n", body.trim());
    let lines: Vec<_> = text.lines().collect();
    let Some(start) = lines.iter().position(|line| *line == heading) else {
        return format!("{}\n\n{section}", text.trim_end());
    };
    let after = lines[start + 1..].iter().position(|line| line.starts_with("## ")).map(|length| start + 1 + length);
    let before = lines[..start].iter().map(|line| format!("{line}\n"));
    let after = after.map_or(String::new(), |after| format!("\n{}\n", lines[after..].join("\n")));
    before.collect::<String>() + &section + &after
}

/// Where a figure was taken: cores, system and commit.
pub(crate) fn machine() -> String {
    let cores = thread::available_parallelism().map_or_else(|_| "?".to_owned(), |cores| cores.to_string());
    let git = |arguments: &[&str]| tools::GIT.command().args(arguments).current_dir(root()).output();
    let commit =
        git(&["rev-parse", "--short", "HEAD"]).map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    // The documents do not count: they change with every figure.
    let clean = git(&["diff", "--quiet", "HEAD", "--", ".", ":!docs"]).is_ok_and(|output| output.status.success());
    let changed = if clean { "" } else { " with changes" };
    format!("{cores} cores, {} {}, {}{changed}", env::consts::OS, env::consts::ARCH, commit.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_replaced_or_added() {
        let table = "# T\n\n| part | time |\n| --- | --- |\n| a | 1 s |\n| ab | 2 s |\n\nend\n";
        assert_eq!(set_row(table, &["a", "9 s"]), table.replace("1 s", "9 s"));
        assert_eq!(set_row(table, &["c", "x|y"]), table.replace("| ab | 2 s |\n", "| ab | 2 s |\n| c | x\\|y |\n"));
    }

    #[test]
    fn a_section_is_replaced_or_added() {
        let text = "# B\n\n## a\n\nold\nold\n\n## b\n\nkept\n";
        assert_eq!(set_section(text, "a", "new\n"), "# B\n\n## a\n\nnew\n\n## b\n\nkept\n");
        assert_eq!(set_section(text, "b", "new"), "# B\n\n## a\n\nold\nold\n\n## b\n\nnew\n");
        assert_eq!(set_section(text, "c", "new"), format!("{text}\n## c\n\nnew\n"));
        assert_eq!(set_section("# B\n", "a", "new"), "# B\n\n## a\n\nnew\n");
    }
}
