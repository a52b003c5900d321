//! Applies the call's rule about signed thinking after the first change.

use super::fallback::Ran;
use crate::{
    manager::totals::host_count,
    providers::{Request, ThinkingOutcome, WithoutThinking},
    warning::{Warning, WarningCode},
    words::said,
};

/// Removes thinking that the service would refuse, or warns of it. If that costs more tokens than the changes saved,
/// all changes are undone.
pub async fn settled(mut ran: Ran, request: &Request) -> Ran {
    if ran.turn.changes.is_empty() || ran.must_stop() {
        return ran;
    }
    match ran.request.call.thinking.apply(&ran.request) {
        Err(cancelled) => Ran { error: Some(cancelled.into()), ..ran },
        Ok(ThinkingOutcome::Untouched) => ran,
        Ok(ThinkingOutcome::Kept(signed)) => {
            let said = said!("warning.thinkingAfterChange", count: signed);
            ran.turn.warnings.push(Warning::new(WarningCode::ThinkingAfterChange, said).about("thinking"));
            ran
        }
        Ok(ThinkingOutcome::Removed(result)) if result.tally.total() >= request.tally.total() => ran.undone(request),
        Ok(ThinkingOutcome::Removed(result)) => without(ran, result).await,
    }
}

async fn without(mut ran: Ran, result: WithoutThinking) -> Ran {
    let request = Request { conversation: result.conversation, tally: result.tally, ..ran.request };
    let left = request.scaled(&request.tally);
    if let Some((_, call)) = ran.turn.calls.iter_mut().rfind(|(id, _)| *id == ran.provider) {
        call.tokens_after = call.tokens_after.min(left);
    }
    ran.turn.changes.extend(result.changes);
    let counted = match ran.host_count {
        Some(known) => host_count(&request, &request.conversation, Some(known), &mut ran.turn.warnings).await,
        None => Ok(None),
    };
    let (host_count, error) = match counted {
        Ok(counted) => (counted, ran.error),
        Err(aborted) => (ran.host_count, Some(aborted)),
    };
    Ran { request, thinking_removed: result.blocks, host_count, error, ..ran }
}
