// What `npm test` prints: a line a step with its time and counts, what a step printed where it fails, and at the end how many tests there were.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { afterAll, expect, test } from "vitest";
import { root } from "../scripts/tools.mjs";

const folder = mkdtempSync(path.join(tmpdir(), "roo-condense-steps-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const script = (name) => JSON.stringify(pathToFileURL(path.join(root, "scripts", name)).href);

/** Runs steps, each a program that prints a text and ends with a code: `[name, text, code, needs]`. */
function run(steps) {
  const program = `
import { runSteps } from ${script("steps.mjs")};
import { Failure, work } from ${script("tools.mjs")};
const steps = ${JSON.stringify(steps)}.map(([name, text, exit = 0, needs]) => ({
  name,
  needs,
  async run() {
    const { code } = await work(process.execPath, ["-e", "process.stdout.write(" + JSON.stringify(text) + "); process.exitCode = " + exit]);
    if (code !== 0) throw new Failure(name + " ended with " + code, code);
  },
}));
await runSteps(steps, "a second.");`;
  const file = path.join(folder, "run.mjs");
  writeFileSync(file, program);
  const { status, stdout, stderr } = spawnSync(process.execPath, [file], {
    cwd: root,
    env: { ...process.env, ROO_CONDENSE_SHARED: root },
    encoding: "utf8",
  });
  return {
    status,
    stderr,
    lines: stdout
      .replaceAll(/\d+\.\d s/g, "T")
      .trim()
      .split("\n"),
  };
}

const CARGO =
  "   Compiling serde v1\ntest a::b ... ok\ntest result: ok. 7 passed; 0 failed; 2 ignored; 0 measured\ntest result: ok. 1 passed; 0 failed; 0 ignored\n";
const VITEST = "\u001b[32m ✓\u001b[39m a.test.mjs\n      Tests  20 passed | 3 skipped (23)\n";

test("a line for each, with the tests of cargo and vitest and the trials of the soak", () => {
  const { status, stderr, lines } = run([
    ["core", CARGO],
    ["JavaScript", VITEST],
    ["format", "nothing to say\n"],
    ["soak", "2000 trials, 31000 checks: 1500 condensed\n"],
  ]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(lines).toEqual([
    "4 steps: a second.",
    "[1/4] core: 8 passed, T",
    "[2/4] JavaScript: 20 passed, T",
    "[3/4] format: T",
    "[4/4] soak: 2000 trials, T",
    "4 of 4 steps passed in T",
    "28 passed, 0 failed",
  ]);
});

test("where one fails, what it printed but for what went well; what needs it is left out, the others run", () => {
  const failing = "test a::b ... ok\ntest a::c ... FAILED\nleft: 1, right: 2\ntest result: FAILED. 1 passed; 1 failed; 0 ignored\n";
  const { status, lines } = run([
    ["core", failing, 101],
    ["uses the core", CARGO, 0, "core"],
    ["JavaScript", VITEST],
  ]);
  expect(status).toBe(101);
  expect(lines).toEqual([
    "3 steps: a second.",
    "[1/3] core: FAILED, 1 passed, 1 failed, T",
    "",
    "test a::c ... FAILED",
    "left: 1, right: 2",
    "test result: FAILED. 1 passed; 1 failed; 0 ignored",
    "core ended with 101",
    "",
    '[2/3] uses the core: skipped, because "core" failed',
    "[3/3] JavaScript: 20 passed, T",
    "1 of 3 steps passed in T; failed: core",
    "21 passed, 1 failed",
  ]);
});
