//! Runs one provider after the other until one does what was asked.

use std::{
    panic::AssertUnwindSafe,
    sync::Arc,
    time::{Duration, Instant},
};

use futures_util::FutureExt;

use super::{
    metrics::CallRecord,
    totals::{HostCount, host_count},
};
use crate::{
    conversation::{Edit, Plan, Recipe},
    providers::{Change, CondenseError, PassReport, Provider, Request, Settled, Speed, settle},
    restore::recipes,
    tokens::Tally,
    warning::{Warning, WarningCode},
};

/// What came out of a chain of providers.
pub struct ChainOutcome {
    /// The plan that turns the conversation that came in into the condensed one. Empty when nothing changed.
    pub plan: Plan,
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
    /// How each pass went, when a provider that works in passes ran.
    pub passes: Vec<PassReport>,
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
            Edit::Set { message, .. } | Edit::Drop { message } | Edit::Insert { before: message, .. } => *message,
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
pub async fn run(providers: &[Arc<dyn Provider>], request: Request, missing: Vec<Warning>) -> ChainOutcome {
    let started = Instant::now();
    let original_tally = request.tally.clone();
    let asked = providers.first().map(|provider| provider.info().id).unwrap_or_default();
    let mut current = request;
    let mut outcome = ChainOutcome {
        plan: Plan::default(),
        recipes: Vec::new(),
        changes: Vec::new(),
        summary: String::new(),
        cost: 0.0,
        warnings: missing,
        error: None,
        provider: asked,
        original_tokens: current.scaled(&original_tally),
        final_tokens: current.scaled(&original_tally),
        kept_tokens: 0,
        host_count: None,
        passes: Vec::new(),
        calls: Vec::new(),
        elapsed_ms: 0.0,
    };
    // The provider that was asked did what it could, and that was no failure: what others then fail at is only told.
    let mut asked_succeeded = false;
    for (index, provider) in providers.iter().enumerate() {
        let id = provider.info().id;
        if index > 0 {
            // The configuration of the call is for the provider that was asked.
            current.config = serde_json::Value::Null;
        }
        current.progress.report("condensing", &id, index, providers.len());
        let step_started = Instant::now();
        let spent_before = outcome.cost;
        let result = step(&**provider, &id, &current, &mut outcome).await;
        outcome.calls.push((
            id.clone(),
            CallRecord {
                success: result.is_ok(),
                cost: outcome.cost - spent_before,
                tokens_before: current.scaled(&current.tally),
                tokens_after: current.scaled(result.as_ref().map_or(&current.tally, |settled| &settled.tally)),
                latency_ms: milliseconds(step_started),
            },
        ));
        match result {
            Err(error) => {
                let go_on = error.allows_fallback();
                // Said here unless it becomes the error of the whole.
                if go_on && (asked_succeeded || index + 1 < providers.len() || !outcome.changes.is_empty()) {
                    let message = format!("{id}: {}: {error}", error.code());
                    outcome.warnings.push(Warning::new(WarningCode::ProviderFailed, message));
                }
                if !asked_succeeded {
                    outcome.error.get_or_insert(error);
                }
                if !go_on {
                    break;
                }
            }
            Ok(settled) => {
                asked_succeeded |= index == 0;
                let gained = adopt(settled, &id, &mut current, &mut outcome);
                if gained && is_mechanical(&**provider) {
                    repeat(&**provider, &id, &mut current, &mut outcome).await;
                }
                let enough = match current.target_tokens {
                    Some(_) => current.meets_target(&current.tally),
                    None => gained || outcome.error.is_none(),
                };
                if enough {
                    break;
                }
            }
        }
    }
    if current.cancel.check().is_err() {
        // Whatever else went wrong before.
        outcome.error = Some(CondenseError::Aborted);
    }
    finish(&mut outcome, &current, &original_tally);
    if !outcome.changes.is_empty() {
        outcome.plan = Plan::between(&current.original, &current.conversation);
        outcome.recipes = recipes(&current.original, &current.conversation, &outcome.plan);
        let kept = outcome.first_changed_index().unwrap_or(0);
        let tokens: usize = (0..kept).map(|message| original_tally.message(message)).sum();
        outcome.kept_tokens = current.scale.apply(current.system_tokens + tokens);
    }
    outcome.elapsed_ms = milliseconds(started);
    outcome
}

/// How long a provider may take after an abort to say what was spent.
const LAST_WORDS: Duration = Duration::from_millis(32);

/// Whether running it once more costs next to nothing.
fn is_mechanical(provider: &dyn Provider) -> bool {
    let capabilities = provider.info().capabilities;
    matches!(capabilities.estimated_speed, Speed::Fast) && !capabilities.supports_llm_summarization
}

/// Runs a mechanical provider that missed the target on its own result, as long as that gains something: what it left can look
/// different to it once the rest is gone. So a second call on its output changes nothing more.
async fn repeat(provider: &dyn Provider, id: &str, current: &mut Request, outcome: &mut ChainOutcome) {
    const MAX_REPEATS: usize = 4;
    for _ in 0..MAX_REPEATS {
        if current.meets_target(&current.tally) {
            return;
        }
        let Ok(settled) = step(provider, id, current, outcome).await else { return };
        if !adopt(settled, id, current, outcome) {
            return;
        }
    }
}

async fn step(
    provider: &dyn Provider,
    id: &str,
    request: &Request,
    outcome: &mut ChainOutcome,
) -> Result<Settled, CondenseError> {
    request.cancel.check()?;
    let proposing = AssertUnwindSafe(provider.propose(request)).catch_unwind();
    // A provider that does not look at the signal is left behind: the caller does not wait for it.
    let proposal = tokio::select! {
        biased;
        proposal = proposing => proposal.unwrap_or_else(|panic| Err(CondenseError::Internal(panic_message(&*panic)))),
        () = async { request.cancel.cancelled().await; tokio::time::sleep(LAST_WORDS).await } => Err(CondenseError::Aborted),
    };
    // Also what was spent in vain.
    outcome.cost += request.llm.spent.take();
    let proposal = proposal?;
    outcome.cost += proposal.cost;
    if request.llm.preview.is_none() {
        request.llm.budget.record(proposal.cost);
    }
    request.cancel.check()?;
    let settled = settle(request, id, &proposal)?;
    outcome.warnings.extend(proposal.warnings);
    outcome.passes.extend(proposal.passes);
    if !settled.changes.is_empty() {
        let counted = host_count(request, &settled.conversation, &mut outcome.warnings).await?;
        let adds = proposal.plan.edits.iter().any(|edit| matches!(edit, Edit::Insert { .. }));
        if let Some(HostCount { before, after }) = counted.filter(|count| adds && count.after >= count.before) {
            return Err(CondenseError::ContextGrew { before: before as usize, after: after as usize });
        }
        outcome.host_count = counted.or(outcome.host_count);
    }
    if !proposal.summary.is_empty() {
        outcome.summary = proposal.summary;
    }
    Ok(settled)
}

/// Takes over what a provider did. Whether it gained anything.
fn adopt(settled: Settled, id: &str, current: &mut Request, outcome: &mut ChainOutcome) -> bool {
    if settled.changes.is_empty() {
        return false;
    }
    id.clone_into(&mut outcome.provider);
    outcome.changes.extend(settled.changes);
    current.conversation = settled.conversation;
    current.tally = settled.tally;
    true
}

fn finish(outcome: &mut ChainOutcome, current: &Request, original_tally: &Tally) {
    outcome.final_tokens = current.scaled(&current.tally);
    let changed = !outcome.changes.is_empty();
    if outcome.error.as_ref().is_some_and(|error| !error.allows_fallback()) {
        // The caller wanted out: nothing is changed, whatever was done already.
        outcome.changes.clear();
        outcome.host_count = None;
        outcome.summary.clear();
        outcome.final_tokens = current.scaled(original_tally);
    } else if changed {
        outcome.error = None;
    }
    let is_miss = |warning: &Warning| warning.code == WarningCode::TargetNotMet;
    if current.meets_target(&current.tally) {
        // A provider before fell short, the next one did not.
        outcome.warnings.retain(|warning| !is_miss(warning));
    }
    // The last one is about what is left in the end.
    if let Some(last) = outcome.warnings.iter().rposition(is_miss) {
        let told = outcome.warnings.remove(last);
        outcome.warnings.retain(|warning| !is_miss(warning));
        outcome.warnings.push(told);
    } else if outcome.error.is_none()
        && let Some(target) = current.target_tokens.filter(|target| outcome.final_tokens > *target)
    {
        let tried: Vec<&str> = outcome.calls.iter().map(|(id, _)| id.as_str()).collect();
        let message = format!(
            "{} tokens are left, more than the target of {target}: {} found nothing more to save",
            outcome.final_tokens,
            tried.join(", ")
        );
        outcome.warnings.push(Warning::new(WarningCode::TargetNotMet, message));
    }
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
