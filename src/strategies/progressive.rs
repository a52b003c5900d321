//! `progressive`: what is free first, then models, the dearer the more of the budget is left.

use serde_json::{Value, json};

use super::{
    composition::{Ask, Composition, ends_all},
    cost_aware::{Fit, fits},
    part::{Part, PartTarget},
    pipeline,
};
use crate::{
    dollars::apart,
    options::Settings,
    providers::{CondenseError, Lossless, Native, Smart, Truncation},
    summaries::{CONDENSING_ROLE, Llm},
    warning::Warning,
};

/// With no larger budget no model is asked: a cheap one costs about as much for a long conversation.
const CHEAP_ABOVE: f64 = 0.01;
/// With no more left of the budget the conversation's own model is not asked.
const OWN_MODEL_ABOVE: f64 = 0.05;

/// Asks the tiers that are needed and paid for.
pub async fn run(composition: &mut Composition<'_>, settings: &Settings<'_>) -> Result<(), CondenseError> {
    let before = composition.tokens();
    // Truncation that is told of the target would always reach it, and leave nothing for a model to tell.
    let gently = Part { target: PartTarget::Untold, ..Part::new(Truncation::ID) };
    pipeline::stages(composition, &[Part::new(Lossless::ID), gently]).await?;
    let has_target = composition.now().target_tokens.is_some();
    if composition.meets_target() || (!has_target && composition.tokens() < before) {
        return Ok(());
    }
    let budget = settings.number("budget");
    let llm = composition.within(budget, "budget");
    if budget > CHEAP_ABOVE {
        let [budget, least] = apart(budget, CHEAP_ABOVE);
        let reason = format!("{}, and {budget} may be spent, more than {least}", missed(composition));
        ask(composition, &Part::new(Smart::ID).with(cheap()), reason, llm.clone()).await?;
    }
    let left = llm.budget.left().unwrap_or_default();
    if !composition.meets_target() && left > OWN_MODEL_ABOVE {
        let [left, least] = apart(left, OWN_MODEL_ABOVE);
        let reason = format!("{}, and {left} are left, more than {least}", missed(composition));
        let own = llm.handler.clone().or_else(|| llm.condensing_handler.clone());
        let llm = Llm { condensing_handler: own, ..llm };
        let part = Part::new(Native::ID);
        // Of a summary in parts all are paid for or none is asked for: some of them are no summary.
        match fits(composition, &part, &llm).await? {
            Fit::Fits(_) => ask(composition, &part, reason, llm).await?,
            Fit::Refused(code, why) => composition.warn(Warning::new(code, why).about("budget")),
            Fit::Useless(error) => composition.warn_of_failure(&part, &error),
        }
    }
    if has_target && !composition.meets_target() {
        let reason = format!("{}, and truncation is free", missed(composition));
        composition.ask(Ask::of(&Part::new(Truncation::ID), reason)).await?;
    }
    Ok(())
}

/// One summary of the older half, by the model for summaries.
fn cheap() -> Value {
    json!({
        "losslessPrelude": { "enabled": false },
        "passes": [{
            "id": "cheap-summary",
            "name": "One summary of the older half",
            "selection": { "type": "preserve_percent", "keepPercentage": 50 },
            "mode": "batch",
            "batchConfig": { "operation": "summarize", "summarizationConfig": { "apiProfile": CONDENSING_ROLE, "keepFirst": 1, "keepLast": 3 } },
        }],
    })
}

fn missed(composition: &Composition<'_>) -> String {
    match composition.now().target_tokens {
        Some(target) => format!("{} tokens are left, more than the target of {target}", composition.tokens()),
        None => format!("nothing was saved of {} tokens", composition.tokens()),
    }
}

/// Asks a tier; that it failed is told.
async fn ask(composition: &mut Composition<'_>, part: &Part, reason: String, llm: Llm) -> Result<(), CondenseError> {
    match composition.ask(Ask::of(part, reason).with(llm)).await {
        Err(error) if ends_all(&error) => Err(error),
        Err(error) => {
            composition.warn_of_failure(part, &error);
            Ok(())
        }
        Ok(_) => Ok(()),
    }
}
