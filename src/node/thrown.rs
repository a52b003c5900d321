//! Errors that are thrown: wrong arguments and wrong configuration.

use std::io;

use napi::Status;
use serde::{Serialize, de::DeserializeOwned};

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

/// An error of this code.
pub fn thrown(code: &'static str, message: impl ToString) -> napi::Error<Code> {
    thrown_about(code, None, message)
}

/// An error of this code, about this field.
fn thrown_about(code: &'static str, field: Option<&str>, message: impl ToString) -> napi::Error<Code> {
    let code = field.map_or_else(|| code.to_owned(), |field| format!("{code} {}", surrogates::leave_text(field)));
    napi::Error::new(Code(code), surrogates::leave_text(&message.to_string()).into_owned())
}

/// All that is wrong with a configuration, as one error.
pub fn wrong_config(errors: Vec<ConfigError>) -> napi::Error<Code> {
    failed(CondenseError::from(errors))
}

/// A wrong setting of the token counter.
pub fn wrong_tokens(error: TokensError) -> napi::Error<Code> {
    thrown_about(error.code(), Some(error.field()), error)
}

/// A failure of an operation that JavaScript waits for at once.
pub fn failed(error: CondenseError) -> napi::Error<Code> {
    thrown_about(error.code(), error.field(), &error)
}

/// Creates the error for a resource that the operating system denied.
pub fn system_limit(error: io::Error) -> napi::Error<Code> {
    let message =
        format!("the operating system denied a resource: {error}; raise the limits of this process (`ulimit -a`)");
    thrown("system_limit", message)
}

/// JSON that is not what was promised: the JavaScript side writes it, so this is a fault of ours.
pub fn unreadable(error: serde_json::Error) -> napi::Error<Code> {
    thrown("internal_error", error)
}

/// Options of JavaScript, which come as JSON: their texts meet those of the conversation, so they are taken in like them.
pub fn settings<T: DeserializeOwned>(json: &str) -> Result<T> {
    serde_json::from_str(&surrogates::enter(json)).map_err(unreadable)
}

/// JSON for JavaScript of what holds texts of options or of the conversation.
pub fn told(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map(surrogates::leave).map_err(unreadable)
}
