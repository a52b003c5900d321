//! Computes the shape of a line. Lines that differ only in names and numbers have the same shape.

use xxhash_rust::xxh3::xxh3_64;

use crate::tokens::floor_char_boundary;

/// Maximum number of bytes of a line from which its shape is computed.
const BYTES: usize = 160;

/// Returns a hash of the line's indentation, its first word, and its punctuation.
pub fn shape(line: &str) -> u64 {
    let (mut form, mut word_is_known, mut is_in_name) = ([0_u8; BYTES], false, false);
    let mut length = 0;
    let bytes = line.as_bytes();
    let mut at = 0;
    while at < bytes.len().min(BYTES) && length < BYTES {
        let byte = bytes[at];
        let is_name = byte.is_ascii_alphanumeric() || byte >= 0x80 || matches!(byte, b'_' | b'.' | b'/' | b'-');
        if is_name && !word_is_known && (byte.is_ascii_alphabetic() || byte >= 0x80) {
            // Some scripts have no blanks between words. The first two letters count as the word.
            let is_in_word = |(place, next): &(usize, &u8)| {
                if byte < 0x80 { next.is_ascii_alphabetic() } else { *place < 6 && **next >= 0x80 }
            };
            let end = at + bytes[at..].iter().enumerate().take_while(is_in_word).count();
            // Only the first run of letters counts as the first word, even in a path or a name.
            word_is_known = true;
            for letter in &bytes[at..end.min(at + BYTES - length)] {
                form[length] = *letter;
                length += 1;
            }
            at = end;
            is_in_name = true;
            continue;
        }
        let written = if is_name { b'w' } else { byte };
        // Successive words count as one word.
        let is_more = (is_name || byte == b' ') && is_in_name;
        if !is_more {
            form[length] = written;
            length += 1;
        }
        is_in_name = is_name || (is_in_name && byte == b' ');
        at += 1;
    }
    xxh3_64(&form[..length])
}

/// Returns a hash of the line's words. Names and numbers are left out: words with digits or signs inside.
pub fn words(line: &str) -> u64 {
    let head = &line[..floor_char_boundary(line, BYTES)];
    let is_sign = |letter: char| letter.is_ascii_digit() || matches!(letter, '_' | '/' | '\\' | '.' | '-' | ':' | '=');
    let mut hash = 0_u64;
    for word in
        head.split(|letter: char| letter.is_whitespace() || matches!(letter, ',' | ';' | '"' | '\'' | '(' | ')'))
    {
        let word = word.trim_end_matches(|letter: char| letter.is_ascii_punctuation());
        if !word.is_empty() && !word.contains(is_sign) {
            hash = hash.rotate_left(5) ^ xxh3_64(word.as_bytes());
        }
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_one_kind_have_one_shape() {
        assert_eq!(shape("   Compiling serde v1.0.2"), shape("   Compiling tokio-util v0.7.13"));
        assert_eq!(shape("12:30:01 INFO started job 3"), shape("12:31:44 INFO stopped it"));
        assert_ne!(shape("12:30:01 INFO started job 3"), shape("12:30:01 ERROR started job 3"));
        assert_ne!(shape("   Compiling serde v1"), shape("error: no such thing"));
        assert_ne!(shape("处理文件 12"), shape("失败：第十二行类型不符"));
        shape("é€😀");
        shape("");
        assert_eq!(words("src/a_1.x:12:5: note N12: long line"), words("src/b.x:1:9: note N7: long line"));
        assert_ne!(words("src/a_1.x:12:5: note N12: long line"), words("src/b.x:1:9: the day is no number"));
    }
}
