// Where the system gives a process little memory, a call that needs more says so, and the process goes on.
// @module-tag long

import { spawnSync } from "node:child_process";
import process from "node:process";
import { describe, expect, test } from "vitest";

const PROGRAM = new URL("./limited-memory.cjs", import.meta.url).pathname;

/** Runs the program with so many kilobytes of address space at most. */
function run(kilobytes, ...megabytes) {
  const command = `ulimit -v ${kilobytes} && exec "$@"`;
  return spawnSync("sh", ["-c", command, "sh", process.execPath, PROGRAM, ...megabytes.map(String)], { encoding: "utf8" });
}

function limited(kilobytes, ...megabytes) {
  const { status, stdout, stderr } = run(kilobytes, ...megabytes);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return JSON.parse(stdout);
}

describe.runIf(process.platform === "linux")("a process with little memory", () => {
  /** What Node, the addon and a small call reserve, reserves of their allocators included: with less they take less. */
  const reserved = () => limited("unlimited").kilobytes;
  const condensed = /^condensed$/;
  const refused = /^system_limit: the operating system denied a resource: \d+ MB of memory for the \d+ MB of messages/;

  test("refuses a history that needs more, and condenses a small one after it", () => {
    const most = reserved();
    // Between nothing and all: where the line runs depends on the version of Node.
    const runs = [0.5, 0.55, 0.6, 0.65, 0.7, 0.8].map((share) => run(Math.round(share * most), 20));
    const ended = runs.filter(({ status }) => status === 0).map(({ stdout }) => JSON.parse(stdout).came);
    expect(runs.filter(({ stderr }) => /memory allocation of \d+ bytes failed/.test(stderr))).toEqual([]);
    for (const [large] of ended) expect(large).toMatch(condensed.test(large) ? condensed : refused);
    expect(ended.some(([large, small]) => refused.test(large) && small === "condensed")).toBe(true);
  });

  test("refuses a vocabulary that needs more, and nobody waits for ever", () => {
    const most = reserved();
    const runs = [0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9].map((share) => run(Math.round(share * most), "warm"));
    expect(runs.filter(({ stderr }) => /memory allocation of \d+ bytes failed|panicked/.test(stderr))).toEqual([]);
    const came = runs.filter(({ status }) => status === 0).map(({ stdout }) => JSON.parse(stdout).came[0]);
    for (const each of came) expect(each).toMatch(/^(loaded|system_limit: .*)$/);
    expect(came).toContain("loaded");
  }, 60_000);

  test("lets an output through that it cannot shorten", () => {
    const length = 100_000_000;
    const program = new URL("../../js/cli/main.js", import.meta.url).pathname;
    const command = `head -c ${length} /dev/zero | tr '\\0' a | { ulimit -v 3000000; exec "$@"; }`;
    const args = [process.execPath, program, "result", "--budget", "400", "--exit-code", "6"];
    const { status, stdout, stderr } = spawnSync("sh", ["-c", command, "sh", ...args], { maxBuffer: 2 * length });
    expect([status, stdout.length, String(stderr)]).toEqual([6, length, expect.stringMatching(/not shortened: .*denied a resource/)]);
  }, 60_000);

  test("counts calls that run at once", () => {
    const { came } = limited(Math.round(0.8 * reserved()), 5, 5, 5, 5, 5, 5);
    for (const each of came.slice(0, -1)) expect(each).toMatch(condensed.test(each) ? condensed : refused);
    expect(came.at(-1)).toBe("condensed");
  });
});
