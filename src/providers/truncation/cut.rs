//! Cutting a text to its first (or first and last) lines, with a marker that says how much is missing.
//!
//! A text that was cut before is recognised by its markers: cutting it again to the same limits changes nothing, and cutting it
//! further adds up what is missing.

use std::borrow::Cow;

use crate::markers::More;

/// What of a text is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// The first lines.
    Head,
    /// The first and the last lines, in equal parts.
    HeadTail,
}

/// `text` cut to `lines` lines of at most `line_characters` characters each.
pub fn cut_lines(text: &str, lines: usize, line_characters: usize, keep: Keep) -> Cow<'_, str> {
    let mut missing: usize = 0;
    let mut shown: Vec<&str> = Vec::with_capacity(text.len() / 32 + 1);
    let mut marker_at = None;
    let mut start = 0;
    for end in memchr::memchr_iter(b'\n', text.as_bytes()).chain(std::iter::once(text.len())) {
        let line = &text[start..end];
        start = end + 1;
        // Only one marker of ours can be in a text: the first one counts, others are content.
        match More::read(line) {
            Some(More::Lines(hidden)) if marker_at.is_none() => {
                missing = hidden;
                marker_at = Some(shown.len());
            }
            _ => shown.push(line),
        }
    }
    let (head, tail) = if shown.len() <= lines {
        let at = marker_at.unwrap_or(shown.len());
        (at, shown.len() - at)
    } else {
        missing = missing.saturating_add(shown.len() - lines);
        match keep {
            Keep::Head => (lines, 0),
            Keep::HeadTail => (lines.div_ceil(2), lines / 2),
        }
    };
    let mut kept: Vec<Cow<str>> = Vec::with_capacity(head + tail + 1);
    kept.extend(shown[..head].iter().map(|line| cut_characters(line, line_characters)));
    if missing > 0 {
        kept.push(Cow::Owned(More::Lines(missing).to_string()));
    }
    kept.extend(shown[shown.len() - tail..].iter().map(|line| cut_characters(line, line_characters)));
    let result = kept.join("\n");
    if result.len() < text.len() { Cow::Owned(result) } else { Cow::Borrowed(text) }
}

/// `text` cut to its first `characters` characters (Unicode scalar values).
pub fn cut_characters(text: &str, characters: usize) -> Cow<'_, str> {
    if text.len() <= characters {
        return Cow::Borrowed(text);
    }
    let (shown, hidden) = More::characters_at_end(text).unwrap_or((text, 0));
    let Some((end, _)) = shown.char_indices().nth(characters) else { return Cow::Borrowed(text) };
    // A line end of two characters is not torn apart.
    let end = if shown[..end].ends_with('\r') && shown[end..].starts_with('\n') { end - 1 } else { end };
    let hidden = shown[end..].chars().count().saturating_add(hidden);
    let result = format!("{}{}", &shown[..end], More::Characters(hidden));
    if result.len() < text.len() { Cow::Owned(result) } else { Cow::Borrowed(text) }
}

/// The lengths of a text's lines, to know about how many bytes a cut leaves without making it.
pub struct LineLengths {
    /// Bytes of the first n lines, each no longer than the limit.
    of_first: Vec<usize>,
    /// Bytes of the lines within the limit, and the lengths of those over it.
    short: usize,
    long: Vec<usize>,
}

impl LineLengths {
    /// Measures `text`, of whose lines at most `line_characters` characters stay.
    pub fn of(text: &str, line_characters: usize) -> Self {
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

    /// About how many bytes [`cut_lines`] leaves when all lines stay and each may have `line_characters` characters.
    pub fn with_lines_of(&self, line_characters: usize) -> usize {
        let most = line_characters.saturating_add(More::BYTES);
        self.short + self.long.iter().map(|length| length.min(&most) + 1).sum::<usize>()
    }

    /// About how many bytes [`cut_lines`] leaves.
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
    fn a_line_end_of_two_characters_stays_whole() {
        let cut = cut_characters("abcd\r\nefghijklmnopqrstuvwxyz 0123456789", 5);
        assert_eq!(cut, "abcd... (35 more characters)");
    }

    proptest! {
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
        fn any_text_is_survived(text in ".*", lines in 0_usize..4, characters in 0_usize..9) {
            for keep in [Keep::Head, Keep::HeadTail] {
                let cut = cut_lines(&text, lines, characters, keep);
                prop_assert!(cut.len() <= text.len());
                let lengths = LineLengths::of(&text, characters);
                prop_assert!(lengths.after_cut(lines, keep) <= text.len() + text.matches('\n').count() + More::BYTES + 1);
            }
        }
    }
}
