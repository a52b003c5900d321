// Strategies from JavaScript: by themselves, in the manager, in other processes. Who is asked when is tested in Rust.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { buildHistory } from "../../fixtures/history.mjs";
import { strategiesOf } from "../../fixtures/strategies.mjs";
import { root } from "../../scripts/tools.mjs";
import { api, deepFreeze, packageFile, rejected, thrown } from "./support.mjs";

const { CondensationManager, callbackHandler, countTokens, restore } = api;
const messages = deepFreeze(buildHistory({ dialect: "claude-code", messages: 60, seed: 9 }));
const tokens = countTokens(messages);

const STRATEGIES = strategiesOf(api);
const each = Object.entries(STRATEGIES);
const asked = ({ choices = [] }) => choices.map(({ provider }) => provider);
const codes = ({ warnings }) => warnings.map(({ code }) => code);

/** A model that says what it used. */
function model(id, { seen = [], outputTokens = 80, text = "What was done, in short.", price = { inputPrice: 3, outputPrice: 15 } } = {}) {
  const createMessage = async function* (systemPrompt, questions) {
    const inputTokens = countTokens([{ role: "user", content: systemPrompt }, ...questions]);
    seen.push({ id, systemPrompt, inputTokens });
    yield { type: "text", text };
    yield { type: "usage", inputTokens, outputTokens };
  };
  return callbackHandler({ createMessage, getModel: () => ({ id, info: { contextWindow: 200_000 } }) }, { price });
}

describe.each(each)("%s", (id, create) => {
  test("is a provider like any other", async () => {
    const provider = create();
    expect(provider.id).toBe(id);
    expect(provider.validateConfig(provider.id === "pipeline" ? { stages: [] } : { protec: {} }).valid).toBe(false);
    expect(provider.getConfigSchema().properties).toHaveProperty("protect");
    expect(provider.getCapabilities().isFree).toBe(false);
    const seen = [];
    const options = { targetTokens: Math.round(tokens / 3), handler: model("m", { seen }) };
    const estimate = await provider.estimateReduction({ messages }, undefined, options);
    const preview = await provider.preview({ messages }, options);
    expect(seen).toEqual([]);
    expect(preview.cost).toBeCloseTo(estimate.cost, 12);
    const result = await provider.condense({ messages }, options);
    expect(result.error).toBeUndefined();
    expect(result.didCondense).toBe(true);
    expect(asked(result)[0]).toBe(asked(preview)[0]);
    const paid = seen.reduce((sum, { inputTokens }) => sum + (inputTokens * 3 + 80 * 15) / 1e6, 0);
    expect(result.cost).toBeCloseTo(paid, 10);
    expect(restore(JSON.parse(JSON.stringify(result)))).toEqual(messages);
    // What was done was told part by part.
    expect(result.passes.length).toBeGreaterThan(0);
  });

  test("works in the manager: active, in the chain, with progress and metrics", async () => {
    const manager = new CondensationManager({ provider: id, cache: false });
    expect(manager.listProviders().map((info) => info.id)).toContain(id);
    const phases = [];
    const options = { targetTokens: Math.round(tokens / 3), onProgress: ({ phase, passId }) => phases.push([phase, passId]) };
    const result = await manager.condense({ messages }, options);
    expect(result.newContextTokens).toBeLessThanOrEqual(options.targetTokens);
    expect(phases.some(([phase]) => phase === "pass")).toBe(true);
    expect(manager.getMetrics().providers[id].calls).toBe(1);
    const helped = new CondensationManager({ provider: "broken", fallback: [id] });
    helped.registerProvider({
      id: "broken",
      condense: () => {
        throw new Error("no");
      },
    });
    const second = await helped.condense({ messages }, { targetTokens: Math.round(tokens / 3), handler: model("m") });
    expect(codes(second)).toContain("provider_failed");
    expect(second.didCondense).toBe(true);
  });

  test("ends with the signal", async () => {
    const controller = new AbortController();
    const handler = callbackHandler({
      async *createMessage() {
        controller.abort();
        await new Promise((resolve) => setTimeout(resolve, 10_000).unref());
        yield { type: "text", text: "late" };
      },
      getModel: () => ({ id: "slow", info: {} }),
    });
    const stages = {
      pipeline: { stages: ["native"] },
      adaptive: { bands: [{ provider: "native" }] },
      ab_test: { variants: [{ name: "A" }] },
    };
    const config = stages[id] ?? (id === "per_user" ? { default: { preferredProvider: "native" } } : {});
    const { error, messages: same } = await create(config).condense(
      { messages },
      { handler, signal: AbortSignal.any([controller.signal, AbortSignal.timeout(300)]), price: { inputPrice: 1, outputPrice: 1 } },
    );
    expect(error === undefined || error.code === "aborted").toBe(true);
    if (error) expect(same).toBe(messages);
  });

  test("keeps what is protected", async () => {
    const text = "no test may be skipped";
    const own = [...messages.slice(0, 20), { role: "user", content: `Remember: ${text}.` }, ...messages.slice(20)];
    const result = await create({ protect: { text: [text] } }).condense(
      { messages: own },
      { targetTokens: Math.round(tokens / 5), handler: model("m") },
    );
    expect(JSON.stringify(result.messages)).toContain(text);
  });
});

test("wrong configurations are refused, with all paths", async () => {
  const error = thrown(() =>
    api.createPipeline({ stages: ["lossless", { provider: "truncation", config: { mode: "windw", lines: 2 } }, { target: -1 }] }),
  );
  expect(error.code).toBe("invalid_config");
  const paths = error.message.split("\n").map((line) => line.split(/ must be | is /)[0]);
  expect(paths).toEqual(["stages[2].provider", "stages[2].target", "stages[1].config.mode", "stages[1].config.lines"]);
  expect(
    api
      .createPipeline()
      .validateConfig({ stages: [{ provider: "smart", config: { passes: [{}] } }] })
      .errors.map(({ path: at }) => at),
  ).toContain("stages[0].config.passes[0].id");
  const manager = new CondensationManager();
  const call = await rejected(() => manager.condense({ messages }, { provider: "progressive", config: { budget: -1 } }));
  expect([call.code, call.field]).toEqual(["out_of_range", "options.config.budget"]);
  expect(thrown(() => api.createPerUser({ lookUp: 5 })).field).toBe("config.lookUp");
  expect(thrown(() => api.createPipeline({ stages: ["pipeline"] })).message).toContain("not asked within itself");
});

describe("a pipeline", () => {
  test("asks providers of the host, and tells them when nothing is to be spent", async () => {
    const seen = [];
    const manager = new CondensationManager({ fallback: false });
    manager.registerProvider({
      id: "mine",
      condense: ({ messages: given, isPreview, tokenCount }, { targetTokens, config }) => {
        seen.push({ isPreview, tokenCount, targetTokens, config });
        return { messages: [given[0], ...given.slice(-6)], cost: 0.125 };
      },
    });
    const config = { stages: ["lossless", { provider: "mine", config: { keep: 6 } }] };
    const targetTokens = Math.round(tokens / 10);
    const result = await manager.condense({ messages }, { provider: "pipeline", config, targetTokens });
    expect(asked(result)).toEqual(["lossless", "mine"]);
    expect(seen[0]).toMatchObject({ targetTokens, config: { keep: 6 } });
    expect(seen[0].tokenCount).toBeLessThan(tokens);
    expect(result.cost).toBe(0.125);
    expect(restore(result)).toEqual(messages);
    const within = { default: { preferredProvider: "mine", maxCostPerCondensation: 0.1 } };
    const dear = await manager.condense({ messages }, { provider: "per_user", config: within, targetTokens });
    expect(seen.slice(1).map(({ isPreview }) => isPreview)).toEqual([true]);
    expect(codes(dear)).toContain("cost_limit");
    expect(dear.cost).toBe(0);
  });
});

describe("per_user", () => {
  const config = {
    users: { anna: { preferredProvider: "lossless" } },
    default: { preferredProvider: "truncation" },
    lookUp: async (userId) => {
      if (userId === "down") throw new Error("the database is down");
      if (userId === "odd") return /** @type {any} */ (5);
      return userId === "bob" ? { preferredProvider: "smart", qualityThreshold: 0.9 } : undefined;
    },
  };

  test("looks up whom it does not know", async () => {
    const manager = new CondensationManager({ provider: "per_user", fallback: false });
    manager.registerProvider(api.createPerUser(config));
    const of = (userId) => manager.condense({ messages, userId }, { targetTokens: Math.round(tokens / 2) });
    expect(asked(await of("anna"))).toEqual(["lossless"]);
    expect(asked(await of("bob"))).toEqual(["smart"]);
    expect(asked(await of("carl"))).toEqual(["truncation"]);
    for (const userId of ["down", "odd"]) {
      const result = await of(userId);
      expect(asked(result)).toEqual(["truncation"]);
      expect(codes(result)).toContain("look_up_failed");
    }
    const told = async (answer) => {
      const provider = api.createPerUser({ default: { preferredProvider: "truncation" }, lookUp: () => /** @type {any} */ (answer) });
      const result = await provider.condense({ messages, userId: "x" }, { targetTokens: Math.round(tokens / 2) });
      expect([asked(result), codes(result)]).toEqual([["truncation"], ["look_up_failed"]]);
      return result.warnings[0].message;
    };
    expect(await told({ qualityThreshold: 7 })).toMatch(/^user "x": lookUp\(\)\.qualityThreshold/);
    expect(await told({ customConfig: { x: 1n } })).toMatch(/^user "x": lookUp\(\)\.customConfig\.x/);
    const throwing = {
      get preferredProvider() {
        throw new Error("no");
      },
    };
    expect(await told(throwing)).toMatch(/^user "x": lookUp\(\)\.preferredProvider/);
    expect(await told({ preferredProvider: "smrt" })).toContain("did you mean smart?");
    expect(asked(await manager.condense({ messages }, { targetTokens: 2000 }))).toEqual(["truncation"]);
    // The function stays when only a field of the call is another one.
    const call = { targetTokens: Math.round(tokens / 2), config: { users: {} } };
    expect(asked(await manager.condense({ messages, userId: "bob" }, call))).toEqual(["smart"]);
  });
});

describe("ab_test", () => {
  const config = {
    experiment: "two",
    variants: [
      { name: "A", provider: "lossless" },
      { name: "B", provider: "truncation" },
    ],
  };

  test("assigns the same in every process, and measures", async () => {
    const small = messages.slice(0, 12);
    const users = Array.from({ length: 30 }, (_, index) => `user-${index}`);
    const manager = new CondensationManager({ provider: "ab_test", fallback: false });
    manager.registerProvider(api.createAbTest(config));
    expect(manager.getExperiment("two")).toBeNull();
    const variants = [];
    for (const userId of users) variants.push((await manager.condense({ messages: small, userId })).choices[0].variant);
    const script = `
      const { createAbTest } = require(${JSON.stringify(packageFile)});
      const provider = createAbTest(${JSON.stringify(config)});
      const messages = ${JSON.stringify(small)};
      (async () => {
        const found = [];
        for (const userId of ${JSON.stringify(users)}) found.push((await provider.condense({ messages, userId })).choices[0].variant);
        console.log(JSON.stringify(found));
      })();`;
    expect(JSON.parse(execFileSync(process.execPath, ["-e", script], { encoding: "utf8" }))).toEqual(variants);
    const experiment = manager.getExperiment("two");
    const calls = (name) => experiment.variants[name].calls;
    expect([calls("A"), calls("B")]).toEqual(["A", "B"].map((name) => variants.filter((variant) => variant === name).length));
    const saved = experiment.comparisons.find(({ measure }) => measure === "tokensSaved");
    expect(saved.ahead).toBe("B");
    expect(saved.isReal).toBe(true);
    expect(experiment.variants.A.latencyMs.low).toBeLessThan(experiment.variants.A.latencyMs.mean);
    expect(manager.getMetrics().experiments.two).toEqual(experiment);
    await manager.preview({ messages: small, userId: "user-1" });
    expect(manager.getExperiment("two")).toEqual(experiment);
    manager.resetMetrics();
    expect(manager.getExperiment("two")).toBeNull();
    expect(thrown(() => manager.getExperiment("")).code).toBe("invalid_argument");
  });

  test("compares prompts", async () => {
    const seen = [];
    const prompts = { variants: [{ name: "brief", customCondensingPrompt: "Say it in a line." }] };
    const result = await api.createAbTest(prompts).condense({ messages, taskId: "t" }, { handler: model("m", { seen }) });
    expect(result.choices[0]).toMatchObject({ strategy: "ab_test", provider: "native", experiment: "ab_test", variant: "brief" });
    expect(seen[0].systemPrompt).toMatch(/^Say it in a line\./);
  });

  test("compares models: a variant names the profile whose handler writes", async () => {
    const seen = [];
    const price = { inputPrice: 1, outputPrice: 1 };
    const manager = new CondensationManager({
      provider: "ab_test",
      fallback: false,
      cache: false,
      handler: model("own", { seen }),
      profiles: { small: { handler: model("small", { seen, price }) } },
    });
    manager.registerProvider(
      api.createAbTest({
        variants: [
          { name: "own", provider: "native" },
          { name: "small", provider: "native", condensingApiConfigId: "small" },
          { name: "nobody", provider: "native", condensingApiConfigId: "absent", share: 0 },
        ],
      }),
    );
    for (let user = 0; user < 16; user++) {
      const result = await manager.condense({ messages, userId: `user-${user}` });
      const { id, inputTokens } = seen.at(-1);
      expect(id).toBe(result.choices[0].variant);
      expect(result.cost).toBeCloseTo(id === "small" ? (inputTokens + 80) / 1e6 : (inputTokens * 3 + 80 * 15) / 1e6, 10);
      expect(codes(result)).not.toContain("handler_missing");
    }
    const { variants, comparisons } = manager.getExperiment("ab_test");
    expect([variants.own.calls + variants.small.calls, variants.nobody]).toEqual([16, undefined]);
    expect(comparisons.find(({ measure }) => measure === "cost")).toMatchObject({ ahead: "small", isReal: true });
  });

  test("warns where the profile of a variant has no handler", async () => {
    const provider = api.createAbTest({ variants: [{ name: "a", condensingApiConfigId: "absent" }] });
    const result = await provider.condense({ messages, taskId: "t" }, { handler: model("m") });
    expect(result.warnings).toMatchObject([{ code: "handler_missing", field: "profiles.absent.handler" }]);
    expect(result.didCondense).toBe(true);
  });
});

test("a model of the host that does not stop is stopped where the budget ends", async () => {
  let taken = 0;
  let closed = false;
  const handler = callbackHandler(
    {
      async *createMessage() {
        try {
          for (;;) {
            taken += 400;
            yield { type: "text", text: "word ".repeat(80) };
          }
        } finally {
          closed = true;
        }
      },
      getModel: () => ({ id: "endless", info: { contextWindow: 200_000 } }),
    },
    { price: { inputPrice: 1, outputPrice: 5 } },
  );
  const result = await api.createCostAware({ maxCost: 0.2 }).condense({ messages }, { handler, targetTokens: Math.round(tokens / 3) });
  expect(asked(result)).toEqual(["native"]);
  expect(closed).toBe(true);
  expect(taken).toBeLessThan(40_000);
  expect(result.cost).toBeGreaterThan(0);
  expect(result.cost).toBeLessThanOrEqual(0.2);
  expect(codes(result)).toContain("summary_truncated");
});

test("the examples of the document work", async () => {
  const text = readFileSync(path.join(root, "docs", "strategies.md"), "utf8");
  const examples = [...text.matchAll(/```json\n([\s\S]*?)```/g)].map(([, json]) => JSON.parse(json));
  expect(examples.length).toBeGreaterThanOrEqual(7);
  const manager = new CondensationManager({ fallback: false });
  const named = new Set();
  for (const { provider, config } of examples) {
    named.add(provider);
    const call = { provider, config, targetTokens: Math.round(tokens / 3), handler: model("m") };
    const result = await manager.condense({ messages, userId: "anna", taskId: "t" }, call);
    expect(result.error, provider).toBeUndefined();
    expect(result.didCondense, provider).toBe(true);
  }
  expect([...named].sort()).toEqual(Object.keys(STRATEGIES).sort());
});
