//! Runs calls in turns where there are no threads: in WebAssembly.
//!
//! Nothing may block there, because that would stop the event loop that delivers what is awaited. So the loader takes
//! turns (`js/turns.js`): while there is work it calls [`turn`], which advances everything that can advance and
//! returns. The functions have the same names as in `threads.rs`, which this file replaces.

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

/// Number of rounds in one turn. In each round, every task that can continue does so once; tasks that this wakes
/// continue in the next round. A condensation without a model finishes within one turn.
const ROUNDS: usize = 64;

thread_local! {
    static RUNTIME: RefCell<Option<Runtime>> = const { RefCell::new(None) };
    /// Number of unfinished calls.
    static LEFT: Cell<usize> = const { Cell::new(0) };
    /// Called when there is work.
    static WAKE: RefCell<Option<JsCallback<()>>> = const { RefCell::new(None) };
}

/// Runs `future` in the coming turns.
///
/// # Errors
/// If the runtime cannot be built. Nothing was done then.
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

/// Always succeeds: the caller may wait, because the event loop continues between two turns.
#[expect(clippy::unnecessary_wraps, reason = "with threads there may be none that can wait")]
pub fn require_own() -> Result<(), String> {
    Ok(())
}

/// Registers `wake`, which is called when there is work.
#[napi(catch_unwind)]
pub fn take_turns(wake: JsCallback<()>) {
    WAKE.set(Some(wake));
}

/// Continues the work. Returns true if any is left.
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
