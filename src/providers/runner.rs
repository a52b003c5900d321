//! Runs steps over a conversation: what a step proposes is settled and taken over, and a step that may is run again on its own result.
//!
//! The manager runs providers with it, the smart provider its prelude and passes. Which step comes next, and what a failure means, is theirs.

use std::collections::{HashMap, HashSet};

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
    progress::Progress,
    warning::Warning,
};

/// A conversation under work. A copy is cheap: messages are shared.
#[derive(Clone)]
pub struct State {
    /// With the conversation and tally as they are now.
    pub request: Request,
    /// What was done to the messages of the conversation that came in, by their place in it.
    pub notes: Vec<Note>,
    /// Tokens that each of them saved when it was made: of several that touch one block, each its own.
    shares: Vec<usize>,
    /// How each pass went, each pass once.
    pub passes: Vec<PassReport>,
    /// The newest summary.
    pub summary: String,
    /// How much of what must survive it tells, where that is known.
    pub summary_quality: Option<SummaryQuality>,
    /// What was said of a target that was missed.
    pub missed: Option<Warning>,
    /// A step works on its own result.
    pub is_repeat: bool,
    /// Steps that were found to change nothing as things are, by their keys.
    idle: HashSet<String>,
}

/// What runs over a state.
#[async_trait]
pub trait Step: Send {
    /// How often it is run at most: once, and then on its own result.
    fn max_rounds(&self) -> usize;

    /// Returns true if even its first round is a repeat, because it had its turn before.
    fn is_again(&self) -> bool {
        false
    }

    /// Whether it is run again on a result that is smaller than what it was given: until the target is reached, unless it says otherwise.
    fn goes_on(&self, state: &State) -> bool {
        !state.meets_target()
    }

    /// Does the work once.
    ///
    /// # Errors
    /// What keeps it from being done.
    async fn round(&mut self, state: &mut State) -> Result<(), CondenseError>;
}

impl State {
    /// Before anything is done. The request's configuration is for the provider that it was made for, not for the steps.
    #[must_use]
    pub fn new(request: Request) -> Self {
        Self {
            request: Request { config: serde_json::Value::Null, ..request },
            notes: Vec::new(),
            shares: Vec::new(),
            passes: Vec::new(),
            summary: String::new(),
            summary_quality: None,
            missed: None,
            is_repeat: false,
            idle: HashSet::new(),
        }
    }

    /// Runs a step, and again on its own result as long as it goes on and gains something: what is left can look different once the rest is gone,
    /// such as two texts that have become equal by being cut.
    ///
    /// # Errors
    /// Those of [`Step::round`]; what earlier rounds did stays.
    pub async fn run(&mut self, step: &mut dyn Step) -> Result<(), CondenseError> {
        let (is_repeat, progress) = (self.is_repeat, self.request.progress.clone());
        let mut result = Ok(());
        for round in 0..step.max_rounds() {
            if round > 0 || step.is_again() {
                // What follows looks after what is left over; that was told once.
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

    /// Settles what a step proposes and takes it over; says what was changed.
    ///
    /// # Errors
    /// Those of [`settle`].
    pub fn apply(&mut self, provider: &str, proposal: Proposal) -> Result<Vec<Change>, CondenseError> {
        let settled = settle(&self.request, provider, &proposal)?;
        Ok(self.adopt(settled, proposal))
    }

    /// Takes over a proposal that was settled; says what was changed.
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
        let mut saved: HashMap<(usize, Option<usize>, &str), usize> = HashMap::new();
        for change in &settled.changes {
            let place = (change.message_index, change.block_index, change.operation.as_str());
            saved.entry(place).or_insert_with(|| change.tokens_before.saturating_sub(change.tokens_after));
        }
        for note in proposal.notes.into_iter().chain(settled.notes) {
            // A note after the last message is about one that was added there.
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

    /// The conversation as it is now.
    #[must_use]
    pub fn conversation(&self) -> &Conversation {
        &self.request.conversation
    }

    /// Unscaled tokens.
    #[must_use]
    pub fn tokens(&self) -> usize {
        self.request.tally.total()
    }

    /// Scaled tokens, system prompt included.
    #[must_use]
    pub fn scaled(&self) -> usize {
        self.request.scaled(&self.request.tally)
    }

    /// Whether there is a target, and it is reached.
    #[must_use]
    pub fn meets_target(&self) -> bool {
        self.request.target_tokens.is_some() && self.request.meets_target(&self.request.tally)
    }

    /// Whether all of it is known: nothing in it stands for what a model would write.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.conversation().entries().iter().all(|entry| entry.estimates.is_empty())
    }

    /// Whether a step was found to change nothing as things are.
    #[must_use]
    pub fn is_idle(&self, key: &str) -> bool {
        self.idle.contains(key)
    }

    /// Remembers that a step changes nothing as things are.
    pub fn set_idle(&mut self, key: String) {
        self.idle.insert(key);
    }

    /// Remembers what `other`, which has the same messages, found out.
    pub fn learn_idle(&mut self, other: Self) {
        self.idle.extend(other.idle);
    }

    /// Takes over the work of `other`, but not how it went about it.
    pub fn become_like(&mut self, other: Self) {
        let passes = std::mem::take(&mut self.passes);
        let progress = self.request.progress.clone();
        *self = Self { passes, ..other };
        self.request.progress = progress;
    }

    /// Adds how a pass went. A pass that ran more than once is told as one.
    pub fn report(&mut self, report: PassReport) {
        match self.passes.iter_mut().find(|known| known.id == report.id) {
            Some(known) => known.add(report),
            None => self.passes.push(report),
        }
    }

    /// Everything done, as edits on the conversation of `request`, which the work began with.
    #[must_use]
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
        // Each step was settled, and its pointers with it.
        proposal.pointers_checked = true;
        proposal.settled = Some(described(request, &proposal, self.request.conversation, self.request.tally));
        proposal
    }
}

/// Puts what is added behind the messages that are dropped there, before the message that stays: there notes tell of it.
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
