//! Warnings for the caller about a call that did not fail. A warning is data: nothing searches its message, which is
//! for people.

use std::{
    fmt,
    sync::{Mutex, PoisonError},
};

use serde::{Deserialize, Serialize};

use crate::words::Said;

/// A warning about a call that did not fail.
///
/// @example
/// ```ts
/// import { type Warning } from "roo-condense";
///
/// const shown = (warnings: Warning[]) =>
///   warnings.filter(({ code }) => code !== "target_not_met").map(({ code, message }) => `${code}: ${message}`);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Warning {
    /// The code; custom providers may use codes of their own.
    #[cfg_attr(test, ts(type = "WarningCode | (string & {})"))]
    pub code: WarningCode,
    /// The message for people, without the code.
    pub message: String,
    /// The message as a code and values, for translations; absent if a custom provider wrote the message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<Said>,
    /// Index in the input messages of the message concerned; the first of several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_index: Option<usize>,
    /// The code of the error that caused it, where a provider, a pass or a summary failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_code: Option<String>,
    /// The option concerned, as a path such as `profileThresholds.fast`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
}

/// The kind of a [`Warning`]. In JSON the names are in snake case; any other is a custom provider's own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum WarningCode {
    /// The content that has to stay exceeds the target.
    TargetNotMet,
    /// A provider failed; the call went on with what the others did.
    ProviderFailed,
    /// The fallback or a strategy names a provider that is not registered; the others are tried.
    UnknownProvider,
    /// A profile's own threshold is not valid; the global one applies.
    InvalidThreshold,
    /// A handler is not valid and was skipped.
    HandlerInvalid,
    /// A profile has no handler; another one writes its summaries.
    HandlerMissing,
    /// A pass or a strategy needs a model, and there is no handler.
    NoHandler,
    /// A pass failed and was skipped.
    PassFailed,
    /// A pass of the smart provider has an override for a message that it does not work on.
    OverrideUnused,
    /// A summary of a text failed; the text stays as it was.
    SummaryFailed,
    /// A summary misses required content, or may have to be requested again for that reason.
    SummaryIncomplete,
    /// A prepared condensation was discarded: the conversation's first messages have changed, or its edits no longer fit.
    PreparationStale,
    /// Passes that the caller wrote, or those of the preset `selective`, cost more than one summary of the whole.
    DearSummaries,
    /// The saving would be too small to be worth a change.
    ReductionTooSmall,
    /// A summary was cut off at its maximum length.
    SummaryTruncated,
    /// The model's window is smaller than assumed; the request was repeated with less.
    WindowTooLarge,
    /// The price is unknown, so a cost limit cannot be kept.
    PriceUnknown,
    /// The cost limit is reached, or a provider would exceed it.
    CostLimit,
    /// A condensation cost more than the host's threshold for a warning.
    HighCost,
    /// A summary was paid for, but little was removed.
    LowReduction,
    /// A custom provider left out messages that others need; they stay.
    PairsCompleted,
    /// Protection rules match nothing in the conversation.
    ProtectUnmatched,
    /// Signed thinking follows a change, and the service may refuse it.
    ThinkingAfterChange,
    /// Overwritten writes stay, because a later command may have restored their content.
    WritesKept,
    /// The store for summaries failed and was not used.
    CacheFailed,
    /// The handler's own count failed; totals are counted locally.
    CountTokensFailed,
    /// The preferences of a user could not be looked up; the default is used.
    LookUpFailed,
    /// A custom provider returned a text as a warning.
    ProviderWarning,
    /// A custom provider returned a warning with its own code.
    #[serde(untagged)]
    Own(String),
}

impl Warning {
    /// Creates a warning.
    pub fn new(code: WarningCode, said: Said) -> Self {
        Self { code, message: said.to_string(), said: Some(said), message_index: None, error_code: None, field: None }
    }

    /// Sets the option that the warning concerns.
    pub fn about(self, field: impl Into<String>) -> Self {
        Self { field: Some(field.into()), ..self }
    }

    /// Sets the code of the error that the warning reports.
    pub fn caused_by(self, error_code: impl Into<String>) -> Self {
        Self { error_code: Some(error_code.into()), ..self }
    }

    /// Returns true if it reports an error, unless that error says that a request was not sent, for lack of money or of a
    /// handler.
    pub fn tells_of_request(&self) -> bool {
        self.error_code
            .as_deref()
            .is_some_and(|code| !matches!(code, "cost_limit" | "price_unknown" | "handler_invalid"))
    }

    /// Sets the index of the message in the call's input, if the warning concerns one.
    pub fn at(self, message_index: Option<usize>) -> Self {
        Self { message_index, ..self }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.code.serialize(&mut *formatter)?;
        write!(formatter, ": {}", self.message)
    }
}

/// Collects warnings from concurrent work, without duplicates.
#[derive(Debug, Default)]
pub struct Warnings(Mutex<Vec<Warning>>);

impl Warnings {
    /// Adds a warning, unless it was already added.
    pub fn add(&self, warning: Warning) {
        let mut warnings = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !warnings.contains(&warning) {
            warnings.push(warning);
        }
    }

    /// Adds several warnings.
    pub fn extend(&self, warnings: impl IntoIterator<Item = Warning>) {
        warnings.into_iter().for_each(|warning| self.add(warning));
    }

    /// Returns the warnings added since the last call.
    pub fn take(&self) -> Vec<Warning> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::words::said;

    #[test]
    fn as_json_it_holds_what_is_known() {
        let said = said!("warning.handlerMissing", profile: "low");
        let warning = Warning::new(WarningCode::HandlerMissing, said).about("profiles.low.handler");
        let message = "profile \"low\" has no handler; the condensing handler of the call is used instead";
        let json = json!({
            "code": "handler_missing", "message": message, "field": "profiles.low.handler",
            "said": { "code": "warning.handlerMissing", "values": { "profile": "low" } },
        });
        assert_eq!(serde_json::to_value(&warning).unwrap(), json);
        assert_eq!(serde_json::from_value::<Warning>(json).unwrap(), warning);
        assert_eq!(warning.to_string(), format!("handler_missing: {message}"));
        let own = json!({ "code": "too_hot", "message": "wait", "messageIndex": 3 });
        let read: Warning = serde_json::from_value(own.clone()).unwrap();
        assert_eq!((read.code.clone(), read.said.clone()), (WarningCode::Own("too_hot".into()), None));
        assert_eq!(serde_json::to_value(&read).unwrap(), own);
    }

    #[test]
    fn each_thing_is_told_once() {
        let warnings = Warnings::default();
        let warning = Warning::new(WarningCode::NoHandler, said!("warning.noHandler", pass: "a", instead: "skipped"));
        warnings.extend([warning.clone(), warning.clone(), warning.clone().at(Some(1))]);
        assert_eq!(warnings.take(), [warning.clone(), warning.at(Some(1))]);
        assert_eq!(warnings.take(), []);
    }
}
