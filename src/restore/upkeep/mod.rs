//! Keeps pointers true: after any change of a conversation, a pointer represents the same lines as before, or is no
//! longer a pointer.
//!
//! | module | its one idea |
//! | --- | --- |
//! | `counterparts` | the text that each text was before |
//! | `lines` | compares the lines that pointers represent |
//! | `matched` | the row that each row was before |
//! | `draft` | a text under repair |
//! | `copies` | other copies of a wrong pointer's lines |

mod copies;
mod counterparts;
mod draft;
mod lines;
mod matched;

use std::{ops::Range, sync::Arc};

use self::{
    copies::copies,
    counterparts::Texts,
    draft::{Draft, Old, Wrong},
    lines::Lines,
};
use super::{decoder::Decoder, rows::Rows};
use crate::{
    conversation::{Block, BlockOrigins, Content, Conversation, Message, PathStep},
    maps::HashMap,
    markers::may_hold_pointers,
};

/// A text that must be changed so that its pointers stay true.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mended {
    /// The index of the message.
    pub message: usize,
    /// The index of the block.
    pub block: usize,
    /// The path from the message to the text.
    pub path: Vec<PathStep>,
    /// Its new content.
    pub text: String,
    /// Number of pointers redirected to another copy of the same lines.
    pub aimed: usize,
    /// Number of pointers replaced by their lines.
    pub expanded: usize,
    /// Number of pointers whose lines are left out.
    pub left_out: usize,
}

/// A proposal to replace a pointer by its lines, in a text without other changes.
pub struct Expansion<'e> {
    /// The index of the message.
    pub message: usize,
    /// The path from the message to the text.
    pub path: &'e [PathStep],
    /// The pointer as written.
    pub pointer: &'e str,
    /// The lines as written.
    pub lines: &'e str,
    /// The whole text with the lines in place.
    pub text: &'e str,
}

/// Returns the byte ranges of a text's parts, given its message and path.
pub type Parts<'p> = dyn Fn(usize, &[PathStep]) -> Vec<Range<usize>> + 'p;

/// Rounds of re-resolving pointers after repairs. Pointers wrong after that are left out in as many rounds: without a
/// line, another may look like a heading.
const MAX_ROUNDS: usize = 3;

/// Multiple of the conversation's bytes that may be read and copied to replace pointers with their lines.
const ROOM: usize = 8;

/// Returns true if there may be pointers in a conversation. Fast.
#[must_use]
pub fn holds_pointers(conversation: &Conversation) -> bool {
    conversation.messages().any(message_holds_pointers)
}

/// Returns true if there may be pointers in a message. Fast.
#[must_use]
pub fn message_holds_pointers(message: &Message) -> bool {
    in_content(&message.content)
}

fn in_content(content: &Content) -> bool {
    match content {
        Content::Text(text) => may_hold_pointers(text),
        content => content.blocks().iter().any(|block| match block {
            Block::Text { text, .. } => may_hold_pointers(text),
            Block::ToolUse { input, .. } => may_hold_pointers(input.get()),
            Block::ToolResult { content, .. } => in_content(content),
            _ => false,
        }),
    }
}

/// Returns the texts of `after` that have to change so that the remaining pointers of `before` stay true. New text
/// that only looks like a pointer is left out. `origins` has the former indices of blocks. `parts` returns the parts
/// of a former text, given its message and path, because our headings never cover lines of two parts. `may_expand` is
/// asked whether lines may replace a pointer; without it, no text becomes longer.
#[must_use]
pub fn kept_true(
    before: &Conversation,
    after: &Conversation,
    origins: &BlockOrigins,
    parts: &Parts<'_>,
    mut may_expand: Option<&mut dyn FnMut(Expansion<'_>) -> bool>,
) -> Vec<Mended> {
    let (was, is) = (Texts::new(before), Texts::new(after));
    let (was_contents, is_contents) = (was.contents(), is.contents());
    let mut old_lines = Lines::new(Decoder::of_conversation(before, &was_contents), &was_contents);
    let places = before.positions();
    let mut counterparts: Vec<Option<usize>> =
        (0..is_contents.len()).map(|text| is.counterpart(text, after, &was, &places, origins)).collect();
    is.adopt(&mut counterparts, after, &was, before);
    let sides = Sides { after, is: &is, was_contents: &was_contents, is_contents: &is_contents, counterparts };
    // Unchanged texts are not read again.
    let unchanged: Vec<Option<usize>> =
        (0..is_contents.len()).map(|text| sides.counterparts[text].filter(|_| !sides.is_changed(text))).collect();
    let unchanged = |text: usize| unchanged[text];
    let mut new_lines = Decoder::of_conversation_beside(after, &is_contents, &old_lines.decoder, unchanged);
    let parts_of = |old: usize| parts(was.texts[old].0, &was.texts[old].1.path);
    let mut work = Work { sides: &sides, parts: &parts_of, drafts: Vec::new(), trusted: Vec::new() };
    work.begin(&mut new_lines, &mut old_lines);
    if work.drafts.is_empty() {
        return Vec::new();
    }
    // Lines that replace pointers are examined again, which hostile pointers could demand without end.
    let mut room: usize = ROOM * is_contents.iter().map(|text| text.len()).sum::<usize>();
    for round in 0..=2 * MAX_ROUNDS {
        let may_expand = may_expand.as_deref_mut().filter(|_| round < MAX_ROUNDS);
        if !work.repair(&new_lines, &mut old_lines, &mut room, may_expand) {
            break;
        }
    }
    work.done()
}

/// The texts before and after, matched to each other.
struct Sides<'c> {
    after: &'c Conversation,
    is: &'c Texts<'c>,
    was_contents: &'c [&'c str],
    is_contents: &'c [&'c str],
    /// For each text after, the text it was before.
    counterparts: Vec<Option<usize>>,
}

impl Sides<'_> {
    fn is_changed(&self, text: usize) -> bool {
        self.counterparts[text].is_none_or(|old| self.was_contents[old] != self.is_contents[text])
    }
}

/// The texts under repair.
struct Work<'c> {
    sides: &'c Sides<'c>,
    /// Returns the parts of a former text.
    parts: &'c dyn Fn(usize) -> Vec<Range<usize>>,
    drafts: Vec<Draft<'c>>,
    /// Texts accepted as a provider wrote them, with their expanded content.
    trusted: Vec<(usize, String)>,
}

impl<'c> Work<'c> {
    /// Divides the texts that have or had pointers: a provider's text that is correct is trusted, all others become
    /// drafts.
    fn begin(&mut self, new_lines: &mut Decoder<'c>, old_lines: &mut Lines<'c>) {
        let Sides { after, is, was_contents, is_contents, counterparts } = self.sides;
        for (text, old) in counterparts.iter().copied().enumerate() {
            let is_changed = self.sides.is_changed(text);
            let concerns = new_lines.has_pointers(text)
                || (is_changed
                    && old.is_some_and(|old| {
                        // A heading that claims more lines than follow does not count.
                        old_lines.decoder.has_pointers(old) || may_hold_pointers(is_contents[text])
                    }));
            if !concerns {
                continue;
            }
            // The provider may have written the pointers itself, such as a custom provider that used one of ours.
            let may_be_own = match old {
                Some(_) => is_changed,
                None => after.entries()[is.texts[text].0].foreign.is_some(),
            };
            let (said, dead) = if may_be_own { new_lines.text_and_dead(text) } else { Default::default() };
            let is_true = may_be_own
                && dead.is_empty()
                && old.is_none_or(|old| {
                    new_lines.says_again(text, &said, was_contents[old], &old_lines.decoder.text(old))
                });
            // A host's message has no former content to compare with, but its pointers resolve.
            if is_true {
                self.trusted.push((text, said.into_owned()));
            } else {
                self.draft(text, is_changed, new_lines, old_lines);
            }
        }
    }

    fn draft(&mut self, text: usize, is_changed: bool, new_lines: &Decoder<'c>, old_lines: &mut Lines<'c>) {
        let was = self.sides.counterparts[text].map(|old| Old { text: old, parts: self.parts });
        let now = self.sides.is_contents[text];
        let rows = new_lines.known_rows(text).unwrap_or_else(|| Arc::new(Rows::read(now)));
        self.drafts.push(Draft::new(text, (now, &rows), was, is_changed, old_lines));
    }

    /// Repairs what is wrong in the current drafts, and returns whether anything was. Without `may_expand`, no text
    /// becomes longer.
    fn repair(
        &mut self,
        new_lines: &Decoder<'c>,
        old_lines: &mut Lines<'c>,
        room: &mut usize,
        mut may_expand: Option<&mut (dyn FnMut(Expansion<'_>) -> bool + '_)>,
    ) -> bool {
        let texts: Vec<String> = self.drafts.iter().map(Draft::text).collect();
        let mut contents = self.sides.is_contents.to_vec();
        for (draft, text) in self.drafts.iter().zip(&texts) {
            if text != contents[draft.text] {
                contents[draft.text] = text;
            }
        }
        let is_same = |text: usize| std::ptr::eq(contents[text], self.sides.is_contents[text]);
        let same = |text: usize| Some(text).filter(|text| is_same(*text));
        let mut lines = Lines::new(Decoder::beside(&contents, new_lines, same), &contents);
        let drafts = self.drafts.iter().enumerate();
        let wrong: Vec<Wrong> = drafts.flat_map(|(at, draft)| draft.wrong(at, &mut lines)).collect();
        // A text repaired elsewhere may be nearer than the one that a pointer resolved to.
        let is_led_astray = |(text, said): &mut (usize, String)| lines.decoder.text(*text) != *said;
        let led_astray: Vec<usize> = self.trusted.extract_if(.., is_led_astray).map(|(text, _)| text).collect();
        let copies =
            if may_expand.is_some() { copies(&wrong, &self.drafts, &mut lines, old_lines) } else { HashMap::default() };
        // Newest first, because their lines are needed most; from the end, so that items keep their indices.
        for (number, wrong) in wrong.iter().enumerate().rev() {
            let (message, at) = &self.sides.is.texts[self.drafts[wrong.draft].text];
            let draft = &mut self.drafts[wrong.draft];
            if let Some(pointer) = copies.get(&number) {
                draft.aim(wrong.item, pointer.clone());
                continue;
            }
            let whole = may_expand.as_mut().and_then(|may_expand| {
                let (pointer, lines, whole) = draft.expanded(wrong.item, old_lines, room)?;
                let text = whole.text();
                let expansion =
                    Expansion { message: *message, path: &at.path, pointer: &pointer, lines: &lines, text: &text };
                may_expand(expansion).then_some(whole)
            });
            match whole {
                Some(whole) => *draft = whole,
                None => draft.leave_out(wrong.item),
            }
        }
        let was_wrong = !(wrong.is_empty() && led_astray.is_empty());
        for text in led_astray {
            self.draft(text, true, new_lines, old_lines);
        }
        was_wrong
    }

    /// Returns the texts that changed.
    fn done(self) -> Vec<Mended> {
        let Sides { is, is_contents, .. } = self.sides;
        let mended = self.drafts.into_iter().filter_map(|draft| {
            let text = draft.text();
            if text == is_contents[draft.text] {
                return None;
            }
            let (message, at) = &is.texts[draft.text];
            let Draft { aimed, expanded, left_out, .. } = draft;
            Some(Mended { message: *message, block: at.block, path: at.path.to_vec(), text, aimed, expanded, left_out })
        });
        mended.collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::{
        conversation::{Edit, Inserted, Plan, Role},
        restore::rows::numbered,
    };

    /// The parts of a text that is a single part.
    fn whole(_: usize, _: &[PathStep]) -> Vec<Range<usize>> {
        std::iter::once(0..usize::MAX).collect()
    }

    fn line(number: usize) -> String {
        format!("    call_number_{number}_of_many(with, its, own, arguments);")
    }

    /// Among identical lines, the one behind a note is determined by its neighbours or the note's count.
    #[test]
    fn a_line_behind_a_note_has_its_own_number() {
        let mut text: Vec<String> = (1..=60).map(line).collect();
        (text[13], text[47]) = ("} else {".to_owned(), "} else {".to_owned());
        text[0] = "     1→[60 lines, every 10th numbered:]\n".to_owned() + &text[0];
        let message = |text: &[String]| json!([{ "role": "user", "content": text.join("\n") }]);
        let before = Conversation::parse(&message(&text).to_string()).unwrap();
        let kept = [&text[..13], &["... (34 more lines)".to_owned()], &text[47..]].concat();
        let cut = Plan { edits: vec![Edit::set_text(0, vec!["content".into()], kept.join("\n"))] };
        let mended = kept_true(&before, &before.apply(&cut).unwrap(), &BlockOrigins::default(), &whole, None);
        let [mended] = &mended[..] else { panic!("{mended:?}") };
        assert!(mended.text.contains("\n    48→[13 lines, every 10th numbered:]\n} else {\n"), "{}", mended.text);
    }

    /// Below a heading whose earlier lines are gone, an unexpected number used to hide the pointer after it.
    #[test]
    fn a_pointer_below_a_heading_is_seen_where_lines_before_it_are_gone() {
        let mut text: Vec<String> = (1..50).map(line).collect();
        text[0] = "     1→[59 lines, every 10th numbered:]\n".to_owned() + &text[0];
        text.push("    50→[3 lines as above from \"call_number_20_of\"]".to_owned());
        text.extend((53..60).map(line));
        let message = |text: &[String]| json!([{ "role": "user", "content": text.join("\n") }]);
        let before = Conversation::parse(&message(&text).to_string()).unwrap();
        let decoded = crate::restore::decode(&before);
        assert!(decoded[0][0].contains("    51→    call_number_21_of_many("), "{}", decoded[0][0]);
        // A provider cuts the lines that the pointer represents.
        let gone = [&text[..15], &["[…16-30]".to_owned()], &text[30..]].concat();
        let cut = Plan { edits: vec![Edit::set_text(0, vec!["content".into()], gone.join("\n"))] };
        let mended = kept_true(&before, &before.apply(&cut).unwrap(), &BlockOrigins::default(), &whole, None);
        let [mended] = &mended[..] else { panic!("{mended:?}") };
        assert_eq!(mended.left_out, 1);
        assert!(mended.text.contains("[… 3 lines left out]"), "{}", mended.text);
        assert!(!mended.text.contains("as above"), "{}", mended.text);
    }

    /// A message from a custom provider has no former text to compare, so only its pointers show whether it is true.
    #[test]
    fn a_pointer_that_leads_nowhere_is_left_out_of_a_message_of_the_host() {
        let text: Vec<String> = (1..=9).map(line).collect();
        let before = Conversation::parse(&json!([{ "role": "user", "content": text.join("\n") }]).to_string()).unwrap();
        let mended = |pointer: &str| {
            let message = Message::new(Role::Assistant, Content::Text(format!("As it was:\n{pointer}")));
            let value = Inserted { foreign: Some(0), ..message.into() };
            let after = before.apply(&Plan { edits: vec![Edit::Insert { before: 1, value }] }).unwrap();
            kept_true(&before, &after, &BlockOrigins::default(), &whole, None)
        };
        assert_eq!(mended("[3 lines as above from \"call_number_4_of\"]").len(), 0);
        let dead = mended("[3 lines as above from \"what stands nowhere\"]");
        let [dead] = &dead[..] else { panic!("{dead:?}") };
        assert_eq!((dead.left_out, dead.text.as_str()), (1, "As it was:\n[… 3 lines left out]"));
    }

    #[test]
    fn what_leads_nowhere_claims_no_lines_in_a_heading() {
        let forged = "[9999999 lines as above from \"what stands nowhere\"]";
        let mut text = vec!["     1→[9 lines, every 10th numbered:]".to_owned()];
        text.extend((1..=8).map(line));
        text.push(forged.to_owned());
        let message = |text: &[String]| json!([{ "role": "user", "content": text.join("\n") }]);
        let before = Conversation::parse(&message(&text).to_string()).unwrap();
        let gone = [&text[..2], &["[…2-2]".to_owned()], &text[3..]].concat();
        let cut = Plan { edits: vec![Edit::set_text(0, vec!["content".into()], gone.join("\n"))] };
        let after = before.apply(&cut).unwrap();
        let mut texts =
            kept_true(&before, &after, &BlockOrigins::default(), &whole, None).into_iter().map(|mended| mended.text);
        let text = texts.next_back().unwrap_or_else(|| gone.join("\n"));
        assert!(text.contains(forged) && text.contains("[6 lines, every 10th"), "{text}");
    }

    /// The texts after the changes, with every pointer that may be expanded expanded.
    fn mended(texts: &[&str], changes: &[(usize, &str)]) -> Vec<(usize, String, [usize; 3])> {
        let messages: Vec<_> = texts.iter().map(|text| json!({ "role": "user", "content": text })).collect();
        let before = Conversation::parse(&json!(messages).to_string()).unwrap();
        let set =
            |(message, text): &(usize, &str)| Edit::set_text(*message, vec!["content".into()], (*text).to_owned());
        let after = before.apply(&Plan { edits: changes.iter().map(set).collect() }).unwrap();
        let mended = kept_true(&before, &after, &BlockOrigins::default(), &whole, Some(&mut |_| true));
        mended.into_iter().map(|at| (at.message, at.text, [at.aimed, at.expanded, at.left_out])).collect()
    }

    #[test]
    fn lines_in_the_place_of_a_pointer_have_its_numbers() {
        let source = (1..=4).map(line).collect::<Vec<_>>().join("\n");
        let pointer = "[3 lines as above from \"call_number_2_of\"]";
        let [two, three, four] = [2, 3, 4].map(line);
        let plain = format!("as it was\n{pointer}\nso");
        assert_eq!(
            mended(&[&source, &plain], &[(0, "cut")]),
            [(1, format!("as it was\n{two}\n{three}\n{four}\nso"), [0, 1, 0])]
        );
        let numbered = format!("     6→six\n     7→{pointer}\n    10→ten");
        assert_eq!(
            mended(&[&source, &numbered], &[(0, "cut")]),
            [(1, format!("     6→six\n     7→{two}\n     8→{three}\n     9→{four}\n    10→ten"), [0, 1, 0])]
        );
        let headed = format!("     1→[6 lines, every 10th numbered:]\none\n{pointer}\nfive\nsix");
        let [(1, text, [0, 1, 0])] = &mended(&[&source, &headed], &[(0, "cut")])[..] else { panic!("not expanded") };
        let read = crate::restore::decode(
            &Conversation::parse(&json!([{ "role": "user", "content": text }]).to_string()).unwrap(),
        );
        assert_eq!(
            read[0][0],
            format!("     1→one\n     2→{two}\n     3→{three}\n     4→{four}\n     5→five\n     6→six")
        );
    }

    /// Without its heading, or below one that covers two parts, a line has the number that is written in it.
    #[test]
    fn lines_get_their_numbers_back_only_below_their_heading() {
        let source = (1..=4).map(line).collect::<Vec<_>>().join("\n");
        let pointer = "[3 lines as above from \"call_number_2_of\"]";
        let below = format!("one\n{pointer}\nfive\nsix\nseven\neight\nnine\n    10→ten\neleven");
        let heading = "     1→[11 lines, every 10th numbered:]";
        let headed = format!("{heading}\n{below}");
        let cut = format!("[…]\n{below}");
        assert_eq!(mended(&[&source, &headed], &[(1, &cut)]), []);
        let shorter = format!("{heading}\none\n{pointer}\n[…]\nsix\nseven\neight\nnine\n    10→ten\neleven");
        let messages = json!([&source, &headed].map(|text| json!({ "role": "user", "content": text })));
        let before = Conversation::parse(&messages.to_string()).unwrap();
        let edit = Edit::set_text(1, vec!["content".into()], shorter);
        let after = before.apply(&Plan { edits: vec![edit] }).unwrap();
        let kept = |middle: usize| {
            let parts = move |_: usize, _: &[PathStep]| vec![0..middle, middle..usize::MAX];
            let mended = kept_true(&before, &after, &BlockOrigins::default(), &parts, None);
            mended.first().map(|mended| mended.text.clone()).unwrap_or_default()
        };
        assert!(kept(headed.len()).contains("\n     6→[6 lines, every 10th numbered:]\nsix"), "{}", kept(headed.len()));
        assert!(!kept(headed.len() / 2).contains("6→"), "{}", kept(headed.len() / 2));
    }

    /// The nearest line with the quoted words is now followed by other lines; a longer quote distinguishes the copy.
    #[test]
    fn a_pointer_is_aimed_at_another_copy_of_its_lines() {
        let copy = "const configuration = read(settings, one, two, three, four);\nreturn configuration;";
        let other = "const configuration = read(nothing);\nreturn undefined;";
        let pointer = "[2 lines as above from \"const configuration =\"]";
        let [(3, text, [1, 0, 0])] = &mended(&[copy, other, copy, pointer], &[(2, "cut")])[..] else {
            panic!("not aimed")
        };
        assert!(text.starts_with("[2 lines as above from \"const configuration = read(settings"), "{text}");
        let below = pointer.replace("above", "below");
        let [(0, text, [1, 0, 0])] = &mended(&[&below, copy, other, copy], &[(1, "cut")])[..] else {
            panic!("not aimed")
        };
        assert!(text.starts_with("[2 lines as below from \"const configuration = read(settings"), "{text}");
        // A host drops messages from the beginning, so a pointer to lines below never points up.
        let lost = mended(&[copy, &below, copy, other], &[(2, "cut")]);
        assert_eq!(lost, [(1, copy.to_owned(), [0, 1, 0])]);
    }

    /// A host writes messages anew, and one that it has kept points to lines that are others now.
    #[test]
    fn a_message_that_the_host_wrote_anew_is_compared_with_the_one_that_it_was() {
        let source = (1..=4).map(line).collect::<Vec<_>>().join("\n");
        let [two, three, four] = [2, 3, 4].map(line);
        let pointer = "[3 lines as above from \"call_number_2_of\"]";
        let kept = format!("as it was\n{pointer}");
        let changed = format!("shorter\n{pointer}");
        let (whole, gone) = (format!("as it was\n{two}\n{three}\n{four}"), "shorter\n[… 3 lines left out]".to_owned());
        let call = |id: &str, text: &str| json!([{ "type": "tool_use", "id": id, "name": "write", "input": { "a": "x", "text": text } }]);
        let result = |id: &str, text: &str| json!([{ "type": "tool_result", "tool_use_id": id, "content": text }]);
        for (was, is, wanted) in [
            (json!(kept), json!(kept), Some(&whole)),
            (json!(kept), json!([{ "type": "text", "text": kept }]), Some(&whole)),
            (json!(kept), json!(changed), Some(&gone)),
            (call("c", &kept), call("c", &kept), Some(&whole)),
            (call("c", &kept), call("c", &changed), Some(&gone)),
            (result("c", &kept), result("c", &changed), Some(&gone)),
            (json!(format!("7 | {pointer}")), json!(changed), Some(&gone)),
            (result("c", "of another call"), result("d", &changed), None),
            (json!("without pointers"), json!(changed), None),
        ] {
            let messages = json!([
                { "role": "user", "content": source },
                { "role": "user", "content": was },
                { "role": "user", "content": "not touched" },
            ]);
            let before = Conversation::parse(&messages.to_string()).unwrap();
            let raw = serde_json::value::to_raw_value(&json!({ "role": "user", "content": is })).unwrap();
            let value = Inserted { foreign: Some(0), ..Message::read(&raw).into() };
            let other = format!("{two}\nanother line\nand another one");
            let cut = Edit::set_text(0, vec!["content".into()], other);
            let edits = vec![cut, Edit::Drop { message: 1 }, Edit::Insert { before: 2, value }];
            let after = before.apply(&Plan { edits }).unwrap();
            let mended = kept_true(&before, &after, &BlockOrigins::default(), &self::whole, Some(&mut |_| true));
            assert_eq!(mended.first().map(|mended| &mended.text), wanted, "{was} is {is}");
        }
    }

    /// A text of lines and of pointers to lines above, and the lines that it represents.
    fn any_numbered_text() -> impl Strategy<Value = (Vec<String>, usize)> {
        let item = prop_oneof![3 => Just(None), 1 => (1_usize..9, 1_usize..5).prop_map(Some)];
        (prop::collection::vec(item, 3..30), any::<bool>(), 1_usize..120).prop_map(|(items, is_headed, first)| {
            let mut rows = Vec::new();
            let mut number = first;
            for item in items {
                let (content, lines) = match item {
                    None => (format!("the own line {number} of the text"), 1),
                    Some((from, 1)) => (format!("[1 line as above from \"call_number_{from}_of\"]"), 1),
                    Some((from, lines)) => (format!("[{lines} lines as above from \"call_number_{from}_of\"]"), lines),
                };
                let is_shown = !is_headed || number.is_multiple_of(10);
                rows.push(if is_shown { format!("{number:>6}→{content}") } else { content });
                number += lines;
            }
            if is_headed {
                rows.insert(0, format!("{first:>6}→[{} lines, every 10th numbered:]", number - first));
            }
            (rows, number - first)
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

        /// Whatever is cut from a text or from the lines that its pointers represent, a line has the number that it had.
        #[test]
        fn lines_keep_their_numbers(
            (rows, lines) in any_numbered_text(), from in 0_usize..30, to in 0_usize..30, is_cut in any::<bool>(),
            is_source_cut in any::<bool>(), may_expand in any::<bool>(),
        ) {
            let source = (1..=14).map(line).collect::<Vec<_>>().join("\n");
            let text = rows.join("\n");
            // In a long conversation, all pointers may be expanded.
            let long = "a word ".repeat(2000);
            let messages = json!([&source, &text, &long].map(|text| json!({ "role": "user", "content": text })));
            let before = Conversation::parse(&messages.to_string()).unwrap();
            let decoded = |conversation: &Conversation| crate::restore::decode(conversation)[1][0].clone();
            let was: Vec<(u32, String)> = decoded(&before).split('\n').map(|line| numbered(line).map(|(number, content)| (number, content.to_owned())).unwrap()).collect();
            prop_assert_eq!(was.len(), lines);
            let mut edits = Vec::new();
            let cut = from.min(to).min(rows.len())..from.max(to).min(rows.len());
            if is_cut {
                let kept = [&rows[..cut.start], &["[…]".to_owned()], &rows[cut.end..]].concat();
                edits.push(Edit::set_text(1, vec!["content".into()], kept.join("\n")));
            }
            if is_source_cut {
                edits.push(Edit::set_text(0, vec!["content".into()], "cut".to_owned()));
            }
            let after = before.apply(&Plan { edits }).unwrap();
            let mut may = |_: Expansion<'_>| true;
            let mended = kept_true(&before, &after, &BlockOrigins::default(), &whole, if may_expand { Some(&mut may) } else { None });
            let edits = mended.iter().map(|mended| Edit::set_text(mended.message, &mended.path, mended.text.clone())).collect();
            let now = decoded(&after.apply(&Plan { edits }).unwrap());
            let now: Vec<(u32, &str)> = now.split('\n').filter_map(numbered).collect();
            for (number, content) in &now {
                prop_assert!(was.iter().any(|(of, was)| of == number && was == content), "{number}→{content} in {now:?}");
            }
            prop_assert!(now.is_sorted_by(|(before, _), (after, _)| before < after), "{now:?}");
            if !is_cut && (!is_source_cut || may_expand) {
                prop_assert_eq!(now.len(), lines);
            }
            if !is_cut && is_source_cut && !may_expand {
                let own = was.iter().filter(|(_, content)| content.starts_with("the own line")).count();
                prop_assert_eq!(now.len(), own);
            }
        }
    }

    #[test]
    fn pointers_are_seen_in_every_kind_of_text() {
        let pointer = "[2 lines as above from \"const configuration =\"]";
        let holds = |content: serde_json::Value| {
            holds_pointers(&Conversation::parse(&json!([{ "role": "user", "content": content }]).to_string()).unwrap())
        };
        for (text, expected) in [(pointer, true), ("two lines as above", false)] {
            assert_eq!(holds(json!(text)), expected, "{text}");
            assert_eq!(holds(json!([{ "type": "text", "text": text }])), expected, "{text}");
            assert_eq!(
                holds(json!([{ "type": "tool_result", "tool_use_id": "a", "content": text }])),
                expected,
                "{text}"
            );
        }
    }
}
