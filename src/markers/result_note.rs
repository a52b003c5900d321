//! The last line of a tool result that was shortened before it entered the conversation.

use std::fmt::{self, Display};

use super::words::counted;
#[cfg(test)]
use super::words::{number, uncounted};

/// The kind of parts that a result consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultParts {
    /// Lines of text.
    Lines,
    /// Elements and fields of JSON, in the arrays and objects that were shortened.
    Values,
}

impl ResultParts {
    fn word(self) -> &'static str {
        match self {
            Self::Lines => "line",
            Self::Values => "value",
        }
    }
}

/// `[Left out of this result: 812 of 1034 lines, 96000 of 102000 tokens; 3 of the lines left out report a failure; exit
/// code 1; whole result: cat /tmp/out.txt]`: how much is missing, how the call ended, and how to read the whole result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResultNote<'a> {
    /// The parts that are counted.
    pub parts: ResultParts,
    /// The number of parts that were left out completely.
    pub count: usize,
    /// The number of parts of the whole result.
    pub of_count: usize,
    /// Tokens left out.
    pub tokens: usize,
    /// Tokens of the whole result.
    pub of_tokens: usize,
    /// Left-out parts that report a failure, if there was no room for all of them.
    pub failures: usize,
    /// The exit code, if the caller gave one.
    pub exit_code: Option<i64>,
    /// How to read the whole result, in one line; `None` if it was not kept.
    pub whole: Option<&'a str>,
}

const OPENING: &str = "[Left out of this result: ";
const REPORT: &str = "report";
const REPORTS: &str = "reports";
const EXIT_CODE: &str = "exit code ";
const WHOLE: &str = "whole result: ";

/// Returns the words after the number of failures. They say that only the parts left out are counted. Without them,
/// a reader took the number for the total.
fn failures_of(parts: ResultParts, verb: &str) -> String {
    format!(" of the {}s left out {verb} a failure", parts.word())
}

#[cfg(test)]
impl<'a> ResultNote<'a> {
    /// Parses `content` as a whole line.
    pub fn read(content: &'a str) -> Option<Self> {
        let rest = content.strip_prefix(OPENING)?.strip_suffix(']')?;
        let (counts, rest) = rest.split_once(", ")?;
        let (count, of_count) = counts.split_once(" of ")?;
        let parts = [ResultParts::Lines, ResultParts::Values];
        let parts = parts.into_iter().find(|parts| uncounted(of_count, parts.word()).is_some())?;
        let (tokens, mut rest) = rest.split_once("; ").unwrap_or((rest, ""));
        let (tokens, of_tokens) = tokens.split_once(" of ")?;
        let mut next = |opening: &str, closing: &str| -> Option<&'a str> {
            let (part, after) = rest.split_once("; ").unwrap_or((rest, ""));
            let inner = part.strip_prefix(opening)?.strip_suffix(closing)?;
            rest = after;
            Some(inner)
        };
        let mut failures = |verb: &str| next("", &failures_of(parts, verb));
        let failures = failures(REPORT).or_else(|| failures(REPORTS));
        let exit_code = next(EXIT_CODE, "");
        let whole = rest.strip_prefix(WHOLE);
        let note = Self {
            parts,
            count: number(count)?,
            of_count: uncounted(of_count, parts.word())?,
            tokens: number(tokens)?,
            of_tokens: uncounted(of_tokens, "token")?,
            failures: failures.map_or(Some(0), number)?,
            exit_code: exit_code.map(str::parse).transpose().ok()?,
            whole,
        };
        (note.to_string() == content).then_some(note)
    }
}

impl Display for ResultNote<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = self.parts.word();
        let (of_count, of_tokens) = (counted(self.of_count, word), counted(self.of_tokens, "token"));
        write!(f, "{OPENING}{} of {of_count}, {} of {of_tokens}", self.count, self.tokens)?;
        if self.failures > 0 {
            let verb = if self.failures == 1 { REPORTS } else { REPORT };
            write!(f, "; {}{}", self.failures, failures_of(self.parts, verb))?;
        }
        if let Some(code) = self.exit_code {
            write!(f, "; {EXIT_CODE}{code}")?;
        }
        if let Some(whole) = self.whole {
            write!(f, "; {WHOLE}{whole}")?;
        }
        f.write_str("]")
    }
}
