//! Recognises lines that report a failure, by words and glyphs. These are only additional evidence: callers also judge
//! lines by position and shape, so a rare line is kept without them.

use std::sync::LazyLock;

use regex::Regex;

use crate::conversation::{json_text::unescape, string_end};

/// Matches every line that reports a failure. Lines without a match need no closer look.
static HINT: LazyLock<Regex> = LazyLock::new(|| {
    constant(
        r#"(?i-u:err|fail|problem|exit|fatal|panic|exception|critical|severe|not ok|traceback|caused by|\*\*\*|cannot|could not|unable|denied|refused|timed out|timeout|not found|no such|undefined|unresolved|segmentation|core dumped|abort|assert|killed|invalid|went wrong|expected|no space|not recognized|conflict|rejected|broken|segv|segfault|emerg|alert|returncode)|E[A-Z]{4}|^[EF]\d{4} |: ?false|"rc"|level":|E   |✗|✖|✘|×|❌|✕|●"#,
    )
});

/// Matches a count of failures, or a verdict of failure on the whole. Seconds of a time are not a count. Neither is a
/// number that belongs to the word before it (`basket 3 error margin`).
static BAD: LazyLock<Regex> = LazyLock::new(|| {
    constant(
        r"(?i)(?:^|[^\w:.])(?:1 (?:\w+ )?(?:error|problem)\b|[1-9][\d,]* (?:\w+ )?(?:(?:fail(?:ed|ing|ures?)?|errors|problems)\b|error\(s\)))|\b(?:fail\w*|errors?)\s*[:=]\s*[1-9]|\bexit(?:ed)?(?: with)?(?:[ _]code| status)?[:>]? ?\(?[1-9]|(?:^|[^\w-])error(?::|\[)|^\W*(?:fail|failed|failure|error|fatal)\b|\b(?-i:FAIL|FAILED|FAILURE)\b",
    )
});

/// Matches a count of zero failures, or a denial of failures.
static DENIAL: LazyLock<Regex> = LazyLock::new(|| {
    constant(
        r#"(?i)\b(?:0(?:/\d+)?|no|without|zero) (?:\w+ )?(?:errors?|fail(?:ed|ing|ures?)?|problems?)\b|\b(?:errors?|fail\w*|problems?)"?\s*[=:|]\s*(?:0|\(?none\)?|<?null|<?nil>?|false|undefined|"")(?:\s*[,;|)}\]]|\s+\w+[=:]|\s*$)|\bfail(?:ed|ing|ures?)? 0(?:\s*$| of\b)|\bfail-fast:\s*(?:true|false)\b"#,
    )
});

/// Pattern for the end of a word for a severity or class. A word that continues is a name, such as `error.c`,
/// `error::tests` or `ParseException.java`.
const AFTER: &str = r"(?:$|[^\w.:/\\-]|\.(?:\W|$)|:(?:[^:]|$))";

/// Matches a severity at the beginning of a line, after a place or a sign, in capitals, or before a colon. Also matches
/// the name of an error's class, a sign of a test runner, and error messages of operating systems.
static REPORT: LazyLock<Regex> = LazyLock::new(|| {
    const SEVERITY: &str = r"(?:error|fatal|panic(?:ked)?|critical|severe|failed|failure)";
    constant(
        &[
            r#"(?i)(?:(?:^|[:\])|>!*]|\d:\d+)\s*"?|=)"#,
            SEVERITY,
            AFTER,
            r#"|=""#,
            SEVERITY,
            r#"""#,
            r"|\s(?:failed|panicked)",
            AFTER,
            r"|\s(?-i:ERROR|FATAL|PANIC|CRITICAL|SEVERE|FAILURE)",
            AFTER,
            r"|\s(?:error|failure):(?:[^:]|$)|(?:^|\W)\[\s*",
            SEVERITY,
            r"\s*\]|\b(?-i:[A-Z]\w*(?:Error|ERROR|Exception))",
            AFTER,
            r"|\bERR!|\t(?-i:fail|failed|failure|error|broken)(?:\t|$)|✗|✘|❌|^\s*(?:not ok\b|✖|×|✕|●|E   )|^\s*\*\*\*|: \*\*\* |^traceback \(|\bcaused by:|\bwent wrong\b|\b(?:command|file|module|symbol|package) not found\b|\bno such file\b|\b(?:permission|access) denied\b|\bconnection refused\b|\b(?:cannot|could not|unable to) \w|\bundefined (?:reference|symbol|:)|: undefined: |\bunresolved \w|\btimed out\b|\bsegmentation fault\b|\bcore dumped\b|\baborted\b|\bassert(?:ion)?\b.*\bfail|\bkilled\b|\.{3,}\s*failed|,(?:failed|error|failure)(?:,|$)|\btimeout (?:of )?\d+ ?m?s exceeded|: not found$|\bis not recognized as\b|\bno space left\b|\bexpected\b.*\bgot\b|\bsymbol\(s\) not found\b|! \[(?:remote )?rejected\]|^(?-i:CONFLICT) \(|\bsegfault\b|\bsigsegv\b|\binvalid (?:read|write) of size\b",
            // Severities that logs abbreviate or write as numbers, and failures in XML.
            r#"|^(?-i:[EF])\d{4} \d\d:|\[(?:err|crit|emerg|alert)\]|\blevel="?(?:err|crit|emerg|alert)\b|\s(?-i:ERR|CRIT|ALERT|EMERG(?:ENCY)?)\s|"level":\s*[56]0\b|<(?:failure|error)[\s>]"#,
            // Error codes of operating systems.
            r"|\b(?-i:E(?:NOENT|ACCES|PERM|NOSPC|NOTFOUND|TIMEDOUT|CONN[A-Z]+|ADDRINUSE|PIPE|MFILE|ROFS|EXIST|ISDIR|NOTDIR|NOTEMPTY|AI_AGAIN|HOSTUNREACH|NETUNREACH))\b",
        ]
        .concat(),
    )
});

/// Matches the name of a failure within a sentence. It may only be the sentence's topic, as in the title of a test.
static MENTION: LazyLock<Regex> =
    LazyLock::new(|| constant(&[r"(?i)\s(?:errors?|failures?|fatal|panic|critical|severe)", AFTER].concat()));

/// Matches the beginning of a sentence whose first word names a failure. That word may be part of a name, such as
/// `error handler`.
static SENTENCE: LazyLock<Regex> = LazyLock::new(|| constant(r"^\W*(?i:errors?) [a-z]"));

/// Matches a line with a verdict of success, whatever the line names. The verdict is at the beginning, or at the end
/// before a time or a percentage. A skipped or expected failure of TAP (`not ok … # SKIP`, `# TODO`) also matches.
static WELL: LazyLock<Regex> = LazyLock::new(|| {
    constant(
        r"^\s*not ok\b.*#\s*(?:SKIP|TODO)|^\s*(?:ok|PASS|PASSED|✓|✔|√)(?:\s|$)|^\s*--- PASS:|(?:\.\.|…|\s)\s*(?:ok|(?i-u:passed)|PASS)(?:\W+(?:in\W+)?[\d.,]+ *(?:m?s|secs?|seconds?|min|%)?)*\W*$",
    )
});

/// Matches the verdict of success of one of many parts.
static ONE_WELL: LazyLock<Regex> = LazyLock::new(|| constant(r"^\s*(?:ok|PASS|PASSED|✓|✔|√|test .* ok$)(?:\s|$)"));

/// Compiles a constant pattern, in which `\b` means the boundary of an ASCII word. With boundaries of Unicode words,
/// the fast engine gives up on a line with any non-ASCII letter.
pub fn constant(pattern: &str) -> Regex {
    Regex::new(&pattern.replace(r"\b", r"(?-u:\b)")).expect("the pattern is a constant, and tested")
}

/// The evidence for a failure in a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// A count of failures, or a verdict of failure on the whole.
    Verdict,
    /// A form in which tools report that something failed.
    Reported,
    /// A word that names a failure. Most such lines are only about failures, such as titles of tests.
    Mentioned,
}

/// Returns the evidence for a failure in a line; `None` if there is none.
pub fn failure_in(line: &str) -> Option<Failure> {
    if !HINT.is_match(line) {
        return None;
    }
    // A denial or a count of zero is not evidence, but the rest of the line may be.
    let rest = DENIAL.replace_all(line, "-");
    let (rest, is_sentence) = match SENTENCE.find(&rest) {
        Some(begins) => (&rest[begins.end() - 1..], true),
        None => (&*rest, false),
    };
    let is_bad = |pattern: &Regex| pattern.is_match(rest) && !WELL.is_match(line);
    // A line may be a part of a JSON text, or contain JSON after a name or a time.
    let is_json = || {
        if line.trim_start().starts_with('{') {
            is_failure_in_json(line)
        } else {
            line.contains("\":") && FIELD.is_match(line)
        }
    };
    if BAD.is_match(rest) && !is_one_well(line) {
        return Some(Failure::Verdict);
    }
    if is_bad(&REPORT) || is_json() {
        return Some(Failure::Reported);
    }
    (is_sentence || is_bad(&MENTION)).then_some(Failure::Mentioned)
}

/// Returns true for a line with a verdict of success. Such a line does not explain a failure before it.
pub fn went_well(line: &str) -> bool {
    WELL.is_match(line)
}

/// Returns true for a line that reports success of one of many parts, whatever the part's name.
pub fn is_one_well(line: &str) -> bool {
    ONE_WELL.is_match(line)
}

/// Returns true for a line that reports a failure.
pub fn is_failure(line: &str) -> bool {
    matches!(failure_in(line), Some(Failure::Verdict | Failure::Reported))
}

/// Matches a field with the name of a failure and a value that is not empty, or with a value that means failure.
static FIELD: LazyLock<Regex> = LazyLock::new(|| {
    constant(
        r#"(?i)"[^"]*(?:error|exception|fail)[^"]*"\s*:\s*(?:"[^"]|[1-9]|true|\{\s*"|\[\s*[^\]\s])|:\s*"(?:fail[a-z]*|err(?:or[a-z]*)?|fatal|critical|alert|emergency|panic|timed?.?out|rejected)"|"(?:ok|success|succeeded|passed)"\s*:\s*false|"(?:(?:exit|return)_?(?:code|status)|rc)"\s*:\s*-?[1-9]"#,
    )
});

/// Returns true if a JSON text reports a failure.
pub fn is_failure_in_json(json: &str) -> bool {
    let mut is_failure = false;
    each_failure_in_json(json, |_| is_failure = true);
    is_failure
}

/// Calls `found` with the index of each place in a JSON text that reports a failure. A place is a field, or a string
/// with a line that reports a failure.
pub fn each_failure_in_json(json: &str, mut found: impl FnMut(usize)) {
    FIELD.find_iter(json).for_each(|field| found(field.start()));
    let bytes = json.as_bytes();
    let mut at = 0;
    while let Some(start) = memchr::memchr(b'"', &bytes[at..]).map(|place| at + place) {
        let end = string_end(bytes, start);
        at = end;
        let literal = &json[start..end];
        if HINT.is_match(literal) && !is_key(&bytes[end..]) && is_failure_in_text(&unescape(literal)) {
            found(start);
        }
    }
}

fn is_key(behind: &[u8]) -> bool {
    behind.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b':')
}

/// Returns true for a text with a line that reports a failure, and for JSON that reports one.
pub fn is_failure_in_text(text: &str) -> bool {
    if text.trim_start().starts_with(['{', '[']) && is_failure_in_json(text) {
        return true;
    }
    text.lines().any(is_failure)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_of_many_tools_are_seen() {
        for line in [
            "error[E0308]: mismatched types",
            "src/a.ts(3,5): error TS2304: Cannot find name 'x'.",
            "  3:5  error  'x' is defined but never used  no-unused-vars",
            "make: *** [Makefile:3: all] Error 1",
            "[ERROR] COMPILATION ERROR : ",
            "> Task :app:compileJava FAILED",
            "--- FAIL: TestParse (0.00s)",
            "./main.go:10:5: undefined: foo",
            "E       assert 1 == 2",
            "FAILED tests/test_a.py::test_b - AssertionError: x",
            " × parses a day 5ms",
            "  ● Store › loads",
            "✖ 3 problems (3 errors, 0 warnings)",
            "Program.cs(3,5): error CS1002: ; expected [/src/a.csproj]",
            "java.lang.NullPointerException: x",
            "thread 'main' panicked at src/main.rs:3:5:",
            "Traceback (most recent call last):",
            "INTERNALERROR> teardown",
            "npm ERR! code ELIFECYCLE",
            "bash: foo: command not found",
            "not ok 3 - parses",
            "main.c:3:5: fatal error: x.h: No such file or directory",
            "collect2: error: ld returned 1 exit status",
            "tests/test_x.py:12: AssertionError",
            "Error. It is over",
            "12 passed, 1 failed in 3s",
            "Tests: 3 failed, 0 errors",
            "0 warnings, 2 problems",
            " 2 fail",
            "error while loading shared libraries: libx.so: cannot open shared object file",
            r#"{"time":"04:00:01","level":"error","msg":"no space"}"#,
            "time=04:00:01 level=error msg=\"no space\"",
            "web-1  | {\"level\":\"error\",\"msg\":\"no\"}",
            "HTTP says {\"id\":3,\"ok\":false}",
            "black....................................................................Failed",
            "100,abc,failed",
            "<failure message=\"11 is not 12\"/>",
            "Timeout of 2000ms exceeded.",
            "sh: 1: foo: not found",
            "write: No space left on device",
            "getaddrinfo ENOTFOUND registry",
            "CONFLICT (content): Merge conflict in a.ts",
            " ! [rejected]        main -> main (fetch first)",
            "E1127 04:00:01.000 1 kubelet.go:1] \"Failed to start\" err=\"x\"",
            "2026/11/27 04:00:01 [emerg] 1#1: bind() to 0.0.0.0:80",
            "04:00 ERR no route",
            "{\"level\":50,\"msg\":\"no route\"}",
            "expected 200, got 500",
            "test (18)\tfail\t2m3s\thttps://x",
            "| b | ❌ |",
            "web-1   Exited (1) 3 minutes ago",
            "<exit_code>2</exit_code>",
        ] {
            assert!(is_failure(line), "{line}");
        }
    }

    #[test]
    fn a_word_within_a_sentence_mentions_a_failure_and_its_form_reports_one() {
        for line in [
            "00:12 +240: a_test.dart: tells the error",
            "* test an error is told (0.1ms)",
            "An error occurred",
            "stdout | a.test.js > reports an error when input 3 fails",
            "error handler called 3 failed: 0",
        ] {
            assert_eq!(failure_in(line), Some(Failure::Mentioned), "{line}");
        }
        for line in [
            "[app] [error] no space",
            "  3:5  error  'x' is never used",
            "a type error: x",
            "job 12 failed",
            "04:00 main ERROR no space",
            "12 | error here",
        ] {
            assert!(is_failure(line), "{line}");
        }
        assert!(!is_failure_in_json(r#"{"name": "error12"}"#));
    }

    #[test]
    fn what_went_well_is_no_failure() {
        for line in [
            "   Compiling thiserror v1.0.3",
            "test errors::tests::parses ... ok",
            "0 errors, 0 warnings",
            "Tests: 12 passed, 12 total",
            "    0 Error(s)",
            "Done in 3s without errors",
            "found 0 problems",
            "gcc -Wall -Werror -c error.c -o build/error.o",
            "test error::tests::parses ... ok",
            "tests/test_x.py::TestX::test_a_failure[error] PASSED [ 12%]",
            " ✓ src/x.test.ts > error handling > tells the error 5ms",
            "  12/200 Test  #12: error case ................   Passed    0.01 sec",
            "[INFO] Compiling com/foo/ParseException.java",
            "--- PASS: TestX/error (0.00s)",
            "//src:an error test   PASSED in 0.1s",
            r#"{"time":"04:00:01","level":"info","error":null}"#,
            "level=info error=null took=3ms",
            "step 3 no error in worker 7",
            "batch 12 failed: 0",
            "retried 3 times, without problems",
            "      \"failed\": 0,",
            "# fail 0",
            "failed | 0",
            "| failed | 0 |",
            "0/12 failed",
            "failed 0 of 12",
            "error: undefined",
            "error=<nil> took=3ms",
            "fail-fast: false",
            "continue-on-error: true",
            "not ok 3 - parses # SKIP on Windows",
        ] {
            assert_eq!(failure_in(line), None, "{line}");
        }
        assert!(is_failure_in_json(r#"{"id":3,"status":"failed"}"#));
        assert!(is_failure_in_json(r#"{"error": "no"}"#));
        assert!(!is_failure_in_json(r#"{"errors": [], "error": null, "failed": 0, "lastError": ""}"#));
    }

    fn is_verdict(line: &str) -> bool {
        failure_in(line) == Some(Failure::Verdict)
    }

    #[test]
    fn seconds_of_a_time_are_no_count() {
        assert!(!is_verdict("12:00:07 DEBUG error count is 0") && !is_verdict("0.4 s failover"));
        assert!(is_verdict("12:00:07 1,204 errors") && is_verdict("(3 failed)"));
    }

    #[test]
    fn a_denial_says_nothing_of_a_failure_and_the_rest_of_its_line_may() {
        for line in [
            "step 3 no error in worker",
            "pool 12 failed: 0",
            "input 3 fails nowhere",
            "errors=0 took=12ms",
            "basket 3 error margin",
        ] {
            assert!(!is_verdict(line), "{line}");
        }
        for line in [
            "3 failed, 0 errors",
            "Failures: 2, Errors: 0",
            "error: null pointer dereference",
            " 2 fail",
            "    3 Error(s)",
            "due to 1 previous error",
        ] {
            assert!(is_verdict(line), "{line}");
        }
    }
}
