//! A text under repair: its parts, and what is wrong in it.

use std::{borrow::Cow, ops::Range};

use super::{
    lines::{Lines, Meaning},
    matched::matched,
};
use crate::{
    conversation::NumberStyle,
    maps::HashSet,
    markers::{Gap, NUMBERED_EVERY, Pointer, is_heading},
    restore::rows::{NO_EXCERPT, NumberedExcerpt, RowKind, Rows, numbered},
};

/// Fewer lines than this keep their own numbers instead of a heading.
const MIN_HEADED: usize = 6;

/// One element of a text under repair.
#[derive(Clone)]
enum Item<'a> {
    /// A line as written.
    Raw(Cow<'a, str>),
    /// A line whose number may be left out.
    Numbered {
        number: u32,
        style: NumberStyle,
        content: &'a str,
    },
    /// Among numbered lines: a marker for left-out lines.
    Gap {
        number: u32,
        style: NumberStyle,
        lines: u32,
    },
    Pointer(PointerItem<'a>),
}

#[derive(Clone)]
pub(super) struct PointerItem<'a> {
    /// The number of the first line it represents, with its style, and whether the number may be left out.
    number: Option<(u32, NumberStyle, bool)>,
    /// The text of the pointer.
    pub(super) written: Cow<'a, str>,
    /// The lines it represented; `None` if it did not resolve.
    pub(super) meaning: Option<Meaning>,
}

impl PointerItem<'_> {
    fn lines(&self) -> u32 {
        Pointer::read(&self.written).map_or(1, |pointer| pointer.lines())
    }
}

/// A text under repair.
#[derive(Clone)]
pub(super) struct Draft<'a> {
    pub(super) text: usize,
    items: Vec<Item<'a>>,
    /// True if a provider changed the text.
    is_changed: bool,
    /// True if something in it was repaired.
    is_mended: bool,
    /// The text as it is.
    now: &'a str,
    pub(super) aimed: usize,
    pub(super) expanded: usize,
    pub(super) left_out: usize,
}

/// The former text, and its parts.
pub(super) struct Old<'p> {
    pub(super) text: usize,
    /// Returns the parts of a text.
    pub(super) parts: &'p dyn Fn(usize) -> Vec<Range<usize>>,
}

impl Old<'_> {
    /// Returns, for each excerpt, whether lines whose numbers were left out get them back, because their heading
    /// remained and is genuine. Our headings never cover lines of two parts. A part may end inside what a heading
    /// claims, as when tags follow the lines.
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

/// A pointer that no longer represents its lines, or a line that looks like a pointer and was none before.
pub(super) struct Wrong {
    pub(super) draft: usize,
    pub(super) item: usize,
    /// Its first byte in the text.
    pub(super) start: usize,
}

impl<'a> Draft<'a> {
    pub(super) fn new(
        text: usize,
        (now, rows): (&'a str, &Rows),
        old: Option<Old<'_>>,
        is_changed: bool,
        was_lines: &mut Lines<'a>,
    ) -> Self {
        let was = was_lines.contents;
        let old_rows = old.as_ref().map(|old| was_lines.decoder.rows(old.text));
        let matches = match (&old, &old_rows) {
            (Some(_), Some(_)) if !is_changed => (0..rows.rows.len()).map(Some).collect(),
            (Some(old), Some(old_rows)) => matched(now, rows, was[old.text], old_rows),
            _ => vec![None; rows.rows.len()],
        };
        let numbers = old.as_ref().zip(old_rows.as_ref()).map(|(old, rows)| old.numbers(rows, &matches));
        let numbers = numbers.unwrap_or_default();
        let old = old.map(|old| old.text);
        let mut items = Vec::with_capacity(rows.rows.len());
        let mut left_out = 0;
        // True if lines left out their numbers below a heading that is new and has to be written again.
        let mut is_unheaded = false;
        for (row, matched) in rows.rows.iter().zip(matches) {
            let line = &now[row.range()];
            if old.is_some() && matched.is_none() && row.kind == RowKind::Line && is_heading(line) {
                is_unheaded = true;
                continue;
            }
            let Some((old, old_rows, at)) = matched.and_then(|at| Some((old?, old_rows.as_ref()?, at))) else {
                // The row looks like a pointer, but no provider wrote it here.
                left_out += usize::from(row.kind != RowKind::Line);
                match row.kind {
                    RowKind::Line => items.push(Item::Raw(line.into())),
                    // A heading represents no line.
                    RowKind::Heading => is_unheaded = true,
                    _ => items.push(Item::Raw(Gap::Elsewhere(row.lines.max(1) as usize).to_string().into())),
                }
                continue;
            };
            let old_row = &old_rows.rows[at];
            if old_row.kind == RowKind::Line && matches!(row.kind, RowKind::Heading | RowKind::Pointer) {
                // A line that was no pointer would be read as one among the remaining lines.
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
                // Without its heading, a line has only the number written in it, if any.
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

    /// Returns the text.
    pub(super) fn text(&self) -> String {
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

    /// Returns the number of an item that may be written without it, the number's style, and how many lines the item
    /// represents.
    fn unnumbered(&self, at: usize) -> Option<(u32, NumberStyle, u32)> {
        match self.items.get(at)? {
            Item::Numbered { number, style, content } => {
                // Without its own number, a number at the start of the content would be taken for it.
                let may_go = number.is_multiple_of(NUMBERED_EVERY) || !style.is_shown(content.as_bytes());
                may_go.then_some((*number, *style, 1))
            }
            Item::Gap { number, style, lines } => Some((*number, *style, *lines)),
            Item::Pointer(pointer) => {
                let (number, style, _) = pointer.number.filter(|(.., may_go)| *may_go)?;
                // A pointer that does not resolve is one line, whatever number it claims.
                pointer.meaning.as_ref()?;
                Some((number, style, pointer.lines()))
            }
            Item::Raw(_) => None,
        }
    }

    /// Returns the end of the items from `at` on that can share one heading; `at` if they are too few.
    fn segment(&self, at: usize) -> usize {
        let Some((mut next, style, _)) = self.unnumbered(at) else { return at };
        let mut end = at;
        while let Some((_, _, lines)) = self.unnumbered(end).filter(|(number, is, _)| (*number, *is) == (next, style)) {
            next += lines;
            end += 1;
        }
        if end - at < MIN_HEADED { at } else { end }
    }

    fn write_segment(&self, items: Range<usize>, out: &mut String) {
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

    /// Returns the row that each item is written as.
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

    /// Finds the pointers that no longer represent their lines, and the lines that look like markers because of other
    /// lines.
    pub(super) fn wrong(&self, draft: usize, lines: &mut Lines<'_>) -> Vec<Wrong> {
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

    pub(super) fn pointer(&self, item: usize) -> Option<&PointerItem<'a>> {
        match &self.items[item] {
            Item::Pointer(pointer) => Some(pointer),
            _ => None,
        }
    }

    pub(super) fn aim(&mut self, item: usize, written: String) {
        if let Item::Pointer(pointer) = &mut self.items[item] {
            pointer.written = written.into();
            self.aimed += 1;
            self.is_mended = true;
        }
    }

    pub(super) fn leave_out(&mut self, item: usize) {
        let gap = |lines: usize| Item::Raw(Gap::Elsewhere(lines).to_string().into());
        self.items[item] = match &self.items[item] {
            Item::Pointer(pointer) => match pointer.number {
                Some((number, style, true)) => Item::Gap { number, style, lines: pointer.lines() },
                // A pointer that did not resolve was a line.
                _ => gap(if pointer.meaning.is_some() { pointer.lines() as usize } else { 1 }),
            },
            Item::Numbered { number, style, .. } => Item::Gap { number: *number, style: *style, lines: 1 },
            Item::Raw(_) | Item::Gap { .. } => gap(1),
        };
        self.left_out += 1;
        self.is_mended = true;
    }

    /// Returns the pointer, its lines, and the text with the lines in its place. `None` if a provider cut the text,
    /// because the provider has chosen which content to keep.
    pub(super) fn expanded(
        &self,
        item: usize,
        was: &mut Lines<'a>,
        room: &mut usize,
    ) -> Option<(String, String, Self)> {
        let pointer = self.pointer(item)?;
        // The line above a repeat pointer changes only if a provider changed the text.
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
