//! Splits a text into lines that can be kept or dropped.

use std::ops::Range;

use crate::{
    conversation::{NumberStyle, near_bytes},
    markers::{Gap, LeftOut, LineGap, More, NoteLine, Pointer, SummaryHead, Suppressed, notes_in_line},
};

/// Maximum bytes of a line. Longer lines are split into parts, because otherwise a very long line could only be kept or
/// dropped whole.
const MAX_LINE_BYTES: usize = 480;
/// Approximate bytes of each part of a split line.
const PART: usize = 240;

/// Maximum number of notes that are always kept. A text with more consists mostly of notes, so the others may be
/// dropped like other lines.
const MAX_STAYING: usize = 8;

/// A line, or a part of a long one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The line's bytes in the text, without the line end.
    pub range: Range<usize>,
    /// Offset of the content, after a line number if the line shows one.
    pub content: usize,
    /// The line's number: the one that the text shows, or one counted from `Place::first`.
    pub number: usize,
    /// True if the number is certain: a reader would take it for the line's number.
    pub is_certain: bool,
    /// The style in which the line would show its number. `None` if no heading above the line gives a style, or if the
    /// line shows a number.
    pub headed: Option<NumberStyle>,
    /// The number of original lines it represents: 1 for a line, more for a pointer or a gap, 0 for a heading.
    pub lines: usize,
    /// True for a later part of a split line, which continues the previous `Line`.
    pub continues: bool,
    /// True if the line is a gap marker. Gap markers are always dropped, and their count is added to the new gap.
    pub is_gap: bool,
    /// True if the line is always kept. Such lines cost next to nothing: notes that cannot be added to a gap, and the
    /// empty remainder of a line that another piece contains. `reading` adds the line of a result that reports failure,
    /// and the first and last line of a host's text.
    pub stays: bool,
}

/// The position of a text in a longer text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The number of the first line.
    pub first: usize,
    /// True if the first line began before the text.
    pub continues: bool,
    /// True if the last line continues after the text.
    pub goes_on: bool,
}

impl Place {
    /// A text that is not part of a longer one.
    #[cfg(test)]
    pub const ALONE: Self = Self { first: 1, continues: false, goes_on: false };

    /// Returns the place of the bytes `range` of `whole`, whose first line has the number `first`.
    pub fn within(whole: &str, range: &Range<usize>, first: usize) -> Self {
        let rest = &whole[range.end..];
        let continues = range.start > 0 && !whole[..range.start].ends_with('\n');
        Self { first, continues, goes_on: !rest.is_empty() && !rest.starts_with(['\n', '\r']) }
    }
}

/// The lines of a text.
#[derive(Debug, Clone)]
pub struct Lines {
    /// The lines, in order.
    pub lines: Vec<Line>,
    /// True if most lines show a number in a read tool's style.
    pub numbered: bool,
    /// The number of the line on which the text after this one begins.
    pub last: usize,
}

/// The clues to the number of one line.
struct Row {
    range: Range<usize>,
    /// The number that a read tool put before the line, and the width of this prefix in bytes.
    shown: Option<(usize, usize)>,
    /// The line's number, in any style.
    number: Option<usize>,
    style: Option<NumberStyle>,
    /// The line numbers of a gap.
    gap: Option<LineGap>,
    /// The number of lines below that a heading covers; 0 if the line is no heading.
    heads: usize,
    lines: usize,
    is_gap: bool,
    /// True for a gap with a count but without line numbers, and for replaced state of unknown length.
    is_count: bool,
    stays: bool,
}

impl Row {
    fn read(text: &str, range: Range<usize>) -> Self {
        let line = &text[range.clone()];
        let note = NoteLine::read(line);
        let shown = shown_number(line);
        let content = &line[shown.map_or(0, |(_, length)| length)..];
        let is_gap = note.is_some() && (Gap::read(content).is_some() || More::read(content).is_some());
        let (is_first, is_last) = (range.start == 0, range.end == text.len());
        // The number of lines that were cut off after the text's end is unknown.
        let is_cut_off = || is_last && line.len() <= MAX_LINE_BYTES && More::characters_at_end(line).is_some();
        let stays = match note {
            Some(NoteLine::Messages) => is_last,
            Some(_) if LeftOut::read(line).is_some() => true,
            Some(_) if is_first => Suppressed::read(line).is_some() || SummaryHead::read(line).is_some(),
            _ => is_cut_off(),
        };
        let heads = match note.and_then(|_| Pointer::read(content)) {
            Some(Pointer::Sparse { lines }) => lines as usize,
            _ => 0,
        };
        let gap = match Gap::read(line) {
            Some(Gap::Lines(gap)) => Some(gap),
            _ => None,
        };
        let is_messages = matches!(note, Some(NoteLine::Messages));
        let numbered = NumberStyle::read(line.as_bytes());
        Self {
            number: numbered.map(|(number, ..)| number as usize),
            style: numbered.map(|(_, style, _)| style),
            shown,
            gap,
            heads,
            lines: match note {
                Some(NoteLine::Messages) => usize::from(!is_last),
                Some(NoteLine::Lines(lines)) => lines,
                Some(NoteLine::Unknown) | None => 1,
            },
            is_gap: is_gap && !is_messages,
            is_count: matches!(Gap::read(content), Some(Gap::Elsewhere(_)))
                || (note == Some(NoteLine::Unknown) && !is_first),
            stays,
            range,
        }
    }
}

impl Row {
    /// Makes the number that the line shows part of its content.
    fn forget_number(&mut self) {
        (self.number, self.shown, self.style) = (None, None, None);
    }
}

impl Lines {
    /// Splits `text`.
    pub fn split(text: &str, place: Place) -> Self {
        let ends = near_bytes::find_all(b'\n', text.as_bytes()).chain(std::iter::once(text.len()));
        let mut start = 0;
        let mut rows: Vec<Row> = ends.map(|end| Row::read(text, std::mem::replace(&mut start, end + 1)..end)).collect();
        forget_tables(&mut rows);
        forget_other_styles(text, &mut rows);
        forget_chance_numbers(&mut rows);
        rows.iter_mut().filter(|row| row.stays).skip(MAX_STAYING).for_each(|row| row.stays = false);
        let shown = rows.iter().filter(|row| row.shown.is_some()).count();
        let numbered = shown >= 4 && shown * 10 > rows.len() * 6;
        let counted = if shows_numbers(&rows) { None } else { counted(&rows, place.first) };
        let numbers = counted.unwrap_or_else(|| shown_numbers(&rows));
        let last = rows.len() - 1;
        let mut lines = Vec::with_capacity(rows.len());
        for (index, (row, LineNumber { number, is_certain, headed })) in rows.into_iter().zip(&numbers).enumerate() {
            let is_partial = (index == 0 && place.continues) || (index == last && place.goes_on);
            let line = Line {
                content: row.range.start + row.shown.filter(|_| numbered).map_or(0, |(_, length)| length),
                number: *number,
                is_certain: *is_certain,
                headed: *headed,
                lines: row.lines,
                continues: index == 0 && place.continues,
                is_gap: row.is_gap,
                stays: row.stays || (is_partial && row.range.is_empty()),
                range: row.range,
            };
            push_parts(text, line, &mut lines);
        }
        Self { lines, numbered, last: numbers.last().map_or(place.first, |last| last.number) }
    }
}

/// The number of a line, and how certain it is.
struct LineNumber {
    number: usize,
    is_certain: bool,
    headed: Option<NumberStyle>,
}

/// Returns true if the text shows line numbers, so that a reader takes a gap's numbers for line numbers.
fn shows_numbers(rows: &[Row]) -> bool {
    let shown = rows.iter().filter(|row| row.number.is_some()).count();
    // If an earlier truncation removed most numbers, the first line still shows its own, and the gaps agree with it.
    let mut next = None;
    let agrees = |row: &Row| {
        let anchor = row.gap.map(|gap| gap.first).or(row.number);
        let agrees = anchor.is_some() && anchor == next;
        next = anchor.or(next).map(|number| number.saturating_add(row.lines));
        agrees
    };
    (shown >= 3 && shown * 10 >= rows.len())
        || rows.iter().any(|row| row.heads > 0 && row.number.is_some())
        || rows.first().is_some_and(|row| row.shown.is_some())
        || rows.windows(2).any(|pair| pair[0].is_gap && pair[1].shown.is_some())
        || (shown > 0 && rows.iter().any(agrees))
}

/// Discards a first column of numbers if most of them do not increase by one, because the text is then a table.
fn forget_tables(rows: &mut [Row]) {
    const MIN_PAIRS: usize = 3;
    if rows.iter().any(|row| row.heads > 0) {
        return;
    }
    let shown = |row: &Row| row.shown.map(|(number, _)| number);
    let pairs = rows.windows(2).filter_map(|pair| Some((shown(&pair[0])?, shown(&pair[1])?)));
    let (all, on) = pairs.fold((0, 0), |(all, on), (one, next)| (all + 1, on + usize::from(one + 1 == next)));
    if all >= MIN_PAIRS && on * 2 < all {
        for row in rows.iter_mut().filter(|row| row.shown.is_some()) {
            row.forget_number();
        }
    }
}

/// Discards numbers below a heading that are in another style than the heading's, because they are content.
fn forget_other_styles(text: &str, rows: &mut [Row]) {
    let (mut headed, mut style): (usize, Option<NumberStyle>) = (0, None);
    for row in rows {
        if row.heads > 0 {
            (headed, style) = (row.heads, row.style);
        } else if headed > 0
            && let Some(style) = style
        {
            // A longer number takes more columns in the same style, so the line itself is tested.
            if !style.is_shown(&text.as_bytes()[row.range.clone()]) {
                row.forget_number();
            }
            headed = headed.saturating_sub(row.lines);
        }
    }
}

/// Discards numbers that are there by chance, such as in a line that begins with `12:30`. A number is kept if it
/// follows from a neighbour's, or is in a read tool's style.
fn forget_chance_numbers(rows: &mut [Row]) {
    let mut before = None;
    for index in 0..rows.len() {
        let number = rows[index].number;
        let next = rows.get(index + 1).and_then(|row| row.number);
        let counts = number.is_some_and(|number| next == Some(number + 1) || before == number.checked_sub(1));
        if !counts && rows[index].shown.is_none() && rows[index].heads == 0 {
            rows[index].number = None;
        }
        before = number;
    }
}

/// Numbers the lines from `first`. A note counts as the lines that it represents. Returns `None` if a gap contradicts
/// the count, because the text then showed numbers before it was cut.
fn counted(rows: &[Row], first: usize) -> Option<Vec<LineNumber>> {
    let mut numbers: Vec<LineNumber> = Vec::with_capacity(rows.len());
    let (mut next, mut is_certain) = (first, true);
    for row in rows {
        match row.gap {
            Some(gap) if gap.first != next => return None,
            Some(_) => {
                numbers.iter_mut().for_each(|line| line.is_certain = true);
                is_certain = true;
            }
            None => {}
        }
        // A gap has a count instead of numbers if the numbers were unknown when the gap was written.
        is_certain &= !row.is_count;
        numbers.push(LineNumber { number: next, is_certain, headed: None });
        next = next.saturating_add(row.lines);
    }
    Some(numbers)
}

/// Derives all numbers from the shown ones. A line between two shown numbers that agree gets its number by position. A
/// line after the last shown number may not belong to the file, such as a host's note. Its number is therefore not
/// certain.
fn shown_numbers(rows: &[Row]) -> Vec<LineNumber> {
    let mut numbers: Vec<LineNumber> = Vec::with_capacity(rows.len());
    // `uncertain` is the index of the first row after the last certain one. `headed` is the number of lines that the
    // current heading still covers.
    let (mut next, mut uncertain, mut headed, mut style) = (None, 0, 0_usize, None);
    for (index, row) in rows.iter().enumerate() {
        let anchor = row.gap.map(|gap| gap.first).or(row.number);
        let number = anchor.or(next).unwrap_or(0);
        let is_headed = anchor.is_none() && headed > 0 && next.is_some();
        let is_certain = anchor.is_some() || is_headed;
        if is_certain {
            // If a shown number before this row agrees with the row's number, the rows between are certain.
            if next == Some(number) {
                numbers[uncertain..].iter_mut().for_each(|line| line.is_certain = true);
            }
            uncertain = index + 1;
        }
        let is_shown = row.number.is_some() || row.is_gap;
        numbers.push(LineNumber { number, is_certain, headed: style.filter(|_| is_headed && !is_shown) });
        if row.heads > 0 {
            (headed, style) = (row.heads, row.style);
        } else {
            headed = headed.saturating_sub(row.lines);
        }
        next = if is_certain || next.is_some() { Some(number.saturating_add(row.lines)) } else { None };
    }
    numbers
}

/// Returns the number that a read tool put before a line (`  12\t`, `  12→`, ` 12 | `), and the width of this prefix in
/// bytes.
pub fn shown_number(line: &str) -> Option<(usize, usize)> {
    let bytes = line.as_bytes();
    let blanks = bytes.iter().take(12).take_while(|byte| **byte == b' ').count();
    let digits = bytes[blanks..].iter().take(9).take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 {
        return None;
    }
    let end = blanks + digits;
    let number = line[blanks..end].parse().ok()?;
    let rest = &line[end..];
    let separator = ["\t", "→", " | "].into_iter().find(|separator| rest.starts_with(separator))?;
    Some((number, end + separator.len()))
}

fn push_parts(text: &str, line: Line, lines: &mut Vec<Line>) {
    if line.range.len() <= MAX_LINE_BYTES {
        lines.push(line);
        return;
    }
    let notes: Vec<Range<usize>> = notes_in_line(&text[line.range.clone()])
        .map(|(note, _)| line.range.start + note.start..line.range.start + note.end)
        .collect();
    let mut start = line.range.start;
    while start < line.range.end {
        let end = part_end(text, start, line.range.end);
        // A part never ends inside a note.
        let end = notes.iter().find(|note| note.start < end && end < note.end).map_or(end, |note| note.end);
        let first = start == line.range.start;
        lines.push(Line {
            range: start..end,
            content: if first { line.content } else { start },
            continues: line.continues || !first,
            lines: if first { line.lines } else { 0 },
            ..line.clone()
        });
        start = end;
    }
}

/// Returns the end of the part that starts at `start`: after a blank or a separator, if one is near.
fn part_end(text: &str, start: usize, end: usize) -> usize {
    if end - start <= PART + PART / 2 {
        return end;
    }
    let bytes = text.as_bytes();
    let window = start + PART / 2..start + PART;
    let separator = bytes[window.clone()].iter().rposition(|byte| matches!(byte, b' ' | b',' | b';' | b'}' | b'>'));
    let mut at = separator.map_or(window.end, |at| window.start + at + 1);
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at.min(end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_are_read_where_a_tool_wrote_them() {
        let text = "    7→fn main() {\n    8→    run();\n    9→}\n   10→\n";
        let lines = Lines::split(text, Place::ALONE);
        assert!(lines.numbered);
        let read: Vec<_> =
            lines.lines[..3].iter().map(|line| (line.number, &text[line.content..line.range.end])).collect();
        assert_eq!(read, [(7, "fn main() {"), (8, "    run();"), (9, "}")]);
    }

    #[test]
    fn markers_carry_the_numbers_on() {
        let lines = Lines::split("a\n[…2-9]\nb", Place::ALONE);
        assert_eq!(lines.lines.iter().map(|line| line.number).collect::<Vec<_>>(), [1, 2, 10]);
    }

    /// Returns the number of each line, followed by `?` if it is not certain, and by `+` if a heading gives it.
    fn numbers(text: &str) -> String {
        let told = |line: &Line| {
            let of_heading = if line.headed.is_some() { "+" } else { "" };
            format!("{}{}{of_heading}", line.number, if line.is_certain { "" } else { "?" })
        };
        Lines::split(text, Place::ALONE).lines.iter().map(told).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_number_is_certain_where_a_reader_would_take_it_for_that() {
        for (text, expected) in [
            // Without shown numbers, the lines are counted.
            ("a\nb\nc", "1 2 3"),
            ("12:30 start\nx\n12:45 stop", "1 2 3"),
            // A gap with a count means that the numbers were unknown. A gap with numbers that agree means that they
            // were known.
            ("a\n[… 3 lines left out]\nb", "1 2? 5?"),
            ("a\n[… 3 lines left out]\nb\n[…6-9]\nc", "1 2 5 6 10"),
            // A gap that disagrees with the count means that the text showed numbers before it was cut.
            ("a\n[…5-9]\nb", "0? 5 10?"),
            ("a\nb\n[…5-9]\nc\nd\n[…12-20]\ne", "0? 0? 5 10 11 12 21?"),
            // Shown numbers.
            ("7:a\n8:b\nc", "7 8 9?"),
            ("7→a\nb\n9→c\nd\n20→e\nf", "7 8 9 10? 20 21?"),
            ("[…1-6]\n7→a\nb", "1 7 8?"),
            // A table, whose numbers rarely increase by one.
            ("4\ta\n9\tb\n2\tc\n7\td", "1 2 3 4"),
            ("4\ta\n9\tb\n2\tc", "4 9 2"),
            ("1\ta\n2\tb\n9\tc\n10\td\n3\te", "1 2 9 10 3"),
            ("1\ta\n2\tb\n9\tc\n4\td\n3\te", "1 2 3 4 5"),
            // Lines below a heading.
            ("     8→[4 lines, every 10th numbered:]\na\nb\n    10→c\nd\ne", "8 8+ 9+ 10 11+ 12?"),
            ("     8→[4 lines, every 10th numbered:]\na\n30 | b\n[… 2 lines left out]\nc", "8 8+ 9+ 10 12?"),
        ] {
            assert_eq!(numbers(text), expected, "{text}");
        }
    }

    #[test]
    fn a_text_shows_numbers_if_most_of_its_lines_and_at_least_four_do() {
        let text = |shown: usize, all: usize| {
            let line = |at: usize| if at < shown { format!("{}→x", at + 1) } else { "x".to_owned() };
            (0..all).map(line).collect::<Vec<_>>().join("\n")
        };
        for (shown, all, expected) in
            [(3, 3, false), (4, 4, true), (4, 6, true), (4, 7, false), (6, 10, false), (7, 11, true)]
        {
            assert_eq!(Lines::split(&text(shown, all), Place::ALONE).numbered, expected, "{shown} of {all}");
        }
    }

    #[test]
    fn what_says_that_lines_are_missing_is_a_gap_and_what_says_how_a_text_ends_stays() {
        let text = "[…1-6]\na\n[2 lines as below from \"quote\"]\n... (3 more lines)\nthe end... (9 more characters)";
        let told = |line: &Line| (line.lines, line.is_gap, line.stays);
        let lines = Lines::split(text, Place::ALONE).lines;
        assert_eq!(
            lines.iter().map(told).collect::<Vec<_>>(),
            [(6, true, false), (1, false, false), (2, false, false), (3, true, false), (1, false, true)]
        );
    }

    #[test]
    fn a_long_line_is_taken_apart_at_a_blank_and_never_in_a_note() {
        let parts = |text: &str| {
            let lines = Lines::split(text, Place::ALONE).lines;
            lines.iter().map(|line| (line.range.len(), line.lines, line.continues)).collect::<Vec<_>>()
        };
        let of = |bytes: usize| "a".repeat(bytes);
        assert_eq!(parts(&of(480)), [(480, 1, false)]);
        assert_eq!(parts(&of(481)), [(240, 1, false), (241, 0, true)]);
        assert_eq!(parts(&of(600)), [(240, 1, false), (360, 0, true)]);
        assert_eq!(parts(&of(601)), [(240, 1, false), (240, 0, true), (121, 0, true)]);
        assert_eq!(
            parts(&format!("{} {} {}", of(130), of(50), of(400))),
            [(182, 1, false), (240, 0, true), (160, 0, true)]
        );
        assert_eq!(parts(&format!("{} {}", of(119), of(400))), [(240, 1, false), (280, 0, true)], "too near its start");
    }

    #[test]
    fn a_piece_of_a_text_begins_and_ends_within_its_lines_or_between_them() {
        let whole = "ab\ncd\r\nef";
        for (range, continues, goes_on) in [
            (0..2, false, false),
            (0..1, false, true),
            (1..2, true, false),
            (3..5, false, false),
            (4..8, true, true),
            (7..9, false, false),
        ] {
            let place = Place { first: 2, continues, goes_on };
            assert_eq!(Place::within(whole, &range, 2), place, "{range:?}");
        }
        // The empty remainder of a line that another piece contains costs nothing.
        let stays = |continues, goes_on| {
            let lines = Lines::split("\nx\n", Place { first: 1, continues, goes_on }).lines;
            lines.iter().map(|line| (line.continues, line.stays)).collect::<Vec<_>>()
        };
        assert_eq!(stays(true, false), [(true, true), (false, false), (false, false)]);
        assert_eq!(stays(false, true), [(false, false), (false, false), (false, true)]);
    }

    proptest! {
        #[test]
        fn the_lines_cover_the_text(text in "(\\PC{0,30}\n?){0,20}|[a-z ]{900,1500}|é{700}") {
            let lines = Lines::split(&text, Place::ALONE).lines;
            let mut rebuilt = String::new();
            for (index, line) in lines.iter().enumerate() {
                if index > 0 && !line.continues {
                    rebuilt.push('\n');
                }
                rebuilt.push_str(&text[line.range.clone()]);
            }
            prop_assert_eq!(rebuilt, text);
        }
    }
}
