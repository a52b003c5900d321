//! Reads every marker back, from nothing but the condensed texts.
//!
//! It knows neither the plan nor the conversation before: what it returns is what a patient reader could restore. The provider lets
//! it judge every proposal.

use std::{borrow::Cow, collections::HashMap, ops::Range};

use super::{
    names::{TextNames, TextPlace},
    rows::{NO_EXCERPT, RowKind, Rows},
};
use crate::{
    conversation::{Conversation, Message},
    markers::{Counted, Pointer, Reference, Target, may_hold_pointers},
};

/// The texts of a conversation with every marker expanded that leads somewhere, message by message, in the order of
/// [`crate::conversation::Message::texts`]. Text that only looks like a marker stays as it is.
#[must_use]
pub fn decode(conversation: &Conversation) -> Vec<Vec<String>> {
    let texts: Vec<_> = conversation.messages().map(Message::texts).collect();
    let flat: Vec<_> =
        texts.iter().enumerate().flat_map(|(message, texts)| texts.iter().map(move |text| (message, text))).collect();
    let place = |(message, text): &(usize, &crate::conversation::TextAt<'_>)| {
        (*message, text.block, text.path.clone(), text.kind)
    };
    let places: Vec<_> = flat.iter().map(place).collect();
    let names = TextNames::new(places.iter().map(|(message, block, path, kind)| TextPlace {
        message: *message,
        block: *block,
        path,
        kind: *kind,
    }));
    let contents: Vec<&str> = flat.iter().map(|(_, text)| text.text.as_ref()).collect();
    let bytes: usize = contents.iter().map(|text| text.len()).sum();
    let mut decoder = Decoder::new(&names, &contents, 64 * bytes + (16 << 20));
    let mut decoded: Vec<Vec<String>> = vec![Vec::new(); texts.len()];
    for (index, (message, _)) in flat.iter().enumerate() {
        decoded[*message].push(decoder.text(index).into_owned());
    }
    decoded
}

/// Expands the markers in some texts.
pub struct Decoder<'a> {
    names: &'a TextNames<'a>,
    texts: &'a [&'a str],
    rows: HashMap<usize, Rows>,
    /// How many bytes may still be written. Hostile markers could ask for more than any memory holds.
    budget: usize,
}

impl<'a> Decoder<'a> {
    /// For these texts. Together the expanded texts get no longer than `budget` bytes; markers beyond that stay as they are.
    #[must_use]
    pub fn new(names: &'a TextNames<'a>, texts: &'a [&'a str], budget: usize) -> Self {
        Self { names, texts, rows: HashMap::new(), budget }
    }

    /// A text with its markers expanded.
    pub fn text(&mut self, index: usize) -> Cow<'a, str> {
        let text = self.texts[index];
        if !may_hold_pointers(text) || !self.read(index).has_pointers {
            return Cow::Borrowed(text);
        }
        let Some(rows) = self.rows.remove(&index) else { return Cow::Borrowed(text) };
        let mut out = String::with_capacity(2 * text.len());
        let mut first = true;
        for (at, row) in rows.rows.iter().enumerate() {
            if row.kind == RowKind::Heading {
                continue;
            }
            let expanded = (row.kind == RowKind::Pointer).then(|| self.expanded(index, &rows, at)).flatten();
            let excerpt = (row.excerpt != NO_EXCERPT).then(|| &rows.excerpts[row.excerpt as usize]);
            let Some(lines) = expanded else {
                line_break(&mut first, &mut out);
                if let Some(excerpt) = excerpt.filter(|excerpt| excerpt.sparse && row.content == row.start) {
                    excerpt.style.write(excerpt.number_of(row.line), &mut out);
                }
                out.push_str(&text[row.range()]);
                continue;
            };
            let before = out.len();
            for (offset, content) in (0..).zip(lines) {
                line_break(&mut first, &mut out);
                if let Some(excerpt) = excerpt {
                    excerpt.style.write(excerpt.number_of(row.line + offset), &mut out);
                }
                out.push_str(content);
            }
            self.budget = self.budget.saturating_sub(out.len() - before);
        }
        self.rows.insert(index, rows);
        Cow::Owned(out)
    }

    /// The contents of the lines that the marker in the row `at` stands for. `None` when it leads nowhere.
    fn expanded(&mut self, index: usize, rows: &Rows, at: usize) -> Option<Vec<&'a str>> {
        let row = &rows.rows[at];
        match Pointer::read(&self.texts[index][row.content_range()])? {
            Pointer::Sparse { .. } => None,
            Pointer::Repeat { times } => {
                let above = rows.rows[..at].last().filter(|above| above.kind == RowKind::Line)?;
                let content = &self.texts[index][above.content_range()];
                let bytes = (content.len() + 16).checked_mul(times as usize)?;
                (bytes <= self.budget).then(|| vec![content; times as usize])
            }
            Pointer::Reference(reference) => match reference.target {
                Target::Above => self.lines(index, at, rows, &reference),
                Target::Text(name) => {
                    let target = self.names.find(&name)?;
                    if target == index {
                        return None;
                    }
                    self.read(target);
                    let rows = &self.rows[&target];
                    self.lines(target, rows.rows.len(), rows, &reference)
                }
            },
        }
    }

    /// The contents of the lines that a reference names in a text, of whose rows only the first `visible` may be used.
    fn lines(&self, target: usize, visible: usize, rows: &Rows, reference: &Reference<'_>) -> Option<Vec<&'a str>> {
        let found = &rows.rows[rows_of(rows, visible, reference)?];
        let text = self.texts[target];
        let bytes: usize = found.iter().map(|row| row.content_range().len() + 16).sum();
        (bytes <= self.budget).then(|| found.iter().map(|row| &text[row.content_range()]).collect())
    }

    fn read(&mut self, index: usize) -> &Rows {
        self.rows.entry(index).or_insert_with(|| Rows::read(self.texts[index]))
    }
}

/// Numbers are looked for in so many excerpts of a text, so that hostile texts cannot make it slow.
const SEARCHED_EXCERPTS: usize = 64;

/// The line, from 0, that a reference begins with.
#[must_use]
pub fn first_line(rows: &Rows, reference: &Reference<'_>) -> Option<u32> {
    if reference.counted == Counted::FromTop || rows.excerpts.is_empty() {
        return reference.first.checked_sub(1);
    }
    rows.excerpts.iter().take(SEARCHED_EXCERPTS).find_map(|excerpt| {
        excerpt.line_of(reference.last)?;
        excerpt.line_of(reference.first)
    })
}

/// The rows that a reference names, of the first `visible` ones of a text. `None` when it names none or when there are markers
/// among them.
#[must_use]
pub fn rows_of(rows: &Rows, visible: usize, reference: &Reference<'_>) -> Option<Range<usize>> {
    let start = rows.row_of(first_line(rows, reference)?)?;
    let found = start..start + (reference.last - reference.first + 1) as usize;
    let are_lines = rows.rows[..visible].get(found.clone())?.iter().all(|row| row.kind == RowKind::Line);
    are_lines.then_some(found)
}

fn line_break(first: &mut bool, out: &mut String) {
    if !std::mem::take(first) {
        out.push('\n');
    }
}
