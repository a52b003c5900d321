//! Lines that a search found.

use std::{ops::Range, sync::Arc};

use super::{
    numbered_lines,
    place::{Span, line_at},
};

/// A line that a search shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// The path of the file.
    pub path: Arc<str>,
    /// The line's number, from 1; 0 if it is not shown.
    pub line: u32,
    /// The content of the line in the text of the result.
    pub span: Span,
}

/// Returns the hits in a result of Roo (`# path`, ` 12 | text`, `----`; earlier `path`, `│text`, `│----`), of Roo's
/// `codebase_search`, or of grep and ripgrep (`path:12:text`, `12:text`, `path-12-text`). `only` is the searched
/// file, if only one was searched.
pub(super) fn hits(text: &str, range: Range<usize>, only: Option<&Arc<str>>) -> Vec<Hit> {
    let mut hits: Vec<Hit> = Vec::new();
    let mut current: Option<Arc<str>> = None;
    // Adjacent hits are mostly in one file, and share its name.
    let mut last: Option<Arc<str>> = None;
    let mut named: Option<Arc<str>> = None;
    let mut chunk = Chunk::default();
    let mut at = range.start;
    while at < range.end {
        let (line, next) = line_at(text, at, range.end);
        at = if next > line.end { next } else { range.end };
        let content = &text[line.clone()];
        if let Some(path) = content.strip_prefix("# ") {
            current = Some(path.trim().into());
            continue;
        }
        if let Some(hit) = chunk.hit(content, line.end) {
            hits.push(hit);
            continue;
        }
        // Roo's results of early 2025 name the file on its own line and show no numbers.
        if let Some(rest) = content.strip_prefix('│') {
            if let Some(path) = named.as_ref().filter(|_| rest != "----") {
                hits.push(Hit { path: path.clone(), line: 0, span: Span::new(line.end - rest.len()..line.end) });
            }
            continue;
        }
        if text[at..range.end].starts_with('│') {
            named = Some(content.trim().into());
            continue;
        }
        if let Some(path) = &current {
            if let Some((number, _, start)) = numbered_lines::number(text, line.clone()) {
                hits.push(Hit { path: path.clone(), line: number, span: Span::new(start..line.end) });
            }
            continue;
        }
        let Some((path, number, start)) = grep_line(content, only.is_some()) else { continue };
        let path = match (path, only) {
            ("", Some(only)) => only.clone(),
            ("", None) => continue,
            (path, _) => match &last {
                Some(last) if **last == *path => last.clone(),
                _ => last.insert(path.into()).clone(),
            },
        };
        hits.push(Hit { path, line: number, span: Span::new(line.start + start..line.end) });
    }
    hits
}

/// Part of a file in a result of Roo's `codebase_search`: `File path: P`, `Lines: 3-5`, `Code Chunk: …` and its
/// further lines.
#[derive(Default)]
struct Chunk {
    path: Option<Arc<str>>,
    next: u32,
    end: u32,
    inside: bool,
}

impl Chunk {
    fn hit(&mut self, content: &str, content_end: usize) -> Option<Hit> {
        if let Some(path) = content.strip_prefix("File path: ") {
            *self = Self { path: Some(path.trim().into()), ..Self::default() };
            return None;
        }
        let path = self.path.as_ref()?;
        let mut shown = content;
        if !self.inside {
            if let Some((first, last)) = content.strip_prefix("Lines: ").and_then(|lines| lines.split_once('-')) {
                (self.next, self.end) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
                return None;
            }
            shown = content.strip_prefix("Code Chunk: ")?;
            self.inside = true;
        }
        if self.next == 0 || self.next > self.end {
            return None;
        }
        let line = self.next;
        self.next = line.saturating_add(1);
        Some(Hit { path: path.clone(), line, span: Span::new(content_end - shown.len()..content_end) })
    }
}

/// Returns path (empty if none is shown), number, and start of the content.
fn grep_line(line: &str, one_file: bool) -> Option<(&str, u32, usize)> {
    let digits = |from: usize| line.as_bytes()[from..].iter().take(10).take_while(|byte| byte.is_ascii_digit()).count();
    let first = digits(0);
    if one_file && first > 0 && matches!(line.as_bytes().get(first), Some(b':' | b'-')) {
        return Some(("", line[..first].parse().ok()?, first + 1));
    }
    // `path:12:` for a match and `path-12-` for a line around it. Paths are short, so only the start is searched.
    let end = (0..=line.len().min(400)).rev().find(|end| line.is_char_boundary(*end))?;
    for (at, separator) in line[..end].match_indices([':', '-']) {
        let count = digits(at + 1);
        let number_end = at + 1 + count;
        if count == 0 || !line[number_end..].starts_with(separator) {
            continue;
        }
        let path = &line[..at];
        let is_path =
            !path.is_empty() && !path.starts_with(' ') && !path.contains('\t') && (path.contains(['/', '\\', '.']));
        return if is_path { Some((path, line[at + 1..number_end].parse().ok()?, number_end + 1)) } else { None };
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, only: Option<&str>) -> Vec<(String, u32, String)> {
        let only = only.map(Arc::from);
        let hits = hits(text, 0..text.len(), only.as_ref());
        hits.iter().map(|hit| (hit.path.to_string(), hit.line, text[hit.span.range()].to_owned())).collect()
    }

    #[test]
    fn answers_of_all_searches() {
        let expected = |lines: &[(&str, u32, &str)]| -> Vec<_> {
            lines.iter().map(|(path, line, text)| ((*path).to_owned(), *line, (*text).to_owned())).collect()
        };
        let roo = "Found 2 results.\n\n# src/a.ts\n 12 | let a\n 13 | \n----\n\n# b.ts\n  1 | x\n----";
        assert_eq!(read(roo, None), expected(&[("src/a.ts", 12, "let a"), ("src/a.ts", 13, ""), ("b.ts", 1, "x")]));
        let early = "Showing first 300.\n\nsrc/a.ts\n│----\n│\tx\n│----\n\nb.ts\n│----\n│y";
        assert_eq!(read(early, None), expected(&[("src/a.ts", 0, "\tx"), ("b.ts", 0, "y")]));
        let chunks = "Query: x\nResults:\n\nFile path: a\\b.ts\nScore: 0.7\nLines: 3-4\nCode Chunk: x\n\ty\n\nFile path: c.ts\nLines: 9-9\nCode Chunk: z\n";
        assert_eq!(read(chunks, None), expected(&[("a\\b.ts", 3, "x"), ("a\\b.ts", 4, "\ty"), ("c.ts", 9, "z")]));
        let grep = "a-b/c.go:10:func x()\na-b/c.go-11-\t1-2-3\n--\nno hit";
        assert_eq!(read(grep, None), expected(&[("a-b/c.go", 10, "func x()"), ("a-b/c.go", 11, "\t1-2-3")]));
        assert_eq!(read("7:x\n8-a:9:b", Some("f")), expected(&[("f", 7, "x"), ("f", 8, "a:9:b")]));
    }
}
