//! Every pointer of a conversation replaced by what it stands for.

use serde::Serialize;

use super::decoder::Decoder;
use crate::conversation::{Conversation, Edit, Plan, TextAt};

/// The result of [`expand`].
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Expanded {
    /// Puts the lines where the pointers stand.
    pub plan: Plan,
    /// Lines that look like pointers and lead nowhere, in order. They stay as they are.
    pub unresolved: Vec<Unresolved>,
}

/// A line that looks like a pointer and leads nowhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Unresolved {
    /// Index of the message.
    pub message_index: usize,
    /// Index of the block; 0 when the content is a string.
    pub block_index: usize,
    /// The line, without its number.
    pub text: String,
}

/// Follows every pointer of a conversation, knowing nothing but its texts: what a patient reader could restore. Lines that were numbered by a
/// heading get their numbers back. Expanded texts together have at most 64 times the bytes of the conversation and 16 MB more.
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
    expand_texts(&conversation.texts())
}

/// [`expand`], for those who have the texts of the conversation already.
pub(crate) fn expand_texts(texts: &[Vec<TextAt<'_>>]) -> Expanded {
    let flat: Vec<_> =
        texts.iter().enumerate().flat_map(|(message, texts)| texts.iter().map(move |text| (message, text))).collect();
    let contents: Vec<&str> = flat.iter().map(|(_, text)| text.text).collect();
    let mut decoder = Decoder::new(&contents);
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
            expanded.plan.edits.push(Edit::set_text(message, text.path.clone(), new.into_owned()));
        }
    }
    expanded
}
