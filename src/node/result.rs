//! One new tool result, shortened off the main thread.

use napi::{
    bindgen_prelude::{ClassInstance, FnArgs},
    threadsafe_function::ThreadsafeFunctionCallMode,
};
use napi_derive::napi;
use serde::Deserialize;
use serde_json::json;

use super::{
    callback::JsCallback,
    json::Json,
    messages::MessageParts,
    threads,
    thrown::{Result, settings, system_limit, wrong_tokens},
};
use crate::{
    conversation::{
        Edit,
        surrogates::{enter_text, leave},
    },
    formats::Messages,
    result::{CallGiven, ResultSettings, condense_result, with_call},
    tokens::Encoding,
    transcript::ToolTable,
};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Given {
    budget: usize,
    exit_code: Option<i64>,
    whole: Option<String>,
    encoding: String,
    call: Option<CallGiven>,
}

/// Shortens the tool results in the last of these messages. `done` gets a report with the edits on the messages, or `{ error }`.
#[napi(catch_unwind)]
pub fn condense_result_message(
    mut messages: ClassInstance<'_, MessageParts>,
    options: String,
    done: JsCallback<FnArgs<(Json,)>>,
) -> Result<()> {
    let given: Given = settings(&options)?;
    let encoding: Encoding = given.encoding.parse().map_err(wrong_tokens)?;
    let (reader, room) = messages.take()?;
    let work = async move {
        let work = move || {
            let _room = room;
            reader.finish().map_err(|error| error.to_string()).and_then(|read| shortened(&read, &given, encoding))
        };
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
        let answer = caught.unwrap_or_else(|_| Err("shortening the result failed inside the addon".to_owned()));
        let json = answer.unwrap_or_else(|error| json!({ "error": error }).to_string());
        done.call((Json::new(json),).into(), ThreadsafeFunctionCallMode::NonBlocking);
    };
    threads::spawn(work).map_err(system_limit)
}

fn shortened(read: &Messages, given: &Given, encoding: Encoding) -> std::result::Result<String, String> {
    let whole = given.whole.as_deref().map(enter_text);
    let settings =
        ResultSettings { budget: given.budget, exit_code: given.exit_code, whole: whole.as_deref(), encoding };
    let own = read.conversation();
    let last = own.len().saturating_sub(1);
    let (conversation, is_added) = with_call(own, given.call.as_ref());
    // Messages of some formats are joined: those before the newest are not new.
    let newest = read.projection().map(|projection| (projection, projection.messages().len().saturating_sub(1)));
    let is_new = |block| newest.is_none_or(|(projection, newest)| projection.place(last, block).0 == newest);
    let mut short = condense_result(&conversation, &ToolTable::default(), &settings, is_new);
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
