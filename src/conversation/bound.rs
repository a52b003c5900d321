//! Plans for messages that another party keeps and may have changed since they were read.

use serde::{Serialize, Serializer, ser::SerializeSeq};

use super::{Block, Content, Contents, Conversation, Edit, Fingerprint, Message, PathStep, Plan, content_digits};
use crate::parallel::in_parts;

/// A plan that records what each edit replaces. Its JSON is the plan's, where an edit that replaces or drops
/// something has the field `was`: for a value its fingerprint, for a message its digits in [`super::Contents`]. An
/// edit that drops a message also has its `fingerprint`.
#[derive(Debug, Clone, Default)]
pub struct BoundPlan {
    plan: Plan,
    /// One old value per edit.
    was: Vec<Was>,
    /// One group per edit, or empty.
    groups: Vec<usize>,
}

/// The old value that one edit replaces.
#[derive(Debug, Clone, Default, Serialize)]
struct Was {
    /// `None` for an edit that adds something.
    #[serde(skip_serializing_if = "Option::is_none")]
    was: Option<String>,
    /// The fingerprint of a whole message, which an undo may restore.
    #[serde(skip_serializing_if = "Option::is_none")]
    fingerprint: Option<Fingerprint>,
}

/// The old values that a plan's edits replace, one per edit.
#[derive(Debug, Clone, Default)]
pub struct Replaced(Vec<Was>);

impl Replaced {
    /// Records the old values that `plan` replaces in `before`, whose hashes are `contents`.
    pub fn record(plan: &Plan, before: &Conversation, contents: &Contents) -> Self {
        let replaced = |edit: &Edit| match edit {
            Edit::Set { message, .. } | Edit::Drop { message } | Edit::DropBlock { message, .. } => {
                before.entries().get(*message).map(|entry| &*entry.message)
            }
            Edit::Insert { .. } | Edit::InsertBlock { .. } => None,
        };
        Self(in_parts(
            &plan.edits,
            |edit| replaced(edit).map_or(0, Message::bytes),
            |edits| {
                let was = |edit: &Edit| Was::record(edit, replaced(edit)?, contents);
                edits.iter().map(was).map(Option::unwrap_or_default).collect()
            },
        ))
    }
}

impl BoundPlan {
    /// Creates a plan from `plan` and the values that it replaces.
    pub fn new(plan: Plan, replaced: Replaced) -> Self {
        Self { was: replaced.0, plan, groups: Vec::new() }
    }

    /// Returns the fingerprint of the text or value that an edit replaces; `None` for an addition.
    pub fn was(&self, edit: usize) -> Option<&str> {
        self.was.get(edit)?.was.as_deref()
    }

    /// Returns the plan with a group number per edit, written as the field `group`. Edits of one group are undone
    /// together.
    pub fn with_groups(self, groups: Vec<usize>) -> Self {
        Self { groups, ..self }
    }

    /// Returns the group number of each edit.
    pub fn groups(&self) -> &[usize] {
        &self.groups
    }

    /// Returns the plan.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }
}

impl Was {
    fn record(edit: &Edit, message: &Message, contents: &Contents) -> Option<Self> {
        let value = |was: Fingerprint| Self { was: Some(was.to_string()), fingerprint: None };
        match edit {
            Edit::Set { path, .. } => self::fingerprint(message, path).map(value),
            Edit::DropBlock { block, .. } => {
                self::fingerprint(message, &["content".into(), (*block).into()]).map(value)
            }
            Edit::Drop { message: index } => Some(Self {
                was: contents.of_message(*index).map(content_digits),
                fingerprint: Some(Fingerprint::of_message(message)),
            }),
            Edit::Insert { .. } | Edit::InsertBlock { .. } => None,
        }
    }
}

#[derive(Serialize)]
struct BoundEdit<'a> {
    #[serde(flatten)]
    edit: &'a Edit,
    #[serde(flatten)]
    was: &'a Was,
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<usize>,
}

impl Serialize for BoundPlan {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut edits = serializer.serialize_seq(Some(self.plan.edits.len()))?;
        for (index, (edit, was)) in self.plan.edits.iter().zip(&self.was).enumerate() {
            let group = self.groups.get(index).copied();
            edits.serialize_element(&BoundEdit { edit, was, group })?;
        }
        edits.end()
    }
}

/// Returns the fingerprint of the value at a path in a message.
fn fingerprint(message: &Message, path: &[PathStep]) -> Option<Fingerprint> {
    let (PathStep::Key(key), rest) = path.split_first()? else { return None };
    if key == "content" { of_content(&message.content, rest) } else { None }
}

fn of_content(content: &Content, path: &[PathStep]) -> Option<Fingerprint> {
    match (content, path.split_first()) {
        (content, None) => Some(Fingerprint::of_content(content)),
        (Content::Blocks(blocks), Some((PathStep::Index(index), rest))) => of_block(blocks.get(*index)?, rest),
        _ => None,
    }
}

fn of_block(block: &Block, path: &[PathStep]) -> Option<Fingerprint> {
    let Some((PathStep::Key(key), rest)) = path.split_first() else {
        return path.is_empty().then(|| Fingerprint::of_block(block));
    };
    match (block, key.as_ref()) {
        (Block::Text { text, .. }, "text") if rest.is_empty() => Some(Fingerprint::of_text(text)),
        (Block::ToolResult { content, .. }, "content") => of_content(content, rest),
        (Block::ToolUse { input, .. }, "input") if rest.is_empty() => Some(Fingerprint::of_json(input.get())),
        (Block::ToolUse { input, .. }, "input") => {
            let text = input.texts().iter().find(|text| text.path == rest)?;
            Some(Fingerprint::of_text(&text.text))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::conversation::NewValue;

    #[test]
    fn each_edit_says_what_it_replaces() {
        let before = Conversation::parse(
            &json!([
                { "role": "user", "content": "first" },
                { "role": "assistant", "content": [
                    { "type": "text", "text": "second" },
                    { "type": "tool_use", "id": "a", "name": "write", "input": { "path": "x", "lines": ["one", "two"] } },
                ] },
                { "role": "user", "content": [
                    { "type": "tool_result", "tool_use_id": "a", "content": [{ "type": "text", "text": "third" }] },
                    { "type": "image", "source": { "type": "url", "url": "u" } },
                ] },
                { "role": "assistant", "content": "last" },
            ])
            .to_string(),
        )
        .unwrap();
        let places: Vec<(usize, Value)> = vec![
            (0, json!(["content"])),
            (1, json!(["content", 0, "text"])),
            (1, json!(["content", 1, "input", "lines", 1])),
            (1, json!(["content", 1, "input", "path"])),
            (1, json!(["content", 1, "input"])),
            (2, json!(["content", 0, "content", 0, "text"])),
            (2, json!(["content", 1])),
            (2, json!(["content"])),
        ];
        let path = |path: &Value| serde_json::from_value::<Vec<PathStep>>(path.clone()).unwrap();
        let mut edits: Vec<Edit> =
            places.iter().map(|(message, at)| Edit::set(*message, path(at), NewValue::Text("new".into()))).collect();
        edits.push(Edit::Drop { message: 3 });
        edits.push(Edit::Insert { before: 3, value: before.message(3).clone().into() });
        edits.push(Edit::set_text(9, path(&json!(["content"])), String::new()));
        let plan = Plan { edits };
        let replaced = Replaced::record(&plan, &before, &Contents::hash(&before));
        let bound = serde_json::to_value(BoundPlan::new(plan, replaced)).unwrap();
        let whole = serde_json::to_value(&before).unwrap();
        for (edit, (message, at)) in bound.as_array().unwrap().iter().zip(&places) {
            let pointer: String =
                at.as_array().unwrap().iter().map(|step| format!("/{}", step.to_string().trim_matches('"'))).collect();
            let value = whole[message].pointer(&pointer).unwrap();
            assert_eq!(edit["was"], json!(Fingerprint::of_json(&value.to_string())), "{at}");
            assert_eq!(edit["op"], "set");
        }
        assert_eq!(bound[8]["was"], json!(content_digits(before.message(3).content_hash())));
        assert_eq!(bound[8]["fingerprint"], json!(Fingerprint::of_json(&whole[3].to_string())));
        assert_eq!((bound[9].get("was"), bound[10].get("was")), (None, None));
    }
}
