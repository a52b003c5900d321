//! Tests that reports match the work.

use super::*;
use crate::{providers::PassReport, warning::WarningCode};

/// A preset, or passes that leave more than the preset used instead.
fn config(name: &str) -> Value {
    if name != "gentle" {
        let mut config = presets::json(name);
        config["preset"] = json!(name);
        return config;
    }
    json!({ "noMoreTokensThan": "balanced", "passes": [{
        "id": "cut",
        "selection": { "type": "preserve_recent", "keepRecentCount": 2 },
        "mode": "individual",
        "individualConfig": { "defaults": { "toolParameters": { "operation": "truncate", "params": { "truncate": { "maxChars": 20 } } } } },
    }] })
}

#[test]
fn what_a_stand_in_discards_is_not_told_as_done() {
    let mut stood_in = 0;
    for exchanges in [4, 6, 8, 12, 20, 40] {
        let conversation = reads(exchanges, 120);
        for name in ["balanced", "aggressive", "gentle"] {
            let (proposal, settled) = run(&config(name), &request(&conversation));
            let about = format!("{name}, {exchanges}: {:?}", proposal.passes);
            let done: Vec<&str> = settled.changes.iter().map(|change| change.operation.as_str()).collect();
            for pass in &proposal.passes {
                let is_done = |operation: &String| done.contains(&operation.as_str());
                assert!(pass.operations_applied.iter().all(is_done), "{} {done:?} {about}", pass.id);
            }
            stood_in += proposal.passes.iter().filter(|pass| pass.id == PassReport::PRESET).count();
            let json = config(name);
            let own: Vec<String> =
                json["passes"].as_array().unwrap().iter().map(|pass| format!("pass {}", pass["id"])).collect();
            for warning in &proposal.warnings {
                assert!(own.iter().any(|pass| warning.message.starts_with(pass)), "{warning} {about}");
            }
        }
    }
    assert!(stood_in > 0);
}

#[test]
fn overrides_that_change_nothing_are_told() {
    let conversation = reads(8, 40);
    let own = |message: usize| json!({ "messageIndex": message, "operations": { "toolResults": { "operation": "suppress" } } });
    let overrides = [own(2), own(0), own(16), own(400)];
    let config = json!({ "losslessPrelude": { "enabled": false }, "passes": [{
        "id": "a",
        "selection": { "type": "preserve_recent", "keepRecentCount": 4 },
        "mode": "individual",
        "individualConfig": { "defaults": { "toolResults": { "operation": "keep" } }, "overrides": overrides },
    }] });
    let (proposal, settled) = run(&config, &request(&conversation));
    assert_eq!(settled.changes.len(), 1);
    let told: Vec<_> = proposal.warnings.iter().map(|warning| (&warning.code, warning.message_index)).collect();
    assert_eq!(told, [0, 16, 400].map(|message| (&WarningCode::OverrideUnused, Some(message))));
    assert_eq!(
        proposal.warnings[2].to_string(),
        "override_unused: pass \"a\" has an override for message 400, which does not exist"
    );
}
