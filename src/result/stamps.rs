//! Recognises the time that loggers and services of continuous integration write before every line, so that lines can
//! be compared without it.

use std::sync::LazyLock;

use regex::Regex;

/// Matches a time, with optional names of a job and a step before it, and of a host and a process after it.
static STAMP: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"^(?:[^\t\n]{1,80}\t){0,2}\[?(?:\d{4}-\d\d-\d\d[T ]|[A-Z][a-z]{2} [ \d]\d )?\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\]?[ \t](?:[\w.-]+ [\w./@-]+\[\d+\]: )?",
    )
    .expect("the pattern is a constant, and tested")
});
/// Number of lines to check for a stamp.
const ASKED: usize = 200;

/// Stores whether the lines of a text have stamps.
#[derive(Debug, Clone, Copy)]
pub struct Stamps {
    are_there: bool,
}

impl Stamps {
    /// Checks the first lines of a text: stamps count as present if most of them have one.
    pub fn of_text(text: &str) -> Self {
        let lines = || text.lines().filter(|line| !line.trim().is_empty()).take(ASKED);
        Self { are_there: lines().filter(|line| STAMP.is_match(line)).count() * 2 > lines().count() }
    }

    /// Returns the line without its stamp, with its indentation.
    pub fn said<'t>(&self, line: &'t str) -> &'t str {
        let stamp = if self.are_there { STAMP.find(line) } else { None };
        stamp.map_or(line, |stamp| &line[stamp.end()..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_line_says_stands_behind_its_stamp() {
        for stamp in [
            "2026-11-27T04:00:01.1234567Z ",
            "[04:00:01] ",
            "2026-11-27 04:00:01,123 ",
            "build\tRun make\t2026-11-27T04:00:01Z ",
            "Nov 27 04:00:01 host app[123]: ",
        ] {
            let text = format!("{stamp}  a\n{stamp}\n\n{stamp}b\n");
            let stamps = Stamps::of_text(&text);
            assert_eq!(stamps.said(text.lines().next().unwrap()), "  a", "{stamp}");
        }
        let stamps = Stamps::of_text("a\nb\n04:00:01 c\n");
        assert_eq!(stamps.said("04:00:01 c"), "04:00:01 c");
    }
}
