//! A process that ends between two entries of a reset: the next start completes it, or leaves it alone.

use std::fs;

use palimpsest_tests::{Model, Session, Step};
use serde_json::json;

use super::super::with_extension;
use super::{BOOT, CONTINUATION, MARKER, kinds, said};

/// G2.28, G3.5 to G3.7: killed behind each draft, in the root window and in a later one; silent, once, and the window that
/// follows shows nothing of the old one.
#[test]
fn a_torn_reset_is_completed_at_the_next_start() {
    for resets in [1, 2] {
        for drafts in 1..=4 {
            let model = Model::start([]);
            let sandbox = with_extension(&model).build();
            let mut pi = sandbox.rpc();
            for n in 0..resets {
                model.push([Step::tool("wipe_memory", json!({})), Step::text("fresh")]);
                pi.prompt(&format!("the violet anchor {n}"));
            }
            pi.finish();
            let session = sandbox.session();
            cut_behind_last_reset(&session, drafts);
            let torn = Session::read(&session.path);
            let checkpoint = torn.of_type("compaction").pop().expect("a checkpoint")["details"]["windowId"].clone();

            for start in 0..2 {
                model.push([Step::text("still here")]);
                let mut pi = sandbox.rpc_with(&["-c"]);
                assert_eq!(pi.prompt("what now?").text(), "still here");
                assert_eq!(pi.notices(), [], "reset {resets}, draft {drafts}, start {start}");
                pi.finish();
                let whole = sandbox.session();
                let kinds = kinds(&whole);
                let at = kinds.iter().rposition(|kind| kind == "compaction").expect("a checkpoint");
                assert_eq!(kinds[at + 1..at + 5], [MARKER, BOOT, CONTINUATION, "user"], "draft {drafts}");
                let marker = whole.custom(MARKER).pop().expect("a marker");
                assert_eq!(marker["data"]["windowId"], checkpoint);
                assert_eq!([whole.custom(MARKER).len(), whole.custom(CONTINUATION).len()], [resets, resets]);
                let sent = said(&model.last_request());
                assert!(sent.contains("<context_window>") && !sent.contains("rollover"), "{sent}");
            }
        }
    }
}

/// G2.15, G2.26: a window that has lost its boot is never sent; `/wipe-memory` leads out of it.
#[test]
fn a_window_without_a_boot_is_not_sent() {
    const HIDE: &str = r#"
export default (pi) => pi.on("turn_end", (event, ctx) => {
  const boot = ctx.sessionManager.getBranch().findLast((entry) => entry.customType === "pi-context/boot");
  if (event.message.content.some((part) => part.text === "hide it")) return { entries: [...event.entries, { type: "context_edit", targetId: boot.id, replacement: null }] };
});
"#;
    let model = Model::start([Step::tool("wipe_memory", json!({})), Step::text("ochre door"), Step::text("hide it")]);
    let sandbox = with_extension(&model).extension_file("hide.js", HIDE).build();
    let mut pi = sandbox.rpc();
    pi.prompt("the violet anchor");
    pi.prompt("now");
    let asked = model.requests().len();
    assert!(pi.prompt("are you there?").aborted());
    assert_eq!(pi.wait_for_notice("/wipe-memory").level, "error");
    assert_eq!(model.requests().len(), asked, "nothing was sent");
    model.push([Step::text("noted")]);
    pi.command("/wipe-memory");
    pi.wait_settled();
    let request = model.last_request();
    assert_eq!(request.messages().len(), 2, "{}", said(&request));
    assert!(!said(&request).contains("ochre door") && request.messages()[0]["role"] == "system");
    model.push([Step::text("good morning")]);
    assert_eq!(pi.prompt("and now?").text(), "good morning");
    pi.finish();
    assert_eq!(super::causes(&sandbox.session()), ["tool", "repair"]);
}

/// Writes the session anew up to that many entries of its last reset.
fn cut_behind_last_reset(session: &Session, drafts: usize) {
    let at = session.entries.iter().rposition(|entry| entry["type"] == "compaction").expect("a checkpoint");
    let kept = [&session.header].into_iter().chain(&session.entries[..at + drafts]);
    let lines: String = kept.map(|record| format!("{record}\n")).collect();
    fs::write(&session.path, lines).expect("a session file");
}
