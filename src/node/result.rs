//! One new tool result, shortened off the main thread.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use napi::{
    JsString,
    bindgen_prelude::{ClassInstance, FnArgs},
    threadsafe_function::ThreadsafeFunctionCallMode,
};
use napi_derive::napi;
use serde_json::json;

use super::{
    callback::JsCallback,
    json::Json,
    memory::Room,
    messages::{MessageParts, units_of},
    threads,
    thrown::{Result, settings, system_limit, wrong_config},
};
use crate::{
    conversation::{
        Block, Conversation, Edit,
        surrogates::{enter_text, leave},
    },
    formats::Messages,
    options::Options,
    result::{
        IncomingText, ResultOptions, ResultSettings, condense_result, digest, whole_result, with_call, with_text,
    },
    tokens::Encoding,
    transcript::ToolTable,
};

/// The text of a result, copied in parts, so that it is never held as JSON or in UTF-16.
#[napi]
pub struct ResultText {
    /// Emptied by the call that shortens it.
    text: Arc<Mutex<IncomingText>>,
    /// Held as long as the text.
    room: Option<Room>,
}

#[napi]
impl ResultText {
    /// Asks for the memory of a text of about this length.
    #[napi(constructor, catch_unwind)]
    pub fn new(length: u32) -> Result<Self> {
        let length = length as usize;
        let room = Room::for_messages(length).map_err(system_limit)?;
        Ok(Self { text: Mutex::new(IncomingText::new(length)).into(), room: Some(room) })
    }

    /// Adds a part that ends within no surrogate pair.
    #[napi(catch_unwind)]
    pub fn add(&mut self, part: JsString<'_>) -> Result<()> {
        locked(&self.text).add_units(&units_of(&part)?);
        Ok(())
    }

    /// Adds bytes of UTF-8.
    #[napi(catch_unwind)]
    pub fn add_bytes(&mut self, bytes: &[u8]) {
        locked(&self.text).add_bytes(bytes);
    }
}

fn locked(text: &Mutex<IncomingText>) -> MutexGuard<'_, IncomingText> {
    text.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Gives `done` the SHA-256 of a text, in hexadecimal digits.
#[napi(catch_unwind)]
pub fn text_digest(text: ClassInstance<'_, ResultText>, done: JsCallback<FnArgs<(String,)>>) -> Result<()> {
    let text = Arc::clone(&text.text);
    let work = async move {
        let digest = locked(&text).digest();
        done.call((digest,).into(), ThreadsafeFunctionCallMode::NonBlocking);
    };
    threads::spawn(work).map_err(system_limit)
}

/// Joins all texts of the tool results in the last message. Calls `done` with the joined text and its SHA-256 as
/// `{ whole, digest }`, or with `{ error }`.
#[napi(catch_unwind)]
pub fn whole_of_result(mut messages: ClassInstance<'_, MessageParts>, done: JsCallback<FnArgs<(Json,)>>) -> Result<()> {
    let (reader, room) = messages.take()?;
    let work = async move {
        let _room = room;
        let read = reader.finish().map(|read| whole_result(read.conversation(), is_newest(&read)));
        let json = match read {
            Ok(whole) => leave(json!({ "digest": digest(&whole), "whole": whole }).to_string()),
            Err(error) => json!({ "error": error.to_string() }).to_string(),
        };
        done.call((Json::new(json),).into(), ThreadsafeFunctionCallMode::NonBlocking);
    };
    threads::spawn(work).map_err(system_limit)
}

/// Returns a function that is true for blocks of the last message that come from the caller's newest message. In some
/// formats, several of the caller's messages are joined to one, and the earlier ones are not new.
fn is_newest(read: &Messages) -> impl Fn(usize) -> bool {
    let last = read.conversation().len().saturating_sub(1);
    let newest = read.projection().map(|projection| (projection, projection.messages().len().saturating_sub(1)));
    move |block| newest.is_none_or(|(projection, newest)| projection.place(last, block).0 == newest)
}

/// Shortens the tool results in the last message. `whole` says how to get the whole result. `text` is the text of the
/// result, which is absent from the message itself. Calls `done` with a report of the edits, which is null if the last
/// message contains no result, or with `{ error }`.
#[napi(catch_unwind)]
pub fn condense_result_message(
    mut messages: ClassInstance<'_, MessageParts>,
    options: String,
    whole: Option<String>,
    text: Option<ClassInstance<'_, ResultText>>,
    done: JsCallback<FnArgs<(Json,)>>,
) -> Result<()> {
    let options = ResultOptions::read(&settings(&options)?).map_err(wrong_config)?;
    let encoding: Encoding = options.encoding.parse().unwrap_or_default();
    let given = Given { options, encoding, whole: whole.as_deref().map(|whole| enter_text(whole).into_owned()) };
    let (reader, room) = messages.take()?;
    let text = text.map(|mut text| (Arc::clone(&text.text), text.room.take()));
    let work = async move {
        let work = move || {
            let _room = room;
            let read = reader.finish().map_err(|error| error.to_string())?;
            let Some((text, _room)) = text else { return shortened(&read, read.conversation(), &given) };
            let text = locked(&text).take();
            shortened(&read, &with_text(read.conversation(), text), &given)
        };
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
        let answer = caught.unwrap_or_else(|_| Err("shortening the result failed inside the addon".to_owned()));
        let json = answer.unwrap_or_else(|error| json!({ "error": error }).to_string());
        done.call((Json::new(json),).into(), ThreadsafeFunctionCallMode::NonBlocking);
    };
    threads::spawn(work).map_err(system_limit)
}

/// How to shorten a result.
struct Given {
    options: ResultOptions,
    encoding: Encoding,
    whole: Option<String>,
}

fn shortened(
    read: &Messages,
    own: &Conversation,
    Given { options, encoding, whole }: &Given,
) -> std::result::Result<String, String> {
    let (budget, exit_code) = (options.budget, options.exit_code);
    let settings = ResultSettings { budget, exit_code, whole: whole.as_deref(), encoding: *encoding };
    let (conversation, is_added) = with_call(own, options.call.as_ref());
    let is_result = |block: &Block| matches!(block, Block::ToolResult { .. });
    if !own.messages().last().is_some_and(|message| message.content.blocks().iter().any(is_result)) {
        return Ok(json!({ "edits": [], "report": null }).to_string());
    }
    let mut short = condense_result(&conversation, &ToolTable::default(), &settings, is_newest(read));
    for edit in &mut short.plan.edits {
        if let Edit::Set { message, .. } = edit {
            *message -= usize::from(is_added);
        }
    }
    let edits = match read.projection() {
        None => serde_json::to_value(&short.plan.edits),
        Some(projection) => {
            let carried = projection.carried(&short.plan).map_err(|error| error.to_string())?;
            serde_json::to_value(carried.edits)
        }
    };
    let answer = edits.map(|edits| json!({ "edits": edits, "report": short }).to_string());
    answer.map(leave).map_err(|error| error.to_string())
}
