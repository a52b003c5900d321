//! The names by which markers speak of texts.

use std::ops::Range;

use crate::{
    conversation::{ContentKind, PathStep},
    markers::{TextName, is_field},
};

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
            PathStep::Key(key) => Some(key.as_ref()),
            PathStep::Index(_) => None,
        });
        keys.into_iter().next().unwrap_or_default()
    }
}

/// The names of the texts of a conversation. They depend on which texts there are, not on what they say.
pub struct TextNames<'a> {
    texts: Vec<TextPlace<'a>>,
    /// The texts of each message.
    messages: Vec<Range<usize>>,
}

impl<'a> TextNames<'a> {
    /// Of these texts, which come in the order of their messages.
    pub fn new(texts: impl Iterator<Item = TextPlace<'a>>) -> Self {
        let texts: Vec<_> = texts.collect();
        let mut messages: Vec<Range<usize>> = Vec::new();
        for (index, text) in texts.iter().enumerate() {
            if text.message >= messages.len() {
                messages.resize(text.message + 1, index..index);
            }
            messages[text.message].end = index + 1;
        }
        Self { texts, messages }
    }

    /// The text that is meant; `None` when the name fits none or several.
    #[must_use]
    pub fn find(&self, name: &TextName<'_>) -> Option<usize> {
        let range = self.messages.get((name.message as usize).checked_sub(1)?)?.clone();
        // The texts of a message are in the order of its blocks.
        let until = |block: usize| range.start + self.texts[range.clone()].partition_point(|text| text.block < block);
        let of_block = || until((name.block as usize).saturating_sub(1))..until(name.block as usize);
        match (name.block, name.field) {
            (0, _) => {
                let is_result = |text: &usize| self.texts[*text].kind == ContentKind::ToolResults;
                only(range.clone().filter(is_result)).or_else(|| only(range.clone()))
            }
            (_, "") => only(of_block()),
            (_, field) => {
                let mut named = of_block().filter(|text| self.texts[*text].field() == field);
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
        let first = self.messages.get(place.message)?.start;
        let before =
            self.texts[first..text].iter().filter(|other| other.block == place.block && other.field() == field);
        let nth = u32::try_from(before.count() + 1).ok()?;
        let name = TextName { message, block, field, nth };
        (self.find(&name) == Some(text)).then_some(name)
    }
}

/// The one item; `None` when there is none or several.
fn only(mut items: impl Iterator<Item = usize>) -> Option<usize> {
    items.next().filter(|_| items.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(keys: &[&str]) -> Vec<PathStep> {
        keys.iter().map(|key| key.parse().map_or_else(|_| PathStep::key(key), PathStep::Index)).collect()
    }

    #[test]
    fn every_text_has_the_shortest_name_that_leads_to_it() {
        use ContentKind::{MessageText, ToolParameters, ToolResults};
        let texts = [
            (0, 0, path(&["content"]), MessageText),
            (1, 0, path(&["content", "0", "text"]), MessageText),
            (1, 1, path(&["content", "1", "input", "path"]), ToolParameters),
            (1, 1, path(&["content", "1", "input", "content"]), ToolParameters),
            (2, 0, path(&["content", "0", "content"]), ToolResults),
            (2, 1, path(&["content", "1", "text"]), MessageText),
            (3, 0, path(&["content", "0", "content", "0", "text"]), ToolResults),
            (3, 0, path(&["content", "0", "content", "1", "text"]), ToolResults),
            (3, 1, path(&["content", "1", "input", "ä"]), ToolParameters),
            (3, 1, path(&["content", "1", "input", "ö"]), ToolParameters),
        ];
        let places = || {
            texts.iter().map(|(message, block, path, kind)| TextPlace {
                message: *message,
                block: *block,
                path,
                kind: *kind,
            })
        };
        let names = TextNames::new(places());
        let shown: Vec<_> = (0..texts.len()).map(|text| names.name(text).map(|name| name.to_string())).collect();
        let expected = [
            Some("message 1"),
            Some("message 2, block 1"),
            Some("message 2, block 2 path"),
            Some("message 2, block 2 content"),
            Some("message 3"),
            Some("message 3, block 2"),
            Some("message 4, block 1 text"),
            Some("message 4, block 1 text 2"),
            None,
            None,
        ];
        assert_eq!(shown, expected.map(|name| name.map(str::to_owned)));
        for text in 0..texts.len() {
            assert_eq!(names.name(text).and_then(|name| names.find(&name)), names.name(text).map(|_| text));
        }
    }
}
