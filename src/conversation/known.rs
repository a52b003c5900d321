//! The messages of the last two calls, which nearly all come again in the next one, with all that was read of them.

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::Message;
use crate::by_hash::ByHash;

/// The most UTF-16 units of JSON whose messages are kept: 8 MB, and about as much for the messages.
const MAX_UNITS: usize = 4 << 20;

/// The messages of the last two calls, so that two conversations may take turns, by the JSON that they were read from.
#[derive(Default)]
pub struct KnownMessages(Mutex<Known>);

#[derive(Default)]
struct Known {
    /// The messages of each JSON array, and the newest call that had it.
    arrays: HashMap<Vec<u16>, (Vec<Arc<Message>>, u64), ByHash>,
    /// Units of all arrays.
    units: usize,
    /// The number of calls so far.
    calls: u64,
}

impl KnownMessages {
    /// Begins a call.
    pub fn begin(&self) {
        self.lock().calls += 1;
    }

    /// Forgets messages that neither this call nor the one before it had.
    pub fn forget_older(&self) {
        let mut known = self.lock();
        let now = known.calls;
        // They are freed without the lock, because the main thread waits for it where a call begins.
        let older: Vec<_> = known.arrays.extract_if(|_, (_, call)| *call + 1 < now).collect();
        known.units -= older.iter().map(|(json, _)| json.len()).sum::<usize>();
        drop(known);
    }

    /// Returns the messages of a JSON array: as they were read before, or else as `read` reads them.
    ///
    /// # Errors
    /// The errors of `read`.
    pub fn read<E>(
        &self,
        json: Vec<u16>,
        read: impl FnOnce(&[u16]) -> Result<Vec<Message>, E>,
    ) -> Result<Vec<Arc<Message>>, E> {
        let mut known = self.lock();
        let now = known.calls;
        if let Some((messages, call)) = known.arrays.get_mut(&json) {
            *call = now;
            return Ok(messages.clone());
        }
        drop(known);
        let messages: Vec<Arc<Message>> = read(&json)?.into_iter().map(Arc::new).collect();
        let mut known = self.lock();
        if known.units + json.len() <= MAX_UNITS {
            known.units += json.len();
            known.arrays.insert(json, (messages.clone(), now));
        }
        Ok(messages)
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Copies every message that is the same allocation as one before it: readers tell calls apart by what they share.
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
        let messages = known.read(units(json), |json| {
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
        assert_eq!(known.read(units("x"), |_| Err("fault")).unwrap_err(), "fault");
        assert!(read(&known, "x").1);
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
