//! Line 65: on random sessions, walking the anchors shows what is expected, once and in order, whatever the limits; and
//! everything else that can be compared with the plain model.

use palimpsest_history::{Page, Role, Roles, Selection, Session, Verdict};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

use crate::model::{self, Event};
use crate::support::{Log, all, everything, figure};

/// One thing that happens in a session.
#[derive(Debug, Clone)]
enum Step {
    User(String),
    Assistant(Vec<String>, Vec<(u8, String)>),
    Result(u8, String),
    Bash(String, bool),
    Context(String),
    Compaction(String),
    Marker(u8),
    Other,
    /// On from an earlier entry.
    Go(prop::sample::Index),
}

/// How a reader goes through it.
#[derive(Debug, Clone)]
struct Walk {
    selection: Selection,
    window: Option<prop::sample::Index>,
    /// How much fits on a page, in code points of contents; the first item always does.
    room: usize,
    queries: Vec<String>,
}

fn text() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "", "a", "B", "output", "é", "e\u{301}", "\u{212a}", "k", "中", "😀", "\"", "\\", "/", "\n", "{", "[1,2]",
        "\u{1b}", "ſ", "needle", "NEEDLE ", " ", "bash", "content", "ß",
    ]);
    prop::collection::vec(word, 0..6).prop_map(|words| words.concat())
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => text().prop_map(Step::User),
        4 => (prop::collection::vec(text(), 0..3), prop::collection::vec((0..6_u8, text()), 0..3))
            .prop_map(|(texts, calls)| Step::Assistant(texts, calls)),
        4 => (0..6_u8, text()).prop_map(|(call, text)| Step::Result(call, text)),
        1 => (text(), any::<bool>()).prop_map(|(text, excluded)| Step::Bash(text, excluded)),
        1 => text().prop_map(Step::Context),
        1 => text().prop_map(Step::Compaction),
        1 => (0..3_u8).prop_map(Step::Marker),
        1 => Just(Step::Other),
        1 => any::<prop::sample::Index>().prop_map(Step::Go),
    ]
}

fn walk() -> impl Strategy<Value = Walk> {
    let roles = prop::option::of(prop::collection::vec(prop::sample::select(Role::ALL.to_vec()), 1..4));
    let bound = || prop::option::weighted(0.2, 0..40_u64);
    let queries = prop::collection::vec(text().prop_filter("a query", |text| !text.is_empty()), 1..3);
    (
        roles,
        bound(),
        bound(),
        prop::option::weighted(0.3, any::<prop::sample::Index>()),
        1..6_usize,
        1..20_usize,
        1..60_usize,
        queries,
    )
        .prop_map(|(roles, before, after, window, limit, max_chars, room, queries)| {
            let roles = roles.map(|roles| roles.into_iter().collect::<Roles>());
            let selection = Selection { roles, before, after, window: None, limit, max_chars };
            Walk { selection, window, room, queries }
        })
}

#[test]
fn anchors_show_everything_once() {
    let config = config();
    let cases = config.cases;
    let mut runner = TestRunner::new(config);
    let result = runner.run(&(prop::collection::vec(step(), 0..40), walk()), |(steps, mut walk)| {
        let log = write(&steps);
        let text = log.text();
        let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("json")).collect();
        let events = model::events(&lines);
        let session = Session::from_entries(&text);
        prop_assert_eq!(&told(&session), &events);

        walk.selection.window = walk.window.map(|window| {
            let windows = session.windows();
            windows[window.index(windows.len())].id.clone()
        });
        let expected = model::visible(&events, &walk.selection, true);
        check(&walk, &expected, Some(&events), |selection, fits| session.list_while(selection, fits).expect("list"))?;
        let mut expected = model::visible(&events, &walk.selection, false);
        let composed = |event: &Event| unicode_normalization::is_nfc(&event.text);
        if events.iter().all(composed) {
            expected.retain(|event| model::position(&event.text, &walk.queries).is_some());
            check(&walk, &expected, None, |selection, fits| {
                session.search_while(&walk.queries, selection, fits).expect("search")
            })?;
        }
        for event in &events {
            let slice = session.read(event.seq, 2, 3).ok();
            let expected: String = event.text.chars().skip(2).take(3).collect();
            let short = event.text.chars().count() < 2;
            prop_assert_eq!(slice.map(|slice| slice.text), (!short).then_some(expected));
        }
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
    figure(&format!("{cases} random sessions, paged both ways by list and by search, all pages as expected"));
}

/// Appending a session in pieces, with the leaf at any entry, tells what reading it at once tells.
#[test]
fn pieces_tell_the_same() {
    let steps = prop::collection::vec(step(), 1..40);
    let mut runner = TestRunner::new(config());
    let result = runner.run(&(steps, prop::collection::vec(any::<prop::sample::Index>(), 1..20)), |(steps, leaves)| {
        let text = write(&steps).text();
        let lines: Vec<&str> = text.lines().collect();
        let mut growing = Session::from_entries(lines[0]);
        for (at, leaf) in (1..lines.len()).zip(leaves.iter().cycle()) {
            growing.append(lines[at]);
            let leaf = format!("e{}", 1 + leaf.index(at));
            let mut whole = Session::from_entries(&lines[..=at].join("\n"));
            for session in [&mut growing, &mut whole] {
                session.set_leaf(palimpsest_history::Leaf::Entry(&leaf)).expect("it exists");
            }
            prop_assert_eq!(all(&growing), all(&whole));
            prop_assert_eq!(growing.windows(), whole.windows());
            // And back to where it grows.
            growing.set_leaf(palimpsest_history::Leaf::Last).expect("always");
        }
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
}

/// As many cases as asked for; a failure shows its input, which is small.
fn config() -> Config {
    Config { failure_persistence: None, ..Config::default() }
}

fn write(steps: &[Step]) -> Log {
    let mut log = Log::new();
    let mut entries = 0;
    for step in steps {
        entries += 1;
        match step {
            Step::User(text) => log.user(text),
            Step::Assistant(texts, calls) => {
                let texts = texts.iter().map(|text| json!({"type": "text", "text": text}));
                let calls = calls.iter().map(|(id, text)| {
                    json!({"type": "toolCall", "id": format!("c{id}"), "name": format!("t{}", id % 3),
                        "arguments": {"z": text, "a": [1, null, {}]}})
                });
                let parts: Vec<Value> = texts.chain(calls).collect();
                log.message(json!({"role": "assistant", "content": parts}))
            }
            Step::Result(call, text) => log.result(&format!("c{call}"), &format!("t{}", call % 3), text),
            Step::Bash(text, excluded) => log.message(json!({
                "role": "bashExecution", "command": text, "output": text, "exitCode": 0, "excludeFromContext": excluded
            })),
            Step::Context(text) => log.context(text),
            Step::Compaction(text) => log.entry(json!({"type": "compaction", "summary": text})),
            Step::Marker(window) => log.marker(&format!("w{window}")),
            Step::Other => log.entry(json!({"type": "model_change", "modelId": "x"})),
            Step::Go(place) => {
                entries -= 1;
                if entries > 0 {
                    log.go(&format!("e{}", 1 + place.index(entries)));
                }
                continue;
            }
        };
    }
    log
}

fn told(session: &Session) -> Vec<Event> {
    let event = |item: palimpsest_history::Item| Event {
        seq: item.seq,
        window: item.window_id,
        role: item.role,
        tool: item.tool.map(|tool| tool.name),
        text: item.content,
    };
    all(session).into_iter().map(event).collect()
}

/// Walks all pages of a selection and compares them with what should be on them.
fn check(
    walk: &Walk,
    expected: &[&Event],
    folding: Option<&[Event]>,
    mut ask: impl FnMut(&Selection, &mut dyn FnMut(&Page) -> Verdict) -> Page,
) -> Result<(), TestCaseError> {
    let mut selection = walk.selection.clone();
    let forward = selection.after.is_some();
    let mut shown = Vec::new();
    let mut folds = Vec::new();
    loop {
        let mut full = false;
        let page = ask(&selection, &mut |page| {
            let used: usize = page.items.iter().map(|item| item.content.chars().count()).sum();
            full = used > walk.room;
            match (full, page.items.len()) {
                (false, _) => Verdict::Keep,
                (true, 1) => Verdict::KeepAndStop,
                (true, _) => Verdict::Stop,
            }
        });
        prop_assert!(page.items.len() <= selection.limit);
        prop_assert!(page.items.iter().is_sorted_by_key(|item| item.seq));
        prop_assert!(page.folds.iter().is_sorted_by_key(|fold| fold.first_seq));
        for item in &page.items {
            let event = expected.iter().find(|event| event.seq == item.seq);
            let event = event.ok_or_else(|| TestCaseError::fail(format!("{} should not be shown", item.seq)))?;
            let start = item.offset_chars.unwrap_or(0);
            let content: String = event.text.chars().skip(start).take(selection.max_chars).collect();
            prop_assert_eq!(&item.content, &content);
            prop_assert_eq!(item.total_chars, event.text.chars().count());
            prop_assert_eq!(item.truncated, content.len() < event.text.len());
            if folding.is_none() {
                prop_assert_eq!(item.offset_chars, model::position(&event.text, &walk.queries));
            }
        }
        let seqs = page.items.iter().map(|item| item.seq);
        if forward {
            shown.extend(seqs);
            prop_assert_eq!(page.older_before, None);
        } else {
            shown.splice(0..0, seqs);
            prop_assert_eq!(page.newer_after, None);
        }
        folds.extend(page.folds);
        match (page.older_before, page.newer_after) {
            (None, None) => break,
            (Some(before), _) => selection.before = Some(before),
            (_, Some(after)) => selection.after = Some(after),
        }
        // A page that is not the last is full.
        prop_assert!(full || page.items.len() == selection.limit);
    }
    prop_assert_eq!(shown, expected.iter().map(|event| event.seq).collect::<Vec<_>>());
    match folding.filter(|_| walk.selection.roles.is_none()) {
        Some(events) => prop_assert_eq!(model::unfolded(folds.iter()), model::folded(events, &walk.selection)),
        None => prop_assert!(folds.is_empty()),
    }
    // Without a limit it is one page.
    let whole = Selection { limit: usize::MAX, ..walk.selection.clone() };
    let page = ask(&Selection { max_chars: everything().max_chars, ..whole }, &mut |_| Verdict::Keep);
    prop_assert_eq!(page.items.len(), expected.len());
    Ok(())
}
