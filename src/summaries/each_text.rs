//! Summarises several texts concurrently: from the cache, small ones together, the others one by one. If one fails,
//! its text stays as it is.

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
    context::SummaryContext,
    groups::{Together, Wanted, grouped},
    questions::{SourceText, within},
    summary_error::SummaryError,
};
use crate::{
    warning::{Warning, WarningCode},
    words::{Said, said},
};

/// The summaries of several texts, with warnings.
#[derive(Default)]
pub(crate) struct Summaries {
    pub written: Vec<WrittenSummary>,
    pub warnings: Vec<Warning>,
    /// The first failure.
    pub failure: Option<SummaryError>,
}

/// A summary of one of the texts.
#[derive(Clone)]
pub(crate) struct WrittenSummary {
    /// The index of the text.
    pub index: usize,
    pub text: String,
    /// True if no request was needed.
    pub cached: bool,
    /// For a dry run, the expected tokens of the summary. The text is then a placeholder of that length.
    pub expected_tokens: Option<usize>,
}

/// Writes summaries of the texts, at most `concurrency` requests at a time.
///
/// # Errors
/// If the call is aborted, or there is no handler. Failed requests are in the result.
pub(crate) async fn summarize_texts(
    context: SummaryContext<'_>,
    texts: &[SourceText<'_>],
    concurrency: usize,
) -> Result<Summaries, SummaryError> {
    let mut by_profile: BTreeMap<Option<&str>, Vec<(usize, &SourceText<'_>)>> = BTreeMap::new();
    for (index, text) in texts.iter().enumerate() {
        by_profile.entry(text.profile).or_default().push((index, text));
    }
    let mut summaries = Summaries::default();
    let progress = Counter { context, done: AtomicUsize::new(0), total: texts.len() };
    progress.add(0);
    // One handler at a time, because the limit on concurrency is for all of them together.
    for (profile, texts) in by_profile {
        let llm = context.llm.under(profile);
        let client = SummaryClient::new(SummaryContext { llm: &llm, ..context })?;
        let writer = Writer::new(&client, &progress, concurrency);
        let wanted = texts.into_iter().map(|(index, text)| Wanted::new(&client, index, text)).collect();
        summaries.written.extend(writer.write(wanted).await?);
        let failures = writer.into_failures();
        summaries.warnings.extend(client.warnings.take());
        summaries.warnings.extend(failures.warnings());
        summaries.failure = summaries.failure.or(failures.first);
    }
    Ok(summaries)
}

/// Counts the finished summaries, including failed ones.
struct Counter<'a> {
    context: SummaryContext<'a>,
    done: AtomicUsize,
    total: usize,
}

impl Counter<'_> {
    fn add(&self, summaries: usize) {
        let done = self.done.fetch_add(summaries, Ordering::Relaxed) + summaries;
        self.context.report(done, self.total);
    }
}

/// The outcome of one request: summaries, and texts to request again one at a time.
type Answered<'t> = (Vec<WrittenSummary>, Vec<Wanted<'t>>);

/// Requests the summaries from one handler.
struct Writer<'a> {
    client: &'a SummaryClient<'a>,
    progress: &'a Counter<'a>,
    concurrency: usize,
    /// True if the next request would fail like an earlier one.
    hopeless: AtomicBool,
    /// True if the model does not respond to several texts at once.
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

    async fn write(&self, wanted: Vec<Wanted<'_>>) -> Result<Vec<WrittenSummary>, SummaryError> {
        let requests = wanted.into_iter().map(|text| self.look_up(text)).collect();
        let (mut written, mut unknown) = (Vec::new(), Vec::new());
        for found in self.at_once(requests).await {
            let (known, rest) = found?;
            written.extend(known);
            unknown.extend(rest);
        }
        // In the order of the texts, so that requests do not depend on which response came first.
        unknown.sort_by_key(|text| text.index);
        let requests = grouped(self.client, unknown).into_iter().map(|group| self.ask_together(group)).collect();
        let answered = self.at_once(requests).await;
        self.client.context.cancel.check()?;
        let mut alone = Vec::new();
        for (summaries, left) in answered {
            written.extend(summaries);
            alone.extend(left);
        }
        alone.sort_by_key(|text| text.index);
        let requests = alone.into_iter().map(|text| self.ask_alone(text)).collect();
        let answered = self.at_once(requests).await;
        self.client.context.cancel.check()?;
        written.extend(answered.into_iter().flatten());
        Ok(written)
    }

    /// Runs all requests, as many at a time as allowed, and returns the results in the order in which they end.
    async fn at_once<T>(&self, requests: Vec<impl Future<Output = T>>) -> Vec<T> {
        stream::iter(requests).buffer_unordered(self.concurrency).collect().await
    }

    async fn look_up<'t>(&self, text: Wanted<'t>) -> Result<Answered<'t>, SummaryError> {
        Ok(match self.client.known(&text.question).await? {
            Some(summary) => {
                self.progress.add(1);
                (vec![self.written(&text, SummaryAnswer::cached(summary))], Vec::new())
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
            Ok(answer) if answer.expected_tokens.is_some() => {
                let each = group.iter().map(|text| self.written(text, self.client.stand_in(&text.question))).collect();
                self.progress.add(group.len());
                return (each, Vec::new());
            }
            Ok(answer) => together.read(&answer.text, answer.complete),
            Err(error) if error.is_hopeless() => {
                self.hopeless.store(true, Ordering::Relaxed);
                self.progress.add(group.len());
                self.failures().add(group.iter().map(|text| text.source.origin), error);
                return (Vec::new(), Vec::new());
            }
            // Each single request will report the failure if it persists.
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
            let answer = SummaryAnswer { text: summary, cached: false, complete: true, expected_tokens: None };
            written.push(self.written(&text, answer));
        }
        (written, left)
    }

    async fn ask_alone(&self, text: Wanted<'_>) -> Option<WrittenSummary> {
        if self.hopeless.load(Ordering::Relaxed) {
            self.failures().not_asked += 1;
            return None;
        }
        let answer = match self.client.ask_anew(text.question.clone()).await {
            Err(error) if error.is_too_long() => self.ask_for_half(&text).await,
            answer => answer,
        };
        self.progress.add(1);
        match answer {
            Ok(answer) => {
                if answer.complete {
                    self.client.keep(&text.question, &answer.text).await;
                } else {
                    self.warn_of_cut(text.source.max_tokens);
                }
                Some(self.written(&text, answer))
            }
            Err(error) => {
                self.hopeless.fetch_or(error.is_hopeless(), Ordering::Relaxed);
                self.failures().add([text.source.origin], error);
                None
            }
        }
    }

    /// Requests a summary of the first half of a text that the service rejected as too long.
    async fn ask_for_half(&self, text: &Wanted<'_>) -> Result<SummaryAnswer, SummaryError> {
        let half = text.half(self.client);
        let model = self.client.handler.model();
        let said = said!("warning.triedHalf", model: model);
        self.client.warnings.add(Warning::new(WarningCode::WindowTooLarge, said).about("contextWindow"));
        self.client.ask_anew(half).await
    }

    fn written(&self, text: &Wanted<'_>, answer: SummaryAnswer) -> WrittenSummary {
        let room = text.source.room();
        let (summary, cut) = within(&answer.text, room, self.client.context.encoding);
        // A placeholder has the greatest length allowed, which needs no warning.
        if cut && answer.expected_tokens.is_none() {
            self.warn_of_cut(text.source.max_tokens);
        }
        let expected_tokens = answer.expected_tokens.map(|tokens| tokens.min(room));
        WrittenSummary { index: text.index, text: summary.to_owned(), cached: answer.cached, expected_tokens }
    }

    fn warn_of_cut(&self, max_tokens: usize) {
        let said = said!("warning.someTruncated", tokens: max_tokens);
        self.client.warnings.add(Warning::new(WarningCode::SummaryTruncated, said).about("maxTokens"));
    }
}

/// Failed summaries; equal failures share a warning.
#[derive(Default)]
struct Failures {
    /// By code and English words, so that their order is deterministic.
    alike: BTreeMap<(&'static str, String), Failure>,
    first: Option<SummaryError>,
    not_asked: usize,
}

/// A failure of one or more summaries.
struct Failure {
    error: Said,
    /// The indices of the texts' messages; `None` for an added message.
    messages: BTreeSet<Option<usize>>,
}

impl Failures {
    /// Records that the summaries of texts in `messages` failed.
    fn add(&mut self, messages: impl IntoIterator<Item = Option<usize>>, error: SummaryError) {
        let (code, mut words) = (error.code(), error.to_string());
        if let SummaryError::CostLimit(_) = error
            && let Some((_, known)) = self.alike.keys().find(|(known, _)| *known == code)
        {
            // Each message names a different price.
            words.clone_from(known);
        }
        let alike = self.alike.entry((code, words));
        let failure = alike.or_insert_with(|| Failure { error: error.said(), messages: BTreeSet::new() });
        failure.messages.extend(messages);
        self.first.get_or_insert(error);
    }

    /// Returns the warnings about failures.
    fn warnings(&self) -> Vec<Warning> {
        const NAMED: usize = 5;
        let failed = |said: Said| Warning::new(WarningCode::SummaryFailed, said);
        let mut warnings = Vec::new();
        for ((code, _), Failure { error, messages }) in &self.alike {
            let origins: Vec<usize> = messages.iter().copied().flatten().collect();
            let named: Vec<String> = origins.iter().take(NAMED).map(ToString::to_string).collect();
            let messages = named.join(", ");
            let place = match origins.len().checked_sub(NAMED) {
                None if origins.is_empty() => said!("warning.addedMessage"),
                None | Some(0) => said!("warning.messages", messages: messages),
                Some(more) => said!("warning.messagesAndMore", messages: messages, more: more),
            };
            let said = said!("warning.leftAsItWas", place: place, code: *code, error: error.clone());
            warnings.push(failed(said).at(origins.first().copied()).caused_by(*code));
        }
        if self.not_asked > 0 {
            warnings.push(failed(said!("warning.notAsked", count: self.not_asked)));
        }
        warnings
    }
}
