//! Markers whose text never varies.

/// A message inserted between two messages of one role after the messages between them were removed.
pub const LEFT_OUT_HERE: &str = "[Messages before this point were left out.]";

/// The message after a summary, where the roles would not alternate otherwise.
pub const SUMMARY_ABOVE: &str =
    "[The messages before this point were condensed into the summary above. Continue from there.]";

/// The message after a summary if parts of the summarised messages remain below it.
pub const SUMMARY_OF_BELOW: &str =
    "[The summary above is of the messages below as well, up to the newest; parts of them are left out.]";

/// The line above text quoted word for word after a summary.
pub const WORD_FOR_WORD: &str = "[Word for word from what is summarised above]";

/// The first line of a log.
pub const LOG_HEADING: &str = "[Log of the messages left out here, in quotes]";

/// The line that tells a model how to recall removed content. Written only if the conversation offers the recall tool.
pub const RECALL_HINT: &str =
    r#"[Everything left out here can be brought back: call recall with {"query": "words to look for"}]"#;

/// Returns `form`, a marker for left-out messages, with [`RECALL_HINT`] below it if `recall` is true.
pub fn with_way_back(form: &str, recall: bool) -> String {
    if recall { format!("{form}\n{RECALL_HINT}") } else { form.to_owned() }
}

/// Returns `text` without a [`RECALL_HINT`] at its end.
pub fn without_way_back(text: &str) -> &str {
    text.strip_suffix(RECALL_HINT).and_then(|form| form.strip_suffix('\n')).unwrap_or(text)
}

/// All fixed markers.
#[cfg(test)]
pub(super) const FIXED: &[&str] =
    &[LEFT_OUT_HERE, SUMMARY_ABOVE, SUMMARY_OF_BELOW, WORD_FOR_WORD, LOG_HEADING, RECALL_HINT];
