//! Caches the parsed messages of the last two calls, because most of them appear again in the next call.

use std::{
    collections::{HashMap, HashSet},
    hash::{BuildHasher, Hash, Hasher},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::Message;
use crate::by_hash::ByHash;

/// Maximum UTF-16 units of JSON whose messages are cached: 8 MB, plus about as much for the messages.
const MAX_UNITS: usize = 4 << 20;

/// The messages of the last two calls, so that two conversations may alternate. They are found by their JSON, or by a
/// number with which the caller need not write the JSON again.
#[derive(Default)]
pub struct KnownMessages(Mutex<Known>);

#[derive(Default)]
struct Known {
    arrays: HashMap<Arc<Json>, Array, ByHash>,
    /// The JSON of the array with each number.
    numbers: HashMap<u32, Arc<Json>>,
    /// UTF-16 units of all arrays.
    units: usize,
    /// The number of calls so far.
    calls: u64,
    next: u32,
}

/// The JSON of an array. It is hashed once, because several maps are asked for it.
#[derive(PartialEq, Eq)]
struct Json {
    hash: u64,
    units: Vec<u16>,
}

impl Json {
    fn new(units: Vec<u16>) -> Self {
        Self { hash: ByHash::default().hash_one(&units), units }
    }
}

impl Hash for Json {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

/// The messages of a JSON array.
struct Array {
    messages: Vec<Arc<Message>>,
    /// The newest call that contained the array.
    call: u64,
    /// The newest number of the array.
    number: u32,
}

impl KnownMessages {
    /// Begins a call.
    pub fn begin(&self) {
        self.lock().calls += 1;
    }

    /// Returns the number of an array that will be read.
    pub fn number(&self) -> u32 {
        let mut known = self.lock();
        known.next = known.next.wrapping_add(1);
        known.next
    }

    /// Returns the messages of the array with this number, and the UTF-16 units of its JSON; `None` if the number is
    /// unknown, or the array is not read yet.
    pub fn numbered(&self, number: u32) -> Option<(Vec<Arc<Message>>, usize)> {
        let mut known = self.lock();
        let (now, json) = (known.calls, Arc::clone(known.numbers.get(&number)?));
        let array = known.arrays.get_mut(&json)?;
        array.call = now;
        Some((array.messages.clone(), json.units.len()))
    }

    /// Removes messages that neither this call nor the previous one contained.
    pub fn forget_older(&self) {
        let mut known = self.lock();
        let now = known.calls;
        // They are freed after the lock is released, because the main thread waits for the lock at the start of a call.
        let older: Vec<_> = known.arrays.extract_if(|_, array| array.call + 1 < now).collect();
        for (json, array) in &older {
            known.numbers.remove(&array.number);
            known.units -= json.units.len();
        }
        drop(known);
    }

    /// Returns the messages of a JSON array, from the cache or else from `read`, and gives the array this number.
    ///
    /// # Errors
    /// The errors of `read`.
    pub fn read<E>(
        &self,
        (number, json): (u32, Vec<u16>),
        read: impl FnOnce(&[u16]) -> Result<Vec<Message>, E>,
    ) -> Result<Vec<Arc<Message>>, E> {
        let json = Arc::new(Json::new(json));
        if let Some(messages) = self.lock().renumbered(&json, number) {
            return Ok(messages);
        }
        let messages: Vec<Arc<Message>> = read(&json.units)?.into_iter().map(Arc::new).collect();
        let mut known = self.lock();
        if known.units + json.units.len() <= MAX_UNITS && !known.arrays.contains_key(&json) {
            let call = known.calls;
            known.units += json.units.len();
            known.numbers.insert(number, Arc::clone(&json));
            known.arrays.insert(json, Array { messages: messages.clone(), call, number });
        }
        Ok(messages)
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    /// Returns the messages of a cached array, and replaces its number.
    fn renumbered(&mut self, json: &Json, number: u32) -> Option<Vec<Arc<Message>>> {
        let json = Arc::clone(self.arrays.get_key_value(json)?.0);
        let array = self.arrays.get_mut(&json)?;
        array.call = self.calls;
        self.numbers.remove(&array.number);
        array.number = number;
        self.numbers.insert(number, json);
        Some(array.messages.clone())
    }
}

/// Copies every message that shares its allocation with an earlier one, because readers distinguish calls by their
/// allocation.
pub fn apart(messages: &mut [Arc<Message>]) {
    let mut seen = HashSet::with_capacity(messages.len());
    for message in messages {
        if !seen.insert(Arc::as_ptr(message)) {
            *message = Arc::new((**message).clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::{Content, Role};

    fn units(text: &str) -> Vec<u16> {
        text.encode_utf16().collect()
    }

    /// Reads an array; returns its message and whether it was read anew.
    fn read(known: &KnownMessages, json: &str) -> (Arc<Message>, bool) {
        let mut is_new = false;
        let messages = known.read((known.number(), units(json)), |json| {
            is_new = true;
            let text = String::from_utf16_lossy(json);
            Ok::<_, ()>(vec![Message::new(Role::User, Content::Text(text))])
        });
        (messages.unwrap().remove(0), is_new)
    }

    #[test]
    fn messages_are_read_once_while_calls_have_them() {
        let known = KnownMessages::default();
        known.begin();
        let (first, is_new) = read(&known, "a");
        assert!(is_new && read(&known, "b").1 && read(&known, "c").1);
        for other in ["b", "d"] {
            known.forget_older();
            known.begin();
            let (again, is_new) = read(&known, "a");
            assert!(!is_new && Arc::ptr_eq(&first, &again));
            assert_eq!(read(&known, other).1, other == "d");
        }
        known.forget_older();
        assert!(!read(&known, "a").1 && !read(&known, "b").1 && read(&known, "c").1);
    }

    #[test]
    fn there_is_a_limit_and_failures_are_not_kept() {
        let known = KnownMessages::default();
        known.begin();
        let long = "l".repeat(MAX_UNITS);
        assert!(read(&known, "a").1 && read(&known, &long).1 && read(&known, &long).1);
        assert!(!read(&known, "a").1);
        assert_eq!(known.read((known.number(), units("x")), |_| Err("fault")).unwrap_err(), "fault");
        assert!(read(&known, "x").1);
    }

    #[test]
    fn a_number_stands_for_its_array_while_it_is_known() {
        let known = KnownMessages::default();
        let read = |number: u32, json: &str| {
            known
                .read((number, units(json)), |_| {
                    Ok::<_, ()>(vec![Message::new(Role::User, Content::Text(json.into()))])
                })
                .unwrap()
        };
        known.begin();
        let (one, other) = (known.number(), known.number());
        assert!(one != other && known.numbered(one).is_none(), "not read yet");
        let message = read(one, "first").remove(0);
        let (found, length) = known.numbered(one).unwrap();
        assert!(Arc::ptr_eq(&message, &found[0]) && length == 5 && known.numbered(other).is_none());
        // An array has only its newest number, so that numbers do not accumulate.
        assert!(Arc::ptr_eq(&message, &read(other, "first")[0]));
        assert!(known.numbered(one).is_none() && known.numbered(other).is_some());
        let next_call = || {
            known.forget_older();
            known.begin();
        };
        next_call();
        assert!(known.numbered(other).is_some(), "the call before had it");
        next_call();
        assert!(known.numbered(other).is_some(), "asking for it counts");
        next_call();
        next_call();
        assert!(known.numbered(other).is_some(), "so do the last two calls");
        next_call();
        next_call();
        next_call();
        assert!(known.numbered(other).is_none());
        assert!(known.lock().numbers.is_empty() && known.lock().units == 0);
    }

    #[test]
    fn no_two_messages_are_the_same_allocation() {
        let (known, text) = (KnownMessages::default(), |message: &Message| format!("{:?}", message.content));
        let mut messages = vec![read(&known, "a").0, read(&known, "b").0, read(&known, "a").0];
        assert!(Arc::ptr_eq(&messages[0], &messages[2]));
        apart(&mut messages);
        assert!(!Arc::ptr_eq(&messages[0], &messages[2]));
        assert_eq!(text(&messages[0]), text(&messages[2]));
    }
}
