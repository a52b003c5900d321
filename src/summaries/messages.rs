//! Summarises any number of messages: in one request if they fit, else in parts that are merged.

use std::sync::Arc;

use futures_util::{StreamExt, stream};

use super::{
    client::{SummaryAnswer, SummaryClient},
    estimate::{PER_MESSAGE, safe_scale},
    fence::Fence,
    parts::{Counted, parts},
    prompt,
    summary_error::SummaryError,
    turns::{Turn, What, explained, question},
};
use crate::{
    llm::{HostRequest, LlmMessage, LlmRequest, LlmRole},
    tokens::{Encoding, count_inside},
    warning::{Warning, WarningCode},
    words::said,
};

/// Minimum tokens available for the conversation in a request; with fewer, a summary is not worth requesting.
const MIN_ROOM_TOKENS: usize = 256;

/// The messages to summarise, and how.
pub(crate) struct Job {
    pub turns: Vec<Turn>,
    /// The system prompt.
    pub prompt: String,
    /// True if the first turns contain an earlier summary that is to be updated.
    pub update: bool,
    /// Maximum concurrent requests.
    pub concurrency: usize,
    /// Tokens of the model's window, if the handler does not know it.
    pub window: usize,
    /// The host's own request, to append to if the result fits the window.
    pub append_to: Option<Arc<HostRequest>>,
}

/// A finished summary.
pub(crate) struct Summary {
    pub text: String,
    pub parts: usize,
    /// True if no request was needed.
    pub cached: bool,
    /// For a dry run, the expected tokens of the summary. The text is then a placeholder of that length.
    pub expected_tokens: Option<usize>,
}

impl Summary {
    fn new(answer: SummaryAnswer, parts: usize) -> Self {
        let SummaryAnswer { text, cached, expected_tokens, .. } = answer;
        Self { text, parts, cached, expected_tokens }
    }
}

/// Writes the summary. If the service rejects the request as too long, it tries once more with half the window.
///
/// # Errors
/// Any of [`SummaryClient::ask`]'s, and [`SummaryError::WindowTooSmall`].
pub(crate) async fn summarize(client: &SummaryClient<'_>, job: Job) -> Result<Summary, SummaryError> {
    let known = client.handler.context_window().and_then(|window| usize::try_from(window).ok());
    let window = known.unwrap_or(job.window);
    if let Some(host) = &job.append_to
        && let Some(summary) = appended(client, &job, host, window).await?
    {
        return Ok(summary);
    }
    let encoding = client.context.encoding;
    let mut turns = Vec::with_capacity(job.turns.len());
    for turn in &job.turns {
        client.cancel.check()?;
        turns.push(Counted::new(turn.clone(), encoding));
    }
    let first = Attempt::new(client, &job, window)?;
    match first.run(turns.clone()).await {
        Err(error) if error.is_too_long() => {
            let smaller = first.sent(&turns).min(window) / 2;
            let model = client.handler.model();
            let said = said!("warning.triedSmaller", model: model, smaller: smaller, window: window);
            client.warnings.add(Warning::new(WarningCode::WindowTooLarge, said).about("contextWindow"));
            // If the prompt exceeds the smaller window, the service's own error is more informative.
            match Attempt::new(client, &job, smaller) {
                Ok(second) => second.run(turns).await,
                Err(_) => Err(error),
            }
        }
        result => result,
    }
}

/// Requests the summary by appending to the host's own request; `None` if that does not fit the window, or if the
/// service rejects it.
async fn appended(
    client: &SummaryClient<'_>,
    job: &Job,
    host: &Arc<HostRequest>,
    window: usize,
) -> Result<Option<Summary>, SummaryError> {
    let told = prompt::appended(&job.prompt);
    let ask = |again: bool| {
        let more = if again { format!("{told}\n\n{}", prompt::APPENDED_AGAIN) } else { told.clone() };
        LlmRequest {
            messages: vec![LlmMessage::user(more)],
            appended_to: Some(Arc::clone(host)),
            ..LlmRequest::default()
        }
    };
    let first = ask(false);
    if client.most_tokens(&first) + client.longest_answer().min(window / 3) > window {
        return Ok(None);
    }
    client.context.report(0, 1);
    // A model that calls a tool has not written a summary.
    let calls = |answer: &Result<SummaryAnswer, SummaryError>| match answer {
        Ok(answer) => is_call_in_text(&answer.text),
        Err(error) => matches!(error, SummaryError::Empty),
    };
    let mut answer = client.ask(first).await;
    if calls(&answer) {
        answer = client.ask(ask(true)).await;
    }
    client.context.report(1, 1);
    match answer {
        answer if calls(&answer) => Ok(None),
        Ok(answer) => Ok(Some(Summary::new(answer, 1))),
        Err(error) if error.is_too_long() => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns true if a response is only a call in XML, as some hosts have their models write them:
/// `<read_file>…</read_file>`.
fn is_call_in_text(answer: &str) -> bool {
    let tag = answer.trim().strip_prefix('<').and_then(|rest| rest.split_once('>')).map(|(tag, _)| tag);
    tag.is_some_and(|tag| {
        tag.contains('_') && !tag.contains(char::is_whitespace) && answer.trim_end().ends_with(&format!("</{tag}>"))
    })
}

/// One attempt with an assumed window.
struct Attempt<'a> {
    client: &'a SummaryClient<'a>,
    job: &'a Job,
    encoding: Encoding,
    /// Maximum of the model's tokens per counted token.
    scale: f64,
    /// Counted tokens available for the turns of one request.
    room: usize,
    /// Counted tokens of everything else in a request.
    overhead: usize,
    /// The maximum response length, if it has to be below the handler's.
    max_tokens: Option<u32>,
}

impl<'a> Attempt<'a> {
    fn new(client: &'a SummaryClient<'a>, job: &'a Job, window: usize) -> Result<Self, SummaryError> {
        let encoding = client.context.encoding;
        let longest = client.longest_answer();
        // At most a third is for the response; the rest is for the content.
        let reserved = longest.min(window / 3).max(1);
        let scale = safe_scale(client.context, client.handler.model());
        let longest_instruction = [prompt::part(99, 99), prompt::MERGE.to_owned(), prompt::INSTRUCTION.to_owned()];
        let instruction = longest_instruction.iter().map(|text| count_inside(text, encoding).tokens).max().unwrap_or(0);
        let overhead = count_inside(&system(job, &Fence::around(["[["].into_iter())), encoding).tokens
            + instruction
            + 4 * PER_MESSAGE;
        let all = ((window - reserved) as f64 / scale) as usize;
        let room = all.saturating_sub(overhead);
        if room < MIN_ROOM_TOKENS {
            let needed = ((overhead + MIN_ROOM_TOKENS) as f64 * scale * 1.5) as usize;
            return Err(SummaryError::WindowTooSmall { window, needed });
        }
        let max_tokens = (reserved < longest).then(|| u32::try_from(reserved).unwrap_or(u32::MAX));
        Ok(Self { client, job, encoding, scale, room, overhead, max_tokens })
    }

    /// Returns the tokens of the largest request of this attempt as the model may count them, response included.
    fn sent(&self, turns: &[Counted]) -> usize {
        let total: usize = turns.iter().map(|turn| turn.tokens).sum();
        let answer = self.max_tokens.map_or_else(|| self.client.longest_answer(), |tokens| tokens as usize);
        ((total.min(self.room) + self.overhead) as f64 * self.scale) as usize + answer
    }

    async fn run(&self, turns: Vec<Counted>) -> Result<Summary, SummaryError> {
        let total: usize = turns.iter().map(|turn| turn.tokens).sum();
        if total <= self.room {
            let answer = self.ask(turns.iter().map(|turn| &turn.turn), prompt::INSTRUCTION).await?;
            return Ok(Summary::new(answer, 1));
        }
        let parts = parts(turns, self.room, self.encoding);
        let count = parts.len();
        let questions = parts.iter().enumerate().map(|(index, part)| {
            let instruction = if count == 1 { prompt::INSTRUCTION.to_owned() } else { prompt::part(index + 1, count) };
            self.question(part.iter().map(|turn| &turn.turn), &instruction)
        });
        let mut answers = self.ask_all(questions.collect()).await?;
        let mut cached = answers.iter().all(|answer| answer.cached);
        while answers.len() > 1 {
            answers = self.ask_all(self.merges(&answers)).await?;
            cached &= answers.iter().all(|answer| answer.cached);
        }
        let last = answers.pop().ok_or(SummaryError::Empty)?;
        Ok(Summary::new(SummaryAnswer { cached, ..last }, count))
    }

    /// Returns requests that merge summaries, as many into one as fit, but at least two, so that merging ends.
    fn merges(&self, answers: &[SummaryAnswer]) -> Vec<LlmRequest> {
        let count = answers.len();
        let longest = (self.room / 2).saturating_sub(2 * PER_MESSAGE);
        let turns = answers.iter().enumerate().map(|(index, answer)| {
            // Two always fit, so every round has fewer summaries than the one before.
            let mut turn = Turn::new(LlmRole::User, What::PartSummary { number: index + 1, of: count }, &answer.text);
            turn.cut(longest, self.encoding);
            Counted::new(turn, self.encoding)
        });
        let mut groups: Vec<Vec<Counted>> = Vec::new();
        let mut filled = 0;
        for turn in turns {
            match groups.last_mut() {
                Some(group) if group.len() < 2 || filled + turn.tokens <= self.room => {
                    filled += turn.tokens;
                    group.push(turn);
                }
                _ => {
                    filled = turn.tokens;
                    groups.push(vec![turn]);
                }
            }
        }
        groups.iter().map(|group| self.question(group.iter().map(|turn| &turn.turn), prompt::MERGE)).collect()
    }

    fn question<'t>(&self, turns: impl Iterator<Item = &'t Turn>, instruction: &str) -> LlmRequest {
        let turns: Vec<Turn> = turns.cloned().collect();
        let (fence, messages) = question(&turns, instruction);
        LlmRequest { system: system(self.job, &fence), messages, max_tokens: self.max_tokens, ..LlmRequest::default() }
    }

    async fn ask<'t>(
        &self,
        turns: impl Iterator<Item = &'t Turn>,
        instruction: &str,
    ) -> Result<SummaryAnswer, SummaryError> {
        self.client.context.report(0, 1);
        let answer = self.client.ask(self.question(turns, instruction)).await;
        self.client.context.report(1, 1);
        answer
    }

    /// Sends several requests concurrently. The first failure cancels the others; their cost is recorded.
    async fn ask_all(&self, questions: Vec<LlmRequest>) -> Result<Vec<SummaryAnswer>, SummaryError> {
        let total = questions.len();
        let done = std::sync::atomic::AtomicUsize::new(0);
        // Each set of requests has its own signal, because a failure with a retry must not cancel what follows.
        let group = SummaryClient::for_group(self.client);
        let answers = stream::iter(questions)
            .map(|question| async {
                let answer = group.ask(question).await;
                if answer.is_err() {
                    group.cancel.cancel();
                }
                let done = done.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1;
                self.client.context.report(done, total);
                answer
            })
            .buffered(self.job.concurrency);
        let answers: Vec<Result<SummaryAnswer, SummaryError>> = answers.collect().await;
        self.client.warnings.extend(group.warnings.take());
        let mut good = Vec::with_capacity(total);
        let mut failure = None;
        for answer in answers {
            match (answer, &failure) {
                (Ok(answer), _) => good.push(answer),
                // Report the failure that cancelled the others, not theirs.
                (Err(error), None | Some(SummaryError::Aborted)) => failure = Some(error),
                (Err(_), Some(_)) => {}
            }
        }
        failure.map_or(Ok(good), Err)
    }
}

fn system(job: &Job, fence: &Fence) -> String {
    let update = if job.update { format!("\n\n{}", prompt::UPDATE) } else { String::new() };
    format!("{}{update}\n\n{}", job.prompt, explained(fence))
}
