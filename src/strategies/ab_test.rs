//! `ab_test`: runs several providers side by side, each for its share of users, to find out which does better.

use sha2::{Digest, Sha256};

use super::{
    composition::{Ask, Composition},
    part::Part,
    tables::{self, AbTestConfig},
};
use crate::{
    providers::{CondenseError, Native, Request},
    summaries::Llm,
    words::{Said, said},
};

/// A variant.
struct Variant {
    name: String,
    share: f64,
    prompt: Option<String>,
    /// The profile whose handler writes its summaries.
    profile: Option<String>,
    part: Part,
}

/// Runs the provider of the variant that the user or task belongs to. If that provider lacks a model, the next variants
/// replace it, and the run counts for no variant.
pub async fn run(composition: &mut Composition<'_>, config: AbTestConfig) -> Result<(), CondenseError> {
    let AbTestConfig { experiment, salt, variants, .. } = config;
    let variants = self::variants(variants);
    let (whom, id) = whom(composition.now());
    let shares: Vec<f64> = variants.iter().map(|variant| variant.share).collect();
    let at = assigned(&experiment, &salt, &id, &shares);
    let Some(assigned @ Variant { name, part, .. }) = variants.get(at) else { return Ok(()) };
    let own = composition.now().llm.clone();
    let asking = |variant: &Variant| {
        let llm = own.under(variant.profile.as_deref());
        Llm { prompt: variant.prompt.clone().or(llm.prompt), ..llm }
    };
    if let Some(warning) = own.warn_of_others(assigned.profile.as_deref()) {
        composition.warn(warning);
    }
    let variant = Some((experiment, name.clone()));
    let its = Ask {
        variant,
        ..Ask::new(part, said!("choice.variant", name: name.as_str(), by: whom)).with(asking(assigned))
    };
    let (before, after) = variants.split_at(at);
    let others = after[1..].iter().chain(before).filter(|other| other.share > 0.0).map(|other| {
        let reason = said!("choice.inThePlace", other: other.name.as_str(), name: name.as_str());
        Ask::new(&other.part, reason).with(asking(other))
    });
    composition.ask_first(std::iter::once(its).chain(others)).await.map(drop)
}

fn variants(variants: Option<Vec<tables::Variant>>) -> Vec<Variant> {
    let Some(variants) = variants else {
        let parts = [("A", Part::new(Native::ID)), ("B", Part::preset("balanced"))];
        let variant =
            |(name, part): (&str, _)| Variant { name: name.into(), share: 1.0, prompt: None, profile: None, part };
        return parts.map(variant).into();
    };
    let variant = |(index, variant): (usize, tables::Variant)| Variant {
        name: variant.name,
        share: variant.share,
        prompt: variant.custom_condensing_prompt,
        profile: variant.condensing_api_config_id,
        part: Part::new(&variant.provider).with(variant.config).at("variants", index),
    };
    variants.into_iter().enumerate().map(variant).collect()
}

/// Returns the unit assigned to a variant, with its name: the user, else the task, else the text of the first
/// message.
fn whom(request: &Request) -> (Said, String) {
    if let Some(user) = &request.call.subject.user {
        return (Said::own("userId"), user.clone());
    }
    if let Some(task) = &request.call.subject.task {
        return (Said::own("taskId"), task.clone());
    }
    let first = request.original.messages().next();
    let texts = first.into_iter().flat_map(crate::conversation::Message::texts);
    (said!("choice.firstMessage"), texts.map(|text| text.text.to_owned()).collect())
}

/// Returns the index of the variant for `id`, by the hash of experiment, salt and id. It is the same in every
/// process, and each variant gets its share of ids.
fn assigned(experiment: &str, salt: &str, id: &str, shares: &[f64]) -> usize {
    let mut hash = Sha256::new();
    for part in [experiment, salt, id] {
        // Each part is hashed with its length, so that different parts cannot give the same bytes.
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    let digest = hash.finalize();
    let number = digest.iter().take(8).fold(0_u64, |number, byte| (number << 8) | u64::from(*byte));
    // The upper 53 bits, which a float represents exactly, give a number from 0 to below 1.
    let drawn = (number >> 11) as f64 / (1_u64 << 53) as f64;
    // Divided by the largest, so that neither the sum of huge shares nor the point among tiny ones leaves the range
    // of floats.
    let largest = shares.iter().copied().fold(0.0, f64::max);
    let shares: Vec<f64> = shares.iter().map(|share| share / largest).collect();
    let point = drawn * shares.iter().sum::<f64>();
    let mut end = 0.0;
    let fallback = shares.iter().rposition(|share| *share > 0.0).unwrap_or(0);
    shares
        .iter()
        .position(|share| {
            end += share;
            point < end
        })
        .unwrap_or(fallback)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_kept_within_half_a_percent() {
        let shares = [0.5, 0.3, 0.2, 0.0];
        let mut counts = [0_u32; 4];
        for user in 0..100_000 {
            counts[assigned("test", "salt", &format!("user-{user}"), &shares)] += 1;
        }
        for (count, share) in counts.iter().zip(shares) {
            let found = f64::from(*count) / 100_000.0;
            assert!((found - share).abs() < 0.005, "{found} of {share}");
        }
        assert_eq!(counts[3], 0);
    }

    #[test]
    fn shares_may_be_huge_or_tiny() {
        for share in [1e308, f64::MAX, 5e-324] {
            let first = (0..2000).filter(|user| assigned("test", "", &user.to_string(), &[share, share]) == 0).count();
            assert!((900..1100).contains(&first), "{share}: {first}");
        }
    }

    /// Fixed here, because a change would assign users to other variants.
    #[test]
    fn the_assignment_is_the_same_for_ever() {
        let of = |experiment, salt| -> Vec<usize> {
            (0..16).map(|user| assigned(experiment, salt, &format!("user-{user}"), &[1.0, 1.0])).collect()
        };
        assert_eq!(of("ab_test", ""), [1, 0, 1, 1, 1, 1, 0, 1, 1, 0, 0, 1, 1, 1, 0, 0]);
        assert_ne!(of("ab_test", ""), of("ab_test", "other"));
        assert_ne!(of("ab_test", ""), of("other", ""));
    }

    #[test]
    fn a_share_that_grows_takes_from_others_alone() {
        let before = |user: &str| assigned("test", "", user, &[0.5, 0.5]);
        let after = |user: &str| assigned("test", "", user, &[0.7, 0.3]);
        for user in (0..2000).map(|user| user.to_string()) {
            assert!(before(&user) == after(&user) || after(&user) == 0);
        }
    }
}
