//! The result of a call, as JavaScript reads it.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{
    PreviewReport, PromptCache, TriggerDecision,
    chain::{Changed, Outcome, Ran, Restorable, Summary, Tokens},
    economics::MoneyDecision,
    experiments::Kept,
    numbers::reported_after,
    preparation::{AppliedPreparation, Preparation},
    savings::percent,
    shares::ProviderShare,
    survival::Survival,
    told_plan::ToldPlan,
    undo::{UndoGroups, name_changes},
};
use crate::{
    conversation::{BoundPlan, Contents, Fingerprint, Plan, Problem, Recipe},
    llm::ModelPrice,
    providers::{CallRecord, Change, Choice, CondenseError, Grade, PassReport},
    summaries::RequestRecord,
    warning::Warning,
    words::Said,
};

/// A result without its messages.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "CondensationReport"))]
#[serde(rename_all = "camelCase")]
pub struct Report {
    #[cfg_attr(test, ts(skip))]
    pub(super) plan: ToldPlan,
    /// The content hashes; absent if nothing changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(skip))]
    pub(super) contents: Option<BothContents>,
    /// The ids of changes that must be undone together; see `UndoGroups`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, ts(skip))]
    pub(super) groups: Vec<Vec<String>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, ts(skip))]
    pub(super) recipes: Vec<(usize, Recipe)>,
    #[serde(flatten)]
    summary: Summary,
    #[cfg_attr(test, ts(skip))]
    did_condense: bool,
    /// Dollars spent, including by providers that failed.
    pub(super) cost: f64,
    /// Tokens in the context before: `totalTokens` as reported, or else as counted.
    pub(super) prev_context_tokens: f64,
    /// Tokens in the context after: `prevContextTokens * stats.finalTokens / stats.originalTokens`, rounded up. So
    /// all fields show the same reduction, and the target is met exactly if this is at most `targetTokens`;
    /// otherwise `warnings` has `target_not_met`. One token more still meets it if a handler counts, because its
    /// counts are rounded.
    new_context_tokens: f64,
    /// The failure, if the condensation failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(type = "CondensationError"))]
    error: Option<ReportedError>,
    stats: Stats,
    metrics: ReportMetrics,
    #[serde(flatten)]
    pub(super) changed: Changed,
    /// The effect on the prompt cache; absent if nothing changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    prompt_cache: Option<PromptCache>,
    /// The outcome for the conversation's content; absent if nothing changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    survival: Option<Survival>,
    /// Warnings.
    pub(super) warnings: Vec<Warning>,
    /// The report of each pass, for providers that work in passes; for strategies, of each provider that ran, or of
    /// its passes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    passes: Vec<PassReport>,
    /// The work of each provider that was asked, with those that stood in for it or went on after it: each once, in
    /// the order in which they were asked. Together they saved `metrics.tokensSaved`. A strategy is one provider;
    /// what it asked is in `passes`. Absent where none was asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    providers: Vec<ProviderShare>,
    /// The requests to models, in the order in which they ended; absent if there was none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    requests: Vec<RequestRecord>,
    /// The decisions of strategies, in order; absent unless a strategy ran.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) choices: Vec<Choice>,
    /// With `condenseIfNeeded`: whether a condensation was due, and why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    trigger: Option<TriggerDecision>,
    /// The decision by cost, if the option `economics` was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) decision: Option<MoneyDecision>,
    /// Present if a prepared condensation was applied: the number of messages in its snapshot, and its cost in
    /// dollars, which `cost` does not include.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) applied_preparation: Option<AppliedPreparation>,
    /// The outcome of a call to prepare; absent otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(skip))]
    preparation: Option<Preparation>,
    /// The certainty and samples of a dry run; absent otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(skip))]
    pub(super) preview: Option<PreviewReport>,
    #[serde(skip)]
    calls: Vec<(String, CallRecord)>,
    #[serde(skip)]
    cost_by_model: BTreeMap<String, f64>,
}

/// Content hashes of the messages, to detect later changes.
#[derive(Debug, Serialize)]
pub(super) struct BothContents {
    /// One for all messages before.
    pub original: Fingerprint,
    /// One for each message after.
    pub condensed: Contents,
}

/// The error of a condensation, as JavaScript receives it.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ReportedError {
    code: &'static str,
    message: String,
    /// The message as a code and values, for translation.
    said: Said,
    /// The option it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<String>,
    /// The index of the host's own error object that caused it.
    #[serde(skip_serializing_if = "Option::is_none")]
    foreign_cause: Option<usize>,
    /// The rule that the result would have broken, and the place.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<Problem>,
}

/// Totals of a condensation. One counter counts before and after: the handler's `countTokens` if there is one, else
/// the local one. The reported `totalTokens` are not mixed in; `newContextTokens` scales them by the ratio found
/// here.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "CondensationStats"))]
#[serde(rename_all = "camelCase")]
struct Stats {
    /// Tokens before, system prompt included.
    original_tokens: usize,
    /// Tokens after.
    final_tokens: usize,
    /// Share of the tokens removed, 0 to 100 percent.
    reduction_percent: f64,
    /// The removed tokens by grade.
    saved_by_grade: SavedByGrade,
    /// Dollars.
    cost: f64,
    /// Operations of `changes`, each once.
    operations_performed: Vec<String>,
}

/// Tokens by grade; their sum is what was removed.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
struct SavedByGrade {
    /// Still readable elsewhere in the messages; `expand` puts it back.
    inline: usize,
    /// Replaced by a later message and no longer readable; `restore` brings it back.
    superseded: usize,
    /// Cut, dropped or summarised; `restore` brings it back.
    lossy: usize,
}

impl SavedByGrade {
    fn divide(changes: &[Change], saved: usize) -> Self {
        // Signed, because replacing a pointer by its lines adds tokens, which cancels what the pointer saved.
        let of_grade = |grade: Option<Grade>| {
            let of = changes.iter().filter(|change| change.grade == grade);
            of.map(|change| change.tokens_before as f64 - change.tokens_after as f64).sum::<f64>().max(0.0)
        };
        let (inline, superseded, lossy) =
            (of_grade(Some(Grade::Inline)), of_grade(Some(Grade::Superseded)), of_grade(None));
        let all = inline + superseded + lossy;
        let share = |part: f64| if all > 0.0 { (saved as f64 * part / all).round() as usize } else { 0 };
        let (inline, superseded) = (share(inline), share(superseded).min(saved.saturating_sub(share(inline))));
        Self { inline, superseded, lossy: saved.saturating_sub(inline + superseded) }
    }
}

/// Measurements of a condensation.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "CondensationMetrics"))]
#[serde(rename_all = "camelCase")]
struct ReportMetrics {
    /// Id of the provider that changed the conversation last, or else was called; empty if none was.
    provider_id: String,
    /// Milliseconds.
    time_elapsed: f64,
    tokens_saved: usize,
    original_tokens: usize,
    condensed_tokens: usize,
    /// 0 to 100.
    reduction_percentage: f64,
    /// The passes of the smart provider that changed something, as `pass_` and the id, or `tool_rules`,
    /// `lossless_prelude` and `salient_to_target` for the steps before and after them; then `operationsPerformed`.
    operations_applied: Vec<String>,
    /// How much of what it must keep the summary covers, 0 to 1: `summaryQuality.score`. Absent unless a model
    /// summarised messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    summary_quality_score: Option<f64>,
    /// Share of the tokens that are not lost, 0 to 1: readable word for word or through a pointer, quoted in the
    /// log, covered by a summary (how well, says `summaryQualityScore`), or replaced by a later message. An
    /// estimate of what a reader still has: `1 - survival.total.lost.tokens / survival.total.before.tokens`. Absent
    /// if nothing changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    information_preservation: Option<f64>,
}

impl Report {
    /// Builds the report of a chain that ran. `prev` is the number of tokens in the context as the API reported it, and
    /// `price` the price of the conversation's model.
    #[must_use]
    pub fn build(outcome: Outcome, prev: Option<f64>, price: Option<&ModelPrice>) -> Self {
        let Outcome { ran, restorable, mut changed, survival, tokens, elapsed_ms } = outcome;
        let Restorable { plan, original_contents, contents, replaced, recipes, .. } = restorable;
        let Ran { request, turn, summary, .. } = ran;
        let did_condense = !plan.is_empty();
        name_changes(&mut changed.changes, &original_contents);
        let groups = UndoGroups::group(&plan, &changed.changes);
        let saved = tokens.original.saturating_sub(tokens.left);
        let reduction = percent(saved, tokens.original);
        let prev = prev.unwrap_or(tokens.original as f64);
        let new = reported_after(prev, tokens.original as f64, tokens.left as f64);
        let kept = (prev * tokens.kept_share).round() as usize;
        let measured = Kept::measured(survival.as_ref(), summary.summary_quality.as_ref());
        let (operations, cost) = (changed.operations(), request.llm.spent.total());
        Self {
            contents: did_condense.then(|| BothContents { original: original_contents.whole(), condensed: contents }),
            plan: ToldPlan::Own(BoundPlan::new(plan, replaced).with_groups(groups.of_edits)),
            groups: groups.changes,
            recipes,
            did_condense,
            cost,
            prev_context_tokens: prev,
            new_context_tokens: new,
            error: ran.error.map(ReportedError::from),
            stats: Stats {
                original_tokens: tokens.original,
                final_tokens: tokens.left,
                reduction_percent: reduction,
                saved_by_grade: SavedByGrade::divide(&changed.changes, saved),
                cost,
                operations_performed: operations.clone(),
            },
            metrics: ReportMetrics {
                provider_id: ran.provider,
                time_elapsed: elapsed_ms,
                tokens_saved: saved,
                original_tokens: tokens.original,
                condensed_tokens: tokens.left,
                reduction_percentage: reduction,
                operations_applied: PassReport::applied(&turn.passes).chain(operations).collect(),
                summary_quality_score: measured.summary_quality,
                information_preservation: measured.information(),
            },
            summary,
            changed,
            prompt_cache: did_condense.then(|| PromptCache::compare(kept, prev as usize, new as usize, price)),
            survival,
            warnings: turn.warnings,
            passes: turn.passes,
            providers: ProviderShare::each(&turn.saved, saved),
            requests: request.llm.requests.all(),
            choices: request.choices.all(),
            trigger: None,
            decision: None,
            applied_preparation: None,
            preparation: None,
            preview: None,
            calls: turn.calls,
            cost_by_model: request.llm.spent.by_model(),
        }
    }

    /// Creates the report of a call that failed before it did anything.
    #[must_use]
    pub fn failed(error: CondenseError, prev: Option<f64>) -> Self {
        Self { error: Some(error.into()), ..Self::unchanged(prev.unwrap_or_default(), 0) }
    }

    /// Creates the report of a condensation that is not due.
    #[must_use]
    pub fn not_due(decision: TriggerDecision, tokens: usize) -> Self {
        Self { warnings: decision.warnings.clone(), ..Self::unchanged(decision.prev_context_tokens, tokens) }
            .with_trigger(decision)
    }

    /// Creates the report of a call that changes nothing.
    pub(super) fn unchanged(prev: f64, tokens: usize) -> Self {
        let tokens = Tokens { original: tokens, left: tokens, kept_share: 0.0 };
        Self::build(Outcome { tokens, ..Outcome::default() }, Some(prev), None)
    }

    /// Adds the trigger's decision.
    #[must_use]
    pub fn with_trigger(mut self, decision: TriggerDecision) -> Self {
        self.trigger = Some(decision);
        self
    }

    /// Returns the decision by cost.
    #[must_use]
    pub fn decision(&self) -> Option<&MoneyDecision> {
        self.decision.as_ref()
    }

    /// Returns the effect of the change on the prompt cache.
    pub(super) fn prompt_cache(&self) -> Option<&PromptCache> {
        self.prompt_cache.as_ref()
    }

    /// Adds the outcome of a call to prepare.
    pub(super) fn with_preparation(mut self, preparation: Preparation) -> Self {
        self.preparation = Some(preparation);
        self
    }

    /// Returns the outcome of a call to prepare.
    #[must_use]
    pub fn preparation(&self) -> Option<&Preparation> {
        self.preparation.as_ref()
    }

    /// Adds the cost, requests, warnings and error of the preparation `done`.
    pub(super) fn like_preparing(self, done: Self) -> Self {
        let Self { cost, error, metrics, requests, warnings, .. } = done;
        Self { cost, error, metrics, warnings, requests, ..self }
    }

    /// Returns the number of removed tokens, as the caller counts them.
    #[must_use]
    pub fn tokens_removed(&self) -> f64 {
        self.prev_context_tokens - self.new_context_tokens
    }

    /// Returns the plan.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        self.plan.plan()
    }

    /// Returns the error code, if the call failed.
    #[must_use]
    pub fn error_code(&self) -> Option<&'static str> {
        self.error.as_ref().map(|error| error.code)
    }

    /// Returns the error, if the call failed.
    pub(super) fn error(&self) -> Option<&ReportedError> {
        self.error.as_ref()
    }

    /// Returns true if the caller cancelled it.
    pub(super) fn was_aborted(&self) -> bool {
        self.error_code() == Some(CondenseError::Aborted.code())
    }

    /// Copies the error of work that another call began, without the host's own error object, which belongs to that
    /// call.
    pub(super) fn failed_like(self, error: ReportedError) -> Self {
        Self { error: Some(ReportedError { foreign_cause: None, ..error }), ..self }
    }

    /// Returns the warnings.
    #[must_use]
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Returns the report of each pass, for providers that work in passes.
    #[must_use]
    pub fn passes(&self) -> &[PassReport] {
        &self.passes
    }

    /// Returns true if the conversation was changed.
    #[must_use]
    pub fn did_condense(&self) -> bool {
        self.did_condense
    }

    /// Returns the cost in dollars.
    #[must_use]
    pub fn cost(&self) -> f64 {
        self.cost
    }

    /// Returns the summary; empty if none was written.
    #[must_use]
    pub fn summary(&self) -> &str {
        &self.summary.summary
    }

    /// Returns the share of the tokens removed, in percent.
    #[must_use]
    pub fn reduction_percent(&self) -> f64 {
        self.stats.reduction_percent
    }

    /// Returns the number of thinking blocks removed because a message before them changed.
    #[must_use]
    pub fn thinking_removed(&self) -> usize {
        self.changed.thinking_removed
    }

    /// Returns the changes.
    #[must_use]
    pub fn changes(&self) -> &[Change] {
        &self.changed.changes
    }

    /// Returns the id of the provider that did the work.
    #[must_use]
    pub fn provider(&self) -> &str {
        &self.metrics.provider_id
    }

    /// Returns the scaled tokens before, system prompt included.
    #[must_use]
    pub fn original_tokens(&self) -> usize {
        self.stats.original_tokens
    }

    /// Returns the scaled tokens after.
    #[must_use]
    pub fn final_tokens(&self) -> usize {
        self.stats.final_tokens
    }

    /// Returns the number of removed tokens.
    #[must_use]
    pub fn tokens_saved(&self) -> usize {
        self.metrics.tokens_saved
    }

    /// Returns the decisions of strategies, in order.
    #[must_use]
    pub fn choices(&self) -> &[Choice] {
        &self.choices
    }

    pub(super) fn provider_calls(&self) -> &[(String, CallRecord)] {
        &self.calls
    }

    pub(super) fn cost_by_model(&self) -> &BTreeMap<String, f64> {
        &self.cost_by_model
    }

    /// Returns the quality measures, if something was condensed.
    pub(super) fn kept(&self) -> Kept {
        Kept::measured(self.survival.as_ref(), self.summary.summary_quality.as_ref())
    }

    pub(super) fn call(&self) -> CallRecord {
        CallRecord {
            success: self.error.is_none(),
            cost: self.cost,
            tokens_before: self.stats.original_tokens,
            tokens_after: self.stats.final_tokens,
            latency_ms: self.metrics.time_elapsed,
        }
    }
}

impl From<CondenseError> for ReportedError {
    fn from(error: CondenseError) -> Self {
        let (code, foreign_cause, message, said) =
            (error.code(), error.foreign_cause(), error.to_string(), error.said());
        let field = error.field().map(str::to_owned);
        let problem = if let CondenseError::BrokenResult { problem, .. } = error { Some(problem) } else { None };
        Self { code, message, said, field, foreign_cause, problem }
    }
}
