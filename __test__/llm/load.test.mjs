// Many condensations through one manager: at once, and one after the other.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { CondensationManager, callbackHandler, httpHandler } from "../../index.js";
import { anthropicEvents, startFakeLlm, stream, wait } from "./fake-llm.mjs";
import { talk } from "./histories.mjs";

test("200 at once with a slow service", { timeout: 30_000 }, async () => {
  const server = await startFakeLlm((request) => {
    const name = /number (\d+)/.exec(JSON.stringify(request.body.messages))[1];
    const [start, ...rest] = anthropicEvents([`Summary ${name}.`]);
    return stream(start, wait(300), ...rest);
  });
  const handler = httpHandler({ api: "anthropic", model: "m", baseUrl: server.url, apiKey: "k", retries: 0 });
  const manager = new CondensationManager({ handler, fallback: false });
  const histories = Array.from({ length: 200 }, (_, number) => {
    const messages = talk(11);
    messages[2].content += ` number ${number}`;
    return messages;
  });
  const results = await Promise.all(histories.map((messages) => manager.condense({ messages })));
  results.forEach((result, number) => {
    expect(result.error).toBeUndefined();
    expect(result.summary).toBe(`Summary ${number}.`);
    expect(result.messages[0]).toBe(histories[number][0]);
  });
  // One after the other they would take a minute.
  expect(server.mostUnderWay).toBeGreaterThan(50);
  await server.close();
});

test("200 at once by callback, aborted halfway", async () => {
  const state = { started: 0, finished: 0 };
  const api = {
    async *createMessage() {
      state.started++;
      try {
        while (true) {
          await new Promise((resolve) => setTimeout(resolve, 10));
          yield { type: "text", text: "more " };
        }
      } finally {
        state.finished++;
      }
    },
  };
  const manager = new CondensationManager({ handler: callbackHandler(api) });
  const controller = new AbortController();
  const calls = Array.from({ length: 200 }, () => manager.condense({ messages: talk(9) }, { signal: controller.signal }));
  setTimeout(() => controller.abort(), 150);
  const results = await Promise.all(calls);
  expect(new Set(results.map(({ error }) => error?.code))).toEqual(new Set(["aborted"]));
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(state.started).toBe(200);
  expect(state.finished).toBe(200);
});

test("memory stays flat over 2,000", { tags: ["long"] }, () => {
  const program = fileURLToPath(new URL("./memory.mjs", import.meta.url));
  const { stdout, stderr, status } = spawnSync(process.execPath, ["--expose-gc", program], { encoding: "utf8", timeout: 110_000 });
  expect(stderr).toBe("");
  expect(status).toBe(0);
  const { settled, end, listeners } = JSON.parse(stdout);
  // The second thousand may not need more than the first did, but for what the allocator keeps.
  expect((end - settled) / 1024 / 1024).toBeLessThan(12);
  expect(listeners).toBe(0);
});
