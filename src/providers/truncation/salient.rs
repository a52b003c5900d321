//! The salient cut: what is likeliest to be used again stays, and a log quotes what goes; where not even the least of that fits, the oldest messages go.

use super::{apply, window};
use crate::{
    options::Settings,
    providers::{CondenseError, Note, Proposal, Request},
    salience::{Kept, Salience, SalienceError, Weights, Why},
};

fn salience(settings: &Settings<'_>) -> Salience {
    Salience {
        preserve_recent: settings.integer("preserveRecentCount"),
        weights: Weights::without(settings.text("withoutSignal")),
    }
}

/// What stays by its salience.
///
/// # Errors
/// When the work is cancelled.
pub fn proposal(request: &Request, settings: &Settings<'_>) -> Result<Proposal, CondenseError> {
    let (history, salience) = (request.history(), salience(settings));
    let Some(budget) = request.budget() else {
        let least = settings.integer("minTokensForTruncation");
        let kept = salience.cut_each(history, settings.integer("maxToolResultLines"), least);
        return Ok(proposal_of(kept.map_err(unanswered)?));
    };
    let kept = salience.within(history, budget).map_err(unanswered)?;
    let fits = kept.tally.total() <= budget;
    let proposal = proposal_of(kept);
    if fits {
        return Ok(proposal);
    }
    let after = apply(&request.conversation, &proposal.plan)?;
    let tally = request.tally.recount(&request.conversation, &after, &request.cancel)?;
    // Two messages say that others went.
    let budget = budget.saturating_sub(NOTE_TOKENS);
    Ok(window::after(request, proposal, &after, &tally, salience.preserve_recent, budget))
}

/// Tokens of the two messages that say that others went.
const NOTE_TOKENS: usize = 24;

fn proposal_of(kept: Kept) -> Proposal {
    let notes = kept.reasons.into_iter().map(Note::from);
    Proposal { notes: notes.collect(), plan: kept.plan, ..Proposal::default() }
}

impl From<Why> for Note {
    fn from(Why { message, block, operation, reason }: Why) -> Self {
        Self { message, block, operation, reason, grade: None }
    }
}

fn unanswered(error: SalienceError) -> CondenseError {
    match error {
        SalienceError::Cancelled(cancelled) => cancelled.into(),
        SalienceError::Plan(source) => CondenseError::InvalidPlan { provider: super::Truncation::ID.into(), source },
    }
}
