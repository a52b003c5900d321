//! Selects lines of left-out results that keep names readable. The best lines contain the most names that are likely to
//! be used again and that no other visible text contains.

use std::{collections::BinaryHeap, ops::Range};

use super::{
    found_names::FoundNames,
    name_table::NameTable,
    queue::{Queued, Unit},
    weights::{Weights, as_float},
};
use crate::{
    conversation::{ContentKind, Conversation, lines_in},
    story::{ShownLines, content, quoted_answer, story_blocks},
    transcript::{PieceSource, ToolTable, decompose, with_texts},
};

/// Tokens of the sign before a line and of the line end.
const SIGNS: f32 = 3.0;
/// Tokens of an entry's head. They are added to the cost of the entry's first line.
const HEAD: f32 = 12.0;
/// Maximum bytes of a line. Longer lines are data, or would take the budget of many.
const MAX_LINE: usize = 240;

/// The lines of a conversation that may be shown when their messages are left out.
pub struct NamingLines<'a> {
    conversation: &'a Conversation,
    /// The names of the conversation.
    table: NameTable<'a>,
    /// The lines, in order.
    candidates: Vec<Candidate<'a>>,
    /// Numbers of the names in all lines, in order.
    names: Vec<u32>,
    /// Average tokens per byte.
    tokens_per_byte: f32,
}

/// A line that may be shown.
struct Candidate<'t> {
    message: usize,
    /// The number of its result or story, counted from 1.
    block: usize,
    line: &'t str,
    /// Bytes of its content.
    length: usize,
    /// The range of its names in the list of occurrences.
    names: Range<usize>,
}

impl<'a> NamingLines<'a> {
    /// Finds the names of the conversation, and the lines of these messages that contain some.
    pub fn new(
        conversation: &'a Conversation,
        tools: &ToolTable,
        messages: &Range<usize>,
        tokens_per_byte: f32,
    ) -> Self {
        let texts = conversation.texts();
        let pieces = decompose(conversation, tools);
        let mut table = NameTable::default();
        let (mut candidates, mut names) = (Vec::<Candidate<'_>>::new(), Vec::new());
        let mut block = 0;
        let found = FoundNames::of_all(conversation, &pieces);
        for (message, (pieces, found)) in pieces.iter().zip(&found).enumerate() {
            let pins = &conversation.entries()[message].pins;
            let may_be_shown = |block: usize| messages.contains(&message) && !pins.holds(block);
            let stories = story_blocks(conversation, message);
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
                for line in lines_in(text) {
                    let end = line.as_bytes().as_ptr_range().end as usize - text.as_ptr() as usize;
                    let start = names.len();
                    while let Some(name) = found.next_if(|name| name.start() < end) {
                        names.push(table.add_found(name, text, message, is_use));
                    }
                    let shown = if is_story { quoted_answer(line) } else { Some(line) };
                    let names = start..names.len();
                    if let Some(line) = shown.filter(|line| !names.is_empty() && line.len() <= MAX_LINE) {
                        let length = content(line).len();
                        candidates.push(Candidate { message, block, line, length, names });
                    }
                }
            }
        }
        Self { conversation, table, candidates, names, tokens_per_byte }
    }

    /// Returns the lines to show within `room` tokens when the messages before `end` are left out, beside the text of
    /// `view`. The worth of a line is the chance that its names are used again. Each name counts once.
    pub fn best(mut self, end: usize, view: &Conversation, room: f32) -> ShownLines {
        view.texts().iter().flatten().for_each(|text| self.table.stay_known(text.text));
        self.candidates.truncate(self.candidates.partition_point(|candidate| candidate.message < end));
        let weights = Weights::default();
        let chances = self.table.facts.iter().map(|facts| weights.name(facts, self.conversation.len())).collect();
        self.most_worth(chances, room)
    }

    /// Takes the line with the most worth per token, repeatedly. Names in a taken line are worth nothing in later ones.
    fn most_worth(&self, mut chances: Vec<f32>, mut room: f32) -> ShownLines {
        let Self { candidates, names, .. } = self;
        let mut shown = ShownLines::default();
        // Whether the entry of each block has a line.
        let mut begun = vec![false; candidates.last().map_or(0, |last| last.block + 1)];
        let cost = |candidate: &Candidate<'_>, begun: &[bool]| {
            let head = if begun[candidate.block] { 0.0 } else { HEAD };
            head + SIGNS + as_float(candidate.length) * self.tokens_per_byte
        };
        let queued = |at: usize, chances: &[f32], begun: &[bool]| {
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
            if !std::mem::replace(&mut begun[candidate.block], true) {
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
        NamingLines::new(all, &tools, &(1..all.len() - 1), 0.25).best(all.len() - 1, view, room)
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
