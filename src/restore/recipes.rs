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
    after: &'a Conversation,
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
        Some(Self { after, texts, contents, starts, position })
    }

    /// Prepares to resolve the pointers in these texts.
    #[must_use]
    pub fn follow(&self) -> Recipes<'_> {
        Recipes { sources: self, decoder: Decoder::of_conversation(self.after, &self.contents) }
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
        let RecipeSources { texts, contents, starts, position, .. } = self.sources;
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::conversation::{Content, Inserted, Message, PathStep, Role, SourceText, utf16::utf16_length};

    fn line(number: u32) -> String {
        format!("the line that has the number {number} in the text")
    }

    fn lines(numbers: std::ops::RangeInclusive<u32>) -> String {
        numbers.map(line).collect::<Vec<_>>().join("\n")
    }

    fn numbered(first: u32, text: &str) -> String {
        let lines = (first..).zip(text.split('\n')).map(|(number, line)| format!("{number:>6}→{line}"));
        lines.collect::<Vec<_>>().join("\n")
    }

    /// Returns the recipe for the text `was` of a message that is now `now`, behind one with this source.
    fn recipe(source: &str, was: &str, now: &str) -> Option<(Conversation, Recipe)> {
        let messages = json!([{ "role": "user", "content": source }, { "role": "assistant", "content": was }]);
        let before = Conversation::parse(&messages.to_string()).unwrap();
        let plan = Plan { edits: vec![Edit::set_text(1, vec!["content".into()], now.to_owned())] };
        let after = before.apply(&plan).unwrap();
        let (edit, recipe) = RecipeSources::new(&after, &plan)?.follow().write(&before, &plan).pop()?;
        assert_eq!(edit, 0);
        Some((after, recipe))
    }

    fn rebuilt(after: &Conversation, recipe: &Recipe, was: &str) -> String {
        let text = |(message, path): &(usize, Vec<PathStep>)| {
            let texts = after.message(*message).texts();
            SourceText::from(texts.iter().find(|text| *text.path == **path).unwrap().text.to_owned())
        };
        let texts: Vec<SourceText> = recipe.sources().iter().map(text).collect();
        recipe.rebuilt(&texts.iter().collect::<Vec<_>>(), utf16_length(was)).unwrap()
    }

    #[test]
    fn an_old_text_is_rebuilt_from_what_its_pointers_represent() {
        let (plain, with_numbers) = (lines(1..=12), numbered(5, &lines(1..=12)));
        let headed = format!(
            "     5→[12 lines, every 10th numbered:]\n{}",
            plain.replacen(&line(6), &format!("    10→{}", line(6)), 1)
        );
        let pointer = |count: u32, first: u32| {
            format!("[{count} lines as above from \"the line that has the number {first} in\"]")
        };
        let ten = lines(2..=11);
        let one = line(1);
        let long = "a long line that is repeated again and again";
        for (what, source, was, now) in [
            ("a pointer", &plain, format!("so\n{ten}\nend"), format!("so\n{}\nend", pointer(10, 2))),
            ("two pointers", &plain, format!("{ten}\n{plain}"), format!("{}\n{}", pointer(10, 2), pointer(12, 1))),
            ("lines with numbers elsewhere", &with_numbers, format!("so\n{ten}"), format!("so\n{}", pointer(10, 2))),
            ("lines below a heading elsewhere", &headed, format!("so\n{ten}"), format!("so\n{}", pointer(10, 2))),
            ("lines with other numbers", &with_numbers, numbered(7, &ten), format!("     7→{}", pointer(10, 2))),
            ("numbers left out", &plain, numbered(5, &plain), headed.clone()),
            (
                "a pointer below a heading",
                &plain,
                numbered(8, &format!("{one}\n{ten}\n{one}")),
                format!("     8→[12 lines, every 10th numbered:]\n{one}\n{}\n{one}", pointer(10, 2)),
            ),
            ("a repeated line", &plain, [long; 9].join("\n"), format!("{long}\n[The line above 8 more times]")),
            (
                "a repeated line with numbers",
                &plain,
                numbered(3, &[long; 9].join("\n")),
                format!("     3→{long}\n     4→[The line above 8 more times]"),
            ),
        ] {
            let (after, recipe) = recipe(source, &was, &now).unwrap_or_else(|| panic!("no recipe: {what}"));
            assert_eq!(rebuilt(&after, &recipe, &was), was, "{what}");
        }
        let below = |marker: &str| format!("     5→[12 lines, every 10th numbered:]\n{one}\n{marker}\n{one}");
        for (was, now) in [
            (format!("so\n{ten}"), "so".to_owned()),
            (format!("so\n{ten}"), format!("so\n{}", pointer(9, 2))),
            (format!("so\n{ten}"), format!("other\n{}", pointer(10, 2))),
            (format!("so\n{ten}"), format!("so\n{}", pointer(10, 4))),
            (numbered(5, &plain), below("[… 10 lines left out]")),
            (line(2), "[1 line as above from \"the line that has the number 2 in\"]".to_owned()),
        ] {
            assert!(recipe(&plain, &was, &now).is_none(), "{now}");
        }
    }

    #[test]
    fn recipes_name_the_texts_where_they_are_afterwards() {
        let pointer = |first: u32| format!("[9 lines as above from \"the line that has the number {first} in\"]");
        let block = |text: &str| json!({ "type": "text", "text": text });
        let was = [lines(1..=9), lines(11..=19), lines(2..=10)];
        let messages = json!([
            { "role": "user", "content": "dropped" },
            { "role": "user", "content": [block("not it"), block(&lines(1..=20))] },
            { "role": "assistant", "content": [block(&was[0]), block("stays"), block(&was[1])] },
            { "role": "user", "content": was[2] },
        ]);
        let before = Conversation::parse(&messages.to_string()).unwrap();
        let at = |block: usize| vec!["content".into(), PathStep::Index(block), "text".into()];
        let note = Inserted::from(Message::new(Role::User, Content::Text("a note".to_owned())));
        let plan = Plan {
            edits: vec![
                Edit::Drop { message: 0 },
                Edit::set_text(2, at(0), pointer(1)),
                Edit::set_text(2, at(2), pointer(11)),
                Edit::set_text(3, vec!["content".into()], pointer(2)),
                Edit::Insert { before: 2, value: note },
            ],
        };
        let after = before.apply(&plan).unwrap();
        let recipes = RecipeSources::new(&after, &plan).unwrap().follow().write(&before, &plan);
        assert_eq!(recipes.iter().map(|(edit, _)| *edit).collect::<Vec<_>>(), [1, 2, 3]);
        for ((_, recipe), was) in recipes.iter().zip(&was) {
            assert_eq!(recipe.sources(), [(0, at(1))]);
            assert_eq!(rebuilt(&after, recipe, was), *was);
        }
    }
}
