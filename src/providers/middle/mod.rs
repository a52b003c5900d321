//! A summary in the place of the middle of a conversation: `[first, summary, ...newest]`.
//!
//! | module | its one idea |
//! | --- | --- |
//! | `selection` | what is summarised and what is kept |
//! | `check` | whether the summary tells what must survive |
//! | `must` | what that is |

mod check;
mod must;
mod selection;

use serde_json::value::RawValue;

pub use self::check::SummaryQuality;
pub(super) use self::check::{SUMMARY_CHECK, SummaryCheck};
use self::{
    check::{Checked, checked},
    must::MustSurvive,
    selection::{SummaryRange, select},
};
use super::{
    error::CondenseError,
    proposal::{Note, Proposal},
    request::Request,
};
use crate::{
    conversation::{Content, Conversation, Edit, Estimate, Inserted, Message, Plan, Role},
    markers::SUMMARY_ABOVE,
    summaries::{DEFAULT_PROMPT, Job, Summary, SummaryClient, Turn, in_words, summarize, turns},
    warning::Warning,
};

/// What is summarised, and how.
pub(super) struct Middle<'a> {
    /// The provider that is named in progress events.
    pub provider: &'static str,
    /// How many of the newest messages stay.
    pub keep: usize,
    /// The system prompt; blank for the default. That of the call wins.
    pub prompt: &'a str,
    /// Parts of a long history under way at once.
    pub concurrency: usize,
    /// Tokens of the model's window when its handler does not know.
    pub window: usize,
    /// What is done about a summary that leaves out what must survive.
    pub check: Option<SummaryCheck>,
}

/// Tokens of the first message that are told again beside an earlier summary, which has the substance of it.
const TASK_REMINDER: usize = 1000;

/// Puts a summary in the place of everything between the first message and the newest ones.
///
/// # Errors
/// [`CondenseError::NotEnoughMessages`], [`CondenseError::CondensedRecently`], and what keeps a summary from being written.
pub(super) async fn summarize_middle(request: &Request, middle: Middle<'_>) -> Result<Proposal, CondenseError> {
    let conversation = &request.conversation;
    let selection = select(conversation, middle.keep)?;
    let client = SummaryClient::new(request.summaries(middle.provider))?;
    let job = Job {
        turns: to_summarize(request, &selection),
        prompt: chosen_prompt(request, middle.prompt),
        update: selection.earlier.is_some(),
        concurrency: middle.concurrency,
        window: middle.window,
    };
    if job.turns.is_empty() {
        // Nothing but images and thinking: there is no text to summarise.
        return Err(CondenseError::NotEnoughMessages { messages: conversation.len(), needed: conversation.len() + 1 });
    }
    let prompt = job.prompt.clone();
    let summary = summarize(&client, job).await?;
    let must = MustSurvive::of(conversation, selection.head..selection.start, &request.tools);
    let after = |text: &str| with_summary(request, &selection, text);
    let checked = checked(&client, middle.check, must, &prompt, summary, after).await?;
    let told = behind(request, &selection, &client, &checked)?;
    Ok(proposal(conversation, &selection, checked.summary, told, client.warnings.take()))
}

/// What stands behind a summary, and how good both are together.
struct Behind {
    words: Option<String>,
    quality: Option<SummaryQuality>,
}

/// What the summary was to say and does not, word for word.
fn behind(
    request: &Request,
    selection: &SummaryRange,
    client: &SummaryClient<'_>,
    checked: &Checked,
) -> Result<Behind, CondenseError> {
    let text = &checked.summary.text;
    let after = with_summary(request, selection, text)?;
    let gone: usize = (selection.head..selection.start).map(|message| request.tally.message(message)).sum();
    let words = checked.completion(request, &after, gone);
    let whole =
        words.as_ref().map(|words| with_summary(request, selection, &format!("{text}\n\n{words}"))).transpose()?;
    Ok(Behind { quality: checked.quality(client, &after, whole.as_ref()), words })
}

/// The conversation with this summary in its place.
fn with_summary(request: &Request, selection: &SummaryRange, summary: &str) -> Result<Conversation, CondenseError> {
    let mut edits: Vec<Edit> = (selection.head..selection.start).map(|message| Edit::Drop { message }).collect();
    let message = Message::new(selection.role.clone(), Content::Text(summary.to_owned()));
    edits.push(Edit::Insert { before: selection.start, value: message.into() });
    let after = request.conversation.apply(&Plan { edits });
    after.map_err(|error| CondenseError::Internal(error.to_string()))
}

/// The call's or profile's prompt, else that of the configuration, else the default; blank ones do not count.
fn chosen_prompt(request: &Request, configured: &str) -> String {
    let given = request.llm.prompt.as_deref().map(str::trim).filter(|prompt| !prompt.is_empty());
    given.or(Some(configured.trim()).filter(|prompt| !prompt.is_empty())).unwrap_or(DEFAULT_PROMPT).to_owned()
}

/// What the model is told: the first message and all up to the kept tail; with an earlier summary only that, what came after it, and a
/// reminder of the task.
fn to_summarize(request: &Request, selection: &SummaryRange) -> Vec<Turn> {
    let told = |range| turns(&request.conversation, range, &request.tools);
    let Some(earlier) = selection.earlier else {
        // What is frozen stands where it stood; only the task is told beside what goes.
        let task = request.conversation.task();
        let frozen = if request.conversation.frozen() > task { selection.head } else { task };
        return [told(0..task), told(frozen..selection.start)].concat();
    };
    let mut reminder = if earlier > 0 { told(0..1) } else { Vec::new() };
    let (encoding, mut room) = (request.tally.encoding(), TASK_REMINDER);
    reminder.retain_mut(|turn| {
        turn.cut(room, encoding);
        let fits = turn.tokens(encoding) <= room;
        room = room.saturating_sub(turn.tokens(encoding));
        fits
    });
    reminder.extend(told(earlier..selection.start));
    reminder
}

fn proposal(
    conversation: &Conversation,
    selection: &SummaryRange,
    summary: Summary,
    Behind { words, quality }: Behind,
    warnings: Vec<Warning>,
) -> Proposal {
    let told = summary.expected_tokens.map_or_else(|| summary.text.clone(), in_words);
    let mut proposal = Proposal { summary: told, summary_quality: quality, warnings, ..Proposal::default() };
    let last = selection.start - 1;
    for message in selection.head..selection.start {
        proposal.plan.edits.push(Edit::Drop { message });
        proposal.notes.push(note(message, "now told by the summary".to_owned()));
    }
    let tail = conversation.message(selection.start);
    let mut insert = |message: Message, estimates: Vec<Estimate>| {
        let value = Inserted { estimates, ..message.into() };
        proposal.plan.edits.push(Edit::Insert { before: selection.start, value });
    };
    let range = 0..summary.text.len();
    let estimate = summary.expected_tokens.map(|tokens| Estimate { path: vec!["content".into()], range, tokens });
    let text = words.map_or_else(|| summary.text.clone(), |words| format!("{}\n\n{words}", summary.text));
    let mut message = Message::new(selection.role.clone(), Content::Text(text));
    message.extra.extend(RawValue::from_string("true".to_owned()).map(|flag| ("isSummary".to_owned(), flag)));
    insert(message.with_time_of(tail), estimate.into_iter().collect());
    if selection.bridge {
        let role = if selection.role == Role::Assistant { Role::User } else { Role::Assistant };
        let bridge = Message::new(role, Content::Text(SUMMARY_ABOVE.to_owned()));
        insert(bridge.with_time_of(tail), Vec::new());
    }
    let parts = if summary.parts > 1 { format!(", written in {} parts", summary.parts) } else { String::new() };
    let cached = if summary.cached { ", from the cache" } else { "" };
    proposal
        .notes
        .push(note(selection.start, format!("summary of messages {} to {}{parts}{cached}", selection.head, last)));
    proposal
}

fn note(message: usize, reason: String) -> Note {
    Note { message, block: None, operation: "summarize", reason, grade: None }
}
