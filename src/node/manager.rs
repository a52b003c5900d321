//! The manager for JavaScript.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use napi::{JsString, bindgen_prelude::FnArgs, threadsafe_function::ThreadsafeFunctionCallMode};
use napi_derive::napi;
use serde_json::json;

use super::{
    callback::{JsAnswerer, JsCallback},
    host_provider::HostProvider,
    messages::{MessageParts, Messages, format_of},
    provider::NativeProvider,
    store::HostStore,
    threads,
    thrown::{Result, failed, settings, system_limit, thrown, told, wrong_config, wrong_tokens},
    work::{Call, Incoming, Mode, report},
};
use crate::{
    cancel::Cancel,
    conversation::{
        KnownMessages,
        surrogates::{self, enter_text, leave_text},
    },
    manager::{CallOptions, ContextUsage, InspectOptions, Manager, ManagerOptions, Trial},
    providers::panic_message,
};

/// True if the call succeeded, and its result or error as text.
type Outcome = FnArgs<(bool, String)>;

/// The manager behind the JavaScript class.
#[napi]
pub struct NativeManager {
    manager: Arc<Manager>,
    known: Arc<KnownMessages>,
}

#[napi]
impl NativeManager {
    /// Creates a manager; `options` as JSON. Summaries are cached in `store`, or else in memory, unless
    /// the option `cache` is false.
    #[napi(constructor, catch_unwind)]
    pub fn new(options: String, store: Option<JsAnswerer>) -> Result<Self> {
        let options = settings(&options)?;
        let options = ManagerOptions::read(&options).map_err(wrong_config)?;
        let manager = match store {
            Some(store) => Manager::with_store(options, Some(Arc::new(HostStore(store)))),
            None => Manager::new(options),
        };
        Ok(Self { manager: Arc::new(manager), known: Arc::default() })
    }

    /// Begins a call on messages of a format, by default our own.
    #[napi(catch_unwind)]
    pub fn messages(&self, format: Option<String>) -> Result<MessageParts> {
        MessageParts::begin(format, &self.known)
    }

    /// Adds a built-in provider.
    #[napi(catch_unwind)]
    pub fn register(&self, provider: &NativeProvider) {
        self.manager.register(provider.provider.clone());
    }

    /// Adds a provider written in JavaScript; `info` as JSON.
    #[napi(catch_unwind)]
    pub fn register_host(&self, info: String, callback: JsAnswerer) -> Result<()> {
        let info = settings(&info)?;
        self.manager.register(Arc::new(HostProvider::new(info, callback)));
        Ok(())
    }

    /// Removes a provider. Returns whether it was registered.
    #[napi(catch_unwind)]
    pub fn unregister(&self, id: String) -> bool {
        self.manager.unregister(&enter_text(&id))
    }

    /// Returns the built-in provider with this id, as registered here.
    #[napi(catch_unwind)]
    pub fn provider(&self, id: String) -> Option<NativeProvider> {
        self.manager.registry().get(&enter_text(&id)).ok().map(NativeProvider::new_from)
    }

    /// Lists the providers' descriptions, as JSON.
    #[napi(catch_unwind)]
    pub fn list(&self) -> Result<String> {
        told(&self.manager.registry().list())
    }

    /// Makes a provider the active one.
    #[napi(catch_unwind)]
    pub fn set_active(&self, id: String) -> Result<()> {
        self.manager.set_active(&enter_text(&id)).map_err(failed)
    }

    /// Returns the id of the active provider.
    #[napi(catch_unwind)]
    pub fn active(&self) -> String {
        leave_text(&self.manager.active()).into_owned()
    }

    /// Returns the effective configuration for a profile, as JSON.
    #[napi(catch_unwind)]
    pub fn effective_config(&self, profile: Option<String>) -> Result<String> {
        let profile = profile.map(|id| enter_text(&id).into_owned());
        told(&json!(self.manager.effective_config(profile.as_deref())))
    }

    /// Sets the global threshold, in percent.
    #[napi(catch_unwind)]
    pub fn set_threshold(&self, percent: f64) {
        self.manager.set_threshold(percent);
    }

    /// Sets the threshold of a profile, in percent.
    #[napi(catch_unwind)]
    pub fn set_profile_threshold(&self, profile: String, percent: f64) {
        self.manager.set_profile_threshold(&enter_text(&profile), percent);
    }

    /// Checks whether a condensation is due; usage and decision as JSON.
    #[napi(catch_unwind)]
    pub fn should_condense(&self, usage: String) -> Result<String> {
        let usage: ContextUsage =
            serde_json::from_str(&surrogates::enter(&usage)).map_err(|error| thrown("invalid_argument", error))?;
        told(&self.manager.should_condense(&usage))
    }

    /// Learns from the tokens that an API reported.
    #[napi(catch_unwind)]
    pub fn calibrate(&self, local_tokens: f64, reported_tokens: f64, model: String) -> Result<()> {
        self.manager.calibrate(local_tokens, reported_tokens, &enter_text(&model)).map_err(wrong_tokens)
    }

    /// Returns the metrics as JSON.
    #[napi(catch_unwind)]
    pub fn metrics(&self) -> Result<String> {
        told(&self.manager.metrics())
    }

    /// Resets the metrics.
    #[napi(catch_unwind)]
    pub fn reset_metrics(&self) {
        self.manager.reset_metrics();
    }

    /// Runs a call; its listener receives the report as JSON.
    #[napi(catch_unwind)]
    pub fn condense(&self, call: Call<'_>) -> Result<()> {
        let mode = call.mode;
        let incoming = Incoming::read(call)?.of_manager(&self.manager)?;
        let manager = self.manager.clone();
        report(incoming, move |work| async move {
            match mode {
                Mode::Always => manager.condense(work).await,
                Mode::Decide => manager.decide(work).await,
                Mode::Prepare => manager.prepare(work).await,
                Mode::IfNeeded => manager.condense_if_needed(work).await,
                Mode::Preview => manager.preview(work, Trial::Preview).await,
                Mode::Estimate => manager.preview(work, Trial::Estimate).await,
            }
        })
    }

    /// Breaks a conversation down. `settings` as JSON: `{context, options}`. `done` is called with true and the
    /// inspection as JSON, or with false and the error.
    #[napi(catch_unwind)]
    pub fn inspect(
        &self,
        messages: JsString<'_>,
        settings_json: String,
        done: JsCallback<Outcome>,
        format: Option<String>,
    ) -> Result<()> {
        let settings: serde_json::Value = settings(&settings_json)?;
        let options = InspectOptions::read(&settings["context"], &settings["options"]).map_err(wrong_config)?;
        let format = format_of(format)?;
        let messages = Messages::copy(&messages)?;
        let manager = self.manager.clone();
        let work = move || -> std::result::Result<String, String> {
            let (read, _room) = messages.parse(format).map_err(|error| error.to_string())?;
            let inspect = |conversation| {
                let found = manager.inspect(conversation, &options, &Cancel::new());
                found.map_err(|_| "it was cancelled".to_owned())
            };
            let mut found = inspect(read.conversation())?;
            if let Some(projection) = read.projection() {
                let each = inspect(&projection.each())?;
                found = found.of_format(projection, each.anatomy.messages);
            }
            read.conversation().export(&found).map_err(|error| error.to_string())
        };
        let call = async move {
            let told = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(panic_message(&*panic)));
            let (went_well, text) = told.map_or_else(|why| (false, why), |json| (true, json));
            done.call((went_well, text).into(), ThreadsafeFunctionCallMode::NonBlocking);
        };
        threads::spawn(call).map_err(system_limit)
    }

    /// Checks the settings of a call for which the addon does no work.
    #[napi(catch_unwind)]
    pub fn check_call(&self, settings_json: String) -> Result<()> {
        let settings: serde_json::Value = settings(&settings_json)?;
        let call = CallOptions::read(&settings["context"], &settings["options"]).map_err(wrong_config)?;
        let id = call.provider.unwrap_or_else(|| self.manager.active());
        self.manager.registry().get(&id).map(drop).map_err(failed)
    }

    /// Throws if there is no provider with this id, naming the registered ids.
    #[napi(catch_unwind)]
    pub fn require_provider(&self, id: String) -> Result<()> {
        self.manager.registry().get(&enter_text(&id)).map(drop).map_err(failed)
    }
}
