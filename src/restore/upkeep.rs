//! Keeps pointers true: whatever was done to a conversation, a pointer in it stands for the lines that it stood for before, or is no pointer
//! any more.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet, VecDeque},
    ops::Range,
};

use xxhash_rust::xxh3::xxh3_64;

use super::{
    decoder::{Decoder, RowsOf},
    quotes::{LinePlace, QuotedLines},
    rows::{NO_EXCERPT, NumberedExcerpt, Row, RowKind, Rows, numbered},
};
use crate::{
    conversation::{Block, BlockOrigins, Content, Conversation, EntryId, Message, NumberStyle, PathStep, TextAt},
    markers::{
        Direction, Gap, MAX_QUOTE_BYTES, NUMBERED_EVERY, Pointer, Reference, is_heading, may_hold_pointers, quote_of,
    },
};

/// A text of the changed conversation that has to say something else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mended {
    /// The message.
    pub message: usize,
    /// The block.
    pub block: usize,
    /// From the message to the text.
    pub path: Vec<PathStep>,
    /// What it says from now on.
    pub text: String,
    /// Pointers that lead to another copy of the same lines.
    pub aimed: usize,
    /// Pointers in whose place their lines stand.
    pub expanded: usize,
    /// Pointers whose lines are left out.
    pub left_out: usize,
}

/// Lines in the place of a pointer, in a text that nobody changed otherwise.
pub struct Expansion<'e> {
    /// The message.
    pub message: usize,
    /// From the message to the text.
    pub path: &'e [PathStep],
    /// What stands there.
    pub pointer: &'e str,
    /// What would.
    pub lines: &'e str,
    /// The whole text then.
    pub text: &'e str,
}

/// The byte ranges of the parts of a text, by its message and its path.
pub type Parts<'p> = dyn Fn(usize, &[PathStep]) -> Vec<Range<usize>> + 'p;

/// How often pointers are followed anew after some were mended. What is wrong after that is left out, as often again: without a line, another may
/// look like a heading.
const MAX_ROUNDS: usize = 3;

/// So many times the bytes of the conversation may be looked at and copied to put lines in the place of pointers.
const ROOM: usize = 8;

/// Of the places that begin with the same line, so many are looked at for another copy.
const MAX_COPIES: usize = 8;

/// Fewer lines than this carry their numbers themselves.
const MIN_HEADED: usize = 6;

/// Whether there may be pointers in a conversation. Fast.
#[must_use]
pub fn holds_pointers(conversation: &Conversation) -> bool {
    conversation.messages().any(message_holds_pointers)
}

/// Whether there may be pointers in a message. Fast.
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

/// The texts of `after` that have to change so that all that is left of the pointers of `before` stays true. What only looks like a pointer and
/// was not there before is left out. `origins` says where blocks stood before, and `parts` what the text at a path of a message before is made of: no
/// heading of ours is about lines of two. `may_expand` is asked whether lines may stand in the place of a pointer; without it, nothing becomes
/// longer.
#[must_use]
pub fn kept_true(
    before: &Conversation,
    after: &Conversation,
    origins: &BlockOrigins,
    parts: &Parts<'_>,
    mut may_expand: Option<&mut dyn FnMut(Expansion<'_>) -> bool>,
) -> Vec<Mended> {
    let (was, is) = (Texts::of(before), Texts::of(after));
    let (was_contents, is_contents) = (was.contents(), is.contents());
    let mut old_lines = Lines::of(Decoder::new(&was_contents), &was_contents);
    let places = before.positions();
    let mut counterparts: Vec<Option<usize>> =
        (0..is_contents.len()).map(|text| is.counterpart(text, after, &was, &places, origins)).collect();
    is.adopt(&mut counterparts, after, &was, before);
    let is_changed = |text: usize| counterparts[text].is_none_or(|old| was_contents[old] != is_contents[text]);
    // What nobody changed is not read again.
    let unchanged = |text: usize| counterparts[text].filter(|_| !is_changed(text));
    let mut after_decoder = Decoder::with_known(&is_contents, |text| old_lines.decoder.known_rows(unchanged(text)?));
    // Lines are looked at again when they are to stand in the place of pointers: hostile pointers could ask for that without end.
    let mut room: usize = ROOM * is_contents.iter().map(|text| text.len()).sum::<usize>();
    let mut drafts: Vec<Draft<'_>> = Vec::new();
    // What a provider wrote, and what it says.
    let mut trusted: Vec<(usize, String)> = Vec::new();
    let parts_of = |old: usize| parts(was.texts[old].0, &was.texts[old].1.path);
    let was_text = |text: usize| counterparts[text].map(|old| Old { text: old, parts: &parts_of });
    for text in 0..is_contents.len() {
        let (old, is_changed) = (counterparts[text], is_changed(text));
        let concerns = after_decoder.has_pointers(text)
            || (is_changed
                && old.is_some_and(|old| {
                    // A heading that claims more lines than there are is none.
                    old_lines.decoder.has_pointers(old) || may_hold_pointers(is_contents[text])
                }));
        if !concerns {
            continue;
        }
        // A provider may have written pointers itself, such as one of the host that asked ours.
        let may_be_own = match old {
            Some(_) => is_changed,
            None => after.entries()[is.texts[text].0].foreign.is_some(),
        };
        let (said, dead) = if may_be_own { after_decoder.text_and_dead(text) } else { Default::default() };
        let is_true = may_be_own
            && dead.is_empty()
            && old.is_none_or(|old| {
                after_decoder.says_again(text, &said, was_contents[old], &old_lines.decoder.text(old))
            });
        // Of a message that the host made nobody knows what it was, but its pointers lead somewhere.
        if is_true {
            trusted.push((text, said.into_owned()));
        } else {
            drafts.push(Draft::new(text, is_contents[text], was_text(text), is_changed, &mut old_lines));
        }
    }
    if drafts.is_empty() {
        return Vec::new();
    }
    for round in 0..=2 * MAX_ROUNDS {
        let texts: Vec<String> = drafts.iter().map(Draft::text).collect();
        let mut contents = is_contents.clone();
        drafts.iter().zip(&texts).for_each(|(draft, text)| contents[draft.text] = text);
        let is_draft: HashSet<usize> = drafts.iter().map(|draft| draft.text).collect();
        let known = |text: usize| after_decoder.known_rows(text).filter(|_| !is_draft.contains(&text));
        let mut lines = Lines::of(Decoder::with_known(&contents, known), &contents);
        let wrong: Vec<Wrong> = drafts.iter().enumerate().flat_map(|(at, draft)| draft.wrong(at, &mut lines)).collect();
        // What was mended elsewhere may be nearer than what a pointer led to.
        let led_astray: Vec<usize> =
            trusted.extract_if(.., |(text, said)| lines.decoder.text(*text) != *said).map(|(text, _)| text).collect();
        if wrong.is_empty() && led_astray.is_empty() {
            break;
        }
        let may_grow = round < MAX_ROUNDS && may_expand.is_some();
        let copies = if may_grow { copies(&wrong, &drafts, &mut lines, &mut old_lines) } else { HashMap::new() };
        // The newest first: what they say is needed most. From the end, so that items keep their places.
        for (number, wrong) in wrong.iter().enumerate().rev() {
            let (message, at) = &is.texts[drafts[wrong.draft].text];
            let draft = &mut drafts[wrong.draft];
            if let Some(pointer) = copies.get(&number) {
                draft.aim(wrong.item, pointer.clone());
                continue;
            }
            let expanded = if may_grow { draft.expanded(wrong.item, &mut old_lines, &mut room) } else { None };
            let whole = expanded.filter(|(pointer, lines, whole)| {
                let text = whole.text();
                let expansion = Expansion { message: *message, path: &at.path, pointer, lines, text: &text };
                may_expand.as_mut().is_some_and(|may_expand| may_expand(expansion))
            });
            match whole {
                Some((_, _, whole)) => *draft = whole,
                None => draft.leave_out(wrong.item),
            }
        }
        for text in led_astray {
            drafts.push(Draft::new(text, is_contents[text], was_text(text), true, &mut old_lines));
        }
    }
    let mended = drafts.into_iter().filter_map(|draft| {
        let text = draft.text();
        if text == is_contents[draft.text] {
            return None;
        }
        let (message, at) = &is.texts[draft.text];
        let Draft { aimed, expanded, left_out, .. } = draft;
        Some(Mended { message: *message, block: at.block, path: at.path.clone(), text, aimed, expanded, left_out })
    });
    mended.collect()
}

/// The texts of a conversation, each with its message.
struct Texts<'a> {
    texts: Vec<(usize, TextAt<'a>)>,
    /// Where the texts of each message begin; one more at the end.
    starts: Vec<usize>,
}

impl<'a> Texts<'a> {
    fn of(conversation: &'a Conversation) -> Self {
        let mut all = Self { texts: Vec::new(), starts: vec![0] };
        for (message, texts) in conversation.texts().into_iter().enumerate() {
            all.texts.extend(texts.into_iter().map(|text| (message, text)));
            all.starts.push(all.texts.len());
        }
        all
    }

    fn contents(&self) -> Vec<&str> {
        self.texts.iter().map(|(_, text)| text.text).collect()
    }
}

impl Texts<'_> {
    /// The text of the conversation before that a text was.
    fn counterpart(
        &self,
        text: usize,
        after: &Conversation,
        was: &Self,
        places: &HashMap<EntryId, usize>,
        origins: &BlockOrigins,
    ) -> Option<usize> {
        let (message, at) = &self.texts[text];
        let id = after.entries()[*message].id;
        let old = *places.get(&id)?;
        let path = origins.path(id, &at.path)?;
        let range = was.starts[old]..was.starts[old + 1];
        let same_place = range.start + (text - self.starts[*message]);
        let is_it = |text: &usize| was.texts[*text].1.path == *path;
        Some(same_place).filter(|place| range.contains(place) && is_it(place)).or_else(|| range.clone().find(is_it))
    }
}

/// Where a text stands in a call or a result: its id, which of both it is, and the path from there.
type InCall<'t> = (&'t str, bool, &'t [PathStep]);

impl<'a> Texts<'a> {
    fn in_call(&self, text: usize, conversation: &'a Conversation) -> Option<InCall<'_>> {
        let (message, at) = &self.texts[text];
        let path = at.path.get(2..)?;
        match conversation.message(*message).content.blocks().get(at.block)? {
            Block::ToolUse { id, .. } => Some((id, false, path)),
            Block::ToolResult { tool_use_id, .. } => Some((tool_use_id, true, path)),
            _ => None,
        }
    }

    /// Messages that a host made anew have no identity in common with those they were. Of those that are gone, a text is the one in the same call or
    /// result, else the one that says the same, else one that has a pointer in common with it.
    fn adopt(
        &self,
        counterparts: &mut [Option<usize>],
        after: &'a Conversation,
        was: &Texts<'a>,
        before: &'a Conversation,
    ) {
        let is_orphan = |text: usize| after.entries()[self.texts[text].0].foreign.is_some();
        let orphans: Vec<usize> =
            (0..self.texts.len()).filter(|text| counterparts[*text].is_none() && is_orphan(*text)).collect();
        if orphans.is_empty() {
            return;
        }
        let present: HashSet<EntryId> = after.entries().iter().map(|entry| entry.id).collect();
        let is_gone = |text: &usize| !present.contains(&before.entries()[was.texts[*text].0].id);
        let (mut in_call, mut saying) = (HashMap::new(), HashMap::<&str, VecDeque<usize>>::new());
        let mut pointing: HashMap<&str, usize> = HashMap::new();
        for text in (0..was.texts.len()).filter(is_gone) {
            if let Some(place) = was.in_call(text, before) {
                in_call.insert(place, text);
            }
            saying.entry(was.texts[text].1.text).or_default().push_back(text);
            pointers_in(was.texts[text].1.text).for_each(|line| _ = pointing.entry(line).or_insert(text));
        }
        for text in orphans {
            let same_call = self.in_call(text, after).and_then(|place| in_call.get(&place).copied());
            let said = self.texts[text].1.text;
            let same_pointer = || pointers_in(said).find_map(|line| pointing.get(line).copied());
            counterparts[text] =
                same_call.or_else(|| saying.get_mut(said).and_then(VecDeque::pop_front)).or_else(same_pointer);
        }
    }
}

/// The lines of a text that are pointers, without their numbers.
fn pointers_in(text: &str) -> impl Iterator<Item = &str> {
    let lines = may_hold_pointers(text).then(|| text.split('\n')).into_iter().flatten();
    lines.map(|line| numbered(line).map_or(line, |(_, content)| content)).filter(|line| Pointer::read(line).is_some())
}

/// What a pointer stands for.
#[derive(Clone)]
struct Meaning {
    target: RowsOf,
    /// How often.
    times: u32,
    hash: u64,
}

impl Meaning {
    fn is_same(&self, other: &Self) -> bool {
        (self.times, self.target.rows.len(), self.hash) == (other.times, other.target.rows.len(), other.hash)
    }
}

/// The lines of some texts, which can be compared without being looked at again.
struct Lines<'a> {
    decoder: Decoder<'a>,
    contents: &'a [&'a str],
    /// For each text that was needed, the hash of its first lines: none, one, two and so on.
    hashes: Vec<Option<Vec<u64>>>,
}

/// Hashes of lines are the digits of a number to this base, modulo a prime.
const BASE: u64 = 0x09A3_5C77_51D4_E2B1;
const PRIME: u64 = (1 << 61) - 1;

fn times(one: u64, other: u64) -> u64 {
    (u128::from(one) * u128::from(other) % u128::from(PRIME)) as u64
}

impl<'a> Lines<'a> {
    fn of(decoder: Decoder<'a>, contents: &'a [&'a str]) -> Self {
        Self { decoder, contents, hashes: vec![None; contents.len()] }
    }

    fn hash(&mut self, place: &RowsOf) -> u64 {
        let rows = self.decoder.rows(place.text);
        let content = self.contents[place.text].as_bytes();
        let hashes = self.hashes[place.text].get_or_insert_with(|| {
            let mut hash = 0;
            let next = rows.rows.iter().map(|row| {
                hash = (times(hash, BASE) + xxh3_64(&content[row.content_range()]) % PRIME) % PRIME;
                hash
            });
            std::iter::once(0).chain(next).collect()
        });
        let mut power = 1;
        let (mut base, mut left) = (BASE, place.rows.len());
        while left > 0 {
            power = if left % 2 == 1 { times(power, base) } else { power };
            base = times(base, base);
            left /= 2;
        }
        (hashes[place.rows.end] + PRIME - times(hashes[place.rows.start], power)) % PRIME
    }

    /// What the pointer in row `at` of a text stands for; `None` when it leads nowhere.
    fn meaning(&mut self, text: usize, at: usize) -> Option<Meaning> {
        let (target, times) = self.decoder.found(text, at)?;
        let hash = self.hash(&target);
        Some(Meaning { target, times, hash })
    }

    /// The contents of rows.
    fn contents(&mut self, place: &RowsOf) -> Vec<&'a str> {
        let (rows, text) = (self.decoder.rows(place.text), self.contents[place.text]);
        rows.rows[place.rows.clone()].iter().map(|row| &text[row.content_range()]).collect()
    }

    /// About how many bytes rows have.
    fn bytes(&mut self, place: &RowsOf) -> usize {
        let rows = self.decoder.rows(place.text);
        let rows = &rows.rows[place.rows.clone()];
        rows.first().zip(rows.last()).map_or(0, |(first, last)| (last.end - first.start) as usize)
    }
}

/// What a text is made of.
#[derive(Clone)]
enum Item<'a> {
    /// A line as it is written.
    Raw(Cow<'a, str>),
    /// A line whose number may be left out.
    Numbered {
        number: u32,
        style: NumberStyle,
        content: &'a str,
    },
    /// Among those: says that lines are left out.
    Gap {
        number: u32,
        style: NumberStyle,
        lines: u32,
    },
    Pointer(PointerItem<'a>),
}

#[derive(Clone)]
struct PointerItem<'a> {
    /// The number of the first line it stands for, and whether it may be left out.
    number: Option<(u32, NumberStyle, bool)>,
    /// What stands there.
    written: Cow<'a, str>,
    /// `None` for what led nowhere.
    meaning: Option<Meaning>,
}

impl PointerItem<'_> {
    fn lines(&self) -> u32 {
        Pointer::read(&self.written).map_or(1, |pointer| pointer.lines())
    }
}

/// A text under work.
#[derive(Clone)]
struct Draft<'a> {
    text: usize,
    items: Vec<Item<'a>>,
    /// A provider changed it.
    is_changed: bool,
    /// Something in it was mended.
    is_mended: bool,
    /// As it is.
    now: &'a str,
    aimed: usize,
    expanded: usize,
    left_out: usize,
}

/// What a text was before.
struct Old<'p> {
    text: usize,
    /// The parts of a text.
    parts: &'p dyn Fn(usize) -> Vec<Range<usize>>,
}

impl Old<'_> {
    /// For each excerpt whether its lines are numbered again where their numbers were left out: the heading has stayed, and it is one. Nobody of ours
    /// writes one about lines of two parts; it is a part of one that claims more lines than it has, such as those of the tags behind it.
    fn numbers(&self, rows: &Rows, matches: &[Option<usize>]) -> Vec<bool> {
        if !rows.excerpts.iter().any(|excerpt| excerpt.sparse) {
            return vec![true; rows.excerpts.len()];
        }
        let (parts, kept) = ((self.parts)(self.text), matches.iter().flatten().collect::<HashSet<_>>());
        let is_heading = |excerpt: &NumberedExcerpt| {
            let (first, end) = (excerpt.rows.start as usize, excerpt.rows.end as usize);
            let (start, end) = (rows.rows[first].start as usize, rows.rows[end - 1].end as usize);
            kept.contains(&first) && parts.iter().any(|part| part.start <= start && end <= part.end)
        };
        rows.excerpts.iter().map(|excerpt| !excerpt.sparse || is_heading(excerpt)).collect()
    }
}

/// A pointer that does not stand for what it stood for, or a line that looks like one and was none.
struct Wrong {
    draft: usize,
    item: usize,
    /// Where it stands in its text.
    start: usize,
}

impl<'a> Draft<'a> {
    fn new(text: usize, now: &'a str, old: Option<Old<'_>>, is_changed: bool, was_lines: &mut Lines<'a>) -> Self {
        let was = was_lines.contents;
        let rows = Rows::read(now);
        let old_rows = old.as_ref().map(|old| was_lines.decoder.rows(old.text));
        let matches = match (&old, &old_rows) {
            (Some(_), Some(_)) if !is_changed => (0..rows.rows.len()).map(Some).collect(),
            (Some(old), Some(old_rows)) => matched(now, &rows, was[old.text], old_rows),
            _ => vec![None; rows.rows.len()],
        };
        let numbers = old.as_ref().zip(old_rows.as_ref()).map(|(old, rows)| old.numbers(rows, &matches));
        let numbers = numbers.unwrap_or_default();
        let old = old.map(|old| old.text);
        let mut items = Vec::with_capacity(rows.rows.len());
        let mut left_out = 0;
        // Whether the numbers of lines went below a heading that was not there before, and that is to be written anew.
        let mut is_unheaded = false;
        for (row, matched) in rows.rows.iter().zip(matches) {
            let line = &now[row.range()];
            if old.is_some() && matched.is_none() && row.kind == RowKind::Line && is_heading(line) {
                is_unheaded = true;
                continue;
            }
            let Some((old, old_rows, at)) = matched.and_then(|at| Some((old?, old_rows.as_ref()?, at))) else {
                // What is no line looks like a pointer, and nobody who writes pointers wrote it here.
                left_out += usize::from(row.kind != RowKind::Line);
                match row.kind {
                    RowKind::Line => items.push(Item::Raw(line.into())),
                    // It stands for no line.
                    RowKind::Heading => is_unheaded = true,
                    _ => items.push(Item::Raw(Gap::Elsewhere(row.lines.max(1) as usize).to_string().into())),
                }
                continue;
            };
            let old_row = &old_rows.rows[at];
            if old_row.kind == RowKind::Line && matches!(row.kind, RowKind::Heading | RowKind::Pointer) {
                // A line that was none, and that what is left of the others makes one.
                left_out += 1;
                items.push(Item::Raw(Gap::Elsewhere(1).to_string().into()));
                continue;
            }
            let excerpt = (old_row.excerpt != NO_EXCERPT).then(|| &old_rows.excerpts[old_row.excerpt as usize]);
            let number = excerpt.map(|excerpt| (excerpt.number_of(old_row.line), excerpt.style, excerpt.sparse));
            let is_headed = old_row.excerpt != NO_EXCERPT && numbers[old_row.excerpt as usize];
            let is_shown = |number: u32| numbered(line).is_some_and(|(shown, _)| shown == number);
            let number = match number {
                Some((number, style, false)) if is_unheaded && (numbered(line).is_none() || is_shown(number)) => {
                    Some((number, style, true))
                }
                // Without its heading a line has the number that stands in it, if any.
                Some((number, style, true)) if !is_headed => is_shown(number).then_some((number, style, false)),
                number => number,
            };
            let content = &was[old][old_row.content_range()];
            match (old_row.kind, number) {
                (RowKind::Heading, _) if is_headed => {}
                (RowKind::Heading, _) => items.push(Item::Raw(line.into())),
                (RowKind::Gap, Some((number, style, true))) => {
                    items.push(Item::Gap { number, style, lines: old_row.lines });
                }
                (RowKind::Gap, _) => items.push(Item::Raw(line.into())),
                (RowKind::Line, Some((number, style, true))) => items.push(Item::Numbered { number, style, content }),
                (RowKind::Line, _) => items.push(Item::Raw(line.into())),
                (RowKind::Pointer, number) => {
                    let meaning = was_lines.meaning(old, at);
                    items.push(Item::Pointer(PointerItem { number, written: content.into(), meaning }));
                }
            }
        }
        Self { text, items, is_changed, is_mended: is_changed, now, aimed: 0, expanded: 0, left_out }
    }

    /// What it says.
    fn text(&self) -> String {
        if !self.is_mended {
            return self.now.to_owned();
        }
        let mut out = String::with_capacity(self.now.len());
        let mut at = 0;
        while at < self.items.len() {
            let end = self.segment(at);
            if end > at {
                self.write_segment(at..end, &mut out);
                at = end;
                continue;
            }
            new_line(&mut out, at);
            match &self.items[at] {
                Item::Raw(text) => out.push_str(text),
                Item::Pointer(pointer) => {
                    if let Some((number, style, _)) = pointer.number {
                        style.write(number, &mut out);
                    }
                    out.push_str(&pointer.written);
                }
                Item::Numbered { number, style, content } => {
                    style.write(*number, &mut out);
                    out.push_str(content);
                }
                Item::Gap { lines, .. } => out.push_str(&Gap::Elsewhere(*lines as usize).to_string()),
            }
            at += 1;
        }
        out
    }

    /// The number of an item that may go without it, how it is written, and how many lines it is.
    fn unnumbered(&self, at: usize) -> Option<(u32, NumberStyle, u32)> {
        match self.items.get(at)? {
            Item::Numbered { number, style, content } => {
                // A number in the line would be taken for its own.
                let may_go = number.is_multiple_of(NUMBERED_EVERY) || !style.is_shown(content.as_bytes());
                may_go.then_some((*number, *style, 1))
            }
            Item::Gap { number, style, lines } => Some((*number, *style, *lines)),
            Item::Pointer(pointer) => {
                let (number, style, _) = pointer.number.filter(|(.., may_go)| *may_go)?;
                // What led nowhere is a line, whatever number of lines it claims to stand for.
                pointer.meaning.as_ref()?;
                Some((number, style, pointer.lines()))
            }
            Item::Raw(_) => None,
        }
    }

    /// The end of the items from `at` on that can stand below one heading; `at` when there are too few.
    fn segment(&self, at: usize) -> usize {
        let Some((mut next, style, _)) = self.unnumbered(at) else { return at };
        let mut end = at;
        while let Some((_, _, lines)) = self.unnumbered(end).filter(|(number, is, _)| (*number, *is) == (next, style)) {
            next += lines;
            end += 1;
        }
        if end - at < MIN_HEADED { at } else { end }
    }

    fn write_segment(&self, items: std::ops::Range<usize>, out: &mut String) {
        let all = items.clone().filter_map(|at| self.unnumbered(at));
        let lines = all.map(|(_, _, lines)| lines).sum();
        let Some((first, style, _)) = self.unnumbered(items.start) else { return };
        new_line(out, items.start);
        style.write(first, out);
        out.push_str(&Pointer::Sparse { lines }.to_string());
        for at in items {
            out.push('\n');
            if let Some((number, style, _)) = self.unnumbered(at)
                && number.is_multiple_of(NUMBERED_EVERY)
                && !matches!(self.items[at], Item::Gap { .. })
            {
                style.write(number, out);
            }
            match &self.items[at] {
                Item::Numbered { content, .. } => out.push_str(content),
                Item::Pointer(pointer) => out.push_str(&pointer.written),
                Item::Gap { lines, .. } => out.push_str(&Gap::Elsewhere(*lines as usize).to_string()),
                Item::Raw(text) => out.push_str(text),
            }
        }
    }

    /// The row that each item is written as.
    fn rows_of_items(&self, rows: &Rows) -> Vec<usize> {
        if !self.is_mended {
            let rows = rows.rows.iter().enumerate();
            return rows.filter(|(_, row)| row.kind != RowKind::Heading).map(|(at, _)| at).collect();
        }
        let mut of_items = Vec::with_capacity(self.items.len());
        let mut headings = 0;
        while of_items.len() < self.items.len() {
            let at = of_items.len();
            let end = self.segment(at);
            headings += usize::from(end > at);
            of_items.extend((at..end.max(at + 1)).map(|item| item + headings));
        }
        of_items
    }

    /// The pointers that do not stand for what they stood for, and the lines that others make look like markers.
    fn wrong(&self, draft: usize, lines: &mut Lines<'_>) -> Vec<Wrong> {
        let rows = lines.decoder.rows(self.text);
        let mut wrong = Vec::new();
        for ((at, item), row) in self.items.iter().enumerate().zip(self.rows_of_items(&rows)) {
            let Some(written) = rows.rows.get(row) else { continue };
            let is_true = match item {
                Item::Pointer(pointer) => match (lines.meaning(self.text, row), &pointer.meaning) {
                    (Some(is), Some(was)) => is.is_same(was),
                    (is, was) => is.is_none() && was.is_none(),
                },
                _ => !matches!(written.kind, RowKind::Heading | RowKind::Pointer),
            };
            if !is_true {
                wrong.push(Wrong { draft, item: at, start: written.start as usize });
            }
        }
        wrong
    }

    fn pointer(&self, item: usize) -> Option<&PointerItem<'a>> {
        match &self.items[item] {
            Item::Pointer(pointer) => Some(pointer),
            _ => None,
        }
    }

    fn aim(&mut self, item: usize, written: String) {
        if let Item::Pointer(pointer) = &mut self.items[item] {
            pointer.written = written.into();
            self.aimed += 1;
            self.is_mended = true;
        }
    }

    fn leave_out(&mut self, item: usize) {
        let gap = |lines: usize| Item::Raw(Gap::Elsewhere(lines).to_string().into());
        self.items[item] = match &self.items[item] {
            Item::Pointer(pointer) => match pointer.number {
                Some((number, style, true)) => Item::Gap { number, style, lines: pointer.lines() },
                // What led nowhere was a line.
                _ => gap(if pointer.meaning.is_some() { pointer.lines() as usize } else { 1 }),
            },
            Item::Numbered { number, style, .. } => Item::Gap { number: *number, style: *style, lines: 1 },
            Item::Raw(_) | Item::Gap { .. } => gap(1),
        };
        self.left_out += 1;
        self.is_mended = true;
    }

    /// What stands there, what would, and the text with the lines in the place of a pointer. `None` where a provider cut the text: it has
    /// chosen what of it is to stay.
    fn expanded(&self, item: usize, was: &mut Lines<'a>, room: &mut usize) -> Option<(String, String, Self)> {
        let pointer = self.pointer(item)?;
        // What a line that is repeated stands below only changes where a provider changed the text.
        let meaning = pointer.meaning.as_ref().filter(|meaning| meaning.times == 1 && !self.is_changed)?;
        *room = room.checked_sub(was.bytes(&meaning.target) + self.now.len())?;
        let lines = was.contents(&meaning.target);
        let mut whole = self.clone();
        let line = |(offset, content): (u32, &&'a str)| match pointer.number {
            Some((number, style, true)) => Item::Numbered { number: number + offset, style, content },
            Some((number, style, false)) => {
                let mut line = String::new();
                style.write(number + offset, &mut line);
                line.push_str(content);
                Item::Raw(line.into())
            }
            None => Item::Raw((*content).into()),
        };
        let items: Vec<Item<'a>> = (0..).zip(&lines).map(line).collect();
        whole.items.splice(item..=item, items);
        whole.expanded += 1;
        whole.is_mended = true;
        Some((pointer.written.to_string(), lines.join("\n"), whole))
    }
}

fn new_line(out: &mut String, at: usize) {
    if at > 0 {
        out.push('\n');
    }
}

/// For each row of a text, the row of the text before that it was.
fn matched(now: &str, rows: &Rows, was: &str, old: &Rows) -> Vec<Option<usize>> {
    let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, row) in old.rows.iter().enumerate() {
        places.entry(&was[row.content_range()]).or_default().push(at);
    }
    let contents = |row: usize| rows.rows.get(row).map(|row| [&now[row.content_range()], &now[row.range()]]);
    // Below a heading, a number that is not the one expected there, because lines before it are gone, is read as a part of the line.
    let numbered = |row: usize| numbered(&now[rows.rows.get(row)?.range()]);
    let is_numbered = |(number, content): (u32, &str), old_row: &Row| {
        let excerpt = old.excerpts.get(old_row.excerpt as usize);
        content == &was[old_row.content_range()]
            && excerpt.is_some_and(|excerpt| excerpt.number_of(old_row.line) == number)
    };
    let is_same = |row: usize, at: usize| {
        let (Some(contents), Some(old)) = (contents(row), old.rows.get(at)) else { return false };
        contents.contains(&&was[old.content_range()]) || numbered(row).is_some_and(|line| is_numbered(line, old))
    };
    let mut next = 0;
    let mut matched: Vec<Option<usize>> = Vec::with_capacity(rows.rows.len());
    for row in 0..rows.rows.len() {
        // Behind a line that was not there before, something may be left out.
        let is_behind_note = matched.last().is_some_and(Option::is_none);
        if !is_behind_note && is_same(row, next) {
            matched.push(Some(next));
            next += 1;
            continue;
        }
        let behind_number = numbered(row).map(|(_, content)| content);
        let known = contents(row).into_iter().flatten().chain(behind_number).find_map(|content| places.get(content));
        let candidates = known.map_or(&[][..], |places| &places[places.partition_point(|place| *place < next)..]);
        // Of lines that say the same, the one whose neighbours go on as they do here, and then the one that stands where the note before it says.
        let is_end = |row: usize, at: usize| row == rows.rows.len() && at == old.rows.len();
        let goes_on = |place: usize| {
            (1..8).take_while(|by| is_same(row + by, place + by) || is_end(row + by, place + by)).count()
        };
        let noted =
            row.checked_sub(1).filter(|_| is_behind_note).and_then(|note| number_in(&now[rows.rows[note].range()]));
        let is_noted = |place: usize| noted.is_some_and(|lines| next.checked_add(lines) == Some(place));
        // That a line is blank tells nothing: without a neighbour it may be any.
        let is_blank = contents(row).is_some_and(|[content, _]| content.trim().is_empty());
        let candidates = candidates.iter().filter(|place| is_same(row, **place));
        let candidates =
            candidates.filter(|place| !is_blank || (**place == next && !is_behind_note) || goes_on(**place) > 0);
        let best =
            candidates.take(32).max_by_key(|place| (goes_on(**place), is_noted(**place), std::cmp::Reverse(**place)));
        next = best.map_or(next, |place| place + 1);
        matched.push(best.copied());
    }
    matched
}

/// The first number in a line.
fn number_in(line: &str) -> Option<usize> {
    let digits = line.split(|c: char| !c.is_ascii_digit()).find(|digits| !digits.is_empty())?;
    digits.parse().ok()
}

/// Pointers to other copies of the lines that wrong pointers stood for, by their place in `wrong`.
fn copies(wrong: &[Wrong], drafts: &[Draft<'_>], lines: &mut Lines<'_>, was: &mut Lines<'_>) -> HashMap<usize, String> {
    let contents = lines.contents;
    // The first line of each, and what all are.
    let meanings: Vec<Option<(&str, &Meaning, Direction)>> = wrong
        .iter()
        .map(|wrong| {
            let pointer = drafts[wrong.draft].pointer(wrong.item)?;
            let Some(Pointer::Reference(Reference { direction, .. })) = Pointer::read(&pointer.written) else {
                return None;
            };
            let meaning = pointer.meaning.as_ref()?;
            let RowsOf { text, rows } = &meaning.target;
            Some((
                *was.contents(&RowsOf { text: *text, rows: rows.start..rows.start + 1 }).first()?,
                meaning,
                direction,
            ))
        })
        .collect();
    let mut wanted: HashMap<&str, Vec<LinePlace>> =
        meanings.iter().flatten().map(|(first, ..)| (*first, Vec::new())).collect();
    if wanted.is_empty() {
        return HashMap::new();
    }
    for (text, content) in contents.iter().enumerate() {
        for row in &lines.decoder.rows(text).rows {
            if row.kind == RowKind::Line
                && let Some(places) = wanted.get_mut(&content[row.content_range()])
                && places.len() < MAX_COPIES
            {
                places.push(LinePlace { text, start: row.start as usize });
            }
        }
    }
    let mut proposed: Vec<(usize, LinePlace, LinePlace, &str)> = Vec::new();
    for (number, (wanted_lines, wrong)) in meanings.iter().zip(wrong).enumerate() {
        let Some((first, meaning, _)) = wanted_lines else { continue };
        let draft = &drafts[wrong.draft];
        let from = LinePlace { text: draft.text, start: wrong.start };
        for place in wanted.get(first).into_iter().flatten() {
            let rows = lines.decoder.rows(place.text);
            let start = rows.rows.partition_point(|row| (row.start as usize) < place.start);
            let copy = RowsOf { text: place.text, rows: start..start + meaning.target.rows.len() };
            if rows.are_lines(&copy.rows) && lines.hash(&copy) == meaning.hash {
                let quotes: HashSet<&str> =
                    [20, 40, 80, MAX_QUOTE_BYTES].iter().filter_map(|least| quote_of(first, *least)).collect();
                proposed.extend(quotes.into_iter().map(|quote| (number, from, *place, quote)));
            }
        }
    }
    // The shortest that leads there.
    proposed.sort_by_key(|(number, _, place, quote)| (*number, quote.len(), *place));
    let quoted = QuotedLines::find(proposed.iter().map(|(.., quote)| *quote), contents);
    let mut found = HashMap::new();
    for (number, from, place, quote) in proposed {
        let direction = if place < from { Direction::Above } else { Direction::Below };
        // What leads below goes on to, whatever the host drops from the beginning.
        let may_lead = |old: Direction| old == Direction::Above || direction == Direction::Below;
        if quoted.nearest(quote, from, direction) == Some(place)
            && let Some((_, meaning, _)) = meanings[number].filter(|(.., old)| may_lead(*old))
            && let Ok(lines) = u32::try_from(meaning.target.rows.len())
        {
            let pointer = Pointer::Reference(Reference { lines, direction, quote }).to_string();
            found.entry(number).or_insert(pointer);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::conversation::{Edit, Plan};

    /// A text that is one part.
    fn whole(_: usize, _: &[PathStep]) -> Vec<Range<usize>> {
        std::iter::once(0..usize::MAX).collect()
    }

    fn line(number: usize) -> String {
        format!("    call_number_{number}_of_many(with, its, own, arguments);")
    }

    /// Of lines that say the same, the one behind a note is the one that its neighbours or the count of the note make it.
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

    /// A number below a heading that is not the one expected there, because lines before it are gone, hid the pointer behind it.
    #[test]
    fn a_pointer_below_a_heading_is_seen_where_lines_before_it_are_gone() {
        let mut text: Vec<String> = (1..50).map(line).collect();
        text[0] = "     1→[59 lines, every 10th numbered:]\n".to_owned() + &text[0];
        text.push("    50→[3 lines as above from \"call_number_20_of\"]".to_owned());
        text.extend((53..60).map(line));
        let message = |text: &[String]| json!([{ "role": "user", "content": text.join("\n") }]);
        let before = Conversation::parse(&message(&text).to_string()).unwrap();
        let decoded = super::super::decode(&before);
        assert!(decoded[0][0].contains("    51→    call_number_21_of_many("), "{}", decoded[0][0]);
        // Somebody leaves out the lines that the pointer leads to.
        let gone = [&text[..15], &["[…16-30]".to_owned()], &text[30..]].concat();
        let cut = Plan { edits: vec![Edit::set_text(0, vec!["content".into()], gone.join("\n"))] };
        let mended = kept_true(&before, &before.apply(&cut).unwrap(), &BlockOrigins::default(), &whole, None);
        let [mended] = &mended[..] else { panic!("{mended:?}") };
        assert_eq!(mended.left_out, 1);
        assert!(mended.text.contains("[… 3 lines left out]"), "{}", mended.text);
        assert!(!mended.text.contains("as above"), "{}", mended.text);
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
}
