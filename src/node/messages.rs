//! Messages as JavaScript hands them over: JSON in UTF-16, copied once there is room for what will be made of it.

use std::sync::Arc;

use napi::{JsString, bindgen_prelude::JsValue, check_status, sys};
use napi_derive::napi;

use super::{
    memory::Room,
    thrown::{Code, Result, system_limit, thrown},
};
use crate::{
    conversation::{Conversation, NotMessages, utf16},
    formats::{self, Format, Messages as Read, Projection, ProjectionReader},
};

/// Messages that any thread may read: nothing in them belongs to JavaScript.
pub struct Messages {
    json: Vec<u16>,
    room: Room,
}

impl Messages {
    /// Copies them, unless the system refuses the memory that work on them needs.
    pub fn copy(json: &JsString<'_>) -> Result<Self> {
        let length = length(json)?;
        let room = Room::for_messages(length).map_err(system_limit)?;
        Ok(Self { json: units(json, length)?, room })
    }

    /// The messages, of a format or our own, and the room to be held while they are worked on.
    pub fn parse(self, format: Option<&'static dyn Format>) -> std::result::Result<(Read, Room), NotMessages> {
        let json = utf16::utf8(&self.json).ok_or(NotMessages::NotUtf16)?;
        drop(self.json);
        let read = match format {
            None => Read::Own(Conversation::parse(&json)?),
            Some(format) => Read::Foreign(Arc::new(Projection::parse(format, &json)?)),
        };
        Ok((read, self.room))
    }
}

/// Messages that are handed over in parts. Reading begins with the first of them.
#[napi]
pub struct MessageParts {
    /// Absent once a call has them, or nobody wants them.
    reader: Option<ProjectionReader>,
    /// UTF-16 units of what is there.
    units: usize,
    /// For so many of them there was room.
    asked: usize,
}

#[napi]
impl MessageParts {
    /// Creates a reader of a format, by default our own.
    #[napi(constructor, catch_unwind)]
    pub fn new(format: Option<String>) -> Result<Self> {
        Ok(Self { reader: Some(ProjectionReader::new(format_of(format)?)), units: 0, asked: 0 })
    }

    /// The messages of this JSON array follow. Once there is no room for them, all are forgotten.
    #[napi(catch_unwind)]
    pub fn add(&mut self, json: JsString<'_>) -> Result<()> {
        let length = length(&json)?;
        self.units += length;
        // Asking takes as long as copying some parts.
        if self.units > self.asked + self.asked / 4 {
            self.asked = self.units;
            if let Err(error) = Room::for_messages(self.units) {
                self.discard();
                return Err(system_limit(error));
            }
        }
        self.reader.as_mut().ok_or_else(taken)?.add(units(&json, length)?);
        Ok(())
    }

    /// Frees the messages, which are no longer needed.
    #[napi]
    pub fn discard(&mut self) {
        self.reader = None;
    }
}

impl MessageParts {
    /// All of them, for a call, and the room to be held while they are worked on.
    pub fn take(&mut self) -> Result<(ProjectionReader, Room)> {
        let reader = self.reader.take().ok_or_else(taken)?;
        Ok((reader, Room::for_messages(self.units).map_err(system_limit)?))
    }
}

/// The format of this name; none for our own.
pub fn format_of(name: Option<String>) -> Result<Option<&'static dyn Format>> {
    let Some(name) = name else { return Ok(None) };
    match formats::named(&name) {
        Some(format) => Ok(Some(format)),
        None => {
            let known: Vec<_> = formats::FORMATS.iter().map(|format| format!("{:?}", format.name())).collect();
            Err(thrown("invalid_argument", format!("format {name:?} is none; allowed: {}", known.join(", "))))
        }
    }
}

fn taken() -> napi::Error<Code> {
    thrown("invalid_argument", "the messages belong to another call")
}

fn length(json: &JsString<'_>) -> Result<usize> {
    json.utf16_len().map_err(|error| thrown("invalid_messages", error))
}

/// The `length` units of a string. napi's own way to them writes zeros first, which for megabytes takes the main thread a third of the time of copying.
#[allow(unsafe_code, reason = "Node writes to memory that nothing was written to before")]
fn units(string: &JsString<'_>, length: usize) -> Result<Vec<u16>> {
    let value = string.value();
    // Node ends what it writes with a zero.
    let mut units: Vec<u16> = Vec::with_capacity(length + 1);
    let mut written = 0;
    // SAFETY: Node writes at most as many units as there is room for, and says how many.
    unsafe {
        let (room, at) = (units.capacity(), units.as_mut_ptr());
        let status = sys::napi_get_value_string_utf16(value.env, value.value, at, room, &raw mut written);
        check_status!(status).map_err(|error| thrown("invalid_messages", error))?;
        units.set_len(written);
    }
    Ok(units)
}
