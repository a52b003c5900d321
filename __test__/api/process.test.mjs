// The package in processes and threads: they end by themselves, and memory does not grow.

import { spawnSync } from "node:child_process";
import { Worker } from "node:worker_threads";
import { describe, expect, test } from "vitest";
import { packageFile } from "./support.mjs";

/** What every program here begins with. */
const prelude = `
const api = require(${JSON.stringify(packageFile)});
const { CondensationManager, createTruncationProvider } = api;
function conversation(calls) {
  const messages = [{ role: "user", content: "Look." }];
  for (let index = 0; index < calls; index++) {
    messages.push({ role: "assistant", content: [{ type: "tool_use", id: "t" + index, name: "read_file", input: { path: "a" + index } }] });
    messages.push({ role: "user", content: [{ type: "tool_result", tool_use_id: "t" + index, content: "a line of what it said\\n".repeat(100) + index }] });
  }
  return messages;
}
`;

/** Runs a program in a new Node, which has to end by itself. */
function run(program, ...flags) {
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, [...flags, "-e", prelude + program], {
    encoding: "utf8",
    timeout: 50_000,
  });
  return { status, signal, stdout: stdout.trim(), stderr };
}

const printed = (stdout) => ({ status: 0, signal: null, stdout, stderr: "" });

describe("a process ends by itself", () => {
  test.each([
    ["when it has only loaded the package", "console.log(typeof api.version());", "string"],
    ["when it has made a manager and a provider", "new CondensationManager(); createTruncationProvider(); console.log('made');", "made"],
    [
      "when it has condensed",
      "new CondensationManager({ provider: 'truncation' }).condense({ messages: conversation(8) }, { onProgress() {} }).then(({ didCondense }) => console.log(didCondense));",
      "true",
    ],
    [
      "and not before a condensation is done, though nobody awaits it",
      "createTruncationProvider().condense({ messages: conversation(3000) }).then(({ didCondense }) => console.log(didCondense));",
      "true",
    ],
    ["when it has warmed up and counted", "api.warmUp().then(() => console.log(api.countTokens('hello world')));", "2"],
    [
      "when a provider of the host is registered",
      "new CondensationManager().registerProvider({ id: 'mine', condense() {} }); console.log('registered');",
      "registered",
    ],
    [
      "and not before a provider of the host is done",
      "const m = new CondensationManager(); m.registerProvider({ id: 'mine', condense: ({ messages }) => new Promise((done) => setTimeout(() => done({ messages: messages.slice(0, 1) }), 100)) }); m.condense({ messages: conversation(8) }, { provider: 'mine' }).then(({ didCondense }) => console.log(didCondense));",
      "true",
    ],
    [
      "when all that is left is a promise that is never kept",
      "const m = new CondensationManager(); m.registerProvider({ id: 'mine', condense: () => (console.log('asked'), new Promise(() => {})) }); m.condense({ messages: conversation(8) }, { provider: 'mine' }).then(() => console.log('never'));",
      "asked",
    ],
    [
      "with the result of an abort of such a promise",
      "const m = new CondensationManager(); m.registerProvider({ id: 'mine', condense: () => new Promise(() => {}) }); const c = new AbortController(); m.condense({ messages: conversation(8) }, { provider: 'mine', signal: c.signal }).then(({ error }) => console.log(error.code)); setTimeout(() => c.abort(), 50);",
      "aborted",
    ],
  ])("%s", (_, program, stdout) => {
    expect(run(program)).toEqual(printed(stdout));
  });

  test("by process.exit in the middle of a condensation", () => {
    expect(
      run(
        "const m = new CondensationManager({ provider: 'truncation' }); m.condense({ messages: conversation(3000) }); setTimeout(() => { console.log('out'); process.exit(0); }, 5);",
      ),
    ).toEqual(printed("out"));
  });

  test("whatever a host's listener or provider throws, nothing is unhandled", () => {
    const program = `
      process.on("unhandledRejection", () => console.log("unhandled"));
      process.on("uncaughtException", () => console.log("uncaught"));
      const m = new CondensationManager({ fallback: false });
      const boom = () => { throw new Error("boom"); };
      m.registerProvider({ id: "throws", condense: boom });
      m.registerProvider({ id: "rejects", condense: async () => boom() });
      m.registerProvider({ id: "odd", condense: () => Promise.reject(undefined) });
      const messages = conversation(8);
      const tries = [() => m.condense(), () => m.condense({}), () => m.preview(5), () => m.estimateCost(null), () => m.condenseIfNeeded({ messages }), () => m.condense({ messages }, { provider: "x" })];
      (async () => {
        let rejected = 0;
        for (const attempt of tries) await attempt().catch((error) => { rejected += typeof error.code === "string" ? 1 : 0; });
        const codes = [];
        for (const provider of ["throws", "rejects", "odd", "truncation"]) codes.push((await m.condense({ messages }, { provider, onProgress: boom })).error?.code);
        console.log(rejected, codes.join());
      })();`;
    expect(run(program)).toEqual(printed("6 provider_failed,provider_failed,provider_failed,"));
  });
});

describe("worker threads", () => {
  test("alone may load the package, one after the other", () => {
    const program = `
      const { Worker } = require("node:worker_threads");
      const code = 'const api = require(' + JSON.stringify(${JSON.stringify(packageFile)}) + '); api.createTruncationProvider().condense({ messages: [{ role: "user", content: "x" }] })';
      (async () => {
        for (let round = 0; round < 4; round++) {
          await new Promise((resolve, reject) => new Worker(code, { eval: true }).on("exit", resolve).on("error", reject));
        }
        console.log("ended");
      })();
    `;
    const { status, signal, stdout, stderr } = spawnSync(process.execPath, ["-e", program], { encoding: "utf8", timeout: 50_000 });
    expect({ status, signal, stdout: stdout.trim(), stderr }).toEqual(printed("ended"));
  });

  const work = `${prelude}
    const { parentPort, workerData } = require("node:worker_threads");
    const manager = new CondensationManager({ provider: "mine", fallback: ["truncation"] });
    manager.registerProvider({ id: "mine", condense: async () => { throw new Error("hand on"); } });
    (async () => {
      for (let round = 0; round < workerData.rounds; round++) {
        const messages = conversation(workerData.calls);
        const { error, didCondense, messages: condensed, restoreData } = await manager.condense({ messages }, { onProgress() {} });
        const ok = !error && didCondense && JSON.stringify(api.restore({ messages: condensed, restoreData })) === JSON.stringify(messages);
        parentPort.postMessage(ok ? api.countTokens(condensed) : String(error?.message));
      }
    })();`;
  const start = (workerData) => {
    const worker = new Worker(work, { eval: true, workerData });
    const said = [];
    worker.on("message", (message) => said.push(message));
    return { worker, said, ended: new Promise((resolve, reject) => worker.on("exit", resolve).on("error", reject)) };
  };

  test("four at once, one of them ended in the middle", async () => {
    const [endless, ...others] = [1e9, 5, 5, 5].map((rounds) => start({ rounds, calls: 60 }));
    await expect.poll(() => endless.said.length, { timeout: 30_000 }).toBeGreaterThan(0);
    expect(await endless.worker.terminate()).toBe(1);
    for (const { said, ended } of others) {
      expect(await ended).toBe(0);
      expect(said.length).toBe(5);
      expect(new Set(said).size).toBe(1);
      expect(said[0]).toBeTypeOf("number");
    }
  });

  test("ended while a long history is condensed, again and again", async () => {
    for (let round = 0; round < 5; round++) {
      const { worker } = start({ rounds: 1e9, calls: 3000 });
      await new Promise((resolve) => worker.on("online", resolve));
      await new Promise((resolve) => setTimeout(resolve, 40 * round));
      await worker.terminate();
    }
    const last = start({ rounds: 1, calls: 10 });
    expect(await last.ended).toBe(0);
    expect(last.said[0]).toBeTypeOf("number");
  });
});

test("memory does not grow over 2,000 condensations", { tags: ["long"] }, () => {
  const program = `
    const manager = new CondensationManager({ provider: "mine", fallback: ["truncation"] });
    manager.registerProvider({ id: "mine", condense: () => { throw new Error("x".repeat(1000)); } });
    const { signal } = new AbortController();
    const some = async (count) => {
      for (let index = 0; index < count; index++) {
        const messages = conversation(8);
        const result = await manager.condense({ messages }, { signal, onProgress() {} });
        if (!result.didCondense) throw new Error("nothing done");
        api.countTokens(messages);
      }
      for (let round = 0; round < 5; round++) { gc(); await new Promise((resolve) => setTimeout(resolve, 20)); }
      const { heapUsed, rss } = process.memoryUsage();
      return { heapUsed, rss };
    };
    (async () => {
      await some(800);
      const before = await some(200);
      const after = await some(2000);
      console.log(JSON.stringify({ heap: after.heapUsed - before.heapUsed, rss: after.rss - before.rss }));
    })();`;
  const { status, stdout, stderr } = run(program, "--expose-gc");
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  const grown = JSON.parse(stdout);
  console.info(`2,000 condensations: heap ${(grown.heap / 1e6).toFixed(1)} MB, resident ${(grown.rss / 1e6).toFixed(1)} MB more`);
  // A leak of the messages of each call (20 KB) would be 40 MB.
  expect(grown.heap).toBeLessThan(4e6);
  expect(grown.rss).toBeLessThan(40e6);
});
