//! What every request costs: the prompt cache between two cuts, and the price of being there.

use palimpsest_tests::{Model, Step, text_of, wire};
use serde_json::json;

use super::super::{TOOLS, with_extension};
use super::{BOOT, content};

/// G2.24, E5: over 30 turns with two resets, tools, notes and a toggle each request starts with the one before it, but at
/// the two cuts; tools and system prompt are the same from the first request to the last.
#[test]
#[expect(clippy::print_stdout, reason = "figures for whoever asks for the output")]
fn requests_grow_at_their_end_only() {
    const TURNS: usize = 30;
    const WIPES: [usize; 2] = [10, 20];
    let model = Model::start([]);
    let sandbox = with_extension(&model).build();
    let mut pi = sandbox.rpc();
    let mut cuts = Vec::new();
    for turn in 0..TURNS {
        let note = json!({ "address": format!("turn-{turn}"), "content": "state" });
        let call = match turn {
            _ if WIPES.contains(&turn) => {
                cuts.push(model.requests().len() + 1);
                Step::tool("wipe_memory", json!({}))
            }
            _ if turn % 3 == 0 => Step::tool("notes_write", note),
            _ => Step::tool("get_context_remaining", json!({})),
        };
        model.push([call, Step::text(format!("done with {turn}"))]);
        pi.prompt(&format!("turn {turn}"));
        if turn == 15 {
            pi.command("/pi-context off");
            pi.command("/pi-context on");
        }
    }
    pi.finish();
    let requests = model.requests();
    assert_eq!(requests.len(), 2 * TURNS);
    println!("| Requests | Start with the one before | Characters of the last |\n| --- | ---: | ---: |");
    for stretch in requests.iter().enumerate().collect::<Vec<_>>().chunk_by(|_, (later, _)| !cuts.contains(later)) {
        let (first, last) = (stretch[0].0, stretch[stretch.len() - 1]);
        println!("| {first} to {} | {} of {} | {} |", last.0, stretch.len() - 1, stretch.len() - 1, last.1.text.len());
        let stretch: Vec<_> = stretch.iter().map(|(_, request)| (*request).clone()).collect();
        wire::assert_prefixes(&stretch);
    }
    for request in &requests {
        assert_eq!(request.message_texts()[0], requests[0].message_texts()[0]);
        assert_eq!(request.tool_texts(), requests[0].tool_texts());
    }
}

/// The price of being there: all tool definitions and the boot of an empty store, characters / 4.
#[test]
#[expect(clippy::print_stdout, reason = "figures for whoever asks for the output")]
fn definitions_and_an_empty_boot_stay_within_their_limit() {
    const LIMIT: usize = 6_000;
    let model = Model::start([Step::text("hello")]);
    let sandbox = with_extension(&model).build();
    let mut pi = sandbox.rpc();
    pi.prompt("hi");
    pi.finish();
    let request = model.request(0);
    let names = request.tool_names();
    let ours = names.iter().zip(request.tool_texts()).filter(|(name, _)| TOOLS.contains(name));
    let tools: usize = ours.map(|(_, text)| text.encode_utf16().count()).sum();
    let boot = content(sandbox.session().custom(BOOT)[0]).encode_utf16().count();
    assert!(request.messages().iter().any(|message| text_of(message).encode_utf16().count() == boot));
    let tokens = (tools + boot).div_ceil(4);
    println!("figure: {tokens} tokens of {LIMIT}: {} of tools, {} of the boot", tools.div_ceil(4), boot.div_ceil(4));
    assert!(tokens <= LIMIT, "{tokens} tokens");
}
