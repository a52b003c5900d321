//! Turns a choice into texts: the kept lines, with a marker for every gap.

use std::ops::Range;

use super::{lines::Line, passage::Passage};
use crate::{
    conversation::ContentKind,
    markers::{Gap, LineGap, characters_of},
};

/// Maximum line number. No text has more lines, so a note that claims more is ignored.
const MAX_NUMBER: usize = 1 << 30;

/// Returns the text of `passage` with the lines that are `kept`.
///
/// If most lines show their number, two kinds of lines keep theirs: the first line after a gap, and a line whose number
/// does not follow the previous one. All other numbers follow from these.
pub fn text(passage: &Passage<'_>, kept: &[bool]) -> String {
    let is_said = passage.says(kept);
    let out = String::with_capacity(passage.text.len() / 2);
    let mut writer = Writer { passage, out, is_said, is_begun: false, numbered_before: false, next: 0 };
    let mut index = 0;
    while index < kept.len() {
        let end = (index..kept.len()).find(|at| kept[*at] != kept[index]).unwrap_or(kept.len());
        if kept[index] {
            (index..end).for_each(|line| writer.line(line, line == index));
        } else {
            writer.gap(index, end);
        }
        index = end;
    }
    // If only headings without their lines remain, the text is left unchanged, because services refuse a text without
    // words.
    if writer.out.trim().is_empty() { passage.text.to_owned() } else { writer.out }
}

struct Writer<'p, 't> {
    passage: &'p Passage<'t>,
    out: String,
    /// True if a part of the text is kept.
    is_said: bool,
    /// True once a line was written, even an empty one.
    is_begun: bool,
    /// True if the line before shows its number or follows one that does.
    numbered_before: bool,
    /// The number that a reader assigns to the next line if it shows none.
    next: usize,
}

impl Writer<'_, '_> {
    fn at(&self, index: usize) -> &Line {
        &self.passage.lines[index].line
    }

    fn line(&mut self, index: usize, first: bool) {
        let line = self.at(index).clone();
        if !line.continues {
            self.new_line();
        }
        self.is_begun = true;
        if let Some(style) = line.headed.filter(|_| first && !line.continues)
            && let Ok(number) = u32::try_from(line.number)
        {
            style.write(number, &mut self.out);
        }
        let shows_number = line.content > line.range.start;
        // The first column of a table contains no line numbers. A heading keeps the number at which its lines begin.
        let follows = self.numbered_before && line.number == self.next && line.lines > 0;
        let keep_number = first || !self.passage.numbered || !shows_number || !follows;
        let start = if keep_number { line.range.start } else { line.content };
        self.out.push_str(&self.passage.text[start..line.range.end]);
        self.numbered_before = shows_number || line.continues;
        self.next = line.number.saturating_add(line.lines);
    }

    /// Writes the marker for the lines `start..end`. They consist of the rest of a line that was begun, whole lines,
    /// and the beginning of a line whose rest is kept.
    fn gap(&mut self, start: usize, end: usize) {
        let total = self.passage.lines.len();
        let rest_end = (start..end).find(|at| !self.at(*at).continues).unwrap_or(end);
        let goes_on = if end < total { self.at(end).continues } else { self.passage.goes_on };
        let beginning =
            if goes_on { (rest_end..end).rev().find(|at| !self.at(*at).continues).unwrap_or(rest_end) } else { end };
        if rest_end > start {
            self.mark(Gap::Characters(self.characters(start, rest_end)));
        }
        if beginning > rest_end
            && let Some(gap) = self.lines(rest_end..beginning)
        {
            self.new_line();
            self.mark(gap);
        }
        if end > beginning {
            self.new_line();
            self.mark(Gap::Characters(self.characters(beginning, end)));
        }
        self.numbered_before = false;
    }

    /// Returns the marker for missing lines: with their numbers if these are certain and continuous, otherwise with
    /// their count. The marker uses words if no part of the text is kept. Parameters use words, too, because the model
    /// wrote them and may copy the marker. `None` if only a heading is missing.
    fn lines(&self, missing: Range<usize>) -> Option<Gap> {
        let lines = || missing.clone().map(|at| self.at(at)).filter(|line| line.lines > 0);
        let count = lines().fold(0_usize, |count, line| count.saturating_add(line.lines));
        let first = lines().next().map_or(0, |line| line.number);
        let mut next = first;
        let counts_on = lines().all(|line| {
            let is_next = line.is_certain && line.number == next;
            next = line.number.saturating_add(line.lines);
            is_next
        });
        // If the number after the gap is lower than expected, the count included a line that is not part of the file.
        let behind = self.passage.lines.get(missing.end);
        let agrees = behind.is_none_or(|value| value.line.number >= next);
        let in_words = !self.is_said || self.passage.piece.kind == ContentKind::ToolParameters;
        if count > 0 && counts_on && agrees && !in_words && next <= MAX_NUMBER {
            Some(Gap::Lines(LineGap { first, last: next - 1 }))
        } else {
            (count > 0).then_some(Gap::Elsewhere(count))
        }
    }

    fn mark(&mut self, gap: Gap) {
        self.is_begun = true;
        self.out.push_str(&gap.to_string());
    }

    fn new_line(&mut self) {
        if self.is_begun {
            self.out.push('\n');
        }
    }

    fn characters(&self, start: usize, end: usize) -> usize {
        characters_of(&self.passage.text[self.at(start).range.start..self.at(end - 1).range.end])
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, sync::Arc};

    use proptest::prelude::*;

    use super::{
        super::{
            lines::{Lines, Place},
            passage::LineValue,
            weights::Origin,
        },
        *,
    };
    use crate::{
        conversation::ContentKind,
        markers::{More, NoteLine},
        transcript::{ContentPiece, Meaning, PieceSource, Voice},
    };

    /// Returns `text` with the lines for which `keeps` returns true, and with lines that are always kept.
    fn cut(text: &str, place: Place, keeps: impl Fn(usize) -> bool) -> String {
        cut_kind(ContentKind::ToolResults, text, place, keeps)
    }

    fn cut_kind(kind: ContentKind, text: &str, place: Place, keeps: impl Fn(usize) -> bool) -> String {
        let Lines { lines, numbered, .. } = Lines::split(text, place);
        let kept: Vec<bool> =
            lines.iter().enumerate().map(|(index, line)| !line.is_gap && (line.stays || keeps(index))).collect();
        let passage = Passage {
            message: 0,
            piece: ContentPiece {
                block: 0,
                path: Arc::from([]),
                range: 0..text.len(),
                kind,
                source: PieceSource::Words,
                voice: Voice::Tool,
            },
            text,
            origin: Origin::Result(Meaning::Read),
            lines: lines.into_iter().map(LineValue::worth_nothing).collect(),
            goes_on: place.goes_on,
            is_pinned: false,
            numbered,
            tokens: 0,
            whole: false,
            parts: Vec::new(),
        };
        super::text(&passage, &kept)
    }

    #[test]
    fn a_number_that_does_not_count_on_stays() {
        let table: Vec<String> = [4097, 12, 90, 91, 5].iter().map(|size| format!("{size}\t./file-of-{size}")).collect();
        assert_eq!(
            keep(&table.join("\n"), &[0, 1, 2, 3]),
            "4097\t./file-of-4097\n12\t./file-of-12\n90\t./file-of-90\n91\t./file-of-91\n[…5]"
        );
    }

    #[test]
    fn the_numbers_of_another_range_of_a_file_stay() {
        let read: Vec<String> = (7..=12).chain(91..=96).map(|number| format!("{number}→line {number}")).collect();
        assert_eq!(
            keep(&read.join("\n"), &[4, 5, 6, 7]),
            "[…7-10]\n11→line 11\nline 12\n91→line 91\nline 92\n[…93-96]"
        );
    }

    #[test]
    fn below_a_heading_a_number_of_another_style_is_content() {
        let rows = (1..=8).map(|row| format!("{} | row {row} of a table", 11 + row));
        let file = format!("     5→[8 lines, every 10th numbered:]\n{}", rows.collect::<Vec<_>>().join("\n"));
        assert_eq!(
            keep(&file, &[1, 2, 3]),
            "     5→12 | row 1 of a table\n13 | row 2 of a table\n14 | row 3 of a table\n[…8-12]"
        );
    }

    #[test]
    fn longer_numbers_below_a_heading_are_its_own() {
        let line = |number: usize| match number % 10 {
            0 => format!("{number} | line {number}"),
            _ => format!("line {number}"),
        };
        let file =
            format!("1 | [30 lines, every 10th numbered:]\n{}", (1..=30).map(line).collect::<Vec<_>>().join("\n"));
        assert_eq!(keep(&file, &[20, 21]), "[…1-19]\n20 | line 20\nline 21\n[…22-30]");
    }

    #[test]
    fn a_heading_keeps_its_number() {
        let file = "   161→a\n   162→[3 lines, every 10th numbered:]\nb\nc\nd\n   165→e\n   166→f\n   167→g\n   168→h\n   169→i\n   170→j";
        assert_eq!(keep(file, &[0, 1, 2, 3]), "   161→a\n   162→[3 lines, every 10th numbered:]\nb\nc\n[…164-170]");
    }

    #[test]
    fn of_headings_alone_something_stays() {
        let heading = "     1→[120 lines, every 10th numbered:]";
        assert_eq!(keep(heading, &[]), heading);
    }

    #[test]
    fn a_heading_that_goes_is_no_gap_and_leaves_the_number_to_the_next_line() {
        let lines: Vec<String> = (315..=335)
            .map(|number| match number % 10 {
                0 => format!("   {number}→line of {number}"),
                _ => format!("line of {number}"),
            })
            .collect();
        let file = format!("   315→[21 lines, every 10th numbered:]\n{}", lines.join("\n"));
        assert_eq!(
            keep(&file, &[1, 6, 7, 9]),
            "   315→line of 315\n[…316-319]\n   320→line of 320\nline of 321\n[…322]\n   323→line of 323\n[…324-335]"
        );
        assert_eq!(keep(&format!("before\n{file}"), &[0, 2]), "before\n   315→line of 315\n[…316-335]");
        assert_eq!(keep(&format!("\n{file}"), &[0, 3]), "\n[…315]\n   316→line of 316\n[…317-335]");
    }

    #[test]
    fn parameters_and_texts_of_which_nothing_stays_say_so_in_words() {
        assert_eq!(keep("one\ntwo\nthree", &[]), "[… 3 lines left out]");
        assert_eq!(keep("one\ntwo\nthree", &[2]), "[…1-2]\nthree");
        let parameter = cut_kind(ContentKind::ToolParameters, "one\ntwo\nthree", Place::ALONE, |index| index == 2);
        assert_eq!(parameter, "[… 2 lines left out]\nthree");
        assert_eq!(keep("[…1-2]\nthree\nfour", &[]), "[… 4 lines left out]");
    }

    fn keep(text: &str, kept: &[usize]) -> String {
        cut(text, Place::ALONE, |index| kept.contains(&index))
    }

    #[test]
    fn numbers_in_gaps_are_those_that_the_text_shows() {
        let file = "     1→[12 lines, every 10th numbered:]\nuse one;\nuse two;\n[4 lines as below from \"pub fn\"]\nseven();\nlast of all\n\
            nine();\n    10→ten();\neleven();\ntwelve();\n\n<system-reminder>\nBe careful.\n</system-reminder>";
        assert_eq!(
            keep(file, &[0, 1, 4, 7]),
            "     1→[12 lines, every 10th numbered:]\nuse one;\n[…2-6]\n     7→seven();\n[…8-9]\n    10→ten();\n[… 6 lines left out]"
        );
        assert_eq!(
            keep(file, &[0, 4, 5, 11]),
            "     1→[12 lines, every 10th numbered:]\n[…1-6]\n     7→seven();\nlast of all\n[… 5 lines left out]\n<system-reminder>\n[… 2 lines left out]"
        );
    }

    #[test]
    fn numbers_at_the_head_of_few_lines_are_not_line_numbers() {
        let table = "name of it\n12\ttimes one\nnothing\nnothing\nnothing else\nthe end";
        assert_eq!(keep(table, &[0, 5]), "name of it\n[…2-5]\nthe end");
    }

    #[test]
    fn what_a_gap_says_is_added_to_the_next_one() {
        let text =
            "[…1-416]\noutput 416\noutput 417\n... (20 more lines)\noutput 438\n[…440-441]\nend\n[… messages left out]";
        assert_eq!(keep(text, &[1]), "[…1-416]\noutput 416\n[…418-442]\n[… messages left out]");
        assert_eq!(
            keep(&text.replace("[…440-441]", "[… 2 lines left out]"), &[1]),
            "[…1-416]\noutput 416\n[… 25 lines left out]\n[… messages left out]"
        );
        assert_eq!(keep(text, &[]), "[… 442 lines left out]\n[… messages left out]");
        let long = format!("{} [… 1300 characters] {}", "some words ".repeat(30), "other words ".repeat(40));
        let total: usize = long.chars().count() - "[… 1300 characters]".chars().count() + 1300;
        for index in 0..3 {
            let text = keep(&long, &[index]);
            assert_eq!(crate::markers::characters_of(&text), total, "{text}");
        }
    }

    #[test]
    fn what_was_left_out_without_a_count_is_still_told() {
        let text = "one\ntwo\n[Left out: src/a.ts was changed below]\nthree\nfour\nfive";
        assert_eq!(keep(text, &[5]), "[…1-2]\n[Left out: src/a.ts was changed below]\n[… 2 lines left out]\nfive");
    }

    #[test]
    fn a_gap_fills_its_line_where_the_text_goes_on_behind_the_piece() {
        let whole = "I read it.\nAnd more.\n<read_file>";
        let range = 0..whole.find('<').unwrap();
        let place = Place::within(whole, &range, 1);
        assert_eq!(
            cut(&whole[range.clone()], place, |_| false) + &whole[range.end..],
            "[… 2 lines left out]\n<read_file>"
        );
        let whole = "<command>one long command of many words</command>";
        let range = 9..39;
        let place = Place::within(whole, &range, 1);
        assert_eq!(cut(&whole[range], place, |_| false), "[… 30 characters]");
    }

    /// A part of a test text: lines of a file with or without their numbers, or lines that do not belong to the file.
    #[derive(Debug, Clone)]
    enum Part {
        Numbered(usize),
        Headed(usize),
        Pointer(usize),
        More(usize),
        Skipped(usize),
        Reminder(usize),
    }

    /// Writes the text, in which each line of the file names its number.
    fn written(parts: &[Part]) -> String {
        let mut out: Vec<String> = Vec::new();
        let mut next = 7;
        for part in parts {
            match part {
                Part::Numbered(count) => {
                    out.extend((next..next + count).map(|number| format!("{number:6}→line of {number}")));
                    next += count;
                }
                Part::Headed(count) => {
                    out.push(format!("{next:6}→[{count} lines, every 10th numbered:]"));
                    out.extend((next..next + count).map(|number| {
                        if number % 10 == 0 {
                            format!("{number:6}→line of {number}")
                        } else {
                            format!("line of {number}")
                        }
                    }));
                    next += count;
                }
                Part::Pointer(count) => {
                    out.push(format!("{next:6}→[{count} lines as below from \"export const\"]"));
                    next += count;
                }
                Part::More(count) => {
                    out.push(More::Lines(*count).to_string());
                    next += count;
                }
                Part::Skipped(count) => next += count,
                Part::Reminder(count) => out.extend((0..*count).map(|index| format!("reminder {index}"))),
            }
        }
        out.join("\n")
    }

    fn part() -> impl Strategy<Value = Part> {
        prop_oneof![
            4 => (1_usize..20).prop_map(Part::Numbered),
            3 => (12_usize..40).prop_map(Part::Headed),
            2 => (2_usize..9).prop_map(Part::Pointer),
            1 => (2_usize..9).prop_map(Part::More),
            1 => (2_usize..9).prop_map(Part::Skipped),
            1 => (1_usize..5).prop_map(Part::Reminder),
        ]
    }

    fn lines_in_all(text: &str) -> usize {
        text.split('\n').map(NoteLine::lines_of).sum()
    }

    proptest! {
        #[test]
        fn no_gap_says_a_number_that_is_untrue(
            first in 3_usize..20, parts in prop::collection::vec(part(), 0..8), picks in prop::collection::vec(any::<u64>(), 1..4),
        ) {
            let parts: Vec<Part> = std::iter::once(Part::Numbered(first)).chain(parts).collect();
            let text = written(&parts);
            let mut now = text.clone();
            // Once the numbers around it are cut, a line that does not belong to the file looks like one that does.
            let is_all_of_the_file = !parts.iter().any(|part| matches!(part, Part::Reminder(_)));
            let cuts = if is_all_of_the_file { picks.len() } else { 1 };
            for pick in picks.into_iter().take(cuts) {
                now = cut(&now, Place::ALONE, |index| (pick >> (index % 61)).is_multiple_of(4));
                prop_assert_eq!(lines_in_all(&now), lines_in_all(&text), "{}", now);
                let number_of = |line: &str| line.rsplit_once("line of ").and_then(|(_, number)| number.parse::<usize>().ok());
                let shown: BTreeSet<usize> = now.split('\n').filter_map(number_of).collect();
                for line in now.split('\n') {
                    if let Some(Gap::Lines(gap)) = Gap::read(line) {
                        prop_assert!(shown.range(gap.first..=gap.last).next().is_none(), "{} in\n{}", line, now);
                    }
                }
                // The line below a gap has the number after the gap's last.
                for pair in now.split('\n').collect::<Vec<_>>().windows(2) {
                    if let (Some(Gap::Lines(gap)), Some(number)) = (Gap::read(pair[0]), number_of(pair[1])) {
                        let skipped = parts.iter().any(|part| matches!(part, Part::Skipped(_)));
                        prop_assert!(number == gap.last + 1 || (skipped && number > gap.last), "{:?} in\n{}", pair, now);
                    }
                }
            }
        }

        #[test]
        fn counted_lines_add_up(count in 1_usize..60, picks in prop::collection::vec(any::<u64>(), 1..5)) {
            let text: Vec<String> = (1..=count).map(|number| format!("line of {number}")).collect();
            let mut now = text.join("\n");
            for pick in picks {
                now = cut(&now, Place::ALONE, |index| (pick >> (index % 61)).is_multiple_of(4));
                let mut next = 1;
                for line in now.split('\n') {
                    match Gap::read(line) {
                        Some(Gap::Lines(gap)) => {
                            prop_assert_eq!(gap.first, next, "{}", now);
                            next = gap.last + 1;
                        }
                        // No line is kept.
                        Some(Gap::Elsewhere(lines)) => {
                            prop_assert_eq!((now.as_str(), lines), (line, count));
                            next += lines;
                        }
                        _ => {
                            prop_assert_eq!(line, &text[next - 1]);
                            next += 1;
                        }
                    }
                }
                prop_assert_eq!(next, count + 1);
            }
        }
    }
}
