//! Strategy `salient`: folds old messages into the story, and shortens new ones to the lines most likely to be used
//! again. If the shortest such version exceeds the target, the oldest messages are dropped.

use super::{Truncation, TruncationConfig, apply, window};
use crate::{
    providers::{
        CondenseError, Note, Proposal, Request,
        fold::{Fold, failed, folded},
    },
    salience::Salience,
};

/// Folds old messages until the target is met. Without a target, it cuts each old result to its most important lines.
pub fn proposal(request: &Request, config: &TruncationConfig) -> Result<Proposal, CondenseError> {
    let preserve_recent = config.preserve_recent_count;
    let Some(budget) = request.budget() else {
        let least = config.min_tokens_for_truncation;
        let lines = config.max_tool_result_lines.value;
        let kept = Salience::all_signals(preserve_recent).cut_each(request.history(), lines, least);
        let kept = kept.map_err(|error| failed(Truncation::ID, error))?;
        let notes = kept.reasons.into_iter().map(Note::from).collect();
        return Ok(Proposal { notes, plan: kept.plan, ..Proposal::default() });
    };
    let fold = Fold { provider: Truncation::ID, preserve_recent, part: 1.0, is_known: &|_| false };
    let (proposal, fits) = folded(request, &fold, budget)?;
    if fits {
        return Ok(proposal);
    }
    let after = apply(&request.conversation, &proposal.plan)?;
    let tally = request.tally.recount(&request.conversation, &after, &request.cancel)?;
    // Reserves tokens for the two messages that say that others were dropped.
    let budget = budget.saturating_sub(NOTE_TOKENS);
    let proposal = Proposal { settled: None, shares: Vec::new(), pointers_checked: false, ..proposal };
    Ok(window::after(request, proposal, &after, &tally, preserve_recent, budget))
}

/// Tokens of the two messages that say that others were dropped.
const NOTE_TOKENS: usize = 24;
