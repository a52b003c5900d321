//! The tokens of calls and results, by tool and by file.

use std::{
    cmp::Reverse,
    collections::{HashMap, HashSet},
    hash::Hash,
    sync::Arc,
};

use serde::Serialize;

use super::{kinds::scaled, waste::Wastes};
use crate::{
    cancel::{Cancel, Cancelled},
    conversation::{ContentKind, surrogates},
    tokens::{Scale, Tally, count_all},
    transcript::{Action, CallOutcome, Event, Place, Transcript},
};

/// The usage of one tool.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ToolUsage {
    /// The tool's name.
    pub tool: Arc<str>,
    /// Number of calls.
    pub calls: usize,
    /// Calls that failed or were refused.
    pub failed: usize,
    /// Tokens of the calls.
    pub call_tokens: usize,
    /// Tokens of the results.
    pub result_tokens: usize,
}

/// The content of one file in a conversation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct FileUsage {
    /// The path with forward slashes, relative to the working directory if that is known.
    pub path: Arc<str>,
    /// Number of reads, failed ones included.
    pub reads: usize,
    /// Number of writes, edits, moves and deletions, failed ones included.
    pub changes: usize,
    /// Tokens of calls and results about it.
    pub tokens: usize,
    /// How many of them are repeated, stale or superseded.
    pub wasted_tokens: usize,
}

/// The tokens of each event.
pub(super) struct Usage<'t> {
    pub(super) events: Vec<EventTokens<'t>>,
}

/// An event with its share of the tokens of its call and results. A call about several files makes several events,
/// which divide the tokens.
pub(super) struct EventTokens<'t> {
    pub(super) event: &'t Event,
    /// True for the first event of its call, which represents the call when calls are counted.
    is_first: bool,
    pub(super) call: usize,
    pub(super) answers: usize,
    /// The block of its call, or else of its result.
    pub(super) at: Option<(usize, usize)>,
    /// The block of its result.
    pub(super) answer_at: Option<(usize, usize)>,
}

/// Identifies a call: events with the same key come from one call.
type CallKey<'e> = (usize, usize, Option<&'e Place>);

impl<'t> Usage<'t> {
    pub(super) fn measure(transcript: &'t Transcript<'_>, tally: &Tally, cancel: &Cancel) -> Result<Self, Cancelled> {
        let call_key = |event: &'t Event| -> Option<CallKey<'t>> {
            event.call.as_ref().map(|call| (call.message, call.block, in_text(transcript, call.place.as_ref())))
        };
        let calls = occurrences(transcript.events.iter().filter_map(call_key));
        let places = occurrences(transcript.events.iter().flat_map(|event| &event.answers));
        let in_texts = calls.keys().filter_map(|(_, _, place)| *place);
        let counted: Vec<&Place> = places.keys().copied().chain(in_texts).collect();
        let texts: Vec<_> = counted.iter().map(|place| surrogates::leave_text(transcript.text(place))).collect();
        let texts: Vec<&str> = texts.iter().map(AsRef::as_ref).collect();
        let counts = count_all(&texts, tally.encoding(), cancel)?;
        let tokens: HashMap<&Place, usize> =
            counted.iter().zip(&counts).map(|(place, count)| (*place, count.tokens)).collect();
        let mut seen: HashSet<CallKey<'t>> = HashSet::new();
        let events = transcript.events.iter().map(|event| {
            let key = call_key(event);
            let call = key.map_or(0, |key| {
                let whole = key.2.map_or_else(|| tally.blocks(key.0).get(key.1).copied(), |at| tokens.get(at).copied());
                whole.unwrap_or(0) / calls[&key]
            });
            let answers = event.answers.iter().map(|place| tokens[place] / places[place]).sum();
            let answer_at = event.answers.first().map(|place| {
                let text = &transcript.texts[place.text];
                (text.message, text.block)
            });
            EventTokens {
                event,
                is_first: key.is_none_or(|key| seen.insert(key)),
                call,
                answers,
                at: key.map(|(message, block, _)| (message, block)).or(answer_at),
                answer_at,
            }
        });
        Ok(Self { events: events.collect() })
    }

    pub(super) fn by_tool(&self, scale: Scale) -> Vec<ToolUsage> {
        let mut tools: HashMap<&str, ToolUsage> = HashMap::new();
        for used in self.events.iter().filter(|used| !used.event.tool.is_empty()) {
            let event = used.event;
            let tool = tools
                .entry(&event.tool)
                .or_insert_with(|| ToolUsage { tool: event.tool.clone(), ..ToolUsage::default() });
            let has_failed = matches!(event.outcome, CallOutcome::Failed | CallOutcome::Denied);
            tool.calls += usize::from(used.is_first);
            tool.failed += usize::from(used.is_first && has_failed);
            tool.call_tokens += used.call;
            tool.result_tokens += used.answers;
        }
        let mut tools: Vec<_> = tools.into_values().collect();
        tools.sort_by(|one, other| {
            let rank = |tool: &ToolUsage| Reverse(tool.call_tokens + tool.result_tokens);
            rank(one).cmp(&rank(other)).then_with(|| one.tool.cmp(&other.tool))
        });
        for tool in &mut tools {
            tool.call_tokens = scaled(scale, tool.call_tokens);
            tool.result_tokens = scaled(scale, tool.result_tokens);
        }
        tools
    }

    pub(super) fn by_file(&self, waste: &Wastes, scale: Scale) -> Vec<FileUsage> {
        let mut files: HashMap<&str, FileUsage> = HashMap::new();
        for (index, used) in self.events.iter().enumerate() {
            let Some(path) = &used.event.path else { continue };
            let file = files.entry(path).or_insert_with(|| FileUsage { path: path.clone(), ..FileUsage::default() });
            match used.event.action {
                Action::Read(_) => file.reads += 1,
                Action::Write(_) | Action::Edit(_) | Action::Touch(_) => file.changes += 1,
                _ => {}
            }
            file.tokens += used.call + used.answers;
            file.wasted_tokens += waste.of_event(index);
        }
        let mut files: Vec<_> = files.into_values().collect();
        files.sort_by(|one, other| other.tokens.cmp(&one.tokens).then_with(|| one.path.cmp(&other.path)));
        for file in &mut files {
            file.tokens = scaled(scale, file.tokens);
            file.wasted_tokens = scaled(scale, file.wasted_tokens);
        }
        files
    }
}

/// Returns the place of a call written as XML in a text; `None` for a native call, which is a block by itself.
fn in_text<'t>(transcript: &Transcript<'_>, place: Option<&'t Place>) -> Option<&'t Place> {
    place.filter(|place| transcript.texts[place.text].kind == ContentKind::MessageText)
}

fn occurrences<K: Hash + Eq>(keys: impl Iterator<Item = K>) -> HashMap<K, usize> {
    let mut times = HashMap::new();
    keys.for_each(|key| *times.entry(key).or_default() += 1);
    times
}
