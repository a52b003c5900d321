//! Recipes that rebuild an old text from the condensed conversation, so that restoring needs few additional bytes.

use crate::maps::HashMap;
use std::ops::Range;

use serde::{Serialize, Serializer, ser::SerializeSeq};

use super::{NumberStyle, PathStep, TextAt, utf16::Units};

/// The limit of a text's length against the texts it is made of: 64 times their length, plus 2^20 UTF-16 units. The
/// reader of recipes ([`Recipe::rebuilt`]) refuses longer ones, because a recipe may come from anywhere.
const MAX_EXPANSION: usize = 64;
const FREE_UNITS: usize = 1 << 20;

/// Returns the UTF-16 units that a text made of texts with `sources` units in total may have.
pub(super) fn most_units(sources: usize) -> usize {
    MAX_EXPANSION.saturating_mul(sources).saturating_add(FREE_UNITS)
}

/// The parts of a text, which joined by line feeds give the text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Recipe {
    /// The texts that the parts come from: index of the message in the condensed conversation, and path in it.
    pub(super) texts: Vec<(usize, Vec<PathStep>)>,
    pub(super) parts: Vec<Part>,
}

impl Recipe {
    /// Returns the texts that the parts come from, each by its message and the path in it.
    pub fn sources(&self) -> &[(usize, Vec<PathStep>)] {
        &self.texts
    }

    /// Returns the recipe with its texts at other places; `None` if `place` returns none for one of them.
    pub fn moved(&self, place: impl Fn(usize, &[PathStep]) -> Option<(usize, Vec<PathStep>)>) -> Option<Self> {
        let texts = self.texts.iter().map(|(message, path)| place(*message, path)).collect::<Option<Vec<_>>>()?;
        Some(Self { texts, parts: self.parts.clone() })
    }
}

/// Some lines. As JSON `[text, start, end, from, to, times]`: index in [`Recipe::texts`]; UTF-16 units; line numbers
/// to remove (`[number, width, separator, every]`, 0 for none); line numbers to add (`[number, width, separator]`, 0
/// for none); repetitions. Trailing zeros, and `times` if 1, are omitted.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Part {
    pub text: usize,
    /// The range in UTF-16 units.
    pub range: Range<usize>,
    /// The first line's number and its style. Only lines whose number is a multiple of the last value show theirs.
    pub from: Option<(u32, NumberStyle, u32)>,
    pub to: Option<(u32, NumberStyle)>,
    pub times: u32,
}

impl Serialize for Part {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let length = match (&self.from, &self.to, self.times) {
            (None, None, 1) => 3,
            (Some(_), None, 1) => 4,
            (_, Some(_), 1) => 5,
            _ => 6,
        };
        let mut part = serializer.serialize_seq(Some(length))?;
        part.serialize_element(&self.text)?;
        part.serialize_element(&self.range.start)?;
        part.serialize_element(&self.range.end)?;
        if length > 3 {
            match self.from {
                Some((number, style, every)) => {
                    part.serialize_element(&(number, style.width(), style.separator(), every))?;
                }
                None => part.serialize_element(&0)?,
            }
        }
        if length > 4 {
            match self.to {
                Some((number, style)) => part.serialize_element(&(number, style.width(), style.separator()))?,
                None => part.serialize_element(&0)?,
            }
        }
        if length > 5 {
            part.serialize_element(&self.times)?;
        }
        part.end()
    }
}

/// Lines of a condensed text that an old text contains.
#[derive(Debug, Clone)]
pub struct RecipeLines {
    /// The index among the texts of [`RecipeWriter`].
    pub text: usize,
    /// The byte range in that text.
    pub range: Range<usize>,
    /// The number of the first line and its style, to be removed. Only lines whose number is a multiple of the last
    /// value show theirs.
    pub from: Option<(u32, NumberStyle, u32)>,
    /// The number of the first line and its style, to be added.
    pub to: Option<(u32, NumberStyle)>,
    /// The number of repetitions.
    pub times: u32,
}

/// Writes recipes from the texts of a condensed conversation.
pub struct RecipeWriter<'a> {
    /// The texts, each with its message.
    texts: &'a [(usize, &'a TextAt<'a>)],
    /// The UTF-16 offsets of the texts used so far.
    units: HashMap<usize, Units>,
}

impl<'a> RecipeWriter<'a> {
    /// Creates a writer for these texts, each with its message.
    pub fn new(texts: &'a [(usize, &'a TextAt<'a>)]) -> Self {
        Self { texts, units: HashMap::default() }
    }

    /// Writes the recipe for the text `was`. `None` if the lines do not give that text, or if the recipe would not be
    /// shorter.
    pub fn recipe(&mut self, was: &str, lines: Vec<RecipeLines>) -> Option<Recipe> {
        if !self.are(&lines, was) {
            return None;
        }
        let mut recipe = Recipe { texts: Vec::new(), parts: Vec::new() };
        let mut known: HashMap<usize, usize> = HashMap::default();
        for RecipeLines { text, range, from, to, times } in lines {
            let (message, place) = self.texts[text];
            let content = place.text;
            let units = self.units.entry(text).or_insert_with(|| Units::count(content));
            // The placeholder of an unpaired surrogate has another length in JavaScript.
            if !units.are_exact() {
                return None;
            }
            let number = *known.entry(text).or_insert_with(|| {
                recipe.texts.push((message, place.path.to_vec()));
                recipe.texts.len() - 1
            });
            let range = units.at(content, range.start)..units.at(content, range.end);
            recipe.parts.push(Part { text: number, range, from, to, times });
        }
        let sources: usize = known.keys().map(|text| self.length(*text)).sum();
        let size = serde_json::to_string(&recipe).ok()?.len();
        (size < was.len() && was.len() <= most_units(sources)).then_some(recipe)
    }

    /// Returns the UTF-16 units of a text used so far.
    fn length(&self, text: usize) -> usize {
        let content = self.texts[text].1.text;
        self.units.get(&text).map_or(0, |units| units.at(content, content.len()))
    }

    /// Returns true if the parts are exactly the text `was`, and no line lacks its number.
    fn are(&self, parts: &[RecipeLines], was: &str) -> bool {
        let mut rest = Rest { text: was, is_begun: false };
        let mut prefix = String::new();
        for part in parts {
            let content = &self.texts[part.text].1.text[part.range.clone()];
            for turn in 0..part.times {
                if part.from.is_none() && part.to.is_none() {
                    if !rest.take_lines("", content) {
                        return false;
                    }
                    continue;
                }
                for (offset, line) in (0..).zip(content.split('\n')) {
                    let mut line = Some(line);
                    prefix.clear();
                    if let Some((number, style, every)) = part.from
                        && (number + offset) % every == 0
                    {
                        style.write(number + offset, &mut prefix);
                        line = line.and_then(|line| line.strip_prefix(&*prefix));
                        prefix.clear();
                    }
                    if let Some((number, style)) = part.to {
                        style.write(number + turn + offset, &mut prefix);
                    }
                    if !line.is_some_and(|line| rest.take_lines(&prefix, line)) {
                        return false;
                    }
                }
            }
        }
        rest.text.is_empty()
    }
}

/// The rest of a text whose lines are taken one after the other.
struct Rest<'a> {
    text: &'a str,
    /// Some lines were taken, so that the next ones follow a line feed.
    is_begun: bool,
}

impl Rest<'_> {
    /// Takes lines behind `prefix`, if they are the next ones.
    fn take_lines(&mut self, prefix: &str, lines: &str) -> bool {
        let feed = if std::mem::replace(&mut self.is_begun, true) { "\n" } else { "" };
        let rest = self.text.strip_prefix(feed).and_then(|rest| rest.strip_prefix(prefix)?.strip_prefix(lines));
        rest.inspect(|rest| self.text = rest).is_some()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::conversation::ContentKind;

    fn text(text: &str) -> TextAt<'_> {
        TextAt { block: 0, path: ["content".into()].into(), kind: ContentKind::MessageText, text }
    }

    fn lines(range: Range<usize>) -> RecipeLines {
        RecipeLines { text: 0, range, from: None, to: None, times: 1 }
    }

    #[test]
    fn numbers_are_taken_off_and_put_on() {
        let (_, style, _) = NumberStyle::read("    10→".as_bytes()).unwrap();
        let text = text("    10→the tenth line, é\nthe eleventh line of a text that is long enough\nmore");
        let texts = [(4, &text)];
        let mut writer = RecipeWriter::new(&texts);
        let parts = vec![
            RecipeLines { from: Some((10, style, 10)), ..lines(0..text.text.len() - 5) },
            RecipeLines { to: Some((7, style)), times: 40, ..lines(text.text.len() - 4..text.text.len()) },
        ];
        let repeated: Vec<String> = (7..47).map(|number| format!("{number:>6}→more")).collect();
        let was =
            format!("the tenth line, é\nthe eleventh line of a text that is long enough\n{}", repeated.join("\n"));
        let recipe = writer.recipe(&was, parts.clone()).unwrap();
        let json = serde_json::to_string(&recipe).unwrap();
        assert_eq!(json, r#"{"texts":[[4,["content"]]],"parts":[[0,0,72,[10,6,"→",10]],[0,73,77,0,[7,6,"→"],40]]}"#);
        assert_eq!(writer.recipe(&format!("{was}!"), parts), None, "the lines are another text");
    }

    #[test]
    fn a_text_much_longer_than_what_it_is_made_of_has_none() {
        let text = text("x");
        let texts = [(0, &text)];
        let mut writer = RecipeWriter::new(&texts);
        let mut recipe = |times: u32| {
            let was = vec!["x"; times as usize].join("\n");
            writer.recipe(&was, vec![RecipeLines { times, ..lines(0..1) }])
        };
        assert!(recipe(500_000).is_some());
        assert_eq!(recipe(600_000), None, "who reads it would refuse it");
    }

    proptest! {
        #[test]
        fn there_is_a_recipe_only_where_the_lines_are_the_text(whole in "[a-zé\n]{0,200}", other in "[a-z]{0,3}", at in 0_usize..200) {
            let end = (0..=whole.len().min(at)).rev().find(|end| whole.is_char_boundary(*end)).unwrap_or(0);
            let text = text(&whole);
            let texts = [(0, &text)];
            let mut writer = RecipeWriter::new(&texts);
            let was = format!("{}{other}", &whole[..end]);
            let found = writer.recipe(&was, vec![lines(0..end)]);
            prop_assert!(found.is_none() || other.is_empty());
            prop_assert!(found.is_none_or(|recipe| serde_json::to_string(&recipe).unwrap().len() < was.len()));
        }
    }
}
