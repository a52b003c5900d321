//! The names by which markers speak of texts.

use std::collections::HashMap;

use crate::conversation::{ContentKind, PathStep};

use super::markers::{TextName, is_field};

/// Where a text stands, as far as its name needs it.
#[derive(Debug, Clone, Copy)]
pub struct TextPlace<'a> {
    /// The message, from 0.
    pub message: usize,
    /// The block, from 0.
    pub block: usize,
    /// From the message to the text.
    pub path: &'a [PathStep],
    /// What kind of content it is as a whole.
    pub kind: ContentKind,
}

impl TextPlace<'_> {
    /// The field that the text is the value of.
    fn field(&self) -> &str {
        let keys = self.path.iter().rev().filter_map(|step| match step {
            PathStep::Key(key) => Some(&**key),
            PathStep::Index(_) => None,
        });
        keys.into_iter().next().unwrap_or_default()
    }
}

/// The names of the texts of a conversation. They depend on which texts there are, not on what they say.
pub struct Names<'a> {
    texts: Vec<TextPlace<'a>>,
    /// The texts of each message.
    messages: HashMap<usize, std::ops::Range<usize>>,
}

impl<'a> Names<'a> {
    /// Of these texts, which come in the order of their messages.
    pub fn new(texts: impl Iterator<Item = TextPlace<'a>>) -> Self {
        let texts: Vec<_> = texts.collect();
        let mut messages: HashMap<usize, std::ops::Range<usize>> = HashMap::new();
        for (index, text) in texts.iter().enumerate() {
            messages.entry(text.message).or_insert(index..index).end = index + 1;
        }
        Self { texts, messages }
    }

    /// The text that is meant; `None` when the name fits none or several.
    #[must_use]
    pub fn find(&self, name: &TextName<'_>) -> Option<usize> {
        let range = self.messages.get(&(name.message as usize).checked_sub(1)?)?.clone();
        let of_block = |text: &&usize| self.texts[**text].block + 1 == name.block as usize;
        let all: Vec<usize> = range.collect();
        let only = |texts: &mut dyn Iterator<Item = usize>| texts.next().filter(|_| texts.next().is_none());
        match (name.block, name.field) {
            (0, _) => {
                let results = all.iter().copied().filter(|text| self.texts[*text].kind == ContentKind::ToolResults);
                only(&mut results.clone()).or_else(|| only(&mut all.iter().copied()))
            }
            (_, "") => only(&mut all.iter().filter(of_block).copied()),
            (_, field) => {
                let mut named = all.iter().filter(of_block).copied().filter(|text| self.texts[*text].field() == field);
                named.nth((name.nth as usize).checked_sub(1)?)
            }
        }
    }

    /// The shortest name of a text; `None` when it has none.
    #[must_use]
    pub fn name(&self, text: usize) -> Option<TextName<'_>> {
        let place = &self.texts[text];
        let message = u32::try_from(place.message + 1).ok()?;
        let block = u32::try_from(place.block + 1).ok()?;
        let field = place.field();
        let short = [(0, ""), (block, ""), (block, field)];
        let short = short.into_iter().map(|(block, field)| TextName { message, block, field, nth: 1 });
        if let Some(name) =
            short.filter(|name| name.field.is_empty() || is_field(field)).find(|name| self.find(name) == Some(text))
        {
            return Some(name);
        }
        if !is_field(field) {
            return None;
        }
        let first = self.messages.get(&place.message)?.start;
        let before =
            self.texts[first..text].iter().filter(|other| other.block == place.block && other.field() == field);
        let nth = u32::try_from(before.count() + 1).ok()?;
        let name = TextName { message, block, field, nth };
        (self.find(&name) == Some(text)).then_some(name)
    }
}
