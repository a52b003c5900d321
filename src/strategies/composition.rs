//! The work of a strategy: runs providers one after the other, each on what the previous ones left, and combines
//! their plans.

use std::sync::Arc;

use super::{
    part::{Part, PartTarget},
    tables::asks_itself,
};
use crate::{
    options::ConfigError,
    progress::Progress,
    providers::{
        AcceptAll, CallRecord, CallTimer, Choice, CondenseError, PassTimer, Proposal, Provider, Registry, Request,
        State, Task, Turn, look_again, take_turn,
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
    turn: Turn,
    /// Providers that did not fail, to run again on what later ones left.
    asked: Vec<Task>,
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
        let within = request.within.iter().copied().chain([strategy]).collect();
        Self {
            strategy,
            request,
            state: State::new(Request { within, ..request.clone() }),
            others: others.clone(),
            turn: Turn::default(),
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
        self.turn.warnings.push(warning);
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
        let task = self.task(part)?;
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
        self.state.request.progress.report("pass", self.strategy, self.asked.len(), self.asked.len() + 1);
        let timer = CallTimer::begin(&self.state);
        let pass = PassTimer::begin(&task.id, &task.provider.info().name, timer.tokens, self.state.is_exact());
        let (turn, result) = take_turn(&Task { llm, ..task.clone() }, &mut self.state, &mut AcceptAll).await;
        let record = timer.end(&self.state, result.is_ok());
        self.turn.add(self.told(&task, turn, pass, &record, result.as_ref().err()));
        self.state.request.choices.came_to(place, record);
        result?;
        self.asked.push(task);
        Ok(record.tokens_after < record.tokens_before)
    }

    /// Returns the task of a part, with the handlers and budget of the strategy.
    fn task(&self, part: &Part) -> Result<Task, CondenseError> {
        Ok(Task {
            id: part.provider.clone(),
            provider: self.others.get(&part.provider)?,
            config: part.config.clone(),
            target_tokens: target_of(part, self.state.request.target_tokens),
            llm: None,
            others: Some(self.others.clone()),
            is_pass: true,
        })
    }

    /// Converts a part's results for the caller: the part is reported as a pass, unless it reported its own passes.
    fn told(
        &self,
        task: &Task,
        mut turn: Turn,
        pass: PassTimer,
        record: &CallRecord,
        error: Option<&CondenseError>,
    ) -> Turn {
        if task.target_tokens != self.state.request.target_tokens {
            // The warning is about this part's own target, which the caller does not know.
            turn.warnings.retain(|warning| warning.code != WarningCode::TargetNotMet);
        }
        if turn.passes.is_empty() {
            let done = turn.changes.iter().map(|change| (change.message_index, change.operation.as_str()));
            let mut report = pass.end(record.tokens_after, self.state.is_exact(), done);
            report.cost = record.cost;
            turn.passes.push(match error {
                Some(error) => report.skipped(error.said_with_code()),
                None => report,
            });
        }
        turn
    }

    /// Works as [`Self::ask`], but errors that allow a fallback become warnings. Returns whether the provider
    /// succeeded.
    ///
    /// # Errors
    /// The errors that end everything.
    pub async fn ask_or_warn(&mut self, ask: Ask<'_>) -> Result<bool, CondenseError> {
        let part = ask.part;
        match self.ask(ask).await {
            Err(error) if ends_all(&error) => Err(error),
            Err(error) => {
                self.warn_of_failure(part, &error);
                Ok(false)
            }
            Ok(_) => Ok(true),
        }
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
    pub fn knows(&self, provider: &str) -> Result<(), CondenseError> {
        self.others.get(provider).map(drop)
    }

    /// Does a dry run of a part in the present state with these models. Nothing is changed, and no model is called.
    ///
    /// # Errors
    /// The errors that end everything: an abort, and mistakes of the caller.
    pub async fn tried(&self, part: &Part, llm: &Llm) -> Result<Tried, CondenseError> {
        let task = self.task(part)?;
        let llm = Llm {
            preview: Some(llm.preview.unwrap_or(Preview::Expected)),
            budget: Arc::new(Budget::new(None)),
            spent: Arc::default(),
            ..llm.clone()
        };
        let spent = Arc::clone(&llm.spent);
        let (choices, progress) = (Arc::default(), Progress::default());
        let mut state = State::new(Request { llm, choices, progress, ..self.state.request.clone() });
        match take_turn(&task, &mut state, &mut AcceptAll).await.1 {
            Err(error) if !error.allows_fallback() => Err(error),
            // For a custom provider, its own estimate is all that is known of its cost.
            result => Ok(Tried { most: spent.most().max(spent.total()), error: result.err() }),
        }
    }

    /// Returns all work as one proposal. If several providers ran, the earlier ones first run again on what later
    /// ones left.
    pub async fn finish(mut self) -> Proposal {
        if self.asked.len() > 1 {
            let turn = self.look_again().await;
            self.turn.add(turn);
        }
        let Turn { changes, warnings: told, passes, .. } = self.turn;
        let mut warnings = Vec::new();
        for warning in told {
            if !warnings.contains(&warning) {
                warnings.push(warning);
            }
        }
        if changes.is_empty() {
            return Proposal { warnings, passes, ..Proposal::default() };
        }
        let mut proposal = self.state.into_proposal(self.request);
        if let Some(settled) = &mut proposal.settled {
            // Restores the changes as each part reported them.
            settled.changes = changes;
        }
        Proposal { warnings, passes, ..proposal }
    }

    /// Runs the parts that may repeat again on the results of later ones. Passes are not reported a second time.
    async fn look_again(&mut self) -> Turn {
        let llm = &self.state.request.llm;
        let asks_nobody = llm.handler.is_none() && llm.condensing_handler.is_none() && llm.profiles.is_empty();
        let may =
            |provider: &dyn Provider| provider.may_repeat() || (asks_nobody && provider.may_repeat_without_model());
        let again: Vec<_> = self.asked.iter().filter(|task| may(&*task.provider)).cloned().collect();
        let turn = look_again(&again, &mut self.state, &mut AcceptAll).await;
        Turn { passes: Vec::new(), ..turn }
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
