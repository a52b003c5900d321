//! `adaptive`: runs a stronger provider the further the conversation is from the target.

use super::{
    composition::{Ask, Composition, ends_all},
    part::Part,
    tables::{self, AdaptiveConfig},
};
use crate::{
    dollars::rounded,
    providers::{CondenseError, Lossless, Native, Truncation},
    words::{Said, said},
};

/// A provider, and the ratio of tokens to target below which it runs; `None` for any ratio.
struct Band {
    below: Option<f64>,
    part: Part,
}

/// Runs the provider of the conversation's band. While the target is missed, it then runs the provider of the band that
/// the result is in. If a band's provider has no model to call, the weaker providers replace it, which never remove
/// more than the target requires, and then the stronger ones.
pub async fn run(composition: &mut Composition<'_>, config: AdaptiveConfig) -> Result<(), CondenseError> {
    let bands = bands(config);
    let mut asked = Vec::new();
    loop {
        let (index, reason) = chosen(composition, &bands);
        let Some(Band { part, .. }) = bands.get(index).filter(|_| !asked.contains(&index)) else { return Ok(()) };
        let weaker_first = std::iter::once(index).chain((0..index).rev()).chain(index + 1..bands.len());
        let in_order: Vec<usize> = weaker_first.filter(|band| !asked.contains(band)).collect();
        let stands_in = said!("choice.hasNoModel", reason: reason.clone(), provider: part.provider.as_str());
        let asks = in_order
            .iter()
            .map(|band| Ask::new(&bands[*band].part, if *band == index { reason.clone() } else { stands_in.clone() }));
        match composition.ask_first(asks).await {
            Ok((_, gained)) if !gained || composition.now().target_tokens.is_none() => return Ok(()),
            Ok(_) if composition.meets_target() => return Ok(()),
            Ok((place, _)) => asked.extend(&in_order[..=place]),
            Err(error) if asked.is_empty() || ends_all(&error) => return Err(error),
            Err(error) => {
                composition.warn_of_failure(part, &error);
                return Ok(());
            }
        }
    }
}

fn bands(config: AdaptiveConfig) -> Vec<Band> {
    let Some(bands) = config.bands else {
        let bands = [(1.2, Lossless::ID), (2.0, Truncation::ID), (3.0, Native::ID)];
        let bands = bands.map(|(below, provider)| Band { below: Some(below), part: Part::new(provider) });
        return bands.into_iter().chain([Band { below: None, part: Part::preset("aggressive") }]).collect();
    };
    let band = |(index, band): (usize, tables::Band)| Band {
        below: band.below,
        part: Part::new(&band.provider).with(band.config).at("bands", index),
    };
    bands.into_iter().enumerate().map(band).collect()
}

/// Returns the index of the conversation's current band, and the reason. It is past the end if the last band's limit
/// is exceeded.
fn chosen(composition: &Composition<'_>, bands: &[Band]) -> (usize, Said) {
    let Some(target) = composition.now().target_tokens else {
        return (0, said!("choice.firstBand"));
    };
    let tokens = composition.tokens();
    let ratio = tokens as f64 / target as f64;
    let index = bands.iter().position(|band| band.below.is_none_or(|below| ratio < below));
    let reason = if ratio.is_finite() {
        said!("choice.band", tokens: tokens, ratio: rounded(ratio, 2), target: target)
    } else {
        said!("choice.moreThanTarget", tokens: tokens)
    };
    (index.unwrap_or(bands.len()), reason)
}
