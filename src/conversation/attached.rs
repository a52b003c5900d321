//! Finds files inside the JSON of a part by structure: the position of their data, their kind and their length. Only
//! the first bytes are decoded.

use std::{borrow::Cow, ops::Range};

use super::view::{Json, JsonObject};

/// The kind of a file, as far as it matters for counting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Media {
    /// An image.
    Image,
    /// A document with pages: PDF, an office file, a file of unknown type.
    Document,
    /// Sound.
    Audio,
    /// Video.
    Video,
    /// A text file, or data that only the service reads, such as encrypted reasoning.
    Data,
}

/// The service whose rule counts a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Service {
    /// Anthropic's Messages API.
    Anthropic,
    /// Either of OpenAI's APIs.
    OpenAi,
    /// Google's Gemini API.
    Gemini,
    /// A framework's format, or a service that offers models of several makers.
    #[default]
    Any,
}

/// A file in the JSON of a part.
#[derive(Debug, Clone, PartialEq)]
pub struct AttachedFile {
    /// Its kind.
    pub media: Media,
    /// The service whose rule counts it.
    pub service: Service,
    /// The byte range of the JSON string with its data; `None` if the JSON only refers to the file.
    pub literal: Option<Range<usize>>,
    /// Length of its data in base64 characters.
    pub encoded: Option<usize>,
    /// Pages or seconds, if the first bytes say so.
    pub extent: Option<f64>,
    /// True if the surrounding object has the `type` of a file and a media type, as images in MCP results do.
    pub is_typed: bool,
}

impl AttachedFile {
    fn new(media: Media, encoded: Option<usize>) -> Self {
        Self { media, service: Service::Any, literal: None, encoded, extent: None, is_typed: false }
    }
}

impl Media {
    /// Returns a word for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Image => "image",
            Self::Document => "document",
            Self::Audio => "audio",
            Self::Video => "video",
            Self::Data => "file",
        }
    }

    /// Parses a media type; `None` if it names no kind of file. The AI SDK also accepts the first half alone.
    fn from_type(media: &str) -> Option<Self> {
        let (kind, rest) = media.split_once('/').unwrap_or((media, ""));
        match kind.trim() {
            "image" => Some(Self::Image),
            "audio" => Some(Self::Audio),
            "video" => Some(Self::Video),
            "text" => Some(Self::Data),
            "application" if rest == "octet-stream" || rest.is_empty() => None,
            "application" if ["json", "xml", "yaml", "javascript"].iter().any(|text| rest.contains(text)) => {
                Some(Self::Data)
            }
            "application" => Some(Self::Document),
            _ => None,
        }
    }

    /// Parses a file name extension, which OpenAI and Bedrock call `format`.
    fn from_format(format: &str) -> Option<Self> {
        Some(match format {
            "png" | "jpg" | "jpeg" | "gif" | "webp" => Self::Image,
            "mp3" | "wav" | "ogg" | "flac" | "aac" | "m4a" | "opus" | "pcm16" => Self::Audio,
            "mp4" | "mov" | "mkv" | "webm" | "mpeg" | "mpg" | "flv" | "wmv" | "three_gp" => Self::Video,
            "txt" | "md" | "csv" | "html" | "json" | "xml" => Self::Data,
            "pdf" | "doc" | "docx" | "xls" | "xlsx" | "ppt" | "pptx" => Self::Document,
            _ => return None,
        })
    }

    /// Parses a format's name for a part that is a file.
    fn from_part(kind: &str) -> Option<Self> {
        PARTS.iter().find(|(name, _)| *name == kind).map(|(_, media)| *media)
    }

    /// Recognises the first bytes of a file.
    fn from_start(start: &[u8]) -> Option<Self> {
        const STARTS: [(&[u8], Media); 9] = [
            (b"%PDF", Media::Document),
            (b"PK\x03\x04", Media::Document),
            (b"\x89PNG", Media::Image),
            (b"\xff\xd8\xff", Media::Image),
            (b"GIF8", Media::Image),
            (b"ID3", Media::Audio),
            (b"OggS", Media::Audio),
            (b"fLaC", Media::Audio),
            (b"\x1a\x45\xdf\xa3", Media::Video),
        ];
        match (start.get(..4), start.get(4..8), start.get(8..12)) {
            (Some(b"RIFF"), _, Some(b"WEBP")) => Some(Self::Image),
            (Some(b"RIFF"), _, Some(b"WAVE")) => Some(Self::Audio),
            (Some(b"RIFF"), _, Some(b"AVI ")) | (_, Some(b"ftyp"), _) => Some(Self::Video),
            _ => STARTS.iter().find(|(bytes, _)| start.starts_with(bytes)).map(|(_, media)| *media),
        }
    }
}

/// The formats' names for parts that are files.
const PARTS: [(&str, Media); 27] = [
    ("image", Media::Image),
    ("image_url", Media::Image),
    ("input_image", Media::Image),
    ("image-data", Media::Image),
    ("image-url", Media::Image),
    ("image-file-id", Media::Image),
    ("image_file", Media::Image),
    ("computer_screenshot", Media::Image),
    ("document", Media::Document),
    ("file", Media::Document),
    ("input_file", Media::Document),
    ("file-data", Media::Document),
    ("file-url", Media::Document),
    ("file-id", Media::Document),
    ("reasoning-file", Media::Document),
    ("media", Media::Document),
    ("inlineData", Media::Document),
    ("fileData", Media::Document),
    ("inline_data", Media::Document),
    ("file_data", Media::Document),
    ("audio", Media::Audio),
    ("input_audio", Media::Audio),
    ("audio_url", Media::Audio),
    ("video", Media::Video),
    ("input_video", Media::Video),
    ("video_url", Media::Video),
    ("media_url", Media::Document),
];

/// Fields that contain a media type.
const MEDIA_TYPES: [&str; 6] = ["media_type", "mediaType", "mimeType", "mime_type", "mime", "contentType"];
/// Fields that contain a file's data, in parts known to be files.
const DATA: [&str; 10] =
    ["data", "bytes", "image", "base64", "file_data", "fileData", "image_url", "url", "result", "audio"];
/// Fields that refer to a file that the service or framework fetches.
const REFERENCES: [&str; 14] = [
    "url",
    "uri",
    "fileUri",
    "file_uri",
    "file_id",
    "fileId",
    "file_url",
    "fileUrl",
    "image",
    "image_url",
    "data",
    "id",
    "providerReference",
    "s3Location",
];
/// A run of this many base64 characters without a blank is not prose.
const MIN_BASE64: usize = 256;
/// Number of base64 characters to decode: the first kilobyte.
const START: usize = 1368;
/// Files nested deeper in a part are not searched for.
const MAX_DEPTH: usize = 12;

/// Returns true if a format's part of this name is always a file.
pub(super) fn is_file(kind: &str) -> bool {
    Media::from_part(kind).is_some()
}

/// Returns the files in any JSON value that state their type.
pub fn typed_files(json: &str) -> Vec<AttachedFile> {
    let mut files = files_in("", json);
    files.retain(|file| file.is_typed && file.encoded.is_some_and(|letters| letters >= MIN_BASE64));
    files
}

/// Returns the files in the JSON of a part. `kind` is the format's name for the part.
pub(super) fn files_in(kind: &str, json: &str) -> Vec<AttachedFile> {
    let mut search = Search { json, files: Vec::new(), reference: None };
    let known = Media::from_part(kind);
    search.value(
        Json::from_text(json),
        "",
        Known { media: known, is_certain: false, is_text: false, is_typed: false },
        0,
    );
    if search.files.is_empty()
        && let Some(media) = search.reference.or(known.filter(|media| *media == Media::Image))
    {
        search.files.push(AttachedFile::new(media, None));
    }
    search.files
}

/// Facts about a value from the fields around it.
#[derive(Clone, Copy)]
struct Known {
    /// The kind of file that the value is, or is part of.
    media: Option<Media>,
    /// True if a media type says so, and not only the name of the part.
    is_certain: bool,
    /// True if the value is declared to be text.
    is_text: bool,
    /// True if the surrounding object states that it is a file, and of which type.
    is_typed: bool,
}

struct Search<'a> {
    json: &'a str,
    files: Vec<AttachedFile>,
    /// The kind of a file that is only referred to.
    reference: Option<Media>,
}

impl<'a> Search<'a> {
    fn value(&mut self, value: Json<'a>, key: &str, known: Known, depth: usize) {
        if depth > MAX_DEPTH {
            return;
        }
        if value.is_object() {
            match byte_object(value) {
                Some(length) => self.add_bytes(value, length, known),
                None => self.object(&value.object(), key, known, depth),
            }
        } else if value.is_array() {
            match byte_array(value) {
                Some(length) => self.add_bytes(value, length, known),
                None => value.elements().into_iter().for_each(|element| self.value(element, key, known, depth + 1)),
            }
        } else if let Some(literal) = value.json().strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
            self.string(value, literal, key, known);
        }
    }

    fn object(&mut self, fields: &JsonObject<'a>, key: &str, around: Known, depth: usize) {
        let own = |names: &[&str]| names.iter().find_map(|name| fields.string(name));
        let kind = own(&["type"]).unwrap_or_default();
        let declared = own(&MEDIA_TYPES).and_then(|media| Media::from_type(&media));
        let declared = declared.or_else(|| own(&["format"]).and_then(|format| Media::from_format(&format)));
        let by_name = || Media::from_part(&kind).or_else(|| Media::from_part(key));
        let known = Known {
            media: declared.or(around.media.filter(|_| around.is_certain)).or_else(by_name).or(around.media),
            is_certain: declared.is_some() || around.is_certain,
            is_text: kind == "text",
            is_typed: declared.is_some() && Media::from_part(&kind).is_some(),
        };
        for (name, value) in fields.iter() {
            self.value(value, name, known, depth + 1);
        }
    }

    fn string(&mut self, value: Json<'a>, literal: &'a str, key: &str, known: Known) {
        if known.is_text || key == "text" {
            return;
        }
        let (declared, data) =
            data_url(literal).map_or((None, literal), |(media, data)| (Media::from_type(&media), data));
        let is_url = data.len() < literal.len();
        let is_named = || known.media.is_some() && DATA.contains(&key) && !data.is_empty() && is_base64(data);
        if is_url || is_named() || (data.len() >= MIN_BASE64 && is_base64(data)) {
            let start = decoded(data.get(..START).unwrap_or(data));
            let certain = declared.or(known.media.filter(|_| known.is_certain));
            let media = certain.or_else(|| Media::from_start(&start)).or(known.media).unwrap_or(Media::Data);
            let extent = extent_of(media, &start, data.len() / 4 * 3);
            let (literal, is_typed) = (Some(self.range_of(value)), known.is_typed);
            self.files.push(AttachedFile { literal, extent, is_typed, ..AttachedFile::new(media, Some(data.len())) });
        } else if known.media.is_some() && REFERENCES.contains(&key) && !literal.contains(char::is_whitespace) {
            self.reference = self.reference.or(known.media);
        }
    }

    /// Adds bytes that JavaScript wrote as numbers.
    fn add_bytes(&mut self, value: Json<'a>, length: usize, known: Known) {
        let file = AttachedFile::new(known.media.unwrap_or(Media::Data), Some(length.div_ceil(3) * 4));
        self.files.push(AttachedFile { literal: Some(self.range_of(value)), is_typed: known.is_typed, ..file });
    }

    fn range_of(&self, value: Json<'_>) -> Range<usize> {
        let start = value.json().as_ptr() as usize - self.json.as_ptr() as usize;
        start..start + value.json().len()
    }
}

/// Returns the media type and the data of a base64 data URL.
fn data_url(text: &str) -> Option<(Cow<'_, str>, &str)> {
    let (head, data) = text.strip_prefix("data:")?.split_once(',')?;
    let (media, _) = head.split_once(';').unwrap_or((head, ""));
    let media = if media.contains('\\') { media.replace("\\/", "/").into() } else { media.into() };
    Some((media, data))
}

/// Returns true if all characters are base64, on one line or on lines of one length, as in mail.
fn is_base64(literal: &str) -> bool {
    let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_');
    let is_line = |line: &str| line.trim_end_matches('=').bytes().all(|byte| is_letter(&byte));
    if !literal.contains('\\') {
        return is_line(literal);
    }
    // JSON may write `/` as `\/`.
    let literal = literal.replace("\\/", "/").replace("\\r\\n", "\\n");
    let lines: Vec<&str> = literal.trim_end_matches("\\n").split("\\n").collect();
    let length = lines[0].len();
    let is_even = lines.iter().rev().skip(1).all(|line| line.len() == length);
    (lines.len() == 1 || length >= 60) && is_even && lines.into_iter().all(is_line)
}

/// Returns the number of bytes of a typed array, which JSON has as `{"0":37,"1":80,…}`.
fn byte_object(value: Json<'_>) -> Option<usize> {
    let inner = value.json().strip_prefix('{')?.strip_suffix('}')?;
    let is_number = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'"' | b':' | b',');
    (inner.starts_with("\"0\":") && inner.bytes().all(is_number)).then(|| inner.split(',').count())
}

/// Returns the number of bytes of an array of bytes, such as the `data` of a Node buffer.
fn byte_array(value: Json<'_>) -> Option<usize> {
    let inner = value.json().strip_prefix('[')?.strip_suffix(']')?;
    if inner.len() < MIN_BASE64 || !inner.starts_with(|letter: char| letter.is_ascii_digit()) {
        return None;
    }
    let is_byte = |number: &str| number.trim().parse::<u8>().is_ok();
    inner.split(',').all(is_byte).then(|| inner.split(',').count())
}

/// Decodes base64 up to the first invalid character.
fn decoded(base64: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(base64.len() * 3 / 4);
    let (mut bits, mut held) = (0_u32, 0_u8);
    for letter in base64.bytes() {
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'\\' => continue,
            _ => break,
        };
        bits = (bits << 6 | u32::from(value)) & 0xff_ffff;
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
        }
    }
    bytes
}

/// Returns the pages or seconds of a file of `length` bytes, if its beginning says so.
fn extent_of(media: Media, start: &[u8], length: usize) -> Option<f64> {
    match media {
        Media::Document => linearized_pages(start),
        Media::Audio if start.get(8..16) == Some(b"WAVEfmt ") => {
            let rate = number_at(start, 28, false)?;
            (rate > 0.0).then(|| length as f64 / rate)
        }
        Media::Audio | Media::Video => movie_seconds(start),
        Media::Image | Media::Data => None,
    }
}

/// Returns the number of pages in the first object of a PDF written for the web: `/N 12`.
fn linearized_pages(start: &[u8]) -> Option<f64> {
    let text = String::from_utf8_lossy(start);
    let (_, rest) = text.split_once("/Linearized")?;
    let (_, number) = rest.split_once(">>")?.0.split_once("/N ")?;
    let digits: String = number.trim_start().chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok().filter(|pages| *pages > 0.0)
}

/// Returns the length in seconds from the header of an MP4 or `QuickTime` file.
fn movie_seconds(start: &[u8]) -> Option<f64> {
    let at = start.windows(4).position(|name| name == b"mvhd")? + 4;
    let is_old = *start.get(at)? == 0;
    let (scale, length) = if is_old { (at + 12, at + 16) } else { (at + 20, at + 28) };
    let (scale, length) = (number_at(start, scale, true)?, number_at(start, length, true)?);
    (scale > 0.0).then(|| length / scale)
}

fn number_at(bytes: &[u8], at: usize, is_big_endian: bool) -> Option<f64> {
    let four: [u8; 4] = bytes.get(at..at + 4)?.try_into().ok()?;
    Some(f64::from(if is_big_endian { u32::from_be_bytes(four) } else { u32::from_le_bytes(four) }))
}

#[cfg(test)]
mod tests {
    use base64::{Engine as _, engine::general_purpose::STANDARD};
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn noise(length: usize) -> String {
        let bytes: Vec<u8> = (0..length as u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        STANDARD.encode(bytes)
    }

    /// Kind, length and extent of each file.
    fn found(kind: &str, part: &Value) -> Vec<(Media, Option<usize>, Option<f64>)> {
        let text = part.to_string();
        files_in(kind, &text).into_iter().map(|file| (file.media, file.encoded, file.extent)).collect()
    }

    fn media(kind: &str, part: Value) -> Vec<Media> {
        found(kind, &part).into_iter().map(|(media, ..)| media).collect()
    }

    #[test]
    fn files_of_every_format_are_found() {
        use Media::{Audio, Data, Document, Image, Video};
        let data = noise(600);
        let url = |media: &str| format!("data:{media};base64,{data}");
        let source = json!({ "type": "base64", "media_type": "application/pdf", "data": data });
        let cases = [
            ("document", json!({ "type": "document", "source": source }), Document),
            (
                "file",
                json!({ "type": "file", "file": { "filename": "a.pdf", "file_data": url("application/pdf") } }),
                Document,
            ),
            ("input_audio", json!({ "type": "input_audio", "input_audio": { "data": data, "format": "wav" } }), Audio),
            (
                "input_file",
                json!({ "type": "input_file", "filename": "a.pdf", "file_data": url("application/pdf") }),
                Document,
            ),
            (
                "computer_call_output",
                json!({ "type": "computer_call_output", "output": { "type": "computer_screenshot", "image_url": url("image/png") } }),
                Image,
            ),
            ("inlineData", json!({ "inlineData": { "mimeType": "video/mp4", "data": data } }), Video),
            ("fileData", json!({ "fileData": { "mimeType": "audio/mp3", "fileUri": "https://x/y" } }), Audio),
            (
                "document",
                json!({ "document": { "format": "pdf", "name": "n", "source": { "bytes": data } } }),
                Document,
            ),
            ("video", json!({ "video": { "format": "mp4", "source": { "bytes": data } } }), Video),
            (
                "video",
                json!({ "video": { "format": "mp4", "source": { "s3Location": { "uri": "s3://a/b" } } } }),
                Video,
            ),
            ("file", json!({ "type": "file", "mediaType": "application/pdf", "data": data }), Document),
            ("media", json!({ "type": "media", "mediaType": "image/png", "data": "aGk=" }), Image),
            ("file-data", json!({ "type": "file-data", "mediaType": "text/csv", "data": data }), Data),
            ("image-data", json!({ "type": "image-data", "mediaType": "image/png", "data": data }), Image),
            (
                "audio",
                json!({ "type": "audio", "source_type": "base64", "mime_type": "audio/wav", "data": data }),
                Audio,
            ),
            ("file", json!({ "id": "prt_1", "type": "file", "mime": "image/png", "url": url("image/png") }), Image),
            ("file", json!({ "type": "file", "mediaType": "application/pdf", "url": "https://x/y.pdf" }), Document),
            ("never_seen", json!({ "type": "never_seen", "payload": { "deep": [data] } }), Data),
            ("never_seen", json!({ "type": "never_seen", "shot": url("image/webp") }), Image),
            ("reasoning", json!({ "type": "reasoning", "encrypted_content": data, "summary": [] }), Data),
        ];
        for (kind, part, expected) in cases {
            assert_eq!(media(kind, part.clone()), [expected], "{part}");
        }
    }

    #[test]
    fn bytes_that_javascript_writes_as_numbers_are_a_file() {
        let part = r#"{"document":{"format":"pdf","source":{"bytes":{"0":37,"1":80,"2":68,"3":70}}}}"#;
        let files = files_in("document", part);
        assert_eq!(files.len(), 1);
        assert_eq!((files[0].media, files[0].encoded), (Media::Document, Some(8)));
        assert_eq!(&part[files[0].literal.clone().unwrap()], r#"{"0":37,"1":80,"2":68,"3":70}"#);
        let buffer =
            json!({ "type": "file", "mediaType": "audio/mp3", "data": { "type": "Buffer", "data": vec![7; 300] } });
        assert_eq!(found("file", &buffer), [(Media::Audio, Some(400), None)]);
    }

    #[test]
    fn text_is_no_file() {
        let letters = "a".repeat(400);
        let cases = [
            (
                "document",
                json!({ "type": "document", "source": { "type": "text", "media_type": "text/plain", "data": letters } }),
            ),
            (
                "document",
                json!({ "type": "document", "source": { "type": "content", "content": [{ "type": "text", "text": letters }] } }),
            ),
            ("document", json!({ "document": { "name": "n", "source": { "text": letters } } })),
            ("never_seen", json!({ "type": "never_seen", "words": "some words ".repeat(40) })),
            ("never_seen", json!({ "type": "never_seen", "names": "parser\ntoken\ncursor\nbuffer\n".repeat(20) })),
            ("never_seen", json!({ "type": "never_seen", "numbers": [1, 2, 3], "url": "https://x/y" })),
        ];
        for (kind, part) in cases {
            assert_eq!(media(kind, part.clone()), [], "{part}");
        }
    }

    #[test]
    fn the_first_bytes_tell_kind_and_length() {
        let mut wave = b"RIFF\0\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x80\x3e\0\0\x02\0\x10\0data".to_vec();
        wave.resize(48_000, 1);
        let wave = STANDARD.encode(wave);
        // 16,000 bytes per second.
        assert_eq!(found("x", &json!({ "sound": wave })), [(Media::Audio, Some(64_000), Some(3.0))]);
        let pdf = format!("%PDF-1.7\n1 0 obj\n<</Linearized 1/L 9/O 3/E 9/N 42/T 9>>\nendobj{}", " x".repeat(400));
        let pdf = STANDARD.encode(pdf.replace("/N 42", "/N 42 "));
        assert_eq!(found("x", &json!({ "paper": pdf }))[0].2, Some(42.0));
        let mut movie = b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom\0\0\0\x6cmoov\0\0\0\x6cmvhd\0\0\0\0".to_vec();
        movie.extend([0; 8]);
        movie.extend(1000_u32.to_be_bytes());
        movie.extend(12_500_u32.to_be_bytes());
        movie.resize(2000, 0);
        assert_eq!(found("x", &json!({ "clip": STANDARD.encode(movie) }))[0].2, Some(12.5));
        for (start, media) in
            [(&b"\x89PNG\r\n"[..], Media::Image), (b"\xff\xd8\xff\xe0", Media::Image), (b"fLaC", Media::Audio)]
        {
            let file = [start, &[1; 300]].concat();
            assert_eq!(found("x", &json!({ "data": STANDARD.encode(file) }))[0].0, media);
        }
    }

    #[test]
    fn files_in_results_have_to_say_so() {
        let data = noise(600);
        let value = json!({ "content": [{ "type": "image", "data": data, "mimeType": "image/png" }, { "type": "text", "text": data }], "log": data });
        let found: Vec<Media> = typed_files(&value.to_string()).into_iter().map(|file| file.media).collect();
        assert_eq!(found, [Media::Image]);
        assert_eq!(
            typed_files(&json!({ "type": "file", "mimeType": "image/png", "url": "assets/logo" }).to_string()),
            []
        );
    }

    #[test]
    fn base64_in_lines_is_a_file() {
        let data = noise(3000);
        let lines: Vec<&str> = data.as_bytes().chunks(76).map(|line| std::str::from_utf8(line).unwrap()).collect();
        assert_eq!(media("x", json!({ "body": lines.join("\n") })), [Media::Data]);
        assert_eq!(media("x", json!({ "body": lines.join("\r\n") })), [Media::Data]);
    }

    proptest! {
        #[test]
        fn any_text_is_survived(kind in "[a-z_]{0,12}", json in "[\\[{\"]?[a-z0-9{}\\[\\]\",:\\\\ é]{0,60}") {
            let _ = files_in(&kind, &json);
        }

        #[test]
        fn literals_are_what_stands_there(length in 200_usize..2000, key in "[a-z]{1,8}", escaped in any::<bool>()) {
            let data = noise(length);
            let mut text = json!({ "type": "x", "a": { key: [data, "é"] } }).to_string();
            if escaped {
                text = text.replace('/', "\\/");
            }
            let files = files_in("x", &text);
            prop_assert_eq!(files.len(), 1);
            let literal = &text[files[0].literal.clone().unwrap()];
            prop_assert_eq!(serde_json::from_str::<String>(literal).unwrap(), data);
        }
    }
}
