//! Writes an entry at different lengths. The same entry at the same length gives the same text, and an entry that is
//! already shorter is unchanged. A later condensation therefore changes as little as possible.

use std::borrow::Cow;

use super::{
    endings::{Ending, ending},
    kind::Kind,
    reading::Told,
    text::{Mark, Quotation, Writer},
};
use crate::output::each_failure_in_json;

/// Maximum characters of an entry's words, of a call's parameters or written text, and of its result.
struct Most {
    said: f64,
    given: f64,
    answered: f64,
}

const fn most(said: f64, given: f64, answered: f64) -> Most {
    Most { said, given, answered }
}

impl Kind {
    /// Returns the limits for an entry of this kind that is quoted in full. The user's words have no limit, because
    /// without pastes they fit in a twenty-fifth of a session. The other numbers were chosen with the reading test.
    fn most(self) -> Most {
        match self {
            Self::User => most(f64::MAX, 0.0, 0.0),
            Self::List => most(0.0, 4000.0, 80.0),
            Self::Paste => most(2400.0, 0.0, 0.0),
            Self::Summary => most(8000.0, 0.0, 0.0),
            Self::Assistant => most(1800.0, 0.0, 0.0),
            Self::Report => most(1800.0, 1800.0, 600.0),
            Self::Notice => most(400.0, 0.0, 0.0),
            Self::Change => most(0.0, 420.0, 400.0),
            Self::Item => most(0.0, 160.0, 160.0),
            Self::Command | Self::Inspection => most(0.0, 200.0, 320.0),
            Self::Asked => most(0.0, 400.0, 600.0),
            Self::Look => most(0.0, 0.0, 300.0),
            Self::Silent => most(0.0, 0.0, 0.0),
        }
    }

    /// Returns the share of these limits for an entry of this age (0 for the oldest, 1 for the newest) at a given
    /// `scale`. The user's words and the newest todo list always have the full share.
    pub fn share(self, age: f64, scale: f64) -> f64 {
        let weight = match self {
            Self::User | Self::List => return 1.0,
            Self::Summary => 3.0,
            Self::Paste => 0.6,
            Self::Assistant => 0.1 + 0.15 * age,
            Self::Notice => 1.0,
            Self::Report | Self::Change | Self::Item => 1.2 + 0.4 * age,
            Self::Command | Self::Inspection | Self::Asked => 0.6 + 0.4 * age,
            Self::Look => 0.6,
            Self::Silent => 0.0,
        };
        (weight * scale).min(1.0)
    }
}

/// Minimum characters to which a call's first line is cut.
const HEAD: f64 = 60.0;
/// Fraction of a cut head that is taken from its beginning.
const HEAD_BEGINNING: f64 = 0.65;
/// Text that would be cut to fewer characters is dropped, because so few say nothing.
const LEAST_WORDS: f64 = 80.0;
/// The same for a call's parameters and for written text: one line of code says something.
const LEAST_GIVEN: f64 = 40.0;
/// Minimum characters for a call's result; with fewer, the call is dropped. Few suffice, because the most informative
/// lines are quoted.
const LEAST_ANSWER: f64 = 16.0;
/// Minimum characters of each line that is always quoted with a result, if the result has an outcome.
const LEAST_LINE: usize = 80;
/// The same if it has none.
const LEAST_PLAIN_LINE: usize = 40;
/// Factor on the length of a result that reports failure.
const FAILED: f64 = 2.5;
/// Factor on the length of a command's result without an outcome. It is also the maximum factor for an earlier run.
const PLAIN: f64 = 0.5;
/// Maximum characters of a result's line.
const LINE: usize = 240;
/// Quotations of fewer characters are taken from the beginning only.
const PARTS: usize = 160;
/// Minimum characters of a part of a line. The first line may be cut to half of that.
const PART: usize = 24;
/// Fraction of cut words that is taken from their beginning; the rest is from their end.
const BEGINNING: f64 = 0.65;

/// An entry that can be written at any length.
pub struct Form<'t> {
    kind: Kind,
    head: String,
    is_failed: bool,
    /// Factor on the share of the result: [`FAILED`], [`PLAIN`] or 1.
    telling: f64,
    said: Lines<'t>,
    given: Lines<'t>,
    /// The lines in `given` that a change adds or removes. They are quoted alone if not all lines fit. `None` if `given`
    /// has no others.
    changed: Option<Lines<'t>>,
    /// Lines of the result: its ending, and the shown lines.
    answered: Vec<Answer<'t>>,
    /// The ending, as indices of `answered`.
    ending: Ending,
    /// Number of lines of the result.
    lines: usize,
    /// Indices of the lines in `answered` that are quoted at any scale.
    shown: Vec<usize>,
}

/// The relation of an entry to the later ones in its story.
#[derive(Debug, Clone, Copy, Default)]
pub struct Among {
    /// True if a later entry is of the same call.
    pub is_again: bool,
    /// True if later entries cannot be understood without it: it changes the directory in which they run.
    pub is_needed: bool,
    /// True if its head, once cut, would be that of another call.
    pub is_alike: bool,
}

/// Quoted lines, with their length.
struct Lines<'t> {
    quotes: Vec<Quotation<'t>>,
    /// Characters of all lines and their line feeds.
    length: usize,
}

/// A line of a result.
struct Answer<'t> {
    quote: Quotation<'t>,
    /// The index of the first failure in a line of JSON.
    failure: Option<usize>,
}

impl<'t> Form<'t> {
    /// Creates the form of an entry, with no more text than its kind's limits.
    pub fn new(told: &Told<'t>) -> Self {
        let Told { entry, kind, shown, .. } = told;
        let kind = *kind;
        let said: Vec<Quotation<'t>> = entry.quotes.iter().filter(|quote| quote.mark == Mark::Said).cloned().collect();
        let most = kind.most();
        let (given, changed) = written(told);
        let alone = (!changed.is_empty()).then(|| Lines::new(alone(&given, &changed)));
        let given = Lines::new(given);
        let (given, changed) = match alone {
            Some(alone) if given.length as f64 > most.given => (alone, None),
            alone => (given, alone),
        };
        let is_answer = |at: &usize| matches!(entry.quotes[*at].mark, Mark::Answered | Mark::Failed);
        let answers: Vec<usize> = (0..entry.quotes.len()).filter(is_answer).collect();
        let answered: Vec<&Quotation<'t>> = answers.iter().map(|at| &entry.quotes[*at]).collect();
        let shown: Vec<usize> = shown.iter().filter_map(|at| answers.binary_search(at).ok()).collect();
        let is_failed = answered.iter().any(|quote| quote.mark == Mark::Failed);
        let ranked = if kind == Kind::Look && !is_failed {
            Ending::default()
        } else {
            let lines: Vec<&str> = answered.iter().map(|quote| &*quote.text).collect();
            ending(&lines, is_failed)
        };
        let mut told: Vec<usize> = ranked.must.iter().chain(&ranked.more).chain(&shown).copied().collect();
        told.sort_unstable();
        told.dedup();
        let place = |at: &usize| told.binary_search(at).ok();
        let places = |all: &[usize]| -> Vec<usize> { all.iter().filter_map(place).collect() };
        Self {
            kind,
            is_failed,
            telling: match kind {
                _ if is_failed || ranked.bad.is_some() => FAILED,
                Kind::Command | Kind::Inspection if !ranked.says => PLAIN,
                _ => 1.0,
            },
            head: entry.head.clone(),
            said: Lines::new(said).both_ends(most.said),
            given: given.both_ends(most.given),
            changed,
            ending: Ending { must: places(&ranked.must), more: places(&ranked.more), ..Ending::default() },
            lines: answered.len(),
            shown: places(&shown),
            answered: told.iter().map(|at| Answer::new(answered[*at].clone())).collect(),
        }
    }

    /// Writes the entry at this share of its limits. Returns `None` if too little would remain. If the call was made
    /// again, a change is dropped without its lines, and a result gets no larger share than the later one.
    pub fn told(&self, writer: &Writer, share: f64, among: Among) -> Option<String> {
        self.quotes(share, among).map(|(head, quotes)| writer.written(&head, &quotes))
    }

    /// Returns the length in bytes of what [`Self::told`] would write.
    pub fn length(&self, writer: &Writer, share: f64, among: Among) -> Option<usize> {
        self.quotes(share, among).map(|(head, quotes)| writer.length(&head, &quotes))
    }

    /// Returns the head and the lines of the entry at this share of its limits.
    fn quotes(
        &self,
        share: f64,
        Among { is_again, is_needed, is_alike }: Among,
    ) -> Option<(Cow<'_, str>, Vec<Quotation<'_>>)> {
        let most = self.kind.most();
        // A failed read that succeeded later says nothing any more.
        let is_over = self.kind == Kind::Look && (is_again || !self.is_failed) && self.shown.is_empty();
        if self.kind == Kind::Silent || is_over {
            return None;
        }
        let in_room = |lines: &Lines<'t>, most: f64, least: f64| {
            let room = most * share;
            if room < least && lines.length as f64 > room { Vec::new() } else { lines.in_room(room) }
        };
        let mut quotes = match self.kind {
            // A notice may say that something else changed a file, or how a command of the user's ended.
            Kind::Notice if !is_again && share > 0.0 => self.said.in_room((most.said * share).max(LEAST_WORDS)),
            _ => in_room(&self.said, most.said, LEAST_WORDS),
        };
        if quotes.is_empty() && !self.said.quotes.is_empty() {
            return None;
        }
        // An earlier run's result is quoted only if the last run's is, because a failure alone would seem to last.
        let telling = if is_again { self.telling.min(PLAIN) } else { self.telling };
        let room = most.answered * (share * telling).min(1.0);
        let alone = self.changed.as_ref().filter(|_| self.given.length as f64 > most.given * share);
        let given = in_room(alone.unwrap_or(&self.given), most.given, LEAST_GIVEN);
        let is_told = match self.kind {
            Kind::List => true,
            // Shown lines keep an entry, except an earlier run. It is quoted only if its ending has enough characters.
            _ if !self.shown.is_empty() && (!is_again || self.kind == Kind::Look) => true,
            Kind::Change => !given.is_empty() || (!is_again && share > 0.0),
            Kind::Command | Kind::Inspection if is_needed => share > 0.0,
            Kind::Command if !is_again => share > 0.0,
            _ => room >= LEAST_ANSWER || !self.said.quotes.is_empty(),
        };
        if !is_told {
            return None;
        }
        quotes.extend(given);
        quotes.extend(self.ends(room as usize));
        // The end of a path identifies the file, so heads with paths are not cut.
        let is_cut = share < 1.0 && !is_alike && !matches!(self.kind, Kind::Change | Kind::Look);
        let head =
            if is_cut { cut_head(&self.head, (most.given * share).max(HEAD) as usize) } else { (&self.head).into() };
        Some((head, quotes))
    }

    /// Returns the most informative lines of the result in about `room` characters, in their order. Lines in `must` and
    /// shown lines are always included.
    fn ends(&self, room: usize) -> Vec<Quotation<'_>> {
        let must = self.ending.must.len();
        let line = LINE.min(room);
        let least = if self.telling > PLAIN { LEAST_LINE } else { LEAST_PLAIN_LINE };
        let each = (room / must.max(1)).clamp(least, LINE);
        let mut chosen: Vec<(usize, Cow<'_, str>)> = Vec::new();
        let mut left = room;
        for (place, at) in self.ending.must.iter().chain(&self.ending.more).enumerate() {
            let text = self.answered[*at].cut(if place < must { each } else { line });
            let length = text.chars().count() + 1;
            if place >= must && length > left {
                continue;
            }
            left = left.saturating_sub(length);
            chosen.push((*at, text));
        }
        for at in &self.shown {
            if chosen.iter().all(|(told, _)| told != at) {
                chosen.push((*at, cut(&self.answered[*at].quote.text, LINE)));
            }
        }
        chosen.sort_by_key(|(at, _)| *at);
        // An ending alone does not look like the whole result.
        let is_part = chosen.len() < self.lines;
        if let Some((_, first)) = chosen.first_mut().filter(|(_, first)| is_part && !first.starts_with('…')) {
            *first = format!("… {first}").into();
        }
        chosen.into_iter().map(|(at, text)| Quotation { mark: self.answered[at].quote.mark, text }).collect()
    }

    /// Writes the words in at most this many characters. This is the last resort if nothing else fits.
    pub fn cut_words(&self, writer: &Writer, characters: usize) -> String {
        let all = self.said.quotes.iter().chain(&self.given.quotes).cloned().collect();
        writer.written(&self.head, &Lines::new(all).in_room(characters as f64))
    }

    /// Returns true for a change whose result says no more than that it succeeded.
    pub fn proves_change(&self) -> bool {
        self.kind == Kind::Change && self.lines == 0
    }

    /// Returns true if the entry is quoted even if nothing else fits.
    pub fn is_always_told(&self) -> bool {
        matches!(self.kind, Kind::User | Kind::List)
    }
}

/// Cuts a line to this many characters, between words if possible.
fn cut(line: &str, characters: usize) -> Cow<'_, str> {
    if !is_longer(line, characters) {
        return line.into();
    }
    let end = line.char_indices().nth(characters.saturating_sub(1)).map_or(line.len(), |(at, _)| at);
    let words = line[..end].rfind(' ').filter(|space| *space > end / 2).unwrap_or(end);
    format!("{}…", line[..words].trim_end_matches('…')).into()
}

/// Cuts a head in the middle, because commands with one beginning often differ at their end.
fn cut_head(head: &str, characters: usize) -> Cow<'_, str> {
    if !is_longer(head, characters) {
        return head.into();
    }
    let beginning = (characters as f64 * HEAD_BEGINNING) as usize;
    let at = |nth: usize| head.char_indices().nth(nth).map_or(head.len(), |(at, _)| at);
    let end = at(head.chars().count() - (characters - beginning - 1));
    format!("{}…{}", &head[..at(beginning)], &head[end..]).into()
}

/// Returns the shortest form of a head.
pub fn shortest(head: &str) -> Cow<'_, str> {
    cut_head(head, HEAD as usize)
}

/// Returns true if a text has more characters. Reads no more of it than needed.
fn is_longer(text: &str, characters: usize) -> bool {
    text.len() > characters && text.chars().nth(characters).is_some()
}

impl<'t> Answer<'t> {
    fn new(quote: Quotation<'t>) -> Self {
        let mut failure: Option<usize> = None;
        if quote.text.starts_with(['{', '[']) {
            each_failure_in_json(&quote.text, |at| failure = Some(failure.map_or(at, |first| first.min(at))));
        }
        Self { quote, failure }
    }

    /// Cuts the line. JSON on one line is quoted from the first failure in it.
    fn cut(&self, characters: usize) -> Cow<'_, str> {
        let line = &*self.quote.text;
        match self.failure.filter(|at| is_longer(line, characters) && is_longer(&line[..*at], characters / 2)) {
            Some(at) => {
                // The object around the field says what failed.
                let object = line[..at].rfind('{').filter(|open| !is_longer(&line[*open..at], characters / 2));
                cut(&format!("…{}", &line[object.unwrap_or(at)..]), characters).into_owned().into()
            }
            None => cut(line, characters),
        }
    }
}

/// Returns an ellipsis and the end of a line, in at most this many characters.
fn cut_before(line: &str, characters: usize) -> String {
    let skip = line.chars().count().saturating_sub(characters.saturating_sub(1));
    let start = line.char_indices().nth(skip).map_or(line.len(), |(at, _)| at);
    format!("…{}", line[start..].trim_start_matches('…'))
}

/// Returns the lines that a call wrote, and the indices of those that it adds or removes. Removed lines are returned
/// only if it wrote no others. A removed line above an added one would seem to be replaced by it, though they may be of
/// different changes.
fn written<'t>(Told { entry, changed, replaced, .. }: &Told<'t>) -> (Vec<Quotation<'t>>, Vec<usize>) {
    let adds = entry.quotes.iter().any(|quote| matches!(quote.mark, Mark::Given | Mark::Added));
    let is_written = |mark: Mark| matches!(mark, Mark::Given | Mark::Added) || (mark == Mark::Removed && !adds);
    let (mut quotes, mut places): (Vec<Quotation<'t>>, Vec<usize>) = Default::default();
    for (at, quote) in entry.quotes.iter().enumerate().filter(|(_, quote)| is_written(quote.mark)) {
        if replaced.binary_search(&at).is_ok() {
            quotes.last_mut().into_iter().for_each(Quotation::mark_gap);
            continue;
        }
        if changed.binary_search(&at).is_ok() {
            places.push(quotes.len());
        }
        quotes.push(quote.clone());
    }
    (quotes, places)
}

/// Returns the changed lines without those around them.
fn alone<'t>(quotes: &[Quotation<'t>], changed: &[usize]) -> Vec<Quotation<'t>> {
    let line = |(place, at): (usize, &usize)| {
        let mut line = quotes[*at].clone();
        if changed.get(place + 1).is_some_and(|next| *next != at + 1) {
            line.mark_gap();
        }
        line
    };
    changed.iter().enumerate().map(line).collect()
}

impl<'t> Lines<'t> {
    fn new(quotes: Vec<Quotation<'t>>) -> Self {
        let length = quotes.iter().map(|quote| quote.text.chars().count() + 1).sum();
        Self { quotes, length }
    }

    /// Cuts the lines to this many characters.
    fn both_ends(self, characters: f64) -> Self {
        if self.fits(characters) { self } else { Self::new(both_ends(&self.quotes, characters)) }
    }

    /// Returns the lines, cut to this many characters.
    fn in_room(&self, characters: f64) -> Vec<Quotation<'t>> {
        if self.fits(characters) { self.quotes.clone() } else { both_ends(&self.quotes, characters) }
    }

    fn fits(&self, characters: f64) -> bool {
        characters >= 1.0 && self.length <= (characters as usize).saturating_add(1)
    }
}

/// Takes lines from both ends of lines that do not fit. An ellipsis marks the lines left out between them, and the cut
/// end of a line. Code is cut between lines, unless its first line does not fit.
fn both_ends<'t>(quotes: &[Quotation<'t>], characters: f64) -> Vec<Quotation<'t>> {
    let characters = characters as usize;
    if characters == 0 || quotes.is_empty() {
        return Vec::new();
    }
    let may_cut = |quote: &Quotation<'_>| quote.mark != Mark::Added;
    let fitting = |lines: &mut dyn Iterator<Item = &Quotation<'t>>, mut room: usize| {
        let mut count = 0;
        for quote in lines {
            let Some(left) = room.checked_sub(quote.text.chars().count() + 1) else { break };
            (count, room) = (count + 1, left);
        }
        (count, room)
    };
    // Two short parts say less than a longer one.
    let share = if characters < PARTS { 1.0 } else { BEGINNING };
    let beginning = (characters as f64 * share) as usize;
    let (first, room) = fitting(&mut quotes.iter(), beginning);
    let mut kept: Vec<Quotation<'t>> = quotes[..first].to_vec();
    let next = &quotes[first];
    let is_cut = first == 0 || (room >= PART && may_cut(next));
    if is_cut {
        kept.push(Quotation { mark: next.mark, text: cut(&next.text, room.max(PART / 2)).into_owned().into() });
    }
    let told = first + usize::from(is_cut);
    let room = characters - beginning + if is_cut { 0 } else { room };
    let (last, room) = fitting(&mut quotes[told..].iter().rev(), room);
    let last = quotes.len() - last;
    if last == told && is_cut && room >= PART && may_cut(next) {
        // Only the middle of this line is left out.
        let end = cut_before(&next.text, room);
        kept.last_mut().into_iter().for_each(|line| line.text.to_mut().push_str(end.trim_start_matches('…')));
    } else if let Some(line) = kept.last_mut().filter(|_| last > told) {
        line.mark_gap();
    }
    if last == quotes.len() && last > told && room >= PART && may_cut(&quotes[last - 1]) {
        kept.push(Quotation { mark: quotes[last - 1].mark, text: cut_before(&quotes[last - 1].text, room).into() });
    }
    kept.extend_from_slice(&quotes[last..]);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::story::text::Entry;

    fn quotation(mark: Mark, text: &str) -> Quotation<'_> {
        Quotation { mark, text: text.into() }
    }

    fn cut_answer(line: &str, characters: usize) -> String {
        Answer::new(quotation(Mark::Answered, line)).cut(characters).into_owned()
    }

    fn told(kind: Kind, head: &str, quotes: &[(Mark, &str)]) -> Told<'static> {
        let quotes = quotes.iter().map(|(mark, text)| quotation(*mark, text).into_owned()).collect();
        let entry = Entry { head: head.to_owned(), quotes };
        Told {
            message: 0,
            entry,
            kind,
            is_earlier: false,
            shown: Vec::new(),
            changed: Vec::new(),
            replaced: Vec::new(),
            results: Vec::new(),
        }
    }

    fn written(told: &Told, share: f64, is_again: bool) -> Option<String> {
        Form::new(told).told(&Writer::default(), share, Among { is_again, ..Among::default() })
    }

    #[test]
    fn shares_grow_with_age_and_scale_up_to_the_whole() {
        let share = |kind: Kind, age: f64, scale: f64| (kind.share(age, scale) * 1000.0).round() / 1000.0;
        for (kind, oldest, middle, newest) in [
            (Kind::User, 1.0, 1.0, 1.0),
            (Kind::List, 1.0, 1.0, 1.0),
            (Kind::Summary, 0.75, 0.75, 0.75),
            (Kind::Paste, 0.15, 0.15, 0.15),
            (Kind::Report, 0.3, 0.35, 0.4),
            (Kind::Assistant, 0.025, 0.044, 0.063),
            (Kind::Notice, 0.25, 0.25, 0.25),
            (Kind::Change, 0.3, 0.35, 0.4),
            (Kind::Item, 0.3, 0.35, 0.4),
            (Kind::Command, 0.15, 0.2, 0.25),
            (Kind::Inspection, 0.15, 0.2, 0.25),
            (Kind::Asked, 0.15, 0.2, 0.25),
            (Kind::Look, 0.15, 0.15, 0.15),
            (Kind::Silent, 0.0, 0.0, 0.0),
        ] {
            let found = [0.0, 0.5, 1.0].map(|age| share(kind, age, 0.25));
            assert_eq!(found, [oldest, middle, newest], "{kind:?}");
            assert!(share(kind, 0.5, 4.0) <= 1.0, "{kind:?}");
        }
    }

    #[test]
    fn the_changed_lines_are_told_alone_where_the_whole_text_does_not_fit() {
        let lines = ["fn first_of_the_unchanged_lines() {", "  the_new_line();", "  the_last_unchanged_line();", "}"];
        let quotes = lines.map(|line| (Mark::Added, line));
        let change = Told { changed: vec![1], ..told(Kind::Change, "Edit a.rs", &quotes) };
        let all = written(&change, 1.0, false).unwrap();
        assert!(lines.iter().all(|line| all.contains(line)), "{all}");
        assert_eq!(written(&change, 0.15, false).unwrap(), "Edit a.rs\n  +   the_new_line();");
        assert_eq!(written(&change, 0.01, false).unwrap(), "Edit a.rs");
        let removed = [(Mark::Removed, "check(user)"), (Mark::Added, "const ttl = 9")];
        let both = Told { changed: vec![0, 1], ..told(Kind::Change, "Edit a.rs", &removed) };
        assert_eq!(written(&both, 1.0, false).unwrap(), "Edit a.rs\n  + const ttl = 9");
        assert_eq!(
            written(&told(Kind::Change, "Edit a.rs", &removed[..1]), 1.0, false).unwrap(),
            "Edit a.rs\n  - check(user)"
        );
        let list = [(Mark::Added, "jobs:"), (Mark::Added, "  - build")];
        let list = written(&told(Kind::Change, "Edit ci.yml", &list), 1.0, false).unwrap();
        assert_eq!(list, "Edit ci.yml\n  + jobs:\n  +   - build", "no added line looks like a removed one");
        let long = (0..60).map(|line| format!("an unchanged line with the number {line}")).collect::<Vec<_>>();
        let quotes: Vec<(Mark, &str)> = long.iter().map(|line| (Mark::Added, line.as_str())).collect();
        let change = Told { changed: vec![31], ..told(Kind::Change, "Edit a.rs", &quotes) };
        assert_eq!(written(&change, 1.0, false).unwrap(), format!("Edit a.rs\n  + {}", long[31]));
        let change = Told { changed: vec![3, 4, 31], ..told(Kind::Change, "Edit a.rs", &quotes) };
        let lines = [&*long[3], &format!("{} …", long[4]), &long[31]].join("\n");
        assert_eq!(written(&change, 1.0, false).unwrap(), format!("Edit a.rs\n  + 3 lines:\n{lines}"));
    }

    #[test]
    fn a_long_head_is_cut_to_its_share() {
        let head = format!("Bash {}", "word ".repeat(60));
        let command = told(Kind::Command, head.trim(), &[(Mark::Answered, "ok")]);
        let length = |share| written(&command, share, false).unwrap().lines().next().unwrap().chars().count();
        assert_eq!((length(1.0), length(0.5), length(0.1)), (304, 100, 60));
    }

    /// Commands with one beginning stay different when their heads are cut, also when they are cut again.
    #[test]
    fn heads_are_cut_in_the_middle() {
        let head = |end: &str| format!("Bash DATABASE_URL=postgres://localhost:5432/ledger_test npx jest {end}");
        let (one, other) = (head("integration"), head("unit"));
        assert_eq!(shortest(&one), "Bash DATABASE_URL=postgres://localhost:…npx jest integration");
        assert_ne!(shortest(&one), shortest(&other));
        let long = format!("Bash {}", "é word ".repeat(40));
        for characters in 60..200 {
            let cut = cut_head(&long, characters);
            assert_eq!((cut.chars().count(), shortest(&cut)), (characters, shortest(&long)));
        }
    }

    #[test]
    fn lines_that_end_a_result_share_its_characters() {
        let long = |failures: usize| format!("Tests run: 20, Failures: {failures}, in {}", "x ".repeat(200));
        let (one, two) = (long(1), long(0));
        let command = told(Kind::Command, "Bash npm test", &[(Mark::Answered, &one), (Mark::Answered, &two)]);
        let lengths = |share| -> Vec<usize> {
            written(&command, share, false).unwrap().lines().skip(1).map(|line| line.chars().count()).collect()
        };
        let must = Form::new(&command).ending.must.len();
        assert_eq!((must, lengths(0.1), lengths(0.2)), (2, vec![83, 83], vec![83, 83]), "80 characters at least");
        assert_eq!(lengths(0.25), [103, 103], "half of 200 each");
    }

    #[test]
    fn json_on_one_line_is_quoted_from_its_first_failure() {
        let passed = r#"{"test":"a","state":"passed"},"#.repeat(20);
        let line = format!(r#"[{passed}{{"test":"b","state":"failed"}},{passed}]"#);
        assert_eq!(cut_answer(&line, 30), r#"…:"failed"},{"test":"a","stat…"#);
        assert_eq!(cut_answer(&line, 60), r#"…{"test":"b","state":"failed"},{"test":"a","state":"passed"…"#);
        assert_eq!(cut_answer(&format!("[{passed}]"), 30), r#"[{"test":"a","state":"passed"…"#);
        assert_eq!(cut_answer(r#"{"state":"failed"}"#, 30), r#"{"state":"failed"}"#);
        let near = format!(r#"[{{"state":"failed"}},{passed}]"#);
        assert_eq!(
            cut_answer(&near, 30),
            r#"[{"state":"failed"},{"test":"…"#,
            "a near failure needs no other beginning"
        );
    }

    #[test]
    fn shown_lines_are_quoted_at_any_share_unless_a_later_run_is() {
        let lines = [(Mark::Answered, "building"), (Mark::Answered, "const parseDay"), (Mark::Answered, "done")];
        let shown = Told { shown: vec![1], ..told(Kind::Command, "Bash npm run build", &lines) };
        assert_eq!(written(&shown, 0.0, false).unwrap(), "Bash npm run build\n  → … const parseDay\n  → done");
        assert_eq!(written(&shown, 0.0, true), None);
        let read = Told { shown: vec![0], ..told(Kind::Look, "Read a.ts", &lines[1..2]) };
        assert_eq!(written(&read, 0.0, true).unwrap(), "Read a.ts\n  → const parseDay");
        assert_eq!(written(&told(Kind::Look, "Read a.ts", &lines), 1.0, false), None);
    }

    #[test]
    fn words_are_told_whole_or_cut_or_not_at_all() {
        let long = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen";
        let words = told(Kind::Assistant, "Assistant:", &[(Mark::Said, long)]);
        assert_eq!(written(&words, 1.0, false).unwrap(), format!("Assistant:\n  {long}"));
        assert_eq!(
            written(&words, 0.05, false).unwrap(),
            "Assistant:\n  one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen…"
        );
        assert_eq!(written(&words, 0.04, false), None, "fewer characters say nothing");
        let short = told(Kind::Assistant, "Assistant:", &[(Mark::Said, "It is done.")]);
        assert_eq!(written(&short, 0.04, false).unwrap(), "Assistant:\n  It is done.");
        assert_eq!(written(&short, 0.0, false), None);
    }

    #[test]
    fn a_change_without_its_lines_is_told_unless_the_file_changes_again() {
        let change =
            told(Kind::Change, "Edit a.ts", &[(Mark::Added, &"let a = 1; ".repeat(20)), (Mark::Answered, "ok")]);
        let head =
            |share, is_again| written(&change, share, is_again).map(|text| text.lines().next().unwrap().to_owned());
        assert_eq!(head(0.01, false).as_deref(), Some("Edit a.ts"));
        assert_eq!((head(0.01, true), head(0.0, false)), (None, None));
        assert_eq!(head(1.0, true).as_deref(), Some("Edit a.ts"), "its lines say something");
    }

    #[test]
    fn the_newest_list_is_told_at_any_share_and_a_result_from_a_few_characters_on() {
        let quotes = [(Mark::Given, "pending: Write the tests"), (Mark::Answered, "Saved.")];
        assert!(written(&told(Kind::List, "TodoWrite", &quotes), 0.1, false).is_some());
        let shows = told(Kind::Inspection, "Bash cat a.log", &[(Mark::Answered, "3 passed")]);
        assert_eq!(written(&shows, 0.05, false).unwrap(), "Bash cat a.log\n  → 3 passed");
        assert_eq!(written(&shows, 0.04, false), None);
        let command = told(Kind::Command, "Bash npm test", &[(Mark::Answered, "3 passed")]);
        assert!(written(&command, 0.01, false).is_some(), "it may have changed something");
        assert_eq!(written(&command, 0.04, true), None);
        let failed = told(Kind::Inspection, "Bash cat a.log", &[(Mark::Answered, "3 failed")]);
        assert!(written(&failed, 0.02, false).is_some(), "a failure is told longer than a success");
        assert_eq!(written(&told(Kind::Silent, "TodoWrite", &quotes), 1.0, false), None);
        assert_eq!(written(&told(Kind::Look, "Read a.ts", &[(Mark::Answered, "x")]), 1.0, false), None);
        assert!(written(&told(Kind::Look, "Read a.ts", &[(Mark::Failed, "no such file")]), 1.0, false).is_some());
    }

    /// If the first of two runs of a call is quoted, so is the last, even if only the first one failed.
    #[test]
    fn a_failure_is_not_told_without_the_run_that_followed() {
        let run = |ending: &str| told(Kind::Command, "Bash npm test", &[(Mark::Answered, ending)]);
        let (failed, passed) = (run("Tests  3 failed | 12 passed"), run("Everything is up to date."));
        for share in (0..40).map(|step| f64::from(step) / 100.0) {
            let is_first_told = written(&failed, share, true).is_some();
            assert!(!is_first_told || written(&passed, share, false).is_some(), "{share}");
        }
        assert!(written(&failed, 0.03, false).is_some() && written(&failed, 0.03, true).is_none());
    }

    #[test]
    fn a_line_is_cut_between_words_unless_that_takes_half_of_it() {
        for (line, characters, wanted) in [
            ("one two three", 13, "one two three"),
            ("one two three", 12, "one two…"),
            ("one two three", 9, "one two…"),
            ("one twothreefour", 9, "one twot…"),
            ("onetwo three", 8, "onetwo…"),
            ("éé éé éé", 6, "éé éé…"),
            ("one…two", 5, "one…"),
        ] {
            assert_eq!(cut(line, characters), wanted, "{characters} of {line}");
        }
        assert_eq!(cut_before("one two three", 6), "…three");
        assert_eq!(cut_before("one two three", 1), "…");
    }

    /// Returns the lines that are taken from both ends of `lines`.
    fn ends(mark: Mark, lines: &[&str], characters: f64) -> Vec<String> {
        let all = lines.iter().map(|line| quotation(mark, line)).collect();
        let kept = Lines::new(all).in_room(characters);
        kept.into_iter().map(|quote| quote.text.into_owned()).collect()
    }

    #[test]
    fn lines_are_taken_from_both_ends() {
        let lines: Vec<String> = (10..40).map(|number| format!("this is line {number}")).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        assert_eq!(ends(Mark::Said, &lines, 0.0), [""; 0]);
        assert_eq!(ends(Mark::Said, &lines[..2], 31.0), lines[..2]);
        // Lines from the beginning only.
        let few = ends(Mark::Said, &lines, 80.0);
        assert_eq!(few, [&lines[..4], &["this is line 14 …"]].concat());
        // Two thirds from the beginning, one third from the end.
        let many = ends(Mark::Said, &lines, 200.0);
        assert_eq!(many.len(), 12);
        assert_eq!(
            (&*many[0], &*many[7], &*many[8], &*many[11]),
            (lines[0], "this is line 17 …", lines[26], lines[29])
        );
    }

    #[test]
    fn a_long_line_is_cut_and_code_is_not() {
        let long = "word ".repeat(100);
        let long = long.trim();
        let one = ends(Mark::Said, &[long], 200.0);
        assert_eq!(one.len(), 1);
        assert!(one[0].starts_with("word word") && one[0].ends_with("word word") && one[0].contains('…'), "{one:?}");
        assert!(one[0].chars().count() <= 200);
        let last = ends(Mark::Said, &["first", "second", long], 200.0);
        assert_eq!(&last[..2], ["first", "second"]);
        assert!(last[2].contains('…') && last[2].ends_with("word"), "{last:?}");
        let middle = ends(Mark::Said, &[&"a ".repeat(60), "between", long], 200.0);
        assert!(middle.len() == 3 && middle[2].starts_with('…') && middle[2].ends_with("word"), "{middle:?}");
        let code = ends(Mark::Added, &["fn a() {", long, "}"], 200.0);
        assert_eq!(code, ["fn a() { …", "}"]);
        assert_eq!(ends(Mark::Said, &[long], 5.0), ["word word…"]);
    }
}
