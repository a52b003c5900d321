// Numbers stay numbers whatever a host or a service reports: JSON has none for NaN and infinity, and would say null.

import { describe, expect, test } from "vitest";
import { api, conversation } from "./support.mjs";

const { CondensationManager } = api;
const messages = conversation(12);
const ODD = [NaN, Infinity, -Infinity, -1, 0, 1.5, 1e308, Number.MAX_SAFE_INTEGER, Number.MIN_VALUE, "5", null, undefined, {}];

/** Where a value has something that is neither a number nor anything else: the paths of every null and every number that is not finite. */
function holes(value, path = "") {
  if (value === null || (typeof value === "number" && !Number.isFinite(value))) return [path];
  if (typeof value !== "object") return [];
  return Object.entries(value).flatMap(([name, inner]) => holes(inner, `${path}.${name}`));
}

/** What may be null: a change of a whole message has no block, a sample of one that was dropped nothing after it. */
const allowed = /^\.changes\.\d+\.blockIndex$|^\.samples\.\d+\.(before|after)$|^\.restoreData/;
const unexpected = (result) => holes({ ...result, messages: [] }).filter((path) => !allowed.test(path));

const hostWith = (usage, more = {}) => ({
  ...more,
  async *createMessage() {
    yield { type: "text", text: "What was said." };
    yield { type: "usage", ...usage };
  },
});

describe.each(ODD.map((odd) => [odd]))("%s", (odd) => {
  const prices = { inputPrice: odd, outputPrice: odd, cacheReadsPrice: odd, cacheWritesPrice: odd };
  const info = { ...prices, contextWindow: odd, maxTokens: odd, longContextPricing: { thresholdTokens: 1, inputPriceMultiplier: odd } };

  test.each([
    ["as usage", hostWith({ inputTokens: odd, outputTokens: odd, cacheReadTokens: odd, cacheWriteTokens: odd })],
    ["as cost", hostWith({ inputTokens: 5, outputTokens: 5, totalCost: odd })],
    ["as prices", hostWith({ inputTokens: 1e15, outputTokens: 1e15 }, { getModel: () => ({ id: "m", info }) })],
    ["as a count", hostWith({}, { countTokens: () => odd })],
  ])("%s of a handler", async (_, handler) => {
    const manager = new CondensationManager({ handler, fallback: false });
    for (let round = 0; round < 3; round++) {
      const result = await manager.condense({ messages, profileId: "p" });
      expect(unexpected(result)).toEqual([]);
    }
    expect(unexpected(await manager.preview({ messages }))).toEqual([]);
    expect(holes(await manager.estimateReduction({ messages }))).toEqual([]);
    expect(holes(await manager.estimateCost({ messages }))).toEqual([]);
    expect(holes(manager.getMetrics())).toEqual([]);
  });

  test("as what a provider of the host costs", async () => {
    const manager = new CondensationManager({ provider: "mine", fallback: false });
    manager.registerProvider({ id: "mine", condense: ({ messages: given }) => ({ messages: given.slice(0, 1), cost: odd }) });
    for (let round = 0; round < 3; round++) expect(unexpected(await manager.condense({ messages }))).toEqual([]);
    expect(holes(manager.getMetrics())).toEqual([]);
  });
});

test("the largest numbers of tokens that may be given", async () => {
  const manager = new CondensationManager({ provider: "truncation" });
  const most = Number.MAX_VALUE;
  for (const usage of [
    { totalTokens: most, lastMessageTokens: most, contextWindow: 1 },
    { totalTokens: most, contextWindow: most, maxTokens: most },
    { totalTokens: 0, contextWindow: 1, maxTokens: most },
  ]) {
    const { lastMessageTokens, ...context } = usage;
    expect(holes(manager.shouldCondense({ ...context, lastMessageTokens }))).toEqual([]);
    for (let round = 0; round < 2; round++) {
      const { trigger, ...result } = await manager.condenseIfNeeded({ messages, ...context });
      expect([...unexpected(result), ...holes(trigger)]).toEqual([]);
    }
  }
  expect(holes(manager.getMetrics())).toEqual([]);
});

test("nothing to divide by", async () => {
  const manager = new CondensationManager({ provider: "truncation" });
  expect(holes(manager.getMetrics())).toEqual([]);
  for (const none of [[], [{ role: "user", content: "" }]]) {
    expect(unexpected(await manager.condense({ messages: none }))).toEqual([]);
    expect(holes(await manager.estimateReduction({ messages: none }))).toEqual([]);
  }
  expect(holes(manager.getMetrics())).toEqual([]);
});
