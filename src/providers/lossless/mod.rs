//! The lossless provider: keeps each line once.
//!
//! The provider tracks all lines that the model has seen. `search` finds runs of lines that also occur elsewhere. Each
//! `run` becomes a pointer, which quotes the line to which it resolves (`quotes`). `inline` writes the texts with these
//! pointers, and leaves out line numbers below a heading that restores them. The decoder reads everything back before a
//! plan is returned. `superseded` leaves out state that a later message replaced. `proposal` combines these changes:
//! all of them, or with a target only as many as necessary. `docs/markers.md` describes the markers.

mod beginnings;
mod dictionary;
mod inline;
mod kept_writes;
mod lines;
mod memory;
mod operations;
mod proposal;
mod quotes;
mod run;
mod search;
mod superseded;
mod work_text;

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;

use super::{Capabilities, CondenseError, Descriptor, Proposal, Provider, Request, Speed};
use crate::{
    options::{ConfigError, Options, merged},
    transcript,
};

pub(super) use self::operations::LosslessConfig;
use self::{kept_writes::KeptWrites, lines::KnownLines, memory::Memory, proposal::Found, work_text::Text};

/// Share of the tokens below which a target is out of reach. The lowest share that the provider left of 33 sample
/// sessions is .42. Below it, the fold replaces most of what the provider would save.
const LEAST_LEFT: f64 = 0.4;

/// Leaves out lines that are elsewhere in the conversation, and state that was replaced.
pub struct Lossless {
    config: Value,
    memory: Memory,
}

/// The descriptor of this provider.
pub const DESCRIPTOR: Descriptor = Descriptor {
    id: Lossless::ID,
    name: "called.lossless",
    about: "does.lossless",
    factory: "createLosslessProvider",
    capabilities: Capabilities {
        supports_lossless: true,
        supports_fallback: true,
        is_free: true,
        estimated_speed: Speed::Fast,
        ..Capabilities::NONE
    },
    table: || LosslessConfig::TABLE,
    presets: &[],
    make: |config| Ok(Arc::new(Lossless::new(config)?)),
};

impl Lossless {
    /// The id of the provider.
    pub const ID: &'static str = "lossless";

    /// Creates a provider with this configuration.
    pub fn new(config: &Value) -> Result<Self, Vec<ConfigError>> {
        LosslessConfig::read(config)?;
        Ok(Self { config: config.clone(), memory: Memory::default() })
    }

    /// Returns false if the target is smaller than what this provider is expected to leave at least.
    pub fn may_reach_target(request: &Request) -> bool {
        let tokens = request.scaled(&request.tally) as f64;
        request.target_tokens.is_none_or(|target| target as f64 >= tokens * LEAST_LEFT)
    }
}

#[async_trait]
impl Provider for Lossless {
    fn built_in(&self) -> Option<(&'static Descriptor, &Value)> {
        Some((&DESCRIPTOR, &self.config))
    }

    fn validate_config(&self, config: &Value) -> Result<(), Vec<ConfigError>> {
        LosslessConfig::read(config).map(drop)
    }

    fn may_repeat(&self) -> bool {
        true
    }

    async fn propose(&self, request: &Request, config: &Value) -> Result<Proposal, CondenseError> {
        let options = LosslessConfig::read(&merged(&self.config, config))?;
        let request = &*request.with_tools(&options.tools);
        let propose = || propose(request, &options);
        if !options.maintain_reference_cache {
            return Ok(propose());
        }
        Ok(self.memory.proposal(request, &options, propose))
    }
}

fn propose(request: &Request, options: &LosslessConfig) -> Proposal {
    if request.target_tokens.is_some() && request.meets_target(&request.tally) {
        return Proposal::default();
    }
    let conversation = &request.conversation;
    let encoding = request.tally.encoding();
    let all = conversation.texts();
    let contents: Vec<&str> = all.iter().flatten().map(|text| text.text).collect();
    let ((transcript, mut texts), lines) = KnownLines::read_beside(&contents, || {
        let transcript = transcript::read_texts(conversation, all.clone(), &request.tools);
        let texts = work_text::texts(&transcript, conversation.task(), options.tool_parameters);
        (transcript, texts)
    });
    let is_pinned = |text: &Text<'_>| conversation.entries()[text.message].pins.holds(text.block);
    texts.iter_mut().filter(|text| is_pinned(text)).for_each(|text| text.may_change.clear());
    let superseded = superseded::leave_out(conversation, &transcript, &mut texts, options, encoding);
    let (changed, unfinished) = inline::condense(&texts, lines, conversation.len(), options, encoding);
    let unfinished = unfinished || superseded.unfinished;
    let kept = KeptWrites { conversation, transcript: &transcript, writes: &superseded.unproven, options, encoding };
    let warnings = kept.warning(&changed).into_iter().collect();
    let found = Found { transcript: &transcript, texts, superseded, changed, unfinished };
    Proposal { warnings, ..found.proposal(request, options.keeps_first()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cancel, Conversation, Encoding, Tally};

    #[test]
    fn a_target_is_out_of_reach_below_two_fifths_of_the_tokens() {
        let words = "A line of a hundred words, more or less. ".repeat(20);
        let conversation =
            Conversation::parse(&format!(r#"[{{"role": "user", "content": "{words}"}}]"#)).expect("messages");
        let tally = Tally::count(&conversation, Encoding::O200kBase, &Cancel::new()).expect("not cancelled");
        let mut request = Request::new(conversation, tally);
        let tokens = request.tally.total();
        let targets = [None, Some(tokens), Some(tokens * 2 / 5 + 1), Some(tokens * 2 / 5 - 1), Some(0)];
        let may_reach = targets.map(|target| {
            request.target_tokens = target;
            Lossless::may_reach_target(&request)
        });
        assert_eq!(may_reach, [true, true, true, false, false]);
    }
}
