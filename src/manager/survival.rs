//! The fate of each block of a conversation: kept, readable elsewhere, in a summary or the log, or lost.

use std::{collections::BTreeMap, ops::AddAssign};

use serde::Serialize;

use super::savings::percent;
use crate::{
    conversation::{Block, ContentKind, Conversation, Edit, Message, PathStep, Plan, Role, TextAt},
    maps::{HashMap, HashSet},
    markers::is_summary,
    providers::{Change, Grade},
    story::{ASSISTANT, Entry, Mark, NOTICE, PASTE, SUMMARY, SYSTEM, USER, entries, is_story, stories},
    tokens::{Tally, count_inside},
    transcript::{ContentPiece, Meaning, PieceSource, Pieces, ToolTable, Voice, decompose, with_texts},
};

/// The outcome for the content of a conversation. Tokens are unscaled, like those of changes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Survival {
    /// All content.
    total: Fate,
    /// Each kind of content that was present. A text block counts as the kind that makes up most of it.
    ///
    /// - `user`: the user's words, including answers to questions
    /// - `assistant`: the assistant's words
    /// - `thinking`: the assistant's thinking
    /// - `plans`: calls that write or update a todo list, or present a plan
    /// - `calls`, `results`: other tool calls, and tool results
    /// - `images`: images outside tool results; others count with their result
    /// - `host`: injected context in the user's role: reminders, environment snapshots, attached files
    /// - `summaries`: summaries and logs of earlier messages
    /// - `other`: blocks of types that are not read
    by_kind: BTreeMap<Kind, Fate>,
    /// Number of lines of the logs in the result, earlier logs included, by what they quote.
    log: BTreeMap<Quoted, Lines>,
}

/// A kind of content; see `Survival.byKind`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "SurvivalKind"))]
#[serde(rename_all = "camelCase")]
pub enum Kind {
    /// The user's own words.
    User,
    /// The assistant's words.
    Assistant,
    /// The assistant's thinking.
    Thinking,
    /// Lists of things to do, and plans.
    Plans,
    /// Calls of other tools.
    Calls,
    /// Tool results.
    Results,
    /// Images that stand on their own.
    Images,
    /// Injected context: reminders, snapshots of the environment, attached files.
    Host,
    /// Summaries and logs of earlier messages.
    Summaries,
    /// Blocks of other types.
    Other,
}

/// The kind of words that a log line quotes: `said` (words of the user, the assistant or the host), `calls` (tool calls with their input), `answers` (tool
/// results, and names in them).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "SurvivalLog"))]
#[serde(rename_all = "camelCase")]
pub enum Quoted {
    /// Words of the user, the assistant or the host.
    Said,
    /// Tool calls and their parameters.
    Calls,
    /// Tool results.
    Answers,
}

/// The outcome for one kind of content. The tokens of `kept`, `pointed`, `superseded`, `summarized`, `recorded` and
/// `lost` add up to `before`. A block that was cut counts in every category that holds a part of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "SurvivalFate"))]
pub struct Fate {
    /// The content before.
    before: Blocks,
    /// Protected content (see `protect`), kept word for word; part of `kept`.
    protected: Blocks,
    /// Blocks kept word for word, and the kept tokens of all blocks.
    kept: Blocks,
    /// Readable elsewhere in the messages through a pointer; `expand` puts it back.
    pointed: Blocks,
    /// Replaced by a later message.
    superseded: Blocks,
    /// Covered by a summary that replaces it.
    summarized: Blocks,
    /// Quoted in the new log.
    recorded: Lines,
    /// No longer readable; `restore` brings it back.
    lost: Blocks,
}

/// Numbers of blocks and of their tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "SurvivalBlocks"))]
pub struct Blocks {
    blocks: usize,
    tokens: usize,
}

/// Numbers of lines and of their tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "SurvivalLines"))]
pub struct Lines {
    lines: usize,
    tokens: usize,
}

impl Survival {
    /// Returns the percentage of tokens that are lost: no longer readable, and not replaced by a newer message.
    pub(super) fn lost_percent(&self) -> f64 {
        percent(self.total.lost.tokens, self.total.before.tokens)
    }
}

impl Blocks {
    fn one(tokens: usize) -> Self {
        Self { blocks: 1, tokens }
    }
}

impl AddAssign for Blocks {
    fn add_assign(&mut self, other: Self) {
        self.blocks += other.blocks;
        self.tokens += other.tokens;
    }
}

impl AddAssign for Lines {
    fn add_assign(&mut self, other: Self) {
        self.lines += other.lines;
        self.tokens += other.tokens;
    }
}

impl AddAssign for Fate {
    fn add_assign(&mut self, other: Self) {
        self.before += other.before;
        self.protected += other.protected;
        self.kept += other.kept;
        self.pointed += other.pointed;
        self.superseded += other.superseded;
        self.summarized += other.summarized;
        self.recorded += other.recorded;
        self.lost += other.lost;
    }
}

/// A finished condensation.
pub struct Done<'a> {
    /// The original conversation, with its pins.
    pub original: &'a Conversation,
    /// Its tokens.
    pub tally_before: &'a Tally,
    /// The condensed conversation.
    pub conversation: &'a Conversation,
    /// Its tokens.
    pub tally_after: &'a Tally,
    /// The plan that turns `original` into `conversation`.
    pub plan: &'a Plan,
    /// The changes, step by step.
    pub changes: &'a [Change],
    /// Meanings of the tools.
    pub tools: &'a ToolTable,
}

impl Survival {
    /// Compares the conversations.
    pub fn compare(done: &Done<'_>) -> Self {
        let kinds = kinds(done.original, done.tools);
        let after = Afterwards::count(done);
        let why = Reasons::collect(done);
        let mut survival = Self::default();
        for (message, kinds) in kinds.iter().enumerate() {
            for (block, kind) in kinds.iter().enumerate() {
                let tokens = done.tally_before.blocks(message).get(block).copied().unwrap_or_default();
                let mut fate = match after.tokens((message, block)) {
                    None => Fate { kept: Blocks::one(tokens), ..Fate::default() },
                    Some(left) => why.fate((message, block), tokens, left),
                };
                fate.before = Blocks::one(tokens);
                // An earlier provider may have removed what a later provider's rule protects.
                if fate.kept.blocks > 0 && done.original.entries()[message].pins.holds(block) {
                    fate.protected = Blocks::one(tokens);
                }
                *survival.by_kind.entry(*kind).or_default() += fate;
            }
        }
        survival.add_log(done);
        for fate in survival.by_kind.values() {
            survival.total += *fate;
        }
        survival
    }

    fn add_log(&mut self, done: &Done<'_>) {
        let known: HashSet<String> =
            stories(done.original).flat_map(entries).flat_map(lines_of).map(|(.., line)| line).collect();
        for text in stories(done.conversation) {
            for (quoted, kind, line) in entries(text).into_iter().flat_map(lines_of) {
                self.add_line(done, (quoted, kind), &line, known.contains(&line));
            }
        }
    }

    fn add_line(&mut self, done: &Done<'_>, (quoted, kind): (Quoted, Kind), line: &str, is_known: bool) {
        let lines = Lines { lines: 1, tokens: count_inside(line, done.tally_after.encoding()).tokens + 1 };
        *self.log.entry(quoted).or_default() += lines;
        if let Some(fate) = self.by_kind.get_mut(&kind).filter(|_| !is_known) {
            // A line cannot quote more than was removed.
            let tokens = lines.tokens.min(fate.lost.tokens);
            fate.recorded += Lines { tokens, ..lines };
            fate.lost.tokens -= tokens;
        }
    }
}

/// Returns the lines of an entry, each with its source and the kind of content that it quotes.
fn lines_of(entry: Entry<'_>) -> Vec<(Quoted, Kind, String)> {
    let speaker = match entry.head.as_str() {
        USER | PASTE => Some(Kind::User),
        ASSISTANT => Some(Kind::Assistant),
        SUMMARY => Some(Kind::Summaries),
        SYSTEM | NOTICE => Some(Kind::Host),
        _ => None,
    };
    let of_quote = |mark: Mark| match (speaker, mark) {
        (Some(kind), _) => (Quoted::Said, kind),
        (None, Mark::Answered | Mark::Failed | Mark::Said) => (Quoted::Answers, Kind::Results),
        (None, Mark::Given | Mark::Added | Mark::Removed) => (Quoted::Calls, Kind::Calls),
    };
    let (quoted, kind) = speaker.map_or((Quoted::Calls, Kind::Calls), |kind| (Quoted::Said, kind));
    let quotes = entry.quotes.into_iter().map(|quote| {
        let (quoted, kind) = of_quote(quote.mark);
        (quoted, kind, quote.text.into_owned())
    });
    std::iter::once((quoted, kind, entry.head)).chain(quotes).collect()
}

/// A block of the original conversation: message and block.
type Place = (usize, usize);

/// The remaining tokens of the blocks that a plan changes.
struct Afterwards {
    touched: HashMap<Place, usize>,
    dropped: HashSet<usize>,
}

impl Afterwards {
    fn count(done: &Done<'_>) -> Self {
        let mut touched: HashMap<Place, usize> = HashMap::default();
        let mut dropped = HashSet::default();
        let mut shifts: HashMap<usize, Vec<(usize, isize)>> = HashMap::default();
        let mut set: Vec<Place> = Vec::new();
        for edit in &done.plan.edits {
            match edit {
                Edit::Drop { message } => drop(dropped.insert(*message)),
                Edit::DropBlock { message, block } => {
                    touched.insert((*message, *block), 0);
                    shifts.entry(*message).or_default().push((*block + 1, -1));
                }
                Edit::InsertBlock { message, before, .. } => {
                    shifts.entry(*message).or_default().push((*before, 1));
                }
                Edit::Set { message, path, .. } => match path.get(1) {
                    Some(PathStep::Index(block)) => set.push((*message, *block)),
                    _ => set.extend(
                        (0..done.original.message(*message).content.blocks().len().max(1))
                            .map(|block| (*message, block)),
                    ),
                },
                Edit::Insert { .. } => {}
            }
        }
        let places: HashMap<usize, usize> =
            (0..).zip(done.conversation.entries()).filter_map(|(at, entry)| Some((entry.origin?, at))).collect();
        for (message, block) in set {
            let by: isize =
                shifts.get(&message).into_iter().flatten().filter(|(from, _)| *from <= block).map(|(_, by)| by).sum();
            let left = places
                .get(&message)
                .and_then(|at| done.tally_after.blocks(*at).get(block.saturating_add_signed(by)).copied());
            touched.insert((message, block), left.unwrap_or_default());
        }
        Self { touched, dropped }
    }

    /// Returns the tokens left of a block; `None` if it is unchanged.
    fn tokens(&self, place: Place) -> Option<usize> {
        if self.dropped.contains(&place.0) { Some(0) } else { self.touched.get(&place).copied() }
    }
}

/// The reason why something was removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reason {
    Pointed,
    Superseded,
    Summarized,
    Lost,
}

/// For each message and block in the changes, the reasons with the tokens that each has saved.
type ByBlock = HashMap<(usize, Option<usize>), Vec<(Reason, usize)>>;

/// The changes to each block.
struct Reasons {
    of_blocks: ByBlock,
    /// Messages that a custom provider replaced by a summary.
    told_by_host: HashSet<usize>,
}

impl Reasons {
    fn collect(done: &Done<'_>) -> Self {
        let mut of_blocks = ByBlock::default();
        for change in done.changes.iter().filter(|change| change.tokens_before > 0) {
            let reason = match (change.grade, change.operation.as_str()) {
                (Some(Grade::Inline), _) => Reason::Pointed,
                (Some(Grade::Superseded), _) => Reason::Superseded,
                (None, "summarize") => Reason::Summarized,
                (None, _) => Reason::Lost,
            };
            let saved = change.tokens_before.saturating_sub(change.tokens_after);
            of_blocks.entry((change.message_index, change.block_index)).or_default().push((reason, saved));
        }
        Self { of_blocks, told_by_host: told_by_host(done) }
    }

    fn fate(&self, place: Place, before: usize, left: usize) -> Fate {
        let kept = left.min(before);
        let mut gone = before - kept;
        let mut fate = Fate { kept: Blocks { blocks: 0, tokens: kept }, ..Fate::default() };
        let (message, block) = place;
        let of_message = self.of_blocks.get(&(message, None)).map_or(&[][..], Vec::as_slice);
        let of_block = self.of_blocks.get(&(message, Some(block))).map_or(&[][..], Vec::as_slice);
        if left == 0 {
            // A pointer in a removed block is removed, too, but replaced content still counts as replaced.
            let replaced = saved(of_block, Reason::Superseded).min(gone);
            if replaced > 0 {
                fate.superseded = Blocks::one(replaced);
            }
            let is_told = self.told_by_host.contains(&message) || saved(of_message, Reason::Summarized) > 0;
            if gone > replaced || gone == 0 {
                *(if is_told { &mut fate.summarized } else { &mut fate.lost }) = Blocks::one(gone - replaced);
            }
            return fate;
        }
        let done = if of_block.is_empty() { of_message } else { of_block };
        let all: usize = done.iter().map(|(_, saved)| saved).sum();
        let whole = gone;
        for (reason, into) in [
            (Reason::Pointed, &mut fate.pointed),
            (Reason::Superseded, &mut fate.superseded),
            (Reason::Summarized, &mut fate.summarized),
        ] {
            let saved = saved(done, reason);
            if saved > 0 {
                let tokens = (whole * saved / all).min(gone);
                gone -= tokens;
                *into = Blocks::one(tokens);
            }
        }
        let is_lossy = all == 0 || saved(done, Reason::Lost) > 0;
        if is_lossy {
            fate.lost = Blocks::one(gone);
        } else {
            // Corrects the rounding error.
            let of_one = [&mut fate.pointed, &mut fate.superseded, &mut fate.summarized]
                .into_iter()
                .find(|part| part.blocks > 0);
            of_one.into_iter().for_each(|part| part.tokens += gone);
        }
        fate
    }
}

/// Returns the tokens saved for a reason.
fn saved(done: &[(Reason, usize)], reason: Reason) -> usize {
    done.iter().filter(|(known, _)| *known == reason).map(|(_, saved)| saved).sum()
}

/// Returns the messages that a custom provider removed directly beside a summary that it added.
fn told_by_host(done: &Done<'_>) -> HashSet<usize> {
    let dropped = done.changes.iter().filter(|change| change.block_index.is_none() && change.operation == "drop");
    let dropped: HashSet<usize> = dropped.map(|change| change.message_index).collect();
    let summaries = done.plan.edits.iter().filter_map(|edit| match edit {
        Edit::Insert { before, value } if value.foreign.is_some() && is_summary(&value.message) => Some(*before),
        _ => None,
    });
    let beside = |before: usize| {
        let above = (0..before).rev().take_while(|message| dropped.contains(message));
        let below = (before..done.original.len()).take_while(|message| dropped.contains(message));
        above.chain(below).collect::<Vec<_>>()
    };
    summaries.flat_map(beside).collect()
}

/// Returns the kind of every block; one block for content that is a string.
fn kinds(conversation: &Conversation, tools: &ToolTable) -> Vec<Vec<Kind>> {
    let texts = conversation.texts();
    let pieces = decompose(conversation, tools);
    let of_message = |(message, (texts, pieces)): (&Message, (&Vec<TextAt<'_>>, Pieces))| {
        let blocks = message.content.blocks();
        let mut spoken: Vec<BTreeMap<Kind, usize>> = vec![BTreeMap::new(); blocks.len().max(1)];
        for (piece, text) in with_texts(&pieces, texts) {
            if is_story(text.text) && piece.source == PieceSource::Words {
                spoken[piece.block].insert(Kind::Summaries, text.text.len());
                continue;
            }
            for stretch in piece.stretches(text.text) {
                *spoken[piece.block].entry(of_voice(piece, stretch.voice)).or_default() += stretch.range.len();
            }
        }
        // A text has the kind that makes up most of it.
        let most = |block: usize| spoken[block].iter().max_by_key(|(_, bytes)| **bytes).map(|(kind, _)| *kind);
        let kind = |block: usize| match blocks.get(block) {
            _ if is_summary(message) => Kind::Summaries,
            Some(Block::ToolUse { name, .. }) => of_meaning(tools.meaning(name), Kind::Calls),
            Some(Block::ToolResult { .. }) => most(block).unwrap_or(Kind::Results),
            Some(Block::Image { .. }) => Kind::Images,
            Some(block) if block.is_thinking() => Kind::Thinking,
            Some(Block::Text { .. }) | None => most(block).unwrap_or(of_role(&message.role)),
            Some(_) => Kind::Other,
        };
        (0..spoken.len()).map(kind).collect()
    };
    conversation.messages().zip(texts.iter().zip(pieces)).map(of_message).collect()
}

fn of_voice(piece: &ContentPiece, voice: Voice) -> Kind {
    match voice {
        _ if piece.kind == ContentKind::ToolParameters => of_meaning(piece.source.meaning(), Kind::Calls),
        Voice::User | Voice::Paste => Kind::User,
        Voice::Assistant => Kind::Assistant,
        Voice::Tool => Kind::Results,
        Voice::Host => Kind::Host,
        Voice::Summary => Kind::Summaries,
    }
}

fn of_role(role: &Role) -> Kind {
    if *role == Role::Assistant { Kind::Assistant } else { Kind::User }
}

fn of_meaning(meaning: Meaning, other: Kind) -> Kind {
    if matches!(meaning, Meaning::Todo | Meaning::Item | Meaning::Plan) { Kind::Plans } else { other }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::{CallOptions, Encoding, Report, Work, condense_with, create_provider};

    fn history() -> Value {
        let text = |text: &str| json!({ "type": "text", "text": text });
        let call =
            |id: &str, name: &str, input: Value| json!({ "type": "tool_use", "id": id, "name": name, "input": input });
        let answer = |id: &str, text: &str| json!({ "type": "tool_result", "tool_use_id": id, "content": text });
        let lines = |word: &str| (0..300).map(|n| format!("{word} is said in line {n}\n")).collect::<String>();
        json!([
            { "role": "user", "content": "Make the parser faster. Never push to main." },
            { "role": "assistant", "content": [
                { "type": "thinking", "thinking": "Where is it?" },
                text("I look for it."),
                call("a", "read_file", json!({ "path": "a.ts" })),
                call("b", "update_todo_list", json!({ "todos": "[ ] Find the parser\n[ ] Make it faster" })),
            ] },
            { "role": "user", "content": [answer("a", &lines("apple")), answer("b", "Updated")] },
            { "role": "assistant", "content": [call("c", "execute_command", json!({ "command": "cat a.ts" }))] },
            { "role": "user", "content": [answer("c", &lines("apple")), text("<environment_details>\nNow\n</environment_details>")] },
            { "role": "assistant", "content": [call("d", "execute_command", json!({ "command": "npm test" }))] },
            { "role": "user", "content": [answer("d", &format!("{}Tests 3 failed | 2 passed", lines("pear")))] },
            { "role": "assistant", "content": "One test fails because of the parser." },
            { "role": "user", "content": "Then mend it." },
        ])
    }

    fn condensed(provider: &str, config: Value, target: Option<usize>) -> Report {
        let provider = create_provider(provider, &config).unwrap();
        let conversation = Conversation::parse(&history().to_string()).unwrap();
        let call = CallOptions { target_tokens: target, ..CallOptions::default() };
        let work = Work { options: call, ..Work::new(conversation) };
        let report = condense_with(&provider, Encoding::default(), work);
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(report)
    }

    /// For each kind its blocks, and the fates with any.
    fn told(report: &Report) -> String {
        let report = serde_json::to_value(report).unwrap();
        let survival = &report["survival"];
        let line = |(kind, fate): (&String, &Value)| {
            let fates = ["protected", "kept", "pointed", "superseded", "summarized", "recorded", "lost"];
            let fates = fates.into_iter().filter_map(|name| {
                let count = fate[name].get("blocks").or(fate[name].get("lines")).unwrap().as_u64().unwrap();
                (count > 0).then(|| format!("{name} {count}"))
            });
            format!("{kind} {}: {}\n", fate["before"]["blocks"], fates.collect::<Vec<_>>().join(", "))
        };
        let kinds: String = survival["byKind"].as_object().unwrap().iter().map(line).collect();
        format!("{kinds}log {}", survival["log"])
    }

    #[test]
    fn what_a_pointer_leads_to_is_not_lost() {
        insta::assert_snapshot!(told(&condensed("lossless", json!({}), None)), @"
        assistant 2: kept 2
        calls 3: kept 3
        host 1: kept 1
        plans 1: kept 1
        results 4: kept 3, pointed 1
        thinking 1: kept 1
        user 2: kept 2
        log {}
        ");
    }

    #[test]
    fn what_is_cut_is_lost_and_what_is_protected_stands() {
        let protect = json!({ "protect": { "tools": ["read_file"] }, "preserveRecentCount": 1 });
        insta::assert_snapshot!(told(&condensed("truncation", protect, None)), @"
        assistant 2: kept 2
        calls 3: protected 1, kept 3
        host 1: kept 1
        plans 1: kept 1
        results 4: protected 1, kept 2, lost 2
        thinking 1: kept 1
        user 2: kept 2
        log {}
        ");
    }

    #[test]
    fn messages_that_go_are_lost_with_all_that_stood_in_them() {
        let window = json!({ "mode": "window", "preserveRecentCount": 1 });
        insta::assert_snapshot!(told(&condensed("truncation", window, Some(400))), @"
        assistant 2: kept 1, lost 1
        calls 3: lost 3
        host 1: lost 1
        plans 1: lost 1
        results 4: lost 4
        thinking 1: lost 1
        user 2: kept 2
        log {}
        ");
    }

    #[test]
    fn what_the_log_quotes_is_not_lost() {
        let salient = json!({ "preserveRecentCount": 1 });
        insta::assert_snapshot!(told(&condensed("truncation", salient, Some(300))), @r#"
        assistant 2: kept 1, recorded 2, lost 1
        calls 3: kept 2, recorded 3, lost 1
        host 1: kept 1
        plans 1: lost 1
        results 4: recorded 1, lost 4
        thinking 1: lost 1
        user 2: kept 2
        log {"answers":{"lines":1,"tokens":2},"calls":{"lines":3,"tokens":17},"said":{"lines":2,"tokens":9}}
        "#);
    }

    #[test]
    fn quoted_words_count_as_their_speakers() {
        let entry = |head: &str| Entry { head: head.to_owned(), quotes: Vec::new() };
        let kinds = [USER, PASTE, ASSISTANT, SUMMARY, NOTICE, "Bash npm test"].map(|head| lines_of(entry(head))[0].1);
        let expected = [Kind::User, Kind::User, Kind::Assistant, Kind::Summaries, Kind::Host, Kind::Calls];
        assert_eq!(kinds, expected);
    }
}
