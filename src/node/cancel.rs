//! The abort signal as the addon sees it.

use napi::Env;
use napi_derive::napi;

use super::{environment, thrown::Result};
use crate::cancel::Cancel;

/// A signal that JavaScript sets when its `AbortSignal` fires, and that is set when the environment ends. (napi's own
/// type for signals overwrites `onabort`, and ignores signals that are already aborted.)
#[napi]
pub struct CancelHandle {
    pub(super) cancel: Cancel,
}

#[napi]
impl CancelHandle {
    #[napi(constructor, catch_unwind)]
    pub fn new(env: &Env) -> Result<Self> {
        Ok(Self { cancel: environment::cancel_of(env)? })
    }

    /// Cancels the work.
    #[napi]
    pub fn cancel(&self) {
        self.cancel.cancel();
    }
}
