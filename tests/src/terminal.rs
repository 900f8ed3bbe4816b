//! The interactive Pi in a pseudo-terminal, with an emulator that knows what is on the screen.

use std::{
    io::{Read, Write},
    num::NonZeroU16,
    process::Command,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread::{self, JoinHandle},
    time::Instant,
};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use vt100::{Callbacks, Color, Parser, Screen};

use crate::PATIENCE;

/// A process in a terminal; dropped, it is killed.
pub struct Terminal {
    child: Box<dyn Child + Send + Sync>,
    writer: Box<dyn Write + Send>,
    display: Arc<Display>,
    reader: Option<JoinHandle<()>>,
    // Closing the master end ends the terminal, so it stays open as long as the process is watched.
    _master: Box<dyn MasterPty + Send>,
}

impl Terminal {
    pub(crate) fn start(command: &Command, rows: u16, columns: u16) -> Terminal {
        let size = PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).expect("a pseudo-terminal");
        let mut builder = CommandBuilder::new(command.get_program());
        builder.args(command.get_args());
        builder.env_clear();
        for (name, value) in command.get_envs() {
            builder.env(name, value.unwrap_or_default());
        }
        builder.env("TERM", "xterm-256color");
        builder.env("COLORTERM", "truecolor");
        if let Some(folder) = command.get_current_dir() {
            builder.cwd(folder);
        }
        let child = pair.slave.spawn_command(builder).expect("a process in the terminal");
        // The reader sees the end only when no slave end is open any more.
        drop(pair.slave);
        let stream = pair.master.try_clone_reader().expect("the terminal's output");
        let writer = pair.master.take_writer().expect("the terminal's input");
        let parser = Parser::new_with_callbacks(some(rows), some(columns), 0, Title::default());
        let screen = State { parser, ended: false };
        let display = Arc::new(Display { state: Mutex::new(screen), changed: Condvar::new() });
        let reader = thread::spawn({
            let display = Arc::clone(&display);
            move || display.show(stream)
        });
        Terminal { child, writer, display, reader: Some(reader), _master: pair.master }
    }

    /// Types text as a keyboard would; `\r` is Enter, `\x03` is Ctrl+C, `\x1b` is Escape.
    ///
    /// # Panics
    ///
    /// When the terminal is closed.
    pub fn type_text(&mut self, text: &str) {
        let typed = self.writer.write_all(text.as_bytes()).and_then(|()| self.writer.flush());
        if let Err(error) = typed {
            panic!("cannot type {text:?}: {error}\n{}", self.text());
        }
    }

    /// Waits until Pi takes what is typed: it sets the window title at the end of its start-up.
    ///
    /// # Panics
    ///
    /// When it does not within [`PATIENCE`]; the failure shows the screen.
    pub fn wait_ready(&self) {
        self.wait_state("the end of start-up", |state| !state.parser.callbacks().text.is_empty());
    }

    /// Waits until the text stands on the screen.
    ///
    /// # Panics
    ///
    /// When it does not come within [`PATIENCE`]; the failure shows the screen.
    pub fn wait_for(&self, text: &str) {
        self.wait_until(&format!("{text:?} on the screen"), |screen| screen.contents().contains(text));
    }

    /// Waits until the screen meets a condition; `what` names it in a failure.
    ///
    /// # Panics
    ///
    /// When it does not within [`PATIENCE`]; the failure shows the screen.
    pub fn wait_until(&self, what: &str, met: impl Fn(&Screen) -> bool) {
        self.wait_state(what, |state| met(state.parser.screen()));
    }

    /// What stands on the screen, one line a row, without trailing blanks.
    pub fn text(&self) -> String {
        self.display.lock().parser.screen().contents()
    }

    /// The foreground colour of the first character of the first occurrence of `text` within a row.
    pub fn color_of(&self, text: &str) -> Option<Color> {
        let state = self.display.lock();
        let screen = state.parser.screen();
        let (_, columns) = screen.size();
        let (row, line) = screen.rows(0, columns.get()).enumerate().find(|(_, line)| line.contains(text))?;
        let column = line[..line.find(text)?].chars().count();
        let cell = screen.cell(u16::try_from(row).ok()?, u16::try_from(column).ok()?)?;
        Some(cell.fgcolor())
    }

    /// Waits for the process to end by itself, and says whether it succeeded.
    ///
    /// # Panics
    ///
    /// When it does not end within [`PATIENCE`].
    pub fn wait_end(mut self) -> bool {
        let deadline = Instant::now() + PATIENCE;
        let mut state = self.display.lock();
        while !state.ended {
            let left = deadline.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "the process did not end\n{}", state.parser.screen().contents());
            state = self.display.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        drop(state);
        self.child.wait().expect("a child that can be waited for").success()
    }

    fn wait_state(&self, what: &str, met: impl Fn(&State) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        let mut state = self.display.lock();
        while !met(&state) {
            let left = deadline.saturating_duration_since(Instant::now());
            if state.ended || left.is_zero() {
                let why = if state.ended { "the process ended" } else { "time ran out" };
                panic!("{why} while waiting for {what}\n{}", state.parser.screen().contents());
            }
            state = self.display.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // Errors mean that it has ended, which is what is wanted.
        let _ = self.child.kill();
        let _ = self.child.wait();
        if let Some(reader) = self.reader.take() {
            let _ = reader.join();
        }
    }
}

struct Display {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    parser: Parser<Title>,
    ended: bool,
}

/// The window title, as last set.
#[derive(Default)]
struct Title {
    text: Vec<u8>,
}

impl Callbacks for Title {
    fn set_window_title(&mut self, _: &mut Screen, title: &[u8]) {
        self.text = title.to_owned();
    }
}

impl Display {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn show(&self, mut stream: impl Read) {
        let mut buffer = [0; 8192];
        while let Ok(count @ 1..) = stream.read(&mut buffer) {
            self.lock().parser.process(&buffer[..count]);
            self.changed.notify_all();
        }
        self.lock().ended = true;
        self.changed.notify_all();
    }
}

fn some(cells: u16) -> NonZeroU16 {
    NonZeroU16::new(cells).expect("a terminal of at least one row and column")
}
