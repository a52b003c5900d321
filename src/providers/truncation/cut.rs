//! Cuts a text to its first (or first and last) lines, with a marker that says how much is missing.
//!
//! A text that was cut before is recognised by its notes. Cutting it again to the same limits changes nothing,
//! cutting it further adds up what is missing, and no note is split.

use std::borrow::Cow;

use crate::{
    conversation::NumberStyle,
    markers::{Gap, More, NoteLine, before_note, characters_of, is_heading, messages_at_end},
};

/// The part of a text to keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// The first lines.
    Head,
    /// The first and the last lines, half of the limit each.
    HeadTail,
}

/// Maximum number of notes of unknown size that stay within a removed part. A file may quote any number of them.
const MAX_NOTES: usize = 16;

/// Cuts `text` to `lines` lines of at most `line_characters` characters each. A shown line number does not count
/// towards the characters, nor a heading of lines without numbers towards the lines, because the repair of pointers
/// rewrites both to fit what is then shown.
pub fn cut_lines(text: &str, lines: usize, line_characters: usize, keep: Keep) -> Cow<'_, str> {
    let (content, messages) = messages_at_end(text);
    let marked = |line: &str| match More::read(line) {
        Some(More::Lines(hidden)) => Some(hidden),
        _ => None,
    };
    let count = content.split('\n').filter(|line| marked(line).is_none() && !is_heading(line)).count();
    let (head, tail) = match keep {
        _ if count <= lines => (count, 0),
        Keep::Head => (lines, 0),
        Keep::HeadTail => (lines.div_ceil(2), lines / 2),
    };
    let mut kept: Vec<Cow<str>> = Vec::with_capacity(head + tail + 2);
    let (mut at, mut missing) = (0, None);
    let is_some = |missing: &usize| *missing > 0;
    let more = |missing: usize| Cow::Owned(More::Lines(missing).to_string());
    let mut notes = 0;
    for line in content.split('\n') {
        if let Some(hidden) = marked(line) {
            missing = Some(missing.unwrap_or(0_usize).saturating_add(hidden));
            continue;
        }
        if at < head || at >= count - tail {
            kept.extend(missing.take().filter(is_some).map(more));
            kept.push(cut_line(line, line_characters));
        } else if notes < MAX_NOTES && NoteLine::read(line) == Some(NoteLine::Unknown) {
            // The note's size is unknown, so it cannot be added to a count.
            notes += 1;
            kept.extend(missing.take().filter(is_some).map(more));
            kept.push(Cow::Borrowed(line));
        } else {
            missing = Some(missing.unwrap_or(0).saturating_add(NoteLine::lines_of(line)));
        }
        at += usize::from(!is_heading(line));
    }
    kept.extend(missing.filter(is_some).map(more));
    if messages {
        kept.push(Cow::Owned(Gap::Messages.to_string()));
    }
    let result = kept.join("\n");
    if result.len() < text.len() { Cow::Owned(result) } else { Cow::Borrowed(text) }
}

/// Cuts a line. A note stays whole, whatever its length.
fn cut_line(line: &str, characters: usize) -> Cow<'_, str> {
    if line.len() <= characters || NoteLine::read(line).is_some() {
        return Cow::Borrowed(line);
    }
    let start = NumberStyle::read(line.as_bytes()).map_or(0, |(.., content)| content);
    match cut_end(&line[start..], characters) {
        Cow::Owned(cut) => Cow::Owned(format!("{}{cut}", &line[..start])),
        Cow::Borrowed(_) => Cow::Borrowed(line),
    }
}

/// Cuts `text` to its first `characters` characters (Unicode scalar values). If the removed part contains a note that
/// fills a line, whole lines are removed, because the number of characters behind the note is unknown.
pub fn cut_characters(text: &str, characters: usize) -> Cow<'_, str> {
    if text.len() <= characters {
        return Cow::Borrowed(text);
    }
    // The rest after an earlier cut, and the number of lines it says are missing after that.
    let last = text.rfind('\n').map_or(0, |end| end + 1);
    let (shown, hidden) = match More::read(&text[last..]) {
        Some(More::Lines(hidden)) => (&text[..last.saturating_sub(1)], Some(hidden)),
        _ => (text, None),
    };
    let Some((end, _)) = without_more(shown).char_indices().nth(characters) else { return Cow::Borrowed(text) };
    let line = shown[..end].rfind('\n').map_or(0, |end| end + 1);
    let is_note = |line: &str| NoteLine::read(line).is_some();
    if hidden.is_none() && !shown[line..].split('\n').any(is_note) {
        return cut_end(text, characters);
    }
    let mut kept = Vec::new();
    let mut rest = Some(&shown[line..]);
    if line > 0 {
        kept.push(Cow::Borrowed(&shown[..line - 1]));
    } else {
        // Not even one line fits, so its beginning stays, unless it is a note.
        let first = shown.split('\n').next().unwrap_or_default();
        if !is_note(first) {
            kept.push(cut_end(first, characters));
            rest = shown.get(first.len() + 1..);
        }
    }
    // An earlier cut may have removed lines after the last one, but their number is unknown. Its count of characters
    // stays true.
    let mut rows: Vec<&str> = rest.map(|rest| rest.split('\n').collect()).unwrap_or_default();
    let cut_off = rows.pop_if(|last| hidden.is_none() && More::characters_at_end(last).is_some());
    let missing = rows.into_iter().map(NoteLine::lines_of).fold(hidden.unwrap_or(0), usize::saturating_add);
    if missing > 0 {
        kept.push(Cow::Owned(More::Lines(missing).to_string()));
    }
    kept.extend(cut_off.map(|last| Cow::Owned(More::Characters(characters_of(last)).to_string())));
    let result = kept.join("\n");
    if result.len() < text.len() { Cow::Owned(result) } else { Cow::Borrowed(text) }
}

/// If `text` has more than `over` characters, cuts it to its first `prefix` and its last `suffix`. Between them, a
/// marker says what is missing: characters at the end of a line, whole lines, characters at the beginning of a line.
/// No note is split.
pub fn cut_ends(text: &str, prefix: usize, suffix: usize, over: usize) -> Cow<'_, str> {
    let (content, messages) = messages_at_end(text);
    if content.chars().count() <= over.max(prefix.saturating_add(suffix)) {
        return Cow::Borrowed(text);
    }
    let after_prefix = content.char_indices().nth(prefix).map_or(content.len(), |(at, _)| at);
    let before_suffix = content.char_indices().rev().take(suffix).last().map_or(content.len(), |(at, _)| at);
    let start = before_marks(content, after_prefix);
    let end = before_marks(content, before_suffix).max(start);
    let mut missing = content[start..end].split('\n');
    let mut result = content[..start].to_owned();
    let is_within_line = !result.is_empty() && !result.ends_with('\n');
    let ends_in_line = content[start..end].contains('\n');
    if is_within_line && ends_in_line {
        let rest = characters_of(missing.next().unwrap_or_default());
        result.extend((rest > 0).then(|| More::Characters(rest).to_string()));
        result.push('\n');
    }
    let last = missing.next_back().unwrap_or_default();
    let lines = missing.map(NoteLine::lines_of).fold(0, usize::saturating_add);
    let ends_line = end == content.len() || content[end..].starts_with('\n');
    let is_whole = ends_line && (ends_in_line || !is_within_line);
    let lines = lines.saturating_add(if is_whole { NoteLine::lines_of(last) } else { 0 });
    let separator = if is_whole { "" } else { "\n" };
    result.extend((lines > 0).then(|| format!("{}{separator}", More::Lines(lines))));
    let rest = if is_whole { 0 } else { characters_of(last) };
    let note = || if ends_line { More::Characters(rest).to_string() } else { Gap::Characters(rest).to_string() };
    result.extend((rest > 0).then(note));
    result.push_str(&content[end..]);
    if messages {
        result.push('\n');
        result.push_str(&text[content.len() + 1..]);
    }
    if result.len() < text.len() { Cow::Owned(result) } else { Cow::Borrowed(text) }
}

/// Returns `at`, or the start of what must not be split there: a note, or a line end of two characters.
fn before_marks(text: &str, at: usize) -> usize {
    let at = if text[..at].ends_with('\r') && text[at..].starts_with('\n') { at - 1 } else { at };
    let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let end = text[at..].find('\n').map_or(text.len(), |step| at + step);
    let shown = without_more(&text[line..end]).len();
    before_note(text, if at < end { at.min(line + shown) } else { at })
}

fn without_more(text: &str) -> &str {
    More::characters_at_end(text).map_or(text, |(shown, _)| shown)
}

/// Cuts `text`, which does not end in a note that fills a line, to its first characters.
fn cut_end(text: &str, characters: usize) -> Cow<'_, str> {
    let shown = without_more(text);
    let Some((end, _)) = shown.char_indices().nth(characters) else { return Cow::Borrowed(text) };
    // A line end of two characters is not split.
    let end = if shown[..end].ends_with('\r') && shown[end..].starts_with('\n') { end - 1 } else { end };
    let end = before_note(shown, end);
    let result = format!("{}{}", &shown[..end], More::Characters(characters_of(&text[end..])));
    if result.len() < text.len() { Cow::Owned(result) } else { Cow::Borrowed(text) }
}

/// The lengths of a text's lines, to estimate the bytes that a cut leaves without making it.
pub struct LineLengths {
    /// Bytes of the first n lines, each cut to the limit.
    of_first: Vec<usize>,
    /// Bytes of all lines within the limit together; lengths of the lines over it.
    short: usize,
    long: Vec<usize>,
}

impl LineLengths {
    /// Measures `text` with at most `line_characters` characters kept per line.
    pub fn measure(text: &str, line_characters: usize) -> Self {
        let bytes = text.as_bytes();
        let mut of_first = vec![0];
        let (mut start, mut sum, mut short) = (0, 0, 0);
        let mut long = Vec::new();
        for end in memchr::memchr_iter(b'\n', bytes).chain(std::iter::once(bytes.len())) {
            sum += (end - start).min(line_characters + More::BYTES) + 1;
            of_first.push(sum);
            if end - start > line_characters {
                long.push(end - start);
            } else {
                short += end - start + 1;
            }
            start = end + 1;
        }
        Self { of_first, short, long }
    }

    /// Estimates the bytes that [`cut_lines`] leaves if it keeps all lines, each with at most `line_characters`
    /// characters.
    pub fn with_lines_of(&self, line_characters: usize) -> usize {
        let most = line_characters.saturating_add(More::BYTES);
        self.short + self.long.iter().map(|length| length.min(&most) + 1).sum::<usize>()
    }

    /// Estimates the bytes that [`cut_lines`] leaves.
    pub fn after_cut(&self, lines: usize, keep: Keep) -> usize {
        let count = self.of_first.len() - 1;
        let first = |lines: usize| self.of_first[lines.min(count)];
        if lines >= count {
            return first(count);
        }
        More::BYTES
            + match keep {
                Keep::Head => first(lines),
                Keep::HeadTail => first(lines.div_ceil(2)) + first(count) - first(count - lines / 2),
            }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn numbered(count: usize) -> String {
        (1..=count).map(|n| format!("this is line {n}")).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn the_head_is_kept_with_a_count_of_the_rest() {
        let text = numbered(12);
        let cut = cut_lines(&text, 2, 500, Keep::Head);
        assert_eq!(cut, "this is line 1\nthis is line 2\n... (10 more lines)");
    }

    #[test]
    fn head_and_tail_are_kept_around_the_gap() {
        let text = numbered(12);
        let cut = cut_lines(&text, 3, 500, Keep::HeadTail);
        assert_eq!(cut, "this is line 1\nthis is line 2\n... (9 more lines)\nthis is line 12");
    }

    #[test]
    fn a_note_of_which_nobody_knows_what_it_stands_for_stays() {
        let note = "[Left out: src/a.ts was changed below]";
        let text = format!("{}\n{note}\n{}", numbered(12), numbered(30));
        let cut = cut_lines(&text, 2, 500, Keep::Head);
        assert_eq!(cut, format!("this is line 1\nthis is line 2\n... (10 more lines)\n{note}\n... (30 more lines)"));
        assert_eq!(cut_lines(&cut, 2, 500, Keep::Head), cut);
        assert_eq!(
            cut_lines(&cut, 1, 500, Keep::Head),
            format!("this is line 1\n... (11 more lines)\n{note}\n... (30 more lines)")
        );
        let ends = cut_lines(&text, 2, 500, Keep::HeadTail);
        assert_eq!(ends, format!("this is line 1\n... (11 more lines)\n{note}\n... (29 more lines)\nthis is line 30"));
        // A file that quotes notes can still be cut.
        let quoted = format!("one\n{}", [note; 1000].join("\n"));
        assert!(cut_lines(&quoted, 1, 500, Keep::Head).split('\n').count() < 20);
    }

    #[test]
    fn cutting_further_adds_up_what_is_missing() {
        let once = cut_lines(&numbered(30), 10, 500, Keep::HeadTail).into_owned();
        let twice = cut_lines(&once, 4, 500, Keep::HeadTail);
        assert_eq!(twice, cut_lines(&numbered(30), 4, 500, Keep::HeadTail));
    }

    #[test]
    fn long_lines_are_cut_too() {
        let text = "x".repeat(5_000_000);
        assert_eq!(cut_lines(&text, 5, 10, Keep::Head), "xxxxxxxxxx... (4999990 more characters)");
    }

    #[test]
    fn the_ends_are_kept_around_what_is_missing() {
        let line = format!("{}{}", "a".repeat(40), "z".repeat(40));
        assert_eq!(cut_ends(&line, 3, 2, 0), "aaa[… 75 characters]zz");
        assert_eq!(cut_ends(&line, 3, 2, 80), line);
        assert_eq!(cut_ends(&line, 3, 0, 0), "aaa... (77 more characters)");
        assert_eq!(cut_ends(&line, 0, 2, 0), "[… 78 characters]zz");
        let lines = numbered(30);
        assert_eq!(
            cut_ends(&lines, 20, 6, 0),
            "this is line 1\nthis ... (9 more characters)\n... (27 more lines)\n[… 9 characters]ine 30"
        );
        assert_eq!(cut_ends(&lines, 15, 15, 0), "this is line 1\n... (28 more lines)\nthis is line 30");
    }

    #[test]
    fn a_line_end_of_two_characters_stays_whole() {
        let cut = cut_characters("abcd\r\nefghijklmnopqrstuvwxyz 0123456789", 5);
        assert_eq!(cut, "abcd... (35 more characters)");
    }

    #[test]
    fn what_notes_say_is_missing_is_added_up() {
        let text = "[…1-416]\noutput 416\noutput 417\noutput 418\n[…420-998]\noutput 998\n[… messages left out]";
        let cut = cut_lines(text, 3, 500, Keep::Head);
        assert_eq!(cut, "[…1-416]\noutput 416\noutput 417\n... (581 more lines)\n[… messages left out]");
        assert_eq!(cut_lines(&cut, 3, 500, Keep::Head), cut);
        let cut = cut_lines("a1\nb2 is long\nb3 is long\nd\n... (20 more lines)", 2, 500, Keep::HeadTail);
        assert_eq!(cut, "a1\n... (2 more lines)\nd\n... (20 more lines)", "each where it is missing");
    }

    #[test]
    fn what_the_upkeep_writes_of_numbers_is_no_part_of_a_limit() {
        let text = "     1\t[2 lines, every 10th numbered:]\nabcdefgh\nijklmnop\n     3\tabcdefgh\n     4\tabcdefghijklmnopqrstuvwxyz and more";
        assert_eq!(cut_lines(text, 4, 8, Keep::Head), format!("{}... (27 more characters)", &text[..text.len() - 27]));
        assert_eq!(cut_lines(&text[..text.len() - 36], 4, 8, Keep::Head), &text[..text.len() - 36]);
    }

    #[test]
    fn no_note_is_cut_in_two() {
        let pointer = "[7 lines as below from \"export function parseDay(\"]";
        let text = format!("first line\n{pointer}\nthe last lines\nof many words that are in the way");
        assert_eq!(cut_characters(&text, 20), "first line\n... (9 more lines)");
        assert_eq!(cut_characters(&text, 4), "first line\n... (9 more lines)");
        assert_eq!(
            cut_characters(&text, 4 + 60),
            format!("first line\n{pointer}\n... (2 more lines)")
                .replace("... (2 more lines)", "t... (47 more characters)")
        );
        assert_eq!(
            cut_characters("some words [… 1300 characters] and twenty more of them", 18),
            "some words ... (1324 more characters)"
        );
        assert_eq!(
            cut_lines(&format!("{pointer}\n{}", "x".repeat(90)), 5, 10, Keep::Head),
            format!("{pointer}\nxxxxxxxxxx... (80 more characters)")
        );
    }

    /// A text with notes of earlier condensations, and the number of lines it had before them.
    fn noted() -> impl Strategy<Value = String> {
        let line = prop_oneof![
            4 => "[a-z ]{0,40}",
            1 => (1_usize..50).prop_map(|lines| More::Lines(lines).to_string()),
            1 => (1_usize..50).prop_map(|lines| Gap::Elsewhere(lines).to_string()),
            1 => (1_usize..50).prop_map(|lines| format!("[…{}-{}]", lines, lines + 7)),
            1 => (2_usize..50).prop_map(|lines| format!("[{lines} lines as below from \"export const\"]")),
            1 => ("[a-z ]{0,20}", 1_usize..900).prop_map(|(words, count)| format!("{words}{} more", Gap::Characters(count))),
        ];
        prop::collection::vec(line, 1..14).prop_map(|lines| lines.join("\n"))
    }

    fn lines_in_all(text: &str) -> usize {
        text.split('\n').map(NoteLine::lines_of).sum()
    }

    proptest! {
        #[test]
        fn cutting_again_tells_of_every_line_that_is_missing(
            text in noted(), cuts in prop::collection::vec((0_usize..9, 5_usize..60, any::<bool>()), 1..5),
        ) {
            let lines = lines_in_all(&text);
            let mut now = text.clone();
            for (most, characters, tail) in cuts {
                now = cut_lines(&now, most, characters, if tail { Keep::HeadTail } else { Keep::Head }).into_owned();
                prop_assert_eq!(lines_in_all(&now), lines, "{:?}", now);
            }
        }

        #[test]
        fn every_note_that_stays_is_one_that_was_there_or_a_true_count(text in noted(), cuts in prop::collection::vec(0_usize..120, 1..4)) {
            let lines = lines_in_all(&text);
            let is_whole = |line: &str| text.split('\n').any(|was| was == line) || More::read(line).is_some();
            let mut now = text.clone();
            for characters in cuts {
                now = cut_characters(&now, characters).into_owned();
                prop_assert_eq!(cut_characters(&now, characters), now.clone());
                for line in now.split('\n').filter(|line| line.contains("[…") || line.contains("[1 ") || line.contains("lines as")) {
                    let shown = without_more(line);
                    prop_assert!(is_whole(line) || text.split('\n').any(|was| was.starts_with(shown)), "{}", line);
                    prop_assert!(before_note(line, shown.len()) == shown.len(), "{}", line);
                }
                if matches!(More::read(now.rsplit('\n').next().unwrap()), Some(More::Lines(_))) {
                    prop_assert_eq!(lines_in_all(&now), lines, "{:?}", now);
                }
            }
        }

        #[test]
        fn cutting_is_idempotent_and_never_grows(
            text in "([a-z ]{0,40}\n){0,30}[a-z]{0,60}",
            lines in 1_usize..12,
            characters in 1_usize..60,
            tail in any::<bool>(),
        ) {
            let keep = if tail { Keep::HeadTail } else { Keep::Head };
            let once = cut_lines(&text, lines, characters, keep).into_owned();
            prop_assert!(once.len() <= text.len());
            prop_assert_eq!(cut_lines(&once, lines, characters, keep), once.clone());
            let chars = cut_characters(&text, characters).into_owned();
            prop_assert_eq!(cut_characters(&chars, characters), chars.clone());
        }

        #[test]
        fn both_ends_stay_and_cutting_again_changes_nothing(
            text in noted(), prefix in 0_usize..60, suffix in 0_usize..60, over in 0_usize..200,
        ) {
            prop_assume!(prefix + suffix > 0);
            let once = cut_ends(&text, prefix, suffix, over).into_owned();
            prop_assert!(once.len() <= text.len());
            prop_assert_eq!(cut_ends(&once, prefix, suffix, over), once.clone(), "{:?}", text);
        }

        #[test]
        fn of_plain_text_both_ends_stay(text in "([a-z]{0,40}\n){0,10}[a-z]{0,60}", prefix in 1_usize..60, suffix in 1_usize..60) {
            let cut = cut_ends(&text, prefix, suffix, 0);
            prop_assert!(cut.starts_with(&text[..prefix.min(text.len())]));
            prop_assert!(cut.ends_with(&text[text.len() - suffix.min(text.len())..]));
            prop_assert_eq!(lines_in_all(&cut), lines_in_all(&text), "{:?}", cut);
        }

        #[test]
        fn any_text_is_survived(text in ".*", lines in 0_usize..4, characters in 0_usize..9) {
            for keep in [Keep::Head, Keep::HeadTail] {
                let cut = cut_lines(&text, lines, characters, keep);
                prop_assert!(cut.len() <= text.len());
                let lengths = LineLengths::measure(&text, characters);
                prop_assert!(lengths.after_cut(lines, keep) <= text.len() + text.matches('\n').count() + More::BYTES + 1);
            }
        }
    }
}
