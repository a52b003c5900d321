//! Options of recall over one conversation, which JavaScript reads.

use crate::options::{Options, Table, Unread, host, host_object, options, text, whole};

/// Default maximum tokens of a response to a search.
pub const MAX_TOKENS: u64 = 1000;
/// Default maximum tokens of lines in one read.
pub const MAX_READ_TOKENS: u64 = 2000;

/// Minimum token budget: a hit does not fit into fewer.
const LEAST_TOKENS: u64 = 100;
const RESTORE_DATA: &str = "RestoreData | readonly RestoreData[]";
const A_STORE: &str = "an object with get and set, such as a Keyv or a Map";

options! {
    /// The options of a recall.
    struct RecallFields: Table::titled("Options of recall")
        .argument("options")
        .interface("RecallOptions", "Options of {@link createRecall}. An unknown field is an error.");

    /// The conversation, or a function that gives it, at once or by a promise. It is read again at each call: messages
    /// that were appended are added to the index, and if one was changed or removed, everything is read anew.
    messages: Unread = host_object("an array of messages, or a function that gives it")
        .required()
        .typed_as("RecalledMessages | (() => RecalledMessages | Promise<RecalledMessages>)"),
    /// Restore data of `messages`, where they are condensed; of several condensations in a row, the oldest first.
    restore_data: Unread = host("restore data").typed_as(RESTORE_DATA),
    /// The format of the messages. Default: what is seen in them.
    format: Unread = host("a format").typed_as("MessageFormat"),
    /// Tokens of an answer to a search at most.
    max_tokens: Unread = whole(LEAST_TOKENS, u64::MAX).or(MAX_TOKENS).unread(),
    /// Keeps what condensations leave out, for hosts that keep neither the whole messages nor restore data:
    /// {@link Recall.keep} writes to it, and every call reads it. Not beside `restoreData`.
    store: Unread = host(A_STORE).typed_as("RecallStore"),
    /// The name of this conversation in `store`; required there. Conversations of other names are never read.
    conversation: Unread = text().if_set().allowing("the name of this conversation in options.store").unread(),
}

options! {
    /// The options of a search.
    struct SearchFields: Table::titled("Options of a search")
        .argument("options")
        .interface("RecallSearchOptions", "Options of {@link Recall.search}. An unknown field is an error.");

    /// Tokens of the answer at most. Default: as for {@link createRecall}.
    max_tokens: Unread = whole(LEAST_TOKENS, u64::MAX).unread(),
}

options! {
    /// The options of a read.
    struct ReadFields: Table::titled("Options of a read")
        .argument("options")
        .interface("RecallReadOptions", "Options of {@link Recall.read}. An unknown field is an error.");

    /// The lines: `"40-80"`, `"40"`, `"40-"`, or `[40, 80]`. Default: from the first, as many as fit.
    lines: Unread = host("lines such as \"40-80\", or [40, 80]").typed_as("string | number | readonly [number, number]"),
    /// Tokens of the lines at most.
    max_tokens: Unread = whole(LEAST_TOKENS, u64::MAX).or(MAX_READ_TOKENS).unread(),
}

/// The options of recall.
pub const TABLES: [&Table; 3] = [RecallFields::TABLE, SearchFields::TABLE, ReadFields::TABLE];
