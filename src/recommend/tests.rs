//! Every leaf of the tree, every row of the tables, and what does not go together.

use serde_json::{Value, json};

use super::{Recommendation, candidates, recommend};
use crate::strategies;

fn of(answers: Value) -> Recommendation {
    recommend(&answers).unwrap()
}

fn codes(recommendation: &Recommendation) -> Vec<&'static str> {
    recommendation.warnings.iter().map(|told| told.code).collect()
}

/// Checks who is recommended for some answers: the key of a candidate.
fn expect(answers: Value, key: &str) -> Recommendation {
    let found = of(answers.clone());
    let candidate = candidates::of(key).unwrap();
    assert_eq!((found.provider, &found.config), (candidate.provider, &candidate.config()), "{answers}: {found:?}");
    assert!(!found.reason.is_empty());
    found
}

#[test]
fn every_leaf_of_the_tree() {
    for (answers, key) in [
        (json!({ "priority": "simplicity" }), "native"),
        (json!({ "priority": "zero_loss" }), "lossless_strict"),
        (json!({ "priority": "speed" }), "truncation"),
        (json!({ "priority": "cost" }), "lossless"),
        (json!({ "priority": "cost", "reductionPercent": 20 }), "lossless"),
        (json!({ "priority": "cost", "reductionPercent": 70 }), "truncation"),
        (json!({ "priority": "quality" }), "smart_conservative"),
        (json!({ "priority": "quality", "budgetPerCondensation": 0.2 }), "smart_conservative"),
        (json!({ "priority": "quality", "budgetPerCondensation": 0.02 }), "pipeline"),
        (json!({ "priority": "control" }), "smart_custom"),
    ] {
        let found = expect(answers, key);
        assert!(!codes(&found).contains(&"contradiction") && !codes(&found).contains(&"ruled_out"), "{found:?}");
    }
}

#[test]
fn every_row_of_the_four_questions() {
    for (answers, key) in [
        (json!({ "budgetPerCondensation": 0.06 }), "native"),
        (json!({ "budgetPerCondensation": 0.05 }), "native_cheap"),
        (json!({ "budgetPerCondensation": 0.01 }), "native_cheap"),
        (json!({ "budgetPerCondensation": 0.005 }), "smart_aggressive"),
        (json!({ "budgetPerCondensation": 0.0005 }), "lossless_truncation"),
        (json!({ "budgetPerCondensation": 0 }), "lossless"),
        (json!({ "maxLatencyMs": 100 }), "truncation"),
        (json!({ "maxLatencyMs": 20 }), "truncation"),
        (json!({ "maxLatencyMs": 500 }), "lossless"),
        (json!({ "maxLatencyMs": 2000 }), "native"),
        (json!({ "maxLatencyMs": 10_000 }), "native"),
        (json!({ "maxLatencyMs": 60_000 }), "smart_conservative"),
        (json!({ "acceptableLoss": 0 }), "lossless_strict"),
        (json!({ "acceptableLoss": 10 }), "smart_conservative"),
        (json!({ "acceptableLoss": 19 }), "smart_conservative"),
        (json!({ "acceptableLoss": 20 }), "native"),
        (json!({ "acceptableLoss": 30 }), "native"),
        (json!({ "acceptableLoss": 50 }), "smart_aggressive"),
        (json!({ "acceptableLoss": 90 }), "truncation"),
        (json!({ "configuration": "none" }), "native"),
        (json!({ "configuration": "presets" }), "smart_balanced"),
        (json!({ "configuration": "some" }), "native_cheap"),
        (json!({ "configuration": "custom" }), "smart_custom"),
        (json!({ "configuration": "per_message" }), "smart_selective"),
        (json!({ "reductionPercent": 85 }), "smart_aggressive"),
        (json!({}), "native"),
    ] {
        expect(answers, key);
    }
    // The second of a row is told, too.
    for (answers, second) in [
        (json!({ "budgetPerCondensation": 0.06 }), "smart"),
        (json!({ "budgetPerCondensation": 0 }), "truncation"),
        (json!({ "maxLatencyMs": 400 }), "truncation"),
        (json!({ "acceptableLoss": 8 }), "pipeline"),
        (json!({ "configuration": "some" }), "truncation"),
    ] {
        assert_eq!(of(answers.clone()).alternatives[0].provider, second, "{answers}");
    }
}

#[test]
fn every_profile_and_scenario() {
    for (profile, key) in [
        ("solo_developer", "native"),
        ("startup_team", "native_cheap"),
        ("enterprise_production", "smart_multi_zone"),
        ("research_compliance", "lossless_strict"),
    ] {
        expect(json!({ "userProfile": profile }), key);
    }
    for (scenario, key) in [
        ("standard", "native"),
        ("limited_budget", "truncation"),
        ("critical_quality", "lossless_conservative"),
        ("long_conversation", "smart_multi_zone"),
        ("local_development", "truncation"),
        ("critical_production", "smart_fallback"),
        ("prototype", "native"),
        ("compliance", "lossless_strict"),
        ("multi_tenant", "per_user"),
    ] {
        expect(json!({ "scenario": scenario }), key);
    }
    let startup = of(json!({ "userProfile": "startup_team" }));
    assert_eq!(startup.manager_options.unwrap()["autoCondenseContextPercent"], 80);
    assert_eq!(of(json!({ "userProfile": "solo_developer" })).alternatives[0].provider, "truncation");
}

#[test]
fn answers_rule_each_others_choices_out() {
    let found = expect(json!({ "priority": "simplicity", "hasHandler": false }), "lossless");
    assert!(
        found.warnings.iter().any(|told| told.code == "ruled_out" && told.message.contains("no model to ask")),
        "{found:?}"
    );
    let found = expect(json!({ "priority": "quality", "maxLatencyMs": 400 }), "lossless");
    assert!(codes(&found).contains(&"ruled_out"));
    expect(json!({ "scenario": "standard", "budgetPerCondensation": 0 }), "lossless");
    expect(json!({ "hasHandler": false }), "lossless");
    expect(
        json!({ "userProfile": "startup_team", "acceptableLoss": 10, "budgetPerCondensation": 1 }),
        "smart_conservative",
    );
    assert!(codes(&of(json!({ "priority": "simplicity" }))).contains(&"handler_needed"));
    assert!(!codes(&of(json!({ "priority": "simplicity", "hasHandler": true }))).contains(&"handler_needed"));
}

#[test]
fn what_does_not_go_together_is_named() {
    for answers in [
        json!({ "acceptableLoss": 0, "reductionPercent": 80 }),
        json!({ "priority": "zero_loss", "reductionPercent": 60 }),
        json!({ "scenario": "compliance", "reductionPercent": 60 }),
        json!({ "userProfile": "research_compliance", "reductionPercent": 90 }),
        json!({ "acceptableLoss": 0, "maxLatencyMs": 50 }),
        json!({ "priority": "speed", "acceptableLoss": 0 }),
        json!({ "priority": "control", "configuration": "none" }),
        json!({ "priority": "simplicity", "configuration": "per_message" }),
        json!({ "priority": "quality", "acceptableLoss": 90 }),
        json!({ "priority": "quality", "budgetPerCondensation": 0 }),
        json!({ "hasHandler": false, "budgetPerCondensation": 1 }),
        json!({ "userProfile": "research_compliance", "scenario": "limited_budget" }),
    ] {
        let found = of(answers.clone());
        assert!(codes(&found).contains(&"contradiction"), "{answers}: {found:?}");
    }
    expect(json!({ "userProfile": "research_compliance", "reductionPercent": 90 }), "lossless_strict");
    let both = of(json!({ "acceptableLoss": 0, "reductionPercent": 80 }));
    assert!(
        both.warnings[0].message.contains("acceptableLoss 0") && both.warnings[0].message.contains("80%"),
        "{both:?}"
    );
    assert!(both.reason.contains("nothing does all that is asked for"), "{both:?}");
}

/// Measured on a conversation of 100,000 tokens.
fn measured(lossless: f64, native_cost: f64, more: Value) -> Value {
    let mut answers = json!({
        "tokens": 100_000,
        "measured": [
            { "key": "lossless_strict", "tokens": lossless, "cost": 0, "timeMs": 40 },
            { "key": "lossless", "tokens": lossless, "cost": 0, "timeMs": 40 },
            { "key": "truncation", "tokens": 30_000, "cost": 0, "timeMs": 30 },
            { "key": "native", "tokens": 12_000, "cost": native_cost, "exact": false },
            { "key": "smart_balanced", "tokens": 45_000, "cost": 0.004, "exact": false },
        ],
    });
    let (Value::Object(all), Value::Object(more)) = (&mut answers, more) else { panic!("objects") };
    all.extend(more);
    answers
}

#[test]
fn facts_win_and_it_says_so() {
    // By the rules lossless removes 40% at most.
    let found =
        expect(measured(20_000.0, 0.1, json!({ "acceptableLoss": 0, "reductionPercent": 75 })), "lossless_strict");
    assert!(codes(&found).contains(&"facts_win") && !codes(&found).contains(&"contradiction"), "{found:?}");
    assert!(found.reason.contains("20000 tokens (80% less)"), "{found:?}");
    // By the rules native needs more than five cents.
    let found =
        expect(measured(90_000.0, 0.003, json!({ "priority": "simplicity", "budgetPerCondensation": 0.01 })), "native");
    assert!(codes(&found).contains(&"facts_win") && found.reason.contains("about $0.0030"), "{found:?}");
    // And would do here, where it costs ten.
    let found = of(measured(90_000.0, 0.1, json!({ "priority": "simplicity", "budgetPerCondensation": 0.06 })));
    assert!(found.provider != "native" && codes(&found).contains(&"facts_win"), "{found:?}");
    // By the rules only truncation is as fast.
    let found = expect(measured(90_000.0, 0.1, json!({ "acceptableLoss": 0, "maxLatencyMs": 80 })), "lossless_strict");
    assert!(!codes(&found).contains(&"contradiction"), "{found:?}");
    // Lossless would do by the rules, and saves too little here.
    let found = of(measured(95_000.0, 0.1, json!({ "priority": "cost", "reductionPercent": 30 })));
    assert!(found.provider != "lossless" && codes(&found).contains(&"facts_win"), "{found:?}");
    let found = of(measured(95_000.0, 0.1, json!({ "acceptableLoss": 0, "targetTokens": 50_000 })));
    assert!(found.warnings[0].message.contains("on this conversation lossless removes 5%"), "{found:?}");
    // What fits needs nothing.
    let found = expect(measured(95_000.0, 0.1, json!({ "contextWindow": 200_000, "hasHandler": false })), "lossless");
    assert_eq!(codes(&found), Vec::<&str>::new());
    let found = of(measured(95_000.0, 0.1, json!({ "contextWindow": 60_000, "hasHandler": false })));
    assert!(found.provider != "lossless" && found.provider != "native", "{found:?}");
}

#[test]
fn where_nothing_does_all_what_removes_most_of_it_is_nearest() {
    // Less than the answer takes: half of the window.
    let window = json!({ "contextWindow": 8_000, "hasHandler": false });
    expect(measured(56_000.0, 0.1, window.clone()), "pipeline");
    assert!(of(measured(56_000.0, 0.1, window.clone())).reason.contains("96% have to go"));
    // Whoever wants no loss would rather have tokens stay.
    let mut no_loss = measured(56_000.0, 0.1, window);
    no_loss["acceptableLoss"] = json!(0);
    expect(no_loss, "lossless_strict");
}

#[test]
fn without_a_conversation_a_window_says_nothing() {
    for answers in [json!({ "contextWindow": 100_000 }), json!({ "targetTokens": 10_000, "priority": "speed" })] {
        assert!(codes(&of(answers)).contains(&"conversation_needed"));
    }
    assert!(!codes(&of(measured(56_000.0, 0.1, json!({ "contextWindow": 8_000 })))).contains(&"conversation_needed"));
    assert!(!codes(&of(json!({ "reductionPercent": 50, "contextWindow": 8_000 }))).contains(&"conversation_needed"));
}

/// Whatever is answered: no entry twice, none that is the choice, and no sentence against what was measured.
#[test]
fn alternatives_differ_and_keep_to_the_facts() {
    let answers = |index: usize| {
        let of = |values: &[Value], step: usize| values[index / step % values.len()].clone();
        let mut all = json!({
            "priority": of(&[Value::Null, json!("simplicity"), json!("cost"), json!("quality"), json!("zero_loss")], 1),
            "budgetPerCondensation": of(&[Value::Null, json!(0.005), json!(0.03), json!(0.2)], 5),
            "userProfile": of(&[Value::Null, json!("startup_team"), json!("solo_developer")], 20),
            "scenario": of(&[Value::Null, json!("critical_production"), json!("limited_budget")], 60),
            "configuration": of(&[Value::Null, json!("some"), json!("presets")], 180),
        });
        if index >= 540 {
            all = measured(50_000.0, 0.004, all);
            all["measured"][2]["tokens"] = json!(50_000);
            all["measured"][3]["tokens"] = json!(50_000);
        }
        all
    };
    let mut told_apart = 0;
    for index in 0..1080 {
        let answers = answers(index);
        let found = of(answers.clone());
        let mut seen = vec![(found.provider, &found.config, &found.manager_options)];
        for other in &found.alternatives {
            let this = (other.provider, &other.config, &other.manager_options);
            assert!(!seen.contains(&this), "{answers}: {found:?}");
            told_apart += usize::from(other.provider == found.provider && other.config == found.config);
            seen.push(this);
            let both_leave_half =
                [&found.reason, &other.why].iter().all(|said| said.contains("50000 tokens (50% less)"));
            assert!(!both_leave_half || !other.why_not.contains("removes less"), "{answers}: {found:?}");
            assert!(!other.why.contains("% less)") || !other.why_not.contains("at most 40%"), "{answers}: {found:?}");
        }
    }
    assert!(told_apart > 0, "native and native with a cheap model have the same configuration");
    let found = of(measured(46_000.0, 0.1, json!({ "scenario": "long_conversation", "acceptableLoss": 40 })));
    let lossless = found.alternatives.iter().find(|other| other.provider == "lossless").unwrap();
    assert!(lossless.why.contains("46000 tokens (54% less)"), "{lossless:?}");
}

#[test]
fn what_is_recommended_can_be_made() {
    for candidate in candidates::ALL {
        let made = strategies::create(candidate.provider, &candidate.config());
        assert!(made.is_ok(), "{}: {:?}", candidate.key, made.err());
    }
    assert!(super::measurable().as_array().unwrap().len() > 5);
}

#[test]
fn wrong_answers_are_named() {
    let faults = recommend(&json!({ "priority": "fast", "acceptableLoss": 120, "budget": 1 })).unwrap_err();
    let paths: Vec<_> = faults.iter().map(|fault| fault.path.as_str()).collect();
    assert_eq!(paths, ["priority", "acceptableLoss", "budget"]);
    assert_eq!(faults[2].near, ["budgetPerCondensation"]);
}
