// The WebAssembly build says the same as the native addon, byte for byte. Both work in worker threads.

import { readFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { Worker } from "node:worker_threads";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { readJson, root, wasmAddon } from "../../scripts/tools.mjs";
import { callsOf, fixtures } from "../parity/calls.cjs";

const resultsOn = (binary, list) =>
  new Promise((resolve, reject) => {
    const env = { ...process.env, ROO_CONDENSE_BINARY: binary };
    const worker = new Worker(new URL("../parity/make-calls.cjs", import.meta.url), { workerData: { calls: list }, env });
    worker.on("message", resolve).on("error", reject);
  });

const native = /** @type {string} */ (process.env.ROO_CONDENSE_BINARY);

describe("the same calls, natively and as WebAssembly", () => {
  test.each(fixtures)("%s", async (name) => {
    const list = callsOf(name);
    const [wanted, found] = await Promise.all([resultsOn(native, list), resultsOn(wasmAddon, list)]);
    // One after the other: what differs is seen with the call that it is of.
    list.forEach((call, index) => expect({ call, result: found[index] }).toEqual({ call, result: wanted[index] }));
    const condensed = wanted.map((json) => JSON.parse(json)).filter((result) => result.didCondense);
    if (name !== "odd-shapes.json") expect(condensed.length).toBeGreaterThan(2);
    for (const result of condensed) expect(result.restored).toBe(true);
  });
});

describe("the WebAssembly build", () => {
  const inProcess = (work) =>
    new Promise((resolve, reject) => {
      const program = `
const { parentPort, workerData } = require("node:worker_threads");
const api = require(workerData);
(${work})(api).then((found) => parentPort.postMessage(found));`;
      const env = { ...process.env, ROO_CONDENSE_BINARY: wasmAddon };
      const worker = new Worker(program, { eval: true, env, workerData: path.join(root, "index.js") });
      worker.on("message", resolve).on("error", reject);
    });

  test("takes at most 4 MB compressed, with its JavaScript", () => {
    const files = ["roo-condense.wasm", "index.cjs"].map((name) => readFileSync(path.join(path.dirname(wasmAddon), name)));
    expect(files.reduce((sum, bytes) => sum + gzipSync(bytes, { level: 9 }).length, 0)).toBeLessThan(4e6);
  });

  test("has the version of the package, and says so", async () => {
    expect(await inProcess("async (api) => api.version()")).toBe(readJson(path.join(root, "package.json")).version);
    expect(readJson(path.join(root, "wasm", "package.json")).version).toBe(readJson(path.join(root, "package.json")).version);
  });

  test("refuses handlers over HTTP, which need a socket", async () => {
    const work = `async (api) => {
      try {
        api.httpHandler({ api: "openai", model: "a-model", apiKey: "a key" });
      } catch ({ code, message }) {
        return { code, message };
      }
    }`;
    const { code, message } = await inProcess(work);
    expect(code).toBe("needs_socket");
    expect(message).toContain("callbackHandler");
  });

  test("hears of a signal while a model is asked", async () => {
    const work = `async (api) => {
      const waiting = { async *createMessage() { await new Promise(() => {}); yield {}; }, getModel: () => ({ id: "slow", info: { contextWindow: 200000 } }) };
      const manager = new api.CondensationManager({ provider: "native", handler: api.callbackHandler(waiting), fallback: false });
      const messages = Array.from({ length: 40 }, (_, index) => ({ role: index % 2 ? "assistant" : "user", content: "word ".repeat(200) + index }));
      const abort = new AbortController();
      setTimeout(() => abort.abort(), 50);
      const alive = setInterval(() => {}, 1000);
      const result = await manager.condense({ messages }, { signal: abort.signal });
      clearInterval(alive);
      return { code: result.error?.code, same: result.messages === messages };
    }`;
    expect(await inProcess(work)).toEqual({ code: "aborted", same: true });
  });

  test("keeps no process up when nothing is waited for", async () => {
    const work = "async (api) => (await new api.CondensationManager({ provider: 'lossless' }).condense({ messages: [] })).didCondense";
    expect(await inProcess(work)).toBe(false);
  });
});
