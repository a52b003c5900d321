//! Sends one request over HTTP: attempts, waits, limits, cancellation.

use std::{
    fmt,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant, SystemTime},
};

use async_trait::async_trait;
use reqwest::{
    Client, Response, StatusCode, Url,
    header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION},
    redirect::{Attempt, Policy},
};
use tokio::sync::OnceCell;
use tokio_util::{bytes::Bytes, sync::CancellationToken};

use super::{
    Api, ApiKey, Failure, HttpConfig, LlmError, LlmErrorKind, LlmHandler, LlmProgress, LlmRequest, LlmResponse,
    ModelPrice, ProgressSink, StopReason, TimeoutPhase, TokenUsage, Unreported,
    answer::{EventFault, StreamedAnswer},
    anthropic, endpoint,
    fault::ErrorAnswer,
    proxy,
    quirks::Quirks,
    retry,
    secret::Scrubber,
    service_error::{ServiceError, web_page},
    sse::{Body, ReadFault, reason, without_mark},
    tls,
};
use crate::options::{ConfigError, FaultKind, path_of};

/// Time limit for a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(20);
/// Maximum bytes read of an error's body, enough for any message.
const ERROR_BODY_BYTES: usize = 64 * 1024;
/// Maximum bytes of text kept for counting: about 128,000 tokens, the most that models write in one response.
const MAX_COUNTED_BYTES: usize = 512 * 1024;
/// Time to wait for usage after the model gave its stop reason, because some servers never end the stream.
const AFTER_STOP: Duration = Duration::from_secs(5);
/// Maximum redirects within one origin.
const REDIRECTS: usize = 3;
/// Headers about the transport, which the caller must not set.
const TRANSPORT_HEADERS: &[&str] = &["content-length", "transfer-encoding", "connection"];
/// Headers that authenticate the caller, in the forms known from services behind `baseUrl`.
const KEY_HEADERS: &[&str] = &["authorization", "x-api-key", "api-key"];
/// Further headers that are always secret.
const OTHER_SECRETS: &[&str] = &["proxy-authorization", "cookie", "x-goog-api-key"];

/// An LLM service reached over HTTP.
///
/// Needs a tokio runtime with I/O and time. Connections are pooled in the handler; two handlers share nothing.
/// Proxies come from `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`, else from the system's settings;
/// addresses on this machine are reached directly.
pub struct HttpHandler {
    config: HttpConfig,
    url: Url,
    headers: HeaderMap,
    /// Built for the first request, because it reads certificates from disk, which must not delay the creation of the
    /// handler.
    client: OnceCell<Client>,
    quirks: Mutex<Quirks>,
    scrubber: Scrubber,
}

impl fmt::Debug for HttpHandler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpHandler").field("config", &self.config).finish_non_exhaustive()
    }
}

/// The failure of one attempt.
struct AttemptFault {
    error: LlmError,
    /// True if the request may have reached the service.
    sent: bool,
    /// A parameter that the server refused, without which the request can be sent again.
    refused: Option<&'static str>,
}

impl From<LlmError> for AttemptFault {
    fn from(error: LlmError) -> Self {
        Self { error, sent: true, refused: None }
    }
}

/// The usage of a request, up to date at any moment, so that it is known even if the request is dropped.
#[derive(Default)]
struct Ledger(Mutex<Account>);

#[derive(Default, Clone)]
struct Account {
    attempts: u32,
    /// Reported usage of failed attempts.
    earlier: TokenUsage,
    /// Reported usage of the current attempt.
    current: TokenUsage,
    /// Bytes of text of the current attempt.
    received: usize,
    /// Usage of failed attempts that the service did not report, and may have charged for.
    unreported: Unreported,
    /// True if the current attempt's request was sent, and may be charged for.
    sent: bool,
    /// True if the current attempt has reported usage.
    reported: bool,
    /// Text of the current attempt since its last usage report.
    written: String,
}

impl Account {
    /// Returns the unreported usage of all attempts.
    fn all_unreported(&self) -> Unreported {
        let mut all = self.unreported.clone();
        all.add(&Unreported { questions: u32::from(self.sent && !self.reported), text: self.written.clone() });
        all
    }
}

impl Ledger {
    fn lock(&self) -> MutexGuard<'_, Account> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin_attempt(&self) {
        let mut account = self.lock();
        let mut earlier = account.earlier;
        earlier.add(&account.current);
        *account = Account {
            attempts: account.attempts + 1,
            earlier,
            unreported: account.all_unreported(),
            ..Account::default()
        };
    }

    /// Records that the request was sent.
    fn send(&self) {
        self.lock().sent = true;
    }

    /// Records a failed attempt. A request that did not reach the service, or that it refused before any response, is
    /// not charged.
    fn fail(&self, fault: &AttemptFault) {
        let mut account = self.lock();
        // If a gateway timed out, the service may still have processed the request.
        let gave_up = matches!(fault.error.failure().status, Some(504 | 524));
        let begun = account.reported || !account.written.is_empty();
        if !fault.sent || (fault.error.kind.was_turned_away() && !gave_up && !begun) {
            account.sent = false;
        }
    }

    /// Returns true if an attempt used anything.
    fn was_charged(&self) -> bool {
        let account = self.lock();
        let mut used = account.earlier;
        used.add(&account.current);
        used != TokenUsage::default() || !account.all_unreported().is_nothing()
    }

    /// Adds the usage to an error.
    fn close(&self, mut error: LlmError) -> LlmError {
        let account = self.lock().clone();
        let failure = error.failure_mut();
        failure.attempts = account.attempts;
        failure.spent = account.earlier;
        failure.spent.add(&account.current);
        failure.unreported = account.all_unreported();
        error
    }
}

impl HttpHandler {
    /// Checks the options and prepares requests. Sends nothing and opens no connection.
    pub fn new(config: HttpConfig) -> Result<Self, Vec<ConfigError>> {
        let mut faults: Vec<_> = config.fault_of_temperature().into_iter().collect();
        let url = endpoint::endpoint(config.api, config.base_url.as_deref());
        let (headers, wrong) = headers(&config, url.as_ref().ok());
        faults.extend(wrong);
        if let Ok(url) = &url {
            faults.extend(proxy::fault(url));
            faults.extend(unencrypted(&config, url, &headers));
        }
        let url = match url {
            Ok(url) if faults.is_empty() => url,
            url => {
                faults.extend(url.err());
                return Err(faults);
            }
        };
        let from_query: Vec<_> = url.query_pairs().map(|(_, value)| ApiKey::new(value)).collect();
        let scrubber = Scrubber::new(config.api_key.iter().chain(config.headers.values()).chain(&from_query));
        let quirks = Mutex::new(Quirks::of_host(config.api, url.host_str().unwrap_or_default()));
        Ok(Self { config, url, headers, client: OnceCell::new(), quirks, scrubber })
    }

    fn failure(&self) -> Failure {
        Failure { model: self.config.model.clone(), endpoint: endpoint::shown(&self.url), ..Failure::default() }
    }

    /// Creates an error without a response.
    fn failed(&self, kind: LlmErrorKind) -> LlmError {
        LlmError::new(kind, self.failure())
    }

    /// Creates an error from a response without a message.
    fn failed_after(&self, response: &Answered, kind: LlmErrorKind) -> LlmError {
        LlmError::new(kind, self.failure_of(response, None))
    }

    /// Describes a failure by its response, scrubbed.
    fn failure_of(&self, response: &Answered, message: Option<&str>) -> Failure {
        let mut failure = self.failure();
        failure.status = Some(response.status);
        failure.request_id = response.request_id.as_deref().map(|id| self.scrubber.clean(id));
        failure.server_message =
            message.map(|message| self.scrubber.clean(message)).filter(|message| !message.is_empty());
        failure
    }

    async fn client(&self) -> Result<&Client, LlmError> {
        let url = self.url.clone();
        let build = || async {
            let built = tokio::task::spawn_blocking(move || build_client(&url)).await;
            built.map_err(|panic| panic.to_string()).and_then(|client| client)
        };
        self.client
            .get_or_try_init(build)
            .await
            .map_err(|reason| self.failed(LlmErrorKind::ConnectionFailed { reason: self.scrubber.clean(&reason) }))
    }

    fn quirks(&self) -> Quirks {
        *self.quirks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends attempts until one succeeds, none is left, or waiting is pointless.
    async fn attempts(
        &self,
        request: &LlmRequest,
        progress: Option<&dyn ProgressSink>,
        ledger: &Ledger,
    ) -> Result<LlmResponse, LlmError> {
        let started = Instant::now();
        let mut delays = retry::delays(self.config.retry_delay, self.config.retries);
        let mut refused_before = Vec::new();
        let mut quirks = self.quirks();
        let mut body = self.body(request, quirks);
        loop {
            ledger.begin_attempt();
            let fault = match self.attempt(body.clone(), progress, ledger, quirks).await {
                Ok(response) => return Ok(response),
                Err(fault) => fault,
            };
            ledger.fail(&fault);
            let AttemptFault { error, refused, .. } = fault;
            // This does not count as a retry: nothing was computed, and there is nothing to wait for.
            if let Some(parameter) = refused
                && !refused_before.contains(&parameter)
            {
                refused_before.push(parameter);
                quirks = quirks.without(parameter);
                body = self.body(request, quirks);
                *self.quirks.lock().unwrap_or_else(PoisonError::into_inner) = quirks;
                continue;
            }
            // Once there is text, another attempt would be paid for and delivered twice, so the caller decides.
            if !error.retryable() || ledger.lock().received > 0 || (request.charged_once && ledger.was_charged()) {
                return Err(error);
            }
            let Some(wait) = delays.next().and_then(|delay| retry::wait(delay, error.retry_after())) else {
                return Err(error);
            };
            if started.elapsed() + wait >= self.config.timeout {
                return Err(error);
            }
            if let Some(progress) = progress {
                let (attempt, attempts) = (ledger.lock().attempts, self.config.retries.saturating_add(1));
                progress.report(LlmProgress::Retrying { attempt, attempts, wait, code: error.code() });
            }
            tokio::time::sleep(wait).await;
        }
    }

    fn body(&self, request: &LlmRequest, quirks: Quirks) -> Bytes {
        let body = self.config.api.body(&self.config, request, quirks);
        match &request.appended_to {
            Some(host) => host.with_question(body, &request.messages).into(),
            None => body.to_string().into(),
        }
    }

    async fn attempt(
        &self,
        body: Bytes,
        progress: Option<&dyn ProgressSink>,
        ledger: &Ledger,
        quirks: Quirks,
    ) -> Result<LlmResponse, AttemptFault> {
        let idle = self.config.idle_timeout;
        let request = self.client().await?.post(self.url.clone()).headers(self.headers.clone()).body(body);
        ledger.send();
        let response = match tokio::time::timeout(idle, request.send()).await {
            Err(_) => {
                let late = LlmErrorKind::Timeout { phase: TimeoutPhase::FirstByte, limit: Some(idle) };
                return Err(self.failed(late).into());
            }
            Ok(Err(error)) => {
                let sent = !(error.is_connect() || error.is_builder());
                let reason = self.scrubber.clean(&reason(&error));
                let error = self.failed(LlmErrorKind::ConnectionFailed { reason });
                return Err(AttemptFault { error, sent, refused: None });
            }
            Ok(Ok(response)) => response,
        };
        let answered = Answered::new(&response);
        if response.status().is_redirection() {
            let location = self.location(&response);
            return Err(self.failed_after(&answered, LlmErrorKind::Redirected { location }).into());
        }
        if !response.status().is_success() {
            let retry_after = retry::retry_after(response.headers(), SystemTime::now());
            let said = Body::new(response, idle).beginning(ERROR_BODY_BYTES).await;
            let answer = ErrorAnswer::new(answered.status, retry_after, &said);
            let failure = self.failure_of(&answered, Some(&answer.service.words()));
            let negotiable = matches!(answer.status, 400 | 422) && !answer.service.is_too_long();
            let refused = negotiable.then(|| answer.service.refused_parameter(&quirks.negotiable())).flatten();
            let error = LlmError::new(answer.into_kind(), failure);
            // A status of 407 is the proxy's.
            return Err(AttemptFault { error, sent: answered.status != 407, refused });
        }
        let answer = self.read(Body::new(response, idle), &answered, progress, ledger).await?;
        let account = ledger.lock().clone();
        Ok(LlmResponse {
            text: self.config.api.finished(answer.text),
            usage_reported: answer.usage.is_some(),
            usage: account.current,
            stop_reason: answer.stop.unwrap_or(StopReason::Unknown),
            attempts: account.attempts,
            spent_on_retries: account.earlier,
            unreported: account.all_unreported(),
        })
    }

    /// Reads a response in whichever form it has.
    async fn read(
        &self,
        mut body: Body,
        answered: &Answered,
        progress: Option<&dyn ProgressSink>,
        ledger: &Ledger,
    ) -> Result<StreamedAnswer, LlmError> {
        let mut answer = StreamedAnswer::default();
        let limit = self.config.max_response_bytes;
        let first = match body.first().await {
            Ok(Some(first)) => first,
            Ok(None) => return Err(self.cut(None, answered, &answer)),
            Err(fault) => return Err(self.read_error(fault, answered, &answer)),
        };
        match without_mark(&first).trim_ascii_start().first() {
            Some(b'<') => {
                let mut page = first.to_vec();
                page.extend(body.beginning(ERROR_BODY_BYTES).await);
                let page = web_page(&String::from_utf8_lossy(&page));
                Err(self.invalid(&page, None, answered))
            }
            Some(b'{' | b'[') => {
                let read = body.rest(&first, limit).await;
                let all = read.map_err(|fault| self.read_error(fault, answered, &answer))?;
                let taken = self.config.api.whole(&mut answer, without_mark(&all).trim_ascii());
                taken.map_err(|fault| match fault {
                    EventFault::Service(error) => {
                        self.service_error(&error, answered, |words| LlmErrorKind::InvalidResponse {
                            problem: format!("an error although the status is {}: {words}", answered.status),
                            transient: error.is_transient(),
                        })
                    }
                    EventFault::Malformed(what) => self.invalid(what, Some(&all), answered),
                })?;
                self.note(&mut answer, 0, progress, ledger);
                Ok(answer)
            }
            _ => self.read_events(body, first, answered, progress, ledger).await,
        }
    }

    async fn read_events(
        &self,
        body: Body,
        first: Bytes,
        answered: &Answered,
        progress: Option<&dyn ProgressSink>,
        ledger: &Ledger,
    ) -> Result<StreamedAnswer, LlmError> {
        let api = self.config.api;
        let limit = self.config.max_response_bytes;
        let mut answer = StreamedAnswer::default();
        let mut any_event = false;
        let mut events = body.events(first.clone(), limit);
        while !answer.ended {
            let next = if answer.is_complete(api) {
                tokio::time::timeout(AFTER_STOP, events.next()).await.unwrap_or(Ok(None))
            } else {
                events.next().await
            };
            let event = match next {
                Ok(Some(event)) => event,
                Ok(None) => break,
                Err(_) if answer.is_complete(api) => break,
                Err(fault) => return Err(self.read_error(fault, answered, &answer)),
            };
            any_event = true;
            let before = answer.text.len();
            let data = event.data.as_deref().unwrap_or_default();
            match api.event(&mut answer, event.event.as_deref(), data) {
                Ok(()) => {}
                Err(EventFault::Service(error)) => {
                    return Err(self.service_error(&error, answered, |_| LlmErrorKind::StreamError {
                        name: if error.kind.is_empty() { "error".into() } else { self.scrubber.clean(&error.kind) },
                        transient: error.is_transient(),
                    }));
                }
                Err(EventFault::Malformed(what)) => return Err(self.invalid(what, Some(data.as_bytes()), answered)),
            }
            self.note(&mut answer, before, progress, ledger);
            if answer.text.len() > limit {
                return Err(self.read_error(ReadFault::TooLarge, answered, &answer));
            }
        }
        if answer.is_complete(api) {
            Ok(answer)
        } else if any_event || looks_like_events(&first) {
            Err(self.cut(None, answered, &answer))
        } else {
            Err(self.invalid("neither a stream of events nor JSON", Some(&first), answered))
        }
    }

    /// Records the part of the response since `before`, and reports it as progress.
    fn note(&self, answer: &mut StreamedAnswer, before: usize, progress: Option<&dyn ProgressSink>, ledger: &Ledger) {
        if let Some(usage) = &mut answer.usage
            && let Some(price) = &self.config.price
        {
            usage.total_cost = Some(price.cost(self.config.api, usage));
        }
        let total_bytes = answer.text.len();
        {
            let mut account = ledger.lock();
            account.current = answer.usage.unwrap_or_default();
            account.received = total_bytes;
            account.reported = answer.usage.is_some();
            if std::mem::take(&mut answer.newly_reported) {
                account.written.clear();
            }
            let written = std::mem::take(&mut answer.unreported);
            let room = MAX_COUNTED_BYTES.saturating_sub(account.written.len()).min(written.len());
            let end = (0..=room).rev().find(|end| written.is_char_boundary(*end)).unwrap_or(0);
            account.written.push_str(&written[..end]);
        }
        if let Some(progress) = progress
            && total_bytes > before
        {
            progress.report(LlmProgress::Text { delta: &answer.text[before..], total_bytes });
        }
    }

    fn read_error(&self, fault: ReadFault, answered: &Answered, answer: &StreamedAnswer) -> LlmError {
        let kind = match fault {
            ReadFault::Idle => {
                LlmErrorKind::Timeout { phase: TimeoutPhase::NextByte, limit: Some(self.config.idle_timeout) }
            }
            ReadFault::TooLarge => LlmErrorKind::ResponseTooLarge { limit: self.config.max_response_bytes },
            ReadFault::Broken(reason) => return self.cut(Some(&reason), answered, answer),
            ReadFault::NotUtf8 => return self.invalid("text that is not UTF-8", None, answered),
        };
        self.failed_after(answered, kind)
    }

    fn cut(&self, reason: Option<&str>, answered: &Answered, answer: &StreamedAnswer) -> LlmError {
        let reason = reason.map(|reason| self.scrubber.clean(reason));
        self.failed_after(answered, LlmErrorKind::StreamCut { received_bytes: answer.text.len(), reason })
    }

    fn invalid(&self, what: &str, instead: Option<&[u8]>, answered: &Answered) -> LlmError {
        let instead = instead.map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        let kind = LlmErrorKind::InvalidResponse { problem: self.scrubber.clean(what), transient: false };
        LlmError::new(kind, self.failure_of(answered, instead.as_deref()))
    }

    /// Creates the error for an error inside a response. A request that is too long is recognised wherever the
    /// service says so.
    fn service_error(
        &self,
        error: &ServiceError,
        answered: &Answered,
        otherwise: impl FnOnce(String) -> LlmErrorKind,
    ) -> LlmError {
        let words = error.words();
        let failure = self.failure_of(answered, Some(&words));
        let kind =
            if error.is_too_long() { LlmErrorKind::ContextTooLong } else { otherwise(self.scrubber.clean(&words)) };
        LlmError::new(kind, failure)
    }

    fn location(&self, response: &Response) -> String {
        let written = response.headers().get(LOCATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
        match self.url.join(written) {
            Ok(url) if !written.is_empty() => self.scrubber.clean(&endpoint::shown(&url)),
            _ => "an address it does not give".to_owned(),
        }
    }
}

#[async_trait]
impl LlmHandler for HttpHandler {
    fn appends(&self) -> bool {
        self.config.api == Api::Anthropic
    }

    async fn complete(
        &self,
        request: LlmRequest,
        cancel: &CancellationToken,
        progress: Option<&dyn ProgressSink>,
    ) -> Result<LlmResponse, LlmError> {
        if request.messages.is_empty() {
            let mut failure = self.failure();
            failure.server_message = Some("nothing was sent, because the request has no messages".to_owned());
            return Err(LlmError::new(LlmErrorKind::BadRequest, failure));
        }
        let ledger = Ledger::default();
        let limit = self.config.timeout;
        // Dropping the future closes its connection, so a pending wait ends at once.
        let result = tokio::select! {
            biased;
            () = cancel.cancelled() => Err(self.failed(LlmErrorKind::Aborted)),
            result = tokio::time::timeout(limit, self.attempts(&request, progress, &ledger)) => result.unwrap_or_else(|_| {
                Err(self.failed(LlmErrorKind::Timeout { phase: TimeoutPhase::Overall, limit: Some(limit) }))
            }),
        };
        result.map_err(|error| ledger.close(error))
    }

    fn model(&self) -> &str {
        &self.config.model
    }

    fn api(&self) -> Option<Api> {
        Some(self.config.api)
    }

    fn price(&self) -> Option<&ModelPrice> {
        self.config.price.as_ref()
    }

    fn context_window(&self) -> Option<u64> {
        self.config.context_window
    }

    fn max_output_tokens(&self) -> Option<u32> {
        self.config.max_tokens
    }
}

/// The parts of a response that are needed while its body is read.
struct Answered {
    status: u16,
    request_id: Option<String>,
}

impl Answered {
    fn new(response: &Response) -> Self {
        let id = ["request-id", "x-request-id"].iter().find_map(|name| response.headers().get(*name)?.to_str().ok());
        Self { status: response.status().as_u16(), request_id: id.map(str::to_owned) }
    }
}

fn looks_like_events(first: &[u8]) -> bool {
    let start = without_mark(first).trim_ascii_start();
    let fields: [&[u8]; 5] = [b":", b"data", b"event", b"id", b"retry"];
    fields.iter().any(|field| start.starts_with(field) || field.starts_with(start))
}

/// Returns the headers, and the errors in the headers of the caller.
fn headers(config: &HttpConfig, url: Option<&Url>) -> (HeaderMap, Vec<ConfigError>) {
    let secret = |text: &str, field: &str| {
        let mut value = HeaderValue::from_str(text).map_err(|_| {
            let allowed = "visible ASCII characters on one line";
            HttpConfig::fault(FaultKind::NotAllowed, field, "a text with other characters", allowed)
        })?;
        value.set_sensitive(true);
        Ok(value)
    };
    let mut faults = Vec::new();
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream, application/json"));
    if config.api == Api::Anthropic {
        headers.insert("anthropic-version", HeaderValue::from_static(anthropic::VERSION));
    }
    let key = config.api_key.as_ref().filter(|key| !key.is_empty());
    let key = key.map(|key| config.api.key_header(key.expose()));
    let key = key.map(|(name, value)| secret(&value, "apiKey").map(|value| (HeaderName::from_static(name), value)));
    let own = config.headers.iter().map(|(name, value)| {
        let field = path_of("headers", name);
        let known = HeaderName::from_bytes(name.as_bytes()).ok();
        let Some(known) = known.filter(|known| !TRANSPORT_HEADERS.contains(&known.as_str())) else {
            let allowed = format!("named like an HTTP header, but not {}", TRANSPORT_HEADERS.join(", "));
            return Err(HttpConfig::fault(FaultKind::NotAllowed, &field, "another name", &allowed));
        };
        secret(value.expose(), &field).map(|value| (known, value))
    });
    for header in key.into_iter().chain(own) {
        match header {
            Ok((name, value)) => drop(headers.insert(name, value)),
            Err(fault) => faults.push(fault),
        }
    }
    let own_service = matches!(url.and_then(Url::host_str), Some("api.anthropic.com" | "api.openai.com"));
    if own_service && faults.is_empty() && !KEY_HEADERS.iter().any(|name| headers.contains_key(*name)) {
        faults.push(HttpConfig::fault(FaultKind::Missing, "apiKey", "", "the key of the service at baseUrl"));
    }
    (headers, faults)
}

/// Returns the error for a key that would be sent unencrypted.
fn unencrypted(config: &HttpConfig, url: &Url, headers: &HeaderMap) -> Option<ConfigError> {
    let has_key = KEY_HEADERS.iter().chain(OTHER_SECRETS).any(|name| headers.contains_key(*name))
        || url.query_pairs().any(|(name, _)| ["key", "api_key", "api-key", "token", "access_token"].contains(&&*name));
    let refused = url.scheme() == "http" && !endpoint::is_loopback(url) && has_key && !config.insecure;
    let allowed = "https, or an address of this machine (`insecure: true` sends the key unencrypted)";
    let address = "an http address of another machine, to which the key would be sent unencrypted";
    refused.then(|| HttpConfig::fault(FaultKind::NotAllowed, "baseUrl", address, allowed))
}

fn build_client(url: &Url) -> Result<Client, String> {
    // Checked again, because the environment may have changed since the handler was created.
    if let Some(fault) = proxy::fault(url) {
        return Err(fault.to_string());
    }
    let direct = endpoint::is_loopback(url);
    let tls = if direct && url.scheme() == "http" { tls::no_trust() } else { tls::system_trust() };
    let builder = Client::builder()
        .tls_backend_preconfigured(tls.map_err(|error| error.to_string())?)
        .user_agent(concat!("roo-condense/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(CONNECT_TIMEOUT)
        .redirect(Policy::custom(redirect));
    let builder = if direct { builder.no_proxy() } else { builder };
    builder.build().map_err(|error| reason(&error))
}

/// Follows a redirect only to an origin that may receive key and request, and only if it repeats the request
/// unchanged.
fn redirect(attempt: Attempt<'_>) -> reqwest::redirect::Action {
    let same_origin = attempt.previous().last().is_some_and(|from| from.origin() == attempt.url().origin());
    let repeats = matches!(attempt.status(), StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT);
    if same_origin && repeats && attempt.previous().len() <= REDIRECTS { attempt.follow() } else { attempt.stop() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_may_be_a_secret_is_marked_as_one() {
        for api in [Api::Anthropic, Api::OpenAi] {
            let mut config = HttpConfig::new(api, "m");
            config.api_key = Some(ApiKey::new("sk-1234567890"));
            config.headers.insert("X-Gateway".to_owned(), ApiKey::new("token"));
            let url = endpoint::endpoint(api, None).unwrap();
            let (headers, faults) = headers(&config, Some(&url));
            assert_eq!(faults, []);
            let open: Vec<_> =
                headers.iter().filter(|(_, value)| !value.is_sensitive()).map(|(name, _)| name.as_str()).collect();
            assert!(open.iter().all(|name| ["content-type", "accept", "anthropic-version"].contains(name)), "{open:?}");
            assert!(!format!("{headers:?}").contains("1234567890"));
        }
    }

    #[test]
    fn a_key_goes_unencrypted_to_no_other_machine_unless_that_is_wanted() {
        let faults = |base: &str, key: &str, header: Option<&str>, insecure: bool| {
            let mut config = HttpConfig::new(Api::OpenAi, "m");
            config.base_url = Some(base.to_owned());
            config.api_key = Some(ApiKey::new(key)).filter(|key| !key.is_empty());
            config.headers.extend(header.map(|name| (name.to_owned(), ApiKey::new("token-0123456789"))));
            config.insecure = insecure;
            HttpHandler::new(config).err().unwrap_or_default()
        };
        for (base, key, header) in [
            ("http://h.example/v1", "sk-0123456789", None),
            ("http://10.0.0.1:8000", "k", None),
            ("http://h.example", "", Some("Authorization")),
            ("http://h.example", "", Some("Cookie")),
            ("http://h.example?key=1234567890", "", None),
        ] {
            let refused = faults(base, key, header, false);
            let [fault] = &refused[..] else { panic!("{base}: {refused:?}") };
            assert_eq!((fault.code, fault.path.as_str()), ("out_of_range", "baseUrl"));
            assert!(fault.to_string().contains("insecure") && !format!("{fault:?}").contains("0123456789"), "{fault}");
            assert_eq!(faults(base, key, header, true), []);
        }
        for (base, key, header) in [
            ("https://h.example", "sk-0123456789", None),
            ("http://localhost:11434", "sk-0123456789", Some("authorization")),
            ("http://127.0.0.1:1", "sk-0123456789", None),
            ("http://h.example", "", None),
            ("http://h.example", "", Some("x-title")),
        ] {
            assert_eq!(faults(base, key, header, false), []);
        }
    }

    #[test]
    fn a_header_of_the_caller_replaces_ours() {
        let mut config = HttpConfig::new(Api::Anthropic, "m");
        config.headers.insert("Anthropic-Version".to_owned(), ApiKey::new("2099-01-01"));
        config.headers.insert("Authorization".to_owned(), ApiKey::new("Bearer token"));
        let url = endpoint::endpoint(Api::Anthropic, None).unwrap();
        let (headers, faults) = headers(&config, Some(&url));
        assert_eq!(faults, []);
        assert_eq!(headers.get("anthropic-version").unwrap(), "2099-01-01");
        assert!(!headers.contains_key("x-api-key"), "it authenticates in its own way");
    }
}
