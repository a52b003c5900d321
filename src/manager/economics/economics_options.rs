//! The options of decisions by cost: facts about a task.

use crate::{
    conversation::{Conversation, Role},
    options::{Table, choice, number, options, whole, words},
};

/// Default lifetime of the prompt cache after the last request, in milliseconds: five minutes at Anthropic, five to ten
/// at OpenAI.
const DEFAULT_LIFETIME_MS: f64 = 300_000.0;

/// Default target in tokens. With it, agents in sample sessions could still read 99.6% of the names they needed
/// (docs/measurements.md).
const DEFAULT_TARGET: u64 = 40_000;

/// Default minimum of tokens to free, as a share of the target. With a lower one, there would be many condensations
/// with little gain, and each loses something (docs/economics.md).
const DEFAULT_CLEARED_SHARE: f64 = 0.25;

/// Maximum number of expected requests. By default, as many are expected as there were so far: the longer a task has
/// lasted, the longer it is likely to last.
const MAX_ESTIMATED_REQUESTS: f64 = 200.0;

/// Upper limit of expected requests, so that sums of dollars remain finite.
const MAX_REQUESTS: f64 = 1e6;

words! {
    /// The copy that stays.
    pub enum KeptCopy { First = "first", Last = "last" }
}

options! {
    /// The option `economics` of a call.
    #[derive(PartialEq)]
    pub struct Economics: Table::titled("economics").interface(
        "EconomicsOptions",
        "Facts for a decision by cost. A condensation invalidates the prompt cache once, from the first change on, and makes every later request smaller. \
         Both effects are computed with the price of the conversation's model (`price` of the call, its handler or profile).",
    );

    /// Requests still to come, the next one included.
    ///
    /// Default: the number of assistant messages so far, 1 to 200.
    expected_requests: Option<f64> = number(0.0, MAX_REQUESTS).if_set(),
    /// Milliseconds since the last request. Default: the cache is warm.
    ms_since_last_request: Option<f64> = number(0.0, f64::MAX).if_set(),
    /// Milliseconds for which the model's provider keeps a prompt.
    ///
    /// The default is Anthropic's. Default: 300,000.
    cache_lifetime_ms: f64 = number(0.0, f64::MAX).or(DEFAULT_LIFETIME_MS),
    /// Tokens that a condensation leaves.
    ///
    /// They are counted like `totalTokens`; the call's `targetTokens` wins. A smaller target costs less and loses more. Default: 40,000, or half of what the
    /// window allows if that is less.
    target_tokens: usize = whole(0, u64::MAX).or(DEFAULT_TARGET),
    /// Tokens that a condensation must free, or nothing is done (`clears_too_little`). Default: a quarter of those that it leaves.
    ///
    /// They are counted like `totalTokens`.
    clear_at_least: Option<usize> = whole(0, u64::MAX).if_set(),
    /// Which copy of what is repeated the provider `lossless` leaves while the cache is warm.
    ///
    /// `first` keeps more of the beginning cached. `keep` in `config` wins.
    keep: KeptCopy = choice().or_first(),
    /// Messages of the last request. Default: all before the last one of the assistant.
    sent_messages: Option<usize> = whole(0, u64::MAX).if_set(),
}

impl Economics {
    /// Returns the minimum tokens that a condensation to `target` must free, as the caller counts them.
    pub(super) fn least_cleared(&self, target: f64) -> f64 {
        self.clear_at_least.map_or(target * DEFAULT_CLEARED_SHARE, |tokens| tokens as f64)
    }

    /// Returns true if the last request is still cached.
    pub(super) fn is_warm(&self) -> bool {
        self.ms_since_last_request.is_none_or(|since| since < self.cache_lifetime_ms)
    }

    /// Returns true if the oldest of several copies is kept, so that the cached beginning changes as little as
    /// possible.
    pub(super) fn keeps_first_copies(&self) -> bool {
        self.keep == KeptCopy::First && self.is_warm()
    }

    /// Returns the number of expected requests: from the option, else as many as there were so far.
    pub(super) fn requests(&self, conversation: &Conversation) -> f64 {
        let so_far = || requests_in(conversation).count() as f64;
        self.expected_requests.unwrap_or_else(|| so_far().clamp(1.0, MAX_ESTIMATED_REQUESTS))
    }

    /// Returns the number of messages in the last request.
    pub(super) fn sent(&self, conversation: &Conversation) -> usize {
        let last = || requests_in(conversation).last();
        self.sent_messages.or_else(last).unwrap_or(0).min(conversation.len())
    }
}

/// Returns the number of messages in each earlier request: all messages before each message of the assistant.
pub(super) fn requests_in(conversation: &Conversation) -> impl Iterator<Item = usize> + '_ {
    (0..conversation.len()).filter(|index| conversation.message(*index).role == Role::Assistant)
}
