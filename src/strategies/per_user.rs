//! `per_user`: what the user prefers.

use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Value, json};

use super::{
    composition::{Ask, Composition},
    cost_aware::{self, Fit},
    part::Part,
    tables::{self, PREFERENCES},
};
use crate::{
    options::{Settings, merged},
    providers::{CondenseError, Smart},
    warning::{Warning, WarningCode},
    words::{Said, said},
};

/// Finds the preferences of users that the configuration does not have.
#[async_trait]
pub trait UserDirectory: Send + Sync {
    /// The preferences of a user, as JSON; `None` for one that is not known.
    ///
    /// # Errors
    /// Why they could not be looked up.
    async fn look_up(&self, user: &str) -> Result<Option<Value>, String>;
}

/// How long looking up a user may take.
const PATIENCE: Duration = Duration::from_secs(5);
const LIMIT: &str = "maxCostPerCondensation";

/// Over this threshold of quality the preset that loses least...
const CAREFUL_ABOVE: f64 = 0.8;
/// ... over this one the one between, else the one that leaves least.
const BALANCED_ABOVE: f64 = 0.5;

/// Asks the provider that the user prefers.
pub async fn run(
    composition: &mut Composition<'_>,
    settings: &Settings<'_>,
    directory: Option<&dyn UserDirectory>,
) -> Result<(), CondenseError> {
    let (whose, place, preferences) = preferences(composition, settings, directory).await?;
    let preferences = PREFERENCES.read(&preferences)?;
    let part = Part { place, ..part(&preferences) };
    let Some(limit) = preferences.given_number(LIMIT) else {
        return composition.ask(Ask::of(&part, whose)).await.map(drop);
    };
    let llm = composition.within(limit, LIMIT);
    match cost_aware::fits(composition, &part, &llm).await? {
        Fit::Refused(code, why) => {
            let said = said!("warning.costAwareWorks", why: why);
            composition.warn(Warning::new(code, said).about(LIMIT));
            cost_aware::within(composition, limit, LIMIT).await
        }
        Fit::Fits(why) => {
            composition.ask(Ask::of(&part, said!("choice.both", whose: whose, why: why)).with(llm)).await.map(drop)
        }
        Fit::Useless(error) => Err(error),
    }
}

/// Returns where the preferences come from, their path, and themselves.
async fn preferences(
    composition: &mut Composition<'_>,
    settings: &Settings<'_>,
    directory: Option<&dyn UserDirectory>,
) -> Result<(Said, String, Value), CondenseError> {
    let default = settings.value("default").cloned().unwrap_or_else(|| json!({}));
    let Some(user) = composition.now().call.subject.user.clone() else {
        return Ok((said!("choice.noUser"), "default".to_owned(), default));
    };
    let known = settings.value("users").and_then(|users| users.get(&user)).filter(|known| !known.is_null());
    if let Some(known) = known {
        return Ok((
            said!("choice.ofUser", user: user.as_str()),
            crate::options::path_of("users", &user),
            known.clone(),
        ));
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

/// The path of faults in preferences that were looked up.
const ANSWER: &str = "lookUp()";

/// Preferences that were looked up, unless something is wrong with them.
fn checked(composition: &Composition<'_>, found: Option<Value>) -> Result<Option<Value>, Said> {
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
    Ok(Some(found))
}

/// Returns the provider to run for a user with these preferences.
fn part(preferences: &Settings<'_>) -> Part {
    let provider = preferences.text("preferredProvider");
    let custom = preferences.value("customConfig");
    // Fields that leave open what is done go with the preset.
    let says_what = |config: &&Value| ["preset", "passes"].iter().any(|field| config.get(field).is_some());
    if provider != Smart::ID || custom.as_ref().is_some_and(says_what) {
        return Part::new(provider).with(custom.cloned().unwrap_or_default());
    }
    let quality = preferences.number("qualityThreshold");
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
