//! Condensing with the lossless provider.

use roo_condense::{
    Cancel, Conversation, Encoding, Proposal, Request, Settled, Tally, create_provider as create, decode, settle,
};
use serde_json::{Value, json};

/// A request to condense `conversation`.
pub fn request(conversation: &Conversation) -> Request {
    let tally = Tally::count(conversation, Encoding::O200kBase, &Cancel::default()).unwrap();
    Request::new(conversation.clone(), tally)
}

/// Returns the provider's proposal.
pub fn propose(request: &Request, config: &Value) -> Proposal {
    let provider = create("lossless", &json!({})).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(provider.propose(request, config)).unwrap()
}

/// The condensed conversation.
pub fn condense(conversation: &Conversation, config: Value) -> Settled {
    let request = request(conversation);
    settle(&request, "lossless", &propose(&request, &config)).unwrap()
}

/// The texts of every message.
pub fn texts(conversation: &Conversation) -> Vec<Vec<String>> {
    conversation
        .messages()
        .map(|message| message.texts().into_iter().map(|text| text.text.to_owned()).collect())
        .collect()
}

/// The decoded texts of every message.
pub fn decoded(conversation: &Conversation) -> Vec<Vec<String>> {
    decode(conversation)
}

/// A history of tool calls (`{name, input}`) with their answers.
pub fn history_of(steps: &[(Value, Value)]) -> Conversation {
    let mut messages = vec![json!({ "role": "user", "content": "Do it." })];
    for (index, (call, answer)) in steps.iter().enumerate() {
        let id = format!("t{index}");
        let failed = answer.is_array();
        messages.push(json!({ "role": "assistant", "content": [{ "type": "tool_use", "id": id, "name": call["name"], "input": call["input"] }] }));
        let mut result = json!({ "type": "tool_result", "tool_use_id": id, "content": answer });
        if failed {
            result["is_error"] = json!(true);
        }
        messages.push(json!({ "role": "user", "content": [result] }));
    }
    Conversation::parse(&Value::from(messages).to_string()).unwrap()
}
