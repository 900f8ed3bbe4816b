//! A wipe by the model: the fresh window, what stays, what is told.

use palimpsest_tests::{Model, Step};
use serde_json::json;

use super::super::with_extension;
use super::{BOOT, CONTINUATION, MARKER, content, kinds, roles, said};

/// G1.2, G1.3, G1.20, G1.28, G2.4, G3.1, G3.3: two requests, the second without the old text; the closed shape on the
/// branch; one notice.
#[test]
fn a_wipe_by_the_model_starts_a_fresh_window() {
    let model = Model::start([Step::tool("wipe_memory", json!({})), Step::text("on with it")]);
    let sandbox = with_extension(&model).build();
    let mut pi = sandbox.rpc();
    let run = pi.prompt("the violet anchor");
    assert_eq!(run.text(), "on with it");
    assert_eq!(run.tool().text, "{\n  \"status\": \"rollover_requested\",\n  \"notes_written\": 0\n}");
    let requests = model.requests();
    assert_eq!(requests.len(), 2);
    eprintln!("{}", said(&requests[1]));
    assert_eq!(roles(&requests[1]), ["system", "user", "user"]);
    assert!(said(&requests[1]).starts_with(&requests[0].system()), "the system prompt stays");
    assert_eq!(requests[0].tool_texts(), requests[1].tool_texts());
    let cleared = pi.wait_for_notice("memory");
    assert_eq!(cleared.level, "info");
    assert_eq!(pi.notices(), [cleared]);
    pi.finish();
    let session = sandbox.session();
    eprintln!("{:#?}", kinds(&session));
    assert_eq!(session.custom(BOOT).len(), 2, "of the root and of the fresh window");
    assert_eq!(session.custom(CONTINUATION).len(), 1);
    let marker = session.custom(MARKER)[0];
    assert_eq!(marker["data"].as_object().map(|data| data.len()), Some(1));
    assert!(content(session.custom(BOOT)[1]).starts_with("<context_window>"));
}
