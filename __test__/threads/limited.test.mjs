// Where the system gives a process few threads or none, the package loads, and does what can be done.
// @module-tag long

import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addonName, root } from "../../scripts/tools.mjs";

/** A user that nothing else runs as: the limit is on all threads of a user. */
const USER = "64321";
const isPossible = process.platform === "linux" && process.getuid?.() === 0 && spawnSync("setpriv", ["--version"]).status === 0;
if (!isPossible) console.info("Not root on Linux with setpriv: whether few threads are enough is not tested.");

const binary = process.env.ROO_CONDENSE_BINARY ?? path.join(root, addonName());
const folder = mkdtempSync(path.join(os.tmpdir(), "roo-condense-threads-"));

/** Runs Node as that user with so many threads at most, its own included. Without enough for itself it may hang. */
function limited(threads, seconds, ...program) {
  const limits = ["prlimit", `--nproc=${threads}`, "setpriv", `--reuid=${USER}`, `--regid=${USER}`, "--clear-groups"];
  const env = { PATH: process.env.PATH, ROO_CONDENSE_BINARY: path.join(folder, "addon.node"), RUST_BACKTRACE: "0" };
  return spawnSync("timeout", ["-s", "KILL", `${seconds}`, ...limits, process.execPath, ...program], { encoding: "utf8", env });
}

/** What the program of this folder says of its calls, with so many threads more than Node needs for itself. */
function calls(more) {
  const { status, stdout, stderr } = limited(least + more, 60, path.join(folder, "__test__", "threads", "limited.cjs"));
  expect({ status, stderr }, stdout).toEqual({ status: 0, stderr: expect.not.stringContaining("panicked") });
  return JSON.parse(stdout);
}

/** As few threads as Node itself can do with. */
let least;

beforeAll(() => {
  if (!isPossible) return;
  // Where every user may read it.
  for (const name of ["index.js", "package.json", "js", "__test__/threads/limited.cjs"]) {
    cpSync(path.join(root, name), path.join(folder, name), { recursive: true });
  }
  cpSync(binary, path.join(folder, "addon.node"));
  chmodSync(folder, 0o755);
  expect(existsSync(path.join(folder, "index.js"))).toBe(true);
  least = [5, 6, 7, 8, 9, 10, 12, 14, 16, 20, 30].find((threads) => limited(threads, 5, "-e", "0").status === 0);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.runIf(isPossible)(
  "a process that may start",
  () => {
    const fine = { truncation: "condensed", lossless: "condensed", tokens: expect.any(Number) };
    const own = { handler: "condensed", own: "condensed" };
    const http = { address: "condensed", name: "condensed" };
    const refused = { address: "llm_connection_failed", name: "llm_connection_failed" };

    test("no or few more threads than Node needs does all that they are enough for", () => {
      for (const more of [0, 1, 2, 3]) {
        const came = calls(more);
        expect(came).toMatchObject(fine);
        // On its own it always works. What the system counts, and when a thread that has ended is not counted any more, differs: each call is done or refused.
        expect([
          { ...own, ...http },
          { ...own, ...refused },
          { handler: "llm_callback_failed", own: "condensed", ...refused },
          { handler: "llm_callback_failed", own: "provider_failed", ...refused },
        ]).toContainEqual({
          handler: came.handler,
          own: came.own,
          address: came.address,
          name: came.name,
        });
      }
    });

    test("enough threads does all", () => {
      expect(calls(30)).toEqual({ ...fine, ...own, ...http });
    });
  },
  200_000,
);
