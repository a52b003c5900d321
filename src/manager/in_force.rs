//! The settings of a manager that apply to one call.

use super::{CallOptions, trigger::Thresholds};
use crate::{
    providers::{Lossless, Native, Registry},
    summaries::Llm,
};

/// The active provider if the options name none.
pub const DEFAULT_PROVIDER: &str = Native::ID;

/// Settings when a call began; later changes affect later calls.
#[derive(Clone)]
pub struct InForce {
    pub(super) registry: Registry,
    /// The chosen provider; `None` for the default.
    pub(super) active: Option<String>,
    pub(super) thresholds: Thresholds,
}

impl InForce {
    /// Returns the registered providers.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// Returns the provider of a call: the one it names, else the active one. If none was chosen and there is no
    /// handler, the one that needs no model.
    pub fn provider_of(&self, call: &CallOptions, llm: &Llm) -> String {
        let has_model = llm.handler.is_some() || llm.condensing_handler.is_some();
        let default = if has_model { DEFAULT_PROVIDER } else { Lossless::ID };
        call.provider.clone().or_else(|| self.active.clone()).unwrap_or_else(|| default.to_owned())
    }
}
