//! Warns if the target was missed, in the caller's tokens. The handler's own count decides, if it counts.

use super::fallback::Ran;
use crate::{
    manager::{numbers::Goal, totals::host_count},
    providers::Request,
    warning::{Warning, WarningCode},
    words::{Said, said},
};

fn is_miss(warning: &Warning) -> bool {
    warning.code == WarningCode::TargetNotMet
}

/// Replaces the providers' warnings about the target by one about the final result, or removes them if it meets the
/// target.
pub async fn told(mut ran: Ran, request: &Request, goal: Goal) -> Ran {
    let Some(target) = goal.target else { return ran };
    // If nothing changed, the handler has not counted yet. If tokens were reported, no count is needed.
    let is_uncounted = ran.host_count.is_none() && ran.error.is_none() && ran.turn.changes.is_empty();
    let counted = if is_uncounted && goal.reported.is_none() {
        match host_count(&ran.request, &ran.request.conversation, None, &mut ran.turn.warnings).await {
            Ok(counted) => counted,
            Err(aborted) => return Ran { error: Some(aborted), ..ran },
        }
    } else {
        ran.host_count
    };
    let ours = (request.scaled(&request.tally), ran.request.scaled(&ran.request.tally));
    let (before, after) = counted.map_or((ours.0 as f64, ours.1 as f64), |count| (count.before, count.after));
    let left = goal.left(before, after);
    // A ratio of the handler's counts is inexact, because the counts are rounded, so one token more is allowed. The
    // handler's own count is compared without this allowance.
    let rounding = if counted.is_some() && goal.reported.is_some() { 1.0 } else { 0.0 };
    // The last provider's warning is about the final result, by the local count.
    let last = ran.turn.warnings.iter().rfind(|warning| is_miss(warning)).cloned();
    let is_missed = left > target + rounding;
    if is_missed && last.is_none() && counted.is_none() && ran.error.is_some() {
        return ran;
    }
    ran.turn.warnings.retain(|warning| !is_miss(warning));
    if !is_missed {
        return ran;
    }
    let (ours, left, target) = (ours.1, left.ceil(), target.floor());
    let said = match (last, counted, goal.reported) {
        (Some(Warning { said: Some(said), .. }), None, None) => said,
        (Some(Warning { message, .. }), None, None) => Said::own(message),
        (_, _, Some(reported)) => {
            said!("warning.missedOfReported", left: left, reported: reported, target: target, ours: ours)
        }
        (_, Some(_), None) => said!("warning.missedAsCounted", left: left, target: target, ours: ours),
        (None, None, None) => {
            let tried: Vec<&str> = ran.turn.calls.iter().map(|(id, _)| id.as_str()).collect();
            said!("warning.missed", left: left, target: target, tried: tried.join(", "))
        }
    };
    let said = match ran.request.conversation.frozen() {
        0 => said,
        frozen => said!("warning.missedFrozen", missed: said, count: frozen),
    };
    ran.turn.warnings.push(Warning::new(WarningCode::TargetNotMet, said));
    ran
}
