//! Pages of session history: events and folds in order of seq, anchors, and what is said of other sessions.

use std::borrow::Cow;

use palimpsest_history::{Fold, Item, Page};
use serde::{Serialize, Serializer};

use super::{
    BUDGET, Delivery, fits, is_false, is_zero, largest,
    truncate::{middle_truncated, prefix},
};

/// Tool names in one fold row.
const FOLD_TOOLS: usize = 20;

/// The longest tool name in a fold row, in code points.
const FOLD_TOOL_NAME: usize = 120;

/// Names of unavailable sessions in one answer.
const UNAVAILABLE: usize = 20;

/// One row of a page.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
enum Row<'a> {
    Event(EventRow<'a>),
    Fold(FoldRow<'a>),
}

/// One event, or the beginning of it.
#[derive(Debug, Clone, Serialize)]
struct EventRow<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<&'a str>,
    seq: u64,
    window_id: &'a str,
    role: &'static str,
    created_at: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "is_false")]
    output_truncated: bool,
    /// Present, and then null where there is no path, if the output was cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    full_output_path: Option<Option<&'a str>>,
    #[serde(skip_serializing_if = "is_false")]
    tool_error: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_status: Option<&'static str>,
    truncated: bool,
    total_chars: usize,
    content: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    offset_chars: Option<usize>,
}

/// A run of events that are not shown.
#[derive(Debug, Clone, Serialize)]
struct FoldRow<'a> {
    folded: bool,
    first_seq: u64,
    last_seq: u64,
    count: u64,
    #[serde(serialize_with = "as_map")]
    tools: Vec<(&'a str, u64)>,
    #[serde(skip_serializing_if = "is_zero")]
    omitted_tools: usize,
}

/// An answer made of events and folds.
#[derive(Debug, Clone, Serialize)]
pub struct HistoryPage<'a> {
    items: Vec<Row<'a>>,
    older_before: Option<u64>,
    newer_after: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sessions_more: Option<usize>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    sessions_unavailable: &'a [String],
    #[serde(skip_serializing_if = "is_zero")]
    sessions_unavailable_more: usize,
}

impl<'a> HistoryPage<'a> {
    /// A page of one session, with the anchors that the page has; `session_id` names it in every event.
    pub fn of(page: &'a Page, session_id: Option<&'a str>) -> HistoryPage<'a> {
        let (older_before, newer_after) = (page.older_before, page.newer_after);
        HistoryPage { older_before, newer_after, ..HistoryPage::across([(session_id, page)]) }
    }

    /// The pages of several sessions, one after the other; nothing to page on with.
    pub fn across(pages: impl IntoIterator<Item = (Option<&'a str>, &'a Page)>) -> HistoryPage<'a> {
        HistoryPage {
            items: pages.into_iter().flat_map(|(session_id, page)| rows(page, session_id)).collect(),
            older_before: None,
            newer_after: None,
            sessions_more: None,
            sessions_unavailable: &[],
            sessions_unavailable_more: 0,
        }
    }

    /// The same page, with a count of the sessions that have more hits and the names of those that could not be
    /// searched: as many names as fit.
    #[must_use]
    pub fn with_others(self, sessions_more: usize, unavailable: &'a [String]) -> HistoryPage<'a> {
        let with = |named: usize| HistoryPage {
            sessions_more: Some(sessions_more),
            sessions_unavailable: &unavailable[..named],
            sessions_unavailable_more: unavailable.len() - named,
            ..self.clone()
        };
        let most = unavailable.len().min(UNAVAILABLE);
        with(largest(most, |named| with(named).fits()).unwrap_or(0))
    }

    /// Whether the page fits the budget.
    pub fn fits(&self) -> bool {
        fits(self)
    }

    /// The page as an answer. Where it does not fit, its first event is shrunk; `output_too_large` where that is not
    /// enough.
    pub fn deliver(mut self) -> Delivery {
        let first = self.items.iter().position(|row| matches!(row, Row::Event(_)));
        if let Some(at) = first
            && !self.fits()
            && let Row::Event(event) = self.items[at].clone()
        {
            let event = event.shrunk(&|event| {
                let mut page = self.clone();
                page.items[at] = Row::Event(event.clone());
                page.fits()
            });
            self.items[at] = Row::Event(event);
        }
        Delivery::json(&self)
    }
}

impl EventRow<'_> {
    /// The event with the longest beginning of its content that fits; else with a shorter tool name; else with both.
    fn shrunk(&self, fits: &dyn Fn(&Self) -> bool) -> Self {
        let with_content = |keep: usize| {
            let content = prefix(self.content, keep);
            EventRow { content, truncated: self.truncated || content.len() < self.content.len(), ..self.clone() }
        };
        // More code points than the budget has bytes never fit, so a huge text is not counted in full.
        let countable = self.content.chars().take(BUDGET + 1).count();
        if let Some(kept) = largest(countable, |keep| fits(&with_content(keep))) {
            return with_content(kept);
        }
        let name = self.tool.as_deref().unwrap_or_default();
        let with_name = |row: &Self, keep: usize| {
            let tool = row.tool.is_some().then(|| Cow::Owned(middle_truncated(name, keep)));
            EventRow { tool, ..row.clone() }
        };
        for row in [self.clone(), with_content(0)] {
            if let Some(kept) = largest(name.chars().count(), |keep| fits(&with_name(&row, keep))) {
                return with_name(&row, kept);
            }
        }
        with_name(&with_content(0), 0)
    }
}

/// The rows of a page, in order of seq.
fn rows<'a>(page: &'a Page, session_id: Option<&'a str>) -> Vec<Row<'a>> {
    let mut folds = page.folds.iter().peekable();
    let mut rows = Vec::with_capacity(page.items.len() + page.folds.len());
    for item in &page.items {
        while let Some(fold) = folds.next_if(|fold| fold.first_seq < item.seq) {
            rows.push(Row::Fold(fold_row(fold)));
        }
        rows.push(Row::Event(event_row(item, session_id)));
    }
    rows.extend(folds.map(|fold| Row::Fold(fold_row(fold))));
    rows
}

fn event_row<'a>(item: &'a Item, session_id: Option<&'a str>) -> EventRow<'a> {
    let tool = item.tool.as_ref();
    let cut = tool.and_then(|tool| tool.cut_output.as_ref());
    EventRow {
        session_id,
        seq: item.seq,
        window_id: &item.window_id,
        role: item.role.as_str(),
        created_at: item.created_at.as_deref(),
        tool: tool.map(|tool| Cow::Borrowed(tool.name.as_str())),
        output_truncated: cut.is_some(),
        full_output_path: cut.map(|cut| cut.full_output_path.as_deref()),
        tool_error: tool.is_some_and(|tool| tool.error),
        tool_status: tool.map(|tool| tool.status.as_str()),
        truncated: item.truncated,
        total_chars: item.total_chars,
        content: &item.content,
        offset_chars: item.offset_chars,
    }
}

fn fold_row(fold: &Fold) -> FoldRow<'_> {
    let short = |name: &str| name.chars().nth(FOLD_TOOL_NAME).is_none();
    let tools: Vec<(&str, u64)> = fold
        .tools
        .iter()
        .filter(|(name, _)| short(name))
        .take(FOLD_TOOLS)
        .map(|(name, count)| (name.as_str(), *count))
        .collect();
    FoldRow {
        folded: true,
        first_seq: fold.first_seq,
        last_seq: fold.last_seq,
        count: fold.count,
        omitted_tools: fold.tools.len() - tools.len(),
        tools,
    }
}

fn as_map<S: Serializer>(tools: &[(&str, u64)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(tools.iter().copied())
}
