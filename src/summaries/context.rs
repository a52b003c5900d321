//! The handlers, prices and limits for requests to a model.

use std::{collections::HashMap, sync::Arc};

use super::{
    budget::{Budget, Spent},
    observed::Observed,
    requests::Requests,
    store::SummaryStore,
};
use crate::{
    cancel::Cancel,
    llm::{HostRequest, LlmHandler, ModelPrice},
    progress::Progress,
    tokens::{Encoding, Scale},
    warning::{Warning, WarningCode},
    words::said,
};

/// The handlers, prices and limits for one call. The default has no handler.
#[derive(Clone, Default)]
pub struct Llm {
    /// The handler of the conversation.
    pub handler: Option<Arc<dyn LlmHandler>>,
    /// The handler for summaries; the conversation's if absent.
    pub condensing_handler: Option<Arc<dyn LlmHandler>>,
    /// Handlers for requests under a profile of their own, by the profile's id.
    pub profiles: HashMap<String, ProfileHandler>,
    /// The summary prompt; the provider's if absent.
    pub prompt: Option<String>,
    /// Dollars per million tokens, for handlers without a price of their own.
    pub price: Option<ModelPrice>,
    /// Summaries already paid for.
    pub cache: Option<Arc<dyn SummaryStore>>,
    /// The limit on what may be spent.
    pub budget: Arc<Budget>,
    /// The dollars spent by this call. They are added as they are spent, so that they are known even if the call
    /// fails.
    pub spent: Arc<Spent>,
    /// The requests of this call.
    pub requests: Arc<Requests>,
    /// Ratios of tokens learned from earlier responses.
    pub observed: Arc<Observed>,
    /// The system prompt of the conversation, for handlers that count tokens.
    pub system_prompt: String,
    /// The host's own request to the conversation's model, if the host gives its tools.
    pub host_request: Option<Arc<HostRequest>>,
    /// The kind of dry run; `None` sends requests.
    pub preview: Option<Preview>,
}

/// The profile that writes summaries where nothing else says so, by its role: a cheap one. Presets name it.
pub const CONDENSING_ROLE: &str = "condensing";

/// A dry run: nothing is sent, costs are estimates, and placeholders replace responses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preview {
    /// Placeholders of the expected length.
    Expected,
    /// The shortest placeholders: no real responses could save more.
    Shortest,
}

/// A handler of one of the host's profiles.
#[derive(Clone)]
pub struct ProfileHandler {
    /// The handler.
    pub handler: Arc<dyn LlmHandler>,
    /// Dollars per million tokens, for handlers without a price of their own.
    pub price: Option<ModelPrice>,
}

impl Llm {
    /// Returns the handler for summaries.
    pub fn summarizer(&self) -> Option<&Arc<dyn LlmHandler>> {
        self.condensing_handler.as_ref().or(self.handler.as_ref())
    }

    /// Returns the context with the profile's handler for summaries, if there is one. A handler meant for summaries
    /// takes precedence over the profile named by its role.
    pub fn under(&self, profile: Option<&str>) -> Self {
        let by_role = profile == Some(CONDENSING_ROLE);
        let profile = profile.filter(|_| !by_role || self.condensing_handler.is_none());
        match profile.and_then(|profile| self.profiles.get(profile)) {
            None => self.clone(),
            Some(own) => {
                Self { condensing_handler: Some(own.handler.clone()), price: own.price.clone(), ..self.clone() }
            }
        }
    }

    /// Returns a warning if summaries are requested under a profile without a handler, so that another handler is
    /// used. The profile named by its role needs none.
    pub fn warn_of_others(&self, profile: Option<&str>) -> Option<Warning> {
        let missing = |profile: &&str| *profile != CONDENSING_ROLE && !self.profiles.contains_key(*profile);
        let profile = profile.filter(missing)?;
        self.summarizer()?;
        let said = said!("warning.handlerMissing", profile: profile);
        Some(Warning::new(WarningCode::HandlerMissing, said).about(format!("profiles.{profile}.handler")))
    }

    /// Returns true if summaries can be requested under a profile.
    pub fn can_ask(&self, profile: Option<&str>) -> bool {
        self.summarizer().is_some() || profile.is_some_and(|profile| self.profiles.contains_key(profile))
    }
}

/// The settings for requesting a summary: everything known of a condensation but its messages. Cheap to copy.
#[derive(Clone, Copy)]
pub(crate) struct SummaryContext<'a> {
    /// The handlers and the budget.
    pub llm: &'a Llm,
    /// The requesting provider, for progress events.
    pub provider: &'static str,
    /// The encoding in which tokens are counted.
    pub encoding: Encoding,
    /// The model's tokens per counted token.
    pub scale: Scale,
    /// Cancels the work.
    pub cancel: &'a Cancel,
    /// Called with progress.
    pub progress: &'a Progress,
}

impl SummaryContext<'_> {
    /// Reports how many of the requests are done.
    pub fn report(&self, done: usize, total: usize) {
        self.progress.report("summarizing", self.provider, done, total);
    }
}
