//! The work of a strategy: runs providers one after the other, each on what the previous ones left, and combines
//! their plans.

use std::{sync::Arc, time::Instant};

use super::{
    part::{Part, PartTarget},
    tables::asks_itself,
};
use crate::{
    options::ConfigError,
    progress::Progress,
    providers::{
        AcceptAll, CallRecord, Choice, CondenseError, PassTimer, Proposal, Provider, ProviderStep, Registry,
        Repeatable, Request, State, Turns, look_again, milliseconds,
    },
    summaries::{Budget, Llm, Preview},
    warning::{Warning, WarningCode},
    words::{Said, said},
};

/// The work of one strategy for one request.
pub struct Composition<'a> {
    strategy: &'static str,
    /// The original request.
    request: &'a Request,
    state: State,
    /// The providers that can run.
    others: Registry,
    turns: Turns,
    /// Providers that changed something, to run again on what later ones left.
    asked: Vec<(Arc<dyn Provider>, Part)>,
}

/// One run of a provider.
pub struct Ask<'p> {
    /// The provider to run.
    pub part: &'p Part,
    /// The reason for this choice.
    pub reason: Said,
    /// Its means to request summaries; those of the strategy if absent.
    pub llm: Option<Llm>,
    /// The experiment and its variant.
    pub variant: Option<(String, String)>,
}

impl<'p> Ask<'p> {
    /// Creates a run with the strategy's own settings.
    pub fn new(part: &'p Part, reason: Said) -> Self {
        Self { part, reason, llm: None, variant: None }
    }

    /// Sets other means to request summaries.
    pub fn with(self, llm: Llm) -> Self {
        Self { llm: Some(llm), ..self }
    }
}

/// The result of a dry run of a part.
pub struct Tried {
    /// The maximum cost in dollars; infinite if a price is not known.
    pub most: f64,
    /// The reason why it would do nothing.
    pub error: Option<CondenseError>,
}

impl<'a> Composition<'a> {
    /// Creates the work of a strategy, before any run. `others` are the providers that can run.
    pub fn new(strategy: &'static str, request: &'a Request, others: &Registry) -> Self {
        let mut own = Request { config: serde_json::Value::Null, ..request.clone() };
        own.within.push(strategy);
        Self {
            strategy,
            request,
            state: State::new(own),
            others: others.clone(),
            turns: Turns { others: Some(others.clone()), ..Turns::default() },
            asked: Vec::new(),
        }
    }

    /// Returns the request with the work so far.
    pub fn now(&self) -> &Request {
        &self.state.request
    }

    /// Returns the scaled tokens now, system prompt included.
    pub fn tokens(&self) -> usize {
        self.state.scaled()
    }

    /// Returns true if there is a target and it is reached.
    pub fn meets_target(&self) -> bool {
        self.state.meets_target()
    }

    /// Adds a warning for the caller.
    pub fn warn(&mut self, warning: Warning) {
        self.turns.warnings.push(warning);
    }

    /// Adds a warning that a part failed and others continued.
    pub fn warn_of_failure(&mut self, part: &Part, error: &CondenseError) {
        let unknown = matches!(error, CondenseError::UnknownProvider { .. });
        let code = if unknown { WarningCode::UnknownProvider } else { WarningCode::ProviderFailed };
        let said = if unknown {
            error.said()
        } else {
            said!("warning.failed", what: part.provider.as_str(), code: error.code(), error: error.said())
        };
        let warning = Warning::new(code, said).caused_by(error.code());
        self.warn(if part.place.is_empty() { warning } else { warning.about(part.place.clone()) });
    }

    /// Returns the means to request summaries for at most `limit` dollars. `option` is the option that sets the
    /// limit.
    pub fn within(&self, limit: f64, option: &'static str) -> Llm {
        let llm = &self.state.request.llm;
        Llm { budget: Arc::new(Budget::strict_part_of(Arc::clone(&llm.budget), limit, option)), ..llm.clone() }
    }

    /// Runs a provider; returns whether it gained anything.
    ///
    /// # Errors
    /// Any of the provider's, [`CondenseError::UnknownProvider`], and [`CondenseError::InvalidConfig`] if a strategy
    /// would run within itself.
    pub async fn ask(&mut self, ask: Ask<'_>) -> Result<bool, CondenseError> {
        let Ask { part, reason, llm, variant } = ask;
        let provider = self.others.get(&part.provider)?;
        if self.state.request.within.contains(&part.provider.as_str()) {
            return Err(vec![asks_itself(&part.place, &part.provider)].into());
        }
        let (experiment, variant) = variant.unzip();
        let place = self.state.request.choices.add(Choice {
            strategy: self.strategy,
            provider: part.provider.clone(),
            reason: reason.to_string(),
            said: reason,
            experiment,
            variant,
            record: None,
        });
        let request = &mut self.state.request;
        request.progress.report("pass", self.strategy, self.asked.len(), self.asked.len() + 1);
        let (progress, target, own_llm) = (request.progress.clone(), request.target_tokens, request.llm.clone());
        request.config = part.config.clone();
        request.progress = progress.in_pass(&part.provider);
        request.target_tokens = target_of(part, target);
        request.llm = llm.unwrap_or_else(|| own_llm.clone());
        let own_target = request.target_tokens != target;
        let (begun, before, spent) = (Instant::now(), self.state.scaled(), self.state.request.llm.spent.total());
        let told = (self.turns.passes.len(), self.turns.changes.len(), self.turns.warnings.len());
        let timer = PassTimer::begin(&part.provider, &provider.info().name, before, self.state.is_exact());
        let mut accept = AcceptAll;
        let step = &mut ProviderStep::new(&*provider, &part.provider, &mut self.turns, &mut accept);
        let result = self.state.run(step).await;
        let request = &mut self.state.request;
        (request.progress, request.target_tokens, request.llm) = (progress, target, own_llm);
        request.config = serde_json::Value::Null;
        if own_target {
            // The warning concerns this part's own target, which the caller does not know.
            let mut index = 0;
            self.turns.warnings.retain(|warning| {
                index += 1;
                index <= told.2 || warning.code != WarningCode::TargetNotMet
            });
        }
        let (left, cost) = (self.state.scaled(), self.state.request.llm.spent.total() - spent);
        if self.turns.passes.len() == told.0 {
            let done = self.turns.changes[told.1..].iter();
            let done = done.map(|change| (change.message_index, change.operation.as_str()));
            let mut report = timer.end(left, self.state.is_exact(), done);
            report.cost = cost;
            if let Err(error) = &result {
                report = report.skipped(error.said_with_code());
            }
            self.turns.passes.push(report);
        }
        self.state.request.choices.came_to(
            place,
            CallRecord {
                success: result.is_ok(),
                cost,
                tokens_before: before,
                tokens_after: left,
                latency_ms: milliseconds(begun),
            },
        );
        result?;
        self.asked.push((provider, part.clone()));
        Ok(left < before)
    }

    /// Runs the first of several that has a model to call; returns which, and whether it gained anything. Warns of
    /// those skipped.
    ///
    /// # Errors
    /// Any of [`Self::ask`]'s; a missing model only if all of them need one.
    pub async fn ask_first<'p>(&mut self, asks: impl Iterator<Item = Ask<'p>>) -> Result<(usize, bool), CondenseError> {
        let mut passed_over = Vec::new();
        for (place, ask) in asks.enumerate() {
            let part = ask.part;
            match self.ask(ask).await {
                Err(error) if error.code() == "handler_invalid" => passed_over.push((part, error)),
                result => {
                    let gained = result?;
                    for (part, error) in &passed_over {
                        self.warn_of_failure(part, error);
                    }
                    return Ok((place, gained));
                }
            }
        }
        let first = passed_over.into_iter().next().map(|(_, error)| error);
        Err(first.unwrap_or_else(|| CondenseError::Internal("nobody was to be asked".to_owned())))
    }

    /// Checks that a provider can run.
    ///
    /// # Errors
    /// [`CondenseError::UnknownProvider`].
    pub fn knows(&self, provider: &str) -> Result<(), CondenseError> {
        self.others.get(provider).map(drop)
    }

    /// Does a dry run of a part in the present state with these models. Nothing is changed, and no model is called.
    ///
    /// # Errors
    /// The errors that end everything: an abort, and mistakes of the caller.
    pub async fn tried(&self, part: &Part, llm: &Llm) -> Result<Tried, CondenseError> {
        let provider = self.others.get(&part.provider)?;
        let mut state = self.state.clone();
        let request = &mut state.request;
        request.config = part.config.clone();
        request.target_tokens = target_of(part, request.target_tokens);
        request.progress = Progress::default();
        request.choices = Arc::default();
        request.llm = Llm {
            preview: Some(llm.preview.unwrap_or(Preview::Expected)),
            budget: Arc::new(Budget::new(None)),
            spent: Arc::default(),
            ..llm.clone()
        };
        let spent = Arc::clone(&request.llm.spent);
        let mut turns = Turns { others: Some(self.others.clone()), ..Turns::default() };
        let mut accept = AcceptAll;
        let step = &mut ProviderStep::new(&*provider, &part.provider, &mut turns, &mut accept);
        match state.run(step).await {
            Err(error) if !error.allows_fallback() => Err(error),
            // For a custom provider, its own estimate is all that is known of its cost.
            result => Ok(Tried { most: spent.most().max(spent.total()), error: result.err() }),
        }
    }

    /// Returns all work as one proposal. If several providers ran, the earlier ones first run again on what later
    /// ones left.
    pub async fn finish(mut self) -> Proposal {
        if self.asked.len() > 1 {
            self.look_again().await;
        }
        let mut warnings = Vec::new();
        for warning in self.turns.warnings {
            if !warnings.contains(&warning) {
                warnings.push(warning);
            }
        }
        if self.turns.changes.is_empty() {
            return Proposal { warnings, passes: self.turns.passes, ..Proposal::default() };
        }
        let mut proposal = self.state.into_proposal(self.request);
        if let Some(settled) = &mut proposal.settled {
            // The changes in the form in which each was made and reported.
            settled.changes = self.turns.changes;
        }
        Proposal { warnings, passes: self.turns.passes, ..proposal }
    }

    async fn look_again(&mut self) {
        let (llm, target) = (&self.state.request.llm, self.state.request.target_tokens);
        let asks_nobody = llm.handler.is_none() && llm.condensing_handler.is_none() && llm.profiles.is_empty();
        let may =
            |provider: &dyn Provider| provider.may_repeat() || (asks_nobody && provider.may_repeat_without_model());
        let repeatable = |(provider, part): &'_ (Arc<dyn Provider>, Part)| Repeatable {
            provider: Arc::clone(provider),
            config: part.config.clone(),
            target_tokens: target_of(part, target),
        };
        let again: Vec<_> = self.asked.iter().filter(|(provider, _)| may(&**provider)).map(repeatable).collect();
        let told = self.turns.passes.len();
        let choices = std::mem::take(&mut self.state.request.choices);
        look_again(&again, &mut self.state, &mut self.turns, &mut AcceptAll).await;
        self.state.request.choices = choices;
        self.turns.passes.truncate(told);
    }
}

fn target_of(part: &Part, target: Option<usize>) -> Option<usize> {
    match part.target {
        PartTarget::OfCall => target,
        PartTarget::Untold => None,
        PartTarget::AtLeast(tokens) => Some(target.map_or(tokens, |target| target.max(tokens))),
    }
}

/// Returns true if an error ends the whole strategy: an abort or a mistake of the caller. A missing provider does
/// not.
pub fn ends_all(error: &CondenseError) -> bool {
    !error.allows_fallback() && !matches!(error, CondenseError::UnknownProvider { .. })
}

/// Turns configuration errors into an error.
pub fn refused(faults: Vec<ConfigError>) -> Result<(), CondenseError> {
    if faults.is_empty() { Ok(()) } else { Err(faults.into()) }
}
