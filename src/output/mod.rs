//! The form of output lines: failures, and lines of one shape.

mod failures;
mod shape;

#[cfg(test)]
pub use self::failures::is_failure;
pub use self::{
    failures::{Failure, constant, each_failure_in_json, failure_in, is_failure_in_text, is_one_well, went_well},
    shape::{shape, words},
};
