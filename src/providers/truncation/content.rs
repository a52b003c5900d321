//! Mode `content`: cuts old tool results and long strings in tool parameters, as far as a target requires.

use std::{cell::OnceCell, collections::BTreeMap, ops::Range, sync::Arc};

use super::{
    Strategy, TruncationConfig, apply,
    cut::{Keep, LineLengths, cut_characters, cut_lines},
    search::{Probe, loosest},
    window,
};
use crate::{
    conversation::{Block, Content, ContentKind, Edit, Message, PathStep, Role, TextAt, json_text::splice},
    maps::HashSet,
    markers::{More, Suppressed},
    providers::{CondenseError, Note, Proposal, Request},
    story::story_blocks,
    tokens::count_inside,
    transcript::{ContentPiece, PieceSource, decompose, with_texts},
    words::{Said, said},
};

/// With a target, the largest number of lines tried before a result counts as whole.
const MAX_TRIED_LINES: usize = 2000;
/// With a target, parameters keep this many characters for each line that results keep: 100 characters for 5 lines,
/// as in the defaults.
const CHARACTERS_PER_LINE: usize = 20;
/// Once all lines are kept, each level allows lines a tenth longer than the level before. A hundred such levels reach
/// from 500 characters to millions, for results that are one long line.
const LINE_LENGTH_LEVELS: usize = 100;

/// The limits to which texts are cut.
#[derive(Debug, Clone, Copy)]
struct Limits {
    lines: usize,
    line_characters: usize,
    parameter_characters: usize,
    suppress: bool,
}

/// A piece that may be cut.
struct Candidate<'a> {
    message: usize,
    piece: ContentPiece,
    /// The text that contains the piece.
    whole: &'a str,
    text: &'a str,
    tokens: usize,
    /// Computed when an estimate first needs it.
    line_lengths: OnceCell<LineLengths>,
}

impl Candidate<'_> {
    fn line_lengths(&self, limits: Limits) -> &LineLengths {
        self.line_lengths.get_or_init(|| LineLengths::measure(self.text, limits.line_characters))
    }
}

/// Ranges of a text with their replacements.
type Replacements = Vec<(Range<usize>, String)>;

/// This mode's work on one conversation.
pub(super) struct ContentCut<'a> {
    request: &'a Request,
    keep: Keep,
    keep_recent: usize,
    limits: Limits,
    /// True for limits that the user set, which hold even if a target would allow more.
    fixed_lines: bool,
    fixed_line_characters: bool,
    fixed_characters: bool,
    /// Candidates by message and position.
    candidates: Vec<Candidate<'a>>,
}

impl<'a> ContentCut<'a> {
    pub(super) fn new(request: &'a Request, texts: &'a [Vec<TextAt<'a>>], config: &TruncationConfig) -> Self {
        let conversation = &request.conversation;
        let keep_recent = config.preserve_recent_count;
        let zone = conversation.fixed()..conversation.len().saturating_sub(keep_recent);
        let least = config.min_tokens_for_truncation;
        let may_cut = |message: usize, kind: ContentKind| match (kind, &conversation.message(message).role) {
            (ContentKind::ToolResults | ContentKind::ToolParameters, _) => true,
            (ContentKind::MessageText, Role::User) => !config.preserve_user_messages.value,
            (ContentKind::MessageText, Role::Assistant) => !config.preserve_assistant_text.value,
            (ContentKind::MessageText, Role::Other(_)) => false,
        };
        let pieces = if zone.is_empty() { Vec::new() } else { decompose(conversation, &request.tools) };
        let mut candidates = Vec::new();
        for (message, pieces) in pieces.into_iter().enumerate().filter(|(message, _)| zone.contains(message)) {
            let frames = texts_that_frame_tools(conversation.message(message), &pieces);
            // A text has at most as many tokens as bytes.
            let is_candidate = |piece: &ContentPiece| {
                may_cut(message, piece.kind)
                    && piece.range.len() >= least.max(1)
                    && (piece.kind != ContentKind::MessageText || !frames.contains(&piece.path))
            };
            if !pieces.iter().any(is_candidate) {
                continue;
            }
            let stories = story_blocks(conversation, message);
            for (piece, text) in with_texts(&pieces, &texts[message]).filter(|(piece, _)| is_candidate(piece)) {
                if conversation.entries()[message].pins.holds(text.block) {
                    continue;
                }
                let whole = text.text;
                let text = &whole[piece.range.clone()];
                // A marker in place of another marker would be useless.
                if Suppressed::fills(text) || stories.contains(&piece.block) {
                    continue;
                }
                let tokens = count_inside(text, request.tally.encoding()).tokens;
                if tokens >= least {
                    let piece = piece.clone();
                    candidates.push(Candidate { message, piece, whole, text, tokens, line_lengths: OnceCell::new() });
                }
            }
        }
        Self {
            request,
            keep: if config.strategy == Strategy::HeadTail { Keep::HeadTail } else { Keep::Head },
            keep_recent,
            limits: Limits {
                line_characters: config.max_line_chars.value,
                lines: config.max_tool_result_lines.value,
                parameter_characters: config.max_tool_param_chars.value,
                suppress: config.suppresses(),
            },
            fixed_lines: config.max_tool_result_lines.is_given,
            fixed_line_characters: config.max_line_chars.is_given,
            fixed_characters: config.max_tool_param_chars.is_given,
            candidates,
        }
    }

    pub(super) fn propose(&self) -> Result<Proposal, CondenseError> {
        let Some(budget) = self.request.budget() else { return Ok(self.proposal(self.candidates.len(), self.limits)) };
        let found = loosest(
            self.loosest_level(),
            budget,
            |level| self.estimate(level),
            |level| {
                let proposal = self.at_level(level);
                let after = apply(&self.request.conversation, &proposal.plan)?;
                let tally = self.request.tally.recount(&self.request.conversation, &after, &self.request.cancel)?;
                Ok::<_, CondenseError>(Probe { tokens: tally.total(), result: proposal })
            },
        )?;
        match found {
            Some(probe) => Ok(probe.result),
            None => self.window_after_suppression(budget),
        }
    }

    fn window_after_suppression(&self, budget: usize) -> Result<Proposal, CondenseError> {
        let conversation = &self.request.conversation;
        let mut proposal = self.at_level(0);
        let after = apply(conversation, &proposal.plan)?;
        let tally = self.request.tally.recount(conversation, &after, &self.request.cancel)?;
        // Nothing was dropped or added yet, so indices are still the request's.
        let dropped = window::to_fit(&after, &tally, self.keep_recent, budget).unwrap_or_default().collect();
        window::drop_messages(&dropped, &mut proposal);
        Ok(proposal)
    }

    // Levels are ordered by how much they keep, so that one search finds the level that meets a budget. Up to the
    // number of candidates, level n keeps the n newest candidates (cut to one line) and suppresses the older ones;
    // above that, limits grow line by line.

    fn loosest_level(&self) -> usize {
        if self.limits.suppress {
            self.candidates.len()
        } else {
            self.candidates.len() + MAX_TRIED_LINES + LINE_LENGTH_LEVELS
        }
    }

    fn limits_at(&self, level: usize) -> (usize, Limits) {
        let kept = level.min(self.candidates.len());
        if self.limits.suppress {
            let whole = usize::MAX;
            return (
                kept,
                Limits { lines: whole, line_characters: whole, parameter_characters: whole, suppress: false },
            );
        }
        let above = level - kept;
        let lines = if above < MAX_TRIED_LINES { 1 + above } else { usize::MAX };
        let longer = above.saturating_sub(MAX_TRIED_LINES);
        let bounded = |value: usize, limit: usize, fixed: bool| if fixed { value.min(limit) } else { value };
        let limits = Limits {
            lines: bounded(lines, self.limits.lines, self.fixed_lines),
            line_characters: bounded(
                tenths_longer(self.limits.line_characters, longer),
                self.limits.line_characters,
                self.fixed_line_characters,
            ),
            parameter_characters: bounded(
                lines.saturating_mul(CHARACTERS_PER_LINE),
                self.limits.parameter_characters,
                self.fixed_characters,
            ),
            suppress: false,
        };
        (kept, limits)
    }

    fn at_level(&self, level: usize) -> Proposal {
        let (kept, limits) = self.limits_at(level);
        self.proposal(kept, limits)
    }

    /// Estimates the conversation's tokens at `level`: each piece in proportion to its remaining bytes.
    fn estimate(&self, level: usize) -> usize {
        const NOTE_TOKENS: usize = 12;
        let (kept, limits) = self.limits_at(level);
        let suppressed = self.candidates.len() - kept;
        let mut total = self.request.tally.total();
        for (index, candidate) in self.candidates.iter().enumerate() {
            let stays = if index < suppressed {
                NOTE_TOKENS
            } else {
                let length = candidate.text.len();
                let bytes = match candidate.piece.kind {
                    ContentKind::ToolParameters => limits.parameter_characters.saturating_add(More::BYTES),
                    _ if limits.lines == usize::MAX => {
                        candidate.line_lengths(self.limits).with_lines_of(limits.line_characters)
                    }
                    _ => candidate.line_lengths(self.limits).after_cut(limits.lines, self.keep),
                };
                candidate.tokens * bytes.min(length) / length.max(1)
            };
            // Pieces counted one by one may have a few tokens more than the text they are cut from.
            total = total.saturating_sub(candidate.tokens.saturating_sub(stays));
        }
        total
    }

    /// Returns the plan that cuts the newest `kept` candidates to `limits` and suppresses the older ones.
    fn proposal(&self, kept: usize, limits: Limits) -> Proposal {
        let suppressed = self.candidates.len() - kept;
        let mut proposal = Proposal::default();
        let mut by_message: BTreeMap<usize, Vec<(&Candidate<'_>, bool)>> = BTreeMap::new();
        for (index, candidate) in self.candidates.iter().enumerate() {
            let suppress = limits.suppress || index < suppressed;
            by_message.entry(candidate.message).or_default().push((candidate, suppress));
        }
        for (message, candidates) in by_message {
            self.change_message(message, &candidates, limits, &mut proposal);
        }
        proposal
    }

    fn change_message(
        &self,
        message: usize,
        candidates: &[(&Candidate<'_>, bool)],
        limits: Limits,
        proposal: &mut Proposal,
    ) {
        let mut changed: BTreeMap<&[PathStep], (&str, Replacements)> = BTreeMap::new();
        for (candidate, suppress) in candidates {
            let piece = &candidate.piece;
            let text = candidate.text;
            let parameter = piece.kind == ContentKind::ToolParameters;
            let new = if *suppress {
                Suppressed::sized(piece.kind, text).in_place_of(text).into()
            } else if parameter {
                cut_characters(text, limits.parameter_characters)
            } else {
                cut_lines(text, limits.lines, limits.line_characters, self.keep)
            };
            if new.len() >= text.len() {
                continue;
            }
            let reason = reason(piece, *suppress, limits, self.keep);
            let operation = if *suppress { "suppress" } else { "truncate" };
            proposal.notes.push(Note { message, block: Some(piece.block), operation, reason, grade: None });
            changed
                .entry(&piece.path)
                .or_insert_with(|| (candidate.whole, Vec::new()))
                .1
                .push((piece.range.clone(), new.into_owned()));
        }
        for (path, (whole, mut replacements)) in changed {
            let text = splice(whole, &mut replacements);
            proposal.plan.edits.push(Edit::set_text(message, path, text));
        }
    }
}

fn tenths_longer(characters: usize, times: usize) -> usize {
    (0..times).fold(characters, |characters, _| characters.saturating_add(characters.div_ceil(10)))
}

/// Returns the message texts that contain tool calls or results as text. The words around those name the tool and
/// mark the beginning and end of what belongs to it, so they are not cut.
fn texts_that_frame_tools(message: &Message, pieces: &[ContentPiece]) -> HashSet<Arc<[PathStep]>> {
    let spoken = |block: usize| match &message.content {
        Content::Text(_) => true,
        content => matches!(content.blocks().get(block), Some(Block::Text { .. })),
    };
    let tools = pieces.iter().filter(|piece| matches!(piece.source, PieceSource::Tool(_)) && spoken(piece.block));
    tools.map(|piece| piece.path.clone()).collect()
}

fn reason(piece: &ContentPiece, suppress: bool, limits: Limits, keep: Keep) -> Said {
    let done = match (suppress, piece.kind, keep) {
        (true, ..) => said!("change.old"),
        (_, ContentKind::ToolParameters, _) => said!("change.characters", count: limits.parameter_characters),
        _ if limits.lines == usize::MAX => said!("change.longLines", count: limits.line_characters),
        (_, _, Keep::Head) => said!("change.firstLines", count: limits.lines),
        (_, _, Keep::HeadTail) => said!("change.ends", count: limits.lines),
    };
    done.about(piece.source.label())
}
