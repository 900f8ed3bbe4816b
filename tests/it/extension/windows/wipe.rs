//! A wipe by the model: the fresh window, what stays, what is told.

use palimpsest_tests::{Model, Step, wire};
use serde_json::json;

use super::super::with_extension;
use super::{BOOT, CONTINUATION, MARKER, RESET, causes, content, kinds, roles, said};

/// G1.2, G1.3, G1.20, G1.28, G2.4, G3.1, G3.2, G3.3: two requests, the second without the old text; the closed shape on
/// the branch; one notice.
#[test]
fn a_wipe_by_the_model_starts_a_fresh_window() {
    let model = Model::start([
        Step::chunks(["I saw an ochre door"]).and_tool("wipe_memory", json!({})).and_tool("wipe_memory", json!({})),
        Step::text("on with it"),
    ]);
    let sandbox = with_extension(&model).build();
    let mut pi = sandbox.rpc();
    let run = pi.prompt("the violet anchor");
    assert_eq!(run.text(), "on with it");
    let ends: Vec<_> = run.tools().into_iter().map(|end| (end.text, end.structured["status"].clone())).collect();
    let answer = |status: &str| (format!("{{\n  \"status\": \"{status}\",\n  \"notes_written\": 0\n}}"), json!(status));
    assert_eq!(ends, [answer("rollover_requested"), answer("rollover_already_pending")]);

    let requests = model.requests();
    assert_eq!(requests.len(), 2);
    assert_eq!(roles(&requests[0]), ["system", "user", "user"], "the root boot stands before the prompt");
    assert_eq!(roles(&requests[1]), ["system", "user", "user"], "no wrapper of an empty summary");
    assert_eq!(requests[0].message_texts()[0], requests[1].message_texts()[0], "the system prompt stays");
    assert_eq!(requests[0].tool_texts(), requests[1].tool_texts());
    let fresh = said(&requests[1]);
    assert!(!fresh.contains("rollover_requested") && !fresh.contains(MARKER), "{fresh}");
    // What was asked for last, and what was answered, is quoted; so is that no note was written.
    for carried in ["the violet anchor", "I saw an ochre door", "No note was written"] {
        assert!(fresh.to_lowercase().contains(&carried.to_lowercase()), "{carried:?} is missing:\n{fresh}");
    }
    let cleared = pi.wait_for_notice("memory");
    assert_eq!(cleared.level, "info");
    assert_eq!(pi.notices(), std::slice::from_ref(&cleared));
    pi.finish();

    let session = sandbox.session();
    let mut expected = vec![BOOT, "user", "assistant", "toolResult", "toolResult"];
    expected.extend(RESET);
    expected.push("assistant");
    assert_eq!(kinds(&session), expected);
    assert_eq!(causes(&session), ["tool"]);
    let checkpoint = session.of_type("compaction")[0];
    let marker = session.custom(MARKER)[0];
    let id = marker["data"]["windowId"].as_str().expect("an id");
    assert_eq!(marker["data"], json!({ "windowId": id }));
    assert_eq!(marker["parentId"], checkpoint["id"]);
    assert_eq!(checkpoint["details"], json!({ "by": "pi-context", "windowId": id, "cause": "tool" }));
    assert_eq!((&checkpoint["summary"], &checkpoint["firstKeptEntryId"]), (&json!(""), &checkpoint["id"]));
    assert!(id.starts_with(&format!("pcw:{}:", &session.id()[..8])), "{id}");
    assert!(cleared.message.contains(id), "{cleared:?}");
    let [root, boot] = [session.custom(BOOT)[0], session.custom(BOOT)[1]];
    let root_id = format!("pcw:{}:root", &session.id()[..8]);
    assert_eq!([&root["details"], &boot["details"]], [&json!({ "windowId": root_id }), &json!({ "windowId": id })]);
    assert!(content(root).starts_with("<context_window>") && content(boot).starts_with("<context_window>"));
    assert!(!content(root).contains("previous window") && content(boot).contains("previous window"));
    assert_eq!(session.custom(CONTINUATION).len(), 1);
}

/// G2.12, G2.13, G2.22, G2.29: two resets, notes of the same batch in the next boot, and after a restart the same request
/// goes on.
#[test]
fn resets_follow_each_other_and_survive_a_restart() {
    let note = json!({ "address": "state", "content": "goal: paint the hull green" });
    let model = Model::start([
        Step::tool("notes_write", note).and_tool("wipe_memory", json!({})),
        Step::text("first done"),
        Step::tool("wipe_memory", json!({})),
        Step::text("second done"),
        Step::text("third done"),
    ]);
    let sandbox = with_extension(&model).build();
    let mut pi = sandbox.rpc();
    assert_eq!(pi.prompt("the violet anchor").text(), "first done");
    assert_eq!(pi.prompt("the second anchor").text(), "second done");
    pi.finish();
    let mut pi = sandbox.rpc_with(&["-c"]);
    assert_eq!(pi.prompt("the third anchor").text(), "third done");
    assert_eq!(pi.notices(), [], "a restart is silent");
    pi.finish();

    let requests = model.requests();
    let [_, first, second, third, fourth] = &requests[..] else { panic!("five requests: {}", requests.len()) };
    assert!(said(first).contains("goal: paint the hull green"), "{}", said(first));
    // Between cuts each request starts with the one before it; each cut keeps system prompt and tools.
    wire::assert_prefixes(&requests[1..3]);
    wire::assert_prefixes(&requests[3..5]);
    assert!(said(second).contains("the second anchor") && !said(third).contains("notes_written"));
    assert!(!said(third).contains("summary>") && !said(fourth).contains("summary>"));
    for request in &requests {
        assert_eq!(request.message_texts()[0], requests[0].message_texts()[0]);
        assert_eq!(request.tool_texts(), requests[0].tool_texts());
    }
    let session = sandbox.session();
    assert_eq!(causes(&session), ["tool", "tool"]);
    let ids: Vec<_> = session.custom(MARKER).iter().map(|marker| marker["data"]["windowId"].clone()).collect();
    assert!(content(session.custom(BOOT)[2]).contains(ids[0].as_str().expect("an id")), "the previous window is named");
    assert_eq!(session.custom(BOOT).len(), 3, "none is sent again");
}

/// G1.31, G2.8: a run that is aborted, or fails, wipes nothing, then or later.
#[test]
fn an_abort_wipes_nothing() {
    let model = Model::start([Step::tool("wipe_memory", json!({})).then_hang()]);
    let sandbox = with_extension(&model).build();
    let mut pi = sandbox.rpc();
    pi.start_prompt("go");
    pi.wait_for("the call", |event| event["type"] == "message_update");
    pi.abort();
    model.push([Step::text("back again")]);
    assert_eq!(pi.prompt("still there?").text(), "back again");
    pi.finish();
    assert_eq!(sandbox.session().of_type("compaction").len(), 0);
    assert!(said(&model.last_request()).contains("still there?"));
}
