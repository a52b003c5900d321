//! A summary cache kept by the host.

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::json;

use super::callback::{JsAnswerer, ask};
use crate::{
    conversation::surrogates,
    summaries::{StoreError, SummaryStore, opened, sealed},
};

/// A store that calls a function of the host, which answers `{get}` and `{set, value}` with a [`Reply`].
pub struct HostStore(pub JsAnswerer);

#[derive(Deserialize)]
struct Reply {
    value: Option<String>,
    error: Option<String>,
}

impl HostStore {
    async fn call(&self, request: String) -> Result<Option<String>, StoreError> {
        let failed = |message: String| StoreError { message };
        let reply = ask(&self.0, request).await.map_err(failed)?;
        let reply = surrogates::without_surrogates(&reply);
        let reply: Reply = serde_json::from_str(&reply).map_err(|error| failed(error.to_string()))?;
        reply.error.map_or(Ok(reply.value), |message| Err(failed(message)))
    }
}

#[async_trait]
impl SummaryStore for HostStore {
    async fn get(&self, key: &str) -> Result<Option<String>, StoreError> {
        let kept = self.call(json!({ "get": key }).to_string()).await?;
        kept.map(|kept| opened(key, &kept)).transpose()
    }

    async fn set(&self, key: &str, value: &str) -> Result<(), StoreError> {
        self.call(json!({ "set": key, "value": sealed(key, value) }).to_string()).await.map(drop)
    }
}
