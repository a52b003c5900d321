//! JavaScript functions that our threads call.

use napi::{
    Either, Status,
    bindgen_prelude::Promise,
    threadsafe_function::{self, UnknownReturnValue},
};

use super::threads;

/// A JavaScript function. Any thread may call it; it runs on its own thread. It is weak: it does not keep Node alive,
/// because only the JavaScript side knows whether we are waiting for a promise of the host. After its environment has
/// ended, calls do nothing.
#[expect(
    clippy::disallowed_types,
    reason = "the one place; what ends with an environment is here a flag behind a lock"
)]
pub type JsCallback<Args, Return = UnknownReturnValue> =
    threadsafe_function::ThreadsafeFunction<Args, Return, Args, Status, false, true>;

/// A function that answers a question, at once or with a promise. Questions and answers are JSON.
pub type JsAnswerer = JsCallback<String, Either<Promise<String>, String>>;

/// Returns JavaScript's answer to a question.
///
/// # Errors
/// The message with which the function threw or the promise was rejected; the environment has ended; or the calling
/// thread is the one that would run the function.
pub async fn ask(function: &JsAnswerer, question: String) -> Result<String, String> {
    threads::require_own()?;
    let answer = async {
        match function.call_async_catch(question).await? {
            Either::A(promise) => promise.await,
            Either::B(answer) => Ok(answer),
        }
    };
    answer.await.map_err(|error: napi::Error| error.reason.clone())
}
