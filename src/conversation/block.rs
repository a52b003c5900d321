//! Content blocks.

use std::ops::Range;

use serde::{Serialize, Serializer, ser::SerializeMap};
use serde_json::value::RawValue;

use super::{
    Content,
    attached::{AttachedFile, Media, Service, files_in, is_file},
    fields::{Fields, RawFields, owned, serialize_into},
    json_text,
    scan::Scanner,
    tool_input::ToolInput,
};

/// The level at which a block occurs. The Messages API has no tool results inside tool results, so nested ones are not
/// read: reading stays linear and needs no stack, however deep they go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Depth {
    Message,
    ToolResult,
}

/// One block of a message's content.
#[derive(Debug, Clone)]
pub enum Block {
    /// `{type: "text", text}`
    Text {
        /// The text.
        text: String,
        /// Fields not read here.
        extra: Fields,
    },
    /// `{type: "tool_use", id, name, input}`: the assistant calls a tool.
    ToolUse {
        /// The id by which its result refers to it.
        id: String,
        /// The tool's name.
        name: String,
        /// The parameters as the original JSON text; null if there are none.
        input: ToolInput,
        /// Fields not read here.
        extra: Fields,
    },
    /// `{type: "tool_result", tool_use_id, content, is_error?}`: the result of a tool call.
    ToolResult {
        /// The id of its call.
        tool_use_id: String,
        /// A string, or blocks.
        content: Content,
        /// True if the tool reported a failure.
        is_error: bool,
        /// Fields not read here, including `is_error`, so that it is written as it was.
        extra: Fields,
    },
    /// `{type: "image", …}`
    Image {
        /// Length of the base64 data in UTF-16 units; `None` if there is no data, for example if there is a URL.
        data_length: Option<usize>,
        /// The whole block.
        raw: Box<RawValue>,
    },
    /// `{type: "thinking", thinking, signature}`: signed, so it never changes.
    Thinking {
        /// The model's thoughts.
        thinking: String,
        /// The whole block.
        raw: Box<RawValue>,
    },
    /// Any other type, and blocks without the fields that their type requires. They are carried through unchanged.
    Other {
        /// The `type` field; empty if there is none.
        kind: String,
        /// The whole block.
        raw: Box<RawValue>,
        /// The places in it that are not counted as text.
        holes: Holes,
    },
}

/// The places in a block's JSON that are not counted as text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Holes {
    /// Empty strings in place of the text blocks after this one, in order: together they form one JSON value.
    pub texts: Vec<Range<usize>>,
    /// Files, which are counted by their kind.
    pub files: Vec<AttachedFile>,
}

impl Block {
    /// Creates a text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into(), extra: Vec::new() }
    }

    /// Creates a block of a type that is not read here: an image, or JSON that is carried through, in which files are
    /// found.
    pub fn carried(kind: &str, raw: Box<RawValue>) -> Self {
        let files = files_in(kind, raw.get());
        match files[..] {
            [AttachedFile { media: Media::Image, encoded, .. }] if is_file(kind) => {
                Self::Image { data_length: encoded, raw }
            }
            _ => Self::Other { kind: kind.to_owned(), raw, holes: Holes { files, ..Holes::default() } },
        }
    }

    /// Creates a block of JSON that the model reads as text, except at these places.
    pub fn shape(raw: Box<RawValue>, holes: Holes) -> Self {
        Self::Other { kind: "json".to_owned(), raw, holes }
    }

    /// Has the files in it counted by the rule of `service`.
    pub fn count_for(&mut self, service: Service) {
        match self {
            Self::Other { holes, .. } => holes.files.iter_mut().for_each(|file| file.service = service),
            Self::ToolResult { content: Content::Blocks(blocks), .. } => {
                blocks.iter_mut().for_each(|block| block.count_for(service));
            }
            _ => {}
        }
    }

    /// Reads a block. Never fails: anything that is not a block of a known type becomes [`Block::Other`].
    pub fn read(raw: &RawValue) -> Self {
        Self::read_at(raw.get(), Depth::Message)
    }

    pub(super) fn read_at(json: &str, depth: Depth) -> Self {
        Self::read_next(&mut Scanner::new(json), depth)
    }

    pub(super) fn read_next(scanner: &mut Scanner<'_>, depth: Depth) -> Self {
        let (json, fields) = RawFields::read_next(scanner);
        let other = |kind: &str| {
            let mut block = Self::carried(kind, owned(json));
            block.count_for(Service::Anthropic);
            block
        };
        let Some(mut fields) = fields else { return other("") };
        let Some(kind) = fields.take_string("type") else { return other("") };
        match kind.as_str() {
            "text" => match fields.take_string("text") {
                Some(text) => Self::Text { text, extra: fields.into_owned() },
                None => other(&kind),
            },
            "tool_use" => match (fields.take_string("id"), fields.take_string("name")) {
                (Some(id), Some(name)) => {
                    // A written null stays in `extra`; the null of a missing field is never written.
                    let written = fields.get("input").is_some_and(|input| input != RawValue::NULL.get());
                    let input = if written { fields.take("input") } else { None };
                    let input = input.map_or_else(|| RawValue::NULL.to_owned(), owned);
                    Self::ToolUse { id, name, input: input.into(), extra: fields.into_owned() }
                }
                _ => other(&kind),
            },
            "tool_result" if depth == Depth::ToolResult => other(&kind),
            "tool_result" => match fields.take_string("tool_use_id") {
                Some(tool_use_id) => Self::ToolResult {
                    tool_use_id,
                    content: fields
                        .take("content")
                        .map_or(Content::Missing, |json| Content::read_at(json, Depth::ToolResult)),
                    is_error: fields.get("is_error").is_some_and(|flag| flag == "true"),
                    extra: fields.into_owned(),
                },
                None => other(&kind),
            },
            "image" => Self::Image { data_length: image_data_length(&fields), raw: owned(json) },
            "thinking" => match fields.take_string("thinking") {
                Some(thinking) => Self::Thinking { thinking, raw: owned(json) },
                None => other(&kind),
            },
            _ => other(&kind),
        }
    }

    /// Returns the `type` field; empty if there is none.
    pub fn kind(&self) -> &str {
        match self {
            Self::Text { .. } => "text",
            Self::ToolUse { .. } => "tool_use",
            Self::ToolResult { .. } => "tool_result",
            Self::Image { .. } => "image",
            Self::Thinking { .. } => "thinking",
            Self::Other { kind, .. } => kind,
        }
    }

    /// Returns the block's type for people; for a file its kind, whatever the format calls it.
    pub fn name(&self) -> &str {
        match self {
            Self::Other { kind, holes, .. } => match holes.files[..] {
                [AttachedFile { media, .. }] if is_file(kind) => media.name(),
                _ => kind,
            },
            other => other.kind(),
        }
    }
}

impl Block {
    /// Returns true if it is thinking, readable or encrypted by the service.
    pub fn is_thinking(&self) -> bool {
        matches!(self.kind(), "thinking" | "redacted_thinking")
    }

    /// Returns true if the service has signed this thinking: `redacted_thinking` always is, `thinking` when it has a
    /// `signature`.
    pub fn is_signed_thinking(&self) -> bool {
        match self {
            Self::Thinking { raw, .. } => RawFields::read(raw.get())
                .and_then(|mut fields| fields.take_string("signature"))
                .is_some_and(|signature| !signature.is_empty()),
            other => other.kind() == "redacted_thinking",
        }
    }
}

/// The Messages API has base64 data in `source.data`.
fn image_data_length(fields: &RawFields) -> Option<usize> {
    let source = RawFields::read(fields.get("source")?)?;
    let data = source.get("data")?;
    if !data.starts_with('"') {
        return None;
    }
    // The only escape in base64 is `\/`, which JSON.stringify does not write. Without escapes the length is that of
    // the literal.
    Some(if data.contains('\\') { json_text::unescape(data).encode_utf16().count() } else { data.len() - 2 })
}

impl Serialize for Block {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (raw, extra) = match self {
            Self::Image { raw, .. } | Self::Thinking { raw, .. } | Self::Other { raw, .. } => {
                return raw.serialize(serializer);
            }
            Self::Text { extra, .. } | Self::ToolUse { extra, .. } | Self::ToolResult { extra, .. } => (self, extra),
        };
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("type", raw.kind())?;
        match raw {
            Self::Text { text, .. } => map.serialize_entry("text", text)?,
            Self::ToolUse { id, name, input, .. } => {
                map.serialize_entry("id", id)?;
                map.serialize_entry("name", name)?;
                if input.get() != RawValue::NULL.get() {
                    map.serialize_entry("input", input)?;
                }
            }
            Self::ToolResult { tool_use_id, content, .. } => {
                map.serialize_entry("tool_use_id", tool_use_id)?;
                if !matches!(content, Content::Missing) {
                    map.serialize_entry("content", content)?;
                }
            }
            Self::Image { .. } | Self::Thinking { .. } | Self::Other { .. } => {}
        }
        serialize_into(&mut map, extra)?;
        map.end()
    }
}
