//! Lines of coloured segments, and how text is laid into them.

use serde::Serialize;

use super::visible::{cells, split_at_width, visible};

/// A run of text in one style.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Segment {
    /// The text; holds no control character.
    pub text: String,
    /// A colour name of the host's theme.
    pub color: &'static str,
    /// Whether the text is bold.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub bold: bool,
}

/// One line on the screen.
pub type Line = Vec<Segment>;

/// Text in one colour, made safe to show.
pub(super) fn plain(text: &str, color: &'static str) -> Segment {
    Segment { text: visible(text).into_owned(), color, bold: false }
}

/// The name of a tool, as the host draws it.
pub(super) fn title(text: &str) -> Segment {
    Segment { bold: true, ..plain(text, "toolTitle") }
}

/// The screen that lines are laid out for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Screen<'a> {
    pub(super) width: usize,
    pub(super) expanded: bool,
    /// The key that expands, as the person has it configured; may be empty.
    pub(super) expand_key: &'a str,
}

impl Screen<'_> {
    /// One line, cut with an ellipsis where it is too wide.
    pub(super) fn cut(&self, segments: Vec<Segment>) -> Line {
        let total: usize = segments.iter().map(|segment| width(&segment.text)).sum();
        if total <= self.width {
            return segments;
        }
        let mut room = self.width.saturating_sub(1);
        let mut line = Line::new();
        for mut segment in segments {
            let taken = width(&segment.text);
            if taken <= room {
                room -= taken;
                line.push(segment);
                continue;
            }
            let kept = split_at_width(&segment.text, room).0;
            // A wide character that does not fit the last cell is left out, not let through.
            let kept = if width(kept) <= room { kept.len() } else { 0 };
            segment.text.truncate(kept);
            if self.width > 0 {
                segment.text.push('…');
            }
            line.push(segment);
            break;
        }
        line
    }

    /// A text on as many lines as it takes.
    pub(super) fn wrapped(&self, text: &str, color: &'static str) -> Vec<Line> {
        let mut lines = Vec::new();
        for part in text.lines() {
            let part = visible(part);
            let mut rest = &*part;
            loop {
                let (line, behind) = split_at_width(rest, self.width);
                lines.push(self.cut(vec![plain(line, color)]));
                if behind.is_empty() {
                    break;
                }
                rest = behind;
            }
        }
        lines
    }

    /// Lines of text: the first `shown` of them, cut, until a person expands; then all of them, wrapped.
    pub(super) fn block<'t>(
        &self,
        texts: impl IntoIterator<Item = (&'t str, &'static str)>,
        shown: usize,
        unit: &str,
    ) -> Vec<Line> {
        let mut texts = texts.into_iter();
        if self.expanded {
            return texts.flat_map(|(text, color)| self.wrapped(non_empty(text), color)).collect();
        }
        let mut lines: Vec<Line> =
            texts.by_ref().take(shown).map(|(text, color)| self.cut(vec![plain(text, color)])).collect();
        lines.extend(self.hint(texts.count(), unit));
        lines
    }

    /// Says how much is hidden and how to see it.
    pub(super) fn hint(&self, hidden: usize, unit: &str) -> Option<Line> {
        let plural = if hidden == 1 { "" } else { "s" };
        let key = match self.expand_key {
            "" => String::new(),
            key => format!(" ({key} to expand)"),
        };
        (hidden > 0).then(|| self.cut(vec![plain(&format!("… {hidden} more {unit}{plural}{key}"), "muted")]))
    }
}

/// An empty line still takes a line.
fn non_empty(text: &str) -> &str {
    if text.is_empty() { " " } else { text }
}

fn width(text: &str) -> usize {
    text.chars().map(cells).sum()
}
