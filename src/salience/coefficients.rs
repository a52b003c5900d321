//! The coefficients of the model, by name; `weights.rs` has its formulas, with the ranges and scales in which they hold.
//!
//! What stays is worth the names that can be read because of it, each by its chance of being used again, and the tokens of its passages, each by its chance of
//! being edited or written again. The two are weighed against each other by [`Coefficients::passage`].
//!
//! Names were fitted by logistic regression, on 27,000 names of recorded sessions. `node benches/quality/names.mjs DIR DIR...` fits them on all projects but one
//! and tests them on that one. On 11 projects, 7 of which had no part in any fit (26 November 2026), these numbers put a name that is used above one that is not
//! in .818 of the pairs, a fit on the other projects in .820; without `name_messages` .816, without `name_age` .800, without `name_uses` .816, without
//! `name_last_use` .819.
//!
//! Passages were chosen by what of them is edited or written again, and by names, edits and quotes that can still be read
//! (`benches/quality/origins.mjs`, `projects.mjs`). docs/decisions/0010-salience.md has what each is worth on projects left out.

macro_rules! coefficients {
    ($($(#[doc = $doc:literal])+ $name:ident: $value:literal,)+) => {
        /// The numbers of the model. A chance is from 0 to 1, an age is in messages, a share is of the conversation's tokens.
        #[derive(Debug, Clone, Copy, PartialEq)]
        pub struct Coefficients {
            $($(#[doc = $doc])+ pub $name: f32,)+
        }

        /// Those in use.
        pub const FITTED: Coefficients = Coefficients { $($name: $value,)+ };
    };
}

coefficients! {
    /// Logit of the chance that a name is used again, before what is known of it.
    name: -2.32,
    /// For each ln(1 + messages that it stands in).
    name_messages: 0.99,
    /// For each ln(age of the last of them).
    name_age: -0.39,
    /// For each ln(1 + messages in which the assistant used it in a call).
    name_uses: 0.32,
    /// For 1 / (1 + age of the last of those / 10).
    name_last_use: 2.0,
    /// Part of its chance that a name is worth where it can be read once more.
    name_again: 0.17,

    /// What a token of a passage is worth, in names that are certain to be used again: for output of a command line that was just typed.
    passage: 0.006,
    /// Factor of what was written or edited.
    of_change: 16.0,
    /// Factor of the answer to that.
    of_change_answer: 1.4,
    /// Factor of what was read.
    of_read: 2.6,
    /// Factor of commands, plans and questions.
    of_command: 1.4,
    /// Factor of the parameters of other calls.
    of_other_call: 0.42,
    /// Factor of files that a command line printed.
    of_shown: 0.39,
    /// Factor of words.
    of_words: 0.5,
    /// Factor of other answers.
    of_answer: 0.2,
    /// Factor of what the host says in the user's place.
    of_host: 0.16,
    /// Factor of a snapshot of the environment.
    of_environment: 0.014,
    /// By which part worth falls with each message of age.
    passage_age: 0.003,
    /// Part of its worth that a line has which an edit has replaced.
    replaced: 0.05,
    /// Part of its worth in a passage that a line has on its own, next to one that stays.
    beside: 0.35,
    /// For each ln(messages in which the assistant wrote a line).
    written: 1.0,
    /// What a token of a line is worth that says how a call ended or where it failed.
    telling: 0.01,
    /// Added for a token of the newest messages, where they cannot stay whole: the work goes on with them.
    newest: 0.02,
}
