//! Every text a model reads in a message, with its address and its kind (decomposition).
//!
//! Recomposition is [`super::Edit::set_text`]: a text is put back at the address it was taken from, and everything around it stays.

use std::collections::HashMap;

use serde::Serialize;

use super::{Block, Content, Message, PathStep};

/// The kind of a text. Each of the three can be condensed in its own way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum ContentKind {
    /// Words of the user or the assistant.
    MessageText,
    /// The parameters of a tool call.
    ToolParameters,
    /// The output of a tool.
    ToolResults,
}

/// A text of a message.
#[derive(Debug, Clone)]
pub struct TextAt<'a> {
    /// The block it stands in; 0 when the content is a string.
    pub block: usize,
    /// From the message to the string.
    pub path: Vec<PathStep>,
    /// The kind of its content.
    pub kind: ContentKind,
    /// The text.
    pub text: &'a str,
}

impl Message {
    /// Every text in this message, in order: the content string or text blocks, strings inside tool parameters, and the text of
    /// tool results. Thinking is not listed: it is signed and must not change.
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
    /// About how many bytes its texts have.
    #[must_use]
    pub fn bytes(&self) -> usize {
        match &self.content {
            Content::Text(text) => text.len(),
            content => content.blocks().iter().map(Block::bytes).sum(),
        }
    }

    /// The texts of this message by their path.
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

    /// The texts in this block, which is the `index`th of its message and stands at `path`.
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
