//! An answer that is being read, in either protocol.

use super::{Api, StopReason, TokenUsage, service_error::ServiceError};

/// An answer as far as it has come.
#[derive(Debug, Default)]
pub(super) struct StreamedAnswer {
    pub text: String,
    /// Text that came since usage was last reported, reasoning included; callers empty it when they write it down.
    pub unreported: String,
    /// Whether usage was reported since it was last written down.
    pub newly_reported: bool,
    /// `None` until the service reports any.
    pub usage: Option<TokenUsage>,
    /// `None` until the service gives one.
    pub stop: Option<StopReason>,
    /// Whether the event that ends a stream has come.
    pub ended: bool,
}

impl StreamedAnswer {
    /// More of the text.
    pub(super) fn say(&mut self, text: &str) {
        self.text.push_str(text);
        self.think(text);
    }

    /// More of the reasoning, which is no part of the text and is charged for.
    pub(super) fn think(&mut self, text: &str) {
        self.unreported.push_str(text);
    }

    /// Sets the usage; it covers all text that came before.
    pub(super) fn report(&mut self, usage: TokenUsage) {
        self.usage = Some(usage);
        self.unreported.clear();
        self.newly_reported = true;
    }

    /// Whether the text is complete. Many OpenAI-compatible servers leave `[DONE]` out: there the reason to stop will do.
    pub(super) fn is_complete(&self, api: Api) -> bool {
        self.ended || (api == Api::OpenAi && self.stop.is_some())
    }
}

/// Why an event could not be taken in.
#[derive(Debug)]
pub(super) enum EventFault {
    /// It is an error of the service.
    Service(ServiceError),
    /// It is not of the protocol: what it is instead.
    Malformed(&'static str),
}
