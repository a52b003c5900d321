//! Writes a text with its markers in it.

use super::run::Run;
use crate::{
    markers::{NUMBERED_EVERY, Pointer},
    restore::{NO_EXCERPT, NumberedExcerpt, Rows},
    tokens::{Encoding, count_inside},
};

/// A text with markers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Composed {
    /// What it says.
    pub text: String,
    /// How many lines lost their numbers, and how many tokens that won, about.
    pub unnumbered: (usize, usize),
}

/// Writes `text` with these runs replaced. `may_lose_numbers` says whether the numbers of an excerpt may be left out. `None` when
/// nothing changes.
#[must_use]
pub fn compose(
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
        // Where there is no heading, every number stays.
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

/// The heading with which the numbers of an excerpt can be left out, how many lines lose theirs, and how many tokens that wins.
/// `None` when it does not pay.
fn heading(excerpt: &NumberedExcerpt, runs: &[Run], encoding: Encoding) -> Option<(String, usize, usize)> {
    let (start, end) = (excerpt.rows.start as usize, excerpt.rows.end as usize);
    // Runs do not cross the border of an excerpt.
    let first = runs.partition_point(|run| run.rows.start < start);
    let within = runs[first..].iter().take_while(|run| run.rows.start < end);
    let left_out: usize = within.map(|run| run.rows.len() - 1).sum();
    let rows = end - start - left_out;
    let rows = rows - rows / NUMBERED_EVERY as usize;
    let mut number = String::new();
    excerpt.style.write(excerpt.number_of(excerpt.line), &mut number);
    let heading = format!("{number}{}", Pointer::Sparse { lines: excerpt.lines });
    // The heading itself costs its line feed too.
    let gain =
        (count_inside(&number, encoding).tokens * rows).checked_sub(count_inside(&heading, encoding).tokens + 1)?;
    (gain > 0).then_some((heading, rows, gain))
}
