//! Reads the results of tools that read files, in every known form.

use std::{ops::Range, sync::Arc};

use super::{
    numbered_lines::{excerpts, number},
    outcomes::CallOutcome,
    paths::clean,
    place::{Excerpt, Numbering, line_at},
};

/// The part of a file that was shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Extent {
    /// The whole file.
    Whole,
    /// Some lines, or possibly not the whole file.
    Part,
}

/// A file that a call requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) path: Arc<str>,
    /// The first line requested, if only a part was.
    pub(super) first: Option<u32>,
    /// True if only a part was requested.
    pub(super) part: bool,
}

/// A file that a result shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shown {
    pub(super) path: Arc<str>,
    /// Everything in the result about this file.
    pub(super) range: Range<usize>,
    pub(super) excerpts: Vec<Excerpt>,
    pub(super) extent: Extent,
    pub(super) outcome: CallOutcome,
}

impl Shown {
    fn new(path: &str, at: usize) -> Self {
        Self { path: path.into(), range: at..at, excerpts: Vec::new(), extent: Extent::Part, outcome: CallOutcome::Ok }
    }

    fn finish(mut self, end: usize, requests: &[Request]) -> Self {
        self.range.end = end;
        let from_start = matches!(self.excerpts.as_slice(), [only] if only.first == 1);
        let name = clean(&self.path);
        let part = requests.iter().any(|request| request.part && (requests.len() == 1 || clean(&request.path) == name));
        if from_start && !part && self.outcome == CallOutcome::Ok {
            self.extent = Extent::Whole;
        }
        self
    }
}

/// Returns the files in a result. If `plain` is true, a result without any marks may be the file itself.
pub(super) fn files(text: &str, index: usize, range: Range<usize>, requests: &[Request], plain: bool) -> Vec<Shown> {
    let body = &text[range.clone()];
    let start = range.start + (body.len() - body.trim_start_matches(['\r', '\n']).len());
    let body = &text[start..range.end];
    // A line that announces the content, or a tag around numbered lines.
    let (head, next) = line_at(text, start, range.end);
    if text[head.clone()].contains("`cat -n`") || &text[head.clone()] == "<file>" {
        let (second, _) = line_at(text, next, range.end);
        if let ([request], true) = (requests, number(text, second).is_some()) {
            return numbered_file(text, index, next..range.end, request).into_iter().collect();
        }
    }
    let sections = if body.starts_with("<files>") || body.starts_with("<file>") {
        Some(Sections { opens: tagged_path, after_separator: false })
    } else if body.starts_with("File: ") {
        Some(Sections { opens: |line| line.strip_prefix("File: "), after_separator: true })
    } else if body.starts_with("--- ") {
        Some(Sections { opens: |line| line.strip_prefix("--- ")?.strip_suffix(" ---"), after_separator: false })
    } else {
        None
    };
    if let Some(sections) = sections {
        return sections.read(text, index, start..range.end, requests);
    }
    let [request] = requests else { return Vec::new() };
    numbered_file(text, index, start..range.end, request)
        .or_else(|| plain.then(|| plain_file(text, index, range, request)))
        .into_iter()
        .collect()
}

fn tagged_path(line: &str) -> Option<&str> {
    let line = line.strip_prefix("<file>").unwrap_or(line);
    Some(line.strip_prefix("<path>")?.split_once("</path>")?.0)
}

/// A kind of result in which every file has an opening line and numbered lines.
struct Sections {
    /// Returns the path in an opening line.
    opens: fn(&str) -> Option<&str>,
    /// True if an opening line must be at the beginning or after a line `---`.
    after_separator: bool,
}

impl Sections {
    fn read(&self, text: &str, index: usize, range: Range<usize>, requests: &[Request]) -> Vec<Shown> {
        let mut found = Vec::new();
        let mut current: Option<Shown> = None;
        let mut may_open = true;
        let mut definitions = false;
        let mut at = range.start;
        while at < range.end {
            let (line, next) = line_at(text, at, range.end);
            if let Some(shown) = current.as_mut().filter(|_| !definitions)
                && number(text, line.clone()).is_some()
            {
                let (lines, stop) = excerpts(text, index, at..range.end);
                shown.excerpts.extend(lines);
                at = stop.max(at + 1);
                may_open = !self.after_separator;
                continue;
            }
            let content = text[line.clone()].trim();
            if may_open
                && !definitions
                && let Some(path) = (self.opens)(content)
            {
                found.extend(
                    current
                        .replace(Shown::new(path.trim(), line.start))
                        .map(|shown| shown.finish(line.start, requests)),
                );
            }
            may_open = !self.after_separator || content == "---" || (may_open && content.is_empty());
            // A file's outline has numbers too, but does not consist of its lines.
            if content.starts_with("<list_code_definition_names>") {
                definitions = true;
            }
            if content.ends_with("</list_code_definition_names>") {
                definitions = false;
            }
            if let Some(shown) = &mut current {
                note(content, shown);
            }
            at = if next > line.end { next } else { range.end };
        }
        found.extend(current.map(|shown| shown.finish(range.end, requests)));
        found
    }
}

/// Reads a line that belongs to no file's content, such as an error message.
fn note(line: &str, shown: &mut Shown) {
    if line.contains("<error>") || line.starts_with("Error: ") {
        shown.outcome = CallOutcome::Failed;
    } else if line.contains("<status>Denied") || line.starts_with("Denied by user") {
        shown.outcome = CallOutcome::Denied;
    } else if line.contains("Showing only ")
        || line.starts_with("IMPORTANT: File content truncated")
        || line.starts_with("... (")
    {
        shown.outcome = CallOutcome::CutOff;
    } else if line.starts_with("Lines ") && line.ends_with(':') && !line.starts_with("Lines 1-") {
        shown.extent = Extent::Part;
    }
}

/// Maximum number of lines that Claude Code shows without a requested range.
const MAX_WHOLE_LINES: usize = 2000;

fn numbered_file(text: &str, index: usize, range: Range<usize>, request: &Request) -> Option<Shown> {
    let (excerpts, end) = excerpts(text, index, range.clone());
    let first = excerpts.first()?;
    let rest = text[end..range.end].trim_start();
    // A plain file may begin with something that looks like a number.
    let ends_here = rest.is_empty() || rest.starts_with(['<', '(', '[']) || rest.starts_with("...");
    if !ends_here
        || (first.numbering != Numbering::Pipe && request.first.unwrap_or(1).max(1) != first.first && first.first == 0)
    {
        return None;
    }
    let long = excerpts.iter().map(|excerpt| excerpt.lines.len()).sum::<usize>() >= MAX_WHOLE_LINES
        && first.numbering != Numbering::Pipe;
    let mut shown = Shown { excerpts, ..Shown::new(&request.path, range.start) };
    let says_end = rest.starts_with("(End of file");
    if !says_end && (rest.starts_with(['[', '(']) || rest.starts_with("...")) {
        shown.outcome = CallOutcome::CutOff;
    }
    let part = request.part || long;
    Some(shown.finish(range.end, &[Request { part, ..request.clone() }]))
}

fn plain_file(text: &str, index: usize, range: Range<usize>, request: &Request) -> Shown {
    let start = range.start + usize::from(range.start > 0 && text[range.clone()].starts_with('\n'));
    let body = &text[start..range.end];
    let reminds = |blank: &str| body.find(&format!("{blank}<system-reminder>"));
    let end =
        body.trim_end().ends_with("</system-reminder>").then(|| ["\r\n\r\n", "\n\n"].into_iter().find_map(reminds));
    let end = end.flatten().map_or(range.end, |end| start + end);
    let excerpt = Excerpt::plain(text, index, start..end, request.first.unwrap_or(1).max(1));
    let shown = Shown { excerpts: vec![excerpt], ..Shown::new(&request.path, range.start) };
    shown.finish(range.end, std::slice::from_ref(request))
}

/// Returns the whole file that Cline shows after a write: `<final_file_content path="P">…</final_file_content>`.
pub(super) fn final_content(text: &str, index: usize, range: Range<usize>) -> Option<Excerpt> {
    let body = &text[range.clone()];
    let open = body.find("<final_file_content path=\"")?;
    let start = open + body[open..].find("\">\n")? + 3;
    let close = body.rfind("\n</final_file_content>").filter(|close| *close >= start)?;
    Some(Excerpt::plain(text, index, range.start + start..range.start + close, 1))
}

/// Returns a result without the file that Cline shows after a write: the text before it and the text after it.
pub fn around_final_content(text: &str) -> [&str; 2] {
    let Some(shown) = final_content(text, 0, 0..text.len()) else { return [text, ""] };
    let before = text[..shown.range.start].rfind("<final_file_content").unwrap_or(shown.range.start);
    let after = text[shown.range.end..].split_once("</final_file_content>").map_or("", |(_, after)| after);
    [&text[..before], after]
}

/// Returns the lines around an edit that Claude Code shows: `… running `cat -n` on a snippet of the edited file:`.
pub(super) fn snippet(text: &str, index: usize, range: Range<usize>) -> Vec<Excerpt> {
    let Some((_, next)) = (range.start < range.end).then(|| line_at(text, range.start, range.end)) else {
        return Vec::new();
    };
    let head = &text[range.start..next];
    if head.contains("`cat -n`") { excerpts(text, index, next..range.end).0 } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Path, excerpts (first number and lines), extent, outcome.
    type Read = (String, Vec<(u32, Vec<String>)>, Extent, CallOutcome);

    fn read(text: &str, paths: &[&str], plain: bool) -> Vec<Read> {
        let requests: Vec<_> =
            paths.iter().map(|path| Request { path: (*path).into(), first: None, part: false }).collect();
        let lines = |excerpt: &Excerpt| excerpt.lines.iter().map(|line| text[line.range()].to_owned()).collect();
        files(text, 0, 0..text.len(), &requests, plain)
            .into_iter()
            .map(|shown| {
                let excerpts = shown.excerpts.iter().map(|excerpt| (excerpt.first, lines(excerpt))).collect();
                (shown.path.to_string(), excerpts, shown.extent, shown.outcome)
            })
            .collect()
    }

    fn shown(path: &str, excerpts: &[(u32, &[&str])], extent: Extent, outcome: CallOutcome) -> Read {
        let excerpts = excerpts
            .iter()
            .map(|(first, lines)| (*first, lines.iter().map(|line| (*line).to_owned()).collect()))
            .collect();
        (path.to_owned(), excerpts, extent, outcome)
    }

    #[test]
    fn files_in_tags() {
        let text = "<files>\n<file><path>a</path>\n<content lines=\"1-3\">\n1 | x\n2 | </content>\n3 | </file>\n</content>\n</file>\n\
            <file><path>b</path>\n<content lines=\"1-1\">\n1 | y\n</content>\n<content lines=\"7-7\">\n7 | z\n</content>\n</file>\n\
            <file><path>c</path><error>Error reading file</error></file>\n<file><path>d</path>\n<content lines=\"1-1\">\n1 | w\n</content>\n\
            <list_code_definition_names>\n1--9 | class\n1 | no line\n</list_code_definition_names>\n<notice>Showing only 1 of 9 total lines.</notice>\n</file>\n</files>";
        let expected = [
            shown("a", &[(1, &["x", "</content>", "</file>"])], Extent::Whole, CallOutcome::Ok),
            shown("b", &[(1, &["y"]), (7, &["z"])], Extent::Part, CallOutcome::Ok),
            shown("c", &[], Extent::Part, CallOutcome::Failed),
            shown("d", &[(1, &["w"])], Extent::Part, CallOutcome::CutOff),
        ];
        assert_eq!(read(text, &["a", "b", "c", "d"], true), expected);
    }

    #[test]
    fn files_in_native_results() {
        let text = "File: a\nLines 1-1:\n1 | File: x\n\n---\n\nFile: b\nIMPORTANT: File content truncated.\n\tStatus: Showing lines 1-2 of 9 total lines.\n\n 1 | y\n 2 | \n\n---\n\nFile: c\nError: none";
        let expected = [
            shown("a", &[(1, &["File: x"])], Extent::Whole, CallOutcome::Ok),
            shown("b", &[(1, &["y", ""])], Extent::Part, CallOutcome::CutOff),
            shown("c", &[], Extent::Part, CallOutcome::Failed),
        ];
        assert_eq!(read(text, &["a", "b", "c"], true), expected);
    }

    #[test]
    fn one_file_without_its_name() {
        let reminder = "     1→x\n     2→\n\n<system-reminder>\nBe good.\n</system-reminder>\n";
        assert_eq!(read(reminder, &["a"], false), [shown("a", &[(1, &["x", ""])], Extent::Whole, CallOutcome::Ok)]);
        assert_eq!(read("x\ny\n", &["a"], true), [shown("a", &[(1, &["x", "y"])], Extent::Whole, CallOutcome::Ok)]);
        assert_eq!(read("<system-reminder>empty</system-reminder>", &["a"], false), []);
        assert_eq!(
            read("1 | x\nplain", &["a"], true),
            [shown("a", &[(1, &["1 | x", "plain"])], Extent::Whole, CallOutcome::Ok)]
        );
        assert_eq!(
            read("--- a ---\n1 | x\n... (cut)\n", &["a"], true),
            [shown("a", &[(1, &["x"])], Extent::Part, CallOutcome::CutOff)]
        );
    }
}
