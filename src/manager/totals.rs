//! Computes the final totals by the handler's own count, if it counts.

use std::time::Duration;

use serde_json::{json, value::to_raw_value};

use crate::{
    conversation::{Content, Conversation},
    llm::LlmHandler,
    providers::{CondenseError, Request},
    warning::{Warning, WarningCode},
    words::{Said, said},
};

/// Time limit for a handler's count. After it, the local count is used.
const PATIENCE: Duration = Duration::from_secs(20);

/// Tokens of the context as the host counts them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HostCount {
    /// Before, by the handler.
    pub before: f64,
    /// After, by the handler.
    pub after: f64,
}

/// Counts the conversation after a condensation with its handler, and before it, unless that count is `known`. `None`
/// if no handler counts. A failure is only a warning, because the condensation itself has succeeded.
pub async fn host_count(
    request: &Request,
    after: &Conversation,
    known: Option<HostCount>,
    warnings: &mut Vec<Warning>,
) -> Result<Option<HostCount>, CondenseError> {
    let Some(handler) = request.llm.handler.as_ref().filter(|_| request.llm.preview.is_none()) else { return Ok(None) };
    let counted = async {
        let Some(counted_after) = count(&**handler, request, after).await? else { return Ok(None) };
        let before = match known {
            Some(known) => known.before,
            None if request.original.is_same(after) => counted_after,
            None => count(&**handler, request, &request.original).await?.unwrap_or(counted_after),
        };
        Ok::<_, String>(Some(HostCount { before, after: counted_after }))
    };
    let result = tokio::select! {
        () = request.cancel.cancelled() => return Err(CondenseError::Aborted),
        result = tokio::time::timeout(PATIENCE, counted) => result,
    };
    let failure = match result {
        Ok(Ok(counted)) => return Ok(counted),
        Ok(Err(message)) => Said::own(message),
        Err(_) => said!("warning.noAnswer", limit: PATIENCE.as_millis() as f64),
    };
    warnings.push(Warning::new(WarningCode::CountTokensFailed, said!("warning.countedLocally", failure: failure)));
    Ok(None)
}

async fn count(
    handler: &dyn LlmHandler,
    request: &Request,
    conversation: &Conversation,
) -> Result<Option<f64>, String> {
    let blocks = blocks(&request.llm.system_prompt, conversation).map_err(|error| error.to_string())?;
    let counted = handler.count_tokens(&blocks).await.map_err(|error| error.to_string())?;
    Ok(counted.map(|tokens| tokens as f64))
}

/// Returns the content blocks of the system prompt and all messages as one JSON array.
fn blocks(system_prompt: &str, conversation: &Conversation) -> serde_json::Result<String> {
    let text = |text: &str| to_raw_value(&json!({ "type": "text", "text": text }));
    let mut blocks = Vec::new();
    if !system_prompt.is_empty() {
        blocks.push(text(system_prompt)?);
    }
    for message in conversation.messages() {
        match &message.content {
            Content::Text(content) => blocks.push(text(content)?),
            Content::Blocks(content) => {
                for block in content {
                    blocks.push(to_raw_value(block)?);
                }
            }
            Content::Other(_) | Content::Missing => {}
        }
    }
    conversation.export(&blocks)
}
