//! The options of an HTTP handler, checked before anything is sent.

use std::{collections::BTreeMap, fmt, time::Duration};

use serde_json::{Map, Value};

use super::{Api, ApiKey, LongContextPricing, ModelPrice, PriceTier, Prices, endpoint, secret::head};

/// The options of an [`HttpHandler`](super::HttpHandler); `httpHandler()` in JavaScript.
#[derive(Clone)]
pub struct HttpConfig {
    /// `api`: the protocol. Required.
    pub api: Api,
    /// `model`: the name the service knows it by. Required.
    pub model: String,
    /// `baseUrl`: where the service is, with or without `/v1`; the provider's own by default.
    pub base_url: Option<String>,
    /// `apiKey`. Required for the providers' own services unless a header authenticates; local servers need none.
    pub api_key: Option<ApiKey>,
    /// `headers`: sent along, and instead of ours of the same name. Their values count as secrets.
    pub headers: BTreeMap<String, ApiKey>,
    /// `maxTokens`: the longest answer. Default: the service's; 8192 for Anthropic, whose protocol wants a number.
    pub max_tokens: Option<u32>,
    /// `temperature`: 0 to 2 (Anthropic: to 1). Default: the service's. Not sent again to a model that refuses it.
    pub temperature: Option<f64>,
    /// `timeoutMs`: for the whole call, retries and waiting included. Default 300 000, at most a day.
    pub timeout: Duration,
    /// `idleTimeoutMs`: until the first byte, and between any two. Default 120 000; a local server reads a long question
    /// for minutes before it says anything.
    pub idle_timeout: Duration,
    /// `retries`: attempts after the first. Default 3, at most 10.
    pub retries: u32,
    /// `retryDelayMs`: the first wait; each further one doubles, to at most 30 s, with jitter. Default 500.
    pub retry_delay: Duration,
    /// `maxResponseBytes`: the most that is held of an answer. Default 8 MiB, some two million tokens of text.
    pub max_response_bytes: usize,
    /// `price`: dollars per million tokens.
    pub price: Option<ModelPrice>,
    /// `contextWindow`: tokens the model can read and write in one request.
    pub context_window: Option<u64>,
}

impl fmt::Debug for HttpConfig {
    /// Without the query of the address, which may hold a key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let address = endpoint::endpoint(self.api, self.base_url.as_deref());
        f.debug_struct("HttpConfig")
            .field("api", &self.api)
            .field("model", &self.model)
            .field("address", &address.map_or_else(|_| "not an address".to_owned(), |url| endpoint::shown(&url)))
            .field("api_key", &self.api_key)
            .field("headers", &self.headers)
            .field("max_tokens", &self.max_tokens)
            .field("temperature", &self.temperature)
            .field("timeout", &self.timeout)
            .field("idle_timeout", &self.idle_timeout)
            .field("retries", &self.retries)
            .field("retry_delay", &self.retry_delay)
            .field("max_response_bytes", &self.max_response_bytes)
            .field("price", &self.price)
            .field("context_window", &self.context_window)
            .finish()
    }
}

/// What is wrong with an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConfigProblem {
    /// It is required.
    Missing,
    /// It is of another type.
    WrongType,
    /// It is of the right type, but not allowed.
    NotAllowed,
    /// There is no such option.
    Unknown,
}

/// An option that cannot be used. Never shows a secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{field}` is {value}; allowed: {allowed}")]
pub struct ConfigError {
    /// What is wrong.
    pub problem: ConfigProblem,
    /// Which option, as written in JavaScript; `price.inputPrice` for one inside another.
    pub field: String,
    /// What was given, as JSON, shortened; only its type if it is a secret.
    pub value: String,
    /// What may be given.
    pub allowed: String,
}

impl ConfigError {
    /// The code under which JavaScript sees it.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self.problem {
            ConfigProblem::Missing => "config_missing",
            ConfigProblem::WrongType => "config_type",
            ConfigProblem::NotAllowed => "config_range",
            ConfigProblem::Unknown => "config_unknown",
        }
    }

    /// Whether JavaScript gets a `RangeError` rather than a `TypeError`.
    #[must_use]
    pub fn is_range(&self) -> bool {
        self.problem == ConfigProblem::NotAllowed
    }

    pub(super) fn new(problem: ConfigProblem, field: &str, value: impl Into<String>, allowed: &str) -> Self {
        Self { problem, field: field.to_owned(), value: value.into(), allowed: allowed.to_owned() }
    }
}

const NAMES: &[&str] = &[
    "api",
    "model",
    "baseUrl",
    "apiKey",
    "headers",
    "maxTokens",
    "temperature",
    "timeoutMs",
    "idleTimeoutMs",
    "retries",
    "retryDelayMs",
    "maxResponseBytes",
    "price",
    "contextWindow",
];
const DAY_MS: u64 = 86_400_000;

impl HttpConfig {
    /// Defaults for everything but the protocol and the model.
    pub fn new(api: Api, model: impl Into<String>) -> Self {
        Self {
            api,
            model: model.into(),
            base_url: None,
            api_key: None,
            headers: BTreeMap::new(),
            max_tokens: None,
            temperature: None,
            timeout: Duration::from_secs(300),
            idle_timeout: Duration::from_secs(120),
            retries: 3,
            retry_delay: Duration::from_millis(500),
            max_response_bytes: 8 * 1024 * 1024,
            price: None,
            context_window: None,
        }
    }

    /// Reads the options as JavaScript writes them. `null` counts as absent.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] names the first option that is missing, of the wrong type, out of range or unknown.
    pub fn from_json(options: &Value) -> Result<Self, ConfigError> {
        let Value::Object(map) = options else {
            return Err(ConfigError::new(ConfigProblem::WrongType, "options", shown(options), "an object"));
        };
        if let Some(name) = map.keys().find(|name| !NAMES.contains(&name.as_str())) {
            return Err(ConfigError::new(ConfigProblem::Unknown, name, "not an option", &NAMES.join(", ")));
        }
        let fields = Fields { map, prefix: "" };
        let api = match fields.text("api", "\"anthropic\" or \"openai\"")? {
            Some("anthropic") => Api::Anthropic,
            Some("openai") => Api::OpenAi,
            Some(_) => return Err(fields.not_allowed("api", "\"anthropic\" or \"openai\"")),
            None => return Err(fields.missing("api", "\"anthropic\" or \"openai\"")),
        };
        let Some(model) = fields.text("model", "the model's name")? else {
            return Err(fields.missing("model", "the model's name"));
        };
        let mut config = Self::new(api, model);
        config.base_url = fields.text("baseUrl", "an http or https address")?.map(str::to_owned);
        config.api_key = fields.secret("apiKey")?;
        config.headers = fields.headers()?;
        config.max_tokens = fields.whole("maxTokens", 1, u64::from(u32::MAX))?.map(|tokens| tokens as u32);
        config.temperature = fields.number("temperature", 0.0, 2.0)?;
        let set_ms = |name, target: &mut Duration, least| {
            fields.whole(name, least, DAY_MS).map(|ms| {
                if let Some(ms) = ms {
                    *target = Duration::from_millis(ms);
                }
            })
        };
        set_ms("timeoutMs", &mut config.timeout, 1)?;
        set_ms("idleTimeoutMs", &mut config.idle_timeout, 1)?;
        set_ms("retryDelayMs", &mut config.retry_delay, 0)?;
        if let Some(retries) = fields.whole("retries", 0, 10)? {
            config.retries = retries as u32;
        }
        if let Some(bytes) = fields.whole("maxResponseBytes", 1024, 1 << 30)? {
            config.max_response_bytes = bytes as usize;
        }
        config.price = fields.price()?;
        config.context_window = fields.whole("contextWindow", 1, u64::from(u32::MAX))?;
        Ok(config)
    }

    /// Checks what does not depend on where the service is, for those that fill the fields themselves.
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        let not_allowed = |field: &str, value: String, allowed: &str| {
            Err(ConfigError::new(ConfigProblem::NotAllowed, field, value, allowed))
        };
        if self.model.trim().is_empty() {
            return not_allowed("model", shown(&self.model.as_str().into()), "the model's name");
        }
        let hottest = if self.api == Api::Anthropic { 1.0 } else { 2.0 };
        if let Some(temperature) = self.temperature
            && !(0.0..=hottest).contains(&temperature)
        {
            return not_allowed("temperature", temperature.to_string(), &format!("a number from 0 to {hottest}"));
        }
        if self.max_tokens == Some(0) {
            return not_allowed("maxTokens", "0".into(), "a whole number from 1");
        }
        if self.timeout.is_zero() || self.idle_timeout.is_zero() {
            let field = if self.timeout.is_zero() { "timeoutMs" } else { "idleTimeoutMs" };
            return not_allowed(field, "0".into(), "a whole number from 1");
        }
        if self.retries > 10 {
            return not_allowed("retries", self.retries.to_string(), "a whole number from 0 to 10");
        }
        Ok(())
    }
}

/// Typed reading of an object's fields, with errors that name them.
struct Fields<'a> {
    map: &'a Map<String, Value>,
    prefix: &'a str,
}

impl<'a> Fields<'a> {
    fn get(&self, name: &str) -> Option<&'a Value> {
        self.map.get(name).filter(|value| !value.is_null())
    }

    fn error(&self, problem: ConfigProblem, name: &str, allowed: &str) -> ConfigError {
        let value = self.get(name).map_or_else(|| "missing".to_owned(), shown);
        ConfigError::new(problem, &format!("{}{name}", self.prefix), value, allowed)
    }

    fn missing(&self, name: &str, allowed: &str) -> ConfigError {
        self.error(ConfigProblem::Missing, name, allowed)
    }

    fn not_allowed(&self, name: &str, allowed: &str) -> ConfigError {
        self.error(ConfigProblem::NotAllowed, name, allowed)
    }

    fn text(&self, name: &str, allowed: &str) -> Result<Option<&'a str>, ConfigError> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::String(text)) if text.trim().is_empty() => Err(self.not_allowed(name, allowed)),
            Some(Value::String(text)) => Ok(Some(text.trim())),
            Some(_) => Err(self.error(ConfigProblem::WrongType, name, allowed)),
        }
    }

    /// An empty key counts as none, so that `process.env.KEY ?? ""` does what is meant.
    fn secret(&self, name: &str) -> Result<Option<ApiKey>, ConfigError> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(ApiKey::new(text.as_str())).filter(|key| !key.is_empty())),
            Some(other) => {
                let field = format!("{}{name}", self.prefix);
                Err(ConfigError::new(ConfigProblem::WrongType, &field, type_of(other), "a string"))
            }
        }
    }

    fn headers(&self) -> Result<BTreeMap<String, ApiKey>, ConfigError> {
        let allowed = "an object of strings";
        let map = match self.get("headers") {
            None => return Ok(BTreeMap::new()),
            Some(Value::Object(map)) => map,
            Some(other) => {
                return Err(ConfigError::new(ConfigProblem::WrongType, "headers", type_of(other), allowed));
            }
        };
        let fields = Fields { map, prefix: "headers." };
        let one = |name: &String| Ok(fields.secret(name)?.map(|value| (name.clone(), value)));
        map.keys().filter_map(|name| one(name).transpose()).collect()
    }

    fn number(&self, name: &str, least: f64, most: f64) -> Result<Option<f64>, ConfigError> {
        let allowed = if most.is_finite() {
            format!("a number from {least} to {most}")
        } else {
            format!("a number from {least}")
        };
        match self.get(name) {
            None => Ok(None),
            Some(Value::Number(number)) => match number.as_f64() {
                Some(number) if (least..=most).contains(&number) => Ok(Some(number)),
                _ => Err(self.not_allowed(name, &allowed)),
            },
            Some(_) => Err(self.error(ConfigProblem::WrongType, name, &allowed)),
        }
    }

    fn whole(&self, name: &str, least: u64, most: u64) -> Result<Option<u64>, ConfigError> {
        let allowed = format!("a whole number from {least} to {most}");
        match self.get(name) {
            None => Ok(None),
            Some(Value::Number(number)) => {
                // JavaScript writes 8000.0 as 8000, but JSON from elsewhere may not.
                let whole = number.as_f64().filter(|n| n.fract() == 0.0 && *n >= least as f64 && *n <= most as f64);
                whole.map(|n| Some(n as u64)).ok_or_else(|| self.not_allowed(name, &allowed))
            }
            Some(_) => Err(self.error(ConfigProblem::WrongType, name, &allowed)),
        }
    }

    fn texts(&self, name: &str) -> Result<Option<Vec<String>>, ConfigError> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let texts =
            value.as_array().and_then(|list| list.iter().map(|text| text.as_str().map(str::to_owned)).collect());
        texts.map(Some).ok_or_else(|| self.error(ConfigProblem::WrongType, name, "an array of strings"))
    }

    fn object(&self, name: &str) -> Result<Option<&'a Map<String, Value>>, ConfigError> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::Object(map)) => Ok(Some(map)),
            Some(_) => Err(self.error(ConfigProblem::WrongType, name, "an object")),
        }
    }

    /// Fields that are not prices are left alone: hosts give their whole model information.
    fn price(&self) -> Result<Option<ModelPrice>, ConfigError> {
        self.object("price")?.map(price_from_map).transpose()
    }
}

impl ModelPrice {
    /// Reads a price as JavaScript writes it. Fields that are not prices are left alone.
    ///
    /// # Errors
    /// [`ConfigError`] names the field, beginning with `price`.
    pub fn from_json(price: &Value) -> Result<Self, ConfigError> {
        match price {
            Value::Object(map) => price_from_map(map),
            other => Err(ConfigError::new(ConfigProblem::WrongType, "price", shown(other), "an object")),
        }
    }
}

fn prices(fields: &Fields<'_>) -> Result<Prices, ConfigError> {
    let dollars = |name| fields.number(name, 0.0, f64::INFINITY);
    Ok(Prices {
        input: dollars("inputPrice")?,
        output: dollars("outputPrice")?,
        cache_writes: dollars("cacheWritesPrice")?,
        cache_reads: dollars("cacheReadsPrice")?,
    })
}

fn price_from_map(map: &Map<String, Value>) -> Result<ModelPrice, ConfigError> {
    let fields = Fields { map, prefix: "price." };
    Ok(ModelPrice {
        prices: prices(&fields)?,
        long_context_pricing: fields.object("longContextPricing")?.map(long_context_from_map).transpose()?,
        tiers: match fields.get("tiers") {
            None => None,
            Some(Value::Array(tiers)) => Some(tiers.iter().map(tier_from_json).collect::<Result<_, _>>()?),
            Some(_) => return Err(fields.error(ConfigProblem::WrongType, "tiers", "an array of objects")),
        },
    })
}

fn long_context_from_map(map: &Map<String, Value>) -> Result<LongContextPricing, ConfigError> {
    let fields = Fields { map, prefix: "price.longContextPricing." };
    let Some(threshold_tokens) = fields.whole("thresholdTokens", 0, u64::from(u32::MAX))? else {
        return Err(fields.missing("thresholdTokens", "a whole number of tokens"));
    };
    let times = |name| fields.number(name, 0.0, f64::INFINITY);
    Ok(LongContextPricing {
        threshold_tokens,
        input_price_multiplier: times("inputPriceMultiplier")?,
        output_price_multiplier: times("outputPriceMultiplier")?,
        cache_writes_price_multiplier: times("cacheWritesPriceMultiplier")?,
        cache_reads_price_multiplier: times("cacheReadsPriceMultiplier")?,
        applies_to_service_tiers: fields.texts("appliesToServiceTiers")?,
    })
}

fn tier_from_json(tier: &Value) -> Result<PriceTier, ConfigError> {
    let Value::Object(map) = tier else {
        return Err(ConfigError::new(ConfigProblem::WrongType, "price.tiers[]", shown(tier), "an object"));
    };
    let fields = Fields { map, prefix: "price.tiers[]." };
    Ok(PriceTier {
        name: fields.text("name", "the name of a service tier")?.map(str::to_owned),
        // A host's `Infinity` is `null` in JSON: no limit.
        context_window: fields.whole("contextWindow", 0, u64::from(u32::MAX))?,
        prices: prices(&fields)?,
    })
}

/// A value as it can stand in a message.
fn shown(value: &Value) -> String {
    let text = value.to_string();
    let short = head(&text, 80);
    if short.len() < text.len() { format!("{short}…") } else { text }
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_option_is_read() {
        let config = HttpConfig::from_json(&json!({
            "api": "openai", "model": " gpt-5-mini ", "baseUrl": "http://localhost:11434", "apiKey": "k-1\n", "headers": {"X-A": "b", "X-None": null},
            "maxTokens": 4000, "temperature": 0.2, "timeoutMs": 1000, "idleTimeoutMs": 500, "retries": 0, "retryDelayMs": 0,
            "maxResponseBytes": 2048, "contextWindow": 128000,
            "price": {"inputPrice": 1, "outputPrice": 2.5, "supportsImages": true, "longContextPricing": {"thresholdTokens": 10, "inputPriceMultiplier": 2},
                      "tiers": [{"contextWindow": 5, "inputPrice": 0.5}, {"contextWindow": null, "name": "flex"}]}
        }))
        .unwrap();
        assert_eq!((config.api, config.model.as_str()), (Api::OpenAi, "gpt-5-mini"));
        assert_eq!(config.api_key.as_ref().unwrap().expose(), "k-1");
        assert_eq!(config.headers.keys().collect::<Vec<_>>(), ["X-A"]);
        assert_eq!((config.timeout.as_millis(), config.idle_timeout.as_millis(), config.retries), (1000, 500, 0));
        assert_eq!(
            (config.max_tokens, config.temperature, config.context_window),
            (Some(4000), Some(0.2), Some(128_000))
        );
        let price = config.price.as_ref().unwrap();
        assert_eq!((price.at(4).input, price.at(11).input), (Some(0.5), Some(0.5 * 2.0)));
        assert!(!format!("{config:?}").contains("k-1"));
    }

    #[test]
    fn nothing_and_null_are_the_defaults() {
        let config =
            HttpConfig::from_json(&json!({"api": "anthropic", "model": "m", "apiKey": "", "retries": null})).unwrap();
        assert!(config.api_key.is_none());
        assert_eq!((config.retries, config.timeout.as_secs()), (3, 300));
    }

    #[test]
    fn errors_name_the_field_the_value_and_what_is_allowed() {
        let cases = [
            (json!([]), "config_type", "options", "an object"),
            (json!({"model": "m"}), "config_missing", "api", "anthropic"),
            (json!({"api": "gemini", "model": "m"}), "config_range", "api", "openai"),
            (json!({"api": "openai"}), "config_missing", "model", "name"),
            (json!({"api": "openai", "model": "  "}), "config_range", "model", "name"),
            (json!({"api": "openai", "model": "m", "baseURL": "x"}), "config_unknown", "baseURL", "baseUrl"),
            (json!({"api": "openai", "model": "m", "retries": 11}), "config_range", "retries", "0 to 10"),
            (json!({"api": "openai", "model": "m", "retries": 1.5}), "config_range", "retries", "whole"),
            (json!({"api": "openai", "model": "m", "timeoutMs": "9"}), "config_type", "timeoutMs", "whole"),
            (json!({"api": "openai", "model": "m", "timeoutMs": 0}), "config_range", "timeoutMs", "from 1"),
            (json!({"api": "openai", "model": "m", "temperature": 3}), "config_range", "temperature", "0 to 2"),
            (json!({"api": "openai", "model": "m", "maxTokens": -1}), "config_range", "maxTokens", "from 1"),
            (json!({"api": "openai", "model": "m", "price": 3}), "config_type", "price", "an object"),
            (
                json!({"api": "openai", "model": "m", "price": {"inputPrice": -1}}),
                "config_range",
                "price.inputPrice",
                "from 0",
            ),
            (
                json!({"api": "openai", "model": "m", "price": {"longContextPricing": {}}}),
                "config_missing",
                "price.longContextPricing.thresholdTokens",
                "tokens",
            ),
        ];
        for (options, code, field, allowed) in cases {
            let error = HttpConfig::from_json(&options).unwrap_err();
            assert_eq!((error.code(), error.field.as_str()), (code, field), "{options}");
            assert!(error.to_string().contains(allowed), "{error}");
        }
    }

    #[test]
    fn a_secret_of_the_wrong_type_does_not_show() {
        for options in [
            json!({"api": "openai", "model": "m", "apiKey": ["sk-very-secret-1234"]}),
            json!({"api": "openai", "model": "m", "headers": {"authorization": ["sk-very-secret-1234"]}}),
            json!({"api": "openai", "model": "m", "headers": "sk-very-secret-1234"}),
        ] {
            let error = HttpConfig::from_json(&options).unwrap_err();
            assert!(!format!("{error} {error:?}").contains("very-secret"), "{error}");
        }
    }
}
