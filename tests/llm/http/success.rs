//! Answers as services really send them, read by the HTTP handler over a real connection.

use std::{collections::BTreeMap, sync::Mutex};

use crate::http::fake_server::{FakeServer, Script, fixture};
use roo_condense::{
    Api, ApiKey, HttpConfig, HttpHandler, LlmHandler, LlmMessage, LlmProgress, LlmRequest, LlmResponse, Prices,
    StopReason,
};
use serde_json::json;
use tokio_util::sync::CancellationToken;

const KEY: &str = "sk-test-0123456789abcdef";

fn config(api: Api, server: &FakeServer) -> HttpConfig {
    HttpConfig { base_url: Some(server.url()), api_key: Some(ApiKey::new(KEY)), ..HttpConfig::new(api, "model-x") }
}

fn request() -> LlmRequest {
    LlmRequest { system: "be brief".into(), messages: vec![LlmMessage::user("summarise")], ..LlmRequest::default() }
}

async fn ask(config: HttpConfig) -> LlmResponse {
    HttpHandler::new(config).unwrap().complete(request(), &CancellationToken::new(), None).await.unwrap()
}

#[tokio::test]
async fn anthropic_stream_and_what_is_sent() {
    let server = FakeServer::start([Script::events(fixture("anthropic.sse"))]).await;
    let price = Prices { input: Some(3.0), output: Some(15.0), cache_writes: Some(3.75), cache_reads: Some(0.3) };
    let headers = BTreeMap::from([("anthropic-beta".to_owned(), ApiKey::new("context-1m-2025-08-07"))]);
    let response = ask(HttpConfig { price: Some(price.into()), headers, ..config(Api::Anthropic, &server) }).await;
    assert_eq!(response.text, "## Task\nFix the café server 🦘 in `src/server.ts`.");
    assert_eq!(response.stop_reason, StopReason::EndTurn);
    let usage = response.usage;
    assert_eq!((usage.input_tokens, usage.output_tokens), (2095, 48));
    assert_eq!((usage.cache_write_tokens, usage.cache_read_tokens), (1000, 512));
    let expected = (2095.0 * 3.0 + 48.0 * 15.0 + 1000.0 * 3.75 + 512.0 * 0.3) / 1e6;
    assert!((response.total_cost().unwrap() - expected).abs() < 1e-12);
    assert_eq!((response.attempts, response.usage_reported), (1, true));

    let requests = server.requests();
    let sent = &requests[0];
    assert_eq!((sent.method.as_str(), sent.target.as_str()), ("POST", "/v1/messages"));
    assert_eq!(sent.header("x-api-key"), Some(KEY));
    assert_eq!(sent.header("anthropic-version"), Some("2023-06-01"));
    assert_eq!(sent.header("anthropic-beta"), Some("context-1m-2025-08-07"));
    assert_eq!(sent.header("content-type"), Some("application/json"));
    assert!(sent.header("user-agent").unwrap().starts_with("roo-condense/"));
    assert_eq!(sent.header("authorization"), None);
    assert_eq!(
        sent.json(),
        json!({"model": "model-x", "max_tokens": 8192, "stream": true, "system": "be brief",
               "messages": [{"role": "user", "content": "summarise"}]})
    );
}

#[tokio::test]
async fn openai_stream_and_what_is_sent() {
    let server = FakeServer::start([Script::events(fixture("openai.sse"))]).await;
    let response = ask(HttpConfig { max_tokens: Some(900), ..config(Api::OpenAi, &server) }).await;
    assert_eq!(response.text, "## Task\nFix the café server 🦘 in `src/server.ts`.");
    assert_eq!(response.stop_reason, StopReason::EndTurn);
    assert_eq!(
        (response.usage.input_tokens, response.usage.output_tokens, response.usage.cache_read_tokens),
        (1117, 46, 1024)
    );
    assert_eq!(response.total_cost(), None, "without a price nobody knows");

    let requests = server.requests();
    let sent = &requests[0];
    assert_eq!(sent.target, "/v1/chat/completions");
    assert_eq!(sent.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
    assert_eq!(
        sent.json(),
        json!({"model": "model-x", "stream": true, "stream_options": {"include_usage": true}, "max_tokens": 900,
               "messages": [{"role": "system", "content": "be brief"}, {"role": "user", "content": "summarise"}]})
    );
}

#[tokio::test]
async fn a_local_server_needs_no_key() {
    let server = FakeServer::start([Script::events(fixture("ollama.sse"))]).await;
    let response = ask(HttpConfig { api_key: None, ..config(Api::OpenAi, &server) }).await;
    assert_eq!(response.text, "The summary.");
    assert!(!response.usage_reported, "it sends no usage");
    assert_eq!(response.usage.output_tokens, 0);
    assert_eq!(server.requests()[0].header("authorization"), None);
}

#[tokio::test]
async fn other_services_of_the_openai_kind() {
    for (name, input_tokens) in [("openrouter.sse", 900), ("deepseek.sse", 640), ("lm_studio.sse", 0)] {
        let server = FakeServer::start([Script::events(fixture(name))]).await;
        let response = ask(config(Api::OpenAi, &server)).await;
        assert_eq!(response.text, "The summary.", "{name}");
        assert_eq!(response.usage.input_tokens, input_tokens, "{name}");
        assert_eq!(response.stop_reason, StopReason::EndTurn, "{name}");
        let cost = (name == "openrouter.sse").then_some(0.000_251_32);
        assert_eq!(response.total_cost(), cost, "{name}");
    }
}

/// Characters, line ends, field names: whatever a chunk cuts in two, the answer is the same.
#[tokio::test]
async fn chunks_may_cut_anywhere() {
    let text = "## Task\nFix the café server 🦘 in `src/server.ts`.";
    for (api, name) in [(Api::Anthropic, "anthropic.sse"), (Api::OpenAi, "openai.sse")] {
        for size in [1, 2, 3, 7, 64, 1000] {
            let server = FakeServer::start([Script::events_in_pieces(&fixture(name), size)]).await;
            assert_eq!(ask(config(api, &server)).await.text, text, "{name} in pieces of {size}");
        }
    }
}

#[tokio::test]
async fn reaching_the_limit_is_reported() {
    let server = FakeServer::start([Script::events(fixture("anthropic_max_tokens.sse"))]).await;
    let response = ask(config(Api::Anthropic, &server)).await;
    assert_eq!((response.text.as_str(), &response.stop_reason), ("## Task\nFix", &StopReason::MaxTokens));
    assert_eq!(response.usage.output_tokens, 4);

    let body =
        "data: {\"choices\":[{\"delta\":{\"content\":\"Fix\"},\"finish_reason\":\"length\"}]}\n\ndata: [DONE]\n\n";
    let server = FakeServer::start([Script::events(body)]).await;
    assert_eq!(ask(config(Api::OpenAi, &server)).await.stop_reason, StopReason::MaxTokens);
}

#[tokio::test]
async fn a_server_that_does_not_stream_will_do() {
    let whole = json!({"id": "x", "object": "chat.completion", "choices": [{"index": 0, "message": {"role": "assistant", "content": "The summary."}, "finish_reason": "stop"}],
                       "usage": {"prompt_tokens": 5, "completion_tokens": 3}});
    let server = FakeServer::start([Script::json(200, &whole)]).await;
    let response = ask(config(Api::OpenAi, &server)).await;
    assert_eq!((response.text.as_str(), response.usage.output_tokens), ("The summary.", 3));

    let whole = json!({"type": "message", "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "The summary."}],
                       "stop_reason": "end_turn", "usage": {"input_tokens": 5, "output_tokens": 3}});
    let server = FakeServer::start([Script::json(200, &whole)]).await;
    let response = ask(config(Api::Anthropic, &server)).await;
    assert_eq!((response.text.as_str(), response.usage.output_tokens), ("The summary.", 3));
}

/// Nothing after the end event is waited for, and a reason to stop will do where `[DONE]` never comes.
#[tokio::test]
async fn the_answer_is_taken_when_it_is_complete() {
    let server = FakeServer::start([Script::stream().chunk(fixture("anthropic.sse")).hang()]).await;
    assert_eq!(ask(config(Api::Anthropic, &server)).await.stop_reason, StopReason::EndTurn);
    let server = FakeServer::start([Script::stream().chunk(fixture("lm_studio.sse")).reset()]).await;
    assert_eq!(ask(config(Api::OpenAi, &server)).await.text, "The summary.");
}

#[tokio::test]
async fn events_without_content_type_or_with_a_byte_order_mark() {
    let mut body = b"\xef\xbb\xbf\n\n".to_vec();
    body.extend(fixture("openai.sse"));
    let server = FakeServer::start([Script::answer(200, &[], body)]).await;
    assert!(ask(config(Api::OpenAi, &server)).await.text.ends_with("`src/server.ts`."));
}

#[tokio::test]
async fn progress_is_the_text_in_order() {
    let server = FakeServer::start([
        Script::json(529, &json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}})),
        Script::events_in_pieces(&fixture("anthropic.sse"), 50),
    ])
    .await;
    let heard = Mutex::new(Vec::new());
    let sink = |progress: LlmProgress<'_>| {
        heard.lock().unwrap().push(match progress {
            LlmProgress::Text { delta, total_bytes } => format!("{total_bytes}:{delta}"),
            LlmProgress::Retrying { attempt, code, .. } => format!("{code} {attempt}"),
            other => format!("{other:?}"),
        });
    };
    let config = HttpConfig { retry_delay: std::time::Duration::from_millis(1), ..config(Api::Anthropic, &server) };
    let handler = HttpHandler::new(config).unwrap();
    let response = handler.complete(request(), &CancellationToken::new(), Some(&sink)).await.unwrap();
    let heard = heard.into_inner().unwrap();
    assert_eq!(heard[0], "llm_overloaded 1");
    assert_eq!(heard[1], format!("{}:## Task\nFix the café", "## Task\nFix the café".len()));
    let text: String = heard[1..].iter().map(|part| part.split_once(':').unwrap().1).collect();
    assert_eq!(text, response.text);
    assert_eq!(response.attempts, 2);
}

/// Parameters that a server refuses are left out or renamed, at once and in later requests.
#[tokio::test]
async fn refused_parameters_are_negotiated_once() {
    let refuse = |message: &str, parameter: &str| {
        Script::json(
            400,
            &json!({"error": {"message": message, "type": "invalid_request_error", "param": parameter, "code": "unsupported_parameter"}}),
        )
    };
    let server = FakeServer::start([
        refuse("Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", "max_tokens"),
        refuse("Unsupported value: 'temperature' does not support 0.2 with this model.", "temperature"),
        refuse("Unrecognized request argument supplied: stream_options", "stream_options"),
        Script::events(fixture("openai.sse")),
    ])
    .await;
    let config =
        HttpConfig { max_tokens: Some(10), temperature: Some(0.2), retries: 0, ..config(Api::OpenAi, &server) };
    let handler = HttpHandler::new(config).unwrap();
    for _ in 0..2 {
        handler.complete(request(), &CancellationToken::new(), None).await.unwrap();
    }
    let requests = server.requests();
    assert_eq!(requests.len(), 5, "three refusals, then two answers");
    for sent in &requests[3..] {
        let sent = sent.json();
        assert_eq!(sent["max_completion_tokens"], json!(10));
        assert!(["max_tokens", "temperature", "stream_options"].iter().all(|name| sent.get(name).is_none()), "{sent}");
    }
}

#[tokio::test]
async fn many_at_once_do_not_mix() {
    let server = FakeServer::start([Script::stream().wait(20).chunk(fixture("openai.sse")).end()]).await;
    let handler = std::sync::Arc::new(HttpHandler::new(config(Api::OpenAi, &server)).unwrap());
    let tasks: Vec<_> = (0..50)
        .map(|_| {
            let handler = handler.clone();
            tokio::spawn(
                async move { handler.complete(request(), &CancellationToken::new(), None).await.unwrap().text },
            )
        })
        .collect();
    for task in tasks {
        assert!(task.await.unwrap().ends_with("`src/server.ts`."));
    }
    assert_eq!(server.requests().len(), 50);
}

/// Child of the next test: the proxy variables are read from the environment of the process.
#[tokio::test]
#[ignore = "started by the test below with a proxy in its environment"]
async fn through_the_proxy_of_the_environment() {
    let base_url = Some("http://llm.example.test/v1".to_owned());
    let api_key = Some(ApiKey::new(KEY));
    let config = HttpConfig { base_url, api_key, retries: 0, insecure: true, ..HttpConfig::new(Api::OpenAi, "m") };
    assert_eq!(ask(config).await.text, "The summary.");
    let local = FakeServer::start([Script::events(fixture("ollama.sse"))]).await;
    ask(self::config(Api::OpenAi, &local)).await;
    assert_eq!(local.requests()[0].target, "/v1/chat/completions", "asked directly");
}

#[tokio::test]
async fn a_proxy_in_the_environment_is_used_but_not_for_this_machine() {
    let proxy = FakeServer::start([Script::events(fixture("ollama.sse"))]).await;
    let child = tokio::task::spawn_blocking({
        let proxy = proxy.url();
        move || {
            std::process::Command::new(std::env::current_exe().unwrap())
                .args(["--ignored", "--exact", "http::success::through_the_proxy_of_the_environment"])
                .env("HTTP_PROXY", &proxy)
                .env("http_proxy", &proxy)
                .env_remove("NO_PROXY")
                .env_remove("no_proxy")
                .output()
                .unwrap()
        }
    });
    let output = child.await.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    let targets: Vec<_> = proxy.requests().into_iter().map(|request| request.target).collect();
    assert_eq!(targets, ["http://llm.example.test/v1/chat/completions"]);
}
