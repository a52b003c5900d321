//! Reads the text that a call writes: lines that it adds or removes, and the unchanged lines that editors repeat around
//! them.

use std::sync::Arc;

use similar::{DiffOp, DiffTag};

use super::text::{Mark, Quotation, quote_of, quotes_of};
use crate::{
    conversation::{ContentKind, PathStep, TextAt},
    diff::line_operations,
    transcript::{
        ContentPiece, Meaning, ParameterRole, PieceSource, Tool, ToolSource, ToolTable, changes_in, files_of_patch,
        moved_in_patch,
    },
};

/// A text that a call wrote, in quotes.
pub struct Written<'t> {
    /// Its lines, and removed ones if it adds none.
    pub quotes: Vec<Quotation<'t>>,
    /// Indices of the lines that are added or removed. The others are unchanged.
    pub changed: Vec<usize>,
    /// The lines that others replace.
    pub replaced: Vec<&'t str>,
}

impl<'t> Written<'t> {
    /// Compares old and new lines. If no line is added, the removed ones are quoted.
    fn new(old: &[&'t str], new: &[&'t str]) -> Self {
        let operations = line_operations(&trimmed(old), &trimmed(new));
        let changes = || operations.iter().filter(|op| op.tag() != DiffTag::Equal);
        let added: Vec<usize> = changes().flat_map(DiffOp::new_range).collect();
        let replaced: Vec<&str> = changes().flat_map(|op| &old[op.old_range()]).copied().collect();
        if added.iter().all(|at| new[*at].trim().is_empty()) {
            let removed = replaced.iter().filter_map(|line| quote_of(Mark::Removed, line)).collect();
            return Self { replaced, ..Self::all(removed) };
        }
        Self { quotes: new.iter().filter_map(|line| quote_of(Mark::Added, line)).collect(), changed: added, replaced }
    }

    /// Creates a text of which all lines are given, added or removed.
    pub fn all(quotes: Vec<Quotation<'t>>) -> Self {
        Self { changed: (0..quotes.len()).collect(), quotes, replaced: Vec::new() }
    }
}

/// A parameter of a call.
pub struct Parameter<'p, 't> {
    piece: &'p ContentPiece,
    source: &'p ToolSource,
    tool: Option<&'p Tool>,
    text: &'t str,
    /// The pieces of its message, each with its text.
    pieces: &'p [(&'p ContentPiece, &'p TextAt<'t>)],
}

impl<'p, 't> Parameter<'p, 't> {
    /// Creates a parameter with this text from a piece of a message.
    pub fn new(
        tools: &'p ToolTable,
        piece: &'p ContentPiece,
        source: &'p ToolSource,
        text: &'t str,
        pieces: &'p [(&'p ContentPiece, &'p TextAt<'t>)],
    ) -> Self {
        Self { piece, source, tool: tools.tool(&source.name), text, pieces }
    }

    /// Returns true for a short parameter next to the content that a call writes, such as a number of lines.
    pub fn is_beside(&self) -> bool {
        let writes = |name| {
            [ParameterRole::Content, ParameterRole::New, ParameterRole::Old].iter().any(|role| self.has(*role, name))
        };
        let named = self.source.head.split(' ').filter_map(|word| word.split_once('='));
        self.tool.is_some() && named.filter(|(_, value)| *value == self.text.trim()).any(|(name, _)| !writes(name))
    }

    /// Returns the files that the parameter names: a path, or the files of a patch.
    pub fn files(&self) -> Vec<String> {
        let is_path = self.source.meaning.is_about_files() && self.has(ParameterRole::Path, self.name());
        match is_path {
            true => vec![self.text.trim().to_owned()],
            false if self.may_be_patch() => files_of_patch(self.text),
            false => Vec::new(),
        }
    }

    /// Returns the texts that the parameter writes; `None` if it writes none. Replaced text counts if nothing is
    /// written in its place.
    pub fn written(&self) -> Option<Vec<Written<'t>>> {
        let name = self.name();
        let is_edit = matches!(self.source.meaning, Meaning::Edit | Meaning::Editor);
        let is_new = self.has(ParameterRole::New, name) || self.has(ParameterRole::Content, name);
        let all = |mark| vec![Written::all(quotes_of(mark, self.text))];
        if is_edit && self.has(ParameterRole::Old, name) {
            let is_replaced = !self.sibling(ParameterRole::New).unwrap_or_default().is_empty();
            let removed =
                || Written { replaced: lines(self.text), ..Written::all(quotes_of(Mark::Removed, self.text)) };
            return Some(if is_replaced { Vec::new() } else { vec![removed()] });
        }
        if self.may_be_patch() {
            let moved = moved_in_patch(self.text).filter_map(|line| quote_of(Mark::Given, line)).collect();
            let changes = changes_in(self.text);
            let mut written: Vec<_> = changes.iter().map(|(old, new)| Written::new(old, new)).collect();
            written.push(Written::all(moved));
            written.retain(|written| !written.quotes.is_empty());
            if !written.is_empty() {
                return Some(written);
            }
        }
        let old = self.sibling(ParameterRole::Old);
        let changed = |old| vec![Written::new(&lines(old), &lines(self.text))];
        let is_written = self.source.meaning == Meaning::Write || (is_edit && is_new);
        is_written.then(|| old.map_or_else(|| all(Mark::Added), changed))
    }

    /// Returns false for a parameter that is written to a file as it is, or replaced as it is. A patch in it is content.
    fn may_be_patch(&self) -> bool {
        let has = |role| self.has(role, self.name());
        self.source.meaning != Meaning::Write && !has(ParameterRole::New) && !has(ParameterRole::Old)
    }

    fn name(&self) -> &str {
        self.pieces
            .iter()
            .find(|(piece, _)| std::ptr::eq(*piece, self.piece))
            .map_or("", |(piece, whole)| name_of(piece, whole.text))
    }

    fn has(&self, role: ParameterRole, name: &str) -> bool {
        self.tool.is_some_and(|tool| tool.parameter(role).any(|one| one == name))
    }

    /// Returns the parameter with this role next to this one. In XML, all parameters of a call are in one text.
    fn sibling(&self, role: ParameterRole) -> Option<&'t str> {
        let place = |piece: &'p ContentPiece| {
            let is_native = piece.path.len() > NATIVE;
            &piece.path[..piece.path.len() - usize::from(is_native)]
        };
        let is_sibling = |(piece, whole): &&(&'p ContentPiece, &'p TextAt<'t>)| {
            piece.kind == ContentKind::ToolParameters
                && is_same_call(&piece.source, &self.piece.source)
                && place(piece) == place(self.piece)
                && self.has(role, name_of(piece, whole.text))
        };
        self.pieces.iter().find(is_sibling).map(|(piece, whole)| &whole.text[piece.range.clone()])
    }
}

fn is_same_call(one: &PieceSource, other: &PieceSource) -> bool {
    matches!((one, other), (PieceSource::Tool(one), PieceSource::Tool(other)) if Arc::ptr_eq(one, other))
}

/// Maximum length of the path to a message's own text. The path to a native parameter is longer.
const NATIVE: usize = 3;

/// Returns a parameter's name; empty if it has none.
fn name_of<'n>(piece: &'n ContentPiece, whole: &'n str) -> &'n str {
    if piece.path.len() > NATIVE {
        let key = piece.path.iter().rev().find_map(|step| match step {
            PathStep::Key(key) => Some(key.as_ref()),
            PathStep::Index(_) => None,
        });
        return key.unwrap_or_default();
    }
    // In XML, the name is in the tag before the value.
    let tag = whole.get(..piece.range.start).and_then(|before| before.trim_end().strip_suffix('>'));
    tag.and_then(|tag| tag.rsplit_once('<')).map_or("", |(_, name)| name)
}

fn trimmed<'t>(lines: &[&'t str]) -> Vec<&'t str> {
    lines.iter().map(|line| line.trim_end()).collect()
}

fn lines(text: &str) -> Vec<&str> {
    text.split('\n').collect()
}
