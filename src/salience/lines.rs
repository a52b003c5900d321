//! A text as the lines that can be kept or left out.

use std::ops::Range;

use crate::markers::{Gap, LineGap};

/// Longer lines are taken apart, so that one endless line is not all or nothing.
const MAX_LINE_BYTES: usize = 480;
/// The parts of a line that was taken apart have about this many bytes.
const PART: usize = 240;

/// A line, or a part of a long one.
#[derive(Debug, Clone)]
pub struct Line {
    /// Its bytes in the text, without the line end.
    pub range: Range<usize>,
    /// Where its content starts, behind a line number.
    pub content: usize,
    /// Its number: the one the text shows, or counted.
    pub number: usize,
    /// It goes on the line before it (a part of a long line).
    pub continues: bool,
    /// It is a marker of an earlier truncation: always left out, and what it stands for is added to the gap.
    pub gap: Option<LineGap>,
}

/// The lines of a text.
#[derive(Debug, Clone)]
pub struct Lines {
    /// In order.
    pub lines: Vec<Line>,
    /// Most lines show a number, as read tools write it.
    pub numbered: bool,
}

impl Lines {
    /// Splits `text`.
    pub fn of(text: &str) -> Self {
        let mut lines = Vec::new();
        let mut numbered = 0;
        let mut next = 1;
        let mut start = 0;
        for end in memchr::memchr_iter(b'\n', text.as_bytes()).chain(std::iter::once(text.len())) {
            let line = &text[start..end];
            if let Some(Gap::Lines(gap)) = Gap::read(line) {
                next = gap.last + 1;
                lines.push(Line {
                    range: start..end,
                    content: start,
                    number: gap.first,
                    continues: false,
                    gap: Some(gap),
                });
            } else {
                let shown = shown_number(line);
                if let Some((number, _)) = shown {
                    numbered += 1;
                    next = number;
                }
                let content = start + shown.map_or(0, |(_, length)| length);
                push_parts(text, start..end, content, next, &mut lines);
                next += 1;
            }
            start = end + 1;
        }
        let numbered = numbered >= 4 && numbered * 10 > lines.len() * 6;
        if !numbered {
            for line in &mut lines {
                line.content = line.range.start;
            }
        }
        Self { lines, numbered }
    }
}

/// The number that a read tool put in front of a line (`  12\t`, `  12→`, ` 12 | `), and how many bytes it takes.
pub fn shown_number(line: &str) -> Option<(usize, usize)> {
    let bytes = line.as_bytes();
    let blanks = bytes.iter().take(12).take_while(|byte| **byte == b' ').count();
    let digits = bytes[blanks..].iter().take(9).take_while(|byte| byte.is_ascii_digit()).count();
    let end = blanks + digits;
    let number = line[blanks..end].parse().ok()?;
    let rest = &line[end..];
    let separator = ["\t", "→", " | "].into_iter().find(|separator| rest.starts_with(separator))?;
    Some((number, end + separator.len()))
}

fn push_parts(text: &str, range: Range<usize>, content: usize, number: usize, lines: &mut Vec<Line>) {
    if range.len() <= MAX_LINE_BYTES {
        lines.push(Line { range, content, number, continues: false, gap: None });
        return;
    }
    let mut start = range.start;
    while start < range.end {
        let end = part_end(text, start, range.end);
        let first = start == range.start;
        lines.push(Line {
            range: start..end,
            content: if first { content } else { start },
            number,
            continues: !first,
            gap: None,
        });
        start = end;
    }
}

/// The end of a part that starts at `start`: behind a blank or a separator where there is one nearby.
fn part_end(text: &str, start: usize, end: usize) -> usize {
    if end - start <= PART + PART / 2 {
        return end;
    }
    let bytes = text.as_bytes();
    let window = start + PART / 2..start + PART;
    let separator = bytes[window.clone()].iter().rposition(|byte| matches!(byte, b' ' | b',' | b';' | b'}' | b'>'));
    let mut at = separator.map_or(window.end, |at| window.start + at + 1);
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at.min(end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_are_read_where_a_tool_wrote_them() {
        let text = "    7→fn main() {\n    8→    run();\n    9→}\n   10→\n";
        let lines = Lines::of(text);
        assert!(lines.numbered);
        let read: Vec<_> =
            lines.lines[..3].iter().map(|line| (line.number, &text[line.content..line.range.end])).collect();
        assert_eq!(read, [(7, "fn main() {"), (8, "    run();"), (9, "}")]);
    }

    #[test]
    fn markers_carry_the_numbers_on() {
        let lines = Lines::of("a\n[…2-9]\nb");
        assert_eq!(lines.lines.iter().map(|line| line.number).collect::<Vec<_>>(), [1, 2, 10]);
    }

    proptest! {
        #[test]
        fn the_lines_cover_the_text(text in "(\\PC{0,30}\n?){0,20}|[a-z ]{900,1500}|é{700}") {
            let lines = Lines::of(&text).lines;
            let mut rebuilt = String::new();
            for (index, line) in lines.iter().enumerate() {
                if index > 0 && !line.continues {
                    rebuilt.push('\n');
                }
                rebuilt.push_str(&text[line.range.clone()]);
            }
            prop_assert_eq!(rebuilt, text);
        }
    }
}
