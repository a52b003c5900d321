//! Fits entries into a budget: older ones get less.

use std::{
    borrow::Cow,
    cell::{Ref, RefCell},
    collections::VecDeque,
    ops::Range,
    sync::Arc,
};

use super::{
    form::{Among, Form, shortest},
    kind::{Kind, command},
    reading::{Readable, Told},
    shown::ShownLines,
    text::{Paths, Writer, story},
};
use crate::{
    conversation::Conversation,
    maps::{HashMap, HashSet},
    parallel::{divided, each},
    tokens::{Encoding, count_inside},
    transcript::{ToolTable, left_in, without_view},
};

/// The largest scale. Everything is quoted in full.
const MOST: f64 = 4.0;
/// An earlier story is kept unchanged if the entries after it fit at this scale.
const CONTINUED: f64 = 0.15;
/// The smallest scale: calls that changed something are told without their lines.
const LEAST: f64 = 0.004;
/// Maximum number of scales to try, because estimates are slightly off.
const TRIES: usize = 5;
/// Minimum characters to which an entry is cut that is always quoted.
const LEAST_WORDS: usize = 40;

/// Messages that a story may quote. They are read once, because a fold writes their story up to several boundaries, and
/// with several budgets.
pub struct Telling<'a> {
    readable: Readable<'a>,
    writer: Writer,
    encoding: Encoding,
    /// Returns true for a line that can be read elsewhere.
    is_known: &'a dyn Fn(&str) -> bool,
    /// The entries that no story needed yet.
    unread: RefCell<VecDeque<Told<'a>>>,
    /// The entries before those, without shown lines.
    entries: RefCell<Vec<Arc<Candidate<'a>>>>,
}

/// An entry that may be included.
struct Candidate<'t> {
    told: Told<'t>,
    form: Form<'t>,
    /// Identifies the call among others, except for the directory of a command.
    key: String,
    /// The entry at its full length, or as it is in an earlier story. `None` if it is dropped even so.
    whole: Option<String>,
    /// Tokens of the same.
    tokens: usize,
    /// Tokens per byte.
    each: f64,
}

impl<'t> Candidate<'t> {
    fn new(told: Told<'t>, writer: &Writer, encoding: Encoding) -> Self {
        let form = Form::new(&told);
        let whole = match &told {
            // All lines of an entry, as an earlier story has them.
            Told { is_earlier: true, entry, .. } => Some(writer.written(&entry.head, &entry.quotes)),
            _ => form.told(writer, 1.0, Among::default()),
        };
        let text = whole.as_deref().unwrap_or_default();
        let tokens = count_of(text, encoding);
        let each = tokens as f64 / text.len().max(1) as f64;
        let key = key_of(&told);
        Self { told, form, key, whole, tokens, each }
    }
}

/// Returns what calls have in common of which the last one is true: a command without the choice of its output, and the
/// file that is read, whichever lines of it.
fn key_of(Told { entry, kind, .. }: &Told<'_>) -> String {
    match kind {
        Kind::Command | Kind::Inspection => {
            let whole = command(&entry.head);
            entry.head[..entry.head.len() - whole.len() + without_view(whole).len()].to_owned()
        }
        Kind::Look => entry.head.split(' ').take_while(|word| !word.contains('=')).collect::<Vec<_>>().join(" "),
        // Reminders repeat.
        Kind::Notice => entry.quotes.first().map_or_else(String::new, |quote| shortest(&quote.text).into_owned()),
        _ => entry.head.clone(),
    }
}

/// Returns the tokens of an entry and its line feed.
fn count_of(entry: &str, encoding: Encoding) -> usize {
    count_inside(&format!("{entry}\n"), encoding).tokens
}

/// A candidate in a story.
struct Placed<'t> {
    candidate: Arc<Candidate<'t>>,
    among: Among,
    /// The length in bytes for each share that was tried. All searches for a scale begin with the same shares.
    lengths: RefCell<Vec<(f64, usize)>>,
}

impl Placed<'_> {
    fn is_earlier(&self) -> bool {
        self.candidate.told.is_earlier
    }

    /// Writes the entry at this scale. `age` is 0 for the oldest entry and 1 for the newest.
    fn written(&self, writer: &Writer, age: f64, scale: f64) -> Option<Cow<'_, str>> {
        let Candidate { told, form, whole, .. } = &*self.candidate;
        let share = told.kind.share(age, scale);
        if self.is_whole_at(share) {
            return whole.as_deref().map(Cow::Borrowed);
        }
        form.told(writer, share, self.among).map(Cow::Owned)
    }

    /// Returns the bytes of the written entry and its line feed; 0 if the entry is dropped at this scale.
    fn length(&self, writer: &Writer, age: f64, scale: f64) -> usize {
        let Candidate { told, form, whole, .. } = &*self.candidate;
        let share = told.kind.share(age, scale);
        if self.is_whole_at(share) {
            return whole.as_ref().map_or(0, |whole| whole.len() + 1);
        }
        if let Some((_, length)) = self.lengths.borrow().iter().find(|(tried, _)| tried.total_cmp(&share).is_eq()) {
            return *length;
        }
        let length = form.length(writer, share, self.among).map_or(0, |length| length + 1);
        self.lengths.borrow_mut().push((share, length));
        length
    }

    /// Returns true if the entry is written as a whole at this share.
    fn is_whole_at(&self, share: f64) -> bool {
        share >= 1.0 && !self.among.is_again && !self.is_earlier()
    }
}

impl<'a> Telling<'a> {
    /// Reads these messages. An entry is dropped if `is_known` returns true for all its lines, because they can be read
    /// elsewhere. The user's words are always kept.
    pub fn new(
        conversation: &'a Conversation,
        tools: &'a ToolTable,
        encoding: Encoding,
        messages: Range<usize>,
        is_known: &'a dyn Fn(&str) -> bool,
    ) -> Self {
        let readable = Readable::new(conversation, tools);
        let told = readable.entries(messages);
        let names = told.iter().map(|told| told.entry.head.as_str()).chain(readable.tool_names());
        let writer = Writer::new(names, tools);
        let (unread, entries) = (RefCell::default(), RefCell::default());
        let mut telling = Self { readable, writer, encoding, is_known, unread, entries };
        let told = told.into_iter().filter(|told| telling.is_worth(told)).collect();
        telling.unread = RefCell::new(told);
        telling
    }

    /// Returns the entries of the messages before `end`, without shown lines.
    fn before(&self, end: usize) -> Ref<'_, [Arc<Candidate<'a>>]> {
        let mut unread = self.unread.borrow_mut();
        let count = unread.partition_point(|told| told.message < end);
        let told: Vec<Told<'a>> = unread.drain(..count).collect();
        let bytes = |told: &Told<'_>| told.entry.quotes.iter().map(|quote| quote.text.len()).sum();
        let (writer, encoding) = (&self.writer, self.encoding);
        let candidates =
            |told: Vec<Told<'a>>| told.into_iter().map(|told| Candidate::new(told, writer, encoding)).collect();
        let candidates: Vec<Vec<_>> = each(divided(told, bytes), candidates);
        self.entries.borrow_mut().extend(candidates.into_iter().flatten().map(Arc::new));
        Ref::map(self.entries.borrow(), |entries| {
            &entries[..entries.partition_point(|candidate| candidate.told.message < end)]
        })
    }

    fn is_worth(&self, Told { kind, entry, .. }: &Told<'_>) -> bool {
        *kind == Kind::User || entry.quotes.is_empty() || !entry.quotes.iter().all(|quote| (self.is_known)(&quote.text))
    }

    /// Returns the tokens of the shortest story of the messages before `end`: an earlier story unchanged, then the
    /// user's words in full.
    #[must_use]
    pub fn least(&self, end: usize) -> usize {
        let stays = |candidate: &&Arc<Candidate<'_>>| candidate.told.is_earlier || candidate.form.is_always_told();
        self.before(end).iter().filter(stays).map(|candidate| candidate.tokens).sum::<usize>() + self.heading()
    }

    fn heading(&self) -> usize {
        count_of(crate::markers::LOG_HEADING, self.encoding) + 1
    }

    /// Returns the story of the messages before `end` in at most `room` tokens. Returns `None` if there is nothing to
    /// quote, or if nothing fits. The lines in `shown` are quoted at any scale.
    #[must_use]
    pub fn told(&self, end: usize, room: usize, shown: &ShownLines) -> Option<String> {
        let count = |text: &str| count_of(text, self.encoding);
        let all = self.until(end, shown);
        let room = room.checked_sub(self.heading())?;
        let writer = &self.writer;
        let all = placed(all);
        let standing: Vec<String> =
            all.iter().take_while(|one| one.is_earlier()).filter_map(|one| one.candidate.whole.clone()).collect();
        let later = &all[standing.len()..];
        let stand: usize = all[..standing.len()].iter().map(|one| one.candidate.tokens).sum();
        // If a call in the earlier story was run again, its new result must be quoted. Otherwise, the earlier story
        // would report an outdated ending.
        let is_told = |entry: &Placed<'_>, at: usize, scale: f64| {
            let is_known = all[..standing.len()].iter().any(|earlier| earlier.candidate.key == entry.candidate.key);
            !is_known || entry.among.is_again || entry.length(writer, age(at, later), scale) > 0
        };
        let continued = room.checked_sub(stand).filter(|_| !standing.is_empty()).and_then(|room| {
            let (entries, scale) = chosen(writer, later, room, count)?;
            let are_told = later.iter().enumerate().all(|(at, entry)| is_told(entry, at, scale));
            (scale >= CONTINUED && are_told).then_some(entries)
        });
        let entries = match continued {
            Some(later) => standing.into_iter().chain(later).collect(),
            None => chosen(writer, &all, room, count)
                .map_or_else(|| cut_to(writer, &all, room, count), |(entries, _)| entries),
        };
        story(entries.iter().map(String::as_str))
    }

    /// Returns the entries of the messages before `end`, with the lines in `shown`. Reads that say nothing are included,
    /// because a read that failed may have succeeded later.
    fn until(&self, end: usize, shown: &ShownLines) -> Vec<Arc<Candidate<'a>>> {
        let mut shown = shown.clone();
        let mut with_lines = |candidate: &Arc<Candidate<'a>>| {
            let told = self.readable.with_lines(&candidate.told, &mut shown).filter(|told| self.is_worth(told));
            let told = told.map(|told| Arc::new(Candidate::new(told, &self.writer, self.encoding)));
            told.unwrap_or_else(|| Arc::clone(candidate))
        };
        self.before(end).iter().map(&mut with_lines).collect()
    }
}

/// Returns the candidates that say something, each with its relation to the later ones.
fn placed(all: Vec<Arc<Candidate<'_>>>) -> Vec<Placed<'_>> {
    let directories = directories(&all);
    let mut among: Vec<Among> = all.iter().map(|_| Among::default()).collect();
    let mut later: HashSet<(&str, &str)> = HashSet::default();
    // True if a later command runs in the directory in which the one before it left the shell.
    let mut is_needed = false;
    for (at, one) in all.iter().enumerate().rev() {
        let Told { entry, kind, is_earlier, .. } = &one.told;
        let directory = &directories[at];
        let key = (directory.before.as_str(), one.key.as_str());
        let is_cut_again = || {
            let (beginning, rest) = entry.head.split_once('…')?;
            let end = rest.rsplit('…').next()?;
            let is_it = |key: &str| key.starts_with(beginning) && key.ends_with(end);
            later.iter().any(|(_, key)| is_it(key)).then_some(())
        };
        among[at].is_again = later.contains(&key) || (*is_earlier && is_cut_again().is_some());
        // A later change that failed leaves the earlier one as it is.
        if *kind != Kind::Change || one.form.proves_change() {
            later.insert(key);
        }
        if matches!(kind, Kind::Command | Kind::Inspection) {
            among[at].is_needed = directory.is_left && is_needed;
            is_needed = !directory.is_own;
        }
    }
    for (one, is_alike) in among.iter_mut().zip(alike(&all)) {
        one.is_alike = is_alike;
    }
    let placed = |(candidate, among): (Arc<_>, _)| Placed { candidate, among, lengths: RefCell::default() };
    all.into_iter().zip(among).filter(|(one, _)| one.told.says()).map(placed).collect()
}
/// Returns for each candidate whether its head, once cut, would be that of another call.
fn alike(all: &[Arc<Candidate<'_>>]) -> Vec<bool> {
    let heads: Vec<&str> = all.iter().map(|one| one.told.entry.head.as_str()).collect();
    let mut wholes: HashMap<Cow<'_, str>, &str> = HashMap::default();
    let mut alike: HashSet<Cow<'_, str>> = HashSet::default();
    for head in heads.iter().copied() {
        if *wholes.entry(shortest(head)).or_insert(head) != head {
            alike.insert(shortest(head));
        }
    }
    heads.iter().map(|head| !alike.is_empty() && alike.contains(&shortest(head))).collect()
}

/// The directory of a command's shell.
#[derive(Default)]
struct Directory {
    /// Where the command runs; empty if it says so itself.
    before: String,
    /// True if the command goes to a directory first.
    is_own: bool,
    /// True if it leaves the shell in another directory.
    is_left: bool,
}

fn directories(all: &[Arc<Candidate<'_>>]) -> Vec<Directory> {
    let mut now = String::new();
    let directory = |one: &Arc<Candidate<'_>>| {
        let Told { entry, kind, .. } = &one.told;
        if !matches!(kind, Kind::Command | Kind::Inspection | Kind::Change) {
            return Directory::default();
        }
        let line = command(&entry.head);
        let is_own = line.starts_with("cd ");
        let before = if is_own || *kind == Kind::Change { String::new() } else { now.clone() };
        let left = left_in(line).filter(|left| *left != now);
        let is_left = left.is_some();
        now = left.unwrap_or_else(|| std::mem::take(&mut now));
        Directory { before, is_own, is_left }
    };
    all.iter().map(directory).collect()
}

/// Returns the entries at the largest fitting scale found, and this scale. Returns `None` if even the entries that are
/// always quoted do not fit.
fn chosen(
    writer: &Writer,
    all: &[Placed<'_>],
    room: usize,
    count: impl Fn(&str) -> usize,
) -> Option<(Vec<String>, f64)> {
    let mut goal = room as f64;
    let mut best = None;
    for _ in 0..TRIES {
        let scale = scale_for(writer, all, goal);
        let entries = written_at(writer, all, |_| scale);
        let tokens: usize = entries.iter().map(|text| count(text)).sum();
        let fits = tokens <= room;
        if fits && best.as_ref().is_none_or(|(_, known)| *known < scale) {
            best = Some((entries, scale));
        }
        if (fits && (tokens * 50 >= room * 49 || scale >= MOST)) || scale <= 0.0 {
            break;
        }
        goal *= (room as f64 / tokens as f64).min(2.0) * if fits { 0.995 } else { 0.985 };
    }
    let (entries, scale) = best?;
    if scale > 0.0 {
        return Some((entries, scale));
    }
    // Not all entries fit at the smallest scale, but the newest may.
    let newest = |from: usize| written_at(writer, all, |at| if at < from { 0.0 } else { LEAST });
    let (mut low, mut high) = (0, all.len());
    while low < high {
        let middle = low + (high - low) / 2;
        let tokens: usize = newest(middle).iter().map(|text| count(text)).sum();
        if tokens <= room { high = middle } else { low = middle + 1 }
    }
    Some((if low < all.len() { newest(low) } else { entries }, scale))
}

/// Returns the largest scale at which the entries have about `goal` tokens; 0 if there is none.
fn scale_for(writer: &Writer, all: &[Placed<'_>], goal: f64) -> f64 {
    let estimate = |scale: f64| -> f64 {
        let tokens =
            |(at, entry): (usize, &Placed<'_>)| entry.length(writer, age(at, all), scale) as f64 * entry.candidate.each;
        all.iter().enumerate().map(tokens).sum()
    };
    if estimate(MOST) <= goal {
        return MOST;
    }
    let (mut low, mut high) = (0.0, MOST);
    while high - low > LEAST {
        let middle = f64::midpoint(low, high);
        if estimate(middle) <= goal { low = middle } else { high = middle }
    }
    low
}

fn age(at: usize, all: &[Placed<'_>]) -> f64 {
    at as f64 / all.len().max(1) as f64
}

/// Writes the entries, each at the scale that `scale` returns for its index.
fn written_at(writer: &Writer, all: &[Placed<'_>], scale: impl Fn(usize) -> f64) -> Vec<String> {
    let mut paths = Paths::default();
    let write = |(at, entry): (usize, &Placed<'_>)| {
        let text = entry.written(writer, age(at, all), scale(at))?;
        let (head, rest) = text.split_at(text.find('\n').unwrap_or(text.len()));
        let short = paths.shortened(head);
        Some(if entry.is_earlier() { text.into_owned() } else { format!("{short}{rest}") })
    };
    all.iter().enumerate().filter_map(write).collect()
}

/// Returns the entries that are always quoted, cut to `room` tokens. The longest entries are cut first. If entries of
/// [`LEAST_WORDS`] characters do not fit, the oldest are dropped.
fn cut_to(writer: &Writer, all: &[Placed<'_>], room: usize, count: impl Fn(&str) -> usize) -> Vec<String> {
    let words: Vec<&Form<'_>> =
        all.iter().map(|entry| &entry.candidate.form).filter(|form| form.is_always_told()).collect();
    let at = |most: usize| -> Vec<String> { words.iter().map(|form| form.cut_words(writer, most)).collect() };
    let tokens = |texts: &[String]| texts.iter().map(|text| count(text)).sum::<usize>();
    let (mut low, mut high) = (LEAST_WORDS, 8000);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if tokens(&at(middle)) <= room { low = middle } else { high = middle }
    }
    let mut texts = at(low);
    let mut left = tokens(&texts);
    texts.retain(|text| {
        let goes = left > room;
        left -= if goes { count(text) } else { 0 };
        !goes
    });
    texts
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lines_that_are_shown_stand_under_their_call_in_order_and_again_in_the_next_story() {
        let read =
            json!({ "type": "tool_use", "id": "a", "name": "Read", "input": { "file_path": "/app/src/day.rs" } });
        let run = json!({ "type": "tool_use", "id": "b", "name": "Bash", "input": { "command": "npm test" } });
        let result = |id: &str, text: &str| json!({ "type": "tool_result", "tool_use_id": id, "content": text });
        let messages = json!([
            { "role": "user", "content": "Fix it." },
            { "role": "assistant", "content": [read, run] },
            { "role": "user", "content": [
                result("a", "     7\tfn parse_due_date() {\n     8\t}\n     9\tfn other() {"),
                result("b", "listing src/week.rs\nnoise\n 3 passed"),
            ] },
        ]);
        let tools = ToolTable::default();
        let tell = |messages: &serde_json::Value, range: Range<usize>, lines: &[(usize, &str)]| {
            let conversation = Conversation::parse(&messages.to_string()).unwrap();
            let mut shown = ShownLines::default();
            lines.iter().for_each(|(message, line)| shown.insert(*message, line));
            let end = range.end;
            let telling = Telling::new(&conversation, &tools, Encoding::default(), range, &|_| false);
            telling.told(end, 400, &shown).unwrap()
        };
        let story = tell(&messages, 1..3, &[(2, "fn parse_due_date() {"), (2, "listing src/week.rs")]);
        let expected = "[Log of the messages left out here, in quotes]\nRead /app/src/day.rs\n  → fn parse_due_date() {\nBash npm test\n  → listing src/week.rs\n  → noise\n  → 3 passed";
        assert_eq!(story, expected);
        assert!(!tell(&messages, 1..3, &[]).contains("Read"), "a look is told for its lines alone");
        let next = json!([{ "role": "user", "content": "Fix it." }, { "role": "assistant", "content": crate::markers::LEFT_OUT_HERE }, { "role": "user", "content": story }]);
        assert_eq!(tell(&next, 2..3, &[(2, "fn parse_due_date() {")]), story, "an earlier story stands as it is");
    }

    /// Creates a session of `turns` requests. Each has the user's words, the assistant's words, and a command.
    fn session(turns: usize) -> Conversation {
        let turn = |turn: usize| {
            let words = format!("Request {turn}. ") + &format!("It concerns part {turn} of the program. ").repeat(4);
            let output = (0..30).map(|line| format!("output {line} of run {turn}")).collect::<Vec<_>>().join("\n");
            [
                json!({ "role": "user", "content": words }),
                json!({ "role": "assistant", "content": [
                    { "type": "text", "text": format!("I look at part {turn} now. ").repeat(12) },
                    { "type": "tool_use", "id": format!("c{turn}"), "name": "Bash", "input": { "command": format!("npm test part-{turn}") } },
                ] }),
                json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": format!("c{turn}"), "content": output }] }),
            ]
        };
        let messages: Vec<serde_json::Value> = (0..turns).flat_map(turn).collect();
        Conversation::parse(&json!(messages).to_string()).unwrap()
    }

    fn tokens(text: &str) -> usize {
        count_inside(text, Encoding::default()).tokens
    }

    #[test]
    fn a_story_takes_the_room_that_it_has_and_no_more() {
        let (conversation, tools) = (session(12), ToolTable::default());
        let telling = Telling::new(&conversation, &tools, Encoding::default(), 0..conversation.len(), &|_| false);
        let story = |room: usize| telling.told(conversation.len(), room, &ShownLines::default()).unwrap();
        let whole = tokens(&story(100_000));
        assert!(whole > 1500, "{whole}");
        assert_eq!(story(100_000), story(whole + 40), "all that is told fits");
        for room in [700, 800, 1000, 1200, 1400] {
            let told = tokens(&story(room));
            assert!(told <= room && told * 10 >= room * 9, "{told} of {room}");
            assert!((0..12).all(|turn| story(room).contains(&format!("Request {turn}. "))), "the user's words stay");
        }
    }

    /// If the user's words do not fit, all of them are cut. If the cut words do not fit either, the oldest are dropped.
    #[test]
    fn words_are_cut_to_a_room_that_does_not_hold_them() {
        let (conversation, tools) = (session(12), ToolTable::default());
        let telling = Telling::new(&conversation, &tools, Encoding::default(), 0..conversation.len(), &|_| false);
        let story = |room: usize| telling.told(conversation.len(), room, &ShownLines::default());
        let cut = story(400).unwrap();
        assert!(tokens(&cut) <= 400 && tokens(&cut) > 300, "{}", tokens(&cut));
        assert!((0..12).all(|turn| cut.contains(&format!("Request {turn}. "))) && !cut.contains("Assistant:"), "{cut}");
        let few = story(100).unwrap();
        assert!(tokens(&few) <= 100, "{}", tokens(&few));
        assert!(!few.contains("Request 0. ") && few.contains("Request 11. "), "{few}");
        assert_eq!(story(5), None);
    }

    /// Only a new run of its calls makes an earlier story outdated, not another call that is dropped for want of room.
    #[test]
    fn an_earlier_story_stays_beside_another_call_that_is_dropped() {
        let story = "[Log of the messages left out here, in quotes]\nUser:\n  Fix it.\nAssistant:\n  The days are read in one place alone, which I have found by now, and I will go on from there with the tests.\nBash npm test\n  → Tests  3 failed | 20 passed (23)";
        let said = "I have looked at all of the parts, and the one that reads the days is to be changed. ".repeat(12);
        let run = json!({ "type": "tool_use", "id": "a", "name": "Bash", "input": { "command": "ls src" } });
        let messages = json!([
            { "role": "assistant", "content": crate::markers::LEFT_OUT_HERE },
            { "role": "user", "content": story },
            { "role": "assistant", "content": [run] },
            { "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "a", "content": "a name\nanother name" }] },
            { "role": "assistant", "content": said },
            { "role": "user", "content": "Go on." },
        ]);
        let conversation = Conversation::parse(&messages.to_string()).unwrap();
        let tools = ToolTable::default();
        let telling = Telling::new(&conversation, &tools, Encoding::default(), 0..conversation.len(), &|_| false);
        let told = |room: usize| telling.told(conversation.len(), room, &ShownLines::default()).unwrap();
        let is_dropped = |story: &String| !story.contains("ls src");
        let dropped: Vec<String> = (60..400).map(told).filter(is_dropped).collect();
        assert!(dropped.iter().any(|whole| whole.starts_with(story)), "{dropped:?}");
    }

    /// A change is told without its result only if that proves its success. All other results are told.
    #[test]
    fn results_that_prove_a_change_are_not_told_and_all_others_are() {
        let results = [
            ("The file /app/0.ts has been updated.", None),
            (
                "The file /app/1.ts has been updated.\nNew problems: 12: the type is wrong",
                Some("New problems: 12: the type is wrong"),
            ),
            ("No match found.", Some("No match found.")),
            ("No match found.", Some("No match found.")),
            ("Die Datei wurde nicht geändert.", Some("Die Datei wurde nicht geändert.")),
            (
                "The file /app/5.ts has been updated. Here's the result of running `cat -n` on a snippet:\n     1\tb5\n     2\tend",
                None,
            ),
        ];
        let mut messages = vec![json!({ "role": "user", "content": "Fix it." })];
        for (at, (said, _)) in results.iter().enumerate() {
            let id = format!("e{at}");
            let input =
                json!({ "file_path": format!("/app/{at}.ts"), "old_string": "a", "new_string": format!("b{at}") });
            messages.push(json!({ "role": "assistant", "content": [{ "type": "tool_use", "id": id, "name": "Edit", "input": input }] }));
            messages.push(
                json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": id, "content": said }] }),
            );
        }
        let conversation = Conversation::parse(&json!(messages).to_string()).unwrap();
        let tools = ToolTable::default();
        let telling = Telling::new(&conversation, &tools, Encoding::default(), 1..conversation.len(), &|_| false);
        let story = telling.told(conversation.len(), 4000, &ShownLines::default()).unwrap();
        let entries: Vec<&str> = story.split("\nEdit ").skip(1).collect();
        for (at, (_, told)) in results.iter().enumerate() {
            let result = told.map_or(String::new(), |told| format!("\n  → {told}"));
            assert!(entries[at].ends_with(&format!("{at}.ts\n  + b{at}{result}")), "{story}");
        }
    }

    /// An earlier story is not kept unchanged if it would report an outdated ending of a call.
    #[test]
    fn a_story_that_goes_on_tells_how_calls_ended_now() {
        let run = |id: &str, command: &str, output: &str| {
            [
                json!({ "role": "assistant", "content": [{ "type": "tool_use", "id": id, "name": "Bash", "input": { "command": command } }] }),
                json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": id, "content": output }] }),
            ]
        };
        let story = "[Log of the messages left out here, in quotes]\nUser:\n  Fix it.\nBash npm test\n  → Tests  3 failed | 20 passed (23)";
        let mut messages = vec![
            json!({ "role": "assistant", "content": crate::markers::LEFT_OUT_HERE }),
            json!({ "role": "user", "content": story }),
        ];
        messages.extend(run("a", "npm test", "all is well now"));
        for turn in 0..8 {
            messages.extend(run(
                &format!("t{turn}"),
                &format!("node fails.js {turn}"),
                &format!("error: the file of turn {turn} is missing, so nothing was written"),
            ));
        }
        let conversation = Conversation::parse(&json!(messages).to_string()).unwrap();
        let tools = ToolTable::default();
        let telling = Telling::new(&conversation, &tools, Encoding::default(), 0..conversation.len(), &|_| false);
        for room in 60..400 {
            let story = telling.told(conversation.len(), room, &ShownLines::default()).unwrap();
            assert!(!story.contains("3 failed") || story.contains("all is well now"), "{room}: {story}");
        }
    }

    /// The shortest story has the earlier story and the user's words of the messages that it replaces.
    #[test]
    fn the_least_of_a_story_is_the_earlier_one_and_the_users_words() {
        let (conversation, tools) = (session(3), ToolTable::default());
        let telling = Telling::new(&conversation, &tools, Encoding::default(), 0..conversation.len(), &|_| false);
        let least = |messages: usize| telling.least(messages);
        assert!(least(0) < least(1) && least(1) == least(3) && least(3) < least(4), "one more request");
        let shortest = telling.told(9, least(9), &ShownLines::default()).unwrap();
        assert!((0..3).all(|turn| shortest.contains(&format!("Request {turn}. "))), "{shortest}");
    }

    /// A command whose output is piped is the same command.
    #[test]
    fn a_failure_is_not_told_without_a_later_run_with_another_pipe() {
        let run = |id: &str, command: &str, output: &str| {
            [
                json!({ "role": "assistant", "content": [{ "type": "tool_use", "id": id, "name": "Bash", "input": { "command": command } }] }),
                json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": id, "content": output }] }),
            ]
        };
        let mut messages = vec![json!({ "role": "user", "content": "Fix it." })];
        messages.extend(run("a", "npm test", "Tests  2 failed | 14 passed (16)"));
        messages.extend(run("b", "npm test 2>&1 | tail -5", "Tests  16 passed (16)"));
        for turn in 0..8 {
            messages.extend(run(&format!("t{turn}"), &format!("ls part{turn}"), "a.ts\nb.ts"));
        }
        let conversation = Conversation::parse(&json!(messages).to_string()).unwrap();
        let tools = ToolTable::default();
        let telling = Telling::new(&conversation, &tools, Encoding::default(), 0..conversation.len(), &|_| false);
        let stories = (30..200).filter_map(|room| telling.told(conversation.len(), room, &ShownLines::default()));
        for story in stories {
            assert!(!story.contains("2 failed") || story.contains("16 passed (16)"), "{story}");
        }
    }

    /// Returns the stories of these calls, each with its name, input and result, in all rooms from `from` on.
    fn stories(calls: &[(&str, serde_json::Value, &str, bool)], from: usize) -> Vec<String> {
        let mut messages = vec![json!({ "role": "user", "content": "Fix it." })];
        for (at, (name, input, output, is_error)) in calls.iter().enumerate() {
            let id = format!("c{at}");
            messages.push(json!({ "role": "assistant", "content": [{ "type": "tool_use", "id": id, "name": name, "input": input }] }));
            messages.push(json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": id, "content": output, "is_error": is_error }] }));
        }
        let conversation = Conversation::parse(&json!(messages).to_string()).unwrap();
        let tools = ToolTable::default();
        let telling = Telling::new(&conversation, &tools, Encoding::default(), 0..conversation.len(), &|_| false);
        (from..from + 300).filter_map(|room| telling.told(conversation.len(), room, &ShownLines::default())).collect()
    }

    fn bash(command: &str, output: &'static str) -> (&'static str, serde_json::Value, &'static str, bool) {
        ("Bash", json!({ "command": command }), output, false)
    }

    /// Creates an edit of a file with a result that proves it.
    fn edit(new: &str) -> (&'static str, serde_json::Value, &'static str, bool) {
        let input = json!({ "file_path": "/app/src/day.ts", "old_string": "x", "new_string": new });
        ("Edit", input, "The file /app/src/day.ts has been updated.", false)
    }

    /// A command that may change something is told as long as an edit that it may undo.
    #[test]
    fn an_edit_is_not_told_without_a_command_that_may_have_undone_it() {
        for (command, output) in [
            ("git stash", "Saved working directory and index state WIP on main: 3f2a1bc Days"),
            ("git reset --hard HEAD", "HEAD is now at 3f2a1bc Days"),
            ("rm src/day.ts && ls", "week.ts"),
        ] {
            let mut calls = vec![edit(&"let day = 1; ".repeat(9)), bash(command, output)];
            calls.extend((0..9).map(|at| bash(&format!("cat part{at}"), "one line of it\nand another line of it")));
            for story in stories(&calls, 20) {
                assert!(!story.contains("Edit ") || story.contains(command), "{story}");
            }
        }
    }

    #[test]
    fn an_edit_that_failed_leaves_the_earlier_one() {
        let (name, input, ..) = edit(&"let week = 2; ".repeat(9));
        let calls = [edit(&"let day = 1; ".repeat(9)), (name, input, "No sufficiently similar match found.", false)];
        for story in stories(&calls, 60) {
            assert!(!story.contains("No suff") || story.matches("day.ts").count() == 2, "{story}");
        }
    }

    #[test]
    fn a_failed_read_is_not_told_without_a_later_one_that_succeeded() {
        let read =
            |output: &'static str, is_error| ("Read", json!({ "file_path": "/app/plugin.json" }), output, is_error);
        let again = ("Read", json!({ "file_path": "/app/plugin.json", "offset": 3 }), "3\t{}", false);
        assert!(stories(&[read("File does not exist.", true)], 60).iter().all(|story| story.contains("not exist")));
        for later in [read("1\t{}", false), again] {
            let calls = [read("File does not exist.", true), bash("git pull", "2 files changed"), later];
            assert!(stories(&calls, 20).iter().all(|story| !story.contains("not exist")));
        }
    }

    #[test]
    fn commands_that_differ_in_what_they_do_are_others() {
        let (api, web) =
            ("/home/mara/work/ledger/packages/api/src/closing", "/home/mara/work/ledger/packages/web/src/closing");
        let (restore_api, restore_web) = (format!("git clean {api}"), format!("git clean {web}"));
        for (first, second) in [
            ("git diff > a.patch && git checkout -q .", "git diff | head -50"),
            ("cat m.sql | psql prod", "cat m.sql | psql staging"),
            (&restore_api, &restore_web),
        ] {
            let all = stories(&[edit("let day = 1;"), bash(first, ""), bash(second, "")], 60);
            let end = &first[first.len() - 15..];
            assert!(all.iter().all(|story| story.contains(end)), "{:?}", all.first());
        }
    }

    #[test]
    fn a_command_in_another_directory_is_another_and_its_directory_is_told() {
        let calls = [
            bash("cd packages/api && npm ci", "added 300 packages"),
            bash("npm test", "Tests  2 failed | 14 passed (16)"),
            bash("cd ../web && npm ci", "added 200 packages"),
            bash("npm test", "Tests  41 passed (41)"),
        ];
        for story in stories(&calls, 90) {
            assert!(!story.contains("41 passed") || story.contains("cd ../web"), "{story}");
            assert!(!story.contains("2 failed") || story.contains("cd packages/api"), "{story}");
        }
        let same = [
            bash("cd /w; npm test", "Tests  2 failed | 14 passed (16)"),
            bash("cd /w; npm test", "Tests  16 passed (16)"),
        ];
        assert!(stories(&same, 20).iter().all(|story| !story.contains("2 failed") || story.contains("16 passed")));
    }

    #[test]
    fn a_story_ends_before_its_end() {
        let (conversation, tools) = (session(3), ToolTable::default());
        let telling = Telling::new(&conversation, &tools, Encoding::default(), 0..conversation.len(), &|_| false);
        let mut shown = ShownLines::default();
        for lines in [None, Some("output 3 of run 0")] {
            lines.into_iter().for_each(|line| shown.insert(2, line));
            let story = telling.told(3, 10_000, &shown).unwrap();
            assert!(story.contains("Request 0. ") && !story.contains("Request 1. "), "{story}");
        }
        // Lines that can be read elsewhere are not quoted, except the user's words.
        let is_known = |line: &str| line.contains("part");
        let telling = Telling::new(&conversation, &tools, Encoding::default(), 0..conversation.len(), &is_known);
        let story = telling.told(9, 10_000, &ShownLines::default()).unwrap();
        assert!(story.contains("Request 2. ") && !story.contains("I look at"), "{story}");
    }
}
