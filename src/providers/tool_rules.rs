//! Applies rules of tools to older results: cuts them to a limit, or leaves them out.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::{Note, Proposal, Request};
use crate::{
    conversation::{Block, ContentKind, Edit, PathStep, TextAt, is_blank, json_text::splice},
    maps::HashMap,
    markers::Suppressed,
    providers::truncation::cut::cut_characters,
    salience::{Cut, Room, Salience},
    tokens::{Encoding, count_inside},
    transcript::{ContentPiece, Meaning, ToolRule, decompose, with_texts},
    words::{Said, said},
};

/// The part of a limit that is used for salient lines, which are selected by characters. The rest is for their markers.
const ROOM_FOR_MARKERS: f64 = 0.85;

/// A text with more tokens than its rule allows.
struct Excess<'a> {
    message: usize,
    piece: ContentPiece,
    /// The text that it is part of.
    whole: &'a str,
    text: &'a str,
    tokens: usize,
    limit: usize,
    reason: Said,
}

/// The position of a piece: message, path and first byte.
type PieceKey<'a> = (usize, &'a [PathStep], usize);

/// Cuts each result, and the parameters of its call, to the tokens that its tool's rule allows. The newest `recent`
/// messages and pinned content are left unchanged.
pub fn limited(request: &Request, recent: usize) -> Proposal {
    let is_limited = || request.tools.rules().iter().any(|(_, rule)| rule.limit().is_some());
    if !is_limited() && !recalls(request) {
        return Proposal::default();
    }
    let texts = request.conversation.texts();
    let excesses = excesses(request, &texts, recent);
    let cuts = salient_cuts(request, &excesses, recent);
    let mut proposal = Proposal::default();
    type Replaced<'e> = (&'e str, Vec<(Range<usize>, String)>);
    let mut changed: BTreeMap<(usize, &Arc<[PathStep]>), Replaced<'_>> = BTreeMap::new();
    let encoding = request.tally.encoding();
    for (index, excess) in excesses.iter().enumerate() {
        let salient = cuts.get(&index).filter(|text| count_inside(text, encoding).tokens <= excess.limit);
        let new = match salient {
            Some(text) => text.clone(),
            None if excess.limit > 0 => beginning(excess.text, excess.limit, encoding),
            None => Suppressed::sized(excess.piece.kind, excess.text).in_place_of(excess.text),
        };
        if new.len() >= excess.text.len() {
            continue;
        }
        let (message, block) = (excess.message, Some(excess.piece.block));
        proposal.notes.push(Note {
            message,
            block,
            operation: "tool_rule",
            reason: excess.reason.clone(),
            grade: None,
        });
        let replaced = changed.entry((message, &excess.piece.path)).or_insert_with(|| (excess.whole, Vec::new()));
        replaced.1.push((excess.piece.range.clone(), new));
    }
    for ((message, path), (whole, mut replaced)) in changed {
        proposal.plan.edits.push(Edit::set_text(message, path, splice(whole, &mut replaced)));
    }
    proposal
}

/// Returns true if the assistant has recalled something; such results are the first to be cut.
fn recalls(request: &Request) -> bool {
    let is_recall =
        |block: &Block| matches!(block, Block::ToolUse { name, .. } if request.tools.meaning(name) == Meaning::Recall);
    request.conversation.messages().any(|message| message.content.blocks().iter().any(is_recall))
}

fn excesses<'a>(request: &Request, texts: &'a [Vec<TextAt<'a>>], recent: usize) -> Vec<Excess<'a>> {
    let conversation = &request.conversation;
    let zone = conversation.fixed()..conversation.len().saturating_sub(recent);
    let pieces = decompose(conversation, &request.tools);
    let mut found = Vec::new();
    for (message, pieces) in pieces.into_iter().enumerate().filter(|(message, _)| zone.contains(message)) {
        for (piece, whole) in with_texts(&pieces, &texts[message]) {
            if conversation.entries()[message].pins.holds(piece.block) {
                continue;
            }
            let Some((name, rule)) = request.tools.rule(piece.source.tool()) else { continue };
            let Some(limit) = rule.limit() else { continue };
            let text = &whole.text[piece.range.clone()];
            let is_meant = match piece.kind {
                ContentKind::ToolResults => true,
                ContentKind::ToolParameters => rule.inputs && !Suppressed::spares(piece.kind, text),
                ContentKind::MessageText => false,
            };
            // A marker in place of another marker would be useless.
            if !is_meant || is_blank(text) || Suppressed::fills(text) {
                continue;
            }
            let tokens = count_inside(text, request.tally.encoding()).tokens;
            if tokens > limit {
                let reason = reason(name, rule, limit, piece);
                let piece = piece.clone();
                found.push(Excess { message, piece, whole: whole.text, text, tokens, limit, reason });
            }
        }
    }
    found
}

fn reason(name: &str, rule: &ToolRule, limit: usize, piece: &ContentPiece) -> Said {
    let done = if limit == 0 { said!("change.leftOut") } else { said!("change.cutToTokens", count: limit) };
    let done = match rule.keep {
        Some(keep) => said!("change.olderCalls", count: keep, done: done),
        None => done,
    };
    said!("change.rule", tools: format!("{name:?}"), done: done, of: piece.source.label())
}

/// Selects the most important lines of texts that may keep some, by the index of the excess.
fn salient_cuts(request: &Request, excesses: &[Excess<'_>], recent: usize) -> HashMap<usize, String> {
    let mut rooms: HashMap<PieceKey<'_>, (usize, Room)> = HashMap::default();
    for (index, excess) in excesses.iter().enumerate().filter(|(_, excess)| excess.limit > 0) {
        let share = excess.limit as f64 / excess.tokens as f64 * ROOM_FOR_MARKERS;
        let characters = (excess.text.len() as f64 * share) as usize;
        let key = (excess.message, &*excess.piece.path, excess.piece.range.start);
        rooms.insert(key, (index, Room { lines: usize::MAX, characters }));
    }
    if rooms.is_empty() {
        return HashMap::default();
    }
    let of = |message: usize, piece: &ContentPiece| rooms.get(&(message, &*piece.path, piece.range.start)).copied();
    let cuts = Salience::all_signals(recent)
        .cut_chosen(request.history(), |message, piece| of(message, piece).map(|(_, room)| room));
    let cut = |Cut { message, piece, text, .. }: Cut| Some((of(message, &piece)?.0, text?));
    cuts.into_iter().filter_map(cut).collect()
}

/// Returns the beginning of a text that fits `limit` tokens with its marker, or only a marker if even that does not
/// fit.
fn beginning(text: &str, limit: usize, encoding: Encoding) -> String {
    let (mut fits, mut exceeds) = (None, text.len());
    while exceeds > fits.map_or(0, |fits| fits + 1) {
        let most = fits.map_or(0, |fits| fits + 1);
        let middle = most + (exceeds - most) / 2;
        if count_inside(&cut_characters(text, middle), encoding).tokens <= limit {
            fits = Some(middle);
        } else {
            exceeds = middle;
        }
    }
    match fits {
        Some(characters) => cut_characters(text, characters).into_owned(),
        None => Suppressed::sized(ContentKind::ToolResults, text).in_place_of(text),
    }
}
