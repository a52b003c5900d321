//! Selects lines of left-out results that keep names readable. The best lines contain the most names that are likely to
//! be used again and that no other visible text contains.

use std::{
    collections::{BinaryHeap, HashSet},
    ops::Range,
};

use super::{
    found_names::FoundNames,
    name_table::NameTable,
    queue::{Queued, Unit},
    weights::{Weights, as_float},
};
use crate::{
    conversation::{ContentKind, Conversation},
    story::{ShownLines, content, quoted_answer, story_blocks},
    transcript::{PieceSource, ToolTable, decompose, with_texts},
};

/// Tokens of the sign before a line and of the line end.
const SIGNS: f32 = 3.0;
/// Tokens of an entry's head. They are added to the cost of the entry's first line.
const HEAD: f32 = 12.0;
/// Maximum bytes of a line. Longer lines are data, or would take the budget of many.
const MAX_LINE: usize = 240;

/// Messages that a condensation leaves out of a conversation.
pub struct LeftOut<'a> {
    /// The conversation before the messages are left out.
    pub conversation: &'a Conversation,
    /// The messages that are left out.
    pub messages: Range<usize>,
    /// The meanings of the tools in it.
    pub tools: &'a ToolTable,
    /// Average tokens per byte.
    pub tokens_per_byte: f32,
}

/// A line that may be shown.
struct Candidate<'t> {
    message: usize,
    /// The number of its result or story, counted from 1.
    block: usize,
    line: &'t str,
    /// The range of its names in the list of occurrences.
    names: Range<usize>,
}

impl LeftOut<'_> {
    /// Returns the lines to show within `room` tokens, beside the text of `view`. The worth of a line is the chance
    /// that its names are used again. Each name counts once.
    pub fn naming_lines(&self, view: &Conversation, room: f32) -> ShownLines {
        let (texts, in_view) = (self.conversation.texts(), view.texts());
        let pieces = decompose(self.conversation, self.tools);
        let mut table = NameTable::default();
        let (mut candidates, mut names) = (Vec::<Candidate<'_>>::new(), Vec::new());
        let mut block = 0;
        let found = FoundNames::of_all(self.conversation, &pieces);
        for (message, (pieces, found)) in pieces.iter().zip(&found).enumerate() {
            let pins = &self.conversation.entries()[message].pins;
            let may_be_shown = |block: usize| self.messages.contains(&message) && !pins.holds(block);
            let stories = story_blocks(self.conversation, message);
            for ((piece, whole), found) in with_texts(pieces, &texts[message]).zip(found.each()) {
                let text = &whole.text[piece.range.clone()];
                let is_use = piece.kind == ContentKind::ToolParameters;
                let mut found = found.iter().copied().peekable();
                let is_story = piece.source == PieceSource::Words && stories.contains(&piece.block);
                if (piece.kind != ContentKind::ToolResults && !is_story) || !may_be_shown(piece.block) {
                    found.for_each(|name| _ = table.add_found(name, text, message, is_use));
                    continue;
                }
                block += 1;
                for line in text.lines() {
                    let (start, end) =
                        (names.len(), line.as_bytes().as_ptr_range().end as usize - text.as_ptr() as usize);
                    while let Some(name) = found.next_if(|name| name.start() < end) {
                        names.push(table.add_found(name, text, message, is_use));
                    }
                    let shown = if is_story { quoted_answer(line) } else { Some(line) };
                    let names = start..names.len();
                    if let Some(line) = shown.filter(|line| !names.is_empty() && line.len() <= MAX_LINE) {
                        candidates.push(Candidate { message, block, line, names });
                    }
                }
            }
        }
        for text in in_view.iter().flatten() {
            table.stay(text.text);
        }
        let weights = Weights::default();
        let chances = table.facts.iter().map(|facts| weights.name(facts, self.conversation.len())).collect();
        self.best(&candidates, &names, chances, room)
    }

    /// Takes the line with the most worth per token, repeatedly. Names in a taken line are worth nothing in later ones.
    fn best(&self, candidates: &[Candidate<'_>], names: &[u32], mut chances: Vec<f32>, mut room: f32) -> ShownLines {
        let mut shown = ShownLines::default();
        let mut begun = HashSet::new();
        let cost = |candidate: &Candidate<'_>, begun: &HashSet<usize>| {
            let head = if begun.contains(&candidate.block) { 0.0 } else { HEAD };
            head + SIGNS + as_float(content(candidate.line).len()) * self.tokens_per_byte
        };
        let queued = |at: usize, chances: &[f32], begun: &HashSet<usize>| {
            let candidate = &candidates[at];
            let chance = names[candidate.names.clone()].iter().map(|name| chances[*name as usize]).sum::<f32>();
            // The newest of equal lines is taken.
            Queued { density: chance / cost(candidate, begun), unit: Unit::Line(0, candidates.len() - 1 - at) }
        };
        let mut queue: BinaryHeap<Queued> = (0..candidates.len())
            .map(|at| queued(at, &chances, &begun))
            .filter(|queued| queued.density > 0.0)
            .collect();
        while let Some(Queued { density: expected, unit: Unit::Line(_, place) }) = queue.pop() {
            let at = candidates.len() - 1 - place;
            let (candidate, now) = (&candidates[at], queued(at, &chances, &begun));
            if now.density <= 0.0 {
                continue;
            }
            if now.density < expected {
                queue.push(now);
                continue;
            }
            let cost = cost(candidate, &begun);
            if cost > room {
                continue;
            }
            room -= cost;
            names[candidate.names.clone()].iter().for_each(|name| chances[*name as usize] = 0.0);
            shown.insert(candidate.message, candidate.line);
            if begun.insert(candidate.block) {
                let of_block = |at: &usize| candidates[*at].block == candidate.block;
                let before = (0..at).rev().take_while(of_block);
                queue.extend(
                    before
                        .chain((at + 1..candidates.len()).take_while(of_block))
                        .map(|at| queued(at, &chances, &begun)),
                );
            }
        }
        shown
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn read(id: &str, path: &str, text: &str) -> [Value; 2] {
        let call = json!({ "type": "tool_use", "id": id, "name": "Read", "input": { "file_path": path } });
        let result = json!({ "type": "tool_result", "tool_use_id": id, "content": text });
        [json!({ "role": "assistant", "content": [call] }), json!({ "role": "user", "content": [result] })]
    }

    fn conversation(messages: &[Value]) -> Conversation {
        Conversation::parse(&json!(messages).to_string()).unwrap()
    }

    fn shown(all: &Conversation, view: &Conversation, room: f32) -> ShownLines {
        let tools = ToolTable::default();
        let left_out = LeftOut { conversation: all, messages: 1..all.len() - 1, tools: &tools, tokens_per_byte: 0.25 };
        left_out.naming_lines(view, room)
    }

    #[test]
    fn a_line_is_shown_for_names_that_nothing_in_view_has() {
        let file = "     1\tfn parse_due_date(text: &str) {\n     2\t    let x = 1;\n     3\t    day_of_week(text)";
        let mut messages = vec![json!({ "role": "user", "content": "Look." })];
        messages.extend(read("a", "src/day.rs", file));
        messages.push(json!({ "role": "assistant", "content": "I call day_of_week next." }));
        let all = conversation(&messages);
        let view = conversation(&messages[3..]);
        let mut lines = shown(&all, &view, 40.0);
        assert!(lines.take(2, "1\tfn parse_due_date(text: &str) {"), "with the number of its line or without");
        assert!(!lines.take(2, "fn parse_due_date(text: &str) {"), "it is told once");
        assert!(lines.is_empty(), "the other name is in view, and a line without names says nothing");
        assert!(shown(&all, &view, 5.0).is_empty(), "no room");
    }

    #[test]
    fn lines_of_one_result_share_its_head() {
        let mut messages = vec![json!({ "role": "user", "content": "Look." })];
        messages.extend(read("b", "b.rs", "other_name_there();"));
        messages.extend(read("a", "a.rs", "first_name_here();\nsecond_name_here();\nthird_name_here();"));
        messages.push(json!({ "role": "assistant", "content": "Done." }));
        let all = conversation(&messages);
        let mut lines = shown(&all, &conversation(&messages[5..]), 38.0);
        assert!(
            ["first_name_here();", "second_name_here();", "third_name_here();"].iter().all(|line| lines.take(4, line))
        );
        assert!(lines.is_empty());
    }
}
