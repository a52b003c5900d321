//! One asynchronous call: what comes from JavaScript, and the report that goes back.

use std::{
    panic::AssertUnwindSafe,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use futures_util::FutureExt;
use napi::{
    Status,
    bindgen_prelude::{Buffer, ClassInstance, FnArgs, spawn},
    threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode, UnknownReturnValue},
};
use serde_json::Value;

use super::{
    cancel::CancelHandle,
    error::{Result, wrong_config},
    handler::NativeHandler,
};
use crate::{
    cancel::Cancel,
    conversation::{Conversation, utf16},
    manager::{CallOptions, Report, Work, panic_message},
    progress::Progress,
    providers::CondenseError,
    summaries::{Llm, ProfileHandler},
};

/// Whether this is the end, and JSON: of a progress event, or at the end of the report.
type Told = FnArgs<(bool, String)>;

/// Told how a call goes and how it ends. One function for both, so that no progress event arrives after the report. Weak, so that it does
/// not keep Node alive: JavaScript decides that, because only there is known whether a host's own promise is all we wait for.
pub type Listener = ThreadsafeFunction<Told, UnknownReturnValue, Told, Status, false, true>;

/// The handler of the conversation and that for summaries.
pub type Handlers<'env> = (Option<ClassInstance<'env, NativeHandler>>, Option<ClassInstance<'env, NativeHandler>>);

/// Everything JavaScript hands over for a call.
pub struct Incoming {
    messages: Buffer,
    call: CallOptions,
    host_call: u32,
    cancel: Cancel,
    llm: Llm,
}

impl Incoming {
    /// Checks the options at once, so that wrong ones are thrown.
    pub fn read(messages: Buffer, call: &str, host_call: u32, cancel: &CancelHandle) -> Result<Self> {
        let call: Value = serde_json::from_str(call).map_err(super::error::unreadable)?;
        let call = CallOptions::read(&call["context"], &call["options"]).map_err(wrong_config)?;
        Ok(Self { messages, call, host_call, cancel: cancel.cancel.clone(), llm: Llm::default() })
    }

    /// Adds handlers of profiles: the profiles' ids, and their handlers in the same order.
    pub fn with_profiles(mut self, ids: Vec<String>, handlers: &[ClassInstance<NativeHandler>]) -> Self {
        let handlers = handlers.iter().map(|handler| ProfileHandler { handler: handler.handler.clone(), price: None });
        self.llm.profiles = ids.into_iter().zip(handlers).collect();
        self
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

    fn parse(self, progress: Progress) -> std::result::Result<Work, CondenseError> {
        let Self { messages, call, host_call, cancel, llm } = self;
        cancel.check()?;
        let json = utf16::utf8(&messages)
            .ok_or_else(|| CondenseError::Internal("messages did not come as UTF-16".to_owned()))?;
        drop(messages);
        let conversation = Conversation::parse(&json).map_err(|error| CondenseError::Internal(error.to_string()))?;
        Ok(Work { conversation, call, host_call, llm, cancel, progress })
    }
}

/// How long aborted work may take to say what it spent; handlers and providers take less.
const GIVE_UP: Duration = Duration::from_millis(38);

/// Runs `work` off the main thread; `listener` is told how it goes and, always, how it ends.
pub fn report<F>(incoming: Incoming, listener: Listener, work: impl FnOnce(Work) -> F + Send + 'static)
where
    F: Future<Output = Report> + Send + 'static,
{
    let listener = Arc::new(listener);
    let tell = move |is_end: bool, json: String| {
        // Not delivered when the environment is going away; then nobody waits for it either.
        listener.call((is_end, json).into(), ThreadsafeFunctionCallMode::NonBlocking);
    };
    spawn(async move {
        let prev = incoming.call.total_tokens;
        let cancel = incoming.cancel.clone();
        let tell_progress = tell.clone();
        // Work that was given up may go on for a while; nobody hears of it.
        let ended = Arc::new(AtomicBool::new(false));
        let is_over = Arc::clone(&ended);
        let progress = Progress::new(move |event| {
            if !is_over.load(Ordering::Acquire)
                && let Ok(json) = serde_json::to_string(&event)
            {
                tell_progress(false, json);
            }
        });
        let work = AssertUnwindSafe(async move {
            match incoming.parse(progress) {
                Ok(parsed) => {
                    let exported = parsed.conversation.clone();
                    exported.export(&work(parsed).await)
                }
                Err(error) => serde_json::to_string(&Report::failed(error, prev)),
            }
        })
        .catch_unwind();
        // A task of its own, because what computes (loading the vocabulary takes up to 0.3 s) hears of the signal only when it is done.
        let error = tokio::select! {
            biased;
            finished = tokio::spawn(work) => match finished {
                Ok(Ok(Ok(json))) => return tell(true, json),
                Ok(Ok(Err(error))) => CondenseError::Internal(error.to_string()),
                Ok(Err(panic)) => CondenseError::Internal(panic_message(&*panic)),
                Err(error) => CondenseError::Internal(error.to_string()),
            },
            () = async { cancel.cancelled().await; tokio::time::sleep(GIVE_UP).await } => CondenseError::Aborted,
        };
        ended.store(true, Ordering::Release);
        tell(true, serde_json::to_string(&Report::failed(error, prev)).unwrap_or_default());
    });
}
