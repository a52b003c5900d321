//! Checks whether a result proves that a call succeeded: whether it has a form in which a host reports success, and
//! names the file of the call.
//!
//! No list of words covers every failure, so failures are not searched for. No conclusion is drawn from a result in an
//! unknown form.

use serde_json::Value;

use super::paths::clean;

/// Results that hosts return after writing or changing a file. `{path}` represents the file's path and `{n}` a
/// number. Unless `…` ends the form, only text that hosts add on separate lines or in brackets may follow.
const WRITTEN: [&str; 24] = [
    // Claude Code.
    "The file {path} has been updated successfully.",
    "The file {path} has been updated. Here's the result of running `cat -n`…",
    "The file {path} has been updated. All occurrences of …",
    "The file {path} has been updated.",
    "File created successfully at: {path}",
    "Applied {n} edits to {path}:",
    "Applied {n} edit to {path}:",
    // The text editor of SWE-agent, OpenHands and Anthropic's examples.
    "The file {path} has been edited. Here's the result of running `cat -n`…",
    "The file {path} has been edited successfully.",
    "Successfully replaced text at exactly one location.",
    "Text replaced. Please review the changes…",
    "File updated. Please review the changes…",
    // Cline and Roo.
    "The content was successfully saved to {path}.",
    "Changes successfully applied to {path}:",
    // Gemini CLI.
    "Successfully created and wrote to new file: {path}.",
    "Successfully overwrote file: {path}.",
    "Successfully modified file: {path} ({n} replacements).",
    "Created new file: {path} with provided content.",
    // OpenCode.
    "Edit applied successfully.",
    "Wrote file successfully.",
    // pi, and the file server of the Model Context Protocol.
    "Successfully replaced text in {path}.",
    "Successfully replaced {n} block(s) in {path}.",
    "Successfully wrote {n} bytes to {path}",
    "Successfully wrote to {path}",
];

/// Results that hosts return after setting a todo list: Claude Code, Roo, Codex, Gemini CLI.
const LISTED: [&str; 4] = [
    "Todos have been modified successfully.…",
    "Todo list updated successfully.",
    "Plan updated",
    "Successfully updated the todo list.…",
];

/// Text that may follow a form on its line.
const BEHIND: [&str; 4] = [" (", " Here is ", " Changed ", " Here's "];

/// Returns true if a result proves that the file at `path`, as the call names it, was written or changed.
pub fn proves_change(answer: &str, path: &str) -> bool {
    let said = output(answer);
    let said = said.trim();
    WRITTEN.iter().any(|form| has_form(said, form, path))
        || is_written_result(said, path)
        || is_patched(said, path)
        || shows_result(said, path)
}

/// Returns true if a result proves that a todo list was set.
pub fn proves_list(answer: &str) -> bool {
    LISTED.iter().any(|form| has_form(answer.trim(), form, ""))
}

/// Returns true if `said` begins with `form`, and the rest does not contradict it.
fn has_form(said: &str, form: &str, path: &str) -> bool {
    let (form, is_open) = form.strip_suffix('…').map_or((form, false), |form| (form, true));
    // Most results have another form, which shows before the first placeholder.
    let is_alike = |(one, other): &(u8, u8)| one == other && *one != b'{';
    let alike = form.bytes().zip(said.bytes()).take_while(is_alike).count();
    if form.as_bytes().get(alike).is_some_and(|byte| *byte != b'{') {
        return false;
    }
    let Some((before, after)) = form.split_once("{path}") else {
        return behind_numbers(said, form).is_some_and(|rest| is_open || ends(rest));
    };
    let Some(rest) = behind_numbers(said, before) else { return false };
    let line = rest.lines().next().unwrap_or_default();
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    !name.is_empty()
        && line.match_indices(name).any(|(at, _)| {
            let end = at + name.len();
            is_same(&line[..end], path) && behind_numbers(&rest[end..], after).is_some_and(|rest| is_open || ends(rest))
        })
}

/// Returns the text behind `form`, in which `{n}` stands for numbers.
fn behind_numbers<'s>(said: &'s str, form: &str) -> Option<&'s str> {
    let mut rest = said;
    for (index, part) in form.split("{n}").enumerate() {
        if index > 0 {
            let number = rest.trim_start_matches(|digit: char| digit.is_ascii_digit());
            rest = Some(number).filter(|number| number.len() < rest.len())?;
        }
        rest = rest.strip_prefix(part)?;
    }
    Some(rest)
}

fn ends(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with(['\n', '\r']) || BEHIND.iter().any(|behind| rest.starts_with(behind))
}

/// Returns true if two paths name one file; one of them may be relative.
fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (clean(one.trim_matches(['\'', '"', '`'])), clean(other));
    let is_end = |whole: &str, end: &str| {
        whole.strip_suffix(end).is_some_and(|folder| folder.is_empty() || folder.ends_with('/'))
    };
    !one.is_empty() && (is_end(&one, &other) || is_end(&other, &one))
}

/// Returns true for Roo's `{"path":"…","operation":"modified"}`, or the same in tags.
fn is_written_result(said: &str, path: &str) -> bool {
    const DONE: [&str; 2] = ["created", "modified"];
    if let Some(tagged) = said.strip_prefix("<file_write_result>") {
        let inside = |name: &str| {
            let rest = tagged.split_once(&format!("<{name}>"))?.1;
            Some(rest.split_once(&format!("</{name}>"))?.0.trim())
        };
        return inside("path").is_some_and(|named| is_same(named, path))
            && inside("operation").is_some_and(|operation| DONE.contains(&operation));
    }
    if !said.starts_with('{') {
        return false;
    }
    let Ok(Value::Object(object)) = serde_json::from_str(said) else { return false };
    let text = |name: &str| object.get(name).and_then(Value::as_str);
    text("path").is_some_and(|named| is_same(named, path))
        && text("operation").is_some_and(|operation| DONE.contains(&operation))
        && !object.contains_key("error")
        && text("status").is_none_or(|status| status == "success")
}

/// Returns true for `Success. Updated the following files:` (Codex, OpenCode) if one of the lines names the file.
fn is_patched(said: &str, path: &str) -> bool {
    let Some(files) = said.strip_prefix("Success. Updated the following files:") else { return false };
    let named = files.lines().skip(1).map_while(|line| line.trim().split_once(' '));
    named.take_while(|(how, _)| matches!(*how, "A" | "M" | "D" | "R")).any(|(_, named)| is_same(named.trim(), path))
}

/// Returns true for Cline's result, which shows the new content of the file.
fn shows_result(said: &str, path: &str) -> bool {
    let shown = said.split_once("<final_file_content path=\"").and_then(|(_, rest)| rest.split_once("\">\n"));
    shown.is_some_and(|(named, _)| is_same(named, path)) && said.contains("successfully saved")
}

/// Returns a program's output if a stated exit code reports success; any other answer unchanged.
fn output(answer: &str) -> std::borrow::Cow<'_, str> {
    if answer.starts_with("{\"output\":")
        && let Ok(object) = serde_json::from_str::<Value>(answer)
        && object["metadata"]["exit_code"].as_i64() == Some(0)
        && let Some(output) = object["output"].as_str()
    {
        return output.to_owned().into();
    }
    let headed = answer.strip_prefix("Exit code: 0\n").and_then(|rest| rest.split_once("Output:\n"));
    headed.map_or(answer, |(_, output)| output).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_host_has_its_form_of_success() {
        for answer in [
            "The file /w/src/a.ts has been updated successfully.",
            "The file /w/src/a.ts has been updated successfully. (file state is current in your context)",
            "The file /w/src/a.ts has been updated. Here's the result of running `cat -n` on a snippet of the edited file:\n     1\tx",
            "The file /w/src/a.ts has been updated. All occurrences of 'a' were successfully replaced with 'b'.",
            "File created successfully at: /w/src/a.ts",
            "File created successfully at: /w/src/a.ts\n\n<system-reminder>x</system-reminder>",
            "Applied 3 edits to /w/src/a.ts:\n1. Replaced \"a\"",
            "The file /w/src/a.ts has been edited. Here's the result of running `cat -n` on a snippet of /w/src/a.ts:\n 1\tx",
            "The content was successfully saved to src/a.ts.\n\n<final_file_content path=\"src/a.ts\">\nx\n</final_file_content>",
            "The user made the following updates to your content:\n\n-a\n\nThe updated content has been successfully saved to src/a.ts.\n<final_file_content path=\"src/a.ts\">\nx\n</final_file_content>",
            "<file_write_result>\n<path>src/a.ts</path>\n<operation>modified</operation>\n</file_write_result>",
            r#"{"path":"src/a.ts","operation":"created","notice":"You do not need to re-read it"}"#,
            "Success. Updated the following files:\nM src/b.ts\nM src/a.ts\n",
            "Exit code: 0\nWall time: 0.1 seconds\nOutput:\nSuccess. Updated the following files:\nA src/a.ts\n",
            r#"{"output":"Success. Updated the following files:\nM src/a.ts\n","metadata":{"exit_code":0,"duration_seconds":0.1}}"#,
            "Edit applied successfully.",
            "Wrote file successfully.\n\nLSP errors detected in this file, please fix:",
            "Successfully modified file: /w/src/a.ts (2 replacements). Here is the updated code:\nx",
            "Successfully created and wrote to new file: /w/src/a.ts.",
            "Successfully replaced text in src/a.ts. Changed 12 characters to 8.",
            "Successfully replaced 3 block(s) in src/a.ts.",
            "Successfully wrote 970 bytes to src/a.ts",
            "Successfully wrote to src/a.ts",
        ] {
            assert!(proves_change(answer, "src/a.ts"), "{answer}");
            assert!(!proves_change(answer, "src/other.ts") || !answer.contains("a.ts"), "another file: {answer}");
        }
    }

    #[test]
    fn everything_else_proves_nothing() {
        for answer in [
            "",
            "null",
            "ok",
            "Done.",
            "0",
            "{}",
            r#"{"success":false,"reason":"quota"}"#,
            r#"{"ok":false}"#,
            r#"{"path":"src/a.ts","operation":"modified","error":"disk full"}"#,
            r#"{"path":"src/a.ts","operation":"refused"}"#,
            r#"{"output":"Success. Updated the following files:\nM src/a.ts\n","metadata":{"exit_code":1}}"#,
            "exit code 1",
            "No space left on device",
            "403 Forbidden",
            "ツールの実行に失敗しました",
            "Le fichier src/a.ts n'a pas été modifié.",
            "<result><status>ko</status></result>",
            "The file src/a.ts has been updated by another program since; nothing was written.",
            "The file src/a.ts has been updated successfully. The user modified your proposed changes before accepting them.",
            "The file src/a.ts has NOT been updated successfully.",
            "Successfully wrote to src/a.ts.tmp, but it could not be renamed",
            "Successfully wrote to the log: src/a.ts is read-only",
            "Exit code: 1\nWall time: 0.1 seconds\nOutput:\nSuccess. Updated the following files:\nA src/a.ts\n",
            "Success. Updated the following files:\nnone, src/a.ts is locked",
        ] {
            assert!(!proves_change(answer, "src/a.ts"), "{answer}");
            assert!(!proves_list(answer), "{answer}");
        }
    }

    #[test]
    fn a_list_is_set_where_its_host_says_so() {
        for answer in [
            "Todos have been modified successfully. Ensure that you continue to use the todo list",
            "Todo list updated successfully.",
            "Plan updated",
            "Successfully updated the todo list. The current list is now:\n1. [x] a",
        ] {
            assert!(proves_list(answer), "{answer}");
        }
        assert!(!proves_list("Plan updated by nobody"));
    }
}
