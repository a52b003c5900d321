//! The lossless provider: says each thing once.
//!
//! What the model has been shown is followed line by line: runs of lines that stand elsewhere too become pointers (`runs`, each a `run`), which quote
//! the line that they lead to (`quotes`); numbers of lines are left out where a heading restores them (`compose`), and the decoder reads everything back before a plan is returned
//! (`inline`). State that a later message replaced is left out by `superseded`. `docs/markers.md` describes the markers.

mod compose;
mod dictionary;
mod inline;
mod lines;
mod memory;
mod operations;
mod pointers;
mod quotes;
mod run;
mod runs;
mod superseded;
mod texts;

use std::{borrow::Cow, collections::BTreeMap};

use async_trait::async_trait;
use serde_json::Value;

use super::{Capabilities, CondenseError, Note, Proposal, Provider, ProviderInfo, Request, Speed, merged};
use crate::{conversation::Edit, options::ConfigError, transcript};

pub(super) use self::operations::TABLE;
use self::{
    memory::Memory,
    operations::{LosslessOperation, LosslessOptions},
    superseded::Superseded,
};

/// Leaves out what the conversation says elsewhere, and what it says no more.
pub struct Lossless {
    config: Value,
    memory: Memory,
}

impl Lossless {
    /// What it is registered under.
    pub const ID: &'static str = "lossless";

    /// A provider with this configuration.
    ///
    /// # Errors
    /// Every field that is wrong.
    pub fn new(config: &Value) -> Result<Self, Vec<ConfigError>> {
        TABLE.read(config)?;
        Ok(Self { config: config.clone(), memory: Memory::default() })
    }
}

#[async_trait]
impl Provider for Lossless {
    fn info(&self) -> ProviderInfo {
        ProviderInfo {
            id: Self::ID.into(),
            name: "Lossless".into(),
            description: "Says each thing once: what stands elsewhere in the conversation becomes a pointer, checked by reading it back."
                .into(),
            version: env!("CARGO_PKG_VERSION").into(),
            capabilities: Capabilities {
                supports_lossless: true,
                supports_fallback: true,
                is_free: true,
                estimated_speed: Speed::Fast,
                ..Capabilities::default()
            },
        }
    }

    fn config_schema(&self) -> Value {
        TABLE.schema()
    }

    fn validate_config(&self, config: &Value) -> Result<(), Vec<ConfigError>> {
        TABLE.read(config).map(drop)
    }

    fn may_repeat(&self) -> bool {
        true
    }

    async fn propose(&self, request: &Request) -> Result<Proposal, CondenseError> {
        let config = merged(&self.config, &request.config);
        let options = LosslessOptions::read(&TABLE.read(&config)?);
        let request = &*request.with_tools(&options.tools);
        let propose = || propose(request, &options);
        if !options.remembers {
            return Ok(propose());
        }
        Ok(self.memory.proposal(request, &options, propose))
    }
}

fn propose(request: &Request, options: &LosslessOptions) -> Proposal {
    let conversation = &request.conversation;
    let encoding = request.tally.encoding();
    let transcript = transcript::read(conversation, &request.tools);
    let mut texts = texts::texts(&transcript, options.parameters);
    let Superseded { mut done, mut inputs } =
        superseded::leave_out(conversation, &transcript, &mut texts, options, encoding);
    let (changed, unfinished) = inline::condense(&texts, conversation.len(), options, encoding);
    let mut proposal = Proposal { pointers_checked: true, unfinished, ..Proposal::default() };
    let mut new: Vec<Option<String>> = vec![None; texts.len()];
    for changed in changed {
        done.extend(changed.done.into_iter().map(|done| (changed.text, done)));
        new[changed.text] = Some(changed.new);
    }
    let mut shares: BTreeMap<(usize, usize, LosslessOperation), (usize, String)> = BTreeMap::new();
    for (index, done) in done {
        let text = &texts[index];
        let (saved, _) = shares.entry((text.message, text.block, done.operation)).or_insert_with(|| (0, done.reason));
        *saved += done.saved;
    }
    for ((message, block, operation), (saved, reason)) in shares {
        let grade = Some(operation.grade());
        proposal.notes.push(Note { message, block: Some(block), operation: operation.word(), reason, grade });
        proposal.shares.push(saved);
    }
    for (index, text) in texts.into_iter().enumerate() {
        let new = match (new[index].take(), text.text) {
            (Some(new), _) => new,
            // What is left out makes a text of its own.
            (None, Cow::Owned(new)) if new != *transcript.texts[index].text => new,
            _ => continue,
        };
        match inputs.get_mut(&(text.message, text.block)) {
            Some(input) => input.set(&text.path, new),
            None => proposal.plan.edits.push(Edit::set_text(text.message, text.path.to_vec(), new)),
        }
    }
    proposal.plan.edits.extend(inputs.into_iter().map(|((message, block), input)| input.into_edit(message, block)));
    proposal
}
