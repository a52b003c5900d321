//! A test model, which responds after a while and records its requests.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::{Smart, request, settled};
use crate::{
    conversation::Conversation,
    llm::{LlmError, LlmHandler, LlmProgress, LlmRequest, LlmResponse, ProgressSink, StopReason, TokenUsage},
    providers::{CondenseError, Proposal, Provider, Request, Settled},
};

#[derive(Default)]
pub struct Model {
    pub name: &'static str,
    pub wait_ms: u64,
    /// Questions that contain this word fail.
    pub fails_on: Option<&'static str>,
    /// Returns the response to a question. By default, the question's first twenty characters.
    pub says: Option<fn(&LlmRequest) -> String>,
    /// True if it reports that it reached the maximum length.
    pub breaks_off: bool,
    /// Number of failed attempts that it reports before each response.
    pub retries: u32,
    /// Tokens of its context window.
    pub window: Option<u64>,
    pub now: AtomicUsize,
    pub most: AtomicUsize,
    pub asked: AtomicUsize,
    pub questions: Mutex<Vec<LlmRequest>>,
}

impl Model {
    pub fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

/// Returns the text that a question is about, without the line above it; for other questions, the whole first
/// message.
pub fn material(request: &LlmRequest) -> &str {
    let text = request.messages[0].text.as_str();
    text.split_once('\n')
        .filter(|(line, _)| line.starts_with("[[") && line.ends_with("]]"))
        .map_or(text, |(_, rest)| rest)
}

#[async_trait]
impl LlmHandler for Model {
    async fn complete(
        &self,
        request: LlmRequest,
        cancel: &CancellationToken,
        progress: Option<&dyn ProgressSink>,
    ) -> Result<LlmResponse, LlmError> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        self.questions.lock().unwrap().push(request.clone());
        let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
        for attempt in 1..=self.retries {
            let wait = Duration::from_millis(250);
            let failed = LlmProgress::Retrying { attempt, attempts: 4, wait, code: "llm_overloaded" };
            progress.into_iter().for_each(|sink| sink.report(failed));
        }
        let waited = match self.wait_ms {
            0 => true,
            milliseconds => tokio::select! {
                () = tokio::time::sleep(Duration::from_millis(milliseconds)) => true,
                () = cancel.cancelled() => false,
            },
        };
        self.now.fetch_sub(1, Ordering::SeqCst);
        let text = material(&request);
        if !waited {
            return Err(LlmError::aborted("model", TokenUsage::default()));
        }
        if self.fails_on.is_some_and(|word| text.contains(word)) {
            let usage = TokenUsage { total_cost: Some(0.125), ..TokenUsage::default() };
            return Err(LlmError::callback("model", "no", None, usage));
        }
        let usage =
            TokenUsage { input_tokens: 100, output_tokens: 10, total_cost: Some(0.25), ..TokenUsage::default() };
        let first: String = text.chars().take(20).collect();
        let said = self.says.map_or_else(|| format!("Short: {first}"), |says| says(&request));
        let stop = if self.breaks_off { StopReason::MaxTokens } else { StopReason::EndTurn };
        Ok(LlmResponse::new(said, Some(usage), stop))
    }

    fn context_window(&self) -> Option<u64> {
        self.window
    }

    fn model(&self) -> &str {
        if self.name.is_empty() { "model" } else { self.name }
    }
}

/// Runs the provider with the model as the conversation's handler, and returns its result with the dollars spent.
pub async fn with_model(
    config: Value,
    conversation: &Conversation,
    model: &Arc<Model>,
    change: impl Fn(&mut Request),
) -> Result<(Proposal, Settled, f64), CondenseError> {
    let mut request = request(conversation);
    request.llm.handler = Some(model.clone());
    change(&mut request);
    let proposal = Smart::new(&config).unwrap().propose(&request, &Value::Null).await?;
    let settled = settled(&request, &proposal);
    Ok((proposal, settled, request.llm.spent.total()))
}
