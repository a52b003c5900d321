//! Where a conversation can be closed again after messages were dropped.

use std::collections::HashMap;

use crate::conversation::{Conversation, Problem, answered, new_problems, problems, problems_after};

/// Knows where a conversation can be closed again after messages were dropped.
pub struct Seams<'a> {
    conversation: &'a Conversation,
    start: usize,
    /// For each message the one whose calls it answers.
    answered: Vec<Option<usize>>,
    /// The problems there are, by message.
    known: HashMap<usize, Vec<Problem>>,
}

impl<'a> Seams<'a> {
    /// The seams of a conversation from which messages go from `start` on.
    pub fn new(conversation: &'a Conversation, start: usize) -> Self {
        let mut known: HashMap<usize, Vec<Problem>> = HashMap::new();
        for problem in problems(conversation) {
            known.entry(problem.message_index).or_default().push(problem);
        }
        Self { conversation, start, answered: answered(conversation), known }
    }

    /// Whether the conversation is no worse when the messages between the start and `first_kept` are gone.
    pub fn is_clean(&self, first_kept: usize) -> bool {
        if first_kept >= self.conversation.len() {
            return true;
        }
        let (last, next) = (self.conversation.message(self.start - 1), self.conversation.message(first_kept));
        // A result whose call would be dropped never survives its call.
        if self.answered[first_kept].is_some() {
            return false;
        }
        // Whether a message breaks something depends on the one before it alone, so only the first one kept is judged anew.
        let placed = |problem: Problem| (problem.message_index, problem);
        let known = self.known.get(&first_kept).cloned().unwrap_or_default();
        let found = problems_after(Some(last), first_kept, next);
        new_problems(known.into_iter().map(placed), found.into_iter().map(placed)).is_empty()
    }
}
