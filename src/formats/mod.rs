//! Reads histories in the formats of other APIs and frameworks, and writes edits back to them.
//!
//! A history is *projected*: read as messages of ours, where each block knows its part of the caller's message
//! ([`Projection`]). Decisions about the projection are carried back as edits on the caller's messages
//! ([`Projection::carried`]), which JavaScript applies to the caller's own objects. A format defines how its messages
//! are read part by part, how an added message is written, and what the service behind it refuses; it is one file
//! here and one row in [`FORMATS`].

mod ai_sdk_model;
mod ai_sdk_ui;
mod anthropic;
mod bedrock;
mod carry;
mod edit;
mod format;
mod gemini;
mod goose;
mod langchain;
mod openai_chat;
mod openai_responses;
mod opencode;
mod part;
mod projection;
mod reader;
mod rules;
#[cfg(test)]
mod tests;

pub use self::{
    carry::{Carried, NotCarried},
    edit::{ForeignEdit, Inside, edited, rewritten},
    format::Format,
    projection::Projection,
    reader::{Messages, ProjectionReader},
};

/// The known formats. Our own is among them for conversations with a compaction; others are read without a
/// projection.
pub static FORMATS: &[&dyn Format] = &[
    &openai_chat::OpenAiChat,
    &openai_responses::ResponsesItems,
    &ai_sdk_model::ModelMessages,
    &ai_sdk_ui::UiMessages,
    &langchain::LangChain,
    &gemini::Gemini,
    &bedrock::Bedrock,
    &opencode::OpenCode,
    &goose::Goose,
    &anthropic::Anthropic,
];

/// Returns the format with this name.
pub fn named(name: &str) -> Option<&'static dyn Format> {
    FORMATS.iter().copied().find(|format| format.name() == name)
}
