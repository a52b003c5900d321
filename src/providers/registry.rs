//! The providers there are for a call.

use std::sync::Arc;

use super::{CondenseError, Provider, ProviderInfo};

/// Providers by id, in the order they were registered. A copy is cheap.
#[derive(Clone, Default)]
pub struct Registry {
    providers: Arc<Vec<Arc<dyn Provider>>>,
}

impl Registry {
    /// Adds a provider; one with the same id is replaced.
    pub fn register(&mut self, provider: Arc<dyn Provider>) {
        let id = provider.info().id;
        let providers = Arc::make_mut(&mut self.providers);
        match providers.iter_mut().find(|known| known.info().id == id) {
            Some(known) => *known = provider,
            None => providers.push(provider),
        }
    }

    /// Removes a provider. Whether there was one.
    pub fn unregister(&mut self, id: &str) -> bool {
        let count = self.providers.len();
        Arc::make_mut(&mut self.providers).retain(|provider| provider.info().id != id);
        self.providers.len() < count
    }

    /// The provider with this id.
    ///
    /// # Errors
    /// [`CondenseError::UnknownProvider`] names the ids there are.
    pub fn get(&self, id: &str) -> Result<Arc<dyn Provider>, CondenseError> {
        self.providers.iter().find(|provider| provider.info().id == id).cloned().ok_or_else(|| {
            CondenseError::UnknownProvider {
                id: id.to_owned(),
                registered: self.list().into_iter().map(|info| info.id).collect::<Vec<_>>().join(", "),
            }
        })
    }

    /// What the providers say of themselves.
    #[must_use]
    pub fn list(&self) -> Vec<ProviderInfo> {
        self.providers.iter().map(|provider| provider.info()).collect()
    }
}
