//! Summaries of texts, several at once: from the cache, small ones together, the others one by one. One that fails leaves its text as
//! it is.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use futures_util::{StreamExt, stream};

use super::{
    client::{SummaryAnswer, SummaryClient},
    groups::{Together, Wanted, grouped},
    questions::{replacement, room, within},
};
use crate::{
    llm::LlmErrorKind,
    providers::{
        CondenseError, Request, Smart,
        smart::{
            config::{ContentOperation, Summarize},
            individual::{Replacement, Target, is_worth_summary},
        },
    },
    warning::{Warning, WarningCode},
};

/// What came of the summaries of a pass.
pub(crate) struct Summaries {
    /// By target; `None` where there is none.
    pub replacements: Vec<Option<Replacement>>,
    pub warnings: Vec<Warning>,
    /// The first failure.
    pub failure: Option<CondenseError>,
}

/// Writes the summaries that the targets ask for, at most `concurrency` requests at a time. Those that nobody can be asked for are left out.
///
/// # Errors
/// When the call is aborted. Failed requests are in the result.
pub(crate) async fn summarize(
    request: &Request,
    targets: &[Target<'_>],
    concurrency: usize,
) -> Result<Summaries, CondenseError> {
    let mut by_profile: BTreeMap<Option<&str>, Vec<(usize, &Target<'_>, &Summarize)>> = BTreeMap::new();
    for (index, target) in targets.iter().enumerate() {
        if let ContentOperation::Summarize(summarize) = target.operation
            && is_worth_summary(target, summarize)
            && request.llm.can_ask(summarize.api_profile.as_deref())
        {
            let profile = summarize.api_profile.as_deref();
            by_profile.entry(profile).or_default().push((index, target, summarize));
        }
    }
    let total = by_profile.values().map(Vec::len).sum();
    let mut summaries =
        Summaries { replacements: targets.iter().map(|_| None).collect(), warnings: Vec::new(), failure: None };
    let progress = Counter { request, done: AtomicUsize::new(0), total };
    progress.add(0);
    // Handlers one after the other: what may be asked at once is said of all of them together.
    for (profile, wanted) in by_profile {
        let request = Request { llm: request.llm.under(profile), ..request.clone() };
        let client = SummaryClient::new(&request, Smart::ID)?;
        let writer = Writer::new(&client, &progress, concurrency);
        let question = |(index, target, summarize)| Wanted::new(&client, index, target, summarize);
        let wanted = wanted.into_iter().map(question).collect();
        for (index, replacement) in writer.write(wanted).await? {
            summaries.replacements[index] = Some(replacement);
        }
        let failures = writer.into_failures();
        summaries.warnings.extend(client.warnings.take());
        let entries = request.conversation.entries();
        summaries.warnings.extend(failures.warnings(|message| entries[message].origin));
        summaries.failure = summaries.failure.or(failures.first);
    }
    Ok(summaries)
}

/// How many summaries are done, those that failed included.
struct Counter<'a> {
    request: &'a Request,
    done: AtomicUsize,
    total: usize,
}

impl Counter<'_> {
    fn add(&self, summaries: usize) {
        let done = self.done.fetch_add(summaries, Ordering::Relaxed) + summaries;
        self.request.progress.report("summarizing", Smart::ID, done, self.total);
    }
}

/// A summary by the index of its target.
type Written = (usize, Replacement);

/// What one request left: summaries, and texts that are asked for again alone.
type Answered<'t> = (Vec<Written>, Vec<Wanted<'t>>);

/// Has the summaries written by one handler.
struct Writer<'a> {
    client: &'a SummaryClient<'a>,
    progress: &'a Counter<'a>,
    concurrency: usize,
    /// The next question would fail as one before did.
    hopeless: AtomicBool,
    /// The model does not answer for several texts at once.
    only_alone: AtomicBool,
    failures: Mutex<Failures>,
}

impl<'a> Writer<'a> {
    fn new(client: &'a SummaryClient<'a>, progress: &'a Counter<'a>, concurrency: usize) -> Self {
        Self {
            client,
            progress,
            concurrency,
            hopeless: AtomicBool::new(false),
            only_alone: AtomicBool::new(false),
            failures: Mutex::default(),
        }
    }

    fn into_failures(self) -> Failures {
        self.failures.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    fn failures(&self) -> std::sync::MutexGuard<'_, Failures> {
        self.failures.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn write(&self, wanted: Vec<Wanted<'_>>) -> Result<Vec<Written>, CondenseError> {
        let requests = wanted.into_iter().map(|text| self.look_up(text)).collect();
        let (mut written, mut unknown) = (Vec::new(), Vec::new());
        for found in self.at_once(requests).await {
            let (known, rest) = found?;
            written.extend(known);
            unknown.extend(rest);
        }
        // In the order of the texts, so that the questions do not depend on which answer came first.
        unknown.sort_by_key(|text| text.index);
        let requests = grouped(self.client, unknown).into_iter().map(|group| self.ask_together(group)).collect();
        let answered = self.at_once(requests).await;
        self.client.request.cancel.check()?;
        let mut alone = Vec::new();
        for (summaries, left) in answered {
            written.extend(summaries);
            alone.extend(left);
        }
        alone.sort_by_key(|text| text.index);
        let requests = alone.into_iter().map(|text| self.ask_alone(text)).collect();
        let answered = self.at_once(requests).await;
        self.client.request.cancel.check()?;
        written.extend(answered.into_iter().flatten());
        Ok(written)
    }

    /// What becomes of all of them, as many at a time as may be, in the order in which they end.
    async fn at_once<T>(&self, requests: Vec<impl Future<Output = T>>) -> Vec<T> {
        stream::iter(requests).buffer_unordered(self.concurrency).collect().await
    }

    async fn look_up<'t>(&self, text: Wanted<'t>) -> Result<Answered<'t>, CondenseError> {
        Ok(match self.client.known(&text.question).await? {
            Some(summary) => {
                self.progress.add(1);
                (vec![self.written(&text, &summary, true)], Vec::new())
            }
            None => (Vec::new(), vec![text]),
        })
    }

    async fn ask_together<'t>(&self, mut group: Vec<Wanted<'t>>) -> Answered<'t> {
        if group.len() == 1 {
            return (self.ask_alone(group.remove(0)).await.into_iter().collect(), Vec::new());
        }
        if self.only_alone.load(Ordering::Relaxed) || self.hopeless.load(Ordering::Relaxed) {
            return (Vec::new(), group);
        }
        let together = Together::new(&group);
        let summaries = match self.client.ask_anew(together.question.clone()).await {
            Ok(_) if self.client.request.llm.preview.is_some() => {
                group.iter().map(|text| Some(self.client.stand_in(&text.question))).collect()
            }
            Ok(answer) => together.read(&answer.text, answer.complete),
            Err(error) if is_hopeless(&error) => {
                self.hopeless.store(true, Ordering::Relaxed);
                self.progress.add(group.len());
                self.failures().add(group.iter().map(|text| text.target.message), error);
                return (Vec::new(), Vec::new());
            }
            // Each alone will tell of the failure, if there still is one.
            Err(_) => vec![None; group.len()],
        };
        self.only_alone.fetch_or(summaries.iter().all(Option::is_none), Ordering::Relaxed);
        let (mut written, mut left) = (Vec::new(), Vec::new());
        for (text, summary) in group.into_iter().zip(summaries) {
            let Some(summary) = summary else {
                left.push(text);
                continue;
            };
            self.client.keep(&text.question, &summary).await;
            self.progress.add(1);
            written.push(self.written(&text, &summary, false));
        }
        (written, left)
    }

    async fn ask_alone(&self, text: Wanted<'_>) -> Option<Written> {
        if self.hopeless.load(Ordering::Relaxed) {
            self.failures().not_asked += 1;
            return None;
        }
        let answer = match self.client.ask_anew(text.question.clone()).await {
            Err(CondenseError::Llm(error)) if error.is_context_too_long() => self.ask_for_half(&text).await,
            answer => answer,
        };
        self.progress.add(1);
        match answer {
            Ok(answer) => {
                if answer.complete {
                    self.client.keep(&text.question, &answer.text).await;
                } else {
                    self.warn_of_cut(text.summarize);
                }
                Some(self.written(&text, &answer.text, false))
            }
            Err(error) => {
                self.hopeless.fetch_or(is_hopeless(&error), Ordering::Relaxed);
                self.failures().add([text.target.message], error);
                None
            }
        }
    }

    /// Asks once more about half of a text that the service says is too long.
    async fn ask_for_half(&self, text: &Wanted<'_>) -> Result<SummaryAnswer, CondenseError> {
        let half = text.half(self.client);
        let model = self.client.handler.model();
        let message = format!("model \"{model}\" refused a text as too long; half of it was asked for instead");
        self.client.warnings.add(Warning::new(WarningCode::WindowTooLarge, message).about("contextWindow"));
        self.client.ask_anew(half).await
    }

    fn written(&self, text: &Wanted<'_>, summary: &str, from_cache: bool) -> Written {
        let (summary, cut) = within(summary, room(text.summarize), self.client.request.tally.encoding());
        // A stand-in has the length that is allowed at most.
        if cut && self.client.request.llm.preview.is_none() {
            self.warn_of_cut(text.summarize);
        }
        (text.index, replacement(text.target, summary, from_cache))
    }

    fn warn_of_cut(&self, summarize: &Summarize) {
        let message = format!(
            "some summaries were longer than `maxTokens` allows ({} tokens), so their ends are missing",
            summarize.max_tokens
        );
        self.client.warnings.add(Warning::new(WarningCode::SummaryTruncated, message).about("maxTokens"));
    }
}

/// How a summary failed.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Failure {
    code: &'static str,
    sentence: String,
}

/// Failed summaries; those that failed alike are told together.
#[derive(Default)]
struct Failures {
    alike: BTreeMap<Failure, BTreeSet<usize>>,
    first: Option<CondenseError>,
    not_asked: usize,
}

impl Failures {
    /// Adds that the summaries of texts in `messages` failed.
    fn add(&mut self, messages: impl IntoIterator<Item = usize>, error: CondenseError) {
        let mut failure = Failure { code: error.code(), sentence: error.to_string() };
        if let CondenseError::CostLimit(_) = error
            && let Some(known) = self.alike.keys().find(|known| known.code == failure.code)
        {
            // Each names its own price.
            failure.sentence.clone_from(&known.sentence);
        }
        self.alike.entry(failure).or_default().extend(messages);
        self.first.get_or_insert(error);
    }

    /// What to tell; `origin` says where a message stood in the conversation that came in.
    fn warnings(&self, origin: impl Fn(usize) -> Option<usize>) -> Vec<Warning> {
        const NAMED: usize = 5;
        let failed = |message: String| Warning::new(WarningCode::SummaryFailed, message);
        let mut warnings = Vec::new();
        for (Failure { code, sentence }, messages) in &self.alike {
            let origins: Vec<usize> = messages.iter().filter_map(|message| origin(*message)).collect();
            let named: Vec<String> = origins.iter().take(NAMED).map(ToString::to_string).collect();
            let place = match origins.len().checked_sub(NAMED) {
                None if origins.is_empty() => "an added message".to_owned(),
                None | Some(0) => format!("message {}", named.join(", ")),
                Some(more) => format!("message {} and {more} more", named.join(", ")),
            };
            let message = format!("{place} left as it was: {code}: {sentence}");
            warnings.push(failed(message).at(origins.first().copied()));
        }
        if self.not_asked > 0 {
            let more = self.not_asked;
            warnings.push(failed(format!("{more} more summaries were not asked for, because they would fail alike")));
        }
        warnings
    }
}

/// Whether the next question would fail in the same way.
fn is_hopeless(error: &CondenseError) -> bool {
    match error {
        CondenseError::Aborted | CondenseError::HandlerInvalid => true,
        CondenseError::Llm(error) => matches!(
            error.kind,
            LlmErrorKind::Unauthorized | LlmErrorKind::QuotaExceeded | LlmErrorKind::NotFound | LlmErrorKind::Aborted
        ),
        _ => false,
    }
}
