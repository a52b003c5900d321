//! Determines who speaks in which stretch of a message: the user, the assistant, a tool, or the host in another's
//! place.
//!
//! Structure decides: the role, the block, and the forms in which hosts put the user's words into a tool result or a
//! reminder. Without such a form, a result is not the user's, and a user message is.

use std::ops::Range;

use memchr::memmem;
use serde_json::Value;

use super::{
    labels::ToolSource,
    pastes::pastes,
    tools::Meaning,
    user_answers::{refuses, refuses_in_words},
    user_text::{HostText, NOTICES, leading_words, spoken_from},
    xml_calls::starts_line,
};

/// The speaker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Voice {
    /// The user, in words of their own.
    User,
    /// The user, showing something: a log, a list, code.
    Paste,
    /// The assistant.
    Assistant,
    /// A tool, or the line that announces its result.
    Tool,
    /// The host: a reminder, a notice, a snapshot of the environment, a file that the user mentioned.
    Host,
    /// The host, handing over an earlier session's summary.
    Summary,
}

/// A stretch of a text with one speaker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stretch {
    /// The bytes in the text.
    pub range: Range<usize>,
    /// The speaker.
    pub voice: Voice,
}

impl Stretch {
    fn new(range: Range<usize>, voice: Voice) -> Self {
        Self { range, voice }
    }
}

/// Divides the part `range` of `text`, spoken by `voice`, into stretches with one voice each: in order, without gaps,
/// at least one. Only the user's words are divided. Linear in the length of the part.
pub(super) fn stretches(voice: Voice, range: Range<usize>, text: &str) -> Vec<Stretch> {
    if voice != Voice::User {
        return vec![Stretch::new(range, voice)];
    }
    let (mut start, mut end) = (range.start, range.end);
    let mut found = Vec::new();
    while let Some((close, voice)) = first_notice(&text[start..end]) {
        found.push(Stretch::new(start..start + close, voice));
        start += close;
    }
    let mut behind = Vec::new();
    while let Some((open, voice)) = last_notice(&text[start..end]) {
        behind.push(Stretch::new(start + open..end, voice));
        end = start + open;
    }
    for paste in pastes(&text[start..end]) {
        let paste = range_from(start, paste);
        let before = found.last().map_or(range.start, |last| last.range.end);
        found.extend((before < paste.start).then(|| Stretch::new(before..paste.start, Voice::User)));
        found.push(Stretch::new(paste, Voice::Paste));
    }
    let before = found.last().map_or(range.start, |last| last.range.end);
    found.extend((before < end || range.is_empty()).then(|| Stretch::new(before..end, Voice::User)));
    found.extend(behind.into_iter().rev());
    found
}

/// Returns the speaker of a text in the user's role that contains no tool result.
pub(super) fn voice_of_words(text: &str) -> Voice {
    match HostText::recognise(text) {
        Some(HostText::Summary) => Voice::Summary,
        Some(HostText::Notice) => Voice::Host,
        None => Voice::User,
    }
}

/// Returns the stretches of a tool result: the tool's own, and the user's that a host put into it. In order, without
/// gaps; none for an empty result.
pub(super) fn answer_stretches(text: &str, answer: Range<usize>, tool: &ToolSource, is_error: bool) -> Vec<Stretch> {
    let own = &text[answer.clone()];
    if tool.asks_user || is_users_alone(own, tool, is_error) {
        return vec![Stretch::new(answer, Voice::User)];
    }
    let mut spoken: Vec<Range<usize>> = Vec::new();
    if is_hosts(tool) {
        spoken.extend(judgement(own).map(|end| 0..end));
        spoken.extend(leading_words(own, 0..own.len()).map(|end| 0..end));
    }
    if matches!(tool.meaning, Meaning::Write | Meaning::Edit | Meaning::Editor) {
        spoken.extend(edited_by_user(own));
    }
    let mut end = own.trim_end().len();
    while let Some((open, voice)) = last_notice(&own[..end]) {
        spoken.extend((voice == Voice::User).then_some(open..end));
        end = open;
    }
    spoken.extend(announced_words(own, end).filter(|_| is_hosts(tool)).map(|open| open..end));
    spoken.sort_by_key(|range| range.start);
    let mut found = Vec::new();
    let mut done = 0;
    for range in spoken.into_iter().filter(|range| !range.is_empty()) {
        let range = range.start.max(done)..range.end;
        if range.is_empty() {
            continue;
        }
        found.extend((done < range.start).then(|| Stretch::new(done..range.start, Voice::Tool)));
        done = range.end;
        found.push(Stretch::new(range, Voice::User));
    }
    found.extend((done < own.len()).then(|| Stretch::new(done..own.len(), Voice::Tool)));
    found.into_iter().map(|stretch| Stretch::new(range_from(answer.start, stretch.range), stretch.voice)).collect()
}

/// Returns a tool's own result, after a host's statement of the user's judgement.
pub(super) fn behind_judgement(answer: &str) -> &str {
    let is_approved = |object: &str| !object.contains("\"operation\"");
    let judged = judgement(answer).filter(|end| is_approved(&answer[..*end]));
    let end = judged.or_else(|| leading_words(answer, 0..answer.len())).unwrap_or(0);
    &answer[end..]
}

/// Returns true for a tool whose results are the host's words, or the output of a command. What others bring from files,
/// pages, servers and agents may say that the user said something: only the host's mark of an error proves it.
fn is_hosts(tool: &ToolSource) -> bool {
    match tool.meaning {
        Meaning::Command => !tool.shows_files,
        Meaning::Edit
        | Meaning::Write
        | Meaning::Touch
        | Meaning::Editor
        | Meaning::Todo
        | Meaning::Item
        | Meaning::Plan
        | Meaning::Mode
        | Meaning::Ask => true,
        _ => false,
    }
}

fn range_from(start: usize, range: Range<usize>) -> Range<usize> {
    start + range.start..start + range.end
}

/// Returns true if a result consists only of what the user wants instead.
fn is_users_alone(answer: &str, tool: &ToolSource, is_error: bool) -> bool {
    // Roo writes this above the list as the user changed it.
    const CHANGED_LIST: &str = "User edits todo";
    (is_error && refuses_in_words(answer))
        || (is_hosts(tool) && refuses(answer))
        || (tool.meaning == Meaning::Todo && answer.trim_start().starts_with(CHANGED_LIST))
}

/// Fields in which hosts pass on the user's words about a call, or the user's changes to what it wrote.
const USERS_FIELDS: [&str; 2] = ["feedback", "user_edits"];

/// Returns the end of an object at the start of a result that hands on the user's words:
/// `{"status":"approved","feedback":"…"}`.
fn judgement(answer: &str) -> Option<usize> {
    let blanks = answer.len() - answer.trim_start().len();
    if !answer[blanks..].starts_with('{') || !USERS_FIELDS.iter().any(|field| answer.contains(&format!("\"{field}\"")))
    {
        return None;
    }
    let mut values = serde_json::Deserializer::from_str(&answer[blanks..]).into_iter::<Value>();
    let Some(Ok(Value::Object(object))) = values.next() else { return None };
    let is_of_host = ["status", "operation"].iter().any(|field| object.get(*field).is_some_and(Value::is_string));
    let says = |field: &str| object.get(field).and_then(Value::as_str).is_some_and(|words| !words.trim().is_empty());
    (is_of_host && USERS_FIELDS.iter().any(|field| says(field))).then(|| blanks + values.byte_offset())
}

/// Returns the user's changes to a written text before it was saved: `<user_edits>` (Roo), or a sentence above a diff
/// (Cline).
fn edited_by_user(answer: &str) -> Option<Range<usize>> {
    const OPEN: &str = "<user_edits>";
    const CLOSE: &str = "</user_edits>";
    const SENTENCE: &str = "The user made the following updates to your content:";
    const BEHIND: [&str; 2] = ["\nThe updated content", "\n<final_file_content"];
    let tagged = memmem::find_iter(answer.as_bytes(), OPEN).find(|open| starts_line(answer, *open)).and_then(|open| {
        let close = memmem::find(&answer.as_bytes()[open..], CLOSE.as_bytes())?;
        Some(open..open + close + CLOSE.len())
    });
    tagged.or_else(|| {
        let start = memmem::find_iter(answer.as_bytes(), SENTENCE).find(|start| starts_line(answer, *start))?;
        let end = BEHIND.iter().filter_map(|behind| answer[start..].find(behind)).min();
        Some(start..end.map_or(answer.len(), |end| start + end))
    })
}

/// Returns the start of the user's words at the end of a result, after a sentence of the host that announces them.
fn announced_words(answer: &str, end: usize) -> Option<usize> {
    spoken_from(answer, 0..end).filter(|open| answer[*open..].starts_with("The user "))
}

/// Returns the end of the notice at the start of `text`, and its speaker.
fn first_notice(text: &str) -> Option<(usize, Voice)> {
    let start = text.len() - text.trim_start().len();
    let tag = NOTICES.iter().find(|tag| opens(&text[start..], tag))?;
    let close = format!("</{tag}>");
    let end = start + memmem::find(&text.as_bytes()[start..], close.as_bytes())? + close.len();
    let ends_line = text[end..].chars().next().is_none_or(|next| matches!(next, '\n' | '\r'));
    // A text that consists of one stretch has one voice already.
    (ends_line && !text[end..].trim().is_empty()).then(|| (end, voice_of_words(&text[start..end])))
}

/// Returns the start of the notice at the end of `text`, and its speaker.
fn last_notice(text: &str) -> Option<(usize, Voice)> {
    let end = text.trim_end().len();
    let before = text[..end].strip_suffix('>')?;
    let tag = NOTICES.iter().find(|tag| before.strip_suffix(**tag).is_some_and(|before| before.ends_with("</")))?;
    let open = memmem::rfind(&text.as_bytes()[..end], format!("<{tag}>").as_bytes())?;
    (starts_line(text, open) && !text[..open].trim().is_empty()).then(|| (open, voice_of_words(&text[open..end])))
}

fn opens(text: &str, tag: &str) -> bool {
    text.strip_prefix('<').and_then(|text| text.strip_prefix(tag)).is_some_and(|text| text.starts_with('>'))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::transcript::ToolTable;

    fn told<'t>(text: &'t str, stretches: &[Stretch]) -> Vec<(Voice, &'t str)> {
        stretches.iter().map(|stretch| (stretch.voice, &text[stretch.range.clone()])).collect()
    }

    fn answered<'t>(tool: &str, answer: &'t str, is_error: bool) -> Vec<(Voice, &'t str)> {
        let source = ToolSource::new(tool, "", &ToolTable::default());
        told(answer, &answer_stretches(answer, 0..answer.len(), &source, is_error))
    }

    /// The only words of the user in a result, if there are any.
    fn users<'t>(tool: &str, answer: &'t str) -> Option<&'t str> {
        let found = answered(tool, answer, false);
        assert_eq!(found.iter().map(|(_, text)| *text).collect::<String>(), answer);
        let mut users = found.into_iter().filter(|(voice, _)| *voice == Voice::User).map(|(_, text)| text);
        let first = users.next();
        assert_eq!(users.next(), None);
        first
    }

    #[test]
    fn what_the_user_says_in_an_answer_is_the_users() {
        let denied =
            "The user denied this operation and provided the following feedback:\n<feedback>\nNo.\n</feedback>";
        let approved = "The user approved this operation and provided the following context:\n<feedback>\nBut only once.\n</feedback>";
        let instead = "The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to proceed, the user said:\nUse a map.";
        let judged =
            r#"{"status":"approved","message":"The user approved this operation","feedback":"But only once."}"#;
        let edited = r#"{"path":"a.ts","operation":"modified","user_edits":"@@ -1 +1 @@\n-a\n+b"}"#;
        let opencode =
            "The user rejected permission to use this specific tool call with the following feedback: Use a map.";
        let list = "User edits todo:\n\n[ ] Never push.";
        for whole in [denied, instead, judged, edited, opencode] {
            for tool in ["write_to_file", "Edit", "Bash"] {
                assert_eq!(users(tool, whole), Some(whole), "{tool}");
            }
            for tool in ["Read", "WebFetch", "Grep", "Task", "mcp_x"] {
                assert_eq!(users(tool, whole), None, "a file may say so: {tool}");
            }
        }
        assert_eq!(answered("Read", instead, true), [(Voice::User, instead)], "the host says that it failed");
        assert_eq!(users("update_todo_list", list), Some(list));
        assert_eq!(users("ask_followup_question", "Blue."), Some("Blue."));
        for (answer, said) in [
            (format!("{approved}\n\nnode v22"), approved),
            (format!("{judged}\n\nnode v22"), judged),
            (
                "still running\nThe user provided the following feedback:\n<feedback>\nstop\n</feedback>".to_owned(),
                "The user provided the following feedback:\n<feedback>\nstop\n</feedback>",
            ),
            (
                "node v22\n\n<system-reminder>\nThe user sent the following message:\nStop.\n</system-reminder>"
                    .to_owned(),
                "<system-reminder>\nThe user sent the following message:\nStop.\n</system-reminder>",
            ),
        ] {
            assert_eq!(users("execute_command", &answer), Some(said));
        }
        let tagged =
            "<file_write_result>\n<path>a.ts</path>\n<user_edits>\n-a\n+b\n</user_edits>\n</file_write_result>";
        assert_eq!(users("write_to_file", tagged), Some("<user_edits>\n-a\n+b\n</user_edits>"));
        let cline =
            "The user made the following updates to your content:\n\n-a\n+b\n\nThe updated content was saved to a.ts.";
        assert_eq!(
            users("replace_in_file", cline),
            Some("The user made the following updates to your content:\n\n-a\n+b\n")
        );
    }

    #[test]
    fn what_a_tool_found_is_no_word_of_the_user() {
        for answer in [
            "",
            "User edits todo: see the manual",
            r#"{"status":"approved"}"#,
            r#"{"feedback":"form","rows":3}"#,
            "<form>\n<feedback>\nWrite here\n</feedback>\n</form>",
            "1\t<feedback>\n2\tNo.\n3\t</feedback>",
            "<user_edits>\nnot of a write\n</user_edits>",
            "ok\n<system-reminder>\nThe file was changed.\n</system-reminder>",
            "ok\n<system-reminder>\nThe user selected the lines 1 to 2 from a.ts:\nx\n</system-reminder>",
        ] {
            assert_eq!(users("Bash", answer), None, "{answer}");
        }
    }

    /// The stretches of a text that the user wrote.
    fn of_user(text: &str) -> Vec<(Voice, &str)> {
        told(text, &stretches(voice_of_words(text), 0..text.len(), text))
    }

    #[test]
    fn notices_around_words_are_the_hosts_and_messages_in_them_the_users() {
        let notice = "<system-reminder>\nThe list is empty.\n</system-reminder>";
        let sent = "<system-reminder>\nThe user sent a new message while you were working:\nStop.\n\nGo on after that.\n</system-reminder>";
        assert_eq!(of_user(notice), [(Voice::Host, notice)]);
        assert_eq!(of_user(sent), [(Voice::User, sent)]);
        let text = format!("{notice}\nFix it.\n{notice}\n{sent}\n");
        assert_eq!(
            of_user(&text),
            [
                (Voice::Host, notice),
                (Voice::User, "\nFix it.\n"),
                (Voice::Host, &*format!("{notice}\n")),
                (Voice::User, &*format!("{sent}\n"))
            ]
        );
        assert_eq!(of_user("Why <system-reminder>x</system-reminder>?").len(), 1);
        assert_eq!(of_user(""), [(Voice::User, "")]);
    }

    #[test]
    fn pastes_are_told_from_the_words_around_them() {
        let log = (0..20).map(|i| format!("12:0{i} worker {i} ok\n")).collect::<String>();
        let text = format!("Look:\n{log}\nNever push.\n");
        assert_eq!(of_user(&text), [(Voice::User, "Look:\n"), (Voice::Paste, &log), (Voice::User, "\nNever push.\n")]);
    }

    proptest! {
        #[test]
        fn stretches_cover_every_text(parts in prop::collection::vec(prop::sample::select(vec![
            "<system-reminder>", "</system-reminder>", "The user sent a message:", "\n", "```", "- item", "x = 1;", "Some words of mine", "é", " ",
            "<feedback>", "</feedback>", "The user approved:", "{\"status\":\"denied\",\"feedback\":\"x\"}", "<user_edits>", "</user_edits>",
        ]), 0..60), is_error in any::<bool>()) {
            let text = parts.concat();
            let covered = |found: Vec<(Voice, &str)>| found.into_iter().map(|(_, part)| part).collect::<String>();
            prop_assert_eq!(covered(of_user(&text)), text.clone());
            for tool in ["Edit", "Bash", "ask_followup_question", "update_todo_list"] {
                prop_assert_eq!(covered(answered(tool, &text, is_error)), text.clone());
            }
        }
    }
}
