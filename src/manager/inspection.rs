//! Reports the composition of a conversation, and how much of its model's context window it fills.

use serde::Serialize;
use serde_json::Value;

use super::{
    Manager,
    manager_options::{ContextFields, InspectFields, read_call},
    trigger::{ContextUsage, TriggerDecision},
};
use crate::{
    cancel::{Cancel, Cancelled},
    conversation::Conversation,
    inspect::{self, Anatomy, Inspected},
    options::ConfigError,
    tokens::{Tally, count_inside},
};

/// The options of an inspection.
#[derive(Debug, Clone)]
pub struct InspectOptions {
    context: ContextFields,
    options: InspectFields,
}

impl InspectOptions {
    /// Reads the options of an inspection from `context` (its fields other than the messages, `tools` as JSON text) and
    /// `options`. Null means all defaults.
    ///
    /// # Errors
    /// All invalid fields, and all unknown fields of `options`.
    pub fn read(context: &Value, options: &Value) -> Result<Self, Vec<ConfigError>> {
        let of_argument =
            |fault: ConfigError| if fault.path.starts_with("options") { fault.of_argument() } else { fault };
        let (context, options) = read_call::<InspectFields>(context, options)
            .map_err(|faults| faults.into_iter().map(of_argument).collect::<Vec<_>>())?;
        Ok(Self { context, options })
    }
}

/// The contents of a conversation. Parts are scaled one by one, so they may differ from their sum by rounding,
/// except with `scale` 1.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "InspectedConversation"))]
#[serde(rename_all = "camelCase")]
pub struct Inspection {
    /// The encoding counted with.
    #[cfg_attr(test, ts(type = "Encoding"))]
    pub encoding: &'static str,
    /// The factor from its tokens to those reported.
    pub scale: f64,
    /// Whether some text was too uniform to be counted exactly.
    pub approximate: bool,
    /// Sums.
    pub tokens: Sums,
    /// The messages.
    #[serde(flatten)]
    pub anatomy: Anatomy,
    /// `null` without `contextWindow`.
    pub window: Option<Window>,
    /// `null` without `targetTokens`.
    pub target: Option<Line>,
}

/// Tokens of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "InspectedTokens"))]
pub struct Sums {
    /// All of it.
    pub total: usize,
    /// The system prompt.
    pub system: usize,
    /// The definitions of tools.
    pub tools: usize,
    /// The messages.
    pub messages: usize,
}

/// The position of a conversation in the model's context window.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "InspectedWindow"))]
#[serde(rename_all = "camelCase")]
pub struct Window {
    /// All tokens that the model can read and write.
    pub context_window: f64,
    /// Whether a condensation is due, and the numbers by which that is decided.
    #[serde(flatten)]
    pub decision: TriggerDecision,
    /// Where a condensation becomes due.
    pub at_threshold: Line,
    /// Where the next response may no longer fit (`allowedTokens`).
    pub at_limit: Line,
    /// The end of the window.
    pub at_end: Line,
}

/// A number of tokens, and the message at which the conversation exceeds it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "TokenLine"))]
#[serde(rename_all = "camelCase")]
pub struct Line {
    /// The number of tokens.
    pub tokens: f64,
    /// Index of that message; `null` if there is none.
    pub message_index: Option<usize>,
}

impl Manager {
    /// Reports the composition of a conversation, and how much of its model's context window it fills. Changes nothing.
    pub fn inspect(
        &self,
        conversation: &Conversation,
        InspectOptions { context, options }: &InspectOptions,
        cancel: &Cancel,
    ) -> Result<Inspection, Cancelled> {
        let encoding = self.options.encoding;
        let scale = self.scale();
        let tally = Tally::count(conversation, encoding, cancel)?;
        let count = |text: &Option<String>| text.as_ref().map_or(0, |text| count_inside(text, encoding).tokens);
        let (system, tools) = (count(&context.system_prompt), count(&context.tools));
        let inspected =
            Inspected { conversation, tally: &tally, tools: &self.options.tools, scale, most: options.largest };
        let anatomy = inspect::inspect(&inspected, cancel)?;
        let total = scale.apply(system + tools + tally.total());
        // Scaled local counts are used within the messages. The difference to the API's count is assumed to be before
        // the first message.
        let last = conversation.len().checked_sub(1).map_or(0, |last| scale.apply(tally.message(last)));
        let reported = context.total_tokens.map(|reported| reported + last as f64).or(context.token_count);
        let used = reported.unwrap_or(total as f64);
        let before = used - scale.apply(tally.total()) as f64;
        let line = |tokens: f64| Line { tokens, message_index: reached(&anatomy, before, tokens) };
        let window = context.context_window.map(|context_window| {
            let decision = self.should_condense(&ContextUsage {
                total_tokens: used,
                last_message_tokens: 0.0,
                context_window,
                max_tokens: context.max_tokens,
                profile_id: context.profile_id.clone(),
            });
            Window {
                context_window,
                at_threshold: line((context_window * decision.threshold / 100.0).round()),
                at_limit: line(decision.allowed_tokens.max(0.0).round()),
                at_end: line(context_window),
                decision,
            }
        });
        Ok(Inspection {
            encoding: encoding.name(),
            scale: scale.factor(),
            approximate: tally.is_approximate(),
            tokens: Sums {
                total,
                system: scale.apply(system),
                tools: scale.apply(tools),
                messages: scale.apply(tally.total()),
            },
            window,
            target: options.target_tokens.map(|tokens| line(tokens as f64)),
            anatomy,
        })
    }
}

/// Returns the index of the message at which a conversation exceeds `tokens`, if `before` tokens precede the first
/// message.
fn reached(anatomy: &Anatomy, before: f64, tokens: f64) -> Option<usize> {
    let mut sum = before;
    anatomy.messages.iter().position(|message| {
        sum += message.tokens as f64;
        sum >= tokens
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::manager::ManagerOptions;

    #[test]
    fn lines_lie_where_the_sum_reaches_them() {
        let manager = Manager::new(ManagerOptions::read(&json!({ "autoCondenseContextPercent": 50 })).unwrap());
        let text = "word ".repeat(100);
        let messages: Vec<_> = (0..10).map(|_| json!({ "role": "user", "content": text.trim_end() })).collect();
        let conversation = Conversation::parse(&json!(messages).to_string()).unwrap();
        let context = json!({ "contextWindow": 1600, "maxTokens": 440, "tools": "[1]" });
        let options = InspectOptions::read(&context, &json!({ "targetTokens": 5000 })).unwrap();
        let found = manager.inspect(&conversation, &options, &Cancel::new()).unwrap();
        assert_eq!(found.tokens, Sums { total: 1003, system: 0, tools: 3, messages: 1000 });
        let window = found.window.unwrap();
        assert_eq!(window.at_threshold, Line { tokens: 800.0, message_index: Some(7) });
        assert_eq!(window.at_limit, Line { tokens: 1000.0, message_index: Some(9) });
        assert_eq!(window.at_end, Line { tokens: 1600.0, message_index: None });
        assert_eq!((window.decision.due, found.target.unwrap().message_index), (true, None));
        let reported =
            InspectOptions::read(&json!({ "contextWindow": 1600, "totalTokens": 1500 }), &json!({})).unwrap();
        let window = manager.inspect(&conversation, &reported, &Cancel::new()).unwrap().window.unwrap();
        assert_eq!((window.decision.prev_context_tokens, window.at_end.message_index), (1600.0, Some(9)));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let errors = InspectOptions::read(&json!({}), &json!({ "largest": -1, "provider": "x" })).unwrap_err();
        assert_eq!(errors.len(), 2, "{errors:?}");
    }
}
