//! Reads how much the markers in a text say is missing, so that later cuts add to a marker and never split one.

use std::ops::Range;

use super::{Gap, LEFT_OUT_HERE, LeftOut, More, Pointer, SummaryHead, Suppressed, may_hold_pointers, without_way_back};
use crate::conversation::{NumberStyle, lines_in};

/// A line that says something is missing there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoteLine {
    /// This many lines: a gap, a pointer, a text that was left out.
    Lines(usize),
    /// Messages after the one that contains the line.
    Messages,
    /// An unknown amount: replaced state, a text left out without its size, the head of a summary.
    Unknown,
}

/// The first characters of notes. Of other lines, only the content after a line number is examined.
const FIRST: [char; 2] = ['[', '.'];
/// Longer lines are content: no note has more bytes.
const MAX_BYTES: usize = 400;

impl NoteLine {
    /// Parses a line as a note, after the number it may show. Fast for lines that are not notes.
    pub fn read(line: &str) -> Option<Self> {
        if line.len() > MAX_BYTES || !line.ends_with([']', ')']) {
            return None;
        }
        if line.starts_with(FIRST) {
            return Self::of_content(line);
        }
        // Behind a line number, only notes that lossless and the repair of pointers write there count. A numbered
        // `[…12-40]` is a file's own line.
        let (.., content) = NumberStyle::read(line.as_bytes())?;
        match Self::pointer(&line[content..]) {
            None => match Gap::read(&line[content..])? {
                Gap::Elsewhere(lines) => Some(Self::Lines(lines)),
                _ => None,
            },
            pointer => pointer,
        }
    }

    /// Returns how many lines `line` was before anything was left out: 1 if it is not a note.
    pub fn lines_of(line: &str) -> usize {
        match Self::read(line) {
            Some(Self::Lines(lines)) => lines,
            Some(Self::Messages) => 0,
            Some(Self::Unknown) | None => 1,
        }
    }

    /// Returns the number of lines of a text, and the number of lines that notes in it report as left out.
    pub fn count(text: &str) -> (usize, usize) {
        let (mut all, mut left_out) = (0, 0_usize);
        for line in lines_in(text) {
            all += 1;
            // Most lines end otherwise than notes.
            if line.ends_with([']', ')']) {
                left_out = left_out.saturating_add(Self::lines_left_out(line));
            }
        }
        (all, left_out)
    }

    /// Returns the number of lines that a note reports as left out; 0 for pointers, whose lines are elsewhere, and for
    /// text that is not a note.
    fn lines_left_out(line: &str) -> usize {
        match Self::read(line) {
            Some(Self::Lines(lines)) if !may_hold_pointers(line) => lines,
            _ => 0,
        }
    }

    fn of_content(content: &str) -> Option<Self> {
        if let Some(gap) = Gap::read(content) {
            return match gap {
                Gap::Lines(gap) => Some(Self::Lines(gap.last - gap.first + 1)),
                Gap::Elsewhere(lines) => Some(Self::Lines(lines)),
                Gap::Messages => Some(Self::Messages),
                Gap::Characters(_) => None,
            };
        }
        match More::read(content) {
            Some(More::Lines(lines)) => return Some(Self::Lines(lines)),
            Some(More::Characters(_)) => return None,
            None => {}
        }
        Self::pointer(content).or_else(|| match Suppressed::read(content) {
            Some(suppressed) => Some(suppressed.lines().map_or(Self::Unknown, Self::Lines)),
            None => (LeftOut::read(content).is_some() || SummaryHead::read(content).is_some()).then_some(Self::Unknown),
        })
    }

    fn pointer(content: &str) -> Option<Self> {
        Pointer::read(content).map(|pointer| Self::Lines(pointer.lines() as usize))
    }
}

/// Returns true if the line is a [`Pointer::Sparse`] heading, whether or not the lines it counts follow.
pub fn is_heading(line: &str) -> bool {
    let content = NumberStyle::read(line.as_bytes()).map(|(.., content)| &line[content..]);
    content.is_some_and(|content| matches!(Pointer::read(content), Some(Pointer::Sparse { .. })))
}

/// Splits off a last line that says messages are missing after this one. Returns the text before it, and true if
/// there was one.
pub fn messages_at_end(text: &str) -> (&str, bool) {
    let (before, last) = text.rsplit_once('\n').unwrap_or(("", text));
    if Gap::read(last) == Some(Gap::Messages) { (before, true) } else { (text, false) }
}

/// Returns true if `text` only says that messages were left out.
pub fn is_about_messages(text: &str) -> bool {
    let text = text.trim();
    without_way_back(text) == LEFT_OUT_HERE || Gap::read(text) == Some(Gap::Messages)
}

const IN_LINE: &str = "[… ";

/// Finds the notes inside a line (`[… 120 characters]`), each with the number of characters it represents.
pub fn notes_in_line(line: &str) -> impl Iterator<Item = (Range<usize>, usize)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        while let Some(step) = line[at..].find(IN_LINE) {
            let start = at + step;
            at = start + IN_LINE.len();
            let end = line.as_bytes()[at..].iter().take(40).position(|byte| *byte == b']').map(|step| at + step + 1);
            if let Some(end) = end
                && let Some(Gap::Characters(characters)) = Gap::read(&line[start..end])
            {
                at = end;
                return Some((start..end, characters));
            }
        }
        None
    })
}

/// Returns the number of characters of `text`, including those that notes in its lines represent.
pub fn characters_of(text: &str) -> usize {
    let (shown, hidden) = More::characters_at_end(text).unwrap_or((text, 0));
    let (mut told, mut spelled) = (0_usize, 0);
    for (range, characters) in notes_in_line(shown) {
        told = told.saturating_add(characters);
        spelled += shown[range].chars().count();
    }
    (shown.chars().count() - spelled).saturating_add(told).saturating_add(hidden)
}

/// Returns `at`, or the start of the note that contains it. `text` may have several lines.
pub fn before_note(text: &str, at: usize) -> usize {
    let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let end = text[at..].find('\n').map_or(text.len(), |step| at + step);
    if NoteLine::read(&text[line..end]).is_some() {
        return if at == end { at } else { line };
    }
    let inside = notes_in_line(&text[line..end]).find(|(range, _)| line + range.start < at && at < line + range.end);
    inside.map_or(at, |(range, _)| line + range.start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_as_they_were_before_anything_was_left_out() {
        for (line, lines) in [
            ("const a = 1", 1),
            ("[…12-40]", 29),
            ("[…12]", 1),
            ("[… 34 lines left out]", 34),
            ("... (18 more lines)", 18),
            ("[34 lines as below from \"export function parseDay(\"]", 34),
            ("   214→[4 lines as below from \"if err := os.WriteFile(\"]", 4),
            ("     1→[120 lines, every 10th numbered:]", 0),
            ("[The line above 9 more times]", 9),
            ("[Tool result of 12 lines left out]", 12),
            ("[Tool result suppressed]", 1),
            ("[… messages left out]", 0),
            // A file that contains a gap as text, shown with line numbers.
            ("    12→[…12-40]", 1),
            ("    12→... (18 more lines)", 1),
            ("see [… 120 characters] here", 1),
        ] {
            assert_eq!(NoteLine::lines_of(line), lines, "{line}");
        }
    }

    #[test]
    fn lines_that_stand_elsewhere_are_not_left_out() {
        for (line, lines) in [
            ("const a = 1", 0),
            ("[…12-40]", 29),
            ("[… 34 lines left out]", 34),
            ("... (18 more lines)", 18),
            ("[Tool result of 12 lines left out]", 12),
            ("[34 lines as below from \"export function parseDay(\"]", 0),
            ("   214→[4 lines as below from \"if err := os.WriteFile(\"]", 0),
            ("[The line above 9 more times]", 0),
            ("[… messages left out]", 0),
            ("    12→[…12-40]", 0),
        ] {
            assert_eq!(NoteLine::count(line), (1, lines), "{line}");
            for (text, times) in [(format!("{line}\n"), 1), (format!("a\r\n{line}\r\n\n{line}"), 2)] {
                assert_eq!(NoteLine::count(&text), (text.lines().count(), times * lines), "{text}");
            }
        }
    }

    #[test]
    fn characters_are_counted_with_those_that_notes_stand_for() {
        assert_eq!(characters_of("ab[… 120 characters]cd… (e)... (400 more characters)"), 2 + 120 + 7 + 400);
        assert_eq!(characters_of("[… many characters] [… messages left out]"), 41);
        assert_eq!(messages_at_end("a\nb\n[… messages left out]"), ("a\nb", true));
        assert_eq!(messages_at_end("[… messages left out]\nb"), ("[… messages left out]\nb", false));
    }

    #[test]
    fn a_place_in_a_note_is_where_the_note_begins() {
        let text = "ab[… 120 characters]cd\n[7 lines as below from \"export const\"]\nend";
        let pointer = text.find("[7").unwrap();
        for at in text.char_indices().map(|(at, _)| at) {
            let place = before_note(text, at);
            let expected = match at {
                3..=21 => 2,
                _ if at > pointer && text[at..].starts_with('\n') => at,
                _ if at > pointer && at < text.rfind('\n').unwrap() => pointer,
                _ => at,
            };
            assert_eq!(place, expected, "{at}");
        }
    }
}
