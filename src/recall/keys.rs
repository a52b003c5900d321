//! Keys by which entries are read. A key is short and derived from the entry's content. So later messages, a
//! condensation or another process do not change it.

/// Characters of a key, without letters and digits that look alike.
const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// Length of a key in characters, unless another entry has the same key.
pub const SHORTEST: usize = 4;
/// Length of the whole hash in characters.
const ALL: usize = 12;

/// Returns all characters of the key for this hash. The first is a letter, so that no key looks like a number.
pub fn characters(mut hash: u64) -> String {
    let mut key = String::with_capacity(ALL);
    let letters = &DIGITS[10..];
    key.push(char::from(letters[(hash % letters.len() as u64) as usize]));
    hash /= letters.len() as u64;
    while key.len() < ALL {
        key.push(char::from(DIGITS[(hash % 32) as usize]));
        hash /= 32;
    }
    key
}

/// Normalises a key as someone typed it: in brackets or quotes, in capitals.
pub fn read(key: &str) -> String {
    key.chars().filter(char::is_ascii_alphanumeric).map(|character| character.to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_begin_with_a_letter_and_differ() {
        let keys: std::collections::HashSet<String> = (0..1000_u64).map(|number| characters(number << 7)).collect();
        assert_eq!(keys.len(), 1000);
        assert!(keys.iter().all(|key| key.len() == ALL && key.starts_with(|first: char| first.is_ascii_lowercase())));
        assert_eq!(read(" [K7FA] "), "k7fa");
    }
}
