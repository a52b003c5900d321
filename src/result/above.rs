//! Replaces lines that the conversation already contains by a pointer to them.

use std::collections::HashMap;

use xxhash_rust::xxh3::xxh3_64;

use super::units::{HEAD, Pointers, Unit};
use crate::{
    by_hash::ByHash,
    markers::{Direction, MAX_QUOTE_BYTES, MIN_QUOTE_BYTES, Pointer, Reference, quote_of},
    restore::Decoder,
};

/// Minimum number of lines and bytes that a pointer replaces.
const LEAST_LINES: usize = 4;
const LEAST_BYTES: usize = 300;

/// Maximum number of runs that cannot be quoted. The search ends there, because it examines a whole text for each.
const MOST_UNQUOTED: usize = 64;

/// Lengths of quotes to try, in bytes: the shortest quote with which only one line begins is used.
const QUOTES: [usize; 4] = [MIN_QUOTE_BYTES, 20, 32, MAX_QUOTE_BYTES];

/// The place of each line, by its hash: the text, and the byte at which the line begins.
type Places<'t> = HashMap<u64, (&'t str, usize), ByHash>;

/// Returns the last place of each line that can be quoted.
fn places<'t>(texts: &[&'t str]) -> Places<'t> {
    let mut places = Places::default();
    for text in texts {
        let mut start = 0;
        for line in text.split('\n') {
            if line.len() >= MIN_QUOTE_BYTES {
                places.insert(xxh3_64(line.as_bytes()), (text, start));
            }
            start += line.len() + 1;
        }
    }
    places
}

/// Replaces units whose lines occur in `texts`, in the same order and word for word, by one unit with a pointer. Lines
/// that say how a call ended or report a failure are kept. `None` if nothing can be replaced.
pub fn pointed(text: &str, units: &[Unit], texts: &[&str]) -> Option<(Vec<Unit>, Pointers)> {
    let places = places(texts);
    let mut found = None;
    let mut at = 0;
    let mut unquoted = 0;
    while at < units.len() && !places.is_empty() && unquoted < MOST_UNQUOTED {
        let run = run(text, &units[at..], &places);
        // The lines of a run that cannot be quoted are not tried again.
        let end = at + run.as_ref().map_or(1, |(count, _)| *count);
        unquoted += usize::from(matches!(run, Some((_, None))));
        if let Some((_, Some(pointer))) = run {
            let (pointed, pointers) = found.get_or_insert_with(|| (units[..at].to_vec(), Pointers::default()));
            let (first, last) = (&units[at], &units[end - 1]);
            let mut unit = Unit::whole(first.line()..last.end_line(), first.range().start..last.last_byte(), HEAD);
            unit.is_pointer = true;
            pointers.insert(first.range().start, pointer.into());
            pointed.push(unit);
        } else if let Some((pointed, _)) = &mut found {
            pointed.extend_from_slice(&units[at..end]);
        }
        at = end;
    }
    if let Some((pointed, _)) = &mut found {
        pointed.extend_from_slice(&units[at..]);
    }
    // Replacing a single unit by a pointer saves nothing.
    found.filter(|(pointed, _)| pointed.len() < units.len())
}

/// Returns how many units from the first on occur elsewhere, and a pointer to their lines, if they can be quoted.
fn run(text: &str, units: &[Unit], places: &Places<'_>) -> Option<(usize, Option<String>)> {
    let first = &units[0];
    let content = &text[first.range()];
    let (other, start) = places.get(&xxh3_64(content.as_bytes()))?;
    let may_go = |unit: &&Unit| !unit.is_part && unit.rank > HEAD && !unit.is_failure;
    let mut rest = other[*start..].split('\n');
    let mut count = 0_usize;
    for unit in units.iter().take_while(may_go) {
        let mut lines = text[unit.range().start..unit.last_byte()].split('\n');
        if !lines.all(|line| rest.next() == Some(line)) {
            break;
        }
        count += 1;
    }
    let last = units.get(count.checked_sub(1)?)?;
    let run = first.line()..last.end_line();
    let bytes = last.last_byte() - first.range().start;
    if run.len() < LEAST_LINES || bytes < LEAST_BYTES {
        return None;
    }
    let lines = u32::try_from(run.len()).ok()?;
    let quote = QUOTES.iter().filter_map(|least| quote_of(content, *least)).find(|quote| is_one_line(other, quote));
    let pointer = |quote| Pointer::Reference(Reference { lines, direction: Direction::Above, quote }).to_string();
    Some((count, quote.map(pointer)))
}

fn is_one_line(text: &str, quote: &str) -> bool {
    text.lines().filter(|line| line.trim_start().starts_with(quote)).nth(1).is_none()
}

/// Returns true if a reader who follows the pointers of `short` reads `expanded`.
pub fn leads_back(texts: &[&str], short: &str, expanded: &str) -> bool {
    let all: Vec<&str> = texts.iter().copied().chain([short]).collect();
    Decoder::new(&all).text(texts.len()) == expanded
}
