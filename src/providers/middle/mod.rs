//! Replaces the middle of a conversation with a summary: `[first, summary, ...newest]`.
//!
//! | module | its one idea |
//! | --- | --- |
//! | `around` | messages kept in short form around the summary, up to the target |
//! | `middle_range` | the messages to summarise, and those to keep |
//! | `check` | checks whether the summary covers what it must keep |
//! | `must` | finds what a summary must keep |
//! | `quality` | measures how much of that a summary covers |

mod around;
mod check;
mod middle_range;
mod must;
pub(super) mod quality;

use std::sync::Arc;

pub(super) use self::check::{SUMMARY_CHECK, SummaryCheck, SummaryCheckOption};

use self::{
    around::{Around, shortened},
    check::{Checked, checked},
    middle_range::{SummaryRange, select},
    must::MustSurvive,
    quality::SummaryQuality,
};
use super::{
    condense_error::CondenseError,
    proposal::{Note, Proposal},
    request::{MAX_FITTINGS, Request},
    settle::settle,
};
use crate::{
    conversation::{Content, Conversation, Edit, Estimate, Inserted, Message, Plan, Role, calls},
    llm::HostRequest,
    markers::{SUMMARY_ABOVE, SummaryHead, with_way_back},
    options::words,
    story::without_headings,
    summaries::{DEFAULT_PROMPT, Job, Summary, SummaryClient, Turn, in_words, summarize, turns},
    warning::Warning,
    words::{Said, said},
};

/// The messages to summarise, and how.
pub(super) struct Middle<'a> {
    /// The provider to name in progress events.
    pub provider: &'static str,
    /// Number of newest messages kept.
    pub keep: usize,
    /// The system prompt; blank for the default. A prompt of the call takes precedence.
    pub prompt: &'a str,
    /// Number of parts of a long history summarised at the same time.
    pub concurrency: usize,
    /// Tokens of the model's context window, if its handler does not know it.
    pub window: usize,
    /// The form of the request for the summary.
    pub request: SummaryRequest,
    /// The treatment of a summary that does not cover what it must keep; `None` for none.
    pub check: Option<SummaryCheck>,
}

words! {
    /// How a summary is asked for.
    pub(super) enum SummaryRequest {
        /// Behind the host's own request where that is known and asked of the same model, else in a request of our own.
        Auto = "auto",
        /// Behind the host's own request where that is known.
        Append = "append",
        /// In a request of our own.
        Own = "own",
    }
}

impl SummaryRequest {
    /// Returns the host's request to which the summary request is appended; `None` for a separate request.
    fn host(self, request: &Request, client: &SummaryClient<'_>) -> Option<Arc<HostRequest>> {
        let is_same_model = request.llm.condensing_handler.is_none();
        // The host has not sent messages that earlier stages changed, and services refuse a request that ends with an
        // unanswered call.
        let is_sent = request.conversation.is_same(&request.original);
        let ends_open = request.conversation.entries().last().is_some_and(|last| !calls(&last.message).is_empty());
        let wanted = match self {
            Self::Auto => is_same_model,
            Self::Append => true,
            Self::Own => false,
        };
        request.llm.host_request.clone().filter(|_| wanted && is_sent && !ends_open && client.appends())
    }
}

/// Maximum tokens of the first message repeated beside an earlier summary, which already covers it.
const TASK_REMINDER: usize = 1000;

/// Returns the unscaled tokens that one summary would cover if it kept `keep` newest messages; the whole conversation
/// if a summary is not possible.
pub(super) fn told_by_one(request: &Request, keep: usize) -> usize {
    match select(&request.conversation, keep) {
        Ok(SummaryRange { earlier, start, .. }) => {
            (earlier.unwrap_or(0)..start).map(|message| request.tally.message(message)).sum()
        }
        Err(_) => request.tally.total(),
    }
}

/// Replaces everything between the first message and the newest ones with a summary.
///
/// # Errors
/// [`CondenseError::NotEnoughMessages`], [`CondenseError::CondensedRecently`], or the reason why no summary was
/// written.
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
        append_to: middle.request.host(request, &client),
    };
    if job.turns.is_empty() {
        // Only images and thinking: there is no text to summarise.
        return Err(CondenseError::NotEnoughMessages { messages: conversation.len(), needed: conversation.len() + 1 });
    }
    let prompt = job.prompt.clone();
    let mut summary = summarize(&client, job).await?;
    summary.text = without_headings(&summary.text);
    let must = MustSurvive::find(conversation, selection.head..selection.start, &request.tools);
    let after = |text: &str| with_summary(request, &selection, text);
    let checked = checked(&client, middle.check, must, &prompt, summary, after).await?;
    let told = behind(request, &selection, &client, &checked)?;
    proposal(request, &selection, checked.summary, told, client.warnings.take())
}

/// The text appended to a summary, and the quality of both together.
struct Behind {
    words: Option<String>,
    quality: Option<SummaryQuality>,
}

/// Returns the text that the summary should have contained and does not, word for word.
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

/// Returns the conversation with this summary in place.
fn with_summary(request: &Request, selection: &SummaryRange, summary: &str) -> Result<Conversation, CondenseError> {
    let mut edits: Vec<Edit> = (selection.head..selection.start).map(|message| Edit::Drop { message }).collect();
    let message = Message::new(selection.role.clone(), Content::Text(summary.to_owned()));
    edits.push(Edit::Insert { before: selection.start, value: message.into() });
    let after = request.conversation.apply(&Plan { edits });
    after.map_err(|error| CondenseError::Internal(error.to_string()))
}

/// Returns the prompt of the call or profile, else of the configuration, else the default. Blank prompts are ignored.
fn chosen_prompt(request: &Request, configured: &str) -> String {
    let given = request.llm.prompt.as_deref().map(str::trim).filter(|prompt| !prompt.is_empty());
    given.or(Some(configured.trim()).filter(|prompt| !prompt.is_empty())).unwrap_or(DEFAULT_PROMPT).to_owned()
}

/// Returns the messages for the model: the first message and all up to the kept tail. If there is an earlier summary,
/// only the summary, the messages after it, and a reminder of the task.
fn to_summarize(request: &Request, selection: &SummaryRange) -> Vec<Turn> {
    let told = |range| turns(&request.conversation, range, &request.tools);
    let Some(earlier) = selection.earlier else {
        // Frozen messages stay where they are; only the task is repeated.
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
    request: &Request,
    selection: &SummaryRange,
    summary: Summary,
    Behind { words, quality }: Behind,
    warnings: Vec<Warning>,
) -> Result<Proposal, CondenseError> {
    let conversation = &request.conversation;
    let told = summary.expected_tokens.map_or_else(|| summary.text.clone(), in_words);
    let mut proposal = Proposal { summary: told, summary_quality: quality, warnings, ..Proposal::default() };
    let last = selection.start - 1;
    let tail = conversation.message(selection.start);
    let insert = |message: Message, estimates: Vec<Estimate>| {
        let value = Inserted { estimates, ..message.into() };
        Edit::Insert { before: selection.start, value }
    };
    let head = format!("{}\n", SummaryHead::Messages(selection.start - selection.head));
    let range = head.len()..head.len() + summary.text.len();
    let estimate = summary.expected_tokens.map(|tokens| Estimate { path: vec!["content".into()], range, tokens });
    let text = head + &words.map_or_else(|| summary.text.clone(), |words| format!("{}\n\n{words}", summary.text));
    let message = Message::new(selection.role.clone(), Content::Text(text));
    let inserted = insert(message.with_time_of(tail), estimate.into_iter().collect());
    let mut how = vec![said!("change.summary", first: selection.head.to_string(), last: last.to_string())];
    how.extend((summary.parts > 1).then(|| said!("change.inParts", count: summary.parts)));
    how.extend(summary.cached.then(|| said!("change.fromCache")));
    let of = note(selection.start, said!("change.all", all: how));
    let SummaryRange { head, start, earlier, .. } = *selection;
    let around = Around { head, start, earlier, summary: &inserted };
    let mut within = request.clone();
    for _ in 0..MAX_FITTINGS {
        let Some((edits, notes)) = shortened(&within, &around)? else { break };
        (proposal.plan.edits, proposal.notes) = (edits, notes);
        proposal.notes.push(of.clone());
        let over = settle(request, "summary", &proposal).map_or(0, |settled| request.over_target(&settled.tally));
        if over == 0 {
            return Ok(proposal);
        }
        within.target_tokens = within.target_tokens.map(|target| target.saturating_sub(over));
    }
    if !proposal.plan.edits.is_empty() {
        return Ok(proposal);
    }
    for message in head..start {
        proposal.plan.edits.push(Edit::Drop { message });
        proposal.notes.push(told_by_summary(message));
    }
    proposal.plan.edits.push(inserted);
    if selection.bridge {
        let role = if selection.role == Role::Assistant { Role::User } else { Role::Assistant };
        let bridge = Message::new(role, Content::Text(with_way_back(SUMMARY_ABOVE, request.call.recall)));
        proposal.plan.edits.push(insert(bridge.with_time_of(tail), Vec::new()));
    }
    proposal.notes.push(of);
    Ok(proposal)
}

fn note(message: usize, reason: Said) -> Note {
    Note { message, block: None, operation: "summarize", reason, grade: None }
}

fn told_by_summary(message: usize) -> Note {
    note(message, said!("change.toldBySummary"))
}
