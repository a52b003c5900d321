//! Compares candidates measured on a conversation, and orders them by a priority.

use super::{
    answers::{Answers, Measured},
    candidates::{self, Candidate, Model},
};

/// Percentage of tokens to remove above which a reader learns more from one summary than from lines alone. Lower
/// percentages were not measured.
const TIGHT: f64 = 200.0 / 3.0;

/// The measured candidates, and those of them that keep to all limits.
pub struct Ranking<'a> {
    answers: &'a Answers,
    fitting: Vec<(&'static Candidate, &'a Measured)>,
    all: Vec<(&'static Candidate, &'a Measured)>,
}

impl<'a> Ranking<'a> {
    /// Creates a ranking. `fits` returns true if a candidate keeps all limits and reaches the target.
    pub fn new(answers: &'a Answers, fits: impl Fn(&Candidate) -> bool) -> Self {
        let known = |measured: &'a Measured| Some((candidates::with_key(&measured.key)?, measured));
        let all: Vec<_> = answers.measured.iter().filter_map(known).collect();
        let fitting = all.iter().copied().filter(|(candidate, _)| fits(candidate)).collect();
        Self { answers, fitting, all }
    }

    /// Returns the first by the stated priority: cost, time, or the content kept. `None` for another priority, or if
    /// nothing fits.
    pub fn first_by_priority(&self) -> Option<&'static Candidate> {
        match self.answers.priority? {
            "cost" => {
                self.first(|candidate, measured| [&[measured.cost], &self.care(candidate, measured)[..]].concat())
            }
            "speed" => self.first(|candidate, measured| {
                let expected = if candidate.model == Model::None { 0.0 } else { candidate.latency_ms };
                vec![measured.time_ms.unwrap_or(f64::MAX).max(expected)]
            }),
            "quality" | "zero_loss" => self.first_by_care(),
            _ => None,
        }
    }

    /// Returns the candidate that loses least, and then keeps most of the content used next.
    pub fn first_by_care(&self) -> Option<&'static Candidate> {
        self.first(|candidate, measured| self.care(candidate, measured))
    }

    /// Returns a candidate that is as good in everything and better in something. Time is ignored: differences of
    /// milliseconds mean nothing.
    pub fn beaten_by(&self, candidate: &Candidate) -> Option<&'static Candidate> {
        let (_, its) = self.all.iter().find(|(known, _)| known.key == candidate.key)?;
        // A reader learns more from one summary than the figures show.
        if self.is_read_best(candidate) {
            return None;
        }
        let beats = |other: &Measured| {
            let (its, other) = (self.dimensions(its), self.dimensions(other));
            let pairs = || its.iter().zip(&other).filter_map(|(its, other)| Some(((*its)?, (*other)?)));
            pairs().all(|(its, other)| other <= its) && pairs().any(|(its, other)| other < its)
        };
        let others = self.fitting.iter().filter(|(other, _)| other.key != candidate.key);
        others.filter(|(_, other)| beats(other)).map(|(other, _)| *other).next()
    }

    fn first(&self, order: impl Fn(&Candidate, &Measured) -> Vec<f64>) -> Option<&'static Candidate> {
        let key = |(candidate, measured): &(&'static Candidate, &Measured)| order(candidate, measured);
        let less = |one: &Vec<f64>, other: &Vec<f64>| {
            let pairs = one.iter().zip(other).map(|(one, other)| one.total_cmp(other));
            pairs.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
        };
        let unbeaten = self.fitting.iter().filter(|(candidate, _)| self.beaten_by(candidate).is_none());
        unbeaten.min_by(|one, other| less(&key(one), &key(other))).map(|(candidate, _)| *candidate)
    }

    /// Returns true if readers learn most from this candidate. If little may remain and something must be lost, this is
    /// one summary with original text around it (`docs/decisions/0010-salience.md`: 84 and 91 of 100 questions answered
    /// at a tenth and a quarter; 61 and 84 without the summary).
    pub fn is_read_best(&self, candidate: &Candidate) -> bool {
        let is_tight = self.answers.reduction().is_some_and(|(needed, _)| needed > TIGHT);
        let nothing_is_lost = self.fitting.iter().any(|(_, measured)| measured.lost <= 0.0 && measured.exact);
        candidate.provider == "native" && is_tight && !nothing_is_lost
    }

    /// Returns the criteria of care, less being better: whether anything is lost, the share of content used next that
    /// is unreadable, tokens lost or replaced, cost, and tokens left.
    fn care(&self, candidate: &Candidate, measured: &Measured) -> Vec<f64> {
        // If a model writes text, the kept share is unknown; it is at most the share that is not lost.
        let tokens = self.answers.tokens.unwrap_or(1.0).max(1.0);
        let not_lost = 1.0 - measured.lost / tokens;
        let kept = measured.names.zip(measured.edits).map_or(not_lost, |(names, edits)| f64::midpoint(names, edits));
        let loses = if self.is_read_best(candidate) {
            -1.0
        } else if measured.lost > 0.0 {
            1.0
        } else {
            0.0
        };
        vec![loses, -kept, measured.superseded + measured.lost, measured.cost, measured.tokens]
    }

    /// Returns the figures to compare candidates by, less being better; `None` for unknown ones.
    fn dimensions(&self, measured: &Measured) -> [Option<f64>; 6] {
        // With a target to reach, leaving fewer tokens is no advantage.
        let tokens = self.answers.reduction().is_none().then_some(measured.tokens);
        let missing = |share: Option<f64>| share.map(|share| 1.0 - share);
        [
            tokens,
            Some(measured.superseded),
            Some(measured.lost),
            Some(measured.cost),
            missing(measured.names),
            missing(measured.edits),
        ]
    }
}
