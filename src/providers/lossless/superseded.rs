//! The operations of grade "superseded": state that a later message replaced is left out.

use crate::{tokens::Encoding, transcript::Transcript};

use super::{inline::Done, operations::Options, texts::Text};

/// What was replaced.
pub struct Replaced {
    /// By the index of the text.
    pub done: Vec<(usize, Done)>,
}

/// Replaces obsolete parts of `texts`.
pub fn replace(_transcript: &Transcript<'_>, _texts: &mut [Text<'_>], _length: usize, _options: &Options, _encoding: Encoding) -> Replaced {
    Replaced { done: Vec::new() }
}
