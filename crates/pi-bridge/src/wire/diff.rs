//! The line diff that `notes_edit` answers with.

use std::fmt::Write;
use std::time::{Duration, Instant};

use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};

/// Unchanged lines shown on each side of a change.
const CONTEXT: usize = 4;

/// After this long the diff need not be the shortest one: two megabyte bodies without a common line would take minutes.
const PATIENCE: Duration = Duration::from_millis(500);

/// The difference between two texts, line by line; empty where there is none.
///
/// Each line is a sign (`-`, `+`, blank), the line number (old for removals and context, new for additions), a
/// space and the line. A line includes its terminator, so a final newline that comes or goes is a change.
///
/// ```
/// use palimpsest_pi_bridge::line_diff;
/// assert_eq!(line_diff("a\nb\n", "a\nc\n"), " 1 a\n-2 b\n+2 c");
/// ```
pub fn line_diff(before: &str, after: &str) -> String {
    let old: Vec<&str> = before.split_inclusive('\n').collect();
    let new: Vec<&str> = after.split_inclusive('\n').collect();
    let ops = capture_diff_slices_deadline(Algorithm::Myers, &old, &new, Some(Instant::now() + PATIENCE));
    let mut out = Lines { width: count(before).max(count(after)).to_string().len(), text: String::new() };

    let mut at = 0;
    while at < ops.len() {
        let end = at + ops[at..].iter().take_while(|op| !is_equal(op)).count();
        for (number, line) in ops[at..end].iter().flat_map(|op| op.old_range()).map(|n| (n, old[n])) {
            out.line('-', number, line);
        }
        for (number, line) in ops[at..end].iter().flat_map(|op| op.new_range()).map(|n| (n, new[n])) {
            out.line('+', number, line);
        }
        let Some(equal) = ops.get(end) else { break };
        let range = equal.old_range();
        let (first, last) = (end == 0, end + 1 == ops.len());
        let lead = if first { 0 } else { CONTEXT.min(range.len()) };
        let trail = if last { 0 } else { CONTEXT.min(range.len() - lead) };
        let context = |numbers: std::ops::Range<usize>, out: &mut Lines| {
            for number in numbers {
                out.line(' ', number, old[number]);
            }
        };
        // A text without any change has one equal run and nothing to show beside it.
        if ops.len() > 1 {
            context(range.start..range.start + lead, &mut out);
            if range.len() > lead + trail {
                out.elision();
            }
            context(range.end - trail..range.end, &mut out);
        }
        at = end + 1;
    }
    out.text
}

fn is_equal(op: &DiffOp) -> bool {
    matches!(op, DiffOp::Equal { .. })
}

fn count(text: &str) -> usize {
    text.matches('\n').count() + 1
}

/// The output so far, and the width that line numbers are padded to.
struct Lines {
    width: usize,
    text: String,
}

impl Lines {
    fn line(&mut self, sign: char, index: usize, line: &str) {
        let line = line.strip_suffix('\n').unwrap_or(line);
        let width = self.width;
        self.start();
        // Writing to a string cannot fail.
        let _ = write!(self.text, "{sign}{:>width$} {line}", index + 1);
    }

    fn elision(&mut self) {
        let width = self.width;
        self.start();
        let _ = write!(self.text, " {:width$} ...", "");
    }

    fn start(&mut self) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
    }
}
