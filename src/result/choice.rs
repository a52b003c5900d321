//! Decides the order in which units are taken: by rank, and within a rank by the worth that they add to the units
//! already taken.

use std::{cmp::Ordering, collections::BinaryHeap};

use super::{
    units::{DATA_RANK, ENDS, FAILURE, HEAD, MORE_FAILURES, Pointers, REST, Rank, Unit},
    worth::Worth,
};

/// Estimated tokens of the note in a gap.
pub const GAP_TOKENS: f32 = 6.0;

/// A unit in the queue to be taken.
struct Waiting {
    density: f32,
    unit: u32,
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Waiting {}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> Ordering {
        self.density.total_cmp(&other.density).then(other.unit.cmp(&self.unit))
    }
}

/// Takes units until about `room` tokens are used. Returns them in order, each with the tokens used so far.
pub fn order(units: &[Unit], pointers: &Pointers, worth: &Worth, tokens_per_byte: f32, room: f32) -> Vec<(usize, f32)> {
    let mut taking = Taking {
        units,
        pointers,
        worth,
        tokens_per_byte,
        room,
        used: 0.0,
        taken: Vec::new(),
        is_taken: vec![false; units.len()],
        names: worth.none(),
    };
    let rank = |unit: &u32| units[*unit as usize].rank;
    // Most units have one of the last two ranks. They are iterated directly, to save the memory of a list.
    let mut first: Vec<u32> = (0..).take(units.len()).filter(|unit| rank(unit) < REST).collect();
    first.sort_unstable_by_key(|unit| (rank(unit), *unit));
    for of_rank in first.chunk_by(|one, other| rank(one) == rank(other)) {
        if taking.used > room {
            break;
        }
        taking.rank(rank(&of_rank[0]), of_rank);
    }
    for last in [REST, DATA_RANK] {
        if taking.used <= room {
            taking.by_worth((0..).take(units.len()).filter(|unit| rank(unit) == last), 0.0);
        }
    }
    taking.taken
}

struct Taking<'a> {
    units: &'a [Unit],
    pointers: &'a Pointers,
    worth: &'a Worth,
    tokens_per_byte: f32,
    room: f32,
    used: f32,
    taken: Vec<(usize, f32)>,
    is_taken: Vec<bool>,
    names: Vec<bool>,
}

impl Taking<'_> {
    /// Takes the units of a rank. Endings are taken from the last to the first, lines around failures from the first to
    /// the last, and all others by worth.
    fn rank(&mut self, rank: Rank, of_rank: &[u32]) {
        if rank == ENDS {
            of_rank.iter().rev().for_each(|unit| self.take(*unit as usize));
        } else if rank > HEAD && rank < MORE_FAILURES {
            for unit in of_rank {
                if self.used > self.room {
                    break;
                }
                self.take(*unit as usize);
            }
        } else {
            self.by_worth(of_rank.iter().copied(), if rank == FAILURE || rank == MORE_FAILURES { 0.01 } else { 0.0 });
        }
    }

    fn by_worth(&mut self, of_rank: impl Iterator<Item = u32> + Clone, least: f32) {
        // Counted first, because a vector that grows is in memory twice.
        let mut waiting = Vec::with_capacity(of_rank.clone().count());
        waiting.extend(of_rank.map(|unit| Waiting { density: self.density(unit as usize, least), unit }));
        let mut waiting = BinaryHeap::from(waiting);
        while self.used <= self.room {
            let Some(best) = waiting.pop() else { break };
            let density = self.density(best.unit as usize, least);
            // Its density may have changed: its names may have been taken meanwhile, or its neighbours, which makes it
            // cheaper.
            if waiting.peek().is_some_and(|next| density < next.density) && density < best.density {
                waiting.push(Waiting { density, ..best });
            } else {
                self.take(best.unit as usize);
            }
        }
    }

    fn density(&self, unit: usize, least: f32) -> f32 {
        (self.worth.left(unit, &self.names) + least) / self.cost(unit).max(1.0)
    }

    /// Returns the tokens of a unit, plus those of gaps that it opens, minus those of gaps that it closes.
    fn cost(&self, unit: usize) -> f32 {
        let is_taken = |at: Option<usize>| at.is_none_or(|at| self.is_taken.get(at).copied().unwrap_or(true));
        let beside = usize::from(is_taken(unit.checked_sub(1))) + usize::from(is_taken(Some(unit + 1)));
        let gap = GAP_TOKENS * (1.0 - beside as f32);
        (self.units[unit].bytes(self.pointers) + 1) as f32 * self.tokens_per_byte + gap
    }

    fn take(&mut self, unit: usize) {
        if self.is_taken[unit] {
            return;
        }
        self.used += self.cost(unit);
        self.is_taken[unit] = true;
        self.worth.keep(unit, &mut self.names);
        self.taken.push((unit, self.used));
    }
}
