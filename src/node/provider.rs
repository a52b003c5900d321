//! Built-in providers.

use std::sync::Arc;

use napi::bindgen_prelude::{Buffer, ClassInstance};
use napi_derive::napi;
use serde_json::{Value, json};

use super::{
    cancel::CancelHandle,
    error::{Result, unreadable, wrong_config},
    handler::NativeHandler,
    work::{Incoming, Listener, report},
};
use crate::{
    manager::{Trial, condense_with, preview_with},
    options::ConfigError,
    providers::{self, Provider},
    tokens::Encoding,
};

/// A built-in provider with its configuration.
#[napi]
pub struct NativeProvider {
    pub(super) provider: Arc<dyn Provider>,
}

#[napi]
impl NativeProvider {
    /// `id` is one of the built-in ids, `config` the configuration as JSON.
    #[napi(constructor, catch_unwind)]
    pub fn new(id: String, config: String) -> Result<Self> {
        let config: Value = serde_json::from_str(&config).map_err(unreadable)?;
        Ok(Self { provider: providers::create(&id, &config).map_err(wrong_config)? })
    }

    /// What it says of itself, as JSON.
    #[napi(catch_unwind)]
    pub fn info(&self) -> Result<String> {
        serde_json::to_string(&self.provider.info()).map_err(unreadable)
    }

    /// JSON Schema of its configuration, as JSON.
    #[napi(catch_unwind)]
    pub fn config_schema(&self) -> String {
        self.provider.config_schema().to_string()
    }

    /// `{valid, errors}` for a configuration, all as JSON.
    #[napi(catch_unwind)]
    pub fn validate_config(&self, config: String) -> Result<String> {
        let config = serde_json::from_str(&config).map_err(unreadable)?;
        let errors = self.provider.validate_config(&config).err().unwrap_or_default();
        Ok(json!({ "valid": errors.is_empty(), "errors": errors }).to_string())
    }

    /// Condenses; `listener` is told the report as JSON. `mode` is `always`, `preview` or `estimate`.
    #[allow(clippy::too_many_arguments)]
    #[napi(catch_unwind)]
    pub fn condense(
        &self,
        messages: Buffer,
        call: String,
        cancel: &CancelHandle,
        listener: Listener,
        handler: Option<ClassInstance<NativeHandler>>,
        condensing_handler: Option<ClassInstance<NativeHandler>>,
        mode: String,
    ) -> Result<()> {
        let incoming = Incoming::read(messages, &call, 0, cancel)?;
        if let Some(provider) = &incoming.call().provider {
            // Not an option of this call at all, but what is wrong is best seen with its value.
            let fault = ConfigError::not_allowed("options.provider", &json!(provider), "only in calls of a manager");
            return Err(wrong_config(vec![ConfigError { code: "invalid_argument", ..fault }]));
        }
        let incoming = incoming.with_handlers(&(handler, condensing_handler));
        self.provider.validate_config(&incoming.call().config).map_err(wrong_config)?;
        let provider = self.provider.clone();
        report(incoming, listener, move |work| async move {
            let progress = work.progress.clone();
            progress.report("counting", "", 0, 1);
            let encoding = Encoding::default();
            let report = match mode.as_str() {
                "preview" => preview_with(&provider, encoding, work, Trial::Preview).await,
                "estimate" => preview_with(&provider, encoding, work, Trial::Estimate).await,
                _ => condense_with(&provider, encoding, work).await,
            };
            progress.report("done", report.provider(), 1, 1);
            report
        });
        Ok(())
    }
}

/// The presets of the smart provider by name, as JSON.
#[napi(catch_unwind)]
pub fn smart_presets() -> String {
    providers::Smart::presets().to_string()
}
