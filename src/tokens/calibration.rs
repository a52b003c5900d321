//! Learns a model's scale from the tokens that its API reports.

use std::collections::HashMap;

use super::{Scale, TokensError};

/// The weight of the newest report against all earlier ones. At a quarter, three reports halve an old ratio's weight:
/// fast enough to follow a conversation from prose to code, slow enough to ignore one odd request.
const WEIGHT: f64 = 0.25;

/// The range of plausible ratios. A report outside it counted something else, such as cached tokens only. Measured
/// ratios are between 1.0 and 1.7.
const ALLOWED: std::ops::RangeInclusive<f64> = 0.25..=4.0;

/// The moving ratio, per model, of the tokens its API reported to those counted here: an exponential moving average
/// starting with the first report.
#[derive(Debug, Clone, Default)]
pub struct Calibration {
    ratios: HashMap<String, f64>,
}

impl Calibration {
    /// Creates a calibration without reports.
    pub fn new() -> Self {
        Self::default()
    }

    /// Learns from one request: `local_tokens` are counted here, unscaled, and `reported_tokens` by the API, for the
    /// same messages. Returns the error `invalid_calibration`, and learns nothing, if the model is empty, a number is
    /// not finite and above zero, or the ratio is outside 0.25 to 4.
    pub fn calibrate(&mut self, local_tokens: f64, reported_tokens: f64, model: &str) -> Result<(), TokensError> {
        let invalid = |field, value: String, allowed| Err(TokensError::InvalidCalibration { field, value, allowed });
        if model.is_empty() {
            return invalid("model", "\"\"".to_owned(), "a model name");
        }
        for (field, tokens) in [("localTokens", local_tokens), ("reportedTokens", reported_tokens)] {
            if !(tokens.is_finite() && tokens > 0.0) {
                return invalid(field, tokens.to_string(), "a finite number above 0");
            }
        }
        let ratio = reported_tokens / local_tokens;
        if !ALLOWED.contains(&ratio) {
            return invalid("reportedTokens / localTokens", ratio.to_string(), "a ratio from 0.25 to 4");
        }
        self.ratios
            .entry(model.to_owned())
            .and_modify(|learned| *learned += WEIGHT * (ratio - *learned))
            .or_insert(ratio);
        Ok(())
    }

    /// Returns the scale learned for a model, if any.
    pub fn scale(&self, model: &str) -> Option<Scale> {
        // Always valid, because a mean of ratios from 0.25 to 4 is between 0.1 and 10.
        self.ratios.get(model).and_then(|&ratio| Scale::new(ratio).ok())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::tokens::ScaleSetting;

    #[test]
    fn nonsense_is_refused_and_teaches_nothing() {
        let mut calibration = Calibration::new();
        let cases = [
            (0.0, 10.0, "m", "localTokens"),
            (10.0, 0.0, "m", "reportedTokens"),
            (-5.0, 10.0, "m", "localTokens"),
            (f64::NAN, 10.0, "m", "localTokens"),
            (10.0, f64::INFINITY, "m", "reportedTokens"),
            (10.0, 41.0, "m", "reportedTokens / localTokens"),
            (100.0, 24.0, "m", "reportedTokens / localTokens"),
            (10.0, 10.0, "", "model"),
        ];
        for (local, reported, model, field) in cases {
            let error = calibration.calibrate(local, reported, model).unwrap_err();
            assert_eq!(error.code(), "invalid_calibration");
            assert_eq!(error.field(), field, "{error}");
        }
        assert_eq!(calibration.scale("m"), None);
    }

    #[test]
    fn the_first_report_sets_later_ones_move_by_a_quarter_and_models_are_apart() {
        let mut calibration = Calibration::new();
        calibration.calibrate(100.0, 200.0, "a").unwrap();
        assert_eq!(calibration.scale("a").unwrap().factor(), 2.0);
        calibration.calibrate(100.0, 100.0, "a").unwrap();
        assert_eq!(calibration.scale("a").unwrap().factor(), 1.75);
        assert_eq!(calibration.scale("b"), None);
        assert_eq!(ScaleSetting::Auto.resolve(&calibration, Some("a")).apply(100), 175);
        assert_eq!(ScaleSetting::Auto.resolve(&calibration, Some("gemini-3")).apply(100), 120);
    }

    proptest! {
        #[test]
        fn the_ratio_stays_within_what_was_reported_and_gets_there(
            ratios in prop::collection::vec(0.25f64..4.0, 1..20),
            last in 0.25f64..4.0,
        ) {
            let mut calibration = Calibration::new();
            for ratio in &ratios {
                calibration.calibrate(1000.0, 1000.0 * ratio, "m").unwrap();
            }
            let learned = calibration.scale("m").unwrap().factor();
            let low = ratios.iter().copied().fold(f64::MAX, f64::min);
            let high = ratios.iter().copied().fold(f64::MIN, f64::max);
            prop_assert!(learned > low - 1e-5 && learned < high + 1e-5);
            for _ in 0..40 {
                calibration.calibrate(1000.0, 1000.0 * last, "m").unwrap();
            }
            prop_assert!((calibration.scale("m").unwrap().factor() - last).abs() < 1e-3);
        }
    }
}
