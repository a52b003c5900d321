//! `quality_first`: the most careful provider first, stronger ones only if that is not enough.

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

/// To a target lossless, then one summary with what stands around it, then salient truncation, which chooses from all that is left: one request, of which a
/// reader knows most (docs/strategies.md). Without a target smart with the preset conservative; where that fails, native, and then truncation.
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
