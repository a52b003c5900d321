//! What a call was given, in a block or in a text.

use serde_json::Value;

use crate::{
    conversation::{Block, Conversation},
    transcript::{Event, Transcript},
};

/// What a call was given.
pub enum Input<'t> {
    /// A native call: the object.
    Object(Value),
    /// A call in XML: `<name><parameter>…</parameter></name>`.
    Xml(&'t str),
}

impl<'t> Input<'t> {
    /// Of the call of an event.
    pub fn of(event: &Event, conversation: &Conversation, transcript: &'t Transcript<'_>) -> Option<Self> {
        let call = event.call.as_ref()?;
        match conversation.message(call.message).content.blocks().get(call.block) {
            Some(Block::ToolUse { input, .. }) => serde_json::from_str(input.get()).ok().map(Self::Object),
            _ => call.place.as_ref().map(|place| Self::Xml(transcript.text(place))),
        }
    }

    /// The first of these parameters that is there, as text.
    pub fn text<'n>(&self, mut names: impl Iterator<Item = &'n str>) -> Option<String> {
        names.find_map(|name| match self {
            Self::Object(object) => match object.get(name)? {
                Value::String(text) => Some(text.clone()),
                Value::Number(number) => Some(number.to_string()),
                _ => None,
            },
            Self::Xml(text) => inside(text, name).map(str::to_owned),
        })
    }
}

/// What stands between the tags of this name, the first of them.
pub fn inside<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let (open, close) = (format!("<{name}>"), format!("</{name}>"));
    let (_, rest) = text.split_once(&open)?;
    Some(rest.split_once(&close)?.0.trim())
}
