//! What earlier records tell, in its place among what happened: a record tells how things stood when it was put where it stands, so what stands before
//! it is older, and what stands behind it newer.

use super::{calls::Call, facts::Fact, standing::records, text::read};
use crate::{
    conversation::Conversation,
    transcript::{Event, ToolTable, Transcript},
};

/// A fact that a record tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded {
    /// The message in which the record stands.
    pub message: usize,
    /// What it tells.
    pub fact: Fact,
}

/// All that the records of a conversation tell, oldest first.
pub fn recorded(conversation: &Conversation, tools: &ToolTable) -> Vec<Recorded> {
    let of_record = |(message, text): (usize, &str)| -> Vec<Recorded> {
        read(text).into_iter().map(|fact| Recorded { message, fact }).collect()
    };
    records(conversation, tools).iter().map(|record| (record.message, record.text)).flat_map(of_record).collect()
}

/// Something that is told or that happened.
pub enum Step<'c, 't> {
    /// A record tells it.
    Told(Fact),
    /// It happened.
    Call(&'c Call<'t>),
}

/// What records tell among the calls, in order.
pub fn steps<'c, 't>(recorded: Vec<Recorded>, calls: &'c [Call<'t>]) -> Vec<Step<'c, 't>> {
    let mut told = recorded.into_iter().peekable();
    let mut steps = Vec::with_capacity(calls.len());
    for call in calls {
        while let Some(Recorded { fact, .. }) = told.next_if(|recorded| recorded.message < call.message) {
            steps.push(Step::Told(fact));
        }
        steps.push(Step::Call(call));
    }
    steps.extend(told.map(|recorded| Step::Told(recorded.fact)));
    steps
}

/// The newest message with calls, and its first step.
#[derive(Default)]
pub struct Begun(Option<(usize, usize)>);

impl Begun {
    /// The first step of the message in which this one, which is no older than those before, began.
    pub fn first(&mut self, index: usize, call: &Call<'_>) -> usize {
        let first = self.0.filter(|(message, _)| *message == call.message).map_or(index, |(_, first)| first);
        self.0 = Some((call.message, first));
        first
    }
}

/// The message in which an event began. One that answers a call stands in the message behind it, where a record may stand, too.
pub fn message_of(event: &Event, transcript: &Transcript<'_>) -> usize {
    let answered = || event.answers.first().map(|place| transcript.texts[place.text].message);
    event.call.as_ref().map(|call| call.message).or_else(answered).unwrap_or(0)
}
