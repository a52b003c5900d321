//! Condenses ahead of need. A snapshot is condensed in advance, and when the conversation is due, the same changes are
//! applied to it at once.

use std::{
    collections::VecDeque,
    sync::{Arc, MutexGuard, PoisonError},
    time::Instant,
};

use serde_json::Value;
use tokio::sync::watch;

use super::{
    Manager, Ran, Report, Run, TriggerDecision, Work,
    guard::Guard,
    preparation::{AppliedPreparation, Preparation, Ready},
    report::ReportedError,
};
use crate::{
    conversation::{Contents, Edit, NewValue},
    maps::HashMap,
    providers::{Choice, CondenseError, Proposal},
    warning::{Warning, WarningCode},
    words::said,
};

/// Maximum number of tasks with a finished or running preparation; hosts rarely run more than a few tasks at once.
const MAX_TASKS: usize = 8;

/// Maximum bytes of all stored preparations. Only the edits are stored, not the snapshots.
const MAX_BYTES: usize = 16 << 20;

/// A conversation at the time of a call, and the call's request.
#[derive(Clone)]
struct Snapshot {
    contents: Contents,
    asked: Asked,
}

impl Snapshot {
    /// Returns true if a preparation for this snapshot can be applied to a later one.
    fn serves(&self, later: &Self) -> bool {
        later.contents.starts_with(&self.contents) && self.asked == later.asked
    }
}

/// A condensation prepared for a snapshot.
pub struct Prepared {
    snapshot: Snapshot,
    pub(super) ready: Arc<Ready>,
    tokens_saved: f64,
    cost: f64,
    bytes: usize,
    /// Decisions of strategies, for the report of the call that applies the preparation.
    choices: Vec<Choice>,
}

/// The request of a call and its user. A preparation serves only calls with the same one.
#[derive(Debug, Clone, PartialEq)]
struct Asked {
    provider: String,
    config: Value,
    prompt: Option<String>,
    user: Option<String>,
}

/// Finished and running preparations, by task.
#[derive(Default)]
pub struct Preparations {
    /// The oldest first.
    kept: VecDeque<(String, Arc<Prepared>)>,
    under_way: HashMap<String, UnderWay>,
    guard: Guard,
}

/// The outcome of work that others may have waited for; `None` while it runs, and if it was aborted.
type Told = Option<Result<Preparation, ReportedError>>;

/// A running preparation, with the snapshot that decides which calls it serves.
#[derive(Clone)]
struct UnderWay {
    snapshot: Snapshot,
    told: watch::Receiver<Told>,
}

impl UnderWay {
    /// Waits until it has ended; `None` if it was aborted, and waiting calls must do their own work.
    async fn end(mut self, work: &Work) -> Result<Told, CondenseError> {
        tokio::select! {
            biased;
            () = work.cancel.cancelled() => Err(CondenseError::Aborted),
            told = self.told.wait_for(Option::is_some) => Ok(told.ok().and_then(|told| told.clone())),
        }
    }
}

impl Preparations {
    fn keep(&mut self, task: &str, prepared: Prepared) {
        self.forget(task);
        if prepared.bytes > MAX_BYTES {
            return;
        }
        self.kept.push_back((task.to_owned(), Arc::new(prepared)));
        while self.kept.len() > MAX_TASKS || self.kept.iter().map(|(_, kept)| kept.bytes).sum::<usize>() > MAX_BYTES {
            self.kept.pop_front();
        }
    }

    fn for_task(&self, task: &str) -> Option<Arc<Prepared>> {
        self.kept.iter().find(|(known, _)| known == task).map(|(_, prepared)| Arc::clone(prepared))
    }

    fn forget(&mut self, task: &str) {
        self.kept.retain(|(known, _)| known != task);
    }
}

/// Marks a preparation as ended when dropped, however it ends.
struct Flight<'m> {
    manager: &'m Manager,
    task: String,
    tell: watch::Sender<Told>,
}

impl Drop for Flight<'_> {
    fn drop(&mut self) {
        self.manager.preparations().under_way.remove(&self.task);
    }
}

impl Manager {
    fn preparations(&self) -> MutexGuard<'_, Preparations> {
        // A poisoned lock is harmless: nothing that can panic runs under it, and the state is valid at every step.
        self.preparations.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Condenses a snapshot ahead of need, and keeps the result for [`Manager::condense_if_needed`] of the same task.
    /// Only one preparation runs per task: a second call waits for it. The report has no plan.
    pub async fn prepare(&self, work: Work) -> Report {
        let tally = match self.count(&work) {
            Ok(tally) => tally,
            Err(error) => return Report::failed(error, work.options.total_tokens),
        };
        let tokens = self.scale().apply(self.system_tokens(&work) + tally.total());
        let usage = self.usage(&work, &tally);
        let thresholds = &self.in_force_for(&work).thresholds;
        let (decision, due) = (thresholds.decide(&usage), thresholds.due_at(&usage));
        let report = Report::unchanged(decision.prev_context_tokens, tokens);
        if decision.prev_context_tokens < due * self.options.prepare_from_percent / 100.0 {
            return report.with_preparation(Preparation::none("early"));
        }
        let snapshot =
            Snapshot { contents: Contents::hash(&work.conversation), asked: self.asked(&work, Some(&decision)) };
        let flight = loop {
            let under_way = match self.take_off(&work.options.task_id, &snapshot) {
                Ok(flight) => break flight,
                Err(under_way) => under_way,
            };
            let will_do = under_way.snapshot.serves(&snapshot);
            match under_way.end(&work).await {
                Err(error) => return Report::failed(error, Some(decision.prev_context_tokens)),
                Ok(Some(Ok(told))) if will_do => {
                    let reason = if told.prepared { "joined" } else { told.reason };
                    return report.with_preparation(Preparation { reason, ..told });
                }
                Ok(Some(Err(error))) if will_do => {
                    return report.failed_like(error).with_preparation(Preparation::none("failed"));
                }
                // The other preparation does not serve this call, or was aborted, so this call makes its own.
                Ok(_) => {}
            }
        };
        let report = self.prepare_alone(&work, snapshot, &decision, due, report).await;
        let told = match report.error() {
            Some(_) if report.was_aborted() => None,
            Some(error) => Some(Err(error.clone())),
            None => report.preparation().cloned().map(Ok),
        };
        flight.tell.send_replace(told);
        report
    }

    /// Begins a preparation for a task, or returns the one that is already running.
    fn take_off(&self, task: &str, snapshot: &Snapshot) -> Result<Flight<'_>, Box<UnderWay>> {
        let mut all = self.preparations();
        if let Some(under_way) = all.under_way.get(task) {
            return Err(Box::new(under_way.clone()));
        }
        let (tell, told) = watch::channel(None);
        all.under_way.insert(task.to_owned(), UnderWay { snapshot: snapshot.clone(), told });
        Ok(Flight { manager: self, task: task.to_owned(), tell })
    }

    async fn prepare_alone(
        &self,
        work: &Work,
        snapshot: Snapshot,
        decision: &TriggerDecision,
        due: f64,
        report: Report,
    ) -> Report {
        let (task, prev) = (&work.options.task_id, decision.prev_context_tokens);
        let known = self.prepared(task, &snapshot);
        let fitting = TriggerDecision::fitting_below(due);
        if let Some(known) = known.as_ref().filter(|known| prev - known.tokens_saved <= fitting) {
            return report.with_preparation(known.told("reused"));
        }
        let guard = self.options.guard;
        if let Some(guard) = &guard
            && let Err(error) = self.preparations().guard.check(guard, task, Instant::now())
        {
            return Report::failed(error, Some(prev)).with_preparation(Preparation::none("failed"));
        }
        // Further messages arrive until the conversation is due. The limit is lower by their expected tokens.
        let limit = (fitting - (due - prev).max(0.0)).clamp(0.0, prev);
        let run = Run {
            decision: Some(decision),
            limit: Some(limit),
            ready: known.as_ref().map(|known| Arc::clone(&known.ready)),
            keeps_proposal: true,
            ..Run::default()
        };
        let Ran { report: done, proposal, .. } = self.run_as(work, run).await;
        if let Some(guard) = guard.as_ref().filter(|_| !done.was_aborted()) {
            let tokens = (done.original_tokens() as f64, done.final_tokens() as f64);
            let tokens = done.error_code().is_none().then_some(tokens);
            self.preparations().guard.record(guard, task, tokens, Instant::now());
        }
        {
            let metrics = &mut self.state().metrics;
            metrics.add_paid(work.options.profile_id.as_deref(), done.cost(), done.cost_by_model());
            metrics.add_variants(done.choices(), done.kept());
        }
        let told = match proposal.filter(|_| done.did_condense()) {
            None if done.error_code().is_some() => Preparation::none("failed"),
            None => Preparation::none("nothing"),
            Some(proposal) => {
                let cost = done.cost() + known.as_ref().map_or(0.0, |known| known.cost);
                let before = known.map_or_else(Vec::new, |known| known.choices.clone());
                // The variants were already counted in the metrics of experiments.
                let made = done.choices().iter().map(|choice| Choice { record: None, ..choice.clone() });
                let choices = before.into_iter().chain(made).collect();
                let prepared = Prepared::new(proposal, done.provider(), snapshot, done.tokens_removed(), cost, choices);
                let told = prepared.told("done");
                self.preparations().keep(task, prepared);
                told
            }
        };
        report.like_preparing(done).with_preparation(told)
    }

    /// Returns the preparation that serves this call. One for another beginning of the conversation is forgotten.
    fn prepared(&self, task: &str, now: &Snapshot) -> Option<Arc<Prepared>> {
        let prepared = self.preparations().for_task(task)?;
        if !now.contents.starts_with(&prepared.snapshot.contents) {
            self.preparations().forget(task);
        }
        prepared.snapshot.serves(now).then_some(prepared)
    }

    /// Returns the preparation for a call that is due; waits for a running one if that will serve it. Warns if a
    /// preparation has become useless.
    pub(super) async fn ready_for(
        &self,
        work: &Work,
        decision: &TriggerDecision,
    ) -> Result<(Option<Arc<Prepared>>, Option<Warning>), CondenseError> {
        let task = &work.options.task_id;
        let (under_way, kept) = {
            let all = self.preparations();
            (all.under_way.get(task).cloned(), all.for_task(task))
        };
        if under_way.is_none() && kept.is_none() {
            return Ok((None, None));
        }
        let now = Snapshot { contents: Contents::hash(&work.conversation), asked: self.asked(work, Some(decision)) };
        if let Some(under_way) = under_way.filter(|under_way| under_way.snapshot.serves(&now)) {
            // Its outcome is in the preparations kept.
            under_way.end(work).await?;
        }
        let was_kept = self.preparations().for_task(task).is_some();
        let prepared = self.prepared(task, &now);
        let is_stale = was_kept && self.preparations().for_task(task).is_none();
        let warning = is_stale.then(|| Warning::new(WarningCode::PreparationStale, said!("warning.preparationStale")));
        Ok((prepared, warning))
    }

    /// Removes the preparation of a task after it was applied.
    pub(super) fn applied(&self, task: &str) {
        self.preparations().forget(task);
    }

    fn asked(&self, work: &Work, decision: Option<&TriggerDecision>) -> Asked {
        Asked {
            provider: self.first_provider(work, decision),
            config: work.options.config.clone(),
            prompt: work.options.custom_condensing_prompt.clone(),
            user: work.options.user_id.clone(),
        }
    }
}

impl Prepared {
    fn new(
        proposal: Proposal,
        provider: &str,
        snapshot: Snapshot,
        tokens_saved: f64,
        cost: f64,
        choices: Vec<Choice>,
    ) -> Self {
        let plan = proposal.plan.without_foreign();
        let bytes = plan.edits.iter().map(bytes_of).sum::<usize>()
            + proposal.notes.iter().map(|note| size_of_val(&note.reason)).sum::<usize>()
            + proposal.summary.len();
        // Progress was reported during the preparation, and `settled` holds for the snapshot alone.
        let proposal = Proposal {
            plan,
            settled: None,
            warnings: Vec::new(),
            passes: Vec::new(),
            cost: 0.0,
            unfinished: false,
            ..proposal
        };
        let ready = Arc::new(Ready { id: provider.to_owned(), proposal });
        Self { snapshot, ready, tokens_saved, cost, bytes, choices }
    }

    /// Adds this preparation to the report of the call that applied it.
    pub(super) fn tell(&self, report: &mut Report) {
        report.choices.splice(0..0, self.choices.iter().cloned());
        let messages = self.snapshot.contents.len();
        report.applied_preparation = Some(AppliedPreparation { messages, cost: self.cost });
    }

    fn told(&self, reason: &'static str) -> Preparation {
        Preparation { prepared: true, reason, messages: self.snapshot.contents.len(), tokens_saved: self.tokens_saved }
    }
}

fn bytes_of(edit: &Edit) -> usize {
    let value = match edit {
        Edit::Set { value: NewValue::Text(text), .. } => text.len(),
        Edit::Set { value: NewValue::Json(json), .. } | Edit::InsertBlock { value: json, .. } => json.get().len(),
        Edit::Insert { value, .. } => value.message.bytes(),
        Edit::Drop { .. } | Edit::DropBlock { .. } => 0,
    };
    value + size_of::<Edit>()
}
