//! An entry at different lengths. The same entry at the same length gives the same text, and an entry that is already
//! shorter stays unchanged, so that a later condensation changes only what it must.

use super::{
    endings::{Ending, ending},
    kind::Kind,
    reading::Told,
    text::{Mark, Quotation, Writer},
};

/// Maximum characters of words, of a call's parameters or written text, and of its result.
struct Most {
    said: f64,
    given: f64,
    answered: f64,
}

const fn most(said: f64, given: f64, answered: f64) -> Most {
    Most { said, given, answered }
}

impl Kind {
    /// Returns the limits of an entry of this kind that is quoted in full. All the user's words except pastes fit in
    /// a twenty-fifth of a session; the other numbers were chosen with the reading test.
    fn most(self) -> Most {
        match self {
            Self::User => most(f64::MAX, 0.0, 0.0),
            Self::List => most(0.0, 4000.0, 80.0),
            Self::Paste => most(2400.0, 0.0, 0.0),
            Self::Summary => most(8000.0, 0.0, 0.0),
            Self::Assistant => most(1800.0, 0.0, 0.0),
            Self::Notice => most(400.0, 0.0, 0.0),
            Self::Change => most(0.0, 420.0, 400.0),
            Self::Command => most(0.0, 200.0, 320.0),
            Self::Asked => most(0.0, 400.0, 600.0),
            Self::Look => most(0.0, 0.0, 300.0),
            Self::Silent => most(0.0, 0.0, 0.0),
        }
    }

    /// Returns the share of those limits for an entry of this age (0 for the oldest, 1 for the newest) at a given
    /// `scale`. The user's words and the newest todo list are always quoted whole.
    pub fn share(self, age: f64, scale: f64) -> f64 {
        let weight = match self {
            Self::User | Self::List => return 1.0,
            Self::Summary => 3.0,
            Self::Paste => 0.6,
            Self::Assistant => 0.6 + 0.4 * age,
            Self::Notice => 0.5,
            Self::Change => 0.3 + 0.4 * age,
            Self::Command | Self::Asked => 0.4 + 0.4 * age,
            Self::Look => 0.6,
            Self::Silent => 0.0,
        };
        (weight * scale).min(1.0)
    }
}

/// Minimum characters of a call's first line.
const HEAD: f64 = 60.0;
/// Words that would be cut to fewer characters say nothing, so they are dropped.
const LEAST_WORDS: f64 = 80.0;
/// The same for a result, of which the informative lines are quoted.
const LEAST_ANSWER: f64 = 16.0;
/// Minimum characters of each line that a result cannot be quoted without.
const LEAST_LINE: usize = 60;
/// A result that reports failure gets this many times the length of another.
const FAILED: f64 = 2.5;
/// The same factor for a command's result without an overall outcome.
const PLAIN: f64 = 0.5;
/// Maximum characters of a line of an ending.
const LINE: usize = 240;
/// Shorter quotations are taken from the beginning only.
const PARTS: usize = 160;
/// Minimum characters of a part of a line.
const PART: usize = 24;
/// The fraction of cut words taken from their beginning; the rest is from their end.
const BEGINNING: f64 = 0.65;

/// An entry that can be written at any length.
pub struct Form {
    kind: Kind,
    head: String,
    is_failed: bool,
    /// The fraction of a result's limit that it gets, by how much it says.
    telling: f64,
    said: Vec<Quotation>,
    given: Vec<Quotation>,
    /// Lines of the result that say how the call ended.
    answered: Vec<Quotation>,
    /// Indices of the lines without which it is not quoted, and of the others by how much they say.
    ending: Ending,
    /// The places of those that are quoted at any scale.
    shown: Vec<usize>,
}

impl Form {
    /// Creates an entry's form, with no more text than its kind's limits.
    pub fn new(told: &Told) -> Self {
        let Told { entry, kind, shown, .. } = told;
        let kind = *kind;
        let with = |marks: &[Mark]| -> Vec<&Quotation> {
            entry.quotes.iter().filter(|quote| marks.contains(&quote.mark)).collect()
        };
        let most = kind.most();
        let is_answer = |at: &usize| matches!(entry.quotes[*at].mark, Mark::Answered | Mark::Failed);
        let answers: Vec<usize> = (0..entry.quotes.len()).filter(is_answer).collect();
        let answered: Vec<&Quotation> = answers.iter().map(|at| &entry.quotes[*at]).collect();
        let shown: Vec<usize> = shown.iter().filter_map(|at| answers.binary_search(at).ok()).collect();
        let is_failed = answered.iter().any(|quote| quote.mark == Mark::Failed);
        let ranked = if kind == Kind::Look && !is_failed {
            Ending::default()
        } else {
            let lines: Vec<&str> = answered.iter().map(|quote| quote.text.as_str()).collect();
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
                Kind::Command if !ranked.says => PLAIN,
                _ => 1.0,
            },
            head: entry.head.clone(),
            said: both_ends(&with(&[Mark::Said]), most.said),
            given: both_ends(&with(&[Mark::Given, Mark::Added, Mark::Removed]), most.given),
            ending: Ending { must: places(&ranked.must), more: places(&ranked.more), ..Ending::default() },
            shown: places(&shown),
            answered: told.iter().map(|at| answered[*at].clone()).collect(),
        }
    }

    /// Writes the entry with this share of its limits; `None` if that says nothing. `is_again`: an entry with the same
    /// head follows, so a change of a file without its lines says nothing.
    pub fn told(&self, writer: &Writer, share: f64, is_again: bool) -> Option<String> {
        let most = self.kind.most();
        let is_looked_at = self.kind == Kind::Look && !self.is_failed;
        if self.kind == Kind::Silent || (is_looked_at && self.shown.is_empty()) {
            return None;
        }
        let in_room = |quotes: &[Quotation], most: f64| {
            let all: Vec<&Quotation> = quotes.iter().collect();
            let room = most * share;
            if room < LEAST_WORDS && length(&all) as f64 > room { Vec::new() } else { both_ends(&all, room) }
        };
        let mut quotes = in_room(&self.said, most.said);
        if quotes.is_empty() && !self.said.is_empty() {
            return None;
        }
        let room = most.answered * (share * self.telling).min(1.0);
        let given = in_room(&self.given, most.given);
        let is_told = match self.kind {
            Kind::List => true,
            _ if !self.shown.is_empty() => true,
            Kind::Change => !given.is_empty() || (!is_again && share > 0.0),
            _ => room >= LEAST_ANSWER || self.answered.is_empty(),
        };
        if !is_told {
            return None;
        }
        quotes.extend(given);
        quotes.extend(self.ends(room as usize));
        // The end of a path identifies the file, so paths are not cut.
        let is_cut = share < 1.0 && !matches!(self.kind, Kind::Change | Kind::Look);
        let head = if is_cut { cut(&self.head, (most.given * share).max(HEAD) as usize) } else { self.head.clone() };
        Some(writer.written(&head, &quotes))
    }

    /// Returns the lines of the result that say most about how it ended, in their order.
    fn ends(&self, room: usize) -> Vec<Quotation> {
        let must = self.ending.must.len();
        let line = LINE.min(room);
        let each = (room / must.max(1)).clamp(LEAST_LINE, LINE);
        let mut chosen: Vec<(usize, String)> = Vec::new();
        let mut left = room;
        for (place, at) in self.ending.must.iter().chain(&self.ending.more).enumerate() {
            let text = cut(&self.answered[*at].text, if place < must { each } else { line });
            let length = text.chars().count() + 1;
            if place >= must && length > left {
                continue;
            }
            left = left.saturating_sub(length);
            chosen.push((*at, text));
        }
        for at in &self.shown {
            if chosen.iter().all(|(told, _)| told != at) {
                chosen.push((*at, cut(&self.answered[*at].text, LINE)));
            }
        }
        chosen.sort_by_key(|(at, _)| *at);
        chosen.into_iter().map(|(at, text)| Quotation { mark: self.answered[at].mark, text }).collect()
    }

    /// Writes the words in at most this many characters. This is the last resort when nothing else fits.
    pub fn cut_words(&self, writer: &Writer, characters: usize) -> String {
        let all: Vec<&Quotation> = self.said.iter().chain(&self.given).collect();
        writer.written(&self.head, &both_ends(&all, characters as f64))
    }

    /// Returns true if it is quoted even if nothing else fits.
    pub fn is_always_told(&self) -> bool {
        matches!(self.kind, Kind::User | Kind::List)
    }
}

/// Cuts a line to this many characters.
fn cut(line: &str, characters: usize) -> String {
    if line.chars().count() <= characters {
        return line.to_owned();
    }
    let end = line.char_indices().nth(characters.saturating_sub(1)).map_or(line.len(), |(at, _)| at);
    let words = line[..end].rfind(' ').filter(|space| *space > end / 2).unwrap_or(end);
    format!("{}…", line[..words].trim_end_matches('…'))
}

/// Returns the end of a line in this many characters.
fn cut_before(line: &str, characters: usize) -> String {
    let skip = line.chars().count().saturating_sub(characters.saturating_sub(1));
    let start = line.char_indices().nth(skip).map_or(line.len(), |(at, _)| at);
    format!("…{}", line[start..].trim_start_matches('…'))
}

fn length(quotes: &[&Quotation]) -> usize {
    quotes.iter().map(|quote| quote.text.chars().count() + 1).sum()
}

/// Takes lines from both ends, with a sign where others are left out; a cut line ends or begins with the sign. Code
/// is cut between lines.
fn both_ends(quotes: &[&Quotation], characters: f64) -> Vec<Quotation> {
    let characters = characters as usize;
    if characters == 0 || quotes.is_empty() {
        return Vec::new();
    }
    if length(quotes) <= characters.saturating_add(1) {
        return quotes.iter().map(|quote| (*quote).clone()).collect();
    }
    let may_cut = |quote: &Quotation| quote.mark != Mark::Added;
    let fitting = |lines: &mut dyn Iterator<Item = &&Quotation>, mut room: usize| {
        let mut count = 0;
        for quote in lines {
            let Some(left) = room.checked_sub(quote.text.chars().count() + 1) else { break };
            (count, room) = (count + 1, left);
        }
        (count, room)
    };
    // Two short parts say less than one.
    let share = if characters < PARTS { 1.0 } else { BEGINNING };
    let beginning = (characters as f64 * share) as usize;
    let (first, room) = fitting(&mut quotes.iter(), beginning);
    let mut kept: Vec<Quotation> = quotes[..first].iter().map(|quote| (*quote).clone()).collect();
    let next = quotes[first];
    let is_cut = first == 0 || (room >= PART && may_cut(next));
    if is_cut {
        kept.push(Quotation { text: cut(&next.text, room.max(PART / 2)), ..next.clone() });
    }
    let told = first + usize::from(is_cut);
    let room = characters - beginning + if is_cut { 0 } else { room };
    let (last, room) = fitting(&mut quotes[told..].iter().rev(), room);
    let last = quotes.len() - last;
    if last == told && is_cut && room >= PART && may_cut(next) {
        // The middle of the line is left out.
        let end = cut_before(&next.text, room);
        kept.last_mut().into_iter().for_each(|line| line.text.push_str(end.trim_start_matches('…')));
    } else if let Some(line) = kept.last_mut().filter(|line| last > told && !line.text.ends_with('…')) {
        line.text.push_str(" …");
    }
    if last == quotes.len() && last > told && room >= PART && may_cut(quotes[last - 1]) {
        kept.push(Quotation { text: cut_before(&quotes[last - 1].text, room), ..quotes[last - 1].clone() });
    }
    kept.extend(quotes[last..].iter().map(|quote| (*quote).clone()));
    kept
}
