//! The environments that have loaded the addon: the main thread, worker threads, windows. Each may end during calls.

use std::cell::RefCell;

use napi::Env;

use super::thrown::{Result, thrown};
use crate::cancel::Cancel;

thread_local! {
    /// The environments of this thread, by address, with the signals that cancel their work. A thread may have
    /// several, also one after the other.
    static ENVIRONMENTS: RefCell<Vec<(usize, Cancel)>> = const { RefCell::new(Vec::new()) };
}

/// Creates a signal that is also set when the environment ends: its results cannot be delivered then, and work that
/// waits for a function of JavaScript would wait forever.
pub fn cancel_of(env: &Env) -> Result<Cancel> {
    ENVIRONMENTS.with_borrow_mut(|environments| {
        let address = env.raw() as usize;
        if let Some((_, ending)) = environments.iter().find(|(known, _)| *known == address) {
            return Ok(ending.child());
        }
        let hook = env.add_env_cleanup_hook(address, end);
        hook.map_err(|error| thrown("internal_error", error))?;
        let ending = Cancel::new();
        let cancel = ending.child();
        environments.push((address, ending));
        Ok(cancel)
    })
}

fn end(address: usize) {
    ENVIRONMENTS.with_borrow_mut(|environments| {
        environments.retain(|(known, ending)| {
            if *known == address {
                ending.cancel();
            }
            *known != address
        });
    });
}
