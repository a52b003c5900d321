//! `pipeline`: stages one after the other, each on what the previous one left, until the target is reached.

use super::{
    composition::{Ask, Composition, ends_all},
    part::Part,
    tables::{PIPELINE, default_list},
};
use crate::{options::Settings, providers::CondenseError, words::said};

/// Runs the configured stages.
pub async fn run(composition: &mut Composition<'_>, settings: &Settings<'_>) -> Result<(), CondenseError> {
    stages(composition, &Part::listed(settings, "stages", &default_list(PIPELINE))).await
}

/// Runs stages until the target is reached, or all of them without a target. A failed stage is skipped with a
/// warning.
///
/// # Errors
/// The first error, if all stages failed.
pub async fn stages(composition: &mut Composition<'_>, stages: &[Part]) -> Result<(), CondenseError> {
    let mut failures = Vec::new();
    let mut worked = false;
    for (index, stage) in stages.iter().enumerate() {
        if composition.meets_target() {
            break;
        }
        let (stage_number, tokens) = (index + 1, composition.tokens());
        let reason = said!("choice.stage", stage: stage_number, of: stages.len(), tokens: tokens);
        match composition.ask(Ask::new(stage, reason)).await {
            Ok(_) => worked = true,
            Err(error) if ends_all(&error) => return Err(error),
            Err(error) => failures.push((stage, error)),
        }
    }
    if !worked && !failures.is_empty() {
        return Err(failures.swap_remove(0).1);
    }
    for (stage, error) in &failures {
        composition.warn_of_failure(stage, error);
    }
    Ok(())
}
