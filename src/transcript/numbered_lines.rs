//! Reads lines of a file that show their numbers.

use std::ops::Range;

use super::place::{Excerpt, Numbering, Span, line_at};

/// Returns the number at the start of a line, its style, and the start of the line's content.
pub(super) fn number(text: &str, line: Range<usize>) -> Option<(u32, Numbering, usize)> {
    let bytes = &text.as_bytes()[line.clone()];
    let blanks = bytes.iter().take(12).take_while(|byte| **byte == b' ').count();
    let digits = bytes[blanks..].iter().take(10).take_while(|byte| byte.is_ascii_digit()).count();
    let number = text[line.start + blanks..line.start + blanks + digits].parse().ok()?;
    let rest = &bytes[blanks + digits..];
    let (numbering, separator) = if rest.starts_with(b"\t") {
        (Numbering::Tab, 1)
    } else if rest.starts_with("→".as_bytes()) {
        (Numbering::Arrow, "→".len())
    } else if rest.starts_with(b" | ") {
        (Numbering::Pipe, 3)
    } else if digits == 5 && rest.starts_with(b"| ") {
        (Numbering::Bar, 2)
    } else if rest == b" |" || rest == b" |\r" {
        // An empty line whose trailing blanks were stripped.
        (Numbering::Pipe, 2)
    } else {
        return None;
    };
    Some((number, numbering, line.start + blanks + digits + separator))
}

/// Returns the numbered lines from `range.start` on, one excerpt per run of consecutive numbers, and the start of the
/// first line that does not continue them.
pub(super) fn excerpts(text: &str, index: usize, range: Range<usize>) -> (Vec<Excerpt>, usize) {
    let mut found: Vec<Excerpt> = Vec::new();
    let mut at = range.start;
    while at < range.end {
        let (line, next) = line_at(text, at, range.end);
        let Some((number, numbering, content)) = self::number(text, line.clone()) else { break };
        let span = Span::new(content..line.end);
        match found.last_mut() {
            Some(last) if last.numbering == numbering && last.numbers().end == number => {
                last.lines.push(span);
                last.range.end = line.end;
            }
            // Numbers only increase; anything else is no longer a line of the file.
            Some(last) if last.numbering != numbering || number < last.numbers().end => break,
            _ => found.push(Excerpt { first: number, text: index, range: line.clone(), lines: vec![span], numbering }),
        }
        at = next.max(line.end);
        if next <= line.end {
            break;
        }
    }
    (found, at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_styles_of_numbers() {
        for (text, numbering) in [
            ("     1\ta\n     2\t\n", Numbering::Tab),
            ("     1→a\n     2→\n", Numbering::Arrow),
            (" 1 | a\n 2 |\n", Numbering::Pipe),
        ] {
            let text = format!("{text}rest");
            let (found, end) = excerpts(&text, 0, 0..text.len());
            assert_eq!((found.len(), found[0].first, found[0].numbering, &text[end..]), (1, 1, numbering, "rest"));
            let lines: Vec<_> = found[0].lines.iter().map(|line| &text[line.range()]).collect();
            assert_eq!(lines, ["a", ""]);
        }
    }

    #[test]
    fn gaps_start_an_excerpt_and_smaller_numbers_end_it() {
        let text = "1 | a\n2 | b\n9 | c\n3 | d";
        let (found, end) = excerpts(text, 0, 0..text.len());
        let numbers: Vec<_> = found.iter().map(Excerpt::numbers).collect();
        assert_eq!((numbers, &text[end..]), (vec![1..3, 9..10], "3 | d"));
    }
}
