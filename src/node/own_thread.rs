//! Handlers over HTTP, which must run on one of the addon's own threads.

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use super::{
    threads,
    thrown::{Result, wrong_config},
};
use crate::llm::{
    Api, Failure, HttpConfig, HttpHandler, LlmError, LlmErrorKind, LlmHandler, LlmRequest, LlmResponse, ModelPrice,
    ProgressSink, TokenUsage,
};

/// A handler over HTTP that runs only on one of the addon's threads, because the host's thread would block until the
/// response arrives.
pub struct OwnThread(HttpHandler);

impl OwnThread {
    /// Creates a handler with these options.
    ///
    /// # Errors
    /// Every invalid option.
    pub fn new(config: HttpConfig) -> Result<Self> {
        HttpHandler::new(config).map(Self).map_err(wrong_config)
    }
}

#[async_trait]
impl LlmHandler for OwnThread {
    fn appends(&self) -> bool {
        self.0.appends()
    }

    async fn complete(
        &self,
        request: LlmRequest,
        cancel: &CancellationToken,
        progress: Option<&dyn ProgressSink>,
    ) -> std::result::Result<LlmResponse, LlmError> {
        threads::require_blocking().map_err(|reason| {
            LlmError::new(LlmErrorKind::ConnectionFailed { reason }, Failure::new(self.model(), TokenUsage::default()))
        })?;
        self.0.complete(request, cancel, progress).await
    }

    fn model(&self) -> &str {
        self.0.model()
    }

    fn api(&self) -> Option<Api> {
        self.0.api()
    }

    fn price(&self) -> Option<&ModelPrice> {
        self.0.price()
    }

    fn context_window(&self) -> Option<u64> {
        self.0.context_window()
    }

    fn max_output_tokens(&self) -> Option<u32> {
        self.0.max_output_tokens()
    }
}
