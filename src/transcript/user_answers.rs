//! Recognises the user's words in the result of a native call that the user refused.

use serde_json::Value;

use super::user_text::SPOKEN;

/// The beginnings of results in which the user refuses.
const JUDGED: [&str; 2] = ["The user ", "{\"status\""];

/// The text in a refusal after which the user's own words follow.
const INSTEAD: &str = "the user said:\n";

/// The text that hosts write there if the user has not said anything yet.
const NOTHING_YET: &str = "The user wants to clarify these questions.";

/// Returns true if a result that is marked as an error is a refusal with the user's own words. A tool's output may
/// begin with the same words, but is not marked as an error.
pub fn refuses_in_words(answer: &str) -> bool {
    let text = answer.trim();
    JUDGED.iter().any(|beginning| text.starts_with(beginning))
        && (says_instead(text) || is_tagged(text) || has_feedback(text))
}

/// Returns true if a result is a refusal with the user's own words, in the form of hosts that do not mark refusals as
/// errors.
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
