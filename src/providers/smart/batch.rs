//! Mode `batch`: one summary, written as by the native provider, replaces the selected messages.

use std::ops::Range;

use super::config::{BatchSummary, ID};
use crate::{
    conversation::{Edit, Plan, answered},
    providers::{
        CondenseError, Native, Note, Proposal, Request,
        middle::{Middle, SummaryCheck, SummaryRequest, summarize_middle},
    },
    summaries::DEFAULT_WINDOW,
};

/// Returns the plan that replaces a run of messages, given by their indices in the call's input, with a summary. At
/// most `most_kept` messages are kept at the end, or the unselected ones there if they are more.
///
/// # Errors
/// The errors of [`summarize_middle`]; [`CondenseError::NotEnoughMessages`] if there is nothing to summarise.
pub(super) async fn summarize(
    request: &Request,
    run: &Range<usize>,
    summary: &BatchSummary,
    most_kept: usize,
    concurrency: usize,
) -> Result<Proposal, CondenseError> {
    let length = request.conversation.len();
    let in_run =
        |index: &usize| request.conversation.entries()[*index].origin.is_some_and(|origin| run.contains(&origin));
    let mut start = (0..length).find(in_run).unwrap_or(length);
    // A summary directly before the run covers messages that were selected too, so it is brought up to date.
    while start > 1 && request.conversation.entries()[start - 1].origin.is_none() {
        start -= 1;
    }
    let end = (0..length).rfind(in_run).map_or(0, |last| last + 1);
    let keep_last = summary.keep_last.min(most_kept).max(length - end).max(1);
    let skipped = messages_before(request, summary.keep_first, start);
    let (request, skipped) =
        if skipped == 0 { (request.clone(), 0) } else { (without_start(request, skipped)?, skipped) };
    // A summary of only a part must not use up the whole target.
    let target_tokens = request.target_tokens.filter(|_| skipped == 0);
    let request = Request { llm: request.llm.under(summary.api_profile.as_deref()), target_tokens, ..request };
    let middle = Middle {
        provider: Native::ID,
        keep: keep_last,
        prompt: &summary.custom_prompt,
        concurrency,
        window: DEFAULT_WINDOW,
        request: SummaryRequest::Own,
        check: SummaryCheck::wanted(summary.summary_check),
    };
    let mut proposal = summarize_middle(&request, middle).await?;
    shift(&mut proposal, skipped);
    Ok(proposal)
}

/// Returns the number of messages before the last message kept at the start, which is the first that the model sees.
fn messages_before(request: &Request, keep_first: usize, start: usize) -> usize {
    let conversation = &request.conversation;
    let mut first = keep_first.max(start).max(conversation.fixed()).min(conversation.len());
    // A kept call keeps its result; otherwise the result would remain without its call.
    let answered = answered(conversation);
    while answered.get(first).copied().flatten().is_some() {
        first += 1;
    }
    first - 1
}

fn without_start(request: &Request, messages: usize) -> Result<Request, CondenseError> {
    let plan = Plan { edits: (0..messages).map(|message| Edit::Drop { message }).collect() };
    let conversation = request.conversation.apply(&plan);
    let conversation = conversation.map_err(|source| CondenseError::InvalidPlan { provider: ID.into(), source })?;
    let tally = request.tally.recount(&request.conversation, &conversation, &request.cancel)?;
    Ok(Request { conversation, tally, ..request.clone() })
}

fn shift(proposal: &mut Proposal, by: usize) {
    for edit in &mut proposal.plan.edits {
        match edit {
            Edit::Set { message, .. }
            | Edit::Drop { message }
            | Edit::Insert { before: message, .. }
            | Edit::DropBlock { message, .. }
            | Edit::InsertBlock { message, .. } => *message += by,
        }
    }
    for Note { message, .. } in &mut proposal.notes {
        *message += by;
    }
}
