//! Sends one request to a model: cache, budget, cancellation, and a check of the response.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use super::{
    context::{Preview, SummaryContext},
    estimate::{
        ANSWER_MARGIN, DEFAULT_ANSWER, DEFAULT_WINDOW, HOST_ANSWER_MARGIN, PER_MESSAGE, QUESTION_MARGIN,
        TYPICAL_OUTPUT_PRICE, answer_tokens, expected_answer, safe_scale, typical_scale,
    },
    observed::Ratios,
    stand_in::{MIN_TOKENS, stand_in},
    store::{StoreError, SummaryStore, cache_key},
    summary_error::SummaryError,
};
use crate::{
    cancel::Cancel,
    conversation::{
        is_unseen,
        surrogates::{enter_text, leave_text},
    },
    llm::{
        Api, LlmError, LlmHandler, LlmProgress, LlmRequest, LlmResponse, ModelPrice, StopReason, TokenUsage,
        Unreported, as_dollars,
    },
    tokens::{count, count_inside},
    warning::{Warning, WarningCode, Warnings},
    words::said,
};

/// Time that a cancelled handler has to report what it spent.
const LAST_WORDS: Duration = Duration::from_millis(25);
/// Time limit of a store. A cache slower than the model is useless.
const STORE_PATIENCE: Duration = Duration::from_secs(2);
/// Part of every key, so that a release with other requests does not find these responses.
const KEY_VERSION: &str = "roo-condense summary 2";

/// Sends requests for summaries to a handler.
pub(crate) struct SummaryClient<'a> {
    pub(super) context: SummaryContext<'a>,
    pub(super) handler: Arc<dyn LlmHandler>,
    /// Cancels all requests of this summary when one has failed.
    pub(super) cancel: Cancel,
    /// Warnings for the caller.
    pub warnings: Warnings,
    /// The cache did not respond in time, and is not used again.
    without_cache: AtomicBool,
}

/// The model's response, or in a dry run a placeholder for it.
#[derive(Debug, Clone)]
pub(super) struct SummaryAnswer {
    pub text: String,
    pub cached: bool,
    /// False if the model reached its longest response, so that the end is missing.
    pub complete: bool,
    /// For a dry run, the expected tokens of the response. The text is then a placeholder of that length.
    pub expected_tokens: Option<usize>,
}

impl SummaryAnswer {
    /// Creates an answer from a complete cached response.
    pub fn cached(text: String) -> Self {
        Self { text, cached: true, complete: true, expected_tokens: None }
    }
}

impl<'a> SummaryClient<'a> {
    /// # Errors
    /// [`SummaryError::HandlerInvalid`] if there is no handler.
    pub fn new(context: SummaryContext<'a>) -> Result<Self, SummaryError> {
        let handler = context.llm.summarizer().cloned().ok_or(SummaryError::HandlerInvalid)?;
        Ok(Self {
            context,
            handler,
            cancel: context.cancel.child(),
            warnings: Warnings::default(),
            without_cache: AtomicBool::new(false),
        })
    }

    /// Creates a client with the same handler that can be cancelled separately.
    pub(super) fn for_group(other: &Self) -> Self {
        Self {
            context: other.context,
            handler: Arc::clone(&other.handler),
            cancel: other.cancel.child(),
            warnings: Warnings::default(),
            without_cache: AtomicBool::new(other.without_cache.load(Ordering::Relaxed)),
        }
    }

    /// Returns true if requests can be appended to a request of the host.
    pub fn appends(&self) -> bool {
        self.handler.appends()
    }

    /// Returns the maximum length of a response in tokens.
    pub(super) fn longest_answer(&self) -> usize {
        self.handler.max_output_tokens().map_or(DEFAULT_ANSWER, |tokens| tokens as usize)
    }

    /// Counts the tokens of a request with our vocabulary.
    fn counted_tokens(&self, question: &LlmRequest) -> usize {
        let encoding = self.context.encoding;
        let texts = question.messages.iter().map(|message| count_inside(&message.text, encoding).tokens + PER_MESSAGE);
        texts.sum::<usize>() + count_inside(&question.system, encoding).tokens + self.appended_tokens(question)
    }

    /// Counts the tokens of the host's request that a request is appended to.
    fn appended_tokens(&self, question: &LlmRequest) -> usize {
        let texts = question.appended_to.iter().flat_map(|host| host.texts());
        texts.map(|text| count_inside(text, self.context.encoding).tokens).sum()
    }

    /// Estimates the usage charged for a request and a response of these sizes: the part that the host has sent before
    /// is in the service's cache.
    fn expected_usage(&self, question: &LlmRequest, input: usize, output: usize) -> TokenUsage {
        let typical = typical_scale(self.context, self.handler.model());
        let cached = scaled(self.appended_tokens(question), typical).min(input);
        TokenUsage { cache_read_tokens: cached as u64, ..tokens_of(input - cached, output) }
    }

    /// Returns the tokens of a request as the model probably counts them.
    fn question_tokens(&self, question: &LlmRequest) -> usize {
        scaled(self.counted_tokens(question), typical_scale(self.context, self.handler.model()))
    }

    /// Returns the model's tokens per counted token, for limits that must never be exceeded.
    fn margin(&self) -> f64 {
        safe_scale(self.context, self.handler.model()).max(QUESTION_MARGIN)
    }

    /// Returns the maximum tokens of a request, for one that has to fit a window.
    pub(super) fn most_tokens(&self, question: &LlmRequest) -> usize {
        self.most_question_tokens(question)
    }

    /// Returns the tokens of a request as the model counts them at most.
    fn most_question_tokens(&self, question: &LlmRequest) -> usize {
        // A higher count observed from the service takes precedence.
        let seen = self.context.llm.observed.ratios(self.handler.model()).input * QUESTION_MARGIN;
        scaled(self.counted_tokens(question), self.margin()).max(scaled(self.question_tokens(question), seen))
    }

    /// Returns the longest response that a strict limit can pay for, and the maximum cost of request and response;
    /// `None` without a price.
    fn bound(&self, question: &LlmRequest) -> (usize, Option<f64>) {
        let ratios = self.context.llm.observed.ratios(self.handler.model());
        let expected = self.question_tokens(question);
        let input = self.most_question_tokens(question);
        let usual = expected_answer(expected).max(scaled(expected_answer(expected), ratios.output));
        let most = self.longest_answer_to(question).min(ANSWER_MARGIN * usual);
        let of_host = !self.handler.sends_as_asked();
        let output = if of_host { scaled(most, HOST_ANSWER_MARGIN) } else { most };
        if !self.is_price_known() {
            return (most, None);
        }
        let mut dollars = self.dollars(&tokens_of(input, output));
        if of_host {
            // Hosts may have the service cache the request, which can cost more.
            let cached = TokenUsage { cache_write_tokens: input as u64, ..tokens_of(input, output) };
            dollars = dollars.zip(self.dollars(&cached)).map(|(plain, cached)| plain.max(cached));
        }
        (most, dollars)
    }

    /// Adds the most that a later request can cost to the dry run's sum, and returns it; `None` without a price.
    pub(super) fn foresee(&self, question: &LlmRequest) -> Option<f64> {
        let (_, most) = self.bound(question);
        self.context.llm.spent.add_most(most.unwrap_or(f64::INFINITY));
        most
    }

    fn price(&self) -> Option<&ModelPrice> {
        let own = self.context.llm.price.as_ref();
        self.handler.price().filter(|price| price.is_known() || own.is_none()).or(own)
    }

    /// Returns true if a limit in dollars can be kept.
    fn is_price_known(&self) -> bool {
        self.price().is_some_and(ModelPrice::is_known)
    }

    /// Returns the response from the cache, or requests one. A whole response is cached; a warning reports one that was
    /// cut off.
    pub(super) async fn ask(&self, question: LlmRequest) -> Result<SummaryAnswer, SummaryError> {
        self.cancel.check()?;
        let key = self.key(&question);
        if let Some(text) = self.cached(&key).await? {
            return Ok(SummaryAnswer::cached(text));
        }
        let longest = self.longest_answer_to(&question);
        let paid_for =
            self.context.llm.budget.is_strict().then(|| self.bound(&question).0).filter(|most| *most < longest);
        let answer = self.ask_anew(question).await?;
        if answer.complete {
            self.store(&key, &answer.text).await;
        } else {
            let (said, option) = match (paid_for, self.context.llm.budget.limiting_option()) {
                (Some(most), Some(option)) => (said!("warning.truncatedByLimit", tokens: most, option: option), option),
                _ => (said!("warning.truncated", tokens: longest), "maxTokens"),
            };
            self.warnings.add(Warning::new(WarningCode::SummaryTruncated, said).about(option));
        }
        Ok(answer)
    }

    /// Returns the cached response to a request.
    ///
    /// # Errors
    /// [`SummaryError::Aborted`]. A failing cache is only a warning.
    pub(super) async fn known(&self, question: &LlmRequest) -> Result<Option<String>, SummaryError> {
        self.cancel.check()?;
        self.cached(&self.key(question)).await
    }

    /// Caches a response that did not come from [`Self::ask`].
    pub(super) async fn keep(&self, question: &LlmRequest, text: &str) {
        self.store(&self.key(question), text).await;
    }

    /// Returns the counted tokens that a request's text may have to fit the model's window together with a response
    /// of this many tokens.
    pub(super) fn room(&self, system: &str, answer_tokens: usize) -> usize {
        /// With less, a request is not worth sending, and the service's error says more.
        const MIN_ROOM_TOKENS: usize = 64;
        let known = self.handler.context_window().and_then(|window| usize::try_from(window).ok());
        let window = known.unwrap_or(DEFAULT_WINDOW);
        let ours = (window - answer_tokens.min(window / 3)) as f64 / safe_scale(self.context, self.handler.model());
        let overhead = count(system, self.context.encoding).tokens + 2 * PER_MESSAGE;
        (ours as usize).saturating_sub(overhead).max(MIN_ROOM_TOKENS)
    }

    /// Returns the expected length of the response, in tokens.
    pub(super) fn expected_tokens(&self, question: &LlmRequest) -> usize {
        let longest = self.longest_answer_to(question);
        answer_tokens(self.context, self.handler.model(), self.question_tokens(question), longest)
    }

    /// Returns the placeholder for a response in a dry run.
    pub(super) fn stand_in(&self, question: &LlmRequest) -> SummaryAnswer {
        let tokens = match self.context.llm.preview {
            Some(Preview::Shortest) => MIN_TOKENS,
            _ => self.expected_tokens(question).max(MIN_TOKENS),
        };
        SummaryAnswer { text: stand_in(tokens), cached: false, complete: true, expected_tokens: Some(tokens) }
    }

    /// Estimates the cost of a request and a response of this size, to compare it with others: dollars if the price is
    /// known.
    pub(super) fn weight(&self, question: &LlmRequest, answer_tokens: usize) -> f64 {
        let input = self.question_tokens(question);
        let dollars = self.dollars(&tokens_of(input, answer_tokens)).filter(|dollars| *dollars > 0.0);
        dollars.unwrap_or((input + TYPICAL_OUTPUT_PRICE * answer_tokens) as f64)
    }

    fn longest_answer_to(&self, question: &LlmRequest) -> usize {
        question.max_tokens.map_or_else(|| self.longest_answer(), |tokens| tokens as usize)
    }

    /// Sends the request, and returns the response if it is a summary. The caller decides about one that was cut off.
    ///
    /// # Errors
    /// The reason why there is no response. Spending is recorded in any case.
    pub(super) async fn ask_anew(&self, mut question: LlmRequest) -> Result<SummaryAnswer, SummaryError> {
        self.cancel.check()?;
        let model = self.handler.model();
        let expected_input = self.question_tokens(&question);
        let longest = self.longest_answer_to(&question);
        let expected = answer_tokens(self.context, model, expected_input, longest);
        let ratios = self.context.llm.observed.ratios(model);
        let expected_usage = self.expected_usage(&question, scaled(expected_input, ratios.input), expected);
        let estimate = self.dollars(&expected_usage).unwrap_or(0.0);
        let typical = typical_scale(self.context, model);
        let is_preview = self.context.llm.preview.is_some();
        let is_strict = self.context.llm.budget.is_strict();
        let mut reserved = estimate;
        let most_input = self.most_question_tokens(&question);
        if is_preview || is_strict {
            let (most_tokens, dollars) = self.bound(&question);
            if is_preview {
                self.context.llm.spent.add_most(dollars.unwrap_or(f64::INFINITY));
            }
            if is_strict {
                reserved = dollars.ok_or_else(|| self.unpriced())?;
                question.max_tokens = Some(u32::try_from(most_tokens).unwrap_or(u32::MAX));
                question.charged_once = true;
            }
        }
        if !self.is_price_known() && self.context.llm.budget.limiting_option().is_some() {
            return Err(self.unpriced());
        }
        let reservation = self.context.llm.budget.reserve(reserved).inspect_err(|_| {
            if is_preview {
                self.context.llm.spent.note_refused(model, estimate);
            }
        })?;
        if is_preview {
            reservation.settle(estimate);
            self.context.llm.spent.add(model, estimate);
            self.context.llm.spent.note_stand_in(self.is_price_known());
            return Ok(self.stand_in(&question));
        }
        let limited = longest < expected_answer(expected_input);
        let begun = self.context.llm.requests.begin(&question);
        let answer = self.send(question).await;
        let (reported, unreported) = match &answer {
            Ok(response) => (vec![&response.usage, &response.spent_on_retries], &response.unreported),
            Err(error) => (vec![error.spent()], error.unreported()),
        };
        let reported: f64 = reported.into_iter().filter_map(|usage| self.dollars(usage)).sum();
        let probably = self.dollars_unreported(unreported, scaled(expected_input, ratios.input), typical);
        let at_most = if is_strict { self.dollars_unreported(unreported, most_input, self.margin()) } else { probably };
        reservation.settle(reported + at_most);
        self.context.llm.spent.add(model, reported + probably);
        let (requests, provider) = (&self.context.llm.requests, self.context.provider);
        requests.end(begun, provider, &*self.handler, &answer, reported + probably);
        let response = answer?;
        // A response under a short limit does not show what its length would be without the limit.
        if response.usage_reported && response.usage.output_tokens > 0 && !limited {
            self.learn(&response.usage, expected_input);
        }
        judge(&response)
    }

    /// Returns the error for a request without a price, for which no amount can be reserved.
    fn unpriced(&self) -> SummaryError {
        let option = self.context.llm.budget.limiting_option().unwrap_or_default();
        SummaryError::Unpriced { model: self.handler.model().to_owned(), option }
    }

    async fn send(&self, mut question: LlmRequest) -> Result<LlmResponse, LlmError> {
        for text in question.messages.iter_mut().map(|message| &mut message.text).chain([&mut question.system]) {
            *text = leave_text(text).into_owned();
        }
        let tell = |progress: LlmProgress<'_>| {
            if let LlmProgress::Retrying { attempt, attempts, wait, code } = progress {
                let wait_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
                let (attempt, attempts) = (attempt as usize, attempts as usize);
                self.context.progress.retrying(self.context.provider, attempt, attempts, wait_ms, code);
            }
        };
        let answer = self.handler.complete(question, self.cancel.token(), Some(&tell));
        tokio::select! {
            biased;
            answer = answer => answer,
            () = async { self.cancel.cancelled().await; tokio::time::sleep(LAST_WORDS).await } => {
                let unreported = Unreported { questions: 1, text: String::new() };
                Err(LlmError::aborted(self.handler.model(), TokenUsage::default()).with_unreported(unreported))
            }
        }
    }

    /// Returns the dollars that the handler or service reported, else calculated from the price.
    fn dollars(&self, usage: &TokenUsage) -> Option<f64> {
        if usage.total_cost.is_some() {
            return usage.total_cost.map(as_dollars);
        }
        // If there are more cached tokens than input tokens, they cannot be included: the count is Anthropic's.
        let cached = usage.cache_write_tokens.saturating_add(usage.cache_read_tokens);
        let api = if cached > usage.input_tokens { Api::Anthropic } else { Api::OpenAi };
        self.price().map(|price| price.cost(api, usage))
    }

    /// Estimates the dollars of usage that the service did not report but charges, from counted tokens. `scale`: the
    /// model's tokens per counted token in its response.
    fn dollars_unreported(&self, unreported: &Unreported, question_tokens: usize, scale: f64) -> f64 {
        if unreported.is_nothing() {
            return 0.0;
        }
        let input = question_tokens.saturating_mul(unreported.questions as usize);
        let output = scaled(count(&unreported.text, self.context.encoding).tokens, scale);
        self.dollars(&tokens_of(input, output)).unwrap_or(0.0)
    }

    fn learn(&self, usage: &TokenUsage, expected_input: usize) {
        let cached = usage.cache_write_tokens.saturating_add(usage.cache_read_tokens);
        let input =
            if cached > usage.input_tokens { usage.input_tokens.saturating_add(cached) } else { usage.input_tokens };
        let known = self.context.llm.observed.ratios(self.handler.model());
        let seen = Ratios {
            input: if input == 0 { known.input } else { input as f64 / expected_input.max(1) as f64 },
            output: usage.output_tokens as f64 / expected_answer(expected_input) as f64,
        };
        self.context.llm.observed.learn(self.handler.model(), seen);
    }

    fn key(&self, question: &LlmRequest) -> String {
        let mut parts = vec![KEY_VERSION, self.handler.model(), &question.system];
        for message in &question.messages {
            parts.extend([message.role.as_str(), &message.text]);
        }
        parts.extend(question.appended_to.iter().flat_map(|host| host.texts()));
        cache_key(&parts)
    }

    fn cache(&self) -> Option<&Arc<dyn SummaryStore>> {
        self.context.llm.cache.as_ref().filter(|_| !self.without_cache.load(Ordering::Relaxed))
    }

    fn warn_of_cache(&self, error: &StoreError) {
        self.warnings.add(
            Warning::new(WarningCode::CacheFailed, said!("warning.cacheFailed", error: error.message.as_str()))
                .about("cache"),
        );
    }

    /// Waits for the store. If it takes too long, it is not used again.
    async fn patiently<T>(&self, answer: impl Future<Output = Result<T, StoreError>>) -> Result<T, StoreError> {
        tokio::time::timeout(STORE_PATIENCE, answer).await.unwrap_or_else(|_| {
            self.without_cache.store(true, Ordering::Relaxed);
            Err(StoreError { message: format!("no answer within {} ms", STORE_PATIENCE.as_millis()) })
        })
    }

    async fn cached(&self, key: &str) -> Result<Option<String>, SummaryError> {
        let Some(store) = self.cache() else { return Ok(None) };
        let found = tokio::select! {
            () = self.cancel.cancelled() => return Err(SummaryError::Aborted),
            found = self.patiently(store.get(key)) => found,
        };
        match found {
            Ok(text) => Ok(text.filter(|text| !text.chars().all(is_unseen)).map(|text| enter_text(&text).into_owned())),
            Err(error) => {
                self.warn_of_cache(&error);
                Ok(None)
            }
        }
    }

    async fn store(&self, key: &str, text: &str) {
        let Some(store) = self.cache().filter(|_| self.context.llm.preview.is_none()) else { return };
        let outside = leave_text(text);
        let kept = tokio::select! {
            () = self.cancel.cancelled() => return,
            kept = self.patiently(store.set(key, &outside)) => kept,
        };
        if let Err(error) = kept {
            self.warn_of_cache(&error);
        }
    }
}

fn tokens_of(input: usize, output: usize) -> TokenUsage {
    TokenUsage { input_tokens: input as u64, output_tokens: output as u64, ..TokenUsage::default() }
}

fn scaled(tokens: usize, ratio: f64) -> usize {
    (tokens as f64 * ratio) as usize
}

/// Returns the model's response, if it is a summary.
fn judge(response: &LlmResponse) -> Result<SummaryAnswer, SummaryError> {
    let text = response.text.trim();
    match response.stop_reason {
        StopReason::Refusal => Err(SummaryError::Refused),
        // Text before a tool call is not a summary.
        StopReason::ToolUse => Err(SummaryError::Empty),
        _ if text.chars().all(is_unseen) => Err(SummaryError::Empty),
        _ => {
            let complete = response.stop_reason != StopReason::MaxTokens;
            Ok(SummaryAnswer { text: enter_text(text).into_owned(), cached: false, complete, expected_tokens: None })
        }
    }
}
