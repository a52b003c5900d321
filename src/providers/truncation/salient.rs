//! Tells the old messages and leaves the new ones in place, shortened to what is likeliest to be used again; where not even the least of that fits, the oldest messages go.

use super::{Truncation, TruncationConfig, apply, window};
use crate::{
    providers::{
        CondenseError, Note, Proposal, Request,
        fold::{Fold, failed, folded},
    },
    salience::Salience,
};

/// The fold to a target; without one, each old result is cut to its most telling lines.
///
/// # Errors
/// When the work is cancelled.
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
    // Two messages say that others went.
    let budget = budget.saturating_sub(NOTE_TOKENS);
    let proposal = Proposal { settled: None, shares: Vec::new(), pointers_checked: false, ..proposal };
    Ok(window::after(request, proposal, &after, &tally, preserve_recent, budget))
}

/// Tokens of the two messages that say that others went.
const NOTE_TOKENS: usize = 24;
