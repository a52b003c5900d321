//! Forms that always say the same.

/// A message between two of one role, whose neighbours are gone.
pub const LEFT_OUT_HERE: &str = "[Messages before this point were left out.]";

/// The message behind a summary, where the roles would not alternate otherwise.
pub const SUMMARY_ABOVE: &str =
    "[The messages before this point were condensed into the summary above. Continue from there.]";

/// The same where parts of what is summarised stand below.
pub const SUMMARY_OF_BELOW: &str =
    "[The summary above is of the messages below as well, up to the newest; parts of them are left out.]";

/// The line above what stands word for word behind a summary.
pub const WORD_FOR_WORD: &str = "[Word for word from what is summarised above]";

/// The first line of a log.
pub const LOG_HEADING: &str = "[Log of the messages left out here, in quotes]";

/// The line that says how a model gets at what is left out. Only for conversations in which the tool is offered.
pub const RECALL_HINT: &str =
    r#"[Everything left out here can be brought back: call recall with {"query": "words to look for"}]"#;

/// A form that says that messages were left out, with the way back behind it where the model is offered one.
#[must_use]
pub fn with_way_back(form: &str, recall: bool) -> String {
    if recall { format!("{form}\n{RECALL_HINT}") } else { form.to_owned() }
}

/// The form without the way back.
#[must_use]
pub fn without_way_back(text: &str) -> &str {
    text.strip_suffix(RECALL_HINT).and_then(|form| form.strip_suffix('\n')).unwrap_or(text)
}

/// All of them.
#[cfg(test)]
pub(super) const FIXED: &[&str] =
    &[LEFT_OUT_HERE, SUMMARY_ABOVE, SUMMARY_OF_BELOW, WORD_FOR_WORD, LOG_HEADING, RECALL_HINT];
