//! The main job on an embedded default: the real Pi keeps notes through Palimpsest while a scripted model plays its
//! part. Prints for a person what was said and done, and what lies on disk afterwards.

mod show;
mod story;

use std::{panic, process::ExitCode};

use clap::Parser;
use palimpsest_tests::{Model, Request, Sandbox, ToolEnd, extension_folder};
use show::Show;
use story::{SCENES, Scene, Started};

/// Runs the real Pi with the extension through a short story, on a scripted model and in a private folder.
#[derive(Parser)]
struct Options {
    /// Keep the folder (notes, session files) and print its path.
    #[arg(long)]
    keep: bool,
}

fn main() -> ExitCode {
    let options = Options::parse();
    panic::set_hook(Box::new(|info| {
        let text = info.payload_as_str().unwrap_or("something went wrong");
        anstream::eprintln!("demo failed: {text}");
    }));
    // The harness reports every failure as a panic; here it becomes the exit code.
    match panic::catch_unwind(|| run(&options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn run(options: &Options) {
    let model = Model::start(SCENES.iter().flat_map(Scene::steps).collect::<Vec<_>>());
    let sandbox = Sandbox::builder(&model).extension(extension_folder()).build();
    let show = Show;
    show.title("A real Pi with Palimpsest. The model is scripted, everything else is as it is for you.");
    let mut pi = sandbox.rpc();
    for scene in SCENES {
        if scene.started == Started::Afresh {
            pi.new_session();
            show.stage("a new session: the conversation is gone from the context, the notes and the history are not");
        }
        show.user(scene.user);
        let mut outcomes = Vec::new();
        pi.start_prompt(scene.user);
        pi.follow(|event| {
            show.event(event);
            if event["type"] == "tool_execution_end" {
                outcomes.push(ToolEnd::of(event));
            }
        });
        check(scene, &outcomes);
        if outcomes.iter().any(|end| end.name == "wipe_memory") {
            show_wipe(show, &model.requests());
        }
    }
    let told: Vec<_> = pi.notices().into_iter().map(|notice| (notice.level, notice.message)).collect();
    let wiped = matches!(&told[..], [(level, text)] if level == "info" && text.contains("memory was cleared"));
    assert!(wiped, "one notice was expected, of the wipe, but the extension said {told:?}");
    pi.finish();
    show.title("What lies on disk now: plain files, below ~/.agents/notes.");
    let notes = show.notes(&sandbox.notes_home());
    assert_eq!(notes, story::NOTES, "the notes on disk are not the ones of the story");
    if options.keep {
        show.title(&format!("kept: {}", sandbox.keep().display()));
    }
}

/// Shows the requests around the last wipe; the model must have lost what came before it.
fn show_wipe(show: Show, requests: &[Request]) {
    let shrinks = |pair: &&[Request]| pair[1].messages().len() < pair[0].messages().len();
    let around = requests.windows(2).rfind(shrinks);
    let Some([before, after]) = around else { panic!("no request became shorter: nothing was wiped") };
    show.stage("memory was wiped here. what the provider was sent before and after:");
    show.request("before", before);
    show.request("after", after);
}

/// The tools of a scene must have run as the story tells, refusals included, and the last one must say what it tells.
fn check(scene: &Scene, outcomes: &[ToolEnd]) {
    let ran: Vec<_> = outcomes.iter().map(|end| (end.name.as_str(), end.is_error)).collect();
    assert_eq!(ran, scene.expected(), "at {:?} the tools did not run as told: {outcomes:?}", scene.user);
    let said = outcomes.last().is_some_and(|end| end.text.contains(scene.proof));
    assert!(said, "at {:?} the last tool did not say {:?}: {outcomes:?}", scene.user, scene.proof);
}
