//! State that a later message replaced, in the place of the state.

use std::fmt::{self, Display};

#[cfg(test)]
use super::words::number;

/// `[Left out: src/a.ts was changed in message 21]`: what was left out because a later message says something newer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeftOut<'a> {
    /// What it was.
    pub state: OldState<'a>,
    /// The message that says something newer, from 1.
    pub newer: usize,
}

/// What can be left out for something newer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OldState<'a> {
    /// What the host said of its environment.
    Environment,
    /// A list of things to do.
    List,
    /// What was read of the file at this path, which was changed later.
    Read(&'a str),
    /// What was written to the file at this path, which was written anew later.
    Written(&'a str),
    /// An edit that failed, of the file at this path, which was changed later.
    FailedEdit(&'a str),
}

const OPENING: &str = "[Left out: ";
const IN_MESSAGE: &str = " in message ";
const ENVIRONMENT: &str = "newer environment details stand";
const LIST: &str = "a newer list stands";
const CHANGED: &str = " was changed";
const WRITTEN: &str = " was written anew";
const FAILED: &str = "this failed; ";

#[cfg(test)]
impl<'a> LeftOut<'a> {
    /// What `content` says was left out, as a whole.
    #[must_use]
    pub fn read(content: &'a str) -> Option<Self> {
        let said = content.strip_prefix(OPENING)?.strip_suffix(']')?;
        let (what, newer) = said.rsplit_once(IN_MESSAGE)?;
        let state = match what {
            ENVIRONMENT => OldState::Environment,
            LIST => OldState::List,
            _ => match what.strip_suffix(WRITTEN) {
                Some(path) => OldState::Written(path),
                None => {
                    let changed = what.strip_suffix(CHANGED)?;
                    changed.strip_prefix(FAILED).map_or(OldState::Read(changed), OldState::FailedEdit)
                }
            },
        };
        Some(Self { state, newer: number(newer)? })
    }
}

impl LeftOut<'_> {
    /// What it says, without the brackets and the words before it.
    #[must_use]
    pub fn reason(&self) -> String {
        let newer = self.newer;
        match self.state {
            OldState::Environment => format!("{ENVIRONMENT}{IN_MESSAGE}{newer}"),
            OldState::List => format!("{LIST}{IN_MESSAGE}{newer}"),
            OldState::Read(path) => format!("{path}{CHANGED}{IN_MESSAGE}{newer}"),
            OldState::Written(path) => format!("{path}{WRITTEN}{IN_MESSAGE}{newer}"),
            OldState::FailedEdit(path) => format!("{FAILED}{path}{CHANGED}{IN_MESSAGE}{newer}"),
        }
    }
}

impl Display for LeftOut<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{OPENING}{}]", self.reason())
    }
}
