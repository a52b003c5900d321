//! A summary cache that the host keeps.

use async_trait::async_trait;
use napi::{Status, bindgen_prelude::Promise, threadsafe_function::ThreadsafeFunction};
use serde::Deserialize;
use serde_json::json;

use crate::{
    conversation::surrogates,
    summaries::{StoreError, SummaryStore},
};

/// Takes `{get}` or `{set, value}` as JSON, resolves to a [`Reply`] as JSON. Never throws or rejects. Weak, so that it does not keep Node alive.
pub type StoreCallback = ThreadsafeFunction<String, Promise<String>, String, Status, false, true>;

/// A store behind a function of the host.
pub struct HostStore(pub StoreCallback);

#[derive(Deserialize)]
struct Reply {
    value: Option<String>,
    error: Option<String>,
}

impl HostStore {
    async fn call(&self, request: String) -> Result<Option<String>, StoreError> {
        let failed = |message: String| StoreError { message };
        let reply = async { self.0.call_async_catch(request).await?.await };
        let reply: String = reply.await.map_err(|error: napi::Error| failed(error.reason.clone()))?;
        let reply = surrogates::without_surrogates(&reply);
        let reply: Reply = serde_json::from_str(&reply).map_err(|error| failed(error.to_string()))?;
        reply.error.map_or(Ok(reply.value), |message| Err(failed(message)))
    }
}

#[async_trait]
impl SummaryStore for HostStore {
    async fn get(&self, key: &str) -> Result<Option<String>, StoreError> {
        self.call(json!({ "get": key }).to_string()).await
    }

    async fn set(&self, key: &str, value: &str) -> Result<(), StoreError> {
        self.call(json!({ "set": key, "value": value }).to_string()).await.map(drop)
    }
}
