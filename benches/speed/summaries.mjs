// How long summaries take that wait for a model: 60 of 300 ms each, 6 at once, against as long as that has to take.

import { createRequire } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";
import { anthropicEvents, startFakeLlm, stream, wait } from "../../__test__/llm/fake-llm.mjs";

const require = createRequire(import.meta.url);
const { callbackHandler, createSmartProvider, httpHandler } = require("../../index.js");

const SUMMARIES = 60;
const AT_ONCE = 6;
const ANSWER_MS = 300;

/** A task, and calls whose answers are too long to be asked for together. */
function history() {
  /** @type {import("roo-condense").Message[]} */
  const messages = [{ role: "user", content: "Look through the modules." }];
  for (let index = 0; index < SUMMARIES; index++) {
    const lines = Array.from({ length: 60 }, (_, line) => `export const value_${index}_${line} = compute(${line}, "module ${index}");`);
    messages.push({
      role: "assistant",
      content: [{ type: "tool_use", id: `t${index}`, name: "read_file", input: { path: `src/module_${index}.ts` } }],
    });
    messages.push({ role: "user", content: [{ type: "tool_result", tool_use_id: `t${index}`, content: lines.join("\n") }] });
  }
  messages.push({ role: "assistant", content: "Done." });
  return messages;
}

/** @type {import("roo-condense").SmartConfig} */
const config = {
  losslessPrelude: { enabled: false },
  maxConcurrency: AT_ONCE,
  passes: [
    {
      id: "each",
      selection: { type: "preserve_recent", keepRecentCount: 1 },
      mode: "individual",
      individualConfig: { defaults: { toolResults: { operation: "summarize" } } },
    },
  ],
};

/** Milliseconds that the summaries take with each kind of handler, as `[name, () => milliseconds]`, and `close`. */
export async function startSummaries() {
  const [first, ...others] = anthropicEvents(["A short summary."]);
  const server = await startFakeLlm(() => stream(first, wait(ANSWER_MS), ...others));
  const api = {
    async *createMessage() {
      await sleep(ANSWER_MS);
      yield { type: "text", text: "A short summary." };
    },
  };
  const provider = createSmartProvider(config);
  const measure = (handler) => async () => {
    const start = performance.now();
    const { error, changes } = await provider.condense({ messages: history() }, { handler });
    if (error || changes.length !== SUMMARIES) throw new Error(`${changes.length} of ${SUMMARIES} summaries: ${error?.message}`);
    return performance.now() - start;
  };
  return {
    calls: [
      [
        `${SUMMARIES} of ${ANSWER_MS} ms, ${AT_ONCE} at once, over HTTP`,
        measure(httpHandler({ api: "anthropic", model: "m", baseUrl: server.url, apiKey: "k" })),
      ],
      [`${SUMMARIES} of ${ANSWER_MS} ms, ${AT_ONCE} at once, by callback`, measure(callbackHandler(api))],
    ],
    close: server.close,
  };
}

/** Milliseconds that pass when nothing but the answers is waited for. */
export async function ideal() {
  const start = performance.now();
  for (let round = 0; round < SUMMARIES / AT_ONCE; round++) await sleep(ANSWER_MS);
  return performance.now() - start;
}
