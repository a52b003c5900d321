"use strict";

// Makes calls of the package on the addon that ROO_CONDENSE_BINARY names, and tells what came of each, in JSON. In a worker it is given the calls as
// `workerData.calls`; as a program it makes those of `calls.cjs` and writes a line for each.

const { readFileSync } = require("node:fs");
const process = require("node:process");
const { parentPort, workerData } = require("node:worker_threads");
const api = require("../../index.js");
const { callsOfAll } = require("./calls.cjs");

/** A model that says the same to the same question, and counts for itself. */
const answering = () => ({
  async *createMessage(_system, messages) {
    const asked = messages.map(({ content }) => (typeof content === "string" ? content : JSON.stringify(content))).join("\n");
    yield { type: "text", text: `A summary of ${asked.length} characters: ${asked.slice(0, 200).replaceAll(/\s+/g, " ")}` };
    yield { type: "usage", inputTokens: Math.ceil(asked.length / 4), outputTokens: 60 };
  },
  getModel: () => ({ id: "a-model", info: { contextWindow: 200_000, inputPrice: 3, outputPrice: 15 } }),
});

/** What took time, or when it was, is another each time. */
const TIMES = /(Ms|timeElapsed|tokensPerSecond|timestamp|startedAt)$/;
const told = (value) => JSON.stringify(value, (key, each) => (TIMES.test(key) ? 0 : each));

async function resultOf({ kind, messages, provider, config, options, model }) {
  if (kind === "count") return [api.countTokens(messages), api.countTokens(messages, { encoding: "cl100k_base", scale: "claude" })];
  if (kind === "validate") return api.validateMessages(messages);
  if (kind === "expand") return api.expand(messages);
  if (kind === "inspect") return api.inspect({ messages, contextWindow: 100_000 }, { providers: true });
  const handler = model ? { handler: api.callbackHandler(answering()) } : {};
  const manager = new api.CondensationManager({ provider, ...handler });
  if (kind === "preview") return manager.preview({ messages }, { config, ...options });
  const result = await manager.condense({ messages }, { config, ...options });
  const again = api.restore(result);
  return { ...result, restored: JSON.stringify(again) === JSON.stringify(messages), metrics: manager.getMetrics() };
}

async function make({ file, ...call }) {
  const read = JSON.parse(readFileSync(file, "utf8"));
  try {
    return told(await resultOf({ ...call, messages: Array.isArray(read) ? read : read.messages }));
  } catch ({ code, message }) {
    return told({ thrown: code, message });
  }
}

(async () => {
  const results = [];
  for (const call of parentPort ? workerData.calls : callsOfAll()) {
    const result = await make(call);
    if (parentPort) results.push(result);
    else process.stdout.write(`${result}\n`);
  }
  parentPort?.postMessage(results);
})();
