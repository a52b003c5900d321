//! Matches the rows of a text to the rows of its earlier version.

use crate::{
    maps::HashMap,
    restore::rows::{Row, Rows, numbered},
};

/// Returns, for each row of a text, the matching row of the earlier text, if any.
pub(super) fn matched(now: &str, rows: &Rows, was: &str, old: &Rows) -> Vec<Option<usize>> {
    let mut places: HashMap<&str, Vec<usize>> = HashMap::default();
    for (at, row) in old.rows.iter().enumerate() {
        places.entry(&was[row.content_range()]).or_default().push(at);
    }
    let contents = |row: usize| rows.rows.get(row).map(|row| [&now[row.content_range()], &now[row.range()]]);
    // Below a heading whose earlier lines were removed, numbers differ from the expected ones and are read as content.
    let numbered = |row: usize| numbered(&now[rows.rows.get(row)?.range()]);
    let is_numbered = |(number, content): (u32, &str), old_row: &Row| {
        let excerpt = old.excerpts.get(old_row.excerpt as usize);
        content == &was[old_row.content_range()]
            && excerpt.is_some_and(|excerpt| excerpt.number_of(old_row.line) == number)
    };
    let is_same = |row: usize, at: usize| {
        let (Some(contents), Some(old)) = (contents(row), old.rows.get(at)) else { return false };
        contents.contains(&&was[old.content_range()]) || numbered(row).is_some_and(|line| is_numbered(line, old))
    };
    let mut next = 0;
    let mut matched: Vec<Option<usize>> = Vec::with_capacity(rows.rows.len());
    for row in 0..rows.rows.len() {
        // After a line that is new, rows may be left out, so the next old row need not be the match.
        let is_behind_note = matched.last().is_some_and(Option::is_none);
        if !is_behind_note && is_same(row, next) {
            matched.push(Some(next));
            next += 1;
            continue;
        }
        let behind_number = numbered(row).map(|(_, content)| content);
        let known = contents(row).into_iter().flatten().chain(behind_number).find_map(|content| places.get(content));
        let candidates = known.map_or(&[][..], |places| &places[places.partition_point(|place| *place < next)..]);
        // Among identical lines, prefers the line with the same neighbours, then the line at the number that the note
        // before it gives.
        let is_end = |row: usize, at: usize| row == rows.rows.len() && at == old.rows.len();
        let goes_on = |place: usize| {
            (1..8).take_while(|by| is_same(row + by, place + by) || is_end(row + by, place + by)).count()
        };
        let noted =
            row.checked_sub(1).filter(|_| is_behind_note).and_then(|note| number_in(&now[rows.rows[note].range()]));
        let is_noted = |place: usize| noted.is_some_and(|lines| next.checked_add(lines) == Some(place));
        // A blank line could be any blank line, unless a neighbour matches too.
        let is_blank = contents(row).is_some_and(|[content, _]| content.trim().is_empty());
        let candidates = candidates.iter().filter(|place| is_same(row, **place));
        let candidates =
            candidates.filter(|place| !is_blank || (**place == next && !is_behind_note) || goes_on(**place) > 0);
        let best =
            candidates.take(32).max_by_key(|place| (goes_on(**place), is_noted(**place), std::cmp::Reverse(**place)));
        next = best.map_or(next, |place| place + 1);
        matched.push(best.copied());
    }
    matched
}

/// Returns the first number in a line.
fn number_in(line: &str) -> Option<usize> {
    let digits = line.split(|c: char| !c.is_ascii_digit()).find(|digits| !digits.is_empty())?;
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rows_of(now: &str, was: &str) -> Vec<Option<usize>> {
        matched(now, &Rows::read(now), was, &Rows::read(was))
    }

    #[test]
    fn a_line_is_the_one_whose_neighbours_it_has() {
        assert_eq!(rows_of("a\nb\nc", "a\nb\nc"), [Some(0), Some(1), Some(2)]);
        assert_eq!(rows_of("a\n... (2 more lines)\nd", "a\nb\nc\nd"), [Some(0), None, Some(3)]);
        assert_eq!(rows_of("a\nd\nb", "a\nb\nc\nd"), [Some(0), Some(3), None], "never backwards");
        assert_eq!(rows_of("a\n... (3 more lines)\n}\ne", "a\n}\nb\n}\ne\n}"), [Some(0), None, Some(3), Some(4)]);
        assert_eq!(
            rows_of("a\n... (4 more lines)\n}", "a\n}\nb\n}\ne\n}"),
            [Some(0), None, Some(5)],
            "both end the text"
        );
    }

    #[test]
    fn where_no_neighbour_tells_a_line_is_the_one_that_the_note_before_it_says() {
        let was = "a\n}\nb\n}\n}\nc";
        assert_eq!(rows_of("a\n... (2 more lines)\n}\nx", was), [Some(0), None, Some(3), None]);
        assert_eq!(rows_of("a\n... (3 more lines)\n}\nx", was), [Some(0), None, Some(4), None]);
        assert_eq!(rows_of("a\n...\n}\nx", was), [Some(0), None, Some(1), None], "the first, where nothing says");
    }

    #[test]
    fn a_blank_line_is_none_without_a_neighbour() {
        assert_eq!(rows_of("a\n...\n\nc", "a\nb\n\nc"), [Some(0), None, Some(2), Some(3)]);
        assert_eq!(rows_of("a\n...\n\nz", "a\nb\n\nc"), [Some(0), None, None, None]);
        assert_eq!(rows_of("a\n\nz", "a\n\nc"), [Some(0), Some(1), None]);
    }

    proptest! {
        #[test]
        fn matching_rows_have_the_same_content_in_the_same_order(
            was in prop::collection::vec("[abc]|     [1-3]→[ab]|", 1..12),
            now in prop::collection::vec("[abc]|     [1-3]→[ab]|\\[… 2 lines left out\\]|", 1..12),
        ) {
            let (now, was) = (now.join("\n"), was.join("\n"));
            let (rows, old) = (Rows::read(&now), Rows::read(&was));
            let matches = matched(&now, &rows, &was, &old);
            let found: Vec<(usize, usize)> = matches.iter().enumerate().filter_map(|(row, at)| Some((row, (*at)?))).collect();
            prop_assert!(found.is_sorted_by(|(_, before), (_, after)| before < after), "{found:?}");
            for (row, at) in found {
                let (row, old_row) = (rows.rows[row], old.rows[at]);
                let content = &was[old_row.content_range()];
                let line = &now[row.range()];
                let behind_number = || {
                    let excerpt = old.excerpts.get(old_row.excerpt as usize)?;
                    numbered(line).filter(|(number, _)| *number == excerpt.number_of(old_row.line))
                };
                let is_same = [line, &now[row.content_range()]].contains(&content) || behind_number().is_some_and(|(_, rest)| rest == content);
                prop_assert!(is_same, "{line} is not {content}");
            }
        }
    }

    #[test]
    fn rows_that_are_left_keep_their_places() {
        let lines: Vec<String> = (0..20).map(|number| format!("line {number}")).collect();
        let was = lines.join("\n");
        for (from, to) in [(0, 3), (1, 2), (5, 15), (10, 20), (0, 20)] {
            let now = [&lines[..from], &["[…]".to_owned()], &lines[to..]].concat().join("\n");
            let wanted: Vec<Option<usize>> = (0..from).map(Some).chain([None]).chain((to..20).map(Some)).collect();
            assert_eq!(rows_of(&now, &was), wanted, "{from}..{to}");
        }
    }
}
