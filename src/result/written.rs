//! Writes the text of the kept units, with a note in every gap.

use std::ops::Range;

use super::{
    screen::Screen,
    units::{Pointers, Unit, begins_line, count_lines, ends_line},
};
use crate::markers::{Gap, LineGap, Pointer};

/// The shortened text.
#[derive(Debug, Default)]
pub struct Written {
    /// The text.
    pub text: String,
    /// Number of lines of which nothing is shown.
    pub lines_left_out: usize,
}

/// Writes the units for which `stays` is true.
///
/// With `is_expanded`, pointers are written as the lines that they represent.
pub fn written(screen: &Screen<'_>, units: &[Unit], pointers: &Pointers, stays: &[bool], is_expanded: bool) -> Written {
    let mut written = Written::default();
    let lines = count_lines(&screen.text);
    let mut at = 0;
    while at < units.len() {
        let end = (at..units.len()).find(|next| stays[*next] != stays[at]).unwrap_or(units.len());
        if stays[at] {
            units[at..end].iter().for_each(|unit| {
                let pointer = pointers.get(&unit.range().start).filter(|_| unit.is_pointer && !is_expanded);
                keep(screen, unit, pointer.map(|pointer| &**pointer), is_expanded, &mut written);
            });
        } else {
            gap(screen, lines, units, at..end, &mut written);
        }
        at = end;
    }
    written
}

/// Keeps the units of gaps that are blank, or shorter than the note would be.
pub fn with_small_gaps(screen: &Screen<'_>, units: &[Unit], mut stays: Vec<bool>) -> Vec<bool> {
    let lines = count_lines(&screen.text);
    let mut at = 0;
    while at < units.len() {
        let end = (at..units.len()).find(|next| stays[*next] != stays[at]).unwrap_or(units.len());
        let text = &screen.text[units[at].range().start..units[end - 1].range().end];
        let is_small = text.len() < 12 || (text.len() < 200 && text.trim().is_empty());
        let is_repeated = units[at..end].iter().any(|unit| unit.repeats() > 0);
        if !stays[at] && is_small && !is_repeated && end - at < lines {
            stays[at..end].fill(true);
        }
        at = end;
    }
    stays
}

fn keep(screen: &Screen<'_>, unit: &Unit, pointer: Option<&str>, is_expanded: bool, written: &mut Written) {
    begin_line(screen, unit, written);
    let (shown, repeats) = (&screen.text[unit.range()], unit.repeats());
    written.text.push_str(pointer.unwrap_or(shown));
    if is_expanded {
        written.text.push_str(&format!("\n{shown}").repeat(repeats));
    } else if repeats > 0 {
        let times = u32::try_from(repeats).unwrap_or(u32::MAX);
        written.text.push('\n');
        written.text.push_str(&Pointer::Repeat { times }.to_string());
    }
}

/// Begins a new line, unless the unit continues a line.
fn begin_line(screen: &Screen<'_>, unit: &Unit, written: &mut Written) {
    let start = unit.range().start;
    let goes_on = unit.is_part && !begins_line(&screen.text, start);
    if !goes_on && start > 0 {
        written.text.push('\n');
    }
}

fn gap(screen: &Screen<'_>, lines: usize, units: &[Unit], gap: Range<usize>, written: &mut Written) {
    let text = &*screen.text;
    let (first, last) = (&units[gap.start], &units[gap.end - 1]);
    let (start, end) = (first.range().start, last.range().end);
    // A part of the line in which the gap begins or ends is shown.
    let begins_inside = first.is_part && !begins_line(text, start);
    let ends_inside = last.is_part && !ends_line(text, end);
    let characters = |range: Range<usize>| text[range].chars().count();
    let note = |count: usize, written: &mut Written| written.text.push_str(&Gap::Characters(count).to_string());
    if begins_inside && ends_inside && first.line() == last.line() {
        return note(characters(start..end), written);
    }
    // The byte range of the lines of which nothing is shown.
    let mut rest = start..last.last_byte();
    if begins_inside {
        rest.start = memchr::memchr(b'\n', &text.as_bytes()[start..]).map_or(text.len(), |length| start + length);
        note(characters(start..rest.start), written);
        rest.start += 1;
    }
    let mut last_line = 0;
    if ends_inside {
        last_line = memchr::memrchr(b'\n', &text.as_bytes()[..end]).map_or(0, |before| before + 1);
        rest.end = last_line.saturating_sub(1);
    }
    let whole = first.line() + usize::from(begins_inside)..last.end_line() - usize::from(ends_inside);
    if !whole.is_empty() {
        if whole.start > 0 {
            written.text.push('\n');
        }
        // An overwritten line may have several states, of which one may be shown.
        let is_shown = |at: Option<usize>, number: usize| at.is_some_and(|at| screen.number(at) == number);
        let (first, last) = (screen.number(whole.start), screen.number(whole.end - 1));
        let first = first + usize::from(is_shown(whole.start.checked_sub(1), first));
        let last = last - usize::from(is_shown(Some(whole.end).filter(|at| *at < lines), last));
        if first <= last {
            let count = last + 1 - first;
            let numbered = |before| Gap::Lines(LineGap { first: before + first, last: before + last });
            let gap = screen.lines_before.map_or(Gap::Elsewhere(count), numbered);
            written.text.push_str(&gap.to_string());
            written.lines_left_out += count;
        } else {
            note(characters(rest), written);
        }
    }
    if ends_inside {
        if last.line() > 0 {
            written.text.push('\n');
        }
        note(characters(last_line..end), written);
    }
}
