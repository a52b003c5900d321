//! Converts token counts to another model's.

use std::{fmt, str::FromStr};

use super::{Calibration, TokensError};

/// Factors are stored in millionths, so that applying one is exact: 10 tokens at 1.1 are 11, not 12.
const UNITS: f64 = 1e6;

/// The number of another model's tokens per counted token. The default is 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scale {
    millionths: u64,
}

impl Default for Scale {
    fn default() -> Self {
        Self { millionths: UNITS as u64 }
    }
}

impl Scale {
    /// The smallest accepted factor. No tokenizer in use is near it, nor near [`Self::MAX`].
    pub const MIN: f64 = 0.1;
    /// The largest accepted factor.
    pub const MAX: f64 = 10.0;

    /// Creates a scale from a factor between 0.1 and 10, rounded to six decimals. Error `invalid_scale`.
    pub fn new(factor: f64) -> Result<Self, TokensError> {
        if (Self::MIN..=Self::MAX).contains(&factor) {
            Ok(Self { millionths: (factor * UNITS).round() as u64 })
        } else {
            Err(TokensError::InvalidScale { value: factor.to_string() })
        }
    }

    /// Returns the factor.
    pub fn factor(self) -> f64 {
        self.millionths as f64 / UNITS
    }

    /// Scales a number of tokens, rounding up. Apply it once to a sum, not to each part, because rounding adds up.
    pub fn apply(self, tokens: usize) -> usize {
        let scaled = (tokens as u128 * u128::from(self.millionths)).div_ceil(UNITS as u128);
        usize::try_from(scaled).unwrap_or(usize::MAX)
    }
}

/// Models with a common tokenizer. The factors are for code, where each family's own count (by its token counting
/// API) is furthest from `o200k_base`. On English prose they are 3 to 15 percent too high, which makes condensing
/// start early rather than late.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Family {
    /// `gpt`, 1.0: `o200k_base` is its own.
    Gpt,
    /// `gemini`, 1.2: 1.19 measured on code, 1.03 on English.
    Gemini,
    /// `claude`, 1.25, up to Claude 4.6: 1.26 measured on code, 1.06 on English.
    Claude,
    /// `claude-4.7`, 1.65, for Claude 4.7 and later: 1.64 measured on code, 1.50 on English.
    Claude47,
}

impl Family {
    /// All families.
    pub const ALL: [Self; 4] = [Self::Gpt, Self::Gemini, Self::Claude, Self::Claude47];

    /// Returns the name in configurations, for example `claude-4.7`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gpt => "gpt",
            Self::Gemini => "gemini",
            Self::Claude => "claude",
            Self::Claude47 => "claude-4.7",
        }
    }

    /// Returns the factor of the family.
    pub fn scale(self) -> Scale {
        let millionths = match self {
            Self::Gpt => 1_000_000,
            Self::Gemini => 1_200_000,
            Self::Claude => 1_250_000,
            Self::Claude47 => 1_650_000,
        };
        Scale { millionths }
    }

    /// Returns the family of a model by its name, as APIs and gateways spell it (`anthropic/claude-sonnet-4.5`,
    /// `claude-opus-4-7-20260401`). The version is the first number and, if it has one or two digits, the second.
    /// Unknown models are [`Family::Gpt`], which does not scale.
    pub fn of_model(model: &str) -> Self {
        let model = model.to_ascii_lowercase();
        if let Some((_, name)) = model.split_once("claude") {
            let mut numbers = name.split(|c: char| !c.is_ascii_digit()).filter(|digits| !digits.is_empty());
            let mut version =
                || numbers.next().filter(|digits| digits.len() <= 2).and_then(|digits| digits.parse::<u8>().ok());
            let version = (version().unwrap_or(0), version().unwrap_or(0));
            return if version >= (4, 7) { Self::Claude47 } else { Self::Claude };
        }
        if model.contains("gemini") { Self::Gemini } else { Self::Gpt }
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The scale as configured: `1.5`, `claude`, `auto`. The default is the number 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScaleSetting {
    /// A number.
    Factor(Scale),
    /// A model family by name.
    Family(Family),
    /// `auto`: learned from what the API reports.
    Auto,
}

impl Default for ScaleSetting {
    fn default() -> Self {
        Self::Factor(Scale::default())
    }
}

impl ScaleSetting {
    /// The accepted words.
    pub const NAMES: [&'static str; 5] =
        [Family::Gpt.name(), Family::Gemini.name(), Family::Claude.name(), Family::Claude47.name(), "auto"];

    /// Creates a setting from a number between 0.1 and 10. Error `invalid_scale`.
    pub fn number(factor: f64) -> Result<Self, TokensError> {
        Scale::new(factor).map(Self::Factor)
    }

    /// Returns the scale for a model. `auto` uses the factor that `calibration` learned for it, or else the family of
    /// the model's name; without a model it is 1.
    pub fn resolve(self, calibration: &Calibration, model: Option<&str>) -> Scale {
        match (self, model) {
            (Self::Factor(scale), _) => scale,
            (Self::Family(family), _) => family.scale(),
            (Self::Auto, None) => Scale::default(),
            (Self::Auto, Some(model)) => calibration.scale(model).unwrap_or_else(|| Family::of_model(model).scale()),
        }
    }
}

impl FromStr for ScaleSetting {
    type Err = TokensError;

    fn from_str(value: &str) -> Result<Self, Self::Err> {
        if value == "auto" {
            return Ok(Self::Auto);
        }
        if let Some(family) = Family::ALL.into_iter().find(|family| family.name() == value) {
            return Ok(Self::Family(family));
        }
        let number = value.parse().ok().and_then(|factor| Self::number(factor).ok());
        number.ok_or_else(|| TokensError::InvalidScale { value: format!("{value:?}") })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn scaling_is_decimal_and_rounds_up() {
        let cases = [
            (1.5, 3, 5),
            (1.5, 2, 3),
            (1.1, 10, 11),
            (1.0, 7, 7),
            (1.2, 5, 6),
            (0.1, 1, 1),
            (2.3, 0, 0),
            (1.65, 100, 165),
        ];
        for (factor, tokens, scaled) in cases {
            assert_eq!(Scale::new(factor).unwrap().apply(tokens), scaled, "{tokens} x {factor}");
        }
        assert_eq!(Scale::new(10.0).unwrap().apply(usize::MAX), usize::MAX);
        assert_eq!(Scale::default().apply(usize::MAX), usize::MAX);
    }

    #[test]
    fn wrong_scales_are_refused_with_field_value_and_what_is_allowed() {
        for factor in [0.0, -1.0, f64::NAN, f64::INFINITY, 0.099, 10.1] {
            let error = Scale::new(factor).unwrap_err();
            assert_eq!(error.code(), "invalid_scale");
            let text = error.to_string();
            assert!(
                error.field() == "scale" && text.contains("claude-4.7") && text.contains(&factor.to_string()),
                "{text}"
            );
        }
        for text in ["", "Claude", "gpt-4", "NaN", "-1", "1,5", "inf"] {
            assert!(text.parse::<ScaleSetting>().is_err(), "{text}");
        }
    }

    #[test]
    fn settings_read_numbers_families_and_auto() {
        let resolve = |text: &str| {
            text.parse::<ScaleSetting>().unwrap().resolve(&Calibration::default(), Some("claude-opus-4-7"))
        };
        let cases =
            [("1.5", 1.5), ("gpt", 1.0), ("gemini", 1.2), ("claude", 1.25), ("claude-4.7", 1.65), ("auto", 1.65)];
        for (text, factor) in cases {
            assert_eq!(resolve(text).factor(), factor, "{text}");
        }
        assert_eq!(ScaleSetting::default().resolve(&Calibration::default(), None), Scale::default());
        assert_eq!(ScaleSetting::Auto.resolve(&Calibration::default(), None), Scale::default());
    }

    #[test]
    fn models_have_families() {
        let cases = [
            ("claude-3-7-sonnet-20250219", Family::Claude),
            ("anthropic/claude-sonnet-4.5", Family::Claude),
            ("claude-sonnet-4-20250514", Family::Claude),
            ("claude-opus-4-6", Family::Claude),
            ("claude-instant", Family::Claude),
            ("us.anthropic.claude-opus-4-7-v1:0", Family::Claude47),
            ("claude-opus-4.10", Family::Claude47),
            ("Claude-Sonnet-5", Family::Claude47),
            ("google/gemini-2.5-pro", Family::Gemini),
            ("gpt-5", Family::Gpt),
            ("", Family::Gpt),
        ];
        for (model, family) in cases {
            assert_eq!(Family::of_model(model), family, "{model}");
        }
    }

    proptest! {
        #[test]
        fn applying_is_monotone_and_never_below_the_product(tokens in 0usize..10_000_000, factor in 0.1f64..10.0) {
            let scale = Scale::new(factor).unwrap();
            let scaled = scale.apply(tokens);
            prop_assert!(scaled <= scale.apply(tokens + 1));
            let product = tokens as f64 * scale.factor();
            prop_assert!((scaled as f64) >= product - 1e-3 && (scaled as f64) < product + 1.001);
        }
    }
}
