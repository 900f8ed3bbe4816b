//! What a person sees: a footer, a panel, a mark where memory was wiped.

use palimpsest_tests::{Model, Step};
use serde_json::json;

use super::super::with_extension;

/// G5.12: the terminal shows room and ordinal, the panel on demand, and the mark with its cause; a session that is opened
/// again shows the same.
#[test]
fn a_wipe_is_seen() {
    let model = Model::start([Step::tool("wipe_memory", json!({})), Step::text("all is well")]);
    let sandbox = with_extension(&model).build();
    let mut terminal = sandbox.terminal(60, 100);
    terminal.wait_ready();
    terminal.wait_for("window 1,");
    terminal.type_text("the violet anchor\r");
    terminal.wait_for("all is well");
    terminal.wait_for("memory was wiped here: the model asked for it. window 2 begins");
    terminal.wait_for("window 2,");
    terminal.wait_for("tokens left");
    terminal.type_text("/pi-context\r");
    terminal.wait_for("windows so far: pcw:");
    terminal.wait_for("r reminder, w last call, X reserve");
    terminal.type_text("/quit\r");
    assert!(terminal.wait_end());
    let terminal = sandbox.terminal_with(&["-c"], 60, 100);
    terminal.wait_for("memory was wiped here: the model asked for it. window 2 begins");
    terminal.wait_for("window 2,");
}

/// G5.12: without a user interface nothing fails.
#[test]
fn windows_work_in_print_mode() {
    let model = Model::start([Step::tool("wipe_memory", json!({})), Step::text("all is well")]);
    let sandbox = with_extension(&model).build();
    let exit = sandbox.print(&["the violet anchor"]);
    assert_eq!((exit.code, exit.stdout.trim(), exit.stderr.as_str()), (Some(0), "all is well", ""));
    assert_eq!(super::causes(&sandbox.session()), ["tool"]);
}
