//! The parts of a message in another format. Each part is a block in our own format, with the places of its texts in
//! the message.

use std::borrow::Cow;

use serde_json::value::{RawValue, to_raw_value};

use crate::conversation::{
    Block, Content, Fields, Holes, Json, PathStep, Role,
    json_text::{StringValue, splice, string_values, unescape},
    surrogates::without_surrogates,
    typed_files,
};

/// A string inside a result becomes a separate text from this many bytes of JSON on.
const LONG: usize = 100;

/// Builds the value that replaces a result whose text is new.
pub type Wrap = fn(&str) -> Box<RawValue>;

/// The path from a message to a value in it.
pub type Path = Vec<PathStep>;

/// Creates a path of names and indices.
macro_rules! steps {
    ($($step:expr),* $(,)?) => { Vec::from([$(crate::conversation::PathStep::from($step)),*]) };
}
pub(super) use steps;

/// Returns `path` with further steps.
pub fn below(path: &[PathStep], steps: impl IntoIterator<Item = PathStep>) -> Path {
    path.iter().cloned().chain(steps).collect()
}

/// Returns the paths of the elements of the array at `path`.
pub fn each_below(path: &[PathStep], elements: usize) -> Vec<Path> {
    (0..elements).map(|index| below(path, [index.into()])).collect()
}

/// A part of a message.
#[derive(Debug, Clone)]
pub struct Part {
    /// The speaker: the assistant for calls, the user for results.
    pub role: Role,
    /// The content.
    pub block: Block,
    /// Its place in the message.
    pub place: Place,
}

/// The positions of a part and of its texts in the message.
#[derive(Debug, Clone, Default)]
pub struct Place {
    /// The paths that are removed with the part: elements of arrays, or fields; one empty path for the whole message.
    pub at: Vec<Path>,
    /// The paths of its texts.
    pub slot: Slot,
    /// Further paths with copies of the same texts.
    pub copies: Vec<Slot>,
    /// Elements of a result that are not text; they are removed when one text replaces all.
    pub beside: Vec<Path>,
    /// True if it must be directly before the part that follows it.
    pub needs_next: bool,
    /// Parts that share one of these are removed together.
    pub ties: Vec<String>,
    /// True if neither this part nor any other part of the same projected message is ever removed.
    pub stays: bool,
}

/// The paths of a part's texts.
#[derive(Debug, Clone, Default)]
pub enum Slot {
    /// The part never changes.
    #[default]
    Fixed,
    /// The single text of a text block or a result.
    Text(Path),
    /// These texts joined. A new text replaces the first, and the others are removed.
    Joined(Vec<Path>),
    /// The texts of a result of several blocks, one path per block; `None` for blocks that are not text.
    Texts(Vec<Option<Path>>),
    /// The same for strings inside a JSON value whose shape is kept. When one text replaces all, the others become
    /// empty.
    Strings(Vec<Option<Path>>),
    /// The text of a result, inside a value that is rebuilt around a new text.
    Wrapped(Path, Wrap),
    /// The parameters of a call.
    Input(Path),
    /// The parameters as JSON in a string.
    Encoded(Path),
    /// The text that is the only parameter, with this name.
    Parameter(&'static str, Path),
}

impl Part {
    /// Creates a part from a block at `at`.
    pub fn new(role: Role, block: Block, at: Path, slot: Slot) -> Self {
        Self { role, block, place: Place { at: vec![at], slot, ..Place::default() } }
    }

    /// Creates a text that the message contains unchanged at `stands`.
    pub fn text(role: Role, text: String, at: Path, stands: Path) -> Self {
        Self::new(role, Block::text(text), at, Slot::Text(stands))
    }

    /// Creates a message without content, which still counts as a turn.
    pub fn nothing(role: Role) -> Self {
        Self::new(role, Block::carried("", RawValue::NULL.to_owned()), Path::new(), Slot::Fixed)
    }

    /// Creates a part that is carried through and never changes, such as an image or a file: counted by its JSON,
    /// files in it by their kind.
    pub fn other(role: Role, kind: &str, json: Json<'_>, at: Path) -> Self {
        Self::new(role, Block::carried(kind, json.to_raw()), at, Slot::Fixed)
    }

    /// Creates readable thinking. With a `signature`, a Claude model has signed it.
    pub fn thinking(thinking: &str, signature: Option<&str>, at: Path) -> Self {
        let raw = match signature {
            Some(signature) => {
                serde_json::json!({ "type": "thinking", "thinking": thinking, "signature": signature })
            }
            None => serde_json::json!({ "type": "thinking", "thinking": thinking }),
        };
        let block = Block::Thinking { thinking: thinking.to_owned(), raw: raw_of(&raw) };
        Self::new(Role::Assistant, block, at, Slot::Fixed)
    }

    /// Creates a call whose parameters are at `stands`.
    pub fn call(id: String, name: String, input: Option<Json<'_>>, at: Path, stands: Path) -> Self {
        match input {
            Some(input) => Self::new(Role::Assistant, call(id, name, input.to_raw()), at, Slot::Input(stands)),
            None => Self::new(Role::Assistant, call(id, name, checked("{}".to_owned())), at, Slot::Fixed),
        }
    }

    /// Creates a call whose parameters are JSON in a text at `stands`. Text that is not a JSON object becomes one
    /// parameter, `arguments`.
    pub fn encoded_call(id: String, name: String, arguments: &str, at: Path, stands: Path) -> Self {
        let is_plain = matches!(without_surrogates(arguments), Cow::Borrowed(_)) && !arguments.contains("\\udbf");
        let raw: Option<Box<RawValue>> =
            if is_plain && !arguments.contains("\\uDBF") { serde_json::from_str(arguments).ok() } else { None };
        match raw.filter(|raw| raw.get().starts_with('{')) {
            Some(raw) => Self::new(Role::Assistant, call(id, name, raw), at, Slot::Encoded(stands)),
            None => Self::free_call(id, name, "arguments", arguments, at, stands),
        }
    }

    /// Creates a call whose only parameter is a text at `stands`.
    pub fn free_call(id: String, name: String, key: &'static str, text: &str, at: Path, stands: Path) -> Self {
        let input = raw_of(&serde_json::json!({ key: text }));
        Self::new(Role::Assistant, call(id, name, input), at, Slot::Parameter(key, stands))
    }

    /// Creates a result with one text.
    pub fn result(id: String, text: String, is_error: bool, at: Path, slot: Slot) -> Self {
        Self::new(Role::User, result(id, Content::Text(text), is_error), at, slot)
    }

    /// Creates a result that never changes, counted by its JSON.
    pub fn fixed_result(id: String, json: Box<RawValue>, is_error: bool, at: Path) -> Self {
        let block = Block::shape(json, Holes::default());
        Self::new(Role::User, result(id, Content::Blocks(vec![block]), is_error), at, Slot::Fixed)
    }

    /// Creates a result of the blocks at `stands`, with the path of each text among them.
    pub fn result_of_blocks(
        id: String,
        blocks: Vec<(Block, Option<Path>)>,
        is_error: bool,
        at: Path,
        stands: &[Path],
    ) -> Self {
        let (blocks, places): (_, Vec<Option<Path>>) = blocks.into_iter().unzip();
        let others = stands.iter().zip(&places).filter(|(_, place)| place.is_none());
        let beside = others.map(|(stands, _)| stands.clone()).collect();
        let mut part = Self::new(Role::User, result(id, Content::Blocks(blocks), is_error), at, Slot::Texts(places));
        part.place.beside = beside;
        part
    }

    /// Adds a copy of the part at another place.
    pub fn with_copy(mut self, at: Path, slot: Slot) -> Self {
        self.place.at.push(at);
        self.place.copies.push(slot);
        self
    }

    /// Creates a result that is any JSON, at `stands`. If long strings are most of it, they become its texts, so that
    /// its shape is kept. Otherwise its JSON is one text. A new text is then written in the form that `wrap` gives;
    /// without `wrap`, or with files, the result never changes.
    pub fn json_result(
        id: String,
        json: Json<'_>,
        is_error: bool,
        at: Path,
        stands: &[PathStep],
        wrap: Option<(Path, Wrap)>,
    ) -> Self {
        if let Some(text) = json.string() {
            return Self::result(id, text, is_error, at, Slot::Text(stands.to_vec()));
        }
        let mut files = typed_files(json.json());
        let is_file = |value: &StringValue| files.iter().any(|file| file.literal.as_ref() == Some(&value.literal));
        let is_long = |value: &StringValue| value.literal.len() >= LONG && !is_file(value);
        let long: Vec<_> = string_values(json.json()).into_iter().filter(is_long).collect();
        let bytes: usize = long.iter().map(|value| value.literal.len()).sum();
        let file_bytes: usize = files.iter().filter_map(|file| file.literal.as_ref()).map(ExactSizeIterator::len).sum();
        if 2 * bytes < json.json().len() - file_bytes {
            return match wrap.filter(|_| files.is_empty()) {
                Some((path, wrap)) => Self::result(id, json.json().to_owned(), is_error, at, Slot::Wrapped(path, wrap)),
                None => {
                    let rest = Block::shape(json.to_raw(), Holes { texts: Vec::new(), files });
                    Self::new(Role::User, result(id, Content::Blocks(vec![rest]), is_error), at, Slot::Fixed)
                }
            };
        }
        let mut emptied: Vec<_> = long.iter().map(|value| (value.literal.clone(), "\"\"".to_owned())).collect();
        // Returns the number of bytes removed before a position.
        let gone = |end: usize| -> usize {
            long.iter().take_while(|value| value.literal.end <= end).map(|value| value.literal.len() - 2).sum()
        };
        let hole = |value: &StringValue| {
            let start = value.literal.start - gone(value.literal.start);
            start..start + 2
        };
        let texts = long.iter().map(hole).collect();
        for literal in files.iter_mut().filter_map(|file| file.literal.as_mut()) {
            let gone = gone(literal.start);
            *literal = literal.start - gone..literal.end - gone;
        }
        let rest = Block::shape(checked(splice(json.json(), &mut emptied)), Holes { texts, files });
        let (mut blocks, mut places) = (vec![rest], vec![None]);
        for value in long {
            blocks.push(Block::text(unescape(&json.json()[value.literal])));
            places.push(Some(below(stands, value.path)));
        }
        Self::new(Role::User, result(id, Content::Blocks(blocks), is_error), at, Slot::Strings(places))
    }

    /// Adds to a result the files beside its value, in the array at `stands`.
    pub fn with_files(mut self, files: Vec<Json<'_>>, stands: &[PathStep]) -> Self {
        let Block::ToolResult { content, .. } = &mut self.block else { return self };
        if files.is_empty() {
            return self;
        }
        let old = std::mem::replace(content, Content::Missing);
        let (mut blocks, slot) = match (old, std::mem::take(&mut self.place.slot)) {
            (Content::Blocks(blocks), slot) => (blocks, slot),
            (Content::Text(text), Slot::Text(path)) => (vec![Block::text(text)], Slot::Texts(vec![Some(path)])),
            // If there are files, the value cannot be written as a text.
            (Content::Text(text), Slot::Wrapped(..)) => {
                (vec![Block::shape(checked(text), Holes::default())], Slot::Fixed)
            }
            (Content::Text(text), slot) => (vec![Block::text(text)], slot),
            (_, slot) => (Vec::new(), slot),
        };
        self.place.beside.extend((0..files.len()).map(|index| below(stands, [index.into()])));
        blocks.extend(files.into_iter().map(file_block));
        *content = Content::Blocks(blocks);
        self.place.slot = slot;
        self
    }

    /// Ties the part to all others with this tie, which are removed together.
    pub fn tied(mut self, tie: String) -> Self {
        self.place.ties.push(tie);
        self
    }

    /// Marks the part as never removed.
    pub fn staying(mut self) -> Self {
        self.place.stays = true;
        self
    }

    /// Marks the part as needing the part after it.
    pub fn needing_next(mut self) -> Self {
        self.place.needs_next = true;
        self
    }
}

/// Returns the parts of a message whose `content` is a text or blocks; `of_blocks` reads blocks.
pub fn parts_of_content<'j>(message: Json<'j>, of_blocks: impl FnOnce(&Role, Vec<Json<'j>>) -> Vec<Part>) -> Vec<Part> {
    let fields = message.object();
    let role = Role::from(fields.string("role").unwrap_or_default());
    let Some(content) =
        fields.get("content").filter(|content| !content.elements().is_empty() || content.string().is_some())
    else {
        return vec![Part::nothing(role)];
    };
    match content.string() {
        Some(text) => vec![Part::text(role, text, steps!["content"], steps!["content"])],
        None => of_blocks(&role, content.elements()),
    }
}

/// Creates a block that is carried through, with the `type` of its JSON; in formats without types, with its first
/// field's name.
pub fn file_block(json: Json<'_>) -> Block {
    let fields = json.object();
    let kind = fields.string("type").or_else(|| fields.iter().next().map(|(name, _)| name.to_owned()));
    Block::carried(&kind.unwrap_or_default(), json.to_raw())
}

fn call(id: String, name: String, input: Box<RawValue>) -> Block {
    Block::ToolUse { id, name, input: input.into(), extra: Fields::new() }
}

fn result(tool_use_id: String, content: Content, is_error: bool) -> Block {
    let extra = if is_error { vec![("is_error".to_owned(), raw_of(&true))] } else { Fields::new() };
    Block::ToolResult { tool_use_id, content, is_error, extra }
}

/// Returns the JSON of a value.
pub fn raw_of(value: &impl serde::Serialize) -> Box<RawValue> {
    to_raw_value(value).unwrap_or_default()
}

/// Wraps JSON that was built from valid JSON.
pub fn checked(json: String) -> Box<RawValue> {
    RawValue::from_string(json).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn json_result(json: &str) -> Part {
        let wrap: Wrap = |text| raw_of(&text);
        let raw = checked(json.to_owned());
        Part::json_result(
            "c".to_owned(),
            Json::from(&*raw),
            false,
            Path::new(),
            &steps!["at"],
            Some((Path::new(), wrap)),
        )
    }

    fn letters(count: usize) -> String {
        "abcdé".chars().cycle().take(count).collect::<String>().replace('é', "e")
    }

    #[test]
    fn json_has_texts_of_its_own_if_long_strings_are_most_of_it() {
        let object = |a: usize, b: usize| json!({ "a": letters(a), "b": letters(b) }).to_string();
        let is_shape = |json: &str| matches!(json_result(json).place.slot, Slot::Strings(_));
        // A string has two quotes, and the rest of the object eleven letters.
        for (json, wanted) in [
            (json!({ "a": letters(98) }).to_string(), true),
            (json!({ "a": letters(97) }).to_string(), false),
            (object(98, 87), true),
            (object(98, 88), false),
            (object(200, 97), true),
            (json!([letters(97), letters(97)]).to_string(), false),
        ] {
            assert_eq!(is_shape(&json), wanted, "{json}");
        }
        assert!(matches!(json_result(&json!(letters(98)).to_string()).place.slot, Slot::Text(_)));
    }

    #[test]
    fn the_shape_of_json_is_what_its_long_strings_leave() {
        let data = "iVBORw0KGgo".repeat(40);
        let file = json!({ "type": "image", "data": data, "mimeType": "image/png" });
        let long = [letters(150), format!("\"{}\"\n", letters(120)), letters(99)];
        let value = json!({ "n": 1, "a": long[0], "file": file, "b": [long[1], "short", file], "c": { "d": long[2] } });
        let json = value.to_string();
        let part = json_result(&json);
        let Block::ToolResult { content: Content::Blocks(blocks), .. } = &part.block else { panic!() };
        let [Block::Other { raw, holes, .. }, texts @ ..] = &blocks[..] else { panic!() };
        let texts: Vec<&str> =
            texts.iter().map(|block| if let Block::Text { text, .. } = block { &**text } else { "" }).collect();
        // The fields of an object are in the order of their names.
        assert_eq!(texts, [&long[0], &long[1], &long[2]]);
        let escaped = texts.iter().map(|text| json!(text).to_string());
        let mut filled: Vec<_> = holes.texts.iter().cloned().zip(escaped).collect();
        assert_eq!(filled.len(), 3);
        assert!(holes.texts.iter().all(|hole| &raw.get()[hole.clone()] == "\"\""));
        assert_eq!(serde_json::from_str::<Value>(&splice(raw.get(), &mut filled)).unwrap_or_default(), value);
        let files: Vec<&str> = holes.files.iter().filter_map(|file| Some(&raw.get()[file.literal.clone()?])).collect();
        assert_eq!(files, [json!(data).to_string(), json!(data).to_string()]);
        let paths = [steps!["at", "a"], steps!["at", "b", 0], steps!["at", "c", "d"]];
        let Slot::Strings(places) = &part.place.slot else { panic!() };
        assert_eq!(places.iter().flatten().collect::<Vec<_>>(), paths.iter().collect::<Vec<_>>());
        assert_eq!(places[0], None);
    }
}
