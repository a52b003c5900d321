//! Replaces every pointer of a conversation by the lines it represents.

use serde::Serialize;

use super::decoder::Decoder;
use crate::conversation::{Conversation, Edit, Plan};

/// The result of [`expand`].
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Expanded {
    /// The plan that replaces the pointers by their lines.
    pub plan: Plan,
    /// Lines that look like pointers but do not resolve, in order. They stay as they are.
    pub unresolved: Vec<Unresolved>,
}

/// A line that looks like a pointer but points to nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "UnresolvedPointer"))]
#[serde(rename_all = "camelCase")]
pub struct Unresolved {
    /// Index of the message.
    pub message_index: usize,
    /// Index of the block; 0 when the content is a string.
    pub block_index: usize,
    /// The line, without its number.
    pub text: String,
}

/// Resolves every pointer of a conversation from its texts alone, as a patient reader could. Restores the numbers of
/// lines below a heading. Expanded texts together have at most 64 times the bytes of the conversation, plus 16 MB.
///
/// # Examples
/// ```
/// use roo_condense::{Conversation, expand};
///
/// let conversation = Conversation::parse(
///     r#"[{"role": "user", "content": "[2 lines as below from \"first line\"]"}, {"role": "user", "content": "first line\nsecond line"}]"#,
/// )?;
/// let expanded = conversation.apply(&expand(&conversation).plan)?;
/// assert_eq!(serde_json::to_string(expanded.message(0))?, r#"{"role":"user","content":"first line\nsecond line"}"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn expand(conversation: &Conversation) -> Expanded {
    let texts = conversation.texts();
    let flat: Vec<_> =
        texts.iter().enumerate().flat_map(|(message, texts)| texts.iter().map(move |text| (message, text))).collect();
    let contents: Vec<&str> = flat.iter().map(|(_, text)| text.text).collect();
    let mut decoder = Decoder::of_conversation(conversation, &contents);
    let mut expanded = Expanded::default();
    for index in decoder.texts_with_pointers() {
        let (message, text) = flat[index];
        let (new, dead) = decoder.text_and_dead(index);
        let rows = decoder.rows(index);
        expanded.unresolved.extend(dead.into_iter().map(|row| Unresolved {
            message_index: message,
            block_index: text.block,
            text: text.text[rows.rows[row].content_range()].to_owned(),
        }));
        if *new != *text.text {
            expanded.plan.edits.push(Edit::set_text(message, &text.path, new.into_owned()));
        }
    }
    expanded
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::conversation::NewValue;

    #[test]
    fn pointers_become_lines_and_dead_ones_are_listed() {
        let block = |text: &str| json!({ "type": "text", "text": text });
        let dead = "[2 lines as above from \"what stands nowhere\"]";
        let messages = json!([
            { "role": "user", "content": "[1 line as below from \"the first\"]" },
            { "role": "assistant", "content": [block("the first line"), block(&format!("7 | {dead}"))] },
            { "role": "user", "content": "plain" },
        ]);
        let Expanded { plan, unresolved } = expand(&Conversation::parse(&messages.to_string()).unwrap());
        let [Edit::Set { message: 0, path, value: NewValue::Text(text), .. }] = &plan.edits[..] else {
            panic!("{plan:?}")
        };
        assert_eq!((&path[..], &**text), (&["content".into()][..], "the first line"));
        assert_eq!(unresolved, [Unresolved { message_index: 1, block_index: 1, text: dead.to_owned() }]);
    }
}
