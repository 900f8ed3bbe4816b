//! First come, first served per file within the process: operations on one physical file name run in the order in which
//! they were entered, whichever store they came through.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, LazyLock, Mutex, MutexGuard, PoisonError};

static QUEUES: LazyLock<Mutex<HashMap<PathBuf, Arc<Queue>>>> = LazyLock::new(Mutex::default);

#[derive(Default)]
struct Queue {
    turns: Mutex<Turns>,
    changed: Condvar,
}

/// Tickets are numbered as drawn; `serving` is the ticket whose turn it is.
#[derive(Default)]
struct Turns {
    drawn: u64,
    serving: u64,
}

/// A turn on one file; the next in the queue goes on when it is dropped.
pub(crate) struct Turn {
    file: PathBuf,
    queue: Arc<Queue>,
}

/// Waits until every operation that entered before on this file is done.
pub(crate) fn enter(file: &Path) -> Turn {
    let mut queues = hold(&QUEUES);
    let queue = Arc::clone(queues.entry(file.to_path_buf()).or_default());
    // The ticket is drawn while the registry is held, so that a queue with waiters is never taken out of it.
    let mut turns = hold(&queue.turns);
    let ticket = turns.drawn;
    turns.drawn += 1;
    drop(queues);
    while turns.serving != ticket {
        turns = queue.changed.wait(turns).unwrap_or_else(PoisonError::into_inner);
    }
    drop(turns);
    Turn { file: file.to_path_buf(), queue }
}

/// Like [`enter`] for a reader that need not hold up others: waits for pending operations on the file, if there are any.
pub(crate) fn wait_for_pending(file: &Path) {
    let pending = {
        let queues = hold(&QUEUES);
        !queues.is_empty() && queues.contains_key(file)
    };
    if pending {
        drop(enter(file));
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut queues = hold(&QUEUES);
        let mut turns = hold(&self.queue.turns);
        turns.serving += 1;
        if turns.serving == turns.drawn {
            queues.remove(&self.file);
        }
        drop(turns);
        self.queue.changed.notify_all();
    }
}

/// The counters stay right even if a thread panicked while it held them: they are changed by single additions.
fn hold<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread;

    use super::*;

    /// Operations on one file run in the order in which they were entered; those on others do not wait.
    #[test]
    fn turns_come_in_order() {
        let file = Path::new("/queue/turns-come-in-order");
        let first = enter(file);
        drop(enter(Path::new("/queue/another")));
        let (done, order) = mpsc::channel();
        thread::scope(|scope| {
            for number in 0..20 {
                let done = done.clone();
                scope.spawn(move || {
                    let _turn = enter(file);
                    done.send(number).unwrap();
                });
                while hold(&first.queue.turns).drawn < number + 2 {
                    thread::yield_now();
                }
            }
            assert!(order.try_recv().is_err(), "all wait for the first");
            drop(first);
        });
        drop(done);
        assert_eq!(order.iter().collect::<Vec<_>>(), (0..20).collect::<Vec<_>>());
        assert!(!hold(&QUEUES).contains_key(file), "an idle file has no queue");
    }

    /// A file read by a listing waits for what is pending on the file, and for nothing else.
    #[test]
    fn readers_wait_for_what_is_pending() {
        let file = Path::new("/queue/readers-wait");
        wait_for_pending(file);
        let turn = enter(file);
        wait_for_pending(Path::new("/queue/readers-wait-elsewhere"));
        let (done, waited) = mpsc::channel();
        thread::scope(|scope| {
            scope.spawn(move || {
                wait_for_pending(file);
                done.send(()).unwrap();
            });
            while hold(&turn.queue.turns).drawn < 2 {
                assert!(waited.try_recv().is_err(), "it did not wait");
                thread::yield_now();
            }
            assert!(waited.try_recv().is_err(), "it did not wait");
            drop(turn);
            waited.recv().unwrap();
        });
    }
}
