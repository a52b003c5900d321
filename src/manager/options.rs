//! The options of a manager and of a call, checked.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::{
    GuardOptions, Profiles,
    profiles::read_price,
    trigger::{MAX_CONDENSE_THRESHOLD, MIN_CONDENSE_THRESHOLD, Thresholds},
};
use crate::{
    llm::ModelPrice,
    providers::{ConfigError, whole_number},
    tokens::{Encoding, ScaleSetting},
};

/// Options of a [`super::Manager`].
#[derive(Debug, Clone)]
pub struct ManagerOptions {
    /// The provider that is active at first.
    pub provider: String,
    /// When a condensation is due.
    pub thresholds: Thresholds,
    /// What to try when a provider fails: `None` for the chain that belongs to it.
    pub fallback: Option<Vec<String>>,
    /// What belongs to the profiles of the host.
    pub profiles: Profiles,
    /// Whether summaries are kept; where is for [`super::Manager::with_store`] to say.
    pub cache: bool,
    /// Dollars that may be spent in all.
    pub max_cost: Option<f64>,
    /// The guard against condensing without gain; `None` turns it off.
    pub guard: Option<GuardOptions>,
    /// The vocabulary.
    pub encoding: Encoding,
    /// From its tokens to those of the model.
    pub scale: ScaleSetting,
}

impl ManagerOptions {
    /// Reads options from JSON; an empty object means all defaults.
    ///
    /// # Errors
    /// Every field that is wrong or unknown.
    pub fn read(options: &Value) -> Result<Self, Vec<ConfigError>> {
        let mut reader = Reader::new(options, "options")?;
        let options = Self {
            provider: reader.text("provider")?.unwrap_or_else(|| super::DEFAULT_PROVIDER.to_owned()),
            thresholds: Thresholds {
                automatic: reader.flag("autoCondenseContext")?.unwrap_or(true),
                global: reader
                    .number("autoCondenseContextPercent", MIN_CONDENSE_THRESHOLD, MAX_CONDENSE_THRESHOLD)?
                    .unwrap_or(MAX_CONDENSE_THRESHOLD),
                profiles: reader.numbers("profileThresholds")?,
            },
            fallback: reader.fallback()?,
            profiles: reader
                .take("profiles")
                .map_or_else(|| Ok(Profiles::default()), |value| Profiles::read(&value))?,
            cache: reader.flag("cache")?.unwrap_or(true),
            max_cost: reader.number("maxCost", 0.0, f64::MAX)?,
            guard: reader.guard()?,
            encoding: reader.encoding()?,
            scale: reader.scale()?,
        };
        reader.finish()?;
        Ok(options)
    }
}

/// Everything about one call but the messages.
#[derive(Debug, Clone, Default)]
pub struct CallOptions {
    /// The provider; the active one when absent.
    pub provider: Option<String>,
    /// How many tokens there may be afterwards.
    pub target_tokens: Option<usize>,
    /// Overrides fields of the provider's configuration.
    pub config: Value,
    /// The system prompt: it counts, and is never changed.
    pub system_prompt: String,
    /// Which task the conversation belongs to.
    pub task_id: String,
    /// Tokens in the context as the API reported them.
    pub total_tokens: Option<f64>,
    /// The model's context window in tokens.
    pub context_window: Option<f64>,
    /// Tokens the model may answer with.
    pub max_tokens: Option<f64>,
    /// The profile in use.
    pub profile_id: Option<String>,
    /// The prompt to summarise by.
    pub custom_condensing_prompt: Option<String>,
    /// What the conversation's own model costs.
    pub price: Option<ModelPrice>,
}

impl CallOptions {
    /// Reads the options of a call, `context` (without its messages) and `options` of the JavaScript interface merged.
    ///
    /// # Errors
    /// Every field that is wrong or unknown.
    pub fn read(call: &Value) -> Result<Self, Vec<ConfigError>> {
        let mut reader = Reader::new(call, "options")?;
        let options = Self {
            provider: reader.text("provider")?,
            target_tokens: reader.count("targetTokens")?,
            config: reader.object("config")?,
            system_prompt: reader.text("systemPrompt")?.unwrap_or_default(),
            task_id: reader.text("taskId")?.unwrap_or_default(),
            total_tokens: reader.number("totalTokens", 0.0, f64::MAX)?,
            context_window: reader.number("contextWindow", 1.0, f64::MAX)?,
            max_tokens: reader.number("maxTokens", 0.0, f64::MAX)?,
            profile_id: reader.text("profileId")?,
            custom_condensing_prompt: reader.text("customCondensingPrompt")?,
            price: reader.take("price").map(|price| read_price("price", &price)).transpose()?,
        };
        reader.flag("isAutomatic")?;
        reader.finish()?;
        Ok(options)
    }
}

/// Takes fields out of a JSON object, one after the other; what is left at the end is unknown.
struct Reader {
    fields: Map<String, Value>,
    known: Vec<&'static str>,
}

type Read<T> = Result<T, Vec<ConfigError>>;

impl Reader {
    fn new(value: &Value, name: &str) -> Read<Self> {
        match value {
            Value::Null => Ok(Self { fields: Map::new(), known: Vec::new() }),
            Value::Object(fields) => Ok(Self { fields: fields.clone(), known: Vec::new() }),
            other => Err(vec![ConfigError::new(name, other, "an object")]),
        }
    }

    /// A field that is null counts as absent.
    fn take(&mut self, name: &'static str) -> Option<Value> {
        self.known.push(name);
        self.fields.remove(name).filter(|value| !value.is_null())
    }

    fn text(&mut self, name: &'static str) -> Read<Option<String>> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => wrong(name, &other, "a string"),
        }
    }

    fn flag(&mut self, name: &'static str) -> Read<Option<bool>> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(flag)),
            Some(other) => wrong(name, &other, "true or false"),
        }
    }

    fn object(&mut self, name: &'static str) -> Read<Value> {
        match self.take(name) {
            None => Ok(Value::Null),
            Some(object @ Value::Object(_)) => Ok(object),
            Some(other) => wrong(name, &other, "an object"),
        }
    }

    fn number(&mut self, name: &'static str, min: f64, max: f64) -> Read<Option<f64>> {
        self.take(name).map(|value| number(name, &value, min, max)).transpose()
    }

    fn count(&mut self, name: &'static str) -> Read<Option<usize>> {
        self.whole(name, 0, "a whole number of tokens, 0 or more")
    }

    fn whole(&mut self, name: &'static str, min: usize, allowed: &str) -> Read<Option<usize>> {
        let Some(value) = self.take(name) else { return Ok(None) };
        match whole_number(&value).and_then(|count| usize::try_from(count).ok()) {
            Some(count) if count >= min => Ok(Some(count)),
            _ if value.is_number() => Err(vec![ConfigError::out_of_range(name, &value, allowed)]),
            _ => wrong(name, &value, allowed),
        }
    }

    /// Numbers by name. Which of them make sense is decided when they are used.
    fn numbers(&mut self, name: &'static str) -> Read<HashMap<String, f64>> {
        let Some(value) = self.take(name) else { return Ok(HashMap::new()) };
        let Value::Object(numbers) = &value else { return wrong(name, &value, "an object of numbers") };
        let read = numbers.iter().map(|(id, value)| {
            let path = format!("{name}.{id}");
            Ok((id.clone(), number(&path, value, f64::MIN, f64::MAX)?))
        });
        read.collect()
    }

    fn fallback(&mut self) -> Read<Option<Vec<String>>> {
        const ALLOWED: &str = "false, or an array of provider ids";
        match self.take("fallback") {
            None => Ok(None),
            Some(Value::Bool(false)) => Ok(Some(Vec::new())),
            Some(Value::Array(ids)) => ids
                .iter()
                .map(|id| id.as_str().map(str::to_owned).ok_or_else(|| vec![ConfigError::new("fallback", id, ALLOWED)]))
                .collect::<Read<Vec<_>>>()
                .map(Some),
            Some(other) => wrong("fallback", &other, ALLOWED),
        }
    }

    fn guard(&mut self) -> Read<Option<GuardOptions>> {
        let value = match self.take("guard") {
            None => return Ok(Some(GuardOptions::default())),
            Some(Value::Bool(false)) => return Ok(None),
            Some(value @ Value::Object(_)) => value,
            Some(other) => return wrong("guard", &other, "false, or { attempts, windowMs, minGainPercent }"),
        };
        let mut reader = Self::new(&value, "guard")?;
        let default = GuardOptions::default();
        let guard = GuardOptions {
            attempts: reader.whole("attempts", 1, "a whole number, 1 or more")?.unwrap_or(default.attempts),
            window_ms: reader
                .whole("windowMs", 0, "a whole number of milliseconds, 0 or more")?
                .map_or(default.window_ms, |ms| ms as u64),
            min_gain_percent: reader.number("minGainPercent", 0.0, 100.0)?.unwrap_or(default.min_gain_percent),
        };
        reader.finish()?;
        Ok(Some(guard))
    }

    fn encoding(&mut self) -> Read<Encoding> {
        match self.text("encoding")? {
            None => Ok(Encoding::default()),
            Some(name) => name.parse().map_err(|_| {
                let allowed: Vec<_> = Encoding::ALL.iter().map(|encoding| encoding.name()).collect();
                vec![ConfigError::new("encoding", &Value::from(name), allowed.join(", "))]
            }),
        }
    }

    fn scale(&mut self) -> Read<ScaleSetting> {
        const ALLOWED: &str = "a number from 0.1 to 10, \"gpt\", \"gemini\", \"claude\", \"claude-4.7\" or \"auto\"";
        let Some(value) = self.take("scale") else { return Ok(ScaleSetting::default()) };
        let read = match &value {
            Value::Number(number) => ScaleSetting::number(number.as_f64().unwrap_or(f64::NAN)),
            Value::String(text) if text.parse::<f64>().is_err() => text.parse(),
            other => return wrong("scale", other, ALLOWED),
        };
        read.map_err(|_| {
            let error = if value.is_number() { ConfigError::out_of_range } else { ConfigError::new };
            vec![error("scale".to_owned(), &value, ALLOWED.to_owned())]
        })
    }

    fn finish(self) -> Read<()> {
        let unknown = self.fields.iter().filter(|(_, value)| !value.is_null());
        let allowed = format!("the fields {}", self.known.join(", "));
        let errors: Vec<_> = unknown.map(|(name, value)| ConfigError::new(name, value, &allowed)).collect();
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }
}

fn wrong<T>(name: &str, value: &Value, allowed: &str) -> Read<T> {
    Err(vec![ConfigError::new(name, value, allowed)])
}

fn number(path: &str, value: &Value, min: f64, max: f64) -> Read<f64> {
    let allowed =
        if max == f64::MAX { format!("a number, {min} or more") } else { format!("a number from {min} to {max}") };
    let allowed = if min == f64::MIN { "a number".to_owned() } else { allowed };
    match value.as_f64() {
        Some(number) if (min..=max).contains(&number) => Ok(number),
        Some(_) => Err(vec![ConfigError::out_of_range(path, value, allowed)]),
        None => wrong(path, value, &allowed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn absent_options_have_the_documented_defaults() {
        let options = ManagerOptions::read(&json!({})).unwrap();
        assert_eq!(options.provider, super::super::DEFAULT_PROVIDER);
        assert!(options.thresholds.automatic);
        assert_eq!(options.thresholds.global, 100.0);
        assert_eq!(options.guard, Some(GuardOptions { attempts: 3, window_ms: 60_000, min_gain_percent: 5.0 }));
        assert_eq!((options.fallback, options.encoding), (None, Encoding::O200kBase));
    }

    #[test]
    fn every_kind_of_wrong_option_is_named() {
        let cases = [
            (json!([]), "options: []"),
            (json!({ "provder": "x" }), "provder: \"x\""),
            (json!({ "provider": 1 }), "provider: 1"),
            (json!({ "autoCondenseContextPercent": 4 }), "autoCondenseContextPercent: 4"),
            (json!({ "autoCondenseContextPercent": "50" }), "autoCondenseContextPercent: \"50\""),
            (json!({ "profileThresholds": { "a": "b" } }), "profileThresholds.a: \"b\""),
            (json!({ "fallback": "lossless" }), "fallback: \"lossless\""),
            (json!({ "guard": { "attempt": 1 } }), "attempt: 1"),
            (json!({ "guard": { "attempts": 0 } }), "attempts: 0"),
            (json!({ "encoding": "gpt2" }), "encoding: \"gpt2\""),
            (json!({ "scale": 0 }), "scale: 0"),
            (json!({ "scale": "lama" }), "scale: \"lama\""),
        ];
        for (options, start) in cases {
            let errors = ManagerOptions::read(&options).unwrap_err();
            assert!(errors[0].to_string().starts_with(start), "{options}: {}", errors[0]);
        }
    }

    #[test]
    fn call_options_are_checked_too() {
        let read = |call: Value| CallOptions::read(&call);
        assert_eq!(read(json!({ "targetTokens": 40_000.0 })).unwrap().target_tokens, Some(40_000));
        for (call, out_of_range) in [
            (json!({ "targetTokens": -1 }), true),
            (json!({ "targetTokens": 1.5 }), true),
            (json!({ "targetTokens": "50%" }), false),
            (json!({ "config": [] }), false),
        ] {
            assert_eq!(read(call.clone()).unwrap_err()[0].out_of_range, out_of_range, "{call}");
        }
    }
}
