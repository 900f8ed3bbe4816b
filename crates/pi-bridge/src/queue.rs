//! One thread that does slow work of one kind, in the order in which it was asked for.

use std::sync::Mutex;
use std::sync::mpsc::{Sender, channel};
use std::thread;

type Job = Box<dyn FnOnce() + Send>;

/// A queue of jobs with a thread of its own. The thread starts with the first job and ends after the last one, once
/// the queue is dropped.
#[derive(Default)]
pub(crate) struct Queue(Mutex<Option<Sender<Job>>>);

impl Queue {
    /// Does a job after those given before. Jobs must catch their own panics.
    ///
    /// Where no thread can be had the job runs right here: late is better than never.
    pub(crate) fn run(&self, job: impl FnOnce() + Send + 'static) {
        let mut sender = self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let job: Job = Box::new(job);
        match sender.take().or_else(start) {
            Some(queue) => match queue.send(job) {
                Ok(()) => *sender = Some(queue),
                Err(unsent) => (unsent.0)(),
            },
            None => job(),
        }
    }
}

fn start() -> Option<Sender<Job>> {
    let (sender, jobs) = channel::<Job>();
    let worker = thread::Builder::new().name("palimpsest".into());
    worker.spawn(move || jobs.into_iter().for_each(|job| job())).ok()?;
    Some(sender)
}
