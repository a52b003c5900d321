//! Cuts a text to a number of tokens.

use super::{
    Encoding,
    count::{count, count_piece},
    engine::{count_guarded, token_lengths},
    pieces::{Segment, ceil_char_boundary, floor_char_boundary, pieces, small_pieces},
};

/// Returns the beginning of the text with at most `limit` tokens as [`count`] counts them, ending between two
/// characters. It is the longest that ends with a token of the whole text, or a few tokens shorter if the cut changes
/// how the end is tokenized. Only the piece with the cut is encoded (1 KB in most texts).
pub fn truncate_to_tokens(text: &str, limit: usize, encoding: Encoding) -> &str {
    if text.len() <= limit {
        return text;
    }
    let mut left = limit;
    for piece in pieces(text) {
        let tokens = count_piece(&piece, encoding).tokens;
        if tokens > left {
            return &text[..piece.start + front(piece.text, left, encoding)];
        }
        left -= tokens;
    }
    text
}

/// Returns the end of the text with at most `limit` tokens as [`count`] counts them, beginning between two
/// characters. The counterpart of [`truncate_to_tokens`].
pub fn truncate_start_to_tokens(text: &str, limit: usize, encoding: Encoding) -> &str {
    if text.len() <= limit {
        return text;
    }
    let parts: Vec<Segment<'_>> = pieces(text).collect();
    let mut target = limit;
    loop {
        let (start, crosses_forced) = suffix(&parts, target, encoding);
        let kept = &text[start..];
        // Forced cuts depend on where the text begins. Only with one the sum of the pieces may differ from the count
        // of the kept text.
        let excess = if crosses_forced { count(kept, encoding).tokens.saturating_sub(limit) } else { 0 };
        if excess == 0 || kept.is_empty() {
            return kept;
        }
        target = target.saturating_sub(excess);
    }
}

/// Returns the start of the last `limit` tokens, and whether a forced cut lies after it.
fn suffix(parts: &[Segment<'_>], limit: usize, encoding: Encoding) -> (usize, bool) {
    let (mut left, mut crosses_forced) = (limit, false);
    for piece in parts.iter().rev() {
        crosses_forced |= piece.forced;
        let tokens = count_piece(piece, encoding).tokens;
        if tokens > left {
            return (piece.start + back(piece.text, left, encoding), crosses_forced);
        }
        left -= tokens;
    }
    (0, crosses_forced)
}

/// Returns the end of the first `limit` tokens of a piece.
fn front(piece: &str, limit: usize, encoding: Encoding) -> usize {
    let mut left = limit;
    for small in small_pieces(piece) {
        let tokens = count_guarded(small.text, encoding).tokens;
        if tokens > left {
            return small.start + encoded_front(small.text, left, encoding);
        }
        left -= tokens;
    }
    piece.len()
}

fn encoded_front(piece: &str, limit: usize, encoding: Encoding) -> usize {
    let lengths = token_lengths(piece, encoding);
    let mut keep = limit.min(lengths.len());
    loop {
        let end = floor_char_boundary(piece, lengths[..keep].iter().sum());
        // A cut within a word may leave more tokens than the word had there.
        let excess = count_guarded(&piece[..end], encoding).tokens.saturating_sub(limit);
        if excess == 0 || end == 0 {
            return end;
        }
        keep = keep.saturating_sub(excess);
    }
}

/// Returns the start of the last `limit` tokens of a piece.
fn back(piece: &str, limit: usize, encoding: Encoding) -> usize {
    let mut left = limit;
    let parts: Vec<Segment<'_>> = small_pieces(piece).collect();
    for small in parts.iter().rev() {
        let tokens = count_guarded(small.text, encoding).tokens;
        if tokens > left {
            return small.start + encoded_back(small.text, left, encoding);
        }
        left -= tokens;
    }
    0
}

fn encoded_back(piece: &str, limit: usize, encoding: Encoding) -> usize {
    let lengths = token_lengths(piece, encoding);
    let mut skip = lengths.len().saturating_sub(limit);
    loop {
        let start = ceil_char_boundary(piece, lengths[..skip].iter().sum());
        let excess = count_guarded(&piece[start..], encoding).tokens.saturating_sub(limit);
        if excess == 0 || start == piece.len() {
            return start;
        }
        skip = (skip + excess).min(lengths.len());
    }
}
