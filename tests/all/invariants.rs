//! The invariants as properties over made histories. `PROPTEST_CASES` sets how many are made for each.

use proptest::prelude::*;
use roo_condense::conversation::{Conversation, problems};
use serde_json::{Value, json};

use super::{
    checks::{canonical, check_report, check_target, export, fingerprint, run_alone, tally},
    histories::{any_history, hostile, native, roo_xml},
};

/// `count` cases, or as many as `PROPTEST_CASES` says.
pub fn cases(count: u32) -> ProptestConfig {
    let config = ProptestConfig { failure_persistence: None, max_shrink_iters: 2000, ..ProptestConfig::default() };
    if std::env::var_os("PROPTEST_CASES").is_some() { config } else { ProptestConfig { cases: count, ..config } }
}

/// What a target is taken from.
#[derive(Debug, Clone, Copy)]
pub enum Target {
    None,
    Percent(usize),
    Tokens(usize),
}

impl Target {
    pub fn of(self, conversation: &Conversation) -> Option<usize> {
        match self {
            Self::None => None,
            Self::Percent(percent) => Some(tally(conversation).total() * percent / 100),
            Self::Tokens(tokens) => Some(tokens),
        }
    }
}

pub fn any_target() -> impl Strategy<Value = Target> {
    prop_oneof![
        3 => Just(Target::None),
        1 => Just(Target::Percent(50)),
        1 => Just(Target::Percent(25)),
        1 => Just(Target::Percent(10)),
        1 => (0_usize..120).prop_map(Target::Percent),
        1 => prop_oneof![Just(0), Just(1), 0_usize..5000, Just(usize::MAX)].prop_map(Target::Tokens),
    ]
}

/// A configuration of the truncation provider, and how many of the newest messages it has to leave alone.
pub fn truncation_config() -> impl Strategy<Value = (Value, usize)> {
    let switches = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    let limits =
        (1_usize..9, prop::option::of(1_usize..12), prop::option::of(20_usize..120), prop::option::of(1_usize..150));
    let least = prop_oneof![Just(0_usize), Just(100), 1_usize..300];
    (switches, limits, least).prop_map(
        |((window, tail, suppress, user, assistant), (keep, lines, characters, parameters), least)| {
            let mut config = json!({
                "mode": if window { "window" } else { "content" },
                "strategy": if tail { "head_tail" } else { "head" },
                "truncationMode": if suppress { "suppress" } else { "truncate" },
                "preserveRecentCount": keep,
                "preserveUserMessages": user,
                "preserveAssistantText": assistant,
                "minTokensForTruncation": least,
            });
            let optional =
                [("maxToolResultLines", lines), ("maxLineChars", characters), ("maxToolParamChars", parameters)];
            for (name, value) in optional {
                if let Some(value) = value {
                    config[name] = json!(value);
                }
            }
            (config, keep)
        },
    )
}

fn parse(json: &str) -> Conversation {
    Conversation::parse(json).unwrap_or_else(|error| panic!("{error}: {json}"))
}

/// Runs a provider and checks everything that holds for every provider. Whether something was changed.
pub fn check_provider(
    id: &str,
    config: &Value,
    kept_ends: Option<usize>,
    json: &str,
    target: Target,
    idempotent: bool,
) {
    let before = parse(json);
    let target = target.of(&before);
    let report = run_alone(id, config, &before, target);
    // A conversation that is illegal already is carried through; nothing our own providers do is refused.
    assert_eq!(report.error_code(), None, "{:?}", report.warnings());
    let after = check_report(&before, &report, kept_ends);
    check_target(&before, &after, &report, target);
    assert_eq!(export(&before), export(&parse(json)), "the input was changed");

    let again = parse(json);
    assert_eq!(
        fingerprint(&before, &report),
        fingerprint(&again, &run_alone(id, config, &again, target)),
        "not deterministic"
    );
    if idempotent {
        let output = parse(&export(&after));
        let report = run_alone(id, config, &output, target);
        assert!(
            report.plan().is_empty(),
            "not idempotent: {}\non {}",
            output.export(report.plan()).unwrap(),
            export(&output)
        );
    }
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn made_histories_are_legal_where_they_say_so(json in prop_oneof![native(), roo_xml()]) {
        prop_assert_eq!(problems(&parse(&json)), []);
    }

    #[test]
    fn every_text_number_and_field_survives(json in any_history()) {
        let before = parse(&json);
        let written = export(&before);
        prop_assert_eq!(canonical(&written), canonical(&json));
        prop_assert_eq!(export(&parse(&written)), written);
    }

    #[test]
    fn lossless_keeps_the_invariants(json in any_history(), first in any::<bool>(), target in any_target()) {
        let config = if first { json!({ "keep": "first" }) } else { Value::Null };
        check_provider("lossless", &config, None, &json, target, true);
    }

    #[test]
    fn truncation_keeps_the_invariants_with_its_defaults(json in any_history(), target in any_target()) {
        check_provider("truncation", &Value::Null, Some(5), &json, target, true);
    }

    #[test]
    fn truncation_keeps_the_invariants_however_it_is_configured(
        json in any_history(),
        (config, keep) in truncation_config(),
        target in any_target(),
    ) {
        // The window without a target drops half each time it is asked.
        let idempotent = config["mode"] == "content" || !matches!(target, Target::None);
        check_provider("truncation", &config, Some(keep), &json, target, idempotent);
    }

    #[test]
    fn hostile_histories_get_no_worse(json in hostile(), (config, keep) in truncation_config(), target in any_target()) {
        check_provider("lossless", &Value::Null, None, &json, target, true);
        check_provider("truncation", &config, Some(keep), &json, target, false);
    }
}

#[test]
fn the_smallest_histories_are_no_special_case() {
    let histories = [
        "[]",
        r#"[{"role":"user","content":"hi"}]"#,
        r#"[{"role":"user","content":""},{"role":"assistant","content":[]}]"#,
        "[null,5,\"x\"]",
    ];
    for json in histories {
        for target in [Target::None, Target::Tokens(0), Target::Percent(50)] {
            check_provider("lossless", &Value::Null, None, json, target, true);
            check_provider("truncation", &Value::Null, Some(5), json, target, true);
            check_provider(
                "truncation",
                &json!({ "mode": "window", "preserveRecentCount": 1 }),
                Some(1),
                json,
                target,
                true,
            );
        }
    }
}

/// Found by longer runs: the window closed over messages that were wrong already, and made them worse.
#[test]
fn the_window_never_closes_over_what_it_would_make_worse() {
    let pair = r#"{"role":"assistant","content":"Done."},{"role":"user","content":"go on"}"#;
    let open = |id: &str| {
        format!(
            r#"{{"role":"assistant","content":[{{"type":"tool_use","id":"{id}","name":"read_file","input":{{}}}}]}}"#
        )
    };
    let answer = r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"b","content":"x"}]}"#;
    let histories = [
        r#"[{"role":5,"content":[]},{"role":"user","content":"task"},{"role":"","content":[]},{"role":"user","content":[]}]"#.to_owned(),
        format!("[{},{},{answer},{pair},{pair},{pair},{pair}]", open("a"), open("b")),
    ];
    for json in histories {
        for mode in ["content", "window"] {
            let config = json!({ "mode": mode, "preserveRecentCount": 1 });
            for target in [Target::None, Target::Percent(50), Target::Tokens(0)] {
                check_provider("truncation", &config, Some(1), &json, target, false);
            }
        }
    }
}
