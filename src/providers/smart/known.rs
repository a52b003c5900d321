//! Keeps the summaries that a call already has, so that other configurations tried on the same conversation do not
//! pay for them again.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    sync::{Mutex, PoisonError},
};

use crate::{
    conversation::ContentKind,
    maps::HashMap,
    summaries::{SourceText, WrittenSummary},
};

/// Summaries by text and question.
#[derive(Default)]
pub(super) struct KnownSummaries(Mutex<HashMap<Key, (usize, WrittenSummary)>>);

/// The text, by its hash and length, and the question without the maximum length.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    hash: u64,
    length: usize,
    kind: ContentKind,
    prompt: Option<String>,
    profile: Option<String>,
}

impl Key {
    fn new(text: &SourceText<'_>) -> Self {
        let mut hash = DefaultHasher::new();
        (text.text, text.label).hash(&mut hash);
        Self {
            hash: hash.finish(),
            length: text.text.len(),
            kind: text.kind,
            prompt: text.prompt.map(str::to_owned),
            profile: text.profile.map(str::to_owned),
        }
    }
}

impl KnownSummaries {
    /// Returns true if there is a summary no longer than the text's limit.
    pub fn has(&self, text: &SourceText<'_>) -> bool {
        self.get(text).is_some()
    }

    /// Returns the summary if it is no longer than the text's limit.
    pub fn get(&self, text: &SourceText<'_>) -> Option<WrittenSummary> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(&Key::new(text)).filter(|(most, _)| *most <= text.max_tokens).map(|(_, summary)| summary.clone())
    }

    /// Stores a summary.
    pub fn keep(&self, text: &SourceText<'_>, summary: WrittenSummary) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(Key::new(text), (text.max_tokens, summary));
    }
}
