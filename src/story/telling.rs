//! Entries in the room there is: the older, the shorter.

use std::ops::Range;

use super::{
    form::{FORMS, Form, Kind, cut_words, told as in_form},
    reading::{Told, read},
    text::{Paths, Writer, story},
};
use crate::{
    conversation::Conversation,
    tokens::{Encoding, count_inside},
    transcript::ToolTable,
};

/// Each form reaches so many times as far back as the fuller one.
const REACH: usize = 4;
/// Where an earlier story has no room as it stands, it is shortened to this share of it, so that the next ones find room behind it: prompt caches keep the
/// beginning that stays.
const LEEWAY: f64 = 0.8;
/// The fewest characters to which words are cut.
const LEAST_WORDS: usize = 40;

/// Messages that are to be told.
pub struct Telling<'a> {
    /// The conversation they stand in.
    pub conversation: &'a Conversation,
    /// What its tools do.
    pub tools: &'a ToolTable,
    /// How tokens are counted.
    pub encoding: Encoding,
}

/// An entry in each form, with its tokens.
struct Forms {
    told: Told,
    forms: [Option<(String, usize)>; FORMS.len()],
}

/// The story of these messages in at most `room` tokens; `None` where there is nothing to tell or no room. Lines for which `is_known` holds stand elsewhere.
#[must_use]
pub fn told(
    telling: &Telling<'_>,
    messages: Range<usize>,
    room: usize,
    is_known: impl Fn(&str) -> bool,
) -> Option<String> {
    let count = |text: &str| count_inside(&format!("{text}\n"), telling.encoding).tokens;
    let mut all = read(telling.conversation, telling.tools, messages);
    all.retain(|told| {
        told.kind == Kind::User
            || told.entry.quotes.is_empty()
            || !told.entry.quotes.iter().all(|quote| is_known(&quote.text))
    });
    let heading = count(crate::markers::LOG_HEADING) + 1;
    let room = room.checked_sub(heading)?;
    let writer = &Writer::new(all.iter().map(|told| told.entry.head.as_str()));
    let in_all = |told: Told| {
        let in_one = |form| {
            let text = in_form(writer, &told.entry, told.kind, form)?;
            let tokens = count(&text);
            Some((text, tokens))
        };
        Forms { forms: FORMS.map(in_one), told }
    };
    let all: Vec<Forms> = all.into_iter().map(in_all).collect();
    let new = all.iter().position(|forms| !forms.told.is_earlier).unwrap_or(all.len());
    let (earlier, later) = all.split_at(new);
    let standing: Vec<String> =
        earlier.iter().map(|forms| writer.written(&forms.told.entry.head, &forms.told.entry.quotes)).collect();
    let stand: usize = standing.iter().map(|text| count(text)).sum();
    let least: usize = later.iter().filter_map(|forms| Some(forms.forms[1].as_ref()?.1)).sum();
    let entries = if earlier.is_empty() {
        chosen(writer, &all, room, count)
    } else if stand + least <= room {
        standing.into_iter().chain(chosen(writer, later, room - stand, count)).collect()
    } else {
        chosen(writer, &all, (room as f64 * LEEWAY) as usize, count)
    };
    story(entries.iter().map(String::as_str))
}

/// The entries in the forms for which there is room, written.
fn chosen(writer: &Writer, all: &[Forms], room: usize, count: impl Fn(&str) -> usize) -> Vec<String> {
    let Some(depth) = deepest(all, room) else { return cut_to(writer, all, room, count) };
    let first = written_at(all, depth);
    let (estimate, tokens) = (tokens_at(all, depth), first.iter().map(|text| count(text)).sum::<usize>());
    // Paths that are told by their ends leave room for more.
    if tokens * 50 < room * 49 && estimate > tokens {
        let more = deepest(all, room + (estimate - tokens) * 9 / 10);
        let second = more.map(|depth| written_at(all, depth));
        if let Some(second) = second.filter(|second| second.iter().map(|text| count(text)).sum::<usize>() <= room) {
            return second;
        }
    }
    first
}

/// The tokens of the fullest forms behind each entry.
fn distances(all: &[Forms]) -> Vec<usize> {
    let mut behind = 0;
    let mut distances: Vec<usize> = all
        .iter()
        .rev()
        .map(|forms| {
            let distance = behind;
            behind += forms.forms[0].as_ref().map_or(0, |(_, tokens)| *tokens);
            distance
        })
        .collect();
    distances.reverse();
    distances
}

/// The form of an entry at this distance where entries are told to that depth.
fn form_at(distance: usize, depth: usize) -> Form {
    match depth {
        depth if distance < depth / (REACH * REACH) => Form::Full,
        depth if distance < depth / REACH => Form::Short,
        depth if distance < depth => Form::Least,
        _ => Form::Words,
    }
}

fn forms_at(all: &[Forms], depth: usize) -> impl Iterator<Item = (&Forms, &(String, usize))> {
    let distances = distances(all);
    all.iter().zip(distances).filter_map(move |(forms, distance)| {
        let form = form_at(distance, depth);
        let told = FORMS.iter().position(|one| *one == form).and_then(|at| forms.forms[at].as_ref())?;
        Some((forms, told))
    })
}

fn tokens_at(all: &[Forms], depth: usize) -> usize {
    forms_at(all, depth).map(|(_, (_, tokens))| tokens).sum()
}

fn written_at(all: &[Forms], depth: usize) -> Vec<String> {
    let mut paths = Paths::default();
    let write = |(forms, (text, _)): (&Forms, &(String, usize))| {
        let (head, rest) = text.split_once('\n').map_or((text.as_str(), ""), |(head, _)| (head, &text[head.len()..]));
        let short = paths.shortened(head);
        if forms.told.is_earlier { text.clone() } else { format!("{short}{rest}") }
    };
    forms_at(all, depth).map(write).collect()
}

/// The greatest depth for which there is room; `None` where there is none for words alone.
fn deepest(all: &[Forms], room: usize) -> Option<usize> {
    let total = distances(all).first().copied().unwrap_or(0) + 1;
    let (mut low, mut high) = (0, total * REACH * REACH + 1);
    if tokens_at(all, low) > room {
        return None;
    }
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if tokens_at(all, middle) <= room { low = middle } else { high = middle }
    }
    Some(low)
}

/// Words alone, cut to the room there is: the longest are cut first, and the oldest go last of all.
fn cut_to(writer: &Writer, all: &[Forms], room: usize, count: impl Fn(&str) -> usize) -> Vec<String> {
    let words: Vec<&Forms> = all.iter().filter(|forms| forms.forms[FORMS.len() - 1].is_some()).collect();
    let at =
        |most: usize| -> Vec<String> { words.iter().map(|forms| cut_words(writer, &forms.told.entry, most)).collect() };
    let tokens = |texts: &[String]| texts.iter().map(|text| count(text)).sum::<usize>();
    let (mut low, mut high) = (LEAST_WORDS, 8000);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if tokens(&at(middle)) <= room { low = middle } else { high = middle }
    }
    let mut texts = at(low);
    let mut left = tokens(&texts);
    texts.retain(|text| {
        let goes = left > room;
        left -= if goes { count(text) } else { 0 };
        !goes
    });
    texts
}
