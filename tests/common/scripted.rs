//! A model for tests: it answers from a function and remembers what it was asked.

use std::{
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use roo_condense::{
    Conversation, Encoding, LlmError, LlmHandler, LlmRequest, LlmResponse, ModelPrice, Prices, ProgressSink,
    StopReason, TokenUsage, count_tokens,
};
use tokio_util::sync::CancellationToken;

use super::checks::tally;

/// The answer to a question, which is the so many-th.
pub type Reply = Box<dyn Fn(&LlmRequest, usize) -> Result<LlmResponse, LlmError> + Send + Sync>;

/// A model that answers from a function.
pub struct Scripted {
    /// Tokens that it counts for each of ours, if it counts at all.
    pub counts: Option<f64>,
    pub model: &'static str,
    pub window: Option<u64>,
    pub price: ModelPrice,
    pub delay: Duration,
    pub reply: Reply,
    pub asked: Mutex<Vec<LlmRequest>>,
    /// Questions that are being answered.
    pub under_way: AtomicUsize,
    /// The most questions that were being answered at once.
    pub most: AtomicUsize,
    pub charged: Mutex<f64>,
    /// Tokens that it charges for each of ours where it reports nothing.
    pub unreported_factor: f64,
}

impl Scripted {
    pub fn new(reply: impl Fn(&LlmRequest, usize) -> Result<LlmResponse, LlmError> + Send + Sync + 'static) -> Self {
        Self {
            counts: None,
            model: "gpt-scripted",
            window: None,
            price: Prices { input: Some(3.0), output: Some(15.0), ..Prices::default() }.into(),
            delay: Duration::ZERO,
            reply: Box::new(reply),
            asked: Mutex::default(),
            under_way: AtomicUsize::new(0),
            most: AtomicUsize::new(0),
            charged: Mutex::default(),
            unreported_factor: 1.0,
        }
    }

    /// A model of this name.
    pub fn named(model: &'static str) -> Self {
        Self { model, ..Self::saying("In short: it was read.") }
    }

    /// A model that counts so many tokens for each of ours.
    pub fn counting(factor: f64) -> Self {
        Self { counts: Some(factor), ..Self::saying("In short: it was read.") }
    }

    pub fn saying(text: &'static str) -> Self {
        Self::new(move |_, _| Ok(answer(text)))
    }

    pub fn asked(&self) -> Vec<LlmRequest> {
        self.asked.lock().unwrap().clone()
    }

    fn cost(&self, usage: &TokenUsage) -> f64 {
        let dollars = |tokens: u64, price: Option<f64>| tokens as f64 * price.unwrap_or_default() / 1e6;
        dollars(usage.input_tokens, self.price.prices.input) + dollars(usage.output_tokens, self.price.prices.output)
    }

    /// Dollars for all the answers so far.
    pub fn charged(&self) -> f64 {
        *self.charged.lock().unwrap()
    }
}

/// Tokens of a question.
pub fn question_tokens(request: &LlmRequest) -> u64 {
    let texts = request.messages.iter().map(|message| message.text.as_str()).chain([request.system.as_str()]);
    texts.map(tokens_of).sum()
}

fn tokens_of(text: &str) -> u64 {
    count_tokens(text, Encoding::default()).tokens as u64
}

/// An answer for which 1,000 tokens of input and 100 of output were used.
pub fn answer(text: &str) -> LlmResponse {
    let usage = TokenUsage { input_tokens: 1000, output_tokens: 100, ..TokenUsage::default() };
    LlmResponse::new(text, Some(usage), StopReason::EndTurn)
}

#[async_trait]
impl LlmHandler for Scripted {
    async fn complete(
        &self,
        request: LlmRequest,
        cancel: &CancellationToken,
        _: Option<&dyn ProgressSink>,
    ) -> Result<LlmResponse, LlmError> {
        let number = {
            let mut asked = self.asked.lock().unwrap();
            asked.push(request.clone());
            asked.len() - 1
        };
        self.most.fetch_max(self.under_way.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        let stopped = tokio::select! {
            () = cancel.cancelled() => true,
            () = tokio::time::sleep(self.delay) => false,
        };
        self.under_way.fetch_sub(1, Ordering::SeqCst);
        if stopped {
            Err(LlmError::aborted("scripted", TokenUsage::default()))
        } else {
            let reply = (self.reply)(&request, number);
            let usage = reply.as_ref().map_or_else(LlmError::spent, |response| &response.usage);
            let unreported = reply.as_ref().map_or_else(LlmError::unreported, |response| &response.unreported);
            let billed = |tokens: u64| (tokens as f64 * self.unreported_factor) as u64;
            let counted = TokenUsage {
                input_tokens: billed(question_tokens(&request) * u64::from(unreported.questions)),
                output_tokens: billed(tokens_of(&unreported.text)),
                ..TokenUsage::default()
            };
            *self.charged.lock().unwrap() += self.cost(usage) + self.cost(&counted);
            reply
        }
    }

    fn model(&self) -> &str {
        self.model
    }

    fn price(&self) -> Option<&ModelPrice> {
        Some(&self.price)
    }

    fn context_window(&self) -> Option<u64> {
        self.window
    }

    async fn count_tokens(&self, blocks_json: &str) -> Result<Option<u64>, LlmError> {
        let Some(factor) = self.counts else { return Ok(None) };
        let message = format!(r#"[{{"role":"user","content":{blocks_json}}}]"#);
        let tokens = tally(&Conversation::parse(&message).unwrap()).total();
        Ok(Some((tokens as f64 * factor).round() as u64))
    }
}
