//! Rules by which the caller protects content, and the content that they pin. It stays word for word through every
//! provider, whatever the target.

use std::collections::{BTreeSet, HashMap};

use memchr::memmem::Finder;
use serde_json::Value;

use crate::{
    conversation::{Block, ContentKind, Conversation, Message, Pins, TextAt, answered},
    options::{Converted, Options, Table, Typed, list, object, options, some_text, whole},
    restore::{Decoder, RowKind, message_holds_pointers},
    transcript::{
        self, CallOutcome, Event, PathPattern, PieceSource, TOOLS, ToolRows, ToolRules, ToolTable, Transcript,
        decompose, is_named,
    },
    warning::{Warning, WarningCode},
    words::said,
};

/// The option `protect` of managers, calls and providers.
pub(crate) const PROTECT: Typed<ProtectRules> = object().read_as().or_default().typed_as("ConfiguredProtect").about(
    "Rules for blocks that stay word for word, whatever the target, with the calls of results and the results of calls.\n\nIt adds to what the call and the manager protect. Default: nothing.",
);

/// The option `frozenMessages` of managers, calls and providers.
pub(crate) const FROZEN_MESSAGES: Typed<Option<usize>> = whole(0, u64::MAX).if_set().about(
    "The number of messages at the beginning of the conversation of the call that stay as they are, with nothing put between them, whatever the target: the prompt cache holds up to there. Default: 0.\n\nThe largest of manager, call and configuration wins.",
);

const TEXTS: Typed<Vec<String>> = list(&some_text(), "an array of strings that are not empty").or_default();

options! {
    /// Rules as hosts write them.
    pub struct Rules: Table::titled("protect").shared().interface(
        "ConfiguredProtect",
        "Content to keep word for word in every provider, even if the target is missed: blocks that match any of the rules, with the calls of results and the results of calls. The result reports a missed target, and rules that match nothing (warning `protect_unmatched`).",
    );

    /// Calls of these tools and what they answered: names or globs (* for any characters, ? for one).
    tools: Vec<String> = TEXTS,
    /// Calls about these files and what they answered: paths or globs (* for any characters, **/ for any folders or none), from any folder on; a folder
    /// stands for all that is in it.
    ///
    /// Spellings of the same path are equal: `\` or `/`, `./`, `C:` or `c:` (`/c/`, `/mnt/c/`), accents as macOS or others write them; on Windows drives,
    /// upper and lower case.
    paths: Vec<String> = TEXTS,
    /// Messages, by their index in the conversation of the call.
    messages: Vec<usize> = list(&whole(0, u64::MAX), "an array of indices of messages, from 0").or_default(),
    /// Blocks of any type in which one of these texts stands.
    ///
    /// Words, call parameters (including their names and numbers), results, documents and search results with their titles, thinking. Thinking that the model
    /// would refuse after a change is removed all the same.
    text: Vec<String> = TEXTS,
}

options! {
    /// The options of any configuration that say what stays.
    struct Protection: Table::titled("protect").open();

    protect: ProtectRules = PROTECT,
    frozen_messages: Option<usize> = FROZEN_MESSAGES,
    tools: ToolRows = TOOLS,
}

/// The rules of protection.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProtectRules {
    tools: BTreeSet<String>,
    paths: BTreeSet<String>,
    messages: BTreeSet<usize>,
    text: BTreeSet<String>,
    /// Tool rules, of which those that keep calls count here.
    calls: ToolRules,
    /// Number of frozen messages at the beginning.
    frozen: usize,
}

impl Converted for ProtectRules {
    type From = Rules;

    fn convert(rules: Rules) -> Self {
        let Rules { tools, paths, messages, text } = rules;
        let [tools, paths, text] = [tools, paths, text].map(BTreeSet::from_iter);
        Self { tools, paths, messages: messages.into_iter().collect(), text, ..Self::default() }
    }
}

impl ProtectRules {
    /// Reads the options [`PROTECT`] and [`FROZEN_MESSAGES`] from checked settings.
    pub fn with_frozen(self, frozen: Option<usize>) -> Self {
        Self { frozen: frozen.unwrap_or(0), ..self }
    }

    /// Adds tool rules, so that the calls they keep are pinned.
    pub fn with_calls(mut self, rows: &ToolRows) -> Self {
        self.calls.extend(rows.rules());
        self
    }

    /// Returns the rules with other message indices: `messages` maps each index, and `frozen` the number of frozen
    /// messages.
    pub fn moved(mut self, messages: impl Fn(usize) -> Vec<usize>, frozen: impl Fn(usize) -> usize) -> Self {
        self.messages = self.messages.into_iter().flat_map(messages).collect();
        self.frozen = frozen(self.frozen);
        self
    }

    /// Adds protected messages.
    pub fn with_messages(mut self, messages: impl Iterator<Item = usize>) -> Self {
        self.messages.extend(messages);
        self
    }

    /// Reads the rules in a checked configuration.
    pub fn in_config(config: &Value) -> Self {
        let rules = |read: Protection| read.protect.with_frozen(read.frozen_messages).with_calls(&read.tools);
        Protection::read(config).map(rules).unwrap_or_default()
    }

    /// Returns true if nothing is protected.
    pub fn is_empty(&self) -> bool {
        let Self { tools, paths, messages, text, calls, frozen } = self;
        let has_names = !(tools.is_empty() && paths.is_empty() && messages.is_empty() && text.is_empty());
        !has_names && *frozen == 0 && !calls.iter().any(|(_, rule)| rule.keeps())
    }

    /// Returns the union of both sets of rules.
    pub fn with(mut self, other: Self) -> Self {
        self.tools.extend(other.tools);
        self.paths.extend(other.paths);
        self.messages.extend(other.messages);
        self.text.extend(other.text);
        self.calls.extend(&other.calls);
        self.frozen = self.frozen.max(other.frozen);
        self
    }

    /// Returns the conversation with everything protected pinned.
    pub fn pin(&self, conversation: &Conversation, tools: &ToolTable) -> Conversation {
        self.pin_telling(conversation, tools).0
    }

    /// Returns the conversation with everything protected pinned, and warnings about rules that match nothing in it:
    /// one per kind of rule.
    pub fn pin_telling(&self, conversation: &Conversation, tools: &ToolTable) -> (Conversation, Vec<Warning>) {
        if self.is_empty() {
            return (conversation.clone(), Vec::new());
        }
        let conversation = &conversation.with_frozen(self.frozen);
        let mut blocks: Vec<Vec<bool>> =
            conversation.messages().map(|message| vec![false; message.content.blocks().len().max(1)]).collect();
        let mut used = Used::default();
        self.pin_messages(conversation, &mut blocks, &mut used);
        blocks[..conversation.frozen()].iter_mut().for_each(|blocks| blocks.fill(true));
        self.pin_texts(conversation, &mut blocks, &mut used);
        self.pin_calls(conversation, tools, &mut blocks, &mut used);
        // Blocks pinned along with others may contain pointers too.
        loop {
            pin_headers(conversation, tools, &mut blocks);
            pin_counterparts(conversation, &mut blocks);
            if !pin_targets(conversation, &mut blocks) {
                break;
            }
        }
        (conversation.with_pins(|message| Pins::new(&blocks[message])), self.warnings(&used))
    }

    fn pin_messages(&self, conversation: &Conversation, blocks: &mut [Vec<bool>], used: &mut Used<'_>) {
        for (entry, blocks) in conversation.entries().iter().zip(blocks) {
            if let Some(origin) = entry.origin.filter(|origin| self.messages.contains(origin)) {
                blocks.fill(true);
                used.messages.insert(origin);
            }
        }
    }

    fn pin_texts<'a>(&'a self, conversation: &Conversation, blocks: &mut [Vec<bool>], used: &mut Used<'a>) {
        if self.text.is_empty() {
            return;
        }
        let finders: Vec<(&str, Finder<'_>)> = self.text.iter().map(|text| (&**text, Finder::new(text))).collect();
        for (message, blocks) in conversation.messages().zip(blocks) {
            for (block, text) in message.searchable() {
                for (wanted, finder) in &finders {
                    if (!blocks[block] || !used.text.contains(wanted)) && finder.find(text.as_bytes()).is_some() {
                        blocks[block] = true;
                        used.text.insert(wanted);
                    }
                }
            }
        }
    }

    /// Pins the calls, in blocks or in text, that match rules about tools or files.
    fn pin_calls<'a>(
        &'a self,
        conversation: &Conversation,
        tools: &ToolTable,
        blocks: &mut [Vec<bool>],
        used: &mut Used<'a>,
    ) {
        let has_rules = self.calls.iter().any(|(_, rule)| rule.keeps());
        if self.tools.is_empty() && self.paths.is_empty() && !has_rules {
            return;
        }
        for (message, blocks) in conversation.messages().zip(blocks.iter_mut()) {
            for (block, pinned) in message.content.blocks().iter().zip(blocks) {
                *pinned |= matches!(block, Block::ToolUse { name, .. } if self.has_tool(name, used));
            }
        }
        let transcript = transcript::read(conversation, tools);
        let directory = transcript.working_directory.as_deref();
        let patterns: Vec<(&str, PathPattern)> =
            self.paths.iter().map(|path| (&**path, PathPattern::new(path, directory))).collect();
        // Many events concern the same file.
        let mut known: HashMap<&str, bool> = HashMap::new();
        for event in &transcript.events {
            let has_tool = !event.tool.is_empty() && self.has_tool(&event.tool, used);
            let has_path = event.path.as_deref().is_some_and(|path| {
                *known.entry(path).or_insert_with(|| {
                    let naming = patterns.iter().filter(|(_, pattern)| pattern.names(path));
                    naming.map(|(wanted, _)| used.paths.insert(wanted)).count() > 0
                })
            });
            if has_tool || has_path {
                pin_event(event, &transcript, blocks);
            }
        }
        if has_rules {
            self.pin_by_rules(&transcript, blocks);
        }
    }

    /// Pins the calls that tool rules keep: the newest ones, failed ones, or all.
    fn pin_by_rules(&self, transcript: &Transcript<'_>, blocks: &mut [Vec<bool>]) {
        // A call about several files makes one event per file; here, events in one block are one call.
        let mut calls: HashMap<&str, BTreeSet<(usize, usize)>> = HashMap::new();
        for event in transcript.events.iter().rev() {
            let Some((name, rule)) = self.calls.of_tool(&event.tool) else { continue };
            let Some(call) = &event.call else { continue };
            let newest = calls.entry(name).or_default();
            newest.insert((call.message, call.block));
            let failed = event.outcome == CallOutcome::Failed || event.exit_code.is_some_and(|code| code != 0);
            let is_new = rule.keep.is_some_and(|keep| newest.len() <= keep);
            if rule.protect || is_new || (rule.keep_errors && failed) {
                pin_event(event, transcript, blocks);
            }
        }
    }

    fn has_tool<'a>(&'a self, name: &str, used: &mut Used<'a>) -> bool {
        let naming = self.tools.iter().filter(|tool| is_named(tool, name));
        naming.map(|tool| used.tools.insert(tool)).count() > 0
    }

    /// Returns a warning for each kind of rules of which some match nothing.
    fn warnings(&self, used: &Used<'_>) -> Vec<Warning> {
        let unused = |all: &BTreeSet<String>, used: &BTreeSet<&str>| -> Vec<String> {
            all.iter().filter(|rule| !used.contains(&***rule)).map(|rule| quoted(rule)).collect()
        };
        let messages = self.messages.difference(&used.messages).map(ToString::to_string).collect();
        let kinds = [
            ("tools", unused(&self.tools, &used.tools)),
            ("paths", unused(&self.paths, &used.paths)),
            ("messages", messages),
            ("text", unused(&self.text, &used.text)),
        ];
        let kinds = kinds.into_iter().filter(|(_, unused)| !unused.is_empty());
        kinds.map(|(kind, unused)| warning(kind, &unused)).collect()
    }
}

/// The rules that matched something.
#[derive(Default)]
struct Used<'a> {
    tools: BTreeSet<&'a str>,
    paths: BTreeSet<&'a str>,
    messages: BTreeSet<usize>,
    text: BTreeSet<&'a str>,
}

/// Maximum number of rules named; the others are counted.
const MAX_NAMED: usize = 5;
/// Maximum characters of a rule.
const MAX_QUOTED: usize = 80;

fn quoted(rule: &str) -> String {
    let cut = rule.char_indices().nth(MAX_QUOTED).map_or(rule.len(), |(at, _)| at);
    let end = if cut < rule.len() { "…" } else { "" };
    Value::String(format!("{}{end}", &rule[..cut])).to_string()
}

fn warning(kind: &str, unused: &[String]) -> Warning {
    let named = unused[..unused.len().min(MAX_NAMED)].join(", ");
    let field = format!("protect.{kind}");
    let said = match unused.len().saturating_sub(MAX_NAMED) {
        0 => said!("warning.protectUnmatched", field: field.as_str(), named: named, count: unused.len()),
        more => said!("warning.protectUnmatchedMore", field: field.as_str(), named: named, more: more),
    };
    Warning::new(WarningCode::ProtectUnmatched, said).about(field)
}

/// Pins the targets of pointers in pinned blocks, because those pointers cannot be redirected. Returns true if that
/// pinned anything new.
fn pin_targets(conversation: &Conversation, blocks: &mut [Vec<bool>]) -> bool {
    let holds = |(message, blocks): (&Message, &Vec<bool>)| blocks.contains(&true) && message_holds_pointers(message);
    if !conversation.messages().zip(&*blocks).any(holds) {
        return false;
    }
    let texts: Vec<(usize, TextAt<'_>)> = (0..)
        .zip(conversation.texts())
        .flat_map(|(message, texts)| texts.into_iter().map(move |text| (message, text)))
        .collect();
    let contents: Vec<&str> = texts.iter().map(|(_, text)| text.text).collect();
    let mut decoder = Decoder::new(&contents);
    let mut open = decoder.texts_with_pointers();
    open.retain(|text| blocks[texts[*text].0][texts[*text].1.block]);
    let mut known: BTreeSet<usize> = open.iter().copied().collect();
    let mut is_more = false;
    while let Some(text) = open.pop() {
        let rows = decoder.rows(text);
        for (at, _) in rows.rows.iter().enumerate().filter(|(_, row)| row.kind == RowKind::Pointer) {
            // A pointer is dead if too few lines follow its quoted line, but only as long as that line remains.
            let Some(target) = decoder.quoted(text, at) else { continue };
            let (message, TextAt { block, .. }) = &texts[target.text];
            is_more |= !std::mem::replace(&mut blocks[*message][*block], true);
            if known.insert(target.text) {
                open.push(target.text);
            }
        }
    }
    is_more
}

fn pin_event(event: &Event, transcript: &Transcript<'_>, blocks: &mut [Vec<bool>]) {
    if let Some(call) = &event.call {
        blocks[call.message][call.block] = true;
    }
    for place in &event.answers {
        let text = &transcript.texts[place.text];
        blocks[text.message][text.block] = true;
    }
}

/// Pins the headers that announce pinned results in text: without them a result no longer shows its call.
fn pin_headers(conversation: &Conversation, tools: &ToolTable, blocks: &mut [Vec<bool>]) {
    if !blocks.iter().any(|blocks| blocks.contains(&true)) {
        return;
    }
    for (pieces, blocks) in decompose(conversation, tools).iter().zip(blocks) {
        // A header directly precedes its result.
        for pair in pieces.windows(2) {
            let [header, answer] = pair else { continue };
            let announces = header.kind == ContentKind::MessageText
                && matches!(header.source, PieceSource::Tool(_))
                && header.source == answer.source;
            if announces && blocks[answer.block] {
                blocks[header.block] = true;
            }
        }
    }
}

/// Pins the results of pinned calls, and the calls of pinned results.
fn pin_counterparts(conversation: &Conversation, blocks: &mut [Vec<bool>]) {
    let answered = answered(conversation);
    for call in 0..conversation.len().saturating_sub(1) {
        let behind = answered[call + 1..].iter().take_while(|of| **of == Some(call)).count();
        for (at, block) in conversation.message(call).content.blocks().iter().enumerate() {
            let Block::ToolUse { id, .. } = block else { continue };
            let is_answer = |block: &Block| matches!(block, Block::ToolResult { tool_use_id, .. } if tool_use_id == id);
            let of_call: Vec<(usize, usize)> = (call + 1..=call + behind)
                .flat_map(|message| {
                    let of_message = conversation.message(message).content.blocks().iter().enumerate();
                    of_message.filter(|(_, block)| is_answer(block)).map(move |(block, _)| (message, block))
                })
                .collect();
            if blocks[call][at] || of_call.iter().any(|(message, block)| blocks[*message][*block]) {
                blocks[call][at] = true;
                of_call.into_iter().for_each(|(message, block)| blocks[message][block] = true);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn history() -> Conversation {
        let call =
            |id: &str, name: &str, input: Value| json!({ "type": "tool_use", "id": id, "name": name, "input": input });
        let answer = |id: &str, text: &str| json!({ "type": "tool_result", "tool_use_id": id, "content": text });
        let messages = json!([
            { "role": "user", "content": "Do it. Never push to main." },
            { "role": "assistant", "content": [
                { "type": "text", "text": "I look." },
                call("a", "read_file", json!({ "path": "src/a.ts" })),
                call("b", "browser_click", json!({ "at": "1,2" })),
            ] },
            { "role": "user", "content": [answer("a", "the needle is here"), answer("b", "clicked")] },
            { "role": "assistant", "content": [call("a", "list_files", json!({ "path": "docs" }))] },
            { "role": "user", "content": [answer("a", "one\ntwo")] },
            { "role": "assistant", "content": "Done." },
        ]);
        Conversation::parse(&messages.to_string()).unwrap()
    }

    /// Returns the pinned blocks.
    fn pinned(rules: Value) -> Vec<(usize, usize)> {
        let options = json!({ "protect": rules });
        let rules = ProtectRules::in_config(&options);
        let pinned = rules.pin(&history(), &ToolTable::default());
        let blocks = pinned.entries().iter().enumerate().flat_map(|(message, entry)| {
            (0..4).filter(|block| entry.pins.holds(*block)).map(move |block| (message, block))
        });
        blocks.collect()
    }

    #[test]
    fn each_rule_pins_blocks_and_their_counterparts() {
        assert_eq!(pinned(json!({ "tools": ["browser_*"] })), [(1, 2), (2, 1)]);
        assert_eq!(pinned(json!({ "tools": ["read_file", "nobody"] })), [(1, 1), (2, 0)]);
        assert_eq!(pinned(json!({ "text": ["needle"] })), [(1, 1), (2, 0)], "an answer and its call");
        assert_eq!(pinned(json!({ "text": ["1,2"] })), [(1, 2), (2, 1)], "a parameter and its answer");
        assert_eq!(pinned(json!({ "text": ["Never push", "Done"] })), [(0, 0), (5, 0)]);
        assert_eq!(pinned(json!({ "messages": [4, 99] })), [(3, 0), (4, 0)]);
        assert_eq!(pinned(json!({})), []);
    }

    #[test]
    fn the_header_of_an_answer_in_text_is_pinned_with_it() {
        let text = |text: &str| json!({ "type": "text", "text": text });
        let messages = json!([
            { "role": "user", "content": "Do it." },
            { "role": "assistant", "content": "<read_file>\n<path>a.ts</path>\n</read_file>" },
            { "role": "user", "content": [text("[read_file for 'a.ts'] Result:"), text("<file><path>a.ts</path>\n<content lines=\"1-1\">\n1 | x\n</content></file>"), text("Go on.")] },
        ]);
        let history = Conversation::parse(&messages.to_string()).unwrap();
        let options = json!({ "protect": { "tools": ["read_file"] } });
        let rules = ProtectRules::in_config(&options);
        let pinned = rules.pin(&history, &ToolTable::default());
        let of = |message: usize| [0, 1, 2].map(|block| pinned.entries()[message].pins.holds(block));
        assert_eq!((of(1)[0], of(2)), (true, [true, true, false]));
    }

    #[test]
    fn paths_are_names_globs_and_endings() {
        let file = [(1, 1), (2, 0)];
        for path in ["src/a.ts", "a.ts", "./src/a.ts", "*.ts", "src\\a.ts", "src/*", "src/**/*.ts", "src/", "src"] {
            assert_eq!(pinned(json!({ "paths": [path] })), file, "{path}");
        }
        for path in ["b.ts", "ts", "c/a.ts", "rc/a.ts"] {
            assert_eq!(pinned(json!({ "paths": [path] })), [], "{path}");
        }
    }

    #[test]
    fn rules_about_nothing_are_named() {
        let told = |rules: Value| {
            let options = json!({ "protect": rules });
            let rules = ProtectRules::in_config(&options);
            let (_, warnings) = rules.pin_telling(&history(), &ToolTable::default());
            warnings.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
        };
        assert_eq!(
            told(json!({ "tools": ["read_*"], "paths": ["src"], "messages": [0, 5], "text": ["needle", "1,2"] })),
            ""
        );
        insta::assert_snapshot!(told(json!({
            "tools": ["read_file", "nobody"],
            "paths": ["D:\\x", "a.ts", "b", "c", "d", "e", "f"],
            "messages": [4, 6, 99],
            "text": ["needle", "x".repeat(100)],
        })), @r#"
        protect_unmatched: protect.tools: "nobody" matches nothing in this conversation
        protect_unmatched: protect.paths: "D:\\x", "b", "c", "d", "e" and 1 more match nothing in this conversation
        protect_unmatched: protect.messages: 6, 99 match nothing in this conversation
        protect_unmatched: protect.text: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…" matches nothing in this conversation
        "#);
    }

    #[test]
    fn text_is_found_in_blocks_of_any_type() {
        let messages = json!([
            { "role": "user", "content": [
                { "type": "document", "source": { "type": "text", "media_type": "text/plain", "data": "RULE of a document" }, "title": "TITLE" },
                { "type": "text", "text": "See it." },
            ] },
            { "role": "assistant", "content": [{ "type": "thinking", "thinking": "SECRET", "signature": "s" }, { "type": "tool_use", "id": "a", "name": "n", "input": { "KEY": 12345 } }] },
            { "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "a", "content": [{ "type": "search_result", "source": "u", "title": "t", "content": [{ "type": "text", "text": "FOUND" }] }] }] },
        ]);
        let history = Conversation::parse(&messages.to_string()).unwrap();
        let call = vec![(1, 1), (2, 0)];
        for (text, expected) in [
            ("RULE", vec![(0, 0)]),
            ("TITLE", vec![(0, 0)]),
            ("SECRET", vec![(1, 0)]),
            ("KEY", call.clone()),
            ("2345", call.clone()),
            ("FOUND", call),
        ] {
            let options = json!({ "protect": { "text": [text] } });
            let rules = ProtectRules::in_config(&options);
            let (pinned, warnings) = rules.pin_telling(&history, &ToolTable::default());
            let blocks = pinned.entries().iter().enumerate().flat_map(|(message, entry)| {
                (0..2).filter(|block| entry.pins.holds(*block)).map(move |block| (message, block))
            });
            assert_eq!((blocks.collect::<Vec<_>>(), warnings), (expected, vec![]), "{text}");
        }
    }

    #[test]
    fn wrong_rules_are_named() {
        let options =
            json!({ "protect": { "tools": "x", "paths": [1], "messages": [-1, 1.5], "text": [""], "tool": [] } });
        let faults = Protection::read(&options).err().unwrap();
        let messages: Vec<String> = faults.iter().map(ToString::to_string).collect();
        insta::assert_snapshot!(messages.join("\n"), @r#"
        protect.tools must be an array of strings that are not empty; got "x"
        protect.paths[0] must be a string that is not empty; got 1
        protect.messages[0] must be a whole number, 0 or more; got -1
        protect.messages[1] must be a whole number, 0 or more; got 1.5
        protect.text[0] must be a string that is not empty; got ""
        protect.tool is unknown; known: tools, paths, messages, text
        "#);
    }
}
