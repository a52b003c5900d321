//! Finds the names that the assistant has used and is most likely to use again.

use std::ops::Range;

use super::{name_table::NameTable, weights::Weights};
use crate::{
    conversation::{ContentKind, Conversation},
    transcript::{ToolTable, decompose, with_texts},
};

/// Returns at most `most` names that the assistant used in calls in `messages`, the most likely to be used again first.
pub fn likely_names(
    conversation: &Conversation,
    messages: Range<usize>,
    tools: &ToolTable,
    most: usize,
) -> Vec<String> {
    let texts = conversation.texts();
    let pieces = decompose(conversation, tools);
    let mut table = NameTable::default();
    let mut occurrences = Vec::new();
    for (message, pieces) in pieces.into_iter().enumerate().filter(|(message, _)| messages.contains(message)) {
        for (piece, text) in with_texts(&pieces, &texts[message]) {
            let is_use = piece.kind == ContentKind::ToolParameters;
            table.add(&text.text[piece.range.clone()], message, is_use, &mut occurrences);
        }
    }
    let weights = Weights::default();
    let mut used: Vec<(usize, f32)> = (table.facts.iter().enumerate())
        .filter(|(_, facts)| facts.uses > 0)
        .map(|(number, facts)| (number, weights.name(facts, conversation.len())))
        .collect();
    used.sort_by(|(one, first), (other, second)| second.total_cmp(first).then(one.cmp(other)));
    used.into_iter().take(most).map(|(number, _)| table.names[number].to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_was_used_often_and_lately_comes_first_and_what_was_only_read_does_not_count() {
        let call = |id: usize, command: &str| json!({ "role": "assistant", "content": [{ "type": "tool_use", "id": format!("t{id}"), "name": "Bash", "input": { "command": command } }] });
        let answer = |id: usize, text: &str| json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": format!("t{id}"), "content": text }] });
        let mut messages = vec![json!({ "role": "user", "content": "Look." })];
        for (id, command) in
            ["grep old_name_once src", "grep parse_due_date src", "grep parse_due_date tests"].iter().enumerate()
        {
            messages.extend([call(id, command), answer(id, "only_in_the_output of it")]);
        }
        let conversation = Conversation::parse(&json!(messages).to_string()).unwrap();
        let found = |most| likely_names(&conversation, 1..7, &ToolTable::default(), most);
        assert_eq!(found(5), ["parse_due_date", "old_name_once"]);
        assert_eq!(found(1), ["parse_due_date"]);
        assert!(likely_names(&conversation, 0..1, &ToolTable::default(), 5).is_empty());
    }
}
