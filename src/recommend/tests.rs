//! Tests every leaf of the tree, every row of the tables, and contradictory answers.

use serde_json::{Value, json};

use super::{Recommendation, candidates, recommend};
use crate::strategies;

fn recommended(answers: Value) -> Recommendation {
    recommend(&answers).unwrap()
}

fn codes(recommendation: &Recommendation) -> Vec<&'static str> {
    recommendation.warnings.iter().map(|told| told.code).collect()
}

/// Checks which candidate is recommended for some answers.
fn expect(answers: Value, key: &str) -> Recommendation {
    let found = recommended(answers.clone());
    let candidate = candidates::with_key(key).unwrap();
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
        (json!({ "reductionPercent": 85 }), "lossless_truncation"),
        (json!({}), "lossless_truncation"),
    ] {
        expect(answers, key);
    }
    // The first alternative is the second choice of the same row.
    for (answers, second) in [
        (json!({ "budgetPerCondensation": 0.06 }), "smart"),
        (json!({ "budgetPerCondensation": 0 }), "truncation"),
        (json!({ "maxLatencyMs": 400 }), "truncation"),
        (json!({ "acceptableLoss": 8 }), "pipeline"),
        (json!({ "configuration": "some" }), "truncation"),
    ] {
        assert_eq!(recommended(answers.clone()).alternatives[0].provider, second, "{answers}");
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
    let startup = recommended(json!({ "userProfile": "startup_team" }));
    assert_eq!(startup.manager_options.unwrap()["autoCondenseContextPercent"], 80);
    assert_eq!(recommended(json!({ "userProfile": "solo_developer" })).alternatives[0].provider, "truncation");
}

#[test]
fn answers_rule_each_others_choices_out() {
    let found = expect(json!({ "priority": "simplicity", "hasHandler": false }), "lossless_truncation");
    assert!(
        found.warnings.iter().any(|told| told.code == "ruled_out" && told.message.contains("no model to ask")),
        "{found:?}"
    );
    let found = expect(json!({ "priority": "quality", "maxLatencyMs": 400 }), "lossless");
    assert!(codes(&found).contains(&"ruled_out"));
    expect(json!({ "scenario": "standard", "budgetPerCondensation": 0 }), "lossless_truncation");
    expect(json!({ "hasHandler": false }), "lossless_truncation");
    expect(json!({ "hasHandler": true }), "native");
    expect(
        json!({ "userProfile": "startup_team", "acceptableLoss": 10, "budgetPerCondensation": 1 }),
        "smart_conservative",
    );
    assert!(codes(&recommended(json!({ "priority": "simplicity" }))).contains(&"handler_needed"));
    assert!(!codes(&recommended(json!({ "priority": "simplicity", "hasHandler": true }))).contains(&"handler_needed"));
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
        let found = recommended(answers.clone());
        assert!(codes(&found).contains(&"contradiction"), "{answers}: {found:?}");
    }
    expect(json!({ "userProfile": "research_compliance", "reductionPercent": 90 }), "lossless_strict");
    let both = recommended(json!({ "acceptableLoss": 0, "reductionPercent": 80 }));
    assert!(
        both.warnings[0].message.contains("acceptableLoss 0") && both.warnings[0].message.contains("80%"),
        "{both:?}"
    );
    assert!(both.reason.contains("no provider meets every answer"), "{both:?}");
}

/// A candidate's measurement on a conversation of 100,000 tokens.
fn one(key: &str, tokens: f64, [superseded, lost]: [f64; 2], [names, edits]: [f64; 2], cost: f64) -> Value {
    let mut measured =
        json!({ "key": key, "tokens": tokens, "superseded": superseded, "lost": lost, "cost": cost, "timeMs": 40 });
    if names > 0.0 {
        (measured["names"], measured["edits"]) = (json!(names), json!(edits));
    }
    measured["exact"] = json!(cost <= 0.0);
    measured
}

/// Measurements in which lossless leaves `lossless` tokens, and more requires cutting.
fn measured(lossless: f64, native_cost: f64, more: Value) -> Value {
    let mut answers = json!({
        "tokens": 100_000,
        "measured": [
            one("lossless_strict", lossless + 5_000.0, [0.0, 0.0], [1.0, 1.0], 0.0),
            one("lossless", lossless, [4_000.0, 0.0], [1.0, 0.98], 0.0),
            one("truncation", 30_000.0, [0.0, 40_000.0], [0.95, 0.7], 0.0),
            one("lossless_truncation", 30_000.0, [4_000.0, 30_000.0], [0.95, 0.72], 0.0),
            one("smart_conservative", 45_000.0, [4_000.0, 35_000.0], [0.8, 0.5], 0.0),
            one("native", 12_000.0, [0.0, 1_000.0], [0.0, 0.0], native_cost),
        ],
    });
    let (Value::Object(all), Value::Object(more)) = (&mut answers, more) else { panic!("objects") };
    all.extend(more);
    answers
}

#[test]
fn what_was_measured_decides_and_limits_are_kept() {
    // Nothing may be lost, not even content that newer messages replaced.
    for answer in
        [json!({ "acceptableLoss": 0 }), json!({ "priority": "zero_loss" }), json!({ "scenario": "compliance" })]
    {
        let mut answers = measured(20_000.0, 0.1, answer);
        answers["reductionPercent"] = json!(70);
        let found = expect(answers, "lossless_strict");
        assert!(!codes(&found).contains(&"contradiction"), "{found:?}");
        assert!(found.reason.contains("25000 tokens (75% less): everything can still be read"), "{found:?}");
    }
    // If a limit and the target cannot both be met, the limit is kept.
    let found = expect(measured(60_000.0, 0.1, json!({ "acceptableLoss": 5, "reductionPercent": 75 })), "lossless");
    assert!(found.reason.contains("no provider meets every answer"), "{found:?}");
    assert!(found.alternatives.is_empty(), "{found:?}");
    // The cheapest candidates cost nothing; among them, the one that loses least is best.
    expect(measured(20_000.0, 0.1, json!({ "priority": "cost", "targetTokens": 50_000 })), "lossless_strict");
    expect(measured(60_000.0, 0.1, json!({ "priority": "cost", "targetTokens": 50_000 })), "lossless_truncation");
    expect(measured(60_000.0, 0.1, json!({ "priority": "speed", "targetTokens": 50_000 })), "truncation");
    // The best candidate loses nothing; if something must be lost, the one from which a reader learns most.
    expect(measured(20_000.0, 0.1, json!({ "priority": "quality", "targetTokens": 50_000 })), "lossless_strict");
    expect(
        measured(60_000.0, 0.1, json!({ "priority": "quality", "targetTokens": 50_000, "hasHandler": true })),
        "native",
    );
    let dear =
        json!({ "priority": "quality", "targetTokens": 50_000, "hasHandler": true, "budgetPerCondensation": 0.01 });
    let found = expect(measured(60_000.0, 0.1, dear), "lossless_truncation");
    assert!(found.reason.contains("95% of the names and 72% of the passages"), "{found:?}");
    // A rule yields if another candidate beats its choice, and a warning reports this.
    let found =
        recommended(measured(20_000.0, 0.1, json!({ "userProfile": "enterprise_production", "targetTokens": 50_000 })));
    assert_eq!(
        (found.provider, &found.config["strict"]),
        ("lossless", &json!(true)),
        "what was not tried is no answer"
    );
    let found = recommended(measured(20_000.0, 0.1, json!({ "scenario": "limited_budget", "targetTokens": 50_000 })));
    assert!(found.warnings.iter().any(|told| told.message.contains("does as well or better")), "{found:?}");
    // If nothing else is requested, the manager's default is recommended, whatever the target.
    for more in
        [json!({}), json!({ "contextWindow": 180_000, "windowTarget": 90_000 }), json!({ "targetTokens": 10_000 })]
    {
        let mut answers = measured(95_000.0, 0.1, more);
        assert!(expect(answers.clone(), "lossless_truncation").is_default);
        answers["hasHandler"] = json!(true);
        assert!(expect(answers, "native").is_default);
    }
    let one_step = recommended(measured(20_000.0, 0.1, json!({ "priority": "cost", "targetTokens": 50_000 })));
    assert!(!one_step.is_default, "{one_step:?}");
    let nothing = recommended(measured(95_000.0, 0.1, json!({ "acceptableLoss": 0, "targetTokens": 50_000 })));
    assert!(nothing.warnings[0].message.contains("on this conversation lossless removes 0%"), "{nothing:?}");
}

/// With any answers, limits are kept if a candidate keeps them, and no recommendation is beaten by another.
#[test]
fn no_answer_breaks_a_limit_or_is_beaten() {
    let of_each = |index: usize| {
        let nth = |values: &[Value], step: usize| values[index / step % values.len()].clone();
        json!({
            "priority": nth(&[Value::Null, json!("simplicity"), json!("cost"), json!("quality"), json!("speed"), json!("zero_loss")], 1),
            "acceptableLoss": nth(&[Value::Null, json!(0), json!(5), json!(32)], 6),
            "budgetPerCondensation": nth(&[Value::Null, json!(0), json!(0.02)], 24),
            "hasHandler": nth(&[json!(true), json!(false)], 72),
            "targetTokens": nth(&[Value::Null, json!(50_000), json!(10_000)], 144),
        })
    };
    for index in 0..432 {
        let answers = measured(40_000.0, 0.1, of_each(index));
        let found = recommended(answers.clone());
        let given = found.alternatives.iter().map(|other| (other.provider, &other.config, &other.manager_options));
        for (provider, config, options) in given.chain([(found.provider, &found.config, &found.manager_options)]) {
            let is_it = |one: &&candidates::Candidate| {
                one.provider == provider && one.config() == *config && one.manager_options() == *options
            };
            let candidate = candidates::ALL.iter().find(is_it).unwrap();
            let Some(its) = answers["measured"].as_array().unwrap().iter().find(|one| one["key"] == candidate.key)
            else {
                continue;
            };
            let number = |field: &str| its[field].as_f64().unwrap();
            if let Some(loss) = answers["acceptableLoss"].as_f64() {
                assert!(number("lost") <= loss * 1000.0, "{answers}: {found:?}");
            }
            if let Some(budget) = answers["budgetPerCondensation"].as_f64() {
                assert!(number("cost") <= budget, "{answers}: {found:?}");
            }
            assert!(answers["hasHandler"] == json!(true) || provider != "native", "{answers}: {found:?}");
            assert!(
                candidate.key != "smart_conservative" || answers["targetTokens"] == json!(10_000),
                "it is beaten: {answers}: {found:?}"
            );
        }
    }
}

#[test]
fn without_a_conversation_a_window_says_nothing() {
    for answers in [json!({ "contextWindow": 100_000 }), json!({ "targetTokens": 10_000, "priority": "speed" })] {
        assert!(codes(&recommended(answers)).contains(&"conversation_needed"));
    }
    assert!(
        !codes(&recommended(measured(56_000.0, 0.1, json!({ "contextWindow": 8_000 }))))
            .contains(&"conversation_needed")
    );
    assert!(
        !codes(&recommended(json!({ "reductionPercent": 50, "contextWindow": 8_000 })))
            .contains(&"conversation_needed")
    );
}

/// With any answers, no alternative occurs twice, and none is the choice.
#[test]
fn alternatives_differ() {
    let mut told_apart = 0;
    for index in 0..1080 {
        let of_each = |values: &[Value], step: usize| values[index / step % values.len()].clone();
        let mut answers = json!({
            "priority": of_each(&[Value::Null, json!("simplicity"), json!("cost"), json!("quality"), json!("zero_loss")], 1),
            "budgetPerCondensation": of_each(&[Value::Null, json!(0.005), json!(0.03), json!(0.2)], 5),
            "userProfile": of_each(&[Value::Null, json!("startup_team"), json!("solo_developer")], 20),
            "scenario": of_each(&[Value::Null, json!("critical_production"), json!("limited_budget")], 60),
            "configuration": of_each(&[Value::Null, json!("some"), json!("presets")], 180),
        });
        if index >= 540 {
            answers = measured(50_000.0, 0.004, answers);
        }
        let found = recommended(answers.clone());
        let mut seen = vec![(found.provider, &found.config, &found.manager_options)];
        for other in &found.alternatives {
            let this = (other.provider, &other.config, &other.manager_options);
            assert!(!seen.contains(&this), "{answers}: {found:?}");
            assert!(!other.why_not.is_empty(), "{answers}: {found:?}");
            told_apart += usize::from(other.provider == found.provider && other.config == found.config);
            seen.push(this);
        }
    }
    assert!(told_apart > 0, "native and native with a cheap model have the same configuration");
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
