//! Built-in providers for JavaScript.

use std::sync::Arc;

use napi_derive::napi;
use serde_json::{Value, json};

use super::{
    callback::JsAnswerer,
    directory::HostDirectory,
    messages::MessageParts,
    thrown::{Result, settings, told, wrong_config},
    work::{Call, Incoming, Mode, report},
};
use crate::{
    conversation::{ContentKind, KnownMessages},
    manager::{Trial, condense_with, preview_with},
    markers::{RECALL_HINT, SUMMARY_ABOVE, SummaryHead, Suppressed},
    options::ConfigError,
    providers::{self, Provider},
    recommend::{measurable, recommend},
    strategies::{self, UserDirectory},
    tokens::Encoding,
    words::Said,
};

/// A built-in provider with its configuration.
#[napi]
pub struct NativeProvider {
    pub(super) provider: Arc<dyn Provider>,
    known: Arc<KnownMessages>,
}

impl NativeProvider {
    pub(super) fn new_from(provider: Arc<dyn Provider>) -> Self {
        Self { provider, known: Arc::default() }
    }
}

#[napi]
impl NativeProvider {
    /// Creates a provider: `id` is a built-in id, `config` the configuration as JSON. `look_up` is called for users
    /// that the configuration does not contain.
    #[napi(constructor, catch_unwind)]
    pub fn new(id: String, config: String, look_up: Option<JsAnswerer>) -> Result<Self> {
        let config: Value = settings(&config)?;
        let directory = look_up.map(|look_up| Arc::new(HostDirectory(look_up)) as Arc<dyn UserDirectory>);
        Ok(Self::new_from(strategies::create_with(&id, &config, directory).map_err(wrong_config)?))
    }

    /// Begins a call on messages of a format, by default our own.
    #[napi(catch_unwind)]
    pub fn messages(&self, format: Option<String>) -> Result<MessageParts> {
        MessageParts::begin(format, &self.known)
    }

    /// Returns the provider's description, as JSON.
    #[napi(catch_unwind)]
    pub fn info(&self) -> Result<String> {
        told(&self.provider.info())
    }

    /// Returns the JSON Schema of its configuration, as JSON.
    #[napi(catch_unwind)]
    pub fn config_schema(&self) -> String {
        self.provider.config_schema().to_string()
    }

    /// Validates a configuration. Returns `{valid, errors}`, all as JSON.
    #[napi(catch_unwind)]
    pub fn validate_config(&self, config: String) -> Result<String> {
        let config = settings(&config)?;
        let errors = self.provider.validate_config(&config).err().unwrap_or_default();
        told(&json!({ "valid": errors.is_empty(), "errors": errors }))
    }

    /// Runs a call; its listener receives the report as JSON. A provider by itself has no trigger, so a condensation
    /// is always due.
    #[napi(catch_unwind)]
    pub fn condense(&self, call: Call<'_>) -> Result<()> {
        let mode = call.mode;
        let incoming = Incoming::read(call)?;
        if let Some(provider) = &incoming.options().provider {
            // The options of this call lack the field, but the message is clearest if it shows the field's value.
            let fault = ConfigError::not_allowed(
                "options.provider",
                &json!(provider),
                "absent: only calls of a manager name a provider",
            );
            return Err(wrong_config(vec![ConfigError { code: "invalid_argument", ..fault }]));
        }
        incoming.check_config(&*self.provider)?;
        let provider = self.provider.clone();
        report(incoming, move |work| async move {
            let progress = work.progress.clone();
            progress.report("counting", "", 0, 1);
            let encoding = Encoding::default();
            let report = match mode {
                Mode::Always | Mode::IfNeeded | Mode::Prepare | Mode::Decide => {
                    condense_with(&provider, encoding, work).await
                }
                Mode::Preview => preview_with(&provider, encoding, work, Trial::Preview).await,
                Mode::Estimate => preview_with(&provider, encoding, work, Trial::Estimate).await,
            };
            progress.report("done", report.provider(), 1, 1);
            report
        })
    }
}

/// Recommends a provider. Takes the user's answers and returns the recommendation, both as JSON.
#[napi(catch_unwind)]
pub fn recommend_provider(answers: String) -> Result<String> {
    let answers: Value = settings(&answers)?;
    told(&recommend(&answers).map_err(wrong_config)?)
}

/// Lists the trials that are measured for a recommendation, as JSON: `[{ key, provider, config }]`.
#[napi(catch_unwind)]
pub fn recommendable() -> String {
    measurable().to_string()
}

/// Returns the built-in providers, as JSON: `[{ id, factory, capabilities, presets, isStrategy }]`.
#[napi(catch_unwind)]
pub fn built_in_providers() -> Result<String> {
    let listed = strategies::all().map(|known| {
        let is_strategy = providers::DESCRIPTORS.iter().all(|own| own.id != known.id);
        json!({
            "id": known.id, "factory": known.factory, "capabilities": known.capabilities, "presets": known.presets,
            "isStrategy": is_strategy,
        })
    });
    told(&listed.collect::<Vec<_>>())
}

/// The forms of `markers` that JavaScript writes or recognises, too, by name, as JSON.
#[napi(catch_unwind)]
pub fn markers() -> String {
    let text = Suppressed { kind: ContentKind::MessageText, size: None };
    let head = SummaryHead::Messages(12).to_string();
    json!({ "RECALL_HINT": RECALL_HINT, "SUMMARY_ABOVE": SUMMARY_ABOVE, "SUMMARY_OF_12": head, "TEXT_SUPPRESSED": text.to_string() }).to_string()
}

/// Returns the English of `{ code, values }`, both as JSON.
#[napi(catch_unwind)]
pub fn english(said: String) -> Result<String> {
    let said: Said = settings(&said)?;
    told(&said.to_string())
}

/// Returns the presets of the smart provider by name, as JSON.
#[napi(catch_unwind)]
pub fn smart_presets() -> String {
    providers::Smart::presets().to_string()
}
