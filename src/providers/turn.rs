//! Runs a provider once: pins what it protects, settles and applies its proposal, and contains its panics and delays.

use std::{
    panic::AssertUnwindSafe,
    sync::Arc,
    time::{Duration, Instant},
};

use async_trait::async_trait;
use futures_util::FutureExt;
use serde_json::Value;

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
use crate::{summaries::Llm, warning::Warning};

/// Time that a provider has after an abort to report what it spent.
const LAST_WORDS: Duration = Duration::from_millis(32);

/// Maximum runs of a provider on its own result. Most find nothing more in the second.
pub const MAX_REPEATS: usize = 4;

/// A provider, and the settings with which it runs.
#[derive(Clone)]
pub struct Task {
    /// The provider's id.
    pub id: String,
    /// The provider.
    pub provider: Arc<dyn Provider>,
    /// Overrides fields of its configuration.
    pub config: Value,
    /// The target in scaled tokens.
    pub target_tokens: Option<usize>,
    /// The handlers and budget for its summaries; `None` for those of the whole call.
    pub llm: Option<Llm>,
    /// The providers that it may run; `None` if its caller has no registry.
    pub others: Option<Registry>,
    /// True if its progress is reported as that of a pass.
    pub is_pass: bool,
}

impl Task {
    /// Returns the provider's request in the current state. A repeat reports no decisions.
    fn request(&self, state: &State) -> Request {
        let request = state.request.clone();
        Request {
            target_tokens: self.target_tokens,
            llm: self.llm.clone().unwrap_or(request.llm),
            progress: if self.is_pass { request.progress.in_pass(&self.id) } else { request.progress },
            choices: if state.is_repeat { Arc::default() } else { request.choices },
            ..request
        }
    }

    /// Runs the provider. A panic becomes an error, and after an abort the provider has only a short time to end.
    async fn proposed(&self, request: &Request) -> Result<Proposal, CondenseError> {
        let proposing = match &self.others {
            Some(others) => self.provider.propose_among(request, &self.config, others),
            None => self.provider.propose(request, &self.config),
        };
        let proposing = AssertUnwindSafe(proposing).catch_unwind();
        // The caller does not wait for a provider that ignores the signal.
        tokio::select! {
            biased;
            proposal = proposing => proposal.unwrap_or_else(|panic| Err(CondenseError::Internal(panic_message(&*panic)))),
            () = async { request.cancel.cancelled().await; tokio::time::sleep(LAST_WORDS).await } => Err(CondenseError::Aborted),
        }
    }
}

/// The results of runs, apart from the changed state.
#[derive(Debug, Default)]
pub struct Turn {
    /// The changes.
    pub changes: Vec<Change>,
    /// Warnings about rules in the provider's configuration, except warnings that the caller already has.
    pub about_rules: Vec<Warning>,
    /// Warnings for the caller.
    pub warnings: Vec<Warning>,
    /// The reports of passes, for providers that work in passes.
    pub passes: Vec<PassReport>,
    /// The measurements of each provider's first round.
    pub calls: Vec<(String, CallRecord)>,
    /// Scaled tokens removed in each round, by provider.
    pub saved: Vec<(String, usize)>,
}

impl Turn {
    /// Adds the results of a later turn.
    pub fn add(&mut self, turn: Self) {
        let is_new = |warning: &Warning| !self.warnings.contains(warning);
        let about_rules: Vec<_> = turn.about_rules.into_iter().filter(is_new).collect();
        self.changes.extend(turn.changes);
        self.warnings.extend(about_rules.into_iter().chain(turn.warnings));
        self.passes.extend(turn.passes);
        self.calls.extend(turn.calls);
        self.saved.extend(turn.saved);
    }

    /// Settles a proposal made for `request` and lets the state adopt it.
    async fn adopt(
        &mut self,
        id: &str,
        request: &Request,
        mut proposal: Proposal,
        state: &mut State,
        acceptance: &mut dyn Acceptance,
    ) -> Result<(), CondenseError> {
        request.llm.spent.add_unnamed(proposal.cost);
        if request.llm.preview.is_none() {
            request.llm.budget.record(proposal.cost);
        }
        request.cancel.check()?;
        let settled = settle(request, id, &proposal).inspect_err(|_| {
            // The result is discarded, but its cost is still reported.
            let paid = proposal.warnings.iter().filter(|warning| warning.tells_of_request());
            self.warnings.extend(paid.cloned());
        })?;
        self.warnings.append(&mut proposal.warnings);
        self.passes.append(&mut proposal.passes);
        if !settled.changes.is_empty() {
            acceptance.accept(request, &proposal, &settled, &mut self.warnings).await?;
        }
        self.changes.extend(state.adopt(settled, proposal));
        Ok(())
    }

    /// Records the measurements of a round. A repeat does not count as a separate call.
    fn record(&mut self, id: &str, timer: CallTimer, state: &State, success: bool) {
        self.saved.push((id.to_owned(), timer.tokens.saturating_sub(state.scaled())));
        if !state.is_repeat {
            self.calls.push((id.to_owned(), timer.end(state, success)));
        }
    }
}

/// Decides whether a settled proposal is adopted.
#[async_trait]
pub trait Acceptance: Send {
    /// Checks the settled proposal. The default accepts it.
    ///
    /// # Errors
    /// The reason why it is not adopted.
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

/// Accepts every settled proposal.
pub struct AcceptAll;

impl Acceptance for AcceptAll {}

/// A provider as a step of the runner.
struct ProviderStep<'a> {
    task: &'a Task,
    acceptance: &'a mut dyn Acceptance,
    is_again: bool,
    /// True if another round may find more.
    unfinished: bool,
    turn: Turn,
}

impl<'a> ProviderStep<'a> {
    fn new(task: &'a Task, acceptance: &'a mut dyn Acceptance, is_again: bool) -> Self {
        Self { task, acceptance, is_again, unfinished: false, turn: Turn::default() }
    }

    async fn work(&mut self, state: &mut State) -> Result<(), CondenseError> {
        self.turn.about_rules = state.request.pin(&self.task.provider.protects(&self.task.config));
        let request = self.task.request(state);
        request.cancel.check()?;
        let proposal = self.task.proposed(&request).await?;
        self.unfinished = proposal.unfinished;
        self.turn.adopt(&self.task.id, &request, proposal, state, self.acceptance).await
    }
}

#[async_trait]
impl Step for ProviderStep<'_> {
    fn max_rounds(&self) -> usize {
        if self.task.provider.may_repeat() { 1 + MAX_REPEATS } else { 1 }
    }

    fn is_again(&self) -> bool {
        self.is_again
    }

    fn goes_on(&self, state: &State) -> bool {
        self.unfinished && self.task.target_tokens.is_none_or(|target| state.scaled() > target)
    }

    async fn round(&mut self, state: &mut State) -> Result<(), CondenseError> {
        let timer = CallTimer::begin(state);
        let result = self.work(state).await;
        self.turn.record(&self.task.id, timer, state, result.is_ok());
        // An error in a repeat is not a failure: the provider merely found nothing more in its own result.
        if state.is_repeat { Ok(()) } else { result }
    }
}

/// Runs a provider, and again on its own result if it may repeat. Returns the results and any error. Rounds before an
/// error remain adopted.
pub async fn take_turn(
    task: &Task,
    state: &mut State,
    acceptance: &mut dyn Acceptance,
) -> (Turn, Result<(), CondenseError>) {
    let mut step = ProviderStep::new(task, acceptance, false);
    let result = state.run(&mut step).await;
    (step.turn, result)
}

/// Adopts a finished proposal as the work of the provider `id`.
pub async fn take_over(
    id: &str,
    proposal: Proposal,
    state: &mut State,
    acceptance: &mut dyn Acceptance,
) -> (Turn, Result<(), CondenseError>) {
    let (mut turn, timer, request) = (Turn::default(), CallTimer::begin(state), state.request.clone());
    let result = turn.adopt(id, &request, proposal, state, acceptance).await;
    turn.record(id, timer, state, result.is_ok());
    (turn, result)
}

/// Runs providers again on the results of later ones, until none finds anything more. After lines were removed, others
/// may have become copies or stale. Without this, the same call on the result would change it again.
pub async fn look_again(tasks: &[Task], state: &mut State, acceptance: &mut dyn Acceptance) -> Turn {
    let mut turn = Turn::default();
    for _ in 0..MAX_REPEATS {
        let before = state.tokens();
        for task in tasks {
            let mut step = ProviderStep::new(task, acceptance, true);
            // Errors of a repeat are ignored.
            drop(state.run(&mut step).await);
            turn.add(step.turn);
            if state.meets_target() {
                break;
            }
        }
        if state.tokens() == before || state.meets_target() {
            break;
        }
    }
    turn
}

/// The measurements at the start of a provider's work.
#[derive(Debug, Clone, Copy)]
pub struct CallTimer {
    begun: Instant,
    /// Scaled tokens.
    pub tokens: usize,
    spent: f64,
}

impl CallTimer {
    /// Begins a provider's work on a state.
    pub fn begin(state: &State) -> Self {
        Self { begun: Instant::now(), tokens: state.scaled(), spent: state.request.llm.spent.total() }
    }

    /// Returns the measurements of the work, which ends now.
    pub fn end(self, state: &State, success: bool) -> CallRecord {
        CallRecord {
            success,
            cost: state.request.llm.spent.total() - self.spent,
            tokens_before: self.tokens,
            tokens_after: state.scaled(),
            latency_ms: milliseconds(self.begun),
        }
    }
}

/// Returns the milliseconds since a moment.
pub fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1000.0
}

/// Returns the message of a panic.
pub fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "panic".to_owned())
}
