//! Differences between two texts or two versions of a message, line by line. Bounded in time and size, whatever the
//! texts are.

use std::ops::Range;

use serde::Serialize;
use similar::{Algorithm, DiffOp, DiffTag, capture_diff_slices, group_diff_ops};

use crate::conversation::{Message, PathStep};

/// Limits on how much of a difference is shown.
#[derive(Debug, Clone, Copy)]
pub struct DiffLimits {
    /// Number of unchanged lines around a difference.
    pub context: usize,
    /// Maximum removed and maximum added lines per text; further ones are left out.
    pub lines: usize,
    /// Maximum characters per line. For a changed line, those around the first difference.
    pub characters: usize,
}

impl Default for DiffLimits {
    fn default() -> Self {
        Self { context: 2, lines: 200, characters: 400 }
    }
}

/// If more lines than this are between the common beginning and end of two texts, they are not compared: all old
/// lines are removed, and all new ones added. The time to compare grows with the differing lines times all lines.
const MAX_COMPARED: usize = 4000;

/// The differences in one text of a message; see `diffMessages`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct TextDiff {
    /// Index of its block; 0 for content that is a string.
    pub block_index: usize,
    /// The path from the message to the text, such as `["content", 0, "text"]`.
    #[cfg_attr(test, ts(type = "(string | number)[]"))]
    pub path: Vec<PathStep>,
    /// The differences, in order, each with the lines around it.
    pub hunks: Vec<Hunk>,
    /// Number of differing lines that were omitted, because there are too many.
    pub omitted_lines: usize,
}

/// Lines that differ, with the lines around them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "DiffHunk"))]
#[serde(rename_all = "camelCase")]
pub struct Hunk {
    /// The first line in the text before, from 1.
    pub before_line: usize,
    /// The first line in the text after, from 1.
    pub after_line: usize,
    /// The lines.
    pub lines: Vec<DiffLine>,
}

/// The texts that contain a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum LineKind {
    /// Both texts.
    Same,
    /// The old text only.
    Removed,
    /// The new text only.
    Added,
}

/// A line of a `DiffHunk`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct DiffLine {
    /// Whether the line is in both texts, only before, or only after.
    #[cfg_attr(test, ts(inline))]
    pub kind: LineKind,
    /// Its text, without the line end; of a long line, the part with the difference. It may contain control
    /// characters.
    pub text: String,
    /// Number of characters before that part, if any.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub characters_before: usize,
    /// Number of characters after it, if any.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub characters_after: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// Returns the differences between the texts of two versions of a message; `None` represents a missing message.
pub fn message_diff(before: Option<&Message>, after: Option<&Message>, limits: DiffLimits) -> Vec<TextDiff> {
    let was = before.map(Message::texts).unwrap_or_default();
    let is = after.map(Message::texts).unwrap_or_default();
    let mut found = Vec::new();
    let mut diff = |block_index, path: &[PathStep], was: &str, is: &str| {
        if was != is {
            found.push(text_diff(block_index, path.to_vec(), was, is, limits));
        }
    };
    for text in &was {
        let now = is.iter().find(|now| now.path == text.path).map_or("", |now| now.text);
        diff(text.block, &text.path, text.text, now);
    }
    for text in is.iter().filter(|text| was.iter().all(|was| was.path != text.path)) {
        diff(text.block, &text.path, "", text.text);
    }
    found
}

/// Returns the differences between two texts.
fn text_diff(block_index: usize, path: Vec<PathStep>, before: &str, after: &str, limits: DiffLimits) -> TextDiff {
    let (was, is) = (lines(before), lines(after));
    let mut diff = TextDiff { block_index, path, hunks: Vec::new(), omitted_lines: 0 };
    let mut room = [limits.lines; 3];
    for group in group_diff_ops(line_operations(&was, &is), limits.context) {
        let Some(first) = group.first() else { continue };
        let (before_line, after_line) = (first.old_range().start + 1, first.new_range().start + 1);
        let mut hunk = Hunk { before_line, after_line, lines: Vec::new() };
        for operation in group {
            let mut show = |kind, lines: &[&str], others: &[&str]| {
                let room = &mut room[kind as usize];
                let shown = lines.len().min(*room);
                *room -= shown;
                if kind != LineKind::Same {
                    diff.omitted_lines += lines.len() - shown;
                }
                let line = |(at, text): (usize, &&str)| {
                    let other = others.get(at).filter(|_| lines.len() == others.len());
                    line(kind, text, other.copied(), limits.characters)
                };
                hunk.lines.extend(lines[..shown].iter().enumerate().map(line));
            };
            let (old, new) = (&was[operation.old_range()], &is[operation.new_range()]);
            if operation.tag() == DiffTag::Equal {
                show(LineKind::Same, old, &[]);
            } else {
                show(LineKind::Removed, old, new);
                show(LineKind::Added, new, old);
            }
        }
        if !hunk.lines.is_empty() {
            diff.hunks.push(hunk);
        }
    }
    diff
}

/// Returns the lines of a text; none if it is empty.
fn lines(text: &str) -> Vec<&str> {
    if text.is_empty() { Vec::new() } else { text.split('\n').collect() }
}

/// Returns the operations that turn the lines `was` into the lines `is`.
pub fn line_operations(was: &[&str], is: &[&str]) -> Vec<DiffOp> {
    let start = was.iter().zip(is).take_while(|(one, other)| one == other).count();
    let rest = |lines: &[&str]| lines.len() - start;
    let both = rest(was).min(rest(is));
    let end = was.iter().rev().zip(is.iter().rev()).take(both).take_while(|(one, other)| one == other).count();
    let (old, new) = (start..was.len() - end, start..is.len() - end);
    let equal = |old_index, new_index, len| DiffOp::Equal { old_index, new_index, len };
    let mut operations = vec![equal(0, 0, start)];
    if old.len().max(new.len()) > MAX_COMPARED {
        operations.push(replaced(&old, &new));
    } else {
        let between = capture_diff_slices(Algorithm::Myers, &was[old.clone()], &is[new.clone()]);
        operations.extend(between.into_iter().map(|operation| moved(operation, start)));
    }
    operations.push(equal(old.end, new.end, end));
    operations.retain(|operation| !operation.old_range().is_empty() || !operation.new_range().is_empty());
    operations
}

fn replaced(old: &Range<usize>, new: &Range<usize>) -> DiffOp {
    DiffOp::Replace { old_index: old.start, old_len: old.len(), new_index: new.start, new_len: new.len() }
}

fn moved(operation: DiffOp, by: usize) -> DiffOp {
    let (old, new) = (operation.old_range(), operation.new_range());
    let (old_index, new_index) = (old.start + by, new.start + by);
    match operation.tag() {
        DiffTag::Equal => DiffOp::Equal { old_index, new_index, len: old.len() },
        DiffTag::Delete => DiffOp::Delete { old_index, old_len: old.len(), new_index },
        DiffTag::Insert => DiffOp::Insert { old_index, new_index, new_len: new.len() },
        DiffTag::Replace => DiffOp::Replace { old_index, old_len: old.len(), new_index, new_len: new.len() },
    }
}

/// Returns a line cut to `characters`: from its beginning, or around its difference from `other`.
fn line(kind: LineKind, text: &str, other: Option<&str>, characters: usize) -> DiffLine {
    let text = text.strip_suffix('\r').unwrap_or(text);
    let all = text.chars().count();
    let differs =
        other.map_or(0, |other| text.chars().zip(other.chars()).take_while(|(one, other)| one == other).count());
    // Starts a little before it, so that its surroundings are visible.
    let start = if all <= characters { 0 } else { differs.saturating_sub(characters / 4).min(all - characters) };
    let shown: String = text.chars().skip(start).take(characters).collect();
    DiffLine { kind, text: shown, characters_before: start, characters_after: all.saturating_sub(start + characters) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::conversation::Conversation;

    fn diff(before: &str, after: &str, limits: DiffLimits) -> TextDiff {
        text_diff(0, Vec::new(), before, after, limits)
    }

    fn shown(diff: &TextDiff) -> Vec<String> {
        let mark = |line: &DiffLine| match line.kind {
            LineKind::Same => ' ',
            LineKind::Removed => '-',
            LineKind::Added => '+',
        };
        diff.hunks.iter().flat_map(|hunk| &hunk.lines).map(|line| format!("{}{}", mark(line), line.text)).collect()
    }

    fn numbered(count: usize) -> String {
        (1..=count).map(|number| format!("line {number}\n")).collect()
    }

    #[test]
    fn what_differs_is_shown_with_the_lines_around_it() {
        let before = numbered(20);
        let after = before.replace("line 4\n", "[…4]\n").replace("line 15\nline 16\n", "");
        let diff = diff(&before, &after, DiffLimits::default());
        let places: Vec<_> = diff.hunks.iter().map(|hunk| (hunk.before_line, hunk.after_line)).collect();
        assert_eq!(places, [(2, 2), (13, 13)]);
        assert_eq!(
            shown(&diff),
            [
                " line 2", " line 3", "-line 4", "+[…4]", " line 5", " line 6", " line 13", " line 14", "-line 15",
                "-line 16", " line 17", " line 18"
            ]
        );
        assert_eq!(diff.omitted_lines, 0);
    }

    #[test]
    fn long_lines_are_shown_where_they_differ() {
        let limits = DiffLimits { characters: 40, ..DiffLimits::default() };
        let long = |middle: &str| format!("{}{middle}{}", "é".repeat(1000), "x".repeat(1000));
        let diff = diff(&long("before"), &long("after"), limits);
        let lines = &diff.hunks[0].lines;
        assert!(lines[0].text.contains("ébefore") && lines[1].text.contains("éafter"), "{lines:?}");
        assert!(lines.iter().all(|line| line.text.chars().count() == 40));
        assert_eq!((lines[0].characters_before, lines[0].characters_after), (990, 976));
    }

    #[test]
    fn huge_texts_take_little_time_and_room() {
        let (before, after): (String, String) = (
            (0..200_000).map(|line| format!("a{line}\n")).collect(),
            (0..200_000).map(|line| format!("b{line}\n")).collect(),
        );
        let diff = diff(&before, &after, DiffLimits::default());
        assert_eq!(shown(&diff).iter().filter(|line| !line.starts_with(' ')).count(), 400);
        assert_eq!(diff.omitted_lines, 400_000 - 400);
    }

    #[test]
    fn messages_that_come_and_go() {
        let message = |text: &str| serde_json::json!({ "role": "user", "content": text });
        let messages = serde_json::json!([message("one\ntwo"), message("one\nthree")]);
        let conversation = Conversation::parse(&messages.to_string()).unwrap();
        let (one, other) = (conversation.message(0), conversation.message(1));
        let of = |before, after| message_diff(before, after, DiffLimits::default());
        assert_eq!(shown(&of(Some(one), None)[0]), ["-one", "-two"]);
        assert_eq!(shown(&of(None, Some(other))[0]), ["+one", "+three"]);
        assert_eq!(shown(&of(Some(one), Some(other))[0]), [" one", "-two", "+three"]);
        assert_eq!(of(Some(one), Some(one)), []);
    }

    proptest! {
        #[test]
        fn with_room_enough_a_diff_leads_from_one_text_to_the_other(
            before in prop::collection::vec("[ab]{0,2}", 0..30),
            after in prop::collection::vec("[ab]{0,2}", 0..30),
        ) {
            let (before, after) = (before.join("\n"), after.join("\n"));
            let limits = DiffLimits { context: 1000, ..DiffLimits::default() };
            let diff = diff(&before, &after, limits);
            let side = |without: LineKind| -> Vec<&str> {
                let lines = diff.hunks.iter().flat_map(|hunk| &hunk.lines);
                lines.filter(|line| line.kind != without).map(|line| line.text.as_str()).collect()
            };
            if before != after {
                prop_assert_eq!(side(LineKind::Added), lines(&before));
                prop_assert_eq!(side(LineKind::Removed), lines(&after));
            }
        }
    }
}
