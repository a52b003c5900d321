//! Twenty wrong configurations, and what their authors read.

use roo_condense::{CallOptions, ConfigError, HttpConfig, HttpHandler, ManagerOptions, create_provider};
use serde_json::{Value, json};

enum Given {
    Manager,
    Call,
    Provider(&'static str),
    Http,
}

fn faults(given: &Given, options: &Value) -> Vec<ConfigError> {
    match given {
        Given::Manager => ManagerOptions::read(options).err(),
        Given::Call => CallOptions::read(&options["context"], &options["options"]).err(),
        Given::Provider(id) => create_provider(id, options).err(),
        Given::Http => HttpConfig::from_json(options).and_then(HttpHandler::new).err(),
    }
    .unwrap_or_default()
}

fn pass(change: Value) -> Value {
    let mut pass = json!({
        "id": "old", "selection": { "type": "preserve_recent", "keepRecentCount": 10 }, "mode": "individual",
        "individualConfig": { "defaults": { "toolResults": { "operation": "suppress" } } },
    });
    let (Value::Object(pass), Value::Object(change)) = (&mut pass, change) else { panic!("objects") };
    pass.extend(change);
    Value::Object(pass.clone())
}

#[test]
fn what_is_read_of_twenty_wrong_configurations() {
    use Given::{Call, Http, Manager, Provider};
    let cases = [
        (Manager, json!({ "guard": { "attempts": 0 }, "provider": 1, "scale": 0 })),
        (Manager, json!({ "autoCondenseContextPercentage": 80, "fallbacks": false })),
        (Manager, json!({ "fallback": true, "encoding": "o200k", "cache": "redis" })),
        (
            Manager,
            json!({ "profileThresholds": { "gpt-5": "80%" }, "profiles": { "cheap": { "prompt": "Be brief." } } }),
        ),
        (
            Manager,
            json!({ "profiles": { "my profile": { "price": { "inputPrice": "3", "tiers": [{ "contextWindow": -1 }] } } } }),
        ),
        (Manager, json!({ "scale": "gpt4", "guard": true, "handler": { "$refused": "a function" } })),
        (Call, json!({ "options": { "target": 40_000 } })),
        (
            Call,
            json!({ "context": { "contextWindow": 0 }, "options": { "targetTokens": "50%", "signal": { "$refused": "an object" } } }),
        ),
        (Call, json!({ "options": { "config": [], "isAutomatic": "yes", "messages": [] } })),
        (Provider("native"), json!({ "maxMessageToKeep": 5 })),
        (Provider("native"), json!({ "maxMessagesToKeep": 50, "customCondensingPrompt": null })),
        (Provider("truncation"), json!({ "mode": "windw", "lines": 3, "preserveUserMessages": "false" })),
        (Provider("lossless"), json!({ "keep": "newest", "strict": 1, "minTokensSaved": 0.5 })),
        (Provider("smart"), json!({ "preset": "fast", "maxConcurrency": 100 })),
        (Provider("smart"), json!({ "passes": [{}] })),
        (Provider("smart"), json!({ "passes": [pass(json!({ "mode": "batch" })), pass(json!({}))] })),
        (
            Provider("smart"),
            json!({ "passes": [pass(json!({ "id": "a", "selection": { "type": "preserve_percent", "keepRecentCount": 3 } })),
                               pass(json!({ "id": "a" }))] }),
        ),
        (
            Provider("smart"),
            json!({ "passes": [pass(json!({
                "individualConfig": { "defaults": { "toolResult": { "operation": "keep" }, "messageText": "keep" } },
                "execution": { "type": "conditional", "tokenThreshold": 1000 } }))] }),
        ),
        (Http, json!({ "api": "gemini", "baseURL": "http://localhost", "apikey": "sk-secret", "maxTokens": 0 })),
        (Http, json!({ "api": "anthropic", "model": "m", "temperature": 1.5, "headers": { "my header": "x" } })),
    ];
    assert_eq!(cases.len(), 20);
    let told: Vec<String> = cases
        .iter()
        .map(|(given, options)| {
            let faults = faults(given, options);
            assert!(!faults.is_empty(), "{options}");
            format!("{options}\n{}", ConfigError::list(&faults).replace('\n', "\n  ").replacen("", "  ", 1))
        })
        .collect();
    insta::assert_snapshot!(told.join("\n\n"));
}
