//! Histories of other formats: what is decided about the projection is done to the caller's own messages, and nothing else.

mod ai_sdk_model;
mod ai_sdk_ui;
mod anthropic;
mod bedrock;
mod gemini;
mod goose;
mod langchain;
mod openai_chat;
mod openai_responses;
mod opencode;
mod orphans;
mod sample;
mod variations;
mod writers;

use std::collections::BTreeMap;

use proptest::{collection::vec, prelude::*, sample::select, strategy::ValueTree, test_runner::TestRunner};
use roo_condense::{
    Block, Content, Conversation, FORMATS, Format, Llm, NotCarried, Projection, create_provider, edited, format_named,
};
use serde_json::{Value, json, value::RawValue};

use self::{
    orphans::orphans,
    sample::Sample,
    variations::{damages, variations, varied},
    writers::written,
};
use crate::common::{
    cases::{any_target, cases},
    checks::{run_with, tally},
    histories::{any_history, native},
    real_histories::{Share, beginning, corpus, fixtures},
};

/// The formats as the tests write them, one for each of [`FORMATS`].
static SAMPLES: &[&dyn Sample] = &[
    &openai_chat::OpenAiChat,
    &openai_responses::ResponsesItems,
    &ai_sdk_model::ModelMessages,
    &ai_sdk_ui::UiMessages,
    &langchain::LangChain,
    &gemini::Gemini,
    &bedrock::Bedrock,
    &opencode::OpenCode,
    &goose::Goose,
    &anthropic::Anthropic,
];

/// The sample of a format.
fn sample(format: &str) -> &'static dyn Sample {
    let found = SAMPLES.iter().copied().find(|sample| sample.name() == format);
    found.unwrap_or_else(|| panic!("tests/conversation/formats has no sample of {format}"))
}

fn any_format() -> impl Strategy<Value = &'static str> {
    select(FORMATS.iter().map(|format| format.name()).collect::<Vec<_>>())
}

/// A provider that asks no model.
fn any_mechanical() -> impl Strategy<Value = (&'static str, Value)> {
    prop::sample::select(vec![
        ("lossless", json!({})),
        ("truncation", json!({})),
        ("truncation", json!({ "mode": "window" })),
        ("truncation", json!({ "truncationMode": "suppress", "preserveRecentCount": 1 })),
        ("truncation", json!({ "strategy": "salient", "preserveRecentCount": 2 })),
        ("smart", json!({})),
        ("smart", json!({ "preset": "aggressive" })),
    ])
}

/// Something that is said.
#[derive(Debug, Clone, PartialEq)]
enum Said {
    Words(String),
    Call(String),
    /// The id, and the texts.
    Result(String, Vec<String>),
    Other(String),
}

/// All that is said, without regard to who says it: where a message of the format is one of several roles, what is added to it has its role.
fn said(conversation: &Conversation) -> Vec<Said> {
    let mut found: Vec<Said> = Vec::new();
    let mut words = String::new();
    for message in conversation.messages() {
        let blocks = match &message.content {
            Content::Text(text) => vec![Block::text(text.clone())],
            content => content.blocks().to_vec(),
        };
        for block in blocks {
            if let Block::Text { text, .. } = &block {
                words.extend(text.chars().filter(|c| !c.is_whitespace()));
                continue;
            }
            if !words.is_empty() {
                found.push(Said::Words(std::mem::take(&mut words)));
            }
            let json = serde_json::to_string(&block).unwrap();
            found.push(match block {
                // An object that a text is changed in is written anew, without blanks.
                Block::ToolUse { .. } => Said::Call(json.replace(' ', "")),
                Block::ToolResult { tool_use_id, content: Content::Text(text), .. } => {
                    Said::Result(tool_use_id, vec![text])
                }
                Block::ToolResult { tool_use_id, content, .. } => {
                    let text = |block: &Block| match block {
                        Block::Text { text, .. } => text.clone(),
                        other => serde_json::to_string(other).unwrap(),
                    };
                    Said::Result(tool_use_id, content.blocks().iter().map(text).collect())
                }
                _ => Said::Other(json),
            });
        }
    }
    if !words.is_empty() {
        found.push(Said::Words(words));
    }
    found
}

/// Whether a text is what is left of a JSON value beside its long strings.
fn is_json(text: &str) -> bool {
    serde_json::from_str::<Value>(text).is_ok_and(|value| value.is_object() || value.is_array())
}

/// Whether the same is said. A result that is any JSON may be read as one text or as several.
fn is_same(one: &Said, other: &Said) -> bool {
    match (one, other) {
        (Said::Result(id, texts), Said::Result(other_id, others)) => {
            let whole = others.join("\n");
            let is_there = |text: &String| {
                let escaped = serde_json::to_string(text).unwrap();
                whole.contains(text.as_str()) || whole.contains(escaped.trim_matches('"'))
            };
            id == other_id && texts.iter().filter(|text| !is_json(text)).all(is_there)
        }
        _ => one == other,
    }
}

/// The words, calls and results, and beside them all else.
fn without_others(all: Vec<Said>) -> (Vec<Said>, Vec<Said>) {
    let (others, told): (Vec<Said>, Vec<Said>) = all.into_iter().partition(|said| matches!(said, Said::Other(_)));
    let mut joined: Vec<Said> = Vec::new();
    for said in told {
        match (joined.last_mut(), said) {
            (Some(Said::Words(words)), Said::Words(more)) => words.push_str(&more),
            (_, said) => joined.push(said),
        }
    }
    (joined, others)
}

/// How often each letter is said by somebody.
fn letters(all: &[Said]) -> BTreeMap<char, usize> {
    let mut counts = BTreeMap::new();
    let words = all.iter().filter_map(|said| if let Said::Words(words) = said { Some(words) } else { None });
    words.flat_map(|words| words.chars()).for_each(|letter| *counts.entry(letter).or_default() += 1);
    counts
}

/// How often each breach is there.
fn breaches(projection: &Projection) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for problem in projection.problems() {
        // A result that stands twice is one without a call once the other has gone with the call.
        let code = problem.code.replace("repeated_tool_result", "orphan_tool_result");
        *counts.entry(format!("{code} {:?}", problem.tool_id)).or_default() += 1;
    }
    counts
}

/// Whether what is said has to stand in the order of the projection. Where messages were moved, a result may stand far from its call without a breach.
#[derive(Clone, Copy, PartialEq)]
enum Order {
    AsProjected,
    Any,
}

/// Condenses a history of a format and holds the result to what has to hold; tokens before and after.
fn check(
    format: &str,
    json: &str,
    (provider, config): (&str, &Value),
    target: Option<usize>,
    order: Order,
) -> Result<(usize, usize), TestCaseError> {
    let format: &'static dyn Format = format_named(format).unwrap();
    let before = Projection::parse(format, json).unwrap();
    let provider = create_provider(provider, config).unwrap();
    let report = run_with(&provider, before.conversation(), target, Llm::default());
    let plan = report.plan().clone();
    let condensed = before.conversation().apply(&plan).unwrap();
    let known = breaches(&before);
    let carried = match before.carried(&plan) {
        // Damaged messages may be refused, and then nothing is changed.
        Err(NotCarried::Broken(_)) if !known.is_empty() => {
            let told = before.conversation().export(&report.of_format(&before)).unwrap();
            prop_assert!(told.contains("\"code\":\"broken_result\"") && told.contains("\"plan\":[]"), "{}", told);
            return Ok((0, 0));
        }
        carried => carried.map_err(|error| TestCaseError::fail(format!("{error}: {plan:?}")))?,
    };
    let messages = edited(before.messages(), &carried.edits);
    let after = Projection::parse(format, &condensed.export(&messages).unwrap()).unwrap();
    // As it is outside: half of a character that was cut in two is written as U+FFFD.
    let exported = condensed.export(&condensed).unwrap();
    let is_cut = exported.contains('\u{FFFD}');
    let (wanted, is) = (said(&condensed), said(after.conversation()));
    // Text added beside a result that is far from its call is placed after it.
    let may_differ = json.contains("Mind the tests.");
    if known.is_empty() && !is_cut && order == Order::AsProjected {
        // Items tied to removed ones are removed, too.
        let (wanted, others) = without_others(wanted);
        let (is, left) = without_others(is);
        prop_assert!(left.iter().all(|other| others.contains(other)), "{:?} is new", left);
        // A log stands behind the results of the calls before it, wherever these are; the words of the system may stand between.
        let is_between = |said: &&Said| !may_differ || !matches!(said, Said::Words(_));
        prop_assert!(!may_differ || letters(&wanted) == letters(&is));
        let wanted: Vec<&Said> = wanted.iter().filter(is_between).collect();
        let is: Vec<&Said> = is.iter().filter(is_between).collect();
        for (wanted, is) in wanted.iter().zip(&is) {
            prop_assert!(is_same(wanted, is), "{} for {}: {:?} is {:?}", format.name(), config, wanted, is);
        }
        prop_assert_eq!(wanted.len(), is.len());
    } else if !is_cut {
        prop_assert_eq!(letters(&wanted), letters(&is));
    }
    if !is_cut {
        // The count of the result is that of its messages; what goes because something else went is not in them.
        let others = |said: &[Said]| said.iter().filter(|said| matches!(said, Said::Other(_))).count();
        let (told, counted) = (tally(&condensed).total(), tally(&after.each()).total());
        // An object that a text is changed in is written without blanks, as JavaScript writes all.
        let is_compact = serde_json::from_str::<Value>(json).is_ok_and(|value| value.to_string().len() == json.len());
        let has_more_gone = others(&said(&condensed)) > others(&said(after.conversation()));
        prop_assert!(
            !is_compact || counted == told || (has_more_gone && counted < told),
            "{}: {} for messages of {}: {}",
            format.name(),
            told,
            counted,
            json
        );
        prop_assert_eq!(carried.contents.to_string(), after.contents().to_string());
    }
    let lone = |messages: &[Box<RawValue>]| {
        let values = messages.iter().map(|raw| serde_json::from_str(raw.get()).unwrap_or_default());
        orphans(sample(format.name()), &values.collect::<Vec<_>>())
    };
    let alone = lone(before.messages());
    // In one that was broken before, the checker alone knows which half lacks the other.
    for (half, count) in lone(&messages).into_iter().filter(|_| known.is_empty()) {
        prop_assert!(alone.get(&half).is_some_and(|known| *known >= count), "{}: {} is new", format.name(), half);
    }
    for (breach, count) in breaches(&after) {
        prop_assert!(known.get(&breach).is_some_and(|known| *known >= count), "{} is new", breach);
    }
    // The report that JavaScript receives about the caller's messages.
    prop_assert_eq!(plan.edits.is_empty(), !report.did_condense());
    let told = before.conversation().export(&report.of_format(&before)).unwrap();
    // A provider refuses what it would break, and then nothing is changed.
    if told.contains("\"error\":{") {
        eprintln!("BROKEN {} {:?} {} {}", format.name(), config, told, json);
    }
    prop_assert!(!told.contains("\"error\":{") || told.contains("\"code\":\"broken_result\""), "{}", told);
    Ok((tally(before.conversation()).total(), tally(&condensed).total()))
}

/// A history in which other values stand in some places.
fn damaged(json: &str, places: &[(usize, usize)]) -> String {
    // A history nested too deeply for the tests is used unchanged.
    let Ok(mut history) = serde_json::from_str::<Value>(json) else { return json.to_owned() };
    let junk = [
        json!(null),
        json!(5),
        json!(""),
        json!([]),
        json!({}),
        json!("tool"),
        json!([null, 5]),
        json!({ "type": "text" }),
        json!("\u{10F000} \u{FEFF}"),
    ];
    for (place, value) in places {
        let mut paths = Vec::new();
        all_paths(&history, String::new(), &mut paths);
        let path = &paths[place % paths.len()];
        if let Some(slot) = history.pointer_mut(path).filter(|_| !path.is_empty()) {
            *slot = junk[value % junk.len()].clone();
        }
    }
    history.to_string()
}

fn all_paths(value: &Value, path: String, found: &mut Vec<String>) {
    let escaped = |key: &str| key.replace('~', "~0").replace('/', "~1");
    match value {
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, item)| all_paths(item, format!("{path}/{index}"), found));
        }
        Value::Object(fields) => {
            fields.iter().for_each(|(key, field)| all_paths(field, format!("{path}/{}", escaped(key)), found));
        }
        _ => {}
    }
    found.push(path);
}

proptest! {
    #![proptest_config(cases(150))]

    #[test]
    fn damaged_histories_are_never_made_worse(
        format in any_format(), history in native(), places in vec((any::<usize>(), any::<usize>()), 0..6),
        variations in variations(), damages in damages(), provider in any_mechanical(), target in any_target(),
    ) {
        let conversation = Conversation::parse(&history).unwrap();
        let target = target.tokens(&conversation);
        let json = varied(sample(format), &written(format, &conversation), &variations);
        let json = damaged(&variations::damaged(&json, &damages), &places);
        check(format, &json, (provider.0, &provider.1), target, Order::Any)?;
    }

    #[test]
    fn pairs_stay_whole_and_nothing_else_changes(
        format in any_format(), history in native(), variations in variations(), provider in any_mechanical(),
        target in any_target(),
    ) {
        let conversation = Conversation::parse(&history).unwrap();
        let json = varied(sample(format), &written(format, &conversation), &variations);
        let target = target.tokens(&conversation);
        check(format, &json, (provider.0, &provider.1), target, Order::AsProjected)?;
    }

    #[test]
    fn what_is_no_history_of_the_format_is_survived(
        format in any_format(), history in any_history(), provider in any_mechanical(), target in any_target(),
    ) {
        let target = target.tokens(&Conversation::parse(&history).unwrap());
        check(format, &history, (provider.0, &provider.1), target, Order::AsProjected)?;
    }
}

/// Random histories, one a line, for soak/formats.mjs.
#[test]
#[ignore = "it prints what soak/formats.mjs reads"]
fn histories_are_printed() {
    let Ok(count) = std::env::var("ROO_CONDENSE_HISTORIES") else { return };
    let any = (any_format(), native(), variations(), prop::option::weighted(0.3, damages()));
    let mut runner = TestRunner::default();
    for _ in 0..count.parse::<usize>().unwrap() {
        let (format, history, variations, damages) = any.new_tree(&mut runner).unwrap().current();
        let json = varied(sample(format), &written(format, &Conversation::parse(&history).unwrap()), &variations);
        let json = damages.map_or(json.clone(), |damages| variations::damaged(&json, &damages));
        println!(r#"{{"format":"{format}","messages":{json}}}"#);
    }
}

#[test]
fn the_same_content_saves_the_same() {
    let mut all: BTreeMap<&str, (usize, usize, usize, f64)> = BTreeMap::new();
    for (_, name, history) in Share::Sample.select(fixtures().into_iter().chain(corpus("formats"))) {
        let history = beginning(&history, 60_000);
        for (provider, config, percent) in [("lossless", json!({}), None), ("smart", json!({}), Some(50))] {
            let total = tally(&history).total();
            let target = percent.map(|percent| total * percent / 100);
            let own = create_provider(provider, &config).unwrap();
            let ours = run_with(&own, &history, target, Llm::default());
            for format in FORMATS {
                let json = written(format.name(), &history);
                let (before, after) =
                    check(format.name(), &json, (provider, &config), target, Order::AsProjected).unwrap();
                let share = |before: usize, after: usize| 100.0 * (before - after) as f64 / before.max(1) as f64;
                let difference = (share(before, after) - share(ours.original_tokens(), ours.final_tokens())).abs();
                // Odd shapes of our format cannot be written in another format.
                if name == "odd-shapes" {
                    continue;
                }
                assert!(difference <= 2.0, "{name} {provider} {}: {difference:.2} points from ours", format.name());
                let sums = all.entry(format.name()).or_default();
                *sums = (sums.0 + before, sums.1 + after, sums.2 + 1, sums.3.max(difference));
            }
        }
    }
    for (format, (before, after, count, most)) in &all {
        println!("{format}: {count} condensations, {before} -> {after} tokens, at most {most:.2} points from ours");
    }
}

#[test]
fn formats_are_known_by_their_names() {
    for format in FORMATS {
        assert_eq!(format_named(format.name()).unwrap().name(), format.name());
    }
    assert!(format_named("openai").is_none());
}
