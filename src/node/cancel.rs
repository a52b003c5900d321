//! The abort signal as the addon sees it.

use napi_derive::napi;

use crate::cancel::Cancel;

/// Set from JavaScript when its `AbortSignal` fires. (napi's own type for signals overwrites `onabort` and ignores signals that
/// are aborted already.)
#[napi]
#[derive(Default)]
pub struct CancelHandle {
    pub(super) cancel: Cancel,
}

#[napi]
impl CancelHandle {
    #[napi(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Stops the work.
    #[napi]
    pub fn cancel(&self) {
        self.cancel.cancel();
    }
}
