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

    /// The value, for each token, of a passage in a message that is `age` messages old: how likely it is to be edited or written next.
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

    /// By how much a line is worth more that the assistant wrote in so many messages: what it wrote twice it is likely to write again.
    pub fn written(self, times: usize) -> f32 {
        1.0 + self.of.written * as_float(times.max(1)).ln()
    }

    /// What a token is worth of a line that says how a call ended or where it failed.
    pub fn telling(self) -> f32 {
        self.of.telling
    }

    /// What a token of the newest messages is worth besides, where they cannot stay whole.
    pub fn newest(self) -> f32 {
        self.of.newest
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

/// What a token is worth that says nothing new: less than anything else, but when there is room it stays where it was.
pub const LEFTOVER: f32 = 1e-6;

/// A count as a number to reckon with; exact up to 16 million.
pub fn as_float(count: usize) -> f32 {
    count as f32
}
