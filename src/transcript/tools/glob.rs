//! Globs: names with `*` (any characters or none) and `?` (one character).

/// Returns true if a name is a glob.
pub(super) fn is_glob(name: &str) -> bool {
    name.contains(['*', '?'])
}

/// Returns true if `glob` matches `name`. At worst as many steps as the product of their lengths.
pub fn is_named(glob: &str, name: &str) -> bool {
    let (glob, name) = (glob.as_bytes(), name.as_bytes());
    let (mut at, mut in_name) = (0, 0);
    // The position after the last `*`, and how much of the name it matches so far.
    let mut star: Option<(usize, usize)> = None;
    while in_name < name.len() {
        match (glob.get(at), star) {
            (Some(b'*'), _) => {
                at += 1;
                star = Some((at, in_name));
            }
            (Some(wanted), _) if *wanted == b'?' || *wanted == name[in_name] => {
                at += 1;
                in_name += 1;
            }
            (_, Some((behind, taken))) => {
                at = behind;
                in_name = taken + 1;
                star = Some((behind, in_name));
            }
            _ => return false,
        }
    }
    glob[at..].iter().all(|left| *left == b'*')
}

/// Returns the number of fixed characters of a glob. Of two matching globs, the one with more counts.
pub(super) fn fixed(glob: &str) -> usize {
    glob.bytes().filter(|byte| !matches!(byte, b'*' | b'?')).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_and_question_marks() {
        for (glob, yes, no) in [
            ("fs_*", "fs_grab", "afs_grab"),
            ("*", "", "\u{0}never"),
            ("*_file", "read_file", "read_files"),
            ("a*b*c", "aXbYbZc", "aXbYbZ"),
            ("get_?", "get_a", "get_ab"),
            ("fs", "fs", "fs_"),
        ] {
            assert!(is_named(glob, yes), "{glob} {yes}");
            assert!(glob == "*" || !is_named(glob, no), "{glob} {no}");
        }
        assert!(!is_named(&"*a".repeat(50), &"a".repeat(40)));
    }
}
