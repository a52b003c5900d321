//! `pipeline`: runs stages one after the other, each on the result of the previous one, until the target is reached.

use super::{
    composition::{Ask, Composition, ends_all},
    part::{Part, PartTarget},
    tables::{PipelineConfig, Stage},
};
use crate::{
    options::Either,
    providers::{CondenseError, Lossless, Native, Truncation},
    words::said,
};

/// Runs the stages of the configuration.
pub async fn run(composition: &mut Composition<'_>, config: PipelineConfig) -> Result<(), CondenseError> {
    let parts = match config.stages {
        Some(stages) => stages.into_iter().enumerate().map(part).collect(),
        None => [Lossless::ID, Truncation::ID, Native::ID].map(Part::new).to_vec(),
    };
    stages(composition, &parts).await
}

fn part((index, stage): (usize, Either<String, Stage>)) -> Part {
    let part = match stage {
        Either::First(provider) => Part::new(&provider),
        Either::Second(Stage { provider, config, target }) => {
            let target = match target {
                Some(Either::First(_)) => PartTarget::Untold,
                Some(Either::Second(tokens)) => PartTarget::AtLeast(tokens),
                None => PartTarget::OfCall,
            };
            Part { target, ..Part::new(&provider).with(config) }
        }
    };
    part.at("stages", index)
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
