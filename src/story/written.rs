//! What a call wrote: the lines that it adds or removes, and the unchanged lines that editors repeat around them.

use similar::{DiffOp, DiffTag};

use super::text::{Mark, Quotation, quote_of, quotes_of};
use crate::{
    conversation::{PathStep, TextAt},
    diff::line_operations,
    transcript::{ContentPiece, Meaning, ParameterRole, Tool, ToolSource, ToolTable, changes_in},
};

/// A text that a call wrote, in quotes.
pub struct Written<'t> {
    /// Its lines, and removed ones if it adds none.
    pub quotes: Vec<Quotation<'t>>,
    /// Indices of the lines that are added or removed. The others are unchanged.
    pub changed: Vec<usize>,
}

impl<'t> Written<'t> {
    /// Compares old and new lines. If no line is added, the removed ones are quoted.
    fn new(old: &[&'t str], new: &[&'t str]) -> Self {
        let operations = line_operations(&trimmed(old), &trimmed(new));
        let changes = || operations.iter().filter(|op| op.tag() != DiffTag::Equal);
        let added: Vec<usize> = changes().flat_map(DiffOp::new_range).collect();
        if added.iter().all(|at| new[*at].trim().is_empty()) {
            let removed = changes().flat_map(|op| &old[op.old_range()]);
            return Self::all(removed.filter_map(|line| quote_of(Mark::Removed, line)).collect());
        }
        Self { quotes: new.iter().filter_map(|line| quote_of(Mark::Added, line)).collect(), changed: added }
    }

    /// Creates a text of which all lines are given, added or removed.
    pub fn all(quotes: Vec<Quotation<'t>>) -> Self {
        Self { changed: (0..quotes.len()).collect(), quotes }
    }
}

/// A parameter of a call.
pub struct Parameter<'p, 't> {
    piece: &'p ContentPiece,
    source: &'p ToolSource,
    tool: Option<&'p Tool>,
    text: &'t str,
    /// The texts of its message.
    texts: &'p [TextAt<'t>],
}

impl<'p, 't> Parameter<'p, 't> {
    /// Creates a parameter with this text from a piece of a message.
    pub fn new(
        tools: &'p ToolTable,
        piece: &'p ContentPiece,
        source: &'p ToolSource,
        text: &'t str,
        texts: &'p [TextAt<'t>],
    ) -> Self {
        Self { piece, source, tool: tools.tool(&source.name), text, texts }
    }

    /// Returns true for a short parameter next to the content that a call writes, such as a number of lines.
    pub fn is_beside(&self) -> bool {
        let writes = |name| {
            [ParameterRole::Content, ParameterRole::New, ParameterRole::Old].iter().any(|role| self.has(*role, name))
        };
        let named = self.source.head.split(' ').filter_map(|word| word.split_once('='));
        self.tool.is_some() && named.filter(|(_, value)| *value == self.text.trim()).any(|(name, _)| !writes(name))
    }

    /// Returns the texts that the parameter writes; `None` if it writes none. Replaced text counts if nothing is
    /// written in its place.
    pub fn written(&self) -> Option<Vec<Written<'t>>> {
        let key = self.piece.path.iter().rev().find_map(|step| match step {
            PathStep::Key(key) => Some(key.as_ref()),
            PathStep::Index(_) => None,
        });
        // A call in XML has no key: its path is the path of the message's text.
        let key = key.filter(|_| self.piece.path.len() > 3).unwrap_or_default();
        let is_edit = matches!(self.source.meaning, Meaning::Edit | Meaning::Editor);
        let is_new = self.has(ParameterRole::New, key) || self.has(ParameterRole::Content, key);
        let all = |mark| vec![Written::all(quotes_of(mark, self.text))];
        if is_edit && self.has(ParameterRole::Old, key) {
            let is_replaced = !self.sibling(ParameterRole::New).unwrap_or_default().is_empty();
            return Some(if is_replaced { Vec::new() } else { all(Mark::Removed) });
        }
        if self.source.meaning == Meaning::Write || (is_edit && is_new) {
            let old = self.sibling(ParameterRole::Old);
            return Some(
                old.map_or_else(|| all(Mark::Added), |old| vec![Written::new(&lines(old), &lines(self.text))]),
            );
        }
        let changes = changes_in(self.text);
        (!changes.is_empty()).then(|| changes.iter().map(|(old, new)| Written::new(old, new)).collect())
    }

    fn has(&self, role: ParameterRole, name: &str) -> bool {
        self.tool.is_some_and(|tool| tool.parameter(role).any(|one| one == name))
    }

    /// Returns the parameter with this role next to this one.
    fn sibling(&self, role: ParameterRole) -> Option<&'t str> {
        let (_, place) = self.piece.path.split_last()?;
        let is_sibling = |text: &&TextAt<'_>| match text.path.split_last() {
            Some((PathStep::Key(key), rest)) => rest == place && self.has(role, key),
            _ => false,
        };
        self.texts.iter().find(is_sibling).map(|text| text.text)
    }
}

fn trimmed<'t>(lines: &[&'t str]) -> Vec<&'t str> {
    lines.iter().map(|line| line.trim_end()).collect()
}

fn lines(text: &str) -> Vec<&str> {
    text.split('\n').collect()
}
