//! Messages from JavaScript: JSON in UTF-16, copied once there is enough memory for the work on it.

use std::sync::Arc;

use napi::{JsString, bindgen_prelude::JsValue, check_status, sys};
use napi_derive::napi;

use super::{
    memory::Room,
    thrown::{Code, Result, system_limit, thrown},
};
use crate::{
    conversation::{Conversation, KnownMessages, NotMessages, surrogates, utf16},
    formats::{self, Format, Messages as Read, Projection, ProjectionReader},
};

/// Messages that any thread may read, because they contain nothing of JavaScript's.
pub struct Messages {
    json: Vec<u16>,
    room: Room,
}

impl Messages {
    /// Copies messages, unless the system refuses the memory needed for them.
    pub fn copy(json: &JsString<'_>) -> Result<Self> {
        let length = length(json)?;
        let room = Room::for_messages(length).map_err(system_limit)?;
        Ok(Self { json: units(json, length)?, room })
    }

    /// Returns the JSON for reading without its unpaired surrogates, with the room to hold during the work on it.
    pub fn entered(self) -> Result<(String, Room)> {
        let json = utf16::utf8(&self.json).ok_or_else(|| thrown("invalid_messages", NotMessages::NotUtf16))?;
        Ok((surrogates::enter(&json).into_owned(), self.room))
    }

    /// Reads the messages in a format or our own. Returns them with the room to hold during the work on them.
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

/// Messages passed in parts. Reading begins with the first part.
#[napi]
pub struct MessageParts {
    /// `None` once a call has taken the messages, or they were discarded.
    reader: Option<ProjectionReader>,
    /// UTF-16 units added so far.
    units: usize,
    /// UTF-16 units for which memory was found.
    asked: usize,
}

#[napi]
impl MessageParts {
    /// Creates a reader of a format, by default our own.
    #[napi(constructor, catch_unwind)]
    pub fn new(format: Option<String>) -> Result<Self> {
        Self::begin(format, &Arc::default())
    }

    /// Adds the messages of a JSON array. If there is not enough memory, all messages are discarded. Returns the number
    /// by which later calls of the same owner can refer to them, if they are kept.
    #[napi(catch_unwind)]
    pub fn add(&mut self, json: JsString<'_>) -> Result<Option<u32>> {
        let length = length(&json)?;
        self.ask(length)?;
        Ok(self.reader.as_mut().ok_or_else(taken)?.add(units(&json, length)?))
    }

    /// Adds the messages with this number from an earlier call. Returns false if they are no longer known.
    #[napi(catch_unwind)]
    pub fn add_known(&mut self, number: u32) -> Result<bool> {
        let Some(units) = self.reader.as_mut().ok_or_else(taken)?.add_known(number) else { return Ok(false) };
        self.ask(units)?;
        Ok(true)
    }

    /// Frees the messages, which are no longer needed.
    #[napi]
    pub fn discard(&mut self) {
        self.reader = None;
    }
}

impl MessageParts {
    /// Creates a reader for one of several calls, in which most messages come again.
    pub fn begin(format: Option<String>, known: &Arc<KnownMessages>) -> Result<Self> {
        Ok(Self { reader: Some(ProjectionReader::new(format_of(format)?, known)), units: 0, asked: 0 })
    }

    /// Reserves memory for this many further units.
    fn ask(&mut self, units: usize) -> Result<()> {
        self.units += units;
        // Checks only after growth by a quarter, because a check takes as long as copying several parts.
        if self.units > self.asked + self.asked / 4 {
            self.asked = self.units;
            if let Err(error) = Room::for_messages(self.units) {
                self.discard();
                return Err(system_limit(error));
            }
        }
        Ok(())
    }

    /// Returns all messages, for a call, with the room to hold during the work on them.
    pub fn take(&mut self) -> Result<(ProjectionReader, Room)> {
        let reader = self.reader.take().ok_or_else(taken)?;
        Ok((reader, Room::for_messages(self.units).map_err(system_limit)?))
    }
}

/// Returns the format with this name; `None` for our own.
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

/// Returns the units of a string.
pub fn units_of(string: &JsString<'_>) -> Result<Vec<u16>> {
    units(string, length(string)?)
}

/// Returns the `length` units of a string. napi's own function writes zeros first, which for megabytes takes the main
/// thread a third of the time of copying.
#[allow(unsafe_code, reason = "Node writes to memory that nothing was written to before")]
fn units(string: &JsString<'_>, length: usize) -> Result<Vec<u16>> {
    let value = string.value();
    // Node ends its output with a zero.
    let mut units: Vec<u16> = Vec::with_capacity(length + 1);
    let mut written = 0;
    // SAFETY: Node writes at most as many units as the capacity, and returns their number.
    unsafe {
        let (room, at) = (units.capacity(), units.as_mut_ptr());
        let status = sys::napi_get_value_string_utf16(value.env, value.value, at, room, &raw mut written);
        check_status!(status).map_err(|error| thrown("invalid_messages", error))?;
        units.set_len(written);
    }
    Ok(units)
}
