//! One step of a command: a child process with one line of progress, whose output is shown only when it fails.

use std::fmt;
use std::io::{self, BufRead, BufReader, IsTerminal, Read, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};

/// Runs `command` under the title `what` and returns the lines of its standard output.
///
/// # Errors
/// When the program cannot be started or fails; everything it printed is shown before this returns.
pub(crate) fn run(what: &str, command: &mut Command) -> Result<Vec<String>> {
    let line = CommandLine::of(command);
    let mut progress = Progress::start(what);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => {
            progress.end(false);
            return Err(error).with_context(|| format!("cannot start `{line}`"));
        }
    };

    let (sender, receiver) = mpsc::channel();
    forward(child.stdout.take(), true, &sender);
    forward(child.stderr.take(), false, &sender);
    drop(sender);
    let mut stdout = Vec::new();
    let mut log = Vec::new();
    loop {
        match receiver.recv_timeout(Duration::from_millis(250)) {
            Ok((from_stdout, text)) => {
                progress.last_line.clone_from(&text);
                if from_stdout {
                    stdout.push(text.clone());
                }
                log.push(text);
            }
            Err(RecvTimeoutError::Timeout) => progress.tick(),
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }

    let status = child.wait().with_context(|| format!("cannot wait for `{line}`"))?;
    progress.end(status.success());
    if !status.success() {
        for text in &log {
            eprintln!("    {text}");
        }
        bail!("{what}: `{line}` failed ({status}); its output is above");
    }
    Ok(stdout)
}

/// Adds to an error what to do about it.
pub(crate) fn with_remedy<T>(result: Result<T>, remedy: &str) -> Result<T> {
    result.map_err(|error| anyhow!("{error:#}\n  {remedy}"))
}

/// A duration for people: `0.4 s`, `38 s`, `4 min 12 s`.
pub(crate) fn human(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match seconds {
        0..10 => format!("{:.1} s", duration.as_secs_f64()),
        10..60 => format!("{seconds} s"),
        _ => format!("{} min {} s", seconds / 60, seconds % 60),
    }
}

/// Shows what runs: on a terminal one line that is rewritten, elsewhere one line with a dot every half minute.
struct Progress<'a> {
    what: &'a str,
    started: Instant,
    on_terminal: bool,
    dots: u64,
    last_line: String,
}

impl<'a> Progress<'a> {
    fn start(what: &'a str) -> Self {
        let on_terminal = io::stderr().is_terminal();
        eprint!("  {what} …");
        Self { what, started: Instant::now(), on_terminal, dots: 0, last_line: String::new() }
    }

    fn tick(&mut self) {
        let elapsed = self.started.elapsed();
        if self.on_terminal {
            // A line that wraps could not be rewritten, so it stays below the smallest common width.
            let line = format!("  {} … {} s  {}", self.what, elapsed.as_secs(), self.last_line.trim());
            let line: String = line.chars().filter(|c| !c.is_control()).take(78).collect();
            eprint!("\r\x1b[K{line}");
        } else if elapsed.as_secs() / 30 > self.dots {
            self.dots += 1;
            eprint!(".");
        }
        // Progress is a courtesy: a closed stream must not end the work.
        let _ = io::stderr().flush();
    }

    fn end(&self, success: bool) {
        let outcome = if success { "" } else { "failed after " };
        let elapsed = human(self.started.elapsed());
        if self.on_terminal {
            eprintln!("\r\x1b[K  {}: {outcome}{elapsed}", self.what);
        } else {
            eprintln!(" {outcome}{elapsed}");
        }
    }
}

fn forward(stream: Option<impl Read + Send + 'static>, from_stdout: bool, sender: &Sender<(bool, String)>) {
    let Some(stream) = stream else { return };
    let sender = sender.clone();
    thread::spawn(move || {
        let mut stream = BufReader::new(stream);
        let mut bytes = Vec::new();
        while matches!(stream.read_until(b'\n', &mut bytes), Ok(1..)) {
            let text = String::from_utf8_lossy(&bytes);
            if sender.send((from_stdout, text.trim_end_matches(['\n', '\r']).to_owned())).is_err() {
                return;
            }
            bytes.clear();
        }
    });
}

/// A command as one would type it, for messages.
struct CommandLine(Vec<String>);

impl CommandLine {
    fn of(command: &Command) -> Self {
        let program = command.get_program().to_string_lossy();
        // Cargo hands us its own absolute path; a person types its name.
        let program = program.rsplit(['/', '\\']).next().unwrap_or(&program).to_owned();
        let arguments = command.get_args().map(|argument| argument.to_string_lossy().into_owned());
        Self([program].into_iter().chain(arguments).collect())
    }
}

impl fmt::Display for CommandLine {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_well() {
        let cases = [(400, "0.4 s"), (9_999, "10.0 s"), (38_000, "38 s"), (252_000, "4 min 12 s")];
        for (milliseconds, expected) in cases {
            assert_eq!(human(Duration::from_millis(milliseconds)), expected);
        }
    }

    #[test]
    fn a_step_returns_standard_output_only_and_names_the_command_that_failed() {
        let output = run("a step", Command::new("sh").args(["-c", "echo out; echo err >&2"])).unwrap();
        assert_eq!(output, ["out"]);

        let error = run("a step", Command::new("sh").args(["-c", "exit 3"])).unwrap_err();
        assert_eq!(error.to_string(), "a step: `sh -c exit 3` failed (exit status: 3); its output is above");

        let error = run("a step", &mut Command::new("/nowhere/program")).unwrap_err();
        assert_eq!(error.to_string(), "cannot start `program`");
    }
}
