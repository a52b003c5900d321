//! The worth of a unit: the chance that its names are used next, and how rare its shape is.

use std::collections::HashMap;

use super::{
    shape::{shape, words},
    stamps::Stamps,
    units::{DATA_RANK, Unit},
};
use crate::{by_hash::ByHash, salience::ExpectedNames};

/// The worth of the only line of its shape, in names that are certain to be used.
const RARE: f32 = 0.3;
/// The worth of the only line of its shape in the output of a failed call that names a place in a file.
const PLACE: f32 = 1.0;
/// The worth of the line that a function or class of a file begins with, beside its names.
const HEAD_OF_FILE: f32 = 0.05;
/// The odds of a name grow with this power of the units that it stands in.
const OFTEN: f32 = 0.5;

/// The worth of all units.
pub struct Worth {
    /// For each unit, where its names begin in `names`; one more at the end.
    starts: Vec<usize>,
    /// Names by number, unit after unit.
    names: Vec<u32>,
    /// The chance of each name.
    chances: Vec<f32>,
    /// The worth of each unit beside its names.
    own: Vec<f32>,
}

impl Worth {
    /// Reads the names and shapes of units of `text`. In a file, names that the conversation shows already tell little about what else is there.
    pub fn read(text: &str, units: &[Unit], stamps: Stamps, is_file: bool, expected: &ExpectedNames) -> Self {
        let mut numbers: HashMap<u64, u32, ByHash> = HashMap::default();
        let (mut starts, mut names, mut chances) = (Vec::with_capacity(units.len() + 1), Vec::new(), Vec::new());
        let rarity = rarity(units, |unit| stamps.said(&text[unit.range.clone()]));
        for unit in units {
            starts.push(names.len());
            if unit.rank == DATA_RANK || unit.pointer.is_some() {
                continue;
            }
            let found = |name, chance| {
                names.push(*numbers.entry(name).or_insert_with(|| {
                    chances.push(chance);
                    u32::try_from(chances.len() - 1).unwrap_or(u32::MAX)
                }));
            };
            let content = &text[unit.range.clone()];
            if is_file { expected.each_new_in(content, found) } else { expected.each_in(content, found) }
        }
        starts.push(names.len());
        let mut times_of_name = vec![0_u32; chances.len()];
        names.iter().for_each(|name| times_of_name[*name as usize] += 1);
        for (chance, times) in chances.iter_mut().zip(times_of_name) {
            let odds = *chance / (1.0 - *chance).max(f32::EPSILON) * (times as f32).powf(OFTEN);
            *chance = odds / (1.0 + odds);
        }
        let own = |at: usize, unit: &Unit| {
            // Rules, and the signs below a place in a line, say something beside that line alone.
            if !text[unit.range.clone()].contains(char::is_alphanumeric) {
                return 0.0;
            }
            match (is_file, unit.is_head) {
                (true, false) => 0.0,
                (true, true) => HEAD_OF_FILE,
                _ => rarity[at] * if unit.has_place { PLACE } else { RARE },
            }
        };
        let own = units.iter().enumerate().map(|(at, unit)| own(at, unit)).collect();
        Self { starts, names, chances, own }
    }

    /// The worth of a unit where these names are kept already.
    pub fn left(&self, unit: usize, kept: &[bool]) -> f32 {
        let names = &self.names[self.starts[unit]..self.starts[unit + 1]];
        let chance = |name: &u32| if kept[*name as usize] { 0.0 } else { self.chances[*name as usize] };
        self.own[unit] + names.iter().map(chance).sum::<f32>()
    }

    /// Notes that a unit is kept.
    pub fn keep(&self, unit: usize, kept: &mut [bool]) {
        for name in &self.names[self.starts[unit]..self.starts[unit + 1]] {
            kept[*name as usize] = true;
        }
    }

    /// None of the names is kept.
    pub fn none(&self) -> Vec<bool> {
        vec![false; self.chances.len()]
    }
}

/// How rare each unit is, from 0 to 1: of lines of one shape, also the ones that say what few others of it say. Parts of long lines are alike.
fn rarity<'t>(units: &[Unit], said: impl Fn(&Unit) -> &'t str) -> Vec<f32> {
    let keys = |unit: &Unit| if unit.is_part { (0, 0) } else { (shape(said(unit)), words(said(unit))) };
    let keys: Vec<(u64, u64)> = units.iter().map(keys).collect();
    let mut of_shape: HashMap<u64, u32, ByHash> = HashMap::default();
    let mut alike: HashMap<u64, u32, ByHash> = HashMap::default();
    let both = |(shape, words): &(u64, u64)| shape ^ words.rotate_left(32);
    for key in &keys {
        *of_shape.entry(key.0).or_default() += 1;
        *alike.entry(both(key)).or_default() += 1;
    }
    // Lines of a shape by how many are alike, the fewest first: those that come before or at a line are as rare as it.
    let mut order: Vec<(u64, u32)> = keys.iter().map(|key| (key.0, alike[&both(key)])).collect();
    order.sort_unstable();
    let as_rare = |key: &(u64, u64)| {
        let own = (key.0, alike[&both(key)]);
        order.partition_point(|other| *other <= own) - order.partition_point(|other| *other < (key.0, 0))
    };
    keys.iter().map(|key| 1.0 / of_shape[&key.0] as f32 / 2.0 + 1.0 / as_rare(key) as f32 / 2.0).collect()
}
