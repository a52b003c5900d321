// The command line as a program: every option, every exit code, and what it does to files.

import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { root } from "../scripts/tools.mjs";
import { withShared } from "./shared.mjs";

const require = createRequire(import.meta.url);
const library = require("../index.js");
const { version } = require("../package.json");
const { readArguments } = require("../js/cli/arguments.js");
const { condensingSteps } = require("../js/cli/condensing-steps.js");
const { readHistory } = require("../js/cli/history-file.js");

const main = path.join(root, "js", "cli", "main.js");
const fixture = (name) => path.join(root, "fixtures", `${name}.json`);

const isWindows = process.platform === "win32";
const isRoot = process.getuid?.() === 0;
const { NO_COLOR: _, FORCE_COLOR: __, ANTHROPIC_API_KEY: ___, OPENAI_API_KEY: ____, ...environment } = process.env;

const folders = [];
/** A new folder for each test. */
let folder;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), "roo-condense-cli-")));
  folders.push(folder);
});
afterAll(() => folders.forEach((each) => rmSync(each, { recursive: true, force: true })));

/** Runs the program in the folder of the test; it has to end by itself. */
function run(args, { input = "", env = {}, file = main, ...options } = {}) {
  const ended = spawnSync(process.execPath, [file, ...args], {
    cwd: folder,
    env: { ...environment, ...env },
    input,
    encoding: "utf8",
    timeout: 50_000,
    maxBuffer: 1 << 28,
    ...options,
  });
  if (ended.error) throw ended.error;
  return { code: ended.status, signal: ended.signal, stdout: ended.stdout, stderr: ended.stderr };
}

/** Puts a file into the folder of the test. */
function put(name, content) {
  const file = path.join(folder, name);
  writeFileSync(file, content);
  return file;
}

const copyOf = (name) => put("history.json", readFileSync(fixture(name)));
const readJson = (file) => JSON.parse(readFileSync(file, "utf8"));
const messagesOf = (value) => (Array.isArray(value) ? value : value.messages);

/** Runs with `--json`, whose standard output is one JSON object. */
function runJson(args, options) {
  const ended = run([...args, "--json"], options);
  return { ...ended, report: JSON.parse(ended.stdout) };
}

/** A failure: this code, this message, no stack, nothing on standard output, and no file changed or added. */
function expectFailure(args, code, message, options = {}) {
  const before = snapshot();
  const ended = run(args, options);
  expect(ended).toMatchObject({ code, signal: null });
  expect(ended.stderr).toMatch(message);
  expect(ended.stderr).toMatch(/^roo-condense: /);
  expect(ended.stderr).not.toMatch(/^\s+at /m);
  expect(snapshot()).toEqual(before);
  return ended;
}

/** The same for what needs no process of its own to be seen: the many ways to be wrong. */
function thrownBy(call) {
  try {
    call();
  } catch (error) {
    expect(error.constructor.name).toBe("Failure");
    return { code: error.exitCode, text: [error.message, ...error.hints].join("\n") };
  }
  throw new Error("nothing was thrown");
}

const snapshot = () =>
  Object.fromEntries(
    readdirSync(folder)
      .sort()
      .map((name) => {
        const file = path.join(folder, name);
        return [name, lstatSync(file).isFile() && lstatSync(file).mode & 0o400 ? readFileSync(file, "latin1") : "not a readable file"];
      }),
  );

/** A tool result that says nothing twice. */
const repeated = Array.from({ length: 60 }, (_, line) => `Line ${line} of a tool result that is given again.\n`).join("");
/** A history in which one tool result stands twice. */
function history(changes = {}) {
  const call = (id) => ({ role: "assistant", content: [{ type: "tool_use", id, name: "read_file", input: { path: "a.txt" } }] });
  const answer = (id) => ({ role: "user", content: [{ type: "tool_result", tool_use_id: id, content: repeated }] });
  return [
    { role: "user", content: "Do it.", ts: 1, ...changes },
    call("a"),
    answer("a"),
    call("b"),
    answer("b"),
    { role: "assistant", content: "Done." },
  ];
}

describe("help and version", () => {
  test.each(["--help", "-h"])("%s names every option, and every exit code", (option) => {
    const { code, stdout, stderr } = run([option]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const options = [
      "target",
      "provider",
      "preset",
      "config",
      "llm",
      "model",
      "base-url",
      "price",
      "preview",
      "out",
      "force",
      "in-place",
      "explain",
      "json",
      "messages",
      "quiet",
      "no-progress",
      "help",
      "version",
    ];
    for (const name of options) expect(stdout).toContain(`--${name}`);
    for (const exitCode of [0, 1, 2, 3, 4, 5, 6, 7, 130]) expect(stdout).toMatch(new RegExp(`^ +${exitCode}  \\w`, "m"));
    expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  test("--version", () => {
    expect(run(["--version"])).toMatchObject({ code: 0, stdout: `roo-condense ${version}\n`, stderr: "" });
  });

  test("help needs no addon; without it, the work says what is missing, without a stack", () => {
    const env = { ROO_CONDENSE_BINARY: path.join(folder, "absent.node") };
    expect(run(["--help"], { env }).code).toBe(0);
    expectFailure([fixture("roo-xml-2025")], 1, /could not load its native binary/, { env });
  });
});

describe("wrong usage ends with 2", () => {
  test.each([
    [[], /which history\?/],
    [["a", "b"], /one history at a time: "a", "b"/],
    [["--wrong", "a"], /unknown option '--wrong'/],
    [["a", "--target"], /--target/],
    [["a", "--out="], /--out: an empty value/],
    [["a", "--json=1"], /'--json' does not take an argument/],
    ...["0", "-5", "1.5", "0%", "101%", "half", "1e5", "50 %"].map((target) => [
      ["a", `--target=${target}`],
      /--target: .* is not allowed; allowed: a whole number of tokens/,
    ]),
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
    [["a", "--llm", "parrot", "--model", "m"], /--llm: "parrot" is not allowed; allowed: anthropic, openai/],
    [["a", "--llm", "openai"], /--llm needs --model/],
    [["a", "--model", "m"], /--model needs --llm/],
    [["a", "--llm", "openai", "--model", "m", "--base-url", "ftp://x"], /--base-url: "ftp:\/\/x" is not allowed/],
    [["a", "--api-key", "secret-1"], /a key is never taken as an argument/],
    [["a", "--key=secret-1"], /a key is never taken as an argument/],
  ])("%j", (args, message) => {
    const { code, text } = thrownBy(() => readArguments(args));
    expect(code).toBe(2);
    expect(text).toMatch(message);
    expect(text).toContain("--help");
    expect(text).not.toContain("secret-1");
  });

  test("as a program", () => {
    expect(expectFailure([], 2, /which history\?/).stdout).toBe("");
    expect(expectFailure(["a", "--wrong"], 2, /unknown option '--wrong'/).stdout).toBe("");
    expect(expectFailure(["a", "--api-key", "secret-1"], 2, /never taken as an argument/).stderr).not.toContain("secret-1");
  });

  test("a password in --base-url is refused and not repeated", () => {
    const { stderr } = expectFailure(
      ["a", "--llm", "openai", "--model", "m", "--base-url", "https://me:secret-1@x.test"],
      2,
      /must not hold a name or password/,
    );
    expect(stderr).not.toContain("secret-1");
  });

  test("what is unknown or refused only with the history at hand", () => {
    const file = copyOf("claude-code");
    expectFailure([file, "--provider", "smrt"], 2, /--provider: "smrt" is not allowed; allowed: .*lossless/);
    expectFailure(
      [file, "--provider", "truncation", "--config", '{"maxToolResultLines":0}'],
      2,
      /maxToolResultLines: 0 is not allowed; allowed: /,
    );
    expectFailure([file, "--config", '{"wrong":0}'], 2, /wrong is unknown; known: /);
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
    const { stderr } = expectFailure(["\u001b[31ma", "b"], 2, /one history/);
    expect(stderr).not.toContain("\u001b");
  });
});

describe("files that cannot be read end with 3", () => {
  test("missing, a folder, below a file", () => {
    expectFailure(["absent.json"], 3, /absent.json: there is no such file/);
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
          require.resolve(path.join(root, `roo-condense.${require("../js/platform.js").platformName()}.node`)),
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
    ['{"type":"user"}\n{"type":"assistant"}\n', /f.json:2:1: not JSON: the end of the file[\s\S]*JSON Lines/],
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
    const { jsonFault } = require("../js/native.js");
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
    ['[{"ts":1,"type":"say","say":"text"}]', /the history is api_conversation_history.json/],
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

describe("the report", () => {
  const names = ["roo-xml-2025", "roo-native-2026", "claude-code", "claude-code-older", "shell-only", "odd-shapes"];

  test.each(names)("%s: fits 80 columns, has no colour and no blanks at line ends, and its numbers add up", (name) => {
    const { code, stdout, stderr } = run([fixture(name), "--explain", "--target", "90%"], { env: { FORCE_COLOR: "1" } });
    expect([0, 6]).toContain(code);
    if (code === 0) expect(stderr).toBe("");
    const lines = stdout.split("\n");
    expect(lines.filter((line) => line.length > 80 || /\s$/.test(line) || line.includes("\u001b"))).toEqual([]);
    const value = (text) => Number(text.replaceAll(",", ""));
    const table = lines.slice(lines.findIndex((line) => line.startsWith("Tokens")) + 1);
    const rows = table.slice(0, table.indexOf("")).map((line) => line.match(/^ {2}(.+?) {2,}([\d,]+) +([\d,]+) +(-?[\d,]+) +([\d.-]+)%$/));
    const total = rows.pop();
    expect(total[1]).toBe("total");
    for (const column of [2, 3, 4]) expect(rows.reduce((sum, row) => sum + value(row[column]), 0)).toBe(value(total[column]));
    expect(value(total[2])).toBe(library.countTokens(messagesOf(readJson(fixture(name)))));
    expect(value(total[2]) - value(total[3])).toBe(value(total[4]));
  });

  test("says which provider does it, and what else could be done", () => {
    const file = fixture("claude-code");
    expect(run([file]).stdout).toContain("Provider: lossless alone, because no --target was given.");
    expect(run([file]).stdout).toContain("Nothing was written: --out FILE or --in-place keeps the result.");
    expect(run([file, "--target", "50%"]).stdout).toContain("lossless, then truncation");
    expect(run([file, "--provider", "truncation"]).stdout).toContain("Provider: truncation, and no other.");
  });

  test("lists the shape problems of the input", () => {
    const { stdout } = run([fixture("odd-shapes")]);
    const { length } = library.validateMessages(readJson(fixture("odd-shapes")));
    expect(stdout).toContain(`The input has ${length} shape problems, carried through as they are:`);
    expect(stdout).toContain("- same_role_twice: message 5:");
  });

  test("says that tool calls in text count as text, where there are some", () => {
    expect(run([fixture("roo-xml-2025")]).stdout).toContain("they count as message text");
    expect(run([fixture("claude-code")]).stdout).not.toContain("they count as message text");
  });

  test("--explain lists every change", () => {
    const { report } = runJson([fixture("claude-code"), "--target", "50%"]);
    const { stdout } = run([fixture("claude-code"), "--target", "50%", "--explain"]);
    const listed = [...stdout.matchAll(/^ +(\d+) +(\d+|all) {2}(\w+) +([\d,]+) +([\d,]+)\n {9}\S/gm)];
    expect(report.changes.length).toBeGreaterThan(20);
    expect(listed.map(([, message, block, operation]) => `${message} ${block} ${operation}`)).toEqual(
      report.changes.map(({ messageIndex, blockIndex, operation }) => `${messageIndex} ${blockIndex ?? "all"} ${operation}`),
    );
  });

  test("--quiet prints nothing, but does the work", () => {
    const file = copyOf("claude-code");
    expect(run([file, "--quiet", "--in-place"])).toMatchObject({ code: 0, stdout: "", stderr: "" });
    expect(existsSync(`${file}.bak`)).toBe(true);
    expect(run([file, "-q", "--target", "1"])).toMatchObject({ code: 6, stdout: "", stderr: expect.stringMatching(/out of reach/) });
  });

  test("what stands in a history cannot steer the terminal", () => {
    const messages = history();
    for (const index of [1, 3]) messages[index].content[0].input.path = "a\u001b[2J\u0007\u202e.txt";
    put("f.json", JSON.stringify(messages));
    const { code, stdout } = run([
      "f.json",
      "--explain",
      "--provider",
      "truncation",
      "--config",
      '{"strategy":"head","preserveRecentCount":1}',
    ]);
    expect(code).toBe(0);
    // The reason names the file.
    expect(stdout).toContain("read_file a");
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
  });

  test("a reader that stops early is no failure", async () => {
    const child = spawn(process.execPath, [main, fixture("claude-code"), "--target", "20%", "--explain"], { env: environment });
    child.stdout.destroy();
    let stderr = "";
    child.stderr.on("data", (data) => (stderr += data));
    await new Promise((resolve) => child.on("close", resolve));
    expect(stderr).toBe("");
  });
});

describe("--json", () => {
  test("is one object, whose numbers agree with each other", () => {
    const { code, stderr, report } = runJson([fixture("claude-code"), "--target", "40%"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const { tokens, operations, changes } = report;
    const sum = (values) => values.reduce((all, value) => all + value, 0);
    const kinds = Object.values(tokens.byKind);
    expect(tokens.before).toBe(library.countTokens(messagesOf(readJson(fixture("claude-code")))));
    expect([sum(kinds.map((kind) => kind.before)), sum(kinds.map((kind) => kind.after))]).toEqual([tokens.before, tokens.after]);
    expect(tokens.saved).toBe(tokens.before - tokens.after);
    expect(sum(operations.map((operation) => operation.tokensSaved))).toBe(tokens.saved);
    expect(sum(operations.map((operation) => operation.changes))).toBe(changes.length);
    expect(report).toMatchObject({
      version,
      exitCode: 0,
      provider: "lossless",
      didCondense: true,
      output: null,
      cost: 0,
      input: { messages: 200, problems: [] },
    });
    expect(report.target).toEqual({ requested: "40%", tokens: Math.floor(tokens.before * 0.4), met: true });
    expect(report).not.toHaveProperty("messages");
  });

  test("--messages adds the messages, and what restores the input", () => {
    const { report } = runJson([fixture("roo-native-2026"), "--target", "50%", "--messages"]);
    expect(library.countTokens(report.messages)).toBe(report.tokens.after);
    expect(library.restore(report)).toEqual(readJson(fixture("roo-native-2026")));
  });

  test("failures are one object, too", () => {
    put("bad.json", "[");
    put("five.json", "5");
    const failures = [
      [["absent.json"], 3, "unreadable"],
      [["bad.json"], 4, "not_json"],
      [["five.json"], 5, "not_messages"],
      [[], 2, "usage"],
      [[fixture("claude-code"), "--out", "bad.json"], 7, "not_written"],
    ];
    for (const [args, exitCode, code] of failures) {
      const { report, code: ended, stderr } = runJson(args);
      expect(report).toEqual({ version, exitCode, error: { code, message: expect.any(String) } });
      expect(ended).toBe(exitCode);
      expect(stderr).toContain(report.error.message);
    }
    const { report, code } = runJson([fixture("claude-code"), "--target", "1"]);
    expect({ code, exitCode: report.exitCode, met: report.target.met }).toEqual({ code: 6, exitCode: 6, met: false });
  });
});

describe("targets, providers, configurations", () => {
  test("tokens, thousands of tokens, and shares", () => {
    const tokens = (target) => runJson([fixture("claude-code"), "--target", target]).report.target.tokens;
    expect([tokens("30000"), tokens("30k"), tokens("12.5k")]).toEqual([30_000, 30_000, 12_500]);
    expect(tokens("12.5%")).toBe(Math.floor(library.countTokens(readJson(fixture("claude-code")).messages) / 8));
  });

  test("without --provider truncation helps to reach a target; a provider that is named works alone", () => {
    const file = fixture("claude-code");
    const operations = (args) => runJson([file, ...args]).report.operations.map(({ operation }) => operation);
    const cutting = ["drop", "salient"];
    const losing = operations(["--target", "50%"]);
    const lossless = operations([]);
    expect(losing).toEqual(expect.arrayContaining(["reference", "repeated_lines", ...cutting]));
    expect(losing.filter((operation) => !cutting.includes(operation)).sort()).toEqual([...lossless].sort());
    expect(lossless).toEqual(expect.arrayContaining(["reference", "repeated_lines"]));
    expect(operations(["--provider", "truncation", "--target", "50%"]).sort()).toEqual(cutting);
    const { code, stderr } = run([file, "--provider", "lossless", "--target", "50%"]);
    expect(code).toBe(6);
    expect(stderr).toMatch(/The target of [\d,]+ tokens is out of reach: at least [\d,]+ are left. Without --provider, truncation cuts/);
  });

  test("a target that is missed writes nothing", () => {
    const file = copyOf("claude-code");
    expectFailure([file, "--target", "5", "--in-place"], 6, /out of reach/);
    expectFailure([file, "--target", "5", "--out", "new.json"], 6, /out of reach/);
  });

  test("--config as JSON and as a file", () => {
    const file = fixture("claude-code");
    const config = '{"maxToolResultLines":2,"minTokensForTruncation":30}';
    put("config.json", `\ufeff${config}`);
    const tokensAfter = (args) => runJson([file, "--provider", "truncation", ...args]).report.tokens.after;
    expect(tokensAfter(["--config", config])).toBe(tokensAfter(["--config", "config.json"]));
    expect(tokensAfter(["--config", config])).not.toBe(tokensAfter([]));
  });
});

describe("--out", () => {
  test("writes the condensed history, and leaves the input", () => {
    const file = copyOf("claude-code");
    const before = readFileSync(file, "utf8");
    chmodSync(file, 0o600);
    const { code, stdout } = run([file, "--target", "50%", "--out", "shorter.json"]);
    expect(code).toBe(0);
    expect(stdout).toContain("Written to shorter.json");
    expect(readFileSync(file, "utf8")).toBe(before);
    const { messages, ...rest } = readJson(path.join(folder, "shorter.json"));
    expect(rest).toEqual({ id: "claude-code", agent: "claude-code" });
    expect(messages).toEqual(runJson([file, "--target", "50%", "--messages"]).report.messages);
    expect(library.validateMessages(messages)).toEqual([]);
    if (!isWindows) expect(statSync(path.join(folder, "shorter.json")).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder).sort()).toEqual(["history.json", "shorter.json", "shorter.restore.json"]);
  });

  test("replaces nothing without --force", () => {
    const file = copyOf("claude-code");
    put("there.json", "mine");
    expectFailure([file, "--out", "there.json"], 7, /there.json: exists already; --force replaces it/);
    expectFailure([file, "--out", "no/such/folder.json"], 7, /its folder does not exist/);
    expectFailure([file, "--out", "."], 7, /is a folder/);
    expect(run([file, "--out", "there.json", "--force"]).code).toBe(0);
    expect(readJson(path.join(folder, "there.json")).messages).toHaveLength(200);
  });

  test("- is standard output; the report goes to standard error", () => {
    const text = readFileSync(fixture("claude-code"), "utf8");
    const { code, stdout, stderr } = run(
      ["-", "--provider", "truncation", "--config", '{"strategy":"head"}', "--target", "50%", "--out", "-"],
      { input: text },
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout).messages).toHaveLength(200);
    expect(stderr).toContain("standard input: 200 messages");
  });

  test.skipIf(isWindows)("a device is written to, not replaced", () => {
    expect(run([fixture("claude-code"), "--out", "/dev/null"]).code).toBe(0);
    expect(statSync("/dev/null").isCharacterDevice()).toBe(true);
  });

  test.skipIf(isWindows)("--force through a symbolic link replaces the file behind it", () => {
    put("real.json", "mine");
    symlinkSync("real.json", path.join(folder, "link.json"));
    expect(run([fixture("claude-code"), "--out", "link.json", "--force"]).code).toBe(0);
    expect(lstatSync(path.join(folder, "link.json")).isSymbolicLink()).toBe(true);
    expect(readJson(path.join(folder, "real.json")).messages).toHaveLength(200);
  });
});

describe("expand", () => {
  test("puts the lines that pointers lead to in their place", () => {
    const file = fixture("claude-code");
    expect(run([file, "--config", '{"strict":true}', "--out", "condensed.json"]).code).toBe(0);
    expect(readFileSync(path.join(folder, "condensed.json"), "utf8")).toContain(" as below from ");
    const { code, stdout } = run(["expand", "condensed.json", "--out", "expanded.json"]);
    expect([code, stdout]).toEqual([0, expect.stringContaining("Written to expanded.json")]);
    expect(messagesOf(readJson(path.join(folder, "expanded.json")))).toEqual(messagesOf(readJson(file)));
    const report = JSON.parse(run(["expand", "condensed.json", "--json"]).stdout);
    expect(report).toMatchObject({ exitCode: 0, unresolved: [], output: null });
  });

  test.each([
    [["expand"], "name one history"],
    [["expand", "a.json", "b.json"], "name one history"],
    [["expand", "a.json", "--target", "5"], "--target"],
    [["expand", "a.json", "--force"], "--force needs --out"],
    [["expand", "a.json", "--json", "--out", "-"], "both want standard output"],
  ])("%j is wrong usage", (args, message) => {
    const { code, stderr } = run(args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe("--in-place", () => {
  test("writes a backup, never over another one, and replaces the file", () => {
    const file = copyOf("claude-code");
    const first = readFileSync(file);
    if (!isWindows) chmodSync(file, 0o640);
    const { code, stdout } = run([file, "--in-place"]);
    expect(code).toBe(0);
    expect(stdout).toContain("history.json.bak");
    expect(readFileSync(`${file}.bak`)).toEqual(first);
    const second = readFileSync(file);
    expect(second.length).toBeLessThan(first.length);
    expect(runJson([file, "--in-place", "--target", "50%"]).report.output).toMatchObject({ file, backup: `${file}.bak.1` });
    expect(readFileSync(`${file}.bak`)).toEqual(first);
    expect(readFileSync(`${file}.bak.1`)).toEqual(second);
    run([file, "--in-place", "--target", "25%"]);
    expect(readdirSync(folder).sort()).toEqual([
      "history.json",
      "history.json.bak",
      "history.json.bak.1",
      "history.json.bak.2",
      "history.restore.1.json",
      "history.restore.2.json",
      "history.restore.json",
    ]);
    if (!isWindows) for (const name of readdirSync(folder)) expect(statSync(path.join(folder, name)).mode & 0o777).toBe(0o640);
  });

  test.skipIf(isWindows)("through a symbolic link it replaces the file behind it", () => {
    mkdirSync(path.join(folder, "real"));
    const file = put("real/history.json", readFileSync(fixture("claude-code")));
    const link = path.join(folder, "link.json");
    symlinkSync("real/history.json", link);
    expect(run(["link.json", "--in-place"]).code).toBe(0);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(statSync(file).size).toBeLessThan(statSync(fixture("claude-code")).size);
    expect(readdirSync(path.join(folder, "real")).sort()).toEqual(["history.json", "history.json.bak", "history.restore.json"]);
  });
});

describe("what is written keeps the text of the file", () => {
  const styles = {
    compact: (value) => JSON.stringify(value),
    "two blanks, line break at the end": (value) => `${JSON.stringify(value, null, 2)}\n`,
    "tabs, CRLF": (value) => JSON.stringify(value, null, "\t").replaceAll("\n", "\r\n"),
    "byte order mark": (value) => `\ufeff${JSON.stringify(value, null, 4)}\n`,
  };
  test.each(Object.keys(styles))("%s", (name) => {
    const style = styles[name];
    for (const [fixtureName, target] of [
      ["roo-xml-2025", "50%"],
      ["claude-code", "30%"],
      ["roo-native-2026", "9%"],
    ]) {
      put("f.json", style(readJson(fixture(fixtureName))));
      const { code } = run(["f.json", "--target", target, "--out", "g.json", "--force"]);
      expect(code).toBe(0);
      const text = readFileSync(path.join(folder, "g.json"), "utf8");
      expect(text).toBe(style(JSON.parse(text.replace("\ufeff", ""))));
    }
  });

  test("a message on each line stays on its line, and unchanged lines stay as they are", () => {
    run([fixture("roo-xml-2025"), "--out", "g.json"]);
    const before = readFileSync(fixture("roo-xml-2025"), "utf8").split("\n");
    const after = readFileSync(path.join(folder, "g.json"), "utf8").split("\n");
    expect(after).toHaveLength(before.length);
    const changed = new Set(runJson([fixture("roo-xml-2025")]).report.changes.map((change) => change.messageIndex + 1));
    before.forEach((line, index) => expect(after[index] === line).toBe(!changed.has(index)));
  });

  test("numbers that JavaScript cannot hold, escapes and unknown fields survive, also in a changed message", () => {
    const messages = history({ id64: "@1", float: "@2", lone: "@3" });
    messages[2] = { ...messages[2], id64: "@1" };
    messages[2].content[0].unknown = { id64: "@1" };
    const text = JSON.stringify({ list: "@1", messages, after: "@2" })
      .replaceAll('"@1"', "12345678901234567890")
      .replaceAll('"@2"', "1.50E+3")
      .replaceAll('"@3"', '"\\ud83c \\u0000 \\/ caf\\u00e9"');
    put("f.json", text);
    const { report } = runJson(["f.json", "--out", "g.json"]);
    expect(report.changes).toHaveLength(1);
    const { messageIndex } = report.changes[0];
    const result = readFileSync(path.join(folder, "g.json"), "utf8");
    const count = (of, part) => of.split(part).length - 1;
    for (const part of ["12345678901234567890", "1.50E+3", "\\ud83c \\u0000 \\/ caf\\u00e9"])
      expect(count(result, part)).toBe(count(text, part));
    // All but the one result is the text of the input.
    expect(result).toBe(
      text.replace(JSON.stringify(repeated), (found, at) => {
        const isFirst = text.indexOf(JSON.stringify(repeated)) === at;
        return isFirst === (messageIndex === 2) ? JSON.stringify(messagesOf(JSON.parse(result))[messageIndex].content[0].content) : found;
      }),
    );
  });

  test("dropped, added, moved and changed elements: the text is the JSON of the new value, in every layout", () => {
    const { rewriteJson } = require("../js/cli/json-rewrite.js");
    const before = {
      x: 1,
      messages: [
        { role: "user", content: "a" },
        { role: "assistant", content: [] },
        { role: "user", content: [{ type: "text", text: '}]\\"' }, 5] },
      ],
      y: [],
    };
    const [a, b, c] = before.messages;
    const results = [
      [],
      [c],
      [a, c],
      [b, a],
      [{ role: "new", content: [1, { z: {} }] }, a, b, c],
      [a, { ...b, content: ["x"] }, c],
      [a, b, { ...c, content: [c.content[0]] }],
      [a, b, { role: "user", extra: [{}] }],
    ];
    for (const style of Object.values(styles)) {
      const text = style(before).replace("\ufeff", "");
      for (const messages of results) {
        const written = rewriteJson(text, JSON.parse(text), { ...before, messages });
        expect(written).toBe(style({ ...before, messages }).replace("\ufeff", ""));
        const parsed = JSON.parse(text);
        const same = messages.map((message) =>
          before.messages.includes(message) ? parsed.messages[before.messages.indexOf(message)] : message,
        );
        expect(rewriteJson(text, parsed, { ...parsed, messages: same })).toBe(style({ ...before, messages }).replace("\ufeff", ""));
      }
    }
    expect(rewriteJson('{"a":1,"a":2,"b":[3]}', { a: 2, b: [3] }, { a: 9, b: [3] })).toBe('{"a":1,"a":9,"b":[3]}');
  });
});

describe("with a package that has more, or that fails", () => {
  /** A program that runs the command with the package, changed by `change`. */
  const programWith = (change) =>
    put(
      "program.cjs",
      `
const library = require(${JSON.stringify(path.join(root, "index.js"))});
const { run } = require(${JSON.stringify(path.join(root, "js", "cli", "run.js"))});
const { CondensationManager } = library;
const changed = { ...library };
(() => { ${change} })();
run(process.argv.slice(2), { loadLibrary: () => changed }).then((code) => { process.exitCode = code; });`,
    );

  const withModel = `
changed.httpHandler = (options) => ({ options });
changed.createSmartProvider = (preset) => ({ id: "smart", condense: async ({ messages }) => ({ messages: [messages[0], ...messages.slice(-3)], summary: preset, cost: 0.25 }) });
changed.presets = { balanced: {}, aggressive: {} };
changed.CondensationManager = class extends CondensationManager {
  constructor({ handler, ...options }) {
    super(options);
    if (handler) console.error(JSON.stringify(handler.options));
    this.registerProvider({ id: "native", condense: async ({ messages }) => ({ messages: [messages[0], ...messages.slice(-3)], summary: "short", cost: 0.5 }) });
  }
};`;

  test("--preset makes the smart provider; unknown presets are refused", () => {
    const file = programWith(withModel);
    const args = [fixture("claude-code"), "--preset", "balanced"];
    expect(runJson(args, { file }).report).toMatchObject({
      provider: "smart",
      preset: "balanced",
      summary: "balanced",
      cost: 0.25,
      didCondense: true,
    });
    expect(run(args, { file }).stdout).toMatch(/Provider: smart with the preset balanced[\s\S]*\nCost +\$0\.2500\n/);
    expectFailure([fixture("claude-code"), "--preset", "odd"], 2, /--preset: "odd" is not allowed; allowed: balanced, aggressive/, {
      file,
    });
  });

  test("--llm hands the key of the environment to httpHandler, and the native provider is asked", () => {
    const file = programWith(withModel);
    const args = [fixture("claude-code"), "--llm", "anthropic", "--model", "m-1"];
    const { code, stderr, report } = runJson(args, { file, env: { ANTHROPIC_API_KEY: "secret-1", OPENAI_API_KEY: "secret-2" } });
    expect(code).toBe(0);
    expect(JSON.parse(stderr)).toEqual({ api: "anthropic", model: "m-1", apiKey: "secret-1" });
    expect(report).toMatchObject({ provider: "native", cost: 0.5, summary: "short" });
    expectFailure(args, 2, /ANTHROPIC_API_KEY is not set/, { file });
    const local = [fixture("claude-code"), "--llm", "openai", "--model", "m-2", "--base-url", "http://localhost:11434/v1"];
    expect(JSON.parse(run(local, { file }).stderr)).toEqual({ api: "openai", model: "m-2", baseUrl: "http://localhost:11434/v1" });
  });

  test("without them, --preset and --llm say what is missing", () => {
    const file = programWith("delete changed.httpHandler; delete changed.createSmartProvider;");
    expectFailure([fixture("claude-code"), "--preset", "balanced"], 2, /has no smart provider/, { file });
    expectFailure([fixture("claude-code"), "--llm", "openai", "--model", "m"], 2, /does not call language models/, {
      file,
      env: { OPENAI_API_KEY: "k" },
    });
  });

  const registering = (condense) => `changed.CondensationManager = class extends CondensationManager {
    constructor(options) { super(options); this.registerProvider({ id: "mine", condense: ${condense} }); }
  };`;

  test("a provider that fails ends with 1, and nothing is written", () => {
    const input = copyOf("claude-code");
    const file = programWith(registering('async () => { throw new Error("no luck"); }'));
    expectFailure([input, "--provider", "mine", "--in-place"], 1, /provider "mine" failed: no luck/, { file });
  });

  test("a fault of our own ends with 1, without a stack unless it is asked for", () => {
    const file = programWith("changed.validateMessages = () => { throw new Error('oops'); };");
    expectFailure([fixture("claude-code")], 1, /internal error: oops; please report it/, { file });
    expect(run([fixture("claude-code")], { file, env: { ROO_CONDENSE_DEBUG: "1" } }).stderr).toMatch(/^\s+at /m);
  });

  test("a file that another program changed meanwhile is left alone", () => {
    const input = copyOf("claude-code");
    const file = programWith(
      registering(
        `async ({ messages }) => { require("node:fs").appendFileSync(${JSON.stringify(input)}, " "); return { messages: [messages[0], ...messages.slice(-1)] }; }`,
      ),
    );
    const { code, stderr } = run([input, "--provider", "mine", "--in-place"], { file });
    expect(code).toBe(7);
    expect(stderr).toMatch(/another program wrote to it meanwhile/);
    expect(readFileSync(input, "utf8")).toBe(`${readFileSync(fixture("claude-code"), "utf8")} `);
    expect(readdirSync(folder).sort()).toEqual(["history.json", "program.cjs"]);
  });

  test("a disk that fills up leaves the file, and neither backup nor temporary file", () => {
    const input = copyOf("claude-code");
    const file = programWith(`const fs = require("node:fs"); 
      fs.renameSync = (from, to) => { throw Object.assign(new Error("full"), { code: "ENOSPC" }); };`);
    expectFailure([input, "--in-place"], 7, /the disk is full/, { file });
    expectFailure([input, "--out", put("there.json", "mine"), "--force"], 7, /the disk is full/, { file });
  });

  test("a file that appeared meanwhile is not replaced", () => {
    const input = copyOf("claude-code");
    const file = programWith(
      registering(
        `async ({ messages }) => { require("node:fs").writeFileSync("new.json", "mine"); return { messages: [messages[0], ...messages.slice(-1)] }; }`,
      ),
    );
    expect(run([input, "--provider", "mine", "--out", "new.json"], { file })).toMatchObject({
      code: 7,
      stderr: expect.stringMatching(/exists already/),
    });
    expect(readFileSync(path.join(folder, "new.json"), "utf8")).toBe("mine");
  });

  test.skipIf(isWindows)("an interruption ends with 130, and nothing is written", () => {
    const input = copyOf("claude-code");
    const file = programWith(
      registering(`async ({ messages }) => {
      process.kill(process.pid, "SIGINT");
      await new Promise((resolve) => setTimeout(resolve, 200));
      return { messages: [messages[0], ...messages.slice(-1)] };
    }`),
    );
    expectFailure([input, "--provider", "mine", "--in-place"], 130, /interrupted; nothing was written/, { file });
  });
});

describe("passes and previews", () => {
  const file = fixture("claude-code");
  const price = JSON.stringify({ inputPrice: 3, outputPrice: 15, cacheWritesPrice: 3.75, cacheReadsPrice: 0.3 });
  const model = {
    args: ["--llm", "anthropic", "--model", "claude-test", "--base-url", "http://127.0.0.1:9"],
    env: { ANTHROPIC_API_KEY: "k" },
  };

  test("the report shows what each pass did, or why it did not run", () => {
    const { code, stdout } = run([file, "--preset", "aggressive"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/\nPasses +before +after +saved\n {2}lossless_prelude( +[\d,]+){3} +\d+\.\d%\n/);
    expect(stdout).toMatch(/\n {2}emergency-llm +not run\n {6}[\d,]+ tokens are not more than its threshold of 30,000\n/);
    expect(stdout.split("\n").filter((line) => line.length > 80 || /\s$/.test(line))).toEqual([]);
    const { passes, promptCache } = runJson([file, "--preset", "aggressive"]).report;
    expect(passes.map(({ id }) => id)).toEqual(expect.arrayContaining(["lossless_prelude", "suppress-ancient", "truncate-middle"]));
    expect(promptCache.rewrittenTokens).toBeGreaterThan(0);
  });

  test("--preview asks nobody, writes nothing, and says what it would cost", () => {
    const before = snapshot();
    const { code, stdout, stderr } = run([file, "--preset", "balanced", "--preview", "--price", price, ...model.args], { env: model.env });
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/\n {2}llm-quality +[\d,]+ +~[\d,]+ +~[\d,]+ +\d+\.\d%\n {6}~\$0\.\d+\n/);
    expect(stdout).toMatch(/\nPrompt cache\n {2}first changed message +\d+ +of \d+\n/);
    expect(stdout).toMatch(/ {2}to be written anew +[\d,]+ +tokens, for \$0\.\d+\n {2}The next request costs \$/);
    expect(stdout).toMatch(/\nExamples\n {2}message \d+: /);
    expect(stdout).toMatch(/\(what\s+a\s+model\s+would\s+write\s+here,\s+about\s+\d+\s+tokens\)/);
    expect(stdout).toMatch(/\nCost, estimated +\$0\.\d+\n/);
    expect(stdout).toMatch(
      /[\d,]+ -> about [\d,]+ tokens, \d+\.\d% fewer\.\nThis was a preview: no model was asked, and nothing was written\.\n$/,
    );
    expect(stdout.split("\n").filter((line) => line.length > 80 || /\s$/.test(line))).toEqual([]);
    expect(snapshot()).toEqual(before);
  });

  test("--preview --json has the same for programs", () => {
    const { report } = runJson([file, "--preset", "conservative", "--preview"]);
    expect(report).toMatchObject({ wouldCondense: true, provider: "smart", output: null });
    expect(report).not.toHaveProperty("didCondense");
    expect(report.samples.length).toBeGreaterThan(0);
    expect(report.tokens.after).toBe(runJson([file, "--preset", "conservative"]).report.tokens.after);
    expect(run([file, "--preview"]).stdout).toMatch(/\nThis was a preview: no model was asked, and nothing was written\.\n$/);
    expect(run([file, "--preview", "--target", "90%", "--provider", "lossless"]).code).toBe(0);
    expect(run([file, "--preview", "--target", "5"]).code).toBe(6);
  });

  test("the bar tells of passes, summaries and retries", () => {
    const told = [];
    const listener = condensingSteps((label, share) => told.push(`${label} ${share.toFixed(2)}`));
    const event = (phase, done, total, extra) => listener({ phase, providerId: "smart", done, total, ...extra });
    event("counting", 0, 1);
    event("condensing", 0, 2);
    event("prelude", 0, 2);
    event("pass", 0, 2, { passId: "a" });
    event("summarizing", 5, 10, { passId: "a" });
    event("retrying", 1, 4, { passId: "a", waitMs: 1500, code: "llm_overloaded" });
    event("pass", 1, 2, { passId: "a" });
    event("pass", 1, 2, { passId: "b" });
    event("summarizing", 0, 1);
    event("condensing", 1, 2, { providerId: "native" });
    event("done", 1, 1);
    expect(told).toEqual([
      "condensing (smart) 0.00",
      "lossless prelude 0.00",
      "pass a 0.00",
      "pass a, summaries: 5 of 10 0.20",
      "attempt 1 of 4 failed (llm_overloaded), again in 1.5 s 0.20",
      "pass a 0.40",
      "pass b 0.40",
      "waiting for the summary 0.40",
      "condensing (native) 0.80",
    ]);
  });
});

describe("on a terminal", () => {
  // `script` of util-linux gives a program a terminal; that of other systems takes other arguments.
  const hasScript =
    process.platform === "linux" && /util-linux/.test(spawnSync("script", ["--version"], { encoding: "utf8" }).stdout ?? "");

  const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
  function runOnTerminal(args, env = {}) {
    const command = `stty cols 80; ${[process.execPath, main, ...args].map(quoted).join(" ")}`;
    return spawnSync("script", ["--quiet", "--return", "--command", command, "/dev/null"], {
      cwd: folder,
      env: { ...environment, TERM: "xterm", ...env },
      encoding: "utf8",
      timeout: 50_000,
      stdio: ["ignore", "pipe", "pipe"],
    });
  }

  test.skipIf(!hasScript)("colours, unless NO_COLOR is set or the terminal has none", () => {
    expect(runOnTerminal([fixture("claude-code")])).toMatchObject({ status: 0, stdout: expect.stringContaining("\u001b[1mTokens") });
    for (const env of [{ NO_COLOR: "1" }, { TERM: "dumb" }])
      expect(runOnTerminal([fixture("claude-code")], env).stdout).not.toMatch(/\u001b\[\d+m/);
  });

  test.skipIf(!hasScript)("a bar on long work, which goes away; none with --no-progress", () => {
    const messages = Array.from({ length: 3000 }, (_, index) => ({
      role: index % 2 ? "assistant" : "user",
      content: `${index}: some words of a long conversation. `.repeat(50),
    }));
    put("long.json", JSON.stringify(messages));
    const { status, stdout } = runOnTerminal(["long.json", "--no-progress"]);
    expect(status).toBe(0);
    expect(stdout).not.toMatch(/\[[#-]{20}\]/);
    const shown = runOnTerminal(["long.json"]).stdout;
    expect(shown).toMatch(/\r\[#+-+\] counting tokens \d+\.\d s\u001b\[K/);
    expect(shown).toMatch(/\r\[#+-+\] condensing \(lossless\) \d+\.\d s\u001b\[K/);
    // The last one is wiped before the report begins.
    expect(shown).toMatch(/\r\u001b\[K(\u001b\[1m)?long\.json: /);
    // A target that is missed is told once.
    expect(runOnTerminal(["long.json", "--target", "5", "--no-progress"]).stdout.match(/out of reach/g)).toHaveLength(1);
  });
});

withShared("corpus", (corpus) => {
  test("on real histories, reports add up and what is written restores", () => {
    const files = readdirSync(corpus).filter((name) => name.endsWith(".json"));
    for (const name of files.filter((_, index) => index % 4 === 0)) {
      const { code, report } = runJson([path.join(corpus, name), "--target", "40%", "--out", `out-${name}`, "--messages"]);
      expect([name, code]).toEqual([name, 0]);
      const kinds = Object.values(report.tokens.byKind);
      expect(kinds.reduce((sum, kind) => sum + kind.before, 0)).toBe(report.tokens.before);
      const written = readJson(path.join(folder, `out-${name}`));
      const { messages, ...rest } = readJson(path.join(corpus, name));
      expect(written).toEqual({ ...rest, messages: report.messages });
      expect(library.countTokens(written.messages)).toBe(report.tokens.after);
      expect(library.restore({ messages: written.messages, restoreData: report.restoreData })).toEqual(messages);
    }
  });
});
