//! Runs the prelude and the passes, one after the other, until the target is reached or nothing is left to do.

use std::sync::{Mutex, PoisonError};

use futures_util::future::BoxFuture;
use serde_json::Value;

use super::{
    Smart, batch,
    config::{Mode, Pass, SmartConfig},
    individual, presets,
    state::{PassReport, State},
    summaries,
};
use crate::providers::{CondenseError, Lossless, Proposal, Provider, Request, Truncation};

/// How a text begins that is a summary of another.
pub(super) const SUMMARY_MARKER: &str = "[Summary";

/// Without a model, the work is repeated until it changes nothing, so that the result is left alone the next time: what was cut may
/// have become equal to something else, for example. It has been seen to take three rounds.
const MOST_ROUNDS: usize = 12;

pub(super) struct Engine<'a> {
    request: &'a Request,
    /// Somebody can be asked for summaries.
    has_model: bool,
    warnings: Mutex<Vec<String>>,
    failure: Mutex<Option<CondenseError>>,
}

impl<'a> Engine<'a> {
    pub fn new(request: &'a Request) -> Self {
        Self {
            request,
            has_model: request.llm.summarizer().is_some(),
            warnings: Mutex::default(),
            failure: Mutex::default(),
        }
    }

    /// What the caller should know, each thing once.
    pub fn take_warnings(&self) -> Vec<String> {
        std::mem::take(&mut self.warnings.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The first failure that a pass was left out for.
    pub fn take_failure(&self) -> Option<CondenseError> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn warn(&self, warning: String) {
        let mut warnings = self.warnings.lock().unwrap_or_else(PoisonError::into_inner);
        if !warnings.contains(&warning) {
            warnings.push(warning);
        }
    }

    fn fail(&self, error: CondenseError) {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }

    /// Runs the whole configuration.
    pub async fn run(&self, config: &SmartConfig) -> Result<State, CondenseError> {
        self.warn_of_missing_model(config);
        self.warn_of_profiles(config);
        self.rounds(config, State::new(self.request)).await
    }

    fn rounds<'s>(&'s self, config: &'s SmartConfig, mut state: State) -> BoxFuture<'s, Result<State, CondenseError>> {
        Box::pin(async move {
            let asks = self.has_model && config.wants_model();
            for _ in 0..if asks { 1 } else { MOST_ROUNDS } {
                let start = state.clone();
                self.round(config, &mut state).await?;
                if let Some(other) = config.no_more_tokens_than.filter(|_| !self.has_model).and_then(presets::config) {
                    let unchanged = state.tokens() == start.tokens();
                    let alternative =
                        self.rounds(&other, if unchanged { state.clone() } else { start.clone() }).await?;
                    if alternative.tokens() < state.tokens() {
                        state = alternative;
                    } else if unchanged {
                        state.learn_idle(alternative);
                    }
                }
                if state.tokens() == start.tokens() {
                    break;
                }
            }
            Ok(state)
        })
    }

    async fn round(&self, config: &SmartConfig, state: &mut State) -> Result<(), CondenseError> {
        let total = config.passes.len();
        if let Some(operations) = config.prelude.as_ref().filter(|_| !state.meets_target()) {
            self.request.progress.report("prelude", Smart::ID, 0, total);
            self.prelude(operations, state).await?;
        }
        for (index, pass) in config.passes.iter().enumerate() {
            self.request.cancel.check()?;
            if let Some(why) = why_not(pass, state) {
                let tokens = state.scaled();
                let exact = state.exact;
                state.report(report(&pass.id, &pass.name, tokens, exact).skipped(why));
                continue;
            }
            self.request.progress.report("pass", Smart::ID, index, total);
            self.pass(config, pass, state).await?;
            self.request.progress.report("pass", Smart::ID, index + 1, total);
        }
        if self.goes_on_to_target(config) && !state.meets_target() {
            self.truncate_to_target(state).await?;
        }
        Ok(())
    }

    /// Whether salient truncation does what the passes leave undone.
    fn goes_on_to_target(&self, config: &SmartConfig) -> bool {
        config.meet_target && self.request.target_tokens.is_some()
    }

    async fn truncate_to_target(&self, state: &mut State) -> Result<(), CondenseError> {
        let before = state.scaled();
        let mut changed = 0;
        if !state.is_idle(PassReport::TARGET) {
            let request = Request { config: Value::Null, ..state.request.clone() };
            let proposal = Truncation::new(&Value::Null)?.propose(&request).await?;
            // Whether the target is missed in the end is told where everything is known.
            changed = state.apply(PassReport::TARGET, Proposal { warnings: Vec::new(), ..proposal })?;
        }
        let told = report(PassReport::TARGET, "Salient truncation to the target", before, state.exact);
        let after = state.scaled();
        state.report(PassReport { tokens_after: after, messages_changed: changed, ..told });
        Ok(())
    }

    async fn prelude(&self, operations: &Value, state: &mut State) -> Result<(), CondenseError> {
        let key = format!("{} {operations}", PassReport::PRELUDE);
        let before = state.scaled();
        let mut changed = 0;
        if !state.is_idle(&key) {
            let lossless = Lossless::new(operations)?;
            // The configuration of the call is for the smart provider.
            let request = Request { config: Value::Null, ..state.request.clone() };
            let proposal = lossless.propose(&request).await?;
            changed = state.apply(&key, proposal)?;
        }
        let after = state.scaled();
        let told = report(PassReport::PRELUDE, "Lossless prelude", before, state.exact);
        state.report(PassReport { tokens_after: after, messages_changed: changed, ..told });
        Ok(())
    }

    async fn pass(&self, config: &SmartConfig, pass: &Pass, state: &mut State) -> Result<(), CondenseError> {
        let before = state.scaled();
        let spent = self.request.llm.spent.total();
        let mut changed = 0;
        let mut skipped = None;
        if !state.is_idle(&pass.key) {
            match self.work(config, pass, state).await {
                Ok(messages) => changed = messages,
                Err(error @ (CondenseError::Aborted | CondenseError::InvalidConfig(_))) => return Err(error),
                Err(error) => {
                    skipped = Some(format!("{}: {error}", error.code()));
                    if !is_nothing_to_gain(&error) {
                        self.warn(format!("pass_failed: {}: {}: {error}", pass.id, error.code()));
                        self.fail(error);
                    }
                }
            }
        }
        if changed > 0 && self.request.llm.preview && self.has_model && pass.wants_model() {
            state.exact = false;
        }
        let after = state.scaled();
        state.report(PassReport {
            tokens_after: after,
            cost: self.request.llm.spent.total() - spent,
            messages_changed: changed,
            skipped,
            ..report(&pass.id, &pass.name, before, state.exact)
        });
        Ok(())
    }

    /// How many messages the pass changed.
    async fn work(&self, config: &SmartConfig, pass: &Pass, state: &mut State) -> Result<usize, CondenseError> {
        let proposal = match &pass.mode {
            Mode::BatchKeep => return Ok(0),
            Mode::BatchSummarize(_) if !self.has_model => return Ok(0),
            Mode::BatchSummarize(summary) => {
                let proposal =
                    batch::summarize(&state.request, &pass.selection, summary, config.max_concurrency).await?;
                proposal.warnings.iter().for_each(|warning| self.warn(warning.clone()));
                proposal
            }
            Mode::Individual(individual) => {
                let request = &state.request;
                // With a target, the truncation at the end knows better what to leave out than one with fixed limits.
                let stand_in = !self.has_model && !self.goes_on_to_target(config);
                let targets = individual::targets(request, &pass.selection, individual);
                let mut replacements = individual::mechanical(request, &targets, stand_in);
                if self.has_model && pass.wants_model() {
                    let written = summaries::summarize(request, &targets, config.max_concurrency).await?;
                    written.warnings.into_iter().for_each(|warning| self.warn(warning));
                    written.failure.into_iter().for_each(|error| self.fail(error));
                    for (replacement, summary) in replacements.iter_mut().zip(written.replacements) {
                        *replacement = summary.or(replacement.take());
                    }
                }
                individual::proposal(request, &targets, replacements)
            }
        };
        state.apply(&pass.key, proposal)
    }

    fn warn_of_profiles(&self, config: &SmartConfig) {
        for profile in config.passes.iter().flat_map(Pass::api_profiles).filter(|_| self.has_model) {
            self.warn(format!(
                "api_profile_ignored: \"{profile}\": all summaries are asked of the condensing handler of the call"
            ));
        }
    }

    fn warn_of_missing_model(&self, config: &SmartConfig) {
        if self.has_model {
            return;
        }
        for pass in config.passes.iter().filter(|pass| pass.wants_model()) {
            let instead = match pass.mode {
                Mode::Individual(_) => "salient truncation stands in for its summaries",
                Mode::BatchKeep | Mode::BatchSummarize(_) => "it is skipped",
            };
            self.warn(format!("no_handler: pass \"{}\" asks a model, and there is no handler; {instead}", pass.id));
        }
    }
}

/// Why a pass does not run; `None` when it does.
fn why_not(pass: &Pass, state: &State) -> Option<String> {
    if state.meets_target() {
        return Some("the target is reached".to_owned());
    }
    let threshold = pass.token_threshold?;
    let tokens = state.scaled();
    (tokens <= threshold).then(|| format!("{tokens} tokens are not more than its threshold of {threshold}"))
}

/// Errors that say that there was nothing to do.
fn is_nothing_to_gain(error: &CondenseError) -> bool {
    matches!(
        error,
        CondenseError::NotEnoughMessages { .. } | CondenseError::CondensedRecently | CondenseError::ContextGrew { .. }
    )
}

fn report(id: &str, name: &str, tokens: usize, exact: bool) -> PassReport {
    PassReport {
        id: id.to_owned(),
        name: name.to_owned(),
        ran: true,
        skipped: None,
        tokens_before: tokens,
        tokens_after: tokens,
        exact,
        cost: 0.0,
        messages_changed: 0,
    }
}

impl PassReport {
    /// The id of the lossless prelude.
    pub const PRELUDE: &'static str = "lossless_prelude";
    /// The id of the truncation that goes on where passes leave more than the target.
    pub const TARGET: &'static str = "salient_to_target";

    fn skipped(self, why: String) -> Self {
        Self { ran: false, skipped: Some(why), ..self }
    }
}
