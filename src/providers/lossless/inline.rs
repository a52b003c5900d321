//! Runs the operations of grade "inline": rewrites texts with markers, and decodes the result before returning it.

use std::{borrow::Cow, collections::BTreeSet, sync::Arc};

use super::{
    beginnings::Beginnings,
    lines::{KnownLines, LineTable},
    operations::{LosslessConfig, LosslessOperation},
    run::{Finder, Run},
    work_text::Text,
};
use crate::{
    maps::HashMap,
    markers::{NUMBERED_EVERY, Pointer},
    parallel::in_parts,
    restore::{Decoder, NO_EXCERPT, NumberedExcerpt, Row, Rows},
    tokens::{Encoding, count_inside},
    words::{Said, said},
};

/// A text that changes.
#[derive(Debug, Clone, PartialEq)]
pub struct Changed {
    /// The index of the text.
    pub text: usize,
    /// The new text.
    pub new: String,
    /// The operations performed on it.
    pub done: Vec<Done>,
}

/// An operation that was performed on a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Done {
    /// The operation.
    pub operation: LosslessOperation,
    /// Tokens saved, estimated.
    pub saved: usize,
    /// The change, as a sentence for people.
    pub reason: Said,
}

/// Approximate bytes per token in programs and logs. Precise enough to divide a block's savings among operations.
pub const BYTES_PER_TOKEN: usize = 4;

/// Returns every text that gets shorter, and whether the result may allow more. `known` are the original lines of the
/// texts, before anything was left out of them; `length` is the number of messages.
pub fn condense(
    texts: &[Text<'_>],
    known: KnownLines<'_>,
    length: usize,
    options: &LosslessConfig,
    encoding: Encoding,
) -> (Vec<Changed>, bool) {
    let lines = LineTable::read(texts, known);
    let beginnings = Beginnings::read(&lines, texts);
    let before: Vec<&str> = texts.iter().map(|text| &*text.text).collect();
    let mut decoder = Decoder::with_rows(&before, |text| Some(lines.rows[text].clone()));
    let pointed_at = decoder.of_pointers(Decoder::target);
    let (runs, is_unfinished) =
        Finder { texts, lines: &lines, beginnings: &beginnings, pointed_at: &pointed_at, options, encoding }.find();
    let change = |(index, runs): &(usize, Vec<Run>)| {
        let (text, rows) = (&texts[*index], &lines.rows[*index]);
        let may_lose_numbers =
            options.is_on(LosslessOperation::LineNumbers) && text.message + options.preserve_recent_count < length;
        let composed = compose(&text.text, rows, runs, encoding, |excerpt| {
            let first = &rows.rows[excerpt.rows.start as usize];
            let last = &rows.rows[excerpt.rows.end as usize - 1];
            // Below a heading, a number at the start of a line would be taken for the line's number.
            let shows_another = |row: &Row| excerpt.style.is_shown(&text.text.as_bytes()[row.content_range()]);
            let members = excerpt.rows.start as usize..excerpt.rows.end as usize;
            may_lose_numbers
                && !excerpt.sparse
                && !excerpt.has_pointers
                && !rows.rows[members].iter().any(shows_another)
                && text.may_change(&(first.start as usize..last.end as usize))
        })?;
        let done = done(texts, *index, &lines, runs, &composed);
        Some(Changed { text: *index, new: composed.text, done })
    };
    let runs: Vec<(usize, Vec<Run>)> = runs.into_iter().enumerate().collect();
    let mut changed: Vec<Changed> =
        in_parts(&runs, |(index, _)| texts[*index].text.len(), |runs| runs.iter().filter_map(change).collect());
    let proposed = changed.len();
    keep_what_decodes(&before, |text| Some(lines.rows[text].clone()), decoder, &mut changed);
    let took_back = changed.len() < proposed;
    (changed, is_unfinished || took_back)
}

/// A text with markers.
struct Composed {
    /// The text.
    text: String,
    /// The number of lines that lost their numbers, and the tokens saved, estimated.
    unnumbered: (usize, usize),
}

/// Writes `text` with these runs replaced. `may_lose_numbers` returns whether an excerpt's numbers may be left out.
/// `None` if nothing changes.
fn compose(
    text: &str,
    rows: &Rows,
    runs: &[Run],
    encoding: Encoding,
    may_lose_numbers: impl Fn(&NumberedExcerpt) -> bool,
) -> Option<Composed> {
    let mut unnumbered = (0, 0);
    let headings: Vec<Option<String>> = rows
        .excerpts
        .iter()
        .map(|excerpt| {
            let (heading, lines, gain) = may_lose_numbers(excerpt).then(|| heading(excerpt, runs, encoding))??;
            unnumbered = (unnumbered.0 + lines, unnumbered.1 + gain);
            Some(heading)
        })
        .collect();
    if runs.is_empty() && unnumbered.0 == 0 {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut runs = runs.iter().peekable();
    let mut at = 0;
    while let Some(row) = rows.rows.get(at) {
        if at > 0 {
            out.push('\n');
        }
        let heading = (row.excerpt != NO_EXCERPT).then(|| headings[row.excerpt as usize].as_deref()).flatten();
        if let Some(heading) = heading
            && rows.excerpts[row.excerpt as usize].rows.start as usize == at
        {
            out.push_str(heading);
            out.push('\n');
        }
        // Without a heading, every number stays.
        let keeps =
            heading.is_none() || rows.excerpts[row.excerpt as usize].number_of(row.line).is_multiple_of(NUMBERED_EVERY);
        let from = if keeps { row.start } else { row.content } as usize;
        if let Some(run) = runs.next_if(|run| run.rows.start == at) {
            out.push_str(&text[from..row.content as usize]);
            out.push_str(&run.marker);
            at = run.rows.end;
        } else {
            out.push_str(&text[from..row.end as usize]);
            at += 1;
        }
    }
    Some(Composed { text: out, unnumbered })
}

/// Returns the heading that allows an excerpt's numbers to be left out, the number of lines that lose theirs, and the
/// tokens saved. `None` if it does not pay.
fn heading(excerpt: &NumberedExcerpt, runs: &[Run], encoding: Encoding) -> Option<(String, usize, usize)> {
    let (start, end) = (excerpt.rows.start as usize, excerpt.rows.end as usize);
    // No run crosses the boundary of an excerpt.
    let first = runs.partition_point(|run| run.rows.start < start);
    let within = runs[first..].iter().take_while(|run| run.rows.start < end);
    let left_out: usize = within.map(|run| run.rows.len() - 1).sum();
    let rows = end - start - left_out;
    let rows = rows - rows / NUMBERED_EVERY as usize;
    let mut number = String::new();
    excerpt.style.write(excerpt.number_of(excerpt.line), &mut number);
    let heading = format!("{number}{}", Pointer::Sparse { lines: excerpt.lines });
    // The heading's line feed counts too.
    let gain =
        (count_inside(&number, encoding).tokens * rows).checked_sub(count_inside(&heading, encoding).tokens + 1)?;
    (gain > 0).then_some((heading, rows, gain))
}

/// Undoes every change that the decoder cannot read back. `rows` returns the rows of a text, if known; `decoder`
/// reads the texts `before`.
pub fn keep_what_decodes(
    before: &[&str],
    rows: impl Fn(usize) -> Option<Arc<Rows>> + Sync,
    mut decoder: Decoder<'_>,
    changed: &mut Vec<Changed>,
) {
    if changed.is_empty() {
        return;
    }
    // Text that already looked like a marker has to mean the same afterwards.
    let expected: HashMap<usize, Cow<'_, str>> =
        decoder.texts_with_pointers().into_iter().map(|text| (text, decoder.text(text))).collect();
    while !changed.is_empty() {
        let new: HashMap<usize, &str> = changed.iter().map(|changed| (changed.text, changed.new.as_str())).collect();
        let after: Vec<&str> = (0..).zip(before).map(|(text, was)| new.get(&text).copied().unwrap_or(was)).collect();
        let concerned: BTreeSet<usize> = new.keys().chain(expected.keys()).copied().collect();
        let mut decoder = Decoder::with_rows(&after, |text| if new.contains_key(&text) { None } else { rows(text) });
        let mut decodes =
            |text: usize| decoder.text(text) == expected.get(&text).map_or(before[text], |expected| expected);
        let wrong: BTreeSet<usize> = concerned.into_iter().filter(|text| !decodes(*text)).collect();
        if wrong.is_empty() {
            return;
        }
        let held = changed.len();
        changed.retain(|changed| !wrong.contains(&changed.text));
        if changed.len() == held {
            // The wrong text was not changed itself, so the changes around it are the cause.
            changed.clear();
        }
    }
}

/// Returns what was done to a text, by operation.
fn done(texts: &[Text<'_>], index: usize, lines: &LineTable, runs: &[Run], composed: &Composed) -> Vec<Done> {
    let rows = &lines.rows[index].rows;
    let mut found: Vec<(LosslessOperation, usize, usize, Vec<usize>)> = Vec::new();
    for run in runs {
        let removed = &texts[index].text[rows[run.rows.start].content as usize..rows[run.rows.end - 1].end as usize];
        let saved = removed.len().saturating_sub(run.marker.len()) / BYTES_PER_TOKEN;
        let at = found.iter().position(|(operation, ..)| *operation == run.operation).unwrap_or_else(|| {
            found.push((run.operation, 0, 0, Vec::new()));
            found.len() - 1
        });
        let (_, tokens, lines, messages) = &mut found[at];
        *tokens += saved;
        *lines += run.rows.len();
        let message = texts[run.target.0].message;
        if !messages.contains(&message) {
            messages.push(message);
        }
    }
    let mut done: Vec<Done> = found
        .into_iter()
        .map(|(operation, saved, lines, mut messages)| {
            messages.sort_unstable();
            let shown: Vec<String> = messages.iter().take(4).map(ToString::to_string).collect();
            let code = match messages.len() {
                1 => "change.standIn",
                count if count == shown.len() => "change.standInSome",
                _ => "change.standInMore",
            };
            let reason = said!(code, count: lines, messages: shown.join(", "));
            Done { operation, saved, reason }
        })
        .collect();
    if composed.unnumbered.0 > 0 {
        let (lines, saved) = composed.unnumbered;
        done.push(Done {
            operation: LosslessOperation::LineNumbers,
            saved,
            reason: said!("change.heading", lines: lines),
        });
    }
    done
}
