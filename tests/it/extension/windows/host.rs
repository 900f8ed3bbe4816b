//! What the host does by itself: compaction, summaries of branches.

use palimpsest_tests::{Model, Step};
use serde_json::json;

use super::super::with_extension;
use super::said;

/// G3.12, G3.21: while on, a person's `/compact` is refused with a word; while off, the host compacts.
#[test]
fn compaction_belongs_to_windows_while_they_are_on() {
    let model = Model::start([]);
    let sandbox = with_extension(&model).settings(json!({ "compaction": { "keepRecentTokens": 1 } })).build();
    let mut pi = sandbox.rpc();
    for n in 0..3 {
        model.push([Step::text(format!("answer {n}, {}", "and so on ".repeat(50)))]);
        pi.prompt(&format!("question {n}"));
    }
    let refused = pi.try_request(json!({ "type": "compact" }));
    assert_eq!(refused, Err("Compaction cancelled".to_owned()));
    assert_eq!(pi.wait_for_notice("/wipe-memory").level, "warning");
    pi.command("/pi-context off");
    model.push([Step::text("a summary of the host"), Step::text("a further summary")]);
    pi.request(json!({ "type": "compact" }));
    let asked = model.requests().len();
    model.push([Step::text("fine")]);
    assert_eq!(pi.prompt("go on").text(), "fine");
    assert!(said(&model.requests()[asked]).contains("a summary of the host"));
    // G2.27: on again, the boot that the host took away is sent once more, and windows work.
    pi.command("/pi-context on");
    model.push([Step::tool("wipe_memory", json!({})), Step::text("fresh")]);
    assert_eq!(pi.prompt("wipe").text(), "fresh");
    assert!(!said(&model.last_request()).contains("a summary of the host"));
    let _left = model.take_problems();
    pi.finish();
}

const NAVIGATE: &str = r#"
export default (pi) => pi.registerCommand("back", { handler: async (id, ctx) => { await ctx.navigateTree(id, { summarize: true }); } });
"#;

/// B14: a branch with a wipe on it is left without a summary; navigation goes on, and no request is made.
#[test]
fn a_wiped_branch_is_left_without_a_summary() {
    let model = Model::start([Step::tool("wipe_memory", json!({})), Step::text("fresh"), Step::text("more")]);
    let sandbox = with_extension(&model).extension_file("back.js", NAVIGATE).build();
    let mut pi = sandbox.rpc();
    pi.prompt("the violet anchor");
    pi.prompt("more");
    let first = pi.fork_messages()[0].0.clone();
    pi.command(&format!("/back {first}"));
    assert_eq!(pi.wait_for_notice("summary").level, "info");
    model.push([Step::text("from the start")]);
    assert_eq!(pi.prompt("another way").text(), "from the start");
    pi.finish();
    assert_eq!(model.requests().len(), 4);
    assert_eq!(sandbox.session().of_type("branch_summary").len(), 0);
    assert!(!said(&model.last_request()).contains("violet"));
}
