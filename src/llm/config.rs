//! The options of handlers, checked before anything is sent.

use std::{collections::BTreeMap, fmt, time::Duration};

use serde::Serialize;
use serde_json::Value;

use super::{Api, ApiKey, ModelPrice, endpoint};
use crate::options::{
    ConfigError, FaultKind, Options, Table, Typed, choice, flag, number, object, options, record, some_text, text,
    whole,
};

/// The options of an [`HttpHandler`](super::HttpHandler); `httpHandler()` in JavaScript.
#[derive(Clone)]
pub struct HttpConfig {
    /// `api`: the protocol. Required.
    pub api: Api,
    /// `model`: the model's name at the service. Required.
    pub model: String,
    /// `baseUrl`: the address of the service, with or without `/v1`. Default: the provider's own.
    pub base_url: Option<String>,
    /// `apiKey`. Required for the providers' own services unless a header authenticates; local servers need none.
    pub api_key: Option<ApiKey>,
    /// `headers`: additional headers, which replace ours of the same name. Their values count as secrets.
    pub headers: BTreeMap<String, ApiKey>,
    /// `maxTokens`: maximum tokens of a response. Default: the service's; 8192 for Anthropic, whose protocol requires a
    /// number.
    pub max_tokens: Option<u32>,
    /// `temperature`: 0 to 2 (Anthropic: 0 to 1). Default: the service's. Not sent again to a model that refuses it.
    pub temperature: Option<f64>,
    /// `timeoutMs`: time limit for the whole call, retries and waiting included. Default 300 000, at most a day.
    pub timeout: Duration,
    /// `idleTimeoutMs`: maximum time until the first byte and between any two bytes. Default 120 000, because a local
    /// server processes a long request for minutes before it responds.
    pub idle_timeout: Duration,
    /// `retries`: attempts after the first. Default 3, at most 10.
    pub retries: u32,
    /// `retryDelayMs`: the wait before the first retry. It doubles with each retry, to at most 30 s, with jitter.
    /// Default
    /// 500.
    pub retry_delay: Duration,
    /// `maxResponseBytes`: maximum bytes of a response in memory. Default 8 MiB, about two million tokens of text.
    pub max_response_bytes: usize,
    /// `insecure`: whether a key may be sent over plain http to another machine, although others can read it on the
    /// way.
    /// Default: false; such a configuration is refused.
    pub insecure: bool,
    /// `price`: dollars per million tokens.
    pub price: Option<ModelPrice>,
    /// `contextWindow`: tokens that the model can read and write in one request.
    pub context_window: Option<u64>,
}

impl fmt::Debug for HttpConfig {
    /// Omits the query of the address, which may contain a key.
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
            .field("insecure", &self.insecure)
            .field("price", &self.price)
            .field("context_window", &self.context_window)
            .finish()
    }
}

const DAY_MS: u64 = 86_400_000;
const TIMEOUT_MS: u64 = 300_000;
const IDLE_TIMEOUT_MS: u64 = 120_000;
const RETRY_DELAY_MS: u64 = 500;
const RETRIES: u64 = 3;
const MAX_RETRIES: u64 = 10;
const MAX_RESPONSE_BYTES: u64 = 8 * 1024 * 1024;
const MAX_TOKENS: u64 = 0xffff_ffff;
const MODEL: &str = "the name of a model";

const TIMEOUT: Typed<usize> = whole(1, DAY_MS)
    .or(TIMEOUT_MS)
    .about("Time limit of the whole request in milliseconds, retries and waiting included.");
const IDLE_TIMEOUT: Typed<usize> = whole(1, DAY_MS)
    .or(IDLE_TIMEOUT_MS)
    .about("Largest time in milliseconds until the first part of the response, and between any two.");
const WINDOW: Typed<Option<usize>> = whole(1, MAX_TOKENS).if_set();

options! {
    /// The options of an HTTP handler as hosts write them.
    struct HttpFields: Table::titled("Options of an HTTP handler")
        .called("options")
        .null_is_absent()
        .interface("HttpHandlerOptions", "Options of {@link httpHandler}. `null` is the same as absent; an unknown field is an error.")
        .nullable();

    /// The protocol: the Anthropic Messages API, or chat completions of OpenAI, OpenRouter, Ollama, vLLM, LM Studio,
    /// DeepSeek and others.
    api: Api = choice().required(),
    /// The service's name of the model.
    model: String = some_text().required().allowing(MODEL),
    /// An http or https address, with or without `/v1`. With a key (or a header that authenticates), plain http is
    /// allowed for this machine only, unless `insecure` is set. Default: the API's own service.
    base_url: Option<String> = some_text().if_set().allowing(endpoint::ALLOWED).secret(),
    /// The key; empty counts as absent. Required for the API's own service, unless a header authenticates.
    api_key: Option<String> = text().if_set().secret(),
    /// Additional headers, which replace built-in ones of the same name. Their values count as secrets.
    headers: Vec<(String, String)> = record(&text(), "an object of strings").or_default().secret(),
    /// Largest response in tokens. Default: the service's; 8192 for `anthropic`, whose protocol requires a number.
    max_tokens: Option<usize> = whole(1, MAX_TOKENS).if_set(),
    /// Temperature, for `anthropic` to 1. Not sent again to a model that refuses it. Default: the service's.
    temperature: Option<f64> = number(0.0, 2.0).if_set(),
    timeout_ms: usize = TIMEOUT,
    idle_timeout_ms: usize = IDLE_TIMEOUT,
    /// Number of retries if the service is busy or the connection drops. A wait that the service requests is respected.
    retries: usize = whole(0, MAX_RETRIES).or(RETRIES),
    /// Milliseconds before the first retry; each further wait doubles, up to 30,000, with jitter.
    retry_delay_ms: usize = whole(0, DAY_MS).or(RETRY_DELAY_MS),
    /// Largest response in bytes.
    max_response_bytes: usize = whole(1024, 1 << 30).or(MAX_RESPONSE_BYTES),
    /// Whether to allow sending a key over plain http to another machine, where others on the network can read it.
    insecure: bool = flag().or(false),
    /// The price of the model. Default: the profile's, or none; the cost is then 0 unless the service reports it.
    price: Option<ModelPrice> = object().read_as().if_set().typed_as("ModelPrice"),
    context_window: Option<usize> = WINDOW.about("The model's context window in tokens. Default: `contextWindow` of the native provider's configuration."),
}

options! {
    /// The options of a handler on top of the host's own, as hosts write them.
    struct CallbackFields: Table::titled("Options of a handler of the host")
        .argument("options")
        .null_is_absent()
        .interface("CallbackHandlerOptions", "Options of {@link callbackHandler}.");

    timeout_ms: usize = TIMEOUT,
    idle_timeout_ms: usize = IDLE_TIMEOUT,
    context_window: Option<usize> = WINDOW.about("The model's context window in tokens. Default: that of `getModel()`."),
    /// The price of the model. Default: that of `getModel()`.
    price: Option<ModelPrice> = object().read_as().if_set().typed_as("ModelPrice"),
}

/// The options of handlers.
pub const TABLES: [&Table; 2] = [HttpFields::TABLE, CallbackFields::TABLE];

/// The options of a handler on top of the host's own; `callbackHandler()` in JavaScript, where the work is done.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CallbackConfig {
    /// For a whole answer.
    pub timeout_ms: u64,
    /// Until the first chunk, and between any two.
    pub idle_timeout_ms: u64,
    /// Tokens the model can read and write in one request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_window: Option<u64>,
    /// Dollars per million tokens, instead of those that the host's own handler names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price: Option<ModelPrice>,
}

impl CallbackConfig {
    /// Reads the options as JavaScript writes them. `null` counts as absent.
    ///
    /// # Errors
    /// Every option that is of the wrong type, out of range or unknown.
    pub fn from_json(options: &Value) -> Result<Self, Vec<ConfigError>> {
        let options = CallbackFields::read(options).map_err(coded)?;
        Ok(Self {
            timeout_ms: options.timeout_ms as u64,
            idle_timeout_ms: options.idle_timeout_ms as u64,
            context_window: options.context_window.map(|tokens| tokens as u64),
            price: options.price,
        })
    }
}

/// Sets the codes of handlers: `out_of_range` for every value of the right type, `invalid_argument` for other errors.
fn coded(mut faults: Vec<ConfigError>) -> Vec<ConfigError> {
    for fault in &mut faults {
        let is_range = matches!(fault.kind, FaultKind::NotAllowed | FaultKind::OutOfRange);
        fault.code = if is_range { "out_of_range" } else { "invalid_argument" };
    }
    faults
}

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
            timeout: Duration::from_millis(TIMEOUT_MS),
            idle_timeout: Duration::from_millis(IDLE_TIMEOUT_MS),
            retries: RETRIES as u32,
            retry_delay: Duration::from_millis(RETRY_DELAY_MS),
            max_response_bytes: MAX_RESPONSE_BYTES as usize,
            insecure: false,
            price: None,
            context_window: None,
        }
    }

    /// Reads the options as JavaScript writes them. `null` counts as absent.
    ///
    /// # Errors
    /// Every option that is missing, of the wrong type, out of range or unknown.
    pub fn from_json(options: &Value) -> Result<Self, Vec<ConfigError>> {
        let options = HttpFields::read(options).map_err(coded)?;
        let ms = |ms| Duration::from_millis(ms as u64);
        // An empty key counts as none, so that `process.env.KEY ?? ""` does what is meant.
        let headers = options.headers.into_iter().map(|(name, value)| (name, ApiKey::new(value)));
        Ok(Self {
            base_url: options.base_url.map(|url| url.trim().to_owned()),
            api_key: options.api_key.map(ApiKey::new).filter(|key| !key.is_empty()),
            headers: headers.filter(|(_, value)| !value.is_empty()).collect(),
            max_tokens: options.max_tokens.map(|tokens| tokens as u32),
            temperature: options.temperature,
            timeout: ms(options.timeout_ms),
            idle_timeout: ms(options.idle_timeout_ms),
            retries: options.retries as u32,
            retry_delay: ms(options.retry_delay_ms),
            max_response_bytes: options.max_response_bytes,
            insecure: options.insecure,
            price: options.price,
            context_window: options.context_window.map(|tokens| tokens as u64),
            ..Self::new(options.api, options.model.trim())
        })
    }

    /// Returns the fault of a temperature that the protocol does not allow.
    pub(super) fn fault_of_temperature(&self) -> Option<ConfigError> {
        let hottest = if self.api == Api::Anthropic { 1.0 } else { 2.0 };
        let wrong = self.temperature.filter(|temperature| !(0.0..=hottest).contains(temperature))?;
        let allowed = format!("a number from 0 to {hottest}");
        Some(Self::fault(FaultKind::OutOfRange, "temperature", wrong.to_string(), &allowed))
    }

    /// Creates an error about an option. `value` appears in messages, so it must not be a secret.
    pub(super) fn fault(kind: FaultKind, path: &str, value: impl Into<String>, allowed: &str) -> ConfigError {
        let code = if kind == FaultKind::Missing { "invalid_argument" } else { "out_of_range" };
        ConfigError { code, ..ConfigError::new(kind, path, value, allowed) }
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
            "maxResponseBytes": 2048, "contextWindow": 128_000,
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
        let (type_, range) = ("invalid_argument", "out_of_range");
        let with = |field: &str, value: Value| json!({ "api": "openai", "model": "m", field: value });
        let cases = [
            (json!([]), type_, "options must be an object; got []"),
            (json!({ "model": "m" }), type_, "api is missing; it must be one of \"anthropic\", \"openai\""),
            (
                json!({ "api": "gemini", "model": "m" }),
                range,
                "api must be one of \"anthropic\", \"openai\"; got \"gemini\"",
            ),
            (json!({ "api": "openai" }), type_, "model is missing; it must be the name of a model"),
            (json!({ "api": "openai", "model": "  " }), range, "model must be the name of a model; got \"  \""),
            (with("baseURL", json!("x")), type_, "baseURL is unknown; did you mean baseUrl?"),
            (with("retries", json!(11)), range, "retries must be a whole number from 0 to 10; got 11"),
            (with("retries", json!(1.5)), range, "retries must be a whole number from 0 to 10; got 1.5"),
            (with("timeoutMs", json!("9")), type_, "timeoutMs must be a whole number from 1 to 86400000; got \"9\""),
            (with("temperature", json!(3)), range, "temperature must be a number from 0 to 2; got 3"),
            (with("maxTokens", json!(-1)), range, "maxTokens must be a whole number from 1 to 4294967295; got -1"),
            (with("price", json!({ "inputPrice": -1 })), range, "price.inputPrice must be a number, 0 or more; got -1"),
        ];
        for (options, code, message) in cases {
            let errors = HttpConfig::from_json(&options).unwrap_err();
            let found: Vec<_> = errors.iter().map(|error| (error.code, error.to_string())).collect();
            assert_eq!(found, [(code, message.to_owned())], "{options}");
        }
        assert_eq!(HttpConfig::from_json(&json!({ "retries": -1 })).unwrap_err().len(), 3, "all are told");
    }

    #[test]
    fn a_secret_of_the_wrong_type_does_not_show() {
        for (field, value) in [
            ("apiKey", json!(["sk-very-secret-1234"])),
            ("apikey", json!("sk-very-secret-1234")),
            ("headers", json!({ "authorization": ["sk-very-secret-1234"] })),
            ("headers", json!("sk-very-secret-1234")),
            ("baseUrl", json!(["https://h.example?key=sk-very-secret-1234"])),
        ] {
            let error = HttpConfig::from_json(&json!({ "api": "openai", "model": "m", field: value })).unwrap_err();
            assert!(!format!("{} {error:?}", error[0]).contains("very-secret"), "{error:?}");
        }
    }

    #[test]
    fn a_handler_of_the_host_has_options_too() {
        let config = CallbackConfig::from_json(&json!({ "timeoutMs": 5, "contextWindow": null })).unwrap();
        assert_eq!((config.timeout_ms, config.idle_timeout_ms, config.context_window), (5, IDLE_TIMEOUT_MS, None));
        let errors = CallbackConfig::from_json(&json!({ "timeoutMs": 0, "retries": 1 })).unwrap_err();
        let found: Vec<_> = errors.iter().map(|error| (error.code, error.path.as_str())).collect();
        assert_eq!(found, [("out_of_range", "options.timeoutMs"), ("invalid_argument", "options.retries")]);
    }
}
