//! Writes and parses numbers as markers spell them.

use std::str::FromStr;

/// Parses `text` as a whole number without a sign or leading zeros.
pub(super) fn number<T: FromStr>(text: &str) -> Option<T> {
    let is_written = text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    if is_written { text.parse().ok() } else { None }
}

/// `1 line`, `2 lines`.
pub(super) fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// Parses the count from the form that [`counted`] writes.
pub(super) fn uncounted(text: &str, what: &str) -> Option<usize> {
    let (count, rest) = text.split_once(' ')?;
    let count = number(count)?;
    let ending = rest.strip_prefix(what)?;
    (ending == if count == 1 { "" } else { "s" }).then_some(count)
}
