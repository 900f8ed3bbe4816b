//! What a branch says about windows.

use palimpsest_window::*;

const ROOT: &str = "pcw:01987a2f:root";

fn branch(kinds: &[EntryKind]) -> Branch {
    let mut branch = Branch::new("01987a2f-7c11", 0);
    for (at, kind) in kinds.iter().enumerate() {
        branch.push(Entry { id: format!("e{at}"), at: at as i64, kind: kind.clone() });
    }
    branch
}

fn marker(id: &str) -> EntryKind {
    EntryKind::Custom { tag: MARKER_TAG.into(), window_id: Some(id.into()) }
}

fn invalid_marker() -> EntryKind {
    EntryKind::Custom { tag: MARKER_TAG.into(), window_id: None }
}

fn said(tag: Tag, display: bool, window: Option<&str>) -> EntryKind {
    EntryKind::CustomMessage { tag: tag.as_str().into(), display, window_id: window.map(Into::into) }
}

fn boot(id: &str) -> EntryKind {
    said(Tag::Boot, false, Some(id))
}

fn continuation() -> EntryKind {
    said(Tag::Continuation, false, None)
}

fn foreign() -> EntryKind {
    EntryKind::CustomMessage { tag: "other".into(), display: true, window_id: None }
}

/// A checkpoint that an earlier product may have written: it names no window.
fn bare_checkpoint() -> Compaction {
    Compaction { empty: true, keeps_itself: true, ..Compaction::default() }
}

fn checkpoint(id: &str) -> Compaction {
    Compaction {
        by: Some("pi-context".into()),
        window_id: Some(id.into()),
        cause: Some("tool".into()),
        ..bare_checkpoint()
    }
}

fn cut(compaction: Compaction) -> EntryKind {
    EntryKind::Compaction(compaction)
}

/// A1: the session's first eight UTF-16 units; never half a character.
#[test]
fn root_ids() {
    for (session, id) in [
        ("01987a2f-7c11", ROOT),
        ("short", "pcw:short:root"),
        ("", "pcw::root"),
        ("12345678", "pcw:12345678:root"),
        ("1234567é9", "pcw:1234567é:root"),
        ("1234567\u{1f600}9", "pcw:1234567:root"),
        ("123456\u{1f600}9", "pcw:123456\u{1f600}:root"),
    ] {
        assert_eq!(Branch::new(session, 0).root_id(), id);
    }
}

/// A3, A4: markers, the current window and the one before; ids need no form of ours.
#[test]
fn windows_of_a_branch() {
    let check = |kinds: &[EntryKind], current: &str, previous: Option<&str>, ordinal: usize| {
        let branch = branch(kinds);
        assert_eq!((branch.window_id(), branch.previous_id(), branch.ordinal()), (current, previous, ordinal));
        assert_eq!(branch.is_root(), ordinal == 1);
        assert_eq!(branch.windows().count(), ordinal);
        assert_eq!(branch.ordinal_of(current), Some(ordinal));
    };
    check(&[], ROOT, None, 1);
    check(&[invalid_marker(), marker("")], ROOT, None, 1);
    check(&[EntryKind::Custom { tag: "other".into(), window_id: Some("x".into()) }], ROOT, None, 1);
    check(&[marker("any form")], "any form", Some(ROOT), 2);
    check(&[marker("a"), EntryKind::User, marker("b"), invalid_marker()], "b", Some("a"), 3);
    let branch = branch(&[marker("a"), marker("b")]);
    assert_eq!(["a", "b", "c", ROOT].map(|id| branch.ordinal_of(id)), [Some(2), Some(3), None, Some(1)]);
}

/// A4, C6, G4.1: whether a window holds a message of ours; siblings and other windows do not count.
#[test]
fn messages_of_a_window() {
    let branch = branch(&[
        said(Tag::Guidance, false, None),
        marker("a"),
        said(Tag::Warning, false, None),
        EntryKind::User,
        marker("b"),
        foreign(),
    ]);
    assert!(Tag::ALL.iter().all(|tag| !branch.holds(*tag)));
    for (window, tag, holds) in [
        (ROOT, Tag::Guidance, true),
        (ROOT, Tag::Warning, false),
        ("a", Tag::Warning, true),
        ("a", Tag::Guidance, false),
        ("b", Tag::Warning, false),
        ("elsewhere", Tag::Warning, false),
    ] {
        assert_eq!(branch.window_holds(window, tag), holds, "{window} {tag:?}");
    }
}

/// A5, G3.15: what backs a marker.
#[test]
fn checkpoints_behind_markers() {
    let check = |kinds: &[EntryKind], backed: bool| {
        let branch = branch(kinds);
        assert_eq!(branch.checkpoint_backed(), backed, "{kinds:?}");
    };
    check(&[], false);
    check(&[marker("a")], false);
    check(&[cut(bare_checkpoint()), marker("a")], true);
    check(&[cut(checkpoint("a")), marker("a")], true);
    check(&[cut(checkpoint("b")), marker("a")], true);
    check(&[cut(checkpoint("a")), EntryKind::Metadata, invalid_marker(), marker("a")], true);
    check(&[cut(bare_checkpoint()), EntryKind::Metadata, marker("a")], false);
    check(&[cut(checkpoint("b")), EntryKind::Metadata, marker("a")], false);
    check(&[cut(Compaction { by: Some("x".into()), ..checkpoint("a") }), EntryKind::Metadata, marker("a")], false);
    check(&[cut(checkpoint("a")), foreign(), marker("a")], false);
    check(&[cut(checkpoint("a")), marker("b"), marker("a")], false);
    check(&[cut(Compaction { empty: false, ..checkpoint("a") }), marker("a")], false);
    check(&[cut(Compaction { keeps_itself: false, ..checkpoint("a") }), marker("a")], false);
    check(&[cut(checkpoint("a")), marker("a"), EntryKind::User, cut(Compaction::default())], true);
}

/// A4: a checkpoint that waits for its window.
#[test]
fn open_checkpoints() {
    let open = |kinds: &[EntryKind]| {
        branch(kinds).open_checkpoint().map(|open| (open.entry.to_owned(), open.window.to_owned()))
    };
    let at = |at: usize, window: &str| Some((format!("e{at}"), window.to_owned()));
    assert_eq!(open(&[]), None);
    assert_eq!(open(&[cut(checkpoint("a"))]), at(0, "a"));
    assert_eq!(open(&[EntryKind::User, cut(checkpoint("a")), EntryKind::Metadata, invalid_marker()]), at(1, "a"));
    assert_eq!(open(&[marker("b"), cut(checkpoint("a"))]), at(1, "a"));
    for closed in [
        vec![cut(checkpoint("a")), marker("a")],
        vec![marker("a"), cut(checkpoint("a"))],
        vec![cut(checkpoint("a")), EntryKind::User],
        vec![cut(checkpoint("a")), foreign()],
        vec![cut(checkpoint("a")), EntryKind::BranchSummary],
        vec![cut(checkpoint("a")), marker("b")],
        vec![cut(checkpoint(""))],
        vec![cut(bare_checkpoint())],
        vec![cut(Compaction { by: Some("other".into()), ..checkpoint("a") })],
        vec![cut(Compaction { empty: false, ..checkpoint("a") })],
        vec![cut(Compaction { keeps_itself: false, ..checkpoint("a") })],
    ] {
        assert_eq!(open(&closed), None, "{closed:?}");
    }
    let data = Compaction { data: Some("{\"v\": 1}".into()), ..checkpoint("a") };
    let branch = branch(&[cut(data)]);
    let expected = OpenCheckpoint { entry: "e0", window: "a", cause: Some("tool"), data: Some("{\"v\": 1}") };
    assert_eq!(branch.open_checkpoint(), Some(expected));
}

/// A6, A7, G3.13: confirmation survives later conversation, repair refuses it; a bare marker is never confirmed.
#[test]
fn confirmation_and_repair() {
    let check = |behind: &[EntryKind], committed: bool, tail: Option<(bool, bool)>| {
        let mut kinds = vec![EntryKind::User, cut(checkpoint("a")), marker("a")];
        kinds.extend_from_slice(behind);
        let ours = branch(&kinds);
        let tail = tail.map(|(boot, continuation)| Tail { boot, continuation });
        assert_eq!((ours.committed("a"), ours.tail()), (committed, tail), "{behind:?}");
        assert!(!ours.committed("b") && !ours.committed(ROOT));
        kinds.remove(1);
        assert_eq!((branch(&kinds).committed("a"), branch(&kinds).tail()), (false, tail), "legacy {behind:?}");
    };
    let shown = |tag, window| said(tag, true, window);
    check(&[], false, Some((false, false)));
    check(&[boot("a")], false, Some((true, false)));
    check(&[boot("a"), continuation()], true, Some((true, true)));
    check(
        &[EntryKind::Metadata, boot("a"), invalid_marker(), continuation(), EntryKind::Metadata],
        true,
        Some((true, true)),
    );
    check(&[boot("a"), continuation(), EntryKind::User], true, None);
    check(&[boot("a"), continuation(), foreign()], true, None);
    check(&[boot("a"), continuation(), continuation()], true, None);
    check(&[boot("a"), continuation(), boot("a")], true, None);
    check(&[boot("a"), boot("a"), continuation()], false, None);
    check(&[continuation()], false, None);
    check(&[continuation(), boot("a")], false, None);
    check(&[boot("b"), continuation()], false, None);
    check(&[EntryKind::User, boot("a"), continuation()], false, None);
    check(&[boot("a"), EntryKind::User, continuation()], false, None);
    check(&[boot("a"), foreign(), continuation()], false, None);
    check(&[boot("a"), cut(Compaction::default()), continuation()], false, None);
    check(&[boot("a"), EntryKind::BranchSummary, continuation()], false, None);
    check(&[EntryKind::OtherMessage], false, None);
    check(&[shown(Tag::Boot, Some("a")), continuation()], false, Some((true, true)));
    check(&[boot("a"), shown(Tag::Continuation, None)], false, Some((true, true)));
    assert_eq!(branch(&[EntryKind::User]).tail(), None);
    let later = branch(&[cut(checkpoint("a")), marker("a"), boot("a"), marker("b")]);
    assert!(!later.committed("a") && !later.committed("b"));
}

/// D6: which entries hold what was said last, across windows.
#[test]
fn what_was_said_last() {
    let answer = |text| EntryKind::Assistant { calls: false, text, stop: Stop::Stop, usage: TokenUsage::default() };
    let branch = branch(&[
        EntryKind::User,
        EntryKind::User,
        answer(true),
        marker("a"),
        boot("a"),
        answer(false),
        EntryKind::OtherMessage,
    ]);
    assert_eq!(branch.last_said(), Said { request: Some("e1"), before: Some("e0"), answer: Some("e2") });
    assert_eq!(Branch::new("s", 0).last_said(), Said::default());
}

/// A branch follows the host's leaf.
#[test]
fn rewinding() {
    let mut kept = branch(&[EntryKind::User, marker("a"), EntryKind::User, marker("b")]);
    assert!(!kept.rewind(Some("elsewhere")) && kept.window_id() == "b");
    assert!(kept.rewind(Some("e2")) && kept.window_id() == "a" && kept.entries().len() == 3);
    assert!(kept.rewind(Some("e0")) && kept.window_id() == ROOT);
    assert_eq!(kept, branch(&[EntryKind::User]));
    assert!(kept.rewind(None) && kept.entries().is_empty());
}

/// B8: work that the model could go on with.
#[test]
fn work_to_go_on_with() {
    let assistant = |calls| EntryKind::Assistant { calls, text: true, stop: Stop::Stop, usage: TokenUsage::default() };
    let check = |kinds: &[EntryKind], may: bool| assert_eq!(branch(kinds).may_continue(), may, "{kinds:?}");
    check(&[], true);
    check(&[EntryKind::User, marker("a")], false);
    check(&[marker("a"), boot("a"), continuation(), assistant(false), foreign(), EntryKind::OtherMessage], false);
    check(&[marker("a"), EntryKind::User], true);
    check(&[marker("a"), assistant(true)], true);
    check(&[marker("a"), EntryKind::ToolResult { tool: "read".into(), failed: true }], true);
}
