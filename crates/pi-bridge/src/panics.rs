//! A panic on demand, for the end-to-end tests: exists only with the feature `test-exports`.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

static ASKED: AtomicBool = AtomicBool::new(false);
static EVENTS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Makes the next tool call panic.
pub fn panic_at_next_call() {
    ASKED.store(true, Ordering::SeqCst);
}

pub(crate) fn panic_if_asked() {
    assert!(!ASKED.swap(false, Ordering::SeqCst), "a panic that a test asked for");
}

/// Makes every event of that name panic from now on; without a name, none.
pub fn panic_at_events(name: Option<String>) {
    let mut events = EVENTS.lock().unwrap_or_else(PoisonError::into_inner);
    match name {
        Some(name) => events.push(name),
        None => events.clear(),
    }
}

pub(crate) fn panic_if_asked_at(happening: &str) {
    let happening: Value = serde_json::from_str(happening).unwrap_or_default();
    let event = &happening["event"];
    let name = event.as_str().or_else(|| event.as_object()?.keys().next().map(String::as_str));
    let asked = EVENTS.lock().unwrap_or_else(PoisonError::into_inner).iter().any(|asked| Some(&**asked) == name);
    assert!(!asked, "a panic that a test asked for");
}
