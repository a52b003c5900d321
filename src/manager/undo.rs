//! Determines which changes can be undone separately, and by which edits.

use std::collections::BTreeMap;

use serde_json::Value;
use xxhash_rust::xxh3::xxh3_64;

use crate::{
    conversation::{Contents, Edit, PathStep, Plan},
    maps::{HashMap, HashSet},
    markers::{LEFT_OUT_HERE, is_about_messages, without_way_back},
    providers::Change,
};

/// Gives every change an id that is unique in the result. It is a hash of operation, place and old content, so the same
/// condensation gives the same ids.
pub(super) fn name_changes(changes: &mut [Change], contents: &Contents) {
    let mut known: HashSet<String> = HashSet::default();
    let mut turns: HashMap<String, usize> = HashMap::default();
    for change in changes {
        let Change { message_index, block_index, operation, .. } = &*change;
        let content = contents.of_message(*message_index).unwrap_or_default();
        let place = format!("{message_index} {block_index:?} {operation} {content}");
        let turn = turns.entry(place.clone()).or_default();
        change.id = loop {
            let id = format!("c{:08x}", xxh3_64(format!("{place} {turn}").as_bytes()) as u32);
            *turn += 1;
            if known.insert(id.clone()) {
                break id;
            }
        };
    }
}

/// Groups of edits that can only be undone together.
pub(super) struct UndoGroups {
    /// The group of each edit.
    pub of_edits: Vec<usize>,
    /// The ids of the changes in each group. A group is undone if all of its changes are.
    pub changes: Vec<Vec<String>>,
}

/// The key of a group of edits.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Group {
    /// A block; `None` for a message's whole content. If several changes edited one text, they can only be undone
    /// together, because no intermediate state is stored.
    Block(usize, Option<usize>),
    /// Adjacent messages that were dropped, with their replacement. Undoing half of them would separate calls from
    /// results.
    Stretch(usize),
}

impl UndoGroups {
    /// Groups the edits of a plan.
    pub(super) fn group(plan: &Plan, changes: &[Change]) -> Self {
        let stretches = Stretches::find(plan);
        let mut numbers: HashMap<Group, usize> = HashMap::default();
        // If blocks are removed, the indices of the others change, so such a message is restored as a whole.
        let moved: HashSet<usize> = plan
            .edits
            .iter()
            .filter_map(|edit| match edit {
                Edit::DropBlock { message, .. } | Edit::InsertBlock { message, .. } => Some(*message),
                _ => None,
            })
            .collect();
        // A note about dropped messages is correct only while they are missing, so it belongs to their group.
        let notes: HashMap<usize, usize> = plan.edits.iter().filter_map(|edit| stretches.told_by(edit)).collect();
        let of_edits = plan.edits.iter().map(|edit| {
            let group = match edit {
                Edit::DropBlock { message, .. } | Edit::InsertBlock { message, .. } | Edit::Set { message, .. }
                    if notes.contains_key(message) =>
                {
                    Group::Stretch(notes[message])
                }
                Edit::DropBlock { message, .. } | Edit::InsertBlock { message, .. } => Group::Block(*message, None),
                Edit::Set { message, path, .. } => match path.get(1) {
                    Some(PathStep::Index(block)) if !moved.contains(message) => Group::Block(*message, Some(*block)),
                    _ => Group::Block(*message, None),
                },
                Edit::Drop { message } => Group::Stretch(stretches.dropped(*message)),
                Edit::Insert { before, .. } => Group::Stretch(stretches.before(*before)),
            };
            let next = numbers.len();
            *numbers.entry(group).or_insert(next)
        });
        let of_edits = of_edits.collect();
        let mut ids = vec![Vec::new(); numbers.len()];
        let mut blocks: HashMap<usize, Vec<usize>> = HashMap::default();
        for (group, number) in &numbers {
            if let Group::Block(message, _) = group {
                blocks.entry(*message).or_default().push(*number);
            }
        }
        for change in changes {
            let message = change.message_index;
            if let Some(number) = notes.get(&message).and_then(|stretch| numbers.get(&Group::Stretch(*stretch))) {
                ids[*number].push(change.id.clone());
                continue;
            }
            let is_added = change.block_index.is_none() && change.tokens_before == 0 && change.tokens_after > 0;
            let stretch = if is_added { stretches.before(message) } else { stretches.dropped(message) };
            if let Some(number) = numbers.get(&Group::Stretch(stretch)) {
                ids[*number].push(change.id.clone());
                continue;
            }
            if is_added {
                continue;
            }
            match change.block_index {
                // The change concerns the whole content.
                None => {
                    for number in blocks.get(&message).into_iter().flatten() {
                        ids[*number].push(change.id.clone());
                    }
                }
                block => {
                    for block in [None, block] {
                        if let Some(number) = numbers.get(&Group::Block(message, block)) {
                            ids[*number].push(change.id.clone());
                        }
                    }
                }
            }
        }
        Self { of_edits, changes: ids }
    }
}

/// Stretches of adjacent messages that a plan drops, each identified by its first message.
struct Stretches {
    /// For each dropped message, the first message of its stretch.
    first: BTreeMap<usize, usize>,
}

/// Marks a message that belongs to no stretch.
const NONE: usize = usize::MAX;

impl Stretches {
    fn find(plan: &Plan) -> Self {
        let dropped: std::collections::BTreeSet<usize> = plan
            .edits
            .iter()
            .filter_map(|edit| if let Edit::Drop { message } = edit { Some(*message) } else { None })
            .collect();
        let mut first: BTreeMap<usize, usize> = BTreeMap::new();
        for message in dropped {
            let before = message.checked_sub(1).and_then(|before| first.get(&before).copied());
            first.insert(message, before.unwrap_or(message));
        }
        Self { first }
    }

    /// For a note of dropped messages in a block of its own, returns the message it is in, and the stretch.
    fn told_by(&self, edit: &Edit) -> Option<(usize, usize)> {
        let Edit::InsertBlock { message, value, .. } = edit else { return None };
        let block: Value = serde_json::from_str(value.get()).ok()?;
        let text = block["text"].as_str().filter(|text| is_about_messages(text))?;
        let beside = if without_way_back(text) == LEFT_OUT_HERE { message.checked_sub(1)? } else { message + 1 };
        Some((*message, *self.first.get(&beside)?))
    }

    fn dropped(&self, message: usize) -> usize {
        self.first.get(&message).copied().unwrap_or(NONE)
    }

    /// Returns the stretch of an addition before `message`: the one that contains this place or ends there, else a new
    /// one.
    fn before(&self, message: usize) -> usize {
        let behind = message.checked_sub(1).and_then(|behind| self.first.get(&behind).copied());
        self.first.get(&message).copied().or(behind).unwrap_or(message)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::conversation::Conversation;

    fn change(message_index: usize, block_index: Option<usize>, tokens: (usize, usize)) -> Change {
        Change {
            id: String::new(),
            message_index,
            block_index,
            operation: "truncate".to_owned(),
            tokens_before: tokens.0,
            tokens_after: tokens.1,
            reason: String::new(),
            said: None,
            grade: None,
        }
    }

    fn conversation(length: usize) -> Conversation {
        let messages: Vec<_> =
            (0..length).map(|index| json!({ "role": "user", "content": format!("{index}") })).collect();
        Conversation::parse(&json!(messages).to_string()).unwrap()
    }

    #[test]
    fn ids_are_those_of_place_and_content() {
        let mut changes = vec![change(1, None, (2, 0)), change(1, Some(0), (2, 1)), change(1, Some(0), (1, 0))];
        let mut same = changes.clone();
        name_changes(&mut changes, &Contents::hash(&conversation(3)));
        name_changes(&mut same, &Contents::hash(&conversation(3)));
        assert_eq!(changes, same);
        let ids: HashSet<&str> = changes.iter().map(|change| change.id.as_str()).collect();
        assert_eq!(ids.len(), 3);
        let other =
            Conversation::parse(r#"[{"role":"user","content":"0"},{"role":"user","content":"other"}]"#).unwrap();
        name_changes(&mut same, &Contents::hash(&other));
        assert!(same.iter().all(|change| !ids.contains(change.id.as_str())));
    }

    #[test]
    fn what_can_only_be_undone_together_is_one_group() {
        let original = conversation(9);
        let text = |message, block: usize| {
            Edit::set_text(message, vec!["content".into(), block.into(), "text".into()], String::new())
        };
        let insert = |before| Edit::Insert { before, value: original.message(0).clone().into() };
        let edits = vec![
            text(1, 0),
            text(1, 2),
            text(1, 2),
            Edit::Drop { message: 3 },
            Edit::Drop { message: 4 },
            insert(5),
            Edit::Drop { message: 7 },
            insert(9),
        ];
        let mut changes = vec![
            change(1, Some(0), (9, 1)),
            change(1, Some(2), (9, 3)),
            change(1, Some(2), (3, 1)),
            change(3, Some(0), (9, 1)),
            change(3, None, (9, 0)),
            change(4, None, (9, 0)),
            change(5, None, (0, 2)),
            change(7, None, (9, 0)),
            change(9, None, (0, 2)),
        ];
        name_changes(&mut changes, &Contents::hash(&original));
        let groups = UndoGroups::group(&Plan { edits }, &changes);
        assert_eq!(groups.of_edits, [0, 1, 1, 2, 2, 2, 3, 4]);
        let found: Vec<Vec<usize>> = groups
            .changes
            .iter()
            .map(|ids| ids.iter().map(|id| changes.iter().position(|change| change.id == *id).unwrap()).collect())
            .collect();
        assert_eq!(found, [vec![0], vec![1, 2], vec![3, 4, 5, 6], vec![7], vec![8]]);
    }
}
