//! Runs the prelude and the passes, one after the other, until the target is reached or nothing is left to do.

use std::sync::{Mutex, PoisonError};

use futures_util::future::BoxFuture;
use serde_json::{Value, json};

use super::{
    Smart, batch,
    config::{BatchSummary, ContentOperation, Mode, Pass, SmartConfig},
    individual, presets,
    report::{PassReport, Step},
    state::{Applied, State},
};
use crate::{
    progress::Progress,
    providers::{CondenseError, Lossless, Provider, Request, Truncation, merged},
    summaries::summarize_texts,
    warning::{Warning, WarningCode, Warnings},
};

/// Without a model, the work is repeated until it changes nothing, so that the result is left alone the next time: what was cut may
/// have become equal to something else, for example. It has been seen to take three rounds.
const MAX_ROUNDS: usize = 12;

pub(super) struct Engine<'a> {
    request: &'a Request,
    config: &'a SmartConfig,
    /// Somebody can be asked for summaries that the configuration wants.
    asks: bool,
    /// What the caller should know.
    pub warnings: Warnings,
    failure: Mutex<Option<CondenseError>>,
}

impl<'a> Engine<'a> {
    pub fn new(request: &'a Request, config: &'a SmartConfig) -> Self {
        Self {
            request,
            config,
            asks: config.passes.iter().any(|pass| asks(request, pass)),
            warnings: Warnings::default(),
            failure: Mutex::default(),
        }
    }

    /// The first failure that a pass was left out for.
    pub fn take_failure(&self) -> Option<CondenseError> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn fail(&self, error: CondenseError) {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }

    /// Whether a model is asked.
    pub fn asks(&self) -> bool {
        self.asks
    }

    /// Runs the whole configuration.
    pub async fn run(&self) -> Result<State, CondenseError> {
        self.rounds(self.config, State::new(self.request)).await
    }

    fn rounds<'s>(&'s self, config: &'s SmartConfig, mut state: State) -> BoxFuture<'s, Result<State, CondenseError>> {
        Box::pin(async move {
            for _ in 0..if self.asks { 1 } else { MAX_ROUNDS } {
                let start = state.clone();
                self.round(config, &mut state).await?;
                // Presets name no profile: without a handler for all, nobody is asked here.
                let has_handler = self.request.llm.summarizer().is_some();
                if let Some(name) = config.no_more_tokens_than.filter(|_| !has_handler)
                    && let Some(other) = presets::config(name)
                {
                    self.no_more_than(name, &other, &start, &mut state).await?;
                }
                if state.tokens() == start.tokens() {
                    break;
                }
                // What follows looks after what is left over; that was told once.
                state.is_first_round = false;
                state.request.progress = Progress::default();
            }
            Ok(state)
        })
    }

    /// Takes the result of another configuration where that leaves fewer tokens.
    async fn no_more_than(
        &self,
        name: &str,
        other: &SmartConfig,
        start: &State,
        state: &mut State,
    ) -> Result<(), CondenseError> {
        let unchanged = state.tokens() == start.tokens();
        let step = Step::begin(PassReport::PRESET, &format!("As the preset {name} does, which leaves less"), state);
        let mut begin = if unchanged { state.clone() } else { start.clone() };
        begin.passes.clear();
        begin.request.progress = Progress::default();
        let alternative = self.rounds(other, begin).await?;
        if alternative.tokens() < state.tokens() {
            let applied = Applied::of(&alternative.notes);
            state.become_like(alternative);
            state.report(step.end(state, applied));
        } else if unchanged {
            state.learn_idle(alternative);
        }
        Ok(())
    }

    async fn round(&self, config: &SmartConfig, state: &mut State) -> Result<(), CondenseError> {
        let total = config.passes.len();
        if let Some(operations) = config.prelude.as_ref().filter(|_| !state.meets_target()) {
            state.request.progress.report("prelude", Smart::ID, 0, total);
            let start = state.clone();
            self.prelude(operations, state).await?;
            if state.is_first_round && !self.asks && self.goes_on_to_target(config) && !state.meets_target() {
                *state = start;
                self.prelude(&before_truncation(operations), state).await?;
            }
        }
        for (index, pass) in config.passes.iter().enumerate() {
            self.request.cancel.check()?;
            if let Some(why) = self.why_not(config, pass, state) {
                state.report(PassReport::of(&pass.id, &pass.name, state).skipped(why));
                continue;
            }
            let progress = state.request.progress.in_pass(&pass.id);
            progress.report("pass", Smart::ID, index, total);
            self.pass_within_target(config, pass, state).await?;
            progress.report("pass", Smart::ID, index + 1, total);
        }
        if self.goes_on_to_target(config) && !state.meets_target() {
            self.truncate_to_target(state).await?;
        }
        Ok(())
    }

    /// Why a pass does not run; `None` when it does.
    fn why_not(&self, config: &SmartConfig, pass: &Pass, state: &State) -> Option<String> {
        if state.meets_target() {
            return Some("the target is reached".to_owned());
        }
        let tokens = state.scaled();
        if let Some(threshold) = pass.token_threshold
            && tokens <= threshold
        {
            return Some(format!("{tokens} tokens are not more than its threshold of {threshold}"));
        }
        // Limits of so many lines for each text cannot know how much the target leaves room for.
        let left_to_the_end = !self.asks && self.goes_on_to_target(config) && pass.is_salient();
        if left_to_the_end {
            self.warn_of_missing_models(pass, "salient truncation to the target does its work");
            return Some("salient truncation to the target does its work".to_owned());
        }
        let only_asks = matches!(pass.mode, Mode::BatchSummarize(_)) && !asks(self.request, pass);
        if only_asks {
            self.warn_of_missing_models(pass, "it is skipped");
            return Some("no handler: a model would write the summary".to_owned());
        }
        None
    }

    /// Runs a pass; one without a model that would cut more than the target asks for is left out for salient truncation to the target,
    /// where that is enough.
    async fn pass_within_target(
        &self,
        config: &SmartConfig,
        pass: &Pass,
        state: &mut State,
    ) -> Result<(), CondenseError> {
        let mut start = state.clone();
        self.pass(config, pass, state).await?;
        if !self.goes_on_to_target(config) || asks(self.request, pass) || !state.meets_target() {
            return Ok(());
        }
        start.report(
            PassReport::of(&pass.id, &pass.name, &start)
                .skipped("salient truncation reaches the target and cuts less".to_owned()),
        );
        self.truncate_to_target(&mut start).await?;
        if start.meets_target() && start.tokens() > state.tokens() {
            *state = start;
        }
        Ok(())
    }

    /// Whether salient truncation does what the passes leave undone.
    fn goes_on_to_target(&self, config: &SmartConfig) -> bool {
        config.meet_target && self.request.target_tokens.is_some()
    }

    async fn truncate_to_target(&self, state: &mut State) -> Result<(), CondenseError> {
        let step = Step::begin(PassReport::TARGET, "Salient truncation to the target", state);
        let mut applied = Applied::default();
        if !state.is_idle(PassReport::TARGET) {
            let request = Request { config: Value::Null, ..state.request.clone() };
            let proposal = Truncation::new(&Value::Null)?.propose(&request).await?;
            state.missed = proposal.warnings.iter().find(|warning| warning.code == WarningCode::TargetNotMet).cloned();
            applied = state.apply(PassReport::TARGET, proposal)?;
        }
        state.report(step.end(state, applied));
        Ok(())
    }

    async fn prelude(&self, operations: &Value, state: &mut State) -> Result<(), CondenseError> {
        let key = format!("{} {operations}", PassReport::PRELUDE);
        let step = Step::begin(PassReport::PRELUDE, "Lossless prelude", state);
        let mut applied = Applied::default();
        if !state.is_idle(&key) {
            let lossless = Lossless::new(operations)?;
            // The configuration of the call is for the smart provider.
            let request = Request { config: Value::Null, ..state.request.clone() };
            let proposal = lossless.propose(&request).await?;
            applied = state.apply(&key, proposal)?;
        }
        state.report(step.end(state, applied));
        Ok(())
    }

    async fn pass(&self, config: &SmartConfig, pass: &Pass, state: &mut State) -> Result<(), CondenseError> {
        let step = Step::begin(&pass.id, &pass.name, state);
        let spent = self.request.llm.spent.total();
        let mut applied = Applied::default();
        let mut skipped = None;
        if !state.is_idle(&pass.key) {
            match self.work(config, pass, state).await {
                Ok(work) => applied = work,
                Err(error @ (CondenseError::Aborted | CondenseError::InvalidConfig(_))) => return Err(error),
                Err(error) => {
                    skipped = Some(format!("{}: {error}", error.code()));
                    if !is_nothing_to_gain(&error) {
                        self.warnings.add(pass_failed(pass, &error));
                        self.fail(error);
                    }
                }
            }
        }
        if !applied.messages.is_empty() && self.request.llm.preview.is_some() && asks(self.request, pass) {
            state.exact = false;
        }
        let cost = self.request.llm.spent.total() - spent;
        state.report(PassReport { cost, skipped, ..step.end(state, applied) });
        Ok(())
    }

    async fn work(&self, config: &SmartConfig, pass: &Pass, state: &mut State) -> Result<Applied, CondenseError> {
        let request = Request { progress: state.request.progress.in_pass(&pass.id), ..state.request.clone() };
        let proposal = match &pass.mode {
            Mode::BatchKeep => return Ok(Applied::default()),
            Mode::BatchSummarize(summary) => {
                self.warn_of_missing_models(pass, "");
                return self.batches(config, pass, summary, state).await;
            }
            Mode::Individual(individual) => {
                let targets = individual::targets(&request, &pass.selection, individual);
                if targets.iter().any(|target| matches!(target.operation, ContentOperation::Summarize(_))) {
                    self.warn_of_missing_models(pass, "salient truncation stands in for its summaries");
                }
                let mut replacements = individual::mechanical(&request, &targets);
                if asks(&request, pass) {
                    let (of, texts) = individual::to_summarize(&request, &targets);
                    let context = request.summaries(Smart::ID);
                    let summaries = summarize_texts(context, &texts, config.max_concurrency).await?;
                    self.warnings.extend(summaries.warnings);
                    summaries.failure.into_iter().for_each(|error| self.fail(error.into()));
                    for summary in summaries.written {
                        let target = of[summary.index];
                        replacements[target] = Some(individual::summarized(&targets[target], &summary));
                    }
                }
                individual::proposal(&request, &targets, replacements)
            }
        };
        state.apply(&pass.key, proposal)
    }

    /// One summary for each run of selected messages that stand together.
    async fn batches(
        &self,
        config: &SmartConfig,
        pass: &Pass,
        summary: &BatchSummary,
        state: &mut State,
    ) -> Result<Applied, CondenseError> {
        let runs = pass.selection.runs(state.conversation());
        if runs.is_empty() {
            let messages = state.conversation().len();
            return Err(CondenseError::NotEnoughMessages { messages, needed: messages + 1 });
        }
        let mut all = Applied::default();
        let mut failure = None;
        for run in runs {
            let progress = state.request.progress.in_pass(&pass.id);
            let request = Request { progress, ..state.request.clone() };
            match batch::summarize(&request, &run, summary, config.max_concurrency).await {
                Ok(mut proposal) => {
                    self.warnings.extend(std::mem::take(&mut proposal.warnings));
                    all.add(state.apply(&pass.key, proposal)?);
                }
                Err(error @ CondenseError::Aborted) => return Err(error),
                Err(error) => failure = failure.or(Some(error)),
            }
        }
        match failure {
            Some(error) if all.messages.is_empty() || !is_nothing_to_gain(&error) => {
                if !all.messages.is_empty() {
                    self.warnings.add(pass_failed(pass, &error));
                    return Ok(all);
                }
                Err(error)
            }
            _ => Ok(all),
        }
    }

    /// Warns where a pass wants a model and there is none, or not the one it names.
    fn warn_of_missing_models(&self, pass: &Pass, instead: &str) {
        for profile in pass.asked_under() {
            if !self.request.llm.can_ask(profile) {
                let message = format!("pass \"{}\" asks a model, and there is no handler; {instead}", pass.id);
                self.warnings.add(Warning::new(WarningCode::NoHandler, message));
            } else if let Some(profile) = profile.filter(|profile| !self.request.llm.profiles.contains_key(*profile)) {
                let message = format!(
                    "profile \"{profile}\" has no handler; the condensing handler of the call is asked instead"
                );
                let warning = Warning::new(WarningCode::HandlerMissing, message);
                self.warnings.add(warning.about(format!("profiles.{profile}.handler")));
            }
        }
    }
}

/// The operations of a prelude that is not enough for the target, so that salient truncation follows: those that leave every text whole or
/// say that it is. Truncation cannot weigh what is half a text and half pointers, and knows better which old reads to leave out: with these alone
/// it keeps more of what is used again, names and passages, than after the whole prelude or after none (docs/smart.md).
fn before_truncation(operations: &Value) -> Value {
    merged(operations, &json!({ "repeatedLines": false, "diff": false, "containment": false, "staleReads": "off" }))
}

fn pass_failed(pass: &Pass, error: &CondenseError) -> Warning {
    Warning::new(WarningCode::PassFailed, format!("{}: {}: {error}", pass.id, error.code()))
}

/// Whether a pass asks a model.
fn asks(request: &Request, pass: &Pass) -> bool {
    pass.asked_under().into_iter().any(|profile| request.llm.can_ask(profile))
}

/// Errors that say that there was nothing to do.
fn is_nothing_to_gain(error: &CondenseError) -> bool {
    matches!(
        error,
        CondenseError::NotEnoughMessages { .. } | CondenseError::CondensedRecently | CondenseError::ContextGrew { .. }
    )
}
