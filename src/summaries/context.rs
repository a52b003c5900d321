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
    /// The handler for summaries; that of the conversation when absent.
    pub condensing_handler: Option<Arc<dyn LlmHandler>>,
    /// Handlers for what asks under a profile of its own, by the profile's id.
    pub profiles: HashMap<String, ProfileHandler>,
    /// The prompt to summarise by; the provider's when absent.
    pub prompt: Option<String>,
    /// Dollars per million tokens, for a handler that has no price of its own.
    pub price: Option<ModelPrice>,
    /// Summaries already paid for.
    pub cache: Option<Arc<dyn SummaryStore>>,
    /// The limit on what may be spent.
    pub budget: Arc<Budget>,
    /// Dollars of this call, added to as they are spent, so that they are known whatever happens then.
    pub spent: Arc<Spent>,
    /// The requests of this call.
    pub requests: Arc<Requests>,
    /// Ratios of tokens learned from earlier responses.
    pub observed: Arc<Observed>,
    /// The system prompt of the conversation, for handlers that count tokens.
    pub system_prompt: String,
    /// The host's own request to the conversation's model, where it gives its tools.
    pub host_request: Option<Arc<HostRequest>>,
    /// The kind of dry run; `None` sends requests.
    pub preview: Option<Preview>,
}

/// The profile that writes summaries where nothing else says so, by its role: a cheap one. Presets name it.
pub const CONDENSING_ROLE: &str = "condensing";

/// Nothing is sent: costs are estimates, and stand-ins take the place of answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preview {
    /// Stand-ins of the length that answers probably have.
    Expected,
    /// The shortest stand-ins: no answers could save more.
    Shortest,
}

/// A handler of one of the host's profiles.
#[derive(Clone)]
pub struct ProfileHandler {
    /// The handler.
    pub handler: Arc<dyn LlmHandler>,
    /// Dollars per million tokens, for a handler that has no price of its own.
    pub price: Option<ModelPrice>,
}

impl Llm {
    /// The handler that summaries are asked of.
    #[must_use]
    pub fn summarizer(&self) -> Option<&Arc<dyn LlmHandler>> {
        self.condensing_handler.as_ref().or(self.handler.as_ref())
    }

    /// The same, with summaries asked of the handler of a profile where it has one. The profile named by its role comes after a handler that
    /// is for summaries anyway.
    #[must_use]
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

    /// A warning where summaries are to be asked for under a profile and others answer, because it has no handler. The one named by its role needs none.
    #[must_use]
    pub fn warn_of_others(&self, profile: Option<&str>) -> Option<Warning> {
        let missing = |profile: &&str| *profile != CONDENSING_ROLE && !self.profiles.contains_key(*profile);
        let profile = profile.filter(missing)?;
        self.summarizer()?;
        let said = said!("warning.handlerMissing", profile: profile);
        Some(Warning::new(WarningCode::HandlerMissing, said).about(format!("profiles.{profile}.handler")))
    }

    /// Whether anybody can be asked for summaries under a profile.
    #[must_use]
    pub fn can_ask(&self, profile: Option<&str>) -> bool {
        self.summarizer().is_some() || profile.is_some_and(|profile| self.profiles.contains_key(profile))
    }
}

/// The settings for requesting a summary: everything known of a condensation but its messages. Cheap to copy.
#[derive(Clone, Copy)]
pub(crate) struct SummaryContext<'a> {
    /// The handlers and the budget.
    pub llm: &'a Llm,
    /// The provider that asks, for progress events.
    pub provider: &'static str,
    /// The encoding in which tokens are counted.
    pub encoding: Encoding,
    /// How many tokens of the model's own tokenizer one of ours stands for.
    pub scale: Scale,
    /// Stops the work.
    pub cancel: &'a Cancel,
    /// Called with progress.
    pub progress: &'a Progress,
}

impl SummaryContext<'_> {
    /// Tells how many of the questions are answered.
    pub fn report(&self, done: usize, total: usize) {
        self.progress.report("summarizing", self.provider, done, total);
    }
}
