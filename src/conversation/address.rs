//! The address of a text in its message, and its kind.

use std::sync::Arc;

use serde::Serialize;

use super::json_text::PathStep;

/// The kind of a text. Each kind can be condensed differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum ContentKind {
    /// The user's or the assistant's words.
    MessageText,
    /// The parameters of a tool call.
    ToolParameters,
    /// The output of a tool.
    ToolResults,
}

/// The address of a text in its message.
#[derive(Debug, Clone)]
pub(super) struct Address {
    pub block: usize,
    pub path: Arc<[PathStep]>,
    pub kind: ContentKind,
    pub place: Place,
}

/// The place of a text in its block.
#[derive(Debug, Clone, Copy)]
pub(super) enum Place {
    /// The block's own text, or the content of a result.
    Whole,
    /// A block in the content of a result.
    Inner(usize),
    /// A parameter, by its number among the texts.
    Input(usize),
}
