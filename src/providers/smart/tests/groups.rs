//! Tests of small texts that are summarised in one request.

use std::sync::{Arc, atomic::Ordering};

use serde_json::{Value, json};

use super::{Model, json_of, material, reads, text_of, with_model};
use crate::{
    conversation::Conversation,
    llm::LlmRequest,
    providers::Request,
    summaries::{MemoryStore, Preview},
    warning::WarningCode,
};

/// Reads whose results have about 360 tokens each.
fn small(exchanges: usize) -> Conversation {
    reads(exchanges, 15)
}

fn summarizing(parameters: Value) -> Value {
    json!({ "losslessPrelude": { "enabled": false }, "passes": [ {
        "id": "only", "selection": { "type": "preserve_recent", "keepRecentCount": 1 }, "mode": "individual",
        "individualConfig": { "defaults": { "toolResults": { "operation": "summarize", "params": { "summarize": parameters } } } } } ] })
}

fn sixty_tokens() -> Value {
    summarizing(json!({ "maxTokens": 60 }))
}

/// The model's response to a question about several texts, or about one.
fn by_number(request: &LlmRequest) -> String {
    let text = &request.messages[0].text;
    if !text.starts_with("[[1]]") {
        return format!("Alone: {}", &material(request)[..12]);
    }
    let numbered = text.lines().filter(|line| line.starts_with("[["));
    numbered
        .map(|line| {
            let number = &line[..line.find(']').unwrap()];
            format!("{number}]]\nSummary of {number}\n\n")
        })
        .collect()
}

#[tokio::test]
async fn small_texts_share_a_request() {
    let conversation = small(20);
    let model = Arc::new(Model { says: Some(by_number), ..Model::default() });
    let (proposal, settled, cost) = with_model(sixty_tokens(), &conversation, &model, |_| {}).await.unwrap();
    assert_eq!((model.asked(), cost), (3, 0.75), "eight, eight and four");
    assert_eq!(settled.changes.len(), 20);
    assert_eq!(proposal.warnings, []);
    assert_eq!(text_of(&settled.conversation, 4), "[Summary of 15 lines]\nSummary of [[2");
    let questions = model.questions.lock().unwrap();
    let first = &questions[0];
    assert_eq!(first.max_tokens, Some(8 * 66));
    assert!(
        first.system.contains("There are 8 of them.") && first.system.contains("output of a tool"),
        "{}",
        first.system
    );
    assert!(
        first.messages[0].text.starts_with("[[1]] write_to_file src/module_0.rs, at most 52 tokens\nfn item_0_0("),
        "{}",
        first.messages[0].text
    );
}

#[tokio::test]
async fn large_texts_and_prompts_of_ones_own_go_alone() {
    let model = Arc::new(Model { says: Some(by_number), ..Model::default() });
    let own = summarizing(json!({ "maxTokens": 60, "customPrompt": "Answer in French." }));
    with_model(own, &small(6), &model, |_| {}).await.unwrap();
    assert_eq!(model.asked(), 6);
    assert!(model.questions.lock().unwrap().iter().all(|question| question.system.starts_with("Answer in French.")));
    with_model(sixty_tokens(), &reads(6, 60), &model, |_| {}).await.unwrap();
    assert_eq!(model.asked(), 12);
}

#[tokio::test]
async fn what_an_answer_leaves_out_is_asked_for_alone() {
    let says: fn(&LlmRequest) -> String = |request| by_number(request).replace("[[3]]", "[[9]]");
    let model = Arc::new(Model { says: Some(says), ..Model::default() });
    let (_, settled, _) = with_model(sixty_tokens(), &small(8), &model, |_| {}).await.unwrap();
    assert_eq!(model.asked(), 2);
    assert_eq!(text_of(&settled.conversation, 6), "[Summary of 15 lines]\nAlone: fn item_2_0(");
    assert!(
        text_of(&settled.conversation, 4).ends_with("Summary of [[2\n\n[[9]]\nSummary of [[3"),
        "it belongs to nothing else"
    );
}

#[tokio::test]
async fn a_model_that_does_not_answer_by_number_is_asked_for_each() {
    let says: fn(&LlmRequest) -> String = |_| "A summary.".to_owned();
    let model = Arc::new(Model { says: Some(says), ..Model::default() });
    let mut config = sixty_tokens();
    config["maxConcurrency"] = json!(1);
    let (proposal, settled, _) = with_model(config, &small(20), &model, |_| {}).await.unwrap();
    assert_eq!(model.asked(), 21, "one try together");
    assert_eq!((settled.changes.len(), proposal.warnings.len()), (20, 0));
}

#[tokio::test]
async fn one_failure_costs_one_summary() {
    let model = Arc::new(Model { says: Some(by_number), fails_on: Some("item_5_"), ..Model::default() });
    let (proposal, settled, _) = with_model(sixty_tokens(), &small(8), &model, |_| {}).await.unwrap();
    assert_eq!((model.asked(), settled.changes.len()), (9, 7));
    let [warning] = &proposal.warnings[..] else { panic!("{:?}", proposal.warnings) };
    assert_eq!((&warning.code, warning.message_index), (&WarningCode::SummaryFailed, Some(12)));
    assert!(warning.message.starts_with("message 12 left as it was: llm_callback_failed"), "{warning}");
}

#[tokio::test]
async fn each_is_kept_in_the_cache_for_itself() {
    let model = Arc::new(Model { says: Some(by_number), ..Model::default() });
    let store = Arc::new(MemoryStore::default());
    let keep = |request: &mut Request| request.llm.cache = Some(store.clone());
    let (_, first, _) = with_model(sixty_tokens(), &small(8), &model, keep).await.unwrap();
    assert_eq!((model.asked(), store.len()), (1, 8));
    let (_, longer, cost) = with_model(sixty_tokens(), &small(9), &model, keep).await.unwrap();
    assert_eq!((model.asked(), cost), (2, 0.25), "only the new one");
    assert_eq!(text_of(&first.conversation, 10), text_of(&longer.conversation, 10));
    let (_, again, cost) = with_model(sixty_tokens(), &small(8), &model, keep).await.unwrap();
    assert_eq!((json_of(&again.conversation), cost), (json_of(&first.conversation), 0.0));
}

#[tokio::test]
async fn a_preview_expects_as_many_requests() {
    let conversation = small(8);
    let price = crate::llm::Prices { input: Some(1.0), output: Some(5.0), ..Default::default() };
    let cost = async |config: Value| {
        let model = Arc::new(Model::default());
        let priced = |request: &mut Request| {
            request.llm.preview = Some(Preview::Expected);
            request.llm.price = Some(price.into());
        };
        let (_, settled, cost) = with_model(config, &conversation, &model, priced).await.unwrap();
        assert_eq!((model.now.load(Ordering::SeqCst), model.asked(), settled.changes.len()), (0, 0, 8));
        cost
    };
    let together = cost(sixty_tokens()).await;
    let mut prompt = crate::summaries::text_prompt(crate::conversation::ContentKind::ToolResults).to_owned();
    prompt.push('\n');
    let alone = cost(summarizing(json!({ "maxTokens": 60, "customPrompt": prompt }))).await;
    assert!(together < alone, "{together} and {alone}");
}
