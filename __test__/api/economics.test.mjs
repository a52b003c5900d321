// Deciding by money, from JavaScript.

import { expect, test } from "vitest";
import { CondensationManager, createTruncationProvider, restore } from "../../index.js";
import { toolWork } from "../llm/histories.mjs";

const price = { inputPrice: 3, outputPrice: 15, cacheWritesPrice: 3.75, cacheReadsPrice: 0.3 };
const usage = { totalTokens: 60_000, contextWindow: 200_000, taskId: "t" };
const cold = { msSinceLastRequest: 3_600_000 };
const messages = toolWork(30);

test("what pays is done and told, and restore undoes it", async () => {
  const manager = new CondensationManager();
  const result = await manager.condenseIfNeeded({ messages, ...usage }, { price, economics: cold });
  expect(result.decision).toMatchObject({
    condense: true,
    provider: "truncation",
    targetTokens: 40_000,
    code: "pays",
    warm: false,
    costs: 0,
  });
  expect(result.newContextTokens).toBeLessThanOrEqual(40_000);
  expect(result.decision.saves).toBeGreaterThan(0);
  expect(result.trigger.due).toBe(false);
  expect(restore(result)).toEqual(messages);
});

test("what does not pay is left", async () => {
  const result = await new CondensationManager().condenseIfNeeded({ messages, ...usage }, { price, economics: { expectedRequests: 2 } });
  expect(result).toMatchObject({
    didCondense: false,
    decision: { condense: false, code: "does_not_pay", warm: true, expectedRequests: 2 },
  });
  expect(result.messages).toEqual(messages);
});

test("decide() tells and changes nothing", async () => {
  const manager = new CondensationManager();
  const decision = await manager.decide({ messages, ...usage }, { price, economics: cold });
  expect(decision).toMatchObject({ condense: true, warm: false, warnings: [] });
  expect(decision.reason).toContain("the cache is cold");
  expect(manager.getMetrics().total.calls).toBe(0);
  expect(await manager.decide({ messages, ...usage })).toMatchObject({ condense: false, code: "price_unknown" });
});

test("a decision that fails says why", async () => {
  const manager = new CondensationManager();
  const signal = AbortSignal.abort();
  expect(await manager.decide({ messages, ...usage }, { price, economics: cold, signal })).toMatchObject({
    condense: false,
    error: { code: "aborted" },
  });
});

test("without economics the trigger decides as ever, and no decision is told", async () => {
  const result = await new CondensationManager().condenseIfNeeded({ messages, ...usage }, { price });
  expect(result.didCondense).toBe(false);
  expect(result).not.toHaveProperty("decision");
});

test.each([
  [{ clearAtLeast: -1 }, "economics.clearAtLeast"],
  [{ keep: "newest" }, "economics.keep"],
  [{ expected: 1 }, "economics.expected"],
  ["always", "economics"],
])("%j is refused", async (economics, place) => {
  const manager = new CondensationManager();
  const call = async () => manager.decide({ messages: [], ...usage }, { economics });
  await expect(call()).rejects.toThrow(place);
});

test("without a window nothing can be decided", async () => {
  const manager = new CondensationManager();
  const call = async () => manager.decide({ messages, totalTokens: 5 }, { price });
  await expect(call()).rejects.toThrow("contextWindow");
});

test("what a call of a provider itself freezes stays", async () => {
  const result = await createTruncationProvider().condense({ messages }, { targetTokens: 8000, frozenMessages: 9 });
  expect(result.didCondense).toBe(true);
  result.messages.slice(0, 9).forEach((message, index) => {
    expect(message).toBe(messages[index]);
  });
});
