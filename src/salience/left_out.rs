//! The names that can no longer be read once a choice is made.

use super::name_index::LeftOutName;

use super::{passage_selection::Choice, survey::Survey, weights::as_float};

/// More are not looked at: a reader goes through no longer list.
const MAX_NAMES: usize = 1000;

/// What a name costs in a list beside itself, in tokens: its share of the source that it stands under. Longer names are worth less of a room for all.
const LISTING: f32 = 6.0;

/// The names that a choice leaves out, first those that are likeliest to be used again for what they cost in a list.
pub fn left_out(survey: &Survey<'_>, choice: &Choice) -> Vec<LeftOutName> {
    let mut is_read = vec![false; survey.names.len()];
    let mut stood_in: Vec<Option<usize>> = vec![None; survey.names.len()];
    for (index, passage) in survey.passages.iter().enumerate() {
        let stays = passage.round.is_none_or(|round| choice.open[round]);
        for (value, kept) in passage.lines.iter().zip(&choice.kept[index]) {
            for name in &survey.occurrences[value.names.clone()] {
                is_read[*name as usize] |= stays && (passage.whole || *kept);
                stood_in[*name as usize] = Some(index);
            }
        }
    }
    for (index, entry) in survey.entries.iter().enumerate().filter(|(index, _)| choice.told[*index]) {
        let lines = entry
            .lines
            .iter()
            .zip(&choice.quoted[index])
            .filter(|(_, quoted)| **quoted)
            .map(|(quote, _)| quote.names.clone());
        for names in lines.chain([entry.names.clone()]) {
            survey.occurrences[names].iter().for_each(|name| is_read[*name as usize] = true);
        }
    }
    let is_left_out = |name: &usize| !is_read[*name] && survey.weights[*name] > 0.0 && stood_in[*name].is_some();
    let mut names: Vec<usize> = (0..survey.names.len()).filter(is_left_out).collect();
    // Four bytes to a token: exact counts of all names would take longer than they are worth.
    let worth = |name: usize| survey.weights[name] / (as_float(survey.names[name].len()) / 4.0 + LISTING);
    names.sort_by(|one, other| worth(*other).total_cmp(&worth(*one)).then(one.cmp(other)));
    names.truncate(MAX_NAMES);
    let source = |name: usize| stood_in[name].map_or("", |passage| survey.passages[passage].piece.source.place());
    names
        .into_iter()
        .map(|name| LeftOutName { name: survey.names[name].to_owned(), of: source(name).to_owned() })
        .collect()
}
