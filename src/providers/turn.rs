//! A provider asked once: what it protects is pinned, what it proposes is settled and taken over, whatever it does is held within bounds.

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

/// How long a provider may take after an abort to say what was spent.
const LAST_WORDS: Duration = Duration::from_millis(32);

/// Runs of a provider on its own result. Most find nothing more in the second.
pub const MAX_REPEATS: usize = 4;

/// What providers told that had their turns, beside what they did to the state.
#[derive(Default)]
pub struct Turns {
    /// Who may be asked by those of them that ask others; `None` where nobody says.
    pub others: Option<Registry>,
    /// What was changed.
    pub changes: Vec<Change>,
    /// What the caller should know.
    pub warnings: Vec<Warning>,
    /// How each pass went, of providers that work in passes.
    pub passes: Vec<PassReport>,
    /// How each provider did in its first round.
    pub calls: Vec<(String, CallRecord)>,
    /// Scaled tokens that each round of each provider removed.
    pub saved: Vec<(String, usize)>,
}

/// Has a say in what is settled, before it is taken over.
#[async_trait]
pub trait Acceptance: Send {
    /// Looks at what a proposal came to.
    ///
    /// # Errors
    /// Why it is not to be taken over.
    async fn accept(
        &mut self,
        request: &Request,
        proposal: &Proposal,
        settled: &Settled,
        warnings: &mut Vec<Warning>,
    ) -> Result<(), CondenseError>;
}

/// Everything that settles is taken over.
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
    /// It may find more in what the newest round has left.
    unfinished: bool,
}

impl<'a> ProviderStep<'a> {
    /// The turn of a provider. `id` is that of the provider.
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
            // Reports say of the conversation that came in what was protected.
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
        // A provider that does not look at the signal is left behind: the caller does not wait for it.
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
            // The work is thrown away, what it has cost is not.
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
        // Without a target once is enough.
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
            // Finding nothing more in one's own result is no failure, whatever it says.
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

/// A provider with the configuration that it is asked with, for those that have had their turn.
pub struct Repeatable {
    /// Who it is.
    pub provider: Arc<dyn Provider>,
    /// Overrides fields of its configuration.
    pub config: serde_json::Value,
    /// How many tokens there may be after it.
    pub target_tokens: Option<usize>,
}

/// Asks providers about what those after them have left of the conversation, until none finds anything there: with other lines gone, what stays can have
/// become a copy, or obsolete. The same call on the result would find it, and change its own result.
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
            // What was done before stays, whatever becomes of this.
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

/// What a panic said.
#[must_use]
pub fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "panic".to_owned())
}

/// Milliseconds since a moment.
#[must_use]
pub fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1000.0
}
