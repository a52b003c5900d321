// What the tests of the command line share: a folder for each test, and running the program in it.

import { spawnSync } from "node:child_process";
import { lstatSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeEach, expect } from "vitest";
import { root } from "../../scripts/tools.mjs";

const require = createRequire(import.meta.url);
export const library = require("../../index.js");

export const main = path.join(root, "js", "cli", "main.js");
export const fixture = (name) => path.join(root, "fixtures", `${name}.json`);

export const isWindows = process.platform === "win32";
export const isRoot = process.getuid?.() === 0;
const { NO_COLOR: _, FORCE_COLOR: __, ANTHROPIC_API_KEY: ___, OPENAI_API_KEY: ____, ...environment } = process.env;

export { environment };

const folders = [];
/** A new folder for each test. */
export let folder;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), "roo-condense-cli-")));
  folders.push(folder);
});
afterAll(() => folders.forEach((each) => rmSync(each, { recursive: true, force: true })));

/** Runs the program in the folder of the test; it has to end by itself. */
export function run(args, { input = "", env = {}, file = main, ...options } = {}) {
  const ended = spawnSync(process.execPath, [file, ...args], {
    cwd: folder,
    env: { ...environment, ...env },
    input,
    encoding: "utf8",
    timeout: 150_000,
    maxBuffer: 1 << 28,
    ...options,
  });
  if (ended.error) throw ended.error;
  return { code: ended.status, signal: ended.signal, stdout: ended.stdout, stderr: ended.stderr };
}

/** Puts a file into the folder of the test. */
export function put(name, content) {
  const file = path.join(folder, name);
  writeFileSync(file, content);
  return file;
}

export const copyOf = (name) => put("history.json", readFileSync(fixture(name)));
export const readJson = (file) => JSON.parse(readFileSync(file, "utf8"));
export const messagesOf = (value) => (Array.isArray(value) ? value : value.messages);

/** Runs with `--json`, whose standard output is one JSON object. */
export function runJson(args, options) {
  const ended = run([...args, "--json"], options);
  return { ...ended, report: JSON.parse(ended.stdout) };
}

/** A failure: this code, this message, no stack, nothing on standard output, and no file changed or added. */
export function expectFailure(args, code, message, options = {}) {
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
export function thrownBy(call) {
  try {
    call();
  } catch (error) {
    expect(error.constructor.name).toBe("Failure");
    return { code: error.exitCode, field: error.field, message: error.message, text: [error.message, ...error.hints].join("\n") };
  }
  throw new Error("nothing was thrown");
}

export const snapshot = () =>
  Object.fromEntries(
    readdirSync(folder)
      .sort()
      .map((name) => {
        const file = path.join(folder, name);
        return [name, lstatSync(file).isFile() && lstatSync(file).mode & 0o400 ? readFileSync(file, "latin1") : "not a readable file"];
      }),
  );

/** A tool result that says nothing twice. */
export const repeated = Array.from({ length: 60 }, (_, line) => `Line ${line} of a tool result that is given again.\n`).join("");
/** A history in which one tool result stands twice. */
export function history(changes = {}) {
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
