//! A strategy as a provider.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;

use super::{
    ab_test, adaptive,
    composition::{Composition, refused},
    cost_aware,
    per_user::{self, UserDirectory},
    pipeline, progressive, quality_first,
    tables::{self, StrategyConfig},
};
use crate::{
    options::{ConfigError, merged},
    providers::{CondenseError, Descriptor, Proposal, Provider, Registry, Request, with_id},
};

/// A provider made of other providers.
pub struct Strategy {
    id: &'static str,
    config: Value,
    directory: Option<Arc<dyn UserDirectory>>,
}

impl Strategy {
    /// Creates the strategy `id` with this configuration; null means all defaults. Users that it does not contain are
    /// looked up in `directory`.
    ///
    /// # Errors
    /// Every wrong field, also in the configurations of the providers it runs.
    pub fn new(
        id: &'static str,
        config: &Value,
        directory: Option<Arc<dyn UserDirectory>>,
    ) -> Result<Self, Vec<ConfigError>> {
        let faults = tables::faults(id, config);
        if faults.is_empty() { Ok(Self { id, config: config.clone(), directory }) } else { Err(faults) }
    }

    async fn run(&self, composition: &mut Composition<'_>, config: StrategyConfig) -> Result<(), CondenseError> {
        match config {
            StrategyConfig::Pipeline(config) => pipeline::run(composition, config).await,
            StrategyConfig::Adaptive(config) => adaptive::run(composition, config).await,
            StrategyConfig::CostAware(config) => cost_aware::run(composition, &config).await,
            StrategyConfig::QualityFirst => quality_first::run(composition).await,
            StrategyConfig::PerUser(config) => per_user::run(composition, config, self.directory.as_deref()).await,
            StrategyConfig::AbTest(config) => ab_test::run(composition, config).await,
            StrategyConfig::Progressive(config) => progressive::run(composition, &config).await,
        }
    }
}

#[async_trait]
impl Provider for Strategy {
    fn built_in(&self) -> Option<(&'static Descriptor, &Value)> {
        with_id(super::DESCRIPTORS, self.id).map(|descriptor| (descriptor, &self.config))
    }

    fn validate_config(&self, config: &Value) -> Result<(), Vec<ConfigError>> {
        let faults = tables::faults(self.id, &merged(&self.config, config));
        if faults.is_empty() { Ok(()) } else { Err(faults) }
    }

    fn may_repeat_without_model(&self) -> bool {
        true
    }

    async fn propose(&self, request: &Request, config: &Value) -> Result<Proposal, CondenseError> {
        // Without the caller's registry, providers and strategies have their defaults.
        self.propose_among(request, config, &super::registry()).await
    }

    async fn propose_among(
        &self,
        request: &Request,
        config: &Value,
        others: &Registry,
    ) -> Result<Proposal, CondenseError> {
        let config = merged(&self.config, config);
        refused(tables::faults(self.id, &config))?;
        let config = StrategyConfig::read(self.id, &config)?;
        if request.target_tokens.is_some() && request.meets_target(&request.tally) {
            return Ok(Proposal::default());
        }
        let mut composition = Composition::new(self.id, request, others);
        self.run(&mut composition, config).await?;
        Ok(composition.finish().await)
    }
}
