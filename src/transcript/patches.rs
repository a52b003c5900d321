//! Edits written as text: SEARCH/REPLACE blocks (Roo, Cline) and patches (`*** Begin Patch`).

use std::ops::Range;

use super::{
    events::Touch,
    place::{Span, line_at},
};

/// One change of a file. All spans lie in one text, that of the call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileChange {
    /// Replaces a text, which may begin and end within a line.
    Text {
        /// The replaced text; index in [`super::Transcript::texts`] and bytes.
        old: super::Place,
        /// The new text.
        new: super::Place,
        /// True for every occurrence, false for one.
        everywhere: bool,
    },
    /// Replaces whole lines.
    Lines {
        /// Index in [`super::Transcript::texts`].
        text: usize,
        /// The replaced lines.
        old: Vec<Span>,
        /// The new lines.
        new: Vec<Span>,
        /// The number of the first old line, if the call states it.
        start: Option<u32>,
    },
    /// Inserts lines.
    Insert {
        /// Index in [`super::Transcript::texts`].
        text: usize,
        /// The number of the line before which they are inserted; `None` for the end of the file.
        before: Option<u32>,
        /// The lines.
        new: Vec<Span>,
    },
}

/// Returns the blocks in a SEARCH/REPLACE text.
pub(super) fn search_replace(text: &str, index: usize, range: Range<usize>) -> Vec<FileChange> {
    let mut found = Vec::new();
    let mut block: Option<Block> = None;
    let mut at = range.start;
    while at < range.end {
        let (line, next) = line_at(text, at, range.end);
        at = if next > line.end { next } else { range.end };
        let content = text[line.clone()].trim_end();
        if opens(content) {
            block = Some(Block::default());
            continue;
        }
        let Some(open) = &mut block else { continue };
        match open.part {
            Part::Head | Part::Old if content == "=======" => open.part = Part::New,
            Part::Head => match content.strip_prefix(":start_line:") {
                Some(number) => open.start = number.trim().parse().ok(),
                None if content.starts_with(":end_line:") => {}
                None if content == "-------" => open.part = Part::Old,
                None => {
                    open.part = Part::Old;
                    open.old.push(Span::new(line));
                }
            },
            Part::Old => open.old.push(Span::new(line)),
            Part::New if closes(content) => {
                let Block { start, old, new, .. } = std::mem::take(open);
                found.push(FileChange::Lines { text: index, old, new, start });
                block = None;
            }
            Part::New => open.new.push(Span::new(line)),
        }
    }
    found
}

#[derive(Default)]
struct Block {
    part: Part,
    start: Option<u32>,
    old: Vec<Span>,
    new: Vec<Span>,
}

#[derive(Default, Clone, Copy)]
enum Part {
    #[default]
    Head,
    Old,
    New,
}

fn opens(line: &str) -> bool {
    matches!(line.trim_end_matches('>'), "<<<<<<< SEARCH" | "------- SEARCH")
}

fn closes(line: &str) -> bool {
    matches!(line, ">>>>>>> REPLACE" | "+++++++ REPLACE")
}

/// A patch's effect on one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FilePatch {
    /// A new file with these lines.
    Add(Range<usize>, Vec<Span>),
    /// Changes to a file.
    Update(Range<usize>, Vec<FileChange>),
    /// The file was deleted, or now has this name.
    Touch(Range<usize>, Touch),
}

impl FilePatch {
    fn may_have_hunks(&self) -> bool {
        matches!(self, Self::Update(..) | Self::Touch(_, Touch::Changed))
    }
}

/// Starts of the lines that name a file in a patch.
const UPDATES: &str = "*** Update File: ";
const ADDS: &str = "*** Add File: ";
const DELETES: &str = "*** Delete File: ";
const MOVES: &str = "*** Move to: ";

/// Returns the first file in a patch (`*** Begin Patch`); empty if it names none.
pub(super) fn first_file(patch: &str) -> &str {
    let headings = [UPDATES, ADDS, DELETES];
    let named = patch.lines().find_map(|line| headings.iter().find_map(|heading| line.strip_prefix(heading)));
    named.unwrap_or_default().trim()
}

/// Returns the lines of a patch (`*** Begin Patch`) by which a file is deleted or gets another name.
pub fn moved_in_patch(patch: &str) -> impl Iterator<Item = &str> {
    patch.lines().filter(|line| line.starts_with(DELETES) || line.starts_with(MOVES))
}

/// Returns the files that a patch's headings (`*** Begin Patch`) name.
pub fn files_of_patch(patch: &str) -> Vec<String> {
    let headings = [UPDATES, ADDS, DELETES, MOVES];
    let named = patch.lines().filter_map(|line| headings.iter().find_map(|heading| line.strip_prefix(heading)));
    named.map(|path| path.trim().to_owned()).collect()
}

/// Returns the files of a patch (`*** Begin Patch`, or a unified diff), with the range of each path.
pub(super) fn patch(text: &str, index: usize, range: Range<usize>) -> Vec<FilePatch> {
    let mut found: Vec<FilePatch> = Vec::new();
    let mut hunk = Hunk::default();
    let mut at = range.start;
    while at < range.end {
        let (line, next) = line_at(text, at, range.end);
        at = if next > line.end { next } else { range.end };
        let content = &text[line.clone()];
        let name = |prefix: &str| {
            let path = content.strip_prefix(prefix)?.trim();
            let path = path.strip_prefix("b/").filter(|_| prefix == "+++ ").unwrap_or(path);
            let end = line.start + content.trim_end().len();
            Some(end - path.len()..end)
        };
        if let Some(path) = name(UPDATES).or_else(|| name("+++ ").filter(|_| hunk.is_empty())) {
            hunk.finish(index, &mut found);
            found.push(FilePatch::Update(path, Vec::new()));
        } else if let Some(path) = name(ADDS) {
            hunk.finish(index, &mut found);
            found.push(FilePatch::Add(path, Vec::new()));
        } else if let Some(path) = name(DELETES) {
            hunk.finish(index, &mut found);
            found.push(FilePatch::Touch(path, Touch::Removed));
        } else if let Some(path) = name(MOVES) {
            hunk.finish(index, &mut found);
            if let Some(FilePatch::Update(from, _)) = found.last() {
                let from = from.clone();
                found.push(FilePatch::Touch(from, Touch::Removed));
            }
            found.push(FilePatch::Touch(path, Touch::Changed));
        } else if content.starts_with("@@") || content.starts_with("*** ") {
            hunk.finish(index, &mut found);
            hunk.start = content.strip_prefix("@@ -").and_then(|rest| rest.split([',', ' ']).next()?.parse().ok());
        } else {
            let rest = Span::new(line.start + content.len().min(1)..line.end);
            match (found.last_mut(), content.as_bytes().first()) {
                (Some(FilePatch::Add(_, lines)), Some(b'+')) => lines.push(rest),
                (Some(file), Some(b'+')) if file.may_have_hunks() => hunk.new.push(rest),
                (Some(file), Some(b'-')) if file.may_have_hunks() && !content.starts_with("--- ") => {
                    hunk.old.push(rest);
                }
                // A context line. Editors strip the blank from an empty context line.
                (Some(file), Some(b' ') | None) if file.may_have_hunks() && (at < range.end || !content.is_empty()) => {
                    hunk.old.push(rest);
                    hunk.new.push(rest);
                }
                _ => {}
            }
        }
    }
    hunk.finish(index, &mut found);
    found
}

/// Returns the old and the new lines of each change in a text of SEARCH/REPLACE blocks, or in a patch. An added file has
/// no old lines, and deleted files are not listed. Empty if the text is neither.
pub fn changes_in(text: &str) -> Vec<(Vec<&str>, Vec<&str>)> {
    let lines = |spans: Vec<Span>| spans.into_iter().map(|span| &text[span.range()]).collect();
    let of_change = |change| match change {
        FileChange::Lines { old, new, .. } => Some((lines(old), lines(new))),
        FileChange::Text { .. } | FileChange::Insert { .. } => None,
    };
    let blocks = search_replace(text, 0, 0..text.len());
    if !blocks.is_empty() {
        return blocks.into_iter().filter_map(of_change).collect();
    }
    let of_file = |file| match file {
        FilePatch::Add(_, added) => vec![(Vec::new(), lines(added))],
        FilePatch::Update(_, changes) => changes.into_iter().filter_map(of_change).collect(),
        FilePatch::Touch(..) => Vec::new(),
    };
    patch(text, 0, 0..text.len()).into_iter().flat_map(of_file).collect()
}

#[derive(Default)]
struct Hunk {
    start: Option<u32>,
    old: Vec<Span>,
    new: Vec<Span>,
}

impl Hunk {
    fn is_empty(&self) -> bool {
        self.old.is_empty() && self.new.is_empty()
    }

    fn finish(&mut self, index: usize, found: &mut Vec<FilePatch>) {
        let Self { start, old, new } = std::mem::take(self);
        if old.is_empty() && new.is_empty() {
            return;
        }
        // Hunks behind a new name are changes of the file with this name.
        if let Some(FilePatch::Touch(path, Touch::Changed)) = found.last() {
            let path = path.clone();
            found.push(FilePatch::Update(path, Vec::new()));
        }
        if let Some(FilePatch::Update(_, changes)) = found.last_mut() {
            changes.push(FileChange::Lines { text: index, old, new, start });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines<'a>(text: &'a str, spans: &[Span]) -> Vec<&'a str> {
        spans.iter().map(|span| &text[span.range()]).collect()
    }

    fn read<'a>(text: &'a str, changes: &[FileChange]) -> Vec<(Vec<&'a str>, Vec<&'a str>, Option<u32>)> {
        let read = |change: &FileChange| match change {
            FileChange::Lines { old, new, start, .. } => (lines(text, old), lines(text, new), *start),
            _ => panic!("{change:?}"),
        };
        changes.iter().map(read).collect()
    }

    #[test]
    fn several_blocks() {
        let text = "<<<<<<< SEARCH\n:start_line:7\n-------\na\nb\n=======\nc\n>>>>>>> REPLACE\n\n------- SEARCH\nx\n=======\n+++++++ REPLACE\n<<<<<<< SEARCH\ncut off";
        let changes = search_replace(text, 0, 0..text.len());
        assert_eq!(read(text, &changes), [(vec!["a", "b"], vec!["c"], Some(7)), (vec!["x"], vec![], None)]);
    }

    #[test]
    fn patches_of_several_files() {
        let text = "*** Begin Patch\n*** Update File: a.ts\n@@ class A\n one\n-two\n+2\n@@\n-x\n*** Add File: b.ts\n+new\n+\n*** Delete File: c.ts\n*** End Patch";
        let found = patch(text, 0, 0..text.len());
        let [FilePatch::Update(a, changes), FilePatch::Add(b, added), FilePatch::Touch(c, Touch::Removed)] = &found[..]
        else {
            panic!("{found:?}")
        };
        assert_eq!([a, b, c].map(|path| &text[path.clone()]), ["a.ts", "b.ts", "c.ts"]);
        assert_eq!(read(text, changes), [(vec!["one", "two"], vec!["one", "2"], None), (vec!["x"], vec![], None)]);
        assert_eq!(lines(text, added), ["new", ""]);
        let text = "*** Update File: a.ts\n*** Move to: b.ts\n@@\n-x\n+y\n*** End Patch";
        let found = patch(text, 0, 0..text.len());
        let [FilePatch::Touch(a, Touch::Removed), FilePatch::Touch(b, Touch::Changed), FilePatch::Update(c, changes)] =
            &found[1..]
        else {
            panic!("{found:?}")
        };
        assert_eq!([a, b, c].map(|path| &text[path.clone()]), ["a.ts", "b.ts", "b.ts"]);
        assert_eq!(read(text, changes), [(vec!["x"], vec!["y"], None)]);
        let text = "--- a/x.c\n+++ b/x.c\n@@ -3,2 +3,2 @@\n a\n-b\n+c\n";
        let [FilePatch::Update(path, changes)] = &patch(text, 0, 0..text.len())[..] else { panic!() };
        assert_eq!(
            (&text[path.clone()], read(text, changes)),
            ("x.c", vec![(vec!["a", "b"], vec!["a", "c"], Some(3))])
        );
    }
}
