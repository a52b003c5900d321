//! One asynchronous call: what comes from JavaScript, and the report that goes back.

use std::{panic::AssertUnwindSafe, time::Duration};

use futures_util::FutureExt;
use napi::{
    Env, Status,
    bindgen_prelude::{Buffer, ClassInstance, PromiseRaw},
    threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode, UnknownReturnValue},
};

use super::{
    cancel::CancelHandle,
    error::{Code, Result, thrown, wrong_config},
    handler::NativeHandler,
};
use crate::{
    cancel::Cancel,
    conversation::Conversation,
    manager::{CallOptions, Report, Work, panic_message},
    providers::{CondenseError, Llm, Progress},
};

/// Called with each progress event as JSON. Weak, so that it does not keep Node alive.
pub type ProgressCallback = ThreadsafeFunction<String, UnknownReturnValue, String, Status, false, true>;

/// The handler of the conversation and that for summaries.
pub type Handlers<'env> = (Option<ClassInstance<'env, NativeHandler>>, Option<ClassInstance<'env, NativeHandler>>);

/// Everything JavaScript hands over for a call.
pub struct Incoming {
    messages: Buffer,
    call: CallOptions,
    host_call: u32,
    cancel: Cancel,
    progress: Progress,
    llm: Llm,
}

impl Incoming {
    /// Checks the options at once, so that wrong ones are thrown.
    pub fn read(
        messages: Buffer,
        call: &str,
        host_call: u32,
        cancel: &CancelHandle,
        progress: Option<ProgressCallback>,
    ) -> Result<Self> {
        let call = serde_json::from_str(call).map_err(super::error::unreadable)?;
        let call = CallOptions::read(&call).map_err(wrong_config)?;
        let progress = progress.map_or_else(Progress::default, |callback| {
            Progress::new(move |event| {
                if let Ok(json) = serde_json::to_string(&event) {
                    callback.call(json, ThreadsafeFunctionCallMode::NonBlocking);
                }
            })
        });
        Ok(Self { messages, call, host_call, cancel: cancel.cancel.clone(), progress, llm: Llm::default() })
    }

    /// Adds the handlers of the call.
    pub fn with_handlers(mut self, handlers: &Handlers) -> Self {
        let of =
            |handler: &Option<ClassInstance<NativeHandler>>| handler.as_ref().map(|handler| handler.handler.clone());
        self.llm = Llm { handler: of(&handlers.0), condensing_handler: of(&handlers.1), ..Llm::default() };
        self
    }

    /// The options of the call.
    pub fn call(&self) -> &CallOptions {
        &self.call
    }

    fn parse(self) -> std::result::Result<Work, CondenseError> {
        let Self { messages, call, host_call, cancel, progress, llm } = self;
        cancel.check()?;
        let json = std::str::from_utf8(&messages).map_err(|error| CondenseError::Internal(error.to_string()))?;
        let conversation = Conversation::parse(json).map_err(|error| CondenseError::Internal(error.to_string()))?;
        Ok(Work { conversation, call, host_call, llm, cancel, progress })
    }
}

/// How long aborted work may take to say what it spent; handlers take less.
const GIVE_UP: Duration = Duration::from_millis(35);

/// Runs `work` off the main thread; the promise resolves to its report as JSON.
pub fn report<'env, F>(
    env: &'env Env,
    incoming: Incoming,
    work: impl FnOnce(Work) -> F + Send + 'static,
) -> Result<PromiseRaw<'env, String>>
where
    F: Future<Output = Report> + Send + 'static,
{
    let future = async move {
        let prev = incoming.call.total_tokens;
        let cancel = incoming.cancel.clone();
        let work = AssertUnwindSafe(async move {
            match incoming.parse() {
                Ok(parsed) => {
                    let exported = parsed.conversation.clone();
                    exported.export(&work(parsed).await)
                }
                Err(error) => serde_json::to_string(&Report::failed(error, prev)),
            }
        })
        .catch_unwind();
        // A task of its own, because what computes (loading the vocabulary takes up to 0.3 s) hears of the signal only when it is done.
        let failed = |error| serde_json::to_string(&Report::failed(error, prev));
        let json = tokio::select! {
            biased;
            finished = tokio::spawn(work) => match finished {
                Ok(Ok(json)) => json,
                Ok(Err(panic)) => failed(CondenseError::Internal(panic_message(&*panic))),
                Err(error) => failed(CondenseError::Internal(error.to_string())),
            },
            () = async { cancel.cancelled().await; tokio::time::sleep(GIVE_UP).await } => failed(CondenseError::Aborted),
        };
        json.map_err(|error| napi::Error::from_reason(error.to_string()))
    };
    env.spawn_future(future)
        .map_err(|error: napi::Error<Status>| -> napi::Error<Code> { thrown("internal_error", error) })
}
