// The command line: packages that have more or fail, passes and previews, terminals.

import { spawnSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "../../scripts/tools.mjs";
import { withShared } from "../shared.mjs";
import {
  copyOf,
  environment,
  expectFailure,
  fixture,
  folder,
  isWindows,
  library,
  main,
  put,
  readJson,
  run,
  runJson,
  snapshot,
} from "./support.mjs";

const require = createRequire(import.meta.url);
const { condensingSteps } = require("../../js/cli/condensing-steps.js");

describe("with a package that has more, or that fails", () => {
  /** A program that runs the command with the package, changed by `change`. */
  const programWith = (change) =>
    put(
      "program.cjs",
      `
const library = require(${JSON.stringify(path.join(root, "index.js"))});
const { run } = require(${JSON.stringify(path.join(root, "js", "cli", "run.js"))});
const { CondensationManager } = library;
const changed = { ...library };
(() => { ${change} })();
run(process.argv.slice(2), { loadLibrary: () => changed }).then((code) => { process.exitCode = code; });`,
    );

  const withModel = `
changed.httpHandler = (options) => ({ options });
changed.createSmartProvider = (preset) => ({ id: "smart", condense: async ({ messages }) => ({ messages: [messages[0], ...messages.slice(-3)], summary: preset, cost: 0.25 }) });
changed.presets = { balanced: {}, aggressive: {} };
changed.CondensationManager = class extends CondensationManager {
  constructor({ handler, ...options }) {
    super(options);
    if (handler) console.error(JSON.stringify(handler.options));
    this.registerProvider({ id: "native", condense: async ({ messages }) => ({ messages: [messages[0], ...messages.slice(-3)], summary: "short", cost: 0.5 }) });
  }
};`;

  test("--preset makes the smart provider; unknown presets are refused", () => {
    const file = programWith(withModel);
    const args = [fixture("claude-code"), "--preset", "balanced"];
    expect(runJson(args, { file }).report).toMatchObject({
      provider: "smart",
      preset: "balanced",
      summary: "balanced",
      cost: 0.25,
      didCondense: true,
    });
    expect(run(args, { file }).stdout).toMatch(/Provider: smart with the preset balanced[\s\S]*\nCost +\$0\.2500\n/);
    expectFailure([fixture("claude-code"), "--preset", "odd"], 2, /--preset must be one of conservative, .*; got "odd"/, { file });
  });

  test("--llm hands the key of the environment to httpHandler, and the native provider is asked", () => {
    const file = programWith(withModel);
    const args = [fixture("claude-code"), "--llm", "anthropic", "--model", "m-1"];
    const { code, stderr, report } = runJson(args, { file, env: { ANTHROPIC_API_KEY: "secret-1", OPENAI_API_KEY: "secret-2" } });
    expect(code).toBe(0);
    expect(JSON.parse(stderr)).toEqual({ api: "anthropic", model: "m-1", apiKey: "secret-1" });
    expect(report).toMatchObject({ provider: "native", cost: 0.5, summary: "short" });
    expectFailure([...args, "-o", "new.json"], 2, /the environment variable ANTHROPIC_API_KEY, which is not set/, { file });
    const local = [fixture("claude-code"), "--llm", "openai", "--model", "m-2", "--base-url", "http://localhost:11434/v1", "--json"];
    expect(JSON.parse(run(local, { file }).stderr)).toEqual({ api: "openai", model: "m-2", baseUrl: "http://localhost:11434/v1" });
  });

  test("without them, --preset and --llm say what is missing", () => {
    const file = programWith("delete changed.httpHandler; delete changed.createSmartProvider;");
    expectFailure([fixture("claude-code"), "--preset", "balanced"], 2, /has no smart provider/, { file });
    expectFailure(
      [fixture("claude-code"), "-o", "new.json", "--llm", "openai", "--model", "m"],
      2,
      /this build of roo-condense cannot call language models/,
      {
        file,
        env: { OPENAI_API_KEY: "k" },
      },
    );
  });

  const registering = (condense) => `changed.CondensationManager = class extends CondensationManager {
    constructor(options) { super(options); this.registerProvider({ id: "truncation", condense: ${condense} }); }
  };`;

  test("a provider that fails ends with 1, and nothing is written", () => {
    const input = copyOf("claude-code");
    const file = programWith(registering('async () => { throw new Error("no luck"); }'));
    expectFailure([input, "--provider", "truncation", "--in-place"], 1, /provider "truncation" failed: no luck/, { file });
  });

  test("a fault of our own ends with 1, without a stack unless it is asked for", () => {
    const file = programWith("changed.validateMessages = () => { throw new Error('oops'); };");
    expectFailure([fixture("claude-code")], 1, /internal error: oops; please report it/, { file });
    expect(run([fixture("claude-code")], { file, env: { ROO_CONDENSE_DEBUG: "1" } }).stderr).toMatch(/^\s+at /m);
  });

  test("a file that another program changed meanwhile is left alone", () => {
    const input = copyOf("claude-code");
    const file = programWith(
      registering(
        `async ({ messages }) => { require("node:fs").appendFileSync(${JSON.stringify(input)}, " "); return { messages: [messages[0], ...messages.slice(-1)] }; }`,
      ),
    );
    const { code, stderr } = run([input, "--provider", "truncation", "--in-place"], { file });
    expect(code).toBe(7);
    expect(stderr).toMatch(/another program wrote to it meanwhile/);
    expect(readFileSync(input, "utf8")).toBe(`${readFileSync(fixture("claude-code"), "utf8")} `);
    expect(readdirSync(folder).sort()).toEqual(["history.json", "program.cjs"]);
  });

  test("a disk that fills up leaves the file, and neither backup nor temporary file", () => {
    const input = copyOf("claude-code");
    const file = programWith(`const fs = require("node:fs"); 
      fs.renameSync = (from, to) => { throw Object.assign(new Error("full"), { code: "ENOSPC" }); };`);
    expectFailure([input, "--in-place"], 7, /the disk is full/, { file });
    expectFailure([input, "--out", put("there.json", "mine"), "--force"], 7, /the disk is full/, { file });
  });

  test("a file that appeared meanwhile is not replaced", () => {
    const input = copyOf("claude-code");
    const file = programWith(
      registering(
        `async ({ messages }) => { require("node:fs").writeFileSync("new.json", "mine"); return { messages: [messages[0], ...messages.slice(-1)] }; }`,
      ),
    );
    expect(run([input, "--provider", "truncation", "--out", "new.json"], { file })).toMatchObject({
      code: 7,
      stderr: expect.stringMatching(/exists already/),
    });
    expect(readFileSync(path.join(folder, "new.json"), "utf8")).toBe("mine");
  });

  test.skipIf(isWindows)("an interruption ends with 130, and nothing is written", () => {
    const input = copyOf("claude-code");
    const file = programWith(
      registering(`async ({ messages }) => {
      process.kill(process.pid, "SIGINT");
      await new Promise((resolve) => setTimeout(resolve, 200));
      return { messages: [messages[0], ...messages.slice(-1)] };
    }`),
    );
    expectFailure([input, "--provider", "truncation", "--in-place"], 130, /interrupted; nothing was written/, { file });
  });
});

describe("passes and previews", () => {
  const file = fixture("claude-code");
  const price = JSON.stringify({ inputPrice: 3, outputPrice: 15, cacheWritesPrice: 3.75, cacheReadsPrice: 0.3 });
  const model = {
    args: ["--llm", "anthropic", "--model", "claude-test", "--base-url", "http://127.0.0.1:9"],
    env: { ANTHROPIC_API_KEY: "k" },
  };

  test("the report shows what each pass did, or why it did not run", () => {
    const { code, stdout } = run([file, "--preset", "aggressive"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/\nPasses +before +after +saved\n {2}lossless_prelude( +[\d,]+){3} +\d+\.\d%\n/);
    expect(stdout).toMatch(/\n {2}emergency-llm +not run\n {6}[\d,]+ tokens are not more than its threshold of 30,000\n/);
    expect(stdout.split("\n").filter((line) => line.length > 80 || /\s$/.test(line))).toEqual([]);
    const { passes, promptCache } = runJson([file, "--preset", "aggressive"]).report;
    expect(passes.map(({ id }) => id)).toEqual(expect.arrayContaining(["lossless_prelude", "suppress-ancient", "truncate-middle"]));
    expect(promptCache.rewrittenTokens).toBeGreaterThan(0);
  });

  test("--preview asks nobody, writes nothing, and says what it would cost", () => {
    const before = snapshot();
    const { code, stdout, stderr } = run([file, "--preset", "balanced", "--preview", "--price", price, ...model.args], { env: model.env });
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/\n {2}llm-quality +[\d,]+ +~[\d,]+ +~[\d,]+ +\d+\.\d%\n {6}~\$0\.\d+\n/);
    expect(stdout).toMatch(/\nPrompt cache\n {2}first changed message +\d+ +of \d+\n/);
    expect(stdout).toMatch(/ {2}to be rewritten +[\d,]+ +tokens, for \$0\.\d+\n {2}The next request costs \$/);
    expect(stdout).toMatch(/\nExamples\n {2}message \d+: /);
    expect(stdout).toMatch(/\(what\s+a\s+model\s+would\s+write\s+here,\s+about\s+\d+\s+tokens\)/);
    expect(stdout).toMatch(/\nCost, estimated +\$0\.\d+\n/);
    expect(stdout).toMatch(
      /[\d,]+ -> about [\d,]+ tokens, \d+\.\d% fewer\.\nThis was a dry run: no language model was called, and nothing was written\.\n$/,
    );
    expect(stdout.split("\n").filter((line) => line.length > 80 || /\s$/.test(line))).toEqual([]);
    expect(snapshot()).toEqual(before);
  });

  test("--preview --json has the same for programs", () => {
    const { report } = runJson([file, "--preset", "conservative", "--preview"]);
    expect(report).toMatchObject({ wouldCondense: true, provider: "smart", output: null });
    expect(report).not.toHaveProperty("didCondense");
    expect(report.samples.length).toBeGreaterThan(0);
    expect(report.tokens.after).toBe(runJson([file, "--preset", "conservative"]).report.tokens.after);
    expect(run([file, "--preview"]).stdout).toMatch(/\nThis was a dry run: no language model was called, and nothing was written\.\n$/);
    expect(run([file, "--preview", "--target", "90%", "--provider", "lossless"]).code).toBe(0);
    expect(run([file, "--preview", "--target", "5"]).code).toBe(6);
  });

  test("the bar tells of passes, summaries and retries", () => {
    const told = [];
    const listener = condensingSteps((label, share) => told.push(`${label} ${share.toFixed(2)}`));
    const event = (phase, done, total, extra) => listener({ phase, providerId: "smart", done, total, ...extra });
    event("counting", 0, 1);
    event("condensing", 0, 2);
    event("prelude", 0, 2);
    event("pass", 0, 2, { passId: "a" });
    event("summarizing", 5, 10, { passId: "a" });
    event("retrying", 1, 4, { passId: "a", waitMs: 1500, code: "llm_overloaded" });
    event("pass", 1, 2, { passId: "a" });
    event("pass", 1, 2, { passId: "b" });
    event("summarizing", 0, 1);
    event("condensing", 1, 2, { providerId: "native" });
    event("done", 1, 1);
    expect(told).toEqual([
      "condensing (smart) 0.00",
      "lossless prelude 0.00",
      "pass a 0.00",
      "pass a, summaries: 5 of 10 0.20",
      "attempt 1 of 4 failed (llm_overloaded), next in 1.5 s 0.20",
      "pass a 0.40",
      "pass b 0.40",
      "waiting for the summary 0.40",
      "condensing (native) 0.80",
    ]);
  });
});

describe("on a terminal", () => {
  // `script` of util-linux gives a program a terminal; that of other systems takes other arguments.
  const hasScript =
    process.platform === "linux" && /util-linux/.test(spawnSync("script", ["--version"], { encoding: "utf8" }).stdout ?? "");

  const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
  function runOnTerminal(args, env = {}) {
    const command = `stty cols 80; ${[process.execPath, main, ...args].map(quoted).join(" ")}`;
    return spawnSync("script", ["--quiet", "--return", "--command", command, "/dev/null"], {
      cwd: folder,
      env: { ...environment, TERM: "xterm", ...env },
      encoding: "utf8",
      timeout: 150_000,
      stdio: ["ignore", "pipe", "pipe"],
    });
  }

  test.skipIf(!hasScript)("colours, unless NO_COLOR is set or the terminal has none", () => {
    expect(runOnTerminal([fixture("claude-code")])).toMatchObject({ status: 0, stdout: expect.stringContaining("\u001b[1mTokens") });
    for (const env of [{ NO_COLOR: "1" }, { TERM: "dumb" }])
      expect(runOnTerminal([fixture("claude-code")], env).stdout).not.toMatch(/\u001b\[\d+m/);
  });

  test.skipIf(!hasScript)("a bar on long work, which goes away; none with --no-progress", () => {
    const messages = Array.from({ length: 3000 }, (_, index) => ({
      role: index % 2 ? "assistant" : "user",
      content: `${index}: some words of a long conversation. `.repeat(50),
    }));
    put("long.json", JSON.stringify(messages));
    const { status, stdout } = runOnTerminal(["long.json", "--no-progress"]);
    expect(status).toBe(0);
    expect(stdout).not.toMatch(/\[[#-]{20}\]/);
    const shown = runOnTerminal(["long.json"]).stdout;
    expect(shown).toMatch(/\r\[#+-+\] counting tokens \d+\.\d s\u001b\[K/);
    expect(shown).toMatch(/\r\[#+-+\] condensing \(lossless\) \d+\.\d s\u001b\[K/);
    // The last one is wiped before the report begins.
    expect(shown).toMatch(/\r\u001b\[K(\u001b\[1m)?long\.json: /);
    // A target that is missed is told once.
    expect(runOnTerminal(["long.json", "--target", "5", "--no-progress"]).stdout.match(/cannot be reached/g)).toHaveLength(1);
  });
});

withShared("corpus", (corpus) => {
  test("on real histories, reports add up and what is written restores", { tags: ["long"] }, () => {
    const files = readdirSync(corpus).filter((name) => name.endsWith(".json"));
    for (const name of files.filter((_, index) => index % 4 === 0)) {
      const { code, report } = runJson([path.join(corpus, name), "--target", "40%", "--out", `out-${name}`, "--messages"]);
      expect([name, code]).toEqual([name, 0]);
      const kinds = Object.values(report.tokens.byKind);
      expect(kinds.reduce((sum, kind) => sum + kind.before, 0)).toBe(report.tokens.before);
      const written = readJson(path.join(folder, `out-${name}`));
      const { messages, ...rest } = readJson(path.join(corpus, name));
      expect(written).toEqual({ ...rest, messages: report.messages });
      expect(library.countTokens(written.messages)).toBe(report.tokens.after);
      expect(library.restore({ messages: written.messages, restoreData: report.restoreData })).toEqual(messages);
    }
  });
});

describe("a strategy without --llm", () => {
  test("does without a model where it can, and says so in words of the command line", () => {
    const { report } = runJson([fixture("claude-code"), "--provider", "adaptive", "--target", "40%"]);
    const about = report.warnings.filter(({ errorCode }) => errorCode === "handler_invalid");
    expect(about).toMatchObject([
      { code: "provider_failed", message: "this needs a language model: name it with --llm API --model MODEL" },
    ]);
    expect(report.didCondense).toBe(true);
  });
});
