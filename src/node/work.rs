//! One asynchronous call: what comes from JavaScript, and the report that goes back.

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt;
use napi::{
    Status,
    bindgen_prelude::{Buffer, FnArgs, spawn},
    threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode, UnknownReturnValue},
};

use super::{
    cancel::CancelHandle,
    error::{Result, wrong_config},
};
use crate::{
    cancel::Cancel,
    conversation::{Conversation, utf16},
    manager::{CallOptions, Report, Work, panic_message},
    providers::{CondenseError, Progress},
};

/// Whether this is the end, and JSON: of a progress event, or at the end of the report.
type Told = FnArgs<(bool, String)>;

/// Told how a call goes and how it ends. One function for both, so that no progress event arrives after the report. Weak, so that it does
/// not keep Node alive: JavaScript decides that, because only there is known whether a host's own promise is all we wait for.
pub type Listener = ThreadsafeFunction<Told, UnknownReturnValue, Told, Status, false, true>;

/// Everything JavaScript hands over for a call.
pub struct Incoming {
    messages: Buffer,
    call: CallOptions,
    host_call: u32,
    cancel: Cancel,
}

impl Incoming {
    /// Checks the options at once, so that wrong ones are thrown.
    pub fn read(messages: Buffer, call: &str, host_call: u32, cancel: &CancelHandle) -> Result<Self> {
        let call = serde_json::from_str(call).map_err(super::error::unreadable)?;
        let call = CallOptions::read(&call).map_err(wrong_config)?;
        Ok(Self { messages, call, host_call, cancel: cancel.cancel.clone() })
    }

    /// The options of the call.
    pub fn call(&self) -> &CallOptions {
        &self.call
    }

    fn parse(self, progress: Progress) -> std::result::Result<Work, CondenseError> {
        let Self { messages, call, host_call, cancel } = self;
        cancel.check()?;
        let json = utf16::utf8(&messages)
            .ok_or_else(|| CondenseError::Internal("messages did not come as UTF-16".to_owned()))?;
        drop(messages);
        let conversation = Conversation::parse(&json).map_err(|error| CondenseError::Internal(error.to_string()))?;
        Ok(Work { conversation, call, host_call, cancel, progress })
    }
}

/// Runs `work` off the main thread; `listener` is told how it goes and, always, how it ends.
pub fn report<F>(incoming: Incoming, listener: Listener, work: impl FnOnce(Work) -> F + Send + 'static)
where
    F: Future<Output = Report> + Send,
{
    let listener = std::sync::Arc::new(listener);
    let tell = move |is_end: bool, json: String| {
        // Not delivered when the environment is going away; then nobody waits for it either.
        listener.call((is_end, json).into(), ThreadsafeFunctionCallMode::NonBlocking);
    };
    spawn(async move {
        let prev = incoming.call.total_tokens;
        let tell_progress = tell.clone();
        let progress = Progress::new(move |event| {
            if let Ok(json) = serde_json::to_string(&event) {
                tell_progress(false, json);
            }
        });
        let finished = AssertUnwindSafe(async move {
            match incoming.parse(progress) {
                Ok(parsed) => {
                    let exported = parsed.conversation.clone();
                    exported.export(&work(parsed).await)
                }
                Err(error) => serde_json::to_string(&Report::failed(error, prev)),
            }
        })
        .catch_unwind()
        .await;
        let error = match finished {
            Ok(Ok(json)) => return tell(true, json),
            Ok(Err(error)) => error.to_string(),
            Err(panic) => panic_message(&*panic),
        };
        let failed = Report::failed(CondenseError::Internal(error), prev);
        tell(true, serde_json::to_string(&failed).unwrap_or_default());
    });
}
