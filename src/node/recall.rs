//! Recall for JavaScript: an index that grows with conversations, and is searched off the main thread.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use napi::{
    bindgen_prelude::{ClassInstance, FnArgs},
    threadsafe_function::ThreadsafeFunctionCallMode,
};
use napi_derive::napi;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    callback::JsCallback,
    json::Json,
    messages::MessageParts,
    threads,
    thrown::{Result, settings, system_limit},
};
use crate::{
    conversation::surrogates::{enter_text, leave},
    recall::{self, LineRange, ReadOptions, RecallIndex as Index, SearchOptions, Within},
    transcript::ToolTable,
};

/// Called with the result as JSON.
type Done = JsCallback<FnArgs<(Json,)>>;

/// Searchable conversations. Calls on one index must be made one after the other, because threads may run them in any
/// order.
#[napi]
pub struct RecallIndex {
    index: Arc<Mutex<Index>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SearchSettings {
    max_tokens: Option<usize>,
    within: Option<Vec<u32>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ReadSettings {
    first: usize,
    skip: usize,
    last: Option<usize>,
    max_tokens: Option<usize>,
    within: Option<Vec<u32>>,
}

#[napi]
impl RecallIndex {
    /// Creates an empty index.
    #[napi(constructor, catch_unwind)]
    #[allow(clippy::new_without_default, reason = "napi's constructor")]
    pub fn new() -> Self {
        Self { index: Arc::new(Mutex::new(Index::new(ToolTable::default()))) }
    }

    /// Begins a conversation with this name. Returns its number.
    #[napi(catch_unwind)]
    pub fn begin(&self, name: String) -> u32 {
        lock(&self.index).begin(&enter_text(&name))
    }

    /// Adds messages to a conversation. The first `again` of them were passed before. `done` receives `{ open,
    /// entries }` or `{ error }`.
    #[napi(catch_unwind)]
    pub fn append(
        &self,
        conversation: u32,
        mut messages: ClassInstance<'_, MessageParts>,
        again: u32,
        label: String,
        done: Done,
    ) -> Result<()> {
        let (reader, room) = messages.take()?;
        let index = Arc::clone(&self.index);
        run(done, move || {
            let _room = room;
            let read = match reader.finish() {
                Ok(read) => read,
                Err(error) => return told(&json!({ "error": error.to_string() })),
            };
            let appended = lock(&index).append(conversation, &read, again as usize, &enter_text(&label));
            told(&json!({ "open": appended.open, "entries": appended.entries }))
        })
    }

    /// Searches. `done` receives the hits.
    #[napi(catch_unwind)]
    pub fn search(&self, query: String, options: String, done: Done) -> Result<()> {
        let SearchSettings { max_tokens, within } = settings(&options)?;
        let max_tokens = max_tokens.unwrap_or(recall::MAX_TOKENS as usize);
        let options = SearchOptions { max_tokens, within: Within(within) };
        let index = Arc::clone(&self.index);
        run(done, move || told(&lock(&index).search(&enter_text(&query), &options)))
    }

    /// Reads lines of an entry. `done` receives them, or `null` if there is no such key.
    #[napi(catch_unwind)]
    pub fn read(&self, key: String, options: String, done: Done) -> Result<()> {
        let ReadSettings { first, skip, last, max_tokens, within } = settings(&options)?;
        let max_tokens = max_tokens.unwrap_or(recall::MAX_READ_TOKENS as usize);
        let options = ReadOptions { lines: LineRange { first, skip, last }, max_tokens, within: Within(within) };
        let index = Arc::clone(&self.index);
        run(done, move || told(&lock(&index).read(&key, &options)))
    }
}

fn lock(index: &Mutex<Index>) -> MutexGuard<'_, Index> {
    index.lock().unwrap_or_else(PoisonError::into_inner)
}

fn told(value: &impl Serialize) -> String {
    serde_json::to_string(value).map(leave).unwrap_or_default()
}

/// Runs work off the main thread. A panic is reported as an error, so that the caller does not wait forever.
fn run(done: Done, work: impl FnOnce() -> String + Send + 'static) -> Result<()> {
    let work = async move {
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
        let json = caught.unwrap_or_else(|_| json!({ "error": "recall failed inside the addon" }).to_string());
        done.call((Json::new(json),).into(), ThreadsafeFunctionCallMode::NonBlocking);
    };
    threads::spawn(work).map_err(system_limit)
}
