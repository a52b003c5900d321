//! An entry, fuller or shorter. The same entry in the same form is the same text, and a form that an entry already has leaves it as it is: a later condensation
//! changes nothing that it need not.

use super::{
    endings::ending,
    text::{ASSISTANT, Entry, Mark, NOTICE, PASTE, Quotation, SUMMARY, SYSTEM, USER, Writer},
};
use crate::transcript::{Meaning, ToolTable};

/// What an entry is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The user's words.
    User,
    /// What the user shows in them: a log, a list, code.
    Paste,
    /// A summary of earlier messages.
    Summary,
    /// The assistant's words.
    Assistant,
    /// A few of them beside calls, which mostly say what is done next.
    Aside,
    /// A notice of the host.
    Notice,
    /// The newest list of things to do.
    List,
    /// A file was written or edited.
    Change,
    /// A command was run.
    Command,
    /// Others were asked, and answered.
    Asked,
    /// Files were looked at: told where that failed.
    Look,
    /// Nothing to tell, such as an older list of things to do.
    Silent,
}

impl Kind {
    /// Of calls of tools with this meaning.
    pub fn from_meaning(meaning: Meaning) -> Self {
        match meaning {
            Meaning::Edit | Meaning::Write | Meaning::Touch | Meaning::Editor => Self::Change,
            Meaning::Command => Self::Command,
            Meaning::Read | Meaning::Search | Meaning::List | Meaning::Skill | Meaning::Recall => Self::Look,
            Meaning::Todo | Meaning::Item => Self::Silent,
            Meaning::Ask | Meaning::Plan | Meaning::Agent | Meaning::Mode | Meaning::Web | Meaning::Other => {
                Self::Asked
            }
        }
    }

    /// Of an entry that is read again.
    pub fn from_head(head: &str, tools: &ToolTable) -> Self {
        match head {
            USER | SYSTEM => Self::User,
            PASTE => Self::Paste,
            SUMMARY => Self::Summary,
            ASSISTANT => Self::Assistant,
            NOTICE => Self::Notice,
            call => match Self::from_meaning(tools.meaning(call.split(' ').next().unwrap_or(call))) {
                Self::Silent => Self::List,
                kind => kind,
            },
        }
    }
}

/// How much of an entry is told, from the fullest to the shortest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Full,
    Short,
    Least,
    /// Only the user's words, and what stands for them, are told.
    Words,
}

/// All of them.
pub const FORMS: [Form; 4] = [Form::Full, Form::Short, Form::Least, Form::Words];

/// The most characters of words, of what a call was given or wrote, and of its answer. All of the words of the user fit into a twenty-fifth of a session, but for
/// pastes; the other numbers were chosen with the reading test.
struct Most {
    said: usize,
    given: usize,
    answered: usize,
}

/// More characters than the user says at once.
const WHOLE: usize = 1 << 20;

const fn most(said: usize, given: usize, answered: usize) -> Most {
    Most { said, given, answered }
}

impl Kind {
    /// The room of a kind in a form; `None` where it is not told.
    fn most(self, form: Form) -> Option<Most> {
        Some(match (self, form) {
            (Self::User, _) => most(WHOLE, 0, 0),
            (Self::Paste, Form::Full) => most(3200, 0, 0),
            (Self::Paste, Form::Short) => most(1200, 0, 0),
            (Self::Paste, _) => most(400, 0, 0),
            (Self::List, _) => most(0, 4000, 80),
            (Self::Summary, Form::Full) => most(8000, 0, 0),
            (Self::Summary, Form::Short) => most(5000, 0, 0),
            (Self::Summary, _) => most(2400, 0, 0),
            (Self::Silent, _) | (_, Form::Words) => return None,
            (Self::Assistant, Form::Full) => most(2400, 0, 0),
            (Self::Assistant, Form::Short) => most(700, 0, 0),
            (Self::Assistant, Form::Least) => most(300, 0, 0),
            (Self::Aside, Form::Full) => most(300, 0, 0),
            (Self::Aside, Form::Short) => most(120, 0, 0),
            (Self::Notice, Form::Full) => most(400, 0, 0),
            (Self::Notice, Form::Short) => most(160, 0, 0),
            (Self::Change, Form::Full) => most(0, 1200, 160),
            (Self::Change, Form::Short) => most(0, 300, 100),
            (Self::Change, Form::Least) => most(0, 0, 100),
            (Self::Command, Form::Full) => most(0, 200, 500),
            (Self::Command, Form::Short) => most(0, 0, 240),
            (Self::Command, Form::Least) => most(0, 0, 120),
            (Self::Asked, Form::Full) => most(0, 600, 800),
            (Self::Asked, Form::Short) => most(0, 200, 300),
            (Self::Asked, Form::Least) => most(0, 80, 120),
            (Self::Look, Form::Full) => most(0, 0, 160),
            (Self::Look | Self::Notice | Self::Aside, _) => return None,
        })
    }
}

/// A line of an ending is cut to so many characters in the fullest form.
const LINE: usize = 240;
/// Of words that are cut, this share stays at their beginning and the rest at their end.
const BEGINNING: f64 = 0.65;

/// An entry as it is told; `None` where it is not.
pub fn told(writer: &Writer, entry: &Entry, kind: Kind, form: Form) -> Option<String> {
    let most = kind.most(form)?;
    let (mut given, mut answered, mut said) = (Vec::new(), Vec::new(), Vec::new());
    for quote in &entry.quotes {
        match quote.mark {
            Mark::Said => said.push(quote),
            Mark::Given | Mark::Added | Mark::Removed => given.push(quote),
            Mark::Answered | Mark::Failed => answered.push(quote),
        }
    }
    let is_failed = answered.iter().any(|quote| quote.mark == Mark::Failed);
    if kind == Kind::Look && !is_failed {
        return None;
    }
    let mut quotes = both_ends(&said, most.said);
    quotes.extend(both_ends(&given, most.given));
    quotes.extend(ends(&answered, most.answered));
    Some(writer.written(&head(&entry.head, form), &quotes))
}

/// The user's words in so many characters: the last that is done where nothing else has room.
pub fn cut_words(writer: &Writer, entry: &Entry, characters: usize) -> String {
    writer.written(&entry.head, &both_ends(&entry.quotes.iter().collect::<Vec<_>>(), characters))
}

/// The first line of a call: what it is about goes on at the end where it is long.
fn head(head: &str, form: Form) -> String {
    let most = match form {
        Form::Full => return head.to_owned(),
        Form::Short => 140,
        Form::Least | Form::Words => 100,
    };
    cut(head, most)
}

/// A line cut to so many characters.
fn cut(line: &str, characters: usize) -> String {
    if line.chars().count() <= characters {
        return line.to_owned();
    }
    let end = line.char_indices().nth(characters.saturating_sub(1)).map_or(line.len(), |(at, _)| at);
    let words = line[..end].rfind(' ').filter(|space| *space > end / 2).unwrap_or(end);
    format!("{}…", line[..words].trim_end_matches('…'))
}

/// The end of a line in so many characters.
fn cut_before(line: &str, characters: usize) -> String {
    let skip = line.chars().count().saturating_sub(characters.saturating_sub(1));
    let start = line.char_indices().nth(skip).map_or(line.len(), |(at, _)| at);
    format!("…{}", line[start..].trim_start_matches('…'))
}

fn length(quotes: &[&Quotation]) -> usize {
    quotes.iter().map(|quote| quote.text.chars().count() + 1).sum()
}

/// Lines from both ends, with a sign where others are left out; a line that is cut ends with it.
fn both_ends(quotes: &[&Quotation], characters: usize) -> Vec<Quotation> {
    if characters == 0 || quotes.is_empty() {
        return Vec::new();
    }
    if length(quotes) <= characters + 1 {
        return quotes.iter().map(|quote| (*quote).clone()).collect();
    }
    let (mut first, mut room) = (0, (characters as f64 * BEGINNING) as usize);
    while first < quotes.len() {
        let Some(left) = room.checked_sub(quotes[first].text.chars().count() + 1) else { break };
        (first, room) = (first + 1, left);
    }
    let mut kept: Vec<Quotation> = quotes[..first].iter().map(|quote| (*quote).clone()).collect();
    let mut last = quotes.len();
    let mut left = characters - (characters as f64 * BEGINNING) as usize + if first == 0 { 0 } else { room };
    while last > first {
        let Some(rest) = left.checked_sub(quotes[last - 1].text.chars().count() + 1) else { break };
        (last, left) = (last - 1, rest);
    }
    if first == 0 {
        let line = quotes[0];
        kept.push(Quotation { text: cut(&line.text, room.max(8)), ..line.clone() });
        if last <= 1 && left > 24 {
            let end = cut_before(&line.text, left);
            kept[0].text.push_str(end.trim_start_matches('…'));
        }
        last = last.max(1);
    } else if let Some(end) = kept.last_mut().filter(|end| last > first && !end.text.ends_with('…')) {
        end.text.push_str(" …");
    }
    kept.extend(quotes[last..].iter().map(|quote| (*quote).clone()));
    kept
}

/// The lines of an answer by how much they say of how it ended, in their order.
fn ends(quotes: &[&Quotation], characters: usize) -> Vec<Quotation> {
    let lines: Vec<&str> = quotes.iter().map(|quote| quote.text.as_str()).collect();
    let is_error = quotes.iter().any(|quote| quote.mark == Mark::Failed);
    let ranked = ending(&lines, is_error);
    let line = LINE.min(characters);
    let mut chosen: Vec<(usize, String)> = Vec::new();
    let mut room = characters;
    for (place, at) in ranked.must.iter().chain(&ranked.more).enumerate() {
        let text = cut(lines[*at], line);
        let length = text.chars().count() + 1;
        if place >= ranked.must.len() && length > room {
            continue;
        }
        room = room.saturating_sub(length);
        chosen.push((*at, text));
    }
    chosen.sort_by_key(|(at, _)| *at);
    chosen.into_iter().map(|(at, text)| Quotation { mark: quotes[at].mark, text }).collect()
}
