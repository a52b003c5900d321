//! `quality_first`: runs the most careful provider first, and stronger ones only if necessary.

use serde_json::json;

use super::{
    composition::{Ask, Composition},
    part::Part,
    pipeline,
};
use crate::{
    providers::{CondenseError, Lossless, Native, Smart, Truncation},
    words::said,
};

/// Runs the strategy. With a target, it runs lossless, then one summary with shortened messages around it, then salient
/// truncation of the rest. This takes one request, and readers of the result knew most in the tests
/// (docs/strategies.md). Without a target, it runs smart with the preset conservative; if that fails, native, and then
/// truncation.
pub async fn run(composition: &mut Composition<'_>) -> Result<(), CondenseError> {
    let truncation = Part::new(Truncation::ID);
    if composition.now().target_tokens.is_none() {
        let careful = Part::new(Smart::ID).with(json!({ "preset": "conservative" }));
        let before = said!("choice.otherFailed");
        if composition.ask_or_warn(Ask::new(&careful, said!("choice.losesLeast"))).await?
            || composition.ask_or_warn(Ask::new(&Part::new(Native::ID), before.clone())).await?
        {
            return Ok(());
        }
        return composition.ask(Ask::new(&truncation, before)).await.map(drop);
    }
    let missed = |composition: &Composition<'_>| said!("choice.moreThanTarget", tokens: composition.tokens());
    pipeline::stages(composition, &[Part::new(Lossless::ID)]).await?;
    let llm = &composition.now().llm;
    let can_ask = llm.handler.is_some() || llm.condensing_handler.is_some();
    if can_ask && !composition.meets_target() {
        let reason = missed(composition);
        composition.ask_or_warn(Ask::new(&Part::new(Native::ID), reason)).await?;
    }
    if composition.meets_target() {
        return Ok(());
    }
    let reason = missed(composition);
    composition.ask(Ask::new(&truncation, reason)).await.map(drop)
}
