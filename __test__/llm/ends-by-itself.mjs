// A program that uses handlers of all kinds, leaves some of them hanging, and has to end by itself. Nothing here calls process.exit().

import { CondensationManager, callbackHandler, httpHandler } from "../../index.js";
import { CUT, HANG, anthropicEvents, startFakeLlm, stream } from "./fake-llm.mjs";
import { talk } from "./histories.mjs";

const scripts = [
  stream(...anthropicEvents(["Summary."])),
  stream(CUT),
  stream(HANG),
  stream(...anthropicEvents(["Half"]).slice(0, 4), HANG),
];
const server = await startFakeLlm((_, index) => scripts[index % scripts.length]);
const http = httpHandler({ api: "anthropic", model: "m", baseUrl: server.url, apiKey: "k", retries: 0, idleTimeoutMs: 100 });
const stuck = callbackHandler({ createMessage: () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) }) });
const fine = callbackHandler({
  async *createMessage() {
    yield { type: "text", text: "Summary." };
  },
});
const store = { get: () => new Promise(() => {}), set: () => {} };

const codes = [];
const manager = new CondensationManager({ handler: http, condensingHandler: undefined, fallback: false, cache: false });
for (let call = 0; call < scripts.length; call++) codes.push((await manager.condense({ messages: talk(9) })).error?.code ?? "ok");
codes.push((await manager.condense({ messages: talk(9) }, { handler: stuck, signal: AbortSignal.timeout(50) })).error.code);
codes.push(
  (await new CondensationManager({ handler: fine, cache: store, fallback: false }).condense({ messages: talk(9) })).error?.code ?? "ok",
);
await server.close();
console.log(codes.join(" "), "done");
