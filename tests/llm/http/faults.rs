//! Faults of real services, each against the HTTP handler over a real connection: the right code, no more attempts
//! than sensible, the spent tokens, and never a key.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant, SystemTime},
};

use crate::http::fake_server::{FakeServer, Script, fixture};
use roo_condense::{
    Api, ApiKey, HttpConfig, HttpHandler, LlmError, LlmErrorKind, LlmHandler, LlmMessage, LlmRequest, LlmResponse,
    Prices, TimeoutPhase,
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

const KEY: &str = "sk-ant-api03-Zm9vYmFyYmF6cXV4-0123456789";
const HEADER_SECRET: &str = "gateway-token-5f2b8c1d9e";
/// The most any test waits for an end: far more than is needed, far less than forever.
const PATIENCE: Duration = Duration::from_secs(20);

/// Short limits, no waiting between attempts.
fn config(api: Api, server: &FakeServer) -> HttpConfig {
    HttpConfig {
        base_url: Some(server.url()),
        api_key: Some(ApiKey::new(KEY)),
        headers: BTreeMap::from([("x-gateway".to_owned(), ApiKey::new(HEADER_SECRET))]),
        timeout: Duration::from_secs(10),
        idle_timeout: Duration::from_secs(5),
        retries: 2,
        retry_delay: Duration::from_millis(1),
        price: Some(Prices { input: Some(3.0), output: Some(15.0), ..Prices::default() }.into()),
        ..HttpConfig::new(api, "model-x")
    }
}

fn request() -> LlmRequest {
    LlmRequest { messages: vec![LlmMessage::user("summarise")], ..LlmRequest::default() }
}

/// Asks, and checks what holds for every outcome: it ends, and neither error nor handler shows a secret.
async fn ask(config: HttpConfig) -> Result<LlmResponse, LlmError> {
    let handler = HttpHandler::new(config).unwrap();
    let result = tokio::time::timeout(PATIENCE, handler.complete(request(), &CancellationToken::new(), None)).await;
    let result = result.expect("the handler ends by itself");
    assert_no_secret(&format!("{handler:?} {handler:#?} {result:?} {result:#?}"));
    if let Err(error) = &result {
        assert_no_secret(&error.to_string());
        let mut cause = std::error::Error::source(error);
        while let Some(inner) = cause {
            assert_no_secret(&format!("{inner} {inner:?}"));
            cause = inner.source();
        }
        let message = error.to_string();
        assert!(
            message.contains("model-x") && message.contains("http://127.0.0.1:"),
            "it says who was asked: {message}"
        );
        assert!(!message.contains('\n'), "one line: {message}");
    }
    result
}

/// Not the secrets, and no piece of them of eight characters.
fn assert_no_secret(text: &str) {
    for secret in [KEY, HEADER_SECRET] {
        for start in 0..=secret.len() - 8 {
            let piece = &secret[start..start + 8];
            assert!(!text.contains(piece), "`{piece}` shows in: {text}");
        }
    }
}

struct Case {
    name: &'static str,
    scripts: Vec<Script>,
    code: &'static str,
    /// Requests the server must have seen.
    requests: usize,
    /// A part of the error message.
    says: &'static str,
}

fn case(name: &'static str, script: Script, code: &'static str, requests: usize, says: &'static str) -> Case {
    Case { name, scripts: vec![script], code, requests, says }
}

async fn check(api: Api, cases: Vec<Case>) {
    for Case { name, scripts, code, requests, says } in cases {
        let server = FakeServer::start(scripts).await;
        let error = ask(config(api, &server)).await.expect_err(name);
        assert_eq!(error.code(), code, "{name}: {error}");
        assert_eq!(server.requests().len(), requests, "{name}: {error}");
        assert_eq!(error.failure().attempts as usize, requests, "{name}");
        assert!(error.to_string().contains(says), "{name}: {error}");
    }
}

fn anthropic_error(kind: &str, message: &str) -> Value {
    json!({"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"})
}

fn openai_error(kind: &str, code: Value, message: &str) -> Value {
    json!({"error": {"message": message, "type": kind, "param": null, "code": code}})
}

/// The beginning of an answer: paid input, one piece of text.
fn begun(api: Api) -> Vec<u8> {
    match api {
        Api::Anthropic => {
            let all = fixture("anthropic_error.sse");
            let text = String::from_utf8(all).unwrap();
            text.as_bytes()[..text.find("event: error").unwrap()].to_vec()
        }
        Api::OpenAi => {
            let text = String::from_utf8(fixture("openai.sse")).unwrap();
            text.as_bytes()[..text.match_indices("data: ").nth(3).unwrap().0].to_vec()
        }
    }
}

/// Faults that do not depend on the protocol.
fn common(api: Api) -> Vec<Case> {
    let html = "<!DOCTYPE html>\n<html><head><title>Sign in to Corp Proxy</title></head><body>secret</body></html>";
    let stream = Script::stream;
    vec![
        case("400", Script::json(400, &anthropic_error("invalid_request_error", "messages: bad")), "llm_bad_request", 1, "messages: bad"),
        case("401 repeating the key", Script::json(401, &anthropic_error("authentication_error", &format!("invalid x-api-key: {KEY}"))), "llm_unauthorized", 1, "apiKey"),
        case("401 repeating a header", Script::json(401, &json!({"error": format!("token {HEADER_SECRET} expired")})), "llm_unauthorized", 1, "[redacted] expired"),
        case("403 page", Script::answer(403, &[("content-type", "text/html")], html), "llm_unauthorized", 1, "Sign in to Corp Proxy"),
        case("402", Script::json(402, &openai_error("", json!(402), "Insufficient credits")), "llm_quota_exceeded", 1, "credit"),
        case("404", Script::json(404, &anthropic_error("not_found_error", "model: model-x")), "llm_not_found", 1, "baseUrl"),
        case("404 without body", Script::answer(404, &[], ""), "llm_not_found", 1, "HTTP 404"),
        case("405 plain text", Script::answer(405, &[], "Method Not Allowed"), "llm_bad_request", 1, "Method Not Allowed"),
        case("408", Script::answer(408, &[], "slow"), "llm_timeout", 3, "itself gave up waiting"),
        case("409", Script::answer(409, &[], "conflict"), "llm_server_error", 3, "conflict"),
        case("413", Script::answer(413, &[], html), "llm_context_too_long", 1, "send less"),
        case("429", Script::json(429, &anthropic_error("rate_limit_error", "too fast")), "llm_rate_limited", 3, "after 3 attempts"),
        case("500", Script::json(500, &anthropic_error("api_error", "Internal server error")), "llm_server_error", 3, "Internal server error"),
        case("502 page", Script::answer(502, &[("content-type", "text/html")], "<html><title>502 Bad Gateway</title>"), "llm_server_error", 3, "502 Bad Gateway"),
        case("503", Script::answer(503, &[], ""), "llm_overloaded", 3, "overloaded"),
        case("504 empty json", Script::answer(504, &[], "{}"), "llm_server_error", 3, "HTTP 504"),
        case("529", Script::json(529, &anthropic_error("overloaded_error", "Overloaded")), "llm_overloaded", 3, "Overloaded"),
        case("error status with an event", Script::answer(400, &[], "event: error\ndata: {\"error\":{\"message\":\"no such field\"}}\n\n"), "llm_bad_request", 1, "no such field"),
        case("closed without an answer", Script::close(), "llm_connection_failed", 3, "check `baseUrl`"),
        case("reset without an answer", Script::close().reset(), "llm_connection_failed", 3, "could not get an answer"),
        case("not http", Script::raw("SSH-2.0-OpenSSH_9.6\r\n\r\n"), "llm_connection_failed", 3, "could not get an answer"),
        case("empty body", Script::answer(200, &[], ""), "llm_stream_cut", 3, "after 0 bytes"),
        case("blank body", Script::answer(200, &[], " \r\n\n "), "llm_stream_cut", 3, "after 0 bytes"),
        case("comments, then the end", stream().chunk(": OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\n\n").end(), "llm_stream_cut", 3, "after 0 bytes"),
        case("cut before the first event", stream().chunk("eve").reset(), "llm_stream_cut", 3, "after 0 bytes"),
        case("cut between chunks", stream().chunk(begun(api)).reset(), "llm_stream_cut", 1, "bytes of text"),
        case("cut in the middle of a chunk", stream().chunk(begun(api)).half_chunk("data: {\"ty"), "llm_stream_cut", 1, "bytes of text"),
        case("ends without its end event", stream().chunk(begun(api)).end(), "llm_stream_cut", 1, "try again"),
        case("page instead of an answer", Script::answer(200, &[("content-type", "text/html")], html), "llm_invalid_response", 1, "Sign in to Corp Proxy"),
        case("page in place of a stream", Script::events(html), "llm_invalid_response", 1, "any proxy in between"),
        case("plain text", Script::answer(200, &[("content-type", "text/plain")], "It works!"), "llm_invalid_response", 1, "It works!"),
        case("other json", Script::json(200, &json!({"status": "ok"})), "llm_invalid_response", 1, "status"),
        case("broken json", Script::answer(200, &[("content-type", "application/json")], "{\"choices\": ["), "llm_invalid_response", 1, "neither"),
        case("a list", Script::json(200, &json!([1, 2])), "llm_invalid_response", 1, "[1,2]"),
        case("200 with an error", Script::json(200, &json!({"error": {"code": 400, "message": format!("bad model, key {KEY}")}})), "llm_invalid_response", 1, "bad model"),
        case("200 with an error that passes", Script::json(200, &json!({"error": {"code": 429, "message": "busy upstream"}})), "llm_invalid_response", 3, "busy upstream"),
        case("200 with too long", Script::json(200, &json!({"error": {"message": "prompt is too long: 9 > 8"}})), "llm_context_too_long", 1, "prompt is too long"),
        case("event that is not json", stream().chunk(begun(api)).chunk(format!("data: {{oops {KEY}\n\n")).end(), "llm_invalid_response", 1, "not JSON"),
        case("event of something else", stream().chunk("data: \"hello\"\n\n").end(), "llm_invalid_response", 1, "hello"),
        case("invalid UTF-8", stream().chunk(begun(api)).chunk(b"data: {\"x\": \"\xff\xfe\"}\n\n").end(), "llm_invalid_response", 1, "not UTF-8"),
        case("error event before any text", stream().chunk("event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n").end(), "llm_stream_error", 3, "overloaded_error"),
        case("error event after text", stream().chunk(begun(api)).chunk(format!("data: {{\"error\":{{\"type\":\"overloaded_error\",\"message\":\"for {KEY}\"}}}}\n\n")).end(), "llm_stream_error", 1, "overloaded_error"),
        case("error event that stays", stream().chunk("event: error\ndata: {\"error\":{\"type\":\"invalid_request_error\",\"message\":\"no\"}}\n\n").end(), "llm_stream_error", 1, "invalid_request_error"),
        case("error event of plain text", stream().chunk("event: error\ndata: upstream went away\n\n").end(), "llm_stream_error", 1, "upstream went away"),
        case("too long, said in the stream", stream().chunk("data: {\"error\":{\"message\":\"This model's maximum context length is 8192 tokens\"}}\n\n").end(), "llm_context_too_long", 1, "8192"),
        case("redirect elsewhere", Script::answer(307, &[("location", "http://evil.example/v1?k=1")], ""), "llm_redirected", 1, "http://evil.example/v1,"),
        case("redirect that drops the body", Script::answer(302, &[("location", "/login")], ""), "llm_redirected", 1, "/login"),
        case("redirect without address", Script::answer(308, &[], ""), "llm_redirected", 1, "does not give"),
        case("redirects in a circle", Script::answer(307, &[("location", "/again")], ""), "llm_redirected", 4, "/again"),
        case("context too long, as OpenAI says it", Script::json(400, &openai_error("invalid_request_error", json!("context_length_exceeded"), "too many")), "llm_context_too_long", 1, "too many"),
        case("context too long, as Anthropic says it", Script::json(400, &anthropic_error("invalid_request_error", "prompt is too long: 215103 tokens > 200000 maximum")), "llm_context_too_long", 1, "215103"),
        case("quota as 429", Script::json(429, &openai_error("insufficient_quota", json!("insufficient_quota"), "You exceeded your current quota")), "llm_quota_exceeded", 1, "current quota"),
    ]
}

#[tokio::test]
async fn faults_of_anthropic() {
    let mut cases = common(Api::Anthropic);
    // Followed redirects are not attempts, so this one is counted apart.
    cases.retain(|case| case.name != "redirects in a circle");
    cases.push(case(
        "error in the stream of the fixture",
        Script::events(fixture("anthropic_error.sse")),
        "llm_stream_error",
        1,
        "Overloaded",
    ));
    cases.push(case(
        "all but message_stop",
        Script::stream()
            .chunk(begun(Api::Anthropic))
            .chunk("data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n\n")
            .end(),
        "llm_stream_cut",
        1,
        "cut off",
    ));
    check(Api::Anthropic, cases).await;
}

#[tokio::test]
async fn faults_of_openai() {
    let mut cases = common(Api::OpenAi);
    cases.retain(|case| case.name != "redirects in a circle");
    cases.push(case(
        "error in the stream of the fixture",
        Script::events(fixture("openrouter_error.sse")),
        "llm_stream_error",
        1,
        "upstream closed",
    ));
    cases.push(case(
        "finish_reason error",
        Script::events("data: {\"choices\":[{\"delta\":{\"content\":\"\"},\"finish_reason\":\"error\"}]}\n\n"),
        "llm_stream_error",
        3,
        "failed while answering",
    ));
    check(Api::OpenAi, cases).await;
}

/// Within the origin the key may follow; elsewhere neither key nor question goes.
#[tokio::test]
async fn redirects_stay_within_the_origin() {
    let other = FakeServer::start([Script::events(fixture("openai.sse"))]).await;
    let location = format!("{}/v1/chat/completions", other.url());
    let server = FakeServer::start([Script::answer(307, &[("location", &location)], "")]).await;
    let error = ask(config(Api::OpenAi, &server)).await.unwrap_err();
    assert_eq!(error.code(), "llm_redirected");
    assert!(error.to_string().contains(&location), "{error}");
    assert!(other.requests().is_empty(), "another port is another origin");

    let moved = Script::answer(308, &[("location", "/v2/chat/completions")], "");
    let server = FakeServer::start([moved, Script::events(fixture("openai.sse"))]).await;
    ask(config(Api::OpenAi, &server)).await.unwrap();
    let requests = server.requests();
    assert_eq!((requests[1].method.as_str(), requests[1].target.as_str()), ("POST", "/v2/chat/completions"));
    assert_eq!(requests[1].json(), requests[0].json());

    let server = FakeServer::start([Script::answer(307, &[("location", "/again")], "")]).await;
    let error = ask(config(Api::OpenAi, &server)).await.unwrap_err();
    assert_eq!((error.code(), server.requests().len()), ("llm_redirected", 4), "{error}");
}

#[tokio::test]
async fn what_passes_is_retried_until_it_has_passed() {
    let server = FakeServer::start([
        Script::json(429, &anthropic_error("rate_limit_error", "too fast")),
        Script::stream().chunk("event: mess").reset(),
        Script::events(fixture("anthropic.sse")),
    ])
    .await;
    let response = ask(config(Api::Anthropic, &server)).await.unwrap();
    assert_eq!((response.attempts, server.requests().len()), (3, 3));
    let bodies: Vec<_> = server.requests().iter().map(super::fake_server::Request::json).collect();
    assert!(bodies.iter().all(|body| *body == bodies[0]), "the same question each time");
}

#[tokio::test]
async fn without_retries_there_is_one_attempt() {
    let server = FakeServer::start([Script::answer(500, &[], "")]).await;
    let error = ask(HttpConfig { retries: 0, ..config(Api::OpenAi, &server) }).await.unwrap_err();
    assert_eq!((server.requests().len(), error.retryable()), (1, true));
}

#[tokio::test]
async fn nothing_listens() {
    let server = FakeServer::start([]).await;
    let config = HttpConfig { retries: 1, ..config(Api::OpenAi, &server) };
    drop(server);
    // The listener closes when its task is next polled.
    tokio::time::sleep(Duration::from_millis(20)).await;
    let error = ask(config).await.unwrap_err();
    assert_eq!((error.code(), error.failure().attempts), ("llm_connection_failed", 2), "{error}");
    assert!(error.to_string().contains("refused"), "it says what the network said: {error}");
}

#[tokio::test]
async fn an_unknown_host() {
    let server = FakeServer::start([]).await;
    let base_url = Some("http://no-such-host.localhost.invalid".to_owned());
    let handler =
        HttpHandler::new(HttpConfig { base_url, retries: 0, insecure: true, ..config(Api::OpenAi, &server) }).unwrap();
    let error = handler.complete(request(), &CancellationToken::new(), None).await.unwrap_err();
    // Behind a proxy it is the proxy that does not know it.
    assert!(
        [
            "llm_connection_failed",
            "llm_overloaded",
            "llm_server_error",
            "llm_not_found",
            "llm_unauthorized",
            "llm_bad_request",
            "llm_timeout"
        ]
        .contains(&error.code()),
        "{error}"
    );
    assert_no_secret(&format!("{error} {error:?}"));
}

#[tokio::test]
async fn https_that_is_not() {
    let server = FakeServer::start([Script::raw("HTTP/1.1 400 Bad Request\r\n\r\n")]).await;
    let base_url = Some(format!("https://127.0.0.1:{}", server.port()));
    let config =
        HttpConfig { base_url, retries: 0, idle_timeout: Duration::from_millis(500), ..config(Api::OpenAi, &server) };
    let handler = HttpHandler::new(config).unwrap();
    let error = handler.complete(request(), &CancellationToken::new(), None).await.unwrap_err();
    assert!(["llm_connection_failed", "llm_timeout"].contains(&error.code()), "{error}");
    assert!(server.requests().is_empty(), "nothing is said in the clear");
}

#[tokio::test]
async fn retry_after_is_the_least_that_is_waited() {
    for (name, value, least) in [("retry-after-ms", "150", 150), ("retry-after", "1", 1000)] {
        let busy = Script::answer(429, &[(name, value)], "");
        let server = FakeServer::start([busy, Script::events(fixture("openai.sse"))]).await;
        let began = Instant::now();
        ask(config(Api::OpenAi, &server)).await.unwrap();
        assert!(began.elapsed() >= Duration::from_millis(least), "{name}: {value}, waited {:?}", began.elapsed());
    }
    let written = httpdate::fmt_http_date(SystemTime::now() + Duration::from_secs(2));
    let busy = Script::answer(429, &[("retry-after", &written)], "");
    let server = FakeServer::start([busy, Script::events(fixture("openai.sse"))]).await;
    ask(config(Api::OpenAi, &server)).await.unwrap();
    assert!(SystemTime::now() >= httpdate::parse_http_date(&written).unwrap(), "not before {written}");
}

#[tokio::test]
async fn a_wait_that_is_too_long_is_not_begun() {
    for asked in ["3600", "9"] {
        let server = FakeServer::start([Script::answer(503, &[("retry-after", asked)], "")]).await;
        let limits = HttpConfig { timeout: Duration::from_secs(5), ..config(Api::OpenAi, &server) };
        let error = ask(limits).await.unwrap_err();
        assert_eq!((error.code(), server.requests().len()), ("llm_overloaded", 1));
        assert_eq!(error.retry_after(), Some(Duration::from_secs(asked.parse().unwrap())));
        assert!(error.to_string().contains("asks to wait"), "{error}");
    }
}

fn phase(error: &LlmError) -> Option<TimeoutPhase> {
    match error.kind {
        LlmErrorKind::Timeout { phase, .. } => Some(phase),
        _ => None,
    }
}

#[tokio::test]
async fn silence_has_a_limit_wherever_it_falls() {
    for (script, expected, requests) in [
        (Script::default().hang(), TimeoutPhase::FirstByte, 2),
        (Script::stream().hang(), TimeoutPhase::NextByte, 2),
        (Script::stream().chunk("event: message_start\nda").hang(), TimeoutPhase::NextByte, 2),
        (Script::stream().chunk(begun(Api::Anthropic)).hang(), TimeoutPhase::NextByte, 1),
        (Script::head(200, &[("content-type", "application/json")]).chunk("{\"con").hang(), TimeoutPhase::NextByte, 2),
    ] {
        let server = FakeServer::start([script]).await;
        let limits =
            HttpConfig { idle_timeout: Duration::from_millis(200), retries: 1, ..config(Api::Anthropic, &server) };
        let error = ask(limits).await.unwrap_err();
        assert_eq!((error.code(), phase(&error)), ("llm_timeout", Some(expected)), "{error}");
        assert_eq!(server.requests().len(), requests, "{error}");
        assert!(error.to_string().contains("200 ms"), "{error}");
    }
}

#[tokio::test]
async fn an_error_whose_body_never_ends_is_still_that_error() {
    let server = FakeServer::start([Script::head(401, &[]).chunk("{\"error\": \"no\"}").hang()]).await;
    let limits = HttpConfig { idle_timeout: Duration::from_millis(200), ..config(Api::OpenAi, &server) };
    let error = ask(limits).await.unwrap_err();
    assert_eq!(error.code(), "llm_unauthorized", "{error}");
    assert!(error.to_string().contains("HTTP 401: no"), "{error}");
}

/// Signs of life keep the connection, not the caller: the whole call has a limit of its own.
#[tokio::test]
async fn the_whole_call_has_a_limit() {
    let drip = (0..2000).fold(Script::stream().chunk(begun(Api::Anthropic)), |script, _| {
        script.chunk("event: ping\ndata: {\"type\":\"ping\"}\n\n").wait(10)
    });
    let server = FakeServer::start([drip]).await;
    let limits = HttpConfig { timeout: Duration::from_millis(600), ..config(Api::Anthropic, &server) };
    let error = ask(limits).await.unwrap_err();
    assert_eq!((error.code(), phase(&error)), ("llm_timeout", Some(TimeoutPhase::Overall)), "{error}");
    assert!(!error.retryable());
    assert_eq!(error.spent().input_tokens, 2095, "what was begun is paid for");

    let server = FakeServer::start([Script::answer(500, &[], "")]).await;
    let limits = HttpConfig {
        timeout: Duration::from_millis(300),
        retry_delay: Duration::from_secs(60),
        ..config(Api::Anthropic, &server)
    };
    assert_eq!(ask(limits).await.unwrap_err().code(), "llm_server_error", "no wait that cannot end in time");
}

#[tokio::test]
async fn what_was_spent_is_in_the_error() {
    let server = FakeServer::start([Script::events(fixture("anthropic_error.sse"))]).await;
    let error = ask(config(Api::Anthropic, &server)).await.unwrap_err();
    let spent = error.spent();
    assert_eq!((spent.input_tokens, spent.output_tokens, spent.cache_read_tokens), (2095, 3, 512));
    assert!((spent.total_cost.unwrap() - (2095.0 * 3.0 + 3.0 * 15.0) / 1e6).abs() < 1e-12);

    // Cut three times after the input was charged, before any text.
    let start = String::from_utf8(begun(Api::Anthropic)).unwrap();
    let start = &start[..start.find("event: content_block_start").unwrap()];
    let server = FakeServer::start([Script::stream().chunk(start).end()]).await;
    let error = ask(config(Api::Anthropic, &server)).await.unwrap_err();
    assert_eq!((error.code(), error.failure().attempts, error.spent().input_tokens), ("llm_stream_cut", 3, 3 * 2095));

    let server =
        FakeServer::start([Script::stream().chunk(start).end(), Script::events(fixture("anthropic.sse"))]).await;
    let response = ask(config(Api::Anthropic, &server)).await.unwrap();
    assert_eq!((response.usage.input_tokens, response.spent_on_retries.input_tokens), (2095, 2095));
    assert!(response.total_cost() > response.usage.total_cost);
}

/// Text after the last usage, or all text if there was none, is charged for but not reported.
#[tokio::test]
async fn what_was_not_reported_is_in_the_error() {
    let said = |error: &LlmError| (error.unreported().questions, error.unreported().text.clone());
    let of_text = |text: &str| json!({ "choices": [{ "delta": { "content": text } }] });
    let event = |json: Value| format!("data: {json}\n\n");
    let cut = Script::stream().chunk(event(of_text("one "))).chunk(event(of_text("two"))).end();
    let server = FakeServer::start([cut]).await;
    let error = ask(config(Api::OpenAi, &server)).await.unwrap_err();
    assert_eq!((error.code(), said(&error)), ("llm_stream_cut", (1, "one two".to_owned())));

    let thought = json!({ "choices": [{ "delta": { "reasoning_content": "hm" } }] });
    let server = FakeServer::start([Script::stream().chunk(event(thought)).end()]).await;
    let error = ask(config(Api::OpenAi, &server)).await.unwrap_err();
    assert_eq!(said(&error), (3, "hmhmhm".to_owned()), "each attempt is charged for");
    let once = LlmRequest { charged_once: true, ..request() };
    let handler = HttpHandler::new(config(Api::OpenAi, &server)).unwrap();
    let error = handler.complete(once, &CancellationToken::new(), None).await.unwrap_err();
    assert_eq!((error.failure().attempts, said(&error)), (1, (1, "hm".to_owned())));

    let start = String::from_utf8(begun(Api::Anthropic)).unwrap();
    let server = FakeServer::start([Script::stream().chunk(&start).end()]).await;
    let error = ask(config(Api::Anthropic, &server)).await.unwrap_err();
    assert_eq!((error.spent().input_tokens, said(&error).0), (2095, 0), "the question was reported");
    assert!(!said(&error).1.is_empty(), "what was written since was not");

    let silent =
        || HttpConfig { idle_timeout: Duration::from_millis(50), retries: 0, ..HttpConfig::new(Api::OpenAi, "m") };
    for (script, code, questions) in [
        (Script::raw("").hang(), "llm_timeout", 1),
        (Script::stream().hang(), "llm_timeout", 1),
        (Script::answer(504, &[], ""), "llm_server_error", 1),
        (Script::answer(500, &[], ""), "llm_server_error", 0),
        (Script::answer(529, &[], ""), "llm_overloaded", 0),
        (Script::answer(429, &[], ""), "llm_rate_limited", 0),
        (Script::answer(401, &[], ""), "llm_unauthorized", 0),
        (Script::answer(400, &[], ""), "llm_bad_request", 0),
        (Script::answer(200, &[], "<html>log in</html>"), "llm_invalid_response", 0),
        (Script::events("data: {\"error\":{\"message\":\"overloaded\"}}\n\n"), "llm_stream_error", 0),
    ] {
        let server = FakeServer::start([script]).await;
        let silent = HttpConfig { base_url: Some(server.url()), api_key: Some(ApiKey::new(KEY)), ..silent() };
        let error = HttpHandler::new(silent).unwrap().complete(request(), &CancellationToken::new(), None).await;
        let error = error.unwrap_err();
        assert_eq!((error.code(), said(&error)), (code, (questions, String::new())), "{error}");
    }
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let nobody = HttpConfig { base_url: Some(format!("http://127.0.0.1:{port}")), ..silent() };
    let error =
        HttpHandler::new(nobody).unwrap().complete(request(), &CancellationToken::new(), None).await.unwrap_err();
    assert_eq!((error.code(), said(&error).0), ("llm_connection_failed", 0), "nothing listens there");

    // The caller gives up.
    let server = FakeServer::start([Script::stream().chunk(event(of_text("one "))).hang()]).await;
    let cancel = CancellationToken::new();
    let handler = HttpHandler::new(config(Api::OpenAi, &server)).unwrap();
    let stop = cancel.clone();
    let stopping = tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(300)).await;
        stop.cancel();
    });
    let error = handler.complete(request(), &cancel, None).await.unwrap_err();
    stopping.await.unwrap();
    assert_eq!((error.code(), said(&error)), ("llm_aborted", (1, "one ".to_owned())));
}

/// Bounded memory: one endless event, endless text, an endless whole answer.
#[tokio::test]
async fn an_answer_that_is_too_large() {
    let piece = "x".repeat(1000);
    let endless = |head: Script, chunk: &str| (0..400).fold(head, |script, _| script.chunk(chunk)).end();
    let delta = json!({"choices": [{"delta": {"content": piece}}]});
    for script in [
        endless(Script::stream().chunk("data: "), &piece),
        endless(Script::stream(), &format!("data: {delta}\n\n")),
        endless(Script::stream(), &format!(": {piece}\n")),
        endless(Script::head(200, &[("content-type", "application/json")]).chunk("{\"a\": \""), &piece),
    ] {
        let server = FakeServer::start([script]).await;
        let error = ask(HttpConfig { max_response_bytes: 50_000, ..config(Api::OpenAi, &server) }).await.unwrap_err();
        assert_eq!((error.code(), server.requests().len()), ("llm_response_too_large", 1), "{error}");
        assert!(error.to_string().contains("50000 bytes"), "{error}");
    }
    let server = FakeServer::start([endless(Script::head(500, &[]), &piece)]).await;
    let error = ask(HttpConfig { retries: 0, ..config(Api::OpenAi, &server) }).await.unwrap_err();
    assert_eq!(error.code(), "llm_server_error");
    assert!(error.to_string().len() < 2000, "a long message is shortened");
}

/// Wherever it is, an abort ends the call within 50 ms and closes the connection. The bound here is generous, for busy
/// machines; the server would keep silent for ever.
#[tokio::test]
async fn an_abort_stops_request_stream_and_waiting() {
    let slow_retry = Script::answer(429, &[("retry-after", "5")], "");
    for (name, script, holds_connection) in [
        ("before the answer", Script::default().hang(), true),
        ("in the stream", Script::stream().chunk(begun(Api::Anthropic)).hang(), true),
        ("in the body of an error", Script::head(500, &[]).hang(), true),
        ("while waiting to retry", slow_retry, false),
    ] {
        let server = FakeServer::start([script]).await;
        let handler = HttpHandler::new(config(Api::Anthropic, &server)).unwrap();
        let cancel = CancellationToken::new();
        let call = handler.complete(request(), &cancel, None);
        let abort = async {
            server.arrived().await;
            tokio::time::sleep(Duration::from_millis(150)).await;
            cancel.cancel();
            Instant::now()
        };
        let (result, aborted) = tokio::join!(call, abort);
        let error = result.unwrap_err();
        assert_eq!((error.code(), error.retryable()), ("llm_aborted", false), "{name}");
        assert!(aborted.elapsed() < Duration::from_secs(2), "{name}: {:?}", aborted.elapsed());
        assert_no_secret(&format!("{error} {error:?}"));
        if name == "in the stream" {
            assert_eq!(error.spent().input_tokens, 2095, "the cost so far");
        }
        if holds_connection {
            tokio::time::timeout(PATIENCE, server.client_gone()).await.expect("the connection is closed");
        }
    }
}

#[tokio::test]
async fn aborted_before_it_began_sends_nothing() {
    let server = FakeServer::start([Script::events(fixture("openai.sse"))]).await;
    let handler = HttpHandler::new(config(Api::OpenAi, &server)).unwrap();
    let cancel = CancellationToken::new();
    cancel.cancel();
    let error = handler.complete(request(), &cancel, None).await.unwrap_err();
    assert_eq!((error.code(), error.failure().attempts, server.requests().len()), ("llm_aborted", 0, 0));
}

#[tokio::test]
async fn a_question_without_messages_is_not_sent() {
    let server = FakeServer::start([Script::events(fixture("openai.sse"))]).await;
    let handler = HttpHandler::new(config(Api::OpenAi, &server)).unwrap();
    let error = handler.complete(LlmRequest::default(), &CancellationToken::new(), None).await.unwrap_err();
    assert_eq!((error.code(), server.requests().len()), ("llm_bad_request", 0));
    assert!(error.to_string().contains("no messages"), "{error}");
}

#[test]
fn options_that_cannot_work_are_refused_at_once_without_showing_secrets() {
    let good = HttpConfig { api_key: Some(ApiKey::new(KEY)), ..HttpConfig::new(Api::OpenAi, "m") };
    let header = |name: &str, value: &str| BTreeMap::from([(name.to_owned(), ApiKey::new(value))]);
    let cases = [
        (HttpConfig { api_key: None, ..good.clone() }, "invalid_argument", "apiKey"),
        (HttpConfig { api_key: Some(ApiKey::new("")), ..good.clone() }, "invalid_argument", "apiKey"),
        (HttpConfig { api_key: Some(ApiKey::new(format!("{KEY}\n{KEY}"))), ..good.clone() }, "out_of_range", "apiKey"),
        (
            HttpConfig { headers: header("x-a", &format!("{HEADER_SECRET}\r\nx-b: 1")), ..good.clone() },
            "out_of_range",
            "headers[\"x-a\"]",
        ),
        (HttpConfig { headers: header("not a name", "v"), ..good.clone() }, "out_of_range", "headers[\"not a name\"]"),
        (
            HttpConfig { headers: header("Content-Length", "3"), ..good.clone() },
            "out_of_range",
            "headers[\"Content-Length\"]",
        ),
        (HttpConfig { temperature: Some(f64::NAN), ..good.clone() }, "out_of_range", "temperature"),
        (HttpConfig { temperature: Some(1.5), api: Api::Anthropic, ..good.clone() }, "out_of_range", "temperature"),
        (
            HttpConfig { base_url: Some(format!("https://u:{KEY}@h.example")), ..good.clone() },
            "out_of_range",
            "baseUrl",
        ),
    ];
    for (config, code, field) in cases {
        let shown = format!("{config:?}");
        let error = HttpHandler::new(config).unwrap_err();
        assert_eq!((error[0].code, error[0].path.as_str()), (code, field), "{error:?}");
        assert_no_secret(&format!("{shown} {} {error:?}", error[0]));
    }
    let by_header = HttpConfig { api_key: None, headers: header("Authorization", &format!("Bearer {KEY}")), ..good };
    assert_no_secret(&format!("{:?}", HttpHandler::new(by_header).unwrap()));
}

/// A key in the query of the address is one too.
#[tokio::test]
async fn a_key_in_the_address_does_not_show() {
    let server = FakeServer::start([Script::json(400, &json!({"error": format!("key {KEY} is not valid")}))]).await;
    let base_url = Some(format!("{}/v1?key={KEY}", server.url()));
    let error = ask(HttpConfig { base_url, api_key: None, ..config(Api::OpenAi, &server) }).await.unwrap_err();
    assert_eq!(error.code(), "llm_bad_request");
    assert_eq!(server.requests()[0].target, format!("/v1/chat/completions?key={KEY}"));
}
