//! Selects the messages that a pass works on.

use std::ops::Range;

use super::config::MessageSelection;
use crate::{conversation::Conversation, tokens::Tally};

impl MessageSelection {
    /// Returns, for each message, whether it is selected. Fixed messages and the newest one never are, because lossy
    /// operations leave both ends alone. `tally` counts the conversation.
    pub fn selected(&self, conversation: &Conversation, tally: &Tally) -> Vec<bool> {
        if let Self::Among(selection, indices) = self {
            let is_among =
                |index: usize| conversation.entries()[index].origin.is_some_and(|origin| indices.contains(&origin));
            let selected = selection.selected(conversation, tally).into_iter().enumerate();
            return selected.map(|(index, chosen)| chosen && is_among(index)).collect();
        }
        let length = conversation.len();
        let end = length.saturating_sub(self.preserved(length, tally));
        let chosen = |index: usize| match self {
            Self::Custom(indices) => {
                conversation.entries()[index].origin.is_some_and(|origin| indices.contains(&origin))
            }
            Self::PreserveRecent(..) | Self::PreservePercent(..) | Self::Among(..) => true,
        };
        let fixed = conversation.fixed();
        (0..length).map(|index| index >= fixed && index < end && chosen(index)).collect()
    }

    /// Returns the selected messages as runs of adjacent ones. They are given by their indices in the call's input,
    /// because work on one run shifts the others.
    pub fn runs(&self, conversation: &Conversation, tally: &Tally) -> Vec<Range<usize>> {
        let mut runs: Vec<Range<usize>> = Vec::new();
        let mut last = None;
        for (index, _) in self.selected(conversation, tally).into_iter().enumerate().filter(|(_, chosen)| *chosen) {
            // A message added during this call, such as a summary, belongs to the run around it.
            let Some(origin) = conversation.entries()[index].origin else { continue };
            match runs.last_mut().filter(|_| last.is_some_and(|last| is_next(conversation, last, index))) {
                Some(run) => run.end = origin + 1,
                None => runs.push(origin..origin + 1),
            }
            last = Some(index);
        }
        runs
    }

    /// Returns how many of the newest of `length` messages are never selected.
    fn preserved(&self, length: usize, tally: &Tally) -> usize {
        let (count, tokens) = match self {
            Self::PreserveRecent(count, tokens) => (*count, *tokens),
            Self::PreservePercent(percent, tokens) => ((length as f64 * percent / 100.0).ceil() as usize, *tokens),
            Self::Custom(_) => (1, None),
            Self::Among(selection, _) => return selection.preserved(length, tally),
        };
        tokens.map_or(count, |limit| count.min(newest_within(length, tally, limit))).max(1)
    }

    /// Returns how many of the newest messages the token limit excludes, if there is one.
    pub fn preserved_by_tokens(&self, length: usize, tally: &Tally) -> Option<usize> {
        match self {
            Self::PreserveRecent(_, Some(limit)) | Self::PreservePercent(_, Some(limit)) => {
                Some(newest_within(length, tally, *limit))
            }
            Self::Among(selection, _) => selection.preserved_by_tokens(length, tally),
            _ => None,
        }
    }
}

/// Returns how many of the newest messages have at most `limit` tokens together.
fn newest_within(length: usize, tally: &Tally, limit: usize) -> usize {
    let mut left = limit;
    let fits = |message: &usize| {
        let rest = left.checked_sub(tally.message(*message));
        left = rest.unwrap_or(0);
        rest.is_some()
    };
    (0..length).rev().take_while(fits).count()
}

/// Returns true if no message of the call's input is between two messages.
fn is_next(conversation: &Conversation, one: usize, other: usize) -> bool {
    conversation.entries()[one + 1..other].iter().all(|entry| entry.origin.is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{cancel::Cancel, tokens::Encoding};

    fn selected(selection: &MessageSelection, length: usize) -> Vec<usize> {
        let messages: Vec<String> = (0..length)
            .map(|index| format!(r#"{{"role":"{}","content":"x"}}"#, if index % 2 == 0 { "user" } else { "assistant" }))
            .collect();
        let conversation = Conversation::parse(&format!("[{}]", messages.join(","))).unwrap();
        let tally = Tally::count(&conversation, Encoding::default(), &Cancel::new()).unwrap();
        let chosen = selection.selected(&conversation, &tally);
        (0..length).filter(|index| chosen[*index]).collect()
    }

    #[test]
    fn both_ends_stay_out_of_every_selection() {
        assert_eq!(selected(&MessageSelection::PreserveRecent(3, None), 7), [1, 2, 3]);
        assert_eq!(selected(&MessageSelection::PreserveRecent(9, None), 7), [] as [usize; 0]);
        assert_eq!(selected(&MessageSelection::PreservePercent(30.0, None), 10), [1, 2, 3, 4, 5, 6]);
        assert_eq!(selected(&MessageSelection::PreservePercent(0.0, None), 4), [1, 2]);
        assert_eq!(selected(&MessageSelection::PreservePercent(100.0, None), 4), [] as [usize; 0]);
        assert_eq!(selected(&MessageSelection::Custom([0, 2, 3, 99].into()), 4), [2]);
        assert_eq!(selected(&MessageSelection::PreserveRecent(1, None), 0), [] as [usize; 0]);
    }

    #[test]
    fn the_newest_messages_are_bounded_by_tokens_too() {
        let tokens = {
            let conversation = Conversation::parse(r#"[{"role":"user","content":"x"}]"#).unwrap();
            Tally::count(&conversation, Encoding::default(), &Cancel::new()).unwrap().total()
        };
        assert_eq!(selected(&MessageSelection::PreserveRecent(5, Some(2 * tokens)), 7), [1, 2, 3, 4]);
        assert_eq!(selected(&MessageSelection::PreserveRecent(2, Some(9 * tokens)), 7), [1, 2, 3, 4]);
        assert_eq!(selected(&MessageSelection::PreserveRecent(5, Some(0)), 4), [1, 2], "the newest one stays");
        assert_eq!(selected(&MessageSelection::PreservePercent(50.0, Some(3 * tokens)), 10), [1, 2, 3, 4, 5, 6]);
    }
}
