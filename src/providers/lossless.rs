//! The lossless provider: says each thing once.

use std::collections::HashMap;

use async_trait::async_trait;
use serde_json::Value;
use xxhash_rust::xxh3::xxh3_128;

use super::{
    Capabilities, CondenseError, ConfigError, Field, FieldKind, Grade, Note, Proposal, Provider, ProviderInfo, Request,
    Settings, Speed, merged, schema,
};
use crate::{
    conversation::{ContentKind, Conversation, Edit, PathStep, TextAt, json_text::splice},
    transcript::{Piece, PieceSource, decompose},
};

/// Replaces a tool result that stands elsewhere too, byte for byte, by a reference to the one that stays.
pub struct Lossless {
    config: Value,
}

const FIELDS: &[Field] = &[
    Field {
        name: "consolidateToolResults",
        kind: FieldKind::Flag { default: true },
        description: "Replace a tool result that stands elsewhere too by a reference to that one.",
    },
    Field {
        name: "keep",
        kind: FieldKind::Choice { default: "last", allowed: &["last", "first"] },
        description: "Which copy stays: the newest, or the oldest, which leaves the beginning of the history (and so the model \
                      provider's prompt cache) alone.",
    },
];

/// Results shorter than this cost no more than a reference to them.
const SHORTEST: usize = 60;

impl Lossless {
    /// What it is registered under.
    pub const ID: &'static str = "lossless";

    /// A provider with this configuration.
    ///
    /// # Errors
    /// Every field that is wrong.
    pub fn new(config: &Value) -> Result<Self, Vec<ConfigError>> {
        Settings::read(FIELDS, config)?;
        Ok(Self { config: config.clone() })
    }
}

#[async_trait]
impl Provider for Lossless {
    fn info(&self) -> ProviderInfo {
        ProviderInfo {
            id: Self::ID.into(),
            name: "Lossless".into(),
            description: "Says each thing once: what stands elsewhere in the conversation becomes a reference.".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            capabilities: Capabilities {
                supports_lossless: true,
                supports_fallback: true,
                estimated_speed: Speed::Fast,
                ..Capabilities::default()
            },
        }
    }

    fn config_schema(&self) -> Value {
        schema("Configuration of the lossless provider", FIELDS)
    }

    fn validate_config(&self, config: &Value) -> Result<(), Vec<ConfigError>> {
        Settings::read(FIELDS, config).map(drop)
    }

    async fn propose(&self, request: &Request) -> Result<Proposal, CondenseError> {
        let settings = Settings::read(FIELDS, &merged(&self.config, &request.config))?;
        if !settings.flag("consolidateToolResults") {
            return Ok(Proposal::default());
        }
        Ok(references(&request.conversation, settings.choice("keep") == "first"))
    }
}

/// A tool result, or the part of a text that is one.
struct Found<'a> {
    message: usize,
    piece: Piece,
    text: &'a str,
    /// Which of its message's results it is, from 1.
    number: usize,
}

fn references(conversation: &Conversation, keep_first: bool) -> Proposal {
    let texts: Vec<Vec<TextAt>> = conversation.messages().map(|message| message.texts()).collect();
    let mut results_in = vec![0; conversation.len()];
    let mut found: Vec<Found> = Vec::new();
    for (message, pieces) in decompose(conversation).into_iter().enumerate() {
        let mut at = 0;
        for piece in pieces {
            // Texts and their pieces come in the same order.
            while texts[message].get(at).is_some_and(|text| *text.path != *piece.path) {
                at += 1;
            }
            let Some(text) = texts[message].get(at) else { break };
            let is_result = piece.kind == ContentKind::ToolResults && matches!(piece.source, PieceSource::Tool(_));
            if is_result {
                results_in[message] += 1;
                let text = &text.text[piece.range.clone()];
                if text.len() >= SHORTEST && !is_marker(text) {
                    found.push(Found { message, piece, text, number: results_in[message] });
                }
            }
        }
    }
    let mut stays: HashMap<u128, usize> = HashMap::new();
    for (index, result) in found.iter().enumerate() {
        let key = xxh3_128(result.text.as_bytes());
        if keep_first {
            stays.entry(key).or_insert(index)
        } else {
            stays.entry(key).insert_entry(index).into_mut()
        };
    }
    let mut proposal = Proposal::default();
    let mut changed: Vec<(&Found, String)> = Vec::new();
    for (index, result) in found.iter().enumerate() {
        let Some(target) = stays.get(&xxh3_128(result.text.as_bytes())) else { continue };
        let kept = &found[*target];
        // Equal hashes are no proof.
        if *target == index || kept.text != result.text {
            continue;
        }
        let marker = marker(kept, results_in[kept.message]);
        if marker.len() < result.text.len() {
            proposal.notes.push(Note {
                message: result.message,
                block: Some(result.piece.block),
                operation: "reference",
                reason: format!(
                    "the same result stands in message {}: {}",
                    kept.message + 1,
                    kept.piece.source.label()
                ),
                grade: Some(Grade::Inline),
            });
            changed.push((result, marker));
        }
    }
    set_texts(&texts, changed, &mut proposal);
    proposal
}

const MARKER: &str = "[Same result as ";

/// Two equal references are not worth a third.
fn is_marker(text: &str) -> bool {
    text.starts_with(MARKER) && text.ends_with(']') && !text.contains('\n')
}

/// `docs/markers.md` has the grammar.
fn marker(kept: &Found, results: usize) -> String {
    let place = if results > 1 {
        format!("result {} in message {}", kept.number, kept.message + 1)
    } else {
        format!("in message {}", kept.message + 1)
    };
    match kept.piece.source.label() {
        "" => format!("{MARKER}{place}]"),
        label => format!("{MARKER}{place}: {label}]"),
    }
}

fn set_texts(texts: &[Vec<TextAt>], changed: Vec<(&Found, String)>, proposal: &mut Proposal) {
    type Replacements = Vec<(std::ops::Range<usize>, String)>;
    let mut by_text: Vec<((usize, &[PathStep]), Replacements)> = Vec::new();
    for (result, marker) in changed {
        let key = (result.message, &*result.piece.path);
        if by_text.last().is_none_or(|(last, _)| *last != key) {
            by_text.push((key, Vec::new()));
        }
        if let Some((_, replacements)) = by_text.last_mut() {
            replacements.push((result.piece.range.clone(), marker));
        }
    }
    for ((message, path), mut replacements) in by_text {
        if let Some(text) = texts[message].iter().find(|text| *text.path == *path) {
            let new = splice(&text.text, &mut replacements);
            proposal.plan.edits.push(Edit::set_text(message, path.to_vec(), new));
        }
    }
}
