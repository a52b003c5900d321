// `roo-condense restore`: what a condensation wrote leads back, byte for byte.
// @module-tag long

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  chmodSync,
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
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { root } from "../../scripts/tools.mjs";

const main = path.join(root, "js", "cli", "main.js");
const fixture = (name) => readFileSync(path.join(root, "fixtures", `${name}.json`));
const isWindows = process.platform === "win32";

const folders = [];
let folder;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), "roo-condense-restore-")));
  folders.push(folder);
});
afterAll(() => folders.forEach((each) => rmSync(each, { recursive: true, force: true })));

function run(...args) {
  const ended = spawnSync(process.execPath, [main, ...args], { cwd: folder, encoding: "utf8", timeout: 150_000, maxBuffer: 1 << 28 });
  if (ended.error) throw ended.error;
  return { code: ended.status, stdout: ended.stdout, stderr: ended.stderr };
}

const at = (name) => path.join(folder, name);
const read = (name) => readFileSync(at(name));
const put = (name, content) => writeFileSync(at(name), content);
const files = () => readdirSync(folder).sort();

/** The messages of a fixture, which is an array or an object that holds one. */
const messagesOf = (bytes) => {
  const root = JSON.parse(bytes);
  return root.messages ?? root;
};

/** The same messages in other layouts: bytes are to come back, not only messages. */
const layouts = [
  ["as it is", (bytes) => bytes],
  ["in one line", (bytes) => JSON.stringify(JSON.parse(bytes))],
  [
    "with tabs, line ends of Windows and a byte order mark",
    (bytes) => `\ufeff${JSON.stringify(JSON.parse(bytes), null, "\t").replaceAll("\n", "\r\n")}\r\n`,
  ],
  [
    "with other escapes and blanks",
    (bytes) => `  ${JSON.stringify(JSON.parse(bytes)).replaceAll("/", "\\/").replaceAll('"content":', '"content" :\n ')}\n\n`,
  ],
  [
    "as an object with other fields",
    (bytes) => JSON.stringify({ id: 12345678901234567890n.toString(), messages: messagesOf(bytes), after: 1.0 }, null, 3),
  ],
];
const ways = [
  ["lossless", []],
  ["a target", ["--target", "30%"]],
  ["a window", ["--provider", "truncation", "--config", '{"mode":"window"}']],
];

describe.each(layouts)("%s", (_, layOut) => {
  test.each(ways)("%s, in place", (_, options) => {
    const before = Buffer.from(layOut(fixture("claude-code")));
    put("history.json", before);
    const { code, stdout } = run("history.json", "--in-place", ...options);
    expect(code).toBe(0);
    expect(stdout).toContain("history.restore.json");
    expect(files()).toEqual(["history.json", "history.json.bak", "history.restore.json"]);
    expect(read("history.json").equals(before)).toBe(false);
    const back = run("restore", "history.json", "--in-place");
    expect(back.stderr).toBe("");
    expect(back.stdout).toContain("byte for byte");
    expect(read("history.json").equals(before)).toBe(true);
  });
});

test("to another file, and to standard output", () => {
  const before = fixture("roo-native-2026");
  put("history.json", before);
  expect(run("history.json", "--out", "shorter.json", "--quiet")).toEqual({ code: 0, stdout: "", stderr: "" });
  expect(files()).toEqual(["history.json", "shorter.json", "shorter.restore.json"]);
  expect(run("restore", "shorter.json", "--out", "back.json", "--quiet")).toEqual({ code: 0, stdout: "", stderr: "" });
  expect(read("back.json").equals(before)).toBe(true);
  expect(run("restore", "shorter.json", "--out", "back.json").code).toBe(7);
  expect(run("restore", "shorter.json", "--out", "back.json", "--force").code).toBe(0);
  const printed = run("restore", "shorter.json", "--out", "-");
  expect(Buffer.from(printed.stdout).equals(before)).toBe(true);
  expect(printed.stderr).toContain("byte for byte");
  const told = run("restore", "shorter.json", "--json");
  expect(JSON.parse(told.stdout)).toMatchObject({
    exitCode: 0,
    exact: true,
    bytes: before.length,
    output: null,
    restoreData: at("shorter.restore.json"),
  });
  expect(run("restore", "shorter.json").stdout).toContain("Nothing was written");
});

test("without restore data when nobody wants it, or nothing was changed", () => {
  put("history.json", fixture("claude-code"));
  expect(run("history.json", "--out", "shorter.json", "--no-restore-data", "--quiet").code).toBe(0);
  put("few.json", '[{"role":"user","content":"Hello"}]');
  expect(run("few.json", "--out", "same.json", "--quiet").code).toBe(0);
  expect(run("history.json", "--out", "-").code).toBe(0);
  expect(files()).toEqual(["few.json", "history.json", "same.json", "shorter.json"]);
  const { code, stderr } = run("restore", "shorter.json", "--in-place");
  expect(code).toBe(3);
  expect(stderr).toContain("there is no restore data beside it");
});

test("condensed again and again, with messages added between, and back one by one", () => {
  const all = messagesOf(fixture("claude-code"));
  let next = 30;
  let history = all.slice(0, next);
  const before = [];
  for (let turn = 0; turn < 4; turn++) {
    put("history.json", JSON.stringify(history, null, 2));
    before.push(history);
    expect(run("history.json", "--in-place", "--quiet", ...(turn % 2 ? ["--target", "70%"] : [])).code).toBe(0);
    history = [...JSON.parse(read("history.json")), ...all.slice(next, next + 6)];
    next += 6;
  }
  put("history.json", JSON.stringify(history, null, 2));
  const names = files().filter((name) => name.includes(".restore."));
  expect(names.length).toBeGreaterThan(1);
  for (const earlier of before.slice(-names.length).reverse()) {
    const back = run("restore", "history.json", "--in-place");
    expect(back.stderr).toBe("");
    expect(JSON.parse(read("history.json")).slice(0, earlier.length)).toEqual(earlier);
  }
});

test("a file that was laid out anew gets its messages back", () => {
  const before = JSON.parse(fixture("roo-xml-2025"));
  put("history.json", JSON.stringify(before));
  expect(run("history.json", "--in-place", "--quiet").code).toBe(0);
  put("history.json", JSON.stringify([...JSON.parse(read("history.json")), { role: "user", content: "More." }], null, 2));
  const { code, stdout } = run("restore", "history.json", "--in-place");
  expect(code).toBe(0);
  expect(stdout).toContain("was changed since");
  expect(JSON.parse(read("history.json"))).toEqual([...before, { role: "user", content: "More." }]);
});

test("what was edited, or belongs to something else, is left as it is", () => {
  put("history.json", JSON.stringify(messagesOf(fixture("claude-code"))));
  put("other.json", fixture("roo-native-2026"));
  expect(run("history.json", "--in-place", "--quiet").code).toBe(0);
  expect(run("other.json", "--in-place", "--quiet").code).toBe(0);
  const edited = JSON.parse(read("history.json"));
  edited[2].role = "system";
  put("history.json", JSON.stringify(edited));
  const { code, stderr } = run("restore", "history.json", "--in-place");
  expect(code).toBe(1);
  expect(stderr).toContain("messages[2]");
  expect(read("history.json").toString()).toBe(JSON.stringify(edited));
  const wrong = run("restore", "other.json", "--restore-data", "history.restore.json", "--in-place", "--json");
  expect(wrong.code).toBe(1);
  expect(JSON.parse(wrong.stdout).error.code).toBe("invalid_restore_data");
});

test.each([
  ["not JSON", () => "{", 4],
  ["something else", () => "{}", 1],
  ["of another format", (data) => JSON.stringify({ ...data, format: 2 }), 1],
  [
    "a copy that is cut",
    (data) => JSON.stringify({ ...data, original: { ...data.original, deflated: data.original.deflated.slice(0, 400) } }),
    1,
  ],
  [
    "a copy that is another",
    (data) => JSON.stringify({ ...data, original: { ...data.original, sha256: createHash("sha256").update("").digest("hex") } }),
    1,
  ],
  ["a copy that says it is short", (data) => JSON.stringify({ ...data, original: { ...data.original, bytes: 5 } }), 1],
  ["a copy of other bytes", (data) => JSON.stringify({ ...data, original: { ...data.original, deflated: "AAAA" } }), 1],
])("restore data that is %s", (_, damage, expected) => {
  put("history.json", fixture("claude-code"));
  expect(run("history.json", "--in-place", "--quiet").code).toBe(0);
  const condensed = read("history.json");
  put("history.restore.json", damage(JSON.parse(read("history.restore.json"))));
  const { code, stderr } = run("restore", "history.json", "--in-place");
  expect(code).toBe(expected);
  expect(stderr).toContain("history.restore.json");
  expect(read("history.json").equals(condensed)).toBe(true);
});

test.skipIf(isWindows)("links, private files, and names with another ending", () => {
  mkdirSync(at("real"));
  const before = fixture("claude-code");
  put("real/history", before);
  chmodSync(at("real/history"), 0o600);
  symlinkSync(at("real/history"), at("link.json"));
  expect(run("link.json", "--in-place", "--quiet").code).toBe(0);
  expect(readdirSync(at("real")).sort()).toEqual(["history", "history.bak", "history.restore.json"]);
  expect(statSync(at("real/history.restore.json")).mode & 0o777).toBe(0o600);
  expect(run("restore", "link.json", "--in-place", "--quiet").code).toBe(0);
  expect(read("real/history").equals(before)).toBe(true);
});

test.skipIf(isWindows)("where the result cannot be written, no restore data is left", () => {
  put("history.json", fixture("claude-code"));
  mkdirSync(at("closed"));
  expect(run("history.json", "--out", "missing/shorter.json").code).toBe(7);
  expect(run("history.json", "--out", "/dev/null", "--quiet").code).toBe(0);
  expect(files()).toEqual(["closed", "history.json"]);
});

test.each([
  [["restore"], 2],
  [["restore", "a.json", "b.json"], 2],
  [["restore", "history.json", "--target", "5k"], 2],
  [["restore", "history.json", "--no-restore-data", "--in-place"], 2],
  [["history.json", "--restore-data", "x.json"], 2],
  [["history.json", "--no-restore-data"], 2],
  [["restore", "-", "--out", "x.json"], 2],
  [["restore", "missing.json", "--in-place"], 3],
  [["restore", "history.json", "--restore-data", "missing.json"], 3],
])("arguments that make no sense: %j", (args, expected) => {
  put("history.json", fixture("claude-code"));
  const { code, stderr } = run(...args);
  expect(code).toBe(expected);
  expect(stderr).not.toContain("internal error");
  expect(files()).toEqual(["history.json"]);
});

test("a history called restore is still a history", () => {
  put("restore", fixture("claude-code"));
  expect(run("restore", "--quiet").code).toBe(0);
  appendFileSync(at("restore"), "\n");
  expect(run("restore", "--out", "shorter.json", "--quiet").code).toBe(0);
  expect(run("restore", "shorter.json", "--out", "back", "--quiet").code).toBe(0);
  expect(read("back").equals(read("restore"))).toBe(true);
});
