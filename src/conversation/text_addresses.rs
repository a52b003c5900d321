//! Lists every text that a model reads in a message, with its address and kind.
//!
//! [`super::Edit::set_text`] replaces the text at an address, and leaves everything around it unchanged.

use crate::maps::HashMap;
use std::sync::Arc;

use super::{
    Block, Content, Message, PathStep,
    address::{Address, ContentKind, Place},
};

/// A text of a message.
#[derive(Debug, Clone)]
pub struct TextAt<'a> {
    /// The index of its block; 0 if the content is a string.
    pub block: usize,
    /// The path from the message to the string.
    pub path: Arc<[PathStep]>,
    /// The kind of its content.
    pub kind: ContentKind,
    /// The text.
    pub text: &'a str,
}

impl Message {
    /// Returns every text in this message, in order: the content string or text blocks, strings inside tool
    /// parameters, and the text of tool results. Thinking is not listed, because it is signed and must not change.
    pub fn texts(&self) -> Vec<TextAt<'_>> {
        let addresses = self.remembered.addresses(|| self.addresses());
        addresses.iter().filter_map(|address| Some(address.with(self.text_of(address)?))).collect()
    }

    fn addresses(&self) -> Vec<Address> {
        let content = PathStep::from("content");
        match &self.content {
            Content::Text(_) => {
                let path = [content].into();
                vec![Address { block: 0, path, kind: ContentKind::MessageText, place: Place::Whole }]
            }
            Content::Blocks(blocks) => {
                let all = blocks.iter().enumerate();
                all.flat_map(|(index, block)| block.addresses(index, &[content.clone(), PathStep::Index(index)]))
                    .collect()
            }
            Content::Other(_) | Content::Missing => Vec::new(),
        }
    }

    fn text_of(&self, address: &Address) -> Option<&str> {
        match &self.content {
            Content::Text(text) => Some(text),
            content => content.blocks().get(address.block)?.text_in(address.place),
        }
    }
}

impl Message {
    /// Returns the approximate number of bytes of its texts.
    pub fn bytes(&self) -> usize {
        match &self.content {
            Content::Text(text) => text.len(),
            content => content.blocks().iter().map(Block::bytes).sum(),
        }
    }

    /// Returns the texts of this message by their path.
    pub fn texts_by_path(&self) -> HashMap<Arc<[PathStep]>, &str> {
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

    /// Returns the addresses of the texts in this block, which is the `block`th of its message and has the path `path`.
    fn addresses(&self, block: usize, path: &[PathStep]) -> Vec<Address> {
        let at = |rest: &[PathStep], kind, place| Address { block, path: [path, rest].concat().into(), kind, place };
        match self {
            Self::Text { .. } => vec![at(&["text".into()], ContentKind::MessageText, Place::Whole)],
            Self::ToolUse { input, .. } => {
                let path = |rest: &[PathStep]| [&["input".into()], rest].concat();
                let texts = input.texts().iter().enumerate();
                texts
                    .map(|(number, text)| at(&path(&text.path), ContentKind::ToolParameters, Place::Input(number)))
                    .collect()
            }
            Self::ToolResult { content: Content::Text(_), .. } => {
                vec![at(&["content".into()], ContentKind::ToolResults, Place::Whole)]
            }
            Self::ToolResult { content: Content::Blocks(blocks), .. } => blocks
                .iter()
                .enumerate()
                .filter(|(_, block)| matches!(block, Self::Text { .. }))
                .map(|(inner, _)| {
                    let path = ["content".into(), inner.into(), "text".into()];
                    at(&path, ContentKind::ToolResults, Place::Inner(inner))
                })
                .collect(),
            _ => Vec::new(),
        }
    }

    fn text_in(&self, place: Place) -> Option<&str> {
        match (self, place) {
            (Self::Text { text, .. } | Self::ToolResult { content: Content::Text(text), .. }, _) => Some(text),
            (Self::ToolUse { input, .. }, Place::Input(number)) => Some(&input.texts().get(number)?.text),
            (Self::ToolResult { content, .. }, Place::Inner(inner)) => {
                content.blocks().get(inner)?.text_in(Place::Whole)
            }
            _ => None,
        }
    }
}

impl Address {
    fn with<'a>(&self, text: &'a str) -> TextAt<'a> {
        TextAt { block: self.block, path: self.path.clone(), kind: self.kind, text }
    }
}
