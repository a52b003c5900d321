//! Runs one provider after the other until one does what was asked.

use std::{collections::BTreeMap, sync::Arc, time::Instant};

use async_trait::async_trait;
use serde_json::Value;

use super::{
    numbers::Goal,
    preparation::Ready,
    survival::{Done, Survival},
    ties::Ties,
    totals::{HostCount, host_count},
};
use crate::{
    conversation::{Contents, Conversation, Edit, Plan, Recipe},
    parallel::all_three,
    protect::ProtectRules,
    providers::{
        Acceptance, CallRecord, Change, Choice, CondenseError, Lossless, PassReport, Proposal, Provider, ProviderStep,
        Registry, Repeatable, Request, Settled, State, SummaryQuality, ThinkingOutcome, Truncation, Turns, look_again,
        milliseconds,
    },
    restore::{RecipeSources, expand},
    summaries::{Llm, RequestRecord},
    tokens::Tally,
    warning::{Warning, WarningCode},
    words::{Said, said},
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
    /// What ties the plan to the messages, when it is not empty.
    pub ties: Option<Ties>,
    /// How the old texts of edits, by their index in the plan, are put together again from the condensed conversation.
    pub recipes: Vec<(usize, Recipe)>,
    /// What was changed.
    pub changes: Vec<Change>,
    /// The summary, if one was written.
    pub summary: String,
    /// How much of what must survive it tells, where that is known.
    pub summary_quality: Option<SummaryQuality>,
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
    /// What became of all that was said, when the plan is not empty.
    pub survival: Option<Survival>,
    /// How each pass went, when a provider that works in passes ran.
    pub passes: Vec<PassReport>,
    /// Whether a model would be asked, where the work was only tried.
    pub would_ask: bool,
    /// Whether such a model has no known price.
    pub unpriced: bool,
    /// Dollars by the model that was paid.
    pub cost_by_model: BTreeMap<String, f64>,
    /// What was asked of models.
    pub requests: Vec<RequestRecord>,
    /// What strategies decided.
    pub choices: Vec<Choice>,
    /// What was done as a proposal on the conversation that came in, where that is wanted; without what became of thinking.
    pub proposal: Option<Proposal>,
    /// Whether work that was done already was taken over.
    pub was_ready: bool,
    /// How each provider did.
    pub calls: Vec<(String, CallRecord)>,
    /// Scaled tokens that each round of each provider removed, of those whose work is in the result; 0 of others.
    pub saved: Vec<(String, usize)>,
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

/// Who does the work of a call.
pub struct Chain {
    /// In the order in which they are tried.
    pub providers: Vec<Arc<dyn Provider>>,
    /// Who may be asked by those of them that ask others; `None` where nobody says.
    pub others: Option<Registry>,
    /// About those that are missing.
    pub warnings: Vec<Warning>,
    /// Work that is done already, which is taken over before any of them is asked.
    pub ready: Option<Arc<Ready>>,
    /// Whether what was done is wanted as a proposal, too.
    pub keeps_proposal: bool,
}

/// The least that lossless has left of a recorded conversation is .42 of its tokens (33 sessions); to a target below this share of them, what it saves is part of
/// what the fold tells anyway.
const LOSSLESS_LEAVES: f64 = 0.4;

/// Returns true if the first of these is not run, because the target is out of its reach and the second needs nothing of it.
fn is_passed_over(providers: &[Arc<dyn Provider>], state: &State) -> bool {
    let mut ids = providers.iter().map(|provider| provider.info().id);
    let are_both = ids.next().as_deref() == Some(Lossless::ID) && ids.next().as_deref() == Some(Truncation::ID);
    let target = state.request.target_tokens.filter(|_| are_both);
    target.is_some_and(|target| (target as f64) < state.scaled() as f64 * LOSSLESS_LEAVES)
}

/// Runs the providers of `chain` in order. The next one takes over when one fails; when one leaves more tokens than the target, the next one
/// goes on with its result. Without a target, one that worked is enough, but one that stands in for
/// another has to gain something.
/// `goal` is the target of the request as the caller counts.
pub async fn run(chain: &Chain, mut request: Request, goal: Goal) -> ChainOutcome {
    let providers = &chain.providers;
    let started = Instant::now();
    let warnings = put_rules_in_force(chain, &mut request);
    let original_tally = request.tally.clone();
    let begun_with = request.clone();
    let mut state = State::new(request);
    let mut turns = Turns { others: chain.others.clone(), warnings, ..Turns::default() };
    let mut counts = HostCounts(None);
    let mut outcome = ChainOutcome {
        provider: providers.first().map(|provider| provider.info().id).unwrap_or_default(),
        original: state.request.original.clone(),
        original_tokens: state.scaled(),
        ..ChainOutcome::default()
    };
    // The provider that was asked did what it could, and that was no failure: what others then fail at is only told.
    let mut asked_succeeded = false;
    let config = state.request.config.clone();
    let mut had_their_turn = Vec::new();
    if let Some(ready) = &chain.ready {
        outcome.was_ready = take_over(ready, &mut state, &mut turns, &mut counts).await;
        asked_succeeded = outcome.was_ready;
    }
    let is_enough = outcome.was_ready && (state.request.target_tokens.is_none() || state.meets_target());
    if outcome.was_ready {
        outcome.provider = chain.ready.as_ref().map(|ready| ready.info().id).unwrap_or_default();
    }
    for (index, provider) in providers.iter().enumerate().filter(|_| !is_enough) {
        if is_passed_over(&providers[index..], &state) {
            continue;
        }
        had_their_turn.push((index, provider));
        let id = provider.info().id;
        if index > 0 {
            // The configuration of the call is for the provider that was asked.
            state.request.config = Value::Null;
        }
        state.request.progress.report("condensing", &id, index, providers.len());
        let before = state.tokens();
        let result = state.run(&mut ProviderStep::new(&**provider, &id, &mut turns, &mut counts)).await;
        match result {
            Err(error) => {
                let go_on = error.allows_fallback();
                // Said here unless it becomes the error of the whole.
                if go_on && (asked_succeeded || index + 1 < providers.len() || !turns.changes.is_empty()) {
                    let said = said!("warning.failed", what: id.as_str(), code: error.code(), error: error.said());
                    turns.warnings.push(Warning::new(WarningCode::ProviderFailed, said).caused_by(error.code()));
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
    if had_their_turn.len() > 1 && state.request.target_tokens.is_some() {
        let repeated = repeated(&had_their_turn, &config, state.request.target_tokens);
        look_again(&repeated, &mut state, &mut turns, &mut counts).await;
    }
    if chain.keeps_proposal && !turns.changes.is_empty() {
        outcome.proposal = Some(state.clone().into_proposal(&begun_with));
    }
    if turns.changes.is_empty() {
        state.request.llm.spent.add_refused();
    }
    outcome.host_count = counts.0;
    (outcome.changes, outcome.warnings) = (turns.changes, turns.warnings);
    (outcome.passes, outcome.calls, outcome.saved) = (turns.passes, turns.calls, turns.saved);
    if state.request.cancel.check().is_err() {
        // Whatever else went wrong before.
        outcome.error = Some(CondenseError::Aborted);
    }
    outcome.summary = std::mem::take(&mut state.summary);
    (outcome.summary_quality, outcome.choices) = (state.summary_quality.take(), state.request.choices.all());
    tell_of_spending(&mut outcome, &state.request.llm);
    settle_thinking(&mut outcome, &mut state.request, &original_tally).await;
    let current = &state.request;
    finish(&mut outcome, current, &original_tally);
    say_if_missed(&mut outcome, current, goal).await;
    tell_of_changes(&mut outcome, current, &original_tally);
    outcome.elapsed_ms = milliseconds(started);
    outcome
}

/// Lets the rules of each provider hold for all of the chain: what one of them is told to keep no other may take. Returns the chain's warnings, and those
/// about rules that are about nothing.
fn put_rules_in_force(chain: &Chain, request: &mut Request) -> Vec<Warning> {
    let providers = &chain.providers;
    let mut warnings = chain.warnings.clone();
    let config = request.config.clone();
    // The configuration of the call is for the provider that was asked.
    let config_of = |index: usize| if index == 0 { &config } else { &Value::Null };
    // Rows that come later come first: those of the provider that was asked.
    for (index, provider) in providers.iter().enumerate().rev() {
        request.tools = request.tools.with(&provider.tools(config_of(index)));
    }
    let rules = providers.iter().enumerate().map(|(index, provider)| provider.protects(config_of(index)));
    let rules = rules.fold(ProtectRules::default(), ProtectRules::with);
    if rules.is_empty() {
        return warnings;
    }
    request.conversation = rules.pin(&request.conversation, &request.tools);
    let (original, told) = rules.pin_telling(&request.original, &request.tools);
    request.original = original;
    warnings.extend(told);
    warnings
}

/// What models cost, and would cost.
fn tell_of_spending(outcome: &mut ChainOutcome, llm: &Llm) {
    outcome.cost = llm.spent.total();
    outcome.would_ask = llm.spent.would_ask();
    outcome.unpriced = llm.spent.is_unpriced();
    outcome.cost_by_model = llm.spent.by_model();
    outcome.requests = llm.requests.all();
}

/// What was changed, and what became of all that was said.
fn tell_of_changes(outcome: &mut ChainOutcome, current: &Request, original_tally: &Tally) {
    if outcome.changes.is_empty() {
        return;
    }
    outcome.plan = Plan::between(&current.original, &current.conversation);
    outcome.condensed = current.conversation.clone();
    let done = Done {
        before: &current.original,
        tally_before: original_tally,
        after: &current.conversation,
        tally_after: &current.tally,
        plan: &outcome.plan,
        changes: &outcome.changes,
        tools: &current.tools,
    };
    let sources = RecipeSources::new(&current.conversation, &outcome.plan);
    let follow = || sources.as_ref().map(RecipeSources::follow);
    // On all threads, because what ties the plan takes longest.
    let original = Contents::hash(&current.original);
    let ties = || Ties::with(original, &outcome.plan, &current.original, &current.conversation);
    let (recipes, ties, survival) = all_three(current.original.bytes(), follow, ties, || Survival::of(&done));
    // Behind the others, so that all threads have time for them.
    let recipes = recipes.map(|recipes| recipes.write(&current.original, &outcome.plan)).unwrap_or_default();
    (outcome.recipes, outcome.survival, outcome.ties) = (recipes, Some(survival), Some(ties));
    let kept = outcome.first_changed_index().unwrap_or(0);
    let tokens: usize = (0..kept).map(|message| original_tally.message(message)).sum();
    outcome.kept_tokens = current.scale.apply(current.system_tokens + tokens);
}

/// Takes over work that is done already. Whether it was: what no longer fits is told, and done anew.
async fn take_over(ready: &Ready, state: &mut State, turns: &mut Turns, counts: &mut HostCounts) -> bool {
    let (before, id) = (state.tokens(), ready.info().id);
    // The configuration of the call is for those who work.
    let config = std::mem::take(&mut state.request.config);
    let result = state.run(&mut ProviderStep::new(ready, &id, turns, &mut Followable(counts))).await;
    state.request.config = config;
    if let Err(error) = &result {
        let said = said!("warning.preparedFailed", code: error.code(), error: error.said());
        turns.warnings.push(Warning::new(WarningCode::PreparationStale, said).caused_by(error.code()));
    }
    result.is_ok() && state.tokens() < before
}

/// Those of the chain that may be asked about what others have left. The configuration of the call is for the first alone.
fn repeated(
    providers: &[(usize, &Arc<dyn Provider>)],
    config: &Value,
    target_tokens: Option<usize>,
) -> Vec<Repeatable> {
    let repeatable = |(index, provider): &(usize, &Arc<dyn Provider>)| Repeatable {
        provider: Arc::clone(provider),
        config: if *index == 0 { config.clone() } else { Value::Null },
        target_tokens,
    };
    providers.iter().filter(|(_, provider)| provider.may_repeat()).map(repeatable).collect()
}

/// Before and after, by the handler's own count, where it has one; what it counts as no smaller is not taken over.
struct HostCounts(Option<HostCount>);

/// What was settled for other messages is not taken over where a pointer would lead nowhere.
struct Followable<'a>(&'a mut HostCounts);

#[async_trait]
impl Acceptance for Followable<'_> {
    async fn accept(
        &mut self,
        request: &Request,
        proposal: &Proposal,
        settled: &Settled,
        warnings: &mut Vec<Warning>,
    ) -> Result<(), CondenseError> {
        let unresolved = |conversation: &Conversation| expand(conversation).unresolved.len();
        let left = unresolved(&settled.conversation);
        if left > 0 && left > unresolved(&request.conversation) {
            let message = "a pointer in it leads to what is no longer there".to_owned();
            return Err(CondenseError::ProviderFailed { provider: "prepare".to_owned(), message, foreign_cause: None });
        }
        self.0.accept(request, proposal, settled, warnings).await
    }
}

#[async_trait]
impl Acceptance for HostCounts {
    async fn accept(
        &mut self,
        request: &Request,
        proposal: &Proposal,
        settled: &Settled,
        warnings: &mut Vec<Warning>,
    ) -> Result<(), CondenseError> {
        let counted = host_count(request, &settled.conversation, self.0, warnings).await?;
        let adds = proposal.plan.edits.iter().any(|edit| matches!(edit, Edit::Insert { .. }));
        if let Some(HostCount { before, after }) = counted.filter(|count| adds && count.after >= count.before) {
            return Err(CondenseError::ContextGrew { before: before as usize, after: after as usize });
        }
        self.0 = counted.or(self.0);
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
            let said = said!("warning.thinkingAfterChange", count: signed);
            outcome.warnings.push(Warning::new(WarningCode::ThinkingAfterChange, said).about("thinking"));
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
        outcome.summary_quality = None;
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
    let said = match (told, counted, goal.reported) {
        (Some(Warning { said: Some(said), .. }), None, None) => said,
        (Some(Warning { message, .. }), None, None) => Said::own(message),
        (None, None, _) if outcome.error.is_some() => return,
        (_, _, Some(reported)) => {
            said!("warning.missedOfReported", left: left, reported: reported, target: target, ours: ours)
        }
        (_, Some(_), None) => said!("warning.missedAsCounted", left: left, target: target, ours: ours),
        (None, None, None) => {
            let tried: Vec<&str> = outcome.calls.iter().map(|(id, _)| id.as_str()).collect();
            let tried = tried.join(", ");
            said!("warning.missed", left: left, target: target, tried: tried)
        }
    };
    let said = match current.conversation.frozen() {
        0 => said,
        frozen => said!("warning.missedFrozen", missed: said, count: frozen),
    };
    outcome.warnings.push(Warning::new(WarningCode::TargetNotMet, said));
}
