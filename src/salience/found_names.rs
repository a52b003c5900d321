//! The names in the texts of a message. They are found once and cached with the message.

use std::borrow::Cow;

use xxhash_rust::xxh3::xxh3_64;

use super::names::for_each_name;
use crate::{
    conversation::{Conversation, Message, Reading},
    parallel::in_parts,
    transcript::{Pieces, with_texts},
};

/// A name in a piece of a text.
#[derive(Debug, Clone, Copy)]
pub struct FoundName {
    start: u32,
    /// Length in bytes; names are short.
    length: u8,
    /// The hash of the name, which is its key in a name table.
    pub hash: u64,
}

impl FoundName {
    /// Returns the index of the name's first byte in the piece.
    pub fn start(self) -> usize {
        self.start as usize
    }

    /// Returns the name. `piece` is the text that contains it.
    pub fn name(self, piece: &str) -> &str {
        &piece[self.start()..self.start() + usize::from(self.length)]
    }
}

/// The names in the pieces of a message.
#[derive(Clone)]
pub struct FoundNames {
    /// The pieces in which the names were found.
    pieces: Pieces,
    names: Vec<FoundName>,
    /// For each piece, the end of its names in `names`.
    ends: Vec<usize>,
}

impl FoundNames {
    /// Returns the names of each message. `pieces` contains the pieces of every message.
    pub fn of_all<'a>(conversation: &'a Conversation, pieces: &[Pieces]) -> Vec<Cow<'a, Self>> {
        let messages: Vec<(&'a Message, &Pieces)> = conversation.messages().zip(pieces).collect();
        let bytes = |(message, _): &(&Message, &Pieces)| match message.known::<Self>(Reading::Names) {
            Some(_) => 0,
            None => message.bytes(),
        };
        in_parts(&messages, bytes, |messages| {
            messages.iter().map(|(message, pieces)| Self::kept(message, pieces)).collect()
        })
    }

    fn kept<'a>(message: &'a Message, pieces: &Pieces) -> Cow<'a, Self> {
        let kept: Option<&Self> = message.reading(Reading::Names, || Self::find(message, pieces));
        match kept.filter(|kept| Pieces::ptr_eq(&kept.pieces, pieces)) {
            Some(kept) => Cow::Borrowed(kept),
            None => Cow::Owned(Self::find(message, pieces)),
        }
    }

    fn find(message: &Message, pieces: &Pieces) -> Self {
        let mut found = Self { pieces: pieces.clone(), names: Vec::new(), ends: Vec::with_capacity(pieces.len()) };
        for (piece, whole) in with_texts(pieces, &message.texts()) {
            let text = &whole.text[piece.range.clone()];
            for_each_name(text, |name| {
                let start = (name.as_ptr() as usize - text.as_ptr() as usize) as u32;
                found.names.push(FoundName { start, length: name.len() as u8, hash: xxh3_64(name.as_bytes()) });
            });
            found.ends.push(found.names.len());
        }
        found.names.shrink_to_fit();
        found
    }

    /// Returns the names of each piece, in order.
    pub fn each(&self) -> impl Iterator<Item = &[FoundName]> {
        let mut start = 0;
        self.ends.iter().map(move |end| &self.names[std::mem::replace(&mut start, *end)..*end])
    }
}
