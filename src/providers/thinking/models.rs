//! Derives from a model's name how it treats thinking that is sent back to it.

/// The condition under which a model accepts thinking that is sent back.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Binding {
    /// Only while nothing before it has changed. The service calls this "preserved thinking".
    Prefix,
    /// Whatever has changed before it. During a tool loop, the loop's thinking must be sent back.
    Loop,
    /// The model is unknown.
    #[default]
    Unknown,
}

/// A version, such as 5.5.
type Version = (u32, u32);

/// The first Claude versions with preserved thinking: for the families listed, and for all others. Source:
/// platform.claude.com, "Prefix checks on thinking blocks", November 2026.
const FIRST_PRESERVED: &[(&str, Version)] = &[("fable", (5, 1)), ("mythos", (5, 1))];
const FIRST_PRESERVED_OF_OTHERS: Version = (5, 5);

/// Name parts of models by other makers, which never receive thinking signed by a Claude model.
const OTHERS: &[&str] = &[
    "gpt",
    "o1",
    "o3",
    "o4",
    "gemini",
    "gemma",
    "grok",
    "llama",
    "qwen",
    "deepseek",
    "mistral",
    "codestral",
    "devstral",
    "kimi",
    "glm",
    "minimax",
    "command",
    "nova",
    "phi",
];

/// Maximum digits of a version number; a longer number is a date.
const MAX_DIGITS: usize = 2;

impl Binding {
    /// Derives the condition from a model's name, as services and gateways write it: `claude-opus-5-5-20260901`,
    /// `us.anthropic.claude-fable-5-1-v1:0`, `anthropic/claude-sonnet-5.5`.
    pub fn of_model(name: &str) -> Self {
        let name = name.to_ascii_lowercase();
        let words: Vec<&str> =
            name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
        let Some(claude) = words.iter().position(|word| *word == "claude") else {
            // Also `qwen3` and `gpt4o`: a version may follow the name directly.
            let is_other = |word: &&str| OTHERS.iter().any(|other| starts_as(word, other));
            return if words.iter().any(is_other) { Self::Loop } else { Self::Unknown };
        };
        let words = &words[claude + 1..];
        let Some(version) = version(words) else { return Self::Unknown };
        let own = FIRST_PRESERVED.iter().find(|(family, _)| words.contains(family));
        let first = own.map_or(FIRST_PRESERVED_OF_OTHERS, |(_, version)| *version);
        if version >= first { Self::Prefix } else { Self::Loop }
    }
}

/// Returns true if `word` is `name`, or `name` followed by a version.
fn starts_as(word: &str, name: &str) -> bool {
    word.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// Returns the first number that is part of a version, and the number after it.
fn version(words: &[&str]) -> Option<Version> {
    let number = |word: &&str| if word.len() <= MAX_DIGITS { word.parse().ok() } else { None };
    let at = words.iter().position(|word| number(word).is_some())?;
    Some((number(&words[at])?, words.get(at + 1).and_then(number).unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn names_are_read_as_the_shared_cases_say() {
        let shared: Value = serde_json::from_str(include_str!("../../../fixtures/shared/thinking.json")).unwrap();
        for case in shared["cases"].as_array().unwrap() {
            let binding = match Binding::of_model(case["model"].as_str().unwrap()) {
                Binding::Prefix => "prefix",
                Binding::Loop => "loop",
                Binding::Unknown => "unknown",
            };
            assert_eq!(case["binding"], binding, "{}", case["model"]);
        }
    }
}
