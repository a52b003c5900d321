//! Looks up users' preferences through the host.

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json};

use super::callback::{JsAnswerer, ask};
use crate::{
    conversation::surrogates::{enter, leave},
    strategies::UserDirectory,
};

/// A directory that calls a function of the host, which answers `{user}` with a [`Reply`].
pub struct HostDirectory(pub JsAnswerer);

#[derive(Deserialize)]
struct Reply {
    found: Option<Value>,
    error: Option<String>,
}

#[async_trait]
impl UserDirectory for HostDirectory {
    async fn look_up(&self, user: &str) -> Result<Option<Value>, String> {
        let reply = ask(&self.0, leave(json!({ "user": user }).to_string())).await?;
        let Reply { found, error } = serde_json::from_str(&enter(&reply)).map_err(|error| error.to_string())?;
        error.map_or(Ok(found), Err)
    }
}
