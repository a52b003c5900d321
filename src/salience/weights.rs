//! Formulas for the chance that a name or a line is used again, from the conversation alone. The numbers are in
//! `coefficients.rs`.

use super::coefficients::{Coefficients, FITTED};
use crate::transcript::Meaning;

/// The weights in use.
#[derive(Debug, Clone, Copy)]
pub struct Weights {
    of: Coefficients,
}

/// The uses of a name up to now.
#[derive(Debug, Clone, Copy, Default)]
pub struct NameFacts {
    /// Number of older messages that contain the name.
    pub messages: u32,
    /// Index of the newest message that contains the name.
    pub last: usize,
    /// Number of messages in which the assistant used the name in a call.
    pub uses: u32,
    /// Index of the newest message in which the assistant used the name in a call.
    pub last_use: usize,
    /// True if the name is in a text that is kept anyway, so no line has to be kept for it.
    pub stays: bool,
}

impl NameFacts {
    /// Counts an occurrence in `message`. Messages are given in order.
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

/// The origin of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The user's words.
    User,
    /// The assistant's words.
    Assistant,
    /// The parameters of a call with this meaning.
    Parameters(Meaning),
    /// The result of a call with this meaning.
    Result(Meaning),
    /// The output of a command line that shows files or their changes.
    Shown,
    /// Text that the host injected in the user's role.
    Host,
    /// A snapshot of the environment.
    Environment,
    /// A story that an earlier condensation wrote.
    Log,
}

impl Origin {
    /// Returns true if the assistant wrote the text.
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
    /// Returns the chance that a name is used again. `now` is the number of messages.
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

    /// Returns the worth per token of a passage in a message that is `age` messages old. It grows with the chance that
    /// the passage is edited or written again.
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

    /// Returns the factor on the worth of a line that the assistant wrote in `times` messages. The assistant is likely
    /// to write such a line again.
    pub fn written(self, times: usize) -> f32 {
        1.0 + self.of.written * as_float(times.max(1)).ln()
    }

    /// Returns the worth per token of a line that reports how a call ended or where it failed.
    pub fn telling(self) -> f32 {
        self.of.telling
    }

    /// Returns the extra worth per token in the newest messages if these must be cut.
    pub fn newest(self) -> f32 {
        self.of.newest
    }

    /// Returns the factor on a line's worth as part of its passage, if the line is kept without its part, next to a
    /// kept line.
    pub fn beside(self) -> f32 {
        self.of.beside
    }

    /// Returns the factor on the worth of a name that is already readable in `covered` places.
    pub fn again(self, covered: usize) -> f32 {
        (0..covered).fold(1.0, |worth, _| worth * self.of.name_again)
    }

    /// Returns the factor on the worth of a line, as part of a passage, if a later edit replaced the line.
    pub fn replaced(self) -> f32 {
        self.of.replaced
    }
}

/// Worth of a token that adds nothing new. It is less than any other worth, but the token is kept if the budget allows.
pub const LEFTOVER: f32 = 1e-6;

/// Converts a count to a float. The result is exact up to 16 million.
pub fn as_float(count: usize) -> f32 {
    count as f32
}
