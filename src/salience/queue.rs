//! The units that can be taken, ordered by their worth.

use std::cmp::Ordering;

/// A unit that can be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unit {
    /// A part of a passage: index of the passage, index of the part.
    Part(usize, usize),
    /// A line of a passage: index of the passage, index of the line.
    Line(usize, usize),
}

/// A queued unit, ordered by its worth.
pub struct Queued {
    /// Worth per token.
    pub density: f32,
    /// The unit.
    pub unit: Unit,
}

impl PartialEq for Queued {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Queued {}

impl PartialOrd for Queued {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Queued {
    fn cmp(&self, other: &Self) -> Ordering {
        // If two units have equal density, the earlier one comes first. The same input therefore gives the same choice.
        self.density.total_cmp(&other.density).then_with(|| other.unit.cmp(&self.unit))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BinaryHeap;

    use super::*;

    #[test]
    fn the_densest_comes_first_and_of_equals_what_appeared_first() {
        let queued = |(density, unit): (f32, Unit)| Queued { density, unit };
        let all = [(1.0, Unit::Line(0, 1)), (2.0, Unit::Line(3, 0)), (1.0, Unit::Line(0, 0)), (1.0, Unit::Part(4, 0))];
        let mut queue: BinaryHeap<Queued> = all.map(queued).into();
        let taken: Vec<Unit> = std::iter::from_fn(|| queue.pop()).map(|next| next.unit).collect();
        assert_eq!(taken, [Unit::Line(3, 0), Unit::Part(4, 0), Unit::Line(0, 0), Unit::Line(0, 1)]);
    }
}
