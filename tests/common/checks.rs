//! Invariants that hold after every condensation, by any provider.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    future::Future,
    sync::Arc,
};

use roo_condense::{
    Block, CallOptions, Cancel, Capabilities, Content, Conversation, Edit, Encoding, Llm, Message, PathStep, Plan,
    Provider, ProviderInfo, Report, Role, Tally, WarningCode, Work, condense_with, count_tokens, create_provider,
};
use serde_json::{Value, value::RawValue};

/// Runs a future to its end on this thread.
pub fn wait_for<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

/// A call with these options.
pub fn work(conversation: Conversation, call: CallOptions) -> Work {
    Work { options: call, ..Work::new(conversation) }
}

/// Returns the info of a provider of the tests: nothing but its id.
pub fn info_of(id: &str) -> ProviderInfo {
    ProviderInfo {
        id: id.into(),
        name: String::new(),
        description: String::new(),
        version: String::new(),
        capabilities: Capabilities::default(),
    }
}

/// Condenses with one provider, without a manager and without a model.
pub fn run_alone(provider: &str, config: &Value, conversation: &Conversation, target_tokens: Option<usize>) -> Report {
    run_with(&create_provider(provider, config).unwrap(), conversation, target_tokens, Llm::default())
}

/// Condenses with one provider, without a manager.
pub fn run_with(
    provider: &Arc<dyn Provider>,
    conversation: &Conversation,
    target_tokens: Option<usize>,
    llm: Llm,
) -> Report {
    let call = CallOptions { target_tokens, ..CallOptions::default() };
    wait_for(condense_with(provider, Encoding::default(), Work { llm, ..work(conversation.clone(), call) }))
}

/// The tokens of a conversation.
pub fn tally(conversation: &Conversation) -> Tally {
    Tally::count(conversation, Encoding::default(), &Cancel::new()).unwrap()
}

/// A conversation as JSON.
pub fn export(conversation: &Conversation) -> String {
    conversation.export(conversation).unwrap()
}

/// JSON in a form in which two texts are equal exactly when JavaScript reads the same values in the same shape: every string as its
/// UTF-16 units, keys of messages and blocks sorted. Numbers are compared as they are written.
pub fn canonical(json: &str) -> String {
    sorted(&strings_as_units(json), 0)
}

fn strings_as_units(json: &str) -> String {
    let mut result = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(start) = rest.find('"') {
        let end = literal_length(&rest[start..]);
        result.push_str(&rest[..=start]);
        for unit in units(&rest[start + 1..start + end - 1]) {
            match u8::try_from(unit) {
                Ok(byte) if byte.is_ascii_alphanumeric() || byte == b' ' => result.push(char::from(byte)),
                _ => result.push_str(&format!("<{unit:x}>")),
            }
        }
        result.push('"');
        rest = &rest[start + end..];
    }
    result + rest
}

fn literal_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 1;
    while bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    at + 1
}

fn units(inside: &str) -> Vec<u16> {
    let mut units = Vec::new();
    let mut chars = inside.chars();
    while let Some(c) = chars.next() {
        let plain = match c {
            '\\' => match chars.next().unwrap() {
                'u' => {
                    let digits: String = chars.by_ref().take(4).collect();
                    units.push(u16::from_str_radix(&digits, 16).unwrap());
                    continue;
                }
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                'b' => '\u{8}',
                'f' => '\u{c}',
                other => other,
            },
            other => other,
        };
        units.extend_from_slice(plain.encode_utf16(&mut [0; 2]));
    }
    units
}

/// Conversation, message, content, block, content, block: below that nothing is ever written anew.
const WRITTEN_LEVELS: usize = 6;

fn sorted(json: &str, level: usize) -> String {
    match json.as_bytes().first() {
        Some(b'[') if level < WRITTEN_LEVELS => {
            let items: Vec<&RawValue> = serde_json::from_str(json).unwrap();
            let items: Vec<_> = items.iter().map(|item| sorted(item.get(), level + 1)).collect();
            format!("[{}]", items.join(","))
        }
        Some(b'{') if level < WRITTEN_LEVELS => {
            let fields: BTreeMap<String, &RawValue> = serde_json::from_str(json).unwrap();
            let fields: Vec<_> =
                fields.iter().map(|(key, value)| format!("{key:?}:{}", sorted(value.get(), level + 1))).collect();
            format!("{{{}}}", fields.join(","))
        }
        _ => json.to_owned(),
    }
}

/// Checks a report on `before` against the invariants, and gives back the condensed conversation.
pub fn check_report(before: &Conversation, report: &Report) -> Conversation {
    let plan = report.plan();
    let after = before.apply(plan).expect("the plan fits");
    let (tally_before, tally_after) = (tally(before), tally(&after));

    assert_eq!(after.problems_since(before), [], "plan: {plan:?}");

    if plan.is_empty() {
        assert!(report.changes().is_empty(), "changes without a plan: {:?}", report.changes());
    } else {
        assert!(
            tally_after.total() < tally_before.total(),
            "grew: {} to {}",
            tally_before.total(),
            tally_after.total()
        );
        assert!(!report.changes().is_empty());
        assert_eq!(report.error_code(), None);
    }
    check_blocks_shrink(before, &tally_before, &after, &tally_after, plan);
    check_identity(before, &after, plan);
    check_survival(report, &tally_before);
    check_providers(report);
    check_plans(before, &after);
    after
}

/// Each provider stands once among those that saved something, and together they saved everything.
fn check_providers(report: &Report) {
    let report = serde_json::to_value(report).unwrap();
    let providers = report["providers"].as_array().cloned().unwrap_or_default();
    let ids: BTreeSet<&str> = providers.iter().map(|provider| provider["id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), providers.len(), "{providers:?}");
    let saved: u64 = providers.iter().map(|provider| provider["tokensSaved"].as_u64().unwrap()).sum();
    assert_eq!(Some(saved), report["metrics"]["tokensSaved"].as_u64(), "{providers:?}");
}

/// Every token of the conversation that came in is accounted for, once, and every block.
fn check_survival(report: &Report, before: &Tally) {
    let report = serde_json::to_value(report).unwrap();
    let Some(survival) = report.get("survival") else {
        return assert!(report["changes"].as_array().unwrap().is_empty(), "a change without a word on what survives");
    };
    let number = |fate: &Value, name: &str, of: &str| fate[name][of].as_u64().expect("a number");
    let total = &survival["total"];
    assert_eq!(number(total, "before", "tokens"), before.total() as u64);
    for fate in survival["byKind"].as_object().unwrap().values().chain([total]) {
        let fates = ["kept", "pointed", "superseded", "summarized", "recorded", "lost"];
        let sum: u64 = fates.iter().map(|name| number(fate, name, "tokens")).sum();
        assert_eq!(sum, number(fate, "before", "tokens"), "{survival}");
        assert!(number(fate, "protected", "tokens") <= number(fate, "kept", "tokens"), "{survival}");
        assert!(number(fate, "kept", "blocks") <= number(fate, "before", "blocks"), "{survival}");
    }
}

/// A failure changes nothing.
pub fn check_unchanged(report: &Report) {
    assert!(report.plan().is_empty(), "{:?}", report.plan());
    assert!(report.changes().is_empty(), "{:?}", report.changes());
}

/// Where the first message and the newest ones take no more of a target than this, they stay.
const ENDS_OF_TARGET: f64 = 0.15;

/// The first message and the newest ones are the same, but for what can be read back from what is still there, or was replaced by a later
/// message: such changes have a grade. A pointer in them that would lead nowhere is mended. Where they take much of a target, results in them and what the
/// host put into the first message may be shortened, and what the newest calls but the last were given; words of the assistant never.
pub fn check_ends(before: &Conversation, after: &Conversation, report: &Report, newest: usize, target: Option<usize>) {
    let tally = tally(before);
    // A provider that promises to keep fewer messages may still try to keep as many as others do.
    let tried = newest.max(5);
    let ends = (0..before.task()).chain(before.len().saturating_sub(tried).max(before.task())..before.len());
    let fixed: usize = ends.map(|message| tally.message(message)).sum();
    let is_tight = target.is_some_and(|target| fixed as f64 > target as f64 * ENDS_OF_TARGET);
    let gives_way = |index: usize, block: Option<usize>| {
        let message = before.message(index);
        // In plain text, answers of tools are texts of the user.
        let is_call = |index: usize| before.message(index).texts().iter().any(|text| text.text.contains("</"));
        let is_headed = message.texts().iter().any(|text| text.text.trim_end().ends_with("Result:"));
        let answers_text = is_headed || (index > 0 && is_call(index - 1));
        let block = message.content.blocks().get(block.unwrap_or(0));
        let is_host = |text: &str| {
            answers_text
                || message.is_called_summary()
                || text.trim_start().starts_with(['<', '['])
                || text.contains("</")
                || text.starts_with("This session")
                || text.starts_with("Base directory for this skill: ")
        };
        // Text pasted into a newer message: more than .15 of the room of what stands in place, which is at least .4 of a target.
        let is_long = |text: &str| {
            let most = target.unwrap_or(usize::MAX) / 20;
            index >= before.task()
                && message.role == Role::User
                && count_tokens(text, Encoding::default()).tokens > most
        };
        match block {
            Some(Block::ToolResult { .. } | Block::ToolUse { .. }) => true,
            Some(Block::Text { text, .. }) => is_host(text.as_str()) || is_long(text.as_str()),
            _ => matches!(&message.content, Content::Text(text) if is_host(text.as_str()) || is_long(text.as_str())),
        }
    };
    let place: HashMap<usize, &Arc<_>> =
        after.entries().iter().filter_map(|entry| Some((entry.origin?, &entry.message))).collect();
    let first = 0..before.task();
    for index in first.chain(before.len().saturating_sub(newest)..before.len()) {
        let same = place.get(&index).is_some_and(|message| Arc::ptr_eq(message, &before.entries()[index].message));
        let mut changes = report.changes().iter().filter(|change| change.message_index == index);
        let loses_nothing = place.contains_key(&index)
            && changes.all(|change| {
                let is_of_a_neighbour = change.block_index.is_none();
                is_of_a_neighbour
                    || change.grade.is_some()
                    || change.operation == "pointers"
                    || (is_tight && gives_way(index, change.block_index))
            });
        let done = || report.changes().iter().filter(|change| change.message_index == index).collect::<Vec<_>>();
        assert!(
            same || loses_nothing,
            "message {index} of {} had to stay: {:?}, {:?}, target {target:?}, {fixed}",
            before.len(),
            done(),
            before.message(index)
        );
    }
}

/// No block is replaced by one with as many tokens or more.
fn check_blocks_shrink(before: &Conversation, was: &Tally, after: &Conversation, is: &Tally, plan: &Plan) {
    let place: HashMap<usize, usize> =
        after.entries().iter().enumerate().filter_map(|(at, entry)| Some((entry.origin?, at))).collect();
    for edit in &plan.edits {
        let Edit::Set { message, path, .. } = edit else { continue };
        let Some(PathStep::Index(block)) = path.get(1).or(Some(&PathStep::Index(0))) else { continue };
        let at = place[&before.entries()[*message].origin.unwrap()];
        let gone_before = |edit: &&Edit| matches!(edit, Edit::DropBlock { message: of, block: gone } if of == message && gone < block);
        let shift = plan.edits.iter().filter(gone_before).count();
        let (was, is) = (was.blocks(*message)[*block], is.blocks(at)[*block - shift]);
        assert!(is < was, "block {block} of message {message} has {is} tokens instead of {was}");
    }
}

/// A message the plan does not name is the same allocation, a block it does not name has the same bytes, and only content changes.
fn check_identity(before: &Conversation, after: &Conversation, plan: &Plan) {
    let mut touched: HashMap<usize, BTreeSet<usize>> = HashMap::new();
    let mut gone: BTreeSet<(usize, usize)> = BTreeSet::new();
    let mut added: Vec<(usize, usize)> = Vec::new();
    for edit in &plan.edits {
        if let Edit::InsertBlock { message, before, .. } = edit {
            added.push((*message, *before));
            touched.entry(*message).or_default();
        }
        if let Edit::DropBlock { message, block } = edit {
            gone.insert((*message, *block));
            touched.entry(*message).or_default();
        }
        if let Edit::Set { message, path, .. } = edit {
            let block = match path.get(1) {
                Some(PathStep::Index(block)) => *block,
                _ => 0,
            };
            touched.entry(*message).or_default().insert(block);
        }
    }
    for entry in after.entries() {
        let Some(origin) = entry.origin else { continue };
        let (old, new) = (&before.entries()[origin].message, &entry.message);
        let Some(blocks) = touched.get(&origin) else {
            assert!(Arc::ptr_eq(old, new), "message {origin} was not named, but is another one");
            continue;
        };
        assert_eq!((&old.role, format!("{:?}", old.extra)), (&new.role, format!("{:?}", new.extra)));
        let (old, new) = (old.content.blocks(), new.content.blocks());
        let mut pairs = Vec::new();
        let mut left = new.iter();
        for index in 0..=old.len() {
            added.iter().filter(|place| **place == (origin, index)).for_each(|_| assert!(left.next().is_some()));
            if let Some(old) = old.get(index).filter(|_| !gone.contains(&(origin, index))) {
                pairs.push(((index, old), left.next().unwrap()));
            }
        }
        assert!(left.next().is_none(), "message {origin} has blocks that nobody added");
        for ((index, old), new) in pairs.into_iter().filter(|((index, _), _)| !blocks.contains(index)) {
            let bytes = |block| serde_json::to_string(block).unwrap();
            assert_eq!(bytes(old), bytes(new), "block {index} of message {origin}");
        }
    }
}

/// The way there and the way back, both as plans.
pub fn check_plans(before: &Conversation, after: &Conversation) {
    let forward = Plan::between(before, after);
    assert_eq!(canonical(&export(&before.apply(&forward).unwrap())), canonical(&export(after)), "forward: {forward:?}");
    let back = Plan::inverse(before, after);
    assert_eq!(canonical(&export(&after.apply(&back).unwrap())), canonical(&export(before)), "back: {back:?}");
}

/// The target is met, or the report says that it could not be.
pub fn check_target(before: &Conversation, after: &Conversation, report: &Report, target: Option<usize>) {
    let (was, is) = (tally(before).total(), tally(after).total());
    if report.error_code().is_none() {
        assert_eq!((report.original_tokens(), report.final_tokens()), (was, is), "reported and counted");
    }
    let Some(target) = target else { return };
    let said = report.warnings().iter().any(|warning| warning.code == WarningCode::TargetNotMet);
    assert_eq!(is > target, said, "{is} tokens of {was}, target {target}, warnings {:?}", report.warnings());
}

/// The bytes of everything that must not differ between two runs.
pub fn fingerprint(before: &Conversation, report: &Report) -> String {
    let changes = serde_json::to_string(report.changes()).unwrap();
    format!("{}\n{changes}\n{:?}", before.export(report.plan()).unwrap(), report.warnings())
}

/// Checks that content matched by the rules `protect` is in the result word for word, except pointers whose lines
/// were left out.
pub fn check_protected(before: &Conversation, after: &Conversation, report: &Report, protect: &Value) {
    let words =
        |name: &str| protect[name].as_array().into_iter().flatten().filter_map(Value::as_str).collect::<Vec<_>>();
    let (texts, tools) = (words("text"), words("tools"));
    let messages: Vec<u64> = protect["messages"].as_array().into_iter().flatten().filter_map(Value::as_u64).collect();
    if texts.is_empty() && tools.is_empty() && messages.is_empty() {
        return;
    }
    let left = all_texts(after);
    let mended: HashSet<usize> = report
        .changes()
        .iter()
        .filter(|change| change.operation == "pointers")
        .map(|change| change.message_index)
        .collect();
    for (index, message) in before.messages().enumerate() {
        let blocks = message.content.blocks();
        for text in message.texts() {
            let of_tool = blocks.get(text.block).is_some_and(|block| match block {
                Block::ToolUse { name, .. } => tools.contains(&name.as_str()),
                _ => false,
            });
            let is_protected =
                texts.iter().any(|wanted| text.text.contains(wanted)) || messages.contains(&(index as u64)) || of_tool;
            let stays = left.contains(text.text) || mended.contains(&index);
            assert!(!is_protected || stays, "not protected: {:?} of message {index}", text.text);
        }
    }
}

fn all_texts(conversation: &Conversation) -> HashSet<String> {
    conversation.messages().flat_map(Message::texts).map(|text| text.text.to_owned()).collect()
}
