//! Counts tokens, checks messages, and expands pointers, for JavaScript.

use std::panic::catch_unwind;

use napi::{JsString, bindgen_prelude::Either, threadsafe_function::ThreadsafeFunctionCallMode};
use napi_derive::napi;

use super::{
    callback::JsCallback,
    memory::Room,
    messages::{Messages, format_of},
    threads,
    thrown::{Result, system_limit, thrown, unreadable, wrong_tokens},
};
use crate::{
    cancel::Cancel,
    conversation::problems,
    diff::{self, DiffLimits},
    formats::{Messages as Read, Projection},
    restore::{Expanded, expand},
    tokens::{Calibration, Encoding, ScaleSetting, Tally, count, is_loaded, warm_up},
};

fn parse(messages: &JsString<'_>, format: Option<String>) -> Result<(Read, Room)> {
    let format = format_of(format)?;
    Messages::copy(messages)?.parse(format).map_err(|error| thrown("invalid_messages", error))
}

fn as_u32(tokens: usize) -> u32 {
    u32::try_from(tokens).unwrap_or(u32::MAX)
}

/// Returns the tokens of a text, unscaled.
#[napi(catch_unwind)]
pub fn count_text(text: String, encoding: String) -> Result<u32> {
    Ok(as_u32(count(&text, encoding.parse().map_err(wrong_tokens)?).tokens))
}

/// Returns the tokens of each message in a JSON array, unscaled.
#[napi(catch_unwind)]
pub fn count_messages(messages: JsString<'_>, encoding: String, format: Option<String>) -> Result<Vec<u32>> {
    let (read, _room) = parse(&messages, format)?;
    let conversation = read.each();
    let encoding = encoding.parse().map_err(wrong_tokens)?;
    let tally = Tally::count(&conversation, encoding, &Cancel::new()).map_err(|error| thrown("aborted", error))?;
    Ok((0..conversation.len()).map(|index| as_u32(tally.message(index))).collect())
}

/// Scales tokens by a number or a model family's name, rounding up.
#[napi(catch_unwind)]
pub fn scale_tokens(tokens: f64, scale: Either<f64, String>) -> Result<f64> {
    let setting = match scale {
        Either::A(factor) => ScaleSetting::number(factor),
        Either::B(name) => name.parse(),
    };
    let setting = setting.map_err(wrong_tokens)?;
    let scaled = setting.resolve(&Calibration::new(), None).apply(tokens as usize) as f64;
    Ok(scaled)
}

/// Loads an encoding off the main thread. `done` is called when it is loaded or loading has failed; counting then
/// reports the error.
#[napi(catch_unwind)]
pub fn load_encoding(encoding: String, done: JsCallback<()>) -> Result<()> {
    let encoding: Encoding = encoding.parse().map_err(wrong_tokens)?;
    let room = Room::for_messages(0).map_err(system_limit)?;
    let load = async move {
        if !is_loaded(encoding) {
            // A panic must not leave the caller waiting forever.
            drop(catch_unwind(|| warm_up(encoding)));
        }
        drop(room);
        done.call((), ThreadsafeFunctionCallMode::NonBlocking);
    };
    threads::spawn(load).map_err(system_limit)
}

/// Returns the edits that replace the pointers in a JSON array of messages by their lines, and the pointers that do
/// not resolve, as JSON.
#[napi(catch_unwind)]
pub fn expand_pointers(messages: JsString<'_>, format: Option<String>) -> Result<String> {
    let (read, _room) = parse(&messages, format)?;
    let conversation = read.conversation();
    let Expanded { plan, mut unresolved } = expand(conversation);
    let edits = match read.projection() {
        None => serde_json::to_value(plan),
        Some(projection) => {
            for row in &mut unresolved {
                let (message, element) = projection.place(row.message_index, row.block_index);
                (row.message_index, row.block_index) = (message, element.unwrap_or(0));
            }
            let carried = projection.carried(&plan).map_err(|error| thrown("internal_error", error))?;
            serde_json::to_value(carried.edits)
        }
    };
    let edits = edits.map_err(unreadable)?;
    conversation.export(&serde_json::json!({ "edits": edits, "unresolved": unresolved })).map_err(unreadable)
}

/// Converts messages of a format to our own format, as JSON: joined as providers read them, or each separately.
#[napi(catch_unwind)]
pub fn project_messages(messages: JsString<'_>, format: Option<String>, is_each: bool) -> Result<String> {
    let (read, _room) = parse(&messages, format)?;
    let conversation = if is_each { read.each() } else { read.conversation().clone() };
    conversation.export(&conversation).map_err(unreadable)
}

/// Returns the differences between two messages, text by text, as JSON; `null` represents a missing message.
#[napi(catch_unwind)]
pub fn message_diff(
    pair: JsString<'_>,
    context: u32,
    lines: u32,
    characters: u32,
    format: Option<String>,
) -> Result<String> {
    let (read, _room) = parse(&pair, format)?;
    let conversation = read.each();
    let limits = DiffLimits { context: context as usize, lines: lines as usize, characters: characters as usize };
    let message = |at: usize| (at < conversation.len()).then(|| conversation.message(at));
    conversation.export(&diff::message_diff(message(0), message(1), limits)).map_err(unreadable)
}

/// Lists the problems of a JSON array of messages, as JSON.
#[napi(catch_unwind)]
pub fn find_problems(messages: JsString<'_>, format: Option<String>) -> Result<String> {
    let (read, _room) = parse(&messages, format)?;
    let conversation = read.conversation();
    let found = read.projection().map_or_else(|| problems(conversation), Projection::problems);
    conversation.export(&found).map_err(unreadable)
}
