// `roo-condense recommend`.

import { createRequire } from "node:module";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { advisedArguments } from "../../benches/advice.mjs";
import { buildHistory } from "../../fixtures/history.mjs";
import { expectFailure, library, put, run, runJson } from "./support.mjs";

const require = createRequire(import.meta.url);
const { recommendProvider } = require("../../js/cli/recommend-command.js");
const messages = buildHistory({ dialect: "claude-code", messages: 40, seed: 9 });

test("answers are options", () => {
  const { code, stdout, stderr } = run(["recommend", "--priority", "quality", "--budget", "0.02"]);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(/^pipeline \{"stages":\["lossless","truncation","native"\]\}\n {2}best for priority quality: the pipeline/);
  expect(stdout).toContain("Alternatives\n");
  const shown = stdout.replace(/\s+/g, " ");
  expect(shown).toContain(`Use it: roo-condense HISTORY --provider pipeline --config '{"stages":["lossless","truncation","native"]}'`);
  const { report } = runJson(["recommend", "--profile", "research_compliance", "--target", "10%"]);
  expect(report).toMatchObject({ provider: "lossless", exitCode: 0 });
  expect(report.warnings[0]).toMatchObject({ code: "contradiction" });
  expect(runJson(["recommend"]).report).toMatchObject({ provider: "lossless", config: {}, isDefault: true });
  expectFailure(["recommend", "--priority", "fast"], 2, /--priority must be one of simplicity, .*; got "fast"/);
  expectFailure(["recommend", "--priority", "qualty"], 2, /did you mean quality\?/);
  expectFailure(["recommend", "--scenario", "complience"], 2, /did you mean compliance\?/);
  expectFailure(["recommend", "--budget", "much"], 2, /--budget must be a number, 0 or more; got "much"/);
  expectFailure(["recommend", "a.json", "b.json"], 2, /recommend takes one history/);
  expectFailure(["--priority", "cost", "history.json"], 2, /condense has no flag --priority/);
});

test("a history is measured", () => {
  put("history.json", JSON.stringify(messages));
  const { code, report } = runJson(["recommend", "history.json", "--target", "50%", "--loss", "50"]);
  expect(code).toBe(0);
  expect(report.reason).toContain("tried on this conversation");
});

/** Ctrl+D. */
const END = Symbol("end");

/** A terminal at which somebody answers. */
function terminal(lines) {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()].map((stream) => Object.assign(stream, { isTTY: true }));
  let shown = "";
  stdout.on("data", (chunk) => {
    shown += chunk;
    if (!/(Enter to skip\)|or Enter to skip:) $/.test(shown) || lines.length === 0) return;
    const line = lines.shift();
    setImmediate(() => (line === END ? stdin.end() : stdin.write(`${line}\n`)));
  });
  return { stdin, stdout, env: { NO_COLOR: "1" }, shown: () => shown };
}

test("at a terminal it asks", async () => {
  const settings = { file: undefined, answers: {}, color: "never" };
  const at = terminal(["5", "4", "", "noting", "7", "1.5", "", "Presets"]);
  expect(await recommendProvider(library, settings, /** @type {any} */ (at))).toBe(0);
  expect(at.shown()).toContain("What matters most?");
  expect(at.shown()).toContain('"noting" is not a choice; did you mean nothing?; a number from 1 to 5, or Enter to skip: ');
  expect(at.shown()).toContain('"7" is not a choice; a number');
  expect(at.shown()).toContain('"1.5" is not a choice; a number');
  expect(at.shown().match(/How much information may be lost\?/g)).toHaveLength(1);
  expect(at.shown().replace(/\s+/g, " ")).toContain("contradiction: quality matters most, and budgetPerCondensation 0 pays for no model");
});

test("Ctrl+C ends it without an answer", async () => {
  const settings = { file: undefined, answers: {}, color: "never" };
  const at = terminal([]);
  at.stdout.on("data", (chunk) => /Enter to skip/.test(chunk) && setImmediate(() => at.stdin.write("\u0003")));
  await expect(recommendProvider(library, settings, /** @type {any} */ (at))).rejects.toMatchObject({
    exitCode: 130,
    message: "interrupted",
  });
  expect(at.shown()).not.toContain("native");
});

test("Ctrl+D ends the questions; what was answered counts", async () => {
  const settings = { file: undefined, answers: {}, color: "never" };
  const at = terminal(["2", END]);
  expect(await recommendProvider(library, settings, /** @type {any} */ (at))).toBe(0);
  expect(at.shown()).toMatch(
    /How much may one condensation cost\?.*Enter to skip\) \S*\nlossless \{"strict":true\}\n {2}best for priority zero_loss: lossless, strict/s,
  );
});

test("the command that it prints reaches what it promises", () => {
  put("long history.json", JSON.stringify(messages));
  const asked = [
    ["--target", "40%"],
    ["--window", "6000", "--recall"],
    ["--priority", "zero_loss", "--window", "3000"],
    ["--priority", "cost"],
  ];
  for (const answers of asked) {
    const { stdout } = run(["recommend", "long history.json", ...answers]);
    const [, left] = /it leaves (?:about )?([\d,]+) tokens/.exec(stdout.replace(/\s+/g, " ")) ?? [];
    const { code, report } = runJson(advisedArguments(stdout));
    expect([answers, code, report.tokens.after]).toEqual([answers, 0, Number(left?.replace(",", ""))]);
  }
});

test("the command that it prints leaves what it promises where the target is out of reach", () => {
  // The newest answer and its question stay whole until nothing else gives way.
  const whole = [...messages, { role: "user", content: "Go on. ".repeat(400) }, { role: "assistant", content: "I will. ".repeat(400) }];
  put("history.json", JSON.stringify(whole));
  const { stdout } = run(["recommend", "history.json", "--window", "4000", "--recall"]);
  const [, left] = /it leaves ([\d,]+) tokens/.exec(stdout.replace(/\s+/g, " ")) ?? [];
  const words = advisedArguments(stdout);
  expect(words.slice(-2)).toEqual(["--target", "400"]);
  const { code, report } = runJson(words);
  expect([code, report.tokens.after]).toEqual([6, Number(left?.replace(",", ""))]);
  expect(report.tokens.after).toBeGreaterThan(400);
});
