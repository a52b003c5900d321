//! Renders a text as a terminal shows it: without colours, and with the last state of each line that was overwritten.

use std::{borrow::Cow, sync::LazyLock};

use memchr::{memchr, memchr2};
use regex::Regex;

/// Escape sequences, such as for colours and cursor moves, and control characters without a width.
static ESCAPES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)|\x1b[ -/]*[0-~]|[\x1b\x07\x08\x0b\x0c\x0e\x0f]")
        .expect("the pattern is a constant, and tested")
});

/// A text without escape sequences, in which each overwritten line has only its last state. An earlier state is kept,
/// on its own line, if its letters differ from those of the state that overwrote it. Progress bars and counters differ
/// in no letters.
pub struct Screen<'t> {
    /// The shown text.
    pub text: Cow<'t, str>,
    /// Indices, from 0, of shown lines that come from the same original line as the line before them.
    states: Vec<u32>,
    /// Number of original lines before the first one shown; `None` if line numbers are of no use to the reader.
    pub lines_before: Option<usize>,
}

impl<'t> Screen<'t> {
    /// Renders a text.
    pub fn show(text: &'t str) -> Self {
        if memchr2(b'\r', b'\x1b', text.as_bytes()).is_none() && memchr2(b'\x08', b'\x07', text.as_bytes()).is_none() {
            return Self { text: Cow::Borrowed(text), states: Vec::new(), lines_before: Some(0) };
        }
        let (mut shown, mut states, mut count) = (String::with_capacity(text.len()), Vec::new(), 0);
        // No sequence continues on the next line.
        for line in text.split('\n') {
            let overstruck = memchr(b'\x08', line.as_bytes()).map_or(Cow::Borrowed(line), |_| typed_over(line).into());
            let plain = if overstruck.bytes().any(is_control) {
                ESCAPES.replace_all(&overstruck, "")
            } else {
                overstruck.as_ref().into()
            };
            let mut is_first = true;
            each_last_state(&plain, |state| {
                if count > 0 {
                    shown.push('\n');
                }
                shown.push_str(state);
                if !std::mem::take(&mut is_first) {
                    states.push(count);
                }
                count += 1;
            });
        }
        Self { text: Cow::Owned(shown), states, lines_before: Some(0) }
    }

    /// Returns the original's line number, from 1, for the shown line at index `at`, from 0.
    pub fn number(&self, at: usize) -> usize {
        at + 1 - self.states.partition_point(|state| *state as usize <= at)
    }
}

/// Applies the backspaces in a line: each removes the character before it. Programs write bold letters and spinners
/// with them.
fn typed_over(line: &str) -> String {
    let mut shown = String::with_capacity(line.len());
    for letter in line.chars() {
        match letter {
            '\x08' => drop(shown.pop()),
            _ => shown.push(letter),
        }
    }
    shown
}

fn is_control(byte: u8) -> bool {
    byte < b' ' && !matches!(byte, b'\t' | b'\r')
}

/// Calls `found` with the last state of a line, and with each earlier state whose letters differ from the next one. If
/// all states are blank, it calls `found` once with an empty text.
fn each_last_state(line: &str, mut found: impl FnMut(&str)) {
    if memchr(b'\r', line.as_bytes()).is_none() {
        return found(line);
    }
    let mut states = line.split('\r').filter(|state| !state.trim().is_empty());
    let Some(mut state) = states.next() else { return found("") };
    for next in states {
        if !letters(state).eq(letters(next)) {
            found(state);
        }
        state = next;
    }
    found(state);
}

/// Returns the letters of a state. Bars, spinners and numbers have none.
fn letters(state: &str) -> impl Iterator<Item = char> + '_ {
    state.chars().filter(|letter| letter.is_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_shown_once_and_what_it_overwrote_is_not_lost() {
        let bars = "Loading 1% [=  ]\rLoading 50% [== ]\rLoading 100% [===]\r\nnext\r\n";
        let screen = Screen::show(bars);
        assert_eq!(screen.text, "Loading 100% [===]\nnext\n");
        assert_eq!((screen.number(0), screen.number(1)), (1, 2));
        let screen = Screen::show("step 1\rerror: no space left\rstep 2\nend");
        assert_eq!(screen.text, "step 1\nerror: no space left\nstep 2\nend");
        assert_eq!([0, 1, 2, 3].map(|at| screen.number(at)), [1, 1, 1, 2]);
        assert_eq!(Screen::show("\r\n").text, "\n");
    }

    #[test]
    fn a_sequence_without_an_end_takes_no_words_with_it() {
        assert_eq!(Screen::show("\u{1b}]0;title error: no\nnext").text, "0;title error: no\nnext");
    }

    #[test]
    fn colours_are_gone_and_words_stay() {
        let text = "\u{1b}[31;1merror\u{1b}[0m: no\n\u{1b}]0;title\u{7}x\u{1b}[2K\u{1b}[1Ay";
        assert_eq!(Screen::show(text).text, "error: no\nxy");
        assert_eq!(Screen::show("E\u{8}ER\u{8}RRor: \u{8}|\u{8}/\u{8}no").text, "ERRor:no");
        assert!(matches!(Screen::show("plain").text, Cow::Borrowed("plain")));
    }
}
