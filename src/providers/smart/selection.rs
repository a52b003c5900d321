//! Which messages a pass works on.

use std::ops::Range;

use super::config::MessageSelection;
use crate::conversation::Conversation;

impl MessageSelection {
    /// For each message whether it is selected. The task and the newest message never are: a lossy operation leaves both ends alone.
    pub fn of(&self, conversation: &Conversation) -> Vec<bool> {
        let length = conversation.len();
        let end = length.saturating_sub(self.preserved(length));
        let chosen = |index: usize| match self {
            Self::Custom(indices) => {
                conversation.entries()[index].origin.is_some_and(|origin| indices.contains(&origin))
            }
            Self::PreserveRecent(_) | Self::PreservePercent(_) => true,
        };
        let task = conversation.task();
        (0..length).map(|index| index >= task && index < end && chosen(index)).collect()
    }

    /// The selected messages as runs of messages that stand together. Each message is named by its index in the conversation that came in,
    /// because what is done about one run moves the others.
    pub fn runs(&self, conversation: &Conversation) -> Vec<Range<usize>> {
        let mut runs: Vec<Range<usize>> = Vec::new();
        let mut last = None;
        for (index, _) in self.of(conversation).into_iter().enumerate().filter(|(_, chosen)| *chosen) {
            // A message that was added here, such as a summary, belongs to the run around it.
            let Some(origin) = conversation.entries()[index].origin else { continue };
            match runs.last_mut().filter(|_| last.is_some_and(|last| is_next(conversation, last, index))) {
                Some(run) => run.end = origin + 1,
                None => runs.push(origin..origin + 1),
            }
            last = Some(index);
        }
        runs
    }

    /// How many of the newest of `length` messages are not selected whatever they are.
    pub fn preserved(&self, length: usize) -> usize {
        match self {
            Self::PreserveRecent(count) => (*count).max(1),
            Self::PreservePercent(percent) => ((length as f64 * percent / 100.0).ceil() as usize).max(1),
            Self::Custom(_) => 1,
        }
    }
}

/// Whether nothing from the conversation that came in stands between two messages.
fn is_next(conversation: &Conversation, one: usize, other: usize) -> bool {
    conversation.entries()[one + 1..other].iter().all(|entry| entry.origin.is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selected(selection: &MessageSelection, length: usize) -> Vec<usize> {
        let messages: Vec<String> = (0..length)
            .map(|index| format!(r#"{{"role":"{}","content":"x"}}"#, if index % 2 == 0 { "user" } else { "assistant" }))
            .collect();
        let conversation = Conversation::parse(&format!("[{}]", messages.join(","))).unwrap();
        let chosen = selection.of(&conversation);
        (0..length).filter(|index| chosen[*index]).collect()
    }

    #[test]
    fn both_ends_stay_out_of_every_selection() {
        assert_eq!(selected(&MessageSelection::PreserveRecent(3), 7), [1, 2, 3]);
        assert_eq!(selected(&MessageSelection::PreserveRecent(9), 7), [] as [usize; 0]);
        assert_eq!(selected(&MessageSelection::PreservePercent(30.0), 10), [1, 2, 3, 4, 5, 6]);
        assert_eq!(selected(&MessageSelection::PreservePercent(0.0), 4), [1, 2]);
        assert_eq!(selected(&MessageSelection::PreservePercent(100.0), 4), [] as [usize; 0]);
        assert_eq!(selected(&MessageSelection::Custom([0, 2, 3, 99].into()), 4), [2]);
        assert_eq!(selected(&MessageSelection::PreserveRecent(1), 0), [] as [usize; 0]);
    }
}
