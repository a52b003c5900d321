//! `cost_aware`: the best that the budget pays for.

use super::{
    composition::{Ask, Composition, ends_all},
    part::Part,
    pipeline,
};
use crate::{
    options::Settings,
    providers::{CondenseError, Lossless, Native, Truncation},
    warning::{Warning, WarningCode},
};

/// Asks what `maxCost` pays for.
pub async fn run(composition: &mut Composition<'_>, settings: &Settings<'_>) -> Result<(), CondenseError> {
    within(composition, settings.number("maxCost"), "maxCost").await
}

/// Native where the most that it can cost is within `limit` dollars, else smart where that is, else what is free.
pub async fn within(composition: &mut Composition<'_>, limit: f64, option: &'static str) -> Result<(), CondenseError> {
    let mut refused = Vec::new();
    for part in [Part::new(Native::ID), Part::preset("balanced")] {
        match fits(composition, &part, limit, option).await? {
            Fit::Fits(reason) => {
                let llm = composition.within(limit, option);
                match composition.ask(Ask::of(&part, reason).with(llm)).await {
                    Ok(_) => return Ok(()),
                    Err(error) if ends_all(&error) => return Err(error),
                    Err(error) => composition.warn_of_failure(&part, &error),
                }
            }
            Fit::TooDear(why) => refused.push((WarningCode::CostLimit, why)),
            Fit::Unpriced(why) => refused.push((WarningCode::PriceUnknown, why)),
            Fit::Useless(error) if error.code() == "handler_invalid" => {
                // Nobody can be asked for anything.
                refused.push((WarningCode::NoHandler, error.to_string()));
                break;
            }
            Fit::Useless(error) => composition.warn_of_failure(&part, &error),
        }
    }
    if let Some((code, _)) = refused.first() {
        let code = code.clone();
        let why: Vec<_> = refused.into_iter().map(|(_, why)| why).collect();
        let message = format!("{}; lossless and truncation, which are free, do the work", why.join("; "));
        composition.warn(Warning::new(code, message).about(option));
    }
    pipeline::stages(composition, &[Part::new(Lossless::ID), Part::new(Truncation::ID)]).await
}

/// Whether a budget pays for a part.
pub enum Fit {
    /// It does; why.
    Fits(String),
    /// It does not; why.
    TooDear(String),
    /// Nobody knows what a model costs that it would ask; who.
    Unpriced(String),
    /// There is nothing that it could do.
    Useless(CondenseError),
}

/// Whether the most that a part can cost is within `limit` dollars, and within what else may still be spent.
///
/// # Errors
/// Those that end everything.
pub async fn fits(
    composition: &Composition<'_>,
    part: &Part,
    limit: f64,
    option: &'static str,
) -> Result<Fit, CondenseError> {
    let tried = match composition.tried(part).await {
        Ok(tried) => tried,
        Err(error) if ends_all(&error) => return Err(error),
        Err(error) => return Ok(Fit::Useless(error)),
    };
    if let Some(error) = tried.error {
        return Ok(Fit::Useless(error));
    }
    let left = composition.now().llm.budget.left().map_or(limit, |left| left.min(limit));
    let (provider, most) = (&part.provider, tried.most);
    Ok(if most <= left {
        Fit::Fits(format!("{provider} costs at most ${most:.4}, within the ${left:.4} of {option}"))
    } else if most.is_finite() {
        Fit::TooDear(format!("{provider} could cost ${most:.4}, more than the ${left:.4} of {option}"))
    } else {
        Fit::Unpriced(format!("{provider} could cost anything, because the price of a model is not known"))
    })
}
