//! Folds a conversation at one boundary. A single text, the story, replaces the messages before the boundary. The
//! messages after it are kept, and shortened by salience if the target requires it.

use std::{cell::OnceCell, cmp::Reverse, ops::Range};

use super::{CondenseError, Note, Proposal, Request, State, seams::Seams};
use crate::{
    conversation::{Content, Conversation, Edit, Message, Plan, Role, TextAt},
    markers::{LEFT_OUT_HERE, NoteLine, with_way_back},
    parallel::both,
    salience::{Crowded, NamingLines, Salience, SalienceError, Why},
    story::{ShownLines, Telling},
    tokens::count_inside,
    words::said,
};

/// The story's share of the target is this number times the fourth power of the share of tokens to remove. The result
/// is .52 if a tenth of the conversation may remain, .25 for a quarter and .05 for half. Chosen with the reading test,
/// and with the names and edits used next (docs/decisions/0014-fold.md).
const STORY: f64 = 0.8;
/// Lines of results in the story have an additional share of the target: this number times the square of the share of
/// tokens to remove, so .10, .07 and .03 in the same cases.
const LINES: f64 = 0.12;
/// The messages after the boundary may have this many times their token budget before they are shortened. Tokens that
/// earlier condensations removed from them count, too.
const BEHIND: f64 = 3.0;
/// Maximum number of boundaries to try.
const TRIES: usize = 6;
/// The search stops at a result that uses at least this share of the target.
const CLOSE_ENOUGH: f64 = 0.9;
/// Maximum number of attempts with a shorter story. The story's budget is only estimated, so a story may exceed it.
const SHORTER: usize = 3;

/// The settings of a fold.
pub struct Fold<'a> {
    /// The id of the provider that folds.
    pub provider: &'static str,
    /// Number of newest messages that are kept in place.
    pub preserve_recent: usize,
    /// Factor for the story's share of the target, below 1 beside a summary, which covers most of the story.
    pub part: f64,
    /// Returns true for a line that another text already contains.
    pub is_known: &'a dyn Fn(&str) -> bool,
}

/// Folds to at most `budget` unscaled tokens. Returns the proposal, and whether it is within the budget; if not, it is
/// the smallest one found.
///
/// # Errors
/// An error if the work is cancelled, or if its plan does not fit the conversation.
pub fn folded(request: &Request, fold: &Fold<'_>, budget: usize) -> Result<(Proposal, bool), CondenseError> {
    let boundaries = Boundaries::new(request, fold);
    let lines = boundaries.room_of_lines(budget);
    let naming = (lines > 0).then(|| boundaries.naming_lines());
    let Some(best) = best_within(&boundaries, budget - lines)? else {
        return Ok((Proposal::default(), false));
    };
    let shown = match (naming, best.boundary) {
        (Some(naming), Some(boundary)) => naming.best(boundary, best.state.conversation(), lines as f32),
        _ => ShownLines::default(),
    };
    let best = boundaries.filled(best, &shown, budget)?;
    Ok((best.state.into_proposal(request), best.tokens <= budget))
}

/// Returns the fold within the budget that folds least; the smallest one if none is within it.
fn best_within(boundaries: &Boundaries<'_>, budget: usize) -> Result<Option<Tried>, CondenseError> {
    let room = boundaries.room(budget);
    let mut tried: Option<Tried> = None;
    // Binary search: places before `rest` fold too little, and places from `done` on fold enough.
    let (mut rest, mut done) = (0, boundaries.count());
    let mut next = boundaries.at(budget);
    for _ in 0..TRIES {
        let boundary = boundaries.boundary(next);
        let fold = boundaries.tried((boundary, room.max(boundaries.least_room(boundary, budget))), budget)?;
        let is_done = fold.tokens <= budget && fold.crowded == Crowded::Nothing;
        let is_close = fold.is_close(budget);
        if tried.as_ref().is_none_or(|tried| fold.is_better_than(tried, budget)) {
            tried = Some(fold);
        }
        if is_done {
            done = next;
        } else {
            rest = next + 1;
        }
        if (is_done && is_close) || rest >= done {
            break;
        }
        next = boundaries.halfway(rest..done);
    }
    let Some(mut best) = tried else { return Ok(None) };
    // If the messages after the boundary cannot be shortened further, the story is, but not below its least tokens.
    let least = boundaries.least_room(best.boundary, budget);
    let mut room = room.max(least);
    for _ in 0..SHORTER {
        if best.tokens <= budget || room == least || best.boundary.is_none() {
            break;
        }
        room = room.saturating_sub((best.tokens - budget) * 9 / 8 + 8).max(least);
        let next = boundaries.tried((best.boundary, room), budget)?;
        best = if next.tokens < best.tokens { next } else { best };
    }
    Ok(Some(best))
}

/// A fold at one boundary.
struct Tried {
    /// The first message that is kept; `None` if nothing is folded.
    boundary: Option<usize>,
    /// Tokens of the result.
    tokens: usize,
    /// The texts that are cut though they should stay, which folding more would avoid.
    crowded: Crowded,
    /// Tokens of the story; 0 if there is none.
    story: usize,
    /// The edits that shorten the kept messages.
    shortened: Option<Proposal>,
    state: State,
}

impl Tried {
    /// Returns true if the fold uses most of the budget.
    fn is_close(&self, budget: usize) -> bool {
        self.tokens as f64 >= budget as f64 * CLOSE_ENOUGH
    }

    /// Returns true if this fold is better. If both fit, the better one cuts fewer texts that should stay, or else has
    /// more tokens. If neither fits, it is the smaller one.
    fn is_better_than(&self, other: &Self, budget: usize) -> bool {
        match (self.tokens <= budget, other.tokens <= budget) {
            (true, true) => (Reverse(self.crowded), self.tokens) > (Reverse(other.crowded), other.tokens),
            (false, false) => self.tokens < other.tokens,
            (fits, _) => fits,
        }
    }

    /// Shortens the kept messages.
    fn shorten(&mut self, fold: &Fold<'_>, proposal: Proposal) -> Result<(), CondenseError> {
        self.shortened = Some(proposal.clone());
        self.state.apply(fold.provider, proposal)?;
        self.tokens = self.state.request.tally.total();
        Ok(())
    }
}

impl From<Why> for Note {
    fn from(Why { message, block, reason }: Why) -> Self {
        Self { message, block: Some(block), operation: "salient", reason, grade: None }
    }
}

/// Converts an error of salience into an error of the provider.
pub fn failed(provider: &str, error: SalienceError) -> CondenseError {
    match error {
        SalienceError::Cancelled(cancelled) => cancelled.into(),
        SalienceError::Plan(source) => CondenseError::InvalidPlan { provider: provider.to_owned(), source },
    }
}

/// The places at which the conversation may be folded.
struct Boundaries<'a> {
    request: &'a Request,
    fold: &'a Fold<'a>,
    /// The story's source, built on first use.
    telling: OnceCell<Telling<'a>>,
    /// Index of the first message that the story may replace.
    start: usize,
    /// Indices of messages that may be the first kept one, in order.
    clean: Vec<usize>,
    /// For each message, the tokens from this message to the end.
    from: Vec<usize>,
    /// The same, including estimated tokens that earlier condensations removed.
    unshortened: Vec<usize>,
}

impl<'a> Boundaries<'a> {
    fn new(request: &'a Request, fold: &'a Fold<'a>) -> Self {
        let conversation = &request.conversation;
        let begins = |message: usize| {
            let role = |message: usize| conversation.entries().get(message).map(|entry| &entry.message.role);
            message > 0 && role(message - 1) == Some(&Role::User) && role(message) == Some(&Role::Assistant)
        };
        let end = conversation.len().saturating_sub(fold.preserve_recent);
        let start =
            (conversation.head()..conversation.len()).find(|message| begins(*message)).unwrap_or(conversation.len());
        let seams = Seams::new(conversation, start);
        let clean = (start + 1..=end).filter(|message| begins(*message) && seams.is_clean(*message)).collect();
        let left_out = left_out(request);
        let mut from = vec![0; conversation.len() + 1];
        let mut unshortened: Vec<usize> = from.clone();
        for message in (0..conversation.len()).rev() {
            let tokens = request.tally.message(message);
            from[message] = from[message + 1] + tokens;
            unshortened[message] = unshortened[message + 1].saturating_add(tokens.saturating_add(left_out[message]));
        }
        Self { request, fold, telling: OnceCell::new(), start, clean, from, unshortened }
    }

    /// Returns the token budget of the story.
    fn room(&self, budget: usize) -> usize {
        let stays = (budget as f64 / self.request.tally.total().max(1) as f64).min(1.0);
        let share = STORY * (1.0 - stays).powi(4) * self.fold.part;
        (budget.saturating_sub(self.before()) as f64 * share) as usize
    }

    /// Returns the minimum tokens of the story before this boundary: an earlier story unchanged and the user's words,
    /// up to half of the budget.
    fn least_room(&self, boundary: Option<usize>, budget: usize) -> usize {
        boundary.map_or(0, |boundary| self.telling().least(boundary).min(budget / 2))
    }

    /// Returns the tokens before the messages that the story may replace.
    fn before(&self) -> usize {
        self.from[0] - self.from[self.start]
    }

    /// Returns the number of places. The first folds nothing, and each folds more than the previous one.
    fn count(&self) -> usize {
        1 + self.clean.len()
    }

    /// Returns the first kept message of a fold at this place; `None` if it folds nothing.
    fn boundary(&self, place: usize) -> Option<usize> {
        place.checked_sub(1).and_then(|place| self.clean.get(place).copied())
    }

    /// Returns the first place at which the kept messages fit their budget.
    fn at(&self, budget: usize) -> usize {
        let room = budget.saturating_sub(self.before() + self.room(budget));
        let most = (room as f64 * BEHIND) as usize;
        // Messages that were shortened earlier count with their original size. This size comes from the text of
        // markers, so a text could inflate it. Hence messages whose current size fits the budget always fit.
        let stands = |message: usize| self.unshortened[message] <= most || self.from[message] <= room;
        (0..self.count()).find(|place| stands(self.boundary(*place).unwrap_or(self.start))).unwrap_or(self.clean.len())
    }

    /// Returns the place at which the kept tokens are halfway between those of the first and of the last place.
    fn halfway(&self, places: Range<usize>) -> usize {
        let from = |place: usize| self.from[self.boundary(place).unwrap_or(self.start)];
        let half = usize::midpoint(from(places.start), from(places.end - 1));
        places.clone().find(|place| from(*place) <= half).unwrap_or(places.start)
    }

    /// Folds at this boundary with a story of `room` tokens, and shortens the kept messages if the result exceeds the
    /// budget.
    fn tried(&self, (boundary, room): (Option<usize>, usize), budget: usize) -> Result<Tried, CondenseError> {
        let story = boundary.map(|boundary| self.story(boundary, room, &ShownLines::default()));
        let mut tried = self.applied(boundary, story)?;
        if tried.tokens > budget {
            let salience = Salience::all_signals(self.fold.preserve_recent);
            let kept = salience
                .within(tried.state.request.history(), budget)
                .map_err(|error| failed(self.fold.provider, error))?;
            let notes = kept.reasons.into_iter().map(Note::from).collect();
            tried.crowded = kept.crowded;
            tried.shorten(self.fold, Proposal { notes, plan: kept.plan, ..Proposal::default() })?;
        }
        Ok(tried)
    }

    /// Folds at this boundary, with this story.
    fn applied(&self, boundary: Option<usize>, story: Option<String>) -> Result<Tried, CondenseError> {
        let mut state = State::new(self.request.clone());
        let mut tokens = 0;
        if let (Some(boundary), Some(story)) = (boundary, story) {
            match state.apply(self.fold.provider, self.told(boundary, &story)) {
                // The story would be longer than the few messages that it replaces, so these are kept.
                Err(CondenseError::ContextGrew { .. }) => {}
                told => {
                    drop(told?);
                    tokens = count_inside(&story, self.request.tally.encoding()).tokens;
                }
            }
        }
        let all = state.request.tally.total();
        Ok(Tried { boundary, tokens: all, crowded: Crowded::Nothing, story: tokens, shortened: None, state })
    }

    /// Tells the story again with these lines of results, in the room that the fold leaves. Boundaries are only between
    /// rounds, so without this a long round that has to be folded would leave most of the budget unused.
    fn filled(&self, best: Tried, lines: &ShownLines, budget: usize) -> Result<Tried, CondenseError> {
        let Some(boundary) = best.boundary.filter(|_| best.story > 0) else { return Ok(best) };
        if lines.is_empty() && best.is_close(budget) {
            return Ok(best);
        }
        let mut room = best.story + budget.saturating_sub(best.tokens);
        for _ in 0..SHORTER {
            let story = self.story(boundary, room, lines);
            let mut next = self.applied(Some(boundary), Some(story))?;
            // The cuts in `best` were chosen with a story, so they do not apply without one.
            if next.story == 0 {
                break;
            }
            if let Some(shortened) = &best.shortened {
                next.shorten(self.fold, shortened.clone())?;
            }
            if next.tokens <= budget {
                return Ok(Tried { crowded: best.crowded, ..next });
            }
            room = room.saturating_sub(next.tokens - budget);
        }
        Ok(best)
    }

    /// Returns the token budget for lines of results; 0 if nothing has to be folded.
    fn room_of_lines(&self, budget: usize) -> usize {
        if self.at(budget) == 0 {
            return 0;
        }
        let stays = (budget as f64 / self.request.tally.total().max(1) as f64).min(1.0);
        (budget as f64 * LINES * (1.0 - stays).powi(2) * self.fold.part) as usize
    }

    /// Returns the messages that the story may replace.
    fn messages(&self) -> Range<usize> {
        self.start..self.clean.last().copied().unwrap_or(self.start)
    }

    /// Returns these messages as the story's source, read on first use.
    fn telling(&self) -> &Telling<'a> {
        self.telling.get_or_init(|| {
            let Request { conversation, tools, tally, .. } = self.request;
            Telling::new(conversation, tools, tally.encoding(), self.messages(), self.fold.is_known)
        })
    }

    /// Returns the lines of these messages that may be added to the story. Another thread that has time finds them, while
    /// this one reads the story's source.
    fn naming_lines(&self) -> NamingLines<'a> {
        let (Request { conversation, tools, tally, .. }, messages) = (self.request, self.messages());
        let bytes = conversation.bytes();
        let tokens_per_byte = tally.total() as f32 / bytes.max(1) as f32;
        let find = || NamingLines::new(conversation, tools, &messages, tokens_per_byte);
        both(bytes, || self.telling(), find).1
    }

    /// Returns the story of the messages before this boundary.
    fn story(&self, boundary: usize, room: usize, shown: &ShownLines) -> String {
        self.telling().told(boundary, room, shown).unwrap_or_else(|| LEFT_OUT_HERE.to_owned())
    }

    /// Returns the proposal that replaces the messages before the boundary by the story.
    fn told(&self, boundary: usize, text: &str) -> Proposal {
        let conversation = &self.request.conversation;
        let mut plan = Plan::default();
        plan.edits.extend((self.start..boundary).map(|message| Edit::Drop { message }));
        plan.edits.extend(pair(conversation, boundary, text, self.request.call.recall));
        let dropped = (self.start..boundary).map(|message| Note {
            message,
            block: None,
            operation: "drop",
            reason: said!("change.drop"),
            grade: None,
        });
        let reason = said!("change.log");
        let log = Note { message: boundary, block: None, operation: "log", reason, grade: None };
        Proposal { notes: dropped.chain([log]).collect(), plan, ..Proposal::default() }
    }
}

/// Estimates the tokens that earlier condensations removed from each message. Markers state the number of lines, which
/// are assumed to be as long as the remaining ones.
fn left_out(request: &Request) -> Vec<usize> {
    let texts = request.conversation.texts();
    let lines = |texts: &Vec<TextAt<'_>>| {
        texts.iter().fold((0, 0_usize), |(all, left_out), TextAt { text, .. }| {
            let (lines, missing) = NoteLine::count(text);
            (all + lines, left_out.saturating_add(missing))
        })
    };
    let lines: Vec<(usize, usize)> = texts.iter().map(lines).collect();
    let all: usize = lines.iter().map(|(all, _)| all).sum();
    let each = request.tally.total() as f64 / all.max(1) as f64;
    lines.into_iter().map(|(_, left_out)| (left_out as f64 * each) as usize).collect()
}

/// Returns the two messages that replace the folded ones. The assistant's says that messages were left out, and how to
/// recall them. The user's is the story.
fn pair(conversation: &Conversation, before: usize, story: &str, recall: bool) -> impl Iterator<Item = Edit> {
    let next = conversation.entries().get(before).map(|entry| entry.message.clone());
    let left_out = with_way_back(LEFT_OUT_HERE, recall);
    [(Role::Assistant, left_out), (Role::User, story.to_owned())].into_iter().map(move |(role, text)| {
        let message = Message::new(role, Content::Text(text));
        let message = if let Some(next) = &next { message.with_time_of(next) } else { message };
        Edit::Insert { before, value: message.into() }
    })
}
