//! Reads messages in parts, each while the next is still being written.

use serde_json::value::RawValue;

use super::{Conversation, Message, NotAnArray, surrogates, utf16};
use crate::parallel::Ahead;

/// Shorter input is not read ahead, because waking a thread would take as long as reading it.
const MIN_UNITS: usize = 32 * 1024;

/// The error for JSON that is not an array of messages.
#[derive(Debug, thiserror::Error)]
pub enum NotMessages {
    /// It contains an unpaired surrogate.
    #[error("the messages did not come as UTF-16")]
    NotUtf16,
    /// It is not an array.
    #[error(transparent)]
    NotAnArray(#[from] NotAnArray),
}

/// Consecutive JSON arrays of messages, in UTF-16.
type Part = Vec<Vec<u16>>;

/// Reads JSON arrays of messages, in UTF-16, as one conversation.
pub struct MessageReader {
    /// Parts being read in the background.
    begun: Ahead<Part, Result<Vec<Message>, NotMessages>>,
    /// Arrays still too small to start a part.
    waiting: Part,
    units: usize,
}

impl Default for MessageReader {
    fn default() -> Self {
        Self { begun: Ahead::new(read), waiting: Part::new(), units: 0 }
    }
}

impl MessageReader {
    /// Adds the messages of an array.
    pub fn add(&mut self, json: Vec<u16>) {
        self.units += json.len();
        self.waiting.push(json);
        if self.units >= MIN_UNITS {
            self.units = 0;
            self.begun.add(std::mem::take(&mut self.waiting));
        }
    }

    /// Returns the conversation of all messages added.
    ///
    /// # Errors
    /// If something added is not a JSON array or not UTF-16.
    pub fn finish(mut self) -> Result<Conversation, NotMessages> {
        if !self.waiting.is_empty() {
            self.begun.add_late(self.waiting);
        }
        let read: Result<Vec<_>, _> = self.begun.finish().into_iter().collect();
        Ok(Conversation::new(read?.into_iter().flatten().collect()))
    }
}

fn read(arrays: Part) -> Result<Vec<Message>, NotMessages> {
    each_raw(arrays, Message::read)
}

/// Applies `read` to each message in these JSON arrays.
///
/// # Errors
/// If one of them is not a JSON array or not UTF-16.
pub fn each_raw<T>(arrays: Vec<Vec<u16>>, read: impl Fn(&RawValue) -> T) -> Result<Vec<T>, NotMessages> {
    let mut messages = Vec::new();
    for array in arrays {
        let json = utf16::utf8(&array).ok_or(NotMessages::NotUtf16)?;
        drop(array);
        let json = surrogates::enter(&json);
        let raw: Vec<&RawValue> = serde_json::from_str(&json).map_err(NotAnArray::from)?;
        messages.extend(raw.into_iter().map(&read));
    }
    Ok(messages)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn units(json: &str) -> Vec<u16> {
        json.encode_utf16().collect()
    }

    #[test]
    fn parts_are_one_conversation() {
        let message =
            |number: usize| format!(r#"{{"role":"user","content":"{} {number} é→"}}"#, "word ".repeat(number));
        let numbers: Vec<usize> = (0..300).collect();
        let mut reader = MessageReader::default();
        for part in numbers.chunks(7) {
            let texts: Vec<String> = part.iter().map(|number| message(*number)).collect();
            reader.add(units(&format!("[{}]", texts.join(","))));
        }
        reader.add(units("[]"));
        let read = reader.finish().unwrap();
        let whole: Vec<String> = numbers.into_iter().map(message).collect();
        let whole = Conversation::parse(&format!("[{}]", whole.join(","))).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), serde_json::to_string(&whole).unwrap());
        assert_eq!(read.entries().last().unwrap().origin, Some(299));
    }

    #[test]
    fn what_holds_no_messages_is_told() {
        assert!(MessageReader::default().finish().unwrap().is_empty());
        let fault = |last: Vec<u16>| {
            let mut reader = MessageReader::default();
            reader.add(units(&format!(r#"["{}"]"#, "a".repeat(2 * MIN_UNITS))));
            reader.add(last);
            reader.finish().unwrap_err()
        };
        assert!(matches!(fault(units("{}")), NotMessages::NotAnArray(_)));
        assert!(matches!(fault(vec![0xD800]), NotMessages::NotUtf16));
    }
}
