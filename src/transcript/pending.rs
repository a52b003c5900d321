//! The calls of the assistant's newest message that wait for their results.

use crate::maps::HashMap;
use std::collections::VecDeque;

use super::{calls::ToolCall, interpret::ToolAnswer};

/// Calls in order, each with its result once there is one. Finding the call of a result takes constant time.
#[derive(Default)]
pub(super) struct Pending<'a> {
    calls: Vec<(ToolCall<'a>, Option<ToolAnswer>)>,
    by_id: HashMap<&'a str, VecDeque<usize>>,
    by_name: HashMap<String, VecDeque<usize>>,
}

impl<'a> Pending<'a> {
    pub(super) fn push(&mut self, call: ToolCall<'a>) {
        let index = self.calls.len();
        if let Some(id) = call.id {
            self.by_id.entry(id).or_default().push_back(index);
        }
        self.by_name.entry(call.announced.clone()).or_default().push_back(index);
        self.calls.push((call, None));
    }

    /// Returns true if a tool was called by this name, whether or not it has a result.
    pub(super) fn is_called(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    /// Sets the result of the first call with this id that has none, or returns the result if there is no such call.
    pub(super) fn answer_id(&mut self, id: &str, answer: ToolAnswer) -> Result<(), ToolAnswer> {
        Self::answer(&mut self.calls, self.by_id.get_mut(id), answer)
    }

    /// Sets the result of the first call with this name that has none, or returns the result if there is no such
    /// call.
    pub(super) fn answer_name(&mut self, name: &str, answer: ToolAnswer) -> Result<(), ToolAnswer> {
        Self::answer(&mut self.calls, self.by_name.get_mut(name), answer)
    }

    fn answer(
        calls: &mut [(ToolCall<'a>, Option<ToolAnswer>)],
        waiting: Option<&mut VecDeque<usize>>,
        answer: ToolAnswer,
    ) -> Result<(), ToolAnswer> {
        let Some(waiting) = waiting else { return Err(answer) };
        while let Some(call) = waiting.pop_front() {
            // The call may have got its result by its other key.
            if calls[call].1.is_none() {
                calls[call].1 = Some(answer);
                return Ok(());
            }
        }
        Err(answer)
    }

    /// Takes out all calls with their results.
    pub(super) fn take(&mut self) -> Vec<(ToolCall<'a>, Option<ToolAnswer>)> {
        std::mem::take(self).calls
    }
}
