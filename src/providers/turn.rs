//! Runs a provider once: pins what it protects, settles and applies its proposal, and contains its panics and delays.

use std::{
    panic::AssertUnwindSafe,
    sync::Arc,
    time::{Duration, Instant},
};

use async_trait::async_trait;
use futures_util::FutureExt;

use super::{
    call_record::CallRecord,
    condense_error::CondenseError,
    pass_report::PassReport,
    proposal::{Change, Proposal, Settled},
    provider::{Provider, Registry},
    request::Request,
    runner::{State, Step},
    settle::settle,
};
use crate::{progress::Progress, warning::Warning};

/// Time that a provider has after an abort to report what it spent.
const LAST_WORDS: Duration = Duration::from_millis(32);

/// Maximum runs of a provider on its own result. Most find nothing more in the second.
pub const MAX_REPEATS: usize = 4;

/// The reports of the providers that have run, besides their changes to the state.
#[derive(Default)]
pub struct Turns {
    /// The providers that a strategy may run; `None` if not given.
    pub others: Option<Registry>,
    /// The changes made.
    pub changes: Vec<Change>,
    /// Warnings for the caller.
    pub warnings: Vec<Warning>,
    /// A report on each pass, from providers that work in passes.
    pub passes: Vec<PassReport>,
    /// The figures of each provider's first round.
    pub calls: Vec<(String, CallRecord)>,
    /// Scaled tokens removed in each round, by provider.
    pub saved: Vec<(String, usize)>,
}

/// Decides whether a settled proposal is applied.
#[async_trait]
pub trait Acceptance: Send {
    /// Checks a settled proposal.
    ///
    /// # Errors
    /// The reason why it must not be applied.
    async fn accept(
        &mut self,
        request: &Request,
        proposal: &Proposal,
        settled: &Settled,
        warnings: &mut Vec<Warning>,
    ) -> Result<(), CondenseError>;
}

/// Accepts every settled proposal.
pub struct AcceptAll;

#[async_trait]
impl Acceptance for AcceptAll {
    async fn accept(
        &mut self,
        _request: &Request,
        _proposal: &Proposal,
        _settled: &Settled,
        _warnings: &mut Vec<Warning>,
    ) -> Result<(), CondenseError> {
        Ok(())
    }
}

/// A provider as a step of the runner.
pub struct ProviderStep<'a> {
    provider: &'a dyn Provider,
    id: &'a str,
    turns: &'a mut Turns,
    acceptance: &'a mut dyn Acceptance,
    /// True if the provider may find more in its latest result.
    unfinished: bool,
}

impl<'a> ProviderStep<'a> {
    /// Creates the step. `id` is the provider's id.
    pub fn new(
        provider: &'a dyn Provider,
        id: &'a str,
        turns: &'a mut Turns,
        acceptance: &'a mut dyn Acceptance,
    ) -> Self {
        Self { provider, id, turns, acceptance, unfinished: false }
    }

    async fn work(&mut self, state: &mut State) -> Result<(), CondenseError> {
        let rules = self.provider.protects(&state.request.config);
        if !rules.is_empty() {
            let Request { original, conversation, tools, .. } = &mut state.request;
            *conversation = rules.pin(conversation, tools);
            // Reports say what of the call's input was protected.
            let (pinned, warnings) = rules.pin_telling(original, tools);
            *original = pinned;
            let told = &mut self.turns.warnings;
            told.extend(warnings.into_iter().filter(|warning| !told.contains(warning)).collect::<Vec<_>>());
        }
        let request = &state.request;
        request.cancel.check()?;
        let proposing = match &self.turns.others {
            Some(others) => self.provider.propose_among(request, others),
            None => self.provider.propose(request),
        };
        let proposing = AssertUnwindSafe(proposing).catch_unwind();
        // The caller does not wait for a provider that ignores the signal.
        let proposal = tokio::select! {
            biased;
            proposal = proposing => proposal.unwrap_or_else(|panic| Err(CondenseError::Internal(panic_message(&*panic)))),
            () = async { request.cancel.cancelled().await; tokio::time::sleep(LAST_WORDS).await } => Err(CondenseError::Aborted),
        };
        let mut proposal = proposal?;
        request.llm.spent.add_unnamed(proposal.cost);
        if request.llm.preview.is_none() {
            request.llm.budget.record(proposal.cost);
        }
        request.cancel.check()?;
        self.unfinished = proposal.unfinished;
        let settled = settle(request, self.id, &proposal).inspect_err(|_| {
            // The work is discarded, but its cost still counts.
            let paid = proposal.warnings.iter().filter(|warning| warning.tells_of_request());
            self.turns.warnings.extend(paid.cloned());
        })?;
        self.turns.warnings.append(&mut proposal.warnings);
        self.turns.passes.append(&mut proposal.passes);
        if !settled.changes.is_empty() {
            self.acceptance.accept(request, &proposal, &settled, &mut self.turns.warnings).await?;
        }
        self.turns.changes.extend(state.adopt(settled, proposal));
        Ok(())
    }
}

#[async_trait]
impl Step for ProviderStep<'_> {
    fn max_rounds(&self) -> usize {
        if self.provider.may_repeat() { 1 + MAX_REPEATS } else { 1 }
    }

    fn goes_on(&self, state: &State) -> bool {
        // Without a target, one round is enough.
        self.unfinished || (state.request.target_tokens.is_some() && !state.meets_target())
    }

    async fn round(&mut self, state: &mut State) -> Result<(), CondenseError> {
        let before = state.scaled();
        let result = self.tried(state).await;
        self.turns.saved.push((self.id.to_owned(), before.saturating_sub(state.scaled())));
        result
    }
}

impl ProviderStep<'_> {
    async fn tried(&mut self, state: &mut State) -> Result<(), CondenseError> {
        if state.is_repeat {
            // Finding nothing more in its own result is not a failure, whatever error the provider returns.
            return self.work(state).await.or(Ok(()));
        }
        let (begun, before, spent) = (Instant::now(), state.scaled(), state.request.llm.spent.total());
        let result = self.work(state).await;
        let record = CallRecord {
            success: result.is_ok(),
            cost: state.request.llm.spent.total() - spent,
            tokens_before: before,
            tokens_after: state.scaled(),
            latency_ms: milliseconds(begun),
        };
        self.turns.calls.push((self.id.to_owned(), record));
        result
    }
}

/// A provider that has run, with what is needed to run it again.
pub struct Repeatable {
    /// The provider.
    pub provider: Arc<dyn Provider>,
    /// Overrides for fields of its configuration.
    pub config: serde_json::Value,
    /// Maximum scaled tokens after it.
    pub target_tokens: Option<usize>,
}

/// Runs providers again on what later providers left, until none finds more. Once other lines are gone, remaining
/// ones can have become copies or stale. Without this, the same call on its own result would change it again.
pub async fn look_again(
    providers: &[Repeatable],
    state: &mut State,
    turns: &mut Turns,
    acceptance: &mut dyn Acceptance,
) {
    let (config, target, progress) =
        (state.request.config.clone(), state.request.target_tokens, state.request.progress.clone());
    let is_repeat = std::mem::replace(&mut state.is_repeat, true);
    state.request.progress = Progress::default();
    for _ in 0..MAX_REPEATS {
        let before = state.tokens();
        for Repeatable { provider, config, target_tokens } in providers {
            (state.request.config, state.request.target_tokens) = (config.clone(), *target_tokens);
            let id = provider.info().id;
            let step = &mut ProviderStep::new(&**provider, &id, turns, acceptance);
            // Earlier work is kept, whether or not this run succeeds.
            let failed = state.run(step).await.is_err();
            state.request.target_tokens = target;
            if failed || state.meets_target() {
                break;
            }
        }
        if state.tokens() == before || state.meets_target() {
            break;
        }
    }
    (state.request.config, state.request.target_tokens, state.request.progress) = (config, target, progress);
    state.is_repeat = is_repeat;
}

/// Returns the message of a panic.
#[must_use]
pub fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "panic".to_owned())
}

/// Returns the milliseconds since a moment.
#[must_use]
pub fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1000.0
}
