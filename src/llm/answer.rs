//! Collects a response while it is read, in either protocol.

use super::{Api, StopReason, TokenUsage, service_error::ServiceError};

/// A response as far as it was read.
#[derive(Debug, Default)]
pub(super) struct StreamedAnswer {
    pub text: String,
    /// Text since the last usage report, reasoning included. Callers clear it when they record it.
    pub unreported: String,
    /// True if usage was reported since it was last recorded.
    pub newly_reported: bool,
    /// `None` until the service reports usage.
    pub usage: Option<TokenUsage>,
    /// `None` until the service gives a reason.
    pub stop: Option<StopReason>,
    /// True once the event that ends a stream was read.
    pub ended: bool,
}

impl StreamedAnswer {
    /// Adds text.
    pub(super) fn say(&mut self, text: &str) {
        self.text.push_str(text);
        self.think(text);
    }

    /// Adds reasoning, which is not part of the text but is charged for.
    pub(super) fn think(&mut self, text: &str) {
        self.unreported.push_str(text);
    }

    /// Sets the usage; it covers all text that came before.
    pub(super) fn report(&mut self, usage: TokenUsage) {
        self.usage = Some(usage);
        self.unreported.clear();
        self.newly_reported = true;
    }

    /// Returns true if the text is complete. Many OpenAI-compatible servers omit `[DONE]`, so the stop reason
    /// suffices for them.
    pub(super) fn is_complete(&self, api: Api) -> bool {
        self.ended || (api == Api::OpenAi && self.stop.is_some())
    }
}

/// The reason why an event was rejected.
#[derive(Debug)]
pub(super) enum EventFault {
    /// The event is an error of the service.
    Service(ServiceError),
    /// The event does not follow the protocol; the text describes it.
    Malformed(&'static str),
}
