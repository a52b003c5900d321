//! `progressive`: runs free providers first, then models. The larger the remaining budget, the more expensive the
//! models.

use super::{
    composition::{Ask, Composition},
    cost_aware::{Fit, fits},
    part::Part,
    pipeline,
    tables::ProgressiveConfig,
};
use crate::{
    dollars::rounded_apart,
    providers::{CondenseError, Lossless, Native, Truncation},
    summaries::Llm,
    warning::Warning,
    words::{Said, said},
};

/// Budget in dollars above which a model is called: even a cheap one costs about as much for a long conversation.
const CHEAP_ABOVE: f64 = 0.01;
/// Remaining budget in dollars above which the conversation's own model is called.
const OWN_MODEL_ABOVE: f64 = 0.05;

/// Runs the tiers that the target requires and the budget covers.
pub async fn run(composition: &mut Composition<'_>, config: &ProgressiveConfig) -> Result<(), CondenseError> {
    let has_target = composition.now().target_tokens.is_some();
    if !has_target {
        return pipeline::stages(composition, &[Part::new(Lossless::ID), Part::new(Truncation::ID)]).await;
    }
    pipeline::stages(composition, &[Part::new(Lossless::ID)]).await?;
    let budget = config.budget;
    let llm = composition.within(budget, "budget");
    let can_ask = llm.handler.is_some() || llm.condensing_handler.is_some();
    if can_ask && !composition.meets_target() && budget > CHEAP_ABOVE {
        let [budget, least] = rounded_apart(budget, CHEAP_ABOVE);
        let reason = said!("choice.mayBeSpent", missed: missed(composition), budget: budget, least: least);
        ask_within(composition, reason, llm.clone()).await?;
    }
    let left = llm.budget.left().unwrap_or_default();
    if can_ask && !composition.meets_target() && left > OWN_MODEL_ABOVE {
        let [left, least] = rounded_apart(left, OWN_MODEL_ABOVE);
        let reason = said!("choice.areLeft", missed: missed(composition), left: left, least: least);
        let own = llm.handler.clone().or_else(|| llm.condensing_handler.clone());
        let llm = Llm { condensing_handler: own, ..llm };
        ask_within(composition, reason, llm).await?;
    }
    if !composition.meets_target() {
        let reason = said!("choice.isFree", missed: missed(composition));
        composition.ask(Ask::new(&Part::new(Truncation::ID), reason)).await?;
    }
    Ok(())
}

fn missed(composition: &Composition<'_>) -> Said {
    let target = composition.now().target_tokens.unwrap_or_default();
    said!("choice.missed", tokens: composition.tokens(), target: target)
}

/// Runs native for one summary with shortened messages around it, if the budget covers all of it.
async fn ask_within(composition: &mut Composition<'_>, reason: Said, llm: Llm) -> Result<(), CondenseError> {
    let part = Part::new(Native::ID);
    // A summary in parts is requested only if the budget covers all parts, because a few parts are useless.
    match fits(composition, &part, &llm).await? {
        Fit::Fits(_) => drop(composition.ask_or_warn(Ask::new(&part, reason).with(llm)).await?),
        Fit::Refused(code, why) => composition.warn(Warning::new(code, why).about("budget")),
        Fit::Useless(error) => composition.warn_of_failure(&part, &error),
    }
    Ok(())
}
