//! `per_user`: runs the provider that the user prefers.

use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Value, json};

use super::{
    composition::{Ask, Composition},
    cost_aware::{self, Fit},
    part::Part,
    tables::{self, PerUserConfig, Preferences},
};
use crate::{
    options::{Options, merged, path_of},
    providers::{CondenseError, Smart},
    warning::{Warning, WarningCode},
    words::{Said, said},
};

/// Looks up the preferences of users that the configuration does not contain.
#[async_trait]
pub trait UserDirectory: Send + Sync {
    /// Returns a user's preferences as JSON; `None` for an unknown user.
    ///
    /// # Errors
    /// The reason why the look-up failed.
    async fn look_up(&self, user: &str) -> Result<Option<Value>, String>;
}

/// Time limit for looking up a user.
const PATIENCE: Duration = Duration::from_secs(5);
const LIMIT: &str = "maxCostPerCondensation";

/// Quality threshold above which the preset with the least loss is used.
const CAREFUL_ABOVE: f64 = 0.8;
/// Quality threshold above which the middle preset is used; at or below it, the preset that leaves the fewest tokens.
const BALANCED_ABOVE: f64 = 0.5;

/// Runs the provider that the user prefers.
pub async fn run(
    composition: &mut Composition<'_>,
    config: PerUserConfig,
    directory: Option<&dyn UserDirectory>,
) -> Result<(), CondenseError> {
    let (whose, place, preferences) = preferences(composition, config, directory).await?;
    let part = Part { place, ..part(&preferences) };
    let Some(limit) = preferences.max_cost_per_condensation else {
        return composition.ask(Ask::new(&part, whose)).await.map(drop);
    };
    let llm = composition.within(limit, LIMIT);
    match cost_aware::fits(composition, &part, &llm).await? {
        Fit::Refused(code, why) => {
            let said = said!("warning.costAwareWorks", why: why);
            composition.warn(Warning::new(code, said).about(LIMIT));
            cost_aware::within(composition, limit, LIMIT).await
        }
        Fit::Fits(why) => {
            composition.ask(Ask::new(&part, said!("choice.both", whose: whose, why: why)).with(llm)).await.map(drop)
        }
        Fit::Useless(error) => Err(error),
    }
}

/// Returns the preferences, with their source and path.
async fn preferences(
    composition: &mut Composition<'_>,
    PerUserConfig { users, default, .. }: PerUserConfig,
    directory: Option<&dyn UserDirectory>,
) -> Result<(Said, String, Preferences), CondenseError> {
    let Some(user) = composition.now().call.subject.user.clone() else {
        return Ok((said!("choice.noUser"), "default".to_owned(), default));
    };
    if let Some((_, known)) = users.into_iter().find(|(id, _)| *id == user) {
        return Ok((said!("choice.ofUser", user: user.as_str()), path_of("users", &user), known));
    }
    if let Some(directory) = directory {
        let cancel = composition.now().cancel.clone();
        let looked_up = tokio::select! {
            () = cancel.cancelled() => return Err(CondenseError::Aborted),
            looked_up = tokio::time::timeout(PATIENCE, directory.look_up(&user)) => looked_up,
        };
        let looked_up = looked_up
            .map_err(|_| said!("warning.noAnswer", limit: PATIENCE.as_millis() as f64))
            .and_then(|found| found.map_err(Said::own));
        match looked_up.and_then(|found| checked(composition, found)) {
            Ok(Some(found)) => {
                let whose = said!("choice.lookedUp", user: user.as_str());
                return Ok((whose, ANSWER.to_owned(), found));
            }
            Ok(None) => {}
            Err(failure) => {
                let said = said!("warning.lookUpFailed", user: user.as_str(), failure: failure);
                composition.warn(Warning::new(WarningCode::LookUpFailed, said).about("lookUp"));
            }
        }
    }
    Ok((said!("choice.unknownUser", user: user.as_str()), "default".to_owned(), default))
}

/// The path for errors in preferences that were looked up.
const ANSWER: &str = "lookUp()";

/// Returns the preferences that were looked up, or the reason why they are invalid.
fn checked(composition: &Composition<'_>, found: Option<Value>) -> Result<Option<Preferences>, Said> {
    let Some(found) = found.filter(|found| !found.is_null()) else { return Ok(None) };
    let mut faults = tables::faults(tables::PER_USER, &json!({ "default": found }));
    for fault in &mut faults {
        fault.path = fault.path.replacen("default", ANSWER, 1);
    }
    if !faults.is_empty() {
        return Err(CondenseError::from(faults).said());
    }
    if let Some(provider) = found["preferredProvider"].as_str() {
        composition.knows(provider).map_err(|error| format!("{ANSWER}.preferredProvider: {error}"))?;
    }
    Preferences::read(&found).map(Some).map_err(|faults| CondenseError::from(faults).said())
}

/// Returns the provider to run for a user with these preferences.
fn part(preferences: &Preferences) -> Part {
    let provider = preferences.preferred_provider.as_str();
    let custom = preferences.custom_config.as_ref();
    // Fields that name neither a preset nor passes are combined with the preset.
    let says_what = |config: &&Value| ["preset", "passes"].iter().any(|field| config.get(field).is_some());
    if provider != Smart::ID || custom.as_ref().is_some_and(says_what) {
        return Part::new(provider).with(custom.cloned().unwrap_or_default());
    }
    let quality = preferences.quality_threshold;
    let part = Part::preset(if quality > CAREFUL_ABOVE {
        "conservative"
    } else if quality > BALANCED_ABOVE {
        "balanced"
    } else {
        "aggressive"
    });
    let config = merged(&part.config, custom.unwrap_or(&Value::Null));
    part.with(config)
}
