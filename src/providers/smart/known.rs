//! Summaries of texts that a call has already, for other configurations that are tried on the same conversation: no text is paid for twice.

use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash, Hasher},
    sync::{Mutex, PoisonError},
};

use crate::{
    conversation::ContentKind,
    summaries::{SourceText, WrittenSummary},
};

/// Summaries by what they are of.
#[derive(Default)]
pub(super) struct KnownSummaries(Mutex<HashMap<Key, (usize, WrittenSummary)>>);

/// The text by its hash and length, and what is asked of it but how long the summary may be.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    hash: u64,
    length: usize,
    kind: ContentKind,
    prompt: Option<String>,
    profile: Option<String>,
}

impl Key {
    fn of(text: &SourceText<'_>) -> Self {
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
    /// Whether there is a summary that is no longer than the text wants it.
    pub fn has(&self, text: &SourceText<'_>) -> bool {
        self.get(text).is_some()
    }

    /// That summary.
    pub fn get(&self, text: &SourceText<'_>) -> Option<WrittenSummary> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(&Key::of(text)).filter(|(most, _)| *most <= text.max_tokens).map(|(_, summary)| summary.clone())
    }

    /// Keeps one that was written.
    pub fn keep(&self, text: &SourceText<'_>, summary: WrittenSummary) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(Key::of(text), (text.max_tokens, summary));
    }
}
