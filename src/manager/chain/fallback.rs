//! Runs the providers of a chain in order until one meets the target.

use std::ops::ControlFlow;

use super::{Chain, Summary, acceptance::HostCounts};
use crate::{
    manager::{preparation::Ready, totals::HostCount},
    providers::{
        CondenseError, Lossless, Proposal, Request, State, Task, Truncation, Turn, look_again, take_over, take_turn,
    },
    warning::{Warning, WarningCode},
    words::said,
};

/// The state of a call after its providers ran.
#[derive(Default)]
pub struct Ran {
    /// The request with the conversation as it is now.
    pub request: Request,
    /// The results of all turns.
    pub turn: Turn,
    /// The newest summary.
    pub summary: Summary,
    /// The provider that changed the conversation last, or else the first one.
    pub provider: String,
    /// The error of the first provider, or the abort.
    pub error: Option<CondenseError>,
    /// The handler's own count, if it counts.
    pub host_count: Option<HostCount>,
    /// Blocks of thinking that were removed.
    pub thinking_removed: usize,
    /// True if a prepared condensation was adopted.
    pub was_ready: bool,
    /// The changes as a proposal for the original conversation, if requested.
    pub proposal: Option<Proposal>,
}

impl Ran {
    /// Returns true after an abort or a caller's mistake, after which no fallback can help.
    pub fn must_stop(&self) -> bool {
        self.error.as_ref().is_some_and(|error| !error.allows_fallback())
    }

    /// Returns the state with all changes undone.
    pub fn undone(self, request: &Request) -> Self {
        let turn = Turn { changes: Vec::new(), ..self.turn };
        let (conversation, tally) = (request.original.clone(), request.tally.clone());
        Self { request: Request { conversation, tally, ..self.request }, turn, host_count: None, ..self }
    }

    /// Reports either the changes or the error. After an abort or a caller's mistake, all changes are undone.
    pub fn concluded(self, request: &Request) -> Self {
        if self.must_stop() {
            return Self { thinking_removed: 0, summary: Summary::default(), ..self.undone(request) };
        }
        let error = self.error.filter(|_| self.turn.changes.is_empty());
        Self { error, ..self }
    }
}

/// The outcome of the first provider. Once it has succeeded, failures of its fallbacks are only warnings.
enum Asked {
    NotYet,
    Succeeded,
    Failed(CondenseError),
}

/// The state while providers run.
struct Fallback {
    state: State,
    turn: Turn,
    counts: HostCounts,
    asked: Asked,
    provider: String,
}

/// Runs `tasks` in order. If one fails or exceeds the target, the next one continues with its result. Without a target,
/// the chain ends at the first success; a fallback must also save tokens to count as one.
pub async fn run(chain: &Chain, tasks: &[Task], request: &Request, warnings: Vec<Warning>) -> Ran {
    let mut work = Fallback {
        state: State::new(request.clone()),
        turn: Turn { warnings, ..Turn::default() },
        counts: HostCounts::default(),
        asked: Asked::NotYet,
        provider: tasks.first().map(|task| task.id.clone()).unwrap_or_default(),
    };
    let was_ready = match &chain.ready {
        Some(ready) => work.adopt(ready).await,
        None => false,
    };
    if !was_ready || !work.is_enough(true) {
        work.ask_in_turn(tasks).await;
    }
    let proposal =
        (chain.keeps_proposal && !work.turn.changes.is_empty()).then(|| work.state.clone().into_proposal(request));
    work.end(was_ready, proposal)
}

impl Fallback {
    /// Adopts a prepared condensation; returns whether it did. If it no longer fits, there is a warning, and the
    /// providers run as usual.
    async fn adopt(&mut self, ready: &Ready) -> bool {
        let before = self.state.tokens();
        let mut counts = HostCounts { is_for_ready: true, ..HostCounts::default() };
        let (turn, result) = take_over(&ready.id, ready.proposal.clone(), &mut self.state, &mut counts).await;
        self.turn.add(turn);
        self.counts.counted = counts.counted;
        if let Err(error) = &result {
            let said = said!("warning.preparedFailed", code: error.code(), error: error.said());
            self.turn.warnings.push(Warning::new(WarningCode::PreparationStale, said).caused_by(error.code()));
        }
        let is_adopted = result.is_ok() && self.state.tokens() < before;
        if is_adopted {
            self.asked = Asked::Succeeded;
            self.provider.clone_from(&ready.id);
        }
        is_adopted
    }

    /// Runs each provider in order. Then providers that may repeat run again on the results of later ones.
    async fn ask_in_turn(&mut self, tasks: &[Task]) {
        let mut asked = Vec::new();
        for (index, task) in tasks.iter().enumerate() {
            if is_passed_over(&tasks[index..], &self.state) {
                continue;
            }
            asked.push(task);
            self.state.request.progress.report("condensing", &task.id, index, tasks.len());
            if self.ask(task, index, tasks.len()).await.is_break() {
                break;
            }
        }
        if asked.len() > 1 && self.state.request.target_tokens.is_some() {
            let again: Vec<_> = asked.into_iter().filter(|task| task.provider.may_repeat()).cloned().collect();
            let turn = look_again(&again, &mut self.state, &mut self.counts).await;
            self.turn.add(turn);
        }
    }

    /// Runs the provider at `index` of `total`. Breaks if no other one is to run.
    async fn ask(&mut self, task: &Task, index: usize, total: usize) -> ControlFlow<()> {
        let before = self.state.tokens();
        let (turn, result) = take_turn(task, &mut self.state, &mut self.counts).await;
        self.turn.add(turn);
        if let Err(error) = result {
            return self.fail(task, error, index + 1 == total);
        }
        if index == 0 {
            self.asked = Asked::Succeeded;
        }
        let gained = self.state.tokens() < before;
        if gained {
            self.provider.clone_from(&task.id);
        }
        if self.is_enough(gained) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn fail(&mut self, task: &Task, error: CondenseError, is_last: bool) -> ControlFlow<()> {
        let goes_on = error.allows_fallback();
        // The error is a warning, unless it becomes the error of the whole call.
        if goes_on && (matches!(self.asked, Asked::Succeeded) || !is_last || !self.turn.changes.is_empty()) {
            let said = said!("warning.failed", what: task.id.as_str(), code: error.code(), error: error.said());
            self.turn.warnings.push(Warning::new(WarningCode::ProviderFailed, said).caused_by(error.code()));
        }
        if matches!(self.asked, Asked::NotYet) {
            self.asked = Asked::Failed(error);
        }
        if goes_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    fn is_enough(&self, gained: bool) -> bool {
        match self.state.request.target_tokens {
            Some(_) => self.state.meets_target(),
            None => gained || !matches!(self.asked, Asked::Failed(_)),
        }
    }

    fn end(self, was_ready: bool, proposal: Option<Proposal>) -> Ran {
        let State { request, summary, summary_quality, .. } = self.state;
        if self.turn.changes.is_empty() {
            request.llm.spent.add_refused();
        }
        let error = if let Asked::Failed(error) = self.asked { Some(error) } else { None };
        Ran {
            // An abort takes precedence over earlier errors.
            error: if request.cancel.check().is_err() { Some(CondenseError::Aborted) } else { error },
            request,
            turn: self.turn,
            summary: Summary { summary, summary_quality },
            provider: self.provider,
            host_count: self.counts.counted,
            thinking_removed: 0,
            was_ready,
            proposal,
        }
    }
}

/// Returns true if the first task is skipped, because it cannot reach the target, and the second one does not need its
/// result.
fn is_passed_over(tasks: &[Task], state: &State) -> bool {
    let are_both = matches!(tasks, [first, second, ..] if first.id == Lossless::ID && second.id == Truncation::ID);
    are_both && !Lossless::may_reach_target(&state.request)
}
