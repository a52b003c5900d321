//! Determines how a tool call ended.

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CallOutcome {
    /// Successfully.
    Ok,
    /// With an error.
    Failed,
    /// The user, or a rule of the host, refused it.
    Denied,
    /// The result says that it does not show everything; what it shows is correct.
    CutOff,
    /// A change that may or may not have been made: neither a result nor a later view of the file proves it.
    Unproven,
    /// There is no result.
    Unanswered,
}

const DENIED: [&str; 9] = [
    "The user denied this operation",
    "The user doesn't want to proceed",
    "The user doesn't want to take this action",
    "The user rejected this operation",
    "[Request interrupted by user",
    "Permission to use ",
    "{\"status\":\"denied\"",
    "{\"status\": \"denied\"",
    "Denied by user",
];

const FAILED: [&str; 13] = [
    "<tool_use_error>",
    "<error>",
    "Error:",
    "ERROR:",
    "Error reading file",
    "Error writing",
    "Error executing",
    "The tool execution failed",
    "{\"status\":\"error\"",
    "{\"status\": \"error\"",
    "ENOENT",
    "File not found",
    "Missing value for required parameter",
];

/// Notes by hosts that a result was shortened.
const CUT_OFF: [&str; 6] = [
    "<persisted-output>",
    "IMPORTANT: File content truncated.",
    "<output_head>",
    "lines truncated] ...",
    "characters truncated] ...",
    "<response clipped>",
];

/// Returns how the call ended according to its result. `is_error` is the flag of a native result.
pub fn outcome(answer: &str, is_error: bool) -> CallOutcome {
    let start = answer.trim_start();
    let starts_with = |notes: &[&str]| notes.iter().any(|note| start.starts_with(note));
    if starts_with(&DENIED) {
        CallOutcome::Denied
    } else if is_error || starts_with(&FAILED) {
        CallOutcome::Failed
    } else if CUT_OFF[..3].iter().any(|note| before(answer, 600).contains(note)) {
        CallOutcome::CutOff
    } else {
        CallOutcome::Ok
    }
}

/// Returns the place where an output was cut in its middle; the text behind it does not continue the text before it.
pub(super) fn cut_in_the_middle(output: &str) -> Option<usize> {
    CUT_OFF[3..].iter().filter_map(|note| memchr::memmem::find(output.as_bytes(), note.as_bytes())).min()
}

/// Returns at most the first `bytes` bytes.
fn before(text: &str, bytes: usize) -> &str {
    let end = (0..=bytes.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    &text[..end]
}
