// The manager: registry, thresholds, trigger, guard, metrics, estimates.

import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { buildHistory } from "../../fixtures/history.mjs";
import { withShared } from "../shared.mjs";
import { api, conversation, deepFreeze, expectFailed, expectRejected, expectThrown, lines, managerWith } from "./support.mjs";

const { CondensationManager, countTokens, createLosslessProvider, createTruncationProvider } = api;

const messages = deepFreeze(conversation(8));
const capabilities = {
  supportsLossless: false,
  supportsLossy: false,
  supportsLLMSummarization: false,
  supportsParallelProcessing: false,
  supportsMultiPass: false,
  supportsFallback: false,
  supportsTruncation: false,
  isFree: false,
  estimatedSpeed: "medium",
};

describe("registry", () => {
  test("our own providers are there", () => {
    const manager = new CondensationManager();
    const infos = manager.listProviders();
    expect(infos.map(({ id }) => id)).toEqual(expect.arrayContaining(["lossless", "truncation"]));
    for (const info of infos) {
      expect(info).toEqual({
        id: expect.any(String),
        name: expect.stringMatching(/./),
        description: expect.stringMatching(/./),
        version: api.version(),
        capabilities: expect.any(Object),
      });
      const provider = manager.getProvider(info.id);
      expect(manager.getProvider(info.id)).toBe(provider);
      expect({
        id: provider.id,
        name: provider.name,
        description: provider.description,
        version: provider.version,
        capabilities: provider.getCapabilities(),
      }).toEqual(info);
      expect(provider.getConfigSchema()).toMatchObject({ type: "object", additionalProperties: false });
    }
    expect(manager.getProvider("nobody")).toBe(null);
    expect(manager.unregisterProvider("nobody")).toBe(false);
  });

  test("a provider of the host: added, found, active, removed", async () => {
    const manager = new CondensationManager();
    const provider = { id: "mine", condense: ({ messages: given }) => ({ messages: given.slice(0, 1) }) };
    manager.registerProvider(provider);
    expect(manager.getProvider("mine")).toBe(provider);
    expect(manager.listProviders().at(-1)).toEqual({ id: "mine", name: "mine", description: "", version: "", capabilities });
    manager.setActiveProvider("mine");
    expect(manager.getActiveProvider()).toBe(provider);
    expect(manager.getEffectiveConfig().provider).toBe("mine");
    expect((await manager.condense({ messages })).messages).toEqual([messages[0]]);
    expect(manager.unregisterProvider("mine")).toBe(true);
    expect(manager.unregisterProvider("mine")).toBe(false);
    expect(manager.getProvider("mine")).toBe(null);
    expectThrown(() => manager.getActiveProvider(), TypeError, "unknown_provider", '"mine"');
    await expectRejected(() => manager.condense({ messages }), TypeError, "unknown_provider", '"mine"', "lossless");
    manager.setActiveProvider("lossless");
    expect(manager.getActiveProvider().id).toBe("lossless");
  });

  test("what a provider says of itself", () => {
    const manager = new CondensationManager();
    manager.registerProvider({
      id: "full",
      name: "Full",
      description: "All of it.",
      version: "2.0",
      condense() {},
      getCapabilities: () => ({ supportsLossy: true, estimatedSpeed: "slow", more: 1 }),
    });
    expect(manager.listProviders().at(-1)).toEqual({
      id: "full",
      name: "Full",
      description: "All of it.",
      version: "2.0",
      capabilities: { ...capabilities, supportsLossy: true, estimatedSpeed: "slow" },
    });
  });

  test("the same id again replaces, also one of ours, and ours can come back", async () => {
    const manager = new CondensationManager({ fallback: false });
    const ids = manager.listProviders().map(({ id }) => id);
    const own = { id: "truncation", condense: ({ messages: given }) => ({ messages: given.slice(0, 1) }) };
    manager.registerProvider(own);
    expect(manager.listProviders().map(({ id }) => id)).toEqual(ids);
    expect(manager.getProvider("truncation")).toBe(own);
    expect((await manager.condense({ messages }, { provider: "truncation" })).messages.length).toBe(1);
    const ours = createTruncationProvider({ strategy: "head", truncationMode: "suppress" });
    manager.registerProvider(ours);
    expect(manager.getProvider("truncation")).toBe(ours);
    expect((await manager.condense({ messages }, { provider: "truncation" })).metrics.operationsApplied).toEqual(["suppress"]);
  });

  test("the configuration of a registered provider is used, and a call's goes before it", async () => {
    const manager = new CondensationManager({ provider: "truncation", fallback: false });
    manager.registerProvider(createTruncationProvider({ maxToolResultLines: 2 }));
    const shown = async (options) => (await manager.condense({ messages }, options)).messages[2].content[0].content.split("\n").length;
    const two = await shown();
    expect(await shown({ config: { maxToolResultLines: 9 } })).toBe(two + 7);
    expect(await shown()).toBe(two);
  });

  test("one provider in two managers", async () => {
    const provider = createTruncationProvider();
    const managers = [1, 2].map(() => new CondensationManager({ provider: "truncation" }));
    for (const manager of managers) manager.registerProvider(provider);
    const results = await Promise.all(managers.map((manager) => manager.condense({ messages })));
    expect(results[0].messages).toEqual(results[1].messages);
  });

  test("a provider that is removed while it works ends its work", async () => {
    let finish;
    const manager = managerWith(
      ({ messages: given }) => new Promise((resolve) => (finish = () => resolve({ messages: given.slice(0, 1) }))),
    );
    const promise = manager.condense({ messages });
    await expect.poll(() => finish).toBeDefined();
    manager.unregisterProvider("mine");
    finish();
    expect((await promise).didCondense).toBe(true);
  });
});

describe("thresholds", () => {
  test("by profile", () => {
    const manager = new CondensationManager({
      autoCondenseContextPercent: 80,
      profileThresholds: { low: 30, same: -1, wrong: 3, high: 101 },
    });
    expect(["low", "same", "wrong", "high", "absent", undefined, null].map((id) => manager.effectiveThreshold(id))).toEqual([
      30, 80, 80, 80, 80, 80, 80,
    ]);
    expect(manager.getEffectiveConfig("wrong")).toMatchObject({
      profileId: "wrong",
      threshold: 80,
      warnings: [{ code: "invalid_threshold", message: expect.stringContaining("wrong"), field: "profileThresholds.wrong" }],
    });
    expect(manager.getEffectiveConfig("low").warnings).toEqual([]);
    manager.setProfileThreshold("low", 5);
    manager.setProfileThreshold("new", 100);
    expect([manager.effectiveThreshold("low"), manager.effectiveThreshold("new")]).toEqual([5, 100]);
    manager.setProfileThreshold("low", -1);
    expect(manager.effectiveThreshold("low")).toBe(80);
  });

  test("the configuration in force", () => {
    expect(
      new CondensationManager({
        provider: "truncation",
        autoCondenseContext: false,
        maxCost: 2,
        encoding: "cl100k_base",
        scale: "claude",
      }).getEffectiveConfig(),
    ).toEqual({
      profileId: null,
      provider: "truncation",
      autoCondenseContext: false,
      threshold: 100,
      encoding: "cl100k_base",
      scale: 1.25,
      maxCost: 2,
      maxCostPerCondensation: null,
      costAlert: 0.1,
      preset: "balanced",
      protects: false,
      thinking: "auto",
      warnings: [],
      condensingApiConfigId: null,
      customCondensingPrompt: null,
      price: null,
    });
  });
});

describe("shouldCondense", () => {
  test("says why, with the numbers", () => {
    const manager = new CondensationManager({ autoCondenseContextPercent: 75 });
    expect(manager.shouldCondense({ totalTokens: 74_000, lastMessageTokens: 1000, contextWindow: 100_000 })).toEqual({
      due: true,
      reason: "threshold",
      prevContextTokens: 75_000,
      allowedTokens: 81_808,
      reservedTokens: 8192,
      contextPercent: 75,
      threshold: 75,
      warnings: [],
    });
    expect(manager.shouldCondense({ totalTokens: 74_000, lastMessageTokens: 999, contextWindow: 100_000 })).toMatchObject({
      due: false,
      reason: "none",
    });
    expect(manager.shouldCondense({ totalTokens: 60_000, contextWindow: 100_000, maxTokens: 40_000 })).toMatchObject({
      due: true,
      reason: "window",
      allowedTokens: 50_000,
      reservedTokens: 40_000,
    });
    for (const maxTokens of [0, null, undefined])
      expect(manager.shouldCondense({ totalTokens: 1, contextWindow: 20_480, maxTokens }).reservedTokens).toBe(8192);
    // Half of every window is left to the conversation.
    for (const maxTokens of [undefined, 1639, 8192])
      expect(manager.shouldCondense({ totalTokens: 2048, contextWindow: 4096, maxTokens })).toMatchObject({
        due: false,
        allowedTokens: 2048,
      });
    manager.setProfileThreshold("p", 10);
    expect(manager.shouldCondense({ totalTokens: 10, contextWindow: 100_000, profileId: "p" }).threshold).toBe(10);
  });

  test("without automatic condensing only a full window counts", () => {
    const manager = new CondensationManager({ autoCondenseContext: false, autoCondenseContextPercent: 5 });
    expect(manager.shouldCondense({ totalTokens: 80_000, contextWindow: 100_000 }).due).toBe(false);
    expect(manager.shouldCondense({ totalTokens: 90_000, contextWindow: 100_000 })).toMatchObject({ due: true, reason: "window" });
  });

  withShared("vectors", (vectors) =>
    test("decides as Roo-Code does, on its recorded calls", () => {
      const records = readFileSync(path.join(vectors, "roo-head.jsonl"), "utf8")
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line))
        .filter(({ fn }) => fn === "willManageContext");
      // In small windows Roo-Code leaves less than half to the conversation, or nothing.
      const leavesHalf = ({ contextWindow, maxTokens }) => (maxTokens || 8192) <= contextWindow * 0.4;
      const alike = records.filter(({ input }) => leavesHalf(input));
      expect(alike.length).toBeGreaterThan(0);
      for (const { input, output } of alike) {
        const { autoCondenseContext, autoCondenseContextPercent, profileThresholds, currentProfileId: profileId, ...usage } = input;
        const manager = new CondensationManager({ autoCondenseContext, autoCondenseContextPercent, profileThresholds });
        expect(manager.shouldCondense({ ...usage, profileId }).due, JSON.stringify(input)).toBe(output);
      }
    }),
  );
});

describe("condenseIfNeeded", () => {
  const context = (totalTokens, contextWindow, more) => ({ messages, totalTokens, contextWindow, ...more });

  test("not due", async () => {
    const result = await new CondensationManager({ provider: "truncation" }).condenseIfNeeded(context(1000, 100_000));
    expect(result.messages).toBe(messages);
    expect(result).toMatchObject({
      didCondense: false,
      changes: [],
      trigger: { due: false, reason: "none" },
      prevContextTokens: 1000 + countTokens(messages.at(-1)),
    });
    expect(result.error).toBeUndefined();
  });

  test("by threshold", async () => {
    const manager = new CondensationManager({ provider: "truncation", autoCondenseContextPercent: 50 });
    const result = await manager.condenseIfNeeded(context(50_000, 100_000));
    expect(result).toMatchObject({ didCondense: true, trigger: { due: true, reason: "threshold", threshold: 50 } });
    const { originalTokens, finalTokens } = result.stats;
    expect(result.newContextTokens).toBe(Math.ceil((result.prevContextTokens * finalTokens) / originalTokens - 1e-6));
  });

  test("by a full window: the target is what fits", async () => {
    const tokens = countTokens(messages);
    const manager = new CondensationManager({ provider: "truncation" });
    const result = await manager.condenseIfNeeded(context(tokens, tokens, { maxTokens: Math.round(tokens / 2) }));
    expect(result.trigger).toMatchObject({ due: true });
    expect(result.newContextTokens).toBeLessThanOrEqual(result.trigger.allowedTokens);
    expect(result.warnings).toEqual([]);
  });

  test("with a target of the caller's", async () => {
    const result = await new CondensationManager({ provider: "truncation" }).condenseIfNeeded(context(99_000, 100_000), {
      targetTokens: 2000,
    });
    expect(result.stats.finalTokens).toBeLessThanOrEqual(2000);
  });

  test("automatic condensing is off: the oldest go when the window is full, and only then", async () => {
    const manager = new CondensationManager({ autoCondenseContext: false, autoCondenseContextPercent: 5 });
    expect((await manager.condenseIfNeeded(context(80_000, 100_000))).didCondense).toBe(false);
    const result = await manager.condenseIfNeeded(context(95_000, 100_000));
    expect(result).toMatchObject({ didCondense: true, metrics: { providerId: "truncation" } });
  });

  test("the last message counts, with the scale", async () => {
    const manager = new CondensationManager({ scale: 2 });
    const long = [...messages.slice(0, -1), { role: "assistant", content: lines(100) }];
    const { trigger } = await manager.condenseIfNeeded({ messages: long, totalTokens: 0, contextWindow: 1e6 });
    expect(trigger.prevContextTokens).toBe(countTokens(long.at(-1), { scale: 2 }));
    expect((await manager.condenseIfNeeded({ messages: [], totalTokens: 10, contextWindow: 1e6 })).trigger.prevContextTokens).toBe(10);
  });

  test("again and again without gain: the guard waits", async () => {
    const small = deepFreeze(conversation(1, { result: "short" }));
    const due = { messages: small, totalTokens: 99_000, contextWindow: 100_000, taskId: "t" };
    const manager = new CondensationManager({ provider: "lossless", guard: { attempts: 2, windowMs: 400 } });
    for (let attempt = 0; attempt < 2; attempt++) expect((await manager.condenseIfNeeded(due)).error).toBeUndefined();
    const stopped = await manager.condenseIfNeeded(due);
    expectFailed(stopped, "condense_loop", small);
    expect(stopped.trigger.due).toBe(true);
    expect(stopped.error.message).toContain(
      "2 automatic condensations in a row gained less than 5% each; the next one may be tried 400 ms after the last",
    );
    expect((await manager.condenseIfNeeded({ ...due, taskId: "another" })).error).toBeUndefined();
    expect((await manager.condense(due)).error).toBeUndefined();
    await expect.poll(async () => (await manager.condenseIfNeeded(due)).error, { timeout: 10_000 }).toBeUndefined();
    const unguarded = new CondensationManager({ provider: "lossless", guard: false });
    for (let attempt = 0; attempt < 5; attempt++) expect((await unguarded.condenseIfNeeded(due)).error).toBeUndefined();
  });
});

describe("preview and estimates", () => {
  test.each(["lossless", "truncation"])("%s: say what condense then does, and leave no trace", async (provider) => {
    const history = deepFreeze(buildHistory({ dialect: "claude-code", messages: 60 }));
    const manager = new CondensationManager({ provider });
    const options = { targetTokens: provider === "truncation" ? 3000 : undefined };
    const preview = await manager.preview({ messages: history }, options);
    const estimate = await manager.estimateReduction({ messages: history }, options);
    const cost = await manager.estimateCost({ messages: history }, options);
    expect(manager.getMetrics().total.calls).toBe(0);
    const { messages: condensed, restoreData, didCondense, metrics, ...rest } = await manager.condense({ messages: history }, options);
    expect(preview).not.toHaveProperty("messages");
    const { samples, exact: isExact, ...others } = preview;
    expect(isExact).toBe(true);
    expect(others).toEqual({ ...rest, wouldCondense: didCondense, metrics: { ...metrics, timeElapsed: preview.metrics.timeElapsed } });
    expect(samples.length).toBeGreaterThan(0);
    for (const { messageIndex, before, after, exact } of samples) {
      // An added message had none.
      if (before !== null) expect(before).toBe(history[messageIndex]);
      else expect(after).not.toBeNull();
      expect(condensed.some((message) => JSON.stringify(message) === JSON.stringify(after))).toBe(after !== null);
      expect(exact).toBe(true);
    }
    expect(estimate).toEqual({
      originalTokens: metrics.originalTokens,
      estimatedTokens: metrics.condensedTokens,
      estimatedReduction: metrics.tokensSaved,
      reductionPercent: metrics.reductionPercentage,
      confidence: 1,
      cost: 0,
    });
    expect(cost).toBe(0);
  });

  test("of a provider on its own", async () => {
    const provider = createTruncationProvider();
    const estimate = await provider.estimateReduction({ messages }, { maxToolResultLines: 20 });
    const { stats } = await provider.condense({ messages }, { config: { maxToolResultLines: 20 } });
    expect(estimate).toMatchObject({ originalTokens: stats.originalTokens, estimatedTokens: stats.finalTokens, confidence: 1, cost: 0 });
    expect(estimate.estimatedTokens).toBeGreaterThan((await provider.estimateReduction({ messages })).estimatedTokens);
    expect(await provider.estimateCost({ messages })).toBe(0);
    await expectRejected(() => provider.estimateReduction({ messages }, { mode: 5 }), TypeError, "invalid_config", {
      field: "mode",
      shows: "5",
    });
    await expectRejected(() => provider.estimateCost({ messages }, []), TypeError, "invalid_config", { field: "config", shows: "[]" });
  });

  test("of what fails", async () => {
    const failing = managerWith(() => Promise.reject(new Error("no")));
    expect(await failing.estimateReduction({ messages })).toMatchObject({
      estimatedReduction: 0,
      confidence: 0,
      error: { code: "provider_failed" },
    });
    expect(await failing.preview({ messages })).toMatchObject({ wouldCondense: false, error: { code: "provider_failed" } });
    expect(await failing.estimateCost({ messages })).toBe(0);
  });

  test("of a provider of the host that costs", async () => {
    expect(await managerWith(({ messages: given }) => ({ messages: given.slice(0, 1), cost: 0.5 })).estimateCost({ messages })).toBe(0.5);
  });
});

describe("metrics", () => {
  const none = {
    ...{ calls: 0, successes: 0, errors: 0, cost: 0, tokensSaved: 0, averageReductionPercent: 0, averageLatencyMs: 0 },
    ...{ p50LatencyMs: 0, p95LatencyMs: 0, tokensPerSecond: 0, averageCost: 0, highestCost: 0 },
  };
  const nothing = { total: none, providers: {}, profiles: {}, costByModel: {}, experiments: {}, records: [], alerts: [] };

  test("by provider, by profile, in all; and forgotten", async () => {
    const manager = new CondensationManager({ provider: "truncation", fallback: false });
    manager.registerProvider({
      id: "fails",
      condense: () => {
        throw new Error("no");
      },
    });
    manager.registerProvider({ id: "costs", condense: ({ messages: given }) => ({ messages: given.slice(0, 1), cost: 0.5 }) });
    expect(manager.getMetrics()).toEqual(nothing);
    const first = await manager.condense({ messages, profileId: "p" });
    const second = await manager.condense({ messages, profileId: "p" }, { provider: "costs" });
    await manager.condense({ messages }, { provider: "fails" });
    const { total, providers, profiles } = manager.getMetrics();
    const saved = [first, second].map(({ metrics }) => metrics.tokensSaved);
    expect(total).toMatchObject({ calls: 3, successes: 2, errors: 1, cost: 0.5, tokensSaved: saved[0] + saved[1] });
    expect(total.averageReductionPercent).toBeCloseTo((first.stats.reductionPercent + second.stats.reductionPercent) / 2);
    expect(total.averageLatencyMs).toBeGreaterThan(0);
    expect(providers).toMatchObject({
      truncation: { calls: 1, successes: 1, tokensSaved: saved[0] },
      costs: { calls: 1, cost: 0.5, tokensSaved: saved[1] },
      fails: { calls: 1, successes: 0, errors: 1, tokensSaved: 0 },
    });
    expect(profiles).toEqual({ p: expect.objectContaining({ calls: 2, successes: 2, errors: 0 }) });
    manager.getMetrics().total.calls = 99;
    expect(manager.getMetrics().total.calls).toBe(3);
    manager.resetMetrics();
    expect(manager.getMetrics()).toEqual(nothing);
  });

  test("the numbers of a result agree with each other and with counting", async () => {
    const result = await new CondensationManager({ provider: "truncation", scale: 1.5 }).condense({ messages, systemPrompt: "Be brief." });
    const all = [...messages, { role: "user", content: "Be brief." }];
    const { stats, metrics } = result;
    expect(stats.originalTokens).toBe(countTokens(all, { scale: 1.5 }));
    expect(stats.finalTokens).toBe(countTokens([...result.messages, all.at(-1)], { scale: 1.5 }));
    expect(metrics).toMatchObject({
      originalTokens: stats.originalTokens,
      condensedTokens: stats.finalTokens,
      tokensSaved: stats.originalTokens - stats.finalTokens,
      reductionPercentage: stats.reductionPercent,
      operationsApplied: stats.operationsPerformed,
    });
    expect(stats.reductionPercent).toBeCloseTo((100 * metrics.tokensSaved) / stats.originalTokens);
    expect([result.prevContextTokens, result.newContextTokens]).toEqual([stats.originalTokens, stats.finalTokens]);
    for (const change of result.changes) {
      expect(change.tokensAfter).toBeLessThan(change.tokensBefore);
      expect(change.tokensBefore).toBe(countTokens(messages[change.messageIndex].content[change.blockIndex]));
      expect(change.tokensAfter).toBe(countTokens(result.messages[change.messageIndex].content[change.blockIndex]));
    }
    expect(result.firstChangedIndex).toBe(result.messages.findIndex((message, index) => message !== messages[index]));
    const reported = await new CondensationManager({ provider: "truncation" }).condense({ messages, totalTokens: 50_000 });
    expect(reported.prevContextTokens).toBe(50_000);
    expect(reported.newContextTokens).toBe(Math.ceil((50_000 * reported.stats.finalTokens) / reported.stats.originalTokens - 1e-6));
  });
});

describe("scale", () => {
  test("a number, a family, and what was learned", () => {
    const scaleOf = (manager) => manager.getEffectiveConfig().scale;
    expect([1.5, "gpt", "gemini", "claude", "claude-4.7"].map((scale) => scaleOf(new CondensationManager({ scale })))).toEqual([
      1.5, 1, 1.2, 1.25, 1.65,
    ]);
    const manager = new CondensationManager({ scale: "auto" });
    expect(scaleOf(manager)).toBe(1);
    manager.calibrate({ localTokens: 1000, reportedTokens: 2000, model: "some-model" });
    expect(scaleOf(manager)).toBe(2);
    manager.calibrate({ localTokens: 1000, reportedTokens: 1000, model: "some-model" });
    expect(scaleOf(manager)).toBeGreaterThan(1);
    expect(scaleOf(manager)).toBeLessThan(2);
    manager.calibrate({ localTokens: 1000, reportedTokens: 3000, model: "another" });
    expect(scaleOf(manager)).toBe(3);
    const fixed = new CondensationManager({ scale: 1.5 });
    fixed.calibrate({ localTokens: 1000, reportedTokens: 2000, model: "some-model" });
    expect(scaleOf(fixed)).toBe(1.5);
  });

  test("a target is in scaled tokens", async () => {
    const result = await new CondensationManager({ provider: "truncation", scale: 1.65 }).condense({ messages }, { targetTokens: 3500 });
    expect(result.stats.finalTokens).toBeLessThanOrEqual(3500);
    expect(result.stats.finalTokens).toBe(countTokens(result.messages, { scale: 1.65 }));
  });
});

test("a provider on its own works as in a manager", async () => {
  const [own, managed] = [
    await createLosslessProvider().condense({ messages }),
    await new CondensationManager({ provider: "lossless" }).condense({ messages }),
  ];
  expect(own.messages).toEqual(managed.messages);
  expect(Object.keys(own).sort()).toEqual(Object.keys(managed).sort());
});
