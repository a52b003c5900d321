//! The conversation as the passes so far have left it.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::{
    conversation::{Conversation, Edit, Plan},
    providers::{CondenseError, Note, Proposal, Request, settle},
    warning::Warning,
};

use super::{Smart, report::PassReport};

/// What a step has changed.
#[derive(Default)]
pub(super) struct Applied {
    /// Messages, by their indices in the conversation that came in.
    pub messages: BTreeSet<usize>,
    /// What was done to them, each once, in order of appearance.
    pub operations: Vec<String>,
}

/// The work so far. A copy is cheap: messages are shared.
#[derive(Clone)]
pub(super) struct State {
    /// With the conversation and tally as they are now.
    pub request: Request,
    /// What was done to the messages of the conversation that came in, by their place in it.
    pub notes: Vec<Note>,
    pub passes: Vec<PassReport>,
    pub summary: String,
    /// No summary of a preview is in it.
    pub exact: bool,
    /// What the truncation at the end said of a target that it missed.
    pub missed: Option<Warning>,
    /// Nothing was repeated yet.
    pub is_first_round: bool,
    /// Steps that were found to change nothing as things are, by their keys.
    idle: HashSet<String>,
}

impl Applied {
    /// What the notes tell.
    pub fn of(notes: &[Note]) -> Self {
        let mut applied = Self::default();
        for note in notes {
            applied.note(note.message, note.operation);
        }
        applied
    }

    pub fn add(&mut self, other: Self) {
        self.messages.extend(other.messages);
        for operation in other.operations {
            if !self.operations.contains(&operation) {
                self.operations.push(operation);
            }
        }
    }

    fn note(&mut self, message: usize, operation: &str) {
        self.messages.insert(message);
        if !self.operations.iter().any(|known| known == operation) {
            self.operations.push(operation.to_owned());
        }
    }
}

impl State {
    pub fn new(request: &Request) -> Self {
        Self {
            request: request.clone(),
            notes: Vec::new(),
            passes: Vec::new(),
            summary: String::new(),
            exact: true,
            missed: None,
            is_first_round: true,
            idle: HashSet::new(),
        }
    }

    pub fn conversation(&self) -> &Conversation {
        &self.request.conversation
    }

    /// Unscaled tokens.
    pub fn tokens(&self) -> usize {
        self.request.tally.total()
    }

    /// Scaled tokens, system prompt included.
    pub fn scaled(&self) -> usize {
        self.request.scaled(&self.request.tally)
    }

    pub fn meets_target(&self) -> bool {
        self.request.target_tokens.is_some() && self.request.meets_target(&self.request.tally)
    }

    pub fn is_idle(&self, key: &str) -> bool {
        self.idle.contains(key)
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

    /// Applies what a step proposes.
    pub fn apply(&mut self, key: &str, proposal: Proposal) -> Result<Applied, CondenseError> {
        let settled = settle(&self.request, Smart::ID, &proposal)?;
        if settled.changes.is_empty() {
            self.idle.insert(key.to_owned());
            return Ok(Applied::default());
        }
        let done: HashSet<(usize, Option<usize>)> =
            settled.changes.iter().map(|change| (change.message_index, change.block_index)).collect();
        let conversation = self.conversation().clone();
        for note in proposal.notes {
            // A note after the last message is about one that was added there.
            let origin = conversation.entries().get(note.message).map_or(Some(note.message), |entry| entry.origin);
            if let Some(message) = origin.filter(|origin| done.contains(&(*origin, note.block))) {
                self.notes.push(Note { message, ..note });
            }
        }
        if !proposal.summary.is_empty() {
            self.summary = proposal.summary;
        }
        self.request.conversation = settled.conversation;
        self.request.tally = settled.tally;
        self.idle.clear();
        let mut applied = Applied::default();
        for change in &settled.changes {
            applied.note(change.message_index, &change.operation);
        }
        Ok(applied)
    }

    /// Adds how a pass went. A pass that ran more than once is told as one.
    pub fn report(&mut self, report: PassReport) {
        match self.passes.iter_mut().find(|known| known.id == report.id) {
            Some(known) => known.add(report),
            None => self.passes.push(report),
        }
    }

    /// Everything done, as edits on the conversation of `request`, which the work began with.
    pub fn into_proposal(self, request: &Request) -> Proposal {
        let places: HashMap<usize, usize> = request
            .conversation
            .entries()
            .iter()
            .enumerate()
            .filter_map(|(index, entry)| Some((entry.origin?, index)))
            .collect();
        let length = request.original.len();
        let notes = self.notes.into_iter().filter_map(|note| {
            let end = (note.message >= length).then(|| request.conversation.len());
            Some(Note { message: places.get(&note.message).copied().or(end)?, ..note })
        });
        let mut plan = Plan::between(&request.conversation, &self.request.conversation);
        insert_behind_dropped(&mut plan);
        Proposal { plan, notes: notes.collect(), summary: self.summary, passes: self.passes, ..Proposal::default() }
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
