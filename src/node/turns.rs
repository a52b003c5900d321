//! The turns in which calls are worked on where there are no threads: in WebAssembly.
//!
//! Nothing may wait there, because who waits holds up the event loop that would bring what is waited for. So the loader takes turns (`js/turns.js`): as
//! long as there is work it calls [`turn`], which goes on with whatever can go on and returns. The names are those of `threads.rs`, in whose place this
//! stands.

use std::{
    cell::{Cell, RefCell},
    io,
};

use napi::threadsafe_function::ThreadsafeFunctionCallMode;
use napi_derive::napi;
use tokio::{
    runtime::{Builder, Runtime},
    task::yield_now,
};

use super::{
    callback::JsCallback,
    thrown::{self, told},
};
use crate::{manager::Report, providers::CondenseError};

/// Each lets all that can go on do so once; what follows from it goes on in the next. A condensation that asks nobody is done within one turn.
const ROUNDS: usize = 64;

thread_local! {
    static RUNTIME: RefCell<Option<Runtime>> = const { RefCell::new(None) };
    /// Calls that are not done.
    static LEFT: Cell<usize> = const { Cell::new(0) };
    /// Called when there is work.
    static WAKE: RefCell<Option<JsCallback<()>>> = const { RefCell::new(None) };
}

/// Works on `future` in the turns to come.
///
/// # Errors
/// The runtime cannot be built. Nothing was done.
pub fn spawn(future: impl Future<Output = ()> + Send + 'static) -> io::Result<()> {
    RUNTIME.with_borrow_mut(|runtime| {
        let runtime = match runtime {
            Some(runtime) => runtime,
            none => none.insert(Builder::new_current_thread().enable_time().build()?),
        };
        LEFT.set(LEFT.get() + 1);
        runtime.spawn(async {
            future.await;
            LEFT.set(LEFT.get() - 1);
        });
        Ok::<_, io::Error>(())
    })?;
    WAKE.with_borrow(|wake| {
        if let Some(wake) = wake {
            wake.call((), ThreadsafeFunctionCallMode::NonBlocking);
        }
    });
    Ok(())
}

/// Succeeds always: the caller may wait, because the event loop goes on between two turns.
#[expect(clippy::unnecessary_wraps, reason = "with threads there may be none that can wait")]
pub fn require_own() -> Result<(), String> {
    Ok(())
}

/// Registers `wake`, which is called when there is work.
#[napi(catch_unwind)]
pub fn take_turns(wake: JsCallback<()>) {
    WAKE.set(Some(wake));
}

/// Goes on with the work; whether any is left.
#[napi(catch_unwind)]
pub fn turn() -> bool {
    RUNTIME.with_borrow(|runtime| {
        if let Some(runtime) = runtime {
            runtime.block_on(async {
                for _ in 0..ROUNDS {
                    yield_now().await;
                }
            });
        }
    });
    LEFT.get() > 0
}

/// Returns the report, as JSON, for calls that were not done when the instance ended by a trap. It is read beforehand,
/// because nothing can be then.
#[napi(catch_unwind)]
pub fn report_of_trap() -> thrown::Result<String> {
    let message = "the WebAssembly instance has ended by a fault of its own".to_owned();
    told(&Report::failed(CondenseError::Internal(message), None))
}
