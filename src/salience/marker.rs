//! The markers that stand where something was left out.

/// Lines that were left out, by their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gap {
    /// The first line.
    pub first: usize,
    /// The last line.
    pub last: usize,
}

const OPENING: &str = "[… line";

/// The marker for whole lines, such as `[… lines 12-40]`: which ones are missing, and so how many.
pub fn lines(gap: Gap) -> String {
    if gap.first == gap.last {
        format!("{OPENING} {}]", gap.first)
    } else {
        format!("{OPENING}s {}-{}]", gap.first, gap.last)
    }
}

/// The marker for a part of a line.
pub fn characters(count: usize) -> String {
    format!("[… {count} characters]")
}

/// The marker for messages that were dropped after the one it stands in.
pub fn messages(count: usize) -> String {
    if count == 1 {
        "[… 1 message left out here]".to_owned()
    } else {
        format!("[… {count} messages left out here]")
    }
}

/// Whether something was left out of `text` before.
pub fn is_in(text: &str) -> bool {
    text.contains("[… ")
}

/// Reads a line that is a marker for lines.
pub fn read(line: &str) -> Option<Gap> {
    let inner = line.strip_prefix(OPENING)?.strip_suffix(']')?;
    let (first, last) = match inner.strip_prefix("s ") {
        Some(range) => range.split_once('-')?,
        None => {
            let line = inner.strip_prefix(' ')?;
            (line, line)
        }
    };
    let gap = Gap { first: first.parse().ok()?, last: last.parse().ok()? };
    // Numbers count up from here: one near the largest would overflow.
    (gap.first <= gap.last && gap.last < usize::MAX / 2).then_some(gap)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_read_back() {
        for gap in [Gap { first: 3, last: 3 }, Gap { first: 3, last: 90 }] {
            assert_eq!(read(&lines(gap)), Some(gap));
        }
        for other in ["[… lines 9-3]", "[… lines a-b]", "lines 3-9", "[… lines 1-99999999999999999999]"] {
            assert_eq!(read(other), None, "{other}");
        }
    }
}
