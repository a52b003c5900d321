// The command line: what it writes, and where.
// @module-tag long

import { chmodSync, lstatSync, mkdirSync, readFileSync, readdirSync, statSync, symlinkSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import {
  copyOf,
  expectFailure,
  fixture,
  folder,
  history,
  isWindows,
  library,
  messagesOf,
  put,
  readJson,
  repeated,
  run,
  runJson,
} from "./support.mjs";

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
    expectFailure([file, "--out", "there.json"], 7, /there.json: exists already; --force overwrites it/);
    expectFailure([file, "--out", "no/such/folder.json"], 7, /its folder no.such does not exist; make it first/);
    expectFailure([file, "--out", "."], 7, /is a folder; name a file in it/);
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
    [["expand"], "expand needs a history"],
    [["expand", "a.json", "b.json"], "expand takes one history"],
    [["expand", "a.json", "--target", "5"], "--target"],
    [["expand", "a.json", "--force"], "--force needs --out"],
    [["expand", "a.json", "--json", "--out", "-"], "both write to standard output"],
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
    const { rewriteJson } = require("../../js/cli/json-rewrite.js");
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
    // The order of fields is that of the new value, also of one that was matched with another.
    const ordered = '{"n": 1.50, "x": {"a": 1, "b": 2}}';
    const parsed = JSON.parse(ordered);
    expect(rewriteJson(ordered, parsed, { ...parsed, x: { b: 2, a: 1 } })).toBe('{"n": 1.50, "x": {"b":2,"a":1}}');
    expect(rewriteJson(ordered, parsed, { ...parsed, x: { a: 1, c: 3, b: 2 } })).toBe('{"n": 1.50, "x": {"a":1,"c":3,"b":2}}');
    expect(rewriteJson(ordered, parsed, { ...parsed, x: { b: 3, c: 2 } })).toBe('{"n": 1.50, "x": {"b": 3, "c":2}}');
  });
});
