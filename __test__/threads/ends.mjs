// Worker threads that end while the addon works for them: at random moments, in each of the ways a worker can end, with conversations of 0.1 to
// 50 MB. If the process lives to the end, it says how many there were.
//
//   node __test__/threads/ends.mjs [--count 1000] [--seed 1] [--at-once 4] [--most 50]

import { createServer } from "node:http";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads";

const WAYS = ["throw", "exit", "terminate"];
/** What a worker is doing when it ends. */
const KINDS = ["lossless", "truncation", "smart", "preview", "provider", "callback", "http", "store", "count", "many"];
const MOST_DELAY_MS = 60;

/** Random numbers from 0 to 1 (mulberry32), the same for the same seed. */
function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A conversation whose JSON has about so many megabytes. */
function conversation(megabytes) {
  const text = Array.from({ length: 2000 }, (_, line) => `line ${line} of what the tool had to say`).join("\n");
  const messages = [{ role: "user", content: "Look." }];
  for (let bytes = 0, id = 0; bytes < megabytes * 1e6; bytes += text.length, id++) {
    messages.push({ role: "assistant", content: [{ type: "tool_use", id: `t${id}`, name: "read_file", input: { path: `a${id}` } }] });
    messages.push({ role: "user", content: [{ type: "tool_result", tool_use_id: `t${id}`, content: `${id}\n${text}` }] });
  }
  return messages;
}

/** Begins work that nobody waits for. */
async function begin({ kind, megabytes, url }) {
  const { default: api } = await import("../../index.js");
  const messages = conversation(kind === "many" ? megabytes / 10 : megabytes);
  const slow = {
    async *createMessage() {
      for (let part = 0; ; part++) {
        await new Promise((resolve) => setTimeout(resolve, 5));
        yield { type: "text", text: `part ${part}` };
      }
    },
    countTokens: () => new Promise((resolve) => setTimeout(resolve, 5, 100)),
  };
  const quiet = (result) => void result.catch(() => {});
  const onProgress = () => {};
  switch (kind) {
    case "lossless":
      return quiet(api.createLosslessProvider().condense({ messages }, { onProgress }));
    case "truncation":
      return quiet(api.createTruncationProvider().condense({ messages }, { targetTokens: 1000, onProgress }));
    case "smart":
      return quiet(api.createSmartProvider("balanced").condense({ messages }, { handler: slow }));
    case "preview":
      return quiet(new api.CondensationManager({ provider: "smart" }).preview({ messages }));
    case "provider": {
      const manager = new api.CondensationManager();
      manager.registerProvider({
        id: "own",
        condense: () => new Promise((resolve) => setTimeout(resolve, 10, { messages: messages.slice(0, 1) })),
      });
      return quiet(manager.condense({ messages }, { provider: "own" }));
    }
    case "callback":
      return quiet(new api.CondensationManager({ handler: slow }).condense({ messages }));
    case "http":
      return quiet(
        api
          .createNativeProvider()
          .condense({ messages }, { handler: api.httpHandler({ api: "openai", model: "m", baseUrl: url, contextWindow: 100_000_000 }) }),
      );
    case "store": {
      const wait = () => new Promise((resolve) => setTimeout(resolve, 5));
      return quiet(new api.CondensationManager({ handler: slow, cache: { get: wait, set: wait } }).condense({ messages }));
    }
    case "count":
      quiet(api.warmUp());
      return api.countTokens(messages);
    default:
      for (let call = 0; call < 10; call++) quiet(api.createLosslessProvider().condense({ messages }));
  }
}

async function work({ way, delay, ...what }) {
  await begin(what);
  parentPort.postMessage("begun");
  const end = () => {
    if (way === "throw") throw new Error("on purpose");
    if (way === "exit") process.exit();
  };
  // In the same turn, so that the very beginning is met too; or later.
  if (delay === 0) end();
  else setTimeout(end, delay);
}

/** One worker from its beginning to its end. Resolves to what went wrong with it, if anything did. */
function one(what) {
  return new Promise((resolve) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: what });
    let failure;
    worker.on("message", () => what.way === "terminate" && setTimeout(() => worker.terminate(), what.delay));
    worker.on("error", (error) => {
      if (error.message !== "on purpose") failure = error;
    });
    worker.on("exit", () => resolve(failure));
  });
}

async function main() {
  const { values } = parseArgs({
    options: { count: { type: "string" }, seed: { type: "string" }, "at-once": { type: "string" }, most: { type: "string" } },
  });
  const { count = "1000", seed = "1", "at-once": atOnce = `${availableParallelism() * 2}`, most = "50" } = values;
  // Takes a question and never answers.
  const server = createServer(() => {}).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const next = random(Number(seed));
  const pick = (list) => list[Math.floor(next() * list.length)];
  const ends = Array.from({ length: Number(count) }, () => ({
    way: pick(WAYS),
    kind: pick(KINDS),
    megabytes: 0.1 * (Number(most) / 0.1) ** next(),
    delay: next() < 0.3 ? 0 : Math.floor(next() * MOST_DELAY_MS),
    url: `http://127.0.0.1:${port}/v1`,
  }));
  const failures = [];
  const queue = [...ends];
  const lane = async () => {
    for (let what = queue.shift(); what; what = queue.shift()) {
      const failure = await one(what);
      if (failure) failures.push({ ...what, failure: failure.stack });
    }
  };
  await Promise.all(Array.from({ length: Number(atOnce) }, lane));
  server.closeAllConnections();
  server.close();
  if (failures.length > 0) console.error(failures);
  console.log(`${ends.length - failures.length} of ${ends.length} workers ended`);
  process.exitCode = failures.length > 0 ? 1 : 0;
}

if (isMainThread) await main();
else await work(workerData);
