//! Finds the messages up to which a conversation can be dropped without breaking a rule of its shape.

use crate::{
    conversation::{Conversation, Problem, answered, new_problems, problems, problems_after},
    maps::HashMap,
};

/// The places up to which messages can be dropped without a new problem in the conversation's shape.
pub struct Seams<'a> {
    conversation: &'a Conversation,
    start: usize,
    /// For each message, the message whose calls it answers.
    answered: Vec<Option<usize>>,
    /// The conversation's existing problems, by message.
    known: HashMap<usize, Vec<Problem>>,
}

impl<'a> Seams<'a> {
    /// Creates the seams of a conversation whose messages may be dropped from `start` on.
    pub fn new(conversation: &'a Conversation, start: usize) -> Self {
        let mut known: HashMap<usize, Vec<Problem>> = HashMap::default();
        for problem in problems(conversation) {
            known.entry(problem.message_index).or_default().push(problem);
        }
        Self { conversation, start, answered: answered(conversation), known }
    }

    /// Returns true if dropping the messages from the start up to `first_kept` adds no problem.
    pub fn is_clean(&self, first_kept: usize) -> bool {
        if first_kept >= self.conversation.len() {
            return true;
        }
        let (last, next) = (self.conversation.message(self.start - 1), self.conversation.message(first_kept));
        // A result must not be kept without its call.
        if self.answered[first_kept].is_some() {
            return false;
        }
        // Whether a message causes a problem depends only on the message before it. So only the first kept message is
        // checked again.
        let placed = |problem: Problem| (problem.message_index, problem);
        let known = self.known.get(&first_kept).cloned().unwrap_or_default();
        let found = problems_after(Some(last), first_kept, next);
        new_problems(known.into_iter().map(placed), found.into_iter().map(placed)).is_empty()
    }
}
