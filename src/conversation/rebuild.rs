//! Rebuilds old texts by recipes. A host may have kept a recipe anywhere, so every number is checked before use, and
//! no text becomes longer than the one it is for.

use std::{fmt, ops::Range};

use serde::{
    Deserialize, Deserializer,
    de::{Error, SeqAccess, Visitor},
};
use serde_json::Value;

use super::{
    NumberStyle, PathStep, Recipe,
    recipe::{Part, most_units},
    utf16::{Units, utf16_length},
};

/// Maximum length of a path: no text has a longer one.
const MAX_PATH: usize = 256;

/// A recipe that does not describe a text of the expected length.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RecipeError {
    /// The text is longer than its source texts allow.
    #[error("{length} characters cannot come from what is there; at most {most}")]
    TooLong {
        /// The UTF-16 units of the text.
        length: usize,
        /// The limit.
        most: usize,
    },
    /// A part ends after the end of its text, or inside a character.
    #[error("character {end} of a text of {length}")]
    NoCharacter {
        /// The end of the part in UTF-16 units.
        end: usize,
        /// The UTF-16 units of the text.
        length: usize,
    },
    /// A line does not begin with its number.
    #[error("a line does not begin with its number {0}")]
    NoNumber(u32),
    /// The parts are longer than the text.
    #[error("it says more than the {0} characters of the text")]
    More(usize),
    /// The parts are shorter than the text.
    #[error("it says less than the {0} characters of the text")]
    Less(usize),
}

/// A path from outside. Reading stops at the maximum length.
#[derive(Debug, Clone)]
pub struct OutsidePath(pub Vec<PathStep>);

impl<'de> Deserialize<'de> for OutsidePath {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Steps;
        impl<'de> Visitor<'de> for Steps {
            type Value = OutsidePath;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(formatter, "at most {MAX_PATH} steps")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut steps: A) -> Result<OutsidePath, A::Error> {
                let mut path = Vec::new();
                while let Some(step) = steps.next_element::<PathStep>()? {
                    let is_step = step.index().is_none_or(|index| u32::try_from(index).is_ok());
                    if !is_step || path.len() == MAX_PATH {
                        return Err(A::Error::invalid_length(path.len() + 1, &self));
                    }
                    path.push(step);
                }
                Ok(OutsidePath(path))
            }
        }
        deserializer.deserialize_seq(Steps)
    }
}

/// A text that recipes refer to.
#[derive(Debug)]
pub struct SourceText {
    text: String,
    units: Units,
    length: usize,
}

impl From<String> for SourceText {
    fn from(text: String) -> Self {
        Self { units: Units::count(&text), length: utf16_length(&text), text }
    }
}

impl SourceText {
    /// Returns the text in a range of UTF-16 units.
    fn slice(&self, range: &Range<usize>) -> Option<&str> {
        // A text with placeholders for surrogates has a different length in JavaScript, so no recipe is written for it.
        let byte = |units| self.units.are_exact().then(|| self.units.byte(&self.text, units)).flatten();
        self.text.get(byte(range.start)?..byte(range.end)?)
    }
}

impl Recipe {
    /// Rebuilds the text of `length` UTF-16 units from the texts of [`Recipe::sources`].
    ///
    /// # Errors
    /// [`RecipeError`] if the recipe does not describe a text of this length.
    pub fn rebuilt(&self, texts: &[&SourceText], length: usize) -> Result<String, RecipeError> {
        let most = most_units(texts.iter().map(|text| text.length).sum());
        if length > most {
            return Err(RecipeError::TooLong { length, most });
        }
        let mut written = Written { text: String::new(), length, left: length + 1 };
        for part in &self.parts {
            let source = texts[part.text];
            let text = source
                .slice(&part.range)
                .ok_or(RecipeError::NoCharacter { end: part.range.end, length: source.length })?;
            written.add(part, text)?;
        }
        if written.left == 0 { Ok(written.text) } else { Err(RecipeError::Less(length)) }
    }
}

/// A text that is being rebuilt.
struct Written {
    text: String,
    /// Its final length in UTF-16 units.
    length: usize,
    /// The units still missing, with one line feed before the first line.
    left: usize,
}

impl Written {
    fn add(&mut self, part: &Part, text: &str) -> Result<(), RecipeError> {
        if part.from.is_none() && part.to.is_none() {
            return (0..part.times).try_for_each(|_| self.line("", text));
        }
        let lines = (0..).zip(text.split('\n')).map(|(offset, line)| without_number(part, offset, line));
        let lines = lines.collect::<Result<Vec<_>, _>>()?;
        let mut prefix = String::new();
        for turn in 0..part.times {
            for (offset, line) in (0_u32..).zip(&lines) {
                prefix.clear();
                if let Some((number, style)) = part.to {
                    style.write(number.saturating_add(turn).saturating_add(offset), &mut prefix);
                }
                self.line(&prefix, line)?;
            }
        }
        Ok(())
    }

    /// Adds a line feed and a line, which may contain further line feeds.
    fn line(&mut self, prefix: &str, line: &str) -> Result<(), RecipeError> {
        let units = utf16_length(prefix) + utf16_length(line) + 1;
        let is_first = self.left == self.length + 1;
        self.left = self.left.checked_sub(units).ok_or(RecipeError::More(self.length))?;
        if !is_first {
            self.text.push('\n');
        }
        self.text.push_str(prefix);
        self.text.push_str(line);
        Ok(())
    }
}

/// Removes the number of a line, if it shows one.
fn without_number<'t>(part: &Part, offset: u32, line: &'t str) -> Result<&'t str, RecipeError> {
    let Some((first, style, every)) = part.from else { return Ok(line) };
    let number = first.saturating_add(offset);
    if !number.is_multiple_of(every) {
        return Ok(line);
    }
    let mut prefix = String::new();
    style.write(number, &mut prefix);
    line.strip_prefix(prefix.as_str()).ok_or(RecipeError::NoNumber(number))
}

impl<'de> Deserialize<'de> for Recipe {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Form {
            texts: Vec<(usize, OutsidePath)>,
            parts: Vec<Vec<Value>>,
        }
        let Form { texts, parts } = Form::deserialize(deserializer)?;
        let parts: Option<Vec<Part>> = parts.iter().map(|fields| read_part(fields, texts.len())).collect();
        let parts = parts.ok_or_else(|| D::Error::custom("the parts of a recipe are ranges of its texts"))?;
        Ok(Self { texts: texts.into_iter().map(|(message, OutsidePath(path))| (message, path)).collect(), parts })
    }
}

fn number(value: &Value) -> Option<u32> {
    value.as_u64().and_then(|number| u32::try_from(number).ok())
}

/// Parses a number of at least 1; an absent value means 1.
fn count(value: Option<&Value>) -> Option<u32> {
    value.map_or(Some(1), number).filter(|count| *count > 0)
}

fn read_part(fields: &[Value], texts: usize) -> Option<Part> {
    let ([text, start, end], more) = fields.split_first_chunk()?;
    let [text, start, end] = [number(text)?, number(start)?, number(end)?].map(|number| number as usize);
    if more.len() > 3 || text >= texts || start > end {
        return None;
    }
    let from = read_numbers(more.first(), 4)?;
    let to = read_numbers(more.get(1), 3)?.map(|(first, style, _)| (first, style));
    Some(Part { text, range: start..end, from, to, times: count(more.get(2))? })
}

/// The number of the first line, the style, and the interval of numbered lines: 10 if every 10th line shows its number.
type Numbers = (u32, NumberStyle, u32);

/// Reads line numbers of `length` fields. The outer `None` means that these are none.
#[allow(
    clippy::option_option,
    reason = "the caller asks two questions: whether the form is right, and whether there are numbers"
)]
fn read_numbers(value: Option<&Value>, length: usize) -> Option<Option<Numbers>> {
    let Some(value) = value.filter(|value| number(value) != Some(0)) else { return Some(None) };
    let fields = value.as_array().filter(|fields| fields.len() == length)?;
    let style = NumberStyle::new(u8::try_from(number(fields.get(1)?)?).ok()?, fields.get(2)?.as_str()?)?;
    Some(Some((number(fields.first()?)?, style, count(fields.get(3))?)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::conversation::{ContentKind, RecipeLines, RecipeWriter, TextAt};

    fn read(recipe: &Value) -> Option<Recipe> {
        Recipe::deserialize(recipe).ok()
    }

    fn rebuilt(parts: &Value, text: &str, length: usize) -> Result<String, RecipeError> {
        let recipe = read(&json!({ "texts": [[0, ["content"]]], "parts": parts })).expect("a recipe");
        recipe.rebuilt(&[&SourceText::from(text.to_owned())], length)
    }

    #[test]
    fn parts_are_joined_by_line_feeds() {
        assert_eq!(rebuilt(&json!([[0, 0, 2], [0, 3, 5]]), "é1\n→2", 5).as_deref(), Ok("é1\n→2"));
        assert_eq!(rebuilt(&json!([[0, 0, 1, 0, 0, 3]]), "x", 5).as_deref(), Ok("x\nx\nx"));
        assert_eq!(rebuilt(&json!([[0, 2, 3]]), "😀x", 1).as_deref(), Ok("x"));
        assert_eq!(rebuilt(&json!([[0, 0, 0]]), "x", 0).as_deref(), Ok(""));
    }

    #[test]
    fn numbers_are_taken_off_and_put_on() {
        let numbered = "    10→ten\neleven";
        assert_eq!(rebuilt(&json!([[0, 0, 17, [10, 6, "→", 10]]]), numbered, 10).as_deref(), Ok("ten\neleven"));
        assert_eq!(rebuilt(&json!([[0, 0, 1, 0, [9, 1, ":"], 2]]), "x", 8).as_deref(), Ok("9:x\n10:x"));
        assert_eq!(rebuilt(&json!([[0, 0, 1, [7, 1, ":", 1]]]), "x", 1), Err(RecipeError::NoNumber(7)));
    }

    #[test]
    fn other_lengths_are_refused_before_they_are_written() {
        assert_eq!(rebuilt(&json!([[0, 0, 1, 0, 0, u32::MAX]]), "x", 5), Err(RecipeError::More(5)));
        assert_eq!(rebuilt(&json!([[0, 0, 1]]), "x", 5), Err(RecipeError::Less(5)));
        assert_eq!(rebuilt(&json!([]), "x", 0), Err(RecipeError::Less(0)));
        let most = most_units(1);
        assert_eq!(rebuilt(&json!([[0, 0, 1]]), "x", most + 1), Err(RecipeError::TooLong { length: most + 1, most }));
        assert_eq!(rebuilt(&json!([[0, 0, 2]]), "x", 2), Err(RecipeError::NoCharacter { end: 2, length: 1 }));
        assert_eq!(rebuilt(&json!([[0, 0, 1]]), "😀", 1), Err(RecipeError::NoCharacter { end: 1, length: 2 }));
    }

    #[test]
    fn a_damaged_recipe_is_none() {
        let with = |part: Value| read(&json!({ "texts": [[0, ["content"]]], "parts": [part] })).is_some();
        assert!(with(json!([0, 0, 1, 0, 0, 1])));
        for part in [
            json!(null),
            json!([0, 0]),
            json!([1, 0, 1]),
            json!([0, -1, 1]),
            json!([0, 5, 1]),
            json!([0, 0.5, 1]),
            json!([0, 0, 1_u64 << 40]),
            json!(["0", "0", "1"]),
            json!([0, 0, 1, 0, 0, 0]),
            json!([0, 0, 1, 0, 0, 1, 1]),
            json!([0, 0, 1, null]),
            json!([0, 0, 1, 0, [1, 1000, "→"]]),
            json!([0, 0, 1, 0, [1, 6, "xx"]]),
            json!([0, 0, 1, [-1, 6, "→", 1]]),
            json!([0, 0, 1, [1, 6, "→", 0]]),
            json!([0, 0, 1, [1, 6, "→"]]),
        ] {
            assert!(!with(part.clone()), "{part}");
        }
        assert_eq!(read(&json!({ "texts": [[0, vec!["content"; 257]]], "parts": [] })), None);
        assert_eq!(read(&json!({ "texts": [[0, [1_u64 << 40]]], "parts": [] })), None);
        assert_eq!(read(&json!({ "parts": [] })), None);
    }

    proptest! {
        #[test]
        fn a_recipe_that_was_written_gives_its_text(whole in "[a-zé😀\n]{0,300}", from in 0_usize..300, times in 1_u32..4, is_numbered in any::<bool>()) {
            let start = (0..=whole.len().min(from)).rev().find(|start| whole.is_char_boundary(*start)).unwrap_or(0);
            let text = TextAt { block: 0, path: ["content".into()].into(), kind: ContentKind::MessageText, text: &whole };
            let texts = [(0, &text)];
            let to = NumberStyle::new(6, "→").filter(|_| is_numbered).map(|style| (7, style));
            let lines: Vec<&str> = whole[start..].split('\n').collect();
            let turn = |turn: u32| (turn + 7..).zip(&lines).map(|(number, line)| if is_numbered { format!("{number:>6}→{line}") } else { (*line).to_owned() }).collect::<Vec<_>>().join("\n");
            let was = (0..times).map(turn).collect::<Vec<_>>().join("\n");
            let parts = vec![RecipeLines { text: 0, range: start..whole.len(), from: None, to, times }];
            if let Some(recipe) = RecipeWriter::new(&texts).recipe(&was, parts) {
                let read = Recipe::deserialize(serde_json::to_value(&recipe).unwrap()).unwrap();
                prop_assert_eq!(&read, &recipe);
                prop_assert_eq!(read.rebuilt(&[&SourceText::from(whole.clone())], utf16_length(&was)), Ok(was));
            }
        }

        #[test]
        fn any_recipe_gives_a_text_of_its_length_or_none(text in "[a1:\né😀]{0,40}", fields in prop::collection::vec(0_u32..12, 3..7), length in 0_usize..60) {
            let fields: Vec<Value> = fields.into_iter().enumerate().map(|(at, field)| match at {
                3 if field > 2 => json!([field, 1, ":", 1]),
                4 if field > 2 => json!([field, 1, ":"]),
                3 | 4 => json!(0),
                _ => json!(field),
            }).collect();
            if let Some(recipe) = read(&json!({ "texts": [[0, ["content"]]], "parts": [fields] })) {
                let rebuilt = recipe.rebuilt(&[&SourceText::from(text)], length);
                prop_assert!(rebuilt.is_err() || rebuilt.is_ok_and(|text| utf16_length(&text) == length));
            }
        }
    }
}
