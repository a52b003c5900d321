//! Each operation of the lossless provider on a small history that a person can follow.

use super::support::{condense, decoded, history_of, propose, request, texts};
use roo_condense::{Cancel, Conversation, Encoding, Grade, Request, Tally, WarningCode, settle};
use serde_json::{Value, json};

/// The pointer to `count` lines that begin with one of [`program`].
fn below(count: usize, line: usize) -> String {
    format!("[{count} lines as below from \"let value_{line} = compute_from\"]")
}

/// `count` lines of a program, no two the same.
fn program(first: usize, count: usize) -> Vec<String> {
    (first..first + count)
        .map(|line| format!("    let value_{line} = compute_from(input[{line}], \"with a text\");"))
        .collect()
}

fn numbered(lines: &[String], first: usize) -> String {
    lines.iter().enumerate().map(|(index, line)| format!("{:>6}→{line}", first + index)).collect::<Vec<_>>().join("\n")
}

fn read(path: &str, answer: String) -> (Value, Value) {
    (json!({ "name": "Read", "input": { "file_path": path } }), json!(answer))
}

fn run(command: &str, answer: String) -> (Value, Value) {
    (json!({ "name": "Bash", "input": { "command": command } }), json!(answer))
}

fn write(path: &str, lines: &[String]) -> (Value, Value) {
    (
        json!({ "name": "Write", "input": { "file_path": path, "content": lines.join("\n") } }),
        json!(format!("File created successfully at: {path}")),
    )
}

fn edit(path: &str, old: &[String], new: &[String]) -> (Value, Value) {
    let input = json!({ "file_path": path, "old_string": old.join("\n"), "new_string": new.join("\n") });
    (json!({ "name": "Edit", "input": input }), json!(format!("The file {path} has been updated successfully.")))
}

/// The condensed texts, with the operations and their grades.
fn condensed(conversation: &Conversation, config: Value) -> (Vec<Vec<String>>, Vec<(String, Grade)>) {
    let settled = condense(conversation, config.clone());
    if config["strict"] == json!(true) {
        assert_eq!(decoded(&settled.conversation), texts(conversation));
    }
    let done = settled.changes.iter().map(|change| (change.operation.clone(), change.grade.unwrap())).collect();
    (texts(&settled.conversation), done)
}

const STRICT: fn() -> Value = || json!({ "strict": true, "preserveRecentCount": 0, "lineNumbers": false });

fn inline(word: &str) -> (String, Grade) {
    (word.to_owned(), Grade::Inline)
}

#[test]
fn the_same_result_is_said_once_and_the_newest_stays() {
    let output = program(1, 8).join("\n");
    let conversation = history_of(&[run("make", output.clone()), run("make", output.clone())]);
    let (texts, done) = condensed(&conversation, STRICT());
    assert_eq!((&*texts[2][0], &*texts[4][0]), (&*below(8, 1), &*output));
    assert_eq!(done, [inline("reference")]);
    let mut config = STRICT();
    config["keep"] = json!("first");
    let (texts, _) = condensed(&conversation, config);
    assert_eq!((&*texts[2][0], &*texts[4][0]), (&*output, &*below(8, 1).replace("below", "above")));
}

#[test]
fn a_part_of_a_file_leads_into_the_whole() {
    let file = program(1, 30);
    let part = numbered(&file[9..20], 10);
    let whole = numbered(&file, 1);
    let conversation = history_of(&[read("/p/src/a.rs", part), read("/p/src/a.rs", whole.clone())]);
    let (texts, done) = condensed(&conversation, STRICT());
    assert_eq!((&*texts[2][0], &*texts[4][0]), (&*format!("    10→{}", below(11, 10)), &*whole));
    assert_eq!(done, [inline("containment")]);
}

#[test]
fn a_changed_file_keeps_what_changed() {
    let old = program(1, 30);
    let mut new = old.clone();
    new[14] = "    changed();".to_owned();
    let conversation = history_of(&[read("/p/a.rs", numbered(&old, 1)), read("/p/a.rs", numbered(&new, 1))]);
    let (texts, done) = condensed(&conversation, STRICT());
    let expected = format!("     1→{}\n    15→{}\n    16→{}", below(14, 1), old[14], below(15, 16));
    assert_eq!(texts[2][0], expected);
    assert_eq!(done, [inline("diff")]);
}

/// However many lines cannot be quoted, because others stand between that begin with all of them.
#[test]
fn a_pointer_begins_at_the_first_line_that_leads_there() {
    let output = program(1, 60);
    let alike: Vec<String> = output[..40].iter().map(|line| format!("{line} // checked")).collect();
    let conversation =
        history_of(&[run("make", output.join("\n")), run("lint", alike.join("\n")), run("make", output.join("\n"))]);
    let (texts, _) = condensed(&conversation, STRICT());
    assert_eq!(texts[2][0], format!("{}\n{}", output[..40].join("\n"), below(20, 41)));
}

/// However many lines stand between that begin like it: only the length of the quote depends on them.
#[test]
fn a_pointer_gets_past_any_number_of_lines_that_begin_alike() {
    let line =
        |kind: &str, number: usize| format!("2031-01-01 00:00:00 worker {kind} {number} has done its part of the work");
    let lines = |kind: &str, count: usize| (0..count).map(|number| line(kind, number)).collect::<Vec<_>>().join("\n");
    let conversation = history_of(&[
        run("make", lines("alpha", 40)),
        run("lint", lines("beta", 5000)),
        run("make", lines("alpha", 40)),
    ]);
    let (texts, _) = condensed(&conversation, STRICT());
    assert_eq!(texts[2][0], "[40 lines as below from \"2031-01-01 00:00:00 worker alpha\"]");
}

#[test]
fn what_was_written_and_read_back_is_said_once() {
    let file = program(1, 20);
    let conversation = history_of(&[
        write("/p/a.rs", &file),
        read("/p/a.rs", numbered(&file, 1)),
        run("cat /p/a.rs", file.join("\n")),
    ]);
    let (texts, _) = condensed(&conversation, STRICT());
    assert_eq!(texts[1][1], "/p/a.rs");
    assert_eq!(texts[1][0], below(20, 1));
    assert_eq!(texts[4][0], format!("     1→{}", below(20, 1)));
    let mut config = STRICT();
    config["toolParameters"] = json!(false);
    assert_eq!(condensed(&conversation, config).0[1][0], file.join("\n"));
}

#[test]
fn parameters_keep_their_shape() {
    let file = program(1, 20);
    let conversation =
        history_of(&[edit("/p/a.rs", &file, &program(50, 20)), read("/p/a.rs", numbered(&program(40, 40), 1))]);
    let settled = condense(&conversation, STRICT());
    let json: Value = serde_json::from_str(&serde_json::to_string(&settled.conversation).unwrap()).unwrap();
    let input = &json[1]["content"][0]["input"];
    assert_eq!(input["new_string"], below(20, 50));
    assert_eq!((input["old_string"].as_str(), input.as_object().unwrap().len()), (Some(file.join("\n").as_str()), 3));
}

#[test]
fn logs_that_repeat_in_part() {
    let common = program(1, 12);
    let first = [program(100, 3), common.clone(), program(200, 3)].concat().join("\n");
    let second = [program(300, 5), common, program(400, 2)].concat().join("\n");
    let conversation = history_of(&[run("npm test", first), run("npm run all", second)]);
    let (texts, done) = condensed(&conversation, STRICT());
    let lines: Vec<_> = texts[2][0].lines().collect();
    assert_eq!((lines.len(), lines[3]), (7, &*below(12, 1)));
    assert_eq!(done, [inline("repeated_lines")]);
}

#[test]
fn one_line_again_and_again() {
    let output = format!("start\n{}end", "waiting for the server to come up\n".repeat(40));
    let (texts, _) = condensed(&history_of(&[run("./serve", output)]), STRICT());
    assert_eq!(texts[2][0], "start\nwaiting for the server to come up\n[The line above 39 more times]\nend");
}

#[test]
fn numbers_of_lines_go_where_a_heading_restores_them() {
    let file = program(95, 20);
    let conversation = history_of(&[read("/p/a.rs", numbered(&file, 95))]);
    let (texts, done) = condensed(&conversation, json!({ "strict": true, "preserveRecentCount": 0 }));
    let lines: Vec<_> = texts[2][0].lines().collect();
    assert_eq!(&lines[..2], ["    95→[20 lines, every 10th numbered:]", &file[0]]);
    assert_eq!((lines[6], lines[7]), (format!("   100→{}", file[5]).as_str(), file[6].as_str()));
    assert_eq!(done, [inline("line_numbers")]);
    // The newest messages keep theirs: the next edit may need them.
    assert!(condense(&conversation, json!({ "strict": true })).changes.is_empty());
}

#[test]
fn every_operation_can_be_switched_off() {
    let file = program(1, 30);
    let log = program(500, 10).join("\n");
    let conversation = history_of(&[
        read("/p/a.rs", numbered(&file[..20], 1)),
        read("/p/a.rs", numbered(&file, 1)),
        run("make", log.clone()),
        run("make", log),
    ]);
    let words = |config: Value| {
        let mut words: Vec<String> =
            condense(&conversation, config).changes.into_iter().map(|change| change.operation).collect();
        words.sort();
        words.dedup();
        words
    };
    let with = |fields: &[&str]| {
        let mut config = json!({ "preserveRecentCount": 0 });
        fields.iter().for_each(|field| config[*field] = json!(false));
        words(config)
    };
    assert_eq!(with(&[]), ["containment", "line_numbers", "reference"]);
    assert_eq!(with(&["lineNumbers"]), ["containment", "reference"]);
    assert_eq!(with(&["lineNumbers", "containment"]), ["reference"]);
    assert_eq!(with(&["lineNumbers", "deduplicateFileReads"]), ["reference"]);
    assert_eq!(with(&["lineNumbers", "consolidateToolResults"]), ["containment"]);
    assert_eq!(with(&["lineNumbers", "reference", "containment"]), [] as [&str; 0]);
}

fn superseded(conversation: &Conversation, config: Value) -> (Vec<Vec<String>>, Vec<(String, Grade)>) {
    let mut config = config;
    (config["preserveRecentCount"], config["lineNumbers"]) = (json!(0), json!(false));
    condensed(conversation, config)
}

#[test]
fn a_read_goes_when_the_whole_file_is_seen_to_be_another() {
    let (old, new) = (program(1, 12), program(60, 4));
    let steps = [
        read("/p/a.rs", numbered(&old, 1)),
        edit("/p/a.rs", &old[..1], &program(50, 1)),
        read("/p/a.rs", numbered(&new, 1)),
    ];
    let (texts, done) = superseded(&history_of(&steps), json!({}));
    assert_eq!(texts[2][0], "[Left out: /p/a.rs was changed below]");
    assert_eq!(done, [("stale_read".to_owned(), Grade::Superseded)]);
    for off in [json!({ "staleReads": "off" }), json!({ "strict": true }), json!({ "removeObsoleteState": false })] {
        assert_eq!(superseded(&history_of(&steps), off.clone()).1, [], "{off}");
    }
}

#[test]
fn of_a_read_the_lines_go_that_an_edit_replaced() {
    let old = program(1, 12);
    let changed = edit("/p/a.rs", &old[4..7], &program(50, 1));
    let steps = [read("/p/a.rs", numbered(&old, 21)), changed.clone()];
    let (texts, done) = superseded(&history_of(&steps), json!({}));
    let expected = [numbered(&old[..4], 21), "[…25-27]".to_owned(), numbered(&old[7..], 28)].join("\n");
    assert_eq!(texts[2][0], expected);
    assert_eq!(done, [("stale_read".to_owned(), Grade::Superseded)]);
    // Another file, or one that may be another.
    let elsewhere = [read("src/a.rs", numbered(&old, 1)), edit("/other/src/a.rs", &old[4..7], &program(50, 1))];
    let is_stale = |steps: &[(Value, Value)]| {
        superseded(&history_of(steps), json!({})).1.iter().any(|(operation, _)| operation == "stale_read")
    };
    assert!(!is_stale(&elsewhere));
    // Something may have brought back what was there.
    for command in ["git checkout -- /p/a.rs", "git stash pop", "make", "mv /p/a.rs /p/b.rs"] {
        let steps = [read("/p/a.rs", numbered(&old, 1)), changed.clone(), run(command, String::new())];
        assert!(!is_stale(&steps), "{command}");
    }
    let looked = run("git status && ls /p | wc -l", "9".to_owned());
    assert!(is_stale(&[read("/p/a.rs", numbered(&old, 1)), changed, looked]));
}

#[test]
fn whole_reads_go_where_that_is_asked_for_and_what_is_true_of_them_is_lost() {
    let old = program(1, 12);
    let steps = [
        read("/p/a.rs", numbered(&old, 1)),
        edit("/p/a.rs", &old[4..7], &program(50, 1)),
        read("/p/a.rs", numbered(&program(60, 4), 100)),
    ];
    let settled = condense(&history_of(&steps), json!({ "staleReads": "file", "preserveRecentCount": 0 }));
    assert_eq!(texts(&settled.conversation)[2][0], "[Left out: /p/a.rs was changed below]");
    let done: Vec<(&str, Option<Grade>)> =
        settled.changes.iter().map(|change| (change.operation.as_str(), change.grade)).collect();
    assert_eq!(done, [("stale_read", Some(Grade::Superseded)), ("stale_file", None)]);
    let shares: Vec<usize> = settled.changes.iter().map(|change| change.tokens_before - change.tokens_after).collect();
    assert!(shares[0] * 2 < shares[1], "three lines of twelve: {shares:?}");
}

#[test]
fn what_moved_with_its_file_is_not_replaced_by_what_has_its_name_now() {
    let old = program(1, 12);
    let steps = |command: &str| {
        history_of(&[
            write("/p/a.rs", &old),
            run(command, String::new()),
            write("/p/a.rs", &program(60, 4)),
            read("/p/a.rs", numbered(&program(60, 4), 1)),
        ])
    };
    for command in ["mv /p/a.rs /p/b.rs", "git mv /p/a.rs /p/b.rs", "mv /p /q", "ls && mv /p/a.rs /p/b.rs"] {
        let (texts, _) = superseded(&steps(command), json!({}));
        assert_eq!(texts[1][0], old.join("\n"), "{command}");
    }
    let (texts, _) = superseded(&steps("make"), json!({}));
    assert_eq!(texts[1][0], "[Left out: /p/a.rs was written anew below]");
}

#[test]
fn a_failed_edit_says_nothing_about_a_file() {
    let old = program(1, 12);
    let (call, _) = edit("/p/a.rs", &program(70, 12), &program(90, 12));
    let failed = (
        call,
        json!([{ "type": "text", "text": "<tool_use_error>String to replace not found in file.</tool_use_error>" }]),
    );
    let steps = [read("/p/a.rs", numbered(&old, 1)), failed, read("/p/b.rs", numbered(&program(200, 3), 1))];
    assert_eq!(superseded(&history_of(&steps), json!({})).1, []);
    // It goes when the file was edited after all.
    let again = [&steps[..2], &[edit("/p/a.rs", &program(80, 1), &program(95, 1))]].concat();
    let (texts, done) = superseded(&history_of(&again), json!({}));
    assert_eq!(texts[3][1], "[Left out: this failed; /p/a.rs was changed below]");
    assert_eq!(done, [("failed_edit".to_owned(), Grade::Superseded)]);
}

#[test]
fn writes_that_nothing_proves_gone_stay_and_are_told() {
    let config = || json!({ "preserveRecentCount": 0 });
    let warnings = |steps: &[(Value, Value)], config: Value| propose(&request(&history_of(steps)), &config).warnings;
    let tests = || run("npm test", "1 failed".into());
    // Other lines each time: nothing that could be read elsewhere.
    let steps = [write("/p/a.rs", &program(1, 20)), tests(), write("/p/a.rs", &program(100, 20)), tests()];
    let steps = [&steps[..], &[write("/p/a.rs", &program(200, 20)), tests()]].concat();
    let [warning] = &warnings(&steps, config())[..] else { panic!("one warning") };
    assert_eq!((&warning.code, warning.message_index), (&WarningCode::WritesKept, Some(1)));
    assert!(warning.message.starts_with("2 writes of files that were written anew later remain ("), "{warning}");
    // The same lines each time become pointers, and one of which little stays is not worth a word.
    let same = [write("/p/a.rs", &program(1, 20)), write("/p/a.rs", &program(1, 20)), tests()];
    assert_eq!(warnings(&same, config()), []);
    let small = [write("/p/a.rs", &program(1, 1)), write("/p/a.rs", &program(100, 20)), tests()];
    assert_eq!(warnings(&small, config()), []);
    // Files that are proven to be deleted are removed, and files that are not looked for are not missed.
    assert_eq!(warnings(&steps[..3], config()), []);
    // A file that may have another name now is another one.
    let moved = [steps[0].clone(), run("mv /p/a.rs /p/b.rs", String::new()), steps[2].clone()];
    assert_eq!(warnings(&moved, config()).len(), 1);
    assert_eq!(warnings(&steps, json!({ "preserveRecentCount": 0, "overwrittenWrites": false })), []);
    assert_eq!(warnings(&steps, json!({ "preserveRecentCount": 0, "strict": true })), []);
    assert_eq!(warnings(&steps[..2], config()), []);
}

#[test]
fn writes_lists_and_snapshots_but_the_newest() {
    let steps = [write("/p/a.rs", &program(1, 20)), write("/p/a.rs", &program(100, 3))];
    let (texts, done) = superseded(&history_of(&steps), json!({}));
    assert_eq!(texts[1][0], "[Left out: /p/a.rs was written anew below]");
    assert_eq!(done, [("overwritten_write".to_owned(), Grade::Superseded)]);

    let todos = |done: usize| -> Value {
        (0..6).map(|item| json!({ "content": format!("Do number {item}"), "status": if item < done { "completed" } else { "pending" } })).collect()
    };
    let list = |done: usize| {
        (
            json!({ "name": "TodoWrite", "input": { "todos": todos(done) } }),
            json!("Todos have been modified successfully. Ensure that you continue to use the todo list."),
        )
    };
    let settled = condense(&history_of(&[list(1), list(2)]), json!({ "preserveRecentCount": 0 }));
    let json: Value = serde_json::from_str(&serde_json::to_string(&settled.conversation).unwrap()).unwrap();
    assert_eq!(json[1]["content"][0]["input"], json!({ "todos": ["[Left out: a newer list stands below]"] }));
    assert_eq!(json[3]["content"][0]["input"]["todos"], todos(2));

    let snapshot = |time: &str| {
        format!(
            "<environment_details>\n# Current Time\n{time}\n# Mode\n{}\n</environment_details>",
            program(1, 3).join("\n")
        )
    };
    let message = |role: &str, text: String| json!({ "role": role, "content": [{ "type": "text", "text": text }] });
    let messages = [
        message("user", "<task>\nDo it.\n</task>".into()),
        message("assistant", "I do.".into()),
        message("user", snapshot("1 pm")),
        message("assistant", "I did.".into()),
        message("user", snapshot("2 pm")),
    ];
    let (texts, done) = superseded(&Conversation::parse(&json!(messages).to_string()).unwrap(), json!({}));
    assert_eq!((&*texts[2][0], &texts[4][0]), ("[Left out: newer environment details stand below]", &snapshot("2 pm")));
    assert_eq!(done, [("environment_snapshot".to_owned(), Grade::Superseded)]);
}

/// Formats of others have the system prompt in front of it.
#[test]
fn the_task_stays_whole_wherever_it_stands() {
    let details = |mode: &str| {
        format!("<environment_details>\n{}\nMode: {mode}\n</environment_details>", program(1, 9).join("\n"))
    };
    let asks = |text: String| json!({ "role": "user", "content": [{ "type": "text", "text": "Do it." }, { "type": "text", "text": text }] });
    let mut messages = vec![asks(details("first"))];
    for round in 0..9 {
        messages.push(json!({ "role": "assistant", "content": format!("Step {round}.") }));
        messages.push(asks(details("later")));
    }
    for in_front in [vec![], vec![json!({ "role": "system", "content": "Be careful." })]] {
        let task = in_front.len();
        let all = Conversation::parse(&Value::from([in_front, messages.clone()].concat()).to_string()).unwrap();
        let settled = condense(&all, json!({}));
        assert!(!settled.changes.is_empty());
        assert_eq!(texts(&settled.conversation)[task], texts(&all)[task]);
    }
}

#[test]
fn what_looks_like_a_marker_means_what_it_meant() {
    let hostile = [
        "[3 lines as below from \"let value_1 =\"]".to_owned(),
        "[The line above 7 more times]".to_owned(),
        "     1→[9 lines, every 10th numbered:]".to_owned(),
    ];
    let output = [program(1, 9), hostile.to_vec(), program(20, 9)].concat().join("\n");
    let conversation = history_of(&[
        run("cat docs", output.clone()),
        run("cat docs", output.clone()),
        run("ls", program(1, 9).join("\n")),
    ]);
    let settled = condense(&conversation, STRICT());
    assert_eq!(decoded(&settled.conversation), decoded(&conversation));
    let hostile_lines =
        texts(&settled.conversation)[2][0].lines().filter(|line| hostile.iter().any(|hostile| hostile == line)).count();
    assert_eq!(hostile_lines, 3);
    assert!(!settled.changes.is_empty());
}

#[test]
fn a_conversation_that_goes_on_can_be_condensed_again() {
    let file = program(1, 30);
    let config = STRICT();
    let mut steps = vec![
        read("/p/a.rs", numbered(&file, 1)),
        read("/p/a.rs", numbered(&file[5..], 6)),
        run("make", program(60, 9).join("\n")),
    ];
    let first = condense(&history_of(&steps), config.clone()).conversation;
    steps.extend([run("make", program(60, 9).join("\n")), read("/p/a.rs", numbered(&file, 1))]);
    let whole = history_of(&steps);
    let mut grown: Vec<Value> = serde_json::from_str(&serde_json::to_string(&first).unwrap()).unwrap();
    let all: Vec<Value> = serde_json::from_str(&serde_json::to_string(&whole).unwrap()).unwrap();
    grown.extend_from_slice(&all[grown.len()..]);
    let grown = Conversation::parse(&json!(grown).to_string()).unwrap();
    let settled = condense(&grown, config);
    assert!(!settled.changes.is_empty());
    assert_eq!(decoded(&settled.conversation), texts(&whole));
}

/// A reading that a later change made old begins with the line that a pointer quotes, between the pointer and what it stands for.
#[test]
fn within_a_target_what_stays_after_all_leads_no_pointer_astray() {
    const FIRST: &str = "        model_class_pk = instance._get_pk_val(model._meta)";
    let file = [
        FIRST,
        "        if not instance._state.adding and model_class_pk is not None:",
        "            queryset = queryset.exclude(pk=model_class_pk)",
    ];
    let file = file.join("\n");
    let other =
        ["            queryset = queryset.filter(*expressions)", FIRST, "        raise Other(it)", "        return it"];
    let history = history_of(&[
        run(
            "cat django/db/models/constraints.py",
            format!(
                "<returncode>0</returncode>\n</warning><output_head>\n            self.che\n</output_head>\n{file}"
            ),
        ),
        run("sed -n '345,390p' django/db/models/constraints.py", other.join("\n")),
        run("sed -n '390,415p' django/db/models/constraints.py", file),
        run(
            "sed -i '396s/raise/return/' django/db/models/constraints.py",
            "<returncode>0</returncode>\n<output>\n</output>".to_owned(),
        ),
        run("sed -n '133,160p' b.py", String::new()),
    ]);
    let before = texts(&history);
    let total = Tally::count(&history, Encoding::O200kBase, &Cancel::default()).unwrap().total();
    let mut pointers = 0;
    for target in total / 2..total {
        let request = Request { target_tokens: Some(target), ..request(&history) };
        let proposal = propose(&request, &json!({ "staleReads": "file" }));
        let settled = settle(&request, "lossless", &proposal).unwrap().conversation;
        if texts(&settled)[2][0].contains(" as below from ") {
            pointers += 1;
            assert_eq!(decoded(&settled)[2], before[2], "{target} of {total}");
        }
    }
    assert!(pointers > 0);
}

#[test]
fn hostile_sizes() {
    let file = numbered(&program(1, 60), 1);
    let reads: Vec<_> = (0..400).map(|_| read("/p/a.rs", file.clone())).collect();
    let line = "x".repeat(300_000);
    let blank = "\n".repeat(100_000);
    let many: Vec<_> = (0..30).map(|at| run("ls", format!("{}\n", at % 3).repeat(3_000))).collect();
    let markers: String =
        (1..5_000).map(|line| format!("[3 lines as below from \"line {}\"]\nline {line}\n", line % 70)).collect();
    let cases = [
        (reads, 50),
        (vec![run("cat x", line.clone()), run("cat x", line)], 2),
        (vec![run("cat x", blank.clone()), run("cat x", blank)], 100),
        (many, 50),
        (vec![run("cat x", markers.clone()), run("cat x", markers)], 1),
    ];
    for (steps, at_least) in cases {
        let conversation = history_of(&steps);
        let settled = condense(&conversation, STRICT());
        assert_eq!(decoded(&settled.conversation), decoded(&conversation));
        let length = |texts: Vec<Vec<String>>| texts.into_iter().flatten().map(|text| text.len()).sum::<usize>();
        let (before, after) = (length(texts(&conversation)), length(texts(&settled.conversation)));
        assert!(after * at_least <= before + 1000 * at_least, "{before} bytes became {after}");
    }
}

#[test]
fn markers_cannot_ask_for_more_memory_than_there_is() {
    let bomb =
        format!("{}\n[The line above 9999999 more times]\n[The line above 9999999 more times]", "x".repeat(100_000));
    let conversation = history_of(&[run("cat x", bomb.clone()), run("cat x", bomb)]);
    assert_eq!(decoded(&conversation), texts(&conversation));
    assert!(condense(&conversation, STRICT()).changes.is_empty());
}

#[test]
fn what_is_remembered_is_what_would_be_found() {
    let provider = roo_condense::create_provider("lossless", &json!({})).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let edits = |conversation: &Conversation, config: Value| {
        let request = super::support::request(conversation);
        let proposal = runtime.block_on(provider.propose(&request, &config)).unwrap();
        serde_json::to_string(&proposal.plan).unwrap()
    };
    let output = program(1, 9).join("\n");
    let one = history_of(&[run("make", output.clone()), run("make", output.clone())]);
    let other = history_of(&[run("make", output.clone()), run("make", program(50, 9).join("\n"))]);
    let forgetful = json!({ "maintainReferenceCache": false });
    let first = edits(&one, json!({}));
    assert_eq!([edits(&one, json!({})), edits(&one, forgetful.clone())], [first.clone(), first.clone()]);
    assert_ne!(edits(&other, json!({})), first);
    assert_eq!(edits(&other, json!({})), edits(&other, forgetful));
    assert_ne!(edits(&one, json!({ "keep": "first" })), first);
    assert_eq!(edits(&one, json!({})), first);
}

/// Messages of hosts in place of a file, or of the result of a change, are taken for neither.
#[test]
fn what_is_doubtful_replaces_nothing() {
    let old = program(1, 14);
    let cat = |answer: String| run("cat /p/a.rs", answer);
    let first = |count: usize, note: &str| format!("{}\n{note}", old[..count].join("\n"));
    let doubtful = [
        cat("Command timed out after 10 seconds".to_owned()),
        cat("cat: a.rs: Permission denied".to_owned()),
        cat(format!("{}\n\n[... omitted 8 of 14 lines ...]\n\n{}", old[..4].join("\n"), old[11..].join("\n"))),
        cat(first(4, "[output truncated]")),
        cat(first(5, "... (truncated) ...")),
        read("/p/a.rs", first(6, "[Truncated. 6 more lines]")),
        read("/p/a.rs", "File unchanged since last read. Look at the earlier answer.".to_owned()),
        (write("/p/a.rs", &program(60, 9)).0, json!("[Operation Cancelled] Reason: User did not allow tool call")),
        (write("/p/a.rs", &program(60, 9)).0, json!("EACCES: permission denied, open '/p/a.rs'")),
        run(
            &format!("cat > /p/a.rs <<'EOF'\n{}\nEOF", program(60, 9).join("\n")),
            "bash: /p/a.rs: Permission denied".to_owned(),
        ),
    ];
    for step in doubtful {
        let (texts, done) = superseded(&history_of(&[read("/p/a.rs", numbered(&old, 1)), step.clone()]), json!({}));
        assert!(done.iter().all(|(_, grade)| *grade == Grade::Inline), "{step:?}: {done:?}");
        assert!(!texts[2][0].starts_with("[Left out"), "{step:?}");
    }
    // The script behind it failed, not what was written.
    let heredoc = format!("cat > /p/a.py <<'EOF'\n{}\nEOF\npython3 /p/a.py", old.join("\n"));
    let failed = (
        json!({ "name": "Bash", "input": { "command": heredoc } }),
        json!([{ "type": "text", "text": "Traceback: NameError" }]),
    );
    let (texts, _) = superseded(&history_of(&[failed, edit("/p/a.py", &program(90, 1), &program(95, 1))]), json!({}));
    assert_eq!(texts[1][0], heredoc);
}

#[test]
fn a_relative_path_may_be_that_of_any_file() {
    let old = program(1, 12);
    for command in ["mv a.rs b.rs", "mv src lib", "cd sub && mv a.rs b.rs"] {
        let steps = [
            read("/p/src/a.rs", numbered(&old, 1)),
            run(command, String::new()),
            write("/p/src/a.rs", &program(60, 9)),
        ];
        assert_eq!(superseded(&history_of(&steps), json!({})).1, [], "{command}");
    }
    for command in ["git checkout HEAD~1 -- a.rs", "sed -i s/beta/alpha/ a.rs"] {
        let steps = [write("/p/a.rs", &old), write("/p/a.rs", &program(60, 9)), run(command, String::new())];
        assert_eq!(superseded(&history_of(&steps), json!({})).1, [], "{command}");
    }
    let shell = |directory: &str, lines: &[String]| {
        let input = json!({ "command": "cat a.rs", "dir_path": directory });
        (json!({ "name": "run_shell_command", "input": input }), json!(lines.join("\n")))
    };
    let steps = [shell("x", &old), shell("y", &program(60, 9))];
    assert_eq!(superseded(&history_of(&steps), json!({})).1, []);
    let patch = "*** Begin Patch\n*** Update File: /p/a.rs\n*** Move to: /p/b.rs\n@@\n-x\n+y\n*** End Patch";
    let patched = (json!({ "name": "apply_patch", "input": { "input": patch } }), json!("Success."));
    let steps = [read("/p/a.rs", numbered(&old, 1)), patched, write("/p/a.rs", &program(60, 9))];
    assert_eq!(superseded(&history_of(&steps), json!({})).1, []);
}
