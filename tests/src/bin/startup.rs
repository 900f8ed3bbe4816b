//! Measures what the extension adds to the start-up of Pi: from the start of the process to its first answer over RPC.

use std::time::Instant;

use palimpsest_tests::{Model, Sandbox, extension_folder};

/// Starts of each kind; the kinds take turns, so that a slow moment of the machine hits both.
const ROUNDS: usize = 25;

/// Starts that are not counted: they fill the caches of the disk and of Node's compiled code.
const WARM_UP: usize = 3;

/// What any extension costs: the host reads, compiles and calls it.
const EMPTY: &str = "export default () => {}";

fn main() {
    let model = Model::start([]);
    let kinds = [
        ("without an extension", Sandbox::plain(&model)),
        ("with an empty extension", Sandbox::builder(&model).extension_file("empty.js", EMPTY).build()),
        ("with Palimpsest", Sandbox::builder(&model).extension(extension_folder()).build()),
    ];
    let mut times = [const { Vec::new() }; 3];
    for round in 0..WARM_UP + ROUNDS {
        for ((_, sandbox), times) in kinds.iter().zip(&mut times) {
            let taken = start(sandbox);
            if round >= WARM_UP {
                times.push(taken);
            }
        }
    }
    anstream::println!("| Start-up of Pi (rpc, {ROUNDS} starts each) | fastest | median | slowest |");
    anstream::println!("| --- | ---: | ---: | ---: |");
    for ((name, _), times) in kinds.iter().zip(&mut times) {
        times.sort_by(f64::total_cmp);
        let [fastest, median, slowest] = [0, ROUNDS / 2, ROUNDS - 1].map(|index| times[index]);
        anstream::println!("| {name} | {fastest:.0} ms | {median:.0} ms | {slowest:.0} ms |");
    }
    let added = |kind: usize| times[2][ROUNDS / 2] - times[kind][ROUNDS / 2];
    let (all, own) = (added(0), added(1));
    anstream::println!("\nPalimpsest adds {all:.0} ms by the medians; compared with an empty extension {own:+.0} ms.");
}

/// The time until Pi answers its first command, which it does when the session has started, in milliseconds.
fn start(sandbox: &Sandbox) -> f64 {
    let begin = Instant::now();
    let mut pi = sandbox.rpc();
    pi.state();
    let taken = begin.elapsed();
    pi.finish();
    taken.as_secs_f64() * 1_000.0
}
