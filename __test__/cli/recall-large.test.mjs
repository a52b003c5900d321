// @module-tag long
// Recall over a session of 60 MB: as a stream, while it is written, and within memory.

import { spawnSync } from "node:child_process";
import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { writeSession } from "../../benches/recall-sessions.mjs";
import { root } from "../../scripts/tools.mjs";

const require = createRequire(import.meta.url);
const { SessionFiles } = require("../../js/cli/session-files.js");
const { SessionIndex } = require("../../js/cli/session-index.js");

const folder = mkdtempSync(path.join(tmpdir(), "roo-condense-large-"));
const file = path.join(folder, "large.jsonl");
beforeAll(() => writeSession(file, 60e6));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("its memory stays far below its limit", () => {
  const { stdout, stderr } = spawnSync(process.execPath, [path.join(root, "benches", "recall-sessions.mjs"), "--measure", file], {
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  const { found, leftOut, peakMb } = JSON.parse(stdout);
  expect({ found, leftOut }).toEqual({ found: true, leftOut: 0 });
  // Node alone takes 60 MB.
  expect(peakMb).toBeLessThan(450);
});

test("lines that are written while it is read are found, at once or with the next call", async () => {
  const [files, index] = [new SessionFiles(), new SessionIndex()];
  const line = (at) =>
    `${JSON.stringify({ type: "user", uuid: `late${at}`, cwd: "/work", message: { role: "user", content: `The ${at}th flamingo.` } })}\n`;
  let written = 0;
  const timer = setInterval(() => {
    const text = line(written++);
    appendFileSync(file, text.slice(0, 30));
    appendFileSync(file, text.slice(30));
  }, 5);
  await index.update(files.partsAt(file));
  clearInterval(timer);
  await index.update(files.partsAt(file));
  expect(written).toBeGreaterThan(3);
  const { matching } = await index.index.search("flamingo");
  expect(matching).toBe(written);
  expect(index.stateOf(files.partsAt(file)).damaged).toBe(0);
});
