//! The user's words in the result of a native call that was refused.

use serde_json::Value;

use super::user_text::SPOKEN;

/// How hosts begin an answer in which the user refuses.
const JUDGED: [&str; 2] = ["The user ", "{\"status\""];

/// Behind this a refusal says what the user wants instead.
const INSTEAD: &str = "the user said:\n";

/// Behind it hosts say this where the user says nothing yet.
const NOTHING_YET: &str = "The user wants to clarify these questions.";

/// Returns true if an answer that is marked as an error is a refusal that says what the user wants instead. Output of
/// a tool may begin with the same words, but is not marked as an error.
pub fn refuses_in_words(answer: &str) -> bool {
    let text = answer.trim();
    JUDGED.iter().any(|beginning| text.starts_with(beginning))
        && (says_instead(text) || is_tagged(text) || has_feedback(text))
}

/// Returns true if an answer refuses in the words of a host that marks no refusal as an error, and says what the user
/// wants instead.
pub(super) fn refuses(answer: &str) -> bool {
    const BEGINNINGS: [&str; 3] =
        ["The user doesn't want to ", "The user denied this operation", "The user rejected permission to use this "];
    /// OpenCode.
    const FEEDBACK: &str = "with the following feedback: ";
    let text = answer.trim();
    BEGINNINGS.iter().any(|beginning| text.starts_with(beginning))
        && (says_instead(text) || is_tagged(text) || text.contains(FEEDBACK))
}

fn says_instead(text: &str) -> bool {
    let words = text.split_once(INSTEAD).map(|(_, words)| words.trim());
    words.is_some_and(|words| !words.is_empty() && !words.starts_with(NOTHING_YET))
}

fn is_tagged(text: &str) -> bool {
    SPOKEN.iter().any(|tag| {
        let rest = text.split_once(&format!("<{tag}>")).map(|(_, rest)| rest);
        rest.and_then(|rest| rest.rsplit_once(&format!("</{tag}>"))).is_some_and(|(words, _)| !words.trim().is_empty())
    })
}

/// `{"status":"denied","feedback":"…"}`.
fn has_feedback(text: &str) -> bool {
    let object: Option<Value> = serde_json::from_str(text).ok();
    object.is_some_and(|object| object["feedback"].as_str().is_some_and(|words| !words.trim().is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_has_words_where_the_user_said_some() {
        let refusal = "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\nUse a map";
        let roo = "The user denied this operation and provided the following feedback:\n<feedback>\nNo\n</feedback>";
        for (answer, expected) in [
            (refusal, true),
            (roo, true),
            (r#"{"status":"denied","feedback":"Use a map"}"#, true),
            (r#"{"status":"denied"}"#, false),
            ("The user doesn't want to proceed with this tool use.", false),
            ("The file was not found", false),
        ] {
            assert_eq!(refuses_in_words(answer), expected, "{answer}");
        }
    }
}
