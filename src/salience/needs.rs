//! Finds the lines that pointers point to. These lines are worth at least as much as the pointers that need them.

use std::ops::Range;

use super::{
    passage::Passage,
    weights::{Origin, Weights},
};
use crate::{
    conversation::{Conversation, TextAt},
    restore::{Decoder, RowKind, RowsOf},
    transcript::Meaning,
};

/// A line with a pointer, and the lines that must be kept for the pointer to resolve.
pub struct PointerLine {
    /// Index of the passage that contains the pointer.
    pub passage: usize,
    /// Index of the line in that passage.
    pub line: usize,
    /// Ranges of lines by passage, all of which must be kept. Lines that are kept anyway are not listed.
    pub needs: Vec<(usize, Range<usize>)>,
}

/// Finds the pointers in `passages`, which are pieces of `texts`, the texts of the conversation. Raises the worth of the
/// lines they point to, at least to the worth of the pointer's own place. Deduplication may have left the only copy in a
/// worse place. `age` returns the age of a message.
pub fn needs_of<'t>(
    conversation: &Conversation,
    texts: &[Vec<TextAt<'t>>],
    passages: &mut [Passage<'t>],
    weights: Weights,
    age: impl Fn(usize) -> usize,
) -> Vec<PointerLine> {
    let flat: Vec<(usize, &TextAt<'_>)> =
        texts.iter().enumerate().flat_map(|(message, texts)| texts.iter().map(move |text| (message, text))).collect();
    let contents: Vec<&str> = flat.iter().map(|(_, text)| text.text).collect();
    let mut decoder = Decoder::of_conversation(conversation, &contents);
    let with_pointers = decoder.texts_with_pointers();
    if with_pointers.is_empty() {
        return Vec::new();
    }
    let passages_of = passages_by_text(&flat, passages);
    let mut found = Vec::new();
    for text in with_pointers {
        let rows = decoder.rows(text);
        for (at, row) in rows.rows.iter().enumerate().filter(|(_, row)| row.kind == RowKind::Pointer) {
            let Some(target) = decoder.target(text, at) else { continue };
            let bytes = bytes_of(&mut decoder, &target);
            let pointer = lines_within(&passages_of[text], passages, &row.range()).into_iter().next();
            // A pointer in a message that is not surveyed counts as much as a line of a read.
            let density = pointer.as_ref().map_or_else(
                || weights.passage(Origin::Result(Meaning::Read), age(flat[text].0)),
                |(passage, lines)| passages[*passage].lines[lines.start].density,
            );
            let needs = lines_within(&passages_of[target.text], passages, &bytes);
            for (passage, lines) in &needs {
                for value in &mut passages[*passage].lines[lines.clone()] {
                    value.density = value.density.max(density);
                }
            }
            found.extend(pointer.map(|(passage, lines)| {
                // The names in the quote are names of the target line. Without that line they are worth nothing.
                let names = &mut passages[passage].lines[lines.start].names;
                names.end = names.start;
                PointerLine { passage, line: lines.start, needs }
            }));
        }
    }
    found
}

/// Returns, for each text, the passages that are pieces of it. Both lists have the same order.
fn passages_by_text(flat: &[(usize, &TextAt<'_>)], passages: &[Passage<'_>]) -> Vec<Range<usize>> {
    let mut next = 0;
    let of_text = |(message, text): &(usize, &TextAt<'_>)| {
        let is_piece = |passage: &Passage<'_>| passage.message == *message && *passage.piece.path == *text.path;
        let first = next;
        while passages.get(next).is_some_and(is_piece) {
            next += 1;
        }
        first..next
    };
    flat.iter().map(of_text).collect()
}

/// Returns the bytes of rows in their text.
fn bytes_of(decoder: &mut Decoder<'_>, rows: &RowsOf) -> Range<usize> {
    let all = decoder.rows(rows.text);
    let rows = &all.rows[rows.rows.clone()];
    rows.first().map_or(0, |row| row.start as usize)..rows.last().map_or(0, |row| row.end as usize)
}

/// Returns the lines of passages that are within these bytes of their text.
fn lines_within(of_text: &Range<usize>, passages: &[Passage<'_>], bytes: &Range<usize>) -> Vec<(usize, Range<usize>)> {
    let lines_of = |index: usize| {
        let passage = &passages[index];
        let start = passage.piece.range.start;
        // An empty line has no bytes, so it is placed by its start.
        let first = passage.lines.partition_point(|value| start + value.line.range.start < bytes.start);
        let end = passage.lines.partition_point(|value| {
            let at = start + value.line.range.start;
            at < bytes.end || at == bytes.start
        });
        (first < end).then_some((index, first..end))
    };
    of_text.clone().filter_map(lines_of).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{
        cancel::Cancel,
        conversation::Conversation,
        salience::{History, Salience, Scope, Survey, scope::Ends},
        tokens::{Encoding, Tally},
        transcript::ToolTable,
    };

    /// Returns twenty lines with different content.
    fn file() -> String {
        (0..20).map(|line| format!("export const setting{line} = compute(\"value {line}\", {line});\n")).collect()
    }

    /// Returns a conversation in which the assistant writes a file and runs a command that prints it. The written
    /// parameter is a pointer to the output.
    fn history() -> Conversation {
        let pointer = "[20 lines as below from \"export const setting0 = compute(\"]\n// the end of the file, in words of its own\nexport const more_of_this_file = the_words_are_long_enough_for_a_text_that_may_be_cut(here, there, everywhere)";
        let messages = json!([
            { "role": "user", "content": "Write it." },
            { "role": "assistant", "content": [
                { "type": "tool_use", "id": "a", "name": "Write", "input": { "file_path": "a.ts", "content": pointer } },
            ] },
            { "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "a", "content": "Written." }] },
            { "role": "assistant", "content": [{ "type": "tool_use", "id": "b", "name": "Bash", "input": { "command": "cat a.ts" } }] },
            { "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "b", "content": format!("$ cat a.ts\n{}done", file()) }] },
            { "role": "assistant", "content": "Done." },
        ]);
        Conversation::parse(&messages.to_string()).unwrap()
    }

    fn with_survey(conversation: &Conversation, of: impl FnOnce(&Survey<'_>)) {
        let (tally, tools) =
            (Tally::count(conversation, Encoding::default(), &Cancel::new()).unwrap(), ToolTable::default());
        let scope = Scope {
            conversation,
            tally: &tally,
            tools: &tools,
            zone: 1..5,
            older: 1..5,
            ends: Ends::Stay,
            before: None,
            most_words: usize::MAX,
            most_said: 0,
            most_shown: usize::MAX,
            most_pasted: usize::MAX,
            weights: Weights::default(),
        };
        of(&Survey::new(&scope, &conversation.texts()));
    }

    #[test]
    fn what_a_pointer_leads_to_is_worth_what_stands_for_it() {
        with_survey(&history(), |survey| {
            let [pointer] = &survey.pointers[..] else { panic!("{}", survey.pointers.len()) };
            let written = &survey.passages[pointer.passage].lines[pointer.line];
            let [(passage, lines)] = &pointer.needs[..] else { panic!("{:?}", pointer.needs) };
            assert_eq!(*lines, 1..21);
            let printed = &survey.passages[*passage].lines;
            assert!(
                printed[0].density < written.density,
                "the output of a command is worth less than what was written"
            );
            assert!(printed[lines.clone()].iter().all(|line| line.density == written.density));
        });
    }

    #[test]
    fn no_pointer_stays_without_what_it_leads_to() {
        let conversation = history();
        let tally = Tally::count(&conversation, Encoding::default(), &Cancel::new()).unwrap();
        let history = History {
            conversation: &conversation,
            original: &conversation,
            tally: &tally,
            tools: &ToolTable::default(),
            cancel: &Cancel::new(),
        };
        let mut seen = [false; 2];
        for budget in (20..tally.total()).step_by(10).chain([2 * tally.total()]) {
            let kept = Salience::all_signals(1).within(history, budget).unwrap();
            let after = conversation.apply(&kept.plan).unwrap();
            let text = serde_json::to_string(&after.messages().collect::<Vec<_>>()).unwrap();
            let leads = text.contains("lines as below");
            seen[usize::from(leads)] = true;
            assert!(!leads || text.contains("setting0 ") && text.contains("setting19 "), "{budget}: {text}");
        }
        assert_eq!(seen, [true, true]);
    }
}
