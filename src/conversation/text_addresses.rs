//! Lists every text that a model reads in a message, with its address and kind.
//!
//! [`super::Edit::set_text`] puts a text back at its address, and everything around it stays.

use std::collections::HashMap;

use serde::Serialize;

use super::{Block, Content, Message, PathStep};

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

/// A text of a message.
#[derive(Debug, Clone)]
pub struct TextAt<'a> {
    /// The index of its block; 0 if the content is a string.
    pub block: usize,
    /// The path from the message to the string.
    pub path: Vec<PathStep>,
    /// The kind of its content.
    pub kind: ContentKind,
    /// The text.
    pub text: &'a str,
}

impl Message {
    /// Returns every text in this message, in order: the content string or text blocks, strings inside tool
    /// parameters, and the text of tool results. Thinking is not listed, because it is signed and must not change.
    #[must_use]
    pub fn texts(&self) -> Vec<TextAt<'_>> {
        let content = PathStep::from("content");
        match &self.content {
            Content::Text(text) => {
                vec![TextAt { block: 0, path: vec![content], kind: ContentKind::MessageText, text }]
            }
            Content::Blocks(blocks) => blocks
                .iter()
                .enumerate()
                .flat_map(|(index, block)| {
                    let path = vec![content.clone(), PathStep::Index(index)];
                    block.texts(index, &path)
                })
                .collect(),
            Content::Other(_) | Content::Missing => Vec::new(),
        }
    }
}

impl Message {
    /// Returns the approximate number of bytes of its texts.
    #[must_use]
    pub fn bytes(&self) -> usize {
        match &self.content {
            Content::Text(text) => text.len(),
            content => content.blocks().iter().map(Block::bytes).sum(),
        }
    }

    /// Returns the texts of this message by their path.
    #[must_use]
    pub fn texts_by_path(&self) -> HashMap<Vec<PathStep>, &str> {
        self.texts().into_iter().map(|text| (text.path, text.text)).collect()
    }
}

impl Block {
    fn bytes(&self) -> usize {
        match self {
            Self::Text { text, .. } | Self::ToolResult { content: Content::Text(text), .. } => text.len(),
            Self::ToolUse { input, .. } => input.get().len(),
            Self::ToolResult { content, .. } => content.blocks().iter().map(Self::bytes).sum(),
            _ => 0,
        }
    }

    /// Returns the texts in this block, which is the `index`th of its message and has the path `path`.
    #[must_use]
    pub fn texts(&self, index: usize, path: &[PathStep]) -> Vec<TextAt<'_>> {
        let at = |rest: Vec<PathStep>, kind, text| TextAt { block: index, path: [path, &rest].concat(), kind, text };
        match self {
            Self::Text { text, .. } => {
                vec![at(vec!["text".into()], ContentKind::MessageText, text.as_str())]
            }
            Self::ToolUse { input, .. } => input
                .texts()
                .iter()
                .map(|text| {
                    let path = [path, &["input".into()], &text.path].concat();
                    TextAt { block: index, path, kind: ContentKind::ToolParameters, text: &text.text }
                })
                .collect(),
            Self::ToolResult { content: Content::Text(text), .. } => {
                vec![at(vec!["content".into()], ContentKind::ToolResults, text.as_str())]
            }
            Self::ToolResult { content: Content::Blocks(blocks), .. } => blocks
                .iter()
                .enumerate()
                .filter_map(|(inner, block)| match block {
                    Self::Text { text, .. } => Some(at(
                        vec!["content".into(), inner.into(), "text".into()],
                        ContentKind::ToolResults,
                        text.as_str(),
                    )),
                    _ => None,
                })
                .collect(),
            _ => Vec::new(),
        }
    }
}
