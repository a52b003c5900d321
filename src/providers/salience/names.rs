//! Names in a text: paths, code identifiers and hashes, the words by which an agent refers to things again.

/// Longer ones are data, not names.
const LONGEST: usize = 120;

/// Shorter ones say too little.
const SHORTEST: usize = 6;

/// Calls `found` with every name in `text`, in order.
pub fn for_each_name<'a>(text: &'a str, mut found: impl FnMut(&'a str)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !is_path_byte(bytes[at]) && bytes[at] != b'$' {
            at += 1;
            continue;
        }
        let end = run_end(bytes, at, is_path_byte);
        if bytes[at..end].contains(&b'/') {
            let path = text[at..end].trim_end_matches(['.', '-']);
            if path.len() >= SHORTEST && path.len() <= LONGEST && path.bytes().any(|b| b.is_ascii_alphabetic()) {
                found(path);
            }
            at = end;
        } else {
            let end = run_end(bytes, at, |b| is_path_byte(b) || b == b'$');
            // Most words are too short to be names.
            if end - at < SHORTEST {
                at = end;
                continue;
            }
            text[at..end].split(['.', '-']).filter_map(identifier).for_each(&mut found);
            at = end;
        }
    }
}

/// For every byte whether it can be part of a path: a table, because every byte of a conversation is asked for.
const PATH_BYTES: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        #[allow(clippy::cast_possible_truncation)]
        let value = byte as u8;
        table[byte] = value.is_ascii_alphanumeric() || matches!(value, b'_' | b'.' | b'-' | b'/');
        byte += 1;
    }
    table
};

fn is_path_byte(byte: u8) -> bool {
    PATH_BYTES[byte as usize]
}

fn run_end(bytes: &[u8], from: usize, belongs: impl Fn(u8) -> bool) -> usize {
    bytes[from..].iter().position(|byte| !belongs(*byte)).map_or(bytes.len(), |length| from + length)
}

/// `part` when it looks like an identifier or a hash rather than a word of prose.
fn identifier(part: &str) -> Option<&str> {
    if part.len() > LONGEST {
        return None;
    }
    let is_hash = (7..=40).contains(&part.len()) && part.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    if is_hash {
        return part.bytes().any(|b| b.is_ascii_digit()).then_some(part);
    }
    let name = part.trim_start_matches(|c: char| c.is_ascii_digit());
    if name.len() < SHORTEST {
        return None;
    }
    let telling = name.bytes().any(|b| matches!(b, b'_' | b'$') || b.is_ascii_digit());
    let mixed = name.bytes().skip(1).any(|b| b.is_ascii_uppercase()) && name.bytes().any(|b| b.is_ascii_lowercase());
    (telling || mixed).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn names(text: &str) -> Vec<&str> {
        let mut found = Vec::new();
        for_each_name(text, |name| found.push(name));
        found
    }

    #[test]
    fn paths_identifiers_and_hashes_are_names_and_prose_is_not() {
        let text = "See src/store/task_store.ts: parseDueDate(input) fails in the handler since 3f2a9bc; MAX_TASKS, a/b and /usr/lib.";
        assert_eq!(names(text), ["src/store/task_store.ts", "parseDueDate", "3f2a9bc", "MAX_TASKS", "/usr/lib"]);
    }

    #[test]
    fn members_are_names_of_their_own() {
        assert_eq!(names("src/store$1 $PATH_TO"), ["src/store", "$PATH_TO"]);
        assert_eq!(names("this.taskStore.loadAll(user_id)"), ["taskStore", "loadAll", "user_id"]);
    }

    proptest! {
        #[test]
        fn any_text_is_survived(text in ".*") {
            for name in names(&text) {
                prop_assert!(text.contains(name) && name.len() <= LONGEST);
            }
        }
    }
}
