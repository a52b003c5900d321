//! Divides the saved tokens among the providers.

use serde::Serialize;

/// The work of one provider on a result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ProviderShare {
    /// The id of the provider.
    pub id: String,
    /// Tokens that its work removed; 0 where it failed, found nothing, or what it did was not used.
    pub tokens_saved: usize,
}

impl ProviderShare {
    /// Returns each provider of `done` once, in the order in which they ran, with its share of all `saved` tokens.
    pub(super) fn each<'a>(done: impl IntoIterator<Item = &'a (String, usize)>, saved: usize) -> Vec<Self> {
        let mut shares: Vec<Self> = Vec::new();
        for (id, tokens) in done {
            match shares.iter_mut().find(|share| share.id == *id) {
                Some(share) => share.tokens_saved += tokens,
                None => shares.push(Self { id: id.clone(), tokens_saved: *tokens }),
            }
        }
        let all: usize = shares.iter().map(|share| share.tokens_saved).sum();
        // The sum by provider differs from `saved` if thinking was removed too, or the handler counts differently:
        // shares are scaled to the reported number.
        let (mut counted, mut told) = (0, 0);
        for share in &mut shares {
            counted += share.tokens_saved;
            let until = if all == 0 { 0 } else { (saved as f64 * counted as f64 / all as f64).round() as usize };
            share.tokens_saved = until - told;
            told = until;
        }
        shares
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shares(done: &[(&str, usize)], saved: usize) -> Vec<(String, usize)> {
        let done: Vec<_> = done.iter().map(|(id, tokens)| ((*id).to_owned(), *tokens)).collect();
        ProviderShare::each(&done, saved).into_iter().map(|share| (share.id, share.tokens_saved)).collect()
    }

    #[test]
    fn each_provider_stands_once_and_together_they_saved_everything() {
        let done = [("native", 0), ("lossless", 30), ("truncation", 60), ("lossless", 10)];
        let told = |saved| shares(&done, saved).into_iter().map(|(_, tokens)| tokens).collect::<Vec<_>>();
        assert_eq!(told(100), [0, 40, 60]);
        assert_eq!(told(7), [0, 3, 4]);
        assert_eq!(told(0), [0, 0, 0]);
        assert_eq!(shares(&[("native", 0)], 0), [("native".to_owned(), 0)]);
        assert_eq!(shares(&[], 0), []);
    }
}
