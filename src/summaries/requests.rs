//! Records of the requests within one call, for watchers: who requested what of which model, when, how long it took,
//! and its usage.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Instant, SystemTime, UNIX_EPOCH},
};

use serde::Serialize;

use crate::llm::{Api, LlmError, LlmHandler, LlmMessage, LlmRequest, LlmResponse, StopReason, TokenUsage};

/// One request to a model: a summary that was asked for, with the attempts it took. Summaries from the cache are no
/// requests.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "ModelRequest"))]
#[serde(rename_all = "camelCase")]
pub struct RequestRecord {
    /// The id of the provider that asked.
    provider: String,
    /// The protocol of the handler; `callback` for a custom handler.
    #[cfg_attr(test, ts(type = "\"anthropic\" | \"openai\" | \"callback\""))]
    api: &'static str,
    /// The model's name, as the handler knows it.
    model: String,
    /// When it was sent, in milliseconds since 1970.
    started_at: f64,
    /// Milliseconds until the response was there or the request had failed, retries and waiting included.
    time_elapsed: f64,
    /// Number of requests sent, retries included; 1 for a custom handler.
    attempts: u32,
    /// Usage of all attempts; absent if the service did not report it.
    #[serde(flatten)]
    tokens: UsedTokens,
    /// Dollars, also for tokens that were not reported.
    cost: f64,
    /// Why the model stopped: `end_turn`, `max_tokens`, `stop_sequence`, `tool_use`, `refusal`, or the service's
    /// word; absent if it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    stop_reason: Option<String>,
    /// The code of the error, if it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<&'static str>,
    /// The texts, if they are to be kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(skip))]
    content: Option<Content>,
}

/// Tokens as services count them. Input tokens include cached ones, whatever the protocol.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
struct UsedTokens {
    /// Input tokens of all attempts as the service reported them, cached ones included whatever the protocol; absent,
    /// like the next three, if it reported none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    input_tokens: Option<u64>,
    /// Output tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    output_tokens: Option<u64>,
    /// Input tokens written to the service's prompt cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cache_write_tokens: Option<u64>,
    /// Input tokens read from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cache_read_tokens: Option<u64>,
}

/// The text of both sides.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
struct Content {
    system: String,
    messages: Vec<Spoken>,
    /// The response, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

#[derive(Debug, Clone, Serialize)]
struct Spoken {
    role: &'static str,
    text: String,
}

/// A running request.
pub(super) struct Begun {
    started_at: f64,
    begun: Instant,
    content: Option<Content>,
}

/// All requests of one call, in the order in which they ended.
#[derive(Debug, Default)]
pub struct Requests {
    keeps_content: bool,
    ended: Mutex<Vec<RequestRecord>>,
}

impl Requests {
    /// Creates an empty list. If `keeps_content` is true, it also keeps the texts of requests and responses.
    pub fn new(keeps_content: bool) -> Self {
        Self { keeps_content, ended: Mutex::default() }
    }

    /// Records that a request is about to be sent.
    pub(super) fn begin(&self, question: &LlmRequest) -> Begun {
        let said = |message: &LlmMessage| Spoken { role: message.role.as_str(), text: message.text.clone() };
        let content = self.keeps_content.then(|| Content {
            system: question.system.clone(),
            messages: question.messages.iter().map(said).collect(),
            text: None,
        });
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Begun { started_at: now.as_secs_f64() * 1000.0, begun: Instant::now(), content }
    }

    /// Records how a request ended.
    pub(super) fn end(
        &self,
        begun: Begun,
        provider: &str,
        handler: &dyn LlmHandler,
        answer: &Result<LlmResponse, LlmError>,
        cost: f64,
    ) {
        let Begun { started_at, begun, mut content } = begun;
        let (attempts, usage, stop_reason, error) = match answer {
            Ok(response) => {
                let mut usage = response.usage;
                usage.add(&response.spent_on_retries);
                let reported = response.usage_reported.then_some(usage);
                (response.attempts, reported, word(&response.stop_reason), None)
            }
            Err(error) => {
                let spent = Some(*error.spent()).filter(|spent| *spent != TokenUsage::default());
                (error.failure().attempts.max(1), spent, None, Some(error.code()))
            }
        };
        if let (Some(content), Ok(response)) = (&mut content, answer) {
            content.text = Some(response.text.clone());
        }
        self.lock().push(RequestRecord {
            provider: provider.to_owned(),
            api: handler.api().map_or("callback", Api::name),
            model: handler.model().to_owned(),
            started_at,
            time_elapsed: begun.elapsed().as_secs_f64() * 1000.0,
            attempts,
            tokens: usage.map(|usage| UsedTokens::new(&usage, handler.api())).unwrap_or_default(),
            cost,
            stop_reason,
            error,
            content,
        });
    }

    /// Returns the finished requests.
    pub fn all(&self) -> Vec<RequestRecord> {
        self.lock().clone()
    }

    // No code can panic while holding the lock.
    fn lock(&self) -> MutexGuard<'_, Vec<RequestRecord>> {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl UsedTokens {
    fn new(usage: &TokenUsage, api: Option<Api>) -> Self {
        let TokenUsage { input_tokens, output_tokens, cache_write_tokens, cache_read_tokens, .. } = *usage;
        let cached = cache_write_tokens.saturating_add(cache_read_tokens);
        // If there are more cached tokens than input tokens, the input tokens cannot include them: they are counted by
        // Anthropic's rule.
        let are_apart = api == Some(Api::Anthropic) || cached > input_tokens;
        let input_tokens = if are_apart { input_tokens.saturating_add(cached) } else { input_tokens };
        Self {
            input_tokens: Some(input_tokens),
            output_tokens: Some(output_tokens),
            cache_write_tokens: Some(cache_write_tokens),
            cache_read_tokens: Some(cache_read_tokens),
        }
    }
}

fn word(reason: &StopReason) -> Option<String> {
    let word = match reason {
        StopReason::EndTurn => "end_turn",
        StopReason::MaxTokens => "max_tokens",
        StopReason::StopSequence => "stop_sequence",
        StopReason::ToolUse => "tool_use",
        StopReason::Refusal => "refusal",
        StopReason::Other(other) => other,
        StopReason::Unknown => return None,
    };
    Some(word.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn used(input_tokens: u64, cache_read_tokens: u64, api: Option<Api>) -> (u64, u64) {
        let usage = TokenUsage { input_tokens, cache_read_tokens, ..TokenUsage::default() };
        let tokens = UsedTokens::new(&usage, api);
        (tokens.input_tokens.unwrap_or(0), tokens.cache_read_tokens.unwrap_or(0))
    }

    #[test]
    fn cached_tokens_are_part_of_the_input() {
        assert_eq!(used(100, 40, Some(Api::OpenAi)), (100, 40));
        assert_eq!(used(100, 40, Some(Api::Anthropic)), (140, 40));
        assert_eq!(used(100, 400, None), (500, 400), "more than all cannot be among them");
    }

    #[test]
    fn content_is_kept_only_where_it_is_wanted() {
        let question =
            LlmRequest { system: "s".to_owned(), messages: vec![LlmMessage::user("u")], ..LlmRequest::default() };
        assert!(Requests::default().begin(&question).content.is_none());
        let kept = Requests::new(true).begin(&question).content.unwrap();
        assert_eq!((kept.system.as_str(), kept.messages[0].text.as_str(), kept.text), ("s", "u", None));
    }
}
