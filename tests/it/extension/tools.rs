//! Each note tool over the wire: results, text against structure, the order of calls.

use std::fs;

use palimpsest_tests::{Model, Step, ToolEnd, wire};
use serde_json::{Value, json};

use super::{TOOLS, keys, make_call, make_calls, steps, with_extension};

/// D2 line 31, B1: exactly the tools there are, write and edit sequential, the others side by side.
#[test]
fn the_tools_and_the_order_of_their_calls() {
    let model = Model::start([
        Step::tool("notes_read", json!({ "address": "one" })).and_tool("notes_list", json!({})),
        Step::tool("notes_write", json!({ "address": "one", "content": "a" }))
            .and_tool("notes_edit", json!({ "address": "one", "edits": [{ "oldText": "a", "newText": "b" }] }))
            .and_tool("notes_read", json!({ "address": "one" })),
        Step::text("done"),
    ]);
    let sandbox = with_extension(&model).build();
    let mut pi = sandbox.rpc();
    let run = pi.prompt("go");
    pi.finish();
    let request = model.request(0);
    let names = request.tool_names();
    assert_eq!(names[names.len() - TOOLS.len()..], TOOLS);
    let order: Vec<_> = run
        .events
        .iter()
        .filter_map(|event| event["type"].as_str()?.strip_prefix("tool_execution_"))
        .filter(|kind| *kind != "update")
        .collect();
    assert_eq!(order, ["start", "start", "end", "end", "start", "end", "start", "end", "start", "end"]);
    // Each call of the second batch saw what the one before had done.
    let read = run.tools().pop().expect("three ends");
    assert!(read.text.ends_with("---\n\nb"), "{}", read.text);
}

/// D2 lines 33, 35, 36, 38, 42, 48, 89 and 110: what each tool answers, and what of it the model, the events and the
/// session file get.
#[test]
fn results_of_every_tool() {
    let calls = [
        ("notes_write", json!({ "address": "Ideen/schön 🎉", "content": "eins\nzwei 🎉 drei\nvier" })),
        (
            "notes_edit",
            json!({ "address": "Ideen/schön 🎉", "edits": [{ "oldText": "zwei", "newText": "2" }, { "oldText": "eins\n", "newText": "" }] }),
        ),
        ("notes_edit", json!({ "address": "Ideen/schön 🎉", "origin": "external" })),
        ("notes_read", json!({ "address": "Ideen/schön 🎉", "offset_chars": -4 })),
        ("notes_write", json!({ "address": "@human/x.md", "content": "über ZWEI\nandere\n2 mal", "origin": "user" })),
        ("notes_list", json!({})),
        ("notes_list", json!({ "pattern": "**/*x*", "limit": 1 })),
        ("notes_search", json!({ "query": ["zwei", "🎉"], "max_matches_per_file": 1 })),
        ("notes_edit", json!({ "address": "@human/x", "crumpled": true })),
        ("notes_list", json!({ "wastebasket": true })),
        ("notes_search", json!({ "query": "nothing like it", "pattern": null })),
    ];
    let model = Model::start(steps(&calls));
    let sandbox = with_extension(&model).build();
    let mut pi = sandbox.rpc();
    let run = pi.prompt("go");
    pi.finish();
    let ends = run.tools();
    assert_eq!(ends.len(), calls.len());

    for (end, stored) in ends.iter().zip(sandbox.session().tool_results()) {
        assert!(!end.is_error, "{end:?}");
        assert_eq!(model.last_request().tool_result(&end.call_id).as_ref(), Some(&end.text), "text for the model");
        assert_eq!((&stored.text, stored.is_error), (&end.text, false), "text in the session");
        if end.name == "notes_read" {
            assert_eq!(stored.details, end.details);
            assert_eq!(keys(&end.details), ["address", "offset_chars", "total_chars", "next_offset_chars"]);
            let mut with_content = end.details.clone();
            with_content["content"] = end.structured["content"].clone();
            assert_eq!(end.structured, with_content);
        } else {
            assert_eq!((&stored.details, &end.details), (&Value::Null, &Value::Null));
            assert_eq!(end.text, serde_json::to_string_pretty(&end.structured).expect("JSON"));
        }
        assert!(!end.text.contains("scope"), "{}", end.text);
    }

    let structured = |index: usize| &ends[index].structured;
    assert_eq!(*structured(0), json!({ "address": "Ideen/schön 🎉", "written": true }));
    let diff = "-1 eins\n-2 zwei 🎉 drei\n+1 2 🎉 drei\n 3 vier";
    assert_eq!(keys(structured(1)), ["address", "applied", "diff"]);
    assert_eq!(structured(1)["applied"], 2);
    assert_eq!(structured(1)["diff"].as_str().map(without_context), Some(without_context(diff)));
    let metadata_diff = structured(2)["diff"].as_str().expect("a diff");
    assert!(metadata_diff.contains("+2 origin: external") && !metadata_diff.contains("vier"), "{metadata_diff}");
    let total = structured(3)["total_chars"].as_u64().expect("a total");
    assert_eq!(
        ends[3].text,
        format!(
            "--- READ WINDOW ---\naddress: Ideen/schön 🎉\nchars: [{},{total}) of {total}\nnext_offset_chars: null\n\nvier",
            total - 4
        )
    );
    assert_eq!(addresses(structured(5)), ["@human/x.md", "Ideen/schön 🎉.md"]);
    assert_eq!(keys(structured(5)), ["files", "more"]);
    assert_eq!(keys(&structured(5)["files"][0]), ["address", "updated_at"]);
    assert_eq!((addresses(structured(6)), &structured(6)["more"]), (vec!["@human/x.md"], &json!(0)));
    let found = &structured(7)["files"];
    assert_eq!(addresses(structured(7)), ["@human/x.md", "Ideen/schön 🎉.md"]);
    assert_eq!(keys(&found[0]), ["address", "updated_at", "matches_total", "matches"]);
    let first = &found[0]["matches"][0];
    assert_eq!(
        (keys(first), &first["line"], &first["text"]),
        (vec!["line", "text", "truncated", "offset_chars"], &json!(1), &json!("über ZWEI"))
    );
    assert_eq!(addresses(structured(9)), ["@human/x.md"]);
    assert_eq!(keys(&structured(9)["files"][0]), ["address", "updated_at", "crumpled_at"]);
    assert_eq!(*structured(10), json!({ "files": [], "more": 0 }));
    wire::assert_prefixes(&model.requests());
}

/// D2 lines 42, 87 and 88: a walk along the cursor gives the text of the first page back; only the first page counts;
/// an offset from the search starts a page at the match.
#[test]
fn pages_and_offsets() {
    let model = Model::start([]);
    let sandbox = with_extension(&model).build();
    let mut pi = sandbox.rpc();
    let body: String = (0..2_600).map(|number| format!("línea {number} 🎉 \"zitiert\"\n")).collect();
    make_call(&mut pi, &model, "notes_write", json!({ "address": "@project/long", "content": body }));
    let file = notes_file(&sandbox.notes_home().join("project"));

    let mut read = |offset: Value| {
        let end = make_call(
            &mut pi,
            &model,
            "notes_read",
            json!({ "address": "@project/long", "offset_chars": offset, "limit_chars": 50_000 }),
        );
        assert!(end.text.len() <= 32_768 && end.structured.to_string().len() <= 32_768, "a page over the budget");
        end
    };
    let first = read(json!(0));
    let on_disk = fs::read_to_string(&file).expect("the note");
    assert!(on_disk.contains("accessCount: 1\n"), "{on_disk:.300}");
    let (mut walked, mut next) = (content(&first), first.structured["next_offset_chars"].clone());
    while !next.is_null() {
        let page = read(next.clone());
        walked.push_str(&content(&page));
        assert_ne!(page.structured["next_offset_chars"], next, "the cursor stands still");
        next = page.structured["next_offset_chars"].clone();
    }
    assert_eq!(walked, on_disk);
    assert_eq!(fs::read_to_string(&file).expect("the note"), on_disk, "only the first page counts");

    let found = make_call(&mut pi, &model, "notes_search", json!({ "query": "LÍNEA 2599" }));
    let offset = found.structured["files"][0]["matches"][0]["offset_chars"].clone();
    let page =
        make_call(&mut pi, &model, "notes_read", json!({ "address": "@project/long.md", "offset_chars": offset }));
    assert_eq!(content(&page), "línea 2599 🎉 \"zitiert\"\n");
    assert_eq!(fs::read_to_string(&file).expect("the note"), on_disk);
    pi.finish();
}

/// D2 line 40: the same name in three homes stays apart, and a miss in one is a miss.
#[test]
fn homes_stay_apart() {
    let model = Model::start([]);
    let sandbox = with_extension(&model).build();
    let mut pi = sandbox.rpc();
    let note = |address: &str, content: &str| ("notes_write", json!({ "address": address, "content": content }));
    make_calls(
        &mut pi,
        &model,
        &[note("same", "session"), note("@project/same", "project"), note("@human/same", "human")],
    );
    let read = |address: &str| ("notes_read", json!({ "address": address }));
    let ends =
        make_calls(&mut pi, &model, &[read("same"), read("@project/same"), read("@human/same"), read("@self/same")]);
    pi.finish();
    let bodies: Vec<_> = ends[..3].iter().map(|end| end.text.rsplit('\n').next().unwrap_or_default()).collect();
    assert_eq!(bodies, ["session", "project", "human"]);
    assert_eq!(ends[3].structured, json!({ "error": "note not found", "code": "not_found", "address": "@self/same" }));
    assert!(ends[3].is_error);
}

/// D2 line 92: a home that cannot be read is named, and the rows of the others arrive.
#[test]
fn a_failing_home_is_named() {
    let model = Model::start([]);
    // A file where a folder belongs fails for every user, root included.
    let sandbox = with_extension(&model).file("home/.agents/notes/human", "not a folder").build();
    let mut pi = sandbox.rpc();
    let ends = make_calls(
        &mut pi,
        &model,
        &[
            ("notes_write", json!({ "address": "here", "content": "text" })),
            ("notes_list", json!({})),
            ("notes_search", json!({ "query": "text" })),
            ("notes_read", json!({ "address": "@human/x" })),
        ],
    );
    pi.finish();
    for end in &ends[1..3] {
        assert_eq!((addresses(&end.structured), end.is_error), (vec!["here.md"], false));
        assert_eq!(end.structured["homes_unavailable"], json!(["@human"]));
    }
    assert_eq!((ends[3].is_error, &ends[3].structured["code"]), (true, &json!("io")));
}

fn addresses(listing: &Value) -> Vec<&str> {
    listing["files"].as_array().into_iter().flatten().filter_map(|row| row["address"].as_str()).collect()
}

fn content(end: &ToolEnd) -> String {
    end.structured["content"].as_str().expect("content").to_owned()
}

/// The changed lines of a diff, sorted: which of two equal diffs a library finds is not what these tests are about.
fn without_context(diff: &str) -> Vec<String> {
    let mut changed: Vec<_> = diff.lines().filter(|line| line.starts_with(['-', '+'])).map(String::from).collect();
    changed.sort();
    changed
}

/// The only file of the only folder in a home's parent.
fn notes_file(parent: &std::path::Path) -> std::path::PathBuf {
    let only = |folder: &std::path::Path| {
        let mut entries: Vec<_> = fs::read_dir(folder).expect("a folder").flatten().map(|it| it.path()).collect();
        assert_eq!(entries.len(), 1, "{entries:?}");
        entries.remove(0)
    };
    only(&only(parent))
}

/// A9: reads that run side by side lose no count.
#[test]
fn parallel_reads_are_all_counted() {
    const READS: usize = 12;
    let read = || json!({ "address": "much read" });
    let all = (1..READS).fold(Step::tool("notes_read", read()), |step, _| step.and_tool("notes_read", read()));
    let model = Model::start([
        Step::tool("notes_write", json!({ "address": "much read", "content": "x" })),
        all,
        Step::tool("notes_read", json!({ "address": "much read", "offset_chars": 1 })),
        Step::text("done"),
    ]);
    let sandbox = with_extension(&model).build();
    let mut pi = sandbox.rpc();
    let ends = pi.prompt("go").tools();
    pi.finish();
    assert_eq!(ends.len(), READS + 2);
    let last = &ends[READS + 1].text;
    assert!(last.contains(&format!("accessCount: {READS}\n")), "{last}");
}

/// Scripts of the host's codemode get the structured content, of refusals too.
#[test]
fn scripts_get_structured_values() {
    let script = r#"
        await tools.notes_write({ address: "from a script", content: "one\ntwo" });
        const listed = await tools.notes_list({});
        return [listed.files[0].address, listed.more, await tools.notes_read({ address: "missing" })];
    "#;
    let model = Model::start([Step::tool("codemode", json!({ "code": script })), Step::text("done")]);
    let sandbox = with_extension(&model).args(["--tools", "+codemode"]).build();
    let mut pi = sandbox.rpc();
    let run = pi.prompt("go");
    pi.finish();
    let end = run.tools().into_iter().find(|end| end.name == "codemode").expect("the script's end");
    let output = end.text.lines().last().unwrap_or_default();
    let expected =
        json!(["from a script.md", 0, { "error": "note not found", "code": "not_found", "address": "missing" }]);
    assert_eq!(output, expected.to_string(), "{}", end.text);
}

/// Show: a call that has to wait does not stop the host; it answers, and the call ends when its turn comes.
#[test]
fn a_waiting_call_does_not_stop_the_host() {
    let model = Model::start([]);
    // A lock that another program holds keeps every write waiting.
    let sandbox = with_extension(&model).file("home/.agents/notes/.notes.lock", "").build();
    let lock = fs::File::open(sandbox.notes_home().join(".notes.lock")).expect("the lock file");
    lock.lock().expect("the lock");
    let mut pi = sandbox.rpc();
    model.push(steps(&[("notes_write", json!({ "address": "late", "content": "x" }))]));
    pi.start_prompt("go");
    pi.wait_for("the call", |event| event["type"] == "tool_execution_start");
    assert_eq!(pi.state()["isStreaming"], true);
    let ended = pi.records().iter().any(|record| record["type"] == "tool_execution_end");
    assert!(!ended, "the host answered only after the call");
    lock.unlock().expect("the lock");
    assert_eq!(pi.wait_settled().tool().structured, json!({ "address": "late", "written": true }));
    pi.finish();
}
