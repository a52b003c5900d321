// The command line: its arguments, and the files that it reads.

import { spawnSync } from "node:child_process";
import { chmodSync, linkSync, mkdirSync, readFileSync, readdirSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "../../scripts/tools.mjs";
import { copyOf, expectFailure, fixture, folder, isRoot, isWindows, main, put, run, runJson, thrownBy } from "./support.mjs";

const require = createRequire(import.meta.url);
const { readArguments } = require("../../js/cli/arguments.js");
const { readHistory } = require("../../js/cli/history-file.js");

describe("wrong usage ends with 2", () => {
  /** Arguments, the flag, command or argument that the failure is about, and what its message shows besides. */
  test.each([
    [[], "condense", "a folder"],
    [["a", "b", "a"], "condense", '"a", "b", "a"'],
    [["-", "-"], "condense", "standard input"],
    [["restore", "a", "b"], "restore", '"a", "b"'],
    [["expand", "a", "b"], "expand", '"a", "b"'],
    [["a", "b", "--out", "-"], "--out", '"a", "b"'],
    [["count"], "count", "standard input"],
    [["count", "a", "--target", "5"], "--target", "count"],
    [["validate", "a", "-o", "b"], "--out", "validate"],
    [["inspect", "a", "--priority", "cost"], "--priority", "it belongs to recommend"],
    [["completions"], "SHELL", "bash, zsh, fish"],
    [["completions", "powershell"], "SHELL", '"powershell"', "bash, zsh, fish"],
    [["completions", "bsh"], "SHELL", "did you mean bash or zsh?"],
    [["help", "cuont"], "COMMAND", '"cuont"', "condense, ", "did you mean count?"],
    [["help", "count", "expand"], "COMMAND", 'got "count" and "expand"'],
    [["recommend", "--loss", "200"], "--loss", '"200"', "a number from 0 to 100"],
    [["recommend", "--loss", "20%"], "--loss", "did you mean 20?"],
    [["recommend", "--budget", "$0.05"], "--budget", "did you mean 0.05?"],
    [["recommend", "--latency", "2s"], "--latency", "did you mean 2000?"],
    [["--wrong", "a"], "--wrong"],
    [["a", "--explian"], "--explian", "did you mean --explain?"],
    [["a", "--pre-set=x"], "--pre-set", "did you mean --preset?"],
    [["a", "--output", "b"], "--output", "did you mean --out?"],
    [["a", "-t", "50%"], "-t", "did you mean --target or --tools?"],
    [["a", "-x"], "-x", "flags of one letter are", "-o (--out)", "-q (--quiet)"],
    [["count", "a", "-z"], "-z", "flags of one letter are -h (--help), -V (--version)"],
    [["a", "--color", "sometimes"], "--color", '"sometimes"', "auto, always, never"],
    [["a", "--color=alway"], "--color", "did you mean always?"],
    [["a", "--provider", "smrt"], "--provider", '"smrt"', "did you mean smart?"],
    [["a", "--preset", "odd"], "--preset", '"odd"', "balanced, aggressive"],
    [["calibrate", "a", "--preset", "selective"], "--preset", "aggressive, multi_zone, balanced;"],
    [["a", "--provider", "native"], "--provider", "--llm API --model MODEL"],
    [["a", "--fallback"], "--fallback", "--llm"],
    [["a", "--llm", "openai", "--model", "m"], "--llm", "--out FILE, --in-place or --json", "--preview"],
    [["a", "--target"], "--target", "--target TOKENS"],
    [["result", "a", "--budget"], "--budget", "--budget TOKENS"],
    [["help", "--target"], "COMMAND", "--target is a flag of condense"],
    [["help", "--in-place"], "COMMAND", "--in-place is a flag of condense"],
    [["a", "--target", "20", "k"], "--target", 'got "20 k"; did you mean --target 20k?'],
    [["a", "--target", "50", "%"], "--target", 'got "50 %"; did you mean --target 50%?'],
    [["inspect", "a", "--window", "200", "000"], "--window", "did you mean --window 200000?"],
    [["a", "--window", "200K"], "--window", "roo-condense recommend a --window 200K"],
    [["it's.json", "--recall"], "--recall", "roo-condense recommend 'it'\\''s.json' --recall"],
    [["a", "--json", "--llm", "openai:gpt-5", "--model", "m"], "--llm", "did you mean openai?"],
    [["explain", "failed", "usage"], "CODE", 'explain takes one CODE; got "failed" and "usage"'],
    [["mcp", "package.json"], "mcp", '"package.json" is a file'],
    [["a", "--out="], "--out", "empty"],
    [["a", "--json=1"], undefined, "--json"],
    ...["0", "-5", "1.5", "0%", "101%", "half", "1e5", "50 %"].map((target) => [
      ["a", `--target=${target}`],
      "--target",
      JSON.stringify(target),
      "a whole number of tokens",
    ]),
    ...[
      [".5", "50%"],
      ["50 %", "50%"],
      ["50percent", "50%"],
      ["12.5pct", "12.5%"],
      ["20,000", "20000"],
      ["1_000_000", "1000000"],
      ["20.000", "20000"],
      ["5O%", "50%"],
      ["20 k", "20k"],
      ["20kb", "20k"],
      ["20k tokens", "20k"],
      ["5000 tokens", "5000"],
      ["20k%", "20k"],
    ].map(([target, meant]) => [["a", "--target", target], "--target", `got "${target}"; did you mean ${meant}?`]),
    [["inspect", "a", "--window", "200,000"], "--window", "did you mean 200000?"],
    [["a", "--target", "-5"], "--target", '"-5"'],
    [["calibrate", "a", "--target", "40k"], "--target", '"40k"', "calibrate"],
    [["a", "--frozen-messages", "-1"], "--frozen-messages", '"-1"', "a whole number, 0 or more"],
    [["inspect", "a", "--window", "-1k"], "--window", '"-1k"'],
    [["recommend", "--budget", "-0.5"], "--budget", '"-0.5"', "a number, 0 or more"],
    [["a", "--target", "--json"], "--target", "--target=-…"],
    [["a", "-o"], "--out"],
    [["cout", "a"], undefined, '"cout"', "did you mean the command count?"],
    [["help", "targt"], "COMMAND", "--target is a flag of condense", "roo-condense help condense"],
    [["help", "interactive"], "COMMAND", "--interactive is a flag of condense", "roo-condense help condense"],
    [["recomend", "--priority", "cost"], undefined, '"recomend"', "did you mean the command recommend?"],
    [["calibrate"], "calibrate", "a file or a folder"],
    [["a", "--protect-text", "/(/"], "--protect-text", '"/(/"', '"\\/(/"'],
    [["-", "--in-place"], "--in-place", "standard input"],
    [["a", "--in-place", "--out", "b"], "--in-place", "--out"],
    [["a", "--force"], "--force", "--out"],
    [["a", "--messages"], "--messages", "--json"],
    [["a", "--preview", "--out", "b"], "--preview", "--out"],
    [["a", "--preview", "--in-place"], "--preview", "--in-place"],
    [["a", "--preview", "--json", "--messages"], "--preview", "--messages"],
    [["a", "--json", "--out", "-"], "--json", "--out -"],
    [["a", "--quiet", "--explain"], "--quiet", "--explain"],
    [["a", "--preset", "balanced", "--provider", "lossless"], "--preset", "smart"],
    [["a", "--json", "--llm", "parrot", "--model", "m"], "--llm", '"parrot"', "anthropic, openai"],
    [["a", "--json", "--llm", "openai"], "--llm", "--model"],
    [["a", "--llm", "anthopic", "--model", "m", "--json"], "--llm", "did you mean anthropic?"],
    [["a", "--model", "m"], "--model", "--llm"],
    [["a", "--json", "--llm", "openai", "--model", "m", "--base-url", "ftp://x"], "--base-url", '"ftp://x"'],
    [["a", "--api-key", "secret-1"], undefined, "ANTHROPIC_API_KEY or OPENAI_API_KEY"],
    [["a", "--key=secret-1"], undefined, "ANTHROPIC_API_KEY or OPENAI_API_KEY"],
  ])("%j", (args, field, ...parts) => {
    const { code, text, ...failure } = thrownBy(() => readArguments(args));
    expect([code, failure.field]).toEqual([2, field]);
    if (field?.startsWith("--")) expect(failure.message).toContain(field);
    for (const part of parts) expect(failure.message).toContain(part);
    expect(text).toMatch(/\nUsage: roo-condense .*\nMore: roo-condense (?:--help|help \w+)$/);
    expect(text).not.toContain("secret-1");
  });

  test("the sentences", () => {
    const sentences = [
      [["a", "--loss", "200"], "condense has no flag --loss; it belongs to recommend"],
      [["recommend", "--loss", "200"], '--loss must be a number from 0 to 100; got "200"'],
      [["a", "--color", "alway"], '--color must be one of auto, always, never; got "alway"; did you mean always?'],
      [["a", "--json", "--llm", "openai"], "--llm needs --model"],
      [["a", "--in-place", "--out", "b"], "--in-place and --out exclude each other"],
    ];
    for (const [args, sentence] of sentences) expect(thrownBy(() => readArguments(args)).message).toBe(sentence);
    expect(
      thrownBy(() => readArguments(["count"]))
        .text.split("\n")
        .slice(1),
    ).toEqual(["Usage: roo-condense count HISTORY... [options]", "More: roo-condense help count"]);
  });

  test("no share above all is suggested as a number, and no file is taken for a part of one", () => {
    expect(thrownBy(() => readArguments(["a", "--target", "120%"])).message).not.toContain("did you mean");
    put("k", "[]");
    expect(run(["k", "--target", "20", "k"]).stderr).toContain("named twice");
  });

  test.each(["studio", "validate", "explain", "batch"])("an unknown flag of %s shows how %s is used", (command) => {
    const { text } = thrownBy(() => readArguments([command, "a", "--nothing-like-it"]));
    expect(text).toMatch(new RegExp(`\\nUsage: roo-condense ${command} .*\\nMore: roo-condense help ${command}$`));
  });

  test("tokens are written with k and m", () => {
    expect(readArguments(["a", "--target", "1.5k"]).target).toEqual({ text: "1.5k", tokens: 1500 });
    expect(readArguments(["a", "--target", "0.2M"]).target).toEqual({ text: "0.2M", tokens: 200_000 });
    expect(readArguments(["inspect", "a", "--window", "1m"]).window).toBe(1_000_000);
    expect(thrownBy(() => readArguments(["inspect", "a", "--window", "1e9m"])).message).not.toContain("did you mean");
  });

  test.each([
    ["/etc/passwd", "/etc/passwd"],
    ["/usr/bin/", "/usr/bin/"],
    ["/a/b/i", "/a/b/i"],
    ["/usr/x", "/usr/x"],
    ["/x/ii", "/x/ii"],
    ["//", "//"],
    ["plain", "plain"],
    ["\\/usr/", "/usr/"],
    ["\\/home/gi", "/home/gi"],
    ["\\d+", "\\d+"],
    ["/usr/", /usr/],
    ["/token: \\w+/i", /token: \w+/i],
    ["/a\\/b/", /a\/b/],
    ["/[a/b]+/g", /[a/b]+/g],
    ["/one\ntwo/s", /one\ntwo/s],
  ])("--protect-text %j is %s", (text, read) => {
    expect(readArguments(["a", "--protect-text", text]).protect.text).toEqual([read]);
  });

  test("a mistyped command before a history does nothing with that", () => {
    const file = copyOf("claude-code");
    expect(expectFailure(["cuont", file], 2, /did you mean the command count\?/).stdout).toBe("");
    // A word that is like no command may have been one all the same: nothing is condensed in its place.
    expect(expectFailure(["undo", file, "--in-place"], 2, /"undo" is neither .*; did you mean the command restore\?/).stdout).toBe("");
    expectFailure(["compare", file], 2, /"compare" is neither .*; did you mean roo-condense inspect HISTORY --compare\?/);
    expectFailure(["defrag", file], 2, /"defrag" is neither .*; the commands are condense, .*restore/);
    // A file is a file, whatever it is called.
    put("cuont", readFileSync(fixture("claude-code")));
    expect(run(["cuont", file]).code).toBe(0);
  });

  test("as a program", () => {
    expect(expectFailure([], 2, /name a history/).stdout).toBe("");
    expect(JSON.parse(run(["a", "--json", "--target", "x"]).stdout).error).toMatchObject({ code: "usage", field: "--target" });
    expect(expectFailure(["a", "--wrong"], 2, /unknown option '--wrong'/).stdout).toBe("");
    expect(expectFailure(["a", "--api-key", "secret-1"], 2, /not accepted as arguments/).stderr).not.toContain("secret-1");
  });

  test("a password in --base-url is refused and not repeated", () => {
    const { stderr } = expectFailure(
      ["a", "-o", "b", "--llm", "openai", "--model", "m", "--base-url", "https://me:secret-1@x.test"],
      2,
      /must not contain a user name or password/,
    );
    expect(stderr).not.toContain("secret-1");
  });

  test("what is unknown or refused only with the history at hand", { tags: ["long"] }, () => {
    const file = copyOf("claude-code");
    expectFailure(
      [file, "--provider", "truncation", "--config", '{"maxToolResultLines":0}'],
      2,
      /^roo-condense: --config: maxToolResultLines must be /,
    );
    expectFailure([file, "--config", '{"wrong":0}'], 2, /^roo-condense: --config: wrong is unknown; known: /);
    const passes = '{"passes":[{"id":"a","mode":"individual","selection":{"type":"preserve_recent","keepRecentCount":2}}]}';
    for (const more of [[], ["--preview"]])
      expectFailure(
        [file, "--config", passes, ...more],
        2,
        /passes is unknown.*passes belong to the provider smart: add --provider smart\./s,
      );
    expectFailure([file, "--config", "{ wrong }"], 2, /--config:1:3: not JSON: a field name in double quotes/);
    expectFailure([file, "--config", put("list.json", "[1]")], 2, /^roo-condense: --config must be a JSON object.*; got an array/);
    expectFailure([file, "--config", "[1]"], 2, /^roo-condense: --config must be a JSON object.*; got an array/);
    expectFailure([file, "--config", "5"], 2, /^roo-condense: --config must be a JSON object.*; got a number/);
    // A file may have any name.
    expectFailure([file, "--config", put("[1]", '{"a": 1}')], 2, /^roo-condense: --config.*: a is unknown/);
    expectFailure([file, "--price", '{"inputPrice":-1}'], 2, /^roo-condense: --price: inputPrice must be a number, 0 or more; got -1/);
    expectFailure([file, "--tools", '{"x":{"maxTokens":3}}'], 2, /^roo-condense: --tools: x\.maxTokens must be /);
    expectFailure([file, "--price", "3"], 2, /^roo-condense: --price must be a JSON object.*; got a number/);
    expectFailure([file, "--out", file], 2, /--out is the input itself/);
    expectFailure([file, "--out", file, "--force"], 2, /--out is the input itself/);
    linkSync(file, path.join(folder, "other-name.json"));
    expectFailure([file, "--out", "other-name.json", "--force"], 2, /--out is the input itself/);
  });

  test("arguments cannot steer the terminal", () => {
    const { stderr } = expectFailure(["\u001b[31ma"], 3, /no such file/);
    expect(stderr).not.toContain("\u001b");
  });
});

describe("files that cannot be read end with 3", () => {
  test("missing, a folder, below a file", () => {
    expectFailure(["absent.json"], 3, /absent.json: there is no such file\nThe newest session on this machine: roo-condense --last\n/);
    put("history.json", "[]");
    expectFailure(["codex"], 3, /there is no such file\nFiles there: history.json\n.*--last/);
    expectFailure(["no/where.json"], 3, /The folder no does not exist\./);
    expectFailure(["~/a.json"], 3, /The shell has not replaced ~: write .*a\.json/);
    expectFailure(["https://example.com/a.json"], 3, /curl https:\/\/example.com\/a.json \| roo-condense -/);
    expectFailure(["studio", "--no-open", "x1.json", "x2.json"], 3, /x2.json: there is no such file\n.*x1.json: there is no such file/);
    expectFailure(["result", "x1.txt"], 3, /x1\.txt: there is no such file\n$/);
    expectFailure(["histroy.json"], 3, /histroy.json: there is no such file\nDid you mean history.json\?/);
    mkdirSync(path.join(folder, "kept"));
    put("kept/session.json", "[]");
    expectFailure(["kept/sesion.json"], 3, /Did you mean kept.session.json\?/);
    expectFailure(["restor"], 3, /restor: there is no such file\nDid you mean the command restore\?/);
    expectFailure([fixture("claude-code"), "--config", "absent.json"], 3, /absent.json: there is no such file/);
    mkdirSync(path.join(folder, "task"));
    expectFailure(["task"], 5, /task: no \.json or \.jsonl file/);
    expectFailure(["expand", "task"], 3, /task: is a folder/);
    put("task/api_conversation_history.json", "[]");
    expectFailure(["expand", "task"], 3, /Did you mean task.api_conversation_history.json\?/);
    put("file", "");
    expectFailure(["file/x"], 3, isWindows ? /file.x/ : /not a folder/);
  });

  test.skipIf(isWindows)("a dangling link", () => {
    symlinkSync("nowhere", path.join(folder, "link.json"));
    expectFailure(["link.json"], 3, /a symbolic link to a file that does not exist/);
    expectFailure(
      [copyOf("claude-code"), "--out", "link.json", "--force"],
      7,
      /link.json: is a symbolic link to a file that does not exist/,
    );
    symlinkSync("round-b.json", path.join(folder, "round-a.json"));
    symlinkSync("round-a.json", path.join(folder, "round-b.json"));
    expectFailure(["round-a.json", "--in-place"], 3, /symbolic links lead round in a circle/);
    expectFailure([copyOf("claude-code"), "--out", "round-a.json", "--force"], 7, /symbolic links lead round in a circle/);
  });

  // Root may read everything: then the program runs as another user, who has to be able to run Node.
  const nobody = isRoot ? { uid: 65534, gid: 65534 } : {};
  const canRun = !isWindows && spawnSync(process.execPath, [main, "--version"], nobody).status === 0;
  test.skipIf(!canRun)("no permission", () => {
    const file = copyOf("claude-code");
    chmodSync(folder, 0o755);
    chmodSync(file, 0o000);
    expectFailure([file], 3, /no permission to read it/, nobody);
  });

  test.skipIf(!canRun || !isRoot)("no permission to write ends with 7", () => {
    const file = copyOf("claude-code");
    const binary = put(
      "addon.node",
      readFileSync(
        process.env.ROO_CONDENSE_BINARY ??
          require.resolve(path.join(root, `roo-condense.${require("../../js/platform.js").platformName()}.node`)),
      ),
    );
    chmodSync(folder, 0o755);
    chmodSync(binary, 0o755);
    const options = { ...nobody, env: { ROO_CONDENSE_BINARY: binary } };
    expectFailure([file, "--in-place"], 7, /no permission to write there/, options);
    expectFailure([file, "--out", "new.json"], 7, /no permission to write there/, options);
  });
});

describe("what is not JSON ends with 4, and says where", () => {
  const valid =
    '[\n  {"role": "user", "content": "Hello"},\n  {"role": "assistant", "content": [{"n": -1.5e+3, "b": [true, null, {}], "é": "\\u00e9\\n"}]}\n]\n';

  test.each([
    ["", /empty/],
    [" \n\t ", /nothing but white space/],
    ["[1, 2", /f.json:1:6: not JSON: a comma or "\]" expected, but the file ends/],
    ["[1,\n 2,\n]", /f.json:3:1: not JSON: a value expected, but found "\]"/],
    ['[{"a" 1}]', /f.json:1:7: not JSON: a colon expected, but found "1"/],
    ['[{"a":1,}]', /f.json:1:9: not JSON: a field name in double quotes expected, but found "}"/],
    ["[{'a':1}]", /f.json:1:3: not JSON: a field name in double quotes or "}" expected, but found "'"/],
    ['[{"a":1 "b":2}]', /f.json:1:9: not JSON: a comma or "}" expected/],
    ['["a\nb"]', /f.json:1:4: not JSON: a line break inside a string/],
    ['["a\u0001b"]', /f.json:1:4: not JSON: the control character 1 inside a string/],
    ['["\\x41"]', /f.json:1:3: not JSON: an unknown escape/],
    ['["\\u12"]', /f.json:1:3: not JSON: an unknown escape/],
    ['[\n"abc', /f.json:2:5: not JSON: the file ends inside a string[\s\S]*The string begins at line 2, column 1/],
    ["[01]", /f.json:1:3: not JSON: a comma/],
    ["[1.]", /f.json:1:3: not JSON: a comma/],
    ["[NaN]", /f.json:1:2: not JSON: a value expected, but found "NaN"/],
    ["[truee]", /f.json:1:6: not JSON: a comma/],
    ["[] x", /f.json:1:4: not JSON: the end of the file expected, but found "x"/],
    ["[}", /f.json:1:2: not JSON: a value expected, but found "}"/],
    ['{"role":"user"}\n{"role":"assistant"}\n\n{"role" 1}\n', /f.json:4:9: not JSON: a colon expected/],
    [`${"[".repeat(20_000)}x`, /f.json:1:20001: not JSON: a value expected, but found "x"/],
    ["\ufeff[x]", /f.json:1:2: not JSON/],
    ["[\r\n\r\nx]", /f.json:3:1: not JSON/],
    [Buffer.from('[\n"caf\xe9"]', "latin1"), /f.json:2:5: not UTF-8: byte 6 is 0xe9/],
    [Buffer.concat([Buffer.from('["\ufffd é '), Buffer.from([0xc3])]), /f.json:1:7: not UTF-8: byte 9 is 0xc3/],
    [Buffer.from("\ufeff[]", "utf16le"), /UTF-16/],
  ])("%#", (content, message) => {
    const { code, text } = thrownBy(() => readHistory(put("f.json", content)));
    expect(code).toBe(4);
    expect(text).toMatch(message);
  });

  test("the place is marked", () => {
    put("f.json", valid.replace('"user",', '"user"'));
    const { stdout, stderr } = expectFailure(["f.json"], 4, /^roo-condense: f.json:2:19: not JSON: /);
    expect(stdout).toBe("");
    expect(stderr.split("\n").slice(1, 3)).toEqual(['    {"role": "user" "content": "Hello"},', "                    ^"]);
  });

  test("our own search agrees with JSON.parse on every way to cut a text short or to change a character", () => {
    const { jsonFault } = require("../../js/native.js");
    const agrees = (text) => {
      let isJson = true;
      try {
        JSON.parse(text);
      } catch {
        isJson = false;
      }
      return (jsonFault(text) === null) === isJson;
    };
    const wrong = [];
    for (let at = 0; at <= valid.length; at++) {
      const candidates = [
        valid.slice(0, at),
        ...'"\\{}[],:0-.eu \n\u0000x'
          .split("")
          .flatMap((c) => [valid.slice(0, at) + c + valid.slice(at), valid.slice(0, at) + c + valid.slice(at + 1)]),
      ];
      wrong.push(...candidates.filter((text) => !agrees(text)));
    }
    expect(wrong).toEqual([]);
  });
});

describe("what is no history ends with 5", () => {
  test.each([
    ["null", /found null/],
    ["5", /found a number/],
    ['"text"', /found a string/],
    ["{}", /found an empty object/],
    ['{"a":1,"messages":{}}', /found an object with "a", "messages"/],
    ["[1,2]", /none of its 2 elements has a "role"; the first is a number/],
    ['{"type":"user"}\n{"type":"assistant"}\n', /message 0: type "user", no role, and nothing else: no format/],
    ['{"a":1}\n{"b":2}\n{"c":3}\n', /message 0: no role, and the fields a: no format/],
    ['{"type":"summary","summary":"s","leafUuid":"1"}\n{"type":"system","content":"x"}\n', /none of its 2 lines holds a message/],
    [
      '{"a":1,"input":"text"}',
      /an object with an array "messages", "input", "contents", "history" or "conversation"; found an object with "a", "input"/,
    ],
    [
      '[{"timestamp":"t","type":"event_msg","payload":{"type":"user_message"}}]',
      /a line of type "event_msg": these are lines of a Codex rollout, which are not supported; take the `payload`/,
    ],
    [
      '[{"ts":1,"type":"say","say":"text"}]',
      /type "say": these are messages of the user interface .* give the messages of api_conversation_history.json/,
    ],
    [
      '{"from":"human","value":"x"}\n{"from":"gpt","value":"y"}\n',
      /message 0: from and value: these are ShareGPT messages, which are not supported/,
    ],
    ['[{"role":"user","content":"x"},{"role":"USER","message":"x"}]', /message 1: message in the place of content: these are Cohere/],
  ])("%s", (content, message) => {
    const { code, text } = thrownBy(() => readHistory(put("f.json", content)));
    expect(code).toBe(5);
    expect(text).toMatch(message);
  });

  test("as a program", () => {
    put("f.json", "null");
    expect(expectFailure(["f.json"], 5, /f.json is not a history: .*; found null/).stdout).toBe("");
  });
});

describe("nothing to do is no failure", () => {
  test("an empty history", () => {
    put("f.json", "[]");
    const { code, stdout } = run(["f.json"]);
    expect(code).toBe(0);
    expect(stdout).toContain("Nothing to do: the history has no messages.");
  });

  test("nothing to gain, and a target that is met already", () => {
    put("f.json", '[{"role":"user","content":"Hi"}]');
    expect(run(["f.json"])).toMatchObject({ code: 0, stdout: expect.stringContaining("Nothing to do:") });
    expect(run(["f.json", "--target", "100"])).toMatchObject({ code: 0, stdout: expect.stringContaining("within the target") });
    expect(runJson(["f.json"]).report).toMatchObject({
      exitCode: 0,
      didCondense: false,
      firstChangedIndex: -1,
      changes: [],
      operations: [],
    });
  });

  test("--in-place leaves the file, --out copies it byte for byte", () => {
    const text = '\ufeff[ {"role" : "user",\r\n "content":"Hi", "n": 12345678901234567890 } ]';
    put("f.json", text);
    expect(run(["f.json", "--in-place"])).toMatchObject({ code: 0, stdout: expect.stringContaining("The file was left unchanged.") });
    expect(readdirSync(folder)).toEqual(["f.json"]);
    expect(run(["f.json", "--out", "g.json"]).code).toBe(0);
    expect(readFileSync(path.join(folder, "g.json"), "utf8")).toBe(text);
  });
});
