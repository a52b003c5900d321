//! Runs the prelude and the passes one after the other, until the target is reached or nothing is left to do.

use std::{
    ops::Range,
    sync::{Arc, Mutex, PoisonError},
};

use async_trait::async_trait;
use serde_json::{Value, json};

use super::{
    at_best, batch,
    config::{BatchSummary, ContentOperation, ID, Individual, Mode, Pass, SmartConfig},
    individual,
    known::KnownSummaries,
    worth::Worth,
};
use crate::{
    conversation::Conversation,
    maps::HashSet,
    options::merged,
    progress::Progress,
    providers::{
        Change, CondenseError, Lossless, Native, PassReport, Proposal, Provider, Request, Settled, State, Step,
        Truncation, pass_report::PassTimer, request::MAX_FITTINGS, settle, tool_rules::limited,
    },
    summaries::{Preview, SourceText, summarize_texts},
    warning::{Warning, WarningCode, Warnings},
    words::{Said, said},
};

/// Maximum number of rounds without a model. Rounds repeat until one changes nothing, so that another call on the
/// result changes nothing either. For example, cutting may have made two texts equal. The most that was observed is
/// three rounds.
const MAX_ROUNDS: usize = 12;

/// Number of newest messages that tool rules leave unchanged, the same as truncation's default.
const RECENT: usize = 5;

pub(super) struct Engine<'a> {
    request: &'a Request,
    config: &'a SmartConfig,
    /// True if the configuration wants summaries and a model can write them.
    asks: bool,
    /// Summaries that this call already has.
    known: Arc<KnownSummaries>,
    pub worth: Worth,
    /// Results of steps that depend on the conversation alone.
    done: Mutex<Vec<Done>>,
    /// Warnings for the caller.
    pub warnings: Warnings,
    failure: Mutex<Option<CondenseError>>,
}

impl<'a> Engine<'a> {
    pub fn new(request: &'a Request, config: &'a SmartConfig) -> Self {
        Self {
            request,
            config,
            asks: config.passes.iter().any(|pass| asks(request, pass)),
            known: Arc::default(),
            worth: Worth::new(request, config),
            done: Mutex::default(),
            warnings: Warnings::default(),
            failure: Mutex::default(),
        }
    }

    /// Returns the first failure of a pass that was skipped because of it.
    pub fn take_failure(&self) -> Option<CondenseError> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn fail(&self, error: CondenseError) {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }

    /// Returns true if a model will be asked.
    pub fn asks(&self) -> bool {
        self.asks
    }

    /// Runs the whole configuration.
    pub async fn run(&self) -> Result<State, CondenseError> {
        let mut state = State::new(self.request.clone());
        state.run(&mut Rounds { engine: self, config: self.config }).await?;
        Ok(state)
    }

    /// Returns the tokens that another configuration would leave of the request's conversation if every summary not
    /// yet written was as short as possible. Calls no model.
    async fn least_of(&self, other: &SmartConfig) -> Result<usize, CondenseError> {
        let trial = at_best(self.request);
        let engine = Engine { known: Arc::clone(&self.known), ..Engine::new(&trial, other) };
        // Boxed because the recursion tries the other configuration's own limit in the same way.
        let state = Box::pin(engine.run()).await?;
        Ok(state.tokens())
    }

    /// Takes the result of another configuration if it leaves fewer tokens. Calls a model only if the summaries decide
    /// the comparison.
    async fn no_more_than(
        &self,
        name: &str,
        other: &SmartConfig,
        start: &State,
        state: &mut State,
    ) -> Result<(), CondenseError> {
        let unchanged = state.tokens() == start.tokens();
        let decided_by_answers = any_asks(self.request, other) && self.request.llm.preview != Some(Preview::Shortest);
        if decided_by_answers && self.least_of(other).await? >= state.tokens() {
            return Ok(());
        }
        let spent = self.request.llm.spent.total();
        let what = format!("As the preset {name} does, which leaves less");
        let timer = PassTimer::begin(PassReport::PRESET, &what, state.scaled(), state.is_exact());
        let mut alternative = if unchanged { state.clone() } else { start.clone() };
        alternative.passes.clear();
        alternative.request.progress = Progress::default();
        let (warnings, failure) = (self.warnings.take(), self.take_failure());
        let result = alternative.run(&mut Rounds { engine: self, config: other }).await;
        // Drops warnings about passes that the user's configuration does not have. Failed requests are kept, because
        // they may have cost something.
        let failed = self.warnings.take().into_iter().filter(Warning::tells_of_request);
        drop(self.take_failure());
        self.warnings.extend(warnings);
        self.warnings.extend(failed);
        failure.into_iter().for_each(|failure| self.fail(failure));
        result?;
        let cost = self.request.llm.spent.total() - spent;
        if alternative.tokens() < state.tokens() {
            state.become_like(alternative);
            // The passes' work was replaced, except operations that both results contain.
            let done: HashSet<&str> = state.notes.iter().map(|note| note.operation).collect();
            for pass in &mut state.passes {
                pass.operations_applied.retain(|operation| done.contains(operation.as_str()));
            }
            let done = state.notes.iter().map(|note| (note.message, note.operation));
            let report = timer.end(state.scaled(), state.is_exact(), done);
            state.report(PassReport { cost, ..report });
            return Ok(());
        }
        if cost > 0.0 {
            let none = timer.end(state.scaled(), state.is_exact(), std::iter::empty());
            state.report(PassReport { cost, ..none }.skipped(said!("skipped.noLess")));
        }
        if unchanged {
            state.learn_idle(alternative);
        }
        Ok(())
    }

    async fn round(&self, config: &SmartConfig, state: &mut State) -> Result<(), CondenseError> {
        let start = state.clone();
        let total = config.passes.len();
        if state.request.tools.rules().iter().any(|(_, rule)| rule.limit().is_some()) {
            self.step(config, Part::Rules, state).await?;
        }
        if let Some(operations) = config.prelude.as_ref().filter(|_| !state.meets_target()) {
            state.request.progress.report("prelude", ID, 0, total);
            let start = state.clone();
            let cuts_after = !state.is_repeat && !self.asks && self.goes_on_to_target(config);
            let must_cut = cuts_after && !Lossless::may_reach_target(&state.request);
            if must_cut || (!self.goes_on_to_target(config) && needs_whole_texts(config, state)) {
                self.step(config, Part::Prelude(&before_truncation(operations)), state).await?;
            } else {
                self.step(config, Part::Prelude(operations), state).await?;
                if cuts_after && !state.meets_target() {
                    *state = start;
                    self.step(config, Part::Prelude(&before_truncation(operations)), state).await?;
                }
            }
        }
        for (index, pass) in config.passes.iter().enumerate() {
            self.request.cancel.check()?;
            if let Some(why) = self.why_not(config, pass, state) {
                state.report(not_run(pass, state, why));
                continue;
            }
            let progress = state.request.progress.in_pass(&pass.id);
            progress.report("pass", ID, index, total);
            self.pass_within_target(config, pass, state).await?;
            progress.report("pass", ID, index + 1, total);
        }
        self.to_target(config, &start, state).await
    }

    /// Returns one summary of the whole with shortened messages around it, truncated if it misses the target.
    ///
    /// # Errors
    /// The errors of the native provider.
    pub async fn one_summary(&self) -> Result<Proposal, CondenseError> {
        let native = Native::new(&Value::Null)?;
        let start = State::new(self.request.clone());
        let request = start.request.clone();
        let name = "One summary of the whole";
        let timer = PassTimer::begin(PassReport::SUMMARY, name, start.scaled(), request.llm.preview.is_none());
        let spent = request.llm.spent.total();
        let proposal = native.propose(&request, &Value::Null).await?;
        let settled = settle(&request, ID, &proposal)?;
        let done = settled.changes.iter().map(|change| (change.message_index, change.operation.as_str()));
        let report = timer.end(request.scaled(&settled.tally), request.llm.preview.is_none(), done);
        let report = PassReport { cost: request.llm.spent.total() - spent, ..report };
        if !self.goes_on_to_target(self.config) || request.meets_target(&settled.tally) {
            return Ok(Proposal { passes: vec![report], ..proposal });
        }
        let mut state = start.clone();
        let mut warnings = proposal.warnings.clone();
        state.adopt(settled, proposal);
        state.report(report);
        self.to_target(self.config, &start, &mut state).await?;
        warnings.retain(|warning| warning.code != WarningCode::TargetNotMet);
        warnings.extend(state.missed.clone().filter(|_| !state.meets_target()));
        Ok(Proposal { warnings, ..state.into_proposal(&request) })
    }

    /// Truncates to the target. If the passes' result prevents that, it truncates the conversation from before them.
    async fn to_target(&self, config: &SmartConfig, start: &State, state: &mut State) -> Result<(), CondenseError> {
        if !self.goes_on_to_target(config) || state.meets_target() {
            return Ok(());
        }
        self.step(config, Part::Target, state).await?;
        if state.meets_target() {
            return Ok(());
        }
        let mut without = start.clone();
        self.step(config, Part::Target, &mut without).await?;
        if without.meets_target() {
            state.become_like(without);
        }
        Ok(())
    }

    /// Returns why a pass does not run; `None` if it runs.
    fn why_not(&self, config: &SmartConfig, pass: &Pass, state: &State) -> Option<Said> {
        if state.meets_target() {
            return Some(said!("skipped.reached"));
        }
        let tokens = state.scaled();
        // With summaries of minimum length, the count may be too low. A threshold that it does not reach must not stop
        // the pass.
        let may_be_more = self.request.llm.preview == Some(Preview::Shortest) && !state.is_exact();
        if let Some(threshold) = pass.token_threshold.filter(|_| !may_be_more)
            && tokens <= threshold
        {
            return Some(said!("skipped.threshold", tokens: tokens, threshold: threshold));
        }
        // A fixed number of lines per text ignores the target, so salient truncation to the target cuts instead.
        let left_to_the_end = !self.asks && self.goes_on_to_target(config) && pass.is_salient();
        if left_to_the_end {
            self.warn_of_missing_models(pass, said!("skipped.truncation"));
            return Some(said!("skipped.truncation"));
        }
        let only_asks = matches!(pass.mode, Mode::BatchSummarize(_)) && !asks(self.request, pass);
        if only_asks {
            self.warn_of_missing_models(pass, said!("warning.isSkipped"));
            return Some(said!("skipped.noHandler"));
        }
        if let Mode::BatchSummarize(_) = &pass.mode {
            let runs = pass.selection.runs(state.conversation(), &state.request.tally);
            let tokens: Vec<usize> = runs.iter().map(|run| tokens_of(state, run)).collect();
            if !self.worth.may_take(&tokens) {
                return Some(said!("skipped.dear"));
            }
        }
        None
    }

    /// Runs a pass. Without a model, a pass that cuts more than the target requires is skipped if salient truncation
    /// alone meets the target.
    async fn pass_within_target(
        &self,
        config: &SmartConfig,
        pass: &Pass,
        state: &mut State,
    ) -> Result<(), CondenseError> {
        let mut start = state.clone();
        self.step(config, Part::Pass(pass), state).await?;
        if !self.goes_on_to_target(config) || asks(self.request, pass) || !state.meets_target() {
            return Ok(());
        }
        start.report(not_run(pass, &start, said!("skipped.cutsLess")));
        self.step(config, Part::Target, &mut start).await?;
        if start.meets_target() && start.tokens() > state.tokens() {
            *state = start;
        }
        Ok(())
    }

    /// Returns true if salient truncation continues after the passes.
    fn goes_on_to_target(&self, config: &SmartConfig) -> bool {
        config.meet_target && self.request.target_tokens.is_some()
    }

    /// Runs a part of a round and reports on it. A pass that fails is skipped.
    async fn step(&self, config: &SmartConfig, part: Part<'_>, state: &mut State) -> Result<(), CondenseError> {
        let timer = PassTimer::begin(part.id(), part.name(), state.scaled(), state.is_exact());
        let spent = self.request.llm.spent.total();
        let mut changes = Vec::new();
        let mut skipped = None;
        let key = part.key();
        if !state.is_idle(&key) {
            match self.work(config, part, state).await {
                Ok(done) if done.is_empty() => state.set_idle(key),
                Ok(done) => changes = done,
                Err(error @ (CondenseError::Aborted | CondenseError::InvalidConfig(_))) => return Err(error),
                Err(error) => {
                    skipped = Some(error.said_with_code());
                    match part {
                        Part::Pass(_) | Part::Target if is_nothing_to_gain(&error) => {}
                        Part::Pass(pass) => {
                            self.warnings.add(pass_failed(pass, &error));
                            self.fail(error);
                        }
                        _ => return Err(error),
                    }
                }
            }
        }
        let cost = self.request.llm.spent.total() - spent;
        let done = changes.iter().map(|change| (change.message_index, change.operation.as_str()));
        let report = timer.end(state.scaled(), state.is_exact(), done);
        let ran = report.ran;
        let report = skipped.into_iter().fold(report, PassReport::skipped);
        state.report(PassReport { ran, cost, ..report });
        Ok(())
    }

    async fn work(
        &self,
        config: &SmartConfig,
        part: Part<'_>,
        state: &mut State,
    ) -> Result<Vec<Change>, CondenseError> {
        match part {
            Part::Rules => {
                let proposal = limited(&state.request, RECENT);
                state.apply(ID, proposal)
            }
            Part::Prelude(operations) => self.once(part, &Lossless::new(operations)?, state).await,
            Part::Target => self.once(part, &Truncation::new(&Value::Null)?, state).await,
            Part::Pass(pass) => match &pass.mode {
                Mode::BatchKeep => Ok(Vec::new()),
                Mode::BatchSummarize(summary) => self.batches(config, pass, summary, state).await,
                Mode::Individual(individual) => {
                    let proposal = self.each_text(config, pass, individual, state).await?;
                    state.apply(ID, proposal)
                }
            },
        }
    }

    /// Returns the work of a provider that calls no model. It is computed once per conversation, however many
    /// configurations need it.
    async fn once(
        &self,
        part: Part<'_>,
        provider: &dyn Provider,
        state: &mut State,
    ) -> Result<Vec<Change>, CondenseError> {
        let key = part.key();
        let known = || self.done.lock().unwrap_or_else(PoisonError::into_inner);
        let is_same = |done: &&Done| done.key == key && done.before.is_identical(state.conversation());
        let done = known().iter().find(is_same).cloned();
        let Done { proposal, settled, .. } = match done {
            Some(done) => done,
            None => {
                let (proposal, settled) = match part {
                    Part::Target => fitted(provider, &state.request).await?,
                    _ => settled_by(provider, &state.request, &state.request).await?,
                };
                let done = Done { key, before: state.conversation().clone(), proposal, settled };
                known().push(done.clone());
                done
            }
        };
        if let Part::Target = part {
            state.missed = target_missed(&proposal).cloned();
        }
        Ok(state.adopt(settled, proposal))
    }

    /// Processes each text of the selected messages.
    async fn each_text(
        &self,
        config: &SmartConfig,
        pass: &Pass,
        individual: &Individual,
        state: &State,
    ) -> Result<Proposal, CondenseError> {
        let request = in_pass(state, pass);
        if !state.is_repeat {
            self.warn_of_idle_overrides(pass, individual);
        }
        let targets = individual::targets(&request, &pass.selection, individual);
        if targets.iter().any(|target| matches!(target.operation, ContentOperation::Summarize(_))) {
            self.warn_of_missing_models(pass, said!("warning.standsIn"));
        }
        let mut replacements = individual::mechanical(&request, &targets);
        if asks(&request, pass) {
            let (of, texts) = individual::to_summarize(&request, &targets);
            let (known, unknown): (Vec<_>, Vec<_>) =
                of.into_iter().zip(texts).partition(|(_, text)| self.known.has(text));
            for (target, text) in known {
                let summary = self.known.get(&text);
                replacements[target] = summary.map(|summary| individual::summarized(&targets[target], &summary));
            }
            let (of, texts): (Vec<usize>, Vec<SourceText<'_>>) = unknown.into_iter().unzip();
            let taken = self.worth.take_texts(&texts);
            let asked = of.into_iter().zip(texts).zip(taken).filter_map(|(text, taken)| taken.then_some(text));
            let (of, texts): (Vec<usize>, Vec<SourceText<'_>>) = asked.unzip();
            let summaries = summarize_texts(request.summaries(ID), &texts, config.max_concurrency).await?;
            self.warnings.extend(summaries.warnings);
            summaries.failure.into_iter().for_each(|error| self.fail(error.into()));
            for summary in summaries.written {
                let target = of[summary.index];
                replacements[target] = Some(individual::summarized(&targets[target], &summary));
                if request.llm.preview != Some(Preview::Shortest) {
                    self.known.keep(&texts[summary.index], summary);
                }
            }
        }
        Ok(individual::proposal(&request, &targets, replacements))
    }

    /// Warns of overrides for messages that the pass does not work on.
    fn warn_of_idle_overrides(&self, pass: &Pass, individual: &Individual) {
        let Request { original, conversation, tally, .. } = self.request;
        let chosen = pass.selection.selected(conversation, tally);
        let chosen: HashSet<usize> = conversation
            .entries()
            .iter()
            .zip(chosen)
            .filter_map(|(entry, chosen)| entry.origin.filter(|_| chosen))
            .collect();
        for message in individual.overridden().filter(|message| !chosen.contains(message)) {
            let (pass, number) = (pass.id.as_str(), message.to_string());
            let said = if message < original.len() {
                said!("warning.overrideNotSelected", pass: pass, message: number)
            } else {
                said!("warning.overrideOfNothing", pass: pass, message: number)
            };
            self.warnings.add(Warning::new(WarningCode::OverrideUnused, said).at(Some(message)));
        }
    }

    /// Writes one summary for each run of adjacent selected messages.
    async fn batches(
        &self,
        config: &SmartConfig,
        pass: &Pass,
        summary: &BatchSummary,
        state: &mut State,
    ) -> Result<Vec<Change>, CondenseError> {
        self.warn_of_missing_models(pass, said!("warning.isSkipped"));
        let length = state.conversation().len();
        let runs = pass.selection.runs(state.conversation(), &state.request.tally);
        let most_kept = pass.selection.preserved_by_tokens(length, &state.request.tally).unwrap_or(usize::MAX);
        if runs.is_empty() {
            return Err(CondenseError::NotEnoughMessages { messages: length, needed: length + 1 });
        }
        let mut changes = Vec::new();
        let mut failure = None;
        for run in runs {
            let tokens = tokens_of(state, &run);
            match batch::summarize(&in_pass(state, pass), &run, summary, most_kept, config.max_concurrency).await {
                Ok(mut proposal) => {
                    self.worth.take(&[tokens]);
                    self.warnings.extend(std::mem::take(&mut proposal.warnings));
                    changes.extend(state.apply(ID, proposal)?);
                }
                Err(error @ CondenseError::Aborted) => return Err(error),
                Err(error) => failure = failure.or(Some(error)),
            }
        }
        match failure {
            Some(error) if changes.is_empty() => Err(error),
            Some(error) if !is_nothing_to_gain(&error) => {
                self.warnings.add(pass_failed(pass, &error));
                Ok(changes)
            }
            _ => Ok(changes),
        }
    }

    /// Warns if a pass wants a model and there is none, or not the named one.
    fn warn_of_missing_models(&self, pass: &Pass, instead: Said) {
        for profile in pass.asked_under() {
            if !self.request.llm.can_ask(profile) {
                let said = said!("warning.noHandler", pass: pass.id.as_str(), instead: instead.clone());
                self.warnings.add(Warning::new(WarningCode::NoHandler, said));
            } else if let Some(warning) = self.request.llm.warn_of_others(profile) {
                self.warnings.add(warning);
            }
        }
    }
}

/// The work of a part on a conversation.
#[derive(Clone)]
struct Done {
    key: String,
    before: Conversation,
    proposal: Proposal,
    settled: Settled,
}

/// A configuration as a repeatable step.
struct Rounds<'e, 'a> {
    engine: &'e Engine<'a>,
    config: &'e SmartConfig,
}

#[async_trait]
impl Step for Rounds<'_, '_> {
    fn max_rounds(&self) -> usize {
        if self.engine.asks { 1 } else { MAX_ROUNDS }
    }

    async fn round(&mut self, state: &mut State) -> Result<(), CondenseError> {
        let start = state.clone();
        self.engine.round(self.config, state).await?;
        // The target is reached.
        if state.request.budget().is_some_and(|budget| state.request.tally.total() <= budget) {
            return Ok(());
        }
        // A configuration that calls no model must not call one for this comparison either.
        let may_try = |other: &SmartConfig| self.engine.asks || !any_asks(&state.request, other);
        if let Some(other) = held_against(self.config).filter(may_try)
            && let Some(name) = self.config.no_more_tokens_than
        {
            self.engine.no_more_than(name, &other, &start, state).await?;
        }
        Ok(())
    }
}

/// A part of a round.
#[derive(Clone, Copy)]
enum Part<'a> {
    /// The tool rules.
    Rules,
    /// The lossless provider with this configuration.
    Prelude(&'a Value),
    Pass(&'a Pass),
    /// Salient truncation to the target.
    Target,
}

impl Part<'_> {
    fn id(&self) -> &str {
        match self {
            Self::Rules => PassReport::RULES,
            Self::Prelude(_) => PassReport::PRELUDE,
            Self::Pass(pass) => &pass.id,
            Self::Target => PassReport::TARGET,
        }
    }

    fn name(&self) -> &str {
        match self {
            Self::Rules => "Rules of tools",
            Self::Prelude(_) => "Lossless prelude",
            Self::Pass(pass) => &pass.name,
            Self::Target => "Salient truncation to the target",
        }
    }

    /// Returns a key that identifies what the part does.
    fn key(&self) -> String {
        match self {
            Self::Rules => PassReport::RULES.to_owned(),
            Self::Prelude(operations) => format!("{} {operations}", PassReport::PRELUDE),
            Self::Pass(pass) => pass.key.clone(),
            Self::Target => PassReport::TARGET.to_owned(),
        }
    }
}

/// Returns the tokens of a run of messages, given by their indices in the call's input.
fn tokens_of(state: &State, run: &Range<usize>) -> usize {
    let entries = state.conversation().entries().iter().enumerate();
    let in_run = entries.filter(|(_, entry)| entry.origin.is_some_and(|origin| run.contains(&origin)));
    in_run.map(|(message, _)| state.request.tally.message(message)).sum()
}

/// Returns the request for a pass.
fn in_pass(state: &State, pass: &Pass) -> Request {
    Request { progress: state.request.progress.in_pass(&pass.id), ..state.request.clone() }
}

/// Returns a provider's proposal for the request. If settling alone takes it past the target, the provider runs again
/// with a smaller target. If the provider itself says that the target cannot be met, a smaller one would only cut
/// what it protects.
async fn fitted(provider: &dyn Provider, request: &Request) -> Result<(Proposal, Settled), CondenseError> {
    let first = settled_by(provider, request, request).await?;
    let mut within = request.clone();
    let mut over = request.over_target(&first.1.tally);
    for _ in 1..MAX_FITTINGS {
        if over == 0 || target_missed(&first.0).is_some() {
            break;
        }
        within.target_tokens = within.target_tokens.map(|target| target.saturating_sub(over));
        let next = settled_by(provider, &within, request).await?;
        over = request.over_target(&next.1.tally);
        if over == 0 {
            return Ok(next);
        }
    }
    Ok(first)
}

/// Returns the proposal's warning that it misses its target, if it has one.
fn target_missed(proposal: &Proposal) -> Option<&Warning> {
    proposal.warnings.iter().find(|warning| warning.code == WarningCode::TargetNotMet)
}

/// Returns a provider's proposal for `within`, settled for `request`.
async fn settled_by(
    provider: &dyn Provider,
    within: &Request,
    request: &Request,
) -> Result<(Proposal, Settled), CondenseError> {
    let proposal = provider.propose(within, &Value::Null).await?;
    let settled = settle(request, ID, &proposal)?;
    Ok((proposal, settled))
}

/// Returns the report of a pass that does not run.
fn not_run(pass: &Pass, state: &State, why: Said) -> PassReport {
    PassReport::unchanged(&pass.id, &pass.name, state.scaled(), state.is_exact()).skipped(why)
}

/// Returns the operations of a prelude that salient truncation will follow: those that leave every text whole or say
/// that a text is whole elsewhere. Truncation cannot weigh texts made half of pointers, and chooses better which old
/// reads to leave out. With these operations alone it keeps more of the names and passages used again than after the
/// whole prelude or after none (docs/smart.md).
fn before_truncation(operations: &Value) -> Value {
    merged(operations, &json!({ "repeatedLines": false, "diff": false, "containment": false, "staleReads": "off" }))
}

fn pass_failed(pass: &Pass, error: &CondenseError) -> Warning {
    let said = said!("warning.failed", what: pass.id.as_str(), code: error.code(), error: error.said());
    Warning::new(WarningCode::PassFailed, said).caused_by(error.code())
}

/// Returns lazily, for each pass, whether it has cut texts by salience, and whether it will.
fn cut_by_salience(config: &SmartConfig, state: &State) -> impl Iterator<Item = (bool, bool)> {
    config.passes.iter().filter_map(|pass| {
        let Mode::Individual(individual) = &pass.mode else { return None };
        let targets = individual::targets(&state.request, &pass.selection, individual);
        let (was, will) = individual::cut_by_salience(&state.request, &targets);
        Some((was, will && pass.token_threshold.is_none_or(|threshold| state.scaled() > threshold)))
    })
}

/// Returns true if the prelude must leave texts whole, because passes cut them by salience or did so, or the
/// configuration used instead did.
fn needs_whole_texts(config: &SmartConfig, state: &State) -> bool {
    cut_by_salience(config, state).any(|(was, will)| was || will)
        || held_against(config).is_some_and(|other| cut_by_salience(&other, state).any(|(was, _)| was))
}

/// Returns the configuration that is the upper limit for the result.
fn held_against(config: &SmartConfig) -> Option<SmartConfig> {
    config.no_more_tokens_than.and_then(SmartConfig::preset)
}

/// Returns true if a configuration calls a model, or if its upper limit does.
pub(super) fn any_asks(request: &Request, config: &SmartConfig) -> bool {
    config.passes.iter().any(|pass| asks(request, pass))
        || held_against(config).is_some_and(|other| any_asks(request, &other))
}

/// Returns true if a pass calls a model.
fn asks(request: &Request, pass: &Pass) -> bool {
    pass.asked_under().into_iter().any(|profile| request.llm.can_ask(profile))
}

/// Returns true for errors that say there was nothing to do.
fn is_nothing_to_gain(error: &CondenseError) -> bool {
    matches!(
        error,
        CondenseError::NotEnoughMessages { .. }
            | CondenseError::CondensedRecently
            | CondenseError::SummarizedByThisCall
            | CondenseError::ContextGrew { .. }
    )
}
