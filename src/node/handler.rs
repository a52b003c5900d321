//! Handlers: over HTTP, or on top of a function of the host.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use napi::threadsafe_function::ThreadsafeFunctionCallMode;
use napi_derive::napi;
use serde::Deserialize;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::{
    callback::{JsAnswerer, ask},
    thrown::{Result, unreadable, wrong_config},
};
use crate::{
    conversation::surrogates,
    llm::{
        CallbackCause, CallbackConfig, Failure, HttpConfig, LlmError, LlmErrorKind, LlmHandler, LlmProgress,
        LlmRequest, LlmResponse, ModelPrice, ProgressSink, StopReason, TimeoutPhase, TokenUsage, Unreported,
    },
};

/// Time that the JavaScript side has to end its generator and report what was spent.
const LAST_WORDS: Duration = Duration::from_millis(20);

/// A handler for JavaScript.
#[napi]
pub struct NativeHandler {
    pub(super) handler: Arc<dyn LlmHandler>,
}

#[napi]
impl NativeHandler {
    /// Creates a handler over HTTP; `options` as JSON. They cannot be read back.
    #[napi(factory, catch_unwind)]
    pub fn http(options: String) -> Result<Self> {
        let options = serde_json::from_str(&options).map_err(unreadable)?;
        let config = HttpConfig::from_json(&options).map_err(wrong_config)?;
        Ok(Self { handler: over_http(config)? })
    }

    /// Returns the options of a handler that calls a function, with their defaults; both as JSON.
    #[napi(catch_unwind)]
    pub fn callback_options(options: String) -> Result<String> {
        let options = serde_json::from_str(&options).map_err(unreadable)?;
        let config = CallbackConfig::from_json(&options).map_err(wrong_config)?;
        serde_json::to_string(&config).map_err(unreadable)
    }

    /// Creates a handler that calls a function, which answers a request with a [`HostAnswer`]; `info` (model, price,
    /// window) as JSON.
    #[napi(factory, catch_unwind)]
    pub fn callback(info: String, callback: JsAnswerer) -> Result<Self> {
        let info = serde_json::from_str(&info).map_err(unreadable)?;
        Ok(Self { handler: Arc::new(CallbackHandler { info, callback, next: AtomicU32::new(0) }) })
    }

    /// Returns the model's name.
    #[napi(catch_unwind)]
    pub fn model(&self) -> String {
        self.handler.model().to_owned()
    }
}

#[cfg(not(target_family = "wasm"))]
fn over_http(config: HttpConfig) -> Result<Arc<dyn LlmHandler>> {
    Ok(Arc::new(super::own_thread::OwnThread::new(config)?))
}

/// # Errors
/// Always, because WebAssembly opens no connections.
#[cfg(target_family = "wasm")]
fn over_http(_config: HttpConfig) -> Result<Arc<dyn LlmHandler>> {
    Err(super::thrown::thrown(
        "needs_socket",
        "httpHandler opens connections of its own, which the WebAssembly build cannot; give it a callbackHandler() whose createMessage() uses fetch",
    ))
}

/// The host's description of its model.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Info {
    model: String,
    price: Option<ModelPrice>,
    context_window: Option<u64>,
    max_output_tokens: Option<u32>,
    counts_tokens: bool,
    /// Milliseconds for a whole response. The JavaScript side limits the time between chunks.
    timeout_ms: u64,
}

/// A handler that calls a function of the host.
struct CallbackHandler {
    info: Info,
    callback: JsAnswerer,
    next: AtomicU32,
}

/// JavaScript's response to a request.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct HostAnswer {
    #[serde(default)]
    text: String,
    usage: Option<HostUsage>,
    /// Usage that was not reported, if the response was cut short.
    #[serde(default)]
    unreported: HostUnreported,
    #[serde(default)]
    truncated: bool,
    /// The result of counting tokens.
    tokens: Option<u64>,
    failure: Option<Fault>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct HostUsage {
    input_tokens: u64,
    output_tokens: u64,
    cache_write_tokens: u64,
    cache_read_tokens: u64,
    total_cost: Option<f64>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct HostUnreported {
    questions: u32,
    text: String,
}

impl From<HostUnreported> for Unreported {
    fn from(HostUnreported { questions, text }: HostUnreported) -> Self {
        Self { questions, text }
    }
}

#[derive(Deserialize)]
struct Fault {
    /// One of `threw`, `error_chunk`, `not_iterable`, `too_large`, `first_chunk_late`, `next_chunk_late`, `aborted`.
    kind: String,
    message: String,
    /// The number of the thrown value, on the JavaScript side.
    cause: Option<usize>,
    /// The limit that was exceeded: bytes or milliseconds.
    limit: Option<u64>,
}

impl From<HostUsage> for TokenUsage {
    fn from(usage: HostUsage) -> Self {
        Self {
            input_tokens: usage.input_tokens,
            output_tokens: usage.output_tokens,
            cache_write_tokens: usage.cache_write_tokens,
            cache_read_tokens: usage.cache_read_tokens,
            total_cost: usage.total_cost,
        }
    }
}

/// Ends the generator when its response is no longer awaited.
struct Stop<'a> {
    callback: &'a JsAnswerer,
    id: u32,
    answered: bool,
}

impl Stop<'_> {
    fn now(&mut self) {
        if !self.answered {
            self.answered = true;
            let stop = json!({ "stop": self.id }).to_string();
            self.callback.call(stop, ThreadsafeFunctionCallMode::NonBlocking);
        }
    }
}

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.now();
    }
}

impl CallbackHandler {
    async fn call(&self, question: String) -> std::result::Result<HostAnswer, LlmError> {
        let failed = |message: String| LlmError::callback(&self.info.model, message, None, TokenUsage::default());
        let answer = ask(&self.callback, question).await.map_err(failed)?;
        let answer = surrogates::without_surrogates(&answer);
        serde_json::from_str(&answer).map_err(|error| failed(error.to_string()))
    }

    fn response(&self, answer: HostAnswer) -> std::result::Result<LlmResponse, LlmError> {
        let usage = answer.usage.map(TokenUsage::from);
        let Some(fault) = answer.failure else {
            let stop = if answer.truncated { StopReason::MaxTokens } else { StopReason::Unknown };
            let mut response = LlmResponse::new(answer.text, usage, stop);
            if answer.truncated {
                response.unreported = answer.unreported.into();
            }
            return Ok(response);
        };
        let model = &self.info.model;
        let spent = usage.unwrap_or_default();
        let cause = fault.cause.map(|number| CallbackCause(Arc::new(number)));
        let limit = fault.limit.unwrap_or_default();
        let late = |phase| LlmErrorKind::Timeout { phase, limit: Some(Duration::from_millis(limit)) };
        let kind = match fault.kind.as_str() {
            "error_chunk" => {
                let error = LlmError::error_chunk(model, &fault.message, spent);
                return Err(error.with_unreported(answer.unreported.into()));
            }
            "aborted" => LlmErrorKind::Aborted,
            "first_chunk_late" => late(TimeoutPhase::FirstByte),
            "next_chunk_late" => late(TimeoutPhase::NextByte),
            "too_large" => LlmErrorKind::ResponseTooLarge { limit: usize::try_from(limit).unwrap_or(usize::MAX) },
            "not_iterable" => LlmErrorKind::InvalidResponse { problem: fault.message, transient: false },
            _ => LlmErrorKind::Callback { message: fault.message, cause },
        };
        Err(LlmError::new(kind, Failure::new(model, spent)).with_unreported(answer.unreported.into()))
    }

    async fn answer(
        &self,
        request: LlmRequest,
        cancel: &CancellationToken,
    ) -> std::result::Result<LlmResponse, LlmError> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let messages: Vec<_> = request
            .messages
            .iter()
            .map(|message| json!({ "role": message.role.as_str(), "content": message.text }))
            .collect();
        let mut question = json!({ "id": id, "system": request.system, "messages": messages });
        if request.charged_once {
            question["maxTokens"] = request.max_tokens.into();
        }
        let mut question = question.to_string();
        if let Some(host) = &request.appended_to {
            question.pop();
            question.push_str(&format!(",\"host\":{}}}", host.for_host(&request.messages)));
        }
        let model = &self.info.model;
        let mut stop = Stop { callback: &self.callback, id, answered: false };
        let limit = Duration::from_millis(self.info.timeout_ms);
        let mut asked = Box::pin(self.call(question));
        let answer = tokio::select! {
            biased;
            () = cancel.cancelled() => None,
            answer = tokio::time::timeout(limit, &mut asked) => Some(answer),
        };
        let late = matches!(answer, Some(Err(_)));
        if let Some(Ok(answer)) = answer {
            stop.answered = true;
            return self.response(answer?);
        }
        stop.now();
        // The JavaScript side may still report what was spent so far.
        let (spent, unreported) = match tokio::time::timeout(LAST_WORDS, asked).await {
            Ok(Ok(answer)) => (answer.usage.map(TokenUsage::from).unwrap_or_default(), answer.unreported.into()),
            _ => (TokenUsage::default(), Unreported { questions: 1, text: String::new() }),
        };
        let kind = if late {
            LlmErrorKind::Timeout { phase: TimeoutPhase::Overall, limit: Some(limit) }
        } else {
            LlmErrorKind::Aborted
        };
        Err(LlmError::new(kind, Failure::new(model, spent)).with_unreported(unreported))
    }
}

#[async_trait]
impl LlmHandler for CallbackHandler {
    async fn complete(
        &self,
        request: LlmRequest,
        cancel: &CancellationToken,
        progress: Option<&dyn ProgressSink>,
    ) -> std::result::Result<LlmResponse, LlmError> {
        let response = self.answer(request, cancel).await?;
        if let Some(progress) = progress {
            progress.report(LlmProgress::Text { delta: &response.text, total_bytes: response.text.len() });
        }
        Ok(response)
    }

    fn model(&self) -> &str {
        &self.info.model
    }

    fn price(&self) -> Option<&ModelPrice> {
        self.info.price.as_ref()
    }

    fn context_window(&self) -> Option<u64> {
        self.info.context_window
    }

    fn max_output_tokens(&self) -> Option<u32> {
        self.info.max_output_tokens
    }

    fn sends_as_asked(&self) -> bool {
        false
    }

    fn appends(&self) -> bool {
        true
    }

    async fn count_tokens(&self, blocks_json: &str) -> std::result::Result<Option<u64>, LlmError> {
        if !self.info.counts_tokens {
            return Ok(None);
        }
        let answer = self.call(format!("{{\"count\":{blocks_json}}}")).await?;
        match answer.failure {
            Some(fault) => Err(LlmError::callback(&self.info.model, fault.message, None, TokenUsage::default())),
            None => Ok(Some(answer.tokens.unwrap_or_default())),
        }
    }
}
