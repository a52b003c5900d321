//! A text as a terminal shows it: without colours, and of a line that was overwritten again and again its last state.

use std::{borrow::Cow, sync::LazyLock};

use memchr::{memchr, memchr2};
use regex::Regex;

/// Sequences that move the cursor, colour or name the window, and other controls without a width.
static ESCAPES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)?|\x1b[ -/]*[0-~]|[\x1b\x07\x08\x0b\x0c\x0e\x0f]")
        .expect("the pattern is a constant, and tested")
});

/// The text without escape sequences, and with the last of several states of a line. A state that differs in more than numbers and bars from the one that
/// overwrote it stays, on its own line. `numbers` are the lines' numbers in the original, where they differ from their place.
pub struct Screen<'t> {
    /// The shown text.
    pub text: Cow<'t, str>,
    /// The number, from 1, of each of its lines; empty where line n is number n.
    pub numbers: Vec<usize>,
}

impl<'t> Screen<'t> {
    /// Shows a text.
    pub fn show(text: &'t str) -> Self {
        if memchr2(b'\r', b'\x1b', text.as_bytes()).is_none() && memchr2(b'\x08', b'\x07', text.as_bytes()).is_none() {
            return Self { text: Cow::Borrowed(text), numbers: Vec::new() };
        }
        let plain = ESCAPES.replace_all(text, "");
        if memchr(b'\r', plain.as_bytes()).is_none() {
            return Self { text: plain, numbers: Vec::new() };
        }
        let (mut shown, mut numbers) = (String::with_capacity(plain.len()), Vec::new());
        for (at, line) in plain.split('\n').enumerate() {
            for state in last_states(line) {
                if !numbers.is_empty() {
                    shown.push('\n');
                }
                shown.push_str(state);
                numbers.push(at + 1);
            }
        }
        Self { text: Cow::Owned(shown), numbers }
    }

    /// The number of the line at this place, from 0.
    pub fn number(&self, at: usize) -> usize {
        self.numbers.get(at).copied().unwrap_or(at + 1)
    }
}

/// The states of a line that say something else than the state that overwrote them.
fn last_states(line: &str) -> Vec<&str> {
    if !line.contains('\r') {
        return vec![line];
    }
    let states: Vec<&str> = line.split('\r').filter(|state| !state.trim().is_empty()).collect();
    let is_last = |at: &usize| states.get(at + 1).is_none_or(|next| !letters(states[*at]).eq(letters(next)));
    let kept: Vec<&str> = (0..states.len()).filter(is_last).map(|at| states[at]).collect();
    if kept.is_empty() { vec![""] } else { kept }
}

/// The letters of a state: bars, spinners and numbers have none.
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
        assert_eq!(screen.numbers, [1, 1, 1, 2]);
        assert_eq!(Screen::show("\r\n").text, "\n");
    }

    #[test]
    fn colours_are_gone_and_words_stay() {
        let text = "\u{1b}[31;1merror\u{1b}[0m: no\n\u{1b}]0;title\u{7}x\u{1b}[2K\u{1b}[1Ay";
        assert_eq!(Screen::show(text).text, "error: no\nxy");
        assert!(matches!(Screen::show("plain").text, Cow::Borrowed("plain")));
    }
}
