//! The record of work goes where truncation has left something out.

use std::collections::HashSet;

use serde_json::{json, value::to_raw_value};

use super::{apply, said};
use crate::{
    conversation::{Content, Conversation, Edit, Inserted, Message, PathStep, Plan, Role, answered},
    markers::LEFT_OUT_HERE,
    providers::{CondenseError, Note, Proposal, Request, middle::with_time, pinned::with_bridges},
    record::{Known, Rooms, StandingRecord, index_of, records},
    salience::{LeftOutName, Why, is_note_of_messages},
    tokens::count_inside,
};

/// What the message between two of one role may have at most, in tokens.
const BRIDGE: usize = 16;

/// Without a target, a record takes at most this share of what was saved.
const SHARE_OF_SAVED: usize = 4;

/// A record of fewer tokens says too little.
const MIN_RECORD: usize = 60;

/// What the work left to tell of, and how many tokens that may take.
pub struct Recorder {
    known: Known,
    keep: usize,
    /// Tokens of a record; what must survive are names.
    pub rooms: Rooms,
}

impl Recorder {
    /// With less room: first without names, then a quarter at a time. `None` where that is too little for a record.
    pub fn with_less(self) -> Option<Self> {
        let record = if self.rooms.missing > 0 { self.rooms.record } else { self.rooms.record / 4 };
        (record >= MIN_RECORD).then_some(Self { rooms: Rooms::record(record), ..self })
    }

    /// Whether a plan leaves out what a record would tell.
    pub fn is_needed(&self, request: &Request, plan: &Plan) -> Result<bool, CondenseError> {
        let after = apply(&request.conversation, plan)?;
        Ok(request.record_of(&self.known, &after, &[], Rooms::record(self.rooms.record)).is_some())
    }

    /// The tokens that a record may have at most, those that are `given` or usual; where it may have `names`, more for them. `None` where that is too little
    /// for a record.
    pub fn most(request: &Request, given: Option<usize>, names: bool) -> Option<Rooms> {
        let record = request.record_room(given);
        (record >= MIN_RECORD).then_some(Rooms { missing: if names { record * 3 / 5 } else { 0 }, record })
    }

    /// For a conversation of which the newest `keep` messages stay; `None` where there is nothing to tell even if all others go. A record has no more
    /// tokens than `most`, and no more than it takes to tell everything.
    pub fn new(request: &Request, keep: usize, most: Rooms) -> Result<Option<Self>, CondenseError> {
        let (known, conversation) = (request.known(), &request.conversation);
        let old = conversation.head()..conversation.len().saturating_sub(keep);
        let ends = apply(conversation, &Plan { edits: old.map(|message| Edit::Drop { message }).collect() })?;
        let longest = request.record_of(&known, &ends, &[], Rooms::record(most.record));
        // Lines are counted one by one, with their line feeds.
        let line = |line: &str| count_inside(line, request.tally.encoding()).tokens + 1;
        let tokens = longest.map_or(0, |text| text.lines().map(line).sum::<usize>() + BRIDGE);
        let rooms = Rooms { record: most.record.min(tokens), ..most };
        Ok((rooms != Rooms::default()).then_some(Self { known, keep, rooms }))
    }
}

/// Tokens that are kept free for names, of those they may have, where this share of the conversation may stay: from a quarter down three fifths (with all
/// of them, passages lose more than names gain), and none from half up, where nearly every name is readable (docs/salience.md). What stays free anyway is
/// theirs as well.
fn kept_for_names(rooms: Rooms, share: f64) -> usize {
    (rooms.missing as f64 * 0.6 * (2.0 - 4.0 * share).clamp(0.0, 1.0)) as usize
}

/// The request to leave room for a record besides what stays.
pub fn with_room_for(rooms: Rooms, request: &Request) -> Request {
    let all = request.scaled(&request.tally).max(1) as f64;
    let share = request.target_tokens.map_or(1.0, |target| target as f64 / all);
    let room = request.scale.apply(rooms.record + kept_for_names(rooms, share));
    Request { target_tokens: request.target_tokens.map(|target| target.saturating_sub(room)), ..request.clone() }
}

/// What became of a proposal that is to have a record.
pub enum Recorded {
    /// It has one.
    With(Proposal),
    /// It leaves out nothing that a record would tell.
    NothingLost(Proposal),
    /// It loses something, and there is no room or no place to tell of it.
    NoPlace,
}

/// The proposal, which leaves `left` tokens, with a record of the work that it leaves out and as many of the names as have room. An earlier record becomes
/// part of it. It stands in the last of the user's messages before the newest `keep`, so that what stands before it is older than what it tells and what stands
/// behind it newer, or in a message of its own in the place of what goes.
pub fn recorded(
    request: &Request,
    mut proposal: Proposal,
    left: usize,
    left_out: &[LeftOutName],
    recorder: &Recorder,
) -> Result<Recorded, CondenseError> {
    let Recorder { known, keep, rooms } = recorder;
    let (before, keep, mut rooms) = (&request.conversation, *keep, *rooms);
    let Some(first) = proposal.notes.iter().map(|note| note.message).min() else {
        return Ok(Recorded::NothingLost(proposal));
    };
    let saved = request.tally.total().saturating_sub(left);
    match request.budget() {
        // Names have what is free, and no more than half of what they stand for: passages are worth more to a reader than names without them.
        Some(budget) => rooms.missing = rooms.missing.min(budget.saturating_sub(left + rooms.record)).min(saved / 2),
        None => rooms.record = rooms.record.min(saved / SHARE_OF_SAVED),
    }
    if rooms.record < MIN_RECORD.min(recorder.rooms.record) {
        return Ok(Recorded::NoPlace);
    }
    let earlier = take_earlier(request, keep, &mut proposal);
    let after = apply(before, &proposal.plan)?;
    let dropped = dropped_by(&proposal.plan);
    let of_both = if rooms.record > 0 { &mut rooms.record } else { &mut rooms.missing };
    *of_both = of_both.saturating_sub(BRIDGE);
    let names = index_of(left_out, rooms.missing, request.tally.encoding());
    let Some(text) = request.record_of(known, &after, &names, rooms) else {
        return Ok(if earlier.is_none() { Recorded::NothingLost(proposal) } else { Recorded::NoPlace });
    };
    let Some(place) = Place::find(before, &dropped, earlier, first, keep) else { return Ok(Recorded::NoPlace) };
    let told = |message, block| note(message, block, "what was done, asked and found in what is left out");
    place.put(before, text, told, &mut proposal)?;
    if earlier.is_some() {
        // Between two of one role there may have been nothing but an earlier record.
        proposal.plan = with_bridges(proposal.plan, before);
    }
    Ok(Recorded::With(proposal))
}

/// The proposal with a note of the messages that go, where nothing it leaves tells of them: no note, no record, and no message between two of one role.
pub fn with_note_of_gap(before: &Conversation, proposal: &Proposal) -> Result<Option<Proposal>, CondenseError> {
    let tells = |edit: &Edit| matches!(edit, Edit::Set { .. } | Edit::Insert { .. } | Edit::InsertBlock { .. });
    if proposal.plan.edits.iter().any(tells) {
        return Ok(None);
    }
    let dropped = dropped_by(&proposal.plan);
    let stays = dropped.iter().min().and_then(|first| first.checked_sub(1));
    if stays.is_some_and(|message| is_note_of_messages(before.message(message))) {
        return Ok(None);
    }
    // More messages than go would tell of them.
    let is_no_more = |place: &Place| matches!(place, Place::Before(_, roles) if roles.len() <= dropped.len());
    let Some(place) = Place::in_gap(before, &dropped).filter(is_no_more) else { return Ok(None) };
    let told = |message, block| said(Why::note(message, block));
    let mut with_note = proposal.clone();
    place.put(before, LEFT_OUT_HERE.to_owned(), told, &mut with_note)?;
    Ok(Some(with_note))
}

/// The messages that a plan drops.
fn dropped_by(plan: &Plan) -> HashSet<usize> {
    plan.edits.iter().filter_map(|edit| if let Edit::Drop { message } = edit { Some(*message) } else { None }).collect()
}

/// Where an earlier record stood.
#[derive(Debug, Clone, Copy)]
enum Earlier {
    /// In a message of its own.
    Message(usize),
    /// In a message with other blocks.
    Block,
}

/// Leaves out the records of earlier condensations, which become part of the new one. Where the newest of them stood that goes because of this.
fn take_earlier(request: &Request, keep: usize, proposal: &mut Proposal) -> Option<Earlier> {
    const REASON: &str = "now part of the new record";
    let before = &request.conversation;
    let mut taken = None;
    let dropped = dropped_by(&proposal.plan);
    let old = before.head()..before.len().saturating_sub(keep);
    let all = records(before, &request.tools);
    for StandingRecord { message, block, is_whole, .. } in all.iter().copied() {
        let entry = &before.entries()[message];
        let is_gone = matches!(taken, Some(Earlier::Message(gone)) if gone == message);
        if is_gone || !is_whole || !old.contains(&message) || dropped.contains(&message) || !entry.pins.is_empty() {
            continue;
        }
        let touches = |edit: &Edit, of: Option<usize>| match edit {
            Edit::Set { message: at, path, .. } => {
                *at == message && of.is_none_or(|block| path.get(1).and_then(PathStep::index) == Some(block))
            }
            _ => false,
        };
        let in_message = all.iter().filter(|record| record.message == message).count();
        if entry.message.content.blocks().len() <= in_message {
            let is_note = |edit: &Edit| matches!(edit, Edit::InsertBlock { message: at, .. } if *at == message);
            proposal.plan.edits.retain(|edit| !touches(edit, None) && !is_note(edit));
            proposal.notes.retain(|note| note.message != message);
            proposal.plan.edits.push(Edit::Drop { message });
            proposal.notes.push(note(message, None, REASON));
            taken = Some(Earlier::Message(message));
        } else {
            proposal.plan.edits.retain(|edit| !touches(edit, Some(block)));
            proposal.notes.retain(|note| (note.message, note.block) != (message, Some(block)));
            proposal.plan.edits.push(Edit::DropBlock { message, block });
            proposal.notes.push(note(message, Some(block), REASON));
            taken = Some(Earlier::Block);
        }
    }
    taken
}

/// Where a record is put.
enum Place {
    /// Behind the blocks of a message.
    Block(usize),
    /// In messages of these roles before this one; the last holds it.
    Before(usize, Vec<Role>),
}

impl Place {
    fn find(
        before: &Conversation,
        dropped: &HashSet<usize>,
        earlier: Option<Earlier>,
        first: usize,
        keep: usize,
    ) -> Option<Self> {
        match earlier {
            Some(Earlier::Message(message)) => {
                return Some(Self::Before(message, vec![before.message(message).role.clone()]));
            }
            Some(Earlier::Block) | None => {}
        }
        // In a request, answers in messages of their own become one, and no text may stand between them.
        let answered = answered(before);
        let is_last =
            |message: usize| answered[message].is_none() || answered.get(message + 1) != Some(&answered[message]);
        let may_hold = |message: &usize| {
            let Message { role, content, .. } = before.message(*message);
            *role == Role::User && !content.blocks().is_empty() && !dropped.contains(message) && is_last(*message)
        };
        let mut old = first.max(before.head())..before.len().saturating_sub(keep);
        old.rfind(may_hold).map(Self::Block).or_else(|| Self::in_gap(before, dropped))
    }

    /// In the place of the first messages that go.
    fn in_gap(before: &Conversation, dropped: &HashSet<usize>) -> Option<Self> {
        let start = dropped.iter().copied().min()?;
        let end = (start..before.len()).find(|message| !dropped.contains(message)).unwrap_or(before.len());
        let role = |message: Option<usize>| before.entries().get(message?).map(|entry| entry.message.role.clone());
        let roles = match (role(start.checked_sub(1))?, role(Some(end))) {
            (Role::User, Some(Role::Assistant)) => vec![Role::Assistant, Role::User],
            (Role::User, Some(Role::User) | None) => vec![Role::Assistant],
            (Role::Assistant, Some(Role::User)) => vec![Role::User, Role::Assistant],
            (Role::Assistant, Some(Role::Assistant) | None) => vec![Role::User],
            _ => return None,
        };
        Some(Self::Before(end, roles))
    }

    fn put(
        self,
        before: &Conversation,
        text: String,
        told: impl FnOnce(usize, Option<usize>) -> Note,
        proposal: &mut Proposal,
    ) -> Result<(), CondenseError> {
        match self {
            Self::Block(message) => {
                let block = before.message(message).content.blocks().len();
                let value = to_raw_value(&json!({ "type": "text", "text": text }));
                let value = value.map_err(|error| CondenseError::Internal(error.to_string()))?;
                proposal.plan.edits.push(Edit::InsertBlock { message, before: block, value });
                proposal.notes.push(told(message, Some(block)));
            }
            Self::Before(place, roles) => {
                let last = roles.len() - 1;
                let next = before.entries().get(place).or(before.entries().last());
                for (index, role) in roles.into_iter().enumerate() {
                    let said = if index == last { text.clone() } else { LEFT_OUT_HERE.to_owned() };
                    let message = Message::new(role, Content::Text(said));
                    let message =
                        next.map_or_else(|| message.clone(), |next| with_time(message.clone(), &next.message));
                    proposal.plan.edits.push(Edit::Insert { before: place, value: Inserted::from(message) });
                }
                if !proposal.notes.iter().any(|note| (note.message, note.block) == (place, None)) {
                    proposal.notes.push(told(place, None));
                }
            }
        }
        Ok(())
    }
}

fn note(message: usize, block: Option<usize>, reason: &str) -> Note {
    Note { message, block, operation: "record", reason: reason.to_owned(), grade: None }
}
