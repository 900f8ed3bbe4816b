//! Measures what the extension adds to a prompt: from its submission until the host has settled, in an empty session and in
//! one of 20 MB behind a wipe.

use std::{fs, path::PathBuf, time::Instant};

use palimpsest_tests::{Model, Sandbox, Script, Step, extension_folder};
use serde_json::{Value, json};

/// Prompts of each kind that count, behind some that fill caches; the kinds take turns.
const ROUNDS: usize = 25;
const WARM_UP: usize = 3;

/// Size of the long session.
const BYTES: usize = 20 << 20;
const TEXT: usize = 2_000;

fn main() {
    let model = Model::start(Script::from_fn(|_| Step::text("fine")));
    anstream::println!("| Prompt until settled (rpc, {ROUNDS} each) | fastest | median | slowest | added, median |");
    anstream::println!("| --- | ---: | ---: | ---: | ---: |");
    for (name, long) in [("empty session", false), ("session of 20 MB", true)] {
        let sandboxes = [Sandbox::plain(&model), Sandbox::builder(&model).extension(extension_folder()).build()];
        let mut hosts = sandboxes.each_ref().map(|sandbox| {
            if !long {
                return sandbox.rpc();
            }
            let file = long_session(sandbox);
            sandbox.rpc_with(&["--session", file.to_str().expect("a UTF-8 path")])
        });
        let mut times = [const { Vec::new() }; 2];
        for round in 0..WARM_UP + ROUNDS {
            for (pi, times) in hosts.iter_mut().zip(&mut times) {
                let begin = Instant::now();
                pi.prompt("go on");
                let taken = begin.elapsed().as_secs_f64() * 1_000.0;
                if round >= WARM_UP {
                    times.push(taken);
                }
            }
        }
        for pi in hosts {
            pi.finish();
        }
        for times in &mut times {
            times.sort_by(f64::total_cmp);
        }
        let without = times[0][ROUNDS / 2];
        for (kind, times) in ["without an extension", "with Palimpsest"].iter().zip(&times) {
            let [fastest, median, slowest] = [0, ROUNDS / 2, ROUNDS - 1].map(|index| times[index]);
            let added = median - without;
            anstream::println!(
                "| {name}, {kind} | {fastest:.1} ms | {median:.1} ms | {slowest:.1} ms | {added:+.1} ms |"
            );
        }
    }
}

/// A session that ends behind a wipe: long in its file, short for the model.
fn long_session(sandbox: &Sandbox) -> PathBuf {
    let usage = json!({
        "input": 1, "output": 1, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 2,
        "cost": { "input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0 },
    });
    let text = "what was said ".repeat(TEXT / 14);
    let content = json!([{ "type": "text", "text": text }]);
    let said = [
        json!({ "type": "message", "message": { "role": "user", "content": content, "timestamp": 1 } }),
        json!({ "type": "message", "message": {
            "role": "assistant", "content": content, "timestamp": 1, "api": "openai-completions", "provider": "scripted",
            "model": "scripted-1", "usage": usage, "stopReason": "stop",
        } }),
    ];
    let window = "pcw:overhead:0000002a";
    let details = json!({ "by": "pi-context", "windowId": window, "cause": "tool" });
    let hidden = |kind: &str| {
        json!({
            "type": "custom_message", "customType": format!("pi-context/{kind}"), "content": kind, "display": false,
            "details": { "windowId": window },
        })
    };
    let entries = BYTES / TEXT;
    let wipe = [
        json!({ "type": "compaction", "summary": "", "firstKeptEntryId": format!("entry-{entries}"), "tokensBefore": 9, "details": details, "fromHook": true }),
        json!({ "type": "custom", "customType": "pi-context/reset-marker", "data": { "windowId": window } }),
        hidden("boot"),
        hidden("continuation"),
    ];
    let cwd = sandbox.work().canonicalize().expect("the working folder");
    let header = json!({ "type": "session", "version": 3, "id": "overhead-session", "timestamp": "2026-01-01T00:00:00.000Z", "cwd": cwd });
    let mut lines = format!("{header}\n");
    for (number, entry) in said.iter().cycle().take(entries).chain(&wipe).enumerate() {
        let mut entry = entry.clone();
        entry["id"] = format!("entry-{number}").into();
        entry["parentId"] = number.checked_sub(1).map_or(Value::Null, |before| format!("entry-{before}").into());
        entry["timestamp"] = "2026-01-01T00:00:01.000Z".into();
        lines += &format!("{entry}\n");
    }
    let file = sandbox.root().join("long.jsonl");
    fs::write(&file, lines).expect("a session file");
    file
}
