//! Child processes with bounded waits: nothing that a test starts outlives it.

use std::{
    io::Read,
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex, PoisonError},
    thread::{self, JoinHandle},
};

use wait_timeout::ChildExt;

use crate::PATIENCE;

/// How a process ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exit {
    /// The exit code; `None` when a signal ended the process.
    pub code: Option<i32>,
    /// What it wrote to standard output, unless that was read as it came.
    pub stdout: String,
    /// What it wrote to standard error.
    pub stderr: String,
}

/// Runs a command to its end without input.
pub(crate) fn run(mut command: Command) -> Exit {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = Owned(command.spawn().unwrap_or_else(|error| panic!("cannot start {command:?}: {error}")));
    let stdout = Collected::start(child.0.stdout.take().expect("a piped stdout"));
    let stderr = Collected::start(child.0.stderr.take().expect("a piped stderr"));
    let Some(code) = child.wait() else {
        panic!("{command:?} did not end\nstdout:\n{}\nstderr:\n{}", stdout.so_far(), stderr.so_far());
    };
    Exit { code, stdout: stdout.finish(), stderr: stderr.finish() }
}

/// A child that is killed when its owner goes.
#[derive(Debug)]
pub(crate) struct Owned(pub(crate) Child);

impl Owned {
    /// Waits for the end: the exit code, or nothing when [`PATIENCE`] ran out.
    pub(crate) fn wait(&mut self) -> Option<Option<i32>> {
        let status = self.0.wait_timeout(PATIENCE).expect("a child that can be waited for")?;
        Some(status.code())
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        // Errors mean that it has ended, which is what is wanted.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A stream that a thread reads to its end.
#[derive(Debug)]
pub(crate) struct Collected {
    bytes: Arc<Mutex<Vec<u8>>>,
    reader: JoinHandle<()>,
}

impl Collected {
    pub(crate) fn start(mut stream: impl Read + Send + 'static) -> Collected {
        let bytes = Arc::new(Mutex::new(Vec::new()));
        let reader = thread::spawn({
            let bytes = Arc::clone(&bytes);
            move || {
                let mut buffer = [0; 8192];
                while let Ok(count @ 1..) = stream.read(&mut buffer) {
                    bytes.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(&buffer[..count]);
                }
            }
        });
        Collected { bytes, reader }
    }

    /// What has been read until now.
    pub(crate) fn so_far(&self) -> String {
        String::from_utf8_lossy(&self.bytes.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
    }

    /// Everything, once the stream has ended.
    pub(crate) fn finish(self) -> String {
        self.reader.join().expect("a reader that does not panic");
        String::from_utf8_lossy(&self.bytes.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
    }
}
