//! Tests that no other source contains the names of tools: code that needs to know something about a tool asks the
//! table.

use std::{fs, path::Path};

use super::known::KNOWN;

/// Names of tools that have another meaning in these files.
const OTHERWISE: &[(&str, &[&str], &str)] = &[
    (
        "js/roo/old-tool-results.js",
        &["read_file", "search_files", "list_files", "codebase_search", "execute_command", "read_command_output"],
        "Zoo-Code's own list: whose results it takes the old ones of",
    ),
    ("js/cli/help.js", &["read_file"], "an example"),
    ("src/providers/host_result.rs", &["replace", "insert"], "words for edits"),
    ("src/providers/middle/around.rs", &["insert"], "a word for edits"),
    ("src/providers/settle.rs", &["replace", "insert"], "words for edits"),
    ("src/providers/truncation/gap.rs", &["insert"], "a word for edits"),
    ("src/transcript/file_answers.rs", &["list_code_definition_names"], "a tag in answers"),
    ("src/transcript/interpret.rs", &["insert"], "a command of an editor"),
    ("src/transcript/shell.rs", &["grep", "ls"], "programs"),
    ("src/transcript/unseen.rs", &["grep", "ls"], "programs"),
    (
        "src/transcript/tools/meaning.rs",
        &["read", "write", "edit", "list", "recall", "skill", "view", "create", "str_replace", "insert"],
        "words in a configuration, and commands of an editor",
    ),
    ("src/transcript/tools/parameters.rs", &["patch", "replace", "question"], "parameters"),
];

#[test]
fn names_of_tools_stand_in_the_table_only() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    let mut files = 0;
    for folder in ["src", "js"] {
        each_source(&root.join(folder), &mut |path| {
            files += 1;
            let name = path.strip_prefix(root).unwrap_or(path).to_string_lossy().replace('\\', "/");
            let source = fs::read_to_string(path).unwrap();
            let looks_at_tools =
                ["src/transcript/", "src/salience/", "src/providers/"].iter().any(|folder| name.starts_with(folder));
            let source = if path.extension().is_some_and(|extension| extension == "rs") {
                without_tests(&source)
            } else {
                &source
            };
            for literal in literals(source) {
                let known = KNOWN.iter().filter(|tool| looks_at_tools || !is_everyday(tool.name));
                for tool in known.filter(|tool| is_named(tool.name, literal)) {
                    let is_other = OTHERWISE.iter().any(|(file, words, _)| *file == name && words.contains(&tool.name));
                    if !is_other {
                        found.push(format!("{name}: {literal:?} names the tool {}", tool.name));
                    }
                }
            }
        });
    }
    assert!(files > 100, "only {files} files");
    assert!(found.is_empty(), "ask the table instead:\n{}", found.join("\n"));
}

/// Calls `check` for every source but the table itself and test files.
fn each_source(folder: &Path, check: &mut impl FnMut(&Path)) {
    let mut entries: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let is_source = [".rs", ".js"].iter().any(|extension| name.ends_with(extension));
        if path.is_dir() && name != "tests" {
            each_source(&path, check);
        } else if is_source && !path.ends_with("tools/known.rs") && !["tests.rs", "literals.rs"].contains(&&*name) {
            check(&path);
        }
    }
}

/// Returns the source without its module of tests, which is the last of its file.
fn without_tests(source: &str) -> &str {
    source.find("#[cfg(test)]\nmod tests {").map_or(source, |tests| &source[..tests])
}

/// Returns true for an everyday word such as `insert`, which names a tool only where tools are handled.
fn is_everyday(tool: &str) -> bool {
    tool.bytes().all(|byte| byte.is_ascii_alphabetic())
}

/// Returns true if a literal is the name of a tool, or contains it as a separate word. An everyday word has to be the
/// whole literal.
fn is_named(tool: &str, literal: &str) -> bool {
    if is_everyday(tool) {
        return literal == tool;
    }
    let in_name = |next: Option<char>| next.is_some_and(|next| next.is_alphanumeric() || next == '_');
    literal.match_indices(tool).any(|(at, _)| {
        !in_name(literal[..at].chars().next_back()) && !in_name(literal[at + tool.len()..].chars().next())
    })
}

/// Returns the literals in Rust or JavaScript; comments are skipped.
fn literals(source: &str) -> Vec<&str> {
    let bytes = source.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &source[at..];
        at += match bytes[at] {
            b'/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            b'/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            // A character literal, not a lifetime, and not a JavaScript string, which Biome writes with double
            // quotes.
            b'\'' if rest.starts_with("'\"'") => 3,
            b'\'' if rest.starts_with("'\\") => 3,
            quote @ (b'"' | b'`') => {
                let end = closing(rest.as_bytes(), quote);
                found.push(&rest[1..end]);
                end + 1
            }
            _ => rest.chars().next().map_or(1, char::len_utf8),
        };
    }
    found
}

/// Returns the end of a literal that starts with `quote`.
fn closing(literal: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while at < literal.len() && literal[at] != quote {
        at += if literal[at] == b'\\' { 2 } else { 1 };
    }
    at.min(literal.len())
}

#[test]
fn literals_are_found() {
    let source = "let a = \"one\"; // \"no\"\n/* \"no\" */ f('\"', 'x', \"a \\\" b\", `two`)";
    assert_eq!(literals(source), ["one", "a \\\" b", "two"]);
    assert!(is_named("read_file", "[read_file for '"));
    assert!(!is_named("read_file", "read_files"));
    assert!(is_named("bash", "bash") && !is_named("bash", "a bash"));
}
