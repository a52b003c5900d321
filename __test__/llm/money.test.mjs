// Limits, alerts and metrics of money, and who writes summaries.

import { createRequire } from "node:module";
import { describe, expect, test } from "vitest";
import { buildHistory } from "../../fixtures/history.mjs";

const require = createRequire(import.meta.url);
const { CondensationManager, callbackHandler } = require("../../index.js");

const messages = buildHistory({ dialect: "claude-code", messages: 40, seed: 4 });
const price = { inputPrice: 3, outputPrice: 15 };

/** A model that writes a short summary, and says what it cost. */
function model(id, { cost, asked = [], summary = "What was done, in short." } = {}) {
  return callbackHandler(
    {
      async *createMessage() {
        asked.push(id);
        yield { type: "text", text: summary };
        yield { type: "usage", inputTokens: 1000, outputTokens: 100, ...(cost !== undefined && { totalCost: cost }) };
      },
      getModel: () => ({ id, info: { contextWindow: 200_000 } }),
    },
    { price },
  );
}

const native = (more = {}) =>
  new CondensationManager({ provider: "native", fallback: false, cache: false, handler: model("main"), ...more });
const codes = ({ warnings }) => warnings.map(({ code }) => code);

describe("a limit for each condensation", () => {
  test("of the manager, the profile and the call, the nearest of which holds", async () => {
    const manager = native({ maxCostPerCondensation: 0.000_01, profiles: { rich: { maxCostPerCondensation: 5 } } });
    const refused = await manager.condense({ messages });
    expect(refused.error).toMatchObject({ code: "cost_limit" });
    expect(refused.error.message).toContain("maxCostPerCondensation");
    expect([refused.cost, refused.messages]).toEqual([0, messages]);
    expect((await manager.condense({ messages, profileId: "rich" })).error).toBeUndefined();
    expect((await manager.condense({ messages }, { maxCostPerCondensation: 5 })).error).toBeUndefined();
    expect((await manager.condense({ messages, profileId: "rich" }, { maxCostPerCondensation: 0 })).error.code).toBe("cost_limit");
    expect(manager.getEffectiveConfig("rich").maxCostPerCondensation).toBe(5);
    expect(manager.getEffectiveConfig().maxCostPerCondensation).toBe(0.000_01);
  });

  test("holds anew each time, beside the one for all", async () => {
    const manager = native({ maxCostPerCondensation: 5, maxCost: 0.05, handler: model("main", { cost: 0.02 }) });
    const results = [];
    for (let round = 0; round < 4; round++) results.push((await manager.condense({ messages })).error?.code);
    expect(results.filter((code) => code === undefined).length).toBeGreaterThanOrEqual(2);
    expect(results.at(-1)).toBe("cost_limit");
    expect((await manager.condense({ messages })).error.message).toContain("(`maxCost`)");
  });

  test("of a provider by itself", async () => {
    const { createNativeProvider } = require("../../index.js");
    const options = { handler: model("main"), maxCostPerCondensation: 0 };
    expect((await createNativeProvider().condense({ messages }, options)).error.code).toBe("cost_limit");
  });

  test("another provider goes on where it is met", async () => {
    const manager = native({ maxCostPerCondensation: 0, fallback: undefined });
    const result = await manager.condense({ messages });
    expect([result.error, result.cost, result.didCondense]).toEqual([undefined, 0, true]);
    expect(codes(result)).toContain("provider_failed");
  });

  const broken = [undefined, null, Number.NaN, -1, Number.POSITIVE_INFINITY, "3", {}, []];

  test.each(broken.flatMap((amount) => [[{ inputPrice: amount, outputPrice: 15 }], [{ inputPrice: 3, outputPrice: amount }]]))(
    "without a price it cannot be kept, and nothing is sent: %o",
    async (info) => {
      let asked = 0;
      const unpriced = () =>
        callbackHandler({
          async *createMessage() {
            asked++;
            yield { type: "text", text: "In short." };
            yield { type: "usage", inputTokens: 1000, outputTokens: 100, totalCost: 0.6 };
          },
          getModel: () => ({ id: "main", info: { contextWindow: 200_000, ...info } }),
        });
      const result = await native({ handler: unpriced(), maxCostPerCondensation: 0.02 }).condense({ messages });
      expect(result.error).toMatchObject({ code: "price_unknown" });
      expect(result.error.message).toContain("maxCostPerCondensation");
      for (const [provider, config] of [
        ["cost_aware", { maxCost: 0.02 }],
        ["progressive", { budget: 0.02 }],
        ["per_user", { defaultPreference: "balanced", budget: 0.02 }],
        ["smart", {}],
      ]) {
        const manager = native({ handler: unpriced(), provider, maxCostPerCondensation: 0.02 });
        const { valid } = manager.validateConfig(provider, config);
        const made = await manager.condense({ messages }, { targetTokens: 2000, ...(valid && { config }) });
        expect([made.cost, made.didCondense]).toEqual([0, true]);
      }
      expect(asked).toBe(0);
      // Without a limit it may be asked.
      expect((await native({ handler: unpriced() }).condense({ messages })).error).toBeUndefined();
      expect(asked).toBe(1);
    },
  );

  test.each([
    { tiers: [{ contextWindow: 200_000, inputPrice: "300" }] },
    { tiers: [{ outputPrice: Number.NaN }] },
    { cacheWritesPrice: -1 },
    { longContextPricing: { thresholdTokens: 10, inputPriceMultiplier: "2" } },
  ])("a part of a price that is no amount makes it unknown: %o", async (part) => {
    let asked = 0;
    const api = {
      async *createMessage() {
        asked++;
        yield { type: "text", text: "In short." };
      },
      getModel: () => ({ id: "main", info: { contextWindow: 200_000, inputPrice: 3, outputPrice: 15, ...part } }),
    };
    const result = await native({ handler: callbackHandler(api), maxCostPerCondensation: 1 }).condense({ messages });
    expect([result.error.code, asked]).toEqual(["price_unknown", 0]);
  });

  test.each([[-1], [Number.NaN], ["1"]])("%s is refused everywhere", async (limit) => {
    for (const make of [
      () => new CondensationManager({ maxCostPerCondensation: limit }),
      () => new CondensationManager({ profiles: { a: { maxCostPerCondensation: limit } } }),
      () => new CondensationManager().condense({ messages }, { maxCostPerCondensation: limit }),
      () => new CondensationManager({ costAlert: limit }),
    ])
      await expect((async () => make())()).rejects.toMatchObject({ field: expect.stringMatching(/maxCostPerCondensation$|costAlert$/) });
  });
});

describe("alerts", () => {
  test("a condensation that costs more than ten cents is told", async () => {
    const manager = native({ handler: model("main", { cost: 0.11 }) });
    const result = await manager.condense({ messages });
    expect(result.warnings).toContainEqual(
      expect.objectContaining({
        code: "high_cost",
        message: "a condensation cost $0.1100, more than $0.1000",
        field: "costAlert",
      }),
    );
    expect(manager.getMetrics().alerts.map(({ code }) => code)).toEqual(["high_cost"]);
    for (const costAlert of [false, 0.2]) {
      const quiet = native({ handler: model("main", { cost: 0.11 }), costAlert });
      expect(codes(await quiet.condense({ messages }))).toEqual([]);
      expect(quiet.getMetrics().alerts).toEqual([]);
      expect(quiet.getEffectiveConfig().costAlert).toBe(costAlert || null);
    }
    expect(codes(await native({ handler: model("main", { cost: 0.001 }), costAlert: 0 }).condense({ messages }))).toEqual(["high_cost"]);
  });

  test("little gained is told of free providers, too", async () => {
    const manager = new CondensationManager({ fallback: false });
    manager.registerProvider({ id: "mine", condense: ({ messages: given }) => ({ messages: [given[0], ...given.slice(3)] }) });
    const result = await manager.condense({ messages }, { provider: "mine" });
    expect([result.didCondense, result.cost]).toEqual([true, 0]);
    expect(result.stats.reductionPercent).toBeLessThan(20);
    expect(manager.getMetrics().alerts).toEqual([expect.objectContaining({ code: "low_reduction", providerId: "mine" })]);
  });
});

describe("who writes summaries", () => {
  const cases = [
    ["the call's", { condensingHandler: "call" }, "a", "call"],
    ["the profile that the profile names", {}, "a", "of-a"],
    ["the profile that the manager names", {}, "b", "global"],
    ["the profile that the manager names, without a profile", {}, undefined, "global"],
  ];
  test.each(cases)("%s", async (_, options, profileId, expected) => {
    const asked = [];
    const own = (id) => ({ handler: model(id, { asked }) });
    const manager = native({
      condensingApiConfigId: "global",
      condensingHandler: model("manager", { asked }),
      profiles: { a: { condensingApiConfigId: "of-a" }, b: {}, "of-a": own("of-a"), global: own("global"), condensing: own("role") },
    });
    const call = options.condensingHandler ? { condensingHandler: model("call", { asked }) } : {};
    await manager.condense({ messages, profileId }, call);
    expect(asked).toEqual([expected]);
    expect(manager.getEffectiveConfig("b").condensingApiConfigId).toBe("global");
  });

  const passes = [
    { id: "b", selection: { type: "preserve_recent", keepRecentCount: 5 }, mode: "batch", batchConfig: { operation: "summarize" } },
  ];
  test.each([
    ["native", {}],
    ["smart", { passes, losslessPrelude: { enabled: false } }],
  ])("a profile called condensing, by its role: %s", async (provider, config) => {
    const asked = [];
    const manager = native({ handler: model("main", { asked }), profiles: { condensing: { handler: model("cheap", { asked }) } } });
    const { error } = await manager.condense({ messages }, { provider, config });
    expect([error, asked]).toEqual([undefined, ["cheap"]]);
  });

  test("the global prompt is used where the profile has none", async () => {
    const prompts = [];
    const handler = {
      async *createMessage(systemPrompt) {
        prompts.push(systemPrompt);
        yield { type: "text", text: "In short." };
      },
    };
    const manager = native({ handler, customCondensingPrompt: "Be brief.", profiles: { own: { customCondensingPrompt: "Be exact." } } });
    await manager.condense({ messages });
    await manager.condense({ messages, profileId: "own" });
    await manager.condense({ messages }, { customCondensingPrompt: "Be kind." });
    expect(prompts.map((prompt) => /Be \w+\./.exec(prompt)?.[0])).toEqual(["Be brief.", "Be exact.", "Be kind."]);
    expect(manager.getEffectiveConfig().customCondensingPrompt).toBe("Be brief.");
  });
});

describe("at run time", () => {
  test("the global threshold can be set", () => {
    const manager = new CondensationManager({ profileThresholds: { own: 30 } });
    manager.setThreshold(55);
    expect([manager.effectiveThreshold(), manager.effectiveThreshold("own"), manager.effectiveThreshold("other")]).toEqual([55, 30, 55]);
    const usage = { totalTokens: 56, contextWindow: 100 };
    expect(manager.shouldCondense(usage)).toMatchObject({ due: true, threshold: 55 });
    for (const wrong of [4, 101, Number.NaN, "50", undefined]) expect(() => manager.setThreshold(wrong)).toThrow(/percent/);
    expect(manager.effectiveThreshold()).toBe(55);
  });

  test("the preset can be set", async () => {
    const manager = new CondensationManager();
    expect(manager.getEffectiveConfig().preset).toBe("balanced");
    manager.setPreset("aggressive");
    expect(manager.getEffectiveConfig()).toMatchObject({ preset: "aggressive", provider: "native" });
    const { createSmartProvider } = require("../../index.js");
    const alone = await createSmartProvider("aggressive").condense({ messages });
    expect((await manager.condense({ messages }, { provider: "smart" })).messages).toEqual(alone.messages);
    expect(() => manager.setPreset("agressive")).toThrow(/preset/);
    expect(() => manager.setPreset()).toThrow(/preset/);
    manager.registerProvider(createSmartProvider({ passes: [] }));
    expect(manager.getEffectiveConfig().preset).toBeNull();
  });
});

describe("metrics", () => {
  test("times, averages, models and records", async () => {
    const manager = native({
      handler: model("main", { cost: 0.02 }),
      condensingHandler: model("cheap", { cost: 0.01 }),
      maxCostPerCondensation: 1,
    });
    await manager.condense({ messages, profileId: "p" });
    await manager.condense({ messages }, { condensingHandler: model("other", { cost: 0.04 }) });
    const before = Date.now();
    await manager.condense({ messages: messages.slice(0, 2) });
    const { total, costByModel, records, profiles } = manager.getMetrics();
    expect(costByModel).toEqual({ cheap: 0.01, other: 0.04 });
    expect(total).toMatchObject({ calls: 3, errors: 1, highestCost: 0.04 });
    expect(total.averageCost).toBeCloseTo(0.05 / 3);
    expect(total.p50LatencyMs).toBeGreaterThan(0);
    expect(total.p95LatencyMs).toBeGreaterThanOrEqual(total.p50LatencyMs);
    expect(total.tokensPerSecond).toBeGreaterThan(0);
    expect(profiles.p.p50LatencyMs).toBe(profiles.p.p95LatencyMs);
    expect(records.map(({ providerId, profileId, error, cost }) => [providerId, profileId, error, cost])).toEqual([
      ["native", "p", undefined, 0.01],
      ["native", undefined, undefined, 0.04],
      ["native", undefined, "not_enough_messages", 0],
    ]);
    expect(records[0].reductionPercent).toBeCloseTo(100 - (100 * records[0].finalTokens) / records[0].originalTokens);
    expect(records[2].timestamp).toBeGreaterThanOrEqual(before);
    manager.resetMetrics();
    expect(manager.getMetrics()).toMatchObject({ costByModel: {}, records: [], total: { calls: 0, p95LatencyMs: 0, tokensPerSecond: 0 } });
  });

  test("a preview is none", async () => {
    const manager = native();
    await manager.preview({ messages });
    expect(manager.getMetrics().records).toEqual([]);
  });
});

describe("what nobody reports is counted", () => {
  const text = "word ".repeat(200);
  const asks = (createMessage) =>
    callbackHandler({ createMessage, getModel: () => ({ id: "m", info: { contextWindow: 200_000 } }) }, { price });
  const cost = async (createMessage, options) => (await native({ handler: asks(createMessage) }).condense({ messages }, options)).cost;
  const dollars = (input, output) => (input * price.inputPrice + output * price.outputPrice) / 1e6;

  test("in a stream that breaks off, after the last usage, and nothing where none began", async () => {
    const cut = async function* () {
      yield { type: "text", text };
      throw new Error("cut");
    };
    const whole = await cost(cut);
    expect(whole).toBeGreaterThan(dollars(500, 200));
    const told = async function* () {
      yield { type: "usage", inputTokens: 1000, outputTokens: 1 };
      yield { type: "reasoning", text };
      yield { type: "text", text };
      yield { type: "error", error: "overloaded" };
    };
    expect(await cost(told)).toBeCloseTo(dollars(1000, 402), 4);
    const refused = async function* () {
      throw new Error("401");
    };
    expect(await cost(refused)).toBe(0);
  });

  test("where the caller gives up", async () => {
    const controller = new AbortController();
    const hanging = async function* () {
      yield { type: "text", text };
      controller.abort();
      await new Promise(() => {});
    };
    expect(await cost(hanging, { signal: controller.signal })).toBeGreaterThan(dollars(500, 200));
    const silent = new AbortController();
    const still = async function* () {
      silent.abort();
      await new Promise(() => {});
    };
    const asked = await cost(still, { signal: silent.signal });
    expect(asked).toBeGreaterThan(dollars(500, 0));
  });
});
