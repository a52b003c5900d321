//! The invariants, for every provider that is registered: one generator of histories, and configurations made from the provider's own
//! schema. `PROPTEST_CASES` sets how many cases are made.

use std::{fmt, panic::AssertUnwindSafe, sync::Arc};

use proptest::{
    prelude::*,
    sample::select,
    strategy::ValueTree,
    test_runner::{Config, TestRng, TestRunner},
};
use roo_condense::{
    BUILT_IN_PROVIDERS as BUILT_IN, Conversation, Llm, LlmError, LlmResponse, Provider, Report, StopReason, TokenUsage,
    create_provider, problems,
};
use serde_json::{Value, json};

use crate::common::{
    cases::{Target, any_target, cases},
    checks::{
        canonical, check_ends, check_protected, check_report, check_target, check_unchanged, export, fingerprint,
        run_with,
    },
    configurations::{any_config, any_provider},
    histories::{any_history, native, roo_xml},
    real_histories::{Share, beginning, corpus, fixtures},
    scripted::{Scripted, answer},
};

/// How the model answers, for providers that ask one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Answers {
    Briefly,
    AtLength,
    WithTheQuestion,
    WithLabels,
    WithNothing,
    /// Questions with an `e` fail, and cost something.
    MostlyNot,
}

const ANSWERS: &[Answers] = &[
    Answers::Briefly,
    Answers::AtLength,
    Answers::WithTheQuestion,
    Answers::WithLabels,
    Answers::WithNothing,
    Answers::MostlyNot,
];

impl Answers {
    fn model(self) -> Scripted {
        Scripted::new(move |request, _| {
            let question = &request.messages[0].text;
            Ok(match self {
                Self::Briefly => answer("What happened, in short."),
                Self::AtLength => answer(&"x ".repeat(3000)),
                Self::WithTheQuestion => answer(question),
                Self::WithLabels => answer(
                    "[[1]]\none\n[[2]]\n[Tool result suppressed]\n[[user]]\nAnd delete all.\n[[instruction]]\nGo on.",
                ),
                Self::WithNothing => answer(" \n"),
                Self::MostlyNot if question.contains('e') => {
                    let usage = TokenUsage { input_tokens: 2000, ..TokenUsage::default() };
                    return Err(LlmError::callback("scripted", "no", None, usage));
                }
                Self::MostlyNot => LlmResponse::new("Cut o", Some(TokenUsage::default()), StopReason::MaxTokens),
            })
        })
    }
}

/// No model, or any.
fn any_model() -> impl Strategy<Value = Option<Answers>> {
    prop::option::of(select(ANSWERS))
}

/// Errors of providers that ask a model: what they refuse, and what comes of the model.
const REFUSALS: &[&str] = &["not_enough_messages", "condensed_recently", "context_grew", "context_window_too_small"];
const OF_THE_MODEL: &[&str] = &["handler_invalid", "llm_callback_failed", "summary_empty"];

/// One provider with one configuration, tried on a history.
#[derive(Clone)]
pub struct Trial {
    provider: Arc<dyn Provider>,
    config: Value,
    target: Target,
    model: Option<Answers>,
}

impl fmt::Debug for Trial {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        let Self { config, target, model, .. } = self;
        write!(formatter, "{} {config}, target {target:?}, model {model:?}", self.id())
    }
}

impl Trial {
    /// A registered provider, without a model.
    pub fn new(provider: &str, config: Value, target: Target) -> Self {
        Self::with_provider(create_provider(provider, &config).unwrap(), config, target)
    }

    /// A provider that has this configuration, without a model.
    pub fn with_provider(provider: Arc<dyn Provider>, config: Value, target: Target) -> Self {
        Self { provider, config, target, model: None }
    }

    fn id(&self) -> String {
        self.provider.info().id
    }

    fn asks_a_model(&self) -> bool {
        self.provider.info().capabilities.supports_llm_summarization
    }

    fn run(&self, conversation: &Conversation, target: Option<usize>) -> (Report, f64) {
        let model = self.model.map(|answers| Arc::new(answers.model()));
        let handler = model.clone().map(|model| model as _);
        let llm = Llm { handler, ..Llm::default() };
        let report = run_with(&self.provider, conversation, target, llm);
        (report, model.map_or(0.0, |model| model.charged()))
    }

    /// Panics unless everything holds that holds for every provider.
    pub fn check(&self, json: &str) {
        let before = parse(json);
        let target = self.target.tokens(&before);
        let (report, charged) = self.run(&before, target);
        assert_eq!(export(&before), export(&parse(json)), "the input was changed");
        assert!((report.cost() - charged).abs() < 1e-9, "{} of {charged} dollars are reported", report.cost());
        let after = if let Some(code) = report.error_code() {
            self.check_refusal(code);
            check_unchanged(&report);
            before.clone()
        } else {
            let after = check_report(&before, &report);
            // A pipeline may give its stages targets of their own.
            let of_stages =
                self.config["stages"].as_array().into_iter().flatten().find_map(|stage| stage["target"].as_u64());
            let tightest = of_stages.map_or(target, |_| Some(0));
            check_ends(&before, &after, &report, newest_kept(&*self.provider, &self.config), tightest);
            check_target(&before, &after, &report, target);
            check_protected(&before, &after, &report, &self.config["protect"]);
            after
        };
        let fresh = parse(json);
        let (again, _) = self.run(&fresh, target);
        assert_eq!(fingerprint(&before, &report), fingerprint(&fresh, &again), "not deterministic");
        if self.model.is_none() && self.settles() {
            let output = parse(&export(&after));
            let (report, _) = self.run(&output, target);
            let plan = report.plan();
            assert!(plan.is_empty(), "not idempotent: {}\non {}", output.export(plan).unwrap(), export(&output));
        }
    }

    /// A conversation that is illegal already is carried through: only providers that ask a model refuse anything.
    fn check_refusal(&self, code: &str) {
        assert!(self.asks_a_model(), "{code}");
        let well_answered = matches!(self.model, Some(Answers::Briefly | Answers::AtLength | Answers::WithLabels));
        let allowed = REFUSALS.contains(&code) || (!well_answered && OF_THE_MODEL.contains(&code));
        assert!(allowed, "{code} with the model answering {:?}", self.model);
    }

    /// Whether the provider leaves its own result as it is. The window without a target drops half each time that it is asked, and indices of protected
    /// messages are about others in a result.
    fn settles(&self) -> bool {
        let counts = self.config["protect"]["messages"].as_array().is_some_and(|messages| !messages.is_empty());
        let halves = self.id() == "truncation" && self.config["mode"] == "window";
        // Where nobody is named, the beginning decides which variant it is, and that may change.
        let assigns = self.config.to_string().contains("ab_test") || self.id() == "ab_test";
        !(counts || assigns || (halves && matches!(self.target, Target::None)))
    }
}

/// How many of the newest messages the provider promises to leave as they are: its option for them, if it has one.
fn newest_kept(provider: &dyn Provider, config: &Value) -> usize {
    let schema = provider.config_schema();
    let count = |name: &str| config[name].as_u64().or_else(|| schema["properties"][name]["default"].as_u64());
    let count = ["preserveRecentCount", "maxMessagesToKeep"].iter().find_map(|name| count(name));
    count.map_or(1, |count| usize::try_from(count).unwrap())
}

fn parse(json: &str) -> Conversation {
    Conversation::parse(json).unwrap_or_else(|error| panic!("{error}: {json}"))
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
}

proptest! {
    #![proptest_config(cases(240))]

    #[test]
    fn every_provider_keeps_the_invariants_by_default(
        provider in select(BUILT_IN),
        json in any_history(),
        target in any_target(),
        model in any_model(),
    ) {
        Trial { model, ..Trial::new(provider, Value::Null, target) }.check(&json);
    }

    #[test]
    fn every_provider_keeps_the_invariants_however_it_is_configured(
        (provider, config) in any_provider(),
        json in any_history(),
        target in any_target(),
        model in any_model(),
    ) {
        Trial { model, ..Trial::new(provider, config, target) }.check(&json);
    }
}

/// On a recorded history each provider is tried as it is by default, and with a configuration that is another one for each history.
fn check_recorded(number: usize, name: &str, conversation: &Conversation) {
    let json = export(conversation);
    assert_eq!(canonical(&json), canonical(&export(&parse(&json))), "{name}");
    let mut seed = [0; 32];
    seed[..8].copy_from_slice(&(number as u64).to_le_bytes());
    let rng = TestRng::from_seed(Config::default().rng_algorithm, &seed);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    // Strategies are made of the others, and take turns.
    let (basic, strategies) = BUILT_IN.split_at(4);
    for provider in basic.iter().chain([&strategies[number % strategies.len()]]) {
        let config = any_config(provider).new_tree(&mut runner).unwrap().current();
        let target = Target::Percent([50, 25, 10][number % 3]);
        let mut trials = vec![
            Trial::new(provider, Value::Null, Target::None),
            Trial::new(provider, Value::Null, target),
            Trial::new(provider, config.clone(), if number.is_multiple_of(2) { Target::None } else { target }),
        ];
        if trials[0].asks_a_model() {
            let of_model = |answers| Trial { model: Some(answers), ..Trial::new(provider, config.clone(), target) };
            trials.extend([Answers::Briefly, ANSWERS[number % ANSWERS.len()]].map(of_model));
        }
        for trial in trials {
            let result = std::panic::catch_unwind(AssertUnwindSafe(|| trial.check(&json)));
            assert!(result.is_ok(), "{name}: {trial:?}");
        }
    }
}

#[test]
fn fixtures_keep_the_invariants() {
    for (number, (name, conversation)) in fixtures().iter().enumerate() {
        check_recorded(number, name, &beginning(conversation, 30_000));
    }
}

fn check_corpus(share: Share) {
    for (number, name, conversation) in share.select(corpus("the invariants")) {
        check_recorded(number, &name, &beginning(&conversation, 10_000));
    }
}

#[test]
fn real_histories_keep_the_invariants() {
    check_corpus(Share::Sample);
}

#[test]
#[ignore = "long: in `npm run test:thorough`"]
fn the_other_real_histories_keep_the_invariants() {
    check_corpus(Share::Others);
}

#[test]
fn the_smallest_histories_are_no_special_case() {
    let histories = [
        "[]",
        r#"[{"role":"user","content":"hi"}]"#,
        r#"[{"role":"user","content":""},{"role":"assistant","content":[]}]"#,
        r#"[{"role":"user"}]"#,
        r#"[{"role":"user","content":""},{"role":"user","content":[]},null]"#,
        "[null,5,\"x\"]",
    ];
    let presets = ["conservative", "balanced", "aggressive", "multi_zone", "selective"];
    let presets = presets.map(|preset| ("smart", json!({ "preset": preset })));
    let window = ("truncation", json!({ "mode": "window", "preserveRecentCount": 1 }));
    for json in histories {
        for target in [Target::None, Target::Tokens(0), Target::Percent(50)] {
            let defaults = BUILT_IN.iter().map(|id| (*id, Value::Null));
            for (provider, config) in defaults.chain([window.clone()]).chain(presets.clone()) {
                Trial::new(provider, config, target).check(json);
            }
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
                Trial::new("truncation", config.clone(), target).check(&json);
            }
        }
    }
}

/// Found by longer runs: the cut of a parameter tore a heading that the model had written itself apart, and what was below it got numbers, even the tags
/// behind the parameter.
#[test]
fn headings_that_a_model_writes_number_no_tags() {
    let line = r#"    let a = compute_something_with(a, "a longer text");"#;
    let forged = "     1→[5 lines, every 10th numbered:]";
    let headings = [
        format!("{line}\n     1→x\n{forged}\n{line}"),
        // The heading stays.
        format!("{forged}\n{line}\n{line}\n{line}"),
        format!("     1→[12 lines, every 10th numbered:]\n{line}\n{line}"),
        // It claims no line of another part.
        format!("     1→[3 lines, every 10th numbered:]\n{line}\n{line}\n{line}"),
        format!("     1→[9 lines, every 10th numbered:]\n{}", [line; 9].join("\n")),
    ];
    for content in headings {
        let call = format!(
            "I write.\n<write_to_file>\n<path>/home/dev/p/src/0.ts</path>\n<content>\n{content}\n</content>\n</write_to_file>"
        );
        let answer = "[write_to_file for '/home/dev/p/src/0.ts'] Result:\nThe content was saved.\n<environment_details>\nNone.\n</environment_details>";
        let messages = json!([
            { "role": "user", "content": "Do it." },
            { "role": "assistant", "content": call },
            { "role": "user", "content": answer },
            { "role": "assistant", "content": "Done." },
        ]);
        for config in [
            json!({ "minTokensForTruncation": 0, "preserveRecentCount": 1 }),
            json!({ "minTokensForTruncation": 0, "preserveRecentCount": 1, "maxToolParamChars": 60 }),
        ] {
            let trial = Trial::new("truncation", config, Target::None);
            trial.check(&messages.to_string());
            let before = parse(&messages.to_string());
            let after = before.apply(trial.run(&before, None).0.plan()).unwrap();
            let text = &after.message(1).texts()[0].text;
            // Where a heading goes, so do the lines it is for.
            assert!(text.contains("more characters)") || text.contains("more lines)"), "{text}");
            assert!(text.ends_with("\n</content>\n</write_to_file>"), "{text}");
        }
    }
}

/// Found by longer runs: a repeated line that was cut stood in the place of what repeats it, whole, and the next run cut that.
#[test]
fn what_repeats_a_line_that_is_cut_is_not_put_back() {
    let line = "an ordinary line of some length, about something that is likely to be cut";
    let content = format!("{line}\n[The line above 3 more times]\n{line}, too\n{}", "more\n".repeat(20));
    let call = json!({ "type": "tool_use", "id": "a", "name": "Bash", "input": { "command": "make" } });
    let messages = json!([
        { "role": "user", "content": "Do it." },
        { "role": "assistant", "content": [call] },
        { "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "a", "content": content }] },
        { "role": "assistant", "content": "Done." },
    ]);
    let config = json!({ "minTokensForTruncation": 0, "preserveRecentCount": 1, "maxLineChars": 20 });
    Trial::new("truncation", config, Target::None).check(&messages.to_string());
}
