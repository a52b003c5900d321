//! From a choice to edits: the texts that change, the messages that go, and why.

use std::{collections::BTreeMap, ops::Range, sync::Arc};

use serde_json::{Value, json, value::to_raw_value};

use super::{
    entries::{Entry, Of, QuoteSource},
    name_index::INDEX,
    passage::Passage,
    passage_selection::Choice,
    render,
    scope::Scope,
    survey::Survey,
    weights::Origin,
};
use crate::{
    conversation::{Content, ContentKind, Edit, Message, PathStep, Plan, Role, TextAt, json_text::splice, on_line},
    markers::{
        Gap, LEFT_OUT_HERE, is_about_messages,
        log::{self, Quotation},
        messages_at_end,
    },
    tokens::count_inside,
    words::{Said, said},
};

/// Why a text is cut or a message goes.
#[derive(Debug, Clone, PartialEq)]
pub struct Why {
    /// The message.
    pub message: usize,
    /// The block that the text is in; `None` when the message goes.
    pub block: Option<usize>,
    /// What is done, in a word.
    pub operation: &'static str,
    /// For a person.
    pub reason: Said,
}

impl Why {
    /// Of a note that says that messages are left out.
    #[must_use]
    pub fn note(message: usize, block: Option<usize>) -> Self {
        Self { message, block, operation: "insert", reason: said!("change.note") }
    }
}

/// The edits that make a choice true.
pub struct Edits {
    pub plan: Plan,
    /// The passages that get another text.
    changed: Vec<usize>,
    /// For each message, whether it goes.
    dropped: Vec<bool>,
    /// The blocks that are added, which say so.
    notes: Vec<(usize, usize)>,
    /// The messages before which two are added that say so.
    untold: Vec<usize>,
    /// Where a log is put: a message, and the block where it is one of an existing message.
    logs: Vec<(usize, Option<usize>)>,
}

type Replacements = BTreeMap<(usize, Arc<[PathStep]>), Vec<(Range<usize>, String)>>;

impl Edits {
    /// Of a choice among the passages of a survey. `texts` are those of the conversation, message by message.
    pub fn of(
        scope: &Scope<'_>,
        texts: &[Vec<TextAt<'_>>],
        survey: &Survey<'_>,
        choice: &Choice,
        index: &[Quotation],
    ) -> Self {
        let mut plan = Plan::default();
        let mut changed = Vec::new();
        let dropped = dropped_messages(texts.len(), survey, choice);
        let mut replacements = Replacements::new();
        let mut told: Vec<bool> =
            texts.iter().map(|texts| texts.iter().any(|text| messages_at_end(text.text).1)).collect();
        let logs = logs_of(scope, survey, choice, &dropped, index, &mut plan);
        // A log says that messages went, too.
        logs.iter().for_each(|log| told[log.behind] = true);
        for (index, passage) in survey.passages.iter().enumerate() {
            if let Some(text) = rendered(scope, index, passage, survey, choice, &dropped, &told) {
                let key = (passage.message, passage.piece.path.clone());
                told[passage.message] |= messages_at_end(&text).1;
                replacements.entry(key).or_default().push((passage.piece.range.clone(), text));
                changed.push(index);
            }
        }
        for ((message, path), mut replaced) in replacements {
            if let Some(whole) = texts[message].iter().find(|text| *text.path == *path) {
                plan.edits.push(Edit::set_text(message, path.to_vec(), splice(whole.text, &mut replaced)));
            }
        }
        plan.edits.extend((0..dropped.len()).filter(|message| dropped[*message]).map(|message| Edit::Drop { message }));
        let mut notes = Vec::new();
        let (missing, untold) = missing_notes(scope, &dropped, &told);
        for end in &untold {
            insert_pair(scope, *end, &Value::from(LEFT_OUT_HERE), &mut plan);
        }
        for (message, note) in missing {
            let block = scope.conversation.message(message).content.blocks().len();
            // A text and two fields of it are JSON in any case.
            let Ok(value) = to_raw_value(&json!({ "type": "text", "text": note })) else { continue };
            plan.edits.push(Edit::InsertBlock { message, before: block, value });
            notes.push((message, block));
        }
        let logs = logs.into_iter().map(|log| (log.message, log.block)).collect();
        Self { plan, changed, dropped, notes, untold, logs }
    }

    /// Why each of them.
    pub fn reasons(&self, survey: &Survey<'_>, choice: &Choice) -> Vec<Why> {
        let cut = self.changed.iter().map(|index| {
            let passage = &survey.passages[*index];
            let reason = reason(passage, &choice.kept[*index], survey);
            Why { message: passage.message, block: Some(passage.piece.block), operation: "salient", reason }
        });
        let dropped = (0..self.dropped.len()).filter(|message| self.dropped[*message]).map(|message| {
            let reason = said!("change.drop");
            Why { message, block: None, operation: "drop", reason }
        });
        let notes = self.notes.iter().map(|(message, block)| Why::note(*message, Some(*block)));
        let logs = self.logs.iter().map(|(message, block)| {
            let reason = said!("change.log");
            Why { message: *message, block: *block, operation: "log", reason }
        });
        let pairs = self.untold.iter().map(|message| Why::note(*message, None));
        cut.chain(dropped).chain(notes).chain(pairs).chain(logs).collect()
    }
}

/// Where a log is put.
struct Placed {
    /// The message that it stands behind.
    behind: usize,
    /// The message that it is told of in.
    message: usize,
    /// Its block, where it is one of that message.
    block: Option<usize>,
}

/// Writes what is told of messages that go where they stood: as a block behind those of the message before, as a part of a log that stands there, or as a
/// message of its own. Earlier logs in messages that stay become what of them is told.
fn logs_of(
    scope: &Scope<'_>,
    survey: &Survey<'_>,
    choice: &Choice,
    dropped: &[bool],
    index: &[Quotation],
    plan: &mut Plan,
) -> Vec<Placed> {
    let mut placed = Vec::new();
    let is_told = |index: &usize| match survey.entries[*index].of {
        Of::Round(round) => choice.told[*index] && !choice.open[round],
        Of::Log(_) => choice.told[*index],
    };
    let of_messages = |messages: Range<usize>| {
        let first = survey.entries.partition_point(|entry| entry.message < messages.start);
        let end = survey.entries.partition_point(|entry| entry.message < messages.end);
        (first..end).filter(is_told)
    };
    let standing = |message: usize| {
        let first = survey.passages.partition_point(|passage| passage.message < message);
        let mut of_message = survey.passages[first..].iter().take_while(|passage| passage.message == message);
        of_message.find(|passage| passage.origin == Origin::Log && !passage.whole)
    };
    let with_index = (scope.older.clone().rev()).find(|message| {
        !dropped[*message] && !index.is_empty() && (standing(*message).is_some() || may_have_note(scope, *message))
    });
    let before = scope.zone.start.min(scope.older.start.saturating_sub(1));
    for message in (before..scope.zone.end).filter(|message| !dropped[*message]) {
        let end = (message + 1..dropped.len()).find(|next| !dropped[*next]).unwrap_or(dropped.len());
        let earlier = standing(message);
        let mut entries: Vec<usize> = of_messages(message + 1..end).collect();
        if let Some(passage) = earlier {
            let is_here = |index: &usize| matches!(survey.entries[*index].of, Of::Log(log) if std::ptr::eq(&raw const survey.passages[log], passage));
            entries.splice(0..0, of_messages(message..message + 1).filter(is_here));
        }
        let lines: Vec<Vec<Quotation>> =
            entries.iter().map(|entry| quotes(survey, &survey.entries[*entry], &choice.quoted[*entry])).collect();
        let names = (with_index == Some(message)).then_some((INDEX, index));
        let told = entries.iter().zip(&lines).map(|(entry, lines)| (survey.entries[*entry].head.as_str(), &lines[..]));
        let log = log::write(told.chain(names), |word| scope.tools.tool(word).is_some());
        match (log, earlier) {
            (log, Some(passage)) => {
                let text = log.unwrap_or_else(|| Gap::Messages.to_string());
                if text != passage.text {
                    plan.edits.push(Edit::set_text(message, passage.piece.path.to_vec(), text));
                    placed.push(Placed { behind: message, message, block: Some(passage.piece.block) });
                } else if end > message + 1 {
                    placed.push(Placed { behind: message, message, block: Some(passage.piece.block) });
                }
            }
            (Some(text), None) if is_note_in_place(scope, message) => {
                plan.edits.push(Edit::set_text(message, vec!["content".into()], text));
                placed.push(Placed { behind: message, message, block: Some(0) });
            }
            (Some(text), None) if may_have_note(scope, message) => {
                let block = scope.conversation.message(message).content.blocks().len();
                let Ok(value) = to_raw_value(&json!({ "type": "text", "text": text })) else { continue };
                plan.edits.push(Edit::InsertBlock { message, before: block, value });
                placed.push(Placed { behind: message, message, block: Some(block) });
            }
            (Some(text), None) => {
                insert_pair(scope, end, &json!([{ "type": "text", "text": text }]), plan);
                placed.push(Placed { behind: message, message: end, block: None });
            }
            (None, None) => {}
        }
    }
    placed
}

/// Puts two messages before this one, in the place of messages that go: the assistant's says so, and the user's has this content.
fn insert_pair(scope: &Scope<'_>, before: usize, content: &Value, plan: &mut Plan) {
    let next = scope.conversation.entries().get(before).map(|entry| &*entry.message);
    let said = json!({ "role": "assistant", "content": LEFT_OUT_HERE });
    for message in [said, json!({ "role": "user", "content": content })] {
        // A role and a content are JSON in any case.
        let Ok(message) = to_raw_value(&message) else { continue };
        let message = Message::read(&message);
        let message = if let Some(next) = next { message.with_time_of(next) } else { message };
        plan.edits.push(Edit::Insert { before, value: message.into() });
    }
}

/// Whether a message of the user says nothing but that messages were left out, behind one of the assistant that says so too: a log takes its place.
fn is_note_in_place(scope: &Scope<'_>, message: usize) -> bool {
    let says = |message: usize| {
        let message = scope.conversation.message(message);
        matches!(&message.content, Content::Text(text) if text == LEFT_OUT_HERE).then(|| message.role.clone())
    };
    let is_pair = || message > 0 && says(message) == Some(Role::User) && says(message - 1) == Some(Role::Assistant);
    scope.older.contains(&message) && scope.conversation.entries()[message].pins.is_empty() && is_pair()
}

/// The quotes of an entry. Parts of a long line that follow each other are one quote; an ellipsis says where it goes on.
fn quotes(survey: &Survey<'_>, entry: &Entry, quoted: &[bool]) -> Vec<Quotation> {
    let mut all: Vec<Quotation> = Vec::new();
    // The place behind the last quote: in its passage, or among the quotes of an earlier log.
    let mut before = (usize::MAX, 0);
    for (at, (quote, _)) in entry.lines.iter().zip(quoted).enumerate().filter(|(_, (_, quoted))| **quoted) {
        let (passage, line) = match &quote.source {
            QuoteSource::Text(text) => {
                let follows = text.follows && before == (usize::MAX, at);
                all.push(Quotation { follows, ..text.clone() });
                before = (usize::MAX, at + 1);
                continue;
            }
            QuoteSource::Line { passage, line } => (*passage, *line),
        };
        let of = &survey.passages[passage];
        let at = |line: usize| of.lines.get(line).map(|value| &value.line);
        let Some(part) = at(line) else { continue };
        let goes_on = at(line + 1).is_some_and(|next| next.continues);
        let follows = before == (passage, line);
        before = (passage, line + 1);
        // Where lines follow each other, so do their numbers.
        let counts_on = follows
            && of.numbered
            && line.checked_sub(1).and_then(at).is_some_and(|above| above.number + 1 == part.number);
        let text = &of.text[if counts_on { part.content } else { part.range.start }..part.range.end];
        let end = if goes_on { "…" } else { "" };
        match all.last_mut() {
            Some(last) if follows && part.continues => {
                last.text.truncate(last.text.trim_end_matches('…').len());
                last.text.push_str(&format!("{}{end}", on_line(text)));
            }
            _ => {
                let begins = if part.continues { "…" } else { "" };
                let text = format!("{begins}{text}{end}");
                let is_part = part.continues || goes_on;
                // By themselves lines need no indentation.
                all.push(Quotation { mark: of.mark, text, follows: follows && !is_part });
            }
        }
    }
    let is_alone = |at: usize, all: &[Quotation]| !all[at].follows && all.get(at + 1).is_none_or(|next| !next.follows);
    for at in 0..all.len() {
        if is_alone(at, &all) {
            all[at] = Quotation::alone(all[at].mark, &all[at].text);
        }
    }
    all
}

fn dropped_messages(length: usize, survey: &Survey<'_>, choice: &Choice) -> Vec<bool> {
    let mut dropped = vec![false; length];
    for (round, _) in survey.rounds.iter().zip(&choice.open).filter(|(_, open)| !**open) {
        dropped[round.messages.clone()].fill(true);
    }
    dropped
}

/// The messages that get a block of their own which says that messages are left out behind them; and the messages before which two are added, because the
/// one before them can have no block. `told` says of each message whether one of its texts says so
/// already.
fn missing_notes(scope: &Scope<'_>, dropped: &[bool], told: &[bool]) -> (Vec<(usize, String)>, Vec<usize>) {
    let (mut notes, mut untold) = (Vec::new(), Vec::new());
    let mut start = 0;
    while let Some(first) = (start..dropped.len()).find(|message| dropped[*message]) {
        let end = (first..dropped.len()).find(|message| !dropped[*message]).unwrap_or(dropped.len());
        start = end;
        let Some(before) = first.checked_sub(1) else { continue };
        if told[before] || is_note_of_messages(scope.conversation.message(before)) {
            continue;
        }
        if may_have_note(scope, before) {
            notes.push((before, Gap::Messages.to_string()));
        } else {
            untold.push(end);
        }
    }
    (notes, untold)
}

/// Whether a message says nothing but that others were left out.
#[must_use]
pub fn is_note_of_messages(message: &Message) -> bool {
    let texts = message.texts();
    !texts.is_empty() && texts.iter().all(|text| is_about_messages(text.text))
}

fn may_have_note(scope: &Scope<'_>, message: usize) -> bool {
    let entry = &scope.conversation.entries()[message];
    let has_blocks = !entry.message.content.blocks().is_empty();
    scope.older.contains(&message) && entry.message.role == Role::User && entry.pins.is_empty() && has_blocks
}

/// What stands for a passage from now on; `None` when it stays as it is, or goes with its message.
fn rendered(
    scope: &Scope<'_>,
    index: usize,
    passage: &Passage<'_>,
    survey: &Survey<'_>,
    choice: &Choice,
    dropped: &[bool],
    told: &[bool],
) -> Option<String> {
    let kept = &choice.kept[index];
    if passage.origin == Origin::Log
        || dropped[passage.message]
        || passage.is_pinned
        || passage.whole
        || !passage.misses(kept)
    {
        return None;
    }
    let text = render::text(passage, kept);
    let last_of_message = survey.passages.get(index + 1).is_none_or(|next| next.message != passage.message);
    let is_missing = last_of_message && dropped.get(passage.message + 1) == Some(&true) && !told[passage.message];
    let (before, is_told) = messages_at_end(&text);
    if is_missing && !is_told && passage.piece.kind == ContentKind::ToolResults {
        let note = Gap::Messages;
        let with_note = if before.is_empty() { note.to_string() } else { format!("{before}\n{note}") };
        // Who settles the plan gives back a text that saves no tokens, and the note with it.
        let saves = with_note.len() * 2 < passage.text.len()
            || count_inside(&with_note, scope.tally.encoding()).tokens < passage.tokens;
        if saves && with_note.len() < passage.text.len() {
            return Some(with_note);
        }
    }
    (text.len() < passage.text.len()).then_some(text)
}

/// Why lines stayed, in terms of the names that made them worth it.
pub fn reason(passage: &Passage<'_>, kept: &[bool], survey: &Survey<'_>) -> Said {
    const NAMED: usize = 3;
    let count = kept.iter().filter(|kept| **kept).count();
    let label = passage.piece.source.label();
    if count == 0 {
        return if label.is_empty() { said!("change.noLine") } else { said!("change.noLineOf", of: label) };
    }
    let mut names: Vec<u32> = Vec::new();
    for (value, _) in passage.lines.iter().zip(kept).filter(|(_, kept)| **kept) {
        names.extend(&survey.occurrences[value.names.clone()]);
    }
    names.sort_unstable();
    names.dedup();
    names.sort_by(|a, b| survey.weights[*b as usize].total_cmp(&survey.weights[*a as usize]).then(a.cmp(b)));
    let named: Vec<&str> = names
        .iter()
        .filter(|name| survey.weights[**name as usize] > 0.0)
        .take(NAMED)
        .map(|name| survey.names[*name as usize])
        .collect();
    let why =
        if named.is_empty() { said!("change.forEdit") } else { said!("change.forNames", names: named.join(", ")) };
    let lines = passage.lines.len();
    if label.is_empty() {
        said!("change.kept", kept: count, lines: lines, why: why)
    } else {
        said!("change.keptOf", kept: count, lines: lines, of: label, why: why)
    }
}
