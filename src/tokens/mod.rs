//! Counts tokens exactly as `tiktoken-rs` does, fast, and without panics or stalls on any text.
//!
//! A text is cut into pieces where no token can cross (module `pieces`). So pieces can be counted on all cores, one
//! at a time up to a limit, or not at all if they are in the cache by content hash ([`clear_cache`]). [`Scale`]
//! converts counts to those of another model's vocabulary.
//!
//! The first count with an encoding builds its vocabulary (up to 0.3 s): call [`warm_up`] off the main thread first.

mod cache;
mod calibration;
mod count;
mod encoding;
mod engine;
mod files;
mod image;
mod pieces;
mod scale;
mod tally;
mod tokens_error;
mod truncate;

#[cfg(test)]
mod samples;
#[cfg(test)]
mod tests;

pub use cache::clear_cache;
pub use calibration::Calibration;
pub use count::{Count, count, count_all, count_inside, count_uncached};
pub use encoding::Encoding;
pub use engine::{is_loaded, warm_up};
pub use files::file_tokens;
pub use image::image_tokens;
pub use pieces::floor_char_boundary;
pub use scale::{Family, Scale, ScaleSetting};
pub use tally::{Tally, count_beside_texts};
pub use tokens_error::TokensError;
pub use truncate::{truncate_start_to_tokens, truncate_to_tokens};

/// Returns true if a try with `tokens` is better than a known one: within the budget more is better, beyond it less.
pub fn is_nearer(tokens: usize, known: usize, budget: usize) -> bool {
    if tokens <= budget { known > budget || tokens > known } else { tokens < known }
}

#[cfg(test)]
/// The longest token of both vocabularies, in bytes. A text has at least `bytes / MAX_TOKEN_BYTES` tokens, and at
/// most one per byte.
const MAX_TOKEN_BYTES: usize = 128;

#[cfg(test)]
/// Returns the minimum of tokens of a text with this many bytes, without counting.
fn least_tokens(bytes: usize) -> usize {
    bytes.div_ceil(MAX_TOKEN_BYTES)
}
