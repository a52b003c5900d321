//! Selects the lines of the older messages that are most likely to be used again. These lines are kept.
//!
//! The selection calls no language model and changes nothing. It returns edits, which a provider turns into a proposal.
//!
//! | module | its one idea |
//! | --- | --- |
//! | `survey` | the text to choose from: passages, lines, names |
//! | `scope` | the messages to survey, and the limits for texts that are kept whole |
//! | `reading` | reads older messages into passages |
//! | `passage` | a text whose lines can be dropped |
//! | `names` | recognises names in a text |
//! | `found_names` | the names in the texts of a message, found once |
//! | `naming` | lines of left-out results that keep names readable |
//! | `likely` | the names that are most likely to be used again |
//! | `needs` | the lines that pointers point to |
//! | `name_table` | the names of a conversation by number, with their uses |
//! | `lines` | the lines of a text, with their numbers and the gaps that earlier truncation left |
//! | `weights` | the chance that a name or a passage is used again |
//! | `coefficients` | the numbers in the formulas of `weights` |
//! | `passage_selection` | fills a budget with the lines of greatest worth |
//! | `queue` | the order in which lines and parts are taken |
//! | `windows` | the lines that are kept together with both neighbours |
//! | `seen` | the names already counted in one valuation |
//! | `render` | the text of the kept lines, with a marker for every gap |
//! | `expected` | the chance that names are used after a conversation |
//! | `edits` | the edits that carry out a choice, and their reasons |

mod coefficients;
mod edits;
mod expected;
mod found_names;
mod likely;
mod lines;
mod name_table;
mod names;
mod naming;
mod needs;
mod passage;
mod passage_selection;
mod queue;
mod reading;
mod render;
mod scope;
mod seen;
mod survey;
mod weights;
mod windows;

pub use self::{edits::Why, expected::ExpectedNames, likely::likely_names, naming::NamingLines, weights::Weights};
use self::{
    edits::{Edits, reason},
    passage::Passage,
    passage_selection::{Choice, PassageSelection},
    scope::{Ends, Scope},
    survey::Survey,
    weights::as_float,
};
use crate::{
    cancel::{Cancel, Cancelled},
    conversation::{ContentKind, Conversation, Plan, PlanError, TextAt},
    markers::Gap,
    tokens::{Tally, count_inside, is_nearer},
    transcript::{ContentPiece, ToolTable},
    words::Said,
};

/// A conversation to be shortened.
#[derive(Clone, Copy)]
pub struct History<'a> {
    /// The conversation as it is now.
    pub conversation: &'a Conversation,
    /// The conversation before other providers worked on it. Uses of names are counted here, because a deduplicated
    /// conversation no longer repeats them.
    pub original: &'a Conversation,
    /// The token counts of `conversation`.
    pub tally: &'a Tally,
    /// The meanings of the tools in it.
    pub tools: &'a ToolTable,
    /// Cancels the work.
    pub cancel: &'a Cancel,
}

/// Settings of the selection.
#[derive(Debug, Clone, Copy)]
pub struct Salience {
    /// Number of newest messages that are left unchanged, if cutting the older ones is enough.
    pub preserve_recent: usize,
    /// The weights of names and passages.
    pub weights: Weights,
}

/// The result of a selection.
#[derive(Debug)]
pub struct Kept {
    /// The edits that cut texts to the selected lines.
    pub plan: Plan,
    /// The reason for each cut text.
    pub reasons: Vec<Why>,
    /// The token counts after the plan.
    pub tally: Tally,
    /// The texts that were cut because too much else must be kept.
    pub crowded: Crowded,
}

/// The texts that a selection cuts although they should stay, because too much else must be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Crowded {
    /// None.
    Nothing,
    /// The newest messages, although they are within their share of the budget.
    Newest,
    /// The user's words in older messages.
    Words,
}

impl Kept {
    fn everything(history: History<'_>) -> Self {
        let tally = history.tally.clone();
        Self { plan: Plan::default(), reasons: Vec::new(), tally, crowded: Crowded::Nothing }
    }
}

/// The reason why a selection failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SalienceError {
    /// The work was cancelled.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// The edits do not fit the conversation they were made for.
    #[error(transparent)]
    Plan(#[from] PlanError),
}

/// The limits on the length of a cut text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// The limit in lines; parts of a split line count as lines.
    pub lines: usize,
    /// The limit in characters of those lines. Gap markers are not counted.
    pub characters: usize,
}

impl Room {
    fn is_exceeded_by(&self, passage: &Passage<'_>) -> bool {
        let shown = || passage.lines.iter().filter(|value| !value.line.is_gap);
        let characters = || shown().map(|value| passage.characters(value)).sum::<usize>();
        shown().count() > self.lines || (passage.text.len() > self.characters && characters() > self.characters)
    }
}

/// A text that was cut to its most important lines.
pub struct Cut {
    /// Index of the message.
    pub message: usize,
    /// The piece that was cut.
    pub piece: ContentPiece,
    /// The text that remains; `None` if no line of it fits.
    pub text: Option<String>,
    /// The reason, as a sentence for the user.
    pub reason: Said,
}

/// A result of at least this share of the budget is good enough.
const CLOSE_ENOUGH: f64 = 0.99;
/// The first and the newest messages are left unchanged if they take at most this share of a budget.
const MOST_FOR_ENDS: f64 = 0.3;
/// User text in an older message is kept whole if it takes at most this share of a budget. In a longer text, the pastes
/// are cut.
const MOST_FOR_WORDS: f64 = 0.15;
const MAX_TRIES: usize = 8;

impl Salience {
    /// Selects the lines to keep so that the messages have at most `budget` unscaled tokens. If no selection fits,
    /// returns the smallest result found.
    ///
    /// The first and the newest messages are left unchanged if the rest fits beside them. Otherwise, these texts may
    /// also be cut, in this order: tool results in the newest messages, the last tool results, the user's pastes in
    /// older messages, and the user's words there.
    pub fn within(&self, history: History<'_>, budget: usize) -> Result<Kept, SalienceError> {
        let texts = history.conversation.texts();
        let (mut least, mut crowded): (Option<Kept>, Crowded) = (None, Crowded::Nothing);
        let words = (budget as f64 * MOST_FOR_WORDS) as usize;
        for (ends, most_said, most_shown, most_words) in [
            (Ends::Stay, words, words, words),
            (Ends::Stay, 0, words, words),
            (Ends::Answers, words, words, words),
            (Ends::Last, words, words, words),
            (Ends::Last, 0, 0, words),
            (Ends::Last, 0, 0, 0),
        ] {
            let scope = &Scope { most_pasted: words, most_said, most_shown, ..self.scope(history, ends, most_words) };
            if ends == Ends::Stay && fixed_tokens(scope) as f64 > budget as f64 * MOST_FOR_ENDS {
                continue;
            }
            let survey = Survey::new(scope, &texts);
            let mut selection = PassageSelection::new(&survey, self.weights, history.tally.total());
            selection.fill(as_float(budget));
            if most_words == 0 {
                crowded = Crowded::Words;
            }
            let kept = Kept { crowded, ..best_within(history, &texts, selection, budget)? };
            if kept.tally.total() <= budget {
                return Ok(kept);
            }
            if ends == Ends::Stay {
                crowded = Crowded::Newest;
            }
            if least.as_ref().is_none_or(|least| kept.tally.total() < least.tally.total()) {
                least = Some(kept);
            }
        }
        Ok(least.unwrap_or_else(|| Kept::everything(history)))
    }

    /// Cuts every older tool result of at least `min_tokens` to at most `lines` lines.
    pub fn cut_each(&self, history: History<'_>, lines: usize, min_tokens: usize) -> Result<Kept, SalienceError> {
        let texts = history.conversation.texts();
        let scope = self.scope(history, Ends::Stay, usize::MAX);
        let survey = Survey::new(&scope, &texts);
        let mut selection = PassageSelection::new(&survey, self.weights, history.tally.total());
        let mut choice = selection.choice();
        for (index, passage) in survey.passages.iter().enumerate() {
            let shown = passage.lines.iter().filter(|value| !value.line.is_gap).count();
            let results = passage.piece.kind == ContentKind::ToolResults;
            // The next condensation splits a cut line in other places, so a text that was cut before gets twice the
            // limit.
            let most = if Gap::may_be_in(passage.text) { lines.saturating_mul(2) } else { lines };
            if !results || passage.whole || passage.tokens < min_tokens || shown <= most {
                choice.kept[index].fill(true);
            } else {
                choice.kept[index] = selection.best_lines(index, lines, usize::MAX);
            }
        }
        let edits = Edits::for_choice(&texts, &survey, &choice);
        let tally = tally_after(history, &edits.plan)?;
        Ok(Kept { reasons: edits.reasons(&survey, &choice), plan: edits.plan, tally, crowded: Crowded::Nothing })
    }

    /// Creates a selection that uses every weight.
    pub fn all_signals(preserve_recent: usize) -> Self {
        Self { preserve_recent, weights: Weights::default() }
    }

    /// Cuts each text that exceeds its limit. `room_of` returns the limit, and is called for every piece of the older
    /// messages, including the user's.
    pub fn cut_chosen(&self, history: History<'_>, room_of: impl Fn(usize, &ContentPiece) -> Option<Room>) -> Vec<Cut> {
        let texts = history.conversation.texts();
        let survey = Survey::new(&self.scope(history, Ends::Stay, 0), &texts);
        let mut selection = PassageSelection::new(&survey, self.weights, history.tally.total());
        let mut cuts = Vec::new();
        for (index, passage) in survey.passages.iter().enumerate() {
            let room = room_of(passage.message, &passage.piece).filter(|_| !passage.whole);
            let Some(room) = room.filter(|room| room.is_exceeded_by(passage)) else { continue };
            let kept = selection.best_lines(index, room.lines, room.characters);
            let text = passage.says(&kept).then(|| render::text(passage, &kept));
            if text.as_ref().is_none_or(|text| text.len() < passage.text.len()) {
                let reason = reason(passage, &kept, &survey);
                cuts.push(Cut { message: passage.message, piece: passage.piece.clone(), text, reason });
            }
        }
        cuts
    }

    /// Cuts the texts for which `is_chosen` returns true to their most important lines. Together, they then have at
    /// most `budget` tokens if possible. Returns no cuts if they are within the budget already. `is_chosen` is called
    /// for every piece of the older messages, including the user's.
    pub fn cut_together(
        &self,
        history: History<'_>,
        budget: usize,
        is_chosen: impl Fn(usize, &ContentPiece) -> bool,
    ) -> Vec<Cut> {
        let texts = history.conversation.texts();
        let mut survey = Survey::new(&self.scope(history, Ends::Stay, 0), &texts);
        for passage in &mut survey.passages {
            passage.whole |= !is_chosen(passage.message, &passage.piece);
        }
        let chosen = || survey.passages.iter().enumerate().filter(|(_, passage)| !passage.whole);
        let tokens: usize = chosen().map(|(_, passage)| passage.tokens).sum();
        if tokens <= budget {
            return Vec::new();
        }
        let mut selection = PassageSelection::new(&survey, self.weights, history.tally.total());
        let others = as_float(history.tally.total() - tokens.min(history.tally.total()));
        selection.fill(others + as_float(budget));
        let mut best: Option<(Vec<Cut>, usize)> = None;
        let mut aim = Aim::at(others + as_float(budget));
        for _ in 0..MAX_TRIES {
            let choice = selection.choice();
            let (mut cuts, mut left) = (Vec::new(), 0);
            for (index, passage) in chosen() {
                let kept = &choice.kept[index];
                let text = passage
                    .misses(kept)
                    .then(|| render::text(passage, kept))
                    .filter(|text| text.len() < passage.text.len());
                left +=
                    text.as_ref().map_or(passage.tokens, |text| count_inside(text, history.tally.encoding()).tokens);
                if text.is_some() {
                    let reason = reason(passage, kept, &survey);
                    cuts.push(Cut { message: passage.message, piece: passage.piece.clone(), text, reason });
                }
            }
            let fits = left <= budget;
            if best.as_ref().is_none_or(|(_, known)| is_nearer(left, *known, budget)) {
                best = Some((cuts, left));
            }
            if fits && (ratio(left, budget) >= CLOSE_ENOUGH || selection.is_complete()) {
                break;
            }
            let before = selection.tokens;
            selection.hold(aim.after(before, others + as_float(left)));
            if selection.tokens.total_cmp(&before).is_eq() {
                break;
            }
        }
        best.map(|(cuts, _)| cuts).unwrap_or_default()
    }

    /// Returns true if a text of this kind and length may lose lines. In a shorter text, a marker would save nothing.
    pub fn may_cut(kind: ContentKind, tokens: usize) -> bool {
        tokens > reading::always_whole(kind)
    }

    fn scope<'h>(&self, history: History<'h>, ends: Ends, most_words: usize) -> Scope<'h> {
        let older = |conversation: &Conversation| {
            let start = conversation.fixed();
            start..conversation.len().saturating_sub(self.preserve_recent).max(start)
        };
        let History { conversation, original, tally, tools, .. } = history;
        Scope {
            conversation,
            tally,
            tools,
            zone: if ends == Ends::Stay { older(conversation) } else { conversation.frozen()..conversation.len() },
            older: older(conversation),
            ends,
            before: (!conversation.is_same(original)).then(|| (original, older(original))),
            most_words,
            most_said: 0,
            most_pasted: usize::MAX,
            most_shown: usize::MAX,
            weights: self.weights,
        }
    }
}

/// Returns the tokens of all messages except the older ones.
fn fixed_tokens(scope: &Scope<'_>) -> usize {
    let is_fixed = |message: &usize| !scope.older.contains(message);
    (0..scope.conversation.len()).filter(is_fixed).map(|message| scope.tally.message(message)).sum()
}

fn ratio(tokens: usize, budget: usize) -> f64 {
    tokens as f64 / budget.max(1) as f64
}

/// Searches for the estimated tokens at which a selection fills its budget. Counted tokens grow with the estimate, but
/// unevenly.
struct Aim {
    budget: f32,
    /// The latest estimate that fits, with its counted tokens.
    fits: Option<(f32, f32)>,
    /// The latest estimate that does not fit, with its counted tokens.
    exceeds: Option<(f32, f32)>,
}

impl Aim {
    fn at(budget: f32) -> Self {
        Self { budget, fits: None, exceeds: None }
    }

    /// Returns the next estimate to try, after the selection with this estimate was counted as `tokens`.
    fn after(&mut self, estimate: f32, tokens: f32) -> f32 {
        let side = if tokens <= self.budget { &mut self.fits } else { &mut self.exceeds };
        *side = Some((estimate, tokens));
        match (self.fits, self.exceeds) {
            (Some((low, few)), Some((high, many))) => {
                low + (high - low) * ((self.budget - few) / (many - few)).clamp(0.1, 0.9)
            }
            _ if tokens <= self.budget => estimate + (self.budget - tokens) * 0.8,
            _ => estimate - (tokens - self.budget) * 1.05 - 1.0,
        }
    }
}

/// Tries estimates until the counted tokens are close to `budget`, because a selection only estimates its tokens.
/// Returns the best try.
fn best_within(
    history: History<'_>,
    texts: &[Vec<TextAt<'_>>],
    mut selection: PassageSelection<'_, '_>,
    budget: usize,
) -> Result<Kept, SalienceError> {
    history.cancel.check()?;
    let survey = selection.survey();
    let mut best: Option<(Choice, Edits, Tally)> = None;
    let mut aim = Aim::at(as_float(budget));
    for _ in 0..MAX_TRIES {
        let choice = selection.choice();
        let edits = Edits::for_choice(texts, survey, &choice);
        let tally = tally_after(history, &edits.plan)?;
        let tokens = tally.total();
        let fits = tokens <= budget;
        if best.as_ref().is_none_or(|(_, _, known)| is_nearer(tokens, known.total(), budget)) {
            best = Some((choice, edits, tally));
        }
        if fits && (ratio(tokens, budget) >= CLOSE_ENOUGH || selection.is_complete()) {
            break;
        }
        let before = selection.tokens;
        selection.hold(aim.after(before, as_float(tokens)));
        if selection.tokens.total_cmp(&before).is_eq() {
            break;
        }
    }
    let Some((choice, edits, tally)) = best else {
        return Ok(Kept::everything(history));
    };
    Ok(Kept { reasons: edits.reasons(survey, &choice), plan: edits.plan, tally, crowded: Crowded::Nothing })
}

fn tally_after(history: History<'_>, plan: &Plan) -> Result<Tally, SalienceError> {
    let after = history.conversation.apply(plan)?;
    Ok(history.tally.recount(history.conversation, &after, history.cancel)?)
}
