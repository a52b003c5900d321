//! Messages as JavaScript hands them over: JSON in UTF-16, copied once there is room for what will be made of it.

use napi::{JsString, bindgen_prelude::JsValue, check_status, sys};

use super::{
    error::{Result, system_limit, thrown},
    memory::Room,
};
use crate::conversation::{Conversation, NotAnArray, utf16};

/// Messages that any thread may read: nothing in them belongs to JavaScript.
pub struct Messages {
    json: Vec<u16>,
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
    pub fn copy(json: &JsString<'_>) -> Result<Self> {
        let unreadable = |error| thrown("invalid_messages", error);
        let length = json.utf16_len().map_err(unreadable)?;
        let room = Room::for_messages(length).map_err(system_limit)?;
        Ok(Self { json: units(json, length).map_err(unreadable)?, room })
    }

    /// The conversation, and the room to be held while it is worked on.
    pub fn parse(self) -> std::result::Result<(Conversation, Room), NotMessages> {
        let json = utf16::utf8(&self.json).ok_or(NotMessages::NotUtf16)?;
        drop(self.json);
        Ok((Conversation::parse(&json)?, self.room))
    }
}

/// The `length` units of a string. napi's own way to them writes zeros first, which for megabytes takes the main thread a third of the time of copying.
#[allow(unsafe_code, reason = "Node writes to memory that nothing was written to before")]
fn units(string: &JsString<'_>, length: usize) -> napi::Result<Vec<u16>> {
    let value = string.value();
    // Node ends what it writes with a zero.
    let mut units: Vec<u16> = Vec::with_capacity(length + 1);
    let mut written = 0;
    // SAFETY: Node writes at most as many units as there is room for, and says how many.
    unsafe {
        let (room, at) = (units.capacity(), units.as_mut_ptr());
        check_status!(sys::napi_get_value_string_utf16(value.env, value.value, at, room, &raw mut written))?;
        units.set_len(written);
    }
    Ok(units)
}
