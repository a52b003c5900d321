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
  test.each([
    [[], /which history\?/],
    [["a", "b", "a"], /a history is named twice: "a", "b", "a"/],
    [["-", "-"], /standard input can be read once only/],
    [["restore", "a", "b"], /restore: one history at a time: "a", "b"/],
    [["expand", "a", "b"], /expand: one history at a time: "a", "b"/],
    [["a", "b", "--out", "-"], /--out -: one history at a time/],
    [["count"], /count: which history\?/],
    [["count", "a", "--target", "5"], /--target is of no use for count/],
    [["validate", "a", "-o", "b"], /--out is of no use for validate/],
    [["completions"], /completions: name one shell: bash, zsh, fish/],
    [["completions", "powershell"], /completions: "powershell" is not allowed; allowed: bash, zsh, fish/],
    [["completions", "bsh"], /did you mean bash/],
    [["help", "cuont"], /help: "cuont" is not allowed; allowed: condense, .*did you mean count\?/],
    [["help", "count", "expand"], /help: name one command: condense, /],
    [["recommend", "--loss", "200"], /--loss: "200" is not allowed; allowed: a number from 0 to 100/],
    [["--wrong", "a"], /unknown option '--wrong'/],
    [["a", "--explian"], /unknown option '--explian'; did you mean --explain\?/],
    [["a", "--pre-set=x"], /did you mean --preset\?/],
    [["a", "--color", "sometimes"], /--color: "sometimes" is not allowed; allowed: auto, always, never/],
    [["a", "--color=alway"], /did you mean always\?/],
    [["a", "--provider", "native"], /--provider native asks a language model: --llm API --model MODEL say which/],
    [["a", "--fallback"], /--fallback needs --llm/],
    [["a", "--llm", "openai", "--model", "m"], /--llm costs money, and the result would be thrown away: --out FILE, --in-place or --json/],
    [["a", "--target"], /--target/],
    [["a", "--out="], /--out: an empty value/],
    [["a", "--json=1"], /'--json' does not take an argument/],
    ...["0", "-5", "1.5", "0%", "101%", "half", "1e5", "50 %"].map((target) => [
      ["a", `--target=${target}`],
      /--target: .* is not allowed; allowed: a whole number of tokens/,
    ]),
    [["a", "--target", "-5"], /--target: "-5" is not allowed; allowed: a whole number of tokens/],
    [["a", "--frozen-messages", "-1"], /--frozen-messages: "-1" is not allowed; allowed: a whole number, 0 or more/],
    [["inspect", "a", "--window", "-1k"], /--window: "-1k" is not allowed/],
    [["recommend", "--budget", "-0.5"], /--budget: "-0\.5" is not allowed; allowed: a number, 0 or more/],
    [["a", "--target", "--json"], /--target needs a value; one that begins with a dash is written --target=-…/],
    [["a", "-o"], /--out needs a value/],
    [["cout", "a"], /"cout" is neither a command nor a file; did you mean the command count\?/],
    [["recomend", "--priority", "cost"], /"recomend" is neither a command nor a file; did you mean the command recommend\?/],
    [["calibrate"], /calibrate: which histories\? Name files, or a folder that holds them/],
    [["a", "--protect-text", "/(/"], /"\/\(\/" is not allowed; allowed: a text, or a regular expression.*the same as a text is "\\\/\(\/"/],
    [["-", "--in-place"], /--in-place needs a file/],
    [["a", "--in-place", "--out", "b"], /exclude each other/],
    [["a", "--force"], /--force needs --out/],
    [["a", "--messages"], /--messages needs --json/],
    [["a", "--preview", "--out", "b"], /--preview changes nothing, so there is nothing for --out/],
    [["a", "--preview", "--in-place"], /nothing for --in-place/],
    [["a", "--preview", "--json", "--messages"], /nothing for --messages/],
    [["a", "--json", "--out", "-"], /both want standard output/],
    [["a", "--quiet", "--explain"], /exclude each other/],
    [["a", "--preset", "balanced", "--provider", "lossless"], /--preset is for the provider smart/],
    [["a", "--json", "--llm", "parrot", "--model", "m"], /--llm: "parrot" is not allowed; allowed: anthropic, openai/],
    [["a", "--json", "--llm", "openai"], /--llm needs --model/],
    [["a", "--llm", "anthopic", "--model", "m", "--json"], /did you mean anthropic\?/],
    [["a", "--model", "m"], /--model needs --llm/],
    [["a", "--json", "--llm", "openai", "--model", "m", "--base-url", "ftp://x"], /--base-url: "ftp:\/\/x" is not allowed/],
    [["a", "--api-key", "secret-1"], /a key is never taken as an argument/],
    [["a", "--key=secret-1"], /a key is never taken as an argument/],
  ])("%j", (args, message) => {
    const { code, text } = thrownBy(() => readArguments(args));
    expect(code).toBe(2);
    expect(text).toMatch(message);
    expect(text).toContain("--help");
    expect(text).not.toContain("secret-1");
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
    // A file is a file, whatever it is called.
    put("cuont", readFileSync(fixture("claude-code")));
    expect(run(["cuont", file]).code).toBe(0);
  });

  test("as a program", () => {
    expect(expectFailure([], 2, /which history\?/).stdout).toBe("");
    expect(expectFailure(["a", "--wrong"], 2, /unknown option '--wrong'/).stdout).toBe("");
    expect(expectFailure(["a", "--api-key", "secret-1"], 2, /never taken as an argument/).stderr).not.toContain("secret-1");
  });

  test("a password in --base-url is refused and not repeated", () => {
    const { stderr } = expectFailure(
      ["a", "-o", "b", "--llm", "openai", "--model", "m", "--base-url", "https://me:secret-1@x.test"],
      2,
      /must not hold a name or password/,
    );
    expect(stderr).not.toContain("secret-1");
  });

  test("what is unknown or refused only with the history at hand", { tags: ["long"] }, () => {
    const file = copyOf("claude-code");
    expectFailure([file, "--provider", "smrt"], 2, /--provider: "smrt" is not allowed; allowed: .*lossless/);
    expectFailure(
      [file, "--provider", "truncation", "--config", '{"maxToolResultLines":0}'],
      2,
      /maxToolResultLines: 0 is not allowed; allowed: /,
    );
    expectFailure([file, "--config", '{"wrong":0}'], 2, /wrong is unknown; known: /);
    const passes = '{"passes":[{"id":"a","mode":"individual","selection":{"type":"preserve_recent","keepRecentCount":2}}]}';
    for (const more of [[], ["--preview"]])
      expectFailure([file, "--config", passes, ...more], 2, /passes is unknown.*Passes are of smart: --provider smart takes them\./s);
    expectFailure([file, "--config", "{ wrong }"], 2, /--config:1:3: not JSON: a field name in double quotes/);
    expectFailure([file, "--config", put("list.json", "[1]")], 2, /an object is expected/);
    expectFailure([file, "--price", '{"inputPrice":-1}'], 2, /price\.inputPrice: -1 is not allowed/);
    expectFailure([file, "--price", "3"], 3, /--price 3/);
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
    expectFailure(["absent.json"], 3, /absent.json: there is no such file/);
    expectFailure(["restor"], 3, /restor: there is no such file\nDid you mean the command restore\?/);
    expectFailure([fixture("claude-code"), "--config", "absent.json"], 3, /absent.json: there is no such file/);
    mkdirSync(path.join(folder, "task"));
    expectFailure(["task"], 3, /task: is a folder/);
    put("task/api_conversation_history.json", "[]");
    expectFailure(["task"], 3, /Did you mean task.api_conversation_history.json\?/);
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
    ['{"type":"user"}\n{"type":"assistant"}\n', /none of its 2 lines holds a message/],
    ['{"a":1}\n{"b":2}\n{"c":3}\n', /none of its 3 lines holds a message/],
    ['{"type":"summary","summary":"s","leafUuid":"1"}\n{"type":"system","content":"x"}\n', /none of its 2 lines holds a message/],
    [
      '{"timestamp":"t","type":"session_meta","payload":{"id":"1"}}\n{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"user","content":[]}}\n',
      /message 0: a line of type "session_meta": these are lines of a Codex rollout, which are not supported; take the `payload`/,
    ],
    [
      '[{"timestamp":"t","type":"event_msg","payload":{"type":"user_message"}}]',
      /a line of type "event_msg": these are lines of a Codex rollout/,
    ],
    ['[{"ts":1,"type":"say","say":"text"}]', /the history is api_conversation_history.json/],
    [
      '[{"role":"user","content":"hi"},{"role":"assistant","content":null,"tool_calls":[{"id":"a"}]}]',
      /message 1: tool_calls: these are OpenAI/,
    ],
    ['{"role":"user","content":"hi"}\n{"role":"tool","content":"x"}\n', /message 1: role "tool": these are OpenAI/],
    ['[{"role":"user","parts":[{"text":"x"}]}]', /message 0: parts: these are Gemini contents/],
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
    expect(run(["f.json", "--in-place"])).toMatchObject({ code: 0, stdout: expect.stringContaining("The file was left as it is.") });
    expect(readdirSync(folder)).toEqual(["f.json"]);
    expect(run(["f.json", "--out", "g.json"]).code).toBe(0);
    expect(readFileSync(path.join(folder, "g.json"), "utf8")).toBe(text);
  });
});
