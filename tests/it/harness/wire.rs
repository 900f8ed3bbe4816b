//! The comparison of requests names what differs.

use palimpsest_tests::{Model, Sandbox, Step, wire};
use serde_json::json;

#[test]
fn a_plain_conversation_only_grows() {
    let model = Model::start([Step::tool("read", json!({ "path": "a.txt" })), Step::text("one"), Step::text("two ✓")]);
    let sandbox = Sandbox::builder(&model).file("work/a.txt", "ünicode \u{2028} \"text\"").build();
    let mut pi = sandbox.rpc();
    pi.prompt("first");
    pi.prompt("second");
    pi.finish();
    let requests = model.requests();
    assert_eq!(requests.len(), 3);
    wire::assert_prefixes(&requests);
    // The other way round a message is missing.
    let difference = wire::difference(&requests[1], &requests[0]).expect("a difference");
    assert!(
        difference.starts_with("request 0 does not start with request 1: message 2 (\"assistant\") is missing"),
        "{difference}"
    );
}

#[test]
fn a_changed_message_and_a_changed_tool_are_shown_where_they_differ() {
    // An extension that rewrites history from the second request on.
    let source = r#"export default pi => { let n = 0; pi.on("context", event => { n += 1; if (n < 2) return;
        return { messages: event.messages.map(m => m.role === "user" && m.content[0]?.text === "the first question"
            ? { ...m, content: [{ type: "text", text: "the first QUESTION" }] } : m) }; }); }"#;
    let model = Model::start(["one", "two"].map(Step::text));
    let sandbox = Sandbox::builder(&model).extension_file("rewrite.js", source).build();
    let mut pi = sandbox.rpc();
    pi.prompt("the first question");
    pi.prompt("the second question");
    pi.finish();
    let requests = model.requests();
    let difference = wire::difference(&requests[0], &requests[1]).expect("a difference");
    let lines: Vec<_> = difference.lines().collect();
    assert_eq!(lines[0], "request 1 does not start with request 0: message 1 (\"user\") differs");
    assert!(lines[2].contains("the first question") && lines[3].contains("the first QUESTION"), "{difference}");

    let mut other = requests[0].clone();
    other.text = other.text.replace("\"name\":\"read\"", "\"name\":\"ReAd\"");
    let difference = wire::difference(&requests[0], &other).expect("a difference");
    assert!(difference.contains("tool 0 (read) differs"), "{difference}");
}
