//! Divides a text into rows: its lines, and markers with the lines they represent.
//!
//! A marker counts as the lines it represents, so a line keeps its index whatever is left out around it.

use std::ops::Range;

use crate::{
    conversation::{NumberStyle, near_bytes},
    markers::{Gap, NUMBERED_EVERY, Pointer},
};

/// The index for a row that belongs to no excerpt.
pub const NO_EXCERPT: u32 = u32::MAX;

/// The kind of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowKind {
    /// A line as it is.
    Line,
    /// A pointer in place of lines.
    Pointer,
    /// The heading of lines whose numbers were left out. It represents no line itself.
    Heading,
    /// Below a heading: a marker for left-out lines, which still count.
    Gap,
}

/// A line of a text as written, without its line feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// The first byte in the text.
    pub start: u32,
    /// The end: the byte after the last.
    pub end: u32,
    /// The start of the content, after the line number.
    pub content: u32,
    /// The index from 0 of the line, or of the first line it represents.
    pub line: u32,
    /// The number of lines it represents.
    pub lines: u32,
    /// The index of its excerpt; [`NO_EXCERPT`] if the line has no number.
    pub excerpt: u32,
    /// Its kind.
    pub kind: RowKind,
}

impl Row {
    /// Returns the byte range of the row.
    #[must_use]
    pub fn range(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Returns the byte range of its content.
    #[must_use]
    pub fn content_range(&self) -> Range<usize> {
        self.content as usize..self.end as usize
    }
}

/// Consecutive lines with consecutive numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberedExcerpt {
    /// The rows of the excerpt.
    pub rows: Range<u32>,
    /// The index of its first line, from 0.
    pub line: u32,
    /// The number of lines.
    pub lines: u32,
    /// The number that the first line shows.
    pub number: u32,
    /// The style of its numbers.
    pub style: NumberStyle,
    /// True if most of its numbers were left out, as its first row says.
    pub sparse: bool,
    /// True if it contains markers.
    pub has_pointers: bool,
}

impl NumberedExcerpt {
    /// Returns the number of a line, given by its index in the text.
    #[must_use]
    pub fn number_of(&self, line: u32) -> u32 {
        self.number.saturating_add(line - self.line)
    }
}

/// The rows of a text.
#[derive(Debug, Clone, Default)]
pub struct Rows {
    /// The rows, in order.
    pub rows: Vec<Row>,
    /// The excerpts, in order.
    pub excerpts: Vec<NumberedExcerpt>,
    /// True if there is a pointer.
    pub has_pointers: bool,
    /// The rows that are not plain lines, in order.
    marked: Vec<u32>,
}

/// Fewer numbered lines are no excerpt, because lines may begin with a number by chance.
const MIN_EXCERPT_LINES: u32 = 3;

impl Rows {
    /// Reads the rows of `text`; there is at least one. A text of 4 GiB or more has none.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let mut reader = Reader { text, found: Self::default(), line: 0, open: None, left: 0 };
        if u32::try_from(text.len()).is_ok() {
            // A rough average of the bytes per line in programs and logs.
            reader.found.rows.reserve(text.len() / 32 + 1);
            lines(text.as_bytes()).for_each(|line| reader.row(line));
            reader.close();
        }
        reader.found
    }

    /// Returns the rows that are pointers.
    pub fn pointers(&self) -> impl Iterator<Item = &Row> {
        self.marked.iter().map(|row| &self.rows[*row as usize]).filter(|row| row.kind == RowKind::Pointer)
    }

    /// Returns true if these rows exist and all are plain lines.
    #[must_use]
    pub fn are_lines(&self, rows: &Range<usize>) -> bool {
        let next = self.marked.partition_point(|marked| (*marked as usize) < rows.start);
        rows.end <= self.rows.len() && self.marked.get(next).is_none_or(|marked| *marked as usize >= rows.end)
    }
}

/// Returns the range of each line, without its line feed; there is at least one.
pub(super) fn lines(text: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    let ends = near_bytes::find_all(b'\n', text).chain([text.len()]);
    ends.map(move |end| std::mem::replace(&mut start, end + 1)..end)
}

/// Returns the number at the start of a line, and the rest of the line.
#[must_use]
pub fn numbered(line: &str) -> Option<(u32, &str)> {
    NumberStyle::read(line.as_bytes()).map(|(number, _, content)| (number, &line[content..]))
}

struct Reader<'a> {
    text: &'a str,
    found: Rows,
    /// The index of the next line.
    line: u32,
    /// The excerpt of the row before, which the next row may continue.
    open: Option<NumberedExcerpt>,
    /// The number of lines of the open excerpt that still follow without numbers.
    left: u32,
}

impl Reader<'_> {
    fn row(&mut self, Range { start, end }: Range<usize>) {
        let bytes = &self.text.as_bytes()[start..end];
        let index = self.found.rows.len() as u32;
        let mut row = Row {
            start: start as u32,
            end: end as u32,
            content: start as u32,
            line: self.line,
            lines: 1,
            excerpt: NO_EXCERPT,
            kind: RowKind::Line,
        };
        if self.left > 0 {
            let number = self.kept_number(bytes);
            row.content += number as u32;
            if let Some(marker) = marker(&bytes[number..]).filter(|marker| marker.lines() > 0) {
                self.mark(&mut row, marker);
            }
            if let Some(lines) = gap(&bytes[number..]) {
                self.found.marked.push(index);
                (row.kind, row.lines) = (RowKind::Gap, lines);
            }
            if let Some(open) = &mut self.open {
                open.lines = open.lines.saturating_add(row.lines);
                open.has_pointers |= row.kind == RowKind::Pointer;
            }
            self.left = self.left.saturating_sub(row.lines);
            return self.push(row);
        }
        let numbered = match bytes.first() {
            Some(b' ' | b'0'..=b'9') => NumberStyle::read(bytes),
            _ => None,
        };
        let Some((number, style, content)) = numbered else {
            self.close();
            match marker(bytes) {
                Some(marker) if marker.lines() > 0 => self.mark(&mut row, marker),
                _ => {}
            }
            return self.push(row);
        };
        let marker = match marker(&bytes[content..]) {
            Some(Pointer::Sparse { lines }) if !self.is_heading(end, number, style, lines) => None,
            marker => marker,
        };
        if let Some(Pointer::Sparse { lines }) = marker {
            self.close();
            row.kind = RowKind::Heading;
            row.lines = 0;
            row.content += content as u32;
            self.left = lines;
            self.found.has_pointers = true;
            self.found.marked.push(index);
            let excerpt = NumberedExcerpt {
                rows: index..index,
                line: self.line,
                lines: 0,
                number,
                style,
                sparse: true,
                has_pointers: false,
            };
            self.open = Some(excerpt);
            return self.push(row);
        }
        if let Some(marker) = marker {
            self.mark(&mut row, marker);
        }
        let continues = self.open.as_ref().is_some_and(|open| {
            !open.sparse && open.number_of(self.line) == number && open.style.continues_as(number, style)
        });
        if !continues {
            self.close();
            let excerpt = NumberedExcerpt {
                rows: index..index,
                line: self.line,
                lines: 0,
                number,
                style,
                sparse: false,
                has_pointers: false,
            };
            self.open = Some(excerpt);
        }
        row.content += content as u32;
        if let Some(open) = &mut self.open {
            open.lines = open.lines.saturating_add(row.lines);
            open.has_pointers |= row.kind == RowKind::Pointer;
        }
        self.push(row);
    }

    /// Returns true if the lines after the one that ends here have only the numbers that a heading leaves them.
    /// Otherwise the heading is quoted, for example by a file.
    fn is_heading(&self, end: usize, number: u32, style: NumberStyle, lines: u32) -> bool {
        let below = self.text.as_bytes().get(end + 1..).unwrap_or_default();
        let mut next = 0;
        for line in self::lines(below) {
            if next >= lines {
                break;
            }
            let line = &below[line];
            let kept = kept_number(number.saturating_add(next), style, line);
            if kept == 0 && style.is_shown(line) {
                return false;
            }
            let content = &line[kept..];
            let stands_for = marker(content).map(|marker| marker.lines()).filter(|lines| *lines > 0);
            next = next.saturating_add(stands_for.or_else(|| gap(content)).unwrap_or(1));
        }
        true
    }

    /// Returns the length of the number that the next line of a sparsely numbered excerpt has kept.
    fn kept_number(&self, line: &[u8]) -> usize {
        self.open.as_ref().map_or(0, |open| kept_number(open.number_of(self.line), open.style, line))
    }

    fn mark(&mut self, row: &mut Row, marker: Pointer<'_>) {
        self.found.marked.push(self.found.rows.len() as u32);
        row.kind = RowKind::Pointer;
        row.lines = marker.lines();
        self.found.has_pointers = true;
    }

    fn push(&mut self, mut row: Row) {
        // An excerpt closed meanwhile may turn out to be none, in which case its lines count differently.
        row.line = self.line;
        self.line = self.line.saturating_add(row.lines);
        self.found.rows.push(row);
        if let Some(open) = &mut self.open {
            open.rows.end += 1;
            if open.sparse && self.left == 0 {
                self.close();
            }
        }
    }

    /// Closes the open excerpt. With too few lines it is discarded, unless it contains a pointer, which no line looks
    /// like by chance.
    fn close(&mut self) {
        self.left = 0;
        let Some(excerpt) = self.open.take() else { return };
        let rows = &mut self.found.rows[excerpt.rows.start as usize..excerpt.rows.end as usize];
        if excerpt.lines < MIN_EXCERPT_LINES && !excerpt.sparse && !excerpt.has_pointers {
            let mut line = excerpt.line;
            for row in rows {
                (row.content, row.line) = (row.start, line);
                line += 1;
            }
            self.line = line;
            return;
        }
        let index = self.found.excerpts.len() as u32;
        rows.iter_mut().for_each(|row| row.excerpt = index);
        self.found.excerpts.push(excerpt);
    }
}

/// Returns the length of the number that a line keeps below a heading; 0 if it keeps none.
fn kept_number(number: u32, style: NumberStyle, line: &[u8]) -> usize {
    let kept = number.is_multiple_of(NUMBERED_EVERY).then(|| NumberStyle::read(line)).flatten();
    kept.filter(|(found, is, _)| *found == number && style.continues_as(number, *is)).map_or(0, |(.., end)| end)
}

fn gap(content: &[u8]) -> Option<u32> {
    if !content.starts_with("[…".as_bytes()) {
        return None;
    }
    match Gap::read(std::str::from_utf8(content).ok()?)? {
        Gap::Elsewhere(lines) => u32::try_from(lines).ok().filter(|lines| *lines > 0),
        _ => None,
    }
}

fn marker(content: &[u8]) -> Option<Pointer<'_>> {
    if content.first() != Some(&b'[') || content.last() != Some(&b']') {
        return None;
    }
    Pointer::read(std::str::from_utf8(content).ok()?)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn kinds(text: &str) -> Vec<(RowKind, u32, u32)> {
        Rows::read(text).rows.iter().map(|row| (row.kind, row.line, row.lines)).collect()
    }

    #[test]
    fn lines_keep_their_place_around_markers() {
        use RowKind::{Line, Pointer};
        let text = "a\n[5 lines as below from \"quote\"]\nb\n[The line above 2 more times]\n";
        assert_eq!(kinds(text), [(Line, 0, 1), (Pointer, 1, 5), (Line, 6, 1), (Pointer, 7, 2), (Line, 9, 1)]);
        let rows = Rows::read(text);
        assert_eq!(
            [0..1, 0..2, 2..3, 3..4, 4..5, 4..6].map(|range| rows.are_lines(&range)),
            [true, false, true, false, true, false]
        );
    }

    #[test]
    fn three_numbered_lines_make_an_excerpt() {
        let rows = Rows::read("File: a\n 9 | x\n10 | y\n11 | \n1 | z\n2 | w");
        let excerpt = &rows.excerpts[0];
        assert_eq!((rows.excerpts.len(), excerpt.rows.clone(), excerpt.number, excerpt.line), (1, 1..4, 9, 1));
        assert_eq!((rows.rows[1].content - rows.rows[1].start, rows.rows[4].content), (5, rows.rows[4].start));
        assert_eq!((excerpt.lines, excerpt.number_of(2)), (3, 10));
    }

    #[test]
    fn a_heading_numbers_what_follows() {
        let rows = Rows::read(
            "     8→[4 lines, every 10th numbered:]\nx\n[1 line as above from \"quote\"]\n    10→y\nz\nno number",
        );
        let excerpt = &rows.excerpts[0];
        assert_eq!((excerpt.sparse, excerpt.number, excerpt.lines, excerpt.rows.clone()), (true, 8, 4, 0..5));
        assert_eq!(rows.rows[3].content - rows.rows[3].start, "    10→".len() as u32);
        assert_eq!((rows.rows[0].kind, rows.rows[5].excerpt, rows.rows[5].line), (RowKind::Heading, NO_EXCERPT, 4));
    }

    #[test]
    fn a_heading_above_lines_with_numbers_of_their_own_is_text() {
        let heading = "     8→[4 lines, every 10th numbered:]";
        for (below, is_heading) in [
            ("x\ny\n    10→z\nno number", true),
            ("x", true),
            ("     9→x\n    10→y", false),
            ("x\ny\n    11→z", false),
            ("x\n[3 lines as above from \"quote\"]\n    12→no line of it", true),
            ("x\ny\n    10→    11→z", true),
            ("x\n9→in another style", true),
        ] {
            let rows = Rows::read(&format!("{heading}\n{below}"));
            assert_eq!(rows.rows[0].kind == RowKind::Heading, is_heading, "{below}");
        }
    }

    #[test]
    fn a_pointer_behind_a_number_needs_no_neighbours() {
        let rows = Rows::read("7 | [2 lines as above from \"quote\"]\nx\ny");
        assert_eq!((rows.excerpts.len(), rows.excerpts[0].number), (1, 7));
        assert_eq!(rows.rows.iter().map(|row| row.line).collect::<Vec<_>>(), [0, 2, 3]);
    }

    #[test]
    fn left_out_lines_count_below_a_heading_alone() {
        use RowKind::{Gap, Heading, Line};
        let heading = "     8→[5 lines, every 10th numbered:]";
        assert_eq!(
            kinds(&format!("{heading}\nx\n[… 3 lines left out]\ny")),
            [(Heading, 0, 0), (Line, 0, 1), (Gap, 1, 3), (Line, 4, 1)]
        );
        assert_eq!(kinds("[… 3 lines left out]\ny"), [(Line, 0, 1), (Line, 1, 1)]);
        for other in ["[…]", "[… 0 lines left out]", "[…3-5]"] {
            assert_eq!(kinds(&format!("{heading}\n{other}"))[1], (Line, 0, 1), "{other}");
        }
    }

    proptest! {
        #[test]
        fn rows_are_the_lines_of_the_text(text in "(     [0-9]{1,2}→|[0-9]{1,2} \\| )?(x|\\[[0-9] lines, every 10th numbered:\\]|\\[[2-9] lines as above from \"xxxx\"\\])?(\n(     [0-9]{1,2}→|[0-9]{1,2} \\| )?(x|\\[[0-9] lines, every 10th numbered:\\]|\\[The line above 4 more times\\])?){0,20}") {
            let rows = Rows::read(&text);
            let lines: Vec<_> = rows.rows.iter().map(|row| &text[row.range()]).collect();
            prop_assert_eq!(lines.join("\n"), &*text);
            let mut next = 0;
            for row in &rows.rows {
                prop_assert_eq!(row.line, next);
                next += row.lines;
                prop_assert!(row.start <= row.content && row.content <= row.end);
            }
            for (index, excerpt) in rows.excerpts.iter().enumerate() {
                let members = &rows.rows[excerpt.rows.start as usize..excerpt.rows.end as usize];
                prop_assert!(members.iter().all(|row| row.excerpt as usize == index));
                prop_assert_eq!(members.iter().map(|row| row.lines).sum::<u32>(), excerpt.lines);
            }
        }
    }
}
