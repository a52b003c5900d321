//! Mode `individual`: processes every text of the selected messages separately, by its content kind.

use std::{borrow::Cow, collections::BTreeMap, ops::Range, sync::Arc};

use super::config::{ContentOperation, Ends, Individual, MessageSelection, Strategy, Summarize, Truncate};
use crate::{
    conversation::{ContentKind, Edit, Entry, Estimate, NewValue, PathStep, Role, is_blank, json_text::splice},
    maps::HashMap,
    markers::{Gap, SummaryHead, Suppressed},
    providers::{
        Note, Proposal, Request,
        truncation::cut::{Keep, cut_characters, cut_ends, cut_lines},
    },
    salience::{Cut, Room, Salience},
    summaries::{SourceText, WrittenSummary},
    tokens::count_inside,
    transcript::{ContentPiece, PieceSource, decompose, with_texts},
    words::{Said, said},
};

/// Lines and characters kept if a truncation sets neither, as in the truncation provider.
const DEFAULT_LINES: usize = 5;
const DEFAULT_CHARS: usize = 100;

/// A text to be processed.
pub(super) struct Target<'a> {
    pub message: usize,
    pub piece: ContentPiece,
    pub text: &'a str,
    pub tokens: usize,
    pub operation: &'a ContentOperation,
}

/// Returns the texts that an individual pass changes, by message and position.
pub(super) fn targets<'a>(
    request: &'a Request,
    selection: &MessageSelection,
    individual: &'a Individual,
) -> Vec<Target<'a>> {
    let conversation = &request.conversation;
    let chosen = selection.selected(conversation, &request.tally);
    if !chosen.contains(&true) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (message, pieces) in
        decompose(conversation, &request.tools).into_iter().enumerate().filter(|(message, _)| chosen[*message])
    {
        let Entry { origin, pins, .. } = &conversation.entries()[message];
        let origin = *origin;
        let texts = conversation.message(message).texts();
        let mut targets: Vec<Target<'a>> = Vec::new();
        let mut tokens_of: BTreeMap<ContentKind, usize> = BTreeMap::new();
        for (piece, whole) in with_texts(&pieces, &texts) {
            let mut piece = piece.clone();
            if piece.source == PieceSource::EnvironmentDetails {
                // The host wrote it into the user's text; no tool was called.
                piece.kind = ContentKind::MessageText;
            }
            // The tags of a call written as text are not prose: without them it is unclear what was called.
            let is_frame = piece.kind == ContentKind::MessageText && matches!(piece.source, PieceSource::Tool(_));
            if is_frame && conversation.message(message).role == Role::Assistant {
                continue;
            }
            let operation = individual.operation(origin, piece.kind);
            let block = piece.path.get(1).and_then(PathStep::index).unwrap_or(0);
            if *operation == ContentOperation::Keep || piece.range.is_empty() || pins.holds(block) {
                continue;
            }
            let text = &whole.text[piece.range.clone()];
            let tokens = count_inside(text, request.tally.encoding()).tokens;
            *tokens_of.entry(piece.kind).or_default() += tokens;
            if !is_blank(text) {
                targets.push(Target { message, piece, text, tokens, operation });
            }
        }
        // The threshold applies to all content of a kind in a message. A text that was cut together with others keeps
        // counting as one of them.
        targets.retain(|target| {
            let kind = target.piece.kind;
            let is_long = tokens_of.get(&kind).copied().unwrap_or(0) >= individual.threshold(origin, kind);
            is_long || (target.was_cut() && is_cut_together(request, target.operation))
        });
        found.extend(targets);
    }
    found
}

impl Target<'_> {
    /// Returns true if something was left out of the text before.
    fn was_cut(&self) -> bool {
        Gap::may_be_in(self.text)
    }
}

/// Returns true if texts with this operation share a budget.
fn is_cut_together(request: &Request, operation: &ContentOperation) -> bool {
    match operation {
        ContentOperation::Keep | ContentOperation::Suppress => false,
        ContentOperation::Truncate(truncate) => truncate.average_tokens.is_some(),
        ContentOperation::Summarize(summarize) => !request.llm.can_ask(summarize.api_profile.as_deref()),
    }
}

/// Texts that are cut together, so that the more important ones keep more.
#[derive(Default)]
struct Together<'t> {
    /// The indices of the targets.
    targets: HashMap<PieceKey<'t>, usize>,
    /// Their tokens.
    tokens: usize,
    /// The tokens that they may keep together.
    room: usize,
    /// True if some were cut before.
    was_cut: bool,
}

impl<'t> Together<'t> {
    fn collect(request: &Request, targets: &'t [Target<'_>]) -> Self {
        let mut together = Self::default();
        for (index, target) in targets.iter().enumerate() {
            let average = match target.operation {
                ContentOperation::Truncate(truncate) => truncate.average_tokens,
                ContentOperation::Summarize(summarize) if is_cut_together(request, target.operation) => {
                    let is_worth = target.was_cut() || is_worth_summary(target, summarize);
                    Some(summarize.max_tokens).filter(|_| is_worth)
                }
                _ => None,
            };
            // The budget depends on the number of texts, so it does not shrink as they are cut.
            let counts = target.was_cut() || Salience::may_cut(target.piece.kind, target.tokens);
            if let Some(average) = average.filter(|_| counts) {
                together.targets.insert(key(target.message, &target.piece), index);
                together.tokens += target.tokens;
                together.room = together.room.saturating_add(average);
                together.was_cut |= target.was_cut();
            }
        }
        together
    }
}

/// Returns whether texts that are cut together have lost lines before, and whether they will.
pub(super) fn cut_by_salience(request: &Request, targets: &[Target<'_>]) -> (bool, bool) {
    let together = Together::collect(request, targets);
    (together.was_cut, together.tokens > together.room)
}

/// The replacement of a text.
pub(super) struct Replacement {
    pub text: String,
    pub operation: &'static str,
    pub reason: Said,
    /// The bytes of the text that are a placeholder for a model's words, and the number of tokens those would have.
    pub expected: Option<(Range<usize>, usize)>,
}

/// Returns the results of the operations without a model. Summaries that no model can write are replaced by a salient
/// truncation of all those texts to about as many tokens together. Summaries that a model can write are not included.
pub(super) fn mechanical(request: &Request, targets: &[Target<'_>]) -> Vec<Option<Replacement>> {
    let mut replacements: Vec<Option<Replacement>> = Vec::with_capacity(targets.len());
    let mut rooms: HashMap<PieceKey<'_>, (usize, Room)> = HashMap::default();
    for (index, target) in targets.iter().enumerate() {
        let plan = match target.operation {
            ContentOperation::Keep => None,
            ContentOperation::Suppress => suppress(target).map(Work::Text),
            ContentOperation::Truncate(truncate) if truncate.average_tokens.is_some() => None,
            ContentOperation::Truncate(truncate) => Some(truncation(target, truncate)),
            ContentOperation::Summarize(_) => None,
        };
        replacements.push(match plan {
            Some(Work::Text(replacement)) => Some(replacement),
            Some(Work::Salient(room)) => {
                rooms.insert(key(target.message, &target.piece), (index, room));
                None
            }
            None => None,
        });
    }
    let last = targets.iter().map(|target| target.message).max().unwrap_or(0);
    let preserve_recent = request.conversation.len().saturating_sub(1 + last);
    let together = Together::collect(request, targets);
    if together.tokens > together.room {
        let is_chosen = |message: usize, piece: &ContentPiece| together.targets.contains_key(&key(message, piece));
        let cuts = Salience::all_signals(preserve_recent).cut_together(request.history(), together.room, is_chosen);
        for Cut { message, piece, text, reason } in cuts {
            if let (Some(index), Some(text)) = (together.targets.get(&key(message, &piece)), text) {
                replacements[*index] = Some(Replacement { text, operation: "salient", reason, expected: None });
            }
        }
    }
    if !rooms.is_empty() {
        let room_of = |message: usize, piece: &ContentPiece| rooms.get(&key(message, piece)).map(|(_, room)| *room);
        for cut in Salience::all_signals(preserve_recent).cut_chosen(request.history(), room_of) {
            let Some((index, room)) = rooms.get(&key(cut.message, &cut.piece)) else { continue };
            let text = cut.text.unwrap_or_else(|| cut_characters(targets[*index].text, room.characters).into_owned());
            replacements[*index] = Some(Replacement { text, operation: "salient", reason: cut.reason, expected: None });
        }
    }
    replacements
}

type PieceKey<'a> = (usize, &'a [PathStep], usize);

fn key(message: usize, piece: &ContentPiece) -> PieceKey<'_> {
    (message, &piece.path, piece.range.start)
}

enum Work {
    Text(Replacement),
    /// The most salient lines, selected across all texts at once.
    Salient(Room),
}

fn suppress(target: &Target<'_>) -> Option<Replacement> {
    let kind = target.piece.kind;
    if Suppressed::spares(kind, target.text) {
        return None;
    }
    Some(Replacement {
        text: Suppressed { kind, size: None }.in_place_of(target.text),
        operation: "suppress",
        reason: said!("change.suppressed", tokens: target.tokens).about(target.piece.source.label()),
        expected: None,
    })
}

fn truncation(target: &Target<'_>, truncate: &Truncate) -> Work {
    if let Some(ends) = truncate.ends() {
        return Work::Text(both_ends(target, ends, truncate.add_ellipsis));
    }
    let parameters = target.piece.kind == ContentKind::ToolParameters;
    let (lines, characters) = match (truncate.max_lines, truncate.max_chars) {
        (None, None) if parameters => (None, Some(DEFAULT_CHARS)),
        (None, None) => (Some(DEFAULT_LINES), None),
        given => given,
    };
    // A parameter such as a command or pattern is one value whose beginning says most. Salient truncation always
    // writes markers.
    let by_lines = !parameters || lines.is_some();
    if truncate.strategy == Strategy::Salient && truncate.add_ellipsis && by_lines {
        let lines = lines.unwrap_or(usize::MAX);
        let characters = characters.unwrap_or_else(|| lines.saturating_mul(truncate.max_line_chars));
        return Work::Salient(Room { lines, characters });
    }
    let keep = if truncate.strategy == Strategy::HeadTail { Keep::HeadTail } else { Keep::Head };
    let cut = |text: &str| cut_once(text, lines, characters, truncate, keep);
    let text = settled(target.text, cut);
    let done = match (lines, characters) {
        (Some(lines), Some(characters)) => said!("change.cutToBoth", lines: lines, characters: characters),
        (Some(lines), None) => said!("change.cutToLines", lines: lines),
        (None, characters) => said!("change.cutToCharacters", characters: characters.unwrap_or_default()),
    };
    let reason = done.about(target.piece.source.label());
    Work::Text(Replacement { text, operation: "truncate", reason, expected: None })
}

fn both_ends(target: &Target<'_>, Ends { prefix, suffix, over }: Ends, with_note: bool) -> Replacement {
    let (text, count) = (target.text, target.text.chars().count());
    let text = match with_note {
        true => cut_ends(text, prefix, suffix, over).into_owned(),
        false if count <= over.max(prefix + suffix) => text.to_owned(),
        false => text.chars().take(prefix).chain(text.chars().skip(count - suffix)).collect(),
    };
    // A text of blanks would count as empty.
    let text = if is_blank(&text) { target.text.to_owned() } else { text };
    let reason = said!("change.cutToEnds", prefix: prefix, suffix: suffix).about(target.piece.source.label());
    Replacement { text, operation: "truncate", reason, expected: None }
}

fn cut_once(text: &str, lines: Option<usize>, characters: Option<usize>, truncate: &Truncate, keep: Keep) -> String {
    if !truncate.add_ellipsis {
        return without_marker(text, lines, characters, truncate.max_line_chars, keep);
    }
    let text = characters.map_or(Cow::Borrowed(text), |most| cut_characters(text, most));
    match lines {
        Some(most) => cut_lines(&text, most, truncate.max_line_chars, keep).into_owned(),
        None => text.into_owned(),
    }
}

/// Cuts until nothing changes. A cut by lines can leave a few characters more than a cut by characters allows, and
/// the same limits must leave their own result unchanged. It ends because every cut shortens the text.
fn settled(text: &str, cut: impl Fn(&str) -> String) -> String {
    let mut text = text.to_owned();
    loop {
        let next = cut(&text);
        if next.len() >= text.len() {
            return text;
        }
        text = next;
    }
}

fn without_marker(
    text: &str,
    lines: Option<usize>,
    characters: Option<usize>,
    line_characters: usize,
    keep: Keep,
) -> String {
    let first = |text: &str, most: usize| text.chars().take(most).collect::<String>();
    let mut cut = text.to_owned();
    if let Some(most) = lines {
        let all: Vec<&str> = text.split('\n').collect();
        let (head, tail) = match keep {
            _ if all.len() <= most => (all.len(), 0),
            Keep::Head => (most, 0),
            Keep::HeadTail => (most.div_ceil(2), most / 2),
        };
        let kept = all[..head].iter().chain(&all[all.len() - tail..]);
        cut = kept.map(|line| first(line, line_characters)).collect::<Vec<_>>().join("\n");
    }
    if let Some(most) = characters {
        cut = first(&cut, most);
    }
    // A text of blanks would count as empty.
    if is_blank(&cut) { text.to_owned() } else { cut }
}

/// Returns true if a summary can be shorter than the text, and the text is not a summary already.
fn is_worth_summary(target: &Target<'_>, summarize: &Summarize) -> bool {
    let long = target.text.len() >= summarize.min_chars && target.text.chars().count() >= summarize.min_chars;
    long && target.tokens > summarize.max_tokens && SummaryHead::at_start(target.text).is_none()
}

/// Returns the indices of the targets to be summarised by a model, and their texts. If the call has a target, only as
/// many of the longest as it requires.
pub(super) fn to_summarize<'t>(request: &Request, targets: &'t [Target<'_>]) -> (Vec<usize>, Vec<SourceText<'t>>) {
    let wanted = targets.iter().enumerate().filter_map(|(index, target)| match target.operation {
        ContentOperation::Summarize(summarize)
            if is_worth_summary(target, summarize) && request.llm.can_ask(summarize.api_profile.as_deref()) =>
        {
            let text = SourceText {
                origin: request.conversation.entries()[target.message].origin,
                kind: target.piece.kind,
                label: target.piece.source.label(),
                text: target.text,
                tokens: target.tokens,
                max_tokens: summarize.max_tokens,
                prompt: summarize.prompt(),
                profile: summarize.api_profile.as_deref(),
            };
            Some((index, text))
        }
        _ => None,
    });
    let mut wanted: Vec<(usize, SourceText<'t>)> = wanted.collect();
    if let Some(budget) = request.budget() {
        let needed = request.tally.total().saturating_sub(budget);
        let sizes: Vec<_> = wanted.iter().map(|(_, text)| text.tokens - text.max_tokens).collect();
        let mut enough = longest(&sizes, needed).into_iter();
        wanted.retain(|_| enough.next().unwrap_or(true));
    }
    wanted.into_iter().unzip()
}

/// Returns which texts to take so that together they save `needed` tokens: the largest, and the newer of equal ones.
fn longest(saved: &[usize], needed: usize) -> Vec<bool> {
    let mut order: Vec<usize> = (0..saved.len()).collect();
    order.sort_by_key(|index| std::cmp::Reverse((saved[*index], *index)));
    let mut is_taken = vec![false; saved.len()];
    let mut left = needed;
    for index in order {
        if left == 0 {
            break;
        }
        is_taken[index] = true;
        left = left.saturating_sub(saved[index]);
    }
    is_taken
}

/// Returns a summary as the replacement of its text.
pub(super) fn summarized(target: &Target<'_>, summary: &WrittenSummary) -> Replacement {
    let head = SummaryHead::Lines(target.text.split('\n').count());
    let mut done = vec![said!("change.summarised", tokens: target.tokens)];
    done.extend(summary.cached.then(|| said!("change.fromCache")));
    let text = format!("{head}\n{}", summary.text);
    let range = text.len() - summary.text.len()..text.len();
    Replacement {
        text,
        operation: "summarize",
        reason: said!("change.all", all: done).about(target.piece.source.label()),
        expected: summary.expected_tokens.map(|tokens| (range, tokens)),
    }
}

/// The replacements in each text, by message and path.
type Changed = BTreeMap<(usize, Arc<[PathStep]>), Vec<(Range<usize>, Replacement)>>;

type TextsByPath<'a> = HashMap<Arc<[PathStep]>, &'a str>;

/// Returns the edits that make the replacements. Replacements that are not shorter are left out.
pub(super) fn proposal(request: &Request, targets: &[Target<'_>], replacements: Vec<Option<Replacement>>) -> Proposal {
    let encoding = request.tally.encoding();
    let mut proposal = Proposal::default();
    let mut changed: Changed = BTreeMap::new();
    for (target, replacement) in targets.iter().zip(replacements) {
        let Some(replacement) = replacement else { continue };
        // A summary may have more bytes and fewer tokens than its text, so the tokens decide.
        if replacement.text == target.text || count_inside(&replacement.text, encoding).tokens >= target.tokens {
            continue;
        }
        let block = Some(target.piece.block);
        let (operation, reason) = (replacement.operation, replacement.reason.clone());
        proposal.notes.push(Note { message: target.message, block, operation, reason, grade: None });
        proposal.shares.push(target.tokens);
        changed
            .entry((target.message, target.piece.path.clone()))
            .or_default()
            .push((target.piece.range.clone(), replacement));
    }
    let mut texts: Option<(usize, TextsByPath<'_>)> = None;
    for ((message, path), replaced) in changed {
        if texts.as_ref().is_none_or(|(known, _)| *known != message) {
            texts = Some((message, request.conversation.message(message).texts_by_path()));
        }
        if let Some(whole) = texts.as_ref().and_then(|(_, texts)| texts.get(&*path)) {
            proposal.plan.edits.push(edit(message, &path, whole, replaced));
        }
    }
    proposal
}

/// Returns the edit that makes replacements in the text `whole` at `path`.
fn edit(message: usize, path: &[PathStep], whole: &str, mut replaced: Vec<(Range<usize>, Replacement)>) -> Edit {
    replaced.sort_by_key(|(range, _)| range.start);
    let (mut estimates, mut texts) = (Vec::new(), Vec::with_capacity(replaced.len()));
    // Bytes added and removed before the next replacement.
    let (mut more, mut fewer) = (0, 0);
    for (range, Replacement { text, expected, .. }) in replaced {
        if let Some((part, tokens)) = expected {
            let at = range.start + more - fewer;
            estimates.push(Estimate { path: path.to_vec(), range: at + part.start..at + part.end, tokens });
        }
        (more, fewer) = (more + text.len(), fewer + range.len());
        texts.push((range, text));
    }
    Edit::Set { message, path: path.to_vec(), value: NewValue::Text(splice(whole, &mut texts)), estimates }
}
