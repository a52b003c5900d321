//! Messages as JavaScript hands them over: JSON in UTF-16, copied once there is room for what will be made of it.

use napi::{
    JsString,
    bindgen_prelude::{JsValue, Utf16String},
};

use super::{
    error::{Result, system_limit, thrown},
    memory::Room,
};
use crate::conversation::{Conversation, NotAnArray, utf16};

/// Messages that any thread may read: nothing in them belongs to JavaScript.
pub struct Messages {
    json: Utf16String,
    room: Room,
}

/// JSON that holds no messages.
#[derive(Debug, thiserror::Error)]
pub enum NotMessages {
    /// A surrogate in it is unpaired.
    #[error("the messages did not come as UTF-16")]
    NotUtf16,
    /// It is no array.
    #[error(transparent)]
    NotAnArray(#[from] NotAnArray),
}

impl Messages {
    /// Copies them, unless the system refuses the memory that work on them needs.
    #[allow(unsafe_code, reason = "napi's own way to a string is unsafe where another type was asked for first")]
    pub fn copy(json: &JsString<'_>) -> Result<Self> {
        let unreadable = |error| thrown("invalid_messages", error);
        let room = Room::for_messages(json.utf16_len().map_err(unreadable)?).map_err(system_limit)?;
        // SAFETY: it is a string.
        let json = unsafe { json.to_unknown().cast::<Utf16String>() }.map_err(unreadable)?;
        Ok(Self { json, room })
    }

    /// The conversation, and the room to be held while it is worked on.
    pub fn parse(self) -> std::result::Result<(Conversation, Room), NotMessages> {
        let json = utf16::utf8(&self.json).ok_or(NotMessages::NotUtf16)?;
        drop(self.json);
        Ok((Conversation::parse(&json)?, self.room))
    }
}
