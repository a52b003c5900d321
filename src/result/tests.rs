use proptest::prelude::*;

use super::{
    units::{count_lines, lines_of},
    *,
};
use crate::output::is_failure;

pub fn run(
    text: &str,
    settings: &ResultSettings<'_>,
    before: &[serde_json::Value],
    command: &str,
) -> (ShortResult, String) {
    let mut messages = before.to_vec();
    messages.push(json!({ "role": "assistant", "content": [{ "type": "tool_use", "id": "a", "name": "Bash", "input": { "command": command } }] }));
    messages
        .push(json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "a", "content": text }] }));
    let conversation = Conversation::parse(&json!(messages).to_string()).unwrap();
    let result = condense_result(&conversation, &ToolTable::default(), settings, |_| true);
    let after = conversation.apply(&result.plan).unwrap();
    let text = after.texts().last().unwrap()[0].text.to_owned();
    (result, text)
}

pub fn settings(budget: usize) -> ResultSettings<'static> {
    ResultSettings { budget, exit_code: None, whole: None, encoding: Encoding::O200kBase }
}

fn short(text: &str, budget: usize) -> (ShortResult, String) {
    run(text, &settings(budget), &[], "make all")
}

/// A log of a build system: many unimportant lines, a failure in the middle, and an ending.
fn log(line: impl Fn(usize) -> String, failure: &[&str], ending: &[&str]) -> String {
    let lines: Vec<String> = (0..2000)
        .flat_map(|at| {
            let failure = if at == 1000 { failure } else { &[] };
            failure.iter().map(|line| (*line).to_owned()).chain([line(at)]).collect::<Vec<_>>()
        })
        .collect();
    format!("{}\n{}\n", lines.join("\n"), ending.join("\n"))
}

#[test]
fn one_failure_in_the_middle_stays_with_its_context_and_the_ending() {
    type Case<'a> = (&'a str, fn(usize) -> String, &'a [&'a str], &'a [&'a str]);
    let cases: [Case<'_>; 12] = [
        (
            "cargo",
            |at| format!("   Compiling crate_{at} v1.{at}.0"),
            &[
                "error[E0308]: mismatched types",
                "  --> src/lib.rs:12:5",
                "   |",
                "12 |     \"a\"",
                "   |     ^^^ expected `u32`, found `&str`",
            ],
            &["error: could not compile `app` (lib) due to 1 previous error"],
        ),
        (
            "maven",
            |at| format!("[INFO] Downloading artifact {at} from central"),
            &["[ERROR] /src/App.java:[10,5] cannot find symbol", "  symbol:   class Foo"],
            &["[INFO] BUILD FAILURE", "[INFO] Total time: 12 s"],
        ),
        (
            "gradle",
            |at| format!("> Task :module{at}:compileJava UP-TO-DATE"),
            &[
                "> Task :app:test FAILED",
                "AppTest > parses() FAILED",
                "    org.opentest4j.AssertionFailedError at AppTest.java:12",
            ],
            &["FAILURE: Build failed with an exception.", "BUILD FAILED in 12s"],
        ),
        (
            "go",
            |at| format!("ok  \texample.com/pkg{at}\t0.0{at}s"),
            &["--- FAIL: TestParse (0.00s)", "    parse_test.go:12: got 1, want 2", "FAIL\texample.com/parse\t0.012s"],
            &["FAIL"],
        ),
        (
            "pytest",
            |at| format!("tests/test_{at}.py::test_{at} PASSED"),
            &["tests/test_x.py::test_day FAILED", "E       assert 1 == 2", "E        +  where 1 = day()"],
            &["FAILED tests/test_x.py::test_day - assert 1 == 2", "1 failed, 2000 passed in 12.30s"],
        ),
        (
            "vitest",
            |at| format!(" ✓ test/file{at}.test.ts (3 tests) {at}ms"),
            &[
                " FAIL  test/day.test.ts > parses a day",
                "AssertionError: expected 1 to be 2",
                " ❯ test/day.test.ts:12:5",
            ],
            &[" Test Files  1 failed | 2000 passed (2001)", "      Tests  1 failed | 6000 passed (6001)"],
        ),
        (
            "jest",
            |at| format!("PASS src/file{at}.test.js"),
            &["FAIL src/day.test.js", "  ● day › parses", "    Expected: 2", "    Received: 1"],
            &["Tests:       1 failed, 2000 passed, 2001 total"],
        ),
        (
            "tsc",
            |at| format!("TSFILE: /dist/file{at}.js"),
            &["src/day.ts(12,5): error TS2322: Type 'string' is not assignable to type 'number'."],
            &["Found 1 error in src/day.ts:12"],
        ),
        (
            "make",
            |at| format!("cc -O2 -c file{at}.c -o file{at}.o"),
            &["day.c:12:5: error: unknown type name 'foo'", "   12 |     foo bar;", "      |     ^~~"],
            &["make: *** [Makefile:3: day.o] Error 1"],
        ),
        (
            "dotnet",
            |at| format!("  Project{at} -> /bin/Project{at}.dll"),
            &["/src/Day.cs(12,5): error CS1002: ; expected [/src/Day.csproj]"],
            &["Build FAILED.", "    1 Error(s)"],
        ),
        (
            "eslint",
            |at| format!("/src/file{at}.js: 0 problems"),
            &["/src/day.js", "  12:5  error  'x' is defined but never used  no-unused-vars"],
            &["✖ 1 problem (1 error, 0 warnings)"],
        ),
        ("unknown", |at| format!("处理文件 {at}"), &["失败：第十二行类型不符"], &["结束"]),
    ];
    for (name, line, failure, ending) in cases {
        let text = log(line, failure, ending);
        let (result, short) = short(&text, 700);
        assert!(result.fits && result.tokens_after <= 700, "{name}: {}", result.tokens_after);
        for line in failure.iter().chain(ending) {
            assert!(short.lines().any(|shown| shown == *line), "{name} lost {line}:\n{short}");
        }
        assert_eq!(result.failures_left_out, 0, "{name}");
        let shown = short.lines().filter(|line| !line.starts_with("[…") && !line.starts_with("[Left")).count();
        assert_eq!(result.left_out, result.of - shown, "{name}: the counts are true");
    }
}

#[test]
fn the_exit_code_is_told_and_nothing_sounds_like_success_without_it() {
    let text = log(|at| format!("step {at}"), &[], &["All 12 tests passed"]);
    let (_, short) = run(&text, &ResultSettings { exit_code: Some(2), ..settings(300) }, &[], "make");
    assert!(short.ends_with("; exit code 2]"), "{short}");
    let (_, short) = run(&text, &ResultSettings { whole: Some("cat /tmp/x"), ..settings(300) }, &[], "make");
    assert!(short.ends_with("; whole result: cat /tmp/x]"), "{short}");
}

#[test]
fn a_result_within_the_budget_stays_as_it_is() {
    let (result, text) = short("a\r\u{1b}[31mb\n", 100);
    assert_eq!((text.as_str(), result.plan.is_empty(), result.fits), ("a\r\u{1b}[31mb\n", true, true));
    assert!(short("", 1).0.fits);
}

#[test]
fn where_there_is_no_room_for_all_failures_their_number_is_told() {
    let lines: Vec<String> =
        (0..500).map(|at| format!("src/file_{at}.ts(1,1): error TS2304: Cannot find name 'name_{at}'.")).collect();
    let text = format!("start\n{}\nok so far\nFound 500 errors in 500 files.\n", lines.join("\n"));
    let (result, short) = short(&text, 800);
    let shown = short.lines().filter(|line| is_failure(line) && !line.starts_with('[')).count();
    assert!(result.fits && shown > 10);
    assert_eq!(result.failures_left_out, 501 - shown);
    assert!(
        short.contains(&format!("; {} of the lines left out report a failure]", result.failures_left_out)),
        "{short}"
    );
    let others = short.lines().filter(|line| line.starts_with("ok ") || line.starts_with("start"));
    assert!(others.count() <= 2, "only lines beside a failure, and the first, stay while failures go: {short}");
}

#[test]
fn titles_of_tests_about_failures_are_not_counted_as_failures() {
    let verbs = ["parses", "renders", "tells", "stores", "sends", "reads", "shows", "keeps", "merges", "opens"];
    let title =
        |at: usize| format!("    {} {} {at}\n", verbs[at % 10], ["the error", "a day", "a failure of it"][at % 3]);
    let text: String = (0..1200).map(title).collect();
    let (result, short) = short(&format!("{text}\n1200 examples, 0 failures\n"), 500);
    assert_eq!((result.fits, result.failures_left_out), (true, 0), "{short}");
    assert!(!short.contains("report a failure") && short.contains("1200 examples, 0 failures"), "{short}");
}

#[test]
fn one_long_line_is_cut_inside() {
    let text = format!("{} fatal: no space left {}", "word soup, ".repeat(40_000), "more of it; ".repeat(40_000));
    let (result, short) = short(&text, 500);
    assert!(result.fits && result.tokens_after > 300, "{}", result.tokens_after);
    assert!(short.contains("fatal: no space left") && short.contains(" characters]"), "{short}");
    assert_eq!(result.left_out, 0);
    let base64 = format!("image:\n{}\nend of it\n", "iVBORw0KGgo".repeat(20_000));
    let (result, short) = super::tests::short(&base64, 300);
    assert!(result.fits && short.contains("image:") && short.contains("end of it"), "{short}");
}

#[test]
fn bars_are_shown_once_and_repeated_lines_with_their_number() {
    let bar: String = (0..5000).map(|at| format!("Downloading {at}%\r")).collect();
    let text = format!("{bar}\n{}done\n", "waiting for the lock\n".repeat(3000));
    let (result, short) = short(&text, 200);
    assert!(
        short.starts_with("Downloading 4999%\nwaiting for the lock\n[The line above 2999 more times]\ndone\n"),
        "{short}"
    );
    assert_eq!(result.left_out, 0);
}

#[test]
fn tables_keep_their_head_and_json_its_shape() {
    let rows: Vec<String> = (0..3000).map(|at| format!("{at},name {at},{}", at * 7)).collect();
    let (result, short) = short(&format!("id,name,amount\n{}\n", rows.join("\n")), 300);
    assert!(result.fits && short.starts_with("id,name,amount\n"), "{short}");
    let items: Vec<_> = (0..3000).map(|at| json!({ "id": at, "name": format!("name {at}") })).collect();
    let (result, text) = super::tests::short(&json!({ "items": items, "next": null }).to_string(), 400);
    assert!(result.fits && result.kind == ResultKind::Json);
    let (json, note) = text.rsplit_once('\n').unwrap();
    assert!(serde_json::from_str::<serde_json::Value>(json).unwrap()["items"].as_array().unwrap().len() > 2);
    assert!(note.contains(" of 3002 values, "), "{note}");
}

#[test]
fn sources_and_diffs_stay_whole_unless_they_are_ten_times_the_budget() {
    let function =
        |at: usize| format!("fn function_{at}() {{\n    let value = compute_{at}({at});\n    value + {at}\n}}\n\n");
    let source: String = (0..200).map(function).collect();
    let read = |budget| run(&source, &settings(budget), &[], "cat src/lib.rs");
    let tokens = read(1).0.tokens_before;
    let (result, text) = read(tokens / 9);
    assert!(text == source && !result.fits && result.kind == ResultKind::Source);
    let (result, text) = read(tokens / 11);
    assert!(result.fits && result.left_out > 0, "{}", result.tokens_after);
    assert!(text.contains("fn function_0() {") && text.contains("[…"), "{text}");
}

#[test]
fn an_answer_of_recall_stays_whole() {
    let text = (0..200).map(|at| format!("[k{at}] quoted line {at}\n")).collect::<String>();
    let messages = json!([
        { "role": "user", "content": "look" },
        { "role": "assistant", "content": [{ "type": "tool_use", "id": "a", "name": "recall", "input": { "query": "x" } }] },
        { "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "a", "content": text }] },
    ]);
    let conversation = Conversation::parse(&messages.to_string()).unwrap();
    let result = condense_result(&conversation, &ToolTable::default(), &settings(100), |_| true);
    assert!(result.plan.is_empty() && !result.fits && result.left_out == 0);
}

#[test]
fn texts_of_one_result_are_numbered_as_they_are_kept() {
    let lines =
        |name: &str| (1..=300).map(|at| format!("{name} line {at} of what came")).collect::<Vec<_>>().join("\n");
    let blocks = [lines("out"), lines("err")].map(|text| json!({ "type": "text", "text": text }));
    let message =
        json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "a", "content": blocks }] });
    let conversation = Conversation::parse(&json!([message]).to_string()).unwrap();
    let result = condense_result(&conversation, &ToolTable::default(), &settings(300), |_| true);
    let whole: Vec<String> = [lines("out"), lines("err")].join("\n").split('\n').map(str::to_owned).collect();
    let texts: Vec<String> = result
        .plan
        .edits
        .iter()
        .map(|edit| serde_json::to_value(edit).unwrap()["value"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(texts.len(), 2);
    for text in texts {
        let shown: Vec<&str> = text.lines().collect();
        for (at, line) in shown.iter().enumerate() {
            let Some(gap) = line.strip_prefix("[…").and_then(|rest| rest.strip_suffix(']')) else { continue };
            let (first, last) = gap.split_once('-').unwrap_or((gap, gap));
            let (first, last): (usize, usize) = (first.parse().unwrap(), last.parse().unwrap());
            assert_eq!((shown[at - 1], shown[at + 1]), (&*whole[first - 2], &*whole[last]), "{line}");
        }
    }
}

#[test]
fn tokens_beside_texts_count() {
    let image = json!({ "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "A".repeat(40_000) } });
    let run = |blocks: serde_json::Value, budget: usize| {
        let message =
            json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "a", "content": blocks }] });
        let conversation = Conversation::parse(&json!([message]).to_string()).unwrap();
        condense_result(&conversation, &ToolTable::default(), &settings(budget), |_| true)
    };
    let of_image = run(json!([image]), 10);
    assert!(of_image.tokens_before > 100 && of_image.tokens_after == of_image.tokens_before && !of_image.fits);
    let lines: String = (0..400).map(|at| format!("line {at} of what came\n")).collect();
    let both = run(json!([image, { "type": "text", "text": lines }]), of_image.tokens_before + 500);
    assert!(both.fits && both.tokens_after > of_image.tokens_before + 300, "{}", both.tokens_after);
    let hardly = run(json!([image, { "type": "text", "text": lines }]), 600.min(of_image.tokens_before));
    assert!(!hardly.fits && hardly.plan.edits.len() == 1 && hardly.tokens_after > of_image.tokens_before);
}

#[test]
fn what_stands_in_the_conversation_is_pointed_to() {
    let known: String =
        (0..60).map(|at| format!("export const setting_{at} = compute_the_value_of({at});\n")).collect();
    let before = [
        json!({ "role": "user", "content": "look" }),
        json!({ "role": "assistant", "content": [{ "type": "tool_use", "id": "b", "name": "Bash", "input": { "command": "./show" } }] }),
        json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "b", "content": known }] }),
    ];
    let text =
        format!("first\n{known}last of {}\n", (0..200).map(|at| format!("other line {at}\n")).collect::<String>());
    let (result, short) = run(&text, &settings(400), &before, "./show");
    assert!(result.fits && short.contains(" lines as above from \"export const setting_0"), "{short}");
}

#[test]
fn names_of_the_work_under_way_stay() {
    let before = [
        json!({ "role": "user", "content": "Why does parse_due_date fail?" }),
        json!({ "role": "assistant", "content": [{ "type": "tool_use", "id": "b", "name": "Bash", "input": { "command": "grep parse_due_date src" } }] }),
        json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "b", "content": "src/due.rs: parse_due_date" }] }),
    ];
    let lines: Vec<String> = (0..3000)
        .map(|at| {
            if at == 1234 {
                "called: parse_due_date (7)".to_owned()
            } else {
                format!("called: other_function_{at} (7)")
            }
        })
        .collect();
    let (_, short) = run(&lines.join("\n"), &settings(200), &before, "./trace");
    assert!(short.contains("parse_due_date"), "{short}");
}

fn any_line() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-z]{1,8}( [a-z_0-9./:]{1,12}){0,6}",
        1 => "error: [a-z ]{1,30}",
        1 => Just(String::new()),
        1 => "\\PC{0,40}",
        1 => "[ ]{0,4}(FAILED|12 passed, 1 failed|exit code 1|ok)",
        1 => "[a-z,]{1100,1500}",
        1 => "(\\x1b\\[3[0-9]m)?[a-z]{1,5}\\r[a-z]{1,5}",
    ]
}

/// A line of a log. There are few different lines, so that some are repeated.
fn plain_line() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => "(building|testing) [a-c]{1,2}(/[a-c]{1,2})? [0-9]{1,3}",
        2 => "building a",
        1 => "error: [ab]{1,2}",
        1 => Just(String::new()),
        1 => "  at [a-c]{1,3}\\.rs:[0-9]{1,2}",
        1 => "[0-9] (failed|passed)",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn lines_are_quoted_counts_are_true_and_failures_come_first(
        lines in prop::collection::vec(any_line(), 1..120),
        budget in 1_usize..900,
        code in prop::option::of(0_i64..3),
    ) {
        let text = lines.join("\n");
        let (result, short) = run(&text, &ResultSettings { exit_code: code, ..settings(budget) }, &[], "make");
        prop_assert!(result.tokens_after <= result.tokens_before);
        prop_assert_eq!(result.plan.is_empty(), short == text);
        if result.plan.is_empty() {
            return Ok(());
        }
        let screen = screen::Screen::show(&text);
        let shown: Vec<&str> = short.lines().collect();
        let originals: Vec<&str> = lines_of(&screen.text).map(|line| &screen.text[line]).collect();
        let (note, rest) = shown.split_last().unwrap();
        prop_assert!(crate::markers::ResultNote::read(note).is_some(), "{}", note);
        for line in rest {
            let is_note = line.starts_with("[…") || line.starts_with("[The line above");
            prop_assert!(is_note || line.contains(" characters]") || originals.contains(line), "{:?} is no line of it", line);
        }
        prop_assert_eq!(result.tokens_after, crate::tokens::count_inside(&short, Encoding::O200kBase).tokens);
        prop_assert_eq!(result.fits, result.tokens_after <= budget);
        if result.failures_left_out > 0 {
            // Lines with the outcome of the call rank before failures, and failures before the lines around them.
            let ending = crate::story::ending(&originals.iter().map(|line| line.trim()).collect::<Vec<_>>(), false);
            let is_near = |line: &str| {
                let failed = |at: usize| originals[at.saturating_sub(16)..(at + 4).min(originals.len())].iter().any(|line| is_failure(line));
                originals.iter().enumerate().any(|(at, original)| *original == line && failed(at))
            };
            let others = rest.iter().filter(|line| !line.starts_with('[') && !is_near(line) && line.len() > 12 && !line.contains(" characters]"));
            let most = ending.must.len() + ending.more.len() + 4;
            prop_assert!(others.count() <= most, "{}", short);
        }
    }

    #[test]
    fn the_budget_holds_and_every_count_is_true(
        lines in prop::collection::vec(plain_line(), 1..200),
        budget in 30_usize..600,
        code in prop::option::of(0_i64..3),
    ) {
        let text = lines.join("\n");
        let (result, short) = run(&text, &ResultSettings { exit_code: code, ..settings(budget) }, &[], "make");
        prop_assert_eq!(result.fits, result.tokens_after <= budget);
        let tokens = |text: &str| crate::tokens::count_inside(text, Encoding::O200kBase).tokens;
        prop_assert_eq!((result.tokens_before, result.tokens_after), (tokens(&text), tokens(&short)));
        if result.plan.is_empty() {
            prop_assert_eq!((result.left_out, result.failures_left_out), (0, 0));
            return Ok(());
        }
        let (body, note) = short.rsplit_once('\n').unwrap_or(("", &short));
        // Counts the lines like a reader, who continues counting at every note.
        let (mut at, mut left_out, mut failures) = (0, 0, 0);
        let failed = |range: std::ops::Range<usize>| lines[range].iter().filter(|line| is_failure(line)).count();
        for line in body.lines().filter(|_| !body.is_empty()) {
            if let Some(gap) = line.strip_prefix("[…").and_then(|rest| rest.strip_suffix(']')) {
                let (first, last) = gap.split_once('-').unwrap_or((gap, gap));
                let (first, last): (usize, usize) = (first.parse().unwrap(), last.parse().unwrap());
                prop_assert_eq!(first, at + 1, "{}", short);
                failures += failed(first - 1..last);
                left_out += last + 1 - first;
                at = last;
            } else if let Some(repeats) = line.strip_prefix("[The line above ") {
                let times: usize = if repeats.starts_with("again") { 1 } else { repeats.split(' ').next().unwrap().parse().unwrap() };
                prop_assert!(lines[at..at + times].iter().all(|line| *line == lines[at - 1]), "{}", short);
                at += times;
            } else {
                prop_assert_eq!(line, &lines[at], "{}", short);
                at += 1;
            }
        }
        let blank_end = lines[at..].iter().all(String::is_empty);
        prop_assert!(blank_end, "{}", short);
        prop_assert_eq!((result.left_out, result.failures_left_out), (left_out, failures), "{}", short);
        prop_assert_eq!(result.of, count_lines(&text));
        let counted = format!("[Left out of this result: {} of {} lines, {} of {} tokens", left_out, result.of, tokens(&text) - tokens(body), tokens(&text));
        prop_assert!(note.starts_with(&counted), "{} {}", counted, note);
    }

    #[test]
    fn any_text_is_survived(text in "\\PC*|(\\x1b|\\r|\\n|[^a]|\\x08|é|\u{FFFD}){0,300}", budget in 0_usize..50) {
        let (result, _) = short(&text, budget);
        prop_assert!(result.tokens_after <= result.tokens_before);
    }
}
