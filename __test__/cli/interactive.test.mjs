// `--interactive`: each change is shown, and kept or left as it was.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { buildHistory } from "../../fixtures/history.mjs";
import { expectFailure, folder, library, put } from "./support.mjs";

const require = createRequire(import.meta.url);
const { condenseHistory } = require("../../js/cli/condense-command.js");
const { readArguments } = require("../../js/cli/arguments.js");
const { Progress } = require("../../js/cli/progress.js");
const messages = buildHistory({ dialect: "claude-code", messages: 24, seed: 3 });

/** Runs it on a terminal at which these letters are typed. */
async function answered(letters, name) {
  put("asked.json", JSON.stringify(messages));
  const [stdin, stdout] = [new PassThrough(), new PassThrough()].map((stream) => Object.assign(stream, { isTTY: true, columns: 100 }));
  let shown = "";
  stdout.on("data", (chunk) => {
    shown += chunk;
    if (!String(chunk).endsWith("[y,n,a,d,q,?] ")) return;
    const letter = letters.shift();
    setImmediate(() => (letter === undefined ? stdin.end() : stdin.write(`${letter}\n`)));
  });
  const out = path.join(folder, name);
  const settings = readArguments([path.join(folder, "asked.json"), "--target", "50%", "--interactive", "--out", out, "--color", "never"]);
  const progress = new Progress(stdout, { enabled: false, env: {} });
  const environment = { stdin, stdout, stderr: stdout, env: {}, begun: 0, warn() {}, progress };
  const done = await condenseHistory(library, settings, environment);
  return { ...done, shown, written: JSON.parse(readFileSync(out, "utf8")) };
}

test("each change is kept or left as it was", async () => {
  const all = await answered(["a"], "all.json");
  expect(all.exitCode).toBe(0);
  expect(all.shown).toContain("Change 1 of ");
  const none = await answered(["?", "d"], "none.json");
  expect(none.written).toEqual(messages);
  expect(none.shown).toContain("n: leave it as it was");
  const some = await answered(["n", "a"], "some.json");
  expect(some.exitCode).toBe(0);
  expect(some.written).not.toEqual(all.written);
  expect(library.countTokens(some.written)).toBeGreaterThan(library.countTokens(all.written));
  expect(library.validateMessages(some.written)).toEqual([]);
  expect(some.text).not.toContain("within the target");
  expect(none.text).toContain("Nothing was condensed: you left all changes out.");
  const most = await answered(["n", "n", "n", "a"], "most.json");
  expect(most.text.replaceAll(/\s+/g, " ")).toContain("over the target, because of what you left as it was");
  expect(all.text).toContain("within the target");
  expect(some.text).toContain(`-> ${library.countTokens(some.written).toLocaleString("en")} tokens`);
});

test("who quits gets nothing written, and where nobody can be asked it is refused", async () => {
  await expect(answered(["q"], "quit.json")).rejects.toMatchObject({ exitCode: 130 });
  await expect(answered([], "ended.json")).rejects.toMatchObject({ exitCode: 130 });
  expectFailure(["asked.json", "--interactive"], 2, /--interactive needs --out FILE or --in-place/);
  expectFailure(["asked.json", "--interactive", "--out", "no.json"], 2, /--interactive needs a terminal/);
});
