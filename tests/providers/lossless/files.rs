//! Random sessions with the files beside them: whatever stood in a file when it was last seen, and was shown, can still be read.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use proptest::prelude::*;
use roo_condense::{Conversation, decode};
use serde_json::{Value, json, value::RawValue};

use super::support::{condense, history_of};
use crate::common::{
    cases::cases,
    checks::export,
    real_histories::{Share, for_each_history},
};

/// How an agent reads, changes and moves files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dialect {
    /// `Read`, `Edit`, `Write`, `Bash`.
    ClaudeCode,
    /// `read_file`, `apply_diff`, `write_to_file`, `execute_command`.
    Roo,
    /// `str_replace_editor`, `bash`.
    Editor,
    /// `bash` alone, which begins in the project's directory each time.
    Shell,
}

/// A step of the session. Numbers choose a file, lines of it, and their new texts.
#[derive(Debug, Clone)]
enum Step {
    ReadWhole(usize),
    ReadPart(usize, usize, usize),
    Edit(usize, usize, usize, Vec<usize>),
    EditPart(usize, usize),
    Everywhere(usize, usize, usize),
    Write(usize, Vec<usize>),
    Move(usize, bool),
    /// A command that says nothing of what it does.
    OutOfSight(usize, Vec<(usize, usize)>, usize),
    TakeBack(usize),
    Look(usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let lines = || prop::collection::vec(0_usize..60, 0..24);
    let step = prop_oneof![
        4 => (0_usize..3).prop_map(Step::ReadWhole),
        4 => (0_usize..3, 0_usize..40, 1_usize..20).prop_map(|(file, first, count)| Step::ReadPart(file, first, count)),
        6 => (0_usize..3, 0_usize..40, 0_usize..6, prop::collection::vec(0_usize..60, 0..5)).prop_map(|(file, first, count, new)| Step::Edit(file, first, count, new)),
        1 => (0_usize..3, 0_usize..40).prop_map(|(file, line)| Step::EditPart(file, line)),
        1 => (0_usize..3, 0_usize..40, 0_usize..60).prop_map(|(file, line, new)| Step::Everywhere(file, line, new)),
        2 => (0_usize..3, lines()).prop_map(|(file, lines)| Step::Write(file, lines)),
        1 => (0_usize..3, any::<bool>()).prop_map(|(file, plain)| Step::Move(file, plain)),
        2 => (0_usize..3, prop::collection::vec((0_usize..40, 0_usize..60), 0..6), 0_usize..6).prop_map(|(file, changes, how)| Step::OutOfSight(file, changes, how)),
        1 => (0_usize..3).prop_map(Step::TakeBack),
        1 => (0_usize..3).prop_map(Step::Look),
    ];
    prop::collection::vec(step, 3..28)
}

/// Few lines, so that the same stand in several places; some short, some long.
fn line(number: usize) -> String {
    match number % 10 {
        0 => String::new(),
        1 => "}".to_owned(),
        2 => format!("    case {}:", number % 4),
        3..=5 => format!("    const value_{number} = compute(input, {number});"),
        _ => format!(
            "    return await service_{number}.request({number}, {{ retries: 3, verbose: true, name: \"a rather long one\" }});"
        ),
    }
}

/// A line of a file at its place: another one that says the same is another line.
#[derive(Clone)]
struct Line {
    id: usize,
    text: String,
}

/// A file, and what whoever reads the conversation has seen of it.
#[derive(Default, Clone)]
struct File {
    lines: Vec<Line>,
    first: Vec<Line>,
    /// Shown, and in the file as far as was seen.
    known: BTreeMap<usize, String>,
    /// Shown since the whole file was.
    ever: BTreeMap<usize, String>,
}

impl File {
    fn text(&self, range: Range<usize>) -> Vec<String> {
        self.lines[range].iter().map(|line| line.text.clone()).collect()
    }

    fn show(&mut self, range: Range<usize>) {
        for line in &self.lines[range] {
            self.known.insert(line.id, line.text.clone());
            self.ever.insert(line.id, line.text.clone());
        }
    }

    fn show_whole(&mut self) {
        (self.known, self.ever) = (BTreeMap::new(), BTreeMap::new());
        self.show(0..self.lines.len());
    }

    /// The conversation shows that these lines became others.
    fn exchange(&mut self, range: Range<usize>, new: Vec<Line>) {
        let shown = range.start..range.start + new.len();
        for old in self.lines.splice(range, new) {
            self.known.remove(&old.id);
        }
        self.show(shown);
    }

    /// Changes the lines without showing them. Lines that were shown earlier may be back.
    fn change_out_of_sight(&mut self, lines: Vec<Line>) {
        self.lines = lines;
        for line in &self.lines {
            if let Some(text) = self.ever.get(&line.id) {
                self.known.insert(line.id, text.clone());
            }
        }
    }
}

struct Session {
    dialect: Dialect,
    files: Vec<File>,
    names: Vec<String>,
    steps: Vec<(Value, Value)>,
    moved: usize,
    ids: usize,
}

impl Session {
    fn new(dialect: Dialect) -> Self {
        let names = ["/p/src/a.ts", "/other/src/a.ts", "/p/b.ts"].map(str::to_owned).to_vec();
        let mut session = Self { dialect, files: Vec::new(), names, steps: Vec::new(), moved: 0, ids: 0 };
        for seed in 0..3 {
            let lines: Vec<Line> = (0..20 + 9 * seed).map(|at| session.line(line(at * (seed + 3) + seed))).collect();
            session.files.push(File { first: lines.clone(), lines, ..File::default() });
        }
        session
    }

    fn line(&mut self, text: String) -> Line {
        self.ids += 1;
        Line { id: self.ids, text }
    }

    fn lines(&mut self, numbers: &[usize]) -> Vec<Line> {
        numbers.iter().map(|number| self.line(line(*number))).collect()
    }

    fn call(&mut self, name: &str, input: Value, answer: impl Into<String>) {
        self.steps.push((json!({ "name": name, "input": input }), json!(answer.into())));
    }

    fn run(&mut self, command: &str, answer: &str) {
        match self.dialect {
            Dialect::ClaudeCode => self.call("Bash", json!({ "command": command }), answer),
            Dialect::Roo => {
                let answer = format!(
                    "Command executed in terminal within working directory '/p'. Exit code: 0\nOutput:\n{answer}"
                );
                self.call("execute_command", json!({ "command": command }), answer);
            }
            Dialect::Editor => self.call("bash", json!({ "command": command }), answer),
            Dialect::Shell => {
                let answer = format!("<returncode>0</returncode>\n<output>\n{answer}</output>");
                self.call("bash", json!({ "command": command }), answer);
            }
        }
    }

    fn read(&mut self, file: usize, first: usize, lines: &[String], whole: bool) {
        let path = self.names[file].clone();
        let numbered = |separator: &str| {
            lines
                .iter()
                .enumerate()
                .map(|(index, line)| format!("{:>6}{separator}{line}", first + 1 + index))
                .collect::<Vec<_>>()
                .join("\n")
        };
        match self.dialect {
            Dialect::ClaudeCode => {
                let range = json!({ "file_path": path, "offset": first + 1, "limit": lines.len() });
                let input = if whole { json!({ "file_path": path }) } else { range };
                self.call("Read", input, numbered("→"));
            }
            Dialect::Roo => {
                let range = json!({ "path": path, "offset": first + 1, "limit": lines.len() });
                let input = if whole { json!({ "path": path }) } else { range };
                self.call("read_file", input, format!("File: {path}\n{}", numbered(" | ")));
            }
            Dialect::Editor => {
                let range = json!({ "command": "view", "path": path, "view_range": [first + 1, first + lines.len()] });
                let input = if whole { json!({ "command": "view", "path": path }) } else { range };
                self.call(
                    "str_replace_editor",
                    input,
                    format!("Here's the result of running `cat -n` on {path}:\n{}\n", numbered("\t")),
                );
            }
            Dialect::Shell => {
                let command = if whole {
                    format!("cat {path}")
                } else {
                    format!("sed -n '{},{}p' {path}", first + 1, first + lines.len())
                };
                self.run(&command, &lines.iter().map(|line| format!("{line}\n")).collect::<String>());
            }
        }
    }

    /// Exchanges lines, where the tool can: most want what they exchange to stand there once.
    fn edit(&mut self, file: usize, first: usize, old: &[String], new: &[String], everywhere: bool) -> bool {
        let path = self.names[file].clone();
        let whole = self.files[file].text(0..self.files[file].lines.len());
        let places = whole.join("\n").matches(&old.join("\n")).count();
        if old.is_empty() || (old.join("").is_empty()) || (places > 1 && !everywhere && self.dialect != Dialect::Roo) {
            return false;
        }
        let (old_text, new_text) = (old.join("\n"), new.join("\n"));
        match self.dialect {
            Dialect::ClaudeCode => {
                let input = json!({ "file_path": &path, "old_string": old_text, "new_string": new_text, "replace_all": everywhere });
                self.call("Edit", input, format!("The file {path} has been updated successfully."));
            }
            _ if everywhere => return false,
            Dialect::Roo => {
                let diff = format!(
                    "<<<<<<< SEARCH\n:start_line:{}\n-------\n{old_text}\n=======\n{new_text}\n>>>>>>> REPLACE",
                    first + 1
                );
                self.call(
                    "apply_diff",
                    json!({ "path": path, "diff": diff }),
                    json!({ "path": path, "operation": "modified" }).to_string(),
                );
            }
            Dialect::Editor => {
                let input = json!({ "command": "str_replace", "path": path, "old_str": old_text, "new_str": new_text });
                self.call("str_replace_editor", input, format!("The file {path} has been edited successfully."));
            }
            Dialect::Shell => return false,
        }
        true
    }

    fn write(&mut self, file: usize, lines: &[usize]) {
        let lines = self.lines(lines);
        let content = lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join("\n");
        let path = self.names[file].clone();
        match self.dialect {
            Dialect::ClaudeCode => {
                let input = json!({ "file_path": path, "content": content });
                self.call("Write", input, format!("File created successfully at: {path}"));
            }
            Dialect::Roo => {
                let input = json!({ "path": path, "content": content });
                self.call("write_to_file", input, json!({ "path": path, "operation": "created" }).to_string());
            }
            Dialect::Editor => {
                let input = json!({ "command": "create", "path": path, "file_text": content });
                self.call("str_replace_editor", input, format!("File created successfully at: {path}"));
            }
            Dialect::Shell => self.run(&format!("cat > {path} <<'EOF'\n{content}\nEOF"), ""),
        }
        // Undoing the change may bring back the former lines.
        self.files[file].lines = lines;
        self.files[file].known.clear();
        let length = self.files[file].lines.len();
        self.files[file].show(0..length);
    }

    fn change_out_of_sight(&mut self, file: usize, changes: &[(usize, usize)], how: usize) {
        let path = self.names[file].clone();
        let command = match how {
            0 => format!("sed -i 's/a/b/' {path}"),
            1 => "npm run format".to_owned(),
            2 => format!("python3 fix.py {path} > /tmp/log"),
            3 => "cd /p && make".to_owned(),
            4 => format!("cat {path} | tee {path}"),
            _ => "git stash pop".to_owned(),
        };
        self.run(&command, "");
        let mut lines = self.files[file].lines.clone();
        for (at, new) in changes {
            let line = self.line(line(*new));
            if *at < lines.len() {
                match new % 3 {
                    0 => lines[*at] = line,
                    1 => lines.insert(*at, line),
                    _ => drop(lines.remove(*at)),
                }
            }
        }
        self.files[file].change_out_of_sight(lines);
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::ReadWhole(file) => {
                let lines = self.files[*file].text(0..self.files[*file].lines.len());
                if !lines.is_empty() {
                    self.read(*file, 0, &lines, true);
                    self.files[*file].show_whole();
                }
            }
            Step::ReadPart(file, first, count) => {
                let length = self.files[*file].lines.len();
                let range = (*first).min(length)..(first + count).min(length);
                if !range.is_empty() {
                    let lines = self.files[*file].text(range.clone());
                    self.read(*file, *first, &lines, false);
                    self.files[*file].show(range);
                }
            }
            Step::Edit(file, first, count, new) => {
                let length = self.files[*file].lines.len();
                let range = (*first).min(length)..(first + count).min(length);
                let old = self.files[*file].text(range.clone());
                let mut new = self.lines(new);
                if new.is_empty() && self.dialect != Dialect::Roo {
                    // Without a text, what stood there leaves an empty line.
                    new.push(self.line(String::new()));
                }
                let texts: Vec<String> = new.iter().map(|line| line.text.clone()).collect();
                if self.edit(*file, range.start, &old, &texts, false) {
                    self.files[*file].exchange(range, new);
                }
            }
            Step::EditPart(file, at) => {
                let Some(old) = self.files[*file].lines.get(*at).cloned().filter(|old| old.text.len() > 30) else {
                    return;
                };
                let (part, new) = (old.text[8..30].to_owned(), format!("changed_{at}"));
                if self.dialect != Dialect::Roo
                    && self.edit(*file, *at, std::slice::from_ref(&part), std::slice::from_ref(&new), false)
                {
                    // A reader who has the old line and the edit can infer the new one, which was shown nowhere: it
                    // is still the same line.
                    self.files[*file].lines[*at].text = old.text.replacen(&part, &new, 1);
                }
            }
            Step::Everywhere(file, at, new) => {
                let Some(old) = self.files[*file].lines.get(*at).cloned().filter(|old| old.text.len() > 8) else {
                    return;
                };
                let new = line(*new);
                if self.edit(*file, *at, std::slice::from_ref(&old.text), std::slice::from_ref(&new), true) {
                    for at in 0..self.files[*file].lines.len() {
                        let is = &mut self.files[*file].lines[at].text;
                        if *is == old.text {
                            let new = self.line(new.clone());
                            self.files[*file].exchange(at..at + 1, vec![new]);
                        } else {
                            *is = is.replace(&old.text, &new);
                        }
                    }
                }
            }
            Step::Write(file, lines) => self.write(*file, lines),
            Step::Move(file, plain) => {
                // The file has another name, under which it is known from now on; under the old one stands another file.
                let (from, to) = (self.names[*file].clone(), format!("/p/moved/{}.ts", self.moved));
                self.moved += 1;
                let command = if *plain { format!("mv {from} {to}") } else { format!("git mv {from} {to} && ls") };
                self.run(&command, "");
                let moved = std::mem::take(&mut self.files[*file]);
                self.files.push(moved);
                self.names.push(to);
                self.files[*file].lines = self.lines(&[13, 14]);
            }
            Step::OutOfSight(file, changes, how) => self.change_out_of_sight(*file, changes, *how),
            Step::TakeBack(file) => {
                self.run(&format!("git checkout -- {}", self.names[*file]), "");
                let first = self.files[*file].first.clone();
                self.files[*file].change_out_of_sight(first);
            }
            Step::Look(file) => self.run(&format!("git status && ls -la {} | head -5", self.names[*file]), "clean"),
        }
    }
}

/// The lines of every text but those that say what an edit takes away.
fn readable(conversation: &Conversation) -> BTreeSet<String> {
    let mut lines = BTreeSet::new();
    for (message, texts) in conversation.messages().zip(decode(conversation)) {
        for (at, text) in message.texts().iter().zip(texts) {
            let path = format!("{:?}", at.path);
            if path.contains("old_str") {
                continue;
            }
            let text = match (path.contains("\"diff\""), text.split_once("\n=======\n")) {
                (true, Some((_, new))) => new.to_owned(),
                _ => text,
            };
            for line in text.split('\n') {
                let number = line.trim_start_matches(' ').trim_start_matches(|c: char| c.is_ascii_digit());
                let content = ["→", "\t", " | "].iter().find_map(|separator| number.strip_prefix(separator));
                lines.extend(content.map(str::to_owned));
                lines.insert(line.to_owned());
            }
        }
    }
    lines
}

fn check(dialect: Dialect, steps: &[Step], config: &Value) {
    let mut session = Session::new(dialect);
    steps.iter().for_each(|step| session.step(step));
    let before = history_of(&session.steps);
    let was = readable(&before);
    let after = condense(&before, config.clone());
    let is = readable(&after.conversation);
    let mut lost: BTreeMap<&str, Vec<&String>> = BTreeMap::new();
    for (file, name) in session.files.iter().zip(&session.names) {
        let gone: Vec<&String> =
            file.known.values().filter(|line| was.contains(*line) && !is.contains(*line)).collect();
        if !gone.is_empty() {
            lost.insert(name, gone);
        }
    }
    assert!(lost.is_empty(), "{dialect:?} with {config} lost {lost:#?}");
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn what_a_file_was_when_it_was_last_seen_can_be_read(
        steps in steps(),
        dialect in prop::sample::select(vec![Dialect::ClaudeCode, Dialect::Roo, Dialect::Editor, Dialect::Shell]),
        keep in prop::sample::select(vec!["last", "first"]),
        min in prop::sample::select(vec![1, 24]),
    ) {
        let config = json!({ "keep": keep, "minTokensSaved": min, "preserveRecentCount": 0, "overwrittenWrites": true });
        check(dialect, &steps, &config);
    }
}

/// Returns the texts that the edits of a call replace.
fn exchanged(input: &Value) -> Vec<String> {
    let own = ["old_string", "old_str", "search"].iter().filter_map(|key| input[key].as_str());
    let listed = input["edits"].as_array().into_iter().flatten().filter_map(|edit| edit["old_string"].as_str());
    own.chain(listed).map(str::to_owned).collect()
}

/// The texts without the numbers of lines.
fn passages(conversation: &Conversation) -> Vec<String> {
    let content = |line: &str| {
        let number = line.trim_start_matches(' ').trim_start_matches(|c: char| c.is_ascii_digit());
        let content = ["→", "\t", " | "].iter().find_map(|separator| number.strip_prefix(separator));
        content.unwrap_or(line).to_owned()
    };
    let texts = decode(conversation).into_iter().flatten();
    texts.map(|text| text.split('\n').map(content).collect::<Vec<_>>().join("\n")).collect()
}

/// Condensed where it stood then, each recorded history still shows every passage that is edited afterwards and was shown before.
#[test]
fn what_is_edited_next_can_be_read_in_recorded_histories() {
    let mut passages_found = 0;
    for_each_history("what is edited next", Share::All, |name, conversation| {
        let json = export(conversation);
        let messages: Vec<&RawValue> = serde_json::from_str(&json).unwrap();
        for part in [2, 3] {
            let cut = messages.len() * part / 4;
            let first: Vec<&str> = messages[..cut].iter().map(|message| message.get()).collect();
            let before = Conversation::parse(&format!("[{}]", first.join(","))).unwrap();
            let after = condense(&before, json!({})).conversation;
            let (was, is) = (passages(&before), passages(&after));
            // Half of a character, which some histories hold, is nothing that serde reads.
            let later = messages[cut..].iter().filter_map(|message| serde_json::from_str::<Value>(message.get()).ok());
            let later: Vec<Value> =
                later.flat_map(|message| message["content"].as_array().cloned().unwrap_or_default()).collect();
            for old in later.iter().flat_map(|block| exchanged(&block["input"])).filter(|old| !old.trim().is_empty()) {
                if was.iter().any(|text| text.contains(&old)) {
                    passages_found += 1;
                    assert!(is.iter().any(|text| text.contains(&old)), "{name} at {part}/4 shows no more: {old}");
                }
            }
        }
    });
    assert!(passages_found > 0);
}
