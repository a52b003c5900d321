//! Decides when and how a conversation is condensed: registry, trigger, fallback, guard, metrics.

mod alerts;
mod chain;
mod economics;
mod effective_config;
mod experiments;
mod foreign;
mod guard;
mod in_force;
mod inspection;
mod manager_options;
mod metrics;
mod numbers;
mod preparation;
mod prepare;
mod preview;
mod profiles;
mod prompt_cache;
mod report;
mod savings;
mod shares;
mod survival;
mod told_plan;
mod totals;
mod trigger;
mod undo;
mod work;

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

#[cfg(test)]
pub use self::effective_config::EffectiveConfig;
use self::{
    chain::Chain, economics::Weighed, guard::Guard, metrics::CondensationRecord, numbers::Goal, preparation::Ready,
    prepare::Preparations,
};
pub use self::{
    economics::MoneyDecision,
    guard::GuardOptions,
    in_force::{DEFAULT_PROVIDER, InForce},
    inspection::{InspectOptions, Inspection},
    manager_options::{CallOptions, ManagerOptions, TABLES as OPTION_TABLES},
    metrics::Metrics,
    preparation::Preparation,
    preview::{PreviewReport, Trial},
    profiles::Profiles,
    prompt_cache::PromptCache,
    report::Report,
    trigger::{ContextUsage, Thresholds, TriggerDecision},
    work::Work,
};
use crate::{
    conversation::Conversation,
    llm::ModelPrice,
    providers::{
        Binding, Call, CondenseError, Lossless, Proposal, Provider, Registry, Request, ThinkingRule, Truncation,
    },
    strategies,
    summaries::{Budget, Llm, MemoryStore, Observed, ProfileHandler, SummaryStore},
    tokens::{Calibration, Encoding, Scale, Tally, TokensError},
    transcript::ToolTable,
    warning::{Warning, WarningCode},
};

/// Holds providers, options and metrics. Two managers share nothing but the caches of token counts.
pub struct Manager {
    options: ManagerOptions,
    cache: Option<Arc<dyn SummaryStore>>,
    budget: Arc<Budget>,
    observed: Arc<Observed>,
    state: Mutex<State>,
    preparations: Mutex<Preparations>,
}

/// How to run one condensation, beyond the call's options.
#[derive(Default)]
struct Run<'a> {
    /// The trigger's decision; `None` if no trigger was consulted.
    decision: Option<&'a TriggerDecision>,
    /// Default target for a call without one, in tokens as the caller counts them.
    limit: Option<f64>,
    /// The purpose of a dry run; `None` for a real run.
    trial: Option<Trial>,
    /// A prepared condensation to adopt.
    ready: Option<Arc<Ready>>,
    /// True if the changes are also returned as a proposal.
    keeps_proposal: bool,
}

struct State {
    registry: Registry,
    /// The chosen provider; `None` for the default.
    active: Option<String>,
    thresholds: Thresholds,
    metrics: Metrics,
    guard: Guard,
    calibration: Calibration,
    /// The model that was calibrated last; `scale: "auto"` uses its ratio.
    model: Option<String>,
}

/// The result of a condensation.
struct Ran {
    report: Report,
    /// The changes as a proposal, if requested.
    proposal: Option<Proposal>,
    /// True if a prepared condensation was adopted.
    was_ready: bool,
}

impl Ran {
    fn alone(report: Report) -> Self {
        Self { report, proposal: None, was_ready: false }
    }
}

impl Chain {
    /// Runs the providers and reports the outcome. `prev` is the number of tokens in the context as the API reported
    /// it, and `price` the price of the conversation's model.
    async fn run(
        &self,
        request: Request,
        goal: Goal,
        (prev, price): (Option<f64>, Option<ModelPrice>),
        trial: Option<Trial>,
    ) -> Ran {
        let scale = request.call.scale;
        // On the heap, because callers await this within their own futures.
        let outcome = Box::pin(chain::run(self, request, goal)).await;
        let mut outcome = if trial.is_some() { outcome.in_words() } else { outcome };
        let preview = trial.map(|trial| PreviewReport::describe(&outcome, scale, trial));
        let (proposal, was_ready) = (outcome.ran.proposal.take(), outcome.ran.was_ready);
        let mut report = Report::build(outcome, prev, price.as_ref());
        report.preview = preview;
        Ran { report, proposal, was_ready }
    }
}

impl Manager {
    /// Creates a manager with the built-in providers. Summaries are cached in memory unless the options turn that off.
    pub fn new(options: ManagerOptions) -> Self {
        let cache: Option<Arc<dyn SummaryStore>> =
            if options.cache { Some(Arc::new(MemoryStore::default())) } else { None };
        Self::with_store(options, cache)
    }

    /// Creates a manager that keeps summaries in `cache`.
    pub fn with_store(options: ManagerOptions, cache: Option<Arc<dyn SummaryStore>>) -> Self {
        let state = State {
            registry: strategies::registry(),
            active: options.provider.clone(),
            thresholds: options.thresholds.clone(),
            metrics: Metrics::default(),
            guard: Guard::default(),
            calibration: Calibration::new(),
            model: None,
        };
        let budget = Arc::new(Budget::new(options.max_cost));
        Self {
            options,
            cache,
            budget,
            observed: Arc::default(),
            state: Mutex::new(state),
            preparations: Mutex::default(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A poisoned lock is harmless: nothing that can panic runs under it, and the state is valid at every step.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a provider; one with the same id is replaced.
    pub fn register(&self, provider: Arc<dyn Provider>) {
        self.state().registry.register(provider);
    }

    /// Removes a provider. Returns whether it was registered.
    pub fn unregister(&self, id: &str) -> bool {
        self.state().registry.unregister(id)
    }

    /// Returns the registered providers.
    pub fn registry(&self) -> Registry {
        self.state().registry.clone()
    }

    /// Makes a provider the active one.
    pub fn set_active(&self, id: &str) -> Result<(), CondenseError> {
        let mut state = self.state();
        state.registry.get(id)?;
        state.active = Some(id.to_owned());
        Ok(())
    }

    /// Returns the id of the active provider: the chosen one, else `native`. Without a model, `lossless` runs in place
    /// of an unchosen `native`.
    pub fn active(&self) -> String {
        self.state().active.clone().unwrap_or_else(|| DEFAULT_PROVIDER.to_owned())
    }

    /// Returns the current settings.
    pub fn in_force(&self) -> InForce {
        let state = self.state();
        InForce { registry: state.registry.clone(), active: state.active.clone(), thresholds: state.thresholds.clone() }
    }

    /// Returns the settings of a call, or else the current ones.
    fn in_force_for(&self, work: &Work) -> Arc<InForce> {
        work.in_force.clone().unwrap_or_else(|| Arc::new(self.in_force()))
    }

    /// Returns the options that the manager was created with.
    pub fn options(&self) -> &ManagerOptions {
        &self.options
    }

    /// Returns the current thresholds.
    pub fn thresholds(&self) -> Thresholds {
        self.state().thresholds.clone()
    }

    /// Sets the global threshold in percent of the context window.
    pub fn set_threshold(&self, percent: f64) {
        self.state().thresholds.global = percent;
    }

    /// Sets the threshold of a profile in percent; `INHERIT` to use the global one.
    pub fn set_profile_threshold(&self, profile: &str, percent: f64) {
        self.state().thresholds.profiles.insert(profile.to_owned(), percent);
    }

    /// Decides whether a condensation is due.
    pub fn should_condense(&self, usage: &ContextUsage) -> TriggerDecision {
        self.state().thresholds.decide(usage)
    }

    /// Records the ratio of a model's own token count to the local count.
    ///
    /// # Errors
    /// `TokensError` if the numbers cannot be true.
    pub fn calibrate(&self, local_tokens: f64, reported_tokens: f64, model: &str) -> Result<(), TokensError> {
        let mut state = self.state();
        state.calibration.calibrate(local_tokens, reported_tokens, model)?;
        state.model = Some(model.to_owned());
        Ok(())
    }

    /// Returns the scale in use.
    pub fn scale(&self) -> Scale {
        let state = self.state();
        self.options.scale.resolve(&state.calibration, state.model.as_deref())
    }

    /// Returns a copy of the metrics.
    pub fn metrics(&self) -> Metrics {
        let mut metrics = self.state().metrics.clone().finished();
        metrics.alerts = alerts::alerts(&metrics, &self.budget, self.options.cost_alert);
        metrics
    }

    /// Resets the metrics to zero.
    pub fn reset_metrics(&self) {
        self.state().metrics = Metrics::default();
    }

    /// Condenses a conversation. The report contains any failure; the plan is then empty.
    ///
    /// # Examples
    /// ```
    /// use roo_condense::{Conversation, Manager, ManagerOptions, Work};
    /// use serde_json::json;
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// let manager = Manager::new(ManagerOptions::read(&json!({ "provider": "lossless" })).unwrap());
    /// let conversation = Conversation::parse(r#"[{"role": "user", "content": "Hello"}]"#)?;
    /// let report = manager.condense(Work::new(conversation.clone())).await;
    /// let condensed = conversation.apply(report.plan())?;
    /// assert_eq!((report.did_condense(), condensed.len()), (false, 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub async fn condense(&self, work: Work) -> Report {
        let report = self.run(&work, Run::default()).await;
        self.remember(&work.options, &report);
        report
    }

    /// Reports what [`Manager::condense`] would do, without changing metrics or caches.
    pub async fn preview(&self, work: Work, trial: Trial) -> Report {
        self.run(&Trial::without_model(work), Run { trial: Some(trial), ..Run::default() }).await
    }

    /// Condenses if the trigger says it is due. The call must state its tokens and context window.
    pub async fn condense_if_needed(&self, work: Work) -> Report {
        let tally = match self.count(&work) {
            Ok(tally) => tally,
            Err(error) => return Report::failed(error, work.options.total_tokens),
        };
        let usage = self.usage(&work, &tally);
        let decision = self.in_force_for(&work).thresholds.decide(&usage);
        if work.options.economics.is_none() {
            return self.condense_when(&work, decision, &tally).await;
        }
        let Weighed { decision: money, call } = match self.weigh(&work, &decision, &tally).await {
            Ok(weighed) => weighed,
            Err(failed) => return failed.with_trigger(decision),
        };
        let mut report = match call {
            Some(call) => self.condense(Work { options: call, ..work.clone() }).await.with_trigger(decision),
            None if money.condense => self.condense_when(&work, decision, &tally).await,
            None => Report::not_due(decision, self.scale().apply(self.system_tokens(&work) + tally.total())),
        };
        report.decision = Some(money);
        report
    }

    /// Condenses if `decision` says it is due.
    async fn condense_when(&self, work: &Work, decision: TriggerDecision, tally: &Tally) -> Report {
        if !decision.due {
            return Report::not_due(decision, self.scale().apply(self.system_tokens(work) + tally.total()));
        }
        let guard = self.options.guard;
        if let Some(guard) = &guard
            && let Err(error) = self.state().guard.check(guard, &work.options.task_id, Instant::now())
        {
            return Report::failed(error, Some(decision.prev_context_tokens)).with_trigger(decision);
        }
        let (prepared, stale) = match self.ready_for(work, &decision).await {
            Ok(found) => found,
            Err(error) => return Report::failed(error, Some(decision.prev_context_tokens)).with_trigger(decision),
        };
        let ready = prepared.as_ref().map(|prepared| Arc::clone(&prepared.ready));
        let run = Run { decision: Some(&decision), ready, ..Run::default() };
        let Ran { mut report, was_ready, .. } = self.run_as(work, run).await;
        report.warnings.extend(stale);
        if was_ready && report.did_condense() {
            self.applied(&work.options.task_id);
            prepared.iter().for_each(|prepared| prepared.tell(&mut report));
        }
        // An aborted run shows nothing about the gain of condensing.
        if let Some(guard) = guard.as_ref().filter(|_| !report.was_aborted()) {
            let tokens = (report.original_tokens() as f64, report.final_tokens() as f64);
            let tokens = report.error_code().is_none().then_some(tokens);
            self.state().guard.record(guard, &work.options.task_id, tokens, Instant::now());
        }
        self.remember(&work.options, &report);
        report.with_trigger(decision)
    }

    /// Returns the numbers that the trigger decides by.
    fn usage(&self, work: &Work, tally: &Tally) -> ContextUsage {
        let last = work.conversation.len().checked_sub(1).filter(|_| !work.options.counts_last_message);
        ContextUsage {
            total_tokens: work.options.total_tokens.unwrap_or_default(),
            last_message_tokens: last.map_or(0, |last| self.scale().apply(tally.message(last))) as f64,
            context_window: work.options.context_window.unwrap_or(f64::MAX),
            max_tokens: work.options.max_tokens,
            profile_id: work.options.profile_id.clone(),
        }
    }

    async fn run(&self, work: &Work, run: Run<'_>) -> Report {
        self.run_as(work, run).await.report
    }

    async fn run_as(&self, work: &Work, run: Run<'_>) -> Ran {
        let Run { decision, limit, trial, ready, keeps_proposal } = run;
        let prev = decision.map(|decision| decision.prev_context_tokens).or(work.options.total_tokens);
        let mut chain = match self.chain(work, decision, limit) {
            Ok(chain) => Chain { ready, keeps_proposal, ..chain },
            Err(error) => return Ran::alone(Report::failed(error, prev)),
        };
        work.progress.report("counting", "", 0, 1);
        let tally = match self.count(work) {
            Ok(tally) => tally,
            Err(error) => return Ran::alone(Report::failed(error, prev)),
        };
        let (conversation, warnings) = self.pinned(work);
        chain.warnings.extend(warnings);
        // The default limit of a condensation that is due: the size below which none would be due, and at most the
        // current size.
        let fitting = || {
            limit
                .or_else(|| decision.map(|decision| decision.fitting_tokens().clamp(0.0, decision.prev_context_tokens)))
        };
        // A target larger than the window is lowered to the tokens that the window allows.
        let allowed = decision.map(|decision| decision.allowed_tokens).filter(|allowed| *allowed > 0.0);
        let asked =
            work.options.target_tokens.map(|target| allowed.map_or(target as f64, |most| most.min(target as f64)));
        let goal = Goal::new(prev, asked.or_else(fitting));
        let call = Call {
            scale: self.scale(),
            thinking: self.thinking(work),
            is_limit: asked.is_none(),
            ..work.call_for_providers(self.options.encoding)
        };
        let request = Request {
            tools: self.options.tools.clone(),
            llm: self.llm(work),
            ..work.request(call, conversation, tally, goal)
        };
        let price = self.conversation_price(work);
        let mut ran = chain.run(request, goal, (prev, price), trial).await;
        alerts::warn(&mut ran.report, &self.budget, self.options.cost_alert);
        work.progress.report("done", ran.report.provider(), 1, 1);
        ran
    }

    /// Returns the conversation with its protected content pinned, and warnings about rules that protect nothing.
    fn pinned(&self, work: &Work) -> (Conversation, Vec<Warning>) {
        let rules = self.options.protect.clone().with(work.options.protect.clone());
        rules.pin_telling(&work.conversation, &self.options.tools)
    }

    /// Combines the call's handlers with the manager's prompt, price, cache and budget.
    fn llm(&self, work: &Work) -> Llm {
        let profile = work.options.profile_id.as_deref();
        let prompt = || self.options.profiles.get(profile).custom_condensing_prompt;
        let profiles = work.llm.profiles.iter().map(|(id, own)| {
            let price = own.price.clone().or_else(|| self.options.profiles.get(Some(id)).price);
            (id.clone(), ProfileHandler { price, ..own.clone() })
        });
        Llm {
            profiles: profiles.collect(),
            prompt: work.options.custom_condensing_prompt.clone().or_else(prompt),
            price: self.options.profiles.price(profile).or_else(|| work.summary_price()),
            cache: self.cache.clone(),
            // A dry run spends nothing, but must meet the limit where the real run would.
            budget: Arc::new(Budget::part_of(
                if work.llm.preview.is_some() { Arc::new(self.budget.trial()) } else { Arc::clone(&self.budget) },
                self.max_cost_of(&work.options),
            )),
            observed: Arc::clone(&self.observed),
            system_prompt: work.options.system_prompt.clone(),
            host_request: work.host_request(),
            ..work.llm.clone()
        }
    }

    /// Decides how thinking after a change is treated. If the call names no model, the calibrated model counts as the
    /// conversation's own.
    fn thinking(&self, work: &Work) -> ThinkingRule {
        let own = work.thinking();
        let wish = work.options.thinking.unwrap_or(self.options.thinking);
        if own.binding != Binding::Unknown {
            return ThinkingRule { wish, ..own };
        }
        let calibrated = self.state().model.as_deref().map(Binding::of_model);
        ThinkingRule { wish, binding: calibrated.unwrap_or_default() }
    }

    /// Returns the maximum cost of one condensation in dollars, set by the call, else by its profile.
    fn max_cost_of(&self, call: &CallOptions) -> Option<f64> {
        let profile = || self.options.profiles.get(call.profile_id.as_deref()).max_cost_per_condensation;
        call.max_cost_per_condensation.or_else(profile)
    }

    /// Returns the price of the conversation's own model, if known.
    fn conversation_price(&self, work: &Work) -> Option<ModelPrice> {
        let profile = || self.options.profiles.get(work.options.profile_id.as_deref()).price;
        work.conversation_price().or_else(profile)
    }

    fn count(&self, work: &Work) -> Result<Tally, CondenseError> {
        Ok(Tally::count(&work.conversation, self.options.encoding, &work.cancel)?)
    }

    fn system_tokens(&self, work: &Work) -> usize {
        work.system_tokens(self.options.encoding)
    }

    /// Returns the id of the provider that runs first.
    fn first_provider(&self, work: &Work, decision: Option<&TriggerDecision>) -> String {
        // With automatic condensing off, only a full window triggers; Roo then drops the oldest messages.
        let in_force = self.in_force_for(work);
        let forced = decision.filter(|_| work.options.provider.is_none() && !in_force.thresholds.automatic);
        forced.map_or_else(|| in_force.provider_of(&work.options, &work.llm), |_| Truncation::ID.to_owned())
    }

    /// Returns the chosen provider and its fallbacks, with warnings about ids that do not exist.
    fn chain(
        &self,
        work: &Work,
        decision: Option<&TriggerDecision>,
        limit: Option<f64>,
    ) -> Result<Chain, CondenseError> {
        let first = &*self.first_provider(work, decision);
        let in_force = self.in_force_for(work);
        let mut providers = vec![in_force.registry.get(first)?];
        let mut warnings = Vec::new();
        let standing_in: Vec<&str> = match &self.options.fallback {
            Some(ids) => ids.iter().map(String::as_str).collect(),
            None => default_fallback(first).to_vec(),
        };
        // Without a target, truncation cannot know how much to cut.
        let has_target = work.options.target_tokens.is_some() || limit.is_some() || decision.is_some();
        let may_cut = self.options.fallback.is_some() || has_target;
        let standing_in = standing_in.into_iter().filter(|id| may_cut || *id != Truncation::ID);
        for (index, id) in standing_in.enumerate().filter(|(_, id)| *id != first) {
            match in_force.registry.get(id) {
                Ok(provider) => providers.push(provider),
                Err(error) if self.options.fallback.is_some() => {
                    let warning = Warning::new(WarningCode::UnknownProvider, error.said());
                    warnings.push(warning.about(format!("fallback[{index}]")));
                }
                Err(_) => {}
            }
        }
        let others = Some(in_force.registry.clone());
        let config = work.options.config.clone();
        Ok(Chain { providers, config, others, warnings, ready: None, keeps_proposal: false })
    }

    fn remember(&self, call: &CallOptions, report: &Report) {
        let mut state = self.state();
        for (provider, call) in report.provider_calls() {
            state.metrics.add_provider(provider, call);
        }
        let (profile, record) = (call.profile_id.as_deref(), report.call());
        state.metrics.add_call(profile, &record);
        state.metrics.add_kept(report.provider(), profile, report.kept());
        state.metrics.add_models(report.cost_by_model());
        state.metrics.add_variants(report.choices(), report.kept());
        let record = CondensationRecord::ended(&record, report.provider(), profile, report.error_code());
        state.metrics.add_record(record.with_kept(report.kept()));
    }
}

/// Returns the default fallbacks of a provider that fails or leaves too much, custom ones included: they call no model,
/// and lose as little as they can.
fn default_fallback(provider: &str) -> &'static [&'static str] {
    match provider {
        "smart" => &["native", Lossless::ID, Truncation::ID],
        "native" => &[Lossless::ID, Truncation::ID],
        Lossless::ID => &[Truncation::ID],
        Truncation::ID => &[],
        _ => &[Lossless::ID, Truncation::ID],
    }
}

/// Runs one provider without a manager.
///
/// # Examples
/// ```
/// use roo_condense::{CallOptions, Conversation, Encoding, Work, condense_with, create_provider};
/// use serde_json::json;
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let line = "the same line of a log, again and again\n";
/// let conversation = Conversation::parse(
///     &json!([
///         { "role": "user", "content": "What does the log say?" },
///         { "role": "assistant", "content": [{ "type": "tool_use", "id": "a", "name": "read_file", "input": { "path": "log" } }] },
///         { "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "a", "content": line.repeat(200) }] },
///         { "role": "assistant", "content": "The same." },
///         { "role": "user", "content": "Thank you." },
///     ])
///     .to_string(),
/// )?;
/// let truncation = create_provider("truncation", &json!({ "preserveRecentCount": 1 })).unwrap();
/// let call = CallOptions { target_tokens: Some(500), ..CallOptions::default() };
/// let report = condense_with(&truncation, Encoding::O200kBase, Work { options: call, ..Work::new(conversation) }).await;
/// assert!(report.did_condense() && report.final_tokens() <= 500);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub async fn condense_with(provider: &Arc<dyn Provider>, encoding: Encoding, work: Work) -> Report {
    run_alone(provider, encoding, work, None).await
}

/// Reports what [`condense_with`] would do.
pub async fn preview_with(provider: &Arc<dyn Provider>, encoding: Encoding, work: Work, trial: Trial) -> Report {
    run_alone(provider, encoding, Trial::without_model(work), Some(trial)).await
}

async fn run_alone(provider: &Arc<dyn Provider>, encoding: Encoding, work: Work, trial: Option<Trial>) -> Report {
    let tally = match Tally::count(&work.conversation, encoding, &work.cancel) {
        Ok(tally) => tally,
        Err(cancelled) => return Report::failed(cancelled.into(), work.options.total_tokens),
    };
    let (prev, price) = (work.options.total_tokens, work.conversation_price());
    let (conversation, warnings) = work.options.protect.pin_telling(&work.conversation, &ToolTable::default());
    let goal = Goal::new(prev, work.options.target_tokens.map(|target| target as f64));
    let llm = Llm {
        budget: Arc::new(Budget::part_of(Arc::default(), work.options.max_cost_per_condensation)),
        price: work.summary_price(),
        prompt: work.options.custom_condensing_prompt.clone(),
        host_request: work.host_request(),
        system_prompt: work.options.system_prompt.clone(),
        ..work.llm.clone()
    };
    let request = Request { llm, ..work.request(work.call_for_providers(encoding), conversation, tally, goal) };
    let chain = Chain {
        providers: vec![Arc::clone(provider)],
        config: work.options.config.clone(),
        others: None,
        warnings,
        ready: None,
        keeps_proposal: false,
    };
    chain.run(request, goal, (prev, price), trial).await.report
}
