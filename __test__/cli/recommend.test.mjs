// `roo-condense recommend`.

import { createRequire } from "node:module";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { buildHistory } from "../../fixtures/history.mjs";
import { expectFailure, library, put, run, runJson } from "./support.mjs";

const { recommendProvider } = createRequire(import.meta.url)("../../js/cli/recommend-command.js");
const messages = buildHistory({ dialect: "claude-code", messages: 40, seed: 9 });

test("answers are options", () => {
  const { code, stdout, stderr } = run(["recommend", "--priority", "quality", "--budget", "0.02"]);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(/^pipeline \{"stages":\["lossless","truncation","native"\]\}\n {2}priority quality speaks for the pipeline/);
  expect(stdout).toContain("Otherwise\n");
  const { report } = runJson(["recommend", "--profile", "research_compliance", "--target", "10%"]);
  expect(report).toMatchObject({ provider: "lossless", exitCode: 0 });
  expect(report.warnings[0]).toMatchObject({ code: "contradiction" });
  expect(runJson(["recommend"]).report.provider).toBe("native");
  expectFailure(["recommend", "--priority", "fast"], 2, /priority: "fast" is not allowed; allowed: "simplicity"/);
  expectFailure(["recommend", "--budget", "much"], 2, /--budget: "much" is not allowed/);
  expectFailure(["recommend", "a.json", "b.json"], 2, /one history at a time/);
  expectFailure(["--priority", "cost", "history.json"], 2, /--priority is of no use for condense/);
});

test("a history is measured", () => {
  put("history.json", JSON.stringify(messages));
  const { code, report } = runJson(["recommend", "history.json", "--target", "50%", "--loss", "50"]);
  expect(code).toBe(0);
  expect(report.reason).toContain("measured on this conversation");
});

/** A terminal at which somebody answers. */
function terminal(lines) {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()].map((stream) => Object.assign(stream, { isTTY: true }));
  let shown = "";
  stdout.on("data", (chunk) => {
    shown += chunk;
    if (/does not matter\) $/.test(shown) && lines.length > 0) {
      const line = lines.shift();
      setImmediate(() => stdin.write(`${line}\n`));
    }
  });
  return { stdin, stdout, env: { NO_COLOR: "1" }, shown: () => shown };
}

test("at a terminal it asks", async () => {
  const settings = { file: undefined, answers: {}, color: "never" };
  const at = terminal(["5", "4", "", "nonsense", "presets"]);
  expect(await recommendProvider(library, settings, /** @type {any} */ (at))).toBe(0);
  expect(at.shown()).toContain("What matters most?");
  expect(at.shown()).toContain('"nonsense" is none of them');
  expect(at.shown()).toContain("contradiction: quality matters most, and budgetPerCondensation 0 pays for no model");
});
