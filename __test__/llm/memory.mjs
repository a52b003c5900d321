// 2,000 condensations, over HTTP and by callback, some of which fail; prints the memory held halfway and at the end, in bytes.

import { getEventListeners } from "node:events";
import { CondensationManager, callbackHandler, httpHandler } from "../../index.js";
import { anthropicEvents, json, startFakeLlm, stream } from "./fake-llm.mjs";
import { talk } from "./histories.mjs";

const server = await startFakeLlm((_, index) => {
  server.requests.length = 0;
  return index % 10 === 0 ? json(400, { error: { message: "no" } }) : stream(...anthropicEvents(["A summary. ".repeat(100)]));
});
const http = httpHandler({ api: "anthropic", model: "m", baseUrl: server.url, apiKey: "k", retries: 0 });
const callback = callbackHandler({
  async *createMessage() {
    yield { type: "text", text: "A summary. ".repeat(100) };
    if (Math.random() < 0.1) throw new Error("x".repeat(10_000));
    yield { type: "usage", inputTokens: 1, outputTokens: 1 };
  },
});
// A small store: what is kept on purpose is not what is measured.
const manager = new CondensationManager({ cache: false });
const { signal } = new AbortController();

async function rounds(count) {
  for (let round = 0; round < count; round += 20) {
    await Promise.all(
      Array.from({ length: 20 }, (_, index) => manager.condense({ messages: talk(41) }, { handler: index % 2 ? http : callback, signal })),
    );
  }
  for (let turn = 0; turn < 5; turn++) {
    globalThis.gc();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return process.memoryUsage.rss();
}

await rounds(200);
const settled = await rounds(900);
const end = await rounds(900);
console.log(JSON.stringify({ settled, end, listeners: getEventListeners(signal, "abort").length }));
await server.close();
