//! The fold: one boundary in the conversation. Messages before it are told in one text, the story; messages behind it stand in place, shortened by salience where
//! the room asks for it.

use std::{cell::OnceCell, ops::Range};

use super::{CondenseError, Note, Proposal, Request, State, seams::Seams};
use crate::{
    conversation::{Content, Conversation, Edit, Message, Plan, Role, TextAt},
    markers::{LEFT_OUT_HERE, NoteLine, with_way_back},
    salience::{LeftOut, Salience, SalienceError, Why},
    story::{ShownLines, Telling},
    tokens::count_inside,
    words::said,
};

/// The story has this share of the target, times the fourth power of the share of the conversation that has no room in it: .52 where a tenth may stay, .25 at a
/// quarter, .05 at half, where nearly everything stands. Chosen with the reading test, and names and edits (docs/decisions/0014-fold.md).
const STORY: f64 = 0.8;
/// Besides, the story has lines of results for this share of the target, times the square of that share: .10, .07 and .03.
const LINES: f64 = 0.12;
/// Messages behind the boundary have so many times the tokens of their room before they are shortened, by this condensation or earlier ones.
const BEHIND: f64 = 3.0;
/// Boundaries that are tried at most.
const TRIES: usize = 6;
/// A result within this share of the target is good enough.
const CLOSE_ENOUGH: f64 = 0.9;
/// So often the story is told in less room, where nothing else gives way: how much telling in a room takes is estimated.
const SHORTER: usize = 3;

/// How a conversation is folded.
pub struct Fold<'a> {
    /// The provider that does it.
    pub provider: &'static str,
    /// The newest messages, which stay in place.
    pub preserve_recent: usize,
    /// The share of the story is this part of what it would be: a summary tells most of it.
    pub part: f64,
    /// Returns true for a line that is told elsewhere.
    pub is_known: &'a dyn Fn(&str) -> bool,
}

/// Folds to at most `budget` tokens (unscaled), or to the least there is, and says whether they are reached.
///
/// # Errors
/// When the work is cancelled, or its plan does not fit.
pub fn folded(request: &Request, fold: &Fold<'_>, budget: usize) -> Result<(Proposal, bool), CondenseError> {
    let boundaries = Boundaries::new(request, fold);
    let lines = boundaries.room_of_lines(budget);
    let Some(best) = best_within(&boundaries, budget - lines)? else {
        return Ok((Proposal::default(), false));
    };
    let best = boundaries.with_lines(best, (lines, budget))?;
    Ok((best.state.into_proposal(request), best.tokens <= budget))
}

/// The fold within the budget that folds least; the smallest where none is within it.
fn best_within(boundaries: &Boundaries<'_>, budget: usize) -> Result<Option<Tried>, CondenseError> {
    let room = boundaries.room(budget);
    let mut tried: Option<Tried> = None;
    // Before `rest` too little is folded, from `done` on enough.
    let (mut rest, mut done) = (0, boundaries.count());
    let mut next = boundaries.at(budget);
    for _ in 0..TRIES {
        let boundary = boundaries.boundary(next);
        let fold = boundaries.tried((boundary, room.max(boundaries.least_room(boundary, budget))), budget)?;
        let is_done = fold.tokens <= budget && !fold.crowds_newest;
        let is_close = fold.tokens as f64 >= budget as f64 * CLOSE_ENOUGH;
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
    // Where no message behind the boundary gives way, the story does, down to the words of the user.
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
    /// The first message that stands; `None` where nothing is folded.
    boundary: Option<usize>,
    /// Tokens that it leaves.
    tokens: usize,
    /// The newest messages are cut, which they were not if more was folded.
    crowds_newest: bool,
    /// The tokens of the story; 0 where nothing is told.
    story: usize,
    /// How what stands is shortened.
    shortened: Option<Proposal>,
    state: State,
}

impl Tried {
    /// Returns true where both fit and it cuts the newest messages less or leaves more, and where neither fits and it is smaller.
    fn is_better_than(&self, other: &Self, budget: usize) -> bool {
        match (self.tokens <= budget, other.tokens <= budget) {
            (true, true) => (!self.crowds_newest, self.tokens) > (!other.crowds_newest, other.tokens),
            (false, false) => self.tokens < other.tokens,
            (fits, _) => fits,
        }
    }
}

impl Tried {
    /// Shortens what stands.
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

/// The error where nothing could be chosen.
pub fn failed(provider: &str, error: SalienceError) -> CondenseError {
    match error {
        SalienceError::Cancelled(cancelled) => cancelled.into(),
        SalienceError::Plan(source) => CondenseError::InvalidPlan { provider: provider.to_owned(), source },
    }
}

/// Where the conversation may be folded.
struct Boundaries<'a> {
    request: &'a Request,
    fold: &'a Fold<'a>,
    /// The messages as they are told.
    telling: OnceCell<Telling<'a>>,
    /// The first message that may be told.
    start: usize,
    /// Messages with which what stands may begin, in order.
    clean: Vec<usize>,
    /// Tokens from each message on.
    from: Vec<usize>,
    /// The same, with what earlier condensations left out there.
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

    /// Tokens of the story.
    fn room(&self, budget: usize) -> usize {
        let stays = (budget as f64 / self.request.tally.total().max(1) as f64).min(1.0);
        let share = STORY * (1.0 - stays).powi(4) * self.fold.part;
        (budget.saturating_sub(self.before()) as f64 * share) as usize
    }

    /// Tokens that the words of the user before this boundary have at least: all that they need, up to half of the budget.
    fn least_room(&self, boundary: Option<usize>, budget: usize) -> usize {
        boundary.map_or(0, |boundary| self.telling().least(boundary).min(budget / 2))
    }

    /// Tokens before the messages that may be told.
    fn before(&self) -> usize {
        self.from[0] - self.from[self.start]
    }

    /// The number of places where it may be folded, of which the first folds nothing, and each folds more than the one before.
    fn count(&self) -> usize {
        1 + self.clean.len()
    }

    /// The first message that stands in this place.
    fn boundary(&self, place: usize) -> Option<usize> {
        place.checked_sub(1).and_then(|place| self.clean.get(place).copied())
    }

    /// The first place where the messages that stand have room.
    fn at(&self, budget: usize) -> usize {
        let room = budget.saturating_sub(self.before() + self.room(budget));
        let most = (room as f64 * BEHIND) as usize;
        // A message that was shortened before counts with what it had. But no text can leave the room unused by what it says of itself.
        let stands = |message: usize| self.unshortened[message] <= most || self.from[message] <= room;
        (0..self.count()).find(|place| stands(self.boundary(*place).unwrap_or(self.start))).unwrap_or(self.clean.len())
    }

    /// The place among these where half of the tokens stand that stand in the first more than in the last.
    fn halfway(&self, places: Range<usize>) -> usize {
        let from = |place: usize| self.from[self.boundary(place).unwrap_or(self.start)];
        let half = usize::midpoint(from(places.start), from(places.end - 1));
        places.clone().find(|place| from(*place) <= half).unwrap_or(places.start)
    }

    /// Tells what is before this boundary in so many tokens, and shortens what stands behind it.
    fn tried(&self, (boundary, room): (Option<usize>, usize), budget: usize) -> Result<Tried, CondenseError> {
        let story = boundary.map(|boundary| self.story(boundary, room, &ShownLines::default()));
        let mut tried = self.applied(boundary, story)?;
        if tried.tokens > budget {
            let salience = Salience::all_signals(self.fold.preserve_recent);
            let kept = salience
                .within(tried.state.request.history(), budget)
                .map_err(|error| failed(self.fold.provider, error))?;
            let notes = kept.reasons.into_iter().map(Note::from).collect();
            tried.crowds_newest = kept.crowds_newest;
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
                // So little is before the boundary that telling it takes more: it stands.
                Err(CondenseError::ContextGrew { .. }) => {}
                told => {
                    drop(told?);
                    tokens = count_inside(&story, self.request.tally.encoding()).tokens;
                }
            }
        }
        let all = state.request.tally.total();
        Ok(Tried { boundary, tokens: all, crowds_newest: false, story: tokens, shortened: None, state })
    }

    /// Tells lines of results, too, for names that nothing that stays has.
    fn with_lines(&self, best: Tried, (lines, budget): (usize, usize)) -> Result<Tried, CondenseError> {
        let Some(boundary) = best.boundary.filter(|_| lines > 0 && best.story > 0) else { return Ok(best) };
        let left_out = LeftOut {
            conversation: &self.request.conversation,
            messages: self.start..boundary,
            tools: &self.request.tools,
            tokens_per_byte: self.request.tally.total() as f32 / self.request.conversation.bytes().max(1) as f32,
        };
        let lines = left_out.naming_lines(best.state.conversation(), lines as f32);
        if lines.is_empty() {
            return Ok(best);
        }
        let mut room = best.story + budget.saturating_sub(best.tokens);
        for _ in 0..SHORTER {
            let story = self.story(boundary, room, &lines);
            let mut next = self.applied(Some(boundary), Some(story))?;
            // The cuts were chosen behind a story.
            if next.story == 0 {
                break;
            }
            if let Some(shortened) = &best.shortened {
                next.shorten(self.fold, shortened.clone())?;
            }
            if next.tokens <= budget {
                return Ok(Tried { crowds_newest: best.crowds_newest, ..next });
            }
            room = room.saturating_sub(next.tokens - budget);
        }
        Ok(best)
    }

    /// Tokens for lines of results. None where everything stands.
    fn room_of_lines(&self, budget: usize) -> usize {
        if self.at(budget) == 0 {
            return 0;
        }
        let stays = (budget as f64 / self.request.tally.total().max(1) as f64).min(1.0);
        (budget as f64 * LINES * (1.0 - stays).powi(2) * self.fold.part) as usize
    }

    /// The messages that may be told, read once they are needed.
    fn telling(&self) -> &Telling<'a> {
        self.telling.get_or_init(|| {
            let messages = self.start..self.clean.last().copied().unwrap_or(self.start);
            Telling::new(
                &self.request.conversation,
                &self.request.tools,
                self.request.tally.encoding(),
                messages,
                self.fold.is_known,
            )
        })
    }

    /// The story of the messages before this boundary.
    fn story(&self, boundary: usize, room: usize, shown: &ShownLines) -> String {
        self.telling().told(boundary, room, shown).unwrap_or_else(|| LEFT_OUT_HERE.to_owned())
    }

    /// Puts the story in the place of the messages before the boundary.
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

/// Estimates the tokens that earlier condensations left out of each message: markers count lines, which are taken to be as long as those that are there.
fn left_out(request: &Request) -> Vec<usize> {
    let texts = request.conversation.texts();
    let lines = |texts: &Vec<TextAt<'_>>| {
        let lines = texts.iter().flat_map(|text| text.text.lines());
        lines.fold((0, 0_usize), |(all, left_out), line| {
            (all + 1, left_out.saturating_add(NoteLine::lines_left_out(line)))
        })
    };
    let lines: Vec<(usize, usize)> = texts.iter().map(lines).collect();
    let all: usize = lines.iter().map(|(all, _)| all).sum();
    let each = request.tally.total() as f64 / all.max(1) as f64;
    lines.into_iter().map(|(_, left_out)| (left_out as f64 * each) as usize).collect()
}

/// The two messages in the place of those that are told: the assistant's says that they were left out, and how they are had back; the user's is the story.
fn pair(conversation: &Conversation, before: usize, story: &str, recall: bool) -> impl Iterator<Item = Edit> {
    let next = conversation.entries().get(before).map(|entry| entry.message.clone());
    let left_out = with_way_back(LEFT_OUT_HERE, recall);
    [(Role::Assistant, left_out), (Role::User, story.to_owned())].into_iter().map(move |(role, text)| {
        let message = Message::new(role, Content::Text(text));
        let message = if let Some(next) = &next { message.with_time_of(next) } else { message };
        Edit::Insert { before, value: message.into() }
    })
}
