//! The conversation as the passes so far have left it.

use std::collections::{HashMap, HashSet};

use serde::Serialize;

use crate::{
    conversation::{Conversation, Edit, Plan},
    providers::{CondenseError, Note, Proposal, Request, settle},
};

use super::Smart;

/// How one pass went.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PassReport {
    /// The pass; `lossless_prelude` for what goes before all passes.
    pub id: String,
    /// For people.
    pub name: String,
    /// Whether it ran: its condition held and the target was not reached before.
    pub ran: bool,
    /// Why it did not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skipped: Option<String>,
    /// Scaled tokens before, system prompt included.
    pub tokens_before: usize,
    /// And after.
    pub tokens_after: usize,
    /// False when summaries stand in for those that a model would write, so that the tokens from here on are estimates.
    pub exact: bool,
    /// Dollars.
    pub cost: f64,
    /// Messages it changed or removed.
    pub messages_changed: usize,
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
    /// Steps that were found to change nothing as things are, by their keys.
    idle: HashSet<String>,
}

impl State {
    pub fn new(request: &Request) -> Self {
        Self {
            request: request.clone(),
            notes: Vec::new(),
            passes: Vec::new(),
            summary: String::new(),
            exact: true,
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

    /// Applies what a step proposes. How many messages that changed.
    pub fn apply(&mut self, key: &str, proposal: Proposal) -> Result<usize, CondenseError> {
        let settled = settle(&self.request, Smart::ID, &proposal)?;
        if settled.changes.is_empty() {
            self.idle.insert(key.to_owned());
            return Ok(0);
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
        let messages: HashSet<usize> = settled.changes.iter().map(|change| change.message_index).collect();
        Ok(messages.len())
    }

    /// Adds how a pass went. A pass that ran more than once is told as one.
    pub fn report(&mut self, report: PassReport) {
        match self.passes.iter_mut().find(|known| known.id == report.id) {
            Some(known) if report.ran => {
                let saved = report.tokens_before.saturating_sub(report.tokens_after);
                if known.ran {
                    known.tokens_after = known.tokens_after.saturating_sub(saved);
                    known.cost += report.cost;
                    known.messages_changed += report.messages_changed;
                } else {
                    *known = report;
                }
            }
            Some(_) => {}
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
