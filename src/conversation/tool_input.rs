//! The parameters of a tool call: the original JSON, and its texts, which are read once.

use std::{
    ops::{Deref, Range},
    sync::{Arc, OnceLock},
};

use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use super::json_text::{PathStep, string_values, unescape};

/// The parameters of a tool call. Copies share the texts once read.
#[derive(Debug, Clone)]
pub struct ToolInput {
    json: Box<RawValue>,
    texts: Arc<OnceLock<Vec<InputText>>>,
}

/// A text in the parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputText {
    /// The path from the parameters to the string.
    pub path: Vec<PathStep>,
    /// The bytes of the literal in the JSON, quotes included.
    pub literal: Range<usize>,
    /// The string, unescaped.
    pub text: String,
}

impl ToolInput {
    /// Returns the texts in order: see [`string_values`] for which are listed.
    pub fn texts(&self) -> &[InputText] {
        self.texts.get_or_init(|| {
            let json = self.json.get();
            let text = |literal: &Range<usize>| unescape(&json[literal.clone()]);
            string_values(json)
                .into_iter()
                .map(|value| InputText { text: text(&value.literal), path: value.path, literal: value.literal })
                .collect()
        })
    }
}

impl From<Box<RawValue>> for ToolInput {
    fn from(json: Box<RawValue>) -> Self {
        Self { json, texts: Arc::default() }
    }
}

impl Deref for ToolInput {
    type Target = RawValue;

    fn deref(&self) -> &RawValue {
        &self.json
    }
}

impl Serialize for ToolInput {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.json.serialize(serializer)
    }
}
