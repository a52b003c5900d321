//! What the user says in the answer of a native call: to a question that the tool puts, and beside a call that was refused or approved.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use super::user_text::{HostText, SPOKEN, attachments};

/// How hosts begin an answer in which the user refuses or approves.
const JUDGED: [&str; 2] = ["The user ", "{\"status\""];

/// Behind this a refusal says what the user wants instead.
const INSTEAD: &str = "the user said:\n";

/// Behind it hosts say this where the user says nothing yet.
const NOTHING_YET: &str = "The user wants to clarify these questions.";

/// `"question"="answer"`.
static CHOICES: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#""[^"\n]*"="[^"]*""#).expect("the pattern is a constant, and tested"));

/// The user's words in an answer, without what hosts write around them; each answer to a question by itself, as `"question"="answer"`. `asks_user`: the tool puts a question. Else only an
/// answer that is marked as an error is a refusal: what a tool found may begin like one.
#[must_use]
pub fn user_words(answer: &str, asks_user: bool, is_error: bool) -> Vec<String> {
    let mut all = with_attachments(answer.trim(), asks_user, is_error);
    for words in &mut all {
        let end = attachments(words).unwrap_or(words.len());
        words.truncate(words[..end].trim_end().len());
    }
    all.retain(|words| !words.is_empty());
    all
}

/// The same, with the files that the host attached to them.
fn with_attachments(text: &str, asks_user: bool, is_error: bool) -> Vec<String> {
    if JUDGED.iter().any(|beginning| text.starts_with(beginning)) {
        if !asks_user && !is_error {
            return Vec::new();
        }
        let words = instead(text).or_else(|| tagged(text)).map(str::to_owned).or_else(|| feedback(text));
        return words.into_iter().collect();
    }
    if !asks_user || is_error || text.is_empty() || HostText::of(text).is_some() {
        return Vec::new();
    }
    let choices: Vec<String> = CHOICES.find_iter(text).map(|choice| choice.as_str().to_owned()).collect();
    if choices.is_empty() { vec![tagged(text).unwrap_or(text).to_owned()] } else { choices }
}

/// Whether words are an answer with the question before it.
#[must_use]
pub fn is_answer(words: &str) -> bool {
    words.starts_with('"') && CHOICES.find(words).is_some_and(|choice| choice.range() == (0..words.len()))
}

fn instead(text: &str) -> Option<&str> {
    let words = text.split_once(INSTEAD)?.1.trim();
    (!words.starts_with(NOTHING_YET)).then_some(words)
}

fn tagged(text: &str) -> Option<&str> {
    SPOKEN.iter().find_map(|tag| {
        let (_, rest) = text.split_once(&format!("<{tag}>"))?;
        Some(rest.rsplit_once(&format!("</{tag}>"))?.0.trim())
    })
}

/// `{"status":"denied","feedback":"…"}`.
fn feedback(text: &str) -> Option<String> {
    let object: Value = serde_json::from_str(text).ok()?;
    Some(object.get("feedback")?.as_str()?.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_in_answers() {
        let mentions = "<user_message>\nLook at 'a.ts' (see below).\n\n<file_content path=\"a.ts\">\n 1 | never\n</file_content>\n</user_message>";
        assert_eq!(user_words(mentions, true, false), ["Look at 'a.ts' (see below)."]);
        let refused = "The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to proceed, the user said:\nlet's do this as a separate PR";
        assert_eq!(user_words(refused, false, true), ["let's do this as a separate PR"]);
        assert_eq!(user_words(refused, false, false), [""; 0], "a file may begin so");
        let chosen = "User has answered your questions: \"Which scope?\"=\"Include it\", \"How many?\"=\"4\". You can now continue.";
        assert_eq!(user_words(chosen, true, false), ["\"Which scope?\"=\"Include it\"", "\"How many?\"=\"4\""]);
        assert_eq!(user_words(chosen, false, false), [""; 0], "a file may say so");
        assert_eq!(user_words("<answer>\nblue\n</answer>", true, false), ["blue"]);
        assert_eq!(user_words("blue", true, false), ["blue"]);
        let approved =
            "The user approved this operation and provided the following context:\n<feedback>\nyes\n</feedback>";
        assert_eq!(user_words(approved, false, true), ["yes"]);
        assert_eq!(user_words("{\"status\":\"denied\",\"feedback\":\"not this\"}", false, true), ["not this"]);
        for nothing in [
            "",
            "The user denied this operation.",
            "The user doesn't want to proceed with this tool use. STOP what you are doing and wait for the user to tell you how to proceed.",
            "The user doesn't want to proceed. To tell you how to proceed, the user said:\nThe user wants to clarify these questions.\n  This means",
            "{\"status\":\"denied\"}",
            "a file\nthe user said:\nx",
        ] {
            assert_eq!(user_words(nothing, false, true), [""; 0], "{nothing}");
        }
    }
}
