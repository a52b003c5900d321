//! Tests of summaries by a test model.

use std::sync::{Arc, Mutex, atomic::Ordering};

use serde_json::{Value, json};

use super::{Model, json_of, preset, published::published, reads, request, run, text_of, with_model};
use crate::{
    cancel::Cancel,
    conversation::{Conversation, problems},
    llm::LlmRequest,
    progress::{Progress, ProgressEvent},
    providers::Request,
    summaries::{MemoryStore, Preview, ProfileHandler},
    tokens::{Encoding, count},
    warning::{Warning, WarningCode},
    words::said,
};

#[tokio::test]
async fn summaries_are_written_several_at_once() {
    let conversation = reads(20, 60);
    let model = Arc::new(Model { wait_ms: 20, ..Model::default() });
    let config = json!({ "preset": "selective", "maxConcurrency": 6 });
    let (proposal, settled, cost) = with_model(config, &conversation, &model, |_| {}).await.unwrap();
    assert_eq!((model.asked(), model.most.load(Ordering::SeqCst)), (19, 6));
    assert_eq!(cost, 19.0 * 0.25);
    assert_eq!(settled.changes.len(), 19);
    assert!(settled.changes.iter().all(|change| change.operation == "summarize"));
    assert_eq!(text_of(&settled.conversation, 2), "[Summary of 60 lines]\nShort: fn item_0_0(value: u");
    assert!(proposal.passes[0].exact && proposal.passes[0].cost == cost);
    assert!(model.questions.lock().unwrap().iter().all(|question| question.max_tokens == Some(150)));
    assert!(problems(&settled.conversation).is_empty());
}

#[tokio::test]
async fn a_failed_summary_leaves_its_text_and_is_reported() {
    let conversation = reads(6, 60);
    let model = Arc::new(Model { fails_on: Some("item_2_"), ..Model::default() });
    let (proposal, settled, cost) = with_model(preset("selective"), &conversation, &model, |_| {}).await.unwrap();
    let touched: Vec<usize> = settled.changes.iter().map(|change| change.message_index).collect();
    assert_eq!(touched, [2, 4, 8, 10]);
    let [warning] = &proposal.warnings[..] else { panic!("{:?}", proposal.warnings) };
    assert_eq!((&warning.code, warning.message_index), (&WarningCode::SummaryFailed, Some(6)));
    assert!(warning.message.starts_with("message 6 left as it was: llm_callback_failed"), "{warning}");
    assert_eq!(cost, 4.0 * 0.25 + 0.125, "what failed is paid for too");
    let all = Arc::new(Model { fails_on: Some("item"), ..Model::default() });
    let error = with_model(preset("selective"), &conversation, &all, |_| {}).await.unwrap_err();
    assert_eq!(error.code(), "llm_callback_failed", "when nothing works another provider may try");
}

#[tokio::test]
async fn summaries_come_from_the_cache_the_second_time() {
    let conversation = reads(6, 60);
    let model = Arc::new(Model::default());
    let store = Arc::new(MemoryStore::default());
    let keep = |request: &mut Request| request.llm.cache = Some(store.clone());
    let (_, first, _) = with_model(preset("selective"), &conversation, &model, keep).await.unwrap();
    let asked = model.asked();
    let (_, second, cost) = with_model(preset("selective"), &conversation, &model, keep).await.unwrap();
    assert_eq!((model.asked(), cost), (asked, 0.0));
    assert_eq!(json_of(&first.conversation), json_of(&second.conversation));
}

#[tokio::test]
async fn an_abort_ends_all_requests() {
    let conversation = reads(20, 60);
    let model = Arc::new(Model { wait_ms: 60_000, ..Model::default() });
    let cancel = Cancel::new();
    let aborting = cancel.clone();
    let abort = tokio::spawn(async move {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        aborting.cancel();
    });
    let error = with_model(preset("selective"), &conversation, &model, |request| request.cancel = cancel.clone())
        .await
        .unwrap_err();
    abort.await.unwrap();
    assert_eq!((error.code(), model.now.load(Ordering::SeqCst)), ("aborted", 0));
    assert!(model.asked() <= 5);
}

#[tokio::test]
async fn a_batch_is_summarised_as_the_native_provider_does() {
    let conversation = reads(20, 60);
    let model = Arc::new(Model::default());
    for keep_first in [1, 4] {
        let config = json!({ "losslessPrelude": { "enabled": false }, "passes": [ { "id": "batch", "mode": "batch",
            "selection": { "type": "preserve_percent", "keepPercentage": 30 },
            "batchConfig": { "operation": "summarize", "summarizationConfig": { "keepFirst": keep_first, "keepLast": 5 } } } ] });
        let (proposal, settled, _) = with_model(config, &conversation, &model, |_| {}).await.unwrap();
        assert!(problems(&settled.conversation).is_empty(), "{:?}", problems(&settled.conversation));
        let kept = settled.conversation.entries().iter().filter_map(|entry| entry.origin).collect::<Vec<_>>();
        assert_eq!(kept[..keep_first.min(3)], (0..keep_first.min(3)).collect::<Vec<_>>()[..]);
        assert!(kept.len() >= 13 + keep_first && kept.len() <= 18 + keep_first, "{kept:?}");
        assert!(proposal.summary.starts_with("Short: "), "{}", proposal.summary);
        assert!(
            settled.changes.iter().any(|change| change.reason.starts_with("summary of messages")),
            "{:?}",
            settled.changes
        );
    }
}

#[tokio::test]
async fn the_published_configurations_run_with_a_model_too() {
    let conversation = reads(60, 60);
    for (name, config) in published() {
        let model = Arc::new(Model::default());
        let (proposal, settled, _) = with_model(config, &conversation, &model, |_| {}).await.unwrap();
        assert!(problems(&settled.conversation).is_empty(), "{name}");
        assert!(settled.tally.total() < request(&conversation).tally.total() / 2, "{name}");
        assert!(
            proposal.warnings.iter().all(|warning| warning.code != WarningCode::PassFailed),
            "{name}: {:?}",
            proposal.warnings
        );
    }
}

#[tokio::test]
async fn a_preview_asks_nobody_and_marks_estimates() {
    let conversation = reads(60, 60);
    let model = Arc::new(Model::default());
    let (proposal, _, _) =
        with_model(preset("balanced"), &conversation, &model, |request| request.llm.preview = Some(Preview::Expected))
            .await
            .unwrap();
    assert_eq!(model.asked(), 0);
    let first = &proposal.passes[1];
    assert!(
        proposal.passes[0].exact && !first.exact && first.tokens_after < first.tokens_before,
        "{:?}",
        proposal.passes
    );
}

#[tokio::test]
async fn summaries_are_asked_of_the_profile_that_is_named() {
    let conversation = reads(6, 60);
    let (main, cheap) = (Arc::new(Model::default()), Arc::new(Model { name: "cheap", ..Model::default() }));
    let config = json!({ "losslessPrelude": { "enabled": false }, "passes": [
        { "id": "each", "selection": { "type": "custom", "messageIndices": [2, 4] }, "mode": "individual", "individualConfig": {
            "defaults": { "toolResults": { "operation": "summarize", "params": { "summarize": { "apiProfile": "cheap" } } } },
            "overrides": [{ "messageIndex": 4, "operations": {
                "toolResults": { "operation": "summarize", "params": { "summarize": { "apiProfile": "gone" } } } } }] } },
        { "id": "all", "selection": { "type": "preserve_recent", "keepRecentCount": 4 }, "mode": "batch",
          "batchConfig": { "operation": "summarize", "summarizationConfig": { "apiProfile": "cheap" } } } ] });
    let named = |request: &mut Request| {
        let own = ProfileHandler { handler: cheap.clone(), price: None };
        request.llm.profiles.insert("cheap".to_owned(), own);
    };
    let (proposal, settled, cost) = with_model(config.clone(), &conversation, &main, named).await.unwrap();
    assert_eq!((main.asked(), cheap.asked(), cost), (1, 2, 0.75));
    let said = said!("warning.handlerMissing", profile: "gone");
    let missing = Warning::new(WarningCode::HandlerMissing, said).about("profiles.gone.handler");
    assert_eq!(proposal.warnings, [missing]);
    assert!(problems(&settled.conversation).is_empty() && proposal.summary.starts_with("Short: "));
    // Without another handler, texts outside the profile get no summary.
    let alone = |request: &mut Request| {
        named(request);
        request.llm.handler = None;
    };
    let (proposal, settled, _) = with_model(config, &conversation, &main, alone).await.unwrap();
    assert_eq!(main.asked(), 1);
    let warning = &proposal.warnings[0];
    assert_eq!(warning.code, WarningCode::NoHandler);
    assert!(warning.message.starts_with("pass \"each\""), "{warning}");
    assert!(settled.changes.iter().any(|change| change.operation == "summarize"));
}

#[tokio::test]
async fn a_summary_that_is_too_long_is_cut() {
    let conversation = reads(4, 60);
    let says: fn(&LlmRequest) -> String = |_| "The functions multiply their values and add an index. ".repeat(60);
    let model = Arc::new(Model { says: Some(says), ..Model::default() });
    let (proposal, settled, _) = with_model(preset("selective"), &conversation, &model, |_| {}).await.unwrap();
    for change in &settled.changes {
        assert!(change.tokens_after <= 150, "heading and all: {change:?}");
    }
    assert_eq!(settled.changes.len(), 3);
    let codes: Vec<_> = proposal.warnings.iter().map(|warning| &warning.code).collect();
    assert_eq!(codes, [&WarningCode::SummaryTruncated]);
    let model = Arc::new(Model { breaks_off: true, ..Model::default() });
    let (proposal, ..) = with_model(preset("selective"), &conversation, &model, |_| {}).await.unwrap();
    assert!(
        proposal.warnings[0].message.contains("longer than `maxTokens` allows (150 tokens)"),
        "{:?}",
        proposal.warnings
    );
}

#[tokio::test]
async fn nobody_is_asked_where_too_little_could_be_saved() {
    let conversation = reads(6, 60);
    let model = Arc::new(Model::default());
    let config = |least: usize| json!({ "preset": "selective", "minReductionTokens": least });
    let (proposal, settled, cost) = with_model(config(100_000), &conversation, &model, |_| {}).await.unwrap();
    assert_eq!((model.asked(), cost, settled.changes.len()), (0, 0.0, 0));
    let warning = &proposal.warnings[0];
    assert_eq!(
        (&warning.code, warning.field.as_deref()),
        (&WarningCode::ReductionTooSmall, Some("minReductionTokens"))
    );
    assert!(warning.message.contains("saved at best"), "{warning}");
    let (_, settled, cost) = with_model(config(1000), &conversation, &model, |_| {}).await.unwrap();
    assert_eq!((model.asked(), cost, settled.changes.len()), (5, 1.25, 5), "the trial costs nothing");
}

#[tokio::test]
async fn progress_tells_of_passes_summaries_and_retries() {
    let conversation = reads(6, 60);
    let model = Arc::new(Model { retries: 1, ..Model::default() });
    let told: Arc<Mutex<Vec<ProgressEvent>>> = Arc::default();
    let listener = told.clone();
    let config = json!({ "preset": "selective", "losslessPrelude": { "enabled": true }, "maxConcurrency": 1 });
    let listen = |request: &mut Request| {
        let listener = listener.clone();
        request.progress = Progress::new(move |event| listener.lock().unwrap().push(event));
    };
    with_model(config, &conversation, &model, listen).await.unwrap();
    let told: Vec<String> = told
        .lock()
        .unwrap()
        .iter()
        .map(|event| {
            let pass = event.pass_id.as_deref().unwrap_or("-");
            let retry = event.code.map_or_else(String::new, |code| format!(" {code} {} ms", event.wait_ms.unwrap()));
            format!("{} {pass} {}/{}{retry}", event.phase, event.done, event.total)
        })
        .collect();
    let mut wanted = vec!["prelude - 0/1".to_owned(), "pass selective 0/1".into(), "summarizing selective 0/5".into()];
    for summary in 1..=5 {
        wanted.push("retrying selective 1/4 llm_overloaded 250 ms".into());
        wanted.push(format!("summarizing selective {summary}/5"));
    }
    wanted.push("pass selective 1/1".into());
    assert_eq!(told, wanted);
}

#[tokio::test]
async fn a_target_does_not_make_a_truncation_cut_more_than_it_asks_for() {
    let conversation = reads(60, 60);
    let total = request(&conversation).tally.total();
    for target in [total / 2, total / 4, total / 10] {
        let mut request = request(&conversation);
        request.target_tokens = Some(target);
        for name in ["conservative", "balanced", "aggressive"] {
            let (proposal, settled) = run(&preset(name), &request);
            let left = settled.tally.total();
            assert!(left <= target && left > target * 9 / 10, "{name}: {left} of {target}");
            let truncated = proposal.passes.iter().find(|pass| pass.id == "salient_to_target").unwrap();
            assert!(truncated.ran && truncated.tokens_after <= target, "{name}: {truncated:?}");
        }
    }
}

#[tokio::test]
async fn a_batch_keeps_to_the_messages_that_are_selected() {
    let messages: Vec<Value> = (0..24)
        .map(|index| {
            let role = if index % 2 == 0 { "user" } else { "assistant" };
            json!({ "role": role, "content": format!("message {index} {}", "some words of a talk ".repeat(30)) })
        })
        .collect();
    let conversation = Conversation::parse(&Value::from(messages).to_string()).unwrap();
    let model = Arc::new(Model::default());
    let config = json!({ "losslessPrelude": { "enabled": false }, "passes": [ { "id": "batch", "mode": "batch",
        "selection": { "type": "custom", "messageIndices": [3, 4, 5, 6, 13, 14, 15, 16, 17, 18] },
        "batchConfig": { "operation": "summarize" } } ] });
    let (_, settled, _) = with_model(config, &conversation, &model, |_| {}).await.unwrap();
    assert!(problems(&settled.conversation).is_empty(), "{:?}", problems(&settled.conversation));
    let kept: Vec<usize> = settled.conversation.entries().iter().filter_map(|entry| entry.origin).collect();
    let gone: Vec<usize> = (0..24).filter(|index| !kept.contains(index)).collect();
    assert!(gone.iter().all(|index| (3..=6).contains(index) || (13..=18).contains(index)), "{gone:?}");
    assert!(gone.len() >= 8 && model.asked() == 2, "{gone:?}, {} requests", model.asked());
}

#[tokio::test]
async fn a_batch_of_nothing_is_no_failure() {
    let model = Arc::new(Model::default());
    let config = json!({ "passes": [ { "id": "batch", "mode": "batch",
        "selection": { "type": "preserve_recent", "keepRecentCount": 1 }, "batchConfig": { "operation": "summarize" } } ] });
    for json in ["[]", r#"[{"role":"user","content":"hi"}]"#] {
        let conversation = Conversation::parse(json).unwrap();
        let (proposal, settled, _) = with_model(config.clone(), &conversation, &model, |_| {}).await.unwrap();
        assert!(settled.changes.is_empty() && proposal.passes[1].skipped.as_deref().unwrap().starts_with("not_enough"));
    }
    assert_eq!(model.asked(), 0);
}

#[tokio::test]
async fn a_preset_that_stands_beside_asks_nobody() {
    let conversation = reads(30, 120);
    let model = Arc::new(Model::default());
    let mut config = json!({ "passes": [ { "id": "cut", "mode": "individual",
        "selection": { "type": "preserve_recent", "keepRecentCount": 20 },
        "individualConfig": { "defaults": { "toolResults": { "operation": "truncate", "params": { "truncate": { "maxLines": 40 } } } } } } ] });
    config["noMoreTokensThan"] = json!("balanced");
    let (_, _, cost) = with_model(config.clone(), &conversation, &model, |_| {}).await.unwrap();
    assert_eq!((model.asked(), cost), (0, 0.0));
    // Without a handler, the comparison runs and is reported as one step.
    let (proposal, _) = run(&config, &request(&conversation));
    let told: Vec<&str> = proposal.passes.iter().map(|pass| pass.id.as_str()).collect();
    assert_eq!(told, ["lossless_prelude", "cut", "no_more_tokens_than"]);
    let steps: Vec<(usize, usize)> =
        proposal.passes.iter().map(|pass| (pass.tokens_before, pass.tokens_after)).collect();
    assert!(steps.windows(2).all(|pair| pair[0].1 == pair[1].0), "{steps:?}");
}

#[tokio::test]
async fn a_text_longer_than_the_window_is_cut_for_the_question() {
    let conversation = reads(3, 2000);
    let model = Arc::new(Model { window: Some(4000), ..Model::default() });
    let (_, settled, _) = with_model(preset("selective"), &conversation, &model, |_| {}).await.unwrap();
    assert_eq!(settled.changes.len(), 2);
    let questions = model.questions.lock().unwrap();
    let lengths: Vec<usize> =
        questions.iter().map(|question| count(&question.messages[0].text, Encoding::default()).tokens).collect();
    assert!(lengths.iter().all(|tokens| *tokens > 2000 && *tokens < 4000), "{lengths:?}");
    assert!(questions[0].messages[0].text.contains(" tokens are left out here]]"));
}

#[tokio::test]
async fn what_the_host_tells_of_its_environment_is_no_tool_result() {
    let details =
        format!("<environment_details>\n{}\n</environment_details>", "# VSCode Open Tabs src/a.ts\n".repeat(120));
    let messages = json!([
        { "role": "user", "content": "Task" },
        { "role": "assistant", "content": "Yes." },
        { "role": "user", "content": [{ "type": "text", "text": "Go on." }, { "type": "text", "text": details }] },
        { "role": "assistant", "content": "Done." }, { "role": "user", "content": "Good." }, { "role": "assistant", "content": "Fine." },
        { "role": "user", "content": "Bye." }
    ]);
    let conversation = Conversation::parse(&messages.to_string()).unwrap();
    let model = Arc::new(Model::default());
    let (_, settled, _) = with_model(preset("selective"), &conversation, &model, |_| {}).await.unwrap();
    assert!(model.asked() == 0 && settled.changes.is_empty(), "{:?}", settled.changes);
}
