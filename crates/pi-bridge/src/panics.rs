//! A panic on demand, for the end-to-end tests: exists only with the feature `test-exports`.

use std::sync::atomic::{AtomicBool, Ordering};

static ASKED: AtomicBool = AtomicBool::new(false);

/// Makes the next tool call panic.
pub fn panic_at_next_call() {
    ASKED.store(true, Ordering::SeqCst);
}

pub(crate) fn panic_if_asked() {
    assert!(!ASKED.swap(false, Ordering::SeqCst), "a panic that a test asked for");
}
