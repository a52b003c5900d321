//! Reads messages into entries: the speaker or the call, and the lines that can be quoted.

use std::{ops::Range, sync::Arc};

use memchr::memmem::Finder;
use serde_json::Value;

use super::{
    endings::is_shown,
    kind::{Kind, PATCH, command},
    shown::{ShownLines, content},
    standing::story_blocks,
    text::{
        ASSISTANT, Entry, Mark, NOTICE, PASTE, Quotation, SUMMARY, SYSTEM, USER, each_quote, entries as read_again,
        quotes_of,
    },
    written::{Parameter, Written},
};
use crate::{
    conversation::{Block, Content, ContentKind, Conversation, Role, TextAt},
    maps::{HashMap, HashSet},
    markers::{is_about_messages, is_summary},
    transcript::{
        CallOutcome, ContentPiece, MAX_HEAD_PARAMETER, Meaning, PieceSource, Pieces, Stretch, ToolSource, ToolTable,
        Voice, announces_words, around_final_content, decompose, outcome_of_answer, proves_change, proves_list, spoken,
        with_texts,
    },
};

/// An entry for messages that the story replaces.
pub struct Told<'t> {
    /// Index of the message in which the entry begins.
    pub message: usize,
    /// The entry, with every line that can be quoted.
    pub entry: Entry<'t>,
    pub kind: Kind,
    /// True if the entry was read back from an earlier story.
    pub is_earlier: bool,
    /// Indices of the quotes that are kept at any scale.
    pub shown: Vec<usize>,
    /// Indices of the written lines that a change adds or removes. Other written lines are unchanged ones around them.
    pub changed: Vec<usize>,
    /// Indices of the written lines that a later change replaced. They are not quoted.
    pub replaced: Vec<usize>,
    /// The results that the entry quotes, or of which it can quote lines.
    pub results: Vec<Answer>,
}

impl Told<'_> {
    /// Returns false for a read or search without quoted lines.
    pub fn says(&self) -> bool {
        self.kind != Kind::Look || !self.entry.quotes.is_empty()
    }
}

/// A result, or the part of a result that answers one call.
pub struct Answer {
    message: usize,
    /// Index among the message's pieces.
    piece: usize,
    /// Bytes in the text that contains the piece.
    range: Range<usize>,
    /// Index of its first quote in the entry.
    first: usize,
}

/// The head of an entry whose call is unknown.
const UNKNOWN: &str = "Answer:";

/// A conversation in pieces. Its results can be read again for lines to show.
pub struct Readable<'a> {
    conversation: &'a Conversation,
    tools: &'a ToolTable,
    texts: Vec<Vec<TextAt<'a>>>,
    pieces: Vec<Pieces>,
}

impl<'a> Readable<'a> {
    /// Cuts a conversation into pieces.
    pub fn new(conversation: &'a Conversation, tools: &'a ToolTable) -> Self {
        Self { conversation, tools, texts: conversation.texts(), pieces: decompose(conversation, tools) }
    }

    /// Returns the names of the tools that the conversation calls.
    pub fn tool_names(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().flat_map(|pieces| pieces.iter()).filter_map(|piece| match &piece.source {
            PieceSource::Tool(source) => Some(source.name.as_str()),
            _ => None,
        })
    }

    /// Returns the entries of these messages, in order. Reads and searches without quoted lines are included, because
    /// lines of them may be shown later. Pinned blocks remain in place and are not quoted.
    pub fn entries(&self, messages: Range<usize>) -> Vec<Told<'a>> {
        let mut reading = Reading::new(self.conversation, self.tools);
        reading.newest_list = newest_list(self.conversation, self.tools, &self.pieces);
        for message in messages {
            reading.message(message, &self.pieces[message], &self.texts[message]);
        }
        reading.finish()
    }

    /// Returns the entry with the lines of its results that are in `shown`, and removes them from `shown`. Returns
    /// `None` if there are none.
    pub fn with_lines(&self, told: &Told<'a>, shown: &mut ShownLines) -> Option<Told<'a>> {
        let Told { message, entry, kind, is_earlier, .. } = told;
        let quotes_earlier = *is_earlier && shown.is_of(*message);
        if !quotes_earlier && !told.results.iter().any(|answer| shown.is_of(answer.message)) {
            return None;
        }
        let mut quotes = entry.quotes.clone();
        let mut places = Vec::new();
        if quotes_earlier {
            places = places_of(&quotes, |quote| quote.mark == Mark::Answered && shown.take(*message, &quote.text));
        }
        for Answer { message, piece, range, first } in &told.results {
            if !shown.is_of(*message) {
                continue;
            }
            let (piece, whole) = with_texts(&self.pieces[*message], &self.texts[*message]).nth(*piece)?;
            let text = &whole.text[range.clone()];
            let is_error = is_error(self.conversation, *message, piece, text);
            if !is_looked_at(*kind, piece, is_error) {
                places.extend((*first..quotes.len()).filter(|at| shown.take(*message, &quotes[*at].text)));
                continue;
            }
            for quote in each_quote(mark_of_result(is_error), text) {
                if shown.take(*message, &quote.text) {
                    places.push(quotes.len());
                    quotes.push(quote.with(content));
                }
                if !shown.is_of(*message) {
                    break;
                }
            }
        }
        let entry = Entry { head: entry.head.clone(), quotes };
        (!places.is_empty()).then(|| Told {
            message: *message,
            entry,
            kind: *kind,
            is_earlier: *is_earlier,
            shown: places,
            changed: told.changed.clone(),
            replaced: told.replaced.clone(),
            results: Vec::new(),
        })
    }
}

/// Returns true for a result without a word.
fn is_blank(content: &Content) -> bool {
    match content {
        Content::Text(text) => text.trim().is_empty(),
        Content::Blocks(blocks) => {
            blocks.iter().all(|block| matches!(block, Block::Text { text, .. } if text.trim().is_empty()))
        }
        Content::Missing => true,
        Content::Other(_) => false,
    }
}

/// Returns true for a result that is marked as an error, or of a call that was denied.
fn is_error(conversation: &Conversation, message: usize, piece: &ContentPiece, text: &str) -> bool {
    let block = conversation.message(message).content.blocks().get(piece.block);
    matches!(block, Some(Block::ToolResult { is_error: true, .. }))
        || outcome_of_answer(text, false) == CallOutcome::Denied
}

fn mark_of_result(is_error: bool) -> Mark {
    if is_error { Mark::Failed } else { Mark::Answered }
}

/// Returns true if the first line of a result says no more than that a change succeeded, as its form proves. The head
/// of the entry says as much.
fn is_proof(kind: Kind, source: &ToolSource, text: &str) -> bool {
    // Behind a bracket, hosts say more.
    let says_more = text.trim().lines().next().is_none_or(|line| line.starts_with(['{', '<']) || line.contains(" ("));
    match kind {
        Kind::Change => !says_more && proves_change(text, &source.file),
        Kind::List => !says_more && proves_list(text),
        _ => false,
    }
}

/// Returns true for a successful result of a read or search. It is not quoted, except for shown lines.
fn is_looked_at(kind: Kind, piece: &ContentPiece, is_error: bool) -> bool {
    !is_error && kind == Kind::Look && piece.kind == ContentKind::ToolResults
}

/// Returns the message and block of the newest call that set a todo list and was not refused.
fn newest_list(conversation: &Conversation, tools: &ToolTable, pieces: &[Pieces]) -> Option<(usize, usize)> {
    let refused: HashSet<&str> = conversation
        .messages()
        .flat_map(|message| message.content.blocks())
        .filter_map(|block| match block {
            Block::ToolResult { tool_use_id, is_error: true, .. } => Some(tool_use_id.as_str()),
            _ => None,
        })
        .collect();
    let is_list = |block: &Block| matches!(block, Block::ToolUse { id, name, .. } if tools.meaning(name) == Meaning::Todo && !refused.contains(id.as_str()));
    let in_xml = |message: usize, piece: &ContentPiece| {
        let block = conversation.message(message).content.blocks().get(piece.block);
        piece.kind == ContentKind::ToolParameters
            && piece.source.meaning() == Meaning::Todo
            && !matches!(block, Some(Block::ToolUse { .. }))
    };
    (0..conversation.len()).rev().find_map(|message| {
        let block = conversation.message(message).content.blocks().iter().rposition(is_list);
        let block =
            block.or_else(|| pieces[message].iter().rfind(|piece| in_xml(message, piece)).map(|piece| piece.block));
        block.map(|block| (message, block))
    })
}

/// An entry while it is read.
struct Draft<'t> {
    /// The message and block in which the entry begins.
    place: (usize, usize),
    entry: Entry<'t>,
    kind: Kind,
    is_earlier: bool,
    /// True once the call has a result. Calls without a result are not quoted.
    is_answered: bool,
    changed: Vec<usize>,
    replaced: Vec<usize>,
    /// The lines that a change replaces by others.
    replaces: Vec<&'t str>,
    /// True if a call writes a whole file.
    is_whole: bool,
    results: Vec<Answer>,
}

impl Draft<'_> {
    /// Returns true for a change whose result says no more than that it succeeded.
    fn proves_change(&self) -> bool {
        let says = |quote: &Quotation<'_>| matches!(quote.mark, Mark::Answered | Mark::Failed);
        self.kind == Kind::Change && self.is_answered && !self.entry.quotes.iter().any(says)
    }
}

struct Reading<'a> {
    conversation: &'a Conversation,
    tools: &'a ToolTable,
    newest_list: Option<(usize, usize)>,
    drafts: Vec<Draft<'a>>,
    /// The draft of each call, by the address of the source that the call's pieces share.
    calls: HashMap<*const ToolSource, usize>,
    /// Keeps the sources alive, because their addresses are keys of `calls`.
    sources: Vec<Arc<ToolSource>>,
}

impl<'a> Reading<'a> {
    fn new(conversation: &'a Conversation, tools: &'a ToolTable) -> Self {
        Self {
            conversation,
            tools,
            newest_list: None,
            drafts: Vec::new(),
            calls: HashMap::default(),
            sources: Vec::new(),
        }
    }

    fn message(&mut self, message: usize, pieces: &[ContentPiece], texts: &[TextAt<'a>]) {
        let pins = &self.conversation.entries()[message].pins;
        self.answered(message);
        let stories = story_blocks(self.conversation, message);
        let is_call = self.conversation.message(message).role == Role::Assistant;
        let (mut announced, mut judged) = (None, Vec::new());
        let pieces: Vec<_> = with_texts(pieces, texts).collect();
        for (at, (piece, whole)) in
            pieces.iter().copied().enumerate().filter(|(_, (piece, _))| !pins.holds(piece.block))
        {
            let place = (message, piece.block);
            if piece.source == PieceSource::Words && stories.contains(&piece.block) {
                self.earlier(message, &whole.text[piece.range.clone()]);
                continue;
            }
            let source = if let PieceSource::Tool(source) = &piece.source { Some(Arc::clone(source)) } else { None };
            let draft = source.as_ref().map(|source| self.draft_of(message, piece, source));
            // In plain text, a line announces a result. The result may consist of the user's words only.
            match draft {
                Some(_) if piece.kind == ContentKind::MessageText && !is_call => {
                    judged.extend(std::mem::replace(&mut announced, draft));
                }
                Some(_) => announced = None,
                None => {}
            }
            for Stretch { range, voice } in piece.stretches(whole.text) {
                let text = &whole.text[range.clone()];
                let answer = |first: usize| Answer { message, piece: at, range: range.clone(), first };
                match (voice, draft, &source) {
                    _ if is_about_messages(text) || text.trim().is_empty() => {}
                    (Voice::Tool, Some(draft), Some(source)) => self.answer((draft, answer), piece, source, text),
                    (Voice::Assistant, Some(draft), Some(source)) => {
                        self.parameter(&pieces, draft, piece, source, text);
                    }
                    (Voice::User | Voice::Paste, Some(draft), Some(source)) => {
                        let (first, words) = announced_words(text);
                        self.answer((draft, answer), piece, source, first);
                        // The user's words are the result of the call.
                        self.drafts[draft].is_answered = true;
                        let place = self.drafts[draft].place;
                        self.words(place, USER, Kind::User, spoken(words));
                    }
                    (Voice::User, ..) => {
                        let words = announced.take().map_or(text, |draft| {
                            let (first, words) = announced_words(text);
                            self.drafts[draft].entry.quotes.extend(quotes_of(Mark::Answered, first));
                            judged.push(draft);
                            words
                        });
                        self.words(place, USER, Kind::User, spoken(words));
                    }
                    (Voice::Paste, ..) => self.words(place, PASTE, Kind::Paste, text),
                    _ if is_summary(self.conversation.message(message)) => {
                        self.words(place, SUMMARY, Kind::Summary, text);
                    }
                    (Voice::Assistant, ..) => {
                        self.words(place, ASSISTANT, Kind::Assistant, text);
                    }
                    (Voice::Summary, ..) => self.words(place, SUMMARY, Kind::Summary, text),
                    (Voice::Host, ..) if matches!(self.conversation.message(message).role, Role::Other(_)) => {
                        self.words(place, SYSTEM, Kind::User, text);
                    }
                    (Voice::Host, ..) if piece.source == PieceSource::Words => {
                        self.words(place, NOTICE, Kind::Notice, text);
                    }
                    (Voice::Host | Voice::Tool, ..) => {}
                }
            }
        }
        // A result after the user's words still belongs to this call, so the call is answered only now.
        judged.into_iter().chain(announced).for_each(|draft: usize| self.drafts[draft].is_answered = true);
    }

    /// Marks the calls with a result in this message as answered, even if the result is empty. Without a command that
    /// says nothing, an earlier failure or edit that it followed would seem to last.
    fn answered(&mut self, message: usize) {
        for block in self.conversation.message(message).content.blocks() {
            let Block::ToolResult { tool_use_id, is_error, content, .. } = block else { continue };
            let place = self.place_of(message, Some(tool_use_id));
            let is_call = |draft: &&mut Draft<'_>| draft.place == place && !draft.is_earlier;
            let Some(draft) = self.drafts.iter_mut().rev().find(is_call) else { continue };
            draft.is_answered = true;
            if *is_error && is_blank(content) {
                draft.entry.quotes.push(Quotation::new(Mark::Failed, "…"));
            }
        }
    }

    fn earlier(&mut self, message: usize, text: &'a str) {
        for entry in read_again(text) {
            let kind = Kind::from_head(&entry.head, self.tools);
            let place = (message, 0);
            self.begin(place, entry.head, kind, entry.quotes, true);
            self.drafts.last_mut().into_iter().for_each(|draft| draft.is_earlier = true);
        }
    }

    fn words(&mut self, place: (usize, usize), head: &str, kind: Kind, text: &'a str) {
        let quotes = quotes_of(Mark::Said, text);
        match self.drafts.last_mut() {
            Some(last) if last.place == place && last.entry.head == head => {
                last.entry.quotes.extend(quotes);
            }
            _ if quotes.is_empty() => {}
            _ => self.begin(place, head.to_owned(), kind, quotes, true),
        }
    }

    fn begin(
        &mut self,
        place: (usize, usize),
        head: String,
        kind: Kind,
        quotes: Vec<Quotation<'a>>,
        is_answered: bool,
    ) {
        let entry = Entry { head, quotes };
        self.drafts.push(Draft {
            place,
            entry,
            kind,
            is_earlier: false,
            is_answered,
            changed: Vec::new(),
            replaced: Vec::new(),
            replaces: Vec::new(),
            is_whole: false,
            results: Vec::new(),
        });
    }

    /// Returns the index of the draft for the call that a piece belongs to. Adds the draft if there is none.
    fn draft_of(&mut self, message: usize, piece: &ContentPiece, source: &Arc<ToolSource>) -> usize {
        let is_users = self.conversation.message(message).role == Role::User;
        if let Some(known) = self.calls.get(&Arc::as_ptr(source)) {
            return *known;
        }
        let blocks = self.conversation.message(message).content.blocks();
        let id = if let Some(Block::ToolResult { tool_use_id, .. }) = blocks.get(piece.block) {
            Some(tool_use_id)
        } else {
            None
        };
        // In plain text, a result belongs to the first matching call of the message before that has no result yet.
        let place = if is_users { self.place_of(message, id.map(String::as_str)) } else { (message, piece.block) };
        let called = |draft: &&(usize, &Draft<'_>)| draft.1.place.0 == place.0 && !draft.1.is_answered;
        let unanswered = || {
            let open = || self.drafts.iter().enumerate().filter(|draft| called(&draft));
            let is_named = |draft: &Draft<'_>| draft.entry.head.split(' ').next() == source.head.split(' ').next();
            let same = open().find(|(_, draft)| {
                draft.entry.head == source.head
                    || (!source.file.is_empty() && names_file(&draft.entry.head, &source.file))
            });
            same.or_else(|| open().find(|(_, draft)| is_named(draft))).map(|(at, _)| at)
        };
        let known = (is_users && id.is_none()).then(unanswered).flatten();
        let draft = known.unwrap_or(self.drafts.len());
        if known.is_none() {
            let kind = Kind::from_call(source.meaning, &source.head, source.only_reads);
            let head = if source.head.is_empty() { &source.label } else { &source.head };
            let head = match kind {
                // The changed lines are quoted, so the head needs only the file.
                Kind::Change if !source.file.is_empty() => format!("{} {}", source.name, source.file),
                _ if head.is_empty() => UNKNOWN.to_owned(),
                Kind::Change => head.split(PATCH).next().unwrap_or(head).to_owned(),
                _ => head.clone(),
            };
            let items = if self.is_newest_list(place, source) { self.list(place) } else { Vec::new() };
            let kind = if items.is_empty() { kind } else { Kind::List };
            self.begin(place, head, kind, items, false);
        }
        self.sources.push(Arc::clone(source));
        self.calls.insert(Arc::as_ptr(source), draft);
        draft
    }

    /// Returns the message and block of the call that a message answers.
    fn place_of(&self, message: usize, id: Option<&str>) -> (usize, usize) {
        let called = |at: &usize| self.conversation.message(*at).role == Role::Assistant;
        let Some(before) = (0..message).rev().find(called) else { return (message, 0) };
        let is_call = |block: &Block| matches!(block, Block::ToolUse { id: of, .. } if Some(of.as_str()) == id);
        let block = self.conversation.message(before).content.blocks().iter().position(is_call);
        (before, block.unwrap_or(usize::MAX))
    }

    fn parameter(
        &mut self,
        pieces: &[(&ContentPiece, &TextAt<'a>)],
        draft: usize,
        piece: &ContentPiece,
        source: &ToolSource,
        text: &'a str,
    ) {
        let kind = self.drafts[draft].kind;
        // These are the tags of a call in XML.
        if piece.kind != ContentKind::ToolParameters {
            return;
        }
        if source.meaning == Meaning::Todo {
            let place = self.drafts[draft].place;
            let is_native = matches!(self.block(place), Some(Block::ToolUse { .. }));
            if self.is_newest_list(place, source) && !is_native {
                self.drafts[draft].kind = Kind::List;
                self.drafts[draft].entry.quotes.extend(quotes_of(Mark::Given, text));
            }
            return;
        }
        let head = &self.drafts[draft].entry.head;
        let is_in_head = (text.len() <= MAX_HEAD_PARAMETER && !text.contains('\n')) || head.contains(text.trim());
        let parameter = Parameter::new(self.tools, piece, source, text, pieces);
        if kind == Kind::Change {
            let head = &mut self.drafts[draft].entry.head;
            parameter.files().iter().for_each(|file| name_file(head, file));
        }
        let written = if kind == Kind::Change { parameter.written() } else { None };
        // The path of a written file is in the head already. It is not text that the call wrote.
        if (is_in_head && written.is_none()) || text.trim() == source.file || parameter.is_beside() {
            return;
        }
        let draft = &mut self.drafts[draft];
        draft.is_whole |= source.meaning == Meaning::Write;
        let all = &mut draft.entry.quotes;
        for Written { quotes, changed, replaced } in
            written.unwrap_or_else(|| vec![Written::all(quotes_of(Mark::Given, text))])
        {
            // Lines may stand between two changes of a file.
            if quotes.first().is_some_and(|quote| quote.mark == Mark::Added) {
                all.iter_mut().rfind(|quote| quote.mark == Mark::Added).into_iter().for_each(Quotation::mark_gap);
            }
            draft.changed.extend(changed.into_iter().map(|at| all.len() + at));
            draft.replaces.extend(replaced);
            all.extend(quotes);
        }
    }

    fn answer(
        &mut self,
        (draft, answer): (usize, impl Fn(usize) -> Answer),
        piece: &ContentPiece,
        source: &ToolSource,
        text: &'a str,
    ) {
        let draft = &mut self.drafts[draft];
        let answer = answer(draft.entry.quotes.len());
        let block = self.conversation.message(answer.message).content.blocks().get(piece.block);
        let in_result = matches!(block, Some(Block::ToolResult { .. }));
        // The line that announces a result in plain text repeats the head.
        if piece.kind == ContentKind::MessageText && !in_result && text.trim_start().starts_with('[') {
            return;
        }
        let is_error = is_error(self.conversation, answer.message, piece, text);
        draft.results.push(answer);
        if is_looked_at(draft.kind, piece, is_error) {
            draft.is_answered = true;
            return;
        }
        let texts = if draft.kind == Kind::Change { around_final_content(text) } else { [text, ""] };
        let mut lines: Vec<_> = texts.iter().flat_map(|text| quotes_of(mark_of_result(is_error), text)).collect();
        if !is_error && is_proof(draft.kind, source, text) {
            lines = lines.split_off(1.min(lines.len()));
            lines.retain(|quote| !is_shown(&quote.text));
            draft.is_answered = true;
        }
        if source.file.len() > 4 {
            let target = Finder::new(&source.file);
            for quote in lines.iter_mut().filter(|quote| target.find(quote.text.as_bytes()).is_some()) {
                quote.text = quote.text.replace(&source.file, "…").into();
            }
        }
        draft.is_answered |= !lines.is_empty();
        draft.entry.quotes.extend(lines);
    }

    fn is_newest_list(&self, place: (usize, usize), source: &ToolSource) -> bool {
        source.meaning == Meaning::Todo && self.newest_list == Some(place)
    }

    fn block(&self, (message, block): (usize, usize)) -> Option<&'a Block> {
        self.conversation.message(message).content.blocks().get(block)
    }

    /// Returns the items of a todo list in a native call, each with its state before its words, or the lines of a list
    /// that is one text. A list without items is quoted as it was given: it ends the one before.
    fn list(&self, place: (usize, usize)) -> Vec<Quotation<'a>> {
        let Some(Block::ToolUse { input, .. }) = self.block(place) else { return Vec::new() };
        let fields: serde_json::Map<String, Value> = serde_json::from_str(input.get()).unwrap_or_default();
        let item = |item: &Value| {
            let Some(fields) = item.as_object() else { return item.as_str().unwrap_or_default().to_owned() };
            let is_words = |key: &str| !matches!(key, "activeForm" | "id" | "status" | "state");
            let state = ["status", "state"].iter().filter_map(|key| fields.get(*key)?.as_str());
            let words = fields.iter().filter(|(key, _)| is_words(key)).filter_map(|(_, value)| value.as_str());
            state.chain(words).collect::<Vec<_>>().join(": ")
        };
        let given =
            |text: &str| quotes_of(Mark::Given, text).into_iter().map(Quotation::into_owned).collect::<Vec<_>>();
        let items = fields.values().filter_map(Value::as_array).flatten().map(item);
        let listed: Vec<Quotation<'_>> = items.map(|item| Quotation::new(Mark::Given, &item).into_owned()).collect();
        let is_nothing = |value: &Value| value.as_array().is_some_and(Vec::is_empty) || value.as_str() == Some("");
        if !listed.is_empty() {
            listed
        } else if fields.values().any(is_nothing) {
            quotes_of(Mark::Given, input.get())
        } else {
            fields.values().filter_map(Value::as_str).flat_map(given).collect()
        }
    }

    fn finish(mut self) -> Vec<Told<'a>> {
        // The draft of a call without parameters is added with its result, so drafts may be out of order.
        self.drafts.sort_by_key(|draft| draft.place);
        find_replaced(&mut self.drafts);
        let is_told = |draft: &Draft<'_>| draft.kind != Kind::Silent && (draft.is_earlier || draft.is_answered);
        let newest_list = self.drafts.iter().rposition(|draft| draft.kind == Kind::List);
        let older = self.drafts.iter_mut().take(newest_list.unwrap_or(0)).filter(|draft| draft.kind == Kind::List);
        older.for_each(|draft| draft.kind = Kind::Silent);
        let mut all: Vec<Told<'_>> = Vec::new();
        let mut last: Option<usize> = None;
        for Draft { place: (message, _), entry, kind, is_earlier, changed, replaced, results, .. } in
            self.drafts.into_iter().filter(is_told)
        {
            let told = Told { message, entry, kind, is_earlier, shown: Vec::new(), changed, replaced, results };
            if told.says() {
                // Identical consecutive entries, such as a command that polls, are quoted once.
                if last.is_some_and(|last| !is_earlier && told.entry == all[last].entry) {
                    continue;
                }
                if let Some(before) = last.map(|last| &mut all[last]).filter(|_| kind == Kind::User) {
                    before.kind = if before.kind == Kind::Assistant { Kind::Report } else { before.kind };
                }
                last = Some(all.len());
            }
            all.push(told);
        }
        all
    }
}

/// The changes of a file after the one that is looked at.
#[derive(Default)]
struct LaterChanges {
    /// The lines that they replace, with their number.
    replaced: HashMap<String, usize>,
    /// The lines of the file's newest whole text.
    whole: Option<HashSet<String>>,
}

/// Finds the written lines that a later change of the same file replaced. Quoted, they would seem to stand.
fn find_replaced(drafts: &mut [Draft<'_>]) {
    let mut later: HashMap<String, LaterChanges> = HashMap::default();
    for draft in drafts.iter_mut().rev().filter(|draft| draft.kind == Kind::Change && !draft.is_earlier) {
        let LaterChanges { replaced: gone, whole } = later.entry(command(&draft.entry.head).to_owned()).or_default();
        let lines = || draft.changed.iter().map(|at| (*at, draft.entry.quotes[*at].text.trim()));
        let mut is_replaced = |line: &str| {
            let is_gone = gone.get_mut(line).filter(|times| **times > 0).map(|times| *times -= 1).is_some();
            is_gone || whole.as_ref().is_some_and(|whole| !whole.contains(line))
        };
        let says = |line: &str| line.chars().any(char::is_alphanumeric);
        draft.replaced = lines().filter(|(_, line)| says(line) && is_replaced(line)).map(|(at, _)| at).collect();
        if draft.proves_change() {
            draft.replaces.iter().for_each(|line| *gone.entry(line.trim().to_owned()).or_default() += 1);
            if draft.is_whole {
                *whole = Some(lines().map(|(_, line)| line.to_owned()).collect());
            }
        }
    }
}

/// Maximum characters of a head with several files. The others are dropped.
const FILES: usize = 240;

/// Adds a file to the head of a change, unless the head names it.
fn name_file(head: &mut String, file: &str) {
    let is_named = names_file(head, file);
    if !is_named && head.len() + file.len() < FILES {
        head.push_str(&format!(" {file}"));
    } else if !is_named && !head.ends_with('…') {
        head.push_str(" …");
    }
}

fn names_file(head: &str, file: &str) -> bool {
    format!("{head} ").contains(&format!(" {file} "))
}

/// Returns the line by which the host announces the user's words about a call, and the words. The line is empty if there
/// is none. Any other line that ends with a colon is the user's.
fn announced_words(text: &str) -> (&str, &str) {
    let (first, words) = text.trim().split_once('\n').unwrap_or((text, ""));
    let is_hosts = first.starts_with('[') || announces_words(first);
    if is_hosts && first.trim_end().ends_with(':') && !words.trim().is_empty() { (first, words) } else { ("", text) }
}

/// Returns the indices of the quotes for which `holds` returns true.
fn places_of(quotes: &[Quotation<'_>], mut holds: impl FnMut(&Quotation<'_>) -> bool) -> Vec<usize> {
    (0..quotes.len()).filter(|at| holds(&quotes[*at])).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::markers::{LEFT_OUT_HERE, LOG_HEADING};

    /// Returns the entries of a conversation, each with its kind, its head, and its quotes as `mark text`.
    fn told(messages: &Value) -> Vec<(Kind, String, Vec<String>)> {
        let conversation = Conversation::parse(&messages.to_string()).unwrap();
        let tools = ToolTable::default();
        let entries = Readable::new(&conversation, &tools).entries(0..conversation.len());
        let quote = |quote: &Quotation| format!("{:?} {}", quote.mark, quote.text);
        entries
            .iter()
            .filter(|told| told.says())
            .map(|told| (told.kind, told.entry.head.clone(), told.entry.quotes.iter().map(quote).collect()))
            .collect()
    }

    fn call(id: &str, name: &str, input: &Value) -> Value {
        json!({ "role": "assistant", "content": [{ "type": "tool_use", "id": id, "name": name, "input": input }] })
    }

    fn result(id: &str, text: &str) -> Value {
        json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": id, "content": text }] })
    }

    #[test]
    fn the_newest_todo_list_is_told_with_its_states_and_no_older_one() {
        let list = |state: &str| {
            json!({ "todos": [
            { "content": "Write the tests", "activeForm": "Writing the tests", "status": state },
            { "content": "Run them", "activeForm": "Running them", "status": "pending" },
        ] })
        };
        let all = told(&json!([
            call("a", "TodoWrite", &list("in_progress")),
            result("a", "Saved."),
            call("b", "TodoWrite", &list("completed")),
            result("b", "Saved."),
        ]));
        let [(Kind::List, _, quotes)] = &all[..] else { panic!("{all:?}") };
        assert_eq!(quotes, &["Given completed: Write the tests", "Given pending: Run them", "Answered Saved."]);
    }

    #[test]
    fn the_newest_todo_list_ends_the_one_before_whatever_its_form() {
        let before = json!({ "todos": [{ "content": "Write the tests", "status": "pending" }] });
        let quotes = |input: &Value| {
            let kept = "Todos have been modified successfully.";
            let all =
                [call("a", "TodoWrite", &before), result("a", kept), call("b", "TodoWrite", input), result("b", kept)];
            told(&json!(all)).into_iter().map(|(kind, _, quotes)| (kind, quotes)).collect::<Vec<_>>()
        };
        for (input, expected) in [
            (json!({ "todos": [] }), &[r#"Given {"todos":[]}"#][..]),
            (json!({ "merge": false, "todos": [] }), &[r#"Given {"merge":false,"todos":[]}"#]),
            (json!({ "explanation": "Done", "plan": [] }), &[r#"Given {"explanation":"Done","plan":[]}"#]),
            (json!({ "todos": ["Run them", "Push"] }), &["Given Run them", "Given Push"]),
            (json!({ "todos": "[x] Run them\n[ ] Push" }), &["Given [x] Run them", "Given [ ] Push"]),
        ] {
            assert_eq!(
                quotes(&input),
                [(Kind::List, expected.iter().map(|quote| (*quote).to_owned()).collect())],
                "{input}"
            );
        }
        assert!(quotes(&json!({})).is_empty(), "not a list");
    }

    #[test]
    fn words_are_a_report_before_the_users_and_told_again_where_they_are_said_again() {
        let again = "This line is said for the first time here.";
        let run = json!({ "type": "tool_use", "id": "a", "name": "Bash", "input": { "command": "npm test" } });
        let all = told(&json!([
            { "role": "user", "content": again },
            { "role": "assistant", "content": format!("{again}\nOK.") },
            { "role": "user", "content": "Go on." },
            { "role": "assistant", "content": "OK." },
            { "role": "user", "content": again },
            { "role": "assistant", "content": [{ "type": "text", "text": "I run them." }, run] },
            { "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "a", "content": "3 passed" }] },
            { "role": "assistant", "content": again },
        ]));
        let words: Vec<(Kind, &[String])> = all.iter().map(|(kind, _, quotes)| (*kind, &quotes[..])).collect();
        let said = |line: &str| vec![format!("Said {line}")];
        assert_eq!(
            words,
            [
                (Kind::User, &said(again)[..]),
                (Kind::Report, &[said(again), said("OK.")].concat()),
                (Kind::User, &said("Go on.")),
                (Kind::Report, &said("OK.")),
                (Kind::User, &said(again)),
                (Kind::Assistant, &said("I run them.")),
                (Kind::Command, &["Answered 3 passed".to_owned()]),
                (Kind::Assistant, &said(again)),
            ]
        );
    }

    #[test]
    fn an_earlier_story_is_read_again() {
        let line = "  3 tests failed in the package of the days";
        let story = format!(
            "{LOG_HEADING}\nBash npm test\n  → {}\nAssistant:\n  I will look at the failing tests now.",
            line.trim()
        );
        let all = told(&json!([
            { "role": "assistant", "content": LEFT_OUT_HERE },
            { "role": "user", "content": story },
            { "role": "assistant", "content": format!("{}\nI will look at the failing tests now.", line.trim()) },
        ]));
        let heads: Vec<(Kind, &str, &[String])> =
            all.iter().map(|(kind, head, quotes)| (*kind, &**head, &quotes[..])).collect();
        assert_eq!(
            heads,
            [
                (Kind::Command, "Bash npm test", &[format!("Answered {}", line.trim())][..]),
                (Kind::Assistant, "Assistant:", &["Said I will look at the failing tests now.".to_owned()]),
                (
                    Kind::Assistant,
                    "Assistant:",
                    &[format!("Said {}", line.trim()), "Said I will look at the failing tests now.".to_owned()],
                ),
            ]
        );
    }

    #[test]
    fn shown_lines_of_a_command_are_places_and_those_of_a_read_are_quotes() {
        let input = json!({ "command": "npm test", "why": "first line\nsecond line" });
        let messages = json!([
            call("a", "Bash", &input),
            result("a", "one\ntwo\nthree"),
            call("b", "Read", &json!({ "file_path": "/src/a.ts" })),
            result("b", "1\tlet a;\n2\tlet b;"),
        ]);
        let conversation = Conversation::parse(&messages.to_string()).unwrap();
        let tools = ToolTable::default();
        let readable = Readable::new(&conversation, &tools);
        let all = readable.entries(0..conversation.len());
        let mut shown = ShownLines::default();
        [(1, "two"), (3, "let b;"), (3, "nowhere")].into_iter().for_each(|(message, line)| shown.insert(message, line));
        let found: Vec<Told> = all.iter().filter_map(|told| readable.with_lines(told, &mut shown)).collect();
        let shown_in =
            |told: &Told<'_>| told.shown.iter().map(|at| told.entry.quotes[*at].text.to_string()).collect::<Vec<_>>();
        assert_eq!(found.iter().map(shown_in).collect::<Vec<_>>(), [["two"], ["let b;"]]);
        assert_eq!(found[0].entry, all[0].entry);
        assert!(shown.is_of(3) && !shown.is_of(1), "a line that was found is taken out");
        assert!(readable.with_lines(&all[0], &mut shown).is_none());
    }

    #[test]
    fn commands_that_change_files_are_changes() {
        let commands =
            ["git checkout -- src/a.ts", "rm src/a.ts", "git restore src/a.ts", "npm test", "git stash", "git status"];
        let run = |(at, command): (usize, &&str)| {
            let (id, text) = (at.to_string(), if at % 4 == 0 { "" } else { "ok" });
            [call(&id, "Bash", &json!({ "command": command })), result(&id, text)]
        };
        let all = told(&json!(commands.iter().enumerate().flat_map(run).collect::<Vec<_>>()));
        let kinds: Vec<Kind> = all.iter().map(|(kind, ..)| *kind).collect();
        let others = [Kind::Command, Kind::Command, Kind::Inspection];
        assert_eq!(kinds, [&[Kind::Change; 3][..], &others].concat());
    }

    #[test]
    fn a_refused_list_does_not_take_the_place_of_the_list() {
        let list = |id: &str, state: &str| {
            call(id, "TodoWrite", &json!({ "todos": [{ "content": "Fix it", "status": state }] }))
        };
        let refused = json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "b", "is_error": true, "content": "The docs are not finished." }] });
        let all = told(&json!([list("a", "pending"), result("a", "Saved."), list("b", "completed"), refused]));
        let [(Kind::List, _, quotes)] = &all[..] else { panic!("{all:?}") };
        assert_eq!(quotes, &["Given pending: Fix it", "Answered Saved."]);
    }

    #[test]
    fn items_of_a_list_are_told_one_by_one() {
        let all = told(&json!([
            call("a", "TaskCreate", &json!({ "subject": "Write the tests", "description": "All of them." })),
            result("a", "Task #1 created successfully: Write the tests"),
            call("b", "TaskUpdate", &json!({ "taskId": "1", "status": "completed" })),
            result("b", "Updated task #1 status"),
        ]));
        let [(Kind::Item, created, _), (Kind::Item, updated, quotes)] = &all[..] else { panic!("{all:?}") };
        assert!(created.contains("Write the tests") && updated.contains("status=completed"), "{all:?}");
        assert_eq!(quotes, &["Answered Updated task #1 status"]);
    }

    #[test]
    fn a_line_before_a_list_is_the_users() {
        let answer = "Never do these:\n- drop the table\n- push to main";
        let all = told(&json!([call("a", "AskUserQuestion", &json!({})), result("a", answer)]));
        let said = all.iter().find(|(kind, ..)| *kind == Kind::User).map(|(.., quotes)| quotes.join("\n"));
        assert_eq!(said.as_deref(), Some("Said Never do these:\nSaid - drop the table\nSaid - push to main"));
    }

    #[test]
    fn an_error_without_words_is_told_as_an_error() {
        let failed = json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "a", "is_error": true, "content": "" }] });
        let all = told(&json!([call("a", "Bash", &json!({ "command": "npm test" })), failed]));
        assert_eq!(all, [(Kind::Command, "Bash npm test".to_owned(), vec!["Failed …".to_owned()])]);
    }

    #[test]
    fn lines_that_a_later_change_replaced_are_known() {
        let edit = |id: &str, old: &str, new: &str| {
            call(id, "Edit", &json!({ "file_path": "/a.ts", "old_string": old, "new_string": new }))
        };
        let done = |id: &str| result(id, "The file /a.ts has been updated.");
        let replaced = |last: [Value; 2]| {
            let mut messages = vec![edit("a", "x()", "check(user)\nlog(user)"), done("a")];
            messages.extend(last);
            let conversation = Conversation::parse(&json!(messages).to_string()).unwrap();
            let tools = ToolTable::default();
            let all = Readable::new(&conversation, &tools).entries(0..conversation.len());
            all[0].replaced.clone()
        };
        assert_eq!(replaced([edit("b", "check(user)", "audit(user)"), done("b")]), [0]);
        assert_eq!(replaced([edit("b", "check(user)", ""), done("b")]), [0]);
        assert_eq!(replaced([edit("b", "check(user)", "audit(user)"), result("b", "No match.")]), [0; 0]);
        let write = call("b", "Write", &json!({ "file_path": "/a.ts", "content": "log(user)\nend()" }));
        assert_eq!(replaced([write, done("b")]), [0]);
    }

    #[test]
    fn of_a_todo_list_the_result_is_told_unless_it_proves_the_list() {
        let list = json!({ "todos": [{ "content": "Fix it", "status": "pending" }] });
        let ending = |text: &str| told(&json!([call("a", "TodoWrite", &list), result("a", text)])).remove(0).2;
        let kept = "Todos have been modified successfully. Ensure that you continue to use the todo list to track your progress.";
        assert_eq!(ending(kept), ["Given pending: Fix it"]);
        assert_eq!(ending("The list is locked."), ["Given pending: Fix it", "Answered The list is locked."]);
    }

    #[test]
    fn summaries_instructions_and_empty_words_are_told_as_what_they_are() {
        let all = told(&json!([
            { "role": "assistant", "content": "What was done so far.", "isSummary": true },
            { "role": "developer", "content": "Answer in French." },
            { "role": "user", "content": [{ "type": "text", "text": " " }] },
            { "role": "user", "content": "[ERROR] You did not use a tool in your previous response! Please retry with a tool use." },
        ]));
        let all: Vec<(Kind, &str)> = all.iter().map(|(kind, head, _)| (*kind, &**head)).collect();
        assert_eq!(all, [(Kind::Summary, SUMMARY), (Kind::User, SYSTEM), (Kind::Notice, NOTICE)]);
    }

    #[test]
    fn a_patch_in_a_shell_is_a_change_of_its_files() {
        let patch = "*** Begin Patch\n*** Update File: a.ts\n@@\n-x\n+y\n*** Delete File: b.ts\n*** End Patch";
        let input = json!({ "command": ["apply_patch", patch] });
        let all = told(&json!([call("a", "shell", &input), result("a", "Done!")]));
        let quotes = ["Added y", "Given *** Delete File: b.ts", "Answered Done!"].map(str::to_owned).to_vec();
        assert_eq!(all, [(Kind::Change, "shell apply_patch a.ts b.ts".to_owned(), quotes)]);
        let document = json!({ "file_path": "/p.md", "content": patch });
        let all = told(&json!([call("a", "Write", &document), result("a", "Created.")]));
        assert_eq!((&*all[0].1, all[0].2.len()), ("Write /p.md", 8), "a patch in a document is content");
    }

    #[test]
    fn the_file_that_a_host_shows_after_a_write_is_not_how_it_ended() {
        let shown = "The content was saved.\n<final_file_content path=\"a.ts\">\nthrow new Error(\"3 tests failed\")\n</final_file_content>\nNew problems: 2";
        let input = json!({ "path": "a.ts", "content": "x" });
        let all = told(&json!([call("a", "write_to_file", &input), result("a", shown)]));
        assert_eq!(all[0].2, ["Added x", "Answered The content was saved.", "Answered New problems: 2"]);
    }

    /// Tags of files and hosts that a story quotes do not divide it.
    #[test]
    fn a_story_with_tags_of_a_file_is_read_again_whole() {
        let story = format!(
            "{LOG_HEADING}\nUser:\n  Never push.\nWrite a.md\n  + 3 lines:\n<file_content path=\"b.md\">\nUser:\n</file_content>\nUser:\n  Go on.\n  <environment_details>\n  x\n  </environment_details>"
        );
        let all = told(&json!([
            { "role": "assistant", "content": LEFT_OUT_HERE },
            { "role": "user", "content": story },
            { "role": "assistant", "content": "Done." },
        ]));
        let said: Vec<&str> = all.iter().flat_map(|(_, _, quotes)| quotes).map(String::as_str).collect();
        assert!(said.contains(&"Said Never push.") && said.contains(&"Said Go on."), "{all:?}");
    }

    #[test]
    fn a_number_of_lines_is_not_written_to_the_file() {
        let write = "<write_to_file>\n<path>a.txt</path>\n<content>\nmon\ntue\n</content>\n<line_count>2</line_count>\n</write_to_file>";
        let all = told(&json!([
            { "role": "user", "content": "Go." },
            { "role": "assistant", "content": write },
            { "role": "user", "content": "[write_to_file for 'a.txt'] Result:\nCreated." },
        ]));
        assert_eq!(all[1].2, ["Added mon", "Added tue", "Answered Created."]);
    }

    #[test]
    fn a_call_in_xml_that_the_user_denied_is_told_before_the_words() {
        let all = told(&json!([
            { "role": "user", "content": "Go." },
            { "role": "assistant", "content": "<execute_command>\n<command>git push</command>\n</execute_command>" },
            { "role": "user", "content": [
                { "type": "text", "text": "[execute_command for 'git push'] Result:" },
                { "type": "text", "text": "The user denied this operation and provided the following feedback:\n<feedback>\nnot yet\n</feedback>" },
            ] },
        ]));
        let all: Vec<(&str, &[String])> = all.iter().map(|(_, head, quotes)| (&**head, &quotes[..])).collect();
        let denied = "Answered The user denied this operation and provided the following feedback:".to_owned();
        assert_eq!(all[1..], [("execute_command git push", &[denied][..]), (USER, &["Said not yet".to_owned()])]);
    }

    #[test]
    fn calls_in_xml_name_the_file_inside_their_arguments() {
        let edit = "<apply_diff>\n<args>\n<file>\n<path>src/a.ts</path>\n<diff>\n<content>\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n</content>\n</diff>\n</file>\n</args>\n</apply_diff>";
        let read = "<read_file>\n<args>\n<file>\n<path>src/b.ts</path>\n</file>\n</args>\n</read_file>";
        let all = told(&json!([
            { "role": "user", "content": "Go." },
            { "role": "assistant", "content": edit },
            { "role": "user", "content": "[apply_diff for 'src/a.ts'] Result:\nApplied." },
            { "role": "assistant", "content": read },
            { "role": "user", "content": [{ "type": "text", "text": "[read_file for 'src/b.ts'] Result:" }, { "type": "text", "text": "let b" }] },
        ]));
        let heads: Vec<(Kind, &str)> = all.iter().map(|(kind, head, _)| (*kind, &**head)).collect();
        assert_eq!(heads, [(Kind::User, USER), (Kind::Change, "apply_diff src/a.ts")], "{all:?}");
        assert_eq!(all[1].2, ["Added b", "Answered Applied."]);
    }

    #[test]
    fn a_change_of_several_files_names_them() {
        let file = |path: &str, new: &str| {
            format!(
                "<file>\n<path>{path}</path>\n<diff>\n<content>\n<<<<<<< SEARCH\na\n=======\n{new}\n>>>>>>> REPLACE\n</content>\n</diff>\n</file>\n"
            )
        };
        let edit =
            format!("<apply_diff>\n<args>\n{}{}</args>\n</apply_diff>", file("src/a.ts", "b"), file("src/b.ts", "c"));
        let all = told(&json!([
            { "role": "user", "content": "Go." },
            { "role": "assistant", "content": edit },
            { "role": "user", "content": "[apply_diff for 'src/a.ts'] Result:\nApplied." },
        ]));
        assert_eq!(
            (&*all[1].1, &all[1].2[..2]),
            ("apply_diff src/a.ts src/b.ts", &["Added b …", "Added c"].map(str::to_owned)[..])
        );
        let patch = "*** Begin Patch\n*** Update File: a.ts\n@@\n-x\n+y\n*** Delete File: b.ts\n*** End Patch";
        let all = told(&json!([call("a", "apply_patch", &json!({ "input": patch })), result("a", "Done.")]));
        assert_eq!(all[0].1, "apply_patch a.ts b.ts");
        let many: String = (0..40).map(|at| format!("*** Delete File: src/a_long_folder/{at}.ts\n")).collect();
        let all = told(&json!([call("a", "apply_patch", &json!({ "input": many })), result("a", "Done.")]));
        assert!(all[0].1.ends_with(".ts …") && all[0].1.len() < FILES + 8, "{}", all[0].1);
    }

    #[test]
    fn what_an_edit_in_xml_replaced_is_not_told_as_written() {
        let edit = "<search_and_replace>\n<path>a.ts</path>\n<search>let a</search>\n<replace>let b</replace>\n</search_and_replace>";
        let all = told(&json!([
            { "role": "user", "content": "Go." },
            { "role": "assistant", "content": edit },
            { "role": "user", "content": "[search_and_replace for 'a.ts'] Result:\nApplied." },
        ]));
        assert_eq!(all[1].2, ["Added let b", "Answered Applied."]);
        let removal = edit.replace("let a", "check()\nrun()").replace("let b", "run()");
        let all = told(&json!([
            { "role": "user", "content": "Go." },
            { "role": "assistant", "content": removal },
            { "role": "user", "content": "[search_and_replace for 'a.ts'] Result:\nApplied." },
        ]));
        assert_eq!(all[1].2, ["Removed check()", "Answered Applied."]);
    }

    #[test]
    fn results_in_plain_text_go_to_the_calls_they_answer() {
        let command = |text: &str| format!("<execute_command>\n<command>{text}</command>\n</execute_command>");
        let all = told(&json!([
            { "role": "user", "content": "Go." },
            { "role": "assistant", "content": format!("{}\n{}", command("npm test"), command("npm run lint")) },
            { "role": "user", "content": [
                { "type": "text", "text": "[execute_command for 'npm test'] Result:" }, { "type": "text", "text": "3 passed" },
                { "type": "text", "text": "[execute_command for 'npm run lint'] Result:" }, { "type": "text", "text": "no problems" },
            ] },
        ]));
        let commands: Vec<&[String]> =
            all.iter().filter(|(kind, ..)| *kind == Kind::Command).map(|(.., quotes)| &quotes[..]).collect();
        assert_eq!(commands, [&["Answered 3 passed".to_owned()][..], &["Answered no problems".to_owned()]], "{all:?}");
    }

    #[test]
    fn of_an_edit_the_new_lines_are_told() {
        let input = json!({ "file_path": "/src/a.ts", "old_string": "let a = 1;", "new_string": "let a = 2;\nlet b = 3;", "explanation": "Because." });
        let written = json!({ "file_path": "/src/b.ts", "content": "export {};" });
        let all = told(&json!([
            call("a", "Edit", &input),
            result("a", "The file /src/a.ts has been updated."),
            call("b", "Write", &written),
            result("b", "Created."),
        ]));
        assert_eq!(
            all,
            [
                (
                    Kind::Change,
                    "Edit /src/a.ts".to_owned(),
                    ["Added let a = 2;", "Added let b = 3;"].map(str::to_owned).to_vec(),
                ),
                (
                    Kind::Change,
                    "Write /src/b.ts".to_owned(),
                    ["Added export {};", "Answered Created."].map(str::to_owned).to_vec()
                ),
            ]
        );
    }

    #[test]
    fn a_note_within_written_text_leaves_a_sign() {
        let all = told(&json!([
            call("a", "Write", &json!({ "file_path": "/a.txt", "content": "first\n[… 6 lines left out]\nlast" })),
            result("a", "Created."),
        ]));
        assert_eq!(all[0].2, ["Added first", "Added …", "Added last", "Answered Created."]);
    }

    #[test]
    fn the_users_answers_are_told_once_without_the_hosts_tags() {
        let asked = |id: &str, answer: &str| {
            [call(id, "ask_followup_question", &json!({ "question": "Delete b?" })), result(id, answer)]
        };
        let refused =
            "The user denied this operation and provided the following feedback:\n<feedback>\nNo.\n</feedback>";
        let all = told(&json!(
            [
                &asked("a", "<answer>\nno, keep b.ts\n</answer>")[..],
                &asked("b", "Your questions are answered: \"Push?\"=\"No\""),
                &[call("c", "Bash", &json!({ "command": "rm b" })), result("c", refused)],
            ]
            .concat()
        ));
        let all: Vec<(Kind, &[String])> = all.iter().map(|(kind, _, quotes)| (*kind, &quotes[..])).collect();
        let said = |line: &str| [format!("Said {line}")];
        let denied = ["Failed The user denied this operation and provided the following feedback:".to_owned()];
        assert_eq!(
            all,
            [
                (Kind::Report, &[][..]),
                (Kind::User, &said("no, keep b.ts")),
                (Kind::Report, &[]),
                (Kind::User, &said("Your questions are answered: \"Push?\"=\"No\"")),
                (Kind::Change, &denied),
                (Kind::User, &said("No.")),
            ]
        );
    }

    #[test]
    fn a_change_is_told_by_the_lines_that_it_adds_or_else_removes() {
        let edit = |old: &str, new: &str| json!({ "file_path": "/app/x.ts", "old_string": old, "new_string": new });
        let block = |old: &str, new: &str| {
            format!("<<<<<<< SEARCH\n:start_line:4\n-------\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n")
        };
        let quotes = |name: &str, input: &Value| {
            let messages = json!([call("a", name, input), result("a", "Done.")]);
            let conversation = Conversation::parse(&messages.to_string()).unwrap();
            let tools = ToolTable::default();
            let entries = Readable::new(&conversation, &tools).entries(0..2);
            let [Told { entry, changed, .. }] = &entries[..] else { panic!("{name}") };
            let quote = |at: &usize| format!("{:?} {}", entry.quotes[*at].mark, entry.quotes[*at].text);
            changed.iter().map(quote).collect::<Vec<_>>()
        };
        let (old, new) = ("fn a() {\n  one\n\n  two\n}", "fn a() {\n  one\n\n  new\n\n  newer\n  two\n}");
        let added = ["Added   new", "Added ", "Added   newer"];
        assert_eq!(quotes("Edit", &edit(old, new)), added);
        let removed = ["Removed   new", "Removed   newer"];
        assert_eq!(quotes("Edit", &edit(new, old)), removed);
        assert_eq!(quotes("Edit", &edit("", new))[0], "Added fn a() {");
        assert_eq!(quotes("Edit", &edit("gone", "")), ["Removed gone"]);
        let (old, new) = ("first\nsame\nsame too\nlast", "same\nsame too\nnew");
        assert_eq!(quotes("Edit", &edit(old, new)), ["Added new"], "unchanged lines are not added");
        let (old, new) = ("fn a() {\n  one\n\n  two\n}", "fn a() {\n  one\n\n  new\n\n  newer\n  two\n}");
        let edits = json!({ "file_path": "/app/x.ts", "edits": [
            { "old_string": old, "new_string": new },
            { "old_string": "a\nb", "new_string": "a\nc" },
        ] });
        assert_eq!(quotes("MultiEdit", &edits), [&added[..], &["Added c"]].concat());
        let two = "--- a/x.ts\n+++ b/x.ts\n@@ -1 +1 @@\n-a\n+b\n@@ -9 +9 @@\n-c\n+d";
        let two = quotes("apply_diff", &json!({ "path": "x.ts", "diff": two }));
        assert_eq!(two, ["Added b …", "Added d"], "lines stand between them");
        let blocks = json!({ "path": "x.ts", "diff": block(old, new) + &block(new, old) });
        assert_eq!(quotes("apply_diff", &blocks), [&added[..], &removed].concat());
        let unified = "--- a/x.ts\n+++ b/x.ts\n@@ -1,2 +1,2 @@\n same\n-old\n+new\n+\n+  last\n same";
        assert_eq!(
            quotes("apply_diff", &json!({ "path": "x.ts", "diff": unified })),
            ["Added new", "Added ", "Added   last"]
        );
        let patch =
            "*** Begin Patch\n*** Add File: a.ts\n+one\n+two\n*** Update File: b.ts\n@@\n one\n-two\n*** End Patch";
        assert_eq!(quotes("apply_patch", &json!({ "input": patch })), ["Added one", "Added two", "Removed two"]);
    }

    #[test]
    fn a_line_that_announces_words_is_not_part_of_them() {
        for (text, first, words) in [
            ("The user said:\nno, not so", "The user said:", "no, not so"),
            ("no, not so\nbut so", "", "no, not so\nbut so"),
            ("The user said:", "", "The user said:"),
            ("The user said:\n ", "", "The user said:\n "),
        ] {
            assert_eq!(announced_words(text), (first, words), "{text:?}");
        }
    }

    #[test]
    fn a_command_that_polls_is_told_once_with_what_it_was_given_in_its_head() {
        let poll = |id: &str| [call(id, "Bash", &json!({ "command": "npm test" })), result(id, "still running")];
        let all = told(&json!([poll("a"), poll("b")].concat()));
        assert_eq!(all, [(Kind::Command, "Bash npm test".to_owned(), vec!["Answered still running".to_owned()])]);
    }

    #[test]
    fn parameters_that_the_head_does_not_show_are_told() {
        let long = "words that are too long for a head, because there are so many of them that they would fill it";
        let input = json!({ "title": "A short title", "body": "first line\nsecond line", "why": long });
        let all = told(&json!([
            call("a", "mcp__notes__add", &input),
            result("a", "Added."),
            result("b", "Of a call that is gone.")
        ]));
        let [(Kind::Asked, head, quotes), (Kind::Asked, unknown, _)] = &all[..] else { panic!("{all:?}") };
        assert!(head.contains("A short title") && unknown == UNKNOWN, "{head} {unknown}");
        let long = format!("Given {long}");
        assert_eq!(quotes, &["Given first line", "Given second line", &long, "Answered Added."]);
    }

    #[test]
    fn of_a_look_its_failure_is_read_and_nothing_else() {
        let read = |id: &str| call(id, "Read", &json!({ "file_path": "/src/a.ts" }));
        let mut failed = result("b", "no such file");
        failed["content"][0]["is_error"] = true.into();
        let all = told(&json!([read("a"), result("a", "let a = 1;"), read("b"), failed]));
        let looks: Vec<(Kind, &[String])> = all.iter().map(|(kind, _, quotes)| (*kind, &quotes[..])).collect();
        assert_eq!(looks, [(Kind::Look, &["Failed no such file".to_owned()][..])]);
    }

    #[test]
    fn each_speaker_has_a_heading() {
        let all = told(&json!([
            { "role": "user", "content": "Go." },
            { "role": "system", "content": "Answer in French." },
            { "role": "assistant", "content": "D'accord." },
        ]));
        let heads: Vec<(Kind, &str)> = all.iter().map(|(kind, head, _)| (*kind, &**head)).collect();
        assert_eq!(heads, [(Kind::User, USER), (Kind::User, SYSTEM), (Kind::Assistant, ASSISTANT)]);
    }
}
