// A missed target is said by the count that decides the totals: the handler's own, where it has one.

import { createRequire } from "node:module";
import { describe, expect, test } from "vitest";
import { buildHistory } from "../../fixtures/history.mjs";

const require = createRequire(import.meta.url);
const {
  CondensationManager,
  callbackHandler,
  countTokens,
  createLosslessProvider,
  createNativeProvider,
  createSmartProvider,
  createTruncationProvider,
} = require("../../index.js");

const messages = buildHistory({ dialect: "claude-code", messages: 60, seed: 4 });
const TARGET = 1260;

/** A handler that counts `factor` times what is counted locally, and writes a summary. */
const handlerOf = (factor) =>
  callbackHandler({
    async *createMessage() {
      yield { type: "text", text: "A summary." };
      yield { type: "usage", inputTokens: 10, outputTokens: 3 };
    },
    countTokens: async (blocks) => Math.round(factor * countTokens(blocks)),
    getModel: () => ({ id: "model", info: { contextWindow: 200_000 } }),
  });

const missed = ({ warnings }) => warnings.filter(({ code }) => code === "target_not_met");
const left = (result, factor) => factor * countTokens(result.messages);

const providers = [
  ["truncation", () => createTruncationProvider()],
  ["a window", () => createTruncationProvider({ mode: "window" })],
  ["lossless", () => createLosslessProvider()],
  ["smart", () => createSmartProvider("aggressive")],
  ["native", () => createNativeProvider()],
];

describe.each([1, 3, 0.3])("a handler that counts %f times as many", (factor) => {
  const check = (result, target) => {
    const tokens = left(result, factor);
    expect(missed(result).length, `${tokens} of ${target}: ${JSON.stringify(result.warnings)}`).toBe(tokens > target + 1 ? 1 : 0);
    if (result.didCondense) expect(Math.abs(result.stats.finalTokens - tokens)).toBeLessThanOrEqual(2);
    if (tokens > target + 1) expect(missed(result)[0].message).toContain(`${target}`);
  };

  test.each(providers)("%s by itself", async (_, create) => {
    for (const targetTokens of [TARGET, 5000, 40_000]) {
      const result = await create().condense({ messages }, { targetTokens, handler: handlerOf(factor) });
      if (!result.error) check(result, targetTokens);
    }
  });

  test.each(["truncation", "lossless", "smart", "native"])("a manager with %s", async (provider) => {
    for (const targetTokens of [TARGET, 5000, 40_000]) {
      const manager = new CondensationManager({ provider, handler: handlerOf(factor) });
      const result = await manager.condense({ messages }, { targetTokens });
      if (!result.error) check(result, targetTokens);
    }
  });

  test("nothing to condense, and still too much", async () => {
    const few = [{ role: "user", content: "word ".repeat(400) }];
    const result = await createTruncationProvider().condense({ messages: few }, { targetTokens: 500, handler: handlerOf(factor) });
    expect(result.didCondense).toBe(false);
    expect(missed(result).length).toBe(factor * countTokens(few) > 500 ? 1 : 0);
  });

  test("what the trigger allows is compared with what the handler counts", async () => {
    const tokens = Math.round(factor * countTokens(messages));
    const manager = new CondensationManager({ provider: "truncation", handler: handlerOf(factor) });
    const context = { messages, totalTokens: tokens, contextWindow: Math.round(tokens / 0.7), maxTokens: Math.round(tokens * 0.5) };
    const result = await manager.condenseIfNeeded(context);
    expect(result.trigger.due).toBe(true);
    expect(result.didCondense).toBe(true);
    expect(missed(result)).toEqual([]);
  });
});

test("a preview asks nobody", async () => {
  const never = callbackHandler({
    async *createMessage() {
      throw new Error("asked");
    },
    countTokens: () => {
      throw new Error("counted");
    },
    getModel: () => ({ id: "model", info: {} }),
  });
  const preview = await createTruncationProvider().preview({ messages }, { targetTokens: TARGET, handler: never });
  expect(preview.warnings.map(({ code }) => code)).not.toContain("count_tokens_failed");
});
