//! Fills a token budget with the lines of greatest worth per token.
//!
//! The selection is greedy and lazy. A line's worth falls when its names become readable elsewhere, so the first unit
//! of the queue is valued again before it is taken. Worth rises only for the neighbours of a taken unit, which then
//! need no marker of their own. They are queued again.

use std::{cell::RefCell, collections::BinaryHeap, ops::Range};

use super::{
    passage::{MARKER_TOKENS, Passage},
    queue::{Queued, Unit},
    seen::Seen,
    survey::Survey,
    weights::{LEFTOVER, Weights, as_float},
    windows::Windows,
};
/// Returns the worth per token of a unit.
fn density((value, cost): (f32, f32)) -> f32 {
    value / cost.max(0.5)
}

/// A unit that was taken, with the data to undo the step.
struct Taken {
    unit: Unit,
    lines: Vec<usize>,
    cost: f32,
}

/// The result of a selection.
#[derive(Debug, Clone)]
pub struct Choice {
    /// For each passage, a flag per line: true if the line is kept.
    pub kept: Vec<Vec<bool>>,
}

/// A selection in progress.
pub struct PassageSelection<'s, 't> {
    survey: &'s Survey<'t>,
    weights: Weights,
    kept: Vec<Vec<bool>>,
    covered: Vec<u32>,
    /// The worth of each name in one more kept line, by number.
    worth_of: Vec<f32>,
    windows: Windows,
    seen: RefCell<Seen>,
    again: [f32; MAX_COVERED as usize + 1],
    queue: BinaryHeap<Queued>,
    /// Units that did not fit into the rest of the budget.
    skipped: Vec<Unit>,
    taken: Vec<Taken>,
    /// Estimated tokens of the conversation as selected so far.
    pub tokens: f32,
}

/// The worth of a name stops falling when the name is readable in this many places.
const MAX_COVERED: u32 = 8;

/// The budget counts as full after this many units in a row that did not fit.
const MAX_SKIPPED: usize = 400;

impl<'s, 't> PassageSelection<'s, 't> {
    /// Starts with no unit taken, so all passages are cut. `tokens` is the number of tokens of the whole conversation.
    pub fn new(survey: &'s Survey<'t>, weights: Weights, tokens: usize) -> Self {
        let mut selection = Self {
            survey,
            weights,
            kept: survey.passages.iter().map(Passage::staying).collect(),
            covered: vec![0; survey.weights.len()],
            worth_of: survey.weights.clone(),
            windows: Windows::for_lines(survey.passages.iter().map(|passage| passage.lines.len()).sum()),
            seen: RefCell::new(Seen::for_names(survey.weights.len())),
            again: std::array::from_fn(|covered| weights.again(covered)),
            queue: BinaryHeap::new(),
            skipped: Vec::new(),
            taken: Vec::new(),
            tokens: as_float(tokens),
        };
        let mut queue = Vec::new();
        for (index, passage) in survey.passages.iter().enumerate() {
            if !passage.whole {
                let stays: f32 = passage.lines.iter().filter(|value| value.ends).map(|value| value.cost).sum();
                selection.tokens -= as_float(passage.tokens) - MARKER_TOKENS - stays;
            }
            selection.enter(index, &mut queue);
        }
        selection.queue = queue.into();
        selection
    }

    /// Returns the current choice, without pointers to lines that were not kept.
    pub fn choice(&self) -> Choice {
        let mut kept = self.kept.clone();
        let stays = |(passage, lines): &(usize, Range<usize>)| {
            let is_whole = self.survey.passages[*passage].whole;
            is_whole || lines.clone().all(|line| self.is_kept(*passage, line))
        };
        for pointer in self.survey.pointers.iter().filter(|pointer| !pointer.needs.iter().all(stays)) {
            kept[pointer.passage][pointer.line] = false;
        }
        for (passage, kept) in self.survey.passages.iter().zip(&mut kept).filter(|(passage, _)| !passage.whole) {
            passage.drop_half_ending(kept);
        }
        Choice { kept }
    }

    /// Adds a passage: as readable text if it is kept whole, otherwise as units to choose from.
    fn enter(&mut self, index: usize, queue: &mut Vec<Queued>) {
        let passage = &self.survey.passages[index];
        if passage.whole {
            for value in &passage.lines {
                self.cover(value.names.clone());
                self.windows.add(value.window);
            }
            return;
        }
        let lines = (0..passage.lines.len()).filter(|line| !passage.lines[*line].line.is_gap);
        let units = lines.map(|line| Unit::Line(index, line));
        let units = units.chain((0..passage.parts.len()).map(|part| Unit::Part(index, part)));
        queue.extend(units.filter_map(|unit| self.queued(unit)));
    }

    fn push(&mut self, unit: Unit) {
        self.queue.extend(self.queued(unit));
    }

    /// Returns a unit as it is queued at this point; `None` if it is worth nothing.
    fn queued(&self, unit: Unit) -> Option<Queued> {
        let density = density(self.worth(unit));
        (density > 0.0).then_some(Queued { density, unit })
    }

    /// Takes the units of greatest worth until the conversation has `budget` tokens.
    pub fn fill(&mut self, budget: f32) {
        for unit in std::mem::take(&mut self.skipped) {
            self.push(unit);
        }
        let mut skipped = 0;
        while let Some(Queued { density: was, unit }) = self.queue.pop() {
            let (value, cost) = self.worth(unit);
            if cost <= 0.0 && self.is_taken(unit) {
                continue;
            }
            let density = density((value, cost));
            if density <= 0.0 {
                continue;
            }
            if density < was && self.queue.peek().is_some_and(|next| density < next.density) {
                self.queue.push(Queued { density, unit });
                continue;
            }
            if self.is_taken(unit) {
                continue;
            }
            if self.tokens + cost > budget {
                self.skipped.push(unit);
                skipped += 1;
                if skipped > MAX_SKIPPED {
                    break;
                }
                continue;
            }
            skipped = 0;
            self.take(unit, cost);
        }
    }

    /// Fills the budget, or gives back units if the selection exceeds it.
    pub fn hold(&mut self, budget: f32) {
        if budget < self.tokens {
            self.give_back(self.tokens - budget);
        } else {
            self.fill(budget);
        }
    }

    /// Returns the survey to choose from.
    pub fn survey(&self) -> &'s Survey<'t> {
        self.survey
    }

    /// Returns true if no unit is left to take.
    pub fn is_complete(&self) -> bool {
        self.queue.is_empty() && self.skipped.is_empty()
    }

    /// Undoes the latest steps until at least `tokens` are free.
    fn give_back(&mut self, tokens: f32) {
        let goal = self.tokens - tokens;
        while self.tokens > goal {
            let Some(Taken { unit, lines, cost }) = self.taken.pop() else { return };
            self.tokens -= cost;
            self.skipped.push(unit);
            match unit {
                Unit::Part(passage, part) => {
                    for line in self.survey.passages[passage].parts[part].clone() {
                        self.windows.remove(self.survey.passages[passage].lines[line].window);
                        // A single line may fit if its whole part does not.
                        self.skipped.push(Unit::Line(passage, line));
                    }
                    self.release(passage, &lines);
                }
                Unit::Line(passage, _) => self.release(passage, &lines),
            }
        }
    }

    fn release(&mut self, passage: usize, lines: &[usize]) {
        for line in lines {
            self.kept[passage][*line] = false;
            self.uncover(self.survey.passages[passage].lines[*line].names.clone());
        }
    }

    fn is_taken(&self, unit: Unit) -> bool {
        match unit {
            Unit::Line(passage, line) => self.kept[passage][line],
            Unit::Part(passage, part) => {
                self.survey.passages[passage].parts[part].clone().all(|line| self.is_kept(passage, line))
            }
        }
    }

    /// Returns true if the line is kept, or is a gap marker. Gap markers are never kept and never missed.
    fn is_kept(&self, passage: usize, line: usize) -> bool {
        self.kept[passage][line] || self.survey.passages[passage].lines[line].line.is_gap
    }

    /// Returns the worth of a unit at this point, and its tokens.
    fn worth(&self, unit: Unit) -> (f32, f32) {
        match unit {
            Unit::Line(passage, line) => self.line_worth(passage, line),
            Unit::Part(passage, part) => self.part_worth(passage, part),
        }
    }

    fn names_worth(&self, names: Range<usize>, seen: &mut Seen) -> f32 {
        let mut value = 0.0;
        for name in &self.survey.occurrences[names] {
            let worth = self.worth_of[*name as usize];
            if worth > 0.0 && seen.is_new(*name) {
                value += worth;
            }
        }
        value
    }

    /// Returns the worth of a line's names, counting each once.
    fn each_worth(&self, names: Range<usize>) -> f32 {
        let names = &self.survey.occurrences[names];
        let is_first = |(index, name): &(usize, &u32)| !names[..(*index).min(16)].contains(name);
        names.iter().enumerate().filter(is_first).map(|(_, name)| self.worth_of[*name as usize]).sum()
    }

    fn line_worth(&self, passage: usize, line: usize) -> (f32, f32) {
        let value = &self.survey.passages[passage].lines[line];
        let before = line == 0 || self.kept[passage][line - 1];
        let after = self.kept[passage].get(line + 1).is_none_or(|kept| *kept);
        let markers = match (before, after) {
            (true, true) => -MARKER_TOKENS,
            (true, false) | (false, true) => 0.0,
            (false, false) => MARKER_TOKENS,
        };
        let mut total = self.each_worth(value.names.clone()) + value.in_telling(self.weights);
        // A line next to a kept line continues that line's content.
        if (before || after) && !self.windows.contain(value.window) {
            total += self.weights.beside() * value.in_passage(self.weights);
        }
        (total, value.cost + markers)
    }

    fn part_worth(&self, passage: usize, part: usize) -> (f32, f32) {
        let survey = &self.survey.passages[passage];
        let range = survey.parts[part].clone();
        let seen = &mut *self.seen.borrow_mut();
        seen.start();
        let (mut value, mut cost) = (0.0, 0.0);
        for line in range.clone() {
            let line_value = &survey.lines[line];
            if line_value.line.is_gap {
                continue;
            }
            if !self.windows.contain(line_value.window) {
                value += line_value.in_passage(self.weights);
            }
            if !self.kept[passage][line] {
                cost += line_value.cost;
                value += LEFTOVER * line_value.cost;
                value += self.names_worth(line_value.names.clone(), seen) + line_value.in_telling(self.weights);
            }
        }
        (value, if cost > 0.0 { cost + 2.0 } else { 0.0 })
    }

    fn take(&mut self, unit: Unit, cost: f32) {
        let mut lines = Vec::new();
        match unit {
            Unit::Line(passage, line) => {
                self.keep(passage, line, &mut lines);
                self.queue_neighbours(passage, line, line + 1);
            }
            Unit::Part(passage, part) => {
                let range = self.survey.passages[passage].parts[part].clone();
                for line in range.clone() {
                    if !self.is_kept(passage, line) {
                        self.keep(passage, line, &mut lines);
                    }
                    self.windows.add(self.survey.passages[passage].lines[line].window);
                }
                self.queue_neighbours(passage, range.start, range.end);
            }
        }
        self.tokens += cost;
        self.taken.push(Taken { unit, lines, cost });
    }

    fn keep(&mut self, passage: usize, line: usize, lines: &mut Vec<usize>) {
        self.kept[passage][line] = true;
        self.cover(self.survey.passages[passage].lines[line].names.clone());
        lines.push(line);
    }

    fn queue_neighbours(&mut self, passage: usize, start: usize, end: usize) {
        for line in [start.checked_sub(1), Some(end)].into_iter().flatten() {
            if line < self.kept[passage].len() && !self.is_kept(passage, line) {
                self.push(Unit::Line(passage, line));
            }
        }
    }

    fn cover(&mut self, names: Range<usize>) {
        for name in &self.survey.occurrences[names] {
            self.covered[*name as usize] += 1;
            self.value_anew(*name as usize);
        }
    }

    fn uncover(&mut self, names: Range<usize>) {
        for name in &self.survey.occurrences[names] {
            let covered = &mut self.covered[*name as usize];
            *covered = covered.saturating_sub(1);
            self.value_anew(*name as usize);
        }
    }

    /// Updates a name's worth for the number of places where the name is readable.
    fn value_anew(&mut self, name: usize) {
        let again = self.again[self.covered[name].min(MAX_COVERED) as usize];
        self.worth_of[name] = self.survey.weights[name] * again;
    }

    /// Returns the lines to keep of one passage: the most valuable ones, whatever they cost, at most `most` lines and
    /// `characters` characters.
    pub fn best_lines(&mut self, passage: usize, most: usize, characters: usize) -> Vec<bool> {
        let mut queue: BinaryHeap<Queued> = (0..self.kept[passage].len())
            .filter(|line| !self.is_kept(passage, *line))
            .map(|line| Queued { density: self.line_worth(passage, line).0, unit: Unit::Line(passage, line) })
            .collect();
        let ends = self.survey.passages[passage].lines.iter().filter(|value| value.ends).count();
        let (mut kept, mut room) = (ends, characters);
        while let Some(Queued { density: was, unit }) = queue.pop() {
            let Unit::Line(_, line) = unit else { continue };
            let density = self.line_worth(passage, line).0;
            if density < was && queue.peek().is_some_and(|next| density < next.density) {
                queue.push(Queued { density, unit });
                continue;
            }
            if kept >= most {
                break;
            }
            let survey = &self.survey.passages[passage];
            let Some(left) = room.checked_sub(survey.characters(&survey.lines[line])) else { continue };
            room = left;
            kept += 1;
            self.keep(passage, line, &mut Vec::new());
        }
        self.kept[passage].clone()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::{
        cancel::Cancel,
        conversation::{ContentKind, Conversation},
        salience::{History, Room, Salience},
        tokens::{Encoding, Tally, count_inside},
        transcript::{ContentPiece, ToolTable},
    };

    /// Creates a conversation with a shell. Each round is a command and its output.
    fn conversation(rounds: &[(impl AsRef<str>, String)]) -> Conversation {
        let mut messages = vec![json!({ "role": "user", "content": "Look." })];
        for (index, (command, output)) in rounds.iter().enumerate() {
            let id = format!("t{index}");
            messages.push(json!({ "role": "assistant", "content": [{ "type": "tool_use", "id": id, "name": "Bash", "input": { "command": command.as_ref() } }] }));
            messages.push(
                json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": id, "content": output }] }),
            );
        }
        messages.push(json!({ "role": "assistant", "content": "Done." }));
        Conversation::parse(&Value::Array(messages).to_string()).unwrap()
    }

    /// Calls `of` with the history of a conversation.
    fn asked<T>(conversation: &Conversation, of: impl FnOnce(History<'_>) -> T) -> T {
        let tally = Tally::count(conversation, Encoding::default(), &Cancel::new()).unwrap();
        let tools = ToolTable::default();
        of(History { conversation, original: conversation, tally: &tally, tools: &tools, cancel: &Cancel::new() })
    }

    /// Returns the text that is kept of these rounds in this share of their tokens.
    fn kept(rounds: &[(&str, String)], share: f64) -> String {
        let conversation = conversation(rounds);
        let kept = asked(&conversation, |history| {
            let budget = (history.tally.total() as f64 * share) as usize;
            let kept = Salience::all_signals(1).within(history, budget).unwrap();
            assert!(kept.tally.total() <= budget, "{} of {budget}", kept.tally.total());
            kept
        });
        let after = conversation.apply(&kept.plan).unwrap();
        serde_json::to_string(&after.messages().collect::<Vec<_>>()).unwrap()
    }

    /// The failure is the only line that fits, and it is also a line that always stays.
    #[test]
    fn a_failure_alone_is_kept() {
        let noise = (0..40).map(|line| format!("building part {line} of the whole\n")).collect::<String>();
        let conversation = conversation(&[("npm test", format!("{noise}1 failed, 9 passed"))]);
        let cuts = asked(&conversation, |history| {
            let room_of =
                |message: usize, _: &ContentPiece| (message == 2).then_some(Room { lines: 1, characters: 40 });
            Salience::all_signals(1).cut_chosen(history, room_of)
        });
        let texts: Vec<&str> = cuts.iter().filter_map(|cut| cut.text.as_deref()).collect();
        assert!(matches!(texts[..], [text] if text.contains("1 failed, 9 passed")), "{texts:?}");
    }

    /// Returns lines of prose without names.
    fn words(lines: usize) -> String {
        (0..lines).map(|line| format!("and so on, for the time being, in line {line} of it\n")).collect()
    }

    #[test]
    fn short_commands_stay_for_what_they_say() {
        let rounds = [
            ("make all of the parts that are new", words(30)),
            ("make all of the parts that are old", words(30)),
            ("make the rest", words(60)),
        ];
        let text = kept(&rounds, 0.3);
        assert!(text.contains("parts that are new") && text.contains("parts that are old"), "{text}");
    }

    #[test]
    fn a_line_between_two_that_stay_is_not_replaced_by_a_longer_marker() {
        let names = "let first = parse_due_date(value)\n}\n\nlet second = parse_due_date_of(value)\n";
        let output = format!("{}{names}{}", words(30), words(30));
        let text = kept(&[("grep parse_due_date parse_due_date_of", output)], 0.3);
        let in_json = json!(names.trim_end()).to_string();
        assert!(text.contains(in_json.trim_matches('"')), "{text}");
    }

    /// Creates outputs of searches in which every `every`th line is long. With one more long line a selection exceeds
    /// many budgets, with one fewer it leaves much of them free. Tries therefore alternate around the budget.
    fn long_lines_among_short(rounds: usize, every: usize, long: usize, names: usize) -> Vec<(String, String)> {
        let output = |round: usize| {
            let line = |line: usize| {
                let words = if (line + round).is_multiple_of(every) { long } else { 2 };
                let word = |word| format!("value{} of part {word} ", (line * 5 + word * 3 + round) % names);
                (0..words).map(word).collect::<String>()
            };
            (0..9).map(line).collect::<Vec<_>>().join("\n")
        };
        (0..rounds).map(|round| (format!("grep value{round} f"), output(round))).collect()
    }

    /// A try over the budget never replaces one within it.
    #[test]
    fn what_stays_never_passes_the_budget_that_tries_swing_about() {
        for (rounds, every) in [(6, 2), (8, 3)] {
            asked(&conversation(&long_lines_among_short(rounds, every, 41, 13)), |history| {
                // The budgets are above the tokens of the calls, which are kept.
                for budget in (300..450).step_by(30) {
                    let tokens = Salience::all_signals(3).within(history, budget).unwrap().tally.total();
                    assert!(tokens <= budget, "{tokens} of {budget}");
                }
            });
        }
        let rounds = long_lines_among_short(4, 3, 23, 19);
        asked(&conversation(&rounds), |history| {
            let is_result = |_, piece: &ContentPiece| piece.kind == ContentKind::ToolResults;
            for budget in (50..200).step_by(10) {
                let cuts = Salience::all_signals(1).cut_together(history, budget, is_result);
                let texts = cuts.iter().filter_map(|cut| cut.text.as_deref());
                let tokens: usize = texts.map(|text| count_inside(text, Encoding::default()).tokens).sum();
                assert!((1..=budget).contains(&tokens), "{tokens} of {budget}");
            }
        });
    }
}
