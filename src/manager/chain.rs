//! Runs one provider after the other until one does what was asked.

use std::{
    collections::BTreeMap,
    panic::AssertUnwindSafe,
    sync::Arc,
    time::{Duration, Instant},
};

use async_trait::async_trait;
use futures_util::FutureExt;

use super::{
    metrics::CallRecord,
    numbers::Goal,
    totals::{HostCount, host_count},
};
use crate::{
    conversation::{Conversation, Edit, Plan, Recipe},
    markers::counted,
    progress::Progress,
    providers::{Change, CondenseError, PassReport, Provider, Request, State, Step, ThinkingOutcome, settle},
    restore::recipes,
    tokens::Tally,
    warning::{Warning, WarningCode},
};

/// What came out of a chain of providers.
#[derive(Default)]
pub struct ChainOutcome {
    /// The plan that turns the conversation that came in into the condensed one. Empty when nothing changed.
    pub plan: Plan,
    /// The conversation that came in.
    pub original: Conversation,
    /// The condensed conversation, when the plan is not empty.
    pub condensed: Conversation,
    /// How the old texts of edits, by their index in the plan, are put together again from the condensed conversation.
    pub recipes: Vec<(usize, Recipe)>,
    /// What was changed.
    pub changes: Vec<Change>,
    /// The summary, if one was written.
    pub summary: String,
    /// Dollars spent, also by providers that failed.
    pub cost: f64,
    /// What the caller should know.
    pub warnings: Vec<Warning>,
    /// Why nothing was done, if that was a failure.
    pub error: Option<CondenseError>,
    /// The provider that changed the conversation last, or the one that was asked.
    pub provider: String,
    /// Scaled tokens before, system prompt included.
    pub original_tokens: usize,
    /// And after.
    pub final_tokens: usize,
    /// Scaled tokens before the first change, system prompt included.
    pub kept_tokens: usize,
    /// Before and after, by the handler's own count, where it has one.
    pub host_count: Option<HostCount>,
    /// Blocks of thinking that went because something before them has changed.
    pub thinking_removed: usize,
    /// How each pass went, when a provider that works in passes ran.
    pub passes: Vec<PassReport>,
    /// Dollars by the model that was paid.
    pub cost_by_model: BTreeMap<String, f64>,
    /// How each provider did.
    pub calls: Vec<(String, CallRecord)>,
    /// Time in milliseconds.
    pub elapsed_ms: f64,
}

impl ChainOutcome {
    /// The first message that differs, in the conversation that came in: from there on the model provider's prompt cache misses.
    #[must_use]
    pub fn first_changed_index(&self) -> Option<usize> {
        let edits = self.plan.edits.iter().map(|edit| match edit {
            Edit::Set { message, .. }
            | Edit::Drop { message }
            | Edit::Insert { before: message, .. }
            | Edit::DropBlock { message, .. }
            | Edit::InsertBlock { message, .. } => *message,
        });
        edits.min()
    }

    /// The passes that changed something, as `lossless_prelude` and `pass_` with the id.
    #[must_use]
    pub fn passes_applied(&self) -> Vec<String> {
        let applied = self.passes.iter().filter(|pass| pass.messages_changed > 0);
        applied
            .map(|pass| {
                if PassReport::RESERVED.contains(&pass.id.as_str()) {
                    pass.id.clone()
                } else {
                    format!("pass_{}", pass.id)
                }
            })
            .collect()
    }

    /// The operations that were done, each once, in order of appearance.
    #[must_use]
    pub fn operations(&self) -> Vec<String> {
        let mut operations: Vec<String> = Vec::new();
        for change in &self.changes {
            if !operations.contains(&change.operation) {
                operations.push(change.operation.clone());
            }
        }
        operations
    }
}

/// Runs `providers` in order. The next one takes over when one fails; when one leaves more tokens than the target, the next one
/// goes on with its result. Without a target, one that worked is enough, but one that stands in for another has to gain something.
/// `goal` is the target of the request as the caller counts.
pub async fn run(providers: &[Arc<dyn Provider>], request: Request, missing: Vec<Warning>, goal: Goal) -> ChainOutcome {
    let started = Instant::now();
    let original_tally = request.tally.clone();
    let mut state = State::new(request);
    let mut outcome = ChainOutcome {
        warnings: missing,
        provider: providers.first().map(|provider| provider.info().id).unwrap_or_default(),
        original: state.request.original.clone(),
        original_tokens: state.scaled(),
        ..ChainOutcome::default()
    };
    // The provider that was asked did what it could, and that was no failure: what others then fail at is only told.
    let mut asked_succeeded = false;
    let config = state.request.config.clone();
    let mut had_their_turn = 0;
    for (index, provider) in providers.iter().enumerate() {
        had_their_turn = index + 1;
        let id = provider.info().id;
        if index > 0 {
            // The configuration of the call is for the provider that was asked.
            state.request.config = serde_json::Value::Null;
        }
        state.request.progress.report("condensing", &id, index, providers.len());
        let before = state.tokens();
        let result = state.run(&mut ProviderStep::new(&**provider, &id, &mut outcome)).await;
        match result {
            Err(error) => {
                let go_on = error.allows_fallback();
                // Said here unless it becomes the error of the whole.
                if go_on && (asked_succeeded || index + 1 < providers.len() || !outcome.changes.is_empty()) {
                    let message = format!("{id}: {}: {error}", error.code());
                    outcome.warnings.push(Warning::new(WarningCode::ProviderFailed, message).of(error.code()));
                }
                if !asked_succeeded {
                    outcome.error.get_or_insert(error);
                }
                if !go_on {
                    break;
                }
            }
            Ok(()) => {
                asked_succeeded |= index == 0;
                let gained = state.tokens() < before;
                if gained {
                    outcome.provider = id;
                }
                let enough = match state.request.target_tokens {
                    Some(_) => state.meets_target(),
                    None => gained || outcome.error.is_none(),
                };
                if enough {
                    break;
                }
            }
        }
    }
    if had_their_turn > 1 && state.request.target_tokens.is_some() {
        look_again(&providers[..had_their_turn], config, &mut state, &mut outcome).await;
    }
    if state.request.cancel.check().is_err() {
        // Whatever else went wrong before.
        outcome.error = Some(CondenseError::Aborted);
    }
    outcome.summary = std::mem::take(&mut state.summary);
    outcome.cost_by_model = state.request.llm.spent.by_model();
    settle_thinking(&mut outcome, &mut state.request, &original_tally).await;
    let current = &state.request;
    finish(&mut outcome, current, &original_tally);
    say_if_missed(&mut outcome, current, goal).await;
    if !outcome.changes.is_empty() {
        outcome.plan = Plan::between(&current.original, &current.conversation);
        outcome.condensed = current.conversation.clone();
        outcome.recipes = recipes(&current.original, &current.conversation, &outcome.plan);
        let kept = outcome.first_changed_index().unwrap_or(0);
        let tokens: usize = (0..kept).map(|message| original_tally.message(message)).sum();
        outcome.kept_tokens = current.scale.apply(current.system_tokens + tokens);
    }
    outcome.elapsed_ms = milliseconds(started);
    outcome
}

/// Providers that may be repeated are asked about what those after them have left of the conversation, until none finds anything there: with other
/// lines gone, what stays can have become a copy, or obsolete. The same call on the result would find it, and change its own result.
async fn look_again(
    providers: &[Arc<dyn Provider>],
    config: serde_json::Value,
    state: &mut State,
    outcome: &mut ChainOutcome,
) {
    state.is_repeat = true;
    state.request.progress = Progress::default();
    for _ in 0..MAX_REPEATS {
        let before = state.tokens();
        for (index, provider) in providers.iter().enumerate().filter(|(_, provider)| provider.may_repeat()) {
            state.request.config = if index == 0 { config.clone() } else { serde_json::Value::Null };
            let id = provider.info().id;
            let step = &mut ProviderStep::new(&**provider, &id, outcome);
            // What was done before stays, whatever becomes of this.
            if state.run(step).await.is_err() || state.meets_target() {
                break;
            }
        }
        if state.tokens() == before {
            return;
        }
    }
}

/// How long a provider may take after an abort to say what was spent.
const LAST_WORDS: Duration = Duration::from_millis(32);

/// Runs of a provider on its own result. Most find nothing more in the second.
const MAX_REPEATS: usize = 4;

/// A provider as a step of the chain; what it does is told to the outcome.
struct ProviderStep<'a> {
    provider: &'a dyn Provider,
    id: &'a str,
    outcome: &'a mut ChainOutcome,
    /// It may find more in what the newest round has left.
    unfinished: bool,
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
        if state.is_repeat {
            // Finding nothing more in one's own result is no failure, whatever it says.
            return self.work(state).await.or(Ok(()));
        }
        let (begun, before, spent) = (Instant::now(), state.scaled(), self.outcome.cost);
        let result = self.work(state).await;
        let record = CallRecord {
            success: result.is_ok(),
            cost: self.outcome.cost - spent,
            tokens_before: before,
            tokens_after: state.scaled(),
            latency_ms: milliseconds(begun),
        };
        self.outcome.calls.push((self.id.to_owned(), record));
        result
    }
}

impl<'a> ProviderStep<'a> {
    fn new(provider: &'a dyn Provider, id: &'a str, outcome: &'a mut ChainOutcome) -> Self {
        Self { provider, id, outcome, unfinished: false }
    }

    async fn work(&mut self, state: &mut State) -> Result<(), CondenseError> {
        let rules = self.provider.protects(&state.request.config);
        if !rules.is_empty() {
            state.request.conversation = rules.pin(&state.request.conversation, &state.request.tools);
        }
        let (request, outcome) = (&state.request, &mut *self.outcome);
        request.cancel.check()?;
        let proposing = AssertUnwindSafe(self.provider.propose(request)).catch_unwind();
        // A provider that does not look at the signal is left behind: the caller does not wait for it.
        let proposal = tokio::select! {
            biased;
            proposal = proposing => proposal.unwrap_or_else(|panic| Err(CondenseError::Internal(panic_message(&*panic)))),
            () = async { request.cancel.cancelled().await; tokio::time::sleep(LAST_WORDS).await } => Err(CondenseError::Aborted),
        };
        // Also what was spent in vain.
        outcome.cost += request.llm.spent.take();
        let mut proposal = proposal?;
        outcome.cost += proposal.cost;
        if request.llm.preview.is_none() {
            request.llm.budget.record(proposal.cost);
        }
        request.cancel.check()?;
        self.unfinished = proposal.unfinished;
        let settled = settle(request, self.id, &proposal)?;
        outcome.warnings.append(&mut proposal.warnings);
        outcome.passes.append(&mut proposal.passes);
        if !settled.changes.is_empty() {
            let known = outcome.host_count;
            let counted = host_count(request, &settled.conversation, known, &mut outcome.warnings).await?;
            let adds = proposal.plan.edits.iter().any(|edit| matches!(edit, Edit::Insert { .. }));
            if let Some(HostCount { before, after }) = counted.filter(|count| adds && count.after >= count.before) {
                return Err(CondenseError::ContextGrew { before: before as usize, after: after as usize });
            }
            outcome.host_count = counted.or(outcome.host_count);
        }
        outcome.changes.extend(state.adopt(settled, proposal));
        Ok(())
    }
}

/// Sees to signed thinking behind what was changed.
async fn settle_thinking(outcome: &mut ChainOutcome, request: &mut Request, original_tally: &Tally) {
    if outcome.changes.is_empty() || outcome.error.as_ref().is_some_and(|error| !error.allows_fallback()) {
        return;
    }
    let result = match request.thinking.apply(request) {
        Err(cancelled) => {
            outcome.error = Some(cancelled.into());
            return;
        }
        Ok(ThinkingOutcome::Untouched) => return,
        Ok(ThinkingOutcome::Kept(signed)) => {
            let message = format!(
                "{} of signed thinking behind the first change: Claude models with preserved thinking refuse the request, or drop them",
                counted(signed, "block")
            );
            outcome.warnings.push(Warning::new(WarningCode::ThinkingAfterChange, message).about("thinking"));
            return;
        }
        Ok(ThinkingOutcome::Removed(result)) => result,
    };
    if result.tally.total() >= original_tally.total() {
        // What had to be put in the place of thinking weighs more than all that was saved.
        outcome.changes.clear();
        outcome.host_count = None;
        (request.conversation, request.tally) = (request.original.clone(), original_tally.clone());
        return;
    }
    (request.conversation, request.tally) = (result.conversation, result.tally);
    outcome.thinking_removed = result.blocks;
    outcome.changes.extend(result.changes);
    let left = request.scaled(&request.tally);
    if let Some((_, call)) = outcome.calls.iter_mut().rfind(|(id, _)| *id == outcome.provider) {
        call.tokens_after = call.tokens_after.min(left);
    }
    if let Some(known) = outcome.host_count {
        match host_count(request, &request.conversation, Some(known), &mut outcome.warnings).await {
            Ok(counted) => outcome.host_count = counted,
            Err(aborted) => outcome.error = Some(aborted),
        }
    }
}

fn finish(outcome: &mut ChainOutcome, current: &Request, original_tally: &Tally) {
    outcome.final_tokens = current.scaled(&current.tally);
    let changed = !outcome.changes.is_empty();
    if outcome.error.as_ref().is_some_and(|error| !error.allows_fallback()) {
        // The caller wanted out: nothing is changed, whatever was done already.
        outcome.changes.clear();
        outcome.host_count = None;
        outcome.thinking_removed = 0;
        outcome.summary.clear();
        outcome.final_tokens = current.scaled(original_tally);
    } else if changed {
        outcome.error = None;
    }
}

/// Says whether the target was missed, in the caller's tokens: by the handler's own count where it has one, which decides final totals.
async fn say_if_missed(outcome: &mut ChainOutcome, current: &Request, goal: Goal) {
    let is_miss = |warning: &Warning| warning.code == WarningCode::TargetNotMet;
    let Some(limit) = goal.limit else { return };
    let counted = match outcome.host_count {
        // Nothing was changed, so nobody asked yet. What was reported needs no count then.
        None if outcome.error.is_none() && outcome.changes.is_empty() && goal.reported.is_none() => {
            match host_count(current, &current.conversation, None, &mut outcome.warnings).await {
                Ok(counted) => counted,
                Err(aborted) => {
                    outcome.error = Some(aborted);
                    return;
                }
            }
        }
        known => known,
    };
    let ours = (outcome.original_tokens as f64, outcome.final_tokens as f64);
    let (before, after) = counted.map_or(ours, |count| (count.before, count.after));
    let left = goal.left(before, after);
    // The share that a handler finds left is that of rounded numbers. What it counts itself is compared as it is.
    let rounding = if counted.is_some() && goal.reported.is_some() { 1.0 } else { 0.0 };
    if left <= limit + rounding {
        // A provider before fell short, the next one did not.
        outcome.warnings.retain(|warning| !is_miss(warning));
        return;
    }
    // The last one is about what is left in the end, as far as our own count tells it.
    let told = outcome.warnings.iter().rposition(is_miss).map(|last| outcome.warnings.remove(last));
    outcome.warnings.retain(|warning| !is_miss(warning));
    let (ours, left, target) = (outcome.final_tokens, left.ceil(), limit.floor());
    let message = match (told, counted, goal.reported) {
        (Some(told), None, None) => told.message,
        (None, None, _) if outcome.error.is_some() => return,
        (_, _, Some(reported)) => format!(
            "about {left} of the {reported} tokens that were reported are left, more than the target of {target}; counted locally they are {ours}"
        ),
        (_, Some(_), None) => format!(
            "{left} tokens are left as the handler counts, more than the target of {target}; counted locally they are {ours}"
        ),
        (None, None, None) => {
            let tried: Vec<&str> = outcome.calls.iter().map(|(id, _)| id.as_str()).collect();
            let tried = tried.join(", ");
            format!("{left} tokens are left, more than the target of {target}: {tried} found nothing more to save")
        }
    };
    outcome.warnings.push(Warning::new(WarningCode::TargetNotMet, message));
}

/// What a panic said.
#[must_use]
pub fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "panic".to_owned())
}

fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1000.0
}
