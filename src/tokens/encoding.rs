//! The vocabularies for counting.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use super::TokensError;

/// A vocabulary of tokens, read and written as `o200k_base` or `cl100k_base`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum Encoding {
    /// 200,000 tokens, for GPT-4o and later. The default, and Roo-Code's choice.
    #[default]
    #[serde(rename = "o200k_base")]
    O200kBase,
    /// 100,000 tokens, for GPT-3.5 and GPT-4.
    #[serde(rename = "cl100k_base")]
    Cl100kBase,
}

impl Encoding {
    /// All encodings.
    pub const ALL: [Self; 2] = [Self::O200kBase, Self::Cl100kBase];

    /// The names of all encodings.
    pub const NAMES: [&'static str; 2] = [Self::O200kBase.name(), Self::Cl100kBase.name()];

    /// Returns the name, for example `o200k_base`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::O200kBase => "o200k_base",
            Self::Cl100kBase => "cl100k_base",
        }
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Encoding {
    type Err = TokensError;

    fn from_str(value: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|encoding| encoding.name() == value)
            .ok_or_else(|| TokensError::UnknownEncoding { value: value.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        for encoding in Encoding::ALL {
            assert_eq!(encoding.to_string().parse::<Encoding>().unwrap(), encoding);
            assert_eq!(serde_json::to_string(&encoding).unwrap(), format!("\"{encoding}\""));
        }
        assert_eq!(Encoding::default().name(), "o200k_base");
    }

    #[test]
    fn an_unknown_name_is_refused_with_what_is_allowed() {
        let error = "gpt2".parse::<Encoding>().unwrap_err();
        assert_eq!(error.code(), "unknown_encoding");
        let text = error.to_string();
        assert!(["encoding", "gpt2", "o200k_base", "cl100k_base"].iter().all(|word| text.contains(word)), "{text}");
    }
}
