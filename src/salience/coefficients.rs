//! The coefficients of the model, by name; `weights.rs` has its formulas, with the ranges and scales in which they hold.
//!
//! A line is worth the names it keeps readable, each by its chance of being used again, plus its tokens, each by its
//! chance of being edited or written again. [`Coefficients::passage`] weighs the two against each other.
//!
//! The name coefficients were fitted by logistic regression on 27,000 names of recorded sessions. `node
//! benches/quality/names.mjs DIR DIR...` fits them on all projects but one and tests them on the one left out. On 11
//! projects, 7 of which had no part in any fit (26 November 2026), these numbers rank a used name above an unused one
//! in .818 of the pairs; a fit on the other projects reaches .820; without `name_messages` .816, without `name_age`
//! .800, without `name_uses` .816, without `name_last_use` .819.
//!
//! The passage coefficients were chosen by how many edited or rewritten tokens, names, edits and quotes can still be
//! read (`benches/quality/origins.mjs`, `projects.mjs`). docs/decisions/0010-salience.md lists the gain of each on
//! projects left out.

macro_rules! coefficients {
    ($($(#[doc = $doc:literal])+ $name:ident: $value:literal,)+) => {
        /// The numbers of the model. A chance is from 0 to 1; an age counts messages.
        #[derive(Debug, Clone, Copy, PartialEq)]
        pub struct Coefficients {
            $($(#[doc = $doc])+ pub $name: f32,)+
        }

        /// The coefficients in use.
        pub const FITTED: Coefficients = Coefficients { $($name: $value,)+ };
    };
}

coefficients! {
    /// Logit of the chance that a name is used again, before anything is known of it.
    name: -2.32,
    /// For each ln(1 + messages that contain the name).
    name_messages: 0.99,
    /// For each ln(age of the newest message that contains the name).
    name_age: -0.39,
    /// For each ln(1 + messages in which the assistant used it in a call).
    name_uses: 0.32,
    /// For 1 / (1 + age of the newest such call / 10).
    name_last_use: 2.0,
    /// Factor on a name's worth for each place where it is readable already.
    name_again: 0.17,

    /// Worth of one token of a passage, in names that are certain to be used again, before the factor of its origin
    /// below. The factor is 1 for output of a command line that was just typed.
    passage: 0.006,
    /// Factor of the parameters of a write or an edit.
    of_change: 16.0,
    /// Factor of the result of a write or an edit.
    of_change_answer: 1.4,
    /// Factor of what was read.
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
    /// Factor of a line that a later edit replaced.
    replaced: 0.05,
    /// Factor on a line's worth within its passage when the line is kept alone, next to one that stays.
    beside: 0.35,
    /// Added to the factor 1 for each ln(messages in which the assistant wrote the line).
    written: 1.0,
    /// Worth of one token of a line that says how a call ended or where it failed.
    telling: 0.01,
    /// Added per token in the newest messages when they cannot stay whole, because the work continues with them.
    newest: 0.02,
}
