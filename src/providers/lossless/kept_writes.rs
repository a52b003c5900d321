//! Warns about overwritten writes that are kept because nothing proves that their content is gone.

use super::{
    inline::Changed,
    operations::{LosslessConfig, LosslessOperation},
    work_text::given,
};
use crate::{
    conversation::Conversation,
    maps::HashSet,
    tokens::{Encoding, count_inside},
    transcript::Transcript,
    warning::{Warning, WarningCode},
    words::said,
};

/// Writes with fewer tokens are not worth a warning.
const LEAST_TOKENS: usize = 100;

/// The writes of a conversation that may be kept, with everything that determines which of them are.
pub struct KeptWrites<'a> {
    /// The conversation.
    pub conversation: &'a Conversation,
    /// The events of the conversation.
    pub transcript: &'a Transcript<'a>,
    /// The overwritten writes, as indices of events, oldest first.
    pub writes: &'a [usize],
    /// The operations that are switched on.
    pub options: &'a LosslessConfig,
    /// For counting.
    pub encoding: Encoding,
}

impl KeptWrites<'_> {
    /// Returns the warning about writes that are kept whole, except writes that became pointers in `changed`.
    pub fn warning(&self, changed: &[Changed]) -> Option<Warning> {
        let is_on = self.options.tool_parameters && self.options.is_on(LosslessOperation::OverwrittenWrite);
        let changed: HashSet<usize> = changed.iter().map(|changed| changed.text).collect();
        let writes = self.writes.iter().filter(|_| is_on);
        let kept: Vec<(usize, usize)> = writes.filter_map(|write| self.kept(*write, &changed)).collect();
        let (first, _) = *kept.first()?;
        let tokens: usize = kept.iter().map(|(_, tokens)| tokens).sum();
        let said = said!("warning.writesKept", count: kept.len(), tokens: tokens, message: first);
        (tokens >= LEAST_TOKENS).then(|| Warning::new(WarningCode::WritesKept, said).at(Some(first)))
    }

    /// Returns the message and tokens of a write that is kept whole although it is old enough to be left out.
    fn kept(&self, write: usize, changed: &HashSet<usize>) -> Option<(usize, usize)> {
        let places = given(&self.transcript.events[write]);
        let message = self.transcript.texts[places.first()?.text].message;
        let is_old = message >= self.conversation.task()
            && message + self.options.preserve_recent_count < self.conversation.len();
        let is_whole = places.iter().all(|place| !changed.contains(&place.text));
        let tokens = |place| count_inside(self.transcript.text(place), self.encoding).tokens;
        (is_old && is_whole).then(|| (message, places.iter().map(tokens).sum()))
    }
}
