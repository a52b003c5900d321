//! Finds, for each text, the text that it was before the change.

use std::collections::VecDeque;

use crate::{
    conversation::{Block, BlockOrigins, Conversation, EntryId, PathStep, TextAt},
    maps::{HashMap, HashSet},
    markers::{Pointer, may_hold_pointers},
    restore::rows::numbered,
};

/// The texts of a conversation, each with its message.
pub(super) struct Texts<'a> {
    pub(super) texts: Vec<(usize, TextAt<'a>)>,
    /// The index of each message's first text; one more at the end.
    pub(super) starts: Vec<usize>,
}

impl<'a> Texts<'a> {
    pub(super) fn new(conversation: &'a Conversation) -> Self {
        let mut all = Self { texts: Vec::new(), starts: vec![0] };
        for (message, texts) in conversation.texts().into_iter().enumerate() {
            all.texts.extend(texts.into_iter().map(|text| (message, text)));
            all.starts.push(all.texts.len());
        }
        all
    }

    pub(super) fn contents(&self) -> Vec<&str> {
        self.texts.iter().map(|(_, text)| text.text).collect()
    }
}

impl Texts<'_> {
    /// Returns the text's earlier version, if any.
    pub(super) fn counterpart(
        &self,
        text: usize,
        after: &Conversation,
        was: &Self,
        places: &HashMap<EntryId, usize>,
        origins: &BlockOrigins,
    ) -> Option<usize> {
        let (message, at) = &self.texts[text];
        let id = after.entries()[*message].id;
        let old = *places.get(&id)?;
        let path = origins.path(id, &at.path)?;
        let range = was.starts[old]..was.starts[old + 1];
        let same_place = range.start + (text - self.starts[*message]);
        let is_it = |text: &usize| *was.texts[*text].1.path == *path;
        Some(same_place).filter(|place| range.contains(place) && is_it(place)).or_else(|| range.clone().find(is_it))
    }
}

/// The position of a text in a call or a result: the id, true for a result, and the path from there.
type InCall<'t> = (&'t str, bool, &'t [PathStep]);

impl<'a> Texts<'a> {
    fn in_call(&self, text: usize, conversation: &'a Conversation) -> Option<InCall<'_>> {
        let (message, at) = &self.texts[text];
        let path = at.path.get(2..)?;
        match conversation.message(*message).content.blocks().get(at.block)? {
            Block::ToolUse { id, .. } => Some((id, false, path)),
            Block::ToolResult { tool_use_id, .. } => Some((tool_use_id, true, path)),
            _ => None,
        }
    }

    /// Matches messages that a host rewrote, which have no id in common with earlier ones. The counterpart is the
    /// removed text in the same call or result, else one with equal content, else one with a pointer in common.
    pub(super) fn adopt(
        &self,
        counterparts: &mut [Option<usize>],
        after: &'a Conversation,
        was: &Texts<'a>,
        before: &'a Conversation,
    ) {
        let is_orphan = |text: usize| after.entries()[self.texts[text].0].foreign.is_some();
        let orphans: Vec<usize> =
            (0..self.texts.len()).filter(|text| counterparts[*text].is_none() && is_orphan(*text)).collect();
        if orphans.is_empty() {
            return;
        }
        let present: HashSet<EntryId> = after.entries().iter().map(|entry| entry.id).collect();
        let is_gone = |text: &usize| !present.contains(&before.entries()[was.texts[*text].0].id);
        let (mut in_call, mut saying) = (HashMap::default(), HashMap::<&str, VecDeque<usize>>::default());
        let mut pointing: HashMap<&str, usize> = HashMap::default();
        for text in (0..was.texts.len()).filter(is_gone) {
            if let Some(place) = was.in_call(text, before) {
                in_call.insert(place, text);
            }
            saying.entry(was.texts[text].1.text).or_default().push_back(text);
            pointers_in(was.texts[text].1.text).for_each(|line| _ = pointing.entry(line).or_insert(text));
        }
        for text in orphans {
            let same_call = self.in_call(text, after).and_then(|place| in_call.get(&place).copied());
            let said = self.texts[text].1.text;
            let same_pointer = || pointers_in(said).find_map(|line| pointing.get(line).copied());
            counterparts[text] =
                same_call.or_else(|| saying.get_mut(said).and_then(VecDeque::pop_front)).or_else(same_pointer);
        }
    }
}

/// Returns the lines of a text that are pointers, without their numbers.
fn pointers_in(text: &str) -> impl Iterator<Item = &str> {
    let lines = may_hold_pointers(text).then(|| text.split('\n')).into_iter().flatten();
    lines.map(|line| numbered(line).map_or(line, |(_, content)| content)).filter(|line| Pointer::read(line).is_some())
}
