//! Mode `individual`: every text of the selected messages on its own, by its content kind.

use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap},
    ops::Range,
    sync::Arc,
};

use super::config::{ContentOperation, Ends, Individual, MessageSelection, Strategy, Summarize, Truncate};
use crate::{
    conversation::{ContentKind, Edit, Entry, Estimate, NewValue, PathStep, Role, is_blank, json_text::splice},
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

/// Lines and characters that stay when a truncation says neither: as in the truncation provider.
const DEFAULT_LINES: usize = 5;
const DEFAULT_CHARS: usize = 100;

/// A text that something is to be done to.
pub(super) struct Target<'a> {
    pub message: usize,
    pub piece: ContentPiece,
    pub text: &'a str,
    pub tokens: usize,
    pub operation: &'a ContentOperation,
}

/// The texts that an individual pass changes, in order of message and position.
pub(super) fn targets<'a>(
    request: &'a Request,
    selection: &MessageSelection,
    individual: &'a Individual,
) -> Vec<Target<'a>> {
    let conversation = &request.conversation;
    let chosen = selection.of(conversation, &request.tally);
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
        for (mut piece, whole) in with_texts(pieces, &texts) {
            if piece.source == PieceSource::EnvironmentDetails {
                // The host wrote them into what the user says; no tool was called for them.
                piece.kind = ContentKind::MessageText;
            }
            // The tags of a call that is written as text are no words: without them nobody knows what was called.
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
        // The threshold is about all content of a kind in a message. What was cut together with others counts among them from then on.
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
    /// Whether something was left out of it before.
    fn was_cut(&self) -> bool {
        Gap::may_be_in(self.text)
    }
}

/// Whether texts with this operation share their room.
fn is_cut_together(request: &Request, operation: &ContentOperation) -> bool {
    match operation {
        ContentOperation::Keep | ContentOperation::Suppress => false,
        ContentOperation::Truncate(truncate) => truncate.average_tokens.is_some(),
        ContentOperation::Summarize(summarize) => !request.llm.can_ask(summarize.api_profile.as_deref()),
    }
}

/// Texts that are cut together: those that matter more keep more.
#[derive(Default)]
struct Together<'t> {
    /// Which targets.
    targets: HashMap<PieceKey<'t>, usize>,
    /// Tokens that they have.
    tokens: usize,
    /// Tokens that they may have.
    room: usize,
    /// Some were cut before.
    was_cut: bool,
}

impl<'t> Together<'t> {
    fn of(request: &Request, targets: &'t [Target<'_>]) -> Self {
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
            // The room is by number, so that what is left of a text changes nothing about it.
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

/// Whether texts that are cut together have lost lines before, and whether they will.
pub(super) fn cut_by_salience(request: &Request, targets: &[Target<'_>]) -> (bool, bool) {
    let together = Together::of(request, targets);
    (together.was_cut, together.tokens > together.room)
}

/// A text that takes the place of another.
pub(super) struct Replacement {
    pub text: String,
    pub operation: &'static str,
    pub reason: Said,
    /// The bytes of the text that stand for what a model would write, and how many tokens that would be.
    pub expected: Option<(Range<usize>, usize)>,
}

/// What the operations without a model make of the texts. Summaries that no model can write are replaced by a salient truncation of all
/// those texts to about as many tokens together; those that one can are left out here.
pub(super) fn mechanical(request: &Request, targets: &[Target<'_>]) -> Vec<Option<Replacement>> {
    let mut replacements: Vec<Option<Replacement>> = Vec::with_capacity(targets.len());
    let mut rooms: HashMap<PieceKey<'_>, (usize, Room)> = HashMap::new();
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
    let together = Together::of(request, targets);
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
    /// The most salient lines, chosen for all texts at once.
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
    // A parameter is one value: of a command or a pattern, the beginning says most. A marker is part of what salient truncation writes.
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
    // Nothing but blanks would be no text at all.
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

/// Cuts until nothing changes any more: a cut by lines can leave a few characters more than one by characters allows, and the same
/// limits have to leave their own result alone. Ends because every cut shortens.
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
    // Nothing but blanks would be no text at all.
    if is_blank(&cut) { text.to_owned() } else { cut }
}

/// Whether a summary can be shorter than the text, which is not a summary yet.
fn is_worth_summary(target: &Target<'_>, summarize: &Summarize) -> bool {
    let long = target.text.len() >= summarize.min_chars && target.text.chars().count() >= summarize.min_chars;
    long && target.tokens > summarize.max_tokens && SummaryHead::of(target.text).is_none()
}

/// The texts that a model is asked for summaries of, and which targets they are: with a target of the call, the longest, as many as it takes.
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

/// Which of these it takes to save as many as are needed: the largest, of equal ones the newer.
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

/// The summary in the place of its text.
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

/// What is replaced in each text, by message and path.
type Changed = BTreeMap<(usize, Arc<[PathStep]>), Vec<(Range<usize>, Replacement)>>;

type TextsByPath<'a> = HashMap<Vec<PathStep>, &'a str>;

/// The edits that put the replacements in place. A replacement that is no shorter is left out.
pub(super) fn proposal(request: &Request, targets: &[Target<'_>], replacements: Vec<Option<Replacement>>) -> Proposal {
    let encoding = request.tally.encoding();
    let mut proposal = Proposal::default();
    let mut changed: Changed = BTreeMap::new();
    for (target, replacement) in targets.iter().zip(replacements) {
        let Some(replacement) = replacement else { continue };
        // Bytes first: counting is dearer. A summary may have more bytes than its text and fewer tokens; then the count decides.
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

/// The edit that puts replacements into the text `whole` at `path`.
fn edit(message: usize, path: &[PathStep], whole: &str, mut replaced: Vec<(Range<usize>, Replacement)>) -> Edit {
    replaced.sort_by_key(|(range, _)| range.start);
    let (mut estimates, mut texts) = (Vec::new(), Vec::with_capacity(replaced.len()));
    // Bytes that came and went before the next replacement.
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
