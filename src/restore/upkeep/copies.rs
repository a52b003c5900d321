//! Finds other copies of the lines that a pointer represented.

use super::{
    draft::{Draft, Wrong},
    lines::{Lines, Meaning},
};
use crate::{
    maps::{HashMap, HashSet},
    markers::{Direction, MAX_QUOTE_BYTES, Pointer, Reference, quote_of},
    restore::{
        decoder::RowsOf,
        quotes::{LinePlace, QuotedLines},
        rows::RowKind,
    },
};

/// Maximum number of places beginning with the same line that are examined for another copy.
const MAX_COPIES: usize = 8;

/// Returns pointers to other copies of the lines that wrong pointers represented, by their index in `wrong`.
pub(super) fn copies(
    wrong: &[Wrong],
    drafts: &[Draft<'_>],
    lines: &mut Lines<'_>,
    was: &mut Lines<'_>,
) -> HashMap<usize, String> {
    let contents = lines.contents;
    // For each wrong pointer: the first line it represented, all its lines, and its direction.
    let meanings: Vec<Option<(&str, &Meaning, Direction)>> = wrong
        .iter()
        .map(|wrong| {
            let pointer = drafts[wrong.draft].pointer(wrong.item)?;
            let Some(Pointer::Reference(Reference { direction, .. })) = Pointer::read(&pointer.written) else {
                return None;
            };
            let meaning = pointer.meaning.as_ref()?;
            let RowsOf { text, rows } = &meaning.target;
            Some((
                *was.contents(&RowsOf { text: *text, rows: rows.start..rows.start + 1 }).first()?,
                meaning,
                direction,
            ))
        })
        .collect();
    let mut wanted: HashMap<&str, Vec<LinePlace>> =
        meanings.iter().flatten().map(|(first, ..)| (*first, Vec::new())).collect();
    if wanted.is_empty() {
        return HashMap::default();
    }
    // A line that is too short for a quote has no copy to which a pointer could lead.
    for place in QuotedLines::find(wanted.keys().map(|line| beginning(line)), contents).all() {
        let rows = &lines.decoder.rows(place.text).rows;
        let row = rows.get(rows.partition_point(|row| (row.start as usize) < place.start));
        if let Some(row) = row.filter(|row| row.kind == RowKind::Line)
            && let Some(places) = wanted.get_mut(&contents[place.text][row.content_range()])
            && places.len() < MAX_COPIES
        {
            places.push(place);
        }
    }
    let mut proposed: Vec<(usize, LinePlace, LinePlace, &str)> = Vec::new();
    for (number, (wanted_lines, wrong)) in meanings.iter().zip(wrong).enumerate() {
        let Some((first, meaning, _)) = wanted_lines else { continue };
        let draft = &drafts[wrong.draft];
        let from = LinePlace { text: draft.text, start: wrong.start };
        for place in wanted.get(first).into_iter().flatten() {
            let rows = lines.decoder.rows(place.text);
            let start = rows.rows.partition_point(|row| (row.start as usize) < place.start);
            let copy = RowsOf { text: place.text, rows: start..start + meaning.target.rows.len() };
            if rows.are_lines(&copy.rows) && lines.hash(&copy) == meaning.hash {
                let quotes: HashSet<&str> =
                    [20, 40, 80, MAX_QUOTE_BYTES].iter().filter_map(|least| quote_of(first, *least)).collect();
                proposed.extend(quotes.into_iter().map(|quote| (number, from, *place, quote)));
            }
        }
    }
    // Prefer the shortest quote that resolves to the copy.
    proposed.sort_by_key(|(number, _, place, quote)| (*number, quote.len(), *place));
    let quoted = QuotedLines::find(proposed.iter().map(|(.., quote)| *quote), contents);
    let mut found = HashMap::default();
    for (number, from, place, quote) in proposed {
        let direction = if place < from { Direction::Above } else { Direction::Below };
        // A pointer to lines below it survives when the host drops messages from the beginning, so it must keep
        // pointing down.
        let may_lead = |old: Direction| old == Direction::Above || direction == Direction::Below;
        if quoted.nearest(quote, from, direction) == Some(place)
            && let Some((_, meaning, _)) = meanings[number].filter(|(.., old)| may_lead(*old))
            && let Ok(lines) = u32::try_from(meaning.target.rows.len())
        {
            let pointer = Pointer::Reference(Reference { lines, direction, quote }).to_string();
            found.entry(number).or_insert(pointer);
        }
    }
    found
}

/// Returns the longest quote of a line, from where one may begin.
fn beginning(line: &str) -> &str {
    let line = line.trim_start_matches([' ', '\t']);
    let end = (0..=MAX_QUOTE_BYTES.min(line.len())).rev().find(|end| line.is_char_boundary(*end));
    &line[..end.unwrap_or_default()]
}
