//! A fault of the engine: nothing that was cut off is sent, nothing is compacted, and a person is told once.

use palimpsest_tests::{Model, Step, extension_folder};
use serde_json::json;

use super::super::{obstacles::addon_in, with_extension};
use super::said;

/// An extension whose command `/faulty <event>` makes that event panic in Rust from then on.
fn faulty() -> String {
    let addon = addon_in(&extension_folder());
    format!(
        "import {{ createRequire }} from \"node:module\";\n\
         const addon = createRequire(import.meta.url)({});\n\
         export default (pi) => pi.registerCommand(\"faulty\", {{ handler: async (name) => addon.panicAtEvents(name) }});\n",
        json!(addon)
    )
}

/// G1.32: in the root window requests go out as they are, in a reset window none does; compaction stays cancelled.
#[test]
fn a_fault_is_answered_the_closed_way() {
    let model = Model::start([Step::text("in the root")]);
    let sandbox = with_extension(&model).extension_file("faulty.js", &faulty()).build();
    let mut pi = sandbox.rpc();
    pi.command("/faulty turnStart");
    assert_eq!(pi.prompt("the violet anchor").text(), "in the root");
    assert_eq!(pi.wait_for_notice("fault").level, "error");
    assert_eq!(pi.notices().len(), 1);
    model.push([Step::tool("wipe_memory", json!({})), Step::text("fresh"), Step::text("once more")]);
    assert_eq!(pi.prompt("wipe").text(), "fresh");
    assert_eq!(pi.prompt("a long question").text(), "once more");
    pi.command("/faulty beforeCompact");
    let compacted = pi.try_request(json!({ "type": "compact" }));
    assert!(compacted.is_err(), "{compacted:?}");
    pi.command("/faulty context");
    let asked = model.requests().len();
    assert!(pi.prompt("are you there?").aborted());
    assert_eq!(model.requests().len(), asked, "nothing was sent: {}", said(&model.last_request()));
    let faults = pi.notices().into_iter().filter(|notice| notice.message.contains("fault")).count();
    assert_eq!(faults, 1, "{:?}", pi.notices());
    assert!(pi.extension_errors().is_empty());
    pi.finish();
}
