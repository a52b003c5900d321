//! Finds names in a text: paths, code identifiers and hashes. Agents use them to refer to things again.

/// Maximum bytes of a name. Longer strings are data.
const MAX_NAME_BYTES: usize = 120;

/// Minimum bytes of a name. Shorter words are too common.
const MIN_NAME_BYTES: usize = 6;

/// Calls `found` with every name in `text`, in order.
pub fn for_each_name<'a>(text: &'a str, mut found: impl FnMut(&'a str)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if KINDS[bytes[at] as usize] == 0 || is_escape(bytes, at) {
            at += 1;
            continue;
        }
        let start = at;
        // The kinds of bytes in the run, as bits.
        let mut kinds = 0;
        let mut run = |belongs: u8| {
            while let Some(byte) = bytes.get(at).filter(|byte| KINDS[**byte as usize] & belongs != 0) {
                kinds |= KINDS[*byte as usize];
                at += 1;
            }
            (at, kinds)
        };
        let (end, kinds) = run(IN_PATH);
        if kinds & SLASH != 0 {
            let path = text[start..end].trim_end_matches(['.', '-']);
            if path.len() >= MIN_NAME_BYTES
                && path.len() <= MAX_NAME_BYTES
                && path.bytes().any(|b| b.is_ascii_alphabetic())
            {
                found(path);
            }
            continue;
        }
        let (end, kinds) = run(IN_PATH | DOLLAR);
        // Most words are not names: they are too short, or prose in letters of one case.
        let is_prose = kinds & !(LOWER | DIVIDER) == 0 || kinds & !(UPPER | DIVIDER) == 0;
        if end - start >= MIN_NAME_BYTES && !is_prose {
            text[start..end].split(['.', '-']).filter_map(identifier).for_each(&mut found);
        }
    }
}

/// Returns true if the byte at `at` is the letter of an escaped line feed, carriage return or tab. An escape precedes a
/// capital, or follows another escape or a character that ends lines of code. Any other letter after a backslash may
/// begin the name of a folder.
fn is_escape(bytes: &[u8], at: usize) -> bool {
    let is_escaped = |at: usize| at > 0 && bytes[at - 1] == b'\\' && matches!(bytes[at], b'n' | b'r' | b't');
    let ends_line = |byte: u8| matches!(byte, b';' | b',' | b'{' | b'(' | b'>');
    is_escaped(at)
        && (bytes.get(at + 1).is_some_and(u8::is_ascii_uppercase)
            || at.checked_sub(2).is_some_and(|before| is_escaped(before) || ends_line(bytes[before])))
}

const LOWER: u8 = 1;
const UPPER: u8 = 2;
const DIGIT: u8 = 4;
const UNDERSCORE: u8 = 8;
/// A divider between parts of a name: `.` or `-`.
const DIVIDER: u8 = 16;
const SLASH: u8 = 32;
const DOLLAR: u8 = 64;
/// The kinds of bytes that can be part of a path.
const IN_PATH: u8 = LOWER | UPPER | DIGIT | UNDERSCORE | DIVIDER | SLASH;

/// The kind of each byte; 0 if no name contains the byte. A table is fast, and every byte of a conversation is looked
/// up.
const KINDS: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let value = byte as u8;
        table[byte] = match value {
            b'a'..=b'z' => LOWER,
            b'A'..=b'Z' => UPPER,
            b'0'..=b'9' => DIGIT,
            b'_' => UNDERSCORE,
            b'.' | b'-' => DIVIDER,
            b'/' => SLASH,
            b'$' => DOLLAR,
            _ => 0,
        };
        byte += 1;
    }
    table
};

/// Returns `part` if it looks like an identifier or a hash rather than a word of prose.
fn identifier(part: &str) -> Option<&str> {
    if part.len() > MAX_NAME_BYTES {
        return None;
    }
    let is_hash = (7..=40).contains(&part.len()) && part.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    if is_hash {
        return part.bytes().any(|b| b.is_ascii_digit()).then_some(part);
    }
    let name = part.trim_start_matches(|c: char| c.is_ascii_digit());
    if name.len() < MIN_NAME_BYTES {
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

    #[test]
    fn escapes_are_no_part_of_a_name() {
        assert_eq!(
            names(r#""\nDebug: \tMyClass\r\nisLeapYear C:\app\node_modules""#),
            ["MyClass", "isLeapYear", "node_modules"]
        );
        let folders = r"%TEMP%\test_output (x86)\node_tools ${root}\test_helpers '\new_folder' C:\Dokumenté\test_data";
        assert_eq!(names(folders), ["test_output", "node_tools", "test_helpers", "new_folder", "test_data"]);
        assert_eq!(
            names(r"{\n\tgitDirAbs := 1;\nlocalRef D:\temp_files \\\\host\team_share err\nlastRef"),
            ["gitDirAbs", "localRef", "temp_files", "team_share", "nlastRef"]
        );
    }

    proptest! {
        #[test]
        fn a_text_has_the_names_of_its_lines(text in r"([\\;,nrtN\r\n./$-]|some_name|3f2a9bc|[a-z]{6}){0,30}") {
            let of_lines: Vec<&str> = text.lines().flat_map(names).collect();
            prop_assert_eq!(names(&text), of_lines);
        }

        #[test]
        fn any_text_is_survived(text in ".*") {
            for name in names(&text) {
                prop_assert!(text.contains(name) && name.len() <= MAX_NAME_BYTES);
            }
        }
    }
}
