//! Of what was measured on a conversation: what beats what, and what comes first by a priority.

use super::{
    answers::{Answers, Measured},
    candidates::{self, Candidate, Model},
};

/// Where more than this share has to go, in percent, one summary is worth more to a reader than lines alone; where less has to, nobody has measured it.
const TIGHT: f64 = 200.0 / 3.0;

/// What was measured, of the candidates that keep to all limits.
pub struct Ranking<'a> {
    answers: &'a Answers,
    fitting: Vec<(&'static Candidate, &'a Measured)>,
    all: Vec<(&'static Candidate, &'a Measured)>,
}

impl<'a> Ranking<'a> {
    /// `fits` says whether a candidate keeps to the limits and reaches the target.
    #[must_use]
    pub fn of(answers: &'a Answers, fits: impl Fn(&Candidate) -> bool) -> Self {
        let known = |measured: &'a Measured| Some((candidates::of(&measured.key)?, measured));
        let all: Vec<_> = answers.measured.iter().filter_map(known).collect();
        let fitting = all.iter().copied().filter(|(candidate, _)| fits(candidate)).collect();
        Self { answers, fitting, all }
    }

    /// What the stated priority puts first: by cost, by time, or by what is kept. `None` where the priority is none of these, or nothing fits.
    #[must_use]
    pub fn first_by_priority(&self) -> Option<&'static Candidate> {
        match self.answers.priority.as_deref()? {
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

    /// What loses least, and then keeps most of what is used next.
    #[must_use]
    pub fn first_by_care(&self) -> Option<&'static Candidate> {
        self.first(|candidate, measured| self.care(candidate, measured))
    }

    /// Who does as well in everything and better in something, time aside: of what takes milliseconds it says nothing.
    #[must_use]
    pub fn beaten_by(&self, candidate: &Candidate) -> Option<&'static Candidate> {
        let (_, its) = self.all.iter().find(|(known, _)| known.key == candidate.key)?;
        // A reader knows more from one summary than the figures say.
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

    /// Where little may stay and something has to be lost, one summary and the rest filled with what stands is read best (`docs/decisions/0010-salience.md`: 84 and 91 of 100
    /// questions at a tenth and a quarter, 61 and 84 without it).
    #[must_use]
    pub fn is_read_best(&self, candidate: &Candidate) -> bool {
        let is_tight = self.answers.reduction.is_some_and(|(needed, _)| needed > TIGHT);
        let nothing_is_lost = self.fitting.iter().any(|(_, measured)| measured.lost <= 0.0 && measured.exact);
        candidate.provider == "native" && is_tight && !nothing_is_lost
    }

    /// Less is better: whether anything is lost, what can no longer be read of what was used next, how much is lost or was replaced, and what is left.
    fn care(&self, candidate: &Candidate, measured: &Measured) -> Vec<f64> {
        // Of what a model writes nobody knows what is kept: no more than is not lost.
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

    /// What candidates are compared by, less being better; `None` where nothing is known.
    fn dimensions(&self, measured: &Measured) -> [Option<f64>; 6] {
        // Who reaches a target need not leave less than that.
        let tokens = self.answers.reduction.is_none().then_some(measured.tokens);
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
