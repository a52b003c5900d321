//! Reads messages in parts, each while the next is still being written.

use std::sync::Arc;

use serde_json::value::RawValue;

use super::{
    Conversation, Message, NotAnArray,
    known::{KnownMessages, apart},
    surrogates, utf16,
};
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

/// Consecutive arrays of messages.
type Part = (Arc<KnownMessages>, Vec<Array>);

/// An array of messages.
enum Array {
    /// Its number and its JSON, in UTF-16.
    Json(u32, Vec<u16>),
    /// Its messages, which are known.
    Known(Vec<Arc<Message>>),
}

/// Reads JSON arrays of messages, in UTF-16, as one conversation.
pub struct MessageReader {
    known: Arc<KnownMessages>,
    /// Parts being read in the background.
    begun: Ahead<Part, Result<Vec<Arc<Message>>, NotMessages>>,
    /// Arrays still too small to start a part.
    waiting: Vec<Array>,
    units: usize,
}

impl MessageReader {
    /// Begins a conversation, most of whose messages may be known.
    pub fn new(known: Arc<KnownMessages>) -> Self {
        known.begin();
        Self { known, begun: Ahead::new(read), waiting: Vec::new(), units: 0 }
    }

    /// Adds the messages of an array. Returns the number by which later calls can refer to them.
    pub fn add(&mut self, json: Vec<u16>) -> u32 {
        let number = self.known.number();
        self.units += json.len();
        self.waiting.push(Array::Json(number, json));
        if self.units >= MIN_UNITS {
            self.units = 0;
            self.begun.add((Arc::clone(&self.known), std::mem::take(&mut self.waiting)));
        }
        number
    }

    /// Adds the messages of an array from an earlier call, by its number. Returns the UTF-16 units of its JSON; `None`,
    /// without adding anything, if the number is no longer known.
    pub fn add_known(&mut self, number: u32) -> Option<usize> {
        let (messages, units) = self.known.numbered(number)?;
        self.waiting.push(Array::Known(messages));
        Some(units)
    }

    /// Returns the conversation of all messages added.
    ///
    /// # Errors
    /// If something added is not a JSON array or not UTF-16.
    pub fn finish(mut self) -> Result<Conversation, NotMessages> {
        if !self.waiting.is_empty() {
            self.begun.add_late((Arc::clone(&self.known), self.waiting));
        }
        let read: Result<Vec<_>, _> = self.begun.finish().into_iter().collect();
        self.known.forget_older();
        let mut messages: Vec<_> = read?.into_iter().flatten().collect();
        apart(&mut messages);
        Ok(Conversation::of_shared(messages))
    }
}

fn read((known, arrays): Part) -> Result<Vec<Arc<Message>>, NotMessages> {
    let mut messages = Vec::new();
    for array in arrays {
        match array {
            Array::Json(number, json) => {
                messages.extend(known.read((number, json), |json| raws(json, Message::read))?);
            }
            Array::Known(known) => messages.extend(known),
        }
    }
    Ok(messages)
}

/// Applies `read` to each message in these JSON arrays.
///
/// # Errors
/// If one of them is not a JSON array or not UTF-16.
pub fn each_raw<T>(arrays: Vec<Vec<u16>>, read: impl Fn(&RawValue) -> T) -> Result<Vec<T>, NotMessages> {
    let mut messages = Vec::new();
    for array in arrays {
        messages.extend(raws(&array, &read)?);
    }
    Ok(messages)
}

fn raws<T>(array: &[u16], read: impl Fn(&RawValue) -> T) -> Result<Vec<T>, NotMessages> {
    let json = utf16::utf8(array).ok_or(NotMessages::NotUtf16)?;
    let json = surrogates::enter(&json);
    let raw: Vec<&RawValue> = serde_json::from_str(&json).map_err(NotAnArray::from)?;
    Ok(raw.into_iter().map(read).collect())
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
        let mut reader = MessageReader::new(Arc::default());
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
    fn messages_of_an_earlier_call_stand_where_they_are_named() {
        let known = Arc::new(KnownMessages::default());
        let read = |parts: &[Result<&str, u32>]| {
            let mut reader = MessageReader::new(Arc::clone(&known));
            let numbers: Vec<Option<u32>> = parts
                .iter()
                .map(|part| match part {
                    Ok(text) => Some(reader.add(units(&format!(r#"[{{"role":"user","content":"{text}"}}]"#)))),
                    Err(number) => reader.add_known(*number).map(|_| *number),
                })
                .collect();
            (serde_json::to_string(&reader.finish().unwrap()).unwrap(), numbers)
        };
        let message = |text: &str| format!(r#"{{"role":"user","content":"{text}"}}"#);
        let long = "a".repeat(MIN_UNITS);
        let (_, numbers) = read(&[Ok("first"), Ok(&long), Ok("last")]);
        let numbers: Vec<u32> = numbers.into_iter().flatten().collect();
        let (again, found) = read(&[Err(numbers[1]), Ok("new"), Err(numbers[0]), Err(numbers[0]), Err(12345)]);
        let texts = [&*long, "new", "first", "first"].map(message);
        assert_eq!(again, format!("[{}]", texts.join(",")));
        assert_eq!(found.iter().map(Option::is_some).collect::<Vec<_>>(), [true, true, true, true, false]);
    }

    #[test]
    fn what_holds_no_messages_is_told() {
        assert!(MessageReader::new(Arc::default()).finish().unwrap().is_empty());
        let fault = |last: Vec<u16>| {
            let mut reader = MessageReader::new(Arc::default());
            reader.add(units(&format!(r#"["{}"]"#, "a".repeat(2 * MIN_UNITS))));
            reader.add(last);
            reader.finish().unwrap_err()
        };
        assert!(matches!(fault(units("{}")), NotMessages::NotAnArray(_)));
        assert!(matches!(fault(vec![0xD800]), NotMessages::NotUtf16));
    }
}
