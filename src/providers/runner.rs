//! Runs steps over a conversation. A step's proposal is settled and applied; a repeatable step runs again on its own
//! result.
//!
//! The manager runs providers with it, and the smart provider its prelude and passes. The caller decides which step
//! comes next and what a failure means.

use async_trait::async_trait;

use super::{
    condense_error::CondenseError,
    middle::quality::SummaryQuality,
    pass_report::PassReport,
    proposal::{Change, Note, Proposal, Settled},
    request::Request,
    settle::{described, settle},
};
use crate::{
    conversation::{Conversation, Edit, Plan},
    maps::{HashMap, HashSet},
    progress::Progress,
    warning::Warning,
};

/// A conversation in progress. Cheap to copy, because messages are shared.
#[derive(Clone)]
pub struct State {
    /// The request, with conversation and tally as they are now.
    pub request: Request,
    /// Notes on the messages of the input, by their index there.
    pub notes: Vec<Note>,
    /// Tokens that each note saved when it was made, also if several notes concern one block.
    shares: Vec<usize>,
    /// The report on each pass, one per pass.
    pub passes: Vec<PassReport>,
    /// The newest summary.
    pub summary: String,
    /// How much of what it must keep the summary covers, if that was checked.
    pub summary_quality: Option<SummaryQuality>,
    /// The warning about a missed target.
    pub missed: Option<Warning>,
    /// True while a step works on its own result.
    pub is_repeat: bool,
    /// Keys of steps that would change nothing at this point.
    idle: HashSet<String>,
}

/// A step that runs over a state.
#[async_trait]
pub trait Step: Send {
    /// Returns the maximum number of rounds. All but the first run on the step's own result.
    fn max_rounds(&self) -> usize;

    /// Returns true if even its first round is a repeat, because it had its turn before.
    fn is_again(&self) -> bool {
        false
    }

    /// Returns true if it runs again on a result that is smaller than its input. By default, it does until the target
    /// is reached.
    fn goes_on(&self, state: &State) -> bool {
        !state.meets_target()
    }

    /// Runs once.
    ///
    /// # Errors
    /// The reason why it failed.
    async fn round(&mut self, state: &mut State) -> Result<(), CondenseError>;
}

impl State {
    /// Creates the state before any step.
    pub fn new(request: Request) -> Self {
        Self {
            request,
            notes: Vec::new(),
            shares: Vec::new(),
            passes: Vec::new(),
            summary: String::new(),
            summary_quality: None,
            missed: None,
            is_repeat: false,
            idle: HashSet::default(),
        }
    }

    /// Runs a step, and repeats it on its own result while it continues and gains something. Removed content can make
    /// more possible; for example, two texts may have become equal by being cut.
    ///
    /// # Errors
    /// The errors of [`Step::round`]. The work of earlier rounds is kept.
    pub async fn run(&mut self, step: &mut dyn Step) -> Result<(), CondenseError> {
        let (is_repeat, progress) = (self.is_repeat, self.request.progress.clone());
        let mut result = Ok(());
        for round in 0..step.max_rounds() {
            if round > 0 || step.is_again() {
                // Later rounds handle the rest; progress was reported once.
                self.is_repeat = true;
                self.request.progress = Progress::default();
            }
            let before = self.tokens();
            result = step.round(self).await;
            if result.is_err() || self.tokens() == before || !step.goes_on(self) {
                break;
            }
        }
        self.is_repeat = is_repeat;
        self.request.progress = progress;
        result
    }

    /// Settles a step's proposal and applies it. Returns the changes.
    pub fn apply(&mut self, provider: &str, proposal: Proposal) -> Result<Vec<Change>, CondenseError> {
        let settled = settle(&self.request, provider, &proposal)?;
        Ok(self.adopt(settled, proposal))
    }

    /// Applies a settled proposal. Returns the changes.
    pub fn adopt(&mut self, settled: Settled, proposal: Proposal) -> Vec<Change> {
        if !proposal.summary.is_empty() {
            self.summary = proposal.summary;
            self.summary_quality = proposal.summary_quality;
        }
        if settled.changes.is_empty() {
            return settled.changes;
        }
        let done: HashSet<(usize, Option<usize>)> =
            settled.changes.iter().map(|change| (change.message_index, change.block_index)).collect();
        let messages: HashSet<usize> = done.iter().map(|(message, _)| *message).collect();
        let mut saved: HashMap<(usize, Option<usize>, &str), usize> = HashMap::default();
        for change in &settled.changes {
            let place = (change.message_index, change.block_index, change.operation.as_str());
            saved.entry(place).or_insert_with(|| change.tokens_before.saturating_sub(change.tokens_after));
        }
        for note in proposal.notes.into_iter().chain(settled.notes) {
            // A note past the last message is about one that was added there.
            let entries = self.conversation().entries();
            let origin = entries.get(note.message).map_or(Some(note.message), |entry| entry.origin);
            let is_done = |origin: &usize| match note.block {
                None => messages.contains(origin),
                block => done.contains(&(*origin, block)),
            };
            if let Some(message) = origin.filter(is_done) {
                let place = (message, note.block, note.operation);
                self.shares.push(saved.get(&place).copied().unwrap_or_default());
                self.notes.push(Note { message, ..note });
            }
        }
        self.request.conversation = settled.conversation;
        self.request.tally = settled.tally;
        self.idle.clear();
        settled.changes
    }

    /// Returns the conversation as it is now.
    pub fn conversation(&self) -> &Conversation {
        &self.request.conversation
    }

    /// Returns the unscaled tokens.
    pub fn tokens(&self) -> usize {
        self.request.tally.total()
    }

    /// Returns the scaled tokens, system prompt included.
    pub fn scaled(&self) -> usize {
        self.request.scaled(&self.request.tally)
    }

    /// Returns true if there is a target and it is reached.
    pub fn meets_target(&self) -> bool {
        self.request.target_tokens.is_some() && self.request.meets_target(&self.request.tally)
    }

    /// Returns true if the token counts are exact: no placeholder represents text that a model would write.
    pub fn is_exact(&self) -> bool {
        self.conversation().entries().iter().all(|entry| entry.estimates.is_empty())
    }

    /// Returns true if the step is known to change nothing at this point.
    pub fn is_idle(&self, key: &str) -> bool {
        self.idle.contains(key)
    }

    /// Records that a step changes nothing at this point.
    pub fn set_idle(&mut self, key: String) {
        self.idle.insert(key);
    }

    /// Takes over the idle steps of `other`, which has the same messages.
    pub fn learn_idle(&mut self, other: Self) {
        self.idle.extend(other.idle);
    }

    /// Takes over the result of `other`, but keeps its own passes and progress.
    pub fn become_like(&mut self, other: Self) {
        let passes = std::mem::take(&mut self.passes);
        let progress = self.request.progress.clone();
        *self = Self { passes, ..other };
        self.request.progress = progress;
    }

    /// Adds a pass's report. Several runs of one pass become one report.
    pub fn report(&mut self, report: PassReport) {
        match self.passes.iter_mut().find(|known| known.id == report.id) {
            Some(known) => known.add(report),
            None => self.passes.push(report),
        }
    }

    /// Returns all work as edits on the conversation of `request`, with which it began.
    pub fn into_proposal(self, request: &Request) -> Proposal {
        let places: HashMap<usize, usize> = request
            .conversation
            .entries()
            .iter()
            .enumerate()
            .filter_map(|(index, entry)| Some((entry.origin?, index)))
            .collect();
        let length = request.original.len();
        let notes = self.notes.into_iter().zip(self.shares).filter_map(|(note, share)| {
            let end = (note.message >= length).then(|| request.conversation.len());
            Some((Note { message: places.get(&note.message).copied().or(end)?, ..note }, share))
        });
        let (notes, shares) = notes.unzip();
        let mut plan = Plan::between(&request.conversation, &self.request.conversation);
        insert_behind_dropped(&mut plan);
        let mut proposal = Proposal {
            plan,
            notes,
            shares,
            summary: self.summary,
            summary_quality: self.summary_quality,
            passes: self.passes,
            ..Proposal::default()
        };
        // Each step was settled, including its pointers.
        proposal.pointers_checked = true;
        proposal.settled = Some(described(request, &proposal, self.request.conversation, self.request.tally));
        proposal
    }
}

/// Moves inserted messages after the dropped ones, directly before the next kept message, because notes refer to that
/// place.
fn insert_behind_dropped(plan: &mut Plan) {
    let dropped: HashSet<usize> = plan
        .edits
        .iter()
        .filter_map(|edit| match edit {
            Edit::Drop { message } => Some(*message),
            _ => None,
        })
        .collect();
    for edit in &mut plan.edits {
        if let Edit::Insert { before, .. } = edit {
            while dropped.contains(before) {
                *before += 1;
            }
        }
    }
}
