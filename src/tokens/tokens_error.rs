//! Errors in the settings of this module. Counting itself does not fail.

/// A wrong setting. Each message names the field, the value and what is allowed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TokensError {
    /// An unknown encoding, for example `p50k_base`.
    #[error("encoding must be \"o200k_base\" or \"cl100k_base\"; got {value:?}")]
    UnknownEncoding {
        /// The given value.
        value: String,
    },
    /// A scale that is neither a family, `auto`, nor a number in range, for example `0`.
    #[error(
        "scale must be a number from 0.1 to 10, or one of \"gpt\", \"gemini\", \"claude\", \"claude-4.7\", \"auto\"; got {value}"
    )]
    InvalidScale {
        /// The given value, as text.
        value: String,
    },
    /// A calibration report that cannot be true, for example zero reported tokens.
    #[error("{field} must be {allowed}; got {value}")]
    InvalidCalibration {
        /// `localTokens`, `reportedTokens`, `reportedTokens / localTokens` or `model`.
        field: &'static str,
        /// The given value, as text.
        value: String,
        /// The accepted values.
        allowed: &'static str,
    },
}

impl TokensError {
    /// Returns the error code: `unknown_encoding`, `invalid_scale` or `invalid_calibration`.
    pub fn code(&self) -> &'static str {
        match self {
            Self::UnknownEncoding { .. } => "unknown_encoding",
            Self::InvalidScale { .. } => "invalid_scale",
            Self::InvalidCalibration { .. } => "invalid_calibration",
        }
    }

    /// Returns the setting at fault.
    pub fn field(&self) -> &'static str {
        match self {
            Self::UnknownEncoding { .. } => "encoding",
            Self::InvalidScale { .. } => "scale",
            Self::InvalidCalibration { field, .. } => field,
        }
    }
}
