//! How likely a name or a line is to be used again, from what the conversation itself shows: the formulas, whose numbers are in `coefficients.rs`.

use super::coefficients::{Coefficients, FITTED};
use crate::transcript::Meaning;

/// The weights in force.
#[derive(Debug, Clone, Copy)]
pub struct Weights {
    of: Coefficients,
}

/// What is known of a name.
#[derive(Debug, Clone, Copy, Default)]
pub struct NameFacts {
    /// Messages of the older part that it stands in.
    pub messages: u32,
    /// The newest of them.
    pub last: usize,
    /// Messages in which the assistant used it in a call.
    pub uses: u32,
    /// The newest of them.
    pub last_use: usize,
    /// It stands in what stays anyway, so it needs no keeping.
    pub stays: bool,
}

impl NameFacts {
    /// The name stands in this message, which is no older than those before.
    pub fn note(&mut self, message: usize, is_use: bool) {
        if self.messages == 0 || self.last != message {
            self.messages += 1;
            self.last = message;
        }
        if is_use && (self.uses == 0 || self.last_use != message) {
            self.uses += 1;
            self.last_use = message;
        }
    }
}

/// Where a line stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The words of the user.
    User,
    /// The words of the assistant.
    Assistant,
    /// The parameters of a call with this meaning.
    Parameters(Meaning),
    /// The answer to a call with this meaning.
    Result(Meaning),
    /// The output of a command line that shows files or their changes.
    Shown,
    /// What the host says in the user's place.
    Host,
    /// A snapshot of the host's environment.
    Environment,
    /// An earlier log.
    Log,
}

impl Origin {
    /// Whether the assistant wrote it.
    pub fn is_own(self) -> bool {
        matches!(self, Self::Assistant | Self::Parameters(_))
    }

    /// Which of [`KINDS`] kinds of texts it is of: four that the assistant writes, and all others.
    pub fn kind(self) -> usize {
        match self {
            Self::Assistant => 0,
            Self::Parameters(Meaning::Write | Meaning::Edit) => 1,
            Self::Parameters(Meaning::Command) => 2,
            Self::Parameters(_) => 3,
            _ => 4,
        }
    }
}

/// How many kinds of texts there are.
pub const KINDS: usize = 5;

/// The tokens of the older messages that follow a text.
#[derive(Debug, Clone, Copy)]
pub struct Following {
    /// Of all messages behind its round.
    pub all: f32,
    /// Of texts of its own kind.
    pub same: f32,
}

impl Default for Weights {
    fn default() -> Self {
        Self { of: FITTED }
    }
}

impl Weights {
    /// The chance that a name is used again. `now` is the number of messages.
    pub fn name(self, facts: &NameFacts, now: usize) -> f32 {
        if facts.stays {
            return 0.0;
        }
        let age = |message: usize| as_float(now.saturating_sub(message).max(1));
        let mut logit = self.of.name;
        logit += self.of.name_messages * as_float(facts.messages as usize).ln_1p();
        logit += self.of.name_age * age(facts.last).ln();
        if facts.uses > 0 {
            logit += self.of.name_uses * as_float(facts.uses as usize).ln_1p()
                + self.of.name_last_use / (1.0 + age(facts.last_use) / 10.0);
        }
        1.0 / (1.0 + (-logit).exp())
    }

    /// The value, for each token, of a passage in a message that is `age` messages old: how likely it is to be edited or written next. For a budget of a
    /// quarter of the conversation; [`Weights::for_share`] tells how it changes with the budget.
    pub fn passage(self, origin: Origin, age: usize) -> f32 {
        let kind = match origin {
            Origin::Parameters(Meaning::Write | Meaning::Edit) => self.of.of_change,
            Origin::Result(Meaning::Write | Meaning::Edit) => self.of.of_change_answer,
            Origin::Result(Meaning::Read) => self.of.of_read,
            Origin::Parameters(Meaning::Command | Meaning::Plan | Meaning::Ask) => self.of.of_command,
            Origin::Parameters(_) => self.of.of_other_call,
            Origin::Shown => self.of.of_shown,
            Origin::User | Origin::Assistant => self.of.of_words,
            Origin::Result(_) => self.of.of_answer,
            Origin::Host => self.of.of_host,
            Origin::Environment => self.of.of_environment,
            Origin::Log => 0.0,
        };
        self.of.passage * kind * (-self.of.passage_age * as_float(age)).exp()
    }

    /// By how much a passage of so many tokens and this age is worth more or less where this share of the conversation may stay.
    pub fn for_share(self, origin: Origin, age: usize, tokens: usize, share: f32) -> f32 {
        self.room(origin, share) * self.reach(share, age) * self.read(origin, tokens).powf(shortage(share))
    }

    /// By how much what was read is worth more the less of it there is: what is edited next was mostly read in part.
    fn read(self, origin: Origin, tokens: usize) -> f32 {
        if origin != Origin::Result(Meaning::Read) {
            return 1.0;
        }
        (1000.0 / as_float(tokens.max(1))).powf(self.of.read_size).clamp(0.3, 3.0)
    }

    /// By how much a passage of this age is worth more when more than a quarter of the conversation may stay, or less when less may: what is edited again
    /// lies as far back as there is room, down to an eighth.
    fn reach(self, share: f32, age: usize) -> f32 {
        let decay = self.of.passage_age * (0.25 / share.max(0.125));
        ((self.of.passage_age - decay) * as_float(age)).exp()
    }

    /// By how much a passage is worth more or less when this share of the conversation may stay: where much may, names are readable anyway and whole
    /// passages of files and of words are what is left to gain; where little may, a passage costs the place of many names.
    fn room(self, origin: Origin, share: f32) -> f32 {
        let to = |power: f32| (4.0 * share).powf(power);
        match origin {
            Origin::Parameters(Meaning::Write | Meaning::Edit) => {
                to(self.of.room_of_change).max(self.of.least_room_of_change)
            }
            Origin::Result(Meaning::Read) => to(self.of.room_of_read),
            Origin::Assistant => to(self.of.room_of_words),
            Origin::Parameters(Meaning::Command) => to(self.of.room_of_command),
            _ => 1.0,
        }
    }

    /// What a passage is worth besides, for each token, when this follows it and `budget` is for all: the assistant goes on from what it said, planned and
    /// did last, so that stays as a whole where it lies within a part of the budget. A plan is worth most, and what was run or changed holds for longest.
    /// Words, and calls of other tools, are few among much that is long, and what stands between them says nothing of how new they are: they are worth
    /// more as far back as their own kind goes.
    pub fn late(self, origin: Origin, following: Following, budget: f32) -> f32 {
        let within = |most: f32, tokens: f32, part: f32| most * (-tokens / (part * budget.max(1.0))).exp();
        let Following { all, same } = following;
        let of_all = match origin {
            Origin::Parameters(Meaning::Plan | Meaning::Ask) => within(self.of.late_plan, all, 0.3),
            Origin::Parameters(Meaning::Todo | Meaning::Item) => within(self.of.late_list, all, 0.4),
            Origin::Parameters(Meaning::Command | Meaning::Write | Meaning::Edit) => {
                within(self.of.late_work, all, 0.5)
            }
            _ => 0.0,
        };
        let of_kind = match origin {
            Origin::Assistant => within(self.of.late_words, same, 0.03),
            Origin::Parameters(Meaning::Command | Meaning::Write | Meaning::Edit) => 0.0,
            Origin::Parameters(_) => within(self.of.late_call, same, 0.05),
            _ => 0.0,
        };
        of_all + of_kind
    }

    /// What a line is worth besides, for each token, with which the summary of an earlier session ends: what is to be done and what was under way. Nothing
    /// else in the conversation says it, so it is worth more than most passages at any budget.
    pub fn handed_over(self) -> f32 {
        self.of.handed_over
    }

    /// What a line of the newest messages is worth besides, for each token, where words are worth so much.
    pub fn newest(self, words: f32) -> f32 {
        self.of.newest * words
    }

    /// By how much a line is worth more that the assistant wrote in so many messages: what it wrote twice it is likely to write again.
    pub fn written(self, times: usize) -> f32 {
        1.0 + self.of.written * as_float(times.max(1)).ln()
    }

    /// Which part of what a line is worth in a passage it is worth on its own, next to one that stays.
    pub fn beside(self) -> f32 {
        self.of.beside
    }

    /// What a name is worth that is readable in `covered` places already.
    pub fn again(self, covered: usize) -> f32 {
        (0..covered).fold(1.0, |worth, _| worth * self.of.name_again)
    }

    /// What a line is worth, as part of a passage, that an edit has replaced since.
    pub fn replaced(self) -> f32 {
        self.of.replaced
    }
}

/// From 0, where there is room for all that files are worth keeping of, to 1.
fn shortage(share: f32) -> f32 {
    ((0.45 - share) / 0.2).clamp(0.0, 1.0)
}

/// What a token is worth that says nothing new: less than anything else, but when there is room it stays where it was.
pub const LEFTOVER: f32 = 1e-6;

/// A count as a number to reckon with; exact up to 16 million.
pub fn as_float(count: usize) -> f32 {
    count as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_again_counts_for_more_and_what_was_done_last_most() {
        let weights = Weights::default();
        assert!(weights.written(1) < weights.written(2) && weights.written(2) < weights.written(5));
        let command = Origin::Parameters(Meaning::Command);
        let late = |origin, tokens| weights.late(origin, Following { all: tokens, same: tokens }, 1000.0);
        assert!(late(command, 0.0) > late(command, 900.0));
        assert!(late(Origin::Parameters(Meaning::Plan), 100.0) > late(Origin::Assistant, 100.0));
        assert_eq!(late(Origin::Result(Meaning::Command), 0.0), 0.0);
        let words = |all, same| weights.late(Origin::Assistant, Following { all, same }, 1000.0);
        assert!(words(900.0, 0.0) == words(0.0, 0.0), "what others said since makes no difference to words");
        assert!(words(0.0, 0.0) > words(0.0, 100.0));
    }

    #[test]
    fn what_was_read_in_part_counts_for_more_where_room_is_short() {
        let weights = Weights::default();
        let value = |origin, age, tokens, share| weights.for_share(origin, age, tokens, share);
        let read = Origin::Result(Meaning::Read);
        assert!(value(read, 10, 300, 0.25) > value(read, 10, 3000, 0.25));
        assert_eq!(value(read, 10, 300, 0.5), value(read, 10, 3000, 0.5), "room for all");
        assert_eq!(value(Origin::Assistant, 10, 300, 0.25), value(Origin::Assistant, 10, 3000, 0.25));
    }

    #[test]
    fn where_more_may_stay_it_lies_further_back() {
        let weights = Weights::default();
        assert!(weights.reach(0.5, 100) > weights.reach(0.3, 100) && weights.reach(0.5, 100) > weights.reach(0.5, 10));
        assert!(weights.reach(0.15, 100) < weights.reach(0.2, 100) && weights.reach(0.2, 100) < 1.0);
        assert_eq!((weights.reach(0.25, 100), weights.reach(0.05, 100)), (1.0, weights.reach(0.125, 100)));
    }
}
