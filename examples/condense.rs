//! Condenses a conversation to half its tokens, from Rust: `cargo run --example condense -- fixtures/claude-code.json`.

use std::{env, error::Error, fs};

use roo_condense::{Cancel, Conversation, Encoding, Request, Tally, create_provider, settle};
use serde_json::{Value, json};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let file = env::args().nth(1).ok_or("name a file that holds messages, or an object with `messages`")?;
    let json: Value = serde_json::from_str(&fs::read_to_string(file)?)?;
    let messages = json.get("messages").unwrap_or(&json);
    let conversation = Conversation::parse(&messages.to_string())?;
    let tally = Tally::count(&conversation, Encoding::O200kBase, &Cancel::new()).map_err(|_| "cancelled")?;

    let mut request = Request::new(conversation, tally);
    request.target_tokens = Some(request.tally.total() / 2);
    let provider =
        create_provider("truncation", &json!({ "strategy": "salient" })).map_err(|faults| format!("{faults:?}"))?;
    let proposal = provider.propose(&request, &Value::Null).await?;
    let settled = settle(&request, "truncation", &proposal)?;

    println!("{} of {} tokens are left", settled.tally.total(), request.tally.total());
    for change in settled.changes.iter().take(5) {
        println!(
            "message {}: {} ({} to {} tokens)",
            change.message_index, change.reason, change.tokens_before, change.tokens_after
        );
    }
    Ok(())
}
