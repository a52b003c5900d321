//! Commands that check something, and how they ended.

use std::sync::LazyLock;

use regex::Regex;

/// Words of commands that check: test runners, compilers, linters and build tools of the common languages.
static CHECKS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"\b(cargo (?:test|check|build|clippy|nextest)|go (?:test|build|vet)|dotnet (?:test|build)|tests?|vitest|jest|mocha|pytest|phpunit|rspec|tsc|typecheck|eslint|biome|lint|ruff|mypy|build|make|gradle|mvn)\b",
    )
    .expect("the pattern is a constant, and tested")
});

/// What says how a check ended: counts of what passed, failed and was found, exit codes, and the words that runners begin their last lines with.
static VERDICTS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)\b\d+ (?:tests? |specs? |checks? )?(?:passed|passing|failed|failing|errors?|warnings?|problems?)\b|\bexit(?:ed)?(?: with)?(?: code| status)?:? ?\d+|^(?:ok|not ok|pass|fail|--- fail|error(?:\[|:| ts))|\btests?:? +\d|\btest result:|found \d+|build (?:successful|failed|succeeded)",
    )
    .expect("the pattern is a constant, and tested")
});

/// What a command checks with, such as `cargo test`; `None` for one that checks nothing.
pub fn check_of(command: &str) -> Option<&str> {
    CHECKS.find(command).map(|found| found.as_str())
}

/// How much passed and failed.
static COUNTS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)\b\d+ (?:tests? |specs? |checks? )?(?:passed|passing|failed|failing|errors?|warnings?|problems?)\b",
    )
    .expect("the pattern is a constant, and tested")
});

/// The last line of an output that says how a check ended, and before it the last that counts what passed and failed, where that is another.
pub fn verdict(output: &str) -> Option<(Option<&str>, &str)> {
    let tells = |line: &&str| line.len() > 3 && line.len() < 2000 && VERDICTS.is_match(line);
    let mut lines = output.lines().rev().map(str::trim).filter(tells);
    let last = lines.next()?;
    // Runners count in the last few lines.
    let counts = if COUNTS.is_match(last) { None } else { lines.take(20).find(|line| COUNTS.is_match(line)) };
    Some((counts, last))
}

/// The line of an answer that says what failed.
pub fn failure(answer: &str) -> Option<&str> {
    const WORDS: [&str; 10] =
        ["error", "fail", "not found", "cannot", "denied", "no such", "invalid", "unexpected", "undefined", "panicked"];
    let tells = |line: &&str| {
        let lower = line.to_ascii_lowercase();
        line.len() > 12 && WORDS.iter().any(|word| lower.contains(word))
    };
    answer.lines().take(2000).map(str::trim).find(tells)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_are_known_by_their_words() {
        let found = ["cd app && npm test -- --run", "cargo clippy -q", "ls src", "git commit -m testing", "make -j2"];
        assert_eq!(found.map(check_of), [Some("test"), Some("cargo clippy"), None, None, Some("make")]);
    }

    #[test]
    fn the_last_line_that_tells_is_the_verdict() {
        assert_eq!(
            verdict("a\n Tests  3 failed | 12 passed (15)\nDuration 2s\n"),
            Some((None, "Tests  3 failed | 12 passed (15)"))
        );
        assert_eq!(
            verdict("Tests  3 failed | 12 passed (15)\nDuration 2s (tests 132ms)\n"),
            Some((Some("Tests  3 failed | 12 passed (15)"), "Duration 2s (tests 132ms)"))
        );
        let cargo = "test result: ok. 4 passed; 0 failed";
        assert_eq!(verdict(&format!("{cargo}\n\n")), Some((None, cargo)));
        assert_eq!(verdict("src/a.ts\nsrc/b.ts"), None);
        assert_eq!(failure("compiling\nerror[E0308]: mismatched types\nmore"), Some("error[E0308]: mismatched types"));
        assert_eq!(failure("all is well"), None);
    }
}
