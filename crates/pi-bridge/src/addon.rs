//! The exports that Node sees. Each only hands strings to the engine.
//!
//! A panic that unwinds into Node would abort the host: the engine catches its own, and `catch_unwind` catches what
//! could still happen on the way.

use napi::bindgen_prelude::{Env, Error, Function, Object, Result};
use napi_derive::napi;

use crate::engine::{self, ToolCall};

/// One instance of the extension.
#[napi]
pub struct Engine {
    inner: engine::Engine,
}

#[napi]
#[allow(missing_docs, reason = "documented where the engine does the work")]
impl Engine {
    #[napi(constructor, catch_unwind)]
    #[allow(clippy::new_without_default, reason = "only Node constructs it")]
    pub fn new() -> Engine {
        // A panic must not tear the host's screen; it reaches a person as a notice. Setting this twice does no harm.
        std::panic::set_hook(Box::new(|_| {}));
        Engine { inner: engine::Engine::new() }
    }

    #[napi(catch_unwind)]
    pub fn session_start(&self, facts: String) -> String {
        self.inner.session_start(&facts)
    }

    #[napi(catch_unwind)]
    pub fn window(&self, happening: String, ask: Function<'_, String, String>) -> String {
        // A question that throws in the host is one without an answer.
        self.inner.window(&happening, &mut |question| ask.call(question.to_owned()).ok())
    }

    #[napi(catch_unwind, ts_return_type = "Promise<string>")]
    pub fn collect<'env>(&self, env: &'env Env, supplies: String) -> Result<Object<'env>> {
        let (deferred, promise) = env.create_deferred()?;
        let done = move |answer| deferred.resolve(move |_| Ok(answer));
        self.inner.collect(&supplies, done).map_err(Error::from_reason)?;
        Ok(promise)
    }

    #[napi(catch_unwind)]
    pub fn render_mark(&self, view: String) -> Option<String> {
        self.inner.render_mark(&view)
    }

    #[napi(catch_unwind)]
    pub fn session_end(&self) {
        self.inner.session_end();
    }

    #[napi(catch_unwind, ts_return_type = "Promise<string>")]
    pub fn call<'env>(&self, env: &'env Env, call: String) -> Result<Object<'env>> {
        let call: ToolCall = serde_json::from_str(&call).map_err(|error| Error::from_reason(error.to_string()))?;
        let (deferred, promise) = env.create_deferred()?;
        self.inner.call(call, move |answer| deferred.resolve(move |_| Ok(answer)));
        Ok(promise)
    }

    #[napi(catch_unwind)]
    pub fn render_call(&self, view: String) -> Option<String> {
        self.inner.render_call(&view)
    }

    #[napi(catch_unwind)]
    pub fn render_result(&self, view: String) -> Option<String> {
        self.inner.render_result(&view)
    }
}

/// Makes the next tool call panic. Under test nothing is exported, so nothing would use it.
#[cfg(all(feature = "test-exports", not(test)))]
#[napi(catch_unwind)]
pub(crate) fn panic_at_next_call() {
    crate::panics::panic_at_next_call();
}

/// Makes every event of that name panic. Under test nothing is exported, so nothing would use it.
#[cfg(all(feature = "test-exports", not(test)))]
#[napi(catch_unwind)]
pub(crate) fn panic_at_events(name: Option<String>) {
    crate::panics::panic_at_events(name);
}
