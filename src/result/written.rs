//! The text of the units that stay, with a note in every gap.

use std::ops::Range;

use super::{screen::Screen, units::Unit};
use crate::markers::{Gap, LineGap, Pointer};

/// The shortened text.
#[derive(Debug, Default)]
pub struct Written {
    /// The text.
    pub text: String,
    /// Lines of which nothing is shown.
    pub lines_left_out: usize,
}

/// Writes the units for which `stays` is true.
///
/// With `is_expanded`, pointers are written as the lines that they stand for.
pub fn written(
    screen: &Screen<'_>,
    lines: &[Range<usize>],
    units: &[Unit],
    stays: &[bool],
    is_expanded: bool,
) -> Written {
    let mut written = Written::default();
    let mut at = 0;
    while at < units.len() {
        let end = (at..units.len()).find(|next| stays[*next] != stays[at]).unwrap_or(units.len());
        if stays[at] {
            units[at..end].iter().for_each(|unit| keep(screen, unit, is_expanded, &mut written));
        } else {
            gap(screen, lines, units, at..end, &mut written);
        }
        at = end;
    }
    written
}

/// A gap of blank lines, or of less than its note takes, is no gap: its units stay, too.
pub fn with_small_gaps(screen: &Screen<'_>, lines: &[Range<usize>], units: &[Unit], mut stays: Vec<bool>) -> Vec<bool> {
    let mut at = 0;
    while at < units.len() {
        let end = (at..units.len()).find(|next| stays[*next] != stays[at]).unwrap_or(units.len());
        let text = &screen.text[units[at].range.start..units[end - 1].range.end];
        let is_small = text.len() < 12 || (text.len() < 200 && text.trim().is_empty());
        let is_repeated = units[at..end].iter().any(|unit| unit.repeats > 0);
        if !stays[at] && is_small && !is_repeated && end - at < lines.len() {
            stays[at..end].fill(true);
        }
        at = end;
    }
    stays
}

fn keep(screen: &Screen<'_>, unit: &Unit, is_expanded: bool, written: &mut Written) {
    begin_line(screen, unit, written);
    let shown = &screen.text[unit.range.clone()];
    written.text.push_str(unit.pointer.as_deref().filter(|_| !is_expanded).unwrap_or(shown));
    if is_expanded {
        written.text.push_str(&format!("\n{shown}").repeat(unit.repeats));
    } else if unit.repeats > 0 {
        let times = u32::try_from(unit.repeats).unwrap_or(u32::MAX);
        written.text.push('\n');
        written.text.push_str(&Pointer::Repeat { times }.to_string());
    }
}

/// A unit begins on a line of its own unless it goes on with its line.
fn begin_line(screen: &Screen<'_>, unit: &Unit, written: &mut Written) {
    let goes_on = unit.is_part && unit.range.start > 0 && screen.text.as_bytes()[unit.range.start - 1] != b'\n';
    if !goes_on && unit.range.start > 0 {
        written.text.push('\n');
    }
}

fn gap(screen: &Screen<'_>, lines: &[Range<usize>], units: &[Unit], gap: Range<usize>, written: &mut Written) {
    let (first, last) = (&units[gap.start], &units[gap.end - 1]);
    // The line that the gap begins or ends in is shown in part.
    let begins_inside = first.is_part && first.range.start > lines[first.lines.start].start;
    let ends_inside = last.is_part && last.range.end < lines[last.lines.start].end;
    let characters = |range: Range<usize>| screen.text[range].chars().count();
    let note = |count: usize, written: &mut Written| written.text.push_str(&Gap::Characters(count).to_string());
    if begins_inside && ends_inside && first.lines == last.lines {
        return note(characters(first.range.start..last.range.end), written);
    }
    if begins_inside {
        note(characters(first.range.start..lines[first.lines.start].end), written);
    }
    let whole = first.lines.start + usize::from(begins_inside)..last.end() - usize::from(ends_inside);
    if !whole.is_empty() {
        if lines[whole.start].start > 0 {
            written.text.push('\n');
        }
        // A line that was overwritten has several states: of some, one is shown.
        let is_shown = |at: Option<usize>, number: usize| at.is_some_and(|at| screen.number(at) == number);
        let (first, last) = (screen.number(whole.start), screen.number(whole.end - 1));
        let first = first + usize::from(is_shown(whole.start.checked_sub(1), first));
        let last = last - usize::from(is_shown(Some(whole.end).filter(|at| *at < lines.len()), last));
        if first <= last {
            written.text.push_str(&Gap::Lines(LineGap { first, last }).to_string());
            written.lines_left_out += last + 1 - first;
        } else {
            let range = lines[whole.start].start..lines[whole.end - 1].end;
            note(characters(range), written);
        }
    }
    if ends_inside {
        if lines[last.lines.start].start > 0 {
            written.text.push('\n');
        }
        note(characters(lines[last.lines.start].start..last.range.end), written);
    }
}
