//! Reports progress to listeners.

use std::sync::Arc;

use serde::Serialize;

/// A progress event.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ProgressEvent {
    /// `counting` comes first; `condensing` for each provider that runs; `summarizing` with the number of finished
    /// summaries, failed ones included; `retrying` when an HTTP handler sends a request again, with the number of
    /// attempts and their limit; `prelude`, and `pass` when a pass of the smart provider starts and ends; and
    /// `done`.
    #[cfg_attr(
        test,
        ts(
            type = "\"counting\" | \"condensing\" | \"summarizing\" | \"retrying\" | \"prelude\" | \"pass\" | \"done\" | (string & {})"
        )
    )]
    pub phase: &'static str,
    /// Id of the provider; empty while counting.
    pub provider_id: String,
    /// Steps finished.
    pub done: usize,
    /// Steps in total.
    pub total: usize,
    /// The pass of the smart provider that the event belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pass_id: Option<String>,
    /// With `retrying`: milliseconds until the request is sent again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait_ms: Option<u64>,
    /// With `retrying`: why the previous attempt failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(type = "LlmErrorCode"))]
    pub code: Option<&'static str>,
}

/// Receives progress events. May be called from any thread.
#[derive(Clone, Default)]
pub struct Progress {
    listener: Option<Arc<dyn Fn(ProgressEvent) + Send + Sync>>,
    pass: Option<Arc<str>>,
}

impl Progress {
    /// Calls `listener` with every event.
    pub fn new(listener: impl Fn(ProgressEvent) + Send + Sync + 'static) -> Self {
        Self { listener: Some(Arc::new(listener)), pass: None }
    }

    /// Returns a progress with the same listener, whose events name a pass.
    pub fn in_pass(&self, id: &str) -> Self {
        Self { listener: self.listener.clone(), pass: Some(id.into()) }
    }

    /// Reports progress to the listener, if there is one.
    pub fn report(&self, phase: &'static str, provider_id: &str, done: usize, total: usize) {
        self.tell(|| ProgressEvent {
            phase,
            provider_id: provider_id.to_owned(),
            done,
            total,
            ..ProgressEvent::default()
        });
    }

    /// Reports that a request failed with `code` and is sent again after `wait_ms` milliseconds: `done` of at most
    /// `total` attempts were made.
    pub fn retrying(&self, provider_id: &str, done: usize, total: usize, wait_ms: u64, code: &'static str) {
        self.tell(|| ProgressEvent {
            phase: "retrying",
            provider_id: provider_id.to_owned(),
            done,
            total,
            wait_ms: Some(wait_ms),
            code: Some(code),
            ..ProgressEvent::default()
        });
    }

    fn tell(&self, event: impl FnOnce() -> ProgressEvent) {
        if let Some(listener) = &self.listener {
            listener(ProgressEvent { pass_id: self.pass.as_deref().map(str::to_owned), ..event() });
        }
    }
}
