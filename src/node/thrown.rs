//! Errors that are thrown, for invalid arguments and configurations.

use std::io;

use napi::Status;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::error::Category;

use crate::{conversation::surrogates, options::ConfigError, providers::CondenseError, tokens::TokensError};

/// The code that becomes `error.code` in JavaScript. napi carries a code and a message only, so the field follows the
/// code after a blank; `checked` in js/errors.js takes the two apart.
pub struct Code(String);

impl AsRef<str> for Code {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl From<Status> for Code {
    fn from(_: Status) -> Self {
        Self("invalid_argument".to_owned())
    }
}

/// A result whose error is thrown with a `code`.
pub type Result<T> = std::result::Result<T, napi::Error<Code>>;

/// Creates an error with this code.
pub fn thrown(code: &'static str, message: impl ToString) -> napi::Error<Code> {
    thrown_about(code, None, message)
}

/// Creates an error with this code, about this field.
pub fn thrown_about(code: &'static str, field: Option<&str>, message: impl ToString) -> napi::Error<Code> {
    let code = field.map_or_else(|| code.to_owned(), |field| format!("{code} {}", surrogates::leave_text(field)));
    napi::Error::new(Code(code), surrogates::leave_text(&message.to_string()).into_owned())
}

/// Combines all errors of a configuration into one.
pub fn wrong_config(errors: Vec<ConfigError>) -> napi::Error<Code> {
    failed(CondenseError::from(errors))
}

/// Creates the error for an invalid setting of the token counter.
pub fn wrong_tokens(error: TokensError) -> napi::Error<Code> {
    thrown_about(error.code(), Some(error.field()), error)
}

/// Creates the error of a synchronous operation.
pub fn failed(error: CondenseError) -> napi::Error<Code> {
    thrown_about(error.code(), error.field(), &error)
}

/// Creates the error for a resource that the operating system denied.
pub fn system_limit(error: io::Error) -> napi::Error<Code> {
    let message =
        format!("the operating system denied a resource: {error}; raise the limits of this process (`ulimit -a`)");
    thrown("system_limit", message)
}

/// Creates the error for unreadable JSON from the JavaScript side. V8 wrote the JSON, so it is either nested too
/// deeply, or lacks fields that our JavaScript passes, which would be a bug of ours.
pub fn unreadable(error: serde_json::Error) -> napi::Error<Code> {
    if error.classify() == Category::Syntax {
        return thrown("not_serializable", "a value is nested more than 127 levels deep; options may have 127 at most");
    }
    thrown("internal_error", error)
}

/// Reads options from JSON. Their texts are compared with those of the conversation, so they are converted in the
/// same way.
pub fn settings<T: DeserializeOwned>(json: &str) -> Result<T> {
    serde_json::from_str(&surrogates::enter(json)).map_err(unreadable)
}

/// Writes JSON for JavaScript that contains texts of options or of the conversation.
pub fn told(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map(surrogates::leave).map_err(unreadable)
}
