//! The coefficients of the model, by name. `weights.rs` contains its formulas, with the ranges and scales in which they
//! hold.
//!
//! The worth of a line has two parts: the names that it keeps readable, and its tokens. A name counts by its chance of
//! being used again, a token by its chance of being edited or written again. [`Coefficients::passage`] weighs tokens
//! against names.
//!
//! The name coefficients were fitted by logistic regression on 27,000 names of recorded sessions.
//! `node benches/quality/names.mjs DIR DIR...` fits them on all projects but one and tests them on the remaining one.
//! It was run on 11 projects, 7 of which were not used in any fit (26 November 2026). With these numbers, a used name
//! ranks above an unused one in .818 of the pairs. A fit on the other projects reaches .820. Without `name_messages`
//! the share is .816, without `name_age` .800, without `name_uses` .816, and without `name_last_use` .819.
//!
//! The passage coefficients were chosen by how many edited or rewritten tokens, names, edits and quotes can still be
//! read (`benches/quality/origins.mjs`, `projects.mjs`). docs/decisions/0010-salience.md lists the gain of each on
//! projects that were not used to choose them.

macro_rules! coefficients {
    ($($(#[doc = $doc:literal])+ $name:ident: $value:literal,)+) => {
        /// The coefficients of the model. A chance is from 0 to 1; an age is a number of messages.
        #[derive(Debug, Clone, Copy, PartialEq)]
        pub struct Coefficients {
            $($(#[doc = $doc])+ pub $name: f32,)+
        }

        /// The coefficients in use.
        pub const FITTED: Coefficients = Coefficients { $($name: $value,)+ };
    };
}

coefficients! {
    /// Base value for the logit of the chance that a name is used again.
    name: -2.32,
    /// Added to the logit for each ln(1 + messages that contain the name).
    name_messages: 0.99,
    /// Added to the logit for each ln(age of the newest message that contains the name).
    name_age: -0.39,
    /// Added to the logit for each ln(1 + messages in which the assistant used the name in a call).
    name_uses: 0.32,
    /// Added to the logit, times 1 / (1 + age of the newest such call / 10).
    name_last_use: 2.0,
    /// Factor on a name's worth for each place where the name is already readable.
    name_again: 0.17,

    /// Worth of one token of a passage, before the factor of its origin below and of its age. The unit is a name that
    /// is certain to be used again.
    passage: 0.006,
    /// Factor of the parameters of a write or an edit.
    of_change: 16.0,
    /// Factor of the result of a write or an edit.
    of_change_answer: 1.4,
    /// Factor of the result of a read.
    of_read: 2.6,
    /// Factor of the parameters of commands, plans and questions.
    of_command: 1.4,
    /// Factor of the parameters of other calls.
    of_other_call: 0.42,
    /// Factor of command output that shows files.
    of_shown: 0.39,
    /// Factor of the words of the user and the assistant.
    of_words: 0.5,
    /// Factor of the results of other calls.
    of_answer: 0.2,
    /// Factor of text the host injects in the user's role.
    of_host: 0.16,
    /// Factor of an environment snapshot.
    of_environment: 0.014,
    /// Fraction of a passage's worth that it loses with each message of age.
    passage_age: 0.003,
    /// Factor on a line's worth as part of its passage, if a later edit replaced the line.
    replaced: 0.05,
    /// Factor on a line's worth as part of its passage, if the line is kept without its part, next to a kept line.
    beside: 0.35,
    /// Added to the factor 1 for each ln(messages in which the assistant wrote the line).
    written: 1.0,
    /// Worth of one token of a line that reports how a call ended or where it failed.
    telling: 0.01,
    /// Added per token in the newest messages if these must be cut, because the work continues with them.
    newest: 0.02,
}
