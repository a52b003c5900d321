//! Messages and their content.

use serde::{Serialize, Serializer, ser::SerializeMap};
use serde_json::value::RawValue;

use super::{
    Block,
    block::Depth,
    fields::{Fields, owned, serialize_into},
    json_text,
    remembered::{Reading, Remembered},
    scan::Scanner,
};

/// The speaker of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Role {
    /// The user, or tool results.
    User,
    /// The model.
    Assistant,
    /// Any other role; not valid, but carried through.
    Other(String),
}

impl Role {
    /// Returns the role as written in JSON.
    pub fn as_str(&self) -> &str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Other(role) => role,
        }
    }
}

impl From<String> for Role {
    fn from(role: String) -> Self {
        match role.as_str() {
            "user" => Self::User,
            "assistant" => Self::Assistant,
            _ => Self::Other(role),
        }
    }
}

/// The content of a message or of a tool result.
#[derive(Debug, Clone)]
pub enum Content {
    /// A string.
    Text(String),
    /// Blocks.
    Blocks(Vec<Block>),
    /// Any other JSON; carried through unchanged.
    Other(Box<RawValue>),
    /// The field is missing.
    Missing,
}

impl Content {
    pub(super) fn read_at(json: &str, depth: Depth) -> Self {
        Self::read_next(&mut Scanner::new(json), depth)
    }

    fn read_next(scanner: &mut Scanner<'_>, depth: Depth) -> Self {
        match scanner.peek() {
            Some(b'[') => {
                scanner.pass_bracket();
                // Most messages have one block.
                let mut blocks = Vec::with_capacity(1);
                while scanner.peek().is_some() {
                    blocks.push(Block::read_next(scanner, depth));
                }
                scanner.pass_bracket();
                Self::Blocks(blocks)
            }
            Some(b'"') => Self::Text(json_text::unescape(scanner.value().unwrap_or_default())),
            _ => Self::Other(owned(scanner.value().unwrap_or_default())),
        }
    }

    /// Returns the blocks; none if the content is a string or cannot be read.
    pub fn blocks(&self) -> &[Block] {
        match self {
            Self::Blocks(blocks) => blocks,
            _ => &[],
        }
    }
}

impl Serialize for Content {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => text.serialize(serializer),
            Self::Blocks(blocks) => blocks.serialize(serializer),
            Self::Other(raw) => raw.serialize(serializer),
            Self::Missing => serializer.serialize_none(),
        }
    }
}

/// One message of a conversation.
#[derive(Debug, Clone)]
pub struct Message {
    /// The speaker.
    pub role: Role,
    /// The text or blocks.
    pub content: Content,
    /// Fields not read here, in order: `ts`, `isSummary`, `condenseParent`, any.
    pub extra: Fields,
    /// The JSON if it was not a message at all (a number, for example), carried through unchanged.
    unreadable: Option<Box<RawValue>>,
    pub(super) remembered: Remembered,
}

impl Message {
    /// Creates a message without further fields.
    pub fn new(role: Role, content: Content) -> Self {
        Self { role, content, extra: Vec::new(), unreadable: None, remembered: Remembered::default() }
    }

    /// Copies the time of another message, if it has one, because hosts order and show messages by it.
    pub fn with_time_of(mut self, other: &Self) -> Self {
        let time = other.extra.iter().find(|(name, _)| name == "ts");
        self.extra.extend(time.cloned());
        self
    }

    /// Reads a message. Never fails: anything else is carried through unchanged, and [`super::problems`] reports it.
    pub fn read(raw: &RawValue) -> Self {
        Self::read_object(raw.get()).unwrap_or_else(|| {
            let unreadable = Some(raw.to_owned());
            Self { unreadable, ..Self::new(Role::Other(String::new()), Content::Missing) }
        })
    }

    /// Reads a message; `None` if it is not an object with a role, or if a key cannot be a Rust string.
    fn read_object(json: &str) -> Option<Self> {
        let mut scanner = Scanner::new(json);
        if scanner.peek() != Some(b'{') {
            return None;
        }
        scanner.pass_bracket();
        let (mut role, mut content, mut extra) = (None, None, Fields::new());
        while scanner.peek().is_some() {
            let key = scanner.key()?;
            match (&*key, scanner.peek()?) {
                ("role", b'"') if role.is_none() => role = Some(json_text::unescape(scanner.value()?)),
                // The longest part is not looked through for its end, because its blocks are read anyway.
                ("content", _) if content.is_none() => content = Some(Content::read_next(&mut scanner, Depth::Message)),
                _ => extra.push((key.into_owned(), owned(scanner.value()?))),
            }
        }
        Some(Self { extra, ..Self::new(role?.into(), content.unwrap_or(Content::Missing)) })
    }

    /// Returns the stored result of a reader of this kind, if it has read this message.
    pub(crate) fn known<T: Send + Sync + 'static>(&self, kind: Reading) -> Option<&T> {
        self.remembered.known(kind)
    }

    /// Returns the result of a reader of this kind. The first call computes and stores it. `None` if the stored result
    /// has another type.
    pub(crate) fn reading<T: Send + Sync + 'static>(&self, kind: Reading, read: impl FnOnce() -> T) -> Option<&T> {
        self.remembered.reading(kind, read)
    }

    /// Returns true if the JSON was not a message at all.
    pub fn is_unreadable(&self) -> bool {
        self.unreadable.is_some()
    }

    /// Returns the JSON if it was not a message at all.
    pub(super) fn unreadable(&self) -> Option<&RawValue> {
        self.unreadable.as_deref()
    }

    /// Returns true if the host marks it as a summary (`isSummary`). See `markers::is_summary`.
    pub fn is_called_summary(&self) -> bool {
        self.extra("isSummary") == Some("true")
    }

    /// Returns the JSON text of the field `name` among those not read here.
    pub fn extra(&self, name: &str) -> Option<&str> {
        self.extra.iter().find(|(key, _)| key == name).map(|(_, raw)| raw.get())
    }
}

impl Serialize for Message {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Some(raw) = &self.unreadable {
            return raw.serialize(serializer);
        }
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("role", self.role.as_str())?;
        if !matches!(self.content, Content::Missing) {
            map.serialize_entry("content", &self.content)?;
        }
        serialize_into(&mut map, &self.extra)?;
        map.end()
    }
}
