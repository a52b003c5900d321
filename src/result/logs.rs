//! Logs of build systems and test runners for tests. Each has one failure in the middle, among lines that mention
//! failures without reporting one.

use serde_json::json;

use super::{
    tests::{run, settings},
    *,
};

const LINES: usize = 1000;

struct Log {
    name: &'static str,
    /// Lines of a successful run; `{}` represents a number.
    noise: &'static [&'static str],
    /// Lines in the middle that must be kept word for word.
    failure: &'static [&'static str],
    /// Lines at the end that must be kept.
    ending: &'static [&'static str],
    exit_code: i64,
}

impl Log {
    fn line(&self, at: usize) -> String {
        // The kinds of lines are in no regular order.
        self.noise[(at * 7 + at / 11) % self.noise.len()].replace("{}", &at.to_string())
    }

    fn text(&self) -> String {
        let noise = |range: std::ops::Range<usize>| range.map(|at| self.line(at)).collect::<Vec<_>>().join("\n");
        let (half, end) = (noise(0..LINES / 2), noise(LINES / 2..LINES));
        format!("{half}\n{}\n{end}\n{}\n", self.failure.join("\n"), self.ending.join("\n"))
    }
}

const LOGS: [Log; 25] = [
    Log {
        name: "make and gcc",
        noise: &[
            "gcc -Wall -Werror=implicit -O2 -Isrc -c src/error_{}.c -o build/error_{}.o",
            "  CC      lib/failure_{}.o",
            "src/a_{}.c:12:7: warning: unused variable 'fail' [-Wunused-variable]",
            "   12 |   int fail;",
            "      |       ^~~~",
            "make[2]: Entering directory '/src/error/{}'",
        ],
        failure: &[
            "src/day.c: In function 'parse_day':",
            "src/day.c:41:12: error: 'struct day' has no member named 'dya'; did you mean 'day'?",
            "   41 |   return d->dya;",
            "      |             ^~~",
            "      |             day",
            "make[2]: *** [Makefile:112: build/day.o] Error 1",
        ],
        ending: &["make[1]: *** [Makefile:30: all-recursive] Error 1", "make: *** [Makefile:12: all] Error 2"],
        exit_code: 2,
    },
    Log {
        name: "a linker",
        noise: &["[ {}] cc -c error.c", "ar rcs liberror_{}.a failure.o"],
        failure: &[
            "/usr/bin/ld: build/day.o: in function `main':",
            "day.c:(.text+0x1b): undefined reference to `parse_day'",
            "collect2: error: ld returned 1 exit status",
        ],
        ending: &["make: *** [Makefile:12: app] Error 1"],
        exit_code: 2,
    },
    Log {
        name: "cargo",
        noise: &[
            "   Compiling thiserror_{} v1.{}.0",
            "test error::tests::case_{} ... ok",
            "test failures_are_told_{} ... ok",
            "warning: unused variable: `error`",
            "  --> src/failure.rs:{}:9",
        ],
        failure: &[
            "---- day::tests::parses stdout ----",
            "",
            "thread 'day::tests::parses' panicked at src/day.rs:12:5:",
            "assertion `left == right` failed: the day",
            "  left: 1",
            " right: 2",
        ],
        ending: &[
            "failures:",
            "    day::tests::parses",
            "test result: FAILED. 2399 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 3.21s",
            "error: test failed, to rerun pass `--lib`",
        ],
        exit_code: 101,
    },
    Log {
        name: "npm and tsc",
        noise: &["> @app/error-{}@1.0.0 build", "> tsc -p tsconfig.json", "", "added {} packages, found 0 errors"],
        failure: &[
            "src/day.ts(12,5): error TS2322: Type 'string' is not assignable to type 'number'.",
            "  The expected type comes from property 'day'.",
            "npm error Lifecycle script `build` failed with error:",
            "npm error code 2",
            "npm error path /app/packages/day",
        ],
        ending: &["npm error workspace @app/day@1.0.0", "npm error command sh -c tsc -p tsconfig.json"],
        exit_code: 2,
    },
    Log {
        name: "vitest",
        noise: &[
            " ✓ src/error_{}.test.ts (3 tests) 12ms",
            "   ✓ tells the error, and fails gracefully {}ms",
            "   ✓ error: is a word of a name {}ms",
        ],
        failure: &[
            " FAIL  src/day.test.ts > parses a day",
            "AssertionError: expected 1 to be 2 // Object.is equality",
            "",
            "- Expected",
            "+ Received",
            "",
            "- 2",
            "+ 1",
            "",
            " ❯ src/day.test.ts:12:5",
        ],
        ending: &[
            " Test Files  1 failed | 600 passed (601)",
            "      Tests  1 failed | 2399 passed (2400)",
            "   Duration  12.30s",
        ],
        exit_code: 1,
    },
    Log {
        name: "jest",
        noise: &["PASS src/error_{}.test.js", "PASS packages/failures/src/{}.test.js (5.1 s)"],
        failure: &[
            "FAIL src/day.test.js",
            "  ● day › parses",
            "",
            "    expect(received).toBe(expected) // Object.is equality",
            "",
            "    Expected: 2",
            "    Received: 1",
            "",
            "      at Object.toBe (src/day.test.js:12:18)",
        ],
        ending: &[
            "Test Suites: 1 failed, 2400 passed, 2401 total",
            "Tests:       1 failed, 7200 passed, 7201 total",
            "Ran all test suites.",
        ],
        exit_code: 1,
    },
    Log {
        name: "pytest",
        noise: &[
            "tests/test_error_{}.py::TestFailure::test_exception PASSED [ 12%]",
            "tests/test_x.py::test_a_failure[error-{}] PASSED                 [ 13%]",
            "tests/test_y.py ........................................ [ 14%]",
        ],
        failure: &[
            "__________________________________ test_day __________________________________",
            "    def test_day():",
            ">       assert parse('x') == 3",
            "E       AssertionError: assert 4 == 3",
            "E        +  where 4 = parse('x')",
            "",
            "tests/test_day.py:12: AssertionError",
        ],
        ending: &[
            "=========================== short test summary info ============================",
            "FAILED tests/test_day.py::test_day - AssertionError: assert 4 == 3",
            "================= 1 failed, 2400 passed, 3 warnings in 12.30s ==================",
        ],
        exit_code: 1,
    },
    Log {
        name: "go",
        noise: &[
            "=== RUN   TestError{}",
            "--- PASS: TestError{} (0.00s)",
            "    --- PASS: TestError{}/fails_on_error (0.00s)",
            "ok  \texample.com/errors{}\t0.0{}s",
        ],
        failure: &[
            "--- FAIL: TestParse (0.00s)",
            "    parse_test.go:41: got 3, want 4",
            "    parse_test.go:42: day is off",
        ],
        ending: &["FAIL\texample.com/parse\t0.312s", "FAIL"],
        exit_code: 1,
    },
    Log {
        name: "gradle",
        noise: &[
            "> Task :module{}:compileErrorHandlers UP-TO-DATE",
            "> Task :failures{}:test",
            "Note: Some input files use unchecked or unsafe operations.",
        ],
        failure: &[
            "> Task :app:compileJava FAILED",
            "/src/App.java:12: error: cannot find symbol",
            "        foo();",
            "        ^",
            "  symbol:   method foo()",
            "  location: class App",
            "1 error",
        ],
        ending: &[
            "FAILURE: Build failed with an exception.",
            "* What went wrong:",
            "Execution failed for task ':app:compileJava'.",
            "> Compilation failed; see the compiler error output for details.",
            "BUILD FAILED in 12s",
            "2401 actionable tasks: 12 executed, 2389 up-to-date",
        ],
        exit_code: 1,
    },
    Log {
        name: "maven",
        noise: &[
            "[INFO] Running com.foo.ParseExceptionTest{}",
            "[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s -- in com.foo.ParseErrorTest{}",
            "[INFO] Compiling com/foo/ParseException{}.java",
            "[WARNING] Parameter 'failIfNoTests' is unknown for plugin {}",
        ],
        failure: &[
            "[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.1 s <<< FAILURE! -- in com.foo.DayTest",
            "[ERROR] com.foo.DayTest.parses -- Time elapsed: 0.01 s <<< FAILURE!",
            "org.opentest4j.AssertionFailedError: expected: <1> but was: <2>",
            "\tat com.foo.DayTest.parses(DayTest.java:12)",
        ],
        ending: &[
            "[ERROR] Tests run: 7200, Failures: 1, Errors: 0, Skipped: 0",
            "[INFO] BUILD FAILURE",
            "[INFO] Total time:  12.3 s",
            "[ERROR] Failed to execute goal org.apache.maven.plugins:maven-surefire-plugin:3.2.5:test (default-test) on project day: There are test failures.",
        ],
        exit_code: 1,
    },
    Log {
        name: "dotnet",
        noise: &[
            "  Failures{} -> /bin/Failures{}.dll",
            "/src/A{}.cs(12,5): warning CS0168: The variable 'error' is declared but never used [/src/A.csproj]",
            "  Passed Foo.ErrorTests.Fails{} [1 ms]",
        ],
        failure: &["/src/Day.cs(12,5): error CS1002: ; expected [/src/Day.csproj]"],
        ending: &["Build FAILED.", "    800 Warning(s)", "    1 Error(s)", "Time Elapsed 00:00:12.34"],
        exit_code: 1,
    },
    Log {
        name: "ninja",
        noise: &[
            "[{}/2400] Building CXX object src/CMakeFiles/error.dir/failed_{}.cpp.o",
            "[{}/2400] Linking CXX static library liberror.a",
        ],
        failure: &[
            "FAILED: src/CMakeFiles/day.dir/day.cpp.o ",
            "/usr/bin/c++ -O2 -o src/CMakeFiles/day.dir/day.cpp.o -c ../src/day.cpp",
            "../src/day.cpp:12:5: error: use of undeclared identifier 'foo'",
            "    foo();",
            "    ^",
            "1 error generated.",
        ],
        ending: &["ninja: build stopped: subcommand failed."],
        exit_code: 1,
    },
    Log {
        name: "ctest",
        noise: &[
            "        Start  {}: error_case",
            "  {}/2400 Test  #{}: error case .......................   Passed    0.01 sec",
        ],
        failure: &["1200/2400 Test #1200: day_parses .......................***Failed    0.02 sec"],
        ending: &[
            "99% tests passed, 1 tests failed out of 2400",
            "Total Test time (real) =  12.30 sec",
            "The following tests FAILED:",
            "\t1200 - day_parses (Failed)",
            "Errors while running CTest",
        ],
        exit_code: 8,
    },
    Log {
        name: "bazel",
        noise: &[
            "INFO: From Compiling src/error_{}.cc:",
            "//src:error_test_{}                                   PASSED in 0.1s",
            "[{} / 2,400] Compiling src/failure.cc; 3s linux-sandbox",
        ],
        failure: &[
            "ERROR: /ws/src/BUILD:12:10: Compiling src/day.cc failed: (Exit 1): gcc failed: error executing CppCompile command",
            "src/day.cc: In function 'int main()':",
            "src/day.cc:12:5: error: 'foo' was not declared in this scope",
            "   12 |     foo();",
            "      |     ^~~",
        ],
        ending: &[
            "//src:day_test                                        FAILED TO BUILD",
            "Executed 2400 out of 2401 tests: 2400 tests pass and 1 fails to build.",
            "ERROR: Build did NOT complete successfully",
        ],
        exit_code: 1,
    },
    Log {
        name: "xcodebuild",
        noise: &[
            "CompileSwift normal arm64 /Users/runner/work/App/Sources/ErrorView{}.swift (in target 'App' from project 'App')",
            "    cd /Users/runner/work/App",
            "    /Applications/Xcode.app/Contents/Developer/Toolchains/XcodeDefault.xctoolchain/usr/bin/swift-frontend -frontend -c -primary-file /Users/runner/work/App/Sources/ErrorView{}.swift -target arm64-apple-ios15.0",
            "",
        ],
        failure: &[
            "/Users/runner/work/App/Sources/Day.swift:41:12: error: cannot find 'foo' in scope",
            "    return foo(day)",
            "           ^~~",
        ],
        ending: &[
            "** BUILD FAILED **",
            "The following build commands failed:",
            "\tCompileSwift normal arm64 /Users/runner/work/App/Sources/Day.swift (in target 'App' from project 'App')",
            "(1 failure)",
        ],
        exit_code: 65,
    },
    Log {
        name: "rspec",
        noise: &["  Error{}", "    tells the error {}", "    fails gracefully {}", ""],
        failure: &["    parses a day (FAILED - 1)"],
        ending: &[
            "  1) Day parses a day",
            "     Failure/Error: expect(parse('x')).to eq(3)",
            "       expected: 3",
            "            got: 4",
            "       (compared using ==)",
            "     # ./spec/day_spec.rb:12:in `block (2 levels) in <top (required)>'",
            "Finished in 12.3 seconds (files took 1.2 seconds to load)",
            "2400 examples, 1 failure",
            "rspec ./spec/day_spec.rb:10 # Day parses a day",
        ],
        exit_code: 1,
    },
    Log {
        name: "mix test",
        noise: &["* test tells the error {} (0.1ms) [L#{}]", "ErrorTest{} [test/error_{}_test.exs]"],
        failure: &[
            "  1) test parses a day (DayTest)",
            "     test/day_test.exs:12",
            "     Assertion with == failed",
            "     code:  assert parse(\"x\") == 3",
            "     left:  4",
            "     right: 3",
            "     stacktrace:",
            "       test/day_test.exs:13: (test)",
        ],
        ending: &[
            "Finished in 12.3 seconds (0.1s async, 12.2s sync)",
            "2400 tests, 1 failure",
            "Randomized with seed 4711",
        ],
        exit_code: 2,
    },
    Log {
        name: "flutter test",
        noise: &["00:12 +{}: test/error_{}_test.dart: tells the error", "00:12 +{}: loading test/failure_{}_test.dart"],
        failure: &[
            "00:13 +1200 -1: test/day_test.dart: parses a day [E]",
            "  Expected: <3>",
            "    Actual: <4>",
            "  package:matcher                                     expect",
            "  test/day_test.dart 12:5                             main.<fn>",
        ],
        ending: &["00:59 +2399 -1: Some tests failed."],
        exit_code: 1,
    },
    Log {
        name: "docker build",
        noise: &[
            "#8 12.{} Get:{} http://deb.debian.org/debian bookworm/main amd64 liberror-perl all",
            "#8 12.{} Selecting previously unselected package failure{}.",
            "#9 extracting sha256:{}abc 0.{}s done",
        ],
        failure: &[
            "#12 34.56 npm error code ERESOLVE",
            "#12 34.56 npm error ERESOLVE unable to resolve dependency tree",
            "#12 34.56 npm error Found: react@18.2.0",
            "#12 34.57 npm error Could not resolve dependency:",
            "#12 34.57 npm error peer react@\"^17.0.0\" from day@1.0.0",
            "#12 ERROR: process \"/bin/sh -c npm ci\" did not complete successfully: exit code: 1",
        ],
        ending: &[
            "------",
            " > [builder 5/9] RUN npm ci:",
            "Dockerfile:12",
            "  12 | >>> RUN npm ci",
            "ERROR: failed to solve: process \"/bin/sh -c npm ci\" did not complete successfully: exit code: 1",
        ],
        exit_code: 1,
    },
    Log {
        name: "ansible",
        noise: &[
            "TASK [errors : fail when {} is missing] ****************************************",
            "ok: [host{}]",
            "skipping: [host{}]",
            "changed: [host{}]",
        ],
        failure: &[
            "TASK [day : install] ***********************************************************",
            "fatal: [host3]: FAILED! => {\"changed\": false, \"msg\": \"No package matching 'day' is available\"}",
        ],
        ending: &[
            "PLAY RECAP *********************************************************************",
            "host3                      : ok=12   changed=1    unreachable=0    failed=1    skipped=0    rescued=0    ignored=0",
        ],
        exit_code: 2,
    },
    Log {
        name: "terraform",
        noise: &[
            "aws_instance.error_{}: Creating...",
            "aws_instance.error_{}: Still creating... [10s elapsed]",
            "aws_instance.error_{}: Creation complete after 12s [id=i-{}]",
        ],
        failure: &[
            "╷",
            "│ Error: creating S3 Bucket (day): operation error S3: CreateBucket, https response error StatusCode: 409, BucketAlreadyExists",
            "│ ",
            "│   with aws_s3_bucket.day,",
            "│   on main.tf line 12, in resource \"aws_s3_bucket\" \"day\":",
            "│   12: resource \"aws_s3_bucket\" \"day\" {",
            "│ ",
            "╵",
        ],
        ending: &["Apply complete! Resources: 2399 added, 0 changed, 0 destroyed."],
        exit_code: 1,
    },
    Log {
        name: "a service's journal",
        noise: &[
            "Nov 27 04:00:01 host app[123]: the error count of worker {} is 0",
            "Nov 27 04:00:01 host app[123]: request {} done",
        ],
        failure: &[
            "Nov 27 04:00:31 host app[123]: panic: runtime error: index out of range [3] with length 3",
            "Nov 27 04:00:31 host app[123]: goroutine 1 [running]:",
            "Nov 27 04:00:31 host app[123]: main.parse(0xc000012345)",
            "Nov 27 04:00:31 host app[123]:         /src/day.go:12 +0x1d",
        ],
        ending: &[
            "Nov 27 04:00:59 host systemd[1]: app.service: Main process exited, code=exited, status=2/INVALIDARGUMENT",
            "Nov 27 04:00:59 host systemd[1]: app.service: Failed with result 'exit-code'.",
        ],
        exit_code: 3,
    },
    Log {
        name: "a compiler in words that no rule knows",
        noise: &["étape {} terminée", "compilation de src/partie_{}.ml"],
        failure: &["src/jour.ml:12:5: le type attendu est int", "12 |   let x = \"a\"", "             ^^^"],
        ending: &["1 échec, 2399 réussites"],
        exit_code: 2,
    },
    Log {
        name: "a linter with a place in every line",
        noise: &["src/a_{}.x:12:5: N12: this is a long line", "src/b_{}.x:1:9: N7: two blanks"],
        failure: &["src/day.x:41:2: T9: day has another kind than number"],
        ending: &["2401 findings"],
        exit_code: 1,
    },
    Log {
        name: "a traceback",
        noise: &["12:00:{} INFO worker {} done", "12:00:{} DEBUG error count is 0, no failure so far"],
        failure: &[
            "Traceback (most recent call last):",
            "  File \"/app/day.py\", line 12, in parse",
            "    return int(text)",
            "           ^^^^^^^^^",
            "ValueError: invalid literal for int() with base 10: 'x'",
        ],
        ending: &["12:00:59 INFO shut down"],
        exit_code: 1,
    },
];

fn shown_lines(short: &str) -> usize {
    short.lines().filter(|line| !line.starts_with("[…") && !line.starts_with("[Left")).count()
}

#[test]
fn of_every_build_system_the_failure_its_context_and_the_ending_stay() {
    let mut lost = Vec::new();
    for log in LOGS {
        let text = log.text();
        for exit_code in [Some(log.exit_code), None] {
            let (result, short) = run(&text, &ResultSettings { exit_code, ..settings(1000) }, &[], "make all");
            assert!(result.fits && result.tokens_after <= 1000, "{}: {}", log.name, result.tokens_after);
            let repeats: usize = short
                .lines()
                .filter_map(|line| {
                    line.strip_prefix("[The line above ")?.strip_suffix(" more times]")?.parse::<usize>().ok()
                })
                .sum();
            let notes = short.lines().filter(|line| line.starts_with("[The line above")).count();
            assert_eq!(result.left_out, result.of + notes - repeats - shown_lines(&short), "{}: {short}", log.name);
            // Horizontal rules and the corners of boxes carry no information.
            let must = log.failure.iter().chain(log.ending).filter(|line| line.contains(char::is_alphanumeric));
            let missing: Vec<_> = must.filter(|line| !short.lines().any(|shown| shown == **line)).collect();
            // Without a keyword or an exit code, nothing shows that the run failed.
            let is_told = exit_code.is_some()
                || !log.name.starts_with("a compiler in words") && !log.name.starts_with("a linter");
            if is_told && !missing.is_empty() {
                lost.push(format!("{} ({exit_code:?}): {missing:#?}\n{short}", log.name));
            }
            if let Some(code) = exit_code {
                assert!(short.ends_with(&format!("; exit code {code}]")), "{short}");
            }
        }
    }
    assert!(lost.is_empty(), "{}", lost.join("\n"));
}

#[test]
fn an_exit_code_that_contradicts_the_text_is_told_below_it() {
    for log in LOGS {
        let noise: String = (0..LINES).map(|at| log.line(at) + "\n").collect();
        let (_, short) = run(
            &format!("{noise}All tests passed. Build successful.\n"),
            &ResultSettings { exit_code: Some(3), ..settings(400) },
            &[],
            "make",
        );
        assert!(short.ends_with("; exit code 3]"), "{short}");
    }
}

#[test]
fn coloured_logs_and_those_of_windows_read_the_same() {
    for log in LOGS {
        let coloured: String =
            log.text().lines().map(|line| format!("\u{1b}[2K\u{1b}[31m{line}\u{1b}[0m\r\n")).collect();
        let with_code = ResultSettings { exit_code: Some(log.exit_code), ..settings(1000) };
        let (plain, of_plain) = run(&log.text(), &with_code, &[], "make");
        let (result, short) = run(&coloured, &with_code, &[], "make");
        assert!(result.fits && !short.contains(['\u{1b}', '\r']), "{}", log.name);
        assert_eq!(result.of, plain.of, "{}", log.name);
        for line in log.failure.iter().filter(|line| of_plain.lines().any(|shown| shown == **line)) {
            assert!(short.lines().any(|shown| shown.trim_end() == line.trim_end()), "{} lost {line}", log.name);
        }
    }
}

#[test]
fn a_log_of_a_job_that_ran_several_is_read_as_one() {
    let stamped = |log: &Log| -> String {
        let line =
            |(at, line): (usize, &str)| format!("2026-11-27T04:{:02}:{:02}.1234567Z {line}\n", at / 60 % 60, at % 60);
        log.text().lines().enumerate().map(line).collect()
    };
    for log in &LOGS {
        let (result, short) = run(
            &stamped(log),
            &ResultSettings { exit_code: Some(log.exit_code), ..settings(2400) },
            &[],
            "gh run view",
        );
        assert!(result.fits, "{}", log.name);
        for line in log.failure.iter().chain(log.ending).filter(|line| !line.is_empty()) {
            assert!(short.contains(&format!("Z {line}\n")), "{} lost {line}:\n{short}", log.name);
        }
    }
}

#[test]
fn results_of_mcp_with_many_texts_keep_their_failure() {
    let text = |at: usize| json!({ "type": "text", "text": format!("{{\"id\": {at}, \"state\": \"{}\"}}", if at == 150 { "failed: no space" } else { "done" }) });
    let blocks: Vec<_> = (0..300).map(text).collect();
    let messages =
        json!([{ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "a", "content": blocks }] }]);
    let conversation = crate::conversation::Conversation::parse(&messages.to_string()).unwrap();
    let result = condense_result(&conversation, &ToolTable::default(), &settings(1000), |_| true);
    let after = conversation.apply(&result.plan).unwrap();
    assert!(after.texts()[0].iter().any(|text| text.text.contains("failed: no space")));
    assert!(result.tokens_after <= result.tokens_before && result.fits == (result.tokens_after <= 1000));
}

#[test]
fn structured_logs_minified_files_and_tables_keep_what_failed_and_their_head() {
    let json_line = |at: usize| {
        let level = if at == LINES / 2 { "error" } else { "info" };
        format!(
            "{{\"time\":{at},\"level\":\"{level}\",\"msg\":\"job {at}\",\"error\":{}}}\n",
            if at == LINES / 2 { "\"no space\"" } else { "null" }
        )
    };
    let (result, short) = run(&(0..LINES).map(json_line).collect::<String>(), &settings(600), &[], "docker logs app");
    assert!(result.fits && result.failures_left_out == 0 && short.contains(json_line(LINES / 2).trim_end()), "{short}");

    let minified = format!(
        "!function(){{{}}}();\nError: boom\n    at Object.<anonymous> (/app/min.js:1:90210)\n",
        "var a=b(c),d=e[f]?g:h;".repeat(20_000)
    );
    let (result, short) = run(&minified, &ResultSettings { exit_code: Some(1), ..settings(500) }, &[], "node min.js");
    assert!(
        result.fits && short.contains("\nError: boom\n    at Object.<anonymous> (/app/min.js:1:90210)\n"),
        "{short}"
    );

    let rows: String = (0..LINES)
        .map(|at| format!("| {at} | name {at} | {} |\n", if at == LINES / 2 { "FAILED" } else { "ok" }))
        .collect();
    let (result, short) =
        run(&format!("| id | name | state |\n|----|------|-------|\n{rows}"), &settings(500), &[], "report");
    assert!(result.fits && short.starts_with("| id | name | state |\n|----|------|-------|\n"), "{short}");
    assert!(short.contains("| 500 | name 500 | FAILED |"), "{short}");

    let dump = format!("{}\nfatal: early EOF\n", "TWFuIGlzIGRpc3Rpbmd1aXNoZWQ=\n".repeat(3) + &"QUJD".repeat(40_000));
    let (result, short) = run(&dump, &settings(300), &[], "git bundle");
    assert!(result.fits && short.contains("\nfatal: early EOF\n"), "{short}");
}
