//! Writes recipes for old texts, by resolving the pointers of the condensed ones.

use crate::{
    conversation::{Conversation, Edit, NewValue, Plan, Recipe, RecipeLines, RecipeWriter, TextAt},
    maps::HashMap,
    markers::{NUMBERED_EVERY, Pointer, may_hold_pointers},
    parallel::in_parts,
};

use super::{
    decoder::Decoder,
    rows::{NO_EXCERPT, RowKind},
};

/// The texts of a condensed conversation, from which recipes rebuild old ones.
pub struct RecipeSources<'a> {
    texts: Vec<Vec<TextAt<'a>>>,
    /// The contents of all texts, in order.
    contents: Vec<&'a str>,
    /// The index of each message's first text in the list of all.
    starts: Vec<usize>,
    /// The current index of messages, by their origin.
    position: HashMap<usize, usize>,
}

impl<'a> RecipeSources<'a> {
    /// Collects the texts of `after`, the result of `plan`; `None` if no edit of the plan may have a recipe.
    #[must_use]
    pub fn new(after: &'a Conversation, plan: &Plan) -> Option<Self> {
        if !plan.edits.iter().any(may_have_recipe) {
            return None;
        }
        let position = after.entries().iter().enumerate().filter_map(|(at, entry)| Some((entry.origin?, at))).collect();
        let texts = after.texts();
        let contents = texts.iter().flatten().map(|text| text.text).collect();
        let starts = texts.iter().scan(0, |next, texts| Some(std::mem::replace(next, *next + texts.len()))).collect();
        Some(Self { texts, contents, starts, position })
    }

    /// Prepares to resolve the pointers in these texts.
    #[must_use]
    pub fn follow(&self) -> Recipes<'_> {
        Recipes { sources: self, decoder: Decoder::new(&self.contents) }
    }
}

/// Writes recipes.
pub struct Recipes<'a> {
    sources: &'a RecipeSources<'a>,
    decoder: Decoder<'a>,
}

impl Recipes<'_> {
    /// Writes recipes for the old texts of the plan, each with the index of its edit. Every recipe was tested: an
    /// edit has none if no recipe gives exactly the old text, or if it would not be shorter.
    #[must_use]
    pub fn write(&self, before: &Conversation, plan: &Plan) -> Vec<(usize, Recipe)> {
        let RecipeSources { texts, contents, starts, position } = self.sources;
        let edits: Vec<(usize, &Edit)> =
            plan.edits.iter().enumerate().filter(|(_, edit)| may_have_recipe(edit)).collect();
        let flat: Vec<(usize, &TextAt<'_>)> = texts
            .iter()
            .enumerate()
            .flat_map(|(message, texts)| texts.iter().map(move |text| (message, text)))
            .collect();
        let bytes = |(_, edit): &(usize, &Edit)| match edit {
            Edit::Set { message, .. } => before.entries().get(*message).map_or(0, |entry| entry.message.bytes()),
            _ => 0,
        };
        in_parts(&edits, bytes, |edits| {
            let writer = RecipeWriter::new(&flat);
            let mut rebuild = Rebuild { texts: contents, decoder: self.decoder.clone(), writer };
            let mut found = Vec::new();
            // The old texts of the previous edit's message, which is usually also this edit's.
            let mut old_texts: (usize, Vec<TextAt<'_>>) = (usize::MAX, Vec::new());
            for (edit, set) in edits {
                let Edit::Set { message, path, .. } = set else { continue };
                let Some(old) = before.entries().get(*message) else { continue };
                let Some(at) = old.origin.and_then(|origin| position.get(&origin)) else { continue };
                let Some(text) = texts[*at].iter().position(|text| *text.path == **path) else { continue };
                if old_texts.0 != *message {
                    old_texts = (*message, old.message.texts());
                }
                let Some(was) = old_texts.1.iter().find(|text| *text.path == **path) else { continue };
                if let Some(recipe) = rebuild.recipe(starts[*at] + text, was.text) {
                    found.push((*edit, recipe));
                }
            }
            found
        })
    }
}

/// Returns true if the new text may contain markers. Without markers, nothing indicates where the old text is.
fn may_have_recipe(edit: &Edit) -> bool {
    matches!(edit, Edit::Set { value: NewValue::Text(new), .. } if may_hold_pointers(new))
}

struct Rebuild<'a> {
    texts: &'a [&'a str],
    decoder: Decoder<'a>,
    writer: RecipeWriter<'a>,
}

impl Rebuild<'_> {
    fn recipe(&mut self, text: usize, was: &str) -> Option<Recipe> {
        let lines = self.lines(text)?;
        self.writer.recipe(was, lines)
    }

    /// Returns the lines that a condensed text represents, with their positions.
    fn lines(&mut self, index: usize) -> Option<Vec<RecipeLines>> {
        let rows = self.decoder.rows(index);
        let mut found: Vec<RecipeLines> = Vec::new();
        // True if the next line can extend the last part: the part is from this text, and directly precedes the line.
        let mut open = false;
        for (at, row) in rows.rows.iter().enumerate() {
            let excerpt = (row.excerpt != NO_EXCERPT).then(|| &rows.excerpts[row.excerpt as usize]);
            let number = excerpt.map(|excerpt| (excerpt.number_of(row.line), excerpt.style));
            match row.kind {
                RowKind::Heading => open = false,
                RowKind::Gap => return None,
                RowKind::Line => {
                    let sparse = excerpt.is_some_and(|excerpt| excerpt.sparse);
                    let continues = open && found.last().is_some_and(|last| last.from.is_some() == sparse);
                    if let Some(last) = found.last_mut().filter(|_| continues) {
                        last.range.end = row.range().end;
                    } else {
                        let from = number.filter(|_| sparse).map(|(number, style)| (number, style, NUMBERED_EVERY));
                        let to = number.filter(|_| sparse);
                        found.push(RecipeLines { text: index, range: row.range(), from, to, times: 1 });
                    }
                    open = true;
                }
                RowKind::Pointer => {
                    open = false;
                    let target = self.decoder.target(index, at)?;
                    let there = self.decoder.rows(target.text);
                    let named = &there.rows[target.rows];
                    let (first, last) = (named.first()?, named.last()?);
                    let lines = match Pointer::read(&self.texts[index][row.content_range()])? {
                        Pointer::Repeat { times } => {
                            RecipeLines { text: index, range: first.content_range(), from: None, to: number, times }
                        }
                        Pointer::Reference(_) => {
                            let from = (first.excerpt != NO_EXCERPT).then(|| {
                                let excerpt = &there.excerpts[first.excerpt as usize];
                                let every = if excerpt.sparse { NUMBERED_EVERY } else { 1 };
                                (excerpt.number_of(first.line), excerpt.style, every)
                            });
                            let range = first.range().start..last.range().end;
                            RecipeLines { text: target.text, range, from, to: number, times: 1 }
                        }
                        Pointer::Sparse { .. } => return None,
                    };
                    found.push(lines);
                }
            }
        }
        Some(found)
    }
}
