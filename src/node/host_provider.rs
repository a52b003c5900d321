//! Providers written in JavaScript.

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json, value::RawValue};

use super::callback::{JsAnswerer, ask};
use crate::{
    conversation::{BoundPlan, Contents, Inserted, Message, Plan, Replaced, surrogates},
    llm::as_dollars,
    options::ConfigError,
    providers::{CondenseError, Proposal, Provider, ProviderInfo, Request, Returned, proposal_of},
    summaries::SummaryError,
    warning::Warning,
};

/// A provider whose work is done by a JavaScript function, which answers a request with a [`Reply`].
pub struct HostProvider {
    info: ProviderInfo,
    callback: JsAnswerer,
}

/// JavaScript's response to a request.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
enum Reply {
    /// The provider's messages, in order.
    Messages {
        messages: Vec<ReplyMessage>,
        #[serde(default)]
        summary: String,
        #[serde(default)]
        cost: f64,
        #[serde(default)]
        warnings: Vec<Warning>,
    },
    /// The provider was not called, because it estimates this cost in dollars, which is more than is left.
    TooDear { cost: f64 },
    /// The provider threw, rejected, or returned something else.
    Error { message: String, cause: Option<usize> },
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
enum ReplyMessage {
    /// The same object as the request's message with this index.
    Keep(usize),
    /// Another object: its number on the JavaScript side, and its JSON.
    Foreign(usize, Box<RawValue>),
}

impl HostProvider {
    /// Creates a provider that calls `callback`.
    pub fn new(info: ProviderInfo, callback: JsAnswerer) -> Self {
        Self { info, callback }
    }

    fn failed(&self, message: impl Into<String>, foreign_cause: Option<usize>) -> CondenseError {
        CondenseError::ProviderFailed { provider: self.info.id.clone(), message: message.into(), foreign_cause }
    }

    fn proposal(&self, request: &Request, reply: Reply) -> Result<Proposal, CondenseError> {
        match reply {
            Reply::Error { message, cause } => Err(self.failed(message, cause)),
            Reply::TooDear { cost } => match request.llm.budget.reserve(as_dollars(cost)) {
                Err(over) => Err(SummaryError::CostLimit(over).into()),
                // Budget reserved for other requests has been released meanwhile.
                Ok(_) => Err(self.failed("it was not asked, because other requests had the budget", None)),
            },
            Reply::Messages { messages, summary, cost, warnings } => {
                let mut proposal =
                    proposal_of(request, &self.info.id, messages.into_iter().map(Returned::from).collect())?;
                // The provider's indices refer to the messages that it received; providers before it may have dropped
                // some.
                let origin = |message: usize| request.conversation.entries().get(message)?.origin;
                let warnings = warnings
                    .into_iter()
                    .map(|warning| Warning { message_index: warning.message_index.and_then(origin), ..warning });
                proposal.warnings.splice(0..0, warnings);
                if let Some(refusal) = &request.call.host.refusal {
                    let after = request.conversation.apply(&proposal.plan);
                    let after = after.map_err(|error| self.failed(error.to_string(), None))?;
                    if let Some(why) = refusal(&Plan::between(&request.original, &after)) {
                        return Err(self.failed(why, None));
                    }
                }
                Ok(Proposal { summary, cost: as_dollars(cost), ..proposal })
            }
        }
    }
}

#[async_trait]
impl Provider for HostProvider {
    fn info(&self) -> ProviderInfo {
        self.info.clone()
    }

    fn config_schema(&self) -> Value {
        json!({})
    }

    fn validate_config(&self, _config: &Value) -> Result<(), Vec<ConfigError>> {
        Ok(())
    }

    async fn propose(&self, request: &Request, config: &Value) -> Result<Proposal, CondenseError> {
        let before = Plan::between(&request.original, &request.conversation);
        let replaced = Replaced::record(&before, &request.original, &Contents::hash(&request.original));
        let call = json!({
            "hostCall": request.call.host.id,
            "plan": BoundPlan::new(before, replaced),
            "tokenCount": request.scaled(&request.tally),
            "targetTokens": request.target_tokens,
            "config": config,
            // A strategy may do a dry run within a call that is not one.
            "isPreview": request.llm.preview.is_some(),
            "dollarsLeft": request.llm.budget.left(),
        });
        let call = request.conversation.export(&call).map_err(|error| CondenseError::Internal(error.to_string()))?;
        let reply = tokio::select! {
            () = request.cancel.cancelled() => return Err(CondenseError::Aborted),
            reply = ask(&self.callback, call) => reply.map_err(|message| self.failed(message, None))?,
        };
        let reply = surrogates::enter(&reply);
        let reply = serde_json::from_str(&reply).map_err(|error| CondenseError::Internal(error.to_string()))?;
        self.proposal(request, reply)
    }
}

impl From<ReplyMessage> for Returned {
    fn from(message: ReplyMessage) -> Self {
        match message {
            ReplyMessage::Keep(index) => Self::Kept(index),
            ReplyMessage::Foreign(foreign, raw) => {
                Self::New(Inserted { foreign: Some(foreign), ..Message::read(&raw).into() })
            }
        }
    }
}
