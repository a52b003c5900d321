// The command line: several histories, `count`, `validate`, JSON Lines and sessions of Claude Code, narrow terminals.

import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { describe, expect, test, vi } from "vitest";
import {
  copyOf,
  environment,
  expectFailure,
  fixture,
  folder,
  history,
  library,
  main,
  messagesOf,
  put,
  readJson,
  repeated,
  run,
  runJson,
} from "./support.mjs";

describe("several histories", () => {
  test("are condensed one after the other", () => {
    const files = [fixture("claude-code"), fixture("shell-only")];
    const { code, stdout, stderr } = run(files);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout.match(/^Nothing was written\. /gm)).toHaveLength(2);
    expect(stdout).toMatch(/\nTotal of 2 histories: /);
  });

  test("one that fails is told, and the others go on", () => {
    const file = copyOf("claude-code");
    put("bad.json", "[1");
    const { code, stdout, stderr } = run(["bad.json", "absent.json", file]);
    expect(code).toBe(4);
    expect(stderr).toMatch(
      /^roo-condense: bad.json:1:3: not JSON[\s\S]*roo-condense: absent.json: there is no such file\nFiles there: bad.json, history.json\n.*--last\n$/,
    );
    expect(stdout).toContain("history.json: 200 messages");
    const { report, code: ended } = runJson([file, "absent.json", "--in-place"]);
    expect([ended, report.exitCode]).toEqual([3, 3]);
    expect(report.files).toMatchObject([
      { file, exitCode: 0, didCondense: true },
      { file: "absent.json", exitCode: 3, error: { code: "unreadable" } },
    ]);
  });
});

describe("a folder", () => {
  const tasks = () => {
    for (const name of ["tasks", "tasks/one", "tasks/two", "tasks/two/deep", "out"]) mkdirSync(path.join(folder, name));
    for (const name of ["one", "two/deep"])
      put(`tasks/${name}/api_conversation_history.json`, readFileSync(fixture(name === "one" ? "claude-code" : "shell-only")));
    put("tasks/two/task_metadata.json", '{"files":[]}');
    put("tasks/notes.jsonl", "not JSON\n");
    put("tasks/one/read.me", "[]");
    put("tasks/one/api_conversation_history.restore.json", "{}");
  };
  const histories = ["one/api_conversation_history.json", "two/deep/api_conversation_history.json"];

  test("stands for the histories in it; others are skipped, and a total ends the report", () => {
    tasks();
    const { code, stdout, stderr } = run(["count", "tasks"]);
    expect([code, stderr]).toEqual([0, ""]);
    const tokens = ["claude-code", "shell-only"].map((name) => library.countTokens(messagesOf(readJson(fixture(name)))));
    const sum = (tokens[0] + tokens[1]).toLocaleString("en-US");
    expect(stdout.split("\n").slice(-3)).toEqual([
      `Total of 2 histories: ${sum} tokens.`,
      `Skipped 2 files that are no histories: ${path.join("tasks", "notes.jsonl")}, ${path.join("tasks", "two", "task_metadata.json")}.`,
      "",
    ]);
    expect(stdout).not.toContain("\n\n\n");
    const { report } = runJson(["count", "tasks"]);
    expect(report.total).toEqual({ histories: 2, failed: 0, skipped: 2, tokens: tokens[0] + tokens[1] });
    expect(report.files.map(({ file }) => file)).toEqual(histories.map((name) => path.join("tasks", name)));
    expect(report.skipped.map(({ reason }) => reason)).toEqual([
      expect.stringMatching(/not JSON/),
      expect.stringMatching(/is not a history/),
    ]);
    expect(run(["validate", "tasks", "-q"])).toMatchObject({ stdout: "" });
  });

  test("without any history is a failure", () => {
    mkdirSync(path.join(folder, "empty"));
    expectFailure(["count", "empty"], 5, /^roo-condense: empty: no \.json or \.jsonl file\n$/);
    put("empty/a.json", "5");
    expectFailure(["empty"], 5, /empty: 1 file, but no history/);
  });
});

describe("progress in a log", () => {
  const { Progress } = createRequire(import.meta.url)("../../js/cli/progress.js");

  test("is a line every few seconds, with the history that it is about; none for short work", () => {
    vi.useFakeTimers();
    const written = [];
    const progress = new Progress({ write: (text) => written.push(text) }, { enabled: true, env: {} });
    progress.begin("a.json", 0, 2);
    progress.step("condensing (native)", 2, 20);
    vi.advanceTimersByTime(4000);
    expect(written).toEqual([]);
    vi.advanceTimersByTime(2000);
    progress.step("waiting for the summary", 10, 20);
    progress.begin("b.json", 1, 2);
    vi.advanceTimersByTime(5000);
    progress.pause();
    vi.advanceTimersByTime(60_000);
    progress.stop();
    expect(written).toEqual([
      "roo-condense: 1 of 2, a.json: condensing (native), 10%, 5 s\n",
      "roo-condense: 2 of 2, b.json: waiting for the summary, 50%, 10 s\n",
    ]);
    new Progress({ write: (text) => written.push(text) }, { enabled: false, env: {} }).step("x", 1, 2, true);
    vi.advanceTimersByTime(60_000);
    expect(written).toHaveLength(2);
    vi.useRealTimers();
  });
});

describe("count", () => {
  test("tokens by kind", () => {
    const { code, stdout } = run(["count", fixture("claude-code"), fixture("roo-xml-2025")]);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /claude-code\.json: 200 messages, \d+ KB\n {2}message text +[\d,]+ +[\d.]+%\n[\s\S]*\n {2}total +[\d,]+\n\n[^\n]*roo-xml-2025/,
    );
    const { report } = runJson(["count", fixture("claude-code")]);
    expect(report).toMatchObject({ exitCode: 0, messages: 200, tokens: library.countTokens(messagesOf(readJson(fixture("claude-code")))) });
    expect(Object.values(report.byKind).reduce((sum, tokens) => sum + tokens, 0)).toBe(report.tokens);
  });

  test("bad input", () => {
    expectFailure(["count", "absent.json"], 3, /no such file/);
    put("five.json", "5");
    expectFailure(["count", "five.json"], 5, /is not a history/);
    expect(run(["count", put("empty.json", "[]")]).stdout).toMatch(/0 messages[\s\S]*total +0\n/);
  });
});

describe("inspect", () => {
  test("what a history is made of, and what providers would leave", () => {
    const { code, stdout } = run(["inspect", fixture("claude-code"), "--window", "100k", "--target", "50%", "--compare"]);
    expect(code).toBe(0);
    for (const part of [
      /200 messages/,
      /tool results +[\d,]+/,
      /Repeated or stale/,
      /By tool/,
      /By file/,
      /Largest/,
      /Context window/,
      /Tokens left by/,
    ])
      expect(stdout).toMatch(part);
    expect(stdout).toMatch(/The target of [\d,]+ tokens is exceeded at message \d+/);
    expect(stdout).toMatch(/native: this needs a language model, which inspect does not call/);
    const { report } = runJson(["inspect", fixture("claude-code")]);
    const tokens = library.countTokens(messagesOf(readJson(fixture("claude-code"))));
    expect(report).toMatchObject({ exitCode: 0, messages: 200, tokens: { total: tokens }, window: null });
    expect(report.eachMessage).toHaveLength(200);
  });

  test("bad input", () => {
    expectFailure(["inspect", fixture("claude-code"), "--window", "much"], 2, /--window must be .*; got "much"/);
    expectFailure(["inspect", fixture("claude-code"), "--provider", "lossless"], 2, /inspect has no flag --provider/);
    expectFailure([fixture("claude-code"), "--compare"], 2, /condense has no flag --compare/);
    expect(run(["inspect", put("empty.json", "[]")]).stdout).toMatch(/0 messages[\s\S]*total +0\n/);
  });
});

describe("validate", () => {
  test("tells whether the Messages API would accept it", () => {
    expect(run(["validate", fixture("claude-code")])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/200 messages, valid for the\s+Messages\s+API\./),
    });
    const problems = library.validateMessages(readJson(fixture("odd-shapes")));
    const { code, stdout } = run(["validate", fixture("odd-shapes")]);
    expect(code).toBe(8);
    expect(stdout.match(/^- message \d+/gm)).toHaveLength(problems.length);
    const { report } = runJson(["validate", fixture("odd-shapes"), fixture("claude-code")]);
    expect(report.exitCode).toBe(8);
    expect(report.files).toMatchObject([{ problems }, { problems: [], exitCode: 0 }]);
    expect(run(["validate", fixture("odd-shapes"), "--quiet"])).toMatchObject({ code: 8, stdout: "", stderr: "" });
    expectFailure(["validate", "absent.json"], 3, /no such file/);
  });
});

describe("JSON Lines", () => {
  const lines = history().map((message) => JSON.stringify(message).replace('{"role"', '{ "role"'));

  test("a message on each line: read, and written with the lines that did not change as they were", () => {
    const file = put("history.jsonl", `${lines.join("\n")}\n`);
    const before = readFileSync(file);
    expect(run([file, "--in-place"])).toMatchObject({ code: 0, stderr: "" });
    const written = readFileSync(file, "utf8").trimEnd().split("\n");
    expect(written).toHaveLength(lines.length);
    const changed = written.filter((line, index) => line !== lines[index]);
    expect(changed).toHaveLength(1);
    expect(changed[0]).toContain(" as below from ");
    expect(run(["expand", file, "-o", "expanded.jsonl"]).code).toBe(0);
    const expanded = readFileSync(path.join(folder, "expanded.jsonl"), "utf8").trimEnd().split("\n");
    expect(expanded.map((line) => JSON.parse(line))).toEqual(history());
    expect(run(["restore", file, "--in-place"]).code).toBe(0);
    expect(readFileSync(file)).toEqual(before);
  });

  test("on standard input, with blank lines, carriage returns and without a line break at the end", () => {
    const { report } = runJson(["-"], { input: lines.join("\r\n\r\n") });
    expect(report.input.messages).toBe(lines.length);
    const { stdout } = run(["-", "--out", "-"], { input: lines.join("\r\n") });
    expect(stdout.split("\r\n")).toHaveLength(lines.length);
    put("one.jsonl", lines[0]);
    expect(runJson(["count", "one.jsonl"]).report.messages).toBe(1);
    put("array.jsonl", `[${lines.join(",")}]`);
    expect(runJson(["count", "array.jsonl"]).report.messages).toBe(lines.length);
  });

  test("a last line that somebody is still writing is left out, and said", { tags: ["long"] }, () => {
    const whole = `${lines.join("\n")}\n`;
    const more = '{"role":"user","content":"Grüße"}';
    const half = put("half.jsonl", Buffer.from(`${whole}${more}`).subarray(0, -4));
    const told = /^roo-condense: half\.jsonl: the last line is incomplete and was ignored/;
    const { code, stderr, report } = runJson(["count", "half.jsonl"]);
    expect([code, report.messages]).toEqual([0, lines.length]);
    expect(stderr).toMatch(told);
    // Within a letter.
    put("half.jsonl", Buffer.from(`${whole}${more}`).subarray(0, Buffer.byteLength(`${whole}${more.slice(0, -5)}`) - 1));
    expect(runJson(["count", "half.jsonl"])).toMatchObject({ code: 0, stderr: expect.stringMatching(told) });
    for (const args of [["validate"], ["inspect"], ["expand"], ["recommend"], ["condense"], ["report", "--html", "out.html", "--quiet"]])
      expect(run([args[0], "half.jsonl", ...args.slice(1)]), args[0]).toMatchObject({ code: 0, stderr: expect.stringMatching(told) });
    expect(run(["half.jsonl", "--out", "out.jsonl", "-q"]).code).toBe(0);
    expect(readFileSync(path.join(folder, "out.jsonl"), "utf8").split("\n")).toHaveLength(lines.length + 1);
    expectFailure([half, "--in-place"], 7, /its last line is incomplete, .* would be lost; the file was left unchanged/);
    // A line with an end is broken, and so is one that is whole.
    put("bad.jsonl", Buffer.concat([Buffer.from(whole), Buffer.from('{"role":"user","content":"\xff"}', "latin1")]));
    expectFailure(["bad.jsonl"], 4, /bad\.jsonl:\d+:27: not UTF-8/);
    put("bad.jsonl", `${whole}{"role":\n`);
    expectFailure(["bad.jsonl"], 4, /not JSON/);
    put("bad.jsonl", '{"role":"user","con');
    expectFailure(["bad.jsonl"], 4, /not JSON/);
  });

  test("a line that is not JSON is named", () => {
    put("bad.jsonl", `${lines[0]}\n\n${lines[1].slice(0, 20)}\n`);
    expectFailure(["bad.jsonl"], 4, /bad.jsonl:3:21: not JSON/);
    put("none.jsonl", '{"a":1}\n{"b":2}\n');
    expectFailure(["none.jsonl"], 5, /message 0: no role, and the fields a: no format that is read here has such messages/);
    put("blank.jsonl", "\n \r\n\n");
    for (const args of [["blank.jsonl"], ["count", "blank.jsonl"]]) expectFailure(args, 4, /blank\.jsonl holds nothing but white space/);
  });
});

describe("sessions of Claude Code", () => {
  const call = (id, message) => ({
    type: "assistant",
    uuid: id,
    message: { id: message, role: "assistant", content: [{ type: "tool_use", id, name: "Read", input: { file_path: "a.txt" } }] },
  });
  const answer = (id) => ({
    type: "user",
    message: { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: repeated }] },
  });
  const records = [
    { type: "summary", summary: "An earlier session", leafUuid: "x" },
    { type: "file-history-snapshot", messageId: "m", snapshot: {} },
    { type: "user", message: { role: "user", content: "Do it." }, isSidechain: false, cwd: "/p" },
    { type: "assistant", message: { id: "m1", role: "assistant", content: [{ type: "text", text: "I read." }] } },
    call("a", "m1"),
    call("b", "m1"),
    { type: "user", isSidechain: true, message: { role: "user", content: "for a subagent" } },
    answer("a"),
    { type: "assistant", isSidechain: true, message: { id: "s", role: "assistant", content: "of a subagent" } },
    answer("b"),
    { type: "system", content: "compacted", subtype: "info" },
    { type: "assistant", isApiErrorMessage: true, message: { id: "e", role: "assistant", content: [{ type: "text", text: "API Error" }] } },
    { type: "assistant", message: { id: "m2", role: "assistant", content: [{ type: "text", text: "Done." }] } },
  ];
  const session = (all) => put("session.jsonl", `${all.map((record) => JSON.stringify(record)).join("\n")}\n`);

  test("are read as the conversation that the model saw", () => {
    const file = session(records);
    expect(run(["validate", file])).toMatchObject({ code: 0, stdout: expect.stringContaining("4 messages") });
    expect(run([file, "--out", "messages.json"]).code).toBe(0);
    const messages = readJson(path.join(folder, "messages.json"));
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
    expect(messages[1].content.map(({ type }) => type)).toEqual(["text", "tool_use", "tool_use"]);
    expect(messages[2].content.map(({ tool_use_id: id }) => id)).toEqual(["a", "b"]);
    expect(JSON.stringify(messages)).not.toMatch(/subagent|API Error|An earlier/);
    expect(JSON.stringify(messages)).toContain(" as ");
  });

  test("the byte order mark of the records is no part of the array", () => {
    const file = session(records);
    const before = Buffer.concat([Buffer.from("\ufeff"), readFileSync(file)]);
    put("session.jsonl", before);
    expect(run([file, "-o", "messages.json", "-q"]).code).toBe(0);
    expect(Array.isArray(readJson(path.join(folder, "messages.json")))).toBe(true);
    expect(run(["restore", "messages.json", "-o", "again.jsonl"]).code).toBe(0);
    expect(readFileSync(path.join(folder, "again.jsonl"))).toEqual(before);
  });

  test("restore leads from the messages back to the session", () => {
    const file = session(records);
    const before = readFileSync(file);
    expect(run([file, "-o", "messages.json"]).code).toBe(0);
    expect(run(["restore", "messages.json", "-o", "again.jsonl"]).code).toBe(0);
    expect(readFileSync(path.join(folder, "again.jsonl"))).toEqual(before);
  });

  test("bad input", () => {
    session([records[0], { type: "user", message: "text" }, { type: "assistant", message: null }]);
    expectFailure(["session.jsonl"], 5, /session\.jsonl:2: not what a session of Claude Code has there: message is missing/);
    session([records[0], ...records.slice(2, 4), { type: "assistant", message: { role: "assistant" } }]);
    expectFailure(["session.jsonl"], 5, /session\.jsonl:4: not what a session of Claude Code has there: message\.content is missing/);
  });
});

describe("terminals of 45 columns", () => {
  const hasScript =
    process.platform === "linux" && /util-linux/.test(spawnSync("script", ["--version"], { encoding: "utf8" }).stdout ?? "");
  const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

  test
    .skipIf(!hasScript)
    .each([
      [[fixture("claude-code"), "--explain", "--target", "50%"]],
      [[fixture("claude-code"), "--preset", "aggressive", "--preview"]],
      [[fixture("odd-shapes"), "--explain"]],
      [["count", fixture("claude-code")]],
      [["validate", fixture("odd-shapes")]],
      [["recall", fixture("claude-code"), "stale reads of dates"]],
    ])("%j", (args) => {
    const command = `stty cols 45; ${[process.execPath, main, ...args, "--no-progress"].map(quoted).join(" ")}`;
    const options = {
      cwd: folder,
      env: { ...environment, TERM: "xterm", NO_COLOR: "1" },
      encoding: "utf8",
      timeout: 50_000,
      stdio: ["ignore", "pipe", "pipe"],
    };
    const { stdout } = spawnSync("script", ["--quiet", "--return", "--command", command, "/dev/null"], options);
    const lines = stdout.replaceAll("\r", "").split("\n");
    expect(lines.length).toBeGreaterThan(3);
    expect(lines.filter((line) => line.length > 45 || /\s$/.test(line))).toEqual([]);
  });
});

test("what stands in a difference cannot steer the terminal, and is bounded", { tags: ["long"] }, () => {
  const messages = history();
  const hostile = `\u001b]0;title\u0007\u001b[2J\u202eright to left\u2066 \u009b31m\r\u200b${"x".repeat(5000)}\n`;
  for (const index of [2, 4]) messages[index].content[0].content = `${hostile}${repeated}${hostile.repeat(300)}`;
  put("f.json", JSON.stringify(messages));
  for (const args of [["--explain"], ["--preview"], ["--explain", "--provider", "truncation", "--config", '{"preserveRecentCount":1}']]) {
    const { code, stdout } = run(["f.json", ...args]);
    expect(code).toBe(0);
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b\u202a-\u202e\u2066-\u2069]/);
    const lines = stdout.split("\n");
    expect(lines.length).toBeLessThan(150);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
  }
});
