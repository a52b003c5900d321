//! How likely a name or a line is to be used again, from what the conversation itself shows.
//!
//! The numbers were fitted on recorded conversations of several agents: whether a name of the older part of a history is used by
//! the assistant in its next 30 messages (27,000 names), whether a passage is what it edits next, and whether it writes it again
//! (`benches/quality/projects.mjs`, over conversations of more projects). `docs/decisions/0010-salience.md` has the ablation that shows what each
//! signal is worth.

use crate::transcript::Meaning;

/// A signal that can be switched off, to measure what it is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// In how many messages a name stands.
    Recurrence,
    /// How long ago it stood last.
    Recency,
    /// How often and how lately the assistant used it in a call.
    Use,
    /// A line that was read is worth more where files are edited or written than in the output of a command.
    Kind,
    /// What an edit has replaced since, and what stands again later, is worth little.
    Newest,
    /// A name that is readable already is worth little more a second time.
    Coverage,
    /// Long texts are kept in passages, not only in single lines.
    Passages,
    /// Tool rounds without anything worth keeping are dropped as a whole.
    Dropping,
    /// What stands around names of the work under way is worth more.
    Ties,
}

/// All signals by their names in the configuration.
pub const SIGNALS: &[(&str, Signal)] = &[
    ("recurrence", Signal::Recurrence),
    ("recency", Signal::Recency),
    ("use", Signal::Use),
    ("kind", Signal::Kind),
    ("newest", Signal::Newest),
    ("coverage", Signal::Coverage),
    ("passages", Signal::Passages),
    ("dropping", Signal::Dropping),
    ("ties", Signal::Ties),
];

/// The weights in force.
#[derive(Debug, Clone, Copy)]
pub struct Weights {
    without: Option<Signal>,
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

/// What is known of the file that a text is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileWork {
    /// It is about no file, or nobody knows which.
    Unknown,
    /// It was not changed.
    Unchanged,
    /// It was changed, and so many other files since.
    Changed { others: usize },
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

impl Weights {
    /// Reads the name of the signal to do without.
    pub fn without(name: &str) -> Self {
        Self { without: SIGNALS.iter().find(|(known, _)| *known == name).map(|(_, signal)| *signal) }
    }

    /// Whether a signal is in use.
    pub fn uses(self, signal: Signal) -> bool {
        self.without != Some(signal)
    }

    /// The probability that a name is used again. `now` is the number of messages.
    pub fn name(self, facts: &NameFacts, now: usize) -> f32 {
        if facts.stays {
            return 0.0;
        }
        let age = |message: usize| as_float(now.saturating_sub(message).max(1));
        // A signal that is off counts as what it is worth for the average name, so that names keep their weight against passages.
        let mut z = -2.32;
        z += if self.uses(Signal::Recurrence) { 0.99 * as_float(facts.messages as usize).ln_1p() } else { 1.0 };
        z -= if self.uses(Signal::Recency) { 0.39 * age(facts.last).ln() } else { 1.4 };
        if self.uses(Signal::Use) && facts.uses > 0 {
            z += 0.32 * as_float(facts.uses as usize).ln_1p() + 2.0 / (1.0 + age(facts.last_use) / 10.0);
        }
        1.0 / (1.0 + (-z).exp())
    }

    /// The value, for each token, of a passage in a message that is `age` messages old: how likely it is to be what is edited next. For a budget of a
    /// quarter of the conversation; [`Weights::room`] tells how it changes with the budget.
    pub fn passage(self, origin: Origin, age: usize) -> f32 {
        if !self.uses(Signal::Passages) {
            return 0.0;
        }
        let kind = match origin {
            _ if !self.uses(Signal::Kind) => 1.3,
            Origin::Parameters(Meaning::Write | Meaning::Edit) => 8.0,
            Origin::Result(Meaning::Write | Meaning::Edit) => 1.4,
            Origin::Result(Meaning::Read) => 1.3,
            Origin::Parameters(Meaning::Command | Meaning::Plan | Meaning::Ask) => 1.0,
            Origin::Parameters(_) => 0.42,
            Origin::Shown => 0.39,
            Origin::User | Origin::Assistant => 0.25,
            Origin::Result(_) => 0.2,
            Origin::Host => 0.16,
            Origin::Environment => 0.014,
            Origin::Log => 0.0,
        };
        let decay = if self.uses(Signal::Recency) { (-DECAY * as_float(age)).exp() } else { 0.6 };
        0.006 * kind * decay
    }

    /// By how much a passage of so many tokens is worth more or less for the file that it is of, when this share of the conversation may stay. What is
    /// edited next is most often the file that was changed last, in what was written there; or what was read of a file lately, and a part of it rather
    /// than all. Where half may stay there is room for the rest as well.
    pub fn file(self, origin: Origin, work: FileWork, age: usize, tokens: usize, share: f32) -> f32 {
        if !self.uses(Signal::Kind) {
            return 1.0;
        }
        let factor: f32 = match origin {
            Origin::Parameters(Meaning::Write | Meaning::Edit) => match work {
                FileWork::Changed { others: 0 } => 1.5,
                FileWork::Changed { others: 1 } => 0.7,
                FileWork::Changed { .. } => 0.5,
                FileWork::Unchanged | FileWork::Unknown => 1.0,
            },
            Origin::Result(Meaning::Read) => {
                let file = match work {
                    FileWork::Changed { others: 0 } => 1.3,
                    FileWork::Changed { others: 1..=3 } => 0.7,
                    FileWork::Unchanged => 1.1,
                    FileWork::Changed { .. } | FileWork::Unknown => 1.0,
                };
                let size = (1000.0 / as_float(tokens.max(1))).sqrt().clamp(0.3, 3.0);
                let late = if self.uses(Signal::Recency) { 2.0 * (-as_float(age) / 15.0).exp() } else { 0.5 };
                0.8 * file * size * (1.0 + late)
            }
            _ => return 1.0,
        };
        factor.powf(shortage(share))
    }

    /// How much a name ties what stands around it to the work under way. `now` is the number of messages.
    pub fn tie(self, facts: &NameFacts, now: usize) -> f32 {
        let is_used = facts.uses > 0 && now.saturating_sub(facts.last_use) <= LATELY;
        let under_way = match (facts.stays, is_used) {
            _ if !self.uses(Signal::Ties) => 0.0,
            (true, _) => 1.0,
            (false, true) => 0.3,
            (false, false) => 0.0,
        };
        under_way * rarity(facts.messages)
    }

    /// How far it matters for texts of this origin what their lines are tied to, when this share of the conversation may stay; 0 where it does not. What
    /// is edited next stands more often than not around names of the newest messages; where a tenth may stay, more names than passages have room.
    pub fn reach_of_ties(self, origin: Origin, share: f32) -> f32 {
        let of_origin = match origin {
            Origin::Result(Meaning::Read) | Origin::Shown if self.uses(Signal::Ties) => 1.0,
            Origin::Parameters(Meaning::Write | Meaning::Edit) if self.uses(Signal::Ties) => 0.5,
            _ => 0.0,
        };
        of_origin * shortage(share) * (0.6 + 0.4 * ((share - 0.1) / 0.15).clamp(0.0, 1.0))
    }

    /// By how much a passage of this age is worth more when more than a quarter of the conversation may stay, or less when less may: what is edited again
    /// lies as far back as there is room, down to an eighth.
    pub fn reach(self, share: f32, age: usize) -> f32 {
        let decay = DECAY * (0.25 / share.max(0.125));
        if self.uses(Signal::Recency) { ((DECAY - decay) * as_float(age)).exp() } else { 1.0 }
    }

    /// By how much a passage is worth more or less when this share of the conversation may stay: where much may, names are readable anyway and whole
    /// passages of files and of words are what is left to gain; where little may, a passage costs the place of many names. Commands, which are short, are
    /// between the two; and what was written or edited is edited again so often that it is worth its room.
    pub fn room(self, origin: Origin, share: f32) -> f32 {
        match origin {
            _ if !self.uses(Signal::Kind) => 1.0,
            Origin::Parameters(Meaning::Write | Meaning::Edit) => (4.0 * share).max(0.8),
            Origin::Result(Meaning::Read) | Origin::Assistant => 4.0 * share,
            Origin::Parameters(Meaning::Command) => (4.0 * share).sqrt(),
            _ => 1.0,
        }
    }

    /// What a passage is worth besides, for each token, when this follows it and `budget` is for all: the assistant goes on from what it said, planned and
    /// did last, so that stays as a whole where it lies within a part of the budget. A plan is worth most, and what was run or changed holds for longest.
    /// Words, and calls of other tools, are few among much that is long, and what stands between them says nothing of how new they are: they are worth
    /// more as far back as their own kind goes, and so are edits.
    pub fn late(self, origin: Origin, following: Following, budget: f32) -> f32 {
        if !self.uses(Signal::Recency) || !self.uses(Signal::Passages) {
            return 0.0;
        }
        let within = |most: f32, tokens: f32, part: f32| most * (-tokens / (part * budget.max(1.0))).exp();
        let Following { all, same } = following;
        let of_all = match origin {
            Origin::Parameters(Meaning::Plan | Meaning::Ask) => within(0.1, all, 0.3),
            Origin::Parameters(Meaning::Todo | Meaning::Item) => within(0.03, all, 0.4),
            Origin::Parameters(Meaning::Command | Meaning::Write | Meaning::Edit) => within(0.0066, all, 0.5),
            _ => 0.0,
        };
        let of_kind = match origin {
            Origin::Assistant => within(0.015, same, 0.03),
            Origin::Parameters(Meaning::Command) => 0.0,
            Origin::Parameters(Meaning::Write | Meaning::Edit) => within(0.003, same, 0.05),
            Origin::Parameters(_) => within(0.005, same, 0.05),
            _ => 0.0,
        };
        of_all + of_kind
    }

    /// What a line is worth besides, for each token, with which the summary of an earlier session ends: what is to be done and what was under way. Nothing
    /// else in the conversation says it, so it is worth more than most passages at any budget.
    pub fn handed_over(self) -> f32 {
        if self.uses(Signal::Passages) { 0.08 } else { 0.0 }
    }

    /// By how much a line is worth more that the assistant wrote in so many messages: what it wrote twice it is likely to write again.
    pub fn written(self, times: usize) -> f32 {
        if self.uses(Signal::Recurrence) { 1.0 + as_float(times.max(1)).ln() } else { 1.0 }
    }

    /// Which part of what a line is worth in a passage it is worth on its own, next to one that stays.
    pub fn beside(self) -> f32 {
        if self.uses(Signal::Passages) { 0.35 } else { 0.0 }
    }

    /// What a name is worth that is readable in `covered` places already.
    pub fn again(self, covered: usize) -> f32 {
        if self.uses(Signal::Coverage) { (0..covered).fold(1.0, |worth, _| worth * 0.17) } else { 1.0 }
    }

    /// What a line is worth, as part of a passage, that an edit has replaced since.
    pub fn replaced(self) -> f32 {
        if self.uses(Signal::Newest) { 0.05 } else { 1.0 }
    }
}

/// In so many of the newest messages what the assistant uses in a call is under way.
const LATELY: usize = 40;

/// How much a name ties that stands in so many of the older messages: the fewer, the more it says which lines are meant. One that stands everywhere says nothing.
fn rarity(messages: u32) -> f32 {
    if messages > 30 { 0.0 } else { 1.0 / (1.0 + as_float(messages as usize) / 20.0) }
}

/// By how much a line is worth more or less for what ties it, as far as that matters ([`Weights::reach_of_ties`]).
pub fn tied(ties: f32, reach: f32) -> f32 {
    (0.6 + ties).min(1.8).powf(reach)
}

/// From 0, where there is room for all that files are worth keeping of, to 1.
fn shortage(share: f32) -> f32 {
    ((0.45 - share) / 0.2).clamp(0.0, 1.0)
}

/// By which part the worth of a passage falls with each message that follows, where a quarter of the conversation may stay.
const DECAY: f32 = 0.006;

/// What opening a tool round counts for where it is weighed whether to drop it: less than its tokens, because the call in it is what its lines
/// are understood by. Fitted with the numbers above: with the whole cost, fewer names stay readable at every budget.
pub const OPENING: f32 = 0.4;

/// What a token is worth that says nothing new: less than anything else, but when there is room it stays where it was.
pub const LEFTOVER: f32 = 1e-6;

/// The values that `withoutSignal` may have, for the configuration.
pub const WITHOUT: &[&str] =
    &["none", "recurrence", "recency", "use", "kind", "newest", "coverage", "passages", "dropping", "ties"];

/// A count as a number to reckon with; exact up to 16 million.
pub fn as_float(count: usize) -> f32 {
    count as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_again_counts_for_more_and_what_was_done_last_most() {
        let weights = Weights::without("none");
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
    fn what_was_read_lately_and_in_part_counts_for_more_and_so_does_the_file_under_work() {
        let weights = Weights::without("none");
        let (read, edit) = (Origin::Result(Meaning::Read), Origin::Parameters(Meaning::Edit));
        let file = |origin, others, age, tokens| weights.file(origin, FileWork::Changed { others }, age, tokens, 0.25);
        assert!(file(edit, 0, 10, 300) > file(edit, 1, 10, 300) && file(edit, 1, 10, 300) > file(edit, 2, 10, 300));
        assert!(file(read, 0, 10, 300) > file(read, 0, 10, 3000) && file(read, 0, 10, 300) > file(read, 0, 30, 300));
        let others = [FileWork::Unknown, FileWork::Unchanged, FileWork::Changed { others: 9 }];
        assert!(others.iter().all(|work| weights.file(Origin::Assistant, *work, 10, 300, 0.25) == 1.0));
        assert!(others.iter().all(|work| weights.file(read, *work, 10, 300, 0.5) == 1.0), "room for all");
    }

    #[test]
    fn rare_names_of_the_work_under_way_tie_and_count_for_reads_where_room_is_short() {
        let weights = Weights::without("none");
        let fact = |stays, messages, uses, last_use| NameFacts { messages, last: 50, uses, last_use, stays };
        let tie = |facts: &NameFacts| weights.tie(facts, 100);
        assert!(tie(&fact(true, 2, 0, 0)) > tie(&fact(true, 20, 0, 0)));
        assert!(tie(&fact(true, 2, 0, 0)) > tie(&fact(false, 2, 1, 80)) && tie(&fact(false, 2, 1, 80)) > 0.0);
        assert_eq!([tie(&fact(false, 2, 1, 50)), tie(&fact(false, 2, 0, 0)), tie(&fact(true, 31, 0, 0))], [0.0; 3]);
        let reach = |origin, share| weights.reach_of_ties(origin, share);
        let (read, edit) = (Origin::Result(Meaning::Read), Origin::Parameters(Meaning::Edit));
        assert!(reach(read, 0.25) > reach(read, 0.1) && reach(read, 0.1) > reach(edit, 0.1));
        assert_eq!([reach(read, 0.5), reach(Origin::Assistant, 0.25)], [0.0; 2]);
        assert!(tied(0.0, 1.0) < 1.0 && tied(0.8, 1.0) > 1.0);
        assert_eq!((tied(5.0, 1.0), tied(5.0, 0.0)), (1.8, 1.0));
        assert_eq!(Weights::without("ties").reach_of_ties(read, 0.25), 0.0);
    }

    #[test]
    fn where_more_may_stay_it_lies_further_back() {
        let weights = Weights::without("none");
        assert!(weights.reach(0.5, 100) > weights.reach(0.3, 100) && weights.reach(0.5, 100) > weights.reach(0.5, 10));
        assert!(weights.reach(0.15, 100) < weights.reach(0.2, 100) && weights.reach(0.2, 100) < 1.0);
        assert_eq!((weights.reach(0.25, 100), weights.reach(0.05, 100)), (1.0, weights.reach(0.125, 100)));
        assert_eq!(Weights::without("recency").reach(0.5, 100), 1.0);
    }
}
