//! Markers for state that a later message replaced.

use std::fmt::{self, Display};

use crate::{
    conversation::on_line,
    words::{Said, said},
};

/// `[Left out: src/a.ts was changed below]`: content left out because a later message has newer state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeftOut<'a> {
    /// The content left out.
    pub state: OldState<'a>,
    /// The index of the message with the newer state, from 0. Reasons for people mention it; the marker does not,
    /// because a model sees no message numbers.
    pub newer: usize,
}

/// Content that can be left out in favour of newer state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OldState<'a> {
    /// A snapshot of the host's environment.
    Environment,
    /// A todo list.
    List,
    /// A read of the file at this path, which was changed later.
    Read(&'a str),
    /// A write of the file at this path, which was rewritten later.
    Written(&'a str),
    /// An edit that failed, of the file at this path, which was changed later.
    FailedEdit(&'a str),
}

const OPENING: &str = "[Left out: ";
const BELOW: &str = " below]";
const ENVIRONMENT: &str = "newer environment details stand";
const LIST: &str = "a newer list stands";
const CHANGED: &str = " was changed";
const WRITTEN: &str = " was written anew";
const FAILED: &str = "this failed; ";

impl<'a> LeftOut<'a> {
    /// Parses the note that `content` is as a whole.
    pub fn read(content: &'a str) -> Option<OldState<'a>> {
        let what = content.strip_prefix(OPENING)?.strip_suffix(BELOW)?;
        Some(match what {
            ENVIRONMENT => OldState::Environment,
            LIST => OldState::List,
            _ => match what.strip_suffix(WRITTEN) {
                Some(path) => OldState::Written(path),
                None => {
                    let changed = what.strip_suffix(CHANGED)?;
                    changed.strip_prefix(FAILED).map_or(OldState::Read(changed), OldState::FailedEdit)
                }
            },
        })
    }
}

impl LeftOut<'_> {
    /// Returns the reason, as a sentence for people.
    pub fn reason(&self) -> Said {
        let message = self.newer.to_string();
        match self.state {
            OldState::Environment => said!("change.environment", message: message),
            OldState::List => said!("change.list", message: message),
            OldState::Read(path) => said!("change.changed", path: path, message: message),
            OldState::Written(path) => said!("change.written", path: path, message: message),
            OldState::FailedEdit(path) => said!("change.failedEdit", path: path, message: message),
        }
    }
}

impl Display for OldState<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Environment => f.write_str(ENVIRONMENT),
            Self::List => f.write_str(LIST),
            Self::Read(path) => write!(f, "{}{CHANGED}", on_line(path)),
            Self::Written(path) => write!(f, "{}{WRITTEN}", on_line(path)),
            Self::FailedEdit(path) => write!(f, "{FAILED}{}{CHANGED}", on_line(path)),
        }
    }
}

impl Display for LeftOut<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{OPENING}{}{BELOW}", self.state)
    }
}
