//! `quality_first`: the most careful first, and what is stronger only where that is not enough.

use serde_json::json;

use super::{
    composition::{Ask, Composition, ends_all},
    part::Part,
};
use crate::{
    options::Settings,
    providers::{CondenseError, Native, Smart, Truncation},
};

/// Smart with the preset conservative; where that misses the target native on its result; where that fails or misses it, too, truncation that suppresses.
pub async fn run(composition: &mut Composition<'_>, _settings: &Settings<'_>) -> Result<(), CondenseError> {
    // Its own salient truncation would reach the target before native is asked.
    let careful = Part::new(Smart::ID).with(json!({ "preset": "conservative", "meetTarget": false }));
    let native = Part::new(Native::ID);
    let failed = failed(composition, &careful, "the preset that loses least".to_owned()).await?;
    if is_enough(composition, failed) {
        return Ok(());
    }
    let failed = if failed {
        true
    } else {
        let reason = format!("{} tokens are left, more than the target", composition.tokens());
        self::failed(composition, &native, reason).await?
    };
    if is_enough(composition, failed) {
        return Ok(());
    }
    let truncation = Part::new(Truncation::ID).with(json!({ "truncationMode": "suppress" }));
    let reason = if failed {
        "a provider before it failed".to_owned()
    } else {
        format!("{} tokens are left, more than the target", composition.tokens())
    };
    composition.ask(Ask::of(&truncation, reason)).await.map(drop)
}

/// Whether what was done is all that is needed.
fn is_enough(composition: &Composition<'_>, failed: bool) -> bool {
    composition.meets_target() || (!failed && composition.now().target_tokens.is_none())
}

/// Asks a provider; whether it failed, which is told.
async fn failed(composition: &mut Composition<'_>, part: &Part, reason: String) -> Result<bool, CondenseError> {
    match composition.ask(Ask::of(part, reason)).await {
        Ok(_) => Ok(false),
        Err(error) if ends_all(&error) => Err(error),
        Err(error) => {
            composition.warn_of_failure(part, &error);
            Ok(true)
        }
    }
}
