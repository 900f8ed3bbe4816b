//! What a person types: `/wipe-memory`, `/pi-context`.

use palimpsest_tests::{Gate, Model, Step};
use serde_json::json;

use super::super::{make_call, with_extension};
use super::{BOOT, CONTINUATION, MANUAL, MARKER, causes, content, kinds, said};

/// G2.5, G1.5, G1.21, G2.7: while idle, one more turn in the old window, then the reset; no continuation is asked for.
#[test]
fn a_wipe_while_idle() {
    let model = Model::start([Step::text("noted"), Step::text("saved what matters")]);
    let sandbox = with_extension(&model).build();
    let mut pi = sandbox.rpc();
    pi.prompt("the violet anchor");
    pi.command("/wipe-memory");
    pi.wait_settled();
    pi.wait_for_notice("memory was");
    assert_eq!(pi.notices().len(), 2, "received, and done: {:?}", pi.notices());
    model.push([Step::text("good morning")]);
    pi.prompt("hello again");
    pi.finish();
    let requests = model.requests();
    assert_eq!(requests.len(), 3);
    assert!(said(&requests[1]).contains("noted") && !said(&requests[2]).contains("saved what matters\nnoted"));
    let session = sandbox.session();
    let expected =
        [BOOT, "user", "assistant", MANUAL, "assistant", "compaction", MARKER, BOOT, CONTINUATION, "user", "assistant"];
    assert_eq!(kinds(&session), expected);
    assert_eq!(causes(&session), ["manual"]);
    assert!(said(&requests[1]).contains(content(session.custom(MANUAL)[0])));
}

/// G2.6, G2.9: while the model answers, the running turn ends in the reset, however often it is asked for; what the person
/// queued is answered once, in the fresh window.
#[test]
fn a_wipe_while_the_model_answers() {
    let gate = Gate::new();
    let model = Model::start([Step::text("a long answer").gate(&gate), Step::text("in the fresh window")]);
    let sandbox = with_extension(&model).build();
    let mut pi = sandbox.rpc();
    pi.start_prompt("go");
    model.wait_for_requests(1);
    for _ in 0..2 {
        pi.request(json!({ "type": "prompt", "message": "/wipe-memory" }));
    }
    pi.follow_up("the queued question");
    gate.open();
    pi.wait_for("the fresh answer", |event| event["type"] == "agent_settled");
    let notices = pi.notices();
    pi.finish();
    assert_eq!(notices.len(), 2, "{notices:?}");
    let session = sandbox.session();
    assert_eq!(causes(&session), ["manual"]);
    assert_eq!(session.custom(MANUAL).len(), 0);
    assert_eq!(session.texts("user").iter().filter(|text| text.contains("queued")).count(), 1);
    let last = said(&model.last_request());
    assert!(last.contains("the queued question") && last.contains("<context_window>"), "{last}");
    assert_eq!(model.requests().len(), 2);
}

/// G3.12, G4.16: off, windows and their tool refuse and the host compacts; on, all is back; tools and prompt never change.
#[test]
fn windows_are_switched_off_and_on() {
    let model = Model::start([]);
    let sandbox = with_extension(&model).build();
    let mut pi = sandbox.rpc();
    assert!(!make_call(&mut pi, &model, "get_context_remaining", json!({})).is_error);
    pi.command("/pi-context off");
    let off = pi.wait_for_notice("are off");
    assert_eq!(off.level, "info");
    let refused = make_call(&mut pi, &model, "wipe_memory", json!({}));
    assert_eq!((refused.is_error, &refused.structured["code"]), (true, &json!("windows_off")));
    pi.command("/wipe-memory");
    assert_eq!(pi.wait_for_notice("/pi-context on").level, "error");
    pi.command("/pi-context sideways");
    assert_eq!(pi.wait_for_notice("sideways").level, "error");
    pi.command("/pi-context on");
    pi.wait_for_notice("are on");
    let before = pi.notices().len();
    pi.command("/pi-context");
    pi.command("/pi-context status");
    assert_eq!(pi.notices().len(), before + 2);
    make_call(&mut pi, &model, "wipe_memory", json!({}));
    pi.finish();
    let session = sandbox.session();
    assert_eq!(causes(&session), ["tool"]);
    let requests = model.requests();
    for request in &requests {
        assert_eq!(request.tool_texts(), requests[0].tool_texts(), "G5.11");
        assert_eq!(request.message_texts()[0], requests[0].message_texts()[0], "G5.11");
    }
}

/// G4.16, G4.6: the settings of both scopes; a value that cannot be used is complained of once and replaced.
#[test]
fn settings_say_how_windows_start() {
    let model = Model::start([]);
    let settings = json!({ "pi-context": { "enabled": false, "reminderMarginTokens": 0 } });
    let sandbox = with_extension(&model).settings(settings).build();
    let mut pi = sandbox.rpc();
    let refused = make_call(&mut pi, &model, "wipe_memory", json!({}));
    assert!(refused.is_error, "{}", refused.text);
    let complaint = pi.wait_for_notice("pi-context.reminderMarginTokens");
    assert_eq!(complaint.level, "warning");
    assert_eq!(pi.notices(), [complaint]);
    pi.finish();
    assert_eq!(sandbox.session().custom(BOOT).len(), 0);
}
