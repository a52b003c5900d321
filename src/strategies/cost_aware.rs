//! `cost_aware`: runs the best provider that fits the budget.

use super::{
    composition::{Ask, Composition, ends_all},
    part::Part,
    pipeline,
    tables::CostAwareConfig,
};
use crate::{
    dollars::rounded_apart,
    providers::{CondenseError, Lossless, Native, Truncation},
    summaries::Llm,
    warning::{Warning, WarningCode},
    words::{Said, said},
};

/// Runs the best provider within `maxCost`.
pub async fn run(composition: &mut Composition<'_>, config: &CostAwareConfig) -> Result<(), CondenseError> {
    within(composition, config.max_cost, "maxCost").await
}

/// Runs native if its maximum cost is within `limit` dollars, else smart if its cost fits the remaining budget, else a
/// free provider.
pub async fn within(composition: &mut Composition<'_>, limit: f64, option: &'static str) -> Result<(), CondenseError> {
    let mut refused = Vec::new();
    // One budget for all runs, so that the cost of a failed one reduces what is left for the next.
    let llm = composition.within(limit, option);
    for part in [Part::new(Native::ID), Part::preset("balanced")] {
        match fits(composition, &part, &llm).await? {
            Fit::Fits(reason) => {
                if composition.ask_or_warn(Ask::new(&part, reason).with(llm.clone())).await? {
                    // A provider that costs too much is skipped without a warning, because that is configured. An
                    // unknown price gives a warning.
                    let unpriced = refused.into_iter().find(|(code, _)| *code == WarningCode::PriceUnknown);
                    if let Some((code, why)) = unpriced {
                        let said = said!("warning.otherWorks", why: why, provider: part.provider.as_str());
                        composition.warn(Warning::new(code, said).about(option));
                    }
                    return Ok(());
                }
            }
            Fit::Refused(code, why) => refused.push((code, why)),
            Fit::Useless(error) if error.code() == "handler_invalid" => {
                // Without a handler, no later provider can get a summary either.
                refused.push((WarningCode::NoHandler, error.said()));
                break;
            }
            Fit::Useless(error) => composition.warn_of_failure(&part, &error),
        }
    }
    if let Some((code, _)) = refused.first() {
        let code = code.clone();
        let why: Vec<_> = refused.into_iter().map(|(_, why)| why).collect();
        composition.warn(Warning::new(code, said!("warning.freeWork", why: why)).about(option));
    }
    pipeline::stages(composition, &[Part::new(Lossless::ID), Part::new(Truncation::ID)]).await
}

/// The check of a part against a budget.
pub enum Fit {
    /// The budget covers it, with the reason.
    Fits(Said),
    /// The budget does not cover it, or its cost is unknown because a model's price is; with the reason.
    Refused(WarningCode, Said),
    /// Running the provider would be useless, with the error.
    Useless(CondenseError),
}

/// Checks whether a part's maximum cost is within the remaining budget of `llm`.
///
/// # Errors
/// The errors that end everything.
pub async fn fits(composition: &Composition<'_>, part: &Part, llm: &Llm) -> Result<Fit, CondenseError> {
    let tried = match composition.tried(part, llm).await {
        Ok(tried) => tried,
        Err(error) if ends_all(&error) => return Err(error),
        Err(error) => return Ok(Fit::Useless(error)),
    };
    if let Some(error) = tried.error {
        return Ok(Fit::Useless(error));
    }
    let (provider, most, left) = (&part.provider, tried.most, llm.budget.left().unwrap_or(f64::INFINITY));
    let option = llm.budget.limiting_option().unwrap_or_default();
    let [costs, budget] = rounded_apart(most, left);
    let provider = provider.as_str();
    Ok(if most <= left {
        // If the request fails, another provider may run within the remaining budget.
        Fit::Fits(said!("choice.fits", provider: provider, costs: costs, budget: budget, option: option))
    } else if most.is_finite() {
        let why = said!("choice.costsMore", provider: provider, costs: costs, budget: budget, option: option);
        Fit::Refused(WarningCode::CostLimit, why)
    } else {
        let why = said!("choice.unpriced", provider: provider);
        Fit::Refused(WarningCode::PriceUnknown, why)
    })
}
