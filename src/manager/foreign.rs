//! Translates options and reports of calls on histories of other formats, so that they use the indices of the caller's
//! messages.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{
    inspection::{Inspection, Line},
    manager_options::CallOptions,
    report::Report,
    told_plan::{GroupedEdit, ToldPlan},
};
use crate::{
    formats::{Carried, ForeignEdit, NotCarried, Projection},
    inspect::MessageAnatomy,
    providers::CondenseError,
};

impl CallOptions {
    /// Returns the options with message indices of the projection.
    pub fn projected(mut self, projection: &Projection) -> Self {
        let messages = |message: usize| projection.projected(message).collect();
        self.protect =
            self.protect.moved(messages, |frozen| projection.frozen(frozen)).with_messages(projection.staying());
        project_indices(&mut self.config, projection);
        // The host's request is in another format, so a request for a summary cannot be appended to it.
        self.host_request = None;
        self
    }
}

/// Translates the fields of a configuration that contain message indices.
fn project_indices(config: &mut Value, projection: &Projection) {
    let project = |index: u64| -> BTreeSet<usize> { projection.projected(index as usize).collect() };
    match config {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Value::Array(indices) if name == "messageIndices" => {
                        let own: BTreeSet<usize> = indices.iter().filter_map(Value::as_u64).flat_map(project).collect();
                        *value = own.into_iter().collect();
                    }
                    Value::Number(index) if name == "messageIndex" => {
                        if let Some(own) = index.as_u64().and_then(|index| project(index).first().copied()) {
                            *value = own.into();
                        }
                    }
                    _ => project_indices(value, projection),
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|value| project_indices(value, projection)),
        _ => {}
    }
}

impl Report {
    /// Returns the report about the caller's own messages.
    pub fn of_format(mut self, projection: &Projection) -> Self {
        for warning in &mut self.warnings {
            warning.message_index = warning.message_index.map(|index| projection.message(index));
        }
        // Without changes, nothing has to be read again.
        if self.plan.plan().is_empty() {
            return self;
        }
        let provider = self.provider().to_owned();
        let ToldPlan::Own(own) = self.plan else { return self };
        let carried = match projection.carried(own.plan()) {
            Ok(carried) => carried,
            Err(error) => {
                let error = match error {
                    NotCarried::Broken(problem) => CondenseError::BrokenResult { provider, problem },
                    NotCarried::NoForm { .. } => CondenseError::Internal(error.to_string()),
                };
                let mut failed = Self::failed(error, Some(self.prev_context_tokens));
                failed.cost = self.cost;
                return failed;
            }
        };
        let groups = Groups::join(&carried, own.groups());
        self.groups = groups.merged(&self.groups);
        let edits = carried.edits.iter().zip(&groups.of_edits);
        let edits = edits.map(|(edit, group)| GroupedEdit { edit: edit.clone(), group: *group }).collect();
        self.recipes = std::mem::take(&mut self.recipes)
            .into_iter()
            .filter_map(|(edit, recipe)| {
                // If parameters are JSON in a text, the edit sets the whole text, but the recipe is for a string in it.
                let is_it = |(at, from): (usize, &Vec<usize>)| {
                    let is_text =
                        matches!(&carried.edits[at], ForeignEdit::Set { was, .. } if own.was(edit) == Some(was));
                    (is_text && from[..] == [edit]).then_some(at)
                };
                let at = carried.from.iter().enumerate().find_map(is_it)?;
                let recipe = recipe.moved(|message, path| projection.text_place(&carried, message, path))?;
                Some((at, recipe))
            })
            .collect();
        if let Some(contents) = &mut self.contents {
            contents.original = projection.contents().whole();
            contents.condensed = carried.contents.clone();
        }
        self.changed.first_changed_index =
            first_changed(&carried).map_or(-1, |index| i64::try_from(index).unwrap_or(-1));
        for change in &mut self.changed.changes {
            let (message, element) = match change.block_index {
                Some(block) => projection.place(change.message_index, block),
                None => (projection.message(change.message_index), None),
            };
            change.message_index = message;
            change.block_index = element;
        }
        if let Some(preview) = &mut self.preview {
            preview.place(|index| projection.message(index), |after| carried.position_of(projection, after));
        }
        self.plan = ToldPlan::Foreign { own, edits };
        self
    }
}

/// Returns the index of the caller's first message that differs.
fn first_changed(carried: &Carried) -> Option<usize> {
    let message = |edit: &ForeignEdit| match edit {
        ForeignEdit::Set { message, .. }
        | ForeignEdit::Drop { message, .. }
        | ForeignEdit::Insert { before: message, .. }
        | ForeignEdit::DropBlock { message, .. }
        | ForeignEdit::InsertBlock { message, .. } => *message,
    };
    carried.edits.iter().map(message).min()
}

/// Groups of edits on the caller's messages that are undone together.
struct Groups {
    of_edits: Vec<usize>,
    /// The new number of each old group.
    numbers: BTreeMap<usize, usize>,
}

impl Groups {
    /// Joins `groups`, the groups of the plan's edits. An edit on the caller's messages that comes from several edits
    /// joins their groups. If elements of a message move, all edits of the message form one group.
    fn join(carried: &Carried, groups: &[usize]) -> Self {
        let mut joined: BTreeMap<usize, usize> = BTreeMap::new();
        fn root(joined: &BTreeMap<usize, usize>, mut group: usize) -> usize {
            while let Some(next) = joined.get(&group) {
                group = *next;
            }
            group
        }
        let mut by_message: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let mut moved = BTreeSet::new();
        for (index, edit) in carried.edits.iter().enumerate() {
            match edit {
                ForeignEdit::Set { message, .. } => by_message.entry(*message).or_default().push(index),
                ForeignEdit::DropBlock { message, .. } | ForeignEdit::InsertBlock { message, .. } => {
                    moved.insert(*message);
                    by_message.entry(*message).or_default().push(index);
                }
                _ => {}
            }
        }
        let mut join = |of: Vec<usize>| {
            for pair in of.windows(2) {
                let (one, other) = (root(&joined, pair[0]), root(&joined, pair[1]));
                if one != other {
                    joined.insert(one.max(other), one.min(other));
                }
            }
        };
        let group = |from: &usize| groups.get(*from).copied();
        carried.from.iter().for_each(|from| join(from.iter().filter_map(group).collect()));
        for (message, edits) in &by_message {
            if moved.contains(message) {
                join(edits.iter().flat_map(|edit| &carried.from[*edit]).filter_map(group).collect());
            }
        }
        let all = || carried.from.iter().filter_map(|from| from.first()).filter_map(group);
        let roots: BTreeSet<usize> = all().map(|group| root(&joined, group)).collect();
        let numbers: BTreeMap<usize, usize> =
            roots.into_iter().enumerate().map(|(number, root)| (root, number)).collect();
        let number = |group: usize| numbers.get(&root(&joined, group)).copied().unwrap_or_default();
        let of_edits = carried.from.iter().map(|from| from.first().and_then(group).map_or(0, number)).collect();
        let numbers = groups.iter().map(|group| (*group, number(*group))).collect();
        Self { of_edits, numbers }
    }

    /// Returns the changes of the new groups.
    fn merged(&self, changes: &[Vec<String>]) -> Vec<Vec<String>> {
        let mut merged: Vec<Vec<String>> = vec![Vec::new(); self.of_edits.iter().max().map_or(0, |most| most + 1)];
        for (group, ids) in changes.iter().enumerate() {
            let Some(into) = self.numbers.get(&group).and_then(|number| merged.get_mut(*number)) else { continue };
            let new: Vec<String> = ids.iter().filter(|id| !into.contains(id)).cloned().collect();
            into.extend(new);
        }
        merged
    }
}

impl Inspection {
    /// Returns the inspection of the caller's own messages, each with its entry in `messages`.
    pub fn of_format(mut self, projection: &Projection, messages: Vec<MessageAnatomy>) -> Self {
        self.anatomy.messages = messages;
        self.anatomy.place(|message, block| {
            let (message, element) = projection.place(message, block);
            (message, element.unwrap_or(0))
        });
        let place = |line: &mut Line| {
            line.message_index = line.message_index.map(|index| projection.message(index));
        };
        if let Some(window) = &mut self.window {
            [&mut window.at_threshold, &mut window.at_limit, &mut window.at_end].into_iter().for_each(place);
        }
        self.target.as_mut().into_iter().for_each(place);
        self
    }
}
