//! What of the older part of a conversation is most likely to be used again, so that it is what stays.
//!
//! No model is asked, and nothing is changed: the answer is what to keep, and a provider makes a proposal of it.
//!
//! | module | its one idea |
//! | --- | --- |
//! | `survey` | what there is to choose from: passages, lines, names |
//! | `scope` | what is looked through for that |
//! | `reading` | older messages read into passages |
//! | `passage` | a text of which lines can be left out |
//! | `names` | what a name is |
//! | `naming` | lines of results that are left out by which names stay in view |
//! | `likely` | the names that are likeliest to be used again |
//! | `needs` | what pointers lead to |
//! | `name_table` | the names of a conversation by number, with what is known of each |
//! | `lines` | the lines of a text, with their numbers and the gaps that earlier truncation left |
//! | `weights` | how likely a name or a passage is to be used again |
//! | `coefficients` | the numbers of that |
//! | `passage_selection` | fills a budget with what is worth most |
//! | `queue` | what can be taken, best first |
//! | `windows` | which lines stay with their neighbours already |
//! | `seen` | which names were met in one valuation |
//! | `render` | the text of what stays, with a marker for every gap |
//! | `expected` | how likely names are to be used after a conversation |
//! | `edits` | the edits that leave what stays, and why |

mod coefficients;
mod edits;
mod expected;
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

pub use self::{edits::Why, expected::ExpectedNames, likely::likely_names, naming::LeftOut, weights::Weights};
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

/// A conversation that is to become smaller.
#[derive(Clone, Copy)]
pub struct History<'a> {
    /// As it is.
    pub conversation: &'a Conversation,
    /// As it was before others worked on it. How a name was used is read there: once things are said only once, names no longer recur.
    pub original: &'a Conversation,
    /// The tokens of `conversation`.
    pub tally: &'a Tally,
    /// What the tools in it do.
    pub tools: &'a ToolTable,
    /// Stops the work.
    pub cancel: &'a Cancel,
}

/// How to choose what stays.
#[derive(Debug, Clone, Copy)]
pub struct Salience {
    /// The newest messages, which are never changed.
    pub preserve_recent: usize,
    /// Which signals are in use.
    pub weights: Weights,
}

/// What stays of a conversation.
#[derive(Debug)]
pub struct Kept {
    /// The edits that leave it.
    pub plan: Plan,
    /// Why, for each text that is cut and each message that goes.
    pub reasons: Vec<Why>,
    /// The tokens of what stays.
    pub tally: Tally,
    /// The newest messages are cut, though they alone would have left room: too many others stand.
    pub crowds_newest: bool,
}

impl Kept {
    fn everything(history: History<'_>) -> Self {
        let tally = history.tally.clone();
        Self { plan: Plan::default(), reasons: Vec::new(), tally, crowds_newest: false }
    }
}

/// Why nobody can say what stays.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SalienceError {
    /// The work was stopped.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// The edits do not fit the conversation they were made for.
    #[error(transparent)]
    Plan(#[from] PlanError),
}

/// How much of a text may stay, whatever it costs elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// Lines; parts of very long lines count as lines.
    pub lines: usize,
    /// Characters in them. What stands for the gaps is not counted.
    pub characters: usize,
}

impl Room {
    fn is_exceeded_by(&self, passage: &Passage<'_>) -> bool {
        let shown = || passage.lines.iter().filter(|value| !value.line.is_gap);
        let characters = || shown().map(|value| passage.characters(value)).sum::<usize>();
        shown().count() > self.lines || (passage.text.len() > self.characters && characters() > self.characters)
    }
}

/// A text that was cut to what matters most in it.
pub struct Cut {
    /// The message it is in.
    pub message: usize,
    /// The piece it is.
    pub piece: ContentPiece,
    /// What stays of it; `None` when no line of it has room.
    pub text: Option<String>,
    /// Why that, for a person.
    pub reason: Said,
}

/// A result within this share of the budget is good enough.
const CLOSE_ENOUGH: f64 = 0.97;
/// The first message and the newest ones stay as they are as long as they take no more of a budget than this.
const MOST_FOR_ENDS: f64 = 0.3;
/// What the user wrote in an older message stays whole as long as it takes no more of a budget than this. Of a longer text the pastes give way.
const MOST_FOR_WORDS: f64 = 0.15;
const MAX_TRIES: usize = 8;

impl Salience {
    /// What stays within `budget` tokens (unscaled) of messages: as much as fits of what matters, or the least there is when nothing fits.
    ///
    /// The first message and the newest ones stay as they are as long as they leave room for the rest; then what was answered in the newest gives way, then the
    /// last answers, what the user pasted into older messages, and what the user wrote there at the end.
    ///
    /// # Errors
    /// When the work is cancelled.
    pub fn within(&self, history: History<'_>, budget: usize) -> Result<Kept, SalienceError> {
        let texts = history.conversation.texts();
        let (mut least, mut crowds_newest): (Option<Kept>, bool) = (None, false);
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
            let survey = Survey::of(scope, &texts);
            let mut selection = PassageSelection::new(&survey, self.weights, history.tally.total());
            selection.fill(as_float(budget));
            let kept = Kept { crowds_newest, ..best_within(history, &texts, selection, budget)? };
            if kept.tally.total() <= budget {
                return Ok(kept);
            }
            crowds_newest |= ends == Ends::Stay;
            if least.as_ref().is_none_or(|least| kept.tally.total() < least.tally.total()) {
                least = Some(kept);
            }
        }
        Ok(least.unwrap_or_else(|| Kept::everything(history)))
    }

    /// What stays when every old tool result of `min_tokens` or more keeps at most `lines` lines.
    ///
    /// # Errors
    /// When the work is cancelled.
    pub fn cut_each(&self, history: History<'_>, lines: usize, min_tokens: usize) -> Result<Kept, SalienceError> {
        let texts = history.conversation.texts();
        let scope = self.scope(history, Ends::Stay, usize::MAX);
        let survey = Survey::of(&scope, &texts);
        let mut selection = PassageSelection::new(&survey, self.weights, history.tally.total());
        let mut choice = selection.choice();
        for (index, passage) in survey.passages.iter().enumerate() {
            let shown = passage.lines.iter().filter(|value| !value.line.is_gap).count();
            let results = passage.piece.kind == ContentKind::ToolResults;
            // Long lines that were cut are divided in other places the next time: what was cut already has some more leeway.
            let most = if Gap::may_be_in(passage.text) { lines.saturating_mul(2) } else { lines };
            if !results || passage.whole || passage.tokens < min_tokens || shown <= most {
                choice.kept[index].fill(true);
            } else {
                choice.kept[index] = selection.best_lines(index, lines, usize::MAX);
            }
        }
        let edits = Edits::of(&texts, &survey, &choice);
        let tally = tally_after(history, &edits.plan)?;
        Ok(Kept { reasons: edits.reasons(&survey, &choice), plan: edits.plan, tally, crowds_newest: false })
    }

    /// Uses every signal.
    #[must_use]
    pub fn all_signals(preserve_recent: usize) -> Self {
        Self { preserve_recent, weights: Weights::default() }
    }

    /// The texts for which `room_of` gives a room that they exceed, cut to what matters most in them. It is asked for every piece of
    /// the older messages, those of the user included.
    pub fn cut_chosen(&self, history: History<'_>, room_of: impl Fn(usize, &ContentPiece) -> Option<Room>) -> Vec<Cut> {
        let texts = history.conversation.texts();
        let survey = Survey::of(&self.scope(history, Ends::Stay, 0), &texts);
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

    /// The texts that `is_chosen` names, cut so that what matters most in all of them stays and they have at most `budget` tokens together, as far as
    /// that can be. Nothing where they have no more already. It is asked for every piece of the older messages, those of the user included.
    pub fn cut_together(
        &self,
        history: History<'_>,
        budget: usize,
        is_chosen: impl Fn(usize, &ContentPiece) -> bool,
    ) -> Vec<Cut> {
        let texts = history.conversation.texts();
        let mut survey = Survey::of(&self.scope(history, Ends::Stay, 0), &texts);
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
            if fits {
                selection.fill(before + as_float(budget - left) * 0.8);
            } else {
                selection.give_back(as_float(left - budget) * 1.05 + 1.0);
            }
            if selection.tokens.total_cmp(&before).is_eq() {
                break;
            }
        }
        best.map(|(cuts, _)| cuts).unwrap_or_default()
    }

    /// Whether a text of this kind and length may lose lines: others are too short for a marker to save anything.
    #[must_use]
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

/// Tokens of what is not older.
fn fixed_tokens(scope: &Scope<'_>) -> usize {
    let is_fixed = |message: &usize| !scope.older.contains(message);
    (0..scope.conversation.len()).filter(is_fixed).map(|message| scope.tally.message(message)).sum()
}

fn ratio(tokens: usize, budget: usize) -> f64 {
    tokens as f64 / budget.max(1) as f64
}

/// The best that comes of a selection whose estimates are a little off.
fn best_within(
    history: History<'_>,
    texts: &[Vec<TextAt<'_>>],
    mut selection: PassageSelection<'_, '_>,
    budget: usize,
) -> Result<Kept, SalienceError> {
    history.cancel.check()?;
    let survey = selection.survey();
    let mut best: Option<(Choice, Edits, Tally)> = None;
    // Estimates are a little off; a part of what is free is filled, so that it does not swing, and less of it where it did, with something large.
    let mut part = 0.8;
    for _ in 0..MAX_TRIES {
        let choice = selection.choice();
        let edits = Edits::of(texts, survey, &choice);
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
        if fits {
            selection.fill(before + as_float(budget - tokens) * part);
        } else {
            let swings = best.as_ref().is_some_and(|(.., known)| known.total() <= budget);
            part *= if swings { 0.5 } else { 1.0 };
            selection.give_back(as_float(tokens - budget) * 1.05 + 1.0);
        }
        if selection.tokens.total_cmp(&before).is_eq() {
            break;
        }
    }
    let Some((choice, edits, tally)) = best else {
        return Ok(Kept::everything(history));
    };
    Ok(Kept { reasons: edits.reasons(survey, &choice), plan: edits.plan, tally, crowds_newest: false })
}

fn tally_after(history: History<'_>, plan: &Plan) -> Result<Tally, SalienceError> {
    let after = history.conversation.apply(plan)?;
    Ok(history.tally.recount(history.conversation, &after, history.cancel)?)
}
