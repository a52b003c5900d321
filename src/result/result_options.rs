//! Options with which a result is shortened.

use serde_json::Value;

use crate::{
    options::{Options, Table, Unread, any, any_whole, flag, host, object, options, text, whole, word},
    tokens::Encoding,
};

/// A budget, as messages describe it.
pub const A_BUDGET: &str = "a whole number of tokens, 1 or more";
/// A store, as messages describe it.
pub const A_STORE: &str = "an object with get and set, such as a Keyv or a Map";

options! {
    /// The options as hosts write them.
    pub struct ResultOptions: Table::titled("Options of a result")
        .argument("options")
        .interface("CondenseResultOptions", "Options of {@link condenseResult}. An unknown field is an error.");

    /// Tokens that the result may have.
    budget: usize = whole(1, u64::MAX).required().allowing(A_BUDGET),
    /// The conversation before the result, in any format that is read. Names that it uses stay, and lines that stand in
    /// it become a pointer. Default: none.
    messages: Unread = host("an array of messages").typed_as("readonly MessageLike[]"),
    /// The call that the result answers, where `messages` does not have it: files that were read and diffs are
    /// recognised by it.
    call: Option<CallGiven> = object().if_set().allowing("an object with the name of the tool and its input"),
    /// The exit code of the command, a whole number; `null` is the same as absent. The note in the result says it.
    exit_code: Option<i64> = any_whole().if_set().or_null(),
    /// The format of `messages` and the result. Default: what is seen in them.
    format: Unread = host("a format").typed_as("MessageFormat"),
    /// The encoding that tokens are counted in.
    encoding: &'static str =
        word(&Encoding::NAMES).or("o200k_base").typed_as("Encoding").failing_as("unknown_encoding"),
    /// The model is offered the tool of {@link createRecall}, and the host keeps the whole messages, or gives it the
    /// same `store`: the note names the tool.
    recall: Unread = flag().or(false).unread(),
    /// Keeps the whole result where it is shortened, under a key of its content, read back before the note says so.
    /// Default: none.
    store: Unread = host(A_STORE).typed_as("ResultStore"),
}

options! {
    /// The call that a result answers, where the conversation does not have it.
    pub struct CallGiven: Table::titled("call");

    /// The name of the tool.
    name: String = text().required().allowing("the name of a tool"),
    /// Its parameters.
    input: Value = any().or_default(),
}

/// The options of `condenseResult`.
pub const TABLE: &Table = ResultOptions::TABLE;
