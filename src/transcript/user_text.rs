//! What the parts of a user's text are: words of the user, headers and bodies of tool answers, snapshots of the environment,
//! files that were mentioned.

use std::ops::Range;

use memchr::memmem;

use super::{
    headers::{Header, announced_read},
    tools::ToolTable,
    xml_calls::{starts_line, trim_breaks},
};

/// A part of a text. The sections of a text cover it without gaps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Section<'a> {
    pub(super) range: Range<usize>,
    pub(super) kind: SectionKind<'a>,
}

/// What a section is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SectionKind<'a> {
    /// The user's, or the host's, words.
    Words,
    /// Announces a tool's answer.
    Header(Header<'a>),
    /// A tool's answer, and the header before it; without a header when the call is not known.
    Body(Option<Header<'a>>),
    /// `<environment_details>…</environment_details>`
    EnvironmentDetails,
    /// The content of a file that the user mentioned, and its path.
    Mention(&'a str),
}

/// Tags around what the user says in answer to a tool call.
const SPOKEN: [&str; 3] = ["feedback", "answer", "user_message"];

/// Reads the texts of one user message in order: a header in one text can announce the next text.
pub(super) struct UserTexts<'a, 't, F> {
    tools: &'t ToolTable,
    announced: Option<Header<'a>>,
    /// Whether a tool of this name was called in the message before.
    called: F,
}

impl<'a, 't, F: Fn(&str) -> bool> UserTexts<'a, 't, F> {
    pub(super) fn new(tools: &'t ToolTable, called: F) -> Self {
        Self { tools, announced: None, called }
    }

    /// The sections of the next text. `whole` says that the text is the whole message, so headers may stand inside it.
    pub(super) fn sections(&mut self, text: &'a str, whole: bool) -> Vec<Section<'a>> {
        let mut sections = Vec::new();
        let environment = trailing_environment(text);
        let main = 0..environment.as_ref().map_or(text.len(), |range| range.start);
        if !text[main.clone()].trim().is_empty() {
            self.main(text, main, whole, &mut sections);
        } else {
            push(&mut sections, main, SectionKind::Words);
        }
        if let Some(environment) = environment {
            self.announced = None;
            let rest = environment.end..text.len();
            push(&mut sections, environment, SectionKind::EnvironmentDetails);
            push(&mut sections, rest, SectionKind::Words);
        }
        sections
    }

    fn main(&mut self, text: &'a str, main: Range<usize>, whole: bool, sections: &mut Vec<Section<'a>>) {
        let announced = self.announced.take();
        if let Some(header) = Header::at_start(&text[main.clone()], &self.called) {
            return self.announced_answers(text, header, main.end, whole, sections);
        }
        if let Some((path, content)) = announced_read(&text[main.clone()], self.tools) {
            push(sections, 0..content, SectionKind::Words);
            return push(sections, content..main.end, SectionKind::Mention(path));
        }
        let start = text[main.clone()].trim_start();
        if start.starts_with("Tool result:\n") {
            // A result whose call was condensed away.
            let body = text.len() - text.trim_start().len() + "Tool result:\n".len();
            push(sections, 0..body, SectionKind::Words);
            return push(sections, body..main.end, SectionKind::Body(None));
        }
        match announced {
            Some(header) if !is_spoken(start) => body(text, main, header, sections),
            _ => words(text, main, sections),
        }
    }

    /// `header`, its body in the same text, and, in a message that is one string, the headers and bodies behind them.
    fn announced_answers(
        &mut self,
        text: &'a str,
        mut header: Header<'a>,
        end: usize,
        whole: bool,
        sections: &mut Vec<Section<'a>>,
    ) {
        let mut from = 0;
        loop {
            let next = if whole { self.next_header(text, header.end, end) } else { None };
            let body_end = next.map_or(end, |next| next.start);
            if text[header.end..body_end].trim().is_empty() {
                push(sections, from..body_end, SectionKind::Header(header));
                self.announced = next.is_none().then_some(header);
            } else {
                push(sections, from..header.end, SectionKind::Header(header));
                body(text, header.end..body_end, header, sections);
            }
            let Some(next) = next else { return };
            (header, from) = (next, next.start);
        }
    }

    fn next_header(&self, text: &'a str, from: usize, end: usize) -> Option<Header<'a>> {
        memmem::find_iter(&text.as_bytes()[from..end], "\n[")
            .find_map(|line_break| Header::on_line(&text[..end], from + line_break + 1, &self.called))
    }
}

fn push<'a>(sections: &mut Vec<Section<'a>>, range: Range<usize>, kind: SectionKind<'a>) {
    if !range.is_empty() {
        sections.push(Section { range, kind });
    }
}

/// A tool's answer, which may end with what the user said to it.
fn body<'a>(text: &'a str, range: Range<usize>, header: Header<'a>, sections: &mut Vec<Section<'a>>) {
    // A mention in the user's words puts the file behind them.
    let mentions = memmem::find_iter(&text.as_bytes()[range.clone()], MENTION)
        .map(|at| range.start + at)
        .find(|at| starts_line(text, *at))
        .filter(|at| SPOKEN.iter().any(|tag| text[range.start..*at].trim_end().ends_with(&format!("</{tag}>"))));
    let answer_end = mentions.unwrap_or(range.end);
    // "The user approved this operation and provided the following context" stands before the answer.
    let leading = leading_words(text, range.start..answer_end);
    let range = match leading {
        Some(end) => {
            push(sections, range.start..end, SectionKind::Words);
            end..range.end
        }
        None => range,
    };
    let answer_end = answer_end.max(range.start);
    let spoken = spoken_from(text, range.start..answer_end);
    push(sections, range.start..spoken.unwrap_or(answer_end), SectionKind::Body(Some(header)));
    if let Some(spoken) = spoken {
        words(text, spoken..range.end, sections);
    } else {
        words(text, answer_end..range.end, sections);
    }
}

/// Where the user's words end in an answer that starts with them and goes on.
fn leading_words(text: &str, range: Range<usize>) -> Option<usize> {
    let answer = &text[range.clone()];
    let start = answer.trim_start();
    let line = start.strip_prefix("The user ").and_then(|line| line.split_once('\n'))?.1;
    let tag =
        SPOKEN.iter().find(|tag| line.strip_prefix('<').is_some_and(|line| line.starts_with(&format!("{tag}>"))))?;
    let close = format!("\n</{tag}>");
    let open = range.end - line.len();
    let end = open + memmem::find(line.as_bytes(), close.as_bytes())? + close.len();
    (!text[end..range.end].trim().is_empty()).then_some(end)
}

/// Where the user's words start in an answer that ends with them.
fn spoken_from(text: &str, range: Range<usize>) -> Option<usize> {
    let answer = &text[range.clone()];
    let tag = SPOKEN.iter().find(|tag| answer.trim_end().ends_with(&format!("</{tag}>")))?;
    let open = memmem::rfind_iter(answer.as_bytes(), &format!("<{tag}>"))
        .map(|open| range.start + open)
        .find(|open| starts_line(text, *open))?;
    // "The user denied this operation and provided the following feedback:" belongs to the words.
    let before = text[range.start..open].trim_end();
    let line = range.start + before.rfind('\n').map_or(0, |at| at + 1);
    Some(if text[line..open].starts_with("The user ") { line } else { open.max(range.start) })
}

fn is_spoken(start: &str) -> bool {
    start.starts_with("<task>")
        || start.starts_with("<user_message>")
        || start.starts_with("New instructions for task continuation:")
}

/// What hosts put behind the words of the user for what is mentioned in them.
const ATTACHED: [&str; 6] =
    ["<file_content ", "<folder_content ", "<url_content ", "<workspace_diagnostics>", "<git_", "<terminal_output>"];

/// Where the words of a user's text end and what the host attached to them begins. What is attached may hold anything, so all behind it counts as
/// attached.
#[must_use]
pub fn attachments(text: &str) -> Option<usize> {
    let lines = std::iter::once(0).chain(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1));
    lines.into_iter().find(|line| ATTACHED.iter().any(|tag| text[*line..].starts_with(tag)))
}

const MENTION: &str = "<file_content path=\"";
const MENTION_END: &str = "</file_content>";

/// Words, and the files mentioned in them.
fn words<'a>(text: &'a str, range: Range<usize>, sections: &mut Vec<Section<'a>>) {
    let mut from = range.start;
    let mut at = range.start;
    while let Some(open) = memmem::find(&text.as_bytes()[at..range.end], MENTION.as_bytes()).map(|step| at + step) {
        at = open + MENTION.len();
        let Some(path_end) = memchr::memchr2(b'"', b'\n', &text.as_bytes()[at..range.end]).map(|step| at + step) else {
            break;
        };
        let Some(content) = text[path_end..range.end].strip_prefix("\">").map(|_| path_end + 2) else { continue };
        if !starts_line(text, open) {
            continue;
        }
        let Some(close) = mention_end(text, content..range.end) else { break };
        let inside = trim_breaks(text, content..close);
        push(sections, from..inside.start, SectionKind::Words);
        from = inside.end;
        at = close;
        push(sections, inside, SectionKind::Mention(&text[open + MENTION.len()..path_end]));
    }
    push(sections, from..range.end, SectionKind::Words);
}

/// The closing tag of a mention: the first one that ends the section. The file may hold such tags itself.
fn mention_end(text: &str, content: Range<usize>) -> Option<usize> {
    let mut last = None;
    for close in memmem::find_iter(&text.as_bytes()[content.clone()], MENTION_END).map(|at| content.start + at) {
        let rest = text[close + MENTION_END.len()..content.end].trim_start();
        let next = [
            "<file_content ",
            "<folder_content ",
            "<url_content ",
            "<workspace_diagnostics>",
            "<git_",
            "<terminal_output>",
            "</task>",
            "</feedback>",
            "</user_message>",
            "</answer>",
        ];
        if rest.is_empty() || next.iter().any(|next| rest.starts_with(next)) {
            return Some(close);
        }
        last = Some(close);
    }
    last
}

const ENVIRONMENT: &str = "<environment_details>";
const ENVIRONMENT_END: &str = "</environment_details>";

/// The environment snapshot at the end of a text, or the one that the text starts with.
fn trailing_environment(text: &str) -> Option<Range<usize>> {
    let start = text.len() - text.trim_start().len();
    let leading = text[start..].starts_with(ENVIRONMENT);
    let end = text.trim_end().len();
    if text[..end].ends_with(ENVIRONMENT_END) {
        let open = if leading {
            Some(start)
        } else {
            memmem::rfind_iter(text.as_bytes(), ENVIRONMENT).find(|open| starts_line(text, *open))
        };
        return open.map(|open| open..end);
    }
    if !leading {
        return None;
    }
    memmem::rfind(text.as_bytes(), ENVIRONMENT_END.as_bytes()).map(|close| start..close + ENVIRONMENT_END.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(texts: &[&'static str], whole: bool) -> Vec<(&'static str, &'static str)> {
        let tools = ToolTable::default();
        let mut reader = UserTexts::new(&tools, |name: &str| name == "read_file");
        let mut read = Vec::new();
        for text in texts {
            let sections = reader.sections(text, whole);
            assert_eq!(sections.iter().map(|section| &text[section.range.clone()]).collect::<String>(), **text);
            read.extend(sections.into_iter().map(|section| {
                let kind = match section.kind {
                    SectionKind::Words => "words",
                    SectionKind::Header(_) => "header",
                    SectionKind::Body(_) => "body",
                    SectionKind::EnvironmentDetails => "environment",
                    SectionKind::Mention(path) => path,
                };
                (kind, &text[section.range])
            }));
        }
        read
    }

    #[test]
    fn header_body_and_environment_in_three_texts() {
        let texts =
            ["[read_file for 'a'] Result:", "1 | [x] Result:", "<environment_details>\n# Time\n</environment_details>"];
        assert_eq!(kinds(&texts, false), [("header", texts[0]), ("body", texts[1]), ("environment", texts[2])]);
    }

    #[test]
    fn all_in_one_text() {
        let text = "[read_file for 'a'] Result:\none\n[read_file for 'b'] Result:\n[list_files for 'x'] Result:\n<environment_details>\n</environment_details>";
        let expected = [
            ("header", "[read_file for 'a'] Result:"),
            ("body", "\none\n"),
            ("header", "[read_file for 'b'] Result:"),
            ("body", "\n[list_files for 'x'] Result:\n"),
            ("environment", "<environment_details>\n</environment_details>"),
        ];
        assert_eq!(kinds(&[text], true), expected);
        assert_eq!(kinds(&[text], false).len(), 3);
    }

    #[test]
    fn the_words_of_the_user_stay_words() {
        let denied = "The user denied this operation and provided the following feedback:\n<feedback>\nno\n</feedback>";
        assert_eq!(kinds(&["[read_file for 'a'] Result:", denied], false)[1], ("words", denied));
        let approved = "The user approved this operation and provided the following context:\n<feedback>\nyes\n</feedback>\n<files>\n</files>";
        let read = kinds(&["[read_file for 'a'] Result:", approved], false);
        assert_eq!(read[2], ("body", "\n<files>\n</files>"));
        let running = "still running\nThe user provided the following feedback:\n<feedback>\nstop\n</feedback>\n\n<file_content path=\"a\">\n1 | x\n</file_content>";
        let read = kinds(&["[read_file for 'a'] Result:", running], false);
        assert_eq!(read[1..].iter().map(|(kind, _)| *kind).collect::<Vec<_>>(), ["body", "words", "a", "words"]);
        let more = "\n\nNew instructions for task continuation:\n<user_message>\nx\n</user_message>";
        assert_eq!(kinds(&["[read_file for 'a'] Result:", more], false)[1], ("words", more));
        assert_eq!(kinds(&["[read_file for 'a'] Result:", "body", more], false)[2], ("words", more));
    }

    #[test]
    fn mentions_hold_any_content() {
        let text = "<task>\nSee a\n</task>\n\n<file_content path=\"a\">\n1 | </file_content>\n2 | x\n</file_content>\n\n<file_content path=\"b\">\n1 | y\n</file_content>";
        let read = kinds(&[text], false);
        assert_eq!(read[1], ("a", "1 | </file_content>\n2 | x"));
        assert_eq!(read[3], ("b", "1 | y"));
    }
}
