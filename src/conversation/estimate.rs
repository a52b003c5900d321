//! Placeholders for text that only a model could write. A dry run sends no request: a text of the expected length takes
//! the response's place, and an [`Estimate`] beside the text says which bytes these are. The text itself does not show
//! it.

use crate::maps::HashMap;
use std::ops::Range;

use super::{Message, PathStep};

/// A part of a text that is a placeholder for a model's words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Estimate {
    /// The path from the message to the text.
    pub path: Vec<PathStep>,
    /// The bytes of the placeholder in the text.
    pub range: Range<usize>,
    /// Number of tokens that the model is expected to write, unscaled.
    pub tokens: usize,
}

impl Estimate {
    /// Returns the estimate moved to block `to`, if it is in block `from`.
    pub(super) fn moved(&self, from: usize, to: usize) -> Option<Self> {
        let mut moved = self.clone();
        match moved.path.get_mut(1) {
            Some(PathStep::Index(block)) if *block == from => *block = to,
            _ => return None,
        }
        Some(moved)
    }
}

/// Returns a message's estimates after some texts were replaced: the `old` ones whose text is still there, and those
/// of the `new` texts.
pub(super) fn estimates_after(
    old: &[Estimate],
    new: Vec<Estimate>,
    before: &Message,
    after: &Message,
) -> Vec<Estimate> {
    if old.is_empty() {
        return new;
    }
    let (was, is) = (before.texts_by_path(), after.texts_by_path());
    let mut all = new;
    let mut searched: HashMap<&[PathStep], usize> = HashMap::default();
    for estimate in old {
        let (Some(was), Some(is)) = (was.get(&*estimate.path), is.get(&*estimate.path)) else { continue };
        let from = searched.entry(&estimate.path).or_default();
        for kept in still_there(estimate, was, is, from) {
            let is_free = all.iter().all(|known| known.path != kept.path || !overlap(&known.range, &kept.range));
            if is_free {
                all.push(kept);
            }
        }
    }
    all
}

fn overlap(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start < other.end && other.start < one.end
}

/// Returns the parts of an estimate that remain after its text was changed. The common start and end of both texts are
/// unchanged; an estimate between several changes is searched for in the new text, from `from` on.
fn still_there(estimate: &Estimate, was: &str, is: &str, from: &mut usize) -> Vec<Estimate> {
    let Range { start, end } = estimate.range.clone();
    let head = common_start(was, is);
    let tail = common_start_reversed(&was[head..], &is[head..]);
    let (was_tail, is_tail) = (was.len() - tail, is.len() - tail);
    let part = |range: Range<usize>, at: usize| {
        let tokens = (estimate.tokens * range.len()).div_ceil((end - start).max(1));
        Estimate { path: estimate.path.clone(), range: at..at + range.len(), tokens }
    };
    if end > head && start < was_tail {
        let begin = head.max(*from).min(is_tail);
        if let Some(at) = is[begin..is_tail].find(&was[start..end]) {
            *from = begin + at + (end - start);
            return vec![part(start..end, begin + at)];
        }
    }
    let before = (start < head).then(|| part(start..end.min(head), start));
    let behind = (end > was_tail).then(|| {
        let first = start.max(was_tail);
        part(first..end, first - was_tail + is_tail)
    });
    before.into_iter().chain(behind).collect()
}

/// Returns the bytes of the longest common beginning, in whole characters.
fn common_start(one: &str, other: &str) -> usize {
    one.chars().zip(other.chars()).take_while(|(one, other)| one == other).map(|(same, _)| same.len_utf8()).sum()
}

fn common_start_reversed(one: &str, other: &str) -> usize {
    let (one, other) = (one.chars().rev(), other.chars().rev());
    one.zip(other).take_while(|(one, other)| one == other).map(|(same, _)| same.len_utf8()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::{Conversation, Edit, NewValue, Plan};

    const ANSWER: &str = "(words) … …";

    fn path() -> Vec<PathStep> {
        vec!["content".into()]
    }

    fn conversation(text: &str) -> Conversation {
        Conversation::parse(&serde_json::json!([{ "role": "user", "content": text }]).to_string()).unwrap()
    }

    fn set(text: &str, estimates: Vec<Estimate>) -> Plan {
        Plan { edits: vec![Edit::Set { message: 0, path: path(), value: NewValue::Text(text.to_owned()), estimates }] }
    }

    /// The placeholders' texts after `text` replaced `was`, which has an estimate wherever [`ANSWER`] occurs.
    fn left(was: &str, text: &str) -> Vec<(String, usize)> {
        let estimates = was.match_indices(ANSWER).map(|(at, _)| Estimate {
            path: path(),
            range: at..at + ANSWER.len(),
            tokens: ANSWER.len(),
        });
        let estimated = conversation("before").apply(&set(was, estimates.collect())).unwrap();
        let after = estimated.apply(&set(text, Vec::new())).unwrap();
        let found = after.entries()[0].estimates.iter();
        found.map(|estimate| (text[estimate.range.clone()].to_owned(), estimate.tokens)).collect()
    }

    #[test]
    fn an_estimate_stays_with_its_text() {
        let whole = (ANSWER.to_owned(), ANSWER.len());
        assert_eq!(left("a (words) … … b", "a (words) … … c"), std::slice::from_ref(&whole));
        assert_eq!(left("a (words) … … b", "longer (words) … … b"), std::slice::from_ref(&whole));
        assert_eq!(left("a (words) … … b", "one (words) … … two"), std::slice::from_ref(&whole));
        assert_eq!(left("(words) … … b (words) … …", "x (words) … … y (words) … … z"), [whole.clone(), whole]);
    }

    #[test]
    fn of_a_text_that_was_cut_a_part_of_the_estimate_is_left() {
        assert_eq!(left("a (words) … … b", "a (words) …"), [("(words) …".to_owned(), "(words) …".len())]);
        assert_eq!(left("a (words) … … b", "[left out]"), []);
        assert_eq!(left("a (words) … … b", "[left out] b"), []);
    }

    #[test]
    fn the_same_words_in_a_text_are_no_estimate() {
        let plan = set(ANSWER, Vec::new());
        let after = conversation(ANSWER).apply(&plan).unwrap().apply(&set("(words) … … more", Vec::new())).unwrap();
        assert_eq!(after.entries()[0].estimates, []);
    }

    #[test]
    fn the_plan_between_two_conversations_has_the_estimates() {
        let before = conversation("before");
        let estimate = Estimate { path: path(), range: 0..ANSWER.len(), tokens: 3 };
        let after = before.apply(&set(ANSWER, vec![estimate.clone()])).unwrap();
        let again = before.apply(&Plan::between(&before, &after)).unwrap();
        assert_eq!(again.entries()[0].estimates, [estimate]);
    }
}
