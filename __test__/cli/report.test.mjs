// The command line: what it says, for people and as JSON.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { describe, expect, test } from "vitest";
import {
  copyOf,
  environment,
  expectFailure,
  fixture,
  history,
  library,
  main,
  messagesOf,
  put,
  readJson,
  run,
  runJson,
} from "./support.mjs";

const require = createRequire(import.meta.url);
const { version } = require("../../package.json");

describe("the report", () => {
  const names = ["roo-xml-2025", "roo-native-2026", "claude-code", "claude-code-older", "shell-only", "odd-shapes"];

  test.each(names)("%s: fits 80 columns, has no colour and no blanks at line ends, and its numbers add up", (name) => {
    const { code, stdout, stderr } = run([fixture(name), "--explain", "--target", "90%"]);
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

  test("says what survives, and the numbers of every row add up", () => {
    const { stdout } = run([fixture("claude-code"), "--target", "30%"]);
    const lines = stdout.split("\n");
    const table = lines.slice(lines.findIndex((line) => line.startsWith("Tokens by outcome")) + 1);
    const value = (text) => Number(text.replaceAll(",", ""));
    const rows = table.slice(0, table.indexOf("")).map((line) => line.match(/^ {2}(\D+?) {2,}([\d,]+) +([\d,]+) +([\d,]+) +([\d,]+)$/));
    const numbers = rows.filter(Boolean).map(([, label, ...cells]) => [label, ...cells.map(value)]);
    expect(numbers.map(([label]) => label)).toEqual(expect.arrayContaining(["the user's words", "tool results", "total"]));
    const { survival } = runJson([fixture("claude-code"), "--target", "30%"]).report;
    const { before, kept, pointed, superseded, summarized, recorded, lost } = survival.total;
    const [, ...total] = numbers.at(-1);
    const sum = (...parts) => parts.reduce((all, { tokens }) => all + tokens, 0);
    expect(total).toEqual([sum(kept, pointed), sum(superseded), sum(summarized, recorded), sum(lost)]);
    expect(total.reduce((all, tokens) => all + tokens, 0)).toBe(before.tokens);
    expect(stdout).toMatch(/ {2}[\d,]+ replaced by newer content, [\d,]+ shortened, [\d,]+ lost/);
    expect(stdout.replaceAll(/\s+/g, " ")).toContain("--out and --in-place keep restore data, with which they can be recalled.");
    expect(run([fixture("roo-native-2026")]).stdout).toMatch(/[1-9][\d,]* replaced by newer content, 0 lost/);
    expect(run([fixture("roo-native-2026"), "--provider", "lossless", "--config", '{"strict":true}']).stdout).toContain("Nothing is lost");
  });

  test("what recall finds is left out, not lost", () => {
    const condense = (...flags) => run([fixture("claude-code"), "--target", "30%", "--out", "condensed.json", "--force", ...flags]);
    const text = condense().stdout.replaceAll(/\s+/g, " ");
    expect(text).toMatch(/Tokens by outcome readable replaced shortened left out/);
    expect(text).toMatch(
      /[\d,]+ left out\. They are no longer in the messages, but can be recalled: roo-condense recall condensed\.json WORDS\./,
    );
    expect(text).not.toContain("lost");
    expect(condense("--no-restore-data").stdout).toMatch(/[\d,]+ lost\./);
  });

  test("says which provider does it, and what else could be done", { tags: ["long"] }, () => {
    const file = fixture("claude-code");
    expect(run([file]).stdout).toContain("Provider: lossless alone, because there is no --target.");
    expect(run([file]).stdout).toContain("Nothing was written. To keep the result, add --out FILE or --in-place.");
    expect(run([file, "--target", "50%"]).stdout).toContain("Provider: lossless, then truncation of what it left.");
    expect(run([file, "--target", "70%"]).stdout).toContain("Provider: lossless, then truncation");
    expect(run([file, "--provider", "truncation"]).stdout).toContain("Provider: truncation, without fallbacks.");
  });

  test("--color, NO_COLOR and FORCE_COLOR decide about colours", { tags: ["long"] }, () => {
    const file = fixture("claude-code");
    const isColoured = (args, env) => run([file, ...args], { env }).stdout.includes("\u001b[");
    expect(isColoured([], {})).toBe(false);
    expect(isColoured([], { FORCE_COLOR: "1" })).toBe(true);
    expect(isColoured([], { FORCE_COLOR: "0" })).toBe(false);
    expect(isColoured([], { FORCE_COLOR: "1", NO_COLOR: "1" })).toBe(false);
    expect(isColoured(["--color", "always"], { NO_COLOR: "1" })).toBe(true);
    expect(isColoured(["--color=never"], { FORCE_COLOR: "1" })).toBe(false);
    expect(isColoured(["--color=auto"], { FORCE_COLOR: "3" })).toBe(true);
    expect(run(["absent.json", "--color", "always"]).stderr).toContain("\u001b[31mroo-condense:");
  });

  test("lists the shape problems of the input", () => {
    const { stdout } = run([fixture("odd-shapes")]);
    const { length } = library.validateMessages(readJson(fixture("odd-shapes")));
    expect(stdout).toContain(`The input has ${length} shape problems, left as they are:`);
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
    // What differs stands below, the old lines and the new ones.
    expect(stdout).toMatch(/\n {6}- \S.*\n(.*\n)*? {6}\+ \S/);
    expect(stdout).toMatch(/\n {4}@ (\w+, )?line [\d,]+(, now [\d,]+)?\n/);
    expect(report.changes.length).toBeGreaterThan(20);
    expect(listed.map(([, message, block, operation]) => `${message} ${block} ${operation}`)).toEqual(
      report.changes.map(({ messageIndex, blockIndex, operation }) => `${messageIndex} ${blockIndex ?? "all"} ${operation}`),
    );
  });

  test("--quiet prints nothing, but does the work", () => {
    const file = copyOf("claude-code");
    expect(run([file, "--quiet", "--in-place"])).toMatchObject({ code: 0, stdout: "", stderr: "" });
    expect(existsSync(`${file}.bak`)).toBe(true);
    expect(run([file, "-q", "--target", "1"])).toMatchObject({ code: 6, stdout: "", stderr: expect.stringMatching(/cannot be reached/) });
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
      provider: "truncation",
      asked: "lossless",
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
      const field = code === "usage" ? { field: "condense" } : {};
      expect(report).toEqual({ version, exitCode, error: { code, ...field, message: expect.any(String) } });
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
    const cutting = ["drop", "log", "salient"];
    expect(operations([])).toEqual(expect.arrayContaining(["reference", "repeated_lines"]));
    // Where lossless is not enough, truncation shortens what it left; where it would leave too much, truncation works alone.
    expect(operations(["--target", "45%"])).toEqual(expect.arrayContaining(["reference", "salient"]));
    expect(operations(["--target", "20%"]).sort()).toEqual(cutting);
    expect(operations(["--target", "70%"]).filter((operation) => cutting.includes(operation))).toEqual([]);
    expect(operations(["--provider", "truncation", "--target", "20%"]).sort()).toEqual(cutting);
    const { code, stderr } = run([file, "--provider", "lossless", "--target", "40%"]);
    expect(code).toBe(6);
    expect(stderr).toMatch(/The target of [\d,]+ tokens cannot be reached: [\d,]+ remain. Without --provider, truncation/);
  });

  test("a target that is missed writes nothing", () => {
    const file = copyOf("claude-code");
    expectFailure([file, "--target", "5", "--in-place"], 6, /cannot be reached/);
    expectFailure([file, "--target", "5", "--out", "new.json"], 6, /cannot be reached/);
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
