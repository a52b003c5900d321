//! Files followed through conversations.

use std::{collections::BTreeMap, ops::Range};

use proptest::prelude::*;
use roo_condense::{
    conversation::Conversation,
    transcript::{Action, CallOutcome, Cause, Echo, EchoOf, Event, LineSource, Timeline, ToolTable, Transcript, read},
};
use serde_json::{Value, json};

fn line_of<'t>(transcript: &'t Transcript, event: &'t Event, echo: &Echo, line: usize) -> &'t str {
    match (echo.of, &event.action) {
        (EchoOf::Shown(excerpt), _) => transcript.line(&event.shown[excerpt], line),
        (EchoOf::Written, Action::Write(content)) => transcript.line(content, line),
        (EchoOf::Hits, Action::Search(hits)) => &transcript.texts[event.answers[0].text].text[hits[line].span.range()],
        _ => panic!("{echo:?} of {:?}", event.action),
    }
}

/// Every echo says the truth, and every known line can be read where it is said to stand.
fn assert_true(transcript: &Transcript, timeline: &Timeline) -> usize {
    let mut echoed = 0;
    for (index, event) in transcript.events.iter().enumerate() {
        let own = timeline.event(index).map_or(&[][..], |event| &event.echoes);
        for echo in own.iter().chain(timeline.hits(index)) {
            assert!(timeline.showing(echo.earlier).unwrap().event <= index);
            for (step, line) in echo.lines.clone().enumerate() {
                let earlier = LineSource { line: echo.earlier.line + step as u32, ..echo.earlier };
                let line = line_of(transcript, event, echo, line);
                assert_eq!(timeline.line(transcript, earlier), line);
                let place = timeline.place(transcript, earlier).unwrap();
                assert_eq!(transcript.text(&place), line);
                echoed += line.len() + 1;
            }
        }
    }
    for version in timeline.versions() {
        let mut next = 1;
        for run in &version.known {
            assert!(run.first >= next && run.count > 0);
            next = run.numbers().end;
            let last = LineSource { line: run.source.line + run.count - 1, ..run.source };
            assert!(run.source.showing == LineSource::COMPOSED || timeline.place(transcript, last).is_some());
        }
    }
    echoed
}

/// A conversation of native calls: tool, input, answer.
fn conversation(calls: &[(&str, Value, &str)]) -> Conversation {
    let messages = calls.iter().enumerate().flat_map(|(index, (tool, input, answer))| {
        let id = index.to_string();
        [
            json!({"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": tool, "input": input}]}),
            json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": answer}]}),
        ]
    });
    Conversation::parse(&Value::from_iter(messages).to_string()).unwrap()
}

/// For every version: what made it, its length, and its lines (`None` for those that are not known).
fn versions(conversation: &Conversation) -> Vec<(Cause, Option<u32>, Vec<Option<String>>)> {
    let transcript = read(conversation, &ToolTable::default());
    let timeline = Timeline::new(&transcript);
    assert_true(&transcript, &timeline);
    let lines = |version: &roo_condense::transcript::Version| {
        let mut lines = Vec::new();
        for run in &version.known {
            lines.resize(run.first as usize - 1, None);
            for step in 0..run.count {
                let source = LineSource { line: run.source.line + step, ..run.source };
                lines.push(Some(timeline.line(&transcript, source).to_owned()));
            }
        }
        lines
    };
    timeline.versions().iter().map(|version| (version.cause, version.total, lines(version))).collect()
}

fn known(lines: &[&str]) -> Vec<Option<String>> {
    lines.iter().map(|line| (*line != "?").then(|| (*line).to_owned())).collect()
}

const OK: &str = "The file /p/a.ts has been updated successfully.";

#[test]
fn reads_writes_and_edits_make_versions() {
    let conversation = conversation(&[
        ("Read", json!({"file_path": "/p/a.ts"}), "     1→one\n     2→two\n     3→three\n     4→four"),
        ("Edit", json!({"file_path": "/p/a.ts", "old_string": "two\nthree", "new_string": "2\n2.5\n3"}), OK),
        ("Read", json!({"file_path": "/p/a.ts", "offset": 2, "limit": 3}), "     2→2\n     3→2.5\n     4→3"),
        ("Edit", json!({"file_path": "/p/a.ts", "old_string": "our", "new_string": "ive"}), OK),
        ("Edit", json!({"file_path": "/p/a.ts", "old_string": "2\n", "new_string": ""}), OK),
        (
            "Edit",
            json!({"file_path": "/p/a.ts", "old_string": "x", "new_string": "y"}),
            "<tool_use_error>String to replace not found",
        ),
        ("Read", json!({"file_path": "/p/a.ts", "offset": 4, "limit": 1}), "     4→five"),
        ("Write", json!({"file_path": "/p/a.ts", "content": "new\n"}), OK),
        ("Read", json!({"file_path": "/p/a.ts"}), "     1→formatted"),
    ]);
    let expected = [
        (Cause::Found, Some(4), known(&["one", "two", "three", "four"])),
        (Cause::Edited, Some(5), known(&["one", "2", "2.5", "3", "four"])),
        (Cause::Edited, Some(5), known(&["one", "2", "2.5", "3", "five"])),
        // The first "2\n" is a whole line, and so is the end of no other.
        (Cause::Edited, Some(4), known(&["one", "2.5", "3", "five"])),
        (Cause::Written, Some(1), known(&["new"])),
        (Cause::ChangedOutside, Some(1), known(&["formatted"])),
    ];
    // "five" was made of parts, so the read of line 4 is the first place that shows it.
    assert_eq!(versions(&conversation)[..3], expected[..3]);
    assert_eq!(versions(&conversation)[3..], expected[3..]);
}

#[test]
fn edits_move_what_is_behind_them() {
    let edit = |old: &str, new: &str, everywhere: bool| {
        ("Edit", json!({"file_path": "/p/a.ts", "old_string": old, "new_string": new, "replace_all": everywhere}), OK)
    };
    let first = ("Read", json!({"file_path": "/p/a.ts"}), "     1→a a\n     2→b\n     3→a");
    let after =
        |edit: (&'static str, Value, &'static str)| versions(&conversation(&[first.clone(), edit])).pop().unwrap();
    assert_eq!(after(edit("a", "cc", true)), (Cause::Edited, Some(3), known(&["cc cc", "b", "cc"])));
    assert_eq!(after(edit("a", "x\ny", true)), (Cause::Edited, Some(6), known(&["x", "y x", "y", "b", "x", "y"])));
    // Two places, and no word which.
    assert_eq!(after(edit("a", "c", false)), (Cause::Edited, None, known(&[])));
    assert_eq!(after(edit("b", "", false)), (Cause::Edited, Some(2), known(&["a a", "a"])));
    assert_eq!(after(edit("b\na", "", false)), (Cause::Edited, Some(1), known(&["a a"])));
    assert_eq!(after(edit("b\n", "b\nc\n", false)), (Cause::Edited, Some(4), known(&["a a", "b", "c", "a"])));
    // All lines are known, and what is replaced is none of them: something is not as it seems.
    assert_eq!(after(edit("nowhere", "x", false)), (Cause::Edited, None, known(&[])));
    let part = ("Read", json!({"file_path": "/p/a.ts", "limit": 1}), "     1→a");
    let after =
        |edit: (&'static str, Value, &'static str)| versions(&conversation(&[part.clone(), edit])).pop().unwrap();
    assert_eq!(after(edit("below", "x", false)), (Cause::Edited, None, known(&["a"])));
    assert_eq!(after(edit("below", "x\ny", false)), (Cause::Edited, None, known(&[])));
}

#[test]
fn a_read_inside_a_read_is_an_echo() {
    let conversation = conversation(&[
        (
            "bash",
            json!({"command": "cat src/a.py"}),
            "<returncode>0</returncode>\n<output>\none\ntwo\nthree\n</output>",
        ),
        (
            "bash",
            json!({"command": "sed -n '2,3p' ./src/a.py"}),
            "<returncode>0</returncode>\n<output>\ntwo\nthree\n</output>",
        ),
        (
            "bash",
            json!({"command": "grep -n t src/a.py"}),
            "<returncode>0</returncode>\n<output>\n2:two\n3:three\n</output>",
        ),
        ("bash", json!({"command": "tail -n 1 src/a.py"}), "<returncode>0</returncode>\n<output>\nthree\n</output>"),
    ]);
    let transcript = read(&conversation, &ToolTable::default());
    let timeline = Timeline::new(&transcript);
    assert_eq!(assert_true(&transcript, &timeline), "two\nthree\n".len() * 2 + "three\n".len());
    let echo = &timeline.event(1).unwrap().echoes[0];
    assert_eq!((echo.lines.clone(), echo.number, timeline.showing(echo.earlier).unwrap().event), (0..2, 2, 0));
    let earlier = timeline.lines_place(&transcript, echo.earlier, echo.lines.len()).unwrap();
    assert_eq!(transcript.text(&earlier), "two\nthree");
    assert_eq!(timeline.showing(echo.earlier).unwrap().excerpt(&transcript).unwrap().first, 1);
    assert_eq!(timeline.lines_place(&transcript, echo.earlier, 3), None);
    assert_eq!(timeline.hits(2).len(), 1);
    let whole = transcript.events[0].answers[0].clone();
    assert!(timeline.is_visible(&transcript, 0, 1..2, &whole));
    assert!(!timeline.is_visible(&transcript, 0, 1..4, &whole), "the newest place of line 3 is another one");
}

#[test]
fn real_histories_are_followed() {
    let mut rates: BTreeMap<String, BTreeMap<&str, usize>> = BTreeMap::new();
    crate::real_histories::for_each_history("timeline", |name, conversation| {
        let transcript = read(conversation, &ToolTable::default());
        let timeline = Timeline::new(&transcript);
        let echoed = assert_true(&transcript, &timeline);
        let agent = name.split("--").next().unwrap_or_default().to_owned();
        let rates = rates.entry(agent).or_default();
        let mut count = |what: &'static str, by: usize| *rates.entry(what).or_default() += by;
        count("bytes echoed", echoed);
        count("bytes", transcript.texts.iter().map(|text| text.text.len()).sum());
        for (index, event) in transcript.events.iter().enumerate() {
            let Some(file) = timeline.event(index) else { continue };
            let after = &timeline.versions()[file.after];
            match (&event.action, file.before) {
                (Action::Read(_), Some(before)) => {
                    count("reads again", 1);
                    count("reads that contradict", usize::from(file.after != before));
                    if file.after != before && timeline.versions()[before].cause == Cause::Edited {
                        count("reads that contradict an edit", 1);
                    }
                    count("reads that echo", usize::from(!file.echoes.is_empty()));
                }
                (Action::Edit(_), Some(before)) if event.outcome == CallOutcome::Ok => {
                    let before = &timeline.versions()[before];
                    count("edits", 1);
                    count("edits without a place", usize::from(after.known.is_empty() && !before.known.is_empty()));
                }
                _ => {}
            }
        }
    });
    for (agent, rates) in &rates {
        println!("{agent:<10} {rates:?}");
        let of = |what: &str| rates.get(what).copied().unwrap_or_default();
        assert!(of("reads that contradict") * 3 < of("reads again") * 2 + 6, "{agent}");
    }
}

#[test]
fn a_missing_return_is_no_other_file() {
    let conversation = conversation(&[
        ("Read", json!({"file_path": "/a"}), "     1\tone\r\n     2\ttwo\r"),
        ("Read", json!({"file_path": "/a"}), "     1\tone\n     2\ttwo"),
    ]);
    assert_eq!(versions(&conversation), [(Cause::Found, Some(2), known(&["one", "two"]))]);
}

/// A file of few different lines, so that texts to replace stand in it several times.
fn any_lines(size: Range<usize>) -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(
        prop::sample::select(["a", "ab", "b a", "", "c", "é"].as_slice()).prop_map(str::to_owned),
        size,
    )
}

fn numbered(file: &str) -> String {
    let lines: Vec<_> = file.lines().enumerate().map(|(index, line)| format!("{:>6}\t{line}", index + 1)).collect();
    lines.join("\n")
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_conversation_is_survived(conversation in crate::near_misses::any_conversation()) {
        let transcript = read(&conversation, &ToolTable::default());
        assert_true(&transcript, &Timeline::new(&transcript));
    }

    /// Edits as Claude Code makes them: a file that was read and edited is what the timeline says it is.
    #[test]
    fn edits_do_what_the_tool_does(lines in any_lines(1..12), edits in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), any_lines(0..3), any::<bool>()), 1..6)) {
        let mut file = lines.join("\n") + "\n";
        let mut calls = vec![("Read".to_owned(), json!({"file_path": "/a"}), numbered(&file))];
        for (start, end, new, everywhere) in edits {
            let borders: Vec<usize> = (0..=file.len()).filter(|at| file.is_char_boundary(*at)).collect();
            let (start, end) = (borders[start.index(borders.len())], borders[end.index(borders.len())]);
            let (start, end) = (start.min(end), start.max(end));
            let mut old = file[start..end].to_owned();
            let new = new.join("\n");
            let matches = file.matches(&old).count();
            if old.is_empty() || old == new || (matches > 1 && !everywhere) {
                continue;
            }
            let input = json!({"file_path": "/a", "old_string": old, "new_string": new, "replace_all": everywhere});
            if new.is_empty() && !old.ends_with('\n') && file.contains(&format!("{old}\n")) {
                old.push('\n');
            }
            file = if everywhere { file.replace(&old, &new) } else { file.replacen(&old, &new, 1) };
            calls.push(("Edit".to_owned(), input, "updated".to_owned()));
        }
        calls.push(("Read".to_owned(), json!({"file_path": "/a"}), numbered(&file)));
        let calls: Vec<_> = calls.iter().map(|(tool, input, answer)| (tool.as_str(), input.clone(), answer.as_str())).collect();
        let conversation = conversation(&calls);
        let transcript = read(&conversation, &ToolTable::default());
        let timeline = Timeline::new(&transcript);
        assert_true(&transcript, &timeline);
        let last = timeline.event(transcript.events.len() - 1);
        // The last read may be of an empty file.
        if let Some(last) = last && !file.trim().is_empty() {
            let before = &timeline.versions()[last.before.unwrap_or(last.after)];
            let followed = timeline.versions()[last.after].cause != Cause::ChangedOutside;
            prop_assert!(followed, "{file:?} {calls:#?} {before:?}");
        }
    }
}
