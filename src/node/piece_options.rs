//! Options of the pieces for frameworks and of the Roo drop-in, which JavaScript reads.

use crate::{
    options::{Options, Table, Unread, any_whole, flag, host, number, options, text, whole},
    result::{A_BUDGET, A_STORE},
};

const A_MANAGER: &str = "a CondensationManager";
const A_FUNCTION: &str = "a function";
const LISTENER: &str = "((warning: Warning | CondensationError | (Error & { code?: string })) => void)";
const LISTENER_OF_HOOKS: &str = "((warning: Warning | (Error & { code?: string })) => void)";

/// Shorter results and quotes are not worth what their notes take.
const LEAST_TOKENS: f64 = 200.0;

/// Defines the options that all pieces have, and more of their own.
macro_rules! piece_options {
    ($(#[$doc:meta])* struct $name:ident: $interface:literal, $about:literal; $($more:tt)*) => {
        options! {
            $(#[$doc])*
            struct $name: Table::titled("Options of a piece").argument("options").interface($interface, $about);

            /// The model's context window in tokens.
            context_window: Unread = number(1.0, f64::MAX).required().unread(),
            /// Decides when a history is condensed, with which provider, and who writes summaries; its `encoding` and
            /// `scale` count the tokens of requests. Default: a manager with the threshold 75% (25% with `recall`) and
            /// no model, so `lossless` condenses, and `truncation` cuts down to the target.
            manager: Unread = host(A_MANAGER).typed_as("CondensationManager"),
            /// Down to this share of the tokens at which it is due a history is condensed, in percent, system prompt
            /// and tools included. The lower, the longer the prompt cache holds until the next condensation. Default:
            /// 40, with `recall` 10.
            target_percent: Unread = number(1.0, 100.0).unread(),
            /// Called with what went wrong: warnings and errors of condensations, and errors of messages that could not
            /// be read. The request is sent all the same, with the messages as they are. Default: not called.
            on_warning: Unread = host(A_FUNCTION).typed_as(LISTENER),
            /// Whether the model is offered a tool that brings back what was left out of its view: the piece's `recall`
            /// is that tool, to be put beside the application's own. It reads the messages that the framework hands
            /// over with each request, so nothing is stored.
            recall: Unread = flag().or(false).unread(),
            /// A tool result of more tokens is shortened to as many before it is sent for the first time, as
            /// `condenseResult` does, and every later request sends the same. Source files that were read and diffs
            /// stay whole up to ten times as many. The application's messages stay whole, so `recall` finds what was
            /// left out; without `recall` the model is told how much is missing, and can only run the call again.
            /// Default: results are sent whole.
            result_tokens: Unread = number(LEAST_TOKENS, f64::MAX).unread(),
            $($more)*
        }
    };
}

piece_options! {
    /// The options of a piece.
    struct CondensingFields: "CondensingOptions", "Options of the pieces for frameworks. An unknown field is an error.";
}

piece_options! {
    /// The options of a piece that is not told how long a response may be.
    struct CondensingStepFields: "CondensingStepOptions", "Options of the pieces that are not told how long a response may be.";
    /// The longest response in tokens: as much of the window is reserved for it, at most 40%. Default: 8192.
    max_output_tokens: Unread = number(1.0, f64::MAX).unread(),
}

options! {
    /// The options of the hooks.
    struct CondensingHooksFields: Table::titled("Options of the hooks")
        .argument("options")
        .interface("CondensingHooksOptions", "Options of {@link condensingHooks}. An unknown field is an error.");

    /// Tokens of the conversation, condensed, that the quotes are taken from.
    quote_tokens: Unread = number(LEAST_TOKENS, f64::MAX).or(4000.0).unread(),
    /// An output of a command or of an MCP tool of more tokens is shortened to as many before the model reads it, as
    /// `condenseResult` does. The whole is kept in a file of the user's cache folder for 30 days, as by
    /// `roo-condense result`, and the note says its path. Files that are read stay as they are, and so do failed calls,
    /// whose text the SDK does not let a hook change. Default: outputs stay whole.
    result_tokens: Unread = number(LEAST_TOKENS, f64::MAX).unread(),
    /// Called with what went wrong: the compaction goes ahead without quotes, an output stays whole. Default: not
    /// called.
    on_warning: Unread = host(A_FUNCTION).typed_as(LISTENER_OF_HOOKS),
}

options! {
    /// The options of condensing a session.
    struct CondenseSessionFields: Table::titled("Options of condensing a session")
        .argument("options")
        .interface("CondenseSessionOptions", "Options of {@link condenseSession}. An unknown field is an error.");

    /// Condenses; its provider, handler and protection. Default: a manager without a model: `lossless`, then
    /// `truncation`.
    manager: Unread = host(A_MANAGER).typed_as("CondensationManager"),
    /// Down to this share of the session's tokens, in percent.
    target_percent: Unread = number(1.0, 100.0).or(40.0).unread(),
}

options! {
    /// The options of a new result of the drop-in.
    struct OnToolResultFields: Table::titled("Options of a new result")
        .argument("options")
        .interface("OnToolResultOptions", "Options of {@link onToolResult}. An unknown field is an error.");

    /// The most tokens that the result may have.
    budget: Unread = whole(1, u64::MAX).or(4000).allowing(A_BUDGET).unread(),
    /// The task's history: names that it uses stay in the result. Default: none.
    history: Unread = host("an array of messages").typed_as("readonly RooMessage[]").failing_as("invalid_messages"),
    /// The name of the tool and the parameters of its call: a file read by `read_file` stays whole up to ten times the
    /// budget.
    tool: Unread = text().unread(),
    /// The parameters of the call.
    params: Unread = host("the parameters of a call"),
    /// The exit code of a command, repeated in the last line of a shortened result.
    exit_code: Unread = any_whole().if_set().or_null().unread(),
    /// Keeps the full text of a shortened result: the option `store` of `condenseResult`.
    store: Unread = host(A_STORE).typed_as("ResultStore"),
}

/// The options of pieces and drop-in.
pub const TABLES: [&Table; 5] = [
    CondensingFields::TABLE,
    CondensingStepFields::TABLE,
    CondensingHooksFields::TABLE,
    CondenseSessionFields::TABLE,
    OnToolResultFields::TABLE,
];
