//! Reads messages of any format in parts, each while JavaScript is still writing the next.

use std::sync::Arc;

use serde_json::value::RawValue;

use super::{format::Format, part::Part, projection::Projection};
use crate::{
    conversation::{Contents, Conversation, Json, KnownMessages, Message, MessageReader, NotMessages, each_raw},
    parallel::Ahead,
};

/// Minimum length of input, in UTF-16 units, that is read ahead.
const MIN_UNITS: usize = 32 * 1024;

/// Consecutive JSON arrays of messages in UTF-16, and their format.
type Piece = (&'static dyn Format, Vec<Vec<u16>>);

/// A message and its parts.
type ReadMessage = (Box<RawValue>, Vec<Part>);

/// Reads JSON arrays of messages in UTF-16.
pub enum ProjectionReader {
    /// Reads our own format.
    Own(MessageReader),
    /// Reads another format.
    Foreign(ForeignReader),
}

/// Messages after reading.
pub enum Messages {
    /// Messages of our own format.
    Own(Conversation),
    /// Messages of another format.
    Foreign(Arc<Projection>),
}

/// Reads messages of another format.
pub struct ForeignReader {
    format: &'static dyn Format,
    begun: Ahead<Piece, Result<Vec<ReadMessage>, NotMessages>>,
    waiting: Vec<Vec<u16>>,
    units: usize,
}

impl ProjectionReader {
    /// Creates a reader for messages of a format, or of our own if `None`, of which some may be known.
    pub fn new(format: Option<&'static dyn Format>, known: &Arc<KnownMessages>) -> Self {
        match format {
            None => Self::Own(MessageReader::new(Arc::clone(known))),
            Some(format) => {
                Self::Foreign(ForeignReader { format, begun: Ahead::new(read), waiting: Vec::new(), units: 0 })
            }
        }
    }

    /// Adds the messages of an array. Returns the number by which later calls can refer to them; `None` for messages of
    /// another format.
    pub fn add(&mut self, json: Vec<u16>) -> Option<u32> {
        match self {
            Self::Own(reader) => Some(reader.add(json)),
            Self::Foreign(reader) => {
                reader.add(json);
                None
            }
        }
    }

    /// Adds the messages of an array from an earlier call, by its number. Returns the UTF-16 units of its JSON; `None`,
    /// without adding anything, if the number is unknown.
    pub fn add_known(&mut self, number: u32) -> Option<usize> {
        match self {
            Self::Own(reader) => reader.add_known(number),
            Self::Foreign(_) => None,
        }
    }

    /// Returns all messages added.
    ///
    /// # Errors
    /// If something added is not a JSON array or not UTF-16.
    pub fn finish(self) -> Result<Messages, NotMessages> {
        Ok(match self {
            Self::Own(reader) => Messages::Own(reader.finish()?),
            Self::Foreign(reader) => Messages::Foreign(Arc::new(reader.finish()?)),
        })
    }
}

impl Messages {
    /// Reads messages of a format, or of our own if `None`.
    pub fn read(format: Option<&'static dyn Format>, raws: &[&RawValue]) -> Self {
        match format {
            None => Self::Own(Conversation::new(raws.iter().map(|raw| Message::read(raw)).collect())),
            Some(format) => {
                let read = raws.iter().map(|raw| ((*raw).to_owned(), format.parts(Json::from(*raw))));
                Self::Foreign(Arc::new(Projection::assemble(format, read.collect())))
            }
        }
    }

    /// Hashes the content of each message.
    pub fn contents(&self) -> Contents {
        match self {
            Self::Own(conversation) => Contents::hash(conversation),
            Self::Foreign(projection) => projection.contents(),
        }
    }

    /// Returns the messages in our own format.
    pub fn conversation(&self) -> &Conversation {
        match self {
            Self::Own(conversation) => conversation,
            Self::Foreign(projection) => projection.conversation(),
        }
    }

    /// Returns each message separately, in our own format.
    pub fn each(&self) -> Conversation {
        match self {
            Self::Own(conversation) => conversation.clone(),
            Self::Foreign(projection) => projection.each(),
        }
    }

    /// Returns the projection, which carries edits back to the caller's messages; `None` for our own format.
    pub fn projection(&self) -> Option<&Projection> {
        match self {
            Self::Own(_) => None,
            Self::Foreign(projection) => Some(projection),
        }
    }
}

impl ForeignReader {
    fn add(&mut self, json: Vec<u16>) {
        self.units += json.len();
        self.waiting.push(json);
        if self.units >= MIN_UNITS {
            self.units = 0;
            self.begun.add((self.format, std::mem::take(&mut self.waiting)));
        }
    }

    fn finish(mut self) -> Result<Projection, NotMessages> {
        if !self.waiting.is_empty() {
            self.begun.add_late((self.format, self.waiting));
        }
        let read: Result<Vec<_>, _> = self.begun.finish().into_iter().collect();
        Ok(Projection::assemble(self.format, read?.into_iter().flatten().collect()))
    }
}

fn read((format, arrays): Piece) -> Result<Vec<ReadMessage>, NotMessages> {
    each_raw(arrays, |raw| (raw.to_owned(), format.parts(Json::from(raw))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::named;

    fn units(json: &str) -> Vec<u16> {
        json.encode_utf16().collect()
    }

    fn said(text: &str) -> String {
        format!(r#"[{{"role":"user","content":{text:?}}},{{"role":"assistant","content":"so"}}]"#)
    }

    #[test]
    fn arrays_of_any_length_are_read_in_their_order() {
        let arrays = [said("first"), said(&"long ".repeat(MIN_UNITS / 4)), "[]".to_owned(), said("last")];
        for format in [None, named("openai-chat")] {
            let known = Arc::new(KnownMessages::default());
            let read = |arrays: &[&str]| {
                let mut reader = ProjectionReader::new(format, &known);
                let numbers: Vec<Option<u32>> = arrays.iter().map(|json| reader.add(units(json))).collect();
                (numbers, reader.finish())
            };
            let (numbers, messages) = read(&arrays.each_ref().map(String::as_str));
            let messages = messages.unwrap_or_else(|error| panic!("{error}"));
            let texts: Vec<String> =
                messages.each().texts().iter().flatten().map(|text| text.text.chars().take(5).collect()).collect();
            assert_eq!(texts, ["first", "so", "long ", "so", "last", "so"]);
            assert_eq!(messages.conversation().len(), 6);
            assert_eq!(messages.contents(), Contents::hash(&messages.each()));
            assert_eq!(messages.projection().is_some(), format.is_some());
            // Messages of our own format are found again by a number.
            assert!(numbers.iter().all(|number| number.is_some() == format.is_none()), "{numbers:?}");
            let mut again = ProjectionReader::new(format, &known);
            let found = again.add_known(numbers[3].unwrap_or_default());
            assert_eq!(found, format.is_none().then(|| units(&arrays[3]).len()));
            assert_eq!(again.add_known(u32::MAX), None);
            assert_eq!(
                again.finish().map_or(9, |messages| messages.conversation().len()),
                2 * usize::from(found.is_some())
            );
            assert!(read(&["[]", "{}"]).1.is_err());
        }
    }
}
