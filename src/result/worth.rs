//! Calculates the worth of units: the chance that their names are used next, and the rarity of their shape.

use std::collections::HashMap;

use super::{
    stamps::Stamps,
    units::{DATA_RANK, Unit},
};
use crate::{
    by_hash::ByHash,
    output::{shape, words},
    salience::ExpectedNames,
};

/// The worth of the only line of its shape. The unit of worth is one name that is certain to be used.
const RARE: f32 = 0.3;
/// The worth of a line that names a place in a file, in the output of a failed call, if it is the only line of its
/// shape.
const PLACE: f32 = 1.0;
/// The worth of a line that begins a function or class, in addition to its names.
const HEAD_OF_FILE: f32 = 0.05;
/// The odds of a name grow with this power of the number of units that contain it.
const OFTEN: f32 = 0.5;

/// The worth of all units.
pub struct Worth {
    /// For each unit, the index of its first name in `names`; one more entry at the end.
    starts: Vec<u32>,
    /// Names by number, unit after unit.
    names: Vec<u32>,
    /// The chance of each name.
    chances: Vec<f32>,
    /// The worth of each unit apart from its names.
    own: Vec<f32>,
}

impl Worth {
    /// Reads the names and shapes of the units of `text`. In a file, names that the conversation already shows count
    /// less.
    pub fn read(text: &str, units: &[Unit], stamps: Stamps, is_file: bool, expected: &ExpectedNames) -> Self {
        let mut numbers: HashMap<u64, u32, ByHash> = HashMap::default();
        let (mut starts, mut names, mut chances) = (Vec::with_capacity(units.len() + 1), Vec::new(), Vec::new());
        for unit in units {
            starts.push(names.len() as u32);
            if unit.rank == DATA_RANK || unit.is_pointer {
                continue;
            }
            let found = |name, chance| {
                names.push(*numbers.entry(name).or_insert_with(|| {
                    chances.push(chance);
                    u32::try_from(chances.len() - 1).unwrap_or(u32::MAX)
                }));
            };
            let content = &text[unit.range()];
            if is_file { expected.each_new_in(content, found) } else { expected.each_in(content, found) }
        }
        starts.push(names.len() as u32);
        drop(numbers);
        let mut times_of_name = vec![0_u32; chances.len()];
        names.iter().for_each(|name| times_of_name[*name as usize] += 1);
        for (chance, times) in chances.iter_mut().zip(times_of_name) {
            let odds = *chance / (1.0 - *chance).max(f32::EPSILON) * (times as f32).powf(OFTEN);
            *chance = odds / (1.0 + odds);
        }
        let mut own = rarity(units, |unit| stamps.said(&text[unit.range()]));
        for (own, unit) in own.iter_mut().zip(units) {
            // A rule, or a sign that marks a place in the line above, means nothing without the other line.
            if !text[unit.range()].contains(char::is_alphanumeric) {
                *own = 0.0;
                continue;
            }
            *own = match (is_file, unit.is_head) {
                (true, false) => 0.0,
                (true, true) => HEAD_OF_FILE,
                _ => *own * if unit.has_place { PLACE } else { RARE },
            };
        }
        Self { starts, names, chances, own }
    }

    /// Returns the names of a unit, by number.
    fn names_of(&self, unit: usize) -> &[u32] {
        &self.names[self.starts[unit] as usize..self.starts[unit + 1] as usize]
    }

    /// Returns the remaining worth of a unit if these names are already kept.
    pub fn left(&self, unit: usize, kept: &[bool]) -> f32 {
        let chance = |name: &u32| if kept[*name as usize] { 0.0 } else { self.chances[*name as usize] };
        self.own[unit] + self.names_of(unit).iter().map(chance).sum::<f32>()
    }

    /// Marks the names of a kept unit as kept.
    pub fn keep(&self, unit: usize, kept: &mut [bool]) {
        for name in self.names_of(unit) {
            kept[*name as usize] = true;
        }
    }

    /// Returns the state in which no name is kept.
    pub fn none(&self) -> Vec<bool> {
        vec![false; self.chances.len()]
    }
}

/// Lines with the same shape and the same words.
struct Alike {
    /// The number of their shape.
    shape: u32,
    times: u32,
    rarity: f32,
}

/// Returns the rarity of each unit, from 0 to 1. Half of it comes from the number of lines of its shape, and half from
/// how few of them have the same words. All parts of long lines count as alike.
fn rarity<'t>(units: &[Unit], said: impl Fn(&Unit) -> &'t str) -> Vec<f32> {
    let mut of_shape: Vec<u32> = Vec::new();
    let mut alike: Vec<Alike> = Vec::new();
    let kinds: Vec<u32> = {
        let mut shapes: HashMap<u64, u32, ByHash> = HashMap::default();
        let mut kinds: HashMap<u64, u32, ByHash> = HashMap::default();
        let kind = |unit: &Unit| {
            let (shape, words) = if unit.is_part { (0, 0) } else { (shape(said(unit)), words(said(unit))) };
            let shape_number = *shapes.entry(shape).or_insert_with(|| {
                of_shape.push(0);
                of_shape.len() as u32 - 1
            });
            of_shape[shape_number as usize] += 1;
            let kind = *kinds.entry(shape ^ words.rotate_left(32)).or_insert_with(|| {
                alike.push(Alike { shape: shape_number, times: 0, rarity: 0.0 });
                alike.len() as u32 - 1
            });
            alike[kind as usize].times += 1;
            kind
        };
        units.iter().map(kind).collect()
    };
    // Sorts the lines of each shape by how many are alike, the fewest first. `before` counts the lines that are at
    // least as rare.
    let mut order: Vec<u32> = (0..).take(alike.len()).collect();
    let key = |kind: &u32| (alike[*kind as usize].shape, alike[*kind as usize].times);
    order.sort_unstable_by_key(key);
    let mut rarities = Vec::new();
    let (mut before, mut shape) = (0, 0);
    for as_many in order.chunk_by(|one, other| key(one) == key(other)) {
        let (own, times) = key(&as_many[0]);
        if own != shape {
            (before, shape) = (0, own);
        }
        before += times * as_many.len() as u32;
        let rarity = 1.0 / of_shape[own as usize] as f32 / 2.0 + 1.0 / before as f32 / 2.0;
        rarities.push((as_many.len(), rarity));
    }
    let mut order = order.into_iter();
    for (count, rarity) in rarities {
        order.by_ref().take(count).for_each(|kind| alike[kind as usize].rarity = rarity);
    }
    kinds.into_iter().map(|kind| alike[kind as usize].rarity).collect()
}
