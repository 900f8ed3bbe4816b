//! What people see.

use palimpsest_window::*;

use crate::support::show_notice;
use crate::world::World;

fn versions() -> Versions {
    Versions { product: "0.1.0".into(), build: Some("abc123".into()), host: "1.6.0".into() }
}

/// G5.12, B15, B21: footer, status and panel in the root window, behind a wipe, while off, and without facts.
#[test]
fn footer_status_and_panel() {
    let check = |world: &mut World, footer: &str, status: &str, panel: &str| {
        let view = world.windows.view(&world.branch, &mut world.host);
        assert_eq!(view.footer(), footer);
        assert_eq!(show_notice(&view.status(&versions())), status);
        assert_eq!(view.panel(&versions()).join("\n"), panel);
    };
    let mut world = World::started();
    world.step("used 72,563");
    check(
        &mut world,
        "window 1, 98,765 tokens left",
        "Info: context windows are on; palimpsest 0.1.0 (abc123), pi 1.6.0; window pcw:01987a2f:root; 98,765 tokens left \
         before memory is wiped, 111,053 before the reserve",
        "context windows: on\n\
         window 1: pcw:01987a2f:root (nothing was wiped yet)\n\
         [##############.................r..w.X...] 72,563 of 200,000 tokens used\n\
         r reminder, w last call, X reserve; 98,765 tokens to the last call, 111,053 to the reserve\n\
         palimpsest 0.1.0 (abc123), pi 1.6.0",
    );
    let mut world = World::wiped();
    world.step("used unknown");
    world.step("assistant used 190,000");
    check(
        &mut world,
        "window 2, 0 tokens left",
        "Info: context windows are on; palimpsest 0.1.0 (abc123), pi 1.6.0; window pcw:01987a2f:00000001; 0 tokens left \
         before memory is wiped, 0 before the reserve",
        "context windows: on\n\
         window 2: pcw:01987a2f:00000001 (memory was wiped before it: the model asked for it)\n\
         windows so far: pcw:01987a2f:root, pcw:01987a2f:00000001\n\
         [###############################r##w#X#..] 190,000 of 200,000 tokens used\n\
         r reminder, w last call, X reserve; 0 tokens to the last call, 0 to the reserve\n\
         palimpsest 0.1.0 (abc123), pi 1.6.0",
    );
    let mut world = World::started();
    world.step("toggle off");
    world.step("used unknown");
    check(
        &mut world,
        "window 1, windows off",
        "Info: context windows are off; palimpsest 0.1.0 (abc123), pi 1.6.0; window pcw:01987a2f:root",
        "context windows: off. /pi-context on turns context windows on\n\
         window 1: pcw:01987a2f:root (nothing was wiped yet)\n\
         room: not known before the next answer\n\
         palimpsest 0.1.0 (abc123), pi 1.6.0",
    );
    world.step("toggle on");
    let view = world.windows.view(&world.branch, &mut world.host);
    assert_eq!(view.footer(), "window 1");
    let unknown = view.status(&Versions { build: None, ..versions() });
    assert!(unknown.text.contains("palimpsest 0.1.0 (unknown build)"));
}

/// G5.12: a footer is right just after a reset, when the host itself does not know what is used.
#[test]
fn the_footer_just_after_a_reset() {
    let mut world = World::wiped();
    world.step("used unknown");
    let view = world.windows.view(&world.branch, &mut world.host);
    let used = estimate(&world.host.projected.expect("the host can say")[1..]);
    assert!(used > 500, "a boot and a continuation: {used}");
    assert_eq!(view.room.map(|room| room.used), Some(used));
    let windows_on = world.windows.is_on();
    assert!(windows_on);
}

/// C1: a bar without stages, and windows of no size.
#[test]
fn bars_at_the_edge() {
    let bar = |size, used, reserve| {
        let lines = Lines::of(&Policy { reserve, ..Policy::default() }, size);
        let room = Some(Room { context_window: size, used, lines });
        let view = View { off: None, window: "w".into(), ordinal: 1, windows: vec!["w".into()], cause: None, room };
        view.panel(&versions())[2..4].join("\n")
    };
    assert_eq!(
        bar(20_000, 30_000, 16_384),
        "[#######X################################] 30,000 of 20,000 tokens used\n\
         X reserve, no stages before it; 0 tokens to the last call, 0 to the reserve"
    );
    assert_eq!(
        bar(0, 0, 0),
        "[.......................................X] 0 of 1 tokens used\n\
         X reserve, no stages before it; 0 tokens to the last call, 0 to the reserve"
    );
}

/// B21, G5.12: the mark in the transcript names the cause and the window's number; "unknown" without a checkpoint.
#[test]
fn the_mark_of_a_reset() {
    for cause in Cause::ALL {
        assert_eq!(Cause::parse(cause.as_str()), Some(cause));
        let mut branch = Branch::new("s", 0);
        for draft in [
            Draft::Checkpoint { window_id: "a".into(), cause, data: None, usage: None },
            Draft::Marker { window_id: "a".into() },
        ] {
            branch.push(draft.to_entry("e", 0));
        }
        let words = match cause {
            Cause::Tool => "the model asked for it",
            Cause::Budget => "room had run out after the last call",
            Cause::Manual => "by /wipe-memory",
            Cause::Reserve => "a turn had reached the reserve",
            Cause::Overflow => "a request did not fit",
            Cause::Repair => "by /wipe-memory, in a window that had lost its boot",
        };
        assert_eq!(reset_mark(&branch, "a"), format!("memory was wiped here: {words}. window 2 begins"));
    }
    let mut legacy = Branch::new("s", 0);
    legacy.push(Draft::Marker { window_id: "a".into() }.to_entry("e", 0));
    assert_eq!(reset_mark(&legacy, "a"), "memory was wiped here: cause unknown. window 2 begins");
    assert_eq!(reset_mark(&legacy, "elsewhere"), "memory was wiped here: cause unknown");
}
