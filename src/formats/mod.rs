//! Histories in the formats of other APIs and frameworks, both ways.
//!
//! A history is *projected*: read as messages of ours, of which each block knows the part of the caller's message that it came from
//! ([`Projection`]). What is then decided about the projection is carried back as edits on the caller's own messages ([`Projection::carried`]), which
//! JavaScript applies to the caller's own objects. A format says how its messages are read part by part, how a message that is added is written, and what
//! the service behind it refuses; it is one file here and one row in [`FORMATS`].

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
    edit::{ForeignEdit, edited},
    format::Format,
    projection::Projection,
    reader::{Messages, ProjectionReader},
};

/// The formats that are read. Our own is read by this where a compaction is in it, and without a projection elsewhere.
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

/// The format of this name.
#[must_use]
pub fn named(name: &str) -> Option<&'static dyn Format> {
    FORMATS.iter().copied().find(|format| format.name() == name)
}
