//! Lists everything that can be searched in a message: the texts of [`Message::texts`], and content that no provider
//! changes, such as documents, search results, titles, thinking, parameter names and numbers. `js/protect.js`
//! searches the same places.

use std::borrow::Cow;

use super::{Block, Content, Message, json_text::unescape};

/// Fields without words of their own: types, ids, and data that only the service reads.
const UNSPOKEN: [&str; 9] =
    ["type", "id", "tool_use_id", "signature", "media_type", "encrypted_content", "encrypted_index", "ttl", "file_id"];
/// `data` with this many bytes and no space is a file rather than words.
const MIN_FILE: usize = 64;

impl Message {
    /// Returns the searchable texts, each with the index of its block; 0 when the content is a string.
    pub fn searchable(&self) -> Vec<(usize, Cow<'_, str>)> {
        match &self.content {
            Content::Text(text) => vec![(0, text.into())],
            content => {
                let blocks = content.blocks().iter().enumerate();
                blocks.flat_map(|(at, block)| of_block(block).into_iter().map(move |found| (at, found))).collect()
            }
        }
    }
}

fn of_block(block: &Block) -> Vec<Cow<'_, str>> {
    match block {
        Block::Text { text, .. } | Block::ToolResult { content: Content::Text(text), .. } => vec![text.into()],
        Block::ToolUse { input, .. } => Scan::new(input.get(), false).collect(),
        Block::ToolResult { content, .. } => content.blocks().iter().flat_map(of_block).collect(),
        Block::Image { raw, .. } | Block::Thinking { raw, .. } => Scan::new(raw.get(), true).collect(),
        Block::Other { raw, holes, .. } => {
            let mut scan = Scan::new(raw.get(), true);
            scan.files =
                holes.files.iter().filter_map(|file| file.literal.as_ref()).map(|literal| literal.start).collect();
            scan.collect()
        }
    }
}

/// Iterates over the strings and numbers of a JSON text from front to back, without recursion, so that no nesting is
/// too deep.
struct Scan<'a> {
    json: &'a str,
    at: usize,
    /// True inside a block, whose keys belong to the API and are not searched; some of its values are not words either.
    /// Elsewhere keys belong to the host and are searched.
    is_block: bool,
    key: Cow<'a, str>,
    /// The start offsets of strings that are a file's data.
    files: Vec<usize>,
}

impl<'a> Scan<'a> {
    fn new(json: &'a str, is_block: bool) -> Self {
        Self { json, at: 0, is_block, key: "".into(), files: Vec::new() }
    }

    fn string(&mut self) -> Option<Cow<'a, str>> {
        let bytes = self.json.as_bytes();
        let from = self.at;
        self.at += 1;
        while bytes.get(self.at).is_some_and(|byte| *byte != b'"') {
            self.at += if bytes[self.at] == b'\\' { 2 } else { 1 };
        }
        self.at = (self.at + 1).min(bytes.len());
        let literal = &self.json[from..self.at];
        let text: Cow<'a, str> =
            if literal.contains('\\') { unescape(literal).into() } else { literal.trim_matches('"').into() };
        if self.json[self.at..].trim_start().starts_with(':') {
            self.key = text.clone();
            return (!self.is_block).then_some(text);
        }
        if self.files.contains(&from) {
            return None;
        }
        let is_file = || self.key == "data" && text.len() >= MIN_FILE && !text.contains(char::is_whitespace);
        let is_spoken = !self.is_block || !(UNSPOKEN.contains(&&*self.key) || is_file());
        is_spoken.then_some(text)
    }
}

impl<'a> Iterator for Scan<'a> {
    type Item = Cow<'a, str>;

    fn next(&mut self) -> Option<Self::Item> {
        while let Some(byte) = self.json.as_bytes().get(self.at) {
            match byte {
                b'"' => {
                    if let Some(text) = self.string() {
                        return Some(text);
                    }
                }
                b'-' | b'0'..=b'9' => {
                    let rest = &self.json[self.at..];
                    let length = rest.find([',', ']', '}', ' ', '\n', '\r', '\t']).unwrap_or(rest.len());
                    self.at += length;
                    return Some(rest[..length].into());
                }
                _ => self.at += 1,
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::Conversation;

    fn found(content: serde_json::Value) -> Vec<String> {
        let conversation = Conversation::parse(&json!([{ "role": "user", "content": content }]).to_string()).unwrap();
        conversation.message(0).searchable().into_iter().map(|(at, text)| format!("{at} {text}")).collect()
    }

    #[test]
    fn in_every_kind_of_block() {
        assert_eq!(found(json!("a text")), ["0 a text"]);
        let document = json!({ "type": "document", "title": "T", "context": "C", "source": { "type": "text", "media_type": "text/plain", "data": "D" } });
        let search = json!({ "type": "search_result", "source": "u", "title": "t", "content": [{ "type": "text", "text": "s" }] });
        assert_eq!(found(json!([{ "type": "text", "text": "a" }, document])), ["0 a", "1 C", "1 D", "1 T"]);
        let result = json!({ "type": "tool_result", "tool_use_id": "x", "content": [document, search, { "type": "text", "text": "b" }] });
        assert_eq!(found(json!([result])), ["0 C", "0 D", "0 T", "0 s", "0 u", "0 t", "0 b"]);
        let call = json!({ "type": "tool_use", "id": "x", "name": "n", "input": { "say \"it\"": [12_345_678, -1.5, { "type": "kept" }] } });
        assert_eq!(found(json!([call])), ["0 say \"it\"", "0 12345678", "0 -1.5", "0 type", "0 kept"]);
        let thinking = json!({ "type": "thinking", "thinking": "I \u{e9} \"think\"", "signature": "sig" });
        assert_eq!(found(json!([thinking])), ["0 I \u{e9} \"think\""]);
    }

    #[test]
    fn files_are_no_words_and_no_depth_is_too_deep() {
        let image = json!({ "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "never".repeat(30) } });
        assert_eq!(found(json!([image])), Vec::<String>::new());
        let deep = format!(
            r#"[{{"role":"assistant","content":[{{"type":"tool_use","id":"x","name":"n","input":{{"a":{}"found"{}}}}}]}}]"#,
            "[".repeat(5000),
            "]".repeat(5000)
        );
        let conversation = Conversation::parse(&deep).unwrap();
        let found = conversation.message(0).searchable();
        assert_eq!(found.iter().map(|(_, text)| &**text).collect::<Vec<_>>(), ["a", "found"]);
    }
}
